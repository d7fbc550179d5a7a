// SPDX-License-Identifier: Apache-2.0
// Cases of forms by name, each on the Verilog and on the twin, with the edges that they take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csim/isa/isa.h"
#include "csim/mpu/structure.h"
#include "csim/mpu/tsv_packet.h"
#define BLOCK forms
#include "csim/base/block_declare.h"

extern const block_ops forms_rtl;
extern bool forms_rtl_failed(const void *block);

enum { FORMS = 64, SLOTS = 16, NONE = 255, ALL = 15 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  forms_in in;
  forms_out out;
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->in.in_valid = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void expect_none(const unit *u) {
  assert_int_equal(u->out.out_valid, 0);
  assert_int_equal(u->out.busy, 0);
  assert_int_equal(u->out.in_ready, 1);
  assert_int_equal(tsv_flit(u->out.out_head), 0);
  assert_int_equal(tsv_flit(u->out.out_body), 0);
}

static void reset(unit *u) {
  any_edge(u, 0);
  expect_none(u);
}

static unit new_unit(const block_ops *ops, const structure *sizes) {
  unit u = {.ops = ops, .block = ops->create(sizes)};
  assert_non_null(u.block);
  edge(&u);  // outputs after reset
  reset(&u);
  u.in.out_ready = 1;
  return u;
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&forms_rtl, &forms_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = new_unit(both[m], NULL);
    test(&u);
    if (m == 0)
      assert_false(forms_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

// ---- packets

#define P(field, value) tsv_put(TSV_DN_##field, value)

static void offer(unit *u, uint64_t head, uint64_t body) {
  u->in.in_valid = 1;
  u->in.in_head[0] = (uint32_t)head, u->in.in_head[1] = (uint32_t)(head >> 32);
  u->in.in_body[0] = (uint32_t)body, u->in.in_body[1] = (uint32_t)(body >> 32);
}

static void take(unit *u, uint64_t head, uint64_t body) {
  assert_int_equal(u->out.in_ready, 1);
  offer(u, head, body), edge(u);
}

static uint64_t keep(uint64_t form, uint64_t relative, uint64_t imm) {
  return TSV_DN_KEEP | P(ANY_TAG, NONE) | P(ANY_LEN, 1) | P(KEEP_FORM, form) |
         P(KEEP_RELATIVE, relative) | P(KEEP_IMM, imm);
}

static uint64_t slot(uint64_t n, uint64_t base, uint64_t win) {
  return TSV_DN_SLOT | P(ANY_TAG, NONE) | P(SLOT_SLOT, n) | P(SLOT_BASE, base) | P(SLOT_WIN, win);
}

typedef struct entry {
  uint64_t form, slot, tag;
} entry;

static uint64_t run3(entry a, entry b, entry c) {
  return TSV_DN_RUN | P(ANY_TAG, a.tag) | P(RUN_FORM0, a.form) | P(RUN_SLOT0, a.slot) |
         P(RUN_TAG1, b.tag) | P(RUN_FORM1, b.form) | P(RUN_SLOT1, b.slot) | P(RUN_TAG2, c.tag) |
         P(RUN_FORM2, c.form) | P(RUN_SLOT2, c.slot);
}
static uint64_t run2(entry a, entry b) {
  return run3(a, b, (entry){.tag = NONE});
}
static uint64_t run1(entry a) {
  return run3(a, (entry){.tag = NONE}, (entry){.tag = NONE});
}

static uint64_t exec(uint64_t d, uint64_t a, uint64_t b, uint64_t c) {
  return TSV_DN_EXEC | P(EXEC_OP, ISA_OP_MAD) | P(EXEC_TYPE, ISA_TYPE_U32) | P(EXEC_FN, 9) |
         P(EXEC_FTZ, 1) | P(EXEC_D, d) | P(EXEC_A, a) | P(EXEC_B, b) | P(EXEC_C, c) |
         P(EXEC_IMM_AT, 2) | P(EXEC_ZERO, 5);
}
static uint64_t shm(uint64_t d, uint64_t a, uint64_t b, uint64_t c, uint64_t win) {
  return TSV_DN_SHM | P(ANY_LEN, 1) | P(SHM_MTYPE, TSV_MTYPE_U32) | P(SHM_MOP, TSV_MOP_ATOM + 9) |
         P(SHM_RET, 1) | P(SHM_D, d) | P(SHM_A, a) | P(SHM_B, b) | P(SHM_C, c) | P(SHM_WIN, win) |
         P(SHM_ZERO, 4) | P(SHM_HAS_IMM, 1);
}

static void expect_out(const unit *u, uint64_t head, uint64_t tag, uint32_t imm, bool ready) {
  assert_int_equal(u->out.out_valid, 1);
  assert_int_equal(u->out.busy, 1);
  assert_int_equal(u->out.in_ready, ready);
  assert_int_equal(tsv_flit(u->out.out_head), head | P(ANY_TAG, tag));
  assert_int_equal(u->out.out_body[0], imm);
  assert_int_equal(u->out.out_body[1], 0);
}

// An entry with others behind it; the last one that waits.
static void expect(const unit *u, uint64_t head, uint64_t tag, uint32_t imm) {
  expect_out(u, head, tag, imm, false);
}
static void expect_last(const unit *u, uint64_t head, uint64_t tag, uint32_t imm) {
  expect_out(u, head, tag, imm, true);
}

// Forms 0 to 2 and slots 0 to 2, to be told apart; registers of forms 0 and 1 are relative.
static void keep_some(unit *u) {
  take(u, keep(0, ALL, 0x1000), exec(0, 1, 2, 3));
  take(u, keep(1, ALL, 0x1001), shm(4, 5, 6, 7, 0));
  take(u, keep(2, 0, 0x1002), exec(8, 9, 10, 11));
  take(u, slot(0, 0, 1), 0);
  take(u, slot(1, 32, 2), 0);
  take(u, slot(2, 64, 4), 0);
}
static uint64_t first(uint64_t base) {
  return exec(base, base + 1, base + 2, base + 3);
}
static uint64_t second(uint64_t base, uint64_t win) {
  return shm(base + 4, base + 5, base + 6, base + 7, win);
}
static uint64_t third(void) {
  return exec(8, 9, 10, 11);
}

// ---- entries

static void the_diagram(unit *u) {
  keep_some(u);
  expect_none(u);
  take(u, run3((entry){0, 1, 20}, (entry){1, 2, 21}, (entry){2, 0, 22}), 0);
  expect(u, first(32), 20, 0x1000), edge(u);
  expect(u, second(64, 4), 21, 0x1001), edge(u);
  expect_last(u, third(), 22, 0x1002), edge(u);
  expect_none(u);
}

static void one_two_and_three_entries(unit *u) {
  keep_some(u);
  take(u, run1((entry){1, 1, 3}), 0);
  expect_last(u, second(32, 2), 3, 0x1001), edge(u);
  expect_none(u);
  take(u, run2((entry){1, 2, 4}, (entry){0, 0, 5}), 0);
  expect(u, second(64, 4), 4, 0x1001), edge(u);
  expect_last(u, first(0), 5, 0x1000), edge(u);
  expect_none(u);
  take(u, run3((entry){2, 2, 6}, (entry){0, 2, 7}, (entry){1, 0, 8}), 0);
  expect(u, third(), 6, 0x1002), edge(u);
  expect(u, first(64), 7, 0x1000), edge(u);
  expect_last(u, second(0, 1), 8, 0x1001), edge(u);
  expect_none(u);
}

static void without_a_second_entry_there_is_no_third(unit *u) {
  keep_some(u);
  take(u, run3((entry){0, 1, 20}, (entry){1, 2, NONE}, (entry){2, 0, 22}), 0);
  expect_last(u, first(32), 20, 0x1000), edge(u);
  expect_none(u);
  edge(u), expect_none(u);
}

// Tags that differ from 255 in a bit are tags, and 255 is one of the first entry.
static void each_tag(unit *u) {
  keep_some(u);
  for (uint32_t bit = 0; bit < 8; bit++) {
    const uint64_t tag = NONE ^ 1u << bit;
    take(u, run3((entry){0, 0, tag}, (entry){0, 0, tag}, (entry){0, 0, tag}), 0);
    expect(u, first(0), tag, 0x1000), edge(u);
    expect(u, first(0), tag, 0x1000), edge(u);
    expect_last(u, first(0), tag, 0x1000), edge(u);
    expect_none(u);
  }
  take(u, run1((entry){0, 0, NONE}), 0);
  expect_last(u, first(0), NONE, 0x1000), edge(u);
  expect_none(u);
  take(u, run3((entry){0, 0, 0}, (entry){0, 0, 0}, (entry){0, 0, 0}), 0);
  expect(u, first(0), 0, 0x1000), edge(u);
  expect(u, first(0), 0, 0x1000), edge(u);
  expect_last(u, first(0), 0, 0x1000), edge(u);
  expect_none(u);
}

// ---- ready

static void out_ready_low_in_the_middle(unit *u) {
  keep_some(u);
  for (uint32_t wait = 0; wait < 4; wait++) {
    const uint64_t heads[] = {first(32), second(64, 4), third()};
    u->in.out_ready = 1;
    take(u, run3((entry){0, 1, 20}, (entry){1, 2, 21}, (entry){2, 0, 22}), 0);
    for (uint32_t k = 0; k < 3; k++) {
      expect_out(u, heads[k], 20 + k, 0x1000 + k, k == 2);
      u->in.out_ready = 0;
      for (uint32_t n = 0; n < wait; n++)
        edge(u), expect_out(u, heads[k], 20 + k, 0x1000 + k, k == 2);
      u->in.out_ready = 1, edge(u);
    }
    expect_none(u);
  }
}

// A RUN is taken without out_ready, and what is empty is ready without it.
static void nothing_needs_out_ready_but_entries(unit *u) {
  u->in.out_ready = 0;
  keep_some(u);
  expect_none(u);
  take(u, run1((entry){0, 1, 20}), 0);
  expect_last(u, first(32), 20, 0x1000);
  u->in.out_ready = 1, edge(u);
  expect_none(u);
}

static void runs_without_a_gap(unit *u) {
  keep_some(u);
  take(u, run1((entry){0, 1, 1}), 0);
  take(u, run1((entry){1, 1, 2}), 0);  // at the edge at which the one before it is taken
  expect_last(u, second(32, 2), 2, 0x1001);
  take(u, run3((entry){2, 1, 3}, (entry){0, 0, 4}, (entry){1, 2, 5}), 0);
  expect(u, third(), 3, 0x1002), edge(u);
  expect(u, first(0), 4, 0x1000), edge(u);
  expect_last(u, second(64, 4), 5, 0x1001);
  take(u, run2((entry){0, 2, 6}, (entry){2, 0, 7}), 0);
  expect(u, first(64), 6, 0x1000), edge(u);
  expect_last(u, third(), 7, 0x1002), edge(u);
  expect_none(u);
}

// ---- what is not taken

static void nothing_is_taken_while_two_entries_wait(unit *u) {
  const uint64_t others[] = {keep(1, 0, 99), slot(2, 5, 5), run1((entry){2, 2, 77})};
  keep_some(u);
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t leaves = 0; leaves < 2; leaves++) {  // the first one, at the same edge
      u->in.out_ready = 1;
      take(u, run2((entry){0, 1, 20}, (entry){1, 2, 21}), 0);
      expect(u, first(32), 20, 0x1000);
      u->in.out_ready = leaves;
      offer(u, others[k], exec(1, 1, 1, 1)), edge(u);
      if (!leaves) {
        expect(u, first(32), 20, 0x1000);
        u->in.out_ready = 1, edge(u);
      }
      expect_last(u, second(64, 4), 21, 0x1001), edge(u);
      expect_none(u);
    }
}

static void without_valid_nothing_comes(unit *u) {
  const uint64_t all[] = {keep(0, 0, 1), slot(1, 9, 9), run1((entry){0, 1, 5})};
  keep_some(u);
  for (uint32_t k = 0; k < 3; k++) {
    offer(u, all[k], exec(9, 9, 9, 9)), u->in.in_valid = 0, edge(u);
    expect_none(u);
  }
  take(u, run1((entry){0, 1, 5}), 0);
  expect_last(u, first(32), 5, 0x1000), edge(u);
  expect_none(u);
}

// ---- what is taken while the last entry waits, or leaves

static void kept_behind_the_last_entry(unit *u) {
  for (uint32_t leaves = 0; leaves < 2; leaves++) {
    u->in.out_ready = 1;
    keep_some(u);
    for (uint32_t k = 0; k < 2; k++) {  // what it stands for is written
      take(u, run1((entry){1, 1, 1}), 0);
      u->in.out_ready = leaves;
      if (k == 0)
        take(u, keep(1, ALL, 5), exec(1, 2, 3, 4));
      else
        take(u, slot(1, 7, 3), 0);
      for (uint32_t n = 0; n < 3 && !leaves; n++) {
        expect_last(u, k ? first(33) : second(32, 2), 1, k ? 5 : 0x1001);
        edge(u);
      }
      u->in.out_ready = 1;
      if (!leaves)
        edge(u);
      expect_none(u);
    }
    take(u, run1((entry){1, 1, 2}), 0);
    expect_last(u, first(8), 2, 5), edge(u);
    expect_none(u);
  }
}

// So four entries wait, and the one in front is still what it was.
static void a_run_behind_the_last_entry(unit *u) {
  keep_some(u);
  for (uint32_t n = 1; n <= 3; n++)
    for (uint32_t wait = 0; wait < 3; wait++) {
      const entry all[] = {{0, 2, 1}, {1, 1, n > 1 ? 2 : NONE}, {2, 0, n > 2 ? 3 : NONE}};
      u->in.out_ready = 1;
      take(u, run2((entry){1, 1, 20}, (entry){1, 2, 21}), 0), edge(u);
      u->in.out_ready = 0;
      take(u, run3(all[0], all[1], all[2]), 0);
      for (uint32_t k = 0; k <= wait; k++)
        expect(u, second(64, 4), 21, 0x1001), edge(u);
      u->in.out_ready = 1, edge(u);
      expect_out(u, first(64), 1, 0x1000, n == 1), edge(u);
      if (n > 1)
        expect_out(u, second(32, 2), 2, 0x1001, n == 2), edge(u);
      if (n > 2)
        expect_last(u, third(), 3, 0x1002), edge(u);
      expect_none(u);
    }
}

// What is kept behind the last entry is of the RUN that comes behind it, too.
static void kept_and_run_behind_the_last_entry(unit *u) {
  keep_some(u);
  take(u, run1((entry){1, 1, 1}), 0);
  u->in.out_ready = 0;
  take(u, keep(1, 0, 6), exec(1, 2, 3, 4));
  take(u, slot(2, 9, 9), 0);
  expect_last(u, second(32, 2), 1, 0x1001);
  take(u, run2((entry){1, 1, 2}, (entry){0, 2, 3}), 0);
  expect(u, second(32, 2), 1, 0x1001);
  u->in.out_ready = 1, edge(u);
  expect(u, exec(1, 2, 3, 4), 2, 6), edge(u);
  expect_last(u, first(9), 3, 0x1000), edge(u);
  expect_none(u);
}

// ---- forms

static void keep_then_run_at_once(unit *u) {
  take(u, keep(5, 0, 17), exec(1, 2, 3, 4));
  take(u, run1((entry){5, 0, 9}), 0);
  expect_last(u, exec(1, 2, 3, 4), 9, 17);
  take(u, keep(5, 0, 18), exec(5, 6, 7, 8));
  take(u, run2((entry){5, 0, 10}, (entry){5, 0, 11}), 0);
  expect(u, exec(5, 6, 7, 8), 10, 18), edge(u);
  expect_last(u, exec(5, 6, 7, 8), 11, 18);
}

static void each_register_is_relative_by_its_bit(unit *u) {
  take(u, slot(3, 21, 9), 0);
  for (uint32_t relative = 0; relative < 16; relative++) {
    uint64_t r[4];
    for (uint32_t k = 0; k < 4; k++)
      r[k] = 11 * (k + 1) + (relative >> k & 1 ? 21 : 0);
    take(u, keep(1, relative, 3), exec(11, 22, 33, 44));
    take(u, keep(2, relative, 4), shm(11, 22, 33, 44, 0));
    take(u, run2((entry){1, 3, 1}, (entry){2, 3, 2}), 0);
    expect(u, exec(r[0], r[1], r[2], r[3]), 1, 3), edge(u);
    expect_last(u, shm(r[0], r[1], r[2], r[3], 9), 2, 4), edge(u);
  }
}

static void registers_wrap(unit *u) {
  static const uint32_t bases[] = {0, 1, 64, 127};
  for (uint32_t k = 0; k < 4; k++) {
    const uint64_t b = bases[k];
    take(u, slot(4, b, 15), 0);
    take(u, keep(1, ALL, 0), exec(127, 126, 64, 1));
    take(u, keep(2, ALL, 0), shm(127, 126, 64, 1, 0));
    take(u, run2((entry){1, 4, 1}, (entry){2, 4, 2}), 0);
    const uint64_t d = (127 + b) % 128, a = (126 + b) % 128, m = (64 + b) % 128, c = (1 + b) % 128;
    expect(u, exec(d, a, m, c), 1, 0), edge(u);
    expect_last(u, shm(d, a, m, c, 15), 2, 0), edge(u);
  }
}

// C of EXEC is a type, where the opcode has one: nothing is added to it.
static void a_type_stays(unit *u) {
  const uint64_t i2f = TSV_DN_EXEC | P(EXEC_OP, ISA_OP_I2F) | P(EXEC_TYPE, ISA_TYPE_F32);
  take(u, slot(0, 40, 0), 0);
  take(u, keep(1, 3, 0), i2f | P(EXEC_D, 1) | P(EXEC_A, 2) | P(EXEC_C, ISA_TYPE_S16));
  take(u, run1((entry){1, 0, 1}), 0);
  expect_last(u, i2f | P(EXEC_D, 41) | P(EXEC_A, 42) | P(EXEC_C, ISA_TYPE_S16), 1, 0);
}

// The window of SHM is that of its slot, whatever was kept; the bits of EXEC there stay.
static void windows(unit *u) {
  for (uint64_t win = 0; win < SLOTS; win++) {
    const uint64_t head = exec(1, 2, 3, (win ^ 15) << 3 | 5) | P(EXEC_IMM_AT, win & 3);
    take(u, slot(5, 0, win), 0);
    take(u, keep(1, 0, 0), shm(1, 2, 3, 4, win ^ 15));
    take(u, keep(2, 0, 0), head);
    take(u, run2((entry){1, 5, 1}, (entry){2, 5, 2}), 0);
    expect(u, shm(1, 2, 3, 4, win), 1, 0), edge(u);
    expect_last(u, head, 2, 0), edge(u);
  }
}

// All bits of what is kept, but for the tag.
static void every_bit_is_kept(unit *u) {
  for (uint32_t bit = 0; bit < 64; bit++) {
    const uint64_t x = 1ull << bit, kind = 15, tag = P(ANY_TAG, 255);
    take(u, keep(7, 0, x >> 32 | x), (x & ~kind) | TSV_DN_EXEC);
    take(u, keep(8, 0, ~(x >> 32 | x)), (~x & ~kind) | TSV_DN_SHM);
    take(u, slot(1, 0, 15), 0);
    take(u, run2((entry){7, 1, 0x5a}, (entry){8, 1, 0xa5}), 0);
    expect(u, x & ~kind & ~tag, 0x5a, (uint32_t)(x >> 32 | x)), edge(u);
    expect_last(u, ((~x & ~kind & ~tag) | TSV_DN_SHM | P(SHM_WIN, 15)), 0xa5,
                (uint32_t) ~(x >> 32 | x));
    edge(u);
  }
}

static void a_form_overwritten_between_two_runs(unit *u) {
  keep_some(u);
  take(u, run1((entry){1, 1, 1}), 0);
  expect_last(u, second(32, 2), 1, 0x1001), edge(u);
  take(u, keep(1, 1, 6), exec(1, 2, 3, 4));
  take(u, run3((entry){1, 1, 2}, (entry){0, 1, 3}, (entry){2, 1, 4}), 0);
  expect(u, exec(33, 2, 3, 4), 2, 6), edge(u);
  expect(u, first(32), 3, 0x1000), edge(u);
  expect_last(u, third(), 4, 0x1002), edge(u);
}

static void a_slot_rewritten_between_two_runs(unit *u) {
  keep_some(u);
  take(u, run1((entry){1, 1, 1}), 0);
  expect_last(u, second(32, 2), 1, 0x1001), edge(u);
  take(u, slot(1, 100, 12), 0);
  take(u, run3((entry){1, 1, 2}, (entry){0, 2, 3}, (entry){0, 1, 4}), 0);
  expect(u, second(100, 12), 2, 0x1001), edge(u);
  expect(u, first(64), 3, 0x1000), edge(u);
  expect_last(u, first(100), 4, 0x1000), edge(u);
}

static void every_form_and_slot_is_another(unit *u) {
  for (uint64_t n = 0; n < FORMS; n++)
    take(u, keep(n, 1, 1000 + n), exec(0, n, 127 - n, n));
  for (uint64_t n = 0; n < SLOTS; n++)
    take(u, slot(n, 8 * n, n), 0);
  for (uint64_t n = 0; n < FORMS; n++) {
    const uint64_t x = n ^ 1, y = n ^ 32, s = n % SLOTS, t = s ^ 8, v = s ^ 1;
    take(u, run3((entry){n, s, n}, (entry){x, t, x}, (entry){y, v, y}), 0);
    expect(u, exec(8 * s, n, 127 - n, n), n, 1000 + (uint32_t)n), edge(u);
    expect(u, exec(8 * t, x, 127 - x, x), x, 1000 + (uint32_t)x), edge(u);
    expect_last(u, exec(8 * v, y, 127 - y, y), y, 1000 + (uint32_t)y), edge(u);
  }
}

// In a block with fewer forms. The Verilog has its own size: benches of other sizes see to it
// there.
static void the_number_of_a_form_is_modulo(unit *u) {
  if (u->ops != &forms_twin)
    return;
  for (uint32_t forms = 2; forms <= FORMS; forms *= 2) {
    const structure sizes = {.forms = forms};
    unit of = new_unit(u->ops, &sizes);
    for (uint64_t n = 0; n < FORMS; n++) {
      take(&of, keep(n, 0, n), exec(n, 0, 0, 0));
      if (n % 3)
        continue;
      const uint64_t other = (n + forms) % FORMS;  // the same form, and the one before it
      take(&of, run2((entry){other, 0, 1}, (entry){(n + FORMS - 1) % FORMS, 0, 2}), 0);
      expect(&of, exec(n, 0, 0, 0), 1, (uint32_t)n), edge(&of);
      if (n)
        expect_last(&of, exec(n - 1, 0, 0, 0), 2, (uint32_t)n - 1);
      edge(&of);
    }
    of.ops->destroy(of.block);
  }
}

// ---- reset

static void all_is_zero_at_power_up(unit *u) {
  for (uint64_t n = 0; n < FORMS; n += 3) {
    take(u, run3((entry){n, 0, 1}, (entry){n + 1, 7, 2}, (entry){n + 2, 15, 3}), 0);
    expect(u, 0, 1, 0), edge(u);
    expect(u, 0, 2, 0), edge(u);
    expect_last(u, 0, 3, 0), edge(u);
  }
  for (uint64_t s = 0; s < SLOTS; s++) {
    take(u, keep(3, ALL, 0), shm(1, 2, 3, 4, 9));
    take(u, run1((entry){3, s, 1}), 0);
    expect_last(u, shm(1, 2, 3, 4, 0), 1, 0), edge(u);
  }
}

static void reset_in_the_middle_keeps_forms_and_slots(unit *u) {
  keep_some(u);
  for (uint32_t at = 0; at < 4; at++)
    for (uint32_t ready = 0; ready < 2; ready++) {
      u->in.out_ready = 1;
      take(u, run3((entry){0, 1, 20}, (entry){1, 2, 21}, (entry){2, 0, 22}), 0);
      for (uint32_t k = 0; k < at; k++)
        edge(u);
      u->in.out_ready = ready, reset(u);
      for (uint32_t k = 0; k < 3; k++)
        edge(u), expect_none(u);
      u->in.out_ready = 1;
      take(u, run3((entry){0, 1, 20}, (entry){1, 2, 21}, (entry){2, 0, 22}), 0);
      expect(u, first(32), 20, 0x1000), edge(u);
      expect(u, second(64, 4), 21, 0x1001), edge(u);
      expect_last(u, third(), 22, 0x1002), edge(u);
      expect_none(u);
    }
}

static void kept_at_an_edge_in_reset(unit *u) {
  offer(u, keep(1, ALL, 7), exec(1, 2, 3, 4)), reset(u);
  offer(u, slot(2, 50, 6), 0), reset(u);
  take(u, run1((entry){1, 2, 5}), 0);
  expect_last(u, exec(51, 52, 53, 54), 5, 7);
  // when the last entry leaves at this edge, too
  offer(u, keep(1, ALL, 8), shm(5, 6, 7, 8, 0)), reset(u);
  take(u, run1((entry){1, 2, 6}), 0);
  expect_last(u, shm(55, 56, 57, 58, 6), 6, 8);
  offer(u, slot(2, 60, 3), 0), reset(u);
  take(u, run2((entry){1, 2, 7}, (entry){1, 2, 8}), 0);
  expect(u, shm(65, 66, 67, 68, 3), 7, 8);
  // not when two wait
  offer(u, keep(1, 0, 9), exec(9, 9, 9, 9)), reset(u);
  take(u, run2((entry){1, 2, 9}, (entry){1, 2, 9}), 0);
  u->in.out_ready = 0, offer(u, slot(2, 70, 4), 0), reset(u);
  // when one does, which goes with the reset
  take(u, run1((entry){1, 2, 10}), 0);
  expect_last(u, shm(65, 66, 67, 68, 3), 10, 8);
  offer(u, slot(2, 80, 5), 0), reset(u);
  take(u, run1((entry){1, 2, 11}), 0);
  expect_last(u, shm(85, 86, 87, 88, 5), 11, 8);
}

static void a_run_in_reset_is_gone(unit *u) {
  keep_some(u);
  offer(u, run3((entry){0, 1, 20}, (entry){1, 2, 21}, (entry){2, 0, 22}), 0), reset(u);
  for (uint32_t k = 0; k < 4; k++)
    edge(u), expect_none(u);
  take(u, run1((entry){0, 1, 5}), 0);
  expect_last(u, first(32), 5, 0x1000);
  u->in.out_ready = 0;  // behind one that waits
  offer(u, run2((entry){0, 1, 20}, (entry){1, 2, 21}), 0), reset(u);
  u->in.out_ready = 1;
  for (uint32_t k = 0; k < 4; k++)
    edge(u), expect_none(u);
}

#define TESTS(T)                               \
  T(the_diagram)                               \
  T(one_two_and_three_entries)                 \
  T(without_a_second_entry_there_is_no_third)  \
  T(each_tag)                                  \
  T(out_ready_low_in_the_middle)               \
  T(nothing_needs_out_ready_but_entries)       \
  T(runs_without_a_gap)                        \
  T(nothing_is_taken_while_two_entries_wait)   \
  T(kept_behind_the_last_entry)                \
  T(a_run_behind_the_last_entry)               \
  T(kept_and_run_behind_the_last_entry)        \
  T(without_valid_nothing_comes)               \
  T(keep_then_run_at_once)                     \
  T(each_register_is_relative_by_its_bit)      \
  T(registers_wrap)                            \
  T(a_type_stays)                              \
  T(windows)                                   \
  T(every_bit_is_kept)                         \
  T(a_form_overwritten_between_two_runs)       \
  T(a_slot_rewritten_between_two_runs)         \
  T(every_form_and_slot_is_another)            \
  T(the_number_of_a_form_is_modulo)            \
  T(all_is_zero_at_power_up)                   \
  T(reset_in_the_middle_keeps_forms_and_slots) \
  T(kept_at_an_edge_in_reset)                  \
  T(a_run_in_reset_is_gone)

#include "tb/cosim/directed.h"
