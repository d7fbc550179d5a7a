// SPDX-License-Identifier: Apache-2.0
// PTX to MIR: branches, barriers, votes, shuffles.
#include <string.h>
#include "lower.h"

static bool is(const lower *l, const char *op) {
  return strcmp(l->s->op, op) == 0;
}

void lower_branch_to(lower *l, uint32_t block, isa_reg guard, bool neg) {
  isa_inst i = isa_inst_new(ISA_OP_BRA, ISA_TYPE_NONE);
  i.imm = block;
  i.reconv = MIR_NO_BLOCK;
  i.guard = guard;
  i.guard_neg = neg;
  mir_append(l->k, l->block, i, l->at);
}

// Calls and returns of functions that stand have a mark (mir_is_call).
static void branch(lower *l) {
  const ptx_operand *to = l->s->operands;
  const bool call = lower_mod(l, "call"), back = lower_mod(l, "ret");
  if (l->s->operand_count != 1u + call || to[0].kind != PTX_LABEL ||
      (call && (to[1].kind != PTX_LABEL || l->s->guarded))) {
    lower_error(l, 0, "expected a label");
    return;
  }
  lower_branch_to(l, l->labels[to->value], l->guard, l->guard_neg);
  isa_inst *i = &l->k->blocks[l->block].insts[l->k->blocks[l->block].count - 1].i;
  if (call || back)
    i->reconv = l->labels[to[call].value];
  l->block++;
}

// brx.idx: compare the index with each target's number.
static void branch_index(lower *l) {
  const ptx_targets *targets = NULL;
  for (uint32_t n = 0; n < l->f->target_count; n++)
    if (l->s->operand_count > 1 && l->s->operands[1].name &&
        strcmp(l->f->targets[n].name, l->s->operands[1].name) == 0)
      targets = &l->f->targets[n];
  if (!targets || l->s->guarded) {
    lower_error(l, 1,
                targets ? "a guarded brx is not supported: branch around it"
                        : "expected a .branchtargets label");
    return;
  }
  isa_reg index = lower_src_reg(l, 0, PTX_U32);
  for (uint32_t n = 0; n < targets->count; n++) {
    bool last = n + 1 == targets->count;
    isa_reg p = ISA_PT;
    if (!last) {
      isa_inst i = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
      i.fn = ISA_CMP_EQ;
      i.pd = p = mir_pred_new(l->k);
      lower_emit3(l, i, ISA_RZ, lower_of(index), lower_imm(n), lower_none);
    }
    lower_branch_to(l, l->labels[targets->labels[n]], p, false);
    l->block++;
  }
}

static void end_thread(lower *l, unsigned op) {
  mir_inst *mi = lower_emit(l, isa_inst_new(op, ISA_TYPE_NONE));
  if (lower_mod(l, "pointer"))
    mi->reloc = MIR_RELOC_POINTER;
  if (!l->s->guarded)
    l->block++;
}

static void warp_barrier(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_BARW, ISA_TYPE_B32);
  lower_value mask = lower_src(l, 0, PTX_B32);
  lower_emit3(l, i, ISA_RZ, mask, lower_none, lower_none);
}

static void barrier(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_BAR, ISA_TYPE_B32);
  uint32_t o = 0;
  isa_reg d = ISA_RZ;
  if (lower_mod(l, "warp")) {
    warp_barrier(l);
    return;
  }
  if (lower_mod(l, "arrive")) {
    i.fn = ISA_BAR_ARRIVE;
  } else if (lower_mod(l, "red")) {
    bool popc = lower_mod(l, "popc");
    i.fn = popc                            ? ISA_BAR_RED_POPC
           : l->mods.boolop == ISA_BOOL_OR ? ISA_BAR_RED_OR
                                           : ISA_BAR_RED_AND;
    if (popc)
      d = lower_dst(l, 0, 1);
    else
      i.pd = lower_dst_pred(l, 0);
    o = 1;
    i.ps = lower_src_pred(l, l->s->operand_count - 1, &i.ps_neg);
  }
  uint32_t numbers = l->s->operand_count - o - (o ? 1 : 0);
  lower_value id = numbers >= 1 ? lower_src(l, o, PTX_U32) : lower_imm(0);
  lower_value count = numbers >= 2 ? lower_src(l, o + 1, PTX_U32) : lower_none;
  if (id.is_imm && id.imm > 15)
    lower_error(l, o, "barriers are numbered 0 to 15");
  if (i.fn == ISA_BAR_ARRIVE && numbers < 2)
    lower_error(l, UINT32_MAX, "an arrival needs a number of threads");
  if (count.is_imm)
    count = lower_of(lower_reg(l, count, 1));
  lower_emit3(l, i, d, id, count, lower_none);
}

static void fence(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_MEMBAR, ISA_TYPE_NONE);
  i.fn = l->mods.scope == ISA_SCOPE_SYS || lower_mod(l, "sys")   ? ISA_MEMBAR_SYS
         : l->mods.scope == ISA_SCOPE_CTA || lower_mod(l, "cta") ? ISA_MEMBAR_CTA
                                                                 : ISA_MEMBAR_GL;
  lower_emit(l, i);
}

