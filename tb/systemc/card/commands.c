// SPDX-License-Identifier: Apache-2.0
// Commands: fields that are wrong, limits, memory.
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define OF_ANY(...) __VA_ARGS__
#define OF_MPU(...) __VA_ARGS__
#define OF_SPACEA(...)
static const struct command {
  uint16_t opcode;
  const char *name;
} commands[] = {
#define CARD_COMMAND(number, name, type, engine, doc) OF_##type({number, #name}, )
#include "harness/systemc/card/card.def"
};
enum { COMMANDS = sizeof commands / sizeof *commands };
static uint32_t arguments(uint32_t opcode) {
  uint32_t n = 0;
#define CARD_ARG(command, word, name, doc) n += opcode == CARD_DO_##command;
#include "harness/systemc/card/card.def"
  return n;
}

// ---- fields that are wrong

typedef struct bench {
  rig *r;
  user u, v;
  uint64_t a;
  card_command good[COMMANDS];  // each of them is OK
} bench;

// Both contexts are new, and all commands of `good` would be OK next.
static void set_up(bench *b) {
  b->u = user_new(b->r, 0), b->v = user_new(b->r, 1);
  user_load(&b->u, object_kernels());
  b->a = user_alloc(&b->u, 4096);
  const uint64_t other = user_alloc(&b->v, 256), more = user_alloc(&b->u, 256);
  const card_record c = user_do(&b->v, CMD(SHARE, 0, other, 0));
  assert_int_equal(c.status, CARD_OK);
  for (uint32_t n = 0; n < COMMANDS; n++) {
    card_command *x = &b->good[n];
    *x = (card_command){.opcode = commands[n].opcode, .stream = n % CARD_N_STREAMS};
    const uint64_t words[3] = {b->a, b->a + 256, 256};
    switch (x->opcode) {
      case CARD_DO_WAIT:
        x->words[0] = b->u.tail - 1;
        break;
      case CARD_DO_ALLOC:
        x->words[0] = 100;
        break;
      case CARD_DO_FREE:
        x->words[0] = more;
        break;
      case CARD_DO_SHARE:
        x->words[0] = b->a, x->words[1] = 1;
        break;
      case CARD_DO_ATTACH:
        x->words[0] = c.words[CARD_SHARE_GIVES_HANDLE];
        break;
      case CARD_DO_FILL:
        memcpy(x->words, words, sizeof words);
        x->words[1] = 0xff;
        break;
      case CARD_DO_WRITE:
        memcpy(x->words, words, sizeof words);
        x->words[1] = b->u.data;
        break;
      case CARD_DO_READ:
        memcpy(x->words, words, sizeof words);
        x->words[0] = b->u.data + 0x1000;
        break;
      case CARD_DO_COPY:
        memcpy(x->words, words, sizeof words);
        break;
      case CARD_DO_LOAD:
        memcpy(b->u.bytes, object_kernels()->image, object_kernels()->bytes);
        x->words[0] = b->u.data, x->words[1] = object_kernels()->bytes;
        break;
      case CARD_DO_KERNEL:
        *x = user_named(&b->u, CARD_DO_KERNEL, 0, "scale");
        break;
      case CARD_DO_SYMBOL:
        *x = user_named(&b->u, CARD_DO_SYMBOL, 0, "factor");
        break;
      case CARD_DO_LAUNCH:
        *x = user_launch(&b->u, 0, "scale", (shape){1, 32, 0}, PARAMS(b->a, b->a));
        break;
      default:
        break;
    }
  }
}

static void put_off(bench *b) {
  user_off(&b->u), user_off(&b->v);
}

static void refused(bench *b, card_command c, const char *name, const char *what, uint64_t value) {
  const uint32_t before = user_done(&b->u);
  const card_record got = user_do(&b->u, c);
  if (got.status != CARD_BAD_COMMAND || user_state(&b->u) != CONTEXT_STATE_FAILED ||
      rig_get(b->r, 0, CONTEXT_R_ERROR) != CARD_BAD_COMMAND ||
      rig_get(b->r, 0, CONTEXT_R_ERROR_COMMAND) != b->u.tail - 1 || user_done(&b->u) != before + 1)
    fail_msg("%s with %s 0x%llx: %s", name, what, (unsigned long long)value,
             card_status_name(got.status));
  assert_true(!got.words[0] && !got.words[1]);
  put_off(b);
  set_up(b);
}

