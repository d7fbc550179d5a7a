// SPDX-License-Identifier: Apache-2.0
// Location annotation: Algorithm 1 of the MPU paper to the letter, and the policies it is compared
// with. docs/mpucc.md says how the letter was read where it is silent.
#include <assert.h>
#include "locate.h"

const char *const mir_policy_names[MIR_POLICIES] = {"paper", "near", "far", "none", "cost"};

static mir_vreg *vreg(mir_kernel *k, isa_reg r) {
  return &k->vregs[ISA_REG_ID(r)];
}

static bool has_address(const isa_inst *i) {
  return mir_is_memory(i) && ISA_REG_IS_VIRTUAL(i->a);
}

// What the dies of the machine say of a memory instruction: shared memory that is near; data that
// are on the base die.
static bool near_shared(const mir_kernel *k, const isa_inst *i) {
  return i->space == ISA_SPACE_SHARED && k->dies == ISA_DIES_HYBRID;
}
static bool far_data(const mir_kernel *k, const isa_inst *i) {
  return k->dies == ISA_DIES_BASE || (i->space == ISA_SPACE_SHARED && !near_shared(k, i));
}

// Data registers of a memory instruction: what it loads, stores or combines.
static unsigned data_regs(const mir_inst *mi, isa_reg out[3]) {
  const isa_reg regs[3] = {mi->i.d, mi->i.b, mi->i.c};
  const unsigned operand[3] = {0, 2, 3};
  unsigned count = 0;
  for (unsigned n = 0; n < 3; n++)
    if (ISA_REG_IS_VIRTUAL(regs[n]) && isa_words(&mi->i, operand[n]))
      out[count++] = regs[n];
  return count;
}

// A second initial annotation of another kind makes a register both, as propagation would.
static void annotate(mir_kernel *k, isa_reg r, mir_loc loc) {
  mir_vreg *v = vreg(k, r);
  v->loc = v->loc == MIR_LOC_U || v->loc == loc ? (uint8_t)loc : MIR_LOC_B;
}

static void annotate_initial(mir_kernel *k, const mir_inst *mi) {
  isa_reg data[3];
  if (!mir_is_memory(&mi->i))
    return;
  bool shared = near_shared(k, &mi->i);
  if (has_address(&mi->i))
    annotate(k, mi->i.a, shared ? MIR_LOC_N : MIR_LOC_F);
  if (mi->i.space == ISA_SPACE_PARAM || mi->i.space == ISA_SPACE_CONST)
    return;  // left to propagation: these values come from the base die
  unsigned count = data_regs(mi, data);
  for (unsigned n = 0; n < count; n++)
    annotate(k, data[n], far_data(k, &mi->i) ? MIR_LOC_F : MIR_LOC_N);
}

// Location of what an instruction writes: its register; the address of a store; F for predicates
// and control.
static mir_loc destination(mir_kernel *k, const mir_inst *mi) {
  isa_reg d = mir_def(mi), preds[2];
  if (mi->i.op == ISA_OP_ST && mi->i.space == ISA_SPACE_LOCAL)  // its data choose the side
    return ISA_REG_IS_VIRTUAL(mi->i.b) ? (mir_loc)vreg(k, mi->i.b)->loc : MIR_LOC_F;
  if (mi->i.op == ISA_OP_ST || mi->i.op == ISA_OP_RED)
    return near_shared(k, &mi->i) ? MIR_LOC_N
           : has_address(&mi->i)  ? (mir_loc)vreg(k, mi->i.a)->loc
                                  : MIR_LOC_F;
  if (ISA_REG_IS_VIRTUAL(d))
    return (mir_loc)vreg(k, d)->loc;
  if (mir_pred_defs(mi, preds) || mi->i.op == ISA_OP_BRA || mi->i.op == ISA_OP_EXIT)
    return MIR_LOC_F;
  return MIR_LOC_U;
}

// The test of a mask: it takes a bit a lane up, wherever the mask is.
static bool is_test(mir_kernel *k, const isa_inst *i) {
  return i->op == ISA_OP_SETP && ISA_REG_IS_VIRTUAL(i->a) && vreg(k, i->a)->mask;
}

// Sources that propagation looks at: of memory instructions they are annotated already, and what
// a load's destination says must not flow into its address.
static unsigned propagated(mir_kernel *k, const mir_inst *mi, isa_reg out[4]) {
  return mir_is_memory(&mi->i) || is_test(k, &mi->i) ? 0 : mir_uses(mi, out);
}

static bool propagate(mir_kernel *k, const mir_inst *mi) {
  isa_reg sources[4];
  mir_loc to = destination(k, mi);
  bool changed = false;
  if (to == MIR_LOC_U)
    return false;
  for (unsigned n = 0, count = propagated(k, mi, sources); n < count; n++) {
    mir_vreg *v = vreg(k, sources[n]);
    uint8_t before = v->loc;
    v->loc = before == MIR_LOC_U ? (uint8_t)to : before != to ? MIR_LOC_B : before;
    changed |= v->loc != before;
  }
  return changed;
}

