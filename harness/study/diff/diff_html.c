// SPDX-License-Identifier: Apache-2.0
// A comparison as a page.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diff_priv.h"
#include "harness/study/page/chart.h"

enum { FOLDED = 20 };  // rows of a table before the others, which are folded

static double of(int64_t n, int64_t per_cycle) {
  return (double)n / (double)per_cycle;
}

static const char *or_missing(const char *text) {
  return text ? text : "unknown";
}

// ---- cells

static void put_share(page *p, double part, double all) {
  if (all != 0)
    page_cell(p, "%.1f %%", part != 0 ? 100 * part / all : 0);
  else
    page_cell(p, "%s", "-");
}

static void put_cycles(page *p, diff_column *c, const int64_t cycles[2]) {
  int64_t tenths[2];
  char text[DIFF_NUMBER];
  diff_round(c, cycles, tenths);
  for (int s = 0; s < 2; s++)
    page_cell(p, "%s", diff_tenths(tenths[s], false, text));
  page_cell(p, "%s", diff_tenths(tenths[1] - tenths[0], true, text));
}

// ---- the runs

static void put_row(page *p, const char *name, const char *a, const char *b) {
  if (!a && !b)
    return;
  page_cell(p, "%s", name);
  for (int s = 0; s < 2; s++)
    page_cell_as(p, s && a && b && !strcmp(a, b) ? PAGE_GONE : PAGE_PLAIN, NULL, NULL, "%s",
                 or_missing(s ? b : a));
}

static void put_runs(page *p, const diff *d) {
  static const page_column columns[] = {{.name = ""}, {.name = "A"}, {.name = "B"}};
  const diff_run *a = d->run[0], *b = d->run[1];
  char x[DIFF_MACHINE], y[DIFF_MACHINE];
  page_section(p, "runs", "The runs");
  page_table_begin(p, NULL, columns, 3);
  put_row(p, "file", a->name, b->name);
  put_row(p, "program", a->program, b->program);
  put_row(p, "arguments", diff_arguments(a), diff_arguments(b));
  put_row(p, "machine", a->machine_name ? a->machine_name : "mpu",
          b->machine_name ? b->machine_name : "mpu");
  put_row(p, "configuration", diff_machine(a, x), diff_machine(b, y));
  put_row(p, "near side", a->near, b->near);
  put_row(p, "commit", tree_text(tree_at(a->top, "build.commit"), NULL),
          tree_text(tree_at(b->top, "build.commit"), NULL));
  put_row(p, "result", a->result, b->result);
  put_row(p, "end", a->end, b->end);
  put_row(p, "device memory", a->digest, b->digest);
  put_row(p, "cycles", a->timed ? diff_cycles(a, x) : NULL, b->timed ? diff_cycles(b, y) : NULL);
  for (int s = 0; s < 2; s++)
    snprintf(s ? y : x, DIFF_NUMBER, "%.0f", d->run[s]->instructions);
  put_row(p, "warp instructions", isnan(a->instructions) ? NULL : x,
          isnan(b->instructions) ? NULL : y);
  page_table_end(p);
}

static void put_keys(page *p, const diff_keys *k) {
  static const page_column columns[] = {{.name = "key", .code = true},
                                        {.name = "A", .number = true},
                                        {.name = "B", .number = true},
                                        {.name = "unit"},
                                        {.name = "what"}};
  page_section(p, "configuration", "Configuration");
  if (!k->known) {
    page_missing(p, "Not both files have a configuration: statistics of mpu run --near=c do.");
    return;
  }
  if (!k->n) {
    page_text(p, "The same machine.");
    return;
  }
  page_table_begin(p, NULL, columns, 5);
  for (size_t n = 0; n < k->n; n++) {
    page_cell(p, "%s", k->all[n].name);
    for (int s = 0; s < 2; s++)
      page_cell_as(p, k->all[n].value[s] ? PAGE_PLAIN : PAGE_GONE, NULL, NULL, "%s",
                   k->all[n].value[s] ? k->all[n].value[s] : "missing");
    page_cell(p, "%s", k->all[n].unit);
    page_cell(p, "%s", k->all[n].doc);
  }
  page_table_end(p);
}

// ---- cycles by cause

