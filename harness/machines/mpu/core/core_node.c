// SPDX-License-Identifier: Apache-2.0
// A core as the scheduler sees it.
#include <stddef.h>
#include "core_state.h"

static void advance(void *node, uint64_t until, const void *next) {
  core_advance(node, until, next);
}
static uint64_t wakes(const void *node) {
  return core_wakes(node);
}
static uint64_t cycle(const void *node) {
  return core_cycle(node);
}
static bool rests(const void *node) {
  const core *c = node;
  return core_rests(c) && !c->remote.in_count;
}
static bool failed(const void *node) {
  return core_failed(node) != CORE_OK;
}
static uint64_t moved(const void *node) {
  return core_moved(node);
}
static void stalled(void *node) {
  core_stalled(node);
}
static const node_mail *sent(const void *node, uint32_t *count) {
  const core *c = node;
  *count = c->remote.n_out;
  return c->remote.out;
}
static const void *body(const void *node, const node_mail *m) {
  return core_body(node, m);
}
static void sent_clear(void *node) {
  core *c = node;
  c->remote.n_out = c->remote.body_bytes = 0;
}
static void arrives(void *node, uint64_t at, uint32_t class, const void *body, uint32_t bytes) {
  core_arrives(node, at, class, body, bytes);
}

// Those of the core itself come first in its statistics.
static const uint64_t *counters(const void *node) {
  return (const uint64_t *)core_statistics(node);
}

static const node_counter core_counters[] = {
#define COUNTER(level, name, unit, doc) COUNTER_##level(name, unit, doc)
#define COUNTER_RUN(name, unit, doc)
#define COUNTER_CORE(name, unit, doc) {#name, unit ": " doc, NULL},
#define COUNTER_SUB(name, unit, doc)
#define COUNTER_NBU(name, unit, doc)
#define COUNTER_BANK(name, unit, doc)
#include "stats.def"
};
enum { COUNTERS = sizeof core_counters / sizeof *core_counters };
_Static_assert(offsetof(core_stats, sub) == COUNTERS * sizeof(uint64_t), "in this order");

static const node_area area[] = {{"die_slice", 1}, {"rtt", 4}};
static const node_kind kind = {.name = "core",
                               .doc = "executes thread blocks",
                               NODE_LIST(counters, core_counters),
                               NODE_LIST(area, area)};

const node_ops core_node_ops = {
    .kind = "core",
    .declares = &kind,
    .counters = counters,
    .advance = advance,
    .wakes = wakes,
    .cycle = cycle,
    .rests = rests,
    .failed = failed,
    .moved = moved,
    .stalled = stalled,
    .sent = sent,
    .body = body,
    .sent_clear = sent_clear,
    .arrives = arrives,
};

node core_node(core *c) {
  return (node){&core_node_ops, c};
}
