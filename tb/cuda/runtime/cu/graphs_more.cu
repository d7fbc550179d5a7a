// SPDX-License-Identifier: Apache-2.0
// Graphs that allocate, that ask a number, and that are updated; pinned memory that kernels are given.
#include <cstring>
#include "check.h"

__global__ void add(int *p, int by) {
  p[threadIdx.x] += by;
}
__global__ void count_down(int *p, cudaGraphConditionalHandle again) {
  cudaGraphSetConditional(again, (unsigned)--p[0]);
}
__global__ void choose(cudaGraphConditionalHandle which, unsigned n) {
  cudaGraphSetConditional(which, n);
}

static cudaKernelNodeParams kernel_of(void *f, void **args, unsigned threads) {
  cudaKernelNodeParams k = {};
  k.func = f, k.gridDim = dim3(1), k.blockDim = dim3(threads), k.kernelParams = args;
  return k;
}
static unsigned long long used(cudaGraphMemAttributeType a) {
  unsigned long long v = 99;
  OK(cudaDeviceGetGraphMemAttribute(0, a, &v));
  return v;
}

static void check_memory() {
  cudaMemAllocNodeParams m = {};
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaGraphNode_t made, filled, added, copied, freed;
  int host[32], by = 5, wrong = 0;
  m.poolProps.allocType = cudaMemAllocationTypePinned, m.poolProps.location.type = cudaMemLocationTypeDevice;
  m.bytesize = sizeof host;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphAddMemAllocNode(&made, g, NULL, 0, &m));
  cudaMemsetParams f = {m.dptr, 0, 3, 4, 32, 1};
  OK(cudaGraphAddMemsetNode(&filled, g, &made, 1, &f));
  void *args[] = {&m.dptr, &by};
  cudaKernelNodeParams k = kernel_of((void *)add, args, 32);
  OK(cudaGraphAddKernelNode(&added, g, &filled, 1, &k));
  OK(cudaGraphAddMemcpyNode1D(&copied, g, &added, 1, host, m.dptr, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
  CHECK(used(cudaGraphMemAttrUsedMemCurrent) == 0 && used(cudaGraphMemAttrReservedMemCurrent) == sizeof host);
  OK(cudaGraphLaunch(x, 0));
  for (int t = 0; t < 32; t++)
    wrong += host[t] != 8;
  CHECK(wrong == 0 && used(cudaGraphMemAttrUsedMemCurrent) == sizeof host);
  GIVES(cudaErrorInvalidValue, cudaGraphLaunch(x, 0));  // it has not been freed
  OK(cudaFree(m.dptr));
  OK(cudaGraphLaunch(x, 0));
  OK(cudaFreeAsync(m.dptr, 0));
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphAddMemFreeNode(&freed, g, &copied, 1, m.dptr));
  OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
  OK(cudaGraphDestroy(g));
  for (int times = 0; times < 2; times++)
    OK(cudaGraphLaunch(x, 0));
  CHECK(used(cudaGraphMemAttrUsedMemCurrent) == 0 && used(cudaGraphMemAttrUsedMemHigh) == sizeof host);
  OK(cudaGraphExecDestroy(x));
  CHECK(used(cudaGraphMemAttrReservedMemCurrent) == 0);
}

