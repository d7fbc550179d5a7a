// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include <stdlib.h>
#include <string.h>

bool near_lines_make(near_lines *l, const csr *m) {
  uint64_t n = 0;
  *l = (near_lines){.begin = malloc(((size_t)m->rows + 1) * sizeof *l->begin),
                    .line = malloc((csr_count(m) + 1) * sizeof *l->line)};
  if (!l->begin || !l->line) {
    near_lines_free(l);
    return false;
  }
  for (uint32_t r = 0; r < m->rows; r++) {
    l->begin[r] = n;
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k++)  // columns of a row rise
      if (n == l->begin[r] || l->line[n - 1] != m->col[k] / NEAR_LINE)
        l->line[n++] = m->col[k] / NEAR_LINE;
  }
  l->begin[m->rows] = n;
  l->sets =
      (column_sets){m->rows, (m->cols + NEAR_LINE - 1) / NEAR_LINE, l->begin, l->line, m->begin};
  return true;
}

void near_lines_free(near_lines *l) {
  free(l->begin), free(l->line);
  *l = (near_lines){0};
}

typedef struct need {
  uint32_t lines, vault, home;
} need;

static int by_lines(const void *a, const void *b) {
  const need *x = a, *y = b;
  if (x->lines != y->lines)
    return x->lines > y->lines ? -1 : 1;
  if (x->vault != y->vault)
    return x->vault < y->vault ? -1 : 1;
  return x->home < y->home ? -1 : x->home > y->home;
}

bool near_homes(const column_sets *vaults, uint32_t share, uint32_t *where) {
  const uint32_t n = vaults->n;
  need *needs = calloc((size_t)n * n, sizeof *needs);
  bool *taken = calloc(n, sizeof *taken);
  if (needs && taken) {
    for (uint32_t v = 0; v < n; v++) {
      for (uint32_t h = 0; h < n; h++)
        needs[v * n + h].vault = v, needs[v * n + h].home = h;
      for (uint64_t k = vaults->begin[v]; k < vaults->begin[v + 1]; k++)
        needs[v * n + vaults->col[k] * NEAR_LINE / share].lines++;
    }
    qsort(needs, (size_t)n * n, sizeof *needs, by_lines);
    memset(where, 0xff, n * sizeof *where);
    for (size_t k = 0; k < (size_t)n * n; k++) {
      const need *d = &needs[k];
      if (where[d->vault] == UINT32_MAX && !taken[d->home])
        where[d->vault] = d->home, taken[d->home] = true;
    }
  }
  const bool good = needs && taken;
  free(needs), free(taken);
  return good;
}
