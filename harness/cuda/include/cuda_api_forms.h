// SPDX-License-Identifier: Apache-2.0
// C++ forms of calls of pools, attributes and occupancy: typed pointers, kernels as they are.
#ifndef NEARBANK_CUDA_API_FORMS_H
#define NEARBANK_CUDA_API_FORMS_H

template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t s) {
  return cudaMallocAsync((void **)p, bytes, s);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t s) {
  return cudaMallocFromPoolAsync((void **)p, bytes, pool, s);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
  return cudaMallocFromPoolAsync((void **)p, bytes, pool, s);
}
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, T *p, size_t bytes = 0,
                                                   unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(s, (void *)p, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMemPrefetchAsync(T *p, size_t bytes, int device, cudaStream_t s = 0) {
  return cudaMemPrefetchAsync((const void *)p, bytes, device, s);
}
// The forms of later versions.
static inline int mpu_device_of(cudaMemLocation at) {
  return at.type == cudaMemLocationTypeDevice ? at.id : cudaCpuDeviceId;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation to,
                                               unsigned flags, cudaStream_t s = 0) {
  return flags ? cudaErrorInvalidValue : cudaMemPrefetchAsync(p, bytes, mpu_device_of(to), s);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation at) {
  return cudaMemAdvise(p, bytes, advice, mpu_device_of(at));
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel,
                                                                    int blocks, int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, threads);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                                      T *kernel, size_t shared = 0,
                                                                      int limit = 0,
                                                                      unsigned flags = 0) {
  return flags > cudaOccupancyDisableCachingOverride
             ? cudaErrorInvalidValue
             : cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}
template <class T, class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid, int *block, T *kernel, F shared, int limit = 0, unsigned flags = 0) {
  return flags > cudaOccupancyDisableCachingOverride
             ? cudaErrorInvalidValue
             : cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared, limit);
}
// Arguments as the kernel has them: they are converted as in a call.
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                             A &&...args) {
  return [&](P... as) {
    void *list[sizeof...(P) + 1] = {(void *)&as..., nullptr};
    return cudaLaunchKernelExC(config, (const void *)kernel, list);
  }(static_cast<A &&>(args)...);
}
#endif
