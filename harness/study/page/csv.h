// SPDX-License-Identifier: Apache-2.0
// Tables of text with commas between, whose first line names the columns. A cell may stand in
// quotes, with two quotes for one; it has no line ends.
#ifndef NEARBANK_CSV_H
#define NEARBANK_CSV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct csv {
  char *text;
  const char **cells;  // those of the first line, then row by row
  size_t columns, rows;
} csv;

// False: `why` says what is wrong, and where. csv_free in any case.
bool csv_read(const char *file, csv *to, char *why, size_t bytes);
void csv_free(csv *c);
// The number of a column, (size_t)-1: there is none of this name.
size_t csv_column(const csv *c, const char *name);
const char *csv_text(const csv *c, size_t row, size_t column);
double csv_number(const csv *c, size_t row, size_t column);  // NaN: it is not one

#endif
