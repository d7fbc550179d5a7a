// SPDX-License-Identifier: Apache-2.0
// Time: what each command takes, which ones go on at the same time, whose turn it is. Figures by
// hand, and random programs of several contexts against a model of the page.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tb/cosim/cosim.h"

enum { RECORD = 16000, COMMAND = 4000 };  // 64 bytes up, 64 bytes down: ps

static void begins(const user *u, uint32_t number, uint64_t begin, uint64_t end) {
  const card_record c = user_record(u, number);
  if (c.begin != begin || c.end != end)
    fail_msg("context %u, command %u: %llu to %llu, not %llu to %llu", u->k, number,
             (unsigned long long)c.begin, (unsigned long long)c.end, (unsigned long long)begin,
             (unsigned long long)end);
}

void the_link_has_two_directions(void **state) {
  (void)state;
  assert_int_equal(rig_up(64), RECORD);
  assert_int_equal(rig_down(64), COMMAND);
}

// A command alone, from the doorbell to its record, to the ps.
static void alone(user *u, card_command c, uint64_t takes, const char *what) {
  rig *r = u->r;
  rig_until(r, r->now + 333);
  const uint64_t bell = r->now, begin = bell + RIG_L + COMMAND;
  const uint32_t n = user_put(u, c);
  user_ring(u);
  const uint64_t there = begin + takes + RIG_L + RECORD;
  rig_until(r, there - 1);
  if (user_has(u, n) || user_done(u) != n)
    fail_msg("%s: its record is there too early", what);
  rig_until(r, there);
  if (!user_has(u, n) || user_done(u) != n + 1)
    fail_msg("%s: its record is not there in time", what);
  begins(u, n, begin, begin + takes);
  assert_int_equal(rig_get(r, -1, CARD_R_TIME), there);
}

void each_command_alone(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 1 << 20);
  static const uint64_t sizes[] = {16, 64, 4096, 65536, 65552};
  alone(&u, CMD(EVENT, 3), 0, "EVENT");
  alone(&u, CMD(FENCE, 3), 0, "FENCE");
  alone(&u, CMD(WAIT, 3, u.tail - 1), 0, "WAIT");
  alone(&u, CMD(ALLOC, 0, 1 << 20), 0, "ALLOC");
  alone(&u, CMD(SHARE, 0, a, 3), 0, "SHARE");
  alone(&u, CMD(ATTACH, 0, 12345), 0, "ATTACH");
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
    alone(&u, CMD(WRITE, 0, a, u.data, sizes[n]), rig_down(sizes[n]) + RIG_L, "WRITE");
    alone(&u, CMD(READ, 0, u.data, a, sizes[n]), rig_up(sizes[n]) + RIG_L, "READ");
    alone(&u, CMD(COPY, 0, a, a + 70000, sizes[n]), (sizes[n] + 31) / 32 * 1000, "COPY");
    alone(&u, CMD(FILL, 0, a, 1, sizes[n]), (sizes[n] + 63) / 64 * 1000, "FILL");
  }
  // whole cycles, the last one in part
  alone(&u, CMD(COPY, 0, a, a + 70000, 1), 1000, "COPY of a byte");
  alone(&u, CMD(COPY, 0, a, a + 70000, 32), 1000, "COPY of 32 bytes");
  alone(&u, CMD(COPY, 0, a, a + 70000, 33), 2000, "COPY of 33 bytes");
  alone(&u, CMD(FILL, 0, a, 1, 64), 1000, "FILL of 64 bytes");
  alone(&u, CMD(FILL, 0, a, 1, 65), 2000, "FILL of 65 bytes");
  const uint64_t bytes = (object_kernels()->bytes + 15) / 16 * 16;  // whole ps; the rest is 0
  memset(u.bytes, 0, bytes);
  memcpy(u.bytes, object_kernels()->image, object_kernels()->bytes);
  alone(&u, CMD(LOAD, 0, u.data, bytes), rig_down(bytes) + RIG_L, "LOAD");
  memcpy(u.bytes, "scalefactor", 11);
  alone(&u, CMD(KERNEL, 0, 0, u.data, 5), 0, "KERNEL");
  alone(&u, CMD(SYMBOL, 0, 0, u.data + 5, 6), 0, "SYMBOL");
  alone(&u, CMD(FREE, 0, a), 0, "FREE");
  rig_close(&r);
}

