// SPDX-License-Identifier: Apache-2.0
// Of all bins only these can be the best: those that have a column of the set, found by column; and
// the lightest one, the first of equals, for among those without such a column the score falls with
// the weight. A column that few bins have has a list of them, one that many have a map.
#include "assign.h"
#include <stdlib.h>
#include <string.h>

enum { LISTED = 16 };  // more than a bin of so many have a column: a map

typedef struct column {
  uint32_t *list, n;  // bins that have it
  uint8_t *map;       // instead of the list: whether each bin has it
} column;

typedef struct assigner {
  const column_sets *sets;
  const assign_rule *rule;
  uint64_t *weight;
  uint32_t *held;   // sets of each bin
  uint32_t *tree;   // the lightest bin with room of each half, as in a tournament; bins: none
  uint32_t leaves;  // a power of two
  column *columns;
  uint32_t *shared, *met, n_met;  // bins that share columns with this set
  bool all;                       // any bin may, as one of the columns has a map
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
  a->n_met = 0, a->all = false;
  for (uint64_t k = 0; k < n; k++) {
    const column *c = &a->columns[col[k]];
    if (c->map) {
      a->all = true;
      for (uint32_t b = 0; b < a->rule->bins; b++)
        a->shared[b] += c->map[b];
      continue;
    }
    for (uint32_t l = 0; l < c->n; l++)
      if (!a->shared[c->list[l]]++)
        a->met[a->n_met++] = c->list[l];
  }
}

static void forget(assigner *a) {
  if (a->all)
    memset(a->shared, 0, a->rule->bins * sizeof *a->shared);
  for (uint32_t k = 0; k < a->n_met; k++)
    a->shared[a->met[k]] = 0;
}

// Where weights count elements, a bin with fewer columns of the set can win by being lighter only,
// and so does one with as many that stands behind.
static bool cannot_win(const assigner *a, uint32_t b, uint32_t over) {
  return !a->rule->different &&
         (a->shared[b] < a->shared[over] || (a->shared[b] == a->shared[over] && b > over));
}

static uint32_t best(const assigner *a, uint32_t set) {
  const uint32_t n = a->all ? a->rule->bins : a->n_met;
  uint32_t bin = a->tree[1];
  double score = assign_score(a->rule, a->sets, set, a->weight[bin], a->shared[bin]);
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t b = a->all ? k : a->met[k];
    if (cannot_win(a, b, bin) || !has_room(a, b))
      continue;
    const double s = assign_score(a->rule, a->sets, set, a->weight[b], a->shared[b]);
    if (s > score || (s == score && b < bin))
      score = s, bin = b;
  }
  return bin;
}

static bool owns(const column *c, uint32_t bin) {
  if (c->map)
    return c->map[bin];
  for (uint32_t l = 0; l < c->n; l++)
    if (c->list[l] == bin)
      return true;
  return false;
}

static bool make_map(const assigner *a, column *c) {
  if (!(c->map = calloc(a->rule->bins, 1)))
    return false;
  for (uint32_t l = 0; l < c->n; l++)
    c->map[c->list[l]] = 1;
  free(c->list), c->list = NULL;
  return true;
}

static bool own(const assigner *a, column *c, uint32_t bin) {
  if (!c->map && c->n == a->rule->bins / LISTED && !make_map(a, c))
    return false;
  if (c->map) {
    c->map[bin] = 1;
    return true;
  }
  if (!(c->n & (c->n - 1))) {  // as long as a power of two
    uint32_t *more = realloc(c->list, (c->n ? 2 * c->n : 1) * sizeof *more);
    if (!more)
      return false;
    c->list = more;
  }
  c->list[c->n++] = bin;
  return true;
}

static bool give(assigner *a, uint32_t set, uint32_t bin) {
  const uint32_t *col = a->sets->col + a->sets->begin[set];
  const uint64_t n = a->sets->begin[set + 1] - a->sets->begin[set];
  a->weight[bin] += assign_adds(a->rule, a->sets, set, a->shared[bin]);
  a->held[bin]++;
  weigh(a, bin);
  for (uint64_t k = 0; k < n; k++) {
    column *c = &a->columns[col[k]];
    if ((!a->shared[bin] || !owns(c, bin)) && !own(a, c, bin))
      return false;
  }
  return true;
}

static void assigner_free(assigner *a) {
  for (uint32_t k = 0; a->columns && k < a->sets->cols; k++)
    free(a->columns[k].list), free(a->columns[k].map);
  free(a->weight), free(a->held), free(a->tree), free(a->columns);
  free(a->shared), free(a->met);
}

bool assign(const column_sets *sets, const uint32_t *order, const assign_rule *rule,
            uint32_t *bin) {
  assigner a = {.sets = sets, .rule = rule, .leaves = 1};
  while (a.leaves < rule->bins)
    a.leaves *= 2;
  a.weight = calloc(rule->bins, sizeof *a.weight);
  a.held = calloc(rule->bins, sizeof *a.held);
  a.tree = malloc(2 * (size_t)a.leaves * sizeof *a.tree);
  a.columns = calloc(sets->cols, sizeof *a.columns);
  a.shared = calloc((size_t)rule->bins + 1, sizeof *a.shared);
  a.met = malloc(rule->bins * sizeof *a.met);
  bool good = a.weight && a.held && a.tree && a.columns && a.shared && a.met;
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
    forget(&a);
  }
  assigner_free(&a);
  return good;
}
