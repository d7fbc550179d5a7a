// SPDX-License-Identifier: Apache-2.0
// The yardstick beside simulated times: "V100 at best", what that card takes at least for a program
// of kernels/, from a frozen table (v100.csv); and in its place what a user has measured on a card
// (docs/gpu.md).
#ifndef NEARBANK_GPU_H
#define NEARBANK_GPU_H

#include <stddef.h>
#include <stdint.h>

#define GPU_AT_BEST "V100 at best"

typedef enum gpu_bound { GPU_MEMORY, GPU_ISSUE, GPU_MEASURED } gpu_bound;
extern const char *const gpu_bound_names[];  // "memory", "issue", "measured"

typedef struct gpu_row {
  char *program, *arguments;  // kernels/tiled/axpy, --paper
  double ns;                  // above 0
  gpu_bound bound;            // what takes that long
  char *source;               // GPU_AT_BEST, or CARD (FILE)
  // counted once, 0 where the table does not have the program
  uint64_t read_bytes, write_bytes, warp_instructions;
} gpu_row;

typedef struct gpu_table gpu_table;

// The frozen table. `measured`: a file of measured times, whose rows take the place of those of the
// table or come beside them; NULL: none. 0, or an exit status after a message (FILE:LINE: ...).
int gpu_open(const char *measured, gpu_table **to);
void gpu_close(gpu_table *t);  // also NULL

// The row of a program, named as for mpu run, with its arguments, separated by blanks. NULL: the
// table does not have it. It lives as long as the table.
const gpu_row *gpu_find(const gpu_table *t, const char *program, const char *arguments);
const gpu_row *gpu_at(const gpu_table *t, size_t n);  // all rows in turn; NULL behind the last one

// The same figure for a program that the table does not have: ns, and which bound it is. Counts are
// those of mpu run --near=none --count-bytes --stats.
double gpu_at_best(uint64_t compulsory_bytes, uint64_t warp_instructions, gpu_bound *bound);

// What GPU_AT_BEST assumes: lines of text up to a NULL.
const char *const *gpu_assumptions(void);

#endif
