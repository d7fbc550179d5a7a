// SPDX-License-Identifier: Apache-2.0
// Texture and surface references: static, global, of a namespace, in a template and handed to
// functions; found by name and by address; fields count when something is bound.
#include <texture_types.h>
#include <cuda_texture_types.h>
#include <texture_fetch_functions.h>
#include <channel_descriptor.h>
#include "../../runtime/cu/check.h"
#include "reference.h"

texture<float, cudaTextureType2D, cudaReadModeElementType> image;
static texture<uchar4, 1, cudaReadModeNormalizedFloat> bytes;
texture<int2> pairs;  // 1D, as it is
texture<short, 2, cudaReadModeNormalizedFloat> preset(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<float, cudaTextureType3D> volume;
texture<float, cudaTextureType1DLayered> lines;
texture<float, cudaTextureType2DLayered> pages;
texture<float, cudaTextureTypeCubemap> sky;
texture<float, cudaTextureTypeCubemapLayered> skies;
texture<ushort2, 2> corners;
namespace deep {
texture<float4, 1> colours;
}

__device__ float pass_on(texture<float, 2, cudaReadModeElementType> t, float x, float y) {
  return tex2D(t, x, y);
}
__global__ void see_image(float *out, float y) {
  out[threadIdx.x] = tex2D(image, 0.25f * threadIdx.x, y);
  out[threadIdx.x + 32] = pass_on(image, 0.25f * threadIdx.x, y);
}
__global__ void see_memory(float4 *out, int2 *two) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch(bytes, i);
  two[i] = tex1Dfetch(pairs, i);
}
__global__ void see_preset(float *out) {
  out[threadIdx.x] = tex2D(preset, threadIdx.x / 13.f - 1, threadIdx.x / 7.f);
}
__global__ void see_colours(float4 *out, float x) {
  out[threadIdx.x] = tex1D(deep::colours, threadIdx.x + x);
}
__global__ void see_rest(float *out) {
  const float i = (float)threadIdx.x;
  out[threadIdx.x] = tex3D(volume, i, 1, 2);
  out[threadIdx.x + 4] = tex1DLayered(lines, i, 2);
  out[threadIdx.x + 8] = tex2DLayered(pages, i, 3, 1);
  out[threadIdx.x + 12] = texCubemap(sky, -1, 0.3f * i, 0.9f);
  out[threadIdx.x + 16] = texCubemapLayered(skies, 0.2f, 0.3f * i, -1, 1);
}
__global__ void see_corners(ushort4 *out) {
  out[threadIdx.x] = tex2Dgather(corners, threadIdx.x, 2, 1);
}

static float wanted(const picture &p, const reading &r, int axes, float x, float y, float z,
                    int slice = 0) {
  const float at[] = {x, y, z};
  value v[4];
  fetch(p, r, axes, at, slice, v);
  return v[0].f;
}

// Bound to an array and to rows in memory; fields that change.
static void images() {
  const picture p(cudaCreateChannelDesc<float>(), 7, 5, 1),
      q(cudaCreateChannelDesc<float>(), 8, 3, 1);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t a = filled(p), b = filled(q);
  float *out, got[64], *rows;
  size_t pitch, offset = 77;
  OK(cudaMalloc(&out, sizeof got));
  OK(cudaMallocPitch(&rows, &pitch, 8 * 4, 3));
  OK(cudaMemcpy2D(rows, pitch, q.bytes.data(), 32, 32, 3, cudaMemcpyHostToDevice));
  for (int n = 0; n < 6; n++) {
    reading r = {false, (bool)(n & 1), false, {cudaAddressModeClamp, cudaAddressModeClamp, 0}, {}};
    image.normalized = false;
    image.filterMode = n & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
    image.addressMode[0] = n & 2 ? cudaAddressModeBorder : cudaAddressModeClamp;
    r.address[0] = image.addressMode[0];
    if (n < 2)
      OK(cudaBindTextureToArray(image, a));
    else if (n < 4)
      OK(cudaBindTextureToArray(&image, b, &desc));
    else
      OK(cudaBindTexture2D(&offset, image, rows, desc, 8, 3, pitch));
    image.filterMode = cudaFilterModePoint;  // too late
    see_image<<<1, 32>>>(out, 1.75f);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
      CHECK(got[i] == wanted(n < 2 ? p : q, r, 2, 0.25f * (i % 32), 1.75f, 0));
  }
  CHECK(offset == 0);
  OK(cudaUnbindTexture(image));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
  OK(cudaFree(rows));
  OK(cudaFree(out));
}

