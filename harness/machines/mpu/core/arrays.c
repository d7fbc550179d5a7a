// SPDX-License-Identifier: Apache-2.0
#include "arrays.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "harness/machines/mpu/near/near.h"

// Of an NBU, that are not done: more packets than it has tags, for writes may be answered before.
enum { EXPECTED = 512 };

typedef struct expected {  // accesses of a sector, for other cores
  uint64_t sector;         // its address
  uint16_t reads, writes;
} expected;

typedef struct unit {
  core_arrays *of;
  array_range last;  // that was found last
  uint32_t count;
  expected list[EXPECTED];
} unit;

struct core_arrays {
  const uint8_t *memory;
  bool closed;  // pages: there are no conflicts
  const array_range *ranges;
  uint32_t n_ranges, n_arrays;
  array_counts *counts;
  unit units[NEAR_NBUS];
};

core_arrays *arrays_new(void) {
  core_arrays *a = calloc(1, sizeof *a);
  for (uint32_t n = 0; a && n < NEAR_NBUS; n++)
    a->units[n].of = a;
  return a;
}

void arrays_free(core_arrays *a) {
  if (a)
    free(a->counts);
  free(a);
}

bool arrays_set(core_arrays *a, const array_range *ranges, uint32_t count, uint32_t arrays) {
  if (arrays > a->n_arrays) {
    array_counts *more = realloc(a->counts, arrays * sizeof *more);
    if (!more)
      return false;
    memset(more + a->n_arrays, 0, (arrays - a->n_arrays) * sizeof *more);
    a->counts = more, a->n_arrays = arrays;
  }
  a->ranges = ranges, a->n_ranges = count;
  for (uint32_t n = 0; n < NEAR_NBUS; n++)
    a->units[n].last = (array_range){0};
  return true;
}

array_counts arrays_counted(const core_arrays *a, uint32_t array) {
  return array < a->n_arrays ? a->counts[array] : (array_counts){0};
}

void arrays_set_counted(core_arrays *a, uint32_t array, const array_counts *counts) {
  assert(array < a->n_arrays);
  a->counts[array] = *counts;
}

// ---- where an address is

// The range around it, or the gap between two.
static array_range find(const core_arrays *a, uint64_t at) {
  uint32_t low = 0, high = a->n_ranges;  // the first range that ends behind it is in there
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (a->ranges[middle].until <= at)
      low = middle + 1;
    else
      high = middle;
  }
  const array_range *r = low < a->n_ranges ? &a->ranges[low] : NULL;
  if (r && r->from <= at)
    return *r;
  return (array_range){low ? a->ranges[low - 1].until : 0, r ? r->from : UINT64_MAX, ARRAY_NONE};
}

static array_counts *counts_of(unit *u, uint64_t at) {
  if (at - u->last.from >= u->last.until - u->last.from)
    u->last = find(u->of, at);
  return &u->of->counts[u->last.array];
}

void arrays_access(core_arrays *a, uint64_t address, bool reads, bool writes) {
  array_counts *c = counts_of(&a->units[0], address);
  c->read += reads, c->written += writes, c->atomics += reads && writes;
}

// ---- who accesses it

void arrays_expect(core_arrays *a, uint32_t nbu, uint64_t address, bool reads, bool writes) {
  unit *u = &a->units[nbu];
  assert(u->count < EXPECTED);
  u->list[u->count++] = (expected){address / 32 * 32, reads, writes};
}

// An access for another core was expected; else it is one of the own core. Where both access a
// sector in the same way it does not matter which one is first: each will have its turn.
static bool take_expected(unit *u, uint64_t sector, bool write) {
  for (uint32_t n = 0; n < u->count; n++) {
    expected *e = &u->list[n];
    uint16_t *left = write ? &e->writes : &e->reads;
    if (e->sector != sector || !*left)
      continue;
    --*left;
    if (!(e->reads | e->writes))
      *e = u->list[--u->count];
    return true;
  }
  return false;
}

static void accessed(void *ctx, const uint8_t *bytes, bool write, uint32_t met) {
  unit *u = ctx;
  const uint64_t at = (uint64_t)(bytes - u->of->memory);
  array_counts *c = counts_of(u, at);
  if (u->count && take_expected(u, at, write))
    ++*(write ? &c->remote_written : &c->remote_read);
  else
    ++*(write ? &c->written : &c->read);
  if (met < DRAM_MISSED)
    c->row_hits++;
  else if (met == DRAM_MISSED || u->of->closed)
    c->row_misses++;
  else
    c->row_conflicts++;
}

void arrays_atomic(core_arrays *a, uint32_t nbu, uint64_t address, uint32_t pairs) {
  counts_of(&a->units[nbu], address / 32 * 32)->atomics += pairs;
}

void arrays_begin(core_arrays *a, near *n, const uint8_t *memory) {
  a->memory = memory;
  a->closed = near_closes_pages(n);
  for (uint32_t k = 0; k < NEAR_NBUS; k++) {
    a->units[k].count = 0;
    near_watch(n, k, accessed, &a->units[k]);
  }
}
