// SPDX-License-Identifier: Apache-2.0
// The driver API, on the runtime API: a device has one context, which is the runtime's, and a
// function of a module is a kernel that the runtime finds by its handle as by the address of the
// host's stub of a kernel in the program.
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "driver_api.h"
#include "fit.h"
#include "harness/base/user_error.h"
#include "jit.h"
#include "rt.h"
#include "target.h"

static bool initialised;
static struct CUctx_st {
  int users;  // that cuCtxCreate made it for, and who retained it
} contexts[RT_DEVICES];
enum { STACK = 16 };
static _Thread_local CUcontext stack[STACK];  // the last one is current
static _Thread_local unsigned depth;

static CUresult of(cudaError_t e) {
  return initialised ? (CUresult)e : CUDA_ERROR_NOT_INITIALIZED;
}
// The context that the runtime API has made is current where the thread has not chosen another.
static void adopt(void) {
  if (depth || !process.in_use)
    return;
  initialised = true;
  contexts[thread.current].users++;
  stack[depth++] = &contexts[thread.current];
}
CUresult driver_needs_context(void) {  // another thread may have destroyed it
  adopt();
  return !initialised                             ? CUDA_ERROR_NOT_INITIALIZED
         : depth && (stack[depth - 1])->users > 0 ? CUDA_SUCCESS
                                                  : CUDA_ERROR_INVALID_CONTEXT;
}

static void *pointer(CUdeviceptr at) {
  return (void *)(uintptr_t)at;
}

CUresult cuInit(unsigned int flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  initialised = true;
  return rt_get() ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuDriverGetVersion(int *version) {
  return (CUresult)cudaDriverGetVersion(version);
}
CUresult cuGetErrorName(CUresult e, const char **text) {
  static const struct {
    CUresult e;
    const char *name;
  } names[] = {
#define X(name, number) {name, #name},
      CU_RESULTS(X)
#undef X
  };
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (names[k].e == e) {
      *text = names[k].name;
      return CUDA_SUCCESS;
    }
  *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult e, const char **text) {
  const CUresult known = cuGetErrorName(e, text);
  if (!known)
    *text = cudaGetErrorString((cudaError_t)e);
  return known;
}

// ---- devices

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!initialised || !device || !rt_device_exists(ordinal))
    return !initialised ? CUDA_ERROR_NOT_INITIALIZED
           : device     ? CUDA_ERROR_INVALID_DEVICE
                        : CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  return of(cudaGetDeviceCount(count));
}
CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  struct cudaDeviceProp p;
  const cudaError_t e = cudaGetDeviceProperties(&p, device);
  if (!e && name && bytes > 0)
    snprintf(name, (size_t)bytes, "%s", p.name);
  return of(e ? e : name && bytes > 0 ? cudaSuccess : cudaErrorInvalidValue);
}
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  if (!uuid || !rt_device_exists(device))
    return of(uuid ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  struct cudaDeviceProp p;
  const cudaError_t e = cudaGetDeviceProperties(&p, device);
  if (e == cudaSuccess)
    *uuid = p.uuid;
  return of(e);
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  struct cudaDeviceProp p;
  const cudaError_t e = bytes ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
  if (!e)
    *bytes = p.totalGlobalMem;
  return of(e);
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute a, CUdevice device) {
  switch (a) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
      if (!value || !rt_device_exists(device))
        return of(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
      *value = a == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
      return of(cudaSuccess);
    default:
      return of(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)a, device));
  }
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult e =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return e ? e : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

// Devices see their own memory only.
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return of(cudaDeviceCanAccessPeer(can, device, peer));
}
static CUresult peer_refused(CUcontext peer) {
  return driver_needs_context()                             ? driver_needs_context()
         : peer >= contexts && peer < contexts + RT_DEVICES ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                                                            : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : peer_refused(peer);
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  const CUresult e = peer_refused(peer);
  return e == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : e;
}

// ---- contexts

static int device_of(CUcontext c) {
  return c >= contexts && c < contexts + RT_DEVICES && c->users ? (int)(c - contexts) : -1;
}
static CUresult make_current(void) {
  if (depth)
    thread.current = (unsigned)device_of(stack[depth - 1]);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (!initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (device_of(context) < 0 || depth == STACK)
    return CUDA_ERROR_INVALID_CONTEXT;
  stack[depth++] = context;
  return make_current();
}
CUresult cuCtxPopCurrent(CUcontext *context) {
  if (driver_needs_context())
    return driver_needs_context();
  process.in_use &= --depth > 0;
  if (context)
    *context = stack[depth];
  return make_current();
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!initialised || !context || !rt_device_exists(device))
    return !initialised ? CUDA_ERROR_NOT_INITIALIZED
           : context    ? CUDA_ERROR_INVALID_DEVICE
                        : CUDA_ERROR_INVALID_VALUE;
  contexts[device].users++;
  *context = &contexts[device];
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
  (void)flags;
  const CUresult e = cuDevicePrimaryCtxRetain(context, device);
  return e ? e : cuCtxPushCurrent(*context);
}

