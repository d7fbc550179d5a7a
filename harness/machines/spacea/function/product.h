// SPDX-License-Identifier: Apache-2.0
// The functional machine of SpaceA: Y = Y + A X as its PEs compute it, without time.
#ifndef NEARBANK_SPACEA_PRODUCT_H
#define NEARBANK_SPACEA_PRODUCT_H

#include "harness/machines/spacea/map/mapping.h"
#include "semiring.h"

typedef struct product {
  const csr *a;
  const mapping *p;
  semiring semiring;
} product;

// Elements that a vector may have, and a matrix, if it is spread evenly.
uint64_t product_longest(const mapping_machine *w);
uint64_t product_largest(const mapping_machine *w);
// Has each bank room for what the mapping gives it? False: why it has not is in `why`.
bool product_fits(const product *f, char *why, size_t why_bytes);
// Elements of a row in the order of their columns. Each DRAM row has a sum of its own, these are
// added up in their order, and then to y.
void product_run(const product *f, const double *x, double *y);

// y, of which `before` was there before product_run, beside sums in long double. `error` is the
// largest difference of a row, as a share of what the rounding of that many sums may make of it in
// any order; at most 1 is right.
typedef struct product_check {
  double error;
  uint32_t row;  // that has it
} product_check;
product_check product_compare(const product *f, const double *x, const double *before,
                              const double *y);

#endif
