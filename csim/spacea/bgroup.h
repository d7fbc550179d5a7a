// SPDX-License-Identifier: Apache-2.0
// The C twin of bgroup. docs/blocks/bgroup.md.
#pragma once

#include "csim/base/prefetch.h"
#include "ldq.h"
#include "rowctl.h"
#include "spe.h"
#include "xcam.h"
#define BLOCK bgroup
#include "csim/base/block_declare.h"

enum { BGROUP_PES = 2, BGROUP_WANTS = 4 };

typedef struct bgroup {
  spe pes[BGROUP_PES];
  xcam *lines;
  ldq *under_way;
  rowctl rows;
  // of these: inputs, where they last; outputs
  spe_in pe_in[BGROUP_PES];
  xcam_in line_in;
  xcam_out line_out;
  ldq_in ask_in;
  ldq_out ask_out;
  rowctl_in row_in;
  bool runs;
  uint32_t age, prefer;
  uint32_t wants[BGROUP_WANTS], first, n;
  uint32_t asked_key;  // at the last edge, or before
  bool looked_again;   // the look of the last edge
  bgroup_out out;
} bgroup;

bgroup *bgroup_create(const spacea_structure *sizes);  // NULL: the default ones
void bgroup_destroy(bgroup *g);
// One clock edge; the outputs after it are in g->out.
void bgroup_edge(bgroup *g, const bgroup_in *in);
void bgroup_step(bgroup *g, const bgroup_in *in, bgroup_out *out);

// What most edges touch.
void bgroup_fetch(prefetch *a, const bgroup *g);

// What happens at a PE in this cycle, for whoever looks on.
typedef struct bgroup_sight {
  spe_wait waits;  // never SPE_FULL
  // an element is multiplied, whose line was put for it, or has hit at its first look, or later
  bool put, hit, hit_again;
  // an element is told of its ask: the line is asked for now, or was; or there is no room for that
  bool asks, merges, full;
} bgroup_sight;
bgroup_sight bgroup_sees(const bgroup *g, uint32_t pe);

static inline bool bgroup_idle(const bgroup *g) {
  return !(g->out.busy | g->out.cmd);
}
// The same; costs nothing when there is nothing to do.
static inline void bgroup_clock(bgroup *g, const bgroup_in *in) {
  if (!bgroup_idle(g) || in->rx_valid | in->ref_tick || !in->rst_n)
    bgroup_edge(g, in);
}
