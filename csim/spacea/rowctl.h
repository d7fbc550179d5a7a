// SPDX-License-Identifier: Apache-2.0
// The C twin of rowctl. docs/blocks/rowctl.md.
#pragma once

#include "csim/dram/bankctl_times.h"
#define BLOCK rowctl
#include "csim/base/block_declare.h"

enum { ROWCTL_BANKS = 2, ROWCTL_AHEAD = 64 };  // AHEAD: cycles, more than any data take

// Times are cycles from which on a command may be chosen.
typedef struct rowctl_bank {
  bool has, sent, we, is_open;
  uint8_t col, more, id;
  uint16_t row, open;
  uint32_t owed;
  uint64_t act, read, write, close;
  uint32_t wdata[DRAM_WORDS], wmask;
} rowctl_bank;

typedef struct rowctl {
  uint64_t now, rrd;
  uint64_t quiet;  // the last one of all times
  uint32_t last;
  rowctl_bank banks[ROWCTL_BANKS];
  uint64_t reads, writes;                                 // bit k: data come, or go, k edges later
  uint8_t read_of[ROWCTL_AHEAD], write_of[ROWCTL_AHEAD];  // bank and id, by cycle
  uint32_t cfg_times[BANKCTL_TIME_WORDS];
  bankctl_times t;  // the same
  rowctl_out out;
} rowctl;

void rowctl_init(rowctl *c);
// One clock edge; the outputs after it are in c->out.
void rowctl_edge(rowctl *c, const rowctl_in *in);
// Does an edge with these inputs change anything? Only req_valid, ref_tick and rst_n are read.
static inline bool rowctl_works(const rowctl *c, const rowctl_in *in) {
  return c->out.busy | c->out.cmd | c->out.rsp_valid | in->req_valid | in->ref_tick || !in->rst_n;
}
static inline void rowctl_clock(rowctl *c, const rowctl_in *in) {
  if (rowctl_works(c, in))
    rowctl_edge(c, in);
}
void rowctl_step(rowctl *c, const rowctl_in *in, rowctl_out *out);

static inline bool rowctl_idle(const rowctl *c) {
  return !(c->out.busy | c->out.cmd | c->out.rsp_valid);
}
