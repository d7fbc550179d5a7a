// SPDX-License-Identifier: Apache-2.0
// A card of type SPACEA through the driver: exact sums of random matrices beside plain loops, their
// time, each wrong argument with its status and its sentence, contexts, resets.
//
//   test_driver_spacea [--seed N]
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/machines/spacea/library/spmv.h"
#include "rig.h"

static uint64_t seed = 1;

static uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static rig *spacea_rig(const char *const *sets, size_t n_sets) {
  char why[2000];
  return rig_on(card_machine_new_spacea("spacea-small", sets, n_sets, "c", 1, why, sizeof why),
                why);
}

// So that the record of an EVENT is there long before the end of a multiplication.
static const char *const fast_link[] = {"link.latency=1"};

// ---- matrices

enum { MOST = 40 };

typedef struct arrays {
  uint32_t m, n;
  uint64_t row_ptr[MOST + 1];
  uint32_t col[MOST * MOST];
  double val[MOST * MOST], x[MOST], y[MOST];
} arrays;

// Whole numbers, so that sums are exact in any order; a place at most once.
static arrays *random_arrays(uint32_t m, uint32_t n) {
  arrays *a = calloc(1, sizeof *a);
  assert_non_null(a);
  a->m = m, a->n = n;
  for (uint32_t r = 0, at = 0; r < m; r++) {
    for (uint32_t c = 0; c < n && r % 7 != 3; c++)
      if (below(3) == 0)
        a->col[at] = c, a->val[at++] = (double)below(19) - 9;
    a->row_ptr[r + 1] = at;
  }
  for (uint32_t c = 0; c < n; c++)
    a->x[c] = (double)below(1000) - 500;
  for (uint32_t r = 0; r < m; r++)
    a->y[r] = (double)below(1000) - 500;
  return a;
}

static void multiply_plain(arrays *a, uint32_t semiring) {
  for (uint32_t r = 0; r < a->m; r++)
    for (uint64_t k = a->row_ptr[r]; k < a->row_ptr[r + 1]; k++)
      a->y[r] = semiring == CARD_SEMIRING_PLUS_TIMES ? a->y[r] + a->val[k] * a->x[a->col[k]]
                                                     : fmin(a->y[r], a->val[k] + a->x[a->col[k]]);
}

// The same in device memory.
typedef struct device {
  driver_csr csr;
  uint64_t x, y;
} device;

static uint64_t copied(driver *d, const void *from, uint64_t bytes) {
  const uint64_t to = alloc_of(d, bytes ? bytes : 1);
  OK(driver_write(d, to, from, bytes));
  return to;
}

static device copy_of(driver *d, const arrays *a) {
  const uint64_t n = a->row_ptr[a->m];
  return (device){
      {copied(d, a->row_ptr, (a->m + 1) * sizeof *a->row_ptr),
       copied(d, a->col, n * sizeof *a->col), copied(d, a->val, n * sizeof *a->val), a->m, a->n},
      copied(d, a->x, a->n * sizeof *a->x),
      copied(d, a->y, a->m * sizeof *a->y)};
}

static void expect_y(driver *d, const device *v, const arrays *a) {
  double got[MOST];
  OK(driver_read(d, got, v->y, a->m * sizeof *got));
  assert_memory_equal(got, a->y, a->m * sizeof *got);
}

// What spmv.h counts of the same multiplication.
static uint64_t cycles_of_library(const arrays *a, bool naive, uint32_t semiring) {
  char why[1000];
  spmv_device *d = spmv_open("spacea-small", "c", 1, why, sizeof why);
  assert_non_null(d);
  spmv_matrix *m = spmv_matrix_new(d, a->m, a->n, a->row_ptr, a->col, a->val,
                                   naive ? SPMV_MAP_NAIVE : SPMV_MAP_SPACEA);
  spmv_vector *x = spmv_vector_new(d, a->n), *y = spmv_vector_new(d, a->m);
  assert_true(
      spmv_semiring(m, semiring == CARD_SEMIRING_PLUS_TIMES ? SPMV_PLUS_TIMES : SPMV_MIN_PLUS));
  assert_true(spmv_put(x, a->x, a->n) && spmv_put(y, a->y, a->m) && spmv_run(m, x, y));
  const uint64_t cycles = spmv_cycles(m);
  spmv_vector_free(x), spmv_vector_free(y), spmv_matrix_free(m), spmv_close(d);
  return cycles;
}

