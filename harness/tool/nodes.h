// SPDX-License-Identifier: Apache-2.0
// Options of whoever runs a machine of nodes (options_nodes), and what they ask for.
#ifndef NEARBANK_TOOL_NODES_H
#define NEARBANK_TOOL_NODES_H

#include "harness/base/schedule/machine.h"
#include "harness/inspect/postmortem/postmortem_nodes.h"
#include "harness/inspect/timeline/timeline_nodes.h"
#include "harness/inspect/wave/wave_nodes.h"
#include "tool.h"

typedef struct nodes_args {
  const char *near, *only, *threads, *stats, *timeline, *timeline_window;
  const char *wave, *wave_window, *wave_scope, *postmortem;
  // Of the command, not of its options: what does it again, and the state of a node as text; or
  // NULL.
  char *command;
  void (*describe)(const node *n, FILE *to);
} nodes_args;

// The option that was met: 1 it is one of these, 0 it is not; EXIT_USAGE after a message.
int nodes_take(nodes_args *o, const args *a);
// What can be said before anything is opened: 0 or EXIT_USAGE.
int nodes_check(const nodes_args *o);
// Of each node of a machine (machine_near): 0 or EXIT_USAGE.
int nodes_near(const nodes_args *o, uint32_t nodes, lockstep_mode near[SCHEDULE_NODES]);
uint32_t nodes_threads(const nodes_args *o);

typedef struct nodes_watch {
  timeline_nodes *timeline;
  wave_nodes *waves;
  postmortem_nodes *postmortem;
} nodes_watch;

// Before the first cycle. 0 or EXIT_USAGE; nodes_close in any case.
int nodes_open(const nodes_args *o, machine_run *r, nodes_watch *w);
// Behind the message of a run that went wrong, and before anything else is written: what it leaves.
void nodes_postmortem(nodes_watch *w);
// Also writes the statistics of a run that came to its end (`status` 0, or EXIT_FAILED: its result
// is wrong). The status of the whole.
int nodes_close(const nodes_args *o, const machine_run *r, nodes_watch *w, int status);

#endif
