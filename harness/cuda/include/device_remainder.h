// SPDX-License-Identifier: Apache-2.0
// fmod, remainder and remquo, exact for all numbers: the remainder of two integers, of as many bits
// at once as 64 have room for. libclc's lose subnormal floats.
#ifndef NEARBANK_DEVICE_REMAINDER_H
#define NEARBANK_DEVICE_REMAINDER_H

template <class F>
struct mpu_remainder_format;
template <>
struct mpu_remainder_format<float> {
  typedef unsigned bits;
  static const int digits = 23;
};
template <>
struct mpu_remainder_format<double> {
  typedef unsigned long long bits;
  static const int digits = 52;
};

// |a| modulo |b|, and the last bits of the whole quotient. A NaN where there is none.
template <class F>
MPU_D F mpu_modulo(F a, F b, unsigned *quotient) {
  typedef typename mpu_remainder_format<F>::bits U;
  const int digits = mpu_remainder_format<F>::digits, room = 63 - digits;
  const U one = (U)1 << digits, sign = (U)1 << (8 * sizeof(F) - 1), infinite = sign - one;
  const U x = __builtin_bit_cast(U, a) & ~sign, y = __builtin_bit_cast(U, b) & ~sign;
  *quotient = 0;
  if (x >= infinite || y > infinite || y == 0)
    return (a * b) / (a * b);
  if (x < y)
    return __builtin_bit_cast(F, x);
  const int x_power = x < one ? 1 : (int)(x >> digits), y_power = y < one ? 1 : (int)(y >> digits);
  const unsigned long long divisor = y < one ? y : (y & (one - 1)) | one;
  unsigned long long rest = x < one ? x : (x & (one - 1)) | one, whole = rest / divisor;
  rest %= divisor;
  for (int left = x_power - y_power; left > 0; left -= room) {
    const int now = left < room ? left : room;
    rest <<= now;
    whole = (now < 32 ? whole << now : 0) + rest / divisor;
    rest %= divisor;
  }
  *quotient = (unsigned)whole;
  int power = y_power;
  while (power > 1 && rest && rest < one) {
    rest <<= 1;
    power--;
  }
  if (rest == 0)
    return 0;
  return __builtin_bit_cast(F, (U)(rest + ((U)(power - 1) << digits)));
}

template <class F>
MPU_D F mpu_fmod(F a, F b) {
  unsigned quotient;
  return __builtin_copysign(mpu_modulo(a, b, &quotient), a);
}

// To the nearest quotient, the even one of two.
template <class F>
MPU_D F mpu_remainder(F a, F b, unsigned *quotient) {
  F r = mpu_modulo(a, b, quotient), y = b < 0 ? -b : b;
  if (r > y - r || (r == y - r && (*quotient & 1))) {
    r -= y;
    ++*quotient;
  }
  if (r == 0)
    return __builtin_copysign(r, a);
  return __builtin_signbit(a) ? -r : r;
}

// Of the quotient the last seven bits and the sign.
template <class F>
MPU_D F mpu_remquo(F a, F b, int *q) {
  unsigned quotient;
  const F r = mpu_remainder(a, b, &quotient);
  *q = (int)(quotient & 127);
  if (!__builtin_signbit(a) != !__builtin_signbit(b))
    *q = -*q;
  return r;
}

#define MPU_REMAINDER(type, f)                   \
  MPU_D type fmod##f(type a, type b) {           \
    return mpu_fmod(a, b);                       \
  }                                              \
  MPU_D type remainder##f(type a, type b) {      \
    unsigned quotient;                           \
    return mpu_remainder(a, b, &quotient);       \
  }                                              \
  MPU_D type remquo##f(type a, type b, int *q) { \
    return mpu_remquo(a, b, q);                  \
  }
MPU_REMAINDER(float, f)
MPU_REMAINDER(float, )
MPU_REMAINDER(double, )
#undef MPU_REMAINDER
#endif
