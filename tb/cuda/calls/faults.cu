// SPDX-License-Identifier: Apache-2.0
// A launch that ends with the fault that the argument names, and limits of the stack.
#include <cstdio>
#include <cstring>

typedef int (*unary)(int);
typedef int (*binary)(int, int);
__device__ int negate(int a) {
  return -a;
}
__device__ int add(int a, int b) {
  return a + b;
}
__device__ unary of_unary = negate;
__device__ binary of_binary = add;

__device__ int deep(int n, int *p) {
  return n == 0 ? *p : 3 * deep(n - 1, p) + deep(n / 2, p) + n;
}

__global__ void overflow(int *out, int depth) {
  if (blockIdx.x == 1 && threadIdx.x == 5)
    depth *= 100;
  out[threadIdx.x] = deep(depth, out);
}

__global__ void call(int *out, unary f, int which) {
  out[threadIdx.x] = (int)threadIdx.x == which ? f(which) : 0;
}

struct base {
  int v;
  __device__ base() : v(later()) {}
  __device__ int later() { return get(); }
  __device__ virtual int get() = 0;
};
struct derived : base {
  __device__ int get() override { return 5; }
};
__global__ void pure(int *out) {
  derived d;
  base *b = &d;
  out[threadIdx.x] = b->get() + d.v;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  int *out, got[32];
  unary f = nullptr;
  binary g;
  size_t bytes = 0;
  cudaMalloc(&out, sizeof got);
  cudaMemset(out, 0, sizeof got);

  // limits: the default, what a thread has of it, what is too much
  cudaFuncAttributes before, after;
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  cudaFuncGetAttributes(&before, (const void *)overflow);
  bool good = bytes == 1024 && before.localSizeBytes >= 1024 && before.localSizeBytes < 1400;
  good &= cudaDeviceSetLimit(cudaLimitStackSize, 1 << 30) == cudaErrorInvalidValue;
  good &= cudaDeviceSetLimit(cudaLimitStackSize, 4090) == cudaSuccess;
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  cudaFuncGetAttributes(&after, (const void *)overflow);
  good &= bytes == 4096 && after.localSizeBytes == before.localSizeBytes + 3072;
  overflow<<<2, 32>>>(out, 0);
  good &= cudaDeviceSynchronize() == cudaSuccess;
  cudaDeviceSetLimit(cudaLimitStackSize, 1024);

  cudaError_t want = cudaErrorLaunchFailure;
  if (!strcmp(name, "overflow")) {
    want = cudaErrorIllegalAddress;
    overflow<<<2, 32>>>(out, 1);
  } else if (!strcmp(name, "null")) {
    call<<<1, 32>>>(out, f, 3);
  } else if (!strcmp(name, "data")) {
    memcpy(&f, &out, sizeof f);
    call<<<1, 32>>>(out, f, 3);
  } else if (!strcmp(name, "type")) {
    cudaMemcpyFromSymbol(&g, of_binary, sizeof g);
    memcpy(&f, &g, sizeof f);
    call<<<1, 32>>>(out, f, 3);
  } else {
    pure<<<1, 32>>>(out);
  }
  const cudaError_t gives = cudaDeviceSynchronize();
  if (!good || gives != want)
    printf("limits %d; %s, not %s\n", good, cudaGetErrorName(gives), cudaGetErrorName(want));
  return !good || gives != want;
}
