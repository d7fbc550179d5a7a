// SPDX-License-Identifier: Apache-2.0
// AXPY: y = a * x + y. One load-load-store a thread and element; nothing is shared.
#include "../../common/workload.h"

#include <vector>

__global__ void axpy(int n, float a, const float *x, float *y) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  int n = 128 * 1024;
  workload w = {"axpy", "y = a * x + y on n floats", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "elements"},
  };
  workload_parse(&w, options, 1, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  float a = workload_uniform(&random, 1.0f, 2.0f);
  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; i++) {
    x[i] = workload_uniform(&random, -1.0f, 1.0f);
    y[i] = workload_uniform(&random, -1.0f, 1.0f);
  }

  size_t bytes = n * sizeof(float);
  float *dev_x, *dev_y;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_x, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_y, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_x, x.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_y, y.data(), bytes, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  axpy<<<blocks, w.threads>>>(n, a, dev_x, dev_y);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_y, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_x));
  WORKLOAD_CUDA(&w, cudaFree(dev_y));

  // Fused or not, the product and the sum round at most once each; the slack is for second order.
  for (int i = 0; i < n; i++) {
    double product = (double)a * x[i];
    double want = product + y[i];
    if (!(fabs(result[i] - want) <= 1.01 * WORKLOAD_ROUND * (fabs(product) + fabs(want))))
      return workload_fail(&w, "y[%d] is %.9g, should be %.9g", i, result[i], want);
  }
  return workload_pass(&w, "n %d, %d blocks of %d threads", n, blocks, w.threads);
}
