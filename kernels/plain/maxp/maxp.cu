// SPDX-License-Identifier: Apache-2.0
// MAXP: max-pooling with windows of 2x2 and stride 2; at odd sizes the last windows are cut off at
// the border. Threads read whole rows of memory and keep the larger of two rows; the horizontal
// neighbours then meet in shared memory.
#include "../../common/workload.h"

#include <float.h>
#include <vector>

#define ROWS 4  // output rows of a tile; it is blockDim.x wide

__global__ void maxp(const float *in, float *out, int width, int height) {
  extern __shared__ float tile[];  // ROWS rows of 2 * blockDim.x
  const int columns = blockDim.x;
  const int tid = threadIdx.x;
  const int out_width = (width + 1) / 2, out_height = (height + 1) / 2;
  const int tiles_x = (out_width + columns - 1) / columns;
  const int tiles = tiles_x * ((out_height + ROWS - 1) / ROWS);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int x0 = t % tiles_x * columns;
    const int y0 = t / tiles_x * ROWS;

    for (int r = 0; r < ROWS && y0 + r < out_height; r++)
      for (int c = tid; c < 2 * columns; c += columns) {
        int x = 2 * x0 + c, y = 2 * (y0 + r);
        float v = -FLT_MAX;
        if (x < width) {
          v = in[y * width + x];
          if (y + 1 < height)
            v = fmaxf(v, in[(y + 1) * width + x]);
        }
        tile[r * 2 * columns + c] = v;
      }
    __syncthreads();

    if (x0 + tid < out_width)
      for (int r = 0; r < ROWS && y0 + r < out_height; r++) {
        const float *pair = &tile[2 * (r * columns + tid)];
        out[(y0 + r) * out_width + x0 + tid] = fmaxf(pair[0], pair[1]);
      }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int width = 512, height = 256;
  workload w = {"maxp", "2x2 max-pooling of a width x height image of floats", 128, 1, 0, 1};
  const workload_option options[] = {
      {"width", &width, 2048, 1, 16384, "columns of the input; the output has half"},
      {"height", &height, 2048, 1, 16384, "rows of the input; the output has half"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  int out_width = workload_ceil_div(width, 2), out_height = workload_ceil_div(height, 2);
  size_t in_pixels = (size_t)width * height, out_pixels = (size_t)out_width * out_height;
  std::vector<float> in(in_pixels), result(out_pixels);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_out;
  size_t in_bytes = in_pixels * sizeof(float), out_bytes = out_pixels * sizeof(float);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, in_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, out_bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), in_bytes, cudaMemcpyHostToDevice));
  int tiles = workload_ceil_div(out_width, w.threads) * workload_ceil_div(out_height, ROWS);
  int blocks = workload_grid(&w, tiles);
  maxp<<<blocks, w.threads, ROWS * 2 * w.threads * sizeof(float)>>>(dev_in, dev_out, width, height);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, out_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  for (int y = 0; y < out_height; y++)
    for (int x = 0; x < out_width; x++) {
      float want = -FLT_MAX;
      for (int sy = 2 * y; sy < 2 * y + 2 && sy < height; sy++)
        for (int sx = 2 * x; sx < 2 * x + 2 && sx < width; sx++)
          want = fmaxf(want, in[(size_t)sy * width + sx]);
      float got = result[(size_t)y * out_width + x];
      if (!(got == want))
        return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", x, y, got, want);
    }
  return workload_pass(&w, "%d x %d to %d x %d, %d blocks of %d threads", width, height, out_width,
                       out_height, blocks, w.threads);
}
