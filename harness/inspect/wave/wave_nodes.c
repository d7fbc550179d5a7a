// SPDX-License-Identifier: Apache-2.0
#include "wave_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, MODULES = 16 };

typedef struct scope {
  const node *node;
  wave_source *sources[MODULES];  // NULL: none
} scope;

struct wave_nodes {
  wave *file;
  uint64_t from, until, at;
  bool on, failed;
  uint32_t count;
  scope of[];
};

static uint32_t modules(const node *n) {
  const node_kind *k = n->ops->declares;
  uint32_t all = 0;
  for (uint32_t r = 0; n->ops->trace && k && r < k->n_area; r++)
    all += k->area[r].count;
  const uint32_t count = all && n->ops->traced ? n->ops->traced(n->state) : all;
  return count < MODULES ? count : MODULES;
}

// "bankctl", or "bgroup0" where a node has several.
static void name_of(const node *n, uint32_t module, char name[NAME]) {
  const node_area *a = n->ops->declares->area;
  for (; module >= a->count; a++)
    module -= a->count;
  snprintf(name, NAME, a->count > 1 ? "%s%u" : "%s", a->module, module);
}

static void turn(wave_nodes *w, bool on) {
  for (uint32_t k = 0; k < w->count; k++) {
    const node *n = w->of[k].node;
    for (uint32_t m = 0; m < modules(n); m++) {
      const rtl_trace to = {wave_write, w->of[k].sources[m], NULL};
      if (to.ctx)
        w->failed |= !n->ops->trace(n->state, m, on ? &to : NULL);
    }
  }
}

// Headers of all that is to be kept.
static bool make_scope(wave_nodes *w, uint32_t k, const node *n) {
  char group[NAME], name[NAME];
  snprintf(group, sizeof group, "%s%u", n->ops->kind, k);
  w->of[k].node = n;
  if (!wave_wants(w->file, group, NULL))
    return true;
  for (uint32_t m = 0; m < modules(n); m++) {
    name_of(n, m, name);
    if (wave_wants(w->file, group, name) &&
        !(w->of[k].sources[m] = wave_source_new(w->file, group, name)))
      return false;
  }
  return true;
}

static void come_to(wave_nodes *w, uint64_t until) {
  w->at = until = until > w->at ? until : w->at;
  for (uint32_t k = 0; w->on && k < w->count; k++)
    if (modules(w->of[k].node))
      w->of[k].node->ops->come_to(w->of[k].node->state, until);
  if (w->on)
    wave_step(w->file, until);
}

static void settle(wave_nodes *w, uint64_t cycle) {
  const bool on = cycle >= w->from && cycle < w->until && !w->failed && !wave_is_full(w->file);
  if (on == w->on)
    return;
  if (on)
    wave_begin(w->file, cycle);
  turn(w, on);
  if (!on)
    wave_end(w->file, cycle);
  w->on = on;
}

uint64_t wave_nodes_cycles(void *ctx) {
  const wave_nodes *w = ctx;
  if (w->at < w->from)
    return w->from - w->at;
  return w->at < w->until ? w->until - w->at : UINT64_MAX;
}

bool wave_nodes_window(void *ctx, uint64_t until) {
  wave_nodes *w = ctx;
  // what happens before a beginning is not recorded, but must have happened
  for (uint32_t k = 0; !w->on && until >= w->from && w->at < w->from && k < w->count; k++)
    if (modules(w->of[k].node))
      w->of[k].node->ops->come_to(w->of[k].node->state, until);
  come_to(w, until);
  settle(w, w->at);
  return false;
}

static wave_nodes *fail(wave_nodes *w) {
  if (w && w->file)
    wave_drop(w->file);
  free(w);
  return NULL;
}

wave_nodes *wave_nodes_new(const wave_nodes_config *c, char *why, size_t why_bytes) {
  wave_nodes *w = calloc(1, sizeof *w + c->count * sizeof *w->of);
  snprintf(why, why_bytes, "out of host memory");
  if (!w || !(w->file = wave_new(c->file, c->scopes, why, why_bytes)))
    return fail(w);
  w->from = c->from, w->until = c->until, w->count = c->count;
  bool ok = true;
  for (uint32_t k = 0; k < c->count; k++)
    ok = ok && make_scope(w, k, &c->nodes[k]);
  turn(w, true);
  turn(w, false);
  if (!ok || w->failed) {
    snprintf(why, why_bytes, "out of host memory, or a model without signals");
    return fail(w);
  }
  if (*wave_missed(w->file)) {
    snprintf(why, why_bytes,
             "no scope of this machine matches '%.80s' (--wave-scope); a scope is a node, or a "
             "module in it: %s1, *.%s",
             wave_missed(w->file), c->nodes[c->count - 1].ops->kind,
             modules(&c->nodes[c->count - 1]) ? c->nodes[c->count - 1].ops->declares->area[0].module
                                              : "*");
    return fail(w);
  }
  settle(w, 0);
  return w;
}

wave_summary wave_nodes_close(wave_nodes *w, uint64_t cycle) {
  come_to(w, cycle);
  if (w->on) {
    turn(w, false);
    wave_end(w->file, w->at);
  }
  const wave_summary s = wave_close(w->file);
  free(w);
  return s;
}
