// SPDX-License-Identifier: Apache-2.0
// xcam_way: tags of one way of all sets of xcam. Both looks see them as they were before the edge.
`default_nettype none
`include "check.svh"

module xcam_way #(
  parameter int SETS = 32,  /// sets, a power of two, 2 to 8192
  parameter int SW   = 5,   /// bits of a set's number
  parameter int TW   = 25   /// bits of a tag
) (
  input  wire logic          clk_i,  /// clock
  input  wire logic          rst_ni,  /// synchronous reset, low
  input  wire logic          clear_i,  /// the way is valid in no set
  input  wire logic [SW-1:0] look_set_i,  /// set of a look
  input  wire logic [TW-1:0] look_tag_i,  /// its tag
  output logic               look_hit_o,  /// the way has it
  input  wire logic [SW-1:0] fill_set_i,  /// set of a fill
  input  wire logic [TW-1:0] fill_tag_i,  /// its tag
  output logic               fill_hit_o,  /// the way has the fill's tag
  input  wire logic          write_i  /// it gets it
`ifdef FORMAL
  , input wire logic [SW-1:0] f_set_i  /// proof: any set
  , output logic             f_valid_o  /// proof: the way is valid in it
  , output logic [TW-1:0]    f_tag_o  /// proof: tag of the way in it
`endif
);
  logic [SETS-1:0] valid_q;
  logic [TW-1:0] tag_q[0:SETS-1];

  assign look_hit_o = valid_q[look_set_i] && tag_q[look_set_i] == look_tag_i;
  assign fill_hit_o = valid_q[fill_set_i] && tag_q[fill_set_i] == fill_tag_i;

  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) valid_q <= '0;
    else if (write_i) valid_q[fill_set_i] <= 1'b1;

  always_ff @(posedge clk_i) if (write_i && !fill_hit_o) tag_q[fill_set_i] <= fill_tag_i;

`ifdef FORMAL
  assign f_valid_o = valid_q[f_set_i];
  assign f_tag_o = tag_q[f_set_i];
`endif
endmodule
