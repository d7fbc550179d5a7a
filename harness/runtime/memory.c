// SPDX-License-Identifier: Apache-2.0
// CUDA memory calls.
#include <stdlib.h>
#include <string.h>
#include "rt.h"

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

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
  e = rt_error(machine_malloc(c->m, bytes, &at));
  if (e == cudaSuccess)
    *p = (void *)(uintptr_t)at;
  return rt_done(e);
}

cudaError_t cudaFree(void *p) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!p)
    return cudaSuccess;
  return rt_done(machine_release(c->m, address(p)) ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s) {
  (void)s;
  return cudaMalloc(p, bytes);
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) {
  (void)s;
  return cudaFree(p);
}

cudaError_t cudaMallocHost(void **p, size_t bytes) {
  if (!p)
    return rt_done(cudaErrorInvalidValue);
  *p = malloc(bytes ? bytes : 1);
  return rt_done(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned int flags) {
  if (flags & ~7u)
    return rt_done(cudaErrorInvalidValue);
  return cudaMallocHost(p, bytes);
}
cudaError_t cudaFreeHost(void *p) {
  rt_context *c;
  cudaError_t e;
  if (rt_ready(&c, &e) && p && rt_is_device(c, p))
    return rt_done(cudaErrorInvalidValue);
  free(p);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned int flags) {
  (void)flags;
  return rt_done(p && bytes ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaHostUnregister(void *p) {
  return rt_done(p ? cudaSuccess : cudaErrorInvalidValue);
}
// The device has a memory of its own and sees none of the host's.
cudaError_t cudaHostGetDevicePointer(void **d, void *h, unsigned int flags) {
  (void)h, (void)flags;
  if (d)
    *d = NULL;
  return rt_done(cudaErrorNotSupported);
}
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned int flags) {
  (void)bytes, (void)flags;
  if (p)
    *p = NULL;
  return rt_done(cudaErrorNotSupported);
}
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t s) {
  (void)p, (void)bytes, (void)device, (void)s;
  return rt_done(cudaErrorNotSupported);
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
  machine_memory_info(c->m, &f, &t);
  *free_bytes = f;
  *total = t;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (!a)
    return rt_done(cudaErrorInvalidValue);
  bool device = rt_is_device(c, p);
  *a = (struct cudaPointerAttributes){device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered,
                                      device ? 0 : -2, device ? (void *)(uintptr_t)address(p) : NULL,
                                      device ? NULL : (void *)(uintptr_t)address(p)};
  return cudaSuccess;
}

// ---- copies

// Resolves cudaMemcpyDefault and checks that pointers are on the sides that the direction says.
static cudaError_t direction(const rt_context *c, const void *to, const void *from,
                             enum cudaMemcpyKind *kind) {
  bool to_device = rt_is_device(c, to), from_device = rt_is_device(c, from);
  if ((unsigned)*kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (*kind == cudaMemcpyDefault)
    *kind = to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                      : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  bool wants_to = *kind == cudaMemcpyHostToDevice || *kind == cudaMemcpyDeviceToDevice;
  bool wants_from = *kind == cudaMemcpyDeviceToHost || *kind == cudaMemcpyDeviceToDevice;
  return to_device == wants_to && from_device == wants_from ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t copy(rt_context *c, void *to, const void *from, size_t bytes,
                        enum cudaMemcpyKind kind) {
  if (bytes == 0)
    return cudaSuccess;
  if (!to || !from)
    return cudaErrorInvalidValue;
  cudaError_t e = direction(c, to, from, &kind);
  if (e != cudaSuccess)
    return e;
  switch (kind) {
    case cudaMemcpyHostToDevice: return rt_error(machine_write(c->m, address(to), from, bytes));
    case cudaMemcpyDeviceToHost: return rt_error(machine_read(c->m, to, address(from), bytes));
    case cudaMemcpyDeviceToDevice:
      return rt_error(machine_copy(c->m, address(to), address(from), bytes));
    default: memmove(to, from, bytes); return cudaSuccess;
  }
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  rt_context *c;
  cudaError_t e;
  return rt_done(rt_ready(&c, &e) ? copy(c, to, from, bytes, kind) : e);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t s) {
  (void)s;
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
  if (to_device || from_device)
    return rt_done(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (width > to_pitch || width > from_pitch)
    return rt_done(cudaErrorInvalidPitchValue);
  for (size_t y = 0; y < height && e == cudaSuccess; y++)
    e = copy(c, (char *)to + y * to_pitch, (const char *)from + y * from_pitch, width, kind);
  return rt_done(e);
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t s) {
  (void)s;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  if (!p || p->srcArray || p->dstArray)
    return rt_done(p ? cudaErrorNotSupported : cudaErrorInvalidValue);
  for (size_t z = 0; z < p->extent.depth; z++) {
    size_t to = ((p->dstPos.z + z) * p->dstPtr.ysize + p->dstPos.y) * p->dstPtr.pitch + p->dstPos.x;
    size_t from =
        ((p->srcPos.z + z) * p->srcPtr.ysize + p->srcPos.y) * p->srcPtr.pitch + p->srcPos.x;
    cudaError_t e = cudaMemcpy2D((char *)p->dstPtr.ptr + to, p->dstPtr.pitch,
                                 (const char *)p->srcPtr.ptr + from, p->srcPtr.pitch,
                                 p->extent.width, p->extent.height, p->kind);
    if (e != cudaSuccess)
      return e;
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t s) {
  (void)s;
  return cudaMemcpy3D(p);
}

cudaError_t cudaMemset(void *p, int value, size_t bytes) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return rt_done(e);
  return rt_done(rt_error(machine_fill(c->m, address(p), (uint8_t)value, bytes)));
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t s) {
  (void)s;
  return cudaMemset(p, value, bytes);
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  cudaError_t e = width > pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
  for (size_t y = 0; y < height && e == cudaSuccess; y++)
    e = cudaMemset((char *)p + y * pitch, value, width);
  return rt_done(e);
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t s) {
  (void)s;
  return cudaMemset2D(p, pitch, value, width, height);
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
  cudaError_t e = cudaSuccess;
  for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
    e = cudaMemset2D((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, extent.width,
                     extent.height);
  return e;
}

// ---- symbols

static cudaError_t symbol_at(rt_context *c, const void *symbol, uint64_t *at, uint64_t *bytes) {
  const rt_symbol *s = symbol ? rt_find_symbol(symbol) : NULL;
  if (c->load_error != cudaSuccess)
    return c->load_error;
  if (!s || !s->symbol)
    return cudaErrorInvalidSymbol;
  *at = machine_symbol_address(c->m, s->program->mod, s->symbol);
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
  return rt_done(copy(c, (void *)(uintptr_t)(at + offset), from, bytes, kind));
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
  return rt_done(copy(c, to, (const void *)(uintptr_t)(at + offset), bytes, kind));
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t s) {
  (void)s;
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t s) {
  (void)s;
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
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
