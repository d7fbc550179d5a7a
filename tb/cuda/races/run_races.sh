#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu run --races: which programs have one, in which array, at which lines; what does not count; what ends otherwise.
set -uo pipefail
. tb/cli/expect.sh
racy=tb/cuda/races/racy.cu waits=tb/cuda/races/waits.cu
line() { grep -n "$1" $racy | head -n 1 | cut -d: -f1; }

# races STATUS KIND TEXT...: each TEXT is said
races() {
  local status=$1 kind=$2 got text
  shift 2
  timeout 300 "$MPU" run --races 6 --races-out "$work/json" "${source:-$racy}" -- $kind >"$work/said" 2>&1 </dev/null
  got=$?
  [[ $got == "$status" ]] || fail "$kind: status $got, not $status"
  for text in "$@"; do
    grep -qF -- "$text" "$work/said" || fail "$kind: this is not said: $text"
  done
  python3 -m json.tool "$work/json" >/dev/null || fail "$kind: the file is not JSON"
  ((!failed)) || head -n 12 "$work/said"
}

none="None of 6 random orders differs from the default order"
races 0 reduce "$none"
races 0 atomic "$none"
races 0 histogram-atomic "$none"
races 0 say "$none" "the same lines in another order"
source=$waits races 0 lock "$none"
source=$waits races 0 grid "$none"
source=$waits races 0 earlier "$none"

out="d_out, allocated at racy.cu:$(line '// d_out')"
races 1 unsynchronised "$out" "written by reduce at racy.cu:$(line '// sums')" "device memory differs after launch 1, reduce" \
  "random orders differ from the default order" "output differs from line 1 on"
races 1 plain "  total: " "written by count_plain at racy.cu:$(line '// plain')"
races 1 histogram "$out" "written by histogram at racy.cu:$(line '// bin$')"
grep -q '"float_atomics": true' "$work/json" && fail "histogram: no float is there"
races 1 float "  sum: " "written by atomics on floats" "(near racy.cu:$(line '// float'))"
grep -q '"float_atomics": true' "$work/json" || fail "float: the file does not say it"
[[ $("$MPU" run --races 6 $racy -- float 2>&1) == "$(cat "$work/said")" ]] || fail "the second time it is something else"

# two launches: the first one that differs, and the writers of the bytes; the host's write counts as the host's
cat >"$work/two.cu" <<'CU'
#include <cstdio>
__device__ volatile int turn;
__global__ void before(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void mark(int *p) {
  if (threadIdx.x == 0) {
    turn = -1;
    turn = blockIdx.x;  // mark
  }
}
__global__ void spread(int *p, int *q) {
  p[64] = turn;
  q[0] = 1;
}
int main() {
  int *p, *q, n = 5;
  cudaMalloc(&p, 400);
  cudaMalloc(&q, 400);
  before<<<1, 32>>>(p);
  mark<<<64, 64>>>(p);
  cudaMemcpy(q, &n, 4, cudaMemcpyHostToDevice);
  spread<<<1, 1>>>(p, q);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
source=$work/two.cu races 1 "" "device memory differs after launch 2, mark" "  turn: " "written by mark at two.cu:$(grep -n '// mark' "$work/two.cu" | cut -d: -f1)"
grep -q "spread" "$work/said" && fail "a later launch is named"

cat >"$work/maybe.cu" <<'CU'
__device__ volatile int first;
__global__ void maybe(int *p) {
  if (blockIdx.x == 0)
    first = 1;
  else if (!first)
    p[blockIdx.x] = 1;  // maybe
}
int main() {
  int *p;
  cudaMalloc(&p, 400);
  cudaMemset(p, 0, 400);
  maybe<<<64, 32>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
source=$work/maybe.cu races 1 "" "default        0x00000000, not written by a kernel since the host last wrote it" \
  "0x00000001, written by maybe at maybe.cu:$(grep -n '// maybe' "$work/maybe.cu" | cut -d: -f1) in launch 1"

# an atomic that changes nothing has written nothing
cat >"$work/cas.cu" <<'CU'
__device__ int winner;
__global__ void cas() {
  const int old = atomicCAS(&winner, 0, 1 + blockIdx.x);  // first
  if (old)
    atomicCAS(&winner, 0, 1000);  // second
}
int main() {
  cas<<<64, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
source=$work/cas.cu races 1 "" "  winner: " "(near cas.cu:$(grep -n '// first' "$work/cas.cu" | cut -d: -f1))"
grep -q "near cas.cu:$(grep -n '// second' "$work/cas.cu" | cut -d: -f1)" "$work/said" && fail "a failed compare-and-swap is a writer"

# a fault in some orders only; other launches
cat >"$work/ends.cu" <<'CU'
__device__ volatile int first;
__global__ void fault(int *p) {
  if (blockIdx.x == 0)
    for (int n = 0; n < 300; n++)
      first = first + (first < 3);
  else if (first < 3)
    p[1 << 20] = 1;
}
__global__ void again() {}
__global__ void order(int *p) { *(volatile int *)p = blockIdx.x; }
int main(int argc, char **argv) {
  int *p, n = 0;
  cudaMalloc(&p, 4);
  if (argc > 1) {
    order<<<64, 32>>>(p);
    cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost);
    return n & 1 ? 3 : 0;
  }
  fault<<<2, 32>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CU
source=$work/ends.cu races 1 "" "launch 1, fault, fails, not so in the default order" "exit status 1, in the default order exit status 0"
source=$work/ends.cu races 1 status "  p, allocated at ends.cu:" "exit status 0, in the default order exit status 3"

# what depends on the time
cat >"$work/time.cu" <<'CU'
#include <cstdio>
#include <time.h>
__global__ void put(long *p, long v) { *p = v; }
int main(int argc, char **argv) {
  long *p;
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  cudaMalloc(&p, 8);
  put<<<1, 1>>>(p, argc > 1 ? t.tv_nsec : 1);
  cudaDeviceSynchronize();
  printf("%ld\n", t.tv_nsec);
  return 0;
}
CU
source=$work/time.cu races 0 "" "The output was not compared"
expect "two runs in the same order differ, first after launch 1, put" "$MPU" run --races 2 "$work/time.cu" -- memory

printf 'int main() { return 4; }\n' >"$work/nothing.cu"
expect "the program launches no kernel (exit status 4)" "$MPU" run --races 2 "$work/nothing.cu"
leftover=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -user "$(id -u)" -name 'mpu-races-*' -newer "$work/two.cu" 2>/dev/null)
[[ ! $leftover ]] || fail "files are left behind: $leftover"

for n in 0 x -1 10001; do
  expect "--races takes a number" "$MPU" run --races=$n $racy
done
for other in --stats=s --near=c --near=lockstep --schedule=round-robin --trace=t --retire=r --arrays --count-bytes --checkpoint=c --device=card; do
  expect "--races runs the functional machine many times" "$MPU" run --races 2 $other $racy
done
expect "--races runs the functional machine many times" "$MPU" debug --races 2 $racy
expect "--races-out needs --races" "$MPU" run --near=none --races-out "$work/o" $racy
expect "for the functional machine" env MPU_NEAR=none "$MPU" run --near=none --set core.warp_slots=4 $racy
[[ ! $(MPU_NEAR=lockstep "$MPU" needs run --races 2 $racy) ]] || fail "--races needs Verilog"
exit $failed
