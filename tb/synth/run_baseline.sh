#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ratchet: every block is as large as synth/baseline.json has it, and the comparison notices when not. With --long all
# blocks are mapped, else those that have changed since.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tb/cli/expect.sh

changed=--changed
[[ ! ${MPU_LONG:-} ]] || changed=
bash synth/area.sh --check $changed || fail "not as the baseline"

# one block is enough, but for what is missing
check() { MPU_AREA_BASELINE=$work/b.json bash synth/area.sh --check $only "${@:3}" >"$work/out" 2>&1; local status=$?
  [[ $status == "$1" && $(<"$work/out") == *"$2"* ]] || { fail "status $status, not $1, or no '$2' in:"; cat "$work/out"; }; }
only="--blocks fifo"
doctored() { jq "$1" synth/baseline.json >"$work/b.json"; }
fifo='(.blocks[] | select(.size == "small" and .module == "fifo"))'
doctored "$fifo.gate_equivalents *= 1.03"
check 1 "small fifo: gate_equivalents"
doctored "$fifo.gate_equivalents *= 1.01"
check 0 "areas within 2 %"
doctored "$fifo.gate_equivalents *= 0.9"
check 1 "small fifo: gate_equivalents"
doctored "$fifo.flop_bits += 4"
check 1 "small fifo: flop_bits"
doctored "$fifo.gate_equivalents *= 1.03 | .yosys = \"Yosys 0.1\""
check 0 "the baseline is of Yosys 0.1, here is"
doctored "$fifo.flop_bits += 4 | .yosys = \"Yosys 0.1\""
check 1 "small fifo: flop_bits"
doctored "$fifo.fmax_mhz *= 1.1"
check 1 "small fifo: fmax_mhz"
doctored "$fifo.fmax_mhz *= 1.03"
check 0 "areas within 2 %"
doctored "del($fifo)"
check 1 "small fifo is not in the baseline"
doctored "$fifo.module = \"lifo\""
[[ $changed ]] || only='' check 1 "small lifo of the baseline is not there"
# what has the key of the baseline is not mapped, all else is
cp synth/baseline.json "$work/b.json"
only='' check 0 "$(jq '[.blocks[] | select(.size == "small")] | length' synth/baseline.json) areas need not be compared" --changed
doctored "$fifo.key = \"0\" | $fifo.gate_equivalents *= 1.03"
only='' check 1 "small fifo: gate_equivalents" --changed
doctored "del($fifo.key)"
only='' check 0 "1 areas within 2 %" --changed
doctored "$fifo.module = \"lifo\""
only='' check 1 "small lifo of the baseline is not there" --changed
doctored '.tolerance_percent = 5 | (.blocks[] | .gate_equivalents) *= 1.04'
check 0 "areas within 5 %"
cp synth/baseline.json "$work/b.json"
check 1 "the configuration is not that of the baseline" --tech-set gate_um2=0.2
echo '{}' >"$work/b.json"
check 2 "is not a valid baseline"
head -c 300 synth/baseline.json >"$work/b.json"
check 2 "is not a valid baseline"
rm "$work/b.json"
check 2 "cannot read the baseline"
mkdir "$work/b.json"
MPU_AREA_BASELINE=$work/b.json bash synth/area.sh --update-baseline >"$work/out" 2>&1
[[ $? == 2 && $(<"$work/out") == *"cannot write '$work/b.json'"* ]] || fail "--update-baseline to a folder: $(<"$work/out")"
exit $failed
