// SPDX-License-Identifier: Apache-2.0
// Device intrinsics: integer, conversion and rounding functions, warp functions, atomics.
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "check.h"

enum { SLOTS = 160 };

// Every thread writes its results into a row; the host computes the same.
struct row {
  long long v[SLOTS];
  int count;
};

__device__ static void put(row *r, long long v) { r->v[r->count++] = v; }
__device__ static void putf(row *r, float v) { put(r, __float_as_int(v)); }
__device__ static void putd(row *r, double v) { put(r, __double_as_longlong(v)); }

__global__ void scalar_kernel(row *rows, const int *a, const int *b, const float *f,
                              const double *d) {
  int i = threadIdx.x;
  row *r = &rows[i];
  int x = a[i], y = b[i];
  unsigned ux = x, uy = y;
  long long l = (long long)x << 32 | uy;
  float p = f[i];
  double q = d[i];
  r->count = 0;
  put(r, __popc(x)), put(r, __popcll(l)), put(r, __clz(x)), put(r, __clzll(l));
  put(r, __ffs(x)), put(r, __ffsll(l)), put(r, __brev(x)), put(r, (long long)__brevll(l));
  put(r, __byte_perm(x, y, 0x2517)), put(r, __funnelshift_l(x, y, y)), put(r, __funnelshift_r(x, y, y));
  put(r, __funnelshift_lc(x, y, ux >> 26)), put(r, __funnelshift_rc(x, y, ux >> 26));
  put(r, __mul24(x, y)), put(r, __umul24(x, y)), put(r, __mulhi(x, y)), put(r, __umulhi(x, y));
  put(r, __mul64hi(l, l ^ x)), put(r, (long long)__umul64hi(l, l ^ x));
  put(r, __sad(x, y, 5)), put(r, __usad(x, y, 5)), put(r, __hadd(x, y)), put(r, __rhadd(x, y));
  put(r, __uhadd(x, y)), put(r, __urhadd(x, y)), put(r, __dp4a(x, y, 7)), put(r, min(x, y));
  put(r, max(ux, uy)), put(r, abs(x)), put(r, min(l, (long long)x)), put(r, (long long)max(ux, y));
  put(r, __float2int_rn(p)), put(r, __float2int_rz(p)), put(r, __float2int_rd(p));
  put(r, __float2int_ru(p)), put(r, __double2int_rn(q)), put(r, __double2ll_rd(q));
  put(r, __double2hiint(q)), put(r, __double2loint(q));
  putf(r, __int2float_rn(x)), putf(r, __int2float_rz(x)), putf(r, __uint2float_rn(x));
  putf(r, __ll2float_rn(l)), putd(r, __ll2double_rn(l)), putf(r, __double2float_rn(q));
  putf(r, __fadd_rn(p, 1.1f)), putf(r, __fmul_rn(p, p)), putf(r, __fdiv_rn(p, 3.3f));
  putf(r, __fsqrt_rn(fabsf(p))), putf(r, __frcp_rn(p)), putf(r, __fmaf_rn(p, p, 1.0f));
  putf(r, __frsqrt_rn(fabsf(p)));
  putd(r, __dadd_rn(q, 1.1)), putd(r, __dmul_rn(q, q)), putd(r, __ddiv_rn(q, 3.3));
  putd(r, __dsqrt_rn(fabs(q))), putd(r, __drcp_rn(q)), putd(r, __fma_rn(q, q, 1.0));
  putf(r, __saturatef(p)), putf(r, fminf(p, 2.0f)), putf(r, copysignf(2.0f, p));
  putf(r, __int_as_float(x)), putd(r, __longlong_as_double(l)), putd(r, __hiloint2double(x, y));
  put(r, lrintf(p)), put(r, llround(q)), put(r, isnan(p)), put(r, isfinite(q)), put(r, signbit(p));
  int e;
  putf(r, frexpf(p, &e)), put(r, e), putd(r, ldexp(q, 3)), put(r, ilogb(q));
  float whole;
  putf(r, modff(p, &whole)), putf(r, whole);
  // directed rounding brackets the exact value
  put(r, __fadd_rd(p, 1.1f) <= __fadd_ru(p, 1.1f)), put(r, __fadd_rz(p, -1.1f) != 0);
}

