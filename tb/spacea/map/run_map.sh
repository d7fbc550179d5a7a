#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu map: what the two mappings make of a matrix, in their proper proportions; wrong use.
set -u
. tb/cli/expect.sh
of() { awk -v what="$1" -v field="$2" 'index($0, what) == 1 { print $field }' "$3"; } # LINE FIELD FILE
for kind in naive spacea near; do
  "$MPU" map --map $kind bcsstk32 >"$work/$kind" || fail "mpu map --map $kind"
done
[[ $(of PEs 2 "$work/spacea") == 3584 ]] || fail "$(head -n 1 "$work/spacea")"
[[ $(of "elements of a PE" 5 "$work/naive") == "$(of "elements of a PE" 5 "$work/spacea")" ]] || fail "means of load differ"
awk -v n="$(of "columns asked of a vault" 6 "$work/naive")" -v s="$(of "columns asked of a vault" 6 "$work/spacea")" 'BEGIN { exit !(s * 4 < n) }' ||
  fail "the mapping saves little: $(grep columns "$work/naive" "$work/spacea")"
awk -v n="$(of "elements of a PE" 8 "$work/naive")" -v s="$(of "elements of a PE" 8 "$work/spacea")" 'BEGIN { exit !(s < n) }' ||
  fail "the mapping does not balance: $(grep elements "$work/naive" "$work/spacea")"
"$MPU" map --set spacea.cubes=1 --set spacea.vaults=2 --set spacea.layers=3 bcsstk32 | grep -q '^PEs *8 in 2 vaults of 2 groups' || fail "two vaults"
"$MPU" map --set spacea.cubes=1 bcsstk32 | grep -q '^PEs *224 in 16 vaults of 7 groups' || fail "--set"
"$MPU" map --map naive bcsstk32 --seed 2 | cmp -s "$work/naive" - && fail "--seed"
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 0\n' >"$work/none.mtx"
"$MPU" map "$work/none.mtx" | grep -q '^DRAM rows *0' || fail "a matrix without entries"
expect "which matrix?" "$MPU" map
expect "one matrix" "$MPU" map cant cant
expect "'cantt' is neither a file nor the name" "$MPU" map cantt
expect "--map" "$MPU" map --map best cant
exit $failed
