// SPDX-License-Identifier: Apache-2.0
// spe_queue in the proof of spe: a read gives anything, which stays until the next one. What it
// gives for the element that is watched is assumed there.
`default_nettype none
`include "check.svh"

module spe_queue (
  input  wire logic         clk_i,  /// clock
  input  wire logic         beat_valid_i,  /// does not matter
  input  wire logic [5:0]   beat_row_i,  /// does not matter
  input  wire logic [255:0] beat_data_i,  /// does not matter
  input  wire logic         put_valid_i,  /// does not matter
  input  wire logic [7:0]   put_slot_i,  /// does not matter
  input  wire logic [63:0]  put_value_i,  /// does not matter
  input  wire logic         read_i,  /// an element is read
  input  wire logic [7:0]   slot_i,  /// does not matter
  output logic [31:0]       column_o,  /// its column, after the edge
  output logic [63:0]       value_o,  /// its value, after the edge
  output logic [63:0]       x_o  /// what was put for it, after the edge
);
  (* anyseq *) logic [159:0] any;
  always_ff @(posedge clk_i) if (read_i) {x_o, value_o, column_o} <= any;
endmodule
