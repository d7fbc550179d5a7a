// SPDX-License-Identifier: Apache-2.0
// What the generated C programs are made of: the operations as functions, and memory access.
// Compile with -fwrapv -ffp-contract=off.
#ifndef NEARBANK_TB_CORPUS_HOST_H
#define NEARBANK_TB_CORPUS_HOST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct state {
  uint16_t h[8];
  uint32_t r[8];
  uint64_t d[8];
  float f[8];
  double g[8];
  bool p[8];
  uint32_t k[16];  // loop counters
  bool done;
  uint32_t tid, cta, gid;
  const uint8_t *in;
  uint8_t *region;
  uint32_t *red;
  uint8_t local[64];
} state;

static inline float f32_of(uint32_t x) {
  float f;
  memcpy(&f, &x, 4);
  return f;
}
static inline double f64_of(uint64_t x) {
  double f;
  memcpy(&f, &x, 8);
  return f;
}
static inline uint32_t f32_bits(float f) {  // one NaN for all
  uint32_t x;
  memcpy(&x, &f, 4);
  return f != f ? 0x7fffffffu : x;
}
static inline uint64_t f64_bits(double f) {
  uint64_t x;
  memcpy(&x, &f, 8);
  return f != f ? 0x7ff8000000000000u : x;
}

#define I32 int32_t
#define U32 uint32_t
#define I64 int64_t
#define U64 uint64_t
#define I16 int16_t
#define U16 uint16_t
#define OP1(n, T, e)       \
  static inline T n(T a) { \
    return (T)(e);         \
  }
#define OP2(n, T, e)            \
  static inline T n(T a, T b) { \
    return (T)(e);              \
  }
#define OP3(n, T, e)                 \
  static inline T n(T a, T b, T c) { \
    return (T)(e);                   \
  }
#define SEL(n, T)                       \
  static inline T n(T a, T b, bool c) { \
    return c ? a : b;                   \
  }
#define CVT(n, T, S, e)    \
  static inline T n(S a) { \
    return (T)(e);         \
  }

// clang-format off
OP2(add_s32, U32, a + b)
OP2(add_u32, U32, a + b)
OP2(sub_s32, U32, a - b)
OP2(sub_u32, U32, a - b)
OP2(mul_lo_s32, U32, a * b)
OP2(mul_lo_u32, U32, a * b)
OP2(mul_hi_s32, U32, ((I64)(I32)a * (I32)b) >> 32)
OP2(mul_hi_u32, U32, ((U64)a * b) >> 32)
OP3(mad_lo_s32, U32, a * b + c)
OP3(mad_lo_u32, U32, a * b + c)
OP2(mul24_lo_s32, U32, (I64)((I32)(a << 8) >> 8) * ((I32)(b << 8) >> 8))
OP2(mul24_lo_u32, U32, (a & 0xffffff) * (b & 0xffffff))
OP2(div_s32, U32, b == 0 ? -1 : a == 0x80000000u && b == 0xffffffffu ? (I32)a : (I32)a / (I32)b)
OP2(div_u32, U32, b == 0 ? 0xffffffffu : a / b)
OP2(rem_s32, U32, b == 0 ? (I32)a : b == 0xffffffffu ? 0 : (I32)a % (I32)b)
OP2(rem_u32, U32, b == 0 ? a : a % b)
OP2(min_s32, U32, (I32)a < (I32)b ? a : b)
OP2(max_s32, U32, (I32)a > (I32)b ? a : b)
OP2(min_u32, U32, a < b ? a : b)
OP2(max_u32, U32, a > b ? a : b)
OP1(abs_s32, U32, (I32)a < 0 ? -a : a)
OP1(neg_s32, U32, -a)
OP2(and_b32, U32, a & b)
OP2(or_b32, U32, a | b)
OP2(xor_b32, U32, a ^ b)
OP1(not_b32, U32, ~a)
OP2(shl_b32, U32, b > 31 ? 0 : a << b)
OP2(shr_u32, U32, b > 31 ? 0 : a >> b)
OP2(shr_s32, U32, (I32)a >> (b > 31 ? 31 : b))

