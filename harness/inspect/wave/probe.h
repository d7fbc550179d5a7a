// SPDX-License-Identifier: Apache-2.0
// The base die of a core and its DRAM arrays as signals, in the form in which a block gives its own
// (csim/base/rtl_trace.h): probe.def. A program counter has the number of its kernel in its top 8
// bits; it is PROBE_NO_PC where there is none.
#ifndef NEARBANK_PROBE_H
#define NEARBANK_PROBE_H

#include "harness/machines/mpu/core/core.h"
#include "csim/base/rtl_trace.h"

enum { PROBE_KERNEL_SHIFT = 24 };
#define PROBE_NO_PC 0xffffffffu  // there is no instruction

typedef struct probe probe;

// Header; `cycle` of `to` is not looked at. NULL: no memory.
probe *probe_new(const core *c, const rtl_trace *to);
void probe_free(probe *p);
// All values, as they are before the core's next cycle; the number of its kernel.
void probe_begin(probe *p, const core *c, uint32_t kernel);
// From an observer's cycle(): what has changed.
void probe_cycle(probe *p, const core *c, const core_event *events, uint32_t count);
// The core has come to cycle `until`: since the last one that it stepped nothing happened.
void probe_rest(probe *p, const core *c, uint64_t until);

#endif
