#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu spacea run with time: right for matrices of all shapes, the same with any number of threads and in Verilog, faster
# with a mapping that knows columns; what the counters must agree on; waves, timeline, energy. Wrong use.
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
  for o in "" "--map naive" "--map near" "--semiring min-plus"; do right "$m $o" $small $o $m.mtx; done
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
# rows of Y in the buffer of a bank; 512 are more than there are, so each is read once in each of three multiplications
for rows in 1 3 512; do
  run $small --set spacea.y_rows=$rows --x x.mtx --out y$rows.mtx --stats y$rows.json --iterate 3 part.mtx || fail "y_rows=$rows: $(<err)"
  cmp -s none.mtx y$rows.mtx || fail "another result with y_rows=$rows"
  jq .sums.vault.sums_rows y$rows.json >read$rows
done
(($(<read1) > $(<read3) && $(<read3) > $(<read512) && $(<read512) <= 3 * 64)) || fail "rows of Y that were read: $(cat read1 read3 read512 | xargs)"
right "distances" $small --program sssp part.mtx
right "ranks" $small --program pagerank part.mtx

# ---- threads; what was counted
for t in 1 2 3; do
  run $small --threads $t --stats $t.json --out y$t.mtx part.mtx || fail "$t threads: $(<err)"
  cmp -s y1.mtx y$t.mtx || fail "another result with $t threads"
  diff <(jq -S 'del(.build, .made)' 1.json) <(jq -S 'del(.build, .made)' $t.json) >/dev/null || fail "other counters with $t threads"
