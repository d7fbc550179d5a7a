// SPDX-License-Identifier: Apache-2.0
// What requests to a block smem (docs/blocks/smem.md) took, from its handshakes alone. A request
// taken at edge e can start at e + 1; one whose answer is there after edge e has ended at the edge
// before, where the next one can start: rules 2 and 10.
#ifndef NEARBANK_SHARED_METER_H
#define NEARBANK_SHARED_METER_H

#include <stdint.h>

// A port's requests under way: in the slot, in service, ended, answered.
enum { SHARED_PORTS = 4, SHARED_OPEN = 4 };

typedef struct shared_meter {
  uint64_t taken[SHARED_PORTS][SHARED_OPEN];  // edges, of request n of a port in place n modulo 4
  uint32_t takes[SHARED_PORTS], dones[SHARED_PORTS];
  uint64_t end;  // edge: last ended
} shared_meter;

typedef struct shared_counts {
  uint64_t requests;  // that are done
  // Cycles. Conflicts: worked on them, but for the first one of each. Waits: not yet.
  uint64_t conflicts, waits;
} shared_counts;

// Edge `edge` takes a request of port k.
static inline void shared_meter_taken(shared_meter *m, unsigned k, uint64_t edge) {
  m->taken[k][m->takes[k]++ % SHARED_OPEN] = edge;
}

// The oldest request of port k has its answer after edge `edge`.
static inline void shared_meter_done(shared_meter *m, unsigned k, uint64_t edge, shared_counts *c) {
  const uint64_t end = edge - 1, earliest = m->taken[k][m->dones[k]++ % SHARED_OPEN] + 1;
  const uint64_t start = earliest > m->end ? earliest : m->end;
  c->requests++;
  c->waits += start - earliest;
  c->conflicts += end - start - 1;
  m->end = end;
}

#endif
