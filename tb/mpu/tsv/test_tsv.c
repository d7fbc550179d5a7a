// SPDX-License-Identifier: Apache-2.0
// Cases of tsv by name, each on the Verilog and on the twin, with the edges that they take.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/isa/isa.h"
#include "csim/mpu/tsv.h"
#include "csim/mpu/tsv_packet.h"

extern const block_ops tsv_rtl;
extern bool tsv_rtl_failed(const void *block);

enum { LONGEST = 1 + TSV_BODY };  // flits

typedef struct unit {
  const block_ops *ops;
  void *block;
  tsv_in in;
  tsv_out out;
  uint32_t room;  // credits of the sender
  bool holds;     // the body of the last packet stays
  bool keep;      // the test says when it is released; else it is at the next edge
} unit;

static void any_edge(unit *u, uint32_t rst_n) {
  assert_true(u->in.dn_count <= u->room);
  u->in.rst_n = rst_n;
  u->room -= u->in.dn_count;
  if (u->holds && !u->keep)
    u->in.rx_release = 1;
  const bool taken = u->out.rx_valid && u->in.rx_ready && rst_n;
  const uint32_t flits = taken ? tsv_dn_len(tsv_flit(u->out.rx_head)) : 0;
  u->ops->step(u->block, &u->in, &u->out);
  u->holds = rst_n && (flits > 1 || (u->holds && !u->in.rx_release));
  u->room += u->out.dn_credit;
  assert_true(u->room <= STRUCTURE_RX_DEPTH);
  u->in.dn_count = u->in.tx_valid = u->in.up_take = u->in.up_credit = u->in.rx_release = 0;
}

static void edge(unit *u) {
  any_edge(u, 1);
}

static void expect_empty(const unit *u) {
  assert_int_equal(u->out.busy, 0);
  assert_int_equal(u->out.rx_valid, 0);
  assert_int_equal(u->out.dn_credit, 0);
  assert_int_equal(u->out.up_count, 0);
  assert_int_equal(u->out.tx_ready, 1);
}

static void reset(unit *u) {
  any_edge(u, 0);
  u->room = STRUCTURE_RX_DEPTH;
  expect_empty(u);
  u->in.rx_ready = u->keep = 0;
}

static void each(void (*test)(unit *u)) {
  const block_ops *both[] = {&tsv_rtl, &tsv_twin};
  for (unsigned m = 0; m < 2; m++) {
    unit u = {.ops = both[m], .block = both[m]->create(NULL), .room = STRUCTURE_RX_DEPTH};
    assert_non_null(u.block);
    edge(&u);  // outputs after reset
    test(&u);
    if (m == 0)
      assert_false(tsv_rtl_failed(u.block));
    u.ops->destroy(u.block);
  }
}

static void put(uint32_t *to, uint64_t flit) {
  to[0] = (uint32_t)flit, to[1] = (uint32_t)(flit >> 32);
}

// Flit i of packet n, which has a body of len flits; no bit of a body is the same in all of them.
static uint64_t flit_of(uint32_t n, uint32_t len, uint32_t i) {
  const uint64_t noise = (n * 64ull + i + 1) * 0x9e3779b97f4a7c15u;
  return i ? noise
           : (noise & ~0x1ffffull) | (n & 15 ? n & 15 : 7) | (n & 255) << 4 | (uint64_t)len << 12;
}

// What the bus brings at the next edge.
static void bring(unit *u, uint64_t flit) {
  put(&u->in.dn_data[2 * u->in.dn_count++], flit);
}

static void expect_packet(const unit *u, uint32_t n, uint32_t len) {
  assert_int_equal(u->out.rx_valid, 1);
  assert_true(tsv_flit(u->out.rx_head) == flit_of(n, len, 0));
  for (uint32_t i = 0; len && i < TSV_BODY; i++)
    assert_true(tsv_flit(&u->out.rx_body[2 * i]) == (i < len ? flit_of(n, len, i + 1) : 0));
}