// The link and the cores of other configurations are in the formulas.
void other_links_and_more_cores(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  static const uint32_t links[][3] = {{1000, 500, 0}, {1, 1, 1}, {250000, 125000, 1000000}};
  for (size_t n = 0; n < sizeof links / sizeof *links; n++) {
    config c = rig_config();
    c.link.down = links[n][0], c.link.up = links[n][1], c.link.latency = links[n][2];
    c.machine.cores = n ? 4 : 1;
    assert_true(rig_open_as(&r, &c, NEAR_C, 0, why, sizeof why));
    user u = user_new(&r, 0);
    const uint64_t a = user_alloc(&u, 1 << 16), latency = links[n][2] * 1000ull;
    const uint64_t bytes = 1 << 14, bell = r.now;
    const uint32_t w = user_put(&u, CMD(WRITE, 0, a, u.data, bytes));
    const uint32_t f = user_put(&u, CMD(FILL, 1, a, 0, bytes));
    const uint32_t k = user_put(&u, CMD(COPY, 1, a, a + bytes, bytes));
    const uint32_t d = user_put(&u, CMD(READ, 0, u.data, a, bytes));
    user_ring(&u);
    rig_run(&r);
    const uint64_t begin = bell + latency + 256 * 1000000ull / links[n][0];
    const uint64_t written = begin + bytes * 1000000 / links[n][0] + latency;
    const uint64_t filled = begin + bytes / 64 / c.machine.cores * 1000;
    const uint64_t read = written + bytes * 1000000 / links[n][1] + latency;
    begins(&u, w, begin, written);
    begins(&u, f, begin, filled);
    begins(&u, k, filled, filled + bytes / 32 / c.machine.cores * 1000);
    begins(&u, d, written, read);
    assert_int_equal(r.now, read + latency + 64 * 1000000ull / links[n][1]);
    rig_close(&r);
  }
}

// Commands of a doorbell are there together; those of the next one do not wait for the first to
// end, and the first does not wait for the next.
void doorbells(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t t = r.now;
  for (uint32_t n = 0; n < 5; n++)
    user_put(&u, CMD(EVENT, n));
  user_ring(&u);
  rig_until(&r, t + 100000);
  for (uint32_t n = 0; n < 2; n++)
    user_put(&u, CMD(EVENT, 5 + n));
  user_ring(&u);
  rig_until(&r, t + 200000);
  user_put(&u, CMD(EVENT, 7));
  user_ring(&u);
  rig_run(&r);
  for (uint32_t n = 0; n < 8; n++) {
    const uint64_t there = n < 5   ? t + RIG_L + 5 * COMMAND
                           : n < 7 ? t + 100000 + RIG_L + 2 * COMMAND
                                   : t + 200000 + RIG_L + COMMAND;
    begins(&u, n, there, there);
  }
  rig_close(&r);
}

void engines_are_pipelined(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 8192 };
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, 1 << 20);
  const uint64_t down = rig_down(BYTES), up = rig_up(BYTES);
  // of different streams: the next one follows when the engine is free, not when the first has
  // ended
  uint32_t n[6];
  uint64_t begin = r.now + RIG_L + 6 * COMMAND;
  for (uint32_t k = 0; k < 3; k++) {
    n[2 * k] = user_put(&u, CMD(WRITE, 2 * k, a + k * BYTES, u.data, BYTES));
    n[2 * k + 1] =
        user_put(&u, CMD(READ, 2 * k + 1, u.data + 0x8000 + k * BYTES, a + k * BYTES, BYTES));
  }
  user_ring(&u);
  rig_run(&r);
  for (uint32_t k = 0; k < 3; k++) {
    begins(&u, n[2 * k], begin + k * down, begin + (k + 1) * down + RIG_L);
    begins(&u, n[2 * k + 1], begin + k * up, begin + (k + 1) * up + RIG_L);
  }
  // of one stream: each waits for the end of the one before, not for its record
  begin = r.now + RIG_L + 3 * COMMAND;
  for (uint32_t k = 0; k < 3; k++)
    n[k] = user_put(&u, CMD(WRITE, 9, a, u.data, BYTES));
  user_ring(&u);
  rig_run(&r);
  for (uint32_t k = 0; k < 3; k++)
    begins(&u, n[k], begin + k * (down + RIG_L), begin + (k + 1) * (down + RIG_L));
  // of one stream on different engines
  begin = r.now + RIG_L + 4 * COMMAND;
  n[0] = user_put(&u, CMD(WRITE, 15, a, u.data, BYTES));
  n[1] = user_put(&u, CMD(FILL, 15, a, 1, BYTES));
  n[2] = user_put(&u, CMD(EVENT, 15));
  n[3] = user_put(&u, CMD(READ, 15, u.data, a, BYTES));
  user_ring(&u);
  rig_run(&r);
  const uint64_t filled = begin + down + RIG_L + BYTES / 64 * 1000;
  begins(&u, n[0], begin, begin + down + RIG_L);
  begins(&u, n[1], begin + down + RIG_L, filled);
  begins(&u, n[2], filled, filled);
  begins(&u, n[3], filled, filled + up + RIG_L);
  rig_close(&r);
}

