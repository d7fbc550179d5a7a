// SPDX-License-Identifier: Apache-2.0
#include "regfile.h"

#include <stdlib.h>
#include <string.h>

void regfile_init(regfile *r) {
  memset(r, 0, sizeof *r);
}

static void write(regfile *r, uint32_t reg, uint32_t mask, const uint32_t *data) {
  uint32_t *row = r->words[reg % REGFILE_BANKS][reg / REGFILE_BANKS];
  if (mask == ~0u)
    memcpy(row, data, sizeof r->words[0][0]);
  else
    for (; mask; mask &= mask - 1) {
      const int lane = __builtin_ctz(mask);
      row[lane] = data[lane];
    }
}

void regfile_clock(regfile *r, const regfile_in *in) {
  regfile_out *o = &r->out;
#define READ(bank)      \
  if (in->r##bank##_en) \
    memcpy(o->r##bank##_data, r->words[bank][in->r##bank##_row], sizeof o->r##bank##_data);
  READ(0)
  READ(1)
  READ(2)
  READ(3)
#undef READ

  bool one = in->w1_valid && !o->w1_done, two = in->w2_valid && !o->w2_done;
  if (in->w0_valid) {
    write(r, in->w0_reg, in->w0_mask, in->w0_data);
    one = one && in->w1_reg % REGFILE_BANKS != in->w0_reg % REGFILE_BANKS;
    two = two && in->w2_reg % REGFILE_BANKS != in->w0_reg % REGFILE_BANKS;
  }
  if (one && two && in->w1_reg % REGFILE_BANKS == in->w2_reg % REGFILE_BANKS) {
    if (r->second_first)
      one = false;
    else
      two = false;
    r->second_first = !r->second_first;
  }
  if (one)
    write(r, in->w1_reg, in->w1_mask, in->w1_data);
  if (two)
    write(r, in->w2_reg, in->w2_mask, in->w2_data);
  o->w1_done = in->rst_n && one;
  o->w2_done = in->rst_n && two;
  if (!in->rst_n)
    r->second_first = false;
}

void regfile_step(regfile *r, const regfile_in *in, regfile_out *out) {
  regfile_clock(r, in);
  *out = r->out;
}

#define BLOCK regfile
#include "csim/base/block_table.h"
#define BLOCK regfile
#define BLOCK_INIT(block, sizes) regfile_init(block)
#include "csim/base/block_twin.h"
