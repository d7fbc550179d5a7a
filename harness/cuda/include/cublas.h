// SPDX-License-Identifier: Apache-2.0
// cuBLAS without handles, as programs of its first versions call it: factors and results are
// values, kinds of operation are letters as in BLAS, and cublasGetError says what went wrong.
#ifndef NEARBANK_CUBLAS_H
#define NEARBANK_CUBLAS_H
#ifdef CUBLAS_V2_H_
#error "cublas.h and cublas_v2.h cannot be included in one file"
#endif
#define CUBLAS_H_
#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef cublasStatus_t cublasStatus;

cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetVersion(int *version);
// Of the calls since the last one.
cublasStatus cublasGetError(void);
cublasStatus cublasAlloc(int n, int size, void **p);
cublasStatus cublasFree(void *p);
cublasStatus cublasSetKernelStream(cudaStream_t s);

// ---- level 1
void cublasSaxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cublasDaxpy(int n, double alpha, const double *x, int incx, double *y, int incy);
void cublasCaxpy(int n, cuComplex alpha, const cuComplex *x, int incx, cuComplex *y, int incy);
void cublasZaxpy(int n, cuDoubleComplex alpha, const cuDoubleComplex *x, int incx,
                 cuDoubleComplex *y, int incy);
void cublasSscal(int n, float alpha, float *x, int incx);
void cublasDscal(int n, double alpha, double *x, int incx);
void cublasCscal(int n, cuComplex alpha, cuComplex *x, int incx);
void cublasZscal(int n, cuDoubleComplex alpha, cuDoubleComplex *x, int incx);
void cublasCsscal(int n, float alpha, cuComplex *x, int incx);
void cublasZdscal(int n, double alpha, cuDoubleComplex *x, int incx);
void cublasScopy(int n, const float *x, int incx, float *y, int incy);
void cublasDcopy(int n, const double *x, int incx, double *y, int incy);
void cublasCcopy(int n, const cuComplex *x, int incx, cuComplex *y, int incy);
void cublasZcopy(int n, const cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy);
void cublasSswap(int n, float *x, int incx, float *y, int incy);
void cublasDswap(int n, double *x, int incx, double *y, int incy);
void cublasCswap(int n, cuComplex *x, int incx, cuComplex *y, int incy);
void cublasZswap(int n, cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy);
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
double cublasDdot(int n, const double *x, int incx, const double *y, int incy);
cuComplex cublasCdotu(int n, const cuComplex *x, int incx, const cuComplex *y, int incy);
cuDoubleComplex cublasZdotu(int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
                            int incy);
cuComplex cublasCdotc(int n, const cuComplex *x, int incx, const cuComplex *y, int incy);
cuDoubleComplex cublasZdotc(int n, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
                            int incy);
float cublasSnrm2(int n, const float *x, int incx);
double cublasDnrm2(int n, const double *x, int incx);
float cublasScnrm2(int n, const cuComplex *x, int incx);
double cublasDznrm2(int n, const cuDoubleComplex *x, int incx);
float cublasSasum(int n, const float *x, int incx);
double cublasDasum(int n, const double *x, int incx);
float cublasScasum(int n, const cuComplex *x, int incx);
double cublasDzasum(int n, const cuDoubleComplex *x, int incx);
int cublasIsamax(int n, const float *x, int incx);
int cublasIdamax(int n, const double *x, int incx);
int cublasIcamax(int n, const cuComplex *x, int incx);
int cublasIzamax(int n, const cuDoubleComplex *x, int incx);
int cublasIsamin(int n, const float *x, int incx);
int cublasIdamin(int n, const double *x, int incx);
int cublasIcamin(int n, const cuComplex *x, int incx);
int cublasIzamin(int n, const cuDoubleComplex *x, int incx);
void cublasSrot(int n, float *x, int incx, float *y, int incy, float c, float s);
void cublasDrot(int n, double *x, int incx, double *y, int incy, double c, double s);
void cublasSrotg(float *a, float *b, float *c, float *s);
void cublasDrotg(double *a, double *b, double *c, double *s);

// ---- level 2
void cublasSgemv(char op, int m, int n, float alpha, const float *a, int lda, const float *x,
                 int incx, float beta, float *y, int incy);
void cublasDgemv(char op, int m, int n, double alpha, const double *a, int lda, const double *x,
                 int incx, double beta, double *y, int incy);
void cublasCgemv(char op, int m, int n, cuComplex alpha, const cuComplex *a, int lda,
                 const cuComplex *x, int incx, cuComplex beta, cuComplex *y, int incy);
