#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The machine `reduce`: its sums are those that this script adds up; the models agree; the number of threads changes nothing;
# refreshes and many requests; values that it does not take. And it is as short as its page says.
set -u
. tb/cli/expect.sh
expect "reduce.accesses: 0 is out of range; allowed: 1 to 65535" "$MPU" machine reduce --set reduce.accesses=0
expect "nearest: reduce.requests" "$MPU" machine reduce --set reduce.request=1
expect "allowed: at least 2" "$MPU" machine reduce --near c --set machine.processors=1 --set machine.cores=1
expect "allowed: 1024" "$MPU" machine reduce --near c --set dram.row_bytes=512
expect "behind the 2097152 accesses" "$MPU" machine reduce --near c --set reduce.first=2097100
expect "mpu executes programs" "$MPU" machine mpu
expect "unknown machine 'reduc'" "$MPU" machine reduc

reduce() { "$MPU" machine reduce --stats "$work/$1" "${@:2}" >"$work/report" 2>&1 || fail "$*: $(<"$work/report")"; }
small=(--set machine.processors=1 --set machine.cores=4 --set reduce.first=250 --set reduce.accesses=15 --set reduce.requests=3)
for near in lockstep rtl c; do
  [[ $near == c || -e $(dirname "$MPU")/libreducertl.so ]] || continue
  reduce "$near" --near "$near" "${small[@]}"
  cmp "$work/c" "$work/$near" 2>/dev/null || [[ ! -e $work/c ]] || fail "--near $near gives something else"
done
sums=
for engine in 1 2 3; do
  for ((sum = 0, n = 250 * 8; n < (250 + 45) * 8; n++)); do
    ((x = (engine * 7919 + n) * 2654435761 & 0xffffffff, sum = sum + (x ^ x >> 15) & 0xffffffff))
  done
  sums+=${sums:+, }$sum
done
grep -qF "\"sums\": [$sums]" "$work/c" || fail "the sums are not $sums"

large=(--near c --set machine.processors=2 --set reduce.accesses=800 --set reduce.requests=12)
reduce one "${large[@]}" && reduce two "${large[@]}" --threads 2
cmp "$work/one" "$work/two" || fail "two threads give something else than one"
grep -q '"refreshes": [1-9]' "$work/one" || fail "nothing was refreshed"

lines=$(cat {rtl,csim,tb}/reduce/* {rtl,csim,tb}/reduce/*/* harness/machines/reduce/* 2>/dev/null | grep -c .)
((lines < 400)) || fail "the machine has $lines lines, blank ones apart"
exit $failed
