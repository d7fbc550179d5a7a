// SPDX-License-Identifier: Apache-2.0
// What a driver does for its caller: copies, programs, launches, and what it says when they fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

// ---- copies

// What a write of so many bytes adds to TAIL.
static uint32_t commands_of(rig *r, driver *d, uint64_t to, const uint8_t *from, uint64_t bytes) {
  const uint32_t before = context_reg(r, 0, CONTEXT_R_TAIL);
  OK(driver_write(d, to, from, bytes));
  return context_reg(r, 0, CONTEXT_R_TAIL) - before;
}

// The most bytes that go in one command.
static uint64_t chunk_of(rig *r, driver *d, uint64_t to, const uint8_t *from, uint64_t most) {
  uint64_t one = 0, two = most;
  assert_true(commands_of(r, d, to, from, most) > 1);
  while (two - one > 1) {
    const uint64_t middle = one + (two - one) / 2;
    if (commands_of(r, d, to, from, middle) <= 1)
      one = middle;
    else
      two = middle;
  }
  return one;
}

static void copies_of(uint64_t part) {
  enum { MOST = 5 << 20, AROUND = 64 };
  rig *r = rig_open();
  driver *d = open_at(r, 0, 0, part);
  uint8_t *from = noise(MOST, 1), *to = malloc(MOST + AROUND), *all = noise(MOST, 2);
  const uint64_t at = alloc_of(d, MOST);
  const uint64_t chunk = chunk_of(r, d, at, from, MOST);
  assert_true(chunk >= 16384 && chunk <= 1 << 20);
  const uint64_t sizes[] = {
      0, 1, 63, 64, 65, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1, 3 * chunk + 17};
  assert_int_equal(commands_of(r, d, at, from, 0), 0);
  assert_int_equal(commands_of(r, d, at, from, 3 * chunk + 17), 4);
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
    for (uint64_t odd = 0; odd < 4; odd += 3) {
      const uint64_t bytes = sizes[n];
      assert_true(odd + bytes + AROUND <= MOST);
      OK(driver_write(d, at, all, odd + bytes + AROUND));
      OK(driver_write(d, at + odd, from, bytes));
      memset(to, 0x77, bytes + AROUND);
      OK(driver_read(d, to, at + odd, bytes));
      assert_memory_equal(to, from, bytes);
      assert_int_equal(to[bytes], 0x77);  // nothing is read beyond the end
      OK(driver_read(d, to, at, odd + bytes + AROUND));
      assert_memory_equal(to, all, odd);
      assert_memory_equal(to + odd, from, bytes);
      assert_memory_equal(to + odd + bytes, all + odd + bytes, AROUND);
    }
  free(from), free(to), free(all);
  driver_close(d);
  rig_close(r);
}

static void copies_in_small_chunks(void **state) {
  (void)state;
  copies_of(PART);
}

static void copies_in_large_chunks(void **state) {
  (void)state;
  copies_of(LARGE);
}

// Only from outside: a driver that waits for each chunk before it fills the next takes longer.
static void chunks_overlap(void **state) {
  (void)state;
  enum { MOST = 4 << 20 };
  rig *r = rig_open();
  driver *d = open_at(r, 0, 0, LARGE);
  uint8_t *from = noise(MOST, 1);
  const uint64_t at = alloc_of(d, MOST), before = r->now;
  OK(driver_write(d, at, from, MOST));
  const uint64_t down = reg_read(r, CARD_R_LINK_DOWN, 4);        // MB/s
  const uint64_t latency = reg_read(r, CARD_R_LINK_LATENCY, 4);  // ns
  const uint64_t data = (uint64_t)MOST * 1000000 / down;         // ps
  // the way of the first command and of the last record; between two of a stream a latency
  assert_in_range(r->now - before, data, data + (4 + 5) * latency * 1000);
  free(from);
  driver_close(d);
  rig_close(r);
}

