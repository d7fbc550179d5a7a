// SPDX-License-Identifier: Apache-2.0
// What programs do beside kernels: variables, constants, printf, shared memory of host and device,
// faults, a reset.
#include <cstdio>
__device__ int counter = 5;
__device__ int *to_counter = &counter;
__constant__ int scale[4] = {1, 2, 3, 4};
__global__ void work(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = i * scale[i & 3];
  if (i == 0) {
    atomicAdd(to_counter, 1);
    printf("counter %d, %s\n", *to_counter, "from the device");
  }
}
__global__ void beyond(int *out) {
  out[1 << 28] = 1;
}
int main() {
  const int n = 100000;
  static int host[n];
  int *a, *both, c, s[4] = {9, 9, 9, 9};
  size_t free_bytes, total;
  for (int turn = 0; turn < 2; turn++) {
    printf("malloc %d\n", cudaMalloc(&a, n * sizeof *a));
    cudaMemset(a, 255, n * sizeof *a);
    work<<<n / 128 + 1, 128>>>(a, n);
    printf("copy %d, ", cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    printf("last %d\n", host[n - 1]);
    cudaMemcpyFromSymbol(&c, counter, sizeof c);
    printf("counter %d, ", c);
    cudaMemcpyToSymbol(scale, s, sizeof s);
    work<<<1, 32>>>(a, n);
    cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost);
    printf("scaled %d\n", host[3]);
    cudaMallocManaged(&both, 4096);
    both[7] = 1;
    work<<<1, 32>>>(both, 8);
    cudaDeviceSynchronize();
    printf("managed %d\n", both[7]);
    cudaMemcpy(a + 50000, a, 4 * 20000, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, a + 50000, 64, cudaMemcpyDeviceToHost);
    printf("moved %d\n", host[5]);
    printf("wrong pointer %d\n", cudaMemcpy(a, host, n * sizeof *a + 1, cudaMemcpyHostToDevice));
    cudaGetLastError();
    printf("too much %d\n", cudaMalloc(&both, 1ull << 50));
    cudaGetLastError();
    work<<<1, 2048>>>(a, n);
    printf("no such block %d\n", cudaGetLastError());
    cudaMemGetInfo(&free_bytes, &total);
    printf("memory %zu of %zu\n", free_bytes, total);
    if (turn)
      break;
    beyond<<<1, 1>>>(a);
    printf("fault %d\n", cudaDeviceSynchronize());
    printf("still %d\n", cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost));
    printf("reset %d\n", cudaDeviceReset());
  }
}
