// SPDX-License-Identifier: Apache-2.0
// ram_1r1w in the proof of spe_queue: it keeps any one row; a read of another one gives anything.
`default_nettype none
`include "check.svh"

module ram_1r1w #(
  parameter int LANES = 32,  /// 1
  parameter int BITS  = 32,  /// as in rtl/common
  parameter int DEPTH = 32   /// as in rtl/common
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     r_en_i,  /// read
  input  wire logic [$clog2(DEPTH)-1:0] r_row_i,  /// row to read
  output logic [LANES*BITS-1:0]         r_data_o,  /// valid after the edge with r_en_i
  input  wire logic                     w_en_i,  /// write
  input  wire logic [$clog2(DEPTH)-1:0] w_row_i,  /// row to write
  input  wire logic [LANES-1:0]         w_mask_i,  /// does not matter: a word has one part
  input  wire logic [LANES*BITS-1:0]    w_data_i,  /// data to write
  output logic [LANES*BITS*DEPTH-1:0]   f_words_o  /// at row 0 what is kept, at row 1 for which row
);
  (* anyconst *) logic [$clog2(DEPTH)-1:0] row;
  (* anyseq *) logic [LANES*BITS-1:0] any;
  logic [LANES*BITS-1:0] word_q;
  always_ff @(posedge clk_i) begin
    if (r_en_i) r_data_o <= r_row_i == row ? word_q : any;
    if (w_en_i && w_row_i == row) word_q <= w_data_i;
  end
  assign f_words_o = (LANES*BITS*DEPTH)'({(LANES*BITS)'(row), word_q});
endmodule
