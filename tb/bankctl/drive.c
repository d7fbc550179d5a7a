// SPDX-License-Identifier: Apache-2.0
// Random traffic for bankctl, with the DRAM arrays behind it: data are real, all commands are
// checked.
#include <stdio.h>

#include "cosim.h"
#include "rig.h"
#include "traffic.h"

typedef struct driver {
  rig r;
  bool ready;
  traffic traffic;
  unsigned mode;
  uint64_t random, until;
  uint32_t hot, hot_row[DRAM_BANKS], others, crowd, writes;  // of crowds
} driver;

enum { ANY, RANDOM_ROWS, STREAMS, PING_PONG, ONE_SPOT, REFRESH, SPARSE, CROWDS, MODES };

static const char *const names[MODES] = {
    [ANY] = "any",           [RANDOM_ROWS] = "random rows",
    [STREAMS] = "streams",   [PING_PONG] = "ping-pong",
    [ONE_SPOT] = "one spot", [REFRESH] = "refresh",
    [SPARSE] = "sparse",     [CROWDS] = "crowds",
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
  if (d->mode == CROWDS) {
    d->hot = 1 + pick(d, 15);
    for (uint32_t b = 0; b < DRAM_BANKS; b++)
      d->hot_row[b] = pick(d, 1 << 14);
    d->others = pick(d, 16);
    d->writes = pick(d, 3) * 25;
    rig_source_set(&d->r, crowds_next, d);
  } else {
    rig_source_set(&d->r, pick(d, 8) ? traffic_next : NULL, &d->traffic);
  }
  d->until = d->r.cycle + 200 + pick(d, d->mode == SPARSE ? 8000 : 3000);
}

static void start(void *state, cosim_rng *rng, unsigned mode) {
  driver *d = state;
  if (d->ready)  // after a reset in the middle
    rig_free(&d->r);
  const uint64_t seed = rng_next(rng);
  *d = (driver){.random = seed, .mode = mode};
  if (!rig_init(&d->r, seed, 1u << (seed >> 8 & 255) % 3, (seed >> 20 & 3) == 0))
    return;
  d->ready = true;
  const uint32_t n = sizeof refreshes / sizeof *refreshes;
  rig_refresh_set(&d->r, refreshes[mode == REFRESH ? 3 + pick(d, n - 3) : pick(d, n)]);
  next_phase(d);
}

static void drive(void *state, cosim_rng *rng, const void *out, void *in) {
  (void)rng;
  driver *d = state;
  if (!d->ready)
    return;
  if (d->r.cycle >= d->until)
    next_phase(d);
  const bankctl_in *next = rig_cycle(&d->r, out);
  bankctl_in *to = in;
  const uint32_t rst_n = to->rst_n;
  *to = *next;
  to->rst_n = rst_n;
}

static bool check(void *state, const void *in, const void *out, char *why, size_t n) {
  (void)in;
  (void)out;
  const driver *d = state;
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

const cosim_driver bankctl_driver = {
    .block = "bankctl",
    .state_bytes = sizeof(driver),
    .modes = MODES,
    .mode_names = names,
    .start = start,
    .drive = drive,
    .check = check,
    .quiet = quiet,
};
