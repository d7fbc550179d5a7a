// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the driver API, on the runtime's.
#include "include/cuda_driver_texture.h"
#include "driver_api.h"
#include "rt.h"

// Bits of a channel and what they are; false: not a format.
static bool channel_of(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *d) {
  static const struct {
    CUarray_format format;
    int bits;
    enum cudaChannelFormatKind kind;
  } known[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
               {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
               {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
               {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
  if (channels != 1 && channels != 2 && channels != 4)
    return false;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].format == format) {
      const int bits = known[k].bits, second = channels > 1 ? bits : 0,
                last = channels > 2 ? bits : 0;
      *d = (struct cudaChannelFormatDesc){bits, second, last, last, known[k].kind};
      return true;
    }
  return false;
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc) {
  struct cudaChannelFormatDesc d;
  if (!array || !desc || !channel_of(desc->Format, desc->NumChannels, &d))
    return CUDA_ERROR_INVALID_VALUE;
  return IN_CONTEXT(cudaMallocArray(array, &d, desc->Width, desc->Height, cudaArrayDefault));
}
CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc) {
  struct cudaChannelFormatDesc d;
  if (!array || !desc || !channel_of(desc->Format, desc->NumChannels, &d))
    return CUDA_ERROR_INVALID_VALUE;
  const struct cudaExtent extent = {desc->Width, desc->Height, desc->Depth};
  return IN_CONTEXT(cudaMalloc3DArray(array, &d, extent, desc->Flags));
}
CUresult cuArrayDestroy(CUarray array) {
  return IN_CONTEXT(cudaFreeArray(array));
}

// One side of a copy: an array, or memory and where in it the rectangle begins.
typedef struct side {
  CUarray array;
  char *at;
  size_t x, y, pitch;
  bool host;
} side;
static bool side_of(CUmemorytype type, void *host, CUdeviceptr device, CUarray array, side *s) {
  s->host = type == CU_MEMORYTYPE_HOST;
  s->array = type == CU_MEMORYTYPE_ARRAY ? array : NULL;
  s->at = s->host ? host : (char *)(uintptr_t)device;
  if (s->at && !s->array)
    s->at += s->y * s->pitch + s->x;
  return (unsigned)type - 1 < 4 && (s->array || s->at);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  side to = {
      .x = c->dstXInBytes, .y = c->dstY, .pitch = c->dstPitch ? c->dstPitch : c->WidthInBytes};
  side from = {
      .x = c->srcXInBytes, .y = c->srcY, .pitch = c->srcPitch ? c->srcPitch : c->WidthInBytes};
  if (!side_of(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, &to) ||
      !side_of(c->srcMemoryType, (void *)(uintptr_t)c->srcHost, c->srcDevice, c->srcArray, &from))
    return CUDA_ERROR_INVALID_VALUE;
  const enum cudaMemcpyKind kind = from.host && to.host ? cudaMemcpyHostToHost
                                   : from.host          ? cudaMemcpyHostToDevice
                                   : to.host            ? cudaMemcpyDeviceToHost
                                                        : cudaMemcpyDefault;
  const size_t w = c->WidthInBytes, h = c->Height;
  if (to.array && from.array)
    return IN_CONTEXT(cudaMemcpy2DArrayToArray(to.array, to.x, to.y, from.array, from.x, from.y, w,
                                               h, cudaMemcpyDeviceToDevice));
  if (to.array)
    return IN_CONTEXT(cudaMemcpy2DToArray(to.array, to.x, to.y, from.at, from.pitch, w, h, kind));
  if (from.array)
    return IN_CONTEXT(
        cudaMemcpy2DFromArray(to.at, to.pitch, from.array, from.x, from.y, w, h, kind));
  return IN_CONTEXT(cudaMemcpy2D(to.at, to.pitch, from.at, from.pitch, w, h, kind));
}

static bool resource_of(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to) {
  *to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)from->resType};
  switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to->res.array.array = from->res.array.hArray;
      return true;
    case CU_RESOURCE_TYPE_LINEAR:
      to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr;
      to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
      return channel_of(from->res.linear.format, from->res.linear.numChannels,
                        &to->res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr;
      to->res.pitch2D.width = from->res.pitch2D.width;
      to->res.pitch2D.height = from->res.pitch2D.height;
      to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
      return channel_of(from->res.pitch2D.format, from->res.pitch2D.numChannels,
                        &to->res.pitch2D.desc);
    default:
      return false;
  }
}
// Integers of less than 32 bits are read as fractions unless the program asks for integers.
static bool is_fraction(const struct cudaResourceDesc *r) {
  struct cudaChannelFormatDesc d;
  if (r->resType == cudaResourceTypeLinear)
    d = r->res.linear.desc;
  else if (r->resType == cudaResourceTypePitch2D)
    d = r->res.pitch2D.desc;
  else if (cudaGetChannelDesc(&d, r->res.array.array))
    return false;
  return d.f != cudaChannelFormatKindFloat && d.x < 32;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cudaResourceDesc r;
  if (!object || !resource || !desc || !resource_of(resource, &r))
    return CUDA_ERROR_INVALID_VALUE;
  if (view)
    return CUDA_ERROR_NOT_SUPPORTED;
  struct cudaTextureDesc t = {
      .filterMode = (enum cudaTextureFilterMode)desc->filterMode,
      .readMode = !(desc->flags & CU_TRSF_READ_AS_INTEGER) && is_fraction(&r)
                      ? cudaReadModeNormalizedFloat
                      : cudaReadModeElementType,
      .sRGB = (desc->flags & CU_TRSF_SRGB) != 0,
      .normalizedCoords = (desc->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
      .maxAnisotropy = desc->maxAnisotropy,
      .mipmapFilterMode = (enum cudaTextureFilterMode)desc->mipmapFilterMode,
      .mipmapLevelBias = desc->mipmapLevelBias,
      .minMipmapLevelClamp = desc->minMipmapLevelClamp,
      .maxMipmapLevelClamp = desc->maxMipmapLevelClamp};
  for (int k = 0; k < 3; k++)
    t.addressMode[k] = (enum cudaTextureAddressMode)desc->addressMode[k];
  for (int k = 0; k < 4; k++)
    t.borderColor[k] = desc->borderColor[k];
  return IN_CONTEXT(cudaCreateTextureObject(object, &r, &t, NULL));
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return IN_CONTEXT(cudaDestroyTextureObject(object));
}
CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource) {
  struct cudaResourceDesc r;
  if (!object || !resource || !resource_of(resource, &r))
    return CUDA_ERROR_INVALID_VALUE;
  return IN_CONTEXT(cudaCreateSurfaceObject(object, &r));
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return IN_CONTEXT(cudaDestroySurfaceObject(object));
}
