// SPDX-License-Identifier: Apache-2.0
// Memory that will be needed soon: pieces of it, brought into the caches of the host a few lines at
// a time. It can have some 20 lines under way; who asks for more waits.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PREFETCH_PIECES = 512, PREFETCH_LINE = 64 };

typedef struct prefetch {
  uint32_t n, first;
  struct {
    const char *at, *end;
  } pieces[PREFETCH_PIECES];
} prefetch;

// The pieces themselves stay as they are: there are many, and windows are short.
static inline void prefetch_none(prefetch *a) {
  a->n = a->first = 0;
}

// At once; from the beginning of a line.
static inline void prefetch_now(const void *from, size_t bytes) {
  for (size_t n = 0; n < bytes; n += PREFETCH_LINE)
    __builtin_prefetch((const char *)from + n);
}

// Left out when there is no room.
static inline void prefetch_add(prefetch *a, const void *from, size_t bytes) {
  if (a->n == PREFETCH_PIECES)
    return;
  const char *at = (const char *)from;
  a->pieces[a->n].at = at - (uintptr_t)at % PREFETCH_LINE;
  a->pieces[a->n++].end = at + bytes;
}

// All of `from`, which stays as it is.
static inline void prefetch_copy(prefetch *a, const prefetch *from) {
  memcpy(a, from, offsetof(prefetch, pieces) + from->n * sizeof *from->pieces);
}

static inline void prefetch_go(prefetch *a, uint32_t lines) {
  for (; a->first < a->n; a->first++) {
    const char *end = a->pieces[a->first].end;
    for (const char *at = a->pieces[a->first].at; at < end; at += PREFETCH_LINE) {
      if (!lines--) {
        a->pieces[a->first].at = at;
        return;
      }
      __builtin_prefetch(at);
    }
  }
  a->first = a->n = 0;
}
