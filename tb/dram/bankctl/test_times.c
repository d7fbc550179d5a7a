// SPDX-License-Identifier: Apache-2.0
// Times of the bank controller: each is kept to the cycle, in all its range, on the pins of Verilog
// and twin; any set of them, under traffic; and resets that the arrays survive.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stand.h"
#include "traffic.h"

enum { PIPELINE = 2 };  // cycles that the controller adds

// ---- times

// What the controller is told, and the cycles between two commands that follow from it. Two
// commands for a bank are two cycles apart at least.
typedef struct scene {
  const char *name;         // of the time
  rig_request requests[6];  // after the rows that `open` says are open
  uint32_t n, open, rows;
  dram_cmd from, to;                      // the first `from`, and the first `to` after it
  int64_t (*want)(const dram_timing *t);  // in cycles
} scene;

static int64_t ck(int64_t ps) {
  return ps / dram_timing_default.tCK;
}
static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static int64_t access_cycles(const dram_timing *t) {
  return later(t->tCCD, t->burst);
}
static int64_t want_rcd(const dram_timing *t) {
  return later(2, ck(t->tRCD));
}
static int64_t want_ras(const dram_timing *t) {
  return later(ck(t->tRAS), want_rcd(t) + later(2, ck(t->tRTP)));
}
static int64_t want_rtp(const dram_timing *t) {
  return later(later(2, ck(t->tRTP)), ck(t->tRAS) - want_rcd(t));
}
static int64_t want_rp(const dram_timing *t) {
  return later(2, ck(t->tRP));
}
static int64_t want_ccd(const dram_timing *t) {
  return later(2, access_cycles(t));
}
static int64_t want_rtw(const dram_timing *t) {
  return later(2, t->CL + access_cycles(t) + 2 - t->CWL);
}
static int64_t want_wtr(const dram_timing *t) {
  return later(2, t->CWL + t->burst + ck(t->tWTR));
}
static int64_t want_wr(const dram_timing *t) {
  return later(t->CWL + t->burst + ck(t->tWR), ck(t->tRAS) - want_rcd(t));
}
// Also in the cycle in which the first row can be accessed: the other bank is free (rule 9).
static int64_t want_rrd(const dram_timing *t) {
  return later(2, ck(t->tRRD));
}
static int64_t want_rfc(const dram_timing *t) {
  return ck(t->tRFC);
}
static int64_t want_scd(const dram_timing *t) {
  return ck(t->tSCD) == 1 ? 1 : later(2, ck(t->tSCD));
}
static int64_t want_ra(const dram_timing *t) {
  return ck(t->tRA) == 1 ? 1 : later(2, ck(t->tRA));
}
static int64_t want_wa(const dram_timing *t) {
  return later(2, ck(t->tWA));
}

