// SPDX-License-Identifier: Apache-2.0
// The rules of docs/blocks/regfile.md, case by case, on the Verilog and on the twin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tb/cosim/cosim.h"
#include "csim/mpu/regfile.h"

extern const block_ops regfile_rtl;
extern bool regfile_rtl_failed(const void *block);

enum { L = REGFILE_LANES, B = REGFILE_BANKS, REGS = REGFILE_BANKS * REGFILE_ROWS, ALL = -1 };

typedef struct rig {
  const block_ops *ops;
  void *block;
  regfile_in in;
  regfile_out out;
} rig;

static void step(rig *r) {
  r->ops->step(r->block, &r->in, &r->out);
}

static rig start(void **state) {
  rig r = {.ops = *state};
  r.block = r.ops->create(NULL);
  assert_non_null(r.block);
  step(&r);
  r.in.rst_n = 1;
  return r;
}

static void finish(rig *r) {
  if (r->ops == &regfile_rtl)
    assert_false(regfile_rtl_failed(r->block));
  r->ops->destroy(r->block);
}

// What lane l holds of a value that is told from others by its seed.
static uint32_t lane(uint32_t seed, unsigned l) {
  return seed * 0x9e3779b1u ^ l * 0x01010101u;
}

static void want(const uint32_t *data, uint32_t seed) {
  for (unsigned l = 0; l < L; l++)
    assert_int_equal(data[l], lane(seed, l));
}

static void want_zero(const uint32_t *data) {
  for (unsigned l = 0; l < L; l++)
    assert_int_equal(data[l], 0);
}

// A write on the inputs of port p.
static void put(rig *r, unsigned p, uint32_t reg, int mask, uint32_t seed) {
  uint32_t *data = p == 0 ? r->in.w0_data : p == 1 ? r->in.w1_data : r->in.w2_data;
  for (unsigned l = 0; l < L; l++)
    data[l] = lane(seed, l);
  if (p == 0)
    r->in.w0_valid = 1, r->in.w0_reg = reg, r->in.w0_mask = (uint32_t)mask;
  else if (p == 1)
    r->in.w1_valid = 1, r->in.w1_reg = reg, r->in.w1_mask = (uint32_t)mask;
  else
    r->in.w2_valid = 1, r->in.w2_reg = reg, r->in.w2_mask = (uint32_t)mask;
}

static void calm(rig *r) {
  r->in.w0_valid = r->in.w1_valid = r->in.w2_valid = 0;
  r->in.r0_en = r->in.r1_en = r->in.r2_en = r->in.r3_en = 0;
}

static const uint32_t *data_of(const rig *r, unsigned bank) {
  return bank == 0   ? r->out.r0_data
         : bank == 1 ? r->out.r1_data
         : bank == 2 ? r->out.r2_data
                     : r->out.r3_data;
}

static void ask(rig *r, uint32_t reg) {
  uint32_t *en[] = {&r->in.r0_en, &r->in.r1_en, &r->in.r2_en, &r->in.r3_en};
  uint32_t *row[] = {&r->in.r0_row, &r->in.r1_row, &r->in.r2_row, &r->in.r3_row};
  *en[reg % B] = 1, *row[reg % B] = reg / B;
}

// What a register holds: an edge of its own.
static const uint32_t *get(rig *r, uint32_t reg) {
  calm(r);
  ask(r, reg);
  step(r);
  calm(r);
  return data_of(r, reg % B);
}

static void want_done(const rig *r, unsigned one, unsigned two) {
  assert_int_equal(r->out.w1_done, one);
  assert_int_equal(r->out.w2_done, two);
}

static void zero_at_power_up(void **state) {
  rig r = start(state);
  want_done(&r, 0, 0);
  for (unsigned b = 0; b < B; b++)
    want_zero(data_of(&r, b));
  for (uint32_t reg = 0; reg < REGS; reg++)
    want_zero(get(&r, reg));
  finish(&r);
}

