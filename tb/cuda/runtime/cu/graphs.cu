// SPDX-License-Identifier: Apache-2.0
// Graphs: made of nodes with dependencies in any order, captured from one stream and from two, with
// other arguments, children, clones; wrong use.
#include <string.h>
#include "check.h"

enum { N = 256 };

__global__ void scale(int *v, int by, int plus) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    v[i] = v[i] * by + plus;
}

static int calls;
static void call(void *data) {
  calls = calls * 10 + *(int *)data;
}

static cudaKernelNodeParams kernel_of(int **v, int *by, int *plus, void **args) {
  args[0] = v, args[1] = by, args[2] = plus;
  return {(void *)scale, dim3(2), dim3(128), 0, args, nullptr};
}

// v = ((1 * 2 + 3) * 5 + 7, ...), with its nodes added backwards.
static void check_nodes(int *d) {
  int v[N], two = 2, three = 3, five = 5, seven = 7, digits[] = {1, 2};
  void *args[3];
  cudaGraph_t g, copy;
  cudaGraphExec_t x, y;
  cudaGraphNode_t fill, first, second, back, host, n[8];
  size_t count = 8;
  OK(cudaGraphCreate(&g, 0));
  cudaHostNodeParams h = {call, &digits[0]};
  OK(cudaGraphAddHostNode(&host, g, nullptr, 0, &h));
  OK(cudaGraphAddMemcpyNode1D(&back, g, nullptr, 0, v, d, sizeof v, cudaMemcpyDeviceToHost));
  cudaKernelNodeParams k = kernel_of(&d, &five, &seven, args);
  OK(cudaGraphAddKernelNode(&second, g, nullptr, 0, &k));
  k = kernel_of(&d, &two, &three, args);
  OK(cudaGraphAddKernelNode(&first, g, nullptr, 0, &k));
  two = three = 0;  // arguments are those of then
  cudaMemsetParams m = {d, 0, 1, 4, N, 1};
  OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &m));
  cudaGraphNode_t from[] = {fill, first, second, back}, to[] = {first, second, back, host};
  OK(cudaGraphAddDependencies(g, from, to, 4));
  OK(cudaGraphGetNodes(g, n, &count));
  CHECK(count == 5 && n[0] == host && n[4] == fill);
  count = 8;
  OK(cudaGraphGetRootNodes(g, n, &count));
  CHECK(count == 1 && n[0] == fill);
  OK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
  for (int round = 0; round < 2; round++) {
    memset(v, 0, sizeof v);
    OK(cudaGraphLaunch(x, 0));
    OK(cudaDeviceSynchronize());
    CHECK(v[0] == 32 && v[N - 1] == 32);
  }
  CHECK(calls == 11);
  // other arguments in the executable one only
  int ten = 10, zero = 0;
  k = kernel_of(&d, &ten, &zero, args);
  OK(cudaGraphExecKernelNodeSetParams(x, second, &k));
  OK(cudaGraphLaunch(x, 0));
  OK(cudaDeviceSynchronize());
  CHECK(v[5] == 50);
  // a clone, as a child behind a call
  OK(cudaGraphClone(&copy, g));
  OK(cudaGraphDestroy(g));
  cudaGraph_t outer;
  cudaGraphNode_t child;
  OK(cudaGraphCreate(&outer, 0));
  h.userData = &digits[1];
  OK(cudaGraphAddHostNode(&host, outer, nullptr, 0, &h));
  OK(cudaGraphAddChildGraphNode(&child, outer, &host, 1, copy));
  OK(cudaGraphInstantiate(&y, outer));
  calls = 0;
  OK(cudaGraphLaunch(y, 0));
  OK(cudaDeviceSynchronize());
  CHECK(v[9] == 32 && calls == 21);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(child, &type));
  CHECK(type == cudaGraphNodeTypeGraph);
  // a node of another graph; a circle
  cudaGraphNode_t empty, next;
  GIVES(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&empty, outer, &back, 1));
  OK(cudaGraphAddEmptyNode(&empty, outer, &child, 1));
  OK(cudaGraphAddEmptyNode(&next, outer, &empty, 1));
  OK(cudaGraphAddDependencies(outer, &next, &empty, 1));
  GIVES(cudaErrorInvalidValue, cudaGraphInstantiate(&y, outer));
  OK(cudaGraphDestroy(outer));
  OK(cudaGraphDestroy(copy));
  OK(cudaGraphExecDestroy(x));
}

static void check_capture(int *d) {
  int v[N], digit = 7;
  cudaStream_t a, b;
  cudaEvent_t fork, join, outside;
  cudaGraph_t g;
  cudaGraphExec_t x;
  cudaStreamCaptureStatus status;
  OK(cudaStreamCreate(&a));
  OK(cudaStreamCreate(&b));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaEventCreate(&outside));
  OK(cudaEventRecord(outside, 0));
  OK(cudaMemset(d, 0, sizeof v));
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  OK(cudaStreamIsCapturing(a, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaMemsetAsync(d, 1, sizeof v, a));
  OK(cudaEventRecord(fork, a));
  OK(cudaStreamWaitEvent(b, fork, 0));
  scale<<<2, 128, 0, b>>>(d, 0, 4);
  OK(cudaGetLastError());
  OK(cudaEventRecord(join, b));
  OK(cudaStreamWaitEvent(a, join, 0));
  scale<<<2, 128, 0, a>>>(d, 3, 1);
  OK(cudaMemcpyAsync(v, d, sizeof v, cudaMemcpyDeviceToHost, a));
  OK(cudaLaunchHostFunc(a, call, &digit));
  // nothing has been done, and what cannot be captured is refused
  GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(a));
  GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(b));
  GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamWaitEvent(a, outside, 0));
  GIVES(cudaErrorInvalidResourceHandle, cudaMemcpy2DAsync(v, 4, d, 4, 4, 1, cudaMemcpyDeviceToHost, a));
  GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  int before[N];
  OK(cudaMemcpy(before, d, sizeof before, cudaMemcpyDeviceToHost));
  CHECK(before[0] == 0 && before[N - 1] == 0);
  OK(cudaStreamEndCapture(a, &g));
  OK(cudaStreamIsCapturing(b, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  OK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(g));
  calls = 0;
  memset(v, 0, sizeof v);
  OK(cudaGraphLaunch(x, a));
  OK(cudaStreamSynchronize(a));
  CHECK(v[0] == 13 && v[N - 1] == 13 && calls == 7);
  scale<<<2, 128, 0, b>>>(d, 1, 1);  // streams do again what they are asked for
  OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
  CHECK(v[0] == 14);
  GIVES(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(a, &g));
  GIVES(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  GIVES(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, a));
  OK(cudaGraphExecDestroy(x));
}

int main() {
  int *d;
  OK(cudaMalloc(&d, N * sizeof *d));
  check_nodes(d);
  check_capture(d);
  END;
}
