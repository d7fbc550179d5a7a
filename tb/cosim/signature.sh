#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# signature.sh [--seed N] [--cycles N] [--liberty FILE] [block...]: plays one recording of random traffic into a block in four
# forms and prints what its outputs of all cycles add up to: the Verilog in Verilator and in Icarus, the
# Verilog-2001 of mpu export in Icarus, and the netlist of cells whose area mpu area adds up. The four must be
# equal; with --liberty the two that know nothing of cells are left out. Small builds, see tb/cosim/blocks.txt; nbu and
# die_slice are as large as they are, nbu as cells put together from all netlists in it, die_slice's cells with the
# Verilog of what is mapped by itself. Needs the
# programs cosim_<block> of the build. Cells of another library than OSU 0.18 um do what their Liberty file says.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
# shellcheck source=/dev/null
. synth/cache.sh
build=${NEARBANK_BUILD:-build/test}
liberty='' seed=1 cycles_of_all='' only=()
while (($#)); do
  case $1 in
  --seed) seed=${2:?}; shift ;;
  --cycles) cycles_of_all=${2:?}; shift ;;
  --liberty) liberty=${2:?}; shift ;;
  -h | --help) sed -n '3,9s/^# //p' "$0"; exit 0 ;;
  -*) sed -n '3,9s/^# //p' "$0" >&2; exit 2 ;;
  *) only+=("$1") ;;
  esac
  shift
done
for need in verilator iverilog iverilog-vpi yosys; do
  command -v $need >/dev/null || die "$need is missing (Debian: verilator, iverilog, yosys)"
done
vendor=$tech/osu018_stdcells.v
[[ ! $liberty ]] || vendor=''
liberty=${liberty:-$tech/osu018_stdcells.lib}
[[ -r $liberty ]] || die "no cells at $liberty (OSU 0.18 um is qflow-tech-osu018 of Debian)"
work=$build/signature # one for each library: they may run at the same time
[[ $vendor ]] || work+=-$(basename "$liberty" .lib)
mkdir -p "$work" "$map_cache"
map_begin
work=$(realpath "$work") root=$PWD
(cd "$work" && iverilog-vpi "$root/tb/cosim/zero.c" >zero.log 2>&1) || die "zero.c: see $work/zero.log"

