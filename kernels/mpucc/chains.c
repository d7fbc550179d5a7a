// SPDX-License-Identifier: Apache-2.0
#include "chains.h"

#include <string.h>
#include "live.h"
#include "mem.h"

enum { LOOP = 10, DEEPEST = 6, MOST = 1000000000 };

// Of reaching definitions. Words of registers have numbers, register by register.
typedef struct reach {
  uint32_t *base;                 // base[v]: number of word 0 of register v
  uint32_t *word;                 // that a definition writes
  uint32_t *first_def, *by_word;  // the definitions of a word
  uint32_t *first_site;           // of each block
  uint32_t size;                  // 64-bit words of a set of definitions
  uint64_t *in;                   // such a set for each block: what reaches its begin
} reach;

static bool test(const uint64_t *set, uint32_t n) {
  return set[n / 64] >> n % 64 & 1;
}

// ---- values that all lanes share

static bool varies_itself(const isa_inst *i) {
  switch (i->op) {
    case ISA_OP_S2R:
      return i->fn <= ISA_SREG_TID_Z || i->fn == ISA_SREG_LANEID ||
             (i->fn >= ISA_SREG_LANEMASK_EQ && i->fn <= ISA_SREG_LANEMASK_GT);
    case ISA_OP_LD:
      return i->space == ISA_SPACE_LOCAL;
    case ISA_OP_ATOM:
    case ISA_OP_SHFL:
    case ISA_OP_MATCH:
      return true;
    default:
      return false;
  }
}

// Registers, behind them predicates.
static bool spread(const mir_kernel *k, const mir_inst *mi, bool *varies) {
  isa_reg regs[4];
  const isa_reg d = mir_def(mi);
  bool any = varies_itself(&mi->i), changed = false;
  for (unsigned n = mir_uses(mi, regs); n-- > 0;)
    any |= varies[ISA_REG_ID(regs[n])];
  for (unsigned n = mir_pred_uses(mi, regs); n-- > 0;)
    any |= varies[k->vreg_count + ISA_REG_ID(regs[n])];
  if (!any)
    return false;
  if (ISA_REG_IS_VIRTUAL(d)) {
    changed = !varies[ISA_REG_ID(d)];
    varies[ISA_REG_ID(d)] = true;
  }
  for (unsigned n = mir_pred_defs(mi, regs); n-- > 0;) {
    changed |= !varies[k->vreg_count + ISA_REG_ID(regs[n])];
    varies[k->vreg_count + ISA_REG_ID(regs[n])] = true;
  }
  return changed;
}

static void add_successors(const chains *v, uint32_t b, bool *seen, uint32_t *todo,
                           uint32_t *left) {
  for (unsigned t = 0; t < v->cfg.succ_count[b]; t++)
    if (!seen[v->cfg.succ[b][t]])
      seen[v->cfg.succ[b][t]] = true, todo[(*left)++] = v->cfg.succ[b][t];
}

// Lanes that part at the end of block `from` and meet in `meet` have come different ways, or
// another number of times: what is written between and wanted where they meet varies.
static void spread_by_way(const chains *v, const live *l, uint32_t from, uint32_t meet,
                          bool *apart) {
  const mir_kernel *k = v->k;
  const uint64_t *wanted = l->in + (size_t)meet * l->words;
  uint32_t *todo = mem_new(k->block_count, sizeof *todo), left = 0;
  bool *seen = mem_new(k->block_count, sizeof *seen);
  seen[meet] = true;
  add_successors(v, from, seen, todo, &left);
  while (left) {
    const mir_block *block = &k->blocks[todo[--left]];
    apart[todo[left]] = true;
    add_successors(v, todo[left], seen, todo, &left);
    for (uint32_t j = 0; j < block->count; j++) {
      isa_reg preds[2];
      const isa_reg d = mir_def(&block->insts[j]);
      if (ISA_REG_IS_VIRTUAL(d))
        v->varies[ISA_REG_ID(d)] |= live_test(wanted, ISA_REG_ID(d));
      for (unsigned n = mir_pred_defs(&block->insts[j], preds); n-- > 0;)
        v->varies[k->vreg_count + ISA_REG_ID(preds[n])] |=
            live_test(wanted, l->vregs + ISA_REG_ID(preds[n]));
    }
  }
  free(todo);
  free(seen);
}

