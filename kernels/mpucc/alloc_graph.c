// SPDX-License-Identifier: Apache-2.0
// The interference graph and its colouring.
//
// Registers of 2 and 4 words start at multiples of their size. A node of w words then has
// limit / w places, of which a neighbour of v words blocks max(1, v / w): a node whose neighbours
// block fewer places than it has gets a colour whatever they get.
#include <assert.h>
#include <string.h>
#include "alloc.h"
#include "alloc_spread.h"
#include "mem.h"

typedef struct node {
  uint32_t *edges;  // neighbours; some may have been merged into others since
  uint32_t count, capacity;
  uint32_t alias;    // itself, or what it was merged into
  uint32_t blocked;  // places that the neighbours still in the graph block
  double cost;       // of spilling: uses and definitions, by loop depth
  uint8_t class, words;
  bool temp, brief, gone;
  uint32_t writes, reads, block, at;  // to find brief nodes: written, and read by what follows
} node;

typedef struct move {  // a move between node words; both whole: it may be coalesced
  uint32_t to, from;
  uint8_t to_word, from_word;
  bool whole;
  double weight;
} move;

typedef struct graph {
  alloc *a;
  mir_kernel *k;
  node *nodes;
  uint32_t count;
  uint64_t *pairs;  // hash set of edges: larger node << 32 | smaller one, 0: free
  uint64_t pair_count, pair_mask;
  move *moves;
  uint32_t move_count, move_capacity;
  spread *spread;  // NULL: the lowest number
} graph;

// ---- edges

static uint64_t pair_slot(const graph *g, uint64_t key) {
  uint64_t at = key * 0x9e3779b97f4a7c15ull >> 20 & g->pair_mask;
  while (g->pairs[at] && g->pairs[at] != key)
    at = (at + 1) & g->pair_mask;
  return at;
}

static uint64_t pair_key(uint32_t x, uint32_t y) {
  return x > y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
}

static bool interferes(const graph *g, uint32_t x, uint32_t y) {
  return g->pairs[pair_slot(g, pair_key(x, y))] != 0;
}

static void pairs_grow(graph *g) {
  uint64_t *old = g->pairs, old_mask = g->pair_mask;
  g->pair_mask = 2 * old_mask + 1;
  g->pairs = mem_new(g->pair_mask + 1, sizeof *g->pairs);
  for (uint64_t n = 0; n <= old_mask; n++)
    if (old[n])
      g->pairs[pair_slot(g, old[n])] = old[n];
  free(old);
}

static void edge_push(node *n, uint32_t to) {
  if (n->count == n->capacity) {
    n->capacity = n->capacity ? 2 * n->capacity : 8;
    n->edges = mem_resize(n->edges, n->capacity, sizeof *n->edges);
  }
  n->edges[n->count++] = to;
}

// How many places of x a neighbour y blocks.
static uint32_t blocks(const graph *g, uint32_t y, uint32_t x) {
  uint32_t wide = g->nodes[y].words, places = wide / g->nodes[x].words;
  return places > 1 ? places : 1;
}

static uint32_t places(const graph *g, uint32_t x) {
  return g->a->limit[g->nodes[x].class] / g->nodes[x].words;
}

static bool edge_add(graph *g, uint32_t x, uint32_t y) {
  if (x == y || g->nodes[x].class != g->nodes[y].class)
    return false;
  uint64_t key = pair_key(x, y), at = pair_slot(g, key);
  if (g->pairs[at])
    return false;
  g->pairs[at] = key;
  if (++g->pair_count > g->pair_mask / 2)
    pairs_grow(g);
  edge_push(&g->nodes[x], y);
  edge_push(&g->nodes[y], x);
  g->nodes[x].blocked += blocks(g, y, x);
  g->nodes[y].blocked += blocks(g, x, y);
  return true;
}

// ---- building

static uint8_t first_word(isa_reg r) {
  unsigned part = ISA_REG_PART(r);
  return (uint8_t)(part == 0 ? 0 : part <= 4 ? part - 1 : 2 * (part - 5));
}

