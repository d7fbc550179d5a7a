// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on SpaceA: solves A u = b, where A is the Laplacian of a square grid, whose
// points have four neighbours. The machine multiplies by A; what is done with vectors is done here.
// docs/spacea.md says how to build it.
//
//   conjugate_gradient [SIDE [CONFIG [NEAR]]]
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <spmv.h>

enum { MOST = 10000 };

typedef struct problem {
  uint32_t side, n;
  uint64_t *row_ptr;
  uint32_t *col;
  double *val;
} problem;

static void put(problem *p, uint64_t *at, uint32_t col, double value) {
  p->col[*at] = col, p->val[*at] = value;
  ++*at;
}

static problem laplacian(uint32_t side) {
  const uint32_t n = side * side;
  problem p = {side, n, malloc((n + 1) * sizeof *p.row_ptr), malloc(5 * n * sizeof *p.col),
               malloc(5 * n * sizeof *p.val)};
  uint64_t at = 0;
  if (!p.row_ptr || !p.col || !p.val)
    abort();
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t x = k % side, y = k / side;
    p.row_ptr[k] = at;
    if (y)
      put(&p, &at, k - side, -1);
    if (x)
      put(&p, &at, k - 1, -1);
    put(&p, &at, k, 4);
    if (x + 1 < side)
      put(&p, &at, k + 1, -1);
    if (y + 1 < side)
      put(&p, &at, k + side, -1);
  }
  p.row_ptr[n] = at;
  return p;
}

static double dot(const double *a, const double *b, uint32_t n) {
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

// What the machine has, and the cycles that it took.
typedef struct solver {
  spmv_matrix *a;
  spmv_vector *x, *y;
  uint64_t cycles;
} solver;

// to = A from
static bool multiply(solver *s, const double *from, double *to, uint32_t n) {
  if (!spmv_put(s->x, from, n) || !spmv_fill(s->y, 0) || !spmv_run(s->a, s->x, s->y))
    return false;
  s->cycles += spmv_cycles(s->a);
  return spmv_get(s->y, to, n);
}

// From u = 0 until the residual, which begins as b, is 1e-10 of b. `w` has room for 3 n. Returns
// how often it multiplied; 0: the machine failed.
static uint32_t solve(solver *s, const double *b, double *u, uint32_t n, double *w) {
  double *r = w, *p = w + n, *q = w + 2 * (size_t)n;
  const double enough = 1e-20 * dot(b, b, n);
  for (uint32_t k = 0; k < n; k++)
    u[k] = 0, r[k] = p[k] = b[k];
  double now = dot(r, r, n);
  uint32_t times = 0;
  while (now > enough && times < MOST) {
    if (!multiply(s, p, q, n))
      return 0;
    const double step = now / dot(p, q, n), before = now;
    for (uint32_t k = 0; k < n; k++)
      u[k] += step * p[k], r[k] -= step * q[k];
    now = dot(r, r, n);
    for (uint32_t k = 0; k < n; k++)
      p[k] = r[k] + now / before * p[k];
    times++;
  }
  return times;
}

// b is A times a vector that is known, so the solution is, too.
static double known(uint32_t k) {
  return 1 + k % 7;
}

static int run(spmv_device *d, const problem *m) {
  const uint32_t n = m->n;
  double *u = malloc(n * sizeof *u), *b = calloc(n, sizeof *b), *w = malloc(3 * n * sizeof *w);
  if (!u || !b || !w)
    abort();
  for (uint32_t r = 0; r < n; r++)
    for (uint64_t k = m->row_ptr[r]; k < m->row_ptr[r + 1]; k++)
      b[r] += m->val[k] * known(m->col[k]);
  solver s = {spmv_matrix_new(d, n, n, m->row_ptr, m->col, m->val, SPMV_MAP_SPACEA),
              spmv_vector_new(d, n), spmv_vector_new(d, n), 0};
  const uint32_t times = solve(&s, b, u, n, w);
  double error = 0;
  for (uint32_t k = 0; k < n; k++)
    error = fmax(error, fabs(u[k] - known(k)));
  if (!times) {
    fprintf(stderr, "conjugate_gradient: %s\n", spmv_error(d));
  } else {
    printf("grid            %" PRIu32 " x %" PRIu32 ", %" PRIu64 " entries\n", m->side, m->side,
           m->row_ptr[n]);
    printf("multiplied      %" PRIu32 " times\n", times);
    if (s.cycles)
      printf("cycles          %" PRIu64 "\n", s.cycles);
    printf("largest error   %.1e\n%s\n", error, error < 1e-7 ? "PASS" : "FAIL");
  }
  spmv_matrix_free(s.a);
  spmv_vector_free(s.x), spmv_vector_free(s.y);
  free(u), free(b), free(w);
  return times && error < 1e-7 ? 0 : 1;
}

int main(int argc, char **argv) {
  const unsigned long side = argc > 1 ? strtoul(argv[1], NULL, 10) : 32;
  char why[1024];
  if (!side || side > 10000) {
    fprintf(stderr, "conjugate_gradient: SIDE is 1 to 10000, not '%s'\n", argv[1]);
    return 2;
  }
  spmv_device *d =
      spmv_open(argc > 2 ? argv[2] : "spacea-small", argc > 3 ? argv[3] : "c", 1, why, sizeof why);
  if (!d) {
    fprintf(stderr, "conjugate_gradient: %s\n", why);
    return 2;
  }
  problem m = laplacian((uint32_t)side);
  const int status = run(d, &m);
  free(m.row_ptr), free(m.col), free(m.val);
  spmv_close(d);
  return status;
}
