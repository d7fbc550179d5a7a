// SPDX-License-Identifier: Apache-2.0
// A bank channel by itself: any geometry, queue, times and policy keep to the rules of the arrays
// and give back what was written; ticks come every tREFI, idle cycles may be left out, and what is
// wrong is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csim/dram/channel.h"

enum { PLACES = 16, IDS = 256 };  // the smallest geometry has 32 accesses

static uint64_t random_state;

static uint32_t draw(uint32_t below) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((random_state >> 33) % below);
}

static channel *channel_with(const channel_config *config) {
  char why[256];
  channel *c = channel_new(config, why, sizeof why);
  if (!c)
    fail_msg("%s", why);
  return c;
}

typedef struct place {
  uint32_t bank, row, col, value;
} place;

// Is place n the same as one before it?
static bool is_among(const place *all, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (all[k].bank == all[n].bank && all[k].row == all[n].row && all[k].col == all[n].col)
      return true;
  return false;
}

// Random requests to a few places, one offered at a time; a read gives what was written before it.
static void exercise(const channel_config *config, uint32_t requests) {
  channel *c = channel_with(config);
  const dram_geometry *g = &config->geometry;
  place places[PLACES];
  for (uint32_t i = 0; i < PLACES; i++)
    do
      places[i] = (place){draw(g->banks), draw(g->rows), draw(g->cols), 0};
    while (is_among(places, i));
  uint32_t want[IDS], taken = 0, answers = 0, reads = 0, wdata[DRAM_WORDS] = {0}, at = 0;
  bool busy[IDS] = {false}, offered = false;
  channel_request q = {0};
  for (uint32_t still = 0; taken < requests || answers < reads || !channel_idle(c); still++) {
    const bankctl_out *out = channel_out(c);
    if (out->rsp_valid) {
      assert_true(busy[out->rsp_id]);
      assert_int_equal(out->rsp_data[0], want[out->rsp_id]);
      busy[out->rsp_id] = false;
      answers++;
    }
    channel_pins(c);
    if (!offered && taken < requests && draw(4)) {
      at = draw(PLACES);
      q = (channel_request){places[at].bank, places[at].row, places[at].col, taken % IDS,
                            draw(2),         wdata,          UINT32_MAX};
      offered = q.we || !busy[q.id];
      wdata[0] = draw(UINT32_MAX);
    }
    const bool take = offered && out->req_ready;
    if (take && q.we)
      places[at].value = wdata[0];
    if (take && !q.we)
      want[q.id] = places[at].value, busy[q.id] = true, reads++;
    if (!channel_clock(c, offered ? &q : NULL))
      fail_msg("%s", channel_error(c));
    taken += take;
    offered = offered && !take;
    assert_true(still < 10000000);
  }
  for (uint32_t i = 0; i < PLACES; i++) {
    uint32_t value;
    memcpy(&value, dram_access(channel_dram(c), places[i].bank, places[i].row, places[i].col),
           sizeof value);
    assert_int_equal(value, places[i].value);
  }
  channel_free(c);
}

static void any_geometry_and_policy(void **state) {
  (void)state;
  random_state = 1;
  for (uint32_t n = 0; n < 120; n++) {
    channel_config k = channel_config_default();
    k.geometry.banks = 1u << draw(3);
    k.geometry.cols = 1u << (2 + draw(4));
    k.geometry.subarrays = 2u << draw(5);
    k.geometry.rows = k.geometry.subarrays << (2 + draw(7));
    k.queue = 1u << draw(5);
    k.row_buffers = 1u << draw(3), k.closed = draw(2);
    if (draw(2))
      k.timing.tRCD *= 1 + draw(10), k.timing.CL = 1 + draw(24), k.timing.CWL = 2 + draw(23);
    if (k.timing.tRAS < k.timing.tRCD)
      k.timing.tRAS = k.timing.tRCD;
    k.timing.tRC = k.timing.tRAS + k.timing.tRP;
    exercise(&k, 2000);
  }
}

static void the_arrays_know_their_geometry(void **state) {
  (void)state;
  channel_config k = channel_config_default();
  k.geometry = (dram_geometry){.banks = 2, .rows = 64, .cols = 16, .subarrays = 8};
  static const channel_request beyond[] = {{.bank = 2}, {.row = 64}, {.col = 16}};
  for (uint32_t n = 0; n < 3; n++) {
    channel *c = channel_with(&k);
    for (uint32_t t = 0; t < 60 && !channel_error(c); t++) {
      channel_pins(c);
      channel_clock(c, t ? NULL : &beyond[n]);
    }
    assert_non_null(channel_error(c));
    assert_non_null(strstr(channel_error(c), "no such command, bank, row or column"));
    assert_false(channel_clock(c, NULL));
    channel_free(c);
  }
}

