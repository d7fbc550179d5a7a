// SPDX-License-Identifier: Apache-2.0
// Cases of die_slice by name, each on the Verilog and on the twin: which unit a flit reaches, which
// one is heard, and whose clock runs. What units do with packets is tested elsewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/dram/bankctl_times.h"
#include "csim/dram/dram.h"
#include "csim/mpu/tsv_packet.h"
#define BLOCK die_slice
#include "csim/base/block_declare.h"

extern const block_ops die_slice_rtl;
extern bool die_slice_rtl_failed(const void *block);

enum { NBUS = 4, BANKS = 4, LANES = 32, CREDITS = 32, SHARED = 16 };  // SHARED: bit of busy

typedef struct unit {
  const block_ops *ops;
  void *block;
  die_slice_in in;
  die_slice_out out;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.dn_valid = u->in.up_take = u->in.up_credit = u->in.ref_tick = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void each(void (*test)(unit *u)) {
  static unit u;
  const block_ops *both[] = {&die_slice_rtl, &die_slice_twin};
  for (unsigned m = 0; m < 2; m++) {
    u = (unit){.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    u.in.cfg_rows = 1;
    const bankctl_times times = bankctl_times_default();
    bankctl_times_put(&times, u.in.cfg_times);
    edge(&u);  // outputs after reset
    assert_int_equal(u.out.busy, 0);
    test(&u);
    if (m == 0)
      assert_false(die_slice_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static uint32_t of(uint32_t two_bits_each, uint32_t n) {
  return two_bits_each >> 2 * n & 3;
}

// A flit at the next edge. What is in a place without a flit is noise.
static void bring(unit *u, uint32_t place, uint32_t n, uint64_t flit) {
  if (!u->in.dn_valid) {
    u->in.dn_sel = 5 * (n ^ 1);
    memset(u->in.dn_data, 0xff, sizeof u->in.dn_data);
  }
  u->in.dn_valid |= 1u << place;
  u->in.dn_sel = (u->in.dn_sel & ~(3u << 2 * place)) | n << 2 * place;
  u->in.dn_data[2 * place] = (uint32_t)flit, u->in.dn_data[2 * place + 1] = (uint32_t)(flit >> 32);
}

#define P(field, value) tsv_put(TSV_DN_##field, value)

static uint64_t write_all(uint32_t tag, uint32_t reg) {
  return TSV_DN_REGWR | P(ANY_TAG, tag) | P(ANY_LEN, 1) | P(REGWR_LINEAR, 1) | P(REGWR_REG, reg) |
         P(REGWR_MASK, ~0u);
}

static uint64_t read_all(uint32_t tag, uint32_t reg) {
  return TSV_DN_REGRD | P(ANY_TAG, tag) | P(REGRD_REG, reg) | P(REGRD_MASK, ~0u);
}

// Asks for the end of what was sent before.
static uint64_t sync(uint32_t tag) {
  return TSV_DN_SYNC | P(ANY_TAG, tag);
}

static uint64_t done(uint32_t tag) {
  return TSV_UP_DONE | tsv_put(TSV_UP_DONE_COUNT, 1) | (uint64_t)tag << 8;
}

static uint64_t uniform(uint32_t tag) {
  return TSV_UP_REGD | tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_ANY_LEN, 1) |
         tsv_put(TSV_UP_REGD_LINEAR, 1);
}

// Waits until unit n has as many flits on offer, and nobody else any.
static void wait_for(unit *u, uint32_t n, uint32_t count) {
  for (unsigned t = 0; of(u->out.up_count, n) < count; t++) {
    assert_true(t < 100);
    edge(u);
  }
  assert_int_equal(u->out.up_count, count << 2 * n);
}

// One flit of unit n goes up, alone.
static void expect_flit(unit *u, uint32_t n, uint64_t flit) {
  u->in.up_take = 1u << 2 * n, u->in.up_credit = 1u << 2 * n;
  edge(u);
  assert_int_equal(u->out.up_valid, 1);
  assert_int_equal(u->out.up_sel, n | n << 2);
  assert_true(tsv_flit(u->out.up_data) == flit);
  assert_true(tsv_flit(u->out.up_data + 2) == flit);
}

static void finish(unit *u) {
  for (unsigned t = 0; u->out.busy; t++) {
    assert_true(t < 1000);
    edge(u);
  }
  assert_int_equal(u->out.up_count, 0);
}

// A register of unit n, through either place, by one flit an edge.
static void set(unit *u, uint32_t place, uint32_t n, uint32_t tag, uint32_t reg, uint32_t value) {
  bring(u, place, n, write_all(tag, reg)), edge(u);
  bring(u, place, n, value), edge(u);
  bring(u, place, n, sync(tag)), edge(u);
  wait_for(u, n, 1);
  expect_flit(u, n, done(tag));
}

static void expect_register(unit *u, uint32_t place, uint32_t n, uint32_t tag, uint32_t reg,
                            uint32_t value) {
  bring(u, place, n, read_all(tag, reg)), edge(u);
  wait_for(u, n, 2);
  expect_flit(u, n, uniform(tag));
  expect_flit(u, n, value);
}

static uint32_t value_of(uint32_t n, uint32_t reg) {
  return (n * 128 + reg + 1) * 0x9e3779b1;
}

// ---- the bus down

static void each_select_line_of_each_place(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++)
    for (uint32_t place = 0; place < 2; place++)
      set(u, place, n, 16 * n + place, 30 + place, value_of(n, 30 + place));
  finish(u);
  for (uint32_t n = 0; n < NBUS; n++)
    for (uint32_t place = 0; place < 2; place++)
      expect_register(u, place, n, n, 31 - place, value_of(n, 31 - place));
}

static void two_flits_for_one_unit(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    bring(u, 0, n, write_all(n, 7)), bring(u, 1, n, value_of(n, 7)), edge(u);
    bring(u, 1, n, read_all(2, 7)), bring(u, 0, n, read_all(1, 7)), edge(u);
    for (uint32_t tag = 1; tag < 3; tag++) {  // place 0 came first
      wait_for(u, n, 2);
      expect_flit(u, n, uniform(tag));
      expect_flit(u, n, value_of(n, 7));
    }
  }
}

static void two_flits_for_two_units(unit *u) {
  for (uint32_t a = 0; a < NBUS; a++)
    for (uint32_t b = 0; b < NBUS; b++) {
      if (a == b)
        continue;
      const uint32_t reg = 4 * a + b;
      bring(u, 0, a, write_all(a, reg)), bring(u, 1, b, write_all(b, reg + 64)), edge(u);
      assert_int_equal(u->out.busy, 1u << a | 1u << b);
      bring(u, 0, b, value_of(b, reg)), bring(u, 1, a, value_of(a, reg)), edge(u);
      bring(u, 0, a, sync(a)), bring(u, 1, b, sync(b)), edge(u);
      while (of(u->out.up_count, a) + of(u->out.up_count, b) < 2)
        edge(u);
      assert_int_equal(u->out.up_count, 1u << 2 * a | 1u << 2 * b);
      u->in.up_take = u->in.up_credit = u->out.up_count, edge(u);
      const uint32_t low = a < b ? a : b, high = a < b ? b : a;
      assert_int_equal(u->out.up_valid, 3);
      assert_int_equal(u->out.up_sel, low | high << 2);
      assert_true(tsv_flit(u->out.up_data) == done(low));
      assert_true(tsv_flit(u->out.up_data + 2) == done(high));
      expect_register(u, 0, a, a, reg, value_of(a, reg));
      expect_register(u, 1, b, b, reg + 64, value_of(b, reg));
    }
}

// Packets of 17 flits for all units, a flit of each in turn; each unit has room for 16 and takes
// what comes.
static void packets_in_turn(unit *u) {
  for (uint32_t f = 0; f <= 16; f++)
    for (uint32_t n = 0; n < NBUS; n += 2) {
      for (uint32_t k = 0; k < 2; k++) {
        const uint64_t head =
            (write_all(n + k, 100) & ~(P(ANY_LEN, 31) | P(REGWR_LINEAR, 1))) | P(ANY_LEN, 16);
        const uint64_t words = value_of(n + k, 2 * f - 2) | (uint64_t)value_of(n + k, 2 * f - 1)
                                                                << 32;
        bring(u, k, n + k, f ? words : head);
      }
      edge(u);
    }
  for (uint32_t n = 0; n < NBUS; n += 2)
    bring(u, 0, n, sync(n)), bring(u, 1, n + 1, sync(n + 1)), edge(u);
  uint32_t all = 0;
  for (unsigned t = 0; all != 0x55 && t < 20; t++)
    edge(u), all = u->out.up_count;
  assert_int_equal(all, 0x55);
  for (uint32_t n = 0; n < NBUS; n++)
    expect_flit(u, n, done(n));
  for (uint32_t n = 0; n < NBUS; n++) {
    bring(u, n % 2, n, read_all(9, 100)), edge(u);
    wait_for(u, n, 2);
    expect_flit(u, n, TSV_UP_REGD | tsv_put(TSV_UP_ANY_TAG, 9) | tsv_put(TSV_UP_ANY_LEN, 16));
    for (uint32_t f = 1; f <= 16; f++)
      expect_flit(u, n, value_of(n, 2 * f - 2) | (uint64_t)value_of(n, 2 * f - 1) << 32);
  }
}

// ---- the bus up

static void two_flits_of_one_unit(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    set(u, 0, n, 1, 5, value_of(n, 5));
    bring(u, 0, n, read_all(2, 5)), edge(u);
    wait_for(u, n, 2);
    u->in.up_take = u->in.up_credit = 2u << 2 * n, edge(u);
    for (unsigned t = 0; t < 4; t++) {
      assert_int_equal(u->out.up_valid, t ? 0 : 3);
      assert_int_equal(u->out.up_sel, n | n << 2);  // hold when there is none
      assert_true(tsv_flit(u->out.up_data) == uniform(2));
      assert_true(tsv_flit(u->out.up_data + 2) == value_of(n, 5));
      edge(u);
    }
  }
}

// 32 flits, and then one for each credit: its own.
static void credits_of_each_unit(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    for (uint32_t k = 0; k < CREDITS / 2; k++) {
      bring(u, 1, n, read_all(k, 99)), edge(u);
      wait_for(u, n, 2);
      u->in.up_take = 2u << 2 * n, edge(u);
    }
    bring(u, 1, n, read_all(77, 99)), edge(u);
    for (unsigned t = 0; t < 30; t++) {
      assert_int_equal(u->out.up_count, 0);
      edge(u);
    }
    for (uint32_t other = 0; other < NBUS; other++) {
      if (other > n)  // the others have all of theirs: those that were before get some back
        continue;
      u->in.up_credit = 1u << 2 * other, edge(u);
      assert_int_equal(u->out.up_count, other == n ? 1u << 2 * n : 0);
    }
    u->in.up_take = 1u << 2 * n, edge(u);
    assert_int_equal(u->out.up_count, 0);
    u->in.up_credit = 3u << 2 * n, edge(u);
    assert_int_equal(u->out.up_count, 1u << 2 * n);  // what is left of the packet
    u->in.up_take = 1u << 2 * n, edge(u);
    u->in.up_credit = 3u << 2 * n, edge(u);
  }
}

