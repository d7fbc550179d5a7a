// SPDX-License-Identifier: Apache-2.0
// The ports of a twin as signals, in the form in which a verilated block gives its own
// (csim/base/rtl_trace.h).
#pragma once

#include "csim/base/block.h"
#include "csim/base/rtl_trace.h"

typedef struct port_trace port_trace;

// Header and first values; `in` and `out` as they are now. NULL: no memory.
port_trace *port_trace_new(const char *name, const block_ops *ops, const rtl_trace *to,
                           const void *in, const void *out);
void port_trace_free(port_trace *t);
// Before a step, or in a cycle without one; and behind it.
void port_trace_inputs(port_trace *t, const void *in);
void port_trace_outputs(port_trace *t, const void *out);
