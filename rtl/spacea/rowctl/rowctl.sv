// SPDX-License-Identifier: Apache-2.0
// rowctl: the memory controller of a bank group of SpaceA: two banks with an open row each,
// requests for runs of columns, one at a time for each bank.
//
//   req -> [ rowctl_bank, twice: request, row, times ] -> choice -> cmd
//                                                       '-> [ reads under way ] -> rsp
//
// docs/blocks/rowctl.md has the rules. One command a cycle. Relies on: straps that stand still
// between resets, with times in their ranges; ticks that leave at most 8 refreshes of a bank owed.
// Promises: no command before its time, requests for a bank in order.
`default_nettype none
`include "check.svh"

module rowctl #(
  parameter int MAX_SHORT = 255,  /// the longest of the times that are not named next, 3 to 255
  parameter int MAX_LONG = 511,   /// the longest tRAS, tRTP and WR to PRE, 3 to 511
  parameter int MAX_RFC = 4000,   /// the longest tRFC, 4 to 4000
  parameter int MAX_READ = 40,    /// the longest time from RD to its data, 3 to 40
  parameter int MAX_WRITE = 24    /// the longest CWL, 3 to 24
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  /// straps: times of the arrays, 12 bits each: csim/dram/bankctl_times.def
  input  wire logic [203:0] cfg_times_i,
  /// a request; taken when bit req_bank of req_ready was high
  input  wire logic         req_valid_i,
  input  wire logic         req_bank_i,  /// bank
  input  wire logic [15:0]  req_row_i,  /// row
  input  wire logic [2:0]   req_col_i,  /// first column
  /// columns that follow it, up to the end of the row; 0 for a write
  input  wire logic [2:0]   req_more_i,
  input  wire logic         req_we_i,  /// write
  input  wire logic [3:0]   req_id_i,  /// comes back with the data of a read
  input  wire logic [255:0] req_wdata_i,  /// data of a write
  input  wire logic [31:0]  req_wmask_i,  /// bytes that are written
  output logic [1:0]        req_ready_o,  /// banks that can take a request, a bit each
  output logic              rsp_valid_o,  /// data of a column that was read
  output logic              rsp_bank_o,  /// its bank; holds its value while rsp_valid is low
  output logic [3:0]        rsp_id_o,  /// id of its request; holds its value while rsp_valid is low
  output logic [255:0]      rsp_data_o,  /// its data; hold their value while rsp_valid is low
  input  wire logic [1:0]   ref_tick_i,  /// a bank's refresh has become due (a pulse every tREFI)
  output logic [2:0]        cmd_o,  /// DRAM command: 0 none, 1 ACT, 2 PRE, 4 RD, 5 WR, 6 REF
  output logic              cmd_bank_o,  /// bank of the last command
  /// row of the last command but REF: that which is open, or is opened
  output logic [15:0]       cmd_row_o,
  output logic [2:0]        cmd_col_o,  /// column of the last RD or WR
  output logic [255:0]      wdata_o,  /// data pins: CWL cycles after WR
  output logic [31:0]       wmask_o,  /// bytes of it
  input  wire logic [255:0] rdata_i,  /// data pins: CL + burst - 1 cycles after RD
  output logic              busy_o  /// a request, a command, data or a refresh are under way
);
  `RANGE(times_from_3_on, MAX_SHORT >= 3 && MAX_SHORT <= 255 && MAX_LONG >= 3 && MAX_LONG <= 511 &&
                          MAX_RFC >= 4 && MAX_RFC <= 4000)
  `RANGE(read_from_3_to_40_and_write_from_3_to_24,
         MAX_READ >= 3 && MAX_READ <= 40 && MAX_WRITE >= 3 && MAX_WRITE <= 24)

  // ---- times: fields of cfg_times_i, in the order of csim/dram/bankctl_times.def
  localparam int TW = 12;
  localparam int AtRcd = 0, AtCcd = 1, AtRtp = 2, AtRp = 3, AtRas = 4, AtRfc = 5, AtRtw = 7,
      AtWtrd = 8, AtWtp = 9, AtRrd = 12, AtRead = 14, AtWrite = 15;
  localparam int SW = $clog2(MAX_SHORT), LW = $clog2(MAX_LONG), FW = $clog2(MAX_RFC);
  localparam int RW = $clog2(MAX_READ + 1), WW = $clog2(MAX_WRITE + 1);
  logic [SW-1:0] rcd, ccd, rp, rtw, wtrd, rrd;  // less one
  logic [LW-1:0] rtp, ras, wtp;
  logic [FW-1:0] rfc;
  logic [RW-1:0] t_read;
  logic [WW-1:0] t_write;
  assign rcd = SW'(cfg_times_i[TW*AtRcd +: TW] - 1'b1);
  assign ccd = SW'(cfg_times_i[TW*AtCcd +: TW] - 1'b1);
  assign rtp = LW'(cfg_times_i[TW*AtRtp +: TW] - 1'b1);
  assign rp = SW'(cfg_times_i[TW*AtRp +: TW] - 1'b1);
  assign ras = LW'(cfg_times_i[TW*AtRas +: TW] - 1'b1);
  assign rfc = FW'(cfg_times_i[TW*AtRfc +: TW] - 1'b1);
  assign rtw = SW'(cfg_times_i[TW*AtRtw +: TW] - 1'b1);
  assign wtrd = SW'(cfg_times_i[TW*AtWtrd +: TW] - 1'b1);
  assign wtp = LW'(cfg_times_i[TW*AtWtp +: TW] - 1'b1);
  assign rrd = SW'(cfg_times_i[TW*AtRrd +: TW] - 1'b1);
  assign t_read = RW'(cfg_times_i[TW*AtRead +: TW]);
  assign t_write = WW'(cfg_times_i[TW*AtWrite +: TW]);
  logic unused;  // times of bankctl only
  assign unused = ^cfg_times_i;

  // ---- banks
  localparam logic [2:0] ACT = 3'd1, RD = 3'd4, WR = 3'd5, REF = 3'd6;
  logic [1:0] has, take, pick, send, busy;
  logic [SW-1:0] rrd_left;
  logic [5:0] want, col;
  logic [31:0] row;
  logic [7:0] id;
  logic [575:0] wdata;