static void draw_parts(page *p, const diff_parts *x) {
  static const char *const runs[] = {"A", "B"};
  const char *names[DIFF_CAUSES + 2];
  double stack[2 * (DIFF_CAUSES + 2)], change[DIFF_CAUSES + 2];
  size_t n = 0, causes = 0;
  for (size_t k = 0; k < x->n; k++)
    causes += x->all[k].cycles[0] >= 0 && x->all[k].cycles[1] >= 0 &&
              strcmp(x->all[k].name, "drain") != 0;
  for (size_t k = 0; k < x->n && n < causes; k++) {
    const diff_part *c = &x->all[k];
    if (c->cycles[0] < 0 || c->cycles[1] < 0 || !strcmp(c->name, "drain"))
      continue;
    names[n] = c->name;
    for (size_t s = 0; s < 2; s++)
      stack[s * causes + n] = of(c->cycles[s], x->per_cycle);
    change[n] = stack[causes + n] - stack[n];
    n++;
  }
  chart_bars_put(p, &(chart_bars){.about = {.title = "Where the cycles went",
                                            .note = "cycles of a core, with the drain"},
                                  .axis = "cycles",
                                  .names = runs,
                                  .n = 2,
                                  .series = names,
                                  .n_series = causes,
                                  .values = stack,
                                  .stacked = true,
                                  .rows = true});
  chart_bars_put(p, &(chart_bars){.about = {.title = "What became more and less",
                                            .note = "cycles of B less those of A",
                                            .no_table = true},
                                  .axis = "cycles",
                                  .names = names,
                                  .n = causes,
                                  .series = (const char *const[]){"B - A"},
                                  .n_series = 1,
                                  .values = change,
                                  .rows = true});
}

static void put_parts(page *p, const diff_parts *x) {
  static const page_column columns[] = {{.name = "cause"},
                                        {.name = "A", .number = true},
                                        {.name = "B", .number = true},
                                        {.name = "difference", .number = true},
                                        {.name = "share", .number = true},
                                        {.name = "what"}};
  page_section(p, "causes", "Cycles by cause");
  if (!x->known) {
    page_missing(p, "Not both runs have cycles of subcores: run both with --near=c, on MPU.");
    return;
  }
  draw_parts(p, x);
  const double all = of(x->cycles[1] - x->cycles[0], x->per_cycle);
  diff_column rows = {.per_cycle = x->per_cycle}, sum = rows;
  page_table_begin(p, "Cycles of a core, the mean of all subcores; they add up to the cycles.",
                   columns, 6);
  for (size_t k = 0; k < x->n; k++) {
    page_cell(p, "%s", x->all[k].name);
    put_cycles(p, &rows, x->all[k].cycles);
    put_share(p, of(x->all[k].cycles[1] - x->all[k].cycles[0], x->per_cycle), all);
    page_cell(p, "%s", x->all[k].doc);
  }
  page_cell_as(p, PAGE_ALL, NULL, NULL, "cycles");
  put_cycles(p, &sum, x->cycles);
  put_share(p, all, all);
  page_table_end(p);
}

// ---- counters

static const page_column counter_columns[] = {
    {.name = "effect", .number = true, .title = "cycles that the busiest part takes longer"},
    {.name = "A", .number = true},
    {.name = "B", .number = true},
    {.name = "ratio", .number = true},
    {.name = "counter", .code = true},
    {.name = "unit"},
    {.name = "what"}};

static void put_counter(page *p, const diff_counter *c) {
  if (c->costs)
    page_cell(p, "%+.1f", c->effect);
  else
    page_cell(p, "%s", "");
  page_cell_number(p, c->value[0]);
  page_cell_number(p, c->value[1]);
  if (c->value[0] > 0)
    page_cell(p, "%.3f", c->value[1] / c->value[0]);
  else
    page_cell(p, "%s", "-");
  page_cell(p, "%s", c->name);
  page_cell(p, "%s", c->unit);
  page_cell(p, "%s%s%s", c->doc, c->costs && *c->doc ? "; " : "", c->costs ? c->how : "");
}

static void put_counters(page *p, const diff_counters *c) {
  page_section(p, "counters", "Counters");
  page_text(p, "%zu differ, %zu are the same; %zu are only in A, %zu only in B.", c->differ,
            c->same, c->only[0], c->only[1]);
  if (!c->n)
    return;
  page_note(
      p,
      "Effect: the cycles that the busiest part of a resource takes longer, by a cost for each "
      "event. Resources work at the same time, so effects do not add up.");
  const size_t first = c->n < FOLDED ? c->n : FOLDED;
  page_table_begin(p, NULL, counter_columns, 7);
  for (size_t k = 0; k < first; k++)
    put_counter(p, &c->all[k]);
  page_table_end(p);
  if (first == c->n)
    return;
  page_fold_begin(p, "%zu more", c->n - first);
  page_table_begin(p, NULL, counter_columns, 7);
  for (size_t k = first; k < c->n; k++)
    put_counter(p, &c->all[k]);
  page_table_end(p);
  page_fold_end(p);
}

