// SPDX-License-Identifier: Apache-2.0
// mpu plot: draws a table as SVG, for commands that are scripts.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/study/plot/plot.h"
#include "tool.h"

enum { LINE = 4096, CURVES = 16, POINTS = 256 };

typedef struct table {
  char names[LINE];
  const char *name[CURVES];
  double at[CURVES][POINTS];
  size_t columns, rows;
} table;

// Cuts a line at its commas; the number of pieces, at most CURVES + 1.
static size_t cut(char *line, const char *pieces[CURVES + 1]) {
  size_t n = 0;
  line[strcspn(line, "\r\n")] = 0;
  for (char *p = line; p && n <= CURVES; n++) {
    pieces[n] = p;
    if ((p = strchr(p, ',')))
      *p++ = 0;
  }
  return n;
}

static int read_table(const char *file, table *t) {
  FILE *f = fopen(file, "r");
  char line[LINE];
  const char *pieces[CURVES + 1];
  if (!f)
    return user_error("cannot read '%s': %s", file, strerror(errno));
  int status = 0;
  if (!fgets(t->names, sizeof t->names, f) || (t->columns = cut(t->names, pieces)) < 2 ||
      t->columns > CURVES)
    status = user_error("%s: the first line must have 2 to %d names, with commas", file, CURVES);
  else
    memcpy(t->name, pieces, t->columns * sizeof *pieces);
  while (!status && fgets(line, sizeof line, f)) {
    if (t->rows == POINTS || cut(line, pieces) != t->columns) {
      status = user_error("%s:%zu: %zu numbers are expected, in at most %d lines", file,
                          t->rows + 2, t->columns, POINTS);
      break;
    }
    for (size_t c = 0; c < t->columns && !status; c++) {
      char *end;
      t->at[c][t->rows] = strtod(pieces[c], &end);
      if (end == pieces[c] || *end)
        status = user_error("%s:%zu: '%s' is not a number", file, t->rows + 2, pieces[c]);
    }
    t->rows++;
  }
  fclose(f);
  return status;
}

int command_plot(int argc, char **argv) {
  const char *title = "", *label = "", *files[2];
  size_t n_files = 0;
  args a = args_of(argc, argv);
  if (args_help(&a))
    return 0;
  for (args_item item; (item = args_next(&a)) != ARGS_END;)
    if (item == ARGS_WRONG)
      return EXIT_USAGE;
    else if (item == ARGS_OPERAND && n_files == 2)
      return user_error("one table and one drawing; see mpu plot --help");
    else if (item == ARGS_OPERAND)
      files[n_files++] = a.value;
    else
      *(args_is(&a, "--y") ? &label : &title) = a.value;
  if (n_files < 2)
    return user_error("which table, and where to? see mpu plot --help");
  table *t = calloc(1, sizeof *t);
  if (!t)
    return user_error("out of memory");
  int status = read_table(files[0], t);
  if (!status) {
    plot_series series[CURVES] = {0};
    for (size_t c = 1; c < t->columns; c++)
      series[c - 1] = (plot_series){t->name[c], t->at[0], t->at[c], t->rows, false};
    if (!plot_write(files[1], &(plot){title, t->name[0], label, 0, series, t->columns - 1}))
      status = EXIT_USAGE;
  }
  free(t);
  return status;
}
