// SPDX-License-Identifier: Apache-2.0
// tsv: the endpoint of a near-bank unit: flits to packets and back, with credits.
//
//   dn_* -> [ queue of RX_DEPTH ] -> [ assembler: head, body ] -> rx_*
//   up_* <- [ shift register: head, body, length ]             <- tx_*
//
// Up to FLITS flits a cycle each way; a packet of n flits is at rx two edges after its last flit
// came. docs/blocks/tsv.md has the rules. Relies on: the sender keeps to its credits, the bus takes
// no more than is on offer. Promises: packets leave as they entered, in order; a body of two flits
// or more stays until it is released (a release when none stays does nothing).
`default_nettype none
`include "check.svh"

module tsv #(
  parameter int FLITS = 2,       /// flits a cycle, 1 to 2
  parameter int RX_DEPTH = 16,   /// flits of receive queue, a power of two, 4 to 64
  parameter int UP_CREDITS = 32  /// flits of room at the other end after reset, 2 to 64
) (
  input  wire logic          clk_i,  /// clock
  input  wire logic          rst_ni,  /// synchronous reset, low
  input  wire logic [1:0]    dn_count_i,  /// flits that arrive: 0, 1 or 2
  input  wire logic [64*FLITS-1:0] dn_data_i,  /// the flits, the first one low
  /// flits that have left the receive queue: room for as many more
  output logic [1:0]         dn_credit_o,
  output logic [1:0]         up_count_o,  /// flits on offer: 0, 1 or 2
  output logic [64*FLITS-1:0] up_data_o,  /// the flits, the first one low
  input  wire logic [1:0]    up_take_i,  /// flits that the bus takes at this edge, at most up_count
  input  wire logic [1:0]    up_credit_i,  /// room for as many more flits at the other end
  /// the body of the last packet, of two flits or more, is not needed any more
  input  wire logic          rx_release_i,
  output logic               rx_valid_o,  /// a packet has arrived; held until rx_ready
  output logic [63:0]        rx_head_o,  /// its first flit
  /// the flits that follow, the first one low; above its length undefined bits are zero
  output logic [1023:0]      rx_body_o,
  input  wire logic          rx_ready_i,  /// the packet is taken at this edge
  input  wire logic          tx_valid_i,  /// a packet to send; taken when tx_ready was high
  input  wire logic [63:0]   tx_head_i,  /// its first flit
  input  wire logic [1023:0] tx_body_i,  /// the flits that follow
  input  wire logic [4:0]    tx_len_i,  /// how many follow: 0 to 16
  output logic               tx_ready_o,  /// can take a packet
  output logic               busy_o  /// a flit is inside
);
  tsv_rx #(.FLITS(FLITS), .DEPTH(RX_DEPTH)) i_rx (
    .clk_i, .rst_ni, .dn_count_i, .dn_data_i, .dn_credit_o,
    .rx_valid_o, .rx_head_o, .rx_body_o, .rx_ready_i, .rx_release_i, .busy_o(rx_busy)
  );
  tsv_tx #(.FLITS(FLITS), .CREDITS(UP_CREDITS)) i_tx (
    .clk_i, .rst_ni, .up_count_o, .up_data_o, .up_take_i, .up_credit_i,
    .tx_valid_i, .tx_head_i, .tx_body_i, .tx_len_i, .tx_ready_o
  );
  logic rx_busy;
  assign busy_o = rx_busy || !tx_ready_o;
endmodule
