// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime API: each family at work, and the error code of each wrong argument.
#include <stdint.h>
#include <string.h>
#include <string>
#include <vector>
#include "check.h"

__global__ void add(int *p, int n, int v) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += v;
}
__global__ __launch_bounds__(64) void bounded(int *p) { p[threadIdx.x] = 1; }
__global__ void shared_user(int *p) {
  extern __shared__ int s[];
  __shared__ int fixed[256];
  s[threadIdx.x] = fixed[threadIdx.x % 256] = (int)threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x] + (fixed[(threadIdx.x + 9) % 256] < 0);
}
__constant__ int weights[4] = {1, 2, 3, 4};
__device__ int counters[8] = {10, 20, 30};
__device__ float zeros[16];
__device__ int *chain;
__global__ void use_symbols(int *out) {
  for (int i = 0; i < 4; i++)
    out[i] = weights[i] * 100 + counters[i];
  counters[7] = 77;
  if (chain)
    *chain = 5;
}
struct big {
  double d;
  char c[24];
  short s;
};
__global__ void by_value(big b, char c, double3 v, unsigned long long w, big *out) {
  *out = b;
  out->d += c + v.x + v.y + v.z + (double)w;
}
template <class T> __global__ void fill(T *p, T v) { p[threadIdx.x] = v; }

static void memory() {
  int *p, *q, h[100], g[100];
  for (int i = 0; i < 100; i++)
    h[i] = i;
  OK(cudaMalloc(&p, sizeof h));
  OK(cudaMalloc((void **)&q, sizeof h));
  OK(cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(q, p, sizeof h, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(g, q, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(memcmp(g, h, sizeof h) == 0);
  memset(g, 0, sizeof g);
  OK(cudaMemcpy(g, h, sizeof h, cudaMemcpyHostToHost));
  CHECK(g[99] == 99);
  OK(cudaMemset(q, 0xff, sizeof h));
  OK(cudaMemcpy(q + 50, p, 40, cudaMemcpyDefault));
  OK(cudaMemcpy(g, q, sizeof h, cudaMemcpyDefault));
  CHECK(g[0] == -1 && g[50] == 0 && g[59] == 9 && g[60] == -1);
  OK(cudaMemcpyAsync(g, p, sizeof h, cudaMemcpyDeviceToHost, 0));
  CHECK(g[60] == 60);

  GIVES(cudaErrorInvalidValue, cudaMemcpy(p, h, sizeof h + 1, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(h, p + 99, 8, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(h, g, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(p, q, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, h, 4, (cudaMemcpyKind)9));
  GIVES(cudaErrorInvalidValue, cudaMemset(p, 0, sizeof h + 1));
  GIVES(cudaErrorInvalidValue, cudaMemset(h, 0, 4));
  GIVES(cudaErrorInvalidValue, cudaFree(p + 1));
  GIVES(cudaErrorInvalidValue, cudaFree(h));
  GIVES(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 4));
  GIVES(cudaErrorMemoryAllocation, cudaMalloc(&q, (size_t)1 << 50));
  OK(cudaMemcpy(p, h, 0, cudaMemcpyHostToDevice));
  OK(cudaFree(nullptr));
  OK(cudaFree(p));
  GIVES(cudaErrorInvalidValue, cudaFree(p));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(g, p, 4, cudaMemcpyDeviceToHost));

  size_t pitch, before, after, total;
  char *rows, host[6][10], back[6][16] = {};
  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 10; x++)
      host[y][x] = (char)(10 * y + x);
  OK(cudaMallocPitch(&rows, &pitch, 10, 6));
  CHECK(pitch >= 10 && pitch % 32 == 0);
  OK(cudaMemcpy2D(rows, pitch, host, 10, 10, 6, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, 16, rows, pitch, 10, 6, cudaMemcpyDeviceToHost));
  CHECK(back[5][9] == 59 && back[5][10] == 0 && back[0][3] == 3);
  OK(cudaMemset2D(rows, pitch, 7, 3, 6));
  OK(cudaMemcpy2DAsync(back, 16, rows, pitch, 10, 6, cudaMemcpyDeviceToHost, 0));
  CHECK(back[4][2] == 7 && back[4][3] == 43);
  GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(back, 9, rows, pitch, 10, 6, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidValue, cudaMemcpy2D(back, 16, rows, pitch, 10, 7, cudaMemcpyDeviceToHost));
  OK(cudaFree(rows));

  cudaPitchedPtr box;
  OK(cudaMalloc3D(&box, make_cudaExtent(5, 2, 3)));
  OK(cudaMemset3D(box, 9, make_cudaExtent(5, 2, 3)));
  char cube[3][2][5] = {};
  cudaMemcpy3DParms job = {};
  job.srcPtr = box;
  job.dstPtr = make_cudaPitchedPtr(cube, 5, 5, 2);
  job.extent = make_cudaExtent(5, 2, 3);
  job.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&job));
  CHECK(cube[0][0][0] == 9 && cube[2][1][4] == 9);
  OK(cudaFree(box.ptr));

  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMalloc(&q, 1 << 20));
  OK(cudaMemGetInfo(&after, &total));
  CHECK(before - after >= 1 << 20 && total == (size_t)32 << 30);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, q));
  CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == q);
  OK(cudaPointerGetAttributes(&a, h));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  OK(cudaFree(q));

  int *pinned;
  OK(cudaMallocHost(&pinned, 64));
  pinned[15] = 3;
  OK(cudaFreeHost(pinned));
  OK(cudaHostAlloc(&pinned, 64, cudaHostAllocDefault));
  OK(cudaFreeHost(pinned));
  OK(cudaHostRegister(h, sizeof h, 0));
  OK(cudaHostUnregister(h));
  GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, h, 0));
}

