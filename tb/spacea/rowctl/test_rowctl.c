// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/rowctl.md, case by case, on the Verilog and on the twin, with the
// default times.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/spacea/rowctl.h"

extern const block_ops rowctl_rtl;
extern bool rowctl_rtl_failed(const void *block);

typedef struct unit {
  const block_ops *ops;
  void *block;
  rowctl_in in;
  rowctl_out out;
  uint32_t cycle;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.req_valid = u->in.ref_tick = 0;
  u->cycle++;
  for (uint32_t w = 0; w < DRAM_WORDS; w++)
    u->in.rdata[w] = u->cycle * 16 + w;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&rowctl_rtl, &rowctl_twin};
  const bankctl_times times = bankctl_times_default();
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    bankctl_times_put(&times, u.in.cfg_times);
    test(&u);
    if (m == 0)
      assert_false(rowctl_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static void ask(unit *u, uint32_t bank, uint32_t row, uint32_t col, uint32_t more) {
  u->in.req_valid = 1, u->in.req_bank = bank, u->in.req_row = row;
  u->in.req_col = col, u->in.req_more = more, u->in.req_we = 0, u->in.req_id = 10 + bank;
}

static void ask_write(unit *u, uint32_t bank, uint32_t row, uint32_t col) {
  ask(u, bank, row, col, 0);
  u->in.req_we = 1, u->in.req_wmask = 0xff00ff00 + bank;
  for (uint32_t w = 0; w < DRAM_WORDS; w++)
    u->in.req_wdata[w] = 1000 * bank + 100 * col + w;
}

// The next command on the pins, after so many edges.
static void next(unit *u, uint32_t edges, dram_cmd cmd, uint32_t bank, uint32_t row) {
  for (uint32_t k = 1; k <= edges; k++) {
    edge(u);
    assert_int_equal(u->out.cmd, k < edges ? DRAM_NONE : cmd);
  }
  assert_int_equal(u->out.cmd_bank, bank);
  assert_int_equal(u->out.cmd_row, row);
}

static void idle(unit *u) {
  for (uint32_t edges = 0; u->out.busy; edge(u))
    assert_true(++edges < 2000);
}

// Cycles from that of a request to that of its first data.
static uint32_t latency(unit *u) {
  uint32_t edges = 0;
  do
    edge(u), assert_true(++edges < 100);
  while (!u->out.rsp_valid);
  return edges;
}

static void latencies(unit *u) {
  ask(u, 0, 5, 3, 0);
  assert_int_equal(latency(u), 20);
  idle(u);
  ask(u, 0, 5, 4, 0);
  assert_int_equal(latency(u), 6);
  idle(u);
  ask(u, 0, 6, 0, 0);
  assert_int_equal(latency(u), 34);
}

static void what_a_read_returns(unit *u) {
  ask(u, 1, 5, 6, 1), edge(u);
  assert_int_equal(u->out.req_ready, 1);
  next(u, 1, DRAM_ACT, 1, 5);
  next(u, 14, DRAM_RD, 1, 5);
  assert_int_equal(u->out.cmd_col, 6);
  assert_int_equal(u->out.req_ready, 1);
  const uint32_t first = u->cycle;
  next(u, 2, DRAM_RD, 1, 5);
  assert_int_equal(u->out.cmd_col, 7);
  assert_int_equal(u->out.req_ready, 3);
  for (uint32_t k = 0; k < 2; k++) {
    edge(u), edge(u);
    assert_int_equal(u->out.rsp_valid, 1);
    assert_int_equal(u->out.rsp_bank, 1);
    assert_int_equal(u->out.rsp_id, 11);
    for (uint32_t w = 0; w < DRAM_WORDS; w++)
      assert_int_equal(u->out.rsp_data[w], (first + 3 + 2 * k) * 16 + w);
  }
  edge(u);
  assert_int_equal(u->out.rsp_valid, 0);
}

static void rows_follow_in_47_cycles(unit *u) {
  for (uint32_t late = 0; late <= 3; late++) {
    ask(u, 0, 65535, 0, 7), edge(u);
    next(u, 1, late ? DRAM_PRE : DRAM_ACT, 0, late ? 1 : 65535);
    if (late)
      next(u, 14, DRAM_ACT, 0, 65535);
    next(u, 14, DRAM_RD, 0, 65535);
    for (uint32_t c = 1; c < 8; c++)
      next(u, 2, DRAM_RD, 0, 65535), assert_int_equal(u->out.cmd_col, c);
    for (uint32_t k = 0; k < late; k++)
      edge(u);
    ask(u, 0, 1, 0, 7), edge(u);
    next(u, 5 - late - 1, DRAM_PRE, 0, 65535);
    next(u, 14, DRAM_ACT, 0, 1);
    next(u, 14, DRAM_RD, 0, 1);
    for (uint32_t c = 1; c < 8; c++)
      next(u, 2, DRAM_RD, 0, 1);
    idle(u);
  }
}

static void a_write(unit *u) {
  ask_write(u, 1, 9, 2), edge(u);
  next(u, 1, DRAM_ACT, 1, 9);
  next(u, 14, DRAM_WR, 1, 9);
  assert_int_equal(u->out.cmd_col, 2);
  assert_int_equal(u->out.req_ready, 1);
  edge(u);
  assert_int_equal(u->out.req_ready, 1);
  assert_int_equal(u->out.wmask, 0);
  edge(u);
  assert_int_equal(u->out.req_ready, 3);
  assert_int_equal(u->out.wmask, 0xff00ff01);
  for (uint32_t w = 0; w < DRAM_WORDS; w++)
    assert_int_equal(u->out.wdata[w], 1200 + w);
  ask(u, 1, 9, 2, 0), edge(u);
  next(u, 9, DRAM_RD, 1, 9);  // 12 after WR
  ask(u, 1, 8, 0, 0), edge(u);
  next(u, 6, DRAM_PRE, 1, 9);  // 19 after WR
}

static void a_write_after_a_read(unit *u) {
  ask(u, 0, 9, 0, 0), edge(u);
  next(u, 1, DRAM_ACT, 0, 9);
  next(u, 14, DRAM_RD, 0, 9);
  ask_write(u, 0, 9, 1), edge(u);
  next(u, 3, DRAM_WR, 0, 9);  // 4 after RD
}

static void banks_in_turn(unit *u) {
  ask(u, 0, 1, 0, 7), edge(u);
  ask(u, 1, 2, 0, 7), edge(u);
  assert_int_equal(u->out.cmd, DRAM_ACT);
  assert_int_equal(u->out.req_ready, 0);
  next(u, 4, DRAM_ACT, 1, 2);
  next(u, 10, DRAM_RD, 0, 1);
  next(u, 2, DRAM_RD, 0, 1);
  next(u, 2, DRAM_RD, 1, 2);  // both may: the other one than before
  for (uint32_t k = 0; k < 3; k++) {
    next(u, 1, DRAM_RD, 0, 1);
    next(u, 1, DRAM_RD, 1, 2);
  }
}

static void each_bit_of_a_row(unit *u) {
  ask(u, 0, 0, 0, 0), edge(u);
  next(u, 1, DRAM_ACT, 0, 0);
  idle(u);
  for (uint32_t bit = 0; bit < 16; bit++) {
    ask(u, 0, 1u << bit, 0, 0), edge(u);
    next(u, 1, DRAM_PRE, 0, bit ? 1u << (bit - 1) : 0);
    next(u, 14, DRAM_ACT, 0, 1u << bit);
    idle(u);
  }
}

static void refresh_of_a_bank_without_requests(unit *u) {
  ask(u, 0, 7, 0, 0), edge(u);
  idle(u);
  u->in.ref_tick = 3, edge(u);
  u->in.ref_tick = 1;
  next(u, 1, DRAM_REF, 1, 7);
  next(u, 1, DRAM_PRE, 0, 7);
  next(u, 14, DRAM_REF, 0, 7);
  next(u, 350, DRAM_REF, 0, 7);
  assert_int_equal(u->out.busy, 1);
  idle(u);
}

static void refresh_is_put_off(unit *u) {
  ask(u, 0, 7, 0, 7), edge(u);
  for (uint32_t k = 0; k < 3; k++)
    u->in.ref_tick = 1, edge(u);
  uint32_t reads = 0;
  for (uint32_t k = 0; k < 200; k++) {
    if (u->out.req_ready & 1)
      ask(u, 0, 7, 0, 7);
    edge(u);
    reads += u->out.cmd == DRAM_RD;
    assert_true(u->out.cmd != DRAM_REF && u->out.cmd != DRAM_PRE);
  }
  assert_true(reads > 70);
  u->in.ref_tick = 1, edge(u);
  for (uint32_t k = 0; u->out.cmd != DRAM_REF; k++)
    edge(u), assert_true(k < 40);
  for (uint32_t k = 0; k < 349; k++)
    edge(u), assert_int_equal(u->out.cmd, DRAM_NONE);
  edge(u);
  assert_int_equal(u->out.cmd, DRAM_ACT);  // the request that waits; three are owed
}

static void reset_is_a_power_up(unit *u) {
  ask(u, 0, 7, 0, 7), edge(u);
  ask_write(u, 1, 8, 0), u->in.ref_tick = 2, edge(u);
  for (uint32_t k = 0; k < 16; k++)
    edge(u);
  ask(u, 0, 3, 0, 0);
  any_edge(u, 0);
  assert_int_equal(u->out.cmd | u->out.rsp_valid | u->out.wmask | u->out.busy, 0);
  assert_int_equal(u->out.req_ready, 3);
  for (uint32_t k = 0; k < 50; k++)
    edge(u), assert_int_equal(u->out.cmd | u->out.rsp_valid | u->out.busy, 0);
  ask(u, 1, 7, 0, 0), edge(u);
  next(u, 1, DRAM_ACT, 1, 7);
}

// clang-format off
#define TESTS(T) \
  T(latencies) T(what_a_read_returns) T(rows_follow_in_47_cycles) T(a_write) \
  T(a_write_after_a_read) T(banks_in_turn) T(each_bit_of_a_row) \
  T(refresh_of_a_bank_without_requests) T(refresh_is_put_off) T(reset_is_a_power_up)
// clang-format on
#include "tb/cosim/directed.h"
