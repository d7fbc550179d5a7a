// SPDX-License-Identifier: Apache-2.0
// The DRAM arrays as a judge: sequences of commands that are legal, and the same with one command a
// cycle too early, for every rule.
//
// A sequence is a text, `cycle command bank row` separated by commas; column and data do not
// matter.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/dram/dram.h"

enum { MAX_CAUGHT = 16 };

typedef struct caught {
  uint32_t n;
  uint64_t last, earliest;  // cycle of the last command; from which on the times allow it
  uint64_t seen;            // as dram_last has it
  dram_cmd cmd;
  dram_violation list[MAX_CAUGHT];
  char text[MAX_CAUGHT][256];
} caught;

static bool rule_was_caught[DRAM_RULES];

static void catch_it(void *ctx, const dram_violation *v) {
  caught *c = ctx;
  assert_true(c->n < MAX_CAUGHT);
  c->list[c->n] = *v;
  snprintf(c->text[c->n], sizeof c->text[0], "%s", v->text);
  c->n++;
  rule_was_caught[v->rule] = true;
}

static dram_cmd cmd_of(const char *name) {
  static const char *const names[] = {"-", "ACT", "PRE", "SASEL", "RD", "WR", "REF"};
  for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i]))
      return (dram_cmd)i;
  fail_msg("no command %s", name);
  return DRAM_NONE;
}

// Steps through all cycles up to `cycle`, so that data come and go, with the command in the last.
static void issue(dram *d, uint64_t *next, uint64_t cycle, dram_cmd cmd, uint32_t bank,
                  uint32_t row) {
  uint32_t rdata[DRAM_WORDS], wdata[DRAM_WORDS] = {0};
  assert_true(cycle >= *next);
  for (; dram_busy(d) && *next < cycle; ++*next)
    dram_step(d, *next, &(dram_pins){.wdata = wdata}, rdata);
  dram_step(d, cycle, &(dram_pins){cmd, bank, row, 3, wdata, 0}, rdata);
  *next = cycle + 1;
}

static void run(const dram_config *config, const char *script, int64_t shift_last, caught *c) {
  dram_config own = *config;
  own.report = catch_it;
  own.ctx = c;
  *c = (caught){0};
  dram *d = dram_create(&own);
  assert_non_null(d);
  uint64_t next = 0;
  for (const char *p = script; p;) {
    char name[8];
    uint64_t cycle;
    uint32_t bank, row;
    if (sscanf(p, " %" SCNu64 " %7s %u %u", &cycle, name, &bank, &row) != 4)
      fail_msg("cannot read %s", p);
    p = strchr(p, ',');
    if (p)
      p++;
    else
      cycle = (uint64_t)((int64_t)cycle + shift_last);
    c->last = cycle;
    if (bank < DRAM_BANKS)
      c->earliest = dram_earliest(d, bank, row % DRAM_SUBARRAYS, cmd_of(name));
    issue(d, &next, cycle, cmd_of(name), bank, row);
    if (bank < DRAM_BANKS)
      c->cmd = dram_last(d, bank, &c->seen);
  }
  assert_int_equal(dram_violations(d), c->n);
  dram_destroy(d);
}

static dram_config config_with(const char *change) {
  dram_config config = dram_config_default();
  config.refresh = DRAM_REF_OFF;
  char name[8];
  long long value;
  for (const char *p = change; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    assert_int_equal(sscanf(p, " %7[a-zA-Z]=%lld", name, &value), 2);
    if (!strcmp(name, "rows"))
      config.rows = (uint32_t)value;
#define FIELD(field, unused) else if (!strcmp(name, #field)) config.timing.field = value;
    DRAM_TIMING(FIELD, FIELD)
#undef FIELD
    else fail_msg("no field %s", name);
  }
  return config;
}

// ---- delays: the sequence is legal, and with its last command a cycle earlier breaks one rule.
// Where the default times let another rule hide the one that is meant, the times are others.

typedef struct limit {
  dram_rule rule;
  const char *change, *script;
} limit;

