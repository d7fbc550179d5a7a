// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: atomics of 16 bits and of pairs, by compare-and-swap of the aligned word around them.
//
//       @!guard bra after
//       read the number itself: this is where a bad address faults
//   loop: new = old + x, or what cas asks for
//       seen = atom.volatile.cas [word], old, new
//       old = seen, bra loop if it was not old
//       d = the number in old
//   after:
//
// .volatile lets the word reach over the end of an allocation (docs/isa.md).
#include <string.h>
#include "lower_half.h"

enum { LOOP_BLOCKS = 4 };

typedef struct small_atomic {
  isa_inst access;  // of the word
  ptx_type type;
  bool cas;
  isa_reg x, y;  // operands
  isa_reg old;   // the word
  isa_reg shift, field;
} small_atomic;

static ptx_type small_type(const ptx_stmt *s) {
  ptx_type t;
  for (uint32_t n = 0; n < s->mod_count; n++)
    if (ptx_type_find(s->mods[n], &t))
      return t == PTX_B16 || lower_is_half(t) ? t : PTX_NOTYPE;
  return PTX_NOTYPE;
}

unsigned lower_loop_blocks(const ptx_stmt *s) {
  bool atomic = strcmp(s->op, "atom") == 0 || strcmp(s->op, "red") == 0;
  return atomic && small_type(s) != PTX_NOTYPE ? LOOP_BLOCKS : 0;
}

static bool is_word(const small_atomic *a) {
  return ptx_type_bytes(a->type) == 4;
}

static isa_reg two(lower *l, unsigned op, unsigned type, isa_reg a, uint32_t b) {
  isa_reg d = lower_temp(l, 1);
  lower_emit3(l, isa_inst_new(op, type), d, lower_of(a), lower_imm(b), lower_none);
  return d;
}

// The address of the number in a register: 32 bits wide in shared memory.
static isa_reg whole_address(lower *l, const isa_inst *i, bool narrow) {
  isa_reg d = lower_temp(l, narrow ? 1 : 2);
  isa_inst add = isa_inst_new(ISA_OP_ADD, narrow ? ISA_TYPE_U32 : ISA_TYPE_U64);
  lower_emit3(l, add, d, lower_of(i->a), lower_imm(i->imm), lower_none);
  return d;
}

static void around(lower *l, small_atomic *a) {
  bool narrow = a->access.space >= ISA_SPACE_SHARED;
  isa_reg at = whole_address(l, &a->access, narrow);
  isa_reg low = narrow ? at : lower_part(at, 0);
  isa_inst ld = isa_inst_new(ISA_OP_LD, ISA_TYPE_U16);
  ld.space = a->access.space;
  ld.order = ISA_ORDER_VOLATILE;
  ld.a = at;
  ld.d = lower_temp(l, 1);
  isa_reg now = lower_emit(l, ld)->i.d;
  isa_reg word = two(l, ISA_OP_AND, ISA_TYPE_B32, low, ~3u);
  if (!narrow) {
    isa_reg wide = lower_temp(l, 2);
    lower_mov(l, lower_part(wide, 0), lower_of(word), 1);
    lower_mov(l, lower_part(wide, 1), lower_of(lower_part(at, 1)), 1);
    word = wide;
  }
  a->access.a = word;
  a->access.imm = 0;
  a->shift = two(l, ISA_OP_SHL, ISA_TYPE_B32, two(l, ISA_OP_AND, ISA_TYPE_B32, low, 2), 3);
  a->field = two(l, ISA_OP_ADD, ISA_TYPE_U32, a->shift, 16 << 8);
  lower_emit3(l, isa_inst_new(ISA_OP_SHL, ISA_TYPE_B32), a->old, lower_of(now), lower_of(a->shift),
              lower_none);
}

static void read_word(lower *l, const small_atomic *a) {
  isa_inst ld = isa_inst_new(ISA_OP_LD, ISA_TYPE_B32);
  ld.space = a->access.space;
  ld.order = ISA_ORDER_VOLATILE;
  ld.a = a->access.a;
  ld.imm = a->access.imm;
  ld.d = a->old;
  lower_emit(l, ld);
}

static isa_reg number_in(lower *l, const small_atomic *a) {
  if (is_word(a))
    return a->old;
  isa_reg d = lower_temp(l, 1);
  lower_emit3(l, isa_inst_new(ISA_OP_BFE, ISA_TYPE_U32), d, lower_of(a->old), lower_of(a->field),
              lower_none);
  return d;
}

