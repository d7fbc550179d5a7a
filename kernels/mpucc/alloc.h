// SPDX-License-Identifier: Apache-2.0
// Inside of register allocation: what alloc.c, alloc_color.c and alloc_spill.c share.
//
// Registers fall into three classes by the files that they need a place in. A class has its own
// numbers; the kernel's numbers are the three ranges behind one another (isa.h).
#ifndef NEARBANK_ALLOC_H
#define NEARBANK_ALLOC_H

#include "cfg.h"
#include "live.h"
#include "mir.h"

enum { ALLOC_NEAR = MIR_FILE_NEAR, ALLOC_FAR = MIR_FILE_FAR, ALLOC_BOTH = 3, ALLOC_CLASSES = 4 };

typedef struct alloc_limits {
  uint32_t words[ALLOC_CLASSES];  // registers a class may use, by class (1, 2, 3)
} alloc_limits;

typedef struct alloc_result {
  uint32_t used[ALLOC_CLASSES];   // registers that a class uses
  bool *spill;                    // by virtual register: did not get a colour
  uint32_t spills;
} alloc_result;

// Colours the registers of a kernel within the limits (Chaitin-Briggs, optimistic), coalescing
// moves where Briggs' test says that it cannot hurt. Sets phys of each register to its number in
// its class and removes the moves that became empty (only when nothing is to be spilled).
void alloc_color(mir_kernel *k, const alloc_limits *limits, alloc_result *r);

// Rewrites the kernel so that the marked registers live in local memory, or are made again where
// they are used when that is one constant instruction.
void alloc_spill(mir_kernel *k, const bool *spill);

// Colours predicates with 15 numbers, spilling to registers. Afterwards no predicate is virtual.
void alloc_preds(mir_kernel *k);

#endif
