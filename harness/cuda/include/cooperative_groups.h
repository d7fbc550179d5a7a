// SPDX-License-Identifier: Apache-2.0
// Groups of threads: the block, tiles and what has come together of a warp, the grid of a
// cooperative launch (docs/cuda.md, "Groups of threads").
#ifndef NEARBANK_COOPERATIVE_GROUPS_H
#define NEARBANK_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#define MPU_G __inline__ __attribute__((always_inline)) __device__

// Blocks of the grid that have come to its barrier, and how often all have.
static __device__ unsigned mpu_grid_arrived, mpu_grid_times;

MPU_D unsigned mpu_lane() {
  unsigned lane;
  __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
MPU_D unsigned mpu_lanes_below() {
  return (1u << mpu_lane()) - 1;
}
MPU_D unsigned mpu_rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
// The place of bit number n of a mask.
MPU_D unsigned mpu_nth_lane(unsigned mask, unsigned n) {
  while (n--)
    mask &= mask - 1;
  return (unsigned)__ffs((int)mask) - 1;
}

namespace cooperative_groups {

// Lanes of a warp that a mask names; rank and size count them.
class mpu_lanes {
 protected:
  unsigned mask_;

 public:
  explicit MPU_G mpu_lanes(unsigned mask) : mask_(mask) {}
  MPU_G unsigned mpu_mask() const { return mask_; }
  MPU_G void sync() const { __syncwarp(mask_); }
  MPU_G unsigned size() const { return (unsigned)__popc((int)mask_); }
  MPU_G unsigned num_threads() const { return size(); }
  MPU_G unsigned thread_rank() const { return (unsigned)__popc((int)(mask_ & mpu_lanes_below())); }
  MPU_G int any(int p) const { return __any_sync(mask_, p); }
  MPU_G int all(int p) const { return __all_sync(mask_, p); }

 protected:
  // A mask of lanes as one of ranks.
  MPU_G unsigned by_rank(unsigned lanes) const {
    unsigned ranks = 0, n = 0;
    for (unsigned left = mask_; left; left &= left - 1, n++)
      ranks |= (lanes & left & (0 - left) ? 1u : 0u) << n;
    return ranks;
  }
};

// Shuffles of any type: structures go by words of 32 bits.
#define MPU_SHUFFLE(name)                                         \
  struct mpu_##name {                                             \
    template <class T>                                            \
    MPU_G T operator()(unsigned mask, T v, int by, int n) const { \
      return __##name##_sync(mask, v, by, n);                     \
    }                                                             \
  };
MPU_SHUFFLE(shfl)
MPU_SHUFFLE(shfl_up)
MPU_SHUFFLE(shfl_down)
MPU_SHUFFLE(shfl_xor)
#undef MPU_SHUFFLE

template <class T, bool is_structure = (__is_class(T) || __is_union(T)) && sizeof(T) % 4 == 0>
struct mpu_shuffle {
  template <class F>
  static MPU_G T of(F shuffle, unsigned mask, T v, int by, int n) {
    return shuffle(mask, v, by, n);
  }
};
template <class T>
struct mpu_shuffle<T, true> {
  template <class F>
  static MPU_G T of(F shuffle, unsigned mask, T v, int by, int n) {
    static_assert(__is_trivially_copyable(T), "shuffles take what can be copied byte by byte");
    unsigned words[sizeof(T) / 4];
    __builtin_memcpy(words, &v, sizeof v);
    for (unsigned k = 0; k < sizeof(T) / 4; k++)
      words[k] = shuffle(mask, words[k], by, n);
    __builtin_memcpy(&v, words, sizeof v);
    return v;
  }
};

// What is active in a warp when it asks; shuffles go by rank.
class coalesced_group : public mpu_lanes {
 public:
  explicit MPU_G coalesced_group(unsigned mask) : mpu_lanes(mask) {}
  MPU_G unsigned ballot(int p) const { return by_rank(__ballot_sync(mask_, p)); }
  template <class T>
  MPU_G T shfl(T v, unsigned rank) const {
    return mpu_shuffle<T>::of(mpu_shfl(), mask_, v, (int)mpu_nth_lane(mask_, rank % size()), 32);
  }
  template <class T>
  MPU_G T shfl_up(T v, unsigned by) const {
    const unsigned rank = thread_rank();
    return mpu_shuffle<T>::of(mpu_shfl(), mask_, v,
                              (int)mpu_nth_lane(mask_, rank < by ? rank : rank - by), 32);
  }
  template <class T>
  MPU_G T shfl_down(T v, unsigned by) const {
    const unsigned rank = thread_rank();
    return mpu_shuffle<T>::of(mpu_shfl(), mask_, v,
                              (int)mpu_nth_lane(mask_, rank + by < size() ? rank + by : rank), 32);
  }
  template <class T>
  MPU_G T shfl_xor(T v, unsigned by) const {
    const unsigned rank = thread_rank() ^ by;
    return shfl(v, rank < size() ? rank : thread_rank());
  }
  template <class T>
  MPU_G unsigned match_any(T v) const {
    return by_rank(__match_any_sync(mask_, v));
  }
  template <class T>
  MPU_G unsigned match_all(T v, int &all) const {
    return by_rank(__match_all_sync(mask_, v, &all));
  }
};
MPU_G coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

class thread_block {
 public:
  static MPU_G void sync() { __syncthreads(); }
  static MPU_G unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static MPU_G unsigned num_threads() { return size(); }
  static MPU_G unsigned thread_rank() { return mpu_rank_in_block(); }
  static MPU_G dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static MPU_G dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static MPU_G dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static MPU_G dim3 dim_threads() { return group_dim(); }
};
MPU_G thread_block this_thread_block() {
  return thread_block();
}

// What a tile was cut from: threads of it, and the rank of this one.
template <class Parent>
struct mpu_parent {
  static MPU_G unsigned size() { return Parent::size(); }
  static MPU_G unsigned rank() { return Parent::thread_rank(); }
};

// A block cut into tiles of N threads. These lie in one warp; those of several are in
// cooperative_groups/large_tiles.h.
template <unsigned N, class Parent = thread_block, bool is_large = (N > 32)>
class thread_block_tile : public mpu_lanes {
  static_assert(N && N <= 32 && !(N & (N - 1)), "a tile has a power of two of threads");
  static MPU_G unsigned first_lane() { return mpu_rank_in_block() % 32 / N * N; }

 public:
  MPU_G thread_block_tile() : mpu_lanes((N == 32 ? ~0u : (1u << N % 32) - 1) << first_lane()) {}
  static MPU_G constexpr unsigned size() { return N; }
  static MPU_G constexpr unsigned num_threads() { return N; }
  static MPU_G unsigned thread_rank() { return mpu_rank_in_block() % N; }
  // One of a parent of another kind.
  template <class Other>
  MPU_G thread_block_tile(const thread_block_tile<N, Other> &) : thread_block_tile() {}
  static MPU_G unsigned meta_group_rank() { return mpu_parent<Parent>::rank() / N; }
  static MPU_G unsigned meta_group_size() { return (mpu_parent<Parent>::size() + N - 1) / N; }
  MPU_G unsigned ballot(int p) const {
    return __ballot_sync(mask_, p) >> first_lane() & (N == 32 ? ~0u : (1u << N % 32) - 1);
  }
  template <class T>
  MPU_G unsigned match_any(T v) const {
    return __match_any_sync(mask_, v) >> first_lane();
  }
  template <class T>
  MPU_G unsigned match_all(T v, int &all) const {
    const unsigned same = match_any(v);
    all = same == (N == 32 ? ~0u : (1u << N % 32) - 1);
    return all ? same : 0;
  }
  template <class T>
  MPU_G T shfl(T v, unsigned rank) const {
    return mpu_shuffle<T>::of(mpu_shfl(), mask_, v, (int)rank, N);
  }
  template <class T>
  MPU_G T shfl_up(T v, unsigned by) const {
    return mpu_shuffle<T>::of(mpu_shfl_up(), mask_, v, (int)by, N);
  }
  template <class T>
  MPU_G T shfl_down(T v, unsigned by) const {
    return mpu_shuffle<T>::of(mpu_shfl_down(), mask_, v, (int)by, N);
  }
  template <class T>
  MPU_G T shfl_xor(T v, unsigned by) const {
    return mpu_shuffle<T>::of(mpu_shfl_xor(), mask_, v, (int)by, N);
  }
};
template <unsigned N, class Parent>
MPU_G thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  static_assert(N <= 32,
                "tiles of more than 32 threads: make the block as `auto block = "
                "this_thread_block(memory)`, with memory a __shared__ block_tile_memory");
  return thread_block_tile<N, Parent>();
}
MPU_G thread_block_tile<1> this_thread() {
  return thread_block_tile<1>();
}
// Of what has come together: those with the same label.
MPU_G coalesced_group labeled_partition(const coalesced_group &g, int label) {
  return coalesced_group(__match_any_sync(g.mpu_mask(), label));
}
MPU_G coalesced_group binary_partition(const coalesced_group &g, bool label) {
  return labeled_partition(g, label);
}
template <unsigned N, class Parent>
MPU_G coalesced_group labeled_partition(const thread_block_tile<N, Parent> &g, int label) {
  return coalesced_group(__match_any_sync(g.mpu_mask(), label));
}
template <unsigned N, class Parent>
MPU_G coalesced_group binary_partition(const thread_block_tile<N, Parent> &g, bool label) {
  return labeled_partition(g, label);
}

