// SPDX-License-Identifier: Apache-2.0
// Random traffic for bankctl, with the DRAM arrays behind it: data are real, all commands are
// checked.
#include <stdio.h>

#include "csim/dram/bankctl_times.h"
#include "tb/cosim/cosim.h"
#include "rig.h"
#include "traffic.h"

typedef struct driver {
  rig r;
  bool ready, warm;  // warm: the next reset will be, if it comes late enough
  bankctl_out last;  // outputs after the last edge
  uint64_t begun;    // cycle of the rig at the last reset
  traffic traffic;
  unsigned mode;
  uint64_t random, until;
  uint32_t hot, hot_row[DRAM_BANKS], others, crowd, writes;  // of crowds
  rig_request line;                                          // of lines
  uint32_t allowed, banks, left, row, subarrays, rows, cols, hits, hot_rows, turn, bursts, pause,
      ras;
} driver;

enum {
  ANY,
  RANDOM_ROWS,
  STREAMS,
  PING_PONG,
  ONE_SPOT,
  REFRESH,
  SPARSE,
  CROWDS,
  LINES,
  SLOW,
  MODES
};

static const char *const names[MODES] = {
    [ANY] = "any",           [RANDOM_ROWS] = "random rows",
    [STREAMS] = "streams",   [PING_PONG] = "ping-pong",
    [ONE_SPOT] = "one spot", [REFRESH] = "refresh",
    [SPARSE] = "sparse",     [CROWDS] = "crowds",
    [LINES] = "lines",       [SLOW] = "slow arrays",
};

// As the base die may give them, and faster.
static const rig_refresh refreshes[] = {
    {3900, 1, true}, {3900, 1, false}, {0, 0, false},   {1000, 3, true},
    {450, 8, false}, {450, 8, true},   {400, 1, false},
};

static uint32_t pick(driver *d, uint32_t n) {
  return (uint32_t)(rig_random(&d->r) % n);
}

// Hits of some banks without a pause, and now and then a few requests for something else: what
// waits for a turn, does so for long, and several banks at a time.
static bool crowds_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  driver *d = ctx;
  *q = (rig_request){.bank = pick(d, DRAM_BANKS), .col = pick(d, 32), .mask = ~0u};
  q->we = pick(d, 100) < d->writes;
  if (!d->crowd && pick(d, 256) < d->others)
    d->crowd = 1 + pick(d, 5);
  if (d->crowd) {
    d->crowd--;
    q->row = d->hot_row[pick(d, DRAM_BANKS)] ^ pick(d, 3) << 5 ^ pick(d, 4);
    return true;
  }
  while (!(d->hot >> q->bank & 1))
    q->bank = (q->bank + 1) % DRAM_BANKS;
  q->row = d->hot_row[q->bank];
  return true;
}

static void crowds_begin(driver *d) {
  d->hot = 1 + pick(d, 15);
  for (uint32_t b = 0; b < DRAM_BANKS; b++)
    d->hot_row[b] = pick(d, 1 << 14);
  d->others = pick(d, 16);
  d->writes = pick(d, 5) * 25;
  rig_source_set(&d->r, crowds_next, d);
}

// Lines of several banks, one after the other, in a few rows of a few subarrays, some of which are
// hot: the queue fills, and its lines hit, miss, clash and wait for each other in all banks at a
// time. They come in bursts.
static bool lines_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  driver *d = ctx;
  if (!d->left) {
    if (!d->pause && pick(d, 256) < d->bursts)
      d->pause = 1 + pick(d, 3 * d->ras);
    if (d->pause) {
      d->pause--;
      return false;
    }
    if (!pick(d, d->turn))
      d->banks = 1 + pick(d, 15);
    d->left = d->banks & d->allowed ? d->banks & d->allowed : d->allowed;
    d->line.row = d->row;
    if (pick(d, 16) < d->hits)
      d->line.row ^= pick(d, d->hot_rows);
    else
      d->line.row ^= pick(d, d->rows) << 5 ^ pick(d, d->subarrays);
    d->line.col = pick(d, d->cols);
    d->line.we = pick(d, 100) < d->writes;
  }
  *q = d->line;
  q->bank = pick(d, DRAM_BANKS);
  while (!(d->left >> q->bank & 1))
    q->bank = (q->bank + 1) % DRAM_BANKS;
  q->mask = (uint32_t)rig_random(&d->r);
  d->left &= ~(1u << q->bank);
  return true;
}

static void lines_begin(driver *d) {
  static const uint32_t hits[] = {0, 2, 4, 12}, bursts[] = {0, 0, 2, 16};
  static const uint32_t turns[] = {1, 4, 8}, writes[] = {0, 10, 25, 50};
  d->allowed = pick(d, 2) ? 15 : 1 + pick(d, 15);
  d->row = pick(d, 1 << 14);
  d->subarrays = 2u << pick(d, 3);
  d->rows = 2 + pick(d, 6);
  d->cols = 1u << pick(d, 6);
  d->hot_rows = 1u << pick(d, 3);
  d->hits = hits[pick(d, 4)];
  d->turn = turns[pick(d, 3)];
  d->writes = writes[pick(d, 4)];
  d->bursts = bursts[pick(d, 4)];
  rig_source_set(&d->r, lines_next, d);
}

