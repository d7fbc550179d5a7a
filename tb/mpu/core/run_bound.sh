#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Streaming reaches what the machine allows: AXPY, an element a thread, takes at most a ninth longer than the tightest of
# its resources would be busy. That is with gto: with lrr all warps of a subcore end together, and issue reaches 85 %. Only issue is near its bound there; the rest of the cycles are refresh, 350 of 3900.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$MPU" run -q --near=c --set core.schedule=gto --stats "$work/s" kernels/axpy -- --n 524288 --blocks 4096 >"$work/out"
value() { grep -o "\"$1\": [0-9]*" "$work/s" | head -n 1 | grep -o '[0-9]*$'; }
cycles=$(value cycles) issue=$(value bound_issue) tsv=$(value bound_tsv) banks=$(value bound_banks)
commands=$(value bound_commands)
tightest=$(printf '%s\n' "$issue" "$tsv" "$banks" "$commands" | sort -n | tail -n 1)
echo "$cycles cycles; at least $issue to issue, $tsv on the TSV bus, $banks in the banks, $commands on their command bus"
# what the program is known to need: 25 instructions a warp; 3 lines of 4 sectors, 2 cycles each, in 16 banks
((issue == 25 * 4096 && banks == 524288 / 32 * 3 * 4 * 2 / 16)) || { echo "FAILED: the bounds"; exit 1; }
# all commands of the unit with the most
jq -e '.bound_commands == ([.core.nbus[] | [.banks[] | .act + .pre + .sasel + .rd + .wr + .ref] | add] | max)' \
  "$work/s" >"$work/out" || { echo "FAILED: the command bus: $commands"; exit 1; }
((tightest <= cycles && 100 * tightest >= 90 * cycles)) || { echo "FAILED: less than 90 % of the bound"; exit 1; }
# what shared memory works, with conflicts, whoever asks
"$MPU" run -q --near=c --stats "$work/s" kernels/tiled/maxp >"$work/out"
jq -e '.bound_shared > 0 and .bound_shared == ([.core.nbus[] | .smem_requests + .smem_conflicts] | add)' "$work/s" >"$work/out" ||
  { echo "FAILED: shared memory: $(value bound_shared)"; exit 1; }
# a bus of half the width: as many flits, in twice the cycles, and no more of it can be used
"$MPU" run --near=c --set tsv.flits_per_cycle=1 --stats "$work/s" kernels/axpy -- --n 4096 >"$work/out"
flits=$(($(value bus_down) + $(value bus_up)))
(($(value bound_tsv) == flits)) || { echo "FAILED: one flit a cycle: $flits take $(value bound_tsv) cycles"; exit 1; }
share=$(awk -v f=$flits -v c="$(value cycles)" 'BEGIN { printf "%.1f", 100 * f / c }')
grep -q "^TSV bus  *$share % " "$work/out" || { echo "FAILED: one flit a cycle: not $share % of the bus:" && grep ^TSV "$work/out"; exit 1; }
