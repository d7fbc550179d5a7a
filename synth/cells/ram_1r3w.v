// SPDX-License-Identifier: Apache-2.0
// ram_1r3w: a memory with a port that reads and three that write, to be replaced by one of the kit, or to be kept: it is
// small, and made of flip-flops then. Words of LANES parts of BITS bits, an enable for each part. A row that is read and
// written at one edge gives what it held before; parts of r_data_o that are not read keep their value. Two ports never
// write the same row at one edge.
module ram_1r3w (clk_i, r_en_i, r_row_i, r_mask_i, r_data_o, w0_en_i, w0_row_i, w0_mask_i, w0_data_i,
                 w1_en_i, w1_row_i, w1_mask_i, w1_data_i, w2_en_i, w2_row_i, w2_mask_i, w2_data_i);
  parameter LANES = 32;
  parameter BITS = 32;
  parameter DEPTH = 8;

  function integer row_bits;
    input integer rows;
    begin
      row_bits = 0;
      while ((1 << row_bits) < rows) row_bits = row_bits + 1;
    end
  endfunction

  input clk_i;
  input r_en_i;
  input [row_bits(DEPTH)-1:0] r_row_i;
  input [LANES-1:0] r_mask_i;
  output [LANES*BITS-1:0] r_data_o;
  input w0_en_i;
  input [row_bits(DEPTH)-1:0] w0_row_i;
  input [LANES-1:0] w0_mask_i;
  input [LANES*BITS-1:0] w0_data_i;
  input w1_en_i;
  input [row_bits(DEPTH)-1:0] w1_row_i;
  input [LANES-1:0] w1_mask_i;
  input [LANES*BITS-1:0] w1_data_i;
  input w2_en_i;
  input [row_bits(DEPTH)-1:0] w2_row_i;
  input [LANES-1:0] w2_mask_i;
  input [LANES*BITS-1:0] w2_data_i;

  reg [LANES*BITS-1:0] mem [0:DEPTH-1];
  reg [LANES*BITS-1:0] r_data_o;

  // what a row holds after a write
  function [LANES*BITS-1:0] written;
    input [LANES*BITS-1:0] held;
    input [LANES-1:0] parts;
    input [LANES*BITS-1:0] fresh;
    integer l;
    for (l = 0; l < LANES; l = l + 1)
      written[l*BITS +: BITS] = parts[l] ? fresh[l*BITS +: BITS] : held[l*BITS +: BITS];
  endfunction

  always @(posedge clk_i) begin
    if (r_en_i) r_data_o <= written(r_data_o, r_mask_i, mem[r_row_i]);
    if (w0_en_i) mem[w0_row_i] <= written(mem[w0_row_i], w0_mask_i, w0_data_i);
    if (w1_en_i) mem[w1_row_i] <= written(mem[w1_row_i], w1_mask_i, w1_data_i);
    if (w2_en_i) mem[w2_row_i] <= written(mem[w2_row_i], w2_mask_i, w2_data_i);
  end
endmodule
