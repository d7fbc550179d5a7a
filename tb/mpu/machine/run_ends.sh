#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Faults, a deadlock, a limit and signals on 128 cores: what is said, report, exit status, the same for any number of threads.
set -uo pipefail
. tb/mpu/machine/same.sh
. tb/mpu/machine/classes.sh
. tb/cli/wait.sh
cat >"$work/ends.cu" <<'CU'
#include <string.h>
__global__ void kernel(int *p, int what, int who) {
  int me = blockIdx.x;
  if (what == 0 && me >= who && threadIdx.x == 37)  // other cores at the same time, or later
    p[(me - who) * 64 + 100000] = 1;
  if (what == 1 && me == who) {
    if (threadIdx.x < 32)
      asm volatile("bar.sync 1, 64;");
    else
      asm volatile("bar.sync 2, 64;");
  }
  while (what == 2 && ((volatile int *)p)[me] == 0)
    ;
  if (what == 3 && me == who && p[threadIdx.x] == 0)
    asm volatile("trap;");
  p[me * 64 + threadIdx.x] = what;
}
int main(int argc, char **argv) {
  int *p;
  cudaMalloc(&p, 128 * 256);
  cudaMemset(p, 0, 128 * 256);
  puts("now"), fflush(stdout);
  kernel<<<128, 64>>>(p, atoi(argv[1]), atoi(argv[2]));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
adds_up() { # WHAT
  local said
  said=$(classes "$work/stats")
  [[ ! $said ]] || { fails "$1: cycles of subcores do not add up"; head -n 3 <<<"$said"; }
}
# ends STATUS "OPTIONS" "ARGUMENTS" TEXT...
ends() {
  local n status text
  for n in 1 2 5; do
    rm -f "$work/stats"
    timeout 600 "$MPU" run -q --config paper --threads $n $2 --stats "$work/stats" "$work/ends.cu" -- $3 >"$work/out" 2>&1 </dev/null
    status=$?
    [[ $status == "$1" ]] || fails "$2 $3, $n threads: exit status $status, not $1"
    grep -q '"each": .*"cycles": [0-9]' "$work/stats" || fails "$2 $3, $n threads: no report"
    for text in "${@:4}"; do grep -qF -- "$text" "$work/out" || fails "$2 $3, $n threads: this is not said: $text"; done
    { cat "$work/out"; sed -E 's/"(host_seconds|cpu_seconds|host_memory|core_cycles_per_second)": [^,]*, //g' "$work/stats"; } >"$work/of$n"
    [[ $n != 1 ]] || adds_up "$2 $3"
    [[ $n == 1 ]] || cmp "$work/of1" "$work/of$n" || fails "$2 $3: $n threads: something else"
  done
}
for mode in c lockstep; do
  ends 3 --near=$mode "0 77" "block (77,0,0) thread (37,0,0) writes 4 bytes at global address 0x" "ends.cu:5"
  ends 3 --near=$mode "1 93" "deadlock in block (93,0,0)" "warp 0 waits at barrier 1" "warp 1 waits at barrier 2" "ends.cu:8" "ends.cu:10"
  ends 3 --near=$mode "3 5" "block (5,0,0) thread (0,0,0) executed a trap"
done
ends 3 "--near=c --max-cycles 5000" "2 0" "took more than 5000 cycles" "core 0:" "block (0,0,0) warp 0 is at kernel"
ends 0 --near=c "4 0"

said_or_gone() { grep -q "^now$" "$work/out" || gone "$1"; }
signal() { # MODE SIGNAL THREADS
  local pid status
  rm -f "$work/stats"
  : >"$work/out"
  "$MPU" run --config paper --near=$1 --threads $3 --stats "$work/stats" "$work/ends.cu" -- 2 0 >"$work/out" 2>&1 &
  pid=$!
  wait_for said_or_gone $pid
  wait_for_work $pid
  kill -s "$2" $pid
  wait $pid
  status=$?
  [[ $status == 130 ]] || fails "$*: exit status $status"
  grep -q '"core": {.*"issued": [1-9]' "$work/stats" || fails "$*: no statistics"
  grep -q '^cycles  *[1-9]' "$work/out" || fails "$*: no report"
  grep -q 'warp 0 is at kernel' "$work/out" || fails "$*: where the warps are is not said"
  adds_up "$*"
}
signal c INT 1
signal c TERM 3
signal lockstep INT 2
exit $failed
