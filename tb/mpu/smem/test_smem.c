// SPDX-License-Identifier: Apache-2.0
// Cases of smem by name, each on the Verilog and on the twin, with the edges that they take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/isa/isa.h"
#include "csim/isa/scalar.h"
#include "csim/mpu/smem.h"

extern const block_ops smem_rtl;
extern bool smem_rtl_failed(const void *block);

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
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    edge(&u);  // outputs after reset
    test(&u);
    if (m == 0)
      assert_false(smem_rtl_failed(u.block));
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

// ---- any NBU

enum { LAST_WORD = SMEM_ROWS * SMEM_BANKS - 1 };

typedef struct port {
  uint32_t *valid, *op, *sgn, *f32, *mask, *addr, *be, *b, *c;
  const uint32_t *ready, *rvalid, *rdata;
} port;

static port port_of(unit *u, unsigned n) {
#define PORT(n)                                                                                 \
  {                                                                                             \
    &u->in.q##n##_valid, &u->in.q##n##_op, &u->in.q##n##_sgn, &u->in.q##n##_f32,                \
        &u->in.q##n##_mask, u->in.q##n##_addr, u->in.q##n##_be, u->in.q##n##_b, u->in.q##n##_c, \
        &u->out.q##n##_ready, &u->out.q##n##_rvalid, u->out.q##n##_rdata                        \
  }
  const port ports[] = {PORT(0), PORT(1), PORT(2), PORT(3)};
#undef PORT
  return ports[n];
}

// All lanes of NBU n on the inputs: word at + l * stride, data b.
static void offer(unit *u, unsigned n, uint32_t op, uint32_t mask, uint32_t at, uint32_t stride,
                  uint32_t b) {
  const port p = port_of(u, n);
  *p.valid = 1, *p.op = op, *p.mask = mask;
  for (uint32_t l = 0; l < L; l++) {
    put(p.addr, 14 * l, 14, at + l * stride);
    put(p.be, 4 * l, 4, 15);
    p.b[l] = b;
  }
}

// Edges until NBU n has its answer; its request is taken at the first.
static unsigned run(unit *u, unsigned n) {
  const port p = port_of(u, n);
  assert_int_equal(*p.ready, 1);
  edge(u);
  *p.valid = 0;
  unsigned edges = 0;
  for (; !*p.rvalid; edges++) {
    assert_true(edges < 1000);
    edge(u);
  }
  return edges;
}

// A word, read by an edge or three of NBU 3.
static uint32_t word(unit *u, uint32_t at) {
  offer(u, 3, LD, 1, at, 0, 0);
  assert_int_equal(run(u, 3), 3);
  return u->out.q3_rdata[0];
}

static void set(unit *u, uint32_t at, uint32_t value) {
  offer(u, 3, ST, 1, at, 0, value);
  assert_int_equal(run(u, 3), 3);
}

static unsigned answers(const unit *u) {
  return u->out.q0_rvalid | u->out.q1_rvalid << 1 | u->out.q2_rvalid << 2 | u->out.q3_rvalid << 3;
}

static void zero_at_power_up(unit *u) {
  edge(u);
  assert_int_equal(answers(u), 0);
  assert_int_equal(u->out.q0_ready & u->out.q1_ready & u->out.q2_ready & u->out.q3_ready, 1);
  for (uint32_t r = 0; r < SMEM_ROWS; r++) {
    offer(u, r % 4, LD, ~0u, r * SMEM_BANKS, 1, 0);
    assert_int_equal(run(u, r % 4), 3);
    for (unsigned l = 0; l < L; l++)
      assert_int_equal(u->out.q0_rdata[l], 0);
  }
}

