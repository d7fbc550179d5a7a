#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same bytes with near sides in C, in Verilog and in lockstep, with any number of threads, and of cores alone.
set -uo pipefail
. tb/inspect/timeline/common.sh
same() { # NAME OPTIONS...: as `base`
  draw "$@" || fail "${*:2}: it ends with $?"
  cmp "$work/base.json" "$work/$1.json" || fail "${*:2}: another timeline"
}
for program in "kernels/axpy -- --n 3000" "$work/spaces.cu"; do
  draw base --near=c $program || fail "$program"
  good "$work/base.json"
  for mode in rtl lockstep; do same now --near=$mode $program; done
done
draw base --near=c --config "$four" "$work/spaces.cu" || fail "four cores"
good "$work/base.json"
cp "$work/base.json" "$work/four.json"
for o in "--near=c --threads 2" "--near=c --threads 5" "--near=lockstep --threads 3" "--near=c --rtl-core 1,3"; do
  same now $o --config "$four" "$work/spaces.cu"
done
# all cores of a large machine, and some of them
o="--near=c --config paper --timeline-window 300:420"
draw base $o kernels/hist -- --n 8192 || fail "128 cores"
good "$work/base.json"
[[ $(grep -c '"process_name"' "$work/base.json") == 129 ]] || fail "not 128 cores and the machine"
for n in 2 3; do same now $o --threads $n kernels/hist -- --n 8192; done
same now $o --timeline-cores 0-63,64-127 kernels/hist -- --n 8192
draw some $o --threads 2 --timeline-cores 3,64-65 kernels/hist -- --n 8192 || fail "some cores"
good "$work/some.json"
[[ $(grep -o '"process_name","args":{"name":"core [0-9]*"' "$work/some.json" | grep -o '[0-9]*' | tr '\n' ' ') == "3 64 65 " ]] ||
  fail "not cores 3, 64 and 65"
# a core's slices are the same, whoever else is looked at
slices() { sed 's/,$//' "$1" | grep -E '"ph":"X","pid":(5|66|67),'; }
diff <(slices "$work/base.json") <(slices "$work/some.json") >/dev/null || fail "other slices when only some cores are looked at"
exit $failed
