// SPDX-License-Identifier: Apache-2.0
// CUDA device calls: all devices are the machine of the configuration.
#include <string.h>
#include "harness/machines/mpu/machine/build.h"
#include "order.h"
#include "rt.h"
#include "target.h"
#include "texture.h"

cudaError_t cudaDeviceSynchronize(void) {
  rt_context *c;
  cudaError_t e;
  return rt_done(rt_ready(&c, &e) ? order_wait(c->all) : e);
}
cudaError_t cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceReset(void) {
  rt_context *c = rt_get();
  if (!c)
    return cudaErrorInitializationError;
  rt_reset(c);
  order_wait_device(c);
  process.in_use = false;
  return cudaSuccess;
}
cudaError_t cudaThreadExit(void) {
  return cudaDeviceReset();
}

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return rt_done(cudaErrorInvalidValue);
  *count = (int)rt_devices();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return rt_done(cudaErrorInvalidValue);
  *device = (int)thread.current;
  return cudaSuccess;
}
// What runs on the other devices goes on.
cudaError_t cudaSetDevice(int device) {
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  thread.current = (unsigned)device;
  process.in_use = true;
  return cudaSuccess;
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p) {
  return p ? cudaGetDevice(device) : rt_done(cudaErrorInvalidValue);
}
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  rt_context *c = rt_get();
  if (!c || (flags & ~0x1fu))
    return rt_done(cudaErrorInvalidValue);
  process.flags = flags;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  rt_context *c = rt_get();
  if (!c || !flags)
    return rt_done(cudaErrorInvalidValue);
  *flags = process.flags;
  return cudaSuccess;
}

// What is the same on every machine: of the instruction set, and of this runtime.
enum {
  MAX_THREADS = 1024,  // of a block
  MAX_DEPTH = 64,      // of a block in z
  MAX_GRID_X = 0x7fffffff,
  MAX_GRID = 65535,
  CONSTANT_BYTES = 65536,
  BANK_BITS = 256,  // that a bank delivers at a time
};

uint32_t rt_max_threads(void) {
  const uint32_t room = 4 * rt_machine()->core.warp_slots * ISA_LANES;
  return room < MAX_THREADS ? room : MAX_THREADS;
}

