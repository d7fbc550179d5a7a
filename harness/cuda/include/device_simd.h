// SPDX-License-Identifier: Apache-2.0
// CUDA's SIMD functions: two numbers of 16 bits or four of 8 in a word.
#ifndef NEARBANK_DEVICE_SIMD_H
#define NEARBANK_DEVICE_SIMD_H

// Number n of a word, with or without a sign, and the word with it replaced.
MPU_D int mpu_part(unsigned v, int bits, int n, bool is_signed) {
  return is_signed ? (int)(v << (32 - bits * (n + 1))) >> (32 - bits)
                   : (int)(v << (32 - bits * (n + 1)) >> (32 - bits));
}
MPU_D unsigned mpu_field(int v, int bits, int n) {
  return ((unsigned)v & ((1u << bits) - 1)) << bits * n;
}
MPU_D int mpu_clamped(int v, int bits, bool is_signed) {
  const int most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const int least = is_signed ? -most - 1 : 0;
  return v > most ? most : v < least ? least : v;
}

// name2 and name4: the expression of a and b, each with its sign.
#define MPU_SIMD_N(name, bits, is_signed, expression)                                     \
  MPU_D unsigned name(unsigned x, unsigned y) {                                           \
    unsigned r = 0;                                                                       \
    for (int n = 0; n < 32 / bits; n++) {                                                 \
      const int a = mpu_part(x, bits, n, is_signed), b = mpu_part(y, bits, n, is_signed); \
      r |= mpu_field(expression, bits, n);                                                \
    }                                                                                     \
    return r;                                                                             \
  }
#define MPU_SIMD(name, is_signed, expression)      \
  MPU_SIMD_N(name##2, 16, is_signed, (expression)) \
  MPU_SIMD_N(name##4, 8, is_signed, (expression))
#define MPU_SIMD_CLAMPED(name, is_signed, expression)                        \
  MPU_SIMD_N(name##2, 16, is_signed, mpu_clamped(expression, 16, is_signed)) \
  MPU_SIMD_N(name##4, 8, is_signed, mpu_clamped(expression, 8, is_signed))
MPU_SIMD(__vadd, false, a + b)
MPU_SIMD(__vsub, false, a - b)
MPU_SIMD_CLAMPED(__vaddss, true, a + b)
MPU_SIMD_CLAMPED(__vaddus, false, a + b)
MPU_SIMD_CLAMPED(__vsubss, true, a - b)
MPU_SIMD_CLAMPED(__vsubus, false, a - b)
MPU_SIMD(__vavgs, true, (a + b + (a + b >= 0)) >> 1)
MPU_SIMD(__vavgu, false, (a + b + 1) >> 1)
MPU_SIMD(__vhaddu, false, (a + b) >> 1)
MPU_SIMD(__vmaxs, true, a > b ? a : b)
MPU_SIMD(__vmaxu, false, a > b ? a : b)
MPU_SIMD(__vmins, true, a < b ? a : b)
MPU_SIMD(__vminu, false, a < b ? a : b)
MPU_SIMD(__vabsdiffs, true, a > b ? a - b : b - a)
MPU_SIMD(__vabsdiffu, false, a > b ? a - b : b - a)
#define MPU_SIMD_COMPARE(name, is_signed, op)        \
  MPU_SIMD(__vcmp##name, is_signed, a op b ? -1 : 0) \
  MPU_SIMD(__vset##name, is_signed, a op b ? 1 : 0)
MPU_SIMD_COMPARE(eq, false, ==)
MPU_SIMD_COMPARE(ne, false, !=)
MPU_SIMD_COMPARE(ges, true, >=)
MPU_SIMD_COMPARE(geu, false, >=)
MPU_SIMD_COMPARE(gts, true, >)
MPU_SIMD_COMPARE(gtu, false, >)
MPU_SIMD_COMPARE(les, true, <=)
MPU_SIMD_COMPARE(leu, false, <=)
MPU_SIMD_COMPARE(lts, true, <)
MPU_SIMD_COMPARE(ltu, false, <)
#undef MPU_SIMD_COMPARE

// Of one word, and sums of absolute differences.
#define MPU_SIMD_ONE(name, expression) \
  MPU_D unsigned name(unsigned a) {    \
    return expression;                 \
  }
MPU_SIMD_ONE(__vneg2, __vsub2(0, a))
MPU_SIMD_ONE(__vneg4, __vsub4(0, a))
MPU_SIMD_ONE(__vnegss2, __vsubss2(0, a))
MPU_SIMD_ONE(__vnegss4, __vsubss4(0, a))
MPU_SIMD_ONE(__vabs2, __vmaxs2(a, __vneg2(a)) | (a & __vneg2(a) & 0x80008000))
MPU_SIMD_ONE(__vabs4, __vmaxs4(a, __vneg4(a)) | (a & __vneg4(a) & 0x80808080))
MPU_SIMD_ONE(__vabsss2, __vmaxs2(a, __vnegss2(a)))
MPU_SIMD_ONE(__vabsss4, __vmaxs4(a, __vnegss4(a)))
#undef MPU_SIMD_ONE
#define MPU_SIMD_SUM(name, bits, is_signed)                                               \
  MPU_D unsigned name(unsigned x, unsigned y) {                                           \
    unsigned sum = 0;                                                                     \
    for (int n = 0; n < 32 / bits; n++) {                                                 \
      const int a = mpu_part(x, bits, n, is_signed), b = mpu_part(y, bits, n, is_signed); \
      sum += (unsigned)(a > b ? a - b : b - a);                                           \
    }                                                                                     \
    return sum;                                                                           \
  }
MPU_SIMD_SUM(__vsads2, 16, true)
MPU_SIMD_SUM(__vsads4, 8, true)
MPU_SIMD_SUM(__vsadu2, 16, false)
MPU_SIMD_SUM(__vsadu4, 8, false)
#undef MPU_SIMD_SUM
#undef MPU_SIMD_CLAMPED
#undef MPU_SIMD
#undef MPU_SIMD_N
#endif