// Rows and banks are told apart, first and last too; lanes are in any order.
static void every_word_is_its_own(unit *u) {
  for (uint32_t r = 0; r < SMEM_ROWS; r++) {
    offer(u, r % 4, ST, ~0u, r * SMEM_BANKS, 1, 0);
    const port p = port_of(u, r % 4);
    for (uint32_t l = 0; l < L; l++)
      p.b[l] = (r * SMEM_BANKS + l) * 0x9e3779b1u;
    assert_int_equal(run(u, r % 4), 3);
  }
  for (uint32_t r = 0; r < SMEM_ROWS; r++) {
    offer(u, 1, LD, ~0u, r * SMEM_BANKS + 31, ~0u, 0);
    assert_int_equal(run(u, 1), 3);
    for (uint32_t l = 0; l < L; l++)
      assert_int_equal(u->out.q1_rdata[l], (r * SMEM_BANKS + 31 - l) * 0x9e3779b1u);
  }
  assert_int_equal(word(u, LAST_WORD), LAST_WORD * 0x9e3779b1u);
}

// The diagrams of the page.
static void edges_of_ready_and_answer(unit *u) {
  static const uint32_t ops[] = {LD, ATOM + ISA_ATOM_ADD};
  for (unsigned k = 0; k < 2; k++) {
    offer(u, 0, ops[k], ~0u, 5, k ? 1 : 0, 1);  // words 0 of two rows: two passes
    if (!k)
      put(u->in.q0_addr, 14 * 7, 14, 5 + SMEM_BANKS);
    for (unsigned n = 0; n < 7; n++) {
      assert_int_equal(u->out.q0_ready, n != 1);
      assert_int_equal(u->out.q0_rvalid, n == 5);
      edge(u);
      u->in.q0_valid = 0;
    }
  }
}

// Lanes of the first pass are there an edge before those of the second.
static void rdata_fills_pass_by_pass(unit *u) {
  set(u, 40, 1), set(u, 40 + SMEM_BANKS, 2);
  offer(u, 1, LD, 0xff, 40, 0, 0);
  put(u->in.q1_addr, 14 * 7, 14, 40 + SMEM_BANKS);
  edge(u);
  u->in.q1_valid = 0;
  edge(u), edge(u), edge(u);
  assert_int_equal(u->out.q1_rvalid, 0);
  assert_int_equal(u->out.q1_rdata[6], 1);
  assert_int_equal(u->out.q1_rdata[7], 0);
  edge(u);
  assert_int_equal(u->out.q1_rvalid, 1);
  assert_int_equal(u->out.q1_rdata[6], 1);
  assert_int_equal(u->out.q1_rdata[7], 2);
  assert_int_equal(u->out.q1_rdata[8], 0);
}

static void rdata_is_one_register_and_holds(unit *u) {
  set(u, 9, 77);
  offer(u, 2, LD, 0x80000001, 9, 0, 0);
  run(u, 2);
  offer(u, 0, ST, ~0u, 9, 0, 5);  // stores leave it alone
  for (unsigned n = 0; n < 50; n++) {
    assert_int_equal(u->out.q0_rdata[31], 77);
    assert_int_equal(u->out.q0_rdata[30], 0);
    assert_memory_equal(u->out.q0_rdata, u->out.q1_rdata, sizeof u->out.q0_rdata);
    assert_memory_equal(u->out.q0_rdata, u->out.q2_rdata, sizeof u->out.q0_rdata);
    assert_memory_equal(u->out.q0_rdata, u->out.q3_rdata, sizeof u->out.q0_rdata);
    edge(u);
    u->in.q0_valid = 0;
  }
  offer(u, 0, LD, 0, 9, 0, 0);
  run(u, 0);
  for (unsigned l = 0; l < L; l++)
    assert_int_equal(u->out.q3_rdata[l], 0);
}

