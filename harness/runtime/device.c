// SPDX-License-Identifier: Apache-2.0
// CUDA device calls: there is one, the machine of the paper.
#include <string.h>
#include "rt.h"

static cudaError_t ready(void) {
  rt_context *c;
  cudaError_t e;
  rt_ready(&c, &e);
  return e;
}

cudaError_t cudaDeviceSynchronize(void) {
  return rt_done(ready());
}
cudaError_t cudaThreadSynchronize(void) {
  return rt_done(ready());
}
cudaError_t cudaDeviceReset(void) {
  rt_context *c = rt_get();
  if (!c)
    return cudaErrorInitializationError;
  rt_reset(c);
  return cudaSuccess;
}
cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return rt_done(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return rt_done(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return rt_done(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p) {
  return p ? cudaGetDevice(device) : rt_done(cudaErrorInvalidValue);
}
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  rt_context *c = rt_get();
  if (!c || (flags & ~0x1fu))
    return rt_done(cudaErrorInvalidValue);
  c->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  rt_context *c = rt_get();
  if (!c || !flags)
    return rt_done(cudaErrorInvalidValue);
  *flags = c->flags;
  return cudaSuccess;
}

// The machine of the paper's Table II as a CUDA device.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  if (device != 0)
    return rt_done(cudaErrorInvalidDevice);
  *p = (struct cudaDeviceProp){.name = "nearbank MPU",
                               .totalGlobalMem = 32ull << 30,
                               .sharedMemPerBlock = 65536,
                               .regsPerBlock = 32768,
                               .warpSize = 32,
                               .memPitch = 0x7fffffff,
                               .maxThreadsPerBlock = 1024,
                               .maxThreadsDim = {1024, 1024, 64},
                               .maxGridSize = {0x7fffffff, 65535, 65535},
                               .clockRate = 1000000,
                               .totalConstMem = 65536,
                               .major = 7,
                               .minor = 0,
                               .textureAlignment = 512,
                               .texturePitchAlignment = 32,
                               .deviceOverlap = 1,
                               .multiProcessorCount = 128,
                               .canMapHostMemory = 1,
                               .managedMemory = 1,
                               .concurrentKernels = 0,
                               .unifiedAddressing = 1,
                               .memoryClockRate = 1000000,
                               .memoryBusWidth = 2048 * 256,
                               .maxThreadsPerMultiProcessor = 2048,
                               .streamPrioritiesSupported = 0,
                               .sharedMemPerMultiprocessor = 65536,
                               .regsPerMultiprocessor = 32768,
                               .asyncEngineCount = 1,
                               .sharedMemPerBlockOptin = 65536,
                               .maxBlocksPerMultiProcessor = 64,
                               .singleToDoublePrecisionPerfRatio = 1};
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr a, int device) {
  static const struct {
    enum cudaDeviceAttr a;
    int value;
  } known[] = {{cudaDevAttrMaxThreadsPerBlock, 1024},
               {cudaDevAttrMaxBlockDimX, 1024},
               {cudaDevAttrMaxBlockDimY, 1024},
               {cudaDevAttrMaxBlockDimZ, 64},
               {cudaDevAttrMaxGridDimX, 0x7fffffff},
               {cudaDevAttrMaxGridDimY, 65535},
               {cudaDevAttrMaxGridDimZ, 65535},
               {cudaDevAttrMaxSharedMemoryPerBlock, 65536},
               {cudaDevAttrTotalConstantMemory, 65536},
               {cudaDevAttrWarpSize, 32},
               {cudaDevAttrMaxPitch, 0x7fffffff},
               {cudaDevAttrMaxRegistersPerBlock, 32768},
               {cudaDevAttrClockRate, 1000000},
               {cudaDevAttrMultiProcessorCount, 128},
               {cudaDevAttrIntegrated, 0},
               {cudaDevAttrCanMapHostMemory, 1},
               {cudaDevAttrComputeMode, 0},
               {cudaDevAttrConcurrentKernels, 0},
               {cudaDevAttrMemoryClockRate, 1000000},
               {cudaDevAttrGlobalMemoryBusWidth, 2048 * 256},
               {cudaDevAttrL2CacheSize, 0},
               {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
               {cudaDevAttrUnifiedAddressing, 1},
               {cudaDevAttrComputeCapabilityMajor, 7},
               {cudaDevAttrComputeCapabilityMinor, 0},
               {cudaDevAttrManagedMemory, 1},
               {cudaDevAttrTextureAlignment, 512},
               {cudaDevAttrGpuOverlap, 1},
               {cudaDevAttrKernelExecTimeout, 0},
               {cudaDevAttrEccEnabled, 0},
               {cudaDevAttrPciBusId, 0},
               {cudaDevAttrPciDeviceId, 0},
               {cudaDevAttrPciDomainId, 0},
               {cudaDevAttrTccDriver, 0},
               {cudaDevAttrAsyncEngineCount, 1},
               {cudaDevAttrTexturePitchAlignment, 32},
               {cudaDevAttrStreamPrioritiesSupported, 0},
               {cudaDevAttrGlobalL1CacheSupported, 0},
               {cudaDevAttrLocalL1CacheSupported, 0},
               {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 65536},
               {cudaDevAttrMaxRegistersPerMultiprocessor, 32768},
               {cudaDevAttrIsMultiGpuBoard, 0},
               {cudaDevAttrMultiGpuBoardGroupID, 0},
               {cudaDevAttrHostNativeAtomicSupported, 0},
               {cudaDevAttrSingleToDoublePrecisionPerfRatio, 1},
               {cudaDevAttrPageableMemoryAccess, 0},
               {cudaDevAttrConcurrentManagedAccess, 0},
               {cudaDevAttrComputePreemptionSupported, 0},
               {cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
               {cudaDevAttrCooperativeLaunch, 0},
               {cudaDevAttrCooperativeMultiDeviceLaunch, 0},
               {cudaDevAttrMaxSharedMemoryPerBlockOptin, 65536},
               {cudaDevAttrMaxBlocksPerMultiprocessor, 64}};
  if (device != 0)
    return rt_done(cudaErrorInvalidDevice);
  for (size_t n = 0; value && n < sizeof known / sizeof *known; n++)
    if (known[n].a == a) {
      *value = known[n].value;
      return cudaSuccess;
    }
  return rt_done(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  (void)value;
  return rt_done((unsigned)limit > cudaLimitMaxL2FetchGranularity ? cudaErrorUnsupportedLimit
                                                                  : cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 32};
  if (!value || (unsigned)limit > cudaLimitMaxL2FetchGranularity)
    return rt_done(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
  *value = limits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c) {
  return rt_done((unsigned)c > 3 ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache c) {
  return cudaDeviceSetCacheConfig(c);
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *c) {
  if (!c)
    return rt_done(cudaErrorInvalidValue);
  *c = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c) {
  return rt_done((unsigned)c > 2 ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c) {
  if (!c)
    return rt_done(cudaErrorInvalidValue);
  *c = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return rt_done(cudaErrorInvalidValue);
  *can = 0;
  return rt_done(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  (void)peer, (void)flags;
  return rt_done(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return rt_done(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr a, int device, int peer) {
  (void)a, (void)device, (void)peer;  // a pair needs two devices
  return rt_done(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}
cudaError_t cudaSetValidDevices(int *devices, int count) {
  if (!devices || count <= 0)
    return rt_done(cudaErrorInvalidValue);
  for (int n = 0; n < count; n++)
    if (devices[n] != 0)
      return rt_done(cudaErrorInvalidDevice);
  return cudaSuccess;
}
static const char bus_name[] = "0000:00:00.0";
cudaError_t cudaDeviceGetPCIBusId(char *name, int bytes, int device) {
  if (!name || bytes < (int)sizeof bus_name)
    return rt_done(cudaErrorInvalidValue);
  if (device != 0)
    return rt_done(cudaErrorInvalidDevice);
  memcpy(name, bus_name, sizeof bus_name);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name) {
  if (!device || !name)
    return rt_done(cudaErrorInvalidValue);
  return strcmp(name, bus_name) == 0 ? cudaGetDevice(device) : rt_done(cudaErrorInvalidDevice);
}
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *c) {
  return cudaDeviceGetCacheConfig(c);
}
static cudaError_t version(int *v) {
  if (!v)
    return rt_done(cudaErrorInvalidValue);
  *v = CUDART_VERSION / 10 * 10;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v) {
  return version(v);
}
cudaError_t cudaRuntimeGetVersion(int *v) {
  return version(v);
}
cudaError_t cudaProfilerStart(void) {
  return cudaSuccess;
}
cudaError_t cudaProfilerStop(void) {
  return cudaSuccess;
}
