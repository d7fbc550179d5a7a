// SPDX-License-Identifier: Apache-2.0
// Clean-up of what lowering leaves: copies, constants in registers, dead code, blocks that cannot
// be reached. PTX is not in SSA form: a copy is followed only where both ends are written once and
// the writes dominate (then no path can change the source between the copy and a use).
#include <stdlib.h>
#include <string.h>
#include "cfg.h"
#include "live.h"
#include "simplify.h"

typedef struct def {
  uint32_t count;         // writes, 2 stands for more
  uint32_t block, index;  // of the only one
} def;

typedef struct simplifier {
  mir_kernel *k;
  cfg c;
  def *defs;
} simplifier;

static void find_defs(simplifier *s) {
  mir_kernel *k = s->k;
  memset(s->defs, 0, (k->vreg_count + 1) * sizeof *s->defs);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg d = mir_def(mi);
      if (!ISA_REG_IS_VIRTUAL(d))
        continue;
      def *f = &s->defs[ISA_REG_ID(d)];
      f->count += mir_writes_whole(k, mi) ? 1 : 2;
      f->block = b;
      f->index = j;
    }
}

// The only write of a register; NULL when it has several, a partial one, or none.
static const mir_inst *only_def(const simplifier *s, isa_reg r) {
  const def *f = &s->defs[ISA_REG_ID(r)];
  return f->count == 1 ? &s->k->blocks[f->block].insts[f->index] : NULL;
}

static bool def_dominates(const simplifier *s, const def *f, uint32_t block, uint32_t index) {
  return f->block == block ? f->index < index : cfg_dominates(&s->c, f->block, block);
}

// Part `part` (of a use) of a register that is itself part `of` of another one.
static bool compose(isa_reg source, unsigned part, unsigned words, isa_reg *out) {
  unsigned of = ISA_REG_PART(source), id = ISA_REG_ID(source);
  if (part == 0) {
    *out = source;
    return true;
  }
  if (of == 0) {
    *out = ISA_VIRTUAL | part << 28 | id;
    return true;
  }
  if (of >= 5 && part <= 2) {
    *out = ISA_VREG_WORD(id, 2 * (of - 5) + part - 1);
    return true;
  }
  (void)words;
  return false;
}

// Replaces the use `r` at (block, index) by what was copied into it. False: nothing to do.
static bool follow(const simplifier *s, isa_reg r, uint32_t block, uint32_t index, isa_reg *out) {
  const mir_inst *mi = only_def(s, r);
  if (!mi || mi->i.op != ISA_OP_MOV || mi->i.imm_at || mi->i.guard != ISA_PT || mi->reloc)
    return false;
  const def *f = &s->defs[ISA_REG_ID(r)];
  if (!def_dominates(s, f, block, index))
    return false;
  if (mi->i.a == ISA_RZ) {
    *out = ISA_RZ;
    return true;
  }
  const def *g = &s->defs[ISA_REG_ID(mi->i.a)];
  if (g->count != 1 || !def_dominates(s, g, f->block, f->index))
    return false;
  return compose(mi->i.a, ISA_REG_PART(r), 0, out) && *out != r;
}

// The constant in a register, as an immediate of a use with the same width.
static bool constant(const simplifier *s, isa_reg r, uint32_t block, uint32_t index,
                     uint32_t *imm) {
  const mir_inst *mi = only_def(s, r);
  if (!mi || mi->i.op != ISA_OP_MOV || !mi->i.imm_at || mi->reloc || mi->i.guard != ISA_PT ||
      !def_dominates(s, &s->defs[ISA_REG_ID(r)], block, index))
    return false;
  unsigned part = ISA_REG_PART(r);
  if (part > 2)
    return false;
  *imm = part == 2 ? (mi->i.imm >> 31 ? 0xffffffff : 0) : mi->i.imm;
  return true;
}

