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
again. docs/area.md explains each figure.

  --blocks LIST       only these modules of rtl/ (fpu,valu:LANES=4); no table of the die
  --config NAME       the machine whose sizes blocks have: a preset or a YAML file (paper)
  --set KEY=VALUE     another value for a key of it (near.collectors=8); repeatable
  --machine NAME      the modules that the nodes of a machine declare (mpu machine --list), and the
                      area of a node
  --small             each block by itself, whole, nothing multiplied; those without parameters at
                      their sizes of tb/cosim/blocks.txt
  --liberty FILE      cells (OSU 0.18 um of Debian: qflow-tech-osu018); a gate equivalent is their
                      smallest 2-input NAND
  --tech FILE         scaling and memory model (synth/area.conf)
  --tech-set KEY=VALUE another value for a key of that file
  --csv FILE          the same figures as comma-separated values
  --json FILE         the same as JSON, with all that went into them
  --sweep P=V1,V2...  area for several values of lanes, regfile or smem (KB), collectors, rows
  --plot FILE.svg     a drawing of the sweep
  --arrays            arrays of registers that became flip-flops, with their ports
  --memory            the memory model against the points that it was made from
  --netlists          print where the mapped netlists of the blocks are
  --verify            read all netlists together and count the cells of die_slice again
  --check             compare the small sizes with synth/baseline.json
  --full              with --check: the whole die too
  --changed           with --check: only blocks of which all that goes into their area (Verilog,
                      library, tools, scripts) is not what it was for the baseline
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
blocks='' of_machine='' sets='' csv='' json='' sweep='' plot='' mode='' small='' full='' changed='' jobs=$(nproc)
while (($#)); do
  case $1 in
  --blocks=* | --machine=* | --config=* | --set=* | --liberty=* | --tech=* | --tech-set=* | --csv=* | --json=* | --sweep=* | --plot=*)
    set -- "${1%%=*}" "${1#*=}" "${@:2}"
    continue
    ;;
  --blocks | --machine | --config | --set | --liberty | --tech | --tech-set | --csv | --json | --sweep | --plot | -j)
    (($# > 1)) || die "$1 needs a value; see mpu area --help"
    case $1 in
    --blocks) blocks=${2//,/ } ;;
    --machine) of_machine=$2 ;;
    --config | --set) take_machine "$1" "$2" ;;
    --liberty) liberty=$(absolute "$2") ;;
    --tech) config=$(absolute "$2") ;;
    --tech-set) sets+="$2"$'\n' ;;
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
  --changed) changed=1 ;;
  --arrays | --memory | --verify | --netlists | --check | --update-baseline)
    [[ ! $mode ]] || die "$mode and $1 do not go together"
    mode=$1
    ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu area --help" ;;
  *) die "unexpected argument '$1'; see mpu area --help" ;;
  esac
  shift
done
[[ ! $plot || $sweep ]] || die "--plot goes with --sweep"
[[ ! ${machine[*]} || ! $sweep$small && " --memory --check --update-baseline " != *" ${mode:-none} "* ]] ||
  die "--config and --set do not go together with --small, --sweep, --memory, --check or --update-baseline"
[[ ! $full || $mode == --check ]] || die "--full goes with --check"
[[ ! $changed || $mode == --check ]] || die "--changed goes with --check"
[[ ! $full || ! $changed ]] || die "--full and --changed do not go together"
[[ ! $mode || ! $csv$json ]] || die "--csv and --json do not go together with $mode"
[[ ! $sweep || ! $json ]] || die "--json does not go with --sweep, which writes --csv"
[[ ! $sweep || ! $mode$blocks$small ]] || die "--sweep does not go with other modes or --blocks"
[[ ! $of_machine || ! $blocks$mode$small$sweep ]] || die "--machine does not go with --blocks, --small, --sweep or other modes"
check_options "$csv" "$json" "$plot"
read_machine
# Area rows that the nodes of a machine declare: KIND NUMBER MODULE.
declared=''
if [[ $of_machine ]]; then
  mpu=${MPU:-build/release/mpu-tool}
  [[ -x $mpu ]] || die "'$mpu' is not built, which --machine needs; start as ./mpu $tool"
  declared=$("$mpu" machine --list "$of_machine") || exit 2
  declared=$(sed -nE 's/^  area +([^:]+): ([0-9]+) of module (.*)/\1 \2 \3/p' <<<"$declared")
  [[ $declared ]] || die "no node of the machine '$of_machine' declares a module"
  blocks=$(awk '!seen[$3]++ { printf "%s%s", n++ ? " " : "", $3 }' <<<"$declared")
