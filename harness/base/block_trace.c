// SPDX-License-Identifier: Apache-2.0
#include "block_trace.h"

#include <stddef.h>

bool block_trace_on(block_trace *t, const block_ops *twin, const model *verilog, void *block,
                    const rtl_trace *to, const void *in, const void *out) {
  block_trace_off(t);
  if (!verilog)
    return (t->ports = port_trace_new(twin->name, twin, to, in, out)) != NULL;
  if (!verilog->trace || !verilog->trace_inputs || !verilog->trace(block, to, in))
    return false;
  t->verilog = verilog, t->block = block;
  return true;
}

void block_trace_off(block_trace *t) {
  if (t->verilog)
    t->verilog->trace_off(t->block);
  port_trace_free(t->ports);
  *t = (block_trace){0};
}

void block_trace_step(block_trace *t, const void *in, const void *out) {
  if (!t->ports)  // Verilog does it in its step
    return;
  port_trace_inputs(t->ports, in);
  port_trace_outputs(t->ports, out);
}

void block_trace_still(block_trace *t, const void *in) {
  if (t->ports)
    port_trace_inputs(t->ports, in);
  else if (t->verilog)
    t->verilog->trace_inputs(t->block, in);
}
