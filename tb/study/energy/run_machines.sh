#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu energy of a machine that is not MPU: by what its nodes declare, added up by hand here.
set -uo pipefail
. tb/cli/expect.sh
"$MPU" machine reduce --near c --stats "$work/run" --set machine.processors=1 --set machine.cores=4 \
  --set reduce.accesses=15 --set reduce.requests=3 >"$work/report" || fail "mpu machine reduce"
# three engines: 45 accesses of 150 pJ, 8 words each of 0.9 pJ, 270 pJ for each row; the network's links and routers
flits=$(grep -oP '"on_chip_flits": \K[0-9]+' "$work/run") rows=$(grep -oP '"sums": \{.*?"rows": \K[0-9]+' "$work/run")
want=$(awk -v f="$flits" -v r="$rows" 'BEGIN { printf "%.6g", 135 * (150 + 8 * 0.9) + 270 * r + 256 * f * (0.72 + 0.362) }')
grep -qF "\"total\": $want}" "$work/run" || fail "the statistics have not $want pJ"
grep -qF "$want pJ" "$work/report" || fail "the report has not $want pJ"
csv() { "$MPU" energy --csv "$@" "$work/run"; }
got=$(csv | awk -F, '$5 != "idle" { pj += 1e12 * $NF } END { printf "%.6g", pj }')
[[ $got == "$want" ]] || fail "mpu energy says $got, not $want"
# 12 banks of 14.2 mW, by cycles of a ns
got=$(csv | awk -F, '$5 == "idle" { printf "%.4f", 1e9 * $NF / $3 }')
[[ $got == 0.1704 ]] || fail "idle banks take $got W"
[[ $(csv --set reduce.add=1000 | awk -F, '$6 == "adds" { print $10, $9 }') == "1000 1080" ]] || fail "reduce.add"
[[ $(csv --set energy.dram_access=1 | awk -F, '$6 == "accesses" { print $11 }') == 1.35e-10 ]] || fail "energy.dram_access"
grep -q '^engine .* [0-9.]*$' < <("$MPU" energy "$work/run") || fail "the group of the engines"
grep -q '^mean ' < <("$MPU" energy "$work/run" "$work/run") || fail "two runs"
grep -q '"component": "adds"' < <("$MPU" energy --json "$work/run") || fail "--json"

"$MPU" run -q --near=c --stats "$work/mpu" kernels/axpy -- --n 100 >"$work/out" || fail "axpy"
expect "'$work/run' and '$work/mpu' are runs of different machines" "$MPU" energy "$work/run" "$work/mpu"
sed 's/"machine": "reduce"/"machine": "reduct"/' "$work/run" >"$work/other"
expect "is of the machine 'reduct', which this mpu does not know" "$MPU" energy "$work/other"
sed -E 's/("engine": \{[^}]*)"rows": [0-9]*, /\1/' "$work/run" >"$work/other"
expect "has no sums.engine.rows: an older mpu wrote it" "$MPU" energy "$work/other"
sed -E 's/("engine": \{[^}]*)"rows": [0-9]*, /\1"rows": -1, /' "$work/run" >"$work/other"
expect "is damaged: sums.engine.rows is '-1', which is not a count" "$MPU" energy "$work/other"
head -c 3000 "$work/run" >"$work/other"
expect "is truncated" "$MPU" energy "$work/other"
exit $failed