fi
check_cache
[[ $mode != --update-baseline ]] || can_write "$baseline" || die "cannot write '$baseline'"

work=$(mktemp -d)
running=() ticker=
clean_up() {
  local p
  exec 2>/dev/null # the shell would tell of each that it ends
  # not for all: who started this may have left it a child, which ends when this does
  for p in "${running[@]}" $ticker; do
    kill -- "-$p" || true
    wait "$p" || true
  done
  rm -rf "$work" "$map_cache/.new.$$."*
}
interrupted() {
  [[ ! -t 2 ]] || printf '\r%79s\r' '' >&2
  echo "area: interrupted; what was mapped so far is kept" >&2
  exit 130
}
map_cache=$work # until cache.sh says
set -m # a process group for each mapping
trap clean_up EXIT
trap interrupted INT TERM

# ---- configuration: lines "config KEY VALUE"
read_config

# ---- what is needed
command -v yosys >/dev/null || die "yosys is missing; Debian: yosys"
check_liberty
[[ $liberty != *[[:space:]]* ]] || die "Yosys cannot read a file with a blank in its name: '$liberty'"
read_library
# shellcheck source=/dev/null
. synth/cache.sh
map_begin

# ---- units: what is mapped by itself. unit NAME MODULE [PARAMETER=VALUE...] in the order in which they are found
declare -A place=() cuts=() call=()
units=()
add_unit() { # CUT MODULE [PARAMETER=VALUE...]: the module, and what is mapped by itself in it
  local cut=$1 name child count rest
  shift
  local path=(rtl/*/"$1.sv" rtl/*/*/"$1.sv" synth/model/"$1.sv")
  [[ -e ${path[0]} || -e ${path[1]} || -e ${path[2]} ]] || die "unknown module '$1' of rtl"
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
progress() { # [EVENT]: on a terminal one line that changes; else a line for each event
  local n line list=''
  for n in "${!running[@]}"; do list+="${list:+, }${names[n]} $((SECONDS - begun[${running[n]}])) s"; done
  line="area: $done_units of $all_units mapped, under way: ${list:-none}"
  if [[ -t 2 ]]; then printf '\r%-79.79s' "$line" >&2; elif [[ ${1:-} == time ]]; then echo "$line" >&2; elif [[ ${1:-} ]]; then echo "area: $1 ($done_units of $all_units)" >&2; fi
}
tick() { # ends when it is time for a line again
  if [[ -t 2 ]]; then sleep 1; else sleep 30; fi
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
  progress "$all_units to map, which takes seconds to minutes each"
  tick &
  ticker=$!
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
    wait -n -p finished "${running[@]}" $ticker || status=$?
    if [[ $finished == "$ticker" ]]; then
      tick &
      ticker=$!
      progress time
      continue
    fi
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
  kill -- "-$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  ticker=
  [[ ! -t 2 ]] || printf '\r%79s\r' '' >&2
  [[ ! $failed ]] || exit 2
}

# ---- data for area.awk
facts() {
  local u
  cat "$work/config"
  [[ ! ${machine[*]} ]] || echo "machine $row_buffers $structure"
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
  local b p known
  known=" $(small_blocks | cut -d' ' -f1 | tr '\n' ' ')"
  for b in $blocks; do
    [[ $b == *:* || $known == *" $b "* ]] ||
      die "unknown small build '$b'; known:${known% }; others take parameters: $b:NAME=VALUE"
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
  for b in ${blocks:-die_slice fpu rtt rowbuf}; do
    # shellcheck disable=SC2046,SC2086
    add_unit "$(map_cut "${b%%:*}")" "${b%%:*}" $(with_structure ${b//:/ })
  done
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
  [[ ! $declared ]] || awk -f synth/nodes.awk "$work/csv" - <<<"$declared"
  deliver "$work/csv" "$csv"
  deliver "$work/json" "$json"
  ;;
esac
