// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "alloc.h"

typedef struct node {
  uint32_t *edges;
  uint32_t count, capacity;
  uint32_t alias;  // itself, or what it was merged into
  double cost;     // of spilling: uses and definitions, by loop depth
  bool used, removed;
} node;

typedef struct colorer {
  mir_kernel *k;
  node *nodes;
  uint64_t *matrix;  // lower triangle: do two registers interfere
  uint32_t limit[ALLOC_CLASSES];
} colorer;

static uint64_t pair_bit(uint32_t a, uint32_t b) {
  uint64_t hi = a > b ? a : b, lo = a > b ? b : a;
  return hi * (hi - 1) / 2 + lo;
}

static bool interferes(const colorer *c, uint32_t a, uint32_t b) {
  if (a == b)
    return false;
  uint64_t bit = pair_bit(a, b);
  return c->matrix[bit / 64] >> bit % 64 & 1;
}

static unsigned class_of(const colorer *c, uint32_t v) { return c->k->vregs[v].files; }
static unsigned words_of(const colorer *c, uint32_t v) { return c->k->vregs[v].words; }

static void edge_push(node *n, uint32_t to) {
  if (n->count == n->capacity) {
    n->capacity = n->capacity ? 2 * n->capacity : 8;
    n->edges = realloc(n->edges, n->capacity * sizeof *n->edges);
    if (!n->edges)
      abort();
  }
  n->edges[n->count++] = to;
}

static void edge_add(colorer *c, uint32_t a, uint32_t b) {
  if (a == b || class_of(c, a) != class_of(c, b) || interferes(c, a, b))
    return;
  uint64_t bit = pair_bit(a, b);
  c->matrix[bit / 64] |= 1ull << bit % 64;
  edge_push(&c->nodes[a], b);
  edge_push(&c->nodes[b], a);
}

// What an instruction writes interferes with what is live behind it, but for the source of a move.
static void build_inst(colorer *c, const live *l, const mir_inst *mi, const uint64_t *set,
                       double weight) {
  isa_reg d = mir_def(mi), regs[4];
  for (unsigned n = 0, count = mir_uses(mi, regs); n < count; n++)
    if (ISA_REG_IS_VIRTUAL(regs[n])) {
      c->nodes[ISA_REG_ID(regs[n])].cost += weight;
      c->nodes[ISA_REG_ID(regs[n])].used = true;
    }
  if (!ISA_REG_IS_VIRTUAL(d))
    return;
  uint32_t id = ISA_REG_ID(d), source = CFG_NONE;
  c->nodes[id].cost += weight;
  c->nodes[id].used = true;
  if (mi->i.op == ISA_OP_MOV && ISA_REG_IS_VIRTUAL(mi->i.a) && !ISA_REG_PART(mi->i.a) &&
      !ISA_REG_PART(d))
    source = ISA_REG_ID(mi->i.a);
  for (uint32_t w = 0; w * 64 < l->vregs; w++)
    for (uint64_t rest = set[w]; rest; rest &= rest - 1) {
      uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(rest);
      if (v < l->vregs && v != source)
        edge_add(c, id, v);
    }
}

static void build(colorer *c) {
  mir_kernel *k = c->k;
  live l;
  cfg g;
  live_build(&l, k);
  cfg_build(&g, k);
  for (uint32_t b = 0; b < k->block_count; b++) {
    double weight = 1;
    for (uint32_t d = 0; d < g.depth[b] && d < 6; d++)
      weight *= 10;
    uint64_t *set = l.out + (size_t)b * l.words;
    for (uint32_t j = k->blocks[b].count; j-- > 0;) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      build_inst(c, &l, mi, set, weight);
      live_step(&l, k, mi, set);
    }
  }
  // what is live into the entry holds no value yet, and needs no edges among itself but through
  // its later writes; two of them may both be read, so keep them apart
  for (uint32_t v = 0; v < l.vregs; v++)
    for (uint32_t u = 0; u < v && live_test(l.in, v); u++)
      if (live_test(l.in, u))
        edge_add(c, v, u);
  live_free(&l);
  cfg_free(&g);
}

