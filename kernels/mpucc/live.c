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

static uint32_t first_bit(const live *l, isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  return l->base[ISA_REG_ID(r)] + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

bool live_any(const live *l, const mir_kernel *k, const uint64_t *set, isa_reg r) {
  uint32_t bit = first_bit(l, r);
  for (unsigned w = mir_reg_words(k, r); w-- > 0; bit++)
    if (live_test(set, bit))
      return true;
  return false;
}

// The register's own bit from those of its words.
static void sum_up(const live *l, uint64_t *set, uint32_t v) {
  clear_bit(set, v);
  for (uint32_t bit = l->base[v]; bit < l->base[v + 1]; bit++)
    if (live_test(set, bit))
      set_bit(set, v);
}

// The same for all registers: their own bits follow from those of their words. Few are set.
static void sum_up_all(const live *l, uint64_t *set, const uint32_t *owner) {
  const uint32_t first = l->base[0];
  memset(set, 0, l->vregs / 64 * sizeof *set);
  set[l->vregs / 64] &= ~0ull << l->vregs % 64;
  for (size_t w = first / 64; w < l->words; w++) {
    uint64_t rest = w == first / 64 ? set[w] & ~0ull << first % 64 : set[w];
    for (; rest; rest &= rest - 1)
      set_bit(set, owner[w * 64 + (uint32_t)__builtin_ctzll(rest) - first]);
  }
}

void live_step(const live *l, const mir_kernel *k, const mir_inst *mi, uint64_t *set) {
  bool always = mi->i.guard == ISA_PT;
  isa_reg regs[4], d = mir_def(mi);
  if (ISA_REG_IS_VIRTUAL(d) && (always || k->vregs[ISA_REG_ID(d)].temp)) {
    uint32_t bit = first_bit(l, d);
    for (unsigned w = mir_reg_words(k, d); w-- > 0;)
      clear_bit(set, bit++);
    sum_up(l, set, ISA_REG_ID(d));
  }
  unsigned count = mir_pred_defs(mi, regs);
  for (unsigned n = 0; n < count; n++)
    if (always)
      clear_bit(set, l->vregs + ISA_REG_ID(regs[n]));
  count = mir_uses(mi, regs);
  for (unsigned n = 0; n < count; n++) {
    uint32_t bit = first_bit(l, regs[n]);
    for (unsigned w = mir_reg_words(k, regs[n]); w-- > 0;)
      set_bit(set, bit++);
    set_bit(set, ISA_REG_ID(regs[n]));
  }
  count = mir_pred_uses(mi, regs);
  for (unsigned n = 0; n < count; n++)
    set_bit(set, l->vregs + ISA_REG_ID(regs[n]));
}

// Block summaries: `gen` is read before written, `kill` is written for certain.
static void summarise(const live *l, const mir_kernel *k, uint32_t b, uint64_t *gen,
                      uint64_t *kill) {
  memset(gen, 0, l->words * sizeof *gen);
  memset(kill, 0xff, l->words * sizeof *kill);
  for (uint32_t n = k->blocks[b].count; n-- > 0;) {
    live_step(l, k, &k->blocks[b].insts[n], gen);
    live_step(l, k, &k->blocks[b].insts[n], kill);
  }
  // What is not live before even when everything is live after is killed.
  for (uint32_t w = 0; w < l->words; w++)
    kill[w] = ~kill[w];
}

void live_build(live *l, const mir_kernel *k) {
  cfg c;
  cfg_build(&c, k);
  l->vregs = k->vreg_count;
  l->base = mem_new(k->vreg_count + 1, sizeof *l->base);
  l->base[0] = k->vreg_count + k->pred_count;
  for (uint32_t v = 0; v < k->vreg_count; v++)
    l->base[v + 1] = l->base[v] + k->vregs[v].words;
  l->words = l->base[k->vreg_count] / 64 + 1;
  size_t s = l->words, all = k->block_count * s;
  l->in = mem_new(all, sizeof *l->in);
  l->out = mem_new(all, sizeof *l->out);
  uint64_t *gen = mem_new(all, sizeof *gen), *kill = mem_new(all, sizeof *kill);
  for (uint32_t n = 0; n < c.rpo_count; n++)
    summarise(l, k, c.rpo[n], gen + c.rpo[n] * s, kill + c.rpo[n] * s);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = c.rpo_count; n-- > 0;) {
      uint32_t b = c.rpo[n];
      uint64_t *in = l->in + b * s, *out = l->out + b * s;
      for (unsigned t = 0; t < c.succ_count[b]; t++)
        for (size_t w = 0; w < s; w++)
          out[w] |= l->in[c.succ[b][t] * s + w];
      for (size_t w = 0; w < s; w++) {
        uint64_t now = (gen + b * s)[w] | (out[w] & ~(kill + b * s)[w]);
        changed |= now != in[w];
        in[w] = now;
      }
    }
  }
  uint32_t *owner = mem_new(l->base[k->vreg_count] - l->base[0] + 1, sizeof *owner);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    for (uint32_t bit = l->base[v]; bit < l->base[v + 1]; bit++)
      owner[bit - l->base[0]] = v;
  for (size_t b = 0; b < k->block_count; b++) {
    sum_up_all(l, l->in + b * s, owner);
    sum_up_all(l, l->out + b * s, owner);
  }
  free(owner);
  free(gen);
  free(kill);
  cfg_free(&c);
}

void live_free(live *l) {
  free(l->base);
  free(l->in);
  free(l->out);
}

// Of all instructions.
static uint32_t peak(const mir_kernel *k, bool predicates, unsigned file) {
  live l;
  uint32_t most = 0;
  live_build(&l, k);
  for (uint32_t b = 0; b < k->block_count; b++) {
    uint64_t *set = l.out + (size_t)b * l.words;
    for (uint32_t j = k->blocks[b].count; j-- > 0;) {
      uint32_t words = 0;
      live_step(&l, k, &k->blocks[b].insts[j], set);
      for (uint32_t v = 0; v < k->vreg_count && !predicates; v++)
        words += k->vregs[v].files & file && live_test(set, v) ? k->vregs[v].words : 0;
      for (uint32_t p = 0; p < k->pred_count && predicates; p++)
        words += live_test(set, l.vregs + p);
      most = words > most ? words : most;
    }
  }
  live_free(&l);
  return most;
}

uint32_t live_peak(const mir_kernel *k, unsigned file) {
  return peak(k, false, file);
}

uint32_t live_peak_predicates(const mir_kernel *k) {
  return peak(k, true, 0);
}
