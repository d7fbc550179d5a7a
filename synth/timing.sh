#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu timing: see usage. Times the netlists that mpu area adds up (area.sh, cache.sh, map.sh).
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: mpu timing [options] [block[:PARAMETER=VALUE...]]...

The longest path between registers of each block of the Verilog, mapped to standard cells as mpu area
maps it, by OpenSTA: in ns and in fan-outs of four (an inverter of the library that drives four of its
kind), the frequency that it allows, and what that makes of it at 20 nm, in a logic and in a DRAM process.
Without blocks: all, those with lanes with few of them. nbu and die_slice are made of the others: of them it
is the path to the enable of their clock gate, which has half a cycle; with --die nbu the longest one.

  --die               blocks as the die has them
  --config NAME       the machine whose sizes blocks have: a preset or a YAML file (paper)
  --set KEY=VALUE     another value for a key of it (near.collectors=8); repeatable
  --small             blocks at their sizes of tb/cosim/blocks.txt, whole
  --netlist FILE      a mapped netlist instead of blocks of rtl; TOP, its module, in place of the block
  --path              the path of each block too: times, gates, signals by their names in the Verilog
  --liberty FILE      cells (OSU 0.18 um of Debian: qflow-tech-osu018)
  --tech FILE         bound and scaling (synth/timing.conf)
  --tech-set KEY=VALUE another value for a key of that file
  --csv FILE          the same figures as comma-separated values
  --json FILE         the same as JSON, with the paths
  -j N                mappings at a time (number of processors)
  -h, --help          this text

Exit status: 0, 1 when a block is slower than the bound, 2 for wrong use or what is missing.
TEXT
}
tool=timing
# shellcheck source=/dev/null
. synth/command.sh

liberty=$default_liberty config=synth/timing.conf sets='' csv='' json='' size='' path='' netlist='' jobs=$(nproc) how='' blocks=()
while (($#)); do
  case $1 in
  --config=* | --set=* | --liberty=* | --tech=* | --tech-set=* | --csv=* | --json=* | --netlist=*)
    set -- "${1%%=*}" "${1#*=}" "${@:2}"
    continue
    ;;
  --config | --set | --liberty | --tech | --tech-set | --csv | --json | --netlist | -j)
    (($# > 1)) || die "$1 needs a value; see mpu timing --help"
    case $1 in
    --config | --set) take_machine "$1" "$2" ;;
    --liberty) liberty=$(absolute "$2") ;;
    --tech) config=$(absolute "$2") ;;
    --tech-set) sets+="$2"$'\n' ;;
    --csv) csv=$(absolute "$2") ;;
    --json) json=$(absolute "$2") ;;
    --netlist) netlist=$(absolute "$2") ;;
    -j) jobs=$2 ;;
    esac
    shift
    ;;
  --die | --small)
    [[ ! $size || $size == "$1" ]] || die "$size and $1 do not go together"
    size=$1
    ;;
  --path) path=1 ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu timing --help" ;;
  *) blocks+=("$1") ;;
  esac
  shift
