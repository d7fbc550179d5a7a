// SPDX-License-Identifier: Apache-2.0
// What the card does to the host, and in which order: data, text, record, registers, interrupt.
#include <stdio.h>
#include <string.h>

#include "cases.h"

// Where an event of the log wrote.
typedef enum part { DATA, TEXT, RECORD, INTERRUPT, OTHER } part;
static part part_of(const user *u, const rig_event *e) {
  if (e->kind == RIG_INTERRUPT)
    return INTERRUPT;
  if (e->offset >= u->completions && e->offset < u->completions + u->entries * 64ull)
    return RECORD;
  if (e->offset == u->message)
    return TEXT;
  return e->offset >= u->data && e->offset < u->data + RIG_DATA_BYTES ? DATA : OTHER;
}

static void forget(rig *r) {
  r->events = r->interrupts = 0;
}

// What the card wrote, and what it told, one after the other; reads are left out.
static void happened(const user *u, const part *parts, uint32_t count) {
  const rig *r = u->r;
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->events; k++) {
    if (r->log[k].kind == RIG_READ)
      continue;
    const part p = part_of(u, &r->log[k]);
    if (n && p == DATA && parts[n - 1] == DATA)
      continue;  // in pieces
    if (n && p == RECORD && parts[n - 1] == RECORD && (n == count || parts[n] != RECORD))
      continue;  // number by itself
    if (n >= count || p != parts[n])
      fail_msg("event %u: part %d, not %d", n, p, n < count ? (int)parts[n] : -1);
    n++;
  }
  assert_int_equal(n, count);
}
#define PARTS(...) ((const part[]){__VA_ARGS__}), sizeof((const part[]){__VA_ARGS__}) / sizeof(part)

static card_command flagged(card_command c) {
  c.flags = CARD_FLAG_INTERRUPT;
  return c;
}

// What registers had when the card did this.
static const rig_event *first_of(const user *u, part p) {
  for (uint32_t k = 0; k < u->r->events; k++)
    if (u->r->log[k].kind != RIG_READ && part_of(u, &u->r->log[k]) == p)
      return &u->r->log[k];
  fail_msg("that has not happened");
  return NULL;
}
static const rig_event *last_of(const user *u, part p) {
  const rig_event *last = first_of(u, p);
  for (uint32_t k = 0; k < u->r->events; k++)
    if (u->r->log[k].kind != RIG_READ && part_of(u, &u->r->log[k]) == p)
      last = &u->r->log[k];
  return last;
}

void data_then_record_then_done_then_interrupt(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 3);
  r.watched = 3;
  const uint64_t a = user_alloc(&u, 0x18000);
  forget(&r);
  user_do(&u, flagged(CMD(READ, 0, u.data, a, 0x18000)));
  happened(&u, PARTS(DATA, RECORD, INTERRUPT));
  const uint64_t there = r.now;
  assert_true(last_of(&u, DATA)->at <= user_record(&u, 1).end);
  assert_int_equal(first_of(&u, RECORD)->at, there);
  assert_int_equal(first_of(&u, INTERRUPT)->at, there);
  assert_int_equal(last_of(&u, RECORD)->done, 1);
  assert_int_equal(first_of(&u, INTERRUPT)->done, 2);
  assert_int_equal(first_of(&u, INTERRUPT)->interrupts, 1);
  // `number` is the last thing of a record: no write behind the one with it
  const rig_event *e = last_of(&u, RECORD);
  assert_true(e->offset <= u.completions + 64 + 12 &&
              e->offset + e->bytes >= u.completions + 64 + 16);
  rig_close(&r);
}

