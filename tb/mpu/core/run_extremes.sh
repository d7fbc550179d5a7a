#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Machines at the ends of what a configuration may say, and programs at the ends of what a core keeps room for: each runs to its
# end, its results are right, and in lockstep the models agree.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
run() { # WHAT OPTIONS AND PROGRAM...
  timeout 900 "$MPU" run -q --stats "$work/stats" "${@:2}" >"$work/out" 2>&1 && return
  echo "FAILED: $1: mpu run ${*:2}"
  head -n 3 "$work/out"
  failed=1
}
machine() { # NAME, core keys on stdin
  { printf 'base: small\n'; cat; } >"$work/$1.yaml"
}

# its structure is that of run_structures.sh, so that it is built once
machine smallest <<'YAML'
core: {warp_slots: 4, block_slots: 1, schedule: lrr, collectors: 1, lsu_queue: 1, constant_latency: 1, icache_bytes: 1024,
  icache_line: 16, icache_miss: 1, far_rf_bytes: 16384, near_rf_bytes: 8192}
tsv: {queue: 24}
dram: {row_buffers: 1, page: closed, tREFI: 500, row_bytes: 512, queue: 8, subarrays: 2}
near: {collectors: 8, lsu_entries: 4}
YAML
machine largest <<'YAML'
core: {collectors: 16, lsu_queue: 32, constant_latency: 1000, icache_bytes: 1048576, icache_line: 1024, icache_miss: 10000}
tsv: {queue: 256}
dram: {refresh: off}
YAML
# one line, which comes at once: warps in several lines take it from one another
machine one-line <<'YAML'
core: {icache_bytes: 1024, icache_line: 1024, icache_miss: 1}
YAML
# all four on the smallest, two on the others, unless MPU_LONG is set
for name in smallest largest one-line; do
  for mode in ${MPU_LONG:+c} lockstep; do
    run "machine $name" --near=$mode --config "$work/$name.yaml" kernels/kmeans -- --n 256
    [[ $name == one-line && ! ${MPU_LONG:-} ]] ||
      run "machine $name" --near=$mode --config "$work/$name.yaml" kernels/hist -- --n 2048
    [[ $name == largest && ! ${MPU_LONG:-} ]] ||
      run "machine $name" --near=$mode --config "$work/$name.yaml" kernels/blur -- --width 48 --height 32
    [[ $name != smallest && ! ${MPU_LONG:-} ]] ||
      run "machine $name" --near=$mode --config "$work/$name.yaml" kernels/gemv -- --rows 16 --cols 96
  done
done

