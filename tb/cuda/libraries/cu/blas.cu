// SPDX-License-Identifier: Apache-2.0
// cuBLAS beside OpenBLAS: every function of the table, with sizes around those of tiles, strides of
// both signs, leading dimensions with gaps. Beyond a matrix nothing is written: gaps are compared.
#include <cblas.h>
#include <cublas_v2.h>

#include "both.h"

#include <cstring>

static cublasHandle_t h;
// Sizes of matrices: with MPU_LONG all, else those at the ends.
static const int all_sizes[] = {5, 1, 33, 70};
static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

static CBLAS_TRANSPOSE of(cublasOperation_t op) {
  return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}
static CBLAS_UPLO of(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
static CBLAS_DIAG of(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
static CBLAS_SIDE of(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
// Factors are values of real kinds, and pointers of complex ones.
static float f(const float &v) {
  return v;
}
static double f(const double &v) {
  return v;
}
static const float *f(const float2 &v) {
  return &v.x;
}
static const double *f(const double2 &v) {
  return &v.x;
}
template <class T>
static T some(void) {
  T v;
  fill(v);
  return v;
}
static void heavy(float &v) {
  v += 4;
}
static void heavy(double &v) {
  v += 4;
}
static void heavy(float2 &v) {
  v.x += 4;
}
static void heavy(double2 &v) {
  v.x += 4;
}
// So that systems of equations are well conditioned.
template <class T>
static void make_heavy(both<T> &a, int n, int lda) {
  for (int k = 0; k < n; k++)
    heavy(a.host[(size_t)(k * lda + k)]);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      if (i != j)
        a.host[(size_t)(j * lda + i)] = T();
      else if (i)
        fill(a.host[(size_t)(j * lda + i - 1)]), fill(a.host[(size_t)((j - 1) * lda + i)]);
  a.send();
}

static double parts(double v) {
  return fabs(v);
}
template <class T, class = decltype(T().y)>
static double parts(const T &v) {
  return fabs(v.x) + fabs(v.y);
}
// OpenBLAS 0.3.21 loses elements at the end of complex vectors of float.
template <class T>
static double sum_of_parts(const both<T> &x, int n, int inc) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += parts(x.host[(size_t)(k * inc)]);
  return sum;
}

#define ROUND(n, inc) ((size_t)(1 + ((n)-1) * abs(inc)))

#define LEVEL1(t, l, r, lr, i, T, R)                                                     \
  static void level1_##t(int n, int incx, int incy) {                                    \
    both<T> x(ROUND(n, incx)), y(ROUND(n, incy));                                        \
    const T alpha = some<T>();                                                           \
    R got = 0, *there;                                                                   \
    int at = 0;                                                                          \
    HOST(cblas_##l##axpy)(n, f(alpha), x.host.data(), incx, y.host.data(), incy);        \
    y.same(#t "axpy", cublas##t##axpy(h, n, &alpha, x.device, incx, y.device, incy), 2); \
    HOST(cblas_##l##swap)(n, x.host.data(), incx, y.host.data(), incy);                  \
    const int status = cublas##t##swap(h, n, x.device, incx, y.device, incy);            \
    x.same(#t "swap", status, 0);                                                        \
    y.same(#t "swap", status, 0);                                                        \
    if (incx > 0) {                                                                      \
      HOST(cblas_##l##scal)(n, f(alpha), x.host.data(), incx);                           \
      x.same(#t "scal", cublas##t##scal(h, n, &alpha, x.device, incx), 1);               \
      both<R> sums(2);                                                                   \
      sums.host[0] = HOST(cblas_##lr##nrm2)(n, x.host.data(), incx);                     \
      sums.host[1] = (R)sum_of_parts(x, n, incx);                                        \
      int bad = cublas##r##nrm2(h, n, x.device, incx, &got);                             \
      cudaMemcpy(sums.device, &got, sizeof got, cudaMemcpyHostToDevice);                 \
      cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);                               \
      there = sums.device + 1;                                                           \
      bad += cublas##r##asum(h, n, x.device, incx, there);                               \
      cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);                                 \
      sums.same(#r "nrm2, asum", bad, n);                                                \
      bad = cublasI##i##amax(h, n, x.device, incx, &at);                                 \
      const int expected = 1 + (int)HOST(cblas_i##l##amax)(n, x.host.data(), incx);      \
      if (bad || at != expected) {                                                       \
        printf("FAILED: I" #i "amax is %d, not %d\n", at, expected);                     \
        failed = 1;                                                                      \
      }                                                                                  \
    }                                                                                    \
    HOST(cblas_##l##copy)(n, x.host.data(), incx, y.host.data(), incy);                  \
    y.same(#t "copy", cublas##t##copy(h, n, x.device, incx, y.device, incy), 0);         \
  }
LEVEL1(S, s, S, s, s, float, float)
LEVEL1(D, d, D, d, d, double, double)
LEVEL1(C, c, Sc, sc, c, cuComplex, float)
LEVEL1(Z, z, Dz, dz, z, cuDoubleComplex, double)

#define DOT(t, l, T)                                                                 \
  static void dot_##t(int n, int incx, int incy) {                                   \
    both<T> x(ROUND(n, incx)), y(ROUND(n, incy)), sum(1);                            \
    T got, c = 0.6f, s = 0.8f;                                                       \
    sum.host[0] = HOST(cblas_##l##dot)(n, x.host.data(), incx, y.host.data(), incy); \
    const int status = cublas##t##dot(h, n, x.device, incx, y.device, incy, &got);   \
    cudaMemcpy(sum.device, &got, sizeof got, cudaMemcpyHostToDevice);                \
    sum.same(#t "dot", status, n);                                                   \
    HOST(cblas_##l##rot)(n, x.host.data(), incx, y.host.data(), incy, c, s);         \
    const int bad = cublas##t##rot(h, n, x.device, incx, y.device, incy, &c, &s);    \
    x.same(#t "rot", bad, 2);                                                        \
    y.same(#t "rot", bad, 2);                                                        \
    both<T> g(4);                                                                    \
    T a[4];                                                                          \
    memcpy(a, g.host.data(), sizeof a);                                              \
    HOST(cblas_##l##rotg)(&g.host[0], &g.host[1], &g.host[2], &g.host[3]);           \
    const int worse = cublas##t##rotg(h, a, a + 1, a + 2, a + 3);                    \
    cudaMemcpy(g.device, a, sizeof a, cudaMemcpyHostToDevice);                       \
    g.same(#t "rotg", worse, 8);                                                     \
  }
DOT(S, s, float)
DOT(D, d, double)
#define COMPLEX_DOT(t, l, T)                                                               \
  static void dot_##t(int n, int incx, int incy) {                                         \
    both<T> x(ROUND(n, incx)), y(ROUND(n, incy)), sums(2);                                 \
    T got[2];                                                                              \
    HOST(cblas_##l##dotu_sub)(n, x.host.data(), incx, y.host.data(), incy, &sums.host[0]); \
    HOST(cblas_##l##dotc_sub)(n, x.host.data(), incx, y.host.data(), incy, &sums.host[1]); \
    int status = cublas##t##dotu(h, n, x.device, incx, y.device, incy, got);               \
    status += cublas##t##dotc(h, n, x.device, incx, y.device, incy, got + 1);              \
    cudaMemcpy(sums.device, got, sizeof got, cudaMemcpyHostToDevice);                      \
    sums.same(#t "dotu, dotc", status, n);                                                 \
  }
COMPLEX_DOT(C, c, cuComplex)
COMPLEX_DOT(Z, z, cuDoubleComplex)

#define MATRIX(a) a.host.data()

// Level 2 and 3 of the four kinds; `u` is the u of geru.
#define MATRICES(t, l, u, T)                                                                       \
  static void level2_##t(int m, int n, int incx, int incy) {                                       \
    const int lda = m + 3, big = m > n ? m : n;                                                    \
    both<T> a((size_t)(lda * n)), x(ROUND(big, incx)), y(ROUND(big, incy));                        \
    const T alpha = some<T>(), beta = some<T>();                                                   \
    for (cublasOperation_t op : ops) {                                                             \
      HOST(cblas_##l##gemv)                                                                        \
      (CblasColMajor, of(op), m, n, f(alpha), MATRIX(a), lda, MATRIX(x), incx, f(beta), MATRIX(y), \
       incy);                                                                                      \
      y.same(#t "gemv",                                                                            \
             cublas##t##gemv(h, op, m, n, &alpha, a.device, lda, x.device, incx, &beta, y.device,  \
                             incy),                                                                \
             big);                                                                                 \
    }                                                                                              \
    HOST(cblas_##l##ger##u)                                                                        \
    (CblasColMajor, m, n, f(alpha), MATRIX(x), incx, MATRIX(y), incy, MATRIX(a), lda);             \
    a.same(#t "ger" #u,                                                                            \
           cublas##t##ger##u(h, m, n, &alpha, x.device, incx, y.device, incy, a.device, lda), 2);  \
  }                                                                                                \
  static void triangles_##t(int m, int n, cublasFillMode_t uplo, cublasDiagType_t diag,            \
                            cublasOperation_t op, int incx) {                                      \
    const int lda = m + 2, ldr = n + 1, ldb = m + 1;                                               \
    both<T> a((size_t)(lda * m)), r((size_t)(ldr * n)), x(ROUND(m, incx)), b((size_t)(ldb * n));   \
    const T alpha = some<T>();                                                                     \
    make_heavy(a, m, lda);                                                                         \
    make_heavy(r, n, ldr);                                                                         \
    HOST(cblas_##l##trmv)                                                                          \
    (CblasColMajor, of(uplo), of(op), of(diag), m, MATRIX(a), lda, MATRIX(x), incx);               \
    x.same(#t "trmv", cublas##t##trmv(h, uplo, op, diag, m, a.device, lda, x.device, incx), m);    \
    HOST(cblas_##l##trsv)                                                                          \
    (CblasColMajor, of(uplo), of(op), of(diag), m, MATRIX(a), lda, MATRIX(x), incx);               \
    x.same(#t "trsv", cublas##t##trsv(h, uplo, op, diag, m, a.device, lda, x.device, incx),        \
           4 * m);                                                                                 \
    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {                          \
      both<T> &s = side == CUBLAS_SIDE_LEFT ? a : r;                                               \
      const int lds = side == CUBLAS_SIDE_LEFT ? lda : ldr;                                        \
      HOST(cblas_##l##trmm)                                                                        \
      (CblasColMajor, of(side), of(uplo), of(op), of(diag), m, n, f(alpha), MATRIX(s), lds,        \
       MATRIX(b), ldb);                                                                            \
      b.same(#t "trmm",                                                                            \
             cublas##t##trmm(h, side, uplo, op, diag, m, n, &alpha, s.device, lds, b.device, ldb,  \
                             b.device, ldb),                                                       \
             m + n);                                                                               \
      HOST(cblas_##l##trsm)                                                                        \
      (CblasColMajor, of(side), of(uplo), of(op), of(diag), m, n, f(alpha), MATRIX(s), lds,        \
       MATRIX(b), ldb);                                                                            \
      b.same(#t "trsm",                                                                            \
             cublas##t##trsm(h, side, uplo, op, diag, m, n, &alpha, s.device, lds, b.device, ldb), \
             4 * (m + n));                                                                         \
    }                                                                                              \
  }                                                                                                \
  static void gemm_##t(int m, int n, int k, cublasOperation_t opa, cublasOperation_t opb) {        \
    const int lda = 1 + (opa == CUBLAS_OP_N ? m : k), ldb = 2 + (opb == CUBLAS_OP_N ? k : n);      \
    const int ldc = m + 3;                                                                         \
    both<T> a((size_t)(lda * (m + k))), b((size_t)(ldb * (n + k))), c((size_t)(ldc * n));          \
    const T alpha = some<T>(), beta = some<T>();                                                   \
    HOST(cblas_##l##gemm)                                                                          \
    (CblasColMajor, of(opa), of(opb), m, n, k, f(alpha), MATRIX(a), lda, MATRIX(b), ldb, f(beta),  \
     MATRIX(c), ldc);                                                                              \
    c.same(#t "gemm",                                                                              \
           cublas##t##gemm(h, opa, opb, m, n, k, &alpha, a.device, lda, b.device, ldb, &beta,      \
                           c.device, ldc),                                                         \
           k);                                                                                     \
  }                                                                                                \
  static void shaped_##t(int m, int n, int k, cublasFillMode_t uplo) {                             \
    const int big = m > n ? m : n, ld = (big > k ? big : k) + 1;                                   \
    const size_t all = (size_t)(ld * ld);                                                          \
    both<T> a(all), b(all), c(all);                                                                \
    const T alpha = some<T>(), beta = some<T>();                                                   \
    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {                          \
      HOST(cblas_##l##symm)                                                                        \
      (CblasColMajor, of(side), of(uplo), m, n, f(alpha), MATRIX(a), ld, MATRIX(b), ld, f(beta),   \
       MATRIX(c), ld);                                                                             \
      c.same(#t "symm",                                                                            \
             cublas##t##symm(h, side, uplo, m, n, &alpha, a.device, ld, b.device, ld, &beta,       \
                             c.device, ld),                                                        \
             big);                                                                                 \
    }                                                                                              \
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                      \
      HOST(cblas_##l##syrk)                                                                        \
      (CblasColMajor, of(uplo), of(op), n, k, f(alpha), MATRIX(a), ld, f(beta), MATRIX(c), ld);    \
      c.same(#t "syrk",                                                                            \
             cublas##t##syrk(h, uplo, op, n, k, &alpha, a.device, ld, &beta, c.device, ld), k);    \
      HOST(cblas_##l##syr2k)                                                                       \
      (CblasColMajor, of(uplo), of(op), n, k, f(alpha), MATRIX(a), ld, MATRIX(b), ld, f(beta),     \
       MATRIX(c), ld);                                                                             \
      c.same(#t "syr2k",                                                                           \
             cublas##t##syr2k(h, uplo, op, n, k, &alpha, a.device, ld, b.device, ld, &beta,        \
                              c.device, ld),                                                       \
             2 * k);                                                                               \
    }                                                                                              \
  }
MATRICES(S, s, , float)
MATRICES(D, d, , double)
MATRICES(C, c, u, cuComplex)
MATRICES(Z, z, u, cuDoubleComplex)

#define SYMMETRIC(t, l, T)                                                                         \
  static void symmetric_##t(int n, cublasFillMode_t uplo, int incx, int incy) {                    \
    const int lda = n + 1;                                                                         \
    both<T> a((size_t)(lda * n)), x(ROUND(n, incx)), y(ROUND(n, incy));                            \
    const T alpha = some<T>(), beta = some<T>();                                                   \
    HOST(cblas_##l##symv)                                                                          \
    (CblasColMajor, of(uplo), n, alpha, MATRIX(a), lda, MATRIX(x), incx, beta, MATRIX(y), incy);   \
    y.same(                                                                                        \
        #t "symv",                                                                                 \
        cublas##t##symv(h, uplo, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy), \
        n);                                                                                        \
    HOST(cblas_##l##syr)(CblasColMajor, of(uplo), n, alpha, MATRIX(x), incx, MATRIX(a), lda);      \
    a.same(#t "syr", cublas##t##syr(h, uplo, n, &alpha, x.device, incx, a.device, lda), 2);        \
    HOST(cblas_##l##syr2)                                                                          \
    (CblasColMajor, of(uplo), n, alpha, MATRIX(x), incx, MATRIX(y), incy, MATRIX(a), lda);         \
    a.same(#t "syr2",                                                                              \
           cublas##t##syr2(h, uplo, n, &alpha, x.device, incx, y.device, incy, a.device, lda), 4); \
  }
SYMMETRIC(S, s, float)
SYMMETRIC(D, d, double)

#define HERMITIAN(t, l, T, R)                                                                     \
  static void hermitian_##t(int n, int k, cublasFillMode_t uplo, int incx, int incy) {            \
    const int ld = (n > k ? n : k) + 1;                                                           \
    const size_t all = (size_t)(ld * ld);                                                         \
    both<T> a(all), b(all), c(all), x(ROUND(n, incx)), y(ROUND(n, incy));                         \
    const T alpha = some<T>(), beta = some<T>();                                                  \
    const R real = some<R>(), other = some<R>();                                                  \
    HOST(cblas_##l##hemv)                                                                         \
    (CblasColMajor, of(uplo), n, &alpha, MATRIX(a), ld, MATRIX(x), incx, &beta, MATRIX(y), incy); \
    y.same(                                                                                       \
        #t "hemv",                                                                                \
        cublas##t##hemv(h, uplo, n, &alpha, a.device, ld, x.device, incx, &beta, y.device, incy), \
        n);                                                                                       \
    HOST(cblas_##l##her)(CblasColMajor, of(uplo), n, real, MATRIX(x), incx, MATRIX(a), ld);       \
    a.same(#t "her", cublas##t##her(h, uplo, n, &real, x.device, incx, a.device, ld), 2);         \
    HOST(cblas_##l##her2)                                                                         \
    (CblasColMajor, of(uplo), n, &alpha, MATRIX(x), incx, MATRIX(y), incy, MATRIX(a), ld);        \
    a.same(#t "her2",                                                                             \
           cublas##t##her2(h, uplo, n, &alpha, x.device, incx, y.device, incy, a.device, ld), 4); \
    HOST(cblas_##l##gerc)                                                                         \
    (CblasColMajor, n, n, &alpha, MATRIX(x), incx, MATRIX(y), incy, MATRIX(a), ld);               \
    a.same(#t "gerc",                                                                             \
           cublas##t##gerc(h, n, n, &alpha, x.device, incx, y.device, incy, a.device, ld), 4);    \
    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {                         \
      HOST(cblas_##l##hemm)                                                                       \
      (CblasColMajor, of(side), of(uplo), n, n, &alpha, MATRIX(a), ld, MATRIX(b), ld, &beta,      \
       MATRIX(c), ld);                                                                            \
      c.same(#t "hemm",                                                                           \
             cublas##t##hemm(h, side, uplo, n, n, &alpha, a.device, ld, b.device, ld, &beta,      \
                             c.device, ld),                                                       \
             n);                                                                                  \
    }                                                                                             \
    for (cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_C}) {                                     \
      HOST(cblas_##l##herk)                                                                       \
      (CblasColMajor, of(uplo), of(op), n, k, real, MATRIX(a), ld, other, MATRIX(c), ld);         \
      c.same(#t "herk",                                                                           \
             cublas##t##herk(h, uplo, op, n, k, &real, a.device, ld, &other, c.device, ld), k);   \
      HOST(cblas_##l##her2k)                                                                      \
      (CblasColMajor, of(uplo), of(op), n, k, &alpha, MATRIX(a), ld, MATRIX(b), ld, other,        \
       MATRIX(c), ld);                                                                            \
      c.same(#t "her2k",                                                                          \
             cublas##t##her2k(h, uplo, op, n, k, &alpha, a.device, ld, b.device, ld, &other,      \
                              c.device, ld),                                                      \
             2 * k);                                                                              \
    }                                                                                             \
  }
HERMITIAN(C, c, cuComplex, float)
HERMITIAN(Z, z, cuDoubleComplex, double)

// Batches by pointers and by strides, with factors in device memory; systems of equations; the
// smallest element; sums of matrices and products with a diagonal.
#define BATCHES(t, l, i, T)                                                                       \
  static void batches_##t(int m, int n, int k) {                                                  \
    const int count = 3, each = 40 * 40, ld = 40;                                                 \
    const CBLAS_TRANSPOSE no = CblasNoTrans, yes = CblasTrans;                                    \
    const cublasOperation_t N = CUBLAS_OP_N, X = CUBLAS_OP_T;                                     \
    both<T> a(count *each), b(count *each), c(count *each), factors(2);                           \
    const T alpha = factors.host[0], beta = factors.host[1];                                      \
    T *places[9], **there;                                                                        \
    for (int z = 0; z < 9; z++)                                                                   \
      places[z] = (z < 3 ? a : z < 6 ? b : c).device + z % 3 * each;                              \
    cudaMalloc((void **)&there, sizeof places);                                                   \
    cudaMemcpy(there, places, sizeof places, cudaMemcpyHostToDevice);                             \
    for (int turn = 0; turn < 2; turn++) {                                                        \
      for (int z = 0; z < count; z++)                                                             \
        HOST(cblas_##l##gemm)                                                                     \
      (CblasColMajor, no, yes, m, n, k, f(alpha), &a.host[(size_t)(z * each)], ld,                \
       &b.host[(size_t)(z * each)], ld, f(beta), &c.host[(size_t)(z * each)], ld);                \
      cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);                                        \
      const T *u = factors.device, *v = u + 1;                                                    \
      const int status =                                                                          \
          turn ? cublas##t##gemmBatched(h, N, X, m, n, k, u, there, ld, there + 3, ld, v,         \
                                        there + 6, ld, count)                                     \
               : cublas##t##gemmStridedBatched(h, N, X, m, n, k, u, a.device, ld, each, b.device, \
                                               ld, each, v, c.device, ld, each, count);           \
      cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST);                                          \
      c.same(#t "gemm of a batch", status, k);                                                    \
    }                                                                                             \
    for (int z = 0; z < count; z++)                                                               \
      for (int d = 0; d < m; d++)                                                                 \
        for (int e = 0; e < 8; e++)                                                               \
          heavy(a.host[(size_t)(z * each + d * (ld + 1))]);                                       \
    a.send();                                                                                     \
    for (int z = 0; z < count; z++)                                                               \
      HOST(cblas_##l##trsm)                                                                       \
    (CblasColMajor, CblasLeft, CblasLower, no, CblasNonUnit, m, n, f(alpha),                      \
     &a.host[(size_t)(z * each)], ld, &c.host[(size_t)(z * each)], ld);                           \
    c.same(#t "trsm of a batch",                                                                  \
           cublas##t##trsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, N,                 \
                                  CUBLAS_DIAG_NON_UNIT, m, n, &alpha, there, ld, there + 6, ld,   \
                                  count),                                                         \
           m);                                                                                    \
    const T none = T();                                                                           \
    for (int r = 0; r < m; r++) /* c = alpha a + beta b^T, as two updates of the host */          \
      for (int q = 0; q < n; q++)                                                                 \
        c.host[(size_t)(r + q * ld)] = none;                                                      \
    for (int q = 0; q < n; q++) {                                                                 \
      T *to = &c.host[(size_t)(q * ld)];                                                          \
      HOST(cblas_##l##axpy)(m, f(alpha), &a.host[(size_t)(q * ld)], 1, to, 1);                    \
      HOST(cblas_##l##axpy)(m, f(beta), &b.host[(size_t)q], ld, to, 1);                           \
    }                                                                                             \
    c.same(                                                                                       \
        #t "geam",                                                                                \
        cublas##t##geam(h, N, X, m, n, &alpha, a.device, ld, &beta, b.device, ld, c.device, ld),  \
        2);                                                                                       \
    for (int q = 0; q < n; q++) { /* c = a diag(b) */                                             \
      T *to = &c.host[(size_t)(q * ld)];                                                          \
      HOST(cblas_##l##copy)(m, &a.host[(size_t)(q * ld)], 1, to, 1);                              \
      HOST(cblas_##l##scal)(m, f(b.host[(size_t)(2 * q)]), to, 1);                                \
    }                                                                                             \
    c.same(#t "dgmm",                                                                             \
           cublas##t##dgmm(h, CUBLAS_SIDE_RIGHT, m, n, a.device, ld, b.device, 2, c.device, ld),  \
           1);                                                                                    \
    int at = 0, expected = 0;                                                                     \
    const int bad = cublasI##i##amin(h, each, b.device, 1, &at);                                  \
    for (int e = 1; e < each; e++)                                                                \
      expected = parts(b.host[(size_t)e]) < parts(b.host[(size_t)expected]) ? e : expected;       \
    if (bad || at != expected + 1) {                                                              \
      printf("FAILED: I" #i "amin is %d, not %d\n", at, expected + 1);                            \
      failed = 1;                                                                                 \
    }                                                                                             \
    cudaFree(there);                                                                              \
  }
BATCHES(S, s, s, float)
BATCHES(D, d, d, double)
BATCHES(C, c, c, cuComplex)
BATCHES(Z, z, z, cuDoubleComplex)

// Numbers with the host's arithmetic.
template <class T, class = void>
struct host_kind {
  typedef T type;
};
template <class T>
struct host_kind<T, decltype((void)T().y)> {
  typedef std::complex<decltype(T().x)> type;
};
template <class T>
using on_host = typename host_kind<T>::type;

// P A = L U of three matrices: the product of what the device made is the matrix with its rows
// exchanged; no element of L is larger than its pivot. One matrix is singular.
#define LU(t, T)                                                                              \
  static void lu_##t(int n, bool pivoted) {                                                   \
    enum { MATRICES = 3 };                                                                    \
    const int ld = n + 3, each = ld * n;                                                      \
    both<T> a(MATRICES *each);                                                                \
    std::vector<int> rows(MATRICES *n), info(MATRICES);                                       \
    for (int z = 0; z < MATRICES; z++)                                                        \
      for (int d = 0; d < n && !pivoted; d++)                                                 \
        for (int e = 0; e < 8; e++)                                                           \
          heavy(a.host[(size_t)(z * each + d * (ld + 1))]);                                   \
    for (int k = 0; k < n && pivoted; k++) /* a column of zeros */                            \
      a.host[(size_t)(2 * each + n / 2 * ld + k)] = T();                                      \
    a.send();                                                                                 \
    T *places[MATRICES], **there;                                                             \
    int *pivots, *bad;                                                                        \
    for (int z = 0; z < MATRICES; z++)                                                        \
      places[z] = a.device + z * each;                                                        \
    cudaMalloc((void **)&there, sizeof places);                                               \
    cudaMalloc((void **)&pivots, rows.size() * sizeof(int));                                  \
    cudaMalloc((void **)&bad, info.size() * sizeof(int));                                     \
    cudaMemcpy(there, places, sizeof places, cudaMemcpyHostToDevice);                         \
    const int status =                                                                        \
        cublas##t##getrfBatched(h, n, there, ld, pivoted ? pivots : NULL, bad, MATRICES);     \
    cudaMemcpy(rows.data(), pivots, rows.size() * sizeof(int), cudaMemcpyDeviceToHost);       \
    cudaMemcpy(info.data(), bad, info.size() * sizeof(int), cudaMemcpyDeviceToHost);          \
    std::vector<T> lu(a.host.size());                                                         \
    cudaMemcpy(lu.data(), a.device, lu.size() * sizeof(T), cudaMemcpyDeviceToHost);           \
    bool right = !info[0] && !info[1] && info[2] == (pivoted ? n / 2 + 1 : 0);                \
    for (int z = 0; z < MATRICES; z++)                                                        \
      for (int j = 0; j < n && pivoted; j++) {                                                \
        const int row = rows[(size_t)(z * n + j)] - 1;                                        \
        right = right && row >= j && row < n;                                                 \
        for (int c = 0; c < n && right; c++)                                                  \
          std::swap(a.host[(size_t)(z * each + c * ld + j)],                                  \
                    a.host[(size_t)(z * each + c * ld + row)]);                               \
        for (int i = j + 1; i < n; i++)                                                       \
          right = right && parts(lu[(size_t)(z * each + j * ld + i)]) <= 2.01;                \
      }                                                                                       \
    std::vector<T> product(lu); /* with what is between columns */                            \
    for (int z = 0; z < MATRICES; z++)                                                        \
      for (int c = 0; c < n; c++)                                                             \
        for (int i = 0; i < n; i++) {                                                         \
          const on_host<T> *m = (const on_host<T> *)&lu[(size_t)(z * each)];                  \
          on_host<T> sum = i <= c ? m[c * ld + i] : on_host<T>(0);                            \
          for (int k = 0; k < i && k <= c; k++)                                               \
            sum += m[k * ld + i] * m[c * ld + k];                                             \
          memcpy((void *)&product[(size_t)(z * each + c * ld + i)], &sum, sizeof sum);        \
        }                                                                                     \
    cudaMemcpy(a.device, product.data(), product.size() * sizeof(T), cudaMemcpyHostToDevice); \
    a.same(#t "getrf of a batch", status, n);                                                 \
    cudaFree(there);                                                                          \
    cudaFree(pivots);                                                                         \
    cudaFree(bad);                                                                            \
    if (!right) {                                                                             \
      printf("FAILED: " #t "getrf of a batch: pivots or info of n = %d\n", n);                \
      failed = 1;                                                                             \
    }                                                                                         \
  }
LU(S, float)
LU(D, double)
LU(C, cuComplex)
LU(Z, cuDoubleComplex)

// Numbers of 16 bits, whose products the host makes in float.
static void mixed(int m, int n, int k) {
  std::vector<float> a((size_t)(m * k)), b((size_t)(k * n)), c((size_t)(m * n));
  std::vector<__half> ha(a.size()), hb(b.size());
  both<float> sum(c.size()), rounded(c.size());
  const float alpha = 0.5f, beta = 0;
  const __half one = __float2half(0.5f), none = __float2half(0.0f);
  const cublasOperation_t N = CUBLAS_OP_N, X = CUBLAS_OP_T;
  for (size_t e = 0; e < a.size(); e++)
    a[e] = __half2float(ha[e] = __float2half((float)random_number()));
  for (size_t e = 0; e < b.size(); e++)
    b[e] = __half2float(hb[e] = __float2half((float)random_number()));
  __half *da, *db, *dc;
  cudaMalloc((void **)&da, ha.size() * 2);
  cudaMalloc((void **)&db, hb.size() * 2);
  cudaMalloc((void **)&dc, c.size() * 2);
  cudaMemcpy(da, ha.data(), ha.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(db, hb.data(), hb.size() * 2, cudaMemcpyHostToDevice);
  HOST(cblas_sgemm)
  (CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, alpha, a.data(), m, b.data(), n, beta,
   sum.host.data(), m);
  sum.same("GemmEx to float",
           cublasGemmEx(h, N, X, m, n, k, &alpha, da, CUDA_R_16F, m, db, CUDA_R_16F, n, &beta,
                        sum.device, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
           k);
  const int status = cublasHgemm(h, N, X, m, n, k, &one, da, m, db, n, &none, dc, m);
  std::vector<__half> got(c.size());
  cudaMemcpy(got.data(), dc, got.size() * 2, cudaMemcpyDeviceToHost);
  bool right = !status;
  for (size_t e = 0; e < c.size(); e++)
    right = right && fabs(__half2float(got[e]) - sum.host[e]) <= 1e-3 * (1 + fabs(sum.host[e]));
  if (!right || cublasGemmEx(h, N, X, m, n, k, &alpha, da, CUDA_R_8I, m, db, CUDA_R_8I, n, &beta,
                             dc, CUDA_R_32I, m, CUBLAS_COMPUTE_32F,
                             CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_NOT_SUPPORTED) {
    printf("FAILED: Hgemm, or integers are not refused\n");
    failed = 1;
  }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}

#define OF_KINDS(what) what(S) what(D) what(C) what(Z)

static void vectors(void) {
  for (int n : {1, 31, 1000, 5000}) {
#define VECTORS(t)      \
  level1_##t(n, 1, 1);  \
  level1_##t(n, 3, -2); \
  level1_##t(n, -1, 2); \
  dot_##t(n, 1, 1);     \
  dot_##t(n, -2, 3);
    OF_KINDS(VECTORS)
  }
}

// So large that each core has one of the large tiles.
static void large(void) {
  gemm_S(740, 730, 19, CUBLAS_OP_N, CUBLAS_OP_T);
  gemm_S(730, 740, 3, CUBLAS_OP_T, CUBLAS_OP_N);
  gemm_D(370, 390, 19, CUBLAS_OP_T, CUBLAS_OP_T);
  gemm_C(390, 370, 3, CUBLAS_OP_C, CUBLAS_OP_N);
}

static void matrices(void) {
  const bool all = getenv("MPU_LONG") != NULL;
  std::vector<int> sizes(all_sizes, all_sizes + 4);
  if (!all)
    sizes = {all_sizes[0], all_sizes[3]};
  int turn = 0;
  for (int m : sizes)
    for (int n : sizes) {
      const cublasOperation_t a = ops[turn % 3], b = ops[turn / 3 % 3];
      const cublasFillMode_t uplo = turn++ % 2 ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
      const cublasFillMode_t other = (cublasFillMode_t)!uplo;
#define MATRICES_OF(t)                                   \
  level2_##t(m, n, 1, 1);                                \
  level2_##t(m, n, -2, 3);                               \
  gemm_##t(m, n, 40, a, b);                              \
  gemm_##t(m, n, 17, b, a);                              \
  triangles_##t(m, n, uplo, CUBLAS_DIAG_NON_UNIT, a, 1); \
  triangles_##t(m, n, other, CUBLAS_DIAG_UNIT, b, -2);   \
  shaped_##t(m, n, 20, uplo);
      OF_KINDS(MATRICES_OF)
      symmetric_S(n, uplo, 1, -1);
      symmetric_D(n, uplo, -2, 3);
      hermitian_C(n, 20, uplo, 1, 2);
      hermitian_Z(n, 20, uplo, -1, 1);
    }
}

int main(void) {
  if (!open_library("libopenblas.so.0")) {
    printf("SKIPPED: no OpenBLAS (Debian: libopenblas-dev)\n");
    return 0;
  }
  cublasCreate(&h);
  vectors();
  matrices();
  large();
#define BATCHES_OF(t)     \
  batches_##t(33, 20, 7); \
  batches_##t(5, 40, 40); \
  lu_##t(1, true);        \
  lu_##t(33, true);       \
  lu_##t(150, true);      \
  lu_##t(20, false);
  OF_KINDS(BATCHES_OF)
  mixed(20, 33, 17);
  cublasDestroy(h);
  printf("%d results compared\n", checked);
  return failed;
}
