// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/spe.md, case by case, on the Verilog and on the twin.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/spacea/spe.h"

extern const block_ops spe_rtl;
extern bool spe_rtl_failed(const void *block);

enum { ROW_WORDS = SPE_BEATS * SPE_BEAT_WORDS, THERE = 0, ENTERED = 1, FULL = 2 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  spe_in in;
  spe_out out;
} unit;

static void edge(unit *u) {
  u->in.rst_n = 1;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.start_valid = u->in.row_ready = u->in.beat_valid = u->in.turn_ready = 0;
  u->in.line_hit = u->in.put_valid = u->in.y_ready = 0;
}

static void edges(unit *u, uint32_t n) {
  while (n--)
    edge(u);
}

static void reset(unit *u) {
  u->in.rst_n = 0;
  u->ops->step(u->block, &u->in, &u->out);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&spe_rtl, &spe_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    u.in.cfg_turn = 1;
    test(&u);
    if (m == 0)
      assert_false(spe_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static void put_number(uint32_t *to, double x) {
  memcpy(to, &x, sizeof x);
}

// A row with elements 0 to n - 1: columns from `column` on, values 1, 2, 3...
static void row_of(uint32_t *w, uint32_t row, uint32_t n, uint32_t column) {
  w[0] = row;
  for (uint32_t k = 0; k < SPE_ELEMENTS; k++) {
    w[1 + 3 * k] = k < n ? column + k : SPE_NONE;
    put_number(&w[2 + 3 * k], k + 1);
  }
}

static void beats(unit *u, const uint32_t *w) {
  for (uint32_t b = 0; b < SPE_BEATS; b++) {
    memcpy(u->in.beat_data, &w[SPE_BEAT_WORDS * b], sizeof u->in.beat_data);
    u->in.beat_valid = 1, edge(u);
  }
}

static void feed(unit *u, uint32_t row, uint32_t n, uint32_t column) {
  uint32_t w[ROW_WORDS];
  row_of(w, row, n, column);
  assert_int_equal(u->out.row_valid, 1);
  u->in.row_ready = 1, edge(u);
  beats(u, w);
}

static void start(unit *u, uint32_t row) {
  u->in.start_valid = 1, u->in.start_row = row, edge(u);
  assert_int_equal(u->out.busy, 1);
  assert_int_equal(u->out.row_row, row);
}

static void end(unit *u) {
  feed(u, SPE_NONE, 21, 0);
}

// Until a turn can begin; it begins at the next edge.
static uint32_t turn(unit *u) {
  uint32_t waits = 0;
  while (!u->out.turn_valid)
    edge(u), assert_true(++waits < 200);
  u->in.turn_ready = 1, edge(u);
  return waits;
}

static void hit(unit *u, const double x[4]) {
  u->in.line_hit = 1;
  for (uint32_t w = 0; w < 4; w++)
    put_number(&u->in.line_data[2 * w], x[w]);
}

static void expect_y(unit *u, uint32_t row, double sum) {
  for (uint32_t waits = 0; !u->out.y_valid; edge(u))
    assert_true(++waits < 200);
  double y;
  memcpy(&y, u->out.y_value, sizeof y);
  assert_int_equal(u->out.y_row, row);
  assert_true(y == sum);
  u->in.y_ready = 1, edge(u);
}

static void expect_end(unit *u) {
  for (uint32_t waits = 0; u->out.busy; edge(u))
    assert_true(++waits < 20);
  assert_int_equal(u->out.row_valid | u->out.turn_valid | u->out.y_valid, 0);
}

static const double ones[4] = {1, 1, 1, 1};

// All turns, with lines of ones.
static void all_hit(unit *u, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    turn(u), edge(u);
    hit(u, ones), edge(u);
  }
}

static void a_hit_from_turn_to_sum(unit *u) {
  start(u, 7);
  feed(u, 3, 1, 0x41);
  end(u);
  turn(u);  // edge 1
  assert_int_equal(u->out.look_valid, 1);
  assert_int_equal(u->out.look_key, 0x10);
  assert_int_equal(u->out.look_again, 0);
  edge(u);  // edge 2
  assert_int_equal(u->out.look_valid, 0);
  assert_int_equal(u->out.look_key, 0x10);
  hit(u, (const double[]){2, 5, 3, 4}), edge(u);  // edge 3
  assert_int_equal(u->out.ask_valid, 0);
  edges(u, 7);  // edge 9 has the sum, edge 10 takes it to Y
  assert_int_equal(u->out.y_valid, 0);
  edge(u);
  assert_int_equal(u->out.y_valid, 1);
  expect_y(u, 3, 5);
  assert_int_equal(u->out.y_valid, 0);
  assert_int_equal(u->out.busy, 1);
  edge(u);
  assert_int_equal(u->out.busy, 0);
}

static void a_miss_is_asked_for_and_put(unit *u) {
  start(u, 0);
  feed(u, 3, 2, 0x42);
  end(u);
  turn(u), edges(u, 2);  // edge 3
  assert_int_equal(u->out.ask_valid, 1);
  assert_int_equal(u->out.ask_key, 0x10);
  assert_int_equal(u->out.ask_who, 0 << 2 | 2);
  edge(u);  // edge 4
  assert_int_equal(u->out.ask_valid, 0);
  u->in.ask_state = ENTERED, edge(u);  // edge 5
  turn(u);                             // the other one
  assert_int_equal(u->out.look_again, 0);
  edges(u, 2);
  assert_int_equal(u->out.ask_who, 8 << 2 | 3);
  edge(u);
  u->in.ask_state = THERE, edge(u);
  u->in.put_valid = 1, u->in.put_slot = 0, put_number(u->in.put_value, 50), edge(u);
  turn(u);
  assert_int_equal(u->out.look_valid, 0);
  assert_int_equal(u->out.look_key, 0x10);
  turn(u);  // asked still
  assert_int_equal(u->out.look_valid, 1);
  assert_int_equal(u->out.look_again, 1);
  edge(u);
  hit(u, (const double[]){0, 0, 0, 7}), edge(u);
  expect_y(u, 3, 50 + 2 * 7);
  expect_end(u);
}

static void nowhere_to_wait(unit *u) {
  start(u, 0);
  feed(u, 3, 1, 0);
  end(u);
  for (uint32_t state = 0; state < 3; state++) {
    turn(u);
    assert_int_equal(u->out.look_again, state == 2);  // was under way, after ENTERED
    edges(u, 3);
    u->in.ask_state = state == 0 ? FULL : state == 1 ? ENTERED : FULL, edge(u);
  }
  turn(u);
  assert_int_equal(u->out.look_again, 0);
  edge(u);
  hit(u, ones), edge(u);
  expect_y(u, 3, 1);
}

// A put at edge 2 is seen at edge 3, one at edge 3 is not; what it makes ready stays so at edge 5.
static void put_during_a_turn(unit *u) {
  for (uint32_t at = 2; at <= 5; at++) {
    start(u, 0);
    feed(u, 3, 1, 0);
    end(u);
    turn(u), edges(u, 3);
    u->in.ask_state = ENTERED, edge(u);
    turn(u);
    for (uint32_t e = 2; e <= 5; e++) {
      u->in.put_valid = e == at, u->in.put_slot = 0, put_number(u->in.put_value, 9);
      u->in.ask_state = FULL, edge(u);
      if (e == 3)
        assert_int_equal(u->out.ask_valid, at > 2);
    }
    turn(u);
    assert_int_equal(u->out.look_valid, 0);
    edges(u, 2);
    expect_y(u, 3, 9);
    expect_end(u);
  }
}

static void a_put_after_a_hit_changes_nothing(unit *u) {
  start(u, 0);
  feed(u, 3, 1, 0);
  end(u);
  turn(u), edges(u, 3);
  u->in.ask_state = ENTERED, edge(u);
  turn(u), edge(u);
  hit(u, ones), edge(u);
  u->in.put_valid = 1, u->in.put_slot = 0, put_number(u->in.put_value, 9), edge(u);
  edge(u);
  assert_int_equal(u->out.turn_valid, 0);
  expect_y(u, 3, 1);
  expect_end(u);
}

// Cycles from a turn to the next one: eight through one place, one through all. While the first row
// comes, 9 edges, the scan goes on to slot 9; the next slot of place 0 is 16.
static void turns_in_turn(unit *u) {
  start(u, 0);
  feed(u, 0, 21, 0);
  for (uint32_t k = 0; k < 2 * SPE_ELEMENTS; k++) {
    assert_int_equal(turn(u), 7);
    assert_int_equal(u->out.look_key, (k + 2) % SPE_ELEMENTS / 4);
  }
  reset(u);
  start(u, 0);
  for (uint32_t p = 0; p < SPE_PLACES; p++)
    feed(u, p, 21, 32 * p);
  for (uint32_t k = 16; k < 2 * SPE_SLOTS; k++) {
    const uint32_t slot = k % SPE_SLOTS;
    assert_int_equal(turn(u), 0);
    assert_int_equal(u->out.look_key, 8 * (slot % 8) + slot / 8 / 4);
  }
}

static void turns_are_apart(unit *u) {
  for (uint32_t min = 0; min < 2; min++)
    for (uint32_t apart = 1; apart < 32; apart++) {
      reset(u);
      u->in.cfg_turn = apart, u->in.cfg_min = min;
      start(u, 0);
      for (uint32_t p = 0; p < SPE_PLACES; p++)
        feed(u, p, 21, 0);
      turn(u);
      // the second operation of a turn comes six edges after the first one
      const uint32_t waits = min && apart == 6 ? 6 : apart - 1;
      assert_int_equal(turn(u), waits);
    }
}

static void a_turn_that_may_not_begin(unit *u) {
  start(u, 0);
  feed(u, 3, 2, 0);
  while (!u->out.turn_valid)
    edge(u);
  for (uint32_t k = 0; k < 20; k++)
    edge(u), assert_int_equal(u->out.turn_valid, 1), assert_int_equal(u->out.look_valid, 0);
  turn(u);
  assert_int_equal(u->out.look_key, 0);
}

static void each_element_of_a_row(unit *u) {
  for (uint32_t k = 0; k < SPE_ELEMENTS; k++) {
    uint32_t w[ROW_WORDS];
    reset(u);
    start(u, 0);
    row_of(w, 9, 21, 0);
    for (uint32_t other = 0; other < SPE_ELEMENTS; other++)
      if (other != k)
        w[1 + 3 * other] = SPE_NONE;
    w[1 + 3 * k] = 0xfffffffe;
    u->in.row_ready = 1, edge(u);
    beats(u, w);
    end(u);
    turn(u);
    assert_int_equal(u->out.look_key, 0x3fffffff);
    edge(u);
    hit(u, (const double[]){0, 0, 3, 0}), edge(u);
    expect_y(u, 9, 3.0 * (k + 1));
    expect_end(u);
  }
}

static void rows_that_are_wanted(unit *u) {
  start(u, 65534);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(u->out.row_valid, 1);
    assert_int_equal(u->out.row_row, 65534 + k);
    edge(u);  // not taken
    u->in.row_ready = 1, edge(u);
  }
  assert_int_equal(u->out.row_valid, 0);
  assert_int_equal(u->out.row_row, 0);
  uint32_t w[ROW_WORDS];
  row_of(w, 0, 21, 0);
  for (uint32_t p = 2; p < 8; p++) {
    beats(u, w);
    assert_int_equal(u->out.row_valid, 1);
    u->in.row_ready = 1, edge(u);
  }
  beats(u, w);
  assert_int_equal(u->out.row_valid, 0);  // seven full, one to come
  beats(u, w);
  assert_int_equal(u->out.row_valid, 0);
  all_hit(u, 161);  // the last element of place 0
  for (uint32_t waits = 0; !u->out.row_valid; edge(u))
    assert_true(++waits < 12);
}

