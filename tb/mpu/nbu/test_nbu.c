// SPDX-License-Identifier: Apache-2.0
// The near-bank unit as a whole, twin and Verilog: the packets of one AXPY iteration, packets that
// depend on each other, by name, and random mixes. Nobody waits before the next packet; each answer
// and each record is checked against a model that executes one after the other.
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

static unit unit_of(const block_ops *ops, const structure *sizes, uint64_t seed,
                    const base_mix *mix, uint32_t rows, bool closed) {
  unit u = {.ops = ops, .block = ops->create(sizes), .base = base_create(seed, mix, rows, closed)};
  assert_non_null(u.block);
  assert_non_null(u.base);
  base_sizes(u.base, sizes);
  return u;
}

static unit unit_new(const block_ops *ops, uint64_t seed, const base_mix *mix, uint32_t rows,
                     bool closed) {
  return unit_of(ops, &structure_default, seed, mix, rows, closed);
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

static void send(unit *u, uint64_t head, const uint64_t *body) {
  while (!base_send(u->base, head, body))
    cycle(u);
}

// Until all is complete: most packets are not answered.
static void drain(unit *u) {
  base_quiet(u->base);
  send(u, TSV_DN_SYNC, NULL);
  for (unsigned n = 0; !base_done(u->base); n++) {
    if (n > 100000)
      fail_msg("%s: packets without an answer", u->ops->name);
    cycle(u);
  }
  cycle(u);  // for its record
  assert_true(base_complete(u->base));
}

static void write_reg(unit *u, unsigned reg, uint32_t uniform) {
  uint64_t body = uniform;
  send(u,
       TSV_DN_REGWR | tsv_put(TSV_DN_ANY_LEN, 1) | tsv_put(TSV_DN_REGWR_LINEAR, 1) |
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

// ---- packets that depend on each other ----------------------------------------------------------

#define P(field, value) tsv_put(TSV_DN_##field, (uint64_t)(value))

static const base_mix calm = {.regs = 128, .rows = 4};
enum { SECTORS = 128, LINES = SECTORS / 4 };  // of a row

static void read_reg(unit *u, unsigned reg) {
  send(u, TSV_DN_REGRD | P(REGRD_REG, reg) | P(REGRD_MASK, ~0u), NULL);
}

// A register with another word in each lane: 17 flits.
static void write_lanes(unit *u, unsigned reg, uint32_t first, uint32_t step) {
  uint64_t body[16];
  for (unsigned l = 0; l < 16; l++)
    body[l] = (first + 2 * l * step) | (uint64_t)(first + (2 * l + 1) * step) << 32;
  send(u, TSV_DN_REGWR | P(ANY_LEN, 16) | P(REGWR_REG, reg) | P(REGWR_MASK, ~0u), body);
}

static void exec(unit *u, unsigned op, unsigned type, unsigned d, unsigned a, unsigned b,
                 unsigned c) {
  send(u,
       TSV_DN_EXEC | P(EXEC_OP, op) | P(EXEC_TYPE, type) | P(EXEC_D, d) | P(EXEC_A, a) |
           P(EXEC_B, b) | P(EXEC_C, c),
       NULL);
}

static void add(unit *u, unsigned d, unsigned a, unsigned b) {
  exec(u, ISA_OP_ADD, ISA_TYPE_U32, d, a, b, 0);
}

static uint64_t shm(unsigned mop, unsigned mtype, unsigned d, unsigned a, unsigned b,
                    unsigned win) {
  return TSV_DN_SHM | P(SHM_MTYPE, mtype) | P(SHM_MOP, mop) | P(SHM_D, d) | P(SHM_A, a) |
         P(SHM_B, b) | P(SHM_WIN, win);
}

static void window(unit *u, unsigned n, unsigned at, unsigned size) {
  send(u, TSV_DN_WIN | P(WIN_WIN, n) | P(WIN_BASE, at) | P(WIN_SIZE, size), NULL);
}

// A sector of row 0 with all lanes of a mask, one behind the other.
static void sect(unit *u, unsigned mop, unsigned mtype, unsigned d, unsigned b, unsigned sector,
                 uint32_t mask) {
  const uint64_t body = mask | 5ull << 32;
  send(u,
       TSV_DN_SECT | P(ANY_LEN, 1) | P(SECT_MTYPE, mtype) | P(SECT_MOP, mop) |
           P(SECT_RET, mop > 1) | P(SECT_D, d) | P(SECT_B, b) | P(SECT_SECTOR, sector),
       &body);
}

static void read_sector(unit *u, unsigned sector) {
  send(u, TSV_DN_RD | P(RD_CHUNKS, 15) | P(RD_SECTOR, sector), NULL);
}

// All that the test can have changed, against the model.
static void expect_all(unit *u, unsigned regs, unsigned sectors) {
  for (unsigned k = 0; k < regs; k++)
    read_reg(u, k);
  for (unsigned k = 0; k < sectors; k++)
    read_sector(u, k);
  drain(u);
}

// Between refreshes the unit's clock may stand.
static void rest(unit *u) {
  for (unsigned k = 0; !u->ops->idle(u->block); k++) {
    assert_true(k < 1000);
    cycle(u);
  }
}

// Registers hold anything at power-up, the arrays and their model zeros.
static void fill(unit *u, unsigned regs) {
  base_quiet(u->base);
  cycle(u);
  for (unsigned k = 0; k < regs; k++)
    write_lanes(u, k, 1000 * k, k + 1);
}

static void each_result_is_the_next_operand(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 60; k++)
    add(u, (k + 1) % 8, k % 8, (k + 1) % 8);
  expect_all(u, 8, 0);
}

static void a_register_is_written_over_and_over(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 40; k++) {
    write_lanes(u, 1, k, 77);
    add(u, 2, 1, 1);
    write_reg(u, 1, k);
    add(u, 3, 1, 2);
    read_reg(u, 1), read_reg(u, 2), read_reg(u, 3);
  }
  expect_all(u, 8, 0);
}

static void operands_are_read_before_they_are_overwritten(unit *u) {
  fill(u, 16);
  for (unsigned k = 0; k < 40; k++) {
    exec(u, ISA_OP_FMA, ISA_TYPE_F32, 3, 0, 4, 8);  // all in one bank
    write_reg(u, 8, k);
    read_reg(u, 4);
    write_reg(u, 4, k + 1);
    send(u, line_packet(true, 3, k % LINES << 7), NULL);
    write_reg(u, 3, k + 2);
  }
  expect_all(u, 16, SECTORS);
}

static void pairs_and_their_halves(unit *u) {
  fill(u, 16);
  for (unsigned k = 0; k < 20; k++) {
    exec(u, ISA_OP_MULW, ISA_TYPE_U32, 2, 0, 1, 0);
    add(u, 0, 3, 2);
    exec(u, ISA_OP_ADD, ISA_TYPE_U64, 4, 2, 4, 0);
    add(u, 2, 5, 4);
    exec(u, ISA_OP_MADW, ISA_TYPE_U32, 6, 5, 3, 4);
    write_reg(u, 5, k);
    exec(u, ISA_OP_SUB, ISA_TYPE_U64, 4, 6, 4, 0);
    exec(u, ISA_OP_I2I, ISA_TYPE_U32, 1, 4, 0, ISA_TYPE_U64);
    exec(u, ISA_OP_MIN, ISA_TYPE_U64, 6, 6, 4, 0);
  }
  expect_all(u, 16, 0);
}

// Values of 64 and 128 bits in a sector, from and to registers that other packets use by parts.
static void wide_accesses_and_their_parts(unit *u) {
  fill(u, 16);
  for (unsigned k = 0; k < 12; k++) {
    sect(u, TSV_MOP_ST, TSV_MTYPE_B128, 0, 4, k, 3);
    write_reg(u, 6, k);
    sect(u, TSV_MOP_ST, TSV_MTYPE_B64, 0, 6, k, 1);
    sect(u, TSV_MOP_LD, TSV_MTYPE_B128, 8, 0, k, 3);
    add(u, 7, 11, 9);
    sect(u, TSV_MOP_LD, TSV_MTYPE_B64, 10, 0, k, 3);
    add(u, 4, 10, 11);
    read_sector(u, k);
  }
  expect_all(u, 16, SECTORS);
}

static void one_line_by_every_access(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 12; k++) {
    const unsigned line = k % 3, sector = 4 * line + k % 4;
    uint64_t word = 3 * k + 1;
    send(u, line_packet(true, k % 8, line << 7), NULL);
    sect(u, TSV_MOP_ATOM + ISA_ATOM_ADD, TSV_MTYPE_U32, 6, 7, sector, 0xf);
    send(u,
         TSV_DN_ATM | P(ANY_LEN, 1) | P(ATM_MTYPE, TSV_MTYPE_U32) |
             P(ATM_MOP, TSV_MOP_ATOM + ISA_ATOM_ADD) | P(ATM_RET, k & 1) | P(ATM_WORD, 2) |
             P(ATM_SECTOR, sector),
         &word);
    read_sector(u, sector);
    send(u,
         TSV_DN_WR | P(ANY_LEN, 1) | P(WR_SINGLE, 1) | P(WR_WORD, 1) | P(WR_BE, 15) |
             P(WR_SECTOR, sector),
         &word);
    send(u, line_packet(false, (k + 1) % 6, line << 7), NULL);
    sect(u, TSV_MOP_ST, TSV_MTYPE_U32, 0, (k + 1) % 6, sector ^ 1, 0xff);
    read_sector(u, sector ^ 1);
  }
  expect_all(u, 8, SECTORS);
}

