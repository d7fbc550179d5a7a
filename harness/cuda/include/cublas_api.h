// SPDX-License-Identifier: Apache-2.0
// cuBLAS of nearbank (docs/libraries.md). Programs include cublas_v2.h, or cublas.h for the
// interface without handles. Matrices are column-major. A name that is not here is not supported.
#ifndef NEARBANK_CUBLAS_API_H
#define NEARBANK_CUBLAS_API_H
#define CUBLAS_API_H_
#include <stddef.h>
#include <stdint.h>
#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"
#ifdef __CUDA__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 11
#define CUBLAS_VER_PATCH 3
#define CUBLAS_VER_BUILD 6
#define CUBLAS_VERSION 111103
#ifndef CUBLASAPI
#define CUBLASAPI
#endif
#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
// Algorithms have no effect: there is one.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,  // not supported
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;
struct __half;

// ---- handles, and copies with strides
cublasStatus_t cublasCreate_v2(cublasHandle_t *h);
cublasStatus_t cublasDestroy_v2(cublasHandle_t h);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s);
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t *s);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t *mode);
// The modes below are kept and have no effect: sums never use atomics, and there is one precision.
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int size, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int m, int n, int size, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasGetMatrix(int m, int n, int size, const void *a, int lda, void *b, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy,
                                    cudaStream_t s);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *x, int incx, void *y, int incy,
                                    cudaStream_t s);
cublasStatus_t cublasSetMatrixAsync(int m, int n, int size, const void *a, int lda, void *b,
                                    int ldb, cudaStream_t s);
cublasStatus_t cublasGetMatrixAsync(int m, int n, int size, const void *a, int lda, void *b,
                                    int ldb, cudaStream_t s);

// ---- level 1
cublasStatus_t cublasSaxpy_v2(cublasHandle_t h, int n, const float *alpha, const float *x, int incx,
                              float *y, int incy);
cublasStatus_t cublasDaxpy_v2(cublasHandle_t h, int n, const double *alpha, const double *x,
                              int incx, double *y, int incy);
cublasStatus_t cublasCaxpy_v2(cublasHandle_t h, int n, const cuComplex *alpha, const cuComplex *x,
                              int incx, cuComplex *y, int incy);
cublasStatus_t cublasZaxpy_v2(cublasHandle_t h, int n, const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy);
cublasStatus_t cublasSscal_v2(cublasHandle_t h, int n, const float *alpha, float *x, int incx);
cublasStatus_t cublasDscal_v2(cublasHandle_t h, int n, const double *alpha, double *x, int incx);
cublasStatus_t cublasCscal_v2(cublasHandle_t h, int n, const cuComplex *alpha, cuComplex *x,
                              int incx);
cublasStatus_t cublasZscal_v2(cublasHandle_t h, int n, const cuDoubleComplex *alpha,
                              cuDoubleComplex *x, int incx);
cublasStatus_t cublasCsscal_v2(cublasHandle_t h, int n, const float *alpha, cuComplex *x, int incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t h, int n, const double *alpha, cuDoubleComplex *x,
                               int incx);
cublasStatus_t cublasScopy_v2(cublasHandle_t h, int n, const float *x, int incx, float *y,
                              int incy);
cublasStatus_t cublasDcopy_v2(cublasHandle_t h, int n, const double *x, int incx, double *y,
                              int incy);
cublasStatus_t cublasCcopy_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, cuComplex *y,
                              int incy);
cublasStatus_t cublasZcopy_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasSswap_v2(cublasHandle_t h, int n, float *x, int incx, float *y, int incy);
cublasStatus_t cublasDswap_v2(cublasHandle_t h, int n, double *x, int incx, double *y, int incy);
cublasStatus_t cublasCswap_v2(cublasHandle_t h, int n, cuComplex *x, int incx, cuComplex *y,
                              int incy);
cublasStatus_t cublasZswap_v2(cublasHandle_t h, int n, cuDoubleComplex *x, int incx,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasSdot_v2(cublasHandle_t h, int n, const float *x, int incx, const float *y,
                             int incy, float *result);
cublasStatus_t cublasDdot_v2(cublasHandle_t h, int n, const double *x, int incx, const double *y,
                             int incy, double *result);
cublasStatus_t cublasCdotu_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
                              const cuComplex *y, int incy, cuComplex *result);
