// SPDX-License-Identifier: Apache-2.0
// bankctl_bank: what the controller knows of one bank: its slots (the rows that are open), its
// times, its refreshes, and how patient it still is with its oldest request.
//
// Every time is a bankctl_timer. A command is chosen in one cycle, carried out in the next (what it
// changes here changes at its end), and on the pins in the one after. The choice asks for the times
// as they will be when the command is carried out. Timers only count while something is under way.
//
// Which command is carried out is known late. What a timer would be set to follows from what is
// known early: whether the slot is open, and we_i.
`default_nettype none
`include "check.svh"

module bankctl_bank #(
  parameter int MAX_SHORT = 255, /// the longest of the times that are not the next two
  parameter int MAX_LONG = 511,  /// the longest tRAS, tRTP, and WR to PRE
  parameter int MAX_RFC = 4000,  /// the longest tRFC
  parameter int RB = 14,         /// bits of a row
  parameter int SB = 5,          /// its low ones, the subarray
  /// cycles for which a bank's oldest request may be passed by, at least 2
  parameter int PATIENCE = 96,
  parameter int URGENT = 4,      /// refreshes owed that go before requests, 1 to 8
  parameter int OWED_MAX = 8     /// refreshes that are owed after a warm reset, up to 15
) (
  input  wire logic          clk_i,     /// clock
  input  wire logic          rst_ni,    /// synchronous reset, low
  input  wire logic          active_i,  /// something may change
  input  wire logic [2:0]    cfg_rows_i,  /// strap: rows that may be open
  input  wire logic          cfg_warm_i,  /// strap: the reset is a warm one
  input  wire logic [$clog2(MAX_SHORT)-1:0] rcd_i, /// tRCD, less one as all of these
  input  wire logic [$clog2(MAX_SHORT)-1:0] ccd_i, /// RD to RD, WR to WR
  input  wire logic [$clog2(MAX_LONG)-1:0]  rtp_i, /// tRTP
  input  wire logic [$clog2(MAX_SHORT)-1:0] rp_i, /// tRP
  input  wire logic [$clog2(MAX_LONG)-1:0]  ras_i, /// tRAS
  input  wire logic [$clog2(MAX_RFC)-1:0]   rfc_i, /// tRFC
  /// PATIENCE and tRFC less one
  input  wire logic [$clog2(MAX_RFC+PATIENCE)-1:0] rfc_patience_i,
  input  wire logic [$clog2(MAX_SHORT)-1:0] scd_i, /// tSCD
  input  wire logic [$clog2(MAX_SHORT)-1:0] rtw_i, /// RD to WR
  input  wire logic [$clog2(MAX_SHORT)-1:0] wtrd_i, /// WR to RD
  input  wire logic [$clog2(MAX_LONG)-1:0]  wtp_i, /// WR to PRE
  input  wire logic [$clog2(MAX_SHORT)-1:0] wa_i, /// WR to ACT or SASEL
  input  wire logic [$clog2(MAX_SHORT)-1:0] ra_i, /// RD to ACT or SASEL
  input  wire logic          act_i,     /// ACT is decided for this bank; one command at most
  input  wire logic [3:0]    pre_i,     /// PRE: of this slot, one hot, or none
  input  wire logic [3:0]    sasel_i,   /// SASEL: the slot
  input  wire logic [3:0]    col_i,     /// RD or WR: the slot
  input  wire logic          ref_i,     /// REF
  input  wire logic          we_i,      /// with col_i: WR
  input  wire logic [RB-1:0] row_i,     /// row of ACT
  input  wire logic          head_i,    /// RD or WR serves the bank's oldest request
  input  wire logic          first_i,   /// a request is taken, and is the bank's only one
  input  wire logic          tick_i,    /// a refresh has become due
  input  wire logic          queued_i,  /// the queue holds a request for the bank
  input  wire logic          misses_i,  /// one that takes part in the choice misses
  input  wire logic [3:0]    choice_i,  /// the slot that is given up from now on, one hot, or none
  output logic [3:0]         open_o,    /// slots with a row
  output logic [4*RB-1:0]    rows_o,    /// their rows
  output logic [3:0]         free_o,    /// the lowest slot without, one hot
  output logic               room_o,    /// fewer rows than allowed are open
  output logic [3:0]         sel_o,     /// the selected slot, one hot, or none
  output logic [3:0]         col_o,  /// slots whose columns can be accessed by what is chosen now
  output logic [3:0]         col1_o,    /// now or a cycle later
  output logic [3:0]         pre_o,     /// slots that what is chosen now can close
  output logic [3:0]         wait_o,    /// slots whose last closed subarray can't be opened yet
  output logic [4*SB-1:0]    closed_o,  /// that subarray
  output logic [3:0]         soon_o,    /// or in three cycles
  output logic [3:0]         given_o,   /// the slot that is given up, one hot, or none
  output logic [15:0]        newer_o,   /// bit 4i + j: slot i was used after slot j
  output logic               rd_o,      /// RD that is chosen now can use the bank's data path
  output logic               wr_o,      /// WR
  output logic               rd1_o,     /// RD now or a cycle later
  output logic               wr1_o,     /// WR
  output logic               sib_o,     /// the time after WR and RD to other rows has passed
  output logic               rp_o,      /// that after PRE
  output logic               ref_o,     /// that after REF
  output logic               impatient_o,  /// the bank's oldest request has waited too long
  output logic               owed_o,    /// a refresh is owed
  output logic               refreshing_o  /// only PRE and REF from now on
`ifdef FORMAL
  // state, for the proof: what the timers have left, four slots each or one; refreshes owed
  /// cycles left until columns of a slot; cycles left until its subarray opens
  , output logic [4*$clog2(MAX_SHORT)-1:0] f_col_o, f_act_o
  , output logic [4*$clog2(MAX_LONG)-1:0]  f_pre_o  /// cycles left until a slot may be closed
  /// cycles left until RD, WR, other rows after WR and RD, and until ACT after PRE
  , output logic [$clog2(MAX_SHORT)-1:0]   f_rd_o, f_wr_o, f_sib_o, f_rp_o
  , output logic [$clog2(MAX_RFC)-1:0]     f_ref_o  /// cycles left after REF
  , output logic [$clog2(MAX_RFC+PATIENCE)-1:0] f_pat_o  /// patience left with the oldest request
  , output logic [3:0]                     f_owed_o  /// refreshes owed
`endif
);
  localparam int SW = $clog2(MAX_SHORT);
  localparam int LW = $clog2(MAX_LONG);
  localparam int FW = $clog2(MAX_RFC);
  localparam int PW = $clog2(MAX_RFC + PATIENCE);

  logic [FW-1:0] ref_left;
  logic [PW-1:0] pat_q;
  logic [3:0] owed_q, used;
  logic [2:0] n_open;
  logic closes, accesses;  // PRE; RD or WR
  assign closes = pre_i != '0;
  assign accesses = col_i != '0;

  // ---- times: of the slots. ACT opens one that is not open, other commands are for open ones
  logic [3:0] act_now;
  for (genvar s = 0; s < 4; s++) begin : g_slot
    logic opens;
    logic [SW-1:0] col_left, act_left;
    logic [LW-1:0] pre_left;
    logic act_soon, pre_soon;
    assign opens = act_i && free_o[s];
    bankctl_timer #(.MAX(MAX_SHORT)) i_col (
      .clk_i, .rst_ni, .active_i, .set_i(opens || sasel_i[s]), .less_i(open_o[s] ? scd_i : rcd_i),
      .left_o(col_left), .now_o(col_o[s]), .soon_o(col1_o[s])
    );
    bankctl_timer #(.MAX(MAX_LONG)) i_pre (
      .clk_i, .rst_ni, .active_i, .set_i(opens || col_i[s]),
      .less_i(!open_o[s] ? ras_i : we_i ? wtp_i : rtp_i),
      .left_o(pre_left), .now_o(pre_o[s]), .soon_o(pre_soon)
    );
    bankctl_timer #(.MAX(MAX_SHORT), .SEVERAL(1'b0)) i_act (
      .clk_i, .rst_ni, .active_i, .set_i(pre_i[s]), .less_i(rp_i),
      .left_o(act_left), .now_o(act_now[s]), .soon_o(act_soon)
    );
    assign wait_o[s] = !act_now[s];
    assign soon_o[s] = 32'(pre_left) <= 4;
    logic unused;
    assign unused = ^{col_left, act_left, pre_left, act_soon, pre_soon};
