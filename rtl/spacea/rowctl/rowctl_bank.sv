// SPDX-License-Identifier: Apache-2.0
// rowctl_bank: what rowctl knows of a bank: its request, its row, refreshes owed, and times.
//
//   req -> [ request: row, column, columns to go ] -> want -> (choice of rowctl) -> pick
//          [ open row, owed, times               ] <---------------------------------'
`default_nettype none
`include "check.svh"

module rowctl_bank #(
  parameter int SW = 8,   /// bits of short times
  parameter int LW = 9,   /// bits of long times
  parameter int FW = 12,  /// bits of the time of a refresh
  parameter int WW = 5    /// bits of the time from WR to its data
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic [SW-1:0] rcd_i,  /// times less one, as cfg_times has them
  input  wire logic [SW-1:0] ccd_i,  /// RD to RD, WR to WR
  input  wire logic [SW-1:0] rtw_i,  /// RD to WR
  input  wire logic [SW-1:0] wtrd_i,  /// WR to RD
  input  wire logic [SW-1:0] rp_i,  /// PRE to ACT or REF
  input  wire logic [LW-1:0] rtp_i,  /// RD to PRE
  input  wire logic [LW-1:0] ras_i,  /// ACT to PRE
  input  wire logic [LW-1:0] wtp_i,  /// WR to PRE
  input  wire logic [FW-1:0] rfc_i,  /// REF to ACT or REF
  input  wire logic [WW-1:0] t_write_i,  /// WR to its data, as it is
  input  wire logic         take_i,  /// a request is taken
  input  wire logic [15:0]  row_i,  /// its row
  input  wire logic [2:0]   col_i,  /// its first column
  input  wire logic [2:0]   more_i,  /// columns that follow
  input  wire logic         we_i,  /// write
  input  wire logic [3:0]   id_i,  /// its id
  input  wire logic [287:0] wdata_i,  /// data of a write, their mask above them
  input  wire logic         tick_i,  /// a refresh has become due
  input  wire logic         act_now_i,  /// ACT of any bank may be chosen
  output logic              has_o,  /// there is a request
  output logic [2:0]        want_o,  /// command that may be chosen, 0 none
  output logic [15:0]       row_o,  /// its row
  output logic [2:0]        col_o,  /// its column
  output logic [3:0]        id_o,  /// id of a read
  input  wire logic         pick_i,  /// the command is chosen
  output logic              send_o,  /// data of a write are on the pins next
  output logic [287:0]      wdata_o,  /// these
  output logic              busy_o  /// a request, a refresh that is owed, or a time
`ifdef FORMAL
  /// proof: row of the request, open row, columns to go, cycles until data leave, refreshes owed,
  /// write, row is open
  , output logic [2*16+3+WW+4+2-1:0] f_state_o
  , output logic [2*SW+LW+FW-1:0] f_left_o  /// proof: times: act, close, write, read
`endif
);
  localparam logic [2:0] ACT = 3'd1, PRE = 3'd2, RD = 3'd4, WR = 3'd5, REF = 3'd6;

  // ---- the request
  logic [15:0] row_q, open_row_q;
  logic [2:0] more_q;
  logic [WW-1:0] sent_q;  // cycles until data of a WR leave; 0: none was chosen
  logic we_q, is_open_q, done;
  assign send_o = sent_q == WW'(1);
  assign done = pick_i && want_o == RD && more_q == '0 || send_o;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      has_o <= 1'b0;
      sent_q <= '0;
    end else begin
      has_o <= has_o && !done || take_i;
      if (pick_i && want_o == WR) sent_q <= t_write_i;
      else if (sent_q != '0) sent_q <= sent_q - 1'b1;
    end
  always_ff @(posedge clk_i)
    if (take_i) begin
      row_q <= row_i;
      col_o <= col_i;
      more_q <= more_i;
      we_q <= we_i;
      id_o <= id_i;
      if (we_i) wdata_o <= wdata_i;
    end else if (pick_i && want_o == RD) begin
      col_o <= col_o + 1'b1;
      more_q <= more_q - 1'b1;
    end

  // ---- times
  logic [SW-1:0] read, write, read_less, write_less;
  logic [LW-1:0] close, close_less;
  logic [FW-1:0] act, act_less;
  logic is_act, is_pre, is_rd, is_wr, is_ref;
  assign is_act = pick_i && want_o == ACT;
  assign is_pre = pick_i && want_o == PRE;
  assign is_rd = pick_i && want_o == RD;
  assign is_wr = pick_i && want_o == WR;
  assign is_ref = pick_i && want_o == REF;
  assign read_less = is_act ? rcd_i : is_rd ? ccd_i : wtrd_i;
  assign write_less = is_act ? rcd_i : is_rd ? rtw_i : ccd_i;
  assign close_less = is_act ? ras_i : is_rd ? rtp_i : wtp_i;
  assign act_less = is_pre ? FW'(rp_i) : rfc_i;
  rowctl_timer #(.W(SW)) i_read (
    .clk_i, .rst_ni, .set_i(is_act || is_rd || is_wr), .less_i(read_less), .left_o(read)
  );
  rowctl_timer #(.W(SW)) i_write (
    .clk_i, .rst_ni, .set_i(is_act || is_rd || is_wr), .less_i(write_less), .left_o(write)
  );
  rowctl_timer #(.W(LW)) i_close (
    .clk_i, .rst_ni, .set_i(is_act || is_rd || is_wr), .less_i(close_less), .left_o(close)
  );
  rowctl_timer #(.W(FW)) i_act (
    .clk_i, .rst_ni, .set_i(is_pre || is_ref), .less_i(act_less), .left_o(act)
  );

  // ---- row and refreshes
  logic [3:0] owed_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      is_open_q <= 1'b0;
      owed_q <= '0;
    end else begin
      if (is_act || is_pre) is_open_q <= is_act;
      owed_q <= owed_q + 4'(tick_i) - 4'(is_ref);
    end
  always_ff @(posedge clk_i) if (is_act) open_row_q <= row_q;

  // ---- the command that may be chosen
  always_comb begin
    want_o = '0;
    if (owed_q != '0 && (!has_o || owed_q >= 4'd4)) begin
      if (is_open_q) want_o = close == '0 ? PRE : '0;
      else want_o = act == '0 ? REF : '0;
    end else if (has_o && sent_q == '0) begin
      if (!is_open_q) want_o = act == '0 && act_now_i ? ACT : '0;
      else if (open_row_q != row_q) want_o = close == '0 ? PRE : '0;
      else if (we_q) want_o = write == '0 ? WR : '0;
      else want_o = read == '0 ? RD : '0;
    end
  end
  assign row_o = is_open_q ? open_row_q : row_q;
  assign busy_o = has_o || owed_q != '0 || read != '0 || write != '0 || close != '0 || act != '0;

  always @(posedge clk_i) if (rst_ni) begin
    `ASM(a_request_when_there_is_none, !take_i || !has_o)
    `ASM(at_most_eight_are_owed, owed_q <= 4'd8)
    `CHK(chosen_when_wanted, !pick_i || want_o != '0)
  end

`ifdef FORMAL
  assign f_state_o = {row_q, open_row_q, more_q, sent_q, owed_q, we_q, is_open_q};
  assign f_left_o = {act, close, write, read};
`endif
endmodule
