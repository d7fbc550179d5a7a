// SPDX-License-Identifier: Apache-2.0
// Sparse matrices by rows: of row r the columns col[begin[r]] to col[begin[r + 1] - 1], ascending,
// each once, and their values.
#ifndef NEARBANK_SPACEA_CSR_H
#define NEARBANK_SPACEA_CSR_H

#include <stdbool.h>
#include <stdint.h>

// Indices are 4 bytes, and the last one means that there is none.
#define CSR_MAX 0xfffffffeu

typedef struct csr {
  uint32_t rows, cols;
  uint64_t *begin;  // rows + 1
  uint32_t *col;
  double *value;
} csr;

typedef struct csr_entry {
  uint32_t row, col;
  double value;
} csr_entry;

// The sum of the entries of each place, added up in their order. `entries` are given to it: it
// frees them. False: out of memory.
bool csr_sum(csr *m, uint32_t rows, uint32_t cols, csr_entry *entries, uint64_t n);
void csr_free(csr *m);

static inline uint64_t csr_count(const csr *m) {
  return m->begin[m->rows];
}

typedef struct csr_facts {
  double mean, deviation;  // of the lengths of rows
  uint64_t longest, empty, bandwidth;
  double distance;  // mean of |row - column|
  bool symmetric;   // each place has its mirror image, whatever their values
} csr_facts;
csr_facts csr_look(const csr *m);

#endif
