// SPDX-License-Identifier: Apache-2.0
// The library as its users have it: sums that are exact beside plain loops, with and without time;
// iterations; distances; several matrices on a device; each wrong use with its sentence.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <spmv.h>

enum { MOST = 60 };

// Random whole numbers, which are the same on every host.
static uint32_t below(uint64_t *seed, uint32_t n) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % n;
}

typedef struct arrays {
  uint32_t m, n;
  uint64_t row_ptr[MOST + 1];
  uint32_t col[MOST * MOST];
  double val[MOST * MOST];
} arrays;

// Columns of a row in any order, some of them twice; some rows are empty.
static void fill(arrays *a, uint32_t m, uint32_t n, uint64_t *seed) {
  uint64_t at = 0;
  a->m = m, a->n = n;
  for (uint32_t r = 0; r < m; r++) {
    const uint32_t length = r % 7 == 3 ? 0 : below(seed, n);
    a->row_ptr[r] = at;
    for (uint32_t k = 0; k < length; k++, at++)
      a->col[at] = below(seed, n), a->val[at] = (double)below(seed, 19) - 9;
  }
  a->row_ptr[m] = at;
}

static double sum_at(const arrays *a, uint32_t r, uint64_t k) {
  double sum = 0;
  for (uint64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
    if (a->col[e] == a->col[k])
      sum += a->val[e];
  return sum;
}

// What the machine is to compute.
static void plain(const arrays *a, spmv_semiring_kind kind, const double *x, double *y) {
  for (uint32_t r = 0; r < a->m; r++)
    for (uint64_t k = a->row_ptr[r]; k < a->row_ptr[r + 1]; k++)
      y[r] = kind == SPMV_PLUS_TIMES ? y[r] + a->val[k] * x[a->col[k]]
                                     : fmin(y[r], sum_at(a, r, k) + x[a->col[k]]);
}

static spmv_device *device(const char *near) {
  char why[1024] = "";
  spmv_device *d = spmv_open("spacea-small", near, 1, why, sizeof why);
  if (!d)
    fail_msg("%s", why);
  assert_string_equal(spmv_error(d), "");
  return d;
}

static spmv_matrix *matrix(spmv_device *d, const arrays *a, spmv_mapping_kind map) {
  spmv_matrix *made = spmv_matrix_new(d, a->m, a->n, a->row_ptr, a->col, a->val, map);
  if (!made)
    fail_msg("%s", spmv_error(d));
  return made;
}

static spmv_vector *vector(spmv_device *d, const double *from, uint32_t n) {
  spmv_vector *v = spmv_vector_new(d, n);
  assert_non_null(v);
  assert_true(spmv_put(v, from, n));
  return v;
}

static void assert_vector(const spmv_vector *v, const double *want, uint32_t n) {
  double got[MOST];
  assert_true(spmv_get(v, got, n));
  assert_memory_equal(got, want, n * sizeof *want);
}

// ---- what is computed

static void one_case(spmv_device *d, unsigned number, uint64_t *seed) {
  arrays a;
  const uint32_t m = number % 5 ? 1 + below(seed, MOST) : 1;
  const spmv_semiring_kind kind = number & 1 ? SPMV_MIN_PLUS : SPMV_PLUS_TIMES;
  double from[MOST], want[MOST];
  fill(&a, m, number % 7 ? 1 + below(seed, MOST) : 1, seed);
  for (uint32_t c = 0; c < a.n; c++)
    from[c] = (double)below(seed, 1000) - 500;
  for (uint32_t r = 0; r < a.m; r++)
    want[r] = below(seed, 9);
  spmv_matrix *it = matrix(d, &a, number & 2 ? SPMV_MAP_NAIVE : SPMV_MAP_SPACEA);
  spmv_vector *x = vector(d, from, a.n), *y = vector(d, want, a.m);
  assert_true(spmv_semiring(it, kind));
  for (int again = 0; again < 2; again++) {
    assert_true(spmv_run(it, x, y));
    plain(&a, kind, from, want);
    assert_vector(y, want, a.m);
  }
  assert_vector(x, from, a.n);
  spmv_matrix_free(it), spmv_vector_free(x), spmv_vector_free(y);
}

static void cases(const char *near, unsigned n) {
  uint64_t seed = 11;
  spmv_device *d = device(near);
  for (unsigned k = 0; k < n; k++)
    one_case(d, k, &seed);
  spmv_close(d);
}

static void as_plain_loops(void **state) {
  (void)state;
  cases("none", 300);
}

static void as_plain_loops_in_time(void **state) {
  (void)state;
  cases("c", 24);
}

static const arrays fibonacci = {2, 2, {0, 2, 3}, {1, 0, 0}, {1, 1, 1}};

static void iterations(void **state) {
  (void)state;
  static const char *const near[] = {"none", "c"};
  for (int k = 0; k < 2; k++) {
    spmv_device *d = device(near[k]);
    spmv_matrix *a = matrix(d, &fibonacci, SPMV_MAP_SPACEA);
    spmv_vector *x = vector(d, (double[]){1, 0}, 2), *y = vector(d, (double[]){7, 7}, 2);
    assert_true(spmv_iterate(a, x, y, 1));
    assert_vector(y, (double[]){1, 1}, 2);
    assert_vector(x, (double[]){1, 0}, 2);
    assert_true(spmv_iterate(a, x, y, 10));
    assert_vector(y, (double[]){89, 55}, 2);
    assert_vector(x, (double[]){55, 34}, 2);
    spmv_matrix_free(a), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
  }
}

// A way of three vertices, each of them 2 from the next one: entry (r, c) leads from c to r.
static void distances(void **state) {
  (void)state;
  static const arrays way = {3, 3, {0, 1, 2, 3}, {0, 0, 1}, {0, 2, 2}};
  spmv_device *d = device("c");
  spmv_matrix *a = matrix(d, &way, SPMV_MAP_SPACEA);
  spmv_vector *x = vector(d, (double[]){0, INFINITY, INFINITY}, 3), *y = spmv_vector_new(d, 3);
  assert_true(spmv_semiring(a, SPMV_MIN_PLUS) && spmv_iterate(a, x, y, 1));
  assert_vector(y, (double[]){0, 2, INFINITY}, 3);
  assert_true(spmv_iterate(a, y, x, 1));
  assert_vector(x, (double[]){0, 2, 4}, 3);
  // back to products: zero is 0 again
  assert_true(spmv_semiring(a, SPMV_PLUS_TIMES) && spmv_fill(x, 1) && spmv_iterate(a, x, y, 1));
  assert_vector(y, (double[]){0, 2, 2}, 3);
  spmv_matrix_free(a), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
}

// One after the other, and in turns; the second one after the first is gone.
static void two_matrices(void **state) {
  (void)state;
  static const arrays twice = {2, 2, {0, 1, 2}, {0, 1}, {2, 2}};
  spmv_device *d = device("c");
  spmv_matrix *a = matrix(d, &fibonacci, SPMV_MAP_SPACEA), *b = matrix(d, &twice, SPMV_MAP_NAIVE);
  spmv_vector *x = vector(d, (double[]){3, 5}, 2), *y = spmv_vector_new(d, 2);
  assert_true(spmv_run(a, x, y));
  assert_vector(y, (double[]){8, 3}, 2);
  assert_true(spmv_run(b, x, y));
  assert_vector(y, (double[]){14, 13}, 2);
  assert_true(spmv_run(a, x, y));
  assert_vector(y, (double[]){22, 16}, 2);
  spmv_matrix_free(a);
  assert_true(spmv_run(b, x, y));
  assert_vector(y, (double[]){28, 26}, 2);
  spmv_matrix_free(b), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
}

// The matrix is the device's own: the arrays of the caller may change.
static void arrays_are_copied(void **state) {
  (void)state;
  arrays a = fibonacci;
  spmv_device *d = device("none");
  spmv_matrix *it = matrix(d, &a, SPMV_MAP_SPACEA);
  spmv_vector *x = vector(d, (double[]){3, 5}, 2), *y = spmv_vector_new(d, 2);
  memset(&a, 0xff, sizeof a);
  assert_true(spmv_run(it, x, y));
  assert_vector(y, (double[]){8, 3}, 2);
  spmv_matrix_free(it), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
}

// ---- cycles and counters

static char *contents(const char *name) {
  FILE *f = fopen(name, "r");
  char *text = calloc(1, 1 << 20);
  assert_true(f && text && fread(text, 1, (1 << 20) - 1, f));
  fclose(f);
  return text;
}

// The number behind "key": in a text of JSON, the first one.
static uint64_t number(const char *text, const char *key) {
  const char *at = strstr(text, key);
  assert_non_null(at);
  return strtoull(at + strlen(key) + strspn(at + strlen(key), ":\" "), NULL, 10);
}

static void counts(void **state) {
  (void)state;
  char name[] = "test_spmv_XXXXXX";  // in the folder of the build
  spmv_device *d = device("c");
  spmv_matrix *a = matrix(d, &fibonacci, SPMV_MAP_SPACEA);
  spmv_vector *x = spmv_vector_new(d, 2), *y = spmv_vector_new(d, 2);
  assert_int_equal(spmv_cycles(a), 0);
  assert_true(spmv_run(a, x, y));
  const uint64_t one = spmv_cycles(a);
  assert_true(one > 10 && one < 10000);
  assert_true(spmv_iterate(a, x, y, 3));
  const uint64_t three = spmv_cycles(a);
  assert_true(three > 2 * one && three < 4 * one);
  close(mkstemp(name));
  assert_true(spmv_statistics(a, name));
  char *text = contents(name);
  assert_int_equal(number(text, "\"cycles"), one + three);
  assert_int_equal(number(text, "\"sums"), 4 * 2);
  free(text), unlink(name);
  assert_false(spmv_statistics(a, "/nowhere/s.json"));
  assert_string_equal(spmv_error(d), "cannot write '/nowhere/s.json': No such file or directory");
  assert_false(spmv_statistics(a, NULL));
  spmv_matrix_free(a), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
}

// Rows beside one another share columns, which only the mapping of the thesis knows.
static void mapping_is_taken(void **state) {
  (void)state;
  arrays a = {.m = MOST, .n = MOST};
  char name[] = "test_spmv_XXXXXX";
  uint64_t flits[2];
  close(mkstemp(name));
  for (uint32_t r = 0; r < MOST; r++)
    for (uint32_t k = 0; k < 20; k++) {
      const uint32_t at = 20 * r + k;
      a.row_ptr[r + 1] = at + 1, a.col[at] = (r / 20 * 20 + k) % MOST, a.val[at] = 1;
    }
  spmv_device *d = device("c");
  for (int map = 0; map < 2; map++) {
    spmv_matrix *it = matrix(d, &a, map ? SPMV_MAP_SPACEA : SPMV_MAP_NAIVE);
    spmv_vector *x = spmv_vector_new(d, MOST), *y = spmv_vector_new(d, MOST);
    assert_true(spmv_run(it, x, y));
    assert_true(spmv_statistics(it, name));
    char *text = contents(name);
    flits[map] = number(text, "\"on_chip_flits");
    free(text);
    spmv_matrix_free(it), spmv_vector_free(x), spmv_vector_free(y);
  }
  unlink(name);
  if (flits[1] >= flits[0])
    fail_msg("%d flits, and %d with rows at random", (int)flits[1], (int)flits[0]);
  spmv_close(d);
}

static void no_time_no_counters(void **state) {
  (void)state;
  spmv_device *d = device("none");
  spmv_matrix *a = matrix(d, &fibonacci, SPMV_MAP_SPACEA);
  spmv_vector *x = spmv_vector_new(d, 2), *y = spmv_vector_new(d, 2);
  assert_true(spmv_run(a, x, y));
  assert_int_equal(spmv_cycles(a), 0);
  assert_false(spmv_statistics(a, "none.json"));
  assert_string_equal(spmv_error(d), "near is none: the functional machine counts nothing");
  spmv_matrix_free(a), spmv_vector_free(x), spmv_vector_free(y), spmv_close(d);
}

// ---- wrong use

static void opens_not(const char *config, const char *near, unsigned threads, const char *want) {
  char why[1024] = "";
  assert_null(spmv_open(config, near, threads, why, sizeof why));
  if (!strstr(why, want))
    fail_msg("'%s' is not in '%s'", want, why);
}

static void wrong_devices(void **state) {
  (void)state;
  opens_not("spacea-large", "c", 1, "unknown preset 'spacea-large'");
  opens_not("no/such.yaml", "c", 1, "cannot read 'no/such.yaml'");
  opens_not("spacea:\n  turn: 99\n", "c", 1, "configuration:2: spacea.turn: 99 is out of range");
  opens_not(NULL, "verilog", 1, "near is none, c, rtl or lockstep, not 'verilog'");
  opens_not(NULL, NULL, 0, "threads are 1 to 64, not 0");
  opens_not(NULL, NULL, 65, "threads are 1 to 64, not 65");
  char why[1024];
  spmv_device *d = spmv_open("base: spacea-small\nspacea:\n  turn: 31\n", NULL, 2, why, sizeof why);
  assert_non_null(d);
  spmv_close(d);
}

static void said(const spmv_device *d, const char *want) {
  if (!strstr(spmv_error(d), want))
    fail_msg("'%s' is not in '%s'", want, spmv_error(d));
}

static void wrong_matrices(void **state) {
  (void)state;
  static const struct {
    uint32_t m, n;
    uint64_t row_ptr[3];
    uint32_t col[2];
    int map;
    const char *why;
  } wrong[] = {
      {0, 2, {0}, {0}, 0, "a matrix of 0 rows"},
      {2, 0, {0, 1, 2}, {0}, 0, "a matrix of 0 columns"},
      {2, 4000000000, {0, 1, 2}, {0}, 0, "a matrix of 4000000000 columns: 1 to 8388608 have room"},
      {2, 2, {1, 1, 2}, {0}, 0, "row_ptr[0] is 1, not 0"},
      {2, 2, {0, 2, 1}, {0}, 0, "row_ptr[2] is 1, less than row_ptr[1], which is 2"},
      {2, 2, {0, 0, 1ull << 40}, {0}, 0, "a matrix of 1099511627776 entries: 22019760 have room"},
      {2, 2, {0, 1, 2}, {0, 2}, 0, "col[1], of row 1, is 2; columns are 0 to 1"},
      {2, 2, {0, 1, 2}, {0}, 7, "7 is not a mapping"},
  };
  const double val[2] = {1, 1};
  spmv_device *d = device("none");
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_null(spmv_matrix_new(d, wrong[k].m, wrong[k].n, wrong[k].row_ptr, wrong[k].col, val,
                                (spmv_mapping_kind)wrong[k].map));
    said(d, wrong[k].why);
  }
  assert_null(spmv_matrix_new(d, 1, 1, NULL, wrong[0].col, val, 0));
  said(d, "row_ptr is NULL");
  assert_null(spmv_matrix_new(d, 1, 1, (uint64_t[]){0, 1}, NULL, val, 0));
  said(d, "col is NULL, but row_ptr has 1 entries");
  assert_null(spmv_matrix_new(d, 1, 1, (uint64_t[]){0, 1}, wrong[0].col, NULL, 0));
  said(d, "val is NULL, but row_ptr has 1 entries");
  assert_null(spmv_matrix_new(NULL, 1, 1, (uint64_t[]){0, 0}, NULL, NULL, 0));
  spmv_matrix *none = spmv_matrix_new(d, 1, 1, (uint64_t[]){0, 0}, NULL, NULL, 0);
  assert_non_null(none);
  spmv_matrix_free(none), spmv_close(d);
}

