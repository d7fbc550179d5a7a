// SPDX-License-Identifier: Apache-2.0
// A bank group of the matrix in its vault: the block bgroup, its banks, and its end of the TSVs.
#ifndef NEARBANK_SPACEA_MATRIX_GROUP_H
#define NEARBANK_SPACEA_MATRIX_GROUP_H

#include "banks.h"
#include "csim/spacea/bgroup.h"
#include "harness/base/schedule/lockstep.h"
#include "packets.h"

typedef struct matrix_group {
  banks banks;
  lockstep *block;
  const bgroup_out *out;
  bgroup_in in;
  bool done;          // DONE was sent
  bool still;         // its block and banks do nothing by themselves
  uint64_t elements;  // of the matrix, in its banks
  packets down;
} matrix_group;

// The block of these sizes; `verilog` of it, when `near` needs it.
bool matrix_group_init(matrix_group *g, const config *c, const matrix_group *like,
                       const spacea_structure *sizes, lockstep_mode near, const model *verilog,
                       vault_counters *counters, char *why, size_t why_bytes);
void matrix_group_free(matrix_group *g);
// What most cycles touch.
void matrix_group_fetch(prefetch *a, const matrix_group *g);
bool matrix_group_idle(const matrix_group *g);
// The last edge has left less to do: a packet was taken, an element found its line, a row was read.
// Looks in vain and refreshes go on forever in a group that waits.
bool matrix_group_moves(const matrix_group *g);
// What it would send in this cycle. False: nothing.
bool matrix_group_offers(const matrix_group *g, packet *p);
// A cycle; `taken`: that packet goes. False: the block has failed, lockstep_error().
bool matrix_group_clock(matrix_group *g, uint64_t cycle, bool taken);

#endif
