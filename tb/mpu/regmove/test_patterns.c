// SPDX-License-Identifier: Apache-2.0
// Cases of regmove with PATTERNS by name: registers that grow by a step from lane to lane, masks,
// and those that are neither, by a bit. Each on the Verilog and on the twin, with the edges that
// they take.
#include "tb/mpu/regmove/unit.h"

enum { STEP_EDGES = 5 };
typedef enum kind { PLAIN, LINEAR, BITS } kind;

static void each(void (*test)(unit *u)) {
  const structure sizes = {.patterns = 1};
  on_both(&sizes, test);
}

static const uint32_t values[] = {0,          1,          ~0u,        0x80000000,
                                  0x7fffffff, 0xfffffff0, 0x12345678, 0xdeadbeef};
static const uint32_t steps[] = {1,          2,          4,          12,         0x80000000,
                                 ~0u,        -4u,        0x08000000, 0x10000001, 0x55555555,
                                 0xaaaaaaab, 0x00010000, 0x7fffffff, 0x9e3779b1};
enum { VALUES = sizeof values / 4, STEPS = sizeof steps / 4 };

static void line(uint32_t word, uint32_t step, uint32_t *words) {
  for (uint32_t l = 0; l < L; l++, word += step)
    words[l] = word;
}

static void lanes_of(uint32_t set, uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    words[l] = set >> l & 1 ? ~0u : 0;
}

static void some_words(uint32_t n, uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    words[l] = value_of(n, l);
}

// ---- writing

static void offer(unit *u, uint32_t tag, uint32_t mask, kind k, const uint32_t *body) {
  const uint64_t head =
      TSV_DN_REGWR | tsv_put(TSV_DN_ANY_TAG, tag) |
      tsv_put(TSV_DN_ANY_LEN, k == PLAIN ? (count(mask) + 1) / 2 : 1) |
      tsv_put(TSV_DN_REGWR_LINEAR, k == LINEAR) | tsv_put(TSV_DN_REGWR_BITS, k == BITS) |
      tsv_put(TSV_DN_REGWR_REG, 127 - tag % REGS) | tsv_put(TSV_DN_REGWR_MASK, mask);
  u->in.wr_valid = 1;
  u->in.wr_head[0] = (uint32_t)head, u->in.wr_head[1] = (uint32_t)(head >> 32);
  memcpy(u->in.wr_body, body, sizeof u->in.wr_body);
}

// A body of one flit; what lies behind it is of no matter.
static void offer2(unit *u, uint32_t tag, uint32_t mask, kind k, uint32_t word0, uint32_t word1) {
  uint32_t body[L];
  some_words(tag, body);
  body[0] = word0, body[1] = word1;
  offer(u, tag, mask, k, body);
}

static void expect_data(const unit *u, const uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    assert_int_equal(u->out.w_data[l], words[l]);
}

// All lanes, in the mask or not.
static void expect_write(const unit *u, uint32_t tag, uint32_t mask, const uint32_t *words) {
  assert_int_equal(u->out.w_valid, 1);
  assert_int_equal(u->out.w_reg, 127 - tag % REGS);
  assert_int_equal(u->out.w_mask, mask);
  assert_int_equal(u->out.wr_ready | u->out.done_valid, 0);
  expect_data(u, words);
}

static void end_write(unit *u, uint32_t tag) {
  u->in.w_done = 1, edge(u);
  assert_int_equal(u->out.w_valid | u->out.wr_ready, 0);
  assert_int_equal(u->out.done_valid, 1);
  assert_int_equal(u->out.done_tag, tag);
  u->in.done_ready = 1, edge(u);
  expect_empty(u);
}

// What the data register shows after n edges of STEP: 2^n lanes have their word.
static void made(uint32_t word, uint32_t step, unsigned n, uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    words[l] = word + (l >> n ? 0 : l * step);
}

static void expect_step(const unit *u, uint32_t word, uint32_t step, unsigned n) {
  uint32_t words[L];
  made(word, step, n, words);
  expect_data(u, words);
  assert_int_equal(u->out.w_valid | u->out.wr_ready | u->out.done_valid, 0);
  assert_int_equal(u->out.busy, 1);
}

