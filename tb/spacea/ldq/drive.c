// SPDX-License-Identifier: Apache-2.0
// Random traffic for ldq: keys that meet, and more of them than there are entries. The scoreboard
// is a list of keys.
#include <stdio.h>

#include "csim/spacea/ldq.h"
#include "tb/cosim/cosim.h"

static const char *const names[] = {"any",     "few keys",    "full",
                                    "filling", "every cycle", "other keys"};
enum { ANY, FEW, FULL, FILLING, EVERY, OTHER, MODES };

typedef struct entry {
  uint32_t key, who, layers;
} entry;

typedef struct driver {
  unsigned mode;
  bool filling;
  uint32_t high, entries, n;
  entry list[SPACEA_MAX_ENTRIES];
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  d->mode = mode, d->filling = true, d->n = 0;
  d->high = rng_chance(rng, 128) ? 0x3fffffff : rng_bits(rng, 30);
}

static void sizes(void *state, const void *table) {
  ((driver *)state)->entries = ((const spacea_structure *)table)->entries;
}

static uint32_t any_key(const driver *d, cosim_rng *rng) {
  if (d->mode == OTHER)
    return rng_bits(rng, 30);
  return d->high ^ rng_below(rng, d->mode == FEW ? 4 : d->entries + d->entries / 4 + 2);
}

static uint32_t known_key(const driver *d, cosim_rng *rng) {
  return d->n && rng_chance(rng, 240) ? d->list[rng_below(rng, d->n)].key : any_key(d, rng);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  driver *d = state;
  ldq_in *in = inputs;
  if (d->n == d->entries && rng_chance(rng, d->mode == FULL ? 4 : 64))
    d->filling = false;
  if (d->n == 0)
    d->filling = true;
  const unsigned leaves = d->mode == FULL      ? 60
                          : d->mode == FILLING ? (d->filling ? 20 : 200)
                                               : (d->filling ? 100 : 140);
  in->ask_valid = d->mode == EVERY || d->mode == FULL || rng_chance(rng, 150);
  in->ask_key = rng_chance(rng, 60) ? known_key(d, rng) : any_key(d, rng);
  in->ask_who = rng_bits(rng, 11), in->ask_layer = rng_bits(rng, 3);
  in->ask_enter = rng_chance(rng, 230);
  in->leave_valid = d->mode == EVERY ? rng_chance(rng, 128) : rng_chance(rng, leaves);
  in->leave_key = rng_chance(rng, 30) ? in->ask_key : known_key(d, rng);
}

static uint32_t find(const driver *d, uint32_t key) {
  uint32_t k = 0;
  while (k < d->n && d->list[k].key != key)
    k++;
  return k;
}

static bool check_leave(driver *d, const ldq_in *in, const ldq_out *out, char *why, size_t n) {
  const uint32_t k = find(d, in->leave_key);
  if (out->left_there != (k < d->n))
    return snprintf(why, n, "left_there is %u", out->left_there), false;
  if (k == d->n)
    return true;
  const entry e = d->list[k];
  d->list[k] = d->list[--d->n];
  if (out->left_who == e.who && out->left_layers == e.layers)
    return true;
  return snprintf(why, n, "who %x and layers %x have left, not %x and %x", out->left_who,
                  out->left_layers, e.who, e.layers),
         false;
}

static bool check_ask(driver *d, const ldq_in *in, const ldq_out *out, char *why, size_t n) {
  const uint32_t k = find(d, in->ask_key);
  uint32_t state = LDQ_FULL;
  if (k < d->n) {
    state = LDQ_THERE;
    d->list[k].layers |= 1u << in->ask_layer;
  } else if (in->ask_enter && d->n < d->entries) {
    state = LDQ_ENTERED;
    d->list[d->n++] = (entry){in->ask_key, in->ask_who, 1u << in->ask_layer};
  }
  if (out->ans_state == state && out->ans_who == in->ask_who)
    return true;
  return snprintf(why, n, "ans_state is %u, not %u", out->ans_state, state), false;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const ldq_in *in = inputs;
  const ldq_out *out = outputs;
  if (out->left_valid != in->leave_valid || out->ans_valid != in->ask_valid)
    return snprintf(why, n, "an answer without a question, or none"), false;
  if (in->leave_valid && !check_leave(d, in, out, why, n))
    return false;
  if (in->ask_valid && !check_ask(d, in, out, why, n))
    return false;
  if (out->busy == (d->n != 0))
    return true;
  return snprintf(why, n, "busy is %u with %u keys", out->busy, d->n), false;
}

static bool quiet(const void *inputs) {
  const ldq_in *in = inputs;
  return !(in->ask_valid | in->leave_valid);
}

const cosim_driver ldq_driver = {
    .block = "ldq",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .table = &spacea_structure_table,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .cycles = 300000,
    .lives = 20000,
};
