// SPDX-License-Identifier: Apache-2.0
// ram_1r1w: a memory with a port that reads and one that writes, in words of LANES parts that can
// be written one by one; area runs swap in a macro for it. A read gives what the row held before a
// write at the same edge, and the output keeps it until the next read.
`default_nettype none
`include "check.svh"

module ram_1r1w #(
  parameter int LANES = 32,  /// parts of a word with a write enable each, at least 1
  parameter int BITS  = 32,  /// bits of a part, at least 1
  parameter int DEPTH = 32   /// rows, at least 2
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     r_en_i,  /// read
  input  wire logic [$clog2(DEPTH)-1:0] r_row_i,  /// row to read
  output logic [LANES*BITS-1:0]         r_data_o,  /// valid after the edge with r_en_i
  input  wire logic                     w_en_i,  /// write
  input  wire logic [$clog2(DEPTH)-1:0] w_row_i,  /// row to write
  input  wire logic [LANES-1:0]         w_mask_i,  /// parts of the word that are written
  input  wire logic [LANES*BITS-1:0]    w_data_i  /// data to write
`ifdef FORMAL
  , output logic [LANES*BITS*DEPTH-1:0] f_words_o  /// proof: all rows, row 0 lowest
`endif
);
  `RANGE(LANES_is_not_at_least_1, LANES >= 1)
  `RANGE(BITS_is_not_at_least_1, BITS >= 1)
  `RANGE(DEPTH_is_not_at_least_2, DEPTH >= 2)

  logic [LANES*BITS-1:0] mem[0:DEPTH-1];

  always_ff @(posedge clk_i) begin : ports
    // What a row holds after a write: tools make write enables of it. Simulators are faster with
    // one assignment of the row than with one for each part, and with a variable than with a
    // function, whose arguments they clear in every cycle.
    /* verilator tracing_off */
    logic [LANES*BITS-1:0] row;
    /* verilator tracing_on */
    if (r_en_i) r_data_o <= mem[r_row_i];
    if (w_en_i) begin
      for (int l = 0; l < LANES; l++)
        row[l*BITS +: BITS] =
          w_mask_i[l] ? w_data_i[l*BITS +: BITS] : mem[w_row_i][l*BITS +: BITS];
      mem[w_row_i] <= row;
    end
  end

`ifdef FORMAL
  for (genvar r = 0; r < DEPTH; r++) begin : g_words
    assign f_words_o[LANES*BITS*r +: LANES*BITS] = mem[r];
  end
`endif
endmodule
