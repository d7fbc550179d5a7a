#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# map.sh [options] MODULE [PARAMETER=VALUE...]: maps a module of rtl/ to the cells of a library.
#
#   --out DIRECTORY   where the results go (build/map/MODULE)
#   --liberty FILE    the library (OSU 0.18 um of Debian: qflow-tech-osu018)
#   --cut 'A B ...'   these modules are not mapped with it; they stay instances. ram_1r1w always does
#   --name NAME       of the module in the netlist (MODULE)
#   --children        only print the child lines of the report: no mapping
#
# Writes to the directory
#   netlist.v   cells, instances of ram_1r1w and of the modules that were cut. The module is named as before,
#               without parameters; the cut ones are named MODULE, or MODULE__P1_P2 with parameters
#   report      lines: area, cells, flops, latches, gates NAME COUNT AREA for each kind of cell;
#               child NAME COUNT MODULE PARAMETER=VALUE...; memory COUNT LANES BITS DEPTH 1r1w|1rw;
#               array NAME WORDS BITS READ-PORTS WRITE-PORTS for each array that became flip-flops
#   library     what library.awk says of the library
#   log         of Yosys
# Exit status 2 after a message on stderr.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. synth/sources.sh

die() { echo "map: $*" >&2; exit 2; }
absolute() { [[ $1 == /* ]] && echo "$1" || echo "$from/$1"; }

liberty=${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib out='' cut='' name='' top='' only_children='' parameters=()
while (($#)); do
  case $1 in
  --out | --liberty | --cut | --name)
    (($# > 1)) || die "$1 needs a value"
    case $1 in --out) out=$(absolute "$2") ;; --liberty) liberty=$(absolute "$2") ;; --cut) cut=$2 ;; --name) name=$2 ;; esac
    shift
    ;;
  --children) only_children=1 ;;
  -h | --help) sed -n '3,19s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) die "unknown option '$1'" ;;
  *=*) parameters+=("$1") ;;
  *) [[ ! $top ]] || die "one module at a time"; top=$1 ;;
  esac
  shift
done
[[ $top ]] || die "which module?"
path=(rtl/*/"$top.sv" rtl/*/*/"$top.sv" synth/model/"$top.sv")
[[ -e ${path[0]} || -e ${path[1]} || -e ${path[2]} ]] || die "unknown module '$top' of rtl"
command -v yosys >/dev/null || die "yosys is missing; Debian: yosys"
[[ -r $liberty ]] || die "cannot read the library '$liberty'; that of Debian is in qflow-tech-osu018"
out=${out:-build/map/$top}
[[ $liberty$out != *[[:space:]]* ]] || die "Yosys cannot read files with blanks in their names: '$liberty', '$out'"
mkdir -p "$out"

most=12 # loads of a net
gate_from=4 # so many flip-flops with one enable get a clock gate, whose clock takes as much energy as that of 1.2 flip-flops
# ABC: logic rebalanced so that it is shallow, then other structures of it for a mapping that is fast first and small
# where that costs no time; buffers where a gate drives more than that; cells as strong as their loads ask for.
abc="+strash;ifraig;scorr;&get,-n;&st;&if,-g,-K,6;&dch,-f;&nf;&put;topo;buffer,-N,$most;upsize;dnsize"

instances=""
for m in $cut; do instances+=" t:$m"; done
read_all() {
  local m f how # what is cut is read for its ports only
  set --
  for m in ram_1r1w $cut; do [[ $m == "$top" ]] || set -- "$@" "$m"; done
  for f in $(block_files "$top" "$@"); do
    m=$(basename "$f" .sv)
    if [[ $f == *_pkg.sv ]]; then how=''; elif [[ " $* " == *" $m "* ]]; then how=-lib; else how=-defer; fi
    echo "read_verilog -sv $how -DSYNTHESIS -Irtl/common $f"
  done
  for m in "${parameters[@]}"; do echo "chparam -set ${m%%=*} ${m#*=} $top"; done
  echo "hierarchy -check -top $top"
}
run() { # SCRIPT
  yosys -q -l "$out/log" "$1" >"$out/said" 2>&1 ||
    die "$top does not map: $(grep -m1 ERROR "$out/said" || tail -n1 "$out/said")"
}

if [[ $only_children ]]; then
  { read_all; echo "flatten; dump -o $out/instances t:ram_1r1w$instances"; } >"$out/script.ys"
  run "$out/script.ys"
  awk -f synth/found.awk file=instances "$out/instances" | grep ^child || true
  rm -f "$out"/{instances,said,log,script.ys}
  exit
fi

awk -f synth/library.awk "$liberty" >"$out/library" || exit 2
kind() { awk -v k="$1" '$1 == k { print $2; exit }' "$out/library"; }
printf 'set_driving_cell %s\nset_load %s\n' "$(kind flop)" "$(kind load)" >"$out/constraints"
{
  read_all
  # registers are zero at power-up, as the pages of the blocks say: none is taken for a constant that is not zero
  echo "proc
    tribuf
    zinit -all
    synth -flatten -top $top -run begin:fine
    dump -o $out/arrays t:\$mem_v2
    dump -o $out/instances t:ram_1r1w$instances
    memory_map
    zinit -all
    synth -noabc -top $top -run fine:
    setattr -unset init w:*
    opt_clean -purge
    write_rtlil $out/enables.il
    exec -q -expect-return 0 -- awk -v least=$gate_from -f synth/gates.awk pass=library $out/library pass=count $out/enables.il pass=write $out/enables.il > $out/gates.il
    design -reset
    read_rtlil $out/gates.il
    dfflibmap -liberty $liberty
    opt
    abc -liberty $liberty -constr $out/constraints -script $abc
    setundef -zero
    opt_clean -purge
    ${name:+rename $top $name}
    tee -o $out/left select -list t:\$*
    write_verilog -noattr -simple-lhs $out/raw.v"
} >"$out/script.ys"
run "$out/script.ys"
[[ ! -s $out/left ]] || die "$top does not map: the library has nothing for $(sed 's,.*/,,; q' "$out/left") ($out/left)"

awk -f synth/nets.awk -f synth/netlist.awk -v cut="$cut" -v most="$most" pass=library "$out/library" pass=count "$out/raw.v" pass=write "$out/raw.v" \
  >"$out/netlist.v"
awk -f synth/found.awk file=library "$out/library" file=instances "$out/instances" file=arrays "$out/arrays" \
  file=netlist "$out/netlist.v" >"$out/report"
rm -f "$out"/{enables.il,gates.il,raw.v,instances,arrays,left,said,constraints,script.ys}
