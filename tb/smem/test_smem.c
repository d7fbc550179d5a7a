// SPDX-License-Identifier: Apache-2.0
// Cases of smem by name, each on the Verilog and on the twin, with the edges that they take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "smem.h"

extern const block_ops smem_rtl;

enum { L = SMEM_LANES, LD = 0, ST = 1, ATOM = 4 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  smem_in in;
  smem_out out;
} unit;

static void edge(unit *u) {
  u->in.rst_n = 1;
  u->ops->step(u->block, &u->in, &u->out);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&smem_rtl, &smem_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create()};
    assert_non_null(u.block);
    test(&u);
    u.ops->destroy(u.block);
  }
}

static void put(uint32_t *words, unsigned at, unsigned bits, uint32_t value) {
  for (unsigned k = 0; k < bits; k++) {
    words[(at + k) / 32] &= ~(1u << (at + k) % 32);
    words[(at + k) / 32] |= (value >> k & 1) << (at + k) % 32;
  }
}

// A request of NBU 0, alone: taken at the next edge. Returns the edges from there to the one after
// which it is answered.
static unsigned request(unit *u, uint32_t op, uint32_t mask, const uint32_t *addr,
                        const uint32_t *b) {
  assert_int_equal(u->out.q0_ready || u->in.rst_n == 0, 1);
  u->in.q0_valid = 1, u->in.q0_op = op, u->in.q0_mask = mask;
  for (unsigned l = 0; l < L; l++) {
    put(u->in.q0_addr, 14 * l, 14, addr[l]);
    put(u->in.q0_be, 4 * l, 4, 15);
  }
  if (b)
    memcpy(u->in.q0_b, b, sizeof u->in.q0_b);
  edge(u);
  u->in.q0_valid = 0;
  unsigned edges = 0;
  while (!u->out.q0_rvalid) {
    assert_true(edges < 1000);
    edge(u), edges++;
  }
  return edges;
}

static void row(uint32_t *addr, uint32_t at) {
  for (uint32_t l = 0; l < L; l++)
    addr[l] = at + l;
}

static void conflicts_of_each_degree(unit *u) {
  uint32_t addr[L], data[L];
  for (uint32_t degree = 1; degree <= 32; degree++) {
    for (uint32_t l = 0; l < L; l++) {
      addr[l] = l < degree ? SMEM_BANKS * (10 + l) + 3 : SMEM_BANKS * 10 + 3;  // bank 3
      data[l] = 100 * degree + l;
    }
    uint32_t mask = degree == 32 ? ~0u : (1u << degree) - 1;
    assert_int_equal(request(u, ST, mask, addr, data), 2 + degree);
    assert_int_equal(request(u, LD, ~0u, addr, NULL), 2 + degree);
    for (uint32_t l = 0; l < L; l++)
      assert_int_equal(u->out.q0_rdata[l], 100 * degree + (l < degree ? l : 0));
  }
}

static void one_word_for_all(unit *u) {
  uint32_t addr[L], data[L];
  for (uint32_t l = 0; l < L; l++)
    addr[l] = SMEM_ROWS * SMEM_BANKS - 1, data[l] = l;        // the last word
  assert_int_equal(request(u, ST, ~0u, addr, data), 2 + 32);  // the highest lane wins
  assert_int_equal(request(u, LD, ~0u, addr, NULL), 3);       // broadcast
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(u->out.q0_rdata[l], 31);
}

static void all_lanes_off(unit *u) {
  uint32_t addr[L], data[L] = {0};
  row(addr, 64);
  for (uint32_t l = 0; l < L; l++)
    data[l] = 7;
  request(u, ST, ~0u, addr, data);
  request(u, LD, ~0u, addr, NULL);
  assert_int_equal(request(u, LD, 0, addr, NULL), 3);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(u->out.q0_rdata[l], 0);
  assert_int_equal(request(u, ATOM + ISA_ATOM_ADD, 0, addr, data), 3);
  assert_int_equal(request(u, ST, 0, addr, data), 3);
}

static void atomics_of_all_lanes_on_one_word(unit *u) {
  static const struct {
    uint32_t op, start, b, end;
  } cases[] = {
      {ISA_ATOM_ADD, 5, 3, 5 + 32 * 3}, {ISA_ATOM_INC, 0, 40, 32},      {ISA_ATOM_INC, 0, 30, 1},
      {ISA_ATOM_DEC, 3, 9, 1},          {ISA_ATOM_MIN, 50, 20, 20},     {ISA_ATOM_MAX, 50, 20, 50},
      {ISA_ATOM_AND, 0xff, 0xf0, 0xf0}, {ISA_ATOM_OR, 1, 0x100, 0x101}, {ISA_ATOM_XOR, 9, 5, 9},
      {ISA_ATOM_EXCH, 1, 8, 8},
  };
  uint32_t addr[L], data[L];
  for (uint32_t l = 0; l < L; l++)
    addr[l] = 77;
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (uint32_t l = 0; l < L; l++)
      data[l] = cases[k].start;
    request(u, ST, ~0u, addr, data);
    for (uint32_t l = 0; l < L; l++)
      data[l] = cases[k].b;
    assert_int_equal(request(u, ATOM + cases[k].op, ~0u, addr, data), 2 + 2 * 32);
    assert_int_equal(u->out.q0_rdata[0], cases[k].start);  // lanes go in their order
    request(u, LD, 1, addr, NULL);
    assert_int_equal(u->out.q0_rdata[0], cases[k].end);
  }
}

