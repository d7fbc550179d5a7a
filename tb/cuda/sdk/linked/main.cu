#include <cstdio>

#include "lib.h"

extern __device__ int counter;
extern __constant__ float factors[4];
extern __device__ int numbers[];

static __device__ int offset = 3;
static __device__ __noinline__ int own(int x) { return x + offset; }
namespace {
__device__ int hidden = 10;
}

__global__ void first(int *out) {
  extern __shared__ int words[];
  const int i = threadIdx.x;
  words[i] = i;
  __syncthreads();
  atomicAdd(&counter, 1);
  out[i] = (int)scale(own(words[31 - i]), 1) + numbers[2] + hidden + twice(i) + (int)factors[3];
}

static __global__ void second(int *out) {
  if (threadIdx.x == 0)
    printf("main.cu ");
  out[threadIdx.x] = twice(own(0)) + (int)scale(threadIdx.x, 0);
}

int main() {
  int h[32], *d, n = 5, bad = 0;
  cudaMalloc(&d, sizeof h);
  cudaMemcpyToSymbol(offset, &n, sizeof n);
  first<<<1, 32, 128>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; i++)
    bad += h[i] != 2 * (31 - i + 5) + 100 + 7 + 10 + 2 * i + 4;
  second<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  bad += h[3] != 10 + 3 + 100;
  bad += lib(d);
  fill<<<1, 32>>>(d, 1);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  bad += h[0] != 32;
  cudaMemcpyFromSymbol(&n, counter, sizeof n);
  bad += n != 1032;
  cudaMemcpyFromSymbol(&n, times<int>, sizeof n);
  bad += n != 3 * 32;
  cudaMemcpyFromSymbol(&n, hidden, sizeof n);
  bad += n != 10;
  bad += cudaGetLastError() != cudaSuccess;
  printf("\n%s\n", bad ? "FAIL" : "PASS");
  return bad != 0;
}