void cublasZgemv(char op, int m, int n, cuDoubleComplex alpha, const cuDoubleComplex *a, int lda,
                 const cuDoubleComplex *x, int incx, cuDoubleComplex beta, cuDoubleComplex *y,
                 int incy);
void cublasSger(int m, int n, float alpha, const float *x, int incx, const float *y, int incy,
                float *a, int lda);
void cublasDger(int m, int n, double alpha, const double *x, int incx, const double *y, int incy,
                double *a, int lda);
void cublasCgeru(int m, int n, cuComplex alpha, const cuComplex *x, int incx, const cuComplex *y,
                 int incy, cuComplex *a, int lda);
void cublasZgeru(int m, int n, cuDoubleComplex alpha, const cuDoubleComplex *x, int incx,
                 const cuDoubleComplex *y, int incy, cuDoubleComplex *a, int lda);
void cublasCgerc(int m, int n, cuComplex alpha, const cuComplex *x, int incx, const cuComplex *y,
                 int incy, cuComplex *a, int lda);
void cublasZgerc(int m, int n, cuDoubleComplex alpha, const cuDoubleComplex *x, int incx,
                 const cuDoubleComplex *y, int incy, cuDoubleComplex *a, int lda);
void cublasSsymv(char uplo, int n, float alpha, const float *a, int lda, const float *x, int incx,
                 float beta, float *y, int incy);
void cublasDsymv(char uplo, int n, double alpha, const double *a, int lda, const double *x,
                 int incx, double beta, double *y, int incy);
void cublasChemv(char uplo, int n, cuComplex alpha, const cuComplex *a, int lda, const cuComplex *x,
                 int incx, cuComplex beta, cuComplex *y, int incy);
void cublasZhemv(char uplo, int n, cuDoubleComplex alpha, const cuDoubleComplex *a, int lda,
                 const cuDoubleComplex *x, int incx, cuDoubleComplex beta, cuDoubleComplex *y,
                 int incy);
void cublasSsyr(char uplo, int n, float alpha, const float *x, int incx, float *a, int lda);
void cublasDsyr(char uplo, int n, double alpha, const double *x, int incx, double *a, int lda);
void cublasCher(char uplo, int n, float alpha, const cuComplex *x, int incx, cuComplex *a, int lda);
void cublasZher(char uplo, int n, double alpha, const cuDoubleComplex *x, int incx,
                cuDoubleComplex *a, int lda);
void cublasSsyr2(char uplo, int n, float alpha, const float *x, int incx, const float *y, int incy,
                 float *a, int lda);
void cublasDsyr2(char uplo, int n, double alpha, const double *x, int incx, const double *y,
                 int incy, double *a, int lda);
void cublasCher2(char uplo, int n, cuComplex alpha, const cuComplex *x, int incx,
                 const cuComplex *y, int incy, cuComplex *a, int lda);
void cublasZher2(char uplo, int n, cuDoubleComplex alpha, const cuDoubleComplex *x, int incx,
                 const cuDoubleComplex *y, int incy, cuDoubleComplex *a, int lda);
void cublasStrmv(char uplo, char op, char diag, int n, const float *a, int lda, float *x, int incx);
void cublasDtrmv(char uplo, char op, char diag, int n, const double *a, int lda, double *x,
                 int incx);
void cublasCtrmv(char uplo, char op, char diag, int n, const cuComplex *a, int lda, cuComplex *x,
                 int incx);
void cublasZtrmv(char uplo, char op, char diag, int n, const cuDoubleComplex *a, int lda,
                 cuDoubleComplex *x, int incx);
void cublasStrsv(char uplo, char op, char diag, int n, const float *a, int lda, float *x, int incx);
void cublasDtrsv(char uplo, char op, char diag, int n, const double *a, int lda, double *x,
                 int incx);
void cublasCtrsv(char uplo, char op, char diag, int n, const cuComplex *a, int lda, cuComplex *x,
                 int incx);
void cublasZtrsv(char uplo, char op, char diag, int n, const cuDoubleComplex *a, int lda,
                 cuDoubleComplex *x, int incx);

