// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "array_name.h"

enum { LARGEST = 1 << 24 };  // of a source

// Only of a file that is one: others may wait, or be read by somebody else.
static char *read_source(const char *file) {
  struct stat is;
  if (stat(file, &is) || !S_ISREG(is.st_mode) || is.st_size > LARGEST)
    return NULL;
  FILE *f = fopen(file, "r");
  char *text = f ? malloc((size_t)is.st_size + 1) : NULL;
  if (text)
    text[fread(text, 1, (size_t)is.st_size, f)] = 0;
  if (f)
    fclose(f);
  return text;
}

static const char *place_of(const char *text, int line, int column) {
  for (; line > 1 && text; line--)
    text = (text = strchr(text, '\n')) ? text + 1 : NULL;
  return text && column > 0 && (size_t)column <= strcspn(text, "\n") ? text + column - 1 : NULL;
}

static bool in_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

// It begins at `at`, as a whole word.
static bool is_call(const char *text, const char *at, const char *call) {
  const size_t n = strlen(call);
  return !strncmp(at, call, n) && !in_word(at[n]) && (at == text || !in_word(at[-1]));
}

// The bracket that goes with the closing one at `at`, NULL: none in the text.
static const char *opening(const char *text, const char *at) {
  for (int depth = 0; at >= text; at--) {
    depth += *at == ')';
    depth -= *at == '(';
    if (!depth)
      return at;
  }
  return NULL;
}

static const char *closing(const char *at) {
  for (int depth = 0; *at; at++) {
    depth += *at == '(';
    depth -= *at == ')';
    if (!depth)
      return at;
  }
  return NULL;
}

// The name of the function: it is here, or in the arguments of the macro whose end this is.
static const char *find_call(const char *text, const char *at, const char *call) {
  while (*at == ':')
    at++;
  if (is_call(text, at, call))
    return at;
  const char *from = *at == ')' ? opening(text, at) : NULL;
  while (from && at > from && !is_call(text, at, call))
    at--;
  return from && at > from ? at : NULL;
}

// Behind the bracket that follows the name, or its template arguments.
static const char *arguments(const char *at) {
  at += strspn(at, " \t\n");
  const char *open = strchr(at, '('), *before = open;
  while (before && before > at && isspace((unsigned char)before[-1]))
    before--;
  return open && (open == at || (*at == '<' && before[-1] == '>')) ? open + 1 : NULL;
}

// ---- the argument

typedef struct piece {
  const char *from, *until;
} piece;

static piece trimmed(piece p) {
  while (p.from < p.until && isspace((unsigned char)*p.from))
    p.from++;
  while (p.until > p.from && isspace((unsigned char)p.until[-1]))
    p.until--;
  return p;
}

static piece first_argument(const char *at) {
  piece p = {at, at};
  for (int depth = 0; *p.until && (depth || (*p.until != ',' && *p.until != ')')); p.until++)
    depth += !!strchr("([{", *p.until), depth -= !!strchr(")]}", *p.until);
  return *p.until ? trimmed(p) : (piece){at, at};
}

// Without casts, brackets around all of it, and the & before it.
static piece bare(piece p) {
  static const char *const casts[] = {"reinterpret_cast<", "static_cast<", "const_cast<"};
  for (bool again = true; again && p.from < p.until;) {
    again = false;
    const char *end = *p.from == '(' ? closing(p.from) : NULL;
    if (end && end < p.until) {
      p = end + 1 == p.until ? (piece){p.from + 1, end} : (piece){end + 1, p.until};
      again = true;
    }
    for (size_t k = 0; !again && k < sizeof casts / sizeof *casts; k++) {
      const char *open = strncmp(p.from, casts[k], strlen(casts[k])) ? NULL : strchr(p.from, '(');
      end = open && open < p.until ? closing(open) : NULL;
      if (end && end < p.until) {
        p = (piece){open + 1, end};
        again = true;
      }
    }
    if (!again && *p.from == '&')
      p.from++, again = true;
    p = trimmed(p);
  }
  return p;
}

// Blanks become one.
static bool copy(piece p, char *to, size_t bytes) {
  size_t n = 0;
  for (; p.from < p.until; p.from++) {
    const bool blank = isspace((unsigned char)*p.from);
    if (blank && isspace((unsigned char)p.from[1]))
      continue;
    if (n + 1 >= bytes)
      return false;
    to[n++] = blank ? ' ' : *p.from;
  }
  to[n] = 0;
  return n;
}

bool array_name(const char *file, int line, int column, const char *call, char *to, size_t bytes) {
  char *text = read_source(file);
  const char *at = text ? place_of(text, line, column) : NULL;
  at = at ? find_call(text, at, call) : NULL;
  at = at ? arguments(at + strlen(call)) : NULL;
  const bool ok = at && copy(bare(first_argument(at)), to, bytes);
  free(text);
  return ok;
}
