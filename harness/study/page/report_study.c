// SPDX-License-Identifier: Apache-2.0
#include "report_study.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "chart.h"

enum { ID = 64, FAILED_SHOWN = 100 };

static void *zeros(size_t n, size_t bytes) {
  void *p = calloc(n ? n : 1, bytes);
  if (!p)
    abort();
  return p;
}

// Letters, digits and hyphens of a name.
static const char *id_of(const char *name, char to[ID]) {
  size_t n = 0;
  for (; *name && n + 1 < ID; name++)
    to[n++] = (char)(isalnum((unsigned char)*name) ? *name : '-');
  to[n] = 0;
  return to;
}

// ---- head

static void put_made(page *p, const report_study_input *in) {
  const results *r = in->results;
  double seconds = 0, cpu = 0;
  char build[160] = "", host[80] = "", first[40] = "", last[40] = "", why[STORE_WHY];
  bool builds = false, hosts = false;
  for (size_t k = 0; k < plan_count(in->plan) && in->store; k++) {
    const plan_run *run = plan_at(in->plan, k);
    store_run row;
    if (!run->id || !store_read(in->store, run->id, false, &row, why))
      continue;
    seconds += row.seconds, cpu += row.cpu_seconds;
    builds |= *build && strcmp(build, row.build) != 0;
    hosts |= *host && strcmp(host, row.host) != 0;
    snprintf(build, sizeof build, "%.150s", row.build);
    snprintf(host, sizeof host, "%.70s", row.host);
    if (!*first || strcmp(row.started, first) < 0)
      snprintf(first, sizeof first, "%.39s", row.started);
    if (strcmp(row.started, last) > 0)
      snprintf(last, sizeof last, "%.39s", row.started);
    store_run_free(&row);
  }
  page_facts_begin(p);
  page_fact(p, "Runs", "%zu, each with a command line below its table", r->runs);
  if (*first) {
    page_fact(p, "Made", "from %s to %s", first, last);
    page_fact(p, "Took", "%.0f s of processors", cpu > 0 ? cpu : seconds);
    page_fact(p, "Host", "%s%s", host, hosts ? " and others" : "");
    page_fact(p, "Build", "%s%s", build, builds ? ", and others with the same code" : "");
  }
  page_fact(p, "Again", "mpu study %s", r->of->name);
  page_facts_end(p);
}

static void put_head(page *p, const report_study_input *in) {
  const results *r = in->results;
  size_t expected = 0, within = 0, open = 0;
  for (size_t k = 0; k < r->n; k++)
    for (size_t m = 0; m < r->figures[k].n_expects; m++) {
      const result_expect *x = &r->figures[k].expects[m];
      expected++;
      within += x->within;
      open += x->there && !x->within && !x->of->reason;
    }
  if (r->of->about)
    page_text(p, "%s", r->of->about);
  if (expected)
    page_claim(p, "%zu of %zu numbers are as expected", within, expected);
  if (open)
    page_note(p, "%zu of the others are not explained yet.", open);
  put_made(p, in);
  if (r->missing)
    page_missing(p, "%zu of %zu runs have not been made: mpu study %s makes them.", r->missing,
                 r->runs, r->of->name);
  if (r->failed)
    page_missing(p, "%zu of %zu runs have failed: see the end of the page.", r->failed, r->runs);
}

// ---- charts

static const char *axis_of(const study_column *c, char to[ID]) {
  snprintf(to, ID, *c->unit ? "%.30s, %.30s" : "%.30s", c->name, c->unit);
  return to;
}

// A group of bars: a program, or a mean of all.
typedef struct group {
  size_t row;  // of the set; n of them: a mean
  study_mean mean;
} group;

static size_t groups_of(const result_table *t, const bool *use, group *to) {
  size_t n = 0;
  for (size_t row = 0; row < t->set->n; row++)
    to[n++] = (group){row, MEAN_NONE};
  for (study_mean m = MEAN_GEOMETRIC; m <= MEAN_LARGEST; m++) {
    bool has = false;
    for (size_t c = 0; c < t->n_columns; c++)
      has |= use[c] && results_mean(&t->columns[c], m, &(double){0});
    if (has)
      to[n++] = (group){t->set->n, m};
  }
  return n;
}

