// SPDX-License-Identifier: Apache-2.0
// Prints what a program is told about its device; run_device.sh knows what it must be.
#include <cstdio>

__global__ void plain(int *p) { p[threadIdx.x] = 1; }
__global__ void shared_user(int *p) {
  extern __shared__ int s[];
  s[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static int attribute(cudaDeviceAttr a) {
  int v = -1;
  cudaDeviceGetAttribute(&v, a, 0);
  return v;
}

template <class T> static int room(T *kernel, int threads, size_t shared) {
  int n = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared);
  return n;
}

int main() {
  cudaDeviceProp p;
  cudaFuncAttributes a;
  int grid = 0, block = 0;
  cudaGetDeviceProperties(&p, 0);
  printf("cores %d\nmemory %zu MB\nshared %zu\nregisters %d\n", p.multiProcessorCount,
         p.totalGlobalMem >> 20, p.sharedMemPerBlock, p.regsPerBlock);
  printf("threads %d of %d, %d %d %d\nblocks %d\nbus %d\nclock %d\n", p.maxThreadsPerBlock,
         p.maxThreadsPerMultiProcessor, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
         p.maxBlocksPerMultiProcessor, p.memoryBusWidth, p.clockRate);
  if (attribute(cudaDevAttrMultiProcessorCount) != p.multiProcessorCount ||
      attribute(cudaDevAttrMaxThreadsPerBlock) != p.maxThreadsPerBlock ||
      attribute(cudaDevAttrMaxThreadsPerMultiProcessor) != p.maxThreadsPerMultiProcessor ||
      attribute(cudaDevAttrMaxSharedMemoryPerBlock) != (int)p.sharedMemPerBlock ||
      attribute(cudaDevAttrMaxRegistersPerBlock) != p.regsPerBlock ||
      attribute(cudaDevAttrMaxBlocksPerMultiprocessor) != p.maxBlocksPerMultiProcessor ||
      attribute(cudaDevAttrGlobalMemoryBusWidth) != p.memoryBusWidth)
    printf("attributes are not the properties\n");
  cudaFuncGetAttributes(&a, shared_user);
  printf("dynamic %d\n", a.maxDynamicSharedSizeBytes);
  printf("room %d %d %d %d, %d %d %d\n", room(plain, 32, 0), room(plain, 96, 0),
         room(plain, 160, 0), room(plain, 1024, 0), room(shared_user, 32, 1),
         room(shared_user, 32, 1025), room(shared_user, 32, 70000));
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain);
  printf("grid of cores %d\n", grid % p.multiProcessorCount == 0 && grid >= p.multiProcessorCount);
  return 0;
}
