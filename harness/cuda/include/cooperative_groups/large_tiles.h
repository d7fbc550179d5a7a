// SPDX-License-Identifier: Apache-2.0
// Tiles of several warps: 64 to 1024 threads of a block. They meet in shared memory of the program,
// which is called block_tile_memory; cooperative_groups.h includes this file.
#ifndef NEARBANK_COOPERATIVE_GROUPS_LARGE_TILES_H
#define NEARBANK_COOPERATIVE_GROUPS_LARGE_TILES_H

namespace cooperative_groups {

template <bool is>
struct mpu_bool {};
enum { mpu_slot_bytes = 16, mpu_most_warps = 32 };

// A barrier for each tile, at its first warp, and a slot for each warp.
struct mpu_tile_memory {
  unsigned arrived[mpu_most_warps], times[mpu_most_warps];
  struct {
    unsigned long long words[mpu_slot_bytes / 8];
  } slots[mpu_most_warps];
};
template <size_t Threads = 1024>
struct block_tile_memory : mpu_tile_memory {};

// A block whose tiles may have more than one warp.
class mpu_block_with_memory : public thread_block {
  mpu_tile_memory *memory_;

 public:
  explicit MPU_G mpu_block_with_memory(mpu_tile_memory *m) : memory_(m) {
    for (unsigned n = thread_rank(); n < mpu_most_warps; n += size())
      m->arrived[n] = m->times[n] = 0;
    __syncthreads();
  }
  MPU_G mpu_tile_memory *mpu_memory() const { return memory_; }
};
template <size_t Threads>
MPU_G mpu_block_with_memory this_thread_block(block_tile_memory<Threads> &memory) {
  return mpu_block_with_memory(&memory);
}

template <unsigned N, class Parent>
class thread_block_tile<N, Parent, true> {
  static_assert(N <= 1024 && !(N & (N - 1)), "a tile has a power of two of threads, at most 1024");
  mpu_tile_memory *memory_;

  static MPU_G unsigned warp() { return mpu_rank_in_block() / 32; }
  static MPU_G unsigned first_warp() { return mpu_rank_in_block() / N * (N / 32); }

 public:
  explicit MPU_G thread_block_tile(mpu_tile_memory *m) : memory_(m) {}
  static MPU_G constexpr unsigned size() { return N; }
  static MPU_G constexpr unsigned num_threads() { return N; }
  static MPU_G unsigned thread_rank() { return mpu_rank_in_block() % N; }
  static MPU_G unsigned meta_group_rank() { return mpu_rank_in_block() / N; }
  static MPU_G unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }

  // One lane of each warp goes to the barrier, the others wait for it.
  MPU_G void sync() const {
    __syncwarp();
    if (mpu_lane() == 0) {
      volatile unsigned *times = &memory_->times[first_warp()];
      const unsigned now = *times;
      __threadfence_block();
      if (atomicAdd(&memory_->arrived[first_warp()], 1u) == N / 32 - 1) {
        *(volatile unsigned *)&memory_->arrived[first_warp()] = 0;
        __threadfence_block();
        *times = now + 1;
      } else {
        while (*times == now)
          ;
      }
      __threadfence_block();
    }
    __syncwarp();
  }

  // A value of one thread of each warp, for all of the tile: by the warp's number in it.
  template <class T>
  MPU_G void mpu_share(T v, bool mine) const {
    static_assert(sizeof(T) <= mpu_slot_bytes, "tiles of several warps take up to 16 bytes");
    if (mine)
      __builtin_memcpy(&memory_->slots[warp()], &v, sizeof v);
    sync();
  }
  template <class T>
  MPU_G T mpu_shared(unsigned n) const {
    T v;
    __builtin_memcpy(&v, &memory_->slots[first_warp() + n], sizeof v);
    return v;
  }
  template <class T>
  MPU_G T shfl(T v, unsigned rank) const {
    mpu_share(v, rank % 32 == mpu_lane() && rank % N / 32 == warp() - first_warp());
    const T got = mpu_shared<T>(rank % N / 32);
    sync();
    return got;
  }
  MPU_G int any(int p) const {
    mpu_share(__any_sync(~0u, p), mpu_lane() == 0);
    int all = 0;
    for (unsigned n = 0; n < N / 32; n++)
      all |= mpu_shared<int>(n);
    sync();
    return all;
  }
  MPU_G int all(int p) const { return !any(!p); }
};
template <unsigned N>
MPU_G thread_block_tile<N, thread_block> mpu_large_tile(const mpu_block_with_memory &b,
                                                        mpu_bool<true>) {
  return thread_block_tile<N, thread_block>(b.mpu_memory());
}
template <unsigned N>
MPU_G thread_block_tile<N, thread_block> mpu_large_tile(const mpu_block_with_memory &,
                                                        mpu_bool<false>) {
  return thread_block_tile<N, thread_block>();
}
template <unsigned N>
MPU_G thread_block_tile<N, thread_block> tiled_partition(const mpu_block_with_memory &b) {
  return mpu_large_tile<N>(b, mpu_bool<(N > 32)>());
}

// Warps first, then what they have, in the order of the warps.
template <unsigned N, class Parent, class T, class Op>
MPU_G T reduce(const thread_block_tile<N, Parent, true> &g, T v, Op op) {
  g.mpu_share(reduce(thread_block_tile<32>(), v, op), mpu_lane() == 0);
  T all = g.template mpu_shared<T>(0);
  for (unsigned n = 1; n < N / 32; n++)
    all = op(all, g.template mpu_shared<T>(n));
  g.sync();
  return all;
}

}  // namespace cooperative_groups
#endif
