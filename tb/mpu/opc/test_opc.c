// SPDX-License-Identifier: Apache-2.0
// Cases of opc by name, each on the Verilog and on the twin, with the edges that they take. Behind
// the block there is a register file in which every word of every register is another.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK opc
#include "csim/base/block_declare.h"

extern const block_ops opc_rtl;
extern bool opc_rtl_failed(const void *block);

enum { LANES = 32, BANKS = 4, ALL = 7 };
enum { VALU, LSUX, REGMOVE, UNITS };
enum { A = 1, B = 2, C = 4 };  // bits of use

typedef struct unit {
  const block_ops *ops;
  void *block;
  opc_in in;
  opc_out out;
  struct {
    uint32_t en, row;
  } read[BANKS];
  uint32_t reads;
} unit;

static uint32_t word_of(uint32_t reg, uint32_t lane) {
  return (reg * LANES + lane + 1) * 0x9e3779b1;
}

static uint32_t en(const unit *u, uint32_t bank) {
  const uint32_t all[] = {u->out.r0_en, u->out.r1_en, u->out.r2_en, u->out.r3_en};
  return all[bank];
}

static uint32_t row(const unit *u, uint32_t bank) {
  const uint32_t all[] = {u->out.r0_row, u->out.r1_row, u->out.r2_row, u->out.r3_row};
  return all[bank];
}

