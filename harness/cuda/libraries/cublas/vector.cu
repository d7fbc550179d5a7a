// SPDX-License-Identifier: Apache-2.0
// Level 1, element by element.
#include "internal.h"

enum { MOST_BLOCKS = 1024 };

#define EACH(i, n)                                                              \
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
       i += (long long)gridDim.x * blockDim.x)

template <class T>
__global__ void axpy_kernel(int n, factor<T> alpha, const T *x, int incx, T *y, int incy) {
  const T a = alpha.get();
  EACH(i, n) y[i * incy] = multiply_add(a, x[i * incx], y[i * incy]);
}

__device__ float scaled(float a, float x) {
  return a * x;
}
__device__ double scaled(double a, double x) {
  return a * x;
}
template <class R>
__device__ pair<R> scaled(pair<R> a, pair<R> x) {
  return a * x;
}
template <class R>
__device__ pair<R> scaled(R a, pair<R> x) {
  return {a * x.x, a * x.y};
}

template <class T, class A>
__global__ void scal_kernel(int n, factor<A> alpha, T *x, int incx) {
  const A a = alpha.get();
  EACH(i, n) x[i * incx] = scaled(a, x[i * incx]);
}

template <class T>
__global__ void copy_kernel(int n, const T *x, int incx, T *y, int incy) {
  EACH(i, n) y[i * incy] = x[i * incx];
}

template <class T>
__global__ void swap_kernel(int n, T *x, int incx, T *y, int incy) {
  EACH(i, n) {
    const T t = x[i * incx];
    x[i * incx] = y[i * incy];
    y[i * incy] = t;
  }
}

template <class T>
__global__ void rot_kernel(int n, T *x, int incx, T *y, int incy, factor<T> cosine,
                           factor<T> sine) {
  const T c = cosine.get(), s = sine.get();
  EACH(i, n) {
    const T a = x[i * incx], b = y[i * incy];
    x[i * incx] = c * a + s * b;
    y[i * incy] = c * b - s * a;
  }
}

#define LAUNCH(kernel, ...) \
  kernel<<<blocks_for(n, THREADS, MOST_BLOCKS), THREADS, 0, h->stream>>>(n, __VA_ARGS__)

template <class T, class A>
static cublasStatus_t scal(cublasHandle_t h, int n, const A *alpha, T *x, int incx) {
  NEED_HANDLE(h);
  NEED(alpha && x);
  if (n <= 0 || incx <= 0)
    return CUBLAS_STATUS_SUCCESS;
  LAUNCH(scal_kernel, factor_of(h, alpha), x, incx);
  return launched();
}

template <class T>
static cublasStatus_t axpy(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y,
                           int incy) {
  NEED_HANDLE(h);
  NEED(alpha && x && y);
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  LAUNCH(axpy_kernel, factor_of(h, alpha), first_of(x, n, incx), incx, first_of(y, n, incy), incy);
  return launched();
}

template <class T>
static cublasStatus_t rotg(cublasHandle_t h, T *a, T *b, T *c, T *s) {
  NEED_HANDLE(h);
  NEED(a && b && c && s);
  T *const places[4] = {a, b, c, s};
  T v[4];
  const bool device = h->pointers == CUBLAS_POINTER_MODE_DEVICE;
  for (int n = 0; n < 2; n++)
    if (!device)
      v[n] = *places[n];
    else if (cudaMemcpy(v + n, places[n], sizeof *v, cudaMemcpyDeviceToHost) != cudaSuccess)
      return CUBLAS_STATUS_MAPPING_ERROR;
  const T big = fabs(v[0]) > fabs(v[1]) ? v[0] : v[1], scale = fabs(v[0]) + fabs(v[1]);
  if (scale == 0) {
    v[2] = 1;
    v[3] = v[0] = v[1] = 0;
  } else {
    const T x = v[0] / scale, y = v[1] / scale;
    const T r = copysign(scale * sqrt(x * x + y * y), big);
    v[2] = v[0] / r;
    v[3] = v[1] / r;
    v[1] = fabs(v[0]) > fabs(v[1]) ? v[3] : v[2] != 0 ? 1 / v[2] : 1;
    v[0] = r;
  }
  for (int n = 0; n < 4; n++)
    if (!device)
      *places[n] = v[n];
    else if (cudaMemcpy(places[n], v + n, sizeof *v, cudaMemcpyHostToDevice) != cudaSuccess)
      return CUBLAS_STATUS_MAPPING_ERROR;
  return CUBLAS_STATUS_SUCCESS;
}

extern "C" {
#define OF_ALL(t, T)                                                                               \
  cublasStatus_t cublas##t##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, \
                                    T *y, int incy) {                                              \
    return axpy(h, n, in(alpha), in(x), incx, in(y), incy);                                        \
  }                                                                                                \
  cublasStatus_t cublas##t##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx) {     \
    return scal(h, n, in(alpha), in(x), incx);                                                     \
  }                                                                                                \
  cublasStatus_t cublas##t##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y,           \
                                    int incy) {                                                    \
    NEED_HANDLE(h);                                                                                \
    NEED(x &&y);                                                                                   \
    if (n > 0)                                                                                     \
      LAUNCH(copy_kernel, in(first_of(x, n, incx)), incx, in(first_of(y, n, incy)), incy);         \
    return launched();                                                                             \
  }                                                                                                \
  cublasStatus_t cublas##t##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {     \
    NEED_HANDLE(h);                                                                                \
    NEED(x &&y);                                                                                   \
    if (n > 0)                                                                                     \
      LAUNCH(swap_kernel, in(first_of(x, n, incx)), incx, in(first_of(y, n, incy)), incy);         \
    return launched();                                                                             \
  }
KINDS(OF_ALL)

#define OF_REAL(t, T)                                                                             \
  cublasStatus_t cublas##t##rot_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy,       \
                                   const T *c, const T *s) {                                      \
    NEED_HANDLE(h);                                                                               \
    NEED(x &&y &&c &&s);                                                                          \
    if (n > 0)                                                                                    \
      LAUNCH(rot_kernel, first_of(x, n, incx), incx, first_of(y, n, incy), incy, factor_of(h, c), \
             factor_of(h, s));                                                                    \
    return launched();                                                                            \
  }                                                                                               \
  cublasStatus_t cublas##t##rotg_v2(cublasHandle_t h, T *a, T *b, T *c, T *s) {                   \
    return rotg(h, a, b, c, s);                                                                   \
  }
OF_REAL(S, float)
OF_REAL(D, double)

cublasStatus_t cublasCsscal_v2(cublasHandle_t h, int n, const float *alpha, cuComplex *x,
                               int incx) {
  return scal(h, n, alpha, in(x), incx);
}
cublasStatus_t cublasZdscal_v2(cublasHandle_t h, int n, const double *alpha, cuDoubleComplex *x,
                               int incx) {
  return scal(h, n, alpha, in(x), incx);
}
}
