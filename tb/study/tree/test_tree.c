// SPDX-License-Identifier: Apache-2.0
// Trees of YAML and JSON: kinds of values, places, what is wrong with a file, joins, flat values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "harness/study/tree/tree.h"

static char why[512];

static tree_file *of(const char *text) {
  return tree_parse("a.yaml", text, strlen(text), why, sizeof why);
}

static void kinds(void **state) {
  (void)state;
  tree_file *f =
      of("{a: 1.5, b: '1.5', c: on, d: null, e: [1, -2e3, 0x10], f: {g: x}, h: inf, i: 4.0.1}");
  assert_non_null(f);
  const tree *t = tree_top(f);
  assert_int_equal(tree_in(t, "a")->kind, TREE_NUMBER);
  assert_int_equal(tree_in(t, "b")->kind, TREE_TEXT);
  assert_int_equal(tree_in(t, "c")->kind, TREE_TRUTH);
  assert_int_equal(tree_in(t, "d")->kind, TREE_NULL);
  assert_int_equal(tree_in(t, "h")->kind, TREE_TEXT);
  assert_int_equal(tree_in(t, "i")->kind, TREE_TEXT);
  assert_true(tree_number(tree_at(t, "e.1"), 0) == -2000);
  assert_true(tree_number(tree_at(t, "e.2"), 0) == 16);
  assert_null(tree_at(t, "e.3"));
  assert_null(tree_at(t, "e.x"));
  assert_null(tree_at(t, "a.b"));
  assert_string_equal(tree_text(tree_at(t, "f.g"), ""), "x");
  assert_int_equal(tree_in(t, "e")->n, 3);
  tree_free(f);
}

static void places(void **state) {
  (void)state;
  tree_file *f = of("a: 1\nb:\n  - c\n  - {d: 2}\n");
  assert_non_null(f);
  const tree *d = tree_at(tree_top(f), "b.1.d");
  assert_int_equal(d->line, 4);
  assert_int_equal(d->column, 6);
  tree_free(f);
}

static void wrong(void **state) {
  (void)state;
  assert_null(of("a: 1\na: 2\n"));
  assert_string_equal(why, "a.yaml:2:1: a second time the key a");
  assert_null(of("a: [1\nb: 2\n"));
  assert_non_null(strstr(why, "a.yaml:2:"));
  assert_null(of(""));
  assert_string_equal(why, "a.yaml: nothing in it");
  assert_null(of("[a]: 1\n"));
  assert_string_equal(why, "a.yaml:1:1: a key must be one word");
  assert_null(tree_read("/nowhere/x.yaml", why, sizeof why));
  assert_string_equal(why, "cannot read '/nowhere/x.yaml': No such file or directory");
}

// An anchor within an anchor, many times: 2^40 nodes if nobody stops.
static void aliases(void **state) {
  (void)state;
  char text[4096] = "a0: &a0 [1, 1]\n";
  for (int k = 1; k < 40; k++) {
    char line[64];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d, *a%d]\n", k, k, k - 1, k - 1);
    strcat(text, line);
  }
  assert_null(of(text));
  assert_non_null(strstr(why, "too large"));
  char deep[1024] = "";
  for (int k = 0; k < 100; k++)
    strcat(deep, "[");
  for (int k = 0; k < 100; k++)
    strcat(deep, "]");
  assert_null(of(deep));
  assert_non_null(strstr(why, "nested too deeply"));
}

static void joins(void **state) {
  (void)state;
  tree_file *f = of("{a: 1, b: {c: 2, d: [1, 2]}, e: 3}"),
            *g = of("{b: {d: [5], x: 7}, e: {y: 1}, z: 9}");
  const tree *t = tree_join(g, tree_top(f), tree_top(g));
  assert_int_equal(t->n, 4);
  assert_true(tree_number(tree_at(t, "a"), 0) == 1);
  assert_true(tree_number(tree_at(t, "b.c"), 0) == 2);
  assert_int_equal(tree_at(t, "b.d")->n, 1);
  assert_true(tree_number(tree_at(t, "b.x"), 0) == 7);
  assert_true(tree_number(tree_at(t, "e.y"), 0) == 1);
  assert_string_equal(t->first->key, "a");  // the order of what is under it
  assert_int_equal(tree_top(f)->n, 3);      // both stay as they were
  assert_int_equal(tree_at(tree_top(f), "b.d")->n, 2);
  tree_free(f);
  tree_free(g);
}

static void flat(void **state) {
  (void)state;
  tree_file *f =
      of("{n: 4, t: x, core: {s: [{i: 1, b: [{r: 1}, {r: 2}]}, {i: 2, b: [{r: 4}]}], l: [1, 2]}}");
  values v = {0};
  values_add_tree(&v, "", tree_top(f));
  values_add(&v, "n", 1);
  values_done(&v);
  assert_int_equal(v.n, 4);
  assert_true(*values_find(&v, "core.s.i") == 3);
  assert_true(*values_find(&v, "core.s.b.r") == 7);
  assert_true(*values_find(&v, "core.l") == 3);
  assert_true(*values_find(&v, "n") == 5);
  assert_null(values_find(&v, "t"));
  values_free(&v);
  assert_null(values_find(&v, "n"));
  tree_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds),   cmocka_unit_test(places), cmocka_unit_test(wrong),
      cmocka_unit_test(aliases), cmocka_unit_test(joins),  cmocka_unit_test(flat),
  };
  return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