static void note_move(graph *g, const isa_inst *i, double weight) {
  if (g->move_count == g->move_capacity) {
    g->move_capacity = g->move_capacity ? 2 * g->move_capacity : 64;
    g->moves = mem_resize(g->moves, g->move_capacity, sizeof *g->moves);
  }
  g->moves[g->move_count++] = (move){ISA_REG_ID(i->d),
                                     ISA_REG_ID(i->a),
                                     first_word(i->d),
                                     first_word(i->a),
                                     !ISA_REG_PART(i->d) && !ISA_REG_PART(i->a),
                                     weight};
}

static bool is_move(const mir_inst *mi) {
  return mi->i.op == ISA_OP_MOV && ISA_REG_IS_VIRTUAL(mi->i.d) && ISA_REG_IS_VIRTUAL(mi->i.a);
}

static void note_access(graph *g, uint32_t x, bool write, uint32_t block, uint32_t at,
                        double weight) {
  node *n = &g->nodes[x];
  n->cost += weight;
  if (write) {
    // Going backwards: the write right before the only read makes the node brief.
    n->brief = ++n->writes == 1 && n->reads == 1 && n->block == block && n->at == at + 1;
  } else {
    n->brief = false;
    n->reads++;
    n->block = block;
    n->at = at;
  }
}

// What an instruction writes interferes with what is live behind it, but for the source of a move.
static void build_def(graph *g, uint32_t x, const uint64_t *set, const uint64_t *classes,
                      size_t stride, uint32_t source) {
  const uint64_t *mask = classes + g->nodes[x].class * stride;
  for (uint32_t w = 0; w < stride; w++)
    for (uint64_t rest = set[w] & mask[w]; rest; rest &= rest - 1) {
      uint32_t y = w * 64 + (uint32_t)__builtin_ctzll(rest);
      if (y != source)
        edge_add(g, x, y);
    }
}

static void build_inst(graph *g, const mir_inst *mi, uint32_t b, uint32_t at, const uint64_t *set,
                       const uint64_t *classes, size_t stride, double weight) {
  uint32_t first_pred = g->k->vreg_count;
  isa_reg d = mir_def(mi), regs[4], defs[2];
  unsigned count = mir_uses(mi, regs);
  for (unsigned n = 0; n < count; n++)
    note_access(g, ISA_REG_ID(regs[n]), false, b, at, weight);
  count = mir_pred_uses(mi, regs);
  for (unsigned n = 0; n < count; n++)
    note_access(g, first_pred + ISA_REG_ID(regs[n]), false, b, at, weight);
  if (ISA_REG_IS_VIRTUAL(d)) {
    uint32_t source = CFG_NONE;
    if (is_move(mi)) {
      note_move(g, &mi->i, weight);
      if (!ISA_REG_PART(d) && !ISA_REG_PART(mi->i.a))
        source = ISA_REG_ID(mi->i.a);
    }
    note_access(g, ISA_REG_ID(d), true, b, at, weight);
    build_def(g, ISA_REG_ID(d), set, classes, stride, source);
  }
  count = mir_pred_defs(mi, defs);
  for (unsigned n = 0; n < count; n++) {
    note_access(g, first_pred + ISA_REG_ID(defs[n]), true, b, at, weight);
    build_def(g, first_pred + ISA_REG_ID(defs[n]), set, classes, stride, CFG_NONE);
  }
  if (count == 2)
    edge_add(g, first_pred + ISA_REG_ID(defs[0]), first_pred + ISA_REG_ID(defs[1]));
}

static void classify(graph *g) {
  for (uint32_t x = 0; x < g->count; x++) {
    bool pred = x >= g->k->vreg_count;
    const mir_vreg *v = pred ? NULL : &g->k->vregs[x];
    g->nodes[x] = (node){.alias = x,
                         .class = pred ? ALLOC_PRED : v->files,
                         .words = pred ? 1 : v->words,
                         .temp = pred ? x - g->k->vreg_count >= g->a->temp_pred : v->temp};
  }
}

