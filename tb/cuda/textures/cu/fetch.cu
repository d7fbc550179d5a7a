// SPDX-License-Identifier: Apache-2.0
// Fetches from texture objects of every dimension, element type, read mode, filter, address mode,
// with and without normalized coordinates, against the rule on the host: bit by bit.
#include "../../runtime/cu/check.h"
#include "reference.h"

enum form { F1D, F2D, F3D, F1DL, F2DL, CUBE, CUBEL, FETCH, GATHER, FORMS };
enum { POINTS = 160 };
static const char *const names[] = {"tex1D",
                                    "tex2D",
                                    "tex3D",
                                    "tex1DLayered",
                                    "tex2DLayered",
                                    "texCubemap",
                                    "texCubemapLayered",
                                    "tex1Dfetch",
                                    "tex2Dgather"};

template <class T, int form>
__global__ void sample(cudaTextureObject_t o, const float4 *at, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 a = at[i];
  const int layer = (int)a.w;
  if constexpr (form == F1D)
    out[i] = tex1D<T>(o, a.x);
  if constexpr (form == F2D)
    out[i] = tex2D<T>(o, a.x, a.y);
  if constexpr (form == F3D)
    tex3D(&out[i], o, a.x, a.y, a.z);
  if constexpr (form == F1DL)
    out[i] = tex1DLayered<T>(o, a.x, layer);
  if constexpr (form == F2DL)
    out[i] = tex2DLayered<T>(o, a.x, a.y, layer);
  if constexpr (form == CUBE)
    out[i] = texCubemap<T>(o, a.x, a.y, a.z);
  if constexpr (form == CUBEL)
    out[i] = texCubemapLayered<T>(o, a.x, a.y, a.z, layer);
  if constexpr (form == FETCH)
    out[i] = tex1Dfetch<T>(o, (int)a.x);
}
template <class T>
__global__ void gather(cudaTextureObject_t o, const float4 *at, T *out, int n, int channel) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tex2Dgather<T>(o, at[i].x, at[i].y, channel);
}
__global__ void levels(cudaTextureObject_t o, const float4 *at, float *out, int n) {
  const int i = threadIdx.x;
  const float4 a = at[i];
  out[2 * i] = tex2DLod<float>(o, a.x, a.y, 3.5f);
  out[2 * i + 1] = tex2DGrad<float>(o, a.x, a.y, make_float2(1, 2), make_float2(3, 4));
}

// ---- points

static std::vector<float4> points_of(int w, int h, int d, bool normalized, bool cube) {
  static std::mt19937 random(5);
  const float specials[] = {0, -0.0f, 0.5f, 1, -1e-9f, -1, 1.5f, 2, NAN, 1e30f, -1e30f, INFINITY};
  std::vector<float4> all;
  for (int n = 0; n < POINTS; n++) {
    float v[3];
    const int size[] = {w, h, d};
    for (int k = 0; k < 3; k++) {
      const float unit = (float)(random() % 100003) / 100003 * 6 - 2.5f;
      v[k] = n < 12       ? specials[(n + 5 * k) % 12]
             : cube       ? unit
             : normalized ? (n % 3 ? unit : (float)(int)(unit * 8) / 8)
             : n % 3      ? (unit + 2.5f) / 6 * (size[k] + 4) - 2
                          : (float)(int)(unit * 4) / 2;
      if (cube && !(fabsf(v[k]) < 1e20f))
        v[k] = 3;
    }
    all.push_back({v[0], v[1], v[2], (float)((int)(random() % 9) - 2)});
  }
  if (cube)
    all[0].x = 1;  // a direction
  return all;
}

static cudaArray_t array_of(const picture &p, form f) {
  static const unsigned flags[] = {0,
                                   0,
                                   0,
                                   cudaArrayLayered,
                                   cudaArrayLayered,
                                   cudaArrayCubemap,
                                   cudaArrayCubemap | cudaArrayLayered,
                                   0,
                                   cudaArrayTextureGather};
  const bool rows = f != F1D && f != F1DL, slices = f != F1D && f != F2D && f != GATHER;
  return filled(p, flags[f], rows, slices);
}