void good_commands_are_ok(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  bench b = {.r = &r};
  for (uint32_t n = 0; n < COMMANDS; n++) {
    set_up(&b);
    const card_record c = user_do(&b.u, b.good[n]);
    if (c.status != CARD_OK)
      fail_msg("%s: %s", commands[n].name, card_status_name(c.status));
    put_off(&b);
  }
  rig_close(&r);
}

void fields_that_are_wrong_fail_each_command(void **state) {
  (void)state;
  static const uint32_t streams[] = {16, 17, 32, 0x80000000, UINT32_MAX};
  static rig r;
  rig_open(&r);
  bench b = {.r = &r};
  set_up(&b);
  for (uint32_t n = 0; n < COMMANDS; n++) {
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
      card_command c = b.good[n];
      c.stream = streams[k];
      refused(&b, c, commands[n].name, "stream", c.stream);
    }
    for (uint32_t bit = 1; bit < 16; bit++) {
      card_command c = b.good[n];
      c.flags = (uint16_t)(1u << bit);
      refused(&b, c, commands[n].name, "flags", c.flags);
    }
    for (uint32_t word = arguments(commands[n].opcode); word < 6; word++)
      for (uint32_t bit = 0; bit < 64; bit += 63) {
        card_command c = b.good[n];
        c.words[word] = 1ull << bit;
        refused(&b, c, commands[n].name, "word", word);
      }
  }
  rig_close(&r);
}

void opcodes_that_there_are_not_fail(void **state) {
  (void)state;
  static const uint16_t opcodes[] = {0,   COMMANDS + 1, 17,  31,     32,    64,
                                     255, 256,          257, 0x8001, 0xffff};
  static rig r;
  rig_open(&r);
  bench b = {.r = &r};
  set_up(&b);
  for (size_t n = 0; n < sizeof opcodes / sizeof *opcodes; n++)
    refused(&b, (card_command){.opcode = opcodes[n]}, "a command", "opcode", opcodes[n]);
  rig_close(&r);
}