static uint32_t rev(uint32_t v) {
  uint32_t r = 0;
  for (int n = 0; n < 32; n++)
    r |= (v >> n & 1) << (31 - n);
  return r;
}
static long long bits_f(float v) {
  int b;
  memcpy(&b, &v, 4);
  return b;
}
static long long bits_d(double v) {
  long long b;
  memcpy(&b, &v, 8);
  return b;
}
static float f_bits(int v) {
  float f;
  memcpy(&f, &v, 4);
  return f;
}
static double d_bits(long long v) {
  double d;
  memcpy(&d, &v, 8);
  return d;
}

static int expect(long long *v, int x, int y, float p, double q) {
  int n = 0;
  unsigned ux = x, uy = y;
  long long l = (long long)x << 32 | uy;
  unsigned long long ul = l, both = (unsigned long long)uy << 32 | ux;
  auto put = [&](long long value) { v[n++] = value; };
  auto low24 = [](int z) { return (int)((unsigned)z << 8) >> 8; };
  auto clip = [](int s) { return s > 32 ? 32 : s; };
  put(__builtin_popcount(ux)), put(__builtin_popcountll(ul)), put(x ? __builtin_clz(ux) : 32);
  put(l ? __builtin_clzll(ul) : 64), put(__builtin_ffs(x)), put(__builtin_ffsll(l));
  put(rev(ux)), put((long long)((unsigned long long)rev((uint32_t)ul) << 32 | rev((uint32_t)(ul >> 32))));
  unsigned perm = 0;
  const int selector[] = {7, 1, 5, 2};
  for (int k = 0; k < 4; k++)
    perm |= (unsigned)(both >> (8 * selector[k]) & 255) << (8 * k);
  put(perm), put((unsigned)(both << (uy & 31) >> 32)), put((unsigned)(both >> (uy & 31)));
  int c = clip((int)(ux >> 26));
  put(c == 32 ? ux : (unsigned)(both << c >> 32)), put(c == 32 ? uy : (unsigned)(both >> c));
  put((int)((unsigned)low24(x) * (unsigned)low24(y)));
  put((ux & 0xffffff) * (uy & 0xffffff)), put((int)((long long)x * y >> 32));
  put((unsigned)((unsigned long long)ux * uy >> 32)), put((long long)((__int128)l * (l ^ x) >> 64));
  put((long long)((unsigned __int128)ul * (unsigned long long)(l ^ x) >> 64));
  put((unsigned)(x > y ? ux - uy : uy - ux) + 5u), put((ux > uy ? ux - uy : uy - ux) + 5u);
  put((int)(((long long)x + y) >> 1)), put((int)(((long long)x + y + 1) >> 1));
  put((unsigned)(((unsigned long long)ux + uy) >> 1));
  put((unsigned)(((unsigned long long)ux + uy + 1) >> 1));
  int dot = 7;
  for (int k = 0; k < 32; k += 8)
    dot += (signed char)(x >> k) * (signed char)(y >> k);
  put(dot), put(x < y ? x : y), put(ux > uy ? ux : uy), put(x < 0 ? -x : x);
  put(l < x ? l : x), put(ux > uy ? ux : uy);
  put((int)rintf(p)), put((int)p), put((int)floorf(p)), put((int)ceilf(p)), put((int)rint(q));
  put((long long)floor(q)), put((int)(bits_d(q) >> 32)), put((int)bits_d(q));
  float z = (float)x;  // toward zero: step back if the nearest is farther out
  put(bits_f(z)), put(bits_f(fabs((double)z) > fabs((double)x) ? nextafterf(z, 0) : z));
  put(bits_f((float)ux)), put(bits_f((float)l)), put(bits_d((double)l)), put(bits_f((float)q));
  put(bits_f(p + 1.1f)), put(bits_f(p * p)), put(bits_f(p / 3.3f)), put(bits_f(sqrtf(fabsf(p))));
  put(bits_f(1.0f / p)), put(bits_f(fmaf(p, p, 1.0f)));
  put(bits_f((float)(1.0 / sqrt((double)fabsf(p)))));
  put(bits_d(q + 1.1)), put(bits_d(q * q)), put(bits_d(q / 3.3)), put(bits_d(sqrt(fabs(q))));
  put(bits_d(1.0 / q)), put(bits_d(fma(q, q, 1.0)));
  put(bits_f(p != p ? 0.0f : p < 0 ? 0.0f : p > 1 ? 1.0f : p)), put(bits_f(fminf(p, 2.0f)));
  put(bits_f(copysignf(2.0f, p))), put(bits_f(f_bits(x))), put(bits_d(d_bits(l)));
  put(bits_d(d_bits(l))), put(lrintf(p)), put(llround(q)), put(p != p), put(std::isfinite(q) ? 1 : 0);
  put(std::signbit(p) ? 1 : 0);
  int e;
  float whole;
  put(bits_f(frexpf(p, &e))), put(e), put(bits_d(ldexp(q, 3))), put(ilogb(q));
  put(bits_f(modff(p, &whole))), put(bits_f(whole)), put(1), put(1);
  return n;
}

