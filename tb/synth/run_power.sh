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
# the clock of a flip-flop: half a pF V^2 at each pin and edge, and what the library says, wherever it is
netlist=$(bash "$root/synth/area.sh" --blocks tsv --netlists)
flops=$(grep -c '^  DFFPOSX1 ' "$netlist")
near "$(awk "BEGIN { print $(field all.csv tsv clock_mw) / $(field all.csv tsv runs) / $flops }")" 0.2006 "mW of a flip-flop's clock" 0.02
# registers take what the gates in front of them give: in all cycles as many changes, but for the first and last
"$MPU" activity --scope core0.nbu2.tsv --netlist "$netlist" --liberty "$liberty" --gates gates axpy.fst >/dev/null || fail "gates"
awk '
  FNR == NR { if ($1 == "flop" || $1 == "gate") toggles[$2] = $3; next }
  $NF == "(" { cell = $2; flop = $1 == "DFFPOSX1" }
  /^    \.D\(/ && flop { d = $1; gsub(/^\.D\(|\),?$/, "", d); front[cell] = d }
  /^    \.Y\(/ { y = $1; gsub(/^\.Y\(|\),?$/, "", y); driver[y] = cell }
  END {
    for (c in front) if (front[c] in driver) { n++; sum += toggles[c]; d = toggles[c] - toggles[driver[front[c]]]; if (d > 1 || d < -1) bad++ }
    if (bad || n < 2000 || sum < 5000) { print n + 0, "registers", sum + 0, "toggles", bad + 0, "otherwise"; exit 1 }
  }' gates "$netlist" || fail "registers change otherwise than the gates in front of them"

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
near "$(awk '$1 == "i" { print $5 }' cells)" "$(awk "BEGIN { print $(pin INVX1 A) * 4e-12 * 1.8 ^ 2 / 2 }")" "J to charge four inverters" 0.02
near "$(awk '$1 == "f" { print $5 }' cells)" "$(awk "BEGIN { print $(pin INVX1 A) * 1e-12 * 1.8 ^ 2 / 2 }")" "J to charge one" 0.02
printf 'f 1e-9 4e-13 2e-13 1e-13\ng 2e-9 0 6e-13 5e-13\nother 0 1 1 1\n' >cells
printf 'window 0 10 scopes 2\nclock 20 5\ninput known a 7 100\nregister unknown q 4 30\nflop f 4\ngate g 8\n' >gates
[[ $(awk -v doubled=2 -v volts=2 -f "$root/synth/switch.awk" cells gates | tr '\n' ' ') == "missing q scopes 2 cycles 10 runs 1.000000 known 2 1 clock 0.22 register 0.04 logic 0.32 wires 0.07 leakage "* ]] ||
  fail "energies by hand: $(awk -v doubled=2 -v volts=2 -f "$root/synth/switch.awk" cells gates | tr '\n' ' ')"

# ---- waves that lack something
"$MPU" run -q --near=c --wave c.fst kernels/axpy -- --n 100 >/dev/null 2>&1
expect "has none of tsv in core*" power c.fst tsv
printf 'block 0 tsv\nmissing rx.head_q[0]\nscopes 4\ncycles 9\nruns 1\nknown 8 7\nclock 1\nregister 1\nlogic 1\nwires 1\nleakage 0\n' >facts
awk -v volts=1.8 -v missing=1 -v wave=w -f "$root/synth/power.awk" <(awk -v tool=t -f "$root/synth/config.awk" "$root/synth/power.conf") facts >lost
grep -q '^tsv .* 87.5 ' lost && grep -q '^tsv: the wave does not have 1 of 8 bits' lost && grep -qF '  rx.head_q[0]' lost || fail "what is missing"
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
