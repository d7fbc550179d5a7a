// SPDX-License-Identifier: Apache-2.0
// Contexts, rings and their ends: who reaches what, commands without waiting, contexts that are
// turned off and cards that are reset or gone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

// ---- contexts

static void two_contexts(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_at(r, 0, 0, PART), *e = open_at(r, 15, PART, PART);
  uint8_t mine[1000], theirs[1000], got[1000];
  uint64_t handle, address, bytes, their_address;
  uint32_t kernel, parameter_bytes;
  memset(mine, 1, sizeof mine), memset(theirs, 2, sizeof theirs);
  const uint64_t at = alloc_of(d, 1000), other = alloc_of(e, 1000);
  OK(driver_write(d, at, mine, 1000));
  OK(driver_write(e, other, theirs, 1000));
  // out of reach: for commands, for kernels, of programs
  check(e, driver_read(e, got, at, 1), CARD_BAD_ADDRESS, "READ");
  FAILS(driver_write(d, other, mine, 1), CARD_BAD_ADDRESS, "WRITE");
  FAILS(driver_free(d, other), CARD_BAD_ADDRESS, "FREE");
  const uint32_t program = load_of(r, d);
  check(e, driver_kernel(e, program, "turn", &kernel, &parameter_bytes), CARD_BAD_PROGRAM,
        "KERNEL");
  const card_launch l = launch_of(d, program, "turn", 1, 1);
  FAILS(driver_launch(d, &l, &(turn_parameters){other, 1}, NULL), CARD_FAULT_ADDRESS, "turn");
  OK(driver_read(e, got, other, 1000));  // the other one has not failed
  assert_memory_equal(got, theirs, 1000);
  assert_true(driver_reset(d));
  OK(driver_read(e, got, other, 1000));
  // shared
  OK(driver_share(e, other, 0, &handle));
  FAILS(driver_read(d, got, other, 1), CARD_BAD_ADDRESS, "READ");  // until it is attached
  check(e, driver_attach(e, handle, &address, &bytes), CARD_BAD_HANDLE, "ATTACH");
  OK(driver_attach(d, handle, &their_address, &bytes));
  assert_int_equal(their_address, other);
  assert_int_equal(bytes, 1000);
  FAILS(driver_attach(d, handle, &address, &bytes), CARD_BAD_HANDLE, "ATTACH");  // it serves once
  OK(driver_read(d, got, other, 1000));
  assert_memory_equal(got, theirs, 1000);
  OK(driver_fill(d, other + 10, 3, 10));
  driver_close(e);  // it stays with the other one
  OK(driver_read(d, got, other, 1000));
  memset(theirs + 10, 3, 10);
  assert_memory_equal(got, theirs, 1000);
  OK(driver_free(d, other));
  FAILS(driver_read(d, got, other, 1), CARD_BAD_ADDRESS, "READ");
  driver_close(d);
  rig_close(r);
}

static void open_says_why_not(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_at(r, 2, PART, PART);
  open_fails(r, 2, NULL, "context 2 is in use");
  open_fails(r, 16, NULL, "no context 16");
  driver_transport t = transport_of(r, 0, PART - 64);
  open_fails(r, 1, &t, "256 KB");
  t = transport_of(r, 32, PART);
  open_fails(r, 1, &t, "64 bytes");
  t = transport_of(r, 0, PART), t.offset += 8;
  open_fails(r, 1, &t, "64 bytes");
  t.offset = HOST_AT + HOST;  // no memory there: found when it is used
  char why[1000];
  driver *lost = driver_open(&t, 1, why, sizeof why);
  uint64_t address;
  if (lost)
    check(lost, driver_alloc(lost, 4, &address), CARD_BAD_HOST, "");
  driver_close(lost);
  driver_close(open_at(r, 1, 0, PART));
  driver_close(d);
  driver_close(NULL);
  rig_close(r);
}

// ---- many commands

static void shuffle(uint32_t *x, uint32_t n, uint32_t seed) {
  for (uint32_t k = n; k > 1; k--) {
    seed = seed * 1664525 + 1013904223;
    const uint32_t other = seed / 65536 % k, swap = x[k - 1];
    x[k - 1] = x[other], x[other] = swap;
  }
}

