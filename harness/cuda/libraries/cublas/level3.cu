// SPDX-License-Identifier: Apache-2.0
// Level 3: products with symmetric, Hermitian and triangular matrices.
#include "product.h"

template <class T>
static cublasStatus_t multiply_shaped(cublasHandle_t h, cublasSideMode_t side, int m, int n,
                                      factor<T> alpha, matrix<const T> a, matrix<const T> b,
                                      factor<T> beta, matrix<T> c) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const product<T> p =
      left ? product_of(m, n, m, alpha, a, b, beta, c) : product_of(m, n, n, alpha, b, a, beta, c);
  return nearbank_product(h, p, 1);
}

template <class T>
static cublasStatus_t symm(cublasHandle_t h, int shape, cublasSideMode_t side,
                           cublasFillMode_t uplo, int m, int n, const T *alpha, const T *a, int lda,
                           const T *b, int ldb, const T *beta, T *c, int ldc) {
  NEED_HANDLE(h);
  NEED(m >= 0 && n >= 0 && alpha && beta && is_triangle(uplo, CUBLAS_DIAG_UNIT));
  NEED(AT_LEAST(lda, side == CUBLAS_SIDE_LEFT ? m : n) && AT_LEAST(ldb, m) && AT_LEAST(ldc, m));
  return multiply_shaped(h, side, m, n, factor_of(h, alpha),
                         shaped(matrix_of(a, lda), shape, uplo, false), matrix_of(b, ldb),
                         factor_of(h, beta), matrix_of(c, ldc));
}

