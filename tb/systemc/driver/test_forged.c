// SPDX-License-Identifier: Apache-2.0
// The driver against a card that the test forges: what the card in C cannot be brought to, or in
// years only. Command numbers that wrap, records that come in parts, every status, rings of other
// sizes, registers in other orders, cards of other kinds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// for the numbers of an open driver; cmocka has a `fail` of its own
#include "harness/systemc/driver/driver.c"

#include <cmocka.h>

enum { HOST = 256 << 10, PAGES = 2 };

typedef struct forged {
  uint8_t regs[PAGES * CARD_PAGE];
  uint8_t *host;
  uint32_t done;
  uint32_t status;      // of the commands that it completes
  const char *text;     // NULL: none
  uint32_t error_late;  // waits from STATE to ERROR
  bool backwards;       // the last command first, as if each were of another stream
  bool in_parts;        // a wait between a record and its number
  bool part;
  bool deaf;           // does nothing
  bool refuses;        // the set-up
  bool fails_at_look;  // when the driver looks at STATE, the next command completes and fails the
                       // context
  uint32_t waits;
} forged;

static uint64_t reg(const forged *f, uint32_t offset, uint32_t bytes) {
  uint64_t value = 0;
  memcpy(&value, f->regs + offset, bytes);
  return value;
}

static void reg_set(forged *f, uint32_t offset, uint32_t bytes, uint64_t value) {
  memcpy(f->regs + offset, &value, bytes);
}

static uint32_t mine(const forged *f, uint32_t offset) {
  return (uint32_t)reg(f, CARD_PAGE + offset, 4);
}

static void complete(forged *f, uint32_t n) {
  const uint64_t at = n % mine(f, CONTEXT_R_ENTRIES) * 64;
  const uint8_t *ring = f->host + reg(f, CARD_PAGE + CONTEXT_R_RING, 8);
  uint8_t *to = f->host + reg(f, CARD_PAGE + CONTEXT_R_COMPLETIONS, 8) + at;
  card_command c;
  card_record r = {0};
  memcpy(&c, ring + at, sizeof c);
  r.tag = c.tag, r.status = f->status, r.words[0] = c.words[0], r.words[1] = n;
  if (f->text)
    strcpy((char *)f->host + reg(f, CARD_PAGE + CONTEXT_R_MESSAGE, 8), f->text);
  memcpy(&r.number, to + offsetof(card_record, number), 4);  // the old one stays
  if (f->in_parts && !f->part) {
    r.status = 0xdead;
    memcpy(to, &r, sizeof r);
    return;
  }
  r.number = n + 1;
  memcpy(to, &r, sizeof r);
}

static uint64_t reg_read(void *ctx, uint32_t offset, uint32_t bytes) {
  forged *f = ctx;
  assert_true(offset % bytes == 0 && offset + bytes <= sizeof f->regs);
  if (f->fails_at_look && offset == CARD_PAGE + CONTEXT_R_STATE) {
    f->fails_at_look = false;
    complete(f, f->done);
    reg_set(f, CARD_PAGE + CONTEXT_R_ERROR, 4, CARD_MODEL);
    reg_set(f, CARD_PAGE + CONTEXT_R_ERROR_COMMAND, 4, f->done + 1);
    reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_FAILED);
  }
  return reg(f, offset, bytes);
}

static bool step(void *ctx) {
  forged *f = ctx;
  assert_true(++f->waits < 1000000);
  if (f->deaf)
    return true;
  const uint32_t control = mine(f, CONTEXT_R_CONTROL), state = mine(f, CONTEXT_R_STATE);
  const uint32_t tail = mine(f, CONTEXT_R_TAIL);
  if (!(control & CONTEXT_CONTROL_ENABLE)) {
    reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_OFF);
  } else if (state == CONTEXT_STATE_RESET) {
  } else if (state == CONTEXT_STATE_OFF && f->refuses) {
    reg_set(f, CARD_PAGE + CONTEXT_R_ERROR, 4, CARD_BAD_SETUP);
    reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_FAILED);
  } else if (state == CONTEXT_STATE_OFF) {
    f->done = 0;
    reg_set(f, CARD_PAGE + CONTEXT_R_DONE, 4, 0);
    reg_set(f, CARD_PAGE + CONTEXT_R_ERROR, 4, 0);
    reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_ON);
  } else if (state == CONTEXT_STATE_FAILED && f->error_late && !--f->error_late) {
    reg_set(f, CARD_PAGE + CONTEXT_R_ERROR, 4, f->status);
  } else if (state == CONTEXT_STATE_ON && f->done != tail) {
    assert_true(tail - f->done <= mine(f, CONTEXT_R_ENTRIES));  // BAD_TAIL
    for (uint32_t k = 0; k < tail - f->done; k++)
      complete(f, f->backwards ? tail - 1 - k : f->done + k);
    f->part = f->in_parts && !f->part;
    if (!f->part) {
      f->done = tail;
      reg_set(f, CARD_PAGE + CONTEXT_R_DONE, 4, tail);
    }
  }
  return true;
}

