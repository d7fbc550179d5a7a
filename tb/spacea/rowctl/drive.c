// SPDX-License-Identifier: Apache-2.0
// Random requests for rowctl, with the DRAM arrays behind it, which judge its commands. Memory is
// known as it is after each request of a bank; reads must return that, in the order of requests.
#include <inttypes.h>
#include <stdio.h>

#include "csim/spacea/rowctl.h"
#include "tb/cosim/cosim.h"

enum { ANY, STREAMS, COLUMNS, WRITES, REFRESH, SLOW, SPARSE, MODES };
static const char *const names[MODES] = {
    [ANY] = "any",         [STREAMS] = "streams",  [COLUMNS] = "columns", [WRITES] = "writes",
    [REFRESH] = "refresh", [SLOW] = "slow arrays", [SPARSE] = "sparse"};
// ROWS: that have been written, of 2^14 that the arrays of the tests have
// MOST: cycles of a time, when times are anywhere in their ranges
enum { BANKS = ROWCTL_BANKS, COLS = 8, ROWS = 4, WANTED = 128, LOW_ROW = (1 << 14) - 1 };
enum { MOST = 220 };

typedef struct wanted {
  uint32_t id, data[DRAM_WORDS];
} wanted;

typedef struct driver {
  unsigned mode;
  uint64_t cycle, random;
  dram *arrays;
  dram_timing timing;
  uint32_t times[BANKCTL_TIME_WORDS], interval;
  uint32_t high;  // the two bits of a row that the arrays do not have
  uint32_t rows[ROWS], data[BANKS][ROWS][COLS][DRAM_WORDS];
  uint32_t next_row[BANKS];  // of a stream
  uint32_t owed_ticks[BANKS];
  uint64_t next_tick[BANKS];
  wanted wanted[BANKS][WANTED];
  uint32_t first[BANKS], n[BANKS];
  bool offers;
  rowctl_out before;
  char error[256];
} driver;

static void report(void *ctx, const dram_violation *v) {
  driver *d = ctx;
  if (!*d->error)
    snprintf(d->error, sizeof d->error, "%s", v->text);
}

// ---- a life

static uint32_t any(driver *d, uint32_t n) {
  return (uint32_t)((splitmix(&d->random) >> 32) * n >> 32);
}

static dram_timing any_timing(driver *d) {
  dram_timing t = dram_timing_default;
  bankctl_times times;
  char why[128];
  if (d->mode != SLOW && any(d, 2))
    return t;
  const bool wide = any(d, 4) < (d->mode == SLOW ? 3 : 1);
  do {
#define TIMES(name, value) t.name = value * (1 + any(d, 3));
#define CYCLES(name, value) t.name = 1 + any(d, 3 * (value));
    DRAM_TIMING(TIMES, CYCLES)
#undef TIMES
#undef CYCLES
#define TIMES(name, value) t.name = 1000 * (1 + any(d, MOST));
#define CYCLES(name, value) t.name = 1 + any(d, 40);
    if (wide) {
      DRAM_TIMING(TIMES, CYCLES)
      t.tRFC = any(d, 4) ? t.tRFC : 4000 * (1 + any(d, 1000));
    }
#undef TIMES
#undef CYCLES
    t.tCK = 1000, t.pins = 1, t.tRC = t.tRAS + t.tRP;
    t.tWA = t.tRA = t.tCK;  // there are no subarrays
  } while (!bankctl_times_of(&t, &times, why, sizeof why) ||
           times.faw > 2 * (times.ras + times.rp));
  return t;
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  if (d->arrays)
    dram_destroy(d->arrays);
  *d = (driver){.mode = mode, .random = rng_next(rng)};
  d->timing = any_timing(d);
  bankctl_times times;
  char why[128];
  bankctl_times_of(&d->timing, &times, why, sizeof why);
  bankctl_times_put(&times, d->times);
  dram_config c = dram_config_default();
  c.geometry = (dram_geometry){BANKS, LOW_ROW + 1, COLS, 2};
  c.timing = d->timing, c.rows = 1, c.refresh = DRAM_REF_DUE, c.noise = true;
  c.report = report, c.ctx = d;
  d->arrays = dram_create(&c);
  d->interval =
      (times.rfc + times.rp + times.ras + times.wtp + 20) * (mode == REFRESH ? 2 : 4 + any(d, 8));
  d->high = any(d, 4) << 14;
  for (uint32_t k = 0; k < ROWS; k++)
    d->rows[k] = any(d, LOW_ROW + 1);
  for (uint32_t b = 0; b < BANKS; b++)
    d->next_tick[b] = 1 + any(d, d->interval), d->next_row[b] = any(d, ROWS);
}

// ---- requests

