// SPDX-License-Identifier: Apache-2.0
#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/user_error.h"

int points_read(const char *file, points *p) {
  size_t bytes, line = 0, n = 0;
  char *text = read_file(file, &bytes);
  if (!text)
    return EXIT_USAGE;
  char *longer = realloc(text, bytes + 1);
  if (!longer) {
    free(text);
    return user_error("out of memory"), EXIT_FAILED;
  }
  *p = (points){.text = longer};
  p->text[bytes] = 0;
  p->x = calloc(bytes + 1, sizeof *p->x);
  p->y = calloc(bytes + 1, sizeof *p->y);
  if (!p->x || !p->y)
    return user_error("out of memory"), EXIT_FAILED;
  for (char *at = p->text, *next; at && at < p->text + bytes; at = next) {
    char *end = memchr(at, '\n', (size_t)(p->text + bytes - at)), *name;
    next = end ? end + 1 : NULL;
    if (end)
      *end = 0;
    line++;
    at[strcspn(at, "#\r")] = 0;
    at += strspn(at, " \t");
    if (!*at)
      continue;
    p->x[n] = strtod(at, &end);
    const bool first = end != at;
    p->y[n] = strtod(end, &name);
    const bool both = first && name != end && isfinite(p->x[n]) && isfinite(p->y[n]);
    name += strspn(name, " \t");
    if (!both || !*name)
      return user_error("%s:%zu: a line has X, Y and a name", file, line);
    plot_series *s = p->count ? &p->series[p->count - 1] : NULL;
    if (!s || strcmp(s->name, name) != 0) {
      if (p->count == POINTS_SERIES)
        return user_error("%s:%zu: more than %d names", file, line, POINTS_SERIES);
      s = &p->series[p->count++];
      *s = (plot_series){name, p->x + n, p->y + n, 0, true};
    }
    s->count++;
    n++;
  }
  return EXIT_OK;
}

void points_free(points *p) {
  free(p->text);
  free(p->x);
  free(p->y);
}
