// SPDX-License-Identifier: Apache-2.0
// The functional machine of SpaceA beside plain loops: random matrices of small whole numbers,
// whose sums are exact in any order; the values of IEEE; what the comparison must notice; distances
// and ranks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/spacea/function/program.h"
#include "harness/machines/spacea/matrix/random.h"

enum { CASES = 400, MOST = 90 };
static const mapping_machine machine = {3, 2, 2};

typedef struct fixture {
  csr m;
  mapping p;
  double *x, *y, *before;
} fixture;

// Entries that are not zero, as `at` says.
static fixture fixture_of(uint32_t rows, uint32_t cols, double (*at)(dice *, uint32_t, uint32_t),
                          dice *d, mapping_kind kind) {
  fixture f = {.x = calloc(cols, sizeof *f.x),
               .y = calloc(rows, sizeof *f.y),
               .before = calloc(rows, sizeof *f.before)};
  csr_entry *entries = malloc(((size_t)rows * cols + 1) * sizeof *entries);
  uint64_t n = 0;
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t c = 0; c < cols; c++) {
      const double v = at(d, r, c);
      if (v != 0)
        entries[n++] = (csr_entry){r, c, v};
    }
  assert_true(csr_sum(&f.m, rows, cols, entries, n));
  assert_true(mapping_make(&f.p, &f.m, &machine, kind, 1));
  return f;
}

static void fixture_end(fixture *f) {
  csr_free(&f->m), mapping_free(&f->p);
  free(f->x), free(f->y), free(f->before);
}

static double some(dice *d, uint32_t r, uint32_t c) {
  (void)c;
  return r % 7 == 3 || dice_below(d, 3) ? 0 : (double)dice_below(d, 19) - 9;
}

static void as_plain_loops(void **state) {
  (void)state;
  dice d = {3};
  for (unsigned k = 0; k < CASES; k++) {
    const uint32_t rows = k % 5 ? 1 + dice_below(&d, MOST) : 1;
    const uint32_t cols = k % 7 ? 1 + dice_below(&d, MOST) : 1;
    const semiring s = k & 1 ? SEMIRING_MIN_PLUS : SEMIRING_PLUS_TIMES;
    fixture f = fixture_of(rows, cols, some, &d, k & 2 ? MAPPING_NAIVE : MAPPING_SPACEA);
    double want[MOST];
    for (uint32_t c = 0; c < cols; c++)
      f.x[c] = (double)dice_below(&d, 1000) - 500;
    for (uint32_t r = 0; r < rows; r++)
      want[r] = f.y[r] = f.before[r] = dice_below(&d, 9);
    for (uint32_t r = 0; r < rows; r++)
      for (uint64_t e = f.m.begin[r]; e < f.m.begin[r + 1]; e++) {
        const double a = f.m.value[e], x = f.x[f.m.col[e]];
        want[r] = s == SEMIRING_PLUS_TIMES ? want[r] + a * x : want[r] < a + x ? want[r] : a + x;
      }
    const product it = {&f.m, &f.p, s};
    product_run(&it, f.x, f.y);
    assert_memory_equal(f.y, want, rows * sizeof *want);
    assert_true(product_compare(&it, f.x, f.before, f.y).error == 0);
    fixture_end(&f);
  }
}

static double ones(dice *d, uint32_t r, uint32_t c) {
  (void)d, (void)r, (void)c;
  return 1;
}

// Row sums of one row of x, whose elements are given.
static double sum_of(const double *x, uint32_t n, double *error) {
  dice d = {1};
  fixture f = fixture_of(1, n, ones, &d, MAPPING_SPACEA);
  memcpy(f.x, x, n * sizeof *x);
  const product it = {&f.m, &f.p, SEMIRING_PLUS_TIMES};
  product_run(&it, f.x, f.y);
  const double y = f.y[0];
  *error = product_compare(&it, f.x, f.before, f.y).error;
  fixture_end(&f);
  return y;
}

static void values_of_ieee(void **state) {
  (void)state;
  double error;
  assert_true(isnan(sum_of((double[]){1, NAN, 2}, 3, &error)) && error == 0);
  assert_true(isnan(sum_of((double[]){INFINITY, 1, -INFINITY}, 3, &error)) && error == 0);
  assert_true(sum_of((double[]){INFINITY, 1e308, 1e308}, 3, &error) == INFINITY && error == 0);
  assert_true(isinf(sum_of((double[]){1e308, 1e308, -1e308}, 3, &error)) && error == 0);
  assert_true(sum_of((double[]){5e-324, 5e-324, -1e-323}, 3, &error) == 0 && error == 0);
  assert_true(sum_of((double[]){1e16, 1, -1e16}, 3, &error) == 0 && error > 0 && error <= 1);
  // the machine's NaN has no sign, that of the host has
  assert_false(signbit(sum_of((double[]){INFINITY, -INFINITY}, 2, &error)));
  assert_true(signbit(semiring_sum(SEMIRING_MIN_PLUS, 0.0, -0.0)) &&
              signbit(semiring_sum(SEMIRING_MIN_PLUS, -0.0, 0.0)));
  assert_true(semiring_sum(SEMIRING_MIN_PLUS, NAN, 3) == 3 &&
              semiring_sum(SEMIRING_MIN_PLUS, 3, NAN) == 3);
}

