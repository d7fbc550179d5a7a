// SPDX-License-Identifier: Apache-2.0
// Memory of graphs. A node that allocates has its memory from when it is made, because its address
// is known then, until the last graph with it is destroyed; launches only note who may use it.
#include <stdlib.h>
#include "graph_priv.h"

struct graph_memory {
  void *at;
  size_t bytes;
  unsigned device, users;  // nodes
  bool live;               // between the nodes that allocate and free
  struct graph_memory *next;
};
static struct graph_memory *memories;
static uint64_t most[RT_DEVICES][2];  // used, reserved

static uint64_t now(unsigned device, bool used) {
  uint64_t all = 0;
  for (const struct graph_memory *m = memories; m; m = m->next)
    all += m->device == device && (m->live || !used) ? m->bytes : 0;
  return all;
}
static void count(unsigned device) {
  for (unsigned k = 0; k < 2; k++)
    if (now(device, k == 0) > most[device][k])
      most[device][k] = now(device, k == 0);
}
static struct graph_memory *memory_at(const void *p) {
  struct graph_memory *m = memories;
  while (m && m->at != p)
    m = m->next;
  return m;
}

void graph_memory_keep(struct graph_memory *m) {
  if (m)
    m->users++;
}
// Memory that no node frees stays the program's until cudaFree.
void graph_memory_drop(struct graph_memory *gone) {
  if (!gone || --gone->users || gone->live)
    return;
  struct graph_memory **m = &memories;
  while (*m != gone)
    m = &(*m)->next;
  *m = gone->next;
  cudaFree(gone->at);
  free(gone);
}

bool graph_memory_free(const void *p) {
  struct graph_memory *m = memory_at(p);
  if (!m || !m->live)
    return false;
  m->live = false;
  m->users++;
  graph_memory_drop(m);
  return true;
}
void graph_memory_forget(unsigned device) {
  for (struct graph_memory *m = memories; m; m = m->next)
    if (m->device == device)
      m->at = NULL, m->bytes = 0, m->live = false;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t g,
                                     const cudaGraphNode_t *after, size_t n,
                                     struct cudaMemAllocNodeParams *p) {
  if (!g || !p || !p->bytesize || p->poolProps.allocType != cudaMemAllocationTypePinned ||
      p->poolProps.location.type != cudaMemLocationTypeDevice)
    return rt_done(cudaErrorInvalidValue);
  if (!rt_device_exists(p->poolProps.location.id))
    return rt_done(cudaErrorInvalidDevice);
  if (p->poolProps.handleTypes || (unsigned)p->poolProps.location.id != thread.current)
    return rt_done(cudaErrorNotSupported);
  struct graph_memory *m = calloc(1, sizeof *m);
  cudaGraphNode_t x = m ? graph_node_new(cudaGraphNodeTypeMemAlloc) : NULL;
  void *at;
  const cudaError_t e = x ? cudaMalloc(&at, p->bytesize) : cudaErrorMemoryAllocation;
  if (e) {
    free(x);
    free(m);
    return rt_done(e);
  }
  *m = (struct graph_memory){at, p->bytesize, thread.current, 1, false, memories};
  memories = m;
  x->memory = m;
  p->dptr = at;
  count(m->device);
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t g,
                                    const cudaGraphNode_t *after, size_t n, void *p) {
  cudaGraphNode_t x = memory_at(p) ? graph_node_new(cudaGraphNodeTypeMemFree) : NULL;
  if (x)
    x->freed = p;
  return graph_node_add(node, g, after, n, x);
}
cudaError_t graph_malloc(cudaStream_t s, void **p, size_t bytes) {
  struct cudaMemAllocNodeParams params = {.bytesize = bytes};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location =
      (struct cudaMemLocation){cudaMemLocationTypeDevice, (int)thread.current};
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e = cudaGraphAddMemAllocNode(&x, rt_capture_of(s), t->nodes, t->n, &params);
  if (!e)
    *p = params.dptr;
  return graph_captured(s, x, e);
}
cudaError_t graph_free(cudaStream_t s, void *p) {
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e = cudaGraphAddMemFreeNode(&x, rt_capture_of(s), t->nodes, t->n, p);
  return graph_captured(s, x, e);
}

// What the graph has allocated and not freed keeps it from being launched again.
cudaError_t graph_memory_begin(cudaGraph_t g, bool frees) {
  for (size_t k = 0; k < g->n; k++) {
    struct graph_memory *m = g->nodes[k]->memory;
    if (m && m->live && !frees)
      return cudaErrorInvalidValue;
    if (m)
      m->live = false;
  }
  return cudaSuccess;
}
cudaError_t graph_memory_execute(const struct CUgraphNode_st *x) {
  struct graph_memory *m = x->memory ? x->memory : memory_at(x->freed);
  if (!m || m->live == (x->memory != NULL))
    return cudaErrorInvalidValue;
  m->live = !m->live;
  count(m->device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType a,
                                           void *value) {
  if (!rt_device_exists(device) || !value || (unsigned)a > cudaGraphMemAttrReservedMemHigh)
    return rt_done(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  const bool used = a == cudaGraphMemAttrUsedMemCurrent || a == cudaGraphMemAttrUsedMemHigh;
  const bool high = a == cudaGraphMemAttrUsedMemHigh || a == cudaGraphMemAttrReservedMemHigh;
  *(uint64_t *)value = high ? most[device][!used] : now((unsigned)device, used);
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType a,
                                           void *value) {
  const bool high = a == cudaGraphMemAttrUsedMemHigh || a == cudaGraphMemAttrReservedMemHigh;
  if (!rt_device_exists(device) || !value || !high || *(uint64_t *)value)
    return rt_done(cudaErrorInvalidValue);
  most[device][a == cudaGraphMemAttrReservedMemHigh] =
      now((unsigned)device, a == cudaGraphMemAttrUsedMemHigh);
  return cudaSuccess;
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return rt_done(rt_device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice);
}
