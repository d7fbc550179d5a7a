// SPDX-License-Identifier: Apache-2.0
// Messages about a source text: `file:line:col: error: message`, the line, and a caret under it.
#ifndef NEARBANK_DIAG_H
#define NEARBANK_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct diag diag;

// `text` must live as long as the diag. Keeps the first 20 errors and counts the rest.
diag *diag_new(const char *filename, const char *text, size_t bytes);
void diag_free(diag *d);

// line and col count from 1; line 0: about the file as a whole. Always returns false.
bool diag_error(diag *d, uint32_t line, uint32_t col, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
unsigned diag_errors(const diag *d);
// The first message without its place, "" if none.
const char *diag_first(const diag *d);
void diag_print(const diag *d, FILE *f);

#endif
