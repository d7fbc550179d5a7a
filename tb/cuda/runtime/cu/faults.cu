// SPDX-License-Identifier: Apache-2.0
// A fault in a kernel: its error sticks, as on a GPU, until the device is reset.
#include <assert.h>
#include <string.h>
#include "check.h"

__global__ void store(int *p, int offset) { p[offset] = 1; }
__global__ void misaligned(char *p) { *(int *)(p + 1) = 1; }
__global__ void asserts(int n) { assert(n == 1); }
__global__ void traps() { __trap(); }
__global__ void fine(int *p) { p[threadIdx.x] = 7; }

template <class F> static void expect(cudaError_t want, F launch) {
  int *p, h = 0;
  OK(cudaDeviceReset());
  OK(cudaMalloc(&p, 128));
  launch(p);
  CHECK(cudaDeviceSynchronize() == want);
  CHECK(cudaPeekAtLastError() == want && cudaGetLastError() == want);
  CHECK(cudaGetLastError() == want);  // sticky
  CHECK(cudaMalloc(&p, 4) == want && cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost) == want);
  fine<<<1, 32>>>(p);
  CHECK(cudaGetLastError() == want);
  OK(cudaDeviceReset());
  OK(cudaMalloc(&p, 128));
  fine<<<1, 32>>>(p);
  OK(cudaMemcpy(&h, p + 31, 4, cudaMemcpyDeviceToHost));
  CHECK(h == 7);
}

int main() {
  expect(cudaErrorIllegalAddress, [](int *p) { store<<<1, 1>>>(p, 32); });
  expect(cudaErrorIllegalAddress, [](int *p) { store<<<1, 1>>>(p, -1); });
  expect(cudaErrorIllegalAddress, [](int *) { store<<<1, 1>>>(nullptr, 0); });
  expect(cudaErrorIllegalAddress, [](int *) { int x; store<<<1, 1>>>(&x, 0); });
  expect(cudaErrorMisalignedAddress, [](int *p) { misaligned<<<1, 1>>>((char *)p); });
  expect(cudaErrorLaunchFailure, [](int *) { traps<<<1, 1>>>(); });
  expect(cudaErrorAssert, [](int *) { asserts<<<2, 40>>>(2); });
  int *p;
  OK(cudaMalloc(&p, 128));
  asserts<<<1, 1>>>(1);
  OK(cudaDeviceSynchronize());
  END;
}