static void build(graph *g) {
  mir_kernel *k = g->k;
  live l;
  live_build(&l, k);
  double *weights = alloc_weights(k);
  size_t stride = g->count / 64 + 1;
  uint64_t *classes = mem_new(ALLOC_CLASSES * stride, sizeof *classes);
  assert(stride <= l.words);
  for (uint32_t x = 0; x < g->count; x++)
    classes[g->nodes[x].class * stride + x / 64] |= 1ull << x % 64;
  for (uint32_t b = 0; b < k->block_count; b++) {
    uint64_t *set = l.out + (size_t)b * l.words;
    for (uint32_t j = k->blocks[b].count; j-- > 0;) {
      const mir_inst *mi = &k->blocks[b].insts[j];
      build_inst(g, mi, b, j, set, classes, stride, weights[b]);
      live_step(&l, k, mi, set);
    }
  }
  bool *cheap = alloc_remakable(k);
  for (uint32_t v = 0; v < k->vreg_count; v++)
    if (cheap[v])
      g->nodes[v].cost /= 2;
  free(cheap);
  free(classes);
  free(weights);
  live_free(&l);
}

// ---- coalescing

static uint32_t find(const graph *g, uint32_t x) {
  while (g->nodes[x].alias != x)
    x = g->nodes[x].alias;
  return x;
}

// Briggs: the merged node has fewer hard neighbours than places. George: each neighbour of y is
// easy or interferes with x already.
static bool merge_is_safe(const graph *g, uint32_t x, uint32_t y) {
  uint32_t hard = 0;
  bool george = true;
  for (int side = 0; side < 2; side++) {
    const node *n = &g->nodes[side ? y : x];
    for (uint32_t e = 0; e < n->count; e++) {
      uint32_t u = n->edges[e];
      if (g->nodes[u].alias != u)
        continue;
      bool both = interferes(g, u, side ? x : y);
      bool easy = g->nodes[u].blocked - (both ? blocks(g, x, u) : 0) < places(g, u);
      if (!easy && !(side && both))
        hard += blocks(g, u, x);
      if (side && !both && g->nodes[u].blocked >= places(g, u))
        george = false;
    }
  }
  return george || hard < places(g, x);
}

static void merge(graph *g, uint32_t x, uint32_t y) {
  node *n = &g->nodes[y];
  n->alias = x;
  g->nodes[x].cost += n->cost;
  g->nodes[x].brief = false;
  for (uint32_t e = 0; e < n->count; e++) {
    uint32_t u = n->edges[e];
    if (g->nodes[u].alias != u)
      continue;
    edge_add(g, x, u);
    g->nodes[u].blocked -= blocks(g, y, u);
  }
}

static int by_weight(const void *p, const void *q) {
  const move *x = p, *y = q;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  if (x->to != y->to)
    return x->to < y->to ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

static void coalesce(graph *g) {
  if (g->move_count)
    qsort(g->moves, g->move_count, sizeof *g->moves, by_weight);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t n = 0; n < g->move_count; n++) {
      if (!g->moves[n].whole)
        continue;
      uint32_t x = find(g, g->moves[n].to), y = find(g, g->moves[n].from);
      if (x == y || g->nodes[x].class != g->nodes[y].class ||
          g->nodes[x].words != g->nodes[y].words || g->nodes[x].temp || g->nodes[y].temp ||
          interferes(g, x, y) || !merge_is_safe(g, x, y))
        continue;
      merge(g, x, y);
      changed = true;
    }
  }
}

// ---- simplify and select

// Cheaper than this to spill than temporaries, dearer than anything that gains from it.
static double spill_cost(const node *n) {
  return n->temp ? 1e300 : n->brief ? 1e200 : n->cost;
}

static bool is_root(const graph *g, uint32_t x) {
  return g->nodes[x].alias == x && g->nodes[x].class != ALLOC_NONE &&
         (g->nodes[x].reads || g->nodes[x].writes);
}

static void take(graph *g, uint32_t x, uint32_t *stack, uint32_t *depth, uint32_t *easy,
                 uint32_t *easy_count) {
  node *n = &g->nodes[x];
  n->gone = true;
  stack[(*depth)++] = x;
  for (uint32_t e = 0; e < n->count; e++) {
    uint32_t u = n->edges[e];
    node *m = &g->nodes[u];
    if (m->alias != u || m->gone)
      continue;
    bool hard = m->blocked >= places(g, u);
    m->blocked -= blocks(g, x, u);
    if (hard && m->blocked < places(g, u))
      easy[(*easy_count)++] = u;
  }
}