// An address, a window and data that are made by the packets right before.
static void shared_memory_of_fresh_windows(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 20; k++) {
    window(u, 3, 1024 * (k % 4), 512);
    write_lanes(u, 1, 0, 4);
    add(u, 2, 7, 1);
    send(u, shm(TSV_MOP_ST, TSV_MTYPE_U32, 0, 1, 2, 3), NULL);
    send(u, shm(TSV_MOP_ATOM + ISA_ATOM_ADD, TSV_MTYPE_U32, 4, 1, 7, 3) | P(SHM_RET, 1), NULL);
    window(u, 3, 1024 * ((k + 1) % 4), 512);
    send(u, shm(TSV_MOP_LD, TSV_MTYPE_U32, 5, 1, 0, 3), NULL);
    add(u, 7, 5, 4);
  }
  expect_all(u, 8, 0);
}

// Nothing is written, and who waits for the register goes on.
static void a_fault_leaves_its_register(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 10; k++) {
    window(u, 1, 0, 64);
    write_lanes(u, 1, 0, 2);  // some are misaligned, some outside
    send(u, shm(TSV_MOP_LD, TSV_MTYPE_U32, 2, 1, 0, 1), NULL);
    add(u, 3, 2, 2);
    write_reg(u, 1, 4 * k);
    send(u, shm(TSV_MOP_ST, TSV_MTYPE_U32, 2, 1, 3, 1), NULL);
    send(u, shm(TSV_MOP_LD, TSV_MTYPE_U32, 2, 1, 0, 1), NULL);
    add(u, 4, 2, 4);
  }
  expect_all(u, 8, 0);
  assert_int_equal(base_packets(u->base, true, TSV_UP_FAULT), 10);
}