// A record is kept while its entry is written again; order: 0 as submitted, 1 backwards, 2 any.
static void many_commands(int order) {
  enum { N = 323, STREAMS = 7, CELL = 64 };
  rig *r = rig_open();
  driver *d = open_one(r);
  uint64_t offset, bytes;
  uint8_t *arena = driver_arena(d, &offset, &bytes);
  uint32_t numbers[N], which[N];
  static card_record records[N];
  const uint64_t at = alloc_of(d, N * CELL);
  assert_true(bytes >= 2 * N * CELL);
  assert_true(N > 3 * context_reg(r, 0, CONTEXT_R_ENTRIES));
  memset(arena, 0, 2 * N * CELL);
  OK(driver_fill(d, at, 0, N * CELL));
  for (uint32_t k = 0; k < N; k++) {  // streams with work for different engines, and wrong ones
    const uint32_t stream = k % STREAMS, cell = k * CELL;
    which[k] = k;
    if (stream == 6)
      numbers[k] = submit_of(d, CARD_DO_FREE, stream, at + 1 + k, 0, 0);
    else if (stream == 5)
      numbers[k] = submit_of(d, CARD_DO_EVENT, stream, 0, 0, 0);
    else if (stream == 4)
      numbers[k] = submit_of(d, CARD_DO_READ, stream, offset + cell, at + cell, CELL);
    else if (stream > 1)
      numbers[k] = submit_of(d, CARD_DO_FILL, stream, at + cell, (uint8_t)k, CELL);
    else {
      memset(arena + cell, (int)k, CELL);
      numbers[k] = submit_of(d, CARD_DO_WRITE, stream, at + cell, offset + cell, CELL);
    }
    if (k)
      assert_int_equal(numbers[k], numbers[k - 1] + 1);
  }
  if (order == 1)
    for (uint32_t k = 0; k < N; k++)
      which[k] = N - 1 - k;
  else if (order == 2)
    shuffle(which, N, 7);
  for (uint32_t k = 0; k < N; k++) {
    const uint32_t n = which[k];
    check(d, driver_finish(d, numbers[n], &records[n]),
          n % STREAMS == 6 ? CARD_BAD_ADDRESS : CARD_OK, "FREE");
    assert_int_equal(records[n].number, numbers[n] + 1);
  }
  for (uint32_t k = STREAMS; k < N; k++)
    assert_true(records[k].begin >= records[k - STREAMS].end);
  FAILS(driver_finish(d, numbers[0], NULL), CARD_BAD_COMMAND, "finished");
  FAILS(driver_finish(d, numbers[N - 1] + 1, NULL), CARD_BAD_COMMAND, "never submitted");
  static uint8_t got[N * CELL];
  OK(driver_read(d, got, at, sizeof got));
  for (uint32_t k = 0; k < N; k++)
    for (uint32_t n = 0; n < CELL; n += CELL - 1)
      assert_int_equal(got[k * CELL + n], k % STREAMS < 4 ? (uint8_t)k : 0);
  driver_close(d);
  rig_close(r);
}

static void many_commands_in_order(void **state) {
  (void)state;
  many_commands(0);
}

static void many_commands_backwards(void **state) {
  (void)state;
  many_commands(1);
}

static void many_commands_in_any_order(void **state) {
  (void)state;
  many_commands(2);
}

// A later command of another stream is finished while an earlier one is under way.
static void streams_pass_each_other(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint32_t program = load_of(r, d);
  const uint64_t at = alloc_of(d, 256);
  uint64_t offset, bytes;
  driver_arena(d, &offset, &bytes);
  const card_launch l = launch_of(d, program, "turn", 1, 1);
  card_record slow, quick, waits;
  const uint32_t turn = submit_turn(d, 1, &l, (turn_parameters){at, 3000});
  const uint32_t read = submit_of(d, CARD_DO_READ, 2, offset + 4096, at, 4);
  const uint32_t wait = submit_of(d, CARD_DO_WAIT, 2, turn, 0, 0);
  OK(driver_finish(d, read, &quick));
  assert_int_equal(context_reg(r, 0, CONTEXT_R_DONE), turn);
  OK(driver_finish(d, wait, &waits));
  OK(driver_finish(d, turn, &slow));
  assert_true(quick.end < slow.end);
  assert_true(waits.end >= slow.end);
  driver_close(d);
  rig_close(r);
}

// One interrupt for each call that sleeps, none for commands that somebody may look at later.
static void interrupts_for_sleep_only(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  assert_int_equal(r->interrupts, 0);
  const uint64_t at = alloc_of(d, 256);
  assert_int_equal(r->interrupts, 1);
  uint32_t last = 0;
  for (uint32_t k = 0; k < 10; k++)
    last = submit_of(d, CARD_DO_FILL, 0, at, k, 256);
  OK(driver_finish(d, last, NULL));
  assert_int_equal(r->interrupts, 1);
  const uint64_t waits = r->waits;
  OK(driver_finish(d, last - 1, NULL));  // it looks before it sleeps
  assert_int_equal(r->waits, waits);
  driver_close(d);
  rig_close(r);
}

// ---- the end of a context that is not the driver's doing

static void close_ends_a_launch(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint32_t program = load_of(r, d);
  const card_launch l = launch_of(d, program, "turn", 1, 1);
  submit_turn(d, 0, &l, (turn_parameters){alloc_of(d, 4), 1000000000});
  for (int k = 0; k < 100; k++)
    assert_true(wait_a_while(r));
  driver_close(d);
  assert_int_equal(context_reg(r, 0, CONTEXT_R_STATE), CONTEXT_STATE_OFF);
  d = open_one(r);
  alloc_of(d, 4);
  driver_close(d);
  rig_close(r);
}