// Rows and banks are told apart, first and last too, by every port.
static void every_register_is_its_own(void **state) {
  rig r = start(state);
  for (unsigned p = 0; p < 3; p++) {
    for (uint32_t reg = 0; reg < REGS; reg++) {
      put(&r, p, reg, ALL, 1000 * p + reg);
      step(&r);
      want_done(&r, p == 1, p == 2);
      calm(&r);
      step(&r);
      want_done(&r, 0, 0);
    }
    for (uint32_t reg = 0; reg < REGS; reg++)
      want(get(&r, reg), 1000 * p + reg);
  }
  finish(&r);
}

static void four_banks_are_read_at_once(void **state) {
  rig r = start(state);
  static const uint32_t regs[B] = {124, 1, 66, 127};
  for (unsigned b = 0; b < B; b++) {
    put(&r, 0, regs[b], ALL, 7 + b);
    step(&r);
  }
  calm(&r);
  for (unsigned b = 0; b < B; b++)
    ask(&r, regs[b]);
  step(&r);
  for (unsigned b = 0; b < B; b++)
    want(data_of(&r, b), 7 + b);
  finish(&r);
}

// Rule 1: what was there before the edge.
static void read_and_write_of_a_row_at_one_edge(void **state) {
  rig r = start(state);
  for (unsigned p = 0; p < 3; p++)
    for (unsigned b = 0; b < B; b++) {
      const uint32_t reg = 4 * 31 + b;
      put(&r, 0, reg, ALL, 1);
      step(&r);
      calm(&r);
      put(&r, p, reg, 0x0000ffff, 2);
      ask(&r, reg);
      step(&r);
      want(data_of(&r, b), 1);
      calm(&r);
      step(&r);
      const uint32_t *now = get(&r, reg);
      for (unsigned l = 0; l < L; l++)
        assert_int_equal(now[l], lane(l < 16 ? 2 : 1, l));
    }
  finish(&r);
}

// In each bank, while its rows are written and the others are read.
static void data_hold_without_a_read(void **state) {
  rig r = start(state);
  for (unsigned b = 0; b < B; b++) {
    put(&r, 0, 8 + b, ALL, 5);
    step(&r);
    want(get(&r, 8 + b), 5);
    for (unsigned k = 0; k < 4; k++) {
      put(&r, 0, 8 + b, ALL, 6 + k);
      for (uint32_t reg = 4 * k; reg < 4 * k + B; reg++)
        if (reg % B != b)
          ask(&r, reg);
      step(&r);
      want(data_of(&r, b), 5);
    }
    calm(&r);
  }
  finish(&r);
}

static void only_lanes_of_the_mask(void **state) {
  rig r = start(state);
  static const uint32_t masks[] = {1, 0x80000000, 0x55555555, 0xaaaaaaaa, 0x7fffffff, 0xfffffffe};
  for (unsigned p = 0; p < 3; p++)
    for (unsigned k = 0; k < sizeof masks / sizeof *masks; k++) {
      calm(&r);
      step(&r);
      put(&r, 0, 77, ALL, 10);
      step(&r);
      calm(&r);
      put(&r, p, 77, (int)masks[k], 11);
      step(&r);
      calm(&r);
      step(&r);
      const uint32_t *now = get(&r, 77);
      for (unsigned l = 0; l < L; l++)
        assert_int_equal(now[l], lane(masks[k] >> l & 1 ? 11 : 10, l));
    }
  finish(&r);
}

// A write of no lane is a write all the same: it is done, and it keeps others from its bank.
static void all_lanes_off(void **state) {
  rig r = start(state);
  put(&r, 0, 8, ALL, 3);
  step(&r);
  calm(&r);
  put(&r, 0, 8, 0, 4);
  put(&r, 1, 12, ALL, 5);
  step(&r);
  want_done(&r, 0, 0);
  ask(&r, 12);
  step(&r);
  want_done(&r, 0, 0);
  want_zero(data_of(&r, 0));
  calm(&r);
  put(&r, 1, 12, ALL, 5);
  step(&r);
  want_done(&r, 1, 0);
  calm(&r);
  step(&r);
  put(&r, 1, 8, 0, 6);
  step(&r);
  want_done(&r, 1, 0);
  want(get(&r, 8), 3);
  want(get(&r, 12), 5);
  finish(&r);
}

