// SPDX-License-Identifier: Apache-2.0
// The signals of a block while it is stepped, as the text of a VCD file: its header first, then all
// values, then those that change. Cycle n of the block, which ends with the edge of step n, has
// times 4n (what the edge before it left), 4n + 2 (with the inputs of cycle n, the clock is high)
// and 4n + 3 (the clock is low). When a block is not stepped there are only its inputs, at 4n + 1.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct rtl_trace {
  void (*write)(void *ctx, const char *text, size_t bytes);  // pieces of the text, in order
  void *ctx;
  const uint64_t *cycle;  // that the next step ends; read in each step
} rtl_trace;

enum { RTL_TRACE_EDGE, RTL_TRACE_STILL, RTL_TRACE_HIGH, RTL_TRACE_LOW, RTL_TRACE_TIMES = 4 };