// WRITE, READ and a launch at the same time; what needs no engine goes on beside it, what needs
// MACHINE waits.
void a_launch_leaves_the_link_alone(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 4096 };
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 1 << 16);
  const card_command spin = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(1000));
  memcpy(u.bytes, "scalefactor", 11);
  rig_until(&r, (r.now / 1000 + 2) * 1000 + 123);
  const uint64_t begin = r.now + RIG_L + 9 * COMMAND, whole = (begin + 999) / 1000 * 1000;
  uint32_t n[9];
  n[0] = user_put(&u, spin);
  n[1] = user_put(&u, CMD(WRITE, 1, a, u.data, BYTES));
  n[2] = user_put(&u, CMD(READ, 2, u.data + 0x2000, a + BYTES, BYTES));
  n[3] = user_put(&u, CMD(KERNEL, 3, 0, u.data, 5));
  n[4] = user_put(&u, CMD(SYMBOL, 3, 0, u.data + 5, 6));
  n[5] = user_put(&u, CMD(ALLOC, 4, 256));
  n[6] = user_put(&u, CMD(FILL, 5, a, 0, 640));
  n[7] = user_put(&u, CMD(WAIT, 6, n[0]));
  n[8] = user_put(&u, CMD(EVENT, 0));
  user_ring(&u);
  rig_run(&r);
  const card_record c = user_record(&u, n[0]);
  const uint64_t cycles = c.words[CARD_LAUNCH_GIVES_CYCLES], end = whole + cycles * 1000;
  assert_int_not_equal(begin, whole);
  assert_true(cycles > 3000 && c.words[CARD_LAUNCH_GIVES_INSTRUCTIONS] > 3000);
  begins(&u, n[0], whole, end);
  begins(&u, n[1], begin, begin + rig_down(BYTES) + RIG_L);
  begins(&u, n[2], begin, begin + rig_up(BYTES) + RIG_L);
  begins(&u, n[3], begin, begin);
  begins(&u, n[4], begin, begin);
  begins(&u, n[5], end, end);
  begins(&u, n[6], end, end + 10000);
  begins(&u, n[7], end, end);
  begins(&u, n[8], end, end);
  rig_close(&r);
}

void fences_and_waits(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 4096 };
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t a = user_alloc(&u, 1 << 16), b = user_alloc(&v, BYTES);
  const uint64_t down = rig_down(BYTES) + RIG_L, up = rig_up(BYTES) + RIG_L;
  uint64_t begin = r.now + RIG_L + 6 * COMMAND;
  const uint32_t of_v = user_put(&v, CMD(READ, 0, v.data, b, 64));
  user_ring(&v);
  uint32_t n[6];
  n[0] = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  n[1] = user_put(&u, CMD(FILL, 1, a + BYTES, 0, BYTES));
  n[2] = user_put(&u, CMD(FENCE, 2));
  n[3] = user_put(&u, CMD(EVENT, 3));  // another stream: after it all the same
  n[4] = user_put(&u, CMD(READ, 1, u.data, a, BYTES));
  n[5] = user_put(&u, CMD(EVENT, 2));
  user_ring(&u);
  rig_run(&r);
  begins(&u, n[0], begin, begin + down);
  begins(&u, n[1], begin, begin + BYTES / 64 * 1000);
  begins(&u, n[2], begin + down, begin + down);
  begins(&u, n[3], begin + down, begin + down);
  begins(&u, n[4], begin + down, begin + down + up);
  begins(&u, n[5], begin + down, begin + down);
  begins(&v, of_v, begin - 5 * COMMAND,
         begin - 5 * COMMAND + rig_up(64) + RIG_L);  // nobody else's fence
  // WAIT holds its own stream only, and waits for the one command
  begin = r.now + RIG_L + 6 * COMMAND;
  n[0] = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  n[1] = user_put(&u, CMD(READ, 1, u.data + 0x4000, a + BYTES, BYTES));
  n[2] = user_put(&u, CMD(WAIT, 2, n[0]));
  n[3] = user_put(&u, CMD(EVENT, 2));
  n[4] = user_put(&u, CMD(EVENT, 3));
  n[5] = user_put(&u, CMD(WAIT, 2, n[4]));  // that has long ended
  user_ring(&u);
  rig_run(&r);
  begins(&u, n[2], begin + down, begin + down);
  begins(&u, n[3], begin + down, begin + down);
  begins(&u, n[4], begin, begin);
  begins(&u, n[5], begin + down, begin + down);
  // for a command in its own stream, and behind a stream that waits
  begin = r.now + RIG_L + 4 * COMMAND;
  n[0] = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  n[1] = user_put(&u, CMD(WAIT, 0, n[0]));
  n[2] = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  n[3] = user_put(&u, CMD(WAIT, 1, n[2]));
  user_ring(&u);
  rig_run(&r);
  begins(&u, n[2], begin + down, begin + 2 * down);
  begins(&u, n[3], begin + 2 * down, begin + 2 * down);
  rig_close(&r);
}