// ---- what is computed

static void registers(void **state) {
  (void)state;
  static const char *const sets[] = {"spacea.vaults=2"};
  rig *r = spacea_rig(sets, 1);
  driver *d = open_one(r);
  assert_int_equal(driver_type(d), CARD_TYPE_SPACEA);
  assert_int_equal(driver_cores(d), 2);
  assert_true(driver_memory(d) == 2ull * 3 * 2 * (16 << 20));  // vaults, layers, banks
  driver_close(d);
  rig_close(r);
}

static void sums(void **state) {
  (void)state;
  rig *r = spacea_rig(NULL, 0);
  driver *d = open_one(r);
  for (uint32_t k = 0; k < 12; k++) {
    arrays *a = random_arrays(1 + below(MOST), 1 + below(MOST));
    const device v = copy_of(d, a);
    const uint32_t semiring = k & 1 ? CARD_SEMIRING_MIN_PLUS : CARD_SEMIRING_PLUS_TIMES;
    uint32_t matrix = 99;
    OK(driver_matrix(d, &v.csr, k & 2 ? CARD_MAPPING_NAIVE : CARD_MAPPING_SPACEA, &matrix));
    // the arrays were copied
    OK(driver_fill(d, v.csr.row_ptr, 0xff, (a->m + 1) * sizeof *a->row_ptr));
    for (uint32_t again = 0; again < 3; again++) {
      card_record c;
      const uint64_t cycles = again ? 0 : cycles_of_library(a, k & 2, semiring);
      OK(driver_multiply(d, matrix, v.x, v.y, semiring, &c));
      assert_true(c.words[CARD_MULTIPLY_GIVES_CYCLES] > 0);
      assert_true(!cycles || c.words[CARD_MULTIPLY_GIVES_CYCLES] == cycles);
      assert_true(c.end - c.begin == c.words[CARD_MULTIPLY_GIVES_CYCLES] * CARD_PERIOD);
      multiply_plain(a, semiring);
      expect_y(d, &v, a);
    }
    if (k % 3)  // the others stay
      OK(driver_matrix_free(d, matrix));
    free(a);
  }
  driver_close(d);
  rig_close(r);
}

static void empty_and_in_place(void **state) {
  (void)state;
  rig *r = spacea_rig(NULL, 0);
  driver *d = open_one(r);
  arrays a = {.m = 2, .n = 2, .row_ptr = {0, 1, 3}, .col = {1, 1, 0}, .val = {2, 3, 4}};
  a.x[0] = 10, a.x[1] = 100;
  const device v = copy_of(d, &a);
  uint32_t one, none;
  OK(driver_matrix(d, &v.csr, CARD_MAPPING_SPACEA, &one));
  OK(driver_multiply(d, one, v.x, v.x, CARD_SEMIRING_PLUS_TIMES, NULL));
  double got[2];
  OK(driver_read(d, got, v.x, sizeof got));
  assert_true(got[0] == 10 + 200 && got[1] == 100 + 300 + 40);
  // no entries: no arrays of them are needed
  const uint64_t zeros[3] = {0};
  const driver_csr empty = {copied(d, zeros, sizeof zeros), 0, 3, 2, 2};
  OK(driver_matrix(d, &empty, CARD_MAPPING_NAIVE, &none));
  assert_int_not_equal(one, none);
  OK(driver_multiply(d, none, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, NULL));
  expect_y(d, &v, &a);
  driver_close(d);
  rig_close(r);
}

// ---- time

