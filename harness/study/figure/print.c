// SPDX-License-Identifier: Apache-2.0
// Results as text, CSV and JSON.
#include <stdio.h>
#include <string.h>
#include "figure.h"
#include "harness/base/json.h"

enum { ROW = 10, WIDE = 8, LINE = 100 };

// ---- text

static void put_wrapped(FILE *to, const char *indent, const char *text) {
  size_t at = 0;
  for (const char *p = text; *p;) {
    const size_t n = strcspn(p, " \n");
    if (!at || at + n + 1 > LINE)
      at = (size_t)fprintf(to, "%s%s", at ? "\n" : "", indent);
    else
      at += (size_t)fprintf(to, " ");
    at += (size_t)fprintf(to, "%.*s", (int)n, p);
    p += n + strspn(p + n, " \n");
  }
  if (at)
    fputc('\n', to);
}

static int width_of(const result_column *c) {
  const size_t n = strlen(c->title);
  return n < WIDE ? WIDE : (int)n;
}

static void put_number(FILE *to, const result_column *c, bool there, double value) {
  if (there)
    fprintf(to, "  %*.*f", width_of(c), c->of->digits, value);
  else
    fprintf(to, "  %*s", width_of(c), "-");
}

// Columns as many as fit into a line, then the next ones below.
static void put_part(FILE *to, const result_table *t, size_t from, size_t end, int names) {
  fprintf(to, "    %-*s", names, t->set->name);
  for (size_t k = from; k < end; k++)
    fprintf(to, "  %*s", width_of(&t->columns[k]), t->columns[k].title);
  fputc('\n', to);
  for (size_t row = 0; row < t->set->n; row++) {
    fprintf(to, "    %-*s", names, t->set->entries[row].name);
    for (size_t k = from; k < end; k++) {
      const result_cell *x = &t->cells[row * t->n_columns + k];
      put_number(to, &t->columns[k], x->there, x->value);
    }
    fputc('\n', to);
  }
  // a line for each kind of mean
  for (study_mean m = MEAN_GEOMETRIC; m <= MEAN_LARGEST; m++) {
    bool has = false;
    for (size_t k = from; k < end; k++)
      has = has || results_mean(&t->columns[k], m, &(double){0});
    if (!has)
      continue;
    fprintf(to, "    %-*s", names, results_mean_name(m));
    for (size_t k = from; k < end; k++) {
      double value = 0;
      if (results_mean(&t->columns[k], m, &value))
        put_number(to, &t->columns[k], true, value);
      else
        fprintf(to, "  %*s", width_of(&t->columns[k]), "");
    }
    fputc('\n', to);
  }
}

static void put_table(FILE *to, const result_table *t) {
  int names = (int)strlen("geometric mean");
  for (size_t row = 0; row < t->set->n; row++)
    if ((int)strlen(t->set->entries[row].name) > names)
      names = (int)strlen(t->set->entries[row].name);
  for (size_t from = 0, end; from < t->n_columns; from = end) {
    int used = 4 + names;
    for (end = from; end < t->n_columns; end++) {
      used += 2 + width_of(&t->columns[end]);
      if (used > LINE && end > from)
        break;
    }
    put_part(to, t, from, end, names);
    fputc('\n', to);
  }
}

static void put_expect(FILE *to, const result_expect *x) {
  const study_expect *e = x->of;
  fprintf(to, "    %s, %s%s%s: %s %.*f, here ", x->set->name, x->column->title,
          e->row ? " of " : "", e->row ? e->row : "", e->source ? e->source : "expected",
          x->column->of->digits, e->value);
  if (!x->there)
    fputs("missing: a run has failed or was not made\n", to);
  else
    fprintf(to, "%.*f (%+.0f %%)%s\n", x->column->of->digits, x->measured, x->percent,
            x->within   ? ""
            : e->reason ? ", because:"
                        : ", not explained yet");
  if (x->there && !x->within && e->reason)
    put_wrapped(to, "      ", e->reason);
}

void results_print(const results *r, FILE *to) {
  for (size_t k = 0; k < r->n; k++) {
    const result_figure *f = &r->figures[k];
    fprintf(to, "\n%s: %s%s%s%s\n\n", f->of->name, f->of->title, f->of->source ? " (" : "",
            f->of->source ? f->of->source : "", f->of->source ? ")" : "");
    for (size_t m = 0; m < f->n_tables; m++)
      put_table(to, &f->tables[m]);
    for (size_t m = 0; m < f->n_expects; m++)
      put_expect(to, &f->expects[m]);
  }
}

// ---- CSV: a line a cell

static void put_field(FILE *to, const char *text) {
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, to);
    return;
  }
  fputc('"', to);
  for (; *text; text++)
    fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, to);
  fputc('"', to);
}

