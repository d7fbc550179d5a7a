// SPDX-License-Identifier: Apache-2.0
// Registers, doorbells, windows.
#include <string.h>

#include "cases.h"

enum { RO, RW, RING };
enum { PAGES = 1 + CARD_N_CONTEXTS };
#define VARIES UINT64_MAX
enum { OF_CARD, OF_CONTEXT };
static const struct reg {
  int page;
  uint32_t offset, bits;
  int access;
  uint64_t reset;
  const char *name;
} regs[] = {
#define PAGE_CARD OF_CARD
#define PAGE_CONTEXT OF_CONTEXT
#define CARD_REG(page, offset, bits, name, access, reset, doc) \
  {PAGE_##page, offset, bits, access, reset, #name},
#include "harness/systemc/card/card.def"
};
enum { REGS = sizeof regs / sizeof *regs };

static bool in_page(const struct reg *x, uint32_t page) {
  return (page == 0) == (x->page == OF_CARD);
}

// What registers of 64 bits in this place have, if there is one.
static const struct reg *reg_in(uint32_t page, uint32_t offset) {
  for (const struct reg *x = regs; x < regs + REGS; x++)
    if (in_page(x, page) && offset >= x->offset && offset < x->offset + x->bits / 8)
      return x;
  return NULL;
}

static uint64_t get(const rig *r, uint64_t offset, uint32_t bytes) {
  uint64_t value = 0x5555555555555555;
  assert_true(card_read(r->card, offset, bytes, &value));
  return value;
}

static void put(rig *r, uint64_t offset, uint32_t bytes, uint64_t value) {
  assert_true(card_write(r->card, offset, bytes, value, r->now));
}

// All registers, 4 bytes each; those of access `but` are 0.
static void snapshot(const rig *r, uint32_t to[CARD_REGISTERS / 4], int but) {
  for (uint32_t at = 0; at < CARD_REGISTERS; at += 4) {
    const struct reg *x = reg_in(at / CARD_PAGE, at % CARD_PAGE);
    to[at / 4] = x && x->access == but ? 0 : (uint32_t)get(r, at, 4);
  }
}

static void same(const uint32_t a[CARD_REGISTERS / 4], const uint32_t b[CARD_REGISTERS / 4]) {
  for (uint32_t at = 0; at < CARD_REGISTERS; at += 4)
    if (a[at / 4] != b[at / 4])
      fail_msg("register 0x%x of page %u: 0x%x, then 0x%x", at % CARD_PAGE, at / CARD_PAGE,
               a[at / 4], b[at / 4]);
}

void registers_have_their_reset_values(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  for (uint32_t features = 0; features < 8; features++) {
    const config c = rig_config();
    assert_true(rig_open_as(&r, &c, NEAR_C, features, why, sizeof why));
    for (uint32_t page = 0; page < PAGES; page++)
      for (const struct reg *x = regs; x < regs + REGS; x++)
        if (in_page(x, page) && x->reset != VARIES)
          assert_int_equal(get(&r, page * CARD_PAGE + x->offset, x->bits / 8), x->reset);
    assert_int_equal(get(&r, CARD_R_FEATURES, 4), features);
    assert_int_equal(get(&r, CARD_R_MEMORY, 8), 256 << 20);
    assert_int_equal(get(&r, CARD_R_CORES, 4), 1);
    assert_int_equal(get(&r, CARD_R_PERIOD, 4), 1000);
    assert_int_equal(get(&r, CARD_R_LINK_DOWN, 4), RIG_DOWN);
    assert_int_equal(get(&r, CARD_R_LINK_UP, 4), RIG_UP);
    assert_int_equal(get(&r, CARD_R_LINK_LATENCY, 4), RIG_LATENCY);
    rig_close(&r);
  }
}

// What a write leaves by the access rule, in one piece and in halves; then 0 again.
static void write_one(rig *r, const struct reg *x, uint64_t at) {
  const uint64_t pattern = 0xfedcba9876543210, all = x->bits == 64 ? pattern : (uint32_t)pattern;
  const uint64_t old = x->access == RW ? 0 : get(r, at, x->bits / 8);
  const uint64_t want = x->access == RW ? all : old;
  put(r, at, x->bits / 8, all);
  assert_int_equal(get(r, at, x->bits / 8), want);
  if (x->bits == 64) {
    const uint64_t other = x->access == RW ? 0x0123456789abcdef : old;
    assert_int_equal(get(r, at, 4), (uint32_t)want);
    assert_int_equal(get(r, at + 4, 4), want >> 32);
    put(r, at, 4, 0x89abcdef);
    assert_int_equal(get(r, at, 8), x->access == RW ? 0xfedcba9889abcdef : old);
    put(r, at + 4, 4, 0x01234567);
    assert_int_equal(get(r, at, 8), other);
    put(r, at, 8, 0);
  } else {
    put(r, at, 4, UINT32_MAX);
    assert_int_equal(get(r, at, 4), x->access == RW ? UINT32_MAX : old);
    put(r, at, 4, 0);
  }
  assert_int_equal(get(r, at, x->bits / 8), old);
}

void registers_keep_to_their_access_rules(void **state) {
  (void)state;
  static rig r;
  static uint32_t before[CARD_REGISTERS / 4], after[CARD_REGISTERS / 4];
  rig_open(&r);
  snapshot(&r, before, -1);
  for (uint32_t page = 0; page < PAGES; page++)
    for (const struct reg *x = regs; x < regs + REGS; x++)
      if (in_page(x, page)) {
        if (x->access == RING)
          assert_int_equal(get(&r, page * CARD_PAGE + x->offset, 4), 0);
        write_one(&r, x, page * CARD_PAGE + x->offset);
      }
  snapshot(&r, after, -1);
  same(before, after);
  rig_close(&r);
}

void reserved_places_read_as_0(void **state) {
  (void)state;
  static rig r;
  static uint32_t before[CARD_REGISTERS / 4], after[CARD_REGISTERS / 4];
  rig_open(&r);
  snapshot(&r, before, -1);
  for (uint32_t at = 0; at < CARD_REGISTERS; at += 4)
    if (!reg_in(at / CARD_PAGE, at % CARD_PAGE)) {
      put(&r, at, 4, UINT32_MAX);
      assert_int_equal(get(&r, at, 4), 0);
    }
  snapshot(&r, after, -1);
  same(before, after);
  assert_int_equal(card_counted(r.card).doorbells, 0);
  rig_close(&r);
}

void wrong_accesses_are_bus_errors(void **state) {
  (void)state;
  static rig r;
  static uint32_t before[CARD_REGISTERS / 4], after[CARD_REGISTERS / 4];
  static const uint32_t sizes[] = {0, 1, 2, 3, 5, 6, 7, 9, 12, 16, 32, UINT32_MAX};
  static const uint64_t outside[] = {
      CARD_REGISTERS, CARD_REGISTERS + 8, 1ull << 20, 1ull << 32, (1ull << 32) + CARD_R_CONTROL,
      1ull << 63,     UINT64_MAX - 7};
  static const uint64_t at[] = {CARD_R_CONTROL, CARD_R_WATCHDOG, CARD_PAGE + CONTEXT_R_CONTROL,
                                CARD_PAGE + CONTEXT_R_RING, CARD_REGISTERS - 8};
  uint64_t value;
  rig_open(&r);
  snapshot(&r, before, -1);
  for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      assert_false(card_read(r.card, at[n], sizes[k], &value));
      assert_false(card_write(r.card, at[n], sizes[k], UINT64_MAX, r.now));
    }
    for (uint32_t k = 1; k < 8; k++)
      for (uint32_t bytes = 4; bytes <= 8; bytes += 4)
        if (k % bytes) {
          assert_false(card_read(r.card, at[n] + k, bytes, &value));
          assert_false(card_write(r.card, at[n] + k, bytes, UINT64_MAX, r.now));
        }
  }
  for (size_t n = 0; n < sizeof outside / sizeof *outside; n++)
    for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
      assert_false(card_read(r.card, outside[n], bytes, &value));
      assert_false(card_write(r.card, outside[n], bytes, UINT64_MAX, r.now));
    }
  assert_false(card_read(r.card, CARD_REGISTERS - 4, 8, &value));
  rig_until(&r, 1000000000);
  snapshot(&r, after, -1);
  same(before, after);
  assert_int_equal(r.events, 0);
  rig_close(&r);
}