// One row with more DRAM rows than a bank has.
static void no_room(void **state) {
  (void)state;
  enum { N = 65535 * 21 + 1 };
  uint32_t *col = malloc(N * sizeof *col);
  double *val = calloc(N, sizeof *val);
  assert_true(col && val);
  for (uint32_t k = 0; k < N; k++)
    col[k] = k;
  spmv_device *d = device("c");
  assert_null(spmv_matrix_new(d, 1, N, (uint64_t[]){0, N}, col, val, SPMV_MAP_SPACEA));
  said(d, "the matrix does not fit: PE 0 has 65537 DRAM rows of it, a bank has 65536");
  free(col), free(val), spmv_close(d);
}

static void wrong_vectors(void **state) {
  (void)state;
  double array[3] = {1, 2, 3};
  spmv_device *d = device("none"), *other = device("none");
  assert_null(spmv_vector_new(d, 0));
  said(d, "a vector of 0 elements");
  assert_null(spmv_vector_new(d, 8388609));
  said(d, "a vector of 8388609 elements: 1 to 8388608 have room");
  spmv_vector *x = vector(d, array, 2), *y = spmv_vector_new(d, 3),
              *far = spmv_vector_new(other, 2);
  assert_false(spmv_put(x, array, 3));
  said(d, "the vector has 2 elements, not 3");
  assert_false(spmv_get(x, array, 1));
  said(d, "the vector has 2 elements, not 1");
  assert_false(spmv_get(x, NULL, 2));
  said(d, "the array for the vector is NULL");

  arrays wide = {3, 2, {0, 1, 1, 2}, {0, 1}, {1, 1}};
  spmv_matrix *a = matrix(d, &wide, SPMV_MAP_SPACEA);
  assert_false(spmv_run(a, y, x));
  said(d, "x has 3 elements, the matrix has 2 columns");
  assert_false(spmv_run(a, x, far));
  said(d, "y is a vector of another device");
  assert_false(spmv_run(a, far, y));
  said(d, "x is a vector of another device");
  assert_false(spmv_run(a, x, x));
  said(d, "x and y are the same vector");
  spmv_vector *two = spmv_vector_new(d, 2);
  assert_false(spmv_run(a, x, two));
  said(d, "y has 2 elements, the matrix has 3 rows");
  assert_false(spmv_iterate(a, x, y, 2));
  said(d, "as many rows as columns, not 3 and 2");
  assert_false(spmv_semiring(a, (spmv_semiring_kind)5));
  said(d, "5 is not a semiring");
  spmv_matrix *square = matrix(d, &fibonacci, SPMV_MAP_SPACEA);
  assert_false(spmv_iterate(square, x, two, 0));
  said(d, "0 times: at least 1 is needed");
  // nothing of that changed anything
  assert_vector(x, (double[]){1, 2}, 2);
  assert_vector(y, (double[]){0, 0, 0}, 3);
  assert_true(spmv_run(a, x, y));
  assert_vector(y, (double[]){1, 0, 2}, 3);
  spmv_matrix_free(a), spmv_matrix_free(square);
  spmv_vector_free(x), spmv_vector_free(y), spmv_vector_free(far), spmv_vector_free(two);
  spmv_close(d), spmv_close(other);
}