// What is taken at this edge. Rows that are the same one twice have the data of the first.
static void taken(driver *d, const rowctl_in *in) {
  const uint32_t b = in->req_bank;
  uint32_t k = 0;
  while (d->rows[k] != (in->req_row & LOW_ROW))
    k++;
  for (uint32_t c = in->req_col; c <= in->req_col + in->req_more; c++) {
    uint8_t *at = (uint8_t *)d->data[b][k][c];
    const uint8_t *from = (const uint8_t *)in->req_wdata;
    if (in->req_we) {
      for (uint32_t byte = 0; byte < DRAM_BYTES; byte++)
        if (in->req_wmask >> byte & 1)
          at[byte] = from[byte];
      continue;
    }
    wanted *w = &d->wanted[b][(d->first[b] + d->n[b]++) % WANTED];
    w->id = in->req_id;
    memcpy(w->data, at, sizeof w->data);
  }
}

static void offer(driver *d, cosim_rng *rng, rowctl_in *in) {
  const unsigned writes = d->mode == WRITES ? 200 : d->mode == STREAMS ? 10 : 80;
  const uint32_t b = in->req_bank = rng_bits(rng, 1);
  const bool stream = d->mode == STREAMS || rng_chance(rng, 60);
  in->req_row = d->high | d->rows[d->next_row[b]];
  in->req_we = rng_chance(rng, writes), in->req_id = rng_bits(rng, 4);
  in->req_col = stream ? 0 : rng_bits(rng, 3);
  in->req_more = in->req_we ? 0 : stream ? 7 : rng_below(rng, 8 - in->req_col);
  if (d->mode == COLUMNS)
    in->req_more = 0;
  rng_words(rng, in->req_wdata, DRAM_WORDS);
  in->req_wmask = rng_chance(rng, 128) ? UINT32_MAX : rng_mask(rng);
  if (stream || rng_chance(rng, 60))
    d->next_row[b] = (d->next_row[b] + 1) % ROWS;
}

static void drive_ticks(driver *d, cosim_rng *rng, rowctl_in *in) {
  in->ref_tick = 0;
  for (uint32_t b = 0; b < BANKS; b++) {
    if (d->cycle >= d->next_tick[b]) {
      // up to four at a time, as often as the arrays want them
      const uint32_t n = d->mode == REFRESH ? 1 + rng_below(rng, 4) : 1;
      d->owed_ticks[b] += n, d->next_tick[b] += (uint64_t)n * d->interval;
    }
    if (!d->owed_ticks[b] || rng_chance(rng, 60))
      continue;
    d->owed_ticks[b]--;
    in->ref_tick |= 1u << b;
  }
  if (in->ref_tick)
    dram_due(d->arrays, d->cycle, in->ref_tick);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  rowctl_in *in = inputs;
  const rowctl_out *o = &d->before;
  d->before = *(const rowctl_out *)outputs;
  memcpy(in->cfg_times, d->times, sizeof in->cfg_times);
  const dram_pins pins = {o->cmd,     o->cmd_bank, o->cmd_row & LOW_ROW,
                          o->cmd_col, o->wdata,    o->wmask};
  if (o->cmd && o->cmd != DRAM_REF && (o->cmd_row ^ d->high) > LOW_ROW)
    snprintf(d->error, sizeof d->error, "row %" PRIx32 " on the pins", o->cmd_row);
  dram_step(d->arrays, d->cycle, &pins, in->rdata);
  if (!d->offers) {
    in->req_valid = rng_chance(rng, d->mode == SPARSE ? 1 : 128);
    if (in->req_valid)
      offer(d, rng, in);
  }
  const bool takes = in->req_valid && o->req_ready >> in->req_bank & 1;
  d->offers = in->req_valid && !takes;
  if (takes)
    taken(d, in);
  drive_ticks(d, rng, in);
  d->cycle++;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const rowctl_out *out = outputs;
  (void)inputs;
  if (*d->error)
    return snprintf(why, n, "%s", d->error), false;
  if (!out->busy && (d->n[0] || d->n[1]) && !out->rsp_valid)
    return snprintf(why, n, "busy is low with data to come"), false;
  if (!out->rsp_valid)
    return true;
  const uint32_t b = out->rsp_bank;
  const wanted *w = &d->wanted[b][d->first[b] % WANTED];
  if (!d->n[b])
    return snprintf(why, n, "data that nobody wants"), false;
  if (out->rsp_id != w->id || memcmp(out->rsp_data, w->data, sizeof w->data))
    return snprintf(why, n, "other data, or of another request, than were wanted first"), false;
  d->first[b] = (d->first[b] + 1) % WANTED, d->n[b]--;
  return true;
}

static bool quiet(const void *inputs) {
  const rowctl_in *in = inputs;
  return !in->req_valid && !in->ref_tick;
}

const cosim_driver rowctl_driver = {
    .block = "rowctl",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .lives = 5000,  // times change at a reset only
};
