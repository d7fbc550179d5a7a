// SPDX-License-Identifier: Apache-2.0
// The bank channel that a configuration asks for, with memory of its own, and the sizes of its
// controller.
#ifndef NEARBANK_CHANNEL_OF_H
#define NEARBANK_CHANNEL_OF_H

#include "config_timing.h"
#include "csim/dram/channel.h"
#include "csim/mpu/structure.h"

static inline channel_config channel_of_config(const config *c) {
  channel_config k = channel_config_default();
  k.geometry.rows = c->dram.rows, k.geometry.cols = c->dram.row_bytes / DRAM_BYTES;
  k.geometry.subarrays = c->dram.subarrays;
  k.timing = config_timing(c);
  k.row_buffers = c->dram.row_buffers;
  k.closed = c->dram.page == CONFIG_PAGE_CLOSED;
  k.refresh = c->dram.refresh ? CHANNEL_TICKS : CHANNEL_NO_REFRESH;
  k.queue = c->dram.queue;
  return k;
}

// As verilated_open() takes them.
static inline void channel_sizes(const channel_config *k, char to[STRUCTURE_TEXT]) {
  structure s = structure_default;
  s.queue = k->queue, s.rows = k->geometry.rows;
  s.cols = k->geometry.cols, s.subarrays = k->geometry.subarrays;
  structure_parameters(&s, to, STRUCTURE_TEXT);
}

#endif
