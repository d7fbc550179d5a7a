#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a terminal one line says how far a launch is, and is gone at the end; elsewhere there is none.
. tb/cli/terminal.sh
set -uo pipefail
command -v script >/dev/null || { echo "script (util-linux) is missing"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
say() {
  echo "FAILED: $1"
  head -c 400 "$work/seen" | cat -v
  failed=1
}
# 8 blocks of some 400 k cycles, one after the other: each takes all of shared memory
cat >"$work/turns.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  extern __shared__ int s[];
  for (int n = 0; n < 8000; n++)
    s[threadIdx.x] = p[threadIdx.x];
}
int main() {
  int *p;
  cudaMalloc(&p, 256);
  kernel<<<8, 64, 65536>>>(p);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
CU
terminal() { # TERM OPTIONS...
  TERM=$1 script -qec "stty cols ${columns:-80}; $MPU run ${*:2} --near=c $work/turns.cu" /dev/null </dev/null >"$work/seen" 2>&1
}
line=$'\r\e\\[K_Z6kernelPVi: [0-9.]+ [kM] cycles, [0-9.]+ [kM] cycles/s, [0-8] of 8 blocks'
if has_terminals; then
  terminal xterm || say "exit status on a terminal"
  grep -qE "$line" "$work/seen" || say "no line on a terminal"
  grep -qE "$line, 0:0[0-9]:[0-5][0-9] left" "$work/seen" || say "the time that is left is not said"
  # cycles and blocks only grow, and the last thing drawn is nothing
  tr '\r' '\n' <"$work/seen" | grep -oE '[0-8] of 8 blocks' | sort -c || say "blocks go backwards"
  tr '\r' '\n' <"$work/seen" | grep -a $'^\e' | tail -n 1 | grep -qE $'^\e\\[K(program.*)?$' || say "the line stays"
  columns=30 terminal xterm
  tr '\r' '\n' <"$work/seen" | sed -n $'s/^\e\\[K//p' | awk 'length > 29 { exit 1 }' || say "longer than the terminal is wide"
  terminal dumb
  ! grep -q 'cycles/s,' "$work/seen" || say "a line on a dumb terminal"
  terminal xterm --quiet
  [[ ! -s $work/seen ]] || say "something with --quiet"
fi
"$MPU" run --near=c "$work/turns.cu" 2>"$work/seen" >"$work/out"
[[ ! -s $work/seen ]] || say "something in a pipe"
grep -q '^cycles ' "$work/out" || say "no report"
exit $failed