cublasStatus_t cublasZdotu_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy, cuDoubleComplex *result);
cublasStatus_t cublasCdotc_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
                              const cuComplex *y, int incy, cuComplex *result);
cublasStatus_t cublasZdotc_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy, cuDoubleComplex *result);
cublasStatus_t cublasSnrm2_v2(cublasHandle_t h, int n, const float *x, int incx, float *result);
cublasStatus_t cublasDnrm2_v2(cublasHandle_t h, int n, const double *x, int incx, double *result);
cublasStatus_t cublasScnrm2_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
                               float *result);
cublasStatus_t cublasDznrm2_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                               double *result);
cublasStatus_t cublasSasum_v2(cublasHandle_t h, int n, const float *x, int incx, float *result);
cublasStatus_t cublasDasum_v2(cublasHandle_t h, int n, const double *x, int incx, double *result);
cublasStatus_t cublasScasum_v2(cublasHandle_t h, int n, const cuComplex *x, int incx,
                               float *result);
cublasStatus_t cublasDzasum_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                               double *result);
cublasStatus_t cublasIsamax_v2(cublasHandle_t h, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIdamax_v2(cublasHandle_t h, int n, const double *x, int incx, int *result);
cublasStatus_t cublasIcamax_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, int *result);
cublasStatus_t cublasIzamax_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                               int *result);
cublasStatus_t cublasIsamin_v2(cublasHandle_t h, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIdamin_v2(cublasHandle_t h, int n, const double *x, int incx, int *result);
cublasStatus_t cublasIcamin_v2(cublasHandle_t h, int n, const cuComplex *x, int incx, int *result);
cublasStatus_t cublasIzamin_v2(cublasHandle_t h, int n, const cuDoubleComplex *x, int incx,
                               int *result);
cublasStatus_t cublasSrot_v2(cublasHandle_t h, int n, float *x, int incx, float *y, int incy,
                             const float *c, const float *s);
cublasStatus_t cublasDrot_v2(cublasHandle_t h, int n, double *x, int incx, double *y, int incy,
                             const double *c, const double *s);
cublasStatus_t cublasSrotg_v2(cublasHandle_t h, float *a, float *b, float *c, float *s);
cublasStatus_t cublasDrotg_v2(cublasHandle_t h, double *a, double *b, double *c, double *s);

// ---- level 2
cublasStatus_t cublasSgemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,
                              const float *alpha, const float *a, int lda, const float *x, int incx,
                              const float *beta, float *y, int incy);
cublasStatus_t cublasDgemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,
                              const double *alpha, const double *a, int lda, const double *x,
                              int incx, const double *beta, double *y, int incy);
cublasStatus_t cublasCgemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,
                              const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *x, int incx, const cuComplex *beta, cuComplex *y,
                              int incy);
cublasStatus_t cublasZgemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                              const cuDoubleComplex *x, int incx, const cuDoubleComplex *beta,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasSger_v2(cublasHandle_t h, int m, int n, const float *alpha, const float *x,
                             int incx, const float *y, int incy, float *a, int lda);
cublasStatus_t cublasDger_v2(cublasHandle_t h, int m, int n, const double *alpha, const double *x,
                             int incx, const double *y, int incy, double *a, int lda);
cublasStatus_t cublasCgeru_v2(cublasHandle_t h, int m, int n, const cuComplex *alpha,
                              const cuComplex *x, int incx, const cuComplex *y, int incy,
                              cuComplex *a, int lda);
cublasStatus_t cublasZgeru_v2(cublasHandle_t h, int m, int n, const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
                              int incy, cuDoubleComplex *a, int lda);
cublasStatus_t cublasCgerc_v2(cublasHandle_t h, int m, int n, const cuComplex *alpha,
                              const cuComplex *x, int incx, const cuComplex *y, int incy,
                              cuComplex *a, int lda);
cublasStatus_t cublasZgerc_v2(cublasHandle_t h, int m, int n, const cuDoubleComplex *alpha,
                              const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
                              int incy, cuDoubleComplex *a, int lda);
cublasStatus_t cublasSsymv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const float *alpha,
                              const float *a, int lda, const float *x, int incx, const float *beta,
                              float *y, int incy);
cublasStatus_t cublasDsymv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const double *alpha,
                              const double *a, int lda, const double *x, int incx,
                              const double *beta, double *y, int incy);
