// SPDX-License-Identifier: Apache-2.0
// HASHTABLE: a table with open addressing. One kernel inserts keys and their values: a key takes
// the first free slot from the one of its hash on, by compare and swap. Another one looks up keys,
// of which half are in the table.
#include "../../common/workload.h"

#include <vector>

#define FREE 0u  // no key
#define NONE -1  // no value

__device__ static int slot_of(unsigned key, int slots) {
  return (int)__umulhi(key * 0x9e3779b1u, (unsigned)slots);
}

__global__ void insert(const unsigned *keys, const int *values, int n, unsigned *slot_keys,
                       int *slot_values, int slots) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned key = keys[i];
    int s = slot_of(key, slots);
    while (atomicCAS(&slot_keys[s], FREE, key) != FREE)
      s = s + 1 < slots ? s + 1 : 0;
    slot_values[s] = values[i];
  }
}

__global__ void lookup(const unsigned *wanted, int n, const unsigned *slot_keys,
                       const int *slot_values, int slots, int *found) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned key = wanted[i];
    int s = slot_of(key, slots);
    unsigned there = slot_keys[s];
    while (there != key && there != FREE) {
      s = s + 1 < slots ? s + 1 : 0;
      there = slot_keys[s];
    }
    found[i] = there == key ? slot_values[s] : NONE;
  }
}

// Different keys for different numbers; never FREE for a number above 0.
static unsigned key_of(unsigned number) {
  number = (number ^ (number >> 16)) * 0x85ebca6bu;
  number = (number ^ (number >> 13)) * 0xc2b2ae35u;
  return number ^ (number >> 16);
}

int main(int argc, char **argv) {
  int n = 16 * 1024, slots = 32 * 1024;
  workload w = {"hashtable", "insertion and lookup of n keys", 128, 1, 0, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 256 << 10, 1, 1 << 26, "keys that are inserted, and keys that are looked up"},
      {"slots", &slots, 512 << 10, 2, 1 << 28, "slots of the table, more than keys"},
  };
  workload_parse(&w, options, 2, argc, argv);
  if (slots <= n)
    workload_usage_error(&w, "--slots: %d are not more than %d keys", slots, n);

  // Keys of the numbers 1 to n are inserted, those of random numbers up to 2 n are looked up.
  uint64_t random = (uint64_t)w.seed;
  std::vector<unsigned> keys(n), wanted(n);
  std::vector<int> values(n), want(n), found(n);
  for (int i = 0; i < n; i++) {
    keys[i] = key_of(i + 1);
    values[i] = (int)(workload_random(&random) >> 1);
  }
  for (int i = 0; i < n; i++) {
    int number = (int)(workload_random(&random) % (2u * n));
    wanted[i] = key_of(number + 1);
    want[i] = number < n ? values[number] : NONE;
  }

  unsigned *dev_keys, *dev_wanted, *dev_slot_keys;
  int *dev_values, *dev_slot_values, *dev_found;
  size_t bytes = n * sizeof(int), slot_bytes = slots * sizeof(int);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_keys, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_values, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_wanted, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_found, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_slot_keys, slot_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_slot_values, slot_bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_keys, keys.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_values, values.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_wanted, wanted.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemset(dev_slot_keys, 0, slot_bytes));  // all FREE
  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  insert<<<blocks, w.threads>>>(dev_keys, dev_values, n, dev_slot_keys, dev_slot_values, slots);
  WORKLOAD_LAUNCHED(&w);
  lookup<<<blocks, w.threads>>>(dev_wanted, n, dev_slot_keys, dev_slot_values, slots, dev_found);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(found.data(), dev_found, bytes, cudaMemcpyDeviceToHost));
  std::vector<unsigned> slot_keys(slots);
  WORKLOAD_CUDA(&w,
                cudaMemcpy(slot_keys.data(), dev_slot_keys, slot_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_keys));
  WORKLOAD_CUDA(&w, cudaFree(dev_values));
  WORKLOAD_CUDA(&w, cudaFree(dev_wanted));
  WORKLOAD_CUDA(&w, cudaFree(dev_found));
  WORKLOAD_CUDA(&w, cudaFree(dev_slot_keys));
  WORKLOAD_CUDA(&w, cudaFree(dev_slot_values));

  int used = 0;
  for (unsigned key : slot_keys)
    used += key != FREE;
  if (used != n)
    return workload_fail(&w, "%d slots have a key, should be %d", used, n);
  for (int i = 0; i < n; i++)
    if (found[i] != want[i])
      return workload_fail(&w, "lookup %d gives %d, should give %d", i, found[i], want[i]);
  return workload_pass(&w, "n %d, %d slots, %d blocks of %d threads", n, slots, blocks, w.threads);
}
