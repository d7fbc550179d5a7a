// SPDX-License-Identifier: Apache-2.0
// cuda/atomic, cuda/barrier and cuda/pipeline, copies of cuda_pipeline.h, and functions that have
// no effect or ask for a space; tiles of tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda/std/atomic>
#include "check.h"
namespace cg = cooperative_groups;

enum { THREADS = 128, BLOCKS = 4 };

struct counters {
  cuda::atomic<int, cuda::thread_scope_device> plain, most, bits;
  cuda::atomic<unsigned long long> wide;
  cuda::atomic<float, cuda::thread_scope_device> real;
  cuda::std::atomic<int> failed;
  int raw, last;
};

__global__ void atomics(counters *c) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  c->plain.fetch_add(2, cuda::memory_order_relaxed);
  c->most.fetch_max(t);
  c->bits |= 0;
  c->bits.fetch_xor(t);
  c->wide += 1ull << 32;
  c->real.fetch_add(0.5f);
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(c->raw);
  ref++;
  int old = -1;
  if (!c->failed.compare_exchange_strong(old, 5) && old != 0)
    c->failed = 100;
  if (c->last == 0 && atomicCAS(&c->last, 0, 1) == 0)
    c->failed.exchange(0);
}

static void check_atomics() {
  counters *c;
  enum { ALL = THREADS * BLOCKS };
  OK(cudaMallocManaged(&c, sizeof *c));
  cuda::atomic<int> host(3);
  host++;
  CHECK(host.load() == 4 && host.exchange(9) == 4 && host == 9);
  memset((void *)c, 0, sizeof *c);
  c->most = -1;
  atomics<<<BLOCKS, THREADS>>>(c);
  OK(cudaDeviceSynchronize());
  int x = 0;
  for (int t = 0; t < ALL; t++)
    x ^= t;
  CHECK(c->plain == 2 * ALL && c->most == ALL - 1 && c->bits == x && c->raw == ALL);
  CHECK(c->wide == (unsigned long long)ALL << 32 && c->real == 0.5f * ALL && c->failed == 0);
  OK(cudaFree(c));
}

struct counts {
  __device__ void operator()() const;
};
__device__ int completions;
__device__ void counts::operator()() const {
  completions++;
}

// Rounds in which each thread reads what another one wrote before the barrier.
__global__ void barriers(const int *from, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, counts> bar;
  __shared__ cuda::barrier<cuda::thread_scope_block> few;
  __shared__ int words[2][THREADS];
  const int t = threadIdx.x;
  if (t == 0)
    init(&bar, blockDim.x), init(&few, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 5; round++) {
    words[round & 1][t] = t * round;
    auto token = bar.arrive();
    bar.wait(token);
    sum += words[round & 1][(t + 33) % THREADS];
  }
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), words[0], from, cuda::aligned_size_t<16>(sizeof words[0]), few);
  if (t / 32 == 3) {  // the last warp leaves
    few.arrive_and_drop();
  } else {
    few.arrive_and_wait();
    sum += words[0][t + 32];
    few.arrive_and_wait();
  }
  out[t] = sum;
}

static void check_barriers() {
  int *from, *out, host[THREADS], got[THREADS], completed = 0, wrong = 0;
  for (int t = 0; t < THREADS; t++)
    host[t] = t * t;
  OK(cudaMalloc(&from, sizeof host)), OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  barriers<<<1, THREADS>>>(from, out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < THREADS; t++)
    wrong += got[t] != 10 * ((t + 33) % THREADS) + (t < 96 ? (t + 32) * (t + 32) : 0);
  CHECK(wrong == 0);
  OK(cudaMemcpyFromSymbol(&completed, completions, sizeof completed));
  CHECK(completed == 5);
}

