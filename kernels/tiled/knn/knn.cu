// SPDX-License-Identifier: Apache-2.0
// KNN, tiled: the squared distance of each record to a target, no root. Latitudes and longitudes
// are two arrays, so that both coordinates of a record are in the core of its distance. The host
// takes the nearest record.
#include "../../common/workload.h"

#include <algorithm>
#include <vector>

__global__ void knn_distance(const float *x, const float *y, float *distance, int n, float lat,
                             float lng) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float dx = x[i] - lat, dy = y[i] - lng;
    distance[i] = dx * dx + dy * dy;
  }
}

int main(int argc, char **argv) {
  int n = 128 * 1024, lat = 30, lng = 90;
  workload w = {"knn", "squared distances of n records to a target", 128, 0, 4, 1, 512};
  const workload_option options[] = {
      {"n", &n, 16 << 20, 1, 1 << 28, "records"},
      {"lat", &lat, 30, 0, 90, "latitude of the target"},
      {"lng", &lng, 90, 0, 180, "longitude of the target"},
  };
  workload_parse(&w, options, 3, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  std::vector<float> x(n), y(n), result(n);
  for (int i = 0; i < n; i++) {
    x[i] = workload_uniform(&random, 0.0f, 90.0f);
    y[i] = workload_uniform(&random, 0.0f, 180.0f);
  }

  size_t bytes = n * sizeof(float);
  float *dev_x, *dev_y, *dev_distance;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_x, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_y, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_distance, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_x, x.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_y, y.data(), bytes, cudaMemcpyHostToDevice));
  knn_distance<<<w.blocks, w.threads>>>(dev_x, dev_y, dev_distance, n, (float)lat, (float)lng);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_distance, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_x));
  WORKLOAD_CUDA(&w, cudaFree(dev_y));
  WORKLOAD_CUDA(&w, cudaFree(dev_distance));

  // Relative error in roundings: 2 for the difference, which is squared, one each for the square
  // and the sum.
  const double slack = 4.1 * WORKLOAD_ROUND;
  for (int i = 0; i < n; i++) {
    double dx = (double)x[i] - lat, dy = (double)y[i] - lng;
    double want = dx * dx + dy * dy;
    if (!(fabs(result[i] - want) <= slack * want))
      return workload_fail(&w, "distance %d is %.9g, should be %.9g", i, result[i], want);
  }
  int nearest = (int)(std::min_element(result.begin(), result.end()) - result.begin());
  return workload_pass(&w, "n %d, nearest is record %d at %.6g, %d blocks of %d threads", n,
                       nearest, sqrt(result[nearest]), w.blocks, w.threads);
}