void sizes_and_numbers_at_their_limits(void **state) {
  (void)state;
  static rig r;
  const uint64_t most = 1ull << 32;
  rig_open(&r);
  bench b = {.r = &r};
  set_up(&b);
  // there is no allocation of that size on this machine: it is the address that is wrong
  user_expect(&b.u, CMD(WRITE, 0, b.a, b.u.data, most), CARD_BAD_ADDRESS);
  user_expect(&b.u, CMD(READ, 0, b.u.data, b.a, most), CARD_BAD_ADDRESS);
  refused(&b, CMD(WRITE, 0, b.a, b.u.data, most + 1), "WRITE", "bytes", most + 1);
  refused(&b, CMD(WRITE, 0, b.a, b.u.data, UINT64_MAX), "WRITE", "bytes", UINT64_MAX);
  refused(&b, CMD(READ, 0, b.u.data, b.a, most + 1), "READ", "bytes", most + 1);
  refused(&b, CMD(READ, 0, b.u.data, b.a, UINT64_MAX), "READ", "bytes", UINT64_MAX);
  refused(&b, CMD(LOAD, 0, b.u.data, most + 1), "LOAD", "bytes", most + 1);
  user_expect(&b.u, CMD(LOAD, 0, b.u.data, most), CARD_BAD_HOST);
  put_off(&b), set_up(&b);
  memset(b.u.bytes, 'x', CARD_NAME_MOST + 1);
  user_expect(&b.u, CMD(KERNEL, 0, 0, b.u.data, CARD_NAME_MOST), CARD_NOT_FOUND);
  user_expect(&b.u, CMD(SYMBOL, 0, 0, b.u.data, CARD_NAME_MOST), CARD_NOT_FOUND);
  refused(&b, CMD(KERNEL, 0, 0, b.u.data, CARD_NAME_MOST + 1), "KERNEL", "bytes", 4097);
  refused(&b, CMD(KERNEL, 0, 0, b.u.data, UINT64_MAX), "KERNEL", "bytes", UINT64_MAX);
  refused(&b, CMD(SYMBOL, 0, 0, b.u.data, CARD_NAME_MOST + 1), "SYMBOL", "bytes", 4097);
  refused(&b, CMD(LAUNCH, 0, b.u.data, CARD_LAUNCH_MOST + 1), "LAUNCH", "bytes",
          CARD_LAUNCH_MOST + 1);
  refused(&b, CMD(LAUNCH, 0, b.u.data, UINT64_MAX), "LAUNCH", "bytes", UINT64_MAX);
  refused(&b, CMD(SHARE, 0, b.a, CARD_N_CONTEXTS), "SHARE", "context", CARD_N_CONTEXTS);
  refused(&b, CMD(SHARE, 0, b.a, 1ull << 32), "SHARE", "context", 1ull << 32);
  user_expect(&b.u, CMD(SHARE, 0, b.a, CARD_N_CONTEXTS - 1), CARD_OK);
  refused(&b, CMD(FILL, 0, b.a, 256, 16), "FILL", "value", 256);
  refused(&b, CMD(FILL, 0, b.a, 1ull << 63, 16), "FILL", "value", 1ull << 63);
  // a command that is not before this one
  refused(&b, CMD(WAIT, 0, b.u.tail), "WAIT", "its own number", b.u.tail);
  refused(&b, CMD(WAIT, 0, b.u.tail + 1), "WAIT", "the next number", b.u.tail + 1);
  refused(&b, CMD(WAIT, 0, most), "WAIT", "number", most);
  user_expect(&b.u, CMD(WAIT, 0, 0), CARD_OK);  // long ago, over the ring: 16 entries
  while (b.u.tail < 40)
    user_expect(&b.u, CMD(EVENT, 0), CARD_OK);
  user_expect(&b.u, CMD(WAIT, 0, 0), CARD_OK);
  user_expect(&b.u, CMD(WAIT, 1, b.u.tail - 1), CARD_OK);
  // the largest parameters, in a record of their size and in the largest one
  enum { PARAMETERS = 32764 };
  card_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .parameter_bytes = PARAMETERS};
  card_record c = user_do(&b.u, user_named(&b.u, CARD_DO_KERNEL, 0, "most"));
  l.kernel = (uint32_t)c.words[CARD_KERNEL_GIVES_KERNEL];
  assert_int_equal(c.words[CARD_KERNEL_GIVES_PARAMETERS], PARAMETERS);
  memcpy(b.u.bytes, &l, sizeof l);
  memcpy(b.u.bytes + sizeof l, &b.a, sizeof b.a);
  memcpy(b.u.bytes + sizeof l + PARAMETERS - 4, "last", 4);
  user_expect(&b.u, CMD(LAUNCH, 0, b.u.data, sizeof l + PARAMETERS), CARD_OK);
  assert_int_equal(user_word(&b.u, b.a), 'l' | 'a' << 8 | 's' << 16 | 't' << 24);
  c = user_do(&b.u, CMD(LAUNCH, 0, b.u.data, CARD_LAUNCH_MOST));
  assert_true(c.status < CARD_FIRST_FAILURE);
  rig_close(&r);
}

// ---- memory

