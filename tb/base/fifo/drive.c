// SPDX-License-Identifier: Apache-2.0
// Random traffic for a queue: the example of a driver.
#include <inttypes.h>
#include <stdio.h>

#include "tb/cosim/cosim.h"
#define BLOCK fifo
#include "csim/base/block_declare.h"

enum { ANY, FULL, EMPTY, MODES, DEPTH = 4 };

static const char *const names[MODES] = {[ANY] = "any", [FULL] = "full", [EMPTY] = "empty"};

typedef struct driver {
  unsigned mode;
  unsigned push, pop;  // chances in 256, for a while
  uint32_t left;       // of that while
  bool waits;          // the word on offer was not taken
  uint32_t words[DEPTH], n;
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  *(driver *)state = (driver){.mode = mode};
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  const fifo_out *out = outputs;
  fifo_in *in = inputs;
  if (!d->left--) {
    d->left = rng_below(rng, 100);
    d->push = d->mode == EMPTY ? 64 : rng_below(rng, 257);
    d->pop = d->mode == FULL ? 64 : rng_below(rng, 257);
  }
  if (!d->waits) {
    in->valid = rng_chance(rng, d->push);
    if (in->valid)
      in->data = rng_value(rng);
  }
  d->waits = in->valid && !out->ready;
  in->ready = rng_chance(rng, d->pop);
}

// What was in the queue before the edge is here; out is how it looks after it.
static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const fifo_in *in = inputs;
  const fifo_out *out = outputs;
  const bool push = in->valid && d->n < DEPTH, pop = in->ready && d->n;
  if (pop)
    memmove(d->words, d->words + 1, --d->n * sizeof *d->words);
  if (push)
    d->words[d->n++] = in->data;
  if (out->valid != (d->n > 0) || out->ready != (d->n < DEPTH))
    snprintf(why, n, "%" PRIu32 " words inside, but valid %" PRIu32 ", ready %" PRIu32, d->n,
             out->valid, out->ready);
  else if (d->n && out->data != d->words[0])
    snprintf(why, n, "%08" PRIx32 " leaves, not %08" PRIx32, out->data, d->words[0]);
  else
    return true;
  return false;
}

static bool quiet(const void *inputs) {
  return !((const fifo_in *)inputs)->valid;
}

const cosim_driver fifo_driver = {
    .block = "fifo",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
