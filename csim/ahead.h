// SPDX-License-Identifier: Apache-2.0
// Memory that will be needed soon: pieces of it, brought into the caches of the host a few lines at
// a time. It can have some 20 lines under way; who asks for more waits.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { AHEAD_PIECES = 128, AHEAD_LINE = 64 };

typedef struct ahead {
  struct {
    const char *at, *end;
  } pieces[AHEAD_PIECES];
  uint32_t n, first;
} ahead;

// At once; from the beginning of a line.
static inline void ahead_now(const void *from, size_t bytes) {
  for (size_t n = 0; n < bytes; n += AHEAD_LINE)
    __builtin_prefetch((const char *)from + n);
}

// Left out when there is no room.
static inline void ahead_add(ahead *a, const void *from, size_t bytes) {
  if (a->n == AHEAD_PIECES)
    return;
  const char *at = from;
  a->pieces[a->n].at = at - (uintptr_t)at % AHEAD_LINE;
  a->pieces[a->n++].end = at + bytes;
}

static inline void ahead_go(ahead *a, uint32_t lines) {
  for (; a->first < a->n; a->first++) {
    const char *end = a->pieces[a->first].end;
    for (const char *at = a->pieces[a->first].at; at < end; at += AHEAD_LINE) {
      if (!lines--) {
        a->pieces[a->first].at = at;
        return;
      }
      __builtin_prefetch(at);
    }
  }
  a->first = a->n = 0;
}
