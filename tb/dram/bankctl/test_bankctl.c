// SPDX-License-Identifier: Apache-2.0
// The bank controller against the DRAM arrays: corner cases by name, and the figures that a
// controller of this kind must reach. Every command of every run is checked by the arrays, all data
// by the rig.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stand.h"
#include "traffic.h"

static const rig_refresh usual_refresh = {3900, 1, true};

// What docs/blocks/bankctl.md says.
enum {
  QUEUE = 16,
  PIPELINE = 2,   // cycles that the controller adds
  STARVED = 400,  // cycles that a request waits at most in an endless stream of hits
};

// Cycles from a request to its data, with an idle bank: command, CL, burst; tRCD; tRP.
enum { HIT = 5, CLOSED = HIT + 14, CONFLICT = CLOSED + 14 };

// ---- sources

// Accesses to a bank, `visit` in a row before the next, in order; rows in `rows` subarrays in turn.
typedef struct visits {
  uint32_t visit, subarrays, distinct;
  uint64_t n;
} visits;

static bool visits_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  visits *v = ctx;
  const uint32_t i = (uint32_t)(v->n / v->visit) % v->distinct;
  *q = (rig_request){
      .row = i % v->subarrays + i / v->subarrays % (DRAM_ROWS / DRAM_SUBARRAYS) * DRAM_SUBARRAYS,
      .col = (uint32_t)(v->n % v->visit) % DRAM_COLS,
  };
  v->n++;
  return true;
}

// ---- corner cases

static void an_idle_bank_answers_in_the_least_time(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    bench *b = bench_new(rows, false, no_refresh);
    for (uint32_t bank = 0; bank < DRAM_BANKS; bank++) {
      assert_int_equal(latency_of(b, (rig_request){.bank = bank, .row = 7}), CLOSED + PIPELINE);
      bench_cycles(b, 100);
      assert_int_equal(latency_of(b, (rig_request){.bank = bank, .row = 7, .col = 9}),
                       HIT + PIPELINE);
      bench_cycles(b, 100);
      assert_int_equal(latency_of(b, (rig_request){.bank = bank, .row = 39}), CONFLICT + PIPELINE);
      bench_cycles(b, 100);
    }
    bench_end(b);
  }
}

static void a_closed_page_needs_no_precharge(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    bench *b = bench_new(rows, true, no_refresh);
    for (uint32_t i = 0; i < 6; i++) {
      assert_int_equal(latency_of(b, (rig_request){.row = 7 + i % 3 * 32}), CLOSED + PIPELINE);
      bench_cycles(b, 100);
      assert_int_equal(commands(b, DRAM_PRE), i + 1);
    }
    bench_end(b);
  }
}

static void an_open_page_stays_open(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  for (uint32_t i = 0; i < 4; i++)
    latency_of(b, (rig_request){.row = i});
  bench_cycles(b, 10000);
  assert_int_equal(commands(b, DRAM_PRE), 0);
  // the row selected last is hit; the others need a select, and no activate
  assert_int_equal(latency_of(b, (rig_request){.row = 3}), HIT + PIPELINE);
  assert_int_equal(latency_of(b, (rig_request){.row = 0}), HIT + 1 + PIPELINE);
  assert_int_equal(commands(b, DRAM_ACT), 4);
  assert_int_equal(commands(b, DRAM_SASEL), 1);
  bench_end(b);
}

static void no_more_rows_open_than_the_strap_allows(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    bench *b = bench_new(rows, false, no_refresh);
    rig_request q[8];
    for (uint32_t i = 0; i < 8; i++)
      q[i] = (rig_request){.row = i};
    bench_list(b, q, 8);
    // the arrays would have told of a row too many; that many were open, and so stay
    assert_int_equal(commands(b, DRAM_ACT) - commands(b, DRAM_PRE), rows);
    // the rows used last are those that are open
    const uint64_t acts = commands(b, DRAM_ACT);
    for (uint32_t i = 8 - rows; i < 8; i++)
      latency_of(b, q[i]);
    assert_int_equal(commands(b, DRAM_ACT), acts);
    latency_of(b, q[0]);
    assert_int_equal(commands(b, DRAM_ACT), acts + 1);
    bench_end(b);
  }
}

