// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms called by kernels, by each thread on rows of its own.
#include <algorithm>
#include <numeric>
#include <vector>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include "../../runtime/cu/check.h"

enum { N = 40, ROWS = 20, FIGURES = 16, THREADS = 2 };

struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct add_one {
  __host__ __device__ void operator()(int &x) const { x++; }
};

// ROWS rows of N results; a number in figures[] for each that has one.
__global__ void all(const int *v, int *rows, int *figures) {
  int *row = rows + threadIdx.x * ROWS * N, *f = figures + threadIdx.x * FIGURES;
  const auto next = [&] { return row += N; };
  const auto end = v + N;
  *f++ = thrust::reduce(thrust::seq, v, end, 7, thrust::plus<int>());
  *f++ = (int)(thrust::max_element(thrust::seq, v, end) - v);
  *f++ = (int)(thrust::min_element(thrust::seq, v, end) - v);
  *f++ = (int)(thrust::minmax_element(thrust::seq, v, end).second - v);
  thrust::copy(thrust::seq, v, end, row);
  thrust::for_each(thrust::seq, row, row + N, add_one());
  thrust::transform(thrust::seq, v, end, next(), thrust::negate<int>());
  thrust::inclusive_scan(thrust::seq, v, end, next());
  thrust::exclusive_scan(thrust::seq, v, end, next(), 3);
  thrust::adjacent_difference(thrust::seq, v, end, next());
  thrust::copy(thrust::seq, v, end, next());
  thrust::sort(thrust::seq, row, row + N);
  const int *sorted = row;
  *f++ = (int)(thrust::lower_bound(thrust::seq, sorted, sorted + N, 5) - sorted);
  thrust::merge(thrust::seq, sorted, sorted + N / 2, sorted + N / 2, sorted + N, next());
  thrust::copy(thrust::seq, v, end, next());
  int *values = row + N;
  thrust::copy(thrust::seq, v, end, values);
  thrust::sort_by_key(thrust::seq, row, row + N, values, thrust::greater<int>());
  next();
  *f++ = (int)(thrust::copy_if(thrust::seq, v, end, next(), is_odd()) - row);
  thrust::copy(thrust::seq, sorted, sorted + N, next());
  *f++ = (int)(thrust::unique(thrust::seq, row, row + N) - row);
  *f++ =
      (int)(thrust::set_intersection(thrust::seq, sorted, sorted + N, row, row + f[-1], row + N) -
            (row + N));
  next();
  *f++ = (int)(thrust::partition_copy(thrust::seq, v, end, row + N, row + 2 * N, is_odd()).first -
               (row + N));
}

int main() {
  static int rows[THREADS][ROWS * N], figures[THREADS][FIGURES];
  std::vector<int> v(N), sorted, want(N);
  int *d, *d_rows, *d_figures;
  for (int k = 0; k < N; k++)
    v[k] = k * 7919 % 23;
  OK(cudaMalloc(&d, N * sizeof(int)));
  OK(cudaMalloc(&d_rows, sizeof rows));
  OK(cudaMalloc(&d_figures, sizeof figures));
  OK(cudaMemset(d_rows, 0, sizeof rows));
  OK(cudaMemset(d_figures, 0, sizeof figures));
  OK(cudaMemcpy(d, v.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  all<<<1, THREADS>>>(d, d_rows, d_figures);
  OK(cudaMemcpy(rows, d_rows, sizeof rows, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(figures, d_figures, sizeof figures, cudaMemcpyDeviceToHost));
  CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) == 0);
  CHECK(memcmp(figures[0], figures[1], sizeof figures[0]) == 0);

  sorted = v;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> unique(sorted);
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  const int *row = rows[0], *f = figures[0];
  CHECK(f[0] == std::accumulate(v.begin(), v.end(), 7));
  CHECK(f[1] == std::max_element(v.begin(), v.end()) - v.begin());
  CHECK(f[2] == std::min_element(v.begin(), v.end()) - v.begin());
  CHECK(v[(size_t)f[3]] == sorted.back());
  CHECK(f[4] == std::lower_bound(sorted.begin(), sorted.end(), 5) - sorted.begin());
  const int odd = (int)std::count_if(v.begin(), v.end(), is_odd());
  CHECK(f[5] == odd && f[6] == (int)unique.size() && f[7] == f[6] && f[8] == odd);
  std::partial_sum(v.begin(), v.end(), want.begin());
  for (int k = 0; k < N; k++) {
    CHECK(row[k] == v[k] + 1 && row[N + k] == -v[k] && row[2 * N + k] == want[k]);
    CHECK(row[3 * N + k] == want[k] - v[k] + 3);
    CHECK(row[4 * N + k] == (k ? v[k] - v[k - 1] : v[k]));
    CHECK(row[5 * N + k] == sorted[k] && row[6 * N + k] == sorted[k]);
    CHECK(row[7 * N + k] == sorted[N - 1 - k] && row[8 * N + k] == sorted[N - 1 - k]);
  }
  std::copy_if(v.begin(), v.end(), want.begin(), is_odd());
  CHECK(std::equal(want.begin(), want.begin() + odd, row + 9 * N));
  CHECK(std::equal(unique.begin(), unique.end(), row + 10 * N));
  CHECK(std::equal(unique.begin(), unique.end(), row + 11 * N));
  CHECK(std::equal(want.begin(), want.begin() + odd, row + 12 * N));
  END;
}
