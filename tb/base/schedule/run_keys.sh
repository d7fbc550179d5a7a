#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Keys reach a machine of nodes: each key of its own section changes what a run says (those of ranges: to the sums of
# these), and so do those of the banks and the network that it is made of. What a machine has no part of changes nothing.
set -uo pipefail
. tb/cli/expect.sh
# what a run says, without what made it
run() {
  "$MPU" machine reduce --near c --set machine.processors=1 --set machine.cores=4 --set reduce.accesses=40 "${base[@]}" "${@:2}" \
    --stats "$work/$1.all" >"$work/report" 2>&1 || fail "$*: $(<"$work/report")"
  sed 's/"configuration": .*"build": {[^}]*}, "cycles"/"cycles"/' "$work/$1.all" >"$work/$1"
}
changes() {
  run other "${@/#/--set=}"
  ! cmp -s "$work/usual" "$work/other" || fail "$* changes nothing"
}
stays() {
  run other "${@/#/--set=}"
  cmp -s "$work/usual" "$work/other" || fail "$* changes something"
}
base=()
run usual
! grep -q configuration "$work/usual" || fail "the configuration is compared too"
declare -A others=([first]=3 [accesses]=41 [requests]=5 [add]=1.5)
keys=$("$MPU" machine --list reduce | sed -nE 's/^  key +reduce\.([a-z_]+):.*/\1/p')
[[ $(wc -w <<<"$keys") -ge 4 ]] || fail "keys: $keys"
for key in $keys; do
  [[ ${others[$key]:-} ]] || { fail "key reduce.$key: give it another value here"; continue; }
  changes "reduce.$key=${others[$key]}"
done
# and not just anything: sums of ranges that follow one another add up to those of both
sums() { # FIRST ACCESSES REQUESTS: into the array `found`
  run other --set reduce.first="$1" --set reduce.accesses="$2" --set reduce.requests="$3"
  read -ra found <<<"$(sed -nE 's/.*"sums": \[(.*)\].*/\1/p' "$work/report" | tr -d ,)"
  ((${#found[@]} == 3)) || { fail "sums of $*: $(<"$work/report")"; exit 1; }
}
sums 0 3 1
before=("${found[@]}")
sums 3 40 4
behind=("${found[@]}")
sums 0 163 1
for k in 0 1 2; do
  (((before[k] + behind[k] & 0xffffffff) == found[k])) ||
    fail "engine $((k + 1)) found ${before[k]} in 3 accesses, ${behind[k]} in 160 behind them, and ${found[k]} in all"
done
base=(--set reduce.requests=9 --set reduce.first=60)
run usual
for set in dram.tRCD=30 dram.CL=30 dram.tCCD=8 dram.row_buffers=1 dram.page=closed dram.queue=1 energy.dram_access=1 \
  energy.on_chip_bit=9 network.interface=20 network.on_chip_bits=32 machine.cores=8; do
  changes $set
done
base=(--set reduce.requests=300)
run usual
changes dram.tREFI=1000
changes dram.tRP=30
changes dram.refresh=false
stays core.warp_slots=4 tsv.queue=64
exit $failed
