// SPDX-License-Identifier: Apache-2.0
// The placement of a kernel's blocks and of the arrays that it accesses most, of those that their
// shapes allow: the one with the fewest sectors of other cores.
#ifndef NEARBANK_PLACE_CHOOSE_H
#define NEARBANK_PLACE_CHOOSE_H

#include "harness/machines/mpu/machine/digits.h"
#include "shape.h"

typedef struct choose_array {
  const char *name;
  uint64_t address;
  const seen *lines;
  size_t n;
  uint64_t accesses;
  bool may_copy;  // nothing writes it, and there is room for a copy in each core
  bool fixed;     // it stays by `by`; n = 0: by the map of the machine
  // found:
  shape shape;
  bool wanted;  // by all blocks, which are too many to be noted
  bool shaped, placed;
  bool copied;  // each core has a copy: it is not placed
  digits by;
} choose_array;

typedef struct choose {
  uint32_t cores, blocks;
  choose_array *of;
  uint32_t n;
  // found:
  bool placed, blocks_placed, spread;  // spread: some array is wanted by all blocks, or copied
  digits by;                           // of blocks
  double remote, remote_flat;          // share of sectors
} choose;

// False: no memory.
bool choose_placement(choose *c);

#endif
