// SPDX-License-Identifier: Apache-2.0
// Expressions of study files: values, precedence, runs in brackets, what is wrong and where.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "harness/study/expr/expr.h"

static char why[256];
static size_t at;

// a is 3, a[base] 12, core.x 5; z 0.
static bool lookup(void *ctx, const char *name, const char *run, double *to) {
  (void)ctx;
  const bool base = run && !strcmp(run, "base");
  if (run && !base && strcmp(run, "dram.tRCD=14,x=2") != 0)
    return false;
  *to = !strcmp(name, "a") ? (base ? 12 : 3) : !strcmp(name, "core.x") ? 5 : 0;
  return !strcmp(name, "a") || !strcmp(name, "core.x") || !strcmp(name, "z");
}

static void is(const char *text, double value) {
  double v = -1;
  expr *e = expr_parse(text, &at, why, sizeof why);
  assert_non_null(e);
  assert_true(expr_value(e, lookup, NULL, &v));
  assert_true(v == value);
  expr_free(e);
}

static void values(void **state) {
  (void)state;
  is("1 + 2 * 3", 7);
  is("(1 + 2) * 3", 9);
  is("8 - 2 - 1", 5);
  is("8 / 2 / 2", 2);
  is("-a + 10", 7);
  is("--2", 2);
  is("2 * -a", -6);
  is("a[base] / a", 4);
  is(" a[dram.tRCD=14,x=2]", 3);
  is("100*core.x", 500);
  is("min(a, 2) + max(a, 4) + sqrt(16) + log2(8)", 13);
  is("1.5e1", 15);
}

static void missing(void **state) {
  (void)state;
  static const char *const none[] = {"b", "a[other]", "1 / z", "a + b * 2", "log2(z)"};
  double v;
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
    expr *e = expr_parse(none[k], &at, why, sizeof why);
    assert_non_null(e);
    assert_false(expr_value(e, lookup, NULL, &v));
    expr_free(e);
  }
}

static void refused(const char *text, size_t where, const char *message) {
  assert_null(expr_parse(text, &at, why, sizeof why));
  assert_string_equal(why, message);
  assert_int_equal(at, where);
}

static void wrong(void **state) {
  (void)state;
  refused("", 0, "it ends too early");
  refused("a +", 3, "it ends too early");
  refused("a b", 2, "'b' is left over");
  refused("(a", 2, "expected ')' at the end");
  refused("(a]", 2, "expected ')', not ']'");
  refused("a[base", 1, "']' is missing");
  refused("a[]", 1, "[] names no run");
  refused("mean(a)", 0, "unknown function 'mean'; functions: min, max, sqrt, log2");
  refused("max(a)", 5, "expected ',', not ')'");
  refused("a * ;", 4, "expected a number or a name, not ';'");
  refused(".", 0, "'.' is not a number");
  char deep[400] = "";
  for (int k = 0; k < 300; k++)
    strcat(deep, k < 150 ? "(" : "-");
  assert_null(expr_parse(deep, &at, why, sizeof why));
  assert_string_equal(why, "nested too deeply");
}

static void names(void **state) {
  (void)state;
  expr *e = expr_parse("max(x, y[far])", &at, why, sizeof why);
  assert_true(expr_names(e, NULL));
  assert_true(expr_names(e, "far"));
  assert_false(expr_names(e, "base"));
  expr_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),
      cmocka_unit_test(missing),
      cmocka_unit_test(wrong),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
