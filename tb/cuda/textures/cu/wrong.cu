// SPDX-License-Identifier: Apache-2.0
// Wrong use of arrays, textures and surfaces: error codes of calls, and faults of kernels.
#include <stdint.h>
#include <string.h>
#include "../../runtime/cu/check.h"

texture<float, 2> image;
texture<float, 1> row;
texture<int, 1> integers;
texture<int, 1, cudaReadModeNormalizedFloat> units;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> bytes;
texture<float, 3> volume;
surface<void, 2> sheet;
static int not_one;

template <class T>
__global__ void read2(cudaTextureObject_t o, T *out) {
  *out = tex2D<T>(o, 0, 0);
}
template <class T>
__global__ void read3(cudaTextureObject_t o, T *out) {
  *out = tex3D<T>(o, 0, 0, 0);
}
template <class T>
__global__ void read_line(cudaTextureObject_t o, T *out) {
  *out = tex1Dfetch<T>(o, 0);
}
__global__ void read_image(float *out) {
  *out = tex2D(image, 0, 0);
}
__global__ void read_sheet(int *out, int x) {
  *out = surf2Dread<int>(sheet, x, 0);
}
__global__ void write_surface(cudaSurfaceObject_t s, int x, int y) {
  surf2Dwrite(1, s, x, y);
}
__global__ void gather(cudaTextureObject_t o, float4 *out, int c) {
  *out = tex2Dgather<float4>(o, 0, 0, c);
}

static const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();

static void arrays() {
  cudaArray_t a = nullptr, b;
  cudaExtent e = make_cudaExtent(4, 4, 4);
  cudaChannelFormatDesc bad[] = {
      {16, 0, 16, 0, cudaChannelFormatKindSigned},  {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
      {32, 16, 0, 0, cudaChannelFormatKindFloat},   {8, 0, 0, 0, cudaChannelFormatKindFloat},
      {64, 0, 0, 0, cudaChannelFormatKindUnsigned}, {0, 0, 0, 0, cudaChannelFormatKindNone}};
  for (auto &d : bad)
    GIVES(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &d, 4, 4));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(nullptr, &floats, 4, 4));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, nullptr, 4, 4));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 0, 4));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 131073, 1));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 1, 65537));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 4, 4, cudaArrayLayered));
  GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 4, 4, 64));
  GIVES(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 0, 4)));
  GIVES(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 16385)));
  GIVES(cudaErrorInvalidValue,
        cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 0), cudaArrayLayered));
  GIVES(cudaErrorInvalidValue,
        cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 2049), cudaArrayLayered));
  GIVES(cudaErrorInvalidValue,
        cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  GIVES(cudaErrorInvalidValue,
        cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  GIVES(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 8),
                                                 cudaArrayCubemap | cudaArrayLayered));
  GIVES(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &floats, e, cudaArrayTextureGather));
  GIVES(cudaErrorMemoryAllocation,
        cudaMalloc3DArray(&a, &floats, make_cudaExtent(16384, 16384, 16384)));
  GIVES(cudaErrorInvalidValue, cudaFreeArray((cudaArray_t)&e));
  GIVES(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
  GIVES(cudaErrorNotSupported, cudaMallocMipmappedArray(nullptr, &floats, e, 3));
  OK(cudaMallocArray(&a, &floats, 4, 4));
  OK(cudaMallocArray(&b, &floats, 4, 4));
  OK(cudaFreeArray(b));
  GIVES(cudaErrorInvalidValue, cudaFreeArray(b));

  float h[16] = {}, *p;
  OK(cudaMalloc(&p, sizeof h));
  GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToArray(a, 0, 0, h, 64, cudaMemcpyDeviceToHost));
  GIVES(cudaErrorInvalidMemcpyDirection,
        cudaMemcpyFromArray(h, a, 0, 0, 64, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromArray(h, a, 0, 0, 64, cudaMemcpyHostToHost));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 0, 0, h, 64, cudaMemcpyDeviceToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 0, 0, p, 64, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 4, 0, h, 64, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 0, 4, h, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(a, 16, 0, h, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(b, 0, 0, h, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 4, 0, h, 16, 16, 1, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 0, 1, h, 16, 16, 4, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidPitchValue,
        cudaMemcpy2DToArray(a, 0, 0, h, 12, 16, 2, cudaMemcpyHostToDevice));
  GIVES(cudaErrorInvalidResourceHandle,
        cudaMemcpyToArrayAsync(a, 0, 0, h, 4, cudaMemcpyHostToDevice, (cudaStream_t)&e));
  cudaMemcpy3DParms m = {};
  m.srcArray = a;
  m.dstPtr = make_cudaPitchedPtr(h, 16, 4, 4);
  m.extent = make_cudaExtent(4, 4, 2);
  m.kind = cudaMemcpyDeviceToHost;
  GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&m));
  m.extent.depth = 1;
  m.srcPos.x = 1;
  GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&m));
  m.srcPos.x = 0;
  m.srcPtr = m.dstPtr;
  GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&m));
  m.srcPtr.ptr = nullptr;
  OK(cudaMemcpy3D(&m));
}

