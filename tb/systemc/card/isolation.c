// SPDX-License-Identifier: Apache-2.0
// Contexts know nothing of each other: addresses, constants, programs, handles, what is left
// behind.
#include <string.h>

#include "cases.h"

static uint64_t symbol(user *u, const char *name) {
  const card_record c = user_do(u, user_named(u, CARD_DO_SYMBOL, 0, name));
  assert_int_equal(c.status, CARD_OK);
  return c.words[CARD_SYMBOL_GIVES_ADDRESS];
}

static card_record share(user *u, uint64_t address, uint32_t with) {
  const card_record c = user_do(u, CMD(SHARE, 0, address, with));
  assert_int_equal(c.status, CARD_OK);
  return c;
}

// Not by a command of any kind.
static void out_of_reach(user *u, uint64_t mine, uint64_t address, uint64_t bytes) {
  const uint64_t h = u->data;
  user_expect(u, CMD(READ, 0, h, address, bytes), CARD_BAD_ADDRESS);
  user_expect(u, CMD(WRITE, 0, address, h, bytes), CARD_BAD_ADDRESS);
  user_expect(u, CMD(COPY, 0, mine, address, bytes), CARD_BAD_ADDRESS);
  user_expect(u, CMD(COPY, 0, address, mine, bytes), CARD_BAD_ADDRESS);
  user_expect(u, CMD(FILL, 0, address, 0, bytes), CARD_BAD_ADDRESS);
  user_expect(u, CMD(FREE, 0, address), CARD_BAD_ADDRESS);
  user_expect(u, CMD(SHARE, 0, address, u->k), CARD_BAD_ADDRESS);
}

void addresses_of_another_context(void **state) {
  (void)state;
  enum { BYTES = 1024 };
  static uint8_t before[BYTES], after[BYTES];
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 15);
  user_load(&u, object_kernels());
  user_load(&v, object_kernels());
  const uint64_t a = user_alloc(&u, BYTES), b = user_alloc(&v, BYTES);
  const uint64_t counter = symbol(&u, "counter"), factor = symbol(&u, "factor");
  for (uint32_t n = 0; n < BYTES; n++)
    u.bytes[n] = (uint8_t)(n * 31);
  user_expect(&u, CMD(WRITE, 0, a, u.data, BYTES), CARD_OK);
  user_read(&u, before, a, BYTES);
  out_of_reach(&v, b, a, 4);
  out_of_reach(&v, b, a + 512, 256);
  out_of_reach(&v, b, counter, 4);
  assert_true(symbol(&v, "counter") != counter);
  // the constants of u, where v has others
  if (symbol(&v, "factor") != factor)
    out_of_reach(&v, b, factor, 4);
  uint32_t word = 99;
  user_write(&v, symbol(&v, "factor"), &word, 4);
  assert_int_equal(user_word(&u, factor), 3);
  user_read(&u, after, a, BYTES);
  assert_memory_equal(before, after, BYTES);
  assert_int_equal(user_word(&u, counter), 7);
  rig_close(&r);
}

// v's kernel touches what is u's: a fault, and nothing was read or written.
static void faults(rig *r, const char *kernel, uint64_t first, uint64_t second, const char *what) {
  user v = user_new(r, 6);
  user_load(&v, object_kernels());
  const uint64_t b = user_alloc(&v, 256);
  const card_record c = user_do(&v, user_launch(&v, 0, kernel, (shape){1, 1, 0},
                                                PARAMS(first ? first : b, second ? second : b)));
  if (c.status != CARD_FAULT_ADDRESS)
    fail_msg("%s: %s", what, card_status_name(c.status));
  uint32_t word = 1;
  assert_true(card_window_read(r->card, b, &word, 4));
  assert_int_equal(word, 0);
  user_off(&v);
}

