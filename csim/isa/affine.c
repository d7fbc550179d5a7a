// SPDX-License-Identifier: Apache-2.0
#include "affine.h"

#include <stdlib.h>
#include <string.h>
#include "isa.h"

void affine_free(affine_kernel *k) {
  free(k->terms);
  free(k->ranges);
  free(k->accesses);
  free(k->loops);
  *k = (affine_kernel){0};
}

const affine_access *affine_at(const affine_kernel *k, uint32_t pc) {
  for (uint32_t lo = 0, hi = k->n_accesses; lo < hi;) {
    const uint32_t mid = lo + (hi - lo) / 2;
    if (k->accesses[mid].pc == pc)
      return &k->accesses[mid];
    if (k->accesses[mid].pc < pc)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

// ---- sums

static int by_factors(const affine_term *a, const affine_term *b) {
  return memcmp(a->of, b->of, sizeof a->of);
}

uint32_t affine_add(affine_term *sum, uint32_t n, affine_term t) {
  uint32_t k = 0;
  while (k < n && by_factors(&sum[k], &t) < 0)
    k++;
  if (k == n || by_factors(&sum[k], &t) != 0) {
    memmove(&sum[k + 1], &sum[k], (n - k) * sizeof *sum);
    sum[k] = t;
    n++;
  } else {
    sum[k].factor = (int64_t)((uint64_t)sum[k].factor + (uint64_t)t.factor);
  }
  if (sum[k].factor)
    return n;
  memmove(&sum[k], &sum[k + 1], (n - k - 1) * sizeof *sum);
  return n - 1;
}

// ---- values

static bool argument(const affine_point *p, affine_symbol s, int64_t *value) {
  const unsigned bytes = s.shift < ISA_TYPES ? isa_types[s.shift].bits / 8 : 0;
  uint64_t raw = 0;
  if (!bytes || bytes > sizeof raw || (size_t)s.index + bytes > p->param_bytes)
    return false;
  memcpy(&raw, p->params + s.index, bytes);
  const unsigned unused = 64 - 8 * bytes;
  const bool extends = bytes == 4 || isa_types[s.shift].kind == 'S';
  *value = extends ? (int64_t)(raw << unused) >> unused : (int64_t)raw;
  return true;
}

// What a launch gives.
static bool given(const affine_point *p, affine_symbol s, int64_t *value) {
  switch (s.kind) {
    case AFFINE_NTID:
      return *value = p->ntid[s.index], true;
    case AFFINE_NCTAID:
      return *value = p->nctaid[s.index], true;
    case AFFINE_ARGUMENT:
      return argument(p, s, value);
    case AFFINE_VARIABLE:
      return s.index < p->n_variables ? *value = (int64_t)p->variables[s.index], true : false;
    default:
      return false;
  }
}

static bool value_of(const affine_point *p, affine_symbol s, int64_t *value) {
  switch (s.kind) {
    case AFFINE_TID:
      return *value = p->tid[s.index] >> s.shift, true;
    case AFFINE_CTAID:
      return *value = p->ctaid[s.index] >> s.shift, true;
    case AFFINE_LOOP:
      return s.index < p->n_loops ? *value = p->loops[s.index], true : false;
    default:
      return given(p, s, value);
  }
}

static bool sum_of(const affine_term *t, uint32_t n, const affine_point *p, uint64_t *sum) {
  *sum = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint64_t product = (uint64_t)t[k].factor;
    for (unsigned f = 0; f < AFFINE_FACTORS && t[k].of[f].kind; f++) {
      int64_t value;
      if (!value_of(p, t[k].of[f], &value))
        return false;
      product *= (uint64_t)value;
    }
    *sum += product;
  }
  return true;
}

bool affine_address(const affine_kernel *k, const affine_access *a, const affine_point *p,
                    uint64_t *address) {
  if (a->reason != AFFINE_IS)
    return false;
  for (uint32_t r = a->first_range; r < a->first_range + a->ranges; r++) {
    const affine_range *range = &k->ranges[r];
    uint64_t sum;
    if (!sum_of(k->terms + range->first, range->terms, p, &sum) || (int64_t)sum < range->least ||
        (int64_t)sum > range->most)
      return false;
  }
  return sum_of(k->terms + a->first, a->terms, p, address);
}

uint32_t affine_fold(const affine_term *terms, uint32_t n, const affine_point *p, affine_term *to) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < n; k++) {
    affine_term t = {.factor = terms[k].factor};
    unsigned left = 0;
    for (unsigned f = 0; f < AFFINE_FACTORS && terms[k].of[f].kind; f++) {
      int64_t value;
      if (given(p, terms[k].of[f], &value))
        t.factor = (int64_t)((uint64_t)t.factor * (uint64_t)value);
      else
        t.of[left++] = terms[k].of[f];
    }
    count = affine_add(to, count, t);
  }
  return count;
}
