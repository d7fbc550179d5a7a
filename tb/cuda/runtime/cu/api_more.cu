// SPDX-License-Identifier: Apache-2.0
// Calls of CUDA 10 and 11: memory pools, registered memory, attributes of streams and launches,
// properties and attributes of devices, occupancy, handles for other processes, errors that stay.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

__global__ void add(int *p, int n, double by) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n)
    p[k] += (int)by;
}
__global__ void fault(int *p) {
  p[1 << 30] = 1;
}
__global__ void uses_shared(int *p) {
  extern __shared__ int words[];
  words[threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = words[threadIdx.x] + 1;
}

static void pools() {
  cudaMemPool_t standard, own, now;
  int *p, *q, reuse = 5;
  unsigned long long used = 1, most = 1, keep = 1 << 20;
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == standard);
  OK(cudaMallocAsync(&p, 1000, s));
  OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 1000);
  cudaMemPoolProps props = {};
  GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(&own, &props));
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 7;
  GIVES(cudaErrorInvalidDevice, cudaMemPoolCreate(&own, &props));
  props.location.id = 0;
  props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  GIVES(cudaErrorNotSupported, cudaMemPoolCreate(&own, &props));
  props.handleTypes = cudaMemHandleTypeNone;
  OK(cudaMemPoolCreate(&own, &props));
  OK(cudaMallocFromPoolAsync(&q, 4096, own, s));
  OK(cudaMemsetAsync(q, 0, 4096, s));
  add<<<8, 128, 0, s>>>(q, 1024, 3);
  OK(cudaStreamSynchronize(s));
  OK(cudaFreeAsync(q, s));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
  CHECK(used == 0 && most == 4096);
  most = 0;
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
  CHECK(most == 0);
  OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
  keep = 0;
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
  CHECK(keep == 1 << 20 && reuse == 1);
  GIVES(cudaErrorInvalidValue, cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  OK(cudaMemPoolTrimTo(own, 0));
  cudaMemAccessDesc access = {props.location, cudaMemAccessFlagsProtReadWrite};
  cudaMemAccessFlags flags;
  OK(cudaMemPoolSetAccess(own, &access, 1));
  OK(cudaMemPoolGetAccess(&flags, own, &props.location));
  CHECK(flags == cudaMemAccessFlagsProtReadWrite);
  OK(cudaDeviceSetMemPool(0, own));
  OK(cudaMallocAsync(&q, 64, s));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 64);
  OK(cudaFree(q));
  OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 0);
  GIVES(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
  OK(cudaMemPoolDestroy(own));
  GIVES(cudaErrorInvalidValue, cudaMemPoolTrimTo(own, 0));
  OK(cudaDeviceGetMemPool(&now, 0));
  CHECK(now == standard);
  OK(cudaFreeAsync(p, s));
  cudaGraph_t g;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&p, 64, s));
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphDestroy(g));
  OK(cudaStreamDestroy(s));
}

static void registered() {
  enum { N = 300 };
  int *h = (int *)malloc(N * sizeof *h), *d;
  for (int k = 0; k < N; k++)
    h[k] = k;
  OK(cudaHostRegister(h, N * sizeof *h, cudaHostRegisterMapped | cudaHostRegisterPortable));
  GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(h + 10, 4, 0));
  OK(cudaHostGetDevicePointer(&d, h + 20, 0));
  add<<<1, 128>>>(d, 100, 1000);
  OK(cudaDeviceSynchronize());
  CHECK(h[19] == 19 && h[20] == 1020 && h[119] == 1119 && h[120] == 120);
  add<<<1, 32>>>(h, 4, 500);  // the host's own pointer, as an argument
  OK(cudaDeviceSynchronize());
  CHECK(h[3] == 503 && h[4] == 4);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, h + 20));
  CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == d && a.hostPointer == h + 20);
  GIVES(cudaErrorInvalidValue, cudaFreeHost(h));
  OK(cudaHostUnregister(h));
  GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(h));
  GIVES(cudaErrorInvalidValue, cudaHostGetDevicePointer(&d, h, 0));
  OK(cudaHostRegister(h, N * sizeof *h, cudaHostRegisterDefault));
  OK(cudaDeviceReset());
  OK(cudaHostRegister(h, N * sizeof *h, cudaHostRegisterDefault));
  OK(cudaHostUnregister(h));
  GIVES(cudaErrorInvalidValue, cudaHostRegister(nullptr, 8, 0));
  free(h);
}