// Rule 5, byte by byte: of lanes with one word the highest that names a byte.
static void highest_lane_wins_each_byte(unit *u) {
  set(u, LAST_WORD, 0x11111111);
  offer(u, 0, ST, ~0u, LAST_WORD, 0, 0);
  for (uint32_t l = 0; l < L; l++) {
    u->in.q0_b[l] = l * 0x01010101;
    put(u->in.q0_be, 4 * l, 4, l == 31 ? 1 : l == 30 ? 4 : l == 29 ? 5 : l == 3 ? 6 : 0);
  }
  assert_int_equal(run(u, 0), 2 + 32);
  assert_int_equal(word(u, LAST_WORD), 0x111e031f);
}

// Corners of each operation; also codes that are others' names, and flags that do not count.
static void each_atomic_of_each_kind(unit *u) {
  static const struct {
    uint32_t op, sgn, f32, old, b, c, now;
  } cases[] = {
      {2, 0, 0, 3, 9, 9, 3},
      {3, 1, 1, 3, 9, 9, 3},
      {ATOM + ISA_ATOM_ADD, 0, 0, 0xffffffff, 2, 9, 1},
      {ATOM + ISA_ATOM_ADD, 1, 0, 0x7fffffff, 1, 9, 0x80000000},
      {ATOM + ISA_ATOM_ADD, 0, 1, 0x3f800000, 0x40000000, 9, 0x40400000},
      {ATOM + ISA_ATOM_MIN, 0, 0, 0x80000000, 1, 9, 1},
      {ATOM + ISA_ATOM_MIN, 1, 0, 0x80000000, 1, 9, 0x80000000},
      {ATOM + ISA_ATOM_MIN, 0, 1, 0xbf800000, 0x3f800000, 9, 0x3f800000},
      {ATOM + ISA_ATOM_MAX, 0, 0, 0x80000000, 1, 9, 0x80000000},
      {ATOM + ISA_ATOM_MAX, 1, 0, 0x80000000, 1, 9, 1},
      {ATOM + ISA_ATOM_MAX, 1, 1, 0xffffffff, 0xfffffffe, 9, 0xffffffff},
      {ATOM + ISA_ATOM_INC, 0, 0, 4, 5, 9, 5},
      {ATOM + ISA_ATOM_INC, 0, 0, 5, 5, 9, 0},
      {ATOM + ISA_ATOM_INC, 1, 0, 0xffffffff, 5, 9, 0},
      {ATOM + ISA_ATOM_INC, 0, 0, 0xffffffff, 0xffffffff, 9, 0},
      {ATOM + ISA_ATOM_INC, 1, 0, 0, 0xffffffff, 9, 1},
      {ATOM + ISA_ATOM_DEC, 0, 0, 5, 5, 9, 4},
      {ATOM + ISA_ATOM_DEC, 0, 0, 6, 5, 9, 5},
      {ATOM + ISA_ATOM_DEC, 0, 0, 0, 5, 9, 5},
      {ATOM + ISA_ATOM_DEC, 1, 0, 0xffffffff, 0xfffffffe, 9, 0xfffffffe},
      {ATOM + ISA_ATOM_DEC, 0, 0, 0, 0, 9, 0},
      {ATOM + ISA_ATOM_AND, 0, 1, 0xff00ff00, 0x0ff00ff0, 9, 0x0f000f00},
      {ATOM + ISA_ATOM_OR, 0, 1, 0xff00ff00, 0x0ff00ff0, 9, 0xfff0fff0},
      {ATOM + ISA_ATOM_XOR, 0, 1, 0xff00ff00, 0x0ff00ff0, 9, 0xf0f0f0f0},
      {ATOM + ISA_ATOM_EXCH, 1, 1, 1, 8, 9, 8},
      {ATOM + ISA_ATOM_CAS, 0, 0, 8, 8, 9, 9},
      {ATOM + ISA_ATOM_CAS, 0, 0, 0x80000000, 0, 9, 0x80000000},
      {14, 0, 0, 1, 8, 9, 8},
      {15, 1, 1, 1, 8, 9, 8},
  };
  for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
    const uint32_t at = LAST_WORD - k;
    set(u, at, cases[k].old);
    offer(u, 1, cases[k].op, 1u << (k % 32), at, 0, cases[k].b);
    const bool sum = cases[k].op == ATOM + ISA_ATOM_ADD && cases[k].f32;
    u->in.q1_sgn = cases[k].sgn, u->in.q1_f32 = cases[k].f32, u->in.q1_c[k % 32] = cases[k].c;
    memset(u->in.q1_be, 0, sizeof u->in.q1_be);
    assert_int_equal(run(u, 1), cases[k].op < ATOM ? 3 : sum ? 2 + 8 : 2 + 2);
    for (unsigned l = 0; l < L; l++)
      assert_int_equal(u->out.q1_rdata[l], l == k % 32 ? cases[k].old : 0);
    assert_int_equal(word(u, at), cases[k].now);
  }
}