static double value_of(const result_table *t, size_t column, group g) {
  const result_cell *x = &t->cells[g.row * t->n_columns + column];
  double mean;
  if (g.row < t->set->n)
    return x->there ? x->value : NAN;
  return results_mean(&t->columns[column], g.mean, &mean) ? mean : NAN;
}

// NAN: nothing is expected.
static double expected(const result_figure *f, const result_table *t, size_t column, group g) {
  for (size_t k = 0; k < f->n_expects; k++) {
    const result_expect *x = &f->expects[k];
    if (x->set != t->set || x->column != &t->columns[column])
      continue;
    const study_mean mean = x->of->arithmetic ? MEAN_ARITHMETIC : x->column->of->mean;
    if (g.row < t->set->n ? x->of->row && !strcmp(x->of->row, t->set->entries[g.row].name)
                          : !x->of->row && mean == g.mean)
      return x->of->value;
  }
  return NAN;
}

static const char *source_of(const result_figure *f) {
  return f->of->source ? f->of->source : "expected";
}

// A group for each program and each mean; a bar for each of the columns that `use` says.
static void put_bars(page *p, const result_figure *f, const result_table *t, const bool *use) {
  size_t n = 0;
  for (size_t c = 0; c < t->n_columns; c++)
    n += use[c];
  group *groups = zeros(t->set->n + MEAN_LARGEST, sizeof *groups);
  const size_t rows = groups_of(t, use, groups);
  const char **names = zeros(rows, sizeof *names), **series = zeros(n, sizeof *series);
  double *values = zeros(rows * n, sizeof *values), *reference = zeros(rows * n, sizeof *reference);
  bool refers = false;
  const study_column *of = NULL;
  for (size_t c = 0, s = 0; c < t->n_columns; c++) {
    if (!use[c])
      continue;
    of = t->columns[c].of;
    series[s] = t->columns[c].title;
    for (size_t k = 0; k < rows; k++) {
      const group g = groups[k];
      names[k] = g.row < t->set->n ? t->set->entries[g.row].name : results_mean_name(g.mean);
      values[k * n + s] = value_of(t, c, g);
      reference[k * n + s] = expected(f, t, c, g);
      refers |= isfinite(reference[k * n + s]);
    }
    s++;
  }
  char axis[ID], told[256];
  snprintf(told, sizeof told, "%s, %s", f->of->title, t->set->title);
  const bool stack = f->of->chart == CHART_STACK;
  const bool ratio = !strcmp(of->unit, "x") && !stack;
  const chart_bars chart = {
      .about = {.title = t->set->title, .told = told, .no_table = true},
      .axis = stack ? of->unit : axis_of(of, axis),
      .names = names,
      .n = rows,
      .series = series,
      .n_series = n,
      .values = values,
      .reference = refers && !stack ? reference : NULL,
      .reference_name = source_of(f),
      .guide = ratio ? 1 : NAN,
      .guide_name = ratio ? "no difference" : NULL,
      .stacked = stack,
      .log = f->of->chart_log && !stack,
  };
  chart_bars_put(p, &chart);
  free(groups);
  free(names);
  free(series);
  free(values);
  free(reference);
}

// "tRCD" of a sweep whose variants are "tRCD=7" and so on.
static const char *x_axis_of(const result_figure *f, char to[ID]) {
  const char *name = f->of->variants[0].name;
  snprintf(to, ID, "%.*s", (int)strcspn(name, "="), strchr(name, '=') ? name : f->of->name);
  return to;
}

// Over the numbers of the sweep: a line for each table's mean, or for each program without one.
static void put_lines(page *p, const result_figure *f, const char *column) {
  const size_t most = 64, points = f->of->n_variants;
  chart_line *lines = zeros(most, sizeof *lines);
  double *x = zeros(most * points, sizeof *x), *y = zeros(most * points, sizeof *y);
  const study_column *of = NULL;
  size_t n = 0;
  for (size_t m = 0; m < f->n_tables; m++) {
    const result_table *t = &f->tables[m];
    bool means = false;
    for (size_t c = 0; c < t->n_columns; c++)
      means |= !strcmp(t->columns[c].of->name, column) && t->columns[c].has_mean;
    for (size_t row = 0; row < (means ? 1 : t->set->n) && n < most; row++, n++) {
      chart_line *line = &lines[n];
      line->name = means ? t->set->title : t->set->entries[row].name;
      line->x = x + n * points, line->y = y + n * points;
      for (size_t c = 0; c < t->n_columns; c++) {
        const result_column *k = &t->columns[c];
        if (strcmp(k->of->name, column) != 0)
          continue;
        const result_cell *cell = &t->cells[row * t->n_columns + c];
        of = k->of;
        x[n * points + line->n] = k->variant->x;
        y[n * points + line->n++] = means ? k->mean : cell->there ? cell->value : NAN;
      }
    }
  }
  char axis[ID], of_x[ID];
  const chart_lines chart = {
      .about = {.title = of ? of->name : column, .told = f->of->title},
      .x_axis = x_axis_of(f, of_x),
      .y_axis = of ? axis_of(of, axis) : column,
      .all = lines,
      .n = n,
      .x_log = f->of->chart_log,
      .y_log = f->of->chart_log,
  };
  chart_lines_put(p, &chart);
  free(lines);
  free(x);
  free(y);
}