// ---- arrays

static const page_column array_columns[] = {
    {.name = "effect", .number = true, .title = "cycles that it keeps a resource busy longer"},
    {.name = "array", .code = true},
    {.name = "allocated at, A"},
    {.name = "B"},
    {.name = "local, A", .number = true, .title = "sectors of 32 bytes, for the core's own use"},
    {.name = "B", .number = true},
    {.name = "remote, A", .number = true, .title = "sectors of 32 bytes, for other cores"},
    {.name = "B", .number = true},
    {.name = "row hits, A", .number = true},
    {.name = "B", .number = true}};

static void put_place(page *p, const diff_array *a) {
  const bool variable = a && strcmp(a->kind, "variable") == 0;
  page_cell_as(p, a ? PAGE_PLAIN : PAGE_GONE, NULL, NULL, "%s",
               !a         ? "missing"
               : a->place ? a->place
               : variable ? "variable"
                          : "");
}

static void put_array(page *p, const diff_pair *x) {
  if (x->costs)
    page_cell_as(p, PAGE_PLAIN, x->how, NULL, "%+.1f", x->effect);
  else
    page_cell(p, "%s", "");
  page_cell(p, "%s", x->of[x->of[0] ? 0 : 1]->name);
  for (int s = 0; s < 2; s++)
    put_place(p, x->of[s]);
  for (int s = 0; s < 2; s++)
    page_cell_number(p, diff_local(x->of[s]));
  for (int s = 0; s < 2; s++)
    page_cell_number(p, diff_remote(x->of[s]));
  for (int s = 0; s < 2; s++)
    if (isnan(diff_hits(x->of[s])))
      page_cell_number(p, NAN);
    else
      page_cell(p, "%.1f %%", diff_hits(x->of[s]));
}

static void draw_arrays(page *p, const diff_arrays *a) {
  static const char *const runs[] = {"A", "B"};
  const char *names[FOLDED];
  double values[2 * FOLDED];
  const size_t n = a->n < FOLDED ? a->n : FOLDED;
  for (size_t k = 0; k < n; k++) {
    names[k] = a->all[k].of[a->all[k].of[0] ? 0 : 1]->name;
    for (size_t s = 0; s < 2; s++)
      values[2 * k + s] = diff_sectors(a->all[k].of[s]);
  }
  chart_bars_put(p, &(chart_bars){.about = {.title = "Sectors by array",
                                            .note = "accesses of 32 bytes in the banks",
                                            .no_table = true},
                                  .names = names,
                                  .n = n,
                                  .series = runs,
                                  .n_series = 2,
                                  .values = values,
                                  .rows = true});
}

static void put_some_arrays(page *p, const diff_arrays *a, size_t from, size_t until) {
  page_table_begin(p, NULL, array_columns, sizeof array_columns / sizeof *array_columns);
  for (size_t k = from; k < until; k++)
    put_array(p, &a->all[k]);
  page_table_end(p);
}

static void put_arrays(page *p, const diff_arrays *a) {
  page_section(p, "arrays", "Arrays");
  if (!a->known) {
    page_missing(p, "Not both runs have sectors by array: mpu run --arrays counts them.");
    return;
  }
  page_text(p, "%zu differ, %zu are the same; %zu are only in A, %zu only in B.", a->differ,
            a->same, a->only[0], a->only[1]);
  for (int s = 0; s < 2; s++)
    if (a->whole[s])
      page_text(p, "%c does not know which sectors are remote: local has all of them.", "AB"[s]);
  if (!a->n)
    return;
  page_note(
      p,
      "Effect: the cycles that an array keeps the banks, or the requests to other cores, busy "
      "longer, spread evenly over all of them.");
  draw_arrays(p, a);
  const size_t first = a->n < FOLDED ? a->n : FOLDED;
  put_some_arrays(p, a, 0, first);
  if (first == a->n)
    return;
  page_fold_begin(p, "%zu more", a->n - first);
  put_some_arrays(p, a, first, a->n);
  page_fold_end(p);
}

// ---- energy

static void put_joules(page *p, const char *name, page_class class, const double j[2], double all) {
  page_cell_as(p, class, NULL, NULL, "%s", name);
  page_cell(p, "%.3f", 1e6 * j[0]);
  page_cell(p, "%.3f", 1e6 * j[1]);
  page_cell(p, "%+.3f", 1e6 * (j[1] - j[0]));
  put_share(p, j[1] - j[0], all);
}