static void vote(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_VOTE, ISA_TYPE_B32);
  isa_reg d = ISA_RZ;
  i.fn = lower_mod(l, "ballot") ? ISA_VOTE_BALLOT
         : lower_mod(l, "any")  ? ISA_VOTE_ANY
         : lower_mod(l, "all")  ? ISA_VOTE_ALL
                                : ISA_VOTE_UNI;
  if (i.fn == ISA_VOTE_BALLOT)
    d = lower_dst(l, 0, 1);
  else
    i.pd = lower_dst_pred(l, 0);
  i.ps = lower_src_pred(l, 1, &i.ps_neg);
  lower_value mask = l->s->operand_count > 2 ? lower_src(l, 2, PTX_B32) : lower_imm(0xffffffff);
  lower_emit3(l, i, d, mask, lower_none, lower_none);
}

static void shuffle(lower *l) {
  isa_inst i = isa_inst_new(ISA_OP_SHFL, ISA_TYPE_B32);
  i.fn = lower_mod(l, "up")     ? ISA_SHFL_UP
         : lower_mod(l, "down") ? ISA_SHFL_DOWN
         : lower_mod(l, "bfly") ? ISA_SHFL_BFLY
                                : ISA_SHFL_IDX;
  if (l->s->pair != UINT32_MAX)
    i.pd = l->regs[l->s->pair];
  isa_reg d = lower_dst(l, 0, 1);
  lower_value a = lower_src(l, 1, PTX_B32), b = lower_src(l, 2, PTX_B32),
              c = lower_src(l, 3, PTX_B32);
  lower_emit3(l, i, d, lower_of(lower_reg(l, a, 1)), b, c);
}

static void match(lower *l) {
  ptx_type t = l->mods.type_count ? l->mods.types[0] : PTX_NOTYPE;
  if (ptx_type_bytes(t) < 4 || lower_kind(t) != 'B') {
    lower_error(l, UINT32_MAX, "`match` takes .b32 or .b64");
    return;
  }
  isa_inst i = isa_inst_new(ISA_OP_MATCH, lower_isa_type(t));
  i.fn = lower_mod(l, "all") ? ISA_MATCH_ALL : ISA_MATCH_ANY;
  if (l->s->pair != UINT32_MAX)
    i.pd = l->regs[l->s->pair];
  isa_reg d = lower_dst(l, 0, 1);
  lower_value a = lower_src(l, 1, t), mask = lower_src(l, 2, PTX_B32);
  lower_emit3(l, i, d, lower_of(lower_reg(l, a, lower_words(t))), mask, lower_none);
}

static void reduce(lower *l) {
  static const char *const names[] = {"add", "min", "max"};
  ptx_type t = l->mods.type_count ? l->mods.types[0] : PTX_NOTYPE;
  isa_inst i = isa_inst_new(ISA_OP_REDUX, ISA_TYPE_B32);
  if (ptx_type_bytes(t) != 4 || lower_kind(t) == 'F') {
    lower_error(l, UINT32_MAX, "`redux` takes 32-bit integers");
    return;
  }
  if (l->mods.boolop)
    i.fn = (uint8_t)(ISA_REDUX_AND + l->mods.boolop - ISA_BOOL_AND);
  else
    for (unsigned n = 0; n < 3; n++)
      if (lower_mod(l, names[n])) {
        i.fn = (uint8_t)n;
        i.type = t == PTX_S32 ? ISA_TYPE_S32 : ISA_TYPE_U32;
      }
  if (l->mods.boolop == 0 && i.type == ISA_TYPE_B32) {
    lower_error(l, UINT32_MAX, "`redux` needs an operation");
    return;
  }
  isa_reg d = lower_dst(l, 0, 1);
  lower_value a = lower_src(l, 1, t), mask = lower_src(l, 2, PTX_B32);
  lower_emit3(l, i, d, lower_of(lower_reg(l, a, 1)), mask, lower_none);
}

// Hints without an effect on this machine.
static bool is_hint(const lower *l) {
  return is(l, "prefetch") || is(l, "prefetchu") || is(l, "nanosleep") || is(l, "pmevent") ||
         is(l, "applypriority") || is(l, "discard") ||
         (is(l, "fence") && (lower_mod(l, "proxy") || lower_mod(l, "mbarrier_init")));
}

bool lower_control(lower *l) {
  if (is_hint(l))
    return true;
  if (is(l, "bra"))
    branch(l);
  else if (is(l, "brx"))
    branch_index(l);
  else if (is(l, "ret") || is(l, "exit"))
    end_thread(l, ISA_OP_EXIT);
  else if (is(l, "trap"))
    end_thread(l, ISA_OP_TRAP);
  else if (is(l, "bar") || is(l, "barrier"))
    barrier(l);
  else if (is(l, "membar") || is(l, "fence"))
    fence(l);
  else if (is(l, "vote"))
    vote(l);
  else if (is(l, "shfl"))
    shuffle(l);
  else if (is(l, "match"))
    match(l);
  else if (is(l, "redux"))
    reduce(l);
  else if (is(l, "activemask"))
    lower_emit3(l, isa_inst_new(ISA_OP_ACTIVEMASK, ISA_TYPE_B32), lower_dst(l, 0, 1), lower_none,
                lower_none, lower_none);
  else
    return false;
  return true;
}
