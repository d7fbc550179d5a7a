// SPDX-License-Identifier: Apache-2.0
// Texture and surface references and objects: what is bound to them becomes a descriptor in device
// memory, which kernels read (mpu_texture.h).
#include "texture.h"
#include <stdlib.h>
#include <string.h>
#include "host_binary.h"
#include "target.h"

// ---- what can be bound

static cudaError_t of_array(cudaArray_const_t a, mpu_descriptor *t) {
  texel_format f;
  if (!texture_is_array(a) || !texel_format_of(&a->desc, &f))
    return cudaErrorInvalidResourceHandle;
  *t = (mpu_descriptor){.base = a->address,
                        .slice = a->slice,
                        .type = MPU_TYPE((uint32_t)a->form, f.kind, f.channels, 0),
                        .texel = f.bytes,
                        .pitch = a->pitch,
                        .width = (uint32_t)a->width,
                        .height = (uint32_t)a->height,
                        .depth = (uint32_t)a->depth,
                        .modes = a->flags & cudaArrayTextureGather ? MPU_GATHER : 0};
  return cudaSuccess;
}

// Bytes of device memory from p to the end of what was allocated there.
static uint64_t bytes_behind(const void *p) {
  uint64_t base, bytes;
  const uint64_t at = (uint64_t)(uintptr_t)p;
  const rt_context *c = p ? rt_context_of(p) : NULL;
  const rt_mirror *r = c ? rt_mirror_find(c, p) : NULL;
  if (r && r->variable)  // the device has it at another address
    return 0;
  if (r)
    return r->bytes - (at - (uint64_t)(uintptr_t)r->host);
  return c && target_find(c, at, &base, &bytes) ? bytes - (at - base) : 0;
}

static uint64_t misalignment(const void *p) {
  return (uint64_t)(uintptr_t)p % TEXTURE_ALIGN;
}

// From the aligned address before p on. Programs may bind more than they have allocated, as on a
// GPU; a fetch from behind it is a fault.
static cudaError_t of_linear(const void *p, const struct cudaChannelFormatDesc *desc, size_t bytes,
                             mpu_descriptor *t) {
  texel_format f;
  if (!texel_format_of(desc, &f))
    return cudaErrorInvalidChannelDescriptor;
  const uint64_t before = misalignment(p), width = (bytes + before) / f.bytes;
  if (before % f.bytes || !width || width > TEXTURE_LINEAR)
    return cudaErrorInvalidValue;
  *t = (mpu_descriptor){.base = (uint64_t)(uintptr_t)p - before,
                        .type = MPU_TYPE((uint32_t)MPU_LINEAR, f.kind, f.channels, 0),
                        .texel = f.bytes,
                        .width = (uint32_t)width,
                        .height = 1,
                        .depth = 1};
  return cudaSuccess;
}

static cudaError_t of_rows(const void *p, const struct cudaChannelFormatDesc *desc, size_t width,
                           size_t height, size_t pitch, mpu_descriptor *t) {
  texel_format f;
  if (!texel_format_of(desc, &f))
    return cudaErrorInvalidChannelDescriptor;
  const uint64_t before = misalignment(p), texels = width + before / f.bytes;
  if (!width || width > TEXTURE_WIDTH || !height || texels > TEXTURE_WIDTH ||
      height > TEXTURE_HEIGHT || pitch > TEXTURE_PITCH || pitch % TEXTURE_PITCH_ALIGN ||
      width * f.bytes > pitch || before % f.bytes ||
      (height - 1) * pitch + width * f.bytes > bytes_behind(p))
    return cudaErrorInvalidValue;
  *t = (mpu_descriptor){.base = (uint64_t)(uintptr_t)p - before,
                        .type = MPU_TYPE((uint32_t)MPU_2D, f.kind, f.channels, 0),
                        .texel = f.bytes,
                        .pitch = (uint32_t)pitch,
                        .width = (uint32_t)texels,
                        .height = (uint32_t)height,
                        .depth = 1,
                        .modes = MPU_GATHER};
  return cudaSuccess;
}