static void reg_write(void *ctx, uint32_t offset, uint32_t bytes, uint64_t value) {
  forged *f = ctx;
  assert_true(offset % bytes == 0 && offset + bytes <= sizeof f->regs);
  assert_true(offset >= CARD_PAGE);
  if (offset != CARD_PAGE + CONTEXT_R_DOORBELL)
    reg_set(f, offset, bytes, value);
}

static forged *forge(void) {
  forged *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->host = aligned_alloc(64, HOST);
  assert_non_null(f->host);
  memset(f->host, 0xff, HOST);
  reg_set(f, CARD_R_MAGIC, 4, CARD_MAGIC_VALUE);
  reg_set(f, CARD_R_VERSION, 4, CARD_VERSION_VALUE);
  reg_set(f, CARD_R_TYPE, 4, CARD_TYPE_MPU);
  reg_set(f, CARD_R_STATUS, 4, CARD_STATUS_READY);
  reg_set(f, CARD_R_CONTEXTS, 4, PAGES - 1);
  reg_set(f, CARD_R_STREAMS, 4, 16);
  reg_set(f, CARD_R_ENTRIES_MOST, 4, 1024);
  reg_set(f, CARD_R_MEMORY, 8, 5ull << 32);
  return f;
}

static void forged_free(forged *f) {
  free(f->host);
  free(f);
}

static driver *open_one(forged *f, const char *why_not) {
  const driver_transport t = {f, reg_read, reg_write, step, f->host, 0, HOST};
  char why[200] = "";
  driver *d = driver_open(&t, 0, why, sizeof why);
  if (!d != (why_not != NULL) || (why_not && !strstr(why, why_not)))
    fail_msg("'%s', not '%s'", why, why_not ? why_not : "");
  return d;
}

static void check(driver *d, uint32_t got, uint32_t status, const char *text) {
  if (got != status || (status && !strstr(d->message, text)))
    fail_msg("status %u, not %u: '%s', not '%s'", got, status, d->message, text);
}

static uint32_t submit_event(driver *d, uint64_t word) {
  uint32_t n;
  const card_command c = {.opcode = CARD_DO_EVENT, .words = {word}};
  check(d, driver_submit(d, &c, &n), CARD_OK, "");
  return n;
}

// As after 2^32 - 40 commands.
static void start_before_the_wrap(forged *f, driver *d) {
  const uint32_t start = UINT32_MAX - 39;
  d->next = d->done = d->oldest = f->done = start;
  reg_set(f, CARD_PAGE + CONTEXT_R_DONE, 4, start);
  reg_set(f, CARD_PAGE + CONTEXT_R_TAIL, 4, start);
  for (uint32_t k = 0; k < d->entries; k++) {
    const uint32_t n = start - d->entries + k, number = n + 1;
    memcpy(d->completions + n % d->entries * 64 + offsetof(card_record, number), &number, 4);
  }
}

// Finished at once, and many later, backwards.
static void numbers_wrap(void **state) {
  (void)state;
  enum { N = 500 };
  for (int later = 0; later < 2; later++) {
    forged *f = forge();
    driver *d = open_one(f, NULL);
    uint32_t numbers[N];
    card_record r;
    start_before_the_wrap(f, d);
    f->backwards = later;
    for (uint32_t k = 0; k < N; k++) {
      numbers[k] = submit_event(d, 1000 + k);
      assert_int_equal(numbers[k], UINT32_MAX - 39 + k);
      if (!later) {
        check(d, driver_finish(d, numbers[k], &r), CARD_OK, "");
        assert_int_equal(r.words[0], 1000 + k);
      }
    }
    for (uint32_t k = N; later && k-- > 0;) {
      check(d, driver_finish(d, numbers[k], &r), CARD_OK, "");
      assert_int_equal(r.words[0], 1000 + k);
      assert_int_equal(r.number, numbers[k] + 1);
    }
    check(d, driver_finish(d, numbers[N / 2], NULL), CARD_BAD_COMMAND, "finished");
    assert_int_equal(d->oldest, d->next);
    assert_true(driver_reset(d));  // all begins at 0 again
    for (uint32_t k = 0; k < N; k++)
      assert_int_equal(submit_event(d, k), k);
    driver_close(d);
    forged_free(f);
  }
}

