// SPDX-License-Identifier: Apache-2.0
// Life of contexts and of the card: set-up, TAIL, off in the middle, failure, reset.
#include <string.h>

#include "cases.h"

static uint32_t error_of(const user *u) {
  return (uint32_t)rig_get(u->r, (int)u->k, CONTEXT_R_ERROR);
}

static void ring(rig *r, int k) {
  rig_set(r, k, k < 0 ? CARD_R_DOORBELL : CONTEXT_R_DOORBELL, 1);
}

// ---- set-up

void set_ups_that_cannot_be_right(void **state) {
  (void)state;
  static const uint32_t entries[] = {0, 1, 3, 5, 6, 12, 1023, 1025, 2048, 0x80000000, UINT32_MAX};
  static const uint64_t places[] = {1, 4, 8, 16, 32, 63, 65, (1ull << 32) + 32, UINT64_MAX};
  static rig r;
  rig_open(&r);
  for (size_t n = 0; n < sizeof entries / sizeof *entries + 2 * sizeof places / sizeof *places;
       n++) {
    user u = user_of(&r, 7);
    size_t k = n;
    if (k < sizeof entries / sizeof *entries)
      u.entries = entries[k];
    else if ((k -= sizeof entries / sizeof *entries) < sizeof places / sizeof *places)
      u.ring = places[k];
    else
      u.completions = places[k - sizeof places / sizeof *places];
    r.events = r.interrupts = 0;
    user_on(&u);
    rig_run(&r);
    assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
    assert_int_equal(error_of(&u), CARD_BAD_SETUP);
    assert_int_equal(rig_get(&r, 7, CONTEXT_R_ERROR_COMMAND), 0);
    assert_int_equal(r.events, 1);  // the interrupt: no record, no text
    assert_int_equal(r.interrupts, 1);
    // right values do not help before it was off
    u = user_of(&r, 7);
    user_on(&u);
    user_put(&u, CMD(EVENT, 0));
    user_ring(&u);
    rig_run(&r);
    assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
    assert_false(user_has(&u, 0));
    user_off(&u);
    assert_int_equal(user_state(&u), CONTEXT_STATE_OFF);
    u = user_new(&r, 7);
    assert_int_equal(error_of(&u), 0);
    user_expect(&u, CMD(EVENT, 0), CARD_OK);
    user_off(&u);
  }
  // a message anywhere is fine as long as there is none
  user u = user_of(&r, 7);
  u.message = UINT64_MAX;
  user_on(&u);
  user_expect(&u, CMD(EVENT, 0), CARD_OK);
  rig_close(&r);
}

// Each size of a ring, over many turns: entries, numbers, DONE.
void rings_of_all_sizes(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  for (uint32_t entries = 2; entries <= 1024; entries *= 2) {
    user u = user_of(&r, 1);
    u.entries = entries;
    user_on(&u);
    const uint32_t turns = entries < 16 ? 100 : 3;
    for (uint32_t n = 0; n < turns; n++) {
      for (uint32_t k = 0; k < entries; k++)  // full
        user_put(&u, CMD(EVENT, k % CARD_N_STREAMS));
      user_ring(&u);
      rig_run(&r);
      assert_int_equal(user_done(&u), (n + 1) * entries);
      for (uint32_t k = 0; k < entries; k++)
        user_record(&u, n * entries + k);
    }
    // one by one, with as many ahead as there is room for
    for (uint32_t n = 0; n < 3 * entries; n++) {
      while (u.tail - user_done(&u) < entries)
        user_put(&u, CMD(EVENT, 0));
      user_ring(&u);
      rig_until(&r, r.now + RIG_L / 3);
    }
    rig_run(&r);
    assert_int_equal(user_done(&u), u.tail);
    assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
    // no entry of another size was read or written
    assert_int_equal(rig_get(&r, 1, CONTEXT_R_TAIL), u.tail);
    for (uint32_t n = 0; n < r.events; n++)
      if (r.log[n].kind == RIG_READ)
        assert_true(r.log[n].offset + r.log[n].bytes <= u.ring + 64 * entries);
      else if (r.log[n].kind == RIG_WRITE)
        assert_true(r.log[n].offset >= u.completions &&
                    r.log[n].offset + r.log[n].bytes <= u.completions + 64 * entries);
    r.events = 0;
    user_off(&u);
  }
  rig_close(&r);
}