static const scene scenes[] = {
    {"tRCD", {{.row = 7}}, 1, 0, 4, DRAM_ACT, DRAM_RD, want_rcd},
    {"tRCD", {{.row = 7, .we = true, .mask = 1}}, 1, 0, 4, DRAM_ACT, DRAM_WR, want_rcd},
    {"tRAS", {{.row = 7}, {.row = 39}}, 2, 0, 4, DRAM_ACT, DRAM_PRE, want_ras},
    {"tRTP", {{.row = 7}, {.row = 39}}, 2, 0, 4, DRAM_RD, DRAM_PRE, want_rtp},
    {"tRP", {{.row = 7}, {.row = 39}}, 2, 0, 4, DRAM_PRE, DRAM_ACT, want_rp},
    {"tRP", {{.row = 7}, {.row = 8}}, 2, 0, 1, DRAM_PRE, DRAM_ACT, want_rp},
    {"tCCD", {{.row = 0}, {.row = 0, .col = 1}}, 2, 1, 4, DRAM_RD, DRAM_RD, want_ccd},
    {"burst", {{.row = 0}, {.row = 0, .col = 1}}, 2, 1, 4, DRAM_RD, DRAM_RD, want_ccd},
    {"CL", {{.row = 0}, {.row = 0, .we = true, .mask = 1}}, 2, 1, 4, DRAM_RD, DRAM_WR, want_rtw},
    {"CWL", {{.row = 0, .we = true, .mask = 1}, {.row = 0}}, 2, 1, 4, DRAM_WR, DRAM_RD, want_wtr},
    {"tWTR", {{.row = 0, .we = true, .mask = 1}, {.row = 0}}, 2, 1, 4, DRAM_WR, DRAM_RD, want_wtr},
    {"tWR", {{.row = 7, .we = true, .mask = 1}, {.row = 39}}, 2, 0, 4, DRAM_WR, DRAM_PRE, want_wr},
    {"tRRD", {{.bank = 0, .row = 7}, {.bank = 1, .row = 7}}, 2, 0, 4, DRAM_ACT, DRAM_ACT, want_rrd},
    {"tSCD", {{.row = 0}}, 1, 2, 4, DRAM_SASEL, DRAM_RD, want_scd},
    {"tRA", {{.row = 1}, {.row = 0}}, 2, 2, 4, DRAM_RD, DRAM_SASEL, want_ra},
    {"tWA",
     {{.row = 1, .we = true, .mask = 1}, {.row = 0, .we = true, .mask = 1}},
     2,
     2,
     4,
     DRAM_WR,
     DRAM_SASEL,
     want_wa},
};

// Cycles between the commands, and no rule broken on the way.
static int64_t measure(const scene *s, const dram_timing *t) {
  bench *b = bench_with(s->rows, false, no_refresh, t);
  for (uint32_t row = 0; row < s->open; row++)
    bench_list(b, &(rig_request){.row = row}, 1);
  bench_cycles(b, 2000);
  b->n_log = 0;
  bench_list(b, s->requests, s->n);
  uint32_t i = 0, k;
  while (i < b->n_log && b->log[i].cmd != s->from)
    i++;
  for (k = i + 1; k < b->n_log && b->log[k].cmd != s->to;)
    k++;
  if (k >= b->n_log)
    fail_msg("%s: no two such commands", s->name);
  const int64_t gap = (int64_t)(b->log[k].cycle - b->log[i].cycle);
  bench_end(b);
  return gap;
}

// The field of a time, and its value as it is written there.
static int64_t *time_of(dram_timing *t, const char *name, int64_t *unit) {
#define PS_FIELD(field, value) \
  if (!strcmp(name, #field)) { \
    *unit = t->tCK;            \
    return &t->field;          \
  }
#define CK_FIELD(field, value) \
  if (!strcmp(name, #field)) { \
    *unit = 1;                 \
    return &t->field;          \
  }
  DRAM_TIMING(PS_FIELD, CK_FIELD)
#undef PS_FIELD
#undef CK_FIELD
  fail_msg("no time %s", name);
  return NULL;
}

static void each_time_is_kept_to_the_cycle(void **state) {
  (void)state;
  static const int64_t values[] = {1,   2,   3,   4,   5,   7,   8,   9,   14,  15,  16,
                                   17,  20,  23,  24,  25,  31,  32,  33,  38,  39,  63,
                                   64,  65,  127, 128, 129, 150, 200, 223, 239, 251, 255,
                                   256, 257, 300, 449, 483, 507, 511, 512, 1000};
  uint32_t measured = 0;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    int64_t most = 0;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      dram_timing t = dram_timing_default;
      int64_t unit, *time = time_of(&t, scenes[k].name, &unit);
      *time = values[v] * unit;
      if (t.tRAS < t.tRP && time == &t.tRP)
        t.tRAS = t.tRP;
      t.tRC = t.tRAS + t.tRP;
      bankctl_times told;
      char why[128];
      if (!bankctl_times_of(&t, &told, why, sizeof why))
        continue;
      const int64_t got = measure(&scenes[k], &t), want = scenes[k].want(&t);
      if (got != want)
        fail_msg("%s = %d: %d cycles, not %d", scenes[k].name, (int)values[v], (int)got, (int)want);
      measured++, most = values[v];
    }
    print_message("    %s: up to %d cycles\n", scenes[k].name, (int)most);
  }
  assert_true(measured > 400);
}