// The order in which nodes leave the graph, easy ones first.
static uint32_t simplify(graph *g, uint32_t *stack) {
  uint32_t *easy = mem_new(2 * (size_t)g->count, sizeof *easy), easy_count = 0, depth = 0;
  uint32_t *hard = mem_new(g->count, sizeof *hard), hard_count = 0;
  for (uint32_t x = 0; x < g->count; x++)
    if (is_root(g, x)) {
      if (g->nodes[x].blocked < places(g, x))
        easy[easy_count++] = x;
      else
        hard[hard_count++] = x;
    }
  for (;;) {
    if (easy_count) {
      uint32_t x = easy[--easy_count];
      if (!g->nodes[x].gone)
        take(g, x, stack, &depth, easy, &easy_count);
      continue;
    }
    uint32_t kept = 0, best = CFG_NONE;
    double least = 0;
    for (uint32_t n = 0; n < hard_count; n++) {
      uint32_t x = hard[n];
      if (g->nodes[x].gone)
        continue;
      hard[kept++] = x;
      double cost = spill_cost(&g->nodes[x]) / (g->nodes[x].blocked * g->nodes[x].words + 1);
      if (best == CFG_NONE || cost < least) {
        best = x;
        least = cost;
      }
    }
    hard_count = kept;
    if (best == CFG_NONE)
      break;
    take(g, best, stack, &depth, easy, &easy_count);
  }
  free(easy);
  free(hard);
  return depth;
}

static bool place_free(const uint64_t taken[4], uint32_t at, unsigned words) {
  for (unsigned w = 0; w < words; w++)
    if (taken[(at + w) / 64] >> (at + w) % 64 & 1)
      return false;
  return true;
}

// Moves by node, to give both ends of what could not be coalesced the same number.
typedef struct wishes {
  uint32_t *first, *list;
} wishes;

static wishes wishes_new(const graph *g) {
  wishes w = {mem_new(g->count + 2, sizeof *w.first), mem_new(2 * g->move_count, sizeof *w.list)};
  for (uint32_t n = 0; n < g->move_count; n++) {
    w.first[find(g, g->moves[n].to) + 2]++;
    w.first[find(g, g->moves[n].from) + 2]++;
  }
  for (uint32_t x = 0; x < g->count; x++)
    w.first[x + 2] += w.first[x + 1];
  for (uint32_t n = 0; n < g->move_count; n++) {
    w.list[w.first[find(g, g->moves[n].to) + 1]++] = n;
    w.list[w.first[find(g, g->moves[n].from) + 1]++] = n;
  }
  return w;
}

static bool wished_place(const graph *g, const wishes *w, uint32_t x, const uint64_t taken[4],
                         uint32_t *place) {
  unsigned words = g->nodes[x].words;
  for (uint32_t e = w->first[x]; e < w->first[x + 1]; e++) {
    const move *m = &g->moves[w->list[e]];
    bool to = find(g, m->to) == x;
    uint32_t other = find(g, to ? m->from : m->to);
    if (other == x || g->nodes[other].class != g->nodes[x].class ||
        g->a->color[other] == ALLOC_NO_COLOR)
      continue;
    int at = g->a->color[other] + (to ? m->from_word - m->to_word : m->to_word - m->from_word);
    if (at >= 0 && at % (int)words == 0 && (uint32_t)at + words <= g->a->limit[g->nodes[x].class] &&
        place_free(taken, (uint32_t)at, words)) {
      *place = (uint32_t)at;
      return true;
    }
  }
  return false;
}

// What speaks against a free number.
static uint32_t held_there(const graph *g, uint32_t x, uint32_t at) {
  const unsigned class = g->nodes[x].class;
  return g->spread && class == ALLOC_NEAR ? spread_held(g->spread, at, x) : 0;
}

