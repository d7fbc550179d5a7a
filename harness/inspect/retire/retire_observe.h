// SPDX-License-Identifier: Apache-2.0
// Who writes the instruction trace of a machine, cycle by cycle or functional (docs/retire.md).
#ifndef NEARBANK_RETIRE_OBSERVE_H
#define NEARBANK_RETIRE_OBSERVE_H

#include "harness/machines/mpu/machine/sim.h"

typedef struct retire_observer retire_observer;

// Looks on from the next launch on, at the cores of `s`; `s` NULL: at machine m. What cannot be
// written any more is said on stderr, once; the launches go on. NULL: `why`.
retire_observer *retire_observe(const char *file, machine *m, sim *s, char *why, size_t why_bytes);
// The run has ended; m and s are still there. False: the file is not whole, which was said.
bool retire_observed(retire_observer *o);

#endif
