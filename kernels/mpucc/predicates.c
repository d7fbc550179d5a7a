// SPDX-License-Identifier: Apache-2.0
// Near predicates: comparisons of what lies near the banks stay there. A comparison into a
// predicate becomes one that writes a mask to a register, a selection by the predicate becomes one
// by the mask, and whoever still wants the predicate, a branch or a guard, gets it from a test of
// the mask.
#include <assert.h>

#include "mem.h"
#include "mir.h"

// A virtual predicate, and what is to become of it.
typedef struct change {
  bool wanted;   // as a mask
  bool tested;   // somebody needs the predicate too
  isa_reg mask;  // in the kernel at hand
} change;

// A comparison, perhaps with another predicate, or two predicates: what can write a mask.
static bool becomes_mask(const isa_inst *i) {
  const bool type = i->type == ISA_TYPE_U32 || i->type == ISA_TYPE_S32 || i->type == ISA_TYPE_F32;
  return (i->op == ISA_OP_SETP && type && i->pq == ISA_PT) ||
         (i->op == ISA_OP_PLOP && i->boolop != ISA_BOOL_NONE);
}

static bool becomes_logic(const isa_inst *i) {
  return i->op == ISA_OP_SELP && i->type == ISA_TYPE_B32 && ISA_REG_IS_VIRTUAL(i->ps);
}

static bool wanted(const change *of, isa_reg p) {
  return ISA_REG_IS_VIRTUAL(p) && of[ISA_REG_ID(p)].wanted;
}

// Will this write a mask?
static bool writes_mask(const change *of, const isa_inst *i) {
  return becomes_mask(i) && wanted(of, i->pd);
}

// A predicate becomes a mask when all that writes it can, from predicates that become masks.
static bool settle(const mir_kernel *k, change *of) {
  bool changed = false;
  for (uint32_t p = 0; p < k->pred_count; p++)
    of[p].tested = false;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      const isa_inst *i = &mi->i;
      isa_reg preds[3];
      const bool can = becomes_mask(i) && (i->boolop == ISA_BOOL_NONE || wanted(of, i->ps)) &&
                       (i->op != ISA_OP_PLOP || wanted(of, i->pq));
      for (unsigned n = mir_pred_defs(mi, preds); n-- > 0;) {
        changed |= of[ISA_REG_ID(preds[n])].wanted && !can;
        of[ISA_REG_ID(preds[n])].wanted &= can;
      }
      const bool by_mask = becomes_logic(i) || writes_mask(of, i);
      for (unsigned n = mir_pred_uses(mi, preds); n-- > 0;)
        of[ISA_REG_ID(preds[n])].tested |= !by_mask || preds[n] == i->guard;
    }
  return changed;
}

static isa_inst like(const isa_inst *i, unsigned op, unsigned type) {
  isa_inst n = isa_inst_new(op, type);
  n.guard = i->guard, n.guard_neg = i->guard_neg;
  return n;
}

// The table of lop3 for two predicates, which may be negated; the third operand does not count.
static uint32_t table(unsigned boolop, bool a_neg, bool b_neg) {
  const uint32_t a = a_neg ? 0x0f : 0xf0, b = b_neg ? 0x33 : 0xcc;
  return boolop == ISA_BOOL_AND ? a & b : boolop == ISA_BOOL_OR ? a | b : a ^ b;
}

static isa_reg mask_new(mir_kernel *k) {
  const isa_reg r = mir_vreg_new(k, 1, NULL);
  k->vregs[ISA_REG_ID(r)].mask = true;
  return r;
}

// `setp` and `plop` to `set` and logic of masks, and the test behind it. Returns how many
// instructions there are now.
static uint32_t rewrite_predicate(mir_kernel *k, uint32_t block, uint32_t j, const change *of) {
  const isa_inst p = k->blocks[block].insts[j].i;
  const mir_place at = k->blocks[block].insts[j].at;
  const change *c = &of[ISA_REG_ID(p.pd)];
  isa_inst now[3];
  uint32_t n = 0;
  isa_reg first = ISA_RZ;
  if (p.op == ISA_OP_SETP) {
    first = p.boolop == ISA_BOOL_NONE ? c->mask : mask_new(k);
    isa_inst *set = &now[n++];
    *set = like(&p, ISA_OP_SET, ISA_TYPE_B32);
    set->type2 = p.type, set->fn = p.fn, set->ftz = p.ftz;
    set->d = first, set->a = p.a, set->b = p.b, set->imm_at = p.imm_at, set->imm = p.imm;
  }
  if (p.boolop != ISA_BOOL_NONE) {
    const bool plop = p.op == ISA_OP_PLOP;
    isa_inst *lop3 = &now[n++];
    *lop3 = like(&p, ISA_OP_LOP3, ISA_TYPE_B32);
    lop3->d = c->mask;
    lop3->a = plop ? of[ISA_REG_ID(p.ps)].mask : first;
    lop3->b = of[ISA_REG_ID(plop ? p.pq : p.ps)].mask;
    lop3->imm = table(p.boolop, plop && p.ps_neg, plop ? p.ps2_neg : p.ps_neg);
  }
  if (c->tested) {
    isa_inst *test = &now[n++];
    *test = like(&p, ISA_OP_SETP, ISA_TYPE_U32);
    test->fn = ISA_CMP_NE, test->pd = p.pd, test->a = c->mask;
  }
  k->blocks[block].insts[j].i = now[0];
  for (uint32_t m = 1; m < n; m++)
    mir_insert(&k->blocks[block], j + m, now[m], at);
  return n;
}

