// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers of 16 bits, E of them the exponent and M the mantissa: conversions, by
// integer arithmetic, the same on host and device.
#ifndef NEARBANK_SMALL_FLOAT_H
#define NEARBANK_SMALL_FLOAT_H

#include "cuda_runtime.h"

#define MPU_HD static __inline__ __attribute__((always_inline, unused)) __host__ __device__

enum mpu_rounding { MPU_RN, MPU_RZ, MPU_RD, MPU_RU };

// Whether q, of which `rest` of 2 * half was cut off, has to be one more.
template <class W>
MPU_HD bool mpu_round_up(W q, W rest, W half, bool negative, mpu_rounding mode) {
  switch (mode) {
    case MPU_RN:
      return rest > half || (rest == half && (q & 1));
    case MPU_RD:
      return negative && rest;
    case MPU_RU:
      return !negative && rest;
    default:
      return false;
  }
}

// From the bits of a number with FE bits of exponent and FM of mantissa, in an unsigned W.
template <int E, int M, class W, int FE, int FM>
MPU_HD unsigned short mpu_small_of_bits(W bits, mpu_rounding mode) {
  const int bias = (1 << (E - 1)) - 1, from_bias = (1 << (FE - 1)) - 1;
  const unsigned infinite = ((1u << E) - 1) << M;
  const bool negative = bits >> (FE + FM) & 1;
  const unsigned sign = negative ? 0x8000u : 0;
  const int field = (int)(bits >> FM & (((W)1 << FE) - 1));
  W m = bits & (((W)1 << FM) - 1);
  if (field == (1 << FE) - 1)
    return m ? 0x7fff : (unsigned short)(sign | infinite);
  const int e = (field ? field : 1) - from_bias + bias;  // as an exponent of the result
  m |= field ? (W)1 << FM : 0;
  int shift = FM - M + (e < 1 ? 1 - e : 0);
  shift = shift > FM + 2 ? FM + 2 : shift;
  const W q = m >> shift, rest = m & (((W)1 << shift) - 1), half = (W)1 << (shift - 1);
  unsigned value = (unsigned)q + (mpu_round_up(q, rest, half, negative, mode) ? 1 : 0);
  if (e >= 1)
    value += (unsigned)(e - 1 < (1 << E) ? e - 1 : 1 << E) << M;
  if (value < infinite)
    return (unsigned short)(sign | value);
  const bool away = mode == MPU_RN || mode == (negative ? MPU_RD : MPU_RU);
  return (unsigned short)(sign | (away ? infinite : infinite - 1));
}

template <int E, int M>
MPU_HD unsigned short mpu_small_of(float v, mpu_rounding mode = MPU_RN) {
  return mpu_small_of_bits<E, M, unsigned, 8, 23>(__builtin_bit_cast(unsigned, v), mode);
}
template <int E, int M>
MPU_HD unsigned short mpu_small_of(double v, mpu_rounding mode = MPU_RN) {
  return mpu_small_of_bits<E, M, unsigned long long, 11, 52>(
      __builtin_bit_cast(unsigned long long, v), mode);
}
// Of an integer, by way of a number whose last bit is 1 when others are behind it.
template <int E, int M>
MPU_HD unsigned short mpu_small_of_int(unsigned long long v, bool negative, mpu_rounding mode) {
  double unit = negative ? -1 : 1;
  for (; v >> 53; unit *= 2)
    v = v >> 1 | (v & 1);
  return mpu_small_of<E, M>((double)(long long)v * unit, mode);
}

template <int E, int M>
MPU_HD float mpu_small_float(unsigned short x) {
  const unsigned sign = (unsigned)(x & 0x8000) << 16, value = x & 0x7fff;
  if (E == 8)
    return __builtin_bit_cast(float, (unsigned)x << 16);
  if (value >= ((1u << E) - 1) << M)
    return __builtin_bit_cast(float, sign | 0x7f800000u | (value << (23 - M) & 0x7fffff));
  // the exponent is too small by the difference of the biases
  const float up = __builtin_bit_cast(float, (unsigned)(254 - ((1 << (E - 1)) - 1)) << 23);
  return __builtin_bit_cast(float, sign | value << (23 - M)) * up;
}

// Nearest of the integers of a type; of what is no number 0.
template <class T>
MPU_HD T mpu_integer(float v, mpu_rounding mode) {
  const bool has_sign = (T)-1 < 0;
  const int bits = 8 * (int)sizeof(T) - has_sign;
  const T most = (T)(~0ull >> (64 - bits));
  const float beyond = (float)(1ull << (bits - 1)) * 2;
  const float r = mode == MPU_RN   ? rintf(v)
                  : mode == MPU_RZ ? truncf(v)
                  : mode == MPU_RD ? floorf(v)
                                   : ceilf(v);
  if (!(r == r))
    return 0;
  if (r >= beyond)
    return most;
  return r <= (has_sign ? -beyond : 0) ? (T)(has_sign ? ~most : 0) : (T)r;
}

// a + b, exact but for its last bit, which is 1 when others are behind it: a number of 16 bits that
// is rounded from it is rounded once.
MPU_HD double mpu_sum_odd(double a, double b) {
  const double s = a + b;
  if (!(s - s == 0))  // infinite, or none
    return s;
  const double part = s - a, rest = (a - (s - part)) + (b - part);
  unsigned long long bits = __builtin_bit_cast(unsigned long long, s);
  if (rest == 0 || (bits & 1))
    return s;
  bits += (rest > 0) == (s > 0) ? 1 : -1ull;
  return __builtin_bit_cast(double, bits);
}
#endif