static void write_line(unit *u, uint32_t tag, uint32_t mask, uint32_t word, uint32_t step) {
  uint32_t words[L];
  offer2(u, tag, mask, LINEAR, word, step), edge(u);
  for (unsigned n = 0; step && n < STEP_EDGES; n++, edge(u))
    expect_step(u, word, step, n);
  line(word, step, words);
  expect_write(u, tag, mask, words);
  end_write(u, tag);
}

static void write_bits(unit *u, uint32_t tag, uint32_t mask, uint32_t set, uint32_t word1) {
  uint32_t words[L];
  offer2(u, tag, mask, BITS, set, word1), edge(u);
  lanes_of(set, words);
  expect_write(u, tag, mask, words);
  end_write(u, tag);
}

static void a_line_takes_five_edges(unit *u) {
  for (uint32_t v = 0; v < VALUES; v++)
    for (uint32_t s = 0; s < STEPS; s++)
      write_line(u, v * STEPS + s, ~0u, values[v], steps[s]);
}

static void a_line_of_some_lanes(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++)
    write_line(u, n, mask_of(n), values[n % VALUES], steps[n % STEPS]);
  for (uint32_t l = 0; l < L; l++)
    write_line(u, l, 1u << l, 7, 9), write_line(u, l, ~(1u << l), 0, 1u << l);
}

static void steps_wrap(unit *u) {
  for (uint32_t bit = 0; bit < 32; bit++) {
    write_line(u, bit, ~0u, 0, 1u << bit);
    write_line(u, bit, ~0u, ~0u, 1u << bit);
    write_line(u, bit, ~0u, 1u << bit, -1u << bit);
    write_line(u, bit, ~0u, 0u - (1u << bit), ~0u >> bit);
  }
}

static void a_step_of_zero_takes_none(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++)
    write_line(u, n, mask_of(n), values[n % VALUES], 0);
  for (uint32_t v = 0; v < VALUES; v++)
    write_line(u, v, ~0u, values[v], 0);
}

static void bits_of_each_lane(unit *u) {
  for (uint32_t l = 0; l < L; l++) {
    write_bits(u, l, ~0u, 1u << l, 0);
    write_bits(u, l, ~0u, ~(1u << l), value_of(l, 1));  // word 1 is of no matter
    write_bits(u, l, 1u << l, 1u << l, ~0u);
    write_bits(u, l, 1u << l, ~(1u << l), 1);
  }
  write_bits(u, 1, ~0u, 0, 1), write_bits(u, 1, ~0u, ~0u, 1);
}

static void bits_of_some_lanes(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++) {
    write_bits(u, n, mask_of(n), mask_of((n + 7) % MASKS), n);
    write_bits(u, n, mask_of(n), value_of(n, 3), n);
  }
}

// Also where its words grow by a step: what counts is what the head says.
static void plain_words_are_as_ever(unit *u) {
  for (uint32_t n = 0; n <= MASKS; n++) {
    const uint32_t mask = n < MASKS ? mask_of(n) : ~0u;
    uint32_t body[L], words[L];
    n % 2 ? line(n, n, body) : some_words(n, body);
    for (uint32_t l = 0; l < L; l++)
      words[l] = body[mask >> l & 1 ? rank(mask, l) : l];
    offer(u, n, mask, PLAIN, body), edge(u);
    edges(u, mask == ~0u ? 0 : (count(mask) + 1) / 2);
    expect_write(u, n, mask, words);
    end_write(u, n);
  }
}

// A packet of each kind, right behind one of each kind.
static void kinds_behind_one_another(unit *u) {
  uint32_t body[L];
  some_words(3, body);
  for (unsigned n = 0; n < 25; n++)
    for (unsigned which = 0; which < 2; which++)
      switch (which ? n % 5 : n / 5) {
        case 0:
          write_line(u, n, ~0u, n, 3);
          break;
        case 1:
          write_line(u, n, 0xff0, n, 0);
          break;
        case 2:
          write_bits(u, n, 0xffff, 0xf0f0f0f0, ~n);
          break;
        case 3:
          offer(u, n, ~0u, PLAIN, body), edge(u);
          expect_write(u, n, ~0u, body);
          end_write(u, n);
          break;
        default:
          offer(u, n, 0xf, PLAIN, body), edge(u), edges(u, 2);
          expect_write(u, n, 0xf, body);
          end_write(u, n);
      }
}

