#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Waves of whole runs: windows, scopes, modes, threads, signals, events, files that cannot be written; what they hold against
# the statistics of the run.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check=$(dirname "$MPU")/tb/wave_check
failed=0
fail() { echo "FAILED: $*"; [[ ! -s $work/err ]] || head -n 5 "$work/err" | cut -c1-200; failed=1; }
run() { # status, arguments of mpu run
  local want=$1 status
  shift
  "$MPU" run -q --stats "$work/stats" "$@" >"$work/out" 2>"$work/err"
  status=$?
  [[ $status == "$want" ]] || fail "mpu run $*: exit status $status, not $want"
}
counter() { grep -oE "\"$1\": [0-9]+" "$work/stats" | head -n 1 | grep -oE '[0-9]+$'; }
counters() { sed -E 's/"(host_seconds|cpu_seconds|host_memory|core_cycles_per_second|near|agree)": [^,}]*//g' "$1"; }
# Cycles in which a condition on some signals is true: rising() FILE CONDITION SIGNAL...; $2 and so on are their values
cycles_with() {
  local file=$1 what=$2
  shift 2
  "$check" table "$file" "$@" | awk "
    # values hold until the next line
    NR > 1 && on { n += \$1 - at }
    { at = \$1; on = (\$2 != \"-\") && ($what) }
    END { print n + 0 }"
}
small=(kernels/axpy -- --n 4096)

# ---- the file is the same with Verilog and lockstep; twins have the same values of what they have
for near in rtl lockstep c; do
  run 0 --near=$near --wave "$work/$near.fst" --wave-window 100:600 "${small[@]}"
  counters "$work/stats" >"$work/$near.counters"
done
cmp -s "$work/rtl.fst" "$work/lockstep.fst" || fail "other waves in lockstep"
"$check" same --both "$work/c.fst" "$work/rtl.fst" >"$work/err" || fail "twins have other values"
run 0 --near=c "${small[@]}"
for near in rtl lockstep c; do
  diff <(counters "$work/stats") "$work/$near.counters" >/dev/null || fail "other counters with waves, $near"
done
[[ $("$check" span "$work/rtl.fst") == "100 599" ]] || fail "the window: $("$check" span "$work/rtl.fst")"

# ---- many cores, threads, scopes
for threads in 1 2; do
  run 0 --near=c --rtl-core 5 --config paper --threads $threads --wave "$work/t$threads.fst" --wave-window 150:400 \
    --wave-scope 'core5.nbu2.opc,core7*.smem' kernels/axpy -- --n 100000
done
cmp -s "$work/t1.fst" "$work/t2.fst" || fail "other waves with two threads"
"$check" signals "$work/t1.fst" | sed -E 's/^(core[0-9]+\.[a-z0-9]+)(\.[a-z]+)?.*/\1\2/; s/(base)\..*/\1/; s/(smem)\..*/\1/' | sort -u >"$work/scopes"
printf '%s\n' core5.nbu2.opc core5.base core{7,70,71,72,73,74,75,76,77,78,79}.{smem,base} | sort | diff - "$work/scopes" >"$work/err" || fail "scopes"

# ---- what they hold, of a whole run
run 0 --near=rtl --wave "$work/all.fst" kernels/hist -- --n 4096
kind=1
for name in act pre sasel rd wr ref; do
  want=$(grep -oE "\"$name\": [0-9]+" "$work/stats" | awk '{ n += $2 } END { print n }')
  have=0
  for n in 0 1 2 3; do
    have=$((have + $(cycles_with "$work/all.fst" "\$2 == $kind" core0.nbu$n.cmd_o)))
  done
  ((have == want)) || fail "$name: $have in the waves, $want counted"
  kind=$((kind + 1))
done
issued=0
for k in 0 1 2 3; do
  issued=$((issued + $(cycles_with "$work/all.fst" '$2 == 1' core0.base.sub$k.issue)))
done
((issued == $(counter warp_instructions))) || fail "$issued instructions are issued in the waves"
down=$(($(cycles_with "$work/all.fst" '$2 == 1' core0.base.bus_dn0_valid) + $(cycles_with "$work/all.fst" '$2 == 1' core0.base.bus_dn1_valid)))
up=$(($(cycles_with "$work/all.fst" '$2 == 1' core0.base.bus_up0_valid) + $(cycles_with "$work/all.fst" '$2 == 1' core0.base.bus_up1_valid)))
((down == $(counter bus_down) && up == $(counter bus_up))) || fail "flits: $down down, $up up"
# a row is open from its ACT on: the one of the last ACT is among the four
"$check" table "$work/all.fst" core0.nbu1.cmd_o core0.nbu1.cmd_bank_o core0.nbu1.cmd_row_o \
  core0.base.nbu1.bank2.{state0,row0,state1,row1,state2,row2,state3,row3} | awk '
  look { ok = 0; for (k = 0; k < 4; k++) ok += $(5 + 2 * k) != 0 && $(6 + 2 * k) == row; bad += !ok; seen++; look = 0 }
  $2 == 1 && $3 == 2 { row = $4; look = 1 }
  END { exit bad || !seen }' || fail "open rows"

# ---- events: the first one of a whole run
at() { # event, margin before, pattern of awk over the table of the whole run: first cycle
  run 0 --near=rtl --wave "$work/at.fst" --wave-at "$1" --wave-margin "$2" kernels/hist -- --n 4096
  local first
  first=$("$check" table "$work/all.fst" "${@:4}" | awk "$3 { print \$1; exit }")
  local before=${2%:*} after=${2#*:}
  local from=$((first > before ? first - before : 0))
  [[ $("$check" span "$work/at.fst") == "$from $((first + after))" ]] || fail "$1: $("$check" span "$work/at.fst"), but it comes in $first"
  "$check" same "$work/at.fst" "$work/all.fst" >"$work/err" || fail "$1: other values than in the whole run"
}
at bank:ACT 30:40 '$2 == 1' core0.nbu0.cmd_o
at bank:RD,3,1 0:0 '$2 == 4 && $3 == 1' core0.nbu3.cmd_o core0.nbu3.cmd_bank_o
at pc:0x40 10:20 '$2 == "40" || $3 == "40" || $4 == "40" || $5 == "40"' core0.base.sub{0,1,2,3}.issue_pc
at cycle:0 5:9 '$2 == "0"' core0.base.cycle
run 0 --near=c --wave "$work/at.fst" --wave-at line:hist.cu:14 --wave-margin 5:5 kernels/hist -- --n 4096
run 0 --near=c --wave "$work/at2.fst" --wave-at barrier --wave-margin 5:5 kernels/hist -- --n 4096
[[ $("$check" span "$work/at.fst") == "$("$check" span "$work/at2.fst")" ]] || fail "line 14 is the first barrier"
run 0 --near=c --wave "$work/at.fst" --wave-at barrier "${small[@]}"
grep -q 'waves: there are none: barrier did not come' "$work/err" || fail "an event that does not come"

# ---- several launches, a fault in one, on and off
run 3 --near=rtl --wave "$work/launches.fst" --postmortem none tb/wave/wave.cu -- 1
"$check" span "$work/launches.fst" >"$work/err" || fail "waves of three launches"
run 0 --near=c --wave "$work/never.fst" --wave-window 100000000: "${small[@]}"
grep -q "the run has not come to its window" "$work/err" || fail "a window that does not come"
"$check" signals "$work/never.fst" | grep 'core0.base.cycle 48' >/dev/null || fail "the file without a window"
"$MPU" run -q --near=c --wave "$work/toggled.fst" --wave-window 0:50 tb/wave/wave.cu -- 2 >"$work/out" 2>"$work/err" &
pid=$!
for ((n = 0; n < 300; n++)); do ! grep -q now "$work/out" || break; sleep 0.1; done
sleep 0.3
kill -USR1 $pid; sleep 0.5; kill -USR1 $pid; sleep 0.3; kill -INT $pid
wait $pid
[[ $? == 130 ]] || fail "interrupted: exit status"
grep -q '^mpu: waves: .*toggled.fst, ' "$work/err" || fail "interrupted: what is said of the waves"
(($("$check" span "$work/toggled.fst" | wc -l) == 2)) || fail "on and off: $("$check" span "$work/toggled.fst")"

# ---- no room, no place
(ulimit -f 20000; "$MPU" run -q --near=rtl --stats "$work/stats" --wave "$work/full.fst" kernels/axpy -- --n 100000 >"$work/out" 2>"$work/err")
[[ $? == 0 ]] && grep -q '^PASS' "$work/out" || fail "a file that may not grow: the run"
grep -qE "^mpu: waves: files may have [0-9]+ bytes at most \(ulimit -f\): '.*' ends with cycle [0-9]+" "$work/err" || fail "a file that may not grow: what is said"
"$check" span "$work/full.fst" >"$work/spans" && [[ -s $work/spans ]] || fail "a file that may not grow: cannot be read"
refuses() { # message, arguments
  local want=$1
  shift
  run 2 "$@"
  grep -qF -- "$want" "$work/err" || fail "$*: no '$want'"
}
refuses "cannot write '$work/no/x.fst'" --near=c --wave "$work/no/x.fst" "${small[@]}"
refuses "cannot write" --near=c --wave "$work" "${small[@]}"
refuses "it is no file" --near=c --wave /dev/full "${small[@]}"
refuses "--wave-window takes cycles" --near=c --wave "$work/x.fst" --wave-window 9 "${small[@]}"
refuses "--wave-window takes cycles" --near=c --wave "$work/x.fst" --wave-window 9:3 "${small[@]}"
refuses "--wave-at takes difference" --near=c --wave "$work/x.fst" --wave-at never "${small[@]}"
refuses "--wave-margin takes cycles" --near=c --wave "$work/x.fst" --wave-at barrier --wave-margin 5 "${small[@]}"
refuses "--wave-at" --near=c --wave "$work/x.fst" --wave-at barrier --wave-window 1:2 "${small[@]}"
refuses "--wave" --near=c --wave-window 1:2 "${small[@]}"
refuses "--wave" --near=c --wave-at barrier "${small[@]}"
refuses "is not for the functional machine" --near=none --wave "$work/x.fst" "${small[@]}"
exit $failed
