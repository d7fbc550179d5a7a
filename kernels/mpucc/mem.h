// SPDX-License-Identifier: Apache-2.0
// Memory for passes: zeroed, never NULL. Out of memory aborts: this is a compiler.
#ifndef NEARBANK_MEM_H
#define NEARBANK_MEM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static inline void *mem_new(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size ? size : 1);
  if (!p) {
    fputs("mpucc: out of memory\n", stderr);
    abort();
  }
  return p;
}

// Room for `count` elements; contents are kept, new ones are not zeroed.
static inline void *mem_resize(void *p, size_t count, size_t size) {
  if (count && size > (size_t)-1 / count)
    count = 0, size = (size_t)-1;
  p = realloc(p, count && size ? count * size : 1);
  if (!p) {
    fputs("mpucc: out of memory\n", stderr);
    abort();
  }
  return p;
}

// The same with room for one more behind n elements, of a list that grows one by one.
static inline void *mem_grow(void *p, size_t n, size_t size) {
  return (n & (n - 1)) == 0 ? mem_resize(p, n ? 2 * n : 1, size) : p;
}

#endif