// Host and device see one memory. Sanitizers keep the low addresses that this needs.
static void shared_memory() {
  int *p, *d, h[300];
  cudaError_t e = cudaMallocManaged(&p, 300 * sizeof(int));
  cudaGetLastError();
  if (e == cudaErrorNotSupported)
    return;
  CHECK(e == cudaSuccess);
  for (int i = 0; i < 300; i++)
    p[i] = i;
  add<<<3, 100>>>(p, 300, 5);
  OK(cudaDeviceSynchronize());
  CHECK(p[0] == 5 && p[299] == 304);
  OK(cudaMemcpy(h, p, 300 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(h[299] == 304);
  h[0] = -7;
  OK(cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice));
  add<<<1, 1>>>(p, 1, 1);
  CHECK(p[0] == -6);
  OK(cudaMemset(p, 0, 300 * sizeof(int)));
  add<<<3, 100>>>(p, 300, 2);
  CHECK(p[299] == 2);
  GIVES(cudaErrorInvalidValue, cudaMemset(p, 0, 301 * sizeof(int)));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(p, h, 301 * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemPrefetchAsync(p, 300 * sizeof(int), 0, 0));
  OK(cudaMemAdvise(p, 300 * sizeof(int), cudaMemAdviseSetReadMostly, 0));
  GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(h, 4, 0, 0));
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, p));
  CHECK(a.type == cudaMemoryTypeManaged);
  GIVES(cudaErrorInvalidValue, cudaFreeHost(p));
  GIVES(cudaErrorInvalidValue, cudaFree(p + 1));
  OK(cudaFree(p));
  GIVES(cudaErrorInvalidValue, cudaFree(p));
  GIVES(cudaErrorInvalidValue, cudaMallocManaged(&p, 0));

  OK(cudaHostAlloc(&p, 400, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&d, p, 0));
  memset(p, 0, 400);
  add<<<1, 100>>>(d, 100, 4);
  OK(cudaDeviceSynchronize());
  CHECK(p[99] == 4);
  GIVES(cudaErrorInvalidValue, cudaFree(p));
  OK(cudaFreeHost(p));
}

