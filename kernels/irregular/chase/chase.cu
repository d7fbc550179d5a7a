// SPDX-License-Identifier: Apache-2.0
// CHASE: many threads follow pointers. The elements of an array are one ring in a random order;
// each chain begins at an element of its own and goes on from there for a number of steps, each of
// which waits for the one before.
#include "../../common/workload.h"

#include <vector>

__global__ void chase(const int *next, int n, int chains, int steps, int *end) {
  int stride = gridDim.x * blockDim.x;
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < chains; c += stride) {
    int at = c % n;
    for (int s = 0; s < steps; s++)
      at = next[at];
    end[c] = at;
  }
}

int main(int argc, char **argv) {
  int n = 64 * 1024, chains = 2048, steps = 16;
  workload w = {"chase", "chains of steps along a ring of n elements", 128, 1, 0, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 4 << 20, 1, 1 << 28, "elements"},
      {"chains", &chains, 64 << 10, 1, 1 << 24, "chains that are followed"},
      {"steps", &steps, 16, 1, 1 << 20, "steps of a chain"},
  };
  workload_parse(&w, options, 3, argc, argv);

  // Sattolo's shuffle: the elements are one ring.
  uint64_t random = (uint64_t)w.seed;
  std::vector<int> next(n), end(chains);
  for (int i = 0; i < n; i++)
    next[i] = i;
  for (int i = n - 1; i > 0; i--)
    std::swap(next[i], next[workload_random(&random) % i]);

  int *dev_next, *dev_end;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_next, n * sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_end, chains * sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_next, next.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(chains, w.threads));
  chase<<<blocks, w.threads>>>(dev_next, n, chains, steps, dev_end);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(end.data(), dev_end, chains * sizeof(int), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_next));
  WORKLOAD_CUDA(&w, cudaFree(dev_end));

  for (int c = 0; c < chains; c++) {
    int want = c % n;
    for (int s = 0; s < steps; s++)
      want = next[want];
    if (end[c] != want)
      return workload_fail(&w, "chain %d ends at %d, should end at %d", c, end[c], want);
  }
  return workload_pass(&w, "n %d, %d chains of %d steps, %d blocks of %d threads", n, chains, steps,
                       blocks, w.threads);
}
