// SPDX-License-Identifier: Apache-2.0
// Arrays of device memory of two runs, those with the largest effect on cycles first. They belong
// together by name. When a name is there more than once, those of both runs belong together in
// their order; if one run has more of them, first those that are allocated at the same place.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"

const char *const diff_count_names[DIFF_COUNTS] = {"read",           "written",      "remote_read",
                                                   "remote_written", "atomics",      "row_hits",
                                                   "row_misses",     "row_conflicts"};

// ---- an array of a run

static bool is_whole(const diff_array *a) {
  return isnan(a->count[DIFF_REMOTE_READ]);
}

double diff_local(const diff_array *a) {
  return a ? a->count[DIFF_READ] + a->count[DIFF_WRITTEN] : 0;
}

double diff_remote(const diff_array *a) {
  return a ? a->count[DIFF_REMOTE_READ] + a->count[DIFF_REMOTE_WRITTEN] : 0;
}

double diff_sectors(const diff_array *a) {
  return !a || is_whole(a) ? diff_local(a) : diff_local(a) + diff_remote(a);
}

double diff_hits(const diff_array *a) {
  const double all = diff_sectors(a);
  return all > 0 ? 100 * a->count[DIFF_ROW_HITS] / all : NAN;
}

static double without_split(const diff_array *a, int count) {
  if (count == DIFF_READ && !is_whole(a))
    return a->count[DIFF_READ] + a->count[DIFF_REMOTE_READ];
  if (count == DIFF_WRITTEN && !is_whole(a))
    return a->count[DIFF_WRITTEN] + a->count[DIFF_REMOTE_WRITTEN];
  return a->count[count];
}

// In something that both runs know.
static bool differ(const diff_array *a, const diff_array *b) {
  const bool whole = is_whole(a) || is_whole(b);
  for (int k = 0; k < DIFF_COUNTS; k++) {
    const double x = whole ? without_split(a, k) : a->count[k],
                 y = whole ? without_split(b, k) : b->count[k];
    if (!isnan(x) && !isnan(y) && x != y)
      return true;
  }
  return false;
}

// ---- effects

typedef struct costs {  // cycles that one takes, of the mean bank and of the mean core
  double access, miss, conflict, remote;
} costs;

// NaN: not known.
static costs costs_of(const diff_run *r) {
  const tree *dram = tree_at(r->top, "configuration.dram");
  const double ccd = tree_number(tree_in(dram, "tCCD"), NAN),
               burst = tree_number(tree_in(dram, "burst"), NAN),
               rcd = tree_number(tree_in(dram, "tRCD"), NAN),
               rp = tree_number(tree_in(dram, "tRP"), NAN),
               requests = tree_number(tree_at(r->top, "configuration.network.requests"), NAN);
  double banks = 0, cycles = 0, sectors = 0;
  for (uint64_t k = 0; r->core && k < r->cores; k++) {
    const tree *nbus = tree_in(r->core[k], "nbus");
    for (const tree *n = nbus ? nbus->first : NULL; n; n = n->next)
      banks += tree_in(n, "banks") ? (double)tree_in(n, "banks")->n : 0;
    cycles += tree_number(tree_in(r->core[k], "remote_cycles"), 0);
  }
  for (size_t k = 0; k < r->n_arrays; k++)
    sectors += diff_remote(&r->arrays[k]);
  const double each = banks > 0 ? 1 / banks : NAN;
  return (costs){.access = isnan(ccd) || isnan(burst) ? NAN : each * fmax(ccd, burst),
                 .miss = each * rcd,
                 .conflict = each * (rp + rcd),
                 .remote = sectors > 0 ? cycles / sectors / requests / (double)r->cores : 0};
}

static double bank_cycles(const costs *c, const diff_array *a) {
  return !a ? 0
            : c->access * diff_sectors(a) + c->miss * a->count[DIFF_ROW_MISSES] +
                  c->conflict * a->count[DIFF_ROW_CONFLICTS];
}

// That of the resource which it changes most.
static void take_effect(diff_pair *p, const costs c[2]) {
  const double banks = bank_cycles(&c[1], p->of[1]) - bank_cycles(&c[0], p->of[0]),
               remote = c[1].remote * diff_remote(p->of[1]) - c[0].remote * diff_remote(p->of[0]);
  p->costs = !isnan(banks) && !isnan(remote);
  if (!p->costs)
    return;
  p->effect = fabs(remote) > fabs(banks) ? remote : banks;
  p->how = fabs(remote) > fabs(banks) ? "remote requests" : "banks";
}

// ---- what belongs together

