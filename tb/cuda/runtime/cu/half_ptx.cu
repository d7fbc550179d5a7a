// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits in PTX (inline, and what clang makes of _Float16) give what the functions of
// cuda_fp16.h and cuda_bf16.h give, whose own reference is in half.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>
#include <stdlib.h>
#include "check.h"

enum { NUMBERS = 1 << 14 };

#define PTX1(text, d, a) asm volatile(text : "=h"(d) : "h"(a))
#define PTX2(text, d, a, b) asm volatile(text : "=h"(d) : "h"(a), "h"(b))
#define PTX3(text, d, a, b, c) asm volatile(text : "=h"(d) : "h"(a), "h"(b), "h"(c))
#define PAIR2(text, d, a, b) asm volatile(text : "=r"(d) : "r"(a), "r"(b))
#define PAIR3(text, d, a, b, c) asm volatile(text : "=r"(d) : "r"(a), "r"(b), "r"(c))

template <class T>
static __device__ T small(unsigned short x) {
  T h;
  h.x = x;
  return h;
}

// Every fourth number, the special ones among them.
static __device__ unsigned short number(unsigned n) {
  return (unsigned short)(4 * n + (n & 3));
}

static __device__ unsigned bits(float v) {
  return v == v ? __float_as_uint(v) : 0x7fffffff;
}

// A difference is told once: which of the results, of which number.
struct report {
  unsigned wrong, kind, x, y, got, want;
};

static __device__ void same(report *r, unsigned kind, unsigned x, unsigned y, unsigned got,
                            unsigned want) {
  if (got == want || atomicAdd(&r->wrong, 1))
    return;
  r->kind = kind, r->x = x, r->y = y, r->got = got, r->want = want;
}

#define SAME(got, want) same(r, __LINE__, x, y, got, want)

