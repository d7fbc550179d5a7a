// SPDX-License-Identifier: Apache-2.0
// An image or a matrix in tiles of 32 x 32, as kernels/tiled lays it out. The rows of a tile are in
// eight groups of four, 128 elements each, for a block of 32 x 4 threads. Group g of all tiles
// comes before group g + 1:
//
//   group 0 of tile 0 | group 0 of tile 1 | ... | group 1 of tile 0 | group 1 of tile 1 | ...
//
// A group is 512 bytes, which one core has. If the number of tiles is a multiple of the number of
// cores, all groups of a tile are in the same core. If the number of blocks is one too, blocks that
// take tiles in strides of the grid find them in their own core.
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

// How many tiles m x n elements are. Ends the program if they are not whole tiles.
static inline int tiles_count(const workload *w, int m, int n) {
  if (m % TILE || n % TILE)
    workload_usage_error(w, "%d x %d is not a multiple of %d x %d", m, n, TILE, TILE);
  return m / TILE * (n / TILE);
}

#endif