// Brings and takes a packet with a body of ones, so that what is zero later was made zero.
static void fill_body(unit *u) {
  bring(u, 15 | 16 << 12), bring(u, ~0ull), edge(u);
  for (unsigned k = 0; k < 7; k++)
    bring(u, ~0ull), bring(u, ~0ull), edge(u);
  bring(u, ~0ull), edge(u);
  edge(u);
  assert_int_equal(u->out.rx_valid, 1);
  assert_int_equal(u->out.rx_body[31], ~0u);
  u->in.rx_ready = 1;
  edge(u);
  u->in.rx_ready = 0;
  expect_empty(u);
}

// ---- receiving

// One flit an edge, two, and two with the head as the second one.
static void down_of_each_length(unit *u) {
  for (uint32_t len = 0; len <= TSV_BODY; len++)
    for (uint32_t way = 0; way < 3; way++) {
      fill_body(u);
      uint32_t came = 0, seen = 0, credits = 0;
      for (unsigned t = 0; came <= len || seen < came; t++) {
        const uint32_t taken = came;  // what came until the edge before: nothing makes it wait
        const uint32_t many = way == 0 || (way == 2 && t == 0) ? 1 : 2;
        for (uint32_t k = 0; k < many && came <= len; k++)
          bring(u, flit_of(len, len, came++));
        edge(u);
        assert_int_equal(u->out.dn_credit, taken - seen);
        assert_int_equal(u->out.rx_valid, taken > len);
        assert_int_equal(u->out.busy, 1);
        credits += u->out.dn_credit, seen = taken;
      }
      assert_int_equal(credits, len + 1);
      expect_packet(u, len, len);
      if (!len)  // a head alone leaves the body
        for (uint32_t i = 0; i < 32; i++)
          assert_int_equal(u->out.rx_body[i], ~0u);
      u->in.rx_ready = 1;
      edge(u);
      u->in.rx_ready = 0;
      expect_empty(u);
      assert_true(tsv_flit(u->out.rx_head) == flit_of(len, len, 0));  // holds
    }
}

static void two_flits_meet_the_diagram(unit *u) {
  bring(u, flit_of(1, 2, 0)), bring(u, flit_of(1, 2, 1)), edge(u);
  assert_int_equal(u->out.dn_credit, 0);
  bring(u, flit_of(1, 2, 2)), edge(u);
  assert_int_equal(u->out.dn_credit, 2);
  assert_int_equal(u->out.rx_valid, 0);
  edge(u);
  assert_int_equal(u->out.dn_credit, 1);
  expect_packet(u, 1, 2);
  edge(u);
  assert_int_equal(u->out.dn_credit, 0);
  expect_packet(u, 1, 2);
}

// LEN counts for all kinds but EXEC.
static void each_kind_has_its_length(unit *u) {
  for (uint32_t n = 1; n < 16; n++) {
    bring(u, flit_of(n, 1, 0)), bring(u, flit_of(n, 1, 1)), edge(u), edge(u);
    expect_packet(u, n, 1);
    u->in.rx_ready = 1, edge(u), u->in.rx_ready = 0;
  }
}

static void each_exec_has_its_length(unit *u) {
  static const uint8_t ops[] = {ISA_OP_LOP3, ISA_OP_SELP, ISA_OP_ADD, 0, 127};
  for (uint32_t k = 0; k < 5 * 4 * 2; k++)
    for (uint32_t ones = 0; ones < 2; ones++) {  // the rest of the head has no say
      const uint32_t op = ops[k % 5], imm_at = k / 5 % 4, has_mask = k / 20;
      const uint64_t rest = ones ? 0x73fffffffff80ff0u : 0;
      const uint64_t head =
          rest | (uint64_t)op << 12 | (uint64_t)imm_at << 58 | (uint64_t)has_mask << 63;
      const uint32_t words = has_mask + (imm_at || op == ISA_OP_LOP3) + (op == ISA_OP_SELP);
      assert_int_equal(TSV_DN_EXEC, 0);
      fill_body(u);
      bring(u, head), bring(u, 0x1111), edge(u);
      bring(u, 0x2222), bring(u, 0x3333), edge(u);
      edge(u);  // a body of two is complete; one of none or one was an edge ago
      assert_int_equal(u->out.rx_valid, 1);
      assert_true(tsv_flit(u->out.rx_head) == head);
      const uint32_t left = 3 - (words + 1) / 2;  // not taken: they are behind the packet
      assert_int_equal(u->room, STRUCTURE_RX_DEPTH - left);
      assert_true(tsv_flit(&u->out.rx_body[0]) == (words ? 0x1111 : ~0ull));
      assert_true(tsv_flit(&u->out.rx_body[2]) == (words > 2 ? 0x2222 : words ? 0 : ~0ull));
      reset(u);
    }
}

