#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu timing: a block from Verilog to figures, whose path has names of the Verilog; netlists whose paths are known;
# other libraries; wrong use.
set -uo pipefail
. tb/cli/expect.sh
root=$PWD
unset OSU018
timing() { bash "$root/synth/timing.sh" "$@"; }
cd "$work" || exit 1
near() { awk -v a="$1" -v b="$2" -v by="${4:-0.0015}" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d <= by && d >= -by) }' || fail "$3: $1, not $2"; } # GOT WANTED WHAT [BY]

# ---- a block: figures that follow from one another, a path of signals that the Verilog has
timing --path --csv fpu.csv --json fpu.json fpu >fpu.txt || fail "fpu: status $?"
IFS=, read -r name parameters ns fo4 mhz logic dram from to < <(tail -n 1 fpu.csv)
one=$(sed -n 's/.*FO4 of [^:]*: \([0-9.]*\) ns.*/\1/p' fpu.txt)
[[ $(head -n 1 fpu.csv) == block,parameters,ns,fo4,fmax,fmax_20nm,fmax_dram,from,to && $name == fpu && ! $parameters ]] || fail "fpu.csv: $name"
near "$one" 0.098 "FO4 of OSU 0.18"
near "$fo4" "$(awk "BEGIN { print $ns / $one }")" "FO4 of fpu" 0.02
near "$mhz" "$(awk "BEGIN { print 1000 / $ns }")" "MHz of fpu" 0.02
near "$logic" "$(awk "BEGIN { print 1e6 / 14.2 / $fo4 }")" "MHz at 20 nm" 1
near "$dram" "$(awk "BEGIN { print $logic / 3 }")" "MHz in DRAM" 0.1
grep -q "^fpu  *$(printf %.3f "$ns")" fpu.txt || fail "the table has other ns than the file"
near "$(awk -F'[:,]' '/"delay_ns"/ { n += $4 } /"setup_ns"/ { n += $7 } END { print n }' <(sed 's/.*"setup_ns"/0,0:0,0:0,"setup_ns"/' fpu.json))" "$ns" "delays of the path, added up"
files=("$root"/rtl/mpu/fpu/*.sv "$root"/rtl/common/*.sv)
signals=$(grep -o '"net": "[^"]*"' fpu.json | cut -d'"' -f4 | grep .)
[[ $(head -n 1 <<<"$signals") == "$from" && $to ]] || fail "the path does not begin at $from"
for s in $signals "$to"; do
  last=${s##*.}
  grep -qw -- "${last%%[*}" "${files[@]}" || fail "no signal $s in the Verilog"
done
timing --tech-set max_fo4=10 fpu >slow && fail "a bound of 10 FO4 is met" || [[ $? == 1 ]] || fail "slower than the bound: status $?"
grep -q '^fpu .* over the bound' slow || fail "nothing says that fpu is over the bound"
timing --small --csv small.csv fpu >/dev/null
cmp -s fpu.csv small.csv || fail "--small: other figures of a block without parameters"

# ---- known paths: each inverter more that drives four of its kind takes an FO4
chain() { # FLIP-FLOP NUMBER: from it through so many inverters to one of the other edge or the same
  echo "module chain (clk_i); input clk_i; wire [$2:0] n; wire \\deep.first , \\i_last.q_q ;"
  echo "$1 a (.CLK(clk_i), .D(\\deep.first ), .Q(\\deep.first )); assign n[0] = \\deep.first ;"
  for ((k = 0; k < $2; k++)); do
    echo "INVX1 i$k (.A(n[$k]), .Y(n[$((k + 1))]));"
    for j in 1 2 3; do echo "wire z${k}_$j; INVX1 d${k}_$j (.A(n[$((k + 1))]), .Y(z${k}_$j));"; done
  done
  echo "DFFPOSX1 b (.CLK(clk_i), .D(n[$2]), .Q(\\i_last.q_q ));endmodule"
}
for flop in POSX1 NEGX1; do
  for n in 8 12; do
    chain DFF$flop $n >$n.v
    timing --netlist $n.v --csv $n.csv --path chain >$flop.$n || fail "$flop, $n inverters: status $?"
  done
  times=$([[ $flop == NEGX1 ]] && echo 2 || echo 1)
  near "$(awk "BEGIN { print ($(tail -n1 12.csv | cut -d, -f4) - $(tail -n1 8.csv | cut -d, -f4)) / $times }")" 4 "$flop: four inverters more, in FO4" 0.1
  [[ $(tail -n 1 12.csv | cut -d, -f8,9) == deep.first,i_last.q_q ]] || fail "$flop: ends of the path: $(tail -n1 12.csv)"
  [[ $(grep -c INVX1 $flop.12) == 13 ]] || fail "$flop: gates of the path"
done
grep -q 'half a cycle' NEGX1.12 && ! grep -q 'half a cycle' POSX1.12 || fail "half a cycle"
# to the enable of a clock gate: its latch is open in the second half of the cycle, so the path has the whole cycle, and
# with the latch. No path goes through the clock.
gated() { # NUMBER, LOADS OF THE GATED CLOCK, [INVERTERS BEHIND THE LATCH, an even number]
  chain DFFPOSX1 "$1" | sed '$d'
  echo "wire low, open, gated; INVX1 i_low (.A(clk_i), .Y(low)); LATCH i_enable (.D(n[$1]), .CLK(low), .Q(open));"
  echo "wire [${3:-0}:0] m; assign m[0] = open;"
  for ((k = 0; k < ${3:-0}; k++)); do echo "INVX1 m$k (.A(m[$k]), .Y(m[$((k + 1))]));"; done
  echo "AND2X2 i_gated (.A(clk_i), .B(m[${3:-0}]), .Y(gated));"
  for ((k = 0; k < $2; k++)); do echo "wire q$k; DFFPOSX1 f$k (.CLK(gated), .D(1'b0), .Q(q$k));"; done
  echo endmodule
}
for n in 12 16; do
  gated $n 30 >gated.v
  timing --netlist gated.v --csv $n.csv --path chain >gated.$n || fail "gate behind $n inverters: status $?"
done
near "$(awk "BEGIN { print $(tail -n1 16.csv | cut -d, -f4) - $(tail -n1 12.csv | cut -d, -f4) }")" 4 "clock gate: four inverters more, in FO4" 0.1
[[ $(tail -n 1 16.csv | cut -d, -f8,9) == deep.first,open ]] || fail "path to a clock gate: $(tail -n 1 16.csv)"
[[ $(grep -cE 'INVX1 +n' gated.16) == 16 && $(grep -c LATCH gated.16) == 1 ]] && ! grep -q 'half a cycle' gated.16 || fail "path to a clock gate: $(<gated.16)"
near "$(awk '/setup$/ { print $1 }' gated.16)" "$(tail -n1 16.csv | cut -d, -f3)" "ns of the path to a clock gate"
gated 16 1 >gated.v
timing --netlist gated.v --csv less.csv chain >/dev/null
near "$(tail -n1 less.csv | cut -d, -f3)" "$(tail -n1 16.csv | cut -d, -f3)" "ns with fewer loads of a gated clock"
# an enable that is there early: from where the latch opens, half a cycle
gated 2 1 8 >gated.v
timing --netlist gated.v --csv early.csv --path chain >early || fail "early enable: status $?"
grep -q 'half a cycle' early && [[ $(tail -n 1 early.csv | cut -d, -f8,9) == open,gated && $(grep -cE 'INVX1 +m' early) == 8 ]] || fail "path from a latch: $(<early)"
# behind the latch when it is open already: what is in front of it and behind
gated 16 1 8 >gated.v
timing --netlist gated.v --csv late.csv --path chain >late || fail "late enable: status $?"
[[ $(tail -n 1 late.csv | cut -d, -f8,9) == deep.first,gated && $(grep -c INVX1 late) == 25 && $(grep -c LATCH late) == 1 ]] || fail "path through a latch: $(<late)"
near "$(awk '/setup$/ { print $1 }' late)" "$(tail -n1 late.csv | cut -d, -f3)" "ns of the path through a latch"
# a bound of one block
sed '$a max_fo4_chain = 8' "$root/synth/timing.conf" >one.conf
timing --tech one.conf --netlist 12.v chain >slow && fail "the bound of chain is met" || [[ $? == 1 ]] || fail "chain over its bound: status $?"
timing --tech one.conf --tech-set max_fo4=8 --tech-set max_fo4_chain=40 --netlist 12.v chain >slow || fail "chain has the bound of all: status $?"
# both kinds in one netlist: the one that allows less
sed 's/module chain/module half/' 8.v >both.v
echo 'module pair (clk_i); input clk_i; half h (.clk_i(clk_i)); chain c (.clk_i(clk_i)); endmodule' >>both.v
chain DFFPOSX1 40 >>both.v
timing --netlist both.v --csv both.csv pair >/dev/null || [[ $? == 1 ]] || fail "both: status $?"
[[ $(tail -n 1 both.csv | cut -d, -f8,9) == c.deep.first,c.i_last.q_q ]] || fail "both: $(tail -n 1 both.csv)"
chain DFFPOSX1 40 >40.v
timing --netlist 40.v --csv 40.csv chain >/dev/null || [[ $? == 1 ]] || fail "40 inverters: status $?"
near "$(tail -n 1 both.csv | cut -d, -f3)" "$(tail -n 1 40.csv | cut -d, -f3)" "both: ns" 0.0002
echo 'module gates (clk_i, a, y); input clk_i, a; output y; INVX1 i (.A(a), .Y(y)); endmodule' >gates.v
timing --netlist gates.v gates | grep -q 'no path between registers' || fail "gates only"

# ---- other libraries
for tech in ${MPU_LONG:+osu035/osu035} osu050/osu05; do
  lib=/usr/share/qflow/tech/${tech}_stdcells.lib
  [[ -r $lib ]] || continue
  timing --liberty "$lib" --csv other.csv fpu >other || [[ $? == 1 ]] || fail "$tech: status $?"
  awk -v was="$one" '/^FO4 of/ { exit !($4 > was * 1.2) }' other || fail "$tech: $(head -n 1 other)"
  awk -F, 'NR == 2 { exit !($4 > 20 && $4 < 60) }' other.csv || fail "$tech: $(tail -n 1 other.csv)"
done

# ---- a clock gate: twice the path to its enable, which is a latch at the falling edge
gate() { # BLOCK LATCH
  timing --path --csv gate.csv "$1" >gate || fail "$1: status $?"
  IFS=, read -r name parameters ns _ _ _ _ from to < <(tail -n 1 gate.csv)
  [[ $name == "$1" && $parameters == "clock gate" && $from && $to == "$2" ]] || fail "$1: $(tail -n 1 gate.csv)"
  grep -q 'half a cycle' gate || fail "$1: nothing says that the path has half a cycle"
  near "$ns" "$(awk '/setup$/ { print 2 * $1 }' gate)" "ns of the clock gate of $1"
}
gate die_slice i_smem_gate.en_q
[[ ! ${MPU_LONG:-} ]] || gate nbu i_gate.en_q # minutes: its blocks

# ---- wrong use
expect "unknown module 'nothing' of rtl" timing nothing
expect "takes no parameters here" timing nbu:LANES=8
expect "unknown small build 'nbu'; known: " timing --small nbu
expect "have their own parameters" timing --small fpu:A=1
expect "does not map" timing fpu:NONE=1
expect "unknown option '--fast'" timing --fast
expect "--csv needs a value" timing --csv
expect "do not go together" timing --die --small
expect "cannot write '$work/no/file'" timing --csv no/file fpu
expect "cannot read the library '$work/none.lib'" timing --liberty none.lib fpu
expect "unknown key \"fo4\"" timing --tech-set fo4=1 fpu
expect "takes a number" timing --tech-set fo4_ps=fast fpu
expect "-j takes a number" timing -j none fpu
expect "cannot read the technology" timing --tech none fpu
expect "cannot read the netlist '$work/none.v'" timing --netlist none.v chain
expect "needs one name" timing --netlist 8.v
expect "OpenSTA" timing --netlist 8.v another
echo "module broken (clk_i; endmodule" >broken.v
expect "OpenSTA" timing --netlist broken.v broken
: >empty.lib
expect "it has no flip-flop" timing --liberty empty.lib fpu
sed '/cell (INVX/,/^}/d' /usr/share/qflow/tech/osu018/osu018_stdcells.lib >few.lib
expect "it has no inverter" timing --liberty few.lib fpu
mkdir bin
for t in bash awk sed grep dirname mktemp rm nproc; do ln -s "$(command -v $t)" bin; done
expect "sta is missing" env PATH="$work/bin" bash "$root/synth/timing.sh" fpu

((failed)) || echo "mpu timing: ok"
exit $failed
