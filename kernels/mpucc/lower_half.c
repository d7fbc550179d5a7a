// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: numbers of 16 bits (f16, bf16) and pairs of them. The machine has none: they are made
// floats, which are computed with and rounded once more. That gives what one rounding would: 24
// bits are more than twice those of the result, and where the first rounding is inexact and this
// does not hold, it is to odd.
#include "lower_half.h"
#include <string.h>

enum { PAIR = 0x5410, HALF_NAN = 0x7fff };

static bool is(const lower *l, const char *op) {
  return strcmp(l->s->op, op) == 0;
}

static lower_value reg(isa_reg r) {
  return lower_of(r);
}
static lower_value imm(uint32_t v) {
  return lower_imm(v);
}

bool lower_is_half(ptx_type t) {
  return t >= PTX_F16 && t <= PTX_BF16X2;
}
static bool is_brain(ptx_type t) {
  return t == PTX_BF16 || t == PTX_BF16X2;
}
static bool is_pair(ptx_type t) {
  return ptx_type_bytes(t) == 4;
}

// ---- single instructions, each with a new register as its result

static isa_reg made(lower *l, unsigned op, unsigned type, unsigned fn, lower_value a, lower_value b,
                    lower_value c) {
  isa_inst i = isa_inst_new(op, type);
  i.fn = (uint8_t)fn;
  return lower_emit3(l, i, lower_temp(l, type == ISA_TYPE_F64 ? 2 : 1), a, b, c)->i.d;
}

static isa_reg two(lower *l, unsigned op, unsigned type, isa_reg a, lower_value b) {
  return made(l, op, type, 0, reg(a), b, lower_none);
}

static isa_reg test(lower *l, unsigned type, unsigned cmp, isa_reg a, lower_value b) {
  isa_inst i = isa_inst_new(ISA_OP_SETP, type);
  i.fn = (uint8_t)cmp;
  i.pd = mir_pred_new(l->k);
  return lower_emit3(l, i, ISA_RZ, reg(a), b, lower_none)->i.pd;
}

static isa_reg pick(lower *l, isa_reg p, lower_value a, lower_value b) {
  isa_inst i = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  i.ps = p;
  return lower_emit3(l, i, lower_temp(l, 1), a, b, lower_none)->i.d;
}

static isa_reg combine(lower *l, isa_reg low, isa_reg high) {
  return made(l, ISA_OP_PRMT, ISA_TYPE_B32, 0, reg(low), reg(high), imm(PAIR));
}

// `z` with its last bit set when the results of two directions differ: `m` down, `q` up.
static isa_reg odd(lower *l, unsigned type, isa_reg z, isa_reg m, isa_reg q) {
  isa_reg more = pick(l, test(l, type, ISA_CMP_NEU, m, reg(q)), imm(1), imm(0));
  if (type == ISA_TYPE_F32)
    return two(l, ISA_OP_OR, ISA_TYPE_B32, z, reg(more));
  isa_reg d = lower_temp(l, 2);
  lower_emit3(l, isa_inst_new(ISA_OP_OR, ISA_TYPE_B32), lower_part(d, 0), reg(lower_part(z, 0)),
              reg(more), lower_none);
  lower_mov(l, lower_part(d, 1), reg(lower_part(z, 1)), 1);
  return d;
}

// ---- to float and back

static isa_reg sixteen(lower *l, isa_reg x, bool high) {
  return high ? two(l, ISA_OP_SHR, ISA_TYPE_U32, x, imm(16)) : x;
}

// In a conversion .ftz is for its float, none of whose subnormal numbers comes of 16 bits.
static bool flushes(const lower *l) {
  return l->mods.ftz && !is(l, "cvt");
}

// .ftz: a subnormal number becomes a zero of its sign.
static isa_reg flushed(lower *l, isa_reg h) {
  isa_reg exponent = two(l, ISA_OP_AND, ISA_TYPE_B32, h, imm(0x7c00));
  isa_reg sign = two(l, ISA_OP_AND, ISA_TYPE_B32, h, imm(0x8000));
  return pick(l, test(l, ISA_TYPE_U32, ISA_CMP_EQ, exponent, imm(0)), reg(sign), reg(h));
}