// What could not be made is NULL; calls with it fail, and the sentence says why it is.
static void null_goes_through(void **state) {
  (void)state;
  spmv_device *d = device("none");
  spmv_vector *x = spmv_vector_new(d, 1), *y = spmv_vector_new(d, 0);
  assert_false(spmv_fill(y, 1) || spmv_run(NULL, x, y) || spmv_get(y, (double[]){0}, 0) ||
               spmv_put(NULL, NULL, 0) || spmv_iterate(NULL, x, y, 1) || spmv_cycles(NULL) ||
               spmv_semiring(NULL, SPMV_MIN_PLUS) || spmv_statistics(NULL, "s.json"));
  said(d, "a vector of 0 elements");
  assert_string_equal(spmv_error(NULL), "");
  spmv_matrix_free(NULL), spmv_vector_free(NULL), spmv_vector_free(x), spmv_close(d);
  spmv_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_plain_loops),
                                     cmocka_unit_test(as_plain_loops_in_time),
                                     cmocka_unit_test(iterations),
                                     cmocka_unit_test(distances),
                                     cmocka_unit_test(two_matrices),
                                     cmocka_unit_test(arrays_are_copied),
                                     cmocka_unit_test(counts),
                                     cmocka_unit_test(mapping_is_taken),
                                     cmocka_unit_test(no_time_no_counters),
                                     cmocka_unit_test(wrong_devices),
                                     cmocka_unit_test(wrong_matrices),
                                     cmocka_unit_test(no_room),
                                     cmocka_unit_test(wrong_vectors),
                                     cmocka_unit_test(null_goes_through)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
