// SPDX-License-Identifier: Apache-2.0
// TTRANS: transposition of a matrix. A block reads a tile of 32 x 32 row by row into shared memory
// and writes it column by column, so that both sides touch whole rows of memory. The tile is one
// word wider than it looks: its columns then lie in 32 different banks.
#include "../../common/workload.h"

#include <vector>

#define TILE 32

__global__ void ttrans(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  const int tiles_x = (cols + TILE - 1) / TILE;
  const int tiles = tiles_x * ((rows + TILE - 1) / TILE);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int x0 = t % tiles_x * TILE;
    const int y0 = t / tiles_x * TILE;
    int x = x0 + threadIdx.x;
    for (int r = threadIdx.y; r < TILE; r += blockDim.y)
      if (x < cols && y0 + r < rows)
        tile[r][threadIdx.x] = in[(y0 + r) * cols + x];
    __syncthreads();

    x = y0 + threadIdx.x;
    for (int r = threadIdx.y; r < TILE; r += blockDim.y)
      if (x < rows && x0 + r < cols)
        out[(x0 + r) * rows + x] = tile[threadIdx.x][r];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int rows = 256, cols = 256;
  workload w = {"ttrans", "transposition of a rows x cols matrix of floats", 128, TILE, 0, 1};
  const workload_option options[] = {
      {"rows", &rows, 4096, 1, 16384, "rows of the matrix"},
      {"cols", &cols, 4096, 1, 16384, "columns of the matrix"},
  };
  workload_parse(&w, options, 2, argc, argv);

  uint64_t random = (uint64_t)w.seed;
  size_t elements = (size_t)rows * cols, bytes = elements * sizeof(float);
  std::vector<float> in(elements), result(elements);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, workload_ceil_div(rows, TILE) * workload_ceil_div(cols, TILE));
  ttrans<<<blocks, dim3(TILE, w.threads / TILE)>>>(dev_in, dev_out, rows, cols);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  for (int c = 0; c < cols; c++)
    for (int r = 0; r < rows; r++) {
      float got = result[(size_t)c * rows + r], want = in[(size_t)r * cols + c];
      if (!(got == want))
        return workload_fail(&w, "element (%d, %d) is %.9g, should be %.9g", c, r, got, want);
    }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", rows, cols, blocks, w.threads);
}
