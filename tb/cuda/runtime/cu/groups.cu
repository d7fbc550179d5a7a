// SPDX-License-Identifier: Apache-2.0
// Groups of threads: ranks, votes, shuffles, scans and reductions of tiles of each size and of what
// has come together of a warp; partitions; blocks of three dimensions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "check.h"
namespace cg = cooperative_groups;

enum { THREADS = 96, FIGURES = 24 };

__device__ static unsigned sum_of(const cg::thread_group &g, unsigned *all) {
  g.sync();
  if (g.thread_rank() == 0)
    atomicAdd(all, g.size());
  g.sync();
  return g.thread_rank();
}

template <unsigned N>
__global__ void tiles(int *out) {
  __shared__ unsigned counted;
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<N>(block);
  const int t = (int)block.thread_rank();
  int *f = out + cg::this_grid().thread_rank() * FIGURES, n = 0, all;
  counted = 0;
  block.sync();
  f[n++] = (int)tile.thread_rank(), f[n++] = (int)tile.size(), f[n++] = (int)tile.meta_group_rank();
  f[n++] = (int)tile.meta_group_size(), f[n++] = (int)tile.ballot(t % 3 == 0);
  f[n++] = tile.shfl(t, N - 1), f[n++] = tile.shfl_up(t, 1), f[n++] = tile.shfl_down(t, 1);
  f[n++] = tile.shfl_xor(t, N / 2), f[n++] = tile.any(t == 40), f[n++] = tile.all(t < 64);
  f[n++] = (int)tile.match_any(t / 2), f[n++] = (int)tile.match_all(t / 64, all), f[n++] = all;
  f[n++] = cg::reduce(tile, t, cg::plus<int>()), f[n++] = cg::reduce(tile, t ^ 5, cg::less<int>());
  f[n++] = cg::inclusive_scan(tile, t), f[n++] = cg::exclusive_scan(tile, t, cg::plus<int>());
  f[n++] = (int)sum_of(cg::tiled_partition(block, N), &counted);
  const auto same = cg::labeled_partition(tile, t % 2);
  f[n++] = (int)same.size(), f[n++] = (int)same.thread_rank();
  block.sync();
  f[n++] = (int)counted;
  f[n++] = (int)block.thread_index().y, f[n++] = (int)block.group_index().x;
}

template <unsigned N>
static void check_tiles() {
  static int out[2 * THREADS][FIGURES];
  int(*d)[FIGURES];
  OK(cudaMalloc((void **)&d, sizeof out));
  tiles<N><<<2, dim3(8, 4, 3)>>>(*d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int thread = 0; thread < 2 * THREADS; thread++) {
    const int t = thread % THREADS, first = t / (int)N * (int)N, rank = t - first, last = first + (int)N - 1;
    unsigned thirds = 0, pairs = 0;
    int sum = 0, least = 1 << 30, before = 0, odd = 0, odd_before = 0;
    for (int k = first; k <= last; k++) {
      thirds |= (k % 3 == 0 ? 1u : 0) << (k - first), pairs |= (k / 2 == t / 2 ? 1u : 0) << (k - first);
      sum += k, least = (k ^ 5) < least ? k ^ 5 : least, before += k < t ? k : 0;
      odd += k % 2 == t % 2, odd_before += k % 2 == t % 2 && k < t;
    }
    const unsigned full = N == 32 ? ~0u : (1u << N % 32) - 1;
    const bool alike = first / 64 == last / 64;
    const int want[FIGURES] = {rank, (int)N, t / (int)N, THREADS / (int)N, (int)thirds, last,
                               rank ? t - 1 : t, t < last ? t + 1 : t, N > 1 ? first + (rank ^ (int)N / 2) : t,
                               first <= 40 && last >= 40, last < 64, (int)pairs, alike ? (int)full : 0,
                               alike, sum, least, before + t, before, rank, odd, odd_before, THREADS,
                               t / 8 % 4, thread / THREADS};
    for (int f = 0; f < FIGURES; f++) {
      if (out[thread][f] != want[f])
        printf("tiles of %u: figure %d of thread %d is %d, not %d\n", N, f, thread, out[thread][f], want[f]);
      CHECK(out[thread][f] == want[f]);
    }
  }
}

