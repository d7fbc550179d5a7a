// SPDX-License-Identifier: Apache-2.0
// Counters of all cores together over time, a line of CSV for each interval: docs/interval.md.
#ifndef NEARBANK_INTERVAL_H
#define NEARBANK_INTERVAL_H

#include "harness/machines/mpu/machine/sim.h"

// Cycles of an interval: at least those of a window of the machine.
enum { INTERVAL_LEAST = 64, INTERVAL_CYCLES = 1000 };

typedef struct interval interval;

// Looks on from now on. Rows end at multiples of `cycles`, and at the end of a launch. `file` stays
// the caller's. NULL: `why` says what it cannot be. Without a machine the file has no rows.
interval *interval_new(const char *file, uint64_t cycles, sim *s, char *why, size_t why_bytes);
// The run has ended: the file is closed. False: it is not whole, which was said on stderr.
bool interval_end(interval *x);

#endif