void kernels_of_another_context(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 1 << 20), counter = symbol(&u, "counter");
  uint32_t word = 0x01020304;
  user_write(&u, a, &word, 4);
  faults(&r, "store", a, 7, "store to another's memory");
  faults(&r, "fetch", 0, a, "load of another's memory");
  faults(&r, "adds", a, 1, "atomic on another's memory");
  faults(&r, "store", counter, 7, "store to another's variable");
  faults(&r, "fetch", 0, counter, "load of another's variable");
  faults(&r, "fetch", 0, a + (1 << 20) - 4, "load of its end");
  faults(&r, "fetch", 0, 256ull << 20, "load behind all memory");
  faults(&r, "fetch", 0, (256ull << 20) - 4, "load of the end of memory");
  faults(&r, "fetch", 0, 1ull << 63, "load far away");
  assert_int_equal(user_word(&u, a), 0x01020304);
  assert_int_equal(user_word(&u, counter), 7);
  rig_close(&r);
}

// The constants of each context are its own, wherever they are.
void constants_of_another_context(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  user_load(&v, object_kernels());
  user_load(&u, object_kernels());
  user_load(&u, object_kernels());  // a second one, at another place
  memcpy(u.bytes, "factor", 6);
  const card_record c = user_do(&u, CMD(SYMBOL, 0, 1, u.data, 6));
  assert_int_equal(c.status, CARD_OK);
  const uint64_t factor = c.words[CARD_SYMBOL_GIVES_ADDRESS];
  assert_true(factor != symbol(&u, "factor"));
  uint32_t word = 1234;
  user_write(&u, factor, &word, 4);
  const uint64_t b = user_alloc(&v, 256);
  out_of_reach(&v, b, factor, 4);
  user_expect(&v, user_launch(&v, 0, "fetch", (shape){1, 1, 0}, PARAMS(b, factor)),
              CARD_FAULT_ADDRESS);
  user_off(&v);
  v = user_new(&r, 1);
  user_load(&v, object_kernels());
  const uint64_t b2 = user_alloc(&v, 256);
  // its own, by its address
  user_expect(&v, user_launch(&v, 0, "fetch", (shape){1, 1, 0}, PARAMS(b2, symbol(&v, "factor"))),
              CARD_OK);
  assert_int_equal(user_word(&v, b2), 3);
  rig_close(&r);
}

// Numbers of programs and commands are a context's own.
void programs_of_another_context(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&v, 256);
  memcpy(v.bytes, "spin", 4);
  user_expect(&v, CMD(KERNEL, 0, 0, v.data, 4), CARD_BAD_PROGRAM);
  user_expect(&v, CMD(SYMBOL, 0, 0, v.data, 4), CARD_BAD_PROGRAM);
  card_command c = user_launch(&u, 0, "spin", (shape){1, 1, 0}, PARAMS(1));
  user_expect(&v, c, CARD_BAD_PROGRAM);  // the record of u's launch, in memory of the host
  user_expect(&u, c, CARD_OK);
  user_expect(&u, CMD(READ, 0, u.data, a, 1), CARD_BAD_ADDRESS);
  rig_close(&r);
}

// ---- SHARE and ATTACH

