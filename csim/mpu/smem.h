// SPDX-License-Identifier: Apache-2.0
// The C twin of smem. docs/blocks/smem.md.
#pragma once

#define BLOCK smem
#include "structure.h"
#include "csim/base/block_declare.h"

enum { SMEM_PORTS = 4, SMEM_LANES = 32, SMEM_BANKS = 32, SMEM_ROWS = STRUCTURE_MAX_SMEM_ROWS };

typedef struct smem_request {
  uint32_t op, is_signed, f32, mask;
  uint16_t addr[SMEM_LANES];
  uint16_t be[SMEM_LANES];
  uint32_t b[SMEM_LANES], c[SMEM_LANES];
} smem_request;

typedef struct smem {
  uint32_t words[SMEM_ROWS * SMEM_BANKS];
  uint32_t mask;  // of a word address that there is
  smem_request slots[SMEM_PORTS], now;
  uint32_t full;     // slots, a bit each
  uint32_t last;     // slot that started last
  bool active;       // `now` is under way
  uint32_t port;     // whose it is
  uint32_t pending;  // lanes that no pass has served
  uint32_t served;   // lanes of the atomic pass under way
  uint32_t edge;     // of that pass: 0 before READ
  bool first;        // no pass has been
  // what a pass read, for rdata at the next edge
  bool read_valid, read_first;
  uint32_t read_lanes, read_words[SMEM_LANES];
  uint32_t ended;  // port whose request ended at the last edge, a bit each
  smem_out out;
} smem;

void smem_init(smem *s, const structure *sizes);  // NULL: the default ones
// An edge; the outputs are in s->out.
void smem_clock(smem *s, const smem_in *in);
void smem_step(smem *s, const smem_in *in, smem_out *out);

static inline bool smem_idle(const smem *s) {
  return !s->full && !s->active && !s->read_valid && !s->ended &&
         !(s->out.q0_rvalid | s->out.q1_rvalid | s->out.q2_rvalid | s->out.q3_rvalid);
}
