#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Registers of streams, with --reorder: what a loop loads has a number that nothing else in it is written to, as long as
# there are numbers that cost no warp its place; and a histogram computes the same, in less time.
set -uo pipefail
. tb/cli/expect.sh
# loop OPTIONS...: writes of the number that the load of the first kernel's loop goes to; near registers
loop() {
  "$MPU" cc --locate=cost --forms --near-predicates "$@" kernels/tiled/hist -o "$work/hist" && "$MPU" dis "$work/hist" >"$work/dis" ||
    fail "mpu cc $*"
  sed -i '/^\.kernel .*hist_add/,$d' "$work/dis"
  local number
  number=$(sed -n 's/^ *ld\.global[^ ]* \(r[0-9]*\), .*/\1/p' "$work/dis")
  sed -n '/ld\.global/,/bra/p' "$work/dis" | grep -cE "^ *[a-z0-9.]+(\.[A-Z])? $number,"
  awk '/^\.regs/ {print $2 + $3}' "$work/dis"
}
[[ $(loop --reorder) == $'1\n8' ]] || fail "with order: $(loop --reorder | xargs) writes and near registers, not 1 8"
(($(loop | head -n 1) > 1)) || fail "without order a number is for the load alone, too"
[[ $(loop --reorder --maxregs=8 | tail -n 1) -le 8 ]] || fail "more registers than --maxregs"

"$MPU" run -q --near=c --config nearbank-small --stats "$work/c.json" kernels/tiled/hist -- --n 32768 >"$work/out" || fail "the histogram"
"$MPU" run -q --near=lockstep --config nearbank-small --stats "$work/lockstep.json" kernels/tiled/hist -- --n 32768 >"$work/out" ||
  fail "the histogram in lockstep"
# a round of a warp, of which there are four and 256 rounds, takes about 50 cycles; one behind the other 89
[[ $(jq .cycles "$work/c.json") == $(jq .cycles "$work/lockstep.json") && $(jq .cycles "$work/c.json") -lt 18000 ]] ||
  fail "$(jq .cycles "$work/c.json") and $(jq .cycles "$work/lockstep.json") cycles"
exit $failed
