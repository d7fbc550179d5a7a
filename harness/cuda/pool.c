// SPDX-License-Identifier: Apache-2.0
// CUDA's memory pools. They keep no memory: what is freed is free at once, so that reuse, trimming
// and the threshold have no effect. A pool counts what was allocated from it.
#include "pool.h"
#include <stdlib.h>
#include <string.h>
#include "graph.h"
#include "order.h"

typedef struct pool_block {
  const void *at;
  size_t bytes;
  struct pool_block *next;
} pool_block;

struct CUmemPoolHandle_st {
  unsigned device;
  bool is_default;
  int reuse[3];
  uint64_t threshold, used, most;
  pool_block *blocks;
  struct CUmemPoolHandle_st *next;
};

static struct CUmemPoolHandle_st defaults[RT_DEVICES];
static cudaMemPool_t chosen[RT_DEVICES], pools;

static cudaMemPool_t default_of(unsigned device) {
  cudaMemPool_t p = &defaults[device];
  if (!p->is_default)
    *p = (struct CUmemPoolHandle_st){.device = device, .is_default = true, .reuse = {1, 1, 1}};
  return p;
}

cudaMemPool_t pool_current(unsigned device) {
  return chosen[device] ? chosen[device] : default_of(device);
}

static bool is_default(cudaMemPool_t pool) {
  for (unsigned k = 0; k < rt_devices(); k++)
    if (pool == default_of(k))
      return true;
  return false;
}

static bool lives(cudaMemPool_t pool) {
  cudaMemPool_t at = pools;
  while (at && at != pool)
    at = at->next;
  return at || is_default(pool);
}

cudaError_t pool_malloc(cudaMemPool_t pool, void **p, size_t bytes) {
  pool_block *b = malloc(sizeof *b);
  if (!b)
    return rt_done(cudaErrorMemoryAllocation);
  const cudaError_t e = cudaMalloc(p, bytes);
  if (e != cudaSuccess || !bytes) {
    free(b);
    return e;
  }
  *b = (pool_block){*p, bytes, pool->blocks};
  pool->blocks = b;
  pool->used += bytes;
  pool->most = pool->used > pool->most ? pool->used : pool->most;
  return cudaSuccess;
}

static bool release_from(cudaMemPool_t pool, const void *p) {
  for (pool_block **at = &pool->blocks; *at; at = &(*at)->next) {
    pool_block *b = *at;
    if (b->at != p)
      continue;
    pool->used -= b->bytes;
    *at = b->next;
    free(b);
    return true;
  }
  return false;
}

void pool_released(const void *p) {
  for (cudaMemPool_t pool = pools; pool; pool = pool->next)
    if (release_from(pool, p))
      return;
  for (unsigned k = 0; k < rt_devices(); k++)
    if (release_from(default_of(k), p))
      return;
}

static void forget_blocks(cudaMemPool_t pool) {
  while (pool->blocks)
    release_from(pool, pool->blocks->at);
}

void pool_forget(unsigned device) {
  for (cudaMemPool_t pool = pools; pool; pool = pool->next)
    if (pool->device == device)
      forget_blocks(pool);
  forget_blocks(default_of(device));
}

// ---- the API

static cudaError_t pool_of_device(cudaMemPool_t *pool, int device,
                                  cudaMemPool_t (*get)(unsigned device)) {
  if (!pool)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  *pool = get((unsigned)device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return pool_of_device(pool, device, default_of);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return pool_of_device(pool, device, pool_current);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (!rt_device_exists(device))
    return rt_done(cudaErrorInvalidDevice);
  if (!lives(pool) || pool->device != (unsigned)device)
    return rt_done(cudaErrorInvalidValue);
  chosen[device] = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
      props->location.type != cudaMemLocationTypeDevice)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_device_exists(props->location.id))
    return rt_done(cudaErrorInvalidDevice);
  if (props->handleTypes != cudaMemHandleTypeNone)  // for other processes
    return rt_done(cudaErrorNotSupported);
  if (!(*pool = malloc(sizeof **pool)))
    return rt_done(cudaErrorMemoryAllocation);
  **pool = (struct CUmemPoolHandle_st){
      .device = (unsigned)props->location.id, .reuse = {1, 1, 1}, .next = pools};
  pools = *pool;
  return cudaSuccess;
}

