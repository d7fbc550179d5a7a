// SPDX-License-Identifier: Apache-2.0
// P A = L U of a batch of matrices: one block each, column by column. L has a diagonal of ones.
#include "internal.h"

enum { LU_THREADS = 128 };

// Of rows `first` to n - 1 the one whose element is the largest, the first of equal ones.
template <class T>
static __device__ int row_of_pivot(const T *column, int first, int n) {
  __shared__ real_of<T> size[LU_THREADS];
  __shared__ int row[LU_THREADS];
  const int lane = (int)threadIdx.x, lanes = (int)blockDim.x;
  size[lane] = -1;
  row[lane] = first;
  for (int i = first + lane; i < n; i += lanes)
    if (sum_of_parts(column[i]) > size[lane]) {
      size[lane] = sum_of_parts(column[i]);
      row[lane] = i;
    }
  __syncthreads();
  for (int half = lanes / 2; half; half /= 2) {
    const int other = lane + half;
    if (lane < half &&
        (size[other] > size[lane] || (size[other] == size[lane] && row[other] < row[lane]))) {
      size[lane] = size[other];
      row[lane] = row[other];
    }
    __syncthreads();
  }
  return row[0];
}

template <class T>
__global__ void lu_kernel(int n, T *const *matrices, int lda, int *pivots, int *info) {
  T *a = matrices[blockIdx.x];
  const int lane = (int)threadIdx.x, lanes = (int)blockDim.x;
  int singular = 0;
  for (int j = 0; j < n; j++) {
    T *column = a + (long long)j * lda;
    if (pivots) {
      const int row = row_of_pivot(column, j, n);
      if (lane == 0)
        pivots[(long long)blockIdx.x * n + j] = row + 1;
      for (int c = lane; c < n && row != j; c += lanes) {
        T *upper = a + (long long)c * lda + j, *lower = upper + (row - j), kept = *upper;
        *upper = *lower;
        *lower = kept;
      }
      __syncthreads();
    }
    const T pivot = column[j];
    const bool zero = pivot == number<T>::of(0);
    singular = zero && !singular ? j + 1 : singular;
    for (int i = j + 1 + lane; i < n; i += lanes) {
      const T l = zero ? column[i] : column[i] / pivot;
      column[i] = l;
      for (int c = j + 1; c < n; c++) {
        T *at = a + (long long)c * lda;
        at[i] = at[i] - l * at[j];
      }
    }
    __syncthreads();
  }
  if (lane == 0)
    info[blockIdx.x] = singular;
}

template <class T>
static cublasStatus_t lu(cublasHandle_t h, int n, T *const *a, int lda, int *pivots, int *info,
                         int count) {
  NEED_HANDLE(h);
  NEED(n >= 0 && count >= 0 && AT_LEAST(lda, n) && (!count || (a && info)));
  unsigned threads = 32;
  while (threads < LU_THREADS && (int)threads < n)
    threads *= 2;
  if (count)
    lu_kernel<T><<<(unsigned)count, threads, 0, h->stream>>>(n, a, lda, pivots, info);
  return launched();
}

extern "C" {
#define BATCH_OF_LU(t, T)                                                                \
  cublasStatus_t cublas##t##getrfBatched(cublasHandle_t h, int n, T *const a[], int lda, \
                                         int *pivots, int *info, int count) {            \
    return lu(h, n, (kind_of<T> *const *)a, lda, pivots, info, count);                   \
  }
KINDS(BATCH_OF_LU)
}
