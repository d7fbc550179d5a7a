// SPDX-License-Identifier: Apache-2.0
// KMEANS, tiled: one pass of k-means clustering, the nearest of a few centres to each point. Points
// are stored feature by feature: if their number is a multiple of 128 a core, all features of a
// point are in the core of its result. A block keeps the centres in shared memory.
#include "../../common/workload.h"

#include <float.h>
#include <vector>

#ifndef FEATURES
#define FEATURES 8
#endif
#ifndef CENTRES
#define CENTRES 5
#endif

__global__ void kmeans_assign(const float *points, const float *centres, int *member, int n) {
  __shared__ float centre[CENTRES * FEATURES];
  if (threadIdx.x < CENTRES * FEATURES)
    centre[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
    int best = 0;
    float best_distance = FLT_MAX;
    for (int k = 0; k < CENTRES; k++) {
      float distance = 0.0f;
      for (int f = 0; f < FEATURES; f++) {
        float d = points[f * n + p] - centre[k * FEATURES + f];
        distance += d * d;
      }
      if (distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
    member[p] = best;
  }
}

struct problem {
  int n;
  std::vector<float> points;   // FEATURES rows of n
  std::vector<float> centres;  // CENTRES rows of FEATURES
};

// Points scatter around one spot a cluster; the first points are the centres.
static void problem_make(problem *q, uint64_t *random) {
  q->points.resize((size_t)q->n * FEATURES);
  q->centres.resize(CENTRES * FEATURES);
  for (float &v : q->centres)
    v = workload_uniform(random, 0.0f, 100.0f);
  for (int p = 0; p < q->n; p++) {
    const float *spot = &q->centres[workload_random(random) % CENTRES * FEATURES];
    for (int f = 0; f < FEATURES; f++)
      q->points[(size_t)f * q->n + p] = spot[f] + workload_uniform(random, -10.0f, 10.0f);
  }
  for (int k = 0; k < CENTRES; k++)
    for (int f = 0; f < FEATURES; f++)
      q->centres[k * FEATURES + f] = q->points[(size_t)f * q->n + k % q->n];
}

static double problem_distance(const problem *q, int p, int k) {
  double sum = 0.0;
  for (int f = 0; f < FEATURES; f++) {
    double d = (double)q->points[(size_t)f * q->n + p] - q->centres[k * FEATURES + f];
    sum += d * d;
  }
  return sum;
}

// The first point whose centre is not nearest, or -1. The computed squares of the distances are
// sums of terms >= 0 that pass at most FEATURES + 3 roundings: two centres may be confused when
// they differ by less than that on both sides.
static int problem_check(const problem *q, const std::vector<int> &member, int *nearest) {
  const double slack = 1.0 + 2.1 * (FEATURES + 3) * WORKLOAD_ROUND;
  for (int p = 0; p < q->n; p++) {
    double least = problem_distance(q, p, 0);
    *nearest = 0;
    for (int k = 1; k < CENTRES; k++) {
      double d = problem_distance(q, p, k);
      if (d < least) {
        least = d;
        *nearest = k;
      }
    }
    if (member[p] < 0 || member[p] >= CENTRES ||
        !(problem_distance(q, p, member[p]) <= least * slack))
      return p;
  }
  return -1;
}

int main(int argc, char **argv) {
  problem q = {2048, {}, {}};
  workload w = {"kmeans", "nearest of 5 centres to each of n points of 8 features", 128, 0, 4, 1,
                512};
  const workload_option options[] = {
      {"n", &q.n, 262144, 1, 1 << 24, "points"},
  };
  workload_parse(&w, options, 1, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  problem_make(&q, &random);
  std::vector<int> member(q.n);

  float *dev_points, *dev_centres;
  int *dev_member;
  size_t point_bytes = q.points.size() * sizeof(float);
  size_t centre_bytes = q.centres.size() * sizeof(float);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_points, point_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_centres, centre_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_member, q.n * sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_points, q.points.data(), point_bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w,
                cudaMemcpy(dev_centres, q.centres.data(), centre_bytes, cudaMemcpyHostToDevice));
  kmeans_assign<<<w.blocks, w.threads>>>(dev_points, dev_centres, dev_member, q.n);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w,
                cudaMemcpy(member.data(), dev_member, q.n * sizeof(int), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_points));
  WORKLOAD_CUDA(&w, cudaFree(dev_centres));
  WORKLOAD_CUDA(&w, cudaFree(dev_member));

  int nearest;
  int wrong = problem_check(&q, member, &nearest);
  if (wrong >= 0)
    return workload_fail(&w, "point %d is in cluster %d, should be in %d", wrong, member[wrong],
                         nearest);
  return workload_pass(&w, "n %d, %d features, %d centres, %d blocks of %d threads", q.n, FEATURES,
                       CENTRES, w.blocks, w.threads);
}
