// SPDX-License-Identifier: Apache-2.0
// The section: a version, how many kernels, and for each of these the counts and the tables of
// affine_kernel.
#include <stdlib.h>
#include <string.h>
#include "affine.h"
#include "isa.h"

enum { MOST = 1 << 24 };  // entries of a table

typedef struct head {
  uint32_t version, kernels;
} head;

typedef struct counts {
  uint32_t terms, ranges, accesses, loops;
} counts;

static size_t table_bytes(const counts *c) {
  return c->terms * sizeof(affine_term) + c->ranges * sizeof(affine_range) +
         c->accesses * sizeof(affine_access) + c->loops * sizeof(affine_loop);
}

static counts counts_of(const affine_kernel *k) {
  return (counts){k->n_terms, k->n_ranges, k->n_accesses, k->n_loops};
}

static uint8_t *put(uint8_t *to, const void *from, size_t bytes) {
  if (bytes)
    memcpy(to, from, bytes);
  return to + bytes;
}

uint8_t *affine_write(const affine_kernel *kernels, uint32_t count, size_t *bytes) {
  *bytes = sizeof(head);
  for (uint32_t k = 0; k < count; k++) {
    const counts c = counts_of(&kernels[k]);
    *bytes += sizeof c + table_bytes(&c);
  }
  uint8_t *all = malloc(*bytes), *at = all;
  if (!all)
    return NULL;
  at = put(at, &(head){AFFINE_VERSION, count}, sizeof(head));
  for (uint32_t k = 0; k < count; k++) {
    const affine_kernel *x = &kernels[k];
    const counts c = counts_of(x);
    at = put(at, &c, sizeof c);
    at = put(at, x->terms, c.terms * sizeof *x->terms);
    at = put(at, x->ranges, c.ranges * sizeof *x->ranges);
    at = put(at, x->accesses, c.accesses * sizeof *x->accesses);
    at = put(at, x->loops, c.loops * sizeof *x->loops);
  }
  return all;
}

// ---- reading: any bytes

static bool is_symbol(const affine_kernel *k, affine_symbol s) {
  switch (s.kind) {
    case AFFINE_TID:
    case AFFINE_CTAID:
      return s.index < 3 && s.shift < 32;
    case AFFINE_NTID:
    case AFFINE_NCTAID:
      return s.index < 3;
    case AFFINE_ARGUMENT:
      return s.shift < ISA_TYPES;
    case AFFINE_LOOP:
      return s.index < k->n_loops;
    default:
      return s.kind < AFFINE_KINDS;
  }
}

static bool is_whole(const affine_kernel *k) {
  for (uint32_t t = 0; t < k->n_terms; t++)
    for (unsigned f = 0; f < AFFINE_FACTORS; f++)
      if (!is_symbol(k, k->terms[t].of[f]))
        return false;
  for (uint32_t r = 0; r < k->n_ranges; r++)
    if (k->ranges[r].first > k->n_terms || k->ranges[r].terms > k->n_terms - k->ranges[r].first)
      return false;
  for (uint32_t n = 0; n < k->n_accesses; n++) {
    const affine_access *a = &k->accesses[n];
    if (a->first > k->n_terms || a->terms > k->n_terms - a->first || a->first_range > k->n_ranges ||
        a->ranges > k->n_ranges - a->first_range || a->reason >= AFFINE_REASONS ||
        (n && a->pc <= a[-1].pc))
      return false;
  }
  return true;
}

static void *take(const uint8_t **from, size_t count, size_t size) {
  void *table = malloc(count * size + 1);
  if (table)
    memcpy(table, *from, count * size);
  *from += count * size;
  return table;
}

static bool read_kernel(const uint8_t **from, size_t *left, affine_kernel *k) {
  counts c;
  if (*left < sizeof c)
    return false;
  memcpy(&c, *from, sizeof c);
  *from += sizeof c, *left -= sizeof c;
  if (c.terms > MOST || c.ranges > MOST || c.accesses > MOST || c.loops > MOST ||
      table_bytes(&c) > *left)
    return false;
  *left -= table_bytes(&c);
  k->n_terms = c.terms, k->n_ranges = c.ranges, k->n_accesses = c.accesses, k->n_loops = c.loops;
  k->terms = take(from, c.terms, sizeof *k->terms);
  k->ranges = take(from, c.ranges, sizeof *k->ranges);
  k->accesses = take(from, c.accesses, sizeof *k->accesses);
  k->loops = take(from, c.loops, sizeof *k->loops);
  return k->terms && k->ranges && k->accesses && k->loops && is_whole(k);
}

affine_read_result affine_read(const uint8_t *from, size_t bytes, affine_kernel *kernels,
                               uint32_t count) {
  head h;
  if (bytes < sizeof h)
    return AFFINE_DAMAGED;
  memcpy(&h, from, sizeof h);
  if (h.version != AFFINE_VERSION)
    return AFFINE_OTHER;
  from += sizeof h, bytes -= sizeof h;
  bool ok = h.kernels == count;
  for (uint32_t k = 0; ok && k < count; k++)
    ok = read_kernel(&from, &bytes, &kernels[k]);
  if (ok && !bytes)
    return AFFINE_READ;
  for (uint32_t k = 0; k < count; k++)
    affine_free(&kernels[k]);
  return AFFINE_DAMAGED;
}
