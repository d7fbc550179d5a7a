// SPDX-License-Identifier: Apache-2.0
// tsv_tx: the sending half of a TSV endpoint. One packet in a shift register of flits; what is on
// offer is the least of what is left, the credits, and two.
`default_nettype none
`include "check.svh"

module tsv_tx #(
  parameter int FLITS = 2,    /// flits a cycle, 1 to 2
  parameter int CREDITS = 32  /// flits of room at the other end after reset, 2 to 64
) (
  input  wire logic          clk_i,        /// clock
  input  wire logic          rst_ni,       /// synchronous reset, low
  output logic [1:0]         up_count_o,   /// flits on offer
  output logic [64*FLITS-1:0] up_data_o,   /// the flits, the first one low
  input  wire logic [1:0]    up_take_i,    /// flits that leave at this edge
  input  wire logic [1:0]    up_credit_i,  /// room for as many more flits at the other end
  input  wire logic          tx_valid_i,   /// a packet; taken when ready
  input  wire logic [63:0]   tx_head_i,    /// its head
  input  wire logic [1023:0] tx_body_i,    /// its body, the first flit low
  input  wire logic [4:0]    tx_len_i,     /// flits of the body
  output logic               tx_ready_o    /// nothing is being sent; a register
);
  localparam int CW = $clog2(CREDITS + 1);

  `RANGE(FLITS_is_not_1_or_2, FLITS >= 1 && FLITS <= 2)
  `RANGE(UP_CREDITS_is_not_from_2_to_64, CREDITS >= 2 && CREDITS <= 64)

  logic [1087:0] flits_q;  // the next one lowest
  logic [4:0] left_q;      // flits to send
  logic [CW-1:0] credits_q;
  logic two;

  assign two = FLITS > 1 && left_q > 5'd1 && credits_q > CW'(1);
  assign up_count_o = two ? 2'd2 : {1'b0, left_q != '0 && credits_q != '0};
  assign up_data_o = (64*FLITS)'({two ? flits_q[127:64] : 64'd0,
                                  up_count_o != 2'd0 ? flits_q[63:0] : 64'd0});

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      left_q <= '0;
      tx_ready_o <= 1'b1;
      credits_q <= CW'(CREDITS);
    end else begin
      // told beside left_q: the clock gate of the unit waits for it
      tx_ready_o <= tx_ready_o ? !tx_valid_i : left_q == 5'(up_take_i);
      if (tx_ready_o) begin
        if (tx_valid_i) left_q <= tx_len_i + 5'd1;
      end else left_q <= left_q - 5'(up_take_i);
      if (up_take_i != up_credit_i)
        credits_q <= credits_q - CW'(up_take_i) + CW'(up_credit_i);
    end

  always_ff @(posedge clk_i)
    if (tx_ready_o) begin
      if (tx_valid_i) begin
        flits_q[63:0] <= tx_head_i;
        if (tx_len_i != '0) flits_q[1087:64] <= tx_body_i;
      end
    end else if (up_take_i[1]) flits_q <= flits_q >> 128;
    else if (up_take_i[0]) flits_q <= flits_q >> 64;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(takes_at_most_the_offer, up_take_i <= up_count_o)
    `ASM(credits_come_back_once,
         {1'b0, credits_q} + (CW+1)'(up_credit_i) <= (CW+1)'(CREDITS) + (CW+1)'(up_take_i))
    `ASM(body_of_16_at_most, !tx_valid_i || tx_len_i <= 5'd16)
    `CHK(ready_is_told, tx_ready_o == (left_q == '0))
    `CHK(no_credit_underflow, CW'(up_count_o) <= credits_q)
    `CHK(credits_in_range, credits_q < CW'(CREDITS) || credits_q == CW'(CREDITS))
    `COV(waits_for_a_credit, left_q == 5'd2 && credits_q == '0)
  end

`ifdef FORMAL
  // The other end: what it got and did not give back. It is what credits_come_back_once goes by.
  logic [CW-1:0] f_held;
  logic [4:0] f_left;  // of the packet that is being sent
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_held <= '0;
      f_left <= '0;
    end else begin
      f_held <= f_held + CW'(up_take_i) - CW'(up_credit_i);
      f_left <= tx_ready_o ? (tx_valid_i ? tx_len_i + 5'd1 : 5'd0) : f_left - 5'(up_take_i);
      `CHK(no_more_come_back_than_are_out, CW'(up_credit_i) <= f_held + CW'(up_take_i))
      `CHK(credits_add_up, {1'b0, f_held} + {1'b0, credits_q} == (CW+1)'(CREDITS))
      `CHK(every_flit_once, f_left == left_q)
    end
`endif
endmodule
