// SPDX-License-Identifier: Apache-2.0
// Cases of lsux by name, each on the Verilog and on the twin, with the edges that they take. Around
// the block are banks that answer a read one edge after they took it, shared memory that does the
// same, in order, and takers that are ready at once; a test may hold any of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/isa/isa.h"
#include "csim/mpu/lsux.h"
#include "csim/mpu/tsv_packet.h"

extern const block_ops lsux_rtl;
extern bool lsux_rtl_failed(const void *block);

enum { L = LSUX_LANES, LOG = 256, LD = TSV_MOP_LD, ST = TSV_MOP_ST, ATOM = TSV_MOP_ATOM };
enum { U8, S8, U16, S16, U32, S32, F32, B64, B128, TYPES };
enum { ROW0 = 4, ROW1 = 0x3fff };  // the rows that are there, with columns 0, 1, 30 and 31
enum { ATOMIC = 0x80 };            // id of the read of an atomic

typedef struct request {
  uint32_t edge, we, bank, row, col, id, wmask, wdata[8];
} request;

typedef struct shared_request {
  uint32_t edge, op, sgn, f32, mask, addr[L], be[L], b[L], c[L];
} shared_request;

typedef struct unit {
  const block_ops *ops;
  void *block;
  lsux_in in;
  lsux_out out;
  uint32_t now;  // number of the edge that comes
  bool hold_req, hold_rsp, hold_sm, hold_answer, hold_w, hold_done, hold_up;
  bool youngest;  // reads are answered in this order
  // shared memory: the edges from which on it takes requests and answers them, and the edges that
  // each takes at least
  uint32_t sm_from, answer_from, latency;
  uint8_t mem[2][4][4][32];
  uint32_t shared[1 << 14];
  struct {
    uint32_t id;
    uint8_t data[32];
  } reads[64];
  uint32_t n_reads;
  // what left the block, and the edge at which it was taken
  request reqs[LOG];
  shared_request sms[LOG];  // n_answered of them are answered
  struct {
    uint32_t edge, reg, mask, data[L];
  } writes[LOG];
  struct {
    uint32_t edge, tag;
  } dones[LOG];
  struct {
    uint32_t edge, len, body[8];
    uint64_t head;
  } ups[LOG];
  uint32_t n_reqs, n_sms, n_answered, n_writes, n_dones, n_ups;
} unit;

static uint8_t *sector(unit *u, uint32_t row, uint32_t col, uint32_t bank) {
  assert_true((row == ROW0 || row == ROW1) && (col < 2 || col == 30 || col == 31) && bank < 4);
  return u->mem[row & 1][col & 3][bank];
}

static uint32_t bits(const uint32_t *words, uint32_t at, uint32_t n) {
  uint64_t x = words[at / 32];
  if (at % 32 + n > 32)
    x |= (uint64_t)words[at / 32 + 1] << 32;
  return (uint32_t)(x >> at % 32) & ((1u << n) - 1);
}

// ---- what is around the block

static void banks(unit *u) {
  const lsux_out *out = &u->out;
  u->in.rsp_valid = u->n_reads && !u->hold_rsp;
  memset(u->in.rsp_data, 0xa5, sizeof u->in.rsp_data);
  if (u->in.rsp_valid) {
    const uint32_t i = u->youngest ? u->n_reads - 1 : 0;
    u->in.rsp_id = u->reads[i].id;
    memcpy(u->in.rsp_data, u->reads[i].data, 32);
    memmove(&u->reads[i], &u->reads[i + 1], (--u->n_reads - i) * sizeof u->reads[0]);
  }
  u->in.req_ready = !u->hold_req;
  if (!out->req_valid || u->hold_req)
    return;
  assert_true(u->n_reqs < LOG && u->n_reads < 63);
  request *r = &u->reqs[u->n_reqs++];
  *r = (request){u->now,       out->req_we, out->req_bank,  out->req_row,
                 out->req_col, out->req_id, out->req_wmask, {0}};
  memcpy(r->wdata, out->req_wdata, sizeof r->wdata);
  uint8_t *at = sector(u, r->row, r->col, r->bank);
  for (uint32_t i = 0; i < 32 && r->we; i++)
    if (r->wmask >> i & 1)
      at[i] = (uint8_t)(r->wdata[i / 4] >> i % 4 * 8);
  if (!r->we) {
    u->reads[u->n_reads].id = r->id;
    memcpy(u->reads[u->n_reads++].data, at, 32);
  }
}

static void answer_shared(unit *u) {
  const shared_request *r = &u->sms[u->n_answered];
  u->in.sm_rvalid = u->n_answered < u->n_sms && !u->hold_answer && u->now >= u->answer_from &&
                    u->now >= r->edge + u->latency;
  for (uint32_t l = 0; l < L; l++)
    u->in.sm_rdata[l] = u->in.sm_rvalid ? u->shared[r->addr[l]] : 0xa5a5a5a5;
  if (!u->in.sm_rvalid)
    return;
  u->n_answered++;
  for (uint32_t l = 0; l < L && r->op == ST; l++)
    for (uint32_t i = 0; i < 4; i++)
      if (r->mask >> l & 1 && r->be[l] >> i & 1) {
        u->shared[r->addr[l]] &= ~(0xffu << 8 * i);
        u->shared[r->addr[l]] |= r->b[l] & 0xffu << 8 * i;
      }
}

static void shared_memory(unit *u) {
  const lsux_out *out = &u->out;
  answer_shared(u);
  u->in.sm_ready = !u->hold_sm && u->now >= u->sm_from;
  if (!out->sm_valid || !u->in.sm_ready)
    return;
  assert_true(u->n_sms < LOG - 1);
  shared_request *s = &u->sms[u->n_sms++];
  s->edge = u->now;
  s->op = out->sm_op, s->sgn = out->sm_sgn, s->f32 = out->sm_f32, s->mask = out->sm_mask;
  for (uint32_t l = 0; l < L; l++) {
    s->addr[l] = bits(out->sm_addr, 14 * l, 14);
    s->be[l] = bits(out->sm_be, 4 * l, 4);
  }
  memcpy(s->b, out->sm_b, sizeof s->b);
  memcpy(s->c, out->sm_c, sizeof s->c);
}

static void takers(unit *u) {
  const lsux_out *out = &u->out;
  u->in.w_done = out->w_valid && !u->hold_w;
  if (u->in.w_done) {
    assert_true(u->n_writes < LOG);
    u->writes[u->n_writes].edge = u->now;
    u->writes[u->n_writes].reg = out->w_reg;
    u->writes[u->n_writes].mask = out->w_mask;
    memcpy(u->writes[u->n_writes++].data, out->w_data, sizeof out->w_data);
  }
  u->in.done_ready = !u->hold_done;
  if (out->done_valid && !u->hold_done) {
    assert_true(u->n_dones < LOG);
    u->dones[u->n_dones].edge = u->now;
    u->dones[u->n_dones++].tag = out->done_tag;
  }
  u->in.up_ready = !u->hold_up;
  if (out->up_valid && !u->hold_up) {
    assert_true(u->n_ups < LOG);
    u->ups[u->n_ups].edge = u->now;
    u->ups[u->n_ups].head = tsv_flit(out->up_head);
    u->ups[u->n_ups].len = out->up_len;
    memcpy(u->ups[u->n_ups++].body, out->up_body, sizeof out->up_body);
  }
}

// What is on offer and not taken stands as it is.
static void expect_held(const unit *u, const lsux_out *was) {
  const lsux_out *is = &u->out;
  if (was->req_valid && u->hold_req)
    assert_memory_equal(&is->req_valid, &was->req_valid,
                        offsetof(lsux_out, sm_valid) - offsetof(lsux_out, req_valid));
  if (was->sm_valid && !u->in.sm_ready)
    assert_memory_equal(&is->sm_valid, &was->sm_valid,
                        offsetof(lsux_out, w_valid) - offsetof(lsux_out, sm_valid));
  if (was->w_valid && u->hold_w)
    assert_memory_equal(&is->w_valid, &was->w_valid,
                        offsetof(lsux_out, done_valid) - offsetof(lsux_out, w_valid));
  if (was->done_valid && u->hold_done)
    assert_memory_equal(&is->done_valid, &was->done_valid,
                        offsetof(lsux_out, up_valid) - offsetof(lsux_out, done_valid));
  if (was->up_valid && u->hold_up)
    assert_memory_equal(&is->up_valid, &was->up_valid,
                        offsetof(lsux_out, busy) - offsetof(lsux_out, up_valid));
}

static void edge(unit *u) {
  const lsux_out was = u->out;
  banks(u), shared_memory(u), takers(u);
  u->in.rst_n = 1;
  u->ops->step(u->block, &u->in, &u->out);
  expect_held(u, &was);
  u->in.cmd_valid = u->in.opd_valid = 0;
  u->now++;
}

static void edges(unit *u, unsigned n) {
  while (n--)
    edge(u);
}

static void expect_empty(const unit *u) {
  const lsux_out *out = &u->out;
  assert_int_equal(out->busy, 0);
  assert_int_equal(out->cmd_ready, 1);
  assert_int_equal(out->opd_ready, 1);
  assert_int_equal(out->req_valid | out->sm_valid | out->w_valid, 0);
  assert_int_equal(out->done_valid | out->up_valid, 0);
}

static void forget(unit *u) {
  u->n_reqs = u->n_sms = u->n_answered = u->n_writes = u->n_dones = u->n_ups = 0;
}

// To the end of all packets; the next one's first edge has number 0.
static void finish(unit *u) {
  for (unsigned n = 0; u->out.busy; n++) {
    assert_true(n < 3000);
    edge(u);
  }
  expect_empty(u);
  assert_int_equal(u->n_reads, 0);
  assert_int_equal(u->n_answered, u->n_sms);
  u->now = 0;
}

static void reset(unit *u) {
  u->in.rst_n = 0;
  u->in.cmd_valid = u->in.opd_valid = u->in.rsp_valid = u->in.sm_rvalid = u->in.w_done = 0;
  u->ops->step(u->block, &u->in, &u->out);
  u->n_reads = 0, u->now = 0;
  forget(u);
  expect_empty(u);
}