static void find_varying(chains *v) {
  const mir_kernel *k = v->k;
  bool *parted = mem_new(k->block_count, sizeof *parted);
  bool *apart = mem_new(k->block_count, sizeof *apart);
  live l;
  live_build(&l, k);
  v->varies = mem_new(k->vreg_count + k->pred_count, sizeof *v->varies);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t s = 0; s < v->site_count; s++)
      changed |= spread(k, v->sites[s].mi, v->varies);
    for (uint32_t b = 0; b < k->block_count; b++) {
      const isa_inst *i = k->blocks[b].count ? &k->blocks[b].insts[k->blocks[b].count - 1].i : NULL;
      if (parted[b] || !i || i->op != ISA_OP_BRA || i->guard == ISA_PT ||
          i->reconv == MIR_NO_BLOCK || !v->varies[k->vreg_count + ISA_REG_ID(i->guard)])
        continue;
      parted[b] = changed = true;
      spread_by_way(v, &l, b, i->reconv, apart);
    }
  }
  live_free(&l);
  for (uint32_t b = 0, s = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++, s++)
      v->sites[s].apart = apart[b];
  free(parted);
  free(apart);
}

// ---- sites and definitions

static int64_t count_of(const chains *v, uint32_t block, const mir_profile_kernel *ran) {
  int64_t count = 1;
  if (ran) {
    const uint64_t n = block < ran->blocks ? ran->ran[block].count : 0;
    return n < 1 ? 1 : n > MOST ? MOST : (int64_t)n;
  }
  for (uint32_t d = 0; d < v->cfg.depth[block] && d < DEEPEST; d++)
    count *= LOOP;
  return count;
}

static void number(chains *v, reach *r, const mir_profile_kernel *ran) {
  const mir_kernel *k = v->k;
  uint32_t n = 0;
  r->first_site = mem_new(k->block_count + 1, sizeof *r->first_site);
  for (uint32_t b = 0; b < k->block_count; b++)
    r->first_site[b + 1] = r->first_site[b] + k->blocks[b].count;
  r->base = mem_new(k->vreg_count + 1, sizeof *r->base);
  for (uint32_t g = 0; g < k->vreg_count; g++)
    r->base[g + 1] = r->base[g] + k->vregs[g].words;
  v->site_count = r->first_site[k->block_count];
  v->sites = mem_new(v->site_count + 1, sizeof *v->sites);
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++, n++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      v->sites[n] = (chain_site){
          .mi = mi,
          .partial = mi->i.guard != ISA_PT || (ran && b < ran->blocks && ran->ran[b].partial),
          .count = count_of(v, b, ran),
          .first_def = v->def_count};
      if (ISA_REG_IS_VIRTUAL(mir_def(mi)))
        v->def_count += mir_reg_words(k, mir_def(mi));
    }
  v->sites[n].first_def = v->def_count;
}

static uint32_t first_word(const reach *r, isa_reg reg) {
  const unsigned part = ISA_REG_PART(reg);
  return r->base[ISA_REG_ID(reg)] + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

static void find_defs(chains *v, reach *r) {
  const uint32_t words = r->base[v->k->vreg_count];
  v->defs = mem_new(v->def_count + 1, sizeof *v->defs);
  r->word = mem_new(v->def_count, sizeof *r->word);
  r->first_def = mem_new(words + 2, sizeof *r->first_def);
  r->by_word = mem_new(v->def_count, sizeof *r->by_word);
  for (uint32_t s = 0; s < v->site_count; s++)
    for (uint32_t d = v->sites[s].first_def; d < v->sites[s + 1].first_def; d++) {
      v->defs[d].site = s;
      r->word[d] = first_word(r, mir_def(v->sites[s].mi)) + d - v->sites[s].first_def;
      r->first_def[r->word[d] + 2]++;
    }
  for (uint32_t w = 0; w < words; w++)
    r->first_def[w + 2] += r->first_def[w + 1];
  for (uint32_t d = 0; d < v->def_count; d++)
    r->by_word[r->first_def[r->word[d] + 1]++] = d;
}

// ---- what reaches what

static void drop_word(const reach *r, uint64_t *set, uint32_t word) {
  for (uint32_t n = r->first_def[word]; n < r->first_def[word + 1]; n++)
    set[r->by_word[n] / 64] &= ~(1ull << r->by_word[n] % 64);
}

// What the definitions of a site leave of a set.
static void keep(const chains *v, const reach *r, uint32_t s, uint64_t *set) {
  for (uint32_t d = v->sites[s].first_def; d < v->sites[s + 1].first_def; d++)
    if (v->sites[s].mi->i.guard == ISA_PT)
      drop_word(r, set, r->word[d]);
}

// Turns what reaches a site into what leaves it.
static void pass(const chains *v, const reach *r, uint32_t s, uint64_t *set) {
  keep(v, r, s, set);
  for (uint32_t d = v->sites[s].first_def; d < v->sites[s + 1].first_def; d++)
    set[d / 64] |= 1ull << d % 64;
}

static void find_reach(const chains *v, reach *r) {
  const uint32_t blocks = v->k->block_count;
  const size_t n = r->size = v->def_count / 64 + 1;
  uint64_t *made = mem_new(blocks * n, sizeof *made), *kept = mem_new(blocks * n, sizeof *kept);
  r->in = mem_new(blocks * n, sizeof *r->in);
  memset(kept, 0xff, blocks * n * sizeof *kept);
  for (uint32_t b = 0; b < blocks; b++)
    for (uint32_t s = r->first_site[b]; s < r->first_site[b + 1]; s++) {
      pass(v, r, s, made + b * n);
      keep(v, r, s, kept + b * n);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t o = 0; o < v->cfg.rpo_count; o++) {
      const uint32_t b = v->cfg.rpo[o];
      for (uint32_t p = v->cfg.pred_first[b]; p < v->cfg.pred_first[b + 1]; p++) {
        const size_t from = v->cfg.preds[p] * n;
        for (size_t w = 0; w < n; w++) {
          const uint64_t before = r->in[b * n + w];
          r->in[b * n + w] |= made[from + w] | (r->in[from + w] & kept[from + w]);
          changed |= r->in[b * n + w] != before;
        }
      }
    }
  }
  free(made);
  free(kept);
}

