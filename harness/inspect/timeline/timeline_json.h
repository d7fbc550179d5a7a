// SPDX-License-Identifier: Apache-2.0
// Trace events as text, a line each (an arrow is one line), and the file of them: NAME.part until
// it is closed. It is whole JSON whenever nothing is being written: each piece is written with the
// end of the file behind it, and the next one over that end.
#ifndef NEARBANK_TIMELINE_JSON_H
#define NEARBANK_TIMELINE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "harness/base/out_file.h"

// Events, each of which begins with ",\n" (text_event).
typedef struct text {
  char *at;
  size_t used, room;
  bool lost;  // no memory: what was put since is not there
} text;

void text_free(text *t);
void text_put(text *t, const char *from, size_t bytes);
void text_string(text *t, const char *s);
void text_escaped(text *t, const char *s);  // inside of a JSON string
void text_number(text *t, uint64_t n);
void text_hex(text *t, uint64_t n, unsigned digits);
void text_cycles(text *t, uint64_t n);  // as microseconds, a nanosecond each
// "ph":PHASE, pid and tid, of an event that is still to be closed.
void text_event(text *t, char phase, uint32_t pid, uint32_t tid);

#define TEXT(t, literal) text_put(t, literal, sizeof literal - 1)

typedef struct json_file {
  out_place place;
  int fd;
  bool seeks;         // a file does; of a pipe the end is written when it is closed
  const char *error;  // NULL: all was written; later pieces are dropped
  uint64_t events;    // where the next ones begin
} json_file;

// `head`: all up to and with the first event. False: it cannot be opened, errno says why.
bool json_open(json_file *f, const char *name, text *head);
// Events, which are taken out of the text. When there is no room for all of them, the file is cut
// behind the last whole line.
void json_write(json_file *f, text *events);
void json_close(json_file *f);

#endif
