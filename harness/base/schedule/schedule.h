// SPDX-License-Identifier: Apache-2.0
// Nodes and the network between them, in windows of cycles: the network steps the cycles that the
// nodes have done, then each node a window by itself, on any thread. A packet is in the network
// interfaces long enough that no node can miss it, so the result is the same with any number of
// threads.
#ifndef NEARBANK_SCHEDULE_H
#define NEARBANK_SCHEDULE_H

#include <stddef.h>
#include "harness/base/json.h"
#include "node.h"

typedef struct schedule schedule;

enum { SCHEDULE_NODES = 1024 };

typedef struct schedule_config {
  uint32_t nodes;          // 1 to SCHEDULE_NODES
  uint32_t threads;        // of the host, with the caller's
  noc_config noc;          // node k is terminal k; with one node there is no network
  uint32_t router_cycles;  // steps of the network in a cycle of the nodes
  uint32_t interface;      // cycles of a packet in the network interfaces, both together
  uint64_t stall_limit;    // cycles without progress of any node that are a failure
} schedule_config;

// NULL: `why`.
schedule *schedule_new(const schedule_config *c, char *why, size_t why_bytes);
void schedule_free(schedule *s);

// Node k is this one from now on, which stays the caller's. Between runs.
void schedule_place(schedule *s, uint32_t k, node n);

// An observer. Functions that are NULL are not called; all are called between windows.
typedef struct schedule_watch {
  void *ctx;
  uint64_t (*cycles)(void *ctx);  // that the next window may have
  // All nodes have done what there is to do before cycle `until`. True ends the run.
  bool (*window)(void *ctx, uint64_t until);
  bool (*done)(void *ctx);  // all that was asked for: to stall or to reach the limit is no failure
} schedule_watch;

typedef enum schedule_end {
  SCHEDULE_DONE,
  SCHEDULE_FAILED,   // a node: of several the one that failed first, the lowest of these
  SCHEDULE_STALLED,  // the same, because no node makes progress
  SCHEDULE_LIMIT,    // of cycles
  SCHEDULE_STOPPED,  // by the watch
  SCHEDULE_NO_MEMORY,
  SCHEDULE_PAUSED,  // schedule_advance only: call it again
} schedule_end;

typedef struct schedule_outcome {
  schedule_end end;
  uint32_t node;  // that failed
} schedule_outcome;

// Before a run: the network is empty, `busy` nodes have something to do from the present cycle on.
// False: no memory.
bool schedule_begin(schedule *s, const bool *busy);
// Until all nodes rest and nothing is in the network; `limit` cycles at most, 0: no limit.
schedule_outcome schedule_run(schedule *s, uint64_t limit, const schedule_watch *w);
// The same in steps: returns SCHEDULE_PAUSED at cycle `pause` or slightly beyond.
schedule_outcome schedule_advance(schedule *s, uint64_t limit, uint64_t pause,
                                  const schedule_watch *w);

uint64_t schedule_cycle(const schedule *s);  // that all nodes have come to
void schedule_set_cycle(schedule *s, uint64_t cycle);
uint64_t schedule_rested(const schedule *s);  // that the last node has come to
noc_stats schedule_network(const schedule *s);
void schedule_set_network(schedule *s, const noc_stats *n);  // goes on counting from there
// The links of the network (noc.h); 0: there are none.
uint32_t schedule_links(const schedule *s);
noc_link_stats schedule_link_counted(const schedule *s, uint32_t k);
void schedule_set_link(schedule *s, uint32_t k, const noc_link_stats *n);
void schedule_links_json(const schedule *s, json_writer *j);  // "links", a list
// What the network has counted before cycle `at`, to which no node has come yet: for
// schedule_sampled, one at a time. Between windows; UINT64_MAX: none.
void schedule_sample(schedule *s, uint64_t at);
// All nodes have come to that cycle. False: the network has not, and *to is what it has counted so
// far. It has at the end of the next window.
bool schedule_sampled(const schedule *s, noc_stats *to);

// In a forked process: without threads.
void schedule_alone(schedule *s);

// Counters are structs of uint64_t: adds `from` to `to`.
void counters_add(void *to, const void *from, size_t bytes);

#endif