static void put_charts(page *p, const result_figure *f) {
  const char *column = f->of->chart_of ? f->of->chart_of : f->of->columns[0].name;
  if (f->of->chart == CHART_LINES)
    put_lines(p, f, column);
  if (f->of->chart != CHART_BARS && f->of->chart != CHART_STACK)
    return;
  for (size_t m = 0; m < f->n_tables; m++) {
    const result_table *t = &f->tables[m];
    bool *use = zeros(t->n_columns, sizeof *use);
    for (size_t c = 0; c < t->n_columns; c++)
      use[c] = f->of->chart == CHART_STACK
                   ? !f->of->chart_of || !strcmp(t->columns[c].of->name, column)
                   : !strcmp(t->columns[c].of->name, column);
    put_bars(p, f, t, use);
    free(use);
  }
}

// ---- tables

static void put_value(page *p, const result_column *c, bool there, double value, page_class class,
                      const char *title) {
  if (there)
    page_cell_as(p, class, title, NULL, "%.*f", c->of->digits, value);
  else
    page_cell_as(p, PAGE_GONE, title, NULL, "missing");
}

static void put_means(page *p, const result_table *t) {
  for (study_mean m = MEAN_GEOMETRIC; m <= MEAN_LARGEST; m++) {
    if (!results_has_mean(t, m))
      continue;
    page_cell_as(p, PAGE_ALL, NULL, NULL, "%s", results_mean_name(m));
    for (size_t c = 0; c < t->n_columns; c++) {
      double value;
      if (results_mean(&t->columns[c], m, &value))
        put_value(p, &t->columns[c], true, value, PAGE_ALL, NULL);
      else
        page_cell(p, "%s", "");
    }
  }
}

static void put_table(page *p, const result_figure *f, const result_table *t) {
  page_column *columns = zeros(t->n_columns + 1, sizeof *columns);
  char caption[256], (*names)[ID] = zeros(t->n_columns, sizeof *names);
  columns[0] = (page_column){.name = "program"};
  for (size_t c = 0; c < t->n_columns; c++) {
    const study_column *of = t->columns[c].of;
    snprintf(names[c], ID, *of->unit ? "%.40s, %.20s" : "%.60s", t->columns[c].title, of->unit);
    columns[c + 1] = (page_column){.name = names[c], .number = true};
  }
  snprintf(caption, sizeof caption, "%.100s, %.100s", f->of->title, t->set->title);
  page_table_begin(p, caption, columns, t->n_columns + 1);
  for (size_t row = 0; row < t->set->n; row++) {
    page_cell(p, "%s", t->set->entries[row].name);
    for (size_t c = 0; c < t->n_columns; c++) {
      const result_cell *x = &t->cells[row * t->n_columns + c];
      put_value(p, &t->columns[c], x->there, x->value, PAGE_PLAIN,
                x->run ? x->run->is.command : NULL);
    }
  }
  put_means(p, t);
  page_table_end(p);
  free(columns);
  free(names);
}

