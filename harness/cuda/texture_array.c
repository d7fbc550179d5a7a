// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: rows of texels in device memory, and copies to and from them.
#include "texture.h"
#include <stdarg.h>
#include <stdlib.h>
#include "order.h"

static struct cudaArray *arrays;  // that live, of all devices

// ---- elements

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
  return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

bool texture_same_desc(const struct cudaChannelFormatDesc *a,
                       const struct cudaChannelFormatDesc *b) {
  return a->x == b->x && a->y == b->y && a->z == b->z && a->w == b->w && a->f == b->f;
}

bool texel_format_of(const struct cudaChannelFormatDesc *d, texel_format *f) {
  const int bits[] = {d->x, d->y, d->z, d->w};
  uint32_t n = 0;
  while (n < 4 && bits[n])
    n++;
  for (uint32_t k = 0; k < 4; k++)
    if (bits[k] != (k < n ? d->x : 0))
      return false;
  const uint32_t size = d->x == 8 ? 0 : d->x == 16 ? 1 : d->x == 32 ? 2 : 3;
  static const uint32_t kinds[][3] = {
      [cudaChannelFormatKindSigned] = {MPU_S8, MPU_S16, MPU_S32},
      [cudaChannelFormatKindUnsigned] = {MPU_U8, MPU_U16, MPU_U32},
      [cudaChannelFormatKindFloat] = {MPU_F32, MPU_F16, MPU_F32},
  };
  if (n == 0 || n == 3 || size == 3 || (unsigned)d->f > cudaChannelFormatKindFloat ||
      (d->f == cudaChannelFormatKindFloat && size == 0))
    return false;
  *f = (texel_format){kinds[d->f][size], n, n << size};
  return true;
}

cudaError_t texture_refuse(const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!process.settings.quiet) {
    fputs("mpu: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
  }
  va_end(args);
  return rt_done(cudaErrorNotSupported);
}

// ---- arrays

bool texture_is_array(cudaArray_const_t a) {
  for (const struct cudaArray *k = arrays; k; k = k->next)
    if (k == a)
      return true;
  return false;
}

static bool at_most(const struct cudaArray *a, size_t width, size_t height, size_t depth) {
  return a->width <= width && a->height <= height && a->depth <= depth;
}

static bool set_cube(struct cudaArray *a, bool layers) {
  a->form = layers ? MPU_CUBE_LAYERS : MPU_CUBE;
  const bool faces = layers ? a->depth % 6 == 0 : a->depth == 6;
  return a->extent.height == a->width && a->extent.depth && faces &&
         at_most(a, TEXTURE_SIDE_LAYER, TEXTURE_SIDE_LAYER, TEXTURE_CUBES);
}
static bool set_layers(struct cudaArray *a) {
  a->form = a->extent.height ? MPU_2D_LAYERS : MPU_1D_LAYERS;
  return a->extent.depth && at_most(a, TEXTURE_SIDE_LAYER, TEXTURE_SIDE_LAYER, TEXTURE_LAYERS);
}
static bool set_plain(struct cudaArray *a) {
  const struct cudaExtent e = a->extent;
  a->form = e.depth ? MPU_3D : e.height ? MPU_2D : MPU_1D;
  if (e.depth)
    return e.height && at_most(a, TEXTURE_SIDE_3D, TEXTURE_SIDE_3D, TEXTURE_SIDE_3D);
  return at_most(a, TEXTURE_WIDTH, TEXTURE_HEIGHT, 1);
}

// What the extent means with these flags. False: nothing, or it is too large.
static bool set_form(struct cudaArray *a) {
  const unsigned all =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  const struct cudaExtent e = a->extent;
  a->width = e.width;
  a->height = e.height ? e.height : 1;
  a->depth = e.depth ? e.depth : 1;
  if ((a->flags & ~all) || !e.width)
    return false;
  const bool layers = a->flags & cudaArrayLayered;
  const bool ok = a->flags & cudaArrayCubemap ? set_cube(a, layers)
                  : layers                    ? set_layers(a)
                                              : set_plain(a);
  return ok && (!(a->flags & cudaArrayTextureGather) || a->form == MPU_2D);
}

