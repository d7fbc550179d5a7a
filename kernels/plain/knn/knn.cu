// SPDX-License-Identifier: Apache-2.0
// KNN: the k records nearest to a target. The device computes the Euclidean distance of each
// record (latitude, longitude) to the target; the host selects the k smallest.
#include "../../common/workload.h"

#include <algorithm>
#include <vector>

__global__ void knn_distance(const float2 *records, int n, float lat, float lng, float *distance) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float2 r = records[i];
    float dx = r.x - lat, dy = r.y - lng;
    distance[i] = sqrtf(dx * dx + dy * dy);
  }
}

// The numbers of the k records with the smallest distances, nearest first; equals by number.
template <class T>
static std::vector<int> nearest(const std::vector<T> &distance, int k) {
  std::vector<int> order(distance.size());
  for (size_t i = 0; i < order.size(); i++)
    order[i] = (int)i;
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int a, int b) {
    return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
  });
  order.resize(k);
  return order;
}

int main(int argc, char **argv) {
  int n = 128 * 1024, k = 10, lat = 30, lng = 90;
  workload w = {"knn", "the k of n records nearest to a target", 128, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 27, "records"},
      {"k", &k, 10, 1, 1 << 27, "neighbours to find, at most n"},
      {"lat", &lat, 30, 0, 90, "latitude of the target"},
      {"lng", &lng, 90, 0, 180, "longitude of the target"},
  };
  workload_parse(&w, options, 4, argc, argv);
  if (k > n)
    workload_usage_error(&w, "--k: %d neighbours of %d records", k, n);

  uint64_t random = (uint64_t)w.seed;
  std::vector<float2> records(n);
  for (float2 &r : records) {
    r.x = workload_uniform(&random, 0.0f, 90.0f);
    r.y = workload_uniform(&random, 0.0f, 180.0f);
  }
  std::vector<float> result(n);

  float2 *dev_records;
  float *dev_distance;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_records, n * sizeof(float2)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_distance, n * sizeof(float)));
  WORKLOAD_CUDA(
      &w, cudaMemcpy(dev_records, records.data(), n * sizeof(float2), cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(n, w.threads));
  knn_distance<<<blocks, w.threads>>>(dev_records, n, (float)lat, (float)lng, dev_distance);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w,
                cudaMemcpy(result.data(), dev_distance, n * sizeof(float), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_records));
  WORKLOAD_CUDA(&w, cudaFree(dev_distance));

  // Relative error in roundings: (2 a difference + square + sum) / 2 for the root, and its own.
  const double slack = 3.1 * WORKLOAD_ROUND;
  std::vector<double> want(n);
  for (int i = 0; i < n; i++) {
    double dx = (double)records[i].x - lat, dy = (double)records[i].y - lng;
    want[i] = sqrt(dx * dx + dy * dy);
    if (!(fabs(result[i] - want[i]) <= slack * want[i]))
      return workload_fail(&w, "distance %d is %.9g, should be %.9g", i, result[i], want[i]);
  }
  // Neighbours whose distances agree within the error may change places, the distances may not.
  std::vector<int> got = nearest(result, k), best = nearest(want, k);
  for (int i = 0; i < k; i++)
    if (!(fabs(want[got[i]] - want[best[i]]) <= 2.1 * slack * want[best[i]]))
      return workload_fail(&w, "neighbour %d is record %d, should be %d", i, got[i], best[i]);
  return workload_pass(&w, "n %d, nearest is record %d at %.6g, %d blocks of %d threads", n, got[0],
                       result[got[0]], blocks, w.threads);
}