static const limit limits[] = {
    {DRAM_RULE_CCD_RD, NULL, "0 ACT 0 5, 14 RD 0 5, 16 RD 0 5"},
    {DRAM_RULE_CCD_RD, NULL, "0 ACT 3 5, 14 RD 3 5, 16 RD 3 5"},
    {DRAM_RULE_CCD_RD, "burst=4", "0 ACT 0 5, 14 RD 0 5, 18 RD 0 5"},
    {DRAM_RULE_CCD_RD, "tCCD=4", "0 ACT 0 5, 4 ACT 0 6, 18 RD 0 6, 19 SASEL 0 5, 22 RD 0 5"},
    {DRAM_RULE_CCD_WR, NULL, "0 ACT 0 5, 14 WR 0 5, 16 WR 0 5"},
    {DRAM_RULE_CCD_WR, "burst=4", "0 ACT 0 5, 14 WR 0 5, 18 WR 0 5"},
    {DRAM_RULE_CCD_WR, "tCCD=4,tWA=1000",
     "0 ACT 0 5, 4 ACT 0 6, 18 WR 0 6, 19 SASEL 0 5, 22 WR 0 5"},
    {DRAM_RULE_RTW, NULL, "0 ACT 0 5, 14 RD 0 5, 18 WR 0 5"},
    {DRAM_RULE_RTW, "CL=5", "0 ACT 0 5, 14 RD 0 5, 21 WR 0 5"},
    {DRAM_RULE_RTW, "CWL=1", "0 ACT 0 5, 14 RD 0 5, 19 WR 0 5"},
    {DRAM_RULE_RTW, NULL, "0 ACT 0 5, 4 ACT 0 6, 18 RD 0 6, 19 SASEL 0 5, 22 WR 0 5"},
    {DRAM_RULE_RTW, NULL, "0 ACT 0 5, 14 RD 0 5, 16 RD 0 5, 20 WR 0 5"},
    {DRAM_RULE_WTR, NULL, "0 ACT 0 5, 14 WR 0 5, 26 RD 0 5"},
    {DRAM_RULE_WTR, "tWTR=9000", "0 ACT 0 5, 14 WR 0 5, 27 RD 0 5"},
    {DRAM_RULE_WTR, "CWL=3", "0 ACT 0 5, 14 WR 0 5, 27 RD 0 5"},
    {DRAM_RULE_WTR, "tWA=1000", "0 ACT 0 5, 4 ACT 0 6, 18 WR 0 6, 19 SASEL 0 5, 30 RD 0 5"},
    {DRAM_RULE_PINS_RD, "pins=2", "0 ACT 0 5, 4 ACT 1 5, 18 RD 0 5, 20 RD 1 5"},
    {DRAM_RULE_PINS_WR, "pins=2", "0 ACT 0 5, 4 ACT 1 5, 18 WR 0 5, 20 WR 1 5"},
    {DRAM_RULE_RRD, NULL, "0 ACT 0 5, 4 ACT 1 5"},
    {DRAM_RULE_RRD, NULL, "0 ACT 2 5, 4 ACT 2 6"},
    {DRAM_RULE_RRD, NULL, "0 ACT 3 5, 4 ACT 1 5, 8 ACT 0 5"},
    {DRAM_RULE_FAW, "tFAW=20000", "0 ACT 0 5, 4 ACT 1 5, 8 ACT 2 5, 12 ACT 3 5, 20 ACT 0 6"},
    {DRAM_RULE_FAW, "tFAW=20000",
     "0 ACT 0 5, 9 ACT 0 6, 13 ACT 0 7, 17 ACT 0 8, 21 ACT 1 9, 29 ACT 2 1"},
    {DRAM_RULE_FAW, "tFAW=30000,rows=8", "0 ACT 1 0, 4 ACT 1 1, 8 ACT 1 2, 12 ACT 1 3, 30 ACT 1 4"},
    {DRAM_RULE_RCD, NULL, "0 ACT 0 5, 14 RD 0 5"},
    {DRAM_RULE_RCD, NULL, "0 ACT 0 31, 14 WR 0 31"},
    {DRAM_RULE_RCD, NULL, "0 ACT 0 6, 4 ACT 0 5, 6 SASEL 0 6, 14 RD 0 6"},
    {DRAM_RULE_RCD, NULL, "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 37, 68 RD 0 37"},
    {DRAM_RULE_RAS, NULL, "0 ACT 0 5, 33 PRE 0 5"},
    {DRAM_RULE_RAS, NULL, "0 ACT 0 5, 14 RD 0 5, 33 PRE 0 5"},
    {DRAM_RULE_RAS, NULL, "0 ACT 0 5, 4 ACT 0 6, 33 PRE 0 5, 37 PRE 0 6"},
    {DRAM_RULE_RC, "tRC=50000", "0 ACT 0 5, 33 PRE 0 5, 50 ACT 0 5"},
    {DRAM_RULE_RC, "tRC=50000", "0 ACT 0 5, 4 ACT 0 6, 36 PRE 0 5, 37 PRE 0 6, 54 ACT 0 38"},
    {DRAM_RULE_RP, NULL, "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 5"},
    {DRAM_RULE_RP, NULL, "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 16357"},
    {DRAM_RULE_RP_ONE, "rows=1", "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 6"},
    {DRAM_RULE_RP, "rows=1", "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 5"},
    {DRAM_RULE_RC_ONE, "rows=1,tRC=50000", "0 ACT 0 5, 33 PRE 0 5, 50 ACT 0 6"},
    {DRAM_RULE_RTP, NULL, "0 ACT 0 5, 40 RD 0 5, 44 PRE 0 5"},
    {DRAM_RULE_RTP, NULL, "0 ACT 0 5, 14 RD 0 5, 40 RD 0 5, 44 PRE 0 5"},
    {DRAM_RULE_RTP, NULL, "0 ACT 0 5, 4 ACT 0 6, 40 RD 0 6, 41 SASEL 0 5, 44 PRE 0 6"},
    {DRAM_RULE_WR, NULL, "0 ACT 0 5, 20 WR 0 5, 39 PRE 0 5"},
    {DRAM_RULE_WR, "CWL=3", "0 ACT 0 5, 20 WR 0 5, 40 PRE 0 5"},
    {DRAM_RULE_WR, NULL, "0 ACT 0 5, 20 WR 0 5, 32 RD 0 5, 39 PRE 0 5"},
    {DRAM_RULE_SCD, "tSCD=3000", "0 ACT 0 5, 4 ACT 0 6, 20 SASEL 0 5, 23 RD 0 5"},
    {DRAM_RULE_SCD, "tSCD=3000", "0 ACT 0 5, 4 ACT 0 6, 20 SASEL 0 5, 23 WR 0 5"},
    {DRAM_RULE_RA, "tRA=3000", "0 ACT 0 5, 20 RD 0 5, 23 ACT 0 6"},
    {DRAM_RULE_RA, "tRA=3000", "0 ACT 0 5, 4 ACT 0 6, 20 RD 0 6, 23 SASEL 0 5"},
    {DRAM_RULE_RA, "tRA=3000",
     "0 ACT 0 5, 4 ACT 0 6, 20 RD 0 6, 25 SASEL 0 5, 27 RD 0 5, 30 SASEL 0 6"},
    {DRAM_RULE_WA, NULL, "0 ACT 0 5, 20 WR 0 5, 32 ACT 0 6"},
    {DRAM_RULE_WA, NULL, "0 ACT 0 5, 4 ACT 0 6, 20 WR 0 6, 32 SASEL 0 5"},
    {DRAM_RULE_WA, "tWA=14000", "0 ACT 0 5, 4 ACT 0 6, 20 WR 0 6, 32 RD 0 6, 34 SASEL 0 5"},
    {DRAM_RULE_RP_REF, NULL, "0 ACT 0 5, 40 PRE 0 5, 54 REF 0 0"},
    {DRAM_RULE_RP_REF, NULL, "0 ACT 0 5, 4 ACT 0 6, 40 PRE 0 5, 44 PRE 0 6, 58 REF 0 0"},
    {DRAM_RULE_RP_REF, NULL, "0 ACT 0 5, 4 ACT 0 6, 40 PRE 0 6, 44 PRE 0 5, 58 REF 0 7"},
    {DRAM_RULE_RFC, NULL, "0 REF 0 0, 350 ACT 0 5"},
    {DRAM_RULE_RFC, NULL, "9 REF 2 5, 359 ACT 2 6"},
    {DRAM_RULE_RFC, NULL, "0 REF 0 0, 350 REF 0 0"},
};

