// SPDX-License-Identifier: Apache-2.0
// PR: parallel reduction, the sum of n integers modulo 2^32. A thread adds up its share, a block
// its threads in a tree in shared memory; the same kernel with one block adds the blocks.
#include "../../common/workload.h"

#include <vector>

__global__ void reduce(const unsigned *in, int n, unsigned *out) {
  extern __shared__ unsigned partial[];
  const int tid = threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += stride)
    sum += in[i];
  partial[tid] = sum;
  __syncthreads();

  for (int live = blockDim.x; live > 1;) {
    int half = (live + 1) / 2;
    if (tid + half < live)
      partial[tid] += partial[tid + half];
    __syncthreads();
    live = half;
  }
  if (tid == 0)
    out[blockIdx.x] = partial[0];
}

int main(int argc, char **argv) {
  int n = 128 * 1024;
  workload w = {"pr", "sum of n 32-bit integers", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "elements"},
  };
  workload_parse(&w, options, 1, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  std::vector<unsigned> in(n);
  for (unsigned &v : in)
    v = workload_random(&random);

  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  std::vector<unsigned> partial(blocks), want(blocks, 0);
  unsigned *dev_in, *dev_partial, *dev_sum, result;
  size_t bytes = n * sizeof(unsigned), shared = w.threads * sizeof(unsigned);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_partial, blocks * sizeof(unsigned)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_sum, sizeof(unsigned)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  reduce<<<blocks, w.threads, shared>>>(dev_in, n, dev_partial);
  reduce<<<1, w.threads, shared>>>(dev_partial, blocks, dev_sum);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(partial.data(), dev_partial, blocks * sizeof(unsigned),
                               cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaMemcpy(&result, dev_sum, sizeof result, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_partial));
  WORKLOAD_CUDA(&w, cudaFree(dev_sum));

  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    want[i / w.threads % blocks] += in[i];
    sum += in[i];
  }
  for (int b = 0; b < blocks; b++)
    if (partial[b] != want[b])
      return workload_fail(&w, "sum of block %d is %u, should be %u", b, partial[b], want[b]);
  if (result != sum)
    return workload_fail(&w, "sum is %u, should be %u", result, sum);
  return workload_pass(&w, "n %d, sum %u, %d blocks of %d threads", n, sum, blocks, w.threads);
}
