// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "store_priv.h"

// Statistics are written once a run, and read seldom: the fastest level is enough.
enum { LEVEL = 1, RATIO = 1032 };  // zlib makes nothing smaller than by RATIO

void *pack(const char *text, size_t *bytes) {
  const uLong length = strlen(text);
  uLong room = compressBound(length);
  void *to = malloc(room);
  if (!to)
    abort();
  if (compress2(to, &room, (const Bytef *)text, length, LEVEL) != Z_OK)
    abort();
  *bytes = room;
  return to;
}

char *unpack(const void *from, size_t bytes, int64_t length) {
  if (!from || length < 0 || (uint64_t)length > bytes * (uint64_t)RATIO)
    return NULL;
  char *to = malloc((size_t)length + 1);
  uLong got = (uLong)length;
  if (!to)
    abort();
  if (uncompress((Bytef *)to, &got, from, bytes) != Z_OK || got != (uLong)length) {
    free(to);
    return NULL;
  }
  to[got] = 0;
  return to;
}