// The last user's memory is freed.
static CUresult release(int device) {
  const unsigned current = thread.current;
  if (!initialised || device < 0 || !contexts[device].users)
    return !initialised ? CUDA_ERROR_NOT_INITIALIZED : CUDA_ERROR_INVALID_CONTEXT;
  if (--contexts[device].users)
    return CUDA_SUCCESS;
  unsigned kept = 0;
  for (unsigned k = 0; k < depth; k++)
    if (stack[k] != &contexts[device])
      stack[kept++] = stack[k];
  depth = kept;
  thread.current = (unsigned)device;
  const cudaError_t e = cudaDeviceReset();
  thread.current = current;
  return of(e);
}
CUresult cuCtxDestroy(CUcontext context) {
  return release(device_of(context));
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return release(rt_device_exists(device) ? device : -1);
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  adopt();
  if (!initialised || !context)
    return initialised ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_INITIALIZED;
  *context = depth ? stack[depth - 1] : NULL;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  depth -= depth > 0;
  return context ? cuCtxPushCurrent(context) : make_current();
}
CUresult cuCtxGetDevice(CUdevice *device) {
  return IN_CONTEXT(cudaGetDevice(device));
}
CUresult cuCtxSynchronize(void) {
  return IN_CONTEXT(cudaDeviceSynchronize());
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return IN_CONTEXT(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

// ---- modules

jit jit_of(unsigned int n, const CUjit_option *names, void **values) {
  jit j = {.log = NULL};
  for (unsigned k = 0; k < n; k++)
    if (names[k] == CU_JIT_ERROR_LOG_BUFFER)
      j.log = values[k];
    else if (names[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      j.bytes = (size_t)(uintptr_t)values[k];
    else if (names[k] == CU_JIT_MAX_REGISTERS)
      j.registers = (unsigned)(uintptr_t)values[k];
  return j;
}

void jit_say(const jit *j, const char *said, bool well) {
  if (j->log && j->bytes)
    snprintf(j->log, j->bytes, "%s", said);
  else if (!well)
    fputs(said, stderr);
}

const void *jit_compile(const char *ptx, size_t ptx_bytes, const jit *j, size_t *bytes) {
  char options[40] = "", *said = NULL;
  size_t n;
  const char *why;
  if (j->registers >= 8 && j->registers <= 254)
    snprintf(options, sizeof options, "--maxregs=%u", j->registers);
  FILE *messages = open_memstream(&said, &n);
  if (!messages)
    return NULL;
  const mpucc_image i = {.ptx = ptx, .ptx_bytes = ptx_bytes, .options = options};
  const void *object = rt_fit(&i, messages, bytes, &why);
  fclose(messages);
  jit_say(j, said, object);
  free(said);
  return object;
}

// An object's section headers come last.
static const void *of_object(const void *image, size_t *bytes) {
  Elf64_Ehdr h;
  memcpy(&h, image, sizeof h);
  *bytes = h.e_shoff + (size_t)h.e_shnum * h.e_shentsize;
  return image;
}

static CUresult load(CUmodule *module, const void *image, const jit *j) {
  mpucc_image i;
  size_t bytes;
  const char *why = "";
  const void *object;
  const bool elf = memcmp(image, ELFMAG, SELFMAG) == 0,
             packed = !elf && mpucc_image_read(image, &i);
  if (elf)
    object = of_object(image, &bytes);
  else if (packed)
    object = rt_fit(&i, NULL, &bytes, &why);
  else
    object = jit_compile(image, strlen(image), j, &bytes);
  if (!object)
    return packed ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_INVALID_PTX;
  *module = (CUmodule)rt_load(object, bytes, &why);
  return *module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options,
                            CUjit_option *names, void **values) {
  if (driver_needs_context())
    return driver_needs_context();
  if (!module || !image || (options && (!names || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  const jit j = jit_of(options, names, values);
  return load(module, image, &j);
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}
CUresult cuModuleLoad(CUmodule *module, const char *file) {
  if (driver_needs_context())
    return driver_needs_context();
  if (!module || !file)
    return CUDA_ERROR_INVALID_VALUE;
  char *image = file_contents(file, NULL);
  if (!image)
    return CUDA_ERROR_FILE_NOT_FOUND;
  const CUresult e = cuModuleLoadData(module, image);
  free(image);
  return e;
}

static bool is_module(CUmodule module) {
  for (const rt_program *p = process.contexts[0].programs; p; p = p->next)
    if (p == (const rt_program *)module)
      return true;
  return false;
}
// Its program on the current device.
static rt_program *here(CUmodule module) {
  rt_program *p = (rt_program *)module;
  for (unsigned k = 0; p && k < thread.current; k++)
    p = p->twin;
  return p;
}

// What it had stays until the context is destroyed.
CUresult cuModuleUnload(CUmodule module) {
  return driver_needs_context() ? driver_needs_context()
         : is_module(module)    ? CUDA_SUCCESS
                                : CUDA_ERROR_INVALID_HANDLE;
}

static CUfunction known(CUmodule module, const char *name) {
  for (const rt_function *f = process.contexts[0].functions; f; f = f->next)
    if (f->program == (const rt_program *)module && f->kernel && strcmp(f->kernel->name, name) == 0)
      return (CUfunction)(uintptr_t)f->stub;
  return NULL;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  if (driver_needs_context())
    return driver_needs_context();
  if (!function || !name || !is_module(module))
    return function && name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  if ((*function = known(module, name)))
    return CUDA_SUCCESS;
  void *stub = NULL;
  for (rt_program *p = (rt_program *)module; p; p = p->twin) {
    const module_kernel *k = module_find_kernel(p->mod, name);
    if (!k)
      return CUDA_ERROR_NOT_FOUND;
    rt_function *f = malloc(sizeof *f);
    if (!f)
      return CUDA_ERROR_OUT_OF_MEMORY;
    stub = stub ? stub : f;
    *f = (rt_function){stub, p, k, k->name, p->context->functions};
    p->context->functions = f;
  }
  *function = (CUfunction)stub;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name) {
  if (driver_needs_context())
    return driver_needs_context();
  if (!name || !is_module(module))
    return name ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  rt_program *p = here(module);
  const module_symbol *s = module_find_symbol(p->mod, name);
  if (!s)
    return CUDA_ERROR_NOT_FOUND;
  if (at)
    *at = target_symbol(p->context, p, s);
  if (bytes)
    *bytes = s->bytes;
  return CUDA_SUCCESS;
}

// ---- launches

// Arguments one behind the other, as they lie for the kernel. False: the list is none, or too
// short.
static bool from_buffer(const module_kernel *k, void **extra, void **args) {
  const char *buffer = NULL;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      bytes = *(const size_t *)extra[1];
    else
      return false;
  for (uint32_t n = 0; n < k->param_count; n++) {
    if (!buffer || k->params[n].offset + k->params[n].bytes > bytes)
      return false;
    args[n] = (void *)(uintptr_t)(buffer + k->params[n].offset);
  }
  return true;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream,
                        void **parameters, void **extra) {
  const dim3 grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
  const rt_function *f = driver_needs_context() ? NULL : rt_find_function(function);
  if (!f)
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_HANDLE;
  if (parameters && extra)
    return CUDA_ERROR_INVALID_VALUE;
  void **args = calloc(f->kernel->param_count + 1, sizeof *args);
  if (!args)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult e = CUDA_ERROR_INVALID_VALUE;
  if (parameters || !extra || from_buffer(f->kernel, extra, args))
    e = of(cudaLaunchKernel(function, grid, block, extra ? args : parameters, shared, stream));
  free(args);
  return e;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute a, CUfunction function) {
  struct cudaFuncAttributes all;
  const CUresult e =
      value ? IN_CONTEXT(cudaFuncGetAttributes(&all, function)) : CUDA_ERROR_INVALID_VALUE;
  if (e)
    return e == (CUresult)cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE : e;
  const int values[] = {all.maxThreadsPerBlock,
                        (int)all.sharedSizeBytes,
                        (int)all.constSizeBytes,
                        (int)all.localSizeBytes,
                        all.numRegs,
                        all.ptxVersion,
                        all.binaryVersion,
                        0,
                        all.maxDynamicSharedSizeBytes,
                        -1};
  if ((unsigned)a >= sizeof values / sizeof *values)
    return CUDA_ERROR_INVALID_VALUE;
  *value = values[a];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute a, int value) {
  return IN_CONTEXT(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)a, value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return IN_CONTEXT(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
  return IN_CONTEXT(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}
// The block that fills a core best, and how many of it the device holds.
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  int cores = 0, best = 0, blocks;
  CUresult e = grid && block ? IN_CONTEXT(cudaDeviceGetAttribute(
                                   &cores, cudaDevAttrMultiProcessorCount, (int)thread.current))
                             : CUDA_ERROR_INVALID_VALUE;
  if (e)
    return e;
  *grid = *block = 0;
  for (int n = limit > 0 && limit < 1024 ? limit / 32 * 32 : 1024; n >= 32; n -= 32) {
    e = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, n,
                                                    shared_of ? shared_of(n) : shared);
    if (e)
      return e;
    if (blocks * n > best) {
      best = blocks * n;
      *block = n;
      *grid = blocks * cores;
    }
  }
  return CUDA_SUCCESS;
}

// ---- memory

static CUresult allocated(cudaError_t e, void *const *p, CUdeviceptr *at) {
  if (!e)
    *at = (uintptr_t)*p;
  return of(e);
}
CUresult cuMemAlloc(CUdeviceptr *at, size_t bytes) {
  void *p;
  if (driver_needs_context() || !at || !bytes)
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_VALUE;
  return allocated(cudaMalloc(&p, bytes), &p, at);
}
CUresult cuMemAllocPitch(CUdeviceptr *at, size_t *pitch, size_t width, size_t height,
                         unsigned int element) {
  void *p;
  if (driver_needs_context() || !at || (element != 4 && element != 8 && element != 16))
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_VALUE;
  return allocated(cudaMallocPitch(&p, pitch, width, height), &p, at);
}
CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned int flags) {
  void *p;
  if (driver_needs_context() || !at)
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_VALUE;
  return allocated(cudaMallocManaged(&p, bytes, flags), &p, at);
}
CUresult cuMemFree(CUdeviceptr at) {
  return IN_CONTEXT(cudaFree(pointer(at)));
}
CUresult cuMemGetInfo(size_t *free_bytes, size_t *total) {
  return IN_CONTEXT(cudaMemGetInfo(free_bytes, total));
}
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr at) {
  uint64_t from, size;
  if (driver_needs_context())
    return driver_needs_context();
  if (!target_find(&process.contexts[thread.current], at, &from, &size))
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = from;
  if (bytes)
    *bytes = size;
  return CUDA_SUCCESS;
}
CUresult cuMemAllocHost(void **p, size_t bytes) {
  return IN_CONTEXT(cudaMallocHost(p, bytes));
}
CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned int flags) {
  return IN_CONTEXT(cudaHostAlloc(p, bytes, flags));
}
CUresult cuMemFreeHost(void *p) {
  return IN_CONTEXT(cudaFreeHost(p));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *at, void *p, unsigned int flags) {
  void *d;
  if (driver_needs_context() || !at)
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_VALUE;
  return allocated(cudaHostGetDevicePointer(&d, p, flags), &d, at);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return IN_CONTEXT(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return IN_CONTEXT(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return IN_CONTEXT(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return IN_CONTEXT(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return IN_CONTEXT(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return IN_CONTEXT(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return IN_CONTEXT(
      cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

// So many elements of `bytes` bytes.
static CUresult fill(CUdeviceptr at, const void *value, size_t bytes, size_t count) {
  if (driver_needs_context() || at % bytes)
    return driver_needs_context() ? driver_needs_context() : CUDA_ERROR_INVALID_VALUE;
  return of(rt_fill(pointer(at), value, bytes, count));
}
CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t count) {
  return IN_CONTEXT(cudaMemset(pointer(at), value, count));
}
CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, size_t count) {
  return fill(at, &value, sizeof value, count);
}
CUresult cuMemsetD32(CUdeviceptr at, unsigned int value, size_t count) {
  return fill(at, &value, sizeof value, count);
}

// ---- streams and events, which are the runtime's

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  return IN_CONTEXT(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamDestroy(CUstream stream) {
  return IN_CONTEXT(cudaStreamDestroy(stream));
}
CUresult cuStreamSynchronize(CUstream stream) {
  return IN_CONTEXT(cudaStreamSynchronize(stream));
}
CUresult cuStreamQuery(CUstream stream) {
  return IN_CONTEXT(cudaStreamQuery(stream));
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return IN_CONTEXT(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  return IN_CONTEXT(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) {
  return IN_CONTEXT(cudaEventDestroy(event));
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return IN_CONTEXT(cudaEventRecord(event, stream));
}
CUresult cuEventSynchronize(CUevent event) {
  return IN_CONTEXT(cudaEventSynchronize(event));
}
CUresult cuEventQuery(CUevent event) {
  return IN_CONTEXT(cudaEventQuery(event));
}
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to) {
  return IN_CONTEXT(cudaEventElapsedTime(ms, from, to));
}
