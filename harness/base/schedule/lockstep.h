// SPDX-License-Identifier: Apache-2.0
// A block as a machine has it: its twin, its verilated Verilog, or both side by side, of which all
// outputs are compared after every edge.
#ifndef NEARBANK_LOCKSTEP_H
#define NEARBANK_LOCKSTEP_H

#include <stddef.h>
#include "csim/base/prefetch.h"
#include "harness/base/verilated.h"

typedef enum lockstep_mode { LOCKSTEP_C, LOCKSTEP_RTL, LOCKSTEP_BOTH } lockstep_mode;

typedef struct lockstep lockstep;

// After reset, a twin of these sizes (csim/base/block.h), NULL: the default ones. `verilog`, which
// has the same, is copied when the mode needs it, else NULL will do. NULL: `why`.
lockstep *lockstep_new(lockstep_mode mode, const block_ops *twin, const void *sizes,
                       const model *verilog, char *why, size_t why_bytes);
void lockstep_free(lockstep *l);

// An edge. False: something is wrong, lockstep_error(); no further step. `in` stays where it is,
// and as it is until who steps makes the inputs of the next edge: a recording may begin with it.
bool lockstep_step(lockstep *l, const void *in);
const void *lockstep_out(const lockstep *l);  // the outputs in this cycle
// The state of the twin, to look at. NULL: there is Verilog alone.
const void *lockstep_twin(const lockstep *l);
// Of one that is recorded: there is no edge in this cycle, its inputs are quiet.
void lockstep_still(lockstep *l);
bool lockstep_idle(const lockstep *l);
void lockstep_fetch(prefetch *a, const lockstep *l);  // what each edge touches
const char *lockstep_error(const lockstep *l);        // NULL: none

// Its signals from now on, of the Verilog if there is any; NULL: no longer. False: as of
// block_trace_on.
bool lockstep_trace(lockstep *l, const rtl_trace *to);

#endif