static void put_energy(page *p, const diff *d) {
  static const page_column columns[] = {{.name = "component"},
                                        {.name = "A, uJ", .number = true},
                                        {.name = "B, uJ", .number = true},
                                        {.name = "difference", .number = true},
                                        {.name = "share", .number = true}};
  const diff_joules *j = &d->joules;
  page_section(p, "energy", "Energy");
  if (!j->known) {
    const diff_run *r = d->run[d->run[0]->has_energy];
    page_missing(p, "Not of both runs: %s.", r->no_energy);
    return;
  }
  const double all = j->total[1] - j->total[0];
  page_table_begin(p, "With the constants of each configuration.", columns, 5);
  for (size_t k = 0; k < j->n; k++)
    if (!j->all[k].name || j->all[k].joules[0] != j->all[k].joules[1])
      put_joules(p, j->all[k].name ? j->all[k].name : j->all[k].group,
                 j->all[k].name ? PAGE_PLAIN : PAGE_ALL, j->all[k].joules, all);
  put_joules(p, "all", PAGE_ALL, j->total, all);
  put_joules(p, "idle, in addition", PAGE_PLAIN, j->idle, 0);
  page_table_end(p);
  page_text(p, "Energy times delay, with what idles: %.4g Js and %.4g Js.", j->edp[0], j->edp[1]);
}

// ---- lines

static const page_column line_columns[] = {{.name = "A", .number = true},
                                           {.name = "B", .number = true},
                                           {.name = "difference", .number = true},
                                           {.name = "mostly"},
                                           {.name = "line"},
                                           {.name = ""},
                                           {.name = "text", .code = true}};

static void put_line(page *p, diff_column *c, const diff_line *l) {
  put_cycles(p, c, l->cycles);
  page_cell(p, "%s", l->cycles[0] == l->cycles[1] ? "" : diff_cause_names[diff_mostly(l)]);
  page_cell(p, "%s", l->where);
  page_cell(p, "%s", l->how);
  page_cell(p, "%s", l->text ? l->text + strspn(l->text, " \t") : "");
}

static void put_kernel(page *p, const diff_kernel *k, int64_t per_cycle) {
  const char *a = k->name[0], *b = k->name[1];
  char title[300];
  diff_column rows = {.per_cycle = per_cycle}, sum = rows;
  if (a && b && strcmp(a, b) != 0)
    snprintf(title, sizeof title, "%.140s, in B %.140s", a, b);
  else
    snprintf(title, sizeof title, "%.250s%s", a ? a : b,
             !b   ? ", only in A"
             : !a ? ", only in B"
                  : "");
  page_heading(p, title);
  const size_t first = k->n < FOLDED ? k->n : FOLDED;
  page_table_begin(p, NULL, line_columns, 7);
  for (size_t n = 0; n < first; n++)
    put_line(p, &rows, &k->lines[n]);
  put_cycles(p, &sum, k->cycles);
  page_cell(p, "%s", "");
  page_cell_as(p, PAGE_ALL, NULL, NULL, "all");
  page_table_end(p);
  if (first == k->n)
    return;
  page_fold_begin(p, "%zu more rows", k->n - first);
  page_table_begin(p, NULL, line_columns, 7);
  for (size_t n = first; n < k->n; n++)
    put_line(p, &rows, &k->lines[n]);
  page_table_end(p);
  page_fold_end(p);
}

static void put_lines(page *p, const diff_lines *l) {
  page_section(p, "lines", "Cycles by source line");
  if (!l->known) {
    page_missing(p,
                 "Not both runs have a profile: mpu profile --json FILE, then mpu diff A B "
                 "PROFILE_A PROFILE_B.");
    return;
  }
  for (size_t k = 0; k < l->n; k++)
    put_kernel(p, &l->all[k], l->per_cycle);
}

bool diff_html(const diff *d, const char *file) {
  char title[256];
  snprintf(title, sizeof title, "%.110s and %.110s", d->run[0]->name, d->run[1]->name);
  page *p = page_new(title, "two runs side by side");
  page_claim(p, "%s", d->verdict);
  for (size_t k = 0; k < d->n_notes; k++)
    page_text(p, "%s", d->notes[k]);
  put_runs(p, d);
  put_keys(p, &d->keys);
  put_parts(p, &d->parts);
  put_counters(p, &d->counters);
  put_arrays(p, &d->arrays);
  put_energy(p, d);
  put_lines(p, &d->lines);
  return page_write(p, file);
}