// Five ACT, in four banks: the fifth waits for the window.
static void four_acts_in_a_window(void **state) {
  (void)state;
  static const int64_t values[] = {1, 15, 16, 17, 20, 31, 32, 33, 63, 64, 65, 128, 255};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
    dram_timing t = dram_timing_default;
    t.tFAW = values[v] * t.tCK;
    bench *b = bench_with(4, false, no_refresh, &t);
    rig_request q[5];
    for (uint32_t i = 0; i < 5; i++)
      q[i] = (rig_request){.bank = i % DRAM_BANKS, .row = i};
    bench_list(b, q, 5);
    uint64_t acts[5];
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n_log && n < 5; i++)
      if (b->log[i].cmd == DRAM_ACT)
        acts[n++] = b->log[i].cycle;
    assert_int_equal(n, 5);
    // with a shorter window the fourth gap is tRRD, or two where a column access takes its cycle
    const int64_t gap = (int64_t)(acts[4] - acts[0]);
    if (values[v] >= 17)
      assert_int_equal(gap, values[v]);
    else
      assert_in_range(gap, 16, 17);
    bench_end(b);
  }
}

static void a_refresh_takes_its_time(void **state) {
  (void)state;
  static const int64_t values[] = {4,   14,  255, 256,  257,  350,  420,
                                   511, 512, 513, 1023, 1024, 3500, 4000};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
    dram_timing t = dram_timing_default;
    t.tRFC = values[v] * t.tCK;
    bench *b = bench_with(4, false, no_refresh, &t);
    rig_refresh_set(&b->r, (rig_refresh){40, 1, false});
    bench_cycles(b, 41);
    rig_refresh_set(&b->r, no_refresh);
    list l = {&(rig_request){.bank = 3, .row = 3}, 1, 0};
    rig_source_set(&b->r, list_next, &l);
    bench_cycles(b, 5000);
    assert_int_equal(b->n_log, DRAM_BANKS + 2);
    assert_int_equal(b->log[3].cmd, DRAM_REF);
    assert_int_equal(b->log[4].cmd, DRAM_ACT);
    assert_int_equal(b->log[4].cycle - b->log[3].cycle, later(want_rfc(&t), 4));
    bench_end(b);
  }
}

// CL and burst: from RD on the pins to the answer; CWL: the arrays take the data then.
static void data_come_when_they_should(void **state) {
  (void)state;
  for (int64_t cl = 1; cl <= 24; cl++)
    for (int64_t burst = 1; burst <= 17; burst += 4) {
      dram_timing t = dram_timing_default;
      t.CL = cl, t.burst = burst, t.CWL = 2 + (cl * 7 + burst) % 23;
      bench *b = bench_with(4, false, no_refresh, &t);
      rig_request q[30];
      for (uint32_t i = 0; i < 30; i++)
        q[i] = (rig_request){
            .bank = i % DRAM_BANKS, .row = i % 3, .col = i, .we = i % 3 != 1, .mask = UINT32_MAX};
      bench_list(b, q, 30);
      for (uint32_t i = 0; i < 30; i++)
        q[i].we = false;
      bench_list(b, q, 30);
      const uint64_t open = latency_of(b, (rig_request){.bank = 1, .row = 1});
      bench_cycles(b, 100);
      b->n_log = 0;
      const uint64_t hit = latency_of(b, (rig_request){.bank = 1, .row = 1});
      (void)open;
      assert_int_equal(hit, 1 + cl + burst + PIPELINE);
      bench_end(b);
    }
}