void allocations(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  static const uint64_t sizes[] = {1, 255, 256, 257, 4096, 1 << 20, 100 << 20};
  enum { N = sizeof sizes / sizeof *sizes };
  uint64_t at[N];
  for (uint32_t n = 0; n < N; n++) {
    at[n] = user_alloc(&u, sizes[n]);
    for (uint32_t k = 0; k < n; k++)
      assert_true(at[n] + sizes[n] <= at[k] || at[k] + sizes[k] <= at[n]);
    // to its last byte, no further
    user_expect(&u, CMD(WRITE, 0, at[n] + sizes[n] - 1, u.data, 1), CARD_OK);
    user_expect(&u, CMD(WRITE, 0, at[n] + sizes[n], u.data, 1), CARD_BAD_ADDRESS);
  }
  user_expect(&u, CMD(ALLOC, 0, 256 << 20), CARD_NO_MEMORY);
  user_expect(&u, CMD(ALLOC, 0, 1ull << 32), CARD_NO_MEMORY);
  user_expect(&u, CMD(ALLOC, 0, 1ull << 63), CARD_NO_MEMORY);
  user_expect(&u, CMD(ALLOC, 0, UINT64_MAX), CARD_NO_MEMORY);
  user_expect(&u, CMD(FREE, 0, at[4] + 256), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(FREE, 0, at[4] + 1), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(FREE, 0, 0), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(FREE, 0, UINT64_MAX), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(FREE, 0, at[4]), CARD_OK);
  user_expect(&u, CMD(FREE, 0, at[4]), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(READ, 0, u.data, at[4], 1), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(READ, 0, u.data, at[3], 1), CARD_OK);
  // until memory is full; and again when some is free
  uint64_t last = 0;
  uint32_t n = 0;
  card_record c;
  while ((c = user_do(&u, CMD(ALLOC, 0, 1 << 20))).status == CARD_OK)
    last = c.words[CARD_ALLOC_GIVES_ADDRESS], n++;
  assert_int_equal(c.status, CARD_NO_MEMORY);
  assert_int_equal(c.words[CARD_ALLOC_GIVES_ADDRESS], 0);
  assert_in_range(n, 100, 155);
  user_expect(&u, CMD(FREE, 0, last), CARD_OK);
  user_alloc(&u, 1 << 20);
  rig_close(&r);
}

static void fill_host(user *u, uint32_t at, uint32_t bytes, uint32_t salt) {
  for (uint32_t n = 0; n < bytes; n++)
    u->bytes[at + n] = (uint8_t)((at + n) * 167 + (n >> 8) + salt);
}

void copies(void **state) {
  (void)state;
  enum { BYTES = 3001, ALL = 4096 };
  static uint8_t want[ALL], have[ALL];
  static const struct {
    uint32_t to, from, bytes;
  } cases[] = {{0, 2048, 2048}, {1, 0, BYTES}, {0, 1, BYTES},
               {7, 7, 100},     {100, 0, 101}, {4095, 0, 1}};
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, ALL);
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    // WRITE and READ at odd places and sizes
    fill_host(&u, 0, ALL, (uint32_t)n);
    memcpy(want, u.bytes, ALL);
    user_expect(&u, CMD(WRITE, 0, a, u.data, 1), CARD_OK);
    user_expect(&u, CMD(WRITE, 0, a + 1, u.data + 1, BYTES), CARD_OK);
    user_expect(&u, CMD(WRITE, 0, a + 1 + BYTES, u.data + 1 + BYTES, ALL - BYTES - 1), CARD_OK);
    user_expect(&u, CMD(COPY, 0, a + cases[n].to, a + cases[n].from, cases[n].bytes), CARD_OK);
    memmove(want + cases[n].to, want + cases[n].from, cases[n].bytes);
    user_expect(&u, CMD(FILL, 0, a + cases[n].from, 0xa5, cases[n].bytes / 2), CARD_OK);
    memset(want + cases[n].from, 0xa5, cases[n].bytes / 2);
    memset(u.bytes + 8192, 0x77, ALL + 2);
    user_expect(&u, CMD(READ, 0, u.data + 8193, a, ALL), CARD_OK);
    memcpy(have, u.bytes + 8193, ALL);
    assert_memory_equal(have, want, ALL);
    assert_true(u.bytes[8192] == 0x77 && u.bytes[8193 + ALL] == 0x77);
  }
  rig_close(&r);
}

