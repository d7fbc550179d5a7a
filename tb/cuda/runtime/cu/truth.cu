// SPDX-License-Identifier: Apache-2.0
// Ints that are 0 or -1 by two conditions, as floating point: clang 19 alone makes +1 of -1.
#include <cuda_fp16.h>
#include <cstdio>

enum { N = 64 };

__device__ int minus(bool c) {
  return (signed char)(0u - (unsigned)(signed char)c);
}

__global__ void truths(const float *a, const int *b, float *f, double *d, __half *h, unsigned *u) {
  const int t = threadIdx.x;
  f[t] = (float)minus((a[t] < 1.0f) ^ (b[t] > 5)) + 4 * (float)(short)b[t];
  d[t] = (double)minus((__float_as_uint(a[t]) & 0x7fffffff) < 0x7f800001 && b[t] % 3 == 1);
  h[t] = __int2half_rn(minus((a[t] > 2.0f) ^ (b[t] < 40)));
  u[t] = (unsigned)(float)(int)((a[t] < 1.0f) ^ (b[t] > 5));
}

int main() {
  float a[N], f[N], *da, *df;
  int b[N], *db, wrong = 0;
  double d[N], *dd;
  __half h[N], *dh;
  unsigned u[N], *du;
  for (int n = 0; n < N; n++)
    a[n] = n % 5 * 0.7f, b[n] = n * 7 % 60;
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&df, sizeof f);
  cudaMalloc(&dd, sizeof d);
  cudaMalloc(&dh, sizeof h);
  cudaMalloc(&du, sizeof u);
  cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
  truths<<<1, N>>>(da, db, df, dd, dh, du);
  cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost);
  cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, dh, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(u, du, sizeof u, cudaMemcpyDeviceToHost);
  for (int n = 0; n < N; n++) {
    const bool one = (a[n] < 1.0f) != (b[n] > 5), two = b[n] % 3 == 1;
    const bool three = (a[n] > 2.0f) != (b[n] < 40);
    wrong += f[n] != (one ? -1.0f : 0.0f) + 4 * b[n] || d[n] != (two ? -1.0 : 0.0) ||
             __half2float(h[n]) != (three ? -1.0f : 0.0f) || u[n] != one;
  }
  printf("truth: %d wrong\n", wrong);
  return wrong != 0;
}
