// SPDX-License-Identifier: Apache-2.0
#include "remote_cache.h"

#include <stdlib.h>
#include <string.h>

bool cache_new(remote_cache *c, uint32_t bytes, uint32_t ways) {
  const uint32_t lines = bytes / CACHE_LINE;
  const uint32_t wide = ways < lines ? ways : lines;
  *c = (remote_cache){.sets = wide ? lines / wide : 0, .ways = wide, .age = 1};
  if (!lines)
    return true;
  c->lines = calloc(lines, sizeof *c->lines);
  c->data = calloc(lines, sizeof *c->data);
  return c->lines && c->data;
}

void cache_delete(remote_cache *c) {
  free(c->lines);
  free(c->data);
}

void cache_empty(remote_cache *c) {
  c->age++;
}

// Lines that lie a power of two apart, as those of a column of an image, go to different sets.
static uint32_t set_of(const remote_cache *c, uint64_t number) {
  const uint32_t bits = (uint32_t)__builtin_ctz(c->sets);
  uint64_t n = number;
  for (uint64_t k = number >> bits; bits && k; k >>= bits)
    n ^= k;
  return (uint32_t)n & (c->sets - 1);
}

static cache_line *find(const remote_cache *c, uint64_t number) {
  if (!c->sets)
    return NULL;
  cache_line *x = c->lines + set_of(c, number) * c->ways;
  for (uint32_t k = 0; k < c->ways; k++)
    if (x[k].number == number && x[k].age == c->age)
      return &x[k];
  return NULL;
}

uint32_t cache_place(const remote_cache *c, uint64_t number) {
  const cache_line *x = find(c, number);
  return x ? (uint32_t)(x - c->lines) : CACHE_NOWHERE;
}

uint16_t cache_find(const remote_cache *c, uint64_t number, const uint8_t **data) {
  const cache_line *x = find(c, number);
  if (!x)
    return 0;
  *data = c->data[x - c->lines];
  return x->pieces;
}

void cache_use(remote_cache *c, uint64_t number) {
  cache_line *x = find(c, number);
  if (x)
    x->used = ++c->uses;
}

// Of its set: an empty one, else the one that was used least recently.
static cache_line *victim(const remote_cache *c, uint64_t number) {
  cache_line *x = c->lines + set_of(c, number) * c->ways, *least = x;
  for (uint32_t k = 0; k < c->ways; k++) {
    if (x[k].age != c->age)
      return &x[k];
    if (x[k].used < least->used)
      least = &x[k];
  }
  return least;
}

void cache_fill(remote_cache *c, uint64_t number, uint16_t pieces, const uint8_t data[CACHE_LINE]) {
  if (!c->sets || !pieces)
    return;
  cache_line *x = find(c, number);
  if (!x) {
    x = victim(c, number);
    *x = (cache_line){.number = number, .age = c->age};
  }
  uint8_t *to = c->data[x - c->lines];
  for (uint32_t m = pieces; m; m &= m - 1) {
    const size_t at = (size_t)__builtin_ctz(m) * CACHE_PIECE;
    memcpy(to + at, data + at, CACHE_PIECE);
  }
  x->pieces |= pieces;
  x->used = ++c->uses;
}

void cache_drop(remote_cache *c, uint64_t number, uint16_t pieces) {
  cache_line *x = find(c, number);
  if (x)
    x->pieces &= (uint16_t)~pieces;
}