static void fill_and_copy(void **state) {
  (void)state;
  enum { BYTES = 5000 };
  rig *r = rig_open();
  driver *d = open_one(r);
  uint8_t *expect = noise(BYTES, 3), got[BYTES];
  const uint64_t at = alloc_of(d, BYTES);
  OK(driver_write(d, at, expect, BYTES));
  OK(driver_fill(d, at + 7, 0xc3, 1001));
  memset(expect + 7, 0xc3, 1001);
  OK(driver_copy(d, at + 1000, at + 900, 2000));  // upwards, onto itself
  memmove(expect + 1000, expect + 900, 2000);
  OK(driver_copy(d, at + 3000, at + 3333, 1600));
  memmove(expect + 3000, expect + 3333, 1600);
  OK(driver_copy(d, at, at + 100, 0));
  OK(driver_fill(d, at, 1, 0));
  OK(driver_copy(d, 1, 2, 0));  // nothing is done: the addresses do not matter
  OK(driver_read(d, got, at, BYTES));
  assert_memory_equal(got, expect, BYTES);
  OK(driver_free(d, at));
  FAILS(driver_read(d, got, at, 1), CARD_BAD_ADDRESS, "READ");
  uint64_t none = 1;
  OK(driver_alloc(d, 0, &none));
  OK(driver_free(d, none));
  free(expect);
  driver_close(d);
  rig_close(r);
}

// The driver leaves alone what is not its own: the arena, and what is around its host memory.
static void arena_is_the_users(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_at(r, 3, 2 * PART, PART);
  uint64_t offset, bytes;
  uint8_t *arena = driver_arena(d, &offset, &bytes), *from = noise(5 * PART, 4);
  assert_true(bytes >= 65536);
  assert_true(arena >= r->host + 2 * PART && arena + bytes <= r->host + 3 * PART);
  assert_int_equal(offset, HOST_AT + (uint64_t)(arena - r->host));
  const uint64_t at = alloc_of(d, 5 * PART);
  load_of(r, d);
  OK(driver_write(d, at, from, 5 * PART));
  OK(driver_read(d, from, at, 5 * PART));
  assert_true(driver_reset(d));
  driver_close(d);
  for (uint64_t k = 0; k < HOST; k++)
    if (r->host[k] != 0xa5 &&
        (k < 2 * PART || k >= 3 * PART ||
         (k >= (uint64_t)(arena - r->host) && k < (uint64_t)(arena - r->host) + bytes)))
      fail_msg("byte %llu of host memory was written", (unsigned long long)k);
  free(from);
  rig_close(r);
}

// ---- programs

static void launches(void **state) {
  (void)state;
  enum { N = 320 };
  rig *r = rig_open();
  driver *d = open_one(r);
  uint32_t words[N], other[3];
  const uint32_t program = load_of(r, d);
  const uint64_t in = alloc_of(d, sizeof words), out = alloc_of(d, sizeof words);
  for (uint32_t k = 0; k < N; k++)
    words[k] = k * k;
  OK(driver_write(d, in, words, sizeof words));
  const card_launch l = launch_of(d, program, "scale", 5, 64);
  assert_int_equal(l.parameter_bytes, sizeof(scale_parameters));
  card_record record;
  OK(driver_launch(d, &l, &(scale_parameters){9, out, in}, &record));
  assert_true(record.words[CARD_LAUNCH_GIVES_CYCLES] > 100);
  assert_true(record.words[CARD_LAUNCH_GIVES_INSTRUCTIONS] >= 10 * 18);
  assert_int_equal(record.end - record.begin,
                   record.words[CARD_LAUNCH_GIVES_CYCLES] * reg_read(r, CARD_R_PERIOD, 4));
  OK(driver_read(d, words, out, sizeof words));
  for (uint32_t k = 0; k < N; k++)
    assert_int_equal(words[k], k * k * 9 + 5 + 4);

  // variables: found, read and written, of both kinds
  uint64_t offset, factors, bytes;
  OK(driver_symbol(d, program, "offset", &offset, &bytes));
  assert_int_equal(bytes, 4);
  OK(driver_symbol(d, program, "factors", &factors, &bytes));
  assert_int_equal(bytes, 12);
  OK(driver_read(d, other, factors, 12));
  assert_int_equal(other[0], 3);
  assert_int_equal(other[2], 7);
  OK(driver_write(d, offset, &(uint32_t){100}, 4));
  OK(driver_write(d, factors + 4, &(uint32_t){1000}, 4));
  OK(driver_launch(d, &l, &(scale_parameters){0, out, in}, NULL));
  OK(driver_read(d, words, out, sizeof words));
  assert_int_equal(words[0], 1100);
  assert_int_equal(words[N - 1], 1100);

  assert_int_equal(driver_cores(d), 1);
  assert_true(driver_memory(d) == 256ull << 20);
  driver_close(d);
  rig_close(r);
}

