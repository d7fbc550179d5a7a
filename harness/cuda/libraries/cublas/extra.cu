// SPDX-License-Identifier: Apache-2.0
// Sums of matrices, and a diagonal times a matrix.
#include "matrix.h"

enum { LANES = 32, GROUPS = 8 };

#define EACH_ELEMENT(i, j, m, n)                         \
  const int i = (int)(blockIdx.x * LANES + threadIdx.x); \
  if (i < (m))                                           \
    for (int j = (int)(blockIdx.y * GROUPS + threadIdx.y); j < (n); j += (int)gridDim.y * GROUPS)

template <class T>
__global__ void geam_kernel(int m, int n, factor<T> alpha, matrix<const T> a, factor<T> beta,
                            matrix<const T> b, matrix<T> c) {
  const T u = alpha.get(), v = beta.get(), none = number<T>::of(0);
  EACH_ELEMENT(i, j, m, n) {
    const T left = u == none ? none : u * element(a, i, j);
    c.at[i * c.row + j * c.column] = v == none ? left : multiply_add(v, element(b, i, j), left);
  }
}

template <class T>
__global__ void dgmm_kernel(int m, int n, bool left, matrix<const T> a, const T *x, int incx,
                            matrix<T> c) {
  EACH_ELEMENT(i, j, m, n)
  c.at[i * c.row + j * c.column] = element(a, i, j) * x[(long long)(left ? i : j) * incx];
}

static dim3 grid_for(int m, int n) {
  return dim3(((unsigned)m + LANES - 1) / LANES, blocks_for(n, GROUPS, 256));
}

template <class T>
static cublasStatus_t geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, const T *alpha, const T *a, int lda, const T *beta, const T *b,
                           int ldb, T *c, int ldc) {
  NEED_HANDLE(h);
  NEED(is_op(opa) && is_op(opb) && m >= 0 && n >= 0 && alpha && beta && AT_LEAST(ldc, m));
  NEED(AT_LEAST(lda, opa == CUBLAS_OP_N ? m : n) && AT_LEAST(ldb, opb == CUBLAS_OP_N ? m : n));
  NEED((c != a || (opa == CUBLAS_OP_N && lda == ldc)) &&
       (c != b || (opb == CUBLAS_OP_N && ldb == ldc)));
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  geam_kernel<<<grid_for(m, n), dim3(LANES, GROUPS), 0, h->stream>>>(
      m, n, factor_of(h, alpha), with(matrix_of(a, lda), opa), factor_of(h, beta),
      with(matrix_of(b, ldb), opb), matrix_of(c, ldc));
  return launched();
}

template <class T>
static cublasStatus_t dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const T *a,
                           int lda, const T *x, int incx, T *c, int ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  NEED_HANDLE(h);
  NEED(m >= 0 && n >= 0 && AT_LEAST(lda, m) && AT_LEAST(ldc, m));
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  dgmm_kernel<<<grid_for(m, n), dim3(LANES, GROUPS), 0, h->stream>>>(
      m, n, left, matrix_of(a, lda), first_of(x, left ? m : n, incx), incx, matrix_of(c, ldc));
  return launched();
}

extern "C" {
#define OF_ALL(t, T)                                                                               \
  cublasStatus_t cublas##t##geam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,   \
                                 int m, int n, const T *alpha, const T *a, int lda, const T *beta, \
                                 const T *b, int ldb, T *c, int ldc) {                             \
    return geam(h, opa, opb, m, n, in(alpha), in(a), lda, in(beta), in(b), ldb, in(c), ldc);       \
  }                                                                                                \
  cublasStatus_t cublas##t##dgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,            \
                                 const T *a, int lda, const T *x, int incx, T *c, int ldc) {       \
    return dgmm(h, side, m, n, in(a), lda, in(x), incx, in(c), ldc);                               \
  }
KINDS(OF_ALL)
}
