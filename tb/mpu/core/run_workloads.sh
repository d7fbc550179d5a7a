#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every workload on one core, its near side in C, in Verilog, and in both with the functional machine beside them:
# the program's own check passes, and cycles and all counters are the same in the three.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
one() { # kernel arguments...
  local m
  for m in c rtl lockstep; do
    if ! "$MPU" run -q --near=$m --stats "$work/$m" "kernels/$1" -- "${@:2}" >"$work/out" 2>&1; then
      printf 'FAILED: mpu run --near=%s kernels/%s -- %s\n' $m "$1" "${*:2}"
      tail -n 5 "$work/out"
      failed=1
      return
    fi
    # but for what depends on the mode and on the host
    sed -E 's/"near": "[a-z]*", //;s/"(agree|host_(seconds|memory)|cpu_seconds|core_cycles_per_second)": [^,]*, //g' "$work/$m" >"$work/$m.same"
  done
  for m in rtl lockstep; do
    cmp -s "$work/c.same" "$work/$m.same" && continue
    echo "FAILED: $1: other counters with --near=$m than with --near=c"
    diff <(tr ',' '\n' <"$work/c.same") <(tr ',' '\n' <"$work/$m.same") | head -n 10
    failed=1
  done
  printf '%-8s %s\n' "$1" "$(grep -o '"cycles": [0-9]*' "$work/c" | head -n 1)"
}
mapfile -t workloads <tb/mpu/core/workloads.txt
for w in "${workloads[@]}"; do one $w; done
exit $failed
