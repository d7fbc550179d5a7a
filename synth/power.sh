#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu power: see usage. Netlists are those of mpu area (area.sh), activities those of mpu activity.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: mpu power [options] WAVE.fst [block...]

Power of the logic of the DRAM die in a run: netlists as mpu area adds them up, with the activity that
their registers and inputs have in the wave (mpu run --near=rtl --wave), by OpenSTA. Without blocks: all
of a near-bank unit and shared memory. Memories are not in it: mpu energy counts their accesses.

  --scope LIST        only in these cores or near-bank units of the wave (core0.nbu1); * and ? too
  --window A:B        cycles from A on, before B (A: and :B too); without it, the whole wave
  --missing           name the registers and inputs that the wave does not have
  --config NAME       the machine of the run: a preset or a YAML file (paper)
  --set KEY=VALUE     another value for a key of it (near.collectors=8); repeatable
  --liberty FILE      cells (OSU 0.18 um of Debian: qflow-tech-osu018)
  --tech FILE         scaling (synth/power.conf)
  --tech-set KEY=VALUE another value for a key of that file
  --csv FILE          the same figures as comma-separated values
  --json FILE         the same as JSON
  -j N                mappings at a time (number of processors)
  -h, --help          this text

docs/power.md explains each figure. Exit status: 0, 2 for wrong use or what is missing.
TEXT
}
tool=power
# shellcheck source=/dev/null
. synth/command.sh

liberty=$default_liberty config=synth/power.conf sets='' csv='' json='' scope='core*' window='' missing='' jobs=$(nproc) wave='' blocks=()
while (($#)); do
  case $1 in
  --config=* | --set=* | --liberty=* | --tech=* | --tech-set=* | --csv=* | --json=* | --scope=* | --window=*)
    set -- "${1%%=*}" "${1#*=}" "${@:2}"
    continue
    ;;
  --config | --set | --liberty | --tech | --tech-set | --csv | --json | --scope | --window | -j)
    (($# > 1)) || die "$1 needs a value; see mpu power --help"
    case $1 in
    --config | --set) take_machine "$1" "$2" ;;
    --liberty) liberty=$(absolute "$2") ;;
    --tech) config=$(absolute "$2") ;;
    --tech-set) sets+="$2"$'\n' ;;
    --csv) csv=$(absolute "$2") ;;
    --json) json=$(absolute "$2") ;;
    --scope) scope=$2 ;;
    --window) window=$2 ;;
    -j) jobs=$2 ;;
    esac
    shift
    ;;
  --missing) missing=1 ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu power --help" ;;
  *) [[ $wave ]] && blocks+=("$1") || wave=$(absolute "$1") ;;
  esac
  shift
done
[[ $wave ]] || die "which wave? see mpu power --help"
[[ -r $wave ]] || die "cannot read the wave '$wave'"
check_options "$csv" "$json"
read_machine
command -v sta >/dev/null || die "sta is missing; Debian: opensta"
check_cache
mpu=${MPU:-build/release/mpu-tool}
[[ -x $mpu ]] || die "'$mpu' is not built"
check_liberty

# ---- where a wave has them: below a near-bank unit
declare -A place=([nbu]=. [tsv]=tsv [forms]=g_forms.forms [order]=order [nbu_decode]=decode [opc]=opc [regfile]=regfile [valu]=valu [lsux]=lsux [bankctl]=bankctl
  [regmove]=regmove [nbu_completions]=completions [smem]=smem)
parts=(tsv forms order nbu_decode opc regfile valu lsux bankctl regmove nbu_completions smem)
[[ ${blocks[*]} ]] || blocks=(nbu smem)
for b in "${blocks[@]}"; do
  [[ ${place[$b]:-} ]] || die "unknown block '$b' of a wave; known: nbu, and in it ${parts[*]}"
done
roots() { # BLOCK: its scopes
  local s list=() IFS=,
  for s in $scope; do
    case $1:$s in
    smem:*.smem*) list+=("$s") ;;
    *:*.smem*) ;;
    smem:*.*) ;;
    smem:*) list+=("$s.smem") ;;
    *:*.*) [[ ${place[$1]} == . ]] && list+=("$s") || list+=("$s.${place[$1]}") ;;
    *) [[ ${place[$1]} == . ]] && list+=("$s.nbu*") || list+=("$s.nbu*.${place[$1]}") ;;
    esac
  done
  echo "${list[*]}"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