static void each(void (*test)(unit *u)) {
  static unit u;
  const block_ops *both[] = {&lsux_rtl, &lsux_twin};
  for (unsigned m = 0; m < 2; m++) {
    u = (unit){.ops = both[m], .block = both[m]->create(NULL)};
    assert_non_null(u.block);
    uint8_t *byte = u.mem[0][0][0];
    for (uint32_t i = 0; i < sizeof u.mem; i++)  // all bits, and signs, of all kinds
      byte[i] = (uint8_t)((i + 1) * 0x9e3779b1 >> 24);
    for (uint32_t i = 0; i < 1 << 14; i++)
      u.shared[i] = (i + 1) * 0x85ebca6b;
    edge(&u), u.now = 0;  // outputs after reset
    test(&u);
    if (m == 0)
      assert_false(lsux_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

// ---- packets

#define P(field, value) tsv_put(TSV_DN_##field, value)

static void cmd(unit *u, uint32_t kind, uint32_t tag, uint64_t head) {
  assert_int_equal(u->out.cmd_ready, 1);
  head |= P(ANY_KIND, kind) | P(ANY_TAG, tag);
  u->in.cmd_valid = 1;
  u->in.cmd_head[0] = (uint32_t)head, u->in.cmd_head[1] = (uint32_t)(head >> 32);
  edge(u);
  memset(u->in.cmd_body, 0, sizeof u->in.cmd_body);
}

static void line(unit *u, uint32_t tag, uint32_t mtype, uint32_t mop, uint32_t reg, uint32_t row,
                 uint32_t col, uint32_t byte) {
  cmd(u, TSV_DN_LINE, tag,
      P(LINE_MTYPE, mtype) | P(LINE_STORE, mop) | P(LINE_REG, reg) |
          P(LINE_ADDR, row << 12 | col << 7 | byte));
}

static uint64_t place(uint32_t row, uint32_t col, uint32_t bank) {
  return P(SECT_SECTOR, row << 7 | col << 2 | bank);
}

// FIRST, or, with `list`, one offset for each lane of the mask.
static void sect(unit *u, uint32_t tag, uint32_t mtype, uint32_t mop, uint32_t d, uint64_t at,
                 uint32_t mask, uint32_t first, const uint8_t *list) {
  uint32_t *body = u->in.cmd_body;
  body[0] = mask;
  body[1] = list ? 1u << 9 : first << 10;
  for (uint32_t i = 0; list && i < (uint32_t)__builtin_popcount(mask); i++) {
    const uint64_t offset = (uint64_t)list[i] << i % 12 * 5;
    body[2 + i / 12 * 2] |= (uint32_t)offset, body[3 + i / 12 * 2] |= (uint32_t)(offset >> 32);
  }
  cmd(u, TSV_DN_SECT, tag,
      P(SECT_MTYPE, mtype) | P(SECT_MOP, mop & 15) | P(SECT_RET, mop >> 4) | P(SECT_D, d) | at);
}

enum { RET = 16 };  // beside MOP

// A mask of all lanes and an offset of zero are left out of the body.
static void shm(unit *u, uint32_t tag, uint32_t mtype, uint32_t mop, uint32_t d, uint32_t win,
                uint64_t more, uint32_t mask, uint32_t imm) {
  uint32_t *word = u->in.cmd_body;
  if (mask != ~0u)
    *word++ = mask, more |= P(SHM_HAS_MASK, 1);
  if (imm)
    *word++ = imm, more |= P(SHM_HAS_IMM, 1);
  cmd(u, TSV_DN_SHM, tag,
      P(SHM_MTYPE, mtype) | P(SHM_MOP, mop & 15) | P(SHM_RET, mop >> 4) | P(SHM_D, d) |
          P(SHM_WIN, win) | more);
}

static void window(unit *u, uint32_t win, uint32_t base, uint32_t size) {
  cmd(u, TSV_DN_WIN, 0, P(WIN_WIN, win) | P(WIN_BASE, base) | P(WIN_SIZE, size));
}

// Operands, one word a lane; NULL: noise.
static void operands(unit *u, const uint32_t *a, const uint32_t *b, const uint32_t *c) {
  assert_int_equal(u->out.opd_ready, 1);
  u->in.opd_valid = 1;
  for (uint32_t l = 0; l < L; l++) {
    u->in.opd_a[l] = a ? a[l] : 0xaaaa0000 + l;
    u->in.opd_b[l] = b ? b[l] : 0xbbbb0000 + l;
    u->in.opd_c[l] = c ? c[l] : 0xcccc0000 + l;
  }
  edge(u);
}

static uint32_t value_of(uint32_t n, uint32_t lane) {
  return (n * L + lane + 1) * 0xc2b2ae35;
}

// Register n as operand b.
static void data(unit *u, uint32_t n) {
  uint32_t b[L];
  for (uint32_t l = 0; l < L; l++)
    b[l] = value_of(n, l);
  operands(u, NULL, b, NULL);
}

static uint32_t bytes_of(uint32_t mtype) {
  static const uint8_t bytes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8, 16};
  return bytes[mtype];
}

static uint32_t beats_of(uint32_t mtype) {
  return mtype == B64 ? 2 : mtype == B128 ? 4 : 1;
}

// A word of a register, from the bytes that are loaded.
static uint32_t extend(const uint8_t *at, uint32_t mtype) {
  uint32_t x = 0;
  const uint32_t n = bytes_of(mtype) < 4 ? bytes_of(mtype) : 4;
  for (uint32_t i = 0; i < n; i++)
    x |= (uint32_t)at[i] << 8 * i;
  if ((mtype == S8 || mtype == S16) && x >> (8 * n - 1))
    x |= ~0u << 8 * n;
  return x;
}

// Write k went to a register, in lanes of a mask.
static const uint32_t *written(const unit *u, uint32_t k, uint32_t reg, uint32_t mask) {
  assert_true(k < u->n_writes);
  assert_int_equal(u->writes[k].reg, reg);
  assert_int_equal(u->writes[k].mask, mask);
  return u->writes[k].data;
}

static void expect_done(const unit *u, uint32_t k, uint32_t tag) {
  assert_true(k < u->n_dones);
  assert_int_equal(u->dones[k].tag, tag);
}

static void expect_request(const unit *u, uint32_t k, uint32_t edge, uint32_t we, uint32_t bank) {
  assert_true(k < u->n_reqs);
  assert_int_equal(u->reqs[k].edge, edge);
  assert_int_equal(u->reqs[k].we, we);
  assert_int_equal(u->reqs[k].bank, bank);
}

// ---- one line

static void line_load_of_words(unit *u) {
  for (uint32_t n = 0; n < 20; n++) {
    const uint32_t row = n % 2 ? ROW1 : ROW0, col = n % 3 ? 31 : 0;
    forget(u);
    line(u, 100 + n, U32 + n % 3, LD, 127 - n, row, col, 0);
    assert_int_equal(u->out.busy, 1);
    finish(u);
    assert_int_equal(u->n_reqs, 4);
    for (uint32_t k = 0; k < 4; k++) {
      expect_request(u, k, 4 + k, 0, k);
      assert_int_equal(u->reqs[k].row, row);
      assert_int_equal(u->reqs[k].col, col);
      assert_int_equal(u->reqs[k].id, 4 * (n % STRUCTURE_ENTRIES) + k);
    }
    const uint32_t *w = written(u, 0, 127 - n, ~0u);
    for (uint32_t l = 0; l < L; l++)
      assert_int_equal(w[l], extend(sector(u, row, col, 0) + 4 * l, U32));
    assert_int_equal(u->writes[0].edge, 10);  // w_valid after edge 9
    expect_done(u, 0, 100 + n);
    assert_int_equal(u->dones[0].edge, 11);
    assert_int_equal(u->n_writes + u->n_dones, 2);
  }
}

// From each byte of the line from which 32 lanes fit.
static void line_load_of_each_type(unit *u) {
  for (uint32_t type = U8; type <= F32; type++) {
    const uint32_t size = bytes_of(type);
    for (uint32_t byte = 0; byte + 32 * size <= 128; byte += size) {
      forget(u);
      line(u, 1, type, LD, byte, ROW1, 30, byte);
      finish(u);
      const uint32_t first = byte / 32, last = (byte + 32 * size - 1) / 32;
      assert_int_equal(u->n_reqs, last - first + 1);
      for (uint32_t k = 0; k < u->n_reqs; k++)
        expect_request(u, k, 4 + k, 0, first + k);
      const uint32_t *w = written(u, 0, byte, ~0u);
      for (uint32_t l = 0; l < L; l++)
        assert_int_equal(w[l], extend(sector(u, ROW1, 30, 0) + byte + size * l, type));
      expect_done(u, 0, 1);
    }
  }
}

static void line_store_of_words(unit *u) {
  line(u, 7, U32, ST, 0, ROW0, 1, 0);
  edges(u, 5);  // no data, no request
  assert_int_equal(u->out.req_valid, 0);
  assert_int_equal(u->out.busy, 1);
  u->now = 1;
  data(u, 3);
  assert_int_equal(u->out.opd_ready, 0);
  edge(u);
  assert_int_equal(u->out.opd_ready, 1);  // the beat left
  finish(u);
  assert_int_equal(u->n_reqs, 4);
  for (uint32_t k = 0; k < 4; k++) {
    expect_request(u, k, 4 + k, 1, k);
    assert_int_equal(u->reqs[k].wmask, ~0u);
    for (uint32_t i = 0; i < 8; i++)
      assert_int_equal(u->reqs[k].wdata[i], value_of(3, 8 * k + i));
  }
  expect_done(u, 0, 7);
  assert_int_equal(u->dones[0].edge, 8);
  assert_int_equal(u->n_writes, 0);
}

static void line_store_of_each_type(unit *u) {
  for (uint32_t type = U8; type <= F32; type++) {
    const uint32_t size = bytes_of(type);
    for (uint32_t byte = 0; byte + 32 * size <= 128; byte += size) {
      uint8_t want[128];
      memcpy(want, sector(u, ROW0, 31, 0), 128);
      for (uint32_t i = 0; i < 32 * size; i++)
        want[byte + i] = (uint8_t)(value_of(byte, i / size) >> i % size * 8);
      forget(u);
      line(u, 9, type, ST, 0, ROW0, 31, byte);
      data(u, byte);
      finish(u);
      const uint32_t first = byte / 32, last = (byte + 32 * size - 1) / 32;
      assert_int_equal(u->n_reqs, last - first + 1);
      for (uint32_t k = 0; k < u->n_reqs; k++) {  // four edges to merge each
        expect_request(u, k, size == 4 ? 4 + k : 8 + 5 * k, 1, first + k);
        for (uint32_t i = 0; i < 8; i++) {  // zero where nothing is written
          uint32_t ones = 0;
          for (uint32_t j = 0; j < 4; j++)
            ones |= u->reqs[k].wmask >> (4 * i + j) & 1 ? 0xffu << 8 * j : 0;
          assert_int_equal(u->reqs[k].wdata[i] & ~ones, 0);
        }
      }
      assert_memory_equal(want, sector(u, ROW0, 31, 0), 128);
      expect_done(u, 0, 9);
    }
  }
}

// ---- lanes in a sector

static void one_lane(unit *u) {
  for (uint32_t type = U8; type <= F32; type++)
    for (uint32_t l = 0; l < L; l++) {
      const uint32_t size = bytes_of(type), byte = l * size % 32;
      forget(u);
      sect(u, l, type, LD, 5, place(ROW0, 0, l % 4), 1u << l, byte, NULL);
      finish(u);
      assert_int_equal(u->n_reqs, 1);
      expect_request(u, 0, 4, 0, l % 4);
      const uint32_t *w = written(u, 0, 5, 1u << l);
      assert_int_equal(u->writes[0].edge, 7);
      assert_int_equal(w[l], extend(sector(u, ROW0, 0, l % 4) + byte, type));
      uint8_t want[32];
      memcpy(want, sector(u, ROW0, 0, l % 4), 32);
      for (uint32_t i = 0; i < size; i++)
        want[byte + i] = (uint8_t)(value_of(l, l) >> 8 * i);
      forget(u);
      sect(u, l, type, ST, 5, place(ROW0, 0, l % 4), 1u << l, byte, NULL);
      data(u, l);
      finish(u);
      assert_int_equal(u->n_reqs, 1);
      expect_request(u, 0, 8, 1, l % 4);
      assert_int_equal(u->reqs[0].wmask, ((1ull << size) - 1) << byte);
      assert_memory_equal(want, sector(u, ROW0, 0, l % 4), 32);
      expect_done(u, 0, l);
      assert_int_equal(u->dones[0].edge, 9);
    }
}

static void no_lane(unit *u) {
  uint8_t before[32];
  memcpy(before, sector(u, ROW1, 1, 2), 32);
  for (uint32_t type = U8; type <= B128; type++) {
    forget(u);
    sect(u, 1, type, LD, 8, place(ROW1, 1, 2), 0, 0, NULL);
    finish(u);
    assert_int_equal(u->n_reqs, beats_of(type));
    for (uint32_t k = 0; k < beats_of(type); k++)
      written(u, k, 8 + k, 0);
    expect_done(u, 0, 1);
    forget(u);
    sect(u, 2, type, ST, 8, place(ROW1, 1, 2), 0, 0, NULL);
    for (uint32_t k = 0; k < beats_of(type); k++) {
      while (!u->out.opd_ready)
        edge(u);
      data(u, k);
    }
    finish(u);
    for (uint32_t k = 0; k < beats_of(type); k++)
      assert_int_equal(u->reqs[k].wmask, 0);
    expect_done(u, 0, 2);
    assert_int_equal(u->n_dones, 1);
  }
  assert_memory_equal(before, sector(u, ROW1, 1, 2), 32);
}

static void atomic_of_no_lane(unit *u) {
  for (uint32_t ret = 0; ret <= RET; ret += RET) {
    forget(u);
    sect(u, 3, U32, ATOM | ret, 8, place(ROW1, 1, 2), 0, 0, NULL);
    data(u, 1);
    finish(u);
    assert_int_equal(u->n_reqs, 2);
    expect_request(u, 0, 4, 0, 2);
    expect_request(u, 1, 7, 1, 2);
    assert_int_equal(u->reqs[1].wmask, 0);
    assert_int_equal(u->n_writes, ret / RET);
    if (ret)
      written(u, 0, 8, 0);
    expect_done(u, 0, 3);
  }
}

// Runs of lanes at one distance; the offset starts anew behind the end of the sector.
static void lanes_from_first(unit *u) {
  for (uint32_t type = U8; type <= F32; type++) {
    const uint32_t size = bytes_of(type);
    for (uint32_t low = 0; low < 32; low += 3)
      for (uint32_t first = 0; first < 32; first += size) {
        const uint32_t mask = 0xb7adf5bd << low;
        forget(u);
        sect(u, 1, type, LD, 9, place(ROW0, 0, 1), mask, first, NULL);
        finish(u);
        const uint32_t *w = written(u, 0, 9, mask);
        for (uint32_t l = 0; l < L; l++)
          if (mask >> l & 1)
            assert_int_equal(w[l],
                             extend(sector(u, ROW0, 0, 1) + (first + (l - low) * size) % 32, type));
      }
  }
}

static void lanes_from_a_list(unit *u) {
  static const uint32_t masks[] = {~0u, 0x80000001, 0x00fff000, 0xaaaaaaaa, 1, 0xfffffffe};
  for (uint32_t m = 0; m < 6; m++)
    for (uint32_t type = U8; type <= F32; type++) {
      uint8_t list[L];
      for (uint32_t i = 0; i < L; i++)
        list[i] = (uint8_t)((31 - i * 7 % 32) & ~(bytes_of(type) - 1) & 31);
      forget(u);
      sect(u, 1, type, LD, 9, place(ROW0, 0, 3), masks[m], 0, list);
      finish(u);
      const uint32_t *w = written(u, 0, 9, masks[m]);
      for (uint32_t l = 0, i = 0; l < L; l++)
        if (masks[m] >> l & 1)
          assert_int_equal(w[l], extend(sector(u, ROW0, 0, 3) + list[i++], type));
    }
}

// A warp-wide gather: each packet brings some lanes of one register.
static void gather_over_several_packets(unit *u) {
  const uint32_t masks[] = {0x000000ff, 0x0f0f0f00, 0x40000000, 0xb0f0f000};
  uint32_t reg[L] = {0}, seen = 0;
  for (uint32_t k = 0; k < 4; k++)
    sect(u, k, U32, LD, 77, place(k % 2 ? ROW1 : ROW0, 30 + k / 2, k), masks[k], 4 * k, NULL);
  finish(u);
  assert_int_equal(u->n_reqs, 4);
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t *w = written(u, k, 77, masks[k]);
    const uint32_t low = (uint32_t)__builtin_ctz(masks[k]);
    expect_request(u, k, 4 + k, 0, k);  // one an edge
    expect_done(u, k, k);
    for (uint32_t l = 0; l < L; l++)
      if (masks[k] >> l & 1) {
        reg[l] = w[l], seen |= 1u << l;
        const uint8_t *at = sector(u, k % 2 ? ROW1 : ROW0, 30 + k / 2, k);
        assert_int_equal(reg[l], extend(at + (4 * k + (l - low) * 4) % 32, U32));
      }
  }
  assert_int_equal(seen, ~0u);
}

static void beats_of_64_and_128_bits(unit *u) {
  for (uint32_t type = B64; type <= B128; type++) {
    const uint32_t beats = beats_of(type), mask = type == B64 ? 0x90000210 : 0x00000300;
    forget(u);
    sect(u, 1, type, LD, 64, place(ROW1, 31, 3), mask, 0,
         type == B64 ? (uint8_t[]){24, 8, 0, 16} : NULL);
    finish(u);
    static const uint8_t lane64[L] = {[4] = 24, [9] = 8, [28] = 0, [31] = 16};
    assert_int_equal(u->n_reqs, beats);
    for (uint32_t k = 0; k < beats; k++) {
      const uint32_t *w = written(u, k, 64 + k, mask);
      expect_request(u, k, 4 + k, 0, 3);
      for (uint32_t l = 0; l < L; l++)
        if (mask >> l & 1) {
          const uint32_t byte = type == B64 ? lane64[l] : 16 * (l - 8);
          assert_int_equal(w[l], extend(sector(u, ROW1, 31, 3) + byte + 4 * k, U32));
        }
    }
    assert_int_equal(u->n_dones, 1);
    assert_true(u->dones[0].edge > u->writes[beats - 1].edge);
    // and stores: operands for each beat
    uint8_t want[32];
    memcpy(want, sector(u, ROW1, 31, 3), 32);
    forget(u);
    sect(u, 2, type, ST, 0, place(ROW1, 31, 3), mask, 0,
         type == B64 ? (uint8_t[]){24, 8, 0, 16} : NULL);
    for (uint32_t k = 0; k < beats; k++) {
      while (!u->out.opd_ready)
        edge(u);
      assert_int_equal(u->n_dones, 0);
      data(u, k);
      for (uint32_t l = 0; l < L; l++)
        for (uint32_t i = 0; i < 4 && mask >> l & 1; i++)
          want[(type == B64 ? lane64[l] : 16 * (l - 8)) + 4 * k + i] =
              (uint8_t)(value_of(k, l) >> 8 * i);
    }
    finish(u);
    assert_int_equal(u->n_reqs, beats);
    assert_int_equal(u->n_dones, 1);
    expect_done(u, 0, 2);
    assert_memory_equal(want, sector(u, ROW1, 31, 3), 32);
  }
}

static void lanes_that_store_to_one_place(unit *u) {
  for (uint32_t type = U8; type <= F32; type++) {
    uint8_t list[L];
    memset(list, 12, L);
    for (uint32_t high = 0; high < L; high++) {  // the highest wins, in whatever group of eight
      const uint32_t mask = ~0u >> (31 - high);
      forget(u);
      sect(u, 1, type, ST, 0, place(ROW0, 1, 0), mask, 0, list);
      data(u, high);
      finish(u);
      assert_int_equal(u->reqs[0].wmask, ((1u << bytes_of(type)) - 1) << 12);
      const uint32_t keep = ~0u >> (32 - 8 * bytes_of(type));
      for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(u->reqs[0].wdata[i], i == 3 ? value_of(high, high) & keep : 0);
    }
  }
}

static void stores_merge_from_all_groups(unit *u) {
  uint8_t list[L];
  for (uint32_t i = 0; i < L; i++)
    list[i] = (uint8_t)(i * 13 % 32);  // each byte from another lane
  sect(u, 1, U8, ST, 0, place(ROW0, 1, 0), ~0u, 0, list);
  data(u, 5);
  finish(u);
  expect_request(u, 0, 8, 1, 0);
  assert_int_equal(u->reqs[0].wmask, ~0u);
  for (uint32_t i = 0; i < L; i++)
    assert_int_equal(sector(u, ROW0, 1, 0)[list[i]], value_of(5, i) & 255);
}

// ---- for the base die

static void read_of_each_piece(unit *u) {
  for (uint32_t chunks = 1; chunks < 16; chunks++) {
    forget(u);
    cmd(u, TSV_DN_RD, chunks, P(RD_CHUNKS, chunks) | place(ROW1, 0, 2));
    finish(u);
    expect_request(u, 0, 4, 0, 2);
    assert_int_equal(u->n_ups, 1);
    assert_int_equal(u->ups[0].edge, 7);
    const uint32_t len = (uint32_t)__builtin_popcount(chunks);
    assert_true(u->ups[0].head ==
                (TSV_UP_DATA | tsv_put(TSV_UP_ANY_TAG, chunks) | tsv_put(TSV_UP_ANY_LEN, len) |
                 tsv_put(TSV_UP_DATA_CHUNKS, chunks)));
    assert_int_equal(u->ups[0].len, len);
    uint8_t want[32] = {0};
    for (uint32_t k = 0, n = 0; k < 4; k++)
      if (chunks >> k & 1)
        memcpy(want + 8 * n++, sector(u, ROW1, 0, 2) + 8 * k, 8);
    assert_memory_equal(want, u->ups[0].body, 32);
    assert_int_equal(u->n_dones + u->n_writes, 0);
  }
}

static void expect_word(const unit *u, uint32_t k, uint32_t tag, uint32_t word) {
  assert_true(k < u->n_ups);
  assert_true(u->ups[k].head ==
              (TSV_UP_WORD | tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_WORD_DATA, word)));
  assert_int_equal(u->ups[k].len, 0);
}

