// SPDX-License-Identifier: Apache-2.0
// Level 2: a matrix times a vector, and sums of products of two vectors.
#include "matrix.h"

enum { LANES = 32, GROUPS = 8, ALL = 0, LOWER = 1, UPPER = 2 };

// y = alpha A x + beta y. Where columns are together in memory, a thread has a row and a part of
// its columns; else 32 threads share a row.
template <class T>
__global__ void matvec_kernel(int m, int n, factor<T> alpha, matrix<const T> a, const T *x,
                              int incx, factor<T> beta, T *y, int incy) {
  __shared__ T parts[GROUPS][LANES + 1];
  const bool tall = a.row == 1;
  const int lane = (int)threadIdx.x, group = (int)threadIdx.y;
  const int i = tall ? (int)blockIdx.x * LANES + lane : (int)blockIdx.x * GROUPS + group;
  T sum = number<T>::of(0);
  if (i < m)
    for (int j = tall ? group : lane; j < n; j += tall ? GROUPS : LANES)
      sum = multiply_add(element(a, i, j), x[(long long)j * incx], sum);
  parts[group][lane] = sum;
  __syncthreads();
  if (i >= m || (tall ? group : lane))
    return;
  for (int k = 1; k < (tall ? GROUPS : LANES); k++)
    sum = sum + (tall ? parts[k][lane] : parts[group][k]);
  const T b = beta.get(), v = alpha.get() * sum;
  T *to = y + (long long)i * incy;
  *to = b == number<T>::of(0) ? v : multiply_add(b, *to, v);
}

template <class T>
static void matvec(cublasHandle_t h, int m, int n, factor<T> alpha, matrix<const T> a, const T *x,
                   int incx, factor<T> beta, T *y, int incy) {
  const int rows = a.row == 1 ? LANES : GROUPS;
  matvec_kernel<<<(unsigned)((m + rows - 1) / rows), dim3(LANES, GROUPS), 0, h->stream>>>(
      m, n, alpha, a, first_of(x, n, incx), incx, beta, first_of(y, m, incy), incy);
}

template <class T>
static cublasStatus_t gemv(cublasHandle_t h, cublasOperation_t op, int m, int n, const T *alpha,
                           const T *a, int lda, const T *x, int incx, const T *beta, T *y,
                           int incy) {
  NEED_HANDLE(h);
  NEED(is_op(op) && m >= 0 && n >= 0 && AT_LEAST(lda, m) && incx && incy && alpha && beta);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  const bool plain = op == CUBLAS_OP_N;
  matvec(h, plain ? m : n, plain ? n : m, factor_of(h, alpha), with(matrix_of(a, lda), op), x, incx,
         factor_of(h, beta), y, incy);
  return launched();
}

template <class T>
static cublasStatus_t symv(cublasHandle_t h, int shape, cublasFillMode_t uplo, int n,
                           const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta,
                           T *y, int incy) {
  NEED_HANDLE(h);
  NEED(n >= 0 && AT_LEAST(lda, n) && incx && incy && alpha && beta);
  NEED(is_triangle(uplo, CUBLAS_DIAG_UNIT));
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  matvec(h, n, n, factor_of(h, alpha), shaped(matrix_of(a, lda), shape, uplo, false), x, incx,
         factor_of(h, beta), y, incy);
  return launched();
}

template <class T>
static cublasStatus_t trmv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                           cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx) {
  NEED_HANDLE(h);
  NEED(n >= 0 && incx && is_triangle(uplo, diag) && is_op(op) && AT_LEAST(lda, n));
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  T *y = (T *)nearbank_cublas_work(h, sizeof(T) * (size_t)n);
  if (!y)
    return CUBLAS_STATUS_ALLOC_FAILED;
  // Its order is that of x in memory, also where that begins at the end.
  T *begin = incx < 0 ? y + n - 1 : y;
  const int step = incx < 0 ? -1 : 1;
  const matrix<const T> triangle =
      with(shaped(matrix_of(a, lda), TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT), op);
  const int rows = triangle.row == 1 ? LANES : GROUPS;
  matvec_kernel<<<(unsigned)((n + rows - 1) / rows), dim3(LANES, GROUPS), 0, h->stream>>>(
      n, n, factor_is(number<T>::of(1)), triangle, (const T *)first_of(x, n, incx), incx,
      factor_is(number<T>::of(0)), begin, step);
  const size_t stride = sizeof(T) * (size_t)(incx < 0 ? -incx : incx);
  const cudaError_t e = cudaMemcpy2DAsync(x, stride, y, sizeof(T), sizeof(T), (size_t)n,
                                          cudaMemcpyDeviceToDevice, h->stream);
  return e == cudaSuccess ? launched() : CUBLAS_STATUS_EXECUTION_FAILED;
}