static void at_the_limit_passes_and_a_cycle_earlier_is_caught(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const limit *l = &limits[i];
    const dram_config config = config_with(l->change);
    caught c;
    run(&config, l->script, 0, &c);
    if (c.n)
      fail_msg("legal: %s\n%s", l->script, c.text[0]);
    assert_int_equal(c.earliest, c.last);
    assert_int_equal(c.seen, c.last);
    run(&config, l->script, 1, &c);
    if (c.n)
      fail_msg("legal, a cycle later: %s\n%s", l->script, c.text[0]);
    run(&config, l->script, -1, &c);
    if (c.n != 1 || c.list[0].rule != l->rule)
      fail_msg("%s, last a cycle earlier: %u caught, not once %s\n%s", l->script, c.n,
               dram_rule_name(l->rule), c.n ? c.text[0] : "");
    assert_int_equal(c.list[0].by_ps, 1000);
  }
}

static void who_looks_on_sees_the_last_command(void **state) {
  (void)state;
  const dram_config config = config_with(NULL);
  uint64_t cycle;
  caught c;
  run(&config, "0 ACT 0 5", 0, &c);
  assert_int_equal(c.earliest, 0);
  assert_int_equal(c.cmd, DRAM_ACT);
  run(&config, "0 ACT 0 5, 40 PRE 0 5, 54 ACT 0 16357, 58 ACT 0 6, 72 SASEL 0 16357", 0, &c);
  assert_int_equal(c.cmd, DRAM_SASEL);
  run(&config, "9 ACT 1 7, 12 ACT 2 7, 42 PRE 1 7", 0, &c);
  assert_int_equal(c.cmd, DRAM_PRE);
  assert_int_equal(c.seen, 42);
  dram *d = dram_create(&config);
  assert_int_equal(dram_last(d, 3, &cycle), DRAM_NONE);
  dram_destroy(d);
}

// ---- what is not forbidden, and what is whatever the time

typedef struct sequence {
  const char *change, *script;
  dram_rule rules[4];  // those that are broken
  uint32_t n;
} sequence;