static void read_of_each_word(unit *u) {
  for (uint32_t word = 0; word < 8; word++) {
    forget(u);
    cmd(u, TSV_DN_RD, word, P(RD_SINGLE, 1) | P(RD_WORD, word) | place(ROW1, 0, 1));
    finish(u);
    expect_word(u, 0, word, extend(sector(u, ROW1, 0, 1) + 4 * word, U32));
    assert_int_equal(u->ups[0].edge, 7);
  }
}

static void write_of_one_word(unit *u) {
  for (uint32_t word = 0; word < 8; word++)
    for (uint32_t be = 0; be < 16; be++) {
      forget(u);
      u->in.cmd_body[0] = 0x12345678 * (word + 1) + be;
      cmd(u, TSV_DN_WR, be, P(WR_SINGLE, 1) | P(WR_WORD, word) | P(WR_BE, be) | place(ROW0, 0, 0));
      finish(u);
      expect_request(u, 0, 4, 1, 0);
      assert_int_equal(u->reqs[0].wmask, be << 4 * word);
      assert_int_equal(u->reqs[0].wdata[word], 0x12345678 * (word + 1) + be);
      expect_done(u, 0, be);
      assert_int_equal(u->dones[0].edge, 5);
    }
}

static void write_of_each_piece(unit *u) {
  for (uint32_t full = 0; full < 2; full++)
    for (uint32_t chunks = 1; chunks < 16; chunks++) {
      const uint32_t bytes = full ? ~0u : 0x5a3c96e1 * chunks;
      uint32_t want[8] = {0}, mask = 0, *body = u->in.cmd_body;
      forget(u);
      if (!full)
        body[0] = bytes, body[1] = ~0u, body += 2;
      for (uint32_t k = 0; k < 4; k++)
        if (chunks >> k & 1) {
          want[2 * k] = *body++ = value_of(chunks, k),
                   want[2 * k + 1] = *body++ = value_of(k, full);
          mask |= 0xffu << 8 * k;
        }
      cmd(u, TSV_DN_WR, 1, P(WR_FULL, full) | P(WR_CHUNKS, chunks) | place(ROW0, 30, 3));
      finish(u);
      expect_request(u, 0, 4, 1, 3);
      assert_int_equal(u->reqs[0].wmask, mask & bytes);
      assert_memory_equal(u->reqs[0].wdata, want, 32);
      expect_done(u, 0, 1);
    }
}

// ---- atomics

