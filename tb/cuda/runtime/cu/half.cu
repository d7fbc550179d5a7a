// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits, on the device and on the host, against a reference that searches for
// the nearest: every number to float and back, all rounding modes, arithmetic,
// fused multiplication and addition, comparisons, integers, pairs, warps, atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "check.h"

// ---- the reference: the nearest of all 2^16 numbers

struct format {
  int exponent, mantissa;
};
static const format half_format = {5, 10}, bf_format = {8, 7};

// Of what is finite.
static double value_of(format f, unsigned x) {
  const int bias = (1 << (f.exponent - 1)) - 1, e = x >> f.mantissa & ((1 << f.exponent) - 1);
  const unsigned m = x & ((1 << f.mantissa) - 1);
  const double v = e ? ldexp(m + (1 << f.mantissa), e - bias - f.mantissa)
                     : ldexp(m, 1 - bias - f.mantissa);
  return x & 0x8000 ? -v : v;
}

static bool is_nan(format f, unsigned x) {
  return (x & 0x7fff) > ((1u << f.exponent) - 1) << f.mantissa;
}

// Of the exact value v + rest, where rest is less than what v can tell: by searching for the two
// numbers around it. Modes as in small_float.h: nearest, to 0, down, up.
static unsigned reference(format f, double v, double rest, int mode) {
  const unsigned infinite = ((1u << f.exponent) - 1) << f.mantissa;
  if (v != v)
    return 0x7fff;
  const bool negative = signbit(v);
  const unsigned sign = negative ? 0x8000 : 0;
  if (isinf(v))
    return sign | infinite;
  double a = fabs(v), r = negative ? -rest : rest;
  unsigned low = 0, high = infinite;  // low is not above it, high is; infinity stands one step behind
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    const double x = value_of(f, middle);
    if (x < a || (x == a && r >= 0))
      low = middle;
    else
      high = middle;
  }
  const double x = value_of(f, low);
  const double next = high < infinite ? value_of(f, high) : ldexp(1, 1 << (f.exponent - 1));
  if (x == a && r == 0)
    return sign | low;
  const double half = (x + next) / 2;
  bool up;
  if (mode == 0)
    up = a > half || (a == half && (r > 0 || (r == 0 && (low & 1))));
  else
    up = mode == (negative ? 2 : 3);
  return sign | (up ? high : low);
}

// The exact sum as a double and what is left.
static double sum_of(double a, double b, double *rest) {
  const double s = a + b, part = s - a;
  *rest = isfinite(s) ? (a - (s - part)) + (b - part) : 0;
  return s;
}

// ---- what is compared

template <class T>
struct results {
  unsigned short of_float[4], add, sub, mul, div, fma, max, min, sat, of_int[4], of_ll, negated;
  float to;
  int to_int[4];
  unsigned to_uint;
  long long to_ll;
  unsigned bits;
};

#define OF(T, name)                                                                              \
  template <>                                                                                    \
  struct names<T> {                                                                              \
    static __host__ __device__ void conversions(results<T> *r, float f, int i, T a) {            \
      r->of_float[0] = __float2##name##_rn(f).x, r->of_float[1] = __float2##name##_rz(f).x;      \
      r->of_float[2] = __float2##name##_rd(f).x, r->of_float[3] = __float2##name##_ru(f).x;      \
      r->of_int[0] = __int2##name##_rn(i).x, r->of_int[1] = __int2##name##_rz(i).x;              \
      r->of_int[2] = __int2##name##_rd(i).x, r->of_int[3] = __int2##name##_ru(i).x;              \
      r->of_ll = __ll2##name##_rn((long long)i * i * (i >> 8)).x;                                \
      r->to_int[0] = __##name##2int_rn(a), r->to_int[1] = __##name##2int_rz(a);                  \
      r->to_int[2] = __##name##2int_rd(a), r->to_int[3] = __##name##2int_ru(a);                  \
      r->to_uint = __##name##2uint_rn(a), r->to_ll = __##name##2ll_rz(a);                        \
      r->to = __##name##2float(a);                                                               \
    }                                                                                            \
    static __host__ __device__ T of_bits(unsigned short x) { return __ushort_as_##name(x); }     \
  }
template <class T>
struct names;
OF(__half, half);
OF(__nv_bfloat16, bfloat16);

template <class T>
static __host__ __device__ void compute(results<T> *r, unsigned short x, unsigned short y,
                                        unsigned short z, float f, int i) {
  const T a = names<T>::of_bits(x), b = names<T>::of_bits(y), c = names<T>::of_bits(z);
  names<T>::conversions(r, f, i, a);
  r->add = (a + b).x, r->sub = (a - b).x, r->mul = (a * b).x, r->div = (a / b).x;
  r->fma = __hfma(a, b, c).x, r->max = __hmax(a, b).x, r->min = __hmin(a, b).x;
  r->sat = __hfma_sat(a, b, c).x, r->negated = (-a).x;
  r->bits = (unsigned)__heq(a, b) | __hne(a, b) << 1 | __hlt(a, b) << 2 | __hle(a, b) << 3 |
            __hgt(a, b) << 4 | __hge(a, b) << 5 | __hequ(a, b) << 6 | __hneu(a, b) << 7 |
            __hltu(a, b) << 8 | __hgeu(a, b) << 9 | (a == b) << 10 | (a != b) << 11 |
            (unsigned)__hisnan(a) << 12 | (__hisinf(a) & 3) << 13;
}

template <class T>
__global__ void kernel(results<T> *r, const unsigned short *x, const float *f, const int *i) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  compute<T>(r + n, x[3 * n], x[3 * n + 1], x[3 * n + 2], f[n], i[n]);
}