// The word that is to replace `old`.
static isa_reg new_word(lower *l, const small_atomic *a) {
  isa_reg now = number_in(l, a), word = lower_temp(l, 1), d = lower_temp(l, 1);
  isa_reg next = a->cas ? a->y : lower_half_sum(l, a->type, now, a->x);
  if (is_word(a))
    return next;
  lower_emit3(l, isa_inst_new(ISA_OP_BFI, ISA_TYPE_B32), word, lower_of(next), lower_of(a->old),
              lower_of(a->field));
  if (!a->cas)
    return word;
  isa_inst same = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  same.fn = ISA_CMP_EQ;
  same.pd = mir_pred_new(l->k);
  isa_inst pick = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
  pick.ps = same.pd;
  lower_emit3(l, same, ISA_RZ, lower_of(now), lower_of(a->x), lower_none);
  lower_emit3(l, pick, d, lower_of(word), lower_of(a->old), lower_none);
  return d;
}

static void loop(lower *l, const small_atomic *a, uint32_t begin) {
  isa_inst cas = a->access;
  cas.op = ISA_OP_ATOM;
  cas.type = ISA_TYPE_B32;
  cas.fn = ISA_ATOM_CAS;
  cas.order = is_word(a) ? ISA_ORDER_WEAK : ISA_ORDER_VOLATILE;
  cas.scope = ISA_SCOPE_NONE;
  cas.b = a->old;
  cas.c = new_word(l, a);
  cas.d = lower_temp(l, 1);
  isa_reg seen = lower_emit(l, cas)->i.d;
  isa_inst differs = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  differs.fn = ISA_CMP_NE;
  differs.pd = mir_pred_new(l->k);
  isa_reg p = differs.pd;
  lower_emit3(l, differs, ISA_RZ, lower_of(seen), lower_of(a->old), lower_none);
  lower_mov(l, a->old, lower_of(seen), 1);
  lower_branch_to(l, begin, p, false);
}

static void fence(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_MEMBAR, ISA_TYPE_NONE);
  i.fn = l->mods.scope == ISA_SCOPE_SYS   ? ISA_MEMBAR_SYS
         : l->mods.scope == ISA_SCOPE_CTA ? ISA_MEMBAR_CTA
                                          : ISA_MEMBAR_GL;
  if (l->mods.order >= ISA_ORDER_ACQUIRE)
    lower_emit(l, i);
}

static bool operands(lower *l, small_atomic *a) {
  uint32_t at = strcmp(l->s->op, "atom") == 0 ? 1 : 0;
  ptx_type t = is_word(a) ? PTX_B32 : PTX_B16;
  a->cas = a->type == PTX_B16;
  if (!lower_mod(l, a->cas ? "cas" : "add") || (a->cas && !at)) {
    lower_error(l, UINT32_MAX, "the atomic operation does not take .%s%s", ptx_type_name(a->type),
                a->cas ? ": only atom.cas does" : ": only .add does");
    return false;
  }
  if (!lower_address(l, at, &a->access))
    return false;
  if (a->access.space >= ISA_SPACE_LOCAL) {
    lower_error(l, UINT32_MAX, "atomics are for global and shared memory");
    return false;
  }
  a->x = lower_reg(l, lower_extend(l, lower_src(l, at + 1, t), a->cas ? PTX_U16 : t), 1);
  a->y = a->cas ? lower_src_reg(l, at + 2, t) : ISA_RZ;
  return !l->failed;
}

void lower_loop(lower *l) {
  small_atomic a = {.access = isa_inst_new(ISA_OP_ATOM, ISA_TYPE_B32), .type = small_type(l->s)};
  const uint32_t first = l->block;
  if (l->s->guarded)
    lower_branch_to(l, first + LOOP_BLOCKS, l->guard, !l->guard_neg);
  l->guard = ISA_PT;
  l->guard_neg = false;
  l->block = first + 1;
  if (operands(l, &a)) {
    a.old = lower_temp(l, 1);
    fence(l);
    (is_word(&a) ? read_word(l, &a) : around(l, &a));
    l->block = first + 2;
    loop(l, &a, first + 2);
    l->block = first + 3;
    fence(l);
    if (strcmp(l->s->op, "atom") == 0)
      lower_mov(l, lower_dst(l, 0, 1), lower_of(number_in(l, &a)), 1);
  }
  l->block = first + LOOP_BLOCKS;
}