static const struct {
  uint32_t op, type, start, b[2], c[2], then[2];  // of the first lane, and of the one after it
} atomics[] = {
    {ISA_ATOM_ADD, U32, 0xfffffffe, {3, 5}, {0}, {1, 6}},
    {ISA_ATOM_ADD, S32, 5, {0xfffffff9, 1}, {0}, {0xfffffffe, 0xffffffff}},
    {ISA_ATOM_ADD, F32, 0x3f800000, {0x33800000, 0x34000000}, {0}, {0x3f800000, 0x3f800001}},
    {ISA_ATOM_ADD, F32, 0x00000001, {0x00000001, 0x80000002}, {0}, {0x00000002, 0}},
    {ISA_ATOM_ADD, F32, 0x7f800000, {0xff800000, 0x3f800000}, {0}, {0x7fffffff, 0x7fffffff}},
    {ISA_ATOM_MIN, U32, 50, {0xffffffff, 20}, {0}, {50, 20}},
    {ISA_ATOM_MIN, S32, 50, {0xffffffff, 20}, {0}, {0xffffffff, 0xffffffff}},
    {ISA_ATOM_MAX, U32, 50, {0xffffffff, 60}, {0}, {0xffffffff, 0xffffffff}},
    {ISA_ATOM_MAX, S32, 50, {0xffffffff, 60}, {0}, {50, 60}},
    {ISA_ATOM_MAX, S32, 0x80000000, {0x80000001, 0x7fffffff}, {0}, {0x80000001, 0x7fffffff}},
    {ISA_ATOM_INC, U32, 4, {5, 5}, {0}, {5, 0}},
    {ISA_ATOM_INC, U32, 9, {8, 0}, {0}, {0, 0}},
    {ISA_ATOM_DEC, U32, 0, {9, 8}, {0}, {9, 8}},
    {ISA_ATOM_DEC, U32, 3, {3, 2}, {0}, {2, 1}},
    {ISA_ATOM_AND, U32, 0xff00ff00, {0x0ff00ff0, 0x0f000000}, {0}, {0x0f000f00, 0x0f000000}},
    {ISA_ATOM_OR, U32, 0x00000001, {0x80000000, 0x10}, {0}, {0x80000001, 0x80000011}},
    {ISA_ATOM_XOR, U32, 0xffffffff, {0x0f0f0f0f, 0xf0f0f0f0}, {0}, {0xf0f0f0f0, 0}},
    {ISA_ATOM_EXCH, U32, 1, {2, 3}, {0}, {2, 3}},
    {ISA_ATOM_EXCH, F32, 0x7fc00001, {0x80000000, 0x7fc00002}, {0}, {0x80000000, 0x7fc00002}},
    {ISA_ATOM_CAS, U32, 7, {7, 9}, {9, 11}, {9, 11}},
    {ISA_ATOM_CAS, U32, 7, {8, 7}, {9, 1}, {7, 1}},
};
enum { ATOMICS = sizeof atomics / sizeof *atomics };

static void set_word(unit *u, uint32_t bank, uint32_t word, uint32_t value) {
  memcpy(sector(u, ROW0, 0, bank) + 4 * word, &value, 4);
}

static uint32_t word_at(unit *u, uint32_t bank, uint32_t word) {
  return extend(sector(u, ROW0, 0, bank) + 4 * word, U32);
}

// Two lanes at one address: the lower one first.
static void each_atomic_of_two_lanes_on_one_word(unit *u) {
  static const uint32_t lanes[][2] = {{0, 1}, {3, 30}, {15, 16}, {30, 31}};
  for (uint32_t k = 0; k < ATOMICS; k++)
    for (uint32_t n = 0; n < 8; n++) {
      const uint32_t *at = lanes[n / 2], mask = 1u << at[0] | 1u << at[1], word = (k + n) % 8;
      const uint8_t list[] = {(uint8_t)(4 * word), (uint8_t)(4 * word)};
      uint32_t b[L] = {0}, c[L] = {0};
      for (uint32_t i = 0; i < 2; i++)
        b[at[i]] = atomics[k].b[i], c[at[i]] = atomics[k].c[i];
      set_word(u, 1, word, atomics[k].start);
      forget(u);
      sect(u, k, atomics[k].type, (ATOM + atomics[k].op) | (n % 2 ? RET : 0), 33, place(ROW0, 0, 1),
           mask, 0, list);
      operands(u, NULL, b, c);
      finish(u);
      const bool sum = atomics[k].type == F32 && atomics[k].op == ISA_ATOM_ADD;
      assert_int_equal(u->n_reqs, 2);
      expect_request(u, 0, 4, 0, 1);
      assert_int_equal(u->reqs[0].id, ATOMIC);
      expect_request(u, 1, 5 + 2 * (sum ? 7 : 2) + 2, 1, 1);
      assert_int_equal(u->reqs[1].wmask, 15u << 4 * word);
      assert_int_equal(word_at(u, 1, word), atomics[k].then[1]);
      assert_int_equal(u->n_writes, n % 2);
      if (n % 2) {
        const uint32_t *w = written(u, 0, 33, mask);
        assert_int_equal(w[at[0]], atomics[k].start);
        assert_int_equal(w[at[1]], atomics[k].then[0]);
      }
      expect_done(u, 0, k);
    }
}

static void each_atomic_of_the_base_die(unit *u) {
  for (uint32_t k = 0; k < ATOMICS; k++)
    for (uint32_t ret = 0; ret < 2; ret++) {
      const uint32_t word = (3 * k + ret) % 8;
      set_word(u, 2, word, atomics[k].start);
      forget(u);
      u->in.cmd_body[0] = atomics[k].b[0], u->in.cmd_body[1] = atomics[k].c[0];
      cmd(u, TSV_DN_ATM, k,
          P(ATM_MTYPE, atomics[k].type) | P(ATM_MOP, ATOM + atomics[k].op) | P(ATM_RET, ret) |
              P(ATM_WORD, word) | place(ROW0, 0, 2));
      finish(u);
      assert_int_equal(u->n_reqs, 2);
      assert_int_equal(u->reqs[1].wmask, 15u << 4 * word);
      assert_int_equal(word_at(u, 2, word), atomics[k].then[0]);
      assert_int_equal(u->n_ups, ret);
      assert_int_equal(u->n_dones, !ret);
      if (ret)
        expect_word(u, 0, k, atomics[k].start);
      else
        expect_done(u, 0, k);
    }
}

// Lane l adds its number to one word; each gets the sum of those before it.
static void atomic_of_all_lanes_on_one_word(unit *u) {
  uint32_t b[L];
  uint8_t list[L];
  for (uint32_t l = 0; l < L; l++)
    b[l] = l + 1, list[l] = 28;
  set_word(u, 3, 7, 1000);
  sect(u, 1, U32, (ATOM + ISA_ATOM_ADD) | RET, 2, place(ROW0, 0, 3), ~0u, 0, list);
  operands(u, NULL, b, NULL);
  finish(u);
  const uint32_t *w = written(u, 0, 2, ~0u);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(w[l], 1000 + l * (l + 1) / 2);
  assert_int_equal(word_at(u, 3, 7), 1000 + 32 * 33 / 2);
  expect_request(u, 1, 5 + 2 * 32 + 2, 1, 3);
}

static void atomics_write_what_they_touched_only(unit *u) {
  uint32_t b[L];
  for (uint32_t l = 0; l < L; l++)
    b[l] = 0;  // adds nothing, but is written
  sect(u, 1, U32, ATOM + ISA_ATOM_ADD, 2, place(ROW0, 0, 3), 0x15000, 8, NULL);
  operands(u, NULL, b, NULL);
  finish(u);
  assert_int_equal(u->reqs[1].wmask, 0x0f0f0f00);
  uint32_t words[8];
  memcpy(words, sector(u, ROW0, 0, 3), 32);
  assert_memory_equal(u->reqs[1].wdata, words, 32);  // the whole sector, as it is
}

// ---- order

static void store_then_load(unit *u) {
  line(u, 1, U32, ST, 0, ROW0, 0, 0);
  line(u, 2, U32, LD, 9, ROW0, 0, 0);
  edges(u, 6);
  assert_int_equal(u->n_reqs, 0);  // the load waits behind the store, which waits for data
  u->now = 1;
  data(u, 8);
  finish(u);
  for (uint32_t k = 0; k < 8; k++)
    expect_request(u, k, 4 + k, k < 4, k % 4);
  const uint32_t *w = written(u, 0, 9, ~0u);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(w[l], value_of(8, l));
  expect_done(u, 0, 1);
  expect_done(u, 1, 2);
}

static void load_then_store(unit *u) {
  uint32_t before[L];
  memcpy(before, sector(u, ROW0, 0, 0), sizeof before);
  u->hold_rsp = true;
  line(u, 1, U32, LD, 9, ROW0, 0, 0);
  line(u, 2, U32, ST, 0, ROW0, 0, 0);
  data(u, 8);
  edges(u, 20);
  for (uint32_t k = 0; k < 8; k++)
    expect_request(u, k, 4 + k, k >= 4, k % 4);
  assert_int_equal(u->n_dones, 0);  // is complete, but does not pass the load
  u->hold_rsp = false;
  finish(u);
  assert_memory_equal(written(u, 0, 9, ~0u), before, sizeof before);
  expect_done(u, 0, 1);
  expect_done(u, 1, 2);
}

static void atomic_between_store_and_load(unit *u) {
  uint32_t b[L];
  for (uint32_t l = 0; l < L; l++)
    b[l] = 100 + l;
  u->hold_rsp = true;
  sect(u, 1, U32, ST, 0, place(ROW0, 0, 0), 0xff, 0, NULL);
  data(u, 2);
  sect(u, 2, U32, (ATOM + ISA_ATOM_ADD) | RET, 40, place(ROW0, 0, 0), 0xff, 0, NULL);
  while (!u->out.opd_ready)
    edge(u);
  operands(u, NULL, b, NULL);
  sect(u, 3, U32, LD, 50, place(ROW0, 0, 0), 0xff, 0, NULL);
  edges(u, 20);
  assert_int_equal(u->n_reqs, 2);  // the load waits for the atomic's write
  assert_int_equal(u->reqs[0].we, 1);
  assert_int_equal(u->reqs[1].we, 0);
  u->hold_rsp = false;
  finish(u);
  assert_int_equal(u->n_reqs, 4);
  assert_int_equal(u->reqs[2].we, 1);
  assert_int_equal(u->reqs[3].we, 0);
  for (uint32_t l = 0; l < 8; l++) {
    assert_int_equal(written(u, 0, 40, 0xff)[l], value_of(2, l));
    assert_int_equal(written(u, 1, 50, 0xff)[l], value_of(2, l) + 100 + l);
  }
  for (uint32_t k = 0; k < 3; k++)
    expect_done(u, k, k + 1);
}

static void two_atomics_on_one_word(unit *u) {
  set_word(u, 0, 0, 5);
  for (uint32_t k = 0; k < 3; k++) {
    u->in.cmd_body[0] = 10;
    cmd(u, TSV_DN_ATM, k,
        P(ATM_MTYPE, U32) | P(ATM_MOP, ATOM + ISA_ATOM_ADD) | P(ATM_RET, 1) | place(ROW0, 0, 0));
  }
  finish(u);
  assert_int_equal(u->n_reqs, 6);
  for (uint32_t k = 0; k < 6; k++)
    assert_int_equal(u->reqs[k].we, k % 2);
  for (uint32_t k = 0; k < 3; k++)
    expect_word(u, k, k, 5 + 10 * k);
}