static void references() {
  cudaArray_t a, deep;
  float *p, h;
  const textureReference *found;
  size_t offset;
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(),
                              small = cudaCreateChannelDesc<uchar1>();
  OK(cudaMallocArray(&a, &floats, 4, 4));
  OK(cudaMalloc3DArray(&deep, &floats, make_cudaExtent(4, 4, 4)));
  OK(cudaMalloc(&p, 4096));
  GIVES(cudaErrorInvalidTexture, cudaGetTextureReference(&found, "nothing"));
  GIVES(cudaErrorInvalidTexture, cudaGetTextureReference(&found, &sheet));
  GIVES(cudaErrorInvalidTexture, cudaUnbindTexture((textureReference *)&not_one));
  GIVES(cudaErrorInvalidTexture, cudaBindTextureToArray(image, deep));
  GIVES(cudaErrorInvalidTexture, cudaBindTextureToArray(volume, a));
  GIVES(cudaErrorInvalidTexture, cudaBindTexture(nullptr, image, p, 64));
  GIVES(cudaErrorInvalidChannelDescriptor, cudaBindTextureToArray(image, a, ints));
  GIVES(cudaErrorInvalidChannelDescriptor, cudaBindTexture(nullptr, row, p, ints, 64));
  GIVES(cudaErrorInvalidNormSetting, cudaBindTexture(nullptr, units, p, 64));
  GIVES(cudaErrorInvalidValue, cudaBindTexture(nullptr, row, p + 1, 64));  // by how much is it off?
  OK(cudaBindTexture(&offset, row, p + 1, 64));
  CHECK(offset == 4);
  OK(cudaBindTexture(nullptr, row, p, 8192));  // more than there is
  GIVES(cudaErrorInvalidValue, cudaBindTexture(nullptr, row, &h, 4));
  GIVES(cudaErrorInvalidValue, cudaBindTexture(nullptr, row, nullptr, 4));
  GIVES(cudaErrorInvalidValue, cudaBindTexture2D(nullptr, image, p, 8, 4, 33));
  GIVES(cudaErrorInvalidValue, cudaBindTexture2D(nullptr, image, p, 9, 4, 32));
  GIVES(cudaErrorInvalidValue, cudaBindTexture2D(nullptr, image, p, 8, 129, 32));
  GIVES(cudaErrorInvalidValue, cudaBindTexture2D(nullptr, image, p, 131073, 1, 524320));
  GIVES(cudaErrorInvalidValue, cudaBindTexture2D(&offset, image, p + 1, SIZE_MAX, 1, 32));
  OK(cudaBindTexture2D(nullptr, image, p, 8, 128, 32));
  image.addressMode[1] = (cudaTextureAddressMode)4;
  GIVES(cudaErrorInvalidValue, cudaBindTextureToArray(image, a));
  image.addressMode[1] = cudaAddressModeClamp;
  image.sRGB = 1;
  GIVES(cudaErrorNotSupported, cudaBindTextureToArray(image, a));
  image.sRGB = 0;
  cudaArray_t whole, part;
  OK(cudaMallocArray(&whole, &ints, 4));
  OK(cudaMallocArray(&part, &small, 4, 4));
  integers.filterMode = bytes.filterMode = cudaFilterModeLinear;
  GIVES(cudaErrorInvalidFilterSetting, cudaBindTextureToArray(integers, whole));
  OK(cudaBindTextureToArray(bytes, part));
  GIVES(cudaErrorInvalidValue, cudaBindSurfaceToArray(sheet, a));  // not for surfaces
  OK(cudaUnbindTexture(image));
  OK(cudaFree(p));
}