static void time_passes(void **state) {
  (void)state;
  rig *r = spacea_rig(fast_link, 1);
  driver *d = open_one(r);
  arrays *a = random_arrays(MOST, MOST);
  const device v = copy_of(d, a);
  const uint64_t n = a->row_ptr[MOST], bytes = (MOST + 1) * 8 + n * 12, cycle = 32 * 4;
  uint32_t matrix;
  card_record c;
  const card_command make = {.opcode = CARD_DO_MATRIX,
                             .words = {v.csr.row_ptr, v.csr.col, v.csr.val, MOST, MOST}};
  uint32_t number;
  OK(driver_submit(d, &make, &number));
  OK(driver_finish(d, number, &c));
  matrix = (uint32_t)c.words[CARD_MATRIX_GIVES_MATRIX];
  assert_true(c.end - c.begin == (bytes + cycle - 1) / cycle * CARD_PERIOD);
  const uint64_t before = r->now, busy = card_counted(r->card).ps_machine;
  OK(driver_multiply(d, matrix, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, &c));
  const uint64_t took = c.words[CARD_MULTIPLY_GIVES_CYCLES] * CARD_PERIOD;
  assert_true(took > 0 && r->now - before > took);
  assert_true(card_counted(r->card).ps_machine - busy == took);
  uint64_t time;
  assert_true(card_read(r->card, CARD_R_TIME, 8, &time) && time >= c.end);
  // y is there at the end and not before; the machine is one
  OK(driver_write(d, v.y, a->y, sizeof a->y));
  const uint32_t first = submit_of(d, CARD_DO_MULTIPLY, 0, matrix, v.x, v.y);
  const uint32_t second = submit_of(d, CARD_DO_MULTIPLY, 1, matrix, v.x, v.y);
  const uint32_t read = submit_of(d, CARD_DO_EVENT, 2, 0, 0, 0);
  OK(driver_finish(d, read, NULL));
  double got[MOST];
  assert_true(card_window_read(r->card, v.y, got, sizeof got));
  assert_memory_equal(got, a->y, sizeof got);
  card_record c1, c2;
  OK(driver_finish(d, first, &c1));
  OK(driver_finish(d, second, &c2));
  assert_true(c1.end - c1.begin == c1.words[CARD_MULTIPLY_GIVES_CYCLES] * CARD_PERIOD);
  assert_true(c2.begin == c1.end);
  multiply_plain(a, CARD_SEMIRING_PLUS_TIMES), multiply_plain(a, CARD_SEMIRING_PLUS_TIMES);
  expect_y(d, &v, a);
  // a limit that it keeps, and one that it does not
  reg_write(r, CARD_R_WATCHDOG, 8, took / CARD_PERIOD + took / CARD_PERIOD / 2);
  OK(driver_multiply(d, matrix, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, NULL));
  multiply_plain(a, CARD_SEMIRING_PLUS_TIMES);
  expect_y(d, &v, a);
  reg_write(r, CARD_R_WATCHDOG, 8, took / CARD_PERIOD / 2);
  FAILS(driver_multiply(d, matrix, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, NULL), CARD_WATCHDOG,
        "more cycles than WATCHDOG allows");
  assert_true(card_window_read(r->card, v.y, got, sizeof got));
  assert_memory_equal(got, a->y, sizeof got);
  free(a);
  driver_close(d);
  rig_close(r);
}

// ---- what is refused

