// SPDX-License-Identifier: Apache-2.0
// What surrounds a bank controller in its tests: a source of requests, the DRAM arrays that judge
// its commands, refresh ticks, and a scoreboard. The scoreboard knows memory as it is after each
// request in the order in which they were taken: a read returns that, whatever the controller
// reorders.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "csim/dram/bankctl.h"
#include "csim/dram/dram.h"

enum { RIG_IDS = 256 };

typedef struct rig_request {
  uint32_t bank, row, col;
  bool we;
  uint32_t mask;  // of a write
} rig_request;

// Gives the next request, if there is one in this cycle. It stays on the pins until it is taken.
typedef bool rig_source(void *ctx, uint64_t cycle, rig_request *r);

// Refresh becomes due every `interval` cycles, or `bunch` at a time every bunch * interval cycles;
// banks in turn when `stagger`, else all at once. No refresh with interval 0.
typedef struct rig_refresh {
  uint32_t interval, bunch;
  bool stagger;
} rig_refresh;

typedef struct rig_outstanding {
  bool busy;
  rig_request request;
  uint64_t taken;
  uint8_t want[DRAM_BYTES];
} rig_outstanding;

typedef struct rig {
  dram *arrays;
  uint8_t *memory;  // as it is after each request, in the layout of the arrays
  uint32_t written[DRAM_BANKS][DRAM_ROWS / 32];
  uint64_t cycle, random;
  rig_source *source;
  void *ctx;
  rig_refresh refresh;
  uint32_t ticks_left[DRAM_BANKS];
  uint64_t tick_at[DRAM_BANKS];
  bool offering;
  uint64_t offered;
  bankctl_in in;  // of the last cycle
  uint32_t rdata[DRAM_WORDS];
  rig_outstanding by_id[RIG_IDS];
  uint32_t outstanding, last_id;
  rig_request last;  // that was offered
  bool lines;        // all ids allow a line of several banks
  // what happened
  uint64_t ticks, reads, writes, responses, waiting, latency_sum, latency_max, last_latency,
      last_response;
  void (*on_response)(void *ctx, const rig_outstanding *o, uint64_t latency);
  char error[512];  // empty, or the first that went wrong
} rig;

// `rows` and `closed` are the straps, so is what follows from `timing` (NULL: dram_timing_default).
// False when memory is short.
bool rig_init(rig *r, uint64_t seed, uint32_t rows, bool closed, const dram_timing *timing);
void rig_free(rig *r);
// A warm reset: the controller forgets what it holds, the arrays stay as they are. `out`: its
// outputs in the cycle with reset, which the arrays still see.
void rig_warm_reset(rig *r, const bankctl_out *out);
void rig_source_set(rig *r, rig_source *source, void *ctx);
// The times that all controllers must keep to: default, a slow DDR4, ten times the default.
enum { RIG_TIMINGS = 3 };
extern const char *const rig_timing_names[RIG_TIMINGS];
dram_timing rig_timing(uint32_t n);
// Any times that a controller can be told.
dram_timing rig_timing_random(uint64_t *random);

void rig_refresh_set(rig *r, rig_refresh refresh);

// The inputs of a cycle, from the outputs in that cycle; everything is checked on the way. The edge
// at the end of the cycle is the caller's. Pins that mean nothing carry noise.
const bankctl_in *rig_cycle(rig *r, const bankctl_out *out);

// Nothing is under way and nothing offered.
bool rig_quiet(const rig *r, const bankctl_out *out);

// At the end, when quiet: the arrays hold what the scoreboard says. Else an error is set.
void rig_finish(rig *r);

uint64_t rig_random(rig *r);