read_config
read_library
volts=$(awk '/nom_voltage/ { gsub(/[^0-9.]/, ""); print; exit }' "$liberty")
[[ $volts ]] || die "'$liberty' does not say its voltage (nom_voltage)"
there() { # SCOPES
  "$mpu" activity "$wave" --scope "$1" ${window:+--window "$window"} >/dev/null 2>"$work/said"
}
# the wave first: mapping takes longer
found=()
for b in "${blocks[@]}"; do
  list=$(roots "$b")
  if [[ $list ]] && there "$list"; then
    found+=("$b")
  elif [[ $list ]] && ! grep -q 'no such scope' "$work/said"; then
    die "$(sed 's/^mpu: //' "$work/said")"
  fi
done
[[ ${found[*]:-} ]] || die "'$wave' has none of ${blocks[*]} in $scope"

list() { local IFS=,; echo "$*"; }
calls=() # found, with the sizes of the machine: nbu:QUEUE=8
for b in "${found[@]}"; do calls+=("$(printf '%s ' "$b" $(with_structure "$b") | sed 's/ *$//; s/ /:/g')"); done
netlists=$(bash synth/area.sh --liberty "$liberty" -j "$jobs" --blocks "$(list "${calls[@]}")" --netlists 2> >(sed 's/^area:/power:/' >&2)) || exit 2
declare -A netlist=()
for f in $netlists; do
  name=$(basename "$(dirname "$f")")
  netlist[${name%.*}]=$f
done

# ---- OpenSTA
run() { # NAME COMMAND
  echo "$2" >>"$work/script.tcl"
  sta -no_splash -exit "$work/script.tcl" >"$work/$1" 2>&1 || die "OpenSTA: $1: ended with status $?"
}
printf 'source synth/power.tcl\n' >"$work/script.tcl"
run known "known_cell $work"
doubled=$(awk '$1 == "known" { printf "%.3f", $2 / 0.002 }' "$work/known")
[[ $doubled && $doubled != 0.000 ]] || die "OpenSTA finds no power of a cell with known power"

# A module in scopes of the wave: its figures, then those of the modules in it.
: >"$work/facts"
measure() { # NAME SCOPES DEPTH
  local name=$1 scopes=$2 depth=$3 file=${netlist[$1]} child inside
  awk -f synth/nets.awk -f synth/sources.awk "$work/library" pass=count "$file" pass=write "$file" >"$work/plain.v"
  "$mpu" activity "$wave" --scope "$scopes" ${window:+--window "$window"} --netlist "$file" --liberty "$liberty" --gates "$work/gates" \
    >/dev/null 2>"$work/said" || die "$name: $(sed 's/^mpu: //' "$work/said")"
  {
    echo "source synth/power.tcl"
    echo "set liberty {$liberty}; set netlist $work/plain.v; set top $name; set file $work/cells"
  } >"$work/script.tcl"
  run "$name" measure
  grep -q ^measured "$work/$name" || die "OpenSTA: $name: $(grep -m1 '^Error' "$work/$name" || echo 'no power')"
  echo "block $depth $name" >>"$work/facts"
  awk -v doubled="$doubled" -v volts="$volts" -f synth/switch.awk "$work/cells" "$work/gates" >>"$work/facts"
  # modules in it: all scopes of one together
  awk -f synth/children.awk -v scopes="$scopes" "$work/library" "$file" >"$work/children.$depth"
  while read -r child inside; do
    [[ ! ${netlist[$child]:-} ]] || measure "$child" "$inside" $((depth + 1))
  done <"$work/children.$depth"
}
[[ ! -t 2 ]] || echo "power: ${found[*]}: a few seconds for each module" >&2
for c in "${calls[@]}"; do
  # shellcheck disable=SC2046,SC2086
  measure "$(. synth/cache.sh; map_name ${c//:/ })" "$(roots "${c%%:*}")" 0
done
status=0
awk -f synth/power.awk -v volts="$volts" -v csv="${csv:+$work/csv}" -v json="${json:+$work/json}" -v missing="$missing" -v wave="$(basename "$wave")" \
  "$work/config" "$work/library" "$work/facts" || status=$?
((status != 3)) || die "cannot write to '$work': is the disk full?"
deliver "$work/csv" "$csv"
deliver "$work/json" "$json"
exit $status
