// SPDX-License-Identifier: Apache-2.0
// ram_1r1w in the proof of spe: a read gives anything, which stays until the next read.
`default_nettype none
`include "check.svh"

module ram_1r1w #(
  parameter int LANES = 32,  /// as in rtl/common
  parameter int BITS  = 32,  /// as in rtl/common
  parameter int DEPTH = 32   /// as in rtl/common
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     r_en_i,  /// read
  input  wire logic [$clog2(DEPTH)-1:0] r_row_i,  /// does not matter
  output logic [LANES*BITS-1:0]         r_data_o,  /// valid after the edge with r_en_i
  input  wire logic                     w_en_i,  /// does not matter
  input  wire logic [$clog2(DEPTH)-1:0] w_row_i,  /// does not matter
  input  wire logic [LANES-1:0]         w_mask_i,  /// does not matter
  input  wire logic [LANES*BITS-1:0]    w_data_i  /// does not matter
);
  (* anyseq *) logic [LANES*BITS-1:0] any;
  always_ff @(posedge clk_i) if (r_en_i) r_data_o <= any;
endmodule
