// SPDX-License-Identifier: Apache-2.0
// Arrays: what they say of themselves, and copies in every direction, with offsets.
#include <string.h>
#include <vector>
#include "../../runtime/cu/check.h"

static const cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short2>();

static void info() {
  const struct {
    cudaExtent e;
    unsigned flags;
  } all[] = {{{9, 0, 0}, 0},
             {{9, 4, 0}, cudaArraySurfaceLoadStore},
             {{9, 4, 3}, 0},
             {{9, 0, 5}, cudaArrayLayered},
             {{9, 4, 5}, cudaArrayLayered},
             {{4, 4, 6}, cudaArrayCubemap},
             {{4, 4, 12}, cudaArrayCubemap | cudaArrayLayered},
             {{9, 4, 0}, cudaArrayTextureGather}};
  size_t before, after, total;
  OK(cudaMemGetInfo(&before, &total));
  for (const auto &k : all) {
    cudaArray_t a;
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned flags;
    OK(cudaMalloc3DArray(&a, &shorts, k.e, k.flags));
    OK(cudaArrayGetInfo(&d, &e, &flags, a));
    CHECK(d.x == 16 && d.y == 16 && d.z == 0 && d.w == 0 && d.f == cudaChannelFormatKindSigned);
    CHECK(e.width == k.e.width && e.height == k.e.height && e.depth == k.e.depth &&
          flags == k.flags);
    OK(cudaGetChannelDesc(&d, a));
    CHECK(d.y == 16);
    OK(cudaMemGetInfo(&after, &total));
    CHECK(after < before);  // device memory
    OK(cudaFreeArray(a));
  }
  OK(cudaMemGetInfo(&after, &total));
  CHECK(after == before);
  OK(cudaFreeArray(nullptr));
}

