// SPDX-License-Identifier: Apache-2.0
// Finds a placement (docs/placement.md) by what a program does: told which blocks access what, it
// looks for digits by which most accesses are of the block's own core.
#ifndef NEARBANK_PLACE_FIND_H
#define NEARBANK_PLACE_FIND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "harness/machines/mpu/machine/digits.h"

typedef struct place_find place_find;

// For a machine of so many cores. NULL: no memory.
place_find *place_find_new(uint32_t cores);
void place_find_free(place_find *f);

// Memory of a name. One that comes again is looked at once.
void place_find_array(place_find *f, const char *name, uint64_t address, uint64_t bytes);
void place_find_gone(place_find *f, uint64_t address);
// Its lines stay where they are: by these digits, NULL: by the map of the machine.
void place_find_fix(place_find *f, uint64_t address, const digits *now);
// Whether memory is of the core that executes a block, both by the map of the machine or as fixed;
// also what is of no array.
bool place_find_at_home(const place_find *f, uint64_t address, uint32_t block);
bool place_find_in_array(const place_find *f, uint64_t address);
// A launch begins, with so many warps a block; an access of it, of a sector of 32 bytes.
void place_find_launch(place_find *f, const char *kernel, uint32_t blocks, uint32_t warps);
void place_find_access(place_find *f, uint64_t address, uint32_t block, uint32_t warp, bool writes);
// So many accesses of nobody knows which blocks, around an address.
void place_find_strange(place_find *f, uint64_t address, uint64_t accesses, bool writes);

// The file. False: the host had no memory.
bool place_find_write(const place_find *f, FILE *to);

// What is best for the kernel that was launched last.
enum {
  PLACE_ARRAYS = 32,
  PLACE_COPIES_MOST = 1 << 24  // bytes of a core that copies may take: a sixteenth of what it has
};
typedef struct place_found {
  bool blocks_placed;
  digits blocks;
  double remote, remote_flat;  // share of sectors of other cores, so and as the arrays lie now
  double cycles, cycles_flat;  // that they take: an estimate
  uint32_t n;
  struct {
    uint64_t address;
    bool placed, copied;  // else it stays where it is
    digits by;            // placed
    uint64_t accesses;
  } of[PLACE_ARRAYS];  // those that it accesses
} place_found;
// `room`: bytes of a core that copies may take; `move`: arrays that are fixed may move. False: the
// host had no memory.
bool place_find_kernel(const place_find *f, uint64_t room, bool move, place_found *to);

#endif