// ---- colourability: a neighbour of v words blocks at most this many aligned places of w words
static unsigned blocks_places(unsigned v, unsigned w) { return v > w ? v / w : 1; }

static uint32_t places(const colorer *c, uint32_t v) {
  return c->limit[class_of(c, v)] / words_of(c, v);
}

static uint32_t pressure(const colorer *c, uint32_t v) {
  uint32_t sum = 0;
  for (uint32_t e = 0; e < c->nodes[v].count; e++) {
    uint32_t u = c->nodes[v].edges[e];
    if (!c->nodes[u].removed && c->nodes[u].alias == u)
      sum += blocks_places(words_of(c, u), words_of(c, v));
  }
  return sum;
}

// ---- coalescing

static uint32_t find(const colorer *c, uint32_t v) {
  while (c->nodes[v].alias != v)
    v = c->nodes[v].alias;
  return v;
}

// Briggs: fewer hard neighbours of the merged node than it has places.
static bool merge_is_safe(const colorer *c, uint32_t a, uint32_t b) {
  uint32_t hard = 0;
  for (int side = 0; side < 2; side++) {
    const node *n = &c->nodes[side ? b : a];
    for (uint32_t e = 0; e < n->count; e++) {
      uint32_t u = n->edges[e];
      if (c->nodes[u].alias != u || (side && interferes(c, u, a)))
        continue;
      if (pressure(c, u) >= places(c, u))
        hard += blocks_places(words_of(c, u), words_of(c, a));
    }
  }
  return hard < places(c, a);
}

static void merge(colorer *c, uint32_t a, uint32_t b) {
  c->nodes[b].alias = a;
  c->nodes[a].cost += c->nodes[b].cost;
  for (uint32_t e = 0; e < c->nodes[b].count; e++)
    if (c->nodes[c->nodes[b].edges[e]].alias == c->nodes[b].edges[e])
      edge_add(c, a, c->nodes[b].edges[e]);
}

static bool coalesce(colorer *c) {
  mir_kernel *k = c->k;
  bool changed = false;
  for (uint32_t b = 0; b < k->block_count; b++)
    for (uint32_t j = 0; j < k->blocks[b].count; j++) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      isa_reg d = mi->i.d, s = mi->i.a;
      if (mi->i.op != ISA_OP_MOV || !ISA_REG_IS_VIRTUAL(d) || !ISA_REG_IS_VIRTUAL(s) ||
          ISA_REG_PART(d) || ISA_REG_PART(s))
        continue;
      uint32_t a = find(c, ISA_REG_ID(d)), e = find(c, ISA_REG_ID(s));
      if (a == e || class_of(c, a) != class_of(c, e) || words_of(c, a) != words_of(c, e) ||
          k->vregs[a].temp || k->vregs[e].temp || interferes(c, a, e) || !merge_is_safe(c, a, e))
        continue;
      merge(c, a, e);
      changed = true;
    }
  return changed;
}

// ---- simplify and select

// The next to remove: any that surely gets a colour, else the cheapest to spill.
static uint32_t pick(const colorer *c, const uint32_t *weight, uint32_t count) {
  uint32_t best = CFG_NONE;
  double least = 0;
  for (uint32_t v = 0; v < count; v++) {
    const node *n = &c->nodes[v];
    if (n->removed || !n->used || n->alias != v)
      continue;
    if (weight[v] < places(c, v))
      return v;
    double cost = (c->k->vregs[v].temp ? 1e30 : n->cost) / (weight[v] + 1) ;
    if (best == CFG_NONE || cost < least) {
      best = v;
      least = cost;
    }
  }
  return best;
}

static bool place_free(const uint64_t taken[4], uint32_t at, unsigned words) {
  for (unsigned w = 0; w < words; w++)
    if (taken[(at + w) / 64] >> (at + w) % 64 & 1)
      return false;
  return true;
}

