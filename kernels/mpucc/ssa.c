// SPDX-License-Identifier: Apache-2.0
// After Braun and others, "Simple and efficient construction of static single assignment form":
// blocks in reverse post-order, values where paths meet only for what is read there. A 64-bit
// register is a variable of its own beside its two words, so that a pair that a loop counts up is
// one value.
#include "ssa.h"

#include <string.h>
#include "mem.h"

enum { WORDS = 256 };

// now[b * SSA_VARIABLES + x]: at the end of block b, or so far; what is read at its begin is the
// same as long as it does not write it.
struct ssa_maker {
  uint32_t *now;
  uint32_t *meets;  // values whose inputs are not known yet
  uint32_t n_meets;
};

static uint32_t add(ssa *v, ssa_value x) {
  v->of = mem_grow(v->of, v->n, sizeof *v->of);
  v->of[v->n] = x;
  return v->n++;
}

// ---- reading

static uint32_t *now(const ssa *v, uint32_t block, uint32_t variable) {
  return &v->maker->now[(size_t)block * SSA_VARIABLES + variable];
}

static uint32_t meet(ssa *v, uint32_t block, uint32_t variable) {
  struct ssa_maker *m = v->maker;
  const uint32_t x = add(v, (ssa_value){.kind = SSA_MEET, .site = block, .b = variable});
  m->meets = mem_grow(m->meets, m->n_meets, sizeof *m->meets);
  m->meets[m->n_meets++] = x;
  return x;
}

// Unreachable predecessors bring nothing.
static uint32_t only_pred(const ssa *v, uint32_t block) {
  uint32_t only = CFG_NONE;
  for (uint32_t p = v->cfg.pred_first[block]; p < v->cfg.pred_first[block + 1]; p++) {
    if (v->cfg.rpo_of[v->cfg.preds[p]] == CFG_NONE)
      continue;
    if (only != CFG_NONE)
      return CFG_NONE;
    only = v->cfg.preds[p];
  }
  return only;
}

static uint32_t read(ssa *v, uint32_t block, uint32_t variable) {
  uint32_t from = block, x;
  while (*now(v, from, variable) == SSA_NONE && from && only_pred(v, from) != CFG_NONE)
    from = only_pred(v, from);
  x = *now(v, from, variable);
  if (x == SSA_NONE) {
    x = from ? meet(v, from, variable) : add(v, (ssa_value){.kind = SSA_START});
  }
  for (; *now(v, block, variable) == SSA_NONE; block = only_pred(v, block)) {
    *now(v, block, variable) = x;
    if (block == from)
      break;
  }
  return x;
}

static uint32_t variable_of(isa_reg r, unsigned words) {
  return words == 2 ? WORDS + r / 2 : r;
}

// ---- writing

static void write_word(ssa *v, uint32_t block, isa_reg r, uint32_t x) {
  const uint32_t other = read(v, block, r ^ 1);
  *now(v, block, r) = x;
  *now(v, block, WORDS + r / 2) =
      add(v, (ssa_value){.kind = SSA_PAIR, .a = r & 1 ? other : x, .b = r & 1 ? x : other});
}

static void write_pair(ssa *v, uint32_t block, isa_reg r, uint32_t x) {
  *now(v, block, WORDS + r / 2) = x;
  *now(v, block, r) = add(v, (ssa_value){.kind = SSA_LOW, .a = x});
  *now(v, block, r + 1) = add(v, (ssa_value){.kind = SSA_HIGH, .a = x});
}

// Half of an address.
static uint32_t variable_half(ssa *v, const mir_inst *mi) {
  const uint32_t x = add(v, (ssa_value){.kind = SSA_VARIABLE, .a = mi->var, .addend = mi->addend});
  const ssa_kind half = mi->reloc == MIR_RELOC_LO32 ? SSA_LOW : SSA_HIGH;
  return add(v, (ssa_value){.kind = half, .a = x});
}