// Registers are counted in the far files: in those, one a thread is 4 bytes.
static struct cudaDeviceProp properties(void) {
  const config *c = rt_machine();
  char why[CONFIG_WHY];
  machine_config m = machine_config_default();
  const sim_config k = sim_of_config(c, NEAR_C);
  const int threads = (int)rt_max_threads(), khz = (int)c->machine.core_mhz * 1000;
  const int registers = (int)(4 * c->core.far_rf_bytes / 4);
  sim_machine(&k, &m, why, sizeof why);  // the configuration was checked
  const rt_context *context = target_is_elsewhere() ? rt_get() : NULL;
  if (context) {
    uint64_t left;
    target_info(context, &left, &m.memory_bytes);
    m.cores = target_cores(context);
  }
  return (struct cudaDeviceProp){
      .name = "nearbank MPU",
      .totalGlobalMem = m.memory_bytes / rt_devices(),
      .sharedMemPerBlock = c->shared.bytes,
      .regsPerBlock = registers,
      .warpSize = ISA_LANES,
      .memPitch = 0x7fffffff,
      .maxThreadsPerBlock = threads,
      .maxThreadsDim = {threads, threads, threads < MAX_DEPTH ? threads : MAX_DEPTH},
      .maxGridSize = {MAX_GRID_X, MAX_GRID, MAX_GRID},
      .clockRate = khz,
      .totalConstMem = CONSTANT_BYTES,
      .major = 7,
      .minor = 0,
      .textureAlignment = TEXTURE_ALIGN,
      .texturePitchAlignment = TEXTURE_PITCH_ALIGN,
      .surfaceAlignment = TEXTURE_ALIGN,
      .maxTexture1D = TEXTURE_WIDTH,
      .maxTexture1DLinear = TEXTURE_LINEAR,
      .maxTexture2D = {TEXTURE_WIDTH, TEXTURE_HEIGHT},
      .maxTexture2DLinear = {TEXTURE_WIDTH, TEXTURE_HEIGHT, TEXTURE_PITCH},
      .maxTexture2DGather = {TEXTURE_WIDTH, TEXTURE_HEIGHT},
      .maxTexture3D = {TEXTURE_SIDE_3D, TEXTURE_SIDE_3D, TEXTURE_SIDE_3D},
      .maxTexture3DAlt = {TEXTURE_SIDE_3D, TEXTURE_SIDE_3D, TEXTURE_SIDE_3D},
      .maxTextureCubemap = TEXTURE_SIDE_LAYER,
      .maxTexture1DLayered = {TEXTURE_SIDE_LAYER, TEXTURE_LAYERS},
      .maxTexture2DLayered = {TEXTURE_SIDE_LAYER, TEXTURE_SIDE_LAYER, TEXTURE_LAYERS},
      .maxTextureCubemapLayered = {TEXTURE_SIDE_LAYER, TEXTURE_CUBES},
      .maxSurface1D = TEXTURE_WIDTH,
      .maxSurface2D = {TEXTURE_WIDTH, TEXTURE_HEIGHT},
      .maxSurface3D = {TEXTURE_SIDE_3D, TEXTURE_SIDE_3D, TEXTURE_SIDE_3D},
      .maxSurface1DLayered = {TEXTURE_SIDE_LAYER, TEXTURE_LAYERS},
      .maxSurface2DLayered = {TEXTURE_SIDE_LAYER, TEXTURE_SIDE_LAYER, TEXTURE_LAYERS},
      .maxSurfaceCubemap = TEXTURE_SIDE_LAYER,
      .maxSurfaceCubemapLayered = {TEXTURE_SIDE_LAYER, TEXTURE_CUBES},
      .deviceOverlap = 1,
      .multiProcessorCount = (int)m.cores,
      .canMapHostMemory = 1,
      .managedMemory = 1,
      .concurrentKernels = 0,
      .unifiedAddressing = 1,
      .memoryClockRate = khz,
      .memoryBusWidth = (int)(m.cores * NEAR_NBUS * c->dram.banks * BANK_BITS),
      .maxThreadsPerMultiProcessor = (int)(4 * c->core.warp_slots * ISA_LANES),
      .streamPrioritiesSupported = 0,
      .sharedMemPerMultiprocessor = c->shared.bytes,
      .regsPerMultiprocessor = registers,
      .asyncEngineCount = 2,
      .sharedMemPerBlockOptin = c->shared.bytes,
      .cooperativeLaunch = 1,
      .maxBlocksPerMultiProcessor = (int)c->core.block_slots,
      .singleToDoublePrecisionPerfRatio = 1};
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  *p = properties();
  p->pciDeviceID = device;
  memcpy(p->uuid.bytes, "nearbank MPU", 12);
  p->uuid.bytes[15] = (char)device;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr a, int device) {
  const struct cudaDeviceProp p = properties();
  const struct {
    enum cudaDeviceAttr a;
    int value;
  } known[] = {{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
               {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
               {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
               {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
               {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
               {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
               {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
               {cudaDevAttrMaxSharedMemoryPerBlock, (int)p.sharedMemPerBlock},
               {cudaDevAttrTotalConstantMemory, (int)p.totalConstMem},
               {cudaDevAttrWarpSize, p.warpSize},
               {cudaDevAttrMaxPitch, (int)p.memPitch},
               {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
               {cudaDevAttrClockRate, p.clockRate},
               {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
               {cudaDevAttrIntegrated, 0},
               {cudaDevAttrCanMapHostMemory, 1},
               {cudaDevAttrComputeMode, 0},
               {cudaDevAttrConcurrentKernels, 0},
               {cudaDevAttrMemoryClockRate, p.memoryClockRate},
               {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
               {cudaDevAttrL2CacheSize, 0},
               {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
               {cudaDevAttrUnifiedAddressing, 1},
               {cudaDevAttrComputeCapabilityMajor, p.major},
               {cudaDevAttrComputeCapabilityMinor, p.minor},
               {cudaDevAttrManagedMemory, 1},
               {cudaDevAttrTextureAlignment, (int)p.textureAlignment},
               {cudaDevAttrSurfaceAlignment, (int)p.surfaceAlignment},
               {cudaDevAttrGpuOverlap, 1},
               {cudaDevAttrKernelExecTimeout, 0},
               {cudaDevAttrEccEnabled, 0},
               {cudaDevAttrPciBusId, 0},
               {cudaDevAttrPciDeviceId, device},
               {cudaDevAttrPciDomainId, 0},
               {cudaDevAttrTccDriver, 0},
               {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
               {cudaDevAttrTexturePitchAlignment, (int)p.texturePitchAlignment},
               {cudaDevAttrStreamPrioritiesSupported, 0},
               {cudaDevAttrGlobalL1CacheSupported, 0},
               {cudaDevAttrLocalL1CacheSupported, 0},
               {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)p.sharedMemPerMultiprocessor},
               {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
               {cudaDevAttrIsMultiGpuBoard, 0},
               {cudaDevAttrMultiGpuBoardGroupID, 0},
               {cudaDevAttrHostNativeAtomicSupported, 0},
               {cudaDevAttrSingleToDoublePrecisionPerfRatio, 1},
               {cudaDevAttrPageableMemoryAccess, 0},
               {cudaDevAttrConcurrentManagedAccess, 0},
               {cudaDevAttrComputePreemptionSupported, 0},
               {cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
               {cudaDevAttrCooperativeLaunch, 1},
               {cudaDevAttrCooperativeMultiDeviceLaunch, 0},
               {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p.sharedMemPerBlockOptin},
               {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
               {cudaDevAttrCanFlushRemoteWrites, 0},
               {cudaDevAttrHostRegisterSupported, 1},
               {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
               {cudaDevAttrDirectManagedMemAccessFromHost, 0},
               {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
               {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
               {cudaDevAttrReservedSharedMemoryPerBlock, (int)p.reservedSharedMemPerBlock},
               {cudaDevAttrSparseCudaArraySupported, 0},
               {cudaDevAttrHostRegisterReadOnlySupported, 1},
               {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
               {cudaDevAttrMemoryPoolsSupported, 1},
               {cudaDevAttrGPUDirectRDMASupported, 0},
               {cudaDevAttrGPUDirectRDMAFlushWritesOptions, 0},
               {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
               {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
               {cudaDevAttrClusterLaunch, 0},
               {cudaDevAttrDeferredMappingCudaArraySupported, 0},
               {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
               {cudaDevAttrMaxTexture1DLinearWidth, p.maxTexture1DLinear},
               {cudaDevAttrMaxTexture1DMipmappedWidth, p.maxTexture1DMipmap},
               {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
               {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
               {cudaDevAttrMaxTexture2DLinearWidth, p.maxTexture2DLinear[0]},
               {cudaDevAttrMaxTexture2DLinearHeight, p.maxTexture2DLinear[1]},
               {cudaDevAttrMaxTexture2DLinearPitch, p.maxTexture2DLinear[2]},
               {cudaDevAttrMaxTexture2DMipmappedWidth, p.maxTexture2DMipmap[0]},
               {cudaDevAttrMaxTexture2DMipmappedHeight, p.maxTexture2DMipmap[1]},
               {cudaDevAttrMaxTexture2DGatherWidth, p.maxTexture2DGather[0]},
               {cudaDevAttrMaxTexture2DGatherHeight, p.maxTexture2DGather[1]},
               {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
               {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
               {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
               {cudaDevAttrMaxTexture3DWidthAlt, p.maxTexture3DAlt[0]},
               {cudaDevAttrMaxTexture3DHeightAlt, p.maxTexture3DAlt[1]},
               {cudaDevAttrMaxTexture3DDepthAlt, p.maxTexture3DAlt[2]},
               {cudaDevAttrMaxTextureCubemapWidth, p.maxTextureCubemap},
               {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
               {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
               {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
               {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
               {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
               {cudaDevAttrMaxTextureCubemapLayeredWidth, p.maxTextureCubemapLayered[0]},
               {cudaDevAttrMaxTextureCubemapLayeredLayers, p.maxTextureCubemapLayered[1]},
               {cudaDevAttrMaxSurface1DWidth, p.maxSurface1D},
               {cudaDevAttrMaxSurface2DWidth, p.maxSurface2D[0]},
               {cudaDevAttrMaxSurface2DHeight, p.maxSurface2D[1]},
               {cudaDevAttrMaxSurface3DWidth, p.maxSurface3D[0]},
               {cudaDevAttrMaxSurface3DHeight, p.maxSurface3D[1]},
               {cudaDevAttrMaxSurface3DDepth, p.maxSurface3D[2]},
               {cudaDevAttrMaxSurface1DLayeredWidth, p.maxSurface1DLayered[0]},
               {cudaDevAttrMaxSurface1DLayeredLayers, p.maxSurface1DLayered[1]},
               {cudaDevAttrMaxSurface2DLayeredWidth, p.maxSurface2DLayered[0]},
               {cudaDevAttrMaxSurface2DLayeredHeight, p.maxSurface2DLayered[1]},
               {cudaDevAttrMaxSurface2DLayeredLayers, p.maxSurface2DLayered[2]},
               {cudaDevAttrMaxSurfaceCubemapWidth, p.maxSurfaceCubemap},
               {cudaDevAttrMaxSurfaceCubemapLayeredWidth, p.maxSurfaceCubemapLayered[0]},
               {cudaDevAttrMaxSurfaceCubemapLayeredLayers, p.maxSurfaceCubemapLayered[1]}};
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  for (size_t n = 0; value && n < sizeof known / sizeof *known; n++)
    if (known[n].a == a) {
      *value = known[n].value;
      return cudaSuccess;
    }
  return rt_done(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  rt_context *c;
  cudaError_t e;
  if ((unsigned)limit > cudaLimitPersistingL2CacheSize)
    return rt_done(cudaErrorUnsupportedLimit);
  if (limit != cudaLimitMallocHeapSize && limit != cudaLimitStackSize)
    return rt_done(cudaSuccess);
  if (!rt_ready(&c, &e))
    return rt_done(e);
  return rt_done(limit == cudaLimitStackSize ? rt_stack_set_limit(c, value)
                                             : rt_heap_set_limit(c, value));
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  static const size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 32, 0};
  if (!value || (unsigned)limit > cudaLimitPersistingL2CacheSize)
    return rt_done(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
  const rt_context *c = rt_get();
  *value = c && limit == cudaLimitMallocHeapSize ? rt_heap_limit(c)
           : c && limit == cudaLimitStackSize    ? rt_stack_limit(c)
                                                 : limits[limit];
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
  return rt_done(rt_device_exists(device) && rt_device_exists(peer) ? cudaSuccess
                                                                    : cudaErrorInvalidDevice);
}
// Kernels see the memory of their device only; copies between devices go through the host.
static bool is_peer(int device) {
  return rt_device_exists(device) && (unsigned)device != thread.current;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  (void)flags;
  return rt_done(is_peer(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return rt_done(rt_device_exists(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr a, int device, int peer) {
  (void)a;  // there is nothing that a pair can do
  if (!value)
    return rt_done(cudaErrorInvalidValue);
  *value = 0;
  return rt_done(rt_device_exists(device) && rt_device_exists(peer) && device != peer
                     ? cudaSuccess
                     : cudaErrorInvalidDevice);
}
cudaError_t cudaSetValidDevices(int *devices, int count) {
  if (!devices || count <= 0)
    return rt_done(cudaErrorInvalidValue);
  for (int n = 0; n < count; n++)
    if (!rt_device_exists(devices[n]))
      return rt_done(cudaErrorInvalidDevice);
  return cudaSuccess;
}
// "0000:00:01.0": device 1
enum { BUS_NAME = 13, BUS_DEVICE = 9 };
static void bus_name(char *to, unsigned device) {
  memcpy(to, "0000:00:00.0", BUS_NAME);
  to[BUS_DEVICE] = (char)('0' + device);
}
cudaError_t cudaDeviceGetPCIBusId(char *name, int bytes, int device) {
  if (!name || bytes < BUS_NAME)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  bus_name(name, (unsigned)device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *name) {
  if (!device || !name)
    return rt_done(cudaErrorInvalidValue);
  for (unsigned k = 0; k < rt_devices(); k++) {
    char is[BUS_NAME];
    bus_name(is, k);
    if (strcmp(name, is) == 0) {
      *device = (int)k;
      return cudaSuccess;
    }
  }
  return rt_done(cudaErrorInvalidDevice);
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
