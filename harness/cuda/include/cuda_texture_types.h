// SPDX-License-Identifier: Apache-2.0
// Texture and surface references, and the C++ forms of the calls that take them. clang knows the
// attributes: a variable of such a class is the program's on the host, a descriptor (mpu_texture.h)
// on the device, and is registered with the runtime by its address on the host.
#ifndef NEARBANK_CUDA_TEXTURE_TYPES_H
#define NEARBANK_CUDA_TEXTURE_TYPES_H
#include "cuda_runtime.h"
#include "mpu_texture.h"
#ifdef __cplusplus

// Channels of type T: of what cudaCreateChannelDesc<T>() describes, and texture functions return.
template <class T>
struct mpu_texel;
template <class scalar>
struct mpu_scalar;
#define MPU_SCALAR(type, its_kind, its_format)                                         \
  template <>                                                                          \
  struct mpu_scalar<type> {                                                            \
    static constexpr int kind = its_kind;                                              \
    static constexpr cudaChannelFormatKind format = cudaChannelFormatKind##its_format; \
  };
#define MPU_TEXEL(type, its_scalar, n, its_floats, its_fours) \
  template <>                                                 \
  struct mpu_texel<type> {                                    \
    typedef its_scalar scalar;                                \
    typedef its_floats floats; /* read as float */            \
    typedef its_fours fours;   /* of tex2Dgather */           \
    static constexpr int channels = n;                        \
  };
#define MPU_TEXELS(scalar, name, kind, format)   \
  MPU_SCALAR(scalar, kind, format)               \
  MPU_TEXEL(scalar, scalar, 1, float, name##4)   \
  MPU_TEXEL(name##1, scalar, 1, float1, name##4) \
  MPU_TEXEL(name##2, scalar, 2, float2, name##4) \
  MPU_TEXEL(name##4, scalar, 4, float4, name##4)
MPU_TEXELS(unsigned char, uchar, MPU_U8, Unsigned)
MPU_TEXELS(unsigned short, ushort, MPU_U16, Unsigned)
MPU_TEXELS(unsigned int, uint, MPU_U32, Unsigned)
MPU_TEXELS(signed char, char, MPU_S8, Signed)
MPU_TEXELS(short, short, MPU_S16, Signed)
MPU_TEXELS(int, int, MPU_S32, Signed)
MPU_TEXELS(float, float, MPU_F32, Float)
MPU_TEXEL(char, signed char, 1, float, char4)
#undef MPU_TEXELS
#undef MPU_TEXEL
#undef MPU_SCALAR

template <class T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  typedef typename mpu_texel<T>::scalar scalar;
  const int bits = 8 * (int)sizeof(scalar), n = mpu_texel<T>::channels;
  return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                               mpu_scalar<scalar>::format);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return cudaCreateChannelDescHalf();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#ifdef __CUDA__
#define MPU_TEXTURE_CLASS __attribute__((device_builtin_texture_type))
#define MPU_SURFACE_CLASS __attribute__((device_builtin_surface_type))
#else
#define MPU_TEXTURE_CLASS
#define MPU_SURFACE_CLASS
#endif

template <class T, int type = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct MPU_TEXTURE_CLASS texture : public textureReference {
#if !defined __CUDA_ARCH__
  texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp)
      : texture(is_normalized, filter, address, cudaCreateChannelDesc<T>()) {}
  texture(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address,
          cudaChannelFormatDesc desc)
      : textureReference{is_normalized,
                         filter,
                         {address, address, address},
                         desc,
                         0,
                         0,
                         cudaFilterModePoint,
                         0,
                         0,
                         0} {}
#else
  texture(int = 0, cudaTextureFilterMode = cudaFilterModePoint,
          cudaTextureAddressMode = cudaAddressModeClamp) {}
  texture(int, cudaTextureFilterMode, cudaTextureAddressMode, cudaChannelFormatDesc) {}
#endif
};

template <class T, int type = cudaSurfaceType1D>
struct MPU_SURFACE_CLASS surface;
template <int type>
struct MPU_SURFACE_CLASS surface<void, type> : public surfaceReference {
#if !defined __CUDA_ARCH__
  surface() : surfaceReference{{ 0, 0, 0, 0, cudaChannelFormatKindNone }} {}
#else
  surface() {}
#endif
};

template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t,
                                          const void *p, const cudaChannelFormatDesc &desc,
                                          size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, (const textureReference *)&t, p, &desc, bytes);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t,
                                          const void *p, size_t bytes = UINT_MAX) {
  return cudaBindTexture(offset, t, p, t.channelDesc, bytes);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t,
                                            const void *p, const cudaChannelFormatDesc &desc,
                                            size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, (const textureReference *)&t, p, &desc, width, height, pitch);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t,
                                            const void *p, size_t width, size_t height,
                                            size_t pitch) {
  return cudaBindTexture2D(offset, t, p, t.channelDesc, width, height, pitch);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  cudaError_t e = cudaGetChannelDesc(&desc, array);
  return e == cudaSuccess ? cudaBindTextureToArray(t, array, desc) : e;
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, type, mode> &t) {
  return cudaUnbindTexture((const textureReference *)&t);
}
template <class T, int type, cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                        const texture<T, type, mode> &t) {
  return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc) {
  return cudaBindSurfaceToArray((const surfaceReference *)&s, array, &desc);
}
template <class T, int type>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc desc;
  cudaError_t e = cudaGetChannelDesc(&desc, array);
  return e == cudaSuccess ? cudaBindSurfaceToArray(s, array, desc) : e;
}
#endif
#endif
