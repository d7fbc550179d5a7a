// SPDX-License-Identifier: Apache-2.0
// Counters that differ, those with the largest effect on cycles first. An effect is what the
// busiest part of a resource is busy longer with what was counted; resources work at the same time,
// so effects do not add up.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

// ---- costs

// Lists that a path goes through to one of them.
typedef enum per { PER_CORE = 0, PER_SUBCORE = 1, PER_UNIT = 1, PER_BANK = 2 } per;
typedef enum how { HOW_ONE, HOW_KEY, HOW_SUM, HOW_MOST, HOW_SHARE } how;

typedef struct cost {
  const char *path;
  per per;
  how how;
  const char *keys[2], *text;
} cost;
static const cost costs[] = {
#define DIFF_COST(path, PER, HOW, key0, key1, text) \
  {path, PER_##PER, HOW_##HOW, {key0, key1}, text " each, in the busiest " BUSY_##PER},
#define BUSY_CORE "core"
#define BUSY_SUBCORE "subcore"
#define BUSY_UNIT "near-bank unit"
#define BUSY_BANK "bank"
#include "costs.def"
};

// NULL: none is known.
static const cost *cost_of(const char *name) {
  if (strncmp(name, "core.", 5) != 0)
    return NULL;
  for (size_t k = 0; k < sizeof costs / sizeof *costs; k++) {
    const size_t n = strcspn(costs[k].path, "*");
    if (costs[k].path[n] ? !strncmp(name + 5, costs[k].path, n) : !strcmp(name + 5, costs[k].path))
      return &costs[k];
  }
  return NULL;
}

// NaN: the configuration does not have the keys.
static double cycles_of(const cost *c, const diff_run *r) {
  const tree *of = tree_in(r->top, "configuration");
  const double x = tree_number(tree_at(of, c->keys[0]), NAN);
  const double y = tree_number(tree_at(of, c->keys[1]), NAN);
  return c->how == HOW_ONE    ? 1
         : c->how == HOW_KEY  ? x
         : c->how == HOW_SUM  ? x + y
         : c->how == HOW_MOST ? isnan(x) || isnan(y) ? NAN : fmax(x, y)
                              : (x > 0 ? 1 / x : NAN);
}

// ---- the busiest part

static double sum_of(const tree *t, const char *path);

// Of all elements of a list, or of the tree itself.
static double sum_below(const tree *t, const char *path) {
  double sum = 0;
  if (!t || t->kind != TREE_LIST)
    return sum_of(t, path);
  for (const tree *c = t->first; c; c = c->next)
    sum += sum_of(c, path);
  return sum;
}

static const tree *first_of(const tree *t, const char **path) {
  char key[64];
  const size_t n = strcspn(*path, ".");
  snprintf(key, sizeof key, "%.*s", (int)n, *path);
  *path += n + ((*path)[n] == '.');
  return tree_in(t, key);
}

static double sum_of(const tree *t, const char *path) {
  if (!*path)
    return tree_number(t, 0);
  const tree *below = first_of(t, &path);
  return below ? sum_below(below, path) : 0;
}

static double most_of(const tree *t, const char *path, int lists) {
  double most = 0;
  if (!lists)
    return sum_of(t, path);
  const tree *below = first_of(t, &path);
  for (const tree *c = below ? below->first : NULL; c; c = c->next)
    most = fmax(most, most_of(c, path, lists - 1));
  return most;
}

static double busiest(const diff_run *r, const cost *c, const char *name) {
  double most = 0;
  for (uint64_t k = 0; r->core && k < r->cores; k++)
    most = fmax(most, most_of(r->core[k], name + 5, (int)c->per));
  return most;
}

static void take_cost(const diff *d, diff_counter *to) {
  const cost *c = cost_of(to->name);
  double cycles[2];
  if (!c || !d->run[0]->core || !d->run[1]->core)
    return;
  for (int s = 0; s < 2; s++)
    cycles[s] = cycles_of(c, d->run[s]) * busiest(d->run[s], c, to->name);
  to->costs = !isnan(cycles[0]) && !isnan(cycles[1]);
  if (!to->costs)
    return;
  to->effect = cycles[1] - cycles[0];
  to->how = c->text;
}

// ---- which of them

// Shown as cycles, or as cycles by cause.
static bool is_cycles(const char *name) {
  return !strcmp(name, "core.cycles") || !strcmp(name, "core.cycles_drain") ||
         !strncmp(name, "core.subcores.cycles_", 21);
}

// The same as another one, or made of others.
static bool is_again(const char *name) {
  static const char *const all[] = {
      "warp_instructions", "near_instructions", "far_instructions",
      "bound_issue",       "bound_tsv",         "bound_banks",
      "bound_commands",    "bound_shared",      "core.nbus.flits_down",
      "core.nbus.flits_up"};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (strcmp(name, all[k]) == 0)
      return true;
  return false;
}

static double weight_of(double a, double b) {
  return fabs(log((b + 1) / (a + 1))) * log(1 + fmax(a, b));
}

static void take(diff *d, const char *name, double a, double b) {
  diff_counters *to = &d->counters;
  diff_counter c = {.name = (char *)name, .value = {a, b}};
  diff_name n;
  take_cost(d, &c);
  to->differ += a != b;
  to->same += a == b;
  if (a == b && !(c.costs && c.effect != 0))
    return;
  const machine_ops *machine = d->run[0]->machine ? d->run[0]->machine : d->run[1]->machine;
  diff_name_of(name, machine, &n);
  c.name = diff_must(strdup(name));
  c.unit = n.unit, c.doc = n.doc;
  c.again = is_again(name);
  c.weight = weight_of(a, b);
  to->all = diff_must(realloc(to->all, (to->n + 1) * sizeof *to->all));
  to->all[to->n++] = c;
}

static int by_effect(const void *x, const void *y) {
  const diff_counter *a = x, *b = y;
  const double ea = a->costs ? fabs(a->effect) : 0, eb = b->costs ? fabs(b->effect) : 0;
  if (a->again != b->again)
    return a->again ? 1 : -1;
  if (ea != eb)
    return ea > eb ? -1 : 1;
  if (a->weight != b->weight)
    return a->weight > b->weight ? -1 : 1;
  return strcmp(a->name, b->name);
}

void diff_counters_of(diff *d) {
  const values *x = &d->run[0]->counters, *y = &d->run[1]->counters;
  diff_counters *to = &d->counters;
  size_t i = 0, k = 0;
  while (i < x->n || k < y->n) {
    const int order = i == x->n ? 1 : k == y->n ? -1 : strcmp(x->all[i].name, y->all[k].name);
    const char *name = order <= 0 ? x->all[i].name : y->all[k].name;
    if (is_cycles(name))
      ;
    else if (order)
      to->only[order > 0]++;
    else
      take(d, name, x->all[i].number, y->all[k].number);
    i += order <= 0, k += order >= 0;
  }
  if (to->n)
    qsort(to->all, to->n, sizeof *to->all, by_effect);
}
