// SPDX-License-Identifier: Apache-2.0
// The times of a bank controller, in cycles: what its pins carry, from the times of the arrays.
// One place where they are derived; the arrays check with rules of their own.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csim/dram/dram.h"

enum {
#define BANKCTL_TIME(name, NAME, min, max, cycles, doc) BANKCTL_AT_##NAME,
#include "bankctl_times.def"
  BANKCTL_N_TIMES,
  BANKCTL_TIME_BITS = 12,
  BANKCTL_TIME_WORDS = (BANKCTL_N_TIMES * BANKCTL_TIME_BITS + 31) / 32
};

typedef struct bankctl_times {
#define BANKCTL_TIME(name, NAME, min, max, cycles, doc) uint32_t name;
#include "bankctl_times.def"
} bankctl_times;

// False: the controller cannot keep to these; `why` says which it is and what is allowed.
bool bankctl_times_of(const dram_timing *t, bankctl_times *times, char *why, size_t why_bytes);
// Those of dram_timing_default.
bankctl_times bankctl_times_default(void);

// Words of cfg_times, and back.
void bankctl_times_put(const bankctl_times *times, uint32_t words[BANKCTL_TIME_WORDS]);
void bankctl_times_get(const uint32_t words[BANKCTL_TIME_WORDS], bankctl_times *times);
