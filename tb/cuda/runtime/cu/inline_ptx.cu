// SPDX-License-Identifier: Apache-2.0
// Inline PTX that the compiler makes of other instructions: sums and products with carry, dot
// products, asynchronous copies, the timer; and the functions of CUDA that are made of them.
#include <stdint.h>
#include <string.h>
#include "check.h"

typedef unsigned __int128 u128;
enum { N = 256 };

static __host__ __device__ uint64_t random_of(uint64_t n) {
  n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
  n = (n ^ n >> 29) * 0x94d049bb133111eb;
  const unsigned kind = n % 7;  // carries that run through
  return kind == 0 ? ~0ull : kind == 1 ? 0 : kind == 2 ? 0xffffffff : n ^ n >> 32;
}

struct wide {
  unsigned w[4];
};

__global__ void carries(wide *out) {
  const int t = threadIdx.x + blockIdx.x * blockDim.x;
  const uint64_t al = random_of(4 * t), ah = random_of(4 * t + 1), bl = random_of(4 * t + 2),
                 bh = random_of(4 * t + 3);
  wide *o = out + 4 * t;
#define HALVES(x) "r"((unsigned)(x)), "r"((unsigned)((x) >> 32))
  asm volatile("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
               : "=&r"(o[0].w[0]), "=&r"(o[0].w[1]), "=&r"(o[0].w[2]), "=&r"(o[0].w[3])
               : HALVES(al), HALVES(ah), HALVES(bl), HALVES(bh));
  asm volatile("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.s32 %2, %6, %10; subc.u32 %3, %7, %11;"
               : "=&r"(o[1].w[0]), "=&r"(o[1].w[1]), "=&r"(o[1].w[2]), "=&r"(o[1].w[3])
               : HALVES(al), HALVES(ah), HALVES(bl), HALVES(bh));
  uint64_t low, high;
  asm volatile("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;" : "=&l"(low), "=l"(high) : "l"(al), "l"(ah), "l"(bl), "l"(bh));
  memcpy(&o[2].w[0], &low, 8), memcpy(&o[2].w[2], &high, 8);
  // al * bl in words
  unsigned w0, w1, w2, w3;
  asm volatile("{ mul.lo.u32 %0, %4, %6; mul.hi.u32 %1, %4, %6;"
               "mad.lo.cc.u32 %1, %5, %6, %1; madc.hi.u32 %2, %5, %6, 0;"
               "mad.lo.cc.u32 %1, %4, %7, %1; madc.hi.cc.u32 %2, %4, %7, %2; addc.u32 %3, 0, 0;"
               "mad.lo.cc.u32 %2, %5, %7, %2; madc.hi.u32 %3, %5, %7, %3; }"
               : "=&r"(w0), "=&r"(w1), "=&r"(w2), "=&r"(w3)
               : HALVES(al), HALVES(bl));
  o[3] = {{w0, w1, w2, w3}};
}

static void check_carries() {
  static wide got[4 * N];
  wide *device;
  OK(cudaMalloc(&device, sizeof got));
  carries<<<N / 64, 64>>>(device);
  OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int t = 0; t < N; t++) {
    const u128 al = random_of(4 * t), a = al | (u128)random_of(4 * t + 1) << 64;
    const u128 bl = random_of(4 * t + 2), b = bl | (u128)random_of(4 * t + 3) << 64;
    const u128 want[4] = {a + b, a - b, a + b, al * bl};
    for (int k = 0; k < 4; k++)
      wrong += memcmp(&got[4 * t + k], &want[k], 16) != 0;
  }
  CHECK(wrong == 0);
}

__global__ void dots(int *out, int a, int b, int c) {
  asm volatile("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(out[0]) : "r"(a), "r"(b), "r"(c));
  asm volatile("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(c));
  asm volatile("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(out[2]) : "r"(a), "r"(b), "r"(c));
  asm volatile("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(out[3]) : "r"(a), "r"(b), "r"(c));
}

static void check_dots() {
  const int a = (int)0x80fe7f03, b = (int)0xff017f80, c = 1000;
  int got[4], *device;
  const int want[4] = {c + -128 * -1 + -2 * 1 + 127 * 127 + 3 * -128,
                       c + 128 * -1 + 254 * 1 + 127 * 127 + 3 * -128,
                       c + 0x7f03 * 0x80 + (int16_t)0x80fe * 0x7f,
                       c + 0x7f03 * 0x01 + 0x80fe * -1};
  OK(cudaMalloc(&device, sizeof got));
  dots<<<1, 1>>>(device, a, b, c);
  OK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    CHECK(got[k] == want[k]);
}

// Each thread copies a row of 16 bytes: `bytes` of them, with zeros behind.
__global__ void copies(const char *from, char *to, unsigned long long *times) {
  __shared__ __align__(16) char rows[32][16];
  const unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(rows[t]);
  unsigned long long begin, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  memset(rows[t], 0x55, 16);
  if (t < 8)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + 16 * t) : "memory");
  else if (t < 25)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from + 16 * t), "r"(t - 8) : "memory");
  else if (t < 28)
    asm volatile("cp.async.ca.shared.global [%0+4], [%1+8], 4;" ::"r"(at), "l"(from + 16 * t) : "memory");
  else
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %2, 30; cp.async.ca.shared.global [%0], [%1], 8, p; }" ::"r"(at),
                 "l"(from + 16 * t), "r"(t) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int k = 0; k < 16; k++)
    to[16 * t + k] = rows[t][k];
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  times[t] = end - begin;
}

static void check_copies() {
  char from[512], got[512], want[16], *device, *to;
  unsigned long long *times, took[32];
  int wrong = 0;
  for (int k = 0; k < 512; k++)
    from[k] = (char)(k * 7 + 1);
  OK(cudaMalloc(&device, sizeof from)), OK(cudaMalloc(&to, sizeof got)), OK(cudaMalloc(&times, sizeof took));
  OK(cudaMemcpy(device, from, sizeof from, cudaMemcpyHostToDevice));
  copies<<<1, 32>>>(device, to, times);
  OK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(took, times, sizeof took, cudaMemcpyDeviceToHost));
  for (unsigned t = 0; t < 32; t++) {
    memset(want, 0x55, 16);
    if (t < 8)
      memcpy(want, from + 16 * t, 16);
    else if (t < 25)
      memset(want, 0, 16), memcpy(want, from + 16 * t, t - 8);
    else if (t < 28)
      memcpy(want + 4, from + 16 * t + 8, 4);
    else if (t == 30)
      memset(want, 0, 8);
    else
      memcpy(want, from + 16 * t, 8);
    wrong += memcmp(want, got + 16 * t, 16) != 0;
    wrong += took[t] == 0 || took[t] > 1000000;
  }
  CHECK(wrong == 0);
}

int main() {
  check_carries();
  check_dots();
  check_copies();
  END;
}
