#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Memory that host and device share, recursion and host threads on other machines than the functional one: cycle by cycle, in
# Verilog, and on a card.
set -u
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
build() { # SOURCE
  "$MPU" cc "$1" -o "$work/$(basename "$1" .cu)" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
}
run() { # PROGRAM SETTING...
  local name=$1 rounds=
  shift
  [[ $name != threads ]] || rounds=100
  env MPU_QUIET=1 "$@" timeout 300 "$work/$name" $rounds >"$work/out" 2>&1 && return
  echo "FAILED: $* $name"
  tail -n 20 "$work/out"
  failed=1
}
card=$(dirname "$MPU")/libnearcard.so
for program in pinned managed api_more threads; do
  build tb/cuda/runtime/cu/$program.cu
  run $program MPU_NEAR=c
  [[ ! -e $card ]] || run $program MPU_NEAR=c MPU_DEVICE=card
done
build tb/cuda/calls/directed.cu
[[ ! -e $card ]] || run directed MPU_NEAR=c MPU_DEVICE=card
build tb/cuda/runtime/cu/intrinsics.cu
run intrinsics MPU_NEAR=lockstep
run pinned MPU_NEAR=lockstep
# a checkpoint has what kernels wrote into pinned memory
again() { # COMMAND OPTION...
  "$MPU" "$@" >"$work/out" 2>&1 && return
  echo "FAILED: pinned, mpu $1 with a checkpoint"
  tail -n 20 "$work/out"
  failed=1
}
again run -q --near=c --checkpoint "$work/checkpoint" "$work/pinned" -- quiet
again resume "$work/checkpoint"
exit $failed
