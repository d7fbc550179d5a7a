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
  uint32_t pitch;  // by which lines are numbered (digits.h)
  uint64_t accesses;
  bool may_copy;  // nothing writes it, and there is room for a copy in each core
  digits now;     // where its lines are; n = 0: by the map of the machine
  bool fixed;     // they stay there
  // found:
  shape shape;
  bool wanted;  // by all blocks, which are too many to be noted
  bool shaped, placed;
  bool copied;  // each core has a copy: it is not placed
  digits by;    // placed
} choose_array;

typedef struct choose {
  uint32_t cores, blocks, warps;  // warps: of a block
  choose_array *of;
  uint32_t n;
  // found:
  bool placed, blocks_placed, spread;  // spread: some array is wanted by all blocks, or copied
  digits by;                           // of blocks
  double remote, remote_flat;          // share of sectors: so, and with blocks and arrays as now
  double cycles, cycles_flat;          // that the sectors of other cores take: an estimate
} choose;

// So many lines may an array take up with digits that has so many itself.
uint64_t choose_lines(uint64_t lines, uint32_t cores);
// Whether a line of an array is of the core that executes a block by the map of the machine.
bool choose_at_home(const digits *now, uint64_t line, uint32_t block, uint32_t cores);
// False: no memory.
bool choose_placement(choose *c);

#endif
