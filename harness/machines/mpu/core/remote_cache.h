// SPDX-License-Identifier: Apache-2.0
// What a core keeps of other cores' memory: lines of 128 bytes in sets, with a valid bit for each
// piece of 8 bytes. It knows no rules; who uses it says what may be kept (docs/memory-model.md).
#ifndef NEARBANK_CORE_REMOTE_CACHE_H
#define NEARBANK_CORE_REMOTE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CACHE_LINE = 128,
  CACHE_PIECE = 8,        // bytes with a valid bit
  CACHE_ALL = 0xffff,     // pieces of a line
  CACHE_SECTOR = 0xf,     // pieces of its first sector
  CACHE_NOWHERE = 0xffff  // of cache_place
};

typedef struct cache_line {
  uint64_t number;  // address / CACHE_LINE
  uint64_t used;    // when it was read or filled last
  uint32_t age;     // lines of an earlier age than the cache's are empty
  uint16_t pieces;  // that are valid
} cache_line;

typedef struct remote_cache {
  uint32_t sets, ways;  // sets: a power of two; 0: there is no cache
  cache_line *lines;
  uint8_t (*data)[CACHE_LINE];
  uint64_t uses;
  uint32_t age;
} remote_cache;

bool cache_new(remote_cache *c, uint32_t bytes, uint32_t ways);  // false: no memory
void cache_delete(remote_cache *c);
void cache_empty(remote_cache *c);

// Which pieces of a line are there, and where; 0: none.
uint16_t cache_find(const remote_cache *c, uint64_t number, const uint8_t **data);
void cache_use(remote_cache *c, uint64_t number);  // it was read: others are evicted first
// Pieces of a line have come: it replaces the line of its set that was used least recently.
void cache_fill(remote_cache *c, uint64_t number, uint16_t pieces, const uint8_t data[CACHE_LINE]);
void cache_drop(remote_cache *c, uint64_t number, uint16_t pieces);
// For those who keep something beside it: the number of the place of a line, or CACHE_NOWHERE.
uint32_t cache_place(const remote_cache *c, uint64_t number);

#endif
