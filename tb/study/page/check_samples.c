// SPDX-License-Identifier: Apache-2.0
// check_samples [--few] FILE: a page with figures of all kinds, of data that are hard to draw. For
// run_pages.sh, which opens it in a browser.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/study/page/chart.h"
#include "harness/study/page/page.h"

static const char *const programs[] = {
    "axpy",     "blur",   "conv",      "gemv",  "hist",           "kmeans",
    "knn",      "maxp",   "nw",        "pr",    "ttrans",         "upsamp",
    "backprop", "bfs",    "cfd",       "dwt2d", "gaussian",       "heartwall",
    "hotspot",  "lavaMD", "leukocyte", "lud",   "particlefilter", "srad"};
static const char *const variants[] = {"paper", "hardware", "near", "far"};
static const char hard[] =
    "<b>&\"x'\xff a program with a very long name, of which a part is cut \xc3\xa9";

// The same numbers every time.
static double next(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 24);
}

static void put_bars(page *p) {
  enum { N = 24 };
  double v[N * 4], r[N * 4], stack[N * 5];
  for (int k = 0; k < N * 4; k++) {
    v[k] = 0.3 + 4 * next() * next();
    r[k] = k % 3 ? v[k] * (0.7 + 0.6 * next()) : NAN;
  }
  v[5] = NAN, v[40] = 12;
  for (int k = 0; k < N; k++) {
    double left = 100;
    for (int s = 0; s < 4; s++)
      left -= stack[k * 5 + s] = left * next() * 0.6;
    stack[k * 5 + 4] = left;
  }
  chart_bars_put(p, &(chart_bars){.about = {.title = "Speed-up of 24 programs",
                                            .note = "over processing on the base die; lines: paper",
                                            .told = "Bars for 24 programs and four policies."},
                                  .axis = "speed-up",
                                  .names = programs,
                                  .n = N,
                                  .series = variants,
                                  .n_series = 4,
                                  .values = v,
                                  .reference = r,
                                  .reference_name = "paper"});
  chart_bars_put(p, &(chart_bars){.about = {.title = "The same, logarithmic"},
                                  .axis = "speed-up",
                                  .names = programs,
                                  .n = 12,
                                  .series = variants,
                                  .n_series = 2,
                                  .values = v,
                                  .guide = 1,
                                  .guide_name = "as fast as before",
                                  .log = true});
  static const char *const causes[] = {"issue", "memory", "scoreboard", "barrier", "empty"};
  chart_bars_put(p, &(chart_bars){.about = {.title = "Where cycles went"},
                                  .names = programs,
                                  .n = N,
                                  .series = causes,
                                  .n_series = 5,
                                  .values = stack,
                                  .suffix = " %",
                                  .stacked = true});
  chart_bars_put(p, &(chart_bars){.about = {.title = "The same in rows, of six"},
                                  .names = programs + 12,
                                  .n = 6,
                                  .series = causes,
                                  .n_series = 5,
                                  .values = stack,
                                  .suffix = " %",
                                  .stacked = true,
                                  .rows = true});
  static const char *const few[] = {"TSV bus", "banks", "issue", hard};
  static const double one[] = {812345, 41234, 123.4, 523456}, minus[] = {-3, 2, 0, -0.25};
  page_pair_begin(p);
  chart_bars_put(p, &(chart_bars){.about = {.title = "One series, in cycles", .half = true},
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .axis = "cycles",
                                  .values = one});
  chart_bars_put(p, &(chart_bars){.about = {.title = "Negative values", .half = true},
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .axis = "percent",
                                  .values = minus});
  page_pair_end(p);
  chart_bars_put(p, &(chart_bars){.about = {.title = "Negative values, standing"},
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = minus});
  chart_bars_put(p, &(chart_bars){.about = {.title = "A single bar"},
                                  .names = few,
                                  .n = 1,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = one});
  static const double tiny[] = {1e-9, 2e-3, NAN, 5e6}, none[] = {NAN, INFINITY, NAN, NAN},
                      zero[] = {0, 0, 0, 0};
  chart_bars_put(p, &(chart_bars){.about = {.title = "Many decades"},
                                  .axis = "J",
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = tiny,
                                  .log = true});
  page_pair_begin(p);
  chart_bars_put(p, &(chart_bars){.about = {.title = "All are zero", .half = true},
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = zero});
  chart_bars_put(p, &(chart_bars){.about = {.title = "All are missing", .half = true},
                                  .names = few,
                                  .n = 4,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = none});
  page_pair_end(p);
}

