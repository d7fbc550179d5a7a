// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/ldq.md, case by case, on the Verilog and on the twin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csim/spacea/ldq.h"

extern const block_ops ldq_rtl;
extern bool ldq_rtl_failed(const void *block);

enum { ENTRIES = SPACEA_ENTRIES };

typedef struct unit {
  const block_ops *ops;
  void *block;
  ldq_in in;
  ldq_out out;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.ask_valid = u->in.leave_valid = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void each_of(const spacea_structure *sizes, void (*test)(unit *u)) {
  unit u = {.ops = &ldq_twin, .block = ldq_twin.create(sizes)};
  assert_non_null(u.block);
  test(&u);
  u.ops->destroy(u.block);
}

static void each(void (*test)(unit *u)) {
  unit u = {.ops = &ldq_rtl, .block = ldq_rtl.create(NULL)};
  assert_non_null(u.block);
  test(&u);
  assert_false(ldq_rtl_failed(u.block));
  u.ops->destroy(u.block);
  each_of(NULL, test);
}

static void ask(unit *u, uint32_t key, uint32_t who, uint32_t layer) {
  u->in.ask_valid = u->in.ask_enter = 1;
  u->in.ask_key = key, u->in.ask_who = who, u->in.ask_layer = layer;
}

static void leave(unit *u, uint32_t key) {
  u->in.leave_valid = 1, u->in.leave_key = key;
}

static void expect(const unit *u, ldq_state state, uint32_t who) {
  assert_int_equal(u->out.ans_valid, 1);
  assert_int_equal(u->out.ans_state, state);
  assert_int_equal(u->out.ans_who, who);
}

static void expect_left(const unit *u, uint32_t there, uint32_t who, uint32_t layers) {
  assert_int_equal(u->out.left_valid, 1);
  assert_int_equal(u->out.left_there, there);
  assert_int_equal(u->out.left_who, who);
  assert_int_equal(u->out.left_layers, layers);
}

// An ask by itself.
static void asked(unit *u, uint32_t key, uint32_t who, uint32_t layer, ldq_state state) {
  ask(u, key, who, layer), edge(u);
  expect(u, state, who);
}

static void fill(unit *u, uint32_t entries) {
  for (uint32_t k = 0; k < entries; k++)
    asked(u, k * 977, k, k % 8, LDQ_ENTERED);
}

static void first_asker_and_all_layers(unit *u) {
  asked(u, 7, 1000, 2, LDQ_ENTERED);
  asked(u, 7, 2000, 5, LDQ_THERE);
  asked(u, 7, 3, 2, LDQ_THERE);
  asked(u, 7, 4, 7, LDQ_THERE);
  leave(u, 7), edge(u);
  expect_left(u, 1, 1000, 0xa4);
  asked(u, 7, 5, 0, LDQ_ENTERED);
  leave(u, 7), edge(u);
  expect_left(u, 1, 5, 1);
}

static void leave_comes_first(unit *u) {
  asked(u, 7, 1, 0, LDQ_ENTERED);
  leave(u, 7), ask(u, 7, 2, 1), edge(u);
  expect(u, LDQ_ENTERED, 2);
  expect_left(u, 1, 1, 1);
  leave(u, 7), edge(u);
  expect_left(u, 1, 2, 2);
}

static void leave_of_a_key_that_is_not_there(unit *u) {
  asked(u, 7, 9, 3, LDQ_ENTERED);
  leave(u, 7), edge(u);
  leave(u, 7), edge(u);
  expect_left(u, 0, 9, 8);
  assert_int_equal(u->out.busy, 0);
}

static void full(unit *u) {
  fill(u, ENTRIES);
  asked(u, 1, 1, 0, LDQ_FULL);
  asked(u, 977, 2, 0, LDQ_THERE);
  leave(u, 977 * 511), ask(u, 1, 3, 0), edge(u);
  expect(u, LDQ_ENTERED, 3);
  asked(u, 977 * 511, 4, 0, LDQ_FULL);
  for (uint32_t k = 0; k < ENTRIES - 1; k++) {
    leave(u, k * 977), edge(u);
    expect_left(u, 1, k, k == 1 ? 3 : 1u << k % 8);
    assert_int_equal(u->out.busy, 1);
  }
  leave(u, 1), edge(u);
  expect_left(u, 1, 3, 1);
  assert_int_equal(u->out.busy, 0);
}

static void may_not_enter(unit *u) {
  ask(u, 7, 1, 0), u->in.ask_enter = 0, edge(u);
  expect(u, LDQ_FULL, 1);
  asked(u, 7, 2, 0, LDQ_ENTERED);
  ask(u, 7, 3, 1), u->in.ask_enter = 0, edge(u);
  expect(u, LDQ_THERE, 3);
  leave(u, 7), edge(u);
  expect_left(u, 1, 2, 3);
}

static void answers_hold(unit *u) {
  asked(u, 7, 1, 0, LDQ_ENTERED);
  leave(u, 7), edge(u);
  expect_left(u, 1, 1, 1);
  edge(u);
  assert_int_equal(u->out.ans_valid, 0);
  assert_int_equal(u->out.left_valid, 0);
  assert_int_equal(u->out.ans_state, LDQ_ENTERED);
  assert_int_equal(u->out.ans_who, 1);
  assert_int_equal(u->out.left_there, 1);
  assert_int_equal(u->out.left_who, 1);
  assert_int_equal(u->out.left_layers, 1);
}

static void each_bit_of_the_key(unit *u) {
  const uint32_t one = 0x15555555;
  asked(u, one, 1, 0, LDQ_ENTERED);
  for (uint32_t bit = 0; bit < 30; bit++)
    asked(u, one ^ 1u << bit, 2 + bit, 0, LDQ_ENTERED);
  for (uint32_t bit = 0; bit < 30; bit++)
    leave(u, one ^ 1u << bit), edge(u), expect_left(u, 1, 2 + bit, 1);
  leave(u, one), edge(u);
  expect_left(u, 1, 1, 1);
}

static void reset_forgets(unit *u) {
  asked(u, 7, 1, 4, LDQ_ENTERED);
  leave(u, 8), edge(u);
  ask(u, 9, 2, 0), leave(u, 7), any_edge(u, 0);
  assert_int_equal(u->out.ans_valid, 0);
  assert_int_equal(u->out.left_valid, 0);
  assert_int_equal(u->out.busy, 0);
  assert_int_equal(u->out.ans_who, 1);
  assert_int_equal(u->out.left_there, 0);
  asked(u, 9, 3, 0, LDQ_ENTERED);
  asked(u, 7, 4, 1, LDQ_ENTERED);
  fill(u, 1);
}

static void two_entries(unit *u) {
  asked(u, 6, 0, 0, LDQ_ENTERED);
  asked(u, 7, 1, 0, LDQ_ENTERED);
  asked(u, 8, 2, 0, LDQ_FULL);
  leave(u, 7), ask(u, 8, 3, 6), edge(u);
  expect(u, LDQ_ENTERED, 3);
  leave(u, 8), edge(u);
  expect_left(u, 1, 3, 0x40);
  leave(u, 6), edge(u);
  assert_int_equal(u->out.busy, 0);
}

static void as_large_as_of_a_vault(unit *u) {
  for (uint32_t k = 0; k < 8192; k++)
    asked(u, k << 17, k & 2047, 0, LDQ_ENTERED);
  asked(u, 1, 0, 0, LDQ_FULL);
  for (uint32_t k = 8192; k--;)
    leave(u, k << 17), edge(u), expect_left(u, 1, k & 2047, 1);
}

static void other_sizes(void **state) {
  (void)state;
  each_of(&(spacea_structure){.entries = 2}, two_entries);
  each_of(&(spacea_structure){.entries = 8192}, as_large_as_of_a_vault);
}

static void idle_with_keys(unit *u) {
  if (u->ops != &ldq_twin)
    return;
  asked(u, 7, 1, 0, LDQ_ENTERED);
  assert_false(ldq_twin.idle(u->block));
  edge(u);
  assert_true(ldq_twin.idle(u->block));
  assert_int_equal(u->out.busy, 1);
}

// clang-format off
#define TESTS(T) \
  T(first_asker_and_all_layers) T(leave_comes_first) T(leave_of_a_key_that_is_not_there) T(full) \
  T(may_not_enter) T(answers_hold) T(each_bit_of_the_key) T(reset_forgets) T(idle_with_keys)
// clang-format on
#define TEST(name)                        \
  static void test_##name(void **state) { \
    (void)state;                          \
    each(name);                           \
  }
TESTS(TEST)
#undef TEST

int main(void) {
#define TEST(name) cmocka_unit_test(test_##name),
  const struct CMUnitTest tests[] = {TESTS(TEST) cmocka_unit_test(other_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
