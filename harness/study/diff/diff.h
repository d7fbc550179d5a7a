// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what they are, how their configurations differ, where their cycles went,
// what they counted, also by array of device memory, their energy, and cycles by source line.
// docs/diff.md says what each part
// means.
//
// Sums are exact. Cycles are counted by subcore, and a run is the mean of its subcores: with C
// subcores a value is a whole number of 1/C cycles. What is compared is in the unit of both, 1 /
// `per_cycle` cycles.
#ifndef NEARBANK_DIFF_H
#define NEARBANK_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "harness/base/schedule/machine.h"
#include "harness/study/energy/energy.h"
#include "harness/study/tree/tree.h"

enum { DIFF_SCHEMA = 1, DIFF_WHY = 1024, DIFF_NOTES = 16 };

// ---- a run (run.c)

// What cycles of a subcore are for, in the order in which they are shown. `memory` is there only
// where its parts are not.
typedef enum diff_cause {
#define DIFF_CAUSE(NAME, counter, name, doc) DIFF_##NAME,
#include "causes.def"
  DIFF_CAUSES
} diff_cause;
extern const char *const diff_cause_names[DIFF_CAUSES], *const diff_cause_docs[DIFF_CAUSES];

// What is counted of an array of device memory: the first four in sectors of 32 bytes.
enum {
  DIFF_READ,
  DIFF_WRITTEN,
  DIFF_REMOTE_READ,
  DIFF_REMOTE_WRITTEN,
  DIFF_ATOMICS,
  DIFF_ROW_HITS,
  DIFF_ROW_MISSES,
  DIFF_ROW_CONFLICTS,
  DIFF_COUNTS
};
extern const char *const diff_count_names[DIFF_COUNTS];

typedef struct diff_array {
  const char *name, *place;   // place NULL: it has none
  const char *kind;           // "memory", "variable", "local", "others": one of these pointers
  double allocations, bytes;  // NaN: it has none
  double count[DIFF_COUNTS];  // NaN: unknown; when remote ones are, `read` and `written` are all
  uint64_t card;              // that it was found on last
} diff_array;

typedef struct diff_run {
  const char *name;  // as it is shown and in messages; the caller's
  // The caller may set the next ones, of which statistics do not have all: a path, what a shell
  // has, --config and --set. NULL: unknown.
  const char *program, *arguments, *config;
  tree_file *statistics, *profile;  // NULL: none
  // the rest is there after diff_run_complete; NULL: unknown
  const tree *top;  // of the statistics, otherwise of the profile
  const char *near, *result, *end, *digest, *hash;
  const machine_ops *machine;  // NULL: MPU, or unknown
  const char *machine_name;    // of nodes; NULL: MPU
  bool timed;                  // it has cycles
  uint64_t cores, cards;
  uint64_t parts;  // its subcores; 1 of a machine of nodes
  // Of all parts: parts * cycles when there is one card.
  uint64_t cycles, drain;
  bool causes;  // the next two are known
  bool split;   // memory is in parts
  uint64_t cause[DIFF_CAUSES];
  double instructions;                     // NaN: unknown
  uint64_t profile_cores, profile_cycles;  // of the profile; the cycles of all parts
  const tree **core;                       // statistics of each core
  values counters;                         // what it counted, by name: core.nbus.banks.rd
  bool has_arrays;                         // it was asked to count by array
  diff_array *arrays;                      // summed over cards
  size_t n_arrays;
  bool has_constants;  // it has a configuration
  config constants;
  bool has_stats, has_energy;
  char no_energy[DIFF_WHY];  // why not
  stats_file stats;          // that the report points into
  energy_report energy;
  const machine_ops *const *machines;
  char *made;  // a text of its own
} diff_run;

// `machines`: those known beside MPU, up to a NULL; NULL: none.
diff_run *diff_run_new(const char *name, const machine_ops *const *machines);
// Takes a text: statistics of mpu run or mpu machine, or a profile of mpu profile. `file` names it
// in messages. False: `why` says what is wrong with it.
bool diff_run_add(diff_run *r, const char *file, const char *text, size_t length, char *why);
// After the last text.
bool diff_run_complete(diff_run *r, char *why);
void diff_run_free(diff_run *r);  // also NULL

// ---- the configuration (keys.c)

