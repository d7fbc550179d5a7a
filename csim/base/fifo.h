// SPDX-License-Identifier: Apache-2.0
// Twin of a queue of four words (rtl/common/fifo.sv).
#pragma once

#define BLOCK fifo
#include "block_declare.h"

enum { FIFO_DEPTH = 4 };

typedef struct fifo {
  uint32_t words[FIFO_DEPTH];
  uint32_t head, count;
} fifo;

void fifo_init(fifo *f);
void fifo_step(fifo *f, const fifo_in *in, fifo_out *out);
