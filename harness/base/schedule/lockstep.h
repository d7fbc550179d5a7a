// SPDX-License-Identifier: Apache-2.0
// A block as a machine has it: its twin, its verilated Verilog, or both side by side, of which all
// outputs are compared after every edge.
#ifndef NEARBANK_LOCKSTEP_H
#define NEARBANK_LOCKSTEP_H

#include <stddef.h>
#include "csim/base/block.h"

typedef enum lockstep_mode { LOCKSTEP_C, LOCKSTEP_RTL, LOCKSTEP_BOTH } lockstep_mode;

typedef struct lockstep lockstep;

// After reset. `library` has `<block>_rtl`, and is loaded when the mode needs it. NULL: `why`.
lockstep *lockstep_new(lockstep_mode mode, const block_ops *twin, const char *library,
                       const char *block, char *why, size_t why_bytes);
void lockstep_free(lockstep *l);

// An edge. False: something is wrong, lockstep_error(); no further step.
bool lockstep_step(lockstep *l, const void *in);
const void *lockstep_out(const lockstep *l);  // the outputs in this cycle
bool lockstep_idle(const lockstep *l);
const char *lockstep_error(const lockstep *l);  // NULL: none

#endif
