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

static void *create(const void *sizes) {
  (void)sizes;
  fifo *f = malloc(sizeof *f);
  if (f)
    fifo_init(f);
  return f;
}

static void step(void *block, const void *in, void *out) {
  fifo_step(block, in, out);
}

static bool idle(const void *block) {
  return ((const fifo *)block)->count == 0;
}

const block_ops fifo_twin = {
    .name = "fifo",
    .ports = fifo_ports,
    .n_ports = sizeof fifo_ports / sizeof *fifo_ports,
    .in_bytes = sizeof(fifo_in),
    .out_bytes = sizeof(fifo_out),
    .create = create,
    .destroy = free,
    .step = step,
    .idle = idle,
};
