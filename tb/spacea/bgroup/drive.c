// SPDX-License-Identifier: Apache-2.0
// A base die and DRAM arrays around bgroup: matrices in the banks, lines that come late and in any
// order, packets up that wait. Values are small integers, so sums are exact in any order.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "csim/spacea/bgroup.h"
#include "csim/spacea/packet.h"
#include "tb/cosim/cosim.h"

enum { ANY, NEAR, FAR, UP_SLOW, SHORT, MANY_LINES, ONE_PE, MODES };
static const char *const names[MODES] = {
    [ANY] = "any",
    [NEAR] = "lines come at once",
    [FAR] = "lines come late",
    [UP_SLOW] = "packets wait",
    [SHORT] = "short rows",
    [MANY_LINES] = "more lines than places",
    [ONE_PE] = "one PE",
};
enum {
  BANKS = 2,
  BANK_ROWS = 1 << 14,
  STREAM = 64,   // rows of a stream, at most
  LINES = 1024,  // of X
  SUMS = 2 * STREAM,
  PATIENCE = 30000,  // cycles: all rows may be of one sum
};

typedef struct driver {
  unsigned mode;
  uint64_t cycle, moved;  // moved: when a packet was last sent or taken, or a run began
  dram *arrays;
  uint32_t times[BANKCTL_TIME_WORDS];
  bool min, runs;
  uint32_t turn, salt, high, lines;  // high: of keys
  uint32_t first[BANKS];
  struct {
    uint32_t row;
    double sum;
    bool wanted;
  } sums[SUMS];
  uint32_t n, left;
  bool under_way[LINES];
  uint32_t due[LINES], n_due;  // lines that were asked for, in any order
  bool holds, offers;
  uint64_t next_tick;
  bgroup_out before;
  char error[256];
} driver;

static void report(void *ctx, const dram_violation *v) {
  driver *d = ctx;
  if (!*d->error)
    snprintf(d->error, sizeof d->error, "%s", v->text);
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  static const uint8_t turns[] = {1, 2, 6, 6, 8, 13};
  driver *d = state;
  if (d->arrays)
    dram_destroy(d->arrays);
  *d = (driver){.mode = mode, .min = rng_chance(rng, 60), .turn = RNG_PICK(rng, turns)};
  const bankctl_times times = bankctl_times_default();
  bankctl_times_put(&times, d->times);
  dram_config c = dram_config_default();
  c.geometry = (dram_geometry){BANKS, BANK_ROWS, 8, 2};
  c.rows = 1, c.refresh = DRAM_REF_DUE, c.noise = true, c.report = report, c.ctx = d;
  d->arrays = dram_create(&c);
  d->high = rng_bits(rng, 30) & ~(LINES - 1u);
  d->next_tick = 1 + rng_below(rng, 3900);
}

// ---- the matrix

// Another X in each run.
static double x_of(const driver *d, uint32_t column) {
  return (double)((column + d->salt) * 0x9e3779b1u >> 22) - 500;
}

static uint32_t any_column(const driver *d, cosim_rng *rng) {
  return (d->high + rng_below(rng, d->lines)) * 4 + rng_bits(rng, 2);
}

static void add(driver *d, uint32_t row, double sum, bool same) {
  if (same) {
    double *s = &d->sums[d->n - 1].sum;
    *s = d->min ? fmin(*s, sum) : *s + sum;
    return;
  }
  d->sums[d->n].row = row, d->sums[d->n].sum = sum, d->sums[d->n].wanted = true;
  d->n++, d->left++;
}

static void write_row(driver *d, cosim_rng *rng, uint32_t bank, uint32_t at, uint32_t row,
                      bool same) {
  uint32_t w[64];
  double sum = d->min ? INFINITY : 0;
  const uint32_t length = d->mode == SHORT ? rng_below(rng, 4) : rng_chance(rng, 90) ? 7 : 21;
  w[0] = row;
  for (uint32_t k = 0; k < 21; k++) {
    const double a = (double)rng_below(rng, 2001) - 1000;
    const uint32_t column = any_column(d, rng);
    w[1 + 3 * k] = k < length ? column : UINT32_MAX;
    memcpy(&w[2 + 3 * k], &a, sizeof a);
    if (k < length)
      sum = d->min ? fmin(sum, a + x_of(d, column)) : sum + a * x_of(d, column);
  }
  for (uint32_t c = 0; c < 8; c++)
    memcpy(dram_access(d->arrays, bank, at, c), &w[8 * c], DRAM_BYTES);
  if (row != UINT32_MAX)
    add(d, row, sum, same);
}

static void make_run(driver *d, cosim_rng *rng) {
  d->n = d->left = 0, d->salt = rng_u32(rng);
  d->lines = d->mode == MANY_LINES ? LINES : 1 + rng_below(rng, rng_chance(rng, 128) ? 8 : 200);
  for (uint32_t bank = 0; bank < BANKS; bank++) {
    const uint32_t rows = rng_below(rng, STREAM);
    uint32_t row = bank << 31 | (rng_bits(rng, 31) & ~127u);
    d->first[bank] = rng_below(rng, BANK_ROWS - STREAM);
    for (uint32_t k = 0; k < rows; k++) {
      const bool same = k && rng_chance(rng, 80);
      row += !same;
      write_row(d, rng, bank, d->first[bank] + k, row, same);
    }
    write_row(d, rng, bank, d->first[bank] + rows, UINT32_MAX, false);
    if (d->mode == ONE_PE && bank == 0)
      d->n = d->left = 0;
  }
}

// ---- packets down

