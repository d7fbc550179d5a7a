// SPDX-License-Identifier: Apache-2.0
// Random traffic for reduce: a bank channel that answers late and in bursts, and the sum told
// again.
#include <inttypes.h>
#include <stdio.h>

#include "csim/reduce/reduce.h"
#include "tb/cosim/cosim.h"

typedef struct driver {
  uint32_t under_way;       // reads that were not answered
  uint32_t due, sum, busy;  // of the request: answers to come, their sum so far
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng, (void)mode;
  *(driver *)state = (driver){0};
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  const reduce_out *out = outputs;
  reduce_in *in = inputs;
  in->start_valid = rng_chance(rng, 64);
  in->start_first = rng_chance(rng, 64) ? (1u << 21) - 1 - rng_bits(rng, 3) : rng_bits(rng, 21);
  in->start_count = rng_bits(rng, rng_chance(rng, 3) ? 16 : rng_below(rng, 10));
  in->req_ready = rng_chance(rng, 160);
  in->rsp_valid = d->under_way && rng_chance(rng, 140);
  in->sum_ready = rng_chance(rng, 100);
  if (in->rsp_valid)
    rng_words(rng, in->rsp_data, REDUCE_WORDS);
  d->under_way += (out->req_valid && in->req_ready) - in->rsp_valid;
}

// The sum, from what it was asked for and the answers.
static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const reduce_in *in = inputs;
  const reduce_out *out = outputs;
  for (int w = 0; in->rsp_valid && w < REDUCE_WORDS; w++)
    d->sum += in->rsp_data[w];
  d->due -= in->rsp_valid;
  if (in->start_valid && !d->busy)
    d->due = in->start_count, d->sum = 0;
  d->busy = out->busy;
  if (!out->sum_valid || (out->sum == d->sum && !d->due))
    return true;
  snprintf(why, n, "the sum is %08" PRIx32 ", not %08" PRIx32 "; %" PRIu32 " answers are to come",
           out->sum, d->sum, d->due);
  return false;
}

const cosim_driver reduce_driver = {
    .block = "reduce",
    .state_bytes = sizeof(driver),
    .modes = 1,
    .mode_names = (const char *const[]){"any"},
    .start = start,
    .drive = drive,
    .check = check,
};