static bool try_immediate(mir_inst *mi, unsigned operand, uint32_t imm) {
  isa_inst i = mi->i;
  bool wide_float =
      (i.type == ISA_TYPE_F64 || i.type2 == ISA_TYPE_F64) && isa_words(&i, operand) == 2;
  if (i.imm_at || i.imm || wide_float || !(isa_ops[i.op].flags & ISA_F_IMM))
    return false;
  isa_reg *regs[4] = {&i.d, &i.a, &i.b, &i.c};
  *regs[operand] = ISA_RZ;
  if (imm) {
    i.imm_at = (uint8_t)operand;
    i.imm = imm;
  }
  if (isa_check(&i))
    return false;
  mi->i = i;
  return true;
}

// A constant address becomes the offset of an access without a register.
static bool try_offset(mir_inst *mi, unsigned operand, uint32_t constant) {
  if (operand != 1 || !(isa_ops[mi->i.op].flags & ISA_F_OFFSET) || isa_words(&mi->i, 1) != 1)
    return false;
  mi->i.a = ISA_RZ;
  mi->i.imm += constant;
  return true;
}

static bool forward_copies(simplifier *s) {
  mir_kernel *k = s->k;
  bool changed = false;
  for (uint32_t n = 0; n < s->c.rpo_count; n++) {
    uint32_t b = s->c.rpo[n];
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg *regs[4] = {&mi->i.d, &mi->i.a, &mi->i.b, &mi->i.c};
      for (unsigned o = 1; o < 4; o++) {
        isa_reg to;
        uint32_t imm;
        if (!isa_words(&mi->i, o) || !ISA_REG_IS_VIRTUAL(*regs[o]))
          continue;
        for (unsigned hops = 0;
             hops < 8 && ISA_REG_IS_VIRTUAL(*regs[o]) && follow(s, *regs[o], b, j, &to); hops++) {
          *regs[o] = to;
          changed = true;
        }
        if (ISA_REG_IS_VIRTUAL(*regs[o]) && constant(s, *regs[o], b, j, &imm))
          changed |= try_offset(mi, o, imm) || try_immediate(mi, o, imm);
      }
    }
  }
  return changed;
}

// `mov Q.part, a` where a is written just for it in the same block: write the part at once.
static bool sink_into_parts(simplifier *s) {
  mir_kernel *k = s->k;
  bool changed = false;
  uint32_t *uses = calloc(k->vreg_count + 1, sizeof *uses);
  if (!uses)
    abort();
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      isa_reg regs[4];
      for (unsigned n = 0, count = mir_uses(&k->blocks[b].insts[j], regs); n < count; n++)
        if (ISA_REG_IS_VIRTUAL(regs[n]))
          uses[ISA_REG_ID(regs[n])]++;
    }
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg a = mi->i.a, q = mi->i.d;
      if (mi->i.op != ISA_OP_MOV || mi->i.imm_at || mi->i.guard != ISA_PT || mi->reloc ||
          !ISA_REG_IS_VIRTUAL(a) || ISA_REG_PART(a) || !ISA_REG_PART(q) ||
          uses[ISA_REG_ID(a)] != 1 || s->defs[ISA_REG_ID(a)].count != 1 ||
          s->defs[ISA_REG_ID(a)].block != b || s->defs[ISA_REG_ID(a)].index > j)
        continue;
      uint32_t from = s->defs[ISA_REG_ID(a)].index;
      bool free_between = true;
      for (uint32_t t = from; t < j && free_between; t++) {
        const mir_inst *mid = &k->blocks[b].insts[t];
        isa_reg regs[4];
        for (unsigned n = 0, count = mir_uses(mid, regs); n < count; n++)
          free_between &= !ISA_REG_IS_VIRTUAL(regs[n]) || ISA_REG_ID(regs[n]) != ISA_REG_ID(q);
        isa_reg d = mir_def(mid);
        free_between &= t == from || !ISA_REG_IS_VIRTUAL(d) || ISA_REG_ID(d) != ISA_REG_ID(q) ||
                        (ISA_REG_PART(d) && ISA_REG_PART(d) != ISA_REG_PART(q));
      }
      if (!free_between)
        continue;
      k->blocks[b].insts[from].i.d = q;
      mi->i = isa_inst_new(ISA_OP_NOP, ISA_TYPE_NONE);
      s->defs[ISA_REG_ID(a)].count = 0;
      changed = true;
    }
  free(uses);
  return changed;
}

