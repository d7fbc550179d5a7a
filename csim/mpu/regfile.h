// SPDX-License-Identifier: Apache-2.0
// The C twin of regfile. docs/blocks/regfile.md.
#pragma once

#define BLOCK regfile
#include "structure.h"
#include "csim/base/block_declare.h"

// The twin has the most rows that there may be: what is not there nobody writes or reads.
enum { REGFILE_BANKS = 4, REGFILE_ROWS = STRUCTURE_MAX_RF_ROWS, REGFILE_LANES = 32 };

typedef struct regfile {
  uint32_t words[REGFILE_BANKS][REGFILE_ROWS][REGFILE_LANES];
  bool second_first;  // port 2 goes first when both want a bank
  regfile_out out;
} regfile;

void regfile_init(regfile *r);
// An edge; the outputs are in r->out.
void regfile_clock(regfile *r, const regfile_in *in);
void regfile_step(regfile *r, const regfile_in *in, regfile_out *out);

// The lanes of a register, as they are now.
static inline const uint32_t *regfile_register(const regfile *r, uint32_t reg) {
  return r->words[reg % REGFILE_BANKS][reg / REGFILE_BANKS % REGFILE_ROWS];
}

static inline bool regfile_idle(const regfile *r) {
  return !r->out.w1_done && !r->out.w2_done;
}