static void three_ports_in_three_banks(void **state) {
  rig r = start(state);
  put(&r, 0, 0, ALL, 20);
  put(&r, 1, 1, ALL, 21);
  put(&r, 2, 2, ALL, 22);
  step(&r);
  want_done(&r, 1, 1);
  for (uint32_t reg = 0; reg < 3; reg++)
    want(get(&r, reg), 20 + reg);
  finish(&r);
}

// Rule 4: at the same register too; the one that waits longest has the last word.
static void three_ports_at_one_register(void **state) {
  rig r = start(state);
  put(&r, 0, 127, ALL, 30);
  put(&r, 1, 127, ALL, 31);
  put(&r, 2, 127, ALL, 32);
  ask(&r, 127);
  step(&r);
  want_done(&r, 0, 0);
  want_zero(data_of(&r, 3));
  r.in.w0_valid = 0;
  step(&r);
  want_done(&r, 1, 0);
  want(data_of(&r, 3), 30);
  r.in.w1_valid = 0;
  step(&r);
  want_done(&r, 0, 1);
  want(data_of(&r, 3), 31);
  want(get(&r, 127), 32);
  finish(&r);
}

static void port_0_keeps_others_from_its_bank(void **state) {
  rig r = start(state);
  put(&r, 1, 4, ALL, 40);
  for (unsigned k = 0; k < 20; k++) {
    put(&r, 0, 8, ALL, 50 + k);
    put(&r, 2, 5, ALL, 60);  // another bank: every second edge
    step(&r);
    want_done(&r, 0, ~k & 1);
  }
  put(&r, 0, 6, ALL, 70);
  r.in.w2_valid = 0;
  step(&r);
  want_done(&r, 1, 0);
  want(get(&r, 4), 40);
  want(get(&r, 8), 69);
  want(get(&r, 5), 60);
  want(get(&r, 6), 70);
  finish(&r);
}

// Rule 5: what is on the inputs in the cycle with done is not asked for.
static void valid_beside_done_is_not_a_write(void **state) {
  for (unsigned p = 1; p < 3; p++) {
    rig r = start(state);
    put(&r, p, 16, ALL, 80);
    step(&r);
    want_done(&r, p == 1, p == 2);
    put(&r, p, 20, ALL, 81);
    step(&r);
    want_done(&r, 0, 0);
    want_zero(get(&r, 20));
    put(&r, p, 20, ALL, 82);
    for (unsigned k = 0; k < 6; k++) {
      step(&r);
      want_done(&r, p == 1 && !(k & 1), p == 2 && !(k & 1));
    }
    want(get(&r, 16), 80);
    want(get(&r, 20), 82);
    finish(&r);
  }
}

// A contest of ports 1 and 2 for a bank, from both idle; who won.
static unsigned contest(rig *r, uint32_t bank) {
  calm(r);
  step(r);
  put(r, 1, 4 * 3 + bank, ALL, 90);
  put(r, 2, 4 * 5 + bank, ALL, 91);
  step(r);
  assert_int_equal(r->out.w1_done + r->out.w2_done, 1);
  const unsigned winner = r->out.w1_done ? 1 : 2;
  if (winner == 1)
    r->in.w1_valid = 0;
  else
    r->in.w2_valid = 0;
  step(r);
  want_done(r, winner == 2, winner == 1);
  calm(r);
  step(r);
  return winner;
}

// Rule 6: one turn for all banks.
static void contests_are_won_in_turn(void **state) {
  rig r = start(state);
  for (unsigned k = 0; k < 9; k++)
    assert_int_equal(contest(&r, k % B), 1 + k % 2);
  finish(&r);
}

