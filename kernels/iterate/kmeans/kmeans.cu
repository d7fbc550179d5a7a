// SPDX-License-Identifier: Apache-2.0
// KMEANS: k-means clustering, all of it on the device, until no point changes its cluster. The
// coordinates of a point lie side by side. They are whole numbers, so that their sums are exact in
// any order.
#include "../../common/workload.h"

#include <vector>

#define FEATURES 8  // coordinates of a point
#define RANGE 1024  // each is below
#define MAX_CLUSTERS 64

// Rounds once, on the device and on the host.
__host__ __device__ static float distance_to(const int *point, const float *centre) {
  float distance = 0.0f;
  for (int f = 0; f < FEATURES; f++) {
    float d = (float)point[f] - centre[f];
    distance = fmaf(d, d, distance);
  }
  return distance;
}

__host__ __device__ static int nearest_to(const int *point, const float *centres, int clusters) {
  int best = 0;
  float least = distance_to(point, centres);
  for (int k = 1; k < clusters; k++) {
    float distance = distance_to(point, &centres[k * FEATURES]);
    if (distance < least) {
      best = k;
      least = distance;
    }
  }
  return best;
}

// Each point to the nearest centre; `changed` counts those that were elsewhere.
__global__ void kmeans_assign(const int *points, int n, const float *centres, int clusters,
                              int *member, int *changed) {
  __shared__ float centre[MAX_CLUSTERS * FEATURES];
  for (int i = threadIdx.x; i < clusters * FEATURES; i += blockDim.x)
    centre[i] = centres[i];
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
    int point[FEATURES];
    for (int f = 0; f < FEATURES; f++)
      point[f] = points[p * FEATURES + f];
    int best = nearest_to(point, centre, clusters);
    if (best != member[p]) {
      member[p] = best;
      atomicAdd(changed, 1);
    }
  }
}

// Sums and numbers of the points of each cluster: those of a block, then of all.
__global__ void kmeans_sum(const int *points, int n, const int *member, int clusters,
                           unsigned *sums, unsigned *counts) {
  __shared__ unsigned sum[MAX_CLUSTERS * FEATURES], count[MAX_CLUSTERS];
  for (int i = threadIdx.x; i < clusters * FEATURES; i += blockDim.x)
    sum[i] = 0;
  for (int k = threadIdx.x; k < clusters; k += blockDim.x)
    count[k] = 0;
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += stride) {
    int k = member[p];
    for (int f = 0; f < FEATURES; f++)
      atomicAdd(&sum[k * FEATURES + f], (unsigned)points[p * FEATURES + f]);
    atomicAdd(&count[k], 1u);
  }
  __syncthreads();

  for (int i = threadIdx.x; i < clusters * FEATURES; i += blockDim.x)
    atomicAdd(&sums[i], sum[i]);
  for (int k = threadIdx.x; k < clusters; k += blockDim.x)
    atomicAdd(&counts[k], count[k]);
}

// One block moves the centres to the means. A centre without points stays.
__global__ void kmeans_move(const unsigned *sums, const unsigned *counts, int clusters,
                            float *centres) {
  for (int i = threadIdx.x; i < clusters * FEATURES; i += blockDim.x)
    if (counts[i / FEATURES])
      centres[i] = (float)sums[i] / (float)counts[i / FEATURES];
}

struct problem {
  int n, clusters;
  std::vector<int> points;     // n rows of FEATURES
  std::vector<float> centres;  // clusters rows
  std::vector<int> member;
};

// Points scatter around one spot a cluster; the first points are the first centres.
static void problem_make(problem *q, uint64_t *random) {
  std::vector<int> spots(q->clusters * FEATURES);
  for (int &v : spots)
    v = (int)(workload_random(random) % (RANGE / 2));
  for (int p = 0; p < q->n; p++) {
    const int *spot = &spots[workload_random(random) % q->clusters * FEATURES];
    for (int f = 0; f < FEATURES; f++)
      q->points.push_back(spot[f] + (int)(workload_random(random) % (RANGE / 2)));
  }
  for (int k = 0; k < q->clusters; k++)
    for (int f = 0; f < FEATURES; f++)
      q->centres.push_back((float)q->points[k % q->n * FEATURES + f]);
  q->member.assign(q->n, -1);
}