void shared_memory_is_that_of_both(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1), w = user_new(&r, 2);
  user_load(&v, object_kernels());
  const uint64_t a = user_alloc(&u, 1000), b = user_alloc(&v, 256), x = user_alloc(&w, 256);
  uint32_t word = 0xabcd;
  user_write(&u, a + 16, &word, 4);
  const uint64_t handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  out_of_reach(&v, b, a, 4);  // until it is attached
  // by another context: not there, and not used up
  user_expect(&w, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  user_expect(&u, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  static const uint64_t none[] = {0, UINT32_MAX, 1ull << 32, UINT64_MAX};
  for (size_t n = 0; n < sizeof none / sizeof *none; n++)
    user_expect(&v, CMD(ATTACH, 0, none[n]), CARD_BAD_HANDLE);
  user_expect(&v, CMD(ATTACH, 0, handle ^ 1ull << 33), CARD_BAD_HANDLE);
  card_record c = user_do(&v, CMD(ATTACH, 0, handle));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_ATTACH_GIVES_ADDRESS], a);
  assert_int_equal(c.words[CARD_ATTACH_GIVES_BYTES], 1000);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);  // it serves once
  // both use it, in commands and kernels
  assert_int_equal(user_word(&v, a + 16), 0xabcd);
  user_expect(&v, CMD(COPY, 0, b, a + 16, 4), CARD_OK);
  user_expect(&v, user_launch(&v, 0, "store", (shape){1, 1, 0}, PARAMS(a + 20, 77)), CARD_OK);
  assert_int_equal(user_word(&u, a + 20), 77);
  user_expect(&v, CMD(READ, 0, v.data, a, 1001), CARD_BAD_ADDRESS);
  out_of_reach(&w, x, a, 4);
  // v passes it on
  const uint64_t next = share(&v, a, 2).words[CARD_SHARE_GIVES_HANDLE];
  assert_true(next != handle);
  c = user_do(&w, CMD(ATTACH, 0, next));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_ATTACH_GIVES_ADDRESS], a);
  // gone when the last one has freed it
  user_expect(&u, CMD(FREE, 0, a), CARD_OK);
  user_expect(&u, CMD(FREE, 0, a), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(READ, 0, u.data, a, 1), CARD_BAD_ADDRESS);
  assert_int_equal(user_word(&v, a + 20), 77);
  user_expect(&v, CMD(FREE, 0, a), CARD_OK);
  assert_int_equal(user_word(&w, a + 20), 77);
  for (uint32_t n = 0; n < 50; n++)
    assert_true(user_alloc(&u, 256) != a);
  user_expect(&w, CMD(FREE, 0, a), CARD_OK);
  out_of_reach(&w, x, a, 4);
  rig_close(&r);
}

void handles_of_what_is_gone(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  // after FREE; also when somebody has the memory again
  uint64_t a = user_alloc(&u, 256);
  uint64_t handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  user_expect(&u, CMD(FREE, 0, a), CARD_OK);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  a = user_alloc(&u, 256);
  handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  user_expect(&u, CMD(FREE, 0, a), CARD_OK);
  user_alloc(&u, 256);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  // after the owner went off
  a = user_alloc(&u, 256);
  handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  user_off(&u);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  user_on(&u);
  user_alloc(&u, 256);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  // after the other one went off: it was for whom it was then
  a = user_alloc(&u, 256);
  handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  user_off(&v);
  user_on(&v);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  // after a reset of the card
  handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  rig_reset(&r);
  user_off(&u), user_off(&v);
  user_on(&u), user_on(&v);
  user_alloc(&u, 256);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_BAD_HANDLE);
  rig_close(&r);
}

// An allocation outlives the context that made it as long as another one has it.
void shared_memory_of_a_context_that_is_off(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t a = user_alloc(&u, 256);
  uint32_t word = 0x600d;
  user_write(&u, a, &word, 4);
  const uint64_t handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  const uint64_t twice = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  assert_true(handle != twice);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_OK);
  user_expect(&v, CMD(ATTACH, 0, twice), CARD_OK);  // nothing new
  user_off(&u);
  assert_int_equal(user_word(&v, a), 0x600d);
  user_on(&u);
  user_expect(&u, CMD(READ, 0, u.data, a, 4), CARD_BAD_ADDRESS);
  for (uint32_t n = 0; n < 20; n++)
    assert_true(user_alloc(&u, 256) != a);
  assert_int_equal(user_word(&v, a), 0x600d);
  user_expect(&v, CMD(FREE, 0, a), CARD_OK);
  user_expect(&v, CMD(READ, 0, v.data, a, 4), CARD_BAD_ADDRESS);
  rig_close(&r);
}

