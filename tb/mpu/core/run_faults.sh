#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs at fault: what is said names kernel, warp, lane, pc and source line, there is a report all the
# same, and the exit status is 3.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
modes="c lockstep"

program() { # NAME, the kernel on stdin; it has one parameter, 64 words that hold 0 to 63
  {
    cat
    cat <<'CU'
int main(int argc, char **argv) {
  int h[64], *p;
  for (int n = 0; n < 64; n++)
    h[n] = n;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  kernel<<<argc > 3 ? atoi(argv[3]) : 1, argc > 1 ? atoi(argv[1]) : 64, argc > 2 ? atoi(argv[2]) : 0>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
  } >"$work/$1.cu"
}

# fault NAME[@OPTIONS] ARGUMENTS TEXT...: each TEXT is in what is said
fault() {
  local name=${1%%@*} options=() arguments mode text status
  [[ $1 != *@* ]] || read -ra options <<<"${1#*@}"
  read -ra arguments <<<"$2"
  shift 2
  for mode in $modes; do
    rm -f "$work/stats"
    timeout 900 "$MPU" run -q --near=$mode "${options[@]}" --stats "$work/stats" "$work/$name.cu" -- \
      "${arguments[@]}" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [[ $status == 3 ]] || say "exit status $status, not 3"
    grep -q '"core": {.*"cycles": [0-9]' "$work/stats" || say "no report"
    grep -q '"end": "fault"' "$work/stats" || say "the report does not call it a fault"
    for text in "$@"; do
      grep -qF -- "$text" "$work/err" || say "this is not said: $text"
    done
  done
}
say() {
  printf 'FAILED: %s %s --near=%s: %s\n' "$name" "${options[*]}" $mode "$1"
  head -n 3 "$work/err"
  failed=1
}

program address <<'CU'
__global__ void kernel(int *p) {
  if (threadIdx.x >= 40)
    p[threadIdx.x + 24] = 1;
}
CU
fault address "" "block (0,0,0) thread (40,0,0) writes 4 bytes at global address 0x" \
  "the nearest allocation has 256 bytes" "in warp 1 lane 8 at kernel _Z6kernelPi, pc 0x" "address.cu:3"
modes=rtl fault address "" "in warp 1 lane 8 at kernel _Z6kernelPi, pc 0x" "address.cu:3"

program aligned <<'CU'
__global__ void kernel(int *p) {
  if (blockIdx.x == 1 && threadIdx.x == 35)
    *(long long *)(p + 1) = 1;
}
CU
fault aligned "64 0 2" "block (1,0,0) thread (35,0,0) writes 8 bytes at global address 0x" \
  "is not a multiple of 8" "in warp 1 lane 3 at kernel _Z6kernelPi, pc 0x" "aligned.cu:3"

# near: the addresses are in near registers, shared memory itself finds the fault
program shared <<'CU'
__global__ void kernel(int *p) {
  __shared__ int s[64];
  int at = p[threadIdx.x];
  s[at] = at;
  __syncthreads();
  p[threadIdx.x] = s[at < 32 ? at * 3 - 2 : at];
}
CU
# two of the ways to shared memory here, the other two below; with MPU_LONG all four each time
for options in "--locate=near" ${MPU_LONG:+"--locate=far" "--config far-shared"} "--config base-die"; do
  case $options in --locate=near) where=.N ;; --locate=far) where=.F ;; *) where= ;; esac
  fault "shared@$options" "" "thread (0,0,0) reads 4 bytes at shared address 0x" "the shared space has 256 bytes" \
    "in warp 0 lane 0 at kernel _Z6kernelPi, pc 0x" "shared.cu:6" "ld.shared.b32$where"
done
program shared2 <<'CU'
__global__ void kernel(int *p) {
  __shared__ char s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  *(int *)(s + p[threadIdx.x] * (threadIdx.x == 37 ? 1 : 4)) = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x];
}
CU
for options in ${MPU_LONG:+"--locate=near"} "--locate=far" "--config far-shared" ${MPU_LONG:+"--config base-die"}; do
  case $options in --locate=near) where=.N ;; --locate=far) where=.F ;; *) where= ;; esac
  fault "shared2@$options" "" "thread (37,0,0) writes 4 bytes at shared address 0x25, which is not" \
    "in warp 1 lane 5 at kernel _Z6kernelPi, pc 0x" "shared2.cu:5" "st.shared.b32$where"
done

program barrier <<'CU'
__global__ void kernel(int *p) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;");
  else
    asm volatile("bar.sync 2, 64;");
  p[threadIdx.x] = 1;
}
CU
fault barrier "" "deadlock in block (0,0,0)" "warp 0 waits at barrier 1" "warp 1 waits at barrier 2" \
  "kernel _Z6kernelPi, pc 0x" "barrier.cu:3" "barrier.cu:5"

