// SPDX-License-Identifier: Apache-2.0
// The functional machine of SpaceA: Y = Y + A X as its PEs compute it, without time.
#ifndef NEARBANK_SPACEA_SPMV_H
#define NEARBANK_SPACEA_SPMV_H

#include "harness/machines/spacea/map/mapping.h"
#include "semiring.h"

typedef struct spmv {
  const csr *a;
  const mapping *p;
  semiring semiring;
} spmv;

// Has each bank room for what the mapping gives it? False: why it has not is in `why`.
bool spmv_fits(const spmv *f, char *why, size_t why_bytes);
// Elements of a row in the order of their columns. Each DRAM row has a sum of its own, these are
// added up in their order, and then to y.
void spmv_run(const spmv *f, const double *x, double *y);

// y, of which `before` was there before spmv_run, beside sums in long double. `error` is the
// largest difference of a row, as a share of what the rounding of that many sums may make of it in
// any order; at most 1 is right.
typedef struct spmv_check {
  double error;
  uint32_t row;  // that has it
} spmv_check;
spmv_check spmv_compare(const spmv *f, const double *x, const double *before, const double *y);

#endif