// A += alpha x y', and, `twice`, alpha y x' (Hermitian: its conjugate).
template <class T>
struct update {
  int m, n;
  factor<T> alpha;
  const T *x, *y;
  int incx, incy;
  matrix<T> a;
  int write;
  bool conjugated, twice, real_diagonal;
};

template <class T>
__global__ void update_kernel(update<T> u) {
  const int i = (int)(blockIdx.x * LANES + threadIdx.x);
  if (i >= u.m)
    return;
  const T alpha = u.alpha.get(), alpha_x = alpha * u.x[(long long)i * u.incx];
  for (int j = (int)(blockIdx.y * GROUPS + threadIdx.y); j < u.n; j += (int)gridDim.y * GROUPS) {
    if ((u.write == LOWER && i < j) || (u.write == UPPER && i > j))
      continue;
    T *to = u.a.at + i * u.a.row + j * u.a.column;
    const T y = u.y[(long long)j * u.incy];
    T v = multiply_add(alpha_x, conjugate_if(y, u.conjugated), *to);
    if (u.twice) {
      const T x = conjugate_if(u.x[(long long)j * u.incx], u.conjugated);
      v = multiply_add(conjugate_if(alpha, u.conjugated) * u.y[(long long)i * u.incy], x, v);
    }
    *to = u.real_diagonal && i == j ? without_imaginary(v) : v;
  }
}

template <class T>
static cublasStatus_t updated(cublasHandle_t h, const update<T> &u) {
  if (u.m == 0 || u.n == 0)
    return CUBLAS_STATUS_SUCCESS;
  const dim3 grid(((unsigned)u.m + LANES - 1) / LANES, blocks_for(u.n, GROUPS, 64));
  update_kernel<<<grid, dim3(LANES, GROUPS), 0, h->stream>>>(u);
  return launched();
}

template <class T>
static cublasStatus_t ger(cublasHandle_t h, bool conjugated, int m, int n, const T *alpha,
                          const T *x, int incx, const T *y, int incy, T *a, int lda) {
  NEED_HANDLE(h);
  NEED(m >= 0 && n >= 0 && alpha && incx && incy && AT_LEAST(lda, m));
  return updated<T>(h, {m, n, factor_of(h, alpha), first_of(x, m, incx), first_of(y, n, incy), incx,
                        incy, matrix_of(a, lda), ALL, conjugated, false, false});
}

template <class T>
static cublasStatus_t syr(cublasHandle_t h, bool hermitian, bool twice, cublasFillMode_t uplo,
                          int n, factor<T> alpha, const T *x, int incx, const T *y, int incy, T *a,
                          int lda) {
  NEED(n >= 0 && incx && incy && AT_LEAST(lda, n) && is_triangle(uplo, CUBLAS_DIAG_UNIT));
  return updated<T>(
      h, {n, n, alpha, first_of(x, n, incx), first_of(y, n, incy), incx, incy, matrix_of(a, lda),
          uplo == CUBLAS_FILL_MODE_UPPER ? UPPER : LOWER, hermitian, twice, hermitian});
}

