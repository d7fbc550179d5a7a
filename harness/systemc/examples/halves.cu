// SPDX-License-Identifier: Apache-2.0
// All devices share the work of one program: each computes a part of y = a * x + y. Launches do not
// wait for one another, so that the devices compute at the same time.
//
//   mpu run --cards 2 harness/systemc/examples/halves.cu
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <mpu.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    const cudaError_t e = (call);                                                \
    if (e != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

enum { THREADS = 256 };

__global__ void axpy(float a, const float *x, float *y, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

struct part {
  int first, count;
  float *x, *y;
  cudaEvent_t begin, end;
};

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 65536;
  const float a = 2.5f;
  int devices = 0;
  std::vector<float> x(n), y(n), want(n);
  for (int i = 0; i < n; i++) {
    x[i] = (float)(i % 1000);
    y[i] = (float)(i % 77);
    want[i] = a * x[i] + y[i];
  }
  CHECK(cudaGetDeviceCount(&devices));
  std::vector<part> parts(devices);
  for (int k = 0; k < devices; k++) {
    part &p = parts[k];
    p.first = (int)((long)n * k / devices);
    p.count = (int)((long)n * (k + 1) / devices) - p.first;
    CHECK(cudaSetDevice(k));
    CHECK(cudaMalloc(&p.x, p.count * sizeof(float)));
    CHECK(cudaMalloc(&p.y, p.count * sizeof(float)));
    CHECK(cudaEventCreate(&p.begin));
    CHECK(cudaEventCreate(&p.end));
    CHECK(cudaMemcpy(p.x, &x[p.first], p.count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(p.y, &y[p.first], p.count * sizeof(float), cudaMemcpyHostToDevice));
  }
  for (int k = 0; k < devices; k++) {
    const part &p = parts[k];
    CHECK(cudaSetDevice(k));
    CHECK(cudaEventRecord(p.begin));
    axpy<<<(p.count + THREADS - 1) / THREADS, THREADS>>>(a, p.x, p.y, p.count);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(p.end));
  }
  for (int k = 0; k < devices; k++) {
    const part &p = parts[k];
    float ms, from_first;
    CHECK(cudaSetDevice(k));
    CHECK(cudaMemcpy(&y[p.first], p.y, p.count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaEventElapsedTime(&ms, p.begin, p.end));
    CHECK(cudaEventElapsedTime(&from_first, parts[0].begin, p.begin));
    printf("device %d: elements %d to %d, from %.3f us on in %.3f us\n", k, p.first,
           p.first + p.count - 1, 1e3f * from_first, 1e3f * ms);
    CHECK(cudaFree(p.x));
    CHECK(cudaFree(p.y));
  }
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += y[i] != want[i];
  printf("%s: %d of %d elements are wrong\n", wrong ? "FAIL" : "PASS", wrong, n);
  mpu_report_result(!wrong);
  return wrong != 0;
}
