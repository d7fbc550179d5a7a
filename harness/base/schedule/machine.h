// SPDX-License-Identifier: Apache-2.0
// A machine of nodes, for whoever runs one without knowing it: what it declares, how it is made
// from a configuration, and what its nodes counted. docs/adding-a-machine.md.
#ifndef NEARBANK_MACHINE_OF_NODES_H
#define NEARBANK_MACHINE_OF_NODES_H

#include "harness/base/config/config.h"
#include "harness/base/build_info.h"
#include "harness/base/json.h"
#include "lockstep.h"
#include "schedule.h"

// What a node is made from.
typedef struct machine_site {
  const config *config;
  lockstep_mode near;     // models of its blocks
  const noc_config *net;  // network
  uint32_t index, nodes;  // its own number, and how many there are
} machine_site;

typedef struct machine_part {
  const node_ops *ops;  // with what it declares, which no other part does
  size_t bytes;         // of a node, zero at first
  // False: `why`. `finish` follows in any case.
  bool (*init)(void *node, const machine_site *site, char *why, size_t why_bytes);
  void (*finish)(void *node);
} machine_part;

typedef struct machine_ops {
  const char *name, *doc;
  const char *section;        // of the configuration; NULL: it has none of its own
  const machine_part *parts;  // node k is parts[k], those behind the last one as the last one
  uint32_t n_parts;
  // Does the machine take this configuration? Else `why` says which key is wrong and what is
  // allowed.
  bool (*check)(const config *c, uint32_t nodes, char *why, size_t why_bytes);
  void (*results)(void *const *nodes, uint32_t count, json_writer *j);  // into an open object
} machine_ops;

typedef struct machine_run machine_run;

// `near` of each node; NULL: all are LOCKSTEP_C. NULL: `why`.
machine_run *machine_run_new(const machine_ops *ops, const config *c, const lockstep_mode *near,
                             uint32_t threads, char *why, size_t why_bytes);
// Models of each of `nodes` nodes: as `mode` says ("c", "rtl", "lockstep"), or only those of the
// list `only` (number_list.h), in Verilog when that is "c", and the others in C. False: `only` is
// no such list.
bool machine_near(const char *mode, const char *only, uint32_t nodes,
                  lockstep_mode near[SCHEDULE_NODES]);
void machine_run_free(machine_run *r);
// Its nodes; they stay its own.
const node *machine_run_nodes(const machine_run *r, uint32_t *count);
// Looks on (as of schedule_watch; `done` is not asked). MACHINE_WATCHES at most.
enum { MACHINE_WATCHES = 4 };
void machine_run_watch(machine_run *r, const schedule_watch *w);
// In a forked process: without threads, and nobody looks on any more.
void machine_run_alone(machine_run *r);
uint64_t machine_run_cycles(const machine_run *r);
// To its end. False: `why` says what went wrong, and in which node; or a watch has stopped it.
bool machine_run_all(machine_run *r, char *why, size_t why_bytes);
bool machine_run_stopped(const machine_run *r);  // by a watch
// The node that has failed in the last machine_run_all. NULL: none.
typedef struct machine_failure {
  uint32_t node;
  struct node of;
  uint64_t cycle;
  bool stalled;  // no node goes on
  const char *why;
} machine_failure;
const machine_failure *machine_run_failure(const machine_run *r);

// What there is after a run: configuration, build `b`, cycles, network, results, and of all nodes
// their counters, the sums for each kind, and the energy of what costs some.
void machine_run_json(const machine_run *r, const build_info *b, FILE *to);
// A few lines for people.
void machine_run_report(const machine_run *r, FILE *to);
// What a machine declares.
void machine_declared(const machine_ops *ops, FILE *to);

#endif