// A group whose kind is known when it runs: the block, or lanes of a warp.
class thread_group {
  bool block_;
  coalesced_group lanes_;

 public:
  MPU_G thread_group(const thread_block &) : block_(true), lanes_(0) {}
  MPU_G thread_group(const coalesced_group &g) : block_(false), lanes_(g) {}
  template <unsigned N, class Parent>
  MPU_G thread_group(const thread_block_tile<N, Parent> &g)
      : block_(false), lanes_(coalesced_group(g.mpu_mask())) {}
  MPU_G void sync() const {
    if (block_)
      __syncthreads();
    else
      lanes_.sync();
  }
  MPU_G unsigned size() const { return block_ ? thread_block::size() : lanes_.size(); }
  MPU_G unsigned num_threads() const { return size(); }
  MPU_G unsigned thread_rank() const {
    return block_ ? thread_block::thread_rank() : lanes_.thread_rank();
  }
  // Tiles of so many threads: a power of two up to 32.
  MPU_G thread_group mpu_tiles(unsigned n) const {
    const unsigned all = n >= 32 ? ~0u : (1u << n) - 1, rank = thread_rank();
    if (block_)
      return coalesced_group(all << rank % 32 / n * n);
    unsigned mask = 0, at = rank / n * n;
    for (unsigned k = at; k < at + n && k < size(); k++)
      mask |= 1u << mpu_nth_lane(lanes_.mpu_mask(), k);
    return coalesced_group(mask);
  }
};
MPU_G thread_group tiled_partition(const thread_group &g, unsigned n) {
  return g.mpu_tiles(n);
}