static void attributes() {
  cudaStream_t s, t;
  cudaStreamAttrValue v = {}, w = {};
  int least = 1, greatest = 1, *p;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest == 0);
  OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 3));
  OK(cudaStreamCreate(&t));
  OK(cudaMalloc(&p, 4096));
  OK(cudaMemset(p, 0, 4096));
  v.accessPolicyWindow.base_ptr = p;
  v.accessPolicyWindow.num_bytes = 4096;
  v.accessPolicyWindow.hitRatio = 0.5f;
  v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  OK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  OK(cudaStreamCopyAttributes(t, s));
  OK(cudaStreamGetAttribute(t, cudaStreamAttributeAccessPolicyWindow, &w));
  CHECK(w.accessPolicyWindow.base_ptr == p && w.accessPolicyWindow.hitRatio == 0.5f);
  v.accessPolicyWindow.hitRatio = 2;
  GIVES(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  v.syncPolicy = cudaSyncPolicyYield;
  OK(cudaStreamSetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &v));
  OK(cudaStreamGetAttribute(0, cudaStreamAttributeSynchronizationPolicy, &w));
  CHECK(w.syncPolicy == cudaSyncPolicyYield);
  OK(cudaCtxResetPersistingL2Cache());
  OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));

  cudaLaunchAttribute launch[2];
  memset(launch, 0, sizeof launch);
  launch[0].id = cudaLaunchAttributeCooperative;
  launch[0].val.cooperative = 1;
  launch[1].id = cudaLaunchAttributePriority;
  cudaLaunchConfig_t config = {dim3(4), dim3(64), 0, s, launch, 2};
  OK(cudaLaunchKernelEx(&config, add, p, 200, 5));  // an int where the kernel has a double
  int host[1024];
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 5 && host[199] == 5 && host[200] == 0);
  launch[1].id = cudaLaunchAttributeClusterDimension;
  launch[1].val.clusterDim.x = 2;
  launch[1].val.clusterDim.y = launch[1].val.clusterDim.z = 1;
  GIVES(cudaErrorNotSupported, cudaLaunchKernelEx(&config, add, p, 200, 5.0));
  OK(cudaStreamDestroy(s));
  OK(cudaStreamDestroy(t));
  OK(cudaFree(p));
}

static void devices() {
  cudaDeviceProp p, q;
  memset(&p, 0x11, sizeof p);
  memset(&q, 0x22, sizeof q);
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaGetDeviceProperties(&q, 0));
  CHECK(p.uuid.bytes[0] == 'n' && p.l2CacheSize == q.l2CacheSize && p.accessPolicyMaxWindowSize == 0);
  CHECK(p.regsPerMultiprocessor > 0 && p.sharedMemPerMultiprocessor > 0 && p.memoryBusWidth > 0 &&
        p.memoryClockRate > 0 && p.clockRate > 0 && p.maxBlocksPerMultiProcessor > 0 &&
        p.totalConstMem == 65536 && p.maxGridSize[0] == 0x7fffffff && p.asyncEngineCount == 2);
  int known = 0, value;
  for (int a = 1; a <= 121; a++)  // ten numbers are not those of the runtime
    known += cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0) == cudaSuccess;
  cudaGetLastError();
  CHECK(known == 111);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolsSupported, 0));
  CHECK(value == 1);
  GIVES(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5));
}

static void occupancy() {
  size_t bytes = 0;
  int blocks = 0, grid, block;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, uses_shared, 4, 128));
  CHECK(bytes == 16384);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_shared, 128, bytes));
  CHECK(blocks == 4);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_shared, 128, bytes + 1));
  CHECK(blocks < 4);
  GIVES(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, uses_shared, 1000, 128));
  OK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, add, 0, 0, cudaOccupancyDefault));
  CHECK(grid > 0 && block % 32 == 0);
}

static void processes() {
  cudaIpcMemHandle_t m;
  cudaIpcEventHandle_t h;
  cudaEvent_t e;
  int *p;
  OK(cudaMalloc(&p, 64));
  OK(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
  GIVES(cudaErrorNotSupported, cudaIpcGetMemHandle(&m, p));
  GIVES(cudaErrorNotSupported, cudaIpcOpenMemHandle((void **)&p, m, cudaIpcMemLazyEnablePeerAccess));
  GIVES(cudaErrorNotSupported, cudaIpcGetEventHandle(&h, e));
  GIVES(cudaErrorNotSupported, cudaIpcOpenEventHandle(&e, h));
}

static void count(void *n) {
  ++*(int *)n;
}

// After a fault every call gives its error until the reset; the error of a wrong call is told once.
static void errors() {
  int *p, calls = 0;
  OK(cudaMalloc(&p, 64));
  GIVES(cudaErrorInvalidValue, cudaMemcpy(p, &calls, 65, cudaMemcpyHostToDevice));
  OK(cudaLaunchHostFunc(0, count, &calls));
  OK(cudaStreamSynchronize(0));
  CHECK(calls == 1);
  fault<<<1, 1>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaMalloc(&p, 64) == cudaErrorIllegalAddress);
  CHECK(cudaLaunchHostFunc(0, count, &calls) == cudaErrorIllegalAddress && calls == 1);
  add<<<1, 1>>>(p, 1, 1);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  OK(cudaDeviceReset());
  CHECK(cudaGetLastError() == cudaSuccess);
  OK(cudaMalloc(&p, 64));
  add<<<1, 1>>>(p, 0, 1);
  OK(cudaDeviceSynchronize());
}

int main() {
  pools();
  registered();
  attributes();
  devices();
  occupancy();
  processes();
  errors();
  END;
}
