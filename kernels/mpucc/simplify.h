// SPDX-License-Identifier: Apache-2.0
// Inside of mir_simplify: its parts. Each returns whether it changed anything.
#ifndef NEARBANK_SIMPLIFY_H
#define NEARBANK_SIMPLIFY_H

#include "mir.h"

// Branches to the next block, through blocks that only branch on, and to blocks that only exit;
// blocks that cannot be reached.
bool simplify_blocks(mir_kernel *k);

// 64-bit values of which only the low word is used become 32-bit ones.
bool simplify_narrow(mir_kernel *k);

#endif