static void note(void *ctx, const dram_violation *v) {
  *(dram_rule *)ctx = v->rule;
}

// Rows 0 and 8 share a subarray of 8, not of 32; the controller closes one of them then.
static void rows_of_a_subarray_are_open_one_at_a_time(void **state) {
  (void)state;
  for (uint32_t subarrays = 8; subarrays <= 32; subarrays *= 4) {
    channel_config k = channel_config_default();
    k.geometry.subarrays = subarrays;
    dram_rule rule = DRAM_RULES;
    dram *arrays = channel_arrays(&k, note, &rule);
    const uint32_t wdata[DRAM_WORDS] = {0};
    uint32_t rdata[DRAM_WORDS];
    dram_step(arrays, 0, &(dram_pins){DRAM_ACT, 0, 0, 0, wdata, 0}, rdata);
    dram_step(arrays, 100, &(dram_pins){DRAM_ACT, 0, 8, 0, wdata, 0}, rdata);
    assert_int_equal(rule, subarrays == 8 ? DRAM_RULE_OPEN : DRAM_RULES);
    dram_destroy(arrays);
    channel *c = channel_with(&k);
    for (uint32_t t = 0; t < 200; t++) {
      channel_pins(c);
      assert_true(channel_clock(c, t == 0     ? &(channel_request){.row = 0}
                                   : t == 100 ? &(channel_request){.row = 8}
                                              : NULL));
    }
    assert_int_equal(dram_commands(channel_dram(c), DRAM_ACT), 2);
    assert_int_equal(dram_commands(channel_dram(c), DRAM_PRE), subarrays == 8);
    channel_free(c);
  }
}

static void ticks_come_in_time_and_idle_cycles_may_be_left_out(void **state) {
  (void)state;
  channel_config k = channel_config_default();
  for (uint32_t skip = 0; skip < 2; skip++) {
    channel *c = channel_with(&k);
    uint32_t steps = 0;
    while (channel_cycle(c) < 39100) {
      channel_pins(c);
      assert_true(channel_clock(c, NULL));
      steps++;
      if (skip && channel_idle(c))
        channel_skip(c, 39100);
    }
    assert_int_equal(dram_commands(channel_dram(c), DRAM_REF), 10 * DRAM_BANKS);
    assert_int_equal(steps < 10000, skip);
    channel_free(c);
  }
  k.refresh = CHANNEL_NO_REFRESH;
  channel *c = channel_with(&k);
  channel_skip(c, 1000000);
  assert_int_equal(channel_cycle(c), 1000000);
  channel_free(c);
}

static void times_that_cannot_be_kept_are_refused(void **state) {
  (void)state;
  channel_config k = channel_config_default();
  char why[128];
  k.timing.tRCD = 256000;
  assert_null(channel_new(&k, why, sizeof why));
  assert_string_equal(why, "ACT to RD or WR: 256 cycles are out of range; allowed: 1 to 255");
}

// A second controller that forgets a bit.
static void forget(void *block, const void *in, void *out) {
  bankctl_twin.step(block, in, out);
  ((bankctl_out *)out)->cmd &= 6;
}

static void models_that_differ_are_told(void **state) {
  (void)state;
  block_ops other = bankctl_twin;
  other.step = forget;
  channel_config k = channel_config_default();
  k.model = &bankctl_twin, k.second = &other;
  channel *c = channel_with(&k);
  bool good = true;
  for (uint32_t t = 0; good && t < 100; t++) {
    channel_pins(c);
    good = channel_clock(c, &(channel_request){.row = 5});
  }
  assert_false(good);
  assert_non_null(strstr(channel_error(c), "differ after this cycle"));
  channel_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_geometry_and_policy),
      cmocka_unit_test(the_arrays_know_their_geometry),
      cmocka_unit_test(rows_of_a_subarray_are_open_one_at_a_time),
      cmocka_unit_test(ticks_come_in_time_and_idle_cycles_may_be_left_out),
      cmocka_unit_test(times_that_cannot_be_kept_are_refused),
      cmocka_unit_test(models_that_differ_are_told),
  };
  return cmocka_run_group_tests_name("bank channel", tests, NULL, NULL);
}
