// SPDX-License-Identifier: Apache-2.0
// What a study found: tables of its figures, beside what is expected. Everything lives until
// results_free; study, plan and store must live as long.
#ifndef NEARBANK_FIGURE_H
#define NEARBANK_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "harness/base/pieces.h"
#include "harness/study/file/study.h"
#include "harness/study/plan/plan.h"
#include "harness/study/store/store.h"

enum { RESULT_WHY = 4096 };

typedef struct result_cell {
  double value;
  bool there;           // otherwise a run is missing or has failed, or a counter is not there
  const plan_run *run;  // of its row and variant; NULL: a file
} result_cell;

typedef struct result_column {
  const study_column *of;
  const study_variant *variant;
  const char *title;  // "speedup near"
  double mean;        // as of->mean says, over the rows that are there
  double arithmetic;  // mean of these
  size_t missing;     // rows that are not
  bool has_mean;
} result_column;

typedef struct result_table {
  const study_set *set;
  size_t n_columns;
  result_column *columns;
  result_cell *cells;  // [row * n_columns + column], rows as set->entries
} result_table;

typedef struct result_expect {
  const study_expect *of;
  const study_set *set;
  const result_column *column;
  double measured, percent;  // percent: off what is expected
  bool there, within;
} result_expect;

typedef struct result_figure {
  const study_figure *of;
  size_t n_tables, n_expects;
  result_table *tables;
  result_expect *expects;
} result_figure;

typedef struct result_warning {
  struct result_warning *next;
  uint32_t line, column;
  const char *name, *text;
} result_warning;

typedef struct results {
  const study *of;
  const char *only;  // figures and sets that were asked for, NULL: all
  size_t n;
  result_figure *figures;
  size_t runs, failed, missing;
  result_warning *warnings;  // names that a run has not counted
  pieces memory;
} results;

// A value that no run has counted itself: gpu.ns of a row. False: there is none.
typedef bool (*results_more)(void *ctx, const plan_run *run, const char *name, double *to);

// NULL: `why` says what is wrong: a name that no run has, with its place.
results *results_of(const study *s, const plan *p, store *st, results_more more, void *ctx,
                    char *why, size_t bytes);
void results_free(results *r);  // also NULL

// ---- as text, CSV, JSON

void results_print(const results *r, FILE *to);
void results_csv(const results *r, FILE *to);  // a line a cell
void results_json(const results *r, FILE *to);
void results_markdown(const results *r, FILE *to);
// The mean's name: "geometric mean".
const char *results_mean_name(study_mean m);
// The mean of this kind of a column: one with a geometric mean has an arithmetic one too. False: it
// has none.
bool results_mean(const result_column *c, study_mean m, double *to);
bool results_has_mean(const result_table *t, study_mean m);  // any of its columns
// What an expectation is of: "time near of axpy", "time near, geometric mean". Returns `to`.
const char *results_what(const result_expect *x, char *to, size_t bytes);
// Why it is not met; empty when it is, or nothing was measured.
const char *results_reason(const result_expect *x);

#endif
