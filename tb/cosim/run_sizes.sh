#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The ranges that the headers of modules name are true: each line of sizes.txt elaborates and lints in Verilator, and what is
# small in Icarus and Yosys too, without a warning; or Icarus, once a module Verilator too, says that the check of the range
# does not hold. With MPU_LONG all lines go through all three, and twin and Verilog run at every line of benches.txt too;
# ctest runs those that are marked there. With names of modules: those alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
build=${NEARBANK_BUILD:-build/test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() {
  echo "sizes: $*" >&2
  status=1
}

# with_verilator TOP "A=1 B=2" FILE...: what they say; nothing, when all is well
with_verilator() {
  local top=$1 given=''
  for p in $2; do given+=" -G$p"; done
  # shellcheck disable=SC2086
  verilator --lint-only -O3 -Wall --top-module "$top" $given -Irtl/common "${@:3}" 2>&1 || true
}
with_icarus() {
  local top=$1 given=''
  for p in $2; do given+=" -P$top.$p"; done
  # shellcheck disable=SC2086
  iverilog -g2012 -Wall -s "$top" $given -o /dev/null -Irtl/common "${@:3}" 2>&1 | grep -E 'error|sorry' |
    grep -v 'sorry: constant selects in always_\* processes' || true
}
with_yosys() {
  local top=$1 set='' f read=''
  for p in $2; do set+=" -set ${p%=*} ${p#*=}"; done
  for f in "${@:3}"; do read+="read_verilog -sv $([[ $f == *_pkg.sv ]] || echo -defer) -DSYNTHESIS -Irtl/common $f; "; done
  yosys -q -p "$read chparam$set $top; hierarchy -check -top $top; $([[ ! ${MPU_LONG:-} || $top == nbu || $top == die_slice ]] || echo 'proc; check -assert')" 2>&1 || true
}

lines=0 units=0 refused=''
while IFS='|' read -r top sizes verdict; do
  top=$(trim "$top") sizes=$(trim "$sizes") verdict=$(trim "$verdict")
  [[ $top && $top != \#* ]] || continue
  ((!$#)) || [[ " $* " == *" $top "* ]] || continue
  # Verilator takes a quarter of a minute for each of four near-bank units, whose sizes it has; of these the first two
  # lines have the least and the most of all
  [[ ${MPU_LONG:-} || "$*" || $verdict == refused || $top != die_slice && ! ($top == nbu && $((++units)) -gt 2) ]] || continue
  lines=$((lines + 1))
  mapfile -t files < <(block_files "$top")
  tools='verilator icarus yosys'
  # what has lanes takes seconds: not Yosys, and Verilator alone for what all take, unless MPU_LONG is set. What is refused
  # is so by the same line of the Verilog in each tool: by Icarus alone, but for the first of a module
  if [[ ! ${MPU_LONG:-} && $verdict == refused ]]; then
    [[ $refused != *" $top "* && " nbu die_slice " != *" $top "* ]] && tools='verilator icarus' || tools=icarus
    refused+=" $top "
  elif [[ ! ${MPU_LONG:-} && " fifo rr_arb ram_1r1w ram_1r3w tsv rtt " != *" $top "* ]]; then
    tools=verilator
  fi
  named=''
  for tool in $tools; do
    out=$("with_$tool" "$top" "$sizes" "${files[@]}")
    case $verdict in
    ok) [[ ! $out ]] || complain "$tool, $top with $sizes: $(head -n 3 <<<"$out")" ;;
    refused)
      [[ $out == *[eE]rror* || $out == *ERROR* ]] || complain "$tool takes $top with $sizes: $(head -n 3 <<<"$out")"
      [[ ! $out =~ 'Cannot find file containing module'|'Unknown module type' ]] || named=1
      ;;
    *) die "sizes.txt: '$verdict' is not ok or refused" ;;
    esac
  done
  [[ $verdict != refused || $named ]] || complain "nobody says what is wrong with $top with $sizes"
done <tb/cosim/sizes.txt
((lines)) || complain "no sizes"

# each parameter of a block is in the table, and something beyond its range; those of nbu and die_slice are theirs
while read -r module parameter; do
  grep -qE "^$module +\|(.* )?$parameter=.*\| ok" tb/cosim/sizes.txt || complain "sizes.txt has no $parameter of $module"
  grep -qE "^$module +\|(.* )?$parameter=.*\| refused" tb/cosim/sizes.txt || complain "sizes.txt has nothing beyond the range of $parameter of $module"
done < <(shopt -s nullglob; for b in tsv order forms opc regfile lsux rowbuf smem regmove valu rtt fifo ram_1r3w bankctl nbu_completions xcam ldq cam_2s1w rowctl; do
  f=(rtl/*/$b.sv rtl/*/*/$b.sv)
  awk -v b="$b" '/ parameter int / { sub(/.*parameter int +/, ""); sub(/ .*/, ""); print b, $0 }' $(ls "${f[@]}" 2>/dev/null)
done)

# nbu and die_slice, and the blocks of other machines, have the sizes of the table that the twins have, with their
# defaults and ranges
while IFS=, read -r table name standard low high step; do
  machine=$(basename "${table%/*}")
  for f in $(if [[ $machine == mpu ]]; then ls rtl/mpu/{nbu/nbu,die_slice/die_slice}.sv; else grep -lE "parameter int $name " rtl/"$machine"/*/*.sv; fi); do
    [[ $name != SMEM_ROWS || $f == */die_slice.sv ]] || continue
    range="$low to $high"
    ((step)) || { ((low)) && range="a power of two, $range" || range="0 or a power of two, 2 to $high"; }
    grep -qE "parameter int $name += $standard,? +/// .*$range\$" "$f" ||
      complain "$f: $name is not $standard, $range, as $table says"
  done
done < <(for t in csim/*/structure.def; do sed -nE "s#^STRUCTURE\([a-z_]+, ([A-Z_]+), ([0-9]+), ([0-9]+), ([0-9]+), ([0-9]+),.*#$t,\1,\2,\3,\4,\5#p" "$t"; done)

# the twin alone runs at sizes that no Verilog of its program has, and its recording has a line a cycle
if [[ -x $build/tb/cosim_opc && ! $# ]]; then
  "$build/tb/cosim_opc" --quiet --twin --sizes "COLLECTORS=2" --cycles 1000 --record "$work/twin" >"$work/out" 2>&1 ||
    complain "cosim_opc --twin: $(head -n 5 "$work/out")"
  [[ $(wc -l <"$work/twin.out") == 1000 ]] || complain "cosim_opc --twin records $(wc -l <"$work/twin.out") cycles"
fi

benches=0
while [[ ${MPU_LONG:-} ]] && IFS='|' read -r block sizes _; do
  block=$(trim "$block") sizes=$(trim "$sizes")
  [[ $block && $block != \#* ]] || continue
  ((!$#)) || [[ " $* " == *" $block "* ]] || continue
  name=cosim_${block}__${sizes//[= ]/_}
  benches=$((benches + 1))
  cmake --build "$build" --target "$name" >"$work/log" 2>&1 || { complain "$name does not build: $(grep -m3 rror "$work/log")"; continue; }
  "$build/tb/$name" --quiet --sizes "$sizes" >"$work/out" 2>&1 || complain "$block with $sizes: $(head -n 5 "$work/out")"
done <tb/cosim/benches.txt
((status)) || echo "sizes: $lines elaborated or refused, $benches benches"
exit $status