void tails_that_cannot_be(void **state) {
  (void)state;
  static const int64_t wrong[] = {17, 18, 1000, 1ll << 31, UINT32_MAX, -1, -16};
  static rig r;
  rig_open(&r);
  for (uint32_t done = 0; done < 40; done += 13)
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
      user u = user_new(&r, 0);
      while (u.tail < done)
        user_do(&u, CMD(EVENT, 0));
      rig_set(&r, 0, CONTEXT_R_TAIL, (uint32_t)(done + wrong[n]));
      r.events = 0;
      ring(&r, 0);
      rig_run(&r);
      assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
      assert_int_equal(error_of(&u), CARD_BAD_TAIL);
      assert_int_equal(rig_get(&r, 0, CONTEXT_R_ERROR_COMMAND), 0);
      assert_int_equal(user_done(&u), done);
      assert_int_equal(r.events, 1);  // an interrupt
      user_off(&u);
    }
  // exactly ENTRIES ahead is right; TAIL that goes back is not, though commands are under way
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, 65536);
  for (uint32_t n = 0; n < 16; n++)
    user_put(&u, CMD(WRITE, n, a, u.data, 4096));
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + rig_down(16 * 64) + 3 * rig_down(4096) + 1);
  assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
  rig_set(&r, 0, CONTEXT_R_TAIL, u.tail - 1);
  ring(&r, 0);
  rig_run(&r);
  assert_int_equal(error_of(&u), CARD_BAD_TAIL);
  // four had begun, and end as usual
  for (uint32_t n = 1; n < 17; n++)
    assert_int_equal(user_has(&u, n), n <= 4);
  assert_int_equal(user_done(&u), 5);
  rig_close(&r);
}

// TAIL may be written before the context is on: then its commands are there with it.
void commands_at_once(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_of(&r, 2);
  user_on(&u), user_off(&u);  // all but CONTROL
  user_put(&u, CMD(EVENT, 0));
  rig_set(&r, 2, CONTEXT_R_TAIL, 1);
  rig_set(&r, 2, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  const uint64_t bell = r.now;
  ring(&r, 2);
  rig_run(&r);
  assert_int_equal(user_record(&u, 0).begin, bell + RIG_L + rig_down(64));
  rig_close(&r);
}

// ---- off

void off_in_the_middle_of_a_write(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 65536 };
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t a = user_alloc(&u, BYTES), b = user_alloc(&v, BYTES);
  const uint32_t n = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));
  user_put(&u, CMD(EVENT, 0));
  user_put(&u, CMD(WRITE, 1, a, u.data, BYTES));
  user_ring(&u);
  rig_until(&r, r.now + RIG_L + rig_down(3 * 64) + rig_down(BYTES) / 2);
  const uint32_t of_v = user_put(&v, CMD(WRITE, 0, b, v.data, BYTES));
  user_ring(&v);
  rig_until(&r, r.now + 100000);
  r.events = 0;
  const uint64_t off = r.now;
  user_off(&u);
  rig_run(&r);
  for (uint32_t k = 0; k < 3; k++)
    assert_false(user_has(&u, n + k));
  // nothing is under way: DOWN is the other's, whose command comes to it
  const card_record c = user_record(&v, of_v);
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.begin, off - 100000 + RIG_L + rig_down(64));
  for (uint32_t k = 0; k < r.events; k++)
    assert_true(r.log[k].offset >= RIG_AREA);  // none of u's
  // its memory is gone, and it is on again, from command 0 on
  const uint64_t again = r.now;
  user_on(&u);
  user_expect(&u, CMD(WRITE, 0, a, u.data, 16), CARD_BAD_ADDRESS);
  assert_int_equal(u.tail, 1);
  assert_true(user_record(&u, 0).begin > again);
  user_expect(&u, CMD(ALLOC, 0, 100 << 20), CARD_OK);
  rig_close(&r);
}

