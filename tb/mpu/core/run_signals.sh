#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM in the middle of a kernel, and between kernels: the run ends with the report of what was
# done until then, and exit status 130.
set -uo pipefail
. tb/cli/wait.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/endless.cu" <<'CU'
__global__ void kernel(volatile int *p) {
  while (p[threadIdx.x] == 0)
    ;
}
int main(int argc, char **argv) {
  int *p, h[64];
  for (int n = 0; n < 64; n++)
    h[n] = argc > 1;
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  if (argc == 1)
    puts("now"), fflush(stdout);
  kernel<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  if (argc == 1)
    puts("never"), fflush(stdout);
  for (puts("now"), fflush(stdout);;)
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
}
CU
said_or_gone() { grep -q "^now$" "$work/out" || gone "$1"; }
check() { # MODE SIGNAL [ARGUMENT]
  local pid status
  rm -f "$work/stats"
  : >"$work/out"
  "$MPU" run --near=$1 --stats "$work/stats" "$work/endless.cu" -- "${@:3}" >"$work/out" 2>"$work/err" &
  pid=$!
  wait_for said_or_gone $pid
  wait_for_work $pid 50
  kill -s "$2" $pid
  wait $pid
  status=$?
  say() {
    printf 'FAILED: --near=%s, SIG%s%s: %s\n' "$1" "$2" "${3:+ between kernels}" "$4"
    head -n 5 "$work/err"
    failed=1
  }
  [[ $status == 130 ]] || say "$1" "$2" "${3:-}" "exit status $status"
  grep -q '"core": {.*"issued": [1-9]' "$work/stats" || say "$1" "$2" "${3:-}" "no statistics"
  grep -q '^cycles  *[1-9]' "$work/out" || say "$1" "$2" "${3:-}" "no report"
  ! grep -q never "$work/out" || say "$1" "$2" "" "the program went on"
  [[ ${3:-} ]] || grep -q 'warp 0 is at kernel _Z6kernelPVi, pc 0x.*endless.cu:2' "$work/err" ||
    say "$1" "$2" "" "where the warps are is not said"
}
check c INT
check c TERM
check c INT argument
check lockstep INT
exit $failed