`ifdef FORMAL
    assign f_col_o[SW*s +: SW] = col_left;
    assign f_act_o[SW*s +: SW] = act_left;
    assign f_pre_o[LW*s +: LW] = pre_left;
`endif
  end

  // ---- of the bank
  logic [SW-1:0] rd_left, wr_left, sib_left, rp_left;
  logic sib_soon, rp_soon, ref_now, ref_soon;
  bankctl_timer #(.MAX(MAX_SHORT)) i_rd (
    .clk_i, .rst_ni, .active_i, .set_i(accesses), .less_i(we_i ? wtrd_i : ccd_i),
    .left_o(rd_left), .now_o(rd_o), .soon_o(rd1_o)
  );
  bankctl_timer #(.MAX(MAX_SHORT)) i_wr (
    .clk_i, .rst_ni, .active_i, .set_i(accesses), .less_i(we_i ? ccd_i : rtw_i),
    .left_o(wr_left), .now_o(wr_o), .soon_o(wr1_o)
  );
  bankctl_timer #(.MAX(MAX_SHORT)) i_sib (
    .clk_i, .rst_ni, .active_i, .set_i(accesses), .less_i(we_i ? wa_i : ra_i),
    .left_o(sib_left), .now_o(sib_o), .soon_o(sib_soon)
  );
  bankctl_timer #(.MAX(MAX_SHORT), .SEVERAL(1'b0)) i_rp (
    .clk_i, .rst_ni, .active_i, .set_i(closes), .less_i(rp_i),
    .left_o(rp_left), .now_o(rp_o), .soon_o(rp_soon)
  );
  bankctl_timer #(.MAX(MAX_RFC), .SEVERAL(1'b0)) i_ref (
    .clk_i, .rst_ni, .active_i, .set_i(ref_i), .less_i(rfc_i),
    .left_o(ref_left), .now_o(ref_now), .soon_o(ref_soon)
  );
  logic unused;
  assign unused = ^{rd_left, wr_left, sib_left, rp_left, sib_soon, rp_soon, ref_now};

  function automatic [PW-1:0] down(input [PW-1:0] t);
    down = t == '0 ? '0 : t - 1'b1;
  endfunction

  // ---- what can be done
  assign free_o = ~open_o & (open_o + 4'd1);
  assign n_open = {2'd0, open_o[0]} + {2'd0, open_o[1]} + {2'd0, open_o[2]} + {2'd0, open_o[3]};
  assign owed_o = owed_q != '0;

  // ---- what was decided
  logic serves_head;
  assign serves_head = accesses && head_i;
  assign used = (act_i ? free_o : '0) | sasel_i | col_i;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      open_o <= '0;
      sel_o <= '0;
      refreshing_o <= 1'b0;
      given_o <= '0;
      {ref_o, impatient_o, room_o} <= '1;
      owed_q <= cfg_warm_i ? 4'(OWED_MAX) : '0;
      pat_q <= '0;
    end else if (active_i) begin
      refreshing_o <= owed_q != '0 && (refreshing_o || owed_q >= 4'(URGENT) || !queued_i);
      owed_q <= owed_q - {3'd0, ref_i} +
                {3'd0, tick_i && (owed_q != 4'd15 || ref_i)};
      // what the times say next, told beside them
      ref_o <= !ref_i && ref_soon;
      impatient_o <= !(serves_head || ref_i || first_i) && pat_q <= PW'(2);
      room_o <= act_i ? n_open + 3'd1 < cfg_rows_i : closes || room_o;
      pat_q <= serves_head ? (first_i ? PW'(PATIENCE - 1) + PW'(ref_left) : PW'(PATIENCE - 1)) :
               ref_i ? rfc_patience_i :
               first_i ? PW'(PATIENCE - 1) + PW'(ref_left) : down(pat_q);
      if (cfg_rows_i == 3'd1 || !misses_i || refreshing_o || (pre_i & given_o) != '0) given_o <= '0;
      else if (given_o == '0) given_o <= choice_i;
      if (act_i) begin
        open_o <= open_o | free_o;
        sel_o <= free_o;
      end else if (closes) begin
        open_o <= open_o & ~pre_i;
        sel_o <= sel_o & ~pre_i;
      end else if (sasel_i != '0) sel_o <= sasel_i;
    end
  always_ff @(posedge clk_i)
    if (active_i) begin
      for (int s = 0; s < 4; s++) begin
        if (act_i && free_o[s]) rows_o[RB*s +: RB] <= row_i;
        if (pre_i[s]) closed_o[SB*s +: SB] <= rows_o[RB*s +: SB];
      end
      if (used != '0)
        for (int s = 0; s < 4; s++)
          newer_o[4*s +: 4] <= used[s] ? ~(4'd1 << s) : newer_o[4*s +: 4] & ~used;
    end

  logic [13:0] commands;
  assign commands = {act_i, ref_i, pre_i, sasel_i, col_i};
  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni && active_i) begin
    `CHK(times_are_told, ref_o == ref_now && impatient_o == (pat_q <= PW'(1)) &&
                         room_o == (n_open < cfg_rows_i))
    `CHK(selected_is_open, (sel_o & ~open_o) == '0)
    `CHK(gives_up_an_open_slot, (given_o & ~open_o) == '0 && (given_o & (given_o - 1'b1)) == '0)
    `CHK(opens_a_free_slot, !act_i || free_o != '0)
    `CHK(the_others_are_for_open_slots, ((pre_i | sasel_i | col_i) & ~open_o) == '0)
    `CHK(refreshes_when_closed, !ref_i || open_o == '0)
    `CHK(one_command, (commands & (commands - 1'b1)) == '0)
  end

`ifdef FORMAL
  assign {f_rd_o, f_wr_o, f_sib_o, f_rp_o} = {rd_left, wr_left, sib_left, rp_left};
  assign {f_ref_o, f_pat_o, f_owed_o} = {ref_left, pat_q, owed_q};
  always @(posedge clk_i) if (rst_ni)
    `CHK(times_are_told_at_rest, ref_o == ref_now && impatient_o == (pat_q <= PW'(1)) &&
                                 room_o == (n_open < cfg_rows_i) &&
         (given_o & ~open_o) == '0 && (given_o & (given_o - 1'b1)) == '0)
`endif
endmodule