// Threads of which some bits are set, by turns of a loop of other lengths.
__global__ void coalesced(int *out) {
  const int t = (int)threadIdx.x;
  int *f = out + t * FIGURES, n = 0;
  for (int k = 0; k < FIGURES; k++)
    f[k] = -1;
  if (t % 3 == 1) {
    const cg::coalesced_group g = cg::coalesced_threads();
    f[n++] = (int)g.size(), f[n++] = (int)g.thread_rank(), f[n++] = g.shfl(t, 2);
    f[n++] = g.shfl_up(t, 1), f[n++] = g.shfl_down(t, 1), f[n++] = (int)g.ballot(t & 1);
    f[n++] = cg::reduce(g, t, cg::greater<int>()), f[n++] = cg::exclusive_scan(g, t);
    f[n++] = g.any(t == 4), f[n++] = g.all(t > 0);
    const cg::coalesced_group part = cg::binary_partition(g, t & 1);
    f[n++] = (int)part.size();
  }
}

static void check_coalesced() {
  static int out[32][FIGURES];
  int(*d)[FIGURES];
  OK(cudaMalloc((void **)&d, sizeof out));
  coalesced<<<1, 32>>>(*d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++) {
    const int rank = t / 3, size = 11;
    unsigned odd = 0;
    int before = 0, like = 0;
    for (int k = 0; k < size; k++) {
      const int lane = 3 * k + 1;
      odd |= (lane & 1u) << k, before += k < rank ? lane : 0, like += lane % 2 == t % 2;
    }
    // 1, 4, ... 31
    const int want[] = {size, rank, 7, rank ? t - 3 : t, rank < size - 1 ? t + 3 : t, (int)odd, 31,
                        before, 1, 1, like};
    for (int f = 0; f < (int)(sizeof want / sizeof *want); f++) {
      const int is = t % 3 == 1 ? want[f] : -1;
      if (out[t][f] != is)
        printf("coalesced: figure %d of lane %d is %d, not %d\n", f, t, out[t][f], is);
      CHECK(out[t][f] == is);
    }
  }
}

// Each block sums what all had before; without the barriers it would read what is old, or new.
__global__ void rounds(int *v, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int b = (int)grid.block_rank(), blocks = (int)grid.num_blocks();
  for (int r = 0; r < n; r++) {
    int sum = 0;
    if (threadIdx.x == 0)
      for (int k = 0; k < blocks; k++)
        sum += ((volatile int *)v)[r % 2 * blocks + k];
    grid.sync();
    if (threadIdx.x == 0)
      v[(r + 1) % 2 * blocks + b] = sum % 1000 + b;
    grid.sync();
  }
}

static void check_grid() {
  int per_core, rounds_n = 5, cores, yes, *d;
  OK(cudaDeviceGetAttribute(&yes, cudaDevAttrCooperativeLaunch, 0));
  CHECK(yes == 1);
  OK(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, rounds, 64, 0));
  int most = per_core * cores, blocks = most < 12 ? most : 12, v[24] = {0}, want[24] = {0};
  OK(cudaMalloc(&d, sizeof v));
  OK(cudaMemset(d, 0, sizeof v));
  void *args[] = {&d, &rounds_n};
  OK(cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(64), args, 0, 0));
  OK(cudaMemcpy(v, d, sizeof v, cudaMemcpyDeviceToHost));
  for (int r = 0; r < rounds_n; r++) {
    int sum = 0;
    for (int k = 0; k < blocks; k++)
      sum += want[r % 2 * blocks + k];
    for (int b = 0; b < blocks; b++)
      want[(r + 1) % 2 * blocks + b] = sum % 1000 + b;
  }
  for (int k = 0; k < 2 * blocks; k++)
    CHECK(v[k] == want[k]);
  GIVES(cudaErrorCooperativeLaunchTooLarge,
        cudaLaunchCooperativeKernel((void *)rounds, dim3(most + 1), dim3(64), args, 0, 0));
}