static cudaError_t array_memory(struct cudaArray *a) {
  rt_context *c;
  cudaError_t e;
  const uint64_t row = (uint64_t)a->width * a->texel;
  if (!rt_ready(&c, &e))
    return e;
  a->context = c;
  a->pitch =
      (uint32_t)((row + TEXTURE_PITCH_ALIGN - 1) / TEXTURE_PITCH_ALIGN * TEXTURE_PITCH_ALIGN);
  a->slice = (uint64_t)a->pitch * a->height;
  return rt_error(rt_malloc(c, a->slice * a->depth, &a->address));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
  texel_format f;
  if (!array || !desc)
    return rt_done(cudaErrorInvalidValue);
  if (!texel_format_of(desc, &f))
    return rt_done(cudaErrorInvalidChannelDescriptor);
  struct cudaArray *a = malloc(sizeof *a);
  if (!a)
    return rt_done(cudaErrorMemoryAllocation);
  *a = (struct cudaArray){.desc = *desc, .extent = extent, .flags = flags, .texel = f.bytes};
  const cudaError_t e = set_form(a) ? array_memory(a) : cudaErrorInvalidValue;
  if (e != cudaSuccess) {
    free(a);
    return rt_done(e);
  }
  a->next = arrays;
  *array = arrays = a;
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags) {
  if (flags & (cudaArrayLayered | cudaArrayCubemap))
    return rt_done(cudaErrorInvalidValue);
  return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

static void array_drop(struct cudaArray **at) {
  struct cudaArray *a = *at;
  *at = a->next;
  free(a);
}
void texture_forget_arrays(const rt_context *c) {
  for (struct cudaArray **at = &arrays; *at;)
    if ((*at)->context == c)
      array_drop(at);
    else
      at = &(*at)->next;
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array)
    return cudaSuccess;
  if (!texture_is_array(array))
    return rt_done(cudaErrorInvalidValue);
  cudaError_t e = rt_settle(array->context);
  if (e == cudaSuccess)
    e = rt_error(rt_release(array->context, array->address));
  for (struct cudaArray **at = &arrays; e == cudaSuccess && *at; at = &(*at)->next)
    if (*at == array) {
      array_drop(at);
      break;
    }
  return rt_done(e);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
  if (!texture_is_array(array))
    return rt_done(cudaErrorInvalidResourceHandle);
  if (desc)
    *desc = array->desc;
  if (extent)
    *extent = array->extent;
  if (flags)
    *flags = array->flags;
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  if (!desc)
    return rt_done(cudaErrorInvalidValue);
  if (!texture_is_array(array))
    return rt_done(cudaErrorInvalidResourceHandle);
  *desc = array->desc;
  return cudaSuccess;
}

static cudaError_t no_mipmaps(const char *call) {
  return texture_refuse("%s: mipmaps are not supported; use an array for each level", call);
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int levels,
                                     unsigned int flags) {
  (void)array, (void)desc, (void)extent, (void)levels, (void)flags;
  return no_mipmaps("cudaMallocMipmappedArray");
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return array ? no_mipmaps("cudaFreeMipmappedArray") : cudaSuccess;
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap,
                                       unsigned int level) {
  (void)array, (void)mipmap, (void)level;
  return no_mipmaps("cudaGetMipmappedArrayLevel");
}

// ---- copies

// A place in rows of bytes. Memory that is no array is one row, or as many as wanted.
typedef struct place {
  char *p;
  size_t x, y, row, rows, pitch;
  bool is_array;
} place;

static place in_array(cudaArray_const_t a, size_t x, size_t y) {
  const bool flat = texture_is_array(a) && a->depth == 1;
  if (!flat)
    return (place){.p = NULL};
  return (place){
      (char *)(uintptr_t)a->address, x, y, a->width * a->texel, a->height, a->pitch, true};
}
static place in_memory(const void *p, size_t pitch, size_t rows) {
  return (place){(char *)(uintptr_t)p, 0, 0, pitch, rows, pitch, false};
}

static cudaError_t check(const place *to, const place *from, enum cudaMemcpyKind kind) {
  if (!to->p || !from->p)
    return cudaErrorInvalidValue;
  if ((unsigned)kind > cudaMemcpyDefault || kind == cudaMemcpyHostToHost ||
      (to->is_array && kind == cudaMemcpyDeviceToHost) ||
      (from->is_array && kind == cudaMemcpyHostToDevice))
    return cudaErrorInvalidMemcpyDirection;
  return cudaSuccess;
}

