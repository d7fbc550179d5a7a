// SPDX-License-Identifier: Apache-2.0
// Kinds of traffic for a bank controller, each a source of requests for the rig.
#pragma once

#include "rig.h"

typedef enum traffic_kind {
  TRAFFIC_RANDOM,    // any row, any column
  TRAFFIC_STREAMS,   // `streams` of them, each column by column through its own rows, `turn`
                     // accesses each
  TRAFFIC_ROWS,      // the same rows again and again, `streams` of them, `turn` accesses each
  TRAFFIC_ONE_SPOT,  // few addresses, read and written
  TRAFFIC_KINDS
} traffic_kind;

typedef struct traffic {
  traffic_kind kind;
  uint32_t banks;  // a bit for each that is used
  uint32_t streams, turn;
  uint32_t row_mask, row_base;
  bool one_subarray;         // rows that all lie in one subarray
  uint32_t write_percent;    // of the requests
  uint32_t partial_percent;  // of the writes, those with a random mask
  uint32_t rate;             // requests offered, in 1/65536 a cycle; 65536: always
  uint32_t on, off;          // bursts: cycles with traffic, and without
  uint64_t limit;            // requests in all; 0: no end
  // state
  uint64_t n;
  uint32_t col[64], row[64];
  uint64_t random;
} traffic;

// A source: ctx is a traffic.
bool traffic_next(void *ctx, uint64_t cycle, rig_request *q);

// Any traffic that is not senseless.
traffic traffic_random(uint64_t *random);