// In STEP nothing else is taken, and what comes too early has no effect.
static void the_next_packet_waits(unit *u) {
  uint32_t words[L];
  offer2(u, 1, 0xffff, LINEAR, 5, 3), edge(u);
  for (unsigned n = 0; n < STEP_EDGES; n++) {
    expect_step(u, 5, 3, n);
    u->in.w_done = u->in.done_ready = 1;
    offer2(u, 2, ~0u, n % 2 ? BITS : LINEAR, 77, 88), edge(u);
  }
  line(5, 3, words);
  for (unsigned n = 0; n < 10; n++) {
    expect_write(u, 1, 0xffff, words);
    u->in.done_ready = 1, offer2(u, 2, ~0u, LINEAR, 77, 88), edge(u);
  }
  end_write(u, 1);
}

// ---- sending

static bool same(uint32_t mask, const uint32_t *words) {
  for (uint32_t l = 0; l < L; l++)
    if (mask >> l & 1 && words[l] != words[__builtin_ctz(mask)])
      return false;
  return true;
}

static void expect_head(const unit *u, uint32_t tag, kind k, uint32_t len) {
  assert_int_equal(u->out.up_valid, 1);
  assert_int_equal(u->out.up_len, len);
  assert_true(tsv_flit(u->out.up_head) ==
              (TSV_UP_REGD | tsv_put(TSV_UP_ANY_TAG, tag) | tsv_put(TSV_UP_ANY_LEN, len) |
               tsv_put(TSV_UP_REGD_LINEAR, k == LINEAR) | tsv_put(TSV_UP_REGD_BITS, k == BITS)));
}

static void begin_read(unit *u, uint32_t tag, uint32_t mask, const uint32_t *words, unsigned n) {
  assert_int_equal(u->out.rd_ready, 1);
  bring(u, tag, mask, words), edge(u);
  for (; n--; edge(u)) {
    assert_int_equal(u->out.up_valid | u->out.rd_ready, 0);
    assert_int_equal(u->out.busy, 1);
  }
}

// It goes up as one flit, after two edges; behind the flit is the register as it came.
static void read_short(unit *u, uint32_t tag, uint32_t mask, const uint32_t *words, kind k,
                       uint32_t word0, uint32_t word1) {
  begin_read(u, tag, mask, words, 2);
  expect_head(u, tag, k, 1);
  assert_int_equal(u->out.up_body[0], word0);
  assert_int_equal(u->out.up_body[1], word1);
  for (uint32_t w = 2; w < L; w++)
    assert_int_equal(u->out.up_body[w], words[w]);
  u->in.up_ready = 1, edge(u);
  expect_empty(u);
}

// All of its words go up.
static void read_words(unit *u, uint32_t tag, uint32_t mask, const uint32_t *words) {
  const uint32_t n = count(mask), len = (n + 1) / 2;
  begin_read(u, tag, mask, words, 2 + (mask == ~0u ? 0 : len));
  expect_head(u, tag, PLAIN, len);
  for (uint32_t l = 0; l < L; l++)
    if (mask >> l & 1)
      assert_int_equal(u->out.up_body[rank(mask, l)], words[l]);
  if (n % 2)
    assert_int_equal(u->out.up_body[n], 0);
  u->in.up_ready = 1, edge(u);
  expect_empty(u);
}

static void a_line_goes_up_as_word_and_step(unit *u) {
  uint32_t words[L];
  for (uint32_t v = 0; v < VALUES; v++)
    for (uint32_t s = 0; s < STEPS; s++) {
      line(values[v], steps[s], words);
      read_short(u, v * STEPS + s, ~0u, words, LINEAR, values[v], steps[s]);
    }
  for (uint32_t bit = 0; bit < 32; bit++) {
    line(~0u, 1u << bit, words);
    read_short(u, bit, ~0u, words, LINEAR, ~0u, 1u << bit);
    line(1u << bit, -1u << bit, words);
    read_short(u, bit, ~0u, words, LINEAR, 1u << bit, -1u << bit);
  }
}

// Each bit of each lane.
static void a_line_but_for_one_bit(unit *u) {
  for (uint32_t l = 0; l < L; l++)
    for (uint32_t bit = 0; bit < 32; bit++) {
      uint32_t words[L];
      line(value_of(l, bit), steps[(l + bit) % STEPS], words);
      words[l] ^= 1u << bit;
      read_words(u, l, ~0u, words);
    }
}

