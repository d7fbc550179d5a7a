// SPDX-License-Identifier: Apache-2.0
// The product of matrices: a block of 16 x 16 threads makes a tile of C, each thread SIDE x SIDE of
// its elements, from tiles of A and B in shared memory.
#include "product.h"

enum { EDGE = 16, DEPTH = 16, MOST_BATCH = 65535 };

// A tile of `span` rows (of the transposed: columns) and DEPTH columns, from (i0, k0) on. Threads
// that are neighbours read neighbours in memory.
template <class T, int SPAN>
__device__ void read_tile(T (*tile)[SPAN + 1], const matrix<const T> &a, int i0, int rows, int k0,
                          int columns) {
  const int thread = (int)(threadIdx.y * EDGE + threadIdx.x);
  for (int n = thread; n < SPAN * DEPTH; n += EDGE * EDGE) {
    const bool by_rows = a.row == 1;
    const int i = by_rows ? n % SPAN : n / DEPTH, k = by_rows ? n / SPAN : n % DEPTH;
    const bool inside = i0 + i < rows && k0 + k < columns;
    tile[k][i] = inside ? element(a, i0 + i, k0 + k) : number<T>::of(0);
  }
}

template <class T>
__device__ void write_element(const product<T> &p, matrix<T> c, int i, int j, T alpha, T beta,
                              T sum) {
  if (i >= p.m || j >= p.n || (p.write == LOWER && i < j) || (p.write == UPPER && i > j))
    return;
  T *to = c.at + i * c.row + j * c.column;
  T v = alpha * sum;
  if (!(beta == number<T>::of(0)))
    v = multiply_add(beta, *to, v);
  *to = p.real_diagonal && i == j ? without_imaginary(v) : v;
}

template <class T, int SIDE>
__global__ void product_kernel(product<T> p, int first) {
  constexpr int SPAN = EDGE * SIDE;
  __shared__ T tile_a[DEPTH][SPAN + 1], tile_b[DEPTH][SPAN + 1];
  const int i0 = (int)blockIdx.x * SPAN, j0 = (int)blockIdx.y * SPAN, z = first + (int)blockIdx.z;
  if ((p.write == LOWER && i0 + SPAN <= j0) || (p.write == UPPER && i0 >= j0 + SPAN))
    return;
  matrix<const T> a = p.a, b = transposed(p.b);
  matrix<T> c = p.c;
  a.at = p.all_a ? p.all_a[z] : a.at + z * p.next_a;
  b.at = p.all_b ? p.all_b[z] : b.at + z * p.next_b;
  c.at = p.all_c ? p.all_c[z] : c.at + z * p.next_c;
  const T alpha = p.alpha.get(), beta = p.beta.get();
  const int depth = alpha == number<T>::of(0) ? 0 : p.k;  // then A and B are not read
  T sum[SIDE][SIDE];
  for (int u = 0; u < SIDE; u++)
    for (int v = 0; v < SIDE; v++)
      sum[u][v] = number<T>::of(0);
  for (int k0 = 0; k0 < depth; k0 += DEPTH) {
    read_tile<T, SPAN>(tile_a, a, i0, p.m, k0, p.k);
    read_tile<T, SPAN>(tile_b, b, j0, p.n, k0, p.k);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < DEPTH; k++) {
      T from_a[SIDE], from_b[SIDE];
      for (int u = 0; u < SIDE; u++) {
        from_a[u] = tile_a[k][threadIdx.x + u * EDGE];
        from_b[u] = tile_b[k][threadIdx.y + u * EDGE];
      }
      for (int u = 0; u < SIDE; u++)
        for (int v = 0; v < SIDE; v++)
          sum[u][v] = multiply_add(from_a[u], from_b[v], sum[u][v]);
    }
    __syncthreads();
  }
  for (int v = 0; v < SIDE; v++)
    for (int u = 0; u < SIDE; u++)
      write_element(p, c, i0 + (int)threadIdx.x + u * EDGE, j0 + (int)threadIdx.y + v * EDGE, alpha,
                    beta, sum[u][v]);
}

// Large tiles read less, and small ones are more: each core should have one.
static bool is_large(int m, int n, int count, int span) {
  int cores = 1;
  cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0);
  return (double)m * n * count >= (double)cores * span * span && m > span / 2 && n > span / 2;
}

template <class T, int SIDE>
static void launch(cublasHandle_t h, const product<T> &p, int first, int count) {
  const unsigned span = EDGE * SIDE;
  const dim3 grid(((unsigned)p.m + span - 1) / span, ((unsigned)p.n + span - 1) / span,
                  (unsigned)count);
  product_kernel<T, SIDE><<<grid, dim3(EDGE, EDGE), 0, h->stream>>>(p, first);
}

template <class T>
cublasStatus_t nearbank_product(cublasHandle_t h, const product<T> &p, int count) {
  // as many sums as a thread has registers for near the banks
  constexpr int LARGE = sizeof(T) == 4 ? 4 : sizeof(T) == 8 ? 2 : 1, SMALL = (LARGE + 1) / 2;
  if (p.m == 0 || p.n == 0)
    return CUBLAS_STATUS_SUCCESS;
  for (int first = 0; first < count; first += MOST_BATCH) {
    const int some = count - first < MOST_BATCH ? count - first : MOST_BATCH;
    if (is_large(p.m, p.n, count, EDGE * LARGE))
      launch<T, LARGE>(h, p, first, some);
    else
      launch<T, SMALL>(h, p, first, some);
  }
  return launched();
}

template cublasStatus_t nearbank_product(cublasHandle_t, const product<float> &, int);
template cublasStatus_t nearbank_product(cublasHandle_t, const product<double> &, int);
template cublasStatus_t nearbank_product(cublasHandle_t, const product<pair<float>> &, int);
template cublasStatus_t nearbank_product(cublasHandle_t, const product<pair<double>> &, int);
