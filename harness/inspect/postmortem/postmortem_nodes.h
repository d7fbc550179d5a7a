// SPDX-License-Identifier: Apache-2.0
// What a run of a machine of nodes leaves that went wrong: waves of the node that failed, of the
// cycles before, which a forked snapshot of the run from before writes, and its state as text.
#ifndef NEARBANK_POSTMORTEM_NODES_H
#define NEARBANK_POSTMORTEM_NODES_H

#include <stdio.h>
#include "harness/base/schedule/machine.h"

typedef struct postmortem_nodes_order {
  const char *file;     // of waves; the text is FILE.txt, without its .fst. NULL: named by what
                        // happened: mismatch.fst
  bool no_waves;        // they are written anyway
  uint64_t before;      // cycles
  const char *command;  // that does the run again, or NULL
  void (*describe)(const node *n, FILE *to);  // NULL: there is no text
} postmortem_nodes_order;

typedef struct postmortem_nodes postmortem_nodes;

// Before the first cycle; looks on from now on. The order's texts stay the caller's. NULL: no
// memory.
postmortem_nodes *postmortem_nodes_new(const postmortem_nodes_order *o, machine_run *r);
// Behind the run, and the message of one that went wrong; says on stderr what there is. Frees it.
// In a snapshot it does not return, so nothing may be written before.
void postmortem_nodes_end(postmortem_nodes *p);

#endif