// Of no flit, one packet an edge though two come; of one flit, all that comes.
static void one_packet_an_edge(unit *u) {
  u->in.rx_ready = 1;
  for (uint32_t len = 0; len < 2; len++) {
    uint32_t n = 0, seen = 0;
    for (unsigned t = 0; t < 200; t++) {
      while (u->in.dn_count + len < 2 && u->room >= u->in.dn_count + len + 1) {
        bring(u, flit_of(n, len, 0));
        if (len)
          bring(u, flit_of(n, len, 1));
        n++;
      }
      edge(u);
      assert_int_equal(u->out.rx_valid, t > 0);
      if (t > 0) {
        expect_packet(u, seen, len), seen++;
        assert_int_equal(u->out.dn_credit, 1 + len);
      }
    }
    assert_int_equal(seen, 199);
    while (seen < n)
      edge(u), expect_packet(u, seen, len), seen++;
    edge(u);
    assert_int_equal(u->out.busy, 0);
  }
}

// Packets of every length, one behind the other, two flits an edge: of an odd number of flits the
// last is taken alone, the queue fills up, and the credits that come back are spent at once.
static void long_stream_on_returned_credits(unit *u) {
  uint32_t n = 0, at = 0, got = 0, len = 0, want = 0, edges = 0, full = 0;
  u->in.rx_ready = 1;
  for (; got < 400; edges++) {
    while (u->in.dn_count < 2 && u->in.dn_count < u->room) {
      bring(u, flit_of(n, len, at));
      at = at == len ? 0 : at + 1;
      if (!at)
        n++, len = n * 5 % 17;
    }
    full += u->in.dn_count == u->room;
    edge(u);
    if (u->out.rx_valid)
      expect_packet(u, got, got * 5 % 17), got++;
  }
  for (uint32_t k = 0; k < 400; k++) {
    len = k * 5 % 17;
    want += (len + 2) / 2 + (len > 1 && k < 399);  // edges of the assembler: it rests when one of
  }                                                // two flits or more is taken
  assert_int_equal(edges, want + 1);
  assert_true(full > 100);
}

// At each place of the queue: all entries in use, a packet held, and nothing is lost.
static void full_queue_and_its_last_entry(unit *u) {
  for (uint32_t start = 0; start < STRUCTURE_RX_DEPTH; start++) {
    bring(u, flit_of(99, 0, 0)), edge(u);  // moves on by one
    edge(u);
    expect_packet(u, 99, 0);  // held
    for (uint32_t n = 0; n < 4; n++)
      for (uint32_t i = 0; i < 4; i += 2)
        bring(u, flit_of(n, 3, i)), bring(u, flit_of(n, 3, i + 1)), edge(u);
    assert_int_equal(u->room, 0);
    for (unsigned k = 0; k < 5; k++) {
      edge(u);
      assert_int_equal(u->out.dn_credit, 0);
      expect_packet(u, 99, 0);
    }
    u->in.rx_ready = 1;
    for (uint32_t n = 0; n < 4; n++) {
      edge(u);
      assert_int_equal(u->out.rx_valid, 0);
      assert_int_equal(u->out.dn_credit, 2);
      edge(u);
      assert_int_equal(u->out.dn_credit, 2);
      expect_packet(u, n, 3);
      edge(u);
      assert_int_equal(u->out.dn_credit, 0);
      assert_int_equal(u->out.rx_valid, 0);
    }
    u->in.rx_ready = 0;
    expect_empty(u);
    assert_int_equal(u->room, STRUCTURE_RX_DEPTH);
  }
}

