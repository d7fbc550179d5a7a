// SPDX-License-Identifier: Apache-2.0
// Twin of the operand collectors (docs/blocks/opc.md has the rules).
#pragma once

#define BLOCK opc
#include "structure.h"
#include "csim/base/block_declare.h"

enum { OPC_BANKS = 4, OPC_OPERANDS = 3, OPC_LANES = 32 };

typedef struct opc_collector {
  uint32_t unit, op, typ, typ2, fn, ftz, sat, d, tag, mask, pred;
  uint32_t imm, imm_at, use, beats, hi_first;
  uint32_t reg[OPC_OPERANDS], mode[OPC_OPERANDS];
  uint32_t beat;
  uint32_t asks[OPC_BANKS];  // operands to ask a bank for, a bit each
  uint32_t missing;          // operands that are not stored
  uint32_t older;            // collectors whose instructions for lsux come first
  uint32_t slot[OPC_OPERANDS][OPC_LANES];
} opc_collector;

// Where the data of a read go.
typedef struct opc_read {
  uint32_t valid, collector, operand;
} opc_read;

typedef struct opc {
  opc_collector collectors[STRUCTURE_MAX_COLLECTORS];
  uint32_t n, all;          // collectors; a bit for each
  uint32_t held, complete;  // a bit each
  uint32_t lsux;            // that hold an instruction for lsux
  uint32_t asking[OPC_BANKS];
  uint32_t last_grant[OPC_BANKS], last_choice;
  bool locked;  // between the beats of the instruction of last_choice
  opc_read asked[OPC_BANKS], read[OPC_BANKS];
  uint32_t moving;  // one of these is valid
  uint32_t filled;  // operands of the output that hold one word in all lanes
  opc_out out;
} opc;

void opc_init(opc *o, const structure *sizes);  // NULL: the default ones
// One clock edge; the outputs after it are in o->out. rB_data is looked at only at the second edge
// after the one that set rB_en.
void opc_edge(opc *o, const opc_in *in);
// The same; costs nothing when there is nothing to do.
static inline void opc_clock(opc *o, const opc_in *in) {
  if (o->out.busy | in->valid || !in->rst_n)
    opc_edge(o, in);
}
void opc_step(opc *o, const opc_in *in, opc_out *out);

// An edge changes nothing, if nothing comes: what it has is complete, and lsux is not ready for it.
static inline bool opc_waits(const opc *o, bool lsux_ready) {
  const uint32_t reads = o->moving | o->asking[0] | o->asking[1] | o->asking[2] | o->asking[3];
  return !o->out.busy || (!reads && o->out.x_valid == 2 && !lsux_ready);
}

static inline bool opc_idle(const opc *o) {
  return !o->out.busy;
}
