// SPDX-License-Identifier: Apache-2.0
// What a PE does with an element: multiply and add, or add and take the smaller one. Its arithmetic
// is fma64.
#ifndef NEARBANK_SPACEA_SEMIRING_H
#define NEARBANK_SPACEA_SEMIRING_H

#include <math.h>
#include "csim/spacea/fma64.h"

typedef enum semiring { SEMIRING_PLUS_TIMES, SEMIRING_MIN_PLUS } semiring;

// What changes no sum.
static inline double semiring_zero(semiring s) {
  return s == SEMIRING_PLUS_TIMES ? 0 : INFINITY;
}

static inline double semiring_sum(semiring s, double a, double b) {
  return fma64_value(s == SEMIRING_PLUS_TIMES ? FMA64_ADD : FMA64_MIN, a, b, 0);
}

// `sum` with the element `a` of the matrix and the one of the vector that belongs to it.
static inline double semiring_take(semiring s, double sum, double a, double x) {
  return s == SEMIRING_PLUS_TIMES ? fma64_value(FMA64_FMA, a, x, sum)
                                  : semiring_sum(s, sum, fma64_value(FMA64_ADD, a, x, 0));
}

#endif
