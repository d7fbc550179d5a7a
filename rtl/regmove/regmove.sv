// SPDX-License-Identifier: Apache-2.0
// regmove: the near end of register moves. Writes registers that come over the TSVs (REGWR) and sends
// registers up (REGRD). docs/blocks/regmove.md has the rules.
//
//   wr_* -> IDLE -> [EXPAND] -> WRITE -> DONE       rd_* -> IDLE -> PICK -> COMPARE -> [COMPRESS] -> UP
//
// Full and uniform registers skip EXPAND and COMPRESS, which move two words a cycle in place. Relies on:
// masks are not zero. Promises: every packet is answered once.
`default_nettype none

module regmove #(
  parameter int LANES = 32  /// lanes, even
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic                  wr_valid_i,
  input  wire logic [63:0]           wr_head_i,
  input  wire logic [LANES*32-1:0]   wr_body_i,
  output logic                       wr_ready_o,
  input  wire logic                  rd_valid_i,
  input  wire logic [7:0]            rd_tag_i,
  input  wire logic [LANES-1:0]      rd_mask_i,
  input  wire logic [LANES*32-1:0]   rd_data_i,
  output logic                       rd_ready_o,
  output logic                       w_valid_o,
  output logic [6:0]                 w_reg_o,
  output logic [LANES-1:0]           w_mask_o,
  output logic [LANES*32-1:0]        w_data_o,
  input  wire logic                  w_done_i,
  output logic                       done_valid_o,
  output logic [7:0]                 done_tag_o,
  input  wire logic                  done_ready_i,
  output logic                       up_valid_o,
  output logic [63:0]                up_head_o,
  output logic [LANES*32-1:0]        up_body_o,
  output logic [$clog2(LANES)-1:0]   up_len_o,
  input  wire logic                  up_ready_i,
  output logic                       busy_o
);
  logic wr_busy, rd_busy;

  regmove_wr #(.LANES(LANES)) i_wr (
    .clk_i, .rst_ni, .wr_valid_i, .wr_head_i, .wr_body_i, .wr_ready_o,
    .w_valid_o, .w_reg_o, .w_mask_o, .w_data_o, .w_done_i,
    .done_valid_o, .done_tag_o, .done_ready_i, .busy_o(wr_busy)
  );
  regmove_rd #(.LANES(LANES)) i_rd (
    .clk_i, .rst_ni, .rd_valid_i, .rd_tag_i, .rd_mask_i, .rd_data_i, .rd_ready_o,
    .up_valid_o, .up_head_o, .up_body_o, .up_len_o, .up_ready_i, .busy_o(rd_busy)
  );
  assign busy_o = wr_busy || rd_busy;
endmodule