// From one lane on, all words are off by the same: each link between two lanes counts.
static void a_line_with_a_break(unit *u) {
  for (uint32_t from = 1; from < L; from++)
    for (uint32_t bit = 0; bit < 32; bit += 1 + from % 3) {
      uint32_t words[L];
      line(from, steps[(from + bit) % STEPS], words);
      for (uint32_t l = from; l < L; l++)
        words[l] += 1u << bit;
      // with one behind it or ahead of it, the break is the step of lane 1, or the last lane's
      read_words(u, from, ~0u, words);
    }
}

// Carries that go all the way, and one that is missing at its end.
static void carries_from_lane_to_lane(unit *u) {
  for (uint32_t bit = 0; bit < 32; bit++) {
    uint32_t words[L];
    line(0u - 16 * (1u << bit), 1u << bit, words);  // through zero at lane 16
    read_short(u, bit, ~0u, words, LINEAR, 0u - 16 * (1u << bit), 1u << bit);
    if (words[16] || bit == 31)
      continue;
    words[16] = 0u - (1u << (bit + 1));
    read_words(u, bit, ~0u, words);
  }
}

static void a_line_of_some_lanes_goes_up_as_words(unit *u) {
  uint32_t words[L];
  line(100, 4, words);
  for (uint32_t n = 0; n < MASKS; n++)
    if (count(mask_of(n)) > 1)
      read_words(u, n, mask_of(n), words);
    else
      read_short(u, n, mask_of(n), words, LINEAR, words[__builtin_ctz(mask_of(n))], 0);
  for (uint32_t l = 0; l < L; l++)
    read_words(u, l, ~(1u << l), words);
}

static void one_lane_is_uniform(unit *u) {
  for (uint32_t l = 0; l < L; l++) {
    uint32_t words[L];
    some_words(l, words);
    read_short(u, l, 1u << l, words, LINEAR, words[l], 0);
    lanes_of(1u << l, words);
    read_short(u, l, 1u << l, words, LINEAR, ~0u, 0);
    lanes_of(~(1u << l), words);
    read_short(u, l, 1u << l, words, LINEAR, 0, 0);
  }
}

// Uniform comes first: all ones and all zero are LINEAR, with a full mask or not.
static void all_ones_and_all_zero(unit *u) {
  for (uint32_t n = 0; n <= MASKS; n++) {
    const uint32_t mask = n < MASKS ? mask_of(n) : ~0u;
    uint32_t words[L];
    lanes_of(~0u, words);
    read_short(u, n, mask, words, LINEAR, ~0u, 0);
    lanes_of(0, words);
    read_short(u, n, mask, words, LINEAR, 0, 0);
    lanes_of(mask, words);  // others do not count
    read_short(u, n, mask, words, LINEAR, ~0u, 0);
    lanes_of(~mask, words);
    read_short(u, n, mask, words, LINEAR, 0, 0);
  }
}

static void a_mask_goes_up_as_bits(unit *u) {
  for (uint32_t n = 0; n < 2 * MASKS; n++) {
    const uint32_t set = n < MASKS ? mask_of(n) : value_of(n, 5);
    uint32_t words[L];
    lanes_of(set, words);
    read_short(u, n % 256, ~0u, words, BITS, set, 0);
  }
}

// Bits of lanes outside of the mask are zero, whatever these hold.
static void a_mask_of_some_lanes(unit *u) {
  for (uint32_t n = 0; n < MASKS; n++)
    for (uint32_t k = 0; k < 12; k++) {
      const uint32_t mask = mask_of(n), set = k ? value_of(n, k) : 0xaaaaaaaa;
      uint32_t words[L];
      some_words(n, words);
      for (uint32_t l = 0; l < L; l++)
        if (mask >> l & 1)
          words[l] = set >> l & 1 ? ~0u : 0;
      if (same(mask, words))
        read_short(u, n, mask, words, LINEAR, words[__builtin_ctz(mask)], 0);
      else
        read_short(u, n, mask, words, BITS, set & mask, 0);
      if (k % 3 == 0)  // others that look like it
        lanes_of(set, words),
            read_short(u, n, mask, words, same(mask, words) ? LINEAR : BITS,
                       same(mask, words) ? words[__builtin_ctz(mask)] : set & mask, 0);
    }
}

