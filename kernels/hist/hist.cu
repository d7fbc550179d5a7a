// SPDX-License-Identifier: Apache-2.0
// HIST: histogram of 32-bit samples in 256 even bins. A block counts in shared memory with
// atomics, then adds its counts to the result.
#include "../common/workload.h"

#include <vector>

#define BINS 256

__global__ void hist(const unsigned *samples, int n, unsigned *bins) {
  __shared__ unsigned count[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    count[b] = 0;
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&count[samples[i] >> 24], 1u);
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (count[b])
      atomicAdd(&bins[b], count[b]);
}

int main(int argc, char **argv) {
  int n = 64 * 1024;
  workload w = {"hist", "histogram of n 32-bit samples in 256 bins", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "samples"},
  };
  workload_parse(&w, options, 1, argc, argv);

  // The mean of two numbers: the middle bins are the fullest, as in a picture.
  uint64_t random = (uint64_t)w.seed;
  std::vector<unsigned> samples(n), want(BINS, 0), result(BINS);
  for (unsigned &v : samples) {
    v = workload_random(&random) / 2;
    v += workload_random(&random) / 2;
    want[v >> 24]++;
  }

  unsigned *dev_samples, *dev_bins;
  size_t bytes = n * sizeof(unsigned);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_samples, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_bins, BINS * sizeof(unsigned)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_samples, samples.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemset(dev_bins, 0, BINS * sizeof(unsigned)));
  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  hist<<<blocks, w.threads>>>(dev_samples, n, dev_bins);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(
      &w, cudaMemcpy(result.data(), dev_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_samples));
  WORKLOAD_CUDA(&w, cudaFree(dev_bins));

  for (int b = 0; b < BINS; b++)
    if (result[b] != want[b])
      return workload_fail(&w, "bin %d is %u, should be %u", b, result[b], want[b]);
  return workload_pass(&w, "n %d, %d blocks of %d threads", n, blocks, w.threads);
}
