// SPDX-License-Identifier: Apache-2.0
// Bytes that grow: text of events, or packed ones.
#ifndef NEARBANK_TIMELINE_TEXT_H
#define NEARBANK_TIMELINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text {
  char *at;
  size_t used, room;
  bool lost;  // no memory: what was put since is not there
} text;

void text_free(text *t);
// Room for so many bytes more, at t->at + t->used. False: none.
bool text_room(text *t, size_t bytes);
void text_put(text *t, const char *from, size_t bytes);
void text_string(text *t, const char *s);
void text_escaped(text *t, const char *s);  // inside of a JSON string
void text_number(text *t, uint64_t n);
void text_hex(text *t, uint64_t n, unsigned digits);

#define TEXT(t, literal) text_put(t, literal, sizeof literal - 1)

#endif