// The engine that a dropped command had is free at once, not when that command would have ended.
void an_engine_is_free_when_its_command_is_dropped(void **state) {
  (void)state;
  static rig r;
  enum { MOST = 100 << 20 };
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t b = user_alloc(&v, 4096);
  for (int engine = 0; engine < 3; engine++) {
    const uint64_t a = user_alloc(&u, MOST);
    const card_command longs[] = {CMD(WRITE, 0, a, u.data, MOST), CMD(READ, 0, u.data, a, MOST),
                                  CMD(FILL, 0, a, 0, MOST)};
    const card_command shorts[] = {CMD(WRITE, 0, b, v.data, 64), CMD(READ, 0, v.data, b, 64),
                                   CMD(FILL, 0, b, 0, 64)};
    user_put(&u, longs[engine]);
    user_ring(&u);
    rig_until(&r, r.now + RIG_L + rig_down(64) + 1000);
    const uint32_t n = user_put(&v, shorts[engine]);
    user_ring(&v);
    rig_until(&r, r.now + RIG_L + rig_down(64) + 5000);
    const uint64_t off = r.now;
    user_off(&u);
    rig_run(&r);
    assert_int_equal(user_record(&v, n).begin, off);
    user_on(&u);
  }
  // but one that has come after it keeps it
  const uint64_t a = user_alloc(&u, 65536);
  user_put(&u, CMD(WRITE, 0, a, u.data, 6400));
  user_ring(&u);
  rig_until(&r, r.now + 1000);
  const uint32_t first = user_put(&v, CMD(WRITE, 0, b, v.data, 4096));
  const uint32_t second = user_put(&v, CMD(WRITE, 1, b, v.data, 4096));
  user_ring(&v);
  rig_until(&r, r.now + RIG_L + rig_down(64) + rig_down(6400) + 50000);
  user_off(&u);  // its WRITE is in the latency
  rig_run(&r);
  assert_int_equal(user_record(&v, second).begin, user_record(&v, first).begin + rig_down(4096));
  rig_close(&r);
}

void off_in_the_middle_of_a_launch(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  user_load(&u, object_kernels());
  user_load(&v, object_kernels());
  const uint64_t a = user_alloc(&v, 128);
  const card_command spin = user_launch(&u, 0, "spin", (shape){4, 64, 0}, PARAMS(0));
  const card_command scale = user_launch(&v, 0, "scale", (shape){1, 32, 0}, PARAMS(a, a));
  static const uint64_t aheads[] = {0, 1000, 10000000};  // with CARD_NEVER it would never end
  for (size_t k = 0; k < sizeof aheads / sizeof *aheads; k++) {
    r.ahead = aheads[k];
    const uint32_t n = user_put(&u, spin);
    user_ring(&u);
    rig_until(&r, r.now + RIG_L + rig_down(64) + 3000000);
    const uint32_t of_v = user_put(&v, scale);
    user_ring(&v);
    rig_until(&r, r.now + 2 * RIG_L);
    assert_false(user_has(&v, of_v));
    const uint64_t off = r.now;
    user_off(&u);
    rig_run(&r);
    assert_false(user_has(&u, n));
    const card_record c = user_record(&v, of_v);
    assert_int_equal(c.status, CARD_OK);
    assert_int_equal(c.begin, (off + 999) / 1000 * 1000);
    assert_int_equal(user_word(&v, a + 4 * 31) % 31, 0);
    user_on(&u);
    user_load(&u, object_kernels());
    const card_command once = user_launch(&u, 1, "spin", (shape){1, 32, 0}, PARAMS(1));
    user_expect(&u, once, CARD_OK);
  }
  rig_close(&r);
}

// What waits in the ring, in the link and for its record; programs and memory.
void off_at_any_time(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  for (uint64_t after = 0; after < 8000000; after += 137137) {
    user u = user_new(&r, 0);
    user_load(&u, object_kernels());
    const uint64_t a = user_alloc(&u, 65536);
    const card_command c = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(300));
    const uint32_t first = u.tail;
    user_put(&u, CMD(WRITE, 0, a, u.data, 8192));
    user_put(&u, c);
    user_put(&u, CMD(READ, 1, u.data + 0x4000, a, 8192));
    user_put(&u, CMD(FENCE, 3));
    user_put(&u, CMD(EVENT, 4));
    user_ring(&u);
    rig_until(&r, r.now + after);
    uint32_t had = 0;
    for (uint32_t n = first; n < first + 5; n++)
      had += user_has(&u, n);
    r.events = 0;
    user_off(&u);
    rig_run(&r);
    for (uint32_t n = first; n < first + 5; n++)
      had -= user_has(&u, n);
    assert_int_equal(had, 0);
    assert_int_equal(r.events, 0);
    user_on(&u);
    user_expect(&u, CMD(READ, 0, u.data, a, 1), CARD_BAD_ADDRESS);
    user_expect(&u, c, CARD_BAD_PROGRAM);
    user_off(&u);
  }
  rig_close(&r);
}

// ---- failure