done
[[ ! $netlist || ! $size ]] || die "--netlist and $size do not go together"
[[ ! $netlist || ${#blocks[@]} -eq 1 ]] || die "--netlist needs one name, that of its module"
[[ ! $netlist || -r $netlist ]] || die "cannot read the netlist '$netlist'"
[[ $size != --small || "${blocks[*]}" != *:* ]] || die "--small blocks have their own parameters"
[[ ! ${machine[*]} || ! $netlist && $size != --small ]] || die "--config and --set do not go together with --netlist or --small"
check_options "$csv" "$json"
read_machine
command -v sta >/dev/null || die "sta is missing; Debian: opensta"
[[ $netlist ]] || check_cache
check_liberty

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
read_config
read_library
# shellcheck source=/dev/null
. synth/cache.sh
map_begin

# ---- blocks as area.sh takes them: with parameters they are mapped whole
usual=(fpu valu:LANES=4 regfile:LANES=4 opc:LANES=4 lsux:LANES=8 bankctl smem:LANES=8:BANKS=8:ROWS=8 regmove:LANES=32 tsv
  order forms rtt nbu_completions:LANES=4 nbu die_slice)
# bankctl as the die has it: its netlist there and that without parameters are two mappings of the same logic.
[[ $structure ]] || usual=("${usual[@]/#bankctl/bankctl:COLS=32:DEPTH=16:ROWS=16384:SUBARRAYS=32}")
# A block with a clock gate, and what is logic up to its enable; in front of the rest are registers.
declare -A gated=([nbu]="tsv order opc:LANES=4 lsux:LANES=8 bankctl regmove:LANES=4 nbu_completions:LANES=4" [die_slice]="")
case $netlist$size in
"")
  [[ ${blocks[*]} ]] || blocks=("${usual[@]}")
  for n in "${!blocks[@]}"; do
    b=${blocks[n]}
    [[ ! ${gated[${b%%:*}]+x} || $b != *:* ]] || die "${b%%:*} takes no parameters here, but sizes of a machine (--set)"
    [[ ! ${gated[$b]+x} ]] || continue
    for u in "${usual[@]}"; do [[ ${u%%:*} != "$b" ]] || blocks[n]=$u; done
    [[ ${blocks[n]} == *:* ]] || blocks[n]+=:
  done
  how=--small
  ;;
--die) [[ ${blocks[*]} ]] || blocks=(fpu valu regfile opc lsux bankctl smem regmove tsv order forms rtt nbu_completions nbu_decode) how='' ;;
--small)
  mapfile -t known < <(awk -F'|' '!/^#/ && $3 > 0 { gsub(/ +$/, "", $1); print $1 }' tb/cosim/blocks.txt)
  for b in "${blocks[@]}"; do [[ " ${known[*]} " == *" $b "* ]] || die "unknown small build '$b'; known: ${known[*]}"; done
  [[ ${blocks[*]} ]] || blocks=("${known[@]}")
  how=--small
  ;;
