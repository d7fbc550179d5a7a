#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu area: see usage. Maps what is not in the cache (cache.sh, map.sh), then adds up (area.awk).
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: mpu area [options]

Maps the Verilog of the DRAM die to standard cells, models its memories, and adds up the area of
each part, side by side with the paper's. What was mapped before and has not changed is not mapped
again. docs/area.md says how each figure comes about.

  --blocks LIST       only these modules of rtl/ (fpu,valu:LANES=4); no table of the die
  --small             each block by itself, whole, nothing multiplied; those without parameters at
                      their sizes of tb/cosim/blocks.txt
  --liberty FILE      cells (OSU 0.18 um of Debian: qflow-tech-osu018); a gate equivalent is their
                      smallest 2-input NAND
  --config FILE       scaling and memory model (synth/area.conf)
  --set KEY=VALUE     another value for a key of that file
  --csv FILE          the same figures as comma-separated values
  --json FILE         the same as JSON, with all that went into them
  --sweep P=V1,V2...  area for several values of lanes, regfile or smem (KB), collectors, rows
  --plot FILE.svg     a drawing of the sweep
  --arrays            arrays of registers that became flip-flops, with their ports
  --memory            the memory model against the points that it was made from
  --netlists          print where the mapped netlists of the blocks are
  --verify            read all netlists together and count the cells of die_slice again
  --check             compare the small sizes (with --full also the whole die) with synth/baseline.json
  --update-baseline   write that file
  -j N                mappings at a time (number of processors)
  -h, --help          this text

Exit status: 0, 1 when --check or --verify finds a difference, 2 for wrong use or what is missing.
TEXT
}
tool=area
# shellcheck source=/dev/null
. synth/command.sh

liberty=$default_liberty config=synth/area.conf baseline=${MPU_AREA_BASELINE:-synth/baseline.json}
blocks='' sets='' csv='' json='' sweep='' plot='' mode='' small='' full='' jobs=$(nproc)
while (($#)); do
  case $1 in
  --blocks=* | --liberty=* | --config=* | --set=* | --csv=* | --json=* | --sweep=* | --plot=*)
    set -- "${1%%=*}" "${1#*=}" "${@:2}"
    continue
    ;;
  --blocks | --liberty | --config | --set | --csv | --json | --sweep | --plot | -j)
    (($# > 1)) || die "$1 needs a value; see mpu area --help"
    case $1 in
    --blocks) blocks=${2//,/ } ;;
    --liberty) liberty=$(absolute "$2") ;;
    --config) config=$(absolute "$2") ;;
    --set) sets+="$2"$'\n' ;;
    --csv) csv=$(absolute "$2") ;;
    --json) json=$(absolute "$2") ;;
    --sweep) sweep=$2 ;;
    --plot) plot=$(absolute "$2") ;;
    -j) jobs=$2 ;;
    esac
    shift
    ;;
  --small) small=1 ;;
  --full) full=1 ;;
  --arrays | --memory | --verify | --netlists | --check | --update-baseline)
    [[ ! $mode ]] || die "$mode and $1 do not go together"
    mode=$1
    ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu area --help" ;;
  *) die "what is '$1'? see mpu area --help" ;;
  esac
  shift
done
[[ ! $plot || $sweep ]] || die "--plot goes with --sweep"
[[ ! $sweep || ! $mode$blocks$small ]] || die "--sweep goes alone"
check_options "$csv" "$json" "$plot"
[[ $mode != --update-baseline ]] || { : >>"$baseline"; } 2>/dev/null || die "cannot write '$baseline'"

work=$(mktemp -d)
running=()
clean_up() {
  local p
  for p in "${running[@]}"; do kill -- "-$p" 2>/dev/null || true; done
  rm -rf "$work" "$map_cache/.new.$$."*
}
map_cache=$work # until cache.sh says
set -m # a process group for each mapping
trap clean_up EXIT
trap 'exit 130' INT TERM

# ---- configuration: lines "config KEY VALUE"
read_config

# ---- what is needed
command -v yosys >/dev/null || die "yosys is missing; Debian: yosys"
check_liberty
[[ $liberty != *[[:space:]]* ]] || die "Yosys takes no blanks in the name of a file: '$liberty'"
read_library
# shellcheck source=/dev/null
. synth/cache.sh
mkdir -p "$map_cache" 2>/dev/null && [[ -w $map_cache ]] || die "cannot write to '$map_cache'"
map_begin