// Structures, in tiles and in what has come together.
struct mixed {
  double d;
  int n[3];
};
__global__ void structures(int *right) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = (int)threadIdx.x, first = t / 16 * 16;
  mixed m = {t * 0.5, {t, -t, t * t}};
  uint4 u = {1u * t, 2u * t, 3u * t, 4u * t};
  u = tile.shfl_xor(u, 3);
  int ok = u.x == (unsigned)(t ^ 3) && u.w == 4u * (t ^ 3);
  const mixed from = tile.shfl(m, 5), below = tile.shfl_up(m, 1), above = tile.shfl_down(m, 2);
  ok &= from.d == (first + 5) * 0.5 && from.n[2] == (first + 5) * (first + 5);
  ok &= below.n[0] == (t > first ? t - 1 : t) && above.n[1] == (t < first + 14 ? -t - 2 : -t);
  if (t % 2) {
    const mixed last = cg::coalesced_threads().shfl(m, 15);
    ok &= last.n[0] == 31 && last.d == 15.5;
  }
  right[t] = ok;
}
static void check_structures() {
  int *d, out[32];
  OK(cudaMalloc(&d, sizeof out));
  structures<<<1, 32>>>(d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; t++)
    CHECK(out[t] == 1);
}

// Tiles of several warps: half of them do other things before they meet.
template <unsigned N>
__global__ void large(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  __shared__ int seen[256];
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<N>(block);
  const int t = (int)block.thread_rank(), rank = (int)tile.thread_rank();
  int *f = out + t * 8;
  f[0] = rank, f[1] = (int)tile.meta_group_rank(), f[2] = (int)tile.meta_group_size();
  f[3] = cg::reduce(tile, t, cg::plus<int>());
  f[4] = cg::reduce(tile, (double)(t ^ 5), cg::less<double>());
  f[5] = tile.shfl(t, N - 3) + 1000 * tile.any(t == 70) + 2000 * tile.all(t >= (int)N);
  for (int times = 0; times < 20; times++) {
    if (tile.meta_group_rank() % 2 && times % 3 == 0)
      seen[t] = 0;
    seen[t] = times * 300 + rank;
    tile.sync();
    f[6] = seen[t - rank + (int)((unsigned)rank * 7 + 1) % (int)N];
    tile.sync();
  }
  const auto small = cg::tiled_partition<8>(block);
  f[7] = (int)small.thread_rank();
}
template <unsigned N>
static void check_large() {
  static int out[256][8];
  int(*d)[8];
  OK(cudaMalloc((void **)&d, sizeof out));
  large<N><<<1, dim3(8, 8, 4)>>>(*d);
  OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 256; t++) {
    const int n = (int)N, rank = t % n, first = t - rank;
    int sum = 0, least = 1 << 30;
    for (int k = first; k < first + n; k++)
      sum += k, least = (k ^ 5) < least ? k ^ 5 : least;
    CHECK(out[t][0] == rank && out[t][1] == t / n && out[t][2] == 256 / n);
    CHECK(out[t][3] == sum && out[t][4] == least);
    CHECK(out[t][5] == first + n - 3 + 1000 * (first <= 70 && 70 < first + n) + 2000 * (first >= n));
    CHECK(out[t][6] == 19 * 300 + (rank * 7 + 1) % n && out[t][7] == t % 8);
  }
}

int main() {
  check_large<64>();
  check_large<128>();
  check_large<256>();
  check_structures();
  check_grid();
  check_tiles<1>();
  check_tiles<2>();
  check_tiles<4>();
  check_tiles<8>();
  check_tiles<16>();
  check_tiles<32>();
  check_coalesced();
  END;
}
