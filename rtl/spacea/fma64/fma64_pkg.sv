// SPDX-License-Identifier: Apache-2.0
// fma64_pkg: the operations of fma64. docs/blocks/fma64.md has what each of them gives.
`default_nettype none

package fma64_pkg;
  /* verilator lint_off UNUSEDPARAM */
  // in the order of fma64_op of csim/spacea/fma64.h
  localparam [1:0] FMA = 2'd0;
  localparam [1:0] ADD = 2'd1;
  localparam [1:0] MUL = 2'd2;
  localparam [1:0] MIN = 2'd3;

  // bits of a sum or a carry of fma64_rows
  localparam int ROWS = 75;
  /* verilator lint_on UNUSEDPARAM */
endpackage
