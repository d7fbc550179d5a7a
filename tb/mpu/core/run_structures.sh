#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole core in lockstep with other sizes below the TSVs: the Verilog is built for each on demand, programs are right,
# twins and Verilog agree, and the sizes make a difference. One structure has all sizes that differ together; with MPU_LONG two
# others and a second program too. A size that nobody can build is refused before anything runs.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() {
  echo "structures: $*" >&2
  status=1
}
cycles() { jq .cycles "$1"; }
run() { # NAME PROGRAM [MODE]: in lockstep
  local mode=${3:-lockstep}
  "$MPU" run --near=$mode --config "$work/$1.yaml" --stats "$work/$1-$2.json" "kernels/$2" >"$work/out" 2>&1 ||
    { complain "$2 with $1: $(tail -n 5 "$work/out")"; return; }
  [[ $mode == c ]] || grep -q 'models  *Verilog, C and the functional machine agree' "$work/out" || complain "$2 with $1: nothing was compared"
}

echo 'base: small' >"$work/default.yaml"
# run_extremes.sh has the same structure: it is built once
printf 'base: small\ncore: {near_rf_bytes: 8192}\ndram: {row_bytes: 512, queue: 8, subarrays: 2}\nnear: {collectors: 8, lsu_entries: 4}\n' >"$work/all.yaml"
printf 'base: small\ndram: {row_bytes: 512}\nnear: {collectors: 8}\n' >"$work/short-rows.yaml"
printf 'base: small\ndram: {queue: 8, subarrays: 2}\nnear: {lsu_entries: 4}\n' >"$work/shallow.yaml"
for program in hist ${MPU_LONG:+axpy}; do
  run default "$program" c
  for name in all ${MPU_LONG:+short-rows shallow}; do
    run "$name" "$program"
    [[ ! -e $work/$name-$program.json ]] || [[ $(cycles "$work/$name-$program.json") != "$(cycles "$work/default-$program.json")" ]] ||
      complain "$program takes as many cycles with $name as without"
  done
done

# refused: nothing is built, nothing runs
printf 'base: small\nnear: {lsu_entries: 6}\n' >"$work/wrong.yaml"
if "$MPU" run --near=lockstep --config "$work/wrong.yaml" kernels/axpy >"$work/out" 2>&1; then
  complain "6 entries are taken"
fi
grep -q 'near.lsu_entries: 6 is not' "$work/out" || complain "6 entries: $(cat "$work/out")"
((status)) || echo "structures: twins and Verilog agree"
exit $status
