// SPDX-License-Identifier: Apache-2.0
#include "fifo.h"

#include <stdlib.h>

#define BLOCK fifo
#include "block_table.h"

void fifo_init(fifo *f) {
  *f = (fifo){0};
}

void fifo_step(fifo *f, const fifo_in *in, fifo_out *out) {
  const bool push = in->valid && f->count < FIFO_DEPTH, pop = in->ready && f->count;
  if (push)  // also in reset: words are data
    f->words[(f->head + f->count) % FIFO_DEPTH] = in->data;
  if (!in->rst_n) {
    f->head = f->count = 0;
  } else {
    f->head = (f->head + pop) % FIFO_DEPTH;
    f->count += (uint32_t)push - pop;
  }
  out->ready = f->count < FIFO_DEPTH;
  out->valid = f->count != 0;
  out->data = f->words[f->head];
}

static bool fifo_idle(const fifo *f) {
  return f->count == 0;
}

#define BLOCK fifo
#define BLOCK_INIT(block, sizes) fifo_init(block)
#include "csim/base/block_twin.h"
