// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/bgroup.md, case by case, on the Verilog and on the twin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/spacea/bgroup.h"
#include "csim/spacea/packet.h"

extern const block_ops bgroup_rtl;
extern bool bgroup_rtl_failed(const void *block);

enum { BANKS = BGROUP_PES, ROWS = 16, WORDS = 64, READ = 3 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  bgroup_in in;
  bgroup_out out;
  uint32_t bank[BANKS][ROWS][WORDS], open[BANKS];
  const uint32_t *coming[READ];  // data of reads, by cycle
  uint32_t looks, hits, again, full;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  static const uint32_t nothing[DRAM_WORDS];
  const uint32_t *data = u->coming[0] ? u->coming[0] : nothing;
  memcpy(u->in.rdata, data, sizeof u->in.rdata);
  memmove(u->coming, u->coming + 1, sizeof u->coming - sizeof *u->coming);
  u->coming[READ - 1] = NULL;
  if (u->out.cmd == DRAM_ACT)
    u->open[u->out.cmd_bank] = u->out.cmd_row;
  if (u->out.cmd == DRAM_RD)
    u->coming[READ - 1] =
        &u->bank[u->out.cmd_bank][u->open[u->out.cmd_bank] % ROWS][8 * u->out.cmd_col];
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.rx_valid = u->in.tx_ready = 0;
  u->looks += u->out.look, u->hits += u->out.look_hit;
  u->again += u->out.look_again, u->full += u->out.ask_full;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&bgroup_rtl, &bgroup_twin};
  const bankctl_times times = bankctl_times_default();
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    memset(u.bank, 0xff, sizeof u.bank);
    bankctl_times_put(&times, u.in.cfg_times);
    u.in.cfg_turn = 6;
    edge(&u);  // outputs after reset
    test(&u);
    if (m == 0)
      assert_false(bgroup_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

// A row of a bank with n elements: columns from `column` on, `step` apart, values 1, 2, 3...
static void row(unit *u, uint32_t bank, uint32_t at, uint32_t of, uint32_t n, uint32_t column,
                uint32_t step) {
  uint32_t *w = u->bank[bank][at];
  w[0] = of;
  for (uint32_t k = 0; k < n; k++) {
    const double a = k + 1;
    w[1 + 3 * k] = column + k * step;
    memcpy(&w[2 + 3 * k], &a, sizeof a);
  }
}

static void packet(unit *u, uint64_t head) {
  u->in.rx_valid = 1;
  u->in.rx_head[0] = (uint32_t)head, u->in.rx_head[1] = (uint32_t)(head >> 32);
}

static void start(unit *u, uint32_t begin) {
  assert_int_equal(u->out.rx_ready, 1);
  packet(u, SPACEA_START | spacea_put(SPACEA_BEGIN, begin));
  edge(u);
  assert_int_equal(u->out.busy, 1);
}

// The next packet up; it is taken.
static uint64_t sent(unit *u, double *body) {
  for (uint32_t edges = 0; !u->out.tx_valid; edge(u))
    assert_true(++edges < 3000);
  const uint64_t head = spacea_flit(u->out.tx_head);
  assert_int_equal(u->out.tx_len, spacea_get(head, SPACEA_LEN));
  if (body)
    memcpy(body, u->out.tx_body, sizeof *body);
  u->in.tx_ready = 1, edge(u);
  return head;
}

static void expect_want(unit *u, uint32_t key) {
  assert_true(sent(u, NULL) == (SPACEA_WANT | spacea_put(SPACEA_KEY, key)));
}

static void expect_sum(unit *u, uint32_t of, double wanted) {
  double sum;
  const uint64_t head = sent(u, &sum);
  assert_true(head == (SPACEA_SUM | spacea_put(SPACEA_LEN, 1) | spacea_put(SPACEA_ROW, of)));
  assert_true(sum == wanted);
}

static void expect_done(unit *u) {
  assert_true(sent(u, NULL) == SPACEA_DONE);
  for (uint32_t edges = 0; u->out.busy; edge(u))
    assert_true(++edges < 100);
}

// Elements of the line: x, x + 1, x + 2, x + 3. Until its body is needed no more.
static void line(unit *u, uint32_t key, double x) {
  packet(u, SPACEA_LINE | spacea_put(SPACEA_LEN, 4) | spacea_put(SPACEA_KEY, key));
  for (uint32_t w = 0; w < 4; w++) {
    const double element = x + w;
    memcpy(&u->in.rx_body[2 * w], &element, sizeof element);
  }
  edge(u);
  for (uint32_t age = 1; age <= 4; age++) {
    assert_int_equal(u->out.rx_ready, 0);
    assert_int_equal(u->out.rx_release, age == 4);
    edge(u);
  }
  assert_int_equal(u->out.rx_ready, 1);
  assert_int_equal(u->out.rx_release, 0);
}

static void a_run_without_pes(unit *u) {
  start(u, 0);
  assert_int_equal(u->out.tx_valid, 1);
  expect_done(u);
}

static void one_line_for_both(unit *u) {
  row(u, 0, 0, 5, 2, 0x101, 1);
  row(u, 1, 0, 6, 1, 0x103, 1);
  start(u, 3);
  expect_want(u, 0x40);
  for (uint32_t k = 0; k < 1000; k++)
    edge(u), assert_int_equal(u->out.tx_valid, 0);
  assert_int_equal(u->hits, 0);
  assert_true(u->again > 3);
  line(u, 0x40, 10);
  expect_sum(u, 6, 13);  // of one element
  expect_sum(u, 5, 11 + 2 * 12);
  assert_in_range(u->hits, 2, 3);  // the first who asked needs none
  expect_done(u);
}

static void each_pe_by_itself(unit *u) {
  for (uint32_t pe = 0; pe < BANKS; pe++) {
    memset(u->bank, 0xff, sizeof u->bank);
    row(u, pe, 0, 7, 1, 0xfffffff8, 1);
    row(u, !pe, 0, 8, 1, 0, 1);
    start(u, 1u << pe);
    expect_want(u, 0x3ffffffe);
    line(u, 0x3ffffffe, 4);
    expect_sum(u, 7, 4);
    expect_done(u);
  }
}

static void a_start_drops_all_lines(unit *u) {
  row(u, 0, 0, 5, 1, 0, 1);
  for (uint32_t run = 1; run < 4; run++) {
    start(u, 1);
    expect_want(u, 0);
    line(u, 0, run);
    expect_sum(u, 5, run);
    expect_done(u);
  }
}

// Lines that were not asked for by this element, and stay.
static void a_line_that_is_there(unit *u) {
  row(u, 0, 0, 5, 1, 0, 1);
  row(u, 0, 1, 6, 1, 2, 1);
  row(u, 0, 2, 6, 1, 3, 1);
  start(u, 1);
  expect_want(u, 0);
  line(u, 0, 1);
  expect_sum(u, 5, 1);
  expect_sum(u, 6, 3 + 4);
  expect_done(u);
}

static void no_room_for_wanted_lines(unit *u) {
  row(u, 0, 0, 5, 21, 0, 4);
  u->in.cfg_turn = 1;
  start(u, 1);
  for (uint32_t k = 0; k < 1000; k++)
    edge(u);
  assert_true(u->full > 50);
  bool wanted[21] = {false};
  double sum = 0;
  for (uint32_t k = 0; k < 21; k++) {
    const uint64_t head = sent(u, NULL);
    const uint32_t key = (uint32_t)spacea_get(head, SPACEA_KEY);
    assert_int_equal(spacea_get(head, SPACEA_KIND), SPACEA_WANT);
    assert_false(wanted[key]);
    wanted[key] = true;
  }
  for (uint32_t k = 0; k < 21; k++)
    line(u, k, k), sum += (k + 1) * k;
  expect_sum(u, 5, sum);
  expect_done(u);
}

static void sums_of_both_and_their_order(unit *u) {
  row(u, 0, 0, 5, 0, 0, 1);
  row(u, 1, 0, 6, 0, 0, 1);
  row(u, 1, 1, 7, 0, 0, 1);
  u->bank[0][1][0] = UINT32_MAX;
  start(u, 3);
  for (uint32_t k = 0; k < 500; k++)
    edge(u);
  expect_sum(u, 5, 0);
  expect_sum(u, 6, 0);
  expect_sum(u, 7, 0);
  expect_done(u);
}

static void other_packets_are_dropped(unit *u) {
  for (uint32_t kind = 0; kind < 16; kind++) {
    if (kind == SPACEA_LINE || kind == SPACEA_START)
      continue;
    packet(u, kind | ~0xfull), edge(u);
    assert_int_equal(u->out.rx_ready, 1);
    assert_int_equal(u->out.busy | u->out.tx_valid, 0);
  }
}

static void refresh_of_both_banks(unit *u) {
  u->in.ref_tick = 3, edge(u);
  u->in.ref_tick = 0;
  assert_int_equal(u->out.busy, 1);
  uint32_t refreshes = 0;
  for (uint32_t k = 0; k < 400; k++)
    edge(u), refreshes += u->out.cmd == DRAM_REF;
  assert_int_equal(refreshes, 2);
  assert_int_equal(u->out.busy, 0);
}

static void reset_stops_all(unit *u) {
  row(u, 0, 0, 5, 21, 0, 4);
  start(u, 1);
  for (uint32_t k = 0; k < 300; k++)
    edge(u);
  assert_int_equal(u->out.tx_valid, 1);
  packet(u, SPACEA_START | spacea_put(SPACEA_BEGIN, 3));
  any_edge(u, 0);
  assert_int_equal(u->out.busy | u->out.tx_valid | u->out.rx_release | u->out.cmd, 0);
  assert_int_equal(u->out.rx_ready, 1);
  for (uint32_t k = 0; k < 100; k++)
    edge(u), assert_int_equal(u->out.busy | u->out.tx_valid, 0);
  row(u, 0, 0, 9, 0, 0, 1);
  memset(&u->bank[0][0][1], 0xff, 63 * 4);
  row(u, 0, 0, 9, 1, 0, 1);
  start(u, 1);
  expect_want(u, 0);
  line(u, 0, 3);
  expect_sum(u, 9, 3);
  expect_done(u);
}

// clang-format off
#define TESTS(T) \
  T(a_run_without_pes) T(one_line_for_both) T(each_pe_by_itself) T(a_start_drops_all_lines) \
  T(a_line_that_is_there) T(no_room_for_wanted_lines) T(sums_of_both_and_their_order) \
  T(other_packets_are_dropped) T(refresh_of_both_banks) T(reset_stops_all)
// clang-format on
#include "tb/cosim/directed.h"
