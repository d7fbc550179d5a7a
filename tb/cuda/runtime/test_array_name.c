// SPDX-License-Identifier: Apache-2.0
// Names of variables from calls in sources; the place is where ^ is, which stands for nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/cuda/array_name.h"
#include "tb/file_fixture.h"

// `expected` NULL: there is no name.
static void expect(const char *source, const char *expected) {
  char to[40] = "?";
  const char *at = strchr(source, '^');
  int line = 1, column = 1;
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  assert_non_null(at);
  for (const char *c = source; c < at; c++)
    line += *c == '\n', column = *c == '\n' ? 1 : column + 1;
  fprintf(f, "%.*s%s", (int)(at - source), source, at + 1);
  fclose(f);
  const bool found = array_name(name, line, column, "cudaMalloc", to, sizeof to);
  if (found != (expected != NULL) || (found && strcmp(to, expected) != 0))
    fail_msg("'%s' has the name '%s', not '%s'", source, found ? to : "(none)",
             expected ? expected : "(none)");
}

static void of_calls(void **state) {
  (void)state;
  expect("^cudaMalloc(&d_x, n);", "d_x");
  expect("int a;\n  if (^cudaMalloc(&d_x, n) || cudaMalloc(&d_y, n))", "d_x");
  expect("if (cudaMalloc(&d_x, n) || ^cudaMalloc(&d_y, n))", "d_y");
  expect("^cudaMalloc((void **)&d_x, n);", "d_x");
  expect("^cudaMalloc( ( void** ) & d_x , n * sizeof(int));", "d_x");
  expect("^cudaMalloc (\n    (void **)\n        &d_x,\n    n);", "d_x");
  expect("^cudaMalloc(reinterpret_cast<void **>(&s->d[3]), f(1, 2));", "s->d[3]");
  expect("^cudaMalloc((void **)(&(p.q)), n)", "p.q");
  expect("^cudaMalloc(&m.at(1, 2), n)", "m.at(1, 2)");
  expect("^cudaMalloc(p, n)", "p");
  expect("^::cudaMalloc(&d, n)", "d");
  expect("^cudaMalloc(&rows\n     [n],  4)", "rows [n]");
  expect("^cudaMalloc(&x)", "x");
  expect("^cudaMalloc<float>(&x, 4)", "x");
  expect("^cudaMalloc <std::pair<int, int>> (&x, 4)", "x");
}

// The place is the end of a macro's arguments.
static void in_macros(void **state) {
  (void)state;
  expect("CHECK(cudaMalloc(&d_x, n)^);", "d_x");
  expect("cudaMalloc(&a, 1); CHECK(&w, cudaMalloc((void **)&d_x, (n + 1) * 4)^);", "d_x");
  expect("CHECK(\n  cudaMalloc(&d_x,\n  n)^);", "d_x");
  expect("cudaMalloc(&a, 1); ALLOCATE(d_x, (n))^;", NULL);
  expect("cudaMalloc(&a, 1); ALLOCATE(d_x, n^);", NULL);
  expect("CHECK(mycudaMalloc(&a, 1)^)", NULL);
  expect("CHECK(cudaMallocs(&a, 1)^)", NULL);
}

static void nothing_there(void **state) {
  (void)state;
  char to[40];
  expect("x^", NULL);
  expect("^", NULL);
  expect("^cudaMalloc", NULL);
  expect("^cudaMalloc(", NULL);
  expect("^cudaMalloc(&", NULL);
  expect("^cudaMalloc((((", NULL);
  expect("^cudaMalloc(, 1)", NULL);
  expect("^cudaMalloc < (x)", NULL);
  expect("^cudaMalloc; f(x)", NULL);
  expect(")^)", NULL);
  expect("^cudaMalloc(&a_name_that_is_longer_than_there_is_room_for_it, 1)", NULL);
  assert_false(array_name(name, 0, 1, "cudaMalloc", to, sizeof to));
  assert_false(array_name(name, 1, 0, "cudaMalloc", to, sizeof to));
  assert_false(array_name(name, 1, 9999, "cudaMalloc", to, sizeof to));
  assert_false(array_name(name, 9999, 1, "cudaMalloc", to, sizeof to));
  assert_false(array_name(name, -1, -1, "cudaMalloc", to, sizeof to));
  assert_false(array_name("/no/such/file", 1, 1, "cudaMalloc", to, sizeof to));
  assert_false(array_name("/", 1, 1, "cudaMalloc", to, sizeof to));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_calls),
      cmocka_unit_test(in_macros),
      cmocka_unit_test(nothing_there),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
