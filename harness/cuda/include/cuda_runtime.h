// SPDX-License-Identifier: Apache-2.0
// The header of CUDA programs. With clang -x cuda it is included before the program; a plain C or
// C++ file that includes it gets the host API.
#ifndef NEARBANK_CUDA_RUNTIME_H
#define NEARBANK_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__
#ifdef __CUDA__
#ifndef __CUDACC__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#endif
#include <__clang_cuda_math_forward_declares.h>  // has to be seen before <cmath>
#endif
#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"
#include "mpu.h"
#include "mpu_texture.h"
#include "cuda_texture_types.h"

#ifdef __CUDA__
#include <__clang_cuda_builtin_vars.h>
#undef __CUDA_BUILTIN_VARS_DONE
// the built-in variables convert to dim3 and uint3; clang declares the conversions
__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const {
  return {x, y, z};
}
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const {
  return dim3(x, y, z);
}
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const {
  return {x, y, z};
}

extern "C" unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                    void *stream = 0);

#include <assert.h>
#include <cmath>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "device_intrinsics.h"
#include "device_spaces.h"
#include "device_simd.h"
#include "device_math.h"
#include "device_output.h"
#include "device_assert.h"
#include "device_heap.h"
#include "cuda_device_runtime_api.h"
#include "texture_fetch_functions.h"
#include "surface_functions.h"
#ifndef __CUDA_ARCH__
#include "managed_variables.h"
#endif
#endif

#ifdef __cplusplus
// C++ forms of the API: typed pointers, symbols by name or by address, defaults.
template <class T>
static inline cudaError_t cudaMalloc(T **p, size_t bytes) {
  return cudaMalloc((void **)p, bytes);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned = 0) {
  return cudaMallocHost((void **)p, bytes);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) {
  return cudaHostAlloc((void **)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = 1) {
  return cudaMallocManaged((void **)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch((void **)p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned flags) {
  return cudaHostGetDevicePointer((void **)d, h, flags);
}
#ifdef MPU_PLACES
#include "cuda_places.h"
#endif
static inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned flags) {
  return cudaEventCreateWithFlags(e, flags);
}
template <class T>
static inline const void *mpu_symbol(const T &s) {
  return &s;
}
static inline const void *mpu_symbol(const char *s) {
  return s;
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &s, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(mpu_symbol(s), from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &s, size_t bytes,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, mpu_symbol(s), bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &s, const void *from, size_t bytes,
                                                  size_t offset, cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0) {
  return cudaMemcpyToSymbolAsync(mpu_symbol(s), from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &s, size_t bytes,
                                                    size_t offset, cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbolAsync(to, mpu_symbol(s), bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void **p, const T &s) {
  return cudaGetSymbolAddress(p, mpu_symbol(s));
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &s) {
  return cudaGetSymbolSize(bytes, mpu_symbol(s));
}
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                           size_t shared = 0, cudaStream_t s = 0) {
  return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, s);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, T *kernel) {
  return cudaFuncGetAttributes(a, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache c) {
  return cudaFuncSetCacheConfig((const void *)kernel, c);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute a, int value) {
  return cudaFuncSetAttribute((const void *)kernel, a, value);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel,
                                                                        int threads,
                                                                        size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                       shared);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, T *kernel, int threads, size_t shared, unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                threads, shared, flags);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                                      size_t shared = 0, cudaStream_t s = 0) {
  return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, s);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig c) {
  return cudaFuncSetSharedMemConfig((const void *)kernel, c);
}
// The block size with the most threads on a core; `shared` gives the bytes for a block size.
template <class T, class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                         T *kernel, F shared,
                                                                         int limit = 0) {
  int best = 0, cores = 0;
  cudaError_t known = cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0);
  if (known != cudaSuccess)
    return known;
  *grid = *block = 0;
  for (int n = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; n >= 32; n -= 32) {
    int blocks = 0;
    cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, n,
                                                                  (size_t)shared(n));
    if (e != cudaSuccess)
      return e;
    if (blocks * n > best) {
      best = blocks * n;
      *block = n;
      *grid = blocks * cores;
    }
  }
  return cudaSuccess;
}
struct mpu_constant_size {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *kernel,
                                                             size_t shared = 0, int limit = 0) {
  mpu_constant_size size = {shared};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, size, limit);
}
#include "cuda_api_forms.h"
#endif

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  struct cudaExtent e = {w, h, d};
  return e;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p = {x, y, z};
  return p;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t pitch, size_t x, size_t y) {
  struct cudaPitchedPtr p = {d, pitch, x, y};
  return p;
}
#endif