static void rings_of_all_sizes(void **state) {
  (void)state;
  for (uint32_t most = 2; most <= 1024; most *= 2) {
    forged *f = forge();
    reg_set(f, CARD_R_ENTRIES_MOST, 4, most);
    driver *d = open_one(f, NULL);
    assert_true(mine(f, CONTEXT_R_ENTRIES) <= most);
    start_before_the_wrap(f, d);
    for (uint32_t k = 0, n = d->next; k < 300; k++)
      submit_event(d, n + k);
    for (uint32_t k = 0; k < 300; k++) {
      card_record r;
      const uint32_t n = UINT32_MAX - 39 + (k % 2 ? k : 298 - k);
      check(d, driver_finish(d, n, &r), CARD_OK, "");
      assert_int_equal(r.words[0], n);
    }
    driver_close(d);
    forged_free(f);
  }
}

// A record is there when its number is.
static void records_in_parts(void **state) {
  (void)state;
  forged *f = forge();
  driver *d = open_one(f, NULL);
  f->in_parts = true;
  for (uint32_t k = 0; k < 200; k++) {
    const uint32_t n = submit_event(d, k);
    if (k >= 100)
      check(d, driver_finish(d, n, NULL), CARD_OK, "");
  }
  for (uint32_t k = 0; k < 100; k++)
    check(d, driver_finish(d, k, NULL), CARD_OK, "");
  driver_close(d);
  forged_free(f);
}

// A sentence for each, the text of the card behind it; and what fails the context fails later
// calls.
static void all_statuses(void **state) {
  (void)state;
  static const struct {
    uint32_t number;
    const char *name;
  } all[] = {
#define CARD_STATUS(number, name, ends, doc) {number, #name},
#include "harness/systemc/card/card.def"
      {0x99, "none"},
  };
  for (size_t k = 1; k < sizeof all / sizeof *all; k++) {
    forged *f = forge();
    driver *d = open_one(f, NULL);
    uint64_t address;
    f->status = all[k].number, f->text = "in line 7";
    check(d, driver_alloc(d, 0x44, &address), all[k].number, "ALLOC(0x44");
    if (!strstr(d->message, ": in line 7") ||
        !strstr(d->message, "does not know") != (all[k].number != 0x99))
      fail_msg("%s: %s", all[k].name, d->message);
    f->status = CARD_OK, f->text = NULL;
    const bool fatal = all[k].number >= CARD_FIRST_FAILURE;
    check(d, driver_alloc(d, 0x44, &address), fatal ? all[k].number : 0, "in line 7");
    if (!fatal) {
      f->status = CARD_BAD_ADDRESS;  // without a text: it does not get the old one
      check(d, driver_free(d, 4), CARD_BAD_ADDRESS, "FREE");
      assert_null(strstr(d->message, "line 7"));
    }
    driver_close(d);
    forged_free(f);
  }
}

// The context fails without a record, and says why a little later.
static void a_failure_without_a_record(void **state) {
  (void)state;
  forged *f = forge();
  driver *d = open_one(f, NULL);
  const uint32_t n = submit_event(d, 1), m = submit_event(d, 2);
  step(f);  // n and m have records
  const uint32_t last = submit_event(d, 3);
  reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_FAILED);
  reg_set(f, CARD_PAGE + CONTEXT_R_ERROR_COMMAND, 4, 17);
  f->status = CARD_BAD_TAIL, f->error_late = 3;
  check(d, driver_finish(d, m, NULL), CARD_OK, "");
  check(d, driver_finish(d, last, NULL), CARD_BAD_TAIL, "command 17");
  check(d, driver_finish(d, n, NULL), CARD_OK, "");
  check(d, driver_fill(d, 1, 2, 3), CARD_BAD_TAIL, "command 17");
  // whoever waits for room learns of it too
  f->status = CARD_OK;
  assert_true(driver_reset(d));
  for (uint32_t k = 0; k < d->entries; k++)
    submit_event(d, k);
  reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_FAILED);
  f->status = CARD_MODEL, f->error_late = 1;
  uint32_t number;
  check(d, driver_submit(d, &(card_command){.opcode = CARD_DO_EVENT}, &number), CARD_MODEL, "17");
  driver_close(d);
  forged_free(f);
}