static void put_lines(page *p) {
  enum { N = 200, FEW = 12 };
  double x[N], a[N], b[N], load[FEW], latency[FEW], same[FEW];
  for (int k = 0; k < N; k++) {
    x[k] = k * 1000;
    a[k] = 50 + 40 * sin(k / 15.0) + 5 * next();
    b[k] = k > 60 && k < 80 ? NAN : 30 + 20 * next();
  }
  for (int k = 0; k < FEW; k++) {
    load[k] = 0.05 * (k + 1);
    latency[k] = 20 / (1 - load[k] / 0.61);
    same[k] = 7;
  }
  const chart_line rates[] = {{"issue", x, a, N, false}, {"TSV bus", x, b, N, false}};
  chart_lines_put(p, &(chart_lines){.about = {.title = "Rates over time"},
                                    .x_axis = "cycles",
                                    .y_axis = "share of cycles",
                                    .suffix = " %",
                                    .all = rates,
                                    .n = 2});
  const chart_line curves[] = {{"model", load, latency, FEW, false}, {hard, load, same, FEW, true}};
  page_pair_begin(p);
  chart_lines_put(p, &(chart_lines){.about = {.title = "Latency over load", .half = true},
                                    .x_axis = "flits a cycle",
                                    .y_axis = "cycles",
                                    .all = curves,
                                    .n = 2,
                                    .y_max = 200});
  chart_lines_put(p, &(chart_lines){.about = {.title = "Both logarithmic", .half = true},
                                    .x_axis = "flits a cycle",
                                    .y_axis = "cycles",
                                    .all = curves,
                                    .n = 1,
                                    .x_log = true,
                                    .y_log = true});
  chart_lines_put(p, &(chart_lines){.about = {.title = "One point", .half = true},
                                    .all = &(chart_line){"a", load, same, 1, false},
                                    .n = 1});
  chart_lines_put(p, &(chart_lines){.about = {.title = "Nothing", .half = true}, .n = 0});
  page_pair_end(p);
}

static void put_heat(page *p) {
  enum { ROWS = 8, COLUMNS = 16 };
  double cores[ROWS * COLUMNS], sides[12 * 4];
  static const char *const rows[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
  static const char *const columns[] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                        "8", "9", "10", "11", "12", "13", "14", "15"};
  for (int k = 0; k < ROWS * COLUMNS; k++)
    cores[k] = k % 37 == 5 ? NAN : 100 * next();
  for (int k = 0; k < 48; k++)
    sides[k] = 0.5 + next() * 1.5;
  chart_heat_put(p, &(chart_heat){.about = {.title = "TSV bus busy, of each core"},
                                  .unit = "of the cycles",
                                  .suffix = " %",
                                  .rows = rows,
                                  .n_rows = ROWS,
                                  .columns = columns,
                                  .n_columns = COLUMNS,
                                  .values = cores,
                                  .rows_together = 4,
                                  .columns_together = 4});
  page_pair_begin(p);
  chart_heat_put(p, &(chart_heat){.about = {.title = "Two sides", .half = true},
                                  .unit = "speed-up",
                                  .rows = programs + 12,
                                  .n_rows = 12,
                                  .columns = variants,
                                  .n_columns = 4,
                                  .values = sides,
                                  .sides = true,
                                  .middle = 1});
  chart_heat_put(p, &(chart_heat){.about = {.title = "Long names of columns", .half = true},
                                  .rows = variants,
                                  .n_rows = 4,
                                  .columns = programs + 12,
                                  .n_columns = 12,
                                  .values = cores});
  chart_heat_put(p, &(chart_heat){.about = {.title = "One cell, without names", .half = true},
                                  .n_rows = 1,
                                  .n_columns = 1,
                                  .values = sides});
  chart_heat_put(p, &(chart_heat){.about = {.title = "No cell", .half = true}, .values = sides});
  page_pair_end(p);
}

