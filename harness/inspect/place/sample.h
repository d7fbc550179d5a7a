// SPDX-License-Identifier: Apache-2.0
// What all blocks of a launch access, from a few of them: blocks whose numbers differ in one digit
// access memory the same distance apart (docs/placement.md).
#ifndef NEARBANK_PLACE_SAMPLE_H
#define NEARBANK_PLACE_SAMPLE_H

#include "csim/isa/machine.h"
#include "place_find.h"

typedef struct sample_cost {
  uint32_t blocks;        // that were executed, their beginnings at least
  uint64_t instructions;  // of their warps
  double known;           // share of their accesses for which the order of blocks is known
} sample_cost;

// Executes some blocks of a launch that nobody else executes, and tells the finder, which knows of
// this launch, what all of them do. Memory is then what these blocks have made of it: to be called
// in a process of its own. False: it failed.
bool sample_launch(machine *m, launch *l, const module_kernel *kernel, place_find *f,
                   sample_cost *cost);

#endif