static void cards_that_are_none(void **state) {
  (void)state;
  static const struct {
    uint32_t reg, value;
    const char *why;
  } cases[] = {
      {CARD_R_MAGIC, 0, "no card: MAGIC is 0x00000000"},
      {CARD_R_MAGIC, UINT32_MAX, "no card: MAGIC is 0xffffffff"},
      {CARD_R_VERSION, 0x00020000, "version 2"},
      {CARD_R_TYPE, 3, "type 3"},
      {CARD_R_CONTEXTS, 0, "no context 0"},
      {CARD_R_STATUS, 0, "in reset"},
      {CARD_PAGE + CONTEXT_R_STATE, CONTEXT_STATE_ON, "in use"},
      {CARD_PAGE + CONTEXT_R_STATE, CONTEXT_STATE_FAILED, "in use"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    forged *f = forge();
    reg_set(f, cases[k].reg, 4, cases[k].value);
    assert_null(open_one(f, cases[k].why));
    forged_free(f);
  }
  forged *f = forge();
  reg_set(f, CARD_R_VERSION, 4, CARD_VERSION_VALUE | 0xffff);  // a later minor
  driver *d = open_one(f, NULL);
  assert_true(driver_memory(d) == 5ull << 32);
  driver_close(d);
  forged_free(f);
}

// A failure that comes with the record, between the looks at them.
static void a_failure_between_two_looks(void **state) {
  (void)state;
  forged *f = forge();
  driver *d = open_one(f, NULL);
  const uint32_t n = submit_event(d, 1), m = submit_event(d, 2);
  f->fails_at_look = true;
  check(d, driver_finish(d, n, NULL), CARD_OK, "");
  check(d, driver_finish(d, m, NULL), CARD_MODEL, "command 1");
  driver_close(d);
  forged_free(f);
}

// Nothing is left on behind.
static void a_card_that_refuses(void **state) {
  (void)state;
  forged *f = forge();
  f->refuses = true;
  assert_null(open_one(f, sentence(CARD_BAD_SETUP)));
  assert_int_equal(mine(f, CONTEXT_R_CONTROL), 0);
  assert_int_equal(mine(f, CONTEXT_R_STATE), CONTEXT_STATE_OFF);
  f->refuses = false;
  driver_close(open_one(f, NULL));
  forged_free(f);
}

// Its last user saw a reset of the card and went away; the card looks only now and then.
static void a_context_that_was_left_on(void **state) {
  (void)state;
  forged *f = forge();
  reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, CONTEXT_STATE_RESET);
  reg_set(f, CARD_PAGE + CONTEXT_R_CONTROL, 4, CONTEXT_CONTROL_ENABLE);
  driver_close(open_one(f, NULL));
  forged_free(f);
}

// It goes away while the driver sleeps: one register at a time, and all.
static void cards_that_go_away(void **state) {
  (void)state;
  for (int how = 0; how < 3; how++) {
    forged *f = forge();
    driver *d = open_one(f, NULL);
    const uint32_t n = submit_event(d, 1);
    f->deaf = true;
    if (how == 0)
      memset(f->regs, 0xff, sizeof f->regs);
    else if (how == 1)
      memset(f->regs, 0, sizeof f->regs);
    else
      reg_set(f, CARD_PAGE + CONTEXT_R_STATE, 4, 77);
    check(d, driver_finish(d, n, NULL), DRIVER_GONE, "do not answer");
    if (how == 2)  // driver_close waits for OFF only as long as there is sense in it
      assert_false(driver_reset(d));
    driver_close(d);
    forged_free(f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_wrap),
      cmocka_unit_test(rings_of_all_sizes),
      cmocka_unit_test(records_in_parts),
      cmocka_unit_test(all_statuses),
      cmocka_unit_test(a_failure_without_a_record),
      cmocka_unit_test(a_failure_between_two_looks),
      cmocka_unit_test(cards_that_are_none),
      cmocka_unit_test(a_card_that_refuses),
      cmocka_unit_test(a_context_that_was_left_on),
      cmocka_unit_test(cards_that_go_away),
  };
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests_name("forged", tests, NULL, NULL);
}
