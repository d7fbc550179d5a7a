// SPDX-License-Identifier: Apache-2.0
// A bank channel: one bank controller, the DRAM arrays behind it and their refresh ticks. Above it
// are requests, below it DRAM pins; which controller stands between (twin, Verilog, both at once)
// is a value, as are geometry, times and policy.
//
//   request -> [ controller ] -> pins -> [ arrays ]      answer, counters
//
// A cycle is channel_pins(), in which the arrays see what is on the pins, then channel_clock(), the
// edge that ends it. Between them channel_out() and the arrays are those of that cycle. The arrays
// check each command by themselves (dram.h); the channel tells nobody's rule but passes on theirs.
//
// Where the controller is a part of something larger (a near-bank unit), channel_straps_of() and
// channel_arrays() give the rest from the same configuration.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bankctl.h"
#include "bankctl_times.h"
#include "dram.h"

typedef enum channel_refresh {
  CHANNEL_NO_REFRESH,
  CHANNEL_GIVEN,  // whoever has the controller drives ref_tick, and tells the arrays (dram_due)
  CHANNEL_TICKS,  // a tick for all banks every tREFI, from cycle tREFI on
} channel_refresh;

typedef struct channel_config {
  dram_geometry geometry;
  dram_timing timing;
  uint32_t row_buffers;  // rows of a bank that may be open: 1, 2 or 4
  bool closed;           // closed page policy
  channel_refresh refresh;
  const char *name;  // in messages; NULL: "dram"
  bool noise;        // as of dram_config, down to `like`
  uint8_t *base;
  uint64_t bank_stride;
  dram_stride row, col;
  uint8_t *written;
  const uint8_t *origin;
  uint64_t (*moved)(const void *places, uint64_t at);
  const void *places;
  const dram *like;
  // The controller, and with a second one both side by side: a difference is an error. NULL: the
  // twin, with a queue of so many requests (0: 16), and the subarrays above; a model that is given
  // has sizes of its own. `failed`: a check of the one that is Verilog, NULL: there is none.
  // `differ` says how outputs of the two differ, or is NULL.
  uint32_t queue;
  const block_ops *model, *second;
  bool (*failed)(const void *model);
  size_t (*differ)(char *to, size_t bytes, const block_ops *ops, const void *a, const void *b);
} channel_config;

// Default geometry and times, four row buffers, ticks, memory of its own.
channel_config channel_config_default(void);

// What a controller's straps say. False: as of bankctl_times_of().
typedef struct channel_straps {
  uint32_t rows, closed, times[BANKCTL_TIME_WORDS];
} channel_straps;
bool channel_straps_of(const channel_config *c, channel_straps *straps, char *why,
                       size_t why_bytes);
// NULL: no memory. `report` and `ctx` are those of dram_config.
dram *channel_arrays(const channel_config *c, void (*report)(void *, const dram_violation *),
                     void *ctx);

typedef struct channel channel;

typedef struct channel_request {
  uint32_t bank, row, col, id;
  bool we;
  const uint32_t *wdata;  // of a write, DRAM_WORDS
  uint32_t wmask;
} channel_request;

// After reset, in cycle 0. NULL, and a sentence in `why`: no memory, times that no controller keeps
// to, or models that differ. The configuration is copied, memory at `base` stays the caller's.
channel *channel_new(const channel_config *config, char *why, size_t why_bytes);
void channel_free(channel *c);

void channel_pins(channel *c);
// `request` NULL: none. It is taken when channel_out()->req_ready is set; the caller keeps it until
// then. False: something is wrong, see channel_error(); no further step.
bool channel_clock(channel *c, const channel_request *request);

const bankctl_out *channel_out(const channel *c);  // in this cycle: answer, pins, req_ready
uint64_t channel_cycle(const channel *c);
// Nothing is under way: channel_clock() without a request would change nothing until a tick.
bool channel_idle(const channel *c);
// Where that is so: goes on in this cycle, or in that of the next tick if that comes before.
void channel_skip(channel *c, uint64_t cycle);

dram *channel_dram(channel *c);
// Its controller, for those who record signals: the only one, or of two the second; its inputs at
// the last edge.
void *channel_controller(channel *c);
const bankctl_in *channel_in(const channel *c);
const char *channel_error(const channel *c);  // NULL: none
