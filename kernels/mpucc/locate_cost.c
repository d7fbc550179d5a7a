// SPDX-License-Identifier: Apache-2.0
// --locate=cost: the places of a kernel's instructions that cost least, as a minimum cut.
// docs/locate-cost.md has the graph and the costs.
#include <assert.h>
#include <string.h>
#include "cfg.h"
#include "cut.h"
#include "locate.h"
#include "mem.h"

// Costs, in tenths of a flit.
enum {
  FLIT = 10,
  UP = 18 * FLIT,       // REGRD, REGD with 32 words
  UP_SAME = 3 * FLIT,   // with one
  UP_WAIT = 20 * FLIT,  // what follows on the base die waits for the journey
  DOWN = 17 * FLIT,     // REGWR with 32 words
  DOWN_SAME = 2 * FLIT,
  LOCAL_FAR = 24 * FLIT,  // four sectors
  INLINE = 18 * FLIT,  // addresses in packets of shared memory
};
enum { LOOP = 10, DEEPEST = 6 };

typedef struct site {  // an instruction
  mir_inst *mi;
  uint32_t block, node;  // node: of its side
  int64_t count;         // how often it executes
} site;

typedef struct def {  // a word that an instruction writes
  uint32_t site, word;
  uint32_t first_use, uses;
} def;

typedef struct graph {
  mir_kernel *k;
  cfg cfg;
  cut *cut;
  site *sites;
  uint32_t site_count;
  uint32_t *first_site;  // of each block
  uint32_t *base;        // base[v]: number of word 0 of register v
  bool *varies;          // registers, then predicates: lanes hold different values
  def *defs;
  uint32_t def_count;
  uint32_t *first_def, *by_word;  // the definitions of each word
  uint32_t *def_of;               // the first one of each site
  uint64_t *in;                   // definitions that reach the begin of each block
  uint32_t set;                   // 64-bit words of such a set
} graph;

static const isa_reg *operands(const isa_inst *i, isa_reg out[4]) {
  out[0] = i->d, out[1] = i->a, out[2] = i->b, out[3] = i->c;
  for (unsigned o = 0; o < 4; o++)
    if (!ISA_REG_IS_VIRTUAL(out[o]) || !isa_words(i, o))
      out[o] = ISA_RZ;
  return out;
}

