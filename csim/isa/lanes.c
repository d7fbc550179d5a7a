// SPDX-License-Identifier: Apache-2.0
// Compiled once for each entry of the table at the end: LANES_TABLE names it, the compiler's flags
// choose the instruction set. -ffp-contract=off: only fma fuses.
#include "lanes.h"

#include <stddef.h>
#include <string.h>
#include "scalar.h"

#ifdef __clang__  // the fuzzers' build: its form of the promise warns where it is of no use
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define LANES INDEPENDENT for (int l = 0; l < ISA_LANES; l++)
#define UNUSED (void)a, (void)b, (void)c, (void)i
#define ARGS uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, const isa_inst *i

static inline float as_f(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}
static inline uint32_t of_f(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return f == f ? u : F32_NAN;
}
static inline uint64_t wide(const uint32_t *p, int l) {
  return p[l] | (uint64_t)p[l + 32] << 32;
}
static inline double as_d(uint64_t u) {
  double f;
  memcpy(&f, &u, sizeof f);
  return f;
}
static inline uint64_t of_d(double f) {
  uint64_t u;
  memcpy(&u, &f, sizeof u);
  return f == f ? u : F64_NAN;
}

static inline int32_t clamp32(int64_t v) {
  return (int32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

// x, y, z are the operands of a lane.
#define OP32(name, expr)                     \
  static void name(ARGS) {                   \
    UNUSED;                                  \
    LANES {                                  \
      uint32_t x = a[l], y = b[l], z = c[l]; \
      (void)x, (void)y, (void)z;             \
      d[l] = (uint32_t)(expr);               \
    }                                        \
  }
#define OP64(name, expr)                                       \
  static void name(ARGS) {                                     \
    UNUSED;                                                    \
    LANES {                                                    \
      uint64_t x = wide(a, l), y = wide(b, l), z = wide(c, l); \
      (void)x, (void)y, (void)z;                               \
      uint64_t r = (uint64_t)(expr);                           \
      d[l] = (uint32_t)r;                                      \
      d[l + 32] = (uint32_t)(r >> 32);                         \
    }                                                          \
  }
// 64-bit value, 32-bit amount
#define OPSH(name, expr)                 \
  static void name(ARGS) {               \
    UNUSED;                              \
    LANES {                              \
      uint64_t x = wide(a, l), n = b[l]; \
      uint64_t r = (uint64_t)(expr);     \
      d[l] = (uint32_t)r;                \
      d[l + 32] = (uint32_t)(r >> 32);   \
    }                                    \
  }
// 32-bit operands x and y, 64-bit z and result
#define OPW(name, expr)                \
  static void name(ARGS) {             \
    UNUSED;                            \
    LANES {                            \
      uint32_t x = a[l], y = b[l];     \
      uint64_t z = wide(c, l);         \
      (void)x, (void)y, (void)z;       \
      uint64_t r = (uint64_t)(expr);   \
      d[l] = (uint32_t)r;              \
      d[l + 32] = (uint32_t)(r >> 32); \
    }                                  \
  }
#define S(v) ((int32_t)(v))
#define SL(v) ((int64_t)(v))

OP32(mov32, x)
OP32(add32, x + y)
OP32(sub32, x - y)
OP32(mul32, x *y)
OP32(mad32, x *y + z)
OP32(and32, x &y)
OP32(or32, x | y)
OP32(xor32, x ^ y)
OP32(not32, ~x)
OP32(shl32, y > 31 ? 0 : x << (y & 31))
OP32(shru32, y > 31 ? 0 : x >> (y & 31))
OP32(shrs32, S(x) >> (y > 31 ? 31 : y))
OP32(minu32, x < y ? x : y)
OP32(maxu32, x > y ? x : y)
OP32(mins32, S(x) < S(y) ? x : y)
OP32(maxs32, S(x) > S(y) ? x : y)
OP32(abs32, S(x) < 0 ? 0 - x : x)
OP32(neg32, 0 - x)
OP32(sadu32, (x > y ? x - y : y - x) + z)
OP32(sads32, (S(x) > S(y) ? x - y : y - x) + z)
OP32(adds_sat, clamp32((int64_t)S(x) + S(y)))
OP32(subs_sat, clamp32((int64_t)S(x) - S(y)))
OP32(fadd, of_f(as_f(x) + as_f(y)))
OP32(fsub, of_f(as_f(x) - as_f(y)))
OP32(fmul, of_f(as_f(x) * as_f(y)))
OP32(ffma, of_f(__builtin_fmaf(as_f(x), as_f(y), as_f(z))))
OP32(fabs32, x & 0x7fffffff)
OP32(fneg32, x ^ 0x80000000)
OP32(fcopysign32, (y & 0x7fffffff) | (x & 0x80000000))

static void fmin32(ARGS) {
  UNUSED;
  LANES {
    uint32_t x = a[l], y = b[l];
    float p = as_f(x), q = as_f(y);
    uint32_t r = p < q ? x : y;
    r = p == q ? x | y : r;
    r = p != p ? (q != q ? F32_NAN : y) : q != q ? x : r;
    d[l] = r;
  }
}
static void fmax32(ARGS) {
  UNUSED;
  LANES {
    uint32_t x = a[l], y = b[l];
    float p = as_f(x), q = as_f(y);
    uint32_t r = p > q ? x : y;
    r = p == q ? x & y : r;
    r = p != p ? (q != q ? F32_NAN : y) : q != q ? x : r;
    d[l] = r;
  }
}

OP64(mov64, x)
OP64(add64, x + y)
OP64(sub64, x - y)
OP64(mul64, x *y)
OP64(mad64, x *y + z)
OP64(and64, x &y)
OP64(or64, x | y)
OP64(xor64, x ^ y)
OP64(not64, ~x)
OP64(minu64, x < y ? x : y)
OP64(maxu64, x > y ? x : y)
OP64(mins64, SL(x) < SL(y) ? x : y)
OP64(maxs64, SL(x) > SL(y) ? x : y)
OP64(abs64, SL(x) < 0 ? 0 - x : x)
OP64(neg64, 0 - x)
OP64(dadd, of_d(as_d(x) + as_d(y)))
OP64(dsub, of_d(as_d(x) - as_d(y)))
OP64(dmul, of_d(as_d(x) * as_d(y)))
OP64(dfma, of_d(__builtin_fma(as_d(x), as_d(y), as_d(z))))
OP64(dabs, x & 0x7fffffffffffffff)
OP64(dneg, x ^ 0x8000000000000000)
OP64(dcopysign, (y & 0x7fffffffffffffff) | (x & 0x8000000000000000))
OP64(dmin, scalar_min_f64(x, y, false))
OP64(dmax, scalar_min_f64(x, y, true))
OPSH(shl64, n > 63 ? 0 : x << (n & 63))
OPSH(shru64, n > 63 ? 0 : x >> (n & 63))
OPSH(shrs64, SL(x) >> (n > 63 ? 63 : n))
OPW(mulwu, (uint64_t)x *y)
OPW(mulws, (int64_t)S(x) * S(y))
OPW(madwu, (uint64_t)x *y + z)
OPW(madws, (uint64_t)((int64_t)S(x) * S(y)) + z)
OPW(sext64, (int64_t)S(x))
OPW(zext64, (uint64_t)x)
OP32(zext8, x & 0xff)
OP32(zext16, x & 0xffff)
OP32(sext8, (int8_t)x)
OP32(sext16, (int16_t)x)
OP32(s32_f32, of_f((float)S(x)))
OP32(u32_f32, of_f((float)x))

static void lop3(ARGS) {
  uint32_t t = i->imm;
  LANES {
    uint32_t x = a[l], y = b[l], z = c[l], r = 0;
    r |= t & 1 ? ~x & ~y & ~z : 0;
    r |= t & 2 ? ~x & ~y & z : 0;
    r |= t & 4 ? ~x & y & ~z : 0;
    r |= t & 8 ? ~x & y & z : 0;
    r |= t & 16 ? x & ~y & ~z : 0;
    r |= t & 32 ? x & ~y & z : 0;
    r |= t & 64 ? x & y & ~z : 0;
    r |= t & 128 ? x & y & z : 0;
    d[l] = r;
  }
}

// ---- everything else, a lane at a time

static uint64_t one_lane(const isa_inst *i, uint64_t x, uint64_t y, uint64_t z) {
  switch (i->op) {
    case ISA_OP_I2I:
      return scalar_i2i(i, x);
    case ISA_OP_I2F:
      return scalar_i2f(i, x);
    case ISA_OP_F2I:
      return scalar_f2i(i, x);
    case ISA_OP_F2F:
      return scalar_f2f(i, x);
    default:
      break;
  }
  bool f32 = i->type == ISA_TYPE_F32;
  if (i->op == ISA_OP_MIN || i->op == ISA_OP_MAX) {  // f32 with .ftz
    uint32_t r =
        scalar_min_f32(scalar_ftz((uint32_t)x), scalar_ftz((uint32_t)y), i->op == ISA_OP_MAX);
    return r;
  }
  if (i->op == ISA_OP_ABS || i->op == ISA_OP_NEG) {
    uint32_t r = scalar_ftz((uint32_t)x);
    return i->op == ISA_OP_ABS ? r & 0x7fffffff : r ^ 0x80000000;
  }
  if (f32)
    return scalar_f32(i, (uint32_t)x, (uint32_t)y, (uint32_t)z);
  if (i->type == ISA_TYPE_F64)
    return scalar_f64(i, x, y, z);
  return scalar_int(i, x, y, z);
}

static void lane_by_lane(ARGS) {
  unsigned wa = isa_words(i, 1), wb = isa_words(i, 2), wc = isa_words(i, 3), wd = isa_words(i, 0);
  for (int l = 0; l < ISA_LANES; l++) {
    uint64_t x = wa == 2 ? wide(a, l) : a[l];
    uint64_t y = wb == 2 ? wide(b, l) : b[l];
    uint64_t z = wc == 2 ? wide(c, l) : c[l];
    uint64_t r = one_lane(i, x, y, z);
    d[l] = (uint32_t)r;
    if (wd == 2)
      d[l + 32] = (uint32_t)(r >> 32);
  }
}

// ---- comparison

#define CMP(name, type, load, cond)                                               \
  static uint32_t name(const uint32_t *a, const uint32_t *b, const isa_inst *i) { \
    uint32_t m = 0;                                                               \
    (void)i;                                                                      \
    for (int l = 0; l < ISA_LANES; l++) {                                         \
      type x = load(a, l), y = load(b, l);                                        \
      m |= (uint32_t)(cond) << l;                                                 \
    }                                                                             \
    return m;                                                                     \
  }
#define LOAD_U(p, l) (p)[l]
#define LOAD_S(p, l) ((int32_t)(p)[l])
#define LOAD_F(p, l) as_f((p)[l])
#define LOAD_UL(p, l) wide(p, l)
#define LOAD_SL(p, l) ((int64_t)wide(p, l))
#define SIX(prefix, type, load)        \
  CMP(prefix##_eq, type, load, x == y) \
  CMP(prefix##_ne, type, load, x != y) \
  CMP(prefix##_lt, type, load, x < y)  \
  CMP(prefix##_le, type, load, x <= y) \
  CMP(prefix##_gt, type, load, x > y)  \
  CMP(prefix##_ge, type, load, x >= y)
SIX(u32, uint32_t, LOAD_U)
SIX(s32, int32_t, LOAD_S)
SIX(u64, uint64_t, LOAD_UL)
SIX(s64, int64_t, LOAD_SL)
CMP(f32_eq, float, LOAD_F, x == y)
CMP(f32_lt, float, LOAD_F, x < y)
CMP(f32_le, float, LOAD_F, x <= y)
CMP(f32_gt, float, LOAD_F, x > y)
CMP(f32_ge, float, LOAD_F, x >= y)

static uint32_t cmp_by_lane(const uint32_t *a, const uint32_t *b, const isa_inst *i) {
  unsigned type = i->op == ISA_OP_SET ? i->type2 : i->type;
  uint32_t m = 0;
  for (int l = 0; l < ISA_LANES; l++) {
    bool r = type == ISA_TYPE_F32 ? scalar_compare_f32(i->fn, i->ftz ? scalar_ftz(a[l]) : a[l],
                                                       i->ftz ? scalar_ftz(b[l]) : b[l])
                                  : scalar_compare_f64(i->fn, wide(a, l), wide(b, l));
    m |= (uint32_t)r << l;
  }
  return m;
}

static lanes_cmp_fn find_cmp(const isa_inst *i) {
  unsigned type = i->op == ISA_OP_SET ? i->type2 : i->type;
  static const lanes_cmp_fn u[] = {u32_eq, u32_ne, u32_lt, u32_le, u32_gt, u32_ge};
  static const lanes_cmp_fn s[] = {s32_eq, s32_ne, s32_lt, s32_le, s32_gt, s32_ge};
  static const lanes_cmp_fn ul[] = {u64_eq, u64_ne, u64_lt, u64_le, u64_gt, u64_ge};
  static const lanes_cmp_fn sl[] = {s64_eq, s64_ne, s64_lt, s64_le, s64_gt, s64_ge};
  static const lanes_cmp_fn f[] = {f32_eq, cmp_by_lane, f32_lt, f32_le, f32_gt, f32_ge};
  switch (type) {
    case ISA_TYPE_U32:
      return u[i->fn];
    case ISA_TYPE_S32:
      return s[i->fn];
    case ISA_TYPE_U64:
      return ul[i->fn];
    case ISA_TYPE_S64:
      return sl[i->fn];
    case ISA_TYPE_F32:
      return i->fn <= ISA_CMP_GE && !i->ftz ? f[i->fn] : cmp_by_lane;
    default:
      return cmp_by_lane;
  }
}

static void set(ARGS) {
  (void)c;
  uint32_t m = find_cmp(i)(a, b, i), one = i->type == ISA_TYPE_F32 ? 0x3f800000 : 0xffffffff;
  for (int l = 0; l < ISA_LANES; l++)
    d[l] = m >> l & 1 ? one : 0;
}

// ---- the choice

// Columns: u32 s32 u64 s64 f32 f64 b32 b64.
static int column(unsigned type) {
  switch (type) {
    case ISA_TYPE_U32:
      return 0;
    case ISA_TYPE_S32:
      return 1;
    case ISA_TYPE_U64:
      return 2;
    case ISA_TYPE_S64:
      return 3;
    case ISA_TYPE_F32:
      return 4;
    case ISA_TYPE_F64:
      return 5;
    case ISA_TYPE_B32:
      return 6;
    case ISA_TYPE_B64:
      return 7;
    default:
      return -1;
  }
}

static const struct {
  uint8_t op;
  lanes_fn fn[8];
} plain[] = {
    {ISA_OP_MOV, {0, 0, 0, 0, 0, 0, mov32, mov64}},
    {ISA_OP_ADD, {add32, add32, add64, 0, fadd, dadd, 0, 0}},
    {ISA_OP_SUB, {sub32, sub32, sub64, 0, fsub, dsub, 0, 0}},
    {ISA_OP_MUL, {mul32, 0, mul64, 0, fmul, dmul, 0, 0}},
    {ISA_OP_MULW, {mulwu, mulws, 0, 0, 0, 0, 0, 0}},
    {ISA_OP_MAD, {mad32, 0, mad64, 0, 0, 0, 0, 0}},
    {ISA_OP_MADW, {madwu, madws, 0, 0, 0, 0, 0, 0}},
    {ISA_OP_FMA, {0, 0, 0, 0, ffma, dfma, 0, 0}},
    {ISA_OP_MIN, {minu32, mins32, minu64, mins64, fmin32, dmin, 0, 0}},
    {ISA_OP_MAX, {maxu32, maxs32, maxu64, maxs64, fmax32, dmax, 0, 0}},
    {ISA_OP_ABS, {0, abs32, 0, abs64, fabs32, dabs, 0, 0}},
    {ISA_OP_NEG, {0, neg32, 0, neg64, fneg32, dneg, 0, 0}},
    {ISA_OP_COPYSIGN, {0, 0, 0, 0, fcopysign32, dcopysign, 0, 0}},
    {ISA_OP_AND, {0, 0, 0, 0, 0, 0, and32, and64}},
    {ISA_OP_OR, {0, 0, 0, 0, 0, 0, or32, or64}},
    {ISA_OP_XOR, {0, 0, 0, 0, 0, 0, xor32, xor64}},
    {ISA_OP_NOT, {0, 0, 0, 0, 0, 0, not32, not64}},
    {ISA_OP_SHL, {0, 0, 0, 0, 0, 0, shl32, shl64}},
    {ISA_OP_SHR, {shru32, shrs32, shru64, shrs64, 0, 0, 0, 0}},
    {ISA_OP_SAD, {sadu32, sads32, 0, 0, 0, 0, 0, 0}},
    {ISA_OP_LOP3, {0, 0, 0, 0, 0, 0, lop3, 0}},
    {ISA_OP_SET, {0, 0, 0, 0, set, 0, set, 0}},
};

// Widening and cutting without saturation; the rest of the conversions goes lane by lane.
static lanes_fn find_conversion(const isa_inst *i) {
  bool to_wide = isa_types[i->type].bits == 64, from_sub = isa_types[i->type2].bits < 32;
  if (i->op == ISA_OP_I2F && i->type == ISA_TYPE_F32 && !i->sat && i->fn == ISA_RND_RN) {
    if (i->type2 == ISA_TYPE_S32)
      return s32_f32;
    if (i->type2 == ISA_TYPE_U32)
      return u32_f32;
  }
  if (i->op != ISA_OP_I2I || i->sat)
    return lane_by_lane;
  if (to_wide && i->type2 == ISA_TYPE_S32)
    return sext64;
  if (to_wide && i->type2 == ISA_TYPE_U32)
    return zext64;
  if (isa_types[i->type].bits == 32 && from_sub)
    return i->type2 == ISA_TYPE_U8    ? zext8
           : i->type2 == ISA_TYPE_S8  ? sext8
           : i->type2 == ISA_TYPE_U16 ? zext16
                                      : sext16;
  return lane_by_lane;
}

static lanes_fn find(const isa_inst *i) {
  int col = column(i->type);
  if (i->op >= ISA_OP_I2I && i->op <= ISA_OP_F2F)
    return find_conversion(i);
  if (i->sat && i->type == ISA_TYPE_S32)
    return i->op == ISA_OP_ADD ? adds_sat : subs_sat;
  bool exact = (isa_ops[i->op].flags & ISA_F_RND) && i->fn > ISA_RND_RN &&
               (i->type == ISA_TYPE_F32 || i->type == ISA_TYPE_F64);
  if (!i->ftz && !i->sat && !exact && col >= 0)
    for (size_t n = 0; n < sizeof plain / sizeof *plain; n++)
      if (plain[n].op == i->op && plain[n].fn[col])
        return plain[n].fn[col];
  if (i->op == ISA_OP_SET)
    return set;
  switch (i->op) {
    case ISA_OP_ADD:
    case ISA_OP_SUB:
    case ISA_OP_MUL:
    case ISA_OP_FMA:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
    case ISA_OP_ABS:
    case ISA_OP_NEG:
    case ISA_OP_DIV:
    case ISA_OP_REM:
    case ISA_OP_MULH:
    case ISA_OP_RCP:
    case ISA_OP_SQRT:
    case ISA_OP_RSQRT:
    case ISA_OP_SIN:
    case ISA_OP_COS:
    case ISA_OP_EX2:
    case ISA_OP_LG2:
    case ISA_OP_TANH:
    case ISA_OP_BFE:
    case ISA_OP_BFI:
    case ISA_OP_BREV:
    case ISA_OP_POPC:
    case ISA_OP_CLZ:
    case ISA_OP_BFIND:
    case ISA_OP_PRMT:
    case ISA_OP_SHF:
    case ISA_OP_VABSDIFF4:
      return lane_by_lane;
    default:
      return NULL;
  }
}

const lanes_table LANES_TABLE = {find, find_cmp};