typedef struct diff_key {
  char name[96];         // dram.tRCD
  const char *value[2];  // NULL: this run does not have the key
  const char *unit, *doc;
} diff_key;

typedef struct diff_keys {
  bool known;     // both runs have a configuration
  diff_key *all;  // that differ
  size_t n;
} diff_keys;

// ---- cycles by cause (causes.c)

typedef struct diff_part {
  const char *name, *doc;
  int64_t cycles[2];  // in units of 1 / per_cycle
} diff_part;

typedef struct diff_parts {
  bool known;
  int64_t per_cycle;
  diff_part all[DIFF_CAUSES + 2];  // with drain, and what the file does not explain
  size_t n;
  int64_t cycles[2];  // the sum of all of them
} diff_parts;

// ---- counters (counters.c)

typedef struct diff_counter {
  char *name;
  const char *unit, *doc;
  double value[2];
  bool costs;       // the next two are known
  double effect;    // cycles that the busiest part takes longer
  const char *how;  // "max(tCCD, burst) each, of the busiest bank"
  bool again;       // another counter has the same: shown only with all
  double weight;    // of those that have no effect: what they are sorted by
} diff_counter;

typedef struct diff_counters {
  diff_counter *all;  // that differ in value or in effect, as they are shown
  size_t n;
  size_t differ, same;  // in value
  size_t only[2];       // that only one run has
} diff_counters;

// ---- arrays of device memory (arrays.c)

typedef struct diff_pair {
  const diff_array *of[2];  // NULL: this run does not have it
  bool costs;               // the next two are known
  double effect;            // cycles that it keeps a resource busy longer, spread over its parts
  const char *how;          // which resource: "banks", "remote requests"
  size_t order;             // in the files
} diff_pair;

typedef struct diff_arrays {
  bool known, has[2];
  bool whole[2];   // this run does not know which sectors are remote
  diff_pair *all;  // that differ in what was counted or in effect, and those of one run only
  size_t n;
  size_t differ, same, only[2];
} diff_arrays;

// Of one that a run does not have, NULL, they are 0, and hits NaN.
double diff_local(const diff_array *a);    // sectors
double diff_remote(const diff_array *a);   // NaN: unknown
double diff_sectors(const diff_array *a);  // both
double diff_hits(const diff_array *a);     // percent of them that hit an open row; NaN: unknown

// ---- energy (joules.c)

typedef struct diff_joule {
  const char *group, *name;  // name NULL: the group, or the whole
  double joules[2];
} diff_joule;

typedef struct diff_joules {
  bool known;
  diff_joule *all;  // each group, then its components
  size_t n;
  double idle[2], total[2], edp[2];  // total without what idles, edp with it, in Js
} diff_joules;

// ---- cycles by source line (lines.c)

typedef struct diff_line {
  char *where;             // "axpy.cu:9", "axpy.cu:9 -> axpy.cu:12", "drain"
  const char *text, *how;  // of the line, NULL: unknown; "moved", "changed", "only in A"; ""
  const char *file[2];     // NULL: no line of a file
  uint32_t line[2];
  int64_t cycles[2], cause[DIFF_CAUSES][2];
} diff_line;

typedef struct diff_kernel {
  const char *name[2];  // NULL: this run does not have it
  uint64_t launches[2];
  int64_t cycles[2];  // the sum of its lines
  diff_line *lines;   // with the most of a difference first
  size_t n;
} diff_kernel;

typedef struct diff_lines {
  bool known;
  int64_t per_cycle;
  diff_kernel *all;
  size_t n;
} diff_lines;

// ---- all of it (diff.c)

typedef struct diff {
  const diff_run *run[2];  // the caller's
  diff_keys keys;
  diff_parts parts;
  diff_counters counters;
  diff_arrays arrays;
  diff_joules joules;
  diff_lines lines;
  bool same;  // cycles and counters, and what came out
  char *verdict, *notes[DIFF_NOTES];
  size_t n_notes;
} diff;

// NULL: `why`; numbers too large to be compared exactly.
diff *diff_new(const diff_run *a, const diff_run *b, char *why);
void diff_free(diff *d);  // also NULL

void diff_text(const diff *d, size_t top,
               FILE *to);  // top: rows of counters, of arrays, lines of a kernel
void diff_json(const diff *d, FILE *to);
// A page ("-": to standard output). False: errno says why.
bool diff_html(const diff *d, const char *file);

#endif
