// SPDX-License-Identifier: Apache-2.0
// Calls behind a launch that is still running do what they do behind one that has ended.
#include <cstdio>
#include <cuda_runtime.h>
#include <mpu.h>

__global__ void sum(volatile int *a, int n) {
  int s = 0;
  for (int k = 0; k < n; k++)
    s += a[threadIdx.x];
  a[threadIdx.x] = s + 5;
}
__global__ void bad(void) {
  *(volatile int *)8 = 1;
}

int main() {
  int *a, *b, v = -1;
  // the host writes mapped memory that the kernel does not use
  cudaHostAlloc((void **)&a, 4096, cudaHostAllocMapped);
  cudaHostAlloc((void **)&b, 4096, cudaHostAllocMapped);
  for (int i = 0; i < 32; i++)
    a[i] = i, b[i] = 1;
  sum<<<1, 32>>>(a, 100);
  b[5] = 2;
  cudaDeviceSynchronize();
  printf("mapped %d %d\n", a[5], b[5]);
  cudaFreeHost(a);
  cudaFreeHost(b);

  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  sum<<<1, 32>>>(a, 100);
  printf("mpu_memcpy %d", mpu_memcpy(&v, a, 4, Device2Host));
  printf(" %d\n", v);
  sum<<<1, 32>>>(a, 100);
  printf("mpu_free %d\n", mpu_free(a));

  // a reset waits for the end, and clears the fault that comes with it
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  sum<<<1, 32>>>(a, 200);
  printf("reset %d", cudaDeviceReset());
  printf(" sync %d\n", cudaDeviceSynchronize());
  bad<<<1, 1>>>();
  printf("reset %d", cudaDeviceReset());
  printf(" sync %d", cudaDeviceSynchronize());
  printf(" malloc %d\n", cudaMalloc(&a, 4096));
  return 0;
}