static void wrong_matrices(void **state) {
  (void)state;
  rig *r = spacea_rig(NULL, 0);
  driver *d = open_one(r);
  const arrays good = {
      .m = 3, .n = 4, .row_ptr = {0, 2, 3, 5}, .col = {0, 3, 1, 2, 0}, .val = {1, 2, 3, 4, 5}};
  const device v = copy_of(d, &good);
  uint32_t m = 99;
#define REFUSED(status, text, ...)                                      \
  do {                                                                  \
    driver_csr c = v.csr;                                               \
    __VA_ARGS__;                                                        \
    FAILS(driver_matrix(d, &c, CARD_MAPPING_SPACEA, &m), status, text); \
    assert_int_equal(m, 99);                                            \
  } while (0)
#define ARRAY(which, type, ...)                 \
  do {                                          \
    const type values[] = {__VA_ARGS__};        \
    c.which = copied(d, values, sizeof values); \
  } while (0)
  REFUSED(CARD_BAD_MATRIX, "row_ptr[2] is 1, less than row_ptr[1], which is 2",
          ARRAY(row_ptr, uint64_t, 0, 2, 1, 5));
  REFUSED(CARD_BAD_MATRIX, "row_ptr[0] is 1, not 0", ARRAY(row_ptr, uint64_t, 1, 2, 3, 5));
  REFUSED(CARD_BAD_MATRIX, "col[3], of row 2, is 4; columns are 0 to 3",
          ARRAY(col, uint32_t, 0, 3, 1, 4, 0));
  REFUSED(CARD_BAD_MATRIX, "a matrix of 0 rows", c.rows = 0);
  REFUSED(CARD_BAD_MATRIX, "a matrix of 0 columns", c.columns = 0);
  REFUSED(CARD_BAD_MATRIX, "a matrix of 8388609 columns: 1 to 8388608 have room",
          c.columns = 8388609);
  // arrays that are not all memory of the context
  REFUSED(CARD_BAD_ADDRESS, "row_ptr: 5 elements of 8 bytes", c.rows = 4);
  REFUSED(CARD_BAD_ADDRESS, "row_ptr: 4294967296 elements of 8 bytes", c.rows = UINT32_MAX);
  REFUSED(CARD_BAD_ADDRESS, "row_ptr: 4 elements of 8 bytes at 0x0 ", c.row_ptr = 0);
  REFUSED(CARD_BAD_ADDRESS, "row_ptr: 4 elements of 8 bytes", c.row_ptr = ~0ull - 7);
  REFUSED(CARD_BAD_ADDRESS, "col: 6 elements of 4 bytes", ARRAY(row_ptr, uint64_t, 0, 2, 3, 6));
  REFUSED(CARD_BAD_ADDRESS, "col: 4611686018427387905 elements of 4 bytes",
          ARRAY(row_ptr, uint64_t, 0, 2, 3, (1ull << 62) + 1));
  REFUSED(CARD_BAD_ADDRESS, "val: 5 elements of 8 bytes", c.val += 8);
  // 8 bytes more than are needed, so that only the alignment is wrong
  const uint64_t wide = alloc_of(d, 1024);
  REFUSED(CARD_BAD_ADDRESS, "is not a multiple of 8", c.row_ptr = wide + 4);
  REFUSED(CARD_BAD_ADDRESS, "is not a multiple of 4", c.col = wide + 2);
  REFUSED(CARD_BAD_ADDRESS, "is not a multiple of 8", c.val = wide + 4);
  // of another context
  driver *other = open_at(r, 1, PART, PART);
  const uint64_t far = alloc_of(other, 64);
  REFUSED(CARD_BAD_ADDRESS, "col: 5 elements of 4 bytes", c.col = far);
  driver_close(other);
  // more of them than there may be
  for (uint32_t k = 0; k < 64; k++) {
    OK(driver_matrix(d, &v.csr, CARD_MAPPING_NAIVE, &m));
    assert_int_equal(m, k);
  }
  FAILS(driver_matrix(d, &v.csr, CARD_MAPPING_NAIVE, &m), CARD_NO_MEMORY, "too many matrices");
  OK(driver_matrix_free(d, 17));
  OK(driver_matrix(d, &v.csr, CARD_MAPPING_NAIVE, &m));
  assert_int_equal(m, 17);
  // these fail the context
  FAILS(driver_matrix(d, &v.csr, 2, &m), CARD_BAD_COMMAND, "MATRIX(");
  assert_true(driver_reset(d));
  const card_command wide_rows = {.opcode = CARD_DO_MATRIX,
                                  .words = {[CARD_MATRIX_ROWS] = 1ull << 32}};
  uint32_t n;
  OK(driver_submit(d, &wide_rows, &n));
  FAILS(driver_finish(d, n, NULL), CARD_BAD_COMMAND, "MATRIX(");
  driver_close(d);
  rig_close(r);
}

// A row stays on one PE, whose bank has 65535 DRAM rows of 21 elements for it.
static void a_row_that_is_too_long(void **state) {
  (void)state;
  enum { LONGEST = 65535 * 21 };
  rig *r = spacea_rig(NULL, 0);
  driver *d = open_one(r);
  for (uint32_t n = LONGEST; n <= LONGEST + 1; n++) {
    const uint64_t row_ptr[2] = {0, n};
    uint32_t *col = malloc(n * sizeof *col), m;
    assert_non_null(col);
    for (uint32_t k = 0; k < n; k++)
      col[k] = k;
    const driver_csr a = {copied(d, row_ptr, sizeof row_ptr), alloc_of(d, n * sizeof *col),
                          alloc_of(d, n * sizeof(double)), 1, n};
    assert_true(card_window_write(r->card, a.col, col, n * sizeof *col));
    if (n == LONGEST)
      OK(driver_matrix(d, &a, CARD_MAPPING_SPACEA, &m));
    else
      FAILS(driver_matrix(d, &a, CARD_MAPPING_SPACEA, &m), CARD_BAD_MATRIX,
            "the matrix does not fit: PE 0 has 65537 DRAM rows of it");
    free(col);
  }
  driver_close(d);
  rig_close(r);
}

