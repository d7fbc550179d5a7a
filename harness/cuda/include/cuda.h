// SPDX-License-Identifier: Apache-2.0
// The driver API that programs call, in C (docs/cuda.md, "The driver API"). Its numbers of errors
// and attributes are those of the runtime API.
#ifndef NEARBANK_CUDA_H
#define NEARBANK_CUDA_H
#define __cuda_cuda_h__  // programs ask for the name of the vendor's guard
#include <stddef.h>
#include "cuda_device_attributes.h"
#include "cuda_runtime.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef enum CUcomputemode {
  CU_COMPUTEMODE_DEFAULT = 0,
  CU_COMPUTEMODE_PROHIBITED = 2,
  CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

// X(name, number): the same numbers as cudaError's.
#define CU_RESULTS(X)                             \
  X(CUDA_SUCCESS, 0)                              \
  X(CUDA_ERROR_INVALID_VALUE, 1)                  \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                  \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)                \
  X(CUDA_ERROR_DEINITIALIZED, 4)                  \
  X(CUDA_ERROR_INVALID_CONFIGURATION, 9)          \
  X(CUDA_ERROR_NO_DEVICE, 100)                    \
  X(CUDA_ERROR_INVALID_DEVICE, 101)               \
  X(CUDA_ERROR_INVALID_IMAGE, 200)                \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)              \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)            \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)      \
  X(CUDA_ERROR_INVALID_PTX, 218)                  \
  X(CUDA_ERROR_INVALID_SOURCE, 300)               \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301)               \
  X(CUDA_ERROR_INVALID_HANDLE, 400)               \
  X(CUDA_ERROR_NOT_FOUND, 500)                    \
  X(CUDA_ERROR_NOT_READY, 600)                    \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)              \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)      \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)               \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)  \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705)      \
  X(CUDA_ERROR_ASSERT, 710)                       \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)   \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)           \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)                \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
  X(CUDA_ERROR_NOT_PERMITTED, 800)                \
  X(CUDA_ERROR_NOT_SUPPORTED, 801)                \
  X(CUDA_ERROR_UNKNOWN, 999)
typedef enum cudaError_enum {
#define X(name, number) name = number,
  CU_RESULTS(X)
#undef X
} CUresult;

typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_NUM_REGS,
  CU_FUNC_ATTRIBUTE_PTX_VERSION,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
} CUfunction_attribute;

typedef enum CUfunc_cache_enum {
  CU_FUNC_CACHE_PREFER_NONE,
  CU_FUNC_CACHE_PREFER_SHARED,
  CU_FUNC_CACHE_PREFER_L1,
  CU_FUNC_CACHE_PREFER_EQUAL
} CUfunc_cache;

typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS,
  CU_JIT_THREADS_PER_BLOCK,
  CU_JIT_WALL_TIME,
  CU_JIT_INFO_LOG_BUFFER,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
  CU_JIT_ERROR_LOG_BUFFER,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
  CU_JIT_OPTIMIZATION_LEVEL,
  CU_JIT_TARGET_FROM_CUCONTEXT,
  CU_JIT_TARGET,
  CU_JIT_FALLBACK_STRATEGY,
  CU_JIT_GENERATE_DEBUG_INFO,
  CU_JIT_LOG_VERBOSE,
  CU_JIT_GENERATE_LINE_INFO,
  CU_JIT_CACHE_MODE
} CUjit_option;

typedef enum CUjitInputType_enum {
  CU_JIT_INPUT_CUBIN,
  CU_JIT_INPUT_PTX,
  CU_JIT_INPUT_FATBINARY,
  CU_JIT_INPUT_OBJECT,
  CU_JIT_INPUT_LIBRARY
} CUjitInputType;
typedef struct CUlinkState_st *CUlinkState;

enum {
  CU_CTX_SCHED_AUTO = 0,
  CU_CTX_SCHED_SPIN = 1,
  CU_CTX_SCHED_YIELD = 2,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_MAP_HOST = 8,
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTALLOC_DEVICEMAP = 2,
  CU_MEM_ATTACH_GLOBAL = 1
};
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult e, const char **text);
CUresult cuGetErrorString(CUresult e, const char **text);

CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetName(char *name, int bytes, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
// A device sees its own memory only.
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetCacheConfig(CUfunc_cache config);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);

CUresult cuModuleLoad(CUmodule *module, const char *file);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options,
                            CUjit_option *names, void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
// Device code of several files to an object, which stays, for cuModuleLoadData.
CUresult cuLinkCreate(unsigned int options, CUjit_option *names, void **values, CUlinkState *state);
CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int options, CUjit_option *names, void **values);
CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int options, CUjit_option *names, void **values);
CUresult cuLinkComplete(CUlinkState state, void **object, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState state);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name);

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream,
                        void **parameters, void **extra);
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute a, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared);
typedef size_t (*CUoccupancyB2DSize)(int threads);  // shared memory of a block of so many
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit);

CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes);
CUresult cuMemAllocPitch(CUdeviceptr *at, size_t *pitch, size_t width, size_t height,
                         unsigned int element);
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags);
CUresult cuMemFree(CUdeviceptr at);
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr at);
CUresult cuMemAllocHost(void **p, size_t bytes);
CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned int flags);
CUresult cuMemFreeHost(void *p);
CUresult cuMemHostGetDevicePointer(CUdeviceptr *at, void *p, unsigned int flags);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t count);
CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, size_t count);
CUresult cuMemsetD32(CUdeviceptr at, unsigned int value, size_t count);

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);
#ifdef __cplusplus
}

// The form of later versions. Contexts with a share of the device are not supported.
typedef struct CUctxCreateParams_st {
  void *execAffinityParams;
  int numExecAffinityParams;
  void *cigParams;
} CUctxCreateParams;
static inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *p, unsigned int flags,
                                   CUdevice device) {
  return p && (p->execAffinityParams || p->numExecAffinityParams || p->cigParams)
             ? CUDA_ERROR_NOT_SUPPORTED
             : cuCtxCreate(context, flags, device);
}
#endif
#include "cuda_driver_texture.h"
#include "cuda_virtual_memory.h"
#endif