static bool same_name(const diff_array *a, const diff_array *b) {
  return a->kind == b->kind && strcmp(a->name, b->name) == 0;
}

static bool same_place(const diff_array *a, const diff_array *b) {
  return a->place && b->place && strcmp(a->place, b->place) == 0;
}

static void add(diff_arrays *to, const diff_array *a, const diff_array *b) {
  to->all = diff_must(realloc(to->all, (to->n + 1) * sizeof *to->all));
  to->all[to->n] = (diff_pair){.of = {a, b}, .order = to->n};
  to->n++;
}

// Those with the name of x that are left: how many. Of `first`, that which stands first, if any.
static size_t left_of(const diff_run *r, const bool *taken, const diff_array *x, size_t *first) {
  size_t n = 0;
  for (size_t k = r->n_arrays; k-- > 0;)
    if (!taken[k] && same_name(&r->arrays[k], x))
      n++, *first = k;
  return n;
}

static void pair_places(diff_arrays *to, const diff_run *const run[2], bool *const taken[2],
                        const diff_array *x) {
  for (size_t i = 0; i < run[0]->n_arrays; i++)
    for (size_t k = 0; k < run[1]->n_arrays && !taken[0][i]; k++) {
      const diff_array *a = &run[0]->arrays[i], *b = &run[1]->arrays[k];
      if (taken[1][k] || !same_name(a, x) || !same_name(b, x) || !same_place(a, b))
        continue;
      taken[0][i] = taken[1][k] = true;
      add(to, a, b);
    }
}

// All arrays of x's name.
static void pair_name(diff_arrays *to, const diff_run *const run[2], bool *const taken[2],
                      const diff_array *x) {
  size_t at[2];
  if (left_of(run[0], taken[0], x, &at[0]) != left_of(run[1], taken[1], x, &at[1]))
    pair_places(to, run, taken, x);
  for (;;) {
    const bool a = left_of(run[0], taken[0], x, &at[0]), b = left_of(run[1], taken[1], x, &at[1]);
    if (!a && !b)
      return;
    add(to, a ? &run[0]->arrays[at[0]] : NULL, b ? &run[1]->arrays[at[1]] : NULL);
    if (a)
      taken[0][at[0]] = true;
    if (b)
      taken[1][at[1]] = true;
  }
}

static void pair_all(diff_arrays *to, const diff_run *const run[2]) {
  bool *const taken[2] = {diff_must(calloc(run[0]->n_arrays + 1, sizeof(bool))),
                          diff_must(calloc(run[1]->n_arrays + 1, sizeof(bool)))};
  for (int s = 0; s < 2; s++)
    for (size_t k = 0; k < run[s]->n_arrays; k++)
      if (!taken[s][k])
        pair_name(to, run, taken, &run[s]->arrays[k]);
  free(taken[0]);
  free(taken[1]);
}

// ---- those that are shown

static double change_of(const diff_pair *p) {
  const double change = diff_sectors(p->of[1]) - diff_sectors(p->of[0]);
  return isnan(change) ? 0 : fabs(change);
}

static int by_effect(const void *x, const void *y) {
  const diff_pair *a = x, *b = y;
  const double ea = a->costs ? fabs(a->effect) : 0, eb = b->costs ? fabs(b->effect) : 0;
  const double ca = change_of(a), cb = change_of(b);
  if (ea != eb)
    return ea > eb ? -1 : 1;
  if (ca != cb)
    return ca > cb ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

void diff_arrays_of(diff *d) {
  diff_arrays *to = &d->arrays;
  size_t n = 0;
  for (int s = 0; s < 2; s++) {
    to->has[s] = d->run[s]->has_arrays;
    for (size_t k = 0; k < d->run[s]->n_arrays; k++)
      to->whole[s] |= is_whole(&d->run[s]->arrays[k]);
  }
  to->known = to->has[0] && to->has[1];
  if (!to->known)
    return;
  const costs c[2] = {costs_of(d->run[0]), costs_of(d->run[1])};
  pair_all(to, d->run);
  for (size_t k = 0; k < to->n; k++) {
    diff_pair p = to->all[k];
    const bool both = p.of[0] && p.of[1], other = both && differ(p.of[0], p.of[1]);
    take_effect(&p, c);
    to->differ += other, to->same += both && !other;
    to->only[0] += !p.of[1], to->only[1] += !p.of[0];
    if (!both || other || (p.costs && p.effect != 0))
      to->all[n++] = p;
  }
  to->n = n;
  if (n)
    qsort(to->all, n, sizeof *to->all, by_effect);
}
