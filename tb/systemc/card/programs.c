// SPDX-License-Identifier: Apache-2.0
// Programs: objects, kernels, variables, launch records.
#include <stdlib.h>
#include <string.h>

#include "cases.h"

void programs(void **state) {
  (void)state;
  static rig r;
  const object *o = object_kernels();
  rig_open(&r);
  user u = user_new(&r, 0), v = user_new(&r, 1);
  assert_int_equal(user_load(&u, o), 0);
  assert_int_equal(user_load(&u, o), 1);
  assert_int_equal(user_load(&v, o), 0);
  // kernels and symbols
  card_record c = user_do(&u, user_named(&u, CARD_DO_KERNEL, 1, "mixed"));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_KERNEL_GIVES_PARAMETERS], 20);  // 4, 8 at 8, 1 at 16, 2 at 18
  c = user_do(&u, user_named(&u, CARD_DO_KERNEL, 0, "traps"));
  assert_int_equal(c.words[CARD_KERNEL_GIVES_PARAMETERS], 0);
  c = user_do(&u, user_named(&u, CARD_DO_SYMBOL, 0, "table"));
  assert_int_equal(c.status, CARD_OK);
  assert_int_equal(c.words[CARD_SYMBOL_GIVES_BYTES], 64);
  const uint64_t table = c.words[CARD_SYMBOL_GIVES_ADDRESS];
  c = user_do(&u, user_named(&u, CARD_DO_SYMBOL, 1, "table"));
  assert_true(c.status == CARD_OK && c.words[CARD_SYMBOL_GIVES_ADDRESS] != table);
  static const char *const not_there[] = {"scal", "scales", "factor", "Scale", "counter", "x"};
  for (size_t n = 0; n < sizeof not_there / sizeof *not_there; n++)
    user_expect(&u, user_named(&u, CARD_DO_KERNEL, 0, not_there[n]), CARD_NOT_FOUND);
  static const char *const no_variable[] = {"facto", "factors", "scale", "tables"};
  for (size_t n = 0; n < sizeof no_variable / sizeof *no_variable; n++)
    user_expect(&u, user_named(&u, CARD_DO_SYMBOL, 0, no_variable[n]), CARD_NOT_FOUND);
  memcpy(u.bytes, "scale", 6);
  user_expect(&u, CMD(KERNEL, 0, 0, u.data, 6), CARD_NOT_FOUND);  // a name with a zero
  user_expect(&u, CMD(KERNEL, 0, 0, u.data, 5), CARD_OK);
  // no such program, and a text that says so
  static const uint64_t none[] = {2, 64, 65, UINT32_MAX, 1ull << 32, UINT64_MAX};
  for (size_t n = 0; n < sizeof none / sizeof *none; n++)
    for (int k = 0; k < 2; k++) {
      memset(r.host + u.message, 'x', RIG_MESSAGE_BYTES);
      user_expect(&u, user_named(&u, k ? CARD_DO_SYMBOL : CARD_DO_KERNEL, none[n], "scale"),
                  CARD_BAD_PROGRAM);
      assert_in_range(strlen(user_text(&u)), 5, 200);
      assert_int_not_equal(*user_text(&u), 'x');
    }
  rig_close(&r);
}

void objects_that_are_none(void **state) {
  (void)state;
  static rig r;
  char why[1000];
  const object *o = object_kernels();
  config far = rig_config();
  rig_open(&r);
  user u = user_new(&r, 0);
  const uint64_t sizes[] = {1, 4, 64, o->bytes / 2, o->bytes - 1};
  for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
    memcpy(u.bytes, o->image, o->bytes);
    memset(r.host + u.message, 'x', RIG_MESSAGE_BYTES);
    user_expect(&u, CMD(LOAD, 0, u.data, sizes[n]), CARD_BAD_PROGRAM);
    assert_in_range(strlen(user_text(&u)), 5, 400);
    assert_int_not_equal(*user_text(&u), 'x');
  }
  memset(u.bytes, 0, 4096);
  user_expect(&u, CMD(LOAD, 0, u.data, 4096), CARD_BAD_PROGRAM);
  // for a machine with other dies
  assert_true(config_from_preset(&far, "far-shared", why, sizeof why));
  const object other = object_compile(&far, kernels_ptx);
  memcpy(u.bytes, other.image, other.bytes);
  user_expect(&u, CMD(LOAD, 0, u.data, other.bytes), CARD_BAD_PROGRAM);
  free(other.image);
  assert_int_equal(user_load(&u, o), 0);  // none of them counts
  // too many
  uint32_t n = 1;
  card_record c;
  while ((c = user_do(&u, CMD(LOAD, 0, u.data, o->bytes))).status == CARD_OK && n < 10000)
    assert_int_equal(c.words[CARD_LOAD_GIVES_PROGRAM], n++);
  assert_int_equal(c.status, CARD_NO_MEMORY);
  assert_in_range(n, 8, 9999);
  user_off(&u);
  u = user_new(&r, 0);
  assert_int_equal(user_load(&u, o), 0);
  // no memory for its variables
  user_off(&u);
  u = user_new(&r, 0);
  for (uint64_t bytes = 128 << 20; bytes >= 256;) {
    if (user_do(&u, CMD(ALLOC, 0, bytes)).status != CARD_OK)
      bytes /= 2;
  }
  memcpy(u.bytes, o->image, o->bytes);
  user_expect(&u, CMD(LOAD, 0, u.data, o->bytes), CARD_NO_MEMORY);
  rig_close(&r);
}