# blocks take the slots of others in any order, and read what those left in shared memory
cat >"$work/left.cu" <<'CU'
__global__ void kernel(unsigned *p) {
  __shared__ volatile unsigned s[64];
  unsigned x = s[threadIdx.x], n = blockIdx.x % 3 == 0 ? 5 : blockIdx.x % 3 == 1 ? 400 : 90;
  for (unsigned k = 0; k < n; k++)
    x = x * 5 + blockIdx.x;
  s[threadIdx.x] = x;
  p[blockIdx.x * 64 + threadIdx.x] = x;
}
int main() {
  unsigned *p;
  cudaMalloc(&p, 200 * 64 * 4);
  for (int n = 0; n < 4; n++)
    kernel<<<n % 2 ? 200 : 100, 64>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
run "what shared memory held" --near=lockstep "$work/left.cu"

# hundreds of instructions issue while accesses of the same warp wait for their turn
cat >"$work/behind.cu" <<'CU'
__global__ void kernel(unsigned long long *p) {
  unsigned x[8];
  for (int k = 0; k < 8; k++)
    x[k] = threadIdx.x + k;
  for (int k = 0; k < 4; k++)
    atomicAdd(p + (threadIdx.x * 977 + blockIdx.x * 131 + k * 4099) % 500000, 1ull);
#define F(k) asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(x[k]));
#define F8 F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define F64 F8 F8 F8 F8 F8 F8 F8 F8
  F64 F64 F64 F64 F64 F64 F64 F64 F64 F64
  p[500000 + threadIdx.x] = x[0] + x[1] + x[2] + x[3] + x[4] + x[5] + x[6] + x[7];
}
int main() {
  unsigned long long *p;
  cudaMalloc(&p, 8 << 20);
  cudaMemset(p, 0, 8 << 20);
  kernel<<<4, 32>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
machine quick <<'YAML'
core: {schedule: lrr, icache_miss: 1}
dram: {tREFI: 500, row_buffers: 1}
YAML
run "instructions behind accesses" --near=lockstep --locate=far --config "$work/quick.yaml" "$work/behind.cu"

# 4096 lines of local memory are written before the first instruction
cat >"$work/local.cu" <<'CU'
__global__ void kernel(unsigned *p, int n) {
  volatile unsigned a[4096];
  for (int k = 0; k < n; k++)
    a[k * 64] = k + 1;
  p[threadIdx.x] = a[64] + a[65];
}
int main() {
  unsigned *p, h[32];
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 32>>>(p, 4);
  if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (int n = 0; n < 32; n++)
    if (h[n] != 2)
      return 1;
  return 0;
}
CU
machine impatient <<'YAML'
core: {stall_limit: 10000}
YAML
run "local memory that is cleared" --near=c --config "$work/impatient.yaml" "$work/local.cu"

# atomics of 64 bits on shared memory with no register that holds a value: zero, and one that nothing wrote
cat >"$work/none.cu" <<'CU'
__global__ void kernel(long long *p) {
  __shared__ long long s[64];
  s[threadIdx.x] = (long long)threadIdx.x - 32;
  __syncthreads();
  if (threadIdx.x % 2)
    asm volatile("red.shared.min.s64 [%0], 0;" ::"r"(threadIdx.x * 8));
  else
    asm volatile("{ .reg .b64 t; red.shared.max.s64 [%0], t; }" ::"r"(threadIdx.x * 8));
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
int main() {
  long long *p, h[64];
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 64>>>(p);
  if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (int n = 0; n < 64; n++)
    if (h[n] != ((n % 2) == (n < 32) ? n - 32 : 0))
      return 1;
  return 0;
}
CU
# one lane adds to the high half of a word in 64 bits, others to its low half in 32: each 64-bit atomic is alone
cat >"$work/halves.cu" <<'CU'
__global__ void kernel(unsigned long long *p) {
  __shared__ unsigned long long s;
  s = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int n = 0; n < 40; n++)
      atomicAdd(&s, 1ull << 32);
  if (threadIdx.x % 32 == 0 && threadIdx.x)
    for (int n = 0; n < 60; n++)
      atomicAdd((unsigned *)&s, 1u);
  __syncthreads();
  *p = s;
}
int main() {
  unsigned long long *p, h;
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 128>>>(p);
  return cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess || h != (40ull << 32 | 180);
}
CU
for machine in small ${MPU_LONG:+far-shared} base-die; do
  run "64-bit atomics among others" --near=lockstep --config $machine "$work/halves.cu"
done
# words of 64 and 128 bits take effect one by one: in local memory a word comes before others of its access, and accesses
# that follow before those; on shared memory other warps come between words
cat >"$work/words.cu" <<'CU'
// x is there long after y and z, so accesses of other words come before those that wait for it
#define CHAIN "mad.lo.u32 x, x, x, 5; mad.lo.u32 x, x, x, 5; mad.lo.u32 x, x, x, 5; mad.lo.u32 x, x, x, 5;"
#define WORDS(SPACE, AT, INTO)                                                                     \
  asm volatile("{ .reg .b64 j; .reg .b32 i, x, w; " INTO CHAIN                                     \
               "st" SPACE ".u32 [" AT "], x; st" SPACE ".v2.u32 [" AT "], {%6, %7};"               \
               "ld" SPACE ".u32 %0, [" AT "+4]; add.u32 %0, %0, %6;" CHAIN                         \
               "st" SPACE ".u32 [" AT "+8], x; ld" SPACE ".v4.u32 {%1, %2, w, %3}, [" AT "];"      \
               "st" SPACE ".u32 [" AT "+4], %6; add.u32 %3, %3, 1; add.u32 %3, %3, w;"             \
               "st" SPACE ".v4.u32 [" AT "], {%0, w, %2, %7}; }"                                   \
               : "=&r"(r), "=&r"(s), "=&r"(t), "=&r"(u)                                            \
               : "l"(at), "r"(x), "r"(y), "r"(z)                                                   \
               : "memory")
__global__ void kernel(unsigned *p) {
  __align__(16) unsigned a[16];
  unsigned sum = 0, x = threadIdx.x, y = x + 7, z = x * 3;
  for (int k = 0; k < 16; k++)
    a[k] = k * x;
  for (int k = 0; k < 16; k++) {
    unsigned *at = a + k % 4 * 4, r = 1, s = 2, t = 3, u = 4;
    if (k < 4)
      WORDS(".local", "i", "cvta.to.local.u64 j, %4; cvt.u32.u64 i, j; mov.u32 x, %5;");
    else if (k < 8)
      WORDS("", "j", "mov.u64 j, %4; mov.u32 x, %5;");
    else if (threadIdx.x % 3)
      WORDS(".local", "i", "cvta.to.local.u64 j, %4; cvt.u32.u64 i, j; mov.u32 x, %5;");
    sum = sum * 31 + r + 3 * s + 5 * t + 7 * u;
    y = z + k, z = x ^ sum;
  }
  for (int k = 0; k < 16; k++)
    sum = sum * 31 + a[k];
  p[threadIdx.x] = sum;
}
int main() {
  unsigned *p, h[64];
  cudaMalloc(&p, sizeof h);
  kernel<<<1, 64>>>(p);
  if (cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (unsigned n = 0; n < 64; n++) {
    unsigned a[16], sum = 0, x = n, y = x + 7, z = x * 3, late = x;
    for (int k = 0; k < 4; k++)
      late = late * late + 5;
    unsigned later = late;
    for (int k = 0; k < 4; k++)
      later = later * later + 5;
    for (int k = 0; k < 16; k++)
      a[k] = k * x;
    for (int k = 0; k < 16; k++) {
      unsigned *at = a + k % 4 * 4, r = 1, s = 2, t = 3, u = 4;
      if (k < 8 || n % 3) {
        r = z + y, s = y, t = z, u = at[3] + 1 + later;
        at[0] = r, at[1] = later, at[2] = t, at[3] = z;
      }
      sum = sum * 31 + r + 3 * s + 5 * t + 7 * u;
      y = z + k, z = x ^ sum;
    }
    for (int k = 0; k < 16; k++)
      sum = sum * 31 + a[k];
    if (h[n] != sum)
      return 1;
  }
  return 0;
}
CU
cat >"$work/between.cu" <<'CU'
__global__ void kernel(unsigned *p) {
  __shared__ __align__(16) unsigned s[128];
  unsigned sum = 0, x, y, z, w, *at = s + threadIdx.x % 32 * 4;
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int k = 0; k < 20; k++) {
    if (threadIdx.x / 32 % 2) {
      asm volatile("{ .reg .b64 j; cvta.to.shared.u64 j, %0; st.shared.v4.u32 [j], {%1, %1, %1, %1}; }"
                   :
                   : "l"(at), "r"(k + threadIdx.x)
                   : "memory");
    } else {
      asm volatile("{ .reg .b64 j; cvta.to.shared.u64 j, %4; ld.shared.v4.u32 {%0, %1, %2, %3}, [j]; }"
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                   : "l"(at)
                   : "memory");
      sum += x + 3 * y + 5 * z + 7 * w;
    }
  }
  p[threadIdx.x] = sum;
}
int main() {
  unsigned *p;
  cudaMalloc(&p, 512);
  kernel<<<1, 128>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
for machine in small far-shared; do
  [[ $machine != small && ! ${MPU_LONG:-} ]] ||
    run "words of local memory" --near=lockstep --locate=near --config $machine "$work/words.cu"
  [[ $machine == small && ! ${MPU_LONG:-} ]] ||
    run "words of local memory, far" --near=lockstep --locate=far --config $machine "$work/words.cu"
  run "words of shared memory" --near=lockstep --config $machine "$work/between.cu"
done
run "words of local memory on the base die" --near=lockstep --config base-die "$work/words.cu"
run "words of shared memory on the base die" --near=lockstep --config base-die "$work/between.cu"
# queues full of RUNs: as many instructions as there can be that have not ended
cat >"$work/runs.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void kernel(int *out) {
  __shared__ volatile int s[32 * 33];
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int n = lane; n < 32 * 33; n += 32)
    s[n] = n;
  for (int n = 0; n < 8; n++) {
#pragma unroll
    for (int k = 0; k < 32; k++)
      sum += s[32 * lane + k % 2];
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  int *out, h[32];
  cudaMalloc(&out, 64 * 32 * sizeof *out);
  kernel<<<64, 32>>>(out);
  if (cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (int n = 0; n < 32; n++)
    if (h[n] != 8 * 16 * (64 * n + 1))
      return 1;
  return 0;
}
CU
run "queues full of RUNs" --near=c --config nearbank-small --set tsv.queue=256 --set tsv.down_flits=64 "$work/runs.cu"
run "RUNs with the smallest sizes" --near=c --config nearbank-small --set near.forms=2 --set tsv.queue=24 \
  --set near.packets=2 "$work/runs.cu"
# as many cycles as a number can say are no limit for a second launch either
run "the largest limit" --near=c --max-cycles 18446744073709551615 kernels/pr -- --n 512

for locate in ${MPU_LONG:+paper} near far ${MPU_LONG:+none}; do
  run "64-bit atomics without a register" --near=lockstep --locate=$locate "$work/none.cu"
done
exit $failed
