// SPDX-License-Identifier: Apache-2.0
// A small program for docs/diff.md.
__global__ void scale(int n, float a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = a * x[i];
}

int main() {
  float *x;
  cudaMalloc(&x, 4 * 4096);
  scale<<<32, 128>>>(4096, 2, x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
