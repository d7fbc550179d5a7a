#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What there is to see of a run of SpaceA: its profile, whose classes add up, and which is the same however it is run; heat maps.
# Nothing of it changes results or counters. Wrong use.
set -uo pipefail
. tb/cli/expect.sh
cd "$work" || exit 1
small="--config spacea-small"
run() { "$MPU" spacea run $small "$@" >out 2>err; }
plain() { jq -S 'del(.build, .made)' "$1"; }
holds() { # WHAT FILE JQ...
  [[ $(jq "${@:3}" "$2") == true ]] || fail "$1: not ${*:3}"
}

"$MPU" matrix gen --values ones lhr71 big.mtx >out 2>err || fail "mpu matrix gen: $(<err)"
awk 'NR == 1 { print; next } !n && !/^%/ { n = 1; next } $1 <= 800 && $2 <= 800' big.mtx >body
{ head -n 1 body; echo "800 800 $(($(wc -l <body) - 1))"; tail -n +2 body; } >part.mtx
entries=$(($(wc -l <body) - 1))
run --stats plain.json --out plain.mtx part.mtx || fail "plain: $(<err)"

# ---- profile
for o in "" "--threads 3" "--near lockstep"; do
  n=${o//[^a-z0-9]/}
  run $o --profile "p$n.json" --stats s.json --out y.mtx --timeline t.json part.mtx || fail "profile $o: $(<err)"
  cmp -s plain.mtx y.mtx && diff <(plain plain.json) <(plain s.json) >/dev/null || fail "a profile changes the run ($o)"
  diff <(plain p.json) <(plain "p$n.json") >/dev/null || fail "another profile with $o"
done
sums() { # FILE TIMES: what holds for the profile of any run
  holds "$1: classes add up" "$1" '.cycles as $c | all(.pes[]; [.waits[]] | add == $c)'
  holds "$1: and of all PEs" "$1" '. as $p | all(.waits | keys[]; . as $k | $p.waits[$k] == ([$p.pes[].waits[$k]] | add))'
  holds "$1: elements" "$1" --argjson n "$((entries * $2))" '[.pes[].elements] | add == $n'
  holds "$1: turns" "$1" 'all(.pes[]; .turns == .elements + .asks + .merges + .full and .elements == .put + .hits + .hits_again)'
  holds "$1: worked until its end" "$1" '.cycles as $c | all(.pes[]; .ended <= $c and .waits.done >= $c - .ended)'
}
sums p.json 1
holds "hits" p.json --slurpfile s s.json '$s[0].sums.vault as $v | ([.pes[].hits] | add) == $v.hits and ([.pes[].asks] | add) == $v.wants and
  .lines.group.looks == $v.looks - $v.again - $v.full and .lines.other_vaults == {looks: $v.far_wants, hits: $v.far_hits} and
  ([.pes[].reads] + [.vectors[].accesses] | add) == $v.accesses + $v.vector_accesses'
# PEs have ended when their bank group has, of which the timeline knows
holds "ends" t.json --slurpfile p p.json '([.traceEvents[] | select(.name == "run" and .ph == "X") | (.ts + .dur) * 1000 | round] | max) as $stops |
  ([$p[0].pes[].ended] | max) as $last | $last <= $stops and $last + 500 > $stops'
run --iterate 2 --semiring min-plus --map naive --profile twice.json part.mtx || fail "twice: $(<err)"
sums twice.json 2
share() { jq ".waits.$1 / ([.waits[]] | add) * 1000 | round" x.json; } # CLASS OPTIONS...
of() { run "${@:2}" --profile x.json part.mtx && sums x.json 1 && share "$1" || echo 0; }
(($(of pace --set spacea.turn=20) > $(of pace --set spacea.turn=6))) || fail "slower turns are not waited for longer"
(($(of other --set spacea.turn=1) > 5 + $(of other))) || fail "PEs whose turns follow one another do not wait for each other"
(($(of full --set spacea.requests=2) > 50 + $(of full))) || fail "nobody waits for room to ask, with two requests"
(($(of lines --set spacea.tsv_latency=500) > 50 + $(of lines))) || fail "nobody waits for lines that take long"
(($(of rows --set spacea.turn=1 --set dram.tRP=120 --set dram.tRAS=200) > 20 + $(of rows --set spacea.turn=1))) || fail "nobody waits for rows of a slow bank"
"$MPU" spacea profile $small --top 3 part.mtx >out 2>err || fail "mpu spacea profile: $(<err)"
[[ $(grep -cE '^  [0-3]\.[12]\.[01] ' out) == 3 ]] || fail "not 3 PEs in the table"
[[ $(awk '/^  [a-z]+ .* %  /{ if (NF > 8 && n < 10) { s += $2; n++ } } END { print int(s + 0.5) }' out) == 100 ]] || { fail "the table does not add up to 100 %"; cat out; }

# ---- heat maps: the values of the statistics, and each vault where its cube is
four="--set spacea.cubes=4 --set spacea.vaults=8"
heat() { # FILE: number, cube, value, x and y of each vault
  sed -nE "s/.*<title>vault ([0-9]+) .cube ([0-9]+).: ([0-9]+)<.title><rect x='([0-9]+)' y='([0-9]+)'.*/\1 \2 \3 \4 \5/p" "$1"
}
for o in "" "--heat-of tsv_flits" "--heat-of far"; do
  k=${o#--heat-of } k=${k:-busy}
  run $four --stats s.json --heat h.svg $o part.mtx || fail "heat map $o: $(<err)"
  diff <(heat h.svg | cut -d ' ' -f 3) <(jq --arg k "$k" '.nodes[][$k]' s.json) || fail "the heat map of $k has other values"
done
run $four --profile p.json --heat h.svg --heat-of pace part.mtx || fail "heat map of a class: $(<err)"
diff <(heat h.svg | cut -d ' ' -f 3) <(jq '[range(32) as $v | [.pes[] | select(.vault == $v).waits.pace] | add][]' p.json) ||
  fail "the heat map of a class has other values"
[[ $(heat h.svg | sort -k 4,4n -k 5,5n -u | wc -l) == 32 ]] || fail "two vaults in one place"
# cubes 0 and 1 beside each other, 2 below 0; in a cube vault 4 below vault 0
heat h.svg | awk '{ x[$1] = $4; y[$1] = $5; if ($2 != int($1 / 8)) exit 1 }
  END { exit !(x[1] == x[0] + 48 && y[4] == y[0] + 48 && x[4] == x[0] && x[8] > x[3] + 48 && y[8] == y[0] && y[16] > y[4] + 48 && x[16] == x[0]) }' ||
  fail "vaults are not where their cubes are"

# ---- wrong use
expect() { # STATUS TEXT OPTIONS...
  run "${@:3}"
  [[ $? == "$1" && $(<err) == *"$2"* ]] || fail "spacea run ${*:3}: not $1, or no '$2': $(<err)"
}
expect 2 "the functional machine has no time" --near=none --profile x.json part.mtx
expect 2 "of vault 0 they are inside the Verilog" --near=rtl --profile x.json part.mtx
expect 2 "of vault 2 they are inside the Verilog" --rtl-node 2 --profile x.json part.mtx
expect 2 "not standard output" --profile - part.mtx
expect 2 "no/x.json" --profile no/x.json part.mtx
expect 2 "is named for two outputs" --profile x.json --stats x.json part.mtx
expect 2 "--heat-of needs --heat" --heat-of far part.mtx
expect 2 "not 'flits'" --heat h.svg --heat-of flits part.mtx
expect 2 "the functional machine has no time" --near=none --heat h.svg part.mtx
expect 2 "inside the Verilog" --near=rtl --heat h.svg --heat-of lines part.mtx
expect 2 "--top" --top x part.mtx
exit $failed
