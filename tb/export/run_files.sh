#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What mpu export writes: Verilog-2001 for Icarus, Verilator and Yosys, named as the SystemVerilog; lists of files and
# memories; stand-ins that are what they stand for; constraints that OpenSTA takes with a netlist; outputs that are
# defined after a reset, whatever registers hold before. The large blocks, and others at their size, with
# MPU_LONG. That the Verilog does the same as the SystemVerilog is tb/cosim/signature.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=/dev/null
. tb/cosim/blocks.sh
build=${NEARBANK_BUILD:-build/test}
for need in yosys iverilog verilator sta; do
  command -v $need >/dev/null || die "$need is missing (Debian: yosys, iverilog, verilator, opensta)"
done
liberty=$tech/osu018_stdcells.lib
[[ -r $liberty ]] || die "no cells at $tech (Debian: qflow-tech-osu018)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }
export_to() { bash synth/export.sh -o "$work/$1" "${@:2}" 2>"$work/said" || die "$(cat "$work/said")"; }
first() { head -n 3 <<<"$1"; }

lanes=(opc regmove)
[[ ! ${MPU_LONG:-} ]] || lanes+=(smem valu lsux)
if [[ ${MPU_LONG:-} ]]; then
  export_to full --period 2.5 bankctl rowbuf fpu regfile tsv "${lanes[@]}" nbu die_slice
else
  export_to full --period 2.5 --set dram.queue=2 bankctl rowbuf fpu regfile tsv
fi
export_to four --param LANES=4 "${lanes[@]}"
export_to rtt --period 2.5 --param WARPS=4 --param REGS=16 rtt
export_to again --period 2.5 --param WARPS=4 --param REGS=16 rtt
diff -r "$work/rtt" "$work/again" >/dev/null || wrong "rtt is not the same twice"

# ---- every file, for three tools; from another folder
mkdir "$work/moved"
mv "$work/full" "$work/four" "$work/rtt" "$work/moved"
full=$work/moved/full
for v in "$work"/moved/*/*.sdc; do
  d=${v%/*} b=$(basename "$v" .sdc)
  files=("$d/$b.v" "$d/ram_1r1w.v" "$d/ram_1r3w.v" "$d/clkgate.v")
  out=$(iverilog -g2001 -Wall -t null -s "$b" "${files[@]}" 2>&1) || true
  [[ ! $out ]] || wrong "Icarus, $b.v: $(first "$out")"
  out=$(verilator --lint-only -Wno-lint -Wno-UNOPTFLAT --language 1364-2001 --top-module "$b" "${files[@]}" 2>&1) || true
  [[ ! $out ]] || wrong "Verilator, $b.v: $(first "$out")"
  out=$(yosys -q -p "read_verilog ${files[*]}; hierarchy -check -top $b; proc; check -assert" 2>&1 | grep -v 'parallel_case' || true)
  [[ ! $out ]] || wrong "Yosys, $b.v: $(first "$out")"
  out=$(grep -nE '\$paramod|\$func|::|\<(logic|always_ff|always_comb|unique|initial|real)\>' "$d/$b.v" || true)
  [[ ! $out ]] || wrong "$b.v has: $(first "$out")"
  read -ra sizes < <(sed -nE '1s/.* elaborated with ([^;]*);.*/\1/p' "$d/$b.f") || true
  out=$(cd / && verilator --lint-only "${sizes[@]/#/-G}" --top-module "$b" -F "$d/$b.f" 2>&1) || true
  [[ ! $out ]] || wrong "Verilator, $b.f: $(first "$out")"
  out=$(cd "$d" && iverilog -g2012 -t null "${sizes[@]/#/-P$b.}" -s "$b" -f "$b.f" 2>&1 | grep -v 'sorry: constant selects' || true)
  [[ ! $out ]] || wrong "Icarus, $b.f: $(first "$out")"
done

