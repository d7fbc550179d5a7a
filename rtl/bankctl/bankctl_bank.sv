// SPDX-License-Identifier: Apache-2.0
// bankctl_bank: what the controller knows of one bank: its slots (the rows that are open), its times, its
// refreshes, and how patient it still is with its oldest request.
//
// Every time is a down counter, zero when the command that it holds back may be carried out. A command is
// chosen in one cycle, carried out in the next (what it changes here changes at its end), and on the pins in
// the one after; a counter is set to the distance on the pins less one. The choice asks for the times as they
// will be when the command is carried out. Counters only count while something is under way.
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
  input  wire logic [2:0]  cfg_rows_i,
  input  wire logic        act_i,  /// what is decided for this bank, one at most
  input  wire logic        pre_i,
  input  wire logic        sasel_i,
  input  wire logic        rd_i,
  input  wire logic        wr_i,
  input  wire logic        ref_i,
  input  wire logic [3:0]  slot_i,  /// slot of PRE, SASEL, RD, WR, one hot
  input  wire logic [13:0] row_i,  /// row of ACT
  input  wire logic        head_i,  /// RD or WR serves the bank's oldest request
  input  wire logic        first_i,  /// a request is taken, and is the bank's only one
  input  wire logic        tick_i,
  input  wire logic        queued_i,  /// the queue holds a request for the bank
  input  wire logic [3:0]  hits_i,  /// slots that queued requests hit
  output logic [3:0]       open_o,  /// slots with a row
  output logic [55:0]      rows_o,  /// their rows, 14 bits each
  output logic [3:0]       free_o,  /// the lowest slot without, one hot
  output logic              room_o,  /// fewer rows than allowed are open
  output logic [3:0]       sel_o,  /// the selected slot, one hot, or none
  output logic [3:0]       col_o,  /// slots whose columns can be accessed by what is chosen now
  output logic [3:0]       col1_o,  /// now or a cycle later
  output logic [3:0]       pre_o,  /// slots that what is chosen now can close
  output logic [3:0]       wait_o,  /// slots whose last closed subarray can't be opened yet
  output logic [19:0]      closed_o,  /// that subarray, 5 bits each
  output logic [3:0]       lru_o,  /// least recently used slot that may be closed, one hot, or none
  output logic             rd_o,  /// RD, WR that is chosen now can use the bank's data path
  output logic             wr_o,
  output logic             rd1_o,  /// now or a cycle later
  output logic             wr1_o,
  output logic             sib_o,  /// times after WR, PRE and REF have passed
  output logic             rp_o,
  output logic             ref_o,
  output logic             impatient_o,
  output logic             owed_o,
  output logic             refreshing_o