// ---- turns

void contexts_take_turns(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 4096, USERS = 4, EACH = 5 };
  static const uint32_t numbers[USERS] = {1, 6, 9, 15};
  user u[USERS];
  uint64_t begin[USERS * EACH];
  uint32_t who[USERS * EACH], count = 0;
  rig_open(&r);
  for (uint32_t k = 0; k < USERS; k++) {
    u[k] = user_new(&r, numbers[k]);
    const uint64_t a = user_alloc(&u[k], BYTES);
    for (uint32_t n = 0; n < EACH; n++)
      user_put(&u[k], CMD(WRITE, (n * 7) % CARD_N_STREAMS, a, u[k].data, BYTES));
  }
  const uint64_t t = r.now + RIG_L + EACH * COMMAND;
  for (uint32_t k = 0; k < USERS; k++)
    user_ring(&u[k]);
  rig_run(&r);
  for (uint32_t k = 0; k < USERS; k++)
    for (uint32_t n = 0; n < EACH; n++) {
      const card_record c = user_record(&u[k], n + 1);  // behind ALLOC
      const uint64_t place = (c.begin - t) / rig_down(BYTES);
      assert_int_equal((c.begin - t) % rig_down(BYTES), 0);
      assert_in_range(place, 0, USERS * EACH - 1);
      begin[place] = c.begin, who[place] = k, count++;
      // the lowest command of a context goes first, though the streams are in another order
      if (n)
        assert_true(c.begin > user_record(&u[k], n).begin);
    }
  assert_int_equal(count, USERS * EACH);
  for (uint32_t n = 0; n < USERS * EACH; n++) {
    assert_int_equal(begin[n], t + n * rig_down(BYTES));
    if (n >= USERS)
      assert_int_equal(who[n], who[n - USERS]);
  }
  rig_close(&r);
}

// A context with many launches does not keep another from its one.
void nobody_starves(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  user_load(&u, object_kernels());
  user_load(&v, object_kernels());
  const card_command spin = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(300));
  const card_command once = user_launch(&v, 0, "spin", (shape){1, 32, 0}, PARAMS(10));
  uint32_t n[12];
  for (uint32_t k = 0; k < 12; k++) {
    card_command c = spin;
    c.stream = k;
    n[k] = user_put(&u, c);
  }
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + 12 * COMMAND + 100000);
  const uint32_t of_v = user_put(&v, once);
  user_ring(&v);
  rig_run(&r);
  const card_record c = user_record(&v, of_v);
  uint32_t before = 0;
  for (uint32_t k = 0; k < 12; k++)
    before += user_record(&u, n[k]).begin < c.begin;
  assert_in_range(before, 1, 2);
  rig_close(&r);
}

// ---- a model of the page, for random programs

enum { DOWN, UP, MACHINE, NONE, ENGINES = NONE };
enum { USERS = 3, MOST = 400 };

typedef struct planned {
  card_command c;
  uint64_t here, busy, after;  // ps: there from then on; its engine is busy; until it ends
  uint32_t engine;
  bool began;
  uint64_t begin, end;
} planned;

typedef struct plan {
  planned p[USERS][MOST];
  uint32_t count[USERS];
  uint64_t free_at[ENGINES];
  uint32_t turn[ENGINES];  // who comes first
  uint64_t now;
} plan;

static bool ended(const planned *p, uint64_t now) {
  return p->began && p->end <= now;
}