static void the_least_recently_used_row_is_closed(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  static const uint32_t order[] = {0, 1, 2, 3, 0, 2, 4};
  for (uint32_t i = 0; i < sizeof order / sizeof *order; i++)
    latency_of(b, (rig_request){.row = order[i]});
  assert_int_equal(commands(b, DRAM_ACT), 5);
  assert_int_equal(commands(b, DRAM_PRE), 1);
  latency_of(b, (rig_request){.row = 0});
  latency_of(b, (rig_request){.row = 2});
  latency_of(b, (rig_request){.row = 3});
  assert_int_equal(commands(b, DRAM_ACT), 5);
  latency_of(b, (rig_request){.row = 1});
  assert_int_equal(commands(b, DRAM_ACT), 6);
  bench_end(b);
}

// All banks are being refreshed, and will not be again.
static bench *bench_in_refresh(void) {
  bench *b = bench_new(4, false, no_refresh);
  rig_refresh_set(&b->r, (rig_refresh){100, 1, false});
  bench_cycles(b, 110);
  rig_refresh_set(&b->r, no_refresh);
  return b;
}

// During a refresh nothing of the bank is served: requests pile up until the queue says no.
static void a_full_queue_takes_no_more_and_loses_none(void **state) {
  (void)state;
  bench *b = bench_in_refresh();
  assert_int_equal(commands(b, DRAM_REF), DRAM_BANKS);
  rig_request q[40];
  for (uint32_t i = 0; i < 40; i++)
    q[i] = (rig_request){.row = i % 3, .col = i % 32, .we = i % 4 == 1, .mask = UINT32_MAX};
  list l = {q, 40, 0};
  rig_source_set(&b->r, list_next, &l);
  bench_cycles(b, 100);
  assert_int_equal(b->r.reads + b->r.writes, QUEUE);
  assert_false(b->out.req_ready);
  assert_true(b->out.busy);
  assert_int_equal(b->r.responses, 0);
  for (uint32_t i = 0; i < 2000; i++)
    bench_cycle(b);
  assert_int_equal(b->r.reads + b->r.writes, 40);
  assert_int_equal(b->r.responses, 30);
  assert_true(b->out.req_ready);
  bench_end(b);
}

// The banks of a line share a place; where the last place is taken, the rest of its line waits.
static void a_line_of_four_banks_takes_one_place(void **state) {
  (void)state;
  bench *b = bench_in_refresh();
  b->r.lines = true;
  rig_request q[80];
  for (uint32_t i = 0; i < 80; i++)
    q[i] = (rig_request){.bank = i % 4, .row = i / 4 % 3, .col = i / 4};
  list l = {q, 80, 0};
  rig_source_set(&b->r, list_next, &l);
  bench_cycles(b, 150);
  assert_int_equal(b->r.reads, 4 * (QUEUE - 1) + 1);
  assert_false(b->out.req_ready);
  bench_cycles(b, 2000);
  assert_int_equal(b->r.responses, 80);
  bench_end(b);
}

// Writes have as many places for their data as the queue has entries.
static void data_of_writes_have_places(void **state) {
  (void)state;
  bench *b = bench_in_refresh();
  rig_request q[40];
  for (uint32_t i = 0; i < 40; i++)
    q[i] = (rig_request){
        .bank = i % 4, .row = 1, .col = i / 4, .we = true, .mask = UINT32_MAX << i % 3};
  list l = {q, 40, 0};
  rig_source_set(&b->r, list_next, &l);
  bench_cycles(b, 100);
  assert_int_equal(b->r.writes, QUEUE);
  assert_false(b->out.req_ready);
  bench_cycles(b, 2000);
  assert_int_equal(b->r.writes, 40);
  bench_end(b);
}

// Lines of some banks, reads and writes of few places, so that they meet in the queue.
static bool lines_next(void *ctx, uint64_t cycle, rig_request *q) {
  static const uint32_t rows[] = {1, 33, 2, 5};
  uint64_t *random = ctx;
  (void)cycle;
  if (!(*random >> 60)) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    *random |= UINT64_C(15) << 60;
  }
  const uint32_t bank = (uint32_t)__builtin_ctzll(*random >> 60), x = (uint32_t)(*random >> 20);
  *random &= ~(UINT64_C(1) << (60 + bank));
  *q = (rig_request){.bank = bank,
                     .row = rows[x % 4],
                     .col = x >> 2 & 3,
                     .we = x >> 4 & 1,
                     .mask = x * 2654435761u};
  return true;
}

