// SPDX-License-Identifier: Apache-2.0
// Whether the arrays of a launch lie where its blocks are, so that nothing need be placed
// (docs/placement.md).
#ifndef NEARBANK_PLACE_HOME_H
#define NEARBANK_PLACE_HOME_H

#include "csim/isa/machine.h"
#include "place_find.h"
#include "sums.h"

// Of two blocks of a launch that nobody else executes. True: all that they access is of their own
// cores, as the sums of their addresses say, or the beginnings of these blocks, which it executes;
// as sample_launch, to be called in a process of its own. *instructions: that a host has executed
// for it; *by_sums: nothing was executed.
bool home_launch(machine *m, launch *l, const sums_launch *sums, const place_find *f,
                 uint64_t *instructions, bool *by_sums);

#endif
