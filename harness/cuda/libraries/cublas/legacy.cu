// SPDX-License-Identifier: Apache-2.0
// The functions of cublas.h, by those with a handle.
#include "cublas.h"

static cublasHandle_t legacy;
static cublasStatus_t first_error;  // the first since cublasGetError

static void keep(cublasStatus_t status) {
  first_error = first_error ? first_error : status;
}
// Other letters are no operation: the functions refuse it.
static cublasOperation_t operation(char c) {
  return c == 'n' || c == 'N'   ? CUBLAS_OP_N
         : c == 't' || c == 'T' ? CUBLAS_OP_T
         : c == 'c' || c == 'C' ? CUBLAS_OP_C
                                : (cublasOperation_t)-1;
}
static cublasFillMode_t triangle(char c) {
  return c == 'l' || c == 'L'   ? CUBLAS_FILL_MODE_LOWER
         : c == 'u' || c == 'U' ? CUBLAS_FILL_MODE_UPPER
                                : (cublasFillMode_t)-1;
}
static cublasSideMode_t side_of(char c) {
  return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
static cublasDiagType_t diagonal(char c) {
  return c == 'u' || c == 'U'   ? CUBLAS_DIAG_UNIT
         : c == 'n' || c == 'N' ? CUBLAS_DIAG_NON_UNIT
                                : (cublasDiagType_t)-1;
}

extern "C" {

cublasStatus cublasInit(void) {
  return legacy ? CUBLAS_STATUS_SUCCESS : cublasCreate_v2(&legacy);
}
cublasStatus cublasShutdown(void) {
  const cublasStatus_t status = cublasDestroy_v2(legacy);
  legacy = NULL;
  return status;
}
cublasStatus cublasGetVersion(int *version) {
  return cublasGetVersion_v2(legacy, version);
}
cublasStatus cublasGetError(void) {
  const cublasStatus_t status = first_error;
  first_error = CUBLAS_STATUS_SUCCESS;
  return status;
}
cublasStatus cublasAlloc(int n, int size, void **p) {
  if (!legacy)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0 || size <= 0 || !p)
    return CUBLAS_STATUS_INVALID_VALUE;
  return cudaMalloc(p, (size_t)n * (size_t)size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus cublasFree(void *p) {
  if (!legacy)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  return cudaFree(p) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
cublasStatus cublasSetKernelStream(cudaStream_t s) {
  return cublasSetStream_v2(legacy, s);
}

#define OF_ALL(t, i, r, T, R)                                                                      \
  void cublas##t##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {                     \
    keep(cublas##t##axpy_v2(legacy, n, &alpha, x, incx, y, incy));                                 \
  }                                                                                                \
  void cublas##t##scal(int n, T alpha, T *x, int incx) {                                           \
    keep(cublas##t##scal_v2(legacy, n, &alpha, x, incx));                                          \
  }                                                                                                \
  void cublas##t##copy(int n, const T *x, int incx, T *y, int incy) {                              \
    keep(cublas##t##copy_v2(legacy, n, x, incx, y, incy));                                         \
  }                                                                                                \
  void cublas##t##swap(int n, T *x, int incx, T *y, int incy) {                                    \
    keep(cublas##t##swap_v2(legacy, n, x, incx, y, incy));                                         \
  }                                                                                                \
  R cublas##r##nrm2(int n, const T *x, int incx) {                                                 \
    R result = R();                                                                                \
    keep(cublas##r##nrm2_v2(legacy, n, x, incx, &result));                                         \
    return result;                                                                                 \
  }                                                                                                \
  R cublas##r##asum(int n, const T *x, int incx) {                                                 \
    R result = R();                                                                                \
    keep(cublas##r##asum_v2(legacy, n, x, incx, &result));                                         \
    return result;                                                                                 \
  }                                                                                                \
  int cublasI##i##amax(int n, const T *x, int incx) {                                              \
    int result = int();                                                                            \
    keep(cublasI##i##amax_v2(legacy, n, x, incx, &result));                                        \
    return result;                                                                                 \
  }                                                                                                \
  int cublasI##i##amin(int n, const T *x, int incx) {                                              \
    int result = int();                                                                            \
    keep(cublasI##i##amin_v2(legacy, n, x, incx, &result));                                        \
    return result;                                                                                 \
  }                                                                                                \
  void cublas##t##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, int incx,  \
                       T beta, T *y, int incy) {                                                   \
    keep(                                                                                          \
        cublas##t##gemv_v2(legacy, operation(op), m, n, &alpha, a, lda, x, incx, &beta, y, incy)); \
  }                                                                                                \
  void cublas##t##trmv(char uplo, char op, char diag, int n, const T *a, int lda, T *x,            \
                       int incx) {                                                                 \
    keep(cublas##t##trmv_v2(legacy, triangle(uplo), operation(op), diagonal(diag), n, a, lda, x,   \
                            incx));                                                                \
  }                                                                                                \
  void cublas##t##trsv(char uplo, char op, char diag, int n, const T *a, int lda, T *x,            \
                       int incx) {                                                                 \
    keep(cublas##t##trsv_v2(legacy, triangle(uplo), operation(op), diagonal(diag), n, a, lda, x,   \
                            incx));                                                                \
  }                                                                                                \
  void cublas##t##gemm(char opa, char opb, int m, int n, int k, T alpha, const T *a, int lda,      \
                       const T *b, int ldb, T beta, T *c, int ldc) {                               \
    keep(cublas##t##gemm_v2(legacy, operation(opa), operation(opb), m, n, k, &alpha, a, lda, b,    \
                            ldb, &beta, c, ldc));                                                  \
  }                                                                                                \
  void cublas##t##symm(char side, char uplo, int m, int n, T alpha, const T *a, int lda,           \
                       const T *b, int ldb, T beta, T *c, int ldc) {                               \
    keep(cublas##t##symm_v2(legacy, side_of(side), triangle(uplo), m, n, &alpha, a, lda, b, ldb,   \
                            &beta, c, ldc));                                                       \
  }                                                                                                \
  void cublas##t##syrk(char uplo, char op, int n, int k, T alpha, const T *a, int lda, T beta,     \
                       T *c, int ldc) {                                                            \
    keep(cublas##t##syrk_v2(legacy, triangle(uplo), operation(op), n, k, &alpha, a, lda, &beta, c, \
                            ldc));                                                                 \
  }                                                                                                \
  void cublas##t##syr2k(char uplo, char op, int n, int k, T alpha, const T *a, int lda,            \
                        const T *b, int ldb, T beta, T *c, int ldc) {                              \
    keep(cublas##t##syr2k_v2(legacy, triangle(uplo), operation(op), n, k, &alpha, a, lda, b, ldb,  \
                             &beta, c, ldc));                                                      \
  }                                                                                                \
  void cublas##t##trmm(char side, char uplo, char op, char diag, int m, int n, T alpha,            \
                       const T *a, int lda, T *b, int ldb) {                                       \
    keep(cublas##t##trmm_v2(legacy, side_of(side), triangle(uplo), operation(op), diagonal(diag),  \
                            m, n, &alpha, a, lda, b, ldb, b, ldb));                                \
  }                                                                                                \
  void cublas##t##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha,            \
                       const T *a, int lda, T *b, int ldb) {                                       \
    keep(cublas##t##trsm_v2(legacy, side_of(side), triangle(uplo), operation(op), diagonal(diag),  \
                            m, n, &alpha, a, lda, b, ldb));                                        \
  }
