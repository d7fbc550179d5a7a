#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other times of the DRAM: the whole core in lockstep agrees, slower banks take more cycles, the default ones as many as
# without a word about them.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}
cycles() { # OPTIONS...: of axpy with a warp a unit, which opens rows and waits for what it loads; nothing when it fails
  "$MPU" run --config closed-page --stats "$work/stats" "$@" kernels/axpy -- --n 128 >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
  grep -qx 'result *pass' "$work/out" && grep -o '"cycles": [0-9]*' "$work/stats" | head -n 1 | grep -o '[0-9]*'
}
near=lockstep
[[ -e $(dirname "$MPU")/libnearrtl.so ]] || { near=c; echo "no library of verilated models beside $MPU: the twins alone"; }
usual=$(cycles --near=$near) || fail "the default times"
same=$(cycles --near=$near --set dram.tRCD=14 --set dram.CL=2 --set dram.tWA=12) || fail "the default times, said"
slow=$(cycles --near=$near --set dram.tRCD=20 --set dram.tRP=17) || fail "tRCD 20, tRP 17"
ten=(tRCD=140 tCCD=20 tRTP=40 tRP=140 tRAS=330 tRFC=3500 tREFI=39000 CL=20 CWL=20 burst=20 tWR=150 tWTR=80 tRRD=40
  tFAW=160 tSCD=10 tRA=10 tWA=120)
ten=$(cycles --near=$near "${ten[@]/#/--set=dram.}") || fail "ten times the default"
[[ $usual == "$same" ]] || fail "the default times take $usual cycles, and $same when they are said"
((usual < slow)) || fail "tRCD 20, tRP 17: $slow cycles, with the default times $usual"
((slow < ten)) || fail "ten times the default: $ten cycles, with tRCD 20 and tRP 17 $slow"
((failed)) && exit 1
echo "axpy, $near: $usual cycles with the default times, $slow with slow rows, $ten with ten times the default"
