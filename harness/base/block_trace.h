// SPDX-License-Identifier: Apache-2.0
// Signals of a block while it is stepped: of its Verilog, which has all of them, or the ports of
// its twin.
#pragma once

#include "csim/base/port_trace.h"
#include "verilated.h"

typedef struct block_trace {
  port_trace *ports;
  const model *verilog;
  void *block;
} block_trace;

// From now on; `in` and `out` as they are now. `verilog` NULL: `block` is a twin. A trace that was
// there ends. False: no memory, or a library that cannot.
bool block_trace_on(block_trace *t, const block_ops *twin, const model *verilog, void *block,
                    const rtl_trace *to, const void *in, const void *out);
void block_trace_off(block_trace *t);
// Behind each step, when *to->cycle is still that of the step.
void block_trace_step(block_trace *t, const void *in, const void *out);
// In a cycle without an edge.
void block_trace_still(block_trace *t, const void *in);