static const sequence sequences[] = {
    // siblings overlap: PRE and ACT, ACT and PRE, PRE and PRE, ACT and RD
    {NULL, "0 ACT 0 5, 40 PRE 0 5, 41 ACT 0 6", {0}, 0},
    {NULL, "0 ACT 0 5, 32 ACT 0 6, 33 PRE 0 5", {0}, 0},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 50 PRE 0 5, 51 PRE 0 6", {0}, 0},
    {NULL, "0 ACT 0 5, 20 ACT 0 6, 21 SASEL 0 5, 22 RD 0 5", {0}, 0},
    {"tRA=3000", "0 ACT 0 5, 20 RD 0 5, 22 RD 0 5", {0}, 0},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 100 PRE 0 5, 101 RD 0 6", {0}, 0},
    // banks know nothing of one another but for activates
    {NULL, "0 ACT 0 5, 4 ACT 1 5, 20 RD 0 5, 21 RD 1 5, 22 WR 1 5", {DRAM_RULE_RTW}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 1 5, 20 WR 0 5, 21 RD 1 5, 22 WR 0 5, 23 RD 1 5", {0}, 0},
    {"tRA=3000", "0 ACT 0 5, 4 ACT 1 5, 20 RD 0 5, 21 RD 1 5", {0}, 0},
    {NULL, "0 ACT 0 5, 20 WR 0 5, 21 ACT 1 6, 22 REF 2 0, 25 ACT 3 1", {0}, 0},
    {NULL, "0 REF 0 0, 1 REF 1 0, 2 REF 2 0, 3 REF 3 0, 350 ACT 0 1, 354 ACT 1 1", {0}, 0},
    // states of a subarray
    {NULL, "0 ACT 0 5, 100 ACT 0 37", {DRAM_RULE_OPEN}, 1},
    {NULL, "0 ACT 0 5, 100 ACT 0 5", {DRAM_RULE_OPEN}, 1},
    {NULL, "0 RD 0 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 WR 0 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 PRE 0 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 SASEL 0 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 ACT 0 5, 100 RD 1 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 ACT 0 5, 100 RD 0 6", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 ACT 0 5, 100 PRE 0 5, 200 PRE 0 5", {DRAM_RULE_CLOSED}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 100 RD 0 5", {DRAM_RULE_SELECTED}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 100 WR 0 5", {DRAM_RULE_SELECTED}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 100 PRE 0 6, 101 RD 0 5", {DRAM_RULE_SELECTED}, 1},
    {NULL,
     "0 ACT 0 5, 4 ACT 0 6, 100 SASEL 0 5, 101 SASEL 0 6, 102 RD 0 5",
     {DRAM_RULE_SELECTED},
     1},
    {NULL, "0 ACT 0 5, 100 SASEL 0 5", {DRAM_RULE_RESELECT}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 0 6, 100 SASEL 0 5, 101 SASEL 0 5", {DRAM_RULE_RESELECT}, 1},
    // rows open at once
    {"rows=1", "0 ACT 0 5, 100 ACT 0 6", {DRAM_RULE_LIMIT}, 1},
    {"rows=1", "0 ACT 0 5, 100 ACT 1 6, 110 ACT 2 6", {0}, 0},
    {"rows=1", "0 ACT 0 5, 100 PRE 0 5, 101 ACT 1 6", {0}, 0},
    {"rows=2", "0 ACT 0 5, 33 PRE 0 5, 34 ACT 0 6", {0}, 0},
    {"rows=2", "0 ACT 0 5, 100 ACT 0 6", {0}, 0},
    {"rows=2", "0 ACT 0 5, 100 ACT 0 6, 200 ACT 0 7", {DRAM_RULE_LIMIT}, 1},
    {NULL, "0 ACT 0 5, 100 ACT 0 6, 200 ACT 0 7, 300 ACT 0 8", {0}, 0},
    {NULL, "0 ACT 0 5, 100 ACT 0 6, 200 ACT 0 7, 300 ACT 0 8, 400 ACT 0 9", {DRAM_RULE_LIMIT}, 1},
    // refresh
    {NULL, "0 ACT 0 5, 100 REF 0 0", {DRAM_RULE_REF_OPEN}, 1},
    {NULL, "0 ACT 0 5, 4 ACT 0 31, 100 PRE 0 5, 200 REF 0 0", {DRAM_RULE_REF_OPEN}, 1},
    {NULL, "0 ACT 1 5, 100 REF 0 0", {0}, 0},
    {NULL, "0 REF 0 0, 100 RD 0 5", {DRAM_RULE_CLOSED}, 1},
    // a command from one sibling to the next without the gap, and again
    {"tRA=4000",
     "0 ACT 0 5, 4 ACT 0 6, 20 RD 0 6, 21 SASEL 0 5, 22 RD 0 5",
     {DRAM_RULE_RA, DRAM_RULE_RA},
     2},
    {"tWA=14000",
     "0 ACT 0 5, 4 ACT 0 6, 20 WR 0 6, 21 SASEL 0 5, 33 WR 0 5",
     {DRAM_RULE_WA, DRAM_RULE_WA},
     2},
    // the last write to a sibling counts, though a later one went to the own subarray
    {"tWA=30000",
     "0 ACT 0 5, 4 ACT 0 6, 20 WR 0 6, 21 SASEL 0 5, 22 WR 0 5, 24 WR 0 5, 49 WR 0 5",
     {DRAM_RULE_WA, DRAM_RULE_WA, DRAM_RULE_WA, DRAM_RULE_WA},
     4},
    // two rules at once
    {NULL, "0 ACT 0 5, 10 RD 0 5, 11 PRE 0 5", {DRAM_RULE_RCD, DRAM_RULE_RAS, DRAM_RULE_RTP}, 3},
    {NULL, "0 ACT 0 5, 33 PRE 0 5, 46 ACT 0 5", {DRAM_RULE_RC, DRAM_RULE_RP}, 2},
    {NULL,
     "0 ACT 0 5, 4 ACT 1 5, 8 ACT 2 5, 12 ACT 3 5, 15 ACT 0 6",
     {DRAM_RULE_RRD, DRAM_RULE_FAW},
     2},
    // not a command, not a place
    {NULL, "0 ACT 4 5", {DRAM_RULE_CODE}, 1},
    {NULL, "0 ACT 0 16384", {DRAM_RULE_CODE}, 1},
};

static void sequences_break_what_they_break(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
    const sequence *s = &sequences[i];
    const dram_config config = config_with(s->change);
    caught c;
    run(&config, s->script, 0, &c);
    if (c.n != s->n)
      fail_msg("%s: %u caught, not %u\n%s", s->script, c.n, s->n, c.n ? c.text[c.n - 1] : "");
    for (uint32_t k = 0; k < c.n; k++)
      if (c.list[k].rule != s->rules[k])
        fail_msg("%s: caught %s, not %s", s->script, c.list[k].name, dram_rule_name(s->rules[k]));
  }
}

static void a_command_that_does_not_exist(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  caught c = {0};
  config.report = catch_it;
  config.ctx = &c;
  dram *d = dram_create(&config);
  uint32_t rdata[DRAM_WORDS], wdata[DRAM_WORDS] = {0};
  dram_step(d, 0, &(dram_pins){8, 0, 0, 0, wdata, 0}, rdata);
  dram_step(d, 1, &(dram_pins){DRAM_ACT, 0, 0, 32, wdata, 0}, rdata);
  assert_int_equal(c.n, 2);
  assert_int_equal(c.list[0].rule, DRAM_RULE_CODE);
  assert_int_equal(c.list[1].rule, DRAM_RULE_CODE);
  dram_destroy(d);
}

static void a_message_says_what_when_where_and_by_how_much(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  config.name = "core 3 nbu 1";
  caught c;
  run(&config, "100 ACT 2 37, 111 RD 2 5", 0, &c);
  assert_int_equal(c.n, 1);
  assert_string_equal(c.text[0],
                      "core 3 nbu 1: cycle 111: RD bank 2 subarray 5 breaks tRCD ACT->RD/WR by "
                      "3.000 ns: ACT was in cycle 100, 14.000 ns must pass");
  assert_int_equal(c.list[0].cmd, DRAM_RD);
  assert_int_equal(c.list[0].bank, 2);
  assert_int_equal(c.list[0].subarray, 5);
  assert_int_equal(c.list[0].cycle, 111);
  assert_int_equal(c.list[0].by_ps, 3000);
  run(&config, "0 ACT 0 5, 4 ACT 0 6, 100 RD 0 5, 104 PRE 0 6, 105 RD 0 5", 0, &c);
  assert_int_equal(c.n, 2);
  assert_string_equal(c.text[0],
                      "core 3 nbu 1: cycle 100: RD bank 0 subarray 5 breaks RD or WR of a subarray "
                      "that is not selected: 6 is");
  assert_non_null(strstr(c.text[1], "not selected: none is"));
}

static void a_clock_that_does_not_divide_the_times_rounds_up(void **state) {
  (void)state;
  // 14 ns are 9.33 cycles of 1.5 ns
  const dram_config config = config_with("tCK=1500");
  caught c;
  run(&config, "0 ACT 0 5, 10 RD 0 5", 0, &c);
  assert_int_equal(c.n, 0);
  run(&config, "0 ACT 0 5, 9 RD 0 5", 0, &c);
  assert_int_equal(c.n, 1);
  assert_int_equal(c.list[0].by_ps, 500);
}

// ---- refresh, which is due every 3900 cycles

static void eight_refreshes_may_be_postponed(void **state) {
  (void)state;
  dram_config config = dram_config_default();
  caught c = {0};
  config.report = catch_it;
  config.ctx = &c;
  dram *d = dram_create(&config);
  uint64_t next = 0;
  issue(d, &next, 35097, DRAM_REF, 0, 0);
  issue(d, &next, 35098, DRAM_REF, 1, 0);
  issue(d, &next, 35099, DRAM_REF, 2, 0);
  issue(d, &next, 35100, DRAM_REF, 3, 0);
  assert_int_equal(c.n, 0);
  // the tenth is due at 39000; bank 2 gets its second refresh in time, the others a cycle late
  issue(d, &next, 39000, DRAM_REF, 2, 0);
  assert_int_equal(c.n, 0);
  issue(d, &next, 39001, DRAM_REF, 1, 0);
  assert_int_equal(c.n, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(c.list[i].rule, DRAM_RULE_LATE);
    assert_int_equal(c.list[i].by_ps, 1000);
    assert_int_equal(c.list[i].bank, i + (i == 2));
  }
  // told once
  dram_check(d, 42900);
  assert_int_equal(c.n, 3);
  dram_check(d, 42901);
  assert_int_equal(c.n, 6);
  dram_destroy(d);
}

static void refreshes_ahead_of_time_count_up_to_eight(void **state) {
  (void)state;
  dram_config config = dram_config_default();
  caught c = {0};
  config.report = catch_it;
  config.ctx = &c;
  dram *d = dram_create(&config);
  uint64_t next = 0;
  for (uint32_t i = 0; i < 10; i++)
    for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
      issue(d, &next, i * 350 + bank, DRAM_REF, bank, 0);
  // eight count: those of the first 8 intervals; then 8 may be postponed, the 17th not
  dram_check(d, 17 * 3900);
  assert_int_equal(c.n, 0);
  dram_check(d, 17 * 3900 + 1);
  assert_int_equal(c.n, DRAM_BANKS);
  // looked at so late that another is due just now: that one is not late yet
  dram_check(d, 19 * 3900);
  assert_int_equal(c.n, 2 * DRAM_BANKS);
  dram_check(d, 19 * 3900 + 1);
  assert_int_equal(c.n, 3 * DRAM_BANKS);
  dram_destroy(d);
}

// One that is due in the very cycle of a REF is done by it, not ahead of it.
static void a_refresh_in_the_cycle_it_is_due(void **state) {
  (void)state;
  for (uint64_t at = 3899; at <= 3900; at++) {
    dram_config config = dram_config_default();
    caught c = {0};
    config.report = catch_it;
    config.ctx = &c;
    dram *d = dram_create(&config);
    uint64_t next = 0;
    for (uint32_t i = 0; i < 8; i++)
      issue(d, &next, i * 350, DRAM_REF, 0, 0);
    issue(d, &next, at, DRAM_REF, 0, 0);
    for (uint32_t i = 0; i < 20; i++)
      for (uint32_t bank = 1; bank < DRAM_BANKS; bank++)
        issue(d, &next, 4000 + i * 350 + bank, DRAM_REF, bank, 0);
    assert_int_equal(c.n, 0);
    // bank 0: 9 refreshes count, or 8
    dram_check(d, 9 * 3900 + 1);
    c.n = 0;
    dram_check(d, 17 * 3900 + 1);
    uint32_t late = 0;
    for (uint32_t i = 0; i < c.n; i++)
      late += c.list[i].bank == 0;
    assert_int_equal(late, at == 3899);
    dram_destroy(d);
  }
}

static void refreshes_that_the_caller_makes_due(void **state) {
  (void)state;
  dram_config config = dram_config_default();
  caught c = {0};
  config.report = catch_it;
  config.ctx = &c;
  config.refresh = DRAM_REF_DUE;
  dram *d = dram_create(&config);
  uint64_t next = 0;
  for (uint32_t i = 0; i < 8; i++)
    dram_due(d, 10, 5);
  dram_check(d, 100000);
  assert_int_equal(c.n, 0);
  dram_due(d, 100000, 5);
  next = 100000;
  issue(d, &next, 100000, DRAM_REF, 2, 0);
  assert_int_equal(c.n, 0);
  issue(d, &next, 100001, DRAM_REF, 0, 0);
  assert_int_equal(c.n, 1);
  assert_int_equal(c.list[0].bank, 0);
  assert_int_equal(c.list[0].rule, DRAM_RULE_LATE);
  assert_int_equal(c.list[0].by_ps, 1000);
  // bank 2 has 8 outstanding again: once more at the last moment, then two that are late
  dram_due(d, 200000, 4);
  next = 200000;
  issue(d, &next, 200000, DRAM_REF, 2, 0);
  assert_int_equal(c.n, 1);
  dram_due(d, 300000, 4);
  dram_check(d, 300000);
  assert_int_equal(c.n, 1);
  dram_due(d, 300000, 4);
  dram_check(d, 300007);
  assert_int_equal(c.n, 2);
  assert_int_equal(c.list[1].by_ps, 7000);
  dram_destroy(d);
}

// ---- bytes

static void fill(uint32_t *words, uint32_t seed) {
  for (uint32_t i = 0; i < DRAM_WORDS; i++)
    words[i] = seed * 2654435761u + i * 0x01234567u;
}

static void data_are_on_the_pins_in_their_cycle_only(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  config.noise = true;
  dram *d = dram_create(&config);
  uint32_t data[DRAM_WORDS], other[DRAM_WORDS], rdata[DRAM_WORDS];
  fill(data, 1);
  fill(other, 2);
  for (uint64_t cycle = 0; cycle < 60; cycle++) {
    const dram_cmd cmd = cycle == 0    ? DRAM_ACT
                         : cycle == 20 ? DRAM_WR
                         : cycle == 40 ? DRAM_RD
                                       : DRAM_NONE;
    dram_step(d, cycle, &(dram_pins){cmd, 1, 77, 9, cycle == 22 ? data : other, UINT32_MAX}, rdata);
    assert_int_equal(!memcmp(rdata, data, sizeof data), cycle == 43);
    assert_int_equal(dram_busy(d), (cycle >= 20 && cycle < 22) || (cycle >= 40 && cycle < 43));
  }
  assert_memory_equal(dram_access(d, 1, 77, 9), data, sizeof data);
  assert_int_equal(dram_violations(d), 0);
  assert_int_equal(dram_commands(d, DRAM_RD), 1);
  assert_int_equal(dram_commands(d, DRAM_REF), 0);
  assert_int_equal(dram_bank_commands(d, 1, DRAM_RD), 1);
  assert_int_equal(dram_bank_commands(d, 0, DRAM_RD), 0);
  dram_destroy(d);
}

static void without_noise_the_pins_keep_what_they_were(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  dram *d = dram_create(&config);
  uint32_t rdata[DRAM_WORDS], before[DRAM_WORDS], wdata[DRAM_WORDS] = {0};
  fill(rdata, 3);
  fill(before, 3);
  for (uint64_t cycle = 0; cycle < 20; cycle++) {
    dram_step(d, cycle, &(dram_pins){cycle ? DRAM_NONE : DRAM_ACT, 1, 77, 9, wdata, 0}, rdata);
    assert_memory_equal(rdata, before, sizeof rdata);
  }
  dram_destroy(d);
}

static void a_mask_writes_its_bytes(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  dram *d = dram_create(&config);
  uint32_t data[DRAM_WORDS], rdata[DRAM_WORDS] = {0};
  uint8_t want[DRAM_BYTES];
  fill(data, 4);
  for (uint32_t i = 0; i < DRAM_BYTES; i++)
    want[i] = dram_access(d, 3, 16383, 31)[i] = (uint8_t)(i + 100);
  const uint32_t mask = 0x80010ff2;
  for (uint32_t i = 0; i < DRAM_BYTES; i++)
    if (mask >> i & 1)
      want[i] = (uint8_t)(data[i / 4] >> i % 4 * 8);
  for (uint64_t cycle = 0; cycle < 60; cycle++) {
    const dram_cmd cmd = cycle == 0 ? DRAM_ACT : cycle == 20 ? DRAM_WR : DRAM_NONE;
    dram_step(d, cycle, &(dram_pins){cmd, 3, 16383, 31, data, mask}, rdata);
  }
  assert_memory_equal(dram_access(d, 3, 16383, 31), want, sizeof want);
  dram_destroy(d);
}

static void an_access_has_bytes_of_its_own(void **state) {
  (void)state;
  dram_config config = config_with(NULL);
  dram *d = dram_create(&config);
  for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
    for (uint32_t row = 0; row < DRAM_ROWS; row += 3277)
      for (uint32_t col = 0; col < DRAM_COLS; col++)
        memset(dram_access(d, bank, row, col), (int)(bank * 60 + row / 3277 * 7 + col), DRAM_BYTES);
  for (uint32_t bank = 0; bank < DRAM_BANKS; bank++)
    for (uint32_t row = 0; row < DRAM_ROWS; row += 3277)
      for (uint32_t col = 0; col < DRAM_COLS; col++)
        for (uint32_t i = 0; i < DRAM_BYTES; i++)
          assert_int_equal(dram_access(d, bank, row, col)[i],
                           (uint8_t)(bank * 60 + row / 3277 * 7 + col));
  assert_int_equal(*dram_access(d, 1, 16000, 5), 0);
  dram_destroy(d);
}

// A machine's memory in one piece: here 2 controllers, the index of the controller between bank and
// column, as in the default address map.
static void arrays_live_in_memory_of_the_caller(void **state) {
  (void)state;
  enum { NBUS = 2, ROWS_USED = 8 };
  uint8_t *memory = calloc(ROWS_USED, DRAM_COLS * NBUS * DRAM_BANKS * DRAM_BYTES);
  dram *d[NBUS];
  for (uint32_t n = 0; n < NBUS; n++) {
    dram_config config = config_with(NULL);
    config.base = memory + n * DRAM_BANKS * DRAM_BYTES;
    config.bank_stride = DRAM_BYTES;
    config.col = dram_even(NBUS * DRAM_BANKS * DRAM_BYTES);
    config.row = dram_even(DRAM_COLS * config.col.low);
    d[n] = dram_create(&config);
  }
  uint32_t data[DRAM_WORDS], rdata[DRAM_WORDS];
  fill(data, 5);
  for (uint64_t cycle = 0; cycle < 60; cycle++) {
    const dram_cmd cmd = cycle == 0 ? DRAM_ACT : cycle == 20 ? DRAM_WR : DRAM_NONE;
    dram_step(d[1], cycle, &(dram_pins){cmd, 2, 7, 30, data, UINT32_MAX}, rdata);
  }
  const size_t at = (((7 * DRAM_COLS + 30) * NBUS + 1) * DRAM_BANKS + 2) * DRAM_BYTES;
  assert_memory_equal(memory + at, data, sizeof data);
  for (size_t i = 0; i < ROWS_USED * DRAM_COLS * NBUS * DRAM_BANKS * DRAM_BYTES; i++)
    if (i < at || i >= at + DRAM_BYTES)
      assert_int_equal(memory[i], 0);
  dram_destroy(d[0]);
  dram_destroy(d[1]);
  free(memory);
}

static void every_rule_was_caught(void **state) {
  (void)state;
  for (uint32_t rule = 0; rule < DRAM_RULES; rule++)
    if (!rule_was_caught[rule])
      fail_msg("no sequence breaks %s", dram_rule_name((dram_rule)rule));
}

// Row n is in subarray n % 32. What each access meets is in the list.
static void accesses_are_counted_by_what_they_meet(void **state) {
  (void)state;
  static const struct {
    dram_cmd cmd;
    uint32_t row;
    enum { NO, HIT1, HIT2, HIT3, HIT4, MISS, CONFLICT } meets;
  } steps[] = {
      {DRAM_ACT, 1, NO},       {DRAM_RD, 1, MISS},  {DRAM_RD, 1, HIT1},  {DRAM_ACT, 2, NO},
      {DRAM_WR, 2, MISS},      {DRAM_SASEL, 1, NO}, {DRAM_RD, 1, HIT2},  {DRAM_WR, 1, HIT1},
      {DRAM_ACT, 3, NO},       {DRAM_RD, 3, MISS},  {DRAM_ACT, 4, NO},   {DRAM_RD, 4, MISS},
      {DRAM_SASEL, 2, NO},     {DRAM_RD, 2, HIT4},  {DRAM_SASEL, 3, NO}, {DRAM_RD, 3, HIT3},
      {DRAM_PRE, 1, NO},       {DRAM_RD, 3, HIT1},  {DRAM_ACT, 33, NO},  {DRAM_RD, 33, CONFLICT},
      {DRAM_WR, 33, HIT1},     {DRAM_SASEL, 4, NO}, {DRAM_RD, 4, HIT4},  {DRAM_PRE, 4, NO},
      {DRAM_PRE, 2, NO},       {DRAM_PRE, 3, NO},   {DRAM_PRE, 33, NO},  {DRAM_REF, 0, NO},
      {DRAM_ACT, 4, NO},       {DRAM_RD, 4, MISS},  {DRAM_PRE, 4, NO},   {DRAM_ACT, 36, NO},
      {DRAM_RD, 36, CONFLICT}, {DRAM_RD, 36, HIT1},
  };
  caught c = {0};
  dram_config config = dram_config_default();
  config.refresh = DRAM_REF_OFF, config.report = catch_it, config.ctx = &c;
  dram *d = dram_create(&config);
  dram_rows want = {0};
  uint64_t next = 0;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    issue(d, &next, 1000 * k, steps[k].cmd, 2, steps[k].row);
    want.misses += steps[k].meets == MISS;
    want.conflicts += steps[k].meets == CONFLICT;
    for (uint32_t n = 0; n < 4; n++)
      want.hits[n] += steps[k].meets == HIT1 + n;
    const dram_rows *have = dram_bank_rows(d, 2);
    if (memcmp(have, &want, sizeof want))
      fail_msg("step %zu: %d %d hits %d %d %d %d", k, (int)have->misses, (int)have->conflicts,
               (int)have->hits[0], (int)have->hits[1], (int)have->hits[2], (int)have->hits[3]);
  }
  assert_int_equal(c.n, 0);
  assert_int_equal(dram_bank_rows(d, 1)->misses, 0);
  dram_destroy(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_the_limit_passes_and_a_cycle_earlier_is_caught),
      cmocka_unit_test(who_looks_on_sees_the_last_command),
      cmocka_unit_test(sequences_break_what_they_break),
      cmocka_unit_test(a_command_that_does_not_exist),
      cmocka_unit_test(a_message_says_what_when_where_and_by_how_much),
      cmocka_unit_test(a_clock_that_does_not_divide_the_times_rounds_up),
      cmocka_unit_test(eight_refreshes_may_be_postponed),
      cmocka_unit_test(refreshes_ahead_of_time_count_up_to_eight),
      cmocka_unit_test(a_refresh_in_the_cycle_it_is_due),
      cmocka_unit_test(refreshes_that_the_caller_makes_due),
      cmocka_unit_test(data_are_on_the_pins_in_their_cycle_only),
      cmocka_unit_test(without_noise_the_pins_keep_what_they_were),
      cmocka_unit_test(a_mask_writes_its_bytes),
      cmocka_unit_test(an_access_has_bytes_of_its_own),
      cmocka_unit_test(arrays_live_in_memory_of_the_caller),
      cmocka_unit_test(accesses_are_counted_by_what_they_meet),
      cmocka_unit_test(every_rule_was_caught),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