static bool remove_dead(mir_kernel *k) {
  live l;
  bool changed = false;
  live_build(&l, k);
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    uint64_t *set = l.out + (size_t)b * l.words;
    bool *dead = calloc(block->count + 1, sizeof *dead);
    if (!dead)
      abort();
    for (uint32_t j = block->count; j-- > 0;) {
      const mir_inst *mi = &block->insts[j];
      isa_reg d = mir_def(mi), preds[2];
      bool wanted = mir_has_side_effect(mi);
      if (ISA_REG_IS_VIRTUAL(d))
        wanted |= live_any(&l, k, set, d);
      for (unsigned n = 0, count = mir_pred_defs(mi, preds); n < count; n++)
        wanted |= live_test(set, l.vregs + ISA_REG_ID(preds[n]));
      if (!wanted)
        dead[j] = changed = true;
      else
        live_step(&l, k, mi, set);
    }
    uint32_t kept = 0;
    for (uint32_t j = 0; j < block->count; j++)
      if (!dead[j])
        block->insts[kept++] = block->insts[j];
    block->count = kept;
    free(dead);
  }
  live_free(&l);
  return changed;
}

// Integer operations with zero on one side: the other side as it is. ISA_RZ when it is not one.
static isa_reg identity(const isa_inst *i) {
  bool integer = isa_types[i->type].kind != 'F' && !i->sat && !i->imm_at;
  bool adds = i->op == ISA_OP_ADD || i->op == ISA_OP_OR || i->op == ISA_OP_XOR;
  bool shifts = i->op == ISA_OP_SUB || i->op == ISA_OP_SHL || i->op == ISA_OP_SHR;
  if (integer && (adds || shifts) && i->b == ISA_RZ)
    return i->a;
  return integer && adds && i->a == ISA_RZ ? i->b : ISA_RZ;
}

// Operations that change no bit of what they keep.
static bool plain_moves(mir_kernel *k) {
  bool changed = false;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      isa_inst *i = &k->blocks[b].insts[j].i;
      unsigned to = isa_types[i->type].bits, from = isa_types[i->type2].bits;
      isa_inst move = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B64);
      if (i->op == ISA_OP_CVTA && i->space == ISA_SPACE_GLOBAL) {
        move.a = i->a;  // global addresses are generic ones
      } else if (identity(i) != ISA_RZ) {
        move.type = isa_words(i, 0) == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
        move.a = identity(i);
      } else if (i->op == ISA_OP_I2I && !i->sat && !i->imm_at && to >= 32 && from >= to) {
        move.a = i->a;
        if (to == 32) {
          move.type = ISA_TYPE_B32;
          if (from == 64 && ISA_REG_IS_VIRTUAL(i->a))
            move.a = ISA_REG_PART(i->a) == 0
                         ? ISA_VREG_WORD(ISA_REG_ID(i->a), 0)
                         : ISA_VREG_WORD(ISA_REG_ID(i->a), 2 * (ISA_REG_PART(i->a) - 5));
        }
      } else {
        continue;
      }
      move.d = i->d;
      move.guard = i->guard;
      move.guard_neg = i->guard_neg;
      *i = move;
      changed = true;
    }
  return changed;
}

static void simplify_kernel(mir_kernel *k) {
  simplifier s = {.k = k, .defs = calloc(k->vreg_count + 1, sizeof *s.defs)};
  if (!s.defs)
    abort();
  for (unsigned round = 0; round < 8; round++) {
    bool changed = simplify_blocks(k);
    changed |= plain_moves(k);
    changed |= simplify_narrow(k);
    cfg_build(&s.c, k);
    find_defs(&s);
    changed |= forward_copies(&s);
    find_defs(&s);
    changed |= sink_into_parts(&s);
    changed |= remove_dead(k);
    cfg_free(&s.c);
    if (!changed)
      break;
  }
  free(s.defs);
}

void mir_simplify(mir_module *m) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    simplify_kernel(&m->kernels[n]);
  m->stage = MIR_SIMPLIFIED;
}