cublasStatus_t cublasCsymv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *x, int incx, const cuComplex *beta, cuComplex *y,
                              int incy);
cublasStatus_t cublasZsymv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                              const cuDoubleComplex *x, int incx, const cuDoubleComplex *beta,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasChemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *x, int incx, const cuComplex *beta, cuComplex *y,
                              int incy);
cublasStatus_t cublasZhemv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                              const cuDoubleComplex *x, int incx, const cuDoubleComplex *beta,
                              cuDoubleComplex *y, int incy);
cublasStatus_t cublasSsyr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const float *alpha,
                             const float *x, int incx, float *a, int lda);
cublasStatus_t cublasDsyr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const double *alpha,
                             const double *x, int incx, double *a, int lda);
cublasStatus_t cublasCsyr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const cuComplex *alpha,
                             const cuComplex *x, int incx, cuComplex *a, int lda);
cublasStatus_t cublasZsyr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                             const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx,
                             cuDoubleComplex *a, int lda);
cublasStatus_t cublasCher_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const float *alpha,
                             const cuComplex *x, int incx, cuComplex *a, int lda);
cublasStatus_t cublasZher_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const double *alpha,
                             const cuDoubleComplex *x, int incx, cuDoubleComplex *a, int lda);
cublasStatus_t cublasSsyr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const float *alpha,
                              const float *x, int incx, const float *y, int incy, float *a,
                              int lda);
cublasStatus_t cublasDsyr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const double *alpha,
                              const double *x, int incx, const double *y, int incy, double *a,
                              int lda);
cublasStatus_t cublasCsyr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuComplex *alpha, const cuComplex *x, int incx,
                              const cuComplex *y, int incy, cuComplex *a, int lda);
cublasStatus_t cublasZsyr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy, cuDoubleComplex *a, int lda);
cublasStatus_t cublasCher2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuComplex *alpha, const cuComplex *x, int incx,
                              const cuComplex *y, int incy, cuComplex *a, int lda);
cublasStatus_t cublasZher2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx,
                              const cuDoubleComplex *y, int incy, cuDoubleComplex *a, int lda);
cublasStatus_t cublasStrmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const float *a, int lda, float *x,
                              int incx);
cublasStatus_t cublasDtrmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const double *a, int lda, double *x,
                              int incx);
cublasStatus_t cublasCtrmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const cuComplex *a, int lda,
                              cuComplex *x, int incx);
cublasStatus_t cublasZtrmv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const cuDoubleComplex *a, int lda,
                              cuDoubleComplex *x, int incx);
cublasStatus_t cublasStrsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const float *a, int lda, float *x,
                              int incx);
cublasStatus_t cublasDtrsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const double *a, int lda, double *x,
                              int incx);
cublasStatus_t cublasCtrsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const cuComplex *a, int lda,
                              cuComplex *x, int incx);
cublasStatus_t cublasZtrsv_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op,
                              cublasDiagType_t diag, int n, const cuDoubleComplex *a, int lda,
                              cuDoubleComplex *x, int incx);

// ---- level 3
cublasStatus_t cublasSgemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                              int n, int k, const float *alpha, const float *a, int lda,
                              const float *b, int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasDgemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                              int n, int k, const double *alpha, const double *a, int lda,
                              const double *b, int ldb, const double *beta, double *c, int ldc);
cublasStatus_t cublasCgemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                              int n, int k, const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *b, int ldb, const cuComplex *beta, cuComplex *c,
                              int ldc);
cublasStatus_t cublasZgemm_v2(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                              int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                              int lda, const cuDoubleComplex *b, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasSsymm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const float *alpha, const float *a, int lda, const float *b,
                              int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasDsymm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const double *alpha, const double *a, int lda, const double *b,
                              int ldb, const double *beta, double *c, int ldc);
cublasStatus_t cublasCsymm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *b, int ldb, const cuComplex *beta, cuComplex *c,
                              int ldc);
cublasStatus_t cublasZsymm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                              int lda, const cuDoubleComplex *b, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasChemm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *b, int ldb, const cuComplex *beta, cuComplex *c,
                              int ldc);
cublasStatus_t cublasZhemm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m,
                              int n, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                              int lda, const cuDoubleComplex *b, int ldb,
                              const cuDoubleComplex *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasSsyrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const float *alpha, const float *a, int lda, const float *beta,
                              float *c, int ldc);