// Bytes of two allocations, side by side or not; of the parts of `c` that are inside nothing
// changes.
void addresses_that_are_wrong_change_nothing(void **state) {
  (void)state;
  enum { ALL = 1024 };
  static uint8_t before[2 * ALL], after[2 * ALL];
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  const uint64_t a = user_alloc(&u, ALL), b = user_alloc(&u, ALL), gone = user_alloc(&u, ALL);
  const uint64_t of_v = user_alloc(&v, ALL), far = 1ull << 40;
  user_expect(&u, CMD(FREE, 0, gone), CARD_OK);
  const uint64_t h = u.data, gap = b > a ? b - a : a - b, low = a < b ? a : b;
  fill_host(&u, 0, ALL, 1);
  user_expect(&u, CMD(WRITE, 0, a, h, ALL), CARD_OK);
  user_expect(&u, CMD(WRITE, 0, b, h, ALL), CARD_OK);
  user_read(&u, before, a, ALL);
  user_read(&u, before + ALL, b, ALL);
  memset(u.bytes, 0x3c, 4 * ALL);
  const struct {
    uint64_t address, bytes;
  } wrong[] = {{a + 1, ALL},
               {a + ALL - 1, 2},
               {low, gap + 1},
               {0, 8},
               {gone, 8},
               {of_v, 8},
               {a - 1, 2},
               {a, 1ull << 32},
               {far, 8},
               {256 << 20, 8},
               {(256 << 20) - 4, 8},
               {UINT64_MAX, 1},
               {UINT64_MAX - 3, 4},
               {a, (1ull << 32) - a},
               {0x10000000000, 4},
               {0x20000000000, 4},
               {0x30000000000, 4},
               {0x40000000000, 4}};
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
    const uint64_t x = wrong[n].address, bytes = wrong[n].bytes;
    if (bytes <= 4 * ALL)
      user_expect(&u, CMD(WRITE, 0, x, h, bytes), CARD_BAD_ADDRESS);
    user_expect(&u, CMD(READ, 0, h, x, bytes), CARD_BAD_ADDRESS);
    user_expect(&u, CMD(COPY, 0, a, x, bytes), CARD_BAD_ADDRESS);
    user_expect(&u, CMD(COPY, 0, x, a, bytes), CARD_BAD_ADDRESS);
    user_expect(&u, CMD(FILL, 0, x, 0xee, bytes), CARD_BAD_ADDRESS);
    if (x != low && x != a) {
      user_expect(&u, CMD(FREE, 0, x), CARD_BAD_ADDRESS);
      user_expect(&u, CMD(SHARE, 0, x, 1), CARD_BAD_ADDRESS);
    }
  }
  static const uint64_t huge[] = {1ull << 33, 1ull << 62, (1ull << 63) + 1, UINT64_MAX - 30,
                                  UINT64_MAX};
  for (size_t n = 0; n < sizeof huge / sizeof *huge; n++) {
    const uint64_t begin = r.now;
    user_expect(&u, CMD(FILL, 0, a, 0xee, huge[n]), CARD_BAD_ADDRESS);
    user_expect(&u, CMD(COPY, 0, a, b, huge[n]), CARD_BAD_ADDRESS);
    // the machine is not busy for longer than with all of its memory
    assert_true(r.now - begin < 20ull * (256 << 20) * 1000 / 32);
  }
  for (uint32_t n = 0; n < 4 * ALL; n++)
    assert_int_equal(u.bytes[n], 0x3c);
  // more than the card takes at a time, of which the first bytes would be right
  enum { MOST = 100000 };
  const uint64_t large = user_alloc(&u, 70000);
  memset(u.bytes, 0x3c, MOST);
  user_expect(&u, CMD(WRITE, 0, large, h, MOST), CARD_BAD_ADDRESS);
  memset(u.bytes, 0x77, MOST);
  user_expect(&u, CMD(READ, 0, h, large, MOST), CARD_BAD_ADDRESS);
  for (uint32_t n = 0; n < MOST; n++)
    assert_int_equal(u.bytes[n], 0x77);
  user_expect(&u, CMD(READ, 0, h, large, 70000), CARD_OK);
  for (uint32_t n = 0; n < 70000; n++)
    assert_int_equal(u.bytes[n], 0);
  user_read(&u, after, a, ALL);
  user_read(&u, after + ALL, b, ALL);
  assert_memory_equal(before, after, sizeof before);
  rig_close(&r);
}

