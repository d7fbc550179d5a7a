// SPDX-License-Identifier: Apache-2.0
// CUB's functions of blocks and warps, against the same computed by the host.
#include <algorithm>
#include <numeric>
#include <vector>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include "../../runtime/cu/check.h"

enum { THREADS = 128, ITEMS = 5, N = THREADS * ITEMS, BINS = 16 };

struct results {
  int sum, largest, prefix[N], sorted[N], ranks[N], striped[N], heads[N], bins[BINS], merged[N];
  int warp_sums[THREADS / 32], halves[THREADS], warp_prefix[THREADS], shifted[THREADS], whole;
};

template <cub::BlockReduceAlgorithm HOW>
__device__ int block_sum(int x) {
  using reduce = cub::BlockReduce<int, THREADS, HOW>;
  __shared__ typename reduce::TempStorage memory;
  __syncthreads();
  return reduce(memory).Sum(x);
}

__global__ void sums(const int *in, results *out) {
  using load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_RAKING>;
  using reduce = cub::BlockReduce<int, THREADS>;
  __shared__ union {
    typename load::TempStorage load;
    typename store::TempStorage store;
    typename scan::TempStorage scan;
    typename reduce::TempStorage reduce;
  } memory;
  int items[ITEMS];
  load(memory.load).Load(in, items);
  const int ours = cub::internal::ThreadReduce(items, cub::Sum());
  const int a = block_sum<cub::BLOCK_REDUCE_RAKING>(ours);
  const int b = block_sum<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(ours);
  __syncthreads();
  const int largest = reduce(memory.reduce).Reduce(items, cub::Max());
  if (threadIdx.x == 0)
    out->sum = a == b ? a : -1, out->largest = largest;
  __syncthreads();
  scan(memory.scan).ExclusiveSum(items, items, out->whole);
  __syncthreads();
  store(memory.store).Store(out->prefix, items);
}

__global__ void orders(const int *in, results *out) {
  using sort = cub::BlockRadixSort<int, THREADS, ITEMS, int>;
  using merge = cub::BlockMergeSort<int, THREADS, ITEMS>;
  using exchange = cub::BlockExchange<int, THREADS, ITEMS>;
  using heads = cub::BlockDiscontinuity<int, THREADS>;
  using bins = cub::BlockHistogram<int, THREADS, ITEMS, BINS>;
  using bins_at = cub::BlockHistogram<int, THREADS, ITEMS, BINS, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ union {
    typename sort::TempStorage sort;
    typename merge::TempStorage merge;
    typename exchange::TempStorage exchange;
    typename heads::TempStorage heads;
    typename bins::TempStorage bins;
    typename bins_at::TempStorage bins_at;
  } memory;
  __shared__ int counted[2][BINS];
  int keys[ITEMS], values[ITEMS], flags[ITEMS], few[ITEMS];
  const int t = (int)threadIdx.x;
  cub::LoadDirectBlocked(t, in, keys);
  for (int k = 0; k < ITEMS; k++)
    values[k] = t * ITEMS + k, few[k] = keys[k] & (BINS - 1);
  bins(memory.bins).Histogram(few, counted[0]);
  __syncthreads();
  bins_at(memory.bins_at).Histogram(few, counted[1]);
  __syncthreads();
  if (t < BINS)
    out->bins[t] = counted[0][t] == counted[1][t] ? counted[0][t] : -1;
  sort(memory.sort).SortDescending(keys, values);
  cub::StoreDirectBlocked(t, out->sorted, keys);
  cub::StoreDirectBlocked(t, out->ranks, values);
  __syncthreads();
  heads(memory.heads).FlagHeads(flags, keys, cub::Inequality());
  cub::StoreDirectBlocked(t, out->heads, flags);
  __syncthreads();
  merge(memory.merge).Sort(keys, [](int a, int b) { return a < b; });
  cub::StoreDirectBlocked(t, out->merged, keys);
  __syncthreads();
  exchange(memory.exchange).BlockedToStriped(keys);
  cub::StoreDirectStriped<THREADS>(t, out->striped, keys);
}

__global__ void warps(const int *in, results *out) {
  using reduce = cub::WarpReduce<int>;
  using half = cub::WarpReduce<int, 16>;
  using scan = cub::WarpScan<int>;
  using shuffle = cub::BlockShuffle<int, THREADS>;
  __shared__ typename reduce::TempStorage reduce_memory[THREADS / 32];
  __shared__ typename half::TempStorage half_memory[THREADS / 16];
  __shared__ typename scan::TempStorage scan_memory[THREADS / 32];
  __shared__ typename shuffle::TempStorage shuffle_memory;
  const unsigned t = threadIdx.x, warp = t / 32;
  const int x = in[t], sum = reduce(reduce_memory[warp]).Sum(x);
  if (t % 32 == 0)
    out->warp_sums[warp] = sum;
  out->halves[t] = half(half_memory[t / 16]).HeadSegmentedReduce(x, t % 4 == 0, cub::Min());
  scan(scan_memory[warp]).InclusiveSum(x, out->warp_prefix[t]);
  int before = -1;
  shuffle(shuffle_memory).Offset(x, before, -1);
  out->shifted[t] = before;
}

int main() {
  std::vector<int> v(N), want(N), order(N);
  int *in;
  results *d, *r = new results();
  for (int k = 0; k < N; k++)
    v[k] = (k * 7919 + 13) % 251;
  OK(cudaMalloc(&in, N * sizeof(int)));
  OK(cudaMalloc(&d, sizeof *d));
  OK(cudaMemcpy(in, v.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  sums<<<1, THREADS>>>(in, d);
  orders<<<1, THREADS>>>(in, d);
  warps<<<1, THREADS>>>(in, d);
  OK(cudaMemcpy(r, d, sizeof *d, cudaMemcpyDeviceToHost));

  CHECK(r->sum == std::accumulate(v.begin(), v.end(), 0) && r->whole == r->sum);
  CHECK(r->largest == *std::max_element(v.begin(), v.end()));
  std::partial_sum(v.begin(), v.end(), want.begin());
  for (int k = 0; k < N; k++)
    CHECK(r->prefix[k] == want[k] - v[k]);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] > v[b]; });
  want = v;
  std::sort(want.begin(), want.end());
  for (int k = 0; k < N; k++) {
    CHECK(r->ranks[k] == order[k] && r->sorted[k] == v[order[k]]);
    CHECK(r->heads[k] == (k == 0 || r->sorted[k] != r->sorted[k - 1]));
    CHECK(r->merged[k] == want[k] && r->striped[k] == want[k]);
  }
  for (int bin = 0; bin < BINS; bin++)
    CHECK(r->bins[bin] ==
          std::count_if(v.begin(), v.end(), [&](int x) { return x % BINS == bin; }));
  for (int t = 0, sum = 0; t < THREADS; t++) {
    sum = t % 32 ? sum + v[t] : v[t];
    CHECK(r->warp_prefix[t] == sum && r->shifted[t] == (t ? v[t - 1] : -1));
    if (t % 32 == 31)
      CHECK(r->warp_sums[t / 32] == sum);
    if (t % 4 == 0)
      CHECK(r->halves[t] == *std::min_element(&v[t], &v[t] + 4));
  }
  END;
}