void a_failure_has_its_text_before_its_record(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 2);
  r.watched = 2;
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 256);
  const card_command c = user_launch(&u, 0, "store", (shape){1, 1, 0}, PARAMS(a + 4096, 1));
  forget(&r);
  assert_int_equal(user_do(&u, c).status, CARD_FAULT_ADDRESS);  // no flag
  happened(&u, PARTS(TEXT, RECORD, INTERRUPT));
  const rig_event *record = last_of(&u, RECORD), *raised = first_of(&u, INTERRUPT);
  assert_int_equal(record->done, u.tail - 1);
  assert_int_equal(record->state, CONTEXT_STATE_ON);
  assert_int_equal(record->error, 0);
  assert_int_equal(raised->done, u.tail);
  assert_int_equal(raised->state, CONTEXT_STATE_FAILED);
  assert_int_equal(raised->error, CARD_FAULT_ADDRESS);
  assert_int_equal(rig_get(&r, 2, CONTEXT_R_ERROR_COMMAND), u.tail - 1);
  assert_int_equal(record->at, raised->at);
  // one that goes on: a text, no interrupt
  user_off(&u);
  user_on(&u);
  rig_run(&r);
  forget(&r);
  user_expect(&u, CMD(FREE, 0, 12345), CARD_BAD_ADDRESS);
  assert_int_equal(r.interrupts, 0);
  rig_close(&r);
}

// DONE stays before a command that has not completed; records and interrupts of later ones do not
// wait.
void done_with_a_gap(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, 65536);
  forget(&r);
  user_put(&u, CMD(WRITE, 0, a, u.data, 65536));          // 1
  user_put(&u, flagged(CMD(EVENT, 1)));                   // 2
  user_put(&u, CMD(FILL, 2, a, 0, 6400));                 // 3
  user_put(&u, CMD(EVENT, 0));                            // 4
  user_put(&u, flagged(CMD(READ, 3, u.data, a, 16384)));  // 5
  const uint64_t begin = r.now + RIG_L + rig_down(5 * 64), show = RIG_L + rig_up(64);
  user_ring(&u);
  rig_until(&r, begin + show);
  assert_true(user_has(&u, 2) && !user_has(&u, 1) && !user_has(&u, 3));
  assert_int_equal(user_done(&u), 1);
  assert_int_equal(r.interrupts, 1);
  assert_int_equal(rig_get(&r, 0, CONTEXT_R_INTERRUPTS), 1);
  rig_until(&r, begin + 100000 + show);
  assert_true(user_has(&u, 3) && user_done(&u) == 1);
  rig_until(&r, begin + rig_down(65536) + RIG_L + show - 1);
  assert_int_equal(user_done(&u), 1);
  assert_false(user_has(&u, 4));
  rig_until(&r, begin + rig_down(65536) + RIG_L + show);
  assert_true(user_has(&u, 1) && user_has(&u, 4));
  // READ took 16384 bytes at RIG_UP, which is less than the WRITE or more: its record says
  assert_int_equal(user_done(&u), user_has(&u, 5) ? 6 : 5);
  rig_run(&r);
  assert_int_equal(user_done(&u), 6);
  assert_int_equal(r.interrupts, 2);
  rig_close(&r);
}

