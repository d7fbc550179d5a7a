// SPDX-License-Identifier: Apache-2.0
// TTRANS, tiled: transposition of each tile of a matrix. A block reads a tile row by row into
// shared memory and writes it column by column to its own place, so that no element leaves its
// core: the transposed matrix has its tiles in the order of the columns. The copy in shared memory
// is one word wider than it looks: its columns then lie in 32 different banks.
#include "../../common/tiles.h"

#include <vector>

__global__ void ttrans(const float *in, float *out, int tiles) {
  __shared__ float tile[TILE][TILE + 1];
  const int x = threadIdx.x;
  const int tid = threadIdx.y * TILE + x;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    for (int g = 0; g < GROUPS; g++)
      tile[g * ROWS + threadIdx.y][x] = in[tiles_group(g, t, tiles) + tid];
    __syncthreads();

    for (int g = 0; g < GROUPS; g++)
      out[tiles_group(g, t, tiles) + tid] = tile[x][g * ROWS + threadIdx.y];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int rows = 256, cols = 512;
  workload w = {"ttrans", "transposition in tiles of 32 x 32", GROUP_ELEMENTS, 0, 4, 1, 512};
  const workload_option options[] = {
      {"rows", &rows, 4096, TILE, 16384, "rows of the matrix, a multiple of 32"},
      {"cols", &cols, 4096, TILE, 16384, "columns of the matrix, a multiple of 32"},
  };
  workload_parse(&w, options, 2, argc, argv);
  const int tiles = tiles_count(&w, rows, cols);

  uint64_t random = (uint64_t)w.seed;
  size_t elements = (size_t)rows * cols, bytes = elements * sizeof(float);
  std::vector<float> in(elements), result(elements);
  for (float &v : in)
    v = workload_uniform(&random, -1.0f, 1.0f);

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, bytes));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, bytes));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), bytes, cudaMemcpyHostToDevice));
  ttrans<<<w.blocks, dim3(TILE, ROWS)>>>(dev_in, dev_out, tiles);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w, cudaMemcpy(result.data(), dev_out, bytes, cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  for (int t = 0; t < tiles; t++)
    for (int r = 0; r < TILE; r++)
      for (int c = 0; c < TILE; c++) {
        float got = result[tiles_at(t, c, r, tiles)], want = in[tiles_at(t, r, c, tiles)];
        if (!(got == want))
          return workload_fail(&w, "element (%d, %d) of tile %d is %.9g, should be %.9g", c, r, t,
                               got, want);
      }
  return workload_pass(&w, "%d x %d, %d blocks of %d threads", rows, cols, w.blocks, w.threads);
}
