// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/xcam.md, case by case, on the Verilog and on the twin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csim/spacea/xcam.h"

extern const block_ops xcam_rtl;
extern bool xcam_rtl_failed(const void *block);

enum { SETS = SPACEA_SETS, WAYS = SPACEA_WAYS };

typedef struct unit {
  const block_ops *ops;
  void *block;
  xcam_in in;
  xcam_out out;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.look_valid = u->in.fill_valid = u->in.clear = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void each_of(const spacea_structure *sizes, void (*test)(unit *u)) {
  unit u = {.ops = &xcam_twin, .block = xcam_twin.create(sizes)};
  assert_non_null(u.block);
  test(&u);
  u.ops->destroy(u.block);
}

static void each(void (*test)(unit *u)) {
  unit u = {.ops = &xcam_rtl, .block = xcam_rtl.create(NULL)};
  assert_non_null(u.block);
  test(&u);
  assert_false(xcam_rtl_failed(u.block));
  u.ops->destroy(u.block);
  each_of(NULL, test);
}

// Lines of set 5; the data say which line, and which of its fills.
static uint32_t line(uint32_t tag) {
  return tag * SETS + 5;
}

static void fill(unit *u, uint32_t key, uint32_t version) {
  u->in.fill_valid = 1, u->in.fill_key = key;
  for (uint32_t w = 0; w < XCAM_WORDS; w++)
    u->in.fill_data[w] = key * 16 + version * 1000000000 + w;
}

static void look(unit *u, uint32_t key, uint32_t who) {
  u->in.look_valid = 1, u->in.look_key = key, u->in.look_who = who;
}

static void expect(const unit *u, bool hit, uint32_t who) {
  assert_int_equal(u->out.ans_valid, 1);
  assert_int_equal(u->out.ans_hit, hit);
  assert_int_equal(u->out.ans_who, who);
}

static void expect_data(const unit *u, uint32_t key, uint32_t version) {
  for (uint32_t w = 0; w < XCAM_WORDS; w++)
    assert_int_equal(u->out.ans_data[w], key * 16 + version * 1000000000 + w);
}

// A look by itself.
static void found(unit *u, uint32_t key, uint32_t version) {
  look(u, key, key & 255), edge(u);
  expect(u, true, key & 255);
  expect_data(u, key, version);
}

static void absent(unit *u, uint32_t key) {
  look(u, key, 9), edge(u);
  expect(u, false, 9);
}

static void fill_all(unit *u) {
  for (uint32_t t = 0; t < WAYS; t++)
    fill(u, line(t), 0), edge(u);
}

static void empty_after_reset(unit *u) {
  for (uint32_t k = 0; k < 4 * SETS; k++)
    absent(u, k);
}

static void a_look_does_not_see_the_fill_of_its_edge(unit *u) {
  look(u, line(1), 3), fill(u, line(1), 0), edge(u);
  expect(u, false, 3);
  found(u, line(1), 0);
  look(u, line(1), 4), fill(u, line(1), 1), edge(u);
  expect(u, true, 4);
  expect_data(u, line(1), 0);
  found(u, line(1), 1);
}

static void the_answer_holds(unit *u) {
  fill(u, line(1), 0), edge(u);
  found(u, line(1), 0);
  fill(u, line(1), 1), edge(u);
  assert_int_equal(u->out.ans_valid, 0);
  assert_int_equal(u->out.ans_hit, 1);
  assert_int_equal(u->out.ans_who, line(1) & 255);
  expect_data(u, line(1), 0);
  absent(u, line(2));
  expect_data(u, line(1), 0);
}

static void least_recently_used_goes(unit *u) {
  fill_all(u);
  found(u, line(0), 0);
  fill(u, line(9), 0), edge(u);
  absent(u, line(1));
  fill(u, line(3), 1), edge(u);  // again: none goes
  for (uint32_t t = 2; t < WAYS; t++)
    found(u, line(t), t == 3);
  found(u, line(0), 0), found(u, line(9), 0);
}

static void a_miss_uses_nothing(unit *u) {
  fill_all(u);
  absent(u, line(20));
  fill(u, line(9), 0), edge(u);
  absent(u, line(0));
}

// The look of the same edge saves its line from the fill.
static void order_of_the_look_of_the_edge(unit *u) {
  fill_all(u);
  look(u, line(0), 1), fill(u, line(9), 0), edge(u);
  expect(u, true, 1);
  found(u, line(0), 0);
  absent(u, line(1));
}

static void each_set_is_by_itself(unit *u) {
  for (uint32_t s = 0; s < SETS; s++)
    for (uint32_t t = 0; t < WAYS; t++)
      fill(u, t * SETS + s, 0), edge(u);
  fill(u, line(9), 0), edge(u);
  for (uint32_t s = 0; s < SETS; s++)
    for (uint32_t t = 0; t < WAYS; t++)
      if (s != 5 || t)
        found(u, t * SETS + s, 0);
}

static void each_bit_of_the_key(unit *u) {
  const uint32_t one = 0x2aaaaaaa;
  for (uint32_t bit = 0; bit < 30; bit++) {
    u->in.clear = 1, edge(u);
    fill(u, one, 0), edge(u);
    absent(u, one ^ 1u << bit);
    found(u, one, 0);
  }
}

static void clear_wins(unit *u) {
  fill_all(u);
  look(u, line(2), 7), fill(u, line(9), 0), u->in.clear = 1, edge(u);
  expect(u, true, 7);
  expect_data(u, line(2), 0);
  for (uint32_t t = 0; t < 10; t++)
    absent(u, line(t));
  fill_all(u);
  fill(u, line(9), 0), edge(u);
  absent(u, line(0));
  for (uint32_t t = 1; t < WAYS; t++)
    found(u, line(t), 0);
}

static void reset_clears(unit *u) {
  fill_all(u);
  found(u, line(3), 0);
  look(u, line(0), 1), fill(u, line(9), 0), any_edge(u, 0);
  assert_int_equal(u->out.ans_valid, 0);
  assert_int_equal(u->out.ans_hit, 1);
  assert_int_equal(u->out.ans_who, line(3) & 255);
  expect_data(u, line(3), 0);
  for (uint32_t t = 0; t < 10; t++)
    absent(u, line(t));
}

static void one_line_of_two_sets(unit *u) {
  fill(u, 6, 0), edge(u);
  fill(u, 7, 0), edge(u);
  look(u, 6, 2), fill(u, 8, 0), edge(u);
  expect(u, true, 2);
  expect_data(u, 6, 0);
  absent(u, 6);
  found(u, 7, 0), found(u, 8, 0);
}

static void sixteen_ways(unit *u) {
  for (uint32_t k = 0; k < 16; k++)
    fill(u, k << 26 | 5, 0), edge(u);
  for (uint32_t k = 16; k-- > 1;)
    found(u, k << 26 | 5, 0);
  fill(u, 1, 0), edge(u);
  absent(u, 5);
  fill(u, 3, 0), edge(u);
  absent(u, 15u << 26 | 5);
  found(u, 14u << 26 | 5, 0), found(u, 1, 0), found(u, 3, 0);
}

static void as_large_as_of_a_vault(unit *u) {
  for (uint32_t k = 0; k < 8192; k++)
    fill(u, k, 0), edge(u);
  for (uint32_t k = 0; k < 8192; k++)
    found(u, k, 0);
  fill(u, 8192, 0), edge(u);
  absent(u, 0);
}

static void other_sizes(void **state) {
  (void)state;
  each_of(&(spacea_structure){.sets = 2, .ways = 1}, one_line_of_two_sets);
  each_of(&(spacea_structure){.sets = 2, .ways = 16}, sixteen_ways);
  each_of(&(spacea_structure){.sets = 2048, .ways = 4}, as_large_as_of_a_vault);
}

static void idle_without_an_answer(unit *u) {
  if (u->ops != &xcam_twin)
    return;
  edge(u);
  assert_true(xcam_twin.idle(u->block));
  look(u, 1, 1), edge(u);
  assert_false(xcam_twin.idle(u->block));
  edge(u);
  assert_true(xcam_twin.idle(u->block));
}

// clang-format off
#define TESTS(T) \
  T(empty_after_reset) T(a_look_does_not_see_the_fill_of_its_edge) T(the_answer_holds) \
  T(least_recently_used_goes) T(a_miss_uses_nothing) T(order_of_the_look_of_the_edge) \
  T(each_set_is_by_itself) T(each_bit_of_the_key) T(clear_wins) T(reset_clears) \
  T(idle_without_an_answer)
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