cublasStatus_t cublasDsyrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const double *alpha, const double *a, int lda,
                              const double *beta, double *c, int ldc);
cublasStatus_t cublasCsyrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *beta, cuComplex *c, int ldc);
cublasStatus_t cublasZsyrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                              int lda, const cuDoubleComplex *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasCherk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const float *alpha, const cuComplex *a, int lda,
                              const float *beta, cuComplex *c, int ldc);
cublasStatus_t cublasZherk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                              int k, const double *alpha, const cuDoubleComplex *a, int lda,
                              const double *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasSsyr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const float *alpha, const float *a, int lda, const float *b,
                               int ldb, const float *beta, float *c, int ldc);
cublasStatus_t cublasDsyr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const double *alpha, const double *a, int lda,
                               const double *b, int ldb, const double *beta, double *c, int ldc);
cublasStatus_t cublasCsyr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const cuComplex *alpha, const cuComplex *a, int lda,
                               const cuComplex *b, int ldb, const cuComplex *beta, cuComplex *c,
                               int ldc);
cublasStatus_t cublasZsyr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                               int lda, const cuDoubleComplex *b, int ldb,
                               const cuDoubleComplex *beta, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasCher2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const cuComplex *alpha, const cuComplex *a, int lda,
                               const cuComplex *b, int ldb, const float *beta, cuComplex *c,
                               int ldc);
cublasStatus_t cublasZher2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t op, int n,
                               int k, const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                               int lda, const cuDoubleComplex *b, int ldb, const double *beta,
                               cuDoubleComplex *c, int ldc);
cublasStatus_t cublasStrmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const float *alpha, const float *a, int lda, const float *b, int ldb,
                              float *c, int ldc);
cublasStatus_t cublasDtrmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const double *alpha, const double *a, int lda, const double *b,
                              int ldb, double *c, int ldc);
cublasStatus_t cublasCtrmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const cuComplex *alpha, const cuComplex *a, int lda,
                              const cuComplex *b, int ldb, cuComplex *c, int ldc);
cublasStatus_t cublasZtrmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                              const cuDoubleComplex *b, int ldb, cuDoubleComplex *c, int ldc);
cublasStatus_t cublasStrsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const float *alpha, const float *a, int lda, float *b, int ldb);
cublasStatus_t cublasDtrsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const double *alpha, const double *a, int lda, double *b, int ldb);
cublasStatus_t cublasCtrsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const cuComplex *alpha, const cuComplex *a, int lda, cuComplex *b,
                              int ldb);
cublasStatus_t cublasZtrsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                              cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                              const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                              cuDoubleComplex *b, int ldb);

// ---- batches, other sums, numbers of 16 bits
cublasStatus_t cublasSgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                  int m, int n, int k, const float *alpha, const float *const a[],
                                  int lda, const float *const b[], int ldb, const float *beta,
                                  float *const c[], int ldc, int count);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long stridea, const float *b, int ldb,
                                         long long strideb, const float *beta, float *c, int ldc,
                                         long long stridec, int count);
cublasStatus_t cublasSgeam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, const float *alpha, const float *a, int lda, const float *beta,
                           const float *b, int ldb, float *c, int ldc);
cublasStatus_t cublasSdgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const float *a,
                           int lda, const float *x, int incx, float *c, int ldc);
cublasStatus_t cublasStrsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                                  const float *alpha, const float *const a[], int lda,
                                  float *const b[], int ldb, int count);
cublasStatus_t cublasSgetrfBatched(cublasHandle_t h, int n, float *const a[], int lda, int *pivots,
                                   int *info, int count);
cublasStatus_t cublasDgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                  int m, int n, int k, const double *alpha, const double *const a[],
                                  int lda, const double *const b[], int ldb, const double *beta,
                                  double *const c[], int ldc, int count);
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const double *alpha, const double *a, int lda,
                                         long long stridea, const double *b, int ldb,
                                         long long strideb, const double *beta, double *c, int ldc,
                                         long long stridec, int count);
cublasStatus_t cublasDgeam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, const double *alpha, const double *a, int lda, const double *beta,
                           const double *b, int ldb, double *c, int ldc);
cublasStatus_t cublasDdgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n, const double *a,
                           int lda, const double *x, int incx, double *c, int ldc);
