#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu activity: counts of a wave that is made by hand, windows, gaps, SAIF; gates that are computed from registers and
# inputs, against a simulation of all of them; wrong use, files that are none.
set -uo pipefail
. tb/cli/expect.sh
liberty=${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib
cd "$work" || exit 1
activity() { "$MPU" activity "$@"; }
fst() { vcd2fst -v "$1.vcd" -f "$1.fst" >/dev/null 2>&1 || fail "vcd2fst $1"; }

# ---- by hand: a counter, an x at the beginning and in the middle, bits 5 and 4, an array in a generate block
{
  cat <<'END'
$timescale 1ps $end
$scope module core0 $end
$scope module nbu0 $end
$var wire 1 ! clk_i $end
$var wire 4 " count_q [3:0] $end
$var wire 1 # late $end
$var wire 2 $ part_q [5:4] $end
$scope module g[1] $end
$scope module lane $end
$var wire 1 % a[2] $end
$upscope $end
$upscope $end
$upscope $end
$scope module nbu1 $end
$var wire 4 & count_q [3:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
END
  for n in 0 1 2 3 4 5 6 7; do
    printf '#%d000\n1!\n' $n
    echo "b$(((n >> 2) & 1))$(((n >> 1) & 1))$((n & 1)) \""
    case $n in
    0) printf 'x#\nbx1 $\n0%%\nb1000 &\n' ;;
    2) printf 'b0x $\n' ;;
    3) printf '1#\nb01 $\n' ;;
    5) printf 'b10 $\n' ;;
    6) printf '1#\nb0111 &\n' ;;
    esac
    [[ $n != 4 ]] || printf '#4250\n0#\n'
    printf '#%d500\n0!\n' $n
  done
  printf '#8000\n'
} >hand.vcd
fst hand
# counts TABLE SIGNAL: instances toggles low high
counts() { awk -v s="$2" '$1 == s { print $2, $3, $4, $5 }' "$1"; }
is() { [[ $1 == "$2" ]] || fail "$3: $1, not $2"; } # GOT WANTED WHAT
activity --scope core0.nbu0 --table all -o all.saif hand.fst >said || fail "status $?"
is "$(head -n 1 all)" "window 0 8 scopes 1" "the window"
while read -r signal wanted; do is "$(counts all "$signal")" "$wanted" "$signal"; done <<'END'
clk_i 1 15 4000 4000
count_q[0] 1 7 4000 4000
count_q[1] 1 3 4000 4000
count_q[2] 1 1 4000 4000
count_q[3] 1 0 8000 0
late 1 2 1750 3250
part_q[4] 1 1 3000 4000
part_q[5] 1 1 3000 3000
g[1].lane.a[2] 1 0 8000 0
END
activity --scope core0.nbu0 --window 2:5 --table odd hand.fst >/dev/null
while read -r signal wanted; do is "$(counts odd "$signal")" "$wanted" "$signal in 2:5"; done <<'END'
clk_i 1 6 1500 1500
count_q[0] 1 3 2000 1000
count_q[1] 1 2 1000 2000
late 1 1 750 1250
part_q[4] 1 0 0 2000
part_q[5] 1 0 3000 0
END
# windows add up
activity --scope core0.nbu0 --window :2 --table first hand.fst >/dev/null
activity --scope core0.nbu0 --window 5: --table last hand.fst >/dev/null
is "$(cat first odd last | awk '$1 != "window" { t[$1] += $3; l[$1] += $4; h[$1] += $5 } END { for (s in t) print s, t[s], l[s], h[s] }' | sort)" \
  "$(awk 'NR > 1 { print $1, $3, $4, $5 }' all | sort)" "three windows, added up"
# scopes of a list: sums; patterns, the i_ of instances
activity --scope 'core*.nbu?' --table two hand.fst >/dev/null
is "$(head -n 1 two)" "window 0 8 scopes 2" "two scopes"
is "$(counts two 'count_q[3]')" "2 1 10000 6000" "a signal of two scopes"
activity --scope 'core0.nbu0.g[*].i_lane,core0.nbu1' --table list hand.fst >/dev/null
is "$(counts list 'a[2]') $(counts list 'count_q[3]')" "1 0 8000 0 1 1 2000 6000" "a list of patterns"
activity --scope 'core0.*' --table stars hand.fst >/dev/null
is "$(counts stars 'g[1].lane.a[2]')" "1 0 8000 0" "what is below a scope"