// The upper or lower half of x; of f16 first as a number with the exponent of f16, in float.
static isa_reg widen(lower *l, isa_reg x, bool brain, bool high) {
  if (brain)
    return high ? two(l, ISA_OP_AND, ISA_TYPE_B32, x, imm(0xffff0000))
                : two(l, ISA_OP_SHL, ISA_TYPE_B32, x, imm(16));
  isa_reg h = sixteen(l, x, high);
  isa_reg sign = high ? x : two(l, ISA_OP_SHL, ISA_TYPE_B32, x, imm(16));
  if (flushes(l))
    h = flushed(l, h);
  isa_reg value = two(l, ISA_OP_AND, ISA_TYPE_B32, h, imm(0x7fff));
  isa_reg v = two(l, ISA_OP_SHL, ISA_TYPE_B32, value, imm(13));
  isa_reg up = two(l, ISA_OP_MUL, ISA_TYPE_F32, v, imm(0x77800000));  // the biases differ by 112
  isa_reg none = two(l, ISA_OP_OR, ISA_TYPE_B32, v, imm(0x7f800000));
  isa_reg special = test(l, ISA_TYPE_U32, ISA_CMP_GE, value, imm(0x7c00));
  isa_reg r = pick(l, special, reg(none), reg(up));
  return made(l, ISA_OP_COPYSIGN, ISA_TYPE_F32, 0, reg(sign), reg(r), lower_none);
}

// What is added to the bits of |v| before `cut` of them are dropped, as the mode says.
static isa_reg rounding_bias(lower *l, isa_reg v, unsigned rnd, unsigned cut) {
  const uint32_t most = (1u << cut) - 1;
  if (rnd == ISA_RND_RN) {
    isa_reg last = two(l, ISA_OP_BFE, ISA_TYPE_U32, v, imm(cut | 1u << 8));
    return two(l, ISA_OP_ADD, ISA_TYPE_U32, last, imm(most >> 1));
  }
  if (rnd == ISA_RND_RZ)
    return ISA_RZ;
  isa_reg negative = two(l, ISA_OP_SHR, ISA_TYPE_S32, v, imm(31));
  isa_reg bias = two(l, ISA_OP_AND, ISA_TYPE_B32, negative, imm(most));
  return rnd == ISA_RND_RM ? bias : two(l, ISA_OP_XOR, ISA_TYPE_B32, bias, imm(most));
}

static isa_reg narrow_brain(lower *l, isa_reg v, unsigned rnd) {
  isa_reg bias = rounding_bias(l, v, rnd, 16);
  isa_reg sum = two(l, ISA_OP_ADD, ISA_TYPE_U32, v, reg(bias));
  isa_reg cut = two(l, ISA_OP_SHR, ISA_TYPE_U32, sum, imm(16));
  return pick(l, test(l, ISA_TYPE_F32, ISA_CMP_NAN, v, reg(v)), imm(HALF_NAN), reg(cut));
}

// Below 2^-14 the last place of the result is that of 0.5 in float: adding 0.5 rounds there.
static isa_reg narrow_small(lower *l, isa_reg v, unsigned rnd) {
  isa_reg half = made(l, ISA_OP_COPYSIGN, ISA_TYPE_F32, 0, reg(v), imm(0x3f000000), lower_none);
  isa_reg sum = made(l, ISA_OP_ADD, ISA_TYPE_F32, rnd, reg(v), reg(half), lower_none);
  isa_reg value = two(l, ISA_OP_AND, ISA_TYPE_B32, sum, imm(0x7fffffff));
  return two(l, ISA_OP_ADD, ISA_TYPE_U32, value, imm(0u - 0x3f000000));
}

// The largest result: infinity, or the largest number where the mode does not lead there.
static lower_value narrow_limit(lower *l, isa_reg bias, unsigned rnd) {
  if (rnd == ISA_RND_RN)
    return imm(0x7c00);
  if (rnd == ISA_RND_RZ)
    return imm(0x7bff);
  isa_reg away = two(l, ISA_OP_AND, ISA_TYPE_B32, bias, imm(1));
  return reg(two(l, ISA_OP_ADD, ISA_TYPE_U32, away, imm(0x7bff)));
}