static void minimum_with_and_without_sign(unit *u) {
  uint32_t addr[L], data[L];
  row(addr, 320);
  for (uint32_t sgn = 0; sgn < 2; sgn++) {
    for (uint32_t l = 0; l < L; l++)
      data[l] = 5;
    request(u, ST, ~0u, addr, data);
    for (uint32_t l = 0; l < L; l++)
      data[l] = 0xffffffff;
    u->in.q0_sgn = sgn;
    assert_int_equal(request(u, ATOM + ISA_ATOM_MIN, ~0u, addr, data), 2 + 2);
    request(u, LD, ~0u, addr, NULL);
    assert_int_equal(u->out.q0_rdata[17], sgn ? 0xffffffff : 5);
  }
  u->in.q0_sgn = 0;
}

static void sums_in_lane_order(unit *u) {
  uint32_t addr[L], data[L];
  for (uint32_t l = 0; l < L; l++)
    addr[l] = 3, data[l] = 0;
  request(u, ST, 1, addr, data);
  for (uint32_t l = 0; l < L; l++)
    data[l] = 0x3f800000;  // 1.0
  data[0] = 0x4b800000;    // 2^24: to which 1.0 adds nothing
  u->in.q0_f32 = 1;
  assert_int_equal(request(u, ATOM + ISA_ATOM_ADD, ~0u, addr, data), 2 + 8 * 32);
  u->in.q0_f32 = 0;
  request(u, LD, 1, addr, NULL);
  assert_int_equal(u->out.q0_rdata[0], 0x4b800000);
}

static void cas_of_the_right_lane(unit *u) {
  uint32_t addr[L], data[L];
  for (uint32_t l = 0; l < L; l++)
    addr[l] = 900, data[l] = 0;
  request(u, ST, 1, addr, data);
  for (uint32_t l = 0; l < L; l++)
    data[l] = l, u->in.q0_c[l] = l + 1;  // 0 -> 1 -> 2 ... -> 32
  request(u, ATOM + ISA_ATOM_CAS, ~0u, addr, data);
  request(u, LD, 1, addr, NULL);
  assert_int_equal(u->out.q0_rdata[0], 32);
}

static void bytes_of_a_store(unit *u) {
  uint32_t addr[L], data[L];
  row(addr, 0);
  for (uint32_t l = 0; l < L; l++)
    data[l] = 0x11111111;
  request(u, ST, ~0u, addr, data);
  u->in.q0_valid = 1, u->in.q0_op = ST, u->in.q0_mask = ~0u;
  for (unsigned l = 0; l < L; l++) {
    put(u->in.q0_be, 4 * l, 4, l % 16);
    u->in.q0_b[l] = 0x44332255;
  }
  edge(u);
  u->in.q0_valid = 0;
  while (!u->out.q0_rvalid)
    edge(u);
  request(u, LD, ~0u, addr, NULL);
  for (unsigned l = 0; l < L; l++)
    for (unsigned k = 0; k < 4; k++)
      assert_int_equal(u->out.q0_rdata[l] >> 8 * k & 255,
                       l >> k & 1 ? 0x44332255u >> 8 * k & 255 : 0x11);
}

// All four ask without a pause: a turn each.
static void fair_to_all_nbus(unit *u) {
  u->in.q0_valid = u->in.q1_valid = u->in.q2_valid = u->in.q3_valid = 1;
  u->in.q0_mask = u->in.q1_mask = u->in.q2_mask = u->in.q3_mask = 1;
  u->in.q2_mask = ~0u;  // with 32 conflicts: all lanes at word 0 in a store
  u->in.q2_op = ST;
  unsigned answers[4] = {0};
  for (unsigned n = 0; n < 4000; n++) {
    edge(u);
    answers[0] += u->out.q0_rvalid, answers[1] += u->out.q1_rvalid;
    answers[2] += u->out.q2_rvalid, answers[3] += u->out.q3_rvalid;
  }
  for (unsigned p = 0; p < 4; p++)
    assert_in_range(answers[p], 4000 / 35 - 1, 4000 / 35 + 1);
}

static void reset_in_the_middle(unit *u) {
  uint32_t addr[L], data[L] = {0};
  for (uint32_t l = 0; l < L; l++)
    addr[l] = 500;
  u->in.q0_valid = 1, u->in.q0_op = ATOM, u->in.q0_mask = ~0u;
  edge(u);
  u->in.q0_valid = 0;
  for (unsigned n = 0; n < 9; n++)
    edge(u);
  u->in.rst_n = 0;
  u->ops->step(u->block, &u->in, &u->out);
  for (unsigned n = 0; n < 100; n++) {
    edge(u);
    assert_int_equal(u->out.q0_rvalid, 0);
    assert_int_equal(u->out.q0_ready, 1);
  }
  assert_int_equal(request(u, ST, 1, addr, data), 3);
}

#define TEST(name)                        \
  static void test_##name(void **state) { \
    (void)state;                          \
    each(name);                           \
  }
TEST(conflicts_of_each_degree)
TEST(one_word_for_all)
TEST(all_lanes_off)
TEST(atomics_of_all_lanes_on_one_word)
TEST(minimum_with_and_without_sign)
TEST(sums_in_lane_order)
TEST(cas_of_the_right_lane)
TEST(bytes_of_a_store)
TEST(fair_to_all_nbus)
TEST(reset_in_the_middle)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conflicts_of_each_degree),
      cmocka_unit_test(test_one_word_for_all),
      cmocka_unit_test(test_all_lanes_off),
      cmocka_unit_test(test_atomics_of_all_lanes_on_one_word),
      cmocka_unit_test(test_minimum_with_and_without_sign),
      cmocka_unit_test(test_sums_in_lane_order),
      cmocka_unit_test(test_cas_of_the_right_lane),
      cmocka_unit_test(test_bytes_of_a_store),
      cmocka_unit_test(test_fair_to_all_nbus),
      cmocka_unit_test(test_reset_in_the_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
