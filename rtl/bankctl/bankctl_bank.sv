// SPDX-License-Identifier: Apache-2.0
// bankctl_bank: what the controller knows of one bank: its slots (the rows that are open), its times, its
// refreshes, and how patient it still is with its oldest request.
//
// Every time is a down counter, zero when the command that it holds back may be decided. A command is
// decided in one cycle and on the pins in the next; a counter is set to the distance on the pins less
// one. Counters only count while something is under way.
`default_nettype none
`include "check.svh"

module bankctl_bank #(
  parameter int T_RCD = 14,
  parameter int T_CCD = 2,
  parameter int T_RTP = 4,
  parameter int T_RP = 14,
  parameter int T_RAS = 33,
  parameter int T_RFC = 350,
  parameter int T_SCD = 1,
  parameter int T_RTW = 4,     /// RD to WR: CL + tCCD + 2 - CWL
  parameter int T_WTRD = 12,   /// WR to RD: CWL + burst + tWTR
  parameter int T_WTP = 19,    /// WR to PRE: CWL + burst + tWR
  parameter int T_WA = 12,     /// WR to a sibling's ACT or SASEL: CWL + burst + tWR / 2
  parameter int PATIENCE = 96,  /// cycles for which a bank's oldest request may be passed by
  parameter int URGENT = 4      /// refreshes owed that go before requests
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        active_i,  /// something may change
  input  wire logic [2:0]  cmd_i,  /// what is decided for this bank, 0: nothing
  input  wire logic [1:0]  slot_i,  /// slot of PRE, SASEL, RD, WR
  input  wire logic [13:0] row_i,  /// row of ACT
  input  wire logic        head_i,  /// RD or WR serves the bank's oldest request
  input  wire logic        first_i,  /// a request is taken, and is the bank's only one
  input  wire logic        tick_i,
  input  wire logic        queued_i,  /// the queue holds a request for the bank
  input  wire logic [3:0]  hits_i,  /// slots that queued requests hit
  output logic [3:0]       open_o,  /// slots with a row
  output logic [55:0]      rows_o,  /// their rows, 14 bits each
  output logic [1:0]       free_o,  /// the lowest slot without
  output logic [2:0]       n_open_o,
  output logic             sel_valid_o,
  output logic [1:0]       sel_o,  /// the selected slot
  output logic [3:0]       col_o,  /// slots whose columns can be accessed now
  output logic [3:0]       col1_o,  /// now or a cycle later
  output logic [3:0]       pre_o,  /// slots that can be closed now
  output logic [3:0]       wait_o,  /// slots whose last closed subarray can't be opened yet
  output logic [19:0]      closed_o,  /// that subarray, 5 bits each
  output logic             lru_valid_o,
  output logic [1:0]       lru_o,  /// least recently used slot that may be closed for another row
  output logic             rd_o,  /// RD, WR can use the bank's data path now
  output logic             wr_o,
  output logic             rd1_o,  /// now or a cycle later
  output logic             wr1_o,
  output logic             sib_o,  /// times after WR, PRE and REF have passed
  output logic             rp_o,
  output logic             ref_o,
  output logic             impatient_o,
  output logic             owed_o,
  output logic             refreshing_o
);
  localparam logic [2:0] Act = 3'd1, Pre = 3'd2, Sasel = 3'd3, Rd = 3'd4, Wr = 3'd5, Ref = 3'd6;

  logic [15:0] col_q, act_q;  // four bits a slot
  logic [23:0] pre_q;         // six bits a slot
  logic [15:0] newer_q;       // bit 4i + j: slot i was used after slot j
  logic [3:0] rd_q, wr_q, sib_q, rp_q, owed_q;
  logic [8:0] ref_q, pat_q;
  logic [1:0] used;

  function automatic [3:0] down4(input [3:0] t);
    down4 = t == '0 ? '0 : t - 4'd1;
  endfunction
  function automatic [5:0] down6(input [5:0] t);
    down6 = t == '0 ? '0 : t - 6'd1;
  endfunction
  function automatic [8:0] down9(input [8:0] t);
    down9 = t == '0 ? '0 : t - 9'd1;
  endfunction
  function automatic [3:0] max4(input [3:0] a, input [3:0] b);
    max4 = a > b ? a : b;
  endfunction
  function automatic [5:0] max6(input [5:0] a, input [5:0] b);
    max6 = a > b ? a : b;
  endfunction

  // ---- what can be done
  assign free_o = !open_o[0] ? 2'd0 : !open_o[1] ? 2'd1 : !open_o[2] ? 2'd2 : 2'd3;
  assign n_open_o = {2'd0, open_o[0]} + {2'd0, open_o[1]} + {2'd0, open_o[2]} + {2'd0, open_o[3]};
  assign rd_o = rd_q == '0;
  assign wr_o = wr_q == '0;
  assign rd1_o = rd_q <= 4'd1;
  assign wr1_o = wr_q <= 4'd1;
  assign sib_o = sib_q == '0;
  assign rp_o = rp_q == '0;
  assign ref_o = ref_q == '0;
  assign impatient_o = pat_q == '0;
  assign owed_o = owed_q != '0;

  logic [3:0] may, lru;
  assign may = open_o & ~(hits_i & ~{4{impatient_o}});
  for (genvar s = 0; s < 4; s++) begin : g_slot
    assign col_o[s] = col_q[4*s +: 4] == '0;
    assign col1_o[s] = col_q[4*s +: 4] <= 4'd1;
    assign pre_o[s] = pre_q[6*s +: 6] == '0;
    assign wait_o[s] = act_q[4*s +: 4] != '0;
    assign lru[s] = may[s] && (newer_q[4*s +: 4] & may) == '0;
  end
  assign lru_valid_o = lru != '0;
  assign lru_o = {lru[3] | lru[2], lru[3] | lru[1]};

  // ---- what was decided
  assign used = cmd_i == Act ? free_o : slot_i;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      open_o <= '0;
      sel_valid_o <= 1'b0;
      refreshing_o <= 1'b0;
      owed_q <= '0;
      {col_q, act_q, pre_q} <= '0;
      {rd_q, wr_q, sib_q, rp_q} <= '0;
      {ref_q, pat_q} <= '0;
    end else if (active_i) begin
      refreshing_o <= owed_q != '0 && (refreshing_o || owed_q >= 4'(URGENT) || !queued_i);
      owed_q <= owed_q - {3'd0, cmd_i == Ref} +
                {3'd0, tick_i && (owed_q != 4'd15 || cmd_i == Ref)};
      for (int s = 0; s < 4; s++) begin
        col_q[4*s +: 4] <= down4(col_q[4*s +: 4]);
        act_q[4*s +: 4] <= down4(act_q[4*s +: 4]);
        pre_q[6*s +: 6] <= down6(pre_q[6*s +: 6]);
      end
      rd_q <= down4(rd_q);
      wr_q <= down4(wr_q);
      sib_q <= down4(sib_q);
      rp_q <= down4(rp_q);
      ref_q <= down9(ref_q);
      pat_q <= down9(pat_q);
      if (first_i) pat_q <= 9'(PATIENCE - 1) + ref_q;
      case (cmd_i)
        Act: begin
          open_o[free_o] <= 1'b1;
          sel_valid_o <= 1'b1;
          col_q[4*free_o +: 4] <= 4'(T_RCD - 1);
          pre_q[6*free_o +: 6] <= 6'(T_RAS - 1);
        end
        Pre: begin
          open_o[slot_i] <= 1'b0;
          if (sel_o == slot_i) sel_valid_o <= 1'b0;
          act_q[4*slot_i +: 4] <= 4'(T_RP - 1);
          rp_q <= 4'(T_RP - 1);
        end
        Sasel: begin
          sel_valid_o <= 1'b1;
          col_q[4*slot_i +: 4] <= max4(down4(col_q[4*slot_i +: 4]), 4'(T_SCD - 1));
        end
        Rd: begin
          pre_q[6*slot_i +: 6] <= max6(down6(pre_q[6*slot_i +: 6]), 6'(T_RTP - 1));
          rd_q <= max4(down4(rd_q), 4'(T_CCD - 1));
          wr_q <= max4(down4(wr_q), 4'(T_RTW - 1));
        end
        Wr: begin
          pre_q[6*slot_i +: 6] <= max6(down6(pre_q[6*slot_i +: 6]), 6'(T_WTP - 1));
          wr_q <= max4(down4(wr_q), 4'(T_CCD - 1));
          rd_q <= max4(down4(rd_q), 4'(T_WTRD - 1));
          sib_q <= 4'(T_WA - 1);
        end
        Ref: begin
          ref_q <= 9'(T_RFC - 1);
          pat_q <= 9'(T_RFC + PATIENCE - 1);
        end
        default: ;
      endcase
      if ((cmd_i == Rd || cmd_i == Wr) && head_i) pat_q <= 9'(PATIENCE - 1);
    end

  always_ff @(posedge clk_i)
    if (active_i) begin
      if (cmd_i == Act) rows_o[14*free_o +: 14] <= row_i;
      if (cmd_i == Act || cmd_i == Sasel) sel_o <= used;
      if (cmd_i == Pre) closed_o[5*slot_i +: 5] <= rows_o[14*slot_i +: 5];
      if (cmd_i == Act || cmd_i == Sasel || cmd_i == Rd || cmd_i == Wr)
        for (int s = 0; s < 4; s++)
          if (2'(s) == used) newer_q[4*s +: 4] <= ~(4'd1 << s);
          else newer_q[4*s + 32'(used)] <= 1'b0;
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni && active_i) begin
    `CHK(selected_is_open, !sel_valid_o || open_o[sel_o])
    `CHK(opens_a_free_slot, cmd_i != Act || !open_o[free_o])
    `CHK(closes_an_open_slot, cmd_i != Pre || open_o[slot_i])
    `CHK(refreshes_when_closed, cmd_i != Ref || open_o == '0)
  end
endmodule