// ---- how it is read

static bool is_cube(const mpu_descriptor *t) {
  const uint32_t form = MPU_FORM_OF(t->type);
  return form == MPU_CUBE || form == MPU_CUBE_LAYERS;
}

static bool valid(const struct cudaTextureDesc *d) {
  for (int n = 0; n < 3; n++)
    if ((unsigned)d->addressMode[n] > cudaAddressModeBorder)
      return false;
  return (unsigned)d->filterMode <= cudaFilterModeLinear &&
         (unsigned)d->readMode <= cudaReadModeNormalizedFloat;
}

static void set_coordinates(mpu_descriptor *t, const struct cudaTextureDesc *d) {
  const bool normalized = d->normalizedCoords || is_cube(t);
  if (normalized)
    t->modes |= MPU_NORMALIZED;
  for (int n = 0; n < 3; n++) {
    const enum cudaTextureAddressMode m = d->addressMode[n];
    const bool folds = m == cudaAddressModeWrap || m == cudaAddressModeMirror;
    t->address[n] = is_cube(t) || (folds && !normalized) ? cudaAddressModeClamp : m;
    if (MPU_FORM_OF(t->type) == MPU_LINEAR)
      t->address[n] = cudaAddressModeBorder;
  }
}

static cudaError_t set_modes(mpu_descriptor *t, const struct cudaTextureDesc *d) {
  const uint32_t kind = MPU_KIND_OF(t->type);
  const bool is_float = kind == MPU_F16 || kind == MPU_F32;
  const bool small = !is_float && kind != MPU_U32 && kind != MPU_S32;
  const bool unit = d->readMode == cudaReadModeNormalizedFloat && small;
  const bool filter = d->filterMode == cudaFilterModeLinear && MPU_FORM_OF(t->type) != MPU_LINEAR;
  if (!valid(d) || (MPU_FORM_OF(t->type) == MPU_LINEAR && d->normalizedCoords))
    return cudaErrorInvalidValue;
  if (d->sRGB)
    return texture_refuse("textures in sRGB are not supported");
  if (filter && !unit && !is_float)
    return cudaErrorInvalidFilterSetting;
  t->type |= MPU_TYPE(0, 0, 0, unit);
  t->modes |= filter ? MPU_FILTER : 0;
  set_coordinates(t, d);
  if (MPU_FORM_OF(t->type) != MPU_LINEAR)
    memcpy(t->border, d->borderColor, sizeof t->border);
  return cudaSuccess;
}

// ---- references

// By the address of the program's variable.
typedef struct reference {
  const void *shadow;
  int type;  // cudaTextureType...
  bool normalized, is_surface;
  size_t offset;  // bytes by which what is bound begins behind an aligned address
  struct reference *next;
} reference;
static reference *references;

static void add_reference(void **handle, reference r, const char *name) {
  reference *made = malloc(sizeof *made);
  if (!made)
    return;
  *made = r;
  made->next = references;
  references = made;
  __cudaRegisterVar(handle, (char *)(uintptr_t)r.shadow, NULL, name, 0, sizeof(mpu_descriptor), 0,
                    0);
}
void __cudaRegisterTexture(void **handle, const void *shadow, const void **device_name,
                           const char *name, int type, int normalized, int ext) {
  (void)device_name, (void)ext;
  add_reference(handle, (reference){.shadow = shadow, .type = type, .normalized = normalized},
                name);
}
void __cudaRegisterSurface(void **handle, const void *shadow, const void **device_name,
                           const char *name, int type, int ext) {
  (void)device_name, (void)ext;
  add_reference(handle, (reference){.shadow = shadow, .type = type, .is_surface = true}, name);
}

static reference *find_reference(const void *shadow, bool is_surface) {
  for (reference *r = references; r; r = r->next)
    if (shadow && r->shadow == shadow && r->is_surface == is_surface)
      return r;
  return NULL;
}