// Data are there for the one edge at which they must be stored.
static void any_edge(unit *u, uint32_t rst_n) {
  uint32_t *data[] = {u->in.r0_data, u->in.r1_data, u->in.r2_data, u->in.r3_data};
  for (uint32_t b = 0; b < BANKS; b++) {
    for (uint32_t l = 0; l < LANES; l++)
      data[b][l] = u->read[b].en ? word_of(u->read[b].row * BANKS + b, l) : 0xdeadbeef;
    u->read[b].en = en(u, b), u->read[b].row = row(u, b);
    u->reads += en(u, b);
  }
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.valid = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void edges(unit *u, unsigned n) {
  while (n--)
    edge(u);
}

static void reset(unit *u) {
  any_edge(u, 0);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&opc_rtl, &opc_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    edge(&u);  // outputs after reset
    u.in.x_ready = ALL;
    test(&u);
    if (m == 0)
      assert_false(opc_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

// An instruction at the inputs; the test sets what is special in it.
static opc_in *offer(unit *u, uint32_t who, uint32_t tag, uint32_t use, uint32_t a, uint32_t b,
                     uint32_t c) {
  opc_in *in = &u->in;
  memset(in, 0, offsetof(opc_in, r0_data));
  in->valid = 1, in->unit = who, in->tag = tag, in->mask = ~0u;
  in->use = use, in->a = a, in->b = b, in->c = c;
  return in;
}

// The same, and it is taken.
static void give(unit *u, uint32_t who, uint32_t tag, uint32_t use, uint32_t a, uint32_t b,
                 uint32_t c) {
  offer(u, who, tag, use, a, b, c);
  assert_int_equal(u->out.ready, 1);
  edge(u);
}

// Nothing is dispatched at this many edges, and something at the one after them.
static void dispatch_after(unit *u, unsigned n, uint32_t who, uint32_t tag) {
  for (unsigned k = 0; k < n; k++) {
    edge(u);
    assert_int_equal(u->out.x_valid, 0);
  }
  edge(u);
  assert_int_equal(u->out.x_valid, 1u << who);
  assert_int_equal(u->out.x_tag, tag);
}

static void dispatches(unit *u, uint32_t who, uint32_t tag) {
  dispatch_after(u, 0, who, tag);
}

static void expect_register(const uint32_t *x, uint32_t reg) {
  for (uint32_t l = 0; l < LANES; l++)
    assert_int_equal(x[l], word_of(reg, l));
}

static void expect_word(const uint32_t *x, uint32_t word) {
  for (uint32_t l = 0; l < LANES; l++)
    assert_int_equal(x[l], word);
}

static void expect_empty(const unit *u) {
  assert_int_equal(u->out.busy, 0);
  assert_int_equal(u->out.ready, 1);
  assert_int_equal(u->out.x_valid, 0);
  for (uint32_t b = 0; b < BANKS; b++)
    assert_int_equal(en(u, b), 0);
}

// ---- the edges of one instruction

static void four_edges_without_conflict(unit *u) {
  expect_empty(u);
  for (uint32_t use = 1; use < 8; use++)
    for (uint32_t k = 0; k < BANKS; k++) {
      const uint32_t regs[] = {40 + k, 80 + (k + 1) % 4, 124 + (k + 3) % 4};
      const uint32_t *x[] = {u->out.x_a, u->out.x_b, u->out.x_c};
      u->reads = 0;
      give(u, VALU, use, use, regs[0], regs[1], regs[2]);
      assert_int_equal(u->out.busy, 1);
      for (uint32_t b = 0; b < BANKS; b++)
        assert_int_equal(en(u, b), 0);
      edge(u);  // all of them are asked for at once
      for (uint32_t i = 0; i < 3; i++)
        if (use >> i & 1) {
          assert_int_equal(en(u, regs[i] % 4), 1);
          assert_int_equal(row(u, regs[i] % 4), regs[i] / 4);
        } else {
          assert_int_equal(en(u, regs[i] % 4), 0);
        }
      edge(u);
      for (uint32_t b = 0; b < BANKS; b++)
        assert_int_equal(en(u, b), 0);
      for (uint32_t i = 0; i < 3; i++)  // row holds
        if (use >> i & 1)
          assert_int_equal(row(u, regs[i] % 4), regs[i] / 4);
      dispatch_after(u, 1, VALU, use);
      assert_int_equal(u->out.x_last, 1);
      for (uint32_t i = 0; i < 3; i++)
        if (use >> i & 1)
          expect_register(x[i], regs[i]);
        else
          expect_word(x[i], 0);
      assert_int_equal(u->out.busy, 1);
      edge(u);
      expect_empty(u);
      assert_int_equal(u->reads, __builtin_popcount(use));
    }
}

static void three_operands_in_one_bank(unit *u) {
  for (uint32_t b = 0; b < BANKS; b++) {
    const uint32_t regs[] = {100 + b, 4 + b, 60 + b};
    give(u, VALU, b, A | B | C, regs[0], regs[1], regs[2]);
    for (uint32_t k = 0; k < 3; k++) {  // a, then b, then c
      edge(u);
      for (uint32_t n = 0; n < BANKS; n++)
        assert_int_equal(en(u, n), n == b);
      assert_int_equal(row(u, b), regs[k] / 4);
      assert_int_equal(u->out.x_valid, 0);
    }
    dispatch_after(u, 2, VALU, b);
    expect_register(u->out.x_a, regs[0]);
    expect_register(u->out.x_b, regs[1]);
    expect_register(u->out.x_c, regs[2]);
    edge(u);
    expect_empty(u);
  }
}

static void two_operands_in_one_bank(unit *u) {
  static const uint32_t regs[][3] = {{0, 4, 1}, {0, 1, 4}, {1, 0, 4}};
  for (uint32_t k = 0; k < 3; k++) {
    give(u, VALU, k, A | B | C, regs[k][0], regs[k][1], regs[k][2]);
    edge(u);
    assert_int_equal(en(u, 0), 1);
    assert_int_equal(row(u, 0), 0);
    assert_int_equal(en(u, 1), 1);  // does not wait for the other bank
    edge(u);
    assert_int_equal(en(u, 0), 1);
    assert_int_equal(row(u, 0), 1);
    assert_int_equal(en(u, 1), 0);
    dispatch_after(u, 2, VALU, k);
    expect_register(u->out.x_a, regs[k][0]);
    expect_register(u->out.x_b, regs[k][1]);
    expect_register(u->out.x_c, regs[k][2]);
    edge(u);
  }
}

static void same_register_thrice(unit *u) {
  for (uint32_t r = 0; r < 128; r += 127) {
    u->reads = 0;
    give(u, VALU, r, A | B | C, r, r, r);
    dispatch_after(u, 5, VALU, r);
    expect_register(u->out.x_a, r);
    expect_register(u->out.x_b, r);
    expect_register(u->out.x_c, r);
    assert_int_equal(u->reads, 3);
    edge(u);
    expect_empty(u);
  }
}

static void nothing_to_read(unit *u) {
  give(u, VALU, 9, 0, 1, 2, 3);
  dispatches(u, VALU, 9);
  expect_word(u->out.x_a, 0);
  expect_word(u->out.x_b, 0);
  expect_word(u->out.x_c, 0);
  edge(u);
  expect_empty(u);
  assert_int_equal(u->reads, 0);
}

static void one_instruction_an_edge(unit *u) {
  for (uint32_t n = 0; n < 300; n++) {
    give(u, n % UNITS, n & 255, 0, 0, 0, 0);
    assert_int_equal(u->out.x_valid, n ? 1u << (n - 1) % UNITS : 0);
    if (n)
      assert_int_equal(u->out.x_tag, (n - 1) & 255);
  }
}

// A collector is in use from the edge that takes to the fourth one after it: four in five.
static void four_instructions_in_five_edges(unit *u) {
  for (uint32_t t = 0; t < 200; t++) {
    assert_int_equal(u->out.ready, t % 5 != 4);
    if (t >= 5)
      assert_int_equal(u->out.x_valid, (t - 5) % 5 == 4 ? 0 : 1);
    offer(u, VALU, t & 255, A | B | C, 4 * (t % 32), 4 * (t % 32) + 1, 4 * (t % 32) + 2);
    edge(u);
  }
}

// ---- collectors

static void four_full_and_the_last_free(unit *u) {
  static const uint32_t tags[] = {0, 1, 4, 2, 3};
  u->in.x_ready = 0;
  for (uint32_t n = 0; n < 5; n++)  // the first one goes on to x, and the third takes its place
    give(u, VALU, tags[n], 0, 0, 0, 0);
  assert_int_equal(u->out.ready, 0);
  assert_int_equal(u->out.x_tag, 0);
  for (unsigned k = 0; k < 10; k++) {  // nothing is taken
    offer(u, VALU, 99, 0, 0, 0, 0);
    edge(u);
    assert_int_equal(u->out.ready, 0);
    assert_int_equal(u->out.x_valid, 1);
    assert_int_equal(u->out.x_tag, 0);
  }
  for (uint32_t n = 1; n < 20; n++) {  // one leaves, and the last free one is filled at once
    u->in.x_ready = 1u << VALU;
    offer(u, VALU, 99, 0, 0, 0, 0);
    edge(u);  // was full
    assert_int_equal(u->out.x_tag, n);
    u->in.x_ready = 0;
    give(u, VALU, n + 4, 0, 0, 0, 0);
    assert_int_equal(u->out.ready, 0);
    assert_int_equal(u->out.x_tag, n);
  }
  u->in.x_ready = ALL;
  for (uint32_t n = 20; n < 24; n++)
    dispatches(u, VALU, n);
  edge(u);
  expect_empty(u);
}

// Three are free, then the one with the lowest number takes: it is the first to be chosen again.
static void the_lowest_free_one_takes(unit *u) {
  give(u, VALU, 0, A | B | C, 0, 4, 8);  // collector 0: complete after edge 5
  give(u, VALU, 1, A, 1, 0, 0);          // collector 1: dispatched at edge 5
  give(u, VALU, 2, 0, 0, 0, 0);          // collector 2: dispatched at edge 3
  give(u, VALU, 3, A, 3, 0, 0);          // collector 3: dispatched at edge 7
  assert_int_equal(u->out.x_tag, 2);
  edge(u);
  dispatches(u, VALU, 1);
  dispatches(u, VALU, 0);
  u->in.x_ready = 0;
  edge(u);
  assert_int_equal(u->out.x_tag, 0);
  // 3 is in use. Now 0, 1 and 2, in this order, take.
  for (uint32_t n = 10; n < 13; n++)
    give(u, VALU, n, 0, 0, 0, 0);
  assert_int_equal(u->out.ready, 0);
  u->in.x_ready = ALL;
  dispatches(u, VALU, 10 + 1);  // after 0 comes 1
  dispatches(u, VALU, 10 + 2);
  dispatches(u, VALU, 3);
  dispatches(u, VALU, 10);
}

// ---- fairness

static void banks_go_round(unit *u) {
  for (uint32_t b = 0; b < BANKS; b++) {
    for (uint32_t t = 0; t < 13; t++) {
      if (t < 4)
        offer(u, VALU, t, A | B | C, 4 * t + b, 16 + 4 * t + b, 32 + 4 * t + b);
      edge(u);
      if (t > 0) {
        assert_int_equal(en(u, b), 1);
        assert_int_equal(row(u, b), t - 1);
      }
    }
    edge(u);
    assert_int_equal(en(u, b), 0);
    edges(u, 8);
    expect_empty(u);
    reset(u);
  }
}

// All want bank 2, always. From one read of a collector to its next there are three of others, if
// it asks all the time: nobody waits longer.
static void no_collector_starves_at_a_bank(unit *u) {
  enum { MANY = 600, REGS = 32 };
  uint32_t taken[REGS] = {0}, open[REGS] = {0}, grants = 0, n = 0, most = 0;
  for (uint32_t t = 0; t < MANY; t++) {
    const uint32_t r = n % REGS;
    offer(u, VALU, r, A | B | C, 4 * r + 2, 4 * r + 2, 4 * r + 2);
    const bool takes = u->out.ready;
    edge(u);
    if (en(u, 2)) {
      const uint32_t who = row(u, 2);
      assert_true(open[who] > 0);
      const uint32_t wait = grants - taken[who];  // grants of others since it asked
      most = wait > most ? wait : most;
      grants++;
      taken[who] = grants;
      open[who]--;
    }
    if (takes)
      taken[r] = grants, open[r] = 3, n++;
  }
  assert_int_equal(most, 3);
}

static void no_collector_starves_before_x(unit *u) {
  enum { MANY = 600 };
  uint32_t since[256] = {0}, done = 0, n = 0, most = 0;
  bool inside[256] = {false};
  for (uint32_t t = 0; t < MANY; t++) {
    opc_in *in = offer(u, n % 2 ? VALU : REGMOVE, n & 255, 0, 0, 0, 0);
    in->beats = n % 5 == 4 ? 3 : n % 3 == 0;
    const bool takes = u->out.ready;
    edge(u);
    if (u->out.x_valid && u->out.x_last) {
      const uint32_t who = u->out.x_tag;
      assert_true(inside[who]);
      inside[who] = false;
      const uint32_t wait = done++ - since[who];
      most = wait > most ? wait : most;
    }
    if (takes)
      since[n & 255] = done, inside[n & 255] = true, n++;
  }
  assert_int_equal(most, 3);
}

// A bank that two begin to ask at one edge is given to collector 0, or to 1 if 0 had it last. In
// beat 1 the register is another, in bank 1.
static void both_ask_for_bank_1(unit *u, uint32_t first) {
  opc_in *in = offer(u, VALU, 0, A, 0, 0, 0);
  in->beats = 1, in->a_mode = 1;
  edge(u);
  edges(u, 3);
  give(u, VALU, 1, A, 9, 0, 0);  // beat 0 of the other is dispatched at this edge
  assert_int_equal(u->out.x_valid, 1);
  edge(u);
  assert_int_equal(en(u, 1), 1);
  assert_int_equal(row(u, 1), first ? 2 : 0);
  edge(u);
  assert_int_equal(row(u, 1), first ? 0 : 2);
  edges(u, 8);
  expect_empty(u);
}

static void a_bank_begins_with_collector_0(unit *u) {
  both_ask_for_bank_1(u, 0);  // and gives it to collector 1 last
  both_ask_for_bank_1(u, 0);
  give(u, VALU, 2, A, 5, 0, 0);
  edges(u, 8);
  both_ask_for_bank_1(u, 1);  // to collector 0
  both_ask_for_bank_1(u, 1);
  reset(u);
  both_ask_for_bank_1(u, 0);
}

static void x_begins_with_collector_0(unit *u) {
  for (uint32_t k = 0; k < 3; k++) {
    if (k) {
      give(u, VALU, 7, 0, 0, 0, 0);  // collector 0 is chosen
      edges(u, 2);
    }
    if (k == 2)
      reset(u);
    give(u, VALU, 0, A | B, 0, 4, 0);
    give(u, VALU, 1, A, 1, 0, 0);
    dispatch_after(u, 3, VALU, k == 1 ? 1 : 0);  // both are complete after the same edge
    dispatches(u, VALU, k == 1 ? 0 : 1);
    edge(u);
    if (k == 0)
      reset(u);
  }
}

// ---- units

static void back_pressure_of_each_unit(unit *u) {
  for (uint32_t who = 0; who < UNITS; who++) {
    const uint32_t next = (who + 1) % UNITS;
    u->in.x_ready = ALL & ~(1u << who);
    give(u, who, 1, A, 5 + who, 0, 0);
    give(u, next, 2, A, 0, 0, 0);
    dispatch_after(u, 2, who, 1);
    for (unsigned k = 0; k < 20; k++) {  // that the other two are ready is of no use
      dispatches(u, who, 1);
      expect_register(u->out.x_a, 5 + who);
      assert_int_equal(u->out.busy, 1);
    }
    u->in.x_ready = 1u << who;  // taken, and the next one is there at once
    dispatches(u, next, 2);
    expect_register(u->out.x_a, 0);
    dispatches(u, next, 2);
    u->in.x_ready = 1u << next;
    edge(u);
    expect_empty(u);
    assert_int_equal(u->out.x_tag, 2);  // the rest holds
    expect_register(u->out.x_a, 0);
  }
}

static void operands_are_collected_meanwhile(unit *u) {
  u->in.x_ready = 0;
  for (uint32_t n = 0; n < 5; n++) {
    while (!u->out.ready)
      edge(u);
    give(u, n % 2 ? LSUX : VALU, n, A | B | C, n, n + 20, n + 40);
  }
  edges(u, 20);
  assert_int_equal(u->reads, 15);
  u->in.x_ready = ALL;
  for (uint32_t n = 0; n < 5; n++) {  // one an edge
    assert_int_equal(u->out.x_tag, n);
    expect_register(u->out.x_a, n);
    expect_register(u->out.x_b, n + 20);
    expect_register(u->out.x_c, n + 40);
    edge(u);
  }
  expect_empty(u);
}

static void lsux_leaves_in_order_and_valu_passes(unit *u) {
  give(u, LSUX, 0, A | B | C, 0, 4, 8);  // edge 0; would leave at edge 6
  give(u, LSUX, 1, 0, 0, 0, 0);          // 1; complete after edge 1
  give(u, VALU, 2, 0, 0, 0, 0);          // 2
  give(u, REGMOVE, 3, 0, 0, 0, 0);       // 3: the valu one leaves
  assert_int_equal(u->out.x_valid, 1u << VALU);
  assert_int_equal(u->out.x_tag, 2);
  dispatches(u, REGMOVE, 3);
  dispatch_after(u, 1, LSUX, 0);  // 6
  dispatches(u, LSUX, 1);
  edge(u);
  expect_empty(u);
}

// The older instruction sits in the collector with the higher number, and more than once around.
static void lsux_order_is_not_the_order_of_collectors(unit *u) {
  give(u, VALU, 0, 0, 0, 0, 0);          // collector 0
  give(u, LSUX, 1, A | B | C, 0, 4, 8);  // collector 1; 0 leaves
  give(u, LSUX, 2, 0, 0, 0, 0);          // collector 0
  give(u, LSUX, 3, A, 1, 0, 0);          // collector 2
  give(u, LSUX, 4, 0, 0, 0, 0);          // collector 3
  assert_int_equal(u->out.ready, 0);
  dispatch_after(u, 2, LSUX, 1);
  for (uint32_t n = 5; n < 50; n++) {
    dispatches(u, LSUX, n - 3);
    u->in.x_ready = 0;
    give(u, LSUX, n, 0, 0, 0, 0);
    assert_int_equal(u->out.x_tag, n - 3);
    u->in.x_ready = ALL;
  }
}

// All beats of the older one come first.
static void lsux_order_with_beats(unit *u) {
  opc_in *in = offer(u, LSUX, 0, A, 0, 0, 0);
  in->beats = 3, in->a_mode = 1;
  edge(u);
  give(u, LSUX, 1, 0, 0, 0, 0);
  dispatch_after(u, 2, LSUX, 0);
  for (uint32_t k = 1; k < 4; k++) {
    dispatch_after(u, 3, LSUX, 0);
    assert_int_equal(u->out.x_beat, k);
  }
  assert_int_equal(u->out.x_last, 1);
  dispatches(u, LSUX, 1);
}

// ---- beats

// Takes it, and checks all beats: the words of a, b and c, and d's.
static void check_beats(unit *u) {
  const opc_in in = u->in;
  const uint32_t regs[] = {in.a, in.b, in.c}, modes[] = {in.a_mode, in.b_mode, in.c_mode};
  assert_int_equal(u->out.ready, 1);
  edge(u);
  for (uint32_t k = 0; k <= in.beats; k++) {
    const uint32_t w = in.hi_first ? 1 - k : k;
    uint32_t want[3], here[BANKS] = {0}, most = 0;
    for (uint32_t x = 0; x < 3; x++) {
      want[x] = regs[x] | (modes[x] == 0 ? 0 : modes[x] == 1 ? w : w ^ 1);
      if (in.use >> x & 1)
        here[want[x] % BANKS]++;
    }
    for (uint32_t b = 0; b < BANKS; b++)
      most = here[b] > most ? here[b] : most;
    dispatch_after(u, most ? 2 + most : 0, in.unit, in.tag);
    assert_int_equal(u->out.x_beat, k);
    assert_int_equal(u->out.x_last, k == in.beats);
    assert_int_equal(u->out.x_dst, in.beats ? in.d | w : in.d);
    const uint32_t *x[] = {u->out.x_a, u->out.x_b, u->out.x_c};
    for (uint32_t i = 0; i < 3; i++)
      if (in.use >> i & 1)
        expect_register(x[i], want[i]);
  }
  edge(u);
  expect_empty(u);
}

static void one_two_and_four_beats(unit *u) {
  static const uint32_t beats[] = {0, 1, 3};
  for (uint32_t n = 0; n < 3; n++)
    for (uint32_t use = 0; use < 8; use++) {
      opc_in *in = offer(u, n, use, use, 16, 32, 64);
      in->d = 96, in->beats = beats[n], in->a_mode = in->b_mode = in->c_mode = 1;
      check_beats(u);
    }
}

static void the_high_word_first(unit *u) {
  for (uint32_t use = 0; use < 8; use++) {
    opc_in *in = offer(u, VALU, use, use, 2, 4, 126);
    in->d = 62, in->beats = 1, in->hi_first = 1, in->a_mode = in->b_mode = in->c_mode = 1;
    check_beats(u);
  }
}

static void each_mode_of_each_operand(unit *u) {
  static const uint32_t beats[] = {0, 1, 1, 3};
  for (uint32_t modes = 0; modes < 27; modes++)
    for (uint32_t n = 0; n < 4; n++) {
      opc_in *in = offer(u, VALU, modes, A | B | C, 8, 20, 40);
      in->beats = beats[n], in->hi_first = n == 2;
      in->a_mode = modes % 3, in->b_mode = modes / 3 % 3, in->c_mode = modes / 9;
      check_beats(u);
    }
}

// The word is ORed: where the register is odd already nothing is carried.
static void words_are_ored(unit *u) {
  for (uint32_t r = 0; r < 4; r++) {
    opc_in *in = offer(u, VALU, r, A | B | C, r, 124 + r, 7);
    in->d = 60 + r, in->beats = 3, in->a_mode = 1, in->b_mode = 2;
    check_beats(u);
  }
}

static void no_other_between_two_beats(unit *u) {
  opc_in *in = offer(u, VALU, 0, A, 0, 0, 0);
  in->beats = 1;
  edge(u);
  for (uint32_t n = 1; n < 4; n++)  // are complete, and pass the first beat
    give(u, REGMOVE, n, 0, 0, 0, 0);
  dispatches(u, VALU, 0);  // 3 was to come at this edge, but 0 has waited longer
  assert_int_equal(u->out.x_last, 0);
  dispatch_after(u, 3, VALU, 0);  // though 3 is complete and x free
  assert_int_equal(u->out.x_last, 1);
  dispatches(u, REGMOVE, 3);
}

// ---- what is not a register

static void immediate_in_each_place(unit *u) {
  static const uint32_t imms[] = {0x12345678, 0x80000001, 0xffffffff, 0};
  for (uint32_t at = 0; at < 4; at++)
    for (uint32_t modes = 0; modes < 27; modes++)
      for (uint32_t n = 0; n < 12; n++) {  // 1 beat, 2, 2 with the high word first; four immediates
        const uint32_t mode[] = {modes % 3, modes / 3 % 3, modes / 9}, imm = imms[n / 3];
        opc_in *in = offer(u, VALU, at, 0, 127, 127, 127);
        in->imm_at = at, in->imm = imm, in->beats = n % 3 != 0, in->hi_first = n % 3 == 2;
        in->a_mode = mode[0], in->b_mode = mode[1], in->c_mode = mode[2];
        edge(u);
        for (uint32_t k = 0; k <= (n % 3 != 0); k++) {
          const uint32_t w = n % 3 == 2 ? 1 - k : k, sign = imm >> 31 ? ~0u : 0;
          const uint32_t of[] = {imm, w == 0 ? imm : sign, w == 1 ? imm : sign};
          dispatches(u, VALU, at);
          expect_word(u->out.x_a, at == 1 ? of[mode[0]] : 0);
          expect_word(u->out.x_b, at == 2 ? of[mode[1]] : 0);
          expect_word(u->out.x_c, at == 3 || (at == 1 && mode[2] == 2) ? of[mode[2]] : 0);
          assert_int_equal(u->out.x_lut, imm & 255);
        }
      }
}

static void immediate_beside_registers(unit *u) {
  for (uint32_t at = 1; at < 4; at++) {
    const uint32_t use = 7 & ~(1u << (at - 1));
    const uint32_t *x[] = {u->out.x_a, u->out.x_b, u->out.x_c};
    offer(u, VALU, at, use, 10, 11, 12)->imm = 0xcafe0000 + at;
    u->in.imm_at = at;
    edge(u);
    dispatch_after(u, 3, VALU, at);
    for (uint32_t i = 0; i < 3; i++)
      if (i + 1 == at)
        expect_word(x[i], 0xcafe0000 + at);
      else
        expect_register(x[i], 10 + i);
  }
}

// c as the other word of a, which is the immediate: unless it is a register.
static void immediate_of_a_and_c_of_mode_2(unit *u) {
  for (uint32_t use = 0; use < 8; use += 4)
    for (uint32_t hi_first = 0; hi_first < 2; hi_first++) {
      opc_in *in = offer(u, VALU, 3, use, 0, 0, 50);
      in->imm_at = 1, in->imm = 0x89abcdef, in->beats = 1, in->hi_first = hi_first;
      in->a_mode = 1, in->c_mode = 2;
      edge(u);
      for (uint32_t k = 0; k < 2; k++) {
        const uint32_t w = k ^ hi_first;
        dispatch_after(u, use ? 3 : 0, VALU, 3);
        expect_word(u->out.x_a, w ? ~0u : 0x89abcdef);
        if (use)
          expect_register(u->out.x_c, 50 | (w ^ 1));
        else
          expect_word(u->out.x_c, w ? 0x89abcdef : ~0u);
      }
    }
}

static void a_register_is_no_immediate(unit *u) {
  for (uint32_t at = 1; at < 4; at++) {
    offer(u, VALU, at, A | B | C, 1, 2, 3)->imm_at = at;
    u->in.imm = ~0u;
    edge(u);
    dispatch_after(u, 3, VALU, at);
    expect_register(u->out.x_a, 1);
    expect_register(u->out.x_b, 2);
    expect_register(u->out.x_c, 3);
  }
}

// ---- what is carried along

// Each bit of each field, alone and all but it, beside others with the opposite.
static void all_fields_are_carried(unit *u) {
  static const struct {
    size_t in, out;
    unsigned bits;
  } fields[] = {
      {offsetof(opc_in, op), offsetof(opc_out, x_op), 7},
      {offsetof(opc_in, typ), offsetof(opc_out, x_typ), 5},
      {offsetof(opc_in, typ2), offsetof(opc_out, x_typ2), 5},
      {offsetof(opc_in, fn), offsetof(opc_out, x_fn), 5},
      {offsetof(opc_in, ftz), offsetof(opc_out, x_ftz), 1},
      {offsetof(opc_in, sat), offsetof(opc_out, x_sat), 1},
      {offsetof(opc_in, d), offsetof(opc_out, x_dst), 7},
      {offsetof(opc_in, tag), offsetof(opc_out, x_tag), 8},
      {offsetof(opc_in, mask), offsetof(opc_out, x_mask), 32},
      {offsetof(opc_in, pred), offsetof(opc_out, x_pred), 32},
      {offsetof(opc_in, imm), offsetof(opc_out, x_lut), 8},
  };
  enum { FIELDS = sizeof fields / sizeof *fields };
  static const uint32_t place[] = {0, 1, 4, 2, 3};  // the third takes the collector of the first
  for (unsigned f = 0; f < FIELDS; f++)
    for (unsigned bit = 0; bit < fields[f].bits; bit++) {
      u->in.x_ready = 0;
      for (uint32_t k = 0; k < 5; k++) {
        const uint32_t n = place[k];
        opc_in *in = offer(u, VALU, 0, 0, 0, 0, 0);
        for (unsigned g = 0; g < FIELDS; g++) {
          const uint32_t value = (g == f ? 1u << bit : 0) ^ (n % 2 ? ~0u : 0);
          *(uint32_t *)((char *)in + fields[g].in) = value & ~0u >> (32 - fields[g].bits);
        }
        edge(u);
      }
      u->in.x_ready = ALL;
      for (uint32_t n = 0; n < 5; n++) {
        assert_int_equal(u->out.x_valid, 1u << VALU);
        for (unsigned g = 0; g < FIELDS; g++) {
          const uint32_t value = (g == f ? 1u << bit : 0) ^ (n % 2 ? ~0u : 0);
          assert_int_equal(*(const uint32_t *)((const char *)&u->out + fields[g].out),
                           value & ~0u >> (32 - fields[g].bits));
        }
        edge(u);
      }
      expect_empty(u);
    }
}

static void mask_and_predicate_in_each_beat(unit *u) {
  opc_in *in = offer(u, VALU, 1, A, 0, 0, 0);
  in->beats = 3, in->a_mode = 1, in->mask = 0x80000001, in->pred = 0x0ff0aa55;
  edge(u);
  in->mask = in->pred = 0;
  for (uint32_t k = 0; k < 4; k++) {
    dispatch_after(u, 3, VALU, 1);
    assert_int_equal(u->out.x_mask, 0x80000001);
    assert_int_equal(u->out.x_pred, 0x0ff0aa55);
    expect_register(u->out.x_a, k);  // in all lanes, also those that are off
  }
}

// ---- reset

// At each edge of an instruction; the one that comes next in the same collector reads other
// registers of the same banks, and the data that were under way do not become its own.
static void reset_with_reads_in_flight(unit *u) {
  for (unsigned at = 0; at < 12; at++)
    for (unsigned later = 0; later < 3; later++) {
      opc_in *in = offer(u, LSUX, 1, A | B | C, 0, 4, 1);
      in->beats = 1, in->a_mode = 1;
      edge(u);
      edges(u, at);
      in = offer(u, VALU, 2, A, 3, 0, 0);  // is not taken
      reset(u);
      expect_empty(u);
      edges(u, later);
      expect_empty(u);
      u->reads = 0;
      give(u, LSUX, 3, A | B | C, 120, 121, 122);  // waits for no older one, and is not locked out
      dispatch_after(u, 3, LSUX, 3);
      expect_register(u->out.x_a, 120);
      expect_register(u->out.x_b, 121);
      expect_register(u->out.x_c, 122);
      assert_int_equal(u->out.x_last, 1);
      edge(u);
      expect_empty(u);
      assert_int_equal(u->reads, 3);
    }
}

static void reset_with_four_full(unit *u) {
  u->in.x_ready = 0;
  for (uint32_t n = 0; n < 5; n++)
    give(u, LSUX, n, 0, 0, 0, 0);
  assert_int_equal(u->out.ready, 0);
  reset(u);
  expect_empty(u);
  edges(u, 10);
  expect_empty(u);
  for (uint32_t n = 0; n < 5; n++)
    give(u, LSUX, 10 + n, 0, 0, 0, 0);
  u->in.x_ready = ALL;
  for (uint32_t n = 0; n < 5; n++) {
    assert_int_equal(u->out.x_tag, 10 + n);
    edge(u);
  }
  expect_empty(u);
}

#define TESTS(T)                               \
  T(four_edges_without_conflict)               \
  T(three_operands_in_one_bank)                \
  T(two_operands_in_one_bank)                  \
  T(same_register_thrice)                      \
  T(nothing_to_read)                           \
  T(one_instruction_an_edge)                   \
  T(four_instructions_in_five_edges)           \
  T(four_full_and_the_last_free)               \
  T(the_lowest_free_one_takes)                 \
  T(banks_go_round)                            \
  T(no_collector_starves_at_a_bank)            \
  T(no_collector_starves_before_x)             \
  T(a_bank_begins_with_collector_0)            \
  T(x_begins_with_collector_0)                 \
  T(back_pressure_of_each_unit)                \
  T(operands_are_collected_meanwhile)          \
  T(lsux_leaves_in_order_and_valu_passes)      \
  T(lsux_order_is_not_the_order_of_collectors) \
  T(lsux_order_with_beats)                     \
  T(one_two_and_four_beats)                    \
  T(the_high_word_first)                       \
  T(each_mode_of_each_operand)                 \
  T(words_are_ored)                            \
  T(no_other_between_two_beats)                \
  T(immediate_in_each_place)                   \
  T(immediate_beside_registers)                \
  T(immediate_of_a_and_c_of_mode_2)            \
  T(a_register_is_no_immediate)                \
  T(all_fields_are_carried)                    \
  T(mask_and_predicate_in_each_beat)           \
  T(reset_with_reads_in_flight)                \
  T(reset_with_four_full)

#include "tb/cosim/directed.h"