static void lines_that_meet(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    uint64_t random = 99 + rows;
    bench *b = bench_new(rows, false, usual_refresh);
    rig_source_set(&b->r, lines_next, &random);
    bench_cycles(b, 20000);
    rig_source_set(&b->r, NULL, NULL);
    assert_true(b->r.responses > 2000);
    bench_end(b);
  }
}

static void requests_to_one_address_keep_their_order(void **state) {
  (void)state;
  for (uint32_t closed = 0; closed < 2; closed++) {
    bench *b = bench_new(4, closed, no_refresh);
    // writes of single bytes and reads, with others between that would rather go first
    rig_request q[96];
    for (uint32_t i = 0; i < 96; i++) {
      q[i] = (rig_request){.row = 5, .col = 3, .we = i % 3 != 2, .mask = 1u << i % 32};
      if (i % 8 == 5)
        q[i] = (rig_request){.row = 37, .col = 3, .we = i % 16 == 5, .mask = 15};
      if (i % 8 == 7)
        q[i] = (rig_request){.row = 5, .col = 4, .we = i % 16 == 7, .mask = 240};
    }
    bench_list(b, q, 96);
    bench_end(b);
  }
}

static void a_refresh_in_the_middle_of_traffic(void **state) {
  (void)state;
  // at each distance from the first request
  for (uint32_t at = 1; at < 90; at++) {
    bench *b = bench_new(1u << at % 3, at % 5 == 0, no_refresh);
    rig_request q[24];
    for (uint32_t i = 0; i < 24; i++)
      q[i] = (rig_request){
          .bank = i & 1, .row = i / 2 % 5 * 16, .col = i, .we = i % 3 == 0, .mask = UINT32_MAX};
    list l = {q, 24, 0};
    rig_source_set(&b->r, list_next, &l);
    rig_refresh_set(&b->r, (rig_refresh){at, 1, false});
    bench_cycles(b, at + 1);
    rig_refresh_set(&b->r, no_refresh);
    bench_cycles(b, 2000);
    assert_int_equal(commands(b, DRAM_REF), DRAM_BANKS);
    bench_end(b);
  }
}

static void a_refresh_of_an_idle_bank_comes_at_once(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  latency_of(b, (rig_request){.row = 3});
  bench_cycles(b, 1000);
  assert_false(b->out.busy);
  assert_true(subject->idle(b->block));
  rig_refresh_set(&b->r, (rig_refresh){10, 1, false});
  bench_cycles(b, 11);
  rig_refresh_set(&b->r, no_refresh);
  assert_true(b->out.busy);
  bench_cycles(b, 60);
  assert_int_equal(commands(b, DRAM_REF), DRAM_BANKS);
  assert_int_equal(commands(b, DRAM_PRE), 1);
  bench_end(b);
}

static void refreshes_come_in_time_under_load(void **state) {
  (void)state;
  static const rig_refresh kinds[] = {
      {3900, 1, false}, {3900, 1, true}, {3900, 8, false}, {3900, 8, true}, {500, 8, false}};
  for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    bench *b = bench_new(4, false, kinds[i]);
    traffic t = {.kind = TRAFFIC_RANDOM,
                 .banks = 15,
                 .streams = 1,
                 .turn = 1,
                 .row_mask = 0xff,
                 .rate = 65536,
                 .write_percent = 30,
                 .random = 99};
    rig_source_set(&b->r, traffic_next, &t);
    const uint64_t cycles = 3900 * 8 * 4 + 2000;
    bench_cycles(b, cycles);
    rig_source_set(&b->r, NULL, NULL);
    rig_refresh_set(&b->r, no_refresh);
    bench_drain(b);
    // none is forgotten, none invented
    assert_int_equal(commands(b, DRAM_REF), b->r.ticks);
    bench_end(b);
  }
}

// One request to another row, in a stream of hits without end.
typedef struct hits_and_one {
  uint64_t n;
  uint64_t latency;
} hits_and_one;

static bool hits_and_one_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  hits_and_one *h = ctx;
  const uint64_t i = h->n++;
  *q = (rig_request){.row = i == 100 ? 37u : 5u, .col = i % 32, .we = false};
  return true;
}