enum { W = 7, H = 5 };  // of 4 bytes
struct image {
  short2 at[H][W];
};
static image numbered(int from) {
  image i;
  for (int n = 0; n < W * H; n++)
    i.at[n / W][n % W] = make_short2(from + n, -n);
  return i;
}
static image contents(cudaArray_t a) {
  image i;
  OK(cudaMemcpyFromArray(&i, a, 0, 0, sizeof i, cudaMemcpyDeviceToHost));
  return i;
}
static cudaArray_t with(const image &i) {
  cudaArray_t a;
  OK(cudaMallocArray(&a, &shorts, W, H));
  OK(cudaMemcpyToArray(a, 0, 0, &i, sizeof i, cudaMemcpyHostToDevice));
  return a;
}
static bool same(const image &a, const image &b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

// Byte after byte: from the middle of a row into others.
static void runs() {
  const image one = numbered(100), two = numbered(500);
  cudaArray_t a = with(one), b = with(two);
  image want = one, got;
  short2 *flat = &want.at[0][0], piece[20], *device;
  memcpy(flat + W + 3, &two.at[0][0], 20 * 4);
  OK(cudaMemcpyToArray(a, 3 * 4, 1, &two, 20 * 4, cudaMemcpyHostToDevice));
  CHECK(same(contents(a), want));
  OK(cudaMemcpyFromArray(piece, a, 5 * 4, 2, 12 * 4, cudaMemcpyDeviceToHost));
  CHECK(memcmp(piece, flat + 2 * W + 5, 12 * 4) == 0);
  OK(cudaMalloc(&device, sizeof want));
  OK(cudaMemcpyFromArray(device, a, 0, 0, sizeof want, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(same(got, want));
  OK(cudaMemcpyToArrayAsync(b, 0, 0, device, sizeof want, cudaMemcpyDefault));
  CHECK(same(contents(b), want));
  OK(cudaMemcpyArrayToArray(b, 2, 0, a, 6 * 4 + 2, 2, 8 * 4));  // not whole elements
  got = contents(a);
  memcpy((char *)flat + 2, (char *)&got.at[2][6] + 2, 8 * 4);
  CHECK(same(contents(b), want));
  OK(cudaMemcpyFromArrayAsync(&got, b, 0, 0, sizeof got, cudaMemcpyDeviceToHost, 0));
  CHECK(same(got, want));
  OK(cudaFree(device));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

static void areas() {
  const image one = numbered(100), two = numbered(500);
  cudaArray_t a = with(one), b = with(two);
  image want = one, got = {};
  for (int y = 0; y < 3; y++)
    memcpy(&want.at[1 + y][2], &two.at[y][0], 4 * 4);
  OK(cudaMemcpy2DToArray(a, 2 * 4, 1, &two, W * 4, 4 * 4, 3, cudaMemcpyHostToDevice));
  CHECK(same(contents(a), want));
  OK(cudaMemcpy2DFromArray(&got, W * 4, a, 3 * 4, 2, 3 * 4, 2, cudaMemcpyDeviceToHost));
  CHECK(memcmp(&got.at[1][0], &want.at[3][3], 12) == 0 && got.at[0][3].x == 0 &&
        got.at[2][0].x == 0);
  OK(cudaMemcpy2DArrayToArray(b, 4, 0, a, 8, 3, 5 * 4, 2));
  image other = two;
  for (int y = 0; y < 2; y++)
    memcpy(&other.at[y][1], &want.at[3 + y][2], 5 * 4);
  CHECK(same(contents(b), other));
  short2 *rows;
  size_t pitch;
  OK(cudaMallocPitch(&rows, &pitch, W * 4, H));
  OK(cudaMemcpy2DFromArrayAsync(rows, pitch, b, 0, 0, W * 4, H, cudaMemcpyDeviceToDevice, 0));
  OK(cudaMemcpy2DToArrayAsync(a, 0, 0, rows, pitch, W * 4, H, cudaMemcpyDeviceToDevice, 0));
  CHECK(same(contents(a), other));
  OK(cudaFree(rows));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

// cudaMemcpy3D: elements of the array, bytes of memory.
static void volumes() {
  enum { X = 5, Y = 4, Z = 3 };
  float h[Z][Y][X], back[Z][Y][X] = {}, part[2][2][3] = {};
  for (int n = 0; n < X * Y * Z; n++)
    (&h[0][0][0])[n] = (float)n;
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  const cudaExtent whole = make_cudaExtent(X, Y, Z);
  for (unsigned flags : {0u, (unsigned)cudaArrayLayered}) {
    cudaArray_t a, b;
    OK(cudaMalloc3DArray(&a, &d, whole, flags));
    OK(cudaMalloc3DArray(&b, &d, whole, flags));
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(h, X * 4, X, Y);
    m.dstArray = a;
    m.extent = whole;
    m.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&m));
    m = {};
    m.srcArray = a;
    m.dstArray = b;
    m.extent = whole;
    m.kind = cudaMemcpyDeviceToDevice;
    OK(cudaMemcpy3DAsync(&m));
    m = {};
    m.srcArray = b;
    m.dstPtr = make_cudaPitchedPtr(back, X * 4, X, Y);
    m.extent = whole;
    m.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&m));
    CHECK(memcmp(h, back, sizeof h) == 0);
    m = {};
    m.srcArray = b;
    m.srcPos = make_cudaPos(2, 1, 1);
    m.dstPtr = make_cudaPitchedPtr(part, 12, 3, 2);
    m.extent = make_cudaExtent(3, 2, 2);
    m.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&m));
    for (int n = 0; n < 12; n++)
      CHECK(part[n / 6][n / 3 % 2][n % 3] == h[1 + n / 6][1 + n / 3 % 2][2 + n % 3]);
    // from the middle of memory to the middle of the array
    m = {};
    m.srcPtr = make_cudaPitchedPtr(h, X * 4, X, Y);
    m.srcPos = make_cudaPos(4, 1, 0);
    m.dstArray = a;
    m.dstPos = make_cudaPos(0, 2, 2);
    m.extent = make_cudaExtent(4, 2, 1);
    m.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&m));
    m = {};
    m.srcArray = a;
    m.dstPtr = make_cudaPitchedPtr(back, X * 4, X, Y);
    m.extent = whole;
    m.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&m));
    CHECK(back[2][2][0] == h[0][1][1] && back[2][3][3] == h[0][2][4] &&
          back[2][3][4] == h[2][3][4]);
    CHECK(back[2][1][0] == h[2][1][0] && back[1][2][0] == h[1][2][0]);
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
  }
}

int main() {
  info();
  runs();
  areas();
  volumes();
  END;
}