static void answers_out_of_order(unit *u) {
  u->hold_rsp = true;
  for (uint32_t k = 0; k < 8; k++) {
    while (!u->out.cmd_ready)
      edge(u);
    line(u, k, U32, LD, k, k % 2 ? ROW1 : ROW0, 30 + k / 4, 0);
  }
  edges(u, 40);
  assert_int_equal(u->n_reqs, 32);
  for (uint32_t k = 0; k < 32; k++) {
    expect_request(u, k, 4 + k, 0, k % 4);  // one an edge, packet behind packet
    assert_int_equal(u->reqs[k].id, k);
  }
  u->hold_rsp = false, u->youngest = true;
  edges(u, 31);
  assert_int_equal(u->out.w_valid, 0);  // the oldest is the last
  assert_int_equal(u->n_writes, 0);
  finish(u);
  for (uint32_t k = 0; k < 8; k++) {
    const uint32_t *w = written(u, k, k, ~0u);
    assert_memory_equal(w, sector(u, k % 2 ? ROW1 : ROW0, 30 + k / 4, 0), 128);
    expect_done(u, k, k);
    if (k)
      assert_int_equal(u->writes[k].edge, u->writes[k - 1].edge + 2);
  }
}

// Eight under way, one in A, four in the queue.
static void a_full_table_and_a_full_queue(unit *u) {
  u->hold_rsp = true;
  for (uint32_t k = 0; k < 13; k++) {
    sect(u, k, U32, LD, k, place(ROW0, 0, k % 4), 1u << k, 4, NULL);
    if (k >= 9)
      edges(u, 3);
  }
  edges(u, 10);
  assert_int_equal(u->out.cmd_ready, 0);
  assert_int_equal(u->n_reqs, 8);
  u->in.cmd_valid = 1;  // is not taken
  edge(u);
  u->hold_rsp = false;
  edge(u);  // the oldest is answered
  u->hold_rsp = true;
  edge(u);  // and retires
  assert_int_equal(u->out.w_valid, 1);
  assert_int_equal(u->out.cmd_ready, 0);
  edge(u);  // the ninth leaves A
  assert_int_equal(u->out.cmd_ready, 1);
  edges(u, 10);
  assert_int_equal(u->n_reqs, 9);
  assert_int_equal(u->reqs[8].id, 0);  // the entry of the first, again
  u->hold_rsp = false;
  finish(u);
  for (uint32_t k = 0; k < 13; k++) {
    assert_int_equal(written(u, k, k, 1u << k)[k], extend(sector(u, ROW0, 0, k % 4) + 4, U32));
    expect_done(u, k, k);
  }
  assert_int_equal(u->n_dones, 13);
}

// ---- back-pressure

static void bank_requests_wait(unit *u) {
  u->hold_req = true;
  line(u, 1, U32, LD, 1, ROW0, 0, 0);
  line(u, 2, U32, ST, 1, ROW0, 1, 0);
  data(u, 1);
  for (uint32_t k = 0; k < 8; k++) {
    edges(u, 7);
    assert_int_equal(u->out.req_valid, 1);
    assert_int_equal(u->out.req_bank, k % 4);
    assert_int_equal(u->out.req_we, k / 4);
    u->hold_req = false, edge(u), u->hold_req = true;
    assert_int_equal(u->out.req_valid, k < 7);  // the next one at once
  }
  finish(u);
  assert_memory_equal(written(u, 0, 1, ~0u), sector(u, ROW0, 0, 0), 128);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(extend(sector(u, ROW0, 1, 0) + 4 * l, U32), value_of(1, l));
}

// The last request of a store is made: it is complete, taken or not. busy stays.
static void a_store_is_complete_when_its_request_is_made(unit *u) {
  u->hold_req = true;
  u->in.cmd_body[0] = 1;
  cmd(u, TSV_DN_WR, 5, P(WR_SINGLE, 1) | P(WR_BE, 15) | place(ROW0, 0, 0));
  edges(u, 5);
  expect_done(u, 0, 5);
  assert_int_equal(u->dones[0].edge, 5);
  edges(u, 20);
  assert_int_equal(u->out.busy, 1);
  assert_int_equal(u->out.req_valid, 1);
  u->hold_req = false;
  edge(u);
  expect_empty(u);
}

static void the_register_file_waits(unit *u) {
  u->hold_w = true;
  line(u, 1, U32, LD, 1, ROW0, 0, 0);
  line(u, 2, U32, LD, 2, ROW0, 1, 0);
  u->in.cmd_body[0] = 1;
  cmd(u, TSV_DN_WR, 3, P(WR_SINGLE, 1) | place(ROW0, 0, 0));
  edges(u, 40);
  assert_int_equal(u->out.w_valid, 1);
  assert_int_equal(u->out.w_reg, 1);
  assert_int_equal(u->n_dones, 0);
  u->hold_w = false, edge(u), u->hold_w = true;
  assert_int_equal(u->out.w_valid, 0);
  assert_int_equal(u->out.done_valid, 1);  // at the edge at which it was written
  assert_int_equal(u->out.done_tag, 1);
  edges(u, 10);
  assert_int_equal(u->out.w_reg, 2);
  assert_int_equal(u->n_dones, 1);
  u->hold_w = false;
  finish(u);
  for (uint32_t k = 0; k < 3; k++)
    expect_done(u, k, k + 1);
}

static void completions_wait(unit *u) {
  u->hold_done = true;
  line(u, 1, U32, LD, 1, ROW0, 0, 0);
  line(u, 2, U32, LD, 2, ROW0, 1, 0);
  cmd(u, TSV_DN_RD, 3, P(RD_SINGLE, 1) | place(ROW0, 0, 0));
  line(u, 4, U32, LD, 4, ROW0, 30, 0);
  edges(u, 40);
  assert_int_equal(u->out.done_tag, 1);
  assert_int_equal(u->n_writes, 2);  // that of 2 waits behind it, and 4 is not written
  assert_int_equal(u->n_ups, 1);     // what goes up needs no completion
  assert_int_equal(u->out.w_valid, 0);
  u->hold_done = false, edge(u), u->hold_done = true;
  assert_int_equal(u->out.done_valid, 1);
  assert_int_equal(u->out.done_tag, 2);
  assert_int_equal(u->out.w_valid, 0);
  edge(u);  // nothing waits any more: 4 goes on
  assert_int_equal(u->out.w_valid, 1);
  assert_int_equal(u->out.w_reg, 4);
  edges(u, 10);
  assert_int_equal(u->out.busy, 1);
  assert_int_equal(u->out.done_tag, 2);
  u->hold_done = false, edge(u);
  assert_int_equal(u->out.done_tag, 4);
  finish(u);
  assert_int_equal(u->n_dones, 3);
}

static void stores_wait_for_completions(unit *u) {
  u->hold_done = true;
  for (uint32_t k = 0; k < 4; k++) {
    u->in.cmd_body[0] = k;
    cmd(u, TSV_DN_WR, k, P(WR_SINGLE, 1) | P(WR_BE, 15) | place(ROW0, 0, k));
  }
  edges(u, 20);
  assert_int_equal(u->n_reqs, 4);
  for (uint32_t k = 0; k < 4; k++) {
    assert_int_equal(u->out.done_valid, 1);
    assert_int_equal(u->out.done_tag, k);
    u->hold_done = false, edge(u), u->hold_done = true;  // one an edge
  }
  expect_empty(u);
}

static void packets_up_wait(unit *u) {
  u->hold_up = true;
  cmd(u, TSV_DN_RD, 1, P(RD_CHUNKS, 15) | place(ROW0, 0, 0));
  cmd(u, TSV_DN_RD, 2, P(RD_CHUNKS, 8) | place(ROW0, 1, 0));
  u->in.cmd_body[0] = 1;
  cmd(u, TSV_DN_WR, 3, P(WR_SINGLE, 1) | P(WR_BE, 15) | place(ROW0, 30, 0));
  edges(u, 20);
  assert_int_equal(u->out.up_valid, 1);
  assert_memory_equal(u->out.up_body, sector(u, ROW0, 0, 0), 32);
  assert_int_equal(u->n_dones, 0);  // in order
  u->hold_up = false, edge(u), u->hold_up = true;
  assert_int_equal(u->out.up_valid, 1);
  assert_int_equal(u->out.up_len, 1);
  assert_memory_equal(u->out.up_body, sector(u, ROW0, 1, 0) + 24, 8);
  u->hold_up = false;
  finish(u);
  expect_done(u, 0, 3);
}

// ---- shared memory

static void shared_load_of_each_type(unit *u) {
  window(u, 3, 0x1230, 0x1000);
  finish(u);
  for (uint32_t type = U8; type <= B128; type++) {
    const uint32_t size = bytes_of(type), beats = beats_of(type);
    uint32_t a[L];
    for (uint32_t l = 0; l < L; l++)
      a[l] = (l * 37 * size + 4 * l / size * size) & 0xfff & ~(size - 1);
    forget(u);
    shm(u, type, type, LD, 16, 3, 0, ~0u, 0);
    operands(u, a, NULL, NULL);
    finish(u);
    assert_int_equal(u->n_sms, beats);
    for (uint32_t k = 0; k < beats; k++) {
      const shared_request *s = &u->sms[k];
      assert_int_equal(s->edge, 5 + 3 * k);
      assert_int_equal(s->op, LD);
      assert_int_equal(s->mask, ~0u);
      const uint32_t *w = written(u, k, 16 + k, ~0u);
      for (uint32_t l = 0; l < L; l++) {
        const uint32_t at = 0x1230 + a[l] + 4 * k;
        assert_int_equal(s->addr[l], at / 4);
        const uint32_t word = u->shared[at / 4];
        assert_int_equal(w[l], extend((const uint8_t *)&word + at % 4, type));
      }
    }
    assert_int_equal(u->writes[0].edge, 8);
    assert_int_equal(u->n_dones, 1);
    assert_int_equal(u->dones[0].edge, 9 + 3 * (beats - 1));
  }
}

static void shared_store_of_each_type(unit *u) {
  window(u, 0, 0, 0x10000);
  finish(u);
  for (uint32_t type = U8; type <= B128; type++) {
    const uint32_t size = bytes_of(type), mask = 0xf00f8421;
    uint32_t a[L], b[L];
    for (uint32_t l = 0; l < L; l++)
      a[l] = 0x8000 + l * (size + 16) / size * size;
    forget(u);
    shm(u, 6, type, ST, 0, 0, 0, mask, 0);
    for (uint32_t k = 0; k < beats_of(type); k++) {
      while (!u->out.opd_ready)
        edge(u);
      for (uint32_t l = 0; l < L; l++)
        b[l] = value_of(k, l);
      operands(u, a, b, NULL);
    }
    finish(u);
    assert_int_equal(u->n_sms, beats_of(type));
    for (uint32_t k = 0; k < beats_of(type); k++)
      for (uint32_t l = 0; l < L; l++) {
        const shared_request *s = &u->sms[k];
        const uint32_t v = value_of(k, l), at = a[l] + 4 * k;
        assert_int_equal(s->op, ST);
        assert_int_equal(s->mask, mask);
        assert_int_equal(s->b[l], size == 1   ? (v & 255) * 0x01010101
                                  : size == 2 ? (v & 0xffff) * 0x10001
                                              : v);
        if (mask >> l & 1) {
          assert_int_equal(s->addr[l], at / 4);
          assert_int_equal(s->be[l], (size < 4 ? (1u << size) - 1 : 15) << at % 4);
          assert_int_equal(u->shared[at / 4] >> 8 * (at % 4) & 255, v & 255);
        }
      }
    assert_int_equal(u->n_dones, 1);
    assert_int_equal(u->n_writes, 0);
  }
}

