// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: sums with carry, dot products of bytes, copies to shared memory.
#include <string.h>
#include "lower.h"

static bool is(const lower *l, const char *op) {
  return strcmp(l->s->op, op) == 0;
}

static isa_reg three(lower *l, unsigned op, unsigned type, lower_value a, lower_value b,
                     lower_value c) {
  isa_reg d = lower_temp(l, isa_types[type].bits / 32);
  lower_emit3(l, isa_inst_new(op, type), d, a, b, c);
  return d;
}
static isa_reg two(lower *l, unsigned op, unsigned type, lower_value a, lower_value b) {
  return three(l, op, type, a, b, lower_none);
}

static isa_reg pick(lower *l, isa_reg p, lower_value a, lower_value b) {
  isa_inst i = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  i.ps = p;
  return lower_emit3(l, i, lower_temp(l, 1), a, b, lower_none)->i.d;
}

static isa_reg below(lower *l, unsigned type, isa_reg a, lower_value b) {
  isa_inst i = isa_inst_new(ISA_OP_SETP, type);
  i.fn = ISA_CMP_LT;
  i.pd = mir_pred_new(l->k);
  return lower_emit3(l, i, ISA_RZ, lower_of(a), b, lower_none)->i.pd;
}

// ---- .cc: the carry, or the borrow, is a register of the kernel that holds 0 or 1

static isa_reg carry_of(lower *l) {
  if (!l->has_carry)
    l->carry = lower_temp(l, 1);
  l->has_carry = true;
  return l->carry;
}

// The carry as wide as the operands.
static lower_value carry_in(lower *l, unsigned words) {
  if (words == 1)
    return lower_of(carry_of(l));
  isa_reg wide = lower_temp(l, 2);
  lower_mov(l, lower_part(wide, 0), lower_of(carry_of(l)), 1);
  lower_mov(l, lower_part(wide, 1), lower_imm(0), 1);
  return lower_of(wide);
}

// d = a + b (+ carry), or d = a - b (- borrow), and the new carry.
static void with_carry(lower *l, bool subtracts, bool in, isa_reg a, lower_value b) {
  const unsigned words = lower_words(l->mods.types[0]);
  const unsigned type = words == 2 ? ISA_TYPE_U64 : ISA_TYPE_U32;
  const unsigned op = subtracts ? ISA_OP_SUB : ISA_OP_ADD;
  isa_reg sum = two(l, op, type, lower_of(a), b);
  isa_reg first = subtracts ? below(l, type, a, b) : below(l, type, sum, lower_of(a));
  isa_reg second = ISA_PT;
  if (in) {
    const lower_value more = carry_in(l, words);
    isa_reg whole = two(l, op, type, lower_of(sum), more);
    second = subtracts ? below(l, type, sum, more) : below(l, type, whole, lower_of(sum));
    sum = whole;
  }
  if (lower_mod(l, "cc")) {
    isa_reg c = pick(l, first, lower_imm(1), lower_imm(0));
    if (in)
      c = pick(l, second, lower_imm(1), lower_of(c));
    lower_mov(l, carry_of(l), lower_of(c), 1);
  }
  lower_mov(l, lower_dst(l, 0, words), lower_of(sum), words);
}

static void carry(lower *l) {
  const ptx_type t = l->mods.types[0];
  const bool in = l->s->op[strlen(l->s->op) - 1] == 'c';
  const bool signs = lower_kind(t) == 'S', wide = lower_words(t) == 2;
  isa_reg a = lower_src_reg(l, 1, t);
  if (l->s->op[0] != 'm') {
    with_carry(l, l->s->op[0] == 's', in, a, lower_src(l, 2, t));
    return;
  }
  if (!lower_mod(l, "lo") && !lower_mod(l, "hi")) {
    lower_error(l, UINT32_MAX, "a multiplication with carry needs .lo or .hi");
    return;
  }
  const unsigned plain = wide ? ISA_TYPE_U64 : ISA_TYPE_U32;
  const unsigned full = signs ? (wide ? ISA_TYPE_S64 : ISA_TYPE_S32) : plain;
  const bool high = lower_mod(l, "hi");
  isa_reg product =
      two(l, high ? ISA_OP_MULH : ISA_OP_MUL, high ? full : plain, lower_of(a), lower_src(l, 2, t));
  with_carry(l, false, in, product, lower_src(l, 3, t));
}

static bool carries(const lower *l) {
  static const char *const ops[] = {"addc", "subc", "madc"};
  const ptx_type t = l->mods.types[0];
  if (lower_kind(t) == 'F' || ptx_type_bytes(t) < 4)
    return false;
  for (unsigned n = 0; n < 3; n++)
    if (is(l, ops[n]))
      return true;
  return lower_mod(l, "cc") && (is(l, "add") || is(l, "sub") || is(l, "mad"));
}

// ---- dot products

static isa_reg part(lower *l, isa_reg r, ptx_type t, unsigned at, unsigned bits) {
  return two(l, ISA_OP_BFE, lower_kind(t) == 'S' ? ISA_TYPE_S32 : ISA_TYPE_U32, lower_of(r),
             lower_imm(at | bits << 8));
}