# ---- names: every register of the SystemVerilog that is assigned by its name; skew_q is there with SKEW only
for d in "$full" "$work"/moved/{four,rtt}; do
  for v in "$d"/*.sdc; do
    b=$(basename "$v" .sdc)
    for q in $(sed '/`ifdef FORMAL/,$d' "$d"/rtl/*/"$b"/*.sv | grep -ohE '\b[a-z0-9_]+_q <=' | grep -o '^[a-z0-9_]*' | sort -u); do
      [[ $q == skew_q ]] || grep -qE "^  reg .*\b$q( |;|\[)" "$d/$b.v" || wrong "$b.v has no register $q"
    done
  done
done

grep -qF "if (!rst_ni) second_q <= 1'h0;" "$full/regfile.v" || wrong "regfile.v: a register without its reset"

# ---- constraints: each port of the SystemVerilog but the clock
for v in "$work"/moved/*/*.sdc; do
  b=$(basename "$v" .sdc)
  diff <(sed '/^);/q' "${v%/*}"/rtl/*/"$b/$b.sv" | sed -nE 's,//.*,,; s/^ *(input|output) .*[^a-z0-9_]([a-z0-9_]+),? *$/\1 \2/p' | grep -v ' clk_i$' | sort) \
    <(sed -nE 's/^set_(input|output)_delay .*get_ports \{([a-z0-9_]+)(\[\*\])?\}\]$/\1 \2/p' "$v" | sort) >"$work/diff" ||
    { wrong "$b.sdc: ports"; head -n 5 "$work/diff"; }
done

# ---- memories
expect() { # FILE: is what stdin says
  diff - "$1" >"$work/diff" || { wrong "${1##*/}:"; head -n 5 "$work/diff"; }
}
expect "$full/regfile.mem.csv" <<'TEXT'
instance,rows,bits,write_enables,ports
g_bank[0].i_bank/i_ram,32,1024,32,1r1w
g_bank[1].i_bank/i_ram,32,1024,32,1r1w
g_bank[2].i_bank/i_ram,32,1024,32,1r1w
g_bank[3].i_bank/i_ram,32,1024,32,1r1w
TEXT
expect "$full/tsv.mem.csv" <<<"instance,rows,bits,write_enables,ports"
if [[ ${MPU_LONG:-} ]]; then
  expect "$work/moved/four/lsux.mem.csv" <<<"instance,rows,bits,write_enables,ports
i_table/i_words/i_ram,8,128,4,1r3w"
  {
    echo "instance,rows,bits,write_enables,ports"
    for ((i = 0; i < 32; i++)); do echo "g_bank[$i].i_bank/i_ram,512,32,4,1rw"; done
  } | expect "$full/smem.mem.csv"
  for line in nbu,4,16 valu_lane,128,512 clkgate,5,20 "ram_1r1w LANES=32 BITS=32 DEPTH=32 1r1w,16,64" "ram_1r1w LANES=4 BITS=8 DEPTH=512 1rw,32,128" "ram_1r3w LANES=32 BITS=32 DEPTH=8 1r3w,4,16"; do
    grep -qxF "$line" "$full/die.csv" || wrong "die.csv does not have $line"
  done
  [[ $(wc -l <"$full/die_slice.mem.csv") == 53 ]] || wrong "die_slice.mem.csv"
fi

# ---- ram_1r1w.v, ram_1r3w.v and clkgate.v against the SystemVerilog
same() { # MODULE [PARAMETERS]
  yosys -q -p "
    read_verilog -sv -Irtl/common rtl/common/$1.sv; hierarchy -top $1 ${2:-}; rename -top gold; design -stash gold
    read_verilog $full/$1.v; hierarchy -top $1 ${2:-}; rename -top gate; design -stash gate
    design -copy-from gold -as gold gold; design -copy-from gate -as gate gate
    proc; memory; clk2fflogic; opt_clean
    equiv_make gold gate both; hierarchy -top both; clean; equiv_simple -undef; equiv_induct -undef; equiv_status -assert" >"$work/log" 2>&1 ||
    wrong "$1.v is not $1.sv: $(grep -m1 ERROR "$work/log" || tail -n 1 "$work/log")"
}
same clkgate
same ram_1r1w "-chparam LANES 2 -chparam BITS 3 -chparam DEPTH 4"
same ram_1r1w "-chparam LANES 1 -chparam BITS 2 -chparam DEPTH 3"
same ram_1r3w "-chparam LANES 2 -chparam BITS 1 -chparam DEPTH 3"