static void no_turn_without_a_contest(void **state) {
  rig r = start(state);
  assert_int_equal(contest(&r, 1), 1);
  for (unsigned p = 1; p < 3; p++) {  // alone
    put(&r, p, 5, ALL, 1);
    step(&r);
    calm(&r);
    step(&r);
  }
  put(&r, 1, 5, ALL, 2);  // at once, in two banks
  put(&r, 2, 6, ALL, 3);
  step(&r);
  want_done(&r, 1, 1);
  calm(&r);
  step(&r);
  put(&r, 0, 9, ALL, 4);  // neither: port 0 writes the bank
  put(&r, 1, 5, ALL, 5);
  put(&r, 2, 13, ALL, 6);
  step(&r);
  want_done(&r, 0, 0);
  r.in.w0_valid = 0;
  step(&r);
  want_done(&r, 0, 1);
  r.in.w2_valid = 0;
  step(&r);
  want_done(&r, 1, 0);
  calm(&r);
  step(&r);
  put(&r, 1, 5, ALL, 7);  // one has its done and does not ask
  step(&r);
  put(&r, 2, 13, ALL, 8);
  step(&r);
  want_done(&r, 0, 1);
  assert_int_equal(contest(&r, 2), 1);
  assert_int_equal(contest(&r, 2), 2);
  finish(&r);
}

// The loser goes at the next edge: the winner has its done then.
static void nobody_loses_twice(void **state) {
  rig r = start(state);
  put(&r, 1, 3, ALL, 100);
  put(&r, 2, 7, ALL, 101);
  for (unsigned k = 0; k < 40; k++) {
    step(&r);
    want_done(&r, ~k & 1, k & 1);
  }
  finish(&r);
}

static void reset_clears_done_and_turn_only(void **state) {
  rig r = start(state);
  put(&r, 0, 33, ALL, 110);
  step(&r);
  want(get(&r, 33), 110);
  assert_int_equal(contest(&r, 0), 1);
  put(&r, 1, 34, ALL, 111);
  step(&r);
  want_done(&r, 1, 0);
  calm(&r);
  r.in.rst_n = 0;
  step(&r);
  want_done(&r, 0, 0);
  want(data_of(&r, 1), 110);
  r.in.rst_n = 1;
  want(get(&r, 33), 110);
  want(get(&r, 34), 111);
  assert_int_equal(contest(&r, 0), 1);
  finish(&r);
}

static void banks_work_in_reset(void **state) {
  rig r = start(state);
  r.in.rst_n = 0;
  put(&r, 0, 40, ALL, 120);
  put(&r, 1, 41, ALL, 121);
  put(&r, 2, 42, ALL, 122);
  step(&r);
  want_done(&r, 0, 0);
  calm(&r);
  ask(&r, 40);
  ask(&r, 41);
  ask(&r, 42);
  step(&r);
  want(data_of(&r, 0), 120);
  want(data_of(&r, 1), 121);
  want(data_of(&r, 2), 122);
  // port 1 wins each of these, is not told, and wins again
  calm(&r);
  put(&r, 1, 44, ALL, 123);
  put(&r, 2, 44, ALL, 124);
  step(&r);
  step(&r);
  want_done(&r, 0, 0);
  r.in.rst_n = 1;
  want(get(&r, 44), 123);
  finish(&r);
}

// clang-format off
#define BOTH(f) {#f " (Verilog)", f, NULL, NULL, (void *)&regfile_rtl}, \
                {#f " (twin)", f, NULL, NULL, (void *)&regfile_twin}
// clang-format on

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(zero_at_power_up),
      BOTH(every_register_is_its_own),
      BOTH(four_banks_are_read_at_once),
      BOTH(read_and_write_of_a_row_at_one_edge),
      BOTH(data_hold_without_a_read),
      BOTH(only_lanes_of_the_mask),
      BOTH(all_lanes_off),
      BOTH(three_ports_in_three_banks),
      BOTH(three_ports_at_one_register),
      BOTH(port_0_keeps_others_from_its_bank),
      BOTH(valid_beside_done_is_not_a_write),
      BOTH(contests_are_won_in_turn),
      BOTH(no_turn_without_a_contest),
      BOTH(nobody_loses_twice),
      BOTH(reset_clears_done_and_turn_only),
      BOTH(banks_work_in_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
