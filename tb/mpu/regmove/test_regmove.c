// SPDX-License-Identifier: Apache-2.0
// Cases of regmove by name, each on the Verilog and on the twin, with the edges that they take.
#include "tb/mpu/regmove/unit.h"

static void each(void (*test)(unit *u)) {
  on_both(NULL, test);
}

// ---- writing

static void offer(unit *u, uint32_t tag, uint32_t reg, uint32_t mask, uint32_t uniform) {
  const uint32_t flits = uniform ? 1 : (count(mask) + 1) / 2;
  const uint64_t head = TSV_DN_REGWR | tsv_put(TSV_DN_ANY_TAG, tag) |
                        tsv_put(TSV_DN_ANY_LEN, flits) | tsv_put(TSV_DN_REGWR_LINEAR, uniform) |
                        tsv_put(TSV_DN_REGWR_REG, reg) | tsv_put(TSV_DN_REGWR_MASK, mask);
  u->in.wr_valid = 1;
  u->in.wr_head[0] = (uint32_t)head, u->in.wr_head[1] = (uint32_t)(head >> 32);
  for (uint32_t w = 0; w < L; w++)
    u->in.wr_body[w] = value_of(tag, w);
}

// What stands at the port of the register file. Lanes that are off show the body.
static void expect_write(const unit *u, uint32_t tag, uint32_t reg, uint32_t mask,
                         uint32_t uniform) {
  assert_int_equal(u->out.w_valid, 1);
  assert_int_equal(u->out.w_reg, reg);
  assert_int_equal(u->out.w_mask, mask);
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(u->out.w_data[l], value_of(tag, uniform         ? 0
                                                     : mask >> l & 1 ? rank(mask, l)
                                                                     : l));
}

static unsigned edges_of_write(uint32_t mask, uint32_t uniform) {
  return uniform || mask == ~0u ? 0 : (count(mask) + 1) / 2;
}

// A whole REGWR, each edge of it.
static void write_packet(unit *u, uint32_t tag, uint32_t reg, uint32_t mask, uint32_t uniform) {
  assert_int_equal(u->out.wr_ready, 1);
  offer(u, tag, reg, mask, uniform), edge(u);
  for (unsigned n = edges_of_write(mask, uniform); n--; edge(u)) {
    assert_int_equal(u->out.w_valid, 0);
    assert_int_equal(u->out.busy, 1);
  }
  expect_write(u, tag, reg, mask, uniform);
  for (uint32_t l = 0; l < L; l++)
    if (mask >> l & 1)
      u->regs[reg][l] = u->out.w_data[l];
  assert_int_equal(u->out.wr_ready | u->out.done_valid, 0);
  u->in.w_done = 1, edge(u);
  assert_int_equal(u->out.w_valid | u->out.wr_ready, 0);
  assert_int_equal(u->out.done_valid, 1);
  assert_int_equal(u->out.done_tag, tag);
  u->in.done_ready = 1, edge(u);
  expect_empty(u);
}

static void write_of_a_whole_register(unit *u) {
  for (uint32_t reg = 0; reg < REGS; reg++)
    write_packet(u, 255 - reg, reg, ~0u, 0);
}

static void write_of_one_word_for_all(unit *u) {
  write_packet(u, 1, 127, ~0u, 1);
  for (uint32_t n = 0; n < MASKS; n++)
    write_packet(u, n, n, mask_of(n), 1);
}

static void write_of_some_lanes(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++)
    write_packet(u, n, n, mask_of(n), 0);
}

static void write_of_each_lane_alone(unit *u) {
  for (uint32_t l = 0; l < L; l++) {
    write_packet(u, l, l, 1u << l, 0);
    write_packet(u, l, l, 1u << l, 1);
    write_packet(u, l, l, ~(1u << l), 0);
  }
}

// Nor is word 1 of LINEAR looked at: offer() has any.
static void bits_are_nothing_without_patterns(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++)
    for (uint32_t uniform = 0; uniform < 2; uniform++) {
      offer(u, n, n, mask_of(n), uniform);
      u->in.wr_head[0] |= 1u << 25;
      edge(u), edges(u, edges_of_write(mask_of(n), uniform));
      expect_write(u, n, n, mask_of(n), uniform);
      u->in.w_done = 1, edge(u);
      u->in.done_ready = 1, edge(u);
      expect_empty(u);
    }
}

