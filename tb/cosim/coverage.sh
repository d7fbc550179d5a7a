#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu coverage [--seed N] [--cycles N] [--list] [--config NAME] [--set KEY=VALUE] [block...]: lines of the Verilog that
# a block's random traffic runs through, and, of leaf blocks, bits that toggle. Small builds, see tb/cosim/blocks.txt;
# with --config and --set a block has those sizes of a machine that are not the default. A line that needs not be covered
# is in tb/cosim/uncovered.txt with its reason. --list names the lines that were missed.
# Exit status 1: a block has less than 95 % of its lines.
set -euo pipefail
from=$PWD # shellcheck disable=SC2034 # of command.sh
cd "$(dirname "$0")/../.."
tool=coverage
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
# shellcheck source=/dev/null
. synth/command.sh
build=${NEARBANK_BUILD:-build/test}
seed=1 cycles=40000 list='' only=() want=95
usage() { sed -n '3,7s/^# //p' "$0"; }
while (($#)); do
  case $1 in
  --seed=* | --cycles=* | --config=* | --set=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
  --seed) number "$1" "${2:-}" 0; seed=$2; shift ;;
  --cycles) number "$1" "${2:-}" 1; cycles=$2; shift ;;
  --list) list=1 ;;
  --config | --set) take_machine "$1" "${2:-}"; shift ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu coverage --help" ;;
  *) only+=("$1") ;;
  esac
  shift
done
block_check "${only[@]}"
read_machine
blank_check
for need in verilator verilator_coverage; do
  command -v $need >/dev/null || die "$need is missing (Debian: verilator)"
done
mkdir -p "$build/coverage"
work=$(realpath "$build/coverage")

# file, line and count of every line that can be run, of this block's own files and the common ones
lines_of() { # info
  awk -F'[:,]' -v own="^rtl/([a-z]+/$block|common)/" '/^SF:/ { file = $2 } /^DA:/ { if (file ~ own) { n = file ":" $2; hits[n] += $3 } }
    END { for (n in hits) print n, hits[n] }' "$1" | sort -t: -k1,1 -k2,2n
}

status=0
echo "| block | parameters | lines | covered | excepted | % | bits that toggle | of |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for block in $(block_names "${only[@]}"); do
  if why=$(block_lacks "$block"); then
    echo "coverage: $block left out: $why" >&2
    continue
  fi
  if [[ $block == die_slice && ${#only[@]} == 0 ]]; then
    echo "coverage: die_slice left out: four times nbu takes a quarter of an hour; name it to run it" >&2
    continue
  fi
  d=$work/$block
  rm -rf "$d"
  mkdir -p "$d"
  params=$(block_params "$block")
  block_ports "$block" "$d" >"$d/ports"
  block_record "$block" "$d/ports" "$cycles" "$d/stimulus"
  n=$(wc -l <"$d/stimulus.in")
  read -r n_in n_out < <(block_bits "$d/ports")
  block_shell shell "$block" "$d/ports" "$params" >"$d/shell.v"
  mapfile -t files < <(block_files "$block")
  toggle=(--coverage-toggle)
  [[ $(block_field "$block" 3) != 0 ]] || toggle=()
  # Verilator 5.006 splits processes after it has put its counters in, and then counts the lines of one part for others
  verilate coverage "$d/obj" --cc --exe --timing --coverage-line "${toggle[@]}" -fno-split -fno-localize --x-initial 0 \
    --prefix Vbench --top-module bench -Irtl/common -o coverage -DSYNTHESIS "-DIN=$n_in" "-DOUT=$n_out" \
    "-DCYCLES=$n" "-DSTIMULUS=\"$d/stimulus.in\"" "$PWD/tb/cosim/coverage.cpp" "${files[@]}" "$d/shell.v" tb/cosim/bench.v ||
    die "$block: see $d/obj.log"
  "$d/obj/coverage" "$d/all.dat" >"$d/run.log"
  grep -aE "^(# |C .*v_(line|branch))" "$d/all.dat" >"$d/line.dat"
  # a module's own bits; ports are counted where they are driven
  toggles=$({ grep -aE "^C .*rtl/([a-z]+/$block|common)/.*v_toggle" "$d/all.dat" || true; } | sed -E "s/.*' ([0-9]+)$/\1/" | awk '{ n++; hit += $1 > 0 } END { print n ? hit " " n : "- -" }')
  verilator_coverage --write-info "$d/line.info" "$d/line.dat" >/dev/null
  lines_of "$d/line.info" >"$d/lines"
  total=0 covered=0 excepted=0 missed=()
  while read -r place count; do
    total=$((total + 1))
    if ((count)); then
      covered=$((covered + 1))
      continue
    fi
    file=${place%:*} text=$(sed -n "${place##*:}p" "${place%:*}")
    if awk -F' \\| ' -v f="$file" -v t="$text" '/^#/ || !NF { next } $1 == f && index(t, $2) { found = 1 } END { exit !found }' \
      tb/cosim/uncovered.txt; then
      excepted=$((excepted + 1))
    else
      missed+=("coverage: $place:$text")
    fi
  done <"$d/lines"
  share=$((total - excepted > 0 ? covered * 1000 / (total - excepted) : 1000))
  printf '| %s | %s | %d | %d | %d | %d.%d | %s | %s |\n' "$block" "$params" "$total" "$covered" "$excepted" \
    $((share / 10)) $((share % 10)) ${toggles}
  ((share >= want * 10)) || status=1
  if [[ $list ]] || ((share < want * 10)); then
    ((${#missed[@]})) && printf '%s\n' "${missed[@]}" >&2
  fi
done
exit $status
