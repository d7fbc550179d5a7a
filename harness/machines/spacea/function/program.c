// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool lengths_are_ways(const csr *m, char *why, size_t why_bytes) {
  for (uint32_t r = 0; r < m->rows; r++)
    for (uint64_t k = m->begin[r]; k < m->begin[r + 1]; k++)
      if (!(m->value[k] >= 0))
        return snprintf(why, why_bytes,
                        "distances need lengths from 0 on; row %" PRIu32 ", column %" PRIu32
                        " is %g",
                        r + 1, m->col[k] + 1, m->value[k]),
               false;
  return true;
}

bool spacea_takes(const spacea_program *g, csr *m, char *why, size_t why_bytes) {
  if ((g->kind || g->most > 1) && m->rows != m->cols)
    return snprintf(why, why_bytes,
                    "Y becomes X, so as many rows as columns are needed, not %" PRIu32
                    " and %" PRIu32,
                    m->rows, m->cols),
           false;
  if (g->kind == PROGRAM_SSSP && g->from >= m->rows)
    return snprintf(why, why_bytes, "--from is a vertex from 1 to %" PRIu32, m->rows), false;
  if (g->kind == PROGRAM_PAGERANK)
    for (uint64_t k = 0; k < csr_count(m); k++)
      m->value[k] = 1;
  return g->kind != PROGRAM_SSSP || lengths_are_ways(m, why, why_bytes);
}

semiring spacea_semiring(const spacea_program *g) {
  return g->kind == PROGRAM_PAGERANK ? SEMIRING_PLUS_TIMES
         : g->kind == PROGRAM_SSSP   ? SEMIRING_MIN_PLUS
                                     : g->semiring;
}

static bool compute(void *ctx, const product *f, const double *x, double *y) {
  (void)ctx;
  product_run(f, x, y);
  return true;
}

typedef struct work {
  const spacea_program *g;
  spacea_multiplier by;
  product f;
  double *x, *y;
  double *before;   // of a multiplication, what was in y
  uint32_t *links;  // PROGRAM_PAGERANK: from each vertex
} work;

static void begin(work *w) {
  const csr *m = w->f.a;
  if (w->g->kind == PROGRAM_SSSP)
    for (uint32_t c = 0; c < m->cols; c++)
      w->x[c] = c == w->g->from ? 0 : INFINITY;
  if (w->g->kind != PROGRAM_PAGERANK)
    return;
  for (uint64_t k = 0; k < csr_count(m); k++)
    w->links[m->col[k]]++;
  for (uint32_t c = 0; c < m->cols; c++)
    w->x[c] = 1.0 / m->cols;
}

// What is in X and Y when a multiplication begins. Ranks of vertices without links go to all.
static void before_each(work *w) {
  const uint32_t n = w->f.a->rows;
  double start = semiring_zero(w->f.semiring), nowhere = 0;
  if (w->g->kind == PROGRAM_PAGERANK) {
    for (uint32_t c = 0; c < n; c++)
      if (w->links[c])
        w->x[c] *= w->g->damping / w->links[c];
      else
        nowhere += w->x[c], w->x[c] = 0;
    start = (1 - w->g->damping + w->g->damping * nowhere) / n;
  }
  for (uint32_t r = 0; r < n; r++)
    w->y[r] = w->before[r] = w->g->kind == PROGRAM_SSSP ? w->x[r] : start;
}

// `old`: X before, as the program sees it.
static bool settled(const work *w, const double *old) {
  double change = 0;
  if (w->g->kind == PROGRAM_NONE)
    return false;
  if (w->g->kind == PROGRAM_SSSP)
    return !memcmp(old, w->y, w->f.a->rows * sizeof *old);
  for (uint32_t r = 0; r < w->f.a->rows; r++)
    change += fabs(w->y[r] - old[r]);
  return change < w->g->less;
}

static void times(work *w, double *old, spacea_result *to) {
  const csr *m = w->f.a;
  begin(w);
  while (to->times < w->g->most && !to->settled) {
    if (to->times)
      memcpy(w->x, w->y, m->rows * sizeof *w->x);
    memcpy(old, w->x, m->cols * sizeof *old);
    before_each(w);
    if (!w->by.multiply(w->by.ctx, &w->f, w->x, w->y)) {
      to->failed = true;
      return;
    }
    const product_check c = product_compare(&w->f, w->x, w->before, w->y);
    if (c.error > to->worst.error)
      to->worst = c;
    to->settled = settled(w, old);
    to->times++;
  }
}

bool spacea_run(const spacea_program *g, const csr *m, const mapping *p,
                const spacea_multiplier *by, double *x, double *y, spacea_result *to) {
  work w = {.g = g, .f = {m, p, spacea_semiring(g)}, .x = x, .y = y};
  w.by = by ? *by : (spacea_multiplier){compute, NULL};
  double *old = malloc(m->cols * sizeof *old);
  w.before = malloc(m->rows * sizeof *w.before);
  w.links = calloc(m->cols, sizeof *w.links);
  const bool room = old && w.before && w.links;
  *to = (spacea_result){0};
  if (room)
    times(&w, old, to);
  free(old), free(w.before), free(w.links);
  return room && !to->failed;
}
