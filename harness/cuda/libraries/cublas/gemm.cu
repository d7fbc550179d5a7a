// SPDX-License-Identifier: Apache-2.0
// Level 3: gemm, one or a batch.
#include "product.h"

template <class T>
static cublasStatus_t make_gemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                int m, int n, int k, const T *alpha, const T *a, int lda,
                                const T *b, int ldb, const T *beta, T *c, int ldc, product<T> *p) {
  NEED_HANDLE(h);
  NEED(is_op(opa) && is_op(opb) && m >= 0 && n >= 0 && k >= 0 && alpha && beta);
  NEED(AT_LEAST(lda, opa == CUBLAS_OP_N ? m : k) && AT_LEAST(ldb, opb == CUBLAS_OP_N ? k : n));
  NEED(AT_LEAST(ldc, m));
  *p = product_of(m, n, k, factor_of(h, alpha), with(matrix_of(a, lda), opa),
                  with(matrix_of(b, ldb), opb), factor_of(h, beta), matrix_of(c, ldc));
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
static cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, int k, const T *alpha, const T *a, int lda, long long next_a,
                           const T *b, int ldb, long long next_b, const T *beta, T *c, int ldc,
                           long long next_c, int count) {
  product<T> p;
  const cublasStatus_t status =
      make_gemm(h, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, &p);
  if (status)
    return status;
  NEED(count >= 0);
  p.next_a = next_a;
  p.next_b = next_b;
  p.next_c = next_c;
  return nearbank_product(h, p, count);
}

template <class T>
static cublasStatus_t gemm_batched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                   int m, int n, int k, const T *alpha, const T *const *a, int lda,
                                   const T *const *b, int ldb, const T *beta, T *const *c, int ldc,
                                   int count) {
  product<T> p;
  const cublasStatus_t status =
      make_gemm<T>(h, opa, opb, m, n, k, alpha, NULL, lda, NULL, ldb, beta, NULL, ldc, &p);
  if (status)
    return status;
  NEED(count >= 0);
  p.all_a = a;
  p.all_b = b;
  p.all_c = c;
  return nearbank_product(h, p, count);
}

extern "C" {
#define GEMM(t, T)                                                                                 \
  cublasStatus_t cublas##t##gemm_v2(                                                               \
      cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,         \
      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {    \
    return gemm(h, opa, opb, m, n, k, in(alpha), in(a), lda, 0, in(b), ldb, 0, in(beta), in(c),    \
                ldc, 0, 1);                                                                        \
  }                                                                                                \
  cublasStatus_t cublas##t##gemmStridedBatched(                                                    \
      cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,         \
      const T *alpha, const T *a, int lda, long long next_a, const T *b, int ldb,                  \
      long long next_b, const T *beta, T *c, int ldc, long long next_c, int count) {               \
    return gemm(h, opa, opb, m, n, k, in(alpha), in(a), lda, next_a, in(b), ldb, next_b, in(beta), \
                in(c), ldc, next_c, count);                                                        \
  }                                                                                                \
  cublasStatus_t cublas##t##gemmBatched(                                                           \
      cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,         \
      const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta,     \
      T *const c[], int ldc, int count) {                                                          \
    return gemm_batched(h, opa, opb, m, n, k, in(alpha), (const kind_of<T> *const *)a, lda,        \
                        (const kind_of<T> *const *)b, ldb, in(beta), (kind_of<T> *const *)c, ldc,  \
                        count);                                                                    \
  }
KINDS(GEMM)
}
