#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Calls that cannot be inlined: recursion, pointers to functions and virtual functions, against the host's results; faults of
# the stack and of pointers; the code's size. Random programs: SEEDS="7 8" repeats some, MPU_LONG=1 tries more of them.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 2
here=tb/cuda/calls
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; tail -n 20 "$work/out"; failed=1; }

# ---- a program of all kinds of calls, with the options that change the code
for level in -O0 -O2; do
  "$MPU" cc $level $here/directed.cu -o "$work/directed" >"$work/out" 2>&1 && "$work/directed" >"$work/out" 2>&1 ||
    fail "$here/directed.cu $level"
done
for options in '--locate=cost --near-predicates --reorder' '--maxregs=8' '--dies=base-die'; do
  MPU_COMPILE=" $options" "$work/directed" >"$work/out" 2>&1 || fail "$here/directed.cu with $options"
done
MPU_NEAR=c "$work/directed" >"$work/out" 2>&1 || fail "$here/directed.cu, cycle by cycle"
if [[ ${MPU_LONG:-} ]]; then
  MPU_NEAR=lockstep "$work/directed" >"$work/out" 2>&1 || fail "$here/directed.cu in lockstep"
fi

# ---- random programs
seeds=${SEEDS:-1 5}
[[ ! ${MPU_LONG:-} ]] || seeds=${SEEDS:-$(seq 1 40)}
for seed in $seeds; do
  bash $here/random.sh "$seed" >"$work/random.cu"
  for level in -O0 -O2; do
    "$MPU" cc $level "$work/random.cu" -o "$work/random" >"$work/out" 2>&1 && "$work/random" >"$work/out" 2>&1 ||
      fail "random programs $level: SEEDS=$seed bash $here/run_calls.sh"
  done
done

# ---- faults
if ! "$MPU" cc $here/faults.cu -o "$work/faults" >"$work/out" 2>&1; then
  fail "$here/faults.cu"
  exit 1
fi
wrong() { # MODE NAME PATTERN...: the message has each of them
  local mode=$1 name=$2 pattern
  shift 2
  MPU_NEAR=$mode "$work/faults" "$name" >"$work/out" 2>&1 || fail "$here/faults.cu: $name ($mode)"
  for pattern; do
    grep -qF -- "$pattern" "$work/out" || fail "$name ($mode): the message lacks '$pattern'"
  done
}
for mode in none c; do
  wrong $mode overflow 'block (1,0,0) thread (5,0,0) writes' 'with a stack of 1024' 'cudaLimitStackSize' \
    'kernel _Z8overflowPii, function _Z4deepiPi' 'faults.cu:'
  wrong $mode null 'block (0,0,0) thread (3,0,0) called through a pointer that is not the address of a function' 'faults.cu:'
  wrong $mode data 'called through a pointer that is not'
  wrong $mode type 'called through a pointer that is not'
  wrong $mode pure 'called through a pointer that is not'
done
exit $failed
