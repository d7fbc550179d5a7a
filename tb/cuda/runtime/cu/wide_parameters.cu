// SPDX-License-Identifier: Apache-2.0
// Kernels with the most parameters that CUDA 12 allows, 32764 bytes: launched, by pointers, in a
// graph.
#include <string.h>
#include "check.h"

enum { WORDS = 8190 };
struct wide {
  int word[WORDS];  // the first two are a pointer
};
static_assert(sizeof(wide) + sizeof(int) == 32764, "with an int behind it");

__global__ void sums(const __grid_constant__ wide p, int from) {
  int *out;
  memcpy(&out, p.word, sizeof out);
  int sum = 0;
  for (int k = 2 + from + threadIdx.x; k < WORDS; k += blockDim.x)
    sum += p.word[k];
  atomicAdd(out, sum);
}

static int expected(const wide &p, int from) {
  int sum = 0;
  for (int k = 2 + from; k < WORDS; k++)
    sum += p.word[k];
  return sum;
}

int main() {
  static wide p;
  int *d, got = -1;
  OK(cudaMalloc(&d, sizeof *d));
  OK(cudaMemset(d, 0, sizeof *d));
  memcpy(p.word, &d, sizeof d);
  for (int k = 2; k < WORDS; k++)
    p.word[k] = k * 7919 % 1009;
  sums<<<1, 64>>>(p, 5);
  const int first = expected(p, 5);
  p.word[WORDS - 1] += 100000;  // the launch has its own copy
  OK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got == first);

  OK(cudaMemset(d, 0, sizeof *d));
  int from = 8100;
  void *args[] = {&p, &from};
  OK(cudaLaunchKernel((const void *)sums, 1, 32, args, 0, 0));
  OK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got == expected(p, from));

  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  sums<<<1, 32, 0, s>>>(p, 3);
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphInstantiate(&e, g, 0, 0, 0));
  OK(cudaMemset(d, 0, sizeof *d));
  OK(cudaGraphLaunch(e, s));
  OK(cudaStreamSynchronize(s));
  OK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got == expected(p, 3));
  END;
}