// ---- level 3
void cublasSgemm(char opa, char opb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cublasDgemm(char opa, char opb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cublasCgemm(char opa, char opb, int m, int n, int k, cuComplex alpha, const cuComplex *a,
                 int lda, const cuComplex *b, int ldb, cuComplex beta, cuComplex *c, int ldc);
void cublasZgemm(char opa, char opb, int m, int n, int k, cuDoubleComplex alpha,
                 const cuDoubleComplex *a, int lda, const cuDoubleComplex *b, int ldb,
                 cuDoubleComplex beta, cuDoubleComplex *c, int ldc);
void cublasSsymm(char side, char uplo, int m, int n, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc);
void cublasDsymm(char side, char uplo, int m, int n, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cublasCsymm(char side, char uplo, int m, int n, cuComplex alpha, const cuComplex *a, int lda,
                 const cuComplex *b, int ldb, cuComplex beta, cuComplex *c, int ldc);
void cublasZsymm(char side, char uplo, int m, int n, cuDoubleComplex alpha,
                 const cuDoubleComplex *a, int lda, const cuDoubleComplex *b, int ldb,
                 cuDoubleComplex beta, cuDoubleComplex *c, int ldc);
void cublasChemm(char side, char uplo, int m, int n, cuComplex alpha, const cuComplex *a, int lda,
                 const cuComplex *b, int ldb, cuComplex beta, cuComplex *c, int ldc);
void cublasZhemm(char side, char uplo, int m, int n, cuDoubleComplex alpha,
                 const cuDoubleComplex *a, int lda, const cuDoubleComplex *b, int ldb,
                 cuDoubleComplex beta, cuDoubleComplex *c, int ldc);
void cublasSsyrk(char uplo, char op, int n, int k, float alpha, const float *a, int lda, float beta,
                 float *c, int ldc);
void cublasDsyrk(char uplo, char op, int n, int k, double alpha, const double *a, int lda,
                 double beta, double *c, int ldc);
void cublasCsyrk(char uplo, char op, int n, int k, cuComplex alpha, const cuComplex *a, int lda,
                 cuComplex beta, cuComplex *c, int ldc);
void cublasZsyrk(char uplo, char op, int n, int k, cuDoubleComplex alpha, const cuDoubleComplex *a,
                 int lda, cuDoubleComplex beta, cuDoubleComplex *c, int ldc);
void cublasCherk(char uplo, char op, int n, int k, float alpha, const cuComplex *a, int lda,
                 float beta, cuComplex *c, int ldc);
void cublasZherk(char uplo, char op, int n, int k, double alpha, const cuDoubleComplex *a, int lda,
                 double beta, cuDoubleComplex *c, int ldc);
void cublasSsyr2k(char uplo, char op, int n, int k, float alpha, const float *a, int lda,
                  const float *b, int ldb, float beta, float *c, int ldc);
void cublasDsyr2k(char uplo, char op, int n, int k, double alpha, const double *a, int lda,
                  const double *b, int ldb, double beta, double *c, int ldc);
void cublasCsyr2k(char uplo, char op, int n, int k, cuComplex alpha, const cuComplex *a, int lda,
                  const cuComplex *b, int ldb, cuComplex beta, cuComplex *c, int ldc);
void cublasZsyr2k(char uplo, char op, int n, int k, cuDoubleComplex alpha, const cuDoubleComplex *a,
                  int lda, const cuDoubleComplex *b, int ldb, cuDoubleComplex beta,
                  cuDoubleComplex *c, int ldc);
void cublasCher2k(char uplo, char op, int n, int k, cuComplex alpha, const cuComplex *a, int lda,
                  const cuComplex *b, int ldb, float beta, cuComplex *c, int ldc);
void cublasZher2k(char uplo, char op, int n, int k, cuDoubleComplex alpha, const cuDoubleComplex *a,
                  int lda, const cuDoubleComplex *b, int ldb, double beta, cuDoubleComplex *c,
                  int ldc);
void cublasStrmm(char side, char uplo, char op, char diag, int m, int n, float alpha,
                 const float *a, int lda, float *b, int ldb);
void cublasDtrmm(char side, char uplo, char op, char diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb);
void cublasCtrmm(char side, char uplo, char op, char diag, int m, int n, cuComplex alpha,
                 const cuComplex *a, int lda, cuComplex *b, int ldb);
void cublasZtrmm(char side, char uplo, char op, char diag, int m, int n, cuDoubleComplex alpha,
                 const cuDoubleComplex *a, int lda, cuDoubleComplex *b, int ldb);
void cublasStrsm(char side, char uplo, char op, char diag, int m, int n, float alpha,
                 const float *a, int lda, float *b, int ldb);
void cublasDtrsm(char side, char uplo, char op, char diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb);
void cublasCtrsm(char side, char uplo, char op, char diag, int m, int n, cuComplex alpha,
                 const cuComplex *a, int lda, cuComplex *b, int ldb);
void cublasZtrsm(char side, char uplo, char op, char diag, int m, int n, cuDoubleComplex alpha,
                 const cuDoubleComplex *a, int lda, cuDoubleComplex *b, int ldb);

#ifdef __cplusplus
}
#endif
#endif
