// SPDX-License-Identifier: Apache-2.0
// Pages, read back as text: what is escaped, where marks are, what is missing.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/study/page/chart.h"
#include "harness/study/page/csv.h"
#include "harness/study/page/palette.h"

static char folder[] = "/tmp/page-XXXXXX", file[64], text[1 << 18];

static int begin(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  snprintf(file, sizeof file, "%s/a.html", folder);
  return 0;
}

static int end(void **state) {
  (void)state;
  unlink(file);
  return rmdir(folder);
}

// Writes the page and reads what is behind its heading.
static void done(page *p) {
  assert_true(page_write(p, file));
  FILE *f = fopen(file, "r");
  assert_non_null(f);
  const size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  assert_true(n > 0 && n < sizeof text - 1);
  text[n] = 0;
  char *body = strstr(text, "<body>");
  assert_non_null(body);
  memmove(text, body, strlen(body) + 1);
}

static size_t count(const char *part) {
  size_t n = 0;
  for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
    n++;
  return n;
}

static void expect(const char *part, size_t times) {
  if (count(part) != times)
    fail_msg("%zu times '%s', not %zu, in\n%s", count(part), part, times, text);
}

// ---- texts

static void texts_are_escaped(void **state) {
  (void)state;
  const char hard[] = "<b>&\"x";
  page *p = page_new(hard, hard);
  page_section(p, "one", hard);
  page_heading(p, hard);
  page_text(p, "%s", hard);
  page_note(p, "%s", hard);
  page_claim(p, "%s", hard);
  page_missing(p, "%s", hard);
  page_facts_begin(p);
  page_fact(p, hard, "%s", hard);
  page_facts_end(p);
  page_fold_begin(p, "%s", hard);
  page_fold_end(p);
  page_table_begin(p, hard, &(page_column){.name = hard, .title = hard}, 1);
  page_cell_as(p, PAGE_GOOD, hard, "#one", "%s", hard);
  page_table_end(p);
  const double one = 1;
  const char *const names[] = {hard};
  chart_bars_put(p,
                 &(chart_bars){.about = {.title = hard, .note = hard, .told = hard, .half = true},
                               .names = names,
                               .n = 1,
                               .series = names,
                               .n_series = 1,
                               .titles = names,
                               .values = &one,
                               .axis = hard,
                               .guide = 1,
                               .guide_name = hard});
  done(p);
  expect("<b>", 0);
  expect("\"x", 0);
  expect("&lt;b&gt;&amp;&quot;x", count("&lt;b&gt;"));
  assert_true(count("&lt;b&gt;") > 20);
}

