// SPDX-License-Identifier: Apache-2.0
// regfile_bank: a quarter of the registers, and which of the three ports writes it.
`default_nettype none

module regfile_bank #(
  parameter int LANES = 32,  /// lanes of a register
  parameter int ROWS = 32    /// registers
) (
  input  wire logic                    clk_i,  /// clock
  input  wire logic                    r_en_i,  /// read
  input  wire logic [$clog2(ROWS)-1:0] r_row_i,  /// register to read
  output logic [LANES*32-1:0]          r_data_o,  /// what it held; keeps it until the next read
  input  wire logic [2:0]              from_i,     /// port that writes; one at most
  input  wire logic [$clog2(ROWS)-1:0] w0_row_i,  /// port 0: register
  input  wire logic [$clog2(ROWS)-1:0] w1_row_i,  /// port 1: register
  input  wire logic [$clog2(ROWS)-1:0] w2_row_i,  /// port 2: register
  input  wire logic [LANES-1:0]        w0_mask_i,  /// port 0: lanes to write
  input  wire logic [LANES-1:0]        w1_mask_i,  /// port 1: lanes to write
  input  wire logic [LANES-1:0]        w2_mask_i,  /// port 2: lanes to write
  input  wire logic [LANES*32-1:0]     w0_data_i,  /// port 0: value
  input  wire logic [LANES*32-1:0]     w1_data_i,  /// port 1: value
  input  wire logic [LANES*32-1:0]     w2_data_i  /// port 2: value
);
  ram_1r1w #(.LANES(LANES), .BITS(32), .DEPTH(ROWS)) i_ram (
    .clk_i, .r_en_i, .r_row_i, .r_data_o, .w_en_i(from_i != '0),
    .w_row_i(from_i[0] ? w0_row_i : from_i[1] ? w1_row_i : w2_row_i),
    .w_mask_i(from_i[0] ? w0_mask_i : from_i[1] ? w1_mask_i : w2_mask_i),
    .w_data_i(from_i[0] ? w0_data_i : from_i[1] ? w1_data_i : w2_data_i)
  );
endmodule