// Captured, with memory that each launch frees of the one before.
static void check_captured() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t x;
  int *p, host = 0;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync((void **)&p, 4, s));
  OK(cudaMemsetAsync(p, 0, 4, s));
  add<<<1, 1, 0, s>>>(p, 7);
  OK(cudaMemcpyAsync(&host, p, 4, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphInstantiateWithFlags(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGraphLaunch(x, s));
  host = 0;
  OK(cudaGraphLaunch(x, s));
  CHECK(host == 7);
  OK(cudaFree(p));
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
  OK(cudaStreamDestroy(s));
}

static void check_conditions() {
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaGraphNode_t first, asks, inside;
  cudaGraphConditionalHandle again, which;
  cudaGraphNodeParams k = {cudaGraphNodeTypeKernel}, c = {cudaGraphNodeTypeConditional};
  int *p, host[2], by = 10, more = 100;
  unsigned n = 1;
  OK(cudaMalloc(&p, sizeof host));
  int *second = p + 1;
  OK(cudaGraphCreate(&g, 0));
  OK(cudaGraphConditionalHandleCreate(&again, g, 1, cudaGraphCondAssignDefault));
  OK(cudaGraphConditionalHandleCreate(&which, g));
  // while (--p[0]) p[1] += 10, which is once more than 0 often
  c.conditional.handle = again, c.conditional.type = cudaGraphCondTypeWhile, c.conditional.size = 1;
  OK(cudaGraphAddNode(&asks, g, NULL, NULL, 0, &c));
  void *down[] = {&p, &again}, *adds[] = {&second, &by}, *chooses[] = {&which, &n}, *adds_more[] = {&second, &more};
  k.kernel = kernel_of((void *)count_down, down, 1);
  OK(cudaGraphAddNode(&inside, c.conditional.phGraph_out[0], NULL, NULL, 0, &k));
  k.kernel = kernel_of((void *)add, adds, 1);
  OK(cudaGraphAddNode(&inside, c.conditional.phGraph_out[0], &inside, NULL, 1, &k));
  k.kernel = kernel_of((void *)choose, chooses, 1);
  OK(cudaGraphAddNode(&first, g, &asks, NULL, 1, &k));
  c.conditional.handle = which, c.conditional.type = cudaGraphCondTypeSwitch, c.conditional.size = 2;
  OK(cudaGraphAddNode(&asks, g, &first, NULL, 1, &c));
  k.kernel = kernel_of((void *)add, adds_more, 1);
  OK(cudaGraphAddNode(&inside, c.conditional.phGraph_out[1], NULL, NULL, 0, &k));
  OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
  for (n = 0; n < 3; n++) {  // the number's value at the time of the node counts: it is always 1
    host[0] = 4, host[1] = 0;
    OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 0 && host[1] == 4 * 10 + 100);
  }
  c.conditional.type = cudaGraphCondTypeWhile;
  GIVES(cudaErrorInvalidValue, cudaGraphAddNode(&asks, g, NULL, NULL, 0, &c));  // two graphs
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(g));
  OK(cudaFree(p));
}

static cudaGraph_t captured(cudaStream_t s, int *p, int by, int times) {
  cudaGraph_t g;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  for (int k = 0; k < times; k++)
    add<<<1, 1, 0, s>>>(p, by);
  OK(cudaStreamEndCapture(s, &g));
  return g;
}
static void check_update() {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t at;
  cudaGraphExec_t x;
  cudaStream_t s;
  int *p, host = 0;
  OK(cudaStreamCreate(&s));
  OK(cudaMalloc(&p, 4));
  OK(cudaMemset(p, 0, 4));
  cudaGraph_t one = captured(s, p, 1, 2), ten = captured(s, p, 10, 2), longer = captured(s, p, 1, 3);
  OK(cudaGraphInstantiate(&x, one, NULL, NULL, 0));
  OK(cudaGraphExecUpdate(x, ten, &at, &result));
  CHECK(result == cudaGraphExecUpdateSuccess && at == NULL);
  OK(cudaGraphDestroy(ten));
  OK(cudaGraphLaunch(x, s));
  GIVES(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(x, longer, &at, &result));
  CHECK(result == cudaGraphExecUpdateErrorTopologyChanged);
  OK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  CHECK(host == 20);
  OK(cudaGraphExecDestroy(x));
  OK(cudaGraphDestroy(one));
  OK(cudaGraphDestroy(longer));
  OK(cudaFree(p));
}

static void check_pinned() {
  int *pinned, *other, *d;
  OK(cudaMallocHost(&pinned, 256));
  OK(cudaHostAlloc(&other, 256, cudaHostAllocPortable));
  memset(pinned, 0, 256), memset(other, 0, 256);
  add<<<1, 32>>>(pinned + 32, 3);
  pinned[33] += 100;
  add<<<1, 32>>>(pinned + 32, 3);
  CHECK(pinned[31] == 0 && pinned[32] == 6 && pinned[33] == 106 && pinned[63] == 6);
  OK(cudaHostGetDevicePointer(&d, other + 1, 0));
  add<<<1, 1>>>(d, 9);
  CHECK(other[0] == 0 && other[1] == 9);
  OK(cudaFreeHost(pinned));
  GIVES(cudaErrorInvalidValue, cudaFreeHost(pinned));
  OK(cudaFreeHost(other));
}

int main() {
  check_memory();
  check_captured();
  check_conditions();
  check_update();
  check_pinned();
  END;
}