// ---- clocks

static void only_the_clock_of_the_unit_that_works(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    bring(u, 0, n, write_all(1, 2)), edge(u);
    for (unsigned t = 0; t < 30; t++) {  // half a packet is inside
      assert_int_equal(u->out.busy, 1u << n);
      edge(u);
    }
    bring(u, 0, n, 5), edge(u);
    for (unsigned t = 0; u->out.busy; t++) {
      assert_true(t < 100);
      assert_int_equal(u->out.busy, 1u << n);
      edge(u);
    }
    assert_int_equal(u->out.up_count, 0);
    const die_slice_out was = u->out;
    for (unsigned t = 0; t < 50; t++) {
      edge(u);
      assert_memory_equal(&u->out.m0_cmd, &was.m0_cmd,
                          sizeof was - offsetof(die_slice_out, m0_cmd));
    }
  }
}

static void a_tick_for_each_bank(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++)
    for (uint32_t b = 0; b < BANKS; b++) {
      uint32_t refreshes = 0;
      u->in.ref_tick = 1u << (4 * n + b);
      for (unsigned t = 0; t < 400; t++) {
        edge(u);
        const uint32_t cmds[] = {u->out.m0_cmd, u->out.m1_cmd, u->out.m2_cmd, u->out.m3_cmd};
        const uint32_t at[] = {u->out.m0_bank, u->out.m1_bank, u->out.m2_bank, u->out.m3_bank};
        for (uint32_t k = 0; k < NBUS; k++)
          if (k == n && cmds[k]) {
            assert_int_equal(cmds[k], DRAM_REF);
            assert_int_equal(at[k], b);
            refreshes++;
          } else {
            assert_int_equal(cmds[k], 0);
          }
        assert_int_equal(u->out.busy & ~(1u << n), 0);
      }
      assert_int_equal(refreshes, 1);
      assert_int_equal(u->out.busy, 0);
    }
}

