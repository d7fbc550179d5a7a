// SPDX-License-Identifier: Apache-2.0
// Memory pools: which allocations they have made.
#ifndef NEARBANK_POOL_H
#define NEARBANK_POOL_H

#include "include/cuda_memory_pool.h"
#include "rt.h"

// The pool that cudaMallocAsync takes from.
cudaMemPool_t pool_current(unsigned device);
cudaError_t pool_malloc(cudaMemPool_t pool, void **p, size_t bytes);
void pool_released(const void *p);  // when it is freed, whoever made it
void pool_forget(unsigned device);  // all of the device's memory is freed
#endif
