// SPDX-License-Identifier: Apache-2.0
// PR, tiled: the sum of n floats. A thread adds up its share, a block its threads in a tree in
// shared memory; the same kernel with one block adds the blocks.
#include "../../common/workload.h"

#include <vector>

#define THREADS 128

__global__ void reduce(const float *in, float *out, int n) {
  __shared__ float partial[THREADS];
  const int tid = threadIdx.x;
  const int stride = gridDim.x * THREADS;
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + tid; i < n; i += stride)
    sum += in[i];
  partial[tid] = sum;
  __syncthreads();

  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (tid < half)
      partial[tid] += partial[tid + half];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = partial[0];
}

int main(int argc, char **argv) {
  int n = 128 * 1024;
  workload w = {"pr", "sum of n floats", THREADS, 0, 4, 1, 512};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "elements"},
  };
  workload_parse(&w, options, 1, argc, argv);

  // Whole numbers from -127 to 127: their sums stay far below 2^24, so none rounds.
  uint64_t random = (uint64_t)w.seed;
  std::vector<float> in(n);
  for (float &v : in)
    v = (float)(int)(workload_random(&random) % 255) - 127.0f;

  std::vector<float> partial(w.blocks);
  float *dev_in, *dev_partial, *dev_sum, result;
  size_t bytes = n * sizeof(float), partial_bytes = w.blocks * sizeof(float);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_partial, partial_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_sum, sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  reduce<<<w.blocks, w.threads>>>(dev_in, dev_partial, n);
  reduce<<<1, w.threads>>>(dev_partial, dev_sum, w.blocks);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(partial.data(), dev_partial, partial_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaMemcpy(&result, dev_sum, sizeof result, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_partial));
  WORKLOAD_CUDA(&w, cudaFree(dev_sum));

  double sum = 0.0;
  std::vector<double> want(w.blocks, 0.0);
  for (int i = 0; i < n; i++) {
    want[i / w.threads % w.blocks] += in[i];
    sum += in[i];
  }
  for (int b = 0; b < w.blocks; b++)
    if (!(partial[b] == want[b]))
      return workload_fail(&w, "sum of block %d is %.9g, should be %.9g", b, partial[b], want[b]);
  if (!(result == sum))
    return workload_fail(&w, "sum is %.9g, should be %.9g", result, sum);
  return workload_pass(&w, "n %d, sum %.9g, %d blocks of %d threads", n, sum, w.blocks, w.threads);
}
