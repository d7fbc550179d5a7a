// SPDX-License-Identifier: Apache-2.0
// Placements that are found by accesses: of programs whose best placement is known, of random ones
// that have one, and of some that have none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/inspect/place/place_find.h"
#include "harness/machines/mpu/machine/digits.h"

enum { LINE = 128, SECTOR = 32, CORES = 128, BLOCKS = 512, TRIALS = 40 };

#define NOTHING "# for 128 cores\n# nothing is found that is better than the map of the machine\n"

static uint64_t next_random(uint64_t *x) {
  *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
  return *x;
}

static char *written(const place_find *f) {
  char *text = NULL;
  size_t bytes;
  FILE *to = open_memstream(&text, &bytes);
  assert_true(place_find_write(f, to));
  fclose(to);
  return text;
}

static void use_line(place_find *f, uint64_t at, uint32_t block, uint32_t warp, bool writes) {
  for (uint64_t k = 0; k < LINE; k += SECTOR)
    place_find_access(f, at + k, block, warp, writes);
}
// Writes it: there will be no copies.
static void access_line(place_find *f, uint64_t at, uint32_t block, uint32_t warp) {
  use_line(f, at, block, warp, true);
}

static place_find *begun(uint32_t blocks) {
  place_find *f = place_find_new(CORES);
  assert_non_null(f);
  place_find_launch(f, "k", blocks, 4);
  return f;
}

static void expect(place_find *f, const char *want) {
  char *text = written(f);
  if (strcmp(text, want) != 0)
    fail_msg("found:\n%snot:\n%s", text, want);
  free(text);
  place_find_free(f);
}

// Blocks go over an array line by line, four lines each: the map of the machine is as good as any.
static void streams(void **state) {
  place_find *f = begun(BLOCKS);
  (void)state;
  place_find_array(f, "x", 1 << 20, 8 * BLOCKS * 4 * LINE);
  for (uint64_t n = 0; n < 8 * BLOCKS * 4; n++)
    access_line(f, (1 << 20) + n * LINE, n / 4 % BLOCKS, n % 4);
  expect(f, NOTHING);
}

// Tiles of 4 lines and 8 rows of an image of 128 lines, 32 side by side, with the rows around them.
static void tiles(void **state) {
  place_find *f = begun(BLOCKS);
  const uint64_t rows = 8 * 64;
  (void)state;
  place_find_array(f, "in", 1 << 20, rows * 128 * LINE);
  place_find_array(f, "out", 1 << 28, rows * 128 * LINE);
  for (uint64_t tile = 0; tile < 32 * 64; tile++)
    for (uint64_t r = 0; r < 10; r++)
      for (uint64_t k = 0; k < 4; k++) {
        const uint64_t y = tile / 32 * 8 + r, n = tile % 32 * 4 + k;
        if (y >= 1 && y <= rows)
          access_line(f, (1 << 20) + ((y - 1) * 128 + n) * LINE, tile % BLOCKS, (uint32_t)k);
        if (r < 8)
          access_line(f, (1 << 28) + (y * 128 + n) * LINE, tile % BLOCKS, (uint32_t)k);
      }
  expect(f,
         "# for 128 cores\n"
         "# k: 2.6 % of its sectors are of other cores, 75.0 % by the map of the machine\n"
         "array in: nbu 4, core 32, line 32, core 4\n"
         "array out: nbu 4, core 32, line 32, core 4\n"
         "blocks k: core 32, block 4, core 4\n");
}

// Eight lines a block, over and over; nobody has seen more than the first quarter of the array.
static void beginning(void **state) {
  place_find *f = begun(BLOCKS);
  (void)state;
  place_find_array(f, "x", 1 << 20, 4 * BLOCKS * 8 * LINE);
  for (uint64_t n = 0; n < BLOCKS * 8; n++)
    access_line(f, (1 << 20) + n * LINE, (uint32_t)(n / 8), n % 8);
  expect(f,
         "# for 128 cores\n"
         "# k: 0.0 % of its sectors are of other cores, 99.1 % by the map of the machine\n"
         "array x: nbu 4, line 2, core 128\n");
}

