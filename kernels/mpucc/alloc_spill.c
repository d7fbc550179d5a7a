// SPDX-License-Identifier: Apache-2.0
// Spill code. A temporary stands for a spilled register in one instruction, of the size of the
// part that the instruction names and with the files that this operand needs: a vector in local
// memory is read and written in the parts that are used, and a register that has a place on both
// sides needs only one of them again.
#include <assert.h>
#include <string.h>
#include "alloc.h"
#include "mem.h"

typedef struct spiller {
  alloc *a;
  mir_kernel *k;
  uint32_t regs, preds;  // before any temporary was made
  uint32_t *slot;        // by register: local offset
  bool *remake;          // by register: spilled, and made again at its uses
  mir_inst *origin;      // 4 by register: what makes word 0 to 3, or the whole (in 0)
  bool *by_words;        // by register: `origin` has one for each word
  isa_reg *home;         // by predicate: the register that holds it
  mir_inst *out;         // the block being written anew
  uint32_t count, capacity;
  double weight;  // of that block
} spiller;

// ---- values that can be made again

static bool can_remake(const mir_inst *mi) {
  const isa_inst *i = &mi->i;
  if (i->guard != ISA_PT)
    return false;
  switch (i->op) {
    case ISA_OP_MOV:
      return i->imm_at == ISA_IMM_A;
    case ISA_OP_S2R:
      return !mir_has_side_effect(mi);
    case ISA_OP_LD:
      return (i->space == ISA_SPACE_PARAM || i->space == ISA_SPACE_CONST) && i->a == ISA_RZ &&
             i->order == ISA_ORDER_WEAK;
    default:
      return false;
  }
}

// Written once as a whole, or each word once by a constant.
bool *alloc_remakable(const mir_kernel *k) {
  bool *can = mem_new(k->vreg_count, sizeof *can);
  uint8_t *seen = mem_new(k->vreg_count, 1);  // words written, a bit each; 0x80: anything else
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg d = mir_def(mi);
      if (!ISA_REG_IS_VIRTUAL(d))
        continue;
      unsigned part = ISA_REG_PART(d), words = k->vregs[ISA_REG_ID(d)].words;
      unsigned bits = part == 0 ? (1u << words) - 1 : part <= 4 ? 1u << (part - 1) : 0x80;
      if (!can_remake(mi) || (part && mi->i.op != ISA_OP_MOV) || (seen[ISA_REG_ID(d)] & bits))
        bits = 0x80;
      seen[ISA_REG_ID(d)] |= (uint8_t)bits;
    }
  for (uint32_t v = 0; v < k->vreg_count; v++)
    can[v] = seen[v] == (1u << k->vregs[v].words) - 1 && !k->vregs[v].temp;
  free(seen);
  return can;
}

double *alloc_weights(const mir_kernel *k) {
  cfg c;
  cfg_build(&c, k);
  double *w = mem_new(k->block_count, sizeof *w);
  for (uint32_t b = 0; b < k->block_count; b++) {
    w[b] = 1;
    for (uint32_t d = 0; d < c.depth[b] && d < 8; d++)
      w[b] *= 10;
  }
  cfg_free(&c);
  return w;
}

static bool is_spilled(const spiller *s, isa_reg r) {
  return ISA_REG_IS_VIRTUAL(r) && ISA_REG_ID(r) < s->regs && s->a->spill[ISA_REG_ID(r)];
}

static bool pred_spilled(const spiller *s, isa_reg p) {
  return ISA_REG_IS_VIRTUAL(p) && ISA_REG_ID(p) < s->preds && s->a->spill[s->regs + ISA_REG_ID(p)];
}

static bool in_slot(const spiller *s, isa_reg r) {
  return is_spilled(s, r) && !s->remake[ISA_REG_ID(r)];
}

static unsigned first_word(isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  return part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5);
}

// ---- emitting

static uint8_t word_type(unsigned words) {
  return words == 4 ? ISA_TYPE_B128 : words == 2 ? ISA_TYPE_B64 : ISA_TYPE_B32;
}

static uint8_t hint_of(unsigned files) {
  return files == ALLOC_NEAR ? ISA_HINT_NEAR : files == ALLOC_FAR ? ISA_HINT_FAR : ISA_HINT_NONE;
}

