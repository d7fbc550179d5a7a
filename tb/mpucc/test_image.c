// SPDX-License-Identifier: Apache-2.0
// Images: parts that come back, images in files that are cut or damaged, options as text.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/mpucc/image.h"

static const char object[] = ELFMAG "an object", ptx[] = "the PTX";

static uint8_t *make(size_t *bytes) {
  uint8_t *image = mpucc_image_make(&(mpucc_image){(const uint8_t *)object, sizeof object, ptx,
                                                   sizeof ptx - 1, " --forms --maxregs=20"},
                                    bytes);
  assert_non_null(image);
  return image;
}

static void check(const mpucc_image *i) {
  assert_int_equal(i->object_bytes, sizeof object);
  assert_memory_equal(i->object, object, sizeof object);
  assert_int_equal(i->ptx_bytes, sizeof ptx - 1);
  assert_memory_equal(i->ptx, ptx, sizeof ptx - 1);
  assert_string_equal(i->options, " --forms --maxregs=20");
}

static void parts_come_back(void **state) {
  (void)state;
  size_t bytes;
  mpucc_image i;
  uint8_t *image = make(&bytes);
  assert_true(mpucc_image_read(image, &i));
  check(&i);
  assert_int_equal((i.object - image) % 8, 0);
  assert_false(mpucc_image_read(ELFMAG "1234", &i));
  free(image);
}

// Two in a file, behind each other and behind a word like theirs.
static void found_in_files(void **state) {
  (void)state;
  size_t bytes, at;
  mpucc_image i;
  uint8_t *image = make(&bytes);
  char file[1000] = {0};
  memcpy(file + 3, image, 8);
  memcpy(file + 101, image, bytes);
  memcpy(file + 101 + bytes, image, bytes);
  const size_t end = 101 + 2 * bytes;
  at = mpucc_image_find(file, end, 0, &i);
  assert_int_equal(at, 101 + bytes);
  check(&i);
  at = mpucc_image_find(file, end, at, &i);
  assert_int_equal(at, end);
  check(&i);
  assert_int_equal(mpucc_image_find(file, end, end, &i), 0);
  for (size_t cut = 1; cut <= bytes; cut++)  // the second one is not whole
    assert_int_equal(mpucc_image_find(file, end - cut, 101 + bytes, &i), 0);
  for (size_t n = 8; n < 32; n++) {  // lengths that are too long
    memcpy(file + 101, image, bytes);
    file[101 + n] = (char)0xff;
    assert_int_equal(mpucc_image_find(file, end, 0, &i), end);
  }
  memcpy(file + 101, image, bytes);
  file[101 + 32] = 0;  // not an object
  assert_int_equal(mpucc_image_find(file, end, 0, &i), end);
  free(image);
}

static void options_as_text(void **state) {
  (void)state;
  char text[MPUCC_OPTIONS_TEXT];
  const mpucc_options all = {.locate = MIR_LOCATE_COST,
                             .dies = ISA_DIES_BASE,
                             .forms = true,
                             .near_predicates = true,
                             .reorder = true,
                             .skew = true,
                             .max_regs = 254};
  mpucc_options o = mpucc_options_default();
  mpucc_options_text(&all, text);
  assert_true(strlen(text) < sizeof text - 1);
  assert_true(mpucc_options_parse(text, &o));
  char again[MPUCC_OPTIONS_TEXT];
  mpucc_options_text(&o, again);
  assert_string_equal(again, text);
  static const char *const wrong[] = {
      " --form",       "--locate",     "--locate=", "--locate=pap", "--dies=x", "--maxregs=7",
      "--maxregs=255", "--maxregs=9x", "x"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_false(mpucc_options_parse(wrong[k], &o));
  assert_true(mpucc_options_parse("", &o));
  assert_true(mpucc_options_parse("  ", &o));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_come_back),
                                     cmocka_unit_test(found_in_files),
                                     cmocka_unit_test(options_as_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
