#include "lib.h"

#include <cstdio>

__device__ int counter = 1000;
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int numbers[4] = {5, 6, 7, 8};
__device__ int *last = &numbers[3];

// names that main.cu has too
static __device__ int offset = 40;
static __device__ __noinline__ int own(int x) { return x + offset; }
namespace {
__device__ int hidden = 100;
}
static __global__ void second(int *out) {
  extern __shared__ float words[];
  words[threadIdx.x] = own(2) + *last;
  out[threadIdx.x] = twice((int)words[threadIdx.x]);
}

__device__ float scale(float x, int which) {
  if (x == 0)
    printf("lib.cu ");
  return x * factors[which] + hidden;
}

int lib(int *device) {
  int h[32], n = 41, bad = 0;
  cudaMemcpyToSymbol(offset, &n, sizeof n);
  second<<<1, 32, 128>>>(device);
  cudaMemcpy(h, device, sizeof h, cudaMemcpyDeviceToHost);
  bad += h[0] != 2 * (43 + 8);
  fill<<<1, 32>>>(device, 9);
  cudaMemcpy(h, device, sizeof h, cudaMemcpyDeviceToHost);
  return bad + (h[5] != 9 + 26);
}
