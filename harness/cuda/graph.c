// SPDX-License-Identifier: Apache-2.0
// Graphs: nodes in an order in which each comes after those that it depends on. Launching a graph
// does what its nodes say, in that order; in simulated time each begins when those that it depends
// on have ended.
#include "graph_priv.h"

#include <stdlib.h>
#include <string.h>
#include "order.h"

// ---- nodes

void graph_node_free(cudaGraphNode_t x) {
  graph_memory_drop(x->memory);
  graph_condition_drop(x);
  if (x->child)
    cudaGraphDestroy(x->child);
  free(x->args);
  free(x->after);
  free(x);
}

static bool append(cudaGraphNode_t **list, size_t *n, cudaGraphNode_t x) {
  cudaGraphNode_t *more = realloc(*list, (*n + 1) * sizeof *more);
  if (!more)
    return false;
  more[(*n)++] = x;
  *list = more;
  return true;
}

static bool has(cudaGraph_t g, cudaGraphNode_t x) {
  for (size_t k = 0; k < g->n; k++)
    if (g->nodes[k] == x)
      return true;
  return false;
}

cudaError_t graph_node_add(cudaGraphNode_t *made, cudaGraph_t g, const cudaGraphNode_t *after,
                           size_t n, cudaGraphNode_t x) {
  cudaError_t e = g && x && (after || !n) ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t k = 0; k < n && !e; k++)
    e = !has(g, after[k])                          ? cudaErrorInvalidValue
        : append(&x->after, &x->n_after, after[k]) ? cudaSuccess
                                                   : cudaErrorMemoryAllocation;
  if (!e && !append(&g->nodes, &g->n, x))
    e = cudaErrorMemoryAllocation;
  if (e && x)
    graph_node_free(x);
  if (!e && made)
    *made = x;
  return rt_done(e);
}

cudaGraphNode_t graph_node_new(enum cudaGraphNodeType type) {
  cudaGraphNode_t x = calloc(1, sizeof *x);
  if (x)
    x->type = type;
  return x;
}

// Copies the arguments, as they are now.
static cudaError_t take_kernel(cudaGraphNode_t x, const struct cudaKernelNodeParams *p) {
  const rt_function *f = p && rt_get() ? rt_find_function(p->func) : NULL;
  if (!f || !f->kernel)
    return p ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
  const module_kernel *k = f->kernel;
  if ((k->param_count && !p->kernelParams) || p->extra)
    return cudaErrorInvalidValue;
  uint8_t *args = calloc(1, k->param_bytes + 1);
  if (!args)
    return cudaErrorMemoryAllocation;
  for (uint32_t n = 0; n < k->param_count; n++)
    memcpy(args + k->params[n].offset, p->kernelParams[n], k->params[n].bytes);
  free(x->args);
  x->args = args;
  x->kernel = *p;
  x->kernel.kernelParams = NULL;
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t g,
                                   const cudaGraphNode_t *after, size_t n,
                                   const struct cudaKernelNodeParams *p) {
  cudaGraphNode_t x = graph_node_new(cudaGraphNodeTypeKernel);
  const cudaError_t e = x ? take_kernel(x, p) : cudaErrorMemoryAllocation;
  if (!e)
    return graph_node_add(node, g, after, n, x);
  free(x);
  return rt_done(e);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t g,
                                     const cudaGraphNode_t *after, size_t n, void *to,
                                     const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  cudaGraphNode_t x = to && from ? graph_node_new(cudaGraphNodeTypeMemcpy) : NULL;
  if (x)
    x->to = to, x->from = from, x->bytes = bytes, x->kind = kind;
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t g,
                                   const cudaGraphNode_t *after, size_t n,
                                   const struct cudaMemcpy3DParms *p) {
  cudaGraphNode_t x = p ? graph_node_new(cudaGraphNodeTypeMemcpy) : NULL;
  if (x)
    x->copy = *p;
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t g,
                                   const cudaGraphNode_t *after, size_t n,
                                   const struct cudaMemsetParams *p) {
  const bool ok = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
  cudaGraphNode_t x = ok ? graph_node_new(cudaGraphNodeTypeMemset) : NULL;
  if (x)
    x->fill = *p;
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                                 size_t n, const struct cudaHostNodeParams *p) {
  cudaGraphNode_t x = p && p->fn ? graph_node_new(cudaGraphNodeTypeHost) : NULL;
  if (x)
    x->host = *p;
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t g,
                                  const cudaGraphNode_t *after, size_t n) {
  return graph_node_add(node, g, after, n, graph_node_new(cudaGraphNodeTypeEmpty));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t g,
                                       const cudaGraphNode_t *after, size_t n, cudaGraph_t child) {
  cudaGraphNode_t x = child ? graph_node_new(cudaGraphNodeTypeGraph) : NULL;
  if (x && cudaGraphClone(&x->child, child)) {
    free(x);
    return rt_done(cudaErrorMemoryAllocation);
  }
  return graph_node_add(node, g, after, n, x);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t n) {
  cudaError_t e = g && (!n || (from && to)) ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t k = 0; k < n && !e; k++)
    e = !has(g, from[k]) || !has(g, to[k])                ? cudaErrorInvalidValue
        : append(&to[k]->after, &to[k]->n_after, from[k]) ? cudaSuccess
                                                          : cudaErrorMemoryAllocation;
  return rt_done(e);
}

