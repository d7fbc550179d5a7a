// SPDX-License-Identifier: Apache-2.0
// MAXP, tiled: max-pooling with windows of 2x2 and stride 2. The input is four planes of the size
// of the output, one behind the other, a plane for each place in the window: if the size is a
// multiple of 128 a core, all that a block touches is in its own core. A block lays its 128
// elements of each plane out as two rows of an image in shared memory; the neighbours meet there.
#include "../../common/workload.h"

#include <vector>

#define THREADS 128

// A comparison and a selection, as in the papers' program; fmaxf() would be one instruction.
__device__ static inline float larger(float a, float b) {
  return a > b ? a : b;
}

__global__ void maxp(const float *in, float *out, int n) {
  __shared__ float rows[2][2 * THREADS];
  const int tid = threadIdx.x;
  const int stride = gridDim.x * blockDim.x;
  for (int base = blockIdx.x * blockDim.x; base < n; base += stride) {
    const int i = base + tid;
    if (i < n) {
      rows[0][2 * tid] = in[i];
      rows[0][2 * tid + 1] = in[n + i];
      rows[1][2 * tid] = in[2 * n + i];
      rows[1][2 * tid + 1] = in[3 * n + i];
    }
    __syncthreads();
    if (i < n) {
      float upper = larger(rows[0][2 * tid], rows[0][2 * tid + 1]);
      float lower = larger(rows[1][2 * tid], rows[1][2 * tid + 1]);
      out[i] = larger(upper, lower);
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int width = 128, height = 64;
  workload w = {"maxp", "2x2 max-pooling to width x height floats", THREADS, 0, 4, 1, 512};
  const workload_option options[] = {
      {"width", &width, 1024, 1, 8192, "columns of the output; the input has twice as many"},
      {"height", &height, 1024, 1, 8192, "rows of the output; the input has twice as many"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  int n = width * height;
  std::vector<float> in(4 * (size_t)n), result(n);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_out;
  size_t in_bytes = in.size() * sizeof(float), out_bytes = n * sizeof(float);
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, in_bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, out_bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), in_bytes, cudaMemcpyHostToDevice));
  maxp<<<w.blocks, w.threads>>>(dev_in, dev_out, n);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, out_bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  for (int i = 0; i < n; i++) {
    float want = in[i];
    for (int plane = 1; plane < 4; plane++)
      want = fmaxf(want, in[(size_t)plane * n + i]);
    if (!(result[i] == want))
      return workload_fail(&w, "pixel (%d, %d) is %.9g, should be %.9g", i % width, i / width,
                           result[i], want);
  }
  return workload_pass(&w, "%d x %d to %d x %d, %d blocks of %d threads", 2 * width, 2 * height,
                       width, height, w.blocks, w.threads);
}
