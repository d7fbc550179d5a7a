// SPDX-License-Identifier: Apache-2.0
#include "alloc_spread.h"

#include "alloc.h"
#include "mem.h"

enum { NEAR_OP = 10, FAR_OP = 6, LOAD_SHARED = 20, LOAD = 40 };  // cycles, about
enum { NUMBERS = 256, ROW_BUFFERS = 4 };

typedef struct span {  // in a block, from the first access to the last one
  uint32_t block, from, to;
  bool some;
} span;

struct spread {
  const mir_kernel *k;
  const uint32_t *root;
  double *weights;  // of blocks
  bool *streams;    // blocks
  span *of;         // of a root, in the block that is executed most
  span *held;       // of each number, in each block
};

static uint32_t latency(const mir_inst *mi) {
  if (mir_has_data(&mi->i))
    return mi->i.space == ISA_SPACE_SHARED ? LOAD_SHARED : LOAD;
  return mi->loc == MIR_LOC_N ? NEAR_OP : FAR_OP;
}

static void widen(span *a, const span *b) {
  if (!b->some)
    return;
  a->from = a->some && a->from < b->from ? a->from : b->from;
  a->to = a->some && a->to > b->to ? a->to : b->to;
  a->some = true;
}

static void note(spread *s, uint32_t v, uint32_t block, uint32_t at) {
  span *x = &s->of[s->root[v]];
  const span now = {block, at, at, true};
  if (!x->some || s->weights[block] > s->weights[x->block])
    *x = now;
  else if (x->block == block)
    widen(x, &now);
}

static bool is_of_banks(const mir_inst *mi) {
  return mir_has_data(&mi->i) && mi->i.space != ISA_SPACE_SHARED;
}

// A loop of one block, with accesses of the banks, but not of more rows than there are buffers.
static bool is_stream(const mir_kernel *k, uint32_t b) {
  const mir_block *block = &k->blocks[b];
  const isa_inst *last = block->count ? &block->insts[block->count - 1].i : NULL;
  uint32_t n = 0;
  for (uint32_t j = 0; j < block->count; j++)
    n += is_of_banks(&block->insts[j]);
  return last && last->op == ISA_OP_BRA && last->imm == b && n && n <= ROW_BUFFERS;
}

bool spread_streams(const mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++)
    if (is_stream(k, b))
      return true;
  return false;
}

// When each instruction of a block goes, if it only waits for its operands.
static void note_block(spread *s, uint32_t b, uint32_t *ready) {
  const mir_block *block = &s->k->blocks[b];
  for (uint32_t v = 0; v < s->k->vreg_count; v++)
    ready[v] = 0;
  for (uint32_t j = 0; j < block->count; j++) {
    const mir_inst *mi = &block->insts[j];
    const isa_reg d = mir_def(mi);
    isa_reg uses[4];
    const unsigned n = mir_uses(mi, uses);
    uint32_t at = j;
    for (unsigned u = 0; u < n; u++)
      at = ready[ISA_REG_ID(uses[u])] > at ? ready[ISA_REG_ID(uses[u])] : at;
    for (unsigned u = 0; u < n; u++)
      note(s, ISA_REG_ID(uses[u]), b, at);
    if (!ISA_REG_IS_VIRTUAL(d))
      continue;
    note(s, ISA_REG_ID(d), b, at);
    ready[ISA_REG_ID(d)] = at + latency(mi);
  }
}

spread *spread_new(const mir_kernel *k, const uint32_t *root) {
  spread *s = mem_new(1, sizeof *s);
  *s = (spread){.k = k,
                .root = root,
                .weights = alloc_weights(k),
                .streams = mem_new(k->block_count, sizeof *s->streams),
                .of = mem_new(k->vreg_count, sizeof *s->of),
                .held = mem_new((size_t)NUMBERS * k->block_count, sizeof *s->held)};
  uint32_t *ready = mem_new(k->vreg_count, sizeof *ready);
  for (uint32_t b = 0; b < k->block_count; b++)
    note_block(s, b, ready), s->streams[b] = is_stream(k, b);
  free(ready);
  return s;
}

void spread_free(spread *s) {
  if (s) {
    free(s->weights);
    free(s->streams);
    free(s->of);
    free(s->held);
  }
  free(s);
}

static span *held(const spread *s, uint32_t number, uint32_t block) {
  return &s->held[(size_t)number * s->k->block_count + block];
}

uint32_t spread_held(const spread *s, uint32_t at, uint32_t root) {
  span all = s->of[root];
  if (!s->streams[all.block])
    return 0;
  for (uint32_t w = 0; w < s->k->vregs[root].words; w++)
    widen(&all, held(s, at + w, all.block));
  return all.to - all.from;
}

void spread_take(spread *s, uint32_t at, uint32_t root) {
  for (uint32_t w = 0; w < s->k->vregs[root].words; w++)
    widen(held(s, at + w, s->of[root].block), &s->of[root]);
}
