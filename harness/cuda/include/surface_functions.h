// SPDX-License-Identifier: Apache-2.0
// Surfaces on the device: loads and stores in arrays. x counts bytes.
#ifndef NEARBANK_SURFACE_FUNCTIONS_H
#define NEARBANK_SURFACE_FUNCTIONS_H
#include "texture_fetch_functions.h"
#if defined __CUDA__ && defined __cplusplus

template <int type>
MPU_TEX mpu_address mpu_handle(surface<void, type> s) {
  mpu_address h;
  asm("mov.b64 %0, %1;" : "=l"(h) : "l"(s));
  return h;
}
MPU_TEX mpu_address mpu_handle(cudaSurfaceObject_t o) {
  return o;
}

MPU_TEX mpu_tex mpu_surface_of(mpu_address handle, unsigned int forms) {
  const mpu_tex d = mpu_texture_of(handle);
  const mpu_texture_fault why = mpu_misfit(d, forms);
  if (why)
    mpu_texture_stop(why);
  return d;
}
MPU_TEX int mpu_clamp(int i, int n) {
  return i < 0 || n < 0 ? 0 : i > n ? n : i;
}
// Of `bytes` at byte x of a row; 0: outside, with cudaBoundaryModeZero.
MPU_TEX mpu_address mpu_surface_at(mpu_tex d, int x, int y, int z, int bytes,
                                   cudaSurfaceBoundaryMode mode) {
  const int last = (int)(d.width * d.texel) - bytes;
  const bool inside =
      x >= 0 && x <= last && y >= 0 && (unsigned)y < d.height && z >= 0 && (unsigned)z < d.depth;
  if (!inside && mode == cudaBoundaryModeTrap)
    mpu_texture_stop(MPU_FAULT_OUTSIDE);
  if (!inside && mode == cudaBoundaryModeZero)
    return 0;
  x = mpu_clamp(x, last), y = mpu_clamp(y, (int)d.height - 1), z = mpu_clamp(z, (int)d.depth - 1);
  return d.base + d.slice * (unsigned)z + (mpu_address)d.pitch * (unsigned)y + (unsigned)x;
}

// What has the size of T, and is one access.
template <int bytes>
struct mpu_raw {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "surfaces have 1, 2, 4, 8 or 16 bytes");
  typedef unsigned int type __attribute__((ext_vector_type(bytes / 4)));
};
template <>
struct mpu_raw<1> {
  typedef unsigned char type;
};
template <>
struct mpu_raw<2> {
  typedef unsigned short type;
};
template <class T>
MPU_TEX T mpu_surface_read(mpu_address at) {
  typedef typename mpu_raw<sizeof(T)>::type raw;
  const raw bits = at ? *(const __attribute__((address_space(1))) raw *)at : (raw)0;
  T t;
  __builtin_memcpy(&t, &bits, sizeof t);
  return t;
}
template <class T>
MPU_TEX void mpu_surface_write(mpu_address at, T value) {
  typename mpu_raw<sizeof(T)>::type bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  if (at)
    *(__attribute__((address_space(1))) typename mpu_raw<sizeof(T)>::type *)at = bits;
}

// The names, for a parameter list and the three places that it means.
#define MPU_SURFACE_OF(name, its_type, forms, parameters, x, y, z)                  \
  template <class T>                                                                \
  MPU_TEX T name##read(cudaSurfaceObject_t s, MPU_LIST parameters,                  \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    const mpu_tex d = mpu_surface_of(s, (forms) << MPU_SURFACE);                    \
    return mpu_surface_read<T>(mpu_surface_at(d, x, y, z, sizeof(T), mode));        \
  }                                                                                 \
  template <class T>                                                                \
  MPU_TEX void name##read(T *to, cudaSurfaceObject_t s, MPU_LIST parameters,        \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    const mpu_tex d = mpu_surface_of(s, (forms) << MPU_SURFACE);                    \
    *to = mpu_surface_read<T>(mpu_surface_at(d, x, y, z, sizeof(T), mode));         \
  }                                                                                 \
  template <class T>                                                                \
  MPU_TEX T name##read(surface<void, its_type> s, MPU_LIST parameters,              \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    const mpu_tex d = mpu_surface_of(mpu_handle(s), (forms) << MPU_SURFACE);        \
    return mpu_surface_read<T>(mpu_surface_at(d, x, y, z, sizeof(T), mode));        \
  }                                                                                 \
  template <class T>                                                                \
  MPU_TEX void name##read(T *to, surface<void, its_type> s, MPU_LIST parameters,    \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {    \
    const mpu_tex d = mpu_surface_of(mpu_handle(s), (forms) << MPU_SURFACE);        \
    *to = mpu_surface_read<T>(mpu_surface_at(d, x, y, z, sizeof(T), mode));         \
  }                                                                                 \
  template <class T>                                                                \
  MPU_TEX void name##write(T value, cudaSurfaceObject_t s, MPU_LIST parameters,     \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    const mpu_tex d = mpu_surface_of(s, (forms) << MPU_SURFACE);                    \
    mpu_surface_write(mpu_surface_at(d, x, y, z, sizeof(T), mode), value);          \
  }                                                                                 \
  template <class T>                                                                \
  MPU_TEX void name##write(T value, surface<void, its_type> s, MPU_LIST parameters, \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    const mpu_tex d = mpu_surface_of(mpu_handle(s), (forms) << MPU_SURFACE);        \
    mpu_surface_write(mpu_surface_at(d, x, y, z, sizeof(T), mode), value);          \
  }
#define MPU_LIST(...) __VA_ARGS__
MPU_SURFACE_OF(surf1D, cudaSurfaceType1D, MPU_FLAT, (int x), x, 0, 0)
MPU_SURFACE_OF(surf2D, cudaSurfaceType2D, MPU_FLAT, (int x, int y), x, y, 0)
MPU_SURFACE_OF(surf3D, cudaSurfaceType3D, 1 << MPU_3D, (int x, int y, int z), x, y, z)
MPU_SURFACE_OF(surf1DLayered, cudaSurfaceType1DLayered, 1 << MPU_1D_LAYERS, (int x, int layer), x,
               0, layer)
MPU_SURFACE_OF(surf2DLayered, cudaSurfaceType2DLayered, 1 << MPU_2D_LAYERS,
               (int x, int y, int layer), x, y, layer)
MPU_SURFACE_OF(surfCubemap, cudaSurfaceTypeCubemap, 1 << MPU_CUBE, (int x, int y, int face), x, y,
               face)
MPU_SURFACE_OF(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, 1 << MPU_CUBE_LAYERS,
               (int x, int y, int layerFace), x, y, layerFace)
#undef MPU_LIST
#undef MPU_SURFACE_OF
#endif
#endif
