// SPDX-License-Identifier: Apache-2.0
// UPSAMP, tiled: an image at twice its width and height, nearest neighbour. A block takes 128
// pixels of a row to shared memory; they become 256 pixels of two rows of the output. The output is
// four planes of the size of the input: plane 2 r + h has the row 2 y + r of each input row y, and
// of each 256 pixels the half h. All that a block touches then lies in its own core.
#include "../../common/workload.h"

#include <vector>

#define PART 128  // pixels that a block works on at a time, one a thread

__global__ void upsamp(const float *in, float *out, int pixels) {
  __shared__ float part[PART];
  const int tid = threadIdx.x;
  for (int base = blockIdx.x * PART; base < pixels; base += gridDim.x * PART) {
    const int i = base + tid;
    part[tid] = in[i];
    __syncthreads();

    float left = part[tid / 2];
    float right = part[(PART + tid) / 2];
    out[i] = left;
    out[pixels + i] = right;
    out[2 * pixels + i] = left;
    out[3 * pixels + i] = right;
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int width = 128, height = 64;
  workload w = {"upsamp", "an image at twice its size, nearest neighbour", PART, 0, 4, 1, 512};
  const workload_option options[] = {
      {"width", &width, 1024, PART, 8192, "columns of the input, a multiple of 128"},
      {"height", &height, 1024, 1, 8192, "rows of the input"},
  };
  workload_parse(&w, options, 2, argc, argv);
  if (width % PART)
    workload_usage_error(&w, "--width: %d is not a multiple of %d", width, PART);

  uint64_t random = (uint64_t)w.seed;
  size_t pixels = (size_t)width * height, bytes = pixels * sizeof(float);
  std::vector<float> in(pixels), result(4 * pixels);
  for (float &v : in)
    v = workload_pixel(&random);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, 4 * bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  upsamp<<<w.blocks, w.threads>>>(dev_in, dev_out, (int)pixels);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, 4 * bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++) {
      int plane = y % 2 * 2 + x / PART % 2;
      size_t from = (size_t)(y / 2) * width + x / (2 * PART) * PART + x % PART;
      float got = result[plane * pixels + from], want = in[(size_t)(y / 2) * width + x / 2];
      if (!(got == want))
        return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", x, y, got, want);
    }
  return workload_pass(&w, "%d x %d to %d x %d, %d blocks of %d threads", width, height, 2 * width,
                       2 * height, w.blocks, w.threads);
}
