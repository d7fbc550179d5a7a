// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: sums and differences with a carry. The machine has no carry flag: it is 0 or 1 in a
// register of the kernel, set from comparisons.
#include <string.h>
#include "lower.h"

static isa_reg value_of(lower *l, uint32_t o, ptx_type t) {
  return lower_reg(l, lower_src(l, o, t), lower_words(t));
}

static isa_reg combine(lower *l, unsigned op, unsigned words, isa_reg a, isa_reg b) {
  isa_reg d = lower_temp(l, words);
  lower_emit3(l, isa_inst_new(op, words == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32), d, lower_of(a),
              lower_of(b), lower_none);
  return d;
}

// 1 where a < b, else 0.
static isa_reg is_less(lower *l, unsigned words, isa_reg a, isa_reg b) {
  isa_reg p = mir_pred_new(l->k), d = lower_temp(l, 1);
  isa_inst compare = isa_inst_new(ISA_OP_SETP, words == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32);
  compare.fn = ISA_CMP_LT;
  compare.pd = p;
  lower_emit3(l, compare, ISA_RZ, lower_of(a), lower_of(b), lower_none);
  isa_inst select = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  select.ps = p;
  lower_emit3(l, select, d, lower_imm(1), lower_none, lower_none);
  return d;
}

static isa_reg carry(lower *l) {
  if (l->carry == ISA_RZ)
    l->carry = mir_vreg_new(l->k, 1, NULL);
  return l->carry;
}

static isa_reg carry_as(lower *l, unsigned words) {
  if (words == 1)
    return carry(l);
  isa_reg wide = lower_temp(l, 2);
  lower_mov(l, lower_part(wide, 0), lower_of(carry(l)), 1);
  lower_mov(l, lower_part(wide, 1), lower_of(ISA_RZ), 1);
  return wide;
}

// d = a + b (+ carry), or a - b (- carry): a carry out where the sum is less than a, or a
// difference is of a lesser number.
static void chain(lower *l, bool sub, bool in, unsigned words, isa_reg a, isa_reg b) {
  const unsigned op = sub ? ISA_OP_SUB : ISA_OP_ADD;
  const bool out = lower_mod(l, "cc");
  isa_reg sum = combine(l, op, words, a, b), result = sum, over = ISA_RZ;
  if (out)
    over = sub ? is_less(l, words, a, b) : is_less(l, words, sum, a);
  if (in) {
    isa_reg more = carry_as(l, words);
    result = combine(l, op, words, sum, more);
    if (out) {
      isa_reg again = sub ? is_less(l, words, sum, more) : is_less(l, words, result, sum);
      over = combine(l, ISA_OP_ADD, 1, over, again);
    }
  }
  if (out)
    lower_mov(l, carry(l), lower_of(over), 1);
  lower_mov(l, lower_dst(l, 0, words), lower_of(result), words);
}

static isa_reg product(lower *l, ptx_type t, unsigned words) {
  const bool high = lower_mod(l, "hi"), is_signed = lower_kind(t) == 'S';
  const unsigned type = words == 2 ? (is_signed && high ? ISA_TYPE_S64 : ISA_TYPE_U64)
                                   : (is_signed && high ? ISA_TYPE_S32 : ISA_TYPE_U32);
  isa_reg d = lower_temp(l, words), a = value_of(l, 1, t), b = value_of(l, 2, t);
  if (!high && !lower_mod(l, "lo"))
    lower_error(l, UINT32_MAX, "a multiplication with a carry needs .lo or .hi");
  lower_emit3(l, isa_inst_new(high ? ISA_OP_MULH : ISA_OP_MUL, type), d, lower_of(a), lower_of(b),
              lower_none);
  return d;
}

bool lower_carry(lower *l) {
  static const struct {
    const char *op;
    bool sub, in, multiplies;
  } known[] = {{"add", false, false, false}, {"addc", false, true, false},
               {"sub", true, false, false},  {"subc", true, true, false},
               {"mad", false, false, true},  {"madc", false, true, true}};
  for (unsigned n = 0; n < sizeof known / sizeof *known; n++) {
    if (strcmp(l->s->op, known[n].op) != 0 || (!known[n].in && !lower_mod(l, "cc")))
      continue;
    const ptx_type t = l->mods.type_count ? l->mods.types[0] : PTX_NOTYPE;
    if (t != PTX_U32 && t != PTX_S32 && t != PTX_U64 && t != PTX_S64) {
      lower_error(l, UINT32_MAX, "`%s` with a carry takes integers of 32 or 64 bits", l->s->op);
      return true;
    }
    const unsigned words = lower_words(t);
    if (known[n].multiplies)
      chain(l, false, known[n].in, words, product(l, t, words), value_of(l, 3, t));
    else
      chain(l, known[n].sub, known[n].in, words, value_of(l, 1, t), value_of(l, 2, t));
    return true;
  }
  return false;
}
