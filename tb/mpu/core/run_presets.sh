#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The presets of one core: programs compute the same on each of them, to the bit, and what a preset changes shows
# in the counters, in the direction in which it must.
set -uo pipefail
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# presets, and the options with which the functional machine executes what each of them does
presets=(small nearbank-small rows-1 rows-2 rows-4 closed-page no-refresh
  location-compiler location-cost location-hardware location-near location-far far-shared base-die)
declare -A functional=([nearbank-small]="--locate=cost --dies=both-shared --forms --near-predicates --reorder --skew" [location-cost]=--locate=cost [location-hardware]=--locate=none [location-near]=--locate=near
  [location-far]=--locate=far [far-shared]=--dies=far-shared [base-die]="--dies=base-die --locate=far")

# a program that prints its result to the bit, and workloads, which check theirs
programs=(presets hist ${MPU_LONG:+kmeans ttrans axpy blur gemv knn nw})
declare -A call=([presets]="tb/mpu/core/presets.cu" [axpy]="kernels/axpy -- --n 20000"
  [blur]="kernels/blur -- --width 64 --height 48" [gemv]="kernels/gemv -- --rows 64 --cols 96"
  [hist]="kernels/hist -- --n 8192" [kmeans]="kernels/kmeans -- --n 512" [knn]="kernels/knn -- --n 8192"
  [nw]="kernels/nw -- --n 2 --length 64" [ttrans]="kernels/ttrans -- --rows 64 --cols 96")

# run NAME PROGRAM OPTIONS...: output and counters are then in NAME.out and NAME.json; what the tool says while it
# builds Verilog is none of the output
run() {
  local name=$1 program=$2
  shift 2
  # shellcheck disable=SC2086
  "$MPU" run -q --stats "$work/$name.json" "$@" ${call[$program]} >"$work/$name.out" 2>"$work/$name.err" && return
  fail "mpu run $* ${call[$program]}"
  tail -n 5 "$work/$name.out" "$work/$name.err"
}
# counter PROGRAM PRESET KEY: the sum of all with this key; no key, no number
counter() {
  grep -o "\"$3\": [0-9]*" "$work/$1.$2.json" | awk '{sum += $2} END {print NR ? sum : "none"}'
}
# what does not depend on the host
counters() {
  sed -E 's/"(host_seconds|host_memory|cpu_seconds|core_cycles_per_second)": [^,]*, //g' "$work/$1.$2.json"
}
# must TEXT EXPRESSION
must() {
  (($2)) 2>/dev/null || fail "$1: not $2"
}

check() { # PROGRAM
  local p=$1 preset name key due ref
  local -A act near cycles
  run "$p.functional" "$p" --near=none
  for preset in "${presets[@]}"; do
    run "$p.$preset" "$p" --near=c --config "$preset"
    cmp -s "$work/$p.functional.out" "$work/$p.$preset.out" || fail "$p prints something else on $preset"
    name=functional
    if [[ ${functional[$preset]:-} ]]; then
      name=like-$preset
      # shellcheck disable=SC2086
      run "$p.$name" "$p" --near=none ${functional[$preset]}
    fi
    for key in warp_instructions near_instructions; do
      must "$key of $p, $preset and functional" "$(counter "$p" "$preset" $key) == $(counter "$p" "$name" $key)"
    done
    act[$preset]=$(counter "$p" "$preset" act)
    near[$preset]=$(counter "$p" "$preset" near_instructions)
    cycles[$preset]=$(counter "$p" "$preset" core_cycles)
    # all 16 banks every 3900 cycles; a bank with work puts off three (docs/blocks/bankctl.md)
    due=$((cycles[$preset] / 3900))
    ref=$(counter "$p" "$preset" ref)
    if [[ $preset == no-refresh ]]; then
      must "refreshes of $p, $preset" "$ref == 0"
    else
      must "refreshes of $p, $preset" "$ref <= 16 * ($due + 1) && $ref >= 16 * ($due - 3)"
    fi
  done
  for preset in rows-4 location-compiler; do
    diff <(counters "$p" small) <(counters "$p" $preset) >/dev/null || fail "$p, $preset: not as small"
  done
  # fewer row buffers open more rows, and closing them when nothing waits opens more
  must "rows of $p that rows-1, -2, -4 opened" "${act[rows-1]} >= ${act[rows-2]} && ${act[rows-2]} >= ${act[rows-4]}"
  must "rows of $p that closed-page and small opened" "${act[closed-page]} > ${act[small]}"
  if [[ $p == presets ]]; then  # it goes through six rows of each bank
    must "rows of $p that rows-1, -2, -4 opened" "${act[rows-1]} > ${act[rows-2]} && ${act[rows-2]} > ${act[rows-4]}"
    # (which warp is late by chance counts more than the third and fourth buffer)
    must "cycles of $p on rows-1, -2, -4" "${cycles[rows-1]} > ${cycles[rows-2]} && ${cycles[rows-1]} > ${cycles[rows-4]}"
    must "cycles of $p on closed-page and small" "${cycles[closed-page]} > ${cycles[small]}"
  fi
  must "cycles of $p on no-refresh and small" "${cycles[no-refresh]} <= ${cycles[small]} * 101 / 100"
  # fewer flits: of the same packets, of other places
  must "flits of $p that went down on nearbank-small" "$(counter "$p" nearbank-small bus_down) < $(counter "$p" small bus_down)"
  must "RUNs of $p on small" "$(counter "$p" small RUN) == 0"
  # all that can: more than any other policy; and nothing
  for preset in small location-cost location-hardware location-far; do
    must "near instructions of $p on location-near and $preset" "${near[location-near]} >= ${near[$preset]}"
  done
  for preset in location-far base-die; do
    must "near instructions of $p on $preset" "${near[$preset]} == 0"
    must "EXEC packets of $p on $preset" "$(counter "$p" $preset EXEC) == 0"
  done
  # shared memory on the base die: nothing of it crosses; and with the lanes there, nothing but data of the banks
  for preset in far-shared base-die; do
    must "SHM and WIN packets of $p on $preset" "$(counter "$p" $preset SHM) + $(counter "$p" $preset WIN) == 0"
  done
  for key in LINE SECT REGWR REGRD; do
    must "$key packets of $p on base-die" "$(counter "$p" base-die $key) == 0"
  done
  printf '%-8s rows opened by rows-1 %s, rows-2 %s, small %s, closed-page %s; cycles of small %s, no-refresh %s\n' "$p" \
    "${act[rows-1]}" "${act[rows-2]}" "${act[small]}" "${act[closed-page]}" "${cycles[small]}" "${cycles[no-refresh]}"
}

for program in "${programs[@]}"; do
  check "$program"
done

# the same with the Verilog, and with the functional machine beside it; those between, and one program more, with MPU_LONG
for preset in nearbank-small rows-1 ${MPU_LONG:+rows-2} closed-page ${MPU_LONG:+no-refresh location-cost location-hardware} \
  location-near ${MPU_LONG:+location-far} far-shared base-die; do
  programs=(hist)
  [[ $preset != rows-1 ]] || programs=(presets)
  [[ $preset != nearbank-small && ! ${MPU_LONG:-} ]] || programs=(hist presets)
  for program in "${programs[@]}"; do
    run lockstep "$program" --near=lockstep --config "$preset"
    cmp -s "$work/$program.functional.out" "$work/lockstep.out" || fail "$program prints something else on $preset in lockstep"
    grep -q '"agree": true' "$work/lockstep.json" || fail "$program on $preset: no agreement in lockstep"
  done
done
exit $failed
