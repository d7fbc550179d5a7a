#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpu power: a run of the Verilog, its NBU's bus interface and completions in cells: registers and gates that fit one
# another, times in which much happens and little, windows, scaling; waves without what it takes; wrong use.
set -uo pipefail
. tb/cli/expect.sh
root=$PWD
liberty=${OSU018:-/usr/share/qflow/tech/osu018}/osu018_stdcells.lib
export MPU MPU_CACHE=$work/mpu MPU_POSTMORTEM=none
unset MPU_NEAR
power() { bash "$root/synth/power.sh" "$@"; }
cd "$work" || exit 1
ln -s "$root/kernels" kernels
# field CSV MODULE NAME
field() { awk -F, -v m="$2" -v f="$3" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == f) c = k; next } $1 == m { print $c }' "$1"; }
near() { awk -v a="$1" -v b="$2" -v by="$4" 'BEGIN { d = a - b; m = by * (b < 0 ? -b : b); exit !(a != "" && b != "" && d <= m && d >= -m) }' || fail "$3: $1, not $2"; } # GOT WANTED WHAT PART
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }' || fail "$3: $1 is not less than $2"; }

"$MPU" run -q --near=rtl --wave axpy.fst kernels/axpy -- --n 3000 >/dev/null 2>&1 || fail "mpu run"
power --csv all.csv --json all.json axpy.fst tsv nbu_completions >all.txt 2>err || fail "status $?: $(tail -n 1 err)"
[[ $(field all.csv tsv known) == 1.000000 && $(field all.csv tsv scopes) == 4 && $(field all.csv tsv count) == 16 ]] || fail "tsv: $(grep ^tsv all.csv)"
grep -q '^tsv .* 100.0 ' all.txt || fail "the table"
for m in tsv nbu_completions; do
  sum=0
  for part in clock register logic wires; do
    sum=$(awk "BEGIN { print $sum + $(field all.csv $m ${part}_mw) }")
    less 0 "$(field all.csv $m ${part}_mw)" "$m: $part"
  done
  near "$sum" "$(field all.csv $m all_mw)" "$m: the parts, added up" 1e-4
  near "$(field all.csv $m node_mw)" "$(awk "BEGIN { print $sum / 36 }")" "$m at 20 nm" 1e-4
  near "$(field all.csv $m die_mw)" "$(awk "BEGIN { print $sum / 36 * 16 }")" "$m of a die" 1e-4
  grep -q "\"module\": \"$m\", .*\"all_mw\": $(field all.csv $m all_mw)," all.json || fail "$m: JSON"
done
# registers take what the gates in front of them give, when their clock runs, in each cycle; else they keep it
netlist=$(bash "$root/synth/area.sh" --blocks tsv --netlists)
flops=$(grep -c '^  DFFPOSX1 ' "$netlist")
[[ $(field all.csv tsv misfits) == 0 && $(field all.csv nbu_completions misfits) == 0 ]] || fail "wave and netlist differ: $(<all.txt)"
"$MPU" activity --scope core0.nbu2.tsv --netlist "$netlist" --liberty "$liberty" --gates gates axpy.fst >/dev/null || fail "gates"
awk -v flops="$flops" '$1 == "clock" { edges = $2 } $1 == "flop" { n++; all += $4; toggles += $3 } $1 == "clocks" && $2 ~ /^i_gated_/ { gates++ }
  END { if (n != flops || toggles < 5000 || gates < 50 || all / n > edges / 5) { print n, "flops", toggles, "toggles", gates, "gates", all / n, "of", edges, "edges"; exit 1 } }' gates ||
  fail "clocks of tsv"
