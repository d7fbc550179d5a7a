// SPDX-License-Identifier: Apache-2.0
// CONV, tiled: 3x3 convolution of each tile of an image (as in neural networks: the filter is not
// mirrored); beyond the border of the tile its nearest pixel counts. A block takes the nine weights
// to shared memory once, then a tile at a time; a thread has a pixel of each group of rows.
#include "../../common/tiles.h"

#include <vector>

__global__ void conv(const float *in, const float *weights, float *out, int tiles) {
  __shared__ float filter[9];
  __shared__ float tile[TILE][TILE];
  const int x = threadIdx.x;
  const int tid = threadIdx.y * TILE + x;
  if (tid < 9)
    filter[tid] = weights[tid];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    for (int g = 0; g < GROUPS; g++)
      tile[g * ROWS + threadIdx.y][x] = in[tiles_group(g, t, tiles) + tid];
    __syncthreads();

    for (int g = 0; g < GROUPS; g++) {
      int y = g * ROWS + threadIdx.y;
      float sum = 0.0f;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += filter[(dy + 1) * 3 + dx + 1] *
                 tile[min(max(y + dy, 0), TILE - 1)][min(max(x + dx, 0), TILE - 1)];
      out[tiles_group(g, t, tiles) + tid] = sum;
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int width = 512, height = 256;
  workload w = {"conv", "3x3 convolution, in tiles of 32 x 32", GROUP_ELEMENTS, 0, 4, 1, 512};
  const workload_option options[] = {
      {"width", &width, 4096, TILE, 16384, "columns of the image, a multiple of 32"},
      {"height", &height, 4096, TILE, 16384, "rows of the image, a multiple of 32"},
  };
  workload_parse(&w, options, 2, argc, argv);
  const int tiles = tiles_count(&w, width, height);

  uint64_t random = (uint64_t)w.seed;
  float weights[9];
  for (float &v : weights)
    v = workload_uniform(&random, -1.0f, 1.0f);
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(pixels);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_weights, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_weights, sizeof weights));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_weights, weights, sizeof weights, cudaMemcpyHostToDevice));
  conv<<<w.blocks, dim3(TILE, ROWS)>>>(dev_in, dev_weights, dev_out, tiles);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_weights));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // A product passes at most ten roundings: its own and nine sums.
  for (int t = 0; t < tiles; t++)
    for (int i = 0; i < TILE * TILE; i++) {
      int row = i / TILE, column = i % TILE;
      double want = 0.0, size = 0.0;
      for (int k = 0; k < 9; k++) {
        int y = row + k / 3 - 1, x = column + k % 3 - 1;
        y = y < 0 ? 0 : y >= TILE ? TILE - 1 : y;
        x = x < 0 ? 0 : x >= TILE ? TILE - 1 : x;
        double product = (double)weights[k] * in[tiles_at(t, y, x, tiles)];
        want += product;
        size += fabs(product);
      }
      float got = result[tiles_at(t, row, column, tiles)];
      if (!(fabs(got - want) <= 10.1 * WORKLOAD_ROUND * size))
        return workload_fail(&w, "pixel (%d, %d) of tile %d is %.9g, should be %.9g", column, row,
                             t, got, want);
    }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", width, height, w.blocks, w.threads);
}
