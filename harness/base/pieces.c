// SPDX-License-Identifier: Apache-2.0
#include "pieces.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct piece {
  struct piece *before;
  _Alignas(max_align_t) char bytes[];
};

void *pieces_more(pieces *p, size_t bytes) {
  struct piece *more = calloc(1, sizeof *more + bytes);
  if (!more)
    abort();
  more->before = p->last;
  p->last = more;
  return more->bytes;
}

char *pieces_text(pieces *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = pieces_more(p, (size_t)n + 1);
  va_start(args, format);
  vsnprintf(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

void pieces_free(pieces *p) {
  while (p->last) {
    struct piece *last = p->last;
    p->last = last->before;
    free(last);
  }
}