static void any_traffic_at_any_times(void **state) {
  (void)state;
  uint64_t random = 4711;
  for (uint32_t i = 0; i < 90; i++) {
    const dram_timing timing = i < 30 ? rig_timing(i % RIG_TIMINGS) : rig_timing_random(&random);
    const uint32_t busy = (uint32_t)(ck(timing.tRFC + timing.tRP + timing.tRAS + timing.tWR) +
                                     timing.CWL + timing.burst);
    const rig_refresh refresh = {2 * busy, 1 + i % 3, i % 2};
    bench *b = bench_with(1u << i % 3, i / 3 % 3 == 0, refresh, &timing);
    for (uint32_t k = 0; k < 4; k++) {
      traffic t = traffic_random(&random);
      rig_source_set(&b->r, traffic_next, &t);
      bench_cycles(b, 4000);
    }
    while (b->r.offering)
      bench_cycle(b);
    rig_source_set(&b->r, NULL, NULL);
    rig_refresh_set(&b->r, no_refresh);
    bench_end(b);
  }
}

// In a process of its own, for the check ends it: what a time out of its range does.
static void a_time_out_of_range_is_refused(void **state) {
  (void)state;
  dram_timing t = dram_timing_default;
  bankctl_times times;
  char why[128];
  t.tRCD = 256 * t.tCK;
  assert_false(bankctl_times_of(&t, &times, why, sizeof why));
  assert_string_equal(why, "ACT to RD or WR: 256 cycles are out of range; allowed: 1 to 255");
  t = dram_timing_default, t.tRFC = 4001 * t.tCK;
  assert_false(bankctl_times_of(&t, &times, why, sizeof why));
  t = dram_timing_default, t.tRP = 34 * t.tCK;
  assert_false(bankctl_times_of(&t, &times, why, sizeof why));
  assert_string_equal(why, "ACT to PRE: 33 cycles are out of range; allowed: 34 to 511");
  t = dram_timing_default, t.CWL = 1;
  assert_false(bankctl_times_of(&t, &times, why, sizeof why));
  if (subject != &bankctl_rtl)
    return;
  for (uint32_t n = 0; n < BANKCTL_N_TIMES; n++)
    for (uint32_t high = 0; high < 2; high++) {
      bench *b = bench_new(4, false, no_refresh);
      bankctl_in in = b->r.in;
      uint32_t fields[BANKCTL_N_TIMES];
      const bankctl_times good = bankctl_times_default();
      memcpy(fields, &good, sizeof fields);
      in.rst_n = 0;
      subject->step(b->block, &in, &b->out);
      assert_false(bankctl_rtl_failed(b->block));
      in.rst_n = 1;
      fields[n] = high ? 4095 : 0;
      bankctl_times bad;
      memcpy(&bad, fields, sizeof bad);
      bankctl_times_put(&bad, in.cfg_times);
      subject->step(b->block, &in, &b->out);
      assert_true(bankctl_rtl_failed(b->block));
      subject->destroy(b->block);
      rig_free(&b->r);
      free(b);
    }
}

// A check of the Verilog is false when a strap changes, but for what comes after a cold reset.
static void straps_that_stand_still(void **state) {
  (void)state;
  if (subject != &bankctl_rtl)
    return;
  const dram_timing timing = rig_timing(1);
  bankctl_times times;
  char why[160];
  assert_true(bankctl_times_of(&timing, &times, why, sizeof why));
  enum { NONE, COLD, WARM };
  for (uint32_t reset = NONE; reset <= WARM; reset++)
    for (uint32_t strap = 0; strap < 3; strap++) {
      bench *b = bench_new(4, false, no_refresh);
      bankctl_in in = b->r.in;
      subject->step(b->block, &in, &b->out);
      in.rst_n = reset == NONE, in.cfg_warm = reset == WARM;
      subject->step(b->block, &in, &b->out);
      assert_false(bankctl_rtl_failed(b->block));
      in.rst_n = 1;
      if (strap == 0)
        in.cfg_rows = 2;
      else if (strap == 1)
        in.cfg_closed = 1;
      else
        bankctl_times_put(&times, in.cfg_times);
      subject->step(b->block, &in, &b->out);
      assert_int_equal(bankctl_rtl_failed(b->block), reset != COLD);
      subject->destroy(b->block);
      rig_free(&b->r);
      free(b);
    }
}

