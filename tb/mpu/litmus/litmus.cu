// SPDX-License-Identifier: Apache-2.0
// Litmus tests of docs/memory-model.md: threads of several blocks, each in a core of its own,
// access locations x and y of cores of their own. `never` says which outcome must not be seen;
// tests without one show what may be. Readers have loaded x, and y where that matters, before: so
// it is in their cache.
//   litmus ROUNDS PLACES [TEST]
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum test {
  MP_FENCE,
  MP_SYS,
  MP_SPIN,
  MP_ACQUIRE,
  MP_ATOMIC,
  MP_RMW,
  MP_BLOCK,
  MP_NONE,
  MP_CTA,
  SB_FENCE,
  SB_NONE,
  CORR_STRONG,
  CORR_WEAK,
  CORR_MIXED,
  COWR,
  COWW,
  CORW,
  COATOM,
  IRIW,
  BAR,
  BAR_PASSED,
  COWR_LOADS,
  TESTS
};
struct about {
  const char *name;
  int parties;
  int never;  // outcome: r0 + 2 r1 + 4 r2 + 8 r3; -1: none
};
static const about all[TESTS] = {{"mp+fence.gl", 2, 1},
                                 {"mp+fence.sys", 2, 1},
                                 {"mp+spin+fence", 2, 1},
                                 {"mp+release+acquire", 2, 1},
                                 {"mp+exch+fence", 2, 1},
                                 {"mp+rmw.release+rmw.acquire", 2, 1},
                                 {"mp+fence+bar.sync", 2, 1},
                                 {"mp", 2, -1},
                                 {"mp+fence.gl+fence.cta", 2, -1},
                                 {"sb+fence.gl", 2, 0},
                                 {"sb", 2, -1},
                                 {"corr+volatile", 2, 1},
                                 {"corr+weak", 2, 1},
                                 {"corr+volatile+weak", 2, 1},
                                 {"cowr", 1, 0},
                                 {"coww", 1, 0},
                                 {"corw", 1, 1},
                                 {"coatom", 1, 0},
                                 {"iriw+fence.gl", 4, 5},
                                 {"bar.sync", 1, 0},
                                 {"bar.sync+stores", 1, 0},
                                 {"cowr+load in flight", 1, 0}};

__device__ unsigned weak(const unsigned *p) {
  unsigned v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ unsigned strong(const unsigned *p) {
  return *(const volatile unsigned *)p;
}
__device__ unsigned acquire(const unsigned *p) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
__device__ void put(unsigned *p, unsigned v) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v));
}
__device__ void put_strong(unsigned *p, unsigned v) {
  *(volatile unsigned *)p = v;
}
__device__ void put_release(unsigned *p, unsigned v) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v));
}
__device__ unsigned add(unsigned *p, unsigned v, bool releases) {
  unsigned old;
  if (releases)
    asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v));
  else
    asm volatile("atom.acquire.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v));
  return old;
}

__device__ void writer(int t, unsigned *x, unsigned *y) {
  put(x, 1);
  if (t == MP_SYS)
    __threadfence_system();
  else if (t != MP_ACQUIRE && t != MP_RMW && t != MP_NONE)
    __threadfence();
  if (t == MP_ACQUIRE)
    put_release(y, 1);
  else if (t == MP_RMW)
    add(y, 1, true);
  else if (t == MP_ATOMIC)
    atomicExch(y, 1);
  else
    put_strong(y, 1);
}

__device__ unsigned flag_of(int t, unsigned *y) {
  unsigned flag;
  do
    flag = t == MP_ACQUIRE  ? acquire(y)
           : t == MP_RMW    ? add(y, 0, false)
           : t == MP_ATOMIC ? atomicAdd(y, 0)
                            : strong(y);
  while (t == MP_SPIN && !flag);
  return flag;
}

__device__ unsigned reader(int t, unsigned *x, unsigned *y) {
  const unsigned flag = flag_of(t, y);
  if (t == MP_SYS)
    __threadfence_system();
  else if (t == MP_CTA)
    __threadfence_block();
  else if (t != MP_ACQUIRE && t != MP_RMW && t != MP_NONE)
    __threadfence();
  return flag | weak(x) << 1;
}

// What party `me` does; its bits of the outcome.
__device__ unsigned act(int t, int me, unsigned *x, unsigned *y) {
  unsigned a, b;
  switch (t) {
    case SB_FENCE:
    case SB_NONE:
      put(me ? y : x, 1);
      if (t == SB_FENCE)
        __threadfence();
      return weak(me ? x : y) << me;
    case CORR_STRONG:
    case CORR_WEAK:
    case CORR_MIXED:
      if (me == 0) {
        put_strong(x, 1);
        return 0;
      }
      a = t == CORR_WEAK ? weak(x) : strong(x);
      b = t == CORR_STRONG ? strong(x) : weak(x);
      return a | b << 1;
    case COWR:
      put(x, 1);
      return weak(x);
    case COWW:
      put(x, 2);
      put(x, 1);
      return strong(x);
    case CORW:
      a = weak(x);
      put(x, 1);
      return a;
    case COATOM:
      atomicAdd(x, 1);
      return weak(x);
    case IRIW:
      if (me < 2) {
        put_strong(me ? y : x, 1);
        return 0;
      }
      a = strong(me == 2 ? x : y);
      __threadfence();
      b = weak(me == 2 ? y : x);
      return (a | b << 1) << 2 * (me - 2);
    default:
      if (me)
        return reader(t, x, y);
      writer(t, x, y);
      return 0;
  }
}

