#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The flow with another library than its own (OSU 0.5 um): the netlists do what the Verilog does, and have about as many gate equivalents.
# Of fifo, with MPU_LONG of fpu and rtt too; gate equivalents of fifo and rtt, with MPU_LONG of fpu too.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tb/cli/expect.sh
other=${OSU050:-/usr/share/qflow/tech/osu050}/osu05_stdcells.lib
[[ -r $other ]] || { echo "FAILED: no $other; Debian: qflow-tech-osu050"; exit 1; }

bash tb/cosim/signature.sh --liberty "$other" fifo ${MPU_LONG:+fpu rtt} || fail "netlists of the other library differ"
blocks=fifo${MPU_LONG:+,fpu},rtt
gates() { # LIBERTY: of these blocks
  bash synth/area.sh --liberty "$1" --small --blocks $blocks --json "$work/json" >/dev/null 2>"$work/err" || fail "area: $(<"$work/err")"
  jq '[.units[].gate_equivalents] | @text' "$work/json"
}
ours=$(gates "${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib") theirs=$(gates "$other")
[[ $ours != "$theirs" ]] || fail "the same areas with another library: $ours"
jq -en "[($ours | fromjson), ($theirs | fromjson)] | transpose | length == (\"$blocks\" | split(\",\") | length) and all(.[]; .[1] / .[0] | . > 0.75 and . < 1.33)" >/dev/null ||
  fail "gate equivalents of $blocks: $theirs, with the library of 0.18 um $ours"
exit $failed
