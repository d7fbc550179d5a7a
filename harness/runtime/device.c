// SPDX-License-Identifier: Apache-2.0
// CUDA device, stream, event and error calls. Everything has happened when a call returns, so a
// stream or event never waits; events remember the host's time.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "rt.h"

struct CUstream_st {
  uint64_t tag;
  unsigned flags;
  int priority;
};
struct CUevent_st {
  uint64_t tag;
  unsigned flags;
  bool recorded;
  struct timespec at;
};
// What a live handle starts with. Destroying clears it, so that a stale handle is an error.
#define STREAM_TAG 0x6d70755f73747265ull
#define EVENT_TAG 0x6d70755f65766e74ull

static cudaError_t ready(void) {
  rt_context *c;
  cudaError_t e;
  rt_ready(&c, &e);
  return e;
}

// ---- devices

cudaError_t cudaDeviceSynchronize(void) { return rt_done(ready()); }
cudaError_t cudaThreadSynchronize(void) { return rt_done(ready()); }
cudaError_t cudaDeviceReset(void) {
  rt_context *c = rt_get();
  if (!c)
    return cudaErrorInitializationError;
  rt_reset(c);
  return cudaSuccess;
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

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
                               .maxBlocksPerMultiProcessor = 64};
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
               {cudaDevAttrCooperativeLaunch, 0}};
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
  return rt_done((unsigned)limit > cudaLimitMallocHeapSize ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  static const size_t limits[] = {1024, 1 << 20, 8 << 20};
  if (!value || (unsigned)limit > cudaLimitMallocHeapSize)
    return rt_done(cudaErrorInvalidValue);
  *value = limits[limit];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c) {
  return rt_done((unsigned)c > 3 ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache c) { return cudaDeviceSetCacheConfig(c); }
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
static cudaError_t version(int *v) {
  if (!v)
    return rt_done(cudaErrorInvalidValue);
  *v = CUDART_VERSION / 10 * 10;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v) { return version(v); }
cudaError_t cudaRuntimeGetVersion(int *v) { return version(v); }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

// ---- streams

static bool stream_ok(cudaStream_t s) {
  return !s || s == cudaStreamLegacy || s == cudaStreamPerThread || s->tag == STREAM_TAG;
}
static cudaError_t on_stream(cudaStream_t s) {
  return rt_done(stream_ok(s) ? ready() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned int flags, int priority) {
  if (!s || flags > cudaStreamNonBlocking)
    return rt_done(cudaErrorInvalidValue);
  *s = malloc(sizeof **s);
  if (!*s)
    return rt_done(cudaErrorMemoryAllocation);
  **s = (struct CUstream_st){STREAM_TAG, flags, priority};
  return rt_done(ready());
}
cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithPriority(s, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned int flags) {
  return cudaStreamCreateWithPriority(s, flags, 0);
}
// The memory of a handle stays, so that a second use is an error and nothing worse.
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if (!s || !stream_ok(s) || s == cudaStreamLegacy || s == cudaStreamPerThread)
    return rt_done(cudaErrorInvalidResourceHandle);
  s->tag = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) { return on_stream(s); }
cudaError_t cudaStreamQuery(cudaStream_t s) { return on_stream(s); }
cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority) {
  if (!priority || !stream_ok(s))
    return rt_done(priority ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned int *flags) {
  if (!flags || !stream_ok(s))
    return rt_done(flags ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
  *flags = s && s != cudaStreamLegacy && s != cudaStreamPerThread ? s->flags : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *data,
                                  unsigned int flags) {
  cudaError_t e = !f || flags ? cudaErrorInvalidValue : on_stream(s);
  if (e != cudaSuccess)
    return rt_done(e);
  f(s, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) {
  cudaError_t e = f ? on_stream(s) : cudaErrorInvalidValue;
  if (e == cudaSuccess)
    f(data);
  return rt_done(e);
}

// ---- events

static bool event_ok(cudaEvent_t e) { return e && e->tag == EVENT_TAG; }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned int flags) {
  if (!e || flags > 7)
    return rt_done(cudaErrorInvalidValue);
  *e = calloc(1, sizeof **e);
  if (!*e)
    return rt_done(cudaErrorMemoryAllocation);
  (*e)->tag = EVENT_TAG;
  (*e)->flags = flags;
  return rt_done(ready());
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  if (!event_ok(e))
    return rt_done(cudaErrorInvalidResourceHandle);
  e->tag = 0;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  if (!event_ok(e) || !stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  clock_gettime(CLOCK_MONOTONIC, &e->at);
  e->recorded = true;
  return rt_done(ready());
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  return rt_done(event_ok(e) ? ready() : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e); }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned int flags) {
  if (!event_ok(e) || !stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  return rt_done(flags ? cudaErrorInvalidValue : ready());
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  if (!ms)
    return rt_done(cudaErrorInvalidValue);
  if (!event_ok(from) || !event_ok(to) || !from->recorded || !to->recorded ||
      ((from->flags | to->flags) & cudaEventDisableTiming))
    return rt_done(cudaErrorInvalidResourceHandle);
  *ms = (float)((double)(to->at.tv_sec - from->at.tv_sec) * 1e3 +
                (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-6);
  return cudaSuccess;
}

// ---- errors

cudaError_t cudaGetLastError(void) {
  rt_context *c = rt_get();
  if (!c)
    return cudaErrorInitializationError;
  cudaError_t e = c->last;
  c->last = c->sticky;
  return e;
}
cudaError_t cudaPeekAtLastError(void) {
  rt_context *c = rt_get();
  return c ? c->last : cudaErrorInitializationError;
}
const char *cudaGetErrorName(cudaError_t e) {
  switch (e) {
#define X(name, number, text) \
  case name: return #name;
    CUDA_ERRORS(X)
#undef X
    default: return "unrecognized error code";
  }
}
const char *cudaGetErrorString(cudaError_t e) {
  switch (e) {
#define X(name, number, text) \
  case name: return text;
    CUDA_ERRORS(X)
#undef X
    default: return "unrecognized error code";
  }
}
