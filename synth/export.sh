#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu export: see usage. Yosys makes Verilog-2001 of all blocks in one run; export.awk cuts it into files.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
tool=export
# shellcheck source=/dev/null
. synth/command.sh

all=()
for f in rtl/*/*/; do
  b=$(basename "$f")
  [[ ! -e $f$b.sv ]] || all+=("$b")
done

usage() {
  cat <<TEXT
usage: mpu export [options] [block...]

Writes what other flows take in. Blocks: ${all[*]}
(all of them). For each:

  BLOCK.v         the block and what is in it: Verilog-2001
  BLOCK.sdc       constraints: clock, delays of inputs and outputs
  BLOCK.f         list of the SystemVerilog that it is made of, which is copied to rtl/
  BLOCK.mem.csv   its memories: path, rows, bits of a row, write enables, ports

and once

  ram_1r1w.v      how memories and a clock gate behave, in Verilog-2001: macros and cells of the kit
  ram_1r3w.v
  clkgate.v
  die.csv         with die_slice: how many of each module and memory it has, and a DRAM die

docs/export.md says how to go on.

  -o DIRECTORY    where to (export)
  --config NAME   the machine whose sizes the blocks have: a preset or a YAML file (paper)
  --set KEY=VALUE another value for a key of it (near.collectors=8); repeatable
  --param P=V     a parameter of the blocks that are named
  --period NS     of the clock in the constraints (1)
  -h, --help      this text

Exit status: 0, 1 when Yosys cannot convert a block, 2 for wrong use or what is missing.
TEXT
}

blocks=() sets=() period=1 to=export
while (($#)); do
  case $1 in
  --config=* | --set=* | --param=* | --period=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
  -o | --config | --set | --param | --period)
    (($# > 1)) && [[ $2 ]] || die "$1 needs a value; see mpu export --help"
    case $1 in
    -o) to=$2 ;;
    --config | --set) take_machine "$1" "$2" ;;
    --param)
      [[ $2 =~ ^[A-Z][A-Z_0-9]*=[1-9][0-9]{0,8}$ ]] || die "--param takes PARAMETER=NUMBER, not '$2'"
      [[ " ${sets[*]}" != *" ${2%%=*}="* ]] || die "${2%=*} is set twice"
      sets+=("$2")
      ;;
    --period) [[ $2 =~ ^[0-9]{1,6}(\.[0-9]{1,6})?$ && $2 =~ [1-9] ]] || die "--period takes nanoseconds, not '$2'"; period=$2 ;;
    esac
    shift
    ;;
  -h | --help) usage; exit 0 ;;
  -*) die "unknown option '$1'; see mpu export --help" ;;
  *)
    [[ $1 && $(block_names "$1") == "$1" ]] || die "unknown block '$1'; known: ${all[*]}"
    [[ " ${blocks[*]} " == *" $1 "* ]] || blocks+=("$1")
    ;;
  esac
  shift
