// SPDX-License-Identifier: Apache-2.0
// Which of the near numbers that a register may have it takes. A near-bank unit executes packets of
// a warp as far apart as registers let it, so in a stream, a loop of one block with accesses of the
// banks, a register takes the number that is then held for the shortest time of a round: the next
// round's loads need not wait until this round has done with their registers.
#ifndef NEARBANK_ALLOC_SPREAD_H
#define NEARBANK_ALLOC_SPREAD_H

#include "mir.h"

typedef struct spread spread;

bool spread_streams(const mir_kernel *k);  // it has some

// `root`: of each register, the one that it was coalesced with. Belongs to the caller.
spread *spread_new(const mir_kernel *k, const uint32_t *root);
void spread_free(spread *s);

// Cycles for which numbers at, at + 1, ... are held in the block of a root, if it takes them; 0:
// the block is not a stream.
uint32_t spread_held(const spread *s, uint32_t at, uint32_t root);
void spread_take(spread *s, uint32_t at, uint32_t root);

#endif
