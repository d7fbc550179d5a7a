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
# each of the tracks alone, what is drawn on all of them; arrows between those that are there
tracks='launches blocks instructions offload requests remote bus packets completions shared commands rows counters
streams engines'
drawn() { sed 's/,$//' "$@" | grep -E '"ph":"[XC]"|"thread_name"' | sort; }
o="--near=c --config $four"
for name in $tracks; do
  draw "only-$name" $o --timeline-tracks $name "$work/spaces.cu" || fail "tracks $name"
  jq -e . "$work/only-$name.json" >/dev/null || fail "tracks $name: no JSON"
  [[ $(drawn "$work/only-$name.json") ]] || fail "nothing on tracks $name"
done
cmp <(drawn "$work"/only-*.json | uniq -d) /dev/null || fail "tracks with two names"
cmp <(drawn "$work"/only-*.json) <(drawn "$work/four.json") || fail "tracks one by one have something else"
arrows() { sed 's/,$//' "$1" | grep -E '"ph":"[stf]"'; }
draw some $o --timeline-tracks instructions,remote,requests,bus,completions "$work/spaces.cu" || fail "five tracks"
cmp <(arrows "$work/some.json") <(arrows "$work/four.json") || fail "other arrows between tracks of a list"
draw some $o --timeline-tracks rows,instructions "$work/spaces.cu" || fail "two tracks"
good "$work/some.json"
[[ $(arrows "$work/some.json") && ! $(arrows "$work/some.json" | grep '"ph":"t"') ]] || fail "arrows over tracks that are hidden"
draw some $o --timeline-tracks rows,blocks "$work/spaces.cu" || fail "two tracks"
[[ ! $(arrows "$work/some.json") ]] || fail "arrows without instructions"
# all cores of a large machine, and some of them
o="--near=c --config paper --timeline-window 300:420"
draw base $o kernels/hist -- --n 8192 || fail "128 cores"
good "$work/base.json"
[[ $(grep -c '"process_name"' "$work/base.json") == 130 ]] || fail "not 128 cores, the machine and the streams"
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