// Instructions write first: the port takes the register after any number of edges.
static void instructions_have_the_port(unit *u) {
  static const uint32_t masks[] = {~0u, 0x00ff0100, 3};
  for (uint32_t k = 0; k < 3; k++)
    for (unsigned wait = 0; wait < 40; wait += 1 + wait / 5) {
      offer(u, k, 9, masks[k], 0), edge(u);
      edges(u, edges_of_write(masks[k], 0));
      for (unsigned n = 0; n < wait; n++) {
        offer(u, 200, 1, 1, 1);  // the next packet waits outside
        edge(u);
        expect_write(u, k, 9, masks[k], 0);
        assert_int_equal(u->out.wr_ready, 0);
      }
      u->in.w_done = 1, edge(u);
      assert_int_equal(u->out.done_valid, 1);
      u->in.done_ready = 1, edge(u);
      expect_empty(u);
    }
}

static void the_completion_waits(unit *u) {
  offer(u, 77, 5, ~0u, 0), edge(u);
  u->in.w_done = 1, edge(u);
  for (unsigned n = 0; n < 20; n++) {
    offer(u, 200, 1, 1, 1), edge(u);
    assert_int_equal(u->out.done_valid, 1);
    assert_int_equal(u->out.done_tag, 77);
    assert_int_equal(u->out.wr_ready | u->out.w_valid, 0);
  }
  u->in.done_ready = 1;
  offer(u, 200, 1, 1, 1), edge(u);  // is not ready at that edge
  expect_empty(u);
}

// What comes too early has no effect.
static void done_and_ready_too_early(unit *u) {
  u->in.w_done = u->in.done_ready = 1, offer(u, 1, 2, 0xff, 0), edge(u);
  for (unsigned n = 0; n < 4; n++) {
    assert_int_equal(u->out.w_valid | u->out.done_valid, 0);
    u->in.w_done = u->in.done_ready = 1, edge(u);
  }
  expect_write(u, 1, 2, 0xff, 0);
  u->in.done_ready = 1, edge(u);
  expect_write(u, 1, 2, 0xff, 0);
  u->in.w_done = u->in.done_ready = 1, edge(u);
  assert_int_equal(u->out.done_valid, 1);
  u->in.done_ready = 1, edge(u);
  expect_empty(u);
}

static void writes_behind_one_another(unit *u) {
  unsigned taken = 0;
  for (unsigned t = 0; t < 90; t++) {  // a whole register in three edges
    assert_int_equal(u->out.wr_ready, t % 3 == 0);
    if (u->out.wr_ready)
      taken++;
    if (u->out.w_valid)
      expect_write(u, taken - 1, 127 - (taken - 1), ~0u, 0);
    if (u->out.done_valid)
      assert_int_equal(u->out.done_tag, taken - 1);
    offer(u, t / 3, 127 - t / 3, ~0u, 0);
    u->in.w_done = u->out.w_valid, u->in.done_ready = 1;
    edge(u);
  }
  assert_int_equal(taken, 30);
}

// ---- sending

static bool is_uniform(uint32_t mask, const uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    if (mask >> l & 1 && words[l] != words[__builtin_ctz(mask)])
      return false;
  return true;
}

// What goes up. Behind it there is what was left.
static void expect_up(const unit *u, uint32_t tag, uint32_t mask, const uint32_t *words) {
  const bool uniform = is_uniform(mask, words);
  const uint32_t n = uniform ? 1 : count(mask), len = (n + 1) / 2;
  assert_int_equal(u->out.up_valid, 1);
  assert_int_equal(u->out.up_len, len);
  assert_true(tsv_flit(u->out.up_head) ==
              (TSV_UP_REGD | tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_ANY_LEN, len) |
               tsv_put(TSV_UP_REGD_LINEAR, uniform)));
  for (uint32_t l = 0, k = 0; l < L && k < n; l++)
    if (mask >> l & 1)
      assert_int_equal(u->out.up_body[k++], words[l]);
  if (n % 2)
    assert_int_equal(u->out.up_body[n], 0);
  for (uint32_t w = 2 * len; w < L; w++)
    assert_int_equal(u->out.up_body[w], words[w]);
}

