// SPDX-License-Identifier: Apache-2.0
// GUPS: random updates of a table. Update i changes one word, which a hash of i chooses, by an
// exclusive or; no two updates know of each other.
#include "../../common/workload.h"

#include <vector>

// Of update i: what it changes a word by, and what chooses the word.
__host__ __device__ static unsigned update_value(unsigned i) {
  i = (i ^ (i >> 16)) * 0x85ebca6bu;
  i = (i ^ (i >> 13)) * 0xc2b2ae35u;
  return i ^ (i >> 16);
}

__host__ __device__ static unsigned update_index(unsigned value, unsigned n) {
  return (unsigned)((unsigned long long)value * n >> 32);
}

__global__ void gups(unsigned *table, unsigned n, unsigned updates, unsigned first) {
  unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < updates; i += stride) {
    unsigned value = update_value(first + i);
    atomicXor(&table[update_index(value, n)], value);
  }
}

int main(int argc, char **argv) {
  int n = 64 * 1024, updates = 32 * 1024;
  workload w = {"gups", "random updates of a table of n words", 128, 1, 0, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 4 << 20, 1, 1 << 28, "words of the table"},
      {"updates", &updates, 1 << 20, 1, 1 << 28, "updates"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  unsigned first = workload_random(&random);
  std::vector<unsigned> table(n), result(n);
  for (unsigned &v : table)
    v = workload_random(&random);

  unsigned *dev_table;
  size_t bytes = n * sizeof(unsigned);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_table, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_table, table.data(), bytes, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(updates, w.threads));
  gups<<<blocks, w.threads>>>(dev_table, n, updates, first);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_table, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_table));

  for (int i = 0; i < updates; i++) {
    unsigned value = update_value(first + i);
    table[update_index(value, n)] ^= value;
  }
  for (int i = 0; i < n; i++)
    if (result[i] != table[i])
      return workload_fail(&w, "word %d is %08x, should be %08x", i, result[i], table[i]);
  return workload_pass(&w, "n %d, %d updates, %d blocks of %d threads", n, updates, blocks,
                       w.threads);
}
