// SPDX-License-Identifier: Apache-2.0
// What a program may do with several devices, line by line as run_cards.sh expects it with two.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int counter = 5;
__constant__ int scale = 1;

__global__ void fill(int *out, int n, int first) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    out[i] = scale * (first + i);
  if (i == 0)
    atomicAdd(&counter, first);
}
__global__ void tell(void) {
  printf("counter is %d\n", counter);
}

enum { N = 4000 };

static int at(const int *p, int n) {
  int value = -1;
  const cudaError_t e = cudaMemcpy(&value, p + n, sizeof value, cudaMemcpyDeviceToHost);
  return e ? -(int)e : value;
}

int main() {
  int devices, device, can, *p[2], value;
  char bus[16];
  struct cudaDeviceProp prop;
  struct cudaPointerAttributes a;
  size_t left, total, all;
  float ms;
  cudaEvent_t begin[2], end[2];
  cudaGetDeviceCount(&devices);
  cudaGetDevice(&device);
  printf("%d devices, %d is current\n", devices, device);
  printf("no such device %d %d\n", cudaSetDevice(devices), cudaSetDevice(-1));
  printf("no such properties %d %d\n", cudaGetDeviceProperties(&prop, 2),
         cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2));
  cudaGetLastError();
  cudaDeviceGetPCIBusId(bus, sizeof bus, 1);
  printf("bus %s is device %d", bus, cudaDeviceGetByPCIBusId(&device, bus) ? -1 : device);
  cudaDeviceCanAccessPeer(&can, 0, 1);
  printf(", peer access %d %d\n", can, cudaDeviceEnablePeerAccess(1, 0));
  cudaGetLastError();

  for (int k = 0; k < 2; k++) {
    cudaSetDevice(k);
    cudaMalloc(&p[k], N * sizeof(int));
    cudaEventCreate(&begin[k]);
    cudaEventCreate(&end[k]);
    value = k + 1;
    cudaMemcpyToSymbol(scale, &value, sizeof value);
  }
  printf("addresses differ %d\n", p[0] != p[1]);
  for (int k = 0; k < 2; k++) {
    cudaSetDevice(k);
    cudaEventRecord(begin[k]);
    fill<<<(N + 127) / 128, 128>>>(p[k], N, 10 * (k + 1));
    cudaEventRecord(end[k]);
    printf("launch %d %d\n", k, cudaGetLastError());
  }
  // device 1 is current: pointers say whose memory it is
  printf("device 0 has %d, device 1 has %d\n", at(p[0], 7), at(p[1], 7));
  cudaEventElapsedTime(&ms, begin[0], end[0]);
  const float first = ms;
  cudaEventElapsedTime(&ms, begin[0], begin[1]);
  printf("they overlap %d\n", first > 0 && ms < first);
  for (int k = 1; k >= 0; k--) {
    cudaPointerGetAttributes(&a, p[k]);
    printf("of device %d, ", a.device);
    cudaSetDevice(k);
    tell<<<1, 1>>>();
    cudaDeviceSynchronize();
  }
  // device 0 is current
  printf("peer %d", cudaMemcpyPeer(p[0] + 100, 0, p[1] + 7, 1, 2000 * sizeof(int)));
  printf(", default %d", cudaMemcpy(p[1] + 3000, p[0] + 7, 16, cudaMemcpyDefault));
  printf(": %d %d\n", at(p[0], 100), at(p[1], 3000));
  printf("wrong peer %d\n", cudaMemcpyPeer(p[0], 0, p[1], 2, 4));
  cudaGetLastError();
  printf("set %d: %d\n", cudaMemset(p[1], 0, 4), at(p[1], 0));
  cudaDeviceGetAttribute(&value, cudaDevAttrPciDeviceId, 1);
  printf("attribute of device %d\n", value);
  cudaMemGetInfo(&left, &total);
  cudaGetDeviceProperties(&prop, 0);
  all = prop.totalGlobalMem;
  printf("memory %d\n", total == all && left < total && total - left < 2 << 20);
  printf("more than a share %d\n", cudaMalloc(&p[0], all + 4096) == cudaErrorMemoryAllocation);
  cudaGetLastError();

  // a device that failed: the other one goes on
  int *const of_1 = p[1];
  fill<<<1, 32>>>(of_1, 32, 0);
  printf("a kernel on memory of the other device %d\n", cudaDeviceSynchronize());
  printf("still %d\n", cudaDeviceSynchronize());
  cudaSetDevice(1);
  printf("device 1 %d", cudaDeviceSynchronize());
  fill<<<1, 32>>>(of_1, 32, 1000);
  printf(" has %d\n", at(of_1, 1));
  cudaSetDevice(0);
  printf("reset %d", cudaDeviceReset());
  cudaMalloc(&p[0], N * sizeof(int));
  fill<<<1, 32>>>(p[0], 32, 3);
  printf(", device 0 has %d\n", at(p[0], 1));
  tell<<<1, 1>>>();
  cudaDeviceSynchronize();
  printf("refused %d", (fill<<<1, 4096>>>(p[0], 1, 1), cudaGetLastError()));
  printf(", free %d %d %d\n", cudaFree(of_1), cudaFree(p[0]), cudaFree(of_1));
  cudaSetDevice(1);
  cudaMalloc(&p[1], 4096);
  fill<<<1, 32>>>(p[1], 32, 7);  // nobody waits for it: the end of the program does
  return 0;
}
