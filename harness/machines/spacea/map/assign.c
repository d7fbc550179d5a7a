// SPDX-License-Identifier: Apache-2.0
// Of all bins only these can be the best: those that have a column of the set, found by column; and
// the lightest one, the first of equals, for among those without such a column the score falls with
// the weight.
#include "assign.h"
#include <stdlib.h>

typedef struct link {
  uint32_t bin, next;
} link;

typedef struct assigner {
  const column_sets *sets;
  const assign_rule *rule;
  uint64_t *weight;
  uint32_t *held;   // sets of each bin
  uint32_t *tree;   // the lightest bin with room of each half, as in a tournament; bins: none
  uint32_t leaves;  // a power of two
  uint32_t *first;  // column: its bins, a list in links; 0: none
  link *links;
  uint64_t used, room;
  uint32_t *shared, *met, n_met;  // bins that share columns with this set
} assigner;

static bool has_room(const assigner *a, uint32_t bin) {
  return !a->rule->places || a->held[bin] < a->rule->places;
}
static uint32_t lighter(const assigner *a, uint32_t x, uint32_t y) {
  if (x == a->rule->bins || y == a->rule->bins)
    return x == a->rule->bins ? y : x;
  return a->weight[y] < a->weight[x] ? y : x;
}
static void weigh(assigner *a, uint32_t bin) {
  uint32_t at = a->leaves + bin;
  a->tree[at] = has_room(a, bin) ? bin : a->rule->bins;
  while (at /= 2)
    a->tree[at] = lighter(a, a->tree[2 * at], a->tree[2 * at + 1]);
}

// Which bins have how many columns of the set.
static void meet(assigner *a, const uint32_t *col, uint64_t n) {
  a->n_met = 0;
  for (uint64_t k = 0; k < n; k++)
    for (uint32_t l = a->first[col[k]]; l; l = a->links[l].next) {
      const uint32_t bin = a->links[l].bin;
      if (!a->shared[bin]++)
        a->met[a->n_met++] = bin;
    }
}

static uint32_t best(const assigner *a, uint32_t set) {
  uint32_t bin = a->tree[1];
  double score = assign_score(a->rule, a->sets, set, a->weight[bin], a->shared[bin]);
  for (uint32_t k = 0; k < a->n_met; k++) {
    const uint32_t b = a->met[k];
    if (!has_room(a, b))
      continue;
    const double s = assign_score(a->rule, a->sets, set, a->weight[b], a->shared[b]);
    if (s > score || (s == score && b < bin))
      score = s, bin = b;
  }
  return bin;
}

static bool owns(const assigner *a, uint32_t col, uint32_t bin) {
  for (uint32_t l = a->first[col]; l; l = a->links[l].next)
    if (a->links[l].bin == bin)
      return true;
  return false;
}

static bool give(assigner *a, uint32_t set, uint32_t bin) {
  const uint32_t *col = a->sets->col + a->sets->begin[set];
  const uint64_t n = a->sets->begin[set + 1] - a->sets->begin[set];
  a->weight[bin] += assign_adds(a->rule, a->sets, set, a->shared[bin]);
  a->held[bin]++;
  if (a->used + n > a->room) {
    a->room = (a->used + n) * 2;
    link *more = realloc(a->links, a->room * sizeof *more);
    if (!more)
      return false;
    a->links = more;
  }
  for (uint64_t k = 0; k < n; k++)
    if (!a->shared[bin] || !owns(a, col[k], bin)) {
      a->links[a->used] = (link){bin, a->first[col[k]]};
      a->first[col[k]] = (uint32_t)a->used++;
    }
  weigh(a, bin);
  return true;
}

bool assign(const column_sets *sets, const uint32_t *order, const assign_rule *rule,
            uint32_t *bin) {
  assigner a = {.sets = sets, .rule = rule, .leaves = 1, .used = 1, .room = 1 << 16};
  while (a.leaves < rule->bins)
    a.leaves *= 2;
  a.weight = calloc(rule->bins, sizeof *a.weight);
  a.held = calloc(rule->bins, sizeof *a.held);
  a.tree = malloc(2 * (size_t)a.leaves * sizeof *a.tree);
  a.first = calloc(sets->cols, sizeof *a.first);
  a.links = malloc(a.room * sizeof *a.links);
  a.shared = calloc((size_t)rule->bins + 1, sizeof *a.shared);
  a.met = malloc(rule->bins * sizeof *a.met);
  bool good = a.weight && a.held && a.tree && a.first && a.links && a.shared && a.met;
  if (good) {
    for (uint32_t k = 0; k < a.leaves; k++)
      a.tree[a.leaves + k] = k < rule->bins ? k : rule->bins;
    for (uint32_t k = a.leaves - 1; k; k--)
      a.tree[k] = lighter(&a, a.tree[2 * k], a.tree[2 * k + 1]);
  }
  for (uint32_t k = 0; good && k < sets->n; k++) {
    const uint32_t s = order ? order[k] : k;
    const uint32_t *col = sets->col + sets->begin[s];
    const uint64_t n = sets->begin[s + 1] - sets->begin[s];
    bin[s] = UINT32_MAX;
    if (!n)
      continue;
    meet(&a, col, n);
    bin[s] = best(&a, s);
    good = give(&a, s, bin[s]);
    for (uint32_t m = 0; m < a.n_met; m++)
      a.shared[a.met[m]] = 0;
  }
  free(a.weight), free(a.held), free(a.tree), free(a.first), free(a.links), free(a.shared);
  free(a.met);
  return good;
}
