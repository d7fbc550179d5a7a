// SPDX-License-Identifier: Apache-2.0
// Cases of order by name, each on the Verilog and on the twin, with the edges that they take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/isa/isa.h"
#include "packets.h"
#include "tb/cosim/near_ops.h"
#define BLOCK order
#include "csim/base/block_declare.h"

extern const block_ops order_rtl;
extern bool order_rtl_failed(const void *block);

enum { HELD = STRUCTURE_HELD, PLACES = 128, WAKE = 3 };

typedef struct unit {
  const block_ops *ops;
  void *block;
  order_in in;
  order_out out;
  unsigned t;  // edges since reset
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  u->in.rst_n = rst_n;
  u->ops->step(u->block, &u->in, &u->out);
  u->t++;
  u->in.in_valid = u->in.read_valid = u->in.read_exec = u->in.sync_ready = 0;
  u->in.valu_done = u->in.lsux_done = u->in.regm_done = u->in.up_done = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void expect_empty(const unit *u) {
  assert_int_equal(u->out.in_ready, 1);
  assert_int_equal(u->out.out_valid, 0);
  assert_int_equal(u->out.sync_valid, 0);
  assert_int_equal(u->out.busy, 0);
}

static void reset(unit *u) {
  any_edge(u, 0);
  u->in.opc_room = u->in.lsux_room = u->in.regm_room = u->in.out_ready = 1;
  u->t = 0;
  expect_empty(u);
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&order_rtl, &order_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    edge(&u);  // outputs after reset
    reset(&u);
    test(&u);
    if (m == 0)
      assert_false(order_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

// What comes at the next edge.
static void give(unit *u, packet p) {
  assert_int_equal(u->out.in_ready, 1);
  u->in.in_valid = 1;
  u->in.in_head[0] = (uint32_t)p.head, u->in.in_head[1] = (uint32_t)(p.head >> 32);
  u->in.in_body[0] = (uint32_t)p.body, u->in.in_body[1] = (uint32_t)(p.body >> 32);
}

static void take(unit *u, packet p) {
  give(u, p), edge(u);
}

static void read_event(unit *u, uint32_t n, bool exec) {
  u->in.read_valid = 1, u->in.read_n = n, u->in.read_exec = exec;
}

static void lsux_done(unit *u, uint32_t n) {
  u->in.lsux_done = 1, u->in.lsux_n = n;
}
static void valu_done(unit *u, uint32_t n) {
  u->in.valu_done = 1, u->in.valu_n = n;
}
static void regm_done(unit *u, uint32_t n) {
  u->in.regm_done = 1, u->in.regm_n = n;
}
static void up_done(unit *u, uint32_t n) {
  u->in.up_done = 1, u->in.up_n = n;
}

static uint32_t out_n(const unit *u) {
  return u->out.out_head[0] >> 4 & 255;
}

// Entry n went at the last edge; nothing did.
static void expect_goes(const unit *u, uint32_t n) {
  assert_int_equal(u->out.out_valid, 1);
  assert_int_equal(out_n(u), n);
}
static void expect_none(const unit *u) {
  assert_int_equal(u->out.out_valid, 0);
}

static void expect_sync(const unit *u, uint32_t n) {
  assert_int_equal(u->out.sync_valid, 1);
  assert_int_equal(u->out.sync_n, n);
}
static void no_sync_for(unit *u, unsigned edges) {
  for (unsigned k = 0; k < edges; k++)
    edge(u), assert_int_equal(u->out.sync_valid, 0);
}

static void none_for(unit *u, unsigned edges) {
  for (unsigned k = 0; k < edges; k++)
    edge(u), expect_none(u);
}

// ---- packets

#define P(field, value) tsv_put(TSV_DN_##field, (uint64_t)(value))

static packet exec(unsigned op, unsigned type, uint64_t d, uint64_t a, uint64_t b, uint64_t c) {
  return (packet){P(EXEC_OP, op) | P(EXEC_TYPE, type) | P(EXEC_D, d) | P(EXEC_A, a) | P(EXEC_B, b) |
                      P(EXEC_C, c),
                  0};
}
static packet with(packet p, uint64_t bits) {
  return (packet){p.head | bits, p.body};
}
static packet add(uint64_t d, uint64_t a, uint64_t b) {
  return exec(ISA_OP_ADD, ISA_TYPE_U32, d, a, b, 99);
}
static packet add64(uint64_t d, uint64_t a, uint64_t b) {
  return exec(ISA_OP_ADD, ISA_TYPE_U64, d, a, b, 99);
}
static packet regwr(uint64_t reg) {
  return (packet){TSV_DN_REGWR | P(ANY_LEN, 1) | P(REGWR_REG, reg) | P(REGWR_MASK, ~0u), reg};
}
static packet regrd(uint64_t reg) {
  return (packet){TSV_DN_REGRD | P(REGRD_REG, reg) | P(REGRD_MASK, ~0u), 0};
}
static packet load(uint64_t reg, uint64_t line) {
  return (packet){
      TSV_DN_LINE | P(LINE_MTYPE, TSV_MTYPE_U32) | P(LINE_REG, reg) | P(LINE_ADDR, line << 7), 0};
}
static packet store(uint64_t reg, uint64_t line) {
  return with(load(reg, line), P(LINE_STORE, 1));
}
static packet shm(unsigned mop, unsigned mtype, uint64_t d, uint64_t a, uint64_t b, uint64_t c,
                  uint64_t win) {
  return (packet){TSV_DN_SHM | P(SHM_MTYPE, mtype) | P(SHM_MOP, mop) | P(SHM_D, d) | P(SHM_A, a) |
                      P(SHM_B, b) | P(SHM_C, c) | P(SHM_WIN, win),
                  0};
}
static packet sect(unsigned mop, unsigned mtype, uint64_t d, uint64_t b, uint64_t c,
                   uint64_t sector) {
  return (packet){TSV_DN_SECT | P(ANY_LEN, 1) | P(SECT_MTYPE, mtype) | P(SECT_MOP, mop) |
                      P(SECT_D, d) | P(SECT_B, b) | P(SECT_SECTOR, sector),
                  0xffffffffu | c << 32};
}
static packet for_base(unsigned kind, uint64_t sector) {
  return (packet){kind | P(RD_SECTOR, sector), 0};
}
static packet win(uint64_t n) {
  return (packet){TSV_DN_WIN | P(WIN_WIN, n), 0};
}
static packet sync(void) {
  return (packet){TSV_DN_SYNC, 0};
}
static packet shared(uint64_t win) {
  return with(sync(), P(SYNC_SHARED, 1) | P(SYNC_WIN, win));
}

enum { LD = TSV_MOP_LD, ST = TSV_MOP_ST, CAS = TSV_MOP_ATOM + ISA_ATOM_CAS };
enum { ATOM = TSV_MOP_ATOM + ISA_ATOM_ADD };
enum { B32 = TSV_MTYPE_U32, B64 = TSV_MTYPE_B64, B128 = TSV_MTYPE_B128 };
#define SHM_RET P(SHM_RET, 1)
#define SECT_RET P(SECT_RET, 1)

// ---- the page's diagram

static void the_diagram(unit *u) {
  take(u, add(1, 5, 6));
  expect_none(u);
  give(u, add(2, 1, 7)), edge(u);  // edge 1
  expect_goes(u, 0);
  for (unsigned t = 2; t <= 9; t++) {
    if (t == 6)
      read_event(u, 0, true);
    edge(u);
    expect_none(u);
  }
  edge(u);
  expect_goes(u, 1);
  u->in.out_ready = 0;
  edge(u);
  valu_done(u, 0), edge(u);  // edge 12
  expect_goes(u, 1);
  u->in.out_ready = 1, edge(u);
  read_event(u, 1, true), edge(u);
  for (unsigned k = 0; k < 5; k++)
    edge(u), assert_int_equal(u->out.busy, 1);
  valu_done(u, 1), edge(u);
  expect_empty(u);
}

static void a_packet_alone_goes_one_edge_after_it_came(unit *u) {
  const packet all[] = {add(1, 2, 3),
                        regwr(1),
                        regrd(1),
                        load(1, 2),
                        store(1, 2),
                        shm(LD, B32, 1, 2, 3, 4, 5),
                        win(3),
                        sect(CAS, B32, 1, 2, 3, 4),
                        for_base(TSV_DN_RD, 1),
                        for_base(TSV_DN_WR, 1),
                        for_base(TSV_DN_ATM, 1)};
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
    packet p = with(all[k], P(ANY_TAG, 0xa5 ^ k));
    p.body ^= 0x123456789abcdefull * k & ~(0x1ffull << 32);
    reset(u);
    take(u, p);
    expect_none(u);
    edge(u);
    expect_goes(u, 0);
    assert_true(tsv_flit(u->out.out_head) == (p.head & ~0xff0ull));
    assert_true(tsv_flit(u->out.out_body) == p.body);
    assert_int_equal(u->out.tags[0] & 255, 0xa5 ^ k);
    const order_out was = u->out;
    for (unsigned n = 0; n < 3; n++) {  // they hold when it has been taken
      edge(u);
      expect_none(u);
      assert_memory_equal(u->out.out_head, was.out_head, sizeof was.out_head);
      assert_memory_equal(u->out.out_body, was.out_body, sizeof was.out_body);
      assert_int_equal(u->out.out_long, was.out_long);
    }
  }
}

// ---- registers: pairs

enum how { FREE, READ, AWAKE };

static void pair(unit *u, packet first, packet second, enum how how) {
  const unsigned kind = first.head & 15;
  const packet_use use = packet_use_of(&first);
  reset(u);
  take(u, first);
  take(u, second);
  expect_goes(u, 0);
  edge(u);
  if (how == FREE) {
    expect_goes(u, 1);
    return;
  }
  expect_none(u);
  none_for(u, 6);
  if (use.reads[0] | use.reads[1]) {
    read_event(u, 0, kind == TSV_DN_EXEC), edge(u);
    expect_none(u);
    if (how == AWAKE && kind == TSV_DN_EXEC)
      none_for(u, WAKE);
    else if (how == AWAKE)
      none_for(u, 8);
    if (how == READ || kind == TSV_DN_EXEC) {
      edge(u);
      expect_goes(u, 1);
      return;
    }
  }
  if (kind == TSV_DN_REGWR)
    regm_done(u, 0);
  else
    lsux_done(u, 0);
  edge(u);
  expect_none(u);
  edge(u);
  expect_goes(u, 1);
}

static void read_after_write(unit *u) {
  pair(u, add(1, 2, 3), add(4, 1, 5), AWAKE);
  pair(u, add(1, 2, 3), add(4, 5, 1), AWAKE);
  pair(u, add(1, 2, 3), exec(ISA_OP_FMA, ISA_TYPE_F32, 4, 5, 6, 1), AWAKE);
  pair(u, add(1, 2, 3), regrd(1), AWAKE);
  pair(u, add(1, 2, 3), store(1, 0), AWAKE);
  pair(u, add(1, 2, 3), shm(LD, B32, 5, 1, 6, 7, 0), AWAKE);
  pair(u, add(1, 2, 3), shm(ST, B32, 5, 6, 1, 7, 0), AWAKE);
  pair(u, add(1, 2, 3), shm(CAS, B32, 5, 6, 7, 1, 0), AWAKE);
  pair(u, add(1, 2, 3), sect(ST, B32, 5, 1, 6, 0), AWAKE);
  pair(u, add(1, 2, 3), sect(CAS, B32, 5, 6, 1, 0), AWAKE);
  pair(u, regwr(1), add(4, 1, 5), AWAKE);
  pair(u, load(1, 0), add(4, 1, 5), AWAKE);
  pair(u, shm(LD, B32, 1, 2, 3, 4, 0), add(4, 1, 5), AWAKE);
  pair(u, with(shm(ATOM, B32, 1, 2, 3, 4, 0), SHM_RET), add(7, 1, 5), AWAKE);
  pair(u, sect(LD, B32, 1, 2, 3, 0), add(4, 1, 5), AWAKE);
  pair(u, with(sect(ATOM, B32, 1, 2, 3, 0), SECT_RET), add(7, 1, 5), AWAKE);
}

static void write_after_read(unit *u) {
  pair(u, add(1, 2, 3), regwr(2), READ);
  pair(u, add(1, 2, 3), regwr(3), READ);
  pair(u, add(1, 2, 3), add(2, 8, 9), READ);
  pair(u, add(1, 2, 3), load(3, 0), READ);
  pair(u, regrd(2), regwr(2), READ);
  pair(u, store(2, 0), regwr(2), READ);
  pair(u, store(2, 0), load(2, 1), READ);
  pair(u, shm(ST, B32, 1, 2, 3, 4, 0), regwr(2), READ);
  pair(u, shm(ST, B32, 1, 2, 3, 4, 0), regwr(3), READ);
  pair(u, shm(CAS, B32, 1, 2, 3, 4, 0), regwr(4), READ);
  pair(u, sect(ST, B32, 1, 2, 3, 0), regwr(2), READ);
  pair(u, sect(CAS, B32, 1, 2, 3, 0), regwr(3), READ);
}

static void write_after_write(unit *u) {
  pair(u, add(1, 2, 3), add(1, 4, 5), AWAKE);
  pair(u, add(1, 2, 3), regwr(1), AWAKE);
  pair(u, add(1, 1, 1), regwr(1), AWAKE);
  pair(u, regwr(1), regwr(1), AWAKE);
  pair(u, load(1, 0), regwr(1), AWAKE);
  pair(u, load(1, 0), add(1, 4, 5), AWAKE);
  pair(u, add(1, 2, 3), load(1, 0), AWAKE);
}

// Accesses that write the same place: the later one goes when the earlier one is gone,
// not before.
static void accesses_write_in_order(unit *u) {
  enum { KINDS = 6 };
  const packet firsts[KINDS] = {load(1, 0),
                                sect(LD, B32, 1, 2, 3, 4),
                                with(sect(ATOM, B32, 1, 2, 3, 8), SECT_RET),
                                shm(LD, B64, 0, 2, 3, 4, 0),
                                shm(LD, B32, 1, 2, 3, 4, 1),
                                with(shm(ATOM, B32, 1, 2, 3, 4, 2), SHM_RET)};
  const packet seconds[KINDS] = {load(1, 9),
                                 sect(LD, B64, 0, 22, 23, 40),
                                 with(sect(CAS, B32, 1, 22, 23, 80), SECT_RET),
                                 shm(LD, B32, 1, 22, 23, 24, 9),
                                 with(shm(CAS, B32, 1, 22, 23, 24, 10), SHM_RET),
                                 shm(LD, B64, 0, 22, 23, 24, 11)};
  for (unsigned f = 0; f < KINDS; f++)
    for (unsigned s = 0; s < KINDS; s++) {
      const packet_use use = packet_use_of(&firsts[f]);
      pair(u, firsts[f], seconds[s], FREE);
      if (!(use.reads[0] >> 2 & 1))
        continue;
      reset(u);
      take(u, add(2, 60, 61));
      take(u, firsts[f]);  // 1: waits for register 2
      take(u, seconds[s]);
      none_for(u, 4);
      read_event(u, 0, true), edge(u);
      none_for(u, WAKE);
      edge(u);
      expect_goes(u, 1);
      edge(u);
      expect_goes(u, 2);
    }
  // what reads the result waits for both
  reset(u);
  take(u, load(1, 0));
  take(u, load(1, 1));
  take(u, add(5, 1, 2));
  edge(u), edge(u);
  lsux_done(u, 0), edge(u);
  none_for(u, 3);
  lsux_done(u, 1), edge(u);
  edge(u);
  expect_goes(u, 2);
}

// Two that read the same, and those that use nothing of each other's.
static void no_hazard(unit *u) {
  pair(u, add(1, 2, 3), add(4, 2, 3), FREE);
  pair(u, add(1, 2, 3), regrd(2), FREE);
  pair(u, regrd(2), regrd(2), FREE);
  pair(u, regwr(1), regwr(2), FREE);
  pair(u, store(2, 0), store(2, 1), FREE);
  pair(u, shm(ST, B32, 1, 2, 3, 4, 0), add(1, 2, 3), FREE);  // no result
  pair(u, shm(ST, B32, 1, 2, 3, 4, 0), regwr(4), FREE);      // no c
  pair(u, shm(LD, B32, 1, 2, 3, 4, 0), regwr(3), FREE);      // no b
  pair(u, shm(ATOM, B32, 1, 2, 3, 4, 0), regwr(1), FREE);    // without RET
  pair(u, sect(ATOM, B32, 1, 2, 3, 0), regwr(1), FREE);
  pair(u, sect(LD, B32, 1, 2, 3, 0), regwr(2), FREE);
  pair(u, with(store(2, 0), P(LINE_ZERO, 1)), regwr(2), FREE);
  pair(u, with(load(2, 0), P(LINE_ZERO, 1)), regrd(2), AWAKE);  // ZERO is for stores
  pair(u, with(add(1, 2, 3), P(EXEC_ZERO, 1)), regwr(2), FREE);
  pair(u, with(add(1, 2, 3), P(EXEC_ZERO, 2)), regwr(3), FREE);
  pair(u, with(add(1, 2, 3), P(EXEC_ZERO, 4)), regwr(3), READ);
  pair(u, with(add(1, 2, 3), P(EXEC_IMM_AT, 2)), regwr(3), FREE);
  pair(u, with(add(1, 2, 3), P(EXEC_IMM_AT, 2)), regwr(2), READ);
  pair(u, add(1, 2, 3), regwr(99), FREE);  // add has no c
  pair(u, with(shm(LD, B32, 1, 2, 3, 4, 0), P(SHM_ZERO, 1)), regwr(2), FREE);
  pair(u, with(shm(ST, B32, 1, 2, 3, 4, 0), P(SHM_ZERO, 2)), regwr(3), FREE);
  pair(u, with(shm(CAS, B32, 1, 2, 3, 4, 0), P(SHM_ZERO, 4)), regwr(4), FREE);
  pair(u, with(shm(LD, B32, 1, 2, 3, 4, 0), P(SHM_INLINE, 1)), regwr(2), FREE);
  for (unsigned k = 1; k < 11; k++)  // bits of RD, WR, ATM and WIN are no registers
    if (k >= 4 && k != 7 && k != 8)
      for (unsigned r = 0; r < PLACES; r += 21)
        if (k != TSV_DN_SYNC)
          pair(u, with(for_base(k, 0), 0x3fffull << 17), regwr(r), FREE);
}

static void wide_registers_overlap(unit *u) {
  for (unsigned r = 8; r < 16; r++) {
    const bool of_pair = r / 2 == 5, of_four = r / 4 == 2;
    for (unsigned low = 0; low < 2; low++) {  // the lowest bit does not count
      pair(u, add64(10 | low, 20, 30), regwr(r), of_pair ? AWAKE : FREE);
      pair(u, add64(10 | low, 20, 30), regrd(r), of_pair ? AWAKE : FREE);
      pair(u, add64(20, 10 | low, 30), regwr(r), of_pair ? READ : FREE);
      pair(u, add64(20, 30, 10 | low), regwr(r), of_pair ? READ : FREE);
      pair(u, regwr(r), add64(10 | low, 20, 30), of_pair ? AWAKE : FREE);
      pair(u, regwr(r), add64(20, 10 | low, 30), of_pair ? AWAKE : FREE);
      pair(u, shm(LD, B64, 10 | low, 20, 30, 40, 0), regrd(r), of_pair ? AWAKE : FREE);
      pair(u, sect(ST, B64, 20, 10 | low, 30, 0), regwr(r), of_pair ? READ : FREE);
    }
    for (unsigned low = 0; low < 4; low++) {
      pair(u, shm(LD, B128, 8 | low, 20, 30, 40, 0), regwr(r), of_four ? AWAKE : FREE);
      pair(u, shm(ST, B128, 20, 30, 8 | low, 40, 0), regwr(r), of_four ? READ : FREE);
      pair(u, sect(LD, B128, 8 | low, 20, 30, 0), regrd(r), of_four ? AWAKE : FREE);
      pair(u, sect(ST, B128, 20, 8 | low, 30, 0), regwr(r), of_four ? READ : FREE);
    }
    pair(u, add64(10, 20, 30), shm(LD, B128, 8, 40, 50, 60, 0), AWAKE);
    pair(u, add64(14, 20, 30), shm(LD, B128, 8, 40, 50, 60, 0), FREE);
    // narrow amount of a wide shift; wide result of narrow factors; a source with another type
    pair(u, exec(ISA_OP_SHL, ISA_TYPE_B64, 20, 30, 10, 0), regwr(r), r == 10 ? READ : FREE);
    pair(u, exec(ISA_OP_MULW, ISA_TYPE_U32, 10, 20, 30, 0), regrd(r), of_pair ? AWAKE : FREE);
    pair(u, exec(ISA_OP_MULW, ISA_TYPE_U32, 20, 10, 30, 0), regwr(r), r == 10 ? READ : FREE);
    pair(u, exec(ISA_OP_MADW, ISA_TYPE_U32, 20, 30, 40, 10), regwr(r), of_pair ? READ : FREE);
    pair(u, exec(ISA_OP_I2I, ISA_TYPE_U32, 20, 10, 0, ISA_TYPE_S64), regwr(r),
         of_pair ? READ : FREE);
    pair(u, exec(ISA_OP_I2I, ISA_TYPE_U64, 20, 10, 0, ISA_TYPE_S8), regwr(r),
         r == 10 ? READ : FREE);
    pair(u, exec(ISA_OP_I2I, ISA_TYPE_U64, 10, 20, 0, ISA_TYPE_S8), regrd(r),
         of_pair ? AWAKE : FREE);
  }
  for (unsigned r = 0; r < PLACES; r++)  // each place, and its neighbours
    for (int by = -1; by <= 1; by++)
      pair(u, regwr(r), regrd((r + PLACES + (unsigned)by) % PLACES), by ? FREE : AWAKE);
}

// ---- registers: what every packet uses

// Probes of each place that go beside p; those that do not are the places that it uses.
static void expect_places(unit *u, packet p, bool writing, const uint64_t uses[2]) {
  enum { MANY = HELD - 1 };
  for (unsigned first = 0; first < PLACES; first += MANY) {
    bool went[MANY] = {false};
    reset(u);
    take(u, p);
    for (unsigned k = 0; k < MANY + 3; k++) {
      if (k < MANY && first + k < PLACES)
        give(u, writing ? regwr(first + k) : regrd(first + k));
      edge(u);
      if (k && u->out.out_valid)
        went[out_n(u) - 1] = true;
    }
    for (unsigned k = 0; k < MANY && first + k < PLACES; k++)
      assert_int_equal(went[k], !(uses[(first + k) / 64] >> (first + k) % 64 & 1));
  }
}

static void expect_uses(unit *u, packet p) {
  const packet_use use = packet_use_of(&p);
  const uint64_t any[2] = {use.reads[0] | use.writes[0], use.reads[1] | use.writes[1]};
  expect_places(u, p, true, any);
  expect_places(u, p, false, use.writes);
}

// d, a, b, c with lower bits that count or do not.
static void every_operation(unit *u) {
  unsigned count;
  const isa_inst *ops = near_ops(&count);
  unsigned seen = 0;
  for (unsigned k = 0; k < count; k++) {
    const isa_inst *i = &ops[k];
    if (k && ops[k - 1].op == i->op && ops[k - 1].type == i->type && ops[k - 1].type2 == i->type2)
      continue;  // another rounding or comparison
    packet p = exec(i->op, i->type, 43, 85, 6, isa_ops[i->op].types2 ? i->type2 : 127);
    expect_uses(u, with(p, P(EXEC_FN, i->fn)));
    expect_uses(u, with(p, P(EXEC_ZERO, 1 + k % 7)));
    seen++;
  }
  assert_true(seen > 50);
}

static void every_access(unit *u) {
  static const unsigned mops[] = {LD, ST, ATOM, CAS};
  for (unsigned m = 0; m < 4; m++)
    for (unsigned type = 0; type < 9; type++)
      for (uint64_t zero = 0; zero < 8; zero += mops[m] == CAS ? 1 : 2) {
        const bool atomic = m > 1;
        if (atomic && (type < TSV_MTYPE_U32 || type > TSV_MTYPE_F32))
          continue;
        packet p = with(shm(mops[m], type, 43, 85, 6, 127, 3), P(SHM_ZERO, zero));
        expect_uses(u, p);
        expect_uses(u, with(p, P(SHM_INLINE, 1) | P(SHM_RET, atomic)));
        p = sect(mops[m], type, 43, 85, 6, 3);
        p.body |= zero << 38;
        expect_uses(u, p);
        expect_uses(u, with(p, P(SECT_RET, atomic)));
      }
}

// ---- memory

// The first waits for a register, so that the second would pass if it could.
static void memory_pair(unit *u, packet first, packet second, bool same) {
  reset(u);
  take(u, add(100, 98, 99));
  take(u, first);
  expect_goes(u, 0);
  take(u, second);
  expect_none(u);
  edge(u);
  if (same)
    expect_none(u);
  else
    expect_goes(u, 2);
  none_for(u, 3);
  read_event(u, 0, true), edge(u);
  none_for(u, WAKE);
  edge(u);
  expect_goes(u, 1);
  edge(u);  // the first is gone, not complete
  if (same)
    expect_goes(u, 2);
  else
    expect_none(u);
}

static void same_line_in_order_other_line_passes(unit *u) {
  for (unsigned bit = 0; bit < 20; bit++) {  // 19: no bit
    const uint64_t line = 0x2a5a5, other = bit < 19 ? line ^ 1u << bit : line;
    const packet firsts[] = {store(100, line), sect(ST, B32, 9, 100, 8, line << 2 | 1)};
    const packet seconds[] = {
        load(50, other),
        with(load(50, other), P(LINE_ADDR, 0x7f)),
        store(50, other),
        sect(LD, B32, 50, 9, 8, other << 2),
        sect(ST, B32, 50, 9, 8, other << 2 | 3),
        sect(CAS, B32, 50, 9, 8, other << 2 | 2),
        for_base(TSV_DN_RD, other << 2),
        for_base(TSV_DN_WR, other << 2 | 3),
        for_base(TSV_DN_ATM, other << 2 | 1),
    };
    for (unsigned f = 0; f < 2; f++)
      for (unsigned s = 0; s < sizeof seconds / sizeof *seconds; s++)
        memory_pair(u, firsts[f], seconds[s], bit == 19);
  }
}

static void same_window_in_order_other_window_passes(unit *u) {
  for (unsigned w = 0; w < 16; w++)
    for (unsigned o = 0; o < 16; o++) {
      memory_pair(u, shm(ST, B32, 9, 8, 100, 7, w), win(o), w == o);
      memory_pair(u, shm(LD, B32, 9, 100, 8, 7, w), shm(LD, B32, 50, 60, 61, 62, o), w == o);
    }
}

static void lines_and_windows_do_not_meet(unit *u) {
  for (unsigned n = 0; n < 16; n++) {
    memory_pair(u, shm(ST, B32, 9, 8, 100, 7, n), load(50, n), false);
    memory_pair(u, store(100, n), shm(LD, B32, 50, 60, 61, 62, n), false);
    memory_pair(u, store(100, n), win(n), false);
    memory_pair(u, store(100, n), with(win(n), P(WIN_BASE, n << 2) | P(WIN_SIZE, n << 7)), false);
    memory_pair(u, store(100, n), regrd(n), false);
    memory_pair(u, store(100, n), regwr(n), false);
  }
}

// A window is set between two accesses: each goes in its turn.
static void win_between_two_accesses(unit *u) {
  take(u, add(100, 98, 99));
  take(u, shm(ST, B32, 9, 8, 100, 7, 3));    // 1
  take(u, win(3));                           // 2
  take(u, shm(LD, B32, 50, 51, 52, 53, 3));  // 3
  take(u, shm(LD, B32, 60, 51, 52, 53, 4));  // 4: another window
  expect_none(u);
  edge(u);
  expect_goes(u, 4);
  read_event(u, 0, true), edge(u);
  none_for(u, WAKE);
  for (uint32_t n = 1; n <= 3; n++)
    edge(u), expect_goes(u, n);
  none_for(u, 3);
}

static void win_is_complete_when_it_goes(unit *u) {
  take(u, win(1));
  assert_int_equal(u->out.busy, 1);
  u->in.out_ready = 0, edge(u);
  expect_goes(u, 0);
  take(u, with(regwr(5), P(ANY_TAG, 0x77)));  // takes its entry, while the head holds
  expect_goes(u, 0);
  assert_int_equal(u->out.out_head[0] & 15, TSV_DN_WIN);
  assert_int_equal(u->out.tags[0] & 255, 0x77);
  u->in.out_ready = 1, edge(u);
  expect_goes(u, 0);
  assert_int_equal(u->out.out_head[0] & 15, TSV_DN_REGWR);
  edge(u);
  regm_done(u, 0), edge(u);
  expect_empty(u);
}

// busy until the head is taken, though the table is empty.
static void win_alone(unit *u) {
  take(u, win(1));
  u->in.out_ready = 0;
  for (unsigned k = 0; k < 4; k++) {
    edge(u);
    expect_goes(u, 0);
    assert_int_equal(u->out.busy, 1);
  }
  u->in.out_ready = 1, edge(u);
  expect_empty(u);
}

// ---- long packets

static void long_packets_of_each_kind(unit *u) {
  for (unsigned kind = 1; kind < 10; kind++)
    for (unsigned len = 0; len <= 16; len++) {
      reset(u);
      take(u, (packet){kind | P(ANY_LEN, len), 0});
      edge(u);
      expect_goes(u, 0);
      assert_int_equal(u->out.out_long, len > 1);
    }
  static const unsigned ops[] = {ISA_OP_ADD, ISA_OP_LOP3, ISA_OP_SELP};
  for (unsigned k = 0; k < 3; k++)
    for (unsigned imm = 0; imm < 2; imm++)
      for (unsigned mask = 0; mask < 2; mask++) {
        reset(u);
        const unsigned type = k ? ISA_TYPE_B32 : ISA_TYPE_U32;
        take(u, with(exec(ops[k], type, 1, 2, 3, 4),
                     P(EXEC_IMM_AT, 2 * imm) | P(EXEC_HAS_MASK, mask)));
        edge(u);
        expect_goes(u, 0);
        assert_int_equal(u->out.out_long, k == 2 && imm && mask);
      }
}

// ---- choosing

static void room_of_each_unit(unit *u) {
  enum { OPC = 1, LSUX = 2, REGM = 4 };
  const struct {
    packet p;
    unsigned needs;
  } all[] = {
      {add(1, 2, 3), OPC},
      {regrd(1), OPC},
      {regwr(1), REGM},
      {win(1), LSUX},
      {for_base(TSV_DN_RD, 1), LSUX},
      {for_base(TSV_DN_WR, 1), LSUX},
      {for_base(TSV_DN_ATM, 1), LSUX},
      {load(1, 1), OPC | LSUX},
      {store(1, 1), OPC | LSUX},
      {sect(LD, B32, 1, 2, 3, 4), OPC | LSUX},
      {shm(LD, B32, 1, 2, 3, 4, 5), OPC | LSUX},
      {with(shm(LD, B32, 1, 2, 3, 4, 5), P(SHM_INLINE, 1)), OPC | LSUX},
  };
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
    for (unsigned room = 0; room < 8; room++) {
      reset(u);
      u->in.opc_room = room & 1, u->in.lsux_room = room >> 1 & 1, u->in.regm_room = room >> 2;
      take(u, all[k].p);
      edge(u);
      if ((all[k].needs & ~room) == 0) {
        expect_goes(u, 0);
        continue;
      }
      expect_none(u);
      none_for(u, 3);
      u->in.opc_room = u->in.lsux_room = u->in.regm_room = 1;
      edge(u);
      expect_goes(u, 0);
    }
}

static void another_unit_passes_one_without_room(unit *u) {
  u->in.opc_room = 0;
  take(u, add(1, 2, 3));
  take(u, load(4, 1));
  expect_none(u);
  take(u, regwr(5));
  expect_none(u);
  take(u, for_base(TSV_DN_RD, 8));
  expect_goes(u, 2);
  u->in.regm_room = 0;
  take(u, regwr(6));
  expect_goes(u, 3);
  none_for(u, 3);
  u->in.opc_room = 1, u->in.lsux_room = 0, edge(u);
  expect_goes(u, 0);
  none_for(u, 3);
  u->in.regm_room = 1, edge(u);
  expect_goes(u, 4);
  u->in.lsux_room = 1, edge(u);
  expect_goes(u, 1);
}

static void oldest_first_not_lowest(unit *u) {
  for (unsigned round = 0; round < 40; round++) {  // entries and ages turn
    reset(u);
    for (unsigned k = 0; k < round; k++) {
      take(u, regwr(k)), edge(u);
      expect_goes(u, 0);
      regm_done(u, 0), edge(u);
    }
    take(u, add(1, 2, 3)), edge(u);  // 0
    expect_goes(u, 0);
    u->in.regm_room = 0;
    read_event(u, 0, true);
    take(u, regwr(11)), take(u, regwr(12)), take(u, regwr(13));
    none_for(u, WAKE);
    valu_done(u, 0), edge(u);
    take(u, regwr(14));  // in 0, the youngest
    take(u, regwr(15));  // in 4
    u->in.regm_room = 1;
    static const uint32_t turns[] = {1, 2, 3, 0, 4};
    for (unsigned k = 0; k < 5; k++)
      edge(u), expect_goes(u, turns[k]);
    none_for(u, 2);
  }
}

static void out_holds_until_it_is_taken(unit *u) {
  u->in.out_ready = 0;
  take(u, with(regwr(1), P(ANY_TAG, 3)));
  take(u, add(2, 3, 4));
  expect_goes(u, 0);
  const order_out was = u->out;
  for (unsigned k = 0; k < 6; k++) {
    edge(u);
    expect_goes(u, 0);
    assert_memory_equal(u->out.out_head, was.out_head, sizeof was.out_head);
    assert_memory_equal(u->out.out_body, was.out_body, sizeof was.out_body);
  }
  u->in.opc_room = 0, u->in.out_ready = 1, edge(u);  // taken, and nothing follows
  expect_none(u);
  u->in.out_ready = 0, u->in.opc_room = 1, edge(u);  // free: it fills without out_ready
  expect_goes(u, 1);
}

// Arrival, going and end in a pipeline: one packet each an edge.
static void one_an_edge(unit *u) {
  for (uint32_t k = 0; k < 100; k++) {
    give(u, regwr(k));
    if (k >= 3)  // it went two edges before, and its entry is taken again two edges later
      regm_done(u, (k - 3) % 4);
    edge(u);
    if (k)
      expect_goes(u, (k - 1) % 4);
  }
}

// ---- entries

static void full_table(unit *u) {
  u->in.regm_room = 0;
  for (unsigned k = 0; k < HELD; k++) {
    take(u, regwr(k));
    assert_int_equal(u->out.in_ready, k + 1 < HELD);
  }
  for (unsigned n = 0; n < HELD; n++) {
    // a packet that waits outside is not taken at the edge at which an entry becomes free
    u->in.regm_room = 1, u->in.in_valid = 1, edge(u);
    expect_goes(u, n);
    assert_int_equal(u->out.in_ready, 0);
    u->in.regm_room = 0, u->in.in_valid = 1, edge(u);
    const packet next = with(regwr(64 + n), P(ANY_TAG, 0x80 + n));
    u->in.in_head[0] = (uint32_t)next.head, u->in.in_head[1] = (uint32_t)(next.head >> 32);
    regm_done(u, n), u->in.in_valid = 1, edge(u);
    assert_int_equal(u->out.in_ready, 1);
    assert_int_not_equal(u->out.tags[n / 4] >> n % 4 * 8 & 255, 0x80 + n);
    take(u, next);
    assert_int_equal(u->out.in_ready, 0);
    assert_int_equal(u->out.tags[n / 4] >> n % 4 * 8 & 255, 0x80 + n);
  }
  u->in.regm_room = 1;
  for (unsigned n = 0; n < HELD; n++)
    edge(u), expect_goes(u, n);
}

// Of four that end at one edge the lowest is taken first.
static void four_end_at_one_edge(unit *u) {
  take(u, add(1, 2, 3));
  take(u, load(4, 1));
  take(u, regwr(5));
  take(u, for_base(TSV_DN_RD, 80));
  take(u, with(regwr(90), P(ANY_TAG, 9)));
  edge(u), edge(u);
  read_event(u, 0, true), edge(u);
  for (unsigned k = 0; k < 5; k++)
    edge(u);
  valu_done(u, 0), lsux_done(u, 1), regm_done(u, 2), up_done(u, 3), edge(u);
  assert_int_equal(u->out.busy, 1);
  for (uint32_t n = 0; n < 4; n++) {
    take(u, with(regwr(10 + n), P(ANY_TAG, 0x40 + n)));
    assert_int_equal(u->out.tags[0] >> 8 * n & 255, 0x40 + n);
  }
  take(u, with(regwr(20), P(ANY_TAG, 0x44)));
  assert_int_equal(u->out.tags[1] >> 8 & 255, 0x44);
  assert_int_equal(u->out.tags[1] & 255, 9);
}

// One that waits for an entry does not wait for what is in it next.
static void an_entry_freed_and_reused_at_once(unit *u) {
  take(u, load(1, 7));
  take(u, add(2, 1, 3));  // waits for the load
  take(u, regwr(1));      // and so does this, and for the add
  edge(u);
  lsux_done(u, 0), edge(u);
  expect_none(u);
  take(u, add(9, 8, 1));  // in 0: waits for the REGWR
  expect_goes(u, 1);
  edge(u);
  expect_none(u);
  read_event(u, 1, true), edge(u);
  edge(u);
  expect_goes(u, 2);
  none_for(u, 5);
  regm_done(u, 2), edge(u);
  edge(u);
  expect_goes(u, 0);
}

static void tags_and_answers(unit *u) {
  u->in.opc_room = u->in.lsux_room = u->in.regm_room = 0;
  const packet all[] = {add(1, 2, 3),
                        for_base(TSV_DN_WR, 4),
                        for_base(TSV_DN_ATM, 8),
                        with(for_base(TSV_DN_ATM, 8), P(ATM_RET, 1)),
                        for_base(TSV_DN_RD, 12),
                        load(1, 3),
                        sect(ATOM, B32, 1, 2, 3, 4),
                        shm(ATOM, B32, 1, 2, 3, 4, 5),
                        regwr(1),
                        regrd(1),
                        win(3),
                        with(for_base(TSV_DN_WR, 4), P(WR_SINGLE, 1) | P(WR_WORD, 7))};
  uint32_t answers = 0;
  for (uint32_t k = 0; k < sizeof all / sizeof *all; k++) {
    take(u, with(all[k], P(ANY_TAG, 0xf0 - 3 * k)));
    answers |= (uint32_t)(k == 1 || k == 2 || k == 11) << k;
    assert_int_equal(u->out.answers & ((2u << k) - 1), answers);
    for (uint32_t i = 0; i <= k; i++)
      assert_int_equal(u->out.tags[i / 4] >> i % 4 * 8 & 255, 0xf0 - 3 * i);
  }
  for (uint32_t i = HELD; i < 32; i++)
    assert_int_equal(u->out.tags[i / 4] >> i % 4 * 8 & 255, 0);
  assert_int_equal(u->out.answers >> (HELD - 1) >> 1, 0);
}

// ---- events at the edge of the arrival

// `first` goes; at edge 10 `event` happens to it, of which others can know `delay` edges later. The
// second comes some edges before or after: it goes right away, or at the first edge that may.
static void around(unit *u, packet first, packet second, void (*event)(unit *u), unsigned delay) {
  const bool is_sync = (second.head & 15) == TSV_DN_SYNC;
  for (unsigned comes = 5; comes < 16; comes++) {
    reset(u);
    take(u, first);
    edge(u);
    expect_goes(u, 0);
    // at these edges
    const unsigned known = 10 + delay, goes = (comes > known ? comes : known) + 1;
    for (unsigned t = 2; t < 20; t++) {
      if (t == 10)
        event(u);
      if (t == comes)
        give(u, second);
      edge(u);
      if (is_sync)
        assert_int_equal(u->out.sync_valid, t >= goes);
      else
        assert_int_equal(u->out.out_valid, t == goes);
    }
  }
}

static void exec_reads(unit *u) {
  read_event(u, 0, true);
}
static void others_read(unit *u) {
  read_event(u, 0, false);
}
static void lsux_ends(unit *u) {
  lsux_done(u, 0);
}
static void regm_ends(unit *u) {
  regm_done(u, 0);
}
static void goes_up(unit *u) {
  up_done(u, 0);
}

static void events_at_the_edge_of_the_arrival(unit *u) {
  around(u, add(1, 2, 3), add(4, 1, 5), exec_reads, WAKE);
  around(u, add(1, 2, 3), regwr(1), exec_reads, WAKE);
  around(u, add(1, 2, 3), regwr(2), exec_reads, 0);
  around(u, add(1, 2, 3), sync(), exec_reads, WAKE);
  around(u, regrd(1), regwr(1), others_read, 0);
  around(u, regrd(1), sync(), others_read, 0);
  around(u, store(1, 5), regwr(1), others_read, 0);
  around(u, store(1, 5), sync(), lsux_ends, 0);
  around(u, load(1, 5), regrd(1), lsux_ends, 0);
  around(u, load(1, 5), regwr(1), lsux_ends, 0);
  around(u, load(1, 5), sync(), lsux_ends, 0);
  around(u, regwr(1), regrd(1), regm_ends, 0);
  around(u, regwr(1), sync(), regm_ends, 0);
  around(u, shm(LD, B32, 1, 2, 3, 4, 5), regrd(1), goes_up, 0);  // a fault
  around(u, shm(LD, B32, 1, 2, 3, 4, 5), sync(), goes_up, 0);
  around(u, shm(LD, B32, 1, 2, 3, 4, 5), shared(5), goes_up, 0);
  around(u, shm(ST, B32, 1, 2, 3, 4, 5), shared(5), lsux_ends, 0);
  around(u, for_base(TSV_DN_RD, 5), sync(), goes_up, 0);
  around(u, for_base(TSV_DN_WR, 5), sync(), lsux_ends, 0);
}

// An access of the same memory at the edge at which the first one goes, or later.
static void arrival_when_another_goes(unit *u) {
  for (unsigned later = 0; later < 3; later++) {
    reset(u);
    take(u, store(1, 5));
    for (unsigned k = 0; k < later; k++)
      edge(u);
    take(u, for_base(TSV_DN_RD, 5 << 2));
    if (!later)
      expect_goes(u, 0);
    edge(u);
    expect_goes(u, 1);
  }
}

// The entry that something happens to is not that of the packet which comes into a freed one.
static void a_packet_comes_when_its_entry_was_just_freed(unit *u) {
  take(u, add(1, 2, 3)), edge(u);
  read_event(u, 0, true), edge(u);
  for (unsigned k = 0; k < 5; k++)
    edge(u);
  valu_done(u, 0), edge(u);
  expect_empty(u);
  take(u, load(4, 5));  // in 0
  take(u, regrd(4));
  expect_goes(u, 0);
  none_for(u, 10);
  lsux_done(u, 0), edge(u);
  edge(u);
  expect_goes(u, 1);
}

// ---- SYNC

static void sync_alone(unit *u) {
  take(u, with(sync(), P(ANY_TAG, 0x5a)));
  assert_int_equal(u->out.sync_valid, 0);
  for (unsigned k = 0; k < 4; k++) {
    edge(u);
    assert_int_equal(u->out.sync_valid, 1);
    assert_int_equal(u->out.sync_n, 0);
    assert_int_equal(u->out.busy, 1);
    assert_int_equal(u->out.tags[0] & 255, 0x5a);
    expect_none(u);
  }
  u->in.sync_ready = 1, edge(u);
  expect_empty(u);
  // ready when it is not valid changes nothing
  u->in.sync_ready = 1, take(u, sync());
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.sync_valid, 1);
  u->in.sync_ready = 1, edge(u);
  expect_empty(u);
}

static void sync_waits_for_all_before_it_and_none_for_it(unit *u) {
  u->in.out_ready = 0;
  take(u, add(1, 2, 3));    // 0
  take(u, load(4, 5));      // 1
  take(u, regrd(6));        // 2
  take(u, win(7));          // 3
  take(u, sync());          // 4
  take(u, regwr(8));        // 5
  take(u, add(9, 10, 11));  // 6
  u->in.out_ready = 1;
  expect_goes(u, 0);
  for (uint32_t n = 1; n < 4; n++) {
    edge(u), expect_goes(u, n);
    assert_int_equal(u->out.sync_valid, 0);
  }
  edge(u), expect_goes(u, 5);
  edge(u), expect_goes(u, 6);
  none_for(u, 2);
  read_event(u, 2, false), edge(u);
  lsux_done(u, 1), edge(u);
  read_event(u, 0, true), edge(u);
  for (unsigned k = 0; k < WAKE; k++)
    edge(u), assert_int_equal(u->out.sync_valid, 0);
  edge(u);
  assert_int_equal(u->out.sync_valid, 1);
  assert_int_equal(u->out.sync_n, 4);
}

static void a_win_that_goes_frees_a_sync(unit *u) {
  for (unsigned later = 0; later < 2; later++) {
    reset(u);
    u->in.lsux_room = 0;
    take(u, win(1));
    if (later)
      take(u, sync()), u->in.lsux_room = 1, edge(u);
    else
      u->in.lsux_room = 1, take(u, sync());
    expect_goes(u, 0);
    assert_int_equal(u->out.sync_valid, 0);
    edge(u);
    assert_int_equal(u->out.sync_valid, 1);
    assert_int_equal(u->out.sync_n, 1);
  }
}

static void two_syncs(unit *u) {
  take(u, sync());
  take(u, regwr(1));
  assert_int_equal(u->out.sync_valid, 1);
  take(u, sync());
  edge(u);
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  for (unsigned k = 0; k < 3; k++)
    edge(u), assert_int_equal(u->out.sync_valid, 0);  // the REGWR
  regm_done(u, 1), edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  edge(u);
  assert_int_equal(u->out.sync_valid, 1);
  assert_int_equal(u->out.sync_n, 2);
  u->in.sync_ready = 1, edge(u);
  expect_empty(u);
}

// At the edge at which one is taken another comes, which does not wait for it.
static void a_sync_comes_when_one_ends(unit *u) {
  for (unsigned comes = 0; comes < 3; comes++) {
    reset(u);
    take(u, sync());
    edge(u);
    if (comes == 0)
      take(u, sync());
    else
      edge(u);
    assert_int_equal(u->out.sync_valid, 1);
    if (comes == 1)
      give(u, sync());
    u->in.sync_ready = 1, edge(u);
    assert_int_equal(u->out.sync_valid, 0);
    if (comes == 2)
      take(u, sync());
    edge(u);
    assert_int_equal(u->out.sync_valid, 1);
    assert_int_equal(u->out.sync_n, comes < 2);
  }
}

static void a_table_of_syncs(unit *u) {
  for (uint32_t k = 0; k < HELD; k++)
    take(u, sync());
  assert_int_equal(u->out.in_ready, 0);
  for (uint32_t k = 0; k < HELD; k++) {
    assert_int_equal(u->out.sync_valid, 1);
    assert_int_equal(u->out.sync_n, k);
    u->in.sync_ready = 1, edge(u);
    assert_int_equal(u->out.sync_valid, 0);
    edge(u);
  }
  expect_empty(u);
}

static void sync_needs_no_room_and_not_out(unit *u) {
  u->in.out_ready = u->in.opc_room = u->in.lsux_room = u->in.regm_room = 0;
  take(u, sync());
  edge(u);
  assert_int_equal(u->out.sync_valid, 1);
  u->in.regm_room = 1;
  take(u, regwr(1)), edge(u);
  expect_goes(u, 1);
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  expect_goes(u, 1);
}

// ---- SYNC with SHARED

// Sent behind `first`, when this is still in its entry or when it has gone: leaves at once.
static void expect_passes(unit *u, packet first, packet second) {
  for (unsigned gone = 0; gone < 2; gone++) {
    reset(u);
    u->in.opc_room = u->in.lsux_room = u->in.regm_room = gone;
    take(u, first);
    if (gone)
      edge(u), expect_goes(u, 0);
    take(u, second);
    assert_int_equal(u->out.sync_valid, 0);
    edge(u), expect_sync(u, 1);
  }
}

static void shared_passes_all_but_its_window(unit *u) {
  const packet others[] = {add(1, 2, 3),
                           load(1, 5),
                           store(1, 5),
                           sect(ATOM, B32, 1, 2, 3, 5 << 2),
                           for_base(TSV_DN_RD, 5 << 2),
                           for_base(TSV_DN_WR, 5 << 2),
                           for_base(TSV_DN_ATM, 5 << 2),
                           regwr(1),
                           regrd(1),
                           shm(LD, B32, 1, 2, 3, 4, 6),
                           shm(ST, B32, 1, 2, 3, 4, 4)};
  for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
    expect_passes(u, others[k], shared(5));
  expect_passes(u, load(1, 0), shared(0));
  expect_passes(u, load(1, 0x60000), shared(0));
}

// `first` goes and ends; the SYNC leaves one edge later.
static void expect_waits(unit *u, packet first, packet second) {
  reset(u);
  take(u, first);
  take(u, second);
  expect_goes(u, 0);
  read_event(u, 0, false);
  no_sync_for(u, 8);
  lsux_done(u, 0), edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  edge(u), expect_sync(u, 1);
}

static void shared_waits_for_its_window_only(unit *u) {
  for (unsigned w = 0; w < 16; w++) {
    expect_waits(u, shm(LD, B32, 1, 2, 3, 4, w), shared(w));
    expect_waits(u, shm(ST, B128, 0, 5, 8, 4, w), shared(w));
    expect_waits(u, with(shm(ATOM, B32, 1, 2, 3, 4, w), SHM_RET), shared(w));
    for (unsigned bit = 0; bit < 4; bit++)
      expect_passes(u, shm(ST, B32, 1, 2, 3, 4, w), shared(w ^ 1u << bit));
  }
}

// Its access waits itself: for the result of a load.
static void shared_waits_for_an_access_that_waits(unit *u) {
  take(u, load(1, 7));                   // 0
  take(u, shm(ST, B32, 2, 3, 1, 4, 5));  // 1: stores the loaded value
  take(u, shared(5));                    // 2
  no_sync_for(u, 8), expect_none(u);
  lsux_done(u, 0), edge(u);
  no_sync_for(u, 1), expect_goes(u, 1);
  no_sync_for(u, 4);
  read_event(u, 1, false);
  no_sync_for(u, 8);
  lsux_done(u, 1), edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  edge(u), expect_sync(u, 2);
}

static void shared_waits_for_win(unit *u) {
  for (unsigned w = 0; w < 2; w++) {
    reset(u);
    u->in.lsux_room = 0;
    take(u, win(5 ^ w));
    take(u, shared(5));
    edge(u);
    assert_int_equal(u->out.sync_valid, w);
    u->in.lsux_room = 1, edge(u);
    expect_goes(u, 0);
    assert_int_equal(u->out.sync_valid, w);
    edge(u), expect_sync(u, 1);
  }
}

// Each of two windows ends first; then both at one edge.
static void shared_of_two_windows(unit *u) {
  for (unsigned first = 0; first < 3; first++) {
    reset(u);
    take(u, shm(ST, B32, 1, 2, 3, 4, 8));  // 0
    take(u, shm(ST, B32, 1, 2, 3, 4, 9));  // 1
    take(u, shared(8));                    // 2
    take(u, shared(9));                    // 3
    no_sync_for(u, 4);
    if (first != 1)
      lsux_done(u, 0);
    if (first != 0)
      up_done(u, 1);
    edge(u);
    edge(u), expect_sync(u, first == 1 ? 3 : 2);
    if (first == 0)
      up_done(u, 1);
    if (first == 1)
      lsux_done(u, 0);
    edge(u), expect_sync(u, first == 1 ? 3 : 2);
    edge(u), expect_sync(u, first == 1 ? 3 : 2);
    u->in.sync_ready = 1, edge(u), expect_sync(u, first == 1 ? 2 : 3);
    u->in.sync_ready = 1, edge(u);
    expect_empty(u);
  }
}

// SHARED passes a SYNC of all, which waits for a SHARED one before it.
static void shared_and_all(unit *u) {
  take(u, shm(ST, B32, 1, 2, 3, 4, 5));   // 0
  take(u, shared(5));                     // 1
  take(u, with(sync(), P(SYNC_WIN, 9)));  // 2
  take(u, shared(9));                     // 3
  edge(u), expect_sync(u, 3);
  u->in.sync_ready = 1, edge(u);
  no_sync_for(u, 4);
  lsux_done(u, 0), edge(u);
  edge(u), expect_sync(u, 1);
  edge(u), expect_sync(u, 1);
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  edge(u), expect_sync(u, 2);
}

// Without SHARED the window says nothing.
static void all_with_a_window(unit *u) {
  expect_waits(u, load(1, 7), with(sync(), P(SYNC_WIN, 5)));
  expect_waits(u, shm(LD, B32, 1, 2, 3, 4, 6), with(sync(), P(SYNC_WIN, 5)));
}

// Later accesses of its window do not wait for it, nor it for them, in whichever entry.
static void accesses_behind_shared(unit *u) {
  take(u, shm(LD, B32, 1, 2, 3, 4, 5));   // 0
  take(u, shm(LD, B32, 11, 2, 3, 4, 5));  // 1
  expect_goes(u, 0);
  take(u, shared(5));  // 2
  expect_goes(u, 1);
  take(u, shm(LD, B32, 21, 2, 3, 4, 5));  // 3
  edge(u), expect_goes(u, 3);
  lsux_done(u, 0), edge(u);
  take(u, shm(LD, B32, 31, 2, 3, 4, 5));  // 0
  edge(u), expect_goes(u, 0);
  no_sync_for(u, 4);
  lsux_done(u, 1), edge(u);
  edge(u), expect_sync(u, 2);
}

static void shared_in_a_full_table(unit *u) {
  u->in.regm_room = 0;
  for (uint32_t k = 0; k + 2 < HELD; k++)
    take(u, regwr(k));
  take(u, shm(ST, B32, 1, 120, 121, 4, 5));
  take(u, shared(5));
  expect_goes(u, HELD - 2);
  assert_int_equal(u->out.in_ready, 0);
  no_sync_for(u, 4);
  lsux_done(u, HELD - 2), edge(u);
  take(u, shared(5));  // in the entry of its access: waits for nothing
  assert_int_equal(u->out.in_ready, 0);
  expect_sync(u, HELD - 1);
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.in_ready, 1);
  expect_sync(u, HELD - 2);
  u->in.sync_ready = 1, edge(u);
  assert_int_equal(u->out.sync_valid, 0);
  expect_none(u);
}