// 16 bits from a float, the upper ones of the register 0.
static isa_reg narrow(lower *l, isa_reg v, bool brain, unsigned rnd) {
  if (brain)
    return narrow_brain(l, v, rnd);
  isa_reg a = two(l, ISA_OP_AND, ISA_TYPE_B32, v, imm(0x7fffffff));
  isa_reg bias = rounding_bias(l, v, rnd, 13);
  isa_reg sum = two(l, ISA_OP_ADD, ISA_TYPE_U32, a, imm(0u - (112u << 23)));
  sum = two(l, ISA_OP_ADD, ISA_TYPE_U32, sum, reg(bias));
  isa_reg large = two(l, ISA_OP_SHR, ISA_TYPE_U32, sum, imm(13));
  large = two(l, ISA_OP_MIN, ISA_TYPE_U32, large, narrow_limit(l, bias, rnd));
  if (rnd != ISA_RND_RN)
    large = pick(l, test(l, ISA_TYPE_U32, ISA_CMP_EQ, a, imm(0x7f800000)), imm(0x7c00), reg(large));
  isa_reg below = test(l, ISA_TYPE_U32, ISA_CMP_LT, a, imm(0x38800000));
  isa_reg value = pick(l, below, reg(narrow_small(l, v, rnd)), reg(large));
  isa_reg sign = two(l, ISA_OP_SHR, ISA_TYPE_U32, v, imm(16));
  sign = two(l, ISA_OP_AND, ISA_TYPE_B32, sign, imm(0x8000));
  isa_reg whole = two(l, ISA_OP_OR, ISA_TYPE_B32, value, reg(sign));
  isa_reg none = test(l, ISA_TYPE_F32, ISA_CMP_NAN, v, reg(v));
  isa_reg h = pick(l, none, imm(HALF_NAN), reg(whole));
  return flushes(l) ? flushed(l, h) : h;
}

// What .sat and .relu make of a float.
static isa_reg bounded(lower *l, isa_reg v) {
  if (l->mods.sat) {
    v = two(l, ISA_OP_MAX, ISA_TYPE_F32, v, imm(0));
    v = two(l, ISA_OP_MIN, ISA_TYPE_F32, v, imm(0x3f800000));
  }
  if (lower_mod(l, "relu"))
    v = pick(l, test(l, ISA_TYPE_F32, ISA_CMP_LE, v, imm(0)), imm(0), reg(v));
  return v;
}

// ---- arithmetic

static isa_reg double_of(lower *l, isa_reg v) {
  isa_inst i = isa_inst_new(ISA_OP_F2F, ISA_TYPE_F64);
  i.type2 = ISA_TYPE_F32;
  return lower_emit3(l, i, lower_temp(l, 2), reg(v), lower_none, lower_none)->i.d;
}

// A double or an integer as a float, rounded to odd.
static isa_reg float_of(lower *l, unsigned op, unsigned type, lower_value v) {
  static const uint8_t ways[3] = {ISA_RND_RZ, ISA_RND_RM, ISA_RND_RP};
  isa_reg r[3];
  for (unsigned n = 0; n < 3; n++) {
    isa_inst i = isa_inst_new(op, ISA_TYPE_F32);
    i.type2 = (uint8_t)type;
    i.fn = ways[n];
    r[n] = lower_emit3(l, i, lower_temp(l, 1), v, lower_none, lower_none)->i.d;
  }
  return odd(l, ISA_TYPE_F32, r[0], r[1], r[2]);
}

// a * b is exact, in float of f16 and in double of bf16; so only the sum is rounded, to odd.
static isa_reg fused(lower *l, const isa_reg v[3], bool brain) {
  const unsigned type = brain ? ISA_TYPE_F64 : ISA_TYPE_F32;
  isa_reg x[3], r[3];
  for (unsigned n = 0; n < 3; n++)
    x[n] = brain ? double_of(l, v[n]) : v[n];
  static const uint8_t ways[3] = {ISA_RND_RZ, ISA_RND_RM, ISA_RND_RP};
  for (unsigned n = 0; n < 3; n++)
    r[n] = made(l, ISA_OP_FMA, type, ways[n], reg(x[0]), reg(x[1]), reg(x[2]));
  // zeros have the sign that rounding to nearest gives them
  isa_reg z = odd(l, type, r[0], r[1], r[2]);
  return brain ? float_of(l, ISA_OP_F2F, ISA_TYPE_F64, reg(z)) : z;
}

typedef struct operation {
  const char *name;
  unsigned isa, sources, fn;
} operation;

static const operation operations[] = {
    {"add", ISA_OP_ADD, 2, ISA_RND_RN},
    {"sub", ISA_OP_SUB, 2, ISA_RND_RN},
    {"mul", ISA_OP_MUL, 2, ISA_RND_RN},
    {"fma", ISA_OP_FMA, 3, ISA_RND_RN},
    {"min", ISA_OP_MIN, 2, 0},
    {"max", ISA_OP_MAX, 2, 0},
    {"ex2", ISA_OP_EX2, 1, ISA_RND_APPROX},
    {"tanh", ISA_OP_TANH, 1, ISA_RND_APPROX},
};

static isa_reg computed(lower *l, const operation *o, const isa_reg v[3], bool brain) {
  if (o->isa == ISA_OP_FMA)
    return fused(l, v, brain);
  isa_reg r = made(l, o->isa, ISA_TYPE_F32, o->fn, reg(v[0]),
                   o->sources > 1 ? reg(v[1]) : lower_none, lower_none);
  if (lower_mod(l, "NaN"))
    r = pick(l, test(l, ISA_TYPE_F32, ISA_CMP_NAN, v[0], reg(v[1])), imm(0x7fffffff), reg(r));
  return r;
}