static void put_expects(page *p, const result_figure *f) {
  static const page_column columns[] = {{.name = "programs"},
                                        {.name = "what"},
                                        {.name = "expected", .number = true},
                                        {.name = "here", .number = true},
                                        {.name = "off", .number = true},
                                        {.name = "because"}};
  char caption[256];
  if (!f->n_expects)
    return;
  snprintf(caption, sizeof caption, "Beside %.200s", source_of(f));
  page_table_begin(p, caption, columns, sizeof columns / sizeof *columns);
  for (size_t k = 0; k < f->n_expects; k++) {
    const result_expect *x = &f->expects[k];
    const int digits = x->column->of->digits;
    char what[256];
    page_cell(p, "%s", x->set->title);
    page_cell(p, "%s", results_what(x, what, sizeof what));
    page_cell(p, "%.*f", digits, x->of->value);
    put_value(p, x->column, x->there, x->measured, PAGE_PLAIN, NULL);
    if (x->there)
      page_cell_as(p, x->within ? PAGE_GOOD : PAGE_BAD, NULL, NULL, "%+.0f %%", x->percent);
    else
      page_cell_as(p, PAGE_GONE, NULL, NULL, "missing");
    page_cell(p, "%s", results_reason(x));
  }
  page_table_end(p);
}

// The commands of a table's rows, for those who want to make one of its runs themselves.
static void put_commands(page *p, const report_study_input *in, const result_figure *f) {
  static const page_column columns[] = {{.name = "run", .number = true},
                                        {.name = "program"},
                                        {.name = "variant"},
                                        {.name = "command", .code = true}};
  page_fold_begin(p, "Its runs");
  page_table_begin(p, "Command lines", columns, sizeof columns / sizeof *columns);
  for (size_t m = 0; m < f->n_tables; m++)
    for (size_t row = 0; row < f->tables[m].set->n; row++)
      for (size_t v = 0; v < f->of->n_variants; v++) {
        const study_entry *e = &f->tables[m].set->entries[row];
        const plan_run *r = plan_cell(in->plan, f->of, e, &f->of->variants[v]);
        if (!r)
          continue;
        if (r->id)
          page_cell(p, "%lld", (long long)r->id);
        else
          page_cell_as(p, PAGE_GONE, NULL, NULL, "not made");
        page_cell(p, "%s", e->name);
        page_cell(p, "%s", f->of->variants[v].name);
        page_cell(p, "%s", r->is.command);
      }
  page_table_end(p);
  page_fold_end(p);
}

static void put_figure(page *p, const report_study_input *in, const result_figure *f) {
  char id[ID];
  page_section(p, id_of(f->of->name, id), f->of->title);
  if (f->of->source)
    page_note(p, "%s", f->of->source);
  if (f->of->about)
    page_text(p, "%s", f->of->about);
  put_charts(p, f);
  put_expects(p, f);
  page_fold_begin(p, "Its numbers");
  for (size_t m = 0; m < f->n_tables; m++)
    put_table(p, f, &f->tables[m]);
  page_fold_end(p);
  put_commands(p, in, f);
}

// ---- what failed

static void put_failed(page *p, const report_study_input *in) {
  static const page_column columns[] = {{.name = "run", .number = true},
                                        {.name = "outcome"},
                                        {.name = "it said"},
                                        {.name = "command", .code = true}};
  size_t shown = 0;
  if (!in->results->failed || !in->store)
    return;
  page_section(p, "failed", "Runs that failed");
  page_table_begin(p, "Runs that failed", columns, sizeof columns / sizeof *columns);
  for (size_t k = 0; k < plan_count(in->plan) && shown < FAILED_SHOWN; k++) {
    char why[STORE_WHY];
    store_run row;
    if (plan_at(in->plan, k)->state != STORE_FAILED ||
        !store_read(in->store, plan_at(in->plan, k)->id, false, &row, why))
      continue;
    shown++;
    page_cell(p, "%lld", (long long)row.id);
    page_cell(p, "%s", row.outcome);
    page_cell(p, "%s", row.message);
    page_cell(p, "%s", row.command);
    store_run_free(&row);
  }
  page_table_end(p);
  if (shown < in->results->failed)
    page_note(p, "And %zu more.", in->results->failed - shown);
}

page *report_study_page(const report_study_input *in) {
  const study *s = in->results->of;
  page *p = page_new(s->title, s->name);
  put_head(p, in);
  for (size_t k = 0; k < in->results->n; k++)
    put_figure(p, in, &in->results->figures[k]);
  put_failed(p, in);
  if (in->gpu_lines && *in->gpu_lines) {
    page_section(p, "gpu", "What the time of the GPU assumes");
    for (const char *const *line = in->gpu_lines; *line; line++)
      page_text(p, "%s", *line);
  }
  return p;
}
