// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

json_writer jw_to(FILE *to) {
  return (json_writer){.to = to};
}

void jw_break(json_writer *j, unsigned spaces) {
  j->breaks = true;
  j->spaces = spaces;
}

void jw_put_text(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(to, "\\%c", *text);
    else if (*text == '\n')
      fputs("\\n", to);
    else if ((unsigned char)*text < ' ' || *text == 127)
      fprintf(to, "\\u%04x", (unsigned)(unsigned char)*text);
    else
      fputc(*text, to);
  fputc('"', to);
}

// In front of a value.
static void begin(json_writer *j, const char *key) {
  if (j->depth) {
    const unsigned d = j->depth - 1;
    assert(j->list[d] == !key);
    if (j->filled[d])
      fputs(j->breaks ? "," : ", ", j->to);
    j->filled[d] = true;
  }
  if (j->breaks)
    fprintf(j->to, "\n%*s", (int)j->spaces, "");
  j->breaks = false;
  if (key) {
    jw_put_text(j->to, key);
    fputs(": ", j->to);
  }
}

static void open(json_writer *j, const char *key, bool list) {
  begin(j, key);
  assert(j->depth < JSON_DEEP);
  j->list[j->depth] = list;
  j->filled[j->depth++] = false;
  fputc(list ? '[' : '{', j->to);
}

void jw_object(json_writer *j, const char *key) {
  open(j, key, false);
}
void jw_list(json_writer *j, const char *key) {
  open(j, key, true);
}
void jw_end(json_writer *j) {
  assert(j->depth);
  fputc(j->list[--j->depth] ? ']' : '}', j->to);
}

void jw_text(json_writer *j, const char *key, const char *text) {
  begin(j, key);
  if (text)
    jw_put_text(j->to, text);
  else
    fputs("null", j->to);
}

void jw_count(json_writer *j, const char *key, uint64_t value) {
  begin(j, key);
  fprintf(j->to, "%" PRIu64, value);
}

void jw_truth(json_writer *j, const char *key, bool value) {
  begin(j, key);
  fputs(value ? "true" : "false", j->to);
}

void jw_null(json_writer *j, const char *key) {
  begin(j, key);
  fputs("null", j->to);
}

void jw_number(json_writer *j, const char *key, const char *format, double value) {
  begin(j, key);
  if (isfinite(value))
    fprintf(j->to, format, value);
  else
    fputs("null", j->to);
}

void jw_word(json_writer *j, const char *key, const char *word) {
  begin(j, key);
  fputs(word, j->to);
}
