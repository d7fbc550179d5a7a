// SPDX-License-Identifier: Apache-2.0
// Inside of register allocation: what alloc.c, alloc_graph.c and alloc_spill.c share.
//
// Registers fall into three classes by the files that they need a place in, predicates are a
// fourth. A class has its own numbers from 0; the kernel's register numbers are the ranges of the
// three classes behind one another (isa.h). A node is a register or a predicate of the kernel:
// node v is register v, node vreg_count + p is predicate p, as in the sets of live.h.
#ifndef NEARBANK_ALLOC_H
#define NEARBANK_ALLOC_H

#include "cfg.h"
#include "live.h"
#include "mir.h"

enum {
  ALLOC_NONE = 0,  // nodes that no instruction names
  ALLOC_NEAR = MIR_FILE_NEAR,
  ALLOC_FAR = MIR_FILE_FAR,
  ALLOC_BOTH = MIR_FILE_NEAR | MIR_FILE_FAR,
  ALLOC_PRED = 4,
  ALLOC_CLASSES = 5
};
enum { ALLOC_NO_COLOR = 255 };

// One attempt at one kernel.
typedef struct alloc {
  mir_kernel *k;
  uint32_t limit[ALLOC_CLASSES];  // numbers that a class may use
  bool spread;                    // of streams (alloc_spread.h); else the lowest numbers
  bool one_class;                 // temporaries get a place on both sides, like everything else
  uint32_t temp_pred;             // predicates from here on are temporaries of spilling
  double cost;                    // of the spill code so far: instructions by loop depth
  // Left by alloc_color, by node; owned, replaced by the next call:
  uint32_t nodes;
  uint8_t *color;                // first number in its class, ALLOC_NO_COLOR: none
  bool *spill;                   // to be spilled
  uint32_t *root;                // the node that this one was coalesced with, itself if none
  uint32_t used[ALLOC_CLASSES];  // numbers that a class uses
} alloc;

// Chaitin-Briggs: interference, conservative coalescing, optimistic colouring within the limits.
// True when every node got a colour. Otherwise spill[] says what to spill; when nothing can be
// spilled (temporaries only), no spill[] is set.
bool alloc_color(alloc *a);
void alloc_free(alloc *a);  // the arrays

// Rewrites the kernel so that the nodes in spill[] live in local memory (registers), in a far
// register (predicates), or are made again where they are used (constants, special registers,
// parameters).
void alloc_spill(alloc *a);

// By register: can its value be made again from nothing? Owned by the caller.
bool *alloc_remakable(const mir_kernel *k);

// How much more often than the entry an instruction of each block executes: 10 a loop.
double *alloc_weights(const mir_kernel *k);

#endif