static uint8_t loc_of(unsigned files) {
  return files == ALLOC_NEAR ? MIR_LOC_N : files == ALLOC_FAR ? MIR_LOC_F : MIR_LOC_B;
}

static mir_inst *push(spiller *s, const mir_inst *mi) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 64;
    s->out = mem_resize(s->out, s->capacity, sizeof *s->out);
  }
  s->out[s->count] = *mi;
  return &s->out[s->count++];
}

static mir_inst *emit(spiller *s, isa_inst i, unsigned files, mir_place at) {
  i.hint = hint_of(files);
  s->a->cost += s->weight;
  return push(s, &(mir_inst){.i = i, .at = at, .loc = loc_of(files)});
}

static unsigned files_of(const spiller *s, isa_reg r) {
  return s->k->vregs[ISA_REG_ID(r)].files;
}

// ld.local d or st.local d for the place of `of` (a spilled register or a part of it).
static mir_inst *emit_slot(spiller *s, unsigned op, isa_reg d, isa_reg of, mir_place at) {
  unsigned words = mir_reg_words(s->k, of);
  isa_inst i = isa_inst_new(op, word_type(words));
  i.space = ISA_SPACE_LOCAL;
  i.imm = s->slot[ISA_REG_ID(of)] + 4 * first_word(of);
  *(op == ISA_OP_LD ? &i.d : &i.b) = d;
  return emit(s, i, files_of(s, d), at);
}

static isa_reg temp_new(spiller *s, unsigned words, unsigned files) {
  isa_reg t = mir_vreg_new(s->k, words, NULL);
  mir_vreg *v = &s->k->vregs[ISA_REG_ID(t)];
  v->temp = true;
  v->files = (uint8_t)(s->a->one_class ? ALLOC_BOTH : files);
  v->loc = loc_of(v->files);
  return t;
}

// Makes word `w` of what `origin` made into t, or `words` words from there on.
static void emit_again(spiller *s, const mir_inst *origin, isa_reg t, unsigned w, unsigned words,
                       mir_place at) {
  mir_inst mi = *origin;
  unsigned whole = isa_words(&mi.i, 0);
  mi.i.d = t;
  mi.at = at;
  if (words != whole) {
    mi.i.type = word_type(words);
    if (mi.i.op == ISA_OP_LD)
      mi.i.imm += 4 * w;
    else if (w)
      mi.i.imm = mi.i.imm >> 31 ? 0xffffffff : 0;
  }
  unsigned files = mi.i.op == ISA_OP_MOV ? files_of(s, t) : (unsigned)ALLOC_FAR;
  mi.i.hint = hint_of(files);
  mi.loc = loc_of(files);
  s->a->cost += s->weight;
  push(s, &mi);
}

static isa_reg remake(spiller *s, isa_reg r, unsigned files, mir_place at) {
  uint32_t id = ISA_REG_ID(r);
  unsigned words = mir_reg_words(s->k, r), w = first_word(r);
  const mir_inst *origin = &s->origin[4 * (size_t)id];
  if (origin->i.op != ISA_OP_MOV)
    files |= ALLOC_FAR;
  isa_reg t = temp_new(s, words, files);
  if (!s->by_words[id]) {
    emit_again(s, origin, t, w, words, at);
    return t;
  }
  for (unsigned n = 0; n < words; n++)
    emit_again(s, &origin[w + n], words == 1 ? t : ISA_VREG_WORD(ISA_REG_ID(t), n), 0, 1, at);
  return t;
}

static isa_reg reload(spiller *s, isa_reg r, unsigned files, mir_place at) {
  if (s->remake[ISA_REG_ID(r)])
    return remake(s, r, files, at);
  isa_reg t = temp_new(s, mir_reg_words(s->k, r), files);
  emit_slot(s, ISA_OP_LD, t, r, at);
  return t;
}

static isa_reg pred_reload(spiller *s, isa_reg p, mir_place at) {
  isa_inst i = isa_inst_new(ISA_OP_SETP, ISA_TYPE_U32);
  i.fn = ISA_CMP_NE;
  i.pd = mir_pred_new(s->k);
  i.a = s->home[ISA_REG_ID(p)];
  emit(s, i, ALLOC_FAR, at);
  return i.pd;
}

