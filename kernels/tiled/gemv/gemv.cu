// SPDX-License-Identifier: Apache-2.0
// GEMV, tiled: y = A x. A is in groups of 128 columns, and a group has all its rows one behind the
// other: element (r, c) is at c / 128 * rows * 128 + r * 128 + c % 128, so that a row is in one
// core when the number of rows is a multiple of the number of cores. A block has a row at a time;
// all blocks read x, 128 elements at a time. The sums of the threads meet in a tree in shared
// memory.
#include "../../common/workload.h"

#include <vector>

#define GROUP 128  // columns of a group, threads of a block

__global__ void gemv(const float *a, const float *x, float *y, int rows, int cols) {
  __shared__ float partial[GROUP];
  const int tid = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
    int i = row * GROUP + tid;
    for (int c = tid; c < cols; c += GROUP) {
      sum += a[i] * x[c];
      i += rows * GROUP;
    }
    partial[tid] = sum;
    __syncthreads();

    for (int half = GROUP / 2; half > 0; half /= 2) {
      if (tid < half)
        partial[tid] += partial[tid + half];
      __syncthreads();
    }
    if (tid == 0)
      y[row] = partial[0];
  }
}

// Where element (r, c) of A is.
static size_t element(int r, int c, int rows) {
  return ((size_t)(c / GROUP) * rows + r) * GROUP + c % GROUP;
}

int main(int argc, char **argv) {
  int rows = 32, cols = 4096;
  workload w = {"gemv", "y = A x, A in groups of 128 columns", GROUP, 0, 4, 1, 512};
  const workload_option options[] = {
      {"rows", &rows, 4096, 1, 16384, "rows of the matrix, elements of y"},
      {"cols", &cols, 4096, GROUP, 16384,
       "columns of the matrix, elements of x, a multiple of 128"},
  };
  workload_parse(&w, options, 2, argc, argv);
  if (cols % GROUP)
    workload_usage_error(&w, "--cols: %d is not a multiple of %d", cols, GROUP);

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
  gemv<<<w.blocks, w.threads>>>(dev_a, dev_x, dev_y, rows, cols);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_y, rows * sizeof(float), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_a));
  WORKLOAD_CUDA(&w, cudaFree(dev_x));
  WORKLOAD_CUDA(&w, cudaFree(dev_y));

  // Roundings that a product passes: its own, the sums of its thread, seven levels of the tree.
  double roundings = 1.01 * (1 + cols / GROUP + 7);
  for (int r = 0; r < rows; r++) {
    double want = 0.0, size = 0.0;
    for (int c = 0; c < cols; c++) {
      double product = (double)a[element(r, c, rows)] * x[c];
      want += product;
      size += fabs(product);
    }
    if (!(fabs(result[r] - want) <= roundings * WORKLOAD_ROUND * size))
      return workload_fail(&w, "y[%d] is %.9g, should be %.9g", r, result[r], want);
  }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", rows, cols, w.blocks, w.threads);
}