static bool find_place(const graph *g, const wishes *w, uint32_t x, uint32_t *place) {
  const node *n = &g->nodes[x];
  uint64_t taken[5] = {0};
  for (uint32_t e = 0; e < n->count; e++) {
    uint32_t u = n->edges[e];
    if (g->nodes[u].alias != u || g->a->color[u] == ALLOC_NO_COLOR)
      continue;
    for (unsigned k = 0; k < g->nodes[u].words; k++)
      taken[(g->a->color[u] + k) / 64] |= 1ull << (g->a->color[u] + k) % 64;
  }
  if (wished_place(g, w, x, taken, place))
    return true;
  uint32_t least = UINT32_MAX;
  for (uint32_t at = 0; at + n->words <= g->a->limit[n->class] && least; at += n->words) {
    const uint32_t now = place_free(taken, at, n->words) ? held_there(g, x, at) : least;
    if (now < least)
      least = now, *place = at;
  }
  return least < UINT32_MAX;
}

// No place for x: spill it, or when that gains nothing the cheapest neighbour that has one.
static bool choose_spill(graph *g, uint32_t x) {
  uint32_t victim = CFG_NONE;
  if (spill_cost(&g->nodes[x]) < 1e200) {
    victim = x;
  } else {
    for (uint32_t e = 0; e < g->nodes[x].count; e++) {
      uint32_t u = g->nodes[x].edges[e];
      if (g->nodes[u].alias == u && g->a->color[u] != ALLOC_NO_COLOR &&
          spill_cost(&g->nodes[u]) < 1e200 &&
          (victim == CFG_NONE || g->nodes[u].cost < g->nodes[victim].cost))
        victim = u;
    }
    if (victim == CFG_NONE && !g->nodes[x].temp)
      victim = x;
  }
  if (victim == CFG_NONE)
    return false;
  g->a->spill[victim] = true;
  return true;
}

static bool select_colors(graph *g, const uint32_t *stack, uint32_t depth) {
  bool ok = true;
  wishes w = wishes_new(g);
  while (depth) {
    uint32_t x = stack[--depth], at = 0, end;
    if (!find_place(g, &w, x, &at)) {
      ok = false;
      choose_spill(g, x);
      continue;
    }
    g->a->color[x] = (uint8_t)at;
    if (g->spread && g->nodes[x].class == ALLOC_NEAR)
      spread_take(g->spread, at, x);
    end = at + g->nodes[x].words;
    if (end > g->a->used[g->nodes[x].class])
      g->a->used[g->nodes[x].class] = end;
  }
  free(w.first);
  free(w.list);
  return ok;
}

void alloc_free(alloc *a) {
  free(a->color);
  free(a->spill);
  free(a->root);
  a->color = NULL;
  a->spill = NULL;
  a->root = NULL;
}

bool alloc_color(alloc *a) {
  graph g = {.a = a, .k = a->k, .count = a->k->vreg_count + a->k->pred_count, .pair_mask = 4095};
  alloc_free(a);
  a->nodes = g.count;
  a->color = mem_new(g.count, 1);
  memset(a->color, ALLOC_NO_COLOR, g.count);
  a->spill = mem_new(g.count, sizeof *a->spill);
  a->root = mem_new(g.count, sizeof *a->root);
  memset(a->used, 0, sizeof a->used);
  g.nodes = mem_new(g.count, sizeof *g.nodes);
  g.pairs = mem_new(g.pair_mask + 1, sizeof *g.pairs);
  classify(&g);
  build(&g);
  coalesce(&g);
  for (uint32_t x = 0; x < g.count; x++)
    a->root[x] = find(&g, x);
  g.spread = a->spread ? spread_new(a->k, a->root) : NULL;
  uint32_t *stack = mem_new(g.count, sizeof *stack);
  bool ok = select_colors(&g, stack, simplify(&g, stack));
  for (uint32_t x = 0; x < g.count; x++) {
    const uint32_t r = a->root[x];
    a->color[x] = a->color[r];
    a->spill[x] = a->spill[r];
    free(g.nodes[x].edges);
  }
  spread_free(g.spread);
  free(stack);
  free(g.nodes);
  free(g.pairs);
  free(g.moves);
  return ok;
}