static isa_reg one(lower *l, const operation *o, const isa_reg x[3], ptx_type t, bool high) {
  isa_reg v[3] = {ISA_RZ, ISA_RZ, ISA_RZ};
  for (unsigned n = 0; n < o->sources; n++)
    v[n] = widen(l, x[n], is_brain(t), high);
  return narrow(l, bounded(l, computed(l, o, v, is_brain(t))), is_brain(t), ISA_RND_RN);
}

static isa_reg source(lower *l, uint32_t o, ptx_type t) {
  return lower_src_reg(l, o, is_pair(t) ? PTX_B32 : PTX_B16);
}

static void result(lower *l, isa_reg r) {
  lower_mov(l, lower_dst(l, 0, 1), reg(r), 1);
}

static void arithmetic(lower *l, const operation *o, ptx_type t) {
  isa_reg x[3] = {ISA_RZ, ISA_RZ, ISA_RZ};
  for (unsigned n = 0; n < o->sources; n++)
    x[n] = source(l, n + 1, t);
  isa_reg low = one(l, o, x, t, false);
  result(l, is_pair(t) ? combine(l, low, one(l, o, x, t, true)) : low);
}

// neg and abs, which are bits.
static void signs(lower *l, ptx_type t) {
  isa_reg x = source(l, 1, t);
  if (l->mods.ftz) {
    isa_reg low = flushed(l, x);
    x = is_pair(t) ? combine(l, low, flushed(l, sixteen(l, x, true))) : low;
  }
  result(l, is(l, "neg") ? two(l, ISA_OP_XOR, ISA_TYPE_B32, x, imm(0x80008000))
                         : two(l, ISA_OP_AND, ISA_TYPE_B32, x, imm(0x7fff7fff)));
}

// ---- comparison

// p (and q) = a cmp b [bool s] of the lower or upper halves.
static void compare(lower *l, ptx_type t, bool high, isa_reg p, isa_reg q) {
  uint8_t cmp;
  ptx_type wide = PTX_F32;
  if (!lower_find_cmp(l, &wide, &cmp))
    return;
  isa_inst i = isa_inst_new(ISA_OP_SETP, ISA_TYPE_F32);
  i.fn = cmp;
  i.pd = p;
  i.pq = q;
  if (l->s->operand_count == 4 && l->mods.boolop) {
    i.boolop = l->mods.boolop;
    i.ps = lower_src_pred(l, 3, &i.ps_neg);
  } else if (l->s->operand_count != 3 || l->mods.boolop) {
    lower_error(l, UINT32_MAX, "a third source and .and, .or or .xor go together");
  }
  isa_reg a = widen(l, source(l, 1, t), is_brain(t), high);
  isa_reg b = widen(l, source(l, 2, t), is_brain(t), high);
  lower_emit3(l, i, ISA_RZ, reg(a), reg(b), lower_none);
}

static void setp(lower *l, ptx_type t) {
  isa_reg p = lower_dst_pred(l, 0);
  isa_reg q = l->s->pair != UINT32_MAX ? l->regs[l->s->pair] : ISA_PT;
  if (!is_pair(t)) {
    compare(l, t, false, p, q);
    return;
  }
  isa_reg low = mir_pred_new(l->k);  // the upper halves may be combined with what p was
  compare(l, t, false, low, ISA_PT);
  if (q != ISA_PT)
    compare(l, t, true, q, ISA_PT);
  isa_inst i = isa_inst_new(ISA_OP_PLOP, ISA_TYPE_PRED);
  i.boolop = ISA_BOOL_AND;
  i.pd = p;
  i.ps = low;
  lower_emit(l, i);
}

static void set(lower *l, ptx_type d, ptx_type t) {
  const uint32_t one_of = lower_is_half(d) ? (is_brain(d) ? 0x3f80 : 0x3c00)
                          : d == PTX_F32   ? 0x3f800000
                                           : 0xffffffff;
  isa_reg r[2];
  for (unsigned n = 0; n < (is_pair(t) ? 2 : 1); n++) {
    isa_reg p = mir_pred_new(l->k);
    compare(l, t, n, p, ISA_PT);
    r[n] = pick(l, p, imm(one_of), imm(0));
  }
  result(l, is_pair(t) ? combine(l, r[0], r[1]) : r[0]);
}

// ---- conversion

