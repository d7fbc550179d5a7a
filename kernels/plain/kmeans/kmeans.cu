// SPDX-License-Identifier: Apache-2.0
// KMEANS: k-means clustering. The device assigns each point to the nearest centre; the host moves
// the centres to the means. Points are stored feature by feature, so that neighbouring threads
// read neighbouring words. A block keeps the centres in shared memory, and the features of the
// points it works on, which are needed once a centre.
#include "../../common/workload.h"

#include <vector>

__global__ void kmeans_assign(const float *points, int n, int features, const float *centres,
                              int clusters, int *member) {
  extern __shared__ float shared[];
  float *centre = shared;                                   // clusters rows of features
  float *own = shared + clusters * features + threadIdx.x;  // features rows of blockDim.x
  for (int i = threadIdx.x; i < clusters * features; i += blockDim.x)
    centre[i] = centres[i];
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
    for (int f = 0; f < features; f++)
      own[f * blockDim.x] = points[f * n + p];
    int best = 0;
    float best_distance = 0.0f;
    for (int k = 0; k < clusters; k++) {
      float distance = 0.0f;
      for (int f = 0; f < features; f++) {
        float d = own[f * blockDim.x] - centre[k * features + f];
        distance += d * d;
      }
      if (k == 0 || distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
    member[p] = best;
  }
}

struct problem {
  int n, features, clusters;
  std::vector<float> points;   // features rows of n
  std::vector<float> centres;  // clusters rows of features
};

// Points scatter around one spot a cluster; the first points are the first centres.
static void problem_make(problem *q, uint64_t *random) {
  q->points.resize((size_t)q->n * q->features);
  q->centres.resize((size_t)q->clusters * q->features);
  for (float &v : q->centres)
    v = workload_uniform(random, 0.0f, 100.0f);
  for (int p = 0; p < q->n; p++) {
    const float *spot = &q->centres[workload_random(random) % q->clusters * q->features];
    for (int f = 0; f < q->features; f++)
      q->points[(size_t)f * q->n + p] = spot[f] + workload_uniform(random, -10.0f, 10.0f);
  }
  for (int k = 0; k < q->clusters; k++)
    for (int f = 0; f < q->features; f++)
      q->centres[k * q->features + f] = q->points[(size_t)f * q->n + k % q->n];
}

static double problem_distance(const problem *q, int p, int k) {
  double sum = 0.0;
  for (int f = 0; f < q->features; f++) {
    double d = (double)q->points[(size_t)f * q->n + p] - q->centres[k * q->features + f];
    sum += d * d;
  }
  return sum;
}

// The first point whose cluster is not nearest, or -1. The computed squares of the distances are
// sums of terms >= 0 that pass at most features + 3 roundings: two centres may be confused when
// they differ by less than that on both sides.
static int problem_check(const problem *q, const std::vector<int> &member, int *nearest) {
  const double slack = 1.0 + 2.1 * (q->features + 3) * WORKLOAD_ROUND;
  for (int p = 0; p < q->n; p++) {
    double least = problem_distance(q, p, 0);
    *nearest = 0;
    for (int k = 1; k < q->clusters; k++) {
      double d = problem_distance(q, p, k);
      if (d < least) {
        least = d;
        *nearest = k;
      }
    }
    if (member[p] < 0 || member[p] >= q->clusters ||
        !(problem_distance(q, p, member[p]) <= least * slack))
      return p;
  }
  return -1;
}

// A centre without points stays.
static void problem_move(problem *q, const std::vector<int> &member) {
  std::vector<double> sum((size_t)q->clusters * q->features, 0.0);
  std::vector<int> count(q->clusters, 0);
  for (int p = 0; p < q->n; p++) {
    count[member[p]]++;
    for (int f = 0; f < q->features; f++)
      sum[member[p] * q->features + f] += q->points[(size_t)f * q->n + p];
  }
  for (int k = 0; k < q->clusters; k++)
    for (int f = 0; f < q->features && count[k]; f++)
      q->centres[k * q->features + f] = (float)(sum[k * q->features + f] / count[k]);
}

int main(int argc, char **argv) {
  problem q = {4096, 8, 5, {}, {}};
  int iterations = 3;
  workload w = {"kmeans", "k-means clustering of n points", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &q.n, 262144, 1, 1 << 24, "points"},
      {"features", &q.features, 8, 1, 64, "coordinates of a point"},
      {"clusters", &q.clusters, 5, 1, 64, "clusters"},
      {"iterations", &iterations, 3, 1, 1000, "times that points are assigned and centres move"},
  };
  workload_parse(&w, options, 4, argc, argv);
  size_t shared = (size_t)(q.clusters + w.threads) * q.features * sizeof(float);
  if (shared > WORKLOAD_SHARED)
    workload_usage_error(&w,
                         "--features, --clusters, --threads: %zu bytes of shared memory are more "
                         "than %d",
                         shared, WORKLOAD_SHARED);
  if ((int64_t)q.n * q.features > 1 << 28)
    workload_usage_error(&w, "--n, --features: more than %d coordinates", 1 << 28);

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
  int blocks = workload_grid(&w, workload_ceil_div(q.n, w.threads));
  for (int i = 0; i < iterations; i++) {
    WORKLOAD_CUDA(&w,
                  cudaMemcpy(dev_centres, q.centres.data(), centre_bytes, cudaMemcpyHostToDevice));
    kmeans_assign<<<blocks, w.threads, shared>>>(dev_points, q.n, q.features, dev_centres,
                                                 q.clusters, dev_member);
    WORKLOAD_LAUNCHED(&w);
    WORKLOAD_CUDA(&w,
                  cudaMemcpy(member.data(), dev_member, q.n * sizeof(int), cudaMemcpyDeviceToHost));
    int nearest;
    int wrong = problem_check(&q, member, &nearest);
    if (wrong >= 0)
      return workload_fail(&w, "iteration %d: point %d is in cluster %d, should be in %d", i, wrong,
                           member[wrong], nearest);
    problem_move(&q, member);
  }
  WORKLOAD_CUDA(&w, cudaFree(dev_points));
  WORKLOAD_CUDA(&w, cudaFree(dev_centres));
  WORKLOAD_CUDA(&w, cudaFree(dev_member));
  return workload_pass(&w, "n %d, %d features, %d clusters, %d iterations, %d blocks of %d threads",
                       q.n, q.features, q.clusters, iterations, blocks, w.threads);
}
