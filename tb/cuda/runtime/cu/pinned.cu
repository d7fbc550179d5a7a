// SPDX-License-Identifier: Apache-2.0
// Pinned memory: kernels access it at its own address, also by pointers in memory; the host sees
// what they write, and they what the host writes; copies and fills; what it costs device memory.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include "check.h"

enum { N = 3000 };

__global__ void add(int *v, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    v[i] += by;
}
__global__ void count(unsigned *n) {
  atomicAdd(n, 1u);
}
struct item {
  item *next;
  int value;
};
__global__ void follow(item *first, int *sum) {
  for (item *x = first; x; x = x->next) {
    *sum += x->value;
    x->value = -1;
  }
}
__device__ int *pointer;
__global__ void by_variable() {
  *pointer = 77;
}

static void check_access() {
  int *a, *b, *d, back[4];
  unsigned *n;
  OK(cudaMallocHost(&a, N * sizeof *a));
  OK(cudaHostAlloc(&b, N * sizeof *b, cudaHostAllocPortable));
  OK(cudaMallocHost(&n, sizeof *n));
  CHECK(a[0] == 0 && a[N - 1] == 0);
  for (int k = 0; k < N; k++)
    a[k] = k, b[k] = 2 * k;
  *n = 5;
  for (int round = 0; round < 3; round++) {
    add<<<(N + 127) / 128, 128>>>(a, N, 10);
    add<<<2, 64>>>(b + 100, 100, 1);
    count<<<3, 64>>>(n);
    OK(cudaDeviceSynchronize());
    CHECK(*n == 197);
    *n = 5;
    a[7] = 0;
  }
  CHECK(a[0] == 30 && a[7] == 0 && a[N - 1] == N + 29 && b[99] == 198 && b[100] == 203 &&
        b[200] == 400);
  OK(cudaMemcpyToSymbol(pointer, &b, sizeof b));
  by_variable<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  CHECK(b[0] == 77);
  // copies: from and to the device, and between pinned memory
  OK(cudaMalloc(&d, N * sizeof *d));
  OK(cudaMemcpyAsync(d, a, N * sizeof *d, cudaMemcpyHostToDevice));
  OK(cudaMemcpyAsync(b, d, N * sizeof *d, cudaMemcpyDefault));
  OK(cudaMemcpy(a, b + 1, 4, cudaMemcpyHostToHost));
  OK(cudaMemset(a + 1, 1, 4));
  OK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(b[N - 1] == N + 29 && a[0] == 31 && a[1] == 0x01010101 && back[2] == 32);
  GIVES(cudaErrorInvalidValue, cudaMemcpy(d, a, N * sizeof *d + 1, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
  GIVES(cudaErrorInvalidValue, cudaFree(a));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(a + 1));
  GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(a, 8, 0));
  OK(cudaFreeHost(a));
  OK(cudaFreeHost(b));
  OK(cudaFreeHost(n));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(n));
}

static void check_pointers() {
  item *items[40];
  int *sum;
  OK(cudaMallocHost(&sum, sizeof *sum));
  for (int k = 0; k < 40; k++) {
    OK(cudaMallocHost(&items[k], sizeof *items[k]));
    *items[k] = {k ? items[k - 1] : nullptr, k};
  }
  follow<<<1, 1>>>(items[39], sum);
  OK(cudaDeviceSynchronize());
  CHECK(*sum == 780 && items[0]->value == -1 && items[39]->value == -1);
  for (int k = 0; k < 40; k++)
    OK(cudaFreeHost(items[k]));
  OK(cudaFreeHost(sum));
}

// It takes no device memory, and what cudaMalloc gives does not depend on it.
static void check_room() {
  size_t before, with, total;
  void *first, *second, *p, *big;
  OK(cudaMalloc(&first, 1000));
  OK(cudaFree(first));
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMallocHost(&p, 5 << 20));
  OK(cudaMemGetInfo(&with, &total));
  OK(cudaMalloc(&second, 1000));
  CHECK(before == with && first == second);
  OK(cudaMallocHost(&big, total > (size_t)1 << 30 ? 1 << 20 : total));  // all that a small one has
  ((char *)big)[0] = 1;
  OK(cudaFreeHost(big));
  OK(cudaFree(second));
  OK(cudaFreeHost(p));
}

static void check_attributes() {
  int *p, *h = (int *)malloc(64), *d = nullptr;
  unsigned flags;
  cudaPointerAttributes a;
  OK(cudaMallocHost(&p, 64));
  OK(cudaHostGetDevicePointer(&d, p + 2, 0));
  CHECK(d == p + 2);
  OK(cudaPointerGetAttributes(&a, p + 3));
  CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == p + 3 && a.hostPointer == p + 3);
  OK(cudaHostGetFlags(&flags, p));
  GIVES(cudaErrorInvalidValue, cudaHostGetFlags(&flags, h));
  OK(cudaFreeHost(p));
  // registered without a flag: another address, or as an argument
  memset(h, 0, 64);
  OK(cudaHostRegister(h, 64, 0));
  add<<<1, 4>>>(h + 1, 4, 3);
  OK(cudaHostGetDevicePointer(&d, h, 0));
  add<<<1, 16>>>(d, 16, 1);
  OK(cudaDeviceSynchronize());
  CHECK(h[0] == 1 && h[1] == 4 && h[4] == 4 && h[5] == 1);
  OK(cudaHostUnregister(h));
  free(h);
}

// The last element is the last that a kernel may access.
static void check_bounds() {
  int *p;
  OK(cudaMallocHost(&p, 10 * sizeof *p));
  add<<<1, 10>>>(p, 10, 1);
  OK(cudaDeviceSynchronize());
  add<<<1, 11>>>(p, 11, 1);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  CHECK(p[9] >= 1);  // the host has it still
  OK(cudaFreeHost(p));
}

int main(int argc, char **) {
  check_access();
  check_pointers();
  check_room();
  check_attributes();
  if (argc == 1)  // else without a fault
    check_bounds();
  END;
}