static void behind_the_end(unit *u) {
  uint32_t w[ROW_WORDS];
  row_of(w, SPE_NONE, 21, 0);
  start(u, 0);
  u->in.row_ready = 1, edge(u);
  u->in.row_ready = 1, edge(u);
  beats(u, w);
  assert_int_equal(u->out.row_valid, 0);
  edges(u, 5);
  assert_int_equal(u->out.busy, 1);  // a row is to come
  row_of(w, 5, 21, 0);
  beats(u, w);
  expect_end(u);
  start(u, 0);  // and again
  feed(u, 1, 1, 0);
  end(u);
  all_hit(u, 1);
  expect_y(u, 1, 1);
  expect_end(u);
}

static void rows_of_padding(unit *u) {
  for (uint32_t min = 0; min < 2; min++) {
    u->in.cfg_min = min;
    start(u, 0);
    feed(u, 4, 0, 0);
    feed(u, 5, 0, 0);
    end(u);
    expect_y(u, 4, min ? INFINITY : 0);
    expect_y(u, 5, min ? INFINITY : 0);
    expect_end(u);
  }
}

static void places_of_one_row(unit *u) {
  for (uint32_t min = 0; min < 2; min++) {
    u->in.cfg_min = min;
    start(u, 0);
    feed(u, 4, 2, 0);
    feed(u, 4, 1, 0);
    feed(u, 4, 3, 0);
    feed(u, 6, 1, 0);
    end(u);
    all_hit(u, 7);
    expect_y(u, 4, min ? 2 : 3 + 1 + 6);
    expect_y(u, 6, min ? 2 : 1);
    expect_end(u);
  }
}