// Variables keep their values between launches; READ, WRITE, COPY and FILL reach them, constants
// too.
void variables(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t out = user_alloc(&u, 256);
  const uint64_t counter =
      user_do(&u, user_named(&u, CARD_DO_SYMBOL, 0, "counter")).words[CARD_SYMBOL_GIVES_ADDRESS];
  const uint64_t factor =
      user_do(&u, user_named(&u, CARD_DO_SYMBOL, 0, "factor")).words[CARD_SYMBOL_GIVES_ADDRESS];
  assert_int_equal(user_word(&u, counter), 7);
  assert_int_equal(user_word(&u, factor), 3);
  const card_command c = user_launch(&u, 0, "counts", (shape){1, 1, 0}, PARAMS(out));
  for (uint32_t n = 8; n < 11; n++) {
    user_expect(&u, c, CARD_OK);
    assert_int_equal(user_word(&u, out), n);
  }
  uint32_t word = 40;
  user_write(&u, counter, &word, 4);
  user_expect(&u, c, CARD_OK);
  assert_int_equal(user_word(&u, out), 41);
  // factor by each command
  const card_command scale = user_launch(&u, 1, "scale", (shape){1, 32, 0}, PARAMS(out, out + 128));
  word = 1000;
  user_write(&u, out + 128 + 4 * 31, &word, 4);
  user_expect(&u, scale, CARD_OK);
  assert_int_equal(user_word(&u, out + 4 * 31), 3031);
  word = 5;
  user_write(&u, factor, &word, 4);
  user_expect(&u, scale, CARD_OK);
  assert_int_equal(user_word(&u, out + 4 * 31), 5031);
  user_expect(&u, CMD(FILL, 0, factor, 1, 4), CARD_OK);
  assert_int_equal(user_word(&u, factor), 0x01010101);
  word = 9;
  user_write(&u, out, &word, 4);
  user_expect(&u, CMD(COPY, 0, factor, out, 4), CARD_OK);
  user_expect(&u, CMD(COPY, 0, out + 4, factor, 4), CARD_OK);
  assert_int_equal(user_word(&u, out + 4), 9);
  user_expect(&u, scale, CARD_OK);
  assert_int_equal(user_word(&u, out + 4 * 31), 9031);
  // not beyond them
  user_expect(&u, CMD(READ, 0, u.data, factor, 1 << 16), CARD_BAD_ADDRESS);
  user_expect(&u, CMD(FILL, 0, factor - 1, 1, 2), CARD_BAD_ADDRESS);
  rig_close(&r);
}

// ---- launches that cannot be

static card_launch launch_in(user *u, const card_command *c) {
  card_launch l;
  memcpy(&l, u->r->host + c->words[CARD_LAUNCH_FROM], sizeof l);
  return l;
}

static void launch_with(user *u, card_command c, card_launch l, uint32_t status) {
  const card_launch old = launch_in(u, &c);
  memcpy(u->r->host + c.words[CARD_LAUNCH_FROM], &l, sizeof l);
  const card_record got = user_do(u, c);
  if (got.status != status)
    fail_msg(
        "grid %u %u %u block %u %u %u shared %u parameters %u program %u kernel %u: %s, not %s",
        l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2], l.shared,
        l.parameter_bytes, l.program, l.kernel, card_status_name(got.status),
        card_status_name(status));
  if (status)
    assert_true(!got.words[0] && got.begin == got.end);
  assert_int_equal(user_state(u), CONTEXT_STATE_ON);
  memcpy(u->r->host + c.words[CARD_LAUNCH_FROM], &old, sizeof old);
}

