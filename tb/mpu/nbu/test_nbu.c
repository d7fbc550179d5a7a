// SPDX-License-Identifier: Apache-2.0
// The near-bank unit as a whole, twin and Verilog: the packets of one AXPY iteration, every packet
// alone, and random mixes, each answer checked against a model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"
#include "csim/isa/isa.h"
#include "csim/mpu/tsv_packet.h"

extern const block_ops nbu_rtl;

typedef struct unit {
  const block_ops *ops;
  void *block;
  base *base;
  nbu_in in;
  nbu_out out;
} unit;

static unit unit_new(const block_ops *ops, uint64_t seed, const base_mix *mix, uint32_t rows,
                     bool closed) {
  unit u = {.ops = ops, .block = ops->create(NULL), .base = base_create(seed, mix, rows, closed)};
  assert_non_null(u.block);
  assert_non_null(u.base);
  return u;
}

static void unit_free(unit *u) {
  u->ops->destroy(u->block);
  base_destroy(u->base);
}

static void cycle(unit *u) {
  base_drive(u->base, &u->out, &u->in);
  u->ops->step(u->block, &u->in, &u->out);
  if (base_error(u->base))
    fail_msg("%s: %s", u->ops->name, base_error(u->base));
}

static void drain(unit *u) {
  base_quiet(u->base);
  for (unsigned n = 0; !base_done(u->base); n++) {
    if (n > 100000)
      fail_msg("%s: packets without an answer", u->ops->name);
    cycle(u);
  }
}

static void send(unit *u, uint64_t head, const uint64_t *body) {
  while (!base_send(u->base, head, body))
    cycle(u);
}

static void write_reg(unit *u, unsigned reg, uint32_t uniform) {
  uint64_t body = uniform;
  send(u,
       TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_REGWR_UNIFORM, 1) |
           tsv_put(TSV_DN_REGWR_REG, reg) | tsv_put(TSV_DN_REGWR_MASK, ~0u),
       &body);
}

static uint64_t line_packet(bool store, unsigned reg, uint32_t addr) {
  return TSV_DN_LINE | tsv_put(TSV_DN_LINE_MTYPE, TSV_MTYPE_F32) |
         tsv_put(TSV_DN_LINE_STORE, store) | tsv_put(TSV_DN_LINE_REG, reg) |
         tsv_put(TSV_DN_LINE_ADDR, addr);
}

static uint32_t bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}

// y = a x + y of one warp: two offloaded loads, fma, offloaded store.
static void axpy(const block_ops *ops) {
  static const base_mix quiet = {.regs = 8, .rows = 4};
  unit u = unit_new(ops, 1, &quiet, 4, false);
  base_quiet(u.base);
  uint32_t x_addr = 0, y_addr = (37u + 32u) << 12;
  for (unsigned s = 0; s < 4; s++)
    for (unsigned w = 0; w < 8; w++) {
      uint32_t x = bits((float)(8 * s + w)), y = bits(100.0f);
      memcpy(base_sector(u.base, x_addr / 32 + s) + 4 * w, &x, 4);
      memcpy(base_sector(u.base, y_addr / 32 + s) + 4 * w, &y, 4);
      memcpy(dram_access(base_dram(u.base), s, 0, 0) + 4 * w, &x, 4);
      memcpy(dram_access(base_dram(u.base), s, 37 + 32, 0) + 4 * w, &y, 4);
    }
  cycle(&u);
  write_reg(&u, 0, bits(2.0f));
  drain(&u);
  uint64_t begun = base_cycle(u.base);
  send(&u, line_packet(false, 1, x_addr), NULL);
  send(&u, line_packet(false, 2, y_addr), NULL);
  send(&u,
       TSV_DN_EXEC | tsv_put(TSV_DN_EXEC_OP, ISA_OP_FMA) | tsv_put(TSV_DN_EXEC_TYPE, ISA_TYPE_F32) |
           tsv_put(TSV_DN_EXEC_FN, ISA_RND_RN) | tsv_put(TSV_DN_EXEC_D, 3) |
           tsv_put(TSV_DN_EXEC_A, 1) | tsv_put(TSV_DN_EXEC_B, 0) | tsv_put(TSV_DN_EXEC_C, 2),
       NULL);
  send(&u, line_packet(true, 3, y_addr), NULL);
  drain(&u);
  printf("%s: an AXPY iteration in %llu cycles\n", ops->name,
         (unsigned long long)(base_cycle(u.base) - begun));
  for (unsigned n = 0; n < 100; n++)
    cycle(&u);
  for (unsigned l = 0; l < 32; l++) {
    uint32_t got;
    memcpy(&got, dram_access(base_dram(u.base), l / 8, 37 + 32, 0) + l % 8 * 4, 4);
    assert_int_equal(got, bits(2.0f * (float)l + 100.0f));
  }
  assert_true(ops->idle(u.block));
  assert_int_equal(dram_violations(base_dram(u.base)), 0);
  unit_free(&u);
}

static void mixes(const block_ops *ops, unsigned cycles) {
  static const struct {
    const char *name;
    base_mix mix;
  } table[] = {
      {"all", {8, 8, 8, 2, 8, 3, 3, 8, 1, 40, 20, 16, 4, 0}},
      {"exec", {64, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 128, 1, 0}},
      {"lines", {4, 32, 0, 0, 0, 1, 1, 1, 0, 0, 0, 64, 8, 0}},
      {"sectors", {0, 2, 32, 1, 0, 4, 4, 2, 0, 100, 0, 16, 2, 0}},
      {"atomics", {0, 0, 1, 16, 1, 2, 1, 2, 1, 0, 0, 16, 1, 0}},
      {"shared", {2, 0, 0, 0, 32, 0, 0, 16, 0, 0, 0, 16, 1, 0}},
      {"moves", {2, 0, 0, 0, 0, 0, 0, 32, 2, 160, 60, 32, 1, 0}},
      {"base die", {0, 0, 1, 1, 0, 16, 16, 0, 1, 128, 60, 8, 16, 0}},
  };
  for (unsigned m = 0; m < sizeof table / sizeof *table; m++) {
    static const uint32_t rows[] = {4, 1, 2};
    unit u = unit_new(ops, m + 1, &table[m].mix, rows[m % 3], m % 4 == 3);
    for (unsigned n = 0; n < cycles; n++)
      cycle(&u);
    drain(&u);
    uint64_t packets = 0;
    for (unsigned k = 0; k < 16; k++)
      packets += base_packets(u.base, false, k);
    printf("%s: mix %s: %llu packets in %llu cycles\n", ops->name, table[m].name,
           (unsigned long long)packets, (unsigned long long)base_cycle(u.base));
    assert_true(packets > cycles / 100);
    unit_free(&u);
  }
}

#ifdef HAVE_TWIN
static void test_axpy_twin(void **state) {
  (void)state, axpy(&nbu_twin);
}
static void test_mixes_twin(void **state) {
  (void)state, mixes(&nbu_twin, 100000);
}
#endif
static void test_axpy_rtl(void **state) {
  (void)state, axpy(&nbu_rtl);
}
static void test_mixes_rtl(void **state) {
  (void)state, mixes(&nbu_rtl, 50000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef HAVE_TWIN
      cmocka_unit_test(test_axpy_twin),
      cmocka_unit_test(test_mixes_twin),
#endif
      cmocka_unit_test(test_axpy_rtl),
      cmocka_unit_test(test_mixes_rtl),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
