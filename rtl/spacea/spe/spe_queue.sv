// SPDX-License-Identifier: Apache-2.0
// spe_queue: the words of eight rows of a bank, 256 bytes each, and what was put of X.
//
//   beat -> [ ram_1r1w 64 x 32, 8 times: a word of a beat in each ] -> column, value
//   put  -> [ ram_1r1w 168 x 64                                   ] -> X
//
// The words of an element are one behind the other, so they are in three of the memories.
`default_nettype none
`include "check.svh"

module spe_queue (
  input  wire logic         clk_i,  /// clock
  input  wire logic         beat_valid_i,  /// a beat comes
  input  wire logic [5:0]   beat_row_i,  /// place 5:3, beat 2:0
  input  wire logic [255:0] beat_data_i,  /// its words
  input  wire logic         put_valid_i,  /// an element of X comes
  input  wire logic [7:0]   put_slot_i,  /// for which slot
  input  wire logic [63:0]  put_value_i,  /// its value
  input  wire logic         read_i,  /// an element is read
  input  wire logic [7:0]   slot_i,  /// which: element 7:3, place 2:0
  output logic [31:0]       column_o,  /// its column, after the edge
  output logic [63:0]       value_o,  /// its value, after the edge
  output logic [63:0]       x_o  /// what was put for it, after the edge
`ifdef FORMAL
  , input wire logic [7:0]  f_slot_i,  /// proof: slot that is watched
  output logic [325:0]      f_state_o  /// proof: what came for it and is read, see the proof
`endif
);
  // words of an element: the first one, the column, is 1 + 3 * element
  logic [5:0] word;
  logic [2:0] first_q;
  logic [255:0] words;
  assign word = 6'(slot_i[7:3]) + {slot_i[7:3], 1'b0} + 6'd1;
  for (genvar m = 0; m < 8; m++) begin : g_words
    logic [3:0] from;  // the first word on; negative: its row is the next one
    assign from = 4'(m) - {1'b0, word[2:0]};
    ram_1r1w #(.LANES(1), .BITS(32), .DEPTH(64)) i_words (
      .clk_i, .r_en_i(read_i && from[2:0] < 3'd3),
      .r_row_i({slot_i[2:0], word[5:3] + 3'(from[3])}),
      .r_data_o(words[32*m +: 32]), .w_en_i(beat_valid_i), .w_row_i(beat_row_i),
      .w_mask_i(1'b1), .w_data_i(beat_data_i[32*m +: 32])
`ifdef FORMAL
      , .f_words_o(f_words[2048*m +: 2048])
`endif
    );
  end
  ram_1r1w #(.LANES(1), .BITS(64), .DEPTH(168)) i_x (
    .clk_i, .r_en_i(read_i), .r_row_i(slot_i), .r_data_o(x_o), .w_en_i(put_valid_i),
    .w_row_i(put_slot_i), .w_mask_i(1'b1), .w_data_i(put_value_i)
`ifdef FORMAL
    , .f_words_o(f_of_x)
`endif
  );
  always_ff @(posedge clk_i) if (read_i) first_q <= word[2:0];
  logic [2:0] second, third;
  assign second = first_q + 3'd1;
  assign third = first_q + 3'd2;
  assign column_o = words[32*first_q +: 32];
  assign value_o = {words[32*third +: 32], words[32*second +: 32]};

`ifdef FORMAL
  logic [16383:0] f_words;
  logic [10751:0] f_of_x;
  `include "spe_queue_proof.svh"
`endif
endmodule
