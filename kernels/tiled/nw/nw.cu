// SPDX-License-Identifier: Apache-2.0
// NW, tiled: Needleman-Wunsch score matrices of pairs of sequences of 32 letters. The host has
// compared the letters: similarity (row, column) of a pair, and the score there, are at
// row * pairs * 32 + pair * 32 + column. A block of one warp aligns a pair at a time in shared
// memory: a wavefront moves over the matrix, first as its diagonals grow, then as they shrink.
//
// Four pairs lie in 512 bytes, which one core has: blocks 4k to 4k + 3 find their data in one core.
// By default block k goes to core k, so that most accesses are remote; mpu run --blocks FILE places
// the blocks as the papers do.
#include "../../common/workload.h"

#include <vector>

#define LENGTH 32  // letters of a sequence, threads of a block
#define MATCH 3.0f
#define MISMATCH (-2.0f)
#define GAP 4.0f

__device__ static void cell(float (*scores)[LENGTH + 1], float (*similar)[LENGTH], int row,
                            int column) {
  float step = scores[row - 1][column - 1] + similar[row - 1][column - 1];
  float gap = fmaxf(scores[row - 1][column], scores[row][column - 1]) - GAP;
  scores[row][column] = fmaxf(step, gap);
}

__global__ void nw(const float *in, float *out, int pairs) {
  __shared__ float similar[LENGTH][LENGTH];
  __shared__ float scores[LENGTH + 1][LENGTH + 1];
  const int tid = threadIdx.x;
  for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    for (int row = 0; row < LENGTH; row++)
      similar[row][tid] = in[(row * pairs + pair) * LENGTH + tid];
    if (tid == 0)
      scores[0][0] = 0.0f;
    scores[0][tid + 1] = -GAP * (tid + 1);
    scores[tid + 1][0] = -GAP * (tid + 1);
    __syncthreads();

    for (int last = 0; last < LENGTH; last++) {
      if (tid <= last)
        cell(scores, similar, last - tid + 1, tid + 1);
      __syncthreads();
    }
    for (int last = LENGTH - 2; last >= 0; last--) {
      if (tid <= last)
        cell(scores, similar, LENGTH - tid, LENGTH - last + tid);
      __syncthreads();
    }

    for (int row = 0; row < LENGTH; row++)
      out[(row * pairs + pair) * LENGTH + tid] = scores[row + 1][tid + 1];
    __syncthreads();
  }
}

// Where (row, column) of a pair is.
static size_t place(int row, int pair, int column, int pairs) {
  return ((size_t)row * pairs + pair) * LENGTH + column;
}

int main(int argc, char **argv) {
  int n = 32;
  workload w = {"nw", "Needleman-Wunsch scores of n pairs of sequences", LENGTH, 0, 16, 1, 2048};
  const workload_option options[] = {
      {"n", &n, 4096, 1, 1 << 17, "pairs"},
  };
  workload_parse(&w, options, 1, argc, argv);

  // The second sequence repeats the first with a letter in four drawn again.
  uint64_t random = (uint64_t)w.seed;
  size_t cells = (size_t)n * LENGTH * LENGTH;
  std::vector<float> in(cells), result(cells);
  for (int pair = 0; pair < n; pair++) {
    uint32_t a[LENGTH], b[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      a[i] = workload_random(&random) >> 30;
      b[i] = workload_random(&random) >> 30 ? a[i] : workload_random(&random) >> 30;
    }
    for (int i = 0; i < LENGTH; i++)
      for (int j = 0; j < LENGTH; j++)
        in[place(i, pair, j, n)] = a[i] == b[j] ? MATCH : MISMATCH;
  }

  float *dev_in, *dev_out;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_in, cells * sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_out, cells * sizeof(float)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_in, in.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  nw<<<w.blocks, w.threads>>>(dev_in, dev_out, n);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w,
                cudaMemcpy(result.data(), dev_out, cells * sizeof(float), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_in));
  WORKLOAD_CUDA(&w, cudaFree(dev_out));

  // Scores are small whole numbers: nothing rounds.
  for (int pair = 0; pair < n; pair++) {
    float want[LENGTH + 1][LENGTH + 1];
    for (int i = 0; i <= LENGTH; i++)
      want[0][i] = want[i][0] = -GAP * (float)i;
    for (int i = 1; i <= LENGTH; i++)
      for (int j = 1; j <= LENGTH; j++) {
        float gap = fmaxf(want[i - 1][j], want[i][j - 1]) - GAP;
        want[i][j] = fmaxf(want[i - 1][j - 1] + in[place(i - 1, pair, j - 1, n)], gap);
        float got = result[place(i - 1, pair, j - 1, n)];
        if (!(got == want[i][j]))
          return workload_fail(&w, "pair %d, cell (%d, %d) is %.9g, should be %.9g", pair, i, j,
                               got, want[i][j]);
      }
  }
  return workload_pass(&w, "%d pairs of length %d, %d blocks of %d threads", n, LENGTH, w.blocks,
                       w.threads);
}
