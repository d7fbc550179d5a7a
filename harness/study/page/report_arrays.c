// SPDX-License-Identifier: Apache-2.0
// What was counted for each array of device memory: `arrays` of the statistics (mpu run --arrays).
#include <math.h>

#include "report_priv.h"

enum { SERIES = 4, COUNTS = 8, SHOWN = 24 };

typedef struct counted {
  const char *key, *name;
} counted;

// The first ones are sectors, which are drawn.
static const counted counts[COUNTS] = {
    {"read", "own reads"},           {"written", "own writes"},
    {"remote_read", "remote reads"}, {"remote_written", "remote writes"},
    {"atomics", "atomics"},          {"row_hits", "row hits"},
    {"row_misses", "row misses"},    {"row_conflicts", "row conflicts"}};

typedef struct row {
  const char *name, *place;
  const tree *of;
} row;

static double sectors(const tree *t) {
  double sum = 0;
  for (size_t k = 0; k < SERIES; k++)
    sum += tree_number(tree_in(t, counts[k].key), 0);
  return sum;
}

// The arrays with names, then what has none, if anything went there. *more: how many have no room.
static size_t rows_of(const tree *arrays, row to[SHOWN + 2], size_t *more) {
  static const row without[] = {{"local memory", "", NULL}, {"others", "", NULL}};
  const tree *named = tree_in(arrays, "named");
  size_t n = 0;
  *more = 0;
  for (const tree *t = named && named->kind == TREE_LIST ? named->first : NULL; t; t = t->next) {
    const tree *is = tree_in(t, "variable");
    const bool variable = is && is->kind == TREE_TRUTH && is->number > 0;
    if (variable && !(sectors(t) > 0))
      continue;
    if (n == SHOWN)
      ++*more;
    else
      to[n++] = (row){tree_text(tree_in(t, "name"), "?"),
                      variable ? "variable" : tree_text(tree_in(t, "place"), ""), t};
  }
  for (size_t k = 0; k < 2; k++) {
    const tree *t = tree_in(arrays, k ? "others" : "local");
    if (sectors(t) > 0)
      to[n] = without[k], to[n++].of = t;
  }
  return n;
}

// The functional machine has neither cores nor banks: its reads and writes are all there are.
static const char *count_name(bool functional, size_t k) {
  static const char *const all[] = {"reads", "writes"};
  return functional && k < sizeof all / sizeof *all ? all[k] : counts[k].name;
}

static void put_bars(const report *r, bool functional, const row *rows, size_t n) {
  const char *names[SHOWN + 2], *series[SERIES];
  double values[(SHOWN + 2) * SERIES];
  const size_t n_series = functional ? SERIES / 2 : SERIES;
  for (size_t k = 0; k < n_series; k++)
    series[k] = count_name(functional, k);
  for (size_t k = 0; k < n; k++) {
    names[k] = rows[k].name;
    for (size_t s = 0; s < n_series; s++)
      values[k * n_series + s] = tree_number(tree_in(rows[k].of, counts[s].key), NAN);
  }
  chart_bars_put(r->p, &(chart_bars){.about = {.title = "Sectors by array",
                                               .note = "accesses of 32 bytes in the banks",
                                               .no_table = true},
                                     .names = names,
                                     .n = n,
                                     .series = series,
                                     .n_series = n_series,
                                     .values = values,
                                     .stacked = true,
                                     .rows = true});
}

void report_arrays(const report *r) {
  const tree *arrays = tree_in(r->run, "arrays");
  const bool functional = !r->core;
  page_column columns[COUNTS + 3] = {
      {.name = "array"}, {.name = "allocated at"}, {.name = "bytes", .number = true}};
  row rows[SHOWN + 2];
  size_t more;
  if (!arrays) {
    report_lacks(r, "Sectors by array: mpu run --arrays counts them.");
    return;
  }
  report_section(r, "arrays", "Arrays");
  const size_t n = rows_of(arrays, rows, &more);
  if (!n) {
    page_note(r->p, "Nothing was counted for arrays.");
    return;
  }
  if (functional)
    page_note(r->p,
              "Of the functional machine: which sectors are those of other cores, and what they "
              "meet in the banks, is known of runs with --near=c.");
  put_bars(r, functional, rows, n);
  if (more)
    page_note(r->p, "%zu more arrays are in the statistics.", more);
  for (size_t k = 0; k < COUNTS; k++)
    columns[k + 3] = (page_column){.name = count_name(functional, k), .number = true};
  page_table_begin(r->p, NULL, columns, COUNTS + 3);
  for (size_t k = 0; k < n; k++) {
    page_cell(r->p, "%s", rows[k].name);
    page_cell(r->p, "%s", rows[k].place);
    page_cell_number(r->p, tree_number(tree_in(rows[k].of, "bytes"), NAN));
    for (size_t c = 0; c < COUNTS; c++)
      page_cell_number(r->p, tree_number(tree_in(rows[k].of, counts[c].key), NAN));
  }
  page_table_end(r->p);
}
