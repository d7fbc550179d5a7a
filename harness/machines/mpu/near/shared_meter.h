// SPDX-License-Identifier: Apache-2.0
// What requests to a block smem (docs/blocks/smem.md) took, from its handshakes alone. A request
// taken at edge e can start at e + 1; one whose answer is there after edge e has ended at the edge
// before, where the next one can start: rules 2 and 10.
#ifndef NEARBANK_SHARED_METER_H
#define NEARBANK_SHARED_METER_H

#include <stdint.h>

typedef struct shared_meter {
  uint64_t taken[4], end;  // edges: last taken, by port; last ended
} shared_meter;

typedef struct shared_counts {
  uint64_t requests;  // that are done
  // Cycles. Conflicts: worked on them, but for the first one of each. Waits: not yet.
  uint64_t conflicts, waits;
} shared_counts;

// Port k has its answer after edge `edge`.
static inline void shared_meter_done(shared_meter *m, unsigned k, uint64_t edge, shared_counts *c) {
  const uint64_t end = edge - 1, earliest = m->taken[k] + 1;
  const uint64_t start = earliest > m->end ? earliest : m->end;
  c->requests++;
  c->waits += start - earliest;
  c->conflicts += end - start - 1;
  m->end = end;
}

#endif