static void turned_off_behind_its_back(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint64_t at = alloc_of(d, 4);
  const uint32_t number = submit_of(d, CARD_DO_FILL, 0, at, 1, 4);
  context_control(r, 0, 0);
  FAILS(driver_finish(d, number, NULL), DRIVER_GONE, "turned the context off");
  uint64_t address;
  FAILS(driver_alloc(d, 4, &address), DRIVER_GONE, "turned the context off");
  assert_true(driver_reset(d));
  FAILS(driver_fill(d, at, 1, 4), CARD_BAD_ADDRESS, "FILL");
  driver_close(d);
  rig_close(r);
}

static void reset_of_the_card(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r), *e = open_at(r, 1, PART, PART);
  const uint64_t at = alloc_of(d, 4);
  card_control(r, CARD_CONTROL_RESET);
  FAILS(driver_fill(d, at, 1, 4), DRIVER_GONE, "card was reset");
  assert_false(driver_reset(d));
  assert_non_null(strstr(driver_message(d), "in reset"));
  FAILS(driver_fill(d, at, 1, 4), DRIVER_GONE, "in reset");
  open_fails(r, 2, NULL, "in reset");
  card_control(r, 0);
  assert_true(driver_reset(d));  // which the card does only when it has seen it off
  FAILS(driver_fill(d, at, 1, 4), CARD_BAD_ADDRESS, "FILL");
  alloc_of(d, 4);
  // contexts that begin anew: that of a user who went away, and one that nobody used
  driver_close(e);
  for (uint32_t k = 1; k < 3; k++) {
    e = open_at(r, k, PART, PART);
    alloc_of(e, 4);
    driver_close(e);
  }
  driver_close(d);
  rig_close(r);
}

// CONTROL says that the context is on, and the card does not know of it: whoever left it so has
// gone.
static void a_context_that_somebody_left(void **state) {
  (void)state;
  rig *r = rig_open();
  char why[200];
  const driver_transport t = transport_of(r, 0, PART);
  driver *d = driver_open(&t, 0, why, sizeof why);
  assert_non_null(d);
  card_control(r, CARD_CONTROL_RESET);
  card_control(r, 0);
  assert_int_equal(context_reg(r, 0, CONTEXT_R_CONTROL) & CONTEXT_CONTROL_ENABLE, 1);
  driver *e = open_at(r, 0, PART, PART);
  alloc_of(e, 4);
  driver_close(e);
  driver_close(d);
  rig_close(r);
}

static void no_card(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint64_t at = alloc_of(d, 4);
  const uint32_t number = submit_of(d, CARD_DO_FILL, 0, at, 1, 4);
  r->dead = true;
  open_fails(r, 1, NULL, "no card");
  FAILS(driver_finish(d, number, NULL), DRIVER_GONE, "gone");
  FAILS(driver_fill(d, at, 1, 4), DRIVER_GONE, "gone");
  assert_false(driver_reset(d));
  assert_non_null(strstr(driver_message(d), "gone"));
  driver_close(d);
  r->dead = false;
  rig_close(r);
}

// The ring is full, and the card goes away: whoever waits for room must not wait forever.
static void no_card_for_a_full_ring(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const card_command event = {.opcode = CARD_DO_EVENT};
  uint32_t number, status, count = 0;
  r->no_patience = true;
  while ((status = driver_submit(d, &event, &number)) == CARD_OK)
    assert_true(++count <= 1024);
  assert_true(count >= 2);
  FAILS(status, DRIVER_GONE, "does nothing");
  r->no_patience = false;
  assert_true(driver_reset(d));
  alloc_of(d, 4);
  for (count = 0; count < 10; count++)
    OK(driver_submit(d, &event, &number));
  r->dead = true;
  while ((status = driver_submit(d, &event, &number)) == CARD_OK)
    assert_true(++count <= 1024);
  FAILS(status, DRIVER_GONE, "gone");
  r->dead = false;
  driver_close(d);
  rig_close(r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_contexts),
      cmocka_unit_test(open_says_why_not),
      cmocka_unit_test(many_commands_in_order),
      cmocka_unit_test(many_commands_backwards),
      cmocka_unit_test(many_commands_in_any_order),
      cmocka_unit_test(streams_pass_each_other),
      cmocka_unit_test(interrupts_for_sleep_only),
      cmocka_unit_test(close_ends_a_launch),
      cmocka_unit_test(turned_off_behind_its_back),
      cmocka_unit_test(reset_of_the_card),
      cmocka_unit_test(a_context_that_somebody_left),
      cmocka_unit_test(no_card),
      cmocka_unit_test(no_card_for_a_full_ring),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
