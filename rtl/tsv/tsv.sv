// SPDX-License-Identifier: Apache-2.0
// tsv: the endpoint of a near-bank unit: flits to packets and back, with credits.
//
//   dn_* -> [ queue of RX_DEPTH ] -> [ assembler: head, body ] -> rx_*
//   up_* <- [ shift register: head, body, length ]             <- tx_*
//
// Up to two flits a cycle each way; a packet of n flits is at rx two edges after its last flit came.
// docs/blocks/tsv.md has the rules. Relies on: the sender keeps to its credits, the bus takes no more
// than is on offer. Promises: packets leave as they entered, in order.
`default_nettype none
`include "check.svh"

module tsv #(
  parameter int RX_DEPTH = 16,   /// flits of receive queue, even, at least 4
  parameter int UP_CREDITS = 32  /// flits of room at the other end after reset
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic [1:0]    dn_count_i,  /// flits that arrive
  input  wire logic [127:0]  dn_data_i,
  output logic [1:0]         dn_credit_o,  /// flits that left the queue at the last edge
  output logic [1:0]         up_count_o,  /// flits on offer
  output logic [127:0]       up_data_o,
  input  wire logic [1:0]    up_take_i,
  input  wire logic [1:0]    up_credit_i,
  output logic               rx_valid_o,
  output logic [63:0]        rx_head_o,
  output logic [1023:0]      rx_body_o,
  input  wire logic          rx_ready_i,
  input  wire logic          tx_valid_i,
  input  wire logic [63:0]   tx_head_i,
  input  wire logic [1023:0] tx_body_i,
  input  wire logic [4:0]    tx_len_i,
  output logic               tx_ready_o,
  output logic               busy_o
);
  tsv_rx #(.DEPTH(RX_DEPTH)) i_rx (
    .clk_i, .rst_ni, .dn_count_i, .dn_data_i, .dn_credit_o,
    .rx_valid_o, .rx_head_o, .rx_body_o, .rx_ready_i, .busy_o(rx_busy)
  );
  tsv_tx #(.CREDITS(UP_CREDITS)) i_tx (
    .clk_i, .rst_ni, .up_count_o, .up_data_o, .up_take_i, .up_credit_i,
    .tx_valid_i, .tx_head_i, .tx_body_i, .tx_len_i, .tx_ready_o
  );
  logic rx_busy;
  assign busy_o = rx_busy || !tx_ready_o;
endmodule
