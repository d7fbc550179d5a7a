// SPDX-License-Identifier: Apache-2.0
// NW: Needleman-Wunsch scores of pairs of DNA sequences, the whole matrix of each pair. A block
// aligns a pair at a time: sequences and matrix are in shared memory, and the threads move over
// the matrix as a wavefront, one anti-diagonal after the other.
#include "../../common/workload.h"

#include <vector>

#define MATCH 3
#define MISMATCH (-2)
#define GAP (-4)

// Row pitch of the matrix in shared memory. Even, so that the cells of an anti-diagonal, pitch - 1
// words apart, lie in different banks.
__host__ __device__ static int matrix_pitch(int length) {
  return (length + 2) / 2 * 2;
}

__global__ void nw(const char *a, const char *b, int pairs, int length, int *scores) {
  extern __shared__ int matrix[];  // length + 1 rows, then both sequences
  const int pitch = matrix_pitch(length);
  const int tid = threadIdx.x;
  char *seq_a = (char *)&matrix[(length + 1) * pitch];
  char *seq_b = seq_a + length;
  for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    for (int i = tid; i < length; i += blockDim.x) {
      seq_a[i] = a[pair * length + i];
      seq_b[i] = b[pair * length + i];
    }
    for (int i = tid; i <= length; i += blockDim.x) {
      matrix[i] = i * GAP;
      matrix[i * pitch] = i * GAP;
    }
    __syncthreads();

    for (int diagonal = 2; diagonal <= 2 * length; diagonal++) {
      int last = min(length, diagonal - 1);
      for (int i = max(1, diagonal - length) + tid; i <= last; i += blockDim.x) {
        int j = diagonal - i;
        int *cell = &matrix[i * pitch + j];
        int step = cell[-pitch - 1] + (seq_a[i - 1] == seq_b[j - 1] ? MATCH : MISMATCH);
        *cell = max(step, max(cell[-pitch], cell[-1]) + GAP);
      }
      __syncthreads();
    }

    int *out = &scores[pair * (length + 1) * (length + 1)];
    for (int i = 0; i <= length; i++)
      for (int j = tid; j <= length; j += blockDim.x)
        out[i * (length + 1) + j] = matrix[i * pitch + j];
    __syncthreads();
  }
}

// The matrix of one pair, length + 1 rows of length + 1.
static void nw_reference(const char *a, const char *b, int length, std::vector<int> &m) {
  int pitch = length + 1;
  for (int i = 0; i <= length; i++)
    for (int j = 0; j <= length; j++) {
      int best = i == 0 ? j * GAP : i * GAP;
      if (i > 0 && j > 0) {
        best = m[(i - 1) * pitch + j - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
        best = m[(i - 1) * pitch + j] + GAP > best ? m[(i - 1) * pitch + j] + GAP : best;
        best = m[i * pitch + j - 1] + GAP > best ? m[i * pitch + j - 1] + GAP : best;
      }
      m[i * pitch + j] = best;
    }
}

int main(int argc, char **argv) {
  int n = 16, length = 64;
  workload w = {"nw", "Needleman-Wunsch alignment scores of n pairs of sequences", 64, 1, 0, 1};
  const workload_option options[] = {
      {"n", &n, 4096, 1, 1 << 17, "pairs"},
      {"length", &length, 64, 1, 108, "letters of a sequence"},
  };
  workload_parse(&w, options, 2, argc, argv);

  // The second sequence repeats the first with a letter in four drawn again.
  uint64_t random = (uint64_t)w.seed;
  size_t letters = (size_t)n * length, cells = (size_t)n * (length + 1) * (length + 1);
  std::vector<char> a(letters), b(letters);
  for (size_t i = 0; i < letters; i++) {
    a[i] = "ACGT"[workload_random(&random) >> 30];
    b[i] = workload_random(&random) >> 30 ? a[i] : "ACGT"[workload_random(&random) >> 30];
  }
  std::vector<int> result(cells);

  char *dev_a, *dev_b;
  int *dev_scores;
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_a, letters));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_b, letters));
  WORKLOAD_CUDA(&w, cudaMalloc(&dev_scores, cells * sizeof(int)));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_a, a.data(), letters, cudaMemcpyHostToDevice));
  WORKLOAD_CUDA(&w, cudaMemcpy(dev_b, b.data(), letters, cudaMemcpyHostToDevice));
  int blocks = workload_grid(&w, n);
  size_t shared = (length + 1) * matrix_pitch(length) * sizeof(int) + 2 * length;
  nw<<<blocks, w.threads, shared>>>(dev_a, dev_b, n, length, dev_scores);
  WORKLOAD_LAUNCHED(&w);
  WORKLOAD_CUDA(&w,
                cudaMemcpy(result.data(), dev_scores, cells * sizeof(int), cudaMemcpyDeviceToHost));
  WORKLOAD_CUDA(&w, cudaFree(dev_a));
  WORKLOAD_CUDA(&w, cudaFree(dev_b));
  WORKLOAD_CUDA(&w, cudaFree(dev_scores));

  std::vector<int> want((length + 1) * (length + 1));
  for (int pair = 0; pair < n; pair++) {
    const int *got = &result[pair * want.size()];
    nw_reference(&a[(size_t)pair * length], &b[(size_t)pair * length], length, want);
    for (size_t i = 0; i < want.size(); i++)
      if (got[i] != want[i])
        return workload_fail(&w, "pair %d, cell (%d, %d) is %d, should be %d", pair,
                             (int)i / (length + 1), (int)i % (length + 1), got[i], want[i]);
  }
  return workload_pass(&w, "%d pairs of length %d, %d blocks of %d threads", n, length, blocks,
                       w.threads);
}