// 15 entries in use and one flit, or 14 and two; at once two leave.
static void the_last_entry_is_filled_when_others_leave(unit *u) {
  for (uint32_t two = 0; two < 2; two++) {
    bring(u, flit_of(1, 0, 0)), edge(u), edge(u);  // held
    uint32_t i = 0;
    for (; i < 15 - two; i++)
      bring(u, flit_of(2, 16, i)), edge(u);
    assert_int_equal(u->room, 1 + two);
    u->in.rx_ready = 1;
    bring(u, flit_of(2, 16, i++));
    if (two)
      bring(u, flit_of(2, 16, i++));
    edge(u);
    u->in.rx_ready = 0;
    assert_int_equal(u->out.rx_valid, 0);
    assert_int_equal(u->out.dn_credit, 2);
    assert_int_equal(u->room, 2);
    bring(u, flit_of(2, 16, i)), edge(u);
    for (unsigned k = 0; k < 6; k++) {
      edge(u);
      assert_int_equal(u->out.rx_valid, 0);
    }
    edge(u);
    expect_packet(u, 2, 16);
    u->in.rx_ready = 1, edge(u), u->in.rx_ready = 0;
    expect_empty(u);
  }
}

// The bus pauses in front of each flit of a packet: what came is taken, the rest waits.
static void a_pause_before_each_flit(unit *u) {
  for (uint32_t len = 1; len <= TSV_BODY; len++)
    for (uint32_t pause = 1; pause <= len; pause++) {
      for (uint32_t i = 0; i <= len; i++) {
        if (i == pause)
          for (unsigned k = 0; k < 5; k++) {
            edge(u);
            assert_int_equal(u->out.rx_valid, 0);
            assert_int_equal(u->out.busy, 1);
            assert_int_equal(u->out.dn_credit, k == 0);
          }
        bring(u, flit_of(pause, len, i)), edge(u);
      }
      assert_int_equal(u->out.rx_valid, 0);
      edge(u);
      expect_packet(u, pause, len);
      u->in.rx_ready = 1, edge(u), u->in.rx_ready = 0;
      expect_empty(u);
    }
}

// A packet that nobody takes stands, whatever comes behind it; when it is taken the next enters at
// that edge, and is complete at once if it is short.
static void a_packet_that_waits(unit *u) {
  for (uint32_t len = 0; len <= TSV_BODY; len++)
    for (uint32_t next = 0; next < 8; next++) {
      for (uint32_t i = 0; i <= len; i++)
        bring(u, flit_of(5, len, i)), edge(u);
      edge(u);
      expect_packet(u, 5, len);
      for (uint32_t i = 0; i <= next; i++) {
        bring(u, flit_of(6, next, i)), edge(u);
        expect_packet(u, 5, len);
        assert_int_equal(u->out.dn_credit, 0);
      }
      u->keep = true;
      u->in.rx_ready = 1, edge(u), u->in.rx_ready = 0;
      for (unsigned k = 0; len > 1 && k < 4; k++) {  // its body stays
        assert_int_equal(u->out.rx_valid, 0);
        assert_int_equal(u->out.dn_credit, 0);
        assert_int_equal(u->out.busy, 1);
        assert_true(tsv_flit(u->out.rx_head) == flit_of(5, len, 0));
        for (uint32_t i = 0; i < TSV_BODY; i++)
          assert_true(tsv_flit(&u->out.rx_body[2 * i]) == (i < len ? flit_of(5, len, i + 1) : 0));
        u->in.rx_release = k == 3, edge(u);
      }
      u->keep = false;
      for (uint32_t taken = 2; taken < next + 1; taken += 2) {
        assert_int_equal(u->out.rx_valid, 0);
        assert_int_equal(u->out.busy, 1);
        edge(u);
      }
      expect_packet(u, 6, next);
      u->in.rx_ready = 1, edge(u), u->in.rx_ready = 0;
      expect_empty(u);
    }
}

