// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#define BLOCK reduce
#include "csim/base/block_table.h"

enum { FIRST_MASK = (1 << 21) - 1, COUNT_MASK = (1 << 16) - 1 };

static void reduce_step(reduce *r, const reduce_in *in, reduce_out *out) {
  const bool read = r->ask && in->req_ready;
  const bool leaves = r->run && !r->due && in->sum_ready;
  const bool start = !r->run && in->start_valid;
  if (start) {  // also in reset: address and sum are data
    r->at = in->start_first, r->sum = 0;
  } else {
    r->at = (r->at + read) & FIRST_MASK;
    for (int w = 0; in->rsp_valid && w < REDUCE_WORDS; w++)
      r->sum += in->rsp_data[w];
  }
  if (!in->rst_n) {
    r->run = r->ask = r->due = 0;
  } else if (!r->run) {
    r->run = start;
    if (start)
      r->ask = r->due = in->start_count;
  } else {
    r->run = !leaves;
    r->ask -= read;
    r->due = (r->due - in->rsp_valid) & COUNT_MASK;
  }
  out->start_ready = !r->run;
  out->req_valid = r->ask != 0;
  out->req_bank = r->at % REDUCE_BANKS;
  out->req_col = r->at / REDUCE_BANKS % REDUCE_COLS;
  out->req_row = r->at / (REDUCE_BANKS * REDUCE_COLS);
  out->sum_valid = r->run && !r->due;
  out->sum = r->sum;
  out->busy = r->run;
}

static bool reduce_idle(const reduce *r) {
  return !r->run;
}

#define BLOCK reduce
#include "csim/base/block_twin.h"