// The fields of cfg_times stand in the Verilog in the order of the table.
static void the_verilog_has_the_fields_in_that_order(void **state) {
  (void)state;
  static char text[1 << 17];
  static const char *const names[] = {
#define BANKCTL_TIME(name, NAME, min, max, cycles, doc) #name,
#include "csim/dram/bankctl_times.def"
  };
  FILE *f = fopen(NEARBANK_ROOT "/rtl/dram/bankctl/bankctl.sv", "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  for (uint32_t n = 0; n < BANKCTL_N_TIMES; n++) {
    char want[32];
    snprintf(want, sizeof want, " At%c%s = %u", names[n][0] - 'a' + 'A', names[n] + 1, n);
    if (!strstr(text, want))
      fail_msg("no '%s' in bankctl.sv", want);
  }
}

// ---- reset

// Rows are open, a refresh, a write and an ACT are under way: then comes a reset, in any cycle. The
// arrays live on.
static void a_warm_reset_at_any_time(void **state) {
  (void)state;
  for (uint32_t k = 0; k < RIG_TIMINGS; k++)
    for (uint32_t at = 1; at < 60; at++) {
      const dram_timing timing = rig_timing(k);
      bench *b = bench_with(1u << at % 3, false, no_refresh, &timing);
      rig_request q[24];
      for (uint32_t i = 0; i < 24; i++)
        q[i] = (rig_request){
            .bank = i % 3, .row = i / 2 % 5 * 7, .col = i, .we = i % 3 == 0, .mask = UINT32_MAX};
      list l = {q, 24, 0};
      rig_source_set(&b->r, list_next, &l);
      const uint32_t cycles = at * (k == 2 ? 17 : 3);
      rig_refresh_set(&b->r, (rig_refresh){cycles * 2 / 3 + 1, 1, true});
      bench_cycles(b, cycles);
      rig_refresh_set(&b->r, no_refresh);
      rig_source_set(&b->r, NULL, NULL);
      rig_warm_reset(&b->r, &b->out);
      bankctl_in reset = b->r.in;
      reset.rst_n = 0, reset.cfg_warm = 1, reset.req_valid = 0, reset.ref_tick = 0;
      subject->step(b->block, &reset, &b->out);
      assert_int_equal(b->out.cmd, DRAM_NONE);
      assert_int_equal(b->out.wmask, 0);
      assert_true(b->out.busy);
      assert_false(b->out.req_ready);
      b->r.in.cfg_warm = 1;
      const uint64_t refreshes = commands(b, DRAM_REF);
      bench_list(b, q, 24);
      assert_int_equal(commands(b, DRAM_PREA), DRAM_BANKS);
      // refreshes that may have been outstanding
      assert_int_equal(commands(b, DRAM_REF) - refreshes, DRAM_BANKS * DRAM_POSTPONED);
      assert_int_equal(b->r.waiting > 0, 1);
      bench_end(b);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_time_is_kept_to_the_cycle),
      cmocka_unit_test(four_acts_in_a_window),
      cmocka_unit_test(a_refresh_takes_its_time),
      cmocka_unit_test(data_come_when_they_should),
      cmocka_unit_test(any_traffic_at_any_times),
      cmocka_unit_test(a_time_out_of_range_is_refused),
      cmocka_unit_test(straps_that_stand_still),
      cmocka_unit_test(the_verilog_has_the_fields_in_that_order),
      cmocka_unit_test(a_warm_reset_at_any_time),
  };
  return cmocka_run_group_tests_name("Verilog", tests, stand_verilog, NULL) +
         cmocka_run_group_tests_name("twin", tests, stand_twin, NULL);
}
