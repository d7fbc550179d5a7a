// SPDX-License-Identifier: Apache-2.0
// Inside of graphs: nodes, and what graph.c shares with the kinds of nodes that have files of their
// own.
#ifndef NEARBANK_GRAPH_PRIV_H
#define NEARBANK_GRAPH_PRIV_H

#include "graph.h"
#include "order.h"

struct graph_memory;     // what a node allocates (graph_memory.c)
struct graph_condition;  // what a node asks (graph_condition.c)

struct CUgraphNode_st {
  enum cudaGraphNodeType type;
  struct cudaKernelNodeParams kernel;
  uint8_t *args;  // of the kernel, one behind the other as its parameters lie
  struct cudaMemcpy3DParms copy;
  void *to;  // of a copy of bytes in a row; NULL: it is `copy`
  const void *from;
  size_t bytes;
  enum cudaMemcpyKind kind;
  struct cudaMemsetParams fill;
  struct cudaHostNodeParams host;
  cudaGraph_t child;
  struct graph_memory *memory;
  void *freed;  // address
  struct graph_condition *condition;
  enum cudaGraphConditionalNodeType choice;
  cudaGraph_t *bodies;
  unsigned n_bodies;
  cudaGraphNode_t *after;
  size_t n_after;
  cudaGraphNode_t copied_to;  // in the last clone
  cudaGraphNode_t made_from;  // of a clone
  bool done;
  rt_point ended;  // in the last launch
};

struct CUgraph_st {
  cudaGraphNode_t *nodes;
  size_t n;
};

struct CUgraphExec_st {
  cudaGraph_t graph;  // a clone, in an order to be executed in
  bool frees;         // what it has allocated, when it is launched again
};

cudaGraphNode_t graph_node_new(enum cudaGraphNodeType type);  // NULL: no memory
void graph_node_free(cudaGraphNode_t x);
// Takes the node over, behind n others.
cudaError_t graph_node_add(cudaGraphNode_t *made, cudaGraph_t g, const cudaGraphNode_t *after,
                           size_t n, cudaGraphNode_t x);
bool graph_sort(cudaGraph_t g);  // false: nodes wait for each other
// Each node begins when those before it have ended, the first ones at in->at, which is then the
// end.
cudaError_t graph_execute(cudaGraph_t g, rt_queue *in);
// A node was added for a captured stream: what comes next in it comes after that.
cudaError_t graph_captured(cudaStream_t s, cudaGraphNode_t x, cudaError_t e);

// A node of a clone uses the same memory; the last one that is freed frees it.
void graph_memory_keep(struct graph_memory *m);
void graph_memory_drop(struct graph_memory *m);
cudaError_t graph_memory_begin(cudaGraph_t g, bool frees);  // before a launch
cudaError_t graph_memory_execute(const struct CUgraphNode_st *x);

bool graph_condition_clone(cudaGraphNode_t to, const struct CUgraphNode_st *from);
void graph_condition_drop(cudaGraphNode_t x);
cudaError_t graph_condition_begin(cudaGraph_t g);
cudaError_t graph_condition_execute(const struct CUgraphNode_st *x, rt_queue *in);

#endif
