#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Timeline and waves of a run tell the same story: 1000 random events of the one are in the other, at the same cycle.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check=$(dirname "$MPU")/tb/check_timeline_vs_wave
failed=0
seed=${SEED:-$RANDOM}
story() { # name, options of mpu run, --, program and arguments
  local name=$1
  shift
  "$MPU" run -q --timeline "$work/t.json" --wave "$work/t.fst" "$@" >"$work/out" 2>&1 || { echo "FAILED: $name"; cat "$work/out"; failed=1; return; }
  fst2vcd -f "$work/t.fst" -o "$work/t.vcd"
  "$check" "$work/t.json" "$work/t.vcd" "$seed" 1000 >"$work/said" && return
  echo "FAILED: $name (SEED=$seed)"
  head -n 20 "$work/said"
  failed=1
}
story "Verilog" --near=rtl --timeline-window 0:3000 --wave-window 0:3000 kernels/hist -- --n 8192
story "twins" --near=c --timeline-window 0:3000 --wave-window 0:3000 kernels/hist -- --n 8192
story "in the middle" --near=lockstep --timeline-window 1234:2345 --wave-window 1200:2400 kernels/axpy -- --n 20000
story "cores of many" --near=c --rtl-core 5 --config paper --threads 2 --timeline-cores 5,77 --wave-scope 'core5,core77' \
  --timeline-window 0:800 --wave-window 0:800 kernels/axpy -- --n 200000
# the check notices: the waves of another run
"$MPU" run -q --near=c --timeline "$work/t.json" --timeline-window 0:2000 kernels/hist -- --n 8192 >"$work/out" 2>&1
"$MPU" run -q --near=c --wave "$work/t.fst" --wave-window 0:2000 kernels/axpy -- --n 4096 >"$work/out" 2>&1
fst2vcd -f "$work/t.fst" -o "$work/t.vcd"
"$check" "$work/t.json" "$work/t.vcd" "$seed" 1000 >"$work/said" && { echo "FAILED: waves of another run are taken"; failed=1; }
exit $failed
