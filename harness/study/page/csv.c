// SPDX-License-Identifier: Apache-2.0
#include "csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"

// Ends the cell at `at`, in place; the place behind it, where a comma or nothing was. NULL: a quote
// is missing.
static char *end_cell(char *at, bool *last) {
  char *to = at, *from = at;
  const bool quoted = *from == '"';
  if (quoted) {
    for (from++; *from && (*from != '"' || from[1] == '"'); *to++ = *from++)
      if (*from == '"')
        from++;
    if (*from++ != '"')
      return NULL;
  } else {
    for (; *from && *from != ','; from++)
      to++;
  }
  if (*from && *from != ',')
    return NULL;
  *last = !*from;
  *to = 0;
  return from + 1;
}

static bool take_line(csv *c, char *line, size_t *n, size_t *room) {
  for (bool last = false; !last; line = end_cell(line, &last)) {
    if (!line)
      return false;
    if (*n == *room) {
      *room = *room ? 2 * *room : 1024;
      c->cells = realloc(c->cells, *room * sizeof *c->cells);
      if (!c->cells)
        abort();
    }
    c->cells[(*n)++] = line;
  }
  return line != NULL;
}

bool csv_read(const char *file, csv *to, char *why, size_t bytes) {
  size_t length, n = 0, room = 0, line_number = 0;
  *to = (csv){NULL, NULL, 0, 0};
  char *text = file_contents(file, &length);
  if (!text) {
    snprintf(why, bytes, "cannot read '%s': %s", file, strerror(errno));
    return false;
  }
  to->text = realloc(text, length + 1);
  if (!to->text)
    abort();
  to->text[length] = 0;
  for (char *line = to->text, *next; line && line < to->text + length; line = next) {
    next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    line[strcspn(line, "\r")] = 0;
    line_number++;
    if (!*line)
      continue;
    const size_t before = n;
    if (!take_line(to, line, &n, &room)) {
      snprintf(why, bytes, "%s:%zu: a quote is missing, or is not at the end of its cell", file,
               line_number);
      return false;
    }
    if (!to->columns)
      to->columns = n;
    else if (n - before != to->columns) {
      snprintf(why, bytes, "%s:%zu: %zu cells are expected, as in the first line, not %zu", file,
               line_number, to->columns, n - before);
      return false;
    }
  }
  to->rows = to->columns ? n / to->columns - 1 : 0;
  if (!to->columns)
    snprintf(why, bytes, "'%s' is empty; the first line must name the columns", file);
  return to->columns > 0;
}

void csv_free(csv *c) {
  free(c->text);
  free(c->cells);
  *c = (csv){NULL, NULL, 0, 0};
}

size_t csv_column(const csv *c, const char *name) {
  for (size_t k = 0; k < c->columns; k++)
    if (strcmp(c->cells[k], name) == 0)
      return k;
  return (size_t)-1;
}

const char *csv_text(const csv *c, size_t row, size_t column) {
  return c->cells[(row + 1) * c->columns + column];
}

double csv_number(const csv *c, size_t row, size_t column) {
  if (column >= c->columns)
    return NAN;
  const char *text = csv_text(c, row, column);
  char *end;
  const double v = strtod(text, &end);
  return end == text || *end ? NAN : v;
}
