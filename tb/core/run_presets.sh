#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The presets of one core: programs compute the same on each of them, to the bit, and what a preset changes shows in
# the counters in the direction in which it must.
set -uo pipefail
MPU=${MPU:-$PWD/build/release/mpu-tool}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# Those of mpu config --list that are one core, and what the functional machine runs instead of each.
declare -A locate=([small]=paper [rows-1]=paper [rows-2]=paper [rows-4]=paper [closed-page]=paper [no-refresh]=paper
  [location-compiler]=paper [location-hardware]=none [location-near]=near [location-far]=far)
presets=(small rows-1 rows-2 rows-4 closed-page no-refresh
  location-compiler location-hardware location-near location-far)

# In c; the program that prints its result, and the twelve at sizes of some ten thousand cycles in all.
programs=(presets axpy blur gemv hist kmeans knn nw ttrans)
declare -A at=([presets]=tb/core/presets.cu [axpy]="kernels/axpy -- --n 20000"
  [blur]="kernels/blur -- --width 64 --height 48" [gemv]="kernels/gemv -- --rows 64 --cols 96"
  [hist]="kernels/hist -- --n 8192" [kmeans]="kernels/kmeans -- --n 512" [knn]="kernels/knn -- --n 8192"
  [nw]="kernels/nw -- --n 2 --length 64" [ttrans]="kernels/ttrans -- --rows 64 --cols 96")

run() { # NAME OPTIONS... -- PROGRAM: its output and counters are then in NAME.out and NAME.json
  local name=$1
  shift
  # shellcheck disable=SC2086
  "$MPU" run -q --stats "$work/$name.json" "$@" >"$work/$name.out" 2>&1 && return
  fail "mpu run $*"
  tail -n 5 "$work/$name.out"
}
counter() { # NAME KEY: the sum of all that have this key
  grep -o "\"$2\": [0-9]*" "$work/$1.json" | awk -v key="$2" -v name="$1" \
    '{sum += $2} END {if (!NR) print "no " key " in the counters of " name > "/dev/stderr"; print NR ? sum : "x"}'
}
# TEXT A OPERATOR B: arithmetic of bash
must() {
  (($2)) || fail "$1: not $2"
}

for program in "${programs[@]}"; do
  for policy in paper none near far; do
    # shellcheck disable=SC2086
    run "$program.$policy" --near=none --locate=$policy ${at[$program]}
  done
  for preset in "${presets[@]}"; do
    name=$program.$preset
    # shellcheck disable=SC2086
    run "$name" --near=c --config "$preset" ${at[$program]}
    cmp -s "$work/$program.paper.out" "$work/$name.out" || fail "$name prints something else than the functional machine"
    of=$program.${locate[$preset]}
    for key in warp_instructions near_instructions; do
      must "$key of $name and functionally" "$(counter "$of" $key) == $(counter "$name" $key)"
    done
    refreshes=$(counter "$name" ref)
    if [[ $preset == no-refresh ]]; then
      must "refreshes of $name" "$refreshes == 0"
    else
      must "refreshes of $name: of all 16 banks" "$refreshes == $(counter "$name" cycles_now) / 3900 * 16"
    fi
    must "reads and writes of $name" "$(counter "$name" rd) + $(counter "$name" wr) == $(counter "$program.small" rd) + $(counter "$program.small" wr)"
  done
done
exit $failed
