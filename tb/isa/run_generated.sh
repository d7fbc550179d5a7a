#!/usr/bin/env bash
# What is generated from isa.def and tsv.def is what is committed, and the Verilog tools take the packages.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same() { # generator, what it prints, the file that must be the same
  "$(dirname "$MPU")/$1" "$2" >"$work/printed"
  diff -u "$3" "$work/printed" || { echo "$3 is not what $1 $2 prints"; exit 1; }
}
same isa_gen sv rtl/mpu/isa_pkg.sv
same isa_gen md docs/isa.md
same syntax_gen vim docs/syntax/mpu.vim
same syntax_gen textmate docs/syntax/mpu.tmLanguage.json
same syntax_gen sublime docs/syntax/mpu.sublime-syntax
same tsv_gen sv rtl/mpu/tsv_pkg.sv
same tsv_gen md docs/tsv.md
same isa_gen ops waves/filters/opcode.txt
same isa_gen types waves/filters/type.txt
same tsv_gen down waves/filters/packet_down.txt
same tsv_gen up waves/filters/packet_up.txt
cat >"$work/top.sv" <<'SV'
module top (
  input wire [7:0] op_i,
  output wire is_add_o,
  output wire is_exec_o
);
  assign is_add_o = op_i == isa_pkg::OP_ADD;
  assign is_exec_o = op_i[3:0] == tsv_pkg::DN_EXEC;
endmodule
SV
verilator --lint-only -Wall -Wno-DECLFILENAME --top-module top rtl/mpu/isa_pkg.sv rtl/mpu/tsv_pkg.sv "$work/top.sv"
iverilog -g2012 -o "$work/out" rtl/mpu/isa_pkg.sv rtl/mpu/tsv_pkg.sv "$work/top.sv"
yosys -q -p "read_verilog -sv rtl/mpu/isa_pkg.sv rtl/mpu/tsv_pkg.sv $work/top.sv; hierarchy -check -top top; proc"
echo "isa_gen, tsv_gen and the Verilog tools agree"