// Bodies that stay in the endpoint until their packet begins, each behind one that it waits for.
static void long_packets_behind_one_another(unit *u) {
  fill(u, 8);
  for (unsigned k = 0; k < 10; k++) {
    uint64_t body[5] = {0x0f0f0f0f00ff00ff, k, ~0ull, 7, 9};
    send(u,
         TSV_DN_EXEC | P(EXEC_OP, ISA_OP_SELP) | P(EXEC_TYPE, ISA_TYPE_B32) | P(EXEC_D, 1) |
             P(EXEC_A, 2) | P(EXEC_IMM_AT, 2) | P(EXEC_HAS_MASK, 1),
         (uint64_t[]){0xff00ff0full | (uint64_t)k << 32, 0x0ff00ff0});
    write_lanes(u, 2, k, 3);
    body[0] = 0xffffffffull | 1ull << 41 | 3ull << 32;
    body[1] = 4 * (k % 8), body[2] = 0x84, body[3] = 0;
    send(u,
         TSV_DN_SECT | P(ANY_LEN, 4) | P(SECT_MTYPE, TSV_MTYPE_U32) | P(SECT_MOP, TSV_MOP_ST) |
             P(SECT_B, 1) | P(SECT_SECTOR, k),
         body);
    body[0] = 0xffff0000ff;
    send(u, TSV_DN_WR | P(ANY_LEN, 5) | P(WR_CHUNKS, 15) | P(WR_SECTOR, k), body);
    send(u, line_packet(false, 1, k / 4 << 7), NULL);
    write_lanes(u, 1, k, 5);
    add(u, 2, 1, 2);
  }
  expect_all(u, 8, SECTORS);
}