// ---- doorbells

static void long_time(rig *r) {
  rig_until(r, r->now + 1000000000);
}

void only_a_doorbell_has_an_effect(void **state) {
  (void)state;
  static rig r;
  static uint32_t before[CARD_REGISTERS / 4], after[CARD_REGISTERS / 4];
  rig_open(&r);
  user u = user_of(&r, 3);
  const card_command c = CMD(EVENT, 0);
  const uint32_t first = user_put(&u, c);
  snapshot(&r, before, RW);
  for (uint32_t k = 0; k < CARD_N_CONTEXTS; k++) {
    const int page = (int)k;
    rig_set(&r, page, CONTEXT_R_ENTRIES, u.entries);
    rig_set(&r, page, CONTEXT_R_RING, u.ring);
    rig_set(&r, page, CONTEXT_R_COMPLETIONS, u.completions);
    rig_set(&r, page, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE | CONTEXT_CONTROL_INTERRUPT);
    rig_set(&r, page, CONTEXT_R_TAIL, 1);
  }
  rig_set(&r, -1, CARD_R_CONTROL, CARD_CONTROL_RESET);
  rig_set(&r, -1, CARD_R_WATCHDOG, 1);
  assert_true(card_run(r.card, r.now, r.ahead) == CARD_NEVER);
  long_time(&r);
  snapshot(&r, after, RW);
  same(before, after);
  assert_int_equal(r.events, 0);
  // on, a command is in the ring, TAIL says so: nothing, whoever else rings
  rig_set(&r, -1, CARD_R_CONTROL, 0);
  rig_set(&r, -1, CARD_R_WATCHDOG, 0);
  user_on(&u);
  long_time(&r);
  assert_int_equal(r.events, 0);
  rig_set(&r, 3, CONTEXT_R_TAIL, 1);
  rig_set(&r, 4, CONTEXT_R_CONTROL, 0);
  rig_set(&r, 4, CONTEXT_R_DOORBELL, 1);
  rig_set(&r, -1, CARD_R_DOORBELL, 1);
  snapshot(&r, before, RW);
  rig_set(&r, 3, CONTEXT_R_CONTROL, 0);
  rig_set(&r, -1, CARD_R_CONTROL, CARD_CONTROL_RESET);
  long_time(&r);
  snapshot(&r, after, RW);
  same(before, after);
  assert_int_equal(r.events, 0);
  assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
  assert_int_equal(get(&r, CARD_R_STATUS, 4), CARD_STATUS_READY);
  // what has changed of the set-up since it is on counts as little; any value rings
  rig_set(&r, 3, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  rig_set(&r, 3, CONTEXT_R_ENTRIES, 7);
  rig_set(&r, 3, CONTEXT_R_RING, 4);
  rig_set(&r, 3, CONTEXT_R_COMPLETIONS, 12);
  rig_set(&r, 3, CONTEXT_R_MESSAGE_BYTES, 0);
  rig_set(&r, 3, CONTEXT_R_DOORBELL, 0);
  rig_run(&r);
  assert_int_equal(user_record(&u, first).status, CARD_OK);
  assert_int_equal(user_done(&u), 1);
  // the others were enabled long ago, and are on when they ring
  assert_int_equal(rig_get(&r, 9, CONTEXT_R_STATE), CONTEXT_STATE_OFF);
  rig_set(&r, 9, CONTEXT_R_DOORBELL, 1);
  rig_until(&r, r.now);
  assert_int_equal(rig_get(&r, 9, CONTEXT_R_STATE), CONTEXT_STATE_ON);
  rig_close(&r);
}

void a_doorbell_without_anything_new_does_nothing(void **state) {
  (void)state;
  static rig r;
  static uint32_t before[CARD_REGISTERS / 4], after[CARD_REGISTERS / 4];
  rig_open(&r);
  user u = user_new(&r, 0), failed = user_new(&r, 1);
  user_do(&u, CMD(EVENT, 0));
  user_do(&failed, CMD(EVENT, 16));
  assert_int_equal(user_state(&failed), CONTEXT_STATE_FAILED);
  r.events = 0;
  snapshot(&r, before, -1);
  long_time(&r);
  for (int k = -1; k < CARD_N_CONTEXTS; k++)
    rig_set(&r, k, k < 0 ? CARD_R_DOORBELL : CONTEXT_R_DOORBELL, 1);
  card_ring_all(r.card, r.now);
  long_time(&r);
  snapshot(&r, after, -1);
  same(before, after);
  assert_int_equal(r.events, 0);
  rig_close(&r);
}

void one_doorbell_stands_for_all(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u[3];
  for (uint32_t k = 0; k < 3; k++) {
    u[k] = user_new(&r, 5 * k);
    for (uint32_t n = 0; n <= k; n++)
      user_put(&u[k], CMD(EVENT, 0));
    rig_set(&r, 5 * (int)k, CONTEXT_R_TAIL, u[k].tail);
  }
  rig_set(&r, 5, CONTEXT_R_CONTROL, 0);
  card_ring_all(r.card, r.now);
  rig_run(&r);
  assert_int_equal(user_record(&u[0], 0).status, CARD_OK);
  assert_int_equal(user_state(&u[1]), CONTEXT_STATE_OFF);
  assert_false(user_has(&u[1], 0));
  assert_int_equal(user_record(&u[2], 2).status, CARD_OK);
  // in reset it is for nobody but the card
  rig_set(&r, -1, CARD_R_CONTROL, CARD_CONTROL_RESET);
  card_ring_all(r.card, r.now);
  rig_run(&r);
  assert_int_equal(get(&r, CARD_R_STATUS, 4), 0);
  for (uint32_t k = 0; k < 3; k++)  // context 5 had been turned off
    assert_int_equal(user_state(&u[k]), k == 1 ? CONTEXT_STATE_OFF : CONTEXT_STATE_RESET);
  rig_close(&r);
}

// TIME is when the card last changed a register: not when it was looked at, or called.
void time_is_that_of_the_last_change(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  rig_until(&r, 12345);
  assert_int_equal(get(&r, CARD_R_TIME, 8), 0);
  user u = user_new(&r, 0);
  assert_int_equal(get(&r, CARD_R_TIME, 8), 12345);
  rig_until(&r, 20000);
  assert_int_equal(get(&r, CARD_R_TIME, 8), 12345);
  // two records: the second one is there first and moves nothing, DONE stays
  const uint64_t a = user_alloc(&u, 6400), before = r.now;
  assert_int_equal(get(&r, CARD_R_TIME, 8), before);
  rig_until(&r, before + 50);
  user_put(&u, CMD(FILL, 0, a, 0, 6400));
  user_put(&u, CMD(EVENT, 1));
  user_ring(&u);
  const uint64_t there = r.now + RIG_L + rig_down(128) + RIG_L + rig_up(64);
  rig_until(&r, there);
  assert_true(user_has(&u, 2) && !user_has(&u, 1));
  assert_int_equal(get(&r, CARD_R_TIME, 8), before);
  rig_run(&r);
  const uint64_t last = there + 100000;
  assert_int_equal(user_record(&u, 1).end + RIG_L + rig_up(64), last);
  assert_int_equal(get(&r, CARD_R_TIME, 8), last);
  rig_until(&r, r.now + 777);
  assert_int_equal(get(&r, CARD_R_TIME, 8), last);
  rig_set(&r, 0, CONTEXT_R_DOORBELL, 1);  // nothing new
  rig_until(&r, r.now + 1);
  assert_int_equal(get(&r, CARD_R_TIME, 8), last);
  rig_set(&r, 0, CONTEXT_R_CONTROL, 0);
  rig_set(&r, 0, CONTEXT_R_DOORBELL, 1);
  rig_until(&r, r.now);
  assert_int_equal(get(&r, CARD_R_TIME, 8), r.now);
  rig_close(&r);
}

// ---- the window of device memory

void the_memory_window_shows_all_contexts(void **state) {
  (void)state;
  static rig r;
  static const uint64_t wrong[][2] = {
      {256 << 20, 1},      {(256 << 20) - 3, 4},    {0, (256 << 20) + 1}, {UINT64_MAX, 1},
      {UINT64_MAX - 3, 8}, {256, UINT64_MAX - 255}, {256, UINT64_MAX}};
  uint64_t bytes = 0;
  uint8_t byte = 0;
  rig_open(&r);
  user u = user_new(&r, 2), v = user_new(&r, 7);
  const uint64_t a = user_alloc(&u, 64), b = user_alloc(&v, 64);
  uint32_t word = 0x12345678;
  user_write(&u, a, &word, 4);
  user_write(&v, b + 60, &word, 4);
  word = 0;
  assert_true(card_window_read(r.card, a, &word, 4));
  assert_int_equal(word, 0x12345678);
  assert_true(card_window_read(r.card, b + 60, &word, 4));
  assert_int_equal(word, 0x12345678);
  word = 0x9abcdef0;
  assert_true(card_window_write(r.card, a + 4, &word, 4));
  assert_int_equal(user_word(&u, a + 4), 0x9abcdef0);
  assert_true(card_window_read(r.card, (256 << 20) - 1, &byte, 1));
  assert_true(card_window_read(r.card, 256 << 20, &byte, 0));
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
    assert_false(card_window_read(r.card, wrong[n][0], &byte, wrong[n][1]));
    assert_false(card_window_write(r.card, wrong[n][0], &byte, wrong[n][1]));
  }
  uint8_t *all = card_window(r.card, &bytes);
  assert_int_equal(bytes, 256 << 20);
  assert_memory_equal(all + a + 4, &word, 4);
  // not while a launch is under way: it can have changed what is there
  user_load(&u, object_kernels());
  const uint32_t n = user_put(&u, user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(50)));
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + rig_down(64) + 20000);
  assert_null(card_window(r.card, &bytes));
  assert_true(card_window_read(r.card, a + 4, &word, 4));
  assert_int_equal(word, 0x9abcdef0);
  rig_run(&r);
  assert_int_equal(user_record(&u, n).status, CARD_OK);
  assert_ptr_equal(card_window(r.card, &bytes), all);
  rig_close(&r);
}

void the_table_of_functions_is_complete(void **state) {
  (void)state;
  const card_ops *o = &card_functions;
  assert_true(o->make == card_new && o->free == card_free && o->read == card_read);
  assert_true(o->write == card_write && o->run == card_run);
  assert_true(o->window_read == card_window_read && o->window_write == card_window_write);
  assert_true(o->window == card_window);
#define CARD_STATUS(number, name, ends, doc) assert_string_equal(card_status_name(number), #name);
#include "harness/systemc/card/card.def"
  assert_null(card_status_name(10));
  assert_null(card_status_name(UINT32_MAX));
}
