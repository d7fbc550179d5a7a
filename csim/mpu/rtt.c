// SPDX-License-Identifier: Apache-2.0
#include "rtt.h"

#include <stdlib.h>
#include <string.h>

void rtt_init(rtt *r) {
  memset(r, 0, sizeof *r);
}

static void update(rtt *r, uint32_t warp, uint32_t reg, uint32_t op) {
  if (reg == RTT_RZ)
    return;
  const uint8_t side = (uint8_t)(1 << (op & 1));
  r->valid[warp][reg] = op < 2 ? side : r->valid[warp][reg] | side;
}

void rtt_clock(rtt *r, const rtt_in *in) {
  if (in->clr_valid)
    memset(r->valid[in->clr_warp], 0, sizeof r->valid[0]);
  if (in->up0_valid)
    update(r, in->up0_warp, in->up0_reg, in->up0_op);
  if (in->up1_valid)
    update(r, in->up1_warp, in->up1_reg, in->up1_op);
  if (in->lk_valid) {
    const uint32_t regs[] = {in->lk_reg0, in->lk_reg1, in->lk_reg2, in->lk_reg3};
    r->out.lk_far = r->out.lk_near = 0;
    for (unsigned k = 0; k < 4; k++) {
      const uint32_t sides = regs[k] == RTT_RZ ? 3 : r->valid[in->lk_warp][regs[k]];
      r->out.lk_far |= (sides & 1) << k;
      r->out.lk_near |= sides >> 1 << k;
    }
  }
  r->out.lk_valid = in->lk_valid;
}

void rtt_step(rtt *r, const rtt_in *in, rtt_out *out) {
  if (in->rst_n) {
    rtt_clock(r, in);
  } else {
    memset(r->valid, 0, sizeof r->valid);
    r->out.lk_valid = 0;
  }
  *out = r->out;
}

#define BLOCK rtt
#include "csim/base/block_table.h"
#define BLOCK rtt
#define BLOCK_INIT(block, sizes) rtt_init(block)
#include "csim/base/block_twin.h"
