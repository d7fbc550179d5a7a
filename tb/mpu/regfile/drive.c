// SPDX-License-Identifier: Apache-2.0
// Random traffic for regfile: reads and writes of one row at one edge, and three ports at one bank.
#include "csim/mpu/regfile.h"

#include <stdio.h>

#include "tb/cosim/cosim.h"

static const char *const names[] = {"any", "one bank", "one register", "moves and loads", "pauses"};
enum { ANY, ONE_BANK, ONE_REGISTER, NO_VALU, PAUSES, MODES };

typedef struct port {
  bool busy;
  unsigned lost;  // contests in a row
  uint32_t reg;
} port;

typedef struct driver {
  unsigned mode;
  uint32_t reg, regs;  // regs: that there are
  regfile_out before;
  port port[2];
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  memset(d, 0, sizeof *d);
  d->mode = mode, d->reg = rng_bits(rng, 7);
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  driver *d = state;
  d->regs = REGFILE_BANKS * s->rf_rows;
}

static uint32_t any_reg(driver *d, cosim_rng *rng) {
  switch (d->mode) {
    case ONE_BANK:
      return (rng_bits(rng, 5) << 2) | (d->reg & 3);
    case ONE_REGISTER:
      return rng_chance(rng, 230) ? d->reg : rng_bits(rng, 7);
    default:
      return rng_chance(rng, 16) ? rng_bits(rng, 1) * 127 : rng_bits(rng, 7);
  }
}

static uint32_t reg(driver *d, cosim_rng *rng) {
  return any_reg(d, rng) % d->regs;
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  regfile_in *in = inputs;
  const unsigned often = d->mode == PAUSES ? 12 : 150;
  if (rng_chance(rng, 2))
    d->reg = rng_bits(rng, 7);
  d->before = *(const regfile_out *)outputs;
#define READ(bank)                           \
  in->r##bank##_en = rng_chance(rng, often); \
  in->r##bank##_row = reg(d, rng) >> 2;
  READ(0)
  READ(1)
  READ(2)
  READ(3)
#undef READ
  in->w0_valid = d->mode != NO_VALU && rng_chance(rng, often);
  if (in->w0_valid) {
    in->w0_reg = reg(d, rng), in->w0_mask = rng_mask(rng);
    rng_words(rng, in->w0_data, REGFILE_LANES);
  }
#define HOLD(p, n)                                                   \
  if (d->before.w##n##_done)                                         \
    d->port[p].busy = false;                                         \
  if (!d->port[p].busy) {                                            \
    in->w##n##_valid = rng_chance(rng, often);                       \
    if (in->w##n##_valid) {                                          \
      in->w##n##_reg = reg(d, rng), in->w##n##_mask = rng_mask(rng); \
      rng_words(rng, in->w##n##_data, REGFILE_LANES);                \
      d->port[p] = (port){.busy = true, .reg = in->w##n##_reg};      \
    }                                                                \
  }
  HOLD(0, 1)
  HOLD(1, 2)
#undef HOLD
}

// Nobody loses two contests in a row.
static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const regfile_in *in = inputs;
  const regfile_out *out = outputs;
  const bool one = in->w1_valid && !d->before.w1_done, two = in->w2_valid && !d->before.w2_done;
  const bool contest = one && two && in->w1_reg % 4 == in->w2_reg % 4 &&
                       !(in->w0_valid && in->w0_reg % 4 == in->w1_reg % 4);
  if (contest && out->w1_done == out->w2_done)
    return snprintf(why, n, "two writes of a bank, or none"), false;
  for (unsigned p = 0; p < 2; p++) {
    if (p ? out->w2_done : out->w1_done)
      d->port[p].lost = 0;
    else if (contest && ++d->port[p].lost > 1)
      return snprintf(why, n, "port %u lost twice", p + 1), false;
  }
  return true;
}

static bool quiet(const void *inputs) {
  const regfile_in *in = inputs;
  return !(in->r0_en | in->r1_en | in->r2_en | in->r3_en | in->w0_valid | in->w1_valid |
           in->w2_valid);
}

const cosim_driver regfile_driver = {
    .block = "regfile",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
