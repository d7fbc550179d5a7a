// SPDX-License-Identifier: Apache-2.0
// Random traffic for die_slice: four base dies, each with a model of its unit's registers and
// memories and of a quarter of shared memory, behind one bus. Every answer is compared with the
// models.
#include <stdio.h>
#include <string.h>

#include "tb/mpu/nbu/base.h"
#define BLOCK die_slice
#include "csim/base/block_declare.h"
#include "tb/cosim/cosim.h"

enum { NBUS = 4 };
static const char *const names[] = {"all", "shared", "streams", "one alone", "sparse", "slow bus"};
enum { MODES = sizeof names / sizeof *names };
static const base_mix mixes[MODES] = {
    {8, 8, 8, 2, 8, 3, 3, 8, 1, 40, 20, 16, 4, 0, 4},
    {2, 0, 0, 0, 64, 0, 0, 48, 0, 10, 0, 64, 1, 0, 4},
    {8, 32, 0, 0, 0, 1, 1, 1, 0, 0, 0, 64, 8, 0, 4},
    {8, 8, 4, 1, 16, 1, 1, 4, 8, 20, 20, 16, 2, 0, 4},
    {8, 8, 8, 2, 8, 3, 3, 8, 60, 40, 20, 16, 4, 0, 4},
    {8, 2, 8, 1, 8, 8, 2, 8, 1, 200, 160, 16, 4, 0, 4},
};
static base *now[NBUS];
static bool lone;
static unsigned turn, alone;
static unsigned places;  // of the bus

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)state;
  static const uint32_t rows[] = {1, 2, 4};
  uint32_t open = RNG_PICK(rng, rows);
  bool closed = rng_chance(rng, 64);
  places = structure_default.flits;
  lone = mode == 3, alone = rng_below(rng, NBUS);
  for (unsigned n = 0; n < NBUS; n++) {
    base_mix m = mixes[mode];
    m.part = (uint8_t)(n + 1);
    base_destroy(now[n]);
    now[n] = base_create(rng_next(rng), &m, open, closed);
    if (lone && n != alone)
      base_quiet(now[n]);
  }
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  (void)state;
  places = s->flits;
  for (unsigned n = 0; n < NBUS; n++)
    base_sizes(now[n], s);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  (void)state;
  const die_slice_out *out = outputs;
  die_slice_in *in = inputs;
  nbu_out pins[NBUS];
  nbu_in to[NBUS];
#define PINS(n)                                                         \
  pins[n].cmd = out->m##n##_cmd, pins[n].cmd_bank = out->m##n##_bank;   \
  pins[n].cmd_row = out->m##n##_row, pins[n].cmd_col = out->m##n##_col; \
  pins[n].wmask = out->m##n##_wmask;                                    \
  memcpy(pins[n].wdata, out->m##n##_wdata, sizeof pins[n].wdata);       \
  memcpy(to[n].rdata, in->m##n##_rdata, sizeof to[n].rdata);            \
  base_arrays(now[n], &pins[n], &to[n]);                                \
  memcpy(in->m##n##_rdata, to[n].rdata, sizeof to[n].rdata);
  PINS(0)
  PINS(1)
  PINS(2)
  PINS(3)
#undef PINS
  in->cfg_rows = to[0].cfg_rows, in->cfg_closed = to[0].cfg_closed;
  in->test_en = to[0].test_en;
  memcpy(in->cfg_times, to[0].cfg_times, sizeof in->cfg_times);

  // flits that were taken at the last edge
  for (unsigned place = 0; place < 2; place++)
    if (out->up_valid >> place & 1)
      base_up(now[out->up_sel >> 2 * place & 3], out->up_data + 2 * place);

  in->ref_tick = in->up_take = in->up_credit = in->dn_valid = in->dn_sel = 0;
  turn = (turn + 1) % NBUS;
  unsigned up = places, down = places;
  uint32_t flits[NBUS][4];
  unsigned count[NBUS];
  for (unsigned k = 0; k < NBUS; k++) {
    unsigned n = (turn + k) % NBUS;
    in->ref_tick |= to[n].ref_tick << 4 * n;
    uint32_t offer = out->up_count >> 2 * n & 3, take = base_take(now[n], offer < up ? offer : up);
    in->up_take |= take << 2 * n;
    up -= take;
    in->up_credit |= base_up_credit(now[n]) << 2 * n;
    count[n] = base_down(now[n], out->dn_credit >> 2 * n & 3, down, flits[n]);
    down -= count[n];
  }
  // places of the bus: one after the other, or the second only; those of a unit keep their order
  unsigned place = places == 2 && down == 1 && rng_chance(rng, 64), first = rng_below(rng, NBUS);
  for (unsigned k = 0; k < NBUS; k++) {
    unsigned n = (first + k) % NBUS;
    for (unsigned f = 0; f < count[n]; f++, place++) {
      in->dn_valid |= 1u << place;
      in->dn_sel |= n << 2 * place;
      memcpy(in->dn_data + 2 * place, flits[n] + 2 * f, 8);
    }
  }
}

static bool check(void *state, const void *in, const void *out, char *why, size_t n) {
  (void)state, (void)in, (void)out;
  for (unsigned k = 0; k < NBUS; k++)
    if (base_error(now[k])) {
      snprintf(why, n, "NBU %u: %s", k, base_error(now[k]));
      return false;
    }
  return true;
}

static bool quiet(const void *inputs) {
  const die_slice_in *in = inputs;
  return !in->dn_valid && !in->up_credit && !in->ref_tick;
}

const cosim_driver die_slice_driver = {
    .block = "die_slice",
    .state_bytes = 0,
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .cycles = 200000,  // a fifth of what a unit has by itself: each has the Verilog of four
};
