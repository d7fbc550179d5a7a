// SPDX-License-Identifier: Apache-2.0
// What blocks of a launch access, by the sums that the compiler has found of the addresses
// (csim/isa/affine.h): nothing need be executed.
#ifndef NEARBANK_PLACE_SUMS_H
#define NEARBANK_PLACE_SUMS_H

#include "csim/isa/machine.h"
#include "place_find.h"

typedef struct sums_launch {
  const module_kernel *kernel;
  const launch_shape *shape;
  const uint8_t *params;
} sums_launch;

affine_point sums_point(const sums_launch *l);

// Whether the addresses of all accesses are known in a block, and what its warp 0 accesses, in
// arrays, is of the block's own core, but for a share of `away_most`. False: it is not so, or
// nobody knows. Adds to *work how many instructions a host takes for it, about.
bool sums_at_home(const sums_launch *l, const place_find *f, uint32_t block, double away_most,
                  uint64_t *work);

#endif
