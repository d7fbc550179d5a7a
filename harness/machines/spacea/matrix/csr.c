// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "csr.h"

void csr_free(csr *m) {
  free(m->begin), free(m->col), free(m->value);
  *m = (csr){0};
}

static int by_column(const void *a, const void *b) {
  const csr_entry *x = a, *y = b;
  if (x->col != y->col)
    return x->col < y->col ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

// The entries of a row, with their number in place of the row, so that those of a column keep
// their order. Returns how many places are left.
static uint64_t row_sum(csr_entry *e, uint64_t n, uint32_t *col, double *value) {
  for (uint64_t k = 0; k < n; k++)
    e[k].row = (uint32_t)k;
  for (uint64_t k = 1; k < n; k++)
    if (e[k].col <= e[k - 1].col) {
      qsort(e, n, sizeof *e, by_column);
      break;
    }
  uint64_t kept = 0;
  for (uint64_t k = 0; k < n; k++)
    if (k && e[k].col == e[k - 1].col)
      value[kept - 1] += e[k].value;
    else
      col[kept] = e[k].col, value[kept++] = e[k].value;
  return kept;
}

bool csr_sum(csr *m, uint32_t rows, uint32_t cols, csr_entry *entries, uint64_t n) {
  uint64_t *at = calloc((size_t)rows + 2, sizeof *at);
  csr_entry *sorted = malloc((n + 1) * sizeof *sorted);
  *m = (csr){rows, cols, malloc(((size_t)rows + 1) * sizeof *m->begin),
             malloc((n + 1) * sizeof *m->col), malloc((n + 1) * sizeof *m->value)};
  const bool room = at && sorted && m->begin && m->col && m->value;
  if (room) {
    for (uint64_t k = 0; k < n; k++)
      at[entries[k].row + 2]++;
    for (uint32_t r = 0; r < rows; r++)
      at[r + 2] += at[r + 1];
    for (uint64_t k = 0; k < n; k++)
      sorted[at[entries[k].row + 1]++] = entries[k];
    uint64_t kept = 0;
    for (uint32_t r = 0; r < rows; r++) {
      m->begin[r] = kept;
      kept += row_sum(sorted + at[r], at[r + 1] - at[r], m->col + kept, m->value + kept);
    }
    m->begin[rows] = kept;
  } else {
    csr_free(m);
  }
  free(at), free(sorted), free(entries);
  return room;
}

static bool has(const csr *m, uint32_t row, uint32_t col) {
  uint64_t low = m->begin[row], high = m->begin[row + 1];
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (m->col[middle] < col)
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->begin[row + 1] && m->col[low] == col;
}

csr_facts csr_look(const csr *m) {
  csr_facts f = {.symmetric = m->rows == m->cols};
  const double n = (double)csr_count(m);
  f.mean = n / m->rows;
  double squares = 0, distance = 0;
  for (uint32_t r = 0; r < m->rows; r++) {
    const uint64_t length = m->begin[r + 1] - m->begin[r];
    squares += ((double)length - f.mean) * ((double)length - f.mean);
    f.longest = length > f.longest ? length : f.longest;
    f.empty += !length;
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k++) {
      const uint32_t c = m->col[k];
      const uint64_t away = c < r ? r - c : c - r;
      distance += (double)away;
      f.bandwidth = away > f.bandwidth ? away : f.bandwidth;
      f.symmetric = f.symmetric && has(m, c, r);
    }
  }
  f.deviation = sqrt(squares / m->rows);
  f.distance = n > 0 ? distance / n : 0;
  return f;
}
