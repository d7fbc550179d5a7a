// SPDX-License-Identifier: Apache-2.0
// A few instructions on one core, with the clock read before and after them.
#ifndef NEARBANK_TB_MICRO_RIG_H
#define NEARBANK_TB_MICRO_RIG_H

#include "harness/machines/mpu/core/core.h"
#include "harness/machines/mpu/near/near.h"

enum { RIG_BUFFER = 4 << 20, RIG_SUBARRAYS = 32 };

// Every field 0: one warp, four row buffers, no refresh, loose round robin.
typedef struct rig_config {
  uint32_t threads;   // of the block, 0: 32
  uint32_t warps;     // of subcore 0 that take part, the others exit; 0: 1
  bool shortest;      // the cycles are those of the warp that was fastest, not from first to last
  bool cold;          // the first time counts, which finds nothing in the I-cache
  uint32_t icache;    // bytes of the I-cache, 0: as always
  uint32_t constant;  // cycles of constant memory, 0: as always
  uint32_t rows;      // row buffers, 0: 4
  bool closed;        // closed page
  uint32_t trefi;
  core_schedule schedule;
} rig_config;

typedef struct rig_result {
  uint32_t cycles;   // from the first reading before the body to the last one behind it
  uint64_t refresh;  // commands
  core_stats stats;
} rig_result;

// A program has, far: rd34 the address of a buffer of RIG_BUFFER bytes that begins a row, rd38 that
// of the lane's word in it, r36 the lane, r40 to r46 free; p1 to p4: lanes below 16, 8, 4, 2. r4 to
// r31 are on both sides (with several warps only up to r7), each has its number before `setup`, on
// `side`: 'F' or 'N'. What happens: setup; all of it ends; clock; `times` times the body; once
// `last` can be written again on the base die, the clock. All twice, the second time counts: then
// the instructions are in the I-cache. In the body '$' is the number of the repetition, '#' one of
// the registers 8 to 31 in turn, '~' one of their pairs.
typedef struct rig_program {
  const char *setup, *body, *last;
  char side;
  unsigned times;
  bool
      used;  // the clock waits for what is in `last` near the bank, too: it is used on the far side
  bool loop;  // in a loop: with a body that takes 25 cycles or more
} rig_program;

rig_result rig_run(near_mode mode, const rig_config *c, const rig_program *p);

#endif
