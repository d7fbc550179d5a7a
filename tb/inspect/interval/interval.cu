// SPDX-License-Identifier: Apache-2.0
// For run_intervals.sh: three launches of two kernels, with barriers, shared memory, and memory of other cores. An argument:
// fault (of the second one, then a reset and all again), spin (for ever), stuck (at barriers), nothing.
#include <string.h>
#include <stdlib.h>

__global__ void first(unsigned *p, unsigned n) {
  __shared__ unsigned sums[64];
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = p[t];
  __syncthreads();
  for (unsigned k = 0; k < 4; k++) {
    sums[threadIdx.x * 4 % 64] += p[(t * 37 + k * 901) % n];
    __syncthreads();
  }
  p[t] = sums[threadIdx.x] * 3 + t;
  if (threadIdx.x < blockIdx.x)
    atomicAdd(&p[n - 1 - t % 7], t);
}

__global__ void second(unsigned *p) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = (float)p[t];
  for (unsigned k = 0; k < 40; k++)
    x = x * 1.5f + (float)k;
  p[t] = (unsigned)x;
}

__global__ void wrong(volatile unsigned *p, unsigned spins) {
  while (spins && p[threadIdx.x] != 12345)
    ;
  for (unsigned k = 0; k < 20; k++)
    p[threadIdx.x] += k;
  if (blockIdx.x == 3 && threadIdx.x == 37)
    p[100000000] = 1;
}

__global__ void stuck() {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
}

static void all(const char *what) {
  const unsigned n = 4096;
  unsigned *p;
  cudaMalloc(&p, n * sizeof *p);
  cudaMemset(p, 1, n * sizeof *p);
  if (strcmp(what, "stuck") == 0)
    stuck<<<1, 64>>>();
  first<<<10, 64>>>(p, n);
  if (strcmp(what, "spin") == 0)
    wrong<<<8, 64>>>(p, 1);
  if (strcmp(what, "fault") == 0)
    wrong<<<8, 64>>>(p, 0);
  if (cudaDeviceSynchronize() != cudaSuccess) {
    cudaDeviceReset();
    return;
  }
  second<<<3, 64>>>(p);
  first<<<10, 64>>>(p, n);
  cudaDeviceSynchronize();
  cudaFree(p);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "nothing") == 0)
    return 0;
  all(what);
  if (strcmp(what, "fault") == 0)
    all("");
  return 0;
}
