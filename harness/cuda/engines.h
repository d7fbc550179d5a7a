// SPDX-License-Identifier: Apache-2.0
// Simulated time of the cycle-by-cycle machine that is called directly: when operations of streams
// begin and end. There are three engines, as a card has (docs/card.md): copies to the device, the
// machine, copies from the device. Each executes one operation at a time, in the order of the
// calls.
#ifndef NEARBANK_ENGINES_H
#define NEARBANK_ENGINES_H

#include "rt.h"

typedef struct engines_work {  // of an operation: copied to the device, executed, copied back
  uint64_t bytes_down, bytes_up;
  uint64_t cycles;        // of a kernel
  const char *kernel;     // its name
  uint64_t bytes_copied;  // within the device
  uint64_t bytes_filled;
} engines_work;

bool engines_run(const rt_context *c);  // else there is no such time
// Of the stream with this number. Begins as soon after `since` as the engines allow; returns when
// it ends. ps.
uint64_t engines_place(const rt_context *c, uint32_t stream, uint64_t since, const engines_work *w);
// `until`: the end of all operations, and the position of the host.
void engines_json(const rt_context *c, uint64_t until, json_writer *j);
void engines_report(const rt_context *c, uint64_t until, FILE *f);

#endif