// The arithmetic of one format: its name in PTX.
#define FORMAT(kernel, T, ptx, to_float)                                                          \
  __global__ void kernel(report *r, const unsigned *random) {                                     \
    const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    const unsigned short x = number(n), y = random[n], z = random[n] >> 16;               \
    const T a = small<T>(x), b = small<T>(y), c = small<T>(z);                                    \
    unsigned short d;                                                                             \
    PTX2("add." ptx " %0, %1, %2;", d, x, y);                                                     \
    SAME(d, (a + b).x);                                                                           \
    PTX2("sub." ptx " %0, %1, %2;", d, x, y);                                                     \
    SAME(d, (a - b).x);                                                                           \
    PTX2("mul.rn." ptx " %0, %1, %2;", d, x, y);                                                  \
    SAME(d, (a * b).x);                                                                           \
    PTX3("fma.rn." ptx " %0, %1, %2, %3;", d, x, y, z);                                           \
    SAME(d, __hfma(a, b, c).x);                                                                   \
    PTX3("fma.rn.relu." ptx " %0, %1, %2, %3;", d, x, y, z);                                      \
    SAME(d, __hfma_relu(a, b, c).x);                                                              \
    PTX2("min." ptx " %0, %1, %2;", d, x, y);                                                     \
    SAME(d, __hmin(a, b).x);                                                                      \
    PTX2("max." ptx " %0, %1, %2;", d, x, y);                                                     \
    SAME(d, __hmax(a, b).x);                                                                      \
    PTX2("min.NaN." ptx " %0, %1, %2;", d, x, y);                                                 \
    SAME(d, __hmin_nan(a, b).x);                                                                  \
    PTX2("max.NaN." ptx " %0, %1, %2;", d, x, y);                                                 \
    SAME(d, __hmax_nan(a, b).x);                                                                  \
    PTX1("neg." ptx " %0, %1;", d, x);                                                            \
    SAME(d, (-a).x);                                                                              \
    PTX1("abs." ptx " %0, %1;", d, x);                                                            \
    SAME(d, __habs(a).x);                                                                         \
    unsigned p;                                                                                   \
    float f;                                                                                      \
    asm volatile("{ .reg .pred p, q; setp.lt." ptx " p|q, %1, %2; selp.u32 %0, 1, 0, p; "         \
                 "@q or.b32 %0, %0, 2; }" : "=r"(p) : "h"(x), "h"(y));                            \
    SAME(p, __hlt(a, b) ? 1 : 2);                                                                 \
    asm volatile("{ .reg .pred p; setp.geu." ptx " p, %1, %2; selp.u32 %0, 1, 0, p; }"            \
                 : "=r"(p) : "h"(x), "h"(y));                                                     \
    SAME(p, __hgeu(a, b));                                                                        \
    PTX2("set.eq." ptx "." ptx " %0, %1, %2;", d, x, x);                                          \
    SAME(d, __hisnan(a) ? 0 : T(1.0f).x);                                                         \
    asm volatile("cvt.f32." ptx " %0, %1;" : "=f"(f) : "h"(x));                                   \
    SAME(__float_as_uint(f), __float_as_uint(to_float(a)));                                       \
    const float v = __uint_as_float(random[n]);                                                   \
    const float w = __uint_as_float((unsigned)x << 16 | y);                                       \
    CONVERT(T, ptx, v)                                                                            \
    CONVERT(T, ptx, w)                                                                            \
    const unsigned two = (unsigned)y << 16 | x, other = (unsigned)z << 16 | y;                    \
    unsigned e;                                                                                   \
    PAIR2("add." ptx "x2 %0, %1, %2;", e, two, other);                                            \
    SAME(e, (unsigned)(b + c).x << 16 | (a + b).x);                                               \
    PAIR3("fma.rn." ptx "x2 %0, %1, %2, %3;", e, two, other, two);                                \
    SAME(e, (unsigned)__hfma(b, c, b).x << 16 | __hfma(a, b, a).x);                               \
    asm volatile("cvt.rn." ptx "x2.f32 %0, %1, %2;" : "=r"(e) : "f"(v), "f"(w));                  \
    SAME(e, (unsigned)T(v).x << 16 | T(w).x);                                                     \
    asm volatile("{ .reg .pred p, q; setp.gt." ptx "x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; "       \
                 "@q or.b32 %0, %0, 2; }" : "=r"(e) : "r"(two), "r"(other));                      \
    SAME(e, (unsigned)__hgt(a, b) | __hgt(b, c) << 1);                                            \
    PAIR2("set.ne." ptx "x2." ptx "x2 %0, %1, %2;", e, two, other);                               \
    SAME(e, (__hne(b, c) ? (unsigned)T(1.0f).x << 16 : 0) | (__hne(a, b) ? T(1.0f).x : 0));       \
  }