// Zeros, halves of the last place, subnormals that stay, overflow, infinities, NaNs.
static void sums_as_the_machine_has_them(unit *u) {
  static const uint32_t values[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x33800000,
                                    0x33800001, 0x3f800001, 0x00000001, 0x80000001, 0x007fffff,
                                    0x00800000, 0x80800000, 0x7f7fffff, 0x73000000, 0x7f800000,
                                    0xff800000, 0x7fc00001, 0xff800001};
  enum { N = sizeof values / sizeof *values };
  isa_inst i = isa_inst_new(ISA_OP_ADD, ISA_TYPE_F32);
  i.fn = ISA_RND_RN;
  for (unsigned a = 0; a < N; a++) {
    for (unsigned b = 0; b < N; b++) {  // a lane each
      offer(u, 0, ST, 1u << b, 2000, 1, values[a]);
      assert_int_equal(run(u, 0), 3);
      offer(u, 0, ATOM, 1u << b, 2000, 1, values[b]);
      u->in.q0_f32 = 1;
      assert_int_equal(run(u, 0), 2 + 8);
      assert_int_equal(u->out.q0_rdata[b], values[a]);
      u->in.q0_f32 = 0;
    }
    for (unsigned b = 0; b < N; b++)
      assert_int_equal(word(u, 2000 + b), scalar_f32(&i, values[a], values[b], 0));
  }
}

// ---- all four

// Answers in the order of the slots, from the one after the last; each is done when the next is.
static void turns_go_round(unit *u) {
  for (unsigned first = 0; first < 4; first++) {
    if (first) {  // the one before has been the last
      offer(u, first - 1, LD, 1, 0, 0, 0);
      run(u, first - 1);
    }
    for (unsigned n = 0; n < 4; n++)
      offer(u, n, LD, ~0u, 32 * n, 1, 0);
    edge(u);
    u->in.q0_valid = u->in.q1_valid = u->in.q2_valid = u->in.q3_valid = 0;
    edge(u), edge(u);
    for (unsigned n = 0; n < 4; n++) {
      edge(u);
      assert_int_equal(answers(u), 1 << (first + n) % 4);
    }
    edge(u);
    assert_int_equal(answers(u), 0);
  }
}

// One that comes late waits for what is under way and at most two in slots before it, however the
// others rush.
static void nobody_waits_for_more_than_three_others(unit *u) {
  for (unsigned late = 0; late < 4; late++) {
    unsigned most = 0;
    for (unsigned pause = 0; pause < 40; pause++) {
      for (unsigned n = 0; n < 4; n++)
        if (n != late)
          offer(u, n, ST, 0xff, 64, 0, 1);  // 8 edges each
      for (unsigned k = 0; k < pause; k++)
        edge(u);
      offer(u, late, LD, 1, 64, 0, 0);
      const port p = port_of(u, late);
      assert_int_equal(*p.ready, 1);
      edge(u);
      *p.valid = 0;
      edge(u);  // an answer now is of one that ended when this one was taken
      unsigned others = 0;
      for (edge(u); !*p.rvalid; edge(u))
        others += answers(u) != 0;
      assert_in_range(others, pause > 1, 3);
      most = others > most ? others : most;
      u->in.q0_valid = u->in.q1_valid = u->in.q2_valid = u->in.q3_valid = 0;
      for (unsigned k = 0; k < 40; k++)
        edge(u);
    }
    assert_int_equal(most, 3);
  }
}