esac
sized() { # BLOCK: with the sizes of the machine
  local with
  [[ $structure ]] || { echo "$1"; return; }
  # shellcheck disable=SC2046,SC2086
  with=$(printf '%s:' "${1%%:*}" $(with_structure ${1//:/ }))
  [[ $how == --small && $with != *:*:* ]] || with=${with%:} # "valu:" is valu without parameters, whole
  echo "$with"
}
gate() { [[ $how == --small && $size != --small && ${gated[$1]+x} ]]; } # BLOCK: is it the path to its clock gate?
mapped=() # blocks that area.sh maps
for n in "${!blocks[@]}"; do
  if gate "${blocks[n]}"; then
    for b in ${gated[${blocks[n]}]} clkgate; do
      [[ $b == *:* ]] || b+=:
      mapped+=("$(sized "$b")")
    done
  else
    blocks[n]=$(sized "${blocks[n]}")
    mapped+=("${blocks[n]}")
  fi
done
list() { local IFS=,; echo "$*"; }
area() { # BLOCKS: paths of their netlists, and of all that is mapped by itself in them
  bash synth/area.sh --liberty "$liberty" -j "$jobs" $how --blocks "$1" --netlists 2> >(sed 's/^area:/timing:/' >&2)
}
parameters() { # of a block
  if [[ $size == --small ]]; then
    awk -F'|' -v b="$1" '{ gsub(/ +$/, "", $1) } $1 == b { gsub(/^ +| +$/, "", $2); print $2 }' tb/cosim/blocks.txt
  elif [[ $1 == *:* ]]; then
    tr : ' ' <<<"${1#*:}"
  fi
}
[[ $netlist ]] || area "$(list "${mapped[@]}")" >/dev/null || exit 2

# The netlist of a block with a clock gate, linked with those that are logic up to its enable: paths of files
gate_files() { # BLOCK, whose netlist gets the name gate
  local b one names='' files=()
  for b in ${gated[$1]} clkgate; do
    [[ $b == *:* ]] || b+=:
    b=$(sized "$b")
    one=$(area "$b") || return 2
    files+=("$one")
    # shellcheck disable=SC2046
    names+=" ${b%%:*}=$(map_name "${b%%:*}" $(parameters "$b"))"
  done
  # shellcheck disable=SC2046
  one=$(map_place gate "$(map_cut "$1")" "$1" $(with_structure "$1"))
  # shellcheck disable=SC2046
  [[ -e $one/report ]] || map_into "$one" gate "$(map_cut "$1")" "$1" $(with_structure "$1") || return 2
  awk -v linked="$names" -f synth/nets.awk -f synth/sources.awk "$work/library" pass=count "$one/netlist.v" pass=write "$one/netlist.v" >"$work/$1.v"
  echo "$work/$1.v ${files[*]}"
}

# Netlists with something in place of their memories
plain() { # FILES
  local f new
  for f in "$@"; do
    if grep -q 'ram_1r1w #($' "$f"; then
      new=$work/$(basename "$(dirname "$f")").v
      awk -v name="ram_$(basename "$(dirname "$f")" | tr . _)" -f synth/macros.awk "$work/library" "$f" >"$new"
      f=$new
    fi
    echo "$f"
  done
}
run() { # NAME PROCEDURE: what OpenSTA says
  printf 'source synth/timing.tcl\n%s\n' "$2" >>"$work/script.tcl"
  sta -no_splash -exit "$work/script.tcl" >"$work/$1" 2>&1 || true
  ! grep -q '^Error' "$work/$1" || die "OpenSTA: $1: $(grep -m1 '^Error' "$work/$1")"
}

# ---- the inverter
inverter=$(awk '$1 == "inverter" { print $2 }' "$work/library")
cat >"$work/script.tcl" <<TCL
set liberty {$liberty}
set inverter $inverter
set work $work
read_liberty \$liberty
foreach p [get_lib_pins [get_property [lindex [get_libs *] 0] name]/$inverter/*] {
  set [expr {[get_property \$p direction] eq "input" ? "in" : "out"}] [get_property \$p name]
}
TCL
run fo4 fo4
fo4=$(awk '$4 == "i1/" y { a = $2 } /i0\// && $2 ~ /^[0-9]/ { z = $2 } /i4\// && $2 ~ /^[0-9]/ { b = $2 } END { if (b) printf "%.5f\n", (b - z) / 4 }' "$work/fo4")
[[ $fo4 ]] || die "OpenSTA finds no delay of $inverter in '$liberty'"

# ---- each block
: >"$work/facts"
for b in "${blocks[@]}"; do
  top=${b%%:*} name=${b%%:*} gates=0 of=$(parameters "$b")
  if gate "$b"; then
    files=$(gate_files "$b") top=gate gates=1 of='clock gate'
  elif [[ $netlist ]]; then
    files=$netlist
  else
    # shellcheck disable=SC2046
    files=$(area "$b") top=$(map_name "$top" $(parameters "$b"))
  fi
  # shellcheck disable=SC2086
  printf 'set liberty {%s}\nset netlists {%s}\nset top %s\n' "$liberty" "$(plain $files | tr '\n' ' ')" "$top" >"$work/script.tcl"
  run "$name" $'begin\nset gates '"$gates"$'\nlongest_path'
  if ! grep -q ^period "$work/$name"; then
    grep -qE '^no (path|clk_i)' "$work/$name" || die "OpenSTA: $name: $(grep -m1 -iE 'error|not' "$work/$name" || echo 'no report')"
    echo "block $name $of" >>"$work/facts"
    echo "none" >>"$work/facts"
    continue
  fi
  echo "block $name $of" >>"$work/facts"
  cat "$work/$name" >>"$work/facts"
done
status=0
awk -f synth/timing.awk -v fo4="$fo4" -v liberty="$liberty" -v path="$path" -v csv="${csv:+$work/csv}" -v json="${json:+$work/json}" "$work/config" "$work/library" "$work/facts" || status=$?
((status != 3)) || die "cannot write to '$work': is the disk full?"
deliver "$work/csv" "$csv"
deliver "$work/json" "$json"
exit $status