static void wrong_multiplications(void **state) {
  (void)state;
  rig *r = spacea_rig(NULL, 0);
  driver *d = open_one(r), *other = open_at(r, 1, PART, PART);
  arrays *a = random_arrays(7, 40);
  const device v = copy_of(d, a), w = copy_of(other, a);
  uint32_t m, theirs;
  OK(driver_matrix(d, &v.csr, CARD_MAPPING_SPACEA, &m));
#define NOT(status, text, matrix, x, y) \
  FAILS(driver_multiply(d, matrix, x, y, CARD_SEMIRING_PLUS_TIMES, NULL), status, text)
  NOT(CARD_BAD_MATRIX, "no matrix has this number", m + 1, v.x, v.y);
  NOT(CARD_BAD_MATRIX, "no matrix has this number", 64, v.x, v.y);
  NOT(CARD_BAD_MATRIX, "no matrix has this number", UINT32_MAX, v.x, v.y);
  NOT(CARD_BAD_ADDRESS, "x: 40 elements of 8 bytes", m, v.y, v.y);
  NOT(CARD_BAD_ADDRESS, "x: 40 elements of 8 bytes", m, w.x, v.y);
  NOT(CARD_BAD_ADDRESS, "y: 7 elements of 8 bytes", m, v.x, v.y + 8);
  NOT(CARD_BAD_ADDRESS, "y: 7 elements of 8 bytes", m, v.x, w.y);
  NOT(CARD_BAD_ADDRESS, "is not a multiple of 8", m, v.x, v.x + 12);
  FAILS(driver_matrix_free(d, m + 1), CARD_BAD_MATRIX, "no matrix has this number");
  expect_y(d, &v, a);
  // matrices belong to their context
  OK(driver_matrix(other, &w.csr, CARD_MAPPING_NAIVE, &theirs));
  assert_int_equal(theirs, 0);
  OK(driver_matrix_free(other, theirs));
  OK(driver_multiply(d, m, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, NULL));
  multiply_plain(a, CARD_SEMIRING_PLUS_TIMES);
  expect_y(d, &v, a);
  OK(driver_matrix_free(d, m));
  NOT(CARD_BAD_MATRIX, "no matrix has this number", m, v.x, v.y);
  FAILS(driver_multiply(d, m, v.x, v.y, 2, NULL), CARD_BAD_COMMAND, "MULTIPLY(");
  free(a);
  driver_close(d), driver_close(other);
  rig_close(r);
}

// Commands of the other type fail the context, and the card says why.
static void commands_of_the_other_type(void **state) {
  (void)state;
  static const struct {
    card_opcode opcode;
    bool mpu;
    const char *text;
  } cases[] = {{CARD_DO_LOAD, true, "LOAD is a command of an MPU (TYPE 1); this card is a SpaceA"},
               {CARD_DO_KERNEL, true, "KERNEL is a command of an MPU"},
               {CARD_DO_SYMBOL, true, "SYMBOL is a command of an MPU"},
               {CARD_DO_LAUNCH, true, "LAUNCH is a command of an MPU"},
               {CARD_DO_MATRIX, false,
                "MATRIX is a command of a SpaceA (TYPE 2); this card is an "
                "MPU (TYPE 1)"},
               {CARD_DO_MATRIX_FREE, false, "MATRIX_FREE is a command of a SpaceA"},
               {CARD_DO_MULTIPLY, false, "MULTIPLY is a command of a SpaceA"}};
  rig *rigs[2] = {spacea_rig(NULL, 0), rig_open()};
  driver *drivers[2] = {open_one(rigs[0]), open_one(rigs[1])};
  assert_int_equal(driver_type(drivers[1]), CARD_TYPE_MPU);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    driver *d = drivers[!cases[k].mpu];
    const card_command c = {.opcode = (uint16_t)cases[k].opcode};
    uint32_t n;
    OK(driver_submit(d, &c, &n));
    FAILS(driver_finish(d, n, NULL), CARD_BAD_COMMAND, cases[k].text);
    assert_true(driver_reset(d));
    assert_true(alloc_of(d, 100));
  }
  for (int k = 0; k < 2; k++)
    driver_close(drivers[k]), rig_close(rigs[k]);
}

// ---- off in the middle

// Two contexts with a matrix each; a multiplication of the first one has begun.
typedef struct middle {
  rig *r;
  arrays *a;
  driver *one, *other;
  device v, w;
  uint32_t matrix, others, number;
} middle;