OF_ALL(S, s, S, float, float)
OF_ALL(D, d, D, double, double)
OF_ALL(C, c, Sc, cuComplex, float)
OF_ALL(Z, z, Dz, cuDoubleComplex, double)

#define OF_REAL(t, T)                                                                             \
  T cublas##t##dot(int n, const T *x, int incx, const T *y, int incy) {                           \
    T result = T();                                                                               \
    keep(cublas##t##dot_v2(legacy, n, x, incx, y, incy, &result));                                \
    return result;                                                                                \
  }                                                                                               \
  void cublas##t##rot(int n, T *x, int incx, T *y, int incy, T c, T s) {                          \
    keep(cublas##t##rot_v2(legacy, n, x, incx, y, incy, &c, &s));                                 \
  }                                                                                               \
  void cublas##t##rotg(T *a, T *b, T *c, T *s) {                                                  \
    keep(cublas##t##rotg_v2(legacy, a, b, c, s));                                                 \
  }                                                                                               \
  void cublas##t##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,    \
                      int lda) {                                                                  \
    keep(cublas##t##ger_v2(legacy, m, n, &alpha, x, incx, y, incy, a, lda));                      \
  }                                                                                               \
  void cublas##t##symv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx,      \
                       T beta, T *y, int incy) {                                                  \
    keep(cublas##t##symv_v2(legacy, triangle(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy)); \
  }                                                                                               \
  void cublas##t##syr(char uplo, int n, T alpha, const T *x, int incx, T *a, int lda) {           \
    keep(cublas##t##syr_v2(legacy, triangle(uplo), n, &alpha, x, incx, a, lda));                  \
  }                                                                                               \
  void cublas##t##syr2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy,     \
                       T *a, int lda) {                                                           \
    keep(cublas##t##syr2_v2(legacy, triangle(uplo), n, &alpha, x, incx, y, incy, a, lda));        \
  }
OF_REAL(S, float)
OF_REAL(D, double)

#define OF_COMPLEX(t, q, T, R)                                                                     \
  void cublas##t##q##scal(int n, R alpha, T *x, int incx) {                                        \
    keep(cublas##t##q##scal_v2(legacy, n, &alpha, x, incx));                                       \
  }                                                                                                \
  T cublas##t##dotu(int n, const T *x, int incx, const T *y, int incy) {                           \
    T result = T();                                                                                \
    keep(cublas##t##dotu_v2(legacy, n, x, incx, y, incy, &result));                                \
    return result;                                                                                 \
  }                                                                                                \
  T cublas##t##dotc(int n, const T *x, int incx, const T *y, int incy) {                           \
    T result = T();                                                                                \
    keep(cublas##t##dotc_v2(legacy, n, x, incx, y, incy, &result));                                \
    return result;                                                                                 \
  }                                                                                                \
  void cublas##t##geru(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,    \
                       int lda) {                                                                  \
    keep(cublas##t##geru_v2(legacy, m, n, &alpha, x, incx, y, incy, a, lda));                      \
  }                                                                                                \
  void cublas##t##gerc(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,    \
                       int lda) {                                                                  \
    keep(cublas##t##gerc_v2(legacy, m, n, &alpha, x, incx, y, incy, a, lda));                      \
  }                                                                                                \
  void cublas##t##hemv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx,       \
                       T beta, T *y, int incy) {                                                   \
    keep(cublas##t##hemv_v2(legacy, triangle(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy));  \
  }                                                                                                \
  void cublas##t##her(char uplo, int n, R alpha, const T *x, int incx, T *a, int lda) {            \
    keep(cublas##t##her_v2(legacy, triangle(uplo), n, &alpha, x, incx, a, lda));                   \
  }                                                                                                \
  void cublas##t##her2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy,      \
                       T *a, int lda) {                                                            \
    keep(cublas##t##her2_v2(legacy, triangle(uplo), n, &alpha, x, incx, y, incy, a, lda));         \
  }                                                                                                \
  void cublas##t##hemm(char side, char uplo, int m, int n, T alpha, const T *a, int lda,           \
                       const T *b, int ldb, T beta, T *c, int ldc) {                               \
    keep(cublas##t##hemm_v2(legacy, side_of(side), triangle(uplo), m, n, &alpha, a, lda, b, ldb,   \
                            &beta, c, ldc));                                                       \
  }                                                                                                \
  void cublas##t##herk(char uplo, char op, int n, int k, R alpha, const T *a, int lda, R beta,     \
                       T *c, int ldc) {                                                            \
    keep(cublas##t##herk_v2(legacy, triangle(uplo), operation(op), n, k, &alpha, a, lda, &beta, c, \
                            ldc));                                                                 \
  }                                                                                                \
  void cublas##t##her2k(char uplo, char op, int n, int k, T alpha, const T *a, int lda,            \
                        const T *b, int ldb, R beta, T *c, int ldc) {                              \
    keep(cublas##t##her2k_v2(legacy, triangle(uplo), operation(op), n, k, &alpha, a, lda, b, ldb,  \
                             &beta, c, ldc));                                                      \
  }
OF_COMPLEX(C, s, cuComplex, float)
OF_COMPLEX(Z, d, cuDoubleComplex, double)
}
