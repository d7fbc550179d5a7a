// SPDX-License-Identifier: Apache-2.0
// Generators of matrices like those of the thesis: rows, columns, mean and deviation of the lengths
// of rows are those of the named one, its structure is that of its family (matrices.def).
#ifndef NEARBANK_SPACEA_GENERATE_H
#define NEARBANK_SPACEA_GENERATE_H

#include "csr.h"

typedef struct matrix_named {
  const char *name, *what;
  uint32_t rows;
  uint64_t printed;        // entries, in the thesis
  double mean, deviation;  // 0, 0: not given
} matrix_named;
extern const matrix_named matrices_named[];  // up to one without a name

typedef enum matrix_values {
  VALUES_UNIFORM,   // -1 to 1
  VALUES_DOMINANT,  // and the diagonal is larger than the sum of the others of its row
  VALUES_ONES
} matrix_values;
matrix_values matrix_values_named(const char *name);  // uniform, dominant or ones

const matrix_named *matrix_find(const char *name);  // NULL: there is none
// The same for the same seed on every host. False: out of memory.
bool matrix_generate(csr *m, const matrix_named *which, uint64_t seed, matrix_values values);

#endif
