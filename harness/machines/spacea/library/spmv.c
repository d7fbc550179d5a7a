// SPDX-License-Identifier: Apache-2.0
#include "spmv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "harness/base/out_file.h"
#include "harness/machines/spacea/vault/spacea_machine.h"

enum { WHY = 2048, THREADS = 64, NAIVE_SEED = 1 };

struct spmv_device {
  config config;
  mapping_machine machine;
  bool has_time;
  uint32_t threads;
  lockstep_mode near[SCHEDULE_NODES];
  char why[WHY];
};

struct spmv_matrix {
  spmv_device *device;
  csr entries;
  mapping mapping;
  product product;
  spacea_machine *machine;  // NULL: the functional one
  uint64_t cycles;
  bool failed;
};

struct spmv_vector {
  spmv_device *device;
  uint32_t n;
  double *value;
};

static bool fail(spmv_device *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(spmv_device *d, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(d->why, sizeof d->why, format, args);
  va_end(args);
  return false;
}

const char *spmv_error(const spmv_device *d) {
  return d ? d->why : "";
}

// ---- the device

static bool read_config(config *c, const char *text, char *why, size_t why_bytes) {
  if (text && strchr(text, '\n'))
    return config_read_yaml(c, text, strlen(text), "configuration", why, why_bytes);
  return config_load(c, text ? text : "spacea", why, why_bytes);
}

static bool near_is_mode(const char *near) {
  static const char *const modes[] = {"none", "c", "rtl", "lockstep"};
  for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
    if (!strcmp(near, modes[k]))
      return true;
  return false;
}

static bool open_as(spmv_device *d, const char *text, const char *near, char *why,
                    size_t why_bytes) {
  if (!near_is_mode(near))
    return snprintf(why, why_bytes, "near is none, c, rtl or lockstep, not '%.60s'", near), false;
  if (!d->threads || d->threads > THREADS)
    return snprintf(why, why_bytes, "threads are 1 to %d, not %" PRIu32, THREADS, d->threads),
           false;
  if (!read_config(&d->config, text, why, why_bytes))
    return false;
  d->machine = mapping_machine_of(&d->config);
  d->has_time = strcmp(near, "none") != 0;
  return !d->has_time || machine_near(near, NULL, d->machine.vaults, d->near);
}

spmv_device *spmv_open(const char *text, const char *near, unsigned threads, char *why,
                       size_t why_bytes) {
  spmv_device *d = calloc(1, sizeof *d);
  if (!d) {
    snprintf(why, why_bytes, "out of memory");
    return NULL;
  }
  d->threads = threads;
  if (open_as(d, text, near ? near : "c", why, why_bytes))
    return d;
  free(d);
  return NULL;
}

void spmv_close(spmv_device *d) {
  free(d);
}

// ---- vectors

spmv_vector *spmv_vector_new(spmv_device *d, uint32_t n) {
  if (!d)
    return NULL;
  const uint64_t most = product_longest(&d->machine);
  if (!n || n > most) {
    fail(d, "a vector of %" PRIu32 " elements: 1 to %" PRIu64 " have room", n, most);
    return NULL;
  }
  spmv_vector *v = malloc(sizeof *v);
  double *value = calloc(n, sizeof *value);
  if (!v || !value) {
    fail(d, "out of memory for a vector of %" PRIu32 " elements", n);
    free(v), free(value);
    return NULL;
  }
  *v = (spmv_vector){d, n, value};
  return v;
}

void spmv_vector_free(spmv_vector *v) {
  if (v)
    free(v->value);
  free(v);
}

static bool can_copy(const spmv_vector *v, const void *array, uint32_t n) {
  if (!v)
    return false;
  if (n != v->n)
    return fail(v->device, "the vector has %" PRIu32 " elements, not %" PRIu32, v->n, n);
  return array || fail(v->device, "the array for the vector is NULL");
}

bool spmv_put(spmv_vector *v, const double *from, uint32_t n) {
  if (!can_copy(v, from, n))
    return false;
  memcpy(v->value, from, n * sizeof *from);
  return true;
}

bool spmv_get(const spmv_vector *v, double *to, uint32_t n) {
  if (!can_copy(v, to, n))
    return false;
  memcpy(to, v->value, n * sizeof *to);
  return true;
}

bool spmv_fill(spmv_vector *v, double value) {
  for (uint32_t k = 0; v && k < v->n; k++)
    v->value[k] = value;
  return v;
}

// ---- matrices

static bool check_size(spmv_device *d, const char *what, uint32_t n) {
  const uint64_t most = product_longest(&d->machine);
  return (n && n <= most) ||
         fail(d, "a matrix of %" PRIu32 " %s: 1 to %" PRIu64 " have room", n, what, most);
}

static bool check_rows(spmv_device *d, uint32_t m, const uint64_t *row_ptr) {
  const uint64_t most = product_largest(&d->machine);
  if (!row_ptr)
    return fail(d, "row_ptr is NULL");
  if (row_ptr[0])
    return fail(d, "row_ptr[0] is %" PRIu64 ", not 0", row_ptr[0]);
  for (uint32_t r = 0; r < m; r++)
    if (row_ptr[r + 1] < row_ptr[r])
      return fail(d,
                  "row_ptr[%" PRIu32 "] is %" PRIu64 ", less than row_ptr[%" PRIu32
                  "], which is %" PRIu64,
                  r + 1, row_ptr[r + 1], r, row_ptr[r]);
  return row_ptr[m] <= most ||
         fail(d, "a matrix of %" PRIu64 " entries: %" PRIu64 " have room", row_ptr[m], most);
}

static bool check_columns(spmv_device *d, uint32_t m, uint32_t n, const uint64_t *row_ptr,
                          const uint32_t *col, const double *val) {
  if (row_ptr[m] && (!col || !val))
    return fail(d, "%s is NULL, but row_ptr has %" PRIu64 " entries", col ? "val" : "col",
                row_ptr[m]);
  for (uint32_t r = 0; r < m; r++)
    for (uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; k++)
      if (col[k] >= n)
        return fail(
            d, "col[%" PRIu64 "], of row %" PRIu32 ", is %" PRIu32 "; columns are 0 to %" PRIu32, k,
            r, col[k], n - 1);
  return true;
}

static bool copy(csr *to, uint32_t m, uint32_t n, const uint64_t *row_ptr, const uint32_t *col,
                 const double *val) {
  csr_entry *entries = malloc((row_ptr[m] + 1) * sizeof *entries);
  if (!entries)
    return false;
  for (uint32_t r = 0; r < m; r++)
    for (uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; k++)
      entries[k] = (csr_entry){r, col[k], val[k]};
  return csr_sum(to, m, n, entries, row_ptr[m]);
}

// Of entries that are there: which PE has them, and the machine with them in its banks.
static bool place(spmv_matrix *a, mapping_kind kind) {
  spmv_device *d = a->device;
  char why[WHY - 64];
  if (!mapping_make(&a->mapping, &a->entries, &d->machine, kind, NAIVE_SEED))
    return fail(d, "out of memory for the mapping of a matrix");
  a->product = (product){&a->entries, &a->mapping, SEMIRING_PLUS_TIMES};
  if (!product_fits(&a->product, why, sizeof why))
    return fail(d, "the matrix does not fit: %s", why);
  if (!d->has_time)
    return true;
  a->machine = spacea_machine_new(&d->config, &a->product, d->near, d->threads, why, sizeof why);
  return a->machine || fail(d, "%s", why);
}

spmv_matrix *spmv_matrix_new(spmv_device *d, uint32_t m, uint32_t n, const uint64_t *row_ptr,
                             const uint32_t *col, const double *val, spmv_mapping_kind kind) {
  if (!d)
    return NULL;
  static const mapping_kind kinds[] = {[SPMV_MAP_NAIVE] = MAPPING_NAIVE,
                                       [SPMV_MAP_SPACEA] = MAPPING_SPACEA,
                                       [SPMV_MAP_NEAR] = MAPPING_NEAR};
  if ((unsigned)kind >= sizeof kinds / sizeof *kinds) {
    fail(d, "%d is not a mapping", (int)kind);
    return NULL;
  }
  if (!check_size(d, "rows", m) || !check_size(d, "columns", n) || !check_rows(d, m, row_ptr) ||
      !check_columns(d, m, n, row_ptr, col, val))
    return NULL;
  spmv_matrix *a = calloc(1, sizeof *a);
  if (!a || !copy(&a->entries, m, n, row_ptr, col, val)) {
    fail(d, "out of memory for a matrix of %" PRIu64 " entries", row_ptr[m]);
    free(a);
    return NULL;
  }
  a->device = d;
  if (place(a, kinds[kind]))
    return a;
  spmv_matrix_free(a);
  return NULL;
}

void spmv_matrix_free(spmv_matrix *a) {
  if (a) {
    spacea_machine_free(a->machine);
    mapping_free(&a->mapping), csr_free(&a->entries);
  }
  free(a);
}

bool spmv_semiring(spmv_matrix *a, spmv_semiring_kind kind) {
  if (!a)
    return false;
  if (kind != SPMV_PLUS_TIMES && kind != SPMV_MIN_PLUS)
    return fail(a->device, "%d is not a semiring", (int)kind);
  a->product.semiring = kind == SPMV_MIN_PLUS ? SEMIRING_MIN_PLUS : SEMIRING_PLUS_TIMES;
  if (a->machine)
    spacea_machine_semiring(a->machine, a->product.semiring);
  return true;
}

// ---- multiplications

static bool check_vectors(const spmv_matrix *a, const spmv_vector *x, const spmv_vector *y) {
  if (!a || !x || !y)
    return false;
  spmv_device *d = a->device;
  if (x->device != d || y->device != d)
    return fail(d, "%s is a vector of another device", x->device != d ? "x" : "y");
  if (x == y)
    return fail(d, "x and y are the same vector");
  if (x->n != a->entries.cols)
    return fail(d, "x has %" PRIu32 " elements, the matrix has %" PRIu32 " columns", x->n,
                a->entries.cols);
  if (y->n != a->entries.rows)
    return fail(d, "y has %" PRIu32 " elements, the matrix has %" PRIu32 " rows", y->n,
                a->entries.rows);
  return !a->failed || fail(d, "the machine of this matrix has failed before");
}

static uint64_t cycles_of_all(const spmv_matrix *a) {
  return a->machine ? machine_run_cycles(spacea_machine_run(a->machine)) : 0;
}

static bool multiply(spmv_matrix *a, const spmv_vector *x, spmv_vector *y) {
  char why[WHY];
  if (!a->machine)
    product_run(&a->product, x->value, y->value);
  else if (!spacea_machine_multiply(a->machine, x->value, y->value, why, sizeof why))
    return a->failed = true, fail(a->device, "%s", why);
  return true;
}

bool spmv_run(spmv_matrix *a, const spmv_vector *x, spmv_vector *y) {
  if (!check_vectors(a, x, y))
    return false;
  const uint64_t before = cycles_of_all(a);
  const bool good = multiply(a, x, y);
  a->cycles = cycles_of_all(a) - before;
  return good;
}

static void swap(spmv_vector *x, spmv_vector *y) {
  double *const value = x->value;
  x->value = y->value, y->value = value;
}

bool spmv_iterate(spmv_matrix *a, spmv_vector *x, spmv_vector *y, uint32_t times) {
  if (!check_vectors(a, x, y))
    return false;
  if (x->n != y->n)
    return fail(a->device,
                "y becomes x, so the matrix has as many rows as columns, not %" PRIu32
                " and %" PRIu32,
                a->entries.rows, a->entries.cols);
  if (!times)
    return fail(a->device, "0 times: at least 1 is needed");
  const uint64_t before = cycles_of_all(a);
  bool good = true;
  for (uint32_t k = 0; good && k < times; k++) {
    if (k)
      swap(x, y);
    spmv_fill(y, semiring_zero(a->product.semiring));
    good = multiply(a, x, y);
  }
  a->cycles = cycles_of_all(a) - before;
  return good;
}

// ---- what was counted

uint64_t spmv_cycles(const spmv_matrix *a) {
  return a ? a->cycles : 0;
}

bool spmv_statistics(const spmv_matrix *a, const char *file) {
  if (!a)
    return false;
  if (!a->machine)
    return fail(a->device, "near is none: the functional machine counts nothing");
  if (!file)
    return fail(a->device, "the name of the file for the statistics is NULL");
  out_file *f = out_open(file);
  if (f)
    machine_run_json(spacea_machine_run(a->machine), &build_info_all, out_stream(f));
  return (f && out_close(f)) || fail(a->device, "cannot write '%s': %s", file, strerror(errno));
}
