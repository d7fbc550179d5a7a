// SPDX-License-Identifier: Apache-2.0
// What streams that are captured do with calls: they become nodes of a graph.
#ifndef NEARBANK_GRAPH_H
#define NEARBANK_GRAPH_H

#include "include/cuda_graph.h"
#include "rt.h"

// The graph that a stream is captured for; NULL: it is not.
cudaGraph_t rt_capture_of(cudaStream_t s);
void rt_capture_set(cudaStream_t s, cudaGraph_t g);
// Ends it for all streams.
void rt_capture_end(cudaGraph_t g);

// Nodes that what a captured stream is asked for next comes after; an event remembers them.
typedef struct graph_tail {
  cudaGraphNode_t *nodes;
  size_t n;
} graph_tail;
graph_tail *rt_capture_tail(cudaStream_t s);
bool graph_join(graph_tail *to, const graph_tail *from);  // false: no memory
void graph_forget(graph_tail *t);

// In a stream that is captured.
cudaError_t graph_kernel(cudaStream_t s, const void *kernel, dim3 grid, dim3 block, void **args,
                         size_t shared);
cudaError_t graph_copy(cudaStream_t s, void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t graph_fill(cudaStream_t s, void *p, int value, size_t bytes);
cudaError_t graph_call(cudaStream_t s, cudaHostFn_t f, void *data);
cudaError_t graph_malloc(cudaStream_t s, void **p, size_t bytes);
cudaError_t graph_free(cudaStream_t s, void *p);

// Frees what a launch has allocated and not freed; false: nothing is there.
bool graph_memory_free(const void *p);
void graph_memory_forget(unsigned device);  // its memory is gone
cudaError_t graph_condition_add(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                                size_t n, struct cudaConditionalNodeParams *p);

#endif
