#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# However a run ends, its timeline is whole JSON: faults, limits, signals; a disk that is full keeps what came before.
set -uo pipefail
. tb/inspect/timeline/common.sh
cat >"$work/ends.cu" <<'CU'
#include <stdio.h>
__global__ void good(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void bad(volatile int *p, int what) {
  for (int k = 0; k < 20; k++)
    p[threadIdx.x] += k;
  if (what == 1 && threadIdx.x == 37)
    p[100000000] = 2;
  while (what == 2 && p[threadIdx.x] != 7)
    ;
}
int main(int argc, char **argv) {
  const int what = atoi(argv[1]);
  int *p;
  for (int k = 0; k < 2; k++) {
    cudaMalloc(&p, 65536);
    cudaMemset(p, 0, 65536);
    good<<<8, 64>>>(p);
    puts("now"), fflush(stdout);
    bad<<<8, 64>>>(p, what);
    cudaDeviceSynchronize();
    if (what == 1)
      cudaDeviceReset();
  }
  return 0;
}
CU
ends() { # STATUS OPTIONS...: on one core and on four
  local config
  for config in small "$four"; do
    draw now --near=c --config "$config" "${@:2}"
    status=$?
    [[ $status == "$1" ]] || fail "${*:2}: exit status $status, not $1"
    good "$work/now.json" "$work/now.stats" || fail "${*:2} on $config"
  done
}
# two faults, and launches behind them
ends 3 "$work/ends.cu" -- 1
[[ $(grep -c '"name":"_Z[34]\(good\|bad\)[^"]*","args":{"cycle"' "$work/now.json") == 4 ]] || fail "not four launches"
grep -q '"lanes":.*"cut":"launch"\|"cut":"launch".*"lanes":' "$work/now.json" || fail "no instruction that a fault ended"
ends 3 --max-cycles 3000 "$work/ends.cu" -- 2
ends 0 "$work/ends.cu" -- 0
cp "$work/now.json" "$work/whole.json"

# signals: the file has all until then
cut_short() { # SIGNAL STATUS
  local pid status
  : >"$work/out"
  rm -f "$work/now.json"
  "$MPU" run -q --near=c --config "$four" --timeline "$work/now.json" --stats "$work/now.stats" --timeline-window 200: \
    "$work/ends.cu" -- 2 >"$work/out" 2>"$work/err" &
  pid=$!
  wait_for longer_than 1000000 "$work/now.json.part" || fail "SIG$1: no timeline"
  kill -s "$1" $pid
  wait $pid
  status=$?
  [[ $status == "$2" ]] || fail "SIG$1: exit status $status, not $2"
  good "$work/now.json" || fail "SIG$1"
}
cut_short INT 130
grep -q '"cut":"launch"' "$work/now.json" || fail "SIGINT: nothing is said to be cut"
cut_short TERM 130

# no room: the report stands; lines are whole as far as there is room, in a file of another name. At these sizes no slice
# stands there without its parts, which are lines of their own.
size=$(stat -c %s "$work/whole.json")
for blocks in 1 2 3 10 60 280 $((size / 1024)) $((size / 1024 + 1)); do
  (
    trap '' XFSZ
    ulimit -f $blocks
    rm -f "$work/now.json"
    draw now --near=c --config "$four" "$work/ends.cu" -- 0
  )
  status=$?
  ((status == (blocks * 1024 >= size ? 0 : 2))) || fail "room for $blocks KB: it ends with $status"
  if ((blocks * 1024 >= size)); then
    good "$work/now.json" || fail "room for $blocks KB"
    cmp "$work/now.json" "$work/whole.json" || fail "it is not whole"
    [[ ! -s $work/err ]] || fail "room for all: something is said"
  else
    [[ ! -e $work/now.json ]] || fail "room for $blocks KB: what is not whole has the name"
    good "$work/now.json.part" || fail "room for $blocks KB"
    [[ $(grep -c "^mpu: cannot write '$work/now.json': File too large; '$work/now.json.part' has what ended before cycle [0-9]*, and some" \
      "$work/err") == 1 ]] || fail "room for $blocks KB: not said"
    kept=$(stat -c %s "$work/now.json.part")
    ((kept <= blocks * 1024 && kept > blocks * 1024 - 1024)) || fail "room for $blocks KB: $kept bytes"
    cmp -s <(head -c $((kept - 5)) "$work/now.json.part") <(head -c $((kept - 5)) "$work/whole.json") ||
      fail "room for $blocks KB: something else than the whole file has"
  fi
done
"$MPU" run -q --near=c --timeline /dev/full "$work/ends.cu" -- 0 >"$work/out" 2>"$work/err"
[[ $? == 2 ]] || fail "/dev/full: exit status"
said "mpu: cannot write '/dev/full': No space left on device; nothing of the timeline is kept"
# a pipe
"$MPU" run -q --near=c --config "$four" --timeline >(cat >"$work/piped.json") "$work/ends.cu" -- 0 >"$work/out" 2>"$work/err" || fail "a pipe"
wait_for cmp -s "$work/piped.json" "$work/whole.json"
cmp "$work/piped.json" "$work/whole.json" || fail "what goes through a pipe is something else"

# a program that does nothing
echo '__global__ void kernel() {} int main() { return 0; }' >"$work/nothing.cu"
echo old >"$work/nothing.json"
"$MPU" run -q --near=c --timeline "$work/nothing.json" "$work/nothing.cu" >"$work/out" 2>"$work/err" || fail "nothing"
good "$work/nothing.json"
exit $failed