// Writes to the variable on the current device.
static cudaError_t put(const reference *r, const mpu_descriptor *t) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return e;
  const rt_symbol *s = rt_find_symbol(r->shadow);
  if (!s || !s->symbol)  // no kernel uses it
    return cudaSuccess;
  return rt_error(target_write(c, target_symbol(c, s->program, s->symbol), t, sizeof *t));
}

static bool has_type(uint32_t form, int type) {
  switch (type) {
    case cudaTextureType1D:
      return form == MPU_LINEAR || form == MPU_1D || form == MPU_2D;
    case cudaTextureType2D:
      return form == MPU_1D || form == MPU_2D;
    case cudaTextureType3D:
      return form == MPU_3D;
    case cudaTextureType1DLayered:
      return form == MPU_1D_LAYERS;
    case cudaTextureType2DLayered:
      return form == MPU_2D_LAYERS;
    case cudaTextureTypeCubemap:
      return form == MPU_CUBE;
    default:
      return type == cudaTextureTypeCubemapLayered && form == MPU_CUBE_LAYERS;
  }
}

// As the fields of the reference are now.
static cudaError_t bind(const struct textureReference *t, mpu_descriptor d,
                        const struct cudaChannelFormatDesc *desc, size_t offset) {
  reference *r = find_reference(t, false);
  const uint32_t kind = MPU_KIND_OF(d.type);
  if (!r || !has_type(MPU_FORM_OF(d.type), r->type))
    return cudaErrorInvalidTexture;
  if (!texture_same_desc(desc, &t->channelDesc))
    return cudaErrorInvalidChannelDescriptor;
  if (r->normalized && (kind == MPU_U32 || kind == MPU_S32))
    return cudaErrorInvalidNormSetting;
  const struct cudaTextureDesc modes = {
      .addressMode = {t->addressMode[0], t->addressMode[1], t->addressMode[2]},
      .filterMode = t->filterMode,
      .readMode = r->normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
      .sRGB = t->sRGB,
      .normalizedCoords = t->normalized};
  cudaError_t e = set_modes(&d, &modes);
  e = e == cudaSuccess ? put(r, &d) : e;
  if (e == cudaSuccess)
    r->offset = offset;
  return e;
}

// Memory that begins behind an aligned address needs a place to tell by how much.
static cudaError_t tell_offset(size_t *offset, const void *p) {
  if (offset)
    *offset = misalignment(p);
  return offset || !misalignment(p) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p,
                            const struct cudaChannelFormatDesc *desc, size_t bytes) {
  mpu_descriptor d;
  rt_context *c;
  cudaError_t e;
  if (!t || !p || !desc)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e))
    return rt_done(e);
  if (bytes == UINT_MAX)  // to the end
    bytes = bytes_behind(p);
  e = tell_offset(offset, p);
  if (!bytes_behind(p))
    return rt_done(cudaErrorInvalidValue);
  e = e == cudaSuccess ? of_linear(p, desc, bytes, &d) : e;
  return rt_done(e == cudaSuccess ? bind(t, d, desc, misalignment(p)) : e);
}
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                              size_t pitch) {
  mpu_descriptor d;
  rt_context *c;
  cudaError_t e;
  if (!t || !p || !desc)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_ready(&c, &e))
    return rt_done(e);
  e = tell_offset(offset, p);
  e = e == cudaSuccess ? of_rows(p, desc, width, height, pitch, &d) : e;
  return rt_done(e == cudaSuccess ? bind(t, d, desc, misalignment(p)) : e);
}
cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc) {
  mpu_descriptor d;
  if (!t || !desc)
    return rt_done(cudaErrorInvalidValue);
  cudaError_t e = of_array(array, &d);
  if (e == cudaSuccess && !texture_same_desc(desc, &array->desc))
    e = cudaErrorInvalidChannelDescriptor;
  return rt_done(e == cudaSuccess ? bind(t, d, desc, 0) : e);
}
cudaError_t cudaUnbindTexture(const struct textureReference *t) {
  reference *r = find_reference(t, false);
  if (!r)
    return rt_done(cudaErrorInvalidTexture);
  r->offset = 0;
  return rt_done(put(r, &(mpu_descriptor){.type = MPU_UNBOUND}));
}
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t) {
  const reference *r = find_reference(t, false);
  if (!r || !offset)
    return rt_done(r ? cudaErrorInvalidValue : cudaErrorInvalidTexture);
  *offset = r->offset;
  return cudaSuccess;
}