static void symbols() {
  int *out, h[8], w[4] = {9, 8, 7, 6};
  size_t bytes;
  void *at;
  OK(cudaMalloc(&out, 64));
  use_symbols<<<1, 1>>>(out);
  OK(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 110 && h[1] == 220 && h[2] == 330 && h[3] == 400);
  OK(cudaMemcpyFromSymbol(h, counters, sizeof h));
  CHECK(h[2] == 30 && h[7] == 77);
  OK(cudaMemcpyToSymbol(weights, w, sizeof w));
  OK(cudaMemcpyToSymbol("counters", w, 4, 4, cudaMemcpyHostToDevice));
  use_symbols<<<1, 1>>>(out);
  OK(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 910 && h[1] == 809 && h[3] == 600);
  OK(cudaMemcpyFromSymbol(h, "weights", 4, 12));
  CHECK(h[0] == 6);
  OK(cudaMemcpyToSymbolAsync(weights, out, 4, 0, cudaMemcpyDeviceToDevice, 0));
  OK(cudaMemcpyFromSymbolAsync(h, weights, 4, 0, cudaMemcpyDeviceToHost, 0));
  CHECK(h[0] == 910);
  OK(cudaGetSymbolSize(&bytes, counters));
  CHECK(bytes == sizeof counters);
  OK(cudaGetSymbolAddress(&at, counters));
  OK(cudaMemcpy(h, at, 4, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 10);
  OK(cudaGetSymbolAddress(&at, zeros));
  OK(cudaMemset(at, 1, sizeof zeros));
  OK(cudaMemcpyFromSymbol(h, zeros, 4));
  CHECK(h[0] == 0x01010101);
  OK(cudaMemcpyToSymbol(chain, &out, sizeof out));
  use_symbols<<<1, 1>>>(out + 4);
  OK(cudaMemcpy(h, out, 4, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 5);

  GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol("no_such_symbol", w, 4));
  GIVES(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)w, w, 4, 0, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidSymbol,
        cudaMemcpyToSymbol((const void *)out, w, 4, 0, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidSymbol,
        cudaMemcpyToSymbol((const void *)0x123456789000, w, 4, 0, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(weights, w, sizeof w, 4));
  GIVES(cudaErrorInvalidValue, cudaMemcpyFromSymbol(h, weights, 4, (size_t)-4));
  GIVES(cudaErrorInvalidMemcpyDirection,
        cudaMemcpyToSymbol(weights, w, 4, 0, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidSymbol, cudaGetSymbolSize(&bytes, "nothing"));
  OK(cudaFree(out));
}

static void launches() {
  int *p, h[1024];
  OK(cudaMalloc(&p, sizeof h));
  OK(cudaMemset(p, 0, sizeof h));
  int n = 1000, v = 3;
  void *args[] = {&p, &n, &v};
  OK(cudaLaunchKernel((const void *)add, dim3(8), dim3(128), args, 0, 0));
  OK(cudaLaunchKernel(add, dim3(8), dim3(128), args));
  OK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 6 && h[999] == 6 && h[1000] == 0);
  shared_user<<<1, 512, 512 * sizeof(int)>>>(p);
  OK(cudaMemcpy(h, p, 2048, cudaMemcpyDeviceToHost));
  CHECK(h[0] == 511 && h[511] == 0);
  fill<<<1, 4>>>((double *)p, 2.5);
  OK(cudaMemcpy(h, p, 8, cudaMemcpyDeviceToHost));
  CHECK(*(double *)h == 2.5);
  big b = {1.0, "struct", 12}, back;
  by_value<<<1, 1>>>(b, 2, make_double3(4, 8, 16), 32, (big *)p);
  OK(cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost));
  CHECK(back.d == 63.0 && strcmp(back.c, "struct") == 0 && back.s == 12);

  const struct {
    dim3 grid, block;
    size_t shared;
    cudaError_t want;
  } wrong[] = {{dim3(1), dim3(1025), 0, cudaErrorInvalidConfiguration},
               {dim3(1), dim3(32, 33), 0, cudaErrorInvalidConfiguration},
               {dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration},
               {dim3(0), dim3(32), 0, cudaErrorInvalidConfiguration},
               {dim3(1), dim3(0), 0, cudaErrorInvalidConfiguration},
               {dim3(1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration},
               {dim3(1), dim3(32), 65537, cudaErrorInvalidValue},
               {dim3(1), dim3(32), 65536 - 256, cudaErrorInvalidValue}};
  for (auto &w : wrong) {
    shared_user<<<w.grid, w.block, w.shared>>>(p);
    cudaError_t e = cudaPeekAtLastError();
    GIVES(w.want, e);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  bounded<<<1, 65>>>(p);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)memory, dim3(1), dim3(1), args, 0, 0));
  GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)nullptr, dim3(1), dim3(1), args, 0, 0));
  GIVES(cudaErrorInvalidValue, cudaLaunchKernel((const void *)add, dim3(1), dim3(1), nullptr, 0, 0));
  GIVES(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel((const void *)add, dim3(1 << 20), dim3(128), args, 0, 0));

  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, shared_user));
  CHECK(a.sharedSizeBytes == 1024 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
  OK(cudaFuncGetAttributes(&a, bounded));
  CHECK(a.maxThreadsPerBlock == 64);
  OK(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
  OK(cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768));
  GIVES(cudaErrorInvalidValue,
        cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, (const void *)memory));
  int blocks = 0, grid, block;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
  CHECK(blocks >= 1 && blocks <= 16);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_user, 128, 40000));
  CHECK(blocks == 1);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
  CHECK(grid > 0 && block % 32 == 0 && block > 0);
  OK(cudaFree(p));
}

static std::string order;
static void callback(cudaStream_t, cudaError_t e, void *data) {
  order += e == cudaSuccess ? (const char *)data : "?";
}
static void host_function(void *data) { order += (const char *)data; }

