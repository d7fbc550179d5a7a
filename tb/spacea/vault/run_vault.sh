#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu spacea run with time: right for matrices of all shapes, the same with any number of threads, faster with a mapping
# that knows columns; what the counters must agree on. Wrong use.
set -uo pipefail
. tb/cli/expect.sh
cd "$work" || exit 1
small="--config spacea-small"
run() { "$MPU" spacea run "$@" >out 2>err; }
right() { # NAME OPTIONS...
  run "${@:2}" && grep -q '^check  *right' out && grep -q '^cycles  *[1-9]' out || { fail "$1"; cat out err; }
}
mtx() { printf '%%%%MatrixMarket matrix coordinate real general\n%s\n' "$1" >"$2"; }

# ---- shapes
mtx '1 1 1
1 1 3' one.mtx
mtx '1 900 900
'"$(for c in {1..900}; do echo "1 $c $c"; done)" wide.mtx
mtx '900 1 900
'"$(for c in {1..900}; do echo "$c 1 -$c"; done)" tall.mtx
mtx '300 300 302
150 1 1
150 300 2
'"$(for c in {1..300}; do echo "7 $c 1e-$((c % 9))"; done)" long_row.mtx
mtx '40 40 0' empty.mtx
mtx '3 3 4
1 1 nan
1 2 1
2 2 inf
3 3 -0' odd.mtx
for m in one wide tall long_row empty; do
  for o in "" "--map naive" "--semiring min-plus"; do right "$m $o" $small $o $m.mtx; done
done
right "NaN and infinity" $small odd.mtx

# ---- the same as the functional machine where sums are exact; iterations
"$MPU" matrix gen --values ones lhr71 big.mtx >out 2>err || fail "mpu matrix gen: $(<err)"
awk 'NR == 1 { print; next } !n && !/^%/ { n = 1; print 2000, 2000, 0; next } $1 <= 2000 && $2 <= 2000 { k++; print }
     END { print k > "entries" }' big.mtx >part.mtx
sed -i "2s/.*/2000 2000 $(<entries)/" part.mtx
mtx '2000 1 2000
'"$(for c in {1..2000}; do echo "$c 1 $((c % 17))"; done)" x.mtx
for near in none c; do
  run $small --near=$near --x x.mtx --out $near.mtx --iterate 3 part.mtx || { fail "--near=$near: $(<err)"; }
done
cmp -s none.mtx c.mtx || fail "exact sums are not those of the functional machine"
right "distances" $small --program sssp part.mtx
right "ranks" $small --program pagerank part.mtx

# ---- threads; what was counted
for t in 1 2 3; do
  run $small --threads $t --stats $t.json --out y$t.mtx part.mtx || fail "$t threads: $(<err)"
  cmp -s y1.mtx y$t.mtx || fail "another result with $t threads"
  diff <(jq -S 'del(.build, .made)' 1.json) <(jq -S 'del(.build, .made)' $t.json) >/dev/null || fail "other counters with $t threads"
done
[[ $(jq --argjson n "$(<entries)" '.sums.vault | .looks - .again - .full <= $n and .looks - .again >= $n and .sums <= 2000 and .served == .wants - .l2_hits - .merged' 1.json) == true ]] ||
  fail "counters: $(jq -c .sums.vault 1.json)"
cycles() { run $small --stats s.json "$@" part.mtx && jq .cycles s.json; }
(($(cycles --map naive) > $(cycles))) || fail "rows at random are not slower"
(($(cycles --set spacea.turn=12) > $(cycles))) || fail "slower turns are not slower"

# ---- wrong use
expect() { # STATUS TEXT OPTIONS...
  run "${@:3}"
  [[ $? == "$1" && $(<err) == *"$2"* ]] || fail "spacea run ${*:3}: not $1, or no '$2': $(<err)"
}
expect 2 "--stats: the functional machine counts nothing" --near=none --stats s.json one.mtx
expect 2 "spacea.turn" --set spacea.turn=0 one.mtx
expect 2 "no/s.json" --stats no/s.json one.mtx
exit $failed