`ifdef FORMAL
  localparam int F_STATE = 41 + WW, F_LEFT = 2 * SW + LW + FW;
  logic [2*F_STATE-1:0] f_states;
  logic [2*F_LEFT-1:0] f_lefts;
`endif
  for (genvar b = 0; b < 2; b++) begin : g_bank
    assign take[b] = rst_ni && req_valid_i && req_ready_o[b] && req_bank_i == 1'(b);
    rowctl_bank #(.SW(SW), .LW(LW), .FW(FW), .WW(WW)) i_bank (
      .clk_i, .rst_ni, .rcd_i(rcd), .ccd_i(ccd), .rtw_i(rtw), .wtrd_i(wtrd), .rp_i(rp),
      .rtp_i(rtp), .ras_i(ras), .wtp_i(wtp), .rfc_i(rfc), .t_write_i(t_write), .take_i(take[b]),
      .row_i(req_row_i), .col_i(req_col_i), .more_i(req_more_i), .we_i(req_we_i),
      .id_i(req_id_i), .wdata_i({req_wmask_i, req_wdata_i}), .tick_i(ref_tick_i[b]),
      .act_now_i(rrd_left == '0), .has_o(has[b]), .want_o(want[3*b +: 3]), .row_o(row[16*b +: 16]),
      .col_o(col[3*b +: 3]), .id_o(id[4*b +: 4]), .pick_i(pick[b]), .send_o(send[b]),
      .wdata_o(wdata[288*b +: 288]), .busy_o(busy[b])
`ifdef FORMAL
      , .f_state_o(f_states[F_STATE*b +: F_STATE]), .f_left_o(f_lefts[F_LEFT*b +: F_LEFT])
`endif
    );
  end
  assign req_ready_o = ~has;

  // ---- the choice: the bank of the last command comes second
  logic last_q, bank;
  logic [2:0] go, go_col;
  logic [15:0] go_row;
  assign bank = (last_q ? want[2:0] != '0 : want[5:3] == '0) ? 1'b0 : 1'b1;
  assign {go, go_row, go_col} = bank ? {want[5:3], row[31:16], col[5:3]} :
                                       {want[2:0], row[15:0], col[2:0]};
  assign pick = {2{rst_ni && go != '0}} & (2'd1 << bank);
  rowctl_timer #(.W(SW)) i_rrd (
    .clk_i, .rst_ni, .set_i(go == ACT), .less_i(rrd), .left_o(rrd_left)
  );
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      cmd_o <= '0;
      last_q <= 1'b1;
    end else begin
      cmd_o <= go;
      if (go != '0) last_q <= bank;
    end
  always_ff @(posedge clk_i) if (pick != '0) begin
    cmd_bank_o <= bank;
    if (go != REF) cmd_row_o <= go_row;
    if (go == RD || go == WR) cmd_col_o <= go_col;
  end

  // ---- reads: bit k is one whose RD was on the pins k cycles ago, up to that of its data
  logic [MAX_READ:0] rd_q;
  logic [5*MAX_READ+4:0] id_q;
  logic sample;
  assign sample = rd_q[t_read];
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      rd_q <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      rd_q <= {rd_q[MAX_READ-1:0] & ~(MAX_READ'(1) << t_read), go == RD};
      rsp_valid_o <= sample;
    end
  always_ff @(posedge clk_i) if (rst_ni) begin
    if (go == RD || rd_q != '0) id_q <= {id_q[5*MAX_READ-1:0], bank, bank ? id[7:4] : id[3:0]};
    if (sample) begin
      {rsp_bank_o, rsp_id_o} <= id_q[5 * 32'(t_read) +: 5];
      rsp_data_o <= rdata_i;
    end
  end

  // ---- data of writes
  always_ff @(posedge clk_i)
    if (!rst_ni) wmask_o <= '0;  // a WR whose data are lost writes nothing
    else if (send != '0) {wmask_o, wdata_o} <= send[1] ? wdata[575:288] : wdata[287:0];

  assign busy_o = busy != '0 || rrd_left != '0 || rd_q != '0;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(columns_of_a_row, !req_valid_i || 4'(req_col_i) + 4'(req_more_i) <= 4'd7)
    `ASM(a_write_has_a_column, !req_valid_i || !req_we_i || req_more_i == '0)
    `CHK(data_of_a_write_at_a_time, send != 2'b11)
  end

`ifdef FORMAL
  `include "rowctl_proof.svh"
`endif
endmodule
