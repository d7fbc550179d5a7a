// SPDX-License-Identifier: Apache-2.0
// What an instruction computes, as a sum. Of 32 bits a sum is the value modulo 2 to the power of
// 32; where it is taken as a number (extended, shifted to the right), it must be within range.
#include "addresses_sum.h"

typedef struct inst {
  adder *x;
  uint32_t site;
  const mir_inst *mi;
  const isa_inst *i;
} inst;

static sum none(const inst *n) {
  return sum_none(AFFINE_VALUE, n->site);
}

static sum operand(const inst *n, unsigned o) {
  if (n->i->imm_at != o)
    return adder_operand(n->x, n->site, o);
  return n->mi->reloc ? none(n) : sum_number((int32_t)n->i->imm);
}

static bool is_integer(unsigned type) {
  const char kind = isa_types[type].kind;
  return (kind == 'U' || kind == 'S' || kind == 'B') &&
         (isa_types[type].bits == 32 || isa_types[type].bits == 64);
}

// The number that the low bits of a value are, by type. What has 64 bits is taken as it is.
static sum number(const inst *n, const sum *a, unsigned type) {
  const unsigned bits = isa_types[type].bits;
  int64_t value;
  if (bits >= 64)
    return *a;
  const bool is_signed = isa_types[type].kind == 'S';
  if (sum_is_number(a, &value)) {
    const unsigned unused = 64 - bits;
    const uint64_t top = (uint64_t)value << unused;
    return sum_number(is_signed ? (int64_t)top >> unused : (int64_t)(top >> unused));
  }
  const int64_t half = INT64_C(1) << (bits - 1);
  return is_signed ? sum_within(adder_own_ranges(n->x), a, -half, half - 1, n->site)
                   : sum_within(adder_own_ranges(n->x), a, 0, 2 * half - 1, n->site);
}

static sum special(const inst *n) {
  const unsigned r = n->i->fn;
  static const uint8_t kinds[] = {AFFINE_TID, AFFINE_NTID, AFFINE_CTAID, AFFINE_NCTAID};
  if (r > ISA_SREG_NCTAID_Z)
    return none(n);
  return sum_symbol((affine_symbol){kinds[r / 3], 0, (uint16_t)(r % 3)});
}

static sum argument(const inst *n) {
  const unsigned bits = isa_types[n->i->type].bits;
  if (n->i->space != ISA_SPACE_PARAM || n->i->a != ISA_RZ || n->i->imm > UINT16_MAX || bits > 64 ||
      n->i->order != ISA_ORDER_WEAK)
    return none(n);
  return sum_symbol((affine_symbol){AFFINE_ARGUMENT, n->i->type, (uint16_t)n->i->imm});
}

static sum convert(const inst *n) {
  const sum a = operand(n, 1);
  const unsigned from = isa_types[n->i->type2].bits, to = isa_types[n->i->type].bits;
  if (n->i->sat)
    return none(n);
  if (to == 32 && from >= 32)
    return a;
  const sum b = number(n, &a, n->i->type2);
  return to < 32 ? number(n, &b, n->i->type) : b;
}

static sum shift_left(const inst *n) {
  const sum a = operand(n, 1), b = operand(n, 2);
  int64_t bits;
  if (!sum_is_number(&b, &bits) || bits < 0 || bits > 31)
    return b.reason != AFFINE_IS ? b : none(n);
  const sum zero = sum_number(0);
  return sum_add(&zero, &a, INT64_C(1) << bits, n->site);
}

static sum shift_right(const inst *n, const sum *a, unsigned bits, unsigned type) {
  const sum b = number(n, a, type);
  sum quotient, rest;
  if (isa_types[type].bits == 64)  // it may be larger than a sum has bits
    return none(n);
  return b.reason != AFFINE_IS                            ? b
         : sum_split(&b, bits, n->site, &quotient, &rest) ? quotient
                                                          : none(n);
}

static sum shift(const inst *n) {
  const sum a = operand(n, 1), b = operand(n, 2);
  int64_t bits;
  if (!sum_is_number(&b, &bits) || bits < 0 || bits > 31)
    return b.reason != AFFINE_IS ? b : none(n);
  return shift_right(n, &a, (unsigned)bits, n->i->type);
}

// A value's lowest bits.
static sum low_bits(const inst *n, const sum *a, unsigned bits) {
  sum quotient, rest;
  if (!bits)
    return sum_number(0);
  return sum_split(a, bits, n->site, &quotient, &rest) ? rest : none(n);
}

// A mask of bits one beside the other.
static sum masked(const inst *n, const sum *a, uint64_t mask) {
  const unsigned first = (unsigned)__builtin_ctzll(mask),
                 end = first + (unsigned)__builtin_popcountll(mask);
  if (mask >> first & ((mask >> first) + 1))
    return none(n);
  const sum low = low_bits(n, a, first), all = end >= 32 ? *a : low_bits(n, a, end);
  return sum_add(&all, &low, -1, n->site);
}

static sum and_number(const inst *n, const sum *a, int64_t mask) {
  const bool is_wide = isa_types[n->i->type].bits == 64;
  if (is_wide && mask == UINT32_MAX)
    return number(n, a, ISA_TYPE_U32);
  if (a->reason != AFFINE_IS || !mask)
    return mask ? *a : sum_number(0);
  if (is_wide && mask > INT32_MAX)
    return none(n);
  return masked(n, a, is_wide ? (uint64_t)mask : (uint32_t)mask);
}