void a_failed_context_begins_nothing(void **state) {
  (void)state;
  static rig r;
  enum { BYTES = 16384 };
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t a = user_alloc(&u, BYTES);
  const uint32_t n = user_put(&u, CMD(WRITE, 0, a, u.data, BYTES));  // under way
  user_put(&u, CMD(READ, 1, u.data, a, BYTES));                      // too
  user_put(&u, CMD(SHARE, 2, a, 99));                                // fails at once
  user_put(&u, CMD(EVENT, 0));                                       // waits for the WRITE
  user_put(&u, CMD(WRITE, 3, a, u.data, 64));                        // waits for DOWN
  user_put(&u, CMD(EVENT, 4));                                       // free, but behind it
  const uint64_t begin = r.now + RIG_L + rig_down(6 * 64);
  user_ring(&u);
  // the failure is known with its record
  rig_until(&r, begin + RIG_L + rig_up(64) - 1);
  assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
  rig_until(&r, begin + RIG_L + rig_up(64));
  assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
  assert_int_equal(error_of(&u), CARD_BAD_COMMAND);
  assert_int_equal(rig_get(&r, 0, CONTEXT_R_ERROR_COMMAND), n + 2);
  assert_int_equal(user_done(&u), n);
  user_put(&u, CMD(EVENT, 5));
  user_ring(&u);
  rig_run(&r);
  assert_int_equal(user_record(&u, n).status, CARD_OK);
  assert_int_equal(user_record(&u, n + 1).status, CARD_OK);
  assert_int_equal(user_record(&u, n + 2).status, CARD_BAD_COMMAND);
  assert_false(user_has(&u, n + 3) || user_has(&u, n + 4) || user_has(&u, n + 6));
  assert_int_equal(user_done(&u), n + 3);
  // a TAIL that cannot be does not change the error
  rig_set(&r, 0, CONTEXT_R_TAIL, 12345);
  ring(&r, 0);
  rig_run(&r);
  assert_int_equal(error_of(&u), CARD_BAD_COMMAND);
  user_expect(&v, CMD(EVENT, 0), CARD_OK);
  // ERROR goes when it is on again
  user_off(&u);
  user_on(&u);
  rig_run(&r);
  assert_int_equal(error_of(&u), 0);
  assert_int_equal(rig_get(&r, 0, CONTEXT_R_ERROR_COMMAND), 0);
  assert_int_equal(user_done(&u), 0);
  rig_close(&r);
}

// Two that fail: the first record counts.
void the_first_failure_counts(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, 4096);
  const uint32_t n = user_put(&u, CMD(WRITE, 0, a, RIG_HOLE, 4096));
  user_put(&u, CMD(READ, 1, RIG_HOLE, a, 2048));
  user_ring(&u);
  rig_run(&r);
  // READ takes longer at RIG_UP
  assert_int_equal(user_record(&u, n).status, CARD_BAD_HOST);
  assert_int_equal(user_record(&u, n + 1).status, CARD_BAD_HOST);
  assert_true(user_record(&u, n).end < user_record(&u, n + 1).end);
  assert_int_equal(rig_get(&r, 0, CONTEXT_R_ERROR_COMMAND), n);
  assert_int_equal(r.interrupts, 1);
  rig_close(&r);
}

// ---- reset of the card

static void reset(rig *r, bool on) {
  rig_set(r, -1, CARD_R_CONTROL, on ? CARD_CONTROL_RESET : 0);
  ring(r, -1);
  rig_until(r, r->now);
}