static void shared_atomics(unit *u) {
  static const uint8_t types[] = {U32, S32, F32};
  window(u, 15, 0x40, 0x100);
  finish(u);
  for (uint32_t op = 0; op < ISA_ATOMS; op++)
    for (uint32_t t = 0; t < 3; t++)
      for (uint32_t ret = 0; ret < 2; ret++) {
        uint32_t a[L], b[L], c[L];
        for (uint32_t l = 0; l < L; l++)
          a[l] = 4 * (l % 7), b[l] = value_of(op, l), c[l] = value_of(t + 20, l);
        forget(u);
        shm(u, op, types[t], (ATOM + op) | ret * RET, 12, 15, 0, 0x7fffffff, 0);
        operands(u, a, b, c);
        finish(u);
        assert_int_equal(u->n_sms, 1);
        const shared_request *s = &u->sms[0];
        assert_int_equal(s->op, ATOM + op);
        assert_int_equal(s->sgn, types[t] == S32);
        assert_int_equal(s->f32, types[t] == F32);
        assert_int_equal(s->mask, 0x7fffffff);
        assert_memory_equal(s->b, b, sizeof b);
        if (op == ISA_ATOM_CAS)
          assert_memory_equal(s->c, c, sizeof c);
        assert_int_equal(u->n_writes, ret);
        for (uint32_t l = 0; l < 31; l++) {
          assert_int_equal(s->addr[l], 16 + l % 7);
          if (ret)
            assert_int_equal(written(u, 0, 12, 0x7fffffff)[l], u->shared[16 + l % 7]);
        }
        expect_done(u, 0, op);
      }
}

// From a, from the packet, or zero; with and without an offset.
static void shared_addresses(unit *u) {
  uint32_t a[L];
  for (uint32_t l = 0; l < L; l++)
    a[l] = 8 * l;
  window(u, 1, 0x2000, 0x8000);
  finish(u);
  shm(u, 1, U32, LD, 1, 1, 0, ~0u, 0x7f00 - 4), operands(u, a, NULL, NULL), finish(u);
  shm(u, 2, U32, LD, 2, 1, 0, ~0u, 0xfffffffc);  // lane 0 is at fault
  operands(u, a, NULL, NULL), finish(u);
  assert_int_equal(u->n_ups, 1);
  shm(u, 3, U32, LD, 3, 1, 0, 0xfffffffe, 0xfffffffc), operands(u, a, NULL, NULL), finish(u);
  shm(u, 4, U32, LD, 4, 1, P(SHM_ZERO, 1), 0x10, 0x88), finish(u);  // waits for no operands
  shm(u, 5, U32, LD, 5, 1, P(SHM_ZERO, 1), ~0u, 0), finish(u);
  const uint32_t mask = 0xffc00fff;
  for (uint32_t i = 0; i < 22; i++)
    u->in.cmd_body[1 + i / 2] |= (4 * i * i) << i % 2 * 16;
  shm(u, 6, U32, LD, 6, 1, P(SHM_INLINE, 1), mask, 0), finish(u);
  assert_int_equal(u->n_sms, 5);
  for (uint32_t l = 0; l < L; l++) {
    assert_int_equal(u->sms[0].addr[l], (0x2000 + 8 * l + 0x7efc) / 4);
    if (l)
      assert_int_equal(u->sms[1].addr[l], (0x2000 + 8 * l - 4) / 4);
    if (l == 4)
      assert_int_equal(u->sms[2].addr[l], 0x2088 / 4);
    assert_int_equal(u->sms[3].addr[l], 0x2000 / 4);
    const uint32_t i = l < 12 ? l : l - 10;
    if (mask >> l & 1)
      assert_int_equal(u->sms[4].addr[l], 0x2000 / 4 + i * i);
  }
}

static void shared_memory_goes_round(unit *u) {
  uint32_t a[L];
  for (uint32_t l = 0; l < L; l++)
    a[l] = 4 * l;
  window(u, 2, 0xfff0, 0x10000);
  shm(u, 1, U32, LD, 1, 2, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(u->sms[0].addr[l], (0x3ffc + l) & 0x3fff);
}

static void expect_fault(const unit *u, uint32_t k, uint32_t tag, uint32_t lane, uint32_t align,
                         uint32_t addr) {
  assert_true(k < u->n_ups);
  assert_true(u->ups[k].head ==
              (TSV_UP_FAULT | tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_FAULT_LANE, lane) |
               tsv_put(TSV_UP_FAULT_ALIGN, align) | tsv_put(TSV_UP_FAULT_ADDR, addr)));
  assert_int_equal(u->ups[k].len, 0);
}

