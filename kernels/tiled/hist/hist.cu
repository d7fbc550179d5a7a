// SPDX-License-Identifier: Apache-2.0
// HIST, tiled: histogram of samples in [0, 1], times 255, in 256 bins. A block counts in shared
// memory with atomics and writes its counts in a row of their own. A second launch adds the rows, a
// thread a bin: two blocks have work and read what all cores wrote.
#include "../../common/workload.h"

#include <vector>

#define BINS 256

__global__ void hist_count(const float *samples, unsigned *parts, int n) {
  __shared__ unsigned count[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    count[b] = 0;
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    int bin = (int)(samples[i] * (BINS - 1));
    bin = min(max(bin, 0), BINS - 1);
    atomicAdd(&count[bin], 1u);
  }
  __syncthreads();

  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    parts[blockIdx.x * BINS + b] = count[b];
}

// `in` has `parts` rows of BINS counts.
__global__ void hist_add(const unsigned *in, unsigned *bins, int parts) {
  int stride = gridDim.x * blockDim.x;
  for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < BINS; b += stride) {
    unsigned sum = 0;
    for (int p = 0; p < parts; p++)
      sum += in[p * BINS + b];
    bins[b] = sum;
  }
}

int main(int argc, char **argv) {
  int n = 128 * 1024;
  workload w = {"hist", "histogram of n floats in 256 bins", 128, 0, 1, 1, 128};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "samples"},
  };
  workload_parse(&w, options, 1, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  std::vector<float> samples(n);
  std::vector<unsigned> want(BINS, 0), result(BINS);
  for (float &v : samples) {
    v = workload_uniform(&random, 0.0f, 1.0f);
    want[(int)(v * (BINS - 1))]++;
  }

  float *dev_samples;
  unsigned *dev_parts, *dev_bins;
  size_t bytes = n * sizeof(float);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_samples, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_parts, (size_t)w.blocks * BINS * sizeof(unsigned)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_bins, BINS * sizeof(unsigned)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_samples, samples.data(), bytes, cudaMemcpyHostToDevice));
  hist_count<<<w.blocks, w.threads>>>(dev_samples, dev_parts, n);
  hist_add<<<w.blocks, w.threads>>>(dev_parts, dev_bins, w.blocks);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(
      &w, cudaMemcpy(result.data(), dev_bins, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_samples));
  WORKLOAD_CUDA(&w, cudaFree(dev_parts));
  WORKLOAD_CUDA(&w, cudaFree(dev_bins));

  for (int b = 0; b < BINS; b++)
    if (result[b] != want[b])
      return workload_fail(&w, "bin %d is %u, should be %u", b, result[b], want[b]);
  return workload_pass(&w, "n %d, %d blocks of %d threads", n, w.blocks, w.threads);
}