// They do not wait for each other: one an edge.
static void a_table_of_shared(unit *u) {
  for (uint32_t k = 0; k < HELD; k++)
    take(u, shared(k % 16));
  assert_int_equal(u->out.in_ready, 0);
  for (uint32_t k = 0; k < HELD; k++) {
    expect_sync(u, k);
    u->in.sync_ready = 1, edge(u);
  }
  expect_empty(u);
}

// ---- reset

static void reset_in_the_middle(unit *u) {
  for (unsigned at = 0; at < 24; at++) {
    reset(u);
    u->in.out_ready = at % 3 != 0;
    for (unsigned t = 0; t < at; t++) {
      const packet some[] = {add(1, 2, 3), sync(), load(1, 3), win(1), store(1, 3), regrd(1)};
      if (t < HELD)
        give(u, some[t % 6]);
      if (t == 5)
        read_event(u, 0, true);
      edge(u);
    }
    reset(u);
    for (unsigned k = 0; k < 3; k++)
      edge(u), expect_empty(u);
    take(u, add(1, 2, 3));  // nothing is left that it waits for, in the lowest entry
    take(u, add(4, 1, 3));
    expect_goes(u, 0);
    none_for(u, 8);
    read_event(u, 0, true), edge(u);
    none_for(u, WAKE);
    edge(u);
    expect_goes(u, 1);
  }
}

