// SPDX-License-Identifier: Apache-2.0
// GEMV: y = A x, A row-major. A block works on ROWS rows at a time: a thread reads an element of x
// once for all of them, and the partial sums of the threads meet in a tree in shared memory.
#include "../../common/workload.h"

#include <vector>

#define ROWS 4

__global__ void gemv(const float *a, const float *x, float *y, int rows, int cols) {
  extern __shared__ float partial[];  // ROWS rows of blockDim.x
  const int tid = threadIdx.x;
  const int threads = blockDim.x;
  for (int row = blockIdx.x * ROWS; row < rows; row += gridDim.x * ROWS) {
    float sum[ROWS] = {0.0f};
    for (int c = tid; c < cols; c += threads) {
      float xc = x[c];
#pragma unroll
      for (int r = 0; r < ROWS; r++)  // a row beyond the last is the last again, and not stored
        sum[r] += a[min(row + r, rows - 1) * cols + c] * xc;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      partial[r * threads + tid] = sum[r];
    __syncthreads();

    for (int live = threads; live > 1;) {
      int half = (live + 1) / 2;
      if (tid + half < live)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
          partial[r * threads + tid] += partial[r * threads + tid + half];
      __syncthreads();
      live = half;
    }
    for (int r = tid; r < ROWS && row + r < rows; r += threads)
      y[row + r] = partial[r * threads];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int rows = 256, cols = 512;
  workload w = {"gemv", "y = A x with a rows x cols matrix of floats", 128, 1, 0, 1};
  const workload_option options[] = {
      {"rows", &rows, 4096, 1, 16384, "rows of the matrix, elements of y"},
      {"cols", &cols, 4096, 1, 16384, "columns of the matrix, elements of x"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  size_t elements = (size_t)rows * cols;
  std::vector<float> a(elements), x(cols), result(rows);
  for (float &v : a)
    v = workload_uniform(&random, -1.0f, 1.0f);
  for (float &v : x)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_a, *dev_x, *dev_y;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_a, elements * sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_x, cols * sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_y, rows * sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_a, a.data(), elements * sizeof(float), cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_x, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(rows, ROWS));
  gemv<<<blocks, w.threads, ROWS * w.threads * sizeof(float)>>>(dev_a, dev_x, dev_y, rows, cols);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_y, rows * sizeof(float), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_a));
  WORKLOAD_CUDA(&w, cudaFree(dev_x));
  WORKLOAD_CUDA(&w, cudaFree(dev_y));

  // Roundings that a product passes: its own, the sums of its thread, at most ten levels of tree.
  double roundings = 1.01 * (1 + workload_ceil_div(cols, w.threads) + 10);
  for (int r = 0; r < rows; r++) {
    double want = 0.0, size = 0.0;
    for (int c = 0; c < cols; c++) {
      double product = (double)a[(size_t)r * cols + c] * x[c];
      want += product;
      size += fabs(product);
    }
    if (!(fabs(result[r] - want) <= roundings * WORKLOAD_ROUND * size))
      return workload_fail(&w, "y[%d] is %.9g, should be %.9g", r, result[r], want);
  }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", rows, cols, blocks, w.threads);
}