// `selp` to logic; a constant beside a register needs a register. Returns how many instructions
// there are now.
static uint32_t rewrite_selection(mir_kernel *k, uint32_t block, uint32_t j, const change *of) {
  mir_inst *mi = &k->blocks[block].insts[j];
  const isa_inst s = mi->i;
  const mir_place at = mi->at;
  const isa_reg mask = of[ISA_REG_ID(s.ps)].mask;
  assert(!mi->reloc);  // addresses of variables are in moves only
  const bool zero = s.b == ISA_RZ && s.imm_at != ISA_IMM_B && !s.ps_neg;
  if (zero) {  // mask & a
    isa_inst and = like(&s, ISA_OP_AND, ISA_TYPE_B32);
    and.d = s.d, and.a = mask, and.b = s.a;
    if (s.imm_at)
      and.imm_at = ISA_IMM_B, and.imm = s.imm;
    mi->i = and;
    return 1;
  }
  isa_inst lop3 = like(&s, ISA_OP_LOP3, ISA_TYPE_B32);
  lop3.d = s.d, lop3.a = mask;
  lop3.b = s.ps_neg ? s.b : s.a, lop3.c = s.ps_neg ? s.a : s.b;
  lop3.imm = 0xca;  // a ? b : c, bit by bit
  if (!s.imm_at) {
    mi->i = lop3;
    return 1;
  }
  isa_inst mov = isa_inst_new(ISA_OP_MOV, ISA_TYPE_B32);
  mov.d = mir_vreg_new(k, 1, NULL), mov.imm_at = ISA_IMM_A, mov.imm = s.imm;
  *((s.imm_at == ISA_IMM_A) != s.ps_neg ? &lop3.b : &lop3.c) = mov.d;
  mi->i = lop3;
  mir_insert(&k->blocks[block], j, mov, at);
  return 2;
}

static void rewrite(mir_kernel *k, change *of) {
  for (uint32_t p = 0; p < k->pred_count; p++)
    if (of[p].wanted)
      of[p].mask = mask_new(k);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count;) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      j += writes_mask(of, i)                      ? rewrite_predicate(k, b, j, of)
           : becomes_logic(i) && wanted(of, i->ps) ? rewrite_selection(k, b, j, of)
                                                   : 1;
    }
}

// Registers that hold what was loaded, or what was made of it. All others, as counters of loops,
// the base die can have for itself.
static bool *data_of(const mir_kernel *k) {
  bool *data = mem_new(k->vreg_count, sizeof *data);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < k->block_count; b++)
      for (uint32_t j = 0; j < k->blocks[b].count; j++) {
        const mir_inst *mi = &k->blocks[b].insts[j];
        const isa_reg d = mir_def(mi);
        isa_reg regs[4];
        if (!ISA_REG_IS_VIRTUAL(d) || data[ISA_REG_ID(d)])
          continue;
        bool is = mir_has_data(&mi->i);
        for (unsigned n = mir_uses(mi, regs); n-- > 0;)
          is |= data[ISA_REG_ID(regs[n])];
        data[ISA_REG_ID(d)] = is;
        changed |= is;
      }
  }
  return data;
}

// Which masks pay: those that are made near, of data or combined with such. Drops the others; true
// when there were some. The files of a mask do not matter: a test takes it up, wherever it is made.
// Nor does the place of a comparison that is combined into a mask at once: it has the place of the
// mask, or, by cost, one that is cheaper.
static bool drop_far(const mir_kernel *trial, const mir_kernel *k, change *of) {
  bool *bad = mem_new(trial->vreg_count, sizeof *bad), *data = data_of(trial), dropped = false;
  bool *combined = mem_new(k->pred_count, sizeof *combined);
  for (uint32_t b = 0; b < trial->block_count; b++)
    for (uint32_t j = 0; j < trial->blocks[b].count; j++) {
      const mir_inst *mi = &trial->blocks[b].insts[j];
      const isa_reg d = mir_def(mi);
      if (ISA_REG_IS_VIRTUAL(d) && trial->vregs[ISA_REG_ID(d)].mask)
        bad[ISA_REG_ID(d)] |= mi->loc != MIR_LOC_N;
    }
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const isa_inst *i = &k->blocks[b].insts[j].i;
      if (i->boolop == ISA_BOOL_NONE || !writes_mask(of, i))
        continue;
      combined[ISA_REG_ID(i->ps)] = true;
      if (i->op == ISA_OP_PLOP)
        combined[ISA_REG_ID(i->pq)] = true;
    }
  for (uint32_t p = 0; p < k->pred_count; p++) {
    const uint32_t mask = of[p].wanted ? ISA_REG_ID(of[p].mask) : 0;
    if (of[p].wanted && (bad[mask] || !(data[mask] || combined[p])))
      of[p].wanted = false, dropped = true;
  }
  free(bad);
  free(data);
  free(combined);
  return dropped;
}

void mir_near_predicates_kernel(mir_kernel *k, mir_policy policy, const mir_profile *profile) {
  const uint32_t preds = k->pred_count;
  change *of = mem_new(preds, sizeof *of);
  for (uint32_t p = 0; p < preds; p++)
    of[p].wanted = true;
  for (bool dropped = true; dropped;) {
    while (settle(k, of))
      ;
    mir_kernel trial = mir_kernel_copy(k);
    rewrite(&trial, of);
    mir_locate_kernel(&trial, policy, profile);
    dropped = drop_far(&trial, k, of);
    mir_kernel_free_copy(&trial);
  }
  rewrite(k, of);
  free(of);
}

void mir_near_predicates(mir_module *m, mir_policy policy, const mir_profile *profile) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    mir_near_predicates_kernel(&m->kernels[n], policy, profile);
  m->stage = MIR_MASKED;
}