// Ready before there is a packet takes nothing: a body goes on, and a packet stays an edge.
static void ready_too_early(unit *u) {
  u->in.rx_ready = 1;
  for (uint32_t i = 0; i <= 5; i++) {
    bring(u, flit_of(8, 5, i)), edge(u);
    assert_int_equal(u->out.rx_valid, 0);
  }
  edge(u);
  expect_packet(u, 8, 5);
  edge(u);
  expect_empty(u);
}

// ---- bodies that stay

// Until rx_release the queue fills up, and not a flit is taken; then the assembler goes on at that
// edge, or later, when something comes.
static void a_long_body_stays_until_release(unit *u) {
  for (uint32_t len = 2; len <= TSV_BODY; len++)
    for (uint32_t behind = 0; behind <= STRUCTURE_RX_DEPTH; behind += 4) {
      u->keep = true;
      for (uint32_t i = 0; i <= len; i++) {
        while (!u->room)
          edge(u);
        bring(u, flit_of(3, len, i)), edge(u);
      }
      edge(u);
      expect_packet(u, 3, len);
      u->in.rx_ready = 1, edge(u);
      expect_empty(u);  // a body that stays is no work
      for (uint32_t i = 0; i < behind; i++) {
        bring(u, flit_of(4 + i / 2, 1, i % 2)), edge(u);
        assert_int_equal(u->out.dn_credit, 0);
        assert_int_equal(u->out.rx_valid, 0);
      }
      for (unsigned k = 0; k < 5; k++) {
        assert_int_equal(u->out.dn_credit, 0);
        assert_int_equal(u->out.busy, behind > 0);
        assert_true(tsv_flit(u->out.rx_head) == flit_of(3, len, 0));
        for (uint32_t i = 0; i < TSV_BODY; i++)
          assert_true(tsv_flit(&u->out.rx_body[2 * i]) == (i < len ? flit_of(3, len, i + 1) : 0));
        edge(u);
      }
      u->in.rx_release = 1;
      for (uint32_t n = 0; n < behind / 2; n++) {
        edge(u);
        expect_packet(u, 4 + n, 1);
        assert_int_equal(u->out.dn_credit, 2);
      }
      edge(u);
      expect_empty(u);
      bring(u, flit_of(9, 0, 0)), edge(u), edge(u);
      expect_packet(u, 9, 0);
      edge(u), u->in.rx_ready = 0;
      expect_empty(u);
    }
}

// The next packet enters at the edge at which one with a body of none or one flit is taken.
static void a_short_body_does_not_stay(unit *u) {
  u->keep = true;
  for (uint32_t len = 0; len < 2; len++)
    for (uint32_t next = 0; next < 2; next++) {
      for (uint32_t i = 0; i <= len; i++)
        bring(u, flit_of(1, len, i));
      edge(u);
      for (uint32_t i = 0; i <= next; i++)
        bring(u, flit_of(2, next, i));
      edge(u);
      expect_packet(u, 1, len);
      u->in.rx_ready = 1, edge(u);
      expect_packet(u, 2, next);
      edge(u), u->in.rx_ready = 0;
      expect_empty(u);
    }
}

// Of EXEC those with three words: their length is not in LEN.
static void exec_of_two_flits_stays(unit *u) {
  for (uint32_t k = 0; k < 8; k++) {
    const uint64_t head = (uint64_t)(k & 1 ? ISA_OP_SELP : ISA_OP_ADD) << 12 |
                          (uint64_t)(k >> 1 & 1) << 59 | (uint64_t)(k >> 2) << 63;
    const uint32_t flits = tsv_dn_len(head);
    assert_int_equal(flits, k == 0 ? 0 : k == 7 ? 2 : 1);
    u->keep = true;
    bring(u, head);
    for (uint32_t i = 0; i < flits; i++) {
      if (u->in.dn_count == 2)
        edge(u);
      bring(u, ~0ull);
    }
    edge(u), edge(u);
    assert_int_equal(u->out.rx_valid, 1);
    bring(u, flit_of(2, 0, 0)), edge(u);
    u->in.rx_ready = 1, edge(u);
    assert_int_equal(u->out.rx_valid, flits < 2);
    edge(u), edge(u);
    assert_int_equal(u->out.rx_valid, 0);
    reset(u);
  }
}

