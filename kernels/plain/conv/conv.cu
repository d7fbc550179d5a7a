// SPDX-License-Identifier: Apache-2.0
// CONV: 3x3 convolution (as in neural networks: the filter is not mirrored), one channel, stride
// 1, zeros beyond the border, so that the output has the size of the input. A block stages a tile
// and its border in shared memory; the filter is in constant memory.
#include "../../common/workload.h"

#include <vector>

#define ROWS 8  // output rows of a tile; it is blockDim.x wide

__constant__ float filter[9];

__device__ static float pixel_or_zero(const float *in, int width, int height, int x, int y) {
  return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
}

__global__ void conv(const float *in, float *out, int width, int height) {
  extern __shared__ float tile[];  // ROWS + 2 rows of blockDim.x + 2
  const int columns = blockDim.x;
  const int pitch = columns + 2;
  const int tid = threadIdx.x;
  const int tiles_x = (width + columns - 1) / columns;
  const int tiles = tiles_x * ((height + ROWS - 1) / ROWS);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int x0 = t % tiles_x * columns;
    const int y0 = t / tiles_x * ROWS;
    const int x = x0 + tid;

    for (int r = 0; r < ROWS + 2; r++)
      tile[r * pitch + tid + 1] = pixel_or_zero(in, width, height, x, y0 + r - 1);
    if (tid < 2 * (ROWS + 2)) {  // the columns left and right of the tile
      int r = tid / 2, c = tid % 2 * (columns + 1);
      tile[r * pitch + c] = pixel_or_zero(in, width, height, x0 + c - 1, y0 + r - 1);
    }
    __syncthreads();

    if (x < width)
      for (int r = 0; r < ROWS && y0 + r < height; r++) {
        float sum = 0.0f;
        for (int k = 0; k < 9; k++)
          sum += filter[k] * tile[(r + k / 3) * pitch + tid + k % 3];
        out[(y0 + r) * width + x] = sum;
      }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int width = 512, height = 256;
  workload w = {"conv", "3x3 convolution of a width x height image of floats", 128, 32, 0, 1};
  const workload_option options[] = {
      {"width", &width, 4096, 1, 16384, "columns of the image"},
      {"height", &height, 4096, 1, 16384, "rows of the image"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  float weights[9];
  for (float &v : weights)
    v = workload_uniform(&random, -1.0f, 1.0f);
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(pixels);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpyToSymbol(filter, weights, sizeof weights));
  int tiles = workload_ceil_div(width, w.threads) * workload_ceil_div(height, ROWS);
  int blocks = workload_grid(&w, tiles);
  size_t shared = (ROWS + 2) * (w.threads + 2) * sizeof(float);
  conv<<<blocks, w.threads, shared>>>(dev_in, dev_out, width, height);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // A product passes at most ten roundings: its own and nine sums.
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double want = 0.0, size = 0.0;
      for (int k = 0; k < 9; k++) {
        int sx = x + k % 3 - 1, sy = y + k / 3 - 1;
        if (sx < 0 || sx >= width || sy < 0 || sy >= height)
          continue;
        double product = (double)weights[k] * in[(size_t)sy * width + sx];
        want += product;
        size += fabs(product);
      }
      float got = result[(size_t)y * width + x];
      if (!(fabs(got - want) <= 10.1 * WORKLOAD_ROUND * size))
        return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", x, y, got, want);
    }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", width, height, blocks, w.threads);
}