static uint64_t state = 1;
static uint32_t random_bits() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(state >> 32);
}

static double clamped(double v, double low, double high) {
  return v != v ? 0 : v < low ? low : v > high ? high : v;
}

static int sign_of(unsigned x) {
  return x & 0x8000 ? -1 : 1;
}

// `who` is told with what differs.
template <class T>
static void compare(const char *who, format f, const results<T> *r, const unsigned short *x,
                    float v, int i) {
  double rest;
  const unsigned infinite = ((1u << f.exponent) - 1) << f.mantissa;
#define VALUE(k) \
  (is_nan(f, x[k]) ? NAN                                  \
   : (x[k] & 0x7fff) == infinite ? sign_of(x[k]) * INFINITY : value_of(f, x[k]))
  const double a = VALUE(0), b = VALUE(1), c = VALUE(2);
  unsigned want[16], got[16], n = 0;
#define WANT(value, field) want[n] = (value) & 0xffff, got[n++] = (unsigned)(field)
  for (int m = 0; m < 4; m++) {
    WANT(reference(f, v, 0, m), r->of_float[m]);
    WANT(reference(f, i, 0, m), r->of_int[m]);
  }
  WANT(reference(f, sum_of(a, b, &rest), rest, 0), r->add);
  WANT(reference(f, sum_of(a, -b, &rest), rest, 0), r->sub);
  WANT(reference(f, a * b, 0, 0), r->mul);
  double s = sum_of(a * b, c, &rest);
  WANT(reference(f, s, rest, 0), r->fma);
  const long long l = (long long)i * i * (i >> 8);
  s = (double)l;
  WANT(reference(f, s, fabs(s) < 9e18 ? (double)(l - (long long)s) : 0, 0), r->of_ll);
  WANT(x[0] ^ 0x8000, r->negated);
  for (unsigned k = 0; k < n; k++) {
    const bool ok = want[k] == got[k] || (is_nan(f, want[k]) && is_nan(f, got[k]));
    if (!ok)
      printf("%s, %d bits of exponent: figure %u of %04x %04x %04x, %a, %d is %04x, not %04x\n", who,
             f.exponent, k, x[0], x[1], x[2], v, i, got[k], want[k]);
    CHECK(ok);
  }
  // a quotient is no sum of doubles; the nearest is where neither neighbour is nearer
  const unsigned q = reference(f, a / b, 0, 0);
  CHECK(q == r->div || (is_nan(f, q) && is_nan(f, r->div)));
  CHECK((float)a == r->to || (a != a && r->to != r->to));
  const double modes[] = {nearbyint(a), trunc(a), floor(a), ceil(a)};
  for (int m = 0; m < 4; m++)
    CHECK(r->to_int[m] == (int)clamped(modes[m], INT32_MIN, INT32_MAX));
  CHECK(r->to_uint == (unsigned)clamped(modes[0], 0, UINT32_MAX));
  if (fabs(a) < 9e18)
    CHECK(r->to_ll == (long long)trunc(a));
  const bool none = a != a || b != b;
  CHECK(r->bits == ((unsigned)(a == b) | (unsigned)(!none && a != b) << 1 | (a < b) << 2 |
                    (a <= b) << 3 | (a > b) << 4 | (a >= b) << 5 | (none || a == b) << 6 |
                    (none || a != b) << 7 | (none || a < b) << 8 | (none || a >= b) << 9 |
                    (a == b) << 10 | (a != b) << 11 | (unsigned)(a != a) << 12 |
                    (isinf(a) ? (sign_of(x[0]) & 3u) : 0) << 13));
  if (!none) {
    CHECK(value_of(f, r->max) == fmax(a, b) || isinf(fmax(a, b)));
    CHECK(value_of(f, r->min) == fmin(a, b) || isinf(fmin(a, b)));
  } else {
    CHECK(a != a && b != b ? is_nan(f, r->max) : !is_nan(f, r->max));
  }
  const double saturated = value_of(f, r->sat);
  CHECK(saturated >= 0 && saturated <= 1);
}

