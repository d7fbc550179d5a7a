// SPDX-License-Identifier: Apache-2.0
// What all parts of cuBLAS share: the handle, factors from either side, launches.
#ifndef NEARBANK_CUBLAS_INTERNAL_H
#define NEARBANK_CUBLAS_INTERNAL_H

#include "number.h"

struct cublasContext {
  cudaStream_t stream;
  cublasPointerMode_t pointers;
  cublasAtomicsMode_t atomics;
  cublasMath_t math;
  void *work;  // device memory for intermediate results
  size_t work_bytes;
};

enum { THREADS = 256, SUM_BLOCKS = 64 };

// Device memory of the handle, of at least so many bytes; until the next call. NULL: none left.
void *nearbank_cublas_work(cublasHandle_t h, size_t bytes);

// A factor: its value, or where in device memory it is.
template <class T>
struct factor {
  T value;
  const T *at;
  __device__ T get() const { return at ? *at : value; }
};
template <class T>
factor<T> factor_of(cublasHandle_t h, const T *p) {
  if (h->pointers == CUBLAS_POINTER_MODE_DEVICE)
    return {T(), p};
  return {*p, NULL};
}
template <class T>
factor<T> factor_is(T v) {
  return {v, NULL};
}

// Vectors begin at their last element where the increment is negative.
template <class T>
T *first_of(T *x, int n, int inc) {
  return inc < 0 ? x + (ptrdiff_t)(1 - n) * inc : x;
}

inline unsigned blocks_for(long long n, unsigned threads, unsigned most) {
  const long long blocks = (n + threads - 1) / threads;
  return blocks < 1 ? 1 : blocks > most ? most : (unsigned)blocks;
}

inline cublasStatus_t launched(void) {
  return cudaGetLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

// What every function begins with.
#define NEED_HANDLE(h) \
  if (!(h))            \
  return CUBLAS_STATUS_NOT_INITIALIZED
#define NEED(condition) \
  if (!(condition))     \
  return CUBLAS_STATUS_INVALID_VALUE
#define AT_LEAST(ld, n) ((ld) >= ((n) > 1 ? (n) : 1))
#endif