static cudaError_t list(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n, bool roots) {
  size_t all = 0;
  if (!g || !n)
    return rt_done(cudaErrorInvalidValue);
  for (size_t k = 0; k < g->n; k++)
    if (!roots || !g->nodes[k]->n_after) {
      if (nodes && all < *n)
        nodes[all] = g->nodes[k];
      all++;
    }
  *n = all;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n) {
  return list(g, nodes, n, false);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *nodes, size_t *n) {
  return list(g, nodes, n, true);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  if (!node || !type)
    return rt_done(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}
// Without the arguments.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
  if (!node || !p || node->type != cudaGraphNodeTypeKernel)
    return rt_done(cudaErrorInvalidValue);
  *p = node->kernel;
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                         const struct cudaKernelNodeParams *p) {
  const bool ok = node && node->type == cudaGraphNodeTypeKernel;
  return rt_done(ok ? take_kernel(node, p) : cudaErrorInvalidValue);
}

// ---- graphs

cudaError_t cudaGraphCreate(cudaGraph_t *g, unsigned int flags) {
  if (!g || flags)
    return rt_done(cudaErrorInvalidValue);
  *g = calloc(1, sizeof **g);
  return rt_done(*g ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) {
  if (!g)
    return rt_done(cudaErrorInvalidValue);
  for (size_t k = 0; k < g->n; k++)
    graph_node_free(g->nodes[k]);
  free(g->nodes);
  free(g);
  return cudaSuccess;
}

// All but what it depends on. NULL: no memory.
static cudaGraphNode_t clone_node(const struct CUgraphNode_st *x) {
  cudaGraphNode_t y = graph_node_new(x->type);
  if (!y)
    return NULL;
  *y = *x;
  y->after = NULL, y->n_after = 0, y->args = NULL, y->child = NULL;
  y->made_from = (cudaGraphNode_t)(uintptr_t)x;
  const rt_function *f = x->args ? rt_find_function(x->kernel.func) : NULL;
  if (f && (y->args = malloc(f->kernel->param_bytes + 1)))
    memcpy(y->args, x->args, f->kernel->param_bytes);
  graph_memory_keep(y->memory);
  const bool whole = graph_condition_clone(y, x);
  if (!whole || (x->args && !y->args) || (x->child && cudaGraphClone(&y->child, x->child))) {
    graph_node_free(y);
    return NULL;
  }
  return y;
}

cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t g) {
  cudaGraph_t made = NULL;
  if (!to || !g)
    return rt_done(cudaErrorInvalidValue);
  bool ok = !cudaGraphCreate(&made, 0);
  for (size_t k = 0; k < g->n && ok; k++) {
    g->nodes[k]->copied_to = clone_node(g->nodes[k]);
    ok = g->nodes[k]->copied_to && append(&made->nodes, &made->n, g->nodes[k]->copied_to);
  }
  for (size_t k = 0; k < g->n && ok; k++)
    for (size_t j = 0; j < g->nodes[k]->n_after && ok; j++)
      ok = append(&made->nodes[k]->after, &made->nodes[k]->n_after,
                  g->nodes[k]->after[j]->copied_to);
  if (!ok && made)
    cudaGraphDestroy(made);
  else
    *to = made;
  return rt_done(ok ? cudaSuccess : cudaErrorMemoryAllocation);
}