static void what_is_not_text_is_replaced(void **state) {
  (void)state;
  char *out;
  size_t bytes;
  static const struct {
    const char *from, *to;
  } cases[] = {{"a\xc3\xa9z", "a\xc3\xa9z"},
               {"a\xffz", "a\xef\xbf\xbdz"},
               {"a\xc3", "a\xef\xbf\xbd"},
               {"\xe0\x80\xafz", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
               {"\xc0\xafz", "\xef\xbf\xbd\xef\xbf\xbdz"},                // too long
               {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},  // a surrogate
               {"\xf0\x9f\x99\x82", "\xf0\x9f\x99\x82"},
               {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
               {"a\x01\x1b\x7fz", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
               {"a\tb\nc", "a\tb\nc"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    FILE *f = open_memstream(&out, &bytes);
    page_escape(f, cases[k].from);
    fclose(f);
    assert_string_equal(out, cases[k].to);
    free(out);
  }
}

static void numbers_are_readable(void **state) {
  (void)state;
  char to[PAGE_NUMBER];
  assert_string_equal(page_number(to, 0), "0");
  assert_string_equal(page_number(to, 999), "999");
  assert_string_equal(page_number(to, -1234567), "-1,234,567");
  assert_string_equal(page_number(to, 12345.6), "12,346");
  assert_string_equal(page_number(to, 3.14159), "3.142");
  assert_string_equal(page_number(to, 1e-9), "1e-09");
  assert_string_equal(page_number(to, 1e300), "1e+300");
  assert_string_equal(page_number(to, NAN), "missing");
  assert_string_equal(page_number(to, INFINITY), "infinite");
}

static void tables_have_their_columns(void **state) {
  (void)state;
  const page_column columns[] = {{.name = "a"}, {.name = "b", .number = true}, {.name = "c"}};
  page *p = page_new("t", NULL);
  page_table_begin(p, NULL, columns, 3);
  page_cell(p, "one");
  page_cell_number(p, 1234);
  page_cell_as(p, PAGE_BAD, "why", NULL, "bad");
  page_cell(p, "two");
  page_cell_number(p, NAN);
  page_table_end(p);  // fills the last row
  done(p);
  expect(
      "<tr><td class=\"t\">one</td><td class=\"n\">1,234</td><td class=\"t bad\" "
      "title=\"why\">bad</td></tr>",
      1);
  expect("<tr><td class=\"t\">two</td><td class=\"n gone\">missing</td><td class=\"t\"></td></tr>",
         1);
  expect("<nav", 0);  // no section, no contents
}

static void no_page_is_there_in_part(void **state) {
  (void)state;
  page *p = page_new("t", NULL);
  assert_false(page_write(p, "/no/such/folder/a.html"));
  assert_int_equal(errno, ENOENT);
  p = page_new("t", NULL);
  assert_true(page_write(p, file));
  struct stat before, after;
  assert_int_equal(stat(file, &before), 0);
  p = page_new("t", NULL);
  for (int k = 0; k < 100000; k++)
    page_text(p, "much");
  assert_false(page_write(p, "/dev/full"));
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(stat(file, &after), 0);
  assert_true(before.st_size == after.st_size);
  page_drop(page_new("t", NULL));
  page_drop(NULL);
}

// ---- bars

static const char *const names[] = {"a", "b", "c", "d"};
static const char *const series[] = {"s", "t"};

static void put_bars(chart_bars c) {
  page *p = page_new("t", NULL);
  c.about.title = "figure";
  c.names = names;
  c.series = series;
  chart_bars_put(p, &c);
  done(p);
  expect("nan", 0);
  expect("inf", 0);
}

// x and width of the rectangle whose title ends so.
static void find_bar(const char *title, double *x, double *width) {
  char *at = strstr(text, title);
  if (!at)
    fail_msg("no '%s' in %s", title, text);
  assert_non_null(at);
  while (strncmp(at, "<rect", 5) != 0)
    at--;
  assert_int_equal(sscanf(strstr(at, " x="), " x=\"%lf\"", x), 1);
  assert_int_equal(sscanf(strstr(at, "width="), "width=\"%lf\"", width), 1);
}

static void bars_are_as_long_as_their_values(void **state) {
  (void)state;
  const double v[] = {1, 2, 4, -1};
  double x[4], width[4];
  put_bars((chart_bars){.about.half = true, .n = 4, .n_series = 1, .values = v});
  find_bar("a: 1<", &x[0], &width[0]);
  find_bar("b: 2<", &x[1], &width[1]);
  find_bar("c: 4<", &x[2], &width[2]);
  find_bar("d: -1<", &x[3], &width[3]);
  assert_true(width[0] > 20);
  assert_true(fabs(width[1] - 2 * width[0]) < 0.2 && fabs(width[2] - 4 * width[0]) < 0.3);
  assert_true(fabs(x[3] + width[3] - x[0]) < 0.2);  // to the left of zero
  expect("<svg viewBox", 1);
  put_bars((chart_bars){.n = 4, .n_series = 1, .values = v});
  expect("<svg viewBox", 2);  // wide and narrow
}

static void logarithmic_bars_begin_at_the_guide(void **state) {
  (void)state;
  const double v[] = {10, 0.1, 100, 0};
  double x[3], width[3];
  put_bars((chart_bars){.about.half = true,
                        .n = 4,
                        .n_series = 1,
                        .values = v,
                        .log = true,
                        .guide = 1,
                        .guide_name = "one"});
  find_bar("a: 10<", &x[0], &width[0]);
  find_bar("b: 0.1<", &x[1], &width[1]);
  find_bar("c: 100<", &x[2], &width[2]);
  assert_true(fabs(x[0] - x[2]) < 0.2 && fabs(x[1] + width[1] - x[0]) < 0.2);
  assert_true(fabs(width[2] - 2 * width[0]) < 0.2 && fabs(width[1] - width[0]) < 0.2);
  expect("d: missing", 1);  // it has no logarithm
}

static void missing_bars_are_shown_as_missing(void **state) {
  (void)state;
  const double v[] = {1, NAN, INFINITY, 2, -INFINITY, 1, 1, 1}, none[] = {NAN, NAN, NAN, NAN};
  const double r[] = {1, 2, NAN, 2, NAN, 1, 1, 1};
  put_bars((chart_bars){.about.half = true,
                        .n = 4,
                        .n_series = 2,
                        .values = v,
                        .reference = r,
                        .reference_name = "paper"});
  expect(": missing</title>", 3);
  expect("class=\"void\"", 3 + 1);                 // one in the legend
  expect("class=\"ref\"", 6 + 1);                  // one in the legend
  expect("<td class=\"n gone\">missing</td>", 3);  // in the table
  put_bars((chart_bars){.n = 4, .n_series = 1, .values = none});
  expect("<svg", 0);
  expect("Nothing to draw", 1);
  put_bars((chart_bars){.n = 0, .n_series = 0, .values = none});
  expect("Nothing to draw", 1);
}

static void stacked_bars_follow_each_other(void **state) {
  (void)state;
  const double v[] = {30, 70, NAN, 50, NAN, NAN, 0, 100};
  double x[2], width[2];
  put_bars((chart_bars){
      .about.half = true, .n = 4, .n_series = 2, .values = v, .suffix = " %", .stacked = true});
  find_bar("a, s: 30 %<", &x[0], &width[0]);
  find_bar("a, t: 70 %<", &x[1], &width[1]);
  assert_true(fabs(x[0] + width[0] - x[1]) < 0.2);
  assert_true(fabs(width[0] / (width[0] + width[1]) - 0.3) < 0.01);
  expect("class=\"bar", 4);    // nothing for what is missing or zero
  expect("c: missing", 1);     // nothing of it is there
  expect(">100 %</text>", 1);  // the axis ends where the stacks do
  expect(">150 %</text>", 0);
  expect(">-50 %</text>", 0);
}

// ---- lines

static void put_lines(chart_lines c) {
  page *p = page_new("t", NULL);
  c.about = (chart_about){.title = "figure", .half = true};
  chart_lines_put(p, &c);
  done(p);
  expect("nan", 0);
}

// Parts of the curve, and the x of its end.
static size_t parts(double *last) {
  const char *curve = strstr(text, "class=\"curve");
  assert_non_null(curve);
  const char *path = strstr(curve, " d=\""), *end = path ? strchr(path + 4, '"') : NULL;
  assert_non_null(end);
  size_t n = 0;
  for (const char *at = path; at < end; at++) {
    n += *at == 'M';
    if (last && *at == 'L')
      *last = strtod(at + 1, NULL);
  }
  return n;
}

// x of the n-th mark, from 1.
static double circle(int n) {
  const char *at = text;
  while (n--) {
    at = strstr(at + 1, "<circle");
    assert_non_null(at);
  }
  double x;
  assert_int_equal(sscanf(strstr(at, "cx="), "cx=\"%lf\"", &x), 1);
  return x;
}

static void lines_have_gaps_and_ends(void **state) {
  (void)state;
  const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {1, 2, NAN, 4, 3, NAN, INFINITY, 1};
  put_lines((chart_lines){.all = &(chart_line){"l", x, y, 8, false}, .n = 1});
  assert_int_equal(parts(NULL), 2);
  expect("<circle", 5);
  const double up[] = {10, 20, 40, 360}, at[] = {0, 0.05, 0.1, 0.2};
  put_lines((chart_lines){.all = &(chart_line){"l", at, up, 4, false}, .n = 1, .y_max = 200});
  expect("<circle", 3);
  double last;
  assert_int_equal(parts(&last), 1);
  // half of the way from 40 to 360, in x as in y
  assert_true(fabs(last - (circle(3) + (circle(3) - circle(1)) / 2)) < 0.3);
  expect(">200</text>", 1);
  expect(">250</text>", 0);
  put_lines((chart_lines){.all = &(chart_line){"l", at, up, 0, false}, .n = 1});
  expect("Nothing to draw", 1);
  const double one[] = {7};
  put_lines((chart_lines){.all = &(chart_line){"l", one, one, 1, true}, .n = 1, .x_log = true});
  expect("class=\"dot", 1);
}

// ---- heat maps

static void cells_have_the_step_of_their_value(void **state) {
  (void)state;
  const double v[] = {0, 50, 99.9, 100, NAN, 10}, same[] = {3, 3}, zero[] = {0, 0};
  page *p = page_new("t", NULL);
  chart_heat c = {
      .about = {.title = "figure", .half = true}, .n_rows = 2, .n_columns = 3, .values = v};
  chart_heat_put(p, &c);
  done(p);
  expect("cell h0\"", 1);
  expect("cell h1\"", 1);
  expect("cell h5\"", 1);
  expect("cell h10\"", 2);
  expect("nan", 0);
  expect(": missing</title>", 1);
  c = (chart_heat){.about = c.about, .n_rows = 1, .n_columns = 2, .values = same};
  p = page_new("t", NULL);
  chart_heat_put(p, &c);
  done(p);
  expect("cell h10\"", 2);
  c.values = zero;
  p = page_new("t", NULL);
  chart_heat_put(p, &c);
  done(p);
  expect("cell h0\"", 2);
  const double sides[] = {0.5, 1, 2};
  c = (chart_heat){
      .about = c.about, .n_rows = 1, .n_columns = 3, .values = sides, .sides = true, .middle = 1};
  p = page_new("t", NULL);
  chart_heat_put(p, &c);
  done(p);
  expect("cell d5\"", 1);
  expect("cell d10\"", 1);
  expect("cell d2\"", 1);  // half as far below the middle as the other is above
  const double low[] = {0, 1, 1.5};
  c.values = low;
  p = page_new("t", NULL);
  chart_heat_put(p, &c);
  done(p);
  expect("cell d0\"", 1);
  expect("cell d8\"", 1);
}

// ---- roofline

static void points_lie_below_their_roofs(void **state) {
  (void)state;
  const chart_roof roofs[] = {
      {"flat", 8, 0, false}, {"slope", INFINITY, 4, false}, {"beside", INFINITY, 0.5, true}};
  const chart_roof_point points[] = {{"p", 1, 2}, {"gone", NAN, 2}};
  page *p = page_new("t", NULL);
  chart_roofline_put(p, &(chart_roofline){.about = {.title = "figure", .half = true},
                                          .x_axis = "x",
                                          .y_axis = "y",
                                          .roofs = roofs,
                                          .n_roofs = 3,
                                          .points = points,
                                          .n_points = 2});
  done(p);
  expect("nan", 0);
  expect("inf", 0);
  expect("class=\"roof", 3);
  expect("class=\"dot", 1 + 1);         // one in the legend
  expect("<td class=\"n\">4</td>", 1);  // of the slope at 1: what is beside does not count
}

// ---- colours

// Contrast of two colours, as WCAG has it.
static double light_of(const char *colour) {
  double sum = 0;
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  for (int k = 0; k < 3; k++) {
    unsigned c;
    assert_int_equal(sscanf(colour + 1 + 2 * k, "%2x", &c), 1);
    const double v = c / 255.0;
    sum += weights[k] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static double contrast(const char *a, const char *b) {
  const double x = light_of(a), y = light_of(b);
  return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void colours_stand_out(void **state) {
  (void)state;
  static const char *const pages[] = {"#ffffff", "#14181d"};
  for (int s = 0; s < PALETTE_SCHEMES; s++) {
    for (int k = 0; k < PALETTE_SERIES; k++)
      if (contrast(palette_series[s][k], pages[s]) < 3)
        fail_msg("%s on %s: %.2f", palette_series[s][k], pages[s],
                 contrast(palette_series[s][k], pages[s]));
    for (int k = 0; k < PALETTE_STEPS; k++) {
      assert_true(contrast(palette_heat[s][k], palette_inks[palette_heat_ink(s, k)]) >= 4.5);
      assert_true(contrast(palette_sides[s][k], palette_inks[palette_sides_ink(s, k)]) >= 4.5);
    }
  }
}

// ---- tables of text

static bool read_csv(const char *content, csv *to, char why[256]) {
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fputs(content, f);
  fclose(f);
  return csv_read(file, to, why, 256);
}

static void tables_are_read(void **state) {
  (void)state;
  csv c;
  char why[256];
  assert_true(read_csv("a,b,c\r\n1,\"x, \"\"y\"\"\",\n\n2.5,z,-3e2\n", &c, why));
  assert_int_equal(c.columns, 3);
  assert_int_equal(c.rows, 2);
  assert_true(csv_number(&c, 1, 0) == 2.5 && csv_number(&c, 1, csv_column(&c, "c")) == -300);
  assert_string_equal(csv_text(&c, 0, 1), "x, \"y\"");
  assert_true(isnan(csv_number(&c, 0, 2)) && isnan(csv_number(&c, 0, csv_column(&c, "no"))));
  csv_free(&c);
  static const struct {
    const char *content, *why;
  } wrong[] = {{"", "is empty"},
               {"a,b\n1\n", ":2: 2 cells are expected, as in the first line, not 1"},
               {"a,b\n1,2,3\n", ":2: 2 cells are expected, as in the first line, not 3"},
               {"a\n\"x\n", ":2: a quote is missing"},
               {"a\n\"x\"y\n", ":2: a quote is missing, or is not at the end"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_false(read_csv(wrong[k].content, &c, why));
    if (!strstr(why, wrong[k].why))
      fail_msg("'%s', not '%s'", why, wrong[k].why);
    csv_free(&c);
  }
  assert_true(read_csv("a,b\n", &c, why));
  assert_int_equal(c.rows, 0);
  csv_free(&c);
  assert_false(csv_read("/no/such/file", &c, why, sizeof why));
  csv_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_escaped),
      cmocka_unit_test(what_is_not_text_is_replaced),
      cmocka_unit_test(numbers_are_readable),
      cmocka_unit_test(tables_have_their_columns),
      cmocka_unit_test(no_page_is_there_in_part),
      cmocka_unit_test(bars_are_as_long_as_their_values),
      cmocka_unit_test(logarithmic_bars_begin_at_the_guide),
      cmocka_unit_test(missing_bars_are_shown_as_missing),
      cmocka_unit_test(stacked_bars_follow_each_other),
      cmocka_unit_test(lines_have_gaps_and_ends),
      cmocka_unit_test(cells_have_the_step_of_their_value),
      cmocka_unit_test(points_lie_below_their_roofs),
      cmocka_unit_test(colours_stand_out),
      cmocka_unit_test(tables_are_read),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
