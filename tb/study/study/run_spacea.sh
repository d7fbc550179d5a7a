#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The study of SpaceA with one small matrix on a small machine: its figures are those that the statistics of the same
# runs give, made by hand, with the model of the GPU. What is run again. Wrong use.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../cli/expect.sh"
same() { [[ $1 == "$2" ]] || fail "$3: expected '$2', got '$1'"; }                                    # GOT WANTED WHAT
near() { jq -en "(($1) / ($2) - 1) | fabs < 1e-5" >/dev/null || fail "$3: expected $2, got '$1'"; }     # GOT WANTED WHAT
cd "$work" || exit 1

# ---- a band with an element far away in each row; 150 rows of 5 elements
awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general"; print 150, 150, 750
  for (r = 0; r < 150; r++) { for (k = 0; k < 4; k++) print r + 1, (r + k) % 150 + 1, 1; print r + 1, (r + 4 + r * 37 % 140) % 150 + 1, 1 } }' >band.mtx
cat >s.yaml <<'YAML'
study: small
like: spacea
defaults: {config: spacea-small}
sets:
  fifteen: {programs: [{program: band.mtx, tool: spacea, known: {used: 0.5}}]}
  three: {programs: [{program: band.mtx, tool: spacea, known: {used: 0.5}}]}
  one: {programs: [{program: band.mtx, tool: spacea, known: {used: 0.5}}]}
YAML
main=speedup,energy,balance,hits,traffic,three
"$MPU" study s.yaml --store s.db -q --only $main,latency,one --csv s.csv || fail "the study failed"
cell() { awk -F, -v f="$1" -v c="$2" -v v="$3" '$2 == f && $5 == c && $6 == v { print $8; exit }' s.csv; }

for m in naive proposed; do
  kind=${m/proposed/spacea}
  "$MPU" spacea run --near=c --config spacea-small --map $kind --stats $m.json band.mtx >/dev/null || fail "mpu spacea run"
  "$MPU" energy --json $m.json >$m.energy || fail "mpu energy"
  "$MPU" map --json --config spacea-small --map $kind band.mtx >$m.map || fail "mpu map --json"
  cycles=$(jq .cycles $m.json)
  same "$(jq .sums.vault.elements $m.json)" 750 "elements"
  near "$(cell speedup speedup $m)" "12 * 750 / (0.5 * 547.8) / $cycles" "speedup of $m"
  near "$(cell speedup "at best" $m)" "12 * 750 / 547.8 / $cycles" "speedup at best of $m"
  near "$(cell hits L1 $m)" "$(jq '.sums.vault | 100 * .hits / (.looks - .again - .full)' $m.json)" "L1 of $m"
  near "$(cell hits L2 $m)" "$(jq '.sums.vault | 100 * (.l2_hits + .far_hits) / (.wants + .far_wants)' $m.json)" "L2 of $m"
  near "$(cell hits "L2 of layers" $m)" "$(jq '.sums.vault | 100 * .l2_hits / .wants' $m.json)" "L2 of layers of $m"
  near "$(cell balance balance $m)" "$(jq .elements_of_pe.mean_of_most $m.map)" "balance of $m"
  eval "${m}_cycles=$cycles ${m}_flits=$(jq .sums.vault.tsv_flits $m.json)"
  eval "${m}_hops=$(jq '.network | .on_chip_flits * .on_chip_bits + .off_chip_flits * .off_chip_bits' $m.json)"
done
near "$(cell speedup ratio naive)" "$naive_cycles / $proposed_cycles" "ratio of the mappings"
near "$(cell traffic "TSVs of naive" naive)" "100 * $proposed_flits / $naive_flits" "traffic of TSVs"
near "$(cell traffic "network of naive" naive)" "100 * $proposed_hops / $naive_hops" "traffic of the network"
near "$(jq -n "$(cell energy saving proposed) * ($(jq '.energy_pj.total * 1e-12' proposed.json) + 24 * 14.2e-3 * $proposed_cycles * 1e-9)")" \
  "165e-9 * 12 * 750 / (0.5 * 547.8)" "energy of the GPU"
"$MPU" spacea run --near=c --config spacea-small --set spacea.tsv_latency=16 --stats l.json band.mtx >/dev/null
near "$(cell latency slowdown tsv_latency=16)" "$(jq .cycles l.json) / $proposed_cycles" "slowdown by the TSVs"

# ---- a map's text and its JSON are the same; the file is part of a run
same "$("$MPU" map --config spacea-small band.mtx | awk '/^elements of a PE/ { print $8 }')" "$(jq .elements_of_pe.most proposed.map)" "elements of the largest PE"
there() { "$MPU" study s.yaml --store s.db --only $main --dry-run | tail -n 1; }
same "$(there)" "4 runs, 4 in the store, 0 to run" "a second time"
sed -i '$ s/ 1$/ 2/' band.mtx
[[ $(there) == "4 runs, 0 in the store, 4 to run"* ]] || fail "a changed matrix is not seen: $(there)"

# ---- the shipped one can be planned; wrong use
"$MPU" study spacea --store none.db --only speedup --dry-run >out || fail "mpu study spacea --dry-run"
grep -qx "mpu spacea run --near=c --threads 1 --stats statistics.json --map naive --config spacea cant" out || fail "no run of cant: $(head -n 3 out)"
cat >w.yaml <<'YAML'
study: wrong
sets: {own: [{tool: spacea}]}
figures: {f: {columns: {cycles: cycles}}}
YAML
expect "spacea takes a matrix" "$MPU" study w.yaml --store w.db
exit $failed