static void note_the_one(void *ctx, const rig_outstanding *o, uint64_t latency) {
  hits_and_one *h = ctx;
  if (o->request.row == 37)
    h->latency = latency;
}

static void no_request_starves(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    bench *b = bench_new(rows, false, no_refresh);
    hits_and_one h = {0, 0};
    rig_source_set(&b->r, hits_and_one_next, &h);
    b->r.on_response = note_the_one;
    bench_cycles(b, 3000);
    assert_true(h.latency > 0);
    print_message("    %u buffers: the one that is no hit waits %" PRIu64 " cycles\n", rows,
                  h.latency);
    assert_true(h.latency <= STARVED);
    b->r.on_response = NULL;
    rig_source_set(&b->r, NULL, NULL);
    bench_end(b);
  }
}

// One request for bank 0, among requests of the other banks without end.
typedef struct others_and_one {
  hits_and_one one;  // first: note_the_one takes it
  uint32_t banks, rows, row_step;
  bool write;
} others_and_one;

static bool others_and_one_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  others_and_one *h = ctx;
  const uint64_t i = h->one.n++;
  const uint32_t bank = (uint32_t)(1 + i % h->banks);
  const uint32_t row = (uint32_t)(i / h->banks % h->rows * h->row_step);
  *q = (rig_request){.bank = bank, .row = row, .col = (uint32_t)(i / h->banks % 32), .mask = ~0u};
  q->we = h->write && i % 2;
  if (i == 200)
    *q = (rig_request){.bank = 0, .row = 37};
  return true;
}

static void other_banks_starve_nobody(void **state) {
  (void)state;
  static const struct {
    const char *what;
    uint32_t banks, rows, row_step;
    bool write;
  } cases[] = {
      {"hits of one bank", 1, 1, 1, false},
      {"hits of two banks", 2, 1, 1, false},
      {"hits of three banks", 3, 1, 1, false},
      {"reads and writes", 3, 1, 1, true},
      {"two open rows in turn", 2, 2, 1, false},
      {"four open rows in turn", 3, 4, 1, false},
      {"new rows, as many as tFAW allows", 3, 64, 33, false},
      {"new rows of one subarray", 3, 64, 32, true},
  };
  for (uint32_t rows = 1; rows <= 4; rows *= 2)
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      bench *b = bench_new(rows, false, no_refresh);
      others_and_one h = {{0, 0}, cases[i].banks, cases[i].rows, cases[i].row_step, cases[i].write};
      rig_source_set(&b->r, others_and_one_next, &h);
      b->r.on_response = note_the_one;
      bench_cycles(b, 12000);
      print_message("    %u buffers, %s: the other bank waits %" PRIu64 " cycles\n", rows,
                    cases[i].what, h.one.latency);
      assert_true(h.one.latency > 0);
      assert_true(h.one.latency <= STARVED);
      b->r.on_response = NULL;
      rig_source_set(&b->r, NULL, NULL);
      bench_end(b);
    }
}

// Hits of all banks without end, and in each bank one request to another row, that of bank 1 first.
typedef struct hits_and_four {
  uint64_t n;
  uint32_t served, order[DRAM_BANKS];
} hits_and_four;

static bool hits_and_four_next(void *ctx, uint64_t cycle, rig_request *q) {
  (void)cycle;
  static const uint32_t banks[] = {0, 2, 3};
  hits_and_four *h = ctx;
  const uint64_t i = h->n++;
  *q = (rig_request){.bank = i % DRAM_BANKS, .row = 5, .col = i / DRAM_BANKS % DRAM_COLS};
  if (i == 200)
    *q = (rig_request){.bank = 1, .row = 37};
  if (i >= 210 && i < 213)
    *q = (rig_request){.bank = banks[i - 210], .row = 37};
  return true;
}

static void note_the_bank(void *ctx, const rig_outstanding *o, uint64_t latency) {
  (void)latency;
  hits_and_four *h = ctx;
  if (o->request.row == 37 && h->served < DRAM_BANKS)
    h->order[h->served++] = o->request.bank;
}

