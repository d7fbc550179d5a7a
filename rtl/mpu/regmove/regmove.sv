// SPDX-License-Identifier: Apache-2.0
// regmove: the near end of register moves. Writes registers that come over the TSVs (REGWR) and
// sends registers up (REGRD). docs/blocks/regmove.md has the rules.
//
//   wr_* -> IDLE -> [EXPAND or STEP] -> WRITE -> DONE -> done_*
//   rd_* -> IDLE -> PICK -> COMPARE -> [COMPRESS] -> UP -> up_*
//
// Full and uniform registers skip EXPAND and COMPRESS, which move two words a cycle in place. With
// PATTERNS so do those whose words grow by a step from lane to lane, and masks; STEP makes the
// words of the former in as many cycles as a lane's number has bits.
// Relies on: masks are not zero, LINEAR and BITS are not both set. Promises: every packet is
// answered once.
`default_nettype none
`include "check.svh"

module regmove #(
  parameter int LANES = 32,   /// lanes, even, 4 to 32
  parameter int PATTERNS = 0  /// 1: with LINEAR that has a step, and BITS, 0 to 1
) (
  input  wire logic                  clk_i,  /// clock
  input  wire logic                  rst_ni,  /// synchronous reset, low
  input  wire logic                  wr_valid_i,  /// a REGWR packet; taken when wr_ready was high
  input  wire logic [63:0]           wr_head_i,  /// its head, see docs/tsv.md
  input  wire logic [LANES*32-1:0]   wr_body_i,  /// its data flits
  output logic                       wr_ready_o,  /// can take a packet
  /// a register that was read for a REGRD packet; taken when rd_ready was high
  input  wire logic                  rd_valid_i,
  input  wire logic [7:0]            rd_tag_i,  /// its tag
  input  wire logic [LANES-1:0]      rd_mask_i,  /// lanes that are asked for
  input  wire logic [LANES*32-1:0]   rd_data_i,  /// its value
  output logic                       rd_ready_o,  /// can take a register
  output logic                       w_valid_o,  /// write to the register file; held until w_done
  output logic [6:0]                 w_reg_o,  /// register
  output logic [LANES-1:0]           w_mask_o,  /// lanes
  output logic [LANES*32-1:0]        w_data_o,  /// value
  input  wire logic                  w_done_i,  /// it was written
  output logic                       done_valid_o,  /// a REGWR is complete; held until done_ready
  output logic [7:0]                 done_tag_o,  /// its tag
  input  wire logic                  done_ready_i,  /// taken at this edge
  output logic                       up_valid_o,  /// a REGD packet; held until up_ready
  output logic [63:0]                up_head_o,  /// its head
  output logic [LANES*32-1:0]        up_body_o,  /// its data flits
  output logic [$clog2(LANES)-1:0]   up_len_o,  /// how many: 0 to 16
  input  wire logic                  up_ready_i,  /// taken at this edge
  output logic                       busy_o  /// something is under way
);
  `RANGE(LANES_is_not_an_even_number_from_4_to_32, LANES >= 4 && LANES <= 32 && LANES % 2 == 0)
  `RANGE(PATTERNS_is_not_0_or_1, PATTERNS == 0 || PATTERNS == 1)

  logic wr_busy, rd_busy;

  regmove_wr #(.LANES(LANES), .PATTERNS(PATTERNS)) i_wr (
    .clk_i, .rst_ni, .wr_valid_i, .wr_head_i, .wr_body_i, .wr_ready_o,
    .w_valid_o, .w_reg_o, .w_mask_o, .w_data_o, .w_done_i,
    .done_valid_o, .done_tag_o, .done_ready_i, .busy_o(wr_busy)
  );
  regmove_rd #(.LANES(LANES), .PATTERNS(PATTERNS)) i_rd (
    .clk_i, .rst_ni, .rd_valid_i, .rd_tag_i, .rd_mask_i, .rd_data_i, .rd_ready_o,
    .up_valid_o, .up_head_o, .up_body_o, .up_len_o, .up_ready_i, .busy_o(rd_busy)
  );
  assign busy_o = wr_busy || rd_busy;
endmodule