// The factor of her is real.
template <class T>
static cublasStatus_t her(cublasHandle_t h, cublasFillMode_t uplo, int n, const real_of<T> *alpha,
                          const T *x, int incx, T *a, int lda) {
  real_of<T> value;
  NEED_HANDLE(h);
  NEED(alpha);
  if (h->pointers == CUBLAS_POINTER_MODE_HOST)
    value = *alpha;
  else if (cudaMemcpy(&value, alpha, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
    return CUBLAS_STATUS_MAPPING_ERROR;
  return syr(h, true, false, uplo, n, factor_is(number<T>::of(value)), x, incx, x, incx, a, lda);
}

#define SYMV_ARGUMENTS(T)                                                                          \
  cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *a, int lda, const T *x, \
      int incx, const T *beta, T *y, int incy
#define GER_ARGUMENTS(T)                                                                      \
  cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
      T *a, int lda
#define SYR2_ARGUMENTS(T)                                                               \
  cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, const T *x, int incx, \
      const T *y, int incy, T *a, int lda
extern "C" {
#define OF_ALL(t, T)                                                                               \
  cublasStatus_t cublas##t##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,          \
                                    const T *alpha, const T *a, int lda, const T *x, int incx,     \
                                    const T *beta, T *y, int incy) {                               \
    return gemv(h, op, m, n, in(alpha), in(a), lda, in(x), incx, in(beta), in(y), incy);           \
  }                                                                                                \
  cublasStatus_t cublas##t##symv_v2(SYMV_ARGUMENTS(T)) {                                           \
    return symv(h, SYMMETRIC, uplo, n, in(alpha), in(a), lda, in(x), incx, in(beta), in(y), incy); \
  }                                                                                                \
  cublasStatus_t cublas##t##trmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, \
                                    cublasDiagType_t diag, int n, const T *a, int lda, T *x,       \
                                    int incx) {                                                    \
    return trmv(h, uplo, op, diag, n, in(a), lda, in(x), incx);                                    \
  }                                                                                                \
  cublasStatus_t cublas##t##syr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T *alpha, \
                                   const T *x, int incx, T *a, int lda) {                          \
    NEED_HANDLE(h);                                                                                \
    NEED(alpha);                                                                                   \
    return syr(h, false, false, uplo, n, factor_of(h, in(alpha)), in(x), incx, in(x), incx, in(a), \
               lda);                                                                               \
  }                                                                                                \
  cublasStatus_t cublas##t##syr2_v2(SYR2_ARGUMENTS(T)) {                                           \
    NEED_HANDLE(h);                                                                                \
    NEED(alpha);                                                                                   \
    return syr(h, false, true, uplo, n, factor_of(h, in(alpha)), in(x), incx, in(y), incy, in(a),  \
               lda);                                                                               \
  }
KINDS(OF_ALL)

#define GER(t, T, name, conjugated)                                                   \
  cublasStatus_t cublas##t##name##_v2(GER_ARGUMENTS(T)) {                             \
    return ger(h, conjugated, m, n, in(alpha), in(x), incx, in(y), incy, in(a), lda); \
  }
GER(S, float, ger, false)
GER(D, double, ger, false)
GER(C, cuComplex, geru, false)
GER(Z, cuDoubleComplex, geru, false)
GER(C, cuComplex, gerc, true)
GER(Z, cuDoubleComplex, gerc, true)

#define OF_COMPLEX(t, T, R)                                                                        \
  cublasStatus_t cublas##t##hemv_v2(SYMV_ARGUMENTS(T)) {                                           \
    return symv(h, HERMITIAN, uplo, n, in(alpha), in(a), lda, in(x), incx, in(beta), in(y), incy); \
  }                                                                                                \
  cublasStatus_t cublas##t##her_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const R *alpha, \
                                   const T *x, int incx, T *a, int lda) {                          \
    return her(h, uplo, n, alpha, in(x), incx, in(a), lda);                                        \
  }                                                                                                \
  cublasStatus_t cublas##t##her2_v2(SYR2_ARGUMENTS(T)) {                                           \
    NEED_HANDLE(h);                                                                                \
    NEED(alpha);                                                                                   \
    return syr(h, true, true, uplo, n, factor_of(h, in(alpha)), in(x), incx, in(y), incy, in(a),   \
               lda);                                                                               \
  }
OF_COMPLEX(C, cuComplex, float)
OF_COMPLEX(Z, cuDoubleComplex, double)
}
