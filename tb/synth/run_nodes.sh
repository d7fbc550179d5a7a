#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu area --machine: the modules that nodes declare, each as often as they have it.
set -uo pipefail
. tb/cli/expect.sh
area() { bash synth/area.sh "$@" >"$work/said" 2>"$work/err" || fail "area $*: $(tail -n 2 "$work/err")"; }
# a tool whose machine has a small module only: bank controllers take minutes to map
printf '#!/bin/bash\nprintf "  area     engine: 2 of module reduce\\n  area     host: 1 of module reduce\\n"\n' >"$work/tool"
chmod +x "$work/tool"
area --blocks reduce --csv "$work/one.csv"
one=$(awk -F, '$2 == "\"reduce\"" { print $4, $8 }' "$work/one.csv")
MPU=$work/tool area --machine reduce
want=$(awk '{ printf "engine %.0f %.6f 2 of reduce\nhost %.0f %.6f 1 of reduce\n", 2 * $1, 2 * $2, $1, $2 }' <<<"$one")
[[ $(awk '$1 == "engine" || $1 == "host" { $1 = $1; print }' "$work/said") == "$want" ]] || fail "nodes: $(<"$work/said")"
# what the machines declare is there
"$MPU" machine --list | sed -nE 's/^  area .* of module (.*)/\1/p' | sort -u >"$work/modules"
[[ $(wc -l <"$work/modules") -ge 4 ]] || fail "modules: $(<"$work/modules")"
while read -r module; do
  compgen -G "rtl/*/$module/$module.sv" >"$work/out" || fail "there is no module $module"
done <"$work/modules"
expect "--machine does not go with --blocks" bash synth/area.sh --machine reduce --blocks rtt
MPU=$MPU expect "unknown machine 'none'" bash synth/area.sh --machine none
exit $failed