// EXEC, SHM without a fault, LINE, SECT, REGWR and WIN bring nothing up, however long one waits.
static void most_are_not_answered(unit *u) {
  fill(u, 8);
  window(u, 0, 0, 4096);
  write_lanes(u, 1, 0, 4);
  add(u, 2, 1, 1);
  send(u, line_packet(true, 2, 0), NULL);
  send(u, line_packet(false, 3, 0), NULL);
  sect(u, TSV_MOP_ST, TSV_MTYPE_U32, 0, 3, 1, 0xff);
  sect(u, TSV_MOP_LD, TSV_MTYPE_U32, 4, 0, 1, 0xff);
  send(u, shm(TSV_MOP_ST, TSV_MTYPE_U32, 0, 1, 2, 0), NULL);
  send(u, shm(TSV_MOP_ATOM + ISA_ATOM_MAX, TSV_MTYPE_U32, 5, 1, 2, 0) | P(SHM_RET, 1), NULL);
  send(u, shm(TSV_MOP_ATOM + ISA_ATOM_MAX, TSV_MTYPE_U32, 5, 1, 2, 0), NULL);
  for (unsigned k = 0; k < 2000; k++) {
    cycle(u);
    assert_int_equal(u->out.up_count, 0);
  }
  assert_true(base_complete(u->base));
  rest(u);
  for (unsigned k = 0; k < 16; k++)
    assert_int_equal(base_packets(u->base, true, k), 0);
  expect_all(u, 8, 8);
}

static void sync_alone_and_twice(unit *u) {
  fill(u, 0);
  drain(u);
  assert_int_equal(base_packets(u->base, true, TSV_UP_DONE), 1);
  rest(u);
  send(u, TSV_DN_SYNC, NULL), send(u, TSV_DN_SYNC, NULL);
  drain(u);
}

// A SYNC behind each kind, of all packets or of the window: its DONE comes when what it asks for is
// complete (base.c looks at it).
static void sync_behind_each_packet(unit *u) {
  fill(u, 16);
  window(u, 0, 0, 4096);
  for (unsigned k = 0; k < 60; k++) {
    uint64_t word = k;
    switch (k % 12) {
      case 0:
        add(u, 2, 1, 3);
        break;
      case 1:
        exec(u, ISA_OP_MULW, ISA_TYPE_U32, 4, 2, 3, 0);
        break;
      case 2:
        send(u, line_packet(true, 2, 0), NULL);
        break;
      case 3:
        send(u, line_packet(false, 2, 0), NULL);
        break;
      case 4:
        sect(u, TSV_MOP_ST, TSV_MTYPE_B128, 0, 4, 9, 3);
        break;
      case 5:
        sect(u, TSV_MOP_ATOM + ISA_ATOM_ADD, TSV_MTYPE_U32, 5, 6, 9, 15);
        break;
      case 6:
        read_sector(u, 9);
        break;
      case 7:
        send(u, TSV_DN_WR | P(ANY_LEN, 1) | P(WR_SINGLE, 1) | P(WR_BE, 3) | P(WR_SECTOR, 9), &word);
        break;
      case 8:
        write_lanes(u, 1, 0, 4);
        break;
      case 9:
        read_reg(u, 2);
        break;
      case 10:
        window(u, 0, 4096, 4096);
        break;
      default:
        send(u, shm(TSV_MOP_ST, TSV_MTYPE_U32, 0, 1, 3, 0), NULL);
        break;
    }
    if (k % 5)
      send(u, TSV_DN_SYNC | P(SYNC_SHARED, k / 12 % 2), NULL);
    if (k % 3 == 0)
      drain(u);
  }
  expect_all(u, 16, SECTORS);
}

// Writes of the base die, more than the queue of tags holds: DONE has up to seven.
static void many_answers_while_the_bus_is_with_others(unit *u) {
  static const base_mix stalls = {.regs = 8, .rows = 4, .up_stall = 250};
  unit v = unit_new(u->ops, 7, &stalls, 4, false);
  fill(&v, 4);
  for (unsigned k = 0; k < 100; k++) {
    uint64_t word = k;
    send(&v,
         TSV_DN_WR | P(ANY_LEN, 1) | P(WR_SINGLE, 1) | P(WR_BE, 15) | P(WR_WORD, k % 8) |
             P(WR_SECTOR, 4 * (k % 16)),
         &word);
    if (k % 9 == 0)
      send(&v, TSV_DN_SYNC, NULL);
  }
  expect_all(&v, 4, SECTORS);
  assert_true(base_packets(v.base, true, TSV_UP_DONE) < 60);
  unit_free(&v);
}