// Bytes from the place to the end of the rows.
static size_t left(const place *w) {
  return w->x < w->row && w->y < w->rows ? (w->rows - w->y) * w->row - w->x : 0;
}
static void advance(place *w, size_t bytes) {
  w->x += bytes;
  if (w->x == w->row)
    w->x = 0, w->y++;
}
static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// Byte after byte, from row to row.
static cudaError_t copy_run(place to, place from, size_t bytes, enum cudaMemcpyKind kind) {
  cudaError_t e = check(&to, &from, kind);
  if (e == cudaSuccess && bytes && (bytes > left(&to) || bytes > left(&from)))
    e = cudaErrorInvalidValue;
  if (e != cudaSuccess)
    return rt_done(e);
  e = order_begin();
  while (e == cudaSuccess && bytes) {
    const size_t n = least(bytes, least(to.row - to.x, from.row - from.x));
    e = cudaMemcpy(to.p + to.y * to.pitch + to.x, from.p + from.y * from.pitch + from.x, n, kind);
    advance(&to, n);
    advance(&from, n);
    bytes -= n;
  }
  return rt_done(order_end(e));
}

static bool holds(const place *w, size_t width, size_t height) {
  return !w->is_array ||
         (w->x <= w->row && width <= w->row - w->x && w->y <= w->rows && height <= w->rows - w->y);
}
static cudaError_t copy_area(place to, place from, size_t width, size_t height,
                             enum cudaMemcpyKind kind) {
  cudaError_t e = check(&to, &from, kind);
  if (e == cudaSuccess && (!holds(&to, width, height) || !holds(&from, width, height)))
    e = cudaErrorInvalidValue;
  if (e != cudaSuccess)
    return rt_done(e);
  return cudaMemcpy2D(to.p + to.y * to.pitch + to.x, to.pitch,
                      from.p + from.y * from.pitch + from.x, from.pitch, width, height, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
  return copy_run(in_array(to, x, y), in_memory(from, bytes, 1), bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
  return copy_run(in_memory(to, bytes, 1), in_array(from, x, y), bytes, kind);
}
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   enum cudaMemcpyKind kind) {
  return copy_run(in_array(to, to_x, to_y), in_array(from, from_x, from_y), bytes, kind);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
  return copy_area(in_array(to, x, y), in_memory(from, pitch, height), width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return copy_area(in_memory(to, pitch, height), in_array(from, x, y), width, height, kind);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
  return copy_area(in_array(to, to_x, to_y), in_array(from, from_x, from_y), width, height, kind);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpyToArray(to, x, y, from, bytes, kind));
}
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpyFromArray(to, from, x, y, bytes, kind));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t s) {
  return ORDER_ASYNC(s, cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind));
}

// ---- cudaMemcpy3D, where a side is an array

// One side of it: the first row of a slice, and bytes from a slice to the next.
typedef struct volume {
  place first;
  uint64_t slice;
} volume;

static bool fits(size_t at, size_t size, size_t n) {
  return at <= n && size <= n - at;
}

// In elements of the array. False: it does not hold that.
static bool volume_of_array(cudaArray_const_t a, struct cudaPos at, struct cudaExtent e,
                            volume *v) {
  if (!fits(at.x, e.width, a->width) || !fits(at.y, e.height, a->height) ||
      !fits(at.z, e.depth, a->depth))
    return false;
  *v = (volume){{(char *)(uintptr_t)(a->address + at.z * a->slice), at.x * a->texel, at.y,
                 a->width * a->texel, a->height, a->pitch, true},
                a->slice};
  return true;
}
static volume volume_of_memory(struct cudaPitchedPtr p, struct cudaPos at) {
  const uint64_t slice = (uint64_t)p.ysize * p.pitch;
  char *first = p.ptr ? (char *)p.ptr + at.z * slice : NULL;
  return (volume){{first, at.x, at.y, p.pitch, SIZE_MAX, p.pitch, false}, slice};
}

cudaError_t rt_copy_arrays(const struct cudaMemcpy3DParms *p) {
  cudaArray_const_t to = p->dstArray, from = p->srcArray;
  volume t, f;
  cudaError_t e = cudaSuccess;
  if ((to && (p->dstPtr.ptr || !texture_is_array(to))) ||
      (from && (p->srcPtr.ptr || !texture_is_array(from))) ||
      (to && from && to->texel != from->texel))
    return rt_done(cudaErrorInvalidValue);
  if ((to && !volume_of_array(to, p->dstPos, p->extent, &t)) ||
      (from && !volume_of_array(from, p->srcPos, p->extent, &f)))
    return rt_done(cudaErrorInvalidValue);
  if (!to)
    t = volume_of_memory(p->dstPtr, p->dstPos);
  if (!from)
    f = volume_of_memory(p->srcPtr, p->srcPos);
  for (size_t z = 0; z < p->extent.depth && e == cudaSuccess; z++) {
    e = copy_area(t.first, f.first, p->extent.width * (to ? to : from)->texel, p->extent.height,
                  p->kind);
    t.first.p += t.slice;
    f.first.p += f.slice;
  }
  return e;
}