// Whether the rules of streams, FENCE and WAIT let it begin.
static bool may_begin(const plan *x, uint32_t k, uint32_t n) {
  const planned *all = x->p[k], *p = &all[n];
  if (p->began || p->here > x->now)
    return false;
  for (uint32_t b = 0; b < n; b++) {
    const bool same = all[b].c.stream == p->c.stream;
    const bool fence = all[b].c.opcode == CARD_DO_FENCE || p->c.opcode == CARD_DO_FENCE;
    const bool waits = p->c.opcode == CARD_DO_WAIT && p->c.words[0] == b;
    if ((same || fence || waits) && !ended(&all[b], x->now))
      return false;
  }
  return true;
}

static planned *next_for(plan *x, uint32_t k, uint32_t engine) {
  for (uint32_t n = 0; n < x->count[k]; n++)
    if (x->p[k][n].engine == engine && may_begin(x, k, n))
      return &x->p[k][n];
  return NULL;
}

static void begin_one(plan *x, planned *p) {
  p->began = true;
  p->begin = x->now;
  p->end = x->now + p->busy + p->after;
}

// All that begins at one time: first what takes none.
static void instant(plan *x) {
  for (bool any = true; any;) {
    any = false;
    for (uint32_t k = 0; k < USERS; k++)
      for (planned *p; (p = next_for(x, k, NONE)); any = true)
        begin_one(x, p);
    for (uint32_t e = 0; e < ENGINES && !any; e++)
      for (uint32_t k = 0; k < USERS && x->free_at[e] <= x->now; k++) {
        const uint32_t who = (x->turn[e] + k) % USERS;
        planned *p = next_for(x, who, e);
        if (!p)
          continue;
        begin_one(x, p);
        x->free_at[e] = x->now + p->busy;
        x->turn[e] = (who + 1) % USERS;
        any = true;
        break;
      }
  }
}

static void run_plan(plan *x) {
  for (;;) {
    instant(x);
    uint64_t next = UINT64_MAX;
    for (uint32_t k = 0; k < USERS; k++)
      for (uint32_t n = 0; n < x->count[k]; n++) {
        const planned *p = &x->p[k][n];
        const uint64_t at = p->began ? p->end : p->here;
        if (at > x->now && at < next)
          next = at;
      }
    for (uint32_t e = 0; e < ENGINES; e++)
      if (x->free_at[e] > x->now && x->free_at[e] < next)
        next = x->free_at[e];
    if (next == UINT64_MAX)
      return;
    x->now = next;
  }
}

static planned random_command(cosim_rng *g, const user *u, uint64_t a, uint32_t number) {
  const uint32_t stream = rng_below(g, 4) ? rng_below(g, 4) : rng_below(g, CARD_N_STREAMS);
  const uint64_t bytes = 16 * (1 + rng_below(g, rng_chance(g, 30) ? 2000 : 60));
  planned p = {.engine = NONE};
  switch (rng_below(g, 10)) {
    case 0:
      p.c = CMD(FENCE, stream);
      break;
    case 1:
      p.c = CMD(EVENT, stream);
      break;
    case 2:
      p.c = number ? CMD(WAIT, stream, rng_below(g, number)) : CMD(EVENT, stream);
      break;
    case 3:
    case 4:
    case 5:
      p.c = CMD(WRITE, stream, a, u->data, bytes);
      p.engine = DOWN, p.busy = rig_down(bytes), p.after = RIG_L;
      break;
    case 6:
    case 7:
      p.c = CMD(READ, stream, u->data, a, bytes);
      p.engine = UP, p.busy = rig_up(bytes), p.after = RIG_L;
      break;
    case 8:
      p.c = CMD(COPY, stream, a, a + 32768, bytes);
      p.engine = MACHINE, p.busy = (bytes + 31) / 32 * 1000;
      break;
    default:
      p.c = CMD(FILL, stream, a, 0, bytes);
      p.engine = MACHINE, p.busy = (bytes + 63) / 64 * 1000;
      break;
  }
  return p;
}

