// SPDX-License-Identifier: Apache-2.0
// Where there is no verilated model (in builds with sanitizers, or of a block whose Verilog is
// still to come) the twin takes its part in the tests of a block, and these that of its assertions
// and waves.
#include <stdbool.h>

#include "csim/base/rtl_trace.h"

bool no_rtl_failed(const void *block);
bool no_rtl_trace(void *block, const rtl_trace *to, const void *in);
void no_rtl_trace_off(void *block);

bool no_rtl_failed(const void *block) {
  (void)block;
  return false;
}

bool no_rtl_trace(void *block, const rtl_trace *to, const void *in) {
  (void)block, (void)to, (void)in;
  return false;
}

void no_rtl_trace_off(void *block) {
  (void)block;
}