// ---- instructions

// Moves from and to memory need no temporary. True when the move was one.
static bool spill_move(spiller *s, const mir_inst *mi) {
  isa_reg d = mi->i.d, a = mi->i.a, guard = mi->i.guard;
  if (mi->i.op != ISA_OP_MOV || !ISA_REG_IS_VIRTUAL(d) || !ISA_REG_IS_VIRTUAL(a))
    return false;
  if (in_slot(s, d) && in_slot(s, a))
    return s->slot[ISA_REG_ID(d)] + 4 * first_word(d) == s->slot[ISA_REG_ID(a)] + 4 * first_word(a);
  bool load = in_slot(s, a) && !is_spilled(s, d), store = in_slot(s, d) && !is_spilled(s, a);
  if (!load && !store)
    return false;
  if (pred_spilled(s, guard))
    guard = pred_reload(s, guard, mi->at);
  mir_inst *made =
      load ? emit_slot(s, ISA_OP_LD, d, a, mi->at) : emit_slot(s, ISA_OP_ST, a, d, mi->at);
  made->i.guard = guard;
  made->i.guard_neg = mi->i.guard_neg;
  return true;
}

// Replaces the sources of *mi; code that loads them goes before it.
static void spill_sources(spiller *s, mir_inst *mi) {
  const mir_inst was = *mi;
  isa_reg *now[4] = {&mi->i.d, &mi->i.a, &mi->i.b, &mi->i.c};
  const isa_reg old[4] = {was.i.d, was.i.a, was.i.b, was.i.c};
  for (unsigned o = 1; o < 4; o++) {
    if (!isa_words(&was.i, o) || !is_spilled(s, old[o]))
      continue;
    unsigned files = 0, first = o;
    for (unsigned p = 3; p >= 1; p--)
      if (isa_words(&was.i, p) && old[p] == old[o]) {
        files |= isa_sides(&was.i, p, s->k->dies);
        first = p;
      }
    *now[o] = first < o ? *now[first] : reload(s, old[o], files, was.at);
  }
  uint32_t flags = isa_ops[was.i.op].flags;
  isa_reg *preds[3] = {&mi->i.guard, flags & ISA_F_PS ? &mi->i.ps : NULL,
                       flags & ISA_F_PS2 ? &mi->i.pq : NULL};
  const isa_reg old_preds[3] = {was.i.guard, was.i.ps, was.i.pq};
  for (unsigned n = 0; n < 3; n++)
    if (preds[n] && pred_spilled(s, old_preds[n]))
      *preds[n] = pred_reload(s, old_preds[n], was.at);
}

static void spill_inst(spiller *s, const mir_inst *was) {
  mir_inst mi = *was;
  isa_reg d = mir_def(was), defs[2], d_temp = ISA_RZ, pred_temp[2] = {ISA_PT, ISA_PT};
  unsigned pred_defs = mir_pred_defs(was, defs);
  if (is_spilled(s, d) && s->remake[ISA_REG_ID(d)])
    return;
  // A guarded write stores under its guard, unless the instruction overwrites that.
  bool guard_lost = false;
  for (unsigned n = 0; n < pred_defs; n++)
    guard_lost |= defs[n] == was->i.guard;
  spill_sources(s, &mi);
  if (is_spilled(s, d)) {
    if (guard_lost)
      d_temp = reload(s, d, isa_sides(&was->i, 0, s->k->dies), was->at);
    else
      d_temp = temp_new(s, mir_reg_words(s->k, d), isa_sides(&was->i, 0, s->k->dies));
    mi.i.d = d_temp;
  }
  isa_reg *places[2] = {&mi.i.pd, &mi.i.pq};
  for (unsigned n = 0; n < pred_defs; n++) {
    isa_reg *place =
        was->i.pd == defs[n] && isa_ops[was->i.op].flags & ISA_F_PD ? places[0] : places[1];
    if (!pred_spilled(s, defs[n]))
      continue;
    pred_temp[n] = was->i.guard != ISA_PT ? pred_reload(s, defs[n], was->at) : mir_pred_new(s->k);
    *place = pred_temp[n];
  }
  push(s, &mi);
  if (d_temp != ISA_RZ) {
    mir_inst *store = emit_slot(s, ISA_OP_ST, d_temp, d, was->at);
    if (!guard_lost) {
      store->i.guard = mi.i.guard;
      store->i.guard_neg = mi.i.guard_neg;
    }
  }
  for (unsigned n = 0; n < pred_defs; n++)
    if (pred_temp[n] != ISA_PT) {
      isa_inst i = isa_inst_new(ISA_OP_SELP, ISA_TYPE_B32);
      i.d = s->home[ISA_REG_ID(defs[n])];
      i.imm_at = ISA_IMM_A;
      i.imm = 1;
      i.ps = pred_temp[n];
      emit(s, i, ALLOC_FAR, was->at);
    }
}

