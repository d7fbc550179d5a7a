// SPDX-License-Identifier: Apache-2.0
// What a program can do with addresses: arithmetic between arrays, casts to integers and back,
// accesses behind an array's end that reach the next one, views of other types, atomics, copies on
// the device, memory that is freed and allocated again. It prints sums of all that it computes.
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess)
    return;
  fprintf(stderr, "place.cu:%d: %s\n", line, cudaGetErrorString(e));
  exit(1);
}
#define CHECK(call) check(call, __LINE__)

__global__ void gather(const int *a, const int *b, int *c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[(i * 37 + 11) % n] + 3 * b[n - 1 - i];
}

// From one array into the other: by the difference of their addresses, and by an integer.
__global__ void across(const int *a, const int *b, int *c, int n) {
  const long long between = b - a;
  const unsigned long long at = (unsigned long long)a;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int *back = (const int *)(at + 4ull * (unsigned)((i * 5) % n));
    c[i] += a[between + i] + (*back ^ i);
  }
}

struct wide { int x, y, z, w; };
__global__ void vectors(wide *c, short *d, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    wide v = c[i];
    d[3 * i + 1] = (short)(v.x + v.w);
    c[i] = wide{v.w, v.z, v.y, v.x};
  }
}

__global__ void count(const int *c, unsigned *bins, unsigned long long *sum, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[(unsigned)c[i] % 61], 1u);
    atomicAdd(sum, (unsigned long long)(unsigned)c[i]);
    atomicMax((int *)bins + 61, c[i]);
  }
}

template <class T> static unsigned long long sum_of(const T *device, size_t n) {
  std::vector<T> host(n);
  unsigned long long sum = 1469598103934665603ull;
  CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t k = 0; k < n * sizeof(T); k++)
    sum = (sum ^ ((const unsigned char *)host.data())[k]) * 1099511628211ull;
  return sum;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 3000, blocks = argc > 2 ? atoi(argv[2]) : 9;
  int *a, *b, *c, *copy;
  short *d;
  unsigned *bins;
  unsigned long long *sum;
  std::vector<int> host(n);
  for (int round = 0; round < 2; round++) {
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMalloc(&c, n * sizeof *c));
    CHECK(cudaMalloc(&copy, n * sizeof *copy));
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaMalloc(&bins, 62 * sizeof *bins));
    CHECK(cudaMalloc(&sum, sizeof *sum));
    for (int i = 0; i < n; i++)
      host[i] = (i * 7919 + round) % 10007;
    CHECK(cudaMemcpy(a, host.data(), n * sizeof *a, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b, 0x5a, n * sizeof *b));
    CHECK(cudaMemcpy(b + n / 3, a + n / 5, n / 2 * sizeof *b, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(d, 0, n * sizeof *d));
    CHECK(cudaMemset(bins, 0, 62 * sizeof *bins));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    gather<<<blocks, 96>>>(a, b, c, n);
    across<<<blocks, 128>>>(a, b, c, n);
    vectors<<<blocks, 64>>>((wide *)c, d, n);
    CHECK(cudaMemcpy(copy, c, n * sizeof *c, cudaMemcpyDeviceToDevice));
    count<<<blocks, 32>>>(copy, bins, sum, n);
    CHECK(cudaDeviceSynchronize());
    printf("%016llx %016llx %016llx %016llx\n", sum_of(c, n), sum_of(d, n), sum_of(bins, 62), sum_of(sum, 1));
    CHECK(cudaFree(b));
    CHECK(cudaFree(a));
    CHECK(cudaFree(copy));
    CHECK(cudaFree(c));
    CHECK(cudaFree(d));
    CHECK(cudaFree(bins));
    CHECK(cudaFree(sum));
  }
  printf("PASS\n");
}
