// SPDX-License-Identifier: Apache-2.0
// Triangular systems: blocks of rows one after the other, each by a product with the rows that are
// known and then by substitution. From the right and transposed are the same with other strides.
#include "product.h"

enum { ROWS = 32, COLUMNS = 64 };

// `rows` rows; a thread solves a column.
template <class T>
__global__ void solve_kernel(int rows, int n, matrix<const T> a, matrix<T> b) {
  __shared__ T triangle[ROWS][ROWS + 1], x[ROWS][COLUMNS];
  const int lane = (int)threadIdx.x, j = (int)blockIdx.x * COLUMNS + lane;
  for (int e = lane; e < rows * rows; e += COLUMNS)
    triangle[e % rows][e / rows] = element(a, e % rows, e / rows);
  __syncthreads();
  if (j >= n)
    return;
  for (int r = 0; r < rows; r++) {
    const int i = a.upper ? rows - 1 - r : r;
    T sum = b.at[i * b.row + j * b.column];
    for (int s = 0; s < r; s++) {
      const int k = a.upper ? rows - 1 - s : s;
      sum = sum - triangle[i][k] * x[k][lane];
    }
    sum = a.unit ? sum : sum / triangle[i][i];
    x[i][lane] = sum;
    b.at[i * b.row + j * b.column] = sum;
  }
}

// A X = alpha B, X over B: m rows, n columns.
template <class T>
static cublasStatus_t solve(cublasHandle_t h, int m, int n, factor<T> alpha, matrix<const T> a,
                            matrix<T> b) {
  matrix<const T> plain = a;  // what is outside of blocks of the diagonal
  plain.shape = GENERAL;
  for (int done = 0; done < m && n > 0; done += ROWS) {
    const int rows = m - done < ROWS ? m - done : ROWS, i = a.upper ? m - done - rows : done;
    const int known = a.upper ? m - done : 0;
    const cublasStatus_t status = nearbank_product(
        h,
        product_of(rows, n, done, factor_is(number<T>::of(-1)), part_of(plain, i, known),
                   constant(part_of(b, known, 0)), alpha, part_of(b, i, 0)),
        1);
    if (status)
      return status;
    const unsigned blocks = ((unsigned)n + COLUMNS - 1) / COLUMNS;
    solve_kernel<T><<<blocks, COLUMNS, 0, h->stream>>>(rows, n, part_of(a, i, i), part_of(b, i, 0));
  }
  return launched();
}

template <class T>
static cublasStatus_t trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                           cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                           const T *alpha, const T *a, int lda, T *b, int ldb) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  NEED_HANDLE(h);
  NEED(m >= 0 && n >= 0 && alpha && is_triangle(uplo, diag) && is_op(op));
  NEED(AT_LEAST(lda, left ? m : n) && AT_LEAST(ldb, m));
  const matrix<const T> triangle =
      with(shaped(matrix_of(a, lda), TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT), op);
  return left ? solve(h, m, n, factor_of(h, alpha), triangle, matrix_of(b, ldb))
              : solve(h, n, m, factor_of(h, alpha), transposed(triangle),
                      transposed(matrix_of(b, ldb)));
}

template <class T>
static cublasStatus_t trsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                           cublasDiagType_t diag, int n, const T *a, int lda, T *x, int incx) {
  NEED_HANDLE(h);
  NEED(n >= 0 && incx && is_triangle(uplo, diag) && is_op(op) && AT_LEAST(lda, n));
  matrix<T> b = matrix_of(first_of(x, n, incx), 1);
  b.row = incx;
  return solve(h, n, 1, factor_is(number<T>::of(1)),
               with(shaped(matrix_of(a, lda), TRIANGULAR, uplo, diag == CUBLAS_DIAG_UNIT), op), b);
}

// One after the other: their places are in device memory.
template <class T>
static cublasStatus_t trsm_batched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                   cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                                   const T *alpha, const T *const *a, int lda, T *const *b, int ldb,
                                   int count) {
  NEED_HANDLE(h);
  NEED(count >= 0);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int k = 0; k < count && !status; k++) {
    const T *one_a;
    T *one_b;
    if (cudaMemcpy(&one_a, a + k, sizeof one_a, cudaMemcpyDeviceToHost) != cudaSuccess ||
        cudaMemcpy(&one_b, b + k, sizeof one_b, cudaMemcpyDeviceToHost) != cudaSuccess)
      return CUBLAS_STATUS_MAPPING_ERROR;
    status = trsm(h, side, uplo, op, diag, m, n, alpha, one_a, lda, one_b, ldb);
  }
  return status;
}

extern "C" {
#define TRIANGLES(t, T)                                                                            \
  cublasStatus_t cublas##t##trsm_v2(                                                               \
      cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,        \
      cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb) {   \
    return trsm(h, side, uplo, op, diag, m, n, in(alpha), in(a), lda, in(b), ldb);                 \
  }                                                                                                \
  cublasStatus_t cublas##t##trsmBatched(                                                           \
      cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,        \
      cublasDiagType_t diag, int m, int n, const T *alpha, const T *const a[], int lda,            \
      T *const b[], int ldb, int count) {                                                          \
    return trsm_batched(h, side, uplo, op, diag, m, n, in(alpha), (const kind_of<T> *const *)a,    \
                        lda, (kind_of<T> *const *)b, ldb, count);                                  \
  }                                                                                                \
  cublasStatus_t cublas##t##trsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, \
                                    cublasDiagType_t diag, int n, const T *a, int lda, T *x,       \
                                    int incx) {                                                    \
    return trsv(h, uplo, op, diag, n, in(a), lda, in(x), incx);                                    \
  }
KINDS(TRIANGLES)
}
