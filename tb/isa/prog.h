// SPDX-License-Identifier: Apache-2.0
// Programs in the text of the assembler, on a machine of their own.
#ifndef NEARBANK_TB_ISA_PROG_H
#define NEARBANK_TB_ISA_PROG_H

#include "csim/isa/machine.h"

enum { PROG_WORDS = 16384 };

// A machine with a buffer of PROG_WORDS words, whose address is the kernels' first parameter.
typedef struct prog {
  machine *m;
  uint64_t out;
  uint32_t params[8];  // parameter block: the address of `out`, then what the test puts there
  launch_stats stats;  // of the last run
} prog;

// NULL: the default configuration.
prog prog_open(const machine_config *config);
void prog_close(prog *p);

// A module with one kernel "test", not yet added to a machine. One instruction a line, `name:` is a
// label. Registers: 32 on both sides, 16 near only, 16 far only.
module *prog_assemble(const char *text);

// Adds the module of `text` and starts a launch of it; the buffer is cleared.
machine_error prog_launch(prog *p, const char *text, launch_shape shape, launch **l);
// The same, runs it to the end and fetches the buffer.
machine_error prog_run(prog *p, const char *text, launch_shape shape, uint32_t *out);
void prog_fetch(prog *p, uint32_t *out);

launch_shape shape_1d(uint32_t blocks, uint32_t threads);

// r0 = linear index of the thread in a grid of one dimension, rd4 = address of its word.
#define PROG_START           \
  "s2r.b32 r0, tid.x\n"      \
  "s2r.b32 r1, ctaid.x\n"    \
  "s2r.b32 r2, ntid.x\n"     \
  "mad.u32 r0, r1, r2, r0\n" \
  "ld.param.b64 rd4, [rz]\n" \
  "madw.u32 rd4, r0, 4, rd4\n"

#endif