static void one_a_cycle_without_conflicts(unit *u) {
  for (unsigned n = 0; n < 4; n++)
    offer(u, n, n & 1 ? ST : LD, ~0u, 32 * n, 1, n);
  for (unsigned k = 0; k < 4; k++)
    edge(u);
  for (unsigned k = 0; k < 100; k++) {
    assert_int_equal(answers(u), 1 << k % 4);
    edge(u);
  }
}

static void all_four_at_one_word(unit *u) {
  for (unsigned n = 0; n < 4; n++)
    offer(u, n, ATOM + ISA_ATOM_ADD, ~0u, LAST_WORD, 0, 1);
  edge(u);
  u->in.q0_valid = u->in.q1_valid = u->in.q2_valid = u->in.q3_valid = 0;
  for (unsigned n = 0; n < 4; n++) {
    while (!answers(u))
      edge(u);
    assert_int_equal(answers(u), 1 << n);
    for (unsigned l = 0; l < L; l++)
      assert_int_equal(u->out.q0_rdata[l], 32 * n + l);
    edge(u);
  }
  assert_int_equal(word(u, LAST_WORD), 4 * 32);
}

// All lanes of all four in the last bank, a word each.
static void all_four_at_one_bank(unit *u) {
  for (unsigned n = 0; n < 4; n++)
    offer(u, n, ST, ~0u, 31 + 32 * SMEM_BANKS * n, SMEM_BANKS, 100 + n);
  unsigned edges = 0;
  edge(u);
  u->in.q0_valid = u->in.q1_valid = u->in.q2_valid = u->in.q3_valid = 0;
  for (; !u->out.q3_rvalid; edges++)
    edge(u);
  assert_int_equal(edges, 2 + 4 * 32);
  for (uint32_t r = 0; r < 128; r++)
    assert_int_equal(word(u, r * SMEM_BANKS + 31), 100 + r / 32);
}

// A request at the edge after that of another sees all of it.
static void load_next_to_a_store(unit *u) {
  offer(u, 0, ST, ~0u, 96, 1, 1234);
  offer(u, 1, LD, ~0u, 96, 1, 0);
  edge(u);
  u->in.q0_valid = u->in.q1_valid = 0;
  for (unsigned k = 0; k < 3; k++)
    edge(u);
  assert_int_equal(answers(u), 1);
  edge(u);
  assert_int_equal(answers(u), 2);
  for (unsigned l = 0; l < L; l++)
    assert_int_equal(u->out.q1_rdata[l], 1234);
}

// Back-pressure: a request is taken once, and what is on the inputs later is another.
static void taken_once_and_as_it_was(unit *u) {
  offer(u, 1, ST, ~0u, 64, 0, 7);  // keeps the memory
  edge(u);
  u->in.q1_valid = 0;
  offer(u, 2, ATOM + ISA_ATOM_INC, 1, 200, 0, 1000);
  edge(u);
  assert_int_equal(u->out.q2_ready, 0);
  offer(u, 2, ATOM + ISA_ATOM_INC, 2, 300, 0, 1000);  // waits
  unsigned done = 0;
  for (unsigned k = 0; k < 60; k++) {
    const bool goes = u->in.q2_valid && u->out.q2_ready;
    edge(u);
    if (goes)
      u->in.q2_valid = 0;
    done += u->out.q2_rvalid;
  }
  assert_int_equal(done, 2);
  assert_int_equal(word(u, 200), 1);
  assert_int_equal(word(u, 300 + 0), 1);
}

