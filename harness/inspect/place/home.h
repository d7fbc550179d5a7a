// SPDX-License-Identifier: Apache-2.0
// Whether the arrays of a launch lie where its blocks are, so that nothing need be placed
// (docs/placement.md).
#ifndef NEARBANK_PLACE_HOME_H
#define NEARBANK_PLACE_HOME_H

#include "csim/isa/machine.h"
#include "place_find.h"

// Executes the beginnings of two blocks of a launch that nobody else executes; as sample_launch, to
// be called in a process of its own. True: all that they access is of their own cores.
// *instructions: that a host has executed for it.
bool home_launch(machine *m, launch *l, const module_kernel *kernel, const place_find *f,
                 uint64_t *instructions);

#endif
