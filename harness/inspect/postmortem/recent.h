// SPDX-License-Identifier: Apache-2.0
// What an NBU did last: instructions that retired, commands for its banks.
#ifndef NEARBANK_RECENT_H
#define NEARBANK_RECENT_H

#include "harness/machines/mpu/core/core.h"

enum { RECENT = 64 };

typedef struct recent_record {
  uint64_t cycle;
  bool command;          // else an instruction
  uint32_t block, warp;  // of it
  uint32_t pc, lanes;
  uint8_t cmd, bank;  // dram_cmd
  uint32_t row, col;
  uint8_t subarray;
} recent_record;

typedef struct recent {
  uint64_t n[NEAR_NBUS];  // so far
  recent_record ring[NEAR_NBUS][RECENT];
} recent;

// From an observer's cycle().
void recent_cycle(recent *r, const core *c, const core_event *events, uint32_t count);
// The last records of an NBU, `most` of them, the oldest first, a line each.
void recent_print(const recent *r, uint32_t nbu, uint32_t most, const launch *l, FILE *f);

#endif
