// SPDX-License-Identifier: Apache-2.0
// Random streams for spe, with all around it: a bank that has rows, lines that come and go, and a
// load queue. The scoreboard adds the sums up as it makes the rows, so they have to be the same in
// any order: values are integers, small ones of the matrix and large ones of X or the other way
// round; or they have all bits, with minima or at most one element of a row that is not 0.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "csim/spacea/spe.h"
#include "tb/cosim/cosim.h"

enum { ANY, HITS, COLD, FULL, PADDING, LONG, SLOW_ROWS, SLOW_Y, FEW_TURNS, TWO_LINES, MODES };
static const char *const names[MODES] = {
    [ANY] = "any",
    [HITS] = "every line is there",
    [COLD] = "hardly a line stays",
    [FULL] = "the queue is full",
    [PADDING] = "short rows",
    [LONG] = "long rows",
    [SLOW_ROWS] = "slow bank",
    [SLOW_Y] = "sums wait",
    [FEW_TURNS] = "few turns",
    [TWO_LINES] = "two lines",
};
enum {
  LINES = 24,
  WANTED = 64,  // sums that are expected
  FAR = 8,      // cycles
  LEAVES = 3,   // from the fill of a line to its leave
};

typedef struct line {
  bool there, under_way;
  uint32_t who;    // asked first
  uint32_t left;   // cycles until it comes
  uint32_t stays;  // cycles since it came
} line;

typedef struct driver {
  unsigned mode;
  uint32_t life;
  bool min;
  bool bits;      // values have all bits
  uint32_t high;  // of all keys
  // the bank
  uint32_t rows[2][64], n_rows, beat;
  uint32_t stream, row;  // rows of the stream to go; its last row of the matrix
  bool over;
  line lines[LINES];
  uint32_t leaving, leave_in;  // line, cycles until it leaves; 0: none
  // of the last edge: a look has hit, a line has left, an ask has an answer
  bool hit, put, answers;
  uint32_t hit_line, put_line, put_who, answer;
  struct {
    uint32_t row;
    double sum;
  } wanted[WANTED];
  uint32_t first, n;
  bool add;  // to the last one that is wanted
  spe_out before;
} driver;

static const uint8_t turns[] = {1, 6, 2, 4, 1, 8, 13, 31, 3, 7};

static void straps(void *state, void *inputs) {
  const driver *d = state;
  spe_in *in = inputs;
  in->cfg_turn = turns[d->life % (sizeof turns)];
  in->cfg_min = d->life / 2 & 1;
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  const uint32_t life = d->life;
  *d = (driver){.mode = mode, .life = life + 1, .min = life / 2 & 1, .bits = !(life & 1)};
  for (uint32_t k = 0; mode == HITS && k < LINES; k++)
    d->lines[k].there = true;
  d->high = rng_chance(rng, 40) ? 0x3fffffe0 : rng_bits(rng, 30) & ~31u;
}

static void put_number(uint32_t *to, double x) {
  memcpy(to, &x, sizeof x);
}