less "$(field all.csv tsv flops_run)" "$(awk "BEGIN { print $(field all.csv tsv runs) / 5 }")" "clocks of registers against that of tsv"
# two gates that have each other's enable, and one without: that would be noticed
awk '$1 == "LATCH" { latch = $2 } /^    \.D\(/ && latch ~ /^i_enable_[12]_$/ { print latch, $1 } /^  \);/ { latch = "" }' "$netlist" >enables
{ read -r one first && read -r two second; } <enables
[[ $first && $second && $first != "$second" ]] || fail "no clock gates in tsv"
awk -v a="$one" -v b="$two" -v da="$first" -v db="$second" '$1 == "LATCH" { latch = $2 } /^  \);/ { latch = "" }
  /^    \.D\(/ && latch == a { print "    " db; next } /^    \.D\(/ && latch == b { print "    " da; next } { print }' "$netlist" >exchanged.v
sed '/^  LATCH i_enable_3_ /,/);/s/\.D(.*),$/.D(1'"'"'h1),/' "$netlist" >open.v
for wrong in exchanged open; do
  cmp -s $wrong.v "$netlist" && fail "$wrong.v is as it was"
  "$MPU" activity --scope core0.nbu2.tsv --netlist $wrong.v --liberty "$liberty" --gates wrong axpy.fst >/dev/null || fail "$wrong.v"
  less 100 "$(awk '$1 == "misfits" { print $2 }' wrong)" "$wrong enables: misfits"
done

# ---- windows: the whole is what its parts are; where nothing happens it takes less
end=$("$MPU" activity axpy.fst | sed -n 's/^cycles 0 to \([0-9]*\),.*/\1/p')
half=$((end / 2))
power --window :$half --csv first.csv axpy.fst tsv >/dev/null
power --window $half: --csv second.csv axpy.fst tsv >/dev/null
for part in clock register logic all; do
  near "$(awk "BEGIN { print ($(field first.csv tsv ${part}_mw) * $half + $(field second.csv tsv ${part}_mw) * ($end + 1 - $half)) / ($end + 1) }")" "$(field all.csv tsv ${part}_mw)" "two halves: $part" 0.01
done
power --window :40 --csv idle.csv axpy.fst tsv >/dev/null  # the launch has not come yet
less "$(field idle.csv tsv all_mw)" "$(awk "BEGIN { print $(field all.csv tsv all_mw) / 2 }")" "idle against busy"
less "$(field idle.csv tsv runs)" "$(field all.csv tsv runs)" "clocks of idle against busy"
power --scope core0.nbu1 --csv one.csv axpy.fst tsv >/dev/null
[[ $(field one.csv tsv scopes) == 1 && $(field one.csv tsv count) == 16 ]] || fail "one NBU: $(grep ^tsv one.csv)"
power --tech-set node_nm=180 --tech-set node_volts=1.8 --tech-set clock_ghz=0.5 --csv same.csv axpy.fst tsv >/dev/null
near "$(field same.csv tsv node_mw)" "$(awk "BEGIN { print $(field all.csv tsv all_mw) / 2 }")" "scaled to where it is, at half the clock" 1e-4

# ---- energies: of cells whose loads are known; of a wave and cells that are made by hand
cat >small.v <<'END'
module small (clk_i, a); input clk_i, a; wire q, y, z, w, v, u;
DFFPOSX1 f (.CLK(clk_i), .D(a), .Q(q)); INVX1 i (.A(q), .Y(y));
INVX1 j (.A(y), .Y(z)); INVX1 k (.A(y), .Y(w)); INVX1 l (.A(y), .Y(v)); INVX1 m (.A(y), .Y(u));
endmodule
END
echo "source $root/synth/power.tcl; set liberty $liberty; set netlist small.v; set top small; set file cells; measure" >small.tcl
sta -no_splash -exit small.tcl >/dev/null 2>&1
pin() { awk -v c="cell ($1)" -v p="pin($2)" 'index($0, c) { in_cell = 1 } in_cell && index($0, p) { in_pin = 1 } in_pin && $1 == "capacitance" { sub(/;/, ""); print $3; exit }' "$liberty"; }
near "$(awk '$1 == "i" { print $6 }' cells)" "$(awk "BEGIN { print $(pin INVX1 A) * 4e-12 * 1.8 ^ 2 / 2 }")" "J to charge four inverters" 0.02
near "$(awk '$1 == "f" { print $6 }' cells)" "$(awk "BEGIN { print $(pin INVX1 A) * 1e-12 * 1.8 ^ 2 / 2 }")" "J to charge one" 0.02
# the clock of a flip-flop: half a pF V^2 at its pin and each edge, and what the library says
near "$(awk -v pin="$(pin DFFPOSX1 CLK)" '$1 == "f" { print ($3 / 2 + pin * 1e-12 * 1.8 ^ 2) * 1e12 }' cells)" 0.2006 "pJ of a flip-flop's clock" 0.02
# a clock gate charges what is behind it
cat >gated.v <<'END'
module gated (clk_i, a, en); input clk_i, a, en; wire low, open, clk; wire [3:0] q;
INVX1 n (.A(clk_i), .Y(low)); LATCH l (.CLK(low), .D(en), .Q(open)); AND2X2 g (.A(clk_i), .B(open), .Y(clk));
DFFPOSX1 f0 (.CLK(clk), .D(a), .Q(q[0])); DFFPOSX1 f1 (.CLK(clk), .D(a), .Q(q[1]));
DFFPOSX1 f2 (.CLK(clk), .D(a), .Q(q[2])); DFFPOSX1 f3 (.CLK(clk), .D(a), .Q(q[3]));
endmodule
END
sed 's/small\.v/gated.v/; s/top small/top gated/' small.tcl >gated.tcl
sta -no_splash -exit gated.tcl >/dev/null 2>&1
near "$(awk '$1 == "g" { print $4 }' cells)" "$(awk "BEGIN { print 4 * $(pin DFFPOSX1 CLK) * 1e-12 * 1.8 ^ 2 }")" "J to charge four clock pins" 0.02
near "$(awk '$1 == "n" { print $4 }' cells)" "$(awk "BEGIN { print $(pin LATCH CLK) * 1e-12 * 1.8 ^ 2 }")" "J to charge that of a latch" 0.02
near "$(awk '$1 == "g" { print $6 }' cells)" 0 "J to charge them when no clock runs" 1e-20
printf 'f 1e-9 4e-13 0 2e-13 1e-13\ng 2e-9 0 0 6e-13 5e-13\nc 0 2e-13 1e-13 9 9\nother 0 1 1 1 1\n' >cells
printf 'window 0 10 scopes 2\nclock 20 5\nmisfits 3\ninput known a 7 100\nregister unknown q 4 30\nflop f 4 10\ngate g 8\nclocks c 10\n' >gates
[[ $(awk -v doubled=2 -v volts=2 -f "$root/synth/switch.awk" cells gates | tr '\n' ' ') == "missing q misfits 3 open 0.500000 scopes 2 cycles 10 runs 1.000000 known 2 1 clock 0.22 register 0.04 logic 0.32 wires 0.07 leakage "* ]] ||
  fail "energies by hand: $(awk -v doubled=2 -v volts=2 -f "$root/synth/switch.awk" cells gates | tr '\n' ' ')"

# ---- waves that lack something
"$MPU" run -q --near=c --wave c.fst kernels/axpy -- --n 100 >/dev/null 2>&1
expect "has none of tsv in core*" power c.fst tsv
printf 'block 0 tsv\nmisfits 3\nmissing rx.head_q[0]\nscopes 4\ncycles 9\nruns 1\nknown 8 7\nclock 1\nregister 1\nlogic 1\nwires 1\nleakage 0\n' >facts
awk -v volts=1.8 -v missing=1 -v wave=w -f "$root/synth/power.awk" <(awk -v tool=t -f "$root/synth/config.awk" "$root/synth/power.conf") facts >lost
grep -q '^tsv .* 87.5 ' lost && grep -q '^tsv: the wave does not have 1 of 8 bits' lost && grep -qF '  rx.head_q[0]' lost || fail "what is missing"
grep -q '^tsv: wave and netlist differ: 3 times' lost || fail "a wave that does not fit"
"$MPU" run -q --near=rtl --wave smem.fst --wave-scope core0.smem kernels/axpy -- --n 100 >/dev/null 2>&1
expect "has none of tsv in core*" power smem.fst tsv
expect "has none of tsv in core5" power --scope core5 axpy.fst tsv
head -c 20000 axpy.fst >cut.fst
expect "is not a wave file (FST), or it is truncated" power cut.fst tsv
expect "cannot read the wave '$work/none.fst'" power none.fst
expect "the wave has cycles" power --window 1000000: axpy.fst tsv
expect "--window takes" power --window 7:7 axpy.fst tsv

# ---- wrong use
expect "which wave?" power
expect "unknown block 'fpu' of a wave" power axpy.fst fpu
expect "unknown option '--fast'" power --fast axpy.fst
expect "--scope needs a value" power axpy.fst --scope
expect "unknown key \"volts\"" power --tech-set volts=1 axpy.fst tsv
expect "cannot write '$work/no/file'" power --csv no/file axpy.fst tsv
expect "cannot read the library '$work/none.lib'" power --liberty none.lib axpy.fst tsv
sed '/nom_voltage/d' "$liberty" >dark.lib
expect "does not say its voltage" power --liberty dark.lib axpy.fst tsv
expect "cannot read the technology" power --tech none axpy.fst tsv
MPU=none expect "is not built" power axpy.fst tsv

((failed)) || echo "mpu power: ok"
exit $failed