// Each bit of each lane, which holds ones or zero but for it.
static void a_mask_but_for_one_bit(unit *u) {
  for (uint32_t l = 0; l < L; l++)
    for (uint32_t bit = 0; bit < 32; bit++) {
      const uint32_t set = value_of(l, bit) | 1, mask = (mask_of(bit) | 1u << l | 3) & ~(1u << 17);
      uint32_t words[L];
      lanes_of(set, words);
      words[l] ^= 1u << bit;
      read_words(u, l, ~0u, words);
      if (l != 17)
        read_words(u, l, mask, words);
      else if (!same(mask, words))
        read_short(u, l, mask, words, BITS, set & mask, 0);
    }
}

// A step that is a mask's for two lanes: the others say what it is.
static void lines_that_begin_as_masks(unit *u) {
  uint32_t words[L];
  line(0, ~0u, words);
  read_short(u, 1, ~0u, words, LINEAR, 0, ~0u);
  read_short(u, 2, 3, words, BITS, 2, 0);
  read_words(u, 3, 7, words);
  line(~0u, 1, words);
  read_short(u, 4, ~0u, words, LINEAR, ~0u, 1);
  read_short(u, 5, 3, words, BITS, 1, 0);
  read_words(u, 6, 7, words);
}

// The TSVs make wait; the next register waits outside.
static void short_packets_wait(unit *u) {
  for (unsigned k = 0; k < 2; k++) {
    uint32_t words[L], others[L];
    k ? lanes_of(0x00ff1234, words) : line(40, 4, words);
    some_words(9, others);
    begin_read(u, k, ~0u, words, 2);
    for (unsigned n = 0; n < 10; n++) {
      bring(u, 250, ~0u, others), edge(u);
      expect_head(u, k, k ? BITS : LINEAR, 1);
      assert_int_equal(u->out.up_body[0], k ? 0x00ff1234 : 40);
      assert_int_equal(u->out.up_body[1], k ? 0 : 4);
    }
    u->in.up_ready = 1, bring(u, 250, ~0u, others), edge(u);  // is not ready at that edge
    expect_empty(u);
  }
}

// ---- both

// A packet that went up, brought down again, makes the same register.
static void there_and_back(unit *u) {
  for (uint32_t n = 0; n <= 8 * MASKS; n++) {
    const uint32_t mask = n % 8 ? mask_of(n / 8 % MASKS) : ~0u;
    uint32_t words[L];
    switch (n % 5) {
      case 0:
        line(value_of(n, 1), steps[n % STEPS], words);
        break;
      case 1:
        lanes_of(value_of(n, 2), words);
        break;
      case 2:
        line(value_of(n, 3), 0, words);
        break;
      case 3:
        some_words(n, words);
        break;
      default:  // a line or a mask but for one bit
        n % 2 ? line(n, 4, words) : lanes_of(value_of(n, 2), words);
        words[n % L] ^= 1u << n / L % 32;
    }
    bring(u, n % 256, mask, words), edge(u);
    for (unsigned t = 0; t < 19 && !u->out.up_valid; t++)
      edge(u);
    assert_int_equal(u->out.up_valid, 1);
    const uint64_t head = tsv_flit(u->out.up_head);
    offer(u, n % 256, mask,
          tsv_get(head, TSV_UP_REGD_LINEAR) ? LINEAR
          : tsv_get(head, TSV_UP_REGD_BITS) ? BITS
                                            : PLAIN,
          u->out.up_body);
    u->in.up_ready = 1, edge(u);
    for (unsigned t = 0; t < 17 && !u->out.w_valid; t++)
      edge(u);
    assert_int_equal(u->out.w_valid, 1);
    for (uint32_t l = 0; l < L; l++)
      if (mask >> l & 1)
        assert_int_equal(u->out.w_data[l], words[l]);
    end_write(u, n % 256);
  }
}

