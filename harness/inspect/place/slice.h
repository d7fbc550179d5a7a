// SPDX-License-Identifier: Apache-2.0
// What of a kernel its addresses and branches need: what a host must execute to know which memory a
// block accesses.
#ifndef NEARBANK_PLACE_SLICE_H
#define NEARBANK_PLACE_SLICE_H

#include "csim/isa/module.h"

typedef struct slice {
  bool *has;   // of each instruction
  bool waits;  // also barriers: values go from warp to warp through shared memory
} slice;

// s->has goes to free; false: no memory.
bool slice_of(const module_kernel *k, slice *s);
// Instructions that may access global memory.
uint32_t slice_accesses(const module_kernel *k);

#endif