// Operand `o` as a float that only .f16 or .bf16 is rounded from.
static isa_reg as_float(lower *l, uint32_t o, ptx_type s) {
  if (lower_is_half(s))
    return widen(l, source(l, o, s), is_brain(s), false);
  if (s == PTX_F32 && !l->mods.ftz)
    return lower_src_reg(l, o, s);
  if (s == PTX_F32) {
    isa_inst i = isa_inst_new(ISA_OP_MUL, ISA_TYPE_F32);
    i.ftz = true;
    i.d = lower_temp(l, 1);
    return lower_emit3(l, i, i.d, lower_src(l, o, s), imm(0x3f800000), lower_none)->i.d;
  }
  if (s == PTX_F64)
    return float_of(l, ISA_OP_F2F, ISA_TYPE_F64, reg(lower_src_reg(l, o, s)));
  const bool is_signed = lower_kind(s) == 'S';
  const unsigned type = lower_words(s) == 2 ? (is_signed ? ISA_TYPE_S64 : ISA_TYPE_U64)
                                            : (is_signed ? ISA_TYPE_S32 : ISA_TYPE_U32);
  return float_of(l, ISA_OP_I2F, type, lower_extend(l, lower_convert_src(l, s), s));
}

static void to_half(lower *l, ptx_type d, ptx_type s) {
  unsigned rnd = l->mods.rnd;
  bool whole = rnd >= ISA_RND_RNI && rnd <= ISA_RND_RPI;
  if (rnd == ISA_RND_NONE && lower_is_half(s))
    rnd = ISA_RND_RN;
  if ((rnd < ISA_RND_RN || rnd > ISA_RND_RP) && !(whole && lower_is_half(s))) {
    lower_error(l, UINT32_MAX, "a conversion to .%s needs .rn, .rz, .rm or .rp", ptx_type_name(d));
    return;
  }
  isa_reg v = as_float(l, 1, s);
  if (whole) {
    isa_inst i = isa_inst_new(ISA_OP_F2F, ISA_TYPE_F32);
    i.type2 = ISA_TYPE_F32;
    i.fn = (uint8_t)rnd;
    v = lower_emit3(l, i, lower_temp(l, 1), reg(v), lower_none, lower_none)->i.d;
    rnd = ISA_RND_RN;
  }
  isa_reg first = narrow(l, bounded(l, v), is_brain(d), rnd);
  if (is_pair(d))  // the first source is the upper half
    first = combine(l, narrow(l, bounded(l, as_float(l, 2, s)), is_brain(d), rnd), first);
  result(l, first);
}

static void from_half(lower *l, ptx_type d, ptx_type s) {
  isa_reg v = widen(l, source(l, 1, s), is_brain(s), false);
  if (lower_kind(d) != 'F')
    lower_float_to_int(l, reg(v), d, PTX_F32);
  else if (d == PTX_F64)
    lower_mov(l, lower_dst(l, 0, 2), reg(double_of(l, bounded(l, v))), 2);
  else
    result(l, bounded(l, v));
}

static bool convert(lower *l) {
  ptx_type d = l->mods.types[0], s = l->mods.types[1];
  bool to = lower_is_half(d);
  if (l->mods.type_count != 2 || strchr("BP", lower_kind(d)) || strchr("BP", lower_kind(s)) ||
      (lower_is_half(s) && is_pair(s)) || (to && is_pair(d) && s != PTX_F32))
    return false;
  (to ? to_half : from_half)(l, d, s);
  return true;
}

bool lower_half(lower *l) {
  ptx_type t = l->mods.types[l->mods.type_count - 1];
  if (is(l, "cvt"))
    return convert(l);
  for (unsigned n = 0; n < sizeof operations / sizeof *operations; n++)
    if (is(l, operations[n].name) && l->mods.type_count == 1) {
      arithmetic(l, &operations[n], t);
      return true;
    }
  if ((is(l, "neg") || is(l, "abs")) && l->mods.type_count == 1)
    signs(l, t);
  else if (is(l, "setp") && l->mods.type_count == 1)
    setp(l, t);
  else if (is(l, "set") && l->mods.type_count == 2 && lower_is_half(t) &&
           is_pair(t) == (lower_is_half(l->mods.types[0]) && is_pair(l->mods.types[0])))
    set(l, l->mods.types[0], t);
  else
    return false;
  return true;
}

// The new value of a place in memory, of the type t, to which x is added.
isa_reg lower_half_sum(lower *l, ptx_type t, isa_reg old, isa_reg x) {
  const isa_reg v[3] = {old, x, ISA_RZ};
  isa_reg low = one(l, &operations[0], v, t, false);
  return is_pair(t) ? combine(l, low, one(l, &operations[0], v, t, true)) : low;
}