// ---- uses

static void add_use(chains *v, uint32_t d, uint32_t s, unsigned operand) {
  const int64_t made = v->sites[v->defs[d].site].count, used = v->sites[s].count;
  v->uses = mem_grow(v->uses, v->use_count, sizeof *v->uses);
  v->uses[v->use_count++] = (chain_use){s, d, (uint8_t)operand, made < used ? made : used};
}

static void uses_of(chains *v, const reach *r, uint32_t s, const uint64_t *set) {
  const isa_inst *i = &v->sites[s].mi->i;
  const isa_reg regs[4] = {i->d, i->a, i->b, i->c};
  v->sites[s].first_use = v->use_count;
  for (unsigned o = v->sites[s].partial ? 0 : 1; o < 4; o++) {
    if (!ISA_REG_IS_VIRTUAL(regs[o]) || !isa_words(i, o))
      continue;
    const uint32_t word = first_word(r, regs[o]);
    for (uint32_t w = word; w < word + mir_reg_words(v->k, regs[o]); w++)
      for (uint32_t n = r->first_def[w]; n < r->first_def[w + 1]; n++)
        if (test(set, r->by_word[n]))
          add_use(v, r->by_word[n], s, o);
  }
}

static int by_def(const void *a, const void *b) {
  const chain_use *x = *(chain_use *const *)a, *y = *(chain_use *const *)b;
  return x->def != y->def       ? (x->def < y->def ? -1 : 1)
         : x->count != y->count ? (x->count > y->count ? -1 : 1)
         : x->site != y->site   ? (x->site < y->site ? -1 : 1)
                                : x->operand - y->operand;
}

static void find_uses(chains *v, const reach *r) {
  uint64_t *set = mem_new(r->size, sizeof *set);
  for (uint32_t b = 0; b < v->k->block_count; b++) {
    memcpy(set, r->in + (size_t)b * r->size, r->size * sizeof *set);
    for (uint32_t s = r->first_site[b]; s < r->first_site[b + 1]; s++) {
      uses_of(v, r, s, set);
      pass(v, r, s, set);
    }
  }
  free(set);
  v->sites[v->site_count].first_use = v->use_count;
  v->readers = mem_new(v->use_count, sizeof *v->readers);
  for (uint32_t u = 0; u < v->use_count; u++)
    v->readers[u] = &v->uses[u];
  qsort(v->readers, v->use_count, sizeof *v->readers, by_def);
  for (uint32_t u = 0, d = 0; d <= v->def_count; d++) {
    while (u < v->use_count && v->readers[u]->def < d)
      u++;
    v->defs[d].first_reader = u;
  }
}

// ---- how long registers are needed

static void find_live(chains *v, const reach *r) {
  live l;
  v->live = mem_new(v->k->vreg_count, sizeof *v->live);
  live_build(&l, v->k);
  for (uint32_t b = 0; b < v->k->block_count; b++)
    for (uint32_t s = r->first_site[b + 1]; s-- > r->first_site[b];) {
      uint64_t *set = l.out + (size_t)b * l.words;
      live_step(&l, v->k, v->sites[s].mi, set);
      for (uint32_t g = 0; g < v->k->vreg_count; g++)
        if (live_test(set, g))
          v->live[g] += v->sites[s].count * v->k->vregs[g].words;
    }
  live_free(&l);
}

void chains_build(chains *v, mir_kernel *k, const mir_profile_kernel *ran) {
  reach r = {0};
  *v = (chains){.k = k};
  cfg_build(&v->cfg, k);
  number(v, &r, ran);
  find_varying(v);
  find_defs(v, &r);
  find_reach(v, &r);
  find_uses(v, &r);
  stride_find(v);
  find_live(v, &r);
  free(r.base);
  free(r.word);
  free(r.first_def);
  free(r.by_word);
  free(r.first_site);
  free(r.in);
}

void chains_free(chains *v) {
  cfg_free(&v->cfg);
  free(v->sites);
  free(v->defs);
  free(v->uses);
  free(v->readers);
  free(v->varies);
  free(v->stride);
  free(v->live);
}