void interrupts_by_flag_and_by_control(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 4), v = user_new(&r, 5);
  user_do(&u, CMD(EVENT, 0));
  assert_int_equal(r.interrupts, 0);
  user_do(&u, flagged(CMD(EVENT, 0)));
  assert_int_equal(r.interrupts, 1);
  user_do(&v, flagged(CMD(EVENT, 0)));
  assert_int_equal(r.interrupts, 2);
  // each command its own
  const uint64_t a = user_alloc(&u, 256);
  user_put(&u, flagged(CMD(WRITE, 0, a, u.data, 16)));
  user_put(&u, flagged(CMD(EVENT, 0)));
  user_put(&u, CMD(EVENT, 0));
  user_put(&u, flagged(CMD(FREE, 0, a + 1)));
  user_ring(&u);
  rig_run(&r);
  assert_int_equal(rig_get(&r, 4, CONTEXT_R_INTERRUPTS), 4);
  assert_int_equal(r.interrupts, 5);
  assert_int_equal(card_counted(r.card).interrupts, 5);
  // CONTROL without INTERRUPT counts from the next doorbell on
  rig_set(&r, 4, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  user_do(&u, flagged(CMD(EVENT, 0)));
  assert_int_equal(r.interrupts, 5);
  assert_int_equal(rig_get(&r, 4, CONTEXT_R_INTERRUPTS), 4);
  assert_int_equal(user_state(&u), CONTEXT_STATE_ON);
  user_do(&u, CMD(EVENT, 16));  // a failure
  assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
  assert_int_equal(r.interrupts, 5);
  // of a failure without a command
  user_off(&u);
  user_on(&u);
  rig_run(&r);
  rig_set(&r, 4, CONTEXT_R_TAIL, 1000);
  rig_set(&r, 4, CONTEXT_R_DOORBELL, 1);
  rig_run(&r);
  assert_int_equal(rig_get(&r, 4, CONTEXT_R_ERROR), CARD_BAD_TAIL);
  assert_int_equal(r.interrupts, 6);
  user_off(&u);
  u.entries = 3;
  user_on(&u);
  rig_run(&r);
  assert_int_equal(rig_get(&r, 4, CONTEXT_R_ERROR), CARD_BAD_SETUP);
  assert_int_equal(r.interrupts, 7);
  rig_close(&r);
}

// The first doorbell says whether there are interrupts: also for a command whose flag is older.
void interrupt_is_looked_at_when_it_is_raised(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  rig_set(&r, 0, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  user_put(&u, flagged(CMD(EVENT, 0)));
  user_ring(&u);
  rig_until(&r, r.now + 100000);
  rig_set(&r, 0, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE | CONTEXT_CONTROL_INTERRUPT);
  rig_set(&r, 0, CONTEXT_R_DOORBELL, 1);
  rig_run(&r);
  assert_int_equal(r.interrupts, 1);
  rig_close(&r);
}

void no_interrupts_without_the_feature(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  const config c = rig_config();
  assert_true(rig_open_as(&r, &c, NEAR_C, CARD_FEATURES_MEMORY_WINDOW, why, sizeof why));
  user u = user_new(&r, 0);
  user_do(&u, flagged(CMD(EVENT, 0)));
  user_do(&u, flagged(CMD(EVENT, 16)));
  assert_int_equal(user_state(&u), CONTEXT_STATE_FAILED);
  assert_int_equal(r.interrupts, 0);
  rig_close(&r);
}

// ---- texts

// A failure whose text is longer than `room`.
static void text_with(rig *r, uint32_t room) {
  user u = user_of(r, 0);
  uint8_t *to = r->host + u.message;
  user_on(&u);
  rig_run(r);
  user_off(&u);
  rig_set(r, 0, CONTEXT_R_MESSAGE_BYTES, room);
  rig_set(r, 0, CONTEXT_R_CONTROL, CONTEXT_CONTROL_ENABLE);
  rig_set(r, 0, CONTEXT_R_DOORBELL, 1);
  rig_run(r);
  memset(to, 0x55, 256);
  u.tail = 0;
  const uint32_t n = user_put(&u, CMD(KERNEL, 0, 77, u.data, 5));
  user_ring(&u);
  rig_run(r);
  assert_int_equal(user_record(&u, n).status, CARD_BAD_PROGRAM);
  if (room) {
    const size_t length = strlen((char *)to);
    assert_true(length < room && (length == room - 1 || room > 20));
  }
  for (uint32_t k = room; k < 256; k++)
    assert_int_equal(to[k], 0x55);
  user_off(&u);
}

void texts_keep_to_their_room(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  for (uint32_t room = 0; room < 12; room++)
    text_with(&r, room);
  text_with(&r, 200);
  rig_close(&r);
}

void the_text_is_that_of_the_last_failure(void **state) {
  (void)state;
  static rig r;
  char first[RIG_MESSAGE_BYTES];
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  memcpy(u.bytes, "nothing", 7);
  user_expect(&u, CMD(KERNEL, 0, 0, u.data, 7), CARD_NOT_FOUND);
  snprintf(first, sizeof first, "%s", user_text(&u));
  assert_non_null(strstr(first, "nothing"));
  user_expect(&u, CMD(EVENT, 0), CARD_OK);  // leaves it
  assert_string_equal(user_text(&u), first);
  user_expect(&u, CMD(KERNEL, 0, 1000, u.data, 7), CARD_BAD_PROGRAM);
  assert_string_not_equal(user_text(&u), first);
  rig_close(&r);
}

// Each record that is not OK has one, empty when there is nothing to say.
void each_record_that_is_not_ok_has_a_text(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, 256), h = u.data;
  const card_command wrong[] = {CMD(ATTACH, 0, 77),      CMD(ALLOC, 0, 1ull << 40),
                                CMD(KERNEL, 0, 9, h, 4), CMD(FREE, 0, a + 1),
                                CMD(EVENT, 16),          CMD(WRITE, 0, a, RIG_HOLE, 16),
                                CMD(LAUNCH, 0, h, 40),   CMD(LAUNCH, 0, h, 39)};
  char *text = (char *)r.host + u.message;
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
    memset(text, 'x', RIG_MESSAGE_BYTES);
    const card_record c = user_do(&u, wrong[n]);
    assert_int_not_equal(c.status, CARD_OK);
    const size_t length = strnlen(text, RIG_MESSAGE_BYTES);
    assert_true(length < RIG_MESSAGE_BYTES - 1 && text[length + 1] == 'x');
    if (c.status >= CARD_FIRST_FAILURE) {
      user_off(&u);
      user_on(&u);
      assert_true(user_alloc(&u, 256) != 0);
    }
  }
  // not those that are OK
  memset(text, 'x', RIG_MESSAGE_BYTES);
  user_expect(&u, CMD(EVENT, 0), CARD_OK);
  assert_int_equal(*text, 'x');
  rig_close(&r);
}

