// SPDX-License-Identifier: Apache-2.0
#include "live.h"

#include <assert.h>
#include <string.h>
#include "mem.h"

static void set_bit(uint64_t *set, uint32_t bit) {
  set[bit / 64] |= 1ull << bit % 64;
}
static void clear_bit(uint64_t *set, uint32_t bit) {
  set[bit / 64] &= ~(1ull << bit % 64);
}

uint32_t live_bit(const live *l, isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  return l->base[ISA_REG_ID(r)] + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

bool live_any(const live *l, const mir_kernel *k, const uint64_t *set, isa_reg r) {
  uint32_t bit = live_bit(l, r);
  for (unsigned w = mir_reg_words(k, r); w-- > 0; bit++)
    if (set[bit / 64] >> bit % 64 & 1)
      return true;
  return false;
}

void live_step(const live *l, const mir_kernel *k, const mir_inst *mi, uint64_t *set) {
  uint32_t first_pred = l->base[k->vreg_count];
  bool always = mi->i.guard == ISA_PT;
  isa_reg regs[4], d = mir_def(mi);
  if (d != ISA_RZ && (always || k->vregs[ISA_REG_ID(d)].temp)) {
    uint32_t bit = live_bit(l, d);
    for (unsigned w = mir_reg_words(k, d); w-- > 0;)
      clear_bit(set, bit++);
  }
  unsigned count = mir_pred_defs(mi, regs);
  for (unsigned n = 0; n < count; n++)
    if (always || ISA_REG_ID(regs[n]) >= l->temp_pred)
      clear_bit(set, first_pred + ISA_REG_ID(regs[n]));
  count = mir_uses(mi, regs);
  for (unsigned n = 0; n < count; n++) {
    uint32_t bit = live_bit(l, regs[n]);
    for (unsigned w = mir_reg_words(k, regs[n]); w-- > 0;)
      set_bit(set, bit++);
  }
  count = mir_pred_uses(mi, regs);
  for (unsigned n = 0; n < count; n++)
    set_bit(set, first_pred + ISA_REG_ID(regs[n]));
}

// Block summaries: `gen` is read before written, `kill` is written for certain.
static void summarise(const live *l, const mir_kernel *k, uint32_t b, uint64_t *gen,
                      uint64_t *kill) {
  memset(gen, 0, l->stride * sizeof *gen);
  memset(kill, 0xff, l->stride * sizeof *kill);
  for (uint32_t n = k->blocks[b].count; n-- > 0;) {
    live_step(l, k, &k->blocks[b].insts[n], gen);
    live_step(l, k, &k->blocks[b].insts[n], kill);
  }
  // What is not live before even when everything is live after is killed.
  for (uint32_t w = 0; w < l->stride; w++)
    kill[w] = ~kill[w];
}

live *live_new(const mir_kernel *k, const cfg *c, uint32_t temp_pred) {
  live *l = mem_new(1, sizeof *l);
  l->base = mem_new(k->vreg_count + 1, sizeof *l->base);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    l->base[v + 1] = l->base[v] + k->vregs[v].words;
  l->bits = l->base[k->vreg_count] + k->pred_count;
  l->stride = l->bits / 64 + 1;
  l->temp_pred = temp_pred;
  l->owner = mem_new(l->bits, sizeof *l->owner);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    for (uint32_t w = l->base[v]; w < l->base[v + 1]; w++)
      l->owner[w] = v;
  for (uint32_t p = 0; p < k->pred_count; p++)
    l->owner[l->base[k->vreg_count] + p] = k->vreg_count + p;
  size_t s = l->stride, words = (size_t)k->block_count * s;
  l->in = mem_new(words, sizeof *l->in);
  l->out = mem_new(words, sizeof *l->out);
  uint64_t *gen = mem_new(words, sizeof *gen), *kill = mem_new(words, sizeof *kill);
  for (uint32_t n = 0; n < c->order_count; n++)
    summarise(l, k, c->order[n], gen + c->order[n] * s, kill + c->order[n] * s);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = c->order_count; n-- > 0;) {
      uint32_t b = c->order[n];
      uint64_t *in = l->in + b * s, *out = l->out + b * s;
      for (unsigned t = 0; t < c->succ_count[b]; t++)
        for (size_t w = 0; w < s; w++)
          out[w] |= l->in[c->succ[b][t] * s + w];
      for (size_t w = 0; w < s; w++) {
        uint64_t now = (gen + b * s)[w] | (out[w] & ~(kill + b * s)[w]);
        changed |= now != in[w];
        in[w] = now;
      }
    }
  }
  free(gen);
  free(kill);
  return l;
}

void live_free(live *l) {
  free(l->base);
  free(l->owner);
  free(l->in);
  free(l->out);
  free(l);
}
