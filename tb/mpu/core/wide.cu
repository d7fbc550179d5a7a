// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
typedef unsigned long long u64;
// Atomics of 64 bits on shared memory while their warp goes on, so that the near-bank unit reads
// other registers too: the two words of the old value come up in either order.
__global__ void most(const u64 *v, u64 *out, u64 *other) {
  __shared__ u64 sh[8];
  const unsigned t = threadIdx.x;
  if (t < 8)
    sh[t] = (u64)(t + 1) << 49;
  __syncthreads();
  u64 a = other[t], b = other[t ^ 1], c = 0;
#pragma unroll
  for (int n = 0; n < 6; n++) {
    c += atomicMax(&sh[(t + n) & 7], v[t] + n);
    a = a * 435 + b, b = b * (a >> 3 | 1) ^ n, a = a * b + n, b = b ^ a * 77;
  }
  other[t] = a ^ b ^ c;
  __syncthreads();
  out[t] = sh[t & 7];
}
int main() {
  u64 v[96], out[96];
  for (int i = 0; i < 96; i++)
    v[i] = i % 5;
  u64 *dv, *dout, *dother;
  cudaMalloc(&dv, sizeof v);
  cudaMalloc(&dout, sizeof out);
  cudaMalloc(&dother, sizeof v);
  cudaMemcpy(dv, v, sizeof v, cudaMemcpyHostToDevice);
  cudaMemcpy(dother, v, sizeof v, cudaMemcpyHostToDevice);
  most<<<1, 96>>>(dv, dout, dother);
  cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 96; i++)
    wrong += out[i] != (u64)((i & 7) + 1) << 49;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
