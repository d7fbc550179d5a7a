// SPDX-License-Identifier: Apache-2.0
// JSON to a file: whoever prints some uses this, so that commas, nesting and what is escaped in
// texts are in one place. Errors of the file are the file's (ferror).
#ifndef NEARBANK_JSON_H
#define NEARBANK_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEEP = 16 };
typedef struct json_writer {
  FILE *to;
  unsigned depth;
  bool breaks;
  unsigned spaces;
  bool list[JSON_DEEP], filled[JSON_DEEP];
} json_writer;

json_writer jw_to(FILE *to);
// The next value begins on a line of its own, behind so many spaces.
void jw_break(json_writer *j, unsigned spaces);

// Values: `key` is NULL in a list, and for the whole. Objects and lists are open until jw_end.
void jw_object(json_writer *j, const char *key);
void jw_list(json_writer *j, const char *key);
void jw_end(json_writer *j);
void jw_text(json_writer *j, const char *key, const char *text);  // NULL: null
void jw_count(json_writer *j, const char *key, uint64_t value);
void jw_truth(json_writer *j, const char *key, bool value);
void jw_null(json_writer *j, const char *key);
// A number as printf's `format` has it, for one double; null when it is none (infinite, NaN).
void jw_number(json_writer *j, const char *key, const char *format, double value)
    __attribute__((format(printf, 3, 0)));
// A number that is text already.
void jw_word(json_writer *j, const char *key, const char *word);

// A text with its quotation marks, where the rest is printed otherwise.
void jw_put_text(FILE *to, const char *text);

#endif