// Of no bytes, at any address.
void no_bytes(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 256), h = u.data;
  user_expect(&u, CMD(WRITE, 0, a, h, 0), CARD_OK);
  user_expect(&u, CMD(READ, 0, h, a, 0), CARD_OK);
  user_expect(&u, CMD(COPY, 0, a, a, 0), CARD_OK);
  user_expect(&u, CMD(FILL, 0, a, 1, 0), CARD_OK);
  user_expect(&u, CMD(KERNEL, 0, 0, h, 0), CARD_NOT_FOUND);
  user_expect(&u, CMD(SYMBOL, 0, 0, h, 0), CARD_NOT_FOUND);
  user_expect(&u, CMD(LOAD, 0, h, 0), CARD_BAD_PROGRAM);
  user_expect(&u, CMD(ALLOC, 0, 0), CARD_NO_MEMORY);
  const card_command nowhere[] = {CMD(WRITE, 0, 0, h, 0),
                                  CMD(WRITE, 0, a, RIG_HOLE, 0),
                                  CMD(WRITE, 0, UINT64_MAX, UINT64_MAX, 0),
                                  CMD(READ, 0, h, 1ull << 63, 0),
                                  CMD(READ, 0, RIG_END + 1, a, 0),
                                  CMD(COPY, 0, 5, 6, 0),
                                  CMD(COPY, 0, a, 1ull << 40, 0),
                                  CMD(FILL, 0, 256 << 20, 0, 0)};
  for (size_t n = 0; n < sizeof nowhere / sizeof *nowhere; n++)
    user_expect(&u, nowhere[n], CARD_OK);
  rig_close(&r);
}

// The hole, the end, and beyond 2^64, of each command that reads or writes host memory.
void host_memory_that_is_not_there(void **state) {
  (void)state;
  enum { ALL = 4096 };
  static const uint64_t places[] = {RIG_HOLE - 1,     RIG_HOLE,       RIG_HOLE + 100,
                                    RIG_HOLE_END - 1, RIG_END - 1,    RIG_END,
                                    1ull << 40,       UINT64_MAX - 1, UINT64_MAX - 63};
  static uint8_t zeros[ALL];
  static rig r;
  rig_open(&r);
  for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
    user u = user_new(&r, 0);
    uint64_t a = user_alloc(&u, ALL);
    uint8_t have[ALL];
    user_expect(&u, CMD(WRITE, 0, a, places[n], 100), CARD_BAD_HOST);
    // nothing has changed, but it was off since then
    card_window_read(r.card, a, have, ALL);
    assert_memory_equal(have, zeros, ALL);
    a = user_alloc(&u, ALL);
    user_expect(&u, CMD(READ, 0, places[n], a, 100), CARD_BAD_HOST);
    user_expect(&u, CMD(LOAD, 0, places[n], 100), CARD_BAD_HOST);
    user_load(&u, object_kernels());
    user_expect(&u, CMD(KERNEL, 0, 0, places[n], 5), CARD_BAD_HOST);
    user_load(&u, object_kernels());
    user_expect(&u, CMD(SYMBOL, 0, 0, places[n], 5), CARD_BAD_HOST);
    user_load(&u, object_kernels());
    user_expect(&u, CMD(LAUNCH, 0, places[n], 56), CARD_BAD_HOST);
    user_off(&u);
  }
  // data on both sides of it are there
  user u = user_new(&r, 0);
  const uint64_t a = user_alloc(&u, ALL);
  user_expect(&u, CMD(READ, 0, RIG_HOLE - 100, a, 100), CARD_OK);
  user_expect(&u, CMD(WRITE, 0, a, RIG_HOLE_END, 100), CARD_OK);
  user_expect(&u, CMD(WRITE, 0, a, RIG_END - 100, 100), CARD_OK);
  user_expect(&u, CMD(READ, 0, RIG_HOLE - 100, a, 0x8000 + 200), CARD_BAD_ADDRESS);
  user_off(&u);
  // when both sides are wrong it is the address; data that the hole cuts in two
  u = user_new(&r, 0);
  user_expect(&u, CMD(WRITE, 0, 8, RIG_HOLE, 100), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(READ, 0, RIG_END, 8, 100), CARD_BAD_ADDRESS);
  const uint64_t b = user_alloc(&u, 0x20000);
  user_expect(&u, CMD(WRITE, 0, b, RIG_HOLE - 0x4000, 0x10000), CARD_BAD_HOST);
  rig_close(&r);
}
