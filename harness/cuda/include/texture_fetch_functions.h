// SPDX-License-Identifier: Apache-2.0
// Texture fetches on the device: loads of the descriptor and of texels. docs/textures.md has the
// exact rule.
#ifndef NEARBANK_TEXTURE_FETCH_FUNCTIONS_H
#define NEARBANK_TEXTURE_FETCH_FUNCTIONS_H
#include "cuda_runtime.h"
#if defined __CUDA__ && defined __cplusplus

// What these functions do belongs to the line of the program that calls them.
#define MPU_CALL __attribute__((nodebug))
#define MPU_TEX MPU_D MPU_CALL

typedef unsigned long long mpu_address;

// A descriptor in registers; those of its values that are used are loaded at once.
struct mpu_tex {
  const __attribute__((address_space(1))) mpu_descriptor *at;
  unsigned int type, texel, width, modes;
  mpu_address base, slice;
  unsigned int pitch, height, depth, address[3];
};

// Why a kernel stopped: the runtime reads it. Only in programs that use textures or surfaces.
template <int>
struct mpu_texture_stopped {
  static __device__ unsigned int why;
};
template <int n>
__device__ unsigned int mpu_texture_stopped<n>::why;

// The trap waits for what the exchange returns: when it is executed, the reason is in memory.
MPU_TEX void mpu_texture_stop(mpu_texture_fault why) {
  if (atomicExch(&mpu_texture_stopped<0>::why, (unsigned int)why) != ~0u)
    asm volatile("trap;");
}
MPU_TEX mpu_tex mpu_texture_of(mpu_address handle) {
  const auto d = (const __attribute__((address_space(1))) mpu_descriptor *)handle;
  return {d,
          d->type,
          d->texel,
          d->width,
          d->modes,
          d->base,
          d->slice,
          d->pitch,
          d->height,
          d->depth,
          {d->address[0], d->address[1], d->address[2]}};
}
// What is wrong with a form that is not among `forms`; none: nothing.
MPU_TEX mpu_texture_fault mpu_misfit(mpu_tex d, unsigned int forms) {
  const unsigned int form = MPU_FORM_OF(d.type);
  return forms >> form & 1 ? MPU_FAULT_NONE : form ? MPU_FAULT_FORM : MPU_FAULT_UNBOUND;
}

// ---- texels

// Channels of type `element`, of texels of the fixed kind; -1: of that which the descriptor says.
template <class element, int count, int fixed>
struct mpu_reader {
  typedef element scalar;
  static constexpr int channels = count;
  static constexpr bool is_float = mpu_scalar<element>::kind == MPU_F32;
  typedef mpu_reader<element, 1, fixed> one;
  struct texel {
    element v[count];
  };

