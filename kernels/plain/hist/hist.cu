// SPDX-License-Identifier: Apache-2.0
// HIST: histogram of samples in [0, 1) in 256 even bins. A block counts in shared memory with
// atomics, then adds its counts to the result.
#include "../../common/workload.h"

#include <vector>

#define BINS 256

__global__ void hist(const float *samples, int n, unsigned *bins) {
  __shared__ unsigned count[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    count[b] = 0;
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&count[(int)(samples[i] * BINS)], 1u);
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (count[b])
      atomicAdd(&bins[b], count[b]);
}

int main(int argc, char **argv) {
  int n = 64 * 1024;
  workload w = {"hist", "histogram of n floats in 256 bins", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "samples"},
  };
  workload_parse(&w, options, 1, argc, argv);

  // The mean of two numbers: the middle bins are the fullest, as in a picture. Scaling by the
  // number of bins, a power of two, is exact.
  uint64_t random = (uint64_t)w.seed;
  std::vector<float> samples(n);
  std::vector<unsigned> want(BINS, 0), result(BINS);
  for (float &v : samples) {
    v = workload_uniform(&random, 0.0f, 0.5f);
    v += workload_uniform(&random, 0.0f, 0.5f);
    want[(int)(v * BINS)]++;
  }

  float *dev_samples;
  unsigned *dev_bins;
  size_t bytes = n * sizeof(float);
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