#define CONVERT(T, ptx, v)                                     \
  asm volatile("cvt.rn." ptx ".f32 %0, %1;" : "=h"(d) : "f"(v)); \
  SAME(d, MODES_##T(v, _rn).x);                                \
  asm volatile("cvt.rz." ptx ".f32 %0, %1;" : "=h"(d) : "f"(v)); \
  SAME(d, MODES_##T(v, _rz).x);                                \
  asm volatile("cvt.rm." ptx ".f32 %0, %1;" : "=h"(d) : "f"(v)); \
  SAME(d, MODES_##T(v, _rd).x);                                \
  asm volatile("cvt.rp." ptx ".f32 %0, %1;" : "=h"(d) : "f"(v)); \
  SAME(d, MODES_##T(v, _ru).x);
#define MODES___half(v, mode) __float2half##mode(v)
#define MODES___nv_bfloat16(v, mode) __float2bfloat16##mode(v)

FORMAT(of_half, __half, "f16", __half2float)
FORMAT(of_brain, __nv_bfloat16, "bf16", __bfloat162float)

// What only f16 has, and clang's own type.
__global__ void more(report *r, const unsigned *random) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned short x = number(n), y = random[n], z = random[n] >> 16;
  const __half a = small<__half>(x), b = small<__half>(y), c = small<__half>(z);
  unsigned short d;
  int i;
  unsigned short s;
  long long l;
  PTX3("fma.rn.sat.f16 %0, %1, %2, %3;", d, x, y, z);
  SAME(d, __hfma_sat(a, b, c).x);
  PTX2("add.sat.f16 %0, %1, %2;", d, x, y);
  SAME(d, __hadd_sat(a, b).x);
  // .ftz of a number and what is subnormal
  const unsigned short flat = x & 0x7c00 ? x : x & 0x8000;
  PTX2("add.ftz.f16 %0, %1, %2;", d, x, (unsigned short)0x3c00);
  SAME(d, __hadd(small<__half>(flat), __half(1.0f)).x);
  PTX2("mul.ftz.f16 %0, %1, %2;", d, x, (unsigned short)0x0c00);
  const unsigned short whole = __hmul(small<__half>(flat), small<__half>(0x0c00)).x;
  SAME(d, whole & 0x7c00 ? whole : whole & 0x8000);
  // .ftz of a conversion is for floats
  float wide;
  asm volatile("cvt.ftz.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
  SAME(__float_as_uint(wide), __float_as_uint(__half2float(a)));
  wide = __uint_as_float((unsigned)x << 16 | y);
  asm volatile("cvt.rp.ftz.f16.f32 %0, %1;" : "=h"(d) : "f"(wide));
  SAME(d, __float2half_ru(fabsf(wide) < 1.17549435e-38f ? copysignf(0, wide) : wide).x);
  asm volatile("cvt.rzi.s32.f16 %0, %1;" : "=r"(i) : "h"(x));
  SAME((unsigned)i, (unsigned)__half2int_rz(a));
  asm volatile("cvt.rpi.u16.f16 %0, %1;" : "=h"(s) : "h"(x));
  SAME(s, __half2ushort_ru(a));
  asm volatile("cvt.rmi.s64.f16 %0, %1;" : "=l"(l) : "h"(x));
  if (!__hisnan(a))
    SAME((unsigned)l, (unsigned)__half2ll_rd(a));
  asm volatile("cvt.rni.f16.f16 %0, %1;" : "=h"(d) : "h"(x));
  SAME(d, hrint(a).x);
  const double v = __hiloint2double((int)random[n], (int)(x << 16 | y));
  const double w = (double)__half2float(a) * (1 + 1e-12) ;
  asm volatile("cvt.rn.f16.f64 %0, %1;" : "=h"(d) : "d"(v));
  SAME(d, __half(v).x);
  asm volatile("cvt.rn.f16.f64 %0, %1;" : "=h"(d) : "d"(w * 1.00048828125));
  SAME(d, __half(w * 1.00048828125).x);
  asm volatile("cvt.rm.f16.s32 %0, %1;" : "=h"(d) : "r"((int)random[n] >> (x & 31)));
  SAME(d, __int2half_rd((int)random[n] >> (x & 31)).x);
  asm volatile("cvt.rn.bf16.u64 %0, %1;" : "=h"(d) : "l"((unsigned long long)random[n] << (x & 31)));
  SAME(d, __ull2bfloat16_rn((unsigned long long)random[n] << (x & 31)).x);
  _Float16 p, q;
  memcpy(&p, &x, 2), memcpy(&q, &y, 2);
  const _Float16 sum = p * q + q, quotient = p / q;
  unsigned short got;
  memcpy(&got, &sum, 2);
  if (got != __hfma(a, b, b).x)  // with or without fusing
    SAME(got, __hadd(__hmul(a, b), b).x);
  memcpy(&got, &quotient, 2);
  SAME(got, (a / b).x);
  SAME(p < q, a < b);
  SAME(bits((float)p), bits(__half2float(a)));
}

// Many threads add to one place: each step is exact.
__global__ void atomics(unsigned short *global, unsigned *pair, unsigned short *seen) {
  __shared__ unsigned short shared[2];
  if (threadIdx.x < 2)
    shared[threadIdx.x] = 0;
  __syncthreads();
  unsigned short old;
  unsigned two;
  const unsigned short one = 0x3c00, brain = 0x3f80;
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(global), "h"(one));
  seen[threadIdx.x] = old;
  asm volatile("red.global.add.noftz.bf16 [%0+2], %1;" ::"l"(global), "h"(brain));
  asm volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(two) : "l"(pair), "r"(0x40003c00));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 16; @p atom.shared.add.noftz.f16 %0, [%1], %3; }"
               : "=h"(old) : "r"((unsigned)__cvta_generic_to_shared(shared + 1)), "r"(threadIdx.x), "h"(one));
  __syncthreads();
  if (threadIdx.x == 0)
    global[2] = shared[0], global[3] = shared[1];
}