// Eight lines a block: an array that stays by digits that fit, or by others that do not.
static place_found found_fixed(const digits *by) {
  place_find *f = begun(BLOCKS);
  place_found found;
  place_find_array(f, "x", 1 << 20, BLOCKS * 8 * LINE);
  place_find_fix(f, 1 << 20, by);
  for (uint64_t n = 0; n < BLOCKS * 8; n++)
    access_line(f, (1 << 20) + n * LINE, (uint32_t)(n / 8), n % 4);
  assert_true(place_find_kernel(f, PLACE_COPIES_MOST, false, &found));
  place_find_free(f);
  assert_int_equal(found.n, 1);
  assert_int_equal(found.of[0].address, 1 << 20);
  assert_int_equal(found.of[0].accesses, BLOCKS * 8 * LINE / SECTOR);
  assert_false(found.of[0].placed);
  return found;
}

static void fixed(void **state) {
  digits by;
  char why[100];
  (void)state;
  assert_true(digits_read(&by, "nbu 4, line 2, core 128", "line", why, sizeof why));
  assert_true(found_fixed(&by).remote == 0);
  assert_true(found_fixed(NULL).remote > 0.9);
}

// The same array where others would have it: it may move, which saves what its sectors take.
static void moving(void **state) {
  digits by;
  char why[100];
  (void)state;
  assert_true(digits_read(&by, "core 128, nbu 4", "line", why, sizeof why));
  place_find *f = begun(BLOCKS);
  place_found stays, moves;
  place_find_array(f, "x", 1 << 20, BLOCKS * 8 * LINE);
  place_find_fix(f, 1 << 20, &by);
  for (uint64_t n = 0; n < BLOCKS * 8; n++)
    access_line(f, (1 << 20) + n * LINE, (uint32_t)(n / 8), n % 4);
  assert_true(place_find_kernel(f, PLACE_COPIES_MOST, false, &stays));
  assert_true(place_find_kernel(f, PLACE_COPIES_MOST, true, &moves));
  assert_false(stays.of[0].placed);
  assert_true(moves.of[0].placed && moves.remote == 0 && moves.cycles == 0);
  // 4 cycles of a core for each of its 128 sectors, 127 of 128 of which are of others, say
  assert_true(stays.cycles > 400 && stays.cycles < 8000);
  place_find_free(f);
}

// Two blocks of 128 read the rows that all have written: the array is theirs alone.
static void few_blocks(void **state) {
  place_find *f = begun(128);
  (void)state;
  place_find_array(f, "parts", 1 << 20, 128 * 8 * LINE);
  for (uint64_t n = 0; n < 128 * 8; n++)
    access_line(f, (1 << 20) + n * LINE, n % 8 / 4, n % 4);
  expect(f,
         "# for 128 cores\n"
         "# k: 0.0 % of its sectors are of other cores, 98.4 % by the map of the machine\n"
         "array parts: nbu 4, core 2, line 128, core 64\n");
}

// Matrices of 65 x 65 words, one a block, which begin anywhere in a line; all of them have been
// seen, or only the first of each block.
static void pitched(void **state) {
  for (uint64_t rounds = 1; rounds <= 4; rounds += 3) {
    place_find *f = begun(BLOCKS);
    (void)state;
    place_find_array(f, "m", 1 << 20, 4 * BLOCKS * 16900);
    for (uint64_t m = 0; m < rounds * BLOCKS; m++)
      for (uint64_t at = m * 16900 / SECTOR * SECTOR; at < (m + 1) * 16900; at += SECTOR)
        place_find_access(f, (1 << 20) + at, m % BLOCKS, at / LINE % 4, true);
    char *text = written(f);
    assert_non_null(strstr(text, "array m: pitch 16900, "));
    assert_non_null(strstr(text, "core 128"));
    free(text);
    place_find_free(f);
  }
}