// A result that is wrong by more than rounding, in the last row too.
static void wrong_is_noticed(void **state) {
  (void)state;
  dice d = {5};
  fixture f = fixture_of(40, 40, some, &d, MAPPING_SPACEA);
  for (uint32_t c = 0; c < 40; c++)
    f.x[c] = dice_unit(&d);
  const product it = {&f.m, &f.p, SEMIRING_PLUS_TIMES};
  product_run(&it, f.x, f.y);
  assert_true(product_compare(&it, f.x, f.before, f.y).error <= 1);
  for (uint32_t r = 0; r < 40; r++) {
    const double right = f.y[r];
    const double wrong[] = {right + 1e-10, right - 1e-10, NAN, INFINITY};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
      f.y[r] = wrong[k];
      const product_check c = product_compare(&it, f.x, f.before, f.y);
      assert_true(c.error > 1 && c.row == r);
    }
    f.y[r] = right;
  }
  fixture_end(&f);
}

static double ways(dice *d, uint32_t r, uint32_t c) {
  return r == c || dice_below(d, 9) ? 0 : 1 + dice_below(d, 20);
}

// Beside Bellman and Ford, vertex by vertex.
static void distances(void **state) {
  (void)state;
  dice d = {11};
  for (unsigned k = 0; k < 50; k++) {
    const uint32_t n = 2 + dice_below(&d, MOST - 2);
    fixture f = fixture_of(n, n, ways, &d, MAPPING_SPACEA);
    double want[MOST];
    char why[256];
    const spacea_program g = {.kind = PROGRAM_SSSP, .most = n + 1, .from = dice_below(&d, n)};
    for (uint32_t r = 0; r < n; r++)
      want[r] = r == g.from ? 0 : INFINITY;
    for (uint32_t again = 0; again < n; again++)
      for (uint32_t r = 0; r < n; r++)
        for (uint64_t e = f.m.begin[r]; e < f.m.begin[r + 1]; e++)
          want[r] = fmin(want[r], f.m.value[e] + want[f.m.col[e]]);
    spacea_result result;
    assert_true(spacea_takes(&g, &f.m, why, sizeof why));
    assert_true(spacea_run(&g, &f.m, &f.p, NULL, f.x, f.y, &result));
    assert_memory_equal(f.y, want, n * sizeof *want);
    assert_true(result.settled && result.worst.error == 0);
    fixture_end(&f);
  }
}

static double ring(dice *d, uint32_t r, uint32_t c) {
  (void)d;
  return (c < 4 && r == (c + 1) % 4) || (r == 4 && c == 0) ? 0.5 : 0;
}

// Four vertices in a ring, of which the first also links to a fifth, which links to nobody.
static void ranks(void **state) {
  (void)state;
  dice d = {1};
  fixture f = fixture_of(5, 5, ring, &d, MAPPING_SPACEA);
  char why[256];
  const spacea_program g = {.kind = PROGRAM_PAGERANK, .most = 1000, .damping = 0.85, .less = 1e-14};
  spacea_result result;
  assert_true(spacea_takes(&g, &f.m, why, sizeof why));
  assert_true(spacea_run(&g, &f.m, &f.p, NULL, f.x, f.y, &result));
  assert_true(result.settled && result.worst.error <= 1);
  const double *y = f.y, start = (0.15 + 0.85 * y[4]) / 5;
  const double want[] = {start + 0.85 * y[3], start + 0.85 * y[0] / 2, start + 0.85 * y[1],
                         start + 0.85 * y[2], start + 0.85 * y[0] / 2};
  double all = 0;
  for (unsigned r = 0; r < 5; r++) {
    assert_true(fabs(y[r] - want[r]) < 1e-12);
    all += y[r];
  }
  assert_true(fabs(all - 1) < 1e-12);
  fixture_end(&f);
}

// A row of a PE too many for its bank.
static void too_many_rows(void **state) {
  (void)state;
  char why[256] = "";
  uint32_t rows = 65536 * 4, *col = calloc(rows, sizeof *col);
  uint64_t *begin = malloc((rows + 1) * sizeof *begin);
  double *value = calloc(rows, sizeof *value);
  for (uint32_t r = 0; r <= rows; r++)
    begin[r] = r;
  const csr m = {rows, 1, begin, col, value};
  mapping p;
  assert_true(mapping_make(&p, &m, &(mapping_machine){1, 2, 2}, MAPPING_NAIVE, 1));
  assert_false(product_fits(&(product){&m, &p, SEMIRING_PLUS_TIMES}, why, sizeof why));
  assert_non_null(strstr(why, "65537 DRAM rows"));
  mapping_free(&p);
  assert_true(mapping_make(&p, &m, &(mapping_machine){1, 4, 2}, MAPPING_NAIVE, 1));
  assert_true(product_fits(&(product){&m, &p, SEMIRING_PLUS_TIMES}, why, sizeof why));
  mapping_free(&p);
  free(begin), free(col), free(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_plain_loops),
      cmocka_unit_test(values_of_ieee),
      cmocka_unit_test(wrong_is_noticed),
      cmocka_unit_test(distances),
      cmocka_unit_test(ranks),
      cmocka_unit_test(too_many_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