// ---- the kernel

static void find_origins(spiller *s) {
  bool *can = alloc_remakable(s->k);
  for (uint32_t v = 0; v < s->regs; v++)
    s->remake[v] = s->a->spill[v] && can[v];
  free(can);
  for (uint32_t b = 0; b < s->k->block_count; b++)
    for (uint32_t j = 0; j < s->k->blocks[b].count; j++) {
      const mir_inst *mi = &s->k->blocks[b].insts[j];
      isa_reg d = mir_def(mi);
      if (!ISA_REG_IS_VIRTUAL(d) || !s->remake[ISA_REG_ID(d)])
        continue;
      s->by_words[ISA_REG_ID(d)] |= ISA_REG_PART(d) != 0;
      s->origin[4 * (size_t)ISA_REG_ID(d) + first_word(d)] = *mi;
    }
}

// Registers that were coalesced share a place, so that moves between them vanish.
static void place_slots(spiller *s) {
  mir_kernel *k = s->k;
  for (uint32_t v = 0; v < s->regs; v++)
    s->slot[v] = CFG_NONE;
  for (uint32_t v = 0; v < s->regs; v++) {
    uint32_t root = s->a->root[v];
    if (!s->a->spill[v] || s->remake[v])
      continue;
    if (s->slot[root] == CFG_NONE) {
      uint32_t bytes = 4u * k->vregs[v].words;
      s->slot[root] = (k->local_bytes + bytes - 1) / bytes * bytes;
      k->local_bytes = s->slot[root] + bytes;
    }
    s->slot[v] = s->slot[root];
  }
  k->local_bytes = (k->local_bytes + 15) / 16 * 16;
  for (uint32_t p = 0; p < s->preds; p++)
    if (s->a->spill[s->regs + p]) {
      uint32_t root = s->a->root[s->regs + p];
      assert(root == s->regs + p);  // moves of predicates are not coalesced
      (void)root;
      s->home[p] = mir_vreg_new(k, 1, NULL);
      k->vregs[ISA_REG_ID(s->home[p])].files = (uint8_t)(s->a->one_class ? ALLOC_BOTH : ALLOC_FAR);
      k->vregs[ISA_REG_ID(s->home[p])].loc = MIR_LOC_F;
    }
}

void alloc_spill(alloc *a) {
  mir_kernel *k = a->k;
  spiller s = {.a = a, .k = k, .regs = k->vreg_count, .preds = k->pred_count};
  s.slot = mem_new(s.regs, sizeof *s.slot);
  s.remake = mem_new(s.regs, sizeof *s.remake);
  s.by_words = mem_new(s.regs, sizeof *s.by_words);
  s.origin = mem_new(4 * (size_t)s.regs, sizeof *s.origin);
  s.home = mem_new(s.preds, sizeof *s.home);
  double *weights = alloc_weights(k);
  find_origins(&s);
  place_slots(&s);
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    s.out = NULL;
    s.count = s.capacity = 0;
    s.weight = weights[b];
    for (uint32_t j = 0; j < block->count; j++)
      if (!spill_move(&s, &block->insts[j]))
        spill_inst(&s, &block->insts[j]);
    free(block->insts);
    block->insts = s.out;
    block->count = s.count;
    block->capacity = s.capacity;
  }
  free(weights);
  free(s.slot);
  free(s.remake);
  free(s.by_words);
  free(s.origin);
  free(s.home);
}
