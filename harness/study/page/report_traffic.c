// SPDX-License-Identifier: Apache-2.0
// What crosses the TSV bus, and what the banks do.
#include <math.h>
#include <stdlib.h>

#include "report_priv.h"

enum { KINDS = 32 };

// ---- flits by kind

typedef struct kind {
  char name[40];
  double packets, flits;
} kind;

static int by_flits(const void *a, const void *b) {
  const double x = ((const kind *)a)->flits, y = ((const kind *)b)->flits;
  return (x < y) - (x > y);
}

// Kinds with packets, those of one way.
static size_t add_kinds(const report *r, const char *way, kind to[KINDS], size_t n) {
  char path[64];
  const tree *units = tree_in(r->core, "nbus");
  snprintf(path, sizeof path, "packets_%s", way);
  const tree *list = tree_in(units ? units->first : NULL, path);
  for (const tree *k = list ? list->first : NULL; k && n < KINDS; k = k->next) {
    snprintf(path, sizeof path, "packets_%s.%.16s", way, k->key);
    const double packets = report_sum(units, path);
    snprintf(path, sizeof path, "flits_%s_by_kind.%.16s", way, k->key);
    const double flits = report_sum(units, path);
    if (!(packets > 0))
      continue;
    snprintf(to[n].name, sizeof to[n].name, "%.16s, %s", k->key, way);
    to[n].packets = packets;
    to[n++].flits = flits;
  }
  return n;
}

static void put_bus(const report *r) {
  kind kinds[KINDS];
  const char *names[KINDS];
  double flits[KINDS];
  static const char *const series[] = {"flits"};
  const size_t n = add_kinds(r, "up", kinds, add_kinds(r, "down", kinds, 0));
  qsort(kinds, n, sizeof *kinds, by_flits);
  for (size_t k = 0; k < n; k++)
    names[k] = kinds[k].name, flits[k] = kinds[k].flits;
  chart_bars_put(r->p, &(chart_bars){.about = {.title = "Flits on the TSV bus, by kind of packet",
                                               .note = "down: to the DRAM die; up: from it",
                                               .half = true,
                                               .no_table = true},
                                     .names = names,
                                     .n = n,
                                     .series = series,
                                     .n_series = 1,
                                     .values = flits});
}

static void put_bus_table(const report *r) {
  kind kinds[KINDS];
  const page_column columns[] = {
      {.name = "packet"}, {.name = "packets", .number = true}, {.name = "flits", .number = true}};
  const size_t n = add_kinds(r, "up", kinds, add_kinds(r, "down", kinds, 0));
  page_table_begin(r->p, "Packets on the TSV bus", columns, 3);
  for (size_t k = 0; k < n; k++) {
    page_cell(r->p, "%s", kinds[k].name);
    page_cell_number(r->p, kinds[k].packets);
    page_cell_number(r->p, kinds[k].flits);
  }
  page_table_end(r->p);
}

// ---- rows of the banks

static const struct {
  const char *key, *name, *doc;
} accesses[] = {
    {"row_hits_1", "same row", "the row that the bank accessed last"},
    {"row_hits_2", "1 row between", "an open row with one other row accessed since"},
    {"row_hits_3", "2 rows between", "an open row with two other rows accessed since"},
    {"row_hits_4", "3 rows between", "an open row with three other rows accessed since"},
    {"row_misses", "miss", "the row was opened in a free row buffer"},
    {"row_conflicts", "conflict", "the row replaced another one"},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

static double of_banks(const report *r, const char *key) {
  return report_sum(tree_in(r->core, "nbus"), key);
}

static void put_rows(const report *r) {
  static const char *const row[] = {"accesses"};
  static const int colours[ACCESSES] = {0, 4, 2, 7, 9, 1};
  const char *names[ACCESSES];
  double counts[ACCESSES], shares[ACCESSES];
  for (size_t k = 0; k < ACCESSES; k++) {
    char path[64];
    snprintf(path, sizeof path, "banks.%s", accesses[k].key);
    counts[k] = of_banks(r, path);
    names[k] = accesses[k].name;
    if (!isfinite(counts[k]))
      return;
  }
  report_shares(counts, ACCESSES, shares);
  chart_bars_put(r->p,
                 &(chart_bars){.about = {.title = "Row buffers: what accesses of the banks found",
                                         .note = "same row and rows between: hits of an open row",
                                         .half = true,
                                         .no_table = true},
                               .suffix = " %",
                               .names = row,
                               .n = 1,
                               .series = names,
                               .n_series = ACCESSES,
                               .values = shares,
                               .colours = colours,
                               .stacked = true});
  const page_column columns[] = {
      {.name = ""}, {.name = "accesses", .number = true}, {.name = "share", .number = true}};
  page_table_begin(r->p, NULL, columns, 3);
  for (size_t k = 0; k < ACCESSES; k++) {
    page_cell_as(r->p, PAGE_PLAIN, accesses[k].doc, NULL, "%s", names[k]);
    page_cell_number(r->p, counts[k]);
    page_cell(r->p, "%.1f %%", shares[k]);
  }
  page_table_end(r->p);
}

static void put_commands(const report *r) {
  static const struct {
    const char *key, *name;
  } commands[] = {{"banks.rd", "reads of 32 bytes"}, {"banks.wr", "writes of 32 bytes"},
                  {"banks.act", "rows opened"},      {"banks.pre", "rows closed"},
                  {"banks.sasel", "rows selected"},  {"banks.ref", "refreshes"}};
  const page_column columns[] = {{.name = "commands of the banks"},
                                 {.name = "number", .number = true}};
  page_table_begin(r->p, NULL, columns, 2);
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    page_cell(r->p, "%s", commands[k].name);
    page_cell_number(r->p, of_banks(r, commands[k].key));
  }
  page_table_end(r->p);
}

void report_traffic(const report *r) {
  report_section(r, "traffic", "TSV bus and banks");
  page_pair_begin(r->p);
  fputs("<div>\n", page_stream(r->p));
  put_bus(r);
  put_bus_table(r);
  fputs("</div><div>\n", page_stream(r->p));
  put_rows(r);
  put_commands(r);
  fputs("</div>\n", page_stream(r->p));
  page_pair_end(r->p);
}