static cudaTextureObject_t object_of(const cudaResourceDesc &r, const reading &how) {
  cudaTextureDesc d = {};
  cudaTextureObject_t o = 0;
  for (int n = 0; n < 3; n++)
    d.addressMode[n] = (cudaTextureAddressMode)how.address[n];
  d.filterMode = how.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.readMode = how.unit ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  memcpy(d.borderColor, how.border, sizeof how.border);
  d.normalizedCoords = how.normalized;
  OK(cudaCreateTextureObject(&o, &r, &d, nullptr));
  return o;
}

// ---- what is expected

static void expect(const picture &p, const reading &how, form f, float4 at, value *want) {
  const float x[] = {at.x, at.y, at.z};
  const int layers = f == CUBEL ? p.depth / 6 : p.depth, w = (int)at.w;
  const int layer = w < 0 ? 0 : w >= layers ? layers - 1 : w;
  float st[2];
  if (f == FETCH) {
    const int i = (int)at.x, in[] = {i < p.width ? i : -1, 0, 0};
    reading zero = how;
    memset(zero.border, 0, sizeof zero.border);
    for (int c = 0; c < p.channels(); c++)
      want[c] = channel(p, zero, in, c);
  } else if (f == CUBE || f == CUBEL) {
    const int face = face_of(x, st);
    reading in_face = how;
    in_face.normalized = true;
    for (int &m : in_face.address)
      m = cudaAddressModeClamp;
    fetch(p, in_face, 2, st, (f == CUBEL ? 6 * layer : 0) + face, want);
  } else {
    static const int axes[] = {1, 2, 3, 1, 2};
    fetch(p, how, axes[f], x, f == F3D || f == F1D || f == F2D ? 0 : layer, want);
  }
}

template <class T>
static bool same(const T &got, const value *want) {
  typedef typename mpu_texel<T>::scalar scalar;
  scalar v[4];
  memcpy(v, &got, sizeof got);
  for (int c = 0; c < mpu_texel<T>::channels; c++) {
    const scalar w = std::is_same<scalar, float>::value ? (scalar)want[c].f : (scalar)want[c].i;
    if (memcmp(&v[c], &w, sizeof w) && !(w != w && v[c] != v[c]) && !(w == 0 && v[c] == 0))
      return false;
  }
  return true;
}

static void tell(form f, const picture &p, const reading &how, float4 at) {
  printf("%s: %d bits %c x %d, %dx%dx%d, %s%s%saddress %d %d %d, at %g %g %g %g\n", names[f],
         p.desc.x, "sufn"[p.desc.f], p.channels(), p.width, p.height, p.depth,
         how.normalized ? "normalized " : "", how.linear ? "linear " : "", how.unit ? "unit " : "",
         how.address[0], how.address[1], how.address[2], at.x, at.y, at.z, at.w);
}

template <class T, form f>
static void compare(const picture &p, const reading &how, cudaTextureObject_t o) {
  const auto at = points_of(p.width, p.height, p.depth, how.normalized, f == CUBE || f == CUBEL);
  float4 *d_at;
  T *d_out;
  std::vector<T> out(POINTS);
  OK(cudaMalloc(&d_at, sizeof(float4) * POINTS));
  OK(cudaMalloc(&d_out, sizeof(T) * POINTS));
  OK(cudaMemcpy(d_at, at.data(), sizeof(float4) * POINTS, cudaMemcpyHostToDevice));
  sample<T, f><<<(POINTS + 63) / 64, 64>>>(o, d_at, d_out, POINTS);
  OK(cudaMemcpy(out.data(), d_out, sizeof(T) * POINTS, cudaMemcpyDeviceToHost));
  for (int n = 0; n < POINTS; n++) {
    value want[4];
    if (f == FETCH && !(fabsf(at[n].x) < 1e6f))
      continue;
    expect(p, how, f, at[n], want);
    const bool ok = same(out[n], want);
    if (!ok && failures < 10)
      tell(f, p, how, at[n]);
    CHECK(ok);
  }
  OK(cudaFree(d_at));
  OK(cudaFree(d_out));
}