static sum and_of(const inst *n) {
  const sum a = operand(n, 1), b = operand(n, 2);
  int64_t mask;
  if (sum_is_number(&b, &mask))
    return and_number(n, &a, mask);
  return sum_is_number(&a, &mask) ? and_number(n, &b, mask)
         : a.reason != AFFINE_IS  ? a
         : b.reason != AFFINE_IS  ? b
                                  : none(n);
}

// Of bits that do not meet: so compilers write an addition.
static sum or_of(const inst *n) {
  sum a = operand(n, 1), b = operand(n, 2);
  int64_t bits;
  if (a.reason != AFFINE_IS || b.reason != AFFINE_IS)
    return a.reason != AFFINE_IS ? a : b;
  if (sum_is_number(&a, &bits)) {
    const sum c = a;
    a = b, b = c;
  }
  unsigned zeros = 0;
  while (zeros < 31 && sum_is_multiple(&a, zeros + 1))
    zeros++;
  const sum low = sum_within(adder_own_ranges(n->x), &b, 0, (INT64_C(1) << zeros) - 1, n->site);
  return sum_add(&a, &low, 1, n->site);
}

// Of a type with a sign the program means numbers; below 0 it rounds up.
static sum divide(const inst *n, bool wants_rest) {
  const sum a = operand(n, 1), b = operand(n, 2);
  int64_t by;
  if (!sum_is_number(&b, &by) || by <= 0 || by & (by - 1) || by > INT32_MAX)
    return b.reason != AFFINE_IS ? b : none(n);
  const sum positive =
      sum_within(adder_own_ranges(n->x), &a, 0,
                 isa_types[n->i->type].kind == 'U' ? UINT32_MAX : INT32_MAX, n->site);
  sum quotient, rest;
  if (positive.reason != AFFINE_IS)
    return positive;
  if (!sum_split(&positive, (unsigned)__builtin_ctzll((uint64_t)by), n->site, &quotient, &rest))
    return none(n);
  return wants_rest ? rest : quotient;
}

static sum sum_of(const inst *n, int64_t times_b) {
  const sum a = operand(n, 1), b = operand(n, 2);
  return n->i->sat ? none(n) : sum_add(&a, &b, times_b, n->site);
}

static sum product(const inst *n, bool wide) {
  sum a = operand(n, 1), b = operand(n, 2);
  if (wide) {
    a = number(n, &a, n->i->type);
    b = number(n, &b, n->i->type);
  }
  return sum_multiply(&a, &b, n->site);
}

static sum product_and(const inst *n, bool wide) {
  const sum a = product(n, wide), b = operand(n, 3);
  return sum_add(&a, &b, 1, n->site);
}

// One of both, or the larger or smaller one.
static sum choice(const inst *n) {
  const sum a = operand(n, 1), b = operand(n, 2);
  if (a.reason != AFFINE_IS || b.reason != AFFINE_IS)
    return a.reason != AFFINE_IS ? a : b;
  const sum zero = sum_add(&a, &b, -1, n->site), nothing = sum_number(0);
  const sum ranges = sum_multiply(&zero, &nothing, n->site);
  return zero.reason == AFFINE_IS && !zero.n ? sum_add(&a, &ranges, 1, n->site)
                                             : sum_none(AFFINE_PATHS, n->site);
}

static sum negative(const inst *n) {
  const sum a = operand(n, 1), zero = sum_number(0);
  return sum_add(&zero, &a, -1, n->site);
}

static sum complement(const inst *n) {
  const sum a = operand(n, 1), least = sum_number(-1);
  return sum_add(&least, &a, -1, n->site);
}

sum adder_result(adder *x, uint32_t site) {
  const mir_inst *mi = adder_ssa(x)->sites[site].mi;
  const inst n = {x, site, mi, &mi->i};
  if (mi->i.op == ISA_OP_S2R)
    return special(&n);
  if (mi->i.op == ISA_OP_LD)
    return argument(&n);
  if (mi->i.op == ISA_OP_I2I)
    return convert(&n);
  if (!is_integer(mi->i.type))
    return none(&n);
  switch (mi->i.op) {
    case ISA_OP_MOV:
      return operand(&n, 1);
    case ISA_OP_CVTA:
      return mi->i.space == ISA_SPACE_GLOBAL ? operand(&n, 1) : none(&n);
    case ISA_OP_ADD:
      return sum_of(&n, 1);
    case ISA_OP_SUB:
      return sum_of(&n, -1);
    case ISA_OP_NEG:
      return negative(&n);
    case ISA_OP_NOT:
      return complement(&n);
    case ISA_OP_MUL:
      return product(&n, false);
    case ISA_OP_MULW:
      return product(&n, true);
    case ISA_OP_MAD:
      return product_and(&n, false);
    case ISA_OP_MADW:
      return product_and(&n, true);
    case ISA_OP_SHL:
      return shift_left(&n);
    case ISA_OP_SHR:
      return shift(&n);
    case ISA_OP_DIV:
      return divide(&n, false);
    case ISA_OP_REM:
      return divide(&n, true);
    case ISA_OP_AND:
      return and_of(&n);
    case ISA_OP_OR:
      return or_of(&n);
    case ISA_OP_SELP:
    case ISA_OP_MIN:
    case ISA_OP_MAX:
      return choice(&n);
    default:
      return none(&n);
  }
}