done
((${#blocks[@]})) || blocks=("${all[@]}")
[[ $to == /* ]] && out=$to || out=$from/$to

# Lines "MODULE PARAMETER DEFAULT COMMENT" for files.
parameters() {
  awk '/^module / { m = $2 }
    / parameter / { sub(/.* parameter [a-z]+ +/, ""); sub(/ *= */, " "); sub(/,? *\/\/\/ */, " "); sub(/,$/, ""); print m, $0 }' "$@"
}
legal() { # BLOCK P=V: is there such a parameter, and does the comment on it allow the value?
  local p=${2%=*} v=${2#*=} has rule
  has=$(parameters $(compgen -G "rtl/*/$1.sv") $(compgen -G "rtl/*/*/$1.sv") </dev/null)
  grep -qE "^$1 $p " <<<"$has" || die "$1 has no parameter $p${has:+; it has $(awk '{ printf "%s%s", s, $2; s = " " }' <<<"$has")}"
  rule=$(sed -nE "s/^$1 $p [^ ]+ ?//p" <<<"$has")
  [[ ! $rule =~ 'a power of two' ]] || ! ((v & (v - 1))) || die "$p of $1: $rule; not $v"
  [[ ! $rule =~ (^|[ ,])even ]] || ! ((v % 2)) || die "$p of $1: $rule; not $v"
  [[ ! $rule =~ 'at least '([0-9]+) ]] || ((v >= BASH_REMATCH[1])) || die "$p of $1: $rule; not $v"
  [[ ! $rule =~ 'at most '([0-9]+) ]] || ((v <= BASH_REMATCH[1])) || die "$p of $1: $rule; not $v"
  [[ ! $rule =~ ([0-9]+)' to '([0-9]+) ]] || ((v >= BASH_REMATCH[1] && v <= BASH_REMATCH[2])) || die "$p of $1: $rule; not $v"
}
for b in "${blocks[@]}"; do
  for s in "${sets[@]}"; do legal "$b" "$s"; done
done
read_machine
declare -A given=() # to each block
for b in "${blocks[@]}"; do given[$b]=$(with_structure "$b" "${sets[@]}"); done
mapfile -t files < <(for b in "${blocks[@]}"; do block_files "$b"; done | awk '!seen[$0]++')

command -v yosys >/dev/null || die "yosys is missing; Debian: yosys"
mkdir -p "$out" 2>/dev/null && new=$(mktemp -d "$out/.new.XXXXXX" 2>/dev/null) || die "cannot write to '$to'"
work=$(mktemp -d)
yosys=''
trap '[[ ! $yosys ]] || kill "$yosys" 2>/dev/null; rm -rf "$work" "$new"' EXIT
trap 'exit 130' INT TERM
full() { die "cannot write to '$1': ${2:-is the disk full?}"; }

# ---- Verilog of all blocks in one run: most modules are in several of them
{
  echo "module export_tops;"
  for b in "${blocks[@]}"; do
    list=''
    for s in ${given[$b]}; do list+="${list:+, }.${s%=*}(${s#*=})"; done
    echo "  (* keep *) $b ${list:+#($list) }i_$b ();"
  done
  echo "endmodule"
} >"$work/tops.sv" || full "$work"
{
  for f in "${files[@]}"; do
    case $f in
    *_pkg.sv) how='' ;;
    */ram_*.sv | */clkgate.sv) how=-lib ;;
    *) how=-defer ;;
    esac
    echo "read_verilog -sv $how -DSYNTHESIS -Irtl/common $f"
  done
  # Registers with enable and reset, not multiplexers before them; one write enable for the bits of a word that have the
  # same one. A register is never taken for a constant (-keepdc): it is zero at power-up here.
  echo "read_verilog -sv $work/tops.sv
    hierarchy -check -top export_tops
    proc
    rename -hide w:*\$func\$*
    opt_expr -mux_undef; opt_clean
    opt_merge -keepdc; opt_muxtree; opt_reduce; opt_merge -keepdc
    opt_dff -keepdc
    opt_expr -mux_undef -mux_bool; opt_clean
    write_rtlil $work/all.il
    write_verilog -noattr -nodec $work/all.v"
} >"$work/script.ys" || full "$work"
echo "export: Verilog of ${blocks[*]}" >&2
yosys -q "$work/script.ys" >"$work/said" 2>&1 &
yosys=$! begun=$SECONDS
while [[ -t 2 ]] && kill -0 $yosys 2>/dev/null; do
  printf '\rexport: %d s' $((SECONDS - begun)) >&2
  sleep 1
done
[[ ! -t 2 ]] || printf '\r%20s\r' '' >&2
status=0
wait $yosys 2>/dev/null || status=$?
yosys=''
((status == 0)) || {
  why=$(grep -m1 ERROR "$work/said" || tail -n 1 "$work/said")
  echo "export: Yosys cannot convert this to Verilog: ${why:-Yosys ended with status $status}" >&2
  exit 1
}
# Yosys does not say when it could not write
[[ $(tail -n 1 "$work/all.v") == endmodule && $(tail -n 1 "$work/all.il") == end ]] || full "$work"

# ---- files, in a folder of their own until all are there
{
  echo "slices $(sed -nE 's/^slices_a_die *= *([0-9]+).*/\1/p' synth/area.conf)"
  echo "by $(yosys -V | cut -d' ' -f1,2)"
  for b in "${blocks[@]}"; do echo "set $b ${given[$b]}"; done
  echo "period $period"
  parameters "${files[@]}" | sed 's/^/default /'
  grep -E '^(module|  parameter) ' "$work/all.il"
} >"$work/facts" || full "$work"
awk -v to="$new/" -f synth/export.awk "$work/facts" "$work/all.v" 2>"$work/said" || full "$to" "$(head -n 1 "$work/said")"
for b in "${blocks[@]}"; do
  {
    echo "// SystemVerilog of $b${given[$b]:+, to be elaborated with ${given[$b]}}; packages first. Paths begin at this folder."
    echo "+define+SYNTHESIS"
    echo "+incdir+rtl/common"
    block_files "$b"
  } >"$new/$b.f" || full "$to"
  { echo "instance,rows,bits,write_enables,ports" && sort -V "$new/$b.memories"; } >"$new/$b.mem.csv" && rm "$new/$b.memories" || full "$to"
done
cp --parents "${files[@]}" rtl/common/*.svh rtl/*/*/*.svh "$new" 2>/dev/null && cp synth/cells/*.v "$new" 2>/dev/null || full "$to"
while read -r f; do
  mkdir -p "$out/$(dirname "$f")" 2>/dev/null && mv "$new/$f" "$out/$f" 2>/dev/null || full "$to"
done < <(cd "$new" && find . -type f | sort)
echo "export: $(printf '%s.v ' "${blocks[@]}")and their files are in: $to" >&2