// ---- shared memory

// Which unit's records these are: who ended, who began.
static void records_of_each_unit(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    uint32_t begun = 0, ended = 0;
    bring(u, 0, n, write_all(0x30 + n, 9)), bring(u, 1, n, 5), edge(u);
    for (unsigned t = 0; u->out.busy; t++) {
      assert_true(t < 100);
      edge(u);
      if (u->out.begin_valid) {
        assert_int_equal(u->out.begin_valid, 1u << n);
        assert_int_equal(u->out.begin_tag >> 8 * n & 255, 0x30 + n);
        begun++;
      }
      if (u->out.ret_valid) {  // by regmove
        assert_int_equal(u->out.ret_valid, 4u << 3 * n);
        const uint32_t at = 24 * n + 16;
        assert_int_equal(u->out.ret_tag[at / 32] >> at % 32 & 255, 0x30 + n);
        ended++;
      }
    }
    assert_int_equal(begun, 1);
    assert_int_equal(ended, 1);
  }
}

// A word that each unit stores, and all load. No other clock runs meanwhile.
static void shared_memory_of_all_units(unit *u) {
  for (uint32_t n = 0; n < NBUS; n++) {
    bring(u, 0, n, TSV_DN_WIN | P(WIN_WIN, n) | P(WIN_BASE, 0x400) | P(WIN_SIZE, 256)), edge(u);
    set(u, 0, n, 1, 3, value_of(n, 3));
  }
  finish(u);
  for (uint32_t from = 0; from < NBUS; from++) {
    const uint64_t shm = TSV_DN_SHM | P(SHM_MTYPE, TSV_MTYPE_U32) | P(SHM_ZERO, 1) |
                         P(SHM_HAS_IMM, 1) | P(ANY_LEN, 1);
    bool ran = false;
    bring(u, 0, from,
          shm | P(ANY_TAG, 8) | P(SHM_MOP, TSV_MOP_ST) | P(SHM_B, 3) | P(SHM_WIN, from));
    bring(u, 1, from, 4 * from), edge(u);
    bring(u, 0, from, sync(8)), edge(u);
    for (unsigned t = 0; !u->out.up_count; t++) {
      assert_true(t < 100);
      assert_int_equal(u->out.busy & ~(SHARED | 1u << from), 0);
      ran |= u->out.busy & SHARED;
      edge(u);
    }
    assert_true(ran);
    expect_flit(u, from, done(8));
    for (uint32_t to = 0; to < NBUS; to++) {
      bring(u, 0, to, shm | P(ANY_TAG, 9) | P(SHM_MOP, TSV_MOP_LD) | P(SHM_D, 60) | P(SHM_WIN, to));
      bring(u, 1, to, 4 * from), edge(u);
      expect_register(u, 0, to, 10, 60, value_of(from, 3));
    }
    finish(u);
  }
}