__global__ void swap(unsigned short *at, unsigned short *seen) {
  asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;"
               : "=h"(seen[threadIdx.x]) : "l"(at), "h"((unsigned short)threadIdx.x), "h"((unsigned short)(threadIdx.x + 1)));
  seen[threadIdx.x + 32] = atomicCAS(at + 1, (unsigned short)7, (unsigned short)9);
}

static void check_atomics() {
  unsigned short *at, *seen, host[4] = {0}, olds[64];
  unsigned *pair, two = 0, mask = 0;
  cudaMalloc(&at, 8), cudaMalloc(&pair, 4), cudaMalloc(&seen, 128);
  cudaMemset(at, 0, 8), cudaMemset(pair, 0, 4);
  atomics<<<1, 32>>>(at, pair, seen);
  cudaMemcpy(host, at, 8, cudaMemcpyDeviceToHost), cudaMemcpy(&two, pair, 4, cudaMemcpyDeviceToHost);
  CHECK(cudaMemcpy(olds, seen, 64, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[0] == 0x5000 && host[1] == 0x4200);  // 32, of f16 and of bf16
  CHECK(host[2] == 0 && host[3] == 0x4c00);                                                    // 16
  CHECK(two == 0x54005000);  // 64 and 32
  for (int n = 0; n < 32; n++)
    for (int k = 0; k < 32; k++)
      if (olds[n] == __half(float(k)).x)
        mask |= 1u << k;
  CHECK(mask == ~0u);  // each thread saw another sum
}

// The last number of an allocation whose size is odd in words: the word around it is not its own.
static void check_end() {
  unsigned short *at, *seen, host[3] = {3, 0, 7}, olds[64];
  cudaMalloc(&at, 6), cudaMalloc(&seen, 128);
  cudaMemcpy(at, host, 6, cudaMemcpyHostToDevice);
  swap<<<1, 1>>>(at + 1, seen);
  CHECK(cudaMemcpy(host, at, 6, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(olds, seen, 128, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[0] == 3 && host[1] == 1 && host[2] == 9 && olds[0] == 0 && olds[32] == 7);
  swap<<<1, 1>>>(at + 2, seen);  // one number beyond
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset() == cudaSuccess);
}

typedef void test(report *, const unsigned *);
static void check(const char *name, test *kernel) {
  static unsigned random[NUMBERS];
  report *r, host;
  unsigned *device;
  uint64_t state = 5;
  for (int n = 0; n < NUMBERS; n++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    random[n] = (uint32_t)(state >> 32);
  }
  cudaMalloc(&device, sizeof random), cudaMalloc(&r, sizeof *r);
  cudaMemcpy(device, random, sizeof random, cudaMemcpyHostToDevice), cudaMemset(r, 0, sizeof *r);
  kernel<<<NUMBERS / 256, 256>>>(r, device);
  CHECK(cudaMemcpy(&host, r, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
  if (host.wrong)
    printf("%s, line %u: %u wrong; of 0x%04x and 0x%04x 0x%x, not 0x%x\n", name, host.kind, host.wrong,
           host.x, host.y, host.got, host.want);
  CHECK(host.wrong == 0);
}

int main() {
  check("f16", of_half);
  check("bf16", of_brain);
  check("more", more);
  check_atomics();
  check_end();
  END;
}