// Rule 13: those that wait while bank 1 is urgent have their turn in the order 2, 3, 0.
static void urgent_banks_take_turns(void **state) {
  (void)state;
  bench *b = bench_new(1, false, no_refresh);
  hits_and_four h = {0};
  rig_source_set(&b->r, hits_and_four_next, &h);
  b->r.on_response = note_the_bank;
  bench_cycles(b, 3000);
  print_message("    served: banks %u %u %u %u\n", h.order[0], h.order[1], h.order[2], h.order[3]);
  assert_int_equal(h.served, DRAM_BANKS);
  for (uint32_t i = 0; i < DRAM_BANKS; i++)
    assert_int_equal(h.order[i], (i + 1) % DRAM_BANKS);
  b->r.on_response = NULL;
  rig_source_set(&b->r, NULL, NULL);
  bench_end(b);
}

static void banks_work_at_the_same_time(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  rig_request q[DRAM_BANKS];
  for (uint32_t i = 0; i < DRAM_BANKS; i++)
    q[i] = (rig_request){.bank = i, .row = 9};
  const uint64_t start = b->r.cycle;
  bench_list(b, q, DRAM_BANKS);
  // the last activate waits 3 tRRD for the first
  assert_int_equal(b->r.last_response - start, CLOSED + PIPELINE + 12);
  bench_end(b);
}

// Requests in, commands out: the cycles between one and the next.
static void expect_commands(bench *b, const dram_cmd *cmds, const uint32_t *gaps, uint32_t n) {
  assert_int_equal(b->n_log, n);
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(b->log[i].cmd, cmds[i]);
    if (i)
      assert_int_equal(b->log[i].cycle - b->log[i - 1].cycle, gaps[i]);
  }
}

static void expect_first(bench *b, const dram_cmd *cmds, const uint32_t *gaps, uint32_t n) {
  assert_true(b->n_log >= n);
  b->n_log = n;
  expect_commands(b, cmds, gaps, n);
}

static void commands_come_as_early_as_the_arrays_allow(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2) {
    bench *b = bench_new(rows, false, no_refresh);
    static const rig_request turns[] = {{0, 5, 3, true, 1},
                                        {0, 5, 3, false, 0},
                                        {0, 5, 3, true, 2},
                                        {0, 37, 3, false, 0},
                                        {0, 37, 4, false, 0}};
    bench_list(b, turns, 5);
    static const dram_cmd cmds[] = {DRAM_ACT, DRAM_WR,  DRAM_RD, DRAM_WR,
                                    DRAM_PRE, DRAM_ACT, DRAM_RD, DRAM_RD};
    static const uint32_t gaps[] = {0, 14, 12, 4, 19, 14, 14, 2};
    expect_first(b, cmds, gaps, 8);
    bench_end(b);

    b = bench_new(rows, false, no_refresh);
    static const rig_request reads[] = {{1, 5, 3, false, 0}, {1, 37, 3, false, 0}};
    bench_list(b, reads, 2);
    static const dram_cmd read_cmds[] = {DRAM_ACT, DRAM_RD, DRAM_PRE, DRAM_ACT, DRAM_RD};
    static const uint32_t read_gaps[] = {0, 14, 19, 14, 14};
    expect_commands(b, read_cmds, read_gaps, 5);
    bench_end(b);
  }
}

static void a_row_opens_as_early_after_a_refresh_as_it_may(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  latency_of(b, (rig_request){.row = 3});
  bench_cycles(b, 100);
  b->n_log = 0;
  rig_refresh_set(&b->r, (rig_refresh){40, 1, true});  // bank 0 comes last
  bench_cycles(b, 41);
  rig_refresh_set(&b->r, no_refresh);
  bench_cycles(b, 60);
  latency_of(b, (rig_request){.row = 3});
  static const dram_cmd cmds[] = {DRAM_REF, DRAM_REF, DRAM_REF, DRAM_PRE,
                                  DRAM_REF, DRAM_ACT, DRAM_RD};
  static const uint32_t gaps[] = {0, 10, 10, 10, 14, 350, 14};
  expect_commands(b, cmds, gaps, 7);
  bench_end(b);
}