static middle in_the_middle(void) {
  middle b = {.r = spacea_rig(fast_link, 1), .a = random_arrays(MOST, MOST)};
  driver *d = b.one = open_one(b.r);
  b.other = open_at(b.r, 1, PART, PART);
  b.v = copy_of(d, b.a), b.w = copy_of(b.other, b.a);
  OK(driver_matrix(d, &b.v.csr, CARD_MAPPING_SPACEA, &b.matrix));
  OK(driver_matrix(b.other, &b.w.csr, CARD_MAPPING_SPACEA, &b.others));
  b.number = submit_of(d, CARD_DO_MULTIPLY, 0, b.matrix, b.v.x, b.v.y);
  const uint32_t event = submit_of(d, CARD_DO_EVENT, 1, 0, 0, 0);
  OK(driver_finish(d, event, NULL));
  return b;
}

static void end_middle(middle *b) {
  driver_close(b->one), driver_close(b->other);
  free(b->a);
  rig_close(b->r);
}

// The machine is free at once, and the other context's matrix is as it was.
static void context_off_in_the_middle(void **state) {
  (void)state;
  middle b = in_the_middle();
  driver *d = b.one;
  card_record c;
  const uint64_t now = b.r->now;
  assert_true(driver_reset(d));
  const uint64_t busy = card_counted(b.r->card).ps_machine;
  FAILS(driver_multiply(d, b.matrix, b.v.x, b.v.y, 0, NULL), CARD_BAD_MATRIX, "no matrix");
  OK(driver_multiply(b.other, b.others, b.w.x, b.w.y, CARD_SEMIRING_PLUS_TIMES, &c));
  assert_true(card_counted(b.r->card).ps_machine - busy == c.end - c.begin);
  assert_true(c.begin - now < (c.end - c.begin) / 2);
  // memory that is freed is cleared: nothing is written there any more
  double got[MOST];
  const double zero[MOST] = {0};
  assert_true(card_window_read(b.r->card, b.v.y, got, sizeof got));
  assert_memory_equal(got, zero, sizeof got);
  multiply_plain(b.a, CARD_SEMIRING_PLUS_TIMES);
  expect_y(b.other, &b.w, b.a);
  end_middle(&b);
}

static void card_reset_in_the_middle(void **state) {
  (void)state;
  middle b = in_the_middle();
  driver *d = b.one;
  card_control(b.r, CARD_CONTROL_RESET);
  card_control(b.r, 0);
  FAILS(driver_finish(d, b.number, NULL), DRIVER_GONE, "the card was reset");
  assert_true(driver_reset(d) && driver_reset(b.other));
  d = b.other;
  FAILS(driver_multiply(d, b.others, b.w.x, b.w.y, 0, NULL), CARD_BAD_MATRIX, "no matrix");
  const device v = copy_of(d, b.a);
  OK(driver_matrix(d, &v.csr, CARD_MAPPING_SPACEA, &b.others));
  OK(driver_multiply(d, b.others, v.x, v.y, CARD_SEMIRING_PLUS_TIMES, NULL));
  multiply_plain(b.a, CARD_SEMIRING_PLUS_TIMES);
  expect_y(d, &v, b.a);
  end_middle(&b);
}

static void machines_that_are_none(void **state) {
  (void)state;
  static const struct {
    const char *config, *set, *near, *text;
  } cases[] = {
      {"spacea-small", NULL, "none", "near takes c, rtl or lockstep, not 'none'"},
      {"spacea-tiny", NULL, "c", "spacea-tiny"},
      {"spacea-small", "spacea.layers=1", "c", "spacea.layers"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char why[2000] = "";
    assert_null(card_machine_new_spacea(cases[k].config, &cases[k].set, cases[k].set != NULL,
                                        cases[k].near, 1, why, sizeof why));
    if (!strstr(why, cases[k].text))
      fail_msg("'%s', not '%s'", why, cases[k].text);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers),
      cmocka_unit_test(sums),
      cmocka_unit_test(empty_and_in_place),
      cmocka_unit_test(time_passes),
      cmocka_unit_test(wrong_matrices),
      cmocka_unit_test(a_row_that_is_too_long),
      cmocka_unit_test(wrong_multiplications),
      cmocka_unit_test(commands_of_the_other_type),
      cmocka_unit_test(context_off_in_the_middle),
      cmocka_unit_test(card_reset_in_the_middle),
      cmocka_unit_test(machines_that_are_none),
  };
  if (argc == 3 && strcmp(argv[1], "--seed") == 0)
    seed = strtoull(argv[2], NULL, 0);
  return cmocka_run_group_tests_name("spacea", tests, NULL, NULL);
}