static void scalar() {
  enum { N = 64 };
  static row rows[N];
  int a[N], b[N];
  float f[N];
  double d[N];
  uint64_t s = 1;
  for (int i = 0; i < N; i++) {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    a[i] = i == 0 ? 0 : i == 1 ? 1 : (int)(s >> 32) >> (i % 3 * 8);
    b[i] = i == 1 ? 0 : (int)(s >> 16) >> (i % 5 * 4);
    f[i] = (float)((int)(s >> 40) - (1 << 23)) / 1024.0f + 0.37f;
    d[i] = (double)(long long)(s >> 24) / 4096.0 - 1e8;
  }
  row *dr;
  int *da, *db;
  float *df;
  double *dd;
  OK(cudaMalloc(&dr, sizeof rows)), OK(cudaMalloc(&da, sizeof a)), OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&df, sizeof f)), OK(cudaMalloc(&dd, sizeof d));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dd, d, sizeof d, cudaMemcpyHostToDevice));
  scalar_kernel<<<1, N>>>(dr, da, db, df, dd);
  OK(cudaMemcpy(rows, dr, sizeof rows, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++) {
    long long want[SLOTS];
    int n = expect(want, a[i], b[i], f[i], d[i]);
    CHECK(n == rows[i].count);
    for (int k = 0; k < n; k++)
      if (want[k] != rows[i].v[k] && failures++ < 20)
        printf("thread %d (%d, %d, %g, %g) slot %d: %llx, not %llx\n", i, a[i], b[i], f[i], d[i], k,
               rows[i].v[k], want[k]);
  }
}

// ---- warps
__global__ void warp_kernel(int *out) {
  int lane = threadIdx.x & 31, n = 0, *r = out + 24 * threadIdx.x;
  const unsigned all = 0xffffffff;
  r[n++] = __shfl_sync(all, lane * 3, 5);
  r[n++] = __shfl_up_sync(all, lane, 3);
  r[n++] = __shfl_down_sync(all, lane, 3);
  r[n++] = __shfl_xor_sync(all, lane, 9);
  r[n++] = __shfl_down_sync(all, lane, 2, 8);
  r[n++] = (int)__shfl_sync(all, (double)lane + 0.5, lane ^ 1);
  r[n++] = (int)(__shfl_xor_sync(all, (long long)lane << 33, 2) >> 33);
  r[n++] = (int)__shfl_sync(all, (size_t)lane, 31);
  r[n++] = __all_sync(all, lane < 32), r[n++] = __any_sync(all, lane == 40);
  r[n++] = (int)__ballot_sync(all, lane % 3 == 0);
  r[n++] = lane < 7 ? (int)__activemask() : 0x7f;
  r[n++] = __syncthreads_count(threadIdx.x % 2), r[n++] = __syncthreads_and(1);
  r[n++] = __syncthreads_or(0);
  __syncwarp();
  int sum = lane;
  for (int o = 16; o; o >>= 1)
    sum += __shfl_down_sync(all, sum, o);
  r[n++] = __shfl_sync(all, sum, 0);
  int few = 1;  // lanes that do not take part count as 0
  if (lane < 8)
    for (int o = 16; o; o >>= 1)
      few += __shfl_down_sync(0xff, few, o);
  r[n++] = __shfl_sync(all, few, 0);
}