// By address or by name.
static const void *shadow_of(const void *symbol, bool is_surface) {
  rt_get();
  const rt_symbol *s = rt_find_symbol(symbol);
  return s && find_reference(s->shadow, is_surface) ? s->shadow : NULL;
}
cudaError_t cudaGetTextureReference(const struct textureReference **t, const void *symbol) {
  if (!t)
    return rt_done(cudaErrorInvalidValue);
  *t = shadow_of(symbol, false);
  return rt_done(*t ? cudaSuccess : cudaErrorInvalidTexture);
}
cudaError_t cudaGetSurfaceReference(const struct surfaceReference **s, const void *symbol) {
  if (!s)
    return rt_done(cudaErrorInvalidValue);
  *s = shadow_of(symbol, true);
  return rt_done(*s ? cudaSuccess : cudaErrorInvalidSurface);
}

static cudaError_t of_surface(cudaArray_const_t array, mpu_descriptor *d) {
  const cudaError_t e = of_array(array, d);
  if (e != cudaSuccess)
    return e;
  d->type |= MPU_SURFACE;
  return array->flags & cudaArraySurfaceLoadStore ? cudaSuccess : cudaErrorInvalidValue;
}
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc) {
  mpu_descriptor d;
  const reference *r = find_reference(s, true);
  if (!r || !desc)
    return rt_done(r ? cudaErrorInvalidValue : cudaErrorInvalidSurface);
  cudaError_t e = of_surface(array, &d);
  if (e == cudaSuccess && !texture_same_desc(desc, &array->desc))
    e = cudaErrorInvalidChannelDescriptor;
  if (e == cudaSuccess && !has_type(MPU_FORM_OF(d.type) & ~(uint32_t)MPU_SURFACE, r->type))
    e = cudaErrorInvalidSurface;
  return rt_done(e == cudaSuccess ? put(r, &d) : e);
}

// ---- objects

typedef struct object {
  rt_context *context;
  uint64_t address;  // of its descriptor: the handle
  bool is_surface;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc desc;
  struct object *next;
} object;
static object *objects;

static object **find_object(uint64_t handle, bool is_surface) {
  object **at = &objects;
  while (*at && ((*at)->address != handle || (*at)->is_surface != is_surface))
    at = &(*at)->next;
  return at;
}

static cudaError_t new_object(const object *like, const mpu_descriptor *d,
                              unsigned long long *handle) {
  rt_context *c;
  cudaError_t e;
  object *o = malloc(sizeof *o);
  if (!o)
    return cudaErrorMemoryAllocation;
  *o = *like;
  if (rt_ready(&c, &e))
    e = rt_error(rt_malloc(c, sizeof *d, &o->address));
  if (e == cudaSuccess)
    e = rt_error(target_write(c, o->address, d, sizeof *d));
  if (e != cudaSuccess) {
    free(o);
    return e;
  }
  o->context = c;
  o->next = objects;
  objects = o;
  *handle = o->address;
  return cudaSuccess;
}

