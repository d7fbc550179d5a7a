// SPDX-License-Identifier: Apache-2.0
// A program that starts others, none of which outlives this process: not even those that make
// process groups of their own, and not when this process is killed.
#ifndef NEARBANK_GUARD_H
#define NEARBANK_GUARD_H

#include <stdbool.h>
#include "harness/base/children.h"

// Starts it with these descriptors as 0, 1 and 2. The child ends as the program does, when all that
// the program has started is gone. False: errno says why.
bool guard_start(child *c, char *const *words, int in, int out, int err);
// Ends the program (SIGTERM, then SIGKILL) and all that it has started.
void guard_stop(child *c);

#endif