// An iteration on the host; the number of points that have changed their cluster.
static int problem_iterate(problem *q) {
  std::vector<unsigned> sums(q->clusters * FEATURES, 0), counts(q->clusters, 0);
  int changed = 0;
  for (int p = 0; p < q->n; p++) {
    const int *point = &q->points[p * FEATURES];
    int k = nearest_to(point, q->centres.data(), q->clusters);
    changed += k != q->member[p];
    q->member[p] = k;
    counts[k]++;
    for (int f = 0; f < FEATURES; f++)
      sums[k * FEATURES + f] += (unsigned)point[f];
  }
  for (int i = 0; i < q->clusters * FEATURES; i++)
    if (counts[i / FEATURES])
      q->centres[i] = (float)sums[i] / (float)counts[i / FEATURES];
  return changed;
}

int main(int argc, char **argv) {
  problem q = {2048, 5, {}, {}, {}};
  int iterations = 3;
  workload w = {"kmeans", "k-means clustering of n points in 8 dimensions", 128, 1, 0, 1, 0, 1};
  const workload_option options[] = {
      {"n", &q.n, 64 << 10, 1, 1 << 22, "points"},
      {"clusters", &q.clusters, 8, 1, MAX_CLUSTERS, "clusters"},
      {"iterations", &iterations, 6, 1, 1000, "iterations, if points still change"},
  };
  workload_parse(&w, options, 3, argc, argv);
  uint64_t random = (uint64_t)w.seed;
  problem_make(&q, &random);

  int *dev_points, *dev_member, *dev_changed;
  float *dev_centres;
  unsigned *dev_sums, *dev_counts;
  size_t point_bytes = q.points.size() * sizeof(int), member_bytes = q.n * sizeof(int);
  size_t centre_bytes = q.centres.size() * sizeof(float);
  size_t sum_bytes = q.centres.size() * sizeof(unsigned);
  size_t count_bytes = q.clusters * sizeof(unsigned);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_points, point_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_centres, centre_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_member, member_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_changed, sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_sums, sum_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_counts, count_bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_points, q.points.data(), point_bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w,
                cudaMemcpy(dev_centres, q.centres.data(), centre_bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemset(dev_member, 0xff, member_bytes));  // all in cluster -1
  int blocks = workload_grid(&w, workload_ceil_div(q.n, w.threads));
  int changed = 1, done = 0;
  for (; done < iterations && changed; done++) {
    WORKLOAD_CUDA(&w, cudaMemset(dev_changed, 0, sizeof(int)));
    WORKLOAD_CUDA(&w, cudaMemset(dev_sums, 0, sum_bytes));
    WORKLOAD_CUDA(&w, cudaMemset(dev_counts, 0, count_bytes));
    kmeans_assign<<<blocks, w.threads>>>(dev_points, q.n, dev_centres, q.clusters, dev_member,
                                         dev_changed);
    WORKLOAD_LAUNCHED(&w);
    kmeans_sum<<<blocks, w.threads>>>(dev_points, q.n, dev_member, q.clusters, dev_sums,
                                      dev_counts);
    WORKLOAD_LAUNCHED(&w);
    kmeans_move<<<1, w.threads>>>(dev_sums, dev_counts, q.clusters, dev_centres);
    WORKLOAD_LAUNCHED(&w);
    WORKLOAD_CUDA(&w, cudaMemcpy(&changed, dev_changed, sizeof(int), cudaMemcpyDeviceToHost));
    int want = problem_iterate(&q);
    if (changed != want)
      return workload_fail(&w, "iteration %d: %d points change their cluster, should be %d", done,
                           changed, want);
  }
  std::vector<int> member(q.n);
  std::vector<float> centres(q.centres.size());
  WORKLOAD_CUDA(&w, cudaMemcpy(member.data(), dev_member, member_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaMemcpy(centres.data(), dev_centres, centre_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_points));
  WORKLOAD_CUDA(&w, cudaFree(dev_centres));
  WORKLOAD_CUDA(&w, cudaFree(dev_member));
  WORKLOAD_CUDA(&w, cudaFree(dev_changed));
  WORKLOAD_CUDA(&w, cudaFree(dev_sums));
  WORKLOAD_CUDA(&w, cudaFree(dev_counts));

  for (int p = 0; p < q.n; p++)
    if (member[p] != q.member[p])
      return workload_fail(&w, "point %d is in cluster %d, should be in %d", p, member[p],
                           q.member[p]);
  for (size_t i = 0; i < centres.size(); i++)
    if (!(centres[i] == q.centres[i]))
      return workload_fail(&w, "coordinate %d of centre %d is %.9g, should be %.9g",
                           (int)(i % FEATURES), (int)(i / FEATURES), centres[i], q.centres[i]);
  return workload_pass(&w, "n %d, %d clusters, %d iterations, %d blocks of %d threads", q.n,
                       q.clusters, done, blocks, w.threads);
}
