// SPDX-License-Identifier: Apache-2.0
// BFS: breadth-first search of a graph from one vertex, a launch a level. The vertices of a level
// give their neighbours without a level the next one, until a launch has found none. The edges of
// vertex v are edges[first[v]] to before edges[first[v + 1]].
#include "../../common/workload.h"

#include <vector>

#define NONE -1  // not reached

// Several threads may give a vertex its level; all give it the same one.
__global__ void bfs(const int *first, const int *edges, int n, int level, int *levels, int *more) {
  int stride = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += stride) {
    if (levels[v] != level)
      continue;
    for (int e = first[v]; e < first[v + 1]; e++)
      if (levels[edges[e]] == NONE) {
        levels[edges[e]] = level + 1;
        *more = 1;
      }
  }
}

struct graph {
  std::vector<int> first, edges;
};

// A vertex has 0 to 2 * degree edges, to any vertices.
static graph graph_make(int n, int degree, uint64_t *random) {
  graph g;
  g.first.push_back(0);
  for (int v = 0; v < n; v++) {
    for (int count = (int)(workload_random(random) % (2u * degree + 1)); count > 0; count--)
      g.edges.push_back((int)(workload_random(random) % n));
    g.first.push_back((int)g.edges.size());
  }
  return g;
}

// The levels of all vertices from vertex `from`.
static std::vector<int> graph_levels(const graph &g, int n, int from) {
  std::vector<int> levels(n, NONE), queue(1, from);
  levels[from] = 0;
  for (size_t k = 0; k < queue.size(); k++) {
    int v = queue[k];
    for (int e = g.first[v]; e < g.first[v + 1]; e++)
      if (levels[g.edges[e]] == NONE) {
        levels[g.edges[e]] = levels[v] + 1;
        queue.push_back(g.edges[e]);
      }
  }
  return levels;
}

int main(int argc, char **argv) {
  int n = 8 * 1024, degree = 4, from = 0;
  workload w = {"bfs", "breadth-first search of a random graph", 128, 1, 0, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 256 << 10, 1, 1 << 24, "vertices"},
      {"degree", &degree, 4, 1, 64, "mean number of edges of a vertex"},
      {"from", &from, 0, 0, (1 << 24) - 1, "the vertex where the search begins"},
  };
  workload_parse(&w, options, 3, argc, argv);
  if (from >= n)
    workload_usage_error(&w, "--from: there is no vertex %d", from);

  uint64_t random = (uint64_t)w.seed;
  graph g = graph_make(n, degree, &random);
  std::vector<int> levels(n, NONE);
  levels[from] = 0;

  int *dev_first, *dev_edges, *dev_levels, *dev_more;
  size_t first_bytes = g.first.size() * sizeof(int), edge_bytes = g.edges.size() * sizeof(int);
  size_t level_bytes = n * sizeof(int);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_first, first_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_edges, edge_bytes + sizeof(int)));  // there may be none
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_levels, level_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_more, sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_first, g.first.data(), first_bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_edges, g.edges.data(), edge_bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_levels, levels.data(), level_bytes, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  int more = 1, level = 0;
  for (; more; level++) {
    more = 0;
    WORKLOAD_CUDA(&w, cudaMemcpy(dev_more, &more, sizeof(int), cudaMemcpyHostToDevice));
    bfs<<<blocks, w.threads>>>(dev_first, dev_edges, n, level, dev_levels, dev_more);
    WORKLOAD_LAUNCHED(&w);
    WORKLOAD_CUDA(&w, cudaMemcpy(&more, dev_more, sizeof(int), cudaMemcpyDeviceToHost));
  }
  WORKLOAD_CUDA(&w, cudaMemcpy(levels.data(), dev_levels, level_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_first));
  WORKLOAD_CUDA(&w, cudaFree(dev_edges));
  WORKLOAD_CUDA(&w, cudaFree(dev_levels));
  WORKLOAD_CUDA(&w, cudaFree(dev_more));

  std::vector<int> want = graph_levels(g, n, from);
  for (int v = 0; v < n; v++)
    if (levels[v] != want[v])
      return workload_fail(&w, "vertex %d has level %d, should have %d", v, levels[v], want[v]);
  return workload_pass(&w, "n %d, %zu edges, %d levels, %d blocks of %d threads", n, g.edges.size(),
                       level, blocks, w.threads);
}