# what is wrong with a barrier is found when the warp arrives there: no difference of models
program count <<'CU'
__global__ void kernel(int *p) {
  asm volatile("bar.sync 1, 128;");
  p[threadIdx.x % 64] = 1;
}
CU
fault count 96 "names 128 threads for barrier 1, the block has 96" "kernel _Z6kernelPi, pc 0x" "count.cu:2"
program number <<'CU'
__global__ void kernel(int *p) {
  asm volatile("bar.sync %0;" ::"r"(p[16]));
  p[threadIdx.x] = 1;
}
CU
fault number "" "names barrier 16, there are 0 to 15" "number.cu:2"
program again <<'CU'
__global__ void kernel(int *p) {
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;");
    asm volatile("bar.sync 1, 96;");
  }
  p[threadIdx.x % 64] = 1;
}
CU
fault again 96 "names 96 threads for barrier 1 where other warps named 64" "again.cu:4"

# constant memory: its loads are executed when the core does them
program constant <<'CU'
__constant__ int table[4] = {1, 2, 3, 4};
__global__ void kernel(int *p) {
  p[threadIdx.x] = table[p[threadIdx.x] * (threadIdx.x == 33 ? 1000 : 0)];
}
CU
fault constant "" "thread (33,0,0) reads 4 bytes at const address 0x" "the const space has 16 bytes" "constant.cu:3"

program trap <<'CU'
__global__ void kernel(int *p) {
  if (p[threadIdx.x] == 63)
    asm volatile("trap;");
}
CU
fault trap "" "thread (63,0,0) executed a trap" "in warp 1 lane 31 at kernel _Z6kernelPi, pc 0x" "trap.cu:3"

program endless <<'CU'
__global__ void kernel(int *p) {
  if (threadIdx.x >= 32)
    while (*(volatile int *)p == 0)
      ;
}
CU
fault "endless@--max-cycles 20000" "64 0 2" "the launch of _Z6kernelPi took more than 20000 cycles" \
  "block (0,0,0) warp 1 is at kernel _Z6kernelPi, pc 0x" "endless.cu:3" "block (1,0,0) warp 1 is at"

# what does not fit a core, at first, then in smaller ones
program fits <<'CU'
extern __shared__ int s[];
__global__ void kernel(int *p) {
  int a[24];
#pragma unroll
  for (int n = 0; n < 24; n++)
    a[n] = p[(threadIdx.x + n) % 64];
  __syncthreads();
#pragma unroll
  for (int n = 0; n < 24; n++)
    p[(threadIdx.x * 3 + n) % 64] = a[n] * a[(n + 5) % 24];
  s[threadIdx.x] = 1;
}
CU
"$MPU" run -q --near=c "$work/fits.cu" -- 256 1024 || { echo "FAILED: what fits is executed"; failed=1; }
"$MPU" run -q --near=c "$work/fits.cu" -- 256 65536 || { echo "FAILED: all of shared memory"; failed=1; }
fault fits "256 65537" "kernel _Z6kernelPi: 65537 bytes of shared memory a block, there are 65536"
fault fits "1024 4096" "kernel _Z6kernelPi: it uses " "registers a thread; with blocks of 1024 threads" \
  "compile with --maxregs="
# what no machine could execute
fault fits "4096 0" "kernel _Z6kernelPi: a block of 4096 x 1 x 1 threads; 1 to 1024 are possible"
fault fits "64 0 0" "kernel _Z6kernelPi: a grid of 0 x 1 x 1 blocks"
# in C alone: in lockstep Verilog of these sizes would be built first
printf 'base: small\nshared:\n  bytes: 960\n' >"$work/shared.yaml"
modes=c fault "fits@--config $work/shared.yaml" "256 1024" "1024 bytes of shared memory a block, there are 960"
printf 'base: small\ncore:\n  near_rf_bytes: 2048\n' >"$work/near.yaml"
modes=c fault "fits@--config $work/near.yaml" "256 1024" "near registers a thread; with blocks of 256 threads 8 fit"
printf 'base: small\ncore:\n  far_rf_bytes: 1024\n' >"$work/far.yaml"
fault "fits@--locate=far --config $work/far.yaml" "64 1024" "far registers a thread; with blocks of 64 threads 8 fit"
printf 'base: small\ncore:\n  warp_slots: 1\n' >"$work/slots.yaml"
fault "fits@--config $work/slots.yaml" "160 1024" "a block of 160 threads has 5 warps, a core has room for 4"
exit $failed