static reading reading_of(int n, bool linear, bool unit) {
  reading r = {
      (bool)(n & 1), linear, unit, {n >> 1 & 3, ((n >> 1) + 1) & 3, ((n >> 1) + 2) & 3}, {}};
  const float colour[] = {0.25f, -3, 1e-3f, 77};
  memcpy(r.border, colour, sizeof colour);
  return r;
}

// All ways to read one picture.
template <class T, form f>
static void all_modes(cudaChannelFormatDesc desc, int w, int h, int d, bool unit) {
  const bool is_float = std::is_same<typename mpu_texel<T>::scalar, float>::value;
  const picture p(desc, w, h, d);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array_of(p, f);
  for (int n = 0; n < 8; n++)
    for (int linear = 0; linear <= is_float; linear++) {
      const reading how = reading_of(n, linear, unit);
      const cudaTextureObject_t o = object_of(r, how);
      compare<T, f>(p, how, o);
      OK(cudaDestroyTextureObject(o));
    }
  OK(cudaFreeArray(r.res.array.array));
}

// Memory instead of an array: rows with a pitch, and tex1Dfetch.
template <class T>
static void in_memory(cudaChannelFormatDesc desc, bool unit) {
  const picture p(desc, 37, 9, 1), line(desc, 45, 1, 1);
  const bool is_float = std::is_same<typename mpu_texel<T>::scalar, float>::value;
  cudaResourceDesc r = {};
  size_t pitch;
  void *m;
  OK(cudaMallocPitch(&m, &pitch, p.width * p.texel(), p.height));
  OK(cudaMemcpy2D(m, pitch, p.bytes.data(), p.width * p.texel(), p.width * p.texel(), p.height,
                  cudaMemcpyHostToDevice));
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = m;
  r.res.pitch2D.desc = desc;
  r.res.pitch2D.width = p.width;
  r.res.pitch2D.height = p.height;
  r.res.pitch2D.pitchInBytes = pitch;
  for (int n = 0; n < 8; n += 3) {
    const reading how = reading_of(n, is_float && n, unit);
    const cudaTextureObject_t o = object_of(r, how);
    compare<T, F2D>(p, how, o);
    OK(cudaDestroyTextureObject(o));
  }
  OK(cudaMemcpy(m, line.bytes.data(), line.bytes.size(), cudaMemcpyHostToDevice));
  r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = m;
  r.res.linear.desc = desc;
  r.res.linear.sizeInBytes = line.bytes.size();
  const reading how = reading_of(0, false, unit);
  const cudaTextureObject_t o = object_of(r, how);
  compare<T, FETCH>(line, how, o);
  OK(cudaDestroyTextureObject(o));
  OK(cudaFree(m));
}

template <class T>
static void type() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
  in_memory<T>(d, false);
  if (d.f != cudaChannelFormatKindFloat && d.x < 32)
    in_memory<typename mpu_texel<T>::floats>(d, true);
}

template <class T>
static void every_form(cudaChannelFormatDesc d, bool unit) {
  all_modes<T, F1D>(d, 19, 1, 1, unit);
  all_modes<T, F2D>(d, 13, 7, 1, unit);
  all_modes<T, F3D>(d, 5, 6, 7, unit);
  all_modes<T, F1DL>(d, 11, 1, 5, unit);
  all_modes<T, F2DL>(d, 6, 5, 4, unit);
  all_modes<T, CUBE>(d, 6, 6, 6, unit);
  all_modes<T, CUBEL>(d, 5, 5, 18, unit);
}