static void objects() {
  cudaArray_t a;
  cudaTextureObject_t o;
  cudaSurfaceObject_t s;
  float *p;
  OK(cudaMalloc(&p, 4096));
  OK(cudaMallocArray(&a, &floats, 4, 4));
  cudaResourceDesc r = {}, back;
  cudaTextureDesc d = {}, told;
  cudaResourceViewDesc view = {};
  r.res.array.array = a;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(nullptr, &r, &d, nullptr));
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, nullptr, &d, nullptr));
  GIVES(cudaErrorNotSupported, cudaCreateTextureObject(&o, &r, &d, &view));
  GIVES(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r));
  d.filterMode = cudaFilterModeLinear;
  OK(cudaCreateTextureObject(&o, &r, &d, nullptr));
  OK(cudaGetTextureObjectTextureDesc(&told, o));
  CHECK(told.filterMode == cudaFilterModeLinear);
  OK(cudaGetTextureObjectResourceDesc(&back, o));
  CHECK(back.resType == cudaResourceTypeArray && back.res.array.array == a);
  GIVES(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&view, o));
  GIVES(cudaErrorInvalidValue, cudaDestroySurfaceObject(o));
  OK(cudaDestroyTextureObject(o));
  GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(o));
  r.resType = cudaResourceTypeMipmappedArray;
  GIVES(cudaErrorNotSupported, cudaCreateTextureObject(&o, &r, &d, nullptr));
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p + 1;
  r.res.linear.desc = floats;
  r.res.linear.sizeInBytes = 64;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &d, nullptr));
  r.res.linear.devPtr = p;
  d.normalizedCoords = 1;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &d, nullptr));
  d.normalizedCoords = 0;
  r.res.linear.devPtr = &r;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &d, nullptr));
  r.res.linear.devPtr = nullptr;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &d, nullptr));
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = p;
  r.res.pitch2D.desc = floats;
  r.res.pitch2D.width = r.res.pitch2D.height = 4;
  r.res.pitch2D.pitchInBytes = 16;
  GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &d, nullptr));
  r.res.pitch2D.pitchInBytes = 32;
  r.res.pitch2D.desc = cudaCreateChannelDesc<int>();
  GIVES(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&o, &r, &d, nullptr));
}

// ---- faults: each launch loses the device, which is reset

