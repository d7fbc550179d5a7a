// SPDX-License-Identifier: Apache-2.0
// Programs in the text of the assembler, on machines of several cores. MPU_NEAR=c|rtl|lockstep:
// their near sides, c if not given.
#ifndef NEARBANK_TB_MACHINE_RIG_H
#define NEARBANK_TB_MACHINE_RIG_H

#include "tb/isa/prog.h"
#include "tb/cosim/timed.h"

enum { RIG_BYTES = PROG_WORDS * 4, RIG_TEXT = 1 << 15 };

uint32_t rig_random(void);
uint32_t rig_below(uint32_t n);

sim_config rig_machine(uint32_t cores);

// Runs a program on that machine, NULL: on the functional one; `words` is the buffer
// (tb/isa/prog.h) before and after it. `full`: registers (16 on both sides, 16 far) with which a
// core has room for 32 warps.
core_stats rig_run(const sim_config *c, const char *text, bool full, launch_shape shape,
                   uint32_t words[PROG_WORDS]);

// With the same words both leave the same.
core_stats rig_check(const sim_config *c, const char *text, launch_shape shape,
                     const uint32_t words[PROG_WORDS], const char *what);

#endif
