// SPDX-License-Identifier: Apache-2.0
// malloc, free, new and delete in kernels. The runtime gives a program that uses them memory for
// them before its first launch, as much as cudaLimitMallocHeapSize says. Blocks are powers of two;
// those that were freed wait in a list for each size, taken from without locks.
#ifndef NEARBANK_DEVICE_HEAP_H
#define NEARBANK_DEVICE_HEAP_H

// Words: where the memory is, its bytes, how many are used; for each size the list of free blocks:
// the first one in units of 16 bytes, 0 if there is none, and in the upper half a number that
// changes each time.
template <int>
struct mpu_heap {
  static __device__ unsigned long long state[3 + 40];
};
template <int n>
__device__ unsigned long long mpu_heap<n>::state[3 + 40];

enum { MPU_HEAP_LISTS = 3, MPU_HEAP_SIZES = 40 };
// Before the memory of a block: whose it is, which is the next one while it is free; and its size
// with a mark.
enum : unsigned long long { MPU_HEAP_USED = 0xa110c << 8, MPU_HEAP_FREE = 0xf4ee << 8 };

MPU_D unsigned long long *mpu_heap_pop(unsigned long long *state, unsigned size) {
  unsigned long long *head = state + MPU_HEAP_LISTS + size,
                     old = *(volatile unsigned long long *)head;
  while (old & 0xffffffff) {
    unsigned long long *block = (unsigned long long *)(state[0] + (old & 0xffffffff) * 16 - 16);
    const unsigned long long next = *(volatile unsigned long long *)block & 0xffffffff;
    const unsigned long long seen = atomicCAS(head, old, ((old >> 32) + 1) << 32 | next);
    if (seen == old)
      return block;
    old = seen;
  }
  return 0;
}

static __device__ __attribute__((unused)) void *mpu_heap_take(size_t bytes) {
  unsigned long long *state = mpu_heap<0>::state;
  const unsigned size = bytes <= 16 ? 5 : 64 - (unsigned)__clzll((long long)bytes + 15);
  if (!bytes || size >= MPU_HEAP_SIZES)
    return 0;
  unsigned long long *block = mpu_heap_pop(state, size);
  if (!block) {
    const unsigned long long all = 1ull << size, at = atomicAdd(&state[2], all);
    if (at + all > state[1]) {
      atomicAdd(&state[2], 0 - all);
      return 0;
    }
    block = (unsigned long long *)(state[0] + at);
  }
  block[0] = (unsigned long long)state;
  block[1] = MPU_HEAP_USED | size;
  return block + 2;
}

// What malloc has not returned, or free has had, ends the launch.
static __device__ __attribute__((unused)) void mpu_heap_give(void *p) {
  if (!p)
    return;
  unsigned long long *block = (unsigned long long *)p - 2;
  const unsigned long long mark = block[1];
  if ((mark & ~0xffull) != MPU_HEAP_USED) {
    __trap();
    return;
  }
  unsigned long long *state = (unsigned long long *)block[0];
  unsigned long long *head = state + MPU_HEAP_LISTS + (mark & 0xff);
  const unsigned long long own = ((unsigned long long)block - state[0]) / 16 + 1;
  block[1] = MPU_HEAP_FREE;
  for (unsigned long long old = *(volatile unsigned long long *)head;;) {
    *(volatile unsigned long long *)block = old & 0xffffffff;
    __threadfence();
    const unsigned long long seen = atomicCAS(head, old, ((old >> 32) + 1) << 32 | own);
    if (seen == old)
      return;
    old = seen;
  }
}

MPU_D void *malloc(size_t bytes) {
  return mpu_heap_take(bytes);
}
MPU_D void free(void *p) {
  mpu_heap_give(p);
}
namespace std {
using ::free;
using ::malloc;
}  // namespace std
#include <new>  // clang's own has new and delete of the device, which call malloc and free
#endif
