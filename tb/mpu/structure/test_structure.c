// SPDX-License-Identifier: Apache-2.0
// Sizes of what is below the TSVs: their text, their ranges, and the keys of the configuration that
// set them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "csim/mpu/structure.h"
#include "harness/base/config/config.h"

static void text_and_back(void **state) {
  (void)state;
  char text[STRUCTURE_TEXT], why[200];
  structure s = structure_default, back = structure_default;
  assert_string_equal(structure_parameters(&s, text, sizeof text), "");
  assert_true(structure_is_default(&s));
  s.queue = 8, s.entries = 4;
  assert_false(structure_is_default(&s));
  assert_string_equal(structure_parameters(&s, text, sizeof text), "QUEUE=8 ENTRIES=4");
  assert_true(structure_read(&back, text, why, sizeof why));
  assert_memory_equal(&s, &back, sizeof s);
  assert_true(structure_read(&back, "", why, sizeof why));
  assert_true(structure_read(&back, "FORMS=2", why, sizeof why));
  assert_true(structure_read(&back, "FORMS=0", why, sizeof why));
  assert_memory_equal(&s, &back, sizeof s);
  // the longest text there is
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) \
  s.field = (max) != (standard) ? (max) : (min);
#include "csim/mpu/structure.def"
#undef STRUCTURE
  back = structure_default;
  assert_true(strlen(structure_parameters(&s, text, sizeof text)) < sizeof text - 1);
  assert_true(structure_read(&back, text, why, sizeof why));
  assert_memory_equal(&s, &back, sizeof s);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"ENTRIES=6", "ENTRIES is 6; allowed: powers of two from 2 to 32"},
      {"ENTRIES=64", "ENTRIES is 64; allowed: powers of two from 2 to 32"},
      {"COLLECTORS=17", "COLLECTORS is 17; allowed: 1 to 16"},
      {"COLLECTORS=0", "COLLECTORS is 0; allowed: 1 to 16"},
      {"RX_DEPTH=6", "RX_DEPTH is 6; allowed: powers of two from 4 to 64"},
      {"FORMS=1", "FORMS is 1; allowed: 0 and powers of two from 2 to 64"},
      {"FORMS=6", "FORMS is 6; allowed: 0 and powers of two from 2 to 64"},
      {"FORMS=128", "FORMS is 128; allowed: 0 and powers of two from 2 to 64"},
      {"DEPTH=8", "'DEPTH=8' is not a size and its value, as in QUEUE=8"},
      {"QUEUE", "'QUEUE' is not a size and its value, as in QUEUE=8"},
      {"QUEUE=", "'QUEUE=' is not a size and its value, as in QUEUE=8"},
      {"QUEUE=8x", "'QUEUE=8x' is not a size and its value, as in QUEUE=8"},
      {"QUEUE=-8", "'QUEUE=-8' is not a size and its value, as in QUEUE=8"},
      {"FLITS=1 QUEUE=99999999999",
       "'QUEUE=99999999999' is not a size and its value, as in QUEUE=8"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char why[200] = "";
    structure s = structure_default;
    assert_false(structure_read(&s, cases[k][0], why, sizeof why));
    assert_string_equal(why, cases[k][1]);
  }
}

// A key that sets a size has its default and its range.
static void keys_have_the_same_ranges(void **state) {
  (void)state;
  static const struct {
    const char *name, *section, *key;
    uint32_t each;  // of the key's units in one of the size
  } keys[] = {
      {"queue", "dram", "queue", 1},
      {"entries", "near", "lsu_entries", 1},
      {"held", "near", "packets", 1},
      {"collectors", "near", "collectors", 1},
      {"flits", "tsv", "flits_per_cycle", 1},
      {"rx_depth", "tsv", "down_flits", 1},
      {"up_credits", "tsv", "up_flits", 1},
      {"rows", "dram", "rows", 1},
      {"cols", "dram", "row_bytes", 32},
      {"subarrays", "dram", "subarrays", 1},
      {"rf_rows", "core", "near_rf_bytes", 512},
  };
  static const struct {
    const char *name;
    uint32_t standard, min, max;
  } sizes[] = {
#define STRUCTURE(field, PARAMETER, standard, min, max, step, doc) {#field, standard, min, max},
#include "csim/mpu/structure.def"
#undef STRUCTURE
  };
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const config_field *f = config_find(keys[k].section, keys[k].key);
    assert_non_null(f);
    size_t n = 0;
    while (strcmp(sizes[n].name, keys[k].name) != 0)
      assert_true(++n < sizeof sizes / sizeof *sizes);
    assert_int_equal(f->standard, sizes[n].standard * keys[k].each);
    assert_int_equal(f->min, sizes[n].min * keys[k].each);
    assert_int_equal(f->max, sizes[n].max * keys[k].each);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_and_back),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(keys_have_the_same_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