static bool select_color(colorer *c, uint32_t v, const bool *colored) {
  uint64_t taken[4] = {0};
  unsigned words = words_of(c, v);
  for (uint32_t e = 0; e < c->nodes[v].count; e++) {
    uint32_t u = find(c, c->nodes[v].edges[e]);
    if (!colored[u])
      continue;
    for (unsigned w = 0; w < words_of(c, u); w++) {
      uint32_t at = c->k->vregs[u].phys + w;
      taken[at / 64] |= 1ull << at % 64;
    }
  }
  for (uint32_t at = 0; at + words <= c->limit[class_of(c, v)]; at += words)
    if (place_free(taken, at, words)) {
      c->k->vregs[v].phys = at;
      return true;
    }
  return false;
}

static void color(colorer *c, alloc_result *r) {
  mir_kernel *k = c->k;
  uint32_t count = k->vreg_count, depth = 0;
  uint32_t *stack = malloc((count + 1) * sizeof *stack), *weight = calloc(count + 1, sizeof *weight);
  bool *colored = calloc(count + 1, sizeof *colored);
  if (!stack || !weight || !colored)
    abort();
  for (uint32_t v = 0; v < count; v++)
    weight[v] = pressure(c, v);
  for (uint32_t v; (v = pick(c, weight, count)) != CFG_NONE;) {
    c->nodes[v].removed = true;
    stack[depth++] = v;
    for (uint32_t e = 0; e < c->nodes[v].count; e++) {
      uint32_t u = c->nodes[v].edges[e];
      if (!c->nodes[u].removed && c->nodes[u].alias == u)
        weight[u] -= blocks_places(words_of(c, v), words_of(c, u));
    }
  }
  while (depth) {
    uint32_t v = stack[--depth];
    if (select_color(c, v, colored)) {
      colored[v] = true;
      uint32_t end = k->vregs[v].phys + words_of(c, v);
      if (end > r->used[class_of(c, v)])
        r->used[class_of(c, v)] = end;
    } else {
      r->spill[v] = true;
    }
  }
  for (uint32_t v = 0; v < count; v++) {
    uint32_t a = find(c, v);
    k->vregs[v].phys = k->vregs[a].phys;
    r->spill[v] = c->nodes[v].used && r->spill[a];
    r->spills += r->spill[v];
  }
  free(stack);
  free(weight);
  free(colored);
}

static void remove_moves(mir_kernel *k) {
  for (uint32_t b = 0; b < k->block_count; b++) {
    mir_block *block = &k->blocks[b];
    uint32_t kept = 0;
    for (uint32_t j = 0; j < block->count; j++) {
      const isa_inst *i = &block->insts[j].i;
      bool empty = i->op == ISA_OP_MOV && ISA_REG_IS_VIRTUAL(i->d) && ISA_REG_IS_VIRTUAL(i->a) &&
                   !ISA_REG_PART(i->d) && !ISA_REG_PART(i->a) &&
                   k->vregs[ISA_REG_ID(i->d)].files == k->vregs[ISA_REG_ID(i->a)].files &&
                   k->vregs[ISA_REG_ID(i->d)].phys == k->vregs[ISA_REG_ID(i->a)].phys;
      if (!empty)
        block->insts[kept++] = block->insts[j];
    }
    block->count = kept;
  }
}

void alloc_color(mir_kernel *k, const alloc_limits *limits, alloc_result *r) {
  colorer c = {.k = k};
  uint32_t count = k->vreg_count;
  c.nodes = calloc(count + 1, sizeof *c.nodes);
  c.matrix = calloc(((uint64_t)count * (count + 1) / 2) / 64 + 2, sizeof *c.matrix);
  *r = (alloc_result){.spill = calloc(count + 1, sizeof *r->spill)};
  if (!c.nodes || !c.matrix || !r->spill)
    abort();
  memcpy(c.limit, limits->words, sizeof c.limit);
  for (uint32_t v = 0; v < count; v++) {
    c.nodes[v].alias = v;
    k->vregs[v].phys = ISA_RZ;
  }
  build(&c);
  while (coalesce(&c)) {
  }
  color(&c, r);
  if (!r->spills)
    remove_moves(k);
  for (uint32_t v = 0; v < count; v++)
    free(c.nodes[v].edges);
  free(c.nodes);
  free(c.matrix);
}