// What was allocated from it lives on.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (!lives(pool) || pool->is_default)
    return rt_done(cudaErrorInvalidValue);
  cudaMemPool_t *at = &pools;
  while (*at != pool)
    at = &(*at)->next;
  *at = pool->next;
  if (chosen[pool->device] == pool)
    chosen[pool->device] = NULL;
  forget_blocks(pool);
  free(pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr a, void *value) {
  if (!value || !lives(pool) || a < cudaMemPoolReuseFollowEventDependencies ||
      a > cudaMemPoolAttrUsedMemHigh)
    return rt_done(cudaErrorInvalidValue);
  if (a < cudaMemPoolAttrReleaseThreshold) {
    memcpy(value, &pool->reuse[a - cudaMemPoolReuseFollowEventDependencies], sizeof(int));
    return cudaSuccess;
  }
  const bool most = a == cudaMemPoolAttrReservedMemHigh || a == cudaMemPoolAttrUsedMemHigh;
  const uint64_t v = a == cudaMemPoolAttrReleaseThreshold ? pool->threshold
                     : most                               ? pool->most
                                                          : pool->used;
  memcpy(value, &v, sizeof v);
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr a, void *value) {
  uint64_t v;
  if (!value || !lives(pool))
    return rt_done(cudaErrorInvalidValue);
  if (a >= cudaMemPoolReuseFollowEventDependencies && a < cudaMemPoolAttrReleaseThreshold) {
    memcpy(&pool->reuse[a - cudaMemPoolReuseFollowEventDependencies], value, sizeof(int));
    return cudaSuccess;
  }
  memcpy(&v, value, sizeof v);
  if (a == cudaMemPoolAttrReleaseThreshold)
    pool->threshold = v;
  else if ((a == cudaMemPoolAttrReservedMemHigh || a == cudaMemPoolAttrUsedMemHigh) && !v)
    pool->most = pool->used;
  else
    return rt_done(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  (void)keep;
  return rt_done(lives(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

// Devices see their own memory only.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count) {
  if (!lives(pool) || (!list && count))
    return rt_done(cudaErrorInvalidValue);
  for (size_t n = 0; n < count; n++) {
    if (list[n].location.type != cudaMemLocationTypeDevice ||
        !rt_device_exists(list[n].location.id))
      return rt_done(cudaErrorInvalidDevice);
    const bool own = (unsigned)list[n].location.id == pool->device;
    if (own != (list[n].flags == cudaMemAccessFlagsProtReadWrite))
      return rt_done(own ? cudaErrorInvalidValue : cudaErrorPeerAccessUnsupported);
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
  if (!flags || !location || !lives(pool) || location->type != cudaMemLocationTypeDevice)
    return rt_done(cudaErrorInvalidValue);
  *flags = (unsigned)location->id == pool->device ? cudaMemAccessFlagsProtReadWrite
                                                  : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

static cudaError_t from_pool(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
  if (rt_capture_of(s))
    return graph_malloc(s, p, bytes);
  if (!rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  return pool_malloc(pool, p, bytes);
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
  if (!lives(pool) || pool->device != thread.current)  // memory is of the current device
    return rt_done(cudaErrorInvalidValue);
  return from_pool(p, bytes, pool, s);
}
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s) {
  return from_pool(p, bytes, pool_current(thread.current), s);
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
  if (rt_capture_of(s))
    return graph_free(s, p);
  return ORDER_ASYNC(s, cudaFree(p));
}

// ---- other processes

cudaError_t cudaMemPoolExportToShareableHandle(void *shared, cudaMemPool_t pool,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags) {
  (void)type, (void)flags;
  return rt_done(shared && lives(pool) ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *shared,
                                                 enum cudaMemAllocationHandleType type,
                                                 unsigned int flags) {
  (void)shared, (void)type, (void)flags;
  return rt_done(pool ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p) {
  return rt_done(data && p ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t pool,
                                     struct cudaMemPoolPtrExportData *data) {
  return rt_done(p && data && lives(pool) ? cudaErrorNotSupported : cudaErrorInvalidValue);
}

static cudaError_t not_supported(bool valid) {
  return rt_done(valid ? cudaErrorNotSupported : cudaErrorInvalidValue);
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p) {
  return not_supported(handle && p);
}
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags) {
  (void)handle, (void)flags;
  return not_supported(p);
}
cudaError_t cudaIpcCloseMemHandle(void *p) {
  return not_supported(p);
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t e) {
  return not_supported(handle && e);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *e, cudaIpcEventHandle_t handle) {
  (void)handle;
  return not_supported(e);
}