// Hits go before a select or an activate that would take the bitlines away, and before a precharge.
// All requests wait in the queue while the bank is refreshed.
static void a_row_is_left_when_its_hits_are_served(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2)
    for (uint32_t conflict = 0; conflict < 2; conflict++) {
      bench *b = bench_new(rows, false, no_refresh);
      rig_refresh_set(&b->r, (rig_refresh){40, 1, false});
      bench_cycles(b, 50);
      rig_refresh_set(&b->r, no_refresh);
      rig_request q[14];
      for (uint32_t i = 0; i < 14; i++)
        q[i] = (rig_request){.row = i % 2 * (conflict ? 32 : 1), .col = i};
      bench_list(b, q, 14);
      assert_int_equal(commands(b, DRAM_ACT), 2);
      assert_int_equal(commands(b, DRAM_PRE), conflict || rows == 1);
      // the second row is opened while the first is not ready yet; then a select for each
      assert_int_equal(commands(b, DRAM_SASEL), !conflict && rows > 1 ? 2 : 0);
      bench_end(b);
    }
}

// In the cycle after a RD: the hits go on one cycle later than they would, and the new row is
// ready when they are through. After a WR it would have to wait 12 cycles, and does not come
// between.
static void a_new_row_opens_while_hits_are_served(void **state) {
  (void)state;
  for (uint32_t rows = 1; rows <= 4; rows *= 2)
    for (uint32_t we = 0; we < 2; we++) {
      bench *b = bench_new(rows, false, no_refresh);
      rig_request q[13];
      for (uint32_t i = 0; i < 13; i++)
        q[i] = (rig_request){.row = i == 4, .col = i, .we = we, .mask = UINT32_MAX};
      latency_of(b, (rig_request){.row = 0});
      bench_cycles(b, 100);
      b->n_log = 0;
      bench_list(b, q, 13);
      const bool between = rows > 1 && !we;
      assert_int_equal(commands(b, DRAM_ACT), 2);
      assert_int_equal(commands(b, DRAM_SASEL), between ? 2 : 0);
      if (between) {
        static const dram_cmd cmds[] = {DRAM_RD,    DRAM_RD, DRAM_RD, DRAM_ACT,
                                        DRAM_SASEL, DRAM_RD, DRAM_RD};
        static const uint32_t gaps[] = {0, 2, 2, 1, 1, 1, 2};
        expect_first(b, cmds, gaps, 7);
      }
      bench_end(b);
    }
}

// SASEL comes between two RDs and costs nothing; for a write it waits until that may follow.
static void rows_take_turns_without_a_gap(void **state) {
  (void)state;
  bench *b = bench_new(4, false, no_refresh);
  latency_of(b, (rig_request){.row = 2});
  latency_of(b, (rig_request){.row = 1});
  latency_of(b, (rig_request){.row = 0});
  bench_cycles(b, 100);
  b->n_log = 0;
  static const rig_request q[] = {{.row = 0, .col = 0},
                                  {.row = 0, .col = 1},
                                  {.row = 1, .col = 2},
                                  {.row = 2, .col = 3, .we = true}};
  bench_list(b, q, 4);
  static const dram_cmd cmds[] = {DRAM_RD, DRAM_RD, DRAM_SASEL, DRAM_RD, DRAM_SASEL, DRAM_WR};
  static const uint32_t gaps[] = {0, 2, 1, 1, 3, 1};
  expect_commands(b, cmds, gaps, 6);
  bench_end(b);
}

// Where all rows that may be are open, PRE of the one used least recently comes first, and costs
// the hits nothing.
static void a_row_makes_room_while_hits_are_served(void **state) {
  (void)state;
  bench *b = bench_new(2, false, no_refresh);
  latency_of(b, (rig_request){.row = 1});
  latency_of(b, (rig_request){.row = 0});
  bench_cycles(b, 100);
  b->n_log = 0;
  rig_request q[13];
  for (uint32_t i = 0; i < 13; i++)
    q[i] = (rig_request){.row = i == 4 ? 2 : 0, .col = i};
  bench_list(b, q, 13);
  static const dram_cmd cmds[] = {DRAM_RD,  DRAM_RD,    DRAM_RD, DRAM_PRE, DRAM_RD,
                                  DRAM_ACT, DRAM_SASEL, DRAM_RD, DRAM_RD};
  static const uint32_t gaps[] = {0, 2, 2, 1, 1, 1, 1, 1, 2};
  expect_first(b, cmds, gaps, 9);
  assert_int_equal(commands(b, DRAM_SASEL), 2);
  bench_end(b);
}