// Released at the first edge after it was taken: the assembler rests for one edge only.
static void release_at_once(unit *u) {
  for (uint32_t i = 0; i < 6; i += 2)
    bring(u, flit_of(1 + i / 3, 2, i % 3)), bring(u, flit_of(1 + (i + 1) / 3, 2, (i + 1) % 3)),
        edge(u);
  u->in.rx_ready = 1;
  expect_packet(u, 1, 2);
  edge(u);  // taken
  assert_int_equal(u->out.dn_credit, 0);
  edge(u);  // released: two flits
  assert_int_equal(u->out.dn_credit, 2);
  edge(u);
  expect_packet(u, 2, 2);
}

static void reset_releases(unit *u) {
  u->keep = true;
  for (uint32_t i = 0; i <= 5; i++)
    bring(u, flit_of(1, 5, i)), edge(u);
  edge(u);
  u->in.rx_ready = 1, edge(u);
  bring(u, flit_of(2, 0, 0)), edge(u);
  assert_int_equal(u->out.busy, 1);
  reset(u);
  u->keep = true;
  bring(u, flit_of(3, 1, 0)), bring(u, flit_of(3, 1, 1)), edge(u), edge(u);
  expect_packet(u, 3, 1);
  u->in.rx_ready = 1, edge(u);
  expect_empty(u);
}

// ---- sending

static void offer(unit *u, uint32_t n, uint32_t len) {
  u->in.tx_valid = 1, u->in.tx_len = len;
  put(u->in.tx_head, flit_of(n, len, 0));
  for (uint32_t i = 0; i < TSV_BODY; i++)  // more than the packet has
    put(&u->in.tx_body[2 * i], flit_of(n, len, i + 1));
}