// Accesses of nobody knows whom are of other cores but for one of 128.
static void strange(void **state) {
  place_find *f = begun(BLOCKS);
  place_found found;
  (void)state;
  place_find_array(f, "x", 1 << 20, BLOCKS * 8 * LINE);
  place_find_strange(f, 1 << 20, 1000, false);
  assert_true(place_find_kernel(f, PLACE_COPIES_MOST, false, &found));
  assert_false(found.of[0].placed);
  assert_true(found.remote == 127.0 / 128);
  place_find_free(f);
}

// A transposition by tiles of 1 line and 32 rows; warp w has rows w, w + 4, ...
static void transposed(void **state) {
  place_find *f = begun(BLOCKS);
  (void)state;
  place_find_array(f, "in", 1 << 20, 512 * 128 * LINE);
  place_find_array(f, "out", 1 << 28, 4096 * 16 * LINE);
  for (uint32_t tile = 0; tile < 128 * 16; tile++)
    for (uint32_t r = 0; r < 32; r++) {
      const uint64_t x = tile % 128, y = tile / 128;
      access_line(f, (1 << 20) + ((y * 32 + r) * 128 + x) * LINE, tile % BLOCKS, r % 4);
      access_line(f, (1 << 28) + ((x * 32 + r) * 16 + y) * LINE, tile % BLOCKS, r % 4);
    }
  expect(f,
         "# for 128 cores\n"
         "# k: 0.0 % of its sectors are of other cores, 99.2 % by the map of the machine\n"
         "array in: core 128, nbu 4\n"
         "array out: line 16, nbu 4, line 8, core 128\n");
}

// Rows of 7 lines a block, and a vector of 9 lines for all of them.
static void rows_and_vector(void **state) {
  place_find *f = begun(256);
  (void)state;
  place_find_array(f, "a", 1 << 20, 1024 * 7 * LINE);
  place_find_array(f, "x", 1 << 28, 9 * LINE);
  for (uint32_t row = 0; row < 1024; row++) {
    for (uint64_t n = 0; n < 7; n++)
      access_line(f, (1 << 20) + (row * 7 + n) * LINE, row % 256, n % 4);
    for (uint64_t n = 0; n < 9; n++)
      access_line(f, (1 << 28) + n * LINE, row % 256, n % 4);
  }
  char *text = written(f);
  assert_non_null(strstr(text, "array x: core 128, nbu 4\n"));
  assert_non_null(strstr(text, "array a: line 7, core 128"));
  free(text);
  place_find_free(f);
}

enum { A = 1 << 20, X = 1 << 28, Z = 3 << 27 };

// Rows of 8 lines a block, the first of which is read with a vector of `n` lines.
static place_find *vector_of(uint32_t n, uint32_t rows, uint64_t x_bytes) {
  place_find *f = begun(256);
  place_find_array(f, "a", A, 1024 * 8 * LINE);
  place_find_array(f, "x", X, x_bytes);
  for (uint32_t row = 0; row < 1024; row++) {
    for (uint64_t k = 0; k < 8; k++)
      access_line(f, A + (row * 8 + k) * LINE, row % 256, k % 4);
    for (uint64_t k = 0; row < rows && k < n; k++)
      use_line(f, X + k * LINE, row % 256, k % 4, false);
  }
  return f;
}

static void expect_copy(place_find *f, bool copied) {
  char *text = written(f);
  if ((strstr(text, "array x: copy\n") != NULL) != copied)
    fail_msg("copied: %d, not\n%s", !copied, text);
  if (copied && strstr(text, "array x: core"))
    fail_msg("copied and placed:\n%s", text);
  free(text);
  place_find_free(f);
}