static bool may_follow(const struct CUgraphNode_st *x) {
  for (size_t k = 0; k < x->n_after; k++)
    if (!x->after[k]->done)
      return false;
  return !x->done;
}

// The first node that can be executed is next, each time. False: some wait for each other.
bool graph_sort(cudaGraph_t g) {
  for (size_t k = 0; k < g->n; k++)
    g->nodes[k]->done = false;
  for (size_t k = 0; k < g->n; k++) {
    size_t next = k;
    while (next < g->n && !may_follow(g->nodes[next]))
      next++;
    if (next == g->n)
      return false;
    cudaGraphNode_t x = g->nodes[next];
    memmove(g->nodes + k + 1, g->nodes + k, (next - k) * sizeof x);
    g->nodes[k] = x;
    x->done = true;
    if (x->child && !graph_sort(x->child))
      return false;
    for (unsigned b = 0; b < x->n_bodies; b++)
      if (!graph_sort(x->bodies[b]))
        return false;
  }
  return true;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *x, cudaGraph_t g,
                                          unsigned long long flags) {
  if (!x || !g || flags & ~(unsigned long long)cudaGraphInstantiateFlagAutoFreeOnLaunch)
    return rt_done(cudaErrorInvalidValue);
  cudaGraphExec_t made = calloc(1, sizeof *made);
  if (!made || cudaGraphClone(&made->graph, g)) {
    free(made);
    return rt_done(cudaErrorMemoryAllocation);
  }
  if (!graph_sort(made->graph)) {
    cudaGraphExecDestroy(made);
    return rt_done(cudaErrorInvalidValue);
  }
  made->frees = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
  *x = made;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *x, cudaGraph_t g, cudaGraphNode_t *error,
                                 char *log, size_t bytes) {
  const cudaError_t e = cudaGraphInstantiateWithFlags(x, g, 0);
  if (error)
    *error = NULL;
  if (log && bytes)
    snprintf(log, bytes, "%s", e == cudaErrorInvalidValue ? "nodes wait for each other" : "");
  return e;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x) {
  if (!x)
    return rt_done(cudaErrorInvalidValue);
  cudaGraphDestroy(x->graph);
  free(x);
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t x, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
  for (size_t k = 0; x && k < x->graph->n; k++)
    if (x->graph->nodes[k]->made_from == node)
      return cudaGraphKernelNodeSetParams(x->graph->nodes[k], p);
  return rt_done(cudaErrorInvalidValue);
}

// ---- what comes next in a captured stream

bool graph_join(graph_tail *to, const graph_tail *from) {
  bool ok = true;
  for (size_t k = 0; k < from->n && ok; k++)
    ok = append(&to->nodes, &to->n, from->nodes[k]);
  return ok;
}
void graph_forget(graph_tail *t) {
  free(t->nodes);
  *t = (graph_tail){NULL, 0};
}

cudaError_t graph_captured(cudaStream_t s, cudaGraphNode_t x, cudaError_t e) {
  graph_tail *t = rt_capture_tail(s);
  if (e != cudaSuccess)
    return e;
  graph_forget(t);
  return append(&t->nodes, &t->n, x) ? cudaSuccess : rt_done(cudaErrorMemoryAllocation);
}

