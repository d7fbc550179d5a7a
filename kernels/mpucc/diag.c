// SPDX-License-Identifier: Apache-2.0
#include "diag.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 20, MESSAGE_BYTES = 640, LINE_BYTES = 160 };

typedef struct message {
  uint32_t line, col;
  char text[MESSAGE_BYTES];
} message;

struct diag {
  const char *filename, *text;
  size_t bytes;
  unsigned count;
  message kept[KEEP];
};

diag *diag_new(const char *filename, const char *text, size_t bytes) {
  diag *d = calloc(1, sizeof *d);
  if (!d)
    abort();
  d->filename = filename;
  d->text = text;
  d->bytes = bytes;
  return d;
}

void diag_free(diag *d) {
  free(d);
}

bool diag_error(diag *d, uint32_t line, uint32_t col, const char *format, ...) {
  if (d->count < KEEP) {
    message *m = &d->kept[d->count];
    va_list args;
    va_start(args, format);
    vsnprintf(m->text, sizeof m->text, format, args);
    va_end(args);
    for (char *c = m->text; *c; c++)  // a name from a damaged file must not reach the terminal
      if ((unsigned char)*c < ' ' || *c == 127)
        *c = '?';
    m->line = line;
    m->col = col;
  }
  d->count++;
  return false;
}

unsigned diag_errors(const diag *d) {
  return d->count;
}
const char *diag_first(const diag *d) {
  return d->count ? d->kept[0].text : "";
}

// The line, or of a long one what stands around the column, and the caret.
static void show_line(const diag *d, const message *m, FILE *f) {
  const char *at = d->text, *end = d->text + d->bytes;
  for (uint32_t line = 1; line < m->line && at < end; at++)
    if (*at == '\n')
      line++;
  size_t length = 0, first = 0, col = m->col ? m->col - 1 : 0;
  while (at + length < end && at[length] != '\n' && at[length] != '\r')
    length++;
  if (col > length)
    col = length;
  if (length > LINE_BYTES) {
    first = col > LINE_BYTES / 2 ? col - LINE_BYTES / 2 : 0;
    if (first > length - LINE_BYTES)
      first = length - LINE_BYTES;
    length = first + LINE_BYTES;
  }
  fputs("  ", f);
  for (size_t n = first; n < length; n++) {
    unsigned char c = (unsigned char)at[n];
    fputc(c == '\t' ? ' ' : c < ' ' || c >= 127 ? '?' : c, f);
  }
  fprintf(f, "\n  %*s^\n", (int)(col - first), "");
}

void diag_print(const diag *d, FILE *f) {
  for (unsigned n = 0; n < d->count && n < KEEP; n++) {
    const message *m = &d->kept[n];
    if (m->line == 0) {
      fprintf(f, "%s: error: %s\n", d->filename, m->text);
      continue;
    }
    fprintf(f, "%s:%u:%u: error: %s\n", d->filename, m->line, m->col, m->text);
    show_line(d, m, f);
  }
  if (d->count > KEEP)
    fprintf(f, "%s: %u more errors\n", d->filename, d->count - KEEP);
}
