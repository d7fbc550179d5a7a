// SPDX-License-Identifier: Apache-2.0
// A grid on the CPU: each thread of a block is a context of its own, which goes on until the next
// barrier or exchange of its warp. What its program calls is in emulate.h, and comes here through
// the table `grid_calls`, so that programs can be libraries which know nothing else.
#ifndef NEARBANK_TB_RANDOM_GRID_H
#define NEARBANK_TB_RANDOM_GRID_H
#include <stdbool.h>
#include <stdint.h>

enum { GRID_WARP = 32, GRID_THREADS = 256 };

// The indices of the thread that executes.
typedef struct grid_place {
  uint32_t thread[3], block[3], threads[3], blocks[3], linear;
} grid_place;

typedef struct grid_calls {
  // Waits for all threads of the block that have not ended; how many of them had p != 0, of how
  // many.
  uint32_t (*barrier)(int p, uint32_t *alive);
  // Waits for all lanes of the mask that have not ended: the value of each, and who they are.
  uint32_t (*exchange)(uint32_t mask, uint64_t value, uint64_t values[GRID_WARP]);
} grid_calls;
extern const grid_calls grid_table;

typedef void grid_kernel(const uint8_t *params);

// Blocks one after the other, threads in ascending order, or descending. NULL, or what is wrong
// with the program: it waits for what does not come.
const char *grid_run(grid_kernel *kernel, const uint8_t *params, const uint32_t blocks[3],
                     const uint32_t threads[3], bool descending, grid_place *place);
#endif
