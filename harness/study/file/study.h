// SPDX-License-Identifier: Apache-2.0
// Study files: programs x machines as data, and what is to be made of their counters. docs/study.md
// describes the format. Everything lives until study_free.
#ifndef NEARBANK_STUDY_H
#define NEARBANK_STUDY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/study/expr/expr.h"
#include "harness/study/tree/tree.h"

enum { STUDY_WHY = 2048, STUDY_RUNS = 100000 };

// A text of the file, for messages about it.
typedef struct study_at {
  const char *file;
  uint32_t line, column;
} study_at;

// A line about it: FILE:LINE:COLUMN: and the rest, as vprintf has it. False.
bool study_why(char *why, size_t bytes, study_at at, const char *format, va_list args);

// What a run is made of. Said for all runs, a figure, a set, an entry, a variant: the later one
// wins; options and values of keys are added to those before.
typedef struct study_what {
  const char *config, *near, *arguments, *options, *blocks, *place;  // NULL: not said here
  size_t n;
  struct {
    const char *text;  // section.key=value
    study_at at;
  } * set;
} study_what;

// A number of a program that is known from elsewhere.
typedef struct study_known {
  const char *name;
  double number;
} study_known;

// A row of a table.
typedef struct study_entry {
  const char *name;     // as tables have it
  const char *tool;     // the command: run, dram, noc, machine, spacea; or file: with the values
  const char *program;  // or a matrix, or that file; NULL: the tool has none
  study_what what;
  size_t n_known;
  study_known *known;
  study_at at;
} study_entry;

typedef struct study_set {
  const char *name, *title;
  size_t n;
  study_entry *entries;
} study_set;

// A machine, or another way to run the programs. `x`: of a sweep, the value of its first key when
// it is a number (NAN otherwise), for charts.
typedef struct study_variant {
  const char *name;
  study_what what;
  double x;
} study_variant;

typedef enum study_mean {
  MEAN_NONE,
  MEAN_GEOMETRIC,  // the arithmetic one is shown too
  MEAN_ARITHMETIC,
  MEAN_SUM,
  MEAN_LARGEST
} study_mean;

// A column for each of the variants that it is of.
typedef struct study_column {
  const char *name, *unit, *text;  // text: of its value
  expr *value;
  study_at at;  // of its value
  study_mean mean;
  int digits;  // behind the point
  size_t n;
  const study_variant **of;
  bool single;  // of one variant: its name is not shown
} study_column;

// What somebody measured, beside what we do.
typedef struct study_expect {
  const char *set;              // NULL: every set
  const char *column, *of;      // of: a variant, NULL: the only one
  const char *row;              // NULL: the mean
  bool arithmetic;              // the arithmetic mean of a column that has the geometric one too
  double value, tolerance;      // tolerance: percent
  const char *source, *reason;  // reason: why ours differs; NULL: not said
  study_at at;
} study_expect;

typedef enum study_chart { CHART_NONE, CHART_BARS, CHART_STACK, CHART_LINES } study_chart;

typedef struct study_figure {
  const char *name, *title, *source, *about;  // NULL: not said
  const char *tool;                           // cc instead of run, map instead of spacea; NULL
  study_what what;
  size_t n_sets, n_variants, n_columns, n_expects;
  const study_set **sets;
  study_variant *variants;
  const study_variant *baseline;  // NULL: none
  study_column *columns;
  study_expect *expects;
  study_chart chart;
  const char *chart_of;  // a column, NULL: the first (a stack: all)
  bool chart_log;
} study_figure;

typedef struct study_value {
  const char *name;
  expr *value;
  study_at at;
} study_value;

typedef struct study {
  const char *name, *title, *about;
  study_what defaults;
  double seconds, megabytes;  // limits of a run; 0: not said
  size_t n_sets, n_figures, n_values;
  study_set *sets;
  study_figure *figures;
  study_value *values;
  // what it was made of
  const char *file;
  void *memory;
} study;

// By name (of those that are shipped) or file (a name with a slash, or that ends with .yaml or
// .yml). NULL: `why` is a line with place and way out.
study *study_read(const char *name_or_file, char *why, size_t bytes);
void study_free(study *s);  // also NULL
// Those that are shipped: calls `take` with each name and title, in the order of the alphabet.
// False after the line `why`.
bool study_list(void (*take)(void *ctx, const char *name, const char *title), void *ctx, char *why,
                size_t bytes);

// `over` after `under`. The keys are in memory of `s`.
study_what study_join(study *s, const study_what *under, const study_what *over);

// Has it runs whose near side is in Verilog?
bool study_has_verilog(const study *s);

const study_set *study_set_named(const study *s, const char *name);
const study_figure *study_figure_named(const study *s, const char *name);
const study_variant *study_variant_named(const study_figure *f, const char *name);
const study_value *study_value_named(const study *s, const char *name);

#endif