// What nothing writes, is read often enough by others, and has room in each core.
static void copies(void **state) {
  (void)state;
  expect_copy(vector_of(9, 1024, 9 * LINE), true);
  expect_copy(vector_of(2000, 1024, 2000 * LINE), true);
  expect_copy(vector_of(9, 120, 9 * LINE), false);  // to be copied takes as many sectors
  expect_copy(vector_of(9, 1024, (1 << 24) + LINE), false);
  place_find *f = vector_of(9, 1024, 9 * LINE);
  use_line(f, X, 3, 0, true);
  expect_copy(f, false);
  f = vector_of(9, 1024, 9 * LINE);
  place_find_launch(f, "other", 1, 4);  // another kernel, once
  use_line(f, X, 0, 0, true);
  expect_copy(f, false);
  f = vector_of(9, 1024, 9 * LINE);  // the lines of a block: they can be its core's
  place_find_array(f, "z", Z, 2048 * LINE);
  for (uint64_t n = 0; n < 2048 * 200; n++)
    use_line(f, Z + n % 2048 * LINE, (uint32_t)(n % 2048 / 8), n % 4, false);
  char *text = written(f);
  if (strstr(text, "array z: copy"))
    fail_msg("copied:\n%s", text);
  free(text);
  place_find_free(f);
}

// What has no order, or too few blocks, or was freed and is another array's now.
static void none(void **state) {
  uint64_t seed = 99;
  place_find *f = begun(BLOCKS);
  (void)state;
  place_find_array(f, "x", 1 << 20, 1 << 20);
  for (int n = 0; n < 100000; n++)
    place_find_access(f, (1 << 20) + next_random(&seed) % (1 << 20),
                      (uint32_t)(next_random(&seed) % BLOCKS), 0, true);
  expect(f, NOTHING);
  f = begun(16);
  place_find_array(f, "x", 1 << 20, 1 << 20);
  for (uint64_t n = 0; n < 8192; n++)
    access_line(f, (1 << 20) + n * LINE, (uint32_t)(n / 512), 0);
  expect(f, NOTHING);
  f = begun(BLOCKS);
  place_find_array(f, "x", 1 << 20, 1 << 20);
  place_find_gone(f, 1 << 20);
  for (uint64_t n = 0; n < 8192; n++)
    access_line(f, (1 << 20) + n * LINE, (uint32_t)(n / 16), 0);
  expect(f, NOTHING);
}

// Lines by random digits: blocks that go by them find all of their lines in their core.
static void random_ones(void **state) {
  uint64_t seed = 4711;
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    char want[100] = "";
    place_find *f = begun(BLOCKS);
    const uint32_t low = 1u << next_random(&seed) % 4, across = 4u << next_random(&seed) % 5,
                   rows = 1 + (uint32_t)(next_random(&seed) % 12), down = BLOCKS / across;
    const uint64_t lines = (uint64_t)low * across * rows * down;
    place_find_array(f, "x", 1 << 20, lines * LINE);
    for (uint64_t n = 0; n < lines; n++)
      access_line(f, (1 << 20) + n * LINE,
                  (uint32_t)(n / low % across + across * (n / low / across / rows)),
                  (uint32_t)n % 4);
    char *text = written(f);
    snprintf(want, sizeof want, "# for 128 cores\n# k: 0.0 %% of its sectors are of other cores, ");
    const bool nothing = strcmp(text, NOTHING) == 0;
    if (!nothing && strncmp(text, want, strlen(want)) != 0)
      fail_msg("%u lines, %u across, %u rows, %u down:\n%s", low, across, rows, down, text);
    if (nothing && rows > 1 && across < CORES)
      fail_msg("%u lines, %u across, %u rows, %u down: nothing is found", low, across, rows, down);
    free(text);
    place_find_free(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams),         cmocka_unit_test(tiles),   cmocka_unit_test(transposed),
      cmocka_unit_test(beginning),       cmocka_unit_test(fixed),   cmocka_unit_test(strange),
      cmocka_unit_test(moving),          cmocka_unit_test(pitched), cmocka_unit_test(few_blocks),
      cmocka_unit_test(rows_and_vector), cmocka_unit_test(copies),  cmocka_unit_test(none),
      cmocka_unit_test(random_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
