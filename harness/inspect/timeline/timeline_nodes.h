// SPDX-License-Identifier: Apache-2.0
// A timeline of any machine of nodes: a process each node, a row each kind of event that it
// declares (harness/base/schedule/node.h). docs/timeline.md.
#ifndef NEARBANK_TIMELINE_NODES_H
#define NEARBANK_TIMELINE_NODES_H

#include "harness/base/schedule/node.h"

enum { TIMELINE_CYCLES = 100000 };  // of a window that nobody asked for

typedef struct timeline_nodes_config {
  const char *file;  // stays the caller's
  uint64_t from, to;
  bool asked;         // for this window
  const node *nodes;  // stay the caller's
  uint32_t count;
} timeline_nodes_config;

typedef struct timeline_nodes timeline_nodes;

// Observes the nodes from now on. NULL: `why` says what the file cannot be.
timeline_nodes *timeline_nodes_new(const timeline_nodes_config *c, char *why, size_t why_bytes);
// As schedule_watch has it: the nodes have done what there is to do before cycle `until`.
bool timeline_nodes_window(void *t, uint64_t until);
// The run has ended after so many cycles: what is open ends there, and the file is closed. What is
// not in it is said on stderr. False: the file is not whole, which was said.
bool timeline_nodes_end(timeline_nodes *t, uint64_t cycles);

#endif
