// SPDX-License-Identifier: Apache-2.0
// How long accesses took, by class: histograms of the statistics, `latencies` of a core.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/buckets.h"
#include "report_priv.h"

enum { CLASSES = 12, RANGES = BUCKETS, NAME = 32 };

typedef struct histogram {
  char name[NAME];
  double all, in[RANGES];
} histogram;

typedef struct histograms {
  histogram of[CLASSES];
  size_t n, first, last;  // ranges that are used
} histograms;

static void add_range(histograms *h, histogram *to, const tree *t) {
  const double from = tree_number(tree_in(t, "from"), NAN);
  const double count = tree_number(tree_in(t, "count"), NAN);
  for (size_t n = 0; n < RANGES && count > 0; n++) {
    if ((double)bucket_from((uint32_t)n) != from)
      continue;
    to->in[n] += count;
    to->all += count;
    h->first = n < h->first ? n : h->first;
    h->last = n > h->last ? n : h->last;
  }
}

static histograms read_all(const tree *list) {
  histograms h = {.first = RANGES};
  for (const tree *c = list ? list->first : NULL; c && h.n < CLASSES; c = c->next) {
    histogram *to = &h.of[h.n];
    snprintf(to->name, NAME, "%.30s", c->key ? c->key : "");
    for (char *at = to->name; (at = strchr(at, '_'));)
      *at = ' ';
    for (const tree *t = c->first; t; t = t->next)
      add_range(&h, to, t);
    if (to->all > 0)
      h.n++;
    else
      *to = (histogram){.all = 0};
  }
  return h;
}

static void range_text(size_t n, char to[NAME]) {
  const double from = (double)bucket_from((uint32_t)n);
  const double end = (double)bucket_from((uint32_t)n + 1) - 1;
  if (n == RANGES - 1)
    snprintf(to, NAME, "from %.0f", from);
  else if (end > from)
    snprintf(to, NAME, "%.0f-%.0f", from, end);
  else
    snprintf(to, NAME, "%.0f", from);
}

static void put_bars(const report *r, const histograms *h) {
  const size_t n = h->last - h->first + 1;
  char texts[RANGES][NAME];
  const char *names[RANGES], *series[CLASSES];
  double values[RANGES * CLASSES];
  for (size_t c = 0; c < h->n; c++)
    series[c] = h->of[c].name;
  for (size_t k = 0; k < n; k++) {
    range_text(h->first + k, texts[k]);
    names[k] = texts[k];
    for (size_t c = 0; c < h->n; c++)
      values[k * h->n + c] = h->of[c].in[h->first + k];
  }
  chart_bars_put(r->p, &(chart_bars){.about = {.title = "Latencies of accesses",
                                               .note = "cycles from issue to end"},
                                     .axis = "accesses",
                                     .names = names,
                                     .n = n,
                                     .series = series,
                                     .n_series = h->n,
                                     .values = values,
                                     .stacked = true});
}

// Accesses of a class that took no longer.
static void put_lines(const report *r, const histograms *h) {
  double x[RANGES], y[CLASSES][RANGES];
  chart_line lines[CLASSES];
  const size_t n = h->last - h->first + 1;
  for (size_t k = 0; k < n; k++)
    x[k] = fmax((double)bucket_from((uint32_t)(h->first + k + 1)) - 1, 0.5);
  for (size_t c = 0; c < h->n; c++) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
      sum += h->of[c].in[h->first + k];
      y[c][k] = 100 * sum / h->of[c].all;
    }
    lines[c] = (chart_line){h->of[c].name, x, y[c], n, false};
  }
  chart_lines_put(r->p, &(chart_lines){.about = {.title = "Accesses that took no longer",
                                                 .note = "share of those of the class",
                                                 .half = true,
                                                 .no_table = true},
                                       .x_axis = "cycles",
                                       .suffix = " %",
                                       .all = lines,
                                       .n = h->n,
                                       .x_log = true});
}

// The range that a share of the accesses does not exceed.
static void put_share(const report *r, const histogram *c, double share) {
  double sum = 0;
  char text[NAME] = "";
  for (size_t n = 0; n < RANGES; n++) {
    sum += c->in[n];
    if (sum >= share * c->all) {
      range_text(n, text);
      break;
    }
  }
  page_cell(r->p, "%s", text);
}

static void put_table(const report *r, const histograms *h) {
  static const page_column columns[] = {{.name = "accesses of"},
                                        {.name = "number", .number = true},
                                        {.name = "half", .number = true, .title = "cycles"},
                                        {.name = "90 %", .number = true, .title = "cycles"},
                                        {.name = "99 %", .number = true, .title = "cycles"},
                                        {.name = "all", .number = true, .title = "cycles"}};
  page_table_begin(r->p, "Cycles within which accesses end", columns,
                   sizeof columns / sizeof *columns);
  for (size_t c = 0; c < h->n; c++) {
    page_cell(r->p, "%s", h->of[c].name);
    page_cell_number(r->p, h->of[c].all);
    put_share(r, &h->of[c], 0.5);
    put_share(r, &h->of[c], 0.9);
    put_share(r, &h->of[c], 0.99);
    put_share(r, &h->of[c], 1);
  }
  page_table_end(r->p);
}

void report_latencies(const report *r) {
  const tree *list = tree_in(r->core, "latencies");
  if (!list) {
    report_lacks(r, "Latencies: the mpu that wrote the statistics did not count them.");
    return;
  }
  const histograms h = read_all(list);
  report_section(r, "latencies", "Latencies");
  if (!h.n) {
    page_note(r->p, "No access has ended.");
    return;
  }
  put_bars(r, &h);
  page_pair_begin(r->p);
  put_lines(r, &h);
  put_table(r, &h);
  page_pair_end(r->p);
}