// Starts one, and so many edges later the other: each takes the edges that it takes alone.
static void directions_share_nothing(unit *u) {
  uint32_t up[L], down[L];
  line(8, 24, down), line(~5u, ~7u, up);
  for (int shift = -8; shift <= 8; shift++) {
    const int wr_at = shift > 0 ? shift : 0, rd_at = shift < 0 ? -shift : 0;
    const int w_at = wr_at + 1 + STEP_EDGES, up_at = rd_at + 3;
    for (int t = 0; t < 30; t++) {
      assert_int_equal(u->out.w_valid, t == w_at);
      assert_int_equal(u->out.up_valid, t == up_at);
      assert_int_equal(u->out.busy, (t > wr_at && t <= w_at + 1) || (t > rd_at && t <= up_at));
      if (t == w_at)
        expect_write(u, 9, 0xfff, down);
      if (t == up_at)
        expect_head(u, 99, LINEAR, 1), assert_int_equal(u->out.up_body[1], ~7u);
      if (t == wr_at)
        offer2(u, 9, 0xfff, LINEAR, 8, 24);
      if (t == rd_at)
        bring(u, 99, ~0u, up);
      u->in.w_done = u->out.w_valid, u->in.done_ready = 1, u->in.up_ready = 1;
      edge(u);
    }
    expect_empty(u);
  }
}

// ---- reset

// At each edge of STEP: the data register takes what it takes at that edge, and no more.
static void reset_in_step(unit *u) {
  for (unsigned at = 0; at <= STEP_EDGES + 1; at++)
    for (unsigned k = 0; k < 3; k++) {
      uint32_t words[L];
      offer2(u, 1, 0xfff0, LINEAR, 11, 13), edge(u);
      edges(u, at);
      offer2(u, 2, ~0u, LINEAR, 1, 1);  // is not taken
      u->in.w_done = u->in.done_ready = k == 1;
      any_edge(u, 0);
      expect_empty(u);
      made(11, 13, at < STEP_EDGES ? at + 1 : STEP_EDGES, words);
      expect_data(u, words);
      edges(u, k);
      expect_empty(u);
      expect_data(u, words);
      write_line(u, 3, ~0u, 17, 19);
      write_bits(u, 4, 0xff, 0x55, 1);
    }
}

// At the edge that takes a packet, the data register takes it; the packet is not.
static void reset_as_a_packet_comes(unit *u) {
  uint32_t words[L];
  offer2(u, 1, ~0u, BITS, 0x0ff0f00f, 1), any_edge(u, 0);
  expect_empty(u);
  lanes_of(0x0ff0f00f, words), expect_data(u, words);
  offer2(u, 1, ~0u, LINEAR, 30, 2), any_edge(u, 0);
  expect_empty(u);
  made(30, 2, 0, words), expect_data(u, words);
  edges(u, 6);
  expect_empty(u);
  expect_data(u, words);
}

static void reset_of_a_read(unit *u) {
  uint32_t words[L];
  for (unsigned at = 0; at < 4; at++) {
    line(3, 5, words);
    bring(u, 1, ~0u, words), edge(u);
    edges(u, at);
    any_edge(u, 0);
    expect_empty(u);
    lanes_of(0x1234, words);
    read_short(u, 2, ~0u, words, BITS, 0x1234, 0);
    line(6, 7, words);
    read_short(u, 3, ~0u, words, LINEAR, 6, 7);
  }
}

#define TESTS(T)                           \
  T(a_line_takes_five_edges)               \
  T(a_line_of_some_lanes)                  \
  T(steps_wrap)                            \
  T(a_step_of_zero_takes_none)             \
  T(bits_of_each_lane)                     \
  T(bits_of_some_lanes)                    \
  T(plain_words_are_as_ever)               \
  T(kinds_behind_one_another)              \
  T(the_next_packet_waits)                 \
  T(a_line_goes_up_as_word_and_step)       \
  T(a_line_but_for_one_bit)                \
  T(a_line_with_a_break)                   \
  T(carries_from_lane_to_lane)             \
  T(a_line_of_some_lanes_goes_up_as_words) \
  T(one_lane_is_uniform)                   \
  T(all_ones_and_all_zero)                 \
  T(a_mask_goes_up_as_bits)                \
  T(a_mask_of_some_lanes)                  \
  T(a_mask_but_for_one_bit)                \
  T(lines_that_begin_as_masks)             \
  T(short_packets_wait)                    \
  T(there_and_back)                        \
  T(directions_share_nothing)              \
  T(reset_in_step)                         \
  T(reset_as_a_packet_comes)               \
  T(reset_of_a_read)

#include "tb/cosim/directed.h"
