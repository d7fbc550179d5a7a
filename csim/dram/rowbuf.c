// SPDX-License-Identifier: Apache-2.0
#include "rowbuf.h"

#include <stdlib.h>
#include <string.h>

#include "dram.h"

#define BLOCK rowbuf
#include "csim/base/block_table.h"

const rowbuf_sizes rowbuf_sizes_default = {DRAM_ROWS, DRAM_SUBARRAYS};

void rowbuf_init(rowbuf *r, rowbuf_sizes sizes) {
  *r = (rowbuf){.sizes = sizes};
}

// Bits of `value` from bit `at` on.
static void put(uint32_t *words, uint32_t at, uint32_t value) {
  const uint64_t bits = (uint64_t)value << at % 32;
  words[at / 32] |= (uint32_t)bits;
  if (bits >> 32)
    words[at / 32 + 1] |= (uint32_t)(bits >> 32);
}

static void outputs(const rowbuf *r, rowbuf_out *out) {
  const uint32_t n = r->sizes.subarrays;
  const uint32_t bits = (uint32_t)__builtin_ctz(r->sizes.rows / n);
  memset(out, 0, sizeof *out);
  for (uint32_t b = 0; b < ROWBUF_BANKS; b++) {
    put(out->open, n * b, r->open[b]);
    put(out->select, n * b, r->selected[b]);
    for (uint32_t s = 0; s < n; s++)
      put(out->row, (n * b + s) * bits, r->row[b][s]);
  }
}

void rowbuf_step(rowbuf *r, const rowbuf_in *in, rowbuf_out *out) {
  const uint32_t n = r->sizes.subarrays, s = in->cmd_row % n, bank = in->cmd_bank;
  const uint32_t target = 1u << s;
  if (in->cmd == DRAM_ACT)  // also in reset: rows are data
    r->row[bank][s] = in->cmd_row % r->sizes.rows / n;
  if (!in->rst_n) {
    memset(r->open, 0, sizeof r->open);
    memset(r->selected, 0, sizeof r->selected);
  } else if (in->cmd == DRAM_ACT) {
    r->open[bank] |= target, r->selected[bank] = target;
  } else if (in->cmd == DRAM_SASEL) {
    r->selected[bank] = target;
  } else if (in->cmd == DRAM_PRE) {
    r->open[bank] &= ~target, r->selected[bank] &= ~target;
  } else if (in->cmd == DRAM_PREA) {
    r->open[bank] = r->selected[bank] = 0;
  }
  outputs(r, out);
}

static void *create(const void *sizes) {
  const rowbuf_sizes *s = sizes;
  rowbuf *r = malloc(sizeof *r);
  if (r)
    rowbuf_init(r, s ? *s : rowbuf_sizes_default);
  return r;
}

static void step(void *block, const void *in, void *out) {
  rowbuf_step(block, in, out);
}

// It changes with commands only.
static bool idle(const void *block) {
  (void)block;
  return true;
}

const block_ops rowbuf_twin = {
    .name = "rowbuf",
    .ports = rowbuf_ports,
    .n_ports = sizeof rowbuf_ports / sizeof *rowbuf_ports,
    .in_bytes = sizeof(rowbuf_in),
    .out_bytes = sizeof(rowbuf_out),
    .create = create,
    .destroy = free,
    .step = step,
    .idle = idle,
};