static void streams() {
  cudaStream_t s, t;
  cudaEvent_t e, f;
  int *p, h, least, greatest, priority;
  unsigned flags;
  float ms = -1;
  OK(cudaMalloc(&p, 4));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&e));
  OK(cudaEventCreateWithFlags(&f, cudaEventDefault));
  OK(cudaMemsetAsync(p, 0, 4, s));
  OK(cudaEventRecord(e, s));
  OK(cudaStreamAddCallback(s, callback, (void *)"a", 0));
  add<<<1, 1, 0, s>>>(p, 1, 5);
  OK(cudaStreamWaitEvent(t, e, 0));
  add<<<1, 1, 0, t>>>(p, 1, 6);
  OK(cudaLaunchHostFunc(t, host_function, (void *)"b"));
  OK(cudaMemcpyAsync(&h, p, 4, cudaMemcpyDeviceToHost, t));
  OK(cudaStreamAddCallback(t, callback, (void *)"c", 0));
  OK(cudaEventRecord(f, t));
  OK(cudaEventSynchronize(f));
  OK(cudaStreamSynchronize(s));
  OK(cudaStreamQuery(t));
  OK(cudaEventQuery(f));
  CHECK(h == 11 && order == "abc");
  OK(cudaEventElapsedTime(&ms, e, f));
  CHECK(ms >= 0 && ms < 60000);
  OK(cudaStreamGetFlags(t, &flags));
  CHECK(flags == cudaStreamNonBlocking);
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest == 0);
  OK(cudaStreamGetPriority(s, &priority));
  OK(cudaStreamSynchronize(0));
  OK(cudaStreamSynchronize(cudaStreamPerThread));

  OK(cudaStreamDestroy(s));
  GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
  GIVES(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
  GIVES(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(&h, p, 4, cudaMemcpyDeviceToHost, s));
  GIVES(cudaErrorInvalidResourceHandle, cudaStreamQuery((cudaStream_t)0x123456789000));
  add<<<1, 1, 0, s>>>(p, 1, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  OK(cudaStreamDestroy(t));
  OK(cudaEventDestroy(f));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(f, 0));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, f));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventSynchronize((cudaEvent_t)0x10));
  OK(cudaEventCreateWithFlags(&f, cudaEventDisableTiming));
  OK(cudaEventRecord(f));
  GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, f));
  GIVES(cudaErrorInvalidValue, cudaStreamAddCallback(0, nullptr, nullptr, 0));
  GIVES(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
  GIVES(cudaErrorInvalidValue, cudaEventCreate(nullptr));
  OK(cudaEventDestroy(e));
  OK(cudaEventDestroy(f));
  OK(cudaFree(p));
}

static void devices() {
  int n = 0, d = -1, v = 0;
  size_t limit;
  cudaDeviceProp p;
  OK(cudaGetDeviceCount(&n));
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&d));
  OK(cudaGetDeviceProperties(&p, 0));
  CHECK(n == 1 && d == 0 && p.warpSize == 32 && p.multiProcessorCount == 128);
  CHECK(p.totalGlobalMem == (size_t)32 << 30 && p.major == 7 && p.maxThreadsPerBlock == 1024);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
  CHECK(v == 32);
  OK(cudaChooseDevice(&d, &p));
  OK(cudaDriverGetVersion(&v));
  CHECK(v == 11080);
  OK(cudaRuntimeGetVersion(&v));
  OK(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
  OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
  OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  OK(cudaDeviceCanAccessPeer(&v, 0, 0));
  CHECK(v == 0);
  OK(cudaThreadSynchronize());
  OK(cudaProfilerStart());
  OK(cudaProfilerStop());
  GIVES(cudaErrorInvalidDevice, cudaSetDevice(1));
  GIVES(cudaErrorInvalidDevice, cudaSetDevice(-1));
  GIVES(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 3));
  GIVES(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
  GIVES(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));
  GIVES(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&limit, (cudaLimit)77));
  CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
  CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered") == 0);
  CHECK(strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code") == 0);
  cudaFree(&n);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
}

// A reset frees memory and gives variables their first values.
static void reset() {
  int *p, h[8], w = 1234;
  size_t before, after, total;
  OK(cudaMalloc(&p, 1 << 16));
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMemcpyToSymbol(weights, &w, 4));
  OK(cudaMemcpyToSymbol(counters, &w, 4));
  OK(cudaMemcpyToSymbol(zeros, &w, 4));
  OK(cudaDeviceReset());
  OK(cudaMemGetInfo(&after, &total));
  CHECK(after >= before + (1 << 16));
  GIVES(cudaErrorInvalidValue, cudaFree(p));
  OK(cudaMemcpyFromSymbol(h, counters, sizeof h));
  CHECK(h[0] == 10 && h[7] == 0);
  OK(cudaMemcpyFromSymbol(h, weights, 4));
  CHECK(h[0] == 1);
  OK(cudaMemcpyFromSymbol(h, zeros, 4));
  CHECK(h[0] == 0);
}

int main() {
  memory();
  shared_memory();
  symbols();
  launches();
  streams();
  devices();
  reset();
  END;
}
