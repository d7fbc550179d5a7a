// SPDX-License-Identifier: Apache-2.0
#include "generate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "generate_priv.h"

typedef enum { LOGNORMAL, POWER } tail;
typedef enum { MESHED, LINKED, POWERED } family;

// What the names of the table have in the same order.
typedef struct recipe {
  family family;
  lengths_wanted lengths;
  mesh mesh;
  links links;
} recipe;

const matrix_named matrices_named[] = {
#define MESH(n, r, e, mean, deviation, longest, u, x, y, z, order, what) \
  {n, what, r, e, mean, deviation},
#define LINKS(n, r, e, mean, deviation, longest, shortest, tail, block, local, skew, what) \
  {n, what, r, e, mean, deviation},
#define POWERS(n, r, e, what) {n, what, r, e, 0, 0},
#include "matrices.def"
#undef MESH
#undef LINKS
#undef POWERS
    {NULL, NULL, 0, 0, 0, 0}};

static const recipe recipes[] = {
#define MESH(n, r, e, mean, deviation, longest, u, x, y, z, order, what) \
  {MESHED, {mean, deviation, 1, longest, false}, {u, {x, y, z}, order}, {0, 0, 0}},
#define LINKS(n, r, e, mean, deviation, longest, shortest, tail, block, local, skew, what) \
  {LINKED, {mean, deviation, shortest, longest, (tail) == POWER}, {0}, {block, local, skew}},
#define POWERS(n, r, e, what) {.family = POWERED},
#include "matrices.def"
#undef MESH
#undef LINKS
#undef POWERS
};

matrix_values matrix_values_named(const char *name) {
  return !strcmp(name, "ones")       ? VALUES_ONES
         : !strcmp(name, "dominant") ? VALUES_DOMINANT
                                     : VALUES_UNIFORM;
}

const matrix_named *matrix_find(const char *name) {
  for (const matrix_named *n = matrices_named; n->name; n++)
    if (!strcasecmp(n->name, name))
      return n;
  return NULL;
}

// ---- rows

bool csr_rows_begin(csr_rows *r, csr *m, uint64_t expected) {
  *r = (csr_rows){m, 0, expected + 1};
  m->begin = calloc((size_t)m->rows + 1, sizeof *m->begin);
  m->col = malloc(r->room * sizeof *m->col);
  return m->begin && m->col;
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

bool csr_rows_add(csr_rows *r, const uint32_t *col, uint32_t n) {
  csr *m = r->m;
  const uint64_t at = m->begin[r->row];
  if (at + n > r->room) {
    r->room = (at + n) * 5 / 4;
    uint32_t *more = realloc(m->col, r->room * sizeof *more);
    if (!more)
      return false;
    m->col = more;
  }
  if (n)
    memcpy(m->col + at, col, n * sizeof *col);
  qsort(m->col + at, n, sizeof *col, ascending);
  m->begin[++r->row] = at + n;
  return true;
}

// ---- values

static void fill(csr *m, dice *d, matrix_values values) {
  for (uint32_t r = 0; r < m->rows; r++) {
    double *diagonal = NULL, sum = 0;
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k++) {
      m->value[k] = values == VALUES_ONES ? 1 : 2 * dice_unit(d) - 1;
      if (m->col[k] == r)
        diagonal = &m->value[k];
      else
        sum += fabs(m->value[k]);
    }
    if (diagonal && values == VALUES_DOMINANT)
      *diagonal = sum + 1;
  }
}

bool matrix_generate(csr *m, const matrix_named *which, uint64_t seed, matrix_values values) {
  const recipe *r = &recipes[which - matrices_named];
  dice d = {seed};
  *m = (csr){.rows = which->rows, .cols = which->rows};
  bool good = r->family == MESHED   ? mesh_make(m, &r->mesh, &r->lengths, &d)
              : r->family == LINKED ? links_make(m, &r->links, &r->lengths, &d)
                                    : powers_make(m, which->printed, &d);
  if (good && !m->value)
    good = (m->value = malloc((csr_count(m) + 1) * sizeof *m->value));
  if (good)
    fill(m, &d, values);
  else
    csr_free(m);
  return good;
}