// ---- places of the host that the card cannot use

static void set_up(user *u) {
  user_on(u);
  rig_run(u->r);
  assert_int_equal(user_state(u), CONTEXT_STATE_ON);
}

static void fails_with_bad_host(user *u, uint32_t command) {
  rig_set(u->r, (int)u->k, CONTEXT_R_TAIL, command + 1);
  rig_set(u->r, (int)u->k, CONTEXT_R_DOORBELL, 1);
  rig_run(u->r);
  assert_int_equal(user_state(u), CONTEXT_STATE_FAILED);
  assert_int_equal(rig_get(u->r, (int)u->k, CONTEXT_R_ERROR), CARD_BAD_HOST);
  assert_int_equal(rig_get(u->r, (int)u->k, CONTEXT_R_ERROR_COMMAND), command);
  user_off(u);
}

void rings_and_records_that_are_nowhere(void **state) {
  (void)state;
  static rig r;
  static const uint64_t places[] = {RIG_HOLE,   RIG_HOLE_END - 64, RIG_END,
                                    1ull << 40, UINT64_MAX - 63,   1ull << 63};
  rig_open(&r);
  user u = user_of(&r, 0);
  for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
    u.ring = places[n];
    set_up(&u);
    fails_with_bad_host(&u, 0);
    u = user_of(&r, 0);
    u.completions = places[n];
    user_on(&u);
    user_put(&u, CMD(EVENT, 0));
    fails_with_bad_host(&u, 0);
    u = user_of(&r, 0);
  }
  // a ring whose second half is in the hole
  u.ring = RIG_HOLE - 64;
  set_up(&u);
  user_expect(&u, CMD(EVENT, 0), CARD_OK);
  fails_with_bad_host(&u, 1);
  // the message: the context cannot be told, and fails
  u = user_of(&r, 0);
  u.message = RIG_HOLE;
  memset(r.host + u.completions, 0, 1024);
  user_on(&u);
  rig_run(&r);
  user_put(&u, CMD(KERNEL, 0, 0, u.data, 7));
  fails_with_bad_host(&u, 0);
  rig_close(&r);
}