// The last access that fits and the first one that does not; lanes that are off have no say.
static void shared_faults_at_the_end_of_a_window(unit *u) {
  window(u, 4, 0, 64);
  finish(u);
  for (uint32_t type = U8; type <= B128; type++)
    for (uint32_t lane = 0; lane < L; lane += 31) {
      const uint32_t size = bytes_of(type);
      uint32_t a[L];
      for (uint32_t l = 0; l < L; l++)
        a[l] = 64 - size;
      forget(u);
      shm(u, 1, type, LD, 0, 4, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
      assert_int_equal(u->n_ups, 0);
      assert_int_equal(u->n_sms, beats_of(type));
      a[lane] = 64;
      forget(u);
      shm(u, 2, type, LD, 0, 4, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
      expect_fault(u, 0, 2, lane, 0, 64);
      assert_int_equal(u->n_ups, 1);
      assert_int_equal(u->n_sms + u->n_writes + u->n_dones, 0);
      assert_int_equal(u->ups[0].edge, 7 + 4 * (beats_of(type) - 1));
      a[lane] = 0xfffffff0;  // beyond 32 bits
      forget(u);
      shm(u, 3, type, LD, 0, 4, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
      expect_fault(u, 0, 3, lane, 0, 0xfffffff0);
      forget(u);
      shm(u, 4, type, LD, 0, 4, 0, ~(1u << lane), 0), operands(u, a, NULL, NULL), finish(u);
      assert_int_equal(u->n_ups, 0);
    }
}

static void shared_faults_of_alignment(unit *u) {
  window(u, 4, 0, 1024);
  finish(u);
  for (uint32_t type = U16; type <= B128; type++)
    for (uint32_t off = 1; off < bytes_of(type); off++) {
      uint32_t a[L];
      for (uint32_t l = 0; l < L; l++)
        a[l] = l == 5 || l == 9 ? 16 * l + off : 16 * l;
      forget(u);
      shm(u, 1, type, LD, 0, 4, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
      expect_fault(u, 0, 1, 5, 1, 80 + off);
      a[2] = 2048;  // a lower lane, with the other fault
      forget(u);
      shm(u, 2, type, LD, 0, 4, 0, ~0u, 0), operands(u, a, NULL, NULL), finish(u);
      expect_fault(u, 0, 2, 2, 0, 2048);
    }
}

static void a_fault_writes_nothing_and_does_not_stay(unit *u) {
  uint32_t a[L] = {0}, b[L] = {0};
  a[7] = 1 << 20;
  window(u, 4, 0, 64);
  for (uint32_t mop = ST; mop < ATOM + ISA_ATOMS; mop += mop == ST ? 3 : 1) {
    forget(u);
    shm(u, 1, U32, mop, 0, 4, 0, ~0u, 0), operands(u, a, b, NULL), finish(u);
    expect_fault(u, 0, 1, 7, 0, 1 << 20);
    assert_int_equal(u->n_sms + u->n_dones, 0);
    shm(u, 2, U32, mop, 0, 4, 0, ~0x80u, 0), operands(u, a, b, NULL), finish(u);
    assert_int_equal(u->n_sms, 1);
    expect_done(u, 0, 2);
  }
  for (uint32_t beats = 2; beats <= 4; beats += 2) {  // each beat takes its operands
    forget(u);
    shm(u, 3, beats == 2 ? B64 : B128, ST, 0, 4, 0, ~0u, 0);
    for (uint32_t k = 0; k < beats; k++) {
      while (!u->out.opd_ready)
        edge(u);
      operands(u, a, b, NULL);
    }
    finish(u);
    assert_int_equal(u->n_ups, 1);
    assert_int_equal(u->n_sms + u->n_dones, 0);
  }
}

static void shared_access_of_no_lane(unit *u) {
  uint32_t a[L];
  memset(a, 0xff, sizeof a);
  for (uint32_t ret = 0; ret < 2; ret++) {
    shm(u, 1, U32, ret ? (ATOM + ISA_ATOM_ADD) | RET : LD, 3, 9, 0, 0, 0);
    operands(u, a, NULL, NULL), finish(u);
    assert_int_equal(u->sms[ret].mask, 0);
    written(u, ret, 3, 0);
    expect_done(u, ret, 1);
  }
}

static void windows_are_of_size_0_after_reset(unit *u) {
  for (uint32_t n = 0; n < 2; n++) {
    for (uint32_t w = 0; w < 16; w++) {
      forget(u);
      shm(u, w, U8, LD, 0, w, P(SHM_ZERO, 1), ~0u, 0), finish(u);
      expect_fault(u, 0, w, 0, 0, 0);
    }
    for (uint32_t w = 0; w < 16; w++)
      window(u, w, 16 * w, 16 * (16 - w)), edge(u);
    finish(u);
    for (uint32_t w = 0; w < 16; w++) {
      forget(u);
      shm(u, w, U32, LD, 0, w, P(SHM_ZERO, 1), ~0u, 16 * (16 - w) - 4), finish(u);
      assert_int_equal(u->sms[0].addr[0], 63);
      shm(u, w, U32, LD, 0, w, P(SHM_ZERO, 1), ~0u, 16 * (16 - w)), finish(u);
      expect_fault(u, 0, w, 0, 0, 16 * (16 - w));
    }
    reset(u);
  }
}

// A window is set between two accesses: the first sees the old one, the second the new one.
static void a_window_is_set_in_order(unit *u) {
  window(u, 5, 0, 4096);
  shm(u, 1, U32, LD, 1, 5, P(SHM_ZERO, 1), ~0u, 64);
  window(u, 5, 1024, 64);
  shm(u, 2, U32, LD, 2, 5, P(SHM_ZERO, 1), ~0u, 60);
  u->hold_sm = true;
  edges(u, 10);
  u->hold_sm = false;
  finish(u);
  assert_int_equal(u->sms[0].addr[0], 16);
  assert_int_equal(u->sms[1].addr[0], 256 + 15);
  assert_int_equal(u->n_ups, 0);
}

static void shared_memory_makes_wait(unit *u) {
  window(u, 5, 0, 4096);
  u->hold_sm = true;
  shm(u, 1, U32, LD, 1, 5, P(SHM_ZERO, 1), ~0u, 4);
  shm(u, 2, U32, LD, 2, 5, P(SHM_ZERO, 1), ~0u, 8);
  edges(u, 20);
  assert_int_equal(u->out.sm_valid, 1);
  u->hold_answer = true, u->hold_sm = false;
  edges(u, 2);
  assert_int_equal(u->out.sm_valid, 0);
  edges(u, 20);
  assert_int_equal(u->n_sms, 2);
  assert_int_equal(u->out.w_valid, 0);
  u->hold_answer = false;
  finish(u);
  assert_int_equal(written(u, 0, 1, ~0u)[0], u->shared[1]);
  assert_int_equal(written(u, 1, 2, ~0u)[0], u->shared[2]);
}

// The banks make wait, and shared memory goes on; completions keep their order nevertheless.
static void global_and_shared_side_by_side(unit *u) {
  window(u, 5, 0, 4096);
  u->hold_req = true;
  line(u, 1, U32, LD, 1, ROW0, 0, 0);
  shm(u, 2, U32, LD, 2, 5, P(SHM_ZERO, 1), ~0u, 8);
  edges(u, 20);
  assert_int_equal(u->n_sms, 1);
  assert_int_equal(u->out.w_valid, 0);
  u->hold_req = false;
  finish(u);
  written(u, 0, 1, ~0u), written(u, 1, 2, ~0u);
  forget(u);
  u->hold_answer = true;
  shm(u, 3, U32, LD, 3, 5, P(SHM_ZERO, 1), ~0u, 8);
  line(u, 4, U32, LD, 4, ROW0, 0, 0);
  edges(u, 20);
  assert_int_equal(u->n_reqs, 4);
  assert_int_equal(u->n_reads, 0);
  assert_int_equal(u->out.w_valid, 0);
  u->hold_answer = false;
  finish(u);
  written(u, 0, 3, ~0u), written(u, 1, 4, ~0u);
  expect_done(u, 0, 3), expect_done(u, 1, 4);
}

// ---- requests of shared memory under way together

enum { NEAR = 5 };  // a window over the first 4096 bytes

// Without SKEW a window's skew has no effect.
static void no_skew_without_the_parameter(unit *u) {
  cmd(u, TSV_DN_WIN, 0, P(WIN_WIN, 5) | P(WIN_SIZE, 4096) | P(WIN_SKEW, 3));
  shm(u, 1, U32, LD, 1, 5, P(SHM_ZERO, 1), ~0u, 132);
  finish(u);
  assert_int_equal(u->sms[0].addr[0], 33);
}

static void open_window(unit *u) {
  window(u, NEAR, 0, 4096);
  finish(u);
}

// A load of all lanes from one place into register `tag`; it needs no operands.
static void load_at(unit *u, uint32_t tag, uint32_t at) {
  while (!u->out.cmd_ready)
    edge(u);
  shm(u, tag, U32, LD, tag, NEAR, P(SHM_ZERO, 1), ~0u, at);
}

static void expect_load(const unit *u, uint32_t k, uint32_t tag, uint32_t at) {
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(written(u, k, tag, ~0u)[l], u->shared[at / 4]);
}

// An access with operands of its own.
static void access_at(unit *u, uint32_t tag, uint32_t mtype, uint32_t mop, uint32_t mask,
                      const uint32_t *a, const uint32_t *b, const uint32_t *c) {
  while (!u->out.cmd_ready)
    edge(u);
  shm(u, tag, mtype, mop, tag, NEAR, 0, mask, 0);
  while (!u->out.opd_ready)
    edge(u);
  operands(u, a, b, c);
}

static void answer_one(unit *u) {
  const uint32_t n = u->n_answered;
  u->hold_answer = false, edge(u), u->hold_answer = true;
  assert_int_equal(u->n_answered, n + 1);
}

// However long an answer takes, until four requests are not enough.
static void a_request_every_three_edges(unit *u) {
  enum { N = 12, MOST = 10 };
  open_window(u);
  for (u->latency = 1; u->latency <= MOST + 1; u->latency++) {
    forget(u);
    for (uint32_t k = 0; k < N; k++)
      load_at(u, k, 4 + 4 * k);
    finish(u);
    assert_int_equal(u->n_sms, N);
    for (uint32_t k = 0; k < N; k++) {
      assert_int_equal(u->sms[k].edge, 5 + 3 * k + (u->latency > MOST ? k / 4 : 0));
      expect_load(u, k, k, 4 + 4 * k);
      expect_done(u, k, k);
    }
  }
}

// The fifth request waits, and is made at the edge after one with an answer.
static void a_full_list(unit *u) {
  open_window(u);
  u->hold_answer = true;
  for (uint32_t k = 0; k < 6; k++)
    load_at(u, k, 4 * k);
  edges(u, 40);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(u->n_sms, 4 + k);
    assert_int_equal(u->out.sm_valid, 0);
    answer_one(u);
    assert_int_equal(u->out.sm_valid, 0);
    edge(u);
    assert_int_equal(u->out.sm_valid, 1);
    edges(u, 20);
  }
  u->hold_answer = false;
  finish(u);
  assert_int_equal(u->n_sms, 6);
  for (uint32_t k = 0; k < 6; k++)
    expect_load(u, k, k, 4 * k);
}

// One that was not taken counts too: that it is taken makes no room, not even with an answer.
static void a_full_list_whose_youngest_is_not_taken(unit *u) {
  open_window(u);
  for (uint32_t answer = 0; answer < 2; answer++) {
    forget(u);
    u->hold_answer = true;
    for (uint32_t k = 0; k < 3; k++)
      load_at(u, k, 4 * k);
    edges(u, 20);
    assert_int_equal(u->n_sms, 3);
    u->hold_sm = true;
    load_at(u, 3, 12), load_at(u, 4, 16);
    edges(u, 20);
    assert_int_equal(bits(u->out.sm_addr, 0, 14), 3);
    u->hold_sm = false, u->hold_answer = !answer;
    edge(u);
    u->hold_answer = true;
    assert_int_equal(u->n_sms, 4);
    assert_int_equal(u->n_answered, answer);
    assert_int_equal(u->out.sm_valid, 0);
    edge(u);
    assert_int_equal(u->out.sm_valid, answer);
    u->hold_answer = false;
    finish(u);
    for (uint32_t k = 0; k < 5; k++)
      expect_load(u, k, k, 4 * k);
  }
}

// There is room again, but the youngest stands.
static void an_answer_is_not_sm_ready(unit *u) {
  open_window(u);
  u->hold_answer = true;
  for (uint32_t k = 0; k < 3; k++)
    load_at(u, k, 4 * k);
  edges(u, 20);
  u->hold_sm = true, u->hold_answer = false;
  load_at(u, 3, 12), load_at(u, 4, 16);
  edges(u, 20);
  assert_int_equal(u->n_answered, 3);
  assert_int_equal(u->out.sm_valid, 1);
  assert_int_equal(bits(u->out.sm_addr, 0, 14), 3);
  u->hold_sm = false;
  finish(u);
  assert_int_equal(u->n_sms, 5);
  for (uint32_t k = 0; k < 5; k++)
    expect_load(u, k, k, 4 * k);
}

// The second is in CHECK from edge 7 on, and made at the very edge that takes the first: sm_valid
// stays high. Each has its own data, while the operands of the third are there.
static void a_request_follows_at_once(unit *u) {
  open_window(u);
  for (uint32_t from = 0; from < 14; from++) {
    uint32_t a[3][L], b[3][L], c[3][L];
    forget(u);
    u->sm_from = from;
    for (uint32_t k = 0; k < 3; k++) {
      for (uint32_t l = 0; l < L; l++) {
        a[k][l] = 4 * l + 256 * k;
        b[k][l] = value_of(k, l), c[k][l] = value_of(k + 3, l);
      }
      access_at(u, k, U32, (ATOM + ISA_ATOM_CAS) | RET, ~0u, a[k], b[k], c[k]);
    }
    finish(u);
    const uint32_t first = from > 5 ? from : 5, second = (first > 7 ? first : 7) + 1;
    assert_int_equal(u->n_sms, 3);
    assert_int_equal(u->sms[0].edge, first);
    assert_int_equal(u->sms[1].edge, second);
    assert_int_equal(u->sms[2].edge, second + 3);
    for (uint32_t k = 0; k < 3; k++) {
      assert_memory_equal(u->sms[k].b, b[k], sizeof b[k]);
      assert_memory_equal(u->sms[k].c, c[k], sizeof c[k]);
      for (uint32_t l = 0; l < L; l++) {
        assert_int_equal(u->sms[k].addr[l], a[k][l] / 4);
        assert_int_equal(written(u, k, k, ~0u)[l], u->shared[a[k][l] / 4]);
      }
    }
  }
}

// Those before it are not answered yet. It is no answer to them, and takes no place in the list.
static void a_fault_between_requests_under_way(unit *u) {
  open_window(u);
  u->hold_answer = true;
  load_at(u, 0, 4), load_at(u, 1, 8), load_at(u, 2, 4096), load_at(u, 3, 12), load_at(u, 4, 16);
  edges(u, 20);
  assert_int_equal(u->n_sms, 4);
  assert_int_equal(u->n_ups, 0);  // completions leave in order
  answer_one(u), edges(u, 5);
  assert_int_equal(u->n_ups, 0);
  answer_one(u), edges(u, 5);
  expect_fault(u, 0, 2, 0, 0, 4096);
  assert_int_equal(u->n_writes, 2);
  u->hold_answer = false;
  finish(u);
  for (uint32_t k = 0; k < 4; k++) {
    expect_load(u, k, k + (k > 1), 4 + 4 * k);
    expect_done(u, k, k + (k > 1));
  }
  assert_int_equal(u->n_ups, 1);
}

// A full list, or a request that stands, does not hold it up: the load behind it is in CHECK.
static void a_fault_needs_no_room(unit *u) {
  open_window(u);
  for (uint32_t full = 0; full < 2; full++) {
    const uint32_t n = full ? 4 : 1;
    forget(u);
    u->hold_answer = true, u->hold_sm = !full;
    for (uint32_t k = 0; k < n; k++)
      load_at(u, k, 4 * k);
    load_at(u, 9, 4096), load_at(u, n, 4 * n);
    edges(u, 20);
    assert_int_equal(u->out.sm_valid, !full);
    if (full)
      answer_one(u);
    u->hold_sm = false;
    edge(u);
    assert_int_equal(u->n_sms, n);
    assert_int_equal(u->out.sm_valid, 1);
    u->hold_answer = false;
    finish(u);
    expect_fault(u, 0, 9, 0, 0, 4096);
    for (uint32_t k = 0; k <= n; k++)
      expect_load(u, k, k, 4 * k);
  }
}

// Answers at two edges in a row. A fault could be reported at edge 11, or at the first one after
// them; then S is free.
static void a_fault_waits_for_answers(unit *u) {
  open_window(u);
  for (uint32_t from = 9; from < 15; from++) {
    forget(u);
    u->answer_from = from;
    load_at(u, 0, 4), load_at(u, 1, 8), load_at(u, 2, 4098), load_at(u, 3, 12);
    finish(u);
    const uint32_t fault = from == 10 || from == 11 ? from + 2 : 11;
    assert_int_equal(u->n_sms, 3);
    assert_int_equal(u->sms[2].edge, fault + 4);
    for (uint32_t k = 0; k < 3; k++)
      expect_load(u, k, k + (k > 1), 4 + 4 * k);
    expect_fault(u, 0, 2, 0, 1, 4098);
  }
}

// Each answer belongs to the oldest request, by its type, lanes and places; a fifth one, of another
// type, is in CHECK.
static void answers_of_different_types(unit *u) {
  open_window(u);
  for (uint32_t first = 0; first < 14; first++) {
    const bool in_a_row = first >= 7;
    uint32_t a[5][L], mask[5], type[5];
    forget(u);
    u->hold_answer = true;
    for (uint32_t k = 0; k < 5; k++) {
      type[k] = (first + 3 * k) % 7;
      mask[k] = 0x9e3779b1 * (first + k + 1) | 1;
      for (uint32_t l = 0; l < L; l++)
        a[k][l] = (13 * l + 7 * k + first) * bytes_of(type[k]);
      access_at(u, k, type[k], LD, mask[k], a[k], NULL, NULL);
    }
    edges(u, 20);
    assert_int_equal(u->n_sms, 4);
    for (uint32_t k = 0; k < 4 && !in_a_row; k++) {
      assert_int_equal(u->n_writes, k);
      answer_one(u), edges(u, 6);
    }
    u->hold_answer = false;
    finish(u);
    for (uint32_t k = 0; k < 5; k++) {
      const uint32_t *w = written(u, k, k, mask[k]);
      for (uint32_t l = 0; l < L; l++)
        if (mask[k] >> l & 1)
          assert_int_equal(w[l], extend((const uint8_t *)u->shared + a[k][l], type[k]));
      expect_done(u, k, k);
    }
  }
}

// Only the load and the atomic write a register, but each has its answer, and completes with it.
static void a_store_behind_a_load_behind_an_atomic(unit *u) {
  static const uint32_t ops[] = {ATOM + ISA_ATOM_ADD, LD, ST, LD, ST}, writes[] = {1, 2, 2, 3, 3};
  uint32_t a[L], b[L], old[L];
  open_window(u);
  for (uint32_t l = 0; l < L; l++)
    a[l] = 4 * l, b[l] = value_of(1, l), old[l] = u->shared[l];
  u->hold_answer = true;
  for (uint32_t k = 0; k < 5; k++)
    access_at(u, k, U32, ops[k] | (k ? 0 : RET), ~0u, a, b, NULL);
  edges(u, 20);
  assert_int_equal(u->n_sms, 4);
  for (uint32_t k = 0; k < 5; k++) {
    assert_int_equal(u->n_dones, k);
    answer_one(u), edges(u, 6);
    assert_int_equal(u->sms[k].op, ops[k]);
    assert_int_equal(u->n_writes, writes[k]);
    expect_done(u, k, k);
  }
  finish(u);
  assert_memory_equal(written(u, 0, 0, ~0u), old, sizeof old);
  assert_memory_equal(written(u, 1, 1, ~0u), old, sizeof old);
  assert_memory_equal(written(u, 2, 3, ~0u), b, sizeof b);
}

// Five accesses of the banks and three of shared memory: the next one waits in A, though S is free
// and the list has room, until the oldest has left.
static void a_full_table_with_shared_memory(unit *u) {
  open_window(u);
  u->hold_rsp = u->hold_answer = true;
  for (uint32_t k = 0; k < 5; k++) {
    while (!u->out.cmd_ready)
      edge(u);
    line(u, k, U32, LD, k, ROW0, k % 2, 0);
  }
  for (uint32_t k = 5; k < 9; k++)
    load_at(u, k, 4 * k);
  edges(u, 40);
  assert_int_equal(u->n_reqs, 20);
  assert_int_equal(u->n_sms, 3);
  u->hold_answer = false;
  edges(u, 20);
  assert_int_equal(u->n_answered, 3);
  assert_int_equal(u->n_sms + u->n_writes, 3);
  u->hold_rsp = false;
  finish(u);
  for (uint32_t k = 0; k < 9; k++) {
    if (k < 5)
      assert_memory_equal(written(u, k, k, ~0u), sector(u, ROW0, k % 2, 0), 128);
    else
      expect_load(u, k, k, 4 * k);
    expect_done(u, k, k);
  }
}

// It has its window since it entered S.
static void a_window_is_set_while_a_request_waits(unit *u) {
  open_window(u);
  u->hold_sm = true;
  load_at(u, 1, 64), load_at(u, 2, 128);
  window(u, NEAR, 1024, 64);
  load_at(u, 3, 60);
  edges(u, 20);
  u->hold_sm = false;
  finish(u);
  assert_int_equal(u->sms[0].addr[0], 64 / 4);
  assert_int_equal(u->sms[1].addr[0], 128 / 4);
  assert_int_equal(u->sms[2].addr[0], (1024 + 60) / 4);
  assert_int_equal(u->n_ups, 0);
}

static void busy_until_the_answer(unit *u) {
  const uint32_t zeros[L] = {0};
  open_window(u);
  u->hold_answer = true;
  access_at(u, 1, U32, ST, ~0u, zeros, NULL, NULL);
  edges(u, 20);
  assert_int_equal(u->n_sms, 1);
  assert_int_equal(u->out.sm_valid, 0);
  assert_int_equal(u->out.busy, 1);
  answer_one(u);
  edge(u);
  assert_int_equal(u->out.done_valid, 1);
  edge(u);
  expect_empty(u);
}

// ---- operands

// A load takes none; those that are there stay for the packet that needs them.
static void operands_are_for_those_who_need_them(unit *u) {
  u->hold_rsp = true;
  line(u, 1, U32, LD, 1, ROW0, 0, 0);
  cmd(u, TSV_DN_RD, 2, P(RD_CHUNKS, 15) | place(ROW0, 1, 0));
  line(u, 3, U32, ST, 0, ROW0, 1, 0);
  data(u, 4);
  line(u, 4, U32, ST, 0, ROW0, 30, 0);
  while (!u->out.opd_ready)
    edge(u);
  data(u, 5);
  u->hold_rsp = false;
  finish(u);
  for (uint32_t l = 0; l < L; l++) {
    assert_int_equal(extend(sector(u, ROW0, 1, 0) + 4 * l, U32), value_of(4, l));
    assert_int_equal(extend(sector(u, ROW0, 30, 0) + 4 * l, U32), value_of(5, l));
  }
}

// One packet in A, and four in the queue, wait.
static void operands_make_wait(unit *u) {
  for (uint32_t k = 0; k < 5; k++)
    line(u, k, U32, ST, 0, ROW0, k % 2, 0);
  assert_int_equal(u->out.cmd_ready, 0);
  edges(u, 10);
  assert_int_equal(u->out.cmd_ready, 0);
  data(u, 0);
  assert_int_equal(u->out.cmd_ready, 0);
  edge(u);
  assert_int_equal(u->out.cmd_ready, 1);
  for (uint32_t k = 1; k < 5; k++)
    data(u, k), edges(u, 6);
  finish(u);
  assert_int_equal(u->n_reqs, 20);
  for (uint32_t k = 0; k < 20; k++)
    assert_int_equal(u->reqs[k].wdata[0], value_of(k / 4, 8 * (k % 4)));
}

// ---- reset

// A packet of each kind, given up after each number of edges: then all is empty, the entries are
// counted from 0 again, and what comes next knows nothing of it.
static void reset_in_the_middle(unit *u) {
  const uint32_t zeros[L] = {0};
  for (uint32_t kind = 0; kind < 8; kind++)
    for (unsigned at = 0; at < 26; at++) {
      window(u, 1, 0, 4096);
      switch (kind) {
        case 0:
          line(u, 1, U32, LD, 1, ROW0, 0, 0);
          line(u, 2, U32, LD, 2, ROW0, 1, 0);
          break;
        case 1:
          line(u, 1, U32, ST, 1, ROW0, 0, 0), data(u, 1);
          line(u, 2, U8, ST, 1, ROW0, 0, 16);  // half of its operands are there
          break;
        case 2:
          sect(u, 1, F32, (ATOM + ISA_ATOM_ADD) | RET, 1, place(ROW0, 0, 0), 3, 0, NULL);
          operands(u, NULL, zeros, NULL);
          break;
        case 3:
          shm(u, 1, B64, LD, 2, 1, P(SHM_ZERO, 1), ~0u, 8);
          break;
        case 4:
          shm(u, 1, U32, LD, 2, 0, P(SHM_ZERO, 1), ~0u, 0);  // a fault
          break;
        case 5:
        case 6:  // in the end the list is full, or one request stands; another one is in CHECK
          u->hold_answer = kind == 5, u->hold_sm = kind == 6;
          shm(u, 1, B128, LD, 4, 1, P(SHM_ZERO, 1), ~0u, 16);
          shm(u, 2, U32, LD, 2, 1, P(SHM_ZERO, 1), ~0u, 8);
          break;
        default:
          u->hold_done = u->hold_up = true;
          line(u, 1, U32, LD, 1, ROW0, 0, 0);
          line(u, 2, U32, LD, 2, ROW0, 1, 0);  // its completion waits
          cmd(u, TSV_DN_RD, 3, P(RD_CHUNKS, 15) | place(ROW0, 0, 0));
      }
      edges(u, at);
      u->in.cmd_valid = u->in.opd_valid = 1;  // are not taken
      reset(u);
      u->hold_answer = u->hold_sm = u->hold_done = u->hold_up = false;
      edges(u, 3);
      expect_empty(u);
      assert_int_equal(u->n_reqs + u->n_sms + u->n_writes + u->n_dones + u->n_ups, 0);
      u->now = 0;
      line(u, 7, U32, ST, 0, ROW1, 0, 0);
      data(u, at);
      line(u, 8, U32, LD, 99, ROW1, 0, 0);
      finish(u);
      assert_int_equal(u->n_reqs, 8);
      for (uint32_t k = 0; k < 8; k++)
        expect_request(u, k, 4 + k, k < 4, k % 4);
      assert_int_equal(u->reqs[4].id, 4);
      for (uint32_t l = 0; l < L; l++)
        assert_int_equal(written(u, 0, 99, ~0u)[l], value_of(at, l));
      expect_done(u, 0, 7), expect_done(u, 1, 8);
      assert_int_equal(u->n_dones, 2);
      window(u, 1, 0, 64);
      shm(u, 9, U16, LD, 98, 1, P(SHM_ZERO, 1), ~0u, 6), finish(u);
      assert_int_equal(written(u, 1, 98, ~0u)[0], u->shared[1] >> 16);
      expect_done(u, 2, 9);
      reset(u);
    }
}

#define TESTS(T)                                  \
  T(line_load_of_words)                           \
  T(line_load_of_each_type)                       \
  T(line_store_of_words)                          \
  T(line_store_of_each_type)                      \
  T(one_lane)                                     \
  T(no_lane)                                      \
  T(atomic_of_no_lane)                            \
  T(lanes_from_first)                             \
  T(lanes_from_a_list)                            \
  T(gather_over_several_packets)                  \
  T(beats_of_64_and_128_bits)                     \
  T(lanes_that_store_to_one_place)                \
  T(stores_merge_from_all_groups)                 \
  T(read_of_each_piece)                           \
  T(read_of_each_word)                            \
  T(write_of_one_word)                            \
  T(write_of_each_piece)                          \
  T(each_atomic_of_two_lanes_on_one_word)         \
  T(each_atomic_of_the_base_die)                  \
  T(atomic_of_all_lanes_on_one_word)              \
  T(atomics_write_what_they_touched_only)         \
  T(store_then_load)                              \
  T(load_then_store)                              \
  T(atomic_between_store_and_load)                \
  T(two_atomics_on_one_word)                      \
  T(answers_out_of_order)                         \
  T(a_full_table_and_a_full_queue)                \
  T(bank_requests_wait)                           \
  T(a_store_is_complete_when_its_request_is_made) \
  T(the_register_file_waits)                      \
  T(completions_wait)                             \
  T(stores_wait_for_completions)                  \
  T(packets_up_wait)                              \
  T(shared_load_of_each_type)                     \
  T(shared_store_of_each_type)                    \
  T(shared_atomics)                               \
  T(shared_addresses)                             \
  T(shared_memory_goes_round)                     \
  T(shared_faults_at_the_end_of_a_window)         \
  T(shared_faults_of_alignment)                   \
  T(a_fault_writes_nothing_and_does_not_stay)     \
  T(shared_access_of_no_lane)                     \
  T(windows_are_of_size_0_after_reset)            \
  T(a_window_is_set_in_order)                     \
  T(no_skew_without_the_parameter)                \
  T(shared_memory_makes_wait)                     \
  T(global_and_shared_side_by_side)               \
  T(a_request_every_three_edges)                  \
  T(a_full_list)                                  \
  T(a_full_list_whose_youngest_is_not_taken)      \
  T(an_answer_is_not_sm_ready)                    \
  T(a_request_follows_at_once)                    \
  T(a_fault_between_requests_under_way)           \
  T(a_fault_needs_no_room)                        \
  T(a_fault_waits_for_answers)                    \
  T(answers_of_different_types)                   \
  T(a_store_behind_a_load_behind_an_atomic)       \
  T(a_full_table_with_shared_memory)              \
  T(a_window_is_set_while_a_request_waits)        \
  T(busy_until_the_answer)                        \
  T(operands_are_for_those_who_need_them)         \
  T(operands_make_wait)                           \
  T(reset_in_the_middle)

#include "tb/cosim/directed.h"