static inline U64 field(U64 a, unsigned bits, U32 pos, U32 len, bool is_signed) {
  U64 d = 0;
  pos &= 0xff, len &= 0xff;
  unsigned top = pos + len ? pos + len - 1 : 0;
  bool fill = is_signed && len && (a >> (top < bits - 1 ? top : bits - 1) & 1);
  for (unsigned k = 0; k < bits; k++)
    d |= (U64)(k < len && pos + k < bits ? a >> (pos + k) & 1 : fill) << k;
  return d;
}
static inline U64 insert(U64 a, U64 b, unsigned bits, U32 pos, U32 len) {
  pos &= 0xff, len &= 0xff;
  for (unsigned k = 0; k < len && pos + k < bits; k++)
    b = (b & ~((U64)1 << (pos + k))) | (a >> k & 1) << (pos + k);
  return b;
}
static inline U64 reversed(U64 a, unsigned bits) {
  U64 d = 0;
  for (unsigned k = 0; k < bits; k++)
    d |= (a >> k & 1) << (bits - 1 - k);
  return d;
}

OP3(bfe_u32, U32, field(a, 32, b, c, false))
OP3(bfe_s32, U32, field(a, 32, b, c, true))

static inline U32 bfi_b32(U32 a, U32 b, U32 c, U32 d) {
  return (U32)insert(a, b, 32, c, d);
}

OP1(brev_b32, U32, reversed(a, 32))
OP1(popc_b32, U32, __builtin_popcount(a))
OP1(clz_b32, U32, a ? __builtin_clz(a) : 32)
OP1(bfind_u32, U32, a ? 31 - __builtin_clz(a) : -1)
OP1(bfind_s32, U32, bfind_u32((I32)a < 0 ? ~a : a))
OP1(bfind_shiftamt_u32, U32, a ? __builtin_clz(a) : -1)

