// SPDX-License-Identifier: Apache-2.0
// Random commands for rowbuf, and the arrays beside it: after each edge it has open and selected
// what they have.
#include <stdio.h>

#include "csim/dram/dram.h"
#include "csim/dram/rowbuf.h"
#include "tb/cosim/cosim.h"

enum { BUFFERS = 4 };

typedef struct driver {
  dram *arrays;
  dram_geometry geometry;
  uint64_t cycle;
  unsigned mode;
} driver;

enum { ANY, FEW_ROWS, ACCESSES, MODES };
static const char *const names[MODES] = {
    [ANY] = "any", [FEW_ROWS] = "few rows", [ACCESSES] = "accesses"};

// Commands come faster than the arrays' times allow: what is open is all that counts.
static void early(void *ctx, const dram_violation *violation) {
  (void)ctx, (void)violation;
}

static void renew(driver *d) {
  if (d->arrays)
    dram_destroy(d->arrays);
  dram_config config = dram_config_default();
  config.geometry = d->geometry;
  config.refresh = DRAM_REF_OFF;
  config.report = early;
  d->arrays = dram_create(&config);
  d->cycle = 0;
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)rng;
  driver *d = state;
  d->mode = mode;
  if (!d->geometry.rows)
    d->geometry = dram_geometry_default;
  renew(d);
}

static void sizes(void *state, const void *table) {
  const structure *sizes = table;
  driver *d = state;
  d->geometry.rows = sizes->rows, d->geometry.subarrays = sizes->subarrays;
  renew(d);
}

static const void *of_sizes(const structure *sizes) {
  static rowbuf_sizes of;
  of = (rowbuf_sizes){.rows = sizes->rows, .subarrays = sizes->subarrays};
  return &of;
}

static void drive(void *state, cosim_rng *rng, const void *out, void *in) {
  (void)out;
  driver *d = state;
  rowbuf_in *to = in;
  const uint32_t n = d->geometry.subarrays;
  to->cmd = DRAM_NONE;
  if (!d->arrays || rng_chance(rng, 64))
    return;
  uint32_t rows[BUFFERS], selected;
  to->cmd_bank = rng_below(rng, d->geometry.banks);
  to->cmd_row = rng_below(rng, d->geometry.rows);
  if (d->mode == FEW_ROWS)
    to->cmd_row &= 3 * n + 3;
  const uint32_t open = dram_open_rows(d->arrays, to->cmd_bank, rows, &selected);
  uint32_t free = 1;  // the subarray of the row is closed
  for (uint32_t k = 0; k < open; k++)
    free &= rows[k] % n != to->cmd_row % n;
  const uint32_t one = open ? rows[rng_below(rng, open)] % n : 0;
  const uint32_t dice = rng_below(rng, d->mode == ACCESSES ? 16 : 8);
  if (dice < 3 && free && open < BUFFERS) {
    to->cmd = DRAM_ACT;
  } else if (dice == 3 && open) {
    to->cmd = DRAM_PRE, to->cmd_row = one;
  } else if (dice < 6 && open) {
    to->cmd = DRAM_SASEL, to->cmd_row = one;
  } else if (dice == 6 && rng_chance(rng, 32)) {
    to->cmd = DRAM_PREA;
  } else if (dice == 7 && !open) {
    to->cmd = DRAM_REF;
  } else if (selected) {
    to->cmd = rng_chance(rng, 128) ? DRAM_RD : DRAM_WR, to->cmd_row = rows[selected - 1] % n;
  }
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const rowbuf_in *in = inputs;
  const rowbuf_out *out = outputs;
  static const uint32_t data[DRAM_WORDS];
  uint32_t read[DRAM_WORDS];
  if (!d->arrays) {
    snprintf(why, n, "out of memory");
    return false;
  }
  const dram_pins pins = {in->cmd, in->cmd_bank, in->cmd_row, 0, data, 0};
  dram_step(d->arrays, d->cycle++, &pins, read);
  const uint32_t subarrays = d->geometry.subarrays;
  const uint32_t bits = (uint32_t)__builtin_ctz(d->geometry.rows / subarrays);
  uint32_t want_open[4] = {0}, want_select[4] = {0};
  for (uint32_t b = 0; b < d->geometry.banks; b++) {
    uint32_t rows[BUFFERS], selected;
    const uint32_t open = dram_open_rows(d->arrays, b, rows, &selected);
    for (uint32_t k = 0; k < open; k++) {
      const uint32_t s = b * subarrays + rows[k] % subarrays;
      want_open[s / 32] |= 1u << s % 32;
      if (k + 1 == selected)
        want_select[s / 32] |= 1u << s % 32;
      for (uint32_t i = 0; i < bits; i++)
        if ((out->row[(s * bits + i) / 32] >> (s * bits + i) % 32 & 1) !=
            (rows[k] / subarrays >> i & 1)) {
          snprintf(why, n, "bank %u: the arrays have row %u open, its latch another one", b,
                   rows[k]);
          return false;
        }
    }
  }
  if (!memcmp(want_open, out->open, sizeof want_open) &&
      !memcmp(want_select, out->select, sizeof want_select))
    return true;
  snprintf(why, n, "the arrays have other subarrays open, or another one selected");
  return false;
}

static bool quiet(const void *in) {
  return ((const rowbuf_in *)in)->cmd == DRAM_NONE;
}

const cosim_driver rowbuf_driver = {
    .block = "rowbuf",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .sizes = sizes,
    .of_sizes = of_sizes,
    .check = check,
    .quiet = quiet,
};
