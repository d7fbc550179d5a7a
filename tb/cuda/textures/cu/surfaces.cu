// SPDX-License-Identifier: Apache-2.0
// Surfaces: objects and references, every dimension and size of access, boundary modes.
#include <cuda_surface_types.h>
#include <surface_functions.h>
#include <surface_types.h>
#include "../../runtime/cu/check.h"
#include "reference.h"

surface<void, cudaSurfaceType1D> line;
surface<void, cudaSurfaceType2D> sheet;
static surface<void, cudaSurfaceType3D> block;
surface<void, cudaSurfaceType2DLayered> pages;
surface<void, cudaSurfaceTypeCubemap> cube;

// Every byte of a row moves one texel to the right, at most to its end.
template <class T>
__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) {
    const T t = surf2Dread<T>(from, (x - 1) * (int)sizeof(T), y, cudaBoundaryModeClamp);
    surf2Dwrite(t, to, x * (int)sizeof(T), y);
  }
}
template <class T>
static void sizes() {
  const picture p(cudaCreateChannelDesc<T>(), 11, 5, 1);
  cudaArray_t a, b;
  std::vector<T> got(55);
  const T *was = (const T *)p.bytes.data();
  const size_t row = 11 * sizeof(T);
  OK(cudaMallocArray(&a, &p.desc, 11, 5, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&b, &p.desc, 11, 5, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(a, 0, 0, p.bytes.data(), row, row, 5, cudaMemcpyHostToDevice));
  cudaResourceDesc ra = {}, rb = {};
  cudaSurfaceObject_t sa, sb;
  ra.resType = rb.resType = cudaResourceTypeArray;
  ra.res.array.array = a;
  rb.res.array.array = b;
  OK(cudaCreateSurfaceObject(&sa, &ra));
  OK(cudaCreateSurfaceObject(&sb, &rb));
  shift<T><<<5, 32>>>(sa, sb, 11, 5);
  OK(cudaMemcpy2DFromArray(got.data(), row, b, 0, 0, row, 5, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 55; n++)
    CHECK(memcmp(&got[n], &was[n - (n % 11 != 0)], sizeof(T)) == 0);
  cudaResourceDesc back;
  OK(cudaGetSurfaceObjectResourceDesc(&back, sb));
  CHECK(back.res.array.array == b);
  OK(cudaDestroySurfaceObject(sa));
  OK(cudaDestroySurfaceObject(sb));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

__global__ void boundaries(cudaSurfaceObject_t s, int *out) {
  out[0] = surf2Dread<int>(s, -4, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<int>(s, 0, 3, cudaBoundaryModeZero);
  out[2] = surf2Dread<int>(s, 16, -9, cudaBoundaryModeClamp);
  out[3] = surf2Dread<int>(s, -4, 99, cudaBoundaryModeClamp);
  out[4] = surf2Dread<int>(s, 12, 2, cudaBoundaryModeZero);
  surf2Dwrite(-1, s, 16, 0, cudaBoundaryModeZero);
  surf2Dwrite(-2, s, 0, -1, cudaBoundaryModeZero);
  surf2Dwrite(-3, s, 400, 400, cudaBoundaryModeClamp);
  surf2Dread(&out[5], s, 8, 1);
}
static void edges() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
  cudaArray_t a;
  int h[12], *out, got[6], end[12];
  for (int n = 0; n < 12; n++)
    h[n] = 100 + n;
  OK(cudaMallocArray(&a, &d, 4, 3, cudaArraySurfaceLoadStore));
  OK(cudaMemcpyToArray(a, 0, 0, h, sizeof h, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  cudaSurfaceObject_t s;
  r.res.array.array = a;
  OK(cudaCreateSurfaceObject(&s, &r));
  OK(cudaMalloc(&out, sizeof got));
  boundaries<<<1, 1>>>(s, out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got[0] == 0 && got[1] == 0 && got[2] == 103 && got[3] == 108 && got[4] == 111 &&
        got[5] == 106);
  OK(cudaMemcpyFromArray(end, a, 0, 0, sizeof end, cudaMemcpyDeviceToHost));
  h[11] = -3;
  CHECK(memcmp(end, h, sizeof h) == 0);
}

// One program's references, and objects of the forms that have none here.
__global__ void write_all(cudaSurfaceObject_t lines, cudaSurfaceObject_t cubes, float4 *out) {
  const int i = threadIdx.x;
  surf1Dwrite((short)(i + 1), line, 2 * i);
  surf2Dwrite(make_uchar4(i, 1, 2, 3), sheet, 4 * i, 1);
  surf3Dwrite(i + 0.5f, block, 4 * i, 1, 2);
  surf2DLayeredwrite(i + 10, pages, 4 * i, 1, 2);
  surfCubemapwrite(i + 20, cube, 4 * i, 1, 5);
  surf1DLayeredwrite(i + 30, lines, 4 * i, 2);
  surfCubemapLayeredwrite(i + 40, cubes, 4 * i, 1, 7);
  __threadfence();
  uchar4 c;
  surf2Dread(&c, sheet, 4 * i, 1);
  out[i] = make_float4(surf1Dread<short>(line, 2 * i), c.x, surf3Dread<float>(block, 4 * i, 1, 2),
                       surf2DLayeredread<int>(pages, 4 * i, 1, 2));
  out[i + 4] =
      make_float4(surfCubemapread<int>(cube, 4 * i, 1, 5), surf1DLayeredread<int>(lines, 4 * i, 2),
                  surfCubemapLayeredread<int>(cubes, 4 * i, 1, 7), 0);
}
template <class T>
static cudaArray_t array(int w, int h, int d, unsigned flags) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
  cudaArray_t a;
  OK(cudaMalloc3DArray(&a, &desc, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore));
  return a;
}
template <class T>
static T at(cudaArray_t a, int x, int y, int z) {
  T t = {};
  cudaMemcpy3DParms m = {};
  m.srcArray = a;
  m.srcPos = make_cudaPos(x, y, z);
  m.dstPtr = make_cudaPitchedPtr(&t, sizeof t, 1, 1);
  m.extent = make_cudaExtent(1, 1, 1);
  m.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&m));
  return t;
}
static void forms() {
  cudaArray_t a = array<short>(4, 0, 0, 0), b = array<uchar4>(4, 3, 0, 0),
              c = array<float>(4, 3, 4, 0), d = array<int>(4, 3, 4, cudaArrayLayered),
              e = array<int>(4, 4, 6, cudaArrayCubemap), f = array<int>(4, 0, 5, cudaArrayLayered),
              g = array<int>(4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
  const surfaceReference *found;
  OK(cudaBindSurfaceToArray(line, a));
  OK(cudaGetSurfaceReference(&found, "sheet"));
  CHECK(found == &sheet);
  OK(cudaBindSurfaceToArray(found, b, &desc));
  OK(cudaBindSurfaceToArray(block, c));
  OK(cudaBindSurfaceToArray(pages, d));
  OK(cudaBindSurfaceToArray(cube, e));
  cudaResourceDesc r = {};
  cudaSurfaceObject_t lines, cubes;
  r.res.array.array = f;
  OK(cudaCreateSurfaceObject(&lines, &r));
  r.res.array.array = g;
  OK(cudaCreateSurfaceObject(&cubes, &r));
  float4 *out, got[8];
  OK(cudaMalloc(&out, sizeof got));
  write_all<<<1, 4>>>(lines, cubes, out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) {
    CHECK(got[i].x == i + 1 && got[i].y == i && got[i].z == i + 0.5f && got[i].w == i + 10);
    CHECK(got[i + 4].x == i + 20 && got[i + 4].y == i + 30 && got[i + 4].z == i + 40);
    CHECK(at<short>(a, i, 0, 0) == i + 1 && at<uchar4>(b, i, 1, 0).x == i &&
          at<float>(c, i, 1, 2) == i + 0.5f);
    CHECK(at<int>(d, i, 1, 2) == i + 10 && at<int>(e, i, 1, 5) == i + 20 &&
          at<int>(f, i, 0, 2) == i + 30);
    CHECK(at<int>(g, i, 1, 7) == i + 40);
  }
}

int main() {
  sizes<unsigned char>(), sizes<char2>(), sizes<short>(), sizes<uchar4>(), sizes<float>(),
      sizes<short4>(), sizes<float2>(), sizes<int4>();
  edges();
  forms();
  END;
}