cublasStatus_t cublasDtrsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                                  const double *alpha, const double *const a[], int lda,
                                  double *const b[], int ldb, int count);
cublasStatus_t cublasDgetrfBatched(cublasHandle_t h, int n, double *const a[], int lda, int *pivots,
                                   int *info, int count);
cublasStatus_t cublasCgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                  int m, int n, int k, const cuComplex *alpha,
                                  const cuComplex *const a[], int lda, const cuComplex *const b[],
                                  int ldb, const cuComplex *beta, cuComplex *const c[], int ldc,
                                  int count);
cublasStatus_t cublasCgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const cuComplex *alpha, const cuComplex *a, int lda,
                                         long long stridea, const cuComplex *b, int ldb,
                                         long long strideb, const cuComplex *beta, cuComplex *c,
                                         int ldc, long long stridec, int count);
cublasStatus_t cublasCgeam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, const cuComplex *alpha, const cuComplex *a, int lda,
                           const cuComplex *beta, const cuComplex *b, int ldb, cuComplex *c,
                           int ldc);
cublasStatus_t cublasCdgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,
                           const cuComplex *a, int lda, const cuComplex *x, int incx, cuComplex *c,
                           int ldc);
cublasStatus_t cublasCtrsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                                  const cuComplex *alpha, const cuComplex *const a[], int lda,
                                  cuComplex *const b[], int ldb, int count);
cublasStatus_t cublasCgetrfBatched(cublasHandle_t h, int n, cuComplex *const a[], int lda,
                                   int *pivots, int *info, int count);
cublasStatus_t cublasZgemmBatched(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb,
                                  int m, int n, int k, const cuDoubleComplex *alpha,
                                  const cuDoubleComplex *const a[], int lda,
                                  const cuDoubleComplex *const b[], int ldb,
                                  const cuDoubleComplex *beta, cuDoubleComplex *const c[], int ldc,
                                  int count);
cublasStatus_t cublasZgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const cuDoubleComplex *alpha, const cuDoubleComplex *a,
                                         int lda, long long stridea, const cuDoubleComplex *b,
                                         int ldb, long long strideb, const cuDoubleComplex *beta,
                                         cuDoubleComplex *c, int ldc, long long stridec, int count);
cublasStatus_t cublasZgeam(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, const cuDoubleComplex *alpha, const cuDoubleComplex *a, int lda,
                           const cuDoubleComplex *beta, const cuDoubleComplex *b, int ldb,
                           cuDoubleComplex *c, int ldc);
cublasStatus_t cublasZdgmm(cublasHandle_t h, cublasSideMode_t side, int m, int n,
                           const cuDoubleComplex *a, int lda, const cuDoubleComplex *x, int incx,
                           cuDoubleComplex *c, int ldc);
cublasStatus_t cublasZtrsmBatched(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t op, cublasDiagType_t diag, int m, int n,
                                  const cuDoubleComplex *alpha, const cuDoubleComplex *const a[],
                                  int lda, cuDoubleComplex *const b[], int ldb, int count);
cublasStatus_t cublasZgetrfBatched(cublasHandle_t h, int n, cuDoubleComplex *const a[], int lda,
                                   int *pivots, int *info, int count);
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                           int n, int k, const struct __half *alpha, const struct __half *a,
                           int lda, const struct __half *b, int ldb, const struct __half *beta,
                           struct __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t opa,
                                         cublasOperation_t opb, int m, int n, int k,
                                         const struct __half *alpha, const struct __half *a,
                                         int lda, long long stridea, const struct __half *b,
                                         int ldb, long long strideb, const struct __half *beta,
                                         struct __half *c, int ldc, long long stridec, int count);
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                             int n, int k, const float *alpha, const void *a, cudaDataType atype,
                             int lda, const void *b, cudaDataType btype, int ldb, const float *beta,
                             void *c, cudaDataType ctype, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m,
                            int n, int k, const void *alpha, const void *a, cudaDataType atype,
                            int lda, const void *b, cudaDataType btype, int ldb, const void *beta,
                            void *c, cudaDataType ctype, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea, const void *b,
    cudaDataType btype, int ldb, long long strideb, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long stridec, int count, cublasComputeType_t compute, cublasGemmAlgo_t algo);

#ifdef __cplusplus
}
#endif
#endif
