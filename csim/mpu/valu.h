// SPDX-License-Identifier: Apache-2.0
// The C twin of valu. docs/blocks/valu.md.
#pragma once

#include "csim/isa/lanes.h"

#define BLOCK valu
#include "csim/base/block_declare.h"

enum { VALU_LANES = 32, VALU_EDGES = 5 };  // edges from a beat's to its result's

typedef struct valu_beat {
  uint32_t valid, last, dst, tag, mask;
  uint32_t d[VALU_LANES];
} valu_beat;

typedef struct valu {
  valu_beat ring[VALU_EDGES];
  uint32_t at, inside;
  uint32_t carry[VALU_LANES], less[VALU_LANES], equal[VALU_LANES];  // from beat 0 to beat 1
  const lanes_table *lanes;
  valu_out out;
} valu;

void valu_init(valu *v);
// An edge; the outputs are in v->out.
void valu_clock(valu *v, const valu_in *in);
void valu_step(valu *v, const valu_in *in, valu_out *out);

static inline bool valu_idle(const valu *v) {
  return !v->inside && !v->out.valid;
}
