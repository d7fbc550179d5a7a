// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>
#include "harness/base/user_error.h"
#include "mtx.h"

enum { LINE = 4096, PART = 64 };
typedef enum { GENERAL, SYMMETRIC, SKEW } symmetry;

typedef struct reader {
  const char *name;
  gzFile file;
  unsigned long line;
  char text[LINE];
  const char *at;  // in text
  bool array, pattern;
  symmetry symmetry;
  uint64_t rows, cols, entries;  // of the size line
  csr_entry *all;
  uint64_t n, room;
} reader;

__attribute__((format(printf, 2, 3))) static bool wrong(const reader *r, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  user_error("%s:%lu: %s", r->name, r->line, text);
  return false;
}

// ---- lines and words

// False at the end, or after a message (`*bad`).
static bool next_line(reader *r, bool *bad) {
  const bool read = gzgets(r->file, r->text, LINE) != NULL;
  int status;
  const char *why = gzerror(r->file, &status);
  if (status != Z_OK && status != Z_STREAM_END) {
    *bad = true;
    r->line++;
    return wrong(r, "%s",
                 status == Z_ERRNO       ? strerror(errno)
                 : status == Z_BUF_ERROR ? "the packed file is incomplete"
                                         : why);
  }
  if (!read)
    return false;
  r->line++;
  const size_t n = strlen(r->text);
  if (n == LINE - 1 && r->text[n - 1] != '\n') {
    *bad = true;
    return wrong(r, "the line is longer than %d characters", LINE - 2);
  }
  r->at = r->text;
  return true;
}

static const char *blanks(const char *s) {
  while (isspace((unsigned char)*s))
    s++;
  return s;
}

// The next line that is neither empty nor a comment; what must follow is named in the message.
static bool data_line(reader *r, const char *what) {
  bool bad = false;
  do
    if (!next_line(r, &bad)) {
      r->line += !bad;
      return !bad ? wrong(r, "the file ends; %s is missing", what) : false;
    }
  while (!*blanks(r->text) || r->text[0] == '%');
  return true;
}

static bool word(reader *r, char *to) {
  r->at = blanks(r->at);
  size_t n = 0;
  while (r->at[n] && !isspace((unsigned char)r->at[n]))
    n++;
  snprintf(to, PART, "%.*s", (int)(n < PART ? n : PART - 1), r->at);
  r->at += n;
  return n > 0;
}

static bool whole(reader *r, uint64_t *to, const char *what) {
  char text[PART], *stop;
  if (!word(r, text))
    return wrong(r, "%s is missing", what);
  errno = 0;
  *to = strtoull(text, &stop, 10);
  if (*stop || errno || !isdigit((unsigned char)text[text[0] == '+']))
    return wrong(r, "%s: '%s' is not a whole number from 0 on", what, text);
  return true;
}

static bool value(reader *r, double *to) {
  char text[PART], *stop;
  if (!word(r, text))
    return wrong(r, "the value is missing");
  *to = strtod(text, &stop);  // NaN and infinity too; too large is infinity, as IEEE says
  return *stop ? wrong(r, "'%s' is not a number", text) : true;
}

static bool line_ends(reader *r) {
  char text[PART];
  return word(r, text) ? wrong(r, "'%s' is too much", text) : true;
}

// ---- banner and size

// One of `words`, the index in `*which`.
static bool one_of(reader *r, const char *what, const char *const *words, unsigned *which) {
  char text[PART], all[128] = "";
  if (!word(r, text))
    return wrong(r, "the first line has no %s", what);
  for (unsigned k = 0; words[k]; k++) {
    if (!strcasecmp(text, words[k])) {
      *which = k;
      return true;
    }
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", words[k]);
  }
  if (!strcasecmp(text, "complex") || !strcasecmp(text, "hermitian"))
    return wrong(r, "complex matrices are not supported; write the real part, as 'real'");
  return wrong(r, "%s: '%s' is not one of: %s", what, text, all);
}

static bool banner(reader *r) {
  char text[PART];
  bool bad = false;
  if (!next_line(r, &bad)) {
    r->line = 1;
    return bad ? false : wrong(r, "the file is empty");
  }
  if (!word(r, text) || strcasecmp(text, "%%MatrixMarket"))
    return wrong(r, "not a Matrix Market file: it does not begin with %%%%MatrixMarket");
  unsigned object, format, field, symmetry;
  if (!one_of(r, "object", (const char *[]){"matrix", NULL}, &object) ||
      !one_of(r, "format", (const char *[]){"coordinate", "array", NULL}, &format) ||
      !one_of(r, "field", (const char *[]){"real", "integer", "pattern", NULL}, &field) ||
      !one_of(r, "symmetry", (const char *[]){"general", "symmetric", "skew-symmetric", NULL},
              &symmetry) ||
      !line_ends(r))
    return false;
  r->array = format == 1, r->pattern = field == 2, r->symmetry = symmetry;
  if (r->array && r->pattern)
    return wrong(r, "an array has values: 'pattern' is for 'coordinate'");
  if (r->pattern && r->symmetry == SKEW)
    return wrong(r, "a pattern has no signs: it is not skew-symmetric");
  return true;
}

