// SPDX-License-Identifier: Apache-2.0
// A core, to be looked at and not changed: for waves, profile, debugger, reports and tests. All
// that they get is const, between cycles or from an observer (core_observe). Nothing else of the
// inside of a core is to be included outside of this folder.
#ifndef NEARBANK_CORE_VIEW_H
#define NEARBANK_CORE_VIEW_H

#include "core_state.h"

// The parts of a subcore.
typedef struct view_sub {
  uint32_t index;
  const board_sub *board;    // warps and instructions under way
  const front_sub *front;    // fetch and issue
  const engine_sub *engine;  // offload engine and moves
  const far_sub *far;        // collectors and units
  const lsu_sub *lsu;
} view_sub;

static inline view_sub view_subcore(const core *c, uint32_t k) {
  return (view_sub){
      k, &c->board.sub[k], &c->front.sub[k], &c->engine.sub[k], &c->far.sub[k], &c->lsu.sub[k]};
}
static inline view_sub view_subcore_of(const core *c, const cwarp *w) {
  return view_subcore(c, w->subcore);
}

// What engine and LSU know of an instruction under way; the latter only of accesses that it has.
static inline const uint64_t *view_waits(const core *c, const op *o) {
  return engine_of(&c->engine, o)->waits;
}
static inline const access *view_access(const core *c, const op *o) {
  return lsu_access(&c->lsu, o);
}

// A line of the kernel is in the I-cache.
static inline bool view_cached(const core *c, uint32_t line) {
  return c->front.icache[line & c->front.icache_mask] == line + 1;
}
// Shared memory of the core, 16384 words; NULL: it is in Verilog.
static inline const uint32_t *view_shared(const core *c) {
  return c->base.shared_far ? lsu_far_words(&c->lsu) : near_shared(c->base.near);
}
// The request of another core that a packet of LSU-Remote is for.
static inline const remote_request *view_request(const core *c, const tag *t) {
  return &c->remote.serving[t->entry].asked;
}

#endif