  static __device__ __forceinline__ MPU_CALL bool fits(mpu_tex d) {
    const unsigned int kind = MPU_KIND_OF(d.type);
    const bool unit = MPU_UNIT_OF(d.type);
    const bool of_kind = fixed >= 0 ? kind == fixed && (fixed >= MPU_F16 || is_float == unit)
                         : is_float ? kind >= MPU_F16 || unit
                                    : kind == mpu_scalar<element>::kind && !unit;
    return of_kind && MPU_CHANNELS_OF(d.type) >= count;
  }
  template <class stored>
  static __device__ __forceinline__ MPU_CALL texel load(mpu_address at, float range, float least) {
    typedef stored vector __attribute__((ext_vector_type(count)));
    const vector from = *(const __attribute__((address_space(1))) vector *)at;
    texel t;
    for (int c = 0; c < count; c++)
      t.v[c] =
          range == 0 ? (element)from[c] : (element)fmaxf(__fdiv_rn((float)from[c], range), least);
    return t;
  }
  static __device__ __forceinline__ MPU_CALL texel load_half(mpu_address at) {
    const typename mpu_reader<unsigned short, count, MPU_U16>::texel half =
        mpu_reader<unsigned short, count, MPU_U16>::template load<unsigned short>(at, 0, 0);
    texel t;
    for (int c = 0; c < count; c++) {
      const unsigned int h = half.v[c], magnitude = (h & 0x7fff) << 13;
      const float f = __uint_as_float(magnitude) * 0x1p112f;
      const unsigned int bits =
          (h & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000 : __float_as_uint(f);
      t.v[c] = (element)__uint_as_float(bits | (h & 0x8000) << 16);
    }
    return t;
  }
  static __device__ __forceinline__ MPU_CALL texel read(mpu_tex d, mpu_address at) {
    if (!is_float)
      return load<element>(at, 0, 0);
    switch (fixed >= 0 ? fixed : (int)MPU_KIND_OF(d.type)) {
      case MPU_U8:
        return load<unsigned char>(at, 255, 0);
      case MPU_S8:
        return load<signed char>(at, 127, -1);
      case MPU_U16:
        return load<unsigned short>(at, 65535, 0);
      case MPU_S16:
        return load<short>(at, 32767, -1);
      case MPU_F16:
        return load_half(at);
      default:
        return load<float>(at, 0, 0);
    }
  }
  static __device__ __forceinline__ MPU_CALL texel border(mpu_tex d, int first) {
    texel t;
    for (int c = 0; c < count; c++)
      t.v[c] = is_float ? (element)__uint_as_float(d.at->border[first + c])
                        : (element)d.at->border[first + c];
    return t;
  }
  // Its channels from `first` on; a negative index: the border.
  static __device__ __forceinline__ MPU_CALL texel at(mpu_tex d, int i, int j, int k, int first) {
    if ((i | j | k) < 0)
      return border(d, first);
    return read(d, d.base + d.slice * (unsigned)k + (mpu_address)d.pitch * (unsigned)j +
                       d.texel * (mpu_address)(unsigned)i +
                       d.texel / MPU_CHANNELS_OF(d.type) * first);
  }
};
template <class reader>
MPU_TEX mpu_tex mpu_texture_for(mpu_address handle, unsigned int forms) {
  const mpu_tex d = mpu_texture_of(handle);
  const mpu_texture_fault form = mpu_misfit(d, forms),
                          why = reader::fits(d) ? form : MPU_FAULT_TYPE;
  if (form || why)
    mpu_texture_stop(form ? form : why);
  return d;
}

// ---- coordinates

// Both texels of an axis, -1 for the border, and the weight of the second in 256ths.
struct mpu_axis {
  int low, high;
  float weight;
};
MPU_TEX int mpu_index(int i, int n, unsigned int mode) {
  if (mode == cudaAddressModeBorder)
    return i >= 0 && i < n ? i : -1;
  if (mode == cudaAddressModeWrap)
    return i < 0 ? i + n : i >= n ? i - n : i;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}
MPU_TEX float mpu_unfold(float x, unsigned int mode) {
  const float whole = floorf(x), part = x - whole;
  if (mode == cudaAddressModeMirror && 0.5f * whole != floorf(0.5f * whole))
    return 1 - part;
  return mode == cudaAddressModeMirror || mode == cudaAddressModeWrap ? part : x;
}
MPU_TEX mpu_axis mpu_locate(mpu_tex d, float x, int n, int axis, bool filter) {
  const unsigned int mode = d.address[axis];
  if (d.modes & MPU_NORMALIZED)
    x = mpu_unfold(x, mode) * (float)n;
  x = fminf(fmaxf(x, -2), (float)n + 1);
  if (!filter) {
    const int i = mpu_index((int)floorf(x), n, mode);
    return {i, i, 0};
  }
  const float from = x - 0.5f, whole = floorf(from);
  return {mpu_index((int)whole, n, mode), mpu_index((int)whole + 1, n, mode),
          rintf((from - whole) * 256)};
}
MPU_TEX int mpu_layer(mpu_tex d, int layer, int slices) {
  const int n = (int)d.depth / slices;
  return (layer < 0 ? 0 : layer >= n ? n - 1 : layer) * slices;
}

// ---- sampling

// The weighted sum of 2^axes texels, first x, then y, then z.
template <class reader, int axes>
MPU_TEX typename reader::texel mpu_blend(mpu_tex d, mpu_axis a, mpu_axis b, mpu_axis c) {
  typename reader::texel sum = {};
#pragma clang loop unroll_count(axes == 3 ? 1 : 4)
  for (int n = 0; n < 1 << axes; n++) {
    float w = (n & 1 ? a.weight : 256 - a.weight) * 0x1p-8f;
    if (axes > 1)
      w *= (n & 2 ? b.weight : 256 - b.weight) * 0x1p-8f;
    if (axes > 2)
      w *= (n & 4 ? c.weight : 256 - c.weight) * 0x1p-8f;
    const typename reader::texel t =
        reader::at(d, n & 1 ? a.high : a.low, n & 2 ? b.high : b.low, n & 4 ? c.high : c.low, 0);
    for (int k = 0; k < reader::channels; k++)
      sum.v[k] = (typename reader::scalar)fmaf(w, (float)t.v[k], (float)sum.v[k]);
  }
  return sum;
}
// The slice is that of a layer or face, or of the third axis.
template <class reader, int axes>
MPU_TEX typename reader::texel mpu_sample(mpu_tex d, float x, float y, float z, int slice) {
  const bool filter = d.modes & MPU_FILTER;
  const mpu_axis a = mpu_locate(d, x, (int)d.width, 0, filter);
  const mpu_axis b = axes > 1 ? mpu_locate(d, y, (int)d.height, 1, filter) : mpu_axis{0, 0, 0};
  const mpu_axis c =
      axes > 2 ? mpu_locate(d, z, (int)d.depth, 2, filter) : mpu_axis{slice, slice, 0};
  if (reader::is_float && filter)
    return mpu_blend<reader, axes>(d, a, b, c);
  return reader::at(d, a.low, b.low, c.low, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_sample_cube(mpu_tex d, float x, float y, float z, int slice) {
  const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  float s = x < 0 ? z : -z, t = -y, major = ax;
  int face = x < 0;
  if (az > ax && az > ay) {
    s = z < 0 ? -x : x, major = az, face = 4 + (z < 0);
  } else if (ay > ax) {
    s = x, t = y < 0 ? -z : z, major = ay, face = 2 + (y < 0);
  }
  s = (__fdiv_rn(s, major) + 1) * 0.5f;
  t = (__fdiv_rn(t, major) + 1) * 0.5f;
  return mpu_sample<reader, 2>(d, s, t, 0, slice + face);
}

// ---- one function for each name, with the reader to use

enum {
  MPU_FLAT = 1 << MPU_1D | 1 << MPU_2D,  // one row is also a picture, and its first row a row
};
template <class reader>
MPU_TEX typename reader::texel mpu_tex1Dfetch(mpu_address h, int i) {
  const mpu_tex d = mpu_texture_for<reader>(h, 1 << MPU_LINEAR);
  return reader::at(d, i >= 0 && (unsigned)i < d.width ? i : -1, 0, 0, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_tex1D(mpu_address h, float x) {
  return mpu_sample<reader, 1>(mpu_texture_for<reader>(h, MPU_FLAT), x, 0, 0, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_tex2D(mpu_address h, float x, float y) {
  return mpu_sample<reader, 2>(mpu_texture_for<reader>(h, MPU_FLAT), x, y, 0, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_tex3D(mpu_address h, float x, float y, float z) {
  return mpu_sample<reader, 3>(mpu_texture_for<reader>(h, 1 << MPU_3D), x, y, z, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_tex1DLayered(mpu_address h, float x, int layer) {
  const mpu_tex d = mpu_texture_for<reader>(h, 1 << MPU_1D_LAYERS);
  return mpu_sample<reader, 1>(d, x, 0, 0, mpu_layer(d, layer, 1));
}
template <class reader>
MPU_TEX typename reader::texel mpu_tex2DLayered(mpu_address h, float x, float y, int layer) {
  const mpu_tex d = mpu_texture_for<reader>(h, 1 << MPU_2D_LAYERS);
  return mpu_sample<reader, 2>(d, x, y, 0, mpu_layer(d, layer, 1));
}
template <class reader>
MPU_TEX typename reader::texel mpu_texCubemap(mpu_address h, float x, float y, float z) {
  return mpu_sample_cube<reader>(mpu_texture_for<reader>(h, 1 << MPU_CUBE), x, y, z, 0);
}
template <class reader>
MPU_TEX typename reader::texel mpu_texCubemapLayered(mpu_address h, float x, float y, float z,
                                                     int layer) {
  const mpu_tex d = mpu_texture_for<reader>(h, 1 << MPU_CUBE_LAYERS);
  return mpu_sample_cube<reader>(d, x, y, z, mpu_layer(d, layer, 6));
}
// Without mipmaps the level is 0, whatever level or gradient is given.
#define MPU_LEVELS(name, gradient, parameters, arguments)                                       \
  template <class reader>                                                                       \
  MPU_TEX typename reader::texel mpu_##name##Lod(mpu_address h, MPU_LIST parameters, float) {   \
    return mpu_##name<reader>(h, MPU_LIST arguments);                                           \
  }                                                                                             \
  template <class reader>                                                                       \
  MPU_TEX typename reader::texel mpu_##name##Grad(mpu_address h, MPU_LIST parameters, gradient, \
                                                  gradient) {                                   \
    return mpu_##name<reader>(h, MPU_LIST arguments);                                           \
  }
#define MPU_LIST(...) __VA_ARGS__
MPU_LEVELS(tex1D, float, (float x), (x))
MPU_LEVELS(tex2D, float2, (float x, float y), (x, y))
MPU_LEVELS(tex3D, float4, (float x, float y, float z), (x, y, z))
MPU_LEVELS(tex1DLayered, float, (float x, int layer), (x, layer))
MPU_LEVELS(tex2DLayered, float2, (float x, float y, int layer), (x, y, layer))
MPU_LEVELS(texCubemap, float4, (float x, float y, float z), (x, y, z))
MPU_LEVELS(texCubemapLayered, float4, (float x, float y, float z, int layer), (x, y, z, layer))
#undef MPU_LEVELS
#undef MPU_LIST

// One channel of the four texels that a linear filter would use, counterclockwise from below left.
template <class reader>
MPU_TEX typename reader::texel mpu_tex2Dgather(mpu_address h, float x, float y, int channel = 0) {
  typedef typename reader::one one;
  const mpu_tex d = mpu_texture_for<one>(h, MPU_FLAT);
  if (!(d.modes & MPU_GATHER))
    mpu_texture_stop(MPU_FAULT_GATHER);
  if (channel < 0 || (unsigned)channel >= MPU_CHANNELS_OF(d.type))
    mpu_texture_stop(MPU_FAULT_TYPE);
  const mpu_axis a = mpu_locate(d, x, (int)d.width, 0, true);
  const mpu_axis b = mpu_locate(d, y, (int)d.height, 1, true);
  return {{one::at(d, a.low, b.high, 0, channel).v[0], one::at(d, a.high, b.high, 0, channel).v[0],
           one::at(d, a.high, b.low, 0, channel).v[0], one::at(d, a.low, b.low, 0, channel).v[0]}};
}

// ---- CUDA's names, for objects and references

template <class T, class texels>
MPU_TEX T mpu_as(texels texel) {
  union {
    texels texel;
    T t;
  } u = {texel};
  return u.t;
}
template <class T>
using mpu_reader_of = mpu_reader<typename mpu_texel<T>::scalar, mpu_texel<T>::channels, -1>;

// What a reference gives for elements of type T.
template <class T, cudaTextureReadMode>
struct mpu_reading {
  typedef T type;
  typedef typename mpu_texel<T>::fours fours;
};
template <class T>
struct mpu_reading<T, cudaReadModeNormalizedFloat> {
  typedef typename mpu_texel<T>::floats type;
  typedef float4 fours;
};
template <class T, class source>
using mpu_reader_as = mpu_reader<typename mpu_texel<T>::scalar, mpu_texel<T>::channels,
                                 mpu_scalar<typename mpu_texel<source>::scalar>::kind>;
template <class T, int type, cudaTextureReadMode mode>
MPU_TEX mpu_address mpu_handle(texture<T, type, mode> t) {
  mpu_address h;
  asm("mov.b64 %0, %1;" : "=l"(h) : "l"(t));
  return h;
}

#define MPU_TEXTURE(name, its_type, result)                                                  \
  template <class T, class... A>                                                             \
  MPU_TEX T name(cudaTextureObject_t o, A... a) {                                            \
    return mpu_as<T>(mpu_##name<mpu_reader_of<T>>(o, a...));                                 \
  }                                                                                          \
  template <class T, class... A>                                                             \
  MPU_TEX void name(T *to, cudaTextureObject_t o, A... a) {                                  \
    *to = mpu_as<T>(mpu_##name<mpu_reader_of<T>>(o, a...));                                  \
  }                                                                                          \
  template <class T, cudaTextureReadMode mode, class... A>                                   \
  MPU_TEX typename mpu_reading<T, mode>::result name(texture<T, its_type, mode> t, A... a) { \
    typedef typename mpu_reading<T, mode>::result to;                                        \
    return mpu_as<to>(mpu_##name<mpu_reader_as<to, T>>(mpu_handle(t), a...));                \
  }
#define MPU_TEXTURES(name, its_type)     \
  MPU_TEXTURE(name, its_type, type)      \
  MPU_TEXTURE(name##Lod, its_type, type) \
  MPU_TEXTURE(name##Grad, its_type, type)
MPU_TEXTURE(tex1Dfetch, cudaTextureType1D, type)
MPU_TEXTURE(tex2Dgather, cudaTextureType2D, fours)
MPU_TEXTURES(tex1D, cudaTextureType1D)
MPU_TEXTURES(tex2D, cudaTextureType2D)
MPU_TEXTURES(tex3D, cudaTextureType3D)
MPU_TEXTURES(tex1DLayered, cudaTextureType1DLayered)
MPU_TEXTURES(tex2DLayered, cudaTextureType2DLayered)
MPU_TEXTURES(texCubemap, cudaTextureTypeCubemap)
MPU_TEXTURES(texCubemapLayered, cudaTextureTypeCubemapLayered)
#undef MPU_TEXTURES
#undef MPU_TEXTURE
#endif
#endif
