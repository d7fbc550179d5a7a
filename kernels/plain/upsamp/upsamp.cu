// SPDX-License-Identifier: Apache-2.0
// UPSAMP: an image at twice its width and height, bilinear: in each direction an output pixel is
// 3/4 of the nearest input pixel and 1/4 of the second nearest. Beyond the border the nearest
// pixel counts. One thread an output pixel; nothing is shared.
#include "../../common/workload.h"

#include <vector>

__global__ void upsamp(const float *in, float *out, int width, int height) {
  const int tiles_x = (2 * width + blockDim.x - 1) / blockDim.x;
  const int tiles = tiles_x * 2 * height;  // a tile is blockDim.x pixels of an output row
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    int x = t % tiles_x * blockDim.x + threadIdx.x;
    int y = t / tiles_x;
    if (x >= 2 * width)
      continue;
    int x1 = x / 2, x2 = min(max(x1 - 1 + x % 2 * 2, 0), width - 1);
    int y1 = y / 2, y2 = min(max(y1 - 1 + y % 2 * 2, 0), height - 1);
    float row1 = 0.75f * in[y1 * width + x1] + 0.25f * in[y1 * width + x2];
    float row2 = 0.75f * in[y2 * width + x1] + 0.25f * in[y2 * width + x2];
    out[y * 2 * width + x] = 0.75f * row1 + 0.25f * row2;
  }
}

int main(int argc, char **argv) {
  int width = 128, height = 128;
  workload w = {"upsamp", "a width x height image at twice the size, bilinear", 128, 1, 0, 1};
  const workload_option options[] = {
      {"width", &width, 1024, 1, 8192, "columns of the input; the output has twice as many"},
      {"height", &height, 1024, 1, 8192, "rows of the input; the output has twice as many"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(4 * pixels);
  for (float &v : in)
    v = workload_pixel(&random);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, 4 * bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, (int64_t)workload_ceil_div(2 * width, w.threads) * 2 * height);
  upsamp<<<blocks, w.threads>>>(dev_in, dev_out, width, height);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, 4 * bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // Pixels are whole numbers up to 255, and the weights sixteenths: nothing rounds.
  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++) {
      int x2 = x % 2 ? x / 2 + 1 : x / 2 - 1, y2 = y % 2 ? y / 2 + 1 : y / 2 - 1;
      x2 = x2 < 0 ? 0 : x2 >= width ? width - 1 : x2;
      y2 = y2 < 0 ? 0 : y2 >= height ? height - 1 : y2;
      const float *row1 = &in[(size_t)(y / 2) * width], *row2 = &in[(size_t)y2 * width];
      float want = (9 * row1[x / 2] + 3 * row1[x2] + 3 * row2[x / 2] + row2[x2]) / 16;
      float got = result[(size_t)y * 2 * width + x];
      if (!(got == want))
        return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", x, y, got, want);
    }
  return workload_pass(&w, "%d x %d to %d x %d, %d blocks of %d threads", width, height, 2 * width,
                       2 * height, blocks, w.threads);
}