__device__ void wait(unsigned cycles) {
  const unsigned from = clock();
  while (clock() - from < cycles)
    ;
}

__device__ void meet(unsigned *count, unsigned parties, unsigned delay) {
  atomicAdd(count, 1);
  while (strong(count) < parties)
    ;
  wait(delay);
}

// With the other warp of the block: what the first one has done or seen is seen by the second.
__device__ void in_block(int t, int me, unsigned *x, unsigned *y, unsigned *out, unsigned *flag) {
  const bool first = threadIdx.x == 0, second = threadIdx.x == 32;
  const unsigned before = second ? weak(x) : 0;
  __syncthreads();
  if (first && t == BAR)
    put(x, 1);
  if (first && t == BAR_PASSED)
    atomicAdd(x, 1);
  if (first && t == MP_BLOCK && me == 1) {
    *flag = strong(y);
    __threadfence();
  }
  __syncthreads();
  if (second && (t != MP_BLOCK || me == 1))
    atomicOr(out, (t == MP_BLOCK ? *flag | weak(x) << 1 : weak(x)) | before << 8);
}

// The second warp loads x, and while that is on its way the first one stores it, and loads it at
// once and later.
__device__ void in_flight(unsigned *x, unsigned *out, unsigned delay) {
  __syncthreads();
  if (threadIdx.x == 32 && weak(x) > 100)
    *out = 0;
  if (threadIdx.x == 0) {
    if (delay % 4)
      wait(delay % 128);
    put(x, 1);
    const unsigned at_once = weak(x);
    wait(300);
    *out = at_once & weak(x);
  }
  __syncthreads();
}

__global__ void litmus(int t, int parties, const int *block, unsigned *xs, unsigned *ys,
                       unsigned *meets, unsigned *outs, int rounds, int step, unsigned seed) {
  __shared__ unsigned flag;
  int me = -1;
  for (int k = 0; k < parties; k++)
    me = block[k] == (int)blockIdx.x ? k : me;
  if (me < 0)
    return;
  const bool together = t == COWR_LOADS || t == BAR || t == BAR_PASSED || t == MP_BLOCK;
  if (!together && threadIdx.x)
    return;
  for (int i = 0; i < rounds; i++) {
    unsigned *x = xs + i * step + (seed + i) % 8, *y = ys + i * step + (seed / 8 + i) % 8;
    const unsigned delay = (seed + i * 37 + me * 101) * 2654435761u >> 23;
    if (t != COWR_LOADS && weak(x) + weak(y) > 100)  // both are in the cache
      return;
    if (threadIdx.x == 0)
      meet(meets + i, parties, delay);
    if (t == COWR_LOADS)
      in_flight(x, outs + i, delay);
    else if (together && !(t == MP_BLOCK && me == 0))
      in_block(t, me, x, y, outs + i, &flag);
    else if (threadIdx.x == 0)
      atomicOr(outs + i, act(t, me, x, y));
    if (together)
      __syncthreads();
  }
}

static const int CORES = 4, LINE = 128 * CORES, MAX = 64;  // words: 512 bytes a core

static int run(int t, int rounds, int places) {
  const int n = all[t].parties;
  unsigned *xs, *ys, *meets, *outs, seen[16] = {}, host[MAX];
  int *block, wrong = 0;
  cudaMalloc(&xs, MAX * LINE * 4 + 4096);
  cudaMalloc(&ys, MAX * LINE * 4 + 4096);
  cudaMalloc(&meets, sizeof host);
  cudaMalloc(&outs, sizeof host);
  cudaMalloc(&block, 4 * sizeof *block);
  for (int p = 0; p < places; p++) {
    int blocks[4];
    const unsigned seed = 12345u + 7919u * p;
    for (int k = 0; k < 4; k++)
      blocks[k] = (p + k * (1 + p % 2 * 2)) % 4;
    cudaMemset(xs, 0, MAX * LINE * 4 + 4096);
    cudaMemset(ys, 0, MAX * LINE * 4 + 4096);
    cudaMemset(meets, 0, sizeof host);
    cudaMemset(outs, 0, sizeof host);
    cudaMemcpy(block, blocks, sizeof blocks, cudaMemcpyHostToDevice);
    // where x and y lie changes from place to place
    litmus<<<4, 64>>>(t, n, block, xs + (p / 4 + p + 2) % 4 * 128,
                      ys + (p / 2 + 3) % 4 * 128 + p % 4 * 32, meets, outs, rounds, LINE, seed);
    if (cudaDeviceSynchronize() != cudaSuccess) {
      printf("%s: %s\n", all[t].name, cudaGetErrorString(cudaGetLastError()));
      return 1;
    }
    cudaMemcpy(host, outs, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < rounds; i++)
      seen[host[i] & 15]++;
  }
  printf("%-28s", all[t].name);
  for (int k = 0; k < 16; k++)
    if (seen[k])
      printf(" %d%d%d%d: %u", k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3 & 1, seen[k]);
  if (all[t].never >= 0 && seen[all[t].never]) {
    printf("  FORBIDDEN");
    wrong = 1;
  }
  printf("\n");
  cudaFree(xs), cudaFree(ys), cudaFree(meets), cudaFree(outs), cudaFree(block);
  return wrong;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 16, places = argc > 2 ? atoi(argv[2]) : 8;
  int wrong = 0;
  for (int t = 0; t < TESTS; t++)
    if (argc < 4 || !strcmp(argv[3], all[t].name))
      wrong |= run(t, rounds < MAX ? rounds : MAX, places);
  return wrong;
}