void launches_that_cannot_be(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 8192);
  const card_command c = user_launch(&u, 0, "scale", (shape){1, 32, 0}, PARAMS(a, a));
  card_launch l = launch_in(&u, &c);
  for (int k = 0; k < 3; k++) {
    card_launch wrong = l;
    wrong.grid[k] = 0;
    launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
    wrong = l, wrong.block[k] = 0;
    launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
    wrong = l, wrong.block[k] = 1025;
    launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
    wrong = l, wrong.block[k] = UINT32_MAX;
    launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
    wrong = l, wrong.grid[0] = wrong.grid[1] = wrong.grid[2] = UINT32_MAX;
    launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
  }
  card_launch wrong = l;
  wrong.block[0] = 64, wrong.block[1] = 17;
  launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
  wrong.block[1] = 16;
  launch_with(&u, c, wrong, CARD_OK);
  // parameters
  for (uint32_t bytes = 0; bytes < 24; bytes++) {
    wrong = l, wrong.parameter_bytes = bytes;
    launch_with(&u, c, wrong, bytes == 16 ? CARD_OK : CARD_BAD_LAUNCH);
  }
  wrong = l, wrong.parameter_bytes = UINT32_MAX;
  launch_with(&u, c, wrong, CARD_BAD_LAUNCH);
  // no such program, kernel; with a text
  wrong = l, wrong.program = 1;
  launch_with(&u, c, wrong, CARD_BAD_PROGRAM);
  assert_in_range(strlen(user_text(&u)), 5, 200);
  wrong = l, wrong.program = UINT32_MAX;
  launch_with(&u, c, wrong, CARD_BAD_PROGRAM);
  wrong = l, wrong.kernel = 1000;
  launch_with(&u, c, wrong, CARD_BAD_PROGRAM);
  wrong = l, wrong.kernel = UINT32_MAX;
  launch_with(&u, c, wrong, CARD_BAD_PROGRAM);
  // what does not fit a core
  wrong = l, wrong.shared = 65536;
  launch_with(&u, c, wrong, CARD_OK);
  wrong = l, wrong.shared = 65537;
  launch_with(&u, c, wrong, CARD_NO_SHARED);
  wrong = l, wrong.shared = UINT32_MAX;
  launch_with(&u, c, wrong, CARD_NO_SHARED);
  const card_command rooms = user_launch(&u, 1, "rooms", (shape){1, 32, 16384}, PARAMS(a));
  user_expect(&u, rooms, CARD_OK);
  wrong = launch_in(&u, &rooms), wrong.shared = 16385;
  launch_with(&u, rooms, wrong, CARD_NO_SHARED);
  const card_command wide = user_launch(&u, 2, "wide", (shape){1, 32, 0}, PARAMS(a));
  user_expect(&u, wide, CARD_OK);
  wrong = launch_in(&u, &wide), wrong.block[0] = 1024;
  launch_with(&u, wide, wrong, CARD_NO_REGISTERS);
  // a kernel that wants 64 threads
  const card_command exact = user_launch(&u, 3, "exact", (shape){2, 64, 0}, NULL, 0);
  user_expect(&u, exact, CARD_OK);
  wrong = launch_in(&u, &exact), wrong.block[0] = 32;
  launch_with(&u, exact, wrong, CARD_BAD_LAUNCH);
  wrong.block[1] = 2;
  launch_with(&u, exact, wrong, CARD_BAD_LAUNCH);
  user_expect(&u, c, CARD_OK);
  rig_close(&r);
}

// Parameters of other sizes, each aligned to its own; grids and blocks of three dimensions.
void parameters_and_shapes(void **state) {
  (void)state;
  static rig r;
  rig_open(&r);
  user u = user_new(&r, 0);
  user_load(&u, object_kernels());
  const uint64_t a = user_alloc(&u, 256);
  struct {
    card_launch l;
    uint32_t a, pad;
    uint64_t out;
    uint8_t b, pad2;
    uint16_t c;
  } p = {.a = 0x11223344, .out = a, .b = 0xab, .c = 0xcdef};
  p.l.kernel = (uint32_t)user_do(&u, user_named(&u, CARD_DO_KERNEL, 0, "mixed"))
                   .words[CARD_KERNEL_GIVES_KERNEL];
  p.l.parameter_bytes = 20;
  for (int k = 0; k < 3; k++)
    p.l.grid[k] = 1 + (uint32_t)k, p.l.block[k] = 3 - (uint32_t)k;
  memcpy(u.bytes, &p, 60);
  user_expect(&u, CMD(LAUNCH, 0, u.data, 60), CARD_OK);
  assert_int_equal(user_word(&u, a), 0x11223344);
  assert_int_equal(user_word(&u, a + 4), 0xab);
  assert_int_equal(user_word(&u, a + 8), 0xcdef);
  // a text of MESSAGE_BYTES, and of less
  rig_close(&r);
}
