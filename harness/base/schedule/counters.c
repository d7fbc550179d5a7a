// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include <stdio.h>
#include <string.h>

uint32_t counters_words(const node_kind *k) {
  uint32_t words = k->n_counters;
  for (uint32_t n = 0; n < k->n_groups; n++) {
    const node_group *g = &k->groups[n];
    const uint32_t end = g->at + (g->count ? g->count : 1) * g->words;
    words = end > words ? end : words;
  }
  return words;
}

// ---- as JSON

static void put(const node_counter *c, uint32_t n, const uint64_t *words, json_writer *j) {
  for (uint32_t k = 0; k < n; k++)
    jw_count(j, c[k].name, words[k]);
}

static void put_group(const node_group *g, const uint64_t *words, json_writer *j) {
  if (g->count)
    jw_list(j, g->name);
  for (uint32_t i = 0; i < (g->count ? g->count : 1); i++) {
    const uint64_t *at = words + i * g->words;
    jw_object(j, g->count ? NULL : g->name);
    put(g->counters, g->n_counters, at, j);
    for (uint32_t n = 0; n < g->n_groups; n++)
      put_group(&g->groups[n], at + g->groups[n].at, j);
    jw_end(j);
  }
  if (g->count)
    jw_end(j);
}

void counters_json(const node_kind *k, const uint64_t *words, json_writer *j) {
  put(k->counters, k->n_counters, words, j);
  for (uint32_t n = 0; n < k->n_groups; n++)
    put_group(&k->groups[n], words + k->groups[n].at, j);
}

// ---- by their paths

typedef struct walk {
  counters_visit *visit;
  void *ctx;
  char path[COUNTERS_PATH];
} walk;

static bool walk_counters(walk *w, const node_counter *c, uint32_t n, uint32_t instance,
                          uint32_t word) {
  const size_t used = strlen(w->path);
  bool on = true;
  for (uint32_t k = 0; k < n && on; k++) {
    snprintf(w->path + used, sizeof w->path - used, "%s", c[k].name);
    on = w->visit(w->ctx, w->path, &c[k], instance, word + k);
  }
  w->path[used] = 0;
  return on;
}

static bool walk_group(walk *w, const node_group *g, uint32_t instance, uint32_t word) {
  const size_t used = strlen(w->path);
  const uint32_t count = g->count ? g->count : 1;
  bool on = true;
  snprintf(w->path + used, sizeof w->path - used, "%s.", g->name);
  for (uint32_t i = 0; i < count && on; i++) {
    const uint32_t which = instance * count + i, at = word + i * g->words;
    on = walk_counters(w, g->counters, g->n_counters, which, at);
    for (uint32_t n = 0; n < g->n_groups && on; n++)
      on = walk_group(w, &g->groups[n], which, at + g->groups[n].at);
  }
  w->path[used] = 0;
  return on;
}

void counters_each(const node_kind *k, counters_visit *visit, void *ctx) {
  walk w = {.visit = visit, .ctx = ctx};
  bool on = walk_counters(&w, k->counters, k->n_counters, 0, 0);
  for (uint32_t n = 0; n < k->n_groups && on; n++)
    on = walk_group(&w, &k->groups[n], 0, k->groups[n].at);
}

static bool is(const char *name, const char *path, size_t length) {
  return strncmp(name, path, length) == 0 && !name[length];
}

// Of a node or a part of one, whose words these are: not by a walk over all names, since energies
// ask for hundreds of sums.
static bool add(const node_counter *c, uint32_t n, const node_group *groups, uint32_t n_groups,
                const uint64_t *words, const char *path, size_t length, uint64_t *sum) {
  const char *dot = memchr(path, '.', length);
  const size_t first = dot ? (size_t)(dot - path) : length;
  bool found = false;
  for (uint32_t k = 0; k < n && !dot; k++)
    if (is(c[k].name, path, length))
      *sum += words[k], found = true;
  for (const node_group *g = groups; dot && g < groups + n_groups; g++) {
    if (!is(g->name, path, first))
      continue;
    for (uint32_t i = 0; i < (g->count ? g->count : 1); i++)
      found |= add(g->counters, g->n_counters, g->groups, g->n_groups, words + g->at + i * g->words,
                   dot + 1, length - first - 1, sum);
  }
  return found;
}

bool counters_sum(const node_kind *k, const uint64_t *words, const char *path, size_t length,
                  uint64_t *sum) {
  *sum = 0;
  return add(k->counters, k->n_counters, k->groups, k->n_groups, words, path, length, sum);
}

// ---- one of them

static bool find(const node_counter *c, uint32_t n, const char *name, uint32_t *word) {
  for (uint32_t k = 0; k < n; k++)
    if (!strcmp(c[k].name, name)) {
      *word += k;
      return true;
    }
  return false;
}

counters_place counters_word(const node_kind *k, const char *path, const uint32_t *at,
                             uint32_t lists, uint32_t *word) {
  const node_counter *counters = k->counters;
  const node_group *groups = k->groups;
  uint32_t n_counters = k->n_counters, n_groups = k->n_groups, used = 0;
  bool beyond = false;
  *word = 0;
  for (const char *dot; (dot = strchr(path, '.')); path = dot + 1) {
    const size_t n = (size_t)(dot - path);
    const node_group *g = groups;
    while (g < groups + n_groups && !is(g->name, path, n))
      g++;
    if (g == groups + n_groups || (g->count && used == lists))
      return COUNTERS_NONE;
    const uint32_t which = g->count ? at[used++] : 0;
    beyond |= g->count && which >= g->count;
    *word += g->at + which * g->words;
    counters = g->counters, n_counters = g->n_counters;
    groups = g->groups, n_groups = g->n_groups;
  }
  return !find(counters, n_counters, path, word) || used < lists ? COUNTERS_NONE
         : beyond                                                ? COUNTERS_BEYOND
                                                                 : COUNTERS_THERE;
}
