// SPDX-License-Identifier: Apache-2.0
// Memory whose lines of 128 bytes lie elsewhere than the address map says, but in the same
// bytes of the banks as a whole: each region by digits of its own (docs/placement.md). Programs,
// the functional machine and the host see nothing of it.
#ifndef NEARBANK_REGION_H
#define NEARBANK_REGION_H

#include "digits.h"
#include "map.h"

enum { REGION_LINE = 128, REGIONS = 16 };

typedef struct region {
  uint64_t base, bytes;
  digits lines;
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

// The inverse of region_place (map.h), for the arrays behind controllers.
uint64_t region_address(const void *map, uint64_t place);

#endif
