// SPDX-License-Identifier: Apache-2.0
// BLUR: 3x3 box blur of an image; beyond the border the nearest pixel counts. A block stages a
// tile and its border in shared memory; a thread then walks down one column, so that a row of the
// tile is summed once for the three output rows that need it.
#include "../../common/workload.h"

#include <vector>

#define ROWS 8  // output rows of a tile; it is blockDim.x wide

__device__ static float sum3(const float *p) {
  return p[0] + p[1] + p[2];
}

__global__ void blur(const float *in, float *out, int width, int height) {
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

    for (int r = 0; r < ROWS + 2; r++) {
      int y = min(max(y0 + r - 1, 0), height - 1);
      tile[r * pitch + tid + 1] = in[y * width + min(x, width - 1)];
    }
    if (tid < 2 * (ROWS + 2)) {  // the columns left and right of the tile
      int r = tid / 2, c = tid % 2 * (columns + 1);
      int y = min(max(y0 + r - 1, 0), height - 1);
      tile[r * pitch + c] = in[y * width + min(max(x0 + c - 1, 0), width - 1)];
    }
    __syncthreads();

    if (x < width) {
      float above = sum3(&tile[tid]);
      float here = sum3(&tile[pitch + tid]);
      for (int r = 0; r < ROWS && y0 + r < height; r++) {
        float below = sum3(&tile[(r + 2) * pitch + tid]);
        out[(y0 + r) * width + x] = (above + here + below) * (1.0f / 9.0f);
        above = here;
        here = below;
      }
    }
    __syncthreads();
  }
}

static float blur_reference(const std::vector<float> &in, int width, int height, int x, int y) {
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int sy = y + dy < 0 ? 0 : y + dy >= height ? height - 1 : y + dy;
      int sx = x + dx < 0 ? 0 : x + dx >= width ? width - 1 : x + dx;
      sum += in[(size_t)sy * width + sx];
    }
  return sum * (1.0f / 9.0f);
}

int main(int argc, char **argv) {
  int width = 512, height = 256;
  workload w = {"blur", "3x3 box blur of a width x height image of floats", 128, 32, 0, 1};
  const workload_option options[] = {
      {"width", &width, 4096, 1, 16384, "columns of the image"},
      {"height", &height, 4096, 1, 16384, "rows of the image"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(pixels);
  for (float &v : in)
    v = workload_pixel(&random);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  int tiles = workload_ceil_div(width, w.threads) * workload_ceil_div(height, ROWS);
  int blocks = workload_grid(&w, tiles);
  size_t shared = (ROWS + 2) * (w.threads + 2) * sizeof(float);
  blur<<<blocks, w.threads, shared>>>(dev_in, dev_out, width, height);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // Pixels are whole numbers up to 255: sums are exact in any order, one product rounds.
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float want = blur_reference(in, width, height, x, y);
      float got = result[(size_t)y * width + x];
      if (!(got == want))
        return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", x, y, got, want);
    }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", width, height, blocks, w.threads);
}