// Interesting ones often: near a power of two, near the ends, alike.
static unsigned short number(format f, unsigned short before) {
  const unsigned infinite = ((1u << f.exponent) - 1) << f.mantissa, r = random_bits();
  switch (r >> 29) {
    case 0:
      return (unsigned short)((r & 0x8000) | (infinite - 2 + r % 5));
    case 1:
      return (unsigned short)((r & 0x8000) | r % 5);
    case 2:
      return (unsigned short)((r & 0x8000) | ((r >> 8 & 0x7fff) >> f.mantissa << f.mantissa));
    case 3:
      return (unsigned short)(before ^ (r & 0x8003));
    default:
      return (unsigned short)r;
  }
}

// Every number once as the first; floats beside what a number is halfway to.
template <class T>
static void all(format f) {
  enum { N = 1 << 16, BLOCK = 128 };
  unsigned short *x = (unsigned short *)malloc(3 * N * sizeof *x), *dx;
  float *v = (float *)malloc(N * sizeof *v), *dv;
  int *i = (int *)malloc(N * sizeof *i), *di;
  results<T> *r = (results<T> *)malloc(N * sizeof *r), *dr;
  for (int n = 0; n < N; n++) {
    x[3 * n] = (unsigned short)n;
    x[3 * n + 1] = number(f, x[3 * n]);
    x[3 * n + 2] = number(f, x[3 * n + 1]);
    uint32_t bits = random_bits();
    if (n % 4)  // of a number, halfway, and one bit beside that
      bits = __builtin_bit_cast(uint32_t, is_nan(f, n) ? 1.0f : (float)value_of(f, n)) |
             (n % 4 == 1 ? 0 : 1u << (22 - f.mantissa));
    v[n] = __builtin_bit_cast(float, bits + (n % 4 == 3 ? random_bits() % 3 - 1 : 0));
    i[n] = (int)random_bits() >> random_bits() % 32;
  }
  OK(cudaMalloc(&dx, 3 * N * sizeof *x));
  OK(cudaMalloc(&dv, N * sizeof *v));
  OK(cudaMalloc(&di, N * sizeof *i));
  OK(cudaMalloc(&dr, N * sizeof *r));
  OK(cudaMemcpy(dx, x, 3 * N * sizeof *x, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dv, v, N * sizeof *v, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(di, i, N * sizeof *i, cudaMemcpyHostToDevice));
  kernel<T><<<N / BLOCK, BLOCK>>>(dr, dx, dv, di);
  OK(cudaMemcpy(r, dr, N * sizeof *r, cudaMemcpyDeviceToHost));
  for (int n = 0; n < N; n++) {
    results<T> here;
    compute<T>(&here, x[3 * n], x[3 * n + 1], x[3 * n + 2], v[n], i[n]);
    compare("device", f, r + n, x + 3 * n, v[n], i[n]);
    compare("host", f, &here, x + 3 * n, v[n], i[n]);
  }
}

// ---- pairs, warps, atomics

__global__ void pairs(half2 *out, half *sums, __nv_bfloat16 *more) {
  const int lane = threadIdx.x;
  const half2 v = __floats2half2_rn((float)lane, -0.5f * lane);
  out[lane] = __hfma2(v, __half2half2(__int2half_rn(2)), __shfl_xor_sync(~0u, v, 1));
  out[32 + lane] = __hlt2(v, __float2half2_rn(3.0f));
  const half h = __shfl_sync(~0u, __low2half(v), 7);
  atomicAdd(&sums[lane % 3], h);
  atomicAdd(&more[lane & 1], __float2bfloat16(1.0f));
  if (lane == 0)
    out[64] = __lowhigh2highlow(__halves2half2(hsqrt(__float2half(9.0f)), hexp2(__int2half_rn(-3))));
}

static void check_pairs() {
  half2 *dout, out[65];
  half *dsums, sums[4];
  __nv_bfloat16 *dmore, more[2];
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&dsums, sizeof sums));
  OK(cudaMalloc(&dmore, sizeof more));
  OK(cudaMemset(dsums, 0, sizeof sums));
  OK(cudaMemset(dmore, 0, sizeof more));
  pairs<<<1, 32>>>(dout, dsums, dmore);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(sums, dsums, sizeof sums, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(more, dmore, sizeof more, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 32; n++) {
    CHECK(__low2float(out[n]) == 2 * n + (n ^ 1) && __high2float(out[n]) == -n - 0.5f * (n ^ 1));
    CHECK(__low2float(out[32 + n]) == (n < 3) && __high2float(out[32 + n]) == 1);
  }
  CHECK((float)sums[0] == 7 * 11 && (float)sums[1] == 7 * 11 && (float)sums[2] == 7 * 10);
  CHECK((float)sums[3] == 0 && (float)more[0] == 16 && (float)more[1] == 16);
  CHECK(__low2float(out[64]) == 0.125f && __high2float(out[64]) == 3);
}

int main() {
  CHECK(sizeof(half) == 2 && sizeof(half2) == 4 && alignof(half2) == 4);
  all<__half>(half_format);
  all<__nv_bfloat16>(bf_format);
  check_pairs();
  END;
}
