// SPDX-License-Identifier: Apache-2.0
// What the parts of a comparison share.
#ifndef NEARBANK_DIFF_PRIV_H
#define NEARBANK_DIFF_PRIV_H

#include "diff.h"

bool diff_fail(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *diff_must(void *p);  // aborts when memory is short

// Parts of the comparison, each from d->run; false: `why`.
void diff_keys_of(diff *d);
bool diff_parts_of(diff *d, char *why);
void diff_counters_of(diff *d);
void diff_arrays_of(diff *d);
void diff_joules_of(diff *d);
bool diff_lines_of(diff *d, char *why);
void diff_lines_free(diff_lines *l);

enum { DIFF_NUMBER = 40 };
// Cycles of a run, without a fraction when it has none. Returns `to`.
const char *diff_cycles(const diff_run *r, char to[DIFF_NUMBER]);
// Of the program: "none" when there are none, NULL when they are unknown.
const char *diff_arguments(const diff_run *r);
// "small --set dram.tRCD=20": the preset that is nearest. Returns `to`.
enum { DIFF_MACHINE = 256 };
const char *diff_machine(const diff_run *r, char to[DIFF_MACHINE]);
// Rows in tenths of cycles: each is the rounded sum up to it, less what was shown above. So what is
// shown adds up, and so do the differences of its two columns.
typedef struct diff_column {
  int64_t per_cycle, sum[2], shown[2];
} diff_column;
void diff_round(diff_column *c, const int64_t cycles[2], int64_t tenths[2]);
// "+12.3"; with `sign` a plus too. Returns `to`.
const char *diff_tenths(int64_t tenths, bool sign, char to[DIFF_NUMBER]);
// The cause of which a line has the largest difference.
diff_cause diff_mostly(const diff_line *l);

// 1 / this is the unit of counts of `a` and of `b` parts; 0: it is too small.
int64_t diff_unit(uint64_t a, uint64_t b);
// A count of one of `parts`, in that unit. False: too large.
bool diff_scaled(uint64_t count, uint64_t parts, int64_t unit, int64_t *to);

// Which lines of two versions of a file belong together: for each of `a` the number of its partner
// in `b`, or SIZE_MAX. Both are in the order of their lines, and have those with instructions only.
// `text` is NULL where it is unknown.
typedef struct diff_place {
  uint32_t line;
  const char *text;
} diff_place;
void diff_match(const diff_place *a, size_t na, const diff_place *b, size_t nb, size_t *partner);

// What is known of a counter by its name; NULL: nothing. `machine`: NULL is MPU.
typedef struct diff_name {
  const char *name, *unit, *doc;
} diff_name;
bool diff_name_of(const char *name, const machine_ops *machine, diff_name *to);

#endif
