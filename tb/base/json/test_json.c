// SPDX-License-Identifier: Apache-2.0
// The writer of JSON: what it writes is what jansson reads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "harness/base/json.h"

static char *text;
static size_t bytes;

static json_writer start(void) {
  return jw_to(open_memstream(&text, &bytes));
}

static json_t *read(json_writer *j) {
  json_error_t e;
  assert_int_equal(j->depth, 0);
  fclose(j->to);
  json_t *all = json_loads(text, JSON_DECODE_ANY, &e);
  if (!all)
    fail_msg("%s: %s", e.text, text);
  return all;
}

static void nests(void **state) {
  (void)state;
  json_writer j = start();
  jw_object(&j, NULL);
  jw_count(&j, "large", INT64_MAX);
  jw_list(&j, "list");
  jw_truth(&j, NULL, true);
  jw_null(&j, NULL);
  jw_object(&j, NULL);
  jw_end(&j);
  jw_list(&j, NULL);
  jw_number(&j, NULL, "%.3f", 0.5);
  jw_break(&j, 2);
  jw_number(&j, NULL, "%.3f", strtod("nan", NULL));
  jw_end(&j);
  jw_end(&j);
  jw_break(&j, 4);
  jw_word(&j, "word", "12.25");
  jw_end(&j);
  json_decref(read(&j));
  assert_string_equal(text,
                      "{\"large\": 9223372036854775807, \"list\": [true, null, {}, [0.500,\n"
                      "  null]],\n    \"word\": 12.25}");
  free(text);
}

// Every byte below 128, as a value and as a key.
static void texts(void **state) {
  (void)state;
  char all[128];
  for (int n = 1; n < 128; n++)
    all[n - 1] = (char)n;
  all[127] = 0;
  json_writer j = start();
  jw_object(&j, NULL);
  jw_text(&j, "value", all);
  jw_text(&j, "\"\\\n", "");
  jw_text(&j, "none", NULL);
  jw_end(&j);
  json_t *x = read(&j);
  assert_string_equal(json_string_value(json_object_get(x, "value")), all);
  assert_string_equal(json_string_value(json_object_get(x, "\"\\\n")), "");
  assert_true(json_is_null(json_object_get(x, "none")));
  json_decref(x);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nests), cmocka_unit_test(texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
