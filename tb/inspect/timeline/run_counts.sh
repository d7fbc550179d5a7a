#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Timelines of whole runs: what Perfetto takes, with as many instructions, flits, commands and so on as the statistics
# have; and what the checker of this finds in files that are not so.
set -uo pipefail
. tb/inspect/timeline/common.sh
whole() { # OPTIONS...
  draw now --near=c --timeline-window 0: "$@" || fail "$*: it ends with $?"
  [[ ! -s $work/err ]] || fail "$*: something is said"
  good "$work/now.json" "$work/now.stats" || fail "$*"
  [[ $(grep -o '[0-9]* counters' "$work/checked") == [1-9]* ]] || fail "$*: nothing was compared"
}
whole kernels/axpy -- --n 4096
whole kernels/pr -- --n 1000
whole kernels/nw -- --n 1 --length 20
for config in nearbank-small rows-1 closed-page far-shared base-die no-refresh location-near location-far; do
  whole --config $config kernels/hist -- --n 600
done
whole "$work/spaces.cu"
whole --config "$four" "$work/spaces.cu"
whole --config "$four" kernels/kmeans -- --n 60
grep -q '"network there"' "$work/now.json" || fail "no requests to other cores"
whole kernels/hist -- --n 600
printf '%s\n' "$(cat "$work/checked")"

# the checker finds what is wrong
cp "$work/now.json" "$work/good.json"
bad() { # WHAT, SED EXPRESSION
  sed -E "$2" "$work/good.json" >"$work/bad.json"
  if cmp -s "$work/good.json" "$work/bad.json"; then
    fail "the checker: nothing was changed: $1"
  elif "$check" "$work/bad.json" "$work/now.stats" >"$work/checked"; then
    fail "the checker takes a file with $1"
  fi
}
line() { grep -n -m 1 "$1" "$work/good.json" | cut -d: -f1; }
x=$(line '"lanes":')
bad "no end" '$d'
bad "a comma too many" '$s/^/,/'
bad "an instruction twice" "${x}p"
bad "one that is gone" "${x}d"
bad "one that takes longer" "${x}s/\"dur\":[0-9]+/\"dur\":9/"
bad "one without duration" "${x}s/\"dur\":[0-9.]+/\"dur\":0.000/"
bad "one without name" "${x}s/\"name\":\"[^\"]*\",//"
bad "one of a track without name" "${x}s/\"tid\":[0-9]+/\"tid\":99999/"
bad "one in another cycle" "${x}s/\"cycle\":[0-9]+/\"cycle\":1/"
bad "a phase that is longer" "${x}s/\"offload\":[0-9]+/\"offload\":7/"
bad "a key twice" "${x}s/\"at\":/\"pc\":1,\"at\":/"
bad "an instruction elsewhere" "${x}s/\"at\":\"far\"/\"at\":\"near\"/;${x}s/\"at\":\"near\"/\"at\":\"near\",\"x\":1/"
bad "a part that is gone" "$(line '"name":"NBU"}')d"
bad "no flits" '/"dn":/d'
bad "no row" '/"name":"row /d'
bad "a command twice" "$(line '"cmd":"RD"')p"
bad "no block" '/"name":"block /d'
bad "no completion of an arrow" "$(line '"ph":"s"')s/\"ph\":\"f\"/\"ph\":\"t\"/;s/,\"bp\":\"e\"//"
bad "an arrow that begins nowhere" "$(line '"ph":"s"')s/\"ts\":[0-9.]+/\"ts\":0.000/"
bad "an arrow that goes back" "$(line '"ph":"s"')s/(.*)\"ts\":[0-9.]+/\1\"ts\":0.001/"
exit $failed
