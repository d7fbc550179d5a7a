#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Waves of a machine of nodes: the ports of its twins are those of its Verilog in all cycles, also
# of those in which a node stood still; the numbers in them are those of the run; who is watched
# does the same. Wrong use.
set -uo pipefail
. tb/cli/expect.sh
check=$(dirname "$MPU")/tb/wave_check
reduce() { # NAME MODE OPTIONS...
  "$MPU" machine reduce --near "$2" --wave "$work/$1.fst" --wave-scope "$scope" --stats "$work/$1.stats" "${@:3}" >"$work/out" 2>"$work/err" ||
    fail "$*: $(<"$work/err")"
}
count() { "$check" values "$work/$1.fst" "$2" | awk '$2 == 1 { print $3 }'; }
same() { [[ $2 == "$3" ]] || fail "$1: $2, not $3"; }

scope=engine1,engine63
# engines that wait long for the next request, while their banks are refreshed
idle=(--set machine.processors=4 --set machine.cores=16 --set reduce.requests=150 --set reduce.accesses=1)
reduce c c "${idle[@]}"
"$MPU" machine reduce --near c "${idle[@]}" --stats "$work/plain.stats" >"$work/out"
cmp -s "$work/c.stats" "$work/plain.stats" || fail "what is watched does something else"
"$check" signals "$work/c.fst" >"$work/signals"
grep -qx 'engine1.reduce.sum_o 32' "$work/signals" && grep -qx 'engine63.bankctl.cmd_row_o 14' "$work/signals" || fail "signals"
! grep -q host "$work/signals" || fail "the host has signals"
same "requests of engine 1" "$(count c engine1.reduce.sum_ready_i)" 150
sum=0
while read -r _ leaves value; do
  [[ $leaves != 1 ]] || ((sum = sum + 16#$value & 0xffffffff))
done < <("$check" table "$work/c.fst" engine1.reduce.sum_ready_i engine1.reduce.sum_o)
same "the sum of engine 1" "$sum" "$(grep -oP '"sums": \[\K[0-9]*' "$work/c.stats")"
reduce two c "${idle[@]}" --threads 2
"$check" same "$work/c.fst" "$work/two.fst" >"$work/out" || fail "two threads: $(tail -n 3 "$work/out")"
scope='engine1,*.reduce' reduce part c "${idle[@]}" --wave-window 5000:5100
"$check" same --both "$work/part.fst" "$work/c.fst" >"$work/out" || fail "a window: $(tail -n 3 "$work/out")"
same "the window" "$("$check" span "$work/part.fst")" "5000 5099"
"$check" signals "$work/part.fst" >"$work/signals"
grep -q '^engine1.bankctl' "$work/signals" && ! grep -q '^engine6.bankctl' "$work/signals" || fail "scopes"

if [[ -e $(dirname "$MPU")/libreducertl.so ]]; then
  for near in rtl lockstep; do
    reduce "$near" "$near" "${idle[@]}"
    "$check" same "$work/c.fst" "$work/$near.fst" >"$work/out" || fail "$near: $(tail -n 3 "$work/out")"
    cmp -s "$work/c.stats" "$work/$near.stats" || fail "$near: other statistics"
  done
  "$check" signals "$work/rtl.fst" >"$work/signals"
  grep -q '^engine1.reduce.due_q ' "$work/signals" && grep -q '^engine1.bankctl.*_q ' "$work/signals" || fail "registers of the Verilog"
fi

machine=(machine reduce --near c "${idle[@]}")
expect "no scope of this machine matches 'engine99'" "$MPU" "${machine[@]}" --wave "$work/x.fst" --wave-scope engine1,engine99
expect "--wave-window takes cycles A:B" "$MPU" "${machine[@]}" --wave "$work/x.fst" --wave-window 5
expect "--wave-window and --wave-scope need --wave FILE" "$MPU" "${machine[@]}" --wave-scope engine1
expect "cannot write '$work/none/x.fst'" "$MPU" "${machine[@]}" --wave "$work/none/x.fst"
expect "--timeline-window takes cycles A:B" "$MPU" "${machine[@]}" --wave "$work/x.fst" --timeline "$work/t" --timeline-window 5
expect "cannot write '$work/none/t'" "$MPU" "${machine[@]}" --wave "$work/x.fst" --timeline "$work/none/t"
expect "--wave writes a file, not standard output" "$MPU" "${machine[@]}" --wave -
expect "--timeline writes a file, not standard output" "$MPU" "${machine[@]}" --timeline -
[[ ! -e $work/x.fst && ! -e $work/x.fst.part ]] || fail "a file is left behind"
exit $failed
