// SPDX-License-Identifier: Apache-2.0
// An image or a matrix in tiles of 32 x 32, as kernels/tiled lays it out. The rows of a tile are in
// eight groups of four, 128 elements each, for a block of 32 x 4 threads. Group g of all tiles
// comes before group g + 1:
//
//   group 0 of tile 0 | group 0 of tile 1 | ... | group 1 of tile 0 | group 1 of tile 1 | ...
//
// When blocks take tiles in strides of the grid, a block finds all groups of its tiles in the same
// core if the number of tiles is a multiple of the number of blocks and that of the cores.
#ifndef NEARBANK_TILES_H
#define NEARBANK_TILES_H
#include "workload.h"

#define TILE 32                       // rows and columns of a tile
#define ROWS 4                        // rows of a group, and of a block
#define GROUPS (TILE / ROWS)          // groups of a tile
#define GROUP_ELEMENTS (ROWS * TILE)  // elements of a group, threads of a block

// Where group g of tile t begins.
__host__ __device__ static inline int tiles_group(int g, int t, int tiles) {
  return (g * tiles + t) * GROUP_ELEMENTS;
}

// Where element (row, column) of tile t is.
static inline size_t tiles_at(int t, int row, int column, int tiles) {
  return (size_t)tiles_group(row / ROWS, t, tiles) + row % ROWS * TILE + column;
}

// How many tiles the image has. Ends the program if it does not consist of whole ones.
static inline int tiles_count(const workload *w, int columns, int rows) {
  if (columns % TILE || rows % TILE)
    workload_usage_error(w, "%d x %d is not a multiple of %d x %d", columns, rows, TILE, TILE);
  return columns / TILE * (rows / TILE);
}

#endif