static void gathers() {
  const picture p(cudaCreateChannelDesc<short4>(), 9, 5, 1);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array_of(p, GATHER);
  for (int n = 0; n < 8; n++) {
    const reading how = reading_of(n, false, n & 2);
    const cudaTextureObject_t o = object_of(r, how);
    const auto at = points_of(p.width, p.height, 1, how.normalized, false);
    float4 *d_at, *d_out;
    std::vector<float4> out(POINTS);
    const int c = n & 3;
    OK(cudaMalloc(&d_at, sizeof(float4) * POINTS));
    OK(cudaMalloc(&d_out, sizeof(float4) * POINTS));
    OK(cudaMemcpy(d_at, at.data(), sizeof(float4) * POINTS, cudaMemcpyHostToDevice));
    if (how.unit)
      gather<float4><<<5, 32>>>(o, d_at, d_out, POINTS, c);
    else
      gather<short4><<<5, 32>>>(o, d_at, (short4 *)d_out, POINTS, c);
    OK(cudaMemcpy(out.data(), d_out, sizeof(float4) * POINTS, cudaMemcpyDeviceToHost));
    for (int k = 0; k < POINTS; k++) {
      const axis a = axis_of(at[k].x, p.width, how.address[0], how.normalized, true);
      const axis b = axis_of(at[k].y, p.height, how.address[1], how.normalized, true);
      const int corners[4][3] = {
          {a.low, b.high, 0}, {a.high, b.high, 0}, {a.high, b.low, 0}, {a.low, b.low, 0}};
      value want[4];
      for (int i = 0; i < 4; i++)
        want[i] = channel(p, how, corners[i], c);
      const bool ok = how.unit ? same(out[k], want) : same(((short4 *)out.data())[k], want);
      if (!ok && failures < 10)
        tell(GATHER, p, how, at[k]);
      CHECK(ok);
    }
    OK(cudaFree(d_at));
    OK(cudaFree(d_out));
    OK(cudaDestroyTextureObject(o));
  }
  OK(cudaFreeArray(r.res.array.array));
}

// Without mipmaps a level or gradient means nothing.
static void any_level() {
  const picture p(cudaCreateChannelDesc<float>(), 9, 5, 1);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array_of(p, F2D);
  const reading how = reading_of(2, true, false);
  const cudaTextureObject_t o = object_of(r, how);
  const auto at = points_of(9, 5, 1, false, false);
  float4 *d_at;
  float *d_out, out[64];
  OK(cudaMalloc(&d_at, sizeof(float4) * 32));
  OK(cudaMalloc(&d_out, sizeof out));
  OK(cudaMemcpy(d_at, at.data(), sizeof(float4) * 32, cudaMemcpyHostToDevice));
  levels<<<1, 32>>>(o, d_at, d_out, 32);
  OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 32; n++) {
    value want;
    expect(p, how, F2D, at[n], &want);
    CHECK(out[2 * n] == want.f && out[2 * n + 1] == want.f);
  }
  OK(cudaDestroyTextureObject(o));
  OK(cudaFreeArray(r.res.array.array));
}

int main() {
  type<unsigned char>(), type<uchar1>(), type<uchar2>(), type<uchar4>();
  type<signed char>(), type<char>(), type<char2>(), type<char4>();
  type<unsigned short>(), type<ushort2>(), type<ushort4>();
  type<short>(), type<short1>(), type<short2>(), type<short4>();
  type<unsigned int>(), type<uint2>(), type<uint4>(), type<int>(), type<int2>(), type<int4>();
  type<float>(), type<float1>(), type<float2>(), type<float4>();
  in_memory<float>(cudaCreateChannelDescHalf(), false);
  in_memory<float4>(cudaCreateChannelDescHalf4(), false);
  every_form<float>(cudaCreateChannelDesc<float>(), false);
  every_form<float2>(cudaCreateChannelDesc<short2>(), true);
  every_form<int4>(cudaCreateChannelDesc<int4>(), false);
  gathers();
  any_level();
  END;
}