static void forget(mir_kernel *k) {
  for (uint32_t v = 0; v < k->vreg_count; v++)
    k->vregs[v].loc = 0;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      k->blocks[b].insts[j].i.hint = ISA_HINT_NONE;
}

static void propagate_all(mir_kernel *k) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < k->block_count; b++)
      for (uint32_t j = 0; j < k->blocks[b].count; j++)
        changed |= propagate(k, &k->blocks[b].insts[j]);
  }
}

// Masks of which nothing says where they should be, as they are only tested, are near.
static void annotate_tested(mir_kernel *k) {
  for (uint32_t v = 0; v < k->vreg_count && k->dies != ISA_DIES_BASE; v++)
    if (k->vregs[v].mask && k->vregs[v].loc == MIR_LOC_U)
      k->vregs[v].loc = MIR_LOC_N;
}

static void locate_paper(mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++)
      annotate_initial(k, &k->blocks[b].insts[j]);
  propagate_all(k);
  annotate_tested(k);
  propagate_all(k);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      mi->loc = (uint8_t)destination(k, mi);
    }
}

static void locate_fixed(mir_kernel *k, mir_policy policy) {
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      mi->loc = policy == MIR_LOCATE_NONE  ? MIR_LOC_U
                : policy == MIR_LOCATE_FAR ? MIR_LOC_F
                : locate_free(k, &mi->i)   ? MIR_LOC_N
                                           : MIR_LOC_F;
    }
}

bool locate_free(const mir_kernel *k, const isa_inst *i) {
  return !isa_far_only(i, k->dies);
}

bool locate_free_data(const mir_kernel *k, const isa_inst *i) {
  return k->dies != ISA_DIES_BASE && isa_may_have_far_data(i);
}

loc_side locate_operand(const mir_kernel *k, const isa_inst *i, unsigned operand) {
  isa_inst near = *i, far = *i;
  near.hint = ISA_HINT_NEAR;
  far.hint = locate_free_data(k, i) ? ISA_HINT_FAR_DATA : ISA_HINT_FAR;
  return isa_sides(&far, operand, k->dies) == ISA_NEAR   ? LOC_ALWAYS_NEAR
         : isa_sides(&near, operand, k->dies) == ISA_FAR ? LOC_ALWAYS_FAR
                                                         : LOC_FOLLOWS;
}

// A register needs a place in every file in which some instruction may want it.
static void need_files(mir_kernel *k, const isa_inst *i) {
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  for (unsigned o = 0; o < 4; o++)
    if (ISA_REG_IS_VIRTUAL(regs[o])) {
      unsigned sides = isa_sides(i, o, k->dies);
      vreg(k, regs[o])->files |=
          (uint8_t)((sides & ISA_NEAR ? MIR_FILE_NEAR : 0) | (sides & ISA_FAR ? MIR_FILE_FAR : 0));
    }
}

// Hints and files, of locations.
static void settle(mir_kernel *k) {
  static const uint8_t hints[] = {[MIR_LOC_U] = ISA_HINT_NONE,
                                  [MIR_LOC_N] = ISA_HINT_NEAR,
                                  [MIR_LOC_F] = ISA_HINT_FAR,
                                  [MIR_LOC_B] = ISA_HINT_NONE};
  for (uint32_t v = 0; v < k->vreg_count; v++)
    k->vregs[v].files = 0;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      mi->i.hint = mi->i.hint == ISA_HINT_FAR_DATA ? mi->i.hint : hints[mi->loc];
      need_files(k, &mi->i);
    }
}

int64_t mir_locate_kernel(mir_kernel *k, mir_policy policy, const mir_profile *profile) {
  static const uint8_t by_files[] = {MIR_LOC_U, MIR_LOC_N, MIR_LOC_F, MIR_LOC_B};
  int64_t cost = 0;
  forget(k);
  if (policy == MIR_LOCATE_PAPER || policy == MIR_LOCATE_COST)
    locate_paper(k);
  else
    locate_fixed(k, policy);
  settle(k);
  if (policy == MIR_LOCATE_COST) {
    cost = locate_cost(k, mir_profile_of(profile, k));
    settle(k);
  }
  for (uint32_t v = 0; v < k->vreg_count && policy != MIR_LOCATE_PAPER; v++)
    k->vregs[v].loc = by_files[k->vregs[v].files];
  return cost;
}

void mir_locate(mir_module *m, mir_policy policy, const mir_profile *profile) {
  for (uint32_t n = 0; n < m->kernel_count; n++)
    mir_locate_kernel(&m->kernels[n], policy, profile);
  m->stage = MIR_LOCATED;
}
