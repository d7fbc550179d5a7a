// SPDX-License-Identifier: Apache-2.0
// What a study has to run: the runs of all figures, each once, with their command lines and keys.
#ifndef NEARBANK_PLAN_H
#define NEARBANK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/study/file/study.h"
#include "harness/study/job/job.h"
#include "harness/study/store/store.h"

enum { PLAN_HASH = 20, PLAN_WHY = 4096 };

typedef struct plan_run {
  const study_entry *entry;  // the first that it is of
  store_run is;              // key, program, command and so on; not its result
  job_what job;
  double megabytes, seconds_before;  // an estimate: 0: none
  // set by those who run it
  store_state state;
  int64_t id;  // its row; 0: none
} plan_run;

typedef struct plan plan;

typedef struct plan_options {
  const char *near;           // in the place of what the file says; NULL
  unsigned threads;           // of a run; 0: 1
  const char *only;           // these figures and sets, with commas between them; NULL: all
  double seconds, megabytes;  // limits of a run; 0: those of the file
} plan_options;

// NULL: `why` is a line with place and way out. The study must live as long.
plan *plan_make(const study *s, const plan_options *o, char *why, size_t bytes);
void plan_free(plan *p);  // also NULL
size_t plan_count(const plan *p);
plan_run *plan_at(const plan *p, size_t n);
// A set of a figure. False: left out by `only`.
bool plan_has(const plan *p, const study_figure *f, const study_set *s);
const char *plan_only(const plan *p);
// The run of a cell: a row of a set of the figure, and a variant of it. NULL: a row of `tool:
// file`.
plan_run *plan_cell(const plan *p, const study_figure *f, const study_entry *e,
                    const study_variant *v);
// The file of a row of `tool: file`.
const char *plan_file(const plan *p, const study_entry *e);

// ---- hash.c

// Of what is executed of this build, beside the program: machine, runtime and compiler, and the
// Verilog when `near` needs it. What does not execute (line tables) does not count.
bool hash_build(const char *tool, const char *near, char to[PLAN_HASH], char *why, size_t bytes);
// Of the text of a source, and of what it includes in quotes.
bool hash_source(const char *source, const char *options, char to[PLAN_HASH], char *why,
                 size_t bytes);

// Of the bytes of a file.
bool hash_data(const char *file, char to[PLAN_HASH], char *why, size_t bytes);

#endif