// Two stages: a thread's own, then the block's.
__global__ void pipelines(const float *from, float *out, int rounds) {
  __shared__ float stage[2][THREADS];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const int t = threadIdx.x;
  float sum = 0;
  auto own = cuda::make_pipeline();
  own.producer_acquire();
  cuda::memcpy_async(&stage[0][t], from + t, sizeof(float), own);
  own.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(own);
  sum += stage[0][t];
  own.consumer_release();
  const auto block = cg::this_thread_block();
  auto shared = cuda::make_pipeline(block, &state);
  block.sync();
  for (int r = 0; r < rounds; r++) {
    shared.producer_acquire();
    cuda::memcpy_async(block, stage[r & 1], from + r * THREADS, sizeof stage[0], shared);
    shared.producer_commit();
    shared.consumer_wait();
    sum += stage[r & 1][THREADS - 1 - t];
    shared.consumer_release();
  }
  __pipeline_memcpy_async(&stage[0][t], from + t, 4);
  __pipeline_memcpy_async(&stage[1][t], from + t, 4, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = sum + 2 * stage[0][t] + stage[1][t];
}

// With roles: the last 32 threads fill three stages, the others empty them.
__global__ void roles(const float *from, float *out, int rounds) {
  __shared__ float stage[3][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  const int t = threadIdx.x, lane = t % 32;
  const bool fills = t >= THREADS - 32;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state,
                                  fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  float sum = 0;
  for (int r = 0; r < rounds; r++)
    if (fills) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[r % 3][lane], from + r * 32 + lane, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum = 2 * sum + stage[r % 3][(lane + 5) % 32];
      pipe.consumer_release();
    }
  out[t] = sum;
}
static void check_roles() {
  enum { ROUNDS = 8 };
  float host[32 * ROUNDS], got[THREADS], *from, *out;
  int wrong = 0;
  for (int n = 0; n < 32 * ROUNDS; n++)
    host[n] = (float)(n * 7 % 100);
  OK(cudaMalloc(&from, sizeof host)), OK(cudaMalloc(&out, sizeof got));
  OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  roles<<<1, THREADS>>>(from, out, ROUNDS);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < THREADS; t++) {
    float want = 0;
    for (int r = 0; r < ROUNDS && t < THREADS - 32; r++)
      want = 2 * want + host[r * 32 + (t + 5) % 32];
    wrong += got[t] != want;
  }
  CHECK(wrong == 0);
}

static void check_pipelines() {
  enum { ROUNDS = 3 };
  float host[THREADS * ROUNDS], got[THREADS], *from, *out;
  int wrong = 0;
  for (int n = 0; n < THREADS * ROUNDS; n++)
    host[n] = (float)(n * 3 % 1000);
  OK(cudaMalloc(&from, sizeof host)), OK(cudaMalloc(&out, sizeof got));
  OK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
  pipelines<<<1, THREADS>>>(from, out, ROUNDS);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int t = 0; t < THREADS; t++) {
    float want = 3 * host[t];
    for (int r = 0; r < ROUNDS; r++)
      want += host[r * THREADS + THREADS - 1 - t];
    wrong += got[t] != want;
  }
  CHECK(wrong == 0);
}

__device__ __noinline__ static int thrice(int v) {
  return 3 * v;
}
__constant__ int constant = 7;
__device__ int global;

__global__ void __launch_bounds__(64, 2) odds(const __grid_constant__ int n, unsigned *out) {
  __shared__ int shared;
  int local[4] = {n, 1, 2, 3};
  __builtin_assume(n == 5);
  __nanosleep(100);
  __prof_trigger(3);
  const long long begin = clock64();
  out[0] = (unsigned)thrice(n);
  out[1] = __isShared(&shared) | __isGlobal(&shared) << 1 | __isGlobal(&global) << 2 | __isLocal(&local[n & 3]) << 3 |
           __isConstant(&constant) << 4 | __isShared(&constant) << 5;
  const size_t at = __cvta_generic_to_shared(&shared);
  *(volatile int *)__cvta_shared_to_generic(at) = 11;
  out[2] = at < 65536 && *(volatile int *)&shared == 11;
  out[3] = __ldg(out) + __ldcg(out + 1) * 0 + __ldca(out) * 0 + __ldcs(out) * 0 + __ldcv(out) * 0;
  __stwb(out + 4, 4u), __stcg(out + 5, 5u), __stcs(out + 6, 6u), __stwt(out + 7, 7u);
  out[8] = clock64() > begin && clock() != 0;
  // tiles of tiles
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto quad = cg::tiled_partition<4>(warp);
  const cg::thread_block_tile<4> same = quad;
  if (threadIdx.x == 45) {
    out[9] = quad.meta_group_rank() | quad.meta_group_size() << 8 | quad.thread_rank() << 16 | warp.meta_group_rank() << 24;
    out[10] = same.size() + cg::this_thread().size() * 16;
  }
}

static void check_odds() {
  unsigned *out, got[11];
  OK(cudaMalloc(&out, sizeof got));
  odds<<<1, 64>>>(5, out);
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  CHECK(got[0] == 15 && got[1] == (1 | 4 | 8 | 16) && got[2] == 1 && got[3] == 15);
  CHECK(got[4] == 4 && got[5] == 5 && got[6] == 6 && got[7] == 7 && got[8] == 1);
  CHECK(got[9] == (3 | 8 << 8 | 1 << 16 | 1 << 24) && got[10] == 4 + 16);
}

int main() {
  check_atomics();
  check_barriers();
  check_pipelines();
  check_roles();
  check_odds();
  END;
}