// B may be C: then the product goes to other memory first.
template <class T>
static cublasStatus_t trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                           cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                           const T *alpha, const T *a, int lda, const T *b, int ldb, T *c,
                           int ldc) {
  NEED_HANDLE(h);
  NEED(m >= 0 && n >= 0 && alpha && is_triangle(uplo, diag) && is_op(op));
  NEED(AT_LEAST(lda, side == CUBLAS_SIDE_LEFT ? m : n) && AT_LEAST(ldb, m) && AT_LEAST(ldc, m));
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  const bool aside = b == c;
  T *to = aside ? (T *)nearbank_cublas_work(h, sizeof(T) * (size_t)m * (size_t)n) : c;
  if (!to)
    return CUBLAS_STATUS_ALLOC_FAILED;
  const matrix<const T> triangle =
      with(shaped(matrix_of(a, lda), TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT), op);
  const cublasStatus_t status =
      multiply_shaped(h, side, m, n, factor_of(h, alpha), triangle, matrix_of(b, ldb),
                      factor_is(number<T>::of(0)), matrix_of(to, aside ? m : ldc));
  if (status || !aside)
    return status;
  const size_t row = sizeof(T) * (size_t)m;
  const cudaError_t e = cudaMemcpy2DAsync(c, sizeof(T) * (size_t)ldc, to, row, row, (size_t)n,
                                          cudaMemcpyDeviceToDevice, h->stream);
  return e == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// One triangle of C = alpha A B' + beta C, where ' transposes, and conjugates too if Hermitian.
template <class T>
static cublasStatus_t rank_k(cublasHandle_t h, bool hermitian, cublasFillMode_t uplo,
                             cublasOperation_t op, int n, int k, factor<T> alpha, const T *a,
                             int lda, const T *b, int ldb, factor<T> beta, T *c, int ldc) {
  NEED(n >= 0 && k >= 0 && is_triangle(uplo, CUBLAS_DIAG_UNIT) && is_op(op));
  NEED(op == CUBLAS_OP_N || !number<T>::is_complex ||
       op == (hermitian ? CUBLAS_OP_C : CUBLAS_OP_T));
  const int rows = op == CUBLAS_OP_N ? n : k;
  NEED(AT_LEAST(lda, rows) && AT_LEAST(ldb, rows) && AT_LEAST(ldc, n));
  const matrix<const T> left = with(matrix_of(a, lda), op);
  const matrix<const T> right =
      with(with(matrix_of(b, ldb), op), hermitian ? CUBLAS_OP_C : CUBLAS_OP_T);
  product<T> p = product_of(n, n, k, alpha, left, right, beta, matrix_of(c, ldc));
  p.write = uplo == CUBLAS_FILL_MODE_UPPER ? UPPER : LOWER;
  p.real_diagonal = hermitian;
  return nearbank_product(h, p, 1);
}

// A number of the host or the device, as one of the host: what both products of rank 2 need.
template <class T>
static cublasStatus_t fetch(cublasHandle_t h, const T *p, T *value) {
  if (h->pointers == CUBLAS_POINTER_MODE_HOST)
    *value = *p;
  else if (cudaMemcpy(value, p, sizeof *p, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUBLAS_STATUS_MAPPING_ERROR;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T, class B>
static cublasStatus_t rank_2k(cublasHandle_t h, bool hermitian, cublasFillMode_t uplo,
                              cublasOperation_t op, int n, int k, const T *alpha, const T *a,
                              int lda, const T *b, int ldb, const B *beta, T *c, int ldc) {
  T first;
  B before;
  NEED_HANDLE(h);
  NEED(alpha && beta);
  cublasStatus_t status = fetch(h, alpha, &first);
  if (!status)
    status = fetch(h, beta, &before);
  if (!status)
    status = rank_k(h, hermitian, uplo, op, n, k, factor_is(first), a, lda, b, ldb,
                    factor_is(number<T>::of(before)), c, ldc);
  if (!status)
    status = rank_k(h, hermitian, uplo, op, n, k, factor_is(conjugate_if(first, hermitian)), b, ldb,
                    a, lda, factor_is(number<T>::of(1)), c, ldc);
  return status;
}

template <class T, class B>
static cublasStatus_t rank_1k(cublasHandle_t h, bool hermitian, cublasFillMode_t uplo,
                              cublasOperation_t op, int n, int k, const B *alpha, const T *a,
                              int lda, const B *beta, T *c, int ldc) {
  B first, before;
  NEED_HANDLE(h);
  NEED(alpha && beta);
  cublasStatus_t status = fetch(h, alpha, &first);
  if (!status)
    status = fetch(h, beta, &before);
  return status ? status
                : rank_k(h, hermitian, uplo, op, n, k, factor_is(number<T>::of(first)), a, lda, a,
                         lda, factor_is(number<T>::of(before)), c, ldc);
}

#define SHAPED_ARGUMENTS(T)                                                                     \
  cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, const T *alpha, \
      const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc
#define RANK_ARGUMENTS(T, A)                                                                   \
  cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n, int k, const A *alpha, \
      const T *a, int lda
extern "C" {
#define OF_ALL(t, T)                                                                             \
  cublasStatus_t cublas##t##symm_v2(SHAPED_ARGUMENTS(T)) {                                       \
    return symm(h, SYMMETRIC, side, uplo, m, n, in(alpha), in(a), lda, in(b), ldb, in(beta),     \
                in(c), ldc);                                                                     \
  }                                                                                              \
  cublasStatus_t cublas##t##syrk_v2(RANK_ARGUMENTS(T, T), const T *beta, T *c, int ldc) {        \
    return rank_1k(h, false, uplo, op, n, k, in(alpha), in(a), lda, in(beta), in(c), ldc);       \
  }                                                                                              \
  cublasStatus_t cublas##t##syr2k_v2(RANK_ARGUMENTS(T, T), const T *b, int ldb, const T *beta,   \
                                     T *c, int ldc) {                                            \
    return rank_2k(h, false, uplo, op, n, k, in(alpha), in(a), lda, in(b), ldb, in(beta), in(c), \
                   ldc);                                                                         \
  }                                                                                              \
  cublasStatus_t cublas##t##trmm_v2(cublasHandle_t h, cublasSideMode_t side,                     \
                                    cublasFillMode_t uplo, cublasOperation_t op,                 \
                                    cublasDiagType_t diag, int m, int n, const T *alpha,         \
                                    const T *a, int lda, const T *b, int ldb, T *c, int ldc) {   \
    return trmm(h, side, uplo, op, diag, m, n, in(alpha), in(a), lda, in(b), ldb, in(c), ldc);   \
  }
KINDS(OF_ALL)

#define OF_COMPLEX(t, T, R)                                                                       \
  cublasStatus_t cublas##t##hemm_v2(SHAPED_ARGUMENTS(T)) {                                        \
    return symm(h, HERMITIAN, side, uplo, m, n, in(alpha), in(a), lda, in(b), ldb, in(beta),      \
                in(c), ldc);                                                                      \
  }                                                                                               \
  cublasStatus_t cublas##t##herk_v2(RANK_ARGUMENTS(T, R), const R *beta, T *c, int ldc) {         \
    return rank_1k(h, true, uplo, op, n, k, alpha, in(a), lda, beta, in(c), ldc);                 \
  }                                                                                               \
  cublasStatus_t cublas##t##her2k_v2(RANK_ARGUMENTS(T, T), const T *b, int ldb, const R *beta,    \
                                     T *c, int ldc) {                                             \
    return rank_2k(h, true, uplo, op, n, k, in(alpha), in(a), lda, in(b), ldb, beta, in(c), ldc); \
  }
OF_COMPLEX(C, cuComplex, float)
OF_COMPLEX(Z, cuDoubleComplex, double)
}
