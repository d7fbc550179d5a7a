// SPDX-License-Identifier: Apache-2.0
// ram_1r1w: how the memories of the exported blocks behave; to be replaced by macros of the kit. Words of LANES
// parts of BITS bits, a write enable for each part. A row that is read and written at one edge gives what it held
// before; r_data_o keeps its value at edges without r_en_i. BLOCK.mem.csv lists the instances and their sizes.
//
// A module of this name with an instance of the macro for each size takes its place:
//
//   generate
//     if (LANES == 32 && BITS == 32 && DEPTH == 32) begin : g_macro
//       MACRO_32X1024 i_macro (.CLK(clk_i), .REN(r_en_i), .RA(r_row_i), .Q(r_data_o), ...);
//     end
//   endgenerate
module ram_1r1w (clk_i, r_en_i, r_row_i, r_data_o, w_en_i, w_row_i, w_mask_i, w_data_i);
  parameter LANES = 32;
  parameter BITS = 32;
  parameter DEPTH = 32;

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
  output [LANES*BITS-1:0] r_data_o;
  input w_en_i;
  input [row_bits(DEPTH)-1:0] w_row_i;
  input [LANES-1:0] w_mask_i;
  input [LANES*BITS-1:0] w_data_i;

  reg [LANES*BITS-1:0] mem [0:DEPTH-1];
  reg [LANES*BITS-1:0] r_data_o;
  integer l;

  always @(posedge clk_i) begin
    if (r_en_i) r_data_o <= mem[r_row_i];
    for (l = 0; l < LANES; l = l + 1)
      if (w_en_i && w_mask_i[l]) mem[w_row_i][l*BITS +: BITS] <= w_data_i[l*BITS +: BITS];
  end
endmodule
