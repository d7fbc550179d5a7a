// SPDX-License-Identifier: Apache-2.0
// Random traffic for rtt: few registers of few warps, so that clear, updates and look-up meet.
#include "csim/mpu/rtt.h"

#include <stdio.h>

#include "tb/cosim/cosim.h"

static const char *const names[] = {"any", "one register", "few", "ends"};
enum { ANY, ONE, FEW, ENDS, MODES };

typedef struct driver {
  unsigned mode;
  bool written[RTT_WARPS][RTT_REGS];  // since its warp was cleared
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  driver *d = state;
  memset(d, 0, sizeof *d);
  d->mode = mode;
}

static uint32_t warp(const driver *d, cosim_rng *rng) {
  return d->mode == ONE || (d->mode == ENDS && rng_chance(rng, 128)) ? RTT_WARPS - 1
         : d->mode == FEW                                            ? rng_bits(rng, 1)
                                                                     : rng_bits(rng, 4);
}

static uint32_t reg(const driver *d, cosim_rng *rng) {
  return d->mode == ONE    ? 7
         : d->mode == FEW  ? rng_bits(rng, 2)
         : d->mode == ENDS ? RTT_RZ - rng_bits(rng, 1)
                           : rng_bits(rng, 8);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  driver *d = state;
  rtt_in *in = inputs;
  in->lk_valid = rng_chance(rng, 180), in->lk_warp = warp(d, rng);
  in->lk_reg0 = reg(d, rng), in->lk_reg1 = reg(d, rng);
  in->lk_reg2 = reg(d, rng), in->lk_reg3 = rng_chance(rng, 64) ? RTT_RZ : reg(d, rng);
  in->up0_valid = rng_chance(rng, 128), in->up0_warp = warp(d, rng);
  in->up0_reg = reg(d, rng), in->up0_op = rng_bits(rng, 2);
  in->up1_valid = rng_chance(rng, 128), in->up1_warp = warp(d, rng);
  in->up1_reg = reg(d, rng), in->up1_op = rng_bits(rng, 2);
  in->clr_valid = rng_chance(rng, 12), in->clr_warp = warp(d, rng);
}

// A register that was written since its warp was cleared is valid somewhere.
static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const rtt_in *in = inputs;
  const rtt_out *out = outputs;
  if (in->clr_valid)
    memset(d->written[in->clr_warp], 0, sizeof d->written[0]);
  if (in->up0_valid && in->up0_op < 2)
    d->written[in->up0_warp][in->up0_reg] = true;
  if (in->up1_valid && in->up1_op < 2)
    d->written[in->up1_warp][in->up1_reg] = true;
  const uint32_t regs[] = {in->lk_reg0, in->lk_reg1, in->lk_reg2, in->lk_reg3};
  for (unsigned k = 0; in->lk_valid && k < 4; k++)
    if (d->written[in->lk_warp][regs[k]] && !((out->lk_far | out->lk_near) >> k & 1))
      return snprintf(why, n, "warp %u, register %u is nowhere", in->lk_warp, regs[k]), false;
  return true;
}

static bool quiet(const void *inputs) {
  const rtt_in *in = inputs;
  return !(in->lk_valid | in->up0_valid | in->up1_valid | in->clr_valid);
}

const cosim_driver rtt_driver = {
    .block = "rtt",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
