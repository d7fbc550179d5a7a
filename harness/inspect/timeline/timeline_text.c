// SPDX-License-Identifier: Apache-2.0
#include "timeline_text.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16 };

void text_free(text *t) {
  free(t->at);
  *t = (text){0};
}

bool text_room(text *t, size_t bytes) {
  if (t->lost || t->room - t->used >= bytes)
    return !t->lost;
  const size_t room = 2 * t->room + bytes + ROOM;
  char *at = realloc(t->at, room);
  t->lost = !at;
  if (at)
    t->at = at, t->room = room;
  return at;
}

void text_put(text *t, const char *from, size_t bytes) {
  if (!bytes || !text_room(t, bytes))
    return;
  memcpy(t->at + t->used, from, bytes);
  t->used += bytes;
}

void text_string(text *t, const char *s) {
  text_put(t, s, strlen(s));
}

static bool plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

void text_escaped(text *t, const char *s) {
  while (*s) {
    size_t n = 0;
    while (plain(s[n]))
      n++;
    text_put(t, s, n);
    s += n;
    if (!*s)
      return;
    if (*s == '"' || *s == '\\')
      TEXT(t, "\\"), text_put(t, s, 1);
    else
      TEXT(t, "\\u00"), text_hex(t, (unsigned char)*s, 2);
    s++;
  }
}

void text_number(text *t, uint64_t n) {
  char digits[20];
  size_t k = sizeof digits;
  do
    digits[--k] = (char)('0' + n % 10);
  while (n /= 10);
  text_put(t, digits + k, sizeof digits - k);
}

void text_hex(text *t, uint64_t n, unsigned digits) {
  char all[16];
  for (unsigned k = 0; k < digits; k++)
    all[k] = "0123456789abcdef"[n >> 4 * (digits - 1 - k) & 15];
  text_put(t, all, digits);
}