// One after the other without a wait, with other calls between; the desk is one launch's at a time.
static void launches_without_waiting(void **state) {
  (void)state;
  enum { LONG = 3000, SHORT = 7 };
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint32_t program = load_of(r, d);
  const uint64_t at = alloc_of(d, 512);
  const card_launch l = launch_of(d, program, "turn", 1, 1);
  uint32_t first, second, got, kernel, bytes;
  card_record one, two;
  OK(driver_launch_begin(d, &l, &(turn_parameters){at, LONG}, &first));
  OK(driver_launch_begin(d, &l, &(turn_parameters){at + 256, SHORT}, &second));
  OK(driver_kernel(d, program, "scale", &kernel, &bytes));
  OK(driver_finish(d, second, &two));
  OK(driver_finish(d, first, &one));
  assert_true(two.begin >= one.end);
  assert_true(one.end - one.begin > two.end - two.begin);
  OK(driver_read(d, &got, at, 4));
  assert_int_equal(got, LONG);
  OK(driver_read(d, &got, at + 256, 4));
  assert_int_equal(got, SHORT);
  driver_close(d);
  rig_close(r);
}

// Errors after which the context goes on.
static void wrong_programs(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint32_t program = load_of(r, d);
  uint32_t kernel, parameter_bytes, other;
  uint64_t address, bytes;
  char name[CARD_NAME_MOST + 2];
  FAILS(driver_kernel(d, program, "scal", &kernel, &parameter_bytes), CARD_NOT_FOUND, "'scal'");
  FAILS(driver_kernel(d, program, "offset", &kernel, &parameter_bytes), CARD_NOT_FOUND, "kernel");
  FAILS(driver_symbol(d, program, "scale", &address, &bytes), CARD_NOT_FOUND, "variable 'scale'");
  // names that the card would fail the context for
  FAILS(driver_kernel(d, program, "", &kernel, &parameter_bytes), CARD_NOT_FOUND, "''");
  memset(name, 'x', sizeof name);
  name[CARD_NAME_MOST] = 0;
  FAILS(driver_kernel(d, program, name, &kernel, &parameter_bytes), CARD_NOT_FOUND, "xxx");
  name[CARD_NAME_MOST] = 'x', name[CARD_NAME_MOST + 1] = 0;
  FAILS(driver_symbol(d, program, name, &address, &bytes), CARD_NOT_FOUND, "xxx");
  FAILS(driver_kernel(d, program + 1, "scale", &kernel, &parameter_bytes), CARD_BAD_PROGRAM,
        "KERNEL");

  FAILS(driver_load(d, "not an object", 13, &other), CARD_BAD_PROGRAM, "LOAD");
  FAILS(driver_load(d, NULL, 0, &other), CARD_BAD_PROGRAM, "LOAD");
  uint8_t *large = noise(2 * PART, 5);
  FAILS(driver_load(d, large, 2 * PART, &other), CARD_NO_MEMORY, "524288");
  free(large);

  const card_launch right = launch_of(d, program, "turn", 1, 1);
  const turn_parameters p = {alloc_of(d, 4), 1};
  card_launch l = right;
  l.block[0] = 0;
  FAILS(driver_launch(d, &l, &p, NULL), CARD_BAD_LAUNCH, "LAUNCH");
  l = right, l.parameter_bytes = 4;
  FAILS(driver_launch(d, &l, &p, NULL), CARD_BAD_LAUNCH, "LAUNCH");
  l = right, l.parameter_bytes = CARD_LAUNCH_MOST;  // the card would fail the context for it
  FAILS(driver_launch(d, &l, name, NULL), CARD_BAD_LAUNCH, "33792");
  l = right, l.kernel = 2;
  FAILS(driver_launch(d, &l, &p, NULL), CARD_BAD_PROGRAM, "LAUNCH");
  l = right, l.shared = 1 << 30;
  FAILS(driver_launch(d, &l, &p, NULL), CARD_NO_SHARED, "shared");
  OK(driver_launch(d, &right, &p, NULL));
  driver_close(d);
  rig_close(r);
}

