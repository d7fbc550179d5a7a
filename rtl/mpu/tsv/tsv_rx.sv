// SPDX-License-Identifier: Apache-2.0
// tsv_rx: the receiving half of a TSV endpoint: a queue of flits and the assembler of packets.
//
// The queue is two memories of DEPTH/2 flits, for flits at even and odd places, so that two can
// enter and two can leave in a cycle. Beside each flit lies the length of its body, should it be a
// head.
`default_nettype none
`include "check.svh"

module tsv_rx #(
  parameter int FLITS = 2,  /// flits a cycle, 1 to 2
  parameter int DEPTH = 16  /// flits, a power of two, 4 to 64
) (
  input  wire logic         clk_i,        /// clock
  input  wire logic         rst_ni,       /// synchronous reset, low
  input  wire logic [1:0]   dn_count_i,   /// flits that arrive
  input  wire logic [64*FLITS-1:0] dn_data_i,  /// the flits, the first one low
  output logic [1:0]        dn_credit_o,  /// flits that left the queue at the last edge
  output logic              rx_valid_o,   /// a whole packet
  output logic [63:0]       rx_head_o,    /// its head
  output logic [1023:0]     rx_body_o,    /// its body, the first flit low, zero behind it
  input  wire logic         rx_ready_i,   /// the packet is taken
  input  wire logic         rx_release_i, /// a body of two flits or more is not needed any more
  output logic              busy_o        /// a flit or a packet is here
);
  localparam int AW = $clog2(DEPTH);

  `RANGE(FLITS_is_not_1_or_2, FLITS >= 1 && FLITS <= 2)
  `RANGE(RX_DEPTH_is_not_a_power_of_two_from_4_to_64,
         DEPTH >= 4 && DEPTH <= 64 && (DEPTH & (DEPTH - 1)) == 0)

  // ---- the queue
  logic [63:0] even[0:DEPTH/2-1], odd[0:DEPTH/2-1];
  logic [4:0] even_len[0:DEPTH/2-1], odd_len[0:DEPTH/2-1];
  logic [AW-1:0] head_q, tail_q, tail1, head1;
  logic [AW:0] count_q;
  logic [63:0] flit0, flit1;  // the two oldest
  logic [4:0] len;            // of the oldest one's body
  logic [1:0] take;           // flits that leave at this edge

  // flits of the body that follows a head
  function automatic [4:0] length(input [63:0] head);
    logic [1:0] words;
    words = {1'b0, head[tsv_pkg::DN_EXEC_HAS_MASK_LSB]} +
      {1'b0, head[tsv_pkg::DN_EXEC_IMM_AT_LSB +: 2] != 2'd0 ||
             head[tsv_pkg::DN_EXEC_OP_LSB +: 7] == isa_pkg::OP_LOP3[6:0]} +
      {1'b0, head[tsv_pkg::DN_EXEC_OP_LSB +: 7] == isa_pkg::OP_SELP[6:0]};
    if (head[tsv_pkg::DN_ANY_KIND_LSB +: 4] == tsv_pkg::DN_EXEC)
      length = {3'd0, words == 2'd3, words == 2'd1 || words == 2'd2};
    else length = head[tsv_pkg::DN_ANY_LEN_LSB +: 5];
  endfunction

  logic [127:0] dn_data;  // with room for two
  assign dn_data = 128'(dn_data_i);
  assign head1 = head_q + 1'b1;
  assign tail1 = tail_q + 1'b1;
  assign len = head_q[0] ? odd_len[head_q[AW-1:1]] : even_len[head_q[AW-1:1]];
  assign flit0 = head_q[0] ? odd[head_q[AW-1:1]] : even[head_q[AW-1:1]];
  assign flit1 = head1[0] ? odd[head1[AW-1:1]] : even[head1[AW-1:1]];

  always_ff @(posedge clk_i)
    if (dn_count_i != 2'd0) begin
      if (!tail_q[0]) begin
        even[tail_q[AW-1:1]] <= dn_data[63:0];
        even_len[tail_q[AW-1:1]] <= length(dn_data[63:0]);
      end else begin
        odd[tail_q[AW-1:1]] <= dn_data[63:0];
        odd_len[tail_q[AW-1:1]] <= length(dn_data[63:0]);
      end
      if (dn_count_i[1])
        if (!tail1[0]) begin
          even[tail1[AW-1:1]] <= dn_data[127:64];
          even_len[tail1[AW-1:1]] <= length(dn_data[127:64]);
        end else begin
          odd[tail1[AW-1:1]] <= dn_data[127:64];
          odd_len[tail1[AW-1:1]] <= length(dn_data[127:64]);
        end
    end

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
      dn_credit_o <= '0;
    end else begin
      dn_credit_o <= take;
      if (dn_count_i != 2'd0 || take != 2'd0) begin
        head_q <= head_q + AW'(take);
        tail_q <= tail_q + AW'(dn_count_i);
        count_q <= count_q + (AW+1)'(dn_count_i) - (AW+1)'(take);
      end
    end

  // ---- the assembler
  // left_q: flits of the body that are missing; at_q: number of the next one
  // long_q: the body of the packet is long; stays_q: the packet was taken, its body is still needed
  logic valid_q, long_q, stays_q, begins, pair;  // pair: two flits are there
  logic [4:0] left_q, at_q;

  assign pair = count_q[AW:1] != '0;
  assign begins = count_q != '0 && left_q == '0 &&
                  (valid_q ? rx_ready_i && !long_q : !stays_q || rx_release_i);

  always_comb begin
    take = 2'd0;
    if (begins) take = len != '0 && pair ? 2'd2 : 2'd1;
    else if (left_q != '0 && count_q != '0)
      take = left_q != 5'd1 && pair ? 2'd2 : 2'd1;
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_q <= 1'b0;
      left_q <= '0;
    end else if (begins) begin
      left_q <= len - 5'(take == 2'd2);
      valid_q <= len == 5'(take == 2'd2);
    end else if (left_q != '0) begin
      left_q <= left_q - 5'(take);
      valid_q <= left_q == 5'(take);
    end else if (rx_ready_i) valid_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (!rst_ni) stays_q <= 1'b0;
    else if (valid_q && rx_ready_i) stays_q <= long_q;
    else if (rx_release_i) stays_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (begins) begin
      rx_head_o <= flit0;
      long_q <= len > 5'd1;
      at_q <= 5'(take == 2'd2);
      if (len != '0) begin
        rx_body_o <= '0;
        if (take == 2'd2) rx_body_o[63:0] <= flit1;
      end
    end else if (take != 2'd0) begin
      at_q <= at_q + 5'(take);
      rx_body_o[{at_q[3:0], 6'd0} +: 64] <= flit0;
      if (take == 2'd2) rx_body_o[{at_q[3:0] + 4'd1, 6'd0} +: 64] <= flit1;
    end

  assign rx_valid_o = valid_q;
  assign busy_o = count_q != '0 || valid_q || left_q != '0 || dn_credit_o != 2'd0;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(as_many_flits_as_the_bus_has, dn_count_i <= 2'(FLITS))
    `ASM(sender_keeps_to_its_credits, count_q + (AW+1)'(dn_count_i) <= (AW+1)'(DEPTH))
    `ASM(body_of_16_at_most, !begins || len <= 5'd16)
    `CHK(takes_what_is_there, (AW+1)'(take) <= count_q)
    `CHK(whole_or_not, !(valid_q && left_q != '0))
    `CHK(takes_nothing_while_a_body_stays,
         !(stays_q && !rx_release_i || valid_q && long_q) || take == '0)
    `CHK(no_other_while_a_body_stays, !(stays_q && (valid_q || left_q != '0)))
    `COV(a_body_is_released, stays_q && rx_release_i && count_q != '0)
    `COV(a_packet_with_a_body, valid_q && f_left == 5'd3)
  end

`ifdef FORMAL
  // The sender's credits: those that it has, and those that arrive now, are the room in the queue.
  logic [AW:0] f_credits;
  logic [4:0] f_left;  // longest body so far
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_credits <= (AW+1)'(DEPTH);
      f_left <= '0;
    end else begin
      f_credits <= f_credits - (AW+1)'(dn_count_i) + (AW+1)'(dn_credit_o);
      if (begins && len > f_left) f_left <= len;
      `CHK(credits_add_up, f_credits + count_q + (AW+1)'(dn_credit_o) == (AW+1)'(DEPTH))
      `CHK(sender_has_as_many, (AW+1)'(dn_count_i) <= f_credits + (AW+1)'(dn_credit_o))
    end
`endif
endmodule
