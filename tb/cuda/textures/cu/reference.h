// SPDX-License-Identifier: Apache-2.0
// The rule of docs/textures.md on the host, written apart from the headers: what a fetch gives.
#ifndef NEARBANK_TEXTURE_REFERENCE_H
#define NEARBANK_TEXTURE_REFERENCE_H
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

struct picture {  // rows, slices one after the other, without gaps
  cudaChannelFormatDesc desc;
  int width, height, depth;  // depth: also layers and faces
  std::vector<uint8_t> bytes;

  int channels() const { return 1 + (desc.y != 0) + (desc.z != 0) + (desc.w != 0); }
  int texel() const { return channels() * desc.x / 8; }
  picture(cudaChannelFormatDesc d, int w, int h, int deep)
      : desc(d), width(w), height(h), depth(deep) {
    std::mt19937 random(w * 31 + h * 7 + deep);
    bytes.resize((size_t)w * h * deep * texel());
    for (auto &b : bytes)
      b = (uint8_t)random();
    if (d.f == cudaChannelFormatKindFloat && d.x == 32)  // no NaN, and sums that round
      for (size_t n = 0; n < bytes.size(); n += 4) {
        float v = (float)((int)random() % 100000) / 777;
        memcpy(&bytes[n], &v, 4);
      }
  }
};

// How it is read.
struct reading {
  bool normalized, linear, unit;
  int address[3];
  float border[4];
};

struct value {  // of a channel: bits of an integer, or a float
  int32_t i;
  float f;
};

static float half_value(unsigned h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  float v = exponent == 31 ? (fraction ? NAN : INFINITY)
            : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                           : ldexpf((float)fraction, -24);
  return h & 0x8000 ? -v : v;
}

static value channel(const picture &p, const reading &r, const int at[3], int c) {
  if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
    value v;
    v.f = r.border[c];
    memcpy(&v.i, &v.f, 4);
    return v;
  }
  const int bits = p.desc.x;
  uint32_t raw = 0;
  memcpy(
      &raw,
      &p.bytes[(((size_t)at[2] * p.height + at[1]) * p.width + at[0]) * p.texel() + c * bits / 8],
      bits / 8);
  value v = {0, 0};
  if (p.desc.f == cudaChannelFormatKindFloat) {
    if (bits == 16)
      v.f = half_value(raw);
    else
      memcpy(&v.f, &raw, 4);
  } else if (p.desc.f == cudaChannelFormatKindUnsigned) {
    v.i = (int32_t)raw;
    v.f = (float)((double)raw / (bits == 8 ? 255 : 65535));
  } else {
    v.i = (int32_t)(raw << (32 - bits)) >> (32 - bits);
    const double most = bits == 8 ? 127 : 32767;
    v.f = (float)(v.i < -most ? -1 : v.i / most);
  }
  return v;
}

static int placed(long i, int n, int mode) {
  switch (mode) {
    case cudaAddressModeBorder:
      return i < 0 || i >= n ? -1 : (int)i;
    case cudaAddressModeWrap:
      return (int)((i % n + n) % n);
    default:
      return (int)(i < 0 ? 0 : i >= n ? n - 1 : i);
  }
}

struct axis {
  int low, high, weight;  // of high, in 256ths
};
static axis axis_of(float x, int n, int mode, bool normalized, bool linear) {
  if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
    mode = cudaAddressModeClamp;
  if (normalized) {
    const float whole = floorf(x), part = (float)((double)x - whole);
    if (mode == cudaAddressModeWrap)
      x = part;
    if (mode == cudaAddressModeMirror)
      x = fmod(whole, 2) != 0 ? (float)(1 - (double)part) : part;
    x = (float)((double)x * n);
  }
  const double exact = std::isnan(x) || x < -2 ? -2 : x > n + 1 ? n + 1 : x;
  if (!linear) {
    const int i = placed((long)floor(exact), n, mode);
    return {i, i, 0};
  }
  const float from = (float)(exact - 0.5);
  const float part = (float)((double)from - floor(from));
  return {placed((long)floor(from), n, mode), placed((long)floor(from) + 1, n, mode),
          (int)nearbyint(256.0 * part)};
}

// The channels at x, y, z of the first `axes` axes; the slice else.
static void fetch(const picture &p, const reading &r, int axes, const float *x, int slice,
                  value *out) {
  const int sizes[] = {p.width, p.height, p.depth};
  axis a[3] = {{0, 0, 0}, {0, 0, 0}, {slice, slice, 0}};
  for (int n = 0; n < axes; n++)
    a[n] = axis_of(x[n], sizes[n], r.address[n], r.normalized, r.linear);
  for (int c = 0; c < p.channels(); c++) {
    float sum = 0;
    for (int t = 0; t < 1 << axes && r.linear; t++) {
      double weight = 1;
      int at[] = {a[0].low, a[1].low, a[2].low};
      for (int n = 0; n < axes; n++) {
        at[n] = t >> n & 1 ? a[n].high : a[n].low;
        weight *= (t >> n & 1 ? a[n].weight : 256 - a[n].weight) / 256.0;
      }
      sum = fmaf((float)weight, channel(p, r, at, c).f, sum);
    }
    const int at[] = {a[0].low, a[1].low, a[2].low};
    out[c] = channel(p, r, at, c);
    if (r.linear)
      out[c].f = sum;
  }
}

// Face and coordinates of a direction.
static int face_of(const float *v, float *st) {
  int m = fabsf(v[1]) > fabsf(v[0]) ? 1 : 0;
  if (fabsf(v[2]) > fabsf(v[0]) && fabsf(v[2]) > fabsf(v[1]))
    m = 2;
  const bool minus = v[m] < 0;
  const float s[] = {minus ? v[2] : -v[2], v[0], minus ? -v[0] : v[0]};
  const float t[] = {-v[1], minus ? -v[2] : v[2], -v[1]};
  st[0] = (s[m] / fabsf(v[m]) + 1) / 2;
  st[1] = (t[m] / fabsf(v[m]) + 1) / 2;
  return 2 * m + minus;
}

// An array with the texels of a picture.
static cudaArray_t filled(const picture &p, unsigned flags = 0, bool rows = true,
                          bool slices = false) {
  cudaArray_t a;
  OK(cudaMalloc3DArray(&a, &p.desc,
                       make_cudaExtent(p.width, rows ? p.height : 0, slices ? p.depth : 0), flags));
  cudaMemcpy3DParms m = {};
  m.srcPtr = make_cudaPitchedPtr((void *)p.bytes.data(), p.width * p.texel(), p.width, p.height);
  m.dstArray = a;
  m.extent = make_cudaExtent(p.width, p.height, p.depth);
  m.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&m));
  return a;
}
#endif