static bool sizes(reader *r) {
  if (!data_line(r, "the line with rows and columns") || !whole(r, &r->rows, "rows") ||
      !whole(r, &r->cols, "columns") || (!r->array && !whole(r, &r->entries, "entries")) ||
      !line_ends(r))
    return false;
  if (!r->rows || !r->cols)
    return wrong(r, "a matrix of %llu x %llu has no elements", (unsigned long long)r->rows,
                 (unsigned long long)r->cols);
  if (r->rows > CSR_MAX || r->cols > CSR_MAX)
    return wrong(r, "more than %u rows or columns", CSR_MAX);
  if (r->symmetry != GENERAL && r->rows != r->cols)
    return wrong(r, "a symmetric matrix is square, not %llu x %llu", (unsigned long long)r->rows,
                 (unsigned long long)r->cols);
  return true;
}

// ---- entries

static bool add(reader *r, uint64_t row, uint64_t col, double v) {
  if (r->n == r->room) {
    const uint64_t room = r->room ? r->room * 2 : 4096;
    csr_entry *all = realloc(r->all, room * sizeof *all);
    if (!all)
      return wrong(r, "out of memory after %llu entries", (unsigned long long)r->n);
    r->all = all, r->room = room;
  }
  r->all[r->n++] = (csr_entry){(uint32_t)row, (uint32_t)col, v};
  return true;
}

// With its mirror image.
static bool add_both(reader *r, uint64_t row, uint64_t col, double v) {
  return add(r, row, col, v) &&
         (r->symmetry == GENERAL || row == col || add(r, col, row, r->symmetry == SKEW ? -v : v));
}

static bool index_ok(const reader *r, const char *what, uint64_t index, uint64_t most) {
  return index && index <= most ? true
                                : wrong(r, "%s %llu is not 1 to %llu", what,
                                        (unsigned long long)index, (unsigned long long)most);
}

static bool coordinates(reader *r) {
  char what[64];
  for (uint64_t k = 0; k < r->entries; k++) {
    snprintf(what, sizeof what, "entry %llu of %llu", (unsigned long long)k + 1,
             (unsigned long long)r->entries);
    uint64_t row, col;
    double v = 1;
    if (!data_line(r, what) || !whole(r, &row, "row") || !whole(r, &col, "column") ||
        (!r->pattern && !value(r, &v)) || !line_ends(r) || !index_ok(r, "row", row, r->rows) ||
        !index_ok(r, "column", col, r->cols))
      return false;
    if (r->symmetry != GENERAL && row < col)
      return wrong(
          r, "row %llu, column %llu is above the diagonal; a symmetric file has what is below",
          (unsigned long long)row, (unsigned long long)col);
    if (r->symmetry == SKEW && row == col)
      return wrong(r, "a skew-symmetric matrix has nothing on its diagonal");
    if (!add_both(r, row - 1, col - 1, v))
      return false;
  }
  return true;
}

// Column by column; of symmetric ones what is below the diagonal, and the diagonal.
static bool elements(reader *r) {
  for (uint64_t col = 0; col < r->cols; col++)
    for (uint64_t row = r->symmetry == GENERAL ? 0 : col + (r->symmetry == SKEW); row < r->rows;
         row++) {
      double v;
      if (!data_line(r, "an element") || !value(r, &v) || !line_ends(r) ||
          !add_both(r, row, col, v))
        return false;
    }
  return true;
}

static bool nothing_more(reader *r) {
  bool bad = false;
  while (next_line(r, &bad))
    if (*blanks(r->text) && r->text[0] != '%')
      return wrong(r, "more entries than the size line says");
  return !bad;
}

bool mtx_read(csr *m, const char *file) {
  reader r = {.name = strcmp(file, "-") ? file : "standard input"};
  r.file = strcmp(file, "-") ? gzopen(file, "rb") : gzdopen(dup(0), "rb");
  if (!r.file) {
    user_error("cannot read '%s': %s", file, strerror(errno ? errno : ENOMEM));
    return false;
  }
  gzbuffer(r.file, 1 << 18);
  bool good =
      banner(&r) && sizes(&r) && (r.array ? elements(&r) : coordinates(&r)) && nothing_more(&r);
  gzclose_r(r.file);
  if (!good) {
    free(r.all);
    return false;
  }
  good = csr_sum(m, (uint32_t)r.rows, (uint32_t)r.cols, r.all, r.n);
  if (!good)
    user_error("%s: out of memory for %llu entries", r.name, (unsigned long long)r.n);
  return good;
}
