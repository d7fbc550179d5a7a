// SPDX-License-Identifier: Apache-2.0
// cam_2s1w: a memory with two ports that search and one that writes. A search says in its own cycle
// which rows hold its key, before a write at the edge that ends it. Every row has a key, be it in
// use or not: whoever has the memory knows which are.
`default_nettype none
`include "check.svh"

module cam_2s1w #(
  parameter int BITS  = 32,  /// bits of a key, at least 1
  parameter int DEPTH = 32   /// rows, at least 2
) (
  input  wire logic                     clk_i,  /// clock
  input  wire logic                     a_en_i,  /// search, port a
  input  wire logic [BITS-1:0]          a_key_i,  /// what is searched for
  output logic [DEPTH-1:0]              a_rows_o,  /// rows that hold it; zero without a_en_i
  input  wire logic                     b_en_i,  /// search, port b
  input  wire logic [BITS-1:0]          b_key_i,  /// what is searched for
  output logic [DEPTH-1:0]              b_rows_o,  /// rows that hold it; zero without b_en_i
  input  wire logic                     w_en_i,  /// write
  input  wire logic [$clog2(DEPTH)-1:0] w_row_i,  /// row to write
  input  wire logic [BITS-1:0]          w_key_i  /// its key from the next cycle on
`ifdef FORMAL
  , output logic [BITS*DEPTH-1:0] f_words_o  /// proof: all keys, that of row 0 lowest
`endif
);
  `RANGE(BITS_is_not_at_least_1, BITS >= 1)
  `RANGE(DEPTH_is_not_at_least_2, DEPTH >= 2)

  logic [BITS-1:0] mem[0:DEPTH-1];

  always_ff @(posedge clk_i) if (w_en_i) mem[w_row_i] <= w_key_i;

  // one block a port: simulators pass over a port that does not search
  always_comb begin
    a_rows_o = '0;
    if (a_en_i) for (int i = 0; i < DEPTH; i++) a_rows_o[i] = mem[i] == a_key_i;
  end
  always_comb begin
    b_rows_o = '0;
    if (b_en_i) for (int i = 0; i < DEPTH; i++) b_rows_o[i] = mem[i] == b_key_i;
  end

`ifdef FORMAL
  for (genvar r = 0; r < DEPTH; r++) begin : g_words
    assign f_words_o[BITS*r +: BITS] = mem[r];
  end
`endif
endmodule
