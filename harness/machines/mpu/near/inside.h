// SPDX-License-Identifier: Apache-2.0
// Lockstep inside of an NBU: the outputs of each of its blocks, in Verilog and twin, so that a
// difference is found in the block where it arises, in the cycle in which it does.
#pragma once

#include "models.h"
#include "csim/mpu/nbu.h"

enum { INSIDE_LANES = 32, INSIDE_EDGES = 8 };

typedef struct inside {
  uint64_t edges;
  fpu_in in_lsux[INSIDE_EDGES];  // what fpu there took at this edge
  fpu_in in_valu[INSIDE_EDGES];  // and there, but for its operands,
  nbu_glue glue;                 // of the Verilog, before the edge
  // of the twins, before it: what ready signals are answers to
  bool rx_valid, begins, sync, lsux_done, lsux_up, regmove_done, regmove_up;
  uint32_t operands[INSIDE_EDGES][3][INSIDE_LANES];  // which valu had got an edge before
} inside;

// Before an edge of both.
void inside_before(inside *x, const models *m, const nbu *twin, const void *verilog);

// After it: the block that differs, if one does, and all about it.
typedef struct inside_difference {
  const char *name;  // "opc"; "fpu" when the rest of valu did what it should; "nbu": what it makes
                     // for one of them, in the cycle before the edge
  const block_ops *ops;
  const void *twin;
  char where[24];    // of fpu: "lane 3 of valu", else empty
  int tag;           // of the packet it works on, -1: unknown
  fpu_out expected;  // twin, of fpu
  nbu_glue glue;     // of nbu
  union {
    uint64_t align;
    unsigned char out[1024];
  } verilog;
} inside_difference;
bool inside_differs(inside *x, const models *m, const nbu *twin, const void *verilog,
                    inside_difference *d);
