// SPDX-License-Identifier: Apache-2.0
// CUDA memory calls.
#include <stdlib.h>
#include <string.h>
#include "graph.h"
#include "order.h"
#include "pool.h"
#include "target.h"

static uint64_t address(const void *p) {
  return (uint64_t)(uintptr_t)p;
}

// The context in whose memory it is, waits for it, and returns its error.
static cudaError_t owner_ready(const void *p, rt_context **c) {
  *c = rt_context_of(p);
  return *c ? rt_settle(*c) : cudaErrorInitializationError;
}

cudaError_t cudaMalloc(void **p, size_t bytes) {
  rt_context *c;
  cudaError_t e;
  uint64_t at;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  if (bytes == 0) {
    *p = NULL;
    return cudaSuccess;
  }
  e = rt_error(rt_malloc(c, bytes, &at));
  if (e == cudaSuccess)
    *p = (void *)(uintptr_t)at;
  return rt_done(e);
}

cudaError_t cudaFree(void *p) {
  rt_context *c;
  const cudaError_t e = owner_ready(p, &c);
  if (e != cudaSuccess)
    return rt_done(e);
  if (!p)
    return cudaSuccess;
  order_wait_device(c);
  if (rt_mirror_find(c, p))
    return rt_done(rt_mirror_find(c, p)->managed && rt_mirror_free(c, p) ? cudaSuccess
                                                                         : cudaErrorInvalidValue);
  if (graph_memory_free(p))
    return cudaSuccess;
  pool_released(p);
  return rt_done(rt_release(c, address(p)) ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMallocHost(void **p, size_t bytes) {
  rt_context *c;
  cudaError_t e;
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  return rt_done(rt_ready(&c, &e) ? rt_pinned_new(c, bytes ? bytes : 1, p) : e);
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned int flags) {
  rt_context *c;
  cudaError_t e;
  if (!p || (flags & ~7u))
    return rt_done(cudaErrorInvalidValue);
  if (!(flags & cudaHostAllocMapped) || bytes == 0)
    return cudaMallocHost(p, bytes);
  return rt_done(rt_ready(&c, &e) ? rt_mirror_new(c, bytes, false, p) : e);
}
cudaError_t cudaFreeHost(void *p) {
  rt_context *c;
  owner_ready(p, &c);  // host memory is freed whatever has become of the device
  if (c)
    order_wait_device(c);
  if (!p || (c && rt_pinned_free(c, p)))
    return cudaSuccess;
  const rt_mirror *r = c ? rt_mirror_find(c, p) : NULL;
  return rt_done(r && !r->managed && r->pages && rt_mirror_free(c, p) ? cudaSuccess
                                                                      : cudaErrorInvalidValue);
}
// Memory that the host has: kernels see it at another address.
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned int flags) {
  rt_context *c;
  cudaError_t e;
  if (!p || !bytes || (flags & ~15u))
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e))
    return rt_done(e);
  return rt_done(rt_mirror_register(c, p, bytes, flags & cudaHostRegisterMapped));
}
cudaError_t cudaHostUnregister(void *p) {
  rt_context *c;
  owner_ready(p, &c);
  if (!p || !c)
    return rt_done(cudaErrorInvalidValue);
  return rt_done(rt_mirror_unregister(c, p) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void **d, void *h, unsigned int flags) {
  rt_context *c;
  const cudaError_t e = owner_ready(h, &c);
  if (e != cudaSuccess)
    return rt_done(e);
  if (!d || flags || !rt_is_pinned(c, h))
    return rt_done(cudaErrorInvalidValue);
  *d = (void *)(uintptr_t)rt_mirror_address(c, address(h));
  if (!rt_mirror_find(c, h))
    return rt_done(cudaErrorMemoryAllocation);
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned int *flags, void *h) {
  rt_context *c;
  const cudaError_t e = owner_ready(h, &c);
  if (e != cudaSuccess)
    return rt_done(e);
  const rt_mirror *r = rt_mirror_find(c, h);
  if (!flags || !h || !rt_is_pinned(c, h))
    return rt_done(cudaErrorInvalidValue);
  *flags = r && !r->shared ? cudaHostAllocMapped : cudaHostAllocDefault;
  return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned int flags) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!p || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return rt_done(cudaErrorInvalidValue);
  return rt_done(rt_mirror_new(c, bytes, true, p));
}
// Advice about managed memory: right or wrong, it changes nothing here.
static cudaError_t managed(const void *p, size_t bytes) {
  rt_context *c;
  const cudaError_t e = owner_ready(p, &c);
  if (e != cudaSuccess)
    return rt_done(e);
  const rt_mirror *r = rt_mirror_find(c, p);
  return rt_done(r && bytes <= r->bytes - (address(p) - address(r->host)) ? cudaSuccess
                                                                          : cudaErrorInvalidValue);
}
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t s) {
  if (!rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  if (!rt_device_exists(device) && device != cudaCpuDeviceId)
    return rt_done(cudaErrorInvalidDevice);
  return managed(p, bytes);
}
cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device) {
  (void)device;
  return (unsigned)advice - 1 < 6 ? managed(p, bytes) : rt_done(cudaErrorInvalidValue);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t bytes, unsigned int flags) {
  (void)flags;
  if (!rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  return managed(p, bytes);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
  if (!p || !pitch || width == 0 || height == 0 || width > (1ull << 40))
    return rt_done(cudaErrorInvalidValue);
  *pitch = (width + 511) / 512 * 512;
  if (height > (1ull << 40) / *pitch)
    return rt_done(cudaErrorMemoryAllocation);
  return cudaMalloc(p, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e) {
  if (!p || e.depth == 0 || e.height > (1ull << 40) / e.depth)
    return rt_done(cudaErrorInvalidValue);
  p->xsize = e.width;
  p->ysize = e.height;
  return cudaMallocPitch(&p->ptr, &p->pitch, e.width, e.height * e.depth);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  rt_context *c;
  cudaError_t e;
  uint64_t f, t;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!free_bytes || !total)
    return rt_done(cudaErrorInvalidValue);
  target_info(c, &f, &t);
  *free_bytes = f;
  *total = t;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
  rt_context *c;
  const cudaError_t e = owner_ready(p, &c);
  if (e != cudaSuccess)
    return rt_done(e);
  if (!a)
    return rt_done(cudaErrorInvalidValue);
  const bool device = rt_is_device(c, p);
  const uint64_t at = device ? address(p) : rt_mirror_address(c, address(p));
  const rt_mirror *r = rt_mirror_find(c, p);
  *a = (struct cudaPointerAttributes){device       ? cudaMemoryTypeDevice
                                      : !r         ? cudaMemoryTypeUnregistered
                                      : r->managed ? cudaMemoryTypeManaged
                                                   : cudaMemoryTypeHost,
                                      device || r ? (int)(c - process.contexts) : -2,
                                      device || r ? (void *)(uintptr_t)at : NULL,
                                      device ? NULL : (void *)(uintptr_t)address(p)};
  return cudaSuccess;
}

// ---- copies

// Where a pointer is. Shared memory counts as either; the host's copy of it holds the bytes.
typedef enum side { ON_HOST, ON_DEVICE, ON_BOTH } side;

// Also checks that all of `bytes` lie in one shared allocation, if they begin in one.
static cudaError_t locate(const void *p, size_t bytes, side *s, rt_context **of) {
  const cudaError_t e = owner_ready(p, of);
  if (e != cudaSuccess)
    return e;
  const rt_mirror *r = rt_mirror_find(*of, p);
  *s = r ? ON_BOTH : rt_is_device(*of, p) ? ON_DEVICE : ON_HOST;
  return r && bytes > r->bytes - (address(p) - address(r->host)) ? cudaErrorInvalidValue
                                                                 : cudaSuccess;
}

static bool fits(side s, bool wants_device) {
  return s == ON_BOTH || (s == ON_DEVICE) == wants_device;
}

// Between devices: through the host.
static cudaError_t between(rt_context *c, uint64_t to, rt_context *other, uint64_t from,
                           size_t bytes) {
  enum { PIECE = 1 << 20 };
  machine_error e = MACHINE_OK;
  void *piece = malloc(PIECE);
  if (!piece)
    return cudaErrorMemoryAllocation;
  for (size_t n, done = 0; done < bytes && !e; done += n) {
    n = bytes - done < PIECE ? bytes - done : PIECE;
    e = target_read(other, piece, from + done, n);
    e = e ? e : target_write(c, to + done, piece, n);
  }
  free(piece);
  return rt_error(e);
}

static void host_side(const rt_context *c, const void *p) {
  if (!rt_is_pinned(c, p))
    order_pageable();
}

static cudaError_t copy_now(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  side t, f;
  rt_context *c, *other;
  cudaError_t e;
  if ((unsigned)kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (bytes == 0)
    return cudaSuccess;
  if (!to || !from)
    return cudaErrorInvalidValue;
  if ((e = locate(to, bytes, &t, &c)) != cudaSuccess ||
      (e = locate(from, bytes, &f, &other)) != cudaSuccess)
    return e;
  if (kind != cudaMemcpyDefault &&
      (!fits(t, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
       !fits(f, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
    return cudaErrorInvalidValue;
  if (t == ON_DEVICE && f == ON_DEVICE && c != other)
    return between(c, address(to), other, address(from), bytes);
  if (t == ON_DEVICE && f == ON_DEVICE) {
    order_work()->bytes_copied += bytes;
    return rt_error(target_copy(c, address(to), address(from), bytes));
  }
  if (t == ON_DEVICE) {
    order_work()->bytes_down += bytes;
    host_side(other, from);
    return rt_error(target_write(c, address(to), from, bytes));
  }
  if (f == ON_DEVICE) {
    order_work()->bytes_up += bytes;
    host_side(c, to);
    return rt_error(target_read(other, to, address(from), bytes));
  }
  memmove(to, from, bytes);
  return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  const cudaError_t e = order_begin();
  return order_end(e == cudaSuccess ? copy_now(to, from, bytes, kind) : e);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  return rt_done(copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t s) {
  if (rt_capture_of(s))
    return graph_copy(s, to, from, bytes, kind);
  return ORDER_ASYNC(s, cudaMemcpy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
  if (!rt_device_exists(to_device) || !rt_device_exists(from_device))
    return rt_done(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpyPeer(to, to_device, from, from_device, bytes));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch)
    return rt_done(cudaErrorInvalidPitchValue);
  cudaError_t e = order_begin();
  for (size_t y = 0; y < height && e == cudaSuccess; y++)
    e = copy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind);
  return rt_done(order_end(e));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  cudaError_t e = order_begin();
  if (e == cudaSuccess && (p->srcArray || p->dstArray))
    return rt_done(order_end(rt_copy_arrays(p)));
  for (size_t z = 0; z < p->extent.depth && e == cudaSuccess; z++) {
    size_t to = ((p->dstPos.z + z) * p->dstPtr.ysize + p->dstPos.y) * p->dstPtr.pitch + p->dstPos.x;
    size_t from =
        ((p->srcPos.z + z) * p->srcPtr.ysize + p->srcPos.y) * p->srcPtr.pitch + p->srcPos.x;
    e = cudaMemcpy2D((char *)p->dstPtr.ptr + to, p->dstPtr.pitch,
                     (const char *)p->srcPtr.ptr + from, p->srcPtr.pitch, p->extent.width,
                     p->extent.height, p->kind);
  }
  return rt_done(order_end(e));
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpy3D(p));
}

static cudaError_t fill_now(void *p, int value, size_t bytes) {
  rt_context *c;
  const cudaError_t e = owner_ready(p, &c);
  if (e != cudaSuccess)
    return e;
  const rt_mirror *r = rt_mirror_find(c, p);
  if (!r)
    order_work()->bytes_filled += bytes;
  if (!r)
    return rt_error(target_fill(c, address(p), (uint8_t)value, bytes));
  if (bytes > r->bytes - (address(p) - address(r->host)))
    return cudaErrorInvalidValue;
  memset(p, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemset(void *p, int value, size_t bytes) {
  const cudaError_t e = order_begin();
  return rt_done(order_end(e == cudaSuccess ? fill_now(p, value, bytes) : e));
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s) {
  if (rt_capture_of(s))
    return graph_fill(s, p, value, bytes);
  return ORDER_ASYNC(s, cudaMemset(p, value, bytes));
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  cudaError_t e = order_begin();
  if (width > pitch)
    e = cudaErrorInvalidPitchValue;
  for (size_t y = 0; y < height && e == cudaSuccess; y++)
    e = cudaMemset((char *)p + y * pitch, value, width);
  return rt_done(order_end(e));
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemset2D(p, pitch, value, width, height));
}
cudaError_t rt_fill(void *to, const void *value, size_t bytes, size_t count) {
  char *all = count <= SIZE_MAX / bytes ? malloc(count * bytes + 1) : NULL;
  if (!all)
    return rt_done(cudaErrorMemoryAllocation);
  for (size_t k = 0; k < count; k++)
    memcpy(all + k * bytes, value, bytes);
  cudaError_t e = order_begin();
  if (e == cudaSuccess)
    e = cudaMemcpy(to, all, count * bytes, cudaMemcpyHostToDevice);
  engines_work *w = order_work();  // the device does it
  w->bytes_filled += w->bytes_down;
  w->bytes_down = 0;
  free(all);
  return order_end(e);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
  cudaError_t e = order_begin();
  for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
    e = cudaMemset2D((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width,
                     extent.height);
  return order_end(e);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                              cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemset3D(p, value, extent));
}

// ---- symbols

static cudaError_t symbol_at(rt_context *c, const void *symbol, uint64_t *at, uint64_t *bytes) {
  const rt_symbol *s = symbol ? rt_find_symbol(symbol) : NULL;
  if (process.load_error != cudaSuccess)
    return process.load_error;
  if (!s || !s->symbol)
    return cudaErrorInvalidSymbol;
  const rt_mirror *r = rt_mirror_find(c, s->shadow);
  *at = r ? address(r->host) : target_symbol(c, s->program, s->symbol);
  *bytes = s->symbol->bytes;
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
  rt_context *c;
  cudaError_t e;
  uint64_t at, size;
  if (!rt_ready(&c, &e) || (e = symbol_at(c, symbol, &at, &size)) != cudaSuccess)
    return rt_done(e);
  if (offset > size || bytes > size - offset)
    return rt_done(cudaErrorInvalidValue);
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return rt_done(cudaErrorInvalidMemcpyDirection);
  return rt_done(copy((void *)(uintptr_t)(at + offset), from, bytes, kind));
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
  rt_context *c;
  cudaError_t e;
  uint64_t at, size;
  if (!rt_ready(&c, &e) || (e = symbol_at(c, symbol, &at, &size)) != cudaSuccess)
    return rt_done(e);
  if (offset > size || bytes > size - offset)
    return rt_done(cudaErrorInvalidValue);
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
      kind != cudaMemcpyDefault)
    return rt_done(cudaErrorInvalidMemcpyDirection);
  return rt_done(copy(to, (const void *)(uintptr_t)(at + offset), bytes, kind));
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpyToSymbol(symbol, from, bytes, offset, kind));
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind));
}
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
  rt_context *c;
  cudaError_t e;
  uint64_t at, size;
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e) || (e = symbol_at(c, symbol, &at, &size)) != cudaSuccess)
    return rt_done(e);
  *p = (void *)(uintptr_t)at;
  return cudaSuccess;
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  rt_context *c;
  cudaError_t e;
  uint64_t at, size;
  if (!bytes)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e) || (e = symbol_at(c, symbol, &at, &size)) != cudaSuccess)
    return rt_done(e);
  *bytes = size;
  return cudaSuccess;
}