static cudaError_t of_resource(const struct cudaResourceDesc *r, mpu_descriptor *d) {
  rt_context *c;
  cudaError_t e;
  if (!rt_ready(&c, &e))
    return e;
  switch (r->resType) {
    case cudaResourceTypeArray:
      return of_array(r->res.array.array, d);
    case cudaResourceTypeMipmappedArray:
      return texture_refuse("cudaCreateTextureObject: mipmaps are not supported");
    case cudaResourceTypeLinear:
      return misalignment(r->res.linear.devPtr) || !bytes_behind(r->res.linear.devPtr)
                 ? cudaErrorInvalidValue
                 : of_linear(r->res.linear.devPtr, &r->res.linear.desc, r->res.linear.sizeInBytes,
                             d);
    case cudaResourceTypePitch2D:
      return misalignment(r->res.pitch2D.devPtr)
                 ? cudaErrorInvalidValue
                 : of_rows(r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width,
                           r->res.pitch2D.height, r->res.pitch2D.pitchInBytes, d);
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view) {
  mpu_descriptor d;
  if (!handle || !resource || !desc)
    return rt_done(cudaErrorInvalidValue);
  if (view)
    return texture_refuse("cudaCreateTextureObject: views of a resource are not supported");
  cudaError_t e = of_resource(resource, &d);
  if (e == cudaSuccess)
    e = set_modes(&d, desc);
  const object like = {.resource = *resource, .desc = *desc};
  return rt_done(e == cudaSuccess ? new_object(&like, &d, handle) : e);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle,
                                    const struct cudaResourceDesc *resource) {
  mpu_descriptor d;
  if (!handle || !resource || resource->resType != cudaResourceTypeArray)
    return rt_done(cudaErrorInvalidValue);
  const cudaError_t e = of_surface(resource->res.array.array, &d);
  const object like = {.is_surface = true, .resource = *resource};
  return rt_done(e == cudaSuccess ? new_object(&like, &d, handle) : e);
}

static cudaError_t destroy(uint64_t handle, bool is_surface) {
  object **at = find_object(handle, is_surface), *o = *at;
  if (!o)
    return rt_done(cudaErrorInvalidValue);
  cudaError_t e = rt_settle(o->context);
  if (e == cudaSuccess)
    e = rt_error(rt_release(o->context, o->address));
  if (e == cudaSuccess) {
    *at = o->next;
    free(o);
  }
  return rt_done(e);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return destroy(handle, false);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return destroy(handle, true);
}

static cudaError_t tell_resource(struct cudaResourceDesc *to, uint64_t handle, bool is_surface) {
  const object *o = *find_object(handle, is_surface);
  if (!to || !o)
    return rt_done(cudaErrorInvalidValue);
  *to = o->resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t handle) {
  return tell_resource(resource, handle, false);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t handle) {
  return tell_resource(resource, handle, true);
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
                                            cudaTextureObject_t handle) {
  const object *o = *find_object(handle, false);
  if (!desc || !o)
    return rt_done(cudaErrorInvalidValue);
  *desc = o->desc;
  return cudaSuccess;
}
// No object has a view.
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                                 cudaTextureObject_t handle) {
  (void)view, (void)handle;
  return rt_done(cudaErrorInvalidValue);
}

// ---- for the rest of the runtime

void rt_textures_forget(const rt_context *c) {
  texture_forget_arrays(c);
  for (object **at = &objects; *at;) {
    object *o = *at;
    if (o->context != c) {
      at = &o->next;
      continue;
    }
    *at = o->next;
    free(o);
  }
}

void rt_textures_tell(rt_context *c, const rt_program *p) {
  static const char *const why[] = {
      [MPU_FAULT_UNBOUND] = "a texture or surface is used that nothing is bound to",
      [MPU_FAULT_FORM] =
          "the texture or surface that is used has another dimension or resource "
          "than the function",
      [MPU_FAULT_TYPE] =
          "the elements of the texture are not what the function reads: type, "
          "channels or read mode differ",
      [MPU_FAULT_GATHER] = "tex2Dgather needs an array with cudaArrayTextureGather",
      [MPU_FAULT_OUTSIDE] = "an access outside of the surface, with cudaBoundaryModeTrap"};
  const module_symbol *s = module_find_symbol(p->mod, "_ZN19mpu_texture_stoppedILi0EE3whyE");
  uint32_t n = 0;
  if (s && !target_read(c, &n, target_symbol(c, p, s), sizeof n) && n &&
      n < sizeof why / sizeof *why)
    fprintf(stderr, "mpu: %s (docs/textures.md)\n", why[n]);
}
