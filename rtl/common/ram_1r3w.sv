// SPDX-License-Identifier: Apache-2.0
// ram_1r3w: a memory with a port that reads and three that write, in words of LANES parts that can
// be read and written one by one. A read gives what the row held before writes at the same edge;
// parts that are not read keep their output. Small ones: area runs map it to flip-flops.
//
// Relies on: no two ports write the same row at one edge. If they do, the last one of them is the
// only one that writes.
`default_nettype none
`include "check.svh"

module ram_1r3w #(
  parameter int LANES = 32,  /// parts of a word with an enable each, at least 1
  parameter int BITS  = 32,  /// bits of a part, at least 1
  parameter int DEPTH = 8    /// rows, at least 2
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     r_en_i,  /// read
  input  wire logic [$clog2(DEPTH)-1:0] r_row_i,  /// row to read
  input  wire logic [LANES-1:0]         r_mask_i,  /// parts of the word that are read
  output logic [LANES*BITS-1:0]         r_data_o,  /// valid after the edge with r_en_i
  input  wire logic                     w0_en_i,  /// write, port 0
  input  wire logic [$clog2(DEPTH)-1:0] w0_row_i,  /// row to write
  input  wire logic [LANES-1:0]         w0_mask_i,  /// parts of the word that are written
  input  wire logic [LANES*BITS-1:0]    w0_data_i,  /// data to write
  input  wire logic                     w1_en_i,  /// write, port 1
  input  wire logic [$clog2(DEPTH)-1:0] w1_row_i,  /// row to write
  input  wire logic [LANES-1:0]         w1_mask_i,  /// parts of the word that are written
  input  wire logic [LANES*BITS-1:0]    w1_data_i,  /// data to write
  input  wire logic                     w2_en_i,  /// write, port 2
  input  wire logic [$clog2(DEPTH)-1:0] w2_row_i,  /// row to write
  input  wire logic [LANES-1:0]         w2_mask_i,  /// parts of the word that are written
  input  wire logic [LANES*BITS-1:0]    w2_data_i  /// data to write
`ifdef FORMAL
  , output logic [LANES*BITS*DEPTH-1:0] f_words_o  /// proof: all rows, row 0 lowest
`endif
);
  `RANGE(LANES_is_not_at_least_1, LANES >= 1)
  `RANGE(BITS_is_not_at_least_1, BITS >= 1)
  `RANGE(DEPTH_is_not_at_least_2, DEPTH >= 2)

  logic [LANES*BITS-1:0] mem[0:DEPTH-1];

  always_ff @(posedge clk_i) begin : ports
    // What a row holds after a write, as in ram_1r1w.
    /* verilator tracing_off */
    logic [LANES*BITS-1:0] row;
    /* verilator tracing_on */
    if (r_en_i)
      for (int l = 0; l < LANES; l++)
        if (r_mask_i[l]) r_data_o[l*BITS +: BITS] <= mem[r_row_i][l*BITS +: BITS];
    if (w0_en_i) begin
      for (int l = 0; l < LANES; l++)
        row[l*BITS +: BITS] =
          w0_mask_i[l] ? w0_data_i[l*BITS +: BITS] : mem[w0_row_i][l*BITS +: BITS];
      mem[w0_row_i] <= row;
    end
    if (w1_en_i) begin
      for (int l = 0; l < LANES; l++)
        row[l*BITS +: BITS] =
          w1_mask_i[l] ? w1_data_i[l*BITS +: BITS] : mem[w1_row_i][l*BITS +: BITS];
      mem[w1_row_i] <= row;
    end
    if (w2_en_i) begin
      for (int l = 0; l < LANES; l++)
        row[l*BITS +: BITS] =
          w2_mask_i[l] ? w2_data_i[l*BITS +: BITS] : mem[w2_row_i][l*BITS +: BITS];
      mem[w2_row_i] <= row;
    end
  end

`ifdef FORMAL
  for (genvar r = 0; r < DEPTH; r++) begin : g_words
    assign f_words_o[LANES*BITS*r +: LANES*BITS] = mem[r];
  end
`endif
endmodule
