// SPDX-License-Identifier: Apache-2.0
// A first program, of one file: copy it anywhere, change it, and start it with `mpu run first.cu`.
// It adds two arrays, checks the sum, and uses nothing but the CUDA runtime.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(int n, const float *x, const float *y, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = x[i] + y[i];
}

// Ends the program when a call of the runtime has failed.
static void check(cudaError_t e) {
  if (e != cudaSuccess) {
    fprintf(stderr, "first: %s\n", cudaGetErrorString(e));
    exit(1);
  }
}

int main() {
  const int n = 10000, threads = 128;
  const size_t bytes = n * sizeof(float);
  std::vector<float> x(n), y(n), sum(n);
  for (int i = 0; i < n; i++)
    x[i] = i, y[i] = 2 * i;

  float *dev_x, *dev_y, *dev_sum;
  check(cudaMalloc(&dev_x, bytes));
  check(cudaMalloc(&dev_y, bytes));
  check(cudaMalloc(&dev_sum, bytes));
  check(cudaMemcpy(dev_x, x.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(dev_y, y.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + threads - 1) / threads, threads>>>(n, dev_x, dev_y, dev_sum);
  check(cudaGetLastError());
  check(cudaMemcpy(sum.data(), dev_sum, bytes, cudaMemcpyDeviceToHost));

  for (int i = 0; i < n; i++)
    if (sum[i] != 3.0f * i) {
      printf("sum[%d] is %g, should be %g\n", i, sum[i], 3.0f * i);
      return 1;
    }
  printf("%d sums are right\n", n);
  return 0;
}
