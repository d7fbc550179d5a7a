// SPDX-License-Identifier: Apache-2.0
// BLUR, tiled: 3x3 box blur of each tile of an image; beyond the border of the tile its nearest
// pixel counts. A block takes a tile to shared memory; a thread has a pixel of each group of rows.
#include "../../common/tiles.h"

#include <vector>

__global__ void blur(const float *in, float *out, int tiles) {
  __shared__ float tile[TILE][TILE];
  const int x = threadIdx.x;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    for (int g = 0; g < GROUPS; g++) {
      int y = g * ROWS + threadIdx.y;
      tile[y][x] = in[tiles_group(g, t, tiles) + threadIdx.y * TILE + x];
    }
    __syncthreads();

    for (int g = 0; g < GROUPS; g++) {
      int y = g * ROWS + threadIdx.y;
      float sum = 0.0f;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += tile[min(max(y + dy, 0), TILE - 1)][min(max(x + dx, 0), TILE - 1)];
      out[tiles_group(g, t, tiles) + threadIdx.y * TILE + x] = sum * (1.0f / 9.0f);
    }
    __syncthreads();
  }
}

// Pixel (row, column) of tile t.
static float blur_reference(const std::vector<float> &in, int tiles, int t, int row, int column) {
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int y = row + dy < 0 ? 0 : row + dy >= TILE ? TILE - 1 : row + dy;
      int x = column + dx < 0 ? 0 : column + dx >= TILE ? TILE - 1 : column + dx;
      sum += in[tiles_at(t, y, x, tiles)];
    }
  return sum * (1.0f / 9.0f);
}

int main(int argc, char **argv) {
  int width = 512, height = 256;
  workload w = {"blur", "3x3 box blur of an image in tiles of 32 x 32", GROUP_ELEMENTS, 0, 4, 1,
                512};
  const workload_option options[] = {
      {"width", &width, 4096, TILE, 16384, "columns of the image, a multiple of 32"},
      {"height", &height, 4096, TILE, 16384, "rows of the image, a multiple of 32"},
  };
  workload_parse(&w, options, 2, argc, argv);
  const int tiles = tiles_count(&w, width, height);

  uint64_t random = (uint64_t)w.seed;
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(pixels);
  for (float &v : in)
    v = workload_pixel(&random);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  blur<<<w.blocks, dim3(TILE, ROWS)>>>(dev_in, dev_out, tiles);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // Pixels are whole numbers up to 255: sums are exact in any order, one product rounds.
  for (int t = 0; t < tiles; t++)
    for (int y = 0; y < TILE; y++)
      for (int x = 0; x < TILE; x++) {
        float got = result[tiles_at(t, y, x, tiles)];
        float want = blur_reference(in, tiles, t, y, x);
        if (!(got == want))
          return workload_fail(&w, "pixel (%d, %d) of tile %d is %.9g, should be %.9g", x, y, t,
                               got, want);
      }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", width, height, w.blocks, w.threads);
}
