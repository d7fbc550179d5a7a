// SPDX-License-Identifier: Apache-2.0
// A core as the scheduler sees it.
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

static const uint64_t *counters(const void *node) {
  return (const uint64_t *)core_statistics(node);
}

const node_ops core_node_ops = {
    .kind = "core",
    .declares = &core_kind,
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