static unsigned edges_of_read(uint32_t mask, const uint32_t *words) {
  return 2 + (is_uniform(mask, words) || mask == ~0u ? 0 : (count(mask) + 1) / 2);
}

static void read_packet(unit *u, uint32_t tag, uint32_t mask, const uint32_t *words) {
  assert_int_equal(u->out.rd_ready, 1);
  bring(u, tag, mask, words), edge(u);
  for (unsigned n = edges_of_read(mask, words); n--; edge(u)) {
    assert_int_equal(u->out.up_valid | u->out.rd_ready, 0);
    assert_int_equal(u->out.busy, 1);
  }
  expect_up(u, tag, mask, words);
  u->in.up_ready = 1, edge(u);
  expect_empty(u);
}

static void some_words(uint32_t n, uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    words[l] = value_of(n, l);
}

static void read_of_a_whole_register(unit *u) {
  uint32_t words[L];
  for (uint32_t n = 0; n < 20; n++)
    some_words(n, words), read_packet(u, n, ~0u, words);
}

static void read_of_some_lanes(unit *u) {
  uint32_t words[L];
  for (uint32_t n = 0; n < MASKS; n++)
    some_words(n, words), read_packet(u, n, mask_of(n), words);
}

static void read_of_each_lane_alone(unit *u) {
  uint32_t words[L];
  for (uint32_t l = 0; l < L; l++) {
    some_words(l, words);
    read_packet(u, l, 1u << l, words);  // is uniform
    read_packet(u, l, ~(1u << l), words);
  }
}

// One word for all lanes, also where others differ that do not take part.
static void uniform_registers(unit *u) {
  static const uint32_t values[] = {0, ~0u, 0x80000000, 12345};
  for (uint32_t v = 0; v < 4; v++) {
    uint32_t words[L];
    for (uint32_t l = 0; l < L; l++)
      words[l] = values[v];
    read_packet(u, v, ~0u, words);
    assert_int_equal(u->out.up_len, 1);
    for (uint32_t n = 0; n < MASKS; n++) {
      for (uint32_t l = 0; l < L; l++)
        words[l] = mask_of(n) >> l & 1 ? values[v] : ~values[v];
      read_packet(u, n, mask_of(n), words);
      assert_int_equal(u->out.up_len, 1);
    }
  }
}

// One bit of one lane makes the difference, the lowest lane's included.
static void nearly_uniform_registers(unit *u) {
  for (uint32_t l = 0; l < L; l++)
    for (uint32_t bit = 0; bit < 32; bit += 1 + l % 5) {
      uint32_t words[L] = {0};
      words[l] = 1u << bit;
      read_packet(u, l, ~0u, words);
      assert_int_equal(u->out.up_len, 16);
      read_packet(u, l, 1u << l | 1u << (l + 7) % L | 1u << (l + 20) % L, words);
      assert_int_equal(u->out.up_len, 2);
      read_packet(u, l, ~(1u << l), words);
      assert_int_equal(u->out.up_len, 1);
    }
}

// Registers that grow by a step, and masks, go up as words.
static void patterns_are_words_without_patterns(unit *u) {
  for (uint32_t n = 0; n <= MASKS; n++) {
    const uint32_t mask = n < MASKS ? mask_of(n) : ~0u;
    uint32_t words[L];
    for (uint32_t l = 0; l < L; l++)
      words[l] = n + 4 * l;
    read_packet(u, n, mask, words);
    for (uint32_t l = 0; l < L; l++)
      words[l] = -(0x5a3c96f0 >> l & 1);
    read_packet(u, n, mask, words);
  }
}

// The TSVs make wait, with a packet of every length; the next register waits outside.
static void the_packet_waits(unit *u) {
  for (uint32_t n = 0; n < MASKS; n += 3) {
    uint32_t words[L], others[L];
    some_words(n, words), some_words(n + 1, others);
    bring(u, n, mask_of(n), words), edge(u);
    edges(u, edges_of_read(mask_of(n), words));
    for (unsigned k = 0; k < 10; k++) {
      bring(u, 250, ~0u, others), edge(u);
      expect_up(u, n, mask_of(n), words);
      assert_int_equal(u->out.rd_ready, 0);
    }
    u->in.up_ready = 1;
    bring(u, 250, ~0u, others), edge(u);  // is not ready at that edge
    expect_empty(u);
  }
}