`ifdef FORMAL
  , output logic [113:0]   f_state_o
`endif
);
  logic [15:0] col_q, act_q;  // four bits a slot
  logic [23:0] pre_q;         // six bits a slot
  logic [15:0] newer_q;       // bit 4i + j: slot i was used after slot j
  logic [3:0] rd_q, wr_q, sib_q, rp_q, owed_q;
  logic [8:0] ref_q, pat_q;
  logic [3:0] used;
  logic [2:0] n_open;

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
  assign free_o = ~open_o & (open_o + 4'd1);
  assign n_open = {2'd0, open_o[0]} + {2'd0, open_o[1]} + {2'd0, open_o[2]} + {2'd0, open_o[3]};
  assign rd_o = rd_q <= 4'd1;
  assign wr_o = wr_q <= 4'd1;
  assign rd1_o = rd_q <= 4'd2;
  assign wr1_o = wr_q <= 4'd2;
  assign sib_o = sib_q <= 4'd1;
  assign rp_o = rp_q <= 4'd1;
  assign owed_o = owed_q != '0;

  logic [3:0] may;
  assign may = open_o & ~(hits_i & ~{4{impatient_o}});
  for (genvar s = 0; s < 4; s++) begin : g_slot
    assign col_o[s] = col_q[4*s +: 4] <= 4'd1;
    assign col1_o[s] = col_q[4*s +: 4] <= 4'd2;
    assign pre_o[s] = pre_q[6*s +: 6] <= 6'd1;
    assign wait_o[s] = act_q[4*s +: 4] > 4'd1;
    assign lru_o[s] = may[s] && (newer_q[4*s +: 4] & may) == '0;
  end

  // ---- what was decided
  assign used = act_i ? free_o : slot_i;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      open_o <= '0;
      sel_o <= '0;
      refreshing_o <= 1'b0;
      {ref_o, impatient_o, room_o} <= '1;
      owed_q <= '0;
      {col_q, act_q, pre_q} <= '0;
      {rd_q, wr_q, sib_q, rp_q} <= '0;
      {ref_q, pat_q} <= '0;
    end else if (active_i) begin
      refreshing_o <= owed_q != '0 && (refreshing_o || owed_q >= 4'(URGENT) || !queued_i);
      owed_q <= owed_q - {3'd0, ref_i} +
                {3'd0, tick_i && (owed_q != 4'd15 || ref_i)};
      for (int s = 0; s < 4; s++) begin
        col_q[4*s +: 4] <= act_i && free_o[s] ? 4'(T_RCD - 1) :
          sasel_i && slot_i[s] ? max4(down4(col_q[4*s +: 4]), 4'(T_SCD - 1)) : down4(col_q[4*s +: 4]);
        act_q[4*s +: 4] <= pre_i && slot_i[s] ? 4'(T_RP - 1) : down4(act_q[4*s +: 4]);
        pre_q[6*s +: 6] <= act_i && free_o[s] ? 6'(T_RAS - 1) :
          rd_i && slot_i[s] ? max6(down6(pre_q[6*s +: 6]), 6'(T_RTP - 1)) :
          wr_i && slot_i[s] ? max6(down6(pre_q[6*s +: 6]), 6'(T_WTP - 1)) : down6(pre_q[6*s +: 6]);
      end
      rd_q <= rd_i ? max4(down4(rd_q), 4'(T_CCD - 1)) :
              wr_i ? max4(down4(rd_q), 4'(T_WTRD - 1)) : down4(rd_q);
      wr_q <= rd_i ? max4(down4(wr_q), 4'(T_RTW - 1)) :
              wr_i ? max4(down4(wr_q), 4'(T_CCD - 1)) : down4(wr_q);
      sib_q <= wr_i ? 4'(T_WA - 1) : down4(sib_q);
      rp_q <= pre_i ? 4'(T_RP - 1) : down4(rp_q);
      // what the times say next, told beside them
      ref_o <= !ref_i && ref_q <= 9'd2;
      impatient_o <= !((rd_i || wr_i) && head_i || ref_i || first_i) && pat_q <= 9'd2;
      room_o <= act_i ? n_open + 3'd1 < cfg_rows_i : pre_i || room_o;
      ref_q <= ref_i ? 9'(T_RFC - 1) : down9(ref_q);
      pat_q <= (rd_i || wr_i) && head_i ? (first_i ? 9'(PATIENCE - 1) + ref_q : 9'(PATIENCE - 1)) :
               ref_i ? 9'(T_RFC + PATIENCE - 1) :
               first_i ? 9'(PATIENCE - 1) + ref_q : down9(pat_q);
      if (act_i) begin
        open_o <= open_o | free_o;
        sel_o <= free_o;
      end else if (pre_i) begin
        open_o <= open_o & ~slot_i;
        sel_o <= sel_o & ~slot_i;
      end else if (sasel_i) sel_o <= slot_i;
    end

  always_ff @(posedge clk_i)
    if (active_i) begin
      for (int s = 0; s < 4; s++) begin
        if (act_i && free_o[s]) rows_o[14*s +: 14] <= row_i;
        if (pre_i && slot_i[s]) closed_o[5*s +: 5] <= rows_o[14*s +: 5];
      end
      if (act_i || sasel_i || rd_i || wr_i)
        for (int s = 0; s < 4; s++)
          newer_q[4*s +: 4] <= used[s] ? ~(4'd1 << s) : newer_q[4*s +: 4] & ~used;
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni && active_i) begin
    `CHK(times_are_told, ref_o == (ref_q <= 9'd1) && impatient_o == (pat_q <= 9'd1) &&
                         room_o == (n_open < cfg_rows_i))
    `CHK(selected_is_open, (sel_o & ~open_o) == '0)
    `CHK(opens_a_free_slot, !act_i || free_o != '0)
    `CHK(closes_an_open_slot, !pre_i || (slot_i & open_o) != '0)
    `CHK(refreshes_when_closed, !ref_i || open_o == '0)
    `CHK(one_slot, (slot_i & (slot_i - 1'b1)) == '0)
  end

`ifdef FORMAL
  assign f_state_o = {sel_o, newer_q, pat_q, owed_q, ref_q, rp_q, sib_q, wr_q, rd_q, pre_q, act_q, col_q};
  always @(posedge clk_i) if (rst_ni)
    `CHK(times_are_told_at_rest, ref_o == (ref_q <= 9'd1) && impatient_o == (pat_q <= 9'd1) &&
                                 room_o == (n_open < cfg_rows_i))
`endif
endmodule
