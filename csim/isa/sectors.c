// SPDX-License-Identifier: Apache-2.0
#include "sectors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

// A bit a sector. Pages of the host come with the first sector in them.
struct sectors {
  uint64_t map_bytes;
  uint8_t *touched, *written;  // touched: read or written
  uint64_t reads, writes;      // sectors, also of memory that was freed since
};

static uint8_t *map_new(uint64_t bytes) {
  void *at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

sectors *sectors_new(uint64_t memory_bytes) {
  sectors *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->map_bytes = (memory_bytes + SECTORS_ALIGN - 1) / SECTORS_ALIGN;
  s->touched = map_new(s->map_bytes);
  s->written = map_new(s->map_bytes);
  if (!s->touched || !s->written) {
    sectors_free(s);
    return NULL;
  }
  return s;
}

void sectors_free(sectors *s) {
  if (!s)
    return;
  if (s->touched)
    munmap(s->touched, s->map_bytes);
  if (s->written)
    munmap(s->written, s->map_bytes);
  free(s);
}

void sectors_access(sectors *s, uint64_t address, uint64_t bytes, bool reads, bool writes) {
  const uint64_t last = (address + bytes - 1) / SECTOR_BYTES;
  for (uint64_t n = address / SECTOR_BYTES; n <= last; n++) {
    const uint8_t bit = (uint8_t)(1u << n % 8);
    uint8_t *touched = &s->touched[n / 8], *written = &s->written[n / 8];
    s->reads += reads && !(*touched & bit);
    s->writes += writes && !(*written & bit);
    *touched |= bit;
    if (writes)
      *written |= bit;
  }
}

// Whole pages go back to the host: the map of a large allocation is not filled to be cleared.
static void clear(uint8_t *map, uint64_t from, uint64_t to) {
  const uint64_t first = (from + PAGE - 1) / PAGE * PAGE, end = to / PAGE * PAGE;
  if (end <= first) {
    memset(map + from, 0, to - from);
    return;
  }
  memset(map + from, 0, first - from);
  madvise(map + first, end - first, MADV_DONTNEED);
  memset(map + end, 0, to - end);
}

void sectors_forget(sectors *s, uint64_t address, uint64_t bytes) {
  const uint64_t from = address / SECTORS_ALIGN;
  const uint64_t to = (address + bytes + SECTORS_ALIGN - 1) / SECTORS_ALIGN;
  clear(s->touched, from, to);
  clear(s->written, from, to);
}

uint64_t sectors_read(const sectors *s) {
  return s->reads * SECTOR_BYTES;
}
uint64_t sectors_written(const sectors *s) {
  return s->writes * SECTOR_BYTES;
}
