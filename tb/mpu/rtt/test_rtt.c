// SPDX-License-Identifier: Apache-2.0
// Cases of rtt by name, each on the Verilog and on the twin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csim/mpu/rtt.h"

extern const block_ops rtt_rtl;
extern bool rtt_rtl_failed(const void *block);

enum { FAR, NEAR, COPY_FAR, COPY_NEAR };  // up_op

typedef struct unit {
  const block_ops *ops;
  void *block;
  rtt_in in;
  rtt_out out;
} unit;

static void edge(unit *u) {
  u->in.rst_n = 1;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.lk_valid = u->in.up0_valid = u->in.up1_valid = u->in.clr_valid = 0;
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&rtt_rtl, &rtt_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    test(&u);
    if (m == 0)
      assert_false(rtt_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static void up0(unit *u, uint32_t warp, uint32_t reg, uint32_t op) {
  u->in.up0_valid = 1, u->in.up0_warp = warp, u->in.up0_reg = reg, u->in.up0_op = op;
}

static void up1(unit *u, uint32_t warp, uint32_t reg, uint32_t op) {
  u->in.up1_valid = 1, u->in.up1_warp = warp, u->in.up1_reg = reg, u->in.up1_op = op;
}

static void clear(unit *u, uint32_t warp) {
  u->in.clr_valid = 1, u->in.clr_warp = warp;
}

static void look(unit *u, uint32_t warp, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  u->in.lk_valid = 1, u->in.lk_warp = warp;
  u->in.lk_reg0 = a, u->in.lk_reg1 = b, u->in.lk_reg2 = c, u->in.lk_reg3 = d;
}

// A look-up of one register, at the edge of whatever else was asked for.
static void expect(unit *u, uint32_t warp, uint32_t reg, uint32_t far, uint32_t near) {
  look(u, warp, reg, reg, reg, reg);
  edge(u);
  assert_int_equal(u->out.lk_valid, 1);
  assert_int_equal(u->out.lk_far, far * 15);
  assert_int_equal(u->out.lk_near, near * 15);
}

static void empty_after_reset(unit *u) {
  for (uint32_t w = 0; w < RTT_WARPS; w++)
    for (uint32_t r = 0; r < RTT_RZ; r++)
      expect(u, w, r, 0, 0);
}

static void each_update(unit *u) {
  up0(u, 3, 5, FAR), edge(u);
  expect(u, 3, 5, 1, 0);
  up0(u, 3, 5, COPY_NEAR), edge(u);
  expect(u, 3, 5, 1, 1);
  up0(u, 3, 5, NEAR), edge(u);
  expect(u, 3, 5, 0, 1);
  up0(u, 3, 5, COPY_FAR), edge(u);
  expect(u, 3, 5, 1, 1);
  expect(u, 2, 5, 0, 0);
  expect(u, 3, 4, 0, 0);
}

static void look_up_sees_updates_of_its_edge(unit *u) {
  up0(u, 1, 9, NEAR);
  expect(u, 1, 9, 0, 1);
  up1(u, 1, 9, COPY_FAR);
  expect(u, 1, 9, 1, 1);
  clear(u, 1);
  expect(u, 1, 9, 0, 0);
}

static void clear_then_update_0_then_update_1(unit *u) {
  up0(u, 15, 254, FAR), edge(u);
  clear(u, 15), up0(u, 15, 254, COPY_NEAR);
  expect(u, 15, 254, 0, 1);
  up0(u, 15, 254, FAR), up1(u, 15, 254, NEAR);
  expect(u, 15, 254, 0, 1);
  up0(u, 15, 254, NEAR), up1(u, 15, 254, COPY_FAR);
  expect(u, 15, 254, 1, 1);
}

static void clear_of_one_warp_only(unit *u) {
  for (uint32_t w = 0; w < RTT_WARPS; w++)
    for (uint32_t r = 0; r < RTT_RZ; r++)
      up0(u, w, r, r & 1 ? FAR : NEAR), edge(u);
  clear(u, 7), edge(u);
  for (uint32_t w = 0; w < RTT_WARPS; w++)
    for (uint32_t r = 0; r < RTT_RZ; r++)
      expect(u, w, r, w != 7 && (r & 1), w != 7 && !(r & 1));
}

static void rz_is_valid_and_not_stored(unit *u) {
  expect(u, 0, RTT_RZ, 1, 1);
  up0(u, 0, RTT_RZ, FAR), up1(u, 0, RTT_RZ, NEAR);
  expect(u, 0, RTT_RZ, 1, 1);
}

static void four_registers_at_once(unit *u) {
  up0(u, 4, 10, FAR), up1(u, 4, 11, NEAR), edge(u);
  up0(u, 4, 12, FAR), up1(u, 4, 12, COPY_NEAR), edge(u);
  look(u, 4, 10, 11, 12, 13), edge(u);
  assert_int_equal(u->out.lk_far, 5);
  assert_int_equal(u->out.lk_near, 6);
  edge(u);  // no look-up: the answer holds, valid falls
  assert_int_equal(u->out.lk_valid, 0);
  assert_int_equal(u->out.lk_far, 5);
}

// Where an update leaves a register that was at `before` (bit 0 far, bit 1 near).
static unsigned after(unsigned before, uint32_t op) {
  return op == FAR ? 1 : op == NEAR ? 2 : op == COPY_FAR ? before | 1 : before | 2;
}

static void set(unit *u, uint32_t warp, uint32_t reg, unsigned where) {
  clear(u, warp), edge(u);
  if (where & 1)
    up0(u, warp, reg, COPY_FAR), edge(u);
  if (where & 2)
    up0(u, warp, reg, COPY_NEAR), edge(u);
}

static void each_update_of_each_state_by_each_port(unit *u) {
  for (uint32_t op = 0; op < 4; op++)
    for (unsigned before = 0; before < 4; before++) {
      const unsigned now = after(before, op);
      set(u, 9, 100, before);
      up0(u, 9, 100, op), edge(u);
      expect(u, 9, 100, now & 1, now >> 1);
      set(u, 9, 100, before);
      up1(u, 9, 100, op), edge(u);
      expect(u, 9, 100, now & 1, now >> 1);
    }
}

// With and without a clear of the warp, all at the edge of the look-up; then once more.
static void all_that_meets_at_one_edge(unit *u) {
  for (unsigned k = 0; k < 4 * 4 * 4 * 2; k++) {
    const unsigned before = k & 3, one = k >> 2 & 3, two = k >> 4 & 3;
    const unsigned now = after(after(k >> 6 ? 0 : before, one), two);
    set(u, 0, 0, before);
    if (k >> 6)
      clear(u, 0);
    up0(u, 0, 0, one), up1(u, 0, 0, two);
    expect(u, 0, 0, now & 1, now >> 1);
    expect(u, 0, 0, now & 1, now >> 1);
  }
}

// Both ports at one edge, of registers that differ in one bit of their place.
static void two_updates_of_two_registers(unit *u) {
  for (uint32_t bit = 0; bit < 12; bit++) {
    const uint32_t at = 0xa5a ^ 1u << bit;
    up0(u, 0xa, 0x5a, FAR), up1(u, at >> 8, at & 255, NEAR), edge(u);
    expect(u, 0xa, 0x5a, 1, 0);
    expect(u, at >> 8, at & 255, 0, 1);
  }
}

static void rz_is_not_another_register(unit *u) {
  for (uint32_t op = 0; op < 4; op++) {
    up0(u, 15, RTT_RZ, op), up1(u, 0, RTT_RZ, op), clear(u, 14);
    expect(u, 15, RTT_RZ, 1, 1);
    for (uint32_t w = 0; w < RTT_WARPS; w++) {
      expect(u, w, RTT_RZ, 1, 1);
      expect(u, w, 254, 0, 0);
      expect(u, w, 127, 0, 0);
      expect(u, w, 0, 0, 0);
    }
  }
}

static void each_place_of_a_look_up(unit *u) {
  static const uint32_t regs[] = {10, 11, 12, RTT_RZ}, far[] = {1, 0, 0, 1}, near[] = {0, 1, 0, 1};
  up0(u, 6, 10, FAR), up1(u, 6, 11, NEAR), edge(u);
  for (unsigned t = 0; t < 4; t++) {
    look(u, 6, regs[t], regs[(t + 1) % 4], regs[(t + 2) % 4], regs[(t + 3) % 4]), edge(u);
    for (unsigned k = 0; k < 4; k++) {
      assert_int_equal(u->out.lk_far >> k & 1, far[(t + k) % 4]);
      assert_int_equal(u->out.lk_near >> k & 1, near[(t + k) % 4]);
    }
  }
}

static void nothing_without_valid(unit *u) {
  up0(u, 1, 1, FAR), edge(u);
  expect(u, 1, 1, 1, 0);
  up0(u, 1, 1, NEAR), up1(u, 1, 1, COPY_NEAR), clear(u, 1), look(u, 1, 255, 255, 255, 255);
  u->in.up0_valid = u->in.up1_valid = u->in.clr_valid = u->in.lk_valid = 0;
  for (unsigned n = 0; n < 3; n++) {
    edge(u);
    assert_int_equal(u->out.lk_valid, 0);
    assert_int_equal(u->out.lk_far, 15);
    assert_int_equal(u->out.lk_near, 0);
  }
  expect(u, 1, 1, 1, 0);
}

// Nothing is updated in reset, all is forgotten, and the last answer holds.
static void reset_forgets(unit *u) {
  up0(u, 15, 254, FAR), up1(u, 0, 0, NEAR), edge(u);
  expect(u, 15, 254, 1, 0);
  up0(u, 5, 50, FAR), up1(u, 5, 51, NEAR), look(u, 0, 0, 0, 0, 0);
  u->in.rst_n = 0;
  u->ops->step(u->block, &u->in, &u->out);
  assert_int_equal(u->out.lk_valid, 0);
  assert_int_equal(u->out.lk_far, 15);
  assert_int_equal(u->out.lk_near, 0);
  u->in.up0_valid = u->in.up1_valid = 0;
  empty_after_reset(u);
}

#define TEST(name)                        \
  static void test_##name(void **state) { \
    (void)state;                          \
    each(name);                           \
  }
TEST(empty_after_reset)
TEST(each_update)
TEST(look_up_sees_updates_of_its_edge)
TEST(clear_then_update_0_then_update_1)
TEST(clear_of_one_warp_only)
TEST(rz_is_valid_and_not_stored)
TEST(four_registers_at_once)
TEST(each_update_of_each_state_by_each_port)
TEST(all_that_meets_at_one_edge)
TEST(two_updates_of_two_registers)
TEST(rz_is_not_another_register)
TEST(each_place_of_a_look_up)
TEST(nothing_without_valid)
TEST(reset_forgets)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_empty_after_reset),
      cmocka_unit_test(test_each_update),
      cmocka_unit_test(test_look_up_sees_updates_of_its_edge),
      cmocka_unit_test(test_clear_then_update_0_then_update_1),
      cmocka_unit_test(test_clear_of_one_warp_only),
      cmocka_unit_test(test_rz_is_valid_and_not_stored),
      cmocka_unit_test(test_four_registers_at_once),
      cmocka_unit_test(test_each_update_of_each_state_by_each_port),
      cmocka_unit_test(test_all_that_meets_at_one_edge),
      cmocka_unit_test(test_two_updates_of_two_registers),
      cmocka_unit_test(test_rz_is_not_another_register),
      cmocka_unit_test(test_each_place_of_a_look_up),
      cmocka_unit_test(test_nothing_without_valid),
      cmocka_unit_test(test_reset_forgets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
