// SPDX-License-Identifier: Apache-2.0
// CUDA launches and what programs ask about kernels.
#include <string.h>
#include "harness/machines/mpu/machine/build.h"
#include "graph.h"
#include "host_binary.h"
#include "order.h"

enum { PENDING = 16 };

typedef struct configuration {
  dim3 grid, block;
  size_t shared;
  void *stream;
} configuration;

// Launch configurations that <<<>>> has pushed and the host function of a kernel has not popped.
static _Thread_local configuration pending[PENDING];
static _Thread_local unsigned pending_count;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (pending_count == PENDING)
    return 1;
  pending[pending_count++] = (configuration){grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (!pending_count)
    return rt_done(cudaErrorMissingConfiguration);
  const configuration *p = &pending[--pending_count];
  *grid = p->grid;
  *block = p->block;
  *shared = p->shared;
  memcpy(stream, &p->stream, sizeof p->stream);
  return cudaSuccess;
}

// The kernel behind a host stub, or the error to return.
static cudaError_t find(const void *stub, const rt_function **f) {
  *f = rt_find_function(stub);
  if (process.load_error != cudaSuccess)
    return process.load_error;
  return *f && (*f)->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

static cudaError_t launch_it(rt_context *c, const rt_function *f, const launch_shape *shape,
                             void **args) {
  cudaError_t e = order_begin();
  if (e != cudaSuccess)
    return order_end(e);
  const machine_error m = rt_launch(c, f->program, f->kernel, shape, args);
  // as on a GPU, the next call says what it ended with
  return order_end(m >= MACHINE_FAULT_ADDRESS ? cudaSuccess : rt_error(m));
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t s) {
  rt_context *c;
  cudaError_t e;
  const rt_function *f;
  if (!rt_ready(&c, &e) || (e = find(kernel, &f)) != cudaSuccess)
    return rt_done(e);
  if (f->kernel->param_count && !args)
    return rt_done(cudaErrorInvalidValue);
  if (shared > UINT32_MAX)
    return rt_done(cudaErrorInvalidValue);
  if (rt_capture_of(s))
    return graph_kernel(s, kernel, grid, block, args, shared);
  if (!rt_stream_here(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  launch_shape shape = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, (uint32_t)shared};
  return rt_done(ORDER_ASYNC(s, launch_it(c, f, &shape, args)));
}

static int max_threads(const module_kernel *k) {
  const uint32_t most = rt_max_threads();
  return (int)(k->max_threads && k->max_threads < most ? k->max_threads : most);
}

// Bytes of shared memory that a launch may ask for beside the kernel's own.
static uint32_t max_dynamic(const module_kernel *k) {
  const uint32_t bytes = rt_machine()->shared.bytes;
  return k->shared_bytes < bytes ? bytes - k->shared_bytes : 0;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *kernel) {
  rt_context *c;
  cudaError_t e;
  const rt_function *f;
  if (!a)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e) || (e = find(kernel, &f)) != cudaSuccess)
    return rt_done(e);
  const module_kernel *k = f->kernel;
  *a = (struct cudaFuncAttributes){.sharedSizeBytes = k->shared_bytes,
                                   .constSizeBytes = f->program->mod->constant_bytes,
                                   .localSizeBytes = k->local_bytes,
                                   .maxThreadsPerBlock = max_threads(k),
                                   .numRegs = k->regs_both + k->regs_near + k->regs_far,
                                   .ptxVersion = 70,
                                   .binaryVersion = 70,
                                   .maxDynamicSharedSizeBytes = (int)max_dynamic(k)};
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute a, int value) {
  rt_context *c;
  cudaError_t e;
  const rt_function *f;
  if (!rt_ready(&c, &e) || (e = find(kernel, &f)) != cudaSuccess)
    return rt_done(e);
  if (a == cudaFuncAttributeMaxDynamicSharedMemorySize)
    return rt_done(value < 0 || (unsigned)value > max_dynamic(f->kernel) ? cudaErrorInvalidValue
                                                                         : cudaSuccess);
  return rt_done(a == cudaFuncAttributePreferredSharedMemoryCarveout ? cudaSuccess
                                                                     : cudaErrorInvalidValue);
}

static cudaError_t known(const void *kernel) {
  rt_context *c;
  cudaError_t e;
  const rt_function *f;
  return rt_done(rt_ready(&c, &e) ? find(kernel, &f) : e);
}
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config) {
  return (unsigned)config > 3 ? rt_done(cudaErrorInvalidValue) : known(kernel);
}
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config) {
  return (unsigned)config > 2 ? rt_done(cudaErrorInvalidValue) : known(kernel);
}

// Blocks that one core holds: by slots, register files and shared memory.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared) {
  rt_context *c;
  cudaError_t e;
  const rt_function *f;
  if (!blocks || threads <= 0)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e) || (e = find(kernel, &f)) != cudaSuccess)
    return rt_done(e);
  const module_kernel *k = f->kernel;
  const core_config room = core_of_config(rt_machine());
  *blocks = threads > max_threads(k) ? 0 : (int)core_room(&room, k, (uint32_t)threads, shared);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags) {
  if (flags > cudaOccupancyDisableCachingOverride)
    return rt_done(cudaErrorInvalidValue);
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}

// All blocks must be there at a time, as they may wait for each other.
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t s) {
  const config *c = rt_machine();
  const uint64_t cores = (uint64_t)c->machine.processors * c->machine.cores;
  const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
  int room = 0;
  cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &room, kernel, (int)(block.x * block.y * block.z), shared);
  if (e == cudaSuccess && blocks > cores * (uint64_t)room)
    e = cudaErrorCooperativeLaunchTooLarge;
  if (e != cudaSuccess)
    return rt_done(e);
  thread.cooperative = true;
  e = cudaLaunchKernel(kernel, grid, block, args, shared, s);
  thread.cooperative = false;
  return e;
}