static void put_roofline(page *p) {
  const chart_roof roofs[] = {{"issue, 4 warp instructions a cycle", 4, 0, false},
                              {"banks, 512 bytes a cycle", INFINITY, 512, false},
                              {"TSV bus, 16 bytes a cycle", INFINITY, 16, true}};
  const chart_roof_point points[] = {{"axpy", 0.05, 0.6}, {hard, 0.2, 1.1}, {"none", NAN, 1}};
  chart_roofline_put(p, &(chart_roofline){.about = {.title = "Roofline"},
                                          .x_axis = "warp instructions a byte",
                                          .y_axis = "warp instructions a cycle",
                                          .roofs = roofs,
                                          .n_roofs = 3,
                                          .points = points,
                                          .n_points = 3});
  page_pair_begin(p);
  chart_roofline_put(p, &(chart_roofline){.about = {.title = "Without roofs", .half = true},
                                          .x_axis = "x",
                                          .y_axis = "y",
                                          .points = points,
                                          .n_points = 1});
  chart_roofline_put(p, &(chart_roofline){.about = {.title = "Without points", .half = true},
                                          .x_axis = "x",
                                          .y_axis = "y",
                                          .roofs = roofs,
                                          .n_roofs = 3});
  page_pair_end(p);
}

static void put_texts(page *p) {
  page_claim(p, "The TSV bus holds it: busy in %d %% of the cycles. %s", 81, hard);
  page_facts_begin(p);
  page_fact(p, "Program", "%s", hard);
  page_fact(p, "Cycles", "%d", 25863);
  page_fact(p, "A word without blanks", "%s",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
  page_facts_end(p);
  page_missing(p, "Rates over time are missing: run with --interval FILE.");
  enum { COLUMNS = 14 };
  page_column columns[COLUMNS];
  for (int k = 0; k < COLUMNS; k++)
    columns[k] = (page_column){.name = programs[k], .number = k > 0, .title = hard};
  columns[1].code = true;
  page_table_begin(p, "A wide table", columns, COLUMNS);
  for (int k = 0; k < 3 * COLUMNS; k++)
    if (k % COLUMNS == 0)
      page_cell_as(p, PAGE_ALL, hard, "#bars", "%s", k ? "a name" : hard);
    else if (k % 5 == 3)
      page_cell_as(p, (page_class)(k % 4), "why", NULL, "%d", k);
    else
      page_cell_number(p, k % 7 ? 1e6 * next() : NAN);
  page_table_end(p);
  page_note(p, "What a note looks like: %s", hard);
}

// Little of everything, of which run_pages.sh makes pages with a defect.
static void put_few(page *p) {
  static const double v[] = {1, 5, 3};
  page_section(p, "texts", "Texts");
  page_table_begin(p, NULL, (const page_column[]){{.name = "a"}, {.name = "b", .number = true}}, 2);
  page_cell(p, "one");
  page_cell_number(p, 1);
  page_table_end(p);
  page_section(p, "bars", "Figures");
  chart_bars_put(p, &(chart_bars){.about = {.title = "Bars", .half = true},
                                  .names = programs,
                                  .n = 3,
                                  .series = variants,
                                  .n_series = 1,
                                  .values = v});
  chart_heat_put(p, &(chart_heat){.about = {.title = "Cells", .half = true},
                                  .columns = programs,
                                  .n_columns = 3,
                                  .n_rows = 1,
                                  .values = v});
}

int main(int argc, char **argv) {
  const bool few = argc == 3 && strcmp(argv[1], "--few") == 0;
  if (argc != 2 && !few)
    return 2;
  page *p = page_new("Samples of figures: <b>&\"x", "every kind, with data that are hard to draw");
  if (few) {
    put_few(p);
  } else {
    page_section(p, "texts", "Texts and tables");
    put_texts(p);
    page_section(p, "bars", "Bars");
    put_bars(p);
    page_section(p, "lines", "Lines");
    put_lines(p);
    page_section(p, "heat", "Heat maps");
    put_heat(p);
    page_section(p, "roofline", "Roofline");
    put_roofline(p);
  }
  if (!page_write(p, argv[argc - 1])) {
    perror(argv[argc - 1]);
    return 1;
  }
  return 0;
}
