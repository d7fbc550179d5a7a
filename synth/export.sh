#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu export [options] [block...]: what other flows need: blocks as plain Verilog-2001, constraints, lists of files and memories.
#
#   -o DIRECTORY   where it goes (export)
#   --set P=V      a parameter of the blocks that are named (several times)
#   --period NS    of the clock, in the constraints (1)
#   -h, --help     this text
#
# Blocks: fpu valu regfile opc lsux bankctl smem regmove tsv rtt nbu die_slice (all). For each:
#   BLOCK.v          the block and all below it, Verilog-2001; memories are instances of ram_1r1w (ram_1r1w.v: its behaviour)
#   BLOCK.sdc        clock, input and output delays; the clock gates in it
#   BLOCK.f          the SystemVerilog it was made of, in order, for tools that take it
#   BLOCK.mem.csv    its memories: instance, rows, bits of a row, parts with a write enable, ports
# docs/export.md says how to go on. Exit status: 0, 1 a block cannot be read, 2 wrong use or a missing tool.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
all=(fpu valu regfile opc lsux bankctl smem regmove tsv rtt nbu die_slice)
wrong() { echo "mpu: export: $*" >&2; exit 2; }

out=$PWD/export period=1 sets=() blocks=()
while (($#)); do
  case $1 in
  -o | --set | --period)
    (($# > 1)) || wrong "$1 needs a value; see mpu export --help"
    case $1 in
    -o) [[ $2 == /* ]] && out=$2 || out=${MPU_FROM:-$PWD}/$2 ;;
    --set) [[ $2 =~ ^[A-Z_0-9]+=[0-9]+$ ]] || wrong "--set takes PARAMETER=NUMBER, not '$2'"; sets+=("$2") ;;
    --period) [[ $2 =~ ^[0-9]+(\.[0-9]+)?$ ]] || wrong "--period takes nanoseconds, not '$2'"; period=$2 ;;
    esac
    shift
    ;;
  -h | --help) sed -n '3,17s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) wrong "unknown option '$1'; see mpu export --help" ;;
  *) [[ " ${all[*]} " == *" $1 "* ]] || wrong "there is no block '$1'; there are: ${all[*]}"; blocks+=("$1") ;;
  esac
  shift
done
((${#blocks[@]})) || blocks=("${all[@]}")
command -v yosys >/dev/null || wrong "yosys is missing; Debian: yosys"
mkdir -p "$out" 2>/dev/null && [[ -w $out ]] || wrong "cannot write to '$out'"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Ports of the block as Yosys has them: "input NAME BITS".
ports() { # BLOCK.v BLOCK
  awk -v top="$2" '
    $1 == "module" { inside = index($2, top "(") == 1 || $2 == top }
    inside && ($1 == "input" || $1 == "output") { name = $NF; sub(/;/, "", name); bits = $2 ~ /^\[/ ? $2 : "[0:0]"; print $1, name, bits }
    $1 == "endmodule" { inside = 0 }' "$1"
}

constraints() { # BLOCK
  local direction name
  echo "# $1: one clock of $period ns; a producer registers its outputs, so inputs come early and outputs may leave late."
  echo "create_clock -name clk -period $period [get_ports clk_i]"
  echo "set_clock_uncertainty $(awk "BEGIN { print 0.05 * $period }") [get_clocks clk]"
  while read -r direction name _; do
    [[ $name != clk_i ]] || continue
    if [[ $direction == input ]]; then
      echo "set_input_delay -clock clk $(awk "BEGIN { print 0.3 * $period }") [get_ports {$name}]"
    else
      echo "set_output_delay -clock clk $(awk "BEGIN { print 0.3 * $period }") [get_ports {$name}]"
    fi
  done < <(ports "$out/$1.v" "$1")
  if grep -q '^module clkgate' "$out/$1.v"; then
    echo "# clkgate: the enable is taken at the falling edge and gates the clock while it is low."
    echo "set_clock_gating_check -setup 0 -hold 0 [get_clocks clk]"
  fi
}

export_block() { # BLOCK
  local top=$1 f files s
  mapfile -t files < <(block_files "$top")
  {
    for f in "${files[@]}"; do
      case $f in
      *_pkg.sv) echo "read_verilog -sv -DSYNTHESIS -Irtl/common $f" ;;
      */ram_1r1w.sv) echo "read_verilog -sv -lib -DSYNTHESIS -Irtl/common $f" ;;
      *) echo "read_verilog -sv -defer -DSYNTHESIS -Irtl/common $f" ;;
      esac
    done
    for s in ${sets[@]+"${sets[@]}"}; do echo "chparam -set ${s%=*} ${s#*=} $top"; done
    # processes become registers and multiplexers; names of signals stay. memory_dff and -map would lose arrays.
    echo "hierarchy -check -top $top"
    echo "proc; opt_clean; memory_collect; opt_clean"
    echo "rename -top $top"
    echo "delete -port t:\$assert t:\$cover t:\$assume; opt_clean"
    echo "tee -q -o $work/memories dump t:ram_1r1w"
    echo "write_verilog -noattr -nodec -defparam $work/$top.v"
  } >"$work/$top.ys"
  yosys -q -l "$work/log" "$work/$top.ys" >"$work/said" 2>&1 || {
    echo "mpu: export: $top: $(grep -m 1 ERROR "$work/said" || tail -n 1 "$work/said")" >&2
    return 1
  }
  # a module of a parameter value is called $paramod...: names that every tool takes
  awk '{
      while (match($0, /\\\$paramod[^ (;]*/)) {
        name = substr($0, RSTART, RLENGTH)
        if (!(name in as)) { base = name; sub(/^.*\\/, "", base); n = name; gsub(/[^A-Za-z0-9]+/, "_", n); sub(/^_/, "", n); as[name] = "m" ++count "_" n }
        $0 = substr($0, 1, RSTART - 1) as[name] substr($0, RSTART + RLENGTH)
      }
      print
    }' "$work/$top.v" >"$out/$top.v" || return 1
  printf '%s\n' "${files[@]}" >"$out/$top.f"
  constraints "$top" >"$out/$top.sdc"
}

status=0
for b in "${blocks[@]}"; do
  printf 'mpu: export: %s\n' "$b" >&2
  export_block "$b" || status=1
done
exit $status