// All blocks; of a launch by cudaLaunchCooperativeKernel, as a barrier needs that all are there.
class grid_group {
 public:
  static MPU_G bool is_valid() { return true; }
  static MPU_G unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  static MPU_G unsigned block_rank() {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static MPU_G dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static MPU_G dim3 group_dim() { return dim_blocks(); }
  static MPU_G dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static MPU_G unsigned long long size() {
    return (unsigned long long)num_blocks() * thread_block::size();
  }
  static MPU_G unsigned long long num_threads() { return size(); }
  static MPU_G unsigned long long thread_rank() {
    return (unsigned long long)block_rank() * thread_block::size() + mpu_rank_in_block();
  }
  static MPU_G void sync() {
    __syncthreads();
    if (mpu_rank_in_block() == 0) {
      __threadfence();
      const unsigned times = *(volatile unsigned *)&mpu_grid_times;
      if (atomicAdd(&mpu_grid_arrived, 1u) == num_blocks() - 1) {
        *(volatile unsigned *)&mpu_grid_arrived = 0;
        __threadfence();
        atomicAdd(&mpu_grid_times, 1u);
      } else {
        while (*(volatile unsigned *)&mpu_grid_times == times)
          ;
      }
      __threadfence();
    }
    __syncthreads();
  }
};
MPU_G grid_group this_grid() {
  return grid_group();
}

template <class Group>
MPU_G void sync(const Group &g) {
  g.sync();
}
template <class Group>
MPU_G void wait(const Group &g) {
  g.sync();
}
template <unsigned Prior, class Group>
MPU_G void wait_prior(const Group &g) {
  g.sync();
}

// ---- copies: they are done when the call returns, for the thread; wait() or sync() for the group

template <class Group, class T>
MPU_G void memcpy_async(const Group &g, T *to, const T *from, size_t bytes) {
  for (size_t n = g.thread_rank() * sizeof(T); n < bytes; n += g.size() * sizeof(T))
    to[n / sizeof(T)] = from[n / sizeof(T)];
}

// ---- reductions and scans

template <class T>
struct plus {
  MPU_G T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  MPU_G T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  MPU_G T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  MPU_G T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  MPU_G T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  MPU_G T operator()(T a, T b) const { return a ^ b; }
};

template <class Group, class T, class Op>
MPU_G T inclusive_scan(const Group &g, T v, Op op) {
  for (unsigned by = 1; by < g.size(); by *= 2) {
    const T before = g.shfl_up(v, by);
    if (g.thread_rank() >= by)
      v = op(before, v);
  }
  return v;
}
template <class Group, class T>
MPU_G T inclusive_scan(const Group &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
// The first one gets T().
template <class Group, class T, class Op>
MPU_G T exclusive_scan(const Group &g, T v, Op op) {
  const T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() ? before : T();
}
template <class Group, class T>
MPU_G T exclusive_scan(const Group &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}
// Of all, for all.
template <class Group, class T, class Op>
MPU_G T reduce(const Group &g, T v, Op op) {
  return g.shfl(inclusive_scan(g, v, op), g.size() - 1);
}

}  // namespace cooperative_groups

#include "cooperative_groups/large_tiles.h"
#undef MPU_G
#endif
