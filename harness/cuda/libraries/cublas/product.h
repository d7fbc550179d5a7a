// SPDX-License-Identifier: Apache-2.0
// C = alpha A B + beta C, which all of level 3 is made of.
#ifndef NEARBANK_CUBLAS_PRODUCT_H
#define NEARBANK_CUBLAS_PRODUCT_H

#include "matrix.h"

enum { ALL, LOWER, UPPER };  // what of C is written

template <class T>
struct product {
  int m, n, k;
  factor<T> alpha, beta;
  matrix<const T> a, b;
  matrix<T> c;
  int write;
  bool real_diagonal;                    // of C, as of Hermitian results
  long long next_a, next_b, next_c;      // from one of a batch to the next
  const T *const *all_a, *const *all_b;  // or where each of a batch is, in device memory
  T *const *all_c;
};

template <class T>
product<T> product_of(int m, int n, int k, factor<T> alpha, matrix<const T> a, matrix<const T> b,
                      factor<T> beta, matrix<T> c) {
  return {m, n, k, alpha, beta, a, b, c, ALL, false, 0, 0, 0, NULL, NULL, NULL};
}

// Of float, double and their pairs (product.cu).
template <class T>
cublasStatus_t nearbank_product(cublasHandle_t h, const product<T> &p, int count);
#endif
