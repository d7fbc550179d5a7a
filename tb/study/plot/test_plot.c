// SPDX-License-Identifier: Apache-2.0
// The drawings, read back as text.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/study/plot/plot.h"

static char svg[1 << 16];

static void draw(const plot *p) {
  char name[] = "/tmp/plot-XXXXXX";
  const int fd = mkstemp(name);
  assert_true(fd >= 0);
  close(fd);
  assert_true(plot_write(name, p));
  FILE *f = fopen(name, "r");
  assert_non_null(f);
  const size_t n = fread(svg, 1, sizeof svg - 1, f);
  assert_true(n > 0 && n < sizeof svg - 1);
  svg[n] = 0;
  fclose(f);
  remove(name);
}

static size_t count(const char *text) {
  size_t n = 0;
  for (const char *at = svg; (at = strstr(at, text)); at += strlen(text))
    n++;
  return n;
}

static void expect(const char *text, size_t times) {
  if (count(text) != times)
    fail_msg("%zu times '%s', not %zu, in\n%s", count(text), text, times, svg);
}

static const double x[] = {0, 0.05, 0.1, 0.2}, y[] = {10, 20, 40, 360};

// The drawing is 480 wide from 70 on, 320 high from 40 on.
static void points_are_where_the_axes_say(void **state) {
  (void)state;
  const plot_series s[] = {{"a", x, y, 4, false}};
  draw(&(plot){"t", "rate", "cycles", 0, s, 1});
  expect(">0.05</text>", 1);
  expect(">0.2</text>", 1);
  expect(">0.25</text>", 0);
  expect(">400</text>", 1);
  expect(">350</text>", 0);
  expect("<circle", 4);
  expect("cx=\"70.0\" cy=\"352.0\"", 1);
  expect("cx=\"550.0\" cy=\"72.0\"", 1);
  expect("M310.0 328.0L550.0 72.0", 1);
  expect(">rate</text>", 1);
  expect(">cycles</text>", 1);
}

static void curves_end_where_they_leave(void **state) {
  (void)state;
  const double back[] = {10, 20, 200, 20};
  const plot_series s[] = {{"up", x, y, 4, false}, {"reference", x, back, 4, true}};
  draw(&(plot){"t", "x", "y", 200, s, 2});
  expect(">200</text>", 1);
  expect(">250</text>", 0);
  // half of the way from 40 to 360
  expect("M310.0 296.0L430.0 40.0", 1);
  expect("<circle", 3);
  expect("class=\"mark\"", 4 + 1);  // one in the legend
  const double over[] = {10, 300, 300, 10};
  const plot_series o[] = {{"over", x, over, 4, false}};
  draw(&(plot){"t", "x", "y", 200, o, 1});
  expect("<circle", 2);
  expect("M70.0 344.0L148.6 40.0M392.8 40.0L550.0 344.0\"", 1);
}

static void what_is_no_number_is_left_out(void **state) {
  (void)state;
  const double holes[] = {10, NAN, 40, INFINITY};
  const plot_series s[] = {{"a", x, holes, 4, false}, {"none", NULL, NULL, 0, false}};
  draw(&(plot){"t", "x", "y", 0, s, 2});
  expect("<circle", 2);
  expect("d=\"\"", 2);
  expect("nan", 0);
  expect("inf", 0);
  draw(&(plot){"t", "x", "y", 0, NULL, 0});
  expect(">1</text>", 2);
  const double flat[] = {0, 0, 0, 0}, below[] = {-3, -2, -1, -1};
  const plot_series z[] = {{"flat", x, flat, 4, false}};
  draw(&(plot){"t", "x", "y", 0, z, 1});
  expect("cy=\"360.0\"", 4);
  const plot_series m[] = {{"below", x, below, 4, false}};
  draw(&(plot){"t", "x", "y", 0, m, 1});
  expect(">-3</text>", 1);
  expect(">0</text>", 2);
}

static void names_are_text(void **state) {
  (void)state;
  const plot_series s[] = {{"K <= B & more", x, y, 4, false}};
  draw(&(plot){"a<b>", "x", "y", 0, s, 1});
  expect("K &lt;= B &amp; more", 1);
  expect("a&lt;b&gt;", 1);
}

// As many curves as a table may have: each dash is there for the curve and in the legend, and for
// no other one.
static void many_lines_differ(void **state) {
  enum { CURVES = 15 };
  const double x[2] = {0, 1}, y[2] = {1, 2};
  plot_series series[CURVES];
  const char *dash[CURVES];
  size_t n = 0;
  (void)state;
  for (size_t k = 0; k < CURVES; k++)
    series[k] = (plot_series){"curve", x, y, 2, false};
  draw(&(plot){"t", "x", "y", 0, series, CURVES});
  for (const char *at = svg; (at = strstr(at, "stroke-dasharray=\"")); at++)
    for (size_t k = 0;; k++)
      if (k == n) {
        assert_true(n < CURVES);
        dash[n++] = at;
        break;
      } else if (!strncmp(dash[k], at, strcspn(at + 18, "\"") + 19)) {
        break;
      }
  assert_int_equal(n, CURVES);
}

static void lines_differ_without_colours(void **state) {
  (void)state;
  plot_series s[8];
  for (size_t n = 0; n < 8; n++)
    s[n] = (plot_series){"s", x, y, 4, n > 3};
  draw(&(plot){"t", "x", "y", 0, s, 8});
  expect("stroke-dasharray=\"none\"", 2);
  expect("stroke-dasharray=\"8 3\"", 2);
  expect("d=\"M0 5L5 -4H-5z\"", 5);
  expect("d=\"M-5 0h10M0 -5v10\"", 5);
}

static void a_file_that_cannot_be_written(void **state) {
  (void)state;
  assert_false(plot_write("/nowhere/plot.svg", &(plot){"t", "x", "y", 0, NULL, 0}));
  if (!access("/dev/full", W_OK))
    assert_false(plot_write("/dev/full", &(plot){"t", "x", "y", 0, NULL, 0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_where_the_axes_say),
      cmocka_unit_test(curves_end_where_they_leave),
      cmocka_unit_test(what_is_no_number_is_left_out),
      cmocka_unit_test(names_are_text),
      cmocka_unit_test(lines_differ_without_colours),
      cmocka_unit_test(many_lines_differ),
      cmocka_unit_test(a_file_that_cannot_be_written),
  };
  return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
