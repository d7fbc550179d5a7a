// SPDX-License-Identifier: Apache-2.0
// fma64 in the proof of spe: a result may be anything. When it comes is assumed there.
`default_nettype none
`include "check.svh"

module fma64 (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  input  wire logic        valid_i,  /// an operation enters
  input  wire logic [1:0]  op_i,  /// does not matter
  input  wire logic [63:0] a_i,  /// does not matter
  input  wire logic [63:0] b_i,  /// does not matter
  input  wire logic [63:0] c_i,  /// does not matter
  output logic             valid_o,  /// a result leaves
  output logic [63:0]      d_o  /// the result
);
  (* anyseq *) logic any_valid;
  (* anyseq *) logic [63:0] any;
  assign valid_o = any_valid;
  assign d_o = any;
endmodule
