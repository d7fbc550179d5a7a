// SPDX-License-Identifier: Apache-2.0
// Streams, events and errors belong to a device, whichever is current.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *a, int n) {
  int s = 0;
  for (int k = 0; k < n; k++)
    s += a[threadIdx.x] * k;
  a[threadIdx.x] = 7 + (s == 12345);
}
__global__ void bad(void) {
  *(volatile int *)8 = 1;
}

// Uses device 1 before the object of this program is registered for it.
__attribute__((constructor(200))) static void early(void) {
  cudaSetDevice(1);
}

int main() {
  int *a[2], *m, v = 0;
  float ms;
  cudaStream_t s[2];
  cudaEvent_t e, f;
  for (int k = 0; k < 2; k++) {
    cudaSetDevice(k);
    cudaMallocManaged((void **)&a[k], 4096, cudaMemAttachGlobal);
    cudaStreamCreate(&s[k]);
    for (int i = 0; i < 32; i++)
      a[k][i] = 0;
    set<<<1, 32, 0, s[k]>>>(a[k], 100);
  }
  for (int k = 0; k < 2; k++) {
    printf("stream %d %d", k, cudaStreamSynchronize(s[k]));
    printf(" %d\n", a[k][3]);
  }
  cudaMalloc(&m, 4096);
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  cudaEventRecord(e, s[1]);
  bad<<<1, 1, 0, s[1]>>>();
  cudaEventRecord(f, s[1]);
  cudaSetDevice(0);
  set<<<1, 32, 0, s[1]>>>(a[0], 3);
  printf("stream of another device %d", cudaGetLastError());
  printf(", event of another device %d\n", cudaEventRecord(e));
  printf("stream %d", cudaStreamSynchronize(s[1]));
  printf(", event %d", cudaEventSynchronize(f));
  printf(", elapsed %d", cudaEventElapsedTime(&ms, e, f));
  printf(", managed %d %d", cudaMemcpy(&v, a[1], 4, cudaMemcpyDefault), cudaMemset(a[1], 0, 4));
  printf(", copy %d", cudaMemcpy(&v, m, 4, cudaMemcpyDefault));
  printf(", free %d %d\n", cudaFree(m), cudaFree(a[1]));
  printf("device 0 %d\n", cudaDeviceSynchronize());
  return 0;
}
