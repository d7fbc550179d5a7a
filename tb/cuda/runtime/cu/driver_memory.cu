// SPDX-License-Identifier: Apache-2.0
// Of the driver API: virtual memory, arrays and textures, attributes, and the context that the runtime API has made.
#include <cuda.h>
#include <cstring>
#include "check.h"

#define CU(call) CHECK((call) == CUDA_SUCCESS)
#define REFUSES(call, e) CHECK((call) == CUDA_ERROR_##e)

__global__ void twice(int *p, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    p[i] *= 2;
}
__global__ void fetch(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2D<float>(t, (float)(threadIdx.x % 8), (float)(threadIdx.x / 8));
}

static void check_context() {
  CUcontext c = NULL;
  int *d;
  REFUSES(cuCtxSynchronize(), NOT_INITIALIZED);
  CU(cuInit(0));
  CU(cuCtxGetCurrent(&c));
  CHECK(c == NULL);
  REFUSES(cuCtxSynchronize(), INVALID_CONTEXT);
  OK(cudaMalloc(&d, 4));
  CU(cuCtxGetCurrent(&c));
  CHECK(c != NULL);
  CU(cuCtxSynchronize());
  CU(cuMemFree((CUdeviceptr)d));
}

static void check_attributes() {
  static const struct {
    CUdevice_attribute a;
    int number;
  } known[] = {{CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, 21},
               {CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 29},
               {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50},
               {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD, 84},
               {CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 96},
               {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115}};
  int v = -1, can = -1;
  for (const auto &k : known) {
    CHECK((int)k.a == k.number);
    CU(cuDeviceGetAttribute(&v, k.a, 0));
  }
  CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  CHECK(v == 1);
  CU(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
  CHECK(v == 0);
  REFUSES(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED, 7), INVALID_DEVICE);
  CU(cuDeviceCanAccessPeer(&can, 0, 0));
  CHECK(can == 0);
}

static void check_virtual_memory() {
  CUmemAllocationProp p = {};
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CUmemGenericAllocationHandle one, two;
  CUdeviceptr at;
  size_t bytes = 0, before, after, all;
  unsigned long long flags = 9;
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CU(cuMemGetInfo(&before, &all));
  CU(cuMemGetAllocationGranularity(&bytes, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CU(cuMemCreate(&one, bytes, &p, 0));
  CU(cuMemCreate(&two, 2 * bytes, &p, 0));
  REFUSES(cuMemCreate(&two, bytes - 1, &p, 0), INVALID_VALUE);
  CU(cuMemAddressReserve(&at, 3 * bytes, 0, 0, 0));
  REFUSES(cuMemMap(at + 2 * bytes, 2 * bytes, 0, two, 0), INVALID_VALUE);  // beyond the range
  CU(cuMemMap(at, bytes, 0, one, 0));
  REFUSES(cuMemMap(at, 2 * bytes, 0, two, 0), INVALID_VALUE);  // where another one is
  CU(cuMemMap(at + bytes, 2 * bytes, 0, two, 0));
  CU(cuMemRelease(two));
  REFUSES(cuMemAddressFree(at, 3 * bytes), INVALID_VALUE);  // while it is mapped
  CU(cuMemSetAccess(at, 3 * bytes, &access, 1));
  CU(cuMemGetAccess(&flags, &access.location, at + 3 * bytes - 1));
  CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const int n = (int)(3 * bytes / 4);
  int *host = (int *)malloc(3 * bytes), wrong = 0;
  for (int i = 0; i < n; i++)
    host[i] = i;
  CU(cuMemcpyHtoD(at, host, 3 * bytes));
  twice<<<(n + 255) / 256, 256>>>((int *)at, n);
  CU(cuMemcpyDtoH(host, at, 3 * bytes));
  for (int i = 0; i < n; i++)
    wrong += host[i] != 2 * i;
  CHECK(wrong == 0);
  free(host);
  REFUSES(cuMemUnmap(at + bytes, bytes), INVALID_VALUE);  // a half
  CU(cuMemUnmap(at, 3 * bytes));
  REFUSES(cuMemMap(at, bytes, 0, one, 0), NOT_SUPPORTED);  // once more
  CU(cuMemRelease(one));
  REFUSES(cuMemRelease(one), INVALID_VALUE);
  CU(cuMemAddressFree(at, 3 * bytes));
  CU(cuMemGetInfo(&after, &all));
  CHECK(before == after);
  p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  REFUSES(cuMemCreate(&one, bytes, &p, 0), NOT_SUPPORTED);
}

static void check_textures() {
  const CUDA_ARRAY_DESCRIPTOR a = {8, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUDA_MEMCPY2D copy;
  CUDA_RESOURCE_DESC r;
  CUDA_TEXTURE_DESC t;
  CUarray array;
  CUtexObject object;
  unsigned char host[4][10], back[4][8];
  float got[32], *out;
  int wrong = 0;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 10; x++)
      host[y][x] = (unsigned char)(y * 50 + x);
  memset(&copy, 0, sizeof copy), memset(&r, 0, sizeof r), memset(&t, 0, sizeof t);
  CU(cuArrayCreate(&array, &a));
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host, copy.srcPitch = 10, copy.srcXInBytes = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = 8, copy.Height = 4;
  CU(cuMemcpy2D(&copy));
  memset(&copy, 0, sizeof copy);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = back, copy.WidthInBytes = 8, copy.Height = 4;
  CU(cuMemcpy2D(&copy));
  r.resType = CU_RESOURCE_TYPE_ARRAY, r.res.array.hArray = array;
  CU(cuTexObjectCreate(&object, &r, &t, NULL));
  OK(cudaMalloc(&out, sizeof got));
  fetch<<<1, 32>>>(object, out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int n = 0; n < 32; n++) {
    const int v = host[n / 8][n % 8 + 2];
    wrong += back[n / 8][n % 8] != v || fabsf(got[n] - (float)v / 255) > 1e-6f;  // a fraction
  }
  CHECK(wrong == 0);
  CU(cuTexObjectDestroy(object));
  CU(cuArrayDestroy(array));
}

int main() {
  check_context();
  check_attributes();
  check_virtual_memory();
  check_textures();
  END;
}
