// SPDX-License-Identifier: Apache-2.0
// Graphs that get the arguments of another one of the same form, and nodes by a structure for all
// kinds.
#include "graph_priv.h"

static size_t place_of(cudaGraph_t g, cudaGraphNode_t x) {
  size_t k = 0;
  while (k < g->n && g->nodes[k] != x)
    k++;
  return k;
}
static bool same_order(cudaGraph_t a, cudaGraph_t b, size_t k) {
  const struct CUgraphNode_st *x = a->nodes[k], *y = b->nodes[k];
  bool same = x->n_after == y->n_after;
  for (size_t j = 0; j < x->n_after && same; j++)
    same = place_of(a, x->after[j]) == place_of(b, y->after[j]);
  return same;
}

// What keeps graph a, which is executed, from becoming b; *at: the node of b.
static enum cudaGraphExecUpdateResult compare(cudaGraph_t a, cudaGraph_t b, cudaGraphNode_t *at) {
  if (a->n != b->n)
    return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t k = 0; k < a->n; k++) {
    const struct CUgraphNode_st *x = a->nodes[k], *y = b->nodes[k];
    *at = y->made_from;
    if (!same_order(a, b, k))
      return cudaGraphExecUpdateErrorTopologyChanged;
    if (x->type != y->type)
      return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (x->memory != y->memory || x->freed != y->freed || x->condition != y->condition)
      return cudaGraphExecUpdateErrorNotSupported;
    if (x->child) {
      const enum cudaGraphExecUpdateResult r = compare(x->child, y->child, at);
      if (r)
        return r;
    }
  }
  *at = NULL;
  return cudaGraphExecUpdateSuccess;
}

// Nodes exchange what they do, and keep their places.
static void exchange(cudaGraph_t a, cudaGraph_t b) {
  for (size_t k = 0; k < a->n; k++) {
    struct CUgraphNode_st *x = a->nodes[k], *y = b->nodes[k], kept = *x;
    *x = *y;
    x->after = kept.after, x->made_from = kept.made_from;
    kept.after = y->after, kept.made_from = y->made_from;
    *y = kept;
  }
}

static cudaError_t update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *at,
                          enum cudaGraphExecUpdateResult *result) {
  cudaGraph_t b;
  *at = NULL;
  *result = cudaGraphExecUpdateError;
  if (!x || !g)
    return rt_done(cudaErrorInvalidValue);
  if (cudaGraphClone(&b, g))
    return rt_done(cudaErrorMemoryAllocation);
  *result = graph_sort(b) ? compare(x->graph, b, at) : cudaGraphExecUpdateError;
  if (!*result)
    exchange(x->graph, b);
  cudaGraphDestroy(b);
  return rt_done(*result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *error,
                                enum cudaGraphExecUpdateResult *result) {
  cudaGraphNode_t at;
  enum cudaGraphExecUpdateResult r;
  const cudaError_t e = update(x, g, &at, &r);
  if (error)
    *error = at;
  if (result)
    *result = r;
  return e;
}

// As the nodes of a captured stream are executed one after the other, the last one stands for all.
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **nodes,
                                        const struct cudaGraphEdgeData **edges, size_t *n) {
  cudaGraph_t g = rt_capture_of(s);
  if (!status)
    return rt_done(cudaErrorInvalidValue);
  *status = g ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  if (!g)
    return cudaSuccess;
  if (id)
    *id = (uintptr_t)g;
  if (graph)
    *graph = g;
  if (edges)
    *edges = NULL;
  if (n)
    *n = g->n ? 1 : 0;
  if (nodes)
    *nodes = g->n ? &g->nodes[g->n - 1] : NULL;
  return cudaSuccess;
}
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, cudaGraphNode_t *nodes,
                                                   const struct cudaGraphEdgeData *edges, size_t n,
                                                   unsigned int flags) {
  cudaGraph_t g = rt_capture_of(s);
  (void)edges;
  if (!g || flags > cudaStreamSetCaptureDependencies || (n && !nodes))
    return rt_done(g ? cudaErrorInvalidValue : cudaErrorStreamCaptureUnmatched);
  for (size_t k = 0; k < n; k++)
    if (place_of(g, nodes[k]) == g->n)
      return rt_done(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                                const struct cudaGraphEdgeData *edges, size_t n,
                                struct cudaGraphNodeParams *p) {
  if (!p || edges)
    return rt_done(p ? cudaErrorNotSupported : cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, g, after, n, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, g, after, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, g, after, n, &p->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, g, after, n, &p->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, g, after, n, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, g, after, n);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, g, after, n, &p->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, g, after, n, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return graph_condition_add(node, g, after, n, &p->conditional);
    default:
      return rt_done(cudaErrorNotSupported);
  }
}
