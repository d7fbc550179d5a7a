#!/usr/bin/env bash
# mpu timing [block...]: maps each block to the OSU 0.18 um cells and finds its longest register to
# register path, in ns and in fan-outs of four (the delay of an inverter of the library that drives
# four of its kind). Blocks with lanes are mapped with few of them: a stage is as long with 4 as with
# 32, but for the trees that spread its controls.
set -euo pipefail
cd "$(dirname "$0")/.."
tech=${OSU018:-/usr/share/qflow/tech/osu018}
liberty=$tech/osu018_stdcells.lib
fanout=${BLIF_FANOUT:-/usr/lib/qflow/bin/blifFanout}
work=build/timing
limit=40 # fan-outs of four a stage may have

# block, its parameters for this run
blocks=(
  "fpu"
  "valu LANES=4"
  "regfile LANES=4"
  "opc LANES=4"
  "lsux LANES=8"
  "bankctl"
  "smem LANES=8 BANKS=8 ROWS=8"
  "regmove LANES=32"
  "tsv"
  "rtt"
  "nbu_completions LANES=4"
)

usage() {
  sed -n '2,5s/^# //p' "$0"
  exit "${1:-0}"
}
for a in "$@"; do [[ $a == -* ]] && { [[ $a == -h || $a == --help ]] && usage 0 || usage 2; }; done
for need in yosys sta "$fanout"; do
  command -v "$need" >/dev/null || {
    echo "timing: $need is missing; Debian: yosys, opensta, qflow" >&2
    exit 2
  }
done
[[ -r $liberty ]] || {
  echo "timing: no cells at $liberty; Debian: qflow-tech-osu018" >&2
  exit 2
}
mkdir -p "$work"

# The inverter: stages 2 to 5 of a chain where each drives four.
measure_fo4() {
  {
    echo "module fo4 (a, y); input a; output y; wire n0, n1, n2, n3, n4, n5;"
    echo "  INVX1 i0 (.A(a), .Y(n0));"
    for k in 1 2 3 4 5; do
      echo "  INVX1 i$k (.A(n$((k - 1))), .Y(n$k));"
      for j in 1 2 3; do echo "  wire z$k$j; INVX1 d$k$j (.A(n$((k - 1))), .Y(z$k$j));"; done
    done
    echo "  assign y = n5;"
    echo "endmodule"
  } >"$work/fo4.v"
  cat >"$work/fo4.tcl" <<TCL
read_liberty $liberty
read_verilog $work/fo4.v
link_design fo4
create_clock -name v -period 100
set_input_delay 0 -clock v a
set_output_delay 0 -clock v y
report_checks -path_delay max -format full -digits 4
exit
TCL
  sta -no_splash -exit "$work/fo4.tcl" |
    awk '/ i1\/Y/ { a = $2 } / i4\/Y/ { b = $2 } / i0\/Y/ { z = $2 } END { printf "%.4f\n", (b - z) / 4 }'
}