// With itself, and with one that is off: the handle is there when it is on.
void sharing_with_anybody(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_of(&r, 1);
  const uint64_t a = user_alloc(&u, 256);
  const uint64_t own = share(&u, a, 0).words[CARD_SHARE_GIVES_HANDLE];
  card_record c = user_do(&u, CMD(ATTACH, 0, own));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_ATTACH_GIVES_ADDRESS], a);
  const uint64_t handle = share(&u, a, 1).words[CARD_SHARE_GIVES_HANDLE];
  user_on(&v);
  user_expect(&v, CMD(ATTACH, 0, handle), CARD_OK);
  user_expect(&v, CMD(READ, 0, v.data, a, 256), CARD_OK);
  // freed by one that did not share it: the handle stays
  const uint64_t third = share(&u, a, 2).words[CARD_SHARE_GIVES_HANDLE];
  user_expect(&v, CMD(FREE, 0, a), CARD_OK);
  user w = user_new(&r, 2);
  user_expect(&w, CMD(ATTACH, 0, third), CARD_OK);
  user_expect(&u, CMD(FREE, 0, a), CARD_OK);  // once, although it attached it
  user_expect(&u, CMD(READ, 0, u.data, a, 4), CARD_BAD_ADDRESS);
  user_expect(&w, CMD(READ, 0, w.data, a, 256), CARD_OK);
  rig_close(&r);
}

// A context cannot use up what others need to share.
void many_handles(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1), w = user_new(&r, 2);
  const uint64_t a = user_alloc(&u, 256), b = user_alloc(&v, 256);
  card_record c;
  uint32_t n = 0;
  while ((c = user_do(&u, CMD(SHARE, 0, a, 3))).status == CARD_OK && n < 2000)
    n++;
  assert_true(n >= 16);
  assert_true(c.status == CARD_OK || c.status == CARD_NO_MEMORY);
  const uint64_t handle = share(&v, b, 2).words[CARD_SHARE_GIVES_HANDLE];
  user_expect(&w, CMD(ATTACH, 0, handle), CARD_OK);
  rig_close(&r);
}

// ---- what is left behind

static void zeros(user *u, uint64_t at, uint64_t bytes) {
  uint8_t *all = u->bytes;
  for (uint64_t n = 0; n < bytes; n += 8192) {
    const uint64_t some = bytes - n < 8192 ? bytes - n : 8192;
    memset(all, 0xff, some);
    user_expect(u, CMD(READ, 0, u->data, at + n, some), CARD_OK);
    for (uint64_t k = 0; k < some; k++)
      if (all[k])
        fail_msg("byte 0x%llx of a new allocation is 0x%02x", (unsigned long long)(n + k), all[k]);
  }
}

void new_memory_is_zeros(void **state) {
  (void)state;
  enum { BYTES = 40000 };
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  uint64_t first = user_alloc(&u, BYTES);
  zeros(&u, first, BYTES);
  // freed, off, failed, reset: by WRITE, FILL and a kernel
  for (int how = 0; how < 4; how++) {
    user_load(&u, object_kernels());
    const uint64_t a = user_alloc(&u, BYTES), variable = symbol(&u, "table");
    user_expect(&u, CMD(FILL, 0, a, 0xcc, BYTES), CARD_OK);
    user_expect(&u, CMD(FILL, 0, variable, 0xcc, 64), CARD_OK);
    user_expect(&u,
                user_launch(&u, 0, "store", (shape){1, 1, 0}, PARAMS(a + BYTES - 4, 0xdddddddd)),
                CARD_OK);
    if (how == 0)
      user_expect(&u, CMD(FREE, 0, a), CARD_OK);
    else if (how == 1)
      user_off(&u);
    else if (how == 2)
      user_expect(&u, CMD(EVENT, 77), CARD_BAD_COMMAND), user_off(&u);
    else
      rig_reset(&r), user_off(&v), user_on(&v);
    // whatever v gets now
    for (uint32_t n = 0; n < 6; n++)
      zeros(&v, user_alloc(&v, BYTES), BYTES);
    if (how == 3)
      user_off(&u);
    if (how)
      user_on(&u);
  }
  user_load(&v, object_kernels());
  zeros(&v, symbol(&v, "table"), 64);
  rig_close(&r);
}
