// SPDX-License-Identifier: Apache-2.0
// A heat map of a machine whose parts lie in grids within a grid, as vaults in cubes: an SVG file.
#ifndef NEARBANK_GRID_MAP_H
#define NEARBANK_GRID_MAP_H

#include <stdint.h>
#include <stdio.h>

typedef struct grid_map {
  const char *title, *note;   // lines above the map
  const char *outer, *inner;  // "cube", "vault"
  uint32_t outers, outers_wide, inners, inners_wide;
  const uint64_t *values;  // outers * inners, those of an outer one together
} grid_map;

void grid_map_write(const grid_map *g, FILE *to);

#endif
