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

cudaError_t graph_kernel(cudaGraph_t g, const void *kernel, dim3 grid, dim3 block, void **args,
                         size_t shared);
cudaError_t graph_copy(cudaGraph_t g, void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t graph_fill(cudaGraph_t g, void *p, int value, size_t bytes);
cudaError_t graph_call(cudaGraph_t g, cudaHostFn_t f, void *data);
cudaError_t graph_malloc(cudaGraph_t g, void **p, size_t bytes);
cudaError_t graph_free(cudaGraph_t g, void *p);

// Frees what a launch has allocated and not freed; false: nothing is there.
bool graph_memory_free(const void *p);
void graph_memory_forget(unsigned device);  // its memory is gone
cudaError_t graph_condition_add(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                                size_t n, struct cudaConditionalNodeParams *p);

#endif