void reset_ends_everything(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 9), f = user_new(&r, 4);
  user_load(&u, object_kernels());
  const uint64_t b = user_alloc(&v, 65536);
  const card_command spin = user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(0));
  user_do(&f, CMD(EVENT, 99));
  rig_set(&r, -1, CARD_R_WATCHDOG, 123456789);
  const uint32_t n = user_put(&u, spin), m = user_put(&v, CMD(WRITE, 0, b, v.data, 65536));
  user_ring(&u), user_ring(&v);
  rig_until(&r, r.now + RIG_L + 3000000);
  assert_int_equal(rig_get(&r, -1, CARD_R_STATUS), CARD_STATUS_READY);
  r.events = r.interrupts = 0;
  reset(&r, true);
  assert_int_equal(rig_get(&r, -1, CARD_R_STATUS), 0);
  assert_int_equal(rig_get(&r, -1, CARD_R_RESETS), 1);
  for (int k = 0; k < CARD_N_CONTEXTS; k++) {
    const bool on = k == 0 || k == 9 || k == 4;
    assert_int_equal(rig_get(&r, k, CONTEXT_R_STATE), on ? CONTEXT_STATE_RESET : CONTEXT_STATE_OFF);
    assert_int_equal(rig_get(&r, k, CONTEXT_R_DONE), 0);
    assert_int_equal(rig_get(&r, k, CONTEXT_R_ERROR), 0);
    assert_int_equal(rig_get(&r, k, CONTEXT_R_ERROR_COMMAND), 0);
    assert_int_equal(rig_get(&r, k, CONTEXT_R_INTERRUPTS), 0);
  }
  // those of the host stay
  assert_int_equal(rig_get(&r, -1, CARD_R_WATCHDOG), 123456789);
  assert_int_equal(rig_get(&r, 9, CONTEXT_R_ENTRIES), 16);
  assert_int_equal(rig_get(&r, 9, CONTEXT_R_COMPLETIONS), v.completions);
  assert_int_equal(rig_get(&r, 9, CONTEXT_R_CONTROL) & CONTEXT_CONTROL_ENABLE, 1);
  rig_run(&r);
  assert_false(user_has(&u, n) || (user_has(&v, m)));
  assert_int_equal(r.events, 0);
  // in reset doorbells of contexts are for nobody, not even off
  rig_set(&r, 9, CONTEXT_R_CONTROL, 0);
  ring(&r, 9);
  rig_set(&r, 9, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  rig_set(&r, 9, CONTEXT_R_TAIL, 0);
  ring(&r, 9);
  reset(&r, true);  // nothing new
  rig_run(&r);
  assert_int_equal(rig_get(&r, -1, CARD_R_RESETS), 1);
  assert_int_equal(user_state(&v), CONTEXT_STATE_RESET);
  reset(&r, false);
  assert_int_equal(rig_get(&r, -1, CARD_R_STATUS), CARD_STATUS_READY);
  assert_int_equal(user_state(&v), CONTEXT_STATE_RESET);
  // nothing, until it was seen off
  ring(&r, 9);
  rig_run(&r);
  assert_int_equal(user_state(&v), CONTEXT_STATE_RESET);
  rig_set(&r, 9, CONTEXT_R_CONTROL, 0);
  ring(&r, 9);
  assert_int_equal(user_state(&v), CONTEXT_STATE_OFF);
  v = user_new(&r, 9);
  user_expect(&v, CMD(READ, 0, v.data, b, 1), CARD_BAD_ADDRESS);
  user_expect(&v, CMD(ALLOC, 0, 128 << 20), CARD_OK);  // the machine is all there
  user_load(&v, object_kernels());
  const card_command once = user_launch(&v, 0, "spin", (shape){1, 32, 0}, PARAMS(3));
  user_expect(&v, once, CARD_OK);
  reset(&r, true);
  assert_int_equal(rig_get(&r, -1, CARD_R_RESETS), 2);
  rig_close(&r);
}

// RESET is the state of those whose CONTROL had ENABLE, rung for or not; the others are OFF, and on
// at once.
void who_begins_again_after_a_reset(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user on = user_new(&r, 1), ending = user_new(&r, 2), never = user_of(&r, 3);
  rig_set(&r, 2, CONTEXT_R_CONTROL, 0);                       // ON, and not yet rung
  rig_set(&r, 4, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);  // OFF, and not yet rung
  reset(&r, true);
  for (int k = 0; k < CARD_N_CONTEXTS; k++)
    assert_int_equal(rig_get(&r, k, CONTEXT_R_STATE),
                     k == 1 || k == 4 ? CONTEXT_STATE_RESET : CONTEXT_STATE_OFF);
  rig_set(&r, 1, CONTEXT_R_CONTROL, 0);  // too late
  reset(&r, false);
  assert_int_equal(user_state(&on), CONTEXT_STATE_RESET);
  user_on(&never);
  user_expect(&never, CMD(EVENT, 0), CARD_OK);
  user_on(&ending);
  user_expect(&ending, CMD(EVENT, 0), CARD_OK);
  // a context in RESET has no commands, however often it rings
  user_on(&on);
  user_put(&on, CMD(EVENT, 0));
  user_ring(&on);
  rig_run(&r);
  assert_int_equal(user_state(&on), CONTEXT_STATE_RESET);
  assert_false(user_has(&on, 0));
  user_off(&on);
  user_on(&on);
  user_expect(&on, CMD(EVENT, 0), CARD_OK);
  rig_close(&r);
}

// ---- a host that goes on while the card waits for its memory

static user *inside;
static uint32_t inside_at;  // the event in which it does
static void (*inside_does)(user *);
static void looks(rig *r) {
  if (r->events == inside_at)
    inside_does(inside);
}