void random_programs_take_what_the_page_says(void **state) {
  (void)state;
  static plan x;
  for (uint64_t seed = cases_seed; seed < cases_seed + (getenv("MPU_LONG") ? 300 : 12); seed++) {
    cosim_rng g = {seed};
    static rig r;
    user u[USERS];
    uint64_t a[USERS], rung_until[USERS] = {0};
    uint32_t rung[USERS] = {1, 1, 1}, left = USERS * MOST / 4 + rng_below(&g, USERS * MOST / 4);
    memset(&x, 0, sizeof x);
    rig_open(&r);
    for (uint32_t k = 0; k < USERS; k++) {
      u[k] = user_of(&r, k);
      u[k].entries = 512;
      user_on(&u[k]);
      a[k] = user_alloc(&u[k], 65536);
      // numbers of the plan are those of the card: ALLOC is 0
      x.p[k][x.count[k]++] = (planned){.engine = NONE, .began = true};
    }
    // nobody has used an engine but MACHINE, which the last user did
    const uint64_t start = r.now;
    x.now = start;
    while (left) {
      const uint32_t k = rng_below(&g, USERS), some = 1 + rng_below(&g, 6);
      for (uint32_t n = 0; n < some && left && x.count[k] < MOST; n++, left--) {
        planned p = random_command(&g, &u[k], a[k], x.count[k]);
        x.p[k][x.count[k]++] = p;
        user_put(&u[k], p.c);
      }
      if (u[k].tail != rung[k]) {
        const uint64_t there = r.now + RIG_L + (u[k].tail - rung[k]) * COMMAND;
        // commands are there in their order
        rung_until[k] = there > rung_until[k] ? there : rung_until[k];
        for (; rung[k] < u[k].tail; rung[k]++)
          x.p[k][rung[k]].here = rung_until[k];
        user_ring(&u[k]);
      }
      rig_until(&r, r.now + rng_below(&g, 3) * rng_below(&g, 2000000));
    }
    rig_run(&r);
    run_plan(&x);
    uint64_t last = 0;
    for (uint32_t k = 0; k < USERS; k++) {
      assert_int_equal(user_done(&u[k]), x.count[k]);
      for (uint32_t n = 1; n < x.count[k]; n++) {
        const planned *p = &x.p[k][n];
        const card_record c = user_record(&u[k], n);
        assert_true(p->began);
        last = p->end > last ? p->end : last;
        if (c.begin != p->begin || c.end != p->end || c.status)
          fail_msg(
              "context %u, command %u (opcode %u, stream %u): %s, %lld to %lld after the start, "
              "not %lld to %lld; test_card_card --seed %llu --only %s",
              k, n, p->c.opcode, p->c.stream, card_status_name(c.status),
              (long long)(c.begin - start), (long long)(c.end - start),
              (long long)(p->begin - start), (long long)(p->end - start), (unsigned long long)seed,
              __func__);
      }
    }
    assert_int_equal(rig_get(&r, -1, CARD_R_TIME), last + RIG_L + RECORD);
    rig_close(&r);
  }
}

// ---- what it counts

void counts_are_those_of_what_it_did(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 65536 };
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, BYTES), object = object_kernels()->bytes;
  card_counts c = card_counted(r.card);
  assert_int_equal(c.commands, 2);
  assert_int_equal(c.doorbells, 3);
  assert_int_equal(c.bytes_down, object);
  assert_int_equal(c.ps_machine, rig_down(object) + RIG_L);
  user_expect(&u, CMD(WRITE, 0, a, u.data, 4096), CARD_OK);
  user_expect(&u, CMD(READ, 0, u.data, a, 8192), CARD_OK);
  user_expect(&u, CMD(COPY, 0, a, a + 32768, 320), CARD_OK);
  const card_record spin = user_do(&u, user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(40)));
  const uint64_t machine = c.ps_machine + 10000 + (spin.end - spin.begin);
  c = card_counted(r.card);
  assert_int_equal(c.bytes_down, object + 4096);
  assert_int_equal(c.bytes_up, 8192);
  assert_int_equal(c.ps_down, rig_down(4096));
  assert_int_equal(c.ps_up, rig_up(8192));
  assert_int_equal(c.ps_machine, machine);
  assert_int_equal(c.failures, 0);
  // what ends in the middle was busy until then
  card_command forever = user_launch(&u, 1, "spin", (shape){1, 32, 0}, PARAMS(0));
  forever.stream = 2;
  user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  user_put(&u, CMD(READ, 1, u.data, a, BYTES));
  user_put(&u, forever);
  user_ring(&u);
  const uint64_t begin = r.now + RIG_L + rig_down(3 * 64), off = begin + 500000;
  rig_until(&r, off);
  user_off(&u);
  rig_run(&r);
  c = card_counted(r.card);
  assert_int_equal(c.ps_down, rig_down(4096) + off - begin);
  assert_int_equal(c.ps_up, rig_up(8192) + off - begin);
  assert_int_equal(c.ps_machine, machine + off - (begin + 999) / 1000 * 1000);
  rig_close(&r);
}
