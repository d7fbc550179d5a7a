// SPDX-License-Identifier: Apache-2.0
// Profiles the launches of a program into a file, which `mpu profile` reads (profile_data.h).
#ifndef NEARBANK_PROFILE_OBSERVE_H
#define NEARBANK_PROFILE_OBSERVE_H

#include "harness/machines/mpu/machine/sim.h"

typedef struct profile_observer profile_observer;

// Looks on from the next launch of `s` on. NULL: `why`.
profile_observer *profile_observe(const char *file, sim *s, char *why, size_t why_bytes);
// Before the machine is freed: writes the file, closes it, and frees `p`. `result` and `end` as in
// --stats. What goes wrong it says on stderr.
// False: the file is not whole, which was said.
bool profile_observed(profile_observer *p, const char *result, const char *end);

#endif