static void a_sum_waits(unit *u) {
  start(u, 0);
  feed(u, 4, 1, 0);
  feed(u, 5, 1, 0);
  feed(u, 6, 1, 0);
  end(u);
  all_hit(u, 3);
  edges(u, 40);
  assert_int_equal(u->out.y_valid, 1);
  assert_int_equal(u->out.y_row, 4);
  u->in.y_ready = 1, edge(u);
  assert_int_equal(u->out.y_valid, 1);  // the next one follows at once
  assert_int_equal(u->out.y_row, 5);
  expect_y(u, 5, 1);
  expect_y(u, 6, 1);
  expect_end(u);
}

static void reset_stops_all(unit *u) {
  start(u, 9);
  feed(u, 4, 21, 0x40);
  turn(u), edge(u);
  u->in.start_valid = 1, u->in.start_row = 1;
  reset(u);
  u->in.start_valid = 0;
  assert_int_equal(u->out.busy | u->out.row_valid | u->out.turn_valid, 0);
  assert_int_equal(u->out.look_valid | u->out.ask_valid | u->out.y_valid, 0);
  assert_int_equal(u->out.look_key, 0x10);
  assert_int_equal(u->out.row_row, 10);
  edges(u, 10);
  start(u, 0);
  feed(u, 8, 1, 0);
  end(u);
  all_hit(u, 1);
  expect_y(u, 8, 1);
  expect_end(u);
}

// clang-format off
#define TESTS(T) \
  T(a_hit_from_turn_to_sum) T(a_miss_is_asked_for_and_put) T(nowhere_to_wait) T(put_during_a_turn) \
  T(a_put_after_a_hit_changes_nothing) T(turns_in_turn) T(turns_are_apart) \
  T(a_turn_that_may_not_begin) T(each_element_of_a_row) T(rows_that_are_wanted) T(behind_the_end) \
  T(rows_of_padding) T(places_of_one_row) T(a_sum_waits) T(reset_stops_all)
// clang-format on
#include "tb/cosim/directed.h"
