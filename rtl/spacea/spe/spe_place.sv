// SPDX-License-Identifier: Apache-2.0
// spe_place: a place of the queue of spe: its row of the matrix, the states of its elements, and
// its sum. An element is new when it is neither asked, ready nor done, of which it is one at most.
`default_nettype none
`include "check.svh"

module spe_place (
  input  wire logic        clk_i,  /// clock
  input  wire logic [20:0] beat_i,  /// elements whose columns come
  input  wire logic [20:0] pad_i,  /// which of them are padding
  input  wire logic        row_valid_i,  /// a row of the matrix begins
  input  wire logic [31:0] row_i,  /// which
  output logic [31:0]      row_o,  /// row of the matrix
  input  wire logic [20:0] put_i,  /// element of X that was put
  input  wire logic [20:0] use_i,  /// element that is used
  input  wire logic [20:0] answer_i,  /// element that has asked
  input  wire logic        asked_i,  /// the answer: its line is under way
  input  wire logic        sum_valid_i,  /// the place gets a sum
  input  wire logic [63:0] sum_i,  /// which
  output logic [63:0]      sum_o,  /// its sum
  output logic [20:0]      asked_o,  /// elements that were asked
  output logic [20:0]      ready_o,  /// elements whose X was put
  output logic [20:0]      done_o  /// elements that are done, or padding
);
  always_ff @(posedge clk_i) begin
    if ((beat_i | put_i | use_i | answer_i) != '0) begin
      done_o <= (done_o | use_i) & ~beat_i | beat_i & pad_i;
      ready_o <= (ready_o | put_i & ~done_o) & ~use_i & ~beat_i;
      asked_o <= (asked_o & ~answer_i | (asked_i ? answer_i & ~ready_o : '0)) &
                 ~put_i & ~use_i & ~beat_i;
    end
    if (row_valid_i) row_o <= row_i;
    if (sum_valid_i) sum_o <= sum_i;
  end
endmodule