static void warps() {
  enum { T = 64 };
  static int out[T * 24];
  int *d;
  OK(cudaMalloc(&d, sizeof out));
  warp_kernel<<<1, T>>>(d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < T; t++) {
    int lane = t & 31, third = 0;
    for (int k = 0; k < 32; k += 3)
      third |= 1 << k;
    const int want[] = {15, lane < 3 ? lane : lane - 3, lane > 28 ? lane : lane + 3, lane ^ 9,
                        lane % 8 > 5 ? lane : lane + 2, lane ^ 1, lane ^ 2, 31, 1, 0, third, 0x7f,
                        T / 2, 1, 0, 496, 8};
    for (int k = 0; k < 17; k++)
      if (out[24 * t + k] != want[k] && failures++ < 20)
        printf("thread %d warp slot %d: %d, not %d\n", t, k, out[24 * t + k], want[k]);
  }
}

// ---- atomics, on global and on shared memory
struct cells {
  int add, sub, lo, hi, exchanged;
  unsigned inc, dec, any, all, odd, cas;
  unsigned long long wide, wide_max, wide_cas;
  float sum;
  double wide_sum;
};

__device__ void change(cells *c, int i) {
  atomicAdd(&c->add, i), atomicSub(&c->sub, 2), atomicMin(&c->lo, 100 - i), atomicMax(&c->hi, i);
  atomicInc(&c->inc, 99), atomicDec(&c->dec, 1000), atomicOr(&c->any, 1u << (i & 31));
  atomicAnd(&c->all, ~(1u << (i & 7))), atomicXor(&c->odd, (unsigned)i);
  atomicAdd(&c->wide, 1ull << 33), atomicMax(&c->wide_max, (unsigned long long)i << 34);
  atomicAdd(&c->sum, 0.5f), atomicAdd(&c->wide_sum, 0.25), atomicAdd_block(&c->add, 1);
  atomicExch(&c->exchanged, 4711);
  for (unsigned old = c->cas, seen; (seen = atomicCAS(&c->cas, old, old + 3)) != old; old = seen)
    ;
  for (unsigned long long old = c->wide_cas, seen;
       (seen = atomicCAS(&c->wide_cas, old, old + (5ull << 32))) != old; old = seen)
    ;
}
__global__ void atomic_kernel(cells *global, cells *copy) {
  __shared__ cells c;
  if (threadIdx.x == 0)
    c = *copy;
  __syncthreads();
  change(global, (int)threadIdx.x);
  change(&c, (int)threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0)
    *copy = c;
}

static void atomics() {
  enum { T = 96 };
  const cells begin = {0, 0, 1000, -5, 0, 0, 0, 0, 0xffff, 0, 0, 0, 0, 0, 0, 0};
  cells *d, out[2] = {begin, begin};
  unsigned odd = 0, dec = 0;
  for (unsigned i = 0; i < T; i++)
    odd ^= i, dec = dec == 0 || dec > 1000 ? 1000 : dec - 1;
  OK(cudaMalloc(&d, sizeof out));
  OK(cudaMemcpy(d, out, sizeof out, cudaMemcpyHostToDevice));
  atomic_kernel<<<1, T>>>(d, d + 1);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (const cells &c : out) {
    CHECK(c.add == T * (T - 1) / 2 + T), CHECK(c.sub == -2 * T), CHECK(c.lo == 100 - (T - 1));
    CHECK(c.hi == T - 1), CHECK(c.exchanged == 4711), CHECK(c.inc == T % 100), CHECK(c.dec == dec);
    CHECK(c.any == 0xffffffff), CHECK(c.all == 0xff00), CHECK(c.odd == odd);
    CHECK(c.cas == 3 * T), CHECK(c.wide == (unsigned long long)T << 33);
    CHECK(c.wide_max == (unsigned long long)(T - 1) << 34);
    CHECK(c.wide_cas == (unsigned long long)T * 5 << 32), CHECK(c.sum == T * 0.5f);
    CHECK(c.wide_sum == T * 0.25);
  }
}

int main() {
  scalar();
  warps();
  atomics();
  OK(cudaDeviceSynchronize());
  END;
}