done
[[ $(jq --argjson n "$(<entries)" '.sums.vault | .looks - .again - .full <= $n and .looks - .again >= $n and .sums <= 2000 and .far_wants == .far and
     .far_hits > 0 and .served == .wants - .l2_hits - .merged - .far_hits and .fills == .served + .far' 1.json) == true ]] ||
  fail "counters: $(jq -c .sums.vault 1.json)"
cycles() { run $small --stats s.json "$@" part.mtx && jq .cycles s.json; }
(($(cycles --map naive) > $(cycles))) || fail "rows at random are not slower"
(($(cycles --set spacea.turn=12) > $(cycles))) || fail "slower turns are not slower"

# ---- the bank groups in Verilog, and in both: nothing differs; of some vaults only; other sizes
mtx '30 30 200
'"$(for c in {0..199}; do echo "$((c * 7 % 30 + 1)) $((c * 11 % 29 + 1)) $c"; done)" some.mtx
plain() { jq -S 'del(.build, .made)' "$1.json"; }
for o in "" "--semiring min-plus --map naive" "--iterate 2"; do
  run $small $o --stats c.json some.mtx || fail "$o: $(<err)"
  for near in rtl lockstep; do
    run $small $o --near=$near --stats $near.json some.mtx || fail "--near=$near $o: $(<err)"
    diff <(plain c) <(plain $near) >diff || { fail "other counters with --near=$near $o"; head -n 4 diff; }
  done
done
for m in ${MPU_LONG:+one wide tall long_row} empty odd; do
  run $small --near=lockstep $m.mtx || fail "lockstep, $m: $(<err)"
done
[[ ! ${MPU_LONG:-} ]] || run $small --near=lockstep part.mtx || fail "lockstep, a part of lhr71: $(<err)"
run $small --near=c --rtl-node 1,3 --stats two.json some.mtx && run $small --stats c.json some.mtx && diff <(plain c) <(plain two) >diff ||
  { fail "two vaults in Verilog: $(<err)"; head -n 4 diff; }

# ---- waves: ports of the twins, signals of the Verilog; the same values of what both have
for near in c rtl; do
  run $small --near=$near --wave $near.fst --wave-scope 'vault2.bgroup0' --wave-window 100:400 some.mtx || fail "waves, $near: $(<err)"
done
"$MPU" activity --help >/dev/null && command -v fst2vcd >/dev/null && for near in c rtl; do
  fst2vcd -f $near.fst -o $near.vcd && grep -qE 'module bgroup0' $near.vcd || fail "no bank group in the waves of $near"
done
[[ -s c.fst && $(stat -c %s rtl.fst) -gt $(stat -c %s c.fst) ]] || fail "waves of the Verilog have no more signals than ports"

# ---- timeline: a bank group of each layer works once, and each line that came has its event
run $small --timeline t.json --stats c.json some.mtx || fail "timeline: $(<err)"
events() { jq --arg n "$1" '[.traceEvents[] | select(.name == $n and .ph == "X")] | length' t.json; }
[[ $(events run) == 8 ]] || fail "$(events run) runs of bank groups, not 8"
[[ $(events line) == "$(jq .sums.vault.lines_came c.json)" ]] || fail "$(events line) lines in the timeline"

# ---- energy: what the counters say
[[ $(jq '.sums.vault.elements' c.json) == 200 ]] || fail "elements: $(jq -c .sums.vault c.json)"
"$MPU" energy c.json >out 2>err && grep -qE '^  fma +'"$(jq .sums.vault.elements c.json)"' elements' out || fail "energy: $(<err)"
# a mm2 of each layer, by hand: 4 vaults of 3 mm2, two layers of the matrix; a quarter of energy.dram_row; 2 banks stand by
"$MPU" energy --json c.json >energy.json
jq -n --slurpfile s c.json --slurpfile e energy.json '$s[0].sums.vault as $v | $e[0].constants as $k | $s[0].cycles as $t |
  def near($a; $b): ($a - $b) / $b | fabs < 1e-5; def mm2: . / $t / 12; def standby: 2 * 14.2 * $t * 4; $e[0].runs[0] |
  .layers as {$matrix, $vectors, "base die": $base} |
  near($matrix.density; ($v.accesses * $k.dram_access + $v.rows * $k.dram_row / 4 + $v.refreshes * $k.dram_refresh / 4 +
    $v.elements * (20 + 2 * 1.5 + 2 * 0.7) + ($v.looks + $v.lines_down) * 6 + ($v.asks + $v.lines_down) * 1.2 + 2 * standby) / 2 | mm2) and
  near($vectors.density; $v.vector_accesses * $k.dram_access + $v.vector_rows * $k.dram_row / 4 + $v.vector_refreshes * $k.dram_refresh / 4 +
    $v.sums * (20 + 2 * 1.5) + ($v.served + $v.x_reads) * 6 + standby | mm2) and
  near($matrix.watts + $vectors.watts + $base.watts; .watts + .idle_watts) and
  near(.density; 2 * $matrix.density + $vectors.density + $base.density)' | grep -q true || fail "layers: $(jq -c '.runs[0].layers' energy.json)"
grep -qE '^matrix +2 .* a layer with PEs' out && grep -q 'commodity server .* 706 mW/mm2' out || fail "layers: $(tail -n 7 out)"
# 14.2 mW of each bank: two of each of three layers of four vaults
[[ $(jq '.cycles * 14.2 * 24 / 1e6 * 1000 | round' c.json) == "$(sed -nE 's/^idle.*: banks in standby ([0-9.]+) nJ.*/\1/p' out | jq '. | round')" ]] ||
  fail "standby: $(jq .cycles c.json) cycles, $(grep standby out)"

# ---- wrong use
expect() { # STATUS TEXT OPTIONS...
  run "${@:3}"
  [[ $? == "$1" && $(<err) == *"$2"* ]] || fail "spacea run ${*:3}: not $1, or no '$2': $(<err)"
}
expect 2 "the functional machine has no time" --near=none --stats s.json one.mtx
expect 2 "the functional machine has no time" --near=none --wave w.fst one.mtx
expect 2 "--rtl-node takes nodes from 0 to 3" $small --rtl-node 4 one.mtx
expect 2 "no scope of this machine matches 'vault2.bgroup2'" $small --wave w.fst --wave-scope vault2.bgroup2 one.mtx
expect 2 "spacea.sets" --set spacea.sets=3 one.mtx
expect 2 "spacea.turn" --set spacea.turn=0 one.mtx
expect 2 "no/s.json" --stats no/s.json one.mtx
exit $failed