# ---- constraints: OpenSTA takes them with a netlist; every port has its delay, the paths the clock that was asked for
opensta() { # FOLDER BLOCK PERIOD NETLIST...
  {
    echo "read_liberty $liberty"
    printf 'read_verilog %s\n' "${@:4}"
    echo "link_design $2
      source $1/$2.sdc
      check_setup -verbose -no_clock -no_input_delay -no_output_delay -multiple_clock -loops -generated_clocks
      report_checks -from [all_inputs] -format full_clock
      report_checks -to [all_outputs] -format full_clock
      exit"
  } >"$work/sta.tcl"
  sta -no_splash -exit "$work/sta.tcl" 2>&1 | grep -v 'Creating black box' >"$work/sta" || true
  ! grep -E 'Error|Warning' "$work/sta" || wrong "$2.sdc: OpenSTA says this"
  awk -v t="$3" '
    function is(a, b) { return a - b < 0.006 && b - a < 0.006 }
    /input external delay/ { early += is($1, 0.3 * t) }
    /output external delay/ { late += is($1, -0.7 * t) }
    /clock uncertainty/ { unsure += is($1, -0.05 * t) }
    /clock clk \((rise|fall) edge\)/ { edge += is($1, /rise/ ? t : t / 2) }
    END { exit !(early == 1 && late == 1 && unsure == 2 && edge == 2) }' "$work/sta" || { wrong "$2.sdc: other delays than they should be"; cat "$work/sta"; }
}
bash synth/map.sh --out "$work/rtt" rtt WARPS=4 REGS=16
opensta "$work/moved/rtt" rtt 2.5 "$work/rtt/netlist.v"
if [[ ${MPU_LONG:-} ]]; then
  # the clock goes through the gate, whose enable the inputs are for; what is in nbu besides is left out
  bash synth/map.sh --out "$work/gate" clkgate
  bash synth/map.sh --out "$work/nbu" --cut "tsv order opc regfile valu lsux bankctl regmove nbu_decode nbu_completions clkgate" nbu
  opensta "$full" nbu 2.5 "$work/gate/netlist.v" "$work/nbu/netlist.v"
fi

# ---- nothing but a reset is needed: all is undefined at the start, and no output bit is after 30 cycles
undefined() { # FOLDER BLOCK [PARAMETER=VALUE...]
  local d=$work/x.$2 n_in n_out cycles
  mkdir "$d"
  block_ports "$2" "$d" >"$d/ports"
  block_record "$2" "$d/ports" 500 "$d/stimulus"
  read -r n_in n_out < <(block_bits "$d/ports")
  block_shell shell "$2" "$d/ports" "" >"$d/shell.v"
  cycles=$(wc -l <"$d/stimulus.in")
  iverilog -g2001 -o "$d/x.vvp" -s undefined "-DIN=$n_in" "-DOUT=$n_out" "-DCYCLES=$cycles" "-DSTIMULUS=\"$d/stimulus.in\"" \
    "$1/$2.v" "$1/ram_1r1w.v" "$1/ram_1r3w.v" "$1/clkgate.v" "$d/shell.v" tb/export/undefined.v
  vvp "$d/x.vvp" >"$d/out" || true
  [[ $(<"$d/out") == "defined" ]] || wrong "$2: $(head -c 200 "$d/out")"
}
undefined "$full" tsv
undefined "$full" fpu
undefined "$work/moved/rtt" rtt
((failed)) || echo "export: files as they should be"
exit $failed
