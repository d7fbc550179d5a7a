// SPDX-License-Identifier: Apache-2.0
// Random traffic for fma64: one operation a cycle, or gaps, with operands from the corners of
// binary64.
#include "csim/spacea/fma64.h"

#include "operands.h"
#include "tb/cosim/cosim.h"

static const char *const names[] = {"every cycle", "gaps", "pauses", "one corner"};
enum { EVERY, GAPS, PAUSES, ONE_CORNER, MODES };

typedef struct driver {
  unsigned mode;
  fma64_corner corner;
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  *(driver *)state = (driver){mode, rng_below(rng, FMA64_CORNERS)};
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  static const uint8_t busy[MODES] = {[GAPS] = 128, [PAUSES] = 20};
  const driver *d = state;
  fma64_in *in = inputs;
  in->valid = !busy[d->mode] || rng_chance(rng, busy[d->mode]);
  if (!in->valid)
    return;
  in->op = rng_chance(rng, 128) ? (uint32_t)FMA64_FMA : rng_below(rng, FMA64_OPS);
  uint64_t x[3];
  fma64_operands(rng, d->mode == ONE_CORNER ? d->corner : rng_below(rng, FMA64_CORNERS), in->op, x);
  uint32_t *const to[] = {in->a, in->b, in->c};
  for (int k = 0; k < 3; k++)
    to[k][0] = (uint32_t)x[k], to[k][1] = (uint32_t)(x[k] >> 32);
}

static bool quiet(const void *inputs) {
  return !((const fma64_in *)inputs)->valid;
}

const cosim_driver fma64_driver = {
    .block = "fma64",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .quiet = quiet,
    .lives = 20000,
};
