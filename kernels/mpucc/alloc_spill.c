// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "alloc.h"

typedef struct spiller {
  mir_kernel *k;
  uint32_t *slot;     // local offset by register, CFG_NONE: not spilled
  mir_inst *remake;   // by register: the instruction that makes its value, op NOP: none
} spiller;

static uint8_t memory_type(unsigned words) {
  return words == 4 ? ISA_TYPE_B128 : words == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
}

static uint8_t hint_of(uint8_t files) {
  return files == MIR_FILE_NEAR  ? ISA_HINT_NEAR
         : files == MIR_FILE_FAR ? ISA_HINT_FAR
                                 : ISA_HINT_NONE;
}

static uint8_t loc_of(uint8_t files) {
  return files == MIR_FILE_NEAR ? MIR_LOC_N : files == MIR_FILE_FAR ? MIR_LOC_F : MIR_LOC_B;
}

// One constant instruction without register operands: cheaper to repeat than to keep.
static bool can_remake(const mir_kernel *k, const mir_inst *mi) {
  if (!mir_writes_whole(k, mi))
    return false;
  return (mi->i.op == ISA_OP_MOV && mi->i.imm_at) ||
         (mi->i.op == ISA_OP_S2R && !mir_has_side_effect(mi)) ||
         (mi->i.op == ISA_OP_LD && mi->i.space == ISA_SPACE_PARAM && mi->i.a == ISA_RZ);
}

static void find_remakes(spiller *s, const bool *spill) {
  mir_kernel *k = s->k;
  uint8_t *defs = calloc(k->vreg_count + 1, 1);
  if (!defs)
    abort();
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg d = mir_def(mi);
      if (!ISA_REG_IS_VIRTUAL(d) || !spill[ISA_REG_ID(d)])
        continue;
      uint32_t id = ISA_REG_ID(d);
      s->remake[id].i.op = ISA_OP_NOP;
      if (defs[id] == 0 && can_remake(k, mi))
        s->remake[id] = *mi;
      defs[id] = 1;
    }
  free(defs);
}

// Puts an access to the slot of `id` before position `at` of a block.
static void access_slot(spiller *s, mir_block *b, uint32_t at, unsigned op, uint32_t id,
                        isa_reg reg, const mir_inst *near_inst) {
  const mir_vreg *v = &s->k->vregs[id];
  isa_inst i = isa_inst_new(op, memory_type(v->words));
  mir_inst copy = *near_inst;
  i.space = ISA_SPACE_LOCAL;
  i.imm = s->slot[id];
  i.hint = hint_of(v->files);
  if (op == ISA_OP_LD)
    i.d = reg;
  else
    i.b = reg;
  mir_inst *mi = mir_insert(b, at, i, copy.at);
  mi->loc = loc_of(v->files);
}

static void replace(isa_reg *r, uint32_t id, isa_reg by) {
  if (ISA_REG_IS_VIRTUAL(*r) && ISA_REG_ID(*r) == id)
    *r = ISA_VIRTUAL | ISA_REG_PART(*r) << 28 | ISA_REG_ID(by);
}

// Rewrites one instruction for one spilled register; returns how far the instruction moved.
static uint32_t rewrite(spiller *s, mir_block *b, uint32_t j, uint32_t id) {
  mir_kernel *k = s->k;
  mir_inst *mi = &b->insts[j];
  isa_reg d = mir_def(mi), regs[4];
  bool reads = false, writes = ISA_REG_IS_VIRTUAL(d) && ISA_REG_ID(d) == id;
  for (unsigned n = 0, count = mir_uses(mi, regs); n < count; n++)
    reads |= ISA_REG_IS_VIRTUAL(regs[n]) && ISA_REG_ID(regs[n]) == id;
  bool whole = writes && mir_writes_whole(k, mi);
  isa_reg t = mir_vreg_new(k, k->vregs[id].words, k->vregs[id].name);
  k->vregs[ISA_REG_ID(t)].temp = true;
  k->vregs[ISA_REG_ID(t)].files = k->vregs[id].files;
  k->vregs[ISA_REG_ID(t)].loc = k->vregs[id].loc;
  replace(&mi->i.a, id, t);
  replace(&mi->i.b, id, t);
  replace(&mi->i.c, id, t);
  if (writes)
    replace(&mi->i.d, id, t);
  uint32_t moved = 0;
  if (reads || (writes && !whole)) {
    if (s->remake[id].i.op != ISA_OP_NOP) {
      mir_inst again = s->remake[id];
      again.i.d = t;
      *mir_insert(b, j, again.i, again.at) = again;
    } else {
      access_slot(s, b, j, ISA_OP_LD, id, t, mi);
    }
    moved = 1;
  }
  if (writes)
    access_slot(s, b, j + moved + 1, ISA_OP_ST, id, t, &b->insts[j + moved]);
  return moved;
}

static bool touches(const mir_inst *mi, uint32_t id) {
  const isa_reg regs[4] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
  for (unsigned o = 0; o < 4; o++)
    if (ISA_REG_IS_VIRTUAL(regs[o]) && ISA_REG_ID(regs[o]) == id)
      return true;
  return false;
}

void alloc_spill(mir_kernel *k, const bool *spill) {
  uint32_t count = k->vreg_count;  // those made here are not spilled
  spiller s = {.k = k,
               .slot = malloc((count + 1) * sizeof *s.slot),
               .remake = calloc(count + 1, sizeof *s.remake)};
  if (!s.slot || !s.remake)
    abort();
  find_remakes(&s, spill);
  for (uint32_t v = 0; v < count; v++) {
    if (!spill[v] || s.remake[v].i.op != ISA_OP_NOP)
      continue;
    uint32_t bytes = k->vregs[v].words * 4u;
    s.slot[v] = (k->local_bytes + bytes - 1) / bytes * bytes;
    k->local_bytes = s.slot[v] + bytes;
  }
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      isa_reg d = mir_def(&k->blocks[b].insts[j]);
      if (ISA_REG_IS_VIRTUAL(d) && ISA_REG_ID(d) < count && spill[ISA_REG_ID(d)] &&
          s.remake[ISA_REG_ID(d)].i.op != ISA_OP_NOP) {
        k->blocks[b].insts[j].i = isa_inst_new(ISA_OP_NOP, ISA_TYPE_NONE);  // made at the uses
        k->blocks[b].insts[j].reloc = MIR_RELOC_NONE;
        continue;
      }
      for (uint32_t again = 1; again;) {  // one spilled register at a time
        again = 0;
        const mir_inst *mi = &k->blocks[b].insts[j];
        const isa_reg regs[4] = {mi->i.d, mi->i.a, mi->i.b, mi->i.c};
        for (unsigned o = 0; o < 4; o++) {
          uint32_t id = ISA_REG_ID(regs[o]);
          if (!ISA_REG_IS_VIRTUAL(regs[o]) || id >= count || !spill[id])
            continue;
          assert(touches(mi, id));
          j += rewrite(&s, &k->blocks[b], j, id);
          again = 1;
          break;
        }
      }
    }
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    uint32_t kept = 0;
    for (uint32_t j = 0; j < block->count; j++)
      if (block->insts[j].i.op != ISA_OP_NOP)
        block->insts[kept++] = block->insts[j];
    block->count = kept;
  }
  k->local_bytes = (k->local_bytes + 15) / 16 * 16;
  free(s.slot);
  free(s.remake);
}
