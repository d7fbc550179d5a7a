// SPDX-License-Identifier: Apache-2.0
#include "clocked.h"

enum { FEW = 40 };  // lines of the host's caches: some cycles bring all of a node

// What `next` will touch: its list first, then what is on it.
static void fetch(prefetch *a, const clocked *next, uint32_t cycles) {
  if (cycles == 0)
    prefetch_now(next, sizeof *next);
  else if (cycles == 1 && next->hot)
    prefetch_now(next->hot, offsetof(prefetch, pieces) + 64 * sizeof *next->hot->pieces);
  else if (cycles == 2 && next->hot)
    prefetch_copy(a, next->hot);
  prefetch_go(a, FEW);
}

void clocked_advance(void *node, uint64_t until, const void *next) {
  clocked *c = node;
  prefetch a;
  prefetch_none(&a);
  for (uint32_t cycles = 0; c->cycle < until && !c->error; c->cycle++, cycles++) {
    if (c->idle(node)) {
      const uint64_t at = node_port_wakes(&c->port);
      if (at >= until)
        return;
      c->cycle = at > c->cycle ? at : c->cycle;
    }
    if (next)
      fetch(&a, next, cycles);
    node_port_clock(&c->port, c->cycle);
    const uint32_t sent = c->port.n_out;
    c->step(node);
    if (c->port.n_out != sent)
      c->moved = c->cycle;
    if (c->error)
      return;
  }
}

uint64_t clocked_wakes(const void *node) {
  const clocked *c = node;
  const uint64_t at = c->idle(node) ? node_port_wakes(&c->port) : c->cycle;
  return at > c->cycle ? at : c->cycle;
}

uint64_t clocked_cycle(const void *node) {
  return ((const clocked *)node)->cycle;
}

bool clocked_rests(const void *node) {
  const clocked *c = node;
  return c->idle(node) && node_port_wakes(&c->port) == UINT64_MAX;
}

bool clocked_failed(const void *node) {
  return ((const clocked *)node)->error;
}

const char *clocked_error(const void *node) {
  return ((const clocked *)node)->error;
}

uint64_t clocked_moved(const void *node) {
  return ((const clocked *)node)->moved;
}

void clocked_stalled(void *node) {
  ((clocked *)node)->error = "it waits for something that does not come";
}

const uint64_t *clocked_counters(const void *node) {
  return ((const clocked *)node)->counters;
}

void clocked_finish(void *node) {
  node_port_free(&((clocked *)node)->port);
}

void clocked_observe(void *node, const node_observer *o) {
  ((clocked *)node)->observer = o ? *o : (node_observer){0};
}

void clocked_tell(void *node, node_event e) {
  const clocked *c = node;
  e.cycle = c->cycle;
  if (c->observer.event)
    c->observer.event(c->observer.ctx, &e);
}