static void next_phase(driver *d) {
  static const traffic_kind kinds[MODES] = {[RANDOM_ROWS] = TRAFFIC_RANDOM,
                                            [STREAMS] = TRAFFIC_STREAMS,
                                            [PING_PONG] = TRAFFIC_ROWS,
                                            [ONE_SPOT] = TRAFFIC_ONE_SPOT};
  d->traffic = traffic_random(&d->random);
  if (d->mode >= RANDOM_ROWS && d->mode <= ONE_SPOT)
    d->traffic.kind = kinds[d->mode];
  if (d->mode == SPARSE)
    d->traffic.rate = 65536 / (20 + pick(d, 200));
  // 0: crowds, 1 and 2: lines, 3: any other traffic
  const bool mixed = d->mode == ANY || d->mode == REFRESH || d->mode == SLOW;
  const uint32_t what = mixed ? pick(d, 4) : 3;
  if (d->mode == CROWDS || what == 0)
    crowds_begin(d);
  else if (d->mode == LINES || what < 3)
    lines_begin(d);
  else
    rig_source_set(&d->r, pick(d, 8) ? traffic_next : NULL, &d->traffic);
  d->until = d->r.cycle + 200 + pick(d, d->mode == SPARSE ? 8000 : 3000);
}

// Refreshes must leave time for themselves, and for something else.
static rig_refresh refresh_for(rig_refresh r, const dram_timing *t) {
  const uint64_t busy =
      (uint64_t)((t->tRFC + t->tRP + t->tRAS + t->tWR) / t->tCK + t->CWL + t->burst);
  const uint64_t usual = 350 + 14 + 33 + 15 + 4;
  r.interval = (uint32_t)((r.interval * busy + usual - 1) / usual);
  return r;
}

// In a warm reset the arrays and the straps stay. Refreshes that the arrays wait for are made up
// for before the next one.
static bool is_warm(const driver *d) {
  bankctl_times times;
  bankctl_times_get(d->r.in.cfg_times, &times);
  return d->warm && d->ready && d->r.cycle - d->begun > 12 * (times.rfc + times.stay);
}

// What a reset begins: other arrays and straps, but for a warm one.
static void begin(driver *d) {
  const uint64_t seed = d->random;
  if (is_warm(d)) {
    rig_warm_reset(&d->r, &d->last);
    d->begun = d->r.cycle;
    next_phase(d);
    return;
  }
  if (d->ready)
    rig_free(&d->r);
  d->ready = false;
  d->begun = 0;
  uint64_t random = seed;
  const uint32_t of = (uint32_t)(seed >> 40 & 7);
  const dram_timing timing = of < 3 && d->mode != SLOW ? dram_timing_default
                             : of < 5                  ? rig_timing(d->mode == SLOW ? 2 : of - 2)
                                                       : rig_timing_random(&random);
  d->ras = (uint32_t)(timing.tRAS / timing.tCK);
  static const uint32_t rows[] = {1, 2, 4, 4};  // four slots differ most
  if (!rig_init(&d->r, seed, rows[seed >> 8 & 3], (seed >> 20 & 3) == 0, &timing))
    return;
  d->ready = true;
  const uint32_t n = sizeof refreshes / sizeof *refreshes;
  const rig_refresh r = refreshes[d->mode == REFRESH ? 3 + pick(d, n - 3) : pick(d, n)];
  rig_refresh_set(&d->r, refresh_for(r, &timing));
  next_phase(d);
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  d->random = rng_next(rng);
  d->mode = mode;
  begin(d);
  d->warm = d->random >> 30 & 1;
}

static void straps(void *state, void *in) {
  const driver *d = state;
  bankctl_in *to = in;
  if (!d->ready)
    return;
  *to = (bankctl_in){
      .cfg_rows = d->r.in.cfg_rows, .cfg_closed = d->r.in.cfg_closed, .cfg_warm = is_warm(d)};
  memcpy(to->cfg_times, d->r.in.cfg_times, sizeof to->cfg_times);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *in) {
  (void)rng;
  driver *d = state;
  bankctl_in *to = in;
  if (!d->ready)
    return;
  if (d->r.cycle >= d->until)
    next_phase(d);
  const bankctl_in *next = rig_cycle(&d->r, out);
  const uint32_t rst_n = to->rst_n;
  *to = *next;
  to->rst_n = rst_n;
  to->cfg_warm = d->warm;
}

static bool check(void *state, const void *in, const void *out, char *why, size_t n) {
  (void)in;
  driver *d = state;
  d->last = *(const bankctl_out *)out;
  if (!d->ready)
    snprintf(why, n, "out of memory");
  else if (*d->r.error)
    snprintf(why, n, "%s", d->r.error);
  return d->ready && !*d->r.error;
}

static bool quiet(const void *in) {
  const bankctl_in *i = in;
  return !i->req_valid && !i->ref_tick;
}

static const void *of_sizes(const structure *sizes) {
  static bankctl_sizes of;
  of = (bankctl_sizes){.depth = sizes->queue, .subarrays = sizes->subarrays};
  return &of;
}

const cosim_driver bankctl_driver = {
    .block = "bankctl",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .straps = straps,
    .check = check,
    .quiet = quiet,
    .of_sizes = of_sizes,
    .lives = 10000,  // straps and times change at a reset only
};