# ---- units: what is mapped by itself. unit NAME MODULE [PARAMETER=VALUE...] in the order in which they are found
declare -A place=() cuts=() call=()
units=()
add_unit() { # CUT MODULE [PARAMETER=VALUE...]: the module, and what is mapped by itself in it
  local cut=$1 name child count rest
  shift
  local path=(rtl/*/"$1.sv" synth/model/"$1.sv")
  [[ -e ${path[0]} || -e ${path[1]} ]] || die "there is no module '$1' in rtl"
  name=$(map_name "$@")
  [[ ! ${place[$name]:-} ]] || return 0
  place[$name]=$(map_place "$name" "$cut" "$@")
  cuts[$name]=$cut call[$name]=$*
  units+=("$name")
  [[ $cut ]] || return 0
  local list=${place[$name]}/report
  if [[ ! -e $list ]]; then
    list=${place[$name]}.children
    if [[ ! -e $list ]]; then
      bash synth/map.sh --children --out "$work/children" --cut "$cut" "$@" >"$work/found" || exit 2
      mv "$work/found" "$list"
    fi
  fi
  local kind
  while read -r kind _ _ rest; do
    # shellcheck disable=SC2086
    [[ $kind != child ]] || add_unit "$(map_cut "${rest%% *}")" $rest
  done <"$list"
}

# ---- mapping, with a line that says how far it is
slow="lsux_words smem bankctl opc lsux regmove"
progress() {
  local line="area: $done_units of $all_units mapped, ${#running[@]} under way: ${names[*]:-}"
  if [[ -t 2 ]]; then printf '\r%-79.79s' "$line" >&2; elif [[ ${1:-} ]]; then echo "area: $1 ($done_units of $all_units)" >&2; fi
}
map_all() {
  local todo=() u status finished failed='' n
  declare -A unit_of=() begun=()
  for u in "${units[@]}"; do # the ones that take long first
    [[ -e ${place[$u]}/report ]] || [[ " $slow " != *" ${u%%__*} "* ]] || todo+=("$u")
  done
  for u in "${units[@]}"; do
    [[ -e ${place[$u]}/report ]] || [[ " $slow " == *" ${u%%__*} "* ]] || todo+=("$u")
  done
  local done_units=0 all_units=${#todo[@]} names=()
  ((all_units)) || return 0
  while ((${#todo[@]} || ${#running[@]})); do
    while ((${#todo[@]} && ${#running[@]} < jobs)) && [[ ! $failed ]]; do
      u=${todo[0]} todo=("${todo[@]:1}")
      # shellcheck disable=SC2086
      map_into "${place[$u]}" "$u" "${cuts[$u]}" ${call[$u]} 2>"$work/$u.err" &
      running+=($!) names+=("$u")
      unit_of[$!]=$u begun[$!]=$SECONDS
    done
    progress
    status=0
    wait -n -p finished "${running[@]}" || status=$?
    for n in "${!running[@]}"; do
      [[ ${running[n]} != "$finished" ]] || unset "running[n]" "names[n]"
    done
    running=("${running[@]}") names=("${names[@]}")
    u=${unit_of[$finished]}
    if ((status)); then
      failed=1 todo=()
      [[ ! -t 2 ]] || printf '\r%79s\r' '' >&2
      sed 's/^map: /area: /' "$work/$u.err" >&2
    else
      done_units=$((done_units + 1))
      progress "$u mapped in $((SECONDS - begun[$finished])) s"
    fi
  done
  [[ ! -t 2 ]] || printf '\r%79s\r' '' >&2
  [[ ! $failed ]] || exit 2
}

# ---- data for area.awk
facts() {
  local u
  cat "$work/config"
  echo "tool yosys $(yosys -V)"
  echo "file liberty $liberty $(sha256sum <"$liberty" | cut -c1-16)"
  echo "file config $config $(sha256sum <"$work/config" | cut -c1-16)"
  sed 's/^/library /' "$work/library"
  for u in "${units[@]}"; do
    echo "unit $u ${call[$u]}"
    sed "s/^/of $u /" "${place[$u]}/report"
  done
}

# Name and parameters of each small block
small_blocks() {
  awk -F'|' '!/^#/ && $3 > 0 { gsub(/ +$/, "", $1); print $1, $2 }' tb/cosim/blocks.txt
}
add_small() {
  local b p
  for b in $blocks; do
    # shellcheck disable=SC2086
    [[ $b != *:* ]] || add_unit "" ${b//:/ }
  done
  while read -r b p; do
    # shellcheck disable=SC2086
    [[ $blocks && " $blocks " != *" $b "* ]] || add_unit "" "$b" $p
  done < <(small_blocks)
}
add_full() {
  local b
  for b in ${blocks:-die_slice fpu rtt}; do
    # shellcheck disable=SC2086
    add_unit "$(map_cut "${b%%:*}")" ${b//:/ }
  done
}

deliver() { # FILE WHERE: where nowhere is asked for, nothing
  [[ ! $2 ]] || cat "$1" 2>/dev/null >"$2" || die "cannot write '$2': is the disk full?"
}
report() { # further arguments of area.awk
  awk -f synth/memory.awk -f synth/area.awk "$@" rows=1 synth/table3.txt rows=0 "$work/facts"
}

if [[ $mode == --memory ]]; then
  for size in "1 8" "1 16" "1 32" "4 32" "1 64"; do # words of 32 bits side by side, rows
    add_unit "" ram_1r1w LANES="${size% *}" BITS=32 DEPTH="${size#* }"
  done
  map_all
  facts >"$work/facts"
  awk -f synth/memory.awk -f synth/points.awk "$work/config" synth/cacti.txt "$work/facts"
  exit
fi
if [[ $sweep ]]; then
  . synth/sweep.sh
  exit
fi
if [[ $mode == --check || $mode == --update-baseline ]]; then
  . synth/baseline.sh
  exit
fi
if [[ $small ]]; then add_small; else add_full; fi
map_all
facts >"$work/facts"
case $mode in
--netlists) for u in "${units[@]}"; do realpath "${place[$u]}/netlist.v"; done ;;
--arrays) awk -f synth/arrays.awk "$work/facts" ;;
--verify) . synth/verify.sh ;;
*)
  report -v wanted="$(sed "s,:[^ ]*,,g" <<<"$blocks")" -v small="$small" -v csv="$work/csv" -v json="$work/json"
  deliver "$work/csv" "$csv"
  deliver "$work/json" "$json"
  ;;
esac
