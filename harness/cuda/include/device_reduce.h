// SPDX-License-Identifier: Apache-2.0
// sin, cos and tan of doubles. Up to 2^30 libclc's are used as they are; its table for larger
// arguments is not aligned for the loads it makes, so the reduction of those is done here, by the
// method of Payne and Hanek.
#ifndef NEARBANK_DEVICE_REDUCE_H
#define NEARBANK_DEVICE_REDUCE_H

extern "C" __device__ double _Z3sind(double);
extern "C" __device__ double _Z3cosd(double);
extern "C" __device__ double _Z3tand(double);

// 64 zero bits, then 1280 bits of 2 / pi.
static __device__ const unsigned long long mpu_two_over_pi[] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
    0xf0cfbc209af4361dull};

// |v| = n * pi / 2 + hi + lo for finite |v| >= 2^30; returns n modulo 4, hi is in +-pi / 4.
static __inline__ __attribute__((unused)) __device__ int mpu_reduce(double v, double *hi,
                                                                    double *lo) {
  typedef unsigned long long word;
  word bits = __builtin_bit_cast(word, v);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075;  // |v| = m * 2^exponent
  word m = (bits & 0xfffffffffffffull) | 1ull << 52;
  // the 192 bits of 2 / pi * 2^exponent below 4; what is above only adds whole circles
  unsigned at = (unsigned)(exponent + 62), word_at = at / 64, shift = at % 64;
  word w[3];
  for (unsigned n = 0; n < 3; n++) {
    w[n] = mpu_two_over_pi[word_at + n] << shift;
    if (shift)
      w[n] |= mpu_two_over_pi[word_at + n + 1] >> (64 - shift);
  }
  // f = m * w, modulo 4: two integer bits, 190 of a fraction
  word f2 = m * w[2], up = __umul64hi(m, w[2]), f1 = m * w[1] + up;
  word f0 = m * w[0] + __umul64hi(m, w[1]) + (f1 < up);
  int quadrant = (int)(f0 >> 62);
  bool negative = f0 >> 61 & 1;  // the fraction is at least a half: go to the next quadrant
  quadrant += negative;
  f0 <<= 2, f0 |= f1 >> 62, f1 = f1 << 2 | f2 >> 62, f2 <<= 2;
  if (negative) {
    f2 = ~f2 + 1;
    f1 = ~f1 + (f2 == 0);
    f0 = ~f0 + (f2 == 0 && f1 == 0);
  }
  int zeros = 0;
  for (; !f0; zeros += 64)
    f0 = f1, f1 = f2, f2 = 0;
  int left = __builtin_clzll(f0);
  if (left)
    f0 = f0 << left | f1 >> (64 - left), f1 = f1 << left | f2 >> (64 - left);
  zeros += left;
  double unit = __builtin_bit_cast(double, (word)(1023 - 53 - zeros) << 52);
  double a = (double)(f0 >> 11) * unit, b = (double)((f0 << 53 | f1 >> 11) >> 1) * unit * 0x1p-63;
  const double half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;
  double product = a * half_pi;
  double low = __builtin_fma(a, half_pi, -product) + (a * half_pi_low + b * half_pi);
  double sum = product + low, rest = low - (sum - product);
  *hi = negative ? -sum : sum;
  *lo = negative ? -rest : rest;
  return quadrant & 3;
}

MPU_D bool mpu_large(double v) {
  return __builtin_fabs(v) >= 0x1p30;
}

static __inline__ __attribute__((unused)) __device__ double mpu_sin_large(double v, int turn) {
  double hi, lo;
  if (!__builtin_isfinite(v))
    return __builtin_nan("");
  int q = mpu_reduce(v, &hi, &lo);
  bool flip = v < 0 && !(turn & 1);  // sin is odd, cos even
  q += turn;
  double s = _Z3sind(hi), c = _Z3cosd(hi);
  double r = q & 1 ? c - lo * s : s + lo * c;
  return (q >> 1 & 1) != flip ? -r : r;
}

MPU_D double sin(double v) {
  return mpu_large(v) ? mpu_sin_large(v, 0) : _Z3sind(v);
}
MPU_D double cos(double v) {
  return mpu_large(v) ? mpu_sin_large(v, 1) : _Z3cosd(v);
}
MPU_D double tan(double v) {
  return !mpu_large(v) && v == v ? _Z3tand(v) : mpu_sin_large(v, 0) / mpu_sin_large(v, 1);
}
#endif