static cudaTextureObject_t object_of(cudaChannelFormatDesc desc, cudaExtent e, bool unit = false) {
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  cudaTextureObject_t o = 0;
  d.readMode = unit ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  OK(cudaMalloc3DArray(&r.res.array.array, &desc, e));
  OK(cudaCreateTextureObject(&o, &r, &d, nullptr));
  return o;
}
template <class F>
static void faults(cudaError_t want, F launch) {
  void *out;
  OK(cudaDeviceReset());
  OK(cudaMalloc(&out, 64));
  launch(out);
  const cudaError_t e = cudaDeviceSynchronize();
  CHECK(e == want);
  fprintf(stderr, "%d\n", failures);
  OK(cudaDeviceReset());
}
__global__ void read_row(float *o, int n) { *o = tex1Dfetch(row, n); }
static void bind_too_much(void *o, int n) {
  float *p;
  OK(cudaMalloc(&p, 4096));
  OK(cudaBindTexture(nullptr, row, p, 1 << 20));
  read_row<<<1, 1>>>((float *)o, n);
}
__global__ void fetch(cudaTextureObject_t t, float *o, int n) { *o = tex1Dfetch<float>(t, n); }
static void object_of_too_much(void *o, int n) {
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  cudaTextureObject_t t = 0;
  r.resType = cudaResourceTypeLinear;
  OK(cudaMalloc(&r.res.linear.devPtr, 4096));
  r.res.linear.desc = floats;
  r.res.linear.sizeInBytes = 1 << 20;
  d.filterMode = cudaFilterModeLinear;
  d.addressMode[0] = cudaAddressModeWrap;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  fetch<<<1, 1>>>(t, (float *)o, n);
}
static void kernels() {
  const cudaExtent flat = make_cudaExtent(4, 4, 0), deep = make_cudaExtent(4, 4, 4);
  const cudaError_t trap = cudaErrorLaunchFailure, none = cudaSuccess;
  const cudaChannelFormatDesc four = cudaCreateChannelDesc<float4>(),
                              chars = cudaCreateChannelDesc<uchar1>();
  faults(trap, [](void *o) { read_image<<<1, 1>>>((float *)o); });
  faults(trap, [](void *o) { read_sheet<<<1, 1>>>((int *)o, 0); });
  faults(trap, [&](void *o) { read3<<<1, 1>>>(object_of(floats, flat), (float *)o); });
  faults(trap, [&](void *o) { read2<<<1, 1>>>(object_of(floats, deep), (float *)o); });
  faults(trap, [&](void *o) { read_line<<<1, 1>>>(object_of(floats, flat), (float *)o); });
  faults(trap, [&](void *o) { read2<<<1, 1>>>(object_of(floats, flat), (int *)o); });
  faults(trap, [&](void *o) { read2<<<1, 1>>>(object_of(floats, flat), (float4 *)o); });
  faults(none, [&](void *o) { read2<<<1, 1>>>(object_of(four, flat), (float *)o); });
  faults(trap, [&](void *o) { read2<<<1, 1>>>(object_of(chars, flat), (float *)o); });
  faults(none, [&](void *o) { read2<<<1, 1>>>(object_of(chars, flat, true), (float *)o); });
  faults(trap, [&](void *o) { read2<<<1, 1>>>(object_of(chars, flat, true), (unsigned char *)o); });
  faults(trap, [&](void *o) { gather<<<1, 1>>>(object_of(floats, flat), (float4 *)o, 0); });
  faults(cudaErrorIllegalAddress, [](void *o) { read2<<<1, 1>>>(0, (float *)o); });
  faults(trap, [](void *) {
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    OK(cudaMallocArray(&r.res.array.array, &floats, 4, 4, cudaArraySurfaceLoadStore));
    OK(cudaCreateSurfaceObject(&s, &r));
    write_surface<<<1, 1>>>(s, 12, 3);
    OK(cudaDeviceSynchronize());
    write_surface<<<1, 1>>>(s, 16, 0);
  });
  faults(trap, [&](void *) { write_surface<<<1, 1>>>(object_of(floats, flat), 0, 0); });
  faults(none, [](void *o) { bind_too_much(o, 1023); });
  faults(cudaErrorIllegalAddress, [](void *o) { bind_too_much(o, 200000); });
  faults(none, [](void *o) { object_of_too_much(o, 1023); });
  faults(cudaErrorIllegalAddress, [](void *o) { object_of_too_much(o, 200000); });
  // bound again after a reset
  faults(none, [](void *o) {
    cudaArray_t a;
    OK(cudaMallocArray(&a, &floats, 4, 4));
    OK(cudaBindTextureToArray(image, a));
    read_image<<<1, 1>>>((float *)o);
  });
  faults(trap, [](void *o) { read_image<<<1, 1>>>((float *)o); });
  faults(trap, [](void *o) {
    cudaArray_t a;
    OK(cudaMallocArray(&a, &floats, 4, 4));
    OK(cudaBindTextureToArray(image, a));
    OK(cudaUnbindTexture(image));
    read_image<<<1, 1>>>((float *)o);
  });
}

static void limits() {
  cudaDeviceProp p;
  int v;
  OK(cudaGetDeviceProperties(&p, 0));
  CHECK(p.maxTexture1D == 131072 && p.maxTexture2D[1] == 65536 && p.maxTexture3D[2] == 16384);
  CHECK(p.textureAlignment == 256 && p.texturePitchAlignment == 32 &&
        p.maxTexture2DLayered[2] == 2048);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxTexture1DLinearWidth, 0));
  CHECK(v == p.maxTexture1DLinear && v == 1 << 27);
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxTexture2DMipmappedWidth, 0));
  CHECK(v == 0);
}

int main() {
  limits();
  arrays();
  references();
  objects();
  kernels();
  END;
}
