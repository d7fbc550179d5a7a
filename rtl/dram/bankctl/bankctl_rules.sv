// SPDX-License-Identifier: Apache-2.0
// bankctl_rules: the rules of the arrays, for proofs: watches the command pins and asserts that no
// command comes before its time, for any one bank and subarray. It shares nothing with the
// controller: it counts the cycles since what went before.
`default_nettype none
`include "check.svh"

`ifdef FORMAL
module bankctl_rules #(
  parameter int T_RCD = 14,  /// ACT to RD or WR
  parameter int T_CCD = 2,  /// RD to RD, WR to WR of a bank
  parameter int T_RTP = 4,  /// RD to PRE
  parameter int T_RP = 14,  /// PRE to ACT or REF
  parameter int T_RAS = 33,  /// ACT to PRE
  parameter int T_RFC = 350,  /// REF to ACT or REF
  parameter int T_SCD = 1,  /// SASEL to RD or WR
  parameter int T_RTW = 4,  /// RD to WR of a bank
  parameter int T_WTRD = 12,  /// WR to RD of a bank
  parameter int T_WTP = 19,  /// WR to PRE
  parameter int T_WA = 12,  /// WR to ACT or SASEL of the bank
  parameter int T_RA = 1,  /// RD to ACT or SASEL of the bank
  parameter int T_RRD = 4,  /// ACT to ACT of any bank
  parameter int T_FAW = 16,  /// ACT to the fourth ACT after it
  parameter int SB = 5,  /// bits of a subarray
  parameter int LONGEST = 350,  /// the longest of them: counters stop there
  parameter int W = $clog2(LONGEST + 1)  /// bits of a counter; follows from LONGEST
) (
  input  wire logic       clk_i,  /// clock
  input  wire logic       rst_ni,  /// synchronous reset, low
  input  wire logic [2:0] cfg_rows_i,  /// strap: rows that may be open
  input  wire logic [2:0] cmd_i,  /// the command pins, as cmd_o of bankctl
  input  wire logic [1:0] bank_i,  /// bank
  input  wire logic [SB-1:0] sub_i,  /// subarray
  // for invariants: what is watched; its state and the cycles since each command, both as in the
  // next cycle
  output logic [1:0]      bank_o,  /// the bank that is watched
  output logic [SB-1:0]   sub_o,  /// the subarray that is watched
  output logic [4:0]      state_o,  /// open, selected, rows of the bank that are open
  /// s_act, s_pre, s_rd, s_wr, s_sel, b_rd, b_wr, b_pre, b_ref, a_act0 to 3, lowest first
  output logic [13*W-1:0] since_o
);
  localparam logic [2:0] Act = 3'd1, Pre = 3'd2, Sasel = 3'd3, Rd = 3'd4, Wr = 3'd5, Ref = 3'd6;

  (* anyconst *) logic [1:0] bank;
  (* anyconst *) logic [SB-1:0] sub;

  logic here, it;  // a command for the bank; for the subarray
  assign here = cmd_i != 3'd0 && bank_i == bank;
  assign it = here && sub_i == sub;

  // what the bank is in: the subarray is open, selected; how many are open; before and after the
  // command on the pins
  logic open, selected, open_n, selected_n;
  logic [2:0] n_open, n_open_n;
  assign open_n = it && cmd_i == Act || open && !(it && cmd_i == Pre);
  assign selected_n = here && (cmd_i == Act || cmd_i == Sasel) ? it :
                      selected && !(it && cmd_i == Pre);
  assign n_open_n = n_open + {2'd0, here && cmd_i == Act} - {2'd0, here && cmd_i == Pre};
  // cycles since: of the subarray, of the bank, of all
  logic [W-1:0] s_act, s_pre, s_rd, s_wr, s_sel, b_rd, b_wr, b_pre, b_ref,
                a_act0, a_act1, a_act2, a_act3;
  logic [13*W-1:0] since_n;

  function automatic [W-1:0] since(input now, input [W-1:0] t);
    since = now ? W'(1) : t >= W'(LONGEST) ? t : t + 1'b1;
  endfunction
  assign since_n = {
    since(1'b0, cmd_i == Act ? a_act2 : a_act3), since(1'b0, cmd_i == Act ? a_act1 : a_act2),
    since(1'b0, cmd_i == Act ? a_act0 : a_act1), since(cmd_i == Act, a_act0),
    since(here && cmd_i == Ref, b_ref), since(here && cmd_i == Pre, b_pre),
    since(here && cmd_i == Wr, b_wr), since(here && cmd_i == Rd, b_rd),
    since(it && cmd_i == Sasel, s_sel), since(it && cmd_i == Wr, s_wr),
    since(it && cmd_i == Rd, s_rd), since(it && cmd_i == Pre, s_pre),
    since(it && cmd_i == Act, s_act)};
  assign {bank_o, sub_o, state_o, since_o} = {bank, sub, open_n, selected_n, n_open_n, since_n};

  always @(posedge clk_i)
    if (!rst_ni) begin
      {open, selected, n_open} <= '0;
      {a_act3, a_act2, a_act1, a_act0, b_ref, b_pre, b_wr, b_rd, s_sel, s_wr, s_rd, s_pre,
       s_act} <= {13{W'(LONGEST)}};
    end else begin
      {open, selected, n_open} <= {open_n, selected_n, n_open_n};
      {a_act3, a_act2, a_act1, a_act0, b_ref, b_pre, b_wr, b_rd, s_sel, s_wr, s_rd, s_pre,
       s_act} <= since_n;

      if (it && cmd_i == Act) begin
        `CHK(act_of_a_closed_subarray, !open)
        `CHK(act_trp, s_pre >= W'(T_RP))
        `CHK(act_twa, b_wr >= W'(T_WA))
        `CHK(act_tra, b_rd >= W'(T_RA))
        `CHK(act_within_the_limit, n_open < cfg_rows_i)
        `CHK(act_trfc, b_ref >= W'(T_RFC))
        `CHK(act_trp_of_one_row, cfg_rows_i != 3'd1 || b_pre >= W'(T_RP))
      end
      if (cmd_i == Act) begin
        `CHK(act_trrd, a_act0 >= W'(T_RRD))
        `CHK(act_tfaw, a_act3 >= W'(T_FAW))
      end
      if (it && cmd_i == Pre) begin
        `CHK(pre_of_an_open_subarray, open)
        `CHK(pre_tras, s_act >= W'(T_RAS))
        `CHK(pre_trtp, s_rd >= W'(T_RTP))
        `CHK(pre_twr, s_wr >= W'(T_WTP))
      end
      if (it && cmd_i == Sasel) begin
        `CHK(sasel_of_an_open_subarray, open && !selected)
        `CHK(sasel_twa, b_wr >= W'(T_WA))
        `CHK(sasel_tra, b_rd >= W'(T_RA))
      end
      if (it && (cmd_i == Rd || cmd_i == Wr)) begin
        `CHK(column_of_the_selected, open && selected)
        `CHK(column_trcd, s_act >= W'(T_RCD))
        `CHK(column_tscd, s_sel >= W'(T_SCD))
      end
      if (here && cmd_i == Rd) begin
        `CHK(rd_tccd, b_rd >= W'(T_CCD))
        `CHK(rd_twtr, b_wr >= W'(T_WTRD))
      end
      if (here && cmd_i == Wr) begin
        `CHK(wr_tccd, b_wr >= W'(T_CCD))
        `CHK(wr_turn, b_rd >= W'(T_RTW))
      end
      if (here && cmd_i == Ref) begin
        `CHK(ref_of_a_closed_bank, n_open == '0)
        `CHK(ref_trp, b_pre >= W'(T_RP))
        `CHK(ref_trfc, b_ref >= W'(T_RFC))
      end
      `COV(a_read_after_a_write, here && cmd_i == Rd && b_wr < W'(LONGEST))
      `COV(a_refresh, here && cmd_i == Ref && b_pre < W'(LONGEST))
      `COV(a_change_of_rows, it && cmd_i == Sasel)
    end
endmodule
`endif