static void a_row_that_will_be_hit_is_not_closed_for_another(void **state) {
  (void)state;
  bench *b = bench_new(2, false, no_refresh);
  latency_of(b, (rig_request){.row = 0});
  latency_of(b, (rig_request){.row = 1});
  bench_cycles(b, 100);
  rig_request q[8];
  for (uint32_t i = 0; i < 8; i++)
    q[i] = (rig_request){.row = 1, .col = i};
  q[6].row = 0;  // the row used least recently
  q[7].row = 2;
  bench_list(b, q, 8);
  assert_int_equal(commands(b, DRAM_ACT), 3);
  bench_end(b);
}

static void any_traffic(void **state) {
  (void)state;
  uint64_t random = 4711;
  for (uint32_t i = 0; i < 120; i++) {
    const rig_refresh refresh = i % 3 == 0   ? (rig_refresh){3900, 1, true}
                                : i % 3 == 1 ? (rig_refresh){450, 8, false}
                                             : (rig_refresh){1000, 3, true};
    bench *b = bench_new(1u << i % 3, i / 3 % 3 == 0, refresh);
    for (uint32_t k = 0; k < 4; k++) {
      traffic t = traffic_random(&random);
      rig_source_set(&b->r, traffic_next, &t);
      bench_cycles(b, 2000);
      if (k & 1) {
        while (b->r.offering)
          bench_cycle(b);
        rig_source_set(&b->r, NULL, NULL);
        rig_refresh_set(&b->r, no_refresh);
        bench_drain(b);
        rig_refresh_set(&b->r, refresh);
      }
    }
    rig_source_set(&b->r, NULL, NULL);
    rig_refresh_set(&b->r, no_refresh);
    bench_end(b);
  }
}

// ---- figures

typedef struct figure {
  double accesses, bytes, selects;  // a cycle, a cycle, an access
} figure;

static figure saturate(bench *b, uint64_t warm_up, uint64_t cycles) {
  bench_cycles(b, warm_up);
  const uint64_t n = b->r.responses, selects = commands(b, DRAM_SASEL);
  bench_cycles(b, cycles);
  const uint64_t accesses = b->r.responses - n;
  return (figure){(double)accesses / (double)cycles, 32.0 * (double)accesses / (double)cycles,
                  (double)(commands(b, DRAM_SASEL) - selects) / (double)accesses};
}

static void between(const char *what, double value, double low, double high) {
  print_message("    %s: %.5f in %.5f .. %.5f\n", what, value, low, high);
  if (value < low || value > high)
    fail_msg("%s: %.5f is not in %.5f .. %.5f", what, value, low, high);
}

static const double refresh_factor = 1 - 350.0 / 3900;

static void row_visits_take_what_the_row_takes(void **state) {
  (void)state;
  static const uint32_t visit[] = {1, 4, 8, 16, 64};
  for (uint32_t i = 0; i < 5; i++) {
    bench *b = bench_new(1, false, usual_refresh);
    visits v = {visit[i], 32, 16384, 0};
    rig_source_set(&b->r, visits_next, &v);
    const figure f = saturate(b, 3900, 3900 * 40);
    const double row = 30 + 2.0 * visit[i] > 47 ? 30 + 2.0 * visit[i] : 47;
    const double want = refresh_factor * 32 * visit[i] / row;
    char what[64];
    snprintf(what, sizeof what, "%u accesses a row visit, bytes a cycle", visit[i]);
    between(what, f.bytes, want * 0.98, want * 1.02);
    rig_source_set(&b->r, NULL, NULL);
    bench_end(b);
  }
}

static void ping_pong_over_as_many_rows_as_may_be_open(void **state) {
  (void)state;
  static const struct {
    uint32_t rows, k, turn;
  } cases[] = {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {2, 2, 4}, {4, 1, 1}, {4, 2, 1},
               {4, 3, 1}, {4, 4, 1}, {4, 4, 2}, {4, 4, 4}, {4, 4, 16}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench *b = bench_new(cases[i].rows, false, usual_refresh);
    visits v = {cases[i].turn, 32, cases[i].k, 0};
    rig_source_set(&b->r, visits_next, &v);
    const figure f = saturate(b, 3900, 3900 * 20);
    char what[96];
    snprintf(what, sizeof what, "%u rows in turn, %u accesses each, %u buffers, bytes a cycle",
             cases[i].k, cases[i].turn, cases[i].rows);
    between(what, f.bytes, 13.5, 16 * refresh_factor * 1.001);
    between("selects an access", f.selects, 0, 1.1);
    rig_source_set(&b->r, NULL, NULL);
    bench_end(b);
  }
}