static void does_off(user *u) {
  rig_set(u->r, (int)u->k, CONTEXT_R_CONTROL, 0);
  ring(u->r, (int)u->k);
}
static void does_reset(user *u) {
  rig_set(u->r, -1, CARD_R_CONTROL, CARD_CONTROL_RESET);
  ring(u->r, -1);
}
static void does_more(user *u) {
  user_put(u, CMD(EVENT, 5));
  user_ring(u);
}

// In each access of the card and in each interrupt, one after the other.
void doorbells_inside(void **state) {
  (void)state;
  static void (*const does[])(user *) = {does_off, does_reset, does_more};
  for (size_t k = 0; k < sizeof does / sizeof *does; k++) {
    uint32_t events = UINT32_MAX;
    for (uint32_t at = 0; at <= events; at++) {
      static rig r;
      rig_open(&r);
      user u = user_new(&r, 0), v = user_new(&r, 1);
      const uint64_t a = user_alloc(&u, 4096);
      r.events = 0;
      inside = &u, inside_at = at, inside_does = does[k];
      r.looks = looks;
      card_command c = CMD(READ, 0, u.data, a, 4096);
      c.flags = CARD_FLAG_INTERRUPT;
      user_put(&u, CMD(WRITE, 0, a, u.data, 4096));
      user_put(&u, c);
      user_put(&u, CMD(FREE, 0, a + 1));
      const uint32_t last = user_put(&u, CMD(SHARE, 0, a, 99));  // fails
      user_ring(&u);
      rig_run(&r);
      r.looks = NULL;
      events = at ? events : r.events;  // without any
      if (!at || at > events) {
        assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
      } else if (does[k] == does_more) {
        assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
        assert_true(user_has(&u, last));
      } else {
        assert_int_equal(user_state(&u),
                         CONTEXT_STATE_OFF + (does[k] == does_reset) * CONTEXT_STATE_RESET);
      }
      if (does[k] == does_reset && at && at <= events)
        rig_reset(&r), user_off(&v), user_on(&v);
      user_expect(&v, CMD(EVENT, 0), CARD_OK);
      user_off(&u);
      user_on(&u);
      user_expect(&u, CMD(EVENT, 0), CARD_OK);
      rig_close(&r);
    }
    assert_in_range(events, 10, 40);
  }
}

// Whenever it comes, the card works afterwards, and nothing comes late.
void reset_at_any_time(void **state) {
  (void)state;
  static rig r;
  static const uint64_t aheads[] = {0, 1000, 10000000, CARD_NEVER};
  rig_open(&r);
  for (uint64_t after = 0; after < 7000000; after += 211311) {
    user u = user_new(&r, 0);
    r.ahead = aheads[after / 211311 % 4];
    user_load(&u, object_kernels());
    const uint64_t a = user_alloc(&u, 65536);
    const card_command c = user_launch(&u, 0, "spin", (shape){2, 64, 0}, PARAMS(300));
    user_put(&u, CMD(WRITE, 0, a, u.data, 8192));
    user_put(&u, c);
    user_put(&u, CMD(READ, 1, u.data + 0x4000, a, 8192));
    user_ring(&u);
    rig_until(&r, r.now + after);
    r.events = 0;
    reset(&r, true);
    rig_until(&r, r.now + 10000000);
    assert_int_equal(r.events, 0);
    reset(&r, false);
    rig_set(&r, 0, CONTEXT_R_CONTROL, 0);
    ring(&r, 0);
    u = user_new(&r, 0);
    user_expect(&u, CMD(READ, 0, u.data, a, 1), CARD_BAD_ADDRESS);
    user_off(&u);
  }
  rig_close(&r);
}

// A card that is freed with work in all engines leaves nothing behind (with a sanitizer).
void freed_in_the_middle(void **state) {
  (void)state;
  for (uint64_t after = 0; after < 4000000; after += 433333) {
    static rig r;
    rig_open(&r);
    user u = user_new(&r, 0);
    user_load(&u, object_kernels());
    const uint64_t a = user_alloc(&u, 65536);
    user_put(&u, user_launch(&u, 0, "spin", (shape){1, 32, 0}, PARAMS(0)));
    user_put(&u, CMD(WRITE, 2, a, u.data, 65536));
    user_put(&u, CMD(KERNEL, 3, 99, u.data, 5));
    user_ring(&u);
    rig_until(&r, r.now + after);
    rig_close(&r);
  }
}
