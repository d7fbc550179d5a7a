#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every module of the Verilog is taken by Verilator -Wall and by Yosys, both without a warning, and by Icarus
# without more than its note on `always_comb`; what Yosys makes of it has no latch. Verilator's waivers are named.
# Parts of blocks are taken within them, and Verilator has taken what the build has models of; with MPU_LONG each alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
work=${NEARBANK_BUILD:-build/test}/portable
mkdir -p "$work"
status=0
complain() {
  echo "portable: $*" >&2
  status=1
}

# Blocks as they are, not the small builds; of what has lanes, entries or room, few for Yosys: its time grows with them.
# Rows of banks stay.
small() {
  grep -qE 'parameter int N( |=)' "$1" && echo "chparam -set N 4 $2"
  grep -q 'parameter int DEPTH' "$1" && echo "chparam -set DEPTH 2 $2"
  grep -q 'parameter int ENTRIES' "$1" && echo "chparam -set ENTRIES 2 $2"
  grep -q 'parameter int LANES' "$1" && echo "chparam -set LANES 4 $2"
  grep -q 'parameter int BANKS' "$1" && echo "chparam -set BANKS 2 $2"
  [[ $2 == bankctl* || $2 == rowbuf ]] || { grep -q 'parameter int ROWS ' "$1" && echo "chparam -set ROWS 4 $2"; }
  true
}

blocks=() parts=()
for file in rtl/*/*.sv rtl/*/*/*.sv; do
  top=$(basename "$file" .sv)
  [[ $top == *_pkg || $top == bankctl_rules ]] && continue # the latter is for proofs
  if [[ $file == */"$top/$top.sv" ]]; then blocks+=("$file"); else parts+=("$file"); fi
done
count=0
declare -A seen=()
for file in "${blocks[@]}" "${parts[@]}"; do
  top=$(basename "$file" .sv)
  [[ ${MPU_LONG:-} || ! ${seen[$file]:-} || $file == */"$top/$top.sv" ]] || continue
  mapfile -t files < <(block_files "$top")
  for f in "${files[@]}"; do seen[$f]=1; done
  count=$((count + 1))
  # the build has -Wall too. -O3 as there: 5.006 says of arguments of functions in die_slice, without it, that they hide
  # signals of nbu
  out=''
  [[ ! ${MPU_LONG:-} && -e ${NEARBANK_BUILD:-build/test}/rtl/$top/V$top.h ]] || out=$(verilator --lint-only -O3 -Wall --top-module "$top" -Irtl/common "${files[@]}" 2>&1) || true
  [[ ! $out ]] || complain "Verilator, $top:"$'\n'"$(head -n 5 <<<"$out")"
  out=$(iverilog -g2012 -Wall -s "$top" -o /dev/null -Irtl/common "${files[@]}" 2>&1 | grep -v 'sorry: constant selects in always_\* processes' || true)
  grep -qE 'error|sorry' <<<"$out" && complain "Icarus, $top:"$'\n'"$(grep -E 'error|sorry' <<<"$out" | head -n 5)"
  # parts of a block are in its hierarchy, so Yosys gets the blocks; those of nbu, die_slice and bgroup are here, and wide
  case $top in nbu | die_slice) continue ;; bgroup) [[ ${MPU_LONG:-} ]] || continue ;; esac
  [[ ${MPU_LONG:-} || $file == */"$top/$top.sv" ]] || continue
  if ! out=$(yosys -q -p "read_verilog -sv -DSYNTHESIS -Irtl/common $(printf '%s ' "${files[@]}" | sed 's/ $//')
      $(small "$file" "$top")
      hierarchy -check -top $top; proc; ${MPU_LONG:+opt;} check -assert; select -assert-none t:\$dlatch t:\$adlatch t:\$_DLATCH_*" 2>&1); then
    complain "Yosys, $top: $(grep -m3 -iE 'error|latch' <<<"$out")"
  elif [[ $out == *Warning* ]]; then
    complain "Yosys, $top: $(grep -m3 Warning <<<"$out")"
  fi
done

# Waivers: each for a line, none for a file or for all.
while IFS=: read -r file line text; do
  complain "$file:$line: a waiver for more than a line: $text"
done < <(grep -nE 'lint_off *$|lint_off +-rule' rtl -r --include=*.sv --include=*.vlt | grep -v 'lint_off [A-Z]' || true)
off=$(grep -rhoE 'verilator lint_off' rtl | wc -l) on=$(grep -rhoE 'verilator lint_on' rtl | wc -l)
((off == on)) || complain "$off waivers begin, $on end"
((count)) || complain "no modules"
((status)) || echo "portable: $((${#blocks[@]} + ${#parts[@]})) modules, $count of them alone"
exit $status
