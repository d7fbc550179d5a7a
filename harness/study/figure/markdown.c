// SPDX-License-Identifier: Apache-2.0
// Results as Markdown: docs/results.md is made of this.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure.h"

enum { LINE = 120, WHAT = 256 };

static void put_wrapped(FILE *to, const char *text) {
  size_t at = 0;
  for (const char *p = text + strspn(text, " \n"); *p;) {
    const size_t n = strcspn(p, " \n");
    if (at && at + n + 1 > LINE)
      at = (size_t)fprintf(to, "\n") - 1;
    at += (size_t)fprintf(to, "%s%.*s", at ? " " : "", (int)n, p);
    p += n + strspn(p + n, " \n");
  }
  fputs("\n", to);
}

// What a cell of a table cannot have.
static void put_cell(FILE *to, const char *text) {
  for (; *text; text++)
    fputs(*text == '|' ? "\\|" : *text == '\n' ? " " : (const char[]){*text, 0}, to);
}

static void put_number(FILE *to, const result_column *c, bool there, double value) {
  if (there)
    fprintf(to, " %.*f |", c->of->digits, value);
  else
    fputs(" - |", to);
}

static void put_table(FILE *to, const result_table *t) {
  fputs("\n| ", to);
  put_cell(to, t->set->title);
  fputs(" |", to);
  for (size_t c = 0; c < t->n_columns; c++) {
    fputc(' ', to);
    put_cell(to, t->columns[c].title);
    if (*t->columns[c].of->unit) {
      fputs(", ", to);
      put_cell(to, t->columns[c].of->unit);
    }
    fputs(" |", to);
  }
  fputs("\n| --- |", to);
  for (size_t c = 0; c < t->n_columns; c++)
    fputs(" ---: |", to);
  fputc('\n', to);
  for (size_t row = 0; row < t->set->n; row++) {
    fprintf(to, "| %s |", t->set->entries[row].name);
    for (size_t c = 0; c < t->n_columns; c++) {
      const result_cell *x = &t->cells[row * t->n_columns + c];
      put_number(to, &t->columns[c], x->there, x->value);
    }
    fputc('\n', to);
  }
  for (study_mean m = MEAN_GEOMETRIC; m <= MEAN_LARGEST; m++) {
    double value;
    if (!results_has_mean(t, m))
      continue;
    fprintf(to, "| **%s** |", results_mean_name(m));
    for (size_t c = 0; c < t->n_columns; c++)
      if (results_mean(&t->columns[c], m, &value))
        put_number(to, &t->columns[c], true, value);
      else
        fputs(" |", to);
    fputc('\n', to);
  }
}

static void put_expects(FILE *to, const result_figure *f) {
  if (!f->n_expects)
    return;
  fprintf(to, "\n| %s | programs | expected | here | off | because |\n",
          f->of->source ? f->of->source : "what");
  fputs("| --- | --- | ---: | ---: | ---: | --- |\n", to);
  for (size_t k = 0; k < f->n_expects; k++) {
    const result_expect *x = &f->expects[k];
    const int digits = x->column->of->digits;
    char what[WHAT];
    fprintf(to, "| %s | ", results_what(x, what, sizeof what));
    put_cell(to, x->set->title);
    fprintf(to, " | %.*f |", digits, x->of->value);
    put_number(to, x->column, x->there, x->measured);
    if (x->there)
      fprintf(to, " %+.0f %% | ", x->percent);
    else
      fputs(" - | ", to);
    put_cell(to, results_reason(x));
    fputs(" |\n", to);
  }
}

void results_markdown(const results *r, FILE *to) {
  char *command;
  if (asprintf(&command, "Written by `mpu study %s%s%s --markdown`.", r->of->name,
               r->only ? " --only " : "", r->only ? r->only : "") < 0)
    abort();
  fprintf(to, "# %s\n\n", r->of->title);
  put_wrapped(to, command);
  free(command);
  if (r->of->about) {
    fputc('\n', to);
    put_wrapped(to, r->of->about);
  }
  if (r->failed || r->missing)
    fprintf(to, "\nOf %zu runs %zu have failed and %zu have not been made.\n", r->runs, r->failed,
            r->missing);
  for (size_t k = 0; k < r->n; k++) {
    const result_figure *f = &r->figures[k];
    fprintf(to, "\n## %s%s%s%s\n", f->of->title, f->of->source ? " (" : "",
            f->of->source ? f->of->source : "", f->of->source ? ")" : "");
    if (f->of->about) {
      fputc('\n', to);
      put_wrapped(to, f->of->about);
    }
    put_expects(to, f);
    for (size_t m = 0; m < f->n_tables; m++)
      put_table(to, &f->tables[m]);
  }
}
