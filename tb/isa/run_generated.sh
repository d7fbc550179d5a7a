#!/usr/bin/env bash
# What is generated from isa.def is what is committed, and the Verilog tools take the package.
set -euo pipefail
gen=$(dirname "$MPU")/isa_gen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$gen" sv >"$work/isa_pkg.sv"
"$gen" md >"$work/isa.md"
diff -u rtl/isa_pkg.sv "$work/isa_pkg.sv" || { echo "rtl/isa_pkg.sv is not what isa_gen sv prints"; exit 1; }
diff -u docs/isa.md "$work/isa.md" || { echo "docs/isa.md is not what isa_gen md prints"; exit 1; }
cat >"$work/top.sv" <<'SV'
module top (
  input wire [7:0] op_i,
  output wire is_add_o
);
  assign is_add_o = op_i == isa_pkg::OP_ADD;
endmodule
SV
verilator --lint-only -Wall -Wno-DECLFILENAME --top-module top rtl/isa_pkg.sv "$work/top.sv"
iverilog -g2012 -o "$work/out" rtl/isa_pkg.sv "$work/top.sv"
yosys -q -p "read_verilog -sv rtl/isa_pkg.sv $work/top.sv; hierarchy -check -top top; proc"
echo "isa_gen and the Verilog tools agree"
