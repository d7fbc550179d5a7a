// SPDX-License-Identifier: Apache-2.0
// JACOBI: each inner point of a grid becomes the mean of its four neighbours, again and again; the
// border stays. Two arrays are exchanged after each launch.
#include "../../common/workload.h"

#include <utility>
#include <vector>

#define COLUMNS 32  // of a tile; it has as many rows as the block has warps

__global__ void jacobi(const float *in, float *out, int width, int height) {
  const int tiles_x = (width + COLUMNS - 1) / COLUMNS;
  const int tiles = tiles_x * ((height + blockDim.y - 1) / blockDim.y);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int x = t % tiles_x * COLUMNS + threadIdx.x;
    int y = t / tiles_x * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
      const float *p = &in[y * width + x];
      out[y * width + x] = 0.25f * (p[-width] + p[-1] + p[1] + p[width]);
    }
  }
}

int main(int argc, char **argv) {
  int width = 256, height = 64, iterations = 4;
  workload w = {"jacobi", "Jacobi iterations on a width x height grid", 128, COLUMNS, 0, 1, 0, 1};
  const workload_option options[] = {
      {"width", &width, 2048, 1, 16384, "columns of the grid"},
      {"height", &height, 256, 1, 16384, "rows of the grid"},
      {"iterations", &iterations, 12, 1, 1000, "iterations, a launch each"},
  };
  workload_parse(&w, options, 3, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  size_t points = (size_t)width * height, bytes = points * sizeof(float);
  std::vector<float> want(points), result(points);
  for (float &v : want)
    v = workload_uniform(&random, 0.0f, 1.0f);

  // Both begin as the same, so that both have the border.
  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, want.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_out, want.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(COLUMNS, w.threads / COLUMNS);
  int tiles = workload_ceil_div(width, COLUMNS) * workload_ceil_div(height, block.y);
  int blocks = workload_grid(&w, tiles);
  for (int i = 0; i < iterations; i++) {
    jacobi<<<blocks, block>>>(dev_in, dev_out, width, height);
    WORKLOAD_LAUNCHED(&w);
    std::swap(dev_in, dev_out);
  }
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_in, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // The same sums in the same order, and a product with a power of two: exact.
  for (int i = 0; i < iterations; i++) {
    std::vector<float> in = want;
    for (int y = 1; y < height - 1; y++)
      for (int x = 1; x < width - 1; x++) {
        const float *p = &in[(size_t)y * width + x];
        want[(size_t)y * width + x] = 0.25f * (p[-width] + p[-1] + p[1] + p[width]);
      }
  }
  for (size_t p = 0; p < points; p++)
    if (!(result[p] == want[p]))
      return workload_fail(&w, "point (%d, %d) is %.9g, should be %.9g", (int)(p % width),
                           (int)(p / width), result[p], want[p]);
  return workload_pass(&w, "%d x %d, %d iterations, %d blocks of %d threads", width, height,
                       iterations, blocks, w.threads);
}
