// SPDX-License-Identifier: Apache-2.0
// AXPY, tiled: c = a + b. One load-load-store a thread and element; nothing is shared.
#include "../../common/workload.h"

#include <vector>

__global__ void axpy(const float *a, const float *b, float *c, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
  int n = 128 * 1024;
  workload w = {"axpy", "c = a + b on n floats", 128, 0, 4, 1, 512};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "elements"},
  };
  workload_parse(&w, options, 1, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  std::vector<float> a(n), b(n), result(n);
  for (int i = 0; i < n; i++) {
    a[i] = workload_uniform(&random, -1.0f, 1.0f);
    b[i] = workload_uniform(&random, -1.0f, 1.0f);
  }

  size_t bytes = n * sizeof(float);
  float *dev_a, *dev_b, *dev_c;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_a, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_b, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_c, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_a, a.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_b, b.data(), bytes, cudaMemcpyHostToDevice));
  axpy<<<w.blocks, w.threads>>>(dev_a, dev_b, dev_c, n);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_c, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_a));
  WORKLOAD_CUDA(&w, cudaFree(dev_b));
  WORKLOAD_CUDA(&w, cudaFree(dev_c));

  // One addition rounds once, on both sides in the same way.
  for (int i = 0; i < n; i++)
    if (!(result[i] == a[i] + b[i]))
      return workload_fail(&w, "c[%d] is %.9g, should be %.9g", i, result[i], a[i] + b[i]);
  return workload_pass(&w, "n %d, %d blocks of %d threads", n, w.blocks, w.threads);
}