static void wrong_addresses(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  uint32_t program;
  uint64_t other;
  uint8_t bytes[300] = {0}, *large = noise(PART, 6);
  const uint64_t at = alloc_of(d, 256);
  FAILS(driver_write(d, at + 1, bytes, 256), CARD_BAD_ADDRESS, "WRITE");
  FAILS(driver_read(d, bytes, at + 256, 1), CARD_BAD_ADDRESS, "READ");
  FAILS(driver_fill(d, at - 1, 0, 2), CARD_BAD_ADDRESS, "FILL");
  FAILS(driver_copy(d, at, at + 100, 200), CARD_BAD_ADDRESS, "COPY");
  FAILS(driver_free(d, at + 1), CARD_BAD_ADDRESS, "FREE");
  // all chunks that are under way are finished when this returns, and nothing goes out after
  FAILS(driver_write(d, at, large, PART), CARD_BAD_ADDRESS, "WRITE");
  FAILS(driver_read(d, large, at, PART), CARD_BAD_ADDRESS, "READ");
  assert_int_equal(context_reg(r, 0, CONTEXT_R_TAIL), context_reg(r, 0, CONTEXT_R_DONE));
  FAILS(driver_write(d, alloc_of(d, PART) - 16, large, PART), CARD_BAD_ADDRESS,
        "WRITE");  // the first
  FAILS(driver_alloc(d, 1ull << 40, &other), CARD_NO_MEMORY, "ALLOC");
  FAILS(driver_attach(d, 12345, &other, &other), CARD_BAD_HANDLE, "ATTACH");
  // a message has the text of its own failure only
  FAILS(driver_load(d, large, 1000, &program), CARD_BAD_PROGRAM, "LOAD");
  const char *text = strrchr(driver_message(d), ':');
  char first[200];
  snprintf(first, sizeof first, "%s", text);
  FAILS(driver_free(d, at + 1), CARD_BAD_ADDRESS, "FREE");
  assert_null(strstr(driver_message(d), first));
  OK(driver_free(d, at));
  FAILS(driver_free(d, at), CARD_BAD_ADDRESS, "FREE");
  free(large);
  driver_close(d);
  rig_close(r);
}

// ---- failures

static void a_fault_fails_the_context(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  uint32_t program = load_of(r, d), kernel, parameter_bytes, word = 0;
  const uint64_t at = alloc_of(d, 65536);
  card_launch l = launch_of(d, program, "turn", 1, 1);
  FAILS(driver_launch(d, &l, &(turn_parameters){16, 1}, NULL), CARD_FAULT_ADDRESS, "turn");
  char message[5000];
  snprintf(message, sizeof message, "%s", driver_message(d));
  assert_non_null(strstr(message, "LAUNCH"));
  assert_non_null(strstr(message, "0x10"));  // the place
  assert_int_equal(context_reg(r, 0, CONTEXT_R_STATE), CONTEXT_STATE_FAILED);
  // later calls return the same, without a command
  const uint32_t tail = context_reg(r, 0, CONTEXT_R_TAIL);
  uint64_t address;
  FAILS(driver_write(d, at, &word, 4), CARD_FAULT_ADDRESS, message);
  FAILS(driver_read(d, &word, at, 4), CARD_FAULT_ADDRESS, message);
  FAILS(driver_alloc(d, 4, &address), CARD_FAULT_ADDRESS, message);
  FAILS(driver_launch(d, &l, &(turn_parameters){at, 1}, NULL), CARD_FAULT_ADDRESS, message);
  assert_int_equal(context_reg(r, 0, CONTEXT_R_TAIL), tail);
  // it comes back without memory and programs
  assert_true(driver_reset(d));
  assert_int_equal(context_reg(r, 0, CONTEXT_R_TAIL), 0);
  FAILS(driver_read(d, &word, at, 4), CARD_BAD_ADDRESS, "READ");
  FAILS(driver_kernel(d, program, "turn", &kernel, &parameter_bytes), CARD_BAD_PROGRAM, "KERNEL");
  program = load_of(r, d);
  l = launch_of(d, program, "turn", 1, 1);
  const uint64_t again = alloc_of(d, 256);
  OK(driver_launch(d, &l, &(turn_parameters){again, 12}, NULL));
  OK(driver_read(d, &word, again, 4));
  assert_int_equal(word, 12);
  driver_close(d);
  rig_close(r);
}

