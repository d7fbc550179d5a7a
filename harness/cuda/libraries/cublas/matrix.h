// SPDX-License-Identifier: Apache-2.0
// A matrix as kernels read it: transposed, conjugated, of one triangle. All kinds of products
// (gemm, symm, trmm, syrk ...) read through it.
#ifndef NEARBANK_CUBLAS_MATRIX_H
#define NEARBANK_CUBLAS_MATRIX_H

#include "internal.h"

enum { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR };

template <class T>
struct matrix {
  T *at;
  long long row, column;  // strides
  int shape;
  bool conjugated, upper, unit;  // which triangle is stored; its diagonal is 1
};

template <class T>
HD matrix<T> matrix_of(T *a, int lda) {
  return {a, 1, lda, GENERAL, false, false, false};
}
template <class T>
HD matrix<T> transposed(matrix<T> a) {
  return {a.at, a.column, a.row, a.shape, a.conjugated, !a.upper, a.unit};
}
template <class T>
HD matrix<T> with(matrix<T> a, cublasOperation_t op) {
  if (op == CUBLAS_OP_N)
    return a;
  a = transposed(a);
  a.conjugated ^= op == CUBLAS_OP_C;
  return a;
}
template <class T>
HD matrix<T> shaped(matrix<T> a, int shape, cublasFillMode_t uplo, bool unit) {
  a.shape = shape;
  a.upper = uplo == CUBLAS_FILL_MODE_UPPER;
  a.unit = unit;
  return a;
}
template <class T>
HD matrix<T> part_of(matrix<T> a, long long i, long long j) {
  a.at += i * a.row + j * a.column;
  return a;
}

// Element (i, j), which is inside.
template <class T>
__device__ T element(const matrix<const T> &a, long long i, long long j) {
  if (a.shape == GENERAL)
    return conjugate_if(a.at[i * a.row + j * a.column], a.conjugated);
  const bool stored = a.upper ? i <= j : i >= j;
  if (a.shape == TRIANGULAR) {
    if (!stored)
      return number<T>::of(0);
    if (a.unit && i == j)
      return number<T>::of(1);
    return conjugate_if(a.at[i * a.row + j * a.column], a.conjugated);
  }
  const T v = stored ? a.at[i * a.row + j * a.column] : a.at[j * a.row + i * a.column];
  if (a.shape == SYMMETRIC)
    return conjugate_if(v, a.conjugated);
  return i == j ? without_imaginary(v) : conjugate_if(v, a.conjugated == stored);
}

template <class T>
matrix<const T> constant(matrix<T> a) {
  return {a.at, a.row, a.column, a.shape, a.conjugated, a.upper, a.unit};
}

inline bool is_op(cublasOperation_t op) {
  return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
}
inline bool is_triangle(cublasFillMode_t uplo, cublasDiagType_t diag) {
  return (uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER) &&
         (diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT);
}
#endif
