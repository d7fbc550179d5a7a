// SPDX-License-Identifier: Apache-2.0
#include <string.h>
#include "cfg.h"
#include "mem.h"
#include "simplify.h"

static isa_inst *terminator(mir_block *b) {
  isa_inst *last = b->count ? &b->insts[b->count - 1].i : NULL;
  return last && last->op == ISA_OP_BRA ? last : NULL;
}

static bool is_marked(const isa_inst *i) {
  return mir_is_call(i) || mir_is_return(i);
}

static bool is_only(const mir_kernel *k, uint32_t b, unsigned op) {
  return b < k->block_count && k->blocks[b].count == 1 && k->blocks[b].insts[0].i.op == op &&
         k->blocks[b].insts[0].i.guard == ISA_PT;
}

// Where a branch to b really leads: empty blocks go on with the next, blocks of one branch with
// its target. A ring of them is left as it is.
static uint32_t final_target(const mir_kernel *k, uint32_t b) {
  uint32_t at = b;
  for (uint32_t steps = 0; steps <= k->block_count; steps++) {
    if (k->blocks[at].count == 0 && at + 1 < k->block_count)
      at++;
    else if (is_only(k, at, ISA_OP_BRA) && !is_marked(&k->blocks[at].insts[0].i))
      at = k->blocks[at].insts[0].i.imm;
    else
      return at;
  }
  return b;
}

static void make_exit(isa_inst *i) {
  isa_inst e = isa_inst_new(ISA_OP_EXIT, ISA_TYPE_NONE);
  e.guard = i->guard;
  e.guard_neg = i->guard_neg;
  *i = e;
}

// A branch to a lone exit is an exit; a guarded branch over a lone exit is one with the opposite
// guard, and a branch that goes when the lone exit does. Lanes that go on then do not part from
// each other.
static bool branches_to_exits(mir_kernel *k) {
  bool changed = false;
  for (uint32_t b = 0; b < k->block_count; b++) {
    isa_inst *i = terminator(&k->blocks[b]);
    if (!i || is_marked(i))
      continue;
    if (is_only(k, i->imm, ISA_OP_EXIT)) {
      make_exit(i);
      changed = true;
    } else if (i->guard != ISA_PT && is_only(k, b + 1, ISA_OP_EXIT) && i->imm == b + 2) {
      mir_inst on = k->blocks[b].insts[k->blocks[b].count - 1];
      make_exit(i);
      i->guard_neg = !i->guard_neg;
      on.i.guard = ISA_PT;
      on.i.guard_neg = false;
      mir_append(k, b, on.i, on.at);
      changed = true;
    }
  }
  return changed;
}

static bool shorten_branches(mir_kernel *k) {
  bool changed = false;
  for (uint32_t b = 0; b < k->block_count; b++) {
    isa_inst *i = terminator(&k->blocks[b]);
    if (!i || is_marked(i))
      continue;
    uint32_t to = final_target(k, i->imm);
    if (to != i->imm) {
      i->imm = to;
      changed = true;
    }
    // To the next block, over empty ones: falls through by itself.
    uint32_t next = b + 1;
    while (next < i->imm && next + 1 < k->block_count && k->blocks[next].count == 0)
      next++;
    if (i->imm > b && i->imm <= next) {
      k->blocks[b].count--;
      changed = true;
    }
  }
  return changed;
}

// Drops blocks that nothing reaches and empty ones.
static bool drop_blocks(mir_kernel *k) {
  cfg c;
  cfg_build(&c, k);
  uint32_t *map = mem_new(k->block_count + 1, sizeof *map), kept = 0;
  bool *keep = mem_new(k->block_count, sizeof *keep);
  bool *reached = mem_new(k->block_count, sizeof *reached);
  for (uint32_t b = 0; b < k->block_count; b++) {
    reached[b] = c.rpo_of[b] != CFG_NONE;
    keep[b] = reached[b] && (k->blocks[b].count || b + 1 == k->block_count);
    map[b] = kept;  // an empty block's place is taken by the next one
    kept += keep[b];
  }
  cfg_free(&c);
  bool changed = kept != k->block_count;
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block block = k->blocks[b];
    if (!keep[b]) {
      if (reached[b] && block.function &&
          !k->blocks[b + 1].function)  // empty: the next one begins the function
        mir_block_function(k, b + 1, block.function);
      free(block.label);
      free(block.function);
      free(block.insts);
      continue;
    }
    isa_inst *i = terminator(&block);
    if (i && i->reconv != MIR_NO_BLOCK)  // a call that never comes back is a branch
      i->reconv = reached[i->reconv] ? map[i->reconv] : MIR_NO_BLOCK;
    if (i)
      i->imm = map[i->imm];
    k->blocks[map[b]] = block;
  }
  k->block_count = kept;
  free(map);
  free(keep);
  free(reached);
  return changed;
}

static bool falls_through_only(const mir_block *b) {
  const isa_inst *last = b->count ? &b->insts[b->count - 1].i : NULL;
  return last && last->op != ISA_OP_BRA &&
         !((last->op == ISA_OP_EXIT || last->op == ISA_OP_TRAP) && last->guard == ISA_PT);
}

// Joins a block to the one before it when there is no other way to it.
static bool join_blocks(mir_kernel *k) {
  cfg c;
  cfg_build(&c, k);
  bool changed = false;
  for (uint32_t b = k->block_count - 1; b > 0; b--) {
    mir_block *to = &k->blocks[b - 1], *from = &k->blocks[b];
    if (!falls_through_only(to) || c.pred_first[b + 1] - c.pred_first[b] != 1)
      continue;
    for (uint32_t j = 0; j < from->count; j++)
      *mir_append(k, b - 1, from->insts[j].i, from->insts[j].at) = from->insts[j];
    from->count = 0;  // dropped by drop_blocks
    changed = true;
  }
  cfg_free(&c);
  return changed;
}

bool simplify_blocks(mir_kernel *k) {
  bool changed = drop_blocks(k);
  changed |= branches_to_exits(k);
  changed |= shorten_branches(k);
  changed |= drop_blocks(k);
  if (join_blocks(k)) {
    drop_blocks(k);
    changed = true;
  }
  return changed;
}
