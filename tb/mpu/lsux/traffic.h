// SPDX-License-Identifier: Apache-2.0
// Random memory packets that keep to what docs/tsv.md and docs/blocks/lsux.md ask of them.
#pragma once

#include "tb/cosim/cosim.h"
#include "model.h"

typedef enum traffic_kind {
  TRAFFIC_LINE,
  TRAFFIC_SECT,
  TRAFFIC_RD,
  TRAFFIC_WR,
  TRAFFIC_ATM,
  TRAFFIC_SHM,
  TRAFFIC_WIN,
  TRAFFIC_KINDS
} traffic_kind;

typedef struct traffic {
  uint16_t weights[TRAFFIC_KINDS];
  // chances in 256
  uint16_t store, atomic;  // else a load
  uint16_t wide;           // B64 and B128
  uint16_t narrow;         // 1 and 2 bytes
  uint16_t fault;          // of a lane in shared memory
  uint16_t meet;           // one column, one bank: lanes and packets meet in few words
} traffic;

model_packet traffic_packet(const traffic *t, cosim_rng *rng, const model *m);
