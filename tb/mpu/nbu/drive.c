// SPDX-License-Identifier: Apache-2.0
// Random traffic for nbu: a base die with a model of registers and memories (base.h), the arrays
// and a shared memory. Every answer and every record is compared with the model.
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "tb/cosim/cosim.h"

static const char *const names[] = {"all",   "exec",     "lines",  "sectors",   "atomics", "shared",
                                    "moves", "base die", "sparse", "dependent", "memory"};
enum { MODES = sizeof names / sizeof *names };
static const base_mix mixes[MODES] = {
    {8, 8, 8, 2, 8, 3, 3, 8, 1, 40, 20, 16, 4, 0, 4},
    {64, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 128, 1, 0, 1},
    {4, 32, 0, 0, 0, 1, 1, 1, 0, 0, 0, 64, 8, 0, 2},
    {0, 2, 32, 1, 0, 4, 4, 2, 0, 100, 0, 16, 2, 0, 2},
    {0, 0, 1, 16, 1, 2, 1, 2, 1, 0, 0, 16, 1, 0, 2},
    {2, 0, 0, 0, 32, 0, 0, 16, 0, 0, 0, 128, 1, 0, 4},
    {2, 0, 0, 0, 0, 0, 0, 32, 2, 160, 60, 32, 1, 0, 4},
    {0, 0, 1, 1, 0, 16, 16, 0, 1, 128, 60, 8, 16, 0, 16},
    {8, 8, 8, 2, 8, 3, 3, 8, 60, 40, 20, 16, 4, 0, 8},  // pauses in which the unit comes to rest
    {24, 4, 2, 1, 4, 0, 0, 6, 0, 0, 0, 8, 1, 0, 1},     // each on results of the last ones
    {1, 8, 8, 4, 0, 8, 8, 1, 0, 20, 0, 16, 1, 0, 8},    // few lines
};
static base *now;  // of the mode that runs

static void start(void *state, cosim_rng *rng, unsigned mode) {
  (void)state;
  static const uint32_t rows[] = {1, 2, 4};
  base_destroy(now);
  now = base_create(rng_next(rng), &mixes[mode], RNG_PICK(rng, rows), rng_chance(rng, 64));
  dram_timing t = dram_timing_default;
  if (rng_chance(rng, 64))  // of a slow DDR4
    t.tRCD = 16000, t.tRP = 16000, t.tRAS = 39000, t.tRC = 55000, t.tRFC = 420000,
    t.tREFI = 9360000;
  else if (rng_chance(rng, 64))
    t.CL = 14, t.CWL = 11, t.burst = 4, t.tRCD = 50000, t.tRP = 31000;
  if (now && !base_times(now, &t))
    abort();
}

static void sizes(void *state, const void *table) {
  const structure *s = table;
  (void)state;
  base_sizes(now, s);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *in) {
  (void)state, (void)rng;
  base_drive(now, out, in);
}

static bool check(void *state, const void *in, const void *out, char *why, size_t n) {
  (void)state, (void)in, (void)out;
  if (!base_error(now))
    return true;
  snprintf(why, n, "%s", base_error(now));
  return false;
}

static bool quiet(const void *inputs) {
  const nbu_in *in = inputs;
  return !in->dn_count && !in->up_credit && !in->ref_tick;
}

const cosim_driver nbu_driver = {
    .block = "nbu",
    .state_bytes = 0,
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
