// SPDX-License-Identifier: Apache-2.0
// Local memory: indices that only the program knows. The argument: how many launches.
#include <stdlib.h>

__global__ void kernel(int *p) {
  int a[40], s = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; k++)
    a[k] = t * 40 + k;
  for (int k = 0; k < 30; k++)
    a[(p[k] + k + t) & 31] += a[(p[k] * 7 + k) % 40] ^ k;
  for (int k = 0; k < 40; k++)
    s = s * 31 + a[k];
  p[64 + t] = s;
}
int main(int argc, char **argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 1;
  int *p, h[64 + 2048], bad = 0;
  for (int k = 0; k < 64; k++)
    h[k] = k * 7919;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, 256, cudaMemcpyHostToDevice);
  for (int k = 0; k < launches; k++)
    kernel<<<16, 128>>>(p);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 2048; t++) {
    int a[40], s = 0;
    for (int k = 0; k < 40; k++)
      a[k] = t * 40 + k;
    for (int k = 0; k < 30; k++)
      a[(h[k] + k + t) & 31] += a[(h[k] * 7 + k) % 40] ^ k;
    for (int k = 0; k < 40; k++)
      s = s * 31 + a[k];
    bad |= s != h[64 + t];
  }
  return bad;
}