// More packets than the table holds, which wait for one.
static void a_table_that_waits_for_one(unit *u) {
  fill(u, 128);
  for (unsigned k = 0; k < 8; k++) {
    sect(u, TSV_MOP_ATOM + ISA_ATOM_ADD, TSV_MTYPE_U32, 1, 2, k, ~0u);  // one lane after the other
    for (unsigned n = 0; n < 40; n++)
      add(u, 3 + n, 1, 2 + n);
  }
  expect_all(u, 128, 8);
}

static void independent_packets_pass(unit *u) {
  fill(u, 64);
  drain(u);
  const uint64_t begun = base_cycle(u->base);
  for (unsigned n = 0; n < 8; n++)
    add(u, 40 + n, 2 * n, 2 * n + 1);
  drain(u);
  const uint64_t many = base_cycle(u->base) - begun;
  for (unsigned n = 0; n < 8; n++)
    add(u, 40, 40, 2 * n);
  drain(u);
  assert_true(base_cycle(u->base) - begun - many > many + 40);
}

#define CASES(T)                                   \
  T(each_result_is_the_next_operand)               \
  T(a_register_is_written_over_and_over)           \
  T(operands_are_read_before_they_are_overwritten) \
  T(pairs_and_their_halves)                        \
  T(wide_accesses_and_their_parts)                 \
  T(one_line_by_every_access)                      \
  T(shared_memory_of_fresh_windows)                \
  T(a_fault_leaves_its_register)                   \
  T(long_packets_behind_one_another)               \
  T(most_are_not_answered)                         \
  T(sync_alone_and_twice)                          \
  T(sync_behind_each_packet)                       \
  T(many_answers_while_the_bus_is_with_others)     \
  T(a_table_that_waits_for_one)                    \
  T(independent_packets_pass)

static void each(void (*test)(unit *u)) {
  const block_ops *const both[] = {
      &nbu_rtl,
#ifdef HAVE_TWIN
      &nbu_twin,
#endif
  };
  for (unsigned m = 0; m < sizeof both / sizeof *both; m++) {
    unit u = unit_new(both[m], 1, &calm, 4, false);
    test(&u);
    unit_free(&u);
  }
#ifdef HAVE_TWIN
  structure with_forms = structure_default;
  with_forms.forms = 16;
  unit u = unit_of(&nbu_twin, &with_forms, 1, &calm, 4, false);
  test(&u);
  unit_free(&u);
#endif
}

#define CASE(name)                        \
  static void test_##name(void **state) { \
    (void)state;                          \
    each(name);                           \
  }
CASES(CASE)
#undef CASE

// ---- random packets -----------------------------------------------------------------------------

static void mixes(const block_ops *ops, unsigned cycles) {
  static const struct {
    const char *name;
    base_mix mix;
  } table[] = {
      {"all", {8, 8, 8, 2, 8, 3, 3, 8, 1, 40, 20, 16, 4, 0, 4}},
      {"exec", {64, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 128, 1, 0, 4}},
      {"lines", {4, 32, 0, 0, 0, 1, 1, 1, 0, 0, 0, 64, 8, 0, 4}},
      {"sectors", {0, 2, 32, 1, 0, 4, 4, 2, 0, 100, 0, 16, 2, 0, 4}},
      {"atomics", {0, 0, 1, 16, 1, 2, 1, 2, 1, 0, 0, 16, 1, 0, 4}},
      {"shared", {2, 0, 0, 0, 32, 0, 0, 16, 0, 0, 0, 16, 1, 0, 4}},
      {"moves", {2, 0, 0, 0, 0, 0, 0, 32, 2, 160, 60, 32, 1, 0, 4}},
      {"base die", {0, 0, 1, 1, 0, 16, 16, 0, 1, 128, 60, 8, 16, 0, 4}},
      {"dependent", {24, 4, 2, 1, 4, 0, 0, 6, 0, 0, 0, 8, 1, 0, 1}},
      {"memory", {1, 8, 8, 4, 0, 8, 8, 1, 0, 20, 0, 16, 1, 0, 8}},
  };
  for (unsigned m = 0; m < sizeof table / sizeof *table; m++) {
    static const uint32_t rows[] = {4, 1, 2};
    unit u = unit_new(ops, m + 1, &table[m].mix, rows[m % 3], m % 4 == 3);
    for (unsigned n = 0; n < cycles; n++)
      cycle(&u);
    drain(&u);
    expect_all(&u, table[m].mix.regs, SECTORS);  // of row 0
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
#define CASE(name) cmocka_unit_test(test_##name),
      CASES(CASE)
#undef CASE
          cmocka_unit_test(test_axpy_rtl),
      cmocka_unit_test(test_mixes_rtl),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
