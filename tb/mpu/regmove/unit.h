// SPDX-License-Identifier: Apache-2.0
// What the programs of cases share: a regmove, Verilog or twin, its edges, words and masks.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/mpu/regmove.h"
#include "csim/mpu/structure.h"
#include "csim/mpu/tsv_packet.h"

extern const block_ops regmove_rtl;
extern bool regmove_rtl_failed(const void *block);

enum { L = 32, REGS = 128 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  regmove_in in;
  regmove_out out;
  uint32_t regs[REGS][L];  // the register file, of the cases that have one
} unit;

static inline void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.wr_valid = u->in.rd_valid = u->in.w_done = u->in.done_ready = u->in.up_ready = 0;
}

static inline void edge(unit *u) {
  any_edge(u, 1);
}

static inline void edges(unit *u, unsigned n) {
  while (n--)
    edge(u);
}

static inline void expect_empty(const unit *u) {
  assert_int_equal(u->out.busy, 0);
  assert_int_equal(u->out.wr_ready & u->out.rd_ready, 1);
  assert_int_equal(u->out.w_valid | u->out.done_valid | u->out.up_valid, 0);
}

static inline void on_both(const structure *sizes, void (*test)(unit *u)) {
  const block_ops *both[] = {&regmove_rtl, &regmove_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(sizes)};
    assert_non_null(u.block);
    edge(&u);  // outputs after reset
    expect_empty(&u);
    test(&u);
    if (m == 0)
      assert_false(regmove_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static inline uint32_t value_of(uint32_t n, uint32_t word) {
  return (n * L + word + 1) * 0x9e3779b1;
}

static inline uint32_t count(uint32_t mask) {
  return (uint32_t)__builtin_popcount(mask);
}

// Lanes of the mask below lane l.
static inline uint32_t rank(uint32_t mask, uint32_t l) {
  return count(mask & ~(~0u << l));
}

// Masks with every number of lanes, in runs at either end, in the middle, and spread.
enum { MASKS = 31 + 31 + 28 + 12 };

static inline uint32_t mask_of(uint32_t n) {
  static const uint32_t spread[] = {0x55555555, 0xaaaaaaaa, 0x80000001, 0x7ffffffe,
                                    0x40000000, 0x00010000, 0x0f0f0f0f, 0xf7ffffff,
                                    0x92492492, 0x00018000, 0xc0000003, 0x12480001};
  return n < 31   ? ~0u >> (n + 1)
         : n < 62 ? ~0u << (n - 30)
         : n < 90 ? 0x16u << (n - 62)
                  : spread[n - 90];
}

static inline void bring(unit *u, uint32_t tag, uint32_t mask, const uint32_t *words) {
  u->in.rd_valid = 1, u->in.rd_tag = tag, u->in.rd_mask = mask;
  memcpy(u->in.rd_data, words, sizeof u->in.rd_data);
}