static uint32_t first_word(const graph *g, isa_reg r) {
  const unsigned part = ISA_REG_PART(r);
  return g->base[ISA_REG_ID(r)] + (part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
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

static bool find_varying(graph *g, const mir_inst *mi) {
  isa_reg regs[4];
  bool any = varies_itself(&mi->i), changed = false;
  unsigned n = mir_uses(mi, regs);
  while (n--)
    any |= g->varies[ISA_REG_ID(regs[n])];
  n = mir_pred_uses(mi, regs);
  while (n--)
    any |= g->varies[g->k->vreg_count + ISA_REG_ID(regs[n])];
  if (!any)
    return false;
  const isa_reg d = mir_def(mi);
  if (ISA_REG_IS_VIRTUAL(d) && !g->varies[ISA_REG_ID(d)])
    changed = g->varies[ISA_REG_ID(d)] = true;
  n = mir_pred_defs(mi, regs);
  while (n--)
    if (!g->varies[g->k->vreg_count + ISA_REG_ID(regs[n])])
      changed = g->varies[g->k->vreg_count + ISA_REG_ID(regs[n])] = true;
  return changed;
}

// ---- definitions and what they reach

static void number_sites(graph *g) {
  const mir_kernel *k = g->k;
  uint32_t n = 0, words = 0;
  g->first_site = mem_new(k->block_count + 1, sizeof *g->first_site);
  for (uint32_t b = 0; b < k->block_count; b++)
    g->first_site[b + 1] = g->first_site[b] + k->blocks[b].count;
  g->site_count = g->first_site[k->block_count];
  g->sites = mem_new(g->site_count, sizeof *g->sites);
  g->def_of = mem_new(g->site_count + 1, sizeof *g->def_of);
  g->base = mem_new(k->vreg_count + 1, sizeof *g->base);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    g->base[v + 1] = g->base[v] + k->vregs[v].words;
  for (uint32_t b = 0; b < k->block_count; b++) {
    int64_t count = 1;
    for (uint32_t d = 0; d < g->cfg.depth[b] && d < DEEPEST; d++)
      count *= LOOP;
    for (uint32_t j = 0; j < k->blocks[b].count; j++, n++) {
      mir_inst *mi = &k->blocks[b].insts[j];
      g->sites[n] = (site){.mi = mi, .block = b, .count = count};
      g->def_of[n] = words;
      if (ISA_REG_IS_VIRTUAL(mir_def(mi)))
        words += mir_reg_words(k, mir_def(mi));
    }
  }
  g->def_of[n] = g->def_count = words;
}

static void find_defs(graph *g) {
  const uint32_t words = g->base[g->k->vreg_count];
  g->defs = mem_new(g->def_count, sizeof *g->defs);
  g->first_def = mem_new(words + 2, sizeof *g->first_def);
  g->by_word = mem_new(g->def_count, sizeof *g->by_word);
  for (uint32_t s = 0; s < g->site_count; s++)
    for (uint32_t d = g->def_of[s]; d < g->def_of[s + 1]; d++) {
      g->defs[d] =
          (def){.site = s, .word = first_word(g, mir_def(g->sites[s].mi)) + d - g->def_of[s]};
      g->first_def[g->defs[d].word + 2]++;
    }
  for (uint32_t w = 0; w < words; w++)
    g->first_def[w + 2] += g->first_def[w + 1];
  for (uint32_t d = 0; d < g->def_count; d++)
    g->by_word[g->first_def[g->defs[d].word + 1]++] = d;
}

static bool test(const uint64_t *set, uint32_t n) {
  return set[n / 64] >> n % 64 & 1;
}

static void drop_word(const graph *g, uint64_t *set, uint32_t word) {
  for (uint32_t n = g->first_def[word]; n < g->first_def[word + 1]; n++)
    set[g->by_word[n] / 64] &= ~(1ull << g->by_word[n] % 64);
}

// Turns what reaches a site into what leaves it.
static void pass(const graph *g, uint32_t s, uint64_t *set) {
  for (uint32_t d = g->def_of[s]; d < g->def_of[s + 1]; d++) {
    if (g->sites[s].mi->i.guard == ISA_PT)
      drop_word(g, set, g->defs[d].word);
    set[d / 64] |= 1ull << d % 64;
  }
}

static void find_reach(graph *g) {
  const uint32_t blocks = g->k->block_count, n = g->set = g->def_count / 64 + 1;
  uint64_t *gen = mem_new((size_t)blocks * n, sizeof *gen);
  uint64_t *keep = mem_new((size_t)blocks * n, sizeof *keep);
  g->in = mem_new((size_t)blocks * n, sizeof *g->in);
  for (uint32_t b = 0; b < blocks; b++) {
    uint64_t *kept = keep + (size_t)b * n;
    memset(kept, 0xff, n * sizeof *kept);
    for (uint32_t s = g->first_site[b]; s < g->first_site[b + 1]; s++) {
      pass(g, s, gen + (size_t)b * n);
      for (uint32_t d = g->def_of[s]; g->sites[s].mi->i.guard == ISA_PT && d < g->def_of[s + 1];
           d++)
        drop_word(g, kept, g->defs[d].word);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t r = 0; r < g->cfg.rpo_count; r++) {
      const uint32_t b = g->cfg.rpo[r];
      uint64_t *in = g->in + (size_t)b * n;
      for (uint32_t p = g->cfg.pred_first[b]; p < g->cfg.pred_first[b + 1]; p++) {
        const size_t from = (size_t)g->cfg.preds[p] * n;
        for (uint32_t w = 0; w < n; w++) {
          const uint64_t now = in[w] | gen[from + w] | (g->in[from + w] & keep[from + w]);
          changed |= now != in[w];
          in[w] = now;
        }
      }
    }
  }
  free(gen);
  free(keep);
}

// ---- the graph

static uint32_t node_of(const graph *g, uint32_t s, unsigned operand) {
  switch (locate_operand(g->k, &g->sites[s].mi->i, operand)) {
    case LOC_ALWAYS_NEAR:
      return CUT_NEAR;
    case LOC_ALWAYS_FAR:
      return CUT_FAR;
    default:
      return g->sites[s].node;
  }
}

typedef struct use {
  uint32_t def, node;
  int64_t count;
} use;

typedef struct uses {
  use *all;
  size_t count, room;
} uses;

static void add_use(uses *u, const graph *g, uint32_t d, uint32_t s, unsigned operand) {
  if (u->count == u->room) {
    u->room = u->room ? 2 * u->room : 256;
    u->all = mem_resize(u->all, u->room, sizeof *u->all);
  }
  const int64_t made = g->sites[g->defs[d].site].count, used = g->sites[s].count;
  u->all[u->count++] = (use){d, node_of(g, s, operand), made < used ? made : used};
}

// An operand that is read; and the old value of what not all lanes write.
static void uses_of(uses *u, const graph *g, uint32_t s, const uint64_t *set) {
  isa_reg r[4];
  operands(&g->sites[s].mi->i, r);
  for (unsigned o = g->sites[s].mi->i.guard == ISA_PT; o < 4; o++) {
    if (r[o] == ISA_RZ)
      continue;
    const uint32_t word = first_word(g, r[o]);
    for (uint32_t w = word; w < word + mir_reg_words(g->k, r[o]); w++)
      for (uint32_t n = g->first_def[w]; n < g->first_def[w + 1]; n++)
        if (test(set, g->by_word[n]))
          add_use(u, g, g->by_word[n], s, o);
  }
}

static int by_def(const void *a, const void *b) {
  const use *x = a, *y = b;
  return x->def != y->def       ? (x->def < y->def ? -1 : 1)
         : x->count != y->count ? (x->count > y->count ? -1 : 1)
         : x->node != y->node   ? (x->node < y->node ? -1 : 1)
                                : 0;
}

// A value moves at most once, as often as its most frequent use on the other side asks for it:
// the uses come by frequency, and `any` is for those so far.
static void add_moves(graph *g, uint32_t d, const use *u, size_t n) {
  const site *s = &g->sites[g->defs[d].site];
  const uint32_t from = node_of(g, g->defs[d].site, 0);
  const bool varies = g->varies[ISA_REG_ID(mir_def(s->mi))];
  const int64_t up = (varies ? UP : UP_SAME) + UP_WAIT, down = varies ? DOWN : DOWN_SAME;
  uint32_t far = CUT_NEAR, near = CUT_FAR;  // "some use is far", "some use is near": none yet
  for (size_t k = 0; k < n; k++) {
    if (k == 0 || u[k].count != u[k - 1].count) {
      const uint32_t more_far = cut_node(g->cut), more_near = cut_node(g->cut);
      if (k) {
        cut_edge(g->cut, more_far, far, CUT_NEVER);
        cut_edge(g->cut, near, more_near, CUT_NEVER);
      }
      far = more_far, near = more_near;
      int64_t next = 0;
      for (size_t l = k; l < n && !next; l++)
        if (u[l].count != u[k].count)
          next = u[l].count;
      cut_edge(g->cut, from, far, (u[k].count - next) * up);
      cut_edge(g->cut, near, from, (u[k].count - next) * down);
    }
    cut_edge(g->cut, far, u[k].node, CUT_NEVER);
    cut_edge(g->cut, u[k].node, near, CUT_NEVER);
  }
}

// What an instruction costs by itself, near and far.
static void own_cost(const graph *g, const mir_inst *mi, int64_t *near, int64_t *far) {
  const isa_inst *i = &mi->i;
  const bool memory = (isa_ops[i->op].flags & ISA_F_MEM) != 0;
  unsigned words = i->guard != ISA_PT ? 1 : 0;
  if (memory)
    words += i->imm ? 1 : 0;
  else
    words += (i->imm_at || i->op == ISA_OP_LOP3 ? 1u : 0u) + (i->op == ISA_OP_SELP ? 1u : 0u);
  *near = FLIT + FLIT * ((words + 1) / 2);
  *far = memory && i->space == ISA_SPACE_LOCAL ? LOCAL_FAR : 0;
  if (memory && i->space == ISA_SPACE_SHARED)
    *far = ISA_REG_IS_VIRTUAL(i->a) && g->varies[ISA_REG_ID(i->a)] ? INLINE : 2 * FLIT;
}

static void build(graph *g) {
  uint64_t *set = mem_new(g->set, sizeof *set);
  uses u = {0};
  g->cut = cut_new();
  for (uint32_t s = 0; s < g->site_count; s++) {
    const bool choice = locate_free(g->k, &g->sites[s].mi->i);
    g->sites[s].node = choice ? cut_node(g->cut) : CUT_FAR;
    if (choice) {
      int64_t near, far;
      own_cost(g, g->sites[s].mi, &near, &far);
      cut_edge(g->cut, g->sites[s].node, CUT_FAR, near * g->sites[s].count);
      cut_edge(g->cut, CUT_NEAR, g->sites[s].node, far * g->sites[s].count);
    }
  }
  for (uint32_t b = 0; b < g->k->block_count; b++) {
    memcpy(set, g->in + (size_t)b * g->set, g->set * sizeof *set);
    for (uint32_t s = g->first_site[b]; s < g->first_site[b + 1]; s++) {
      uses_of(&u, g, s, set);
      pass(g, s, set);
    }
  }
  qsort(u.all, u.count, sizeof *u.all, by_def);
  for (size_t n = 0, end; n < u.count; n = end) {
    for (end = n; end < u.count && u.all[end].def == u.all[n].def;)
      end++;
    add_moves(g, u.all[n].def, u.all + n, end - n);
  }
  free(u.all);
  free(set);
}

void locate_cost(mir_kernel *k) {
  graph g = {.k = k};
  cfg_build(&g.cfg, k);
  number_sites(&g);
  g.varies = mem_new(k->vreg_count + k->pred_count, sizeof *g.varies);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t s = 0; s < g.site_count; s++)
      changed |= find_varying(&g, g.sites[s].mi);
  }
  find_defs(&g);
  find_reach(&g);
  build(&g);
  cut_solve(g.cut);
  for (uint32_t s = 0; s < g.site_count; s++)
    g.sites[s].mi->loc = cut_is_near(g.cut, g.sites[s].node) ? MIR_LOC_N : MIR_LOC_F;
  cut_free(g.cut);
  cfg_free(&g.cfg);
  free(g.sites);
  free(g.first_site);
  free(g.base);
  free(g.varies);
  free(g.defs);
  free(g.first_def);
  free(g.by_word);
  free(g.def_of);
  free(g.in);
}
