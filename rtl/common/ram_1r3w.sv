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
);
  `RANGE(LANES_is_not_at_least_1, LANES >= 1)
  `RANGE(BITS_is_not_at_least_1, BITS >= 1)
  `RANGE(DEPTH_is_not_at_least_2, DEPTH >= 2)

  logic [LANES*BITS-1:0] mem[0:DEPTH-1];

  // What a row holds after a write, as in ram_1r1w.
  function automatic [LANES*BITS-1:0] written(
      input [LANES*BITS-1:0] held, input [LANES-1:0] parts, input [LANES*BITS-1:0] fresh);
    for (int l = 0; l < LANES; l++)
      written[l*BITS +: BITS] = parts[l] ? fresh[l*BITS +: BITS] : held[l*BITS +: BITS];
  endfunction

  always_ff @(posedge clk_i) begin
    if (r_en_i) r_data_o <= written(r_data_o, r_mask_i, mem[r_row_i]);
    if (w0_en_i) mem[w0_row_i] <= written(mem[w0_row_i], w0_mask_i, w0_data_i);
    if (w1_en_i) mem[w1_row_i] <= written(mem[w1_row_i], w1_mask_i, w1_data_i);
    if (w2_en_i) mem[w2_row_i] <= written(mem[w2_row_i], w2_mask_i, w2_data_i);
  end
endmodule
