// SPDX-License-Identifier: Apache-2.0
// Random traffic for xcam: few lines of few sets, so that looks, fills and clears meet. The
// scoreboard has each set as a list, without ways.
#include <stdio.h>

#include "csim/spacea/xcam.h"
#include "tb/cosim/cosim.h"

static const char *const names[] = {"any",     "one set",     "one line",
                                    "crowded", "every cycle", "clears"};
enum { ANY, ONE_SET, ONE_LINE, CROWDED, EVERY, CLEARS, MODES };
enum { SETS = 32, WAYS = SPACEA_MAX_WAYS };  // that are used, at most

typedef struct line {
  uint32_t key, data[XCAM_WORDS];
} line;

typedef struct driver {
  unsigned mode;
  uint32_t sets, ways;
  uint32_t high;           // bits above those that change
  line lines[SETS][WAYS];  // of a set, the one that was used last at the end
  uint32_t n[SETS];
} driver;

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  memset(d, 0, sizeof *d);
  d->mode = mode;
  d->high = rng_chance(rng, 128) ? 0x3fffffff : rng_bits(rng, 30);
}

static void sizes(void *state, const void *table) {
  driver *d = state;
  const spacea_structure *s = table;
  d->sets = s->sets, d->ways = s->ways;
}

static uint32_t key(const driver *d, cosim_rng *rng) {
  const uint32_t used = d->sets < SETS ? d->sets : SETS;
  const uint32_t set = d->mode == ONE_SET    ? used - 1
                       : d->mode == ONE_LINE ? 1
                       : d->mode == CROWDED  ? rng_bits(rng, 1)
                                             : rng_below(rng, used);
  const uint32_t tag = d->mode == ONE_LINE  ? 0
                       : d->mode == CROWDED ? rng_below(rng, d->ways + 2)
                                            : rng_below(rng, 2 * d->ways);
  return (d->high / d->sets ^ (tag & 1) << 16 ^ tag >> 1) * d->sets + set;
}

static void drive(void *state, cosim_rng *rng, const void *out, void *inputs) {
  (void)out;
  const driver *d = state;
  xcam_in *in = inputs;
  in->look_valid = d->mode == EVERY || rng_chance(rng, 160);
  in->look_key = key(d, rng), in->look_who = rng_bits(rng, 8);
  in->fill_valid = d->mode == EVERY || rng_chance(rng, 90);
  in->fill_key = rng_chance(rng, 60) ? in->look_key : key(d, rng);
  in->clear = rng_chance(rng, d->mode == CLEARS ? 40 : 1);
  if (in->fill_valid)
    rng_words(rng, in->fill_data, XCAM_WORDS);
}

// Its place in the list of its set, or n of the set.
static uint32_t find(const driver *d, uint32_t wanted) {
  const uint32_t set = wanted % d->sets;
  uint32_t k = 0;
  while (k < d->n[set] && d->lines[set][k].key != wanted)
    k++;
  return k;
}

static line take(driver *d, uint32_t set, uint32_t k) {
  const line l = d->lines[set][k];
  memmove(&d->lines[set][k], &d->lines[set][k + 1], (--d->n[set] - k) * sizeof l);
  return l;
}

static bool check_look(driver *d, const xcam_in *in, const xcam_out *out, char *why, size_t n) {
  const uint32_t set = in->look_key % d->sets, k = find(d, in->look_key);
  const bool hit = k < d->n[set];
  if (out->ans_hit != hit)
    return snprintf(why, n, "a look has %s", hit ? "missed" : "hit"), false;
  if (out->ans_who != in->look_who)
    return snprintf(why, n, "ans_who is not look_who"), false;
  if (!hit)
    return true;
  if (memcmp(out->ans_data, d->lines[set][k].data, sizeof out->ans_data))
    return snprintf(why, n, "a hit returns other bytes than those that were filled"), false;
  const line l = take(d, set, k);
  d->lines[set][d->n[set]++] = l;
  return true;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const xcam_in *in = inputs;
  const xcam_out *out = outputs;
  if (out->ans_valid != in->look_valid)
    return snprintf(why, n, "ans_valid is not look_valid of the last edge"), false;
  if (in->look_valid && !check_look(d, in, out, why, n))
    return false;
  if (in->clear) {
    memset(d->n, 0, sizeof d->n);
  } else if (in->fill_valid) {
    const uint32_t set = in->fill_key % d->sets, k = find(d, in->fill_key);
    if (k < d->n[set])
      take(d, set, k);
    else if (d->n[set] == d->ways)
      take(d, set, 0);
    line *to = &d->lines[set][d->n[set]++];
    to->key = in->fill_key;
    memcpy(to->data, in->fill_data, sizeof to->data);
  }
  return true;
}

static bool quiet(const void *inputs) {
  const xcam_in *in = inputs;
  return !(in->look_valid | in->fill_valid | in->clear);
}

const cosim_driver xcam_driver = {
    .block = "xcam",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .table = &spacea_structure_table,
    .sizes = sizes,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .lives = 5000,
};
