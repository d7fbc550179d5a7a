// SPDX-License-Identifier: Apache-2.0
// Expressions over counters, as study files have them:
//   cycles[base] / cycles            a counter of the run named in brackets; without, of the run
//   itself core.nbus.flits_down + core.nbus.flits_up 100 * (1 - hits / max(1, accesses))
// + - * / ( ), numbers, names with dots, min, max, sqrt, log2.
#ifndef NEARBANK_EXPR_H
#define NEARBANK_EXPR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct expr expr;

// NULL: `why` says what is wrong, *at is where in the text it is (from 0).
expr *expr_parse(const char *text, size_t *at, char *why, size_t bytes);
void expr_free(expr *e);  // also NULL
// Does it name a run (`[run]`)? run NULL: any.
bool expr_names(const expr *e, const char *run);
// Calls `take` for each name, with its run or NULL.
void expr_each(const expr *e, void (*take)(void *ctx, const char *name, const char *run),
               void *ctx);

// The value of a name; `run` NULL: of the run itself. False: it has none, and so has the
// expression.
typedef bool (*expr_lookup)(void *ctx, const char *name, const char *run, double *to);
// False: a name has no value, or the result is not a finite number (a division by 0).
bool expr_value(const expr *e, expr_lookup lookup, void *ctx, double *to);

#endif
