// SPDX-License-Identifier: Apache-2.0
// Twin of the near end of register moves (docs/blocks/regmove.md has the rules).
#pragma once

#define BLOCK regmove
#include "csim/base/block_declare.h"
#include "structure.h"

typedef enum regmove_wr {
  REGMOVE_WR_IDLE,
  REGMOVE_EXPAND,
  REGMOVE_STEP,
  REGMOVE_WRITE,
  REGMOVE_DONE,
} regmove_wr;

typedef enum regmove_rd {
  REGMOVE_RD_IDLE,
  REGMOVE_PICK,
  REGMOVE_COMPARE,
  REGMOVE_COMPRESS,
  REGMOVE_UP,
} regmove_rd;

typedef struct regmove {
  bool patterns;
  regmove_wr wr;
  regmove_rd rd;
  uint32_t wr_left;            // lanes without their word
  uint32_t wr_step, wr_known;  // from lane to lane; lanes that have their word, from lane 0 on
  uint32_t rd_left, rd_moved;  // lanes that have not moved; words that have
  uint32_t rd_tag, rd_mask, rd_word, rd_step;
  regmove_out out;
} regmove;

void regmove_init(regmove *r, const structure *sizes);
// One clock edge; the outputs after it are in r->out.
void regmove_edge(regmove *r, const regmove_in *in);
// The same; costs nothing when there is nothing to do.
static inline void regmove_clock(regmove *r, const regmove_in *in) {
  if (r->out.busy | in->wr_valid | in->rd_valid || !in->rst_n)
    regmove_edge(r, in);
}
void regmove_step(regmove *r, const regmove_in *in, regmove_out *out);

static inline bool regmove_idle(const regmove *r) {
  return !r->out.busy;
}
