// SPDX-License-Identifier: Apache-2.0
// A profile by CUDA line, PTX line or instruction: texts with counters beside their lines.
#ifndef NEARBANK_PROFILE_VIEW_H
#define NEARBANK_PROFILE_VIEW_H

#include "profile_data.h"

typedef enum profile_by { PROFILE_BY_LINE, PROFILE_BY_PTX, PROFILE_BY_INSTRUCTION } profile_by;

// What a report is about. Strings stay the caller's.
typedef struct profile_run {
  const profile *data;
  const char *program;  // its name
  const char *source;   // its CUDA file
  const char *ptx;      // its PTX, a file; "" when there is none
  const char *config, *near;
  uint32_t bus_flits;  // of the TSV bus in a cycle
  char **arguments;
  size_t n_arguments;
} profile_run;

typedef struct profile_text_file {
  char *path;
  char *name;  // as it is shown
  char *bytes, **lines;
  uint32_t n;  // 0: it cannot be read
} profile_text_file;

typedef struct profile_row {
  uint32_t file, line;  // file: of the view; line: from 1 on, or 0: unknown
  profile_counts counts;
} profile_row;

typedef struct profile_view {
  const profile_kernel *k;
  profile_by by;
  profile_text_file *files;  // the program's own one first
  uint32_t n_files;
  profile_row *rows;  // in order of file and line
  uint32_t n;
  uint32_t *row_of;    // each instruction's
  profile_counts all;  // of all rows
} profile_view;

profile_view *profile_view_new(const profile_run *r, const profile_kernel *k, profile_by by);
void profile_view_free(profile_view *v);
// The text of a line without what it begins with, "" when there is none.
const char *profile_view_text(const profile_view *v, uint32_t file, uint32_t line);
// "axpy.cu:10", "ptx:58", "0xe0".
void profile_view_where(const profile_view *v, const profile_row *r, char *to, size_t bytes);
// Rows with the most of something, all of which have some: their numbers; how many.
typedef uint64_t profile_measure(const profile_counts *c);
uint32_t profile_view_top(const profile_view *v, profile_measure *m, uint32_t n, uint32_t *rows);
// Lines that are shown of a file: from *from on, which is moved behind them; false: no more.
bool profile_view_piece(const profile_view *v, uint32_t file, uint32_t *from, uint32_t *to);

// ---- of counters

uint64_t profile_cycles(const profile_counts *c, profile_cause cause);  // of all subcores
uint64_t profile_all_cycles(const profile_counts *c);                   // with a warp there
uint64_t profile_held(const profile_counts *c);
uint64_t profile_flits(const profile_counts *c);  // in all cores
uint64_t profile_conflicts(const profile_counts *c);
uint64_t profile_accesses(const profile_counts *c);  // of the banks
uint64_t profile_hits(const profile_counts *c);
uint64_t profile_misses(const profile_counts *c);
// What most cycles without an issue are for; PROFILE_ISSUE: there are none to speak of among `all`.
profile_cause profile_stall(const profile_counts *c, uint64_t all);
double profile_percent(uint64_t n, uint64_t of);

extern const char *const profile_cause_names[PROFILE_CAUSES];
extern const char *const profile_packet_names[PROFILE_PACKETS];
extern const char *const profile_other_names[PROFILE_OTHERS];  // as JSON has them
extern const char *const profile_other_texts[PROFILE_OTHERS];  // what they are

// ---- reports

void profile_text(FILE *f, const profile_run *r, profile_by by, uint32_t top);
void profile_html(FILE *f, const profile_run *r, uint32_t top);
void profile_json(FILE *f, const profile_run *r);

#endif