// More rows in turn than buffers: what DRAM simulators reach, or more.
static void misses_in_turn_saturate(void **state) {
  (void)state;
  static const struct {
    uint32_t rows;
    double limit;
  } cases[] = {{1, 1 / 47.0}, {2, 2 / 34.0}, {4, 4 / 34.0}};
  for (uint32_t i = 0; i < 3; i++) {
    bench *b = bench_new(cases[i].rows, false, usual_refresh);
    visits v = {1, 32, 16384, 0};
    rig_source_set(&b->r, visits_next, &v);
    const figure f = saturate(b, 3900, 3900 * 50);
    char what[64];
    snprintf(what, sizeof what, "misses in turn, %u buffers, accesses a cycle", cases[i].rows);
    const double want = cases[i].limit * refresh_factor;
    between(what, f.accesses, want * 0.99, want * 1.01);
    rig_source_set(&b->r, NULL, NULL);
    bench_end(b);
  }
}

static void random_rows_saturate(void **state) {
  (void)state;
  static const struct {
    uint32_t rows;
    double low, high;
  } cases[] = {{1, 0.01937 * 0.99, 0.01937 * 1.01}, {4, 0.1061 * 0.99, 0.1071 * 1.01}};
  for (uint32_t i = 0; i < 2; i++) {
    bench *b = bench_new(cases[i].rows, false, usual_refresh);
    traffic t = {.kind = TRAFFIC_RANDOM,
                 .banks = 1,
                 .streams = 1,
                 .turn = 1,
                 .row_mask = 0x3fff,
                 .rate = 65536,
                 .random = 12345};
    rig_source_set(&b->r, traffic_next, &t);
    const figure f = saturate(b, 3900, 3900 * 100);
    char what[64];
    snprintf(what, sizeof what, "random rows, %u buffers, accesses a cycle", cases[i].rows);
    between(what, f.accesses, cases[i].low, cases[i].high);
    rig_source_set(&b->r, NULL, NULL);
    bench_end(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_idle_bank_answers_in_the_least_time),
      cmocka_unit_test(a_closed_page_needs_no_precharge),
      cmocka_unit_test(an_open_page_stays_open),
      cmocka_unit_test(no_more_rows_open_than_the_strap_allows),
      cmocka_unit_test(the_least_recently_used_row_is_closed),
      cmocka_unit_test(a_full_queue_takes_no_more_and_loses_none),
      cmocka_unit_test(lines_that_meet),
      cmocka_unit_test(data_of_writes_have_places),
      cmocka_unit_test(a_line_of_four_banks_takes_one_place),
      cmocka_unit_test(requests_to_one_address_keep_their_order),
      cmocka_unit_test(a_refresh_in_the_middle_of_traffic),
      cmocka_unit_test(a_refresh_of_an_idle_bank_comes_at_once),
      cmocka_unit_test(refreshes_come_in_time_under_load),
      cmocka_unit_test(no_request_starves),
      cmocka_unit_test(other_banks_starve_nobody),
      cmocka_unit_test(urgent_banks_take_turns),
      cmocka_unit_test(banks_work_at_the_same_time),
      cmocka_unit_test(commands_come_as_early_as_the_arrays_allow),
      cmocka_unit_test(a_row_opens_as_early_after_a_refresh_as_it_may),
      cmocka_unit_test(a_row_is_left_when_its_hits_are_served),
      cmocka_unit_test(a_new_row_opens_while_hits_are_served),
      cmocka_unit_test(rows_take_turns_without_a_gap),
      cmocka_unit_test(a_row_makes_room_while_hits_are_served),
      cmocka_unit_test(a_row_that_will_be_hit_is_not_closed_for_another),
      cmocka_unit_test(any_traffic),
      cmocka_unit_test(row_visits_take_what_the_row_takes),
      cmocka_unit_test(ping_pong_over_as_many_rows_as_may_be_open),
      cmocka_unit_test(misses_in_turn_saturate),
      cmocka_unit_test(random_rows_saturate),
  };
  return cmocka_run_group_tests_name("Verilog", tests, stand_verilog, NULL) +
         cmocka_run_group_tests_name("twin", tests, stand_twin, NULL);
}
