// SPDX-License-Identifier: Apache-2.0
// Finds a placement (docs/placement.md) by what a program does: told which blocks access what, it
// looks for digits by which most accesses are of the block's own core.
#ifndef NEARBANK_PLACE_FIND_H
#define NEARBANK_PLACE_FIND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct place_find place_find;

// For a machine of so many cores. NULL: no memory.
place_find *place_find_new(uint32_t cores);
void place_find_free(place_find *f);

// Memory of a name. One that comes again is looked at once.
void place_find_array(place_find *f, const char *name, uint64_t address, uint64_t bytes);
void place_find_gone(place_find *f, uint64_t address);
// A launch begins; an access of it, of a sector of 32 bytes.
void place_find_launch(place_find *f, const char *kernel, uint32_t blocks);
void place_find_access(place_find *f, uint64_t address, uint32_t block, uint32_t warp, bool writes);

// The file. False: the host had no memory.
bool place_find_write(const place_find *f, FILE *to);

#endif