static void dot(lower *l) {
  if (l->mods.type_count != 2) {
    lower_error(l, UINT32_MAX, "`%s` needs two types", l->s->op);
    return;
  }
  const bool bytes = is(l, "dp4a");
  const unsigned from = lower_mod(l, "hi") ? 16 : 0, width = bytes ? 8 : 16;
  const ptx_type *t = l->mods.types;
  isa_reg a = lower_src_reg(l, 1, t[0]), b = lower_src_reg(l, 2, t[1]);
  isa_reg sum = lower_src_reg(l, 3, t[0]);
  for (unsigned n = 0; n < (bytes ? 4 : 2); n++) {
    isa_reg x = part(l, a, t[0], n * width, width), y = part(l, b, t[1], from + 8 * n, 8);
    sum = three(l, ISA_OP_MAD, ISA_TYPE_U32, lower_of(x), lower_of(y), lower_of(sum));
  }
  lower_mov(l, lower_dst(l, 0, 1), lower_of(sum), 1);
}

// ---- cp.async: a load and a store, at once

typedef struct async_copy {
  isa_inst ld, st;
  unsigned bytes;
} async_copy;

// Bytes of the source, of which the others become 0: a number, or all or nothing by a predicate.
static lower_value source_bytes(lower *l, unsigned bytes) {
  const ptx_operand *o = &l->s->operands[3];
  if (l->s->operand_count < 4)
    return lower_imm(bytes);
  if (o->kind != PTX_REG || l->f->regs[o->reg].type != PTX_PRED)
    return lower_src(l, 3, PTX_U32);
  isa_inst i = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  i.ps = lower_src_pred(l, 3, &i.ps_neg);
  lower_emit3(l, i, i.d = lower_temp(l, 1), lower_imm(0), lower_imm(bytes), lower_none);
  return lower_of(i.d);
}

// Word n of the source: what lies behind `have` bytes is not read, and 0.
static void copy_word(lower *l, const async_copy *c, isa_reg to, unsigned n, isa_reg have) {
  isa_inst reads = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  reads.fn = ISA_CMP_GT;
  reads.pd = mir_pred_new(l->k);
  reads.boolop = ISA_BOOL_AND;
  reads.ps = l->guard;
  reads.ps_neg = l->guard_neg;
  const isa_reg guard = l->guard;
  const bool neg = l->guard_neg;
  isa_inst ld = c->ld;
  ld.type = ISA_TYPE_B32;
  ld.imm += 4 * n;
  ld.d = lower_temp(l, 1);
  l->guard = ISA_PT;  // the predicate holds for nobody else
  l->guard_neg = false;
  lower_emit3(l, reads, ISA_RZ, lower_of(have), lower_imm(4 * n), lower_none);
  lower_mov(l, ld.d, lower_imm(0), 1);
  l->guard = reads.pd;
  lower_emit(l, ld);
  l->guard = guard;
  l->guard_neg = neg;
  isa_reg left = two(l, ISA_OP_SUB, ISA_TYPE_U32, lower_of(have), lower_imm(4 * n));
  isa_reg bits = two(l, ISA_OP_SHL, ISA_TYPE_B32, lower_of(left), lower_imm(3));
  isa_reg mask = two(l, ISA_OP_SHL, ISA_TYPE_B32, lower_imm(1), lower_of(bits));
  mask = two(l, ISA_OP_SUB, ISA_TYPE_U32, lower_of(mask), lower_imm(1));
  isa_reg cut = two(l, ISA_OP_AND, ISA_TYPE_B32, lower_of(ld.d), lower_of(mask));
  isa_reg word = pick(l, below(l, ISA_TYPE_U32, left, lower_imm(4)), lower_of(cut), lower_of(ld.d));
  lower_mov(l, to, lower_of(word), 1);
}

static void copy(lower *l, const async_copy *c) {
  static const uint8_t types[] = {[1] = ISA_TYPE_B32, [2] = ISA_TYPE_B64, [4] = ISA_TYPE_B128};
  const unsigned words = c->bytes / 4;
  const lower_value have = source_bytes(l, c->bytes);
  isa_inst ld = c->ld, st = c->st;
  ld.type = st.type = types[words];
  ld.d = st.b = lower_temp(l, words);
  if (have.is_imm && have.imm == c->bytes) {
    lower_emit(l, ld);
  } else {
    isa_reg bytes = lower_reg(l, have, 1);
    for (unsigned n = 0; n < words; n++)
      copy_word(l, c, words == 1 ? st.b : lower_part(st.b, n), n, bytes);
  }
  lower_emit(l, st);
}

static void copy_async(lower *l) {
  async_copy c = {.ld = isa_inst_new(ISA_OP_LD, ISA_TYPE_NONE),
                  .st = isa_inst_new(ISA_OP_ST, ISA_TYPE_NONE)};
  const ptx_operand *o = &l->s->operands[2];
  if (lower_mod(l, "commit_group") || lower_mod(l, "wait_group") || lower_mod(l, "wait_all"))
    return;
  l->mods.order = ISA_ORDER_WEAK;
  l->mods.space = PTX_SHARED;
  if (!lower_address(l, 0, &c.st))
    return;
  l->mods.space = PTX_GLOBAL;
  if (!lower_address(l, 1, &c.ld))
    return;
  if (l->s->operand_count < 3 || l->s->operand_count > 4 || o->kind != PTX_INT ||
      (o->value != 4 && o->value != 8 && o->value != 16)) {
    lower_error(l, 2, "expected 4, 8 or 16 bytes, and no cache policy");
    return;
  }
  c.bytes = (unsigned)o->value;
  copy(l, &c);
}

bool lower_more(lower *l) {
  if (carries(l))
    carry(l);
  else if (is(l, "dp4a") || is(l, "dp2a"))
    dot(l);
  else if (is(l, "cp") && lower_mod(l, "async"))
    copy_async(l);
  else
    return false;
  return true;
}