static void ready_before_the_packet(unit *u) {
  uint32_t words[L];
  some_words(3, words);
  u->in.up_ready = 1, bring(u, 3, 0xf0f, words), edge(u);
  for (unsigned n = 0; n < 6; n++) {
    assert_int_equal(u->out.up_valid, 0);
    u->in.up_ready = 1, edge(u);
  }
  expect_up(u, 3, 0xf0f, words);
  edge(u);
  expect_up(u, 3, 0xf0f, words);
  u->in.up_ready = 1, edge(u);
  expect_empty(u);
}

// head and length of the last packet stand until the next one is there.
static void reads_behind_one_another(unit *u) {
  uint32_t words[L];
  uint64_t head = 0;
  for (unsigned t = 0; t < 80; t++) {  // a whole register in four edges
    assert_int_equal(u->out.rd_ready, t % 4 == 0);
    assert_int_equal(u->out.up_valid, t % 4 == 3);
    some_words(t / 4, words);
    if (u->out.up_valid)
      expect_up(u, t / 4, ~0u, words), head = tsv_flit(u->out.up_head);
    else
      assert_true(tsv_flit(u->out.up_head) == head);
    bring(u, t / 4, ~0u, words);
    u->in.up_ready = 1;
    edge(u);
  }
}

// ---- both

// Starts one, and so many edges later the other: each takes the edges that it takes alone.
static void directions_share_nothing(unit *u) {
  static const uint32_t masks[] = {~0u, 0x0ff00ff7, 0x00000003, 0x80000000};
  for (uint32_t k = 0; k < 16; k++)
    for (int shift = -14; shift <= 14; shift++) {
      const uint32_t wr = masks[k % 4], rd = masks[k / 4];
      uint32_t words[L];
      some_words(k, words);
      const int wr_at = shift > 0 ? shift : 0, rd_at = shift < 0 ? -shift : 0;
      const int w_at = wr_at + 1 + (int)edges_of_write(wr, 0);
      const int up_at = rd_at + 1 + (int)edges_of_read(rd, words);
      for (int t = 0; t < 50; t++) {
        assert_int_equal(u->out.w_valid, t == w_at);
        assert_int_equal(u->out.done_valid, t == w_at + 1);
        assert_int_equal(u->out.up_valid, t == up_at);
        assert_int_equal(u->out.busy, (t > wr_at && t <= w_at + 1) || (t > rd_at && t <= up_at));
        if (t == w_at)
          expect_write(u, k, 64 + k, wr, 0);
        if (t == up_at)
          expect_up(u, 99, rd, words);
        if (t == wr_at)
          offer(u, k, 64 + k, wr, 0);
        if (t == rd_at)
          bring(u, 99, rd, words);
        u->in.w_done = u->out.w_valid, u->in.done_ready = 1, u->in.up_ready = 1;
        edge(u);
      }
      expect_empty(u);
    }
}

// A register is written, read, written in part, and read again.
static void the_same_register_written_and_read(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++) {
    const uint32_t mask = mask_of(n), reg = n % REGS;
    uint32_t want[L];
    write_packet(u, n, reg, ~0u, 0);
    some_words(n, want);
    assert_memory_equal(u->regs[reg], want, sizeof want);
    read_packet(u, n, mask, u->regs[reg]);
    write_packet(u, n + 100, reg, mask, n % 3 == 0);
    for (uint32_t l = 0; l < L; l++)
      if (mask >> l & 1)
        want[l] = value_of(n + 100, n % 3 == 0 ? 0 : rank(mask, l));
    assert_memory_equal(u->regs[reg], want, sizeof want);
    read_packet(u, n, mask, u->regs[reg]);
    read_packet(u, n, ~mask, u->regs[reg]);
    read_packet(u, n, ~0u, u->regs[reg]);
  }
}

