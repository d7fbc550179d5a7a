// SPDX-License-Identifier: Apache-2.0
// What a PE does with an element: multiply and add, or add and take the smaller one.
#ifndef NEARBANK_SPACEA_SEMIRING_H
#define NEARBANK_SPACEA_SEMIRING_H

#include <math.h>

typedef enum semiring { SEMIRING_PLUS_TIMES, SEMIRING_MIN_PLUS } semiring;

// What changes no sum.
static inline double semiring_zero(semiring s) {
  return s == SEMIRING_PLUS_TIMES ? 0 : INFINITY;
}

// minimumNumber of IEEE 754-2019, as fma64 has it: a number rather than a NaN, -0 before +0.
static inline double semiring_min(double a, double b) {
  if (a == b)
    return signbit(a) ? a : b;
  return isnan(b) || a < b ? a : b;
}

static inline double semiring_sum(semiring s, double a, double b) {
  return s == SEMIRING_PLUS_TIMES ? a + b : semiring_min(a, b);
}

// `sum` with the element `a` of the matrix and the one of the vector that belongs to it.
static inline double semiring_take(semiring s, double sum, double a, double x) {
  return s == SEMIRING_PLUS_TIMES ? fma(a, x, sum) : semiring_min(sum, a + x);
}

#endif