# ---- SAIF: parentheses, instances, times that make up the whole
saif() { # FILE DURATION NETS
  awk -v duration="$2" -v nets="$3" -v file="$1" '
    { line = $0; gsub(/\\./, "", line); depth += gsub(/\(/, "", line) - gsub(/\)/, "", line); if (depth < 0) bad = "parentheses" }
    NR == 1 && $0 != "(SAIFILE" || NR == 2 && $0 != "(SAIFVERSION \"2.0\")" { bad = "its beginning" }
    /\(DURATION / && $2 + 0 != duration { bad = "DURATION " $2 }
    /\(T0 / { n++; sum = 0; for (k = 2; k < NF; k++) if ($k ~ /^\(T[01X]$/) sum += $(k + 1); if (sum != duration) bad = $0 }
    END { if (depth) bad = "it does not end"; if (n != nets) bad = n " nets"; if (bad) { print file ": " bad; exit 1 } }' "$1" || fail "SAIF"
}
saif all.saif 8000 9
grep -qF '(late (T0 1750) (T1 3250) (TX 3000) (TC 2) (IG 0))' all.saif || fail "SAIF: late"
grep -qF '(part_q\[5\] (T0 3000) (T1 3000) (TX 2000) (TC 1) (IG 0))' all.saif || fail "SAIF: part_q[5]"
is "$(grep -o '(INSTANCE .*' all.saif | tr '\n' ' ')" '(INSTANCE core0 (INSTANCE nbu0 (INSTANCE g\[1\] (INSTANCE lane ' "SAIF: instances"
activity -o both.saif hand.fst >/dev/null
saif both.saif 8000 13
is "$(grep -c 'INSTANCE core0' both.saif) $(grep -c 'INSTANCE nbu' both.saif)" "1 2" "SAIF: scopes side by side"

# ---- gates: a random netlist, simulated as a whole, against what follows from its registers and inputs
awk 'BEGIN {
  srand(7)
  n = split("INVX1 NAND2X1 NOR2X1 NAND3X1 AOI21X1 AOI22X1 OAI21X1 OAI22X1 XOR2X1 XNOR2X1 MUX2X1 AND2X2 OR2X2 BUFX4", type, " ")
  split("A:A B:A B:A B C:A B C:A B C D:A B C:A B C D:A B:A B:A B S:A B:A B:A", pins, ":")
  print "module some (clk_i, in_i, out_o);\n  input clk_i;\n  wire clk_i;\n  input [7:0] in_i;\n  wire [7:0] in_i;\n  output out_o;\n  wire out_o;"
  print "  wire [11:4] state_q;\n  wire \\odd.name ;\n  wire [299:0] n;\n  wire child;"
  print "  box i_box (\n    .x_i(n[5]),\n    .y_o(child)\n  );"
  # a clock gate: what is behind it keeps its value while n[250] is low
  print "  wire [3:0] held_q;\n  wire low;\n  wire open;\n  wire gated;"
  print "  INVX1 _low_ (\n    .A(clk_i),\n    .Y(low)\n  );\n  LATCH _latch_ (\n    .CLK(low),\n    .D(n[250]),\n    .Q(open)\n  );"
  print "  AND2X2 _gate_ (\n    .A(clk_i),\n    .B(open),\n    .Y(gated)\n  );"
  for (k = 0; k < 4; k++) printf "  DFFPOSX1 _h%d_ (\n    .CLK(gated),\n    .D(n[%d]),\n    .Q(held_q[%d])\n  );\n", k, 240 + k, k
  for (k = 0; k < 300; k++) {
    t = 1 + int(rand() * n)
    printf "  %s _%d_ (\n", type[t], k
    m = split(pins[t], p, " ")
    for (j = 1; j <= m; j++) {
      r = rand()
      net = r < 0.2 ? "in_i[" int(rand() * 8) "]" : r < 0.5 || !k ? "state_q[" 4 + int(rand() * 8) "]" : r < 0.52 ? "child" : r < 0.57 ? "held_q[" int(rand() * 4) "]" : r < 0.6 ? "1\047h" int(rand() * 2) : "n[" int(rand() * k) "]"
      printf "    .%s(%s),\n", p[j], net
    }
    printf "    .Y(n[%d])\n  );\n", k
  }
  for (k = 4; k < 12; k++) printf "  DFFPOSX1 _r%d_ (\n    .CLK(clk_i),\n    .D(n[%d]),\n    .Q(state_q[%d])\n  );\n", k, 299 - k * 3, k
  print "  assign out_o = n[299];\nendmodule"
}' >some.v
{
  echo '`timescale 1ps / 1ps'
  cat some.v
  echo "module box (input x_i, output reg y_o); initial y_o = 0; always @(x_i) y_o <= #1000 x_i === 1'b1; endmodule"
  cat <<'END'
module INVX1 (input A, output Y); assign Y = !A; endmodule
module BUFX4 (input A, output Y); assign Y = A; endmodule
module AND2X2 (input A, B, output Y); assign Y = A & B; endmodule
module OR2X2 (input A, B, output Y); assign Y = A | B; endmodule
module NAND2X1 (input A, B, output Y); assign Y = !(A & B); endmodule
module NAND3X1 (input A, B, C, output Y); assign Y = !(A & B & C); endmodule
module NOR2X1 (input A, B, output Y); assign Y = !(A | B); endmodule
module AOI21X1 (input A, B, C, output Y); assign Y = !(A & B | C); endmodule
module AOI22X1 (input A, B, C, D, output Y); assign Y = !(A & B | C & D); endmodule
module OAI21X1 (input A, B, C, output Y); assign Y = !((A | B) & C); endmodule
module OAI22X1 (input A, B, C, D, output Y); assign Y = !((A | B) & (C | D)); endmodule
module XOR2X1 (input A, B, output Y); assign Y = A ^ B; endmodule
module XNOR2X1 (input A, B, output Y); assign Y = !(A ^ B); endmodule
module MUX2X1 (input A, B, S, output Y); assign Y = !(S ? A : B); endmodule
module DFFPOSX1 (input CLK, input D, output reg Q); initial Q = 0; always @(posedge CLK) Q <= D; endmodule
module LATCH (input CLK, input D, output reg Q); always @* if (CLK) Q = D; endmodule
module bench;
  reg clk; reg [7:0] in; wire out; integer n, seed;
  some some (.clk_i(clk), .in_i(in), .out_o(out));
  initial begin
    $dumpfile("some.vcd"); $dumpvars(0, some);
    seed = 3; in = 0; clk = 0;
    for (n = 0; n < 301; n = n + 1) begin
      clk = 1;
      in <= $random(seed) & $random(seed);
      #500 clk = 0;
      #500;
    end
    $finish;
  end
endmodule
END
} >bench.v
iverilog -g2012 -s bench -o bench.vvp bench.v && vvp bench.vvp >/dev/null || fail "iverilog"
fst some
activity --scope bench.some --window 20:298 --table nets some.fst >/dev/null || fail "the simulated netlist"
activity --scope bench.some --window 20:298 --netlist some.v --liberty "$liberty" --gates gates some.fst >/dev/null || fail "gates: status $?"
awk '
  FNR == NR { toggles[$1] = $3; next }
  $1 == "gate" { k = $2; gsub(/_/, "", k); n++; sum += $3; d = toggles["n[" k "]"] - $3; if (d < 0 || d > 1) { bad++; print "gate " k ": " $3 ", simulated " toggles["n[" k "]"] } }
  ($1 == "input" || $1 == "register") { m++; if ($2 != "known") bad++ }
  $1 == "clock" && $2 != 278 || $1 == "misfits" && $2 != 0 { bad++; print }
  $1 == "clocks" && $2 == "_low_" && $3 != 278 { bad++; print }
  $1 == "clocks" && $2 == "_gate_" { pulses = $3; d = toggles["gated"] / 2 - $3; if (d < 0 || d > 1 || $3 < 20 || $3 > 250) { bad++; print $0 ", simulated " toggles["gated"] / 2 } }
  $1 == "flop" && $2 ~ /^_h/ { behind[$2] = $4; next }
  ($1 == "latch" || $1 == "flop") && $4 != 278 { bad++; print }
  END { for (c in behind) { held++; if (behind[c] != pulses) { bad++; print c ": " behind[c] } }
    if (bad || held != 4 || n != 300 || m != 21 || sum < 5000) { print n + 0, "gates", m + 0, "sources", sum + 0, "toggles"; exit 1 } }' nets gates || fail "gates switch otherwise than simulated ones"
# another enable of the clock gate, another register behind it: the wave does not fit
for wrong in 's/\.D(n\[250\])/.D(n[251])/' 's/\.D(n\[240\])/.D(n[239])/' 's/CLK(gated)/CLK(clk_i)/'; do
  sed "$wrong" some.v >wrong.v
  activity --scope bench.some --netlist wrong.v --liberty "$liberty" --gates wrong some.fst >/dev/null || fail "wrong: status $?"
  [[ $(awk '$1 == "misfits" { print $2 }' wrong) -gt 5 ]] || fail "$wrong: $(grep misfits wrong)"
done
# what the wave does not have is unknown
sed 's/state_q/lost_q/g' some.v >lost.v
activity --scope bench.some --netlist lost.v --liberty "$liberty" --gates lost some.fst >/dev/null || fail "lost: status $?"
is "$(grep -c '^register unknown lost_q' lost) $(grep -c '^input known' lost)" "8 9" "unknown registers"

# ---- wrong use
expect "which file?" activity
expect "cannot read 'none.fst'" activity none.fst
expect "is not a wave file" activity hand.vcd
expect "has no such scope" activity --scope core1 hand.fst
expect "has no such scope" activity --scope nbu0 hand.fst
expect "--window takes cycles A:B" activity --window 5:5 hand.fst
expect "--window takes cycles A:B" activity --window 5 hand.fst
expect "the wave has cycles 0:8" activity --window 2:9 hand.fst
expect "the wave has cycles 0:8" activity --window 8:10 hand.fst
expect "--scope needs a value" activity --scope= hand.fst
expect "one file at a time" activity hand.fst some.fst
expect "unknown option '--fast'" activity --fast hand.fst
expect "no/dir/file" activity -o no/dir/file hand.fst
expect "go together" activity --netlist some.v hand.fst
expect "cannot read 'none.v'" activity --netlist none.v --liberty "$liberty" --gates g hand.fst
expect "is not a netlist of these cells" activity --netlist hand.vcd --liberty "$liberty" --gates g hand.fst
head -c 3000 some.v >half.v
expect "is not a netlist of these cells" activity --netlist half.v --liberty "$liberty" --gates g hand.fst
sed 's/(n\[250\])/(n[2])/; s/n\[2\])$/n[250])/' some.v >loop.v
echo 'module l (clk_i); input clk_i; wire a, b; INVX1 x (.A(a), .Y(b)); INVX1 y (.A(b), .Y(a)); endmodule' >loop.v
expect "there is a loop of gates" activity --netlist loop.v --liberty "$liberty" --gates g hand.fst
expect "has no cells" activity --netlist some.v --liberty some.v --gates g hand.fst
[[ ! -w /dev/full ]] || expect "cannot write '/dev/full'" activity -o /dev/full hand.fst
bytes=$(stat -c %s some.fst)
for part in 0 1 100 400 $((bytes / 2)) $((bytes - 300)) $((bytes - 1)); do
  head -c "$part" some.fst >cut.fst
  activity cut.fst >/dev/null 2>err
  status=$?
  [[ $status == 2 && $(wc -l <err) == 1 ]] || [[ $status == 0 && $part -gt 400 ]] || fail "a file cut at $part of $bytes bytes: status $status, $(head -n 2 err)"
done

((failed)) || echo "mpu activity: ok"
exit $failed
