// SPDX-License-Identifier: Apache-2.0
// Sparse matrices times vectors on a simulated SpaceA (docs/spacea.md). A program links with
// -lnearbank-spmv.
//
//   spmv_device *d = spmv_open("spacea", "c", 1, why, sizeof why);
//   spmv_matrix *a = spmv_matrix_new(d, m, n, row_ptr, col, val, SPMV_MAP_SPACEA);
//   spmv_vector *x = spmv_vector_new(d, n), *y = spmv_vector_new(d, m);
//   if (!spmv_put(x, from, n) || !spmv_run(a, x, y) || !spmv_get(y, to, m))
//     puts(spmv_error(d));
//
// What a call is given is checked. A call that fails changes nothing, unless it says so, returns
// false or NULL, and leaves a sentence in spmv_error. A call with a matrix or a vector that is NULL
// fails, too; the sentence stays that of the call that made the NULL. So one check at the end will
// do.
//
// A device with all that is made of it belongs to one thread at a time. Devices share nothing.
#ifndef NEARBANK_SPMV_H
#define NEARBANK_SPMV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spmv_device spmv_device;
typedef struct spmv_matrix spmv_matrix;
typedef struct spmv_vector spmv_vector;

// `config` is the name of a preset ("spacea", "spacea-small"), or of a YAML file (it has a slash or
// ends with .yaml), or the text of one (it has a line break); NULL: "spacea". `near` says how bank
// groups are computed, "c", "rtl" or "lockstep"; with "none" results are computed without time;
// NULL: "c". `threads` of the host, 1 to 64, do not change results. NULL: `why` is a sentence.
spmv_device *spmv_open(const char *config, const char *near, unsigned threads, char *why,
                       size_t why_bytes);
// After its matrices and vectors were freed. NULL is fine, as it is for all that free something.
void spmv_close(spmv_device *d);

// What was wrong with the call that failed last; "" when none has failed. It lives until the next
// call.
const char *spmv_error(const spmv_device *d);

// Which PE has which rows.
typedef enum spmv_mapping_kind {
  SPMV_MAP_NAIVE,   // as many to each, at random
  SPMV_MAP_SPACEA,  // Algorithm 3 of the thesis, and its placement
  SPMV_MAP_NEAR     // the same by lines of four columns; vaults go where their lines are
} spmv_mapping_kind;

// A matrix of m rows and n columns. Row i has the entries row_ptr[i] to row_ptr[i + 1] - 1, whose
// columns are in `col`, from 0 on, in any order, and whose values are in `val`; row_ptr[0] is 0.
// Entries of the same place are added up. The arrays are copied. The matrix is in the banks of the
// device from then on, by itself: other matrices take no room from it. With "rtl" and "lockstep"
// this is where Verilog is loaded. NULL: see spmv_error.
spmv_matrix *spmv_matrix_new(spmv_device *d, uint32_t m, uint32_t n, const uint64_t *row_ptr,
                             const uint32_t *col, const double *val, spmv_mapping_kind mapping);
void spmv_matrix_free(spmv_matrix *a);

// What is done with an element and its element of x: they are multiplied and the products added up,
// or they are added up and the smallest sum stays. The second one is what distances need; its zero
// is infinity. SPMV_PLUS_TIMES at first.
typedef enum spmv_semiring_kind { SPMV_PLUS_TIMES, SPMV_MIN_PLUS } spmv_semiring_kind;
bool spmv_semiring(spmv_matrix *a, spmv_semiring_kind kind);

// A vector of n elements, all 0.
spmv_vector *spmv_vector_new(spmv_device *d, uint32_t n);
void spmv_vector_free(spmv_vector *v);
// Copies the n elements of the vector in or out, which takes the machine no time. `n` must be the
// length of the vector.
bool spmv_put(spmv_vector *v, const double *from, uint32_t n);
bool spmv_get(const spmv_vector *v, double *to, uint32_t n);
// All elements become `value`.
bool spmv_fill(spmv_vector *v, double value);

// y = y + A x. x has as many elements as A has columns, y as many as it has rows; they are two
// vectors of the matrix's device. After a failure of the machine, such as a difference in lockstep,
// y is undefined and the matrix fails from then on.
bool spmv_run(spmv_matrix *a, const spmv_vector *x, spmv_vector *y);
// y = A x, `times` times, from 1 on; between them, x and y are swapped. At the end y has A^times x
// and x what y was made from. The matrix is square. After a failure of the machine both are
// undefined.
bool spmv_iterate(spmv_matrix *a, spmv_vector *x, spmv_vector *y, uint32_t times);

// Cycles of the last spmv_run or spmv_iterate of this matrix; 0 before that, and with near "none".
uint64_t spmv_cycles(const spmv_matrix *a);
// What was counted in all multiplications of this matrix, with their energy: the JSON file of
// `mpu spacea run --stats` (docs/statistics.md). False with near "none": there are no counters.
bool spmv_statistics(const spmv_matrix *a, const char *file);

#ifdef __cplusplus
}
#endif

#endif
