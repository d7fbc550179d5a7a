// SPDX-License-Identifier: Apache-2.0
// smem_bank: one bank: words, and what atomics need beside them.
//
//   row_i, x_i -> [ ram ] -> data_o -> [ atom_alu ] --.
//        '------> [ b of an atomic ] ------^   x_i: c |
//                   ^---------------------------------'
`default_nettype none
`include "check.svh"

module smem_bank #(
  parameter int ROWS = 512  /// words
) (
  input  wire logic                    clk_i,  /// clock
  input  wire logic                    rst_ni,    /// no access in reset
  input  wire logic                    read_i,    /// the word of row_i goes to data_o
  input  wire logic                    keep_i,    /// with read_i: x_i is b of an atomic
  input  wire logic                    store_i,   /// x_i is written where be_i is set
  input  wire logic                    modify_i,  /// the atomic's result is written; x_i is c
  input  wire logic                    sum_i,     /// sum_d_i is written
  input  wire logic [$clog2(ROWS)-1:0] row_i,  /// which word
  input  wire logic [3:0]              be_i,  /// bytes of the word
  input  wire logic [31:0]             x_i,  /// data, b or c, as the others say
  input  wire logic [31:0]             sum_d_i,  /// sum of a binary32 atomic
  input  wire logic [3:0]              atom_i,    /// isa_pkg ATOM_*
  input  wire logic                    sgn_i,  /// min and max are signed
  output logic [31:0]                  data_o  /// the word, after the edge with read_i
`ifdef FORMAL
  , output logic [32*ROWS-1:0]         f_words_o,  /// proof: all words, row 0 lowest
  output logic [31:0]                  f_b_o  /// proof: b of an atomic
`endif
);
  logic [31:0] b_q, fresh;
  always_ff @(posedge clk_i) if (keep_i) b_q <= x_i;

  atom_alu i_alu (.op_i(atom_i), .sgn_i, .old_i(data_o), .b_i(b_q), .c_i(x_i), .new_o(fresh));

  ram_1r1w #(.LANES(4), .BITS(8), .DEPTH(ROWS)) i_ram (
    .clk_i, .r_en_i(read_i && rst_ni), .r_row_i(row_i), .r_data_o(data_o),
    .w_en_i((store_i || modify_i || sum_i) && rst_ni), .w_row_i(row_i),
    .w_mask_i(store_i ? be_i : 4'd15),
    .w_data_i(store_i ? x_i : modify_i ? fresh : sum_d_i)
`ifdef FORMAL
    , .f_words_o(f_words_o)
`endif
  );
`ifdef FORMAL
  assign f_b_o = b_q;
`endif

  always @(posedge clk_i) begin
    `CHK(one_access_a_bank, !(read_i && (store_i || modify_i || sum_i)))
  end
endmodule
