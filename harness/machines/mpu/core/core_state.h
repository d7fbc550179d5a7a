// SPDX-License-Identifier: Apache-2.0
// A core, made of its parts: for core.c, which wires them, and for core_view.h.
#ifndef NEARBANK_CORE_STATE_H
#define NEARBANK_CORE_STATE_H

#include "reference.h"

struct core {
  base base;
  emitter emitter;
  board board;
  bus bus;
  copies copies;
  remote remote;
  lsu lsu;
  far far;
  engine engine;
  front front;
  nbu_stats from_near[SUBCORES];  // of the counters, what the near side had counted when asked last
  bool used;                      // since reset
  // of a launch
  reference *reference;  // NULL: no comparison
  uint64_t near_offset;  // of the near side, which counts cycles of its own
  uint64_t wakes;        // nothing happens before, but what arrives
  uint8_t concerns;      // for the caches of the host: who has something to do, subcores and units
  uint64_t stuck;        // cycles in which all that is left are answers that do not come
  uint64_t begun;        // the first cycle of the launch: turns count from it
  uint64_t tick_at;      // next refresh
  bool slept;            // a refresh became due while the core was at rest
  uint64_t sample_at;    // core_sample: this cycle, UINT64_MAX: none
  core_stats *sample;
};

// The port to the network, as node_ops has it.
const void *core_body(const core *c, const node_mail *m);
void core_arrives(core *c, uint64_t cycle, uint32_t class, const void *body, uint32_t body_bytes);

#endif