# The cells: of the vendor, without what Verilator does not take; cells.v has those anew. Or from the Liberty file.
if [[ $vendor ]]; then
  {
    echo '`timescale 1ns / 1ps'
    awk '/^(module (DFF[A-Z0-9]*|LATCH|MUX2X1) |primitive )/ { skip = 1 } /^ *specify/ { timing = 1 }
      !skip && !timing && !/`timescale|celldefine/ { print }
      /^(endmodule|endprimitive)/ { skip = 0 } /^ *endspecify/ { timing = 0 }' "$vendor"
    cat tb/cosim/cells.v
  } >"$work/cells.v"
else
  yosys -q -p "read_liberty -ignore_miss_func $liberty; write_verilog -noattr $work/cells.v" >"$work/cells.log" 2>&1 || die "$liberty: $(<"$work/cells.log")"
fi

# Verilator 5.006 gets long chains of XNOR gates wrong when it folds them into parities.
run_verilator() { # name files...
  local name=$1
  shift
  rm -rf "${d:?}/$name"
  verilate timing "$d/$name" --binary --timing --x-initial 0 -O3 -fno-const-bit-op-tree --prefix Vbench --top-module bench -Irtl/common \
    "${defines[@]}" "$@" tb/cosim/bench.v &&
    timeout 900 "$d/$name/Vbench" | sed -n 's/^signature //p' || echo failed
}

run_icarus() { # name generation files...
  local name=$1 generation=$2
  shift 2
  iverilog "-g$generation" -o "$d/$name.vvp" -s bench -Irtl/common "${defines[@]}" "$@" tb/cosim/bench.v >"$d/$name.log" 2>&1 &&
    timeout 3600 vvp -M"$work" -mzero "$d/$name.vvp" 2>&1 | sed -n 's/^signature //p' || echo failed
}

status=0
printf '| %-8s | %-9s | %6s | %-16s | %-16s | %-16s | %-16s |\n' block parameters cycles Verilator Icarus exported "mapped to cells"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for block in $(block_names "${only[@]}"); do
  if why=$(block_lacks "$block"); then
    echo "signature: $block left out: $why" >&2
    continue
  fi
  params=$(block_field "$block" 2) cycles=$(block_field "$block" 3) whole=''
  # one that is made of the others: at full size
  ((cycles)) || whole=1 cycles=100
  d=$work/$block bad=''
  mkdir -p "$d"
  block_ports "$block" "$d" >"$d/ports"
  block_record "$block" "$d/ports" "${cycles_of_all:-$cycles}" "$d/stimulus"
  cycles=$(wc -l <"$d/stimulus.in")
  read -r n_in n_out < <(block_bits "$d/ports")
  block_shell shell "$block" "$d/ports" "$params" >"$d/shell.v"
  # shellcheck disable=SC2086
  name=$(map_name "$block" $params)
  block_shell shell "$block" "$d/ports" "" >"$d/shell_exported.v"
  block_shell shell "$name" "$d/ports" "" >"$d/shell_netlist.v"
  defines=("-DIN=$n_in" "-DOUT=$n_out" "-DCYCLES=$cycles" "-DSTIMULUS=\"$d/stimulus.in\"" -DSYNTHESIS)
  mapfile -t files < <(block_files "$block")
  sums=()
  sums+=("$(run_verilator verilator "${files[@]}" "$d/shell.v")")
  if [[ $vendor ]]; then
    sums+=("$(run_icarus icarus 2012 "${files[@]}" "$d/shell.v")")
    # shellcheck disable=SC2086
    bash synth/export.sh -o "$d/export" ${params:+--param ${params// / --param }} "$block" >"$d/export.log" 2>&1 &&
      sums+=("$(run_icarus exported 2001 "$d/export"/{"$block",ram_1r1w,ram_1r3w,clkgate}.v "$d/shell_exported.v")") || sums+=(failed)
  else
    sums+=(- -)
  fi
  if [[ $whole ]]; then
    mapfile -t netlists < <(bash synth/area.sh --liberty "$liberty" --blocks "$block" --netlists)
    if [[ $block == die_slice ]]; then
      # four units would be five million cells: its own netlist, with the Verilog of what is in it
      mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -v /die_slice.sv)
      sums+=("$(run_verilator mapped "$work/cells.v" "${files[@]}" "${netlists[0]}" "$d/shell_netlist.v")")
    else
      # a million cells: Verilator would take more than 12 GB
      sums+=("$(run_icarus mapped 2012 "$work/cells.v" rtl/common/ram_1r1w.sv "${netlists[@]}" "$d/shell_netlist.v")")
    fi
  else
    # shellcheck disable=SC2086
    place=$(map_place "$name" "" "$block" $params)
    # shellcheck disable=SC2086
    [[ -e $place/report ]] || map_into "$place" "$name" "" "$block" $params || status=1
    # for few cycles a compiler takes longer with all the cells than Icarus
    ((cycles < 1000)) && how=(run_icarus mapped 2012) || how=(run_verilator mapped)
    sums+=("$("${how[@]}" "$work/cells.v" rtl/common/ram_1r1w.sv "$place/netlist.v" "$d/shell_netlist.v")")
  fi
  printf '| %-8s | %-9s | %6d | %-16s | %-16s | %-16s | %-16s |\n' "$block" "$params" "$cycles" "${sums[@]}"
  for s in "${sums[@]}"; do
    [[ $vendor || $s != - ]] || continue
    [[ $s == "${sums[0]}" && $s =~ ^[0-9a-f]{16}$ ]] || { status=1; bad=1; }
  done
  [[ ! ${bad:-} ]] || echo "signature: $block differs; files in $d, -DTRACE prints the outputs of each cycle" >&2
done
exit $status
