// SPDX-License-Identifier: Apache-2.0
// A node that only has to say what a cycle does: its state begins with a clocked, its node_ops have
// CLOCKED_OPS. It stands still while it is idle and no packet has arrived.
#ifndef NEARBANK_CLOCKED_H
#define NEARBANK_CLOCKED_H

#include "csim/base/prefetch.h"
#include "port.h"

typedef struct clocked {
  node_port port;
  uint64_t cycle;  // that it does, or does next
  uint64_t moved;  // the last cycle with progress: a packet sent or taken, or as step sets it
  const char *error;
  const uint64_t *counters;
  node_observer observer;  // event NULL: nobody
  // What most of its cycles touch, for the caches of the host, filled once; NULL: nothing.
  prefetch *hot;
  // Does the cycle; after a time in which it stood still it is not the next one.
  void (*step)(void *node);
  // Nothing happens in a cycle without a packet, or one more place to send.
  bool (*idle)(const void *node);
} clocked;

void clocked_advance(void *node, uint64_t until, const void *next);
uint64_t clocked_wakes(const void *node);
uint64_t clocked_cycle(const void *node);
bool clocked_rests(const void *node);
bool clocked_failed(const void *node);
const char *clocked_error(const void *node);
uint64_t clocked_moved(const void *node);
void clocked_stalled(void *node);
const uint64_t *clocked_counters(const void *node);
void clocked_observe(void *node, const node_observer *o);

// Something happens in this cycle; `e.cycle` is set here.
void clocked_tell(void *node, node_event e);

void clocked_finish(void *node);  // frees its port

#define CLOCKED_OPS                                                                     \
  .counters = clocked_counters, .observe = clocked_observe, .advance = clocked_advance, \
  .wakes = clocked_wakes, .cycle = clocked_cycle, .rests = clocked_rests,               \
  .failed = clocked_failed, .error = clocked_error, .moved = clocked_moved,             \
  .stalled = clocked_stalled, .sent = node_port_sent, .body = node_port_body,           \
  .sent_clear = node_port_sent_clear, .arrives = node_port_arrives

#endif