// Flits from number `at` on of packet n, `count` of them, and zeros.
static void expect_up(const unit *u, uint32_t n, uint32_t len, uint32_t at, uint32_t count) {
  assert_int_equal(u->out.up_count, count);
  for (uint32_t i = 0; i < 2; i++)
    assert_true(tsv_flit(&u->out.up_data[2 * i]) == (i < count ? flit_of(n, len, at + i) : 0));
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static void up_of_each_length(unit *u) {
  for (uint32_t len = 0; len <= TSV_BODY; len++)
    for (uint32_t most = 1; most <= 2; most++) {
      offer(u, len, len), edge(u);
      uint32_t edges = 0;
      for (uint32_t at = 0; at <= len; edges++) {
        const uint32_t left = len + 1 - at;
        assert_int_equal(u->out.tx_ready, 0);
        assert_int_equal(u->out.busy, 1);
        expect_up(u, len, len, at, least(left, 2));
        u->in.up_take = u->in.up_credit = least(left, most);
        at += u->in.up_take;
        edge(u);
      }
      assert_int_equal(edges, most == 2 ? len / 2 + 1 : len + 1);
      expect_empty(u);
      for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(u->out.up_data[i], 0);
    }
}

// The bus takes nothing for a while, with each number of flits left; another packet waits outside.
static void the_bus_waits_at_each_flit(unit *u) {
  for (uint32_t len = 0; len <= TSV_BODY; len++)
    for (uint32_t stop = 0; stop <= len; stop++) {
      offer(u, len, len), edge(u);
      for (uint32_t at = 0; at <= len; at++) {
        for (unsigned k = 0; k < 4 && at == stop; k++) {
          offer(u, 77, 3);  // not taken
          edge(u);
          assert_int_equal(u->out.tx_ready, 0);
          expect_up(u, len, len, at, least(len + 1 - at, 2));
        }
        u->in.up_take = u->in.up_credit = 1;
        edge(u);
      }
      expect_empty(u);
    }
}

// The edge at which the last flit leaves is not yet ready; the next packet enters one later.
static void packets_behind_one_another(unit *u) {
  offer(u, 1, 1), edge(u);
  offer(u, 2, 2), u->in.up_take = u->in.up_credit = 2, edge(u);
  assert_int_equal(u->out.tx_ready, 1);
  assert_int_equal(u->out.up_count, 0);
  offer(u, 3, 0), edge(u);
  assert_int_equal(u->out.tx_ready, 0);
  expect_up(u, 3, 0, 0, 1);
  u->in.up_take = u->in.up_credit = 1, edge(u);
  expect_empty(u);
}

// Uses up credits down to `left`.
static void spend_to(unit *u, uint32_t left) {
  uint32_t spent = 0;
  while (spent < STRUCTURE_UP_CREDITS - left) {
    const uint32_t flits = least(STRUCTURE_UP_CREDITS - left - spent, LONGEST);
    offer(u, 50, flits - 1), edge(u);
    for (uint32_t at = 0; at < flits; at++, spent++)
      u->in.up_take = 1, edge(u);
  }
  expect_empty(u);
}

static void credits_run_out_and_come_back(unit *u) {
  for (uint32_t left = 0; left < 4; left++) {
    spend_to(u, left);
    offer(u, 9, 16), edge(u);
    uint32_t at = 0;
    for (; at < left; at++) {
      expect_up(u, 9, 16, at, least(left - at, 2));
      u->in.up_take = 1, edge(u);
    }
    for (unsigned k = 0; k < 5; k++) {
      expect_up(u, 9, 16, at, 0);
      assert_int_equal(u->out.tx_ready, 0);
      assert_int_equal(u->out.busy, 1);
      edge(u);
    }
    for (uint32_t back = 1; back < 4; back++) {  // 1, 2, 3 come back
      u->in.up_credit = back, edge(u);
      for (uint32_t k = 0; k < back; k++, at++) {
        expect_up(u, 9, 16, at, least(back - k, 2));
        u->in.up_take = 1, edge(u);
      }
      expect_up(u, 9, 16, at, 0);
    }
    reset(u);
  }
}

// Exactly as many flits as credits after reset, and no one more.
static void all_credits_after_reset(unit *u) {
  offer(u, 1, 16), edge(u);
  for (uint32_t at = 0; at < 17; at++)
    expect_up(u, 1, 16, at, least(17 - at, 2)), u->in.up_take = 1, edge(u);
  offer(u, 2, 16), edge(u);
  for (uint32_t at = 0; at < 15; at++)
    expect_up(u, 2, 16, at, least(15 - at, 2)), u->in.up_take = 1, edge(u);
  expect_up(u, 2, 16, 15, 0);
}

// A flit leaves and credits come at one edge: with none left after it, one, and many.
static void credit_and_flit_at_one_edge(unit *u) {
  for (uint32_t left = 1; left < 4; left++)
    for (uint32_t take = 1; take <= least(left, 2); take++)
      for (uint32_t back = 0; back < 4; back++) {
        spend_to(u, left);
        offer(u, 3, 16), edge(u);
        expect_up(u, 3, 16, 0, least(left, 2));
        u->in.up_take = take, u->in.up_credit = back, edge(u);
        const uint32_t now = left - take + back;
        for (uint32_t k = 0; k < now; k++) {
          expect_up(u, 3, 16, take + k, least(now - k, 2));
          u->in.up_take = 1, edge(u);
        }
        expect_up(u, 3, 16, take + now, 0);
        reset(u);
      }
  spend_to(u, 1);  // a credit for each flit: the last one goes round for ever
  for (uint32_t n = 0; n < 20; n++) {
    offer(u, n, 16), edge(u);
    for (uint32_t at = 0; at < 17; at++)
      expect_up(u, n, 16, at, 1), u->in.up_take = u->in.up_credit = 1, edge(u);
  }
}

static void credits_come_back_while_nothing_is_sent(unit *u) {
  spend_to(u, 0);
  for (uint32_t k = 0; k < STRUCTURE_UP_CREDITS; k += 2)
    u->in.up_credit = 2, edge(u), expect_empty(u);
  all_credits_after_reset(u);
}

// ---- both

// The one direction stands still while the other goes on.
static void directions_share_nothing(unit *u) {
  spend_to(u, 0);
  offer(u, 4, 16), edge(u);
  u->in.rx_ready = 1;
  for (uint32_t n = 0; n < 20; n++) {
    for (uint32_t i = 0; i < 4; i++)
      bring(u, flit_of(n, 3, i)), edge(u);
    edge(u);
    expect_packet(u, n, 3);
    expect_up(u, 4, 16, 0, 0);
  }
  reset(u);
  for (uint32_t i = 0; i <= 16; i++) {
    while (!u->room)
      edge(u);
    bring(u, flit_of(7, 16, i)), edge(u);
  }
  edge(u);
  for (uint32_t n = 0; n < 20; n++) {
    offer(u, n, 2), edge(u);
    expect_up(u, n, 2, 0, 2), u->in.up_take = u->in.up_credit = 2, edge(u);
    expect_up(u, n, 2, 2, 1), u->in.up_take = u->in.up_credit = 1, edge(u);
    expect_packet(u, 7, 16);
  }
}

// ---- reset

static void reset_with_half_a_packet_received(unit *u) {
  for (uint32_t len = 1; len <= TSV_BODY; len += 5)
    for (uint32_t at = 0; at <= len; at++)
      for (unsigned later = 0; later < 3; later++) {
        for (uint32_t i = 0; i <= at; i++)
          bring(u, flit_of(1, len, i)), edge(u);
        for (unsigned k = 0; k < later; k++)
          edge(u);
        reset(u);
        for (unsigned k = 0; k < 3; k++)
          edge(u), expect_empty(u);
        for (uint32_t i = 0; i <= 2; i++)  // the next flit is a head, and all room is there
          bring(u, flit_of(2, 2, i)), edge(u);
        edge(u);
        expect_packet(u, 2, 2);
        for (uint32_t i = 0; i < STRUCTURE_RX_DEPTH; i += 2)
          bring(u, flit_of(3, 15, i)), bring(u, flit_of(3, 15, i + 1)), edge(u);
        assert_int_equal(u->room, 0);
        u->in.rx_ready = 1;
        edge(u);
        for (unsigned k = 0; k < 8; k++)  // one with rx_release
          assert_int_equal(u->out.rx_valid, 0), edge(u);
        expect_packet(u, 3, 15);
        edge(u);
        expect_empty(u);
        reset(u);
      }
}

// What comes in reset is not there.
static void reset_takes_nothing(unit *u) {
  bring(u, flit_of(1, 0, 0)), bring(u, flit_of(2, 0, 0)), offer(u, 3, 4), u->in.rx_ready = 1;
  reset(u);
  for (unsigned k = 0; k < 4; k++)
    edge(u), expect_empty(u);
}

static void reset_with_half_a_packet_sent(unit *u) {
  for (uint32_t at = 0; at <= 16; at++) {
    offer(u, 1, 16), edge(u);
    for (uint32_t i = 0; i < at; i++)
      u->in.up_take = 1, edge(u);
    reset(u);
    all_credits_after_reset(u);
    reset(u);
  }
}

#define TESTS(T)                                \
  T(down_of_each_length)                        \
  T(two_flits_meet_the_diagram)                 \
  T(each_kind_has_its_length)                   \
  T(each_exec_has_its_length)                   \
  T(one_packet_an_edge)                         \
  T(long_stream_on_returned_credits)            \
  T(full_queue_and_its_last_entry)              \
  T(the_last_entry_is_filled_when_others_leave) \
  T(a_pause_before_each_flit)                   \
  T(a_packet_that_waits)                        \
  T(ready_too_early)                            \
  T(a_long_body_stays_until_release)            \
  T(a_short_body_does_not_stay)                 \
  T(exec_of_two_flits_stays)                    \
  T(release_at_once)                            \
  T(reset_releases)                             \
  T(up_of_each_length)                          \
  T(the_bus_waits_at_each_flit)                 \
  T(packets_behind_one_another)                 \
  T(credits_run_out_and_come_back)              \
  T(all_credits_after_reset)                    \
  T(credit_and_flit_at_one_edge)                \
  T(credits_come_back_while_nothing_is_sent)    \
  T(directions_share_nothing)                   \
  T(reset_with_half_a_packet_received)          \
  T(reset_takes_nothing)                        \
  T(reset_with_half_a_packet_sent)

#include "tb/cosim/directed.h"
