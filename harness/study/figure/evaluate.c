// SPDX-License-Identifier: Apache-2.0
// From the counters of runs to the cells of tables.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure.h"
#include "harness/base/config/letters.h"

enum { DEEP = 16 };

typedef struct counted {
  const void *run;  // a plan_run, or the entry of a file
  values values;
  bool there;
} counted;

typedef struct evaluation {
  const study *study;
  const plan *plan;
  store *store;
  results *to;
  results_more more;
  void *ctx;
  counted *runs;  // slots of a table by address
  size_t slots, used;
  char *why;
  size_t bytes;
  bool failed;
} evaluation;

// Where an expression is evaluated.
typedef struct spot {
  evaluation *e;
  const study_figure *f;
  const study_entry *row;
  const study_variant *variant;
  study_at at;
  unsigned depth;
} spot;

static bool wrong(evaluation *e, study_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(evaluation *e, study_at at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  study_why(e->why, e->bytes, at, format, args);
  va_end(args);
  e->failed = true;
  return false;
}

// ---- counters of runs, each read once

static counted *slot_of(evaluation *e, const void *run) {
  size_t at = ((size_t)run >> 4) * 0x9e3779b97f4a7c15u % e->slots;
  while (e->runs[at].run && e->runs[at].run != run)
    at = (at + 1) % e->slots;
  return &e->runs[at];
}

static void grow(evaluation *e) {
  counted *before = e->runs;
  const size_t n = e->slots;
  e->slots = n ? 2 * n : 512;
  e->runs = calloc(e->slots, sizeof *e->runs);
  if (!e->runs)
    abort();
  for (size_t k = 0; k < n; k++)
    if (before[k].run)
      *slot_of(e, before[k].run) = before[k];
  free(before);
}

static bool read_run(evaluation *e, const plan_run *r, counted *c) {
  if (r->state != STORE_DONE || !r->id)
    return true;
  c->there = true;
  char why[STORE_WHY];
  if (store_counters(e->store, r->id, &c->values, why))
    return true;
  snprintf(e->why, e->bytes, "%s", why);
  return !(e->failed = true);
}

static bool read_data(evaluation *e, const study_entry *row, counted *c) {
  char why[512];
  tree_file *f = tree_read(plan_file(e->plan, row), why, sizeof why);
  if (!f)
    return wrong(e, row->at, "%s", why);
  values_add_tree(&c->values, "", tree_top(f));
  values_done(&c->values);
  tree_free(f);
  return c->there = true;
}

static counted *counters_of(evaluation *e, const plan_run *run, const study_entry *row) {
  const void *key = run ? (const void *)run : (const void *)row;
  if (2 * e->used >= e->slots)
    grow(e);
  counted *c = slot_of(e, key);
  if (c->run)
    return c;
  e->used++;
  c->run = key;
  if (run ? !read_run(e, run, c) : !read_data(e, row, c))
    c->there = false;
  return c;
}

// ---- names

// A name that the run has not counted: only some machines have links, and only some runs all of it.
// That is a warning, once a place, and the cell is missing.
static bool unknown(spot *s, const counted *c, const char *name) {
  results *r = s->e->to;
  for (const result_warning *w = r->warnings; w; w = w->next)
    if (w->line == s->at.line && w->column == s->at.column && strcmp(w->name, name) == 0)
      return false;
  const char *nearest = "";
  size_t least = SIZE_MAX;
  for (size_t k = 0; k < c->values.n; k++) {
    const char *full = c->values.all[k].name, *last = strrchr(full, '.');
    const size_t whole = letters_apart(full, name),
                 part = letters_apart(last ? last + 1 : full, name);
    const size_t d = whole < part ? whole : part;
    if (d < least)
      least = d, nearest = full;
  }
  result_warning *w = pieces_more(&r->memory, sizeof *w);
  *w = (result_warning){r->warnings, s->at.line, s->at.column, name, NULL};
  w->text = pieces_text(
      &r->memory, "%s:%u:%u: '%s' is not a counter of %s, nor one of the 'values'; nearest: %s",
      s->at.file, s->at.line, s->at.column, name, s->row->name, nearest);
  r->warnings = w;
  return false;
}

static bool lookup(void *ctx, const char *name, const char *run, double *to) {
  spot *s = ctx;
  evaluation *e = s->e;
  const study_variant *v = run ? study_variant_named(s->f, run) : s->variant;
  const study_value *of_study = study_value_named(e->study, name);
  if (e->failed || !v)
    return false;
  for (size_t k = 0; k < s->row->n_known; k++)
    if (strcmp(s->row->known[k].name, name) == 0)
      return *to = s->row->known[k].number, true;
  if (of_study) {
    spot inner = *s;
    inner.variant = v, inner.at = of_study->at, inner.depth++;
    if (inner.depth > DEEP)
      return wrong(e, of_study->at, "'%s' is made of itself", name);
    return expr_value(of_study->value, lookup, &inner, to);
  }
  const plan_run *r = plan_cell(e->plan, s->f, s->row, v);
  counted *c = counters_of(e, r, s->row);
  if (e->failed || !c->there)
    return false;
  const double *found = values_find(&c->values, name);
  if (found)
    return *to = *found, true;
  if (r && e->more && strncmp(name, "gpu.", 4) == 0)
    return e->more(e->ctx, r, name, to);
  return unknown(s, c, name);
}

// ---- tables

static void take_mean(result_table *t, size_t column) {
  result_column *c = &t->columns[column];
  double sum = 0, plain = 0, largest = -HUGE_VAL;
  size_t n = 0;
  for (size_t row = 0; row < t->set->n; row++) {
    const result_cell *x = &t->cells[row * t->n_columns + column];
    const bool counts = x->there && (c->of->mean != MEAN_GEOMETRIC || x->value > 0);
    if (!counts)
      c->missing++;
    else
      n++, plain += x->value, largest = fmax(largest, x->value),
                              sum += c->of->mean == MEAN_GEOMETRIC ? log(x->value) : x->value;
  }
  c->has_mean = n && c->of->mean != MEAN_NONE;
  if (c->has_mean)
    c->mean = c->of->mean == MEAN_SUM         ? sum
              : c->of->mean == MEAN_LARGEST   ? largest
              : c->of->mean == MEAN_GEOMETRIC ? exp(sum / (double)n)
                                              : sum / (double)n;
  c->arithmetic = n ? plain / (double)n : 0;
}

static const char *title_of(results *r, const study_column *c, const study_variant *v) {
  if (c->single || !*v->name)
    return c->name;
  return pieces_text(&r->memory, "%s %s", c->name, v->name);
}

static bool fill_table(evaluation *e, const study_figure *f, result_table *t) {
  for (size_t k = 0; k < f->n_columns; k++)
    t->n_columns += f->columns[k].n;
  t->columns = pieces_more(&e->to->memory, t->n_columns * sizeof *t->columns);
  t->cells = pieces_more(&e->to->memory, t->n_columns * t->set->n * sizeof *t->cells);
  size_t at = 0;
  for (size_t k = 0; k < f->n_columns; k++)
    for (size_t m = 0; m < f->columns[k].n; m++, at++) {
      const study_column *c = &f->columns[k];
      const study_variant *v = c->of[m];
      t->columns[at] = (result_column){.of = c, .variant = v, .title = title_of(e->to, c, v)};
      for (size_t row = 0; row < t->set->n; row++) {
        result_cell *x = &t->cells[row * t->n_columns + at];
        spot s = {e, f, &t->set->entries[row], v, c->at, 0};
        x->run = plan_cell(e->plan, f, s.row, v);
        x->there = expr_value(c->value, lookup, &s, &x->value);
        if (e->failed)
          return false;
      }
      take_mean(t, at);
    }
  return true;
}

// ---- expectations

static bool find_measured(const result_table *t, const study_figure *f, result_expect *x) {
  const study_expect *e = x->of;
  for (size_t k = 0; k < t->n_columns; k++) {
    const result_column *c = &t->columns[k];
    if (strcmp(c->of->name, e->column) || (e->of && c->variant != study_variant_named(f, e->of)))
      continue;
    x->column = c;
    if (!e->row) {
      x->there = c->has_mean && !c->missing;
      x->measured = e->arithmetic ? c->arithmetic : c->mean;
      return true;
    }
    for (size_t row = 0; row < t->set->n; row++)
      if (strcmp(t->set->entries[row].name, e->row) == 0) {
        x->there = t->cells[row * t->n_columns + k].there;
        x->measured = t->cells[row * t->n_columns + k].value;
        return true;
      }
  }
  return false;
}

static void fill_expects(evaluation *e, result_figure *f) {
  f->expects =
      pieces_more(&e->to->memory, (f->of->n_expects * f->n_tables + 1) * sizeof *f->expects);
  for (size_t k = 0; k < f->of->n_expects; k++)
    for (size_t m = 0; m < f->n_tables; m++) {
      result_expect x = {.of = &f->of->expects[k], .set = f->tables[m].set};
      if ((x.of->set && strcmp(x.of->set, x.set->name)) || !find_measured(&f->tables[m], f->of, &x))
        continue;
      x.percent = x.of->value != 0 ? 100 * (x.measured / x.of->value - 1) : 0;
      x.within =
          x.there && fabs(x.measured - x.of->value) <= fabs(x.of->value) * x.of->tolerance / 100;
      f->expects[f->n_expects++] = x;
    }
}

// ---- the whole

static bool fill_figure(evaluation *e, const study_figure *f, result_figure *to) {
  to->of = f;
  to->tables = pieces_more(&e->to->memory, f->n_sets * sizeof *to->tables);
  for (size_t k = 0; k < f->n_sets; k++) {
    if (!plan_has(e->plan, f, f->sets[k]))
      continue;
    result_table *t = &to->tables[to->n_tables++];
    t->set = f->sets[k];
    if (!fill_table(e, f, t))
      return false;
  }
  fill_expects(e, to);
  return true;
}

static void count_runs(evaluation *e) {
  for (size_t k = 0; k < plan_count(e->plan); k++) {
    const plan_run *r = plan_at(e->plan, k);
    e->to->runs++;
    e->to->failed += r->state == STORE_FAILED;
    e->to->missing += r->state != STORE_FAILED && r->state != STORE_DONE;
  }
}

results *results_of(const study *s, const plan *p, store *st, results_more more, void *ctx,
                    char *why, size_t bytes) {
  results *r = calloc(1, sizeof *r);
  if (!r)
    abort();
  evaluation e = {.study = s,
                  .plan = p,
                  .store = st,
                  .to = r,
                  .more = more,
                  .ctx = ctx,
                  .why = why,
                  .bytes = bytes};
  r->of = s;
  r->only = plan_only(p);
  r->figures = pieces_more(&r->memory, s->n_figures * sizeof *r->figures);
  count_runs(&e);
  bool ok = true;
  for (size_t k = 0; k < s->n_figures && ok; k++) {
    ok = fill_figure(&e, &s->figures[k], &r->figures[r->n]);
    r->n += r->figures[r->n].n_tables > 0;
  }
  for (size_t k = 0; k < e.slots; k++)
    values_free(&e.runs[k].values);
  free(e.runs);
  if (ok)
    return r;
  results_free(r);
  return NULL;
}

void results_free(results *r) {
  if (!r)
    return;
  pieces_free(&r->memory);
  free(r);
}

const char *results_mean_name(study_mean m) {
  static const char *const names[] = {"", "geometric mean", "mean", "sum", "largest"};
  return names[m];
}

bool results_mean(const result_column *c, study_mean m, double *to) {
  if (!c->has_mean)
    return false;
  *to = c->of->mean == m ? c->mean : c->arithmetic;
  return c->of->mean == m || (c->of->mean == MEAN_GEOMETRIC && m == MEAN_ARITHMETIC);
}

bool results_has_mean(const result_table *t, study_mean m) {
  double value;
  for (size_t c = 0; c < t->n_columns; c++)
    if (results_mean(&t->columns[c], m, &value))
      return true;
  return false;
}

const char *results_what(const result_expect *x, char *to, size_t bytes) {
  const study_mean mean = x->of->arithmetic ? MEAN_ARITHMETIC : x->column->of->mean;
  snprintf(to, bytes, "%s%s%s", x->column->title, x->of->row ? " of " : ", ",
           x->of->row ? x->of->row : results_mean_name(mean));
  return to;
}

const char *results_reason(const result_expect *x) {
  if (x->within || !x->there)
    return "";
  return x->of->reason ? x->of->reason : "not explained yet";
}