// A number with this sign and fraction, and an exponent near that of 1.
static double number_of(uint64_t bits) {
  double x;
  bits = (bits & 0x801fffffffffffff) + (1008ull << 52) + ((bits >> 53 & 30) << 52);
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Sums of products of a large one and a small one are exact.
static double integer_of(uint64_t bits, bool large) {
  return large ? (double)(bits >> 24) - 0x1p39 : (double)(bits >> 61) - 4;
}

static bool large_x(const driver *d) {
  return d->life / 4 & 1;
}

static double x_of(const driver *d, uint32_t column) {
  const uint64_t bits = (column + 1) * 0x9e3779b97f4a7c15u, mixed = bits ^ bits >> 29;
  return d->bits ? number_of(mixed) : integer_of(mixed, large_x(d));
}

static double any_value(const driver *d, cosim_rng *rng, bool may) {
  uint32_t words[2];
  rng_words(rng, words, 2);
  const uint64_t bits = (uint64_t)words[0] << 32 | words[1];
  if (!d->bits)
    return integer_of(bits, !large_x(d));
  return may ? number_of(bits) : 0;
}

// ---- the bank

static void expect(driver *d, uint32_t row, double sum) {
  const uint32_t last = (d->first + d->n - 1) % WANTED;
  if (d->add && d->wanted[last].row == row) {
    double *s = &d->wanted[last].sum;
    *s = d->min ? fmin(*s, sum) : *s + sum;
    return;
  }
  const uint32_t at = (d->first + d->n++) % WANTED;
  d->wanted[at].row = row, d->wanted[at].sum = sum;
  d->add = true;
}

static uint32_t any_column(const driver *d, cosim_rng *rng) {
  return (d->high + rng_below(rng, d->mode == TWO_LINES ? 2 : LINES)) * 4 + rng_bits(rng, 2);
}

static void make_row(driver *d, cosim_rng *rng) {
  uint32_t *w = d->rows[d->n_rows++];
  if (d->over) {  // behind the end: anything
    rng_words(rng, w, 64);
    return;
  }
  const bool same = rng_chance(rng, d->mode == LONG ? 240 : 100);
  const uint32_t last = d->row, one = same ? UINT32_MAX : rng_below(rng, 21);
  // with all bits, another row is never the one before: their sums would be added up
  do
    d->row = same ? last : rng_chance(rng, 20) ? 0xfffffffe : rng_bits(rng, 5);
  while (!same && d->bits && d->row == last);
  w[0] = d->row;
  double sum = d->min ? INFINITY : 0;
  const uint32_t length = d->mode == PADDING || rng_chance(rng, 60) ? rng_below(rng, 6) : 21;
  const bool holes = rng_chance(rng, 30);
  for (uint32_t k = 0; k < 21; k++) {
    const uint32_t column = any_column(d, rng);
    const double a = any_value(d, rng, d->min || k == one);
    const bool pad = k >= length || (holes && rng_chance(rng, 60));
    w[1 + 3 * k] = pad ? UINT32_MAX : column;
    put_number(&w[2 + 3 * k], a);
    if (pad)
      continue;
    sum = d->min ? fmin(sum, a + x_of(d, column)) : sum + a * x_of(d, column);
  }
  d->over = !d->stream--;
  if (d->over)
    w[0] = UINT32_MAX;
  else
    expect(d, w[0], sum);
}

static void drive_rows(driver *d, cosim_rng *rng, spe_in *in) {
  const unsigned often = d->mode == SLOW_ROWS ? 8 : 150;
  in->beat_valid = d->n_rows && rng_chance(rng, often);
  if (in->beat_valid) {
    memcpy(in->beat_data, &d->rows[0][8 * d->beat], sizeof in->beat_data);
    d->beat = (d->beat + 1) % 8;
    if (!d->beat)
      memcpy(d->rows[0], d->rows[1], sizeof d->rows[0]), d->n_rows--;
  }
  const bool room = d->n_rows < 2 && d->n < WANTED - 2;
  in->row_ready = (room || !d->before.row_valid) && rng_chance(rng, often);
  if (in->row_ready && d->before.row_valid)
    make_row(d, rng);
}

// ---- lines: what an edge does is done here in the cycle that it ends

static uint32_t line_of(const driver *d, uint32_t key) {
  return key - d->high;
}

static double x_of_line(const driver *d, uint32_t line, uint32_t word) {
  return x_of(d, (d->high + line) * 4 + word);
}

// A look finds what was there before the edge.
static void look(driver *d, spe_in *in) {
  in->line_hit = d->hit;
  for (uint32_t w = 0; d->hit && w < 4; w++)
    put_number(&in->line_data[2 * w], x_of_line(d, d->hit_line, w));
  d->hit_line = line_of(d, d->before.look_key);
  d->hit = d->before.look_valid && d->lines[d->hit_line].there;
}

static void leave(driver *d, spe_in *in) {
  in->put_valid = d->put;
  if (d->put) {
    in->put_slot = d->put_who >> 2;
    put_number(in->put_value, x_of_line(d, d->put_line, d->put_who & 3));
  }
  d->put = d->leave_in && !--d->leave_in;
  if (!d->put)
    return;
  d->put_line = d->leaving, d->put_who = d->lines[d->leaving].who;
  d->lines[d->leaving].under_way = false;
}

// After leave: an ask finds a line gone that leaves at its edge.
static void ask(driver *d, cosim_rng *rng, spe_in *in) {
  in->ask_state = d->answers ? d->answer : rng_below(rng, 3);
  d->answers = d->before.ask_valid;
  if (!d->answers)
    return;
  line *l = &d->lines[line_of(d, d->before.ask_key)];
  d->answer = l->under_way ? 0 : rng_chance(rng, d->mode == FULL ? 230 : 20) ? 2 : 1;
  if (d->answer != 1)
    return;
  l->under_way = true, l->who = d->before.ask_who;
  l->left = FAR + rng_below(rng, rng_chance(rng, 40) ? 500 : 40);
}

// One line at a time, and a new one stays a while.
static void fill_and_evict(driver *d, cosim_rng *rng) {
  for (uint32_t k = 0; k < LINES; k++) {
    line *l = &d->lines[k];
    if (l->left)
      l->left--;
    if (l->there && ++l->stays > LEAVES + 2 && rng_chance(rng, d->mode == COLD ? 60 : 1))
      l->there = d->mode == HITS;
    if (d->leave_in || !l->under_way || l->left || !rng_chance(rng, 200))
      continue;
    l->there = true, l->stays = 0;
    d->leaving = k, d->leave_in = LEAVES;
  }
}

static void drive(void *state, cosim_rng *rng, const void *outputs, void *inputs) {
  driver *d = state;
  spe_in *in = inputs;
  d->before = *(const spe_out *)outputs;
  in->start_valid = !d->before.busy && rng_chance(rng, 30);
  if (in->start_valid) {
    in->start_row = rng_chance(rng, 128) ? 0xffff : rng_bits(rng, 16);
    d->stream = rng_below(rng, rng_chance(rng, 40) ? 3 : 60);
    d->over = d->add = false;
  }
  look(d, in);
  leave(d, in);
  ask(d, rng, in);
  fill_and_evict(d, rng);
  drive_rows(d, rng, in);
  in->turn_ready = rng_chance(rng, d->mode == FEW_TURNS ? 20 : 220);
  in->y_ready = rng_chance(rng, d->mode == SLOW_Y ? 3 : 128);
}

static bool check(void *state, const void *inputs, const void *outputs, char *why, size_t n) {
  driver *d = state;
  const spe_in *in = inputs;
  const spe_out *out = outputs;
  if (d->before.y_valid && in->y_ready)
    d->first = (d->first + 1) % WANTED, d->n--;
  if (d->before.busy && !out->busy && d->n)
    return snprintf(why, n, "busy has fallen with %" PRIu32 " sums to come", d->n), false;
  if (!out->y_valid)
    return true;
  double y;
  memcpy(&y, out->y_value, sizeof y);
  if (d->n && out->y_row == d->wanted[d->first].row && y == d->wanted[d->first].sum)
    return true;
  return snprintf(why, n, "row %" PRIx32 " is %g, not row %" PRIx32 " %g", out->y_row, y,
                  d->n ? d->wanted[d->first].row : 0, d->n ? d->wanted[d->first].sum : 0),
         false;
}

static bool quiet(const void *inputs) {
  return !((const spe_in *)inputs)->start_valid;
}

const cosim_driver spe_driver = {
    .block = "spe",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .straps = straps,
    .check = check,
    .quiet = quiet,
    .lives = 5000,
};
