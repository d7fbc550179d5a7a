// SPDX-License-Identifier: Apache-2.0
// The C twin of rtt. docs/blocks/rtt.md.
#pragma once

#define BLOCK rtt
#include "csim/base/block_declare.h"

enum { RTT_WARPS = 16, RTT_REGS = 256, RTT_RZ = 255 };

typedef struct rtt {
  uint8_t valid[RTT_WARPS][RTT_REGS];  // bit 0 far, bit 1 near
  rtt_out out;
} rtt;

void rtt_init(rtt *r);
// An edge out of reset, whatever rst_n is; the outputs are in r->out.
void rtt_clock(rtt *r, const rtt_in *in);
void rtt_step(rtt *r, const rtt_in *in, rtt_out *out);

static inline bool rtt_idle(const rtt *r) {
  return !r->out.lk_valid;
}
