// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that execute another graph or do not: a kernel before them has written a number,
// whose address is the handle.
#include <stdlib.h>
#include "graph_priv.h"

struct graph_condition {
  void *at;
  unsigned first, users;  // value at the beginning, nodes
  bool assigned;          // it has one
  struct graph_condition *next;
};
static struct graph_condition *conditions;

static struct graph_condition *condition_of(cudaGraphConditionalHandle handle) {
  struct graph_condition *c = conditions;
  while (c && (uintptr_t)c->at != handle)
    c = c->next;
  return c;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t g,
                                             unsigned int first, unsigned int flags) {
  if (!handle || !g || flags & ~(unsigned)cudaGraphCondAssignDefault)
    return rt_done(cudaErrorInvalidValue);
  struct graph_condition *c = calloc(1, sizeof *c);
  const cudaError_t e = c ? cudaMalloc(&c->at, sizeof(unsigned)) : cudaErrorMemoryAllocation;
  if (e) {
    free(c);
    return rt_done(e);
  }
  c->first = first;
  c->assigned = flags & cudaGraphCondAssignDefault;
  c->next = conditions;
  conditions = c;
  *handle = (uintptr_t)c->at;
  return cudaMemset(c->at, 0, sizeof(unsigned));
}

void graph_condition_drop(cudaGraphNode_t x) {
  struct graph_condition *c = x->condition, **at = &conditions;
  for (unsigned k = 0; k < x->n_bodies; k++)
    if (x->bodies[k])
      cudaGraphDestroy(x->bodies[k]);
  free(x->bodies);
  if (!c || --c->users)
    return;
  while (*at != c)
    at = &(*at)->next;
  *at = c->next;
  cudaFree(c->at);
  free(c);
}

static bool make_bodies(cudaGraphNode_t x, unsigned n) {
  x->bodies = calloc(n, sizeof *x->bodies);
  x->n_bodies = x->bodies ? n : 0;
  return x->bodies != NULL;
}

bool graph_condition_clone(cudaGraphNode_t to, const struct CUgraphNode_st *from) {
  to->bodies = NULL, to->n_bodies = 0;
  if (!from->condition)
    return true;
  from->condition->users++;
  bool ok = make_bodies(to, from->n_bodies);
  for (unsigned k = 0; k < from->n_bodies && ok; k++)
    ok = !cudaGraphClone(&to->bodies[k], from->bodies[k]);
  return ok;
}

cudaError_t graph_condition_add(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                                size_t n, struct cudaConditionalNodeParams *p) {
  struct graph_condition *c = condition_of(p->handle);
  const unsigned most = p->type == cudaGraphCondTypeIf      ? 2
                        : p->type == cudaGraphCondTypeWhile ? 1
                                                            : 1u << 16;
  if (!g || !c || (unsigned)p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most)
    return rt_done(cudaErrorInvalidValue);
  cudaGraphNode_t x = graph_node_new(cudaGraphNodeTypeConditional);
  if (!x)
    return rt_done(cudaErrorMemoryAllocation);
  x->choice = p->type;
  x->condition = c;
  c->users++;
  bool ok = make_bodies(x, p->size);
  for (unsigned k = 0; k < p->size && ok; k++)
    ok = !cudaGraphCreate(&x->bodies[k], 0);
  if (!ok) {
    graph_node_free(x);
    return rt_done(cudaErrorMemoryAllocation);
  }
  p->phGraph_out = x->bodies;
  return graph_node_add(node, g, after, n, x);
}

cudaError_t graph_condition_begin(cudaGraph_t g) {
  cudaError_t e = cudaSuccess;
  for (size_t k = 0; k < g->n && !e; k++) {
    const struct CUgraphNode_st *x = g->nodes[k];
    const struct graph_condition *c = x->condition;
    if (c && c->assigned)
      e = cudaMemcpy(c->at, &c->first, sizeof c->first, cudaMemcpyHostToDevice);
    if (x->child && !e)
      e = graph_condition_begin(x->child);
    for (unsigned b = 0; b < x->n_bodies && !e; b++)
      e = graph_condition_begin(x->bodies[b]);
  }
  return e;
}

cudaError_t graph_condition_execute(const struct CUgraphNode_st *x, rt_queue *in) {
  unsigned v = 0;
  for (;;) {
    cudaError_t e = cudaMemcpy(&v, x->condition->at, sizeof v, cudaMemcpyDeviceToHost);
    const unsigned body = x->choice == cudaGraphCondTypeSwitch ? v : v == 0;
    if (!e && body < x->n_bodies)
      e = graph_execute(x->bodies[body], in);
    if (e || x->choice != cudaGraphCondTypeWhile || body)
      return e;
  }
}