static void write(ssa *v, uint32_t s) {
  const ssa_site *at = &v->sites[s];
  const isa_reg d = mir_def(at->mi);
  const unsigned words = isa_words(&at->mi->i, 0);
  if (d == ISA_RZ || !words)
    return;
  const bool half = at->mi->i.op == ISA_OP_MOV && words == 1 &&
                    (at->mi->reloc == MIR_RELOC_LO32 || at->mi->reloc == MIR_RELOC_HI32);
  uint32_t x = half ? variable_half(v, at->mi) : add(v, (ssa_value){.kind = SSA_RESULT, .site = s});
  if ((at->mi->i.guard != ISA_PT || at->mi->i.guard_neg) && words <= 2) {
    const uint32_t old = read(v, at->block, variable_of(d, words));
    x = add(v, (ssa_value){.kind = SSA_GUARDED, .site = s, .a = x, .b = old});
  }
  if (words == 2)
    write_pair(v, at->block, d, x);
  for (unsigned w = 0; words != 2 && w < words; w++)
    write_word(v, at->block, d + w, x);
}

static void visit(ssa *v, uint32_t s) {
  ssa_site *at = &v->sites[s];
  const isa_inst *i = &at->mi->i;
  const isa_reg regs[4] = {ISA_RZ, i->a, i->b, i->c};
  for (unsigned o = 1; o < 4; o++) {
    const unsigned words = isa_words(i, o);
    const bool is = regs[o] != ISA_RZ && i->imm_at != o && (words == 1 || words == 2);
    at->operand[o] = is ? read(v, at->block, variable_of(regs[o], words)) : SSA_NONE;
  }
  write(v, s);
}

// ---- all

static void number(ssa *v) {
  const mir_kernel *k = v->k;
  v->first_site = mem_new(k->block_count + 1, sizeof *v->first_site);
  for (uint32_t b = 0; b < k->block_count; b++)
    v->first_site[b + 1] = v->first_site[b] + k->blocks[b].count;
  v->n_sites = v->first_site[k->block_count];
  v->sites = mem_new(v->n_sites, sizeof *v->sites);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const uint32_t s = v->first_site[b] + j;
      v->sites[s] = (ssa_site){&k->blocks[b].insts[j], b, s * ISA_BYTES, {0}};
    }
}

static void fill_meet(ssa *v, uint32_t x) {
  const uint32_t block = v->of[x].site, first = v->cfg.pred_first[block],
                 count = v->cfg.pred_first[block + 1] - first;
  v->of[x].a = v->n_inputs;
  v->inputs = mem_resize(v->inputs, (size_t)v->n_inputs + count, sizeof *v->inputs);
  v->n_inputs += count;
  for (uint32_t p = 0; p < count; p++) {
    const uint32_t from = v->cfg.preds[first + p];
    v->inputs[v->of[x].a + p] =
        v->cfg.rpo_of[from] == CFG_NONE ? SSA_NONE : read(v, from, v->of[x].b);
  }
}

void ssa_build(ssa *v, const mir_kernel *k) {
  struct ssa_maker m = {.now = mem_new((size_t)k->block_count * SSA_VARIABLES, sizeof *m.now)};
  memset(m.now, 0xff, (size_t)k->block_count * SSA_VARIABLES * sizeof *m.now);
  *v = (ssa){.k = k, .maker = &m};
  cfg_build(&v->cfg, k);
  number(v);
  for (uint32_t o = 0; o < v->cfg.rpo_count; o++)
    for (uint32_t s = v->first_site[v->cfg.rpo[o]]; s < v->first_site[v->cfg.rpo[o] + 1]; s++)
      visit(v, s);
  for (uint32_t n = 0; n < m.n_meets; n++)
    fill_meet(v, m.meets[n]);
  v->maker = NULL;
  free(m.now);
  free(m.meets);
}

void ssa_free(ssa *v) {
  cfg_free(&v->cfg);
  free(v->sites);
  free(v->of);
  free(v->inputs);
  free(v->first_site);
}
