// SPDX-License-Identifier: Apache-2.0
#include "product.h"
#include <float.h>
#include <inttypes.h>

// Of a bank: rows of 256 bytes; elements of a vector, of which each group of the lowest layer has
// two banks, half of them X and half of them Y.
enum { BANK_ROWS = 65536, GROUP_VECTOR = 2 * BANK_ROWS * 32 / 2 };

uint64_t product_longest(const mapping_machine *w) {
  return (uint64_t)w->vaults * GROUP_VECTOR;
}

uint64_t product_largest(const mapping_machine *w) {
  return (uint64_t)w->vaults * w->groups * w->pes * (BANK_ROWS - 1) * MAPPING_DRAM_ROW;
}

static uint64_t length(const csr *m, uint32_t row) {
  return m->begin[row + 1] - m->begin[row];
}

// A row behind the last one ends the stream.
static uint64_t rows_of(const product *f, uint32_t pe) {
  uint64_t n = 1;
  for (uint32_t k = f->p->begin[pe]; k < f->p->begin[pe + 1]; k++)
    n += mapping_dram_rows(length(f->a, f->p->row[k]));
  return n;
}

bool product_fits(const product *f, char *why, size_t why_bytes) {
  const uint64_t vector = product_longest(&f->p->machine);
  const uint32_t longest = f->a->rows > f->a->cols ? f->a->rows : f->a->cols;
  if (longest > vector)
    return snprintf(why, why_bytes, "a vector has %" PRIu32 " elements, %" PRIu64 " are the most",
                    longest, vector),
           false;
  for (uint32_t pe = 0; pe < f->p->n; pe++)
    if (rows_of(f, pe) > BANK_ROWS)
      return snprintf(why, why_bytes,
                      "PE %" PRIu32 " has %" PRIu64 " DRAM rows of it, a bank has %d", pe,
                      rows_of(f, pe), BANK_ROWS),
             false;
  return true;
}

static double row_sum(const product *f, uint32_t row, const double *x) {
  const csr *m = f->a;
  const semiring s = f->semiring;
  double all = semiring_zero(s);
  for (uint64_t first = m->begin[row]; first < m->begin[row + 1]; first += MAPPING_DRAM_ROW) {
    const uint64_t left = m->begin[row + 1] - first;
    const uint64_t end = first + (left < MAPPING_DRAM_ROW ? left : MAPPING_DRAM_ROW);
    double sum = semiring_zero(s);
    for (uint64_t k = first; k < end; k++)
      sum = semiring_take(s, sum, m->value[k], x[m->col[k]]);
    all = first == m->begin[row] ? sum : semiring_sum(s, all, sum);
  }
  return all;
}

void product_run(const product *f, const double *x, double *y) {
  for (uint32_t k = 0; k < f->p->begin[f->p->n]; k++) {
    const uint32_t row = f->p->row[k];
    y[row] = semiring_sum(f->semiring, y[row], row_sum(f, row, x));
  }
}

typedef struct exact {
  long double sum, size;  // of the terms; of the finite ones, without signs
  uint64_t terms;
} exact;

static void exact_add(exact *e, long double term) {
  e->sum += term, e->terms++;
  if (isfinite(term))
    e->size += fabsl(term);
}

static exact exact_row(const product *f, uint32_t row, const double *x, double before) {
  const csr *m = f->a;
  exact e = {0};
  exact_add(&e, before);
  for (uint64_t k = m->begin[row]; k < m->begin[row + 1]; k++)
    exact_add(&e, (long double)m->value[k] * x[m->col[k]]);
  return e;
}

// Of n roundings to nearest, each of half a unit in the last place of a sum that is at most the sum
// of all sizes, or of half the smallest subnormal number. DRAM rows have sums of their own: at most
// as many again.
static long double allowed(const exact *e) {
  const long double n = 2 * (long double)e->terms, unit = DBL_EPSILON / 2;
  return n * unit / (1 - n * unit) * e->size + n * DBL_TRUE_MIN;
}

static double share(const exact *e, double y) {
  if (e->size > DBL_MAX && !isfinite(y))  // a sum on the way may have been too large
    return 0;
  if (!isfinite(e->sum))
    return y == e->sum || (isnan(y) && isnan(e->sum)) ? 0 : INFINITY;
  return isnan(y) ? INFINITY : (double)(fabsl(y - e->sum) / allowed(e));
}

// The smallest sum has one rounding, so it is the same in any order.
static double share_of_least(const product *f, uint32_t row, const double *x, double before,
                             double y) {
  const csr *m = f->a;
  double least = before;
  for (uint64_t k = m->begin[row]; k < m->begin[row + 1]; k++)
    least = fmin(least, m->value[k] + x[m->col[k]]);
  return least == y || (isnan(least) && isnan(y)) ? 0 : INFINITY;
}

product_check product_compare(const product *f, const double *x, const double *before,
                              const double *y) {
  product_check worst = {0, 0};
  for (uint32_t row = 0; row < f->a->rows; row++) {
    const exact e =
        f->semiring == SEMIRING_PLUS_TIMES ? exact_row(f, row, x, before[row]) : (exact){0};
    const double error = f->semiring == SEMIRING_PLUS_TIMES
                             ? share(&e, y[row])
                             : share_of_least(f, row, x, before[row], y[row]);
    if (error > worst.error)
      worst = (product_check){error, row};
  }
  return worst;
}