// What is done before a failure has its own status, what is not the failure's.
static void commands_around_a_failure(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  const uint32_t program = load_of(r, d);
  const uint64_t at = alloc_of(d, 256);
  const card_launch l = launch_of(d, program, "turn", 1, 1);
  assert_int_equal(l.parameter_bytes, 12);
  const uint32_t before = submit_of(d, CARD_DO_FILL, 1, at, 1, 256);
  const uint32_t wrong = submit_of(d, CARD_DO_FREE, 1, at + 1, 0, 0);
  const uint32_t also = submit_of(d, CARD_DO_FREE, 1, at + 1, 0, 0);
  const uint32_t bad = submit_turn(d, 2, &l, (turn_parameters){16, 1});
  const uint32_t after = submit_of(d, CARD_DO_FILL, 2, at, 2, 256);
  const uint32_t last = submit_of(d, CARD_DO_FILL, 3, at, 2, 256);
  card_record record;
  FAILS(driver_finish(d, after, NULL), CARD_FAULT_ADDRESS, "turn");
  FAILS(driver_finish(d, wrong, &record), CARD_BAD_ADDRESS, "FREE");
  FAILS(driver_finish(d, bad, &record), CARD_FAULT_ADDRESS, "turn");  // the text is still there
  assert_int_equal(record.status, CARD_FAULT_ADDRESS);
  FAILS(driver_finish(d, also, NULL), CARD_BAD_ADDRESS, "FREE");
  OK(driver_finish(d, before, &record));
  FAILS(driver_finish(d, last, NULL), CARD_FAULT_ADDRESS, "turn");
  FAILS(driver_finish(d, last, NULL), CARD_BAD_COMMAND, "finished");
  driver_close(d);
  rig_close(r);
}

// A user's command that the card refuses.
static void a_wrong_command_fails_the_context(void **state) {
  (void)state;
  rig *r = rig_open();
  driver *d = open_one(r);
  FAILS(driver_finish(d, submit_of(d, CARD_DO_EVENT, 77, 0, 0, 0), NULL), CARD_BAD_COMMAND,
        "EVENT");
  uint64_t address;
  FAILS(driver_alloc(d, 4, &address), CARD_BAD_COMMAND, "EVENT");
  assert_true(driver_reset(d));
  const uint64_t at = alloc_of(d, 4);
  FAILS(driver_finish(d, submit_of(d, CARD_DO_READ, 0, HOST_AT + HOST, at, 4), NULL), CARD_BAD_HOST,
        "READ");
  assert_true(driver_reset(d));
  alloc_of(d, 4);
  driver_close(d);
  rig_close(r);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_in_small_chunks),
      cmocka_unit_test(copies_in_large_chunks),
      cmocka_unit_test(chunks_overlap),
      cmocka_unit_test(fill_and_copy),
      cmocka_unit_test(arena_is_the_users),
      cmocka_unit_test(launches),
      cmocka_unit_test(launches_without_waiting),
      cmocka_unit_test(wrong_programs),
      cmocka_unit_test(wrong_addresses),
      cmocka_unit_test(a_fault_fails_the_context),
      cmocka_unit_test(commands_around_a_failure),
      cmocka_unit_test(a_wrong_command_fails_the_context),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests_name("driver", tests, NULL, NULL);
}
