// SPDX-License-Identifier: Apache-2.0
// A program whose result is printed to the bit: six arrays in different rows of the same banks, the
// neighbour's data over shared memory, loops and branches of different lanes, operations that only the base
// die has, atomics.
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

enum { N = 16384, THREADS = 128, BINS = 64 };

__global__ void work(const float *a, const float *b, const float *c, const unsigned *index, float *out,
                     unsigned *bins) {
  __shared__ float tile[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const float here = a[i] * b[i] + c[i];
  tile[threadIdx.x] = here;
  __syncthreads();
  float sum = tile[THREADS - 1 - threadIdx.x];
  const unsigned n = index[i];
  for (unsigned k = 0; k < n % 7; k++)
    sum = sum * 0.75f + (float)k;
  if (n & 1)
    sum += (float)sqrt((double)n + 0.5);
  else
    sum += c[n];
  out[i] = sum / (here + 3.0f);
  atomicAdd(&bins[n % BINS], n);
}

template <class T> static T *device(const std::vector<T> &v) {
  T *p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

static uint64_t hash(uint64_t h, const void *data, size_t bytes) {
  for (size_t k = 0; k < bytes; k++)
    h = (h ^ ((const uint8_t *)data)[k]) * 0x100000001b3;
  return h;
}

int main() {
  std::vector<float> a(N), b(N), c(N), out(N);
  std::vector<unsigned> index(N), bins(BINS);
  uint32_t x = 1;
  for (int i = 0; i < N; i++) {
    x = x * 1664525 + 1013904223;
    a[i] = (float)(x >> 8) / (1 << 24), b[i] = (float)(i % 97) / 97, c[i] = (float)(x & 255) / 256;
    index[i] = x >> 18;
  }
  float *dev_out = device(out);
  unsigned *dev_bins = device(bins);
  work<<<N / THREADS, THREADS>>>(device(a), device(b), device(c), device(index), dev_out, dev_bins);
  cudaMemcpy(out.data(), dev_out, N * sizeof out[0], cudaMemcpyDeviceToHost);
  const cudaError_t e = cudaMemcpy(bins.data(), dev_bins, BINS * sizeof bins[0], cudaMemcpyDeviceToHost);
  printf("%016llx\n", (unsigned long long)hash(hash(14695981039346656037ull, out.data(), N * sizeof out[0]),
                                               bins.data(), BINS * sizeof bins[0]));
  return e != cudaSuccess;
}