// ---- launches

static cudaError_t fill(const struct cudaMemsetParams *p) {
  cudaError_t e = cudaSuccess;
  if (p->elementSize == 1)
    return p->height > 1 ? cudaMemset2D(p->dst, p->pitch, (int)p->value, p->width, p->height)
                         : cudaMemset(p->dst, (int)p->value, p->width);
  for (size_t y = 0; (y == 0 || y < p->height) && !e; y++)
    e = rt_fill((char *)p->dst + y * p->pitch, &p->value, p->elementSize, p->width);
  return e;
}

static cudaError_t launch_kernel(const struct CUgraphNode_st *x) {
  const struct cudaKernelNodeParams *p = &x->kernel;
  const rt_function *f = rt_find_function(p->func);
  if (!f || !f->kernel)
    return cudaErrorInvalidDeviceFunction;
  void **args = calloc(f->kernel->param_count + 1, sizeof *args);
  if (!args)
    return cudaErrorMemoryAllocation;
  for (uint32_t n = 0; n < f->kernel->param_count; n++)
    args[n] = x->args + f->kernel->params[n].offset;
  const cudaError_t e =
      cudaLaunchKernel(p->func, p->gridDim, p->blockDim, args, p->sharedMemBytes, NULL);
  free(args);
  return e;
}

static cudaError_t execute_node(const struct CUgraphNode_st *x, rt_queue *in) {
  switch (x->type) {
    case cudaGraphNodeTypeKernel:
      return launch_kernel(x);
    case cudaGraphNodeTypeMemcpy:
      return x->to ? cudaMemcpy(x->to, x->from, x->bytes, x->kind) : cudaMemcpy3D(&x->copy);
    case cudaGraphNodeTypeMemset:
      return fill(&x->fill);
    case cudaGraphNodeTypeHost:
      return cudaLaunchHostFunc(NULL, x->host.fn, x->host.userData);
    case cudaGraphNodeTypeGraph:
      return graph_execute(x->child, in);
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree:
      return graph_memory_execute(x);
    case cudaGraphNodeTypeConditional:
      return graph_condition_execute(x, in);
    default:
      return cudaSuccess;
  }
}

cudaError_t graph_execute(cudaGraph_t g, rt_queue *in) {
  const rt_point since = in->at;
  cudaError_t e = cudaSuccess;
  for (size_t k = 0; k < g->n && !e; k++) {
    cudaGraphNode_t x = g->nodes[k];
    rt_queue own = {.of = in->of, .at = since, .apart = true, .number = in->number};
    for (size_t n = 0; n < x->n_after; n++)
      own.at = order_later(own.at, x->after[n]->ended);
    rt_queue *was = order_into(&own);
    e = execute_node(x, &own);
    order_into(was);
    x->ended = own.at;
    in->at = order_later(in->at, own.at);
  }
  return e;
}

static cudaError_t launch_in(const struct CUgraphExec_st *x, cudaStream_t s) {
  rt_queue all = {.of = rt_get(), .at = order_at(s), .apart = true, .number = rt_stream_number(s)};
  if (!all.of)
    return cudaErrorInitializationError;
  cudaError_t e = graph_memory_begin(x->graph, x->frees);
  if (!e) {
    rt_queue *was = order_into(&all);
    e = graph_condition_begin(x->graph);
    order_into(was);
  }
  if (!e)
    e = graph_execute(x->graph, &all);
  order_after(s, all.at);
  return e;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s) {
  if (!x)
    return rt_done(cudaErrorInvalidValue);
  if (rt_capture_of(s)) {
    const graph_tail *t = rt_capture_tail(s);
    cudaGraphNode_t made = NULL;
    const cudaError_t e =
        cudaGraphAddChildGraphNode(&made, rt_capture_of(s), t->nodes, t->n, x->graph);
    return graph_captured(s, made, e);
  }
  return rt_done(ORDER_ASYNC(s, launch_in(x, s)));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t s) {
  return rt_done(!x                ? cudaErrorInvalidValue
                 : rt_stream_ok(s) ? cudaSuccess
                                   : cudaErrorInvalidResourceHandle);
}