static void put_head(uint32_t *to, uint64_t head, cosim_rng *rng) {
  head |= (rng_next(rng) & 0xff0);  // bits that do not matter
  to[0] = (uint32_t)head, to[1] = (uint32_t)(head >> 32);
}

static void send_line(driver *d, cosim_rng *rng, bgroup_in *in) {
  const uint32_t at = rng_below(rng, d->n_due), line = d->due[at];
  d->due[at] = d->due[--d->n_due];
  put_head(in->rx_head,
           SPACEA_LINE | spacea_put(SPACEA_LEN, 4) | spacea_put(SPACEA_KEY, d->high + line), rng);
  for (uint32_t w = 0; w < 4; w++) {
    const double x = x_of(d, (d->high + line) * 4 + w);
    memcpy(&in->rx_body[2 * w], &x, sizeof x);
  }
  d->under_way[line] = false;
}

static void drive_down(driver *d, cosim_rng *rng, bgroup_in *in) {
  if (d->offers)
    return;
  in->rx_valid = 0;
  const bool released = d->before.rx_release;
  if (d->holds && !released)
    return;
  if (d->holds) {  // the body may change from the next cycle on
    d->holds = false;
    return;
  }
  const unsigned often = d->mode == NEAR ? 256 : d->mode == FAR ? 3 : 40;
  if (d->n_due && rng_chance(rng, often)) {
    send_line(d, rng, in);
    in->rx_valid = 1;
  } else if (!d->runs && rng_chance(rng, 4)) {
    make_run(d, rng);
    put_head(in->rx_head,
             SPACEA_START | spacea_put(SPACEA_FIRST0, d->first[0]) |
                 spacea_put(SPACEA_FIRST1, d->first[1]) |
                 spacea_put(SPACEA_BEGIN, d->mode == ONE_PE ? 2 : 3),
             rng);
    in->rx_valid = 1, d->runs = true;
  }
}

static void drive_refresh(driver *d, bgroup_in *in) {
  in->ref_tick = 0;
  if (d->cycle < d->next_tick)
    return;
  in->ref_tick = 3, d->next_tick += 3900;
  dram_due(d->arrays, d->cycle, 3);
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  static const uint32_t nothing[DRAM_WORDS];
  driver *d = state;
  bgroup_in *in = inputs;
  const bgroup_out *o = &d->before;
  d->before = *(const bgroup_out *)outputs;
  in->cfg_turn = d->turn, in->cfg_min = d->min;
  memcpy(in->cfg_times, d->times, sizeof in->cfg_times);
  const dram_pins pins = {o->cmd, o->cmd_bank, o->cmd_row, o->cmd_col, nothing, 0};
  dram_step(d->arrays, d->cycle, &pins, in->rdata);
  drive_down(d, rng, in);
  const bool taken = in->rx_valid && o->rx_ready;
  d->offers = in->rx_valid && !taken;
  if (taken)
    d->holds = (in->rx_head[0] & 15) == SPACEA_LINE;
  in->tx_ready = rng_chance(rng, d->mode == UP_SLOW ? 10 : 200);
  drive_refresh(d, in);
  d->cycle++;
}

// ---- packets up

static bool check_want(driver *d, uint64_t head, char *why, size_t n) {
  const uint32_t line = (uint32_t)spacea_get(head, SPACEA_KEY) - d->high;
  if (line >= d->lines || d->under_way[line])
    return snprintf(why, n, "line %" PRIx32 " is wanted, which is under way or nowhere", line),
           false;
  d->under_way[line] = true;
  d->due[d->n_due++] = line;
  return true;
}

static bool check_sum(driver *d, uint64_t head, const uint32_t *body, char *why, size_t n) {
  const uint32_t row = (uint32_t)spacea_get(head, SPACEA_ROW);
  double sum;
  memcpy(&sum, body, sizeof sum);
  for (uint32_t k = 0; k < d->n; k++) {
    if (!d->sums[k].wanted || d->sums[k].row != row)
      continue;
    d->sums[k].wanted = false, d->left--;
    if (sum == d->sums[k].sum)
      return true;
    return snprintf(why, n, "row %" PRIu32 " is %g, not %g", row, sum, d->sums[k].sum), false;
  }
  return snprintf(why, n, "a sum of row %" PRIu32 ", which is not wanted", row), false;
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const bgroup_in *in = inputs;
  const bgroup_out *o = &d->before;
  (void)outputs;
  if (*d->error)
    return snprintf(why, n, "%s", d->error), false;
  if (!d->runs || (o->tx_valid && in->tx_ready) || in->rx_valid)
    d->moved = d->cycle;
  if (d->cycle - d->moved > PATIENCE)
    return snprintf(why, n, "no packet for %d cycles, with %" PRIu32 " sums to come", PATIENCE,
                    d->left),
           false;
  if (!o->tx_valid || !in->tx_ready)
    return true;
  const uint64_t head = spacea_flit(o->tx_head);
  switch (spacea_get(head, SPACEA_KIND)) {
    case SPACEA_WANT:
      return check_want(d, head, why, n);
    case SPACEA_SUM:
      return check_sum(d, head, o->tx_body, why, n);
    default:
      d->runs = false;
      if (!d->left && !d->n_due)
        return true;
      return snprintf(why, n, "done, with %" PRIu32 " sums to come", d->left), false;
  }
}

static bool quiet(const void *inputs) {
  const bgroup_in *in = inputs;
  return !in->rx_valid && !in->ref_tick;
}

const cosim_driver bgroup_driver = {
    .block = "bgroup",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .table = &spacea_structure_table,
    .drive = drive,
    .check = check,
    .quiet = quiet,
    .lives = 60000,
};