static void reset_keeps_words_and_rdata(unit *u) {
  set(u, 70, 1), set(u, 71, 2);
  offer(u, 2, LD, 1, 70, 0, 0);
  run(u, 2);
  for (unsigned when = 1; when < 8; when++) {
    offer(u, 0, ATOM + ISA_ATOM_ADD, 3, 71, 0, 16);  // READ at edge 2, MODIFY at 3; again 4, 5
    u->in.q1_valid = 0;
    for (unsigned k = 0; k < when; k++) {
      edge(u);
      u->in.q0_valid = 0;
    }
    uint32_t rdata[L];
    memcpy(rdata, u->out.q0_rdata, sizeof rdata);
    offer(u, 1, ST, 1, 70, 0, 99);  // not taken in reset
    u->in.rst_n = 0;
    for (unsigned k = 0; k < 2; k++) {
      u->ops->step(u->block, &u->in, &u->out);
      assert_int_equal(answers(u), 0);
      assert_int_equal(u->out.q0_ready & u->out.q1_ready & u->out.q2_ready & u->out.q3_ready, 1);
      assert_memory_equal(rdata, u->out.q0_rdata, sizeof rdata);
    }
    u->in.q1_valid = 0;
    for (unsigned k = 0; k < 6; k++) {
      edge(u);
      assert_int_equal(answers(u), 0);
      assert_memory_equal(rdata, u->out.q0_rdata, sizeof rdata);
    }
    assert_int_equal(word(u, 70), 1);
    assert_int_equal(word(u, 71), 2 + (when >= 4 ? 16 : 0) + (when >= 6 ? 16 : 0));
    set(u, 71, 2);
    u->in.rst_n = 0;  // slot 0 comes first again
    u->ops->step(u->block, &u->in, &u->out);
    offer(u, 0, LD, 1, 0, 0, 0), offer(u, 3, LD, 1, 0, 0, 0);
    edge(u);
    u->in.q0_valid = u->in.q3_valid = 0;
    edge(u), edge(u), edge(u);
    assert_int_equal(answers(u), 1);
    edge(u);
    assert_int_equal(answers(u), 8);
  }
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
TEST(zero_at_power_up)
TEST(every_word_is_its_own)
TEST(edges_of_ready_and_answer)
TEST(rdata_fills_pass_by_pass)
TEST(rdata_is_one_register_and_holds)
TEST(highest_lane_wins_each_byte)
TEST(each_atomic_of_each_kind)
TEST(sums_as_the_machine_has_them)
TEST(turns_go_round)
TEST(nobody_waits_for_more_than_three_others)
TEST(one_a_cycle_without_conflicts)
TEST(all_four_at_one_word)
TEST(all_four_at_one_bank)
TEST(load_next_to_a_store)
TEST(taken_once_and_as_it_was)
TEST(reset_keeps_words_and_rdata)

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
      cmocka_unit_test(test_zero_at_power_up),
      cmocka_unit_test(test_every_word_is_its_own),
      cmocka_unit_test(test_edges_of_ready_and_answer),
      cmocka_unit_test(test_rdata_fills_pass_by_pass),
      cmocka_unit_test(test_rdata_is_one_register_and_holds),
      cmocka_unit_test(test_highest_lane_wins_each_byte),
      cmocka_unit_test(test_each_atomic_of_each_kind),
      cmocka_unit_test(test_sums_as_the_machine_has_them),
      cmocka_unit_test(test_turns_go_round),
      cmocka_unit_test(test_nobody_waits_for_more_than_three_others),
      cmocka_unit_test(test_one_a_cycle_without_conflicts),
      cmocka_unit_test(test_all_four_at_one_word),
      cmocka_unit_test(test_all_four_at_one_bank),
      cmocka_unit_test(test_load_next_to_a_store),
      cmocka_unit_test(test_taken_once_and_as_it_was),
      cmocka_unit_test(test_reset_keeps_words_and_rdata),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
