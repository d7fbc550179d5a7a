// SPDX-License-Identifier: Apache-2.0
// wave WHAT: two launches. 1: the second one has a fault; the device is reset, and there is a third.
// 2: the second one does not end.
#include <stdio.h>
#include <stdlib.h>

__global__ void add(int *p, int n) {
  __shared__ int sum[64];
  const int t = threadIdx.x, me = blockIdx.x * 64 + t;
  sum[t] = p[me] + n;
  __syncthreads();
  p[me] = sum[63 - t] + 1;
}

__global__ void wait(volatile int *p, int what) {
  if (what == 1 && blockIdx.x == 2)
    p[(long)threadIdx.x << 32] = 1;
  while (what == 2 && p[threadIdx.x] >= 0)
    ;
  p[blockIdx.x * 64 + threadIdx.x] *= 3;
}

int main(int argc, char **argv) {
  const int what = argc > 1 ? atoi(argv[1]) : 0;
  int *p, h[256] = {0};
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  add<<<4, 64>>>(p, 5);
  cudaDeviceSynchronize();
  if (what == 2)
    puts("now"), fflush(stdout);
  wait<<<4, 64>>>(p, what);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  if (what == 1) {
    cudaDeviceReset();
    cudaMalloc(&p, sizeof h);
    add<<<4, 64>>>(p, 5);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  }
  printf("h[0] = %d\n", h[0]);
  return 0;
}
