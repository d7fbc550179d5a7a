// SPDX-License-Identifier: Apache-2.0
// Memory whose lines of 128 bytes lie elsewhere than the address map says (docs/placement.md): by
// digits of its own in the same bytes of the banks as a whole, or, of what is only read, as a copy
// in each core. Programs, the functional machine and the host see nothing of it.
#ifndef NEARBANK_REGION_H
#define NEARBANK_REGION_H

#include "digits.h"
#include "map.h"

enum { REGION_LINE = 128, REGIONS = 16 };

typedef struct region {
  uint64_t base, bytes;
  digits lines;
  // Copies: the memory that they lie in. 0 bytes: it is placed by digits.
  uint64_t copies, copies_bytes;
  bool fresh;  // they have what the array has
} region;

typedef struct regions {
  uint32_t n;
  region of[REGIONS];
} regions;

// Whether digits say where lines of a machine go: each core and NBU as often as any other. False:
// `why` says what is wrong.
bool region_fits(const digits *lines, const address_map *m, char *why, size_t why_bytes);
// What memory of so many bytes takes up with these digits.
uint64_t region_round(const digits *lines, const address_map *m, uint64_t bytes);

// `base` is a multiple of the span, `bytes` what region_round gave. False: there are REGIONS.
bool region_add(regions *r, uint64_t base, uint64_t bytes, const digits *lines);
void region_remove(regions *r, uint64_t base);

// Copies of memory from `base` on, a multiple of REGION_LINE. Line i is in NBU i mod 4 of each
// core: its line i / 4 of the memory from `copies` on, a multiple of the span, of which the copies
// take region_copies_bytes. They are not fresh yet. False: there are REGIONS.
bool region_may_copy(const address_map *m, char *why, size_t why_bytes);  // false: `why` not
uint64_t region_copies_bytes(const address_map *m, uint64_t bytes);
bool region_add_copies(regions *r, const address_map *m, uint64_t base, uint64_t bytes,
                       uint64_t copies);
// The copies of memory that overlaps with these bytes, a bit each.
uint32_t region_copied(const regions *r, uint64_t base, uint64_t bytes);

// The inverse of region_place and region_copy (map.h), for the arrays behind controllers.
uint64_t region_address(const void *map, uint64_t place);

#endif
