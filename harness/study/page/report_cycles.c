// SPDX-License-Identifier: Apache-2.0
// Where the cycles of the subcores went.
#include <math.h>
#include <string.h>

#include "report_priv.h"

enum { SUBCORES = 4, PROCESSORS = 64, NAME = 24 };

static double counter(const tree *core, int subcore, const char *name) {
  const tree *s = tree_in(core, "subcores");
  if (subcore < 0)
    return report_sum(s, name);
  for (s = s ? s->first : NULL; s && subcore--; s = s->next)
    ;
  return report_sum(s, name);
}

static void add_class(report_class *to, size_t *n, const char *name, const char *doing, int colour,
                      double cycles) {
  to[(*n)++] = (report_class){name, doing, colour, cycles};
}

// The cycles in which subcores drain. What all cores together have is as long as that of each.
static double drained(const report *r, const tree *core, int subcore) {
  const double cores = core == r->core ? r->cores : 1;
  return report_sum(core, "cycles_drain") * (subcore < 0 ? SUBCORES : 1) * cores;
}

size_t report_classes(const report *r, const tree *core, int subcore,
                      report_class to[REPORT_CLASSES]) {
  size_t n = 0;
  const double remote = counter(core, subcore, "cycles_memory_remote");
  const double shared = counter(core, subcore, "cycles_memory_shared");
  const double local = counter(core, subcore, "cycles_memory_local");
  add_class(to, &n, "issue", "issue", 0, counter(core, subcore, "cycles_issue"));
  if (isfinite(remote + shared + local)) {
    add_class(to, &n, "memory of other cores", "wait for memory of other cores", 6, remote);
    add_class(to, &n, "memory of the core", "wait for memory", 1, local);
    add_class(to, &n, "shared memory", "wait for shared memory", 9, shared);
  } else {
    add_class(to, &n, "memory", "wait for memory", 1, counter(core, subcore, "cycles_memory"));
  }
  add_class(to, &n, "scoreboard", "wait for results", 3,
            counter(core, subcore, "cycles_scoreboard"));
  add_class(to, &n, "barrier", "wait at barriers", 4, counter(core, subcore, "cycles_barrier"));
  add_class(to, &n, "fetch", "wait for instructions", 5, counter(core, subcore, "cycles_fetch"));
  add_class(to, &n, "offload engine", "wait for the offload engine", 7,
            counter(core, subcore, "cycles_engine"));
  // a core that drains has no warp
  const double empty = counter(core, subcore, "cycles_empty"), drain = drained(r, core, subcore);
  const bool split = isfinite(drain) && drain > 0 && drain <= empty;
  add_class(to, &n, "no warp", "have no warp", PALETTE_FAINT, split ? empty - drain : empty);
  add_class(to, &n, "drain", "have ended, and the machine drains", 8, split ? drain : 0);
  for (size_t k = 0; k < n; k++)
    if (!isfinite(to[k].cycles))
      return 0;
  return n;
}

// ---- rows of the figure: all, each subcore, each processor

typedef struct rows {
  size_t n, n_classes;
  char names[1 + SUBCORES + PROCESSORS][NAME];
  double cycles[1 + SUBCORES + PROCESSORS][REPORT_CLASSES];
} rows;

static void add_row(rows *to, const char *name, const report_class *c) {
  snprintf(to->names[to->n], NAME, "%s", name);
  for (size_t k = 0; k < to->n_classes; k++)
    to->cycles[to->n][k] = c[k].cycles;
  to->n++;
}

static void add_processors(const report *r, rows *to) {
  const size_t each = (size_t)(r->cores / r->processors);
  for (size_t p = 0; p < (size_t)r->processors && p < PROCESSORS; p++) {
    report_class sum[REPORT_CLASSES] = {{0}}, one[REPORT_CLASSES];
    char name[NAME];
    for (size_t c = 0; c < each; c++) {
      const tree *core = report_core(r, p * each + c);
      if (!core || report_classes(r, core, -1, one) != to->n_classes)
        return;
      for (size_t k = 0; k < to->n_classes; k++)
        sum[k].cycles += one[k].cycles;
    }
    snprintf(name, sizeof name, "processor %zu", p);
    add_row(to, name, sum);
  }
}

static void put_table(const report *r, const rows *from, const report_class *classes) {
  page_column columns[REPORT_CLASSES + 2] = {{.name = ""}};
  for (size_t k = 0; k < from->n_classes; k++)
    columns[k + 1] = (page_column){.name = classes[k].name, .number = true};
  columns[from->n_classes + 1] = (page_column){.name = "all", .number = true};
  page_fold_begin(r->p, "The same in cycles");
  page_table_begin(r->p, NULL, columns, from->n_classes + 2);
  for (size_t k = 0; k < from->n; k++) {
    double sum = 0;
    page_cell(r->p, "%s", from->names[k]);
    for (size_t c = 0; c < from->n_classes; c++) {
      page_cell_number(r->p, from->cycles[k][c]);
      sum += from->cycles[k][c];
    }
    page_cell_number(r->p, sum);
  }
  page_table_end(r->p);
  page_fold_end(r->p);
}

void report_cycles(const report *r) {
  rows all = {0};
  report_class classes[REPORT_CLASSES], one[REPORT_CLASSES];
  const char *names[REPORT_CLASSES], *row_names[1 + SUBCORES + PROCESSORS];
  int colours[REPORT_CLASSES];
  double shares[(1 + SUBCORES + PROCESSORS) * REPORT_CLASSES];
  report_section(r, "cycles", "Where the cycles went");
  all.n_classes = report_classes(r, r->core, -1, classes);
  if (!all.n_classes) {
    page_missing(r->p, "The statistics lack the classes of cycles.");
    return;
  }
  add_row(&all, "all subcores", classes);
  for (int s = 0; s < SUBCORES; s++) {
    char name[NAME];
    snprintf(name, sizeof name, r->cores == 1 ? "subcore %d" : "subcores %d", s);
    if (report_classes(r, r->core, s, one) == all.n_classes)
      add_row(&all, name, one);
  }
  if (r->processors > 1)
    add_processors(r, &all);
  for (size_t k = 0; k < all.n; k++) {
    row_names[k] = all.names[k];
    report_shares(all.cycles[k], all.n_classes, shares + k * all.n_classes);
  }
  for (size_t k = 0; k < all.n_classes; k++)
    names[k] = classes[k].name, colours[k] = classes[k].colour;
  chart_bars_put(r->p, &(chart_bars){.about = {.title = "Cycles of the subcores",
                                               .note = "Each cycle of a subcore is in one class "
                                                       "(docs/statistics.md)."},
                                     .suffix = " %",
                                     .names = row_names,
                                     .n = all.n,
                                     .series = names,
                                     .n_series = all.n_classes,
                                     .values = shares,
                                     .colours = colours,
                                     .stacked = true,
                                     .rows = true});
  put_table(r, &all, classes);
}