// A packet that went up, brought down again, makes the same register.
static void there_and_back(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++) {
    uint32_t words[L];
    some_words(n, words);
    bring(u, n, mask_of(n), words), edge(u);
    edges(u, edges_of_read(mask_of(n), words));
    const uint32_t uniform = (uint32_t)tsv_get(tsv_flit(u->out.up_head), TSV_UP_REGD_LINEAR);
    offer(u, n, 1, mask_of(n), uniform);
    memcpy(u->in.wr_body, u->out.up_body, sizeof u->in.wr_body);
    u->in.up_ready = 1, edge(u);
    edges(u, edges_of_write(mask_of(n), uniform));
    assert_int_equal(u->out.w_valid, 1);
    for (uint32_t l = 0; l < L; l++)
      if (mask_of(n) >> l & 1)
        assert_int_equal(u->out.w_data[l], words[l]);
    u->in.w_done = 1, edge(u);
    u->in.done_ready = 1, edge(u);
    expect_empty(u);
  }
}

// Neither direction waits for the other: with the one shut the other goes on, and with both shut
// each goes on when it is let.
static void no_deadlock_with_both_full(unit *u) {
  uint32_t words[L];
  some_words(1, words);
  offer(u, 1, 2, 0xffff, 0), bring(u, 3, 0xfff, words), edge(u);
  edges(u, 30);
  expect_write(u, 1, 2, 0xffff, 0);
  expect_up(u, 3, 0xfff, words);
  for (uint32_t n = 0; n < 20; n++) {  // the port of the register file is shut
    expect_up(u, n ? n : 3, n ? ~0u : 0xfff, words);
    u->in.up_ready = 1, edge(u);
    assert_int_equal(u->out.rd_ready, 1);
    bring(u, n + 1, ~0u, words), edge(u);
    edges(u, 2);
    expect_write(u, 1, 2, 0xffff, 0);
  }
  for (uint32_t n = 0; n < 20; n++) {  // the TSVs are
    expect_write(u, n ? n : 1, 2, n ? ~0u : 0xffff, 0);
    u->in.w_done = 1, edge(u);
    u->in.done_ready = 1, edge(u);
    assert_int_equal(u->out.wr_ready, 1);
    offer(u, n + 1, 2, ~0u, 0), edge(u);
    expect_up(u, 20, ~0u, words);
  }
  u->in.w_done = u->in.up_ready = 1, edge(u);
  u->in.done_ready = 1, edge(u);
  expect_empty(u);
}

// ---- reset

static void reset_in_the_middle(unit *u) {
  static const uint32_t masks[] = {~0u, 0x7fffffff, 0x0f0f0000, 1};
  uint32_t words[L];
  some_words(5, words);
  for (uint32_t k = 0; k < 4; k++)
    for (unsigned at = 0; at < 25; at++) {
      offer(u, 1, 2, masks[k], 0), bring(u, 3, masks[k], words), edge(u);
      for (unsigned t = 0; t < at; t++) {
        u->in.w_done = u->out.w_valid && at % 2;  // with and without a completion that waits
        edge(u);
      }
      offer(u, 4, 5, ~0u, 0), bring(u, 6, ~0u, words);  // are not taken
      u->in.w_done = u->in.done_ready = u->in.up_ready = at % 3 == 0;
      any_edge(u, 0);
      expect_empty(u);
      edges(u, at % 4);
      expect_empty(u);
      write_packet(u, 10, 11, masks[(k + 1) % 4], 0);
      read_packet(u, 12, masks[(k + 2) % 4], words);
    }
}

#define TESTS(T)                         \
  T(write_of_a_whole_register)           \
  T(write_of_one_word_for_all)           \
  T(write_of_some_lanes)                 \
  T(write_of_each_lane_alone)            \
  T(bits_are_nothing_without_patterns)   \
  T(instructions_have_the_port)          \
  T(the_completion_waits)                \
  T(done_and_ready_too_early)            \
  T(writes_behind_one_another)           \
  T(read_of_a_whole_register)            \
  T(read_of_some_lanes)                  \
  T(read_of_each_lane_alone)             \
  T(uniform_registers)                   \
  T(nearly_uniform_registers)            \
  T(patterns_are_words_without_patterns) \
  T(the_packet_waits)                    \
  T(ready_before_the_packet)             \
  T(reads_behind_one_another)            \
  T(directions_share_nothing)            \
  T(the_same_register_written_and_read)  \
  T(there_and_back)                      \
  T(no_deadlock_with_both_full)          \
  T(reset_in_the_middle)

#include "tb/cosim/directed.h"