static inline U32 prmt_b32(U32 a, U32 b, U32 c) {
  U64 both = (U64)b << 32 | a;
  U32 d = 0;
  for (unsigned k = 0; k < 4; k++) {
    U32 pick = c >> 4 * k & 15, byte = (U32)(both >> 8 * (pick & 7)) & 255;
    d |= (pick & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * k;
  }
  return d;
}

OP3(sad_s32, U32, ((I32)a < (I32)b ? b - a : a - b) + c)
OP3(sad_u32, U32, (a < b ? b - a : a - b) + c)
OP3(shf_l_wrap_b32, U32, ((U64)b << 32 | a) << (c & 31) >> 32)
OP3(shf_r_wrap_b32, U32, ((U64)b << 32 | a) >> (c & 31))
OP3(shf_l_clamp_b32, U32, ((U64)b << 32 | a) << (c > 32 ? 32 : c) >> 32)
OP3(shf_r_clamp_b32, U32, ((U64)b << 32 | a) >> (c > 32 ? 32 : c))
SEL(selp_b32, U32)
SEL(selp_u32, U32)

static inline U32 clamped(I64 x) {
  return (U32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

OP2(add_sat_s32, U32, clamped((I64)(I32)a + (I32)b))
OP2(sub_sat_s32, U32, clamped((I64)(I32)a - (I32)b))
OP1(mov_u32, U32, a)
OP1(mov_b32, U32, a)
OP2(add_s64, U64, a + b)
OP2(sub_s64, U64, a - b)
OP2(add_u64, U64, a + b)
OP2(mul_lo_s64, U64, a * b)
OP2(mul_lo_u64, U64, a * b)
OP2(mul_hi_u64, U64, ((unsigned __int128)a * b) >> 64)
OP2(mul_hi_s64, U64, ((__int128)(I64)a * (I64)b) >> 64)
OP3(mad_lo_s64, U64, a * b + c)
OP2(div_s64, U64, b == 0 ? -1 : b == ~(U64)0 ? (I64)-a : (I64)a / (I64)b)
OP2(div_u64, U64, b == 0 ? ~(U64)0 : a / b)
OP2(rem_s64, U64, b == 0 ? (I64)a : b == ~(U64)0 ? 0 : (I64)a % (I64)b)
OP2(rem_u64, U64, b == 0 ? a : a % b)
OP2(min_s64, U64, (I64)a < (I64)b ? a : b)
OP2(max_s64, U64, (I64)a > (I64)b ? a : b)
OP2(min_u64, U64, a < b ? a : b)
OP2(max_u64, U64, a > b ? a : b)
OP1(abs_s64, U64, (I64)a < 0 ? -a : a)
OP1(neg_s64, U64, -a)
OP2(and_b64, U64, a & b)
OP2(or_b64, U64, a | b)
OP2(xor_b64, U64, a ^ b)
OP1(not_b64, U64, ~a)

static inline U64 shl_b64(U64 a, U32 b) {
  return b > 63 ? 0 : a << b;
}
static inline U64 shr_u64(U64 a, U32 b) {
  return b > 63 ? 0 : a >> b;
}
static inline U64 shr_s64(U64 a, U32 b) {
  return (U64)((I64)a >> (b > 63 ? 63 : b));
}
static inline U64 bfe_u64(U64 a, U32 b, U32 c) {
  return field(a, 64, b, c, false);
}
static inline U64 bfe_s64(U64 a, U32 b, U32 c) {
  return field(a, 64, b, c, true);
}
static inline U64 bfi_b64(U64 a, U64 b, U32 c, U32 d) {
  return insert(a, b, 64, c, d);
}

OP1(brev_b64, U64, reversed(a, 64))
CVT(popc_b64, U32, U64, __builtin_popcountll(a))
CVT(clz_b64, U32, U64, a ? __builtin_clzll(a) : 64)
SEL(selp_b64, U64)
OP1(mov_u64, U64, a)

static inline U64 mul_wide_s32(U32 a, U32 b) {
  return (U64)((I64)(I32)a * (I32)b);
}
static inline U64 mul_wide_u32(U32 a, U32 b) {
  return (U64)a * b;
}
static inline U64 mad_wide_s32(U32 a, U32 b, U64 c) {
  return mul_wide_s32(a, b) + c;
}
static inline U64 mad_wide_u32(U32 a, U32 b, U64 c) {
  return mul_wide_u32(a, b) + c;
}

OP2(add_s16, U16, a + b)
OP2(sub_s16, U16, a - b)
OP2(mul_lo_s16, U16, (U32)a * b)
OP2(mul_lo_u16, U16, (U32)a * b)
OP2(mul_hi_u16, U16, ((U32)a * b) >> 16)
OP2(div_u16, U16, b == 0 ? 0xffff : a / b)
OP2(min_u16, U16, a < b ? a : b)
OP2(max_u16, U16, a > b ? a : b)
OP2(min_s16, U16, (I16)a < (I16)b ? a : b)
OP2(max_s16, U16, (I16)a > (I16)b ? a : b)
OP2(and_b16, U16, a & b)
OP2(or_b16, U16, a | b)
OP2(xor_b16, U16, a ^ b)
OP1(not_b16, U16, ~a)

static inline U16 shl_b16(U16 a, U32 b) {
  return (U16)(b > 15 ? 0 : (U32)a << b);
}
static inline U16 shr_u16(U16 a, U32 b) {
  return (U16)(b > 15 ? 0 : a >> b);
}
static inline U16 shr_s16(U16 a, U32 b) {
  return (U16)((I16)a >> (b > 15 ? 15 : b));
}

SEL(selp_b16, U16)
SEL(selp_u16, U16)
OP1(mov_u16, U16, a)

static inline U32 mul_wide_u16(U16 a, U16 b) {
  return (U32)a * b;
}
static inline U32 mul_wide_s16(U16 a, U16 b) {
  return (U32)((I32)(I16)a * (I16)b);
}
static inline float ftz(float a) {
  return fabsf(a) < 0x1p-126f ? copysignf(0, a) : a;
}
static inline float sat(float a) {
  return a > 0 ? (a < 1 ? a : 1) : 0;
}
static inline float least_f(float a, float b, bool max) {
  if (a != a || b != b)
    return a != a ? b : a;
  if (a == b)
    return (signbit(a) != 0) != max ? a : b;
  return (a < b) != max ? a : b;
}
static inline double least_g(double a, double b, bool max) {
  if (a != a || b != b)
    return a != a ? b : a;
  if (a == b)
    return (signbit(a) != 0) != max ? a : b;
  return (a < b) != max ? a : b;
}

OP2(add_f32, float, a + b)
OP2(sub_f32, float, a - b)
OP2(mul_f32, float, a * b)
OP2(add_rn_f32, float, a + b)
OP2(mul_rn_f32, float, a * b)
OP3(fma_rn_f32, float, fmaf(a, b, c))
OP2(div_rn_f32, float, a / b)
OP1(sqrt_rn_f32, float, sqrtf(a))
OP1(rcp_rn_f32, float, 1 / a)
OP2(min_f32, float, least_f(a, b, false))
OP2(max_f32, float, least_f(a, b, true))
OP1(abs_f32, float, fabsf(a))
OP1(neg_f32, float, -a)
OP2(copysign_f32, float, copysignf(b, a))
SEL(selp_f32, float)
OP1(mov_f32, float, a)
OP2(add_ftz_f32, float, ftz(ftz(a) + ftz(b)))
OP2(mul_ftz_f32, float, ftz(ftz(a) * ftz(b)))
OP2(add_sat_f32, float, sat(a + b))
OP1(cvt_sat_f32_f32, float, sat(a))
OP1(cvt_rzi_f32_f32, float, truncf(a))
OP1(cvt_rmi_f32_f32, float, floorf(a))
OP1(cvt_rpi_f32_f32, float, ceilf(a))
OP1(cvt_rni_f32_f32, float, rintf(a))
OP2(add_f64, double, a + b)
OP2(sub_f64, double, a - b)
OP2(mul_f64, double, a * b)
OP3(fma_rn_f64, double, fma(a, b, c))
OP2(div_rn_f64, double, a / b)
OP1(sqrt_rn_f64, double, sqrt(a))
OP1(rcp_rn_f64, double, 1 / a)
OP2(min_f64, double, least_g(a, b, false))
OP2(max_f64, double, least_g(a, b, true))
OP1(abs_f64, double, fabs(a))
OP1(neg_f64, double, -a)
SEL(selp_f64, double)
OP1(mov_f64, double, a)
OP1(cvt_rzi_f64_f64, double, trunc(a))
OP1(cvt_rmi_f64_f64, double, floor(a))
OP1(cvt_rpi_f64_f64, double, ceil(a))
CVT(cvt_u32_u16, U32, U16, a)
CVT(cvt_s32_s16, U32, U16, (I32)(I16)a)
CVT(cvt_u16_u32, U16, U32, a)
CVT(cvt_s16_s8, U16, U16, (int8_t)a)
CVT(cvt_u16_u8, U16, U16, (uint8_t)a)
CVT(cvt_s32_s8, U32, U32, (int8_t)a)
CVT(cvt_u32_u8, U32, U32, (uint8_t)a)
CVT(cvt_u64_u32, U64, U32, a)
CVT(cvt_s64_s32, U64, U32, (I64)(I32)a)
CVT(cvt_u32_u64, U32, U64, a)
CVT(cvt_u16_u64, U16, U64, a)
CVT(cvt_s64_s16, U64, U16, (I64)(I16)a)
CVT(cvt_rn_f32_s32, float, U32, (I32)a)
CVT(cvt_rn_f32_u32, float, U32, a)
CVT(cvt_rn_f32_u16, float, U16, a)
CVT(cvt_rn_f32_s16, float, U16, (I16)a)
CVT(cvt_rn_f32_u64, float, U64, a)
CVT(cvt_rn_f32_s64, float, U64, (I64)a)
CVT(cvt_rn_f64_s32, double, U32, (I32)a)
CVT(cvt_rn_f64_u32, double, U32, a)
CVT(cvt_rn_f64_u16, double, U16, a)
CVT(cvt_rn_f64_s64, double, U64, (I64)a)
CVT(cvt_rn_f32_f64, float, double, a)
CVT(cvt_f64_f32, double, float, a)
// An integer-valued double to an integer of `bits`, clamped.
static inline U64 to_signed(double x, unsigned bits) {
  double top = ldexp(1, (int)bits - 1);
  if (x != x)
    return bits == 64 ? (U64)1 << 63 : 0;
  if (x >= top)
    return ((U64)1 << (bits - 1)) - 1;
  return x < -top ? (U64) - (I64)((U64)1 << (bits - 1)) : (U64)(I64)x;
}
static inline U64 to_unsigned(double x, unsigned bits) {
  if (x != x)
    return bits == 64 ? (U64)1 << 63 : 0;
  if (x >= ldexp(1, (int)bits))
    return bits == 64 ? ~(U64)0 : ((U64)1 << bits) - 1;
  return x <= 0 ? 0 : (U64)x;
}

CVT(cvt_rzi_s32_f32, U32, float, to_signed(trunc(a), 32))
CVT(cvt_rzi_u32_f32, U32, float, to_unsigned(trunc(a), 32))
CVT(cvt_rni_s32_f32, U32, float, to_signed(rint(a), 32))
CVT(cvt_rmi_s32_f32, U32, float, to_signed(floor(a), 32))
CVT(cvt_rzi_s32_f64, U32, double, a != a ? INT32_MIN : to_signed(trunc(a), 32))
CVT(cvt_rzi_s64_f64, U64, double, to_signed(trunc(a), 64))
CVT(cvt_rzi_s64_f32, U64, float, to_signed(trunc(a), 64))
CVT(cvt_rzi_u64_f64, U64, double, to_unsigned(trunc(a), 64))
CVT(cvt_rzi_s16_f32, U16, float, to_signed(trunc(a), 16))
CVT(cvt_rzi_u16_f32, U16, float, to_unsigned(trunc(a), 16))
OP2(and_pred, bool, a &&b)
OP2(or_pred, bool, a || b)
OP2(xor_pred, bool, a != b)
OP1(not_pred, bool, !a)
OP1(mov_pred, bool, a)
OP2(set_lt_u32_s32, U32, (I32)a < (I32)b ? -1 : 0)
OP2(set_ge_u32_u32, U32, a >= b ? -1 : 0)
CVT(testp_finite_f32, bool, float, isfinite(a))
CVT(testp_notanumber_f64, bool, double, a != a)

static inline U32 set_gt_u32_f32(float a, float b) {
  return a > b ? ~(U32)0 : 0;
}

OP2(set_le_f32_f32, float, a <= b ? 1.0f : 0.0f)
OP2(rem_u16, U16, b == 0 ? a : a % b)
OP2(rem_s16, U16, b == 0 ? (I16)a : (I16)a % (I16)b)
OP2(div_s16, U16, b == 0 ? -1 : (I16)a / (I16)b)
OP3(mad_lo_s16, U16, (U32)a * b + c)
OP2(mul_hi_s16, U16, ((I32)(I16)a * (I16)b) >> 16)
OP1(neg_s16, U16, -a)
OP1(abs_s16, U16, (I16)a < 0 ? -a : a)
OP3(mad_hi_s32, U32, mul_hi_s32(a, b) + c)
OP3(mad_hi_u32, U32, mul_hi_u32(a, b) + c)
CVT(bfind_u64, U32, U64, a ? 63 - __builtin_clzll(a) : -1)
CVT(bfind_s64, U32, U64, bfind_u64((I64)a < 0 ? ~a : a))
OP1(cnot_b32, U32, a == 0)
OP3(mad24_lo_s32, U32, mul24_lo_s32(a, b) + c)
OP3(mad24_lo_u32, U32, mul24_lo_u32(a, b) + c)
OP2(mul24_hi_u32, U32, ((U64)(a & 0xffffff) * (b & 0xffffff)) >> 16)
OP2(sub_ftz_f32, float, ftz(ftz(a) - ftz(b)))
OP3(fma_rn_ftz_f32, float, ftz(fmaf(ftz(a), ftz(b), ftz(c))))
OP2(div_rn_ftz_f32, float, ftz(ftz(a) / ftz(b)))
OP2(max_ftz_f32, float, least_f(ftz(a), ftz(b), true))
OP1(abs_ftz_f32, float, fabsf(ftz(a)))
OP1(neg_ftz_f32, float, -ftz(a))
OP1(sqrt_rn_ftz_f32, float, sqrtf(ftz(a)))
OP2(mul_sat_f32, float, sat(a * b))
OP3(fma_rn_sat_f32, float, sat(fmaf(a, b, c)))
CVT(cvt_ftz_f64_f32, double, float, ftz(a))
CVT(cvt_rn_ftz_f32_f64, float, double, ftz((float)a))
CVT(cvt_rzi_ftz_s32_f32, U32, float, to_signed(trunc(ftz(a)), 32))
static inline U32 set_gt_ftz_u32_f32(float a, float b) {
  return ftz(a) > ftz(b) ? ~(U32)0 : 0;
}
static inline I64 between(I64 x, I64 low, I64 high) {
  return x < low ? low : x > high ? high : x;
}
OP1(cvt_sat_u8_s32, U32, between((I32)a, 0, 255))
OP1(cvt_sat_s8_s32, U32, between((I32)a, -128, 127))
CVT(cvt_sat_s16_s32, U16, U32, between((I32)a, -32768, 32767))
CVT(cvt_sat_u16_s32, U16, U32, between((I32)a, 0, 65535))
CVT(cvt_sat_s32_s64, U32, U64, between((I64)a, INT32_MIN, INT32_MAX))
CVT(cvt_sat_u32_s64, U32, U64, between((I64)a, 0, UINT32_MAX))
OP1(cvt_u8_u32, U32, (uint8_t)a)
OP1(cvt_s8_s32, U32, (int8_t)a)
CVT(cvt_s16_u32, U16, U32, a)
CVT(cvt_s16_s32, U16, U32, a)
OP1(cvt_rni_f64_f64, double, rint(a))
CVT(cvt_rn_f64_s16, double, U16, (I16)a)
CVT(cvt_rn_f64_u64, double, U64, a)
CVT(cvt_rzi_u32_f64, U32, double, a != a ? 0x80000000u : to_unsigned(trunc(a), 32))
CVT(cvt_rzi_u64_f32, U64, float, to_unsigned(trunc(a), 64))
CVT(cvt_rpi_s32_f32, U32, float, to_signed(ceil(a), 32))
CVT(cvt_rmi_s32_f64, U32, double, a != a ? INT32_MIN : to_signed(floor(a), 32))
CVT(cvt_rzi_s16_f64, U16, double, a != a ? 0x8000 : to_signed(trunc(a), 16))
static inline U32 vabsdiff4_u32_u32_u32_add(U32 a, U32 b, U32 c) {
  for (unsigned k = 0; k < 32; k += 8) {
    I32 d = (I32)(a >> k & 255) - (I32)(b >> k & 255);
    c += (U32)(d < 0 ? -d : d);
  }
  return c;
}
OP3(prmt_b32_f4e, U32, ((U64)b << 32 | a) >> 8 * (c & 3))
OP3(prmt_b32_rc8, U32, (a >> 8 * (c & 3) & 255) * 0x01010101u + 0 * b)
static inline U32 set_eq_s32_s64(U64 a, U64 b) {
  return a == b ? ~(U32)0 : 0;
}
static inline U32 set_neu_u32_f64(double a, double b) {
  return a != b ? ~(U32)0 : 0;
}
CVT(testp_normal_f32, bool, float, isnormal(a) || a == 0)
CVT(testp_infinite_f64, bool, double, isinf(a))
// clang-format on

// Comparisons: `cmp` as in PTX on values that are already of the right C type.
#define CMP_eq(a, b) ((a) == (b))
#define CMP_ne(a, b) ((a) == (a) && (b) == (b) && (a) != (b))
#define CMP_lt(a, b) ((a) < (b))
#define CMP_le(a, b) ((a) <= (b))
#define CMP_gt(a, b) ((a) > (b))
#define CMP_ge(a, b) ((a) >= (b))
#define CMP_num(a, b) ((a) == (a) && (b) == (b))
#define CMP_nan(a, b) (!CMP_num(a, b))
#define CMP_equ(a, b) (CMP_nan(a, b) || (a) == (b))
#define CMP_neu(a, b) ((a) != (b))
#define CMP_ltu(a, b) (!((a) >= (b)))
#define CMP_leu(a, b) (!((a) > (b)))
#define CMP_gtu(a, b) (!((a) <= (b)))
#define CMP_geu(a, b) (!((a) < (b)))

#define LOAD(T, p)               \
  __extension__({                \
    T v_;                        \
    memcpy(&v_, (p), sizeof v_); \
    v_;                          \
  })
#define STORE(T, p, x)           \
  do {                           \
    T v_ = (T)(x);               \
    memcpy((p), &v_, sizeof v_); \
  } while (0)

// The value that `lane` of a warp reads in a shuffle with bounds c.
static inline unsigned shuffle_from(char mode, unsigned lane, unsigned b, unsigned c, bool *in) {
  int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), l = (int)lane, n = (int)(b & 31), j;
  int low = l & segment, high = low | (clamp & ~segment & 31);
  switch (mode) {
    case 'u':
      j = l - n, *in = j >= high;
      break;
    case 'd':
      j = l + n, *in = j <= high;
      break;
    case 'b':
      j = l ^ n, *in = j <= high;
      break;
    default:
      j = low | (n & ~segment & 31), *in = j <= high;
  }
  return *in ? (unsigned)j : lane;
}

#endif
