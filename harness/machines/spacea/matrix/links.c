// SPDX-License-Identifier: Apache-2.0
// Graphs and other matrices without a mesh.
#include <math.h>
#include <stdlib.h>
#include "generate_priv.h"

typedef struct linker {
  const links *w;
  uint32_t cols;
  const uint32_t *popular;  // columns, the most popular first
  uint32_t *mark;           // column: the last row that has it, from 1 on
  dice *d;
} linker;

static uint32_t anywhere(linker *l) {
  return l->popular[(uint32_t)(pow(dice_unit(l->d), l->w->skew) * l->cols)];
}
static uint32_t nearby(linker *l, uint32_t row) {
  const uint32_t first = row - row % l->w->block;
  const uint32_t room = l->cols - first < l->w->block ? l->cols - first : l->w->block;
  return first + dice_below(l->d, room);
}

// A column that the row does not have.
static uint32_t fresh(linker *l, uint32_t row, bool local) {
  uint32_t c = 0;
  for (int tries = 0; tries < 64; tries++) {
    c = local && tries < 32 ? nearby(l, row) : anywhere(l);
    if (l->mark[c] != row + 1)
      break;
  }
  while (l->mark[c] == row + 1)
    c = c + 1 < l->cols ? c + 1 : 0;
  l->mark[c] = row + 1;
  return c;
}

bool links_make(csr *m, const links *w, const lengths_wanted *lengths, dice *d) {
  uint32_t *length = malloc(m->rows * sizeof *length), *col = malloc(m->cols * sizeof *col),
           *popular = malloc(m->cols * sizeof *popular), *mark = calloc(m->cols, sizeof *mark);
  csr_rows r;
  bool good = length && col && popular && mark && lengths_make(length, m->rows, lengths, d) &&
              csr_rows_begin(&r, m, (uint64_t)(lengths->mean * m->rows * 1.02));
  if (good)
    dice_order(d, popular, m->cols);
  linker l = {w, m->cols, popular, mark, d};
  for (uint32_t row = 0; good && row < m->rows; row++) {
    const double local = fmin(length[row] * w->local, w->block / 2);
    for (uint32_t k = 0; k < length[row]; k++)
      col[k] = fresh(&l, row, k < local);
    good = csr_rows_add(&r, col, length[row]);
  }
  free(length), free(col), free(popular), free(mark);
  return good;
}

// ---- R-MAT: a quarter of the matrix is chosen again and again

static csr_entry rmat(uint32_t n, unsigned bits, dice *d) {
  uint32_t row, col;
  do {
    row = col = 0;
    for (unsigned k = 0; k < bits; k++) {
      const double u = dice_unit(d);
      row = row << 1 | (u >= 0.76);
      col = col << 1 | ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
  } while (row >= n || col >= n);
  return (csr_entry){row, col, 1};
}

// What is drawn twice is there once, so that more is drawn until the number is reached within a
// thousandth.
bool powers_make(csr *m, uint64_t entries, dice *d) {
  const uint32_t n = m->rows;
  unsigned bits = 0;
  while (bits < 32 && n > 1ull << bits)
    bits++;
  *m = (csr){0};
  for (uint64_t kept = 0; kept < entries - entries / 1000;) {
    csr_entry *e = malloc((entries + 1) * sizeof *e);
    if (!e)
      return csr_free(m), false;
    uint64_t k = 0;
    for (uint32_t row = 0; kept && row < n; row++)
      for (uint64_t i = m->begin[row]; i < m->begin[row + 1]; i++)
        e[k++] = (csr_entry){row, m->col[i], 1};
    csr_free(m);
    while (k < entries)
      e[k++] = rmat(n, bits, d);
    if (!csr_sum(m, n, n, e, k))
      return false;
    kept = csr_count(m);
  }
  return true;
}
