// SPDX-License-Identifier: Apache-2.0
// Attributes of streams and launches, most of which have no effect on this machine.
#include "include/cuda_attributes.h"
#include "rt.h"

static bool window_ok(const struct cudaAccessPolicyWindow *w) {
  return w->hitRatio >= 0 && w->hitRatio <= 1 && (unsigned)w->hitProp <= 2 &&
         (unsigned)w->missProp <= cudaAccessPropertyStreaming;
}

// NULL, and the error, when there is no such stream.
static rt_stream_attributes *attributes_of(cudaStream_t s, cudaError_t *e) {
  rt_stream_attributes *a = rt_stream_attributes_of(s);
  *e = a ? cudaSuccess : cudaErrorInvalidResourceHandle;
  return a;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t s, cudaStreamAttrID id,
                                   const cudaStreamAttrValue *v) {
  cudaError_t e;
  rt_stream_attributes *a = attributes_of(s, &e);
  if (!a)
    return rt_done(e);
  if (v && id == cudaStreamAttributeAccessPolicyWindow && window_ok(&v->accessPolicyWindow))
    a->window = v->accessPolicyWindow;
  else if (v && id == cudaStreamAttributeSynchronizationPolicy && (unsigned)v->syncPolicy - 1 < 4)
    a->policy = v->syncPolicy;
  else
    return rt_done(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t s, cudaStreamAttrID id, cudaStreamAttrValue *v) {
  cudaError_t e;
  const rt_stream_attributes *a = attributes_of(s, &e);
  if (!a)
    return rt_done(e);
  if (v && id == cudaStreamAttributeAccessPolicyWindow)
    v->accessPolicyWindow = a->window;
  else if (v && id == cudaStreamAttributeSynchronizationPolicy)
    v->syncPolicy = a->policy ? a->policy : cudaSyncPolicyAuto;
  else
    return rt_done(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  cudaError_t e;
  rt_stream_attributes *t = attributes_of(to, &e);
  const rt_stream_attributes *f = t ? attributes_of(from, &e) : NULL;
  if (f)
    *t = *f;
  return rt_done(e);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *kernel, void **args) {
  bool cooperative = false;
  if (!c || (c->numAttrs && !c->attrs))
    return rt_done(cudaErrorInvalidValue);
  for (unsigned n = 0; n < c->numAttrs; n++) {
    const cudaLaunchAttribute *a = &c->attrs[n];
    if (a->id == cudaLaunchAttributeCooperative)
      cooperative = a->val.cooperative;
    else if (a->id == cudaLaunchAttributeClusterDimension &&
             (a->val.clusterDim.x > 1 || a->val.clusterDim.y > 1 || a->val.clusterDim.z > 1))
      return rt_done(cudaErrorNotSupported);
    else if (a->id > cudaLaunchAttributePriority)
      return rt_done(cudaErrorInvalidValue);
  }
  return (cooperative ? cudaLaunchCooperativeKernel : cudaLaunchKernel)(
      kernel, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream);
}

// The most dynamic shared memory with which a core still holds so many blocks.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int threads) {
  size_t low = 0, high = (size_t)rt_machine()->shared.bytes + 1;
  int room = 0;
  if (!bytes || blocks <= 0)
    return rt_done(cudaErrorInvalidValue);
  const cudaError_t e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&room, kernel, threads, 0);
  if (e != cudaSuccess || room < blocks)
    return e != cudaSuccess ? e : rt_done(cudaErrorInvalidValue);
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&room, kernel, threads, middle);
    if (room >= blocks)
      low = middle;
    else
      high = middle;
  }
  *bytes = low;
  return cudaSuccess;
}