// ---- capture. Nodes are in the order of the calls; each comes after what its stream had.

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) {
  cudaGraph_t g;
  if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
    return rt_done(cudaErrorInvalidValue);
  if (!s || s == cudaStreamLegacy || s == cudaStreamPerThread || rt_capture_of(s))
    return rt_done(cudaErrorStreamCaptureUnsupported);
  if (!rt_stream_ok(s))
    return rt_done(cudaErrorInvalidResourceHandle);
  const cudaError_t e = cudaGraphCreate(&g, 0);
  if (!e)
    rt_capture_set(s, g);
  return e;
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g,
                                          const cudaGraphNode_t *after,
                                          const struct cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode) {
  if (!g || edges || (n && !after))
    return rt_done(edges ? cudaErrorNotSupported : cudaErrorInvalidValue);
  const graph_tail from = {(cudaGraphNode_t *)(uintptr_t)after, n};
  const cudaError_t e = cudaStreamBeginCapture(s, mode);
  if (e)
    return e;
  cudaGraph_t own = rt_capture_of(s);
  rt_capture_set(s, g);
  cudaGraphDestroy(own);
  return rt_done(graph_join(rt_capture_tail(s), &from) ? cudaSuccess : cudaErrorMemoryAllocation);
}
// Without a place for the graph: the program has it.
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) {
  cudaGraph_t made = rt_capture_of(s);
  if (!made)
    return rt_done(cudaErrorStreamCaptureUnmatched);
  rt_capture_end(made);
  if (g)
    *g = made;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status) {
  if (!status)
    return rt_done(cudaErrorInvalidValue);
  *status = rt_capture_of(s) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
// All calls that a captured stream cannot take are refused in each mode.
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  static _Thread_local enum cudaStreamCaptureMode now = cudaStreamCaptureModeGlobal;
  if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
    return rt_done(cudaErrorInvalidValue);
  const enum cudaStreamCaptureMode was = now;
  now = *mode, *mode = was;
  return cudaSuccess;
}

// ---- what captured streams are asked for

cudaError_t graph_kernel(cudaStream_t s, const void *kernel, dim3 grid, dim3 block, void **args,
                         size_t shared) {
  const struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)kernel,
                                         .gridDim = grid,
                                         .blockDim = block,
                                         .sharedMemBytes = (unsigned)shared,
                                         .kernelParams = args};
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e = cudaGraphAddKernelNode(&x, rt_capture_of(s), t->nodes, t->n, &p);
  return graph_captured(s, x, e);
}
cudaError_t graph_copy(cudaStream_t s, void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind) {
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e =
      cudaGraphAddMemcpyNode1D(&x, rt_capture_of(s), t->nodes, t->n, to, from, bytes, kind);
  return graph_captured(s, x, e);
}
cudaError_t graph_fill(cudaStream_t s, void *p, int value, size_t bytes) {
  const struct cudaMemsetParams what = {
      .dst = p, .value = (unsigned)value, .elementSize = 1, .width = bytes, .height = 1};
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e = cudaGraphAddMemsetNode(&x, rt_capture_of(s), t->nodes, t->n, &what);
  return graph_captured(s, x, e);
}
cudaError_t graph_call(cudaStream_t s, cudaHostFn_t f, void *data) {
  const struct cudaHostNodeParams what = {f, data};
  const graph_tail *t = rt_capture_tail(s);
  cudaGraphNode_t x = NULL;
  const cudaError_t e = cudaGraphAddHostNode(&x, rt_capture_of(s), t->nodes, t->n, &what);
  return graph_captured(s, x, e);
}
