// SPDX-License-Identifier: Apache-2.0
// The C twin of rowbuf. docs/blocks/rowbuf.md. The arrays themselves are dram.h, which keeps the
// states of its subarrays by itself.
#pragma once

#define BLOCK rowbuf
#include "csim/base/block_declare.h"

enum { ROWBUF_BANKS = 4, ROWBUF_SUBARRAYS = 32 };

// Sizes of a twin, powers of two: rows and subarrays of a bank.
typedef struct rowbuf_sizes {
  uint32_t rows, subarrays;
} rowbuf_sizes;
extern const rowbuf_sizes rowbuf_sizes_default;

typedef struct rowbuf {
  rowbuf_sizes sizes;
  uint32_t open[ROWBUF_BANKS], selected[ROWBUF_BANKS];  // subarrays
  uint32_t row[ROWBUF_BANKS][ROWBUF_SUBARRAYS];         // within the subarray
} rowbuf;

void rowbuf_init(rowbuf *r, rowbuf_sizes sizes);
void rowbuf_step(rowbuf *r, const rowbuf_in *in, rowbuf_out *out);
