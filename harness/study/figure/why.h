// SPDX-License-Identifier: Apache-2.0
// What a cell was computed from: its runs, their command lines, and why one has to be run again.
#ifndef NEARBANK_WHY_H
#define NEARBANK_WHY_H

#include <stdbool.h>
#include <stdio.h>
#include "figure.h"

// `what`: the number of a row of the store, or FIGURE[/SET]/PROGRAM[/VARIANT] of the study. s, p
// and r may be NULL for a number. False: `why` (RESULT_WHY bytes).
bool why_print(const study *s, const plan *p, const results *r, store *st, const char *what,
               FILE *to, char *why);

#endif