# Files of a block: its own, and those of the blocks in it.
files_of() {
  local b
  echo rtl/isa_pkg.sv rtl/tsv_pkg.sv rtl/lsux/lsux_pkg.sv rtl/common/*.sv
  for b in rtl/*/; do
    b=${b%/}
    [[ $b == rtl/common ]] || ls "$b"/*.sv | grep -v '_pkg\.sv$' || true
  done
}

# Two ways through ABC: it finds the shorter one of a block sometimes with a rebalancing of the logic
# before the mapping, sometimes without. (No dc2: it turns prefix adders into ripples.)
efforts=(
  "+strash;ifraig;scorr;dch,-f;map,-B,0.9;topo;buffer,-N,12;upsize;dnsize"
  "+strash;ifraig;scorr;dch,-f;if,-g,-K,6;strash;dch,-f;map,-B,0.9;topo;buffer,-N,12;upsize;dnsize"
)

map() { # top parameters...
  local top=$1 p set="" i left n slack best=""
  shift
  for p in "$@"; do set+=" -set ${p%=*} ${p#*=}"; done
  printf 'set_driving_cell DFFPOSX1\nset_load 0.05\n' >"$work/constr"
  yosys -q -l "$work/$top.yosys.log" -p "
    read_verilog -sv -defer -DSYNTHESIS -Irtl/common $(files_of | tr '\n' ' ')
    ${set:+chparam$set $top;}
    hierarchy -check -top $top; synth -flatten -top $top; dfflibmap -liberty $liberty; write_rtlil $work/$top.il" \
    >"$work/$top.map.log" 2>&1 || {
    echo "timing: $top does not map: $(grep -m1 ERROR "$work/$top.map.log" || tail -n1 "$work/$top.map.log")" >&2
    return 1
  }
  for n in "${!efforts[@]}"; do
    yosys -q -p "
      read_rtlil $work/$top.il
      abc -liberty $liberty -constr $work/constr -script ${efforts[n]}
      setundef -zero; opt_clean -purge; tee -o $work/$top.$n.stat stat -liberty $liberty
      hilomap -hicell BUFX2 Y -locell INVX1 Y; opt_clean
      write_blif -gates -buf BUFX2 A Y $work/$top.blif" >>"$work/$top.map.log" 2>&1 || {
      echo "timing: $top does not map: $(grep -m1 ERROR "$work/$top.map.log" || tail -n1 "$work/$top.map.log")" >&2
      return 1
    }
    # buffers for nets that drive many, and cells as strong as their loads ask for
    for ((i = 0; i < 12; i++)); do
      "$fanout" -F 12 -l 1500 -c 60 -p "$liberty" -s X -b BUFX2 -i A -o Y "$work/$top.blif" \
        "$work/$top.next" >"$work/$top.fanout.log" 2>&1 || true
      mv "$work/$top.next" "$work/$top.blif"
      left=$(sed -n 's/.*Number of gates changed: *//p' "$work/$top.fanout.log" | tail -n 1)
      [[ ${left:-0} == 0 ]] && break
    done
    yosys -q -p "read_blif -wideports $work/$top.blif; write_verilog -noattr $work/$top.$n.v" \
      >>"$work/$top.map.log" 2>&1
    cat >"$work/$top.$n.tcl" <<TCL
read_liberty $liberty
read_verilog $work/$top.$n.v
link_design $top
create_clock -name clk -period 100 clk_i
report_checks -path_delay max -format full -digits 4
exit
TCL
    sta -no_splash -exit "$work/$top.$n.tcl" >"$work/$top.$n.sta" 2>&1
    slack=$(awk '/slack/ && $1 ~ /^[0-9.]+$/ { print $1; exit }' "$work/$top.$n.sta")
    # the most slack
    if [[ ! $best ]] || awk -v a="$slack" -v b="$best" 'BEGIN { exit !(a > b) }'; then
      best=$slack
      for i in v tcl sta stat; do cp "$work/$top.$n.$i" "$work/$top.$i"; done
    fi
  done
  sed -i "s/$top\.[0-9]\.v/$top.v/" "$work/$top.tcl"
}

fo4=$(measure_fo4)
echo "FO4 of this library: $fo4 ns (INVX1 that drives four INVX1, mean of both edges); limit $limit"
echo
echo "| block | parameters | longest path, ns | FO4 | cells, um2 |"
echo "| --- | --- | --- | --- | --- |"
bad=0
for line in "${blocks[@]}"; do
  read -r top params <<<"$line"
  if (($#)); then
    [[ " $* " == *" $top "* ]] || continue
  fi
  # shellcheck disable=SC2086
  map "$top" $params || {
    bad=1
    continue
  }
  awk -v top="$top" -v params="$params" -v fo4="$fo4" -v limit="$limit" -v stat="$work/$top.stat" '
    /slack/ && $1 ~ /^[0-9.]+$/ && !done { path = 100 - $1; done = 1 }
    END {
      while ((getline l <stat) > 0) if (l ~ /Chip area/) { n = split(l, f, " "); area = f[n] }
      printf "| %s | %s | %.2f | %.1f | %d |\n", top, params, path, path / fo4, area
      exit path / fo4 > limit
    }' "$work/$top.sta" || bad=1
done
exit $bad