// tex1Dfetch, also of memory that begins behind an aligned address; out of range is 0.
static void linear_memory() {
  const picture p(cudaCreateChannelDesc<uchar4>(), 40, 1, 1),
      q(cudaCreateChannelDesc<int2>(), 20, 1, 1);
  uchar4 *b;
  int2 *i, *two, got_two[32];
  float4 *out, got[32];
  size_t offset = 0;
  OK(cudaMalloc(&b, 160));
  OK(cudaMalloc(&i, 160));
  OK(cudaMalloc(&two, sizeof got_two));
  OK(cudaMalloc(&out, sizeof got));
  OK(cudaMemcpy(b, p.bytes.data(), 160, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(i, q.bytes.data(), 160, cudaMemcpyHostToDevice));
  OK(cudaBindTexture(nullptr, bytes, b, 30 * sizeof *b));
  OK(cudaBindTexture(&offset, pairs, i + 3));
  CHECK(offset == 24);
  OK(cudaGetTextureAlignmentOffset(&offset, pairs));
  CHECK(offset == 24);
  see_memory<<<1, 32>>>(out, two);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(got_two, two, sizeof got_two, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 32; n++) {
    CHECK(got[n].x == (n < 30 ? p.bytes[4 * n] / 255.f : 0) &&
          got[n].w == (n < 30 ? p.bytes[4 * n + 3] / 255.f : 0));
    const int2 w = n < 20 ? ((const int2 *)q.bytes.data())[n] : make_int2(0, 0);
    CHECK(got_two[n].x == w.x && got_two[n].y == w.y);
  }
  const textureReference *by_name, *by_address;
  const cudaChannelFormatDesc d = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  OK(cudaGetTextureReference(&by_address, &bytes));
  CHECK(by_address == &bytes);
  OK(cudaGetTextureReference(&by_name, "pairs"));
  CHECK(by_name == &pairs);
  OK(cudaBindTexture(nullptr, by_address, b, &d));  // all of it
  see_memory<<<1, 32>>>(out, two);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got[31].y == p.bytes[4 * 31 + 1] / 255.f);
  OK(cudaFree(b));
  OK(cudaFree(i));
}

static void other_forms() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  const picture p(cudaCreateChannelDesc<short>(), 9, 6, 1), v(d, 4, 5, 6), l(d, 5, 1, 4),
      g(d, 6, 5, 3), s(d, 4, 4, 6), ss(d, 3, 3, 12), c(cudaCreateChannelDesc<float4>(), 8, 1, 1),
      k(cudaCreateChannelDesc<ushort2>(), 4, 4, 1);
  float *out, got[32];
  float4 *four, colours[8];
  OK(cudaMalloc(&out, sizeof got));
  OK(cudaMalloc(&four, sizeof colours));
  OK(cudaBindTextureToArray(preset, filled(p)));
  see_preset<<<1, 32>>>(out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 32; n++) {
    const reading r = {true, true, true, {0, 0, 0}, {}};
    CHECK(got[n] == wanted(p, r, 2, n / 13.f - 1, n / 7.f, 0));
  }
  OK(cudaBindTextureToArray(deep::colours, filled(c)));  // a picture of one row as a row
  see_colours<<<1, 8>>>(four, 0.5f);
  OK(cudaMemcpy(colours, four, sizeof colours, cudaMemcpyDeviceToHost));
  CHECK(memcmp(colours, c.bytes.data(), sizeof colours) == 0);
  OK(cudaBindTextureToArray(volume, filled(v, 0, true, true)));
  OK(cudaBindTextureToArray(lines, filled(l, cudaArrayLayered, false, true)));
  OK(cudaBindTextureToArray(pages, filled(g, cudaArrayLayered, true, true)));
  OK(cudaBindTextureToArray(sky, filled(s, cudaArrayCubemap, true, true)));
  OK(cudaBindTextureToArray(skies, filled(ss, cudaArrayCubemap | cudaArrayLayered, true, true)));
  see_rest<<<1, 4>>>(out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  const reading point = {false, false, false, {1, 1, 1}, {}},
                unit = {true, false, false, {1, 1, 1}, {}};
  for (int n = 0; n < 4; n++) {
    const float a[] = {-1, 0.3f * n, 0.9f}, b[] = {0.2f, 0.3f * n, -1};
    float sa[2], sb[2];
    const int fa = face_of(a, sa), fb = face_of(b, sb);
    CHECK(got[n] == wanted(v, point, 3, n, 1, 2));
    CHECK(got[n + 4] == wanted(l, point, 1, n, 0, 0, 2));
    CHECK(got[n + 8] == wanted(g, point, 2, n, 3, 0, 1));
    CHECK(got[n + 12] == wanted(s, unit, 2, sa[0], sa[1], 0, fa));
    CHECK(got[n + 16] == wanted(ss, unit, 2, sb[0], sb[1], 0, 6 + fb));
  }
  OK(cudaBindTextureToArray(corners, filled(k, cudaArrayTextureGather)));
  see_corners<<<1, 4>>>((ushort4 *)four);
  ushort4 of[4];
  OK(cudaMemcpy(of, four, sizeof of, cudaMemcpyDeviceToHost));
  const ushort2 *t = (const ushort2 *)k.bytes.data();
  CHECK(of[2].x == t[2 * 4 + 1].y && of[2].y == t[2 * 4 + 2].y && of[2].z == t[4 + 2].y &&
        of[2].w == t[4 + 1].y);
}

int main() {
  images();
  linear_memory();
  other_forms();
  END;
}