static void put_cell(FILE *to, const results *r, const result_figure *f, const result_table *t,
                     size_t row, size_t column) {
  const result_cell *x = &t->cells[row * t->n_columns + column];
  const result_column *c = &t->columns[column];
  const char *const texts[] = {
      r->of->name, f->of->name,      t->set->name, t->set->entries[row].name,
      c->of->name, c->variant->name, c->of->unit};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    put_field(to, texts[k]);
    fputc(',', to);
  }
  if (x->there)
    fprintf(to, "%.17g", x->value);
  fputc(',', to);
  if (x->run && x->run->id)
    fprintf(to, "%lld", (long long)x->run->id);
  fputc('\n', to);
}

void results_csv(const results *r, FILE *to) {
  fputs("study,figure,set,program,column,variant,unit,value,run\n", to);
  for (size_t k = 0; k < r->n; k++)
    for (size_t m = 0; m < r->figures[k].n_tables; m++) {
      const result_table *t = &r->figures[k].tables[m];
      for (size_t row = 0; row < t->set->n; row++)
        for (size_t c = 0; c < t->n_columns; c++)
          put_cell(to, r, &r->figures[k], t, row, c);
    }
}

// ---- JSON

static void json_column(json_writer *j, const result_table *t, size_t column) {
  const result_column *c = &t->columns[column];
  jw_object(j, NULL);
  jw_text(j, "column", c->of->name);
  jw_text(j, "variant", c->variant->name);
  jw_text(j, "unit", c->of->unit);
  jw_list(j, "values");
  for (size_t row = 0; row < t->set->n; row++) {
    const result_cell *x = &t->cells[row * t->n_columns + column];
    if (x->there)
      jw_number(j, NULL, "%.17g", x->value);
    else
      jw_null(j, NULL);
  }
  jw_end(j);
  jw_list(j, "runs");
  for (size_t row = 0; row < t->set->n; row++) {
    const plan_run *run = t->cells[row * t->n_columns + column].run;
    if (run && run->id)
      jw_count(j, NULL, (uint64_t)run->id);
    else
      jw_null(j, NULL);
  }
  jw_end(j);
  if (c->of->mean != MEAN_NONE) {
    jw_text(j, "mean_kind", results_mean_name(c->of->mean));
    if (c->has_mean)
      jw_number(j, "mean", "%.17g", c->mean), jw_number(j, "arithmetic", "%.17g", c->arithmetic);
    else
      jw_null(j, "mean");
  }
  jw_end(j);
}

static void json_expect(json_writer *j, const result_expect *x) {
  jw_object(j, NULL);
  jw_text(j, "set", x->set->name);
  jw_text(j, "column", x->column->of->name);
  jw_text(j, "variant", x->column->variant->name);
  jw_text(j, "row", x->of->row ? x->of->row : x->of->arithmetic ? "arithmetic" : "mean");
  jw_text(j, "source", x->of->source);
  jw_number(j, "expected", "%.17g", x->of->value);
  if (x->there)
    jw_number(j, "measured", "%.17g", x->measured);
  else
    jw_null(j, "measured");
  jw_number(j, "tolerance_percent", "%.17g", x->of->tolerance);
  jw_truth(j, "within", x->within);
  jw_text(j, "reason", x->of->reason);
  jw_end(j);
}

static void json_figure(json_writer *j, const result_figure *f) {
  jw_object(j, NULL);
  jw_text(j, "figure", f->of->name);
  jw_text(j, "title", f->of->title);
  jw_text(j, "source", f->of->source);
  jw_list(j, "tables");
  for (size_t m = 0; m < f->n_tables; m++) {
    const result_table *t = &f->tables[m];
    jw_object(j, NULL);
    jw_text(j, "set", t->set->name);
    jw_list(j, "programs");
    for (size_t row = 0; row < t->set->n; row++)
      jw_text(j, NULL, t->set->entries[row].name);
    jw_end(j);
    jw_list(j, "columns");
    for (size_t c = 0; c < t->n_columns; c++)
      json_column(j, t, c);
    jw_end(j);
    jw_end(j);
  }
  jw_end(j);
  jw_list(j, "expectations");
  for (size_t m = 0; m < f->n_expects; m++)
    json_expect(j, &f->expects[m]);
  jw_end(j);
  jw_end(j);
}

void results_json(const results *r, FILE *to) {
  json_writer j = jw_to(to);
  jw_object(&j, NULL);
  jw_count(&j, "schema", 1);
  jw_text(&j, "study", r->of->name);
  jw_text(&j, "title", r->of->title);
  jw_count(&j, "runs", r->runs);
  jw_count(&j, "failed", r->failed);
  jw_count(&j, "missing", r->missing);
  jw_list(&j, "figures");
  for (size_t k = 0; k < r->n; k++)
    json_figure(&j, &r->figures[k]);
  jw_end(&j);
  jw_end(&j);
  fputc('\n', to);
}