// ---- reset

static void reset_in_the_middle(unit *u) {
  for (unsigned at = 0; at < 20; at++) {
    for (uint32_t n = 0; n < NBUS; n += 2)
      bring(u, 0, n, write_all(1, 2)), bring(u, 1, n + 1, read_all(1, 2)), edge(u);
    for (unsigned t = 0; t < at; t++) {
      u->in.up_take = of(u->out.up_count, 1) ? 1u << 2 : 0;
      edge(u);
    }
    bring(u, 0, 0, 99), bring(u, 1, 3, 99);  // do not arrive
    any_edge(u, 0);
    assert_int_equal(u->out.busy, 0);
    assert_int_equal(u->out.up_count | u->out.up_valid | u->out.dn_credit, 0);
    for (uint32_t n = 0; n < NBUS; n++) {
      set(u, n % 2, n, n, 9, value_of(n, at));
      expect_register(u, n % 2, n, n, 9, value_of(n, at));
    }
    finish(u);
  }
}

#define TESTS(T)                           \
  T(each_select_line_of_each_place)        \
  T(two_flits_for_one_unit)                \
  T(two_flits_for_two_units)               \
  T(packets_in_turn)                       \
  T(two_flits_of_one_unit)                 \
  T(credits_of_each_unit)                  \
  T(only_the_clock_of_the_unit_that_works) \
  T(a_tick_for_each_bank)                  \
  T(records_of_each_unit)                  \
  T(shared_memory_of_all_units)            \
  T(reset_in_the_middle)

#include "tb/cosim/directed.h"