// An operand was read before the reset: its entry's next packet does not wake by it.
static void reset_between_read_and_awake(unit *u) {
  for (unsigned later = 0; later < WAKE; later++) {
    reset(u);
    take(u, add(1, 2, 3)), edge(u);
    read_event(u, 0, true), edge(u);
    for (unsigned k = 0; k < later; k++)
      edge(u);
    reset(u);
    take(u, load(1, 2));
    take(u, regrd(1));
    expect_goes(u, 0);
    none_for(u, 8);
  }
}

static void reset_takes_nothing(unit *u) {
  give(u, add(1, 2, 3)), read_event(u, 0, true), u->in.sync_ready = 1;
  reset(u);
  for (unsigned k = 0; k < 5; k++)
    edge(u), expect_empty(u);
}

#define TESTS(T)                                  \
  T(the_diagram)                                  \
  T(a_packet_alone_goes_one_edge_after_it_came)   \
  T(read_after_write)                             \
  T(write_after_read)                             \
  T(write_after_write)                            \
  T(accesses_write_in_order)                      \
  T(no_hazard)                                    \
  T(wide_registers_overlap)                       \
  T(every_operation)                              \
  T(every_access)                                 \
  T(same_line_in_order_other_line_passes)         \
  T(same_window_in_order_other_window_passes)     \
  T(lines_and_windows_do_not_meet)                \
  T(win_between_two_accesses)                     \
  T(win_is_complete_when_it_goes)                 \
  T(win_alone)                                    \
  T(long_packets_of_each_kind)                    \
  T(room_of_each_unit)                            \
  T(another_unit_passes_one_without_room)         \
  T(oldest_first_not_lowest)                      \
  T(out_holds_until_it_is_taken)                  \
  T(one_an_edge)                                  \
  T(full_table)                                   \
  T(four_end_at_one_edge)                         \
  T(an_entry_freed_and_reused_at_once)            \
  T(tags_and_answers)                             \
  T(events_at_the_edge_of_the_arrival)            \
  T(arrival_when_another_goes)                    \
  T(a_packet_comes_when_its_entry_was_just_freed) \
  T(sync_alone)                                   \
  T(sync_waits_for_all_before_it_and_none_for_it) \
  T(a_win_that_goes_frees_a_sync)                 \
  T(two_syncs)                                    \
  T(a_sync_comes_when_one_ends)                   \
  T(a_table_of_syncs)                             \
  T(sync_needs_no_room_and_not_out)               \
  T(shared_passes_all_but_its_window)             \
  T(shared_waits_for_its_window_only)             \
  T(shared_waits_for_an_access_that_waits)        \
  T(shared_waits_for_win)                         \
  T(shared_of_two_windows)                        \
  T(shared_and_all)                               \
  T(all_with_a_window)                            \
  T(accesses_behind_shared)                       \
  T(shared_in_a_full_table)                       \
  T(a_table_of_shared)                            \
  T(reset_in_the_middle)                          \
  T(reset_between_read_and_awake)                 \
  T(reset_takes_nothing)

#include "tb/cosim/directed.h"
