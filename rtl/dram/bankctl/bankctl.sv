// SPDX-License-Identifier: Apache-2.0
// bankctl: the memory controller of a near-bank unit, over four banks with several open rows each.
//
//   req -> [ queue of 16, with ages ] -> choice -> [ winners ] -> cmd pins
//                        ^  ^                          |
//                  [ bank 0..3: slots, times, refreshes ]
//
// wdata is on the pins CWL cycles behind WR, rsp comes CL + burst cycles behind RD.
//
// docs/blocks/bankctl.md has the rules: row hits first, of equals the oldest; a bank whose oldest
// request waited too long serves that one. One command a cycle, chosen in one cycle and carried out
// in the next: while it is, its bank is left out of most of the choice. Relies on: refresh ticks
// that leave at most 8 owed; straps that stand still between resets, with times in their ranges.
// Promises: no command before its time, requests to one address in order.
`default_nettype none
`include "check.svh"

module bankctl #(
  parameter int DEPTH = 16,       /// requests of the queue, a power of two, 1 to 16
  parameter int MAX_SHORT = 255,  /// the longest of the times that are not named next, 3 to 255
  parameter int MAX_LONG = 511,   /// the longest tRAS, tRTP, WR to PRE, and stay, 3 to 511
  parameter int MAX_RFC = 4000,   /// the longest tRFC, 4 to 4000
  /// the longest time from RD to its data, 3 to 40: ids of reads wait for so long
  parameter int MAX_READ = 40,
  /// the longest CWL, 3 to 24: writes keep their place in the queue until then
  parameter int MAX_WRITE = 24,
  parameter int ROWS = 16384,  /// rows of a bank, a power of two, 2 to 16384 and at least SUBARRAYS
  parameter int COLS = 32,        /// columns of a row, a power of two, 1 to 32
  parameter int SUBARRAYS = 32,   /// subarrays of a bank, a power of two, 2 to 32
  /// cycles for which a bank's oldest request may be passed by, at least 2
  parameter int PATIENCE = 96
`ifdef FORMAL
  `include "bankctl_times.svh"
`endif
) (
  input  wire logic         clk_i,         /// clock
  input  wire logic         rst_ni,        /// synchronous reset, low
  input  wire logic [2:0]   cfg_rows_i,    /// strap: row buffers a bank may have open: 1, 2 or 4
  input  wire logic         cfg_closed_i,  /// strap: closed page policy
  /// strap: the arrays may be in any state when the reset ends
  input  wire logic         cfg_warm_i,
  /// straps: times of the arrays, 12 bits each: csim/dram/bankctl_times.def
  input  wire logic [203:0] cfg_times_i,
  input  wire logic         req_valid_i,   /// a request; taken when req_ready was high
  input  wire logic [1:0]   req_bank_i,    /// bank
  input  wire logic [13:0]  req_row_i,     /// row; its low bits are the subarray
  input  wire logic [4:0]   req_col_i,     /// column
  input  wire logic         req_we_i,      /// write
  input  wire logic [7:0]   req_id_i,      /// comes back with the data of a read
  input  wire logic [255:0] req_wdata_i,   /// data of a write
  input  wire logic [31:0]  req_wmask_i,   /// bytes that are written
  output logic              req_ready_o,   /// can take a request
  output logic              rsp_valid_o,   /// data of a read
  output logic [7:0]        rsp_id_o,      /// its id
  output logic [255:0]      rsp_data_o,    /// its data
  input  wire logic [3:0]   ref_tick_i,    /// a bank's refresh has become due (a pulse every tREFI)
  /// DRAM command: 0 none, 1 ACT, 2 PRE, 3 SASEL, 4 RD, 5 WR, 6 REF, 7 PREA: PRE of all subarrays
  output logic [2:0]        cmd_o,
  output logic [1:0]        cmd_bank_o,    /// bank
  /// row (ACT); its low bits are the subarray of ACT, PRE, SASEL, RD and WR
  output logic [13:0]       cmd_row_o,
  output logic [4:0]        cmd_col_o,     /// column (RD, WR)
  output logic [255:0]      wdata_o,       /// data pins: CWL cycles after WR
  output logic [31:0]       wmask_o,       /// bytes of it
  input  wire logic [255:0] rdata_i,       /// data pins: CL + burst - 1 cycles after RD
  output logic              busy_o         /// a request, a command or a refresh is under way
);
`ifdef FORMAL
  // state of the banks, bank 0 lowest, as bankctl_bank has it; of rr_arb
  localparam int FSW = $clog2(MAX_SHORT), FLW = $clog2(MAX_LONG), FRW = $clog2(MAX_RFC);
  localparam int FPW = $clog2(MAX_RFC + PATIENCE);
  logic [16*FSW-1:0] f_col, f_act;
  logic [16*FLW-1:0] f_pre;
  logic [4*FSW-1:0] f_rd, f_wr, f_sib, f_rp;
  logic [4*FRW-1:0] f_ref;
  logic [4*FPW-1:0] f_pat;
  logic [15:0] f_owed, f_sel;
  logic [63:0] f_newer;
  logic [3:0] f_after;
`endif
  localparam int N = DEPTH;
  // bits of a row, of the subarray in it, of a column; at least one
  localparam int RB = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam int SB = SUBARRAYS > 1 ? $clog2(SUBARRAYS) : 1;
  localparam int CB = COLS > 1 ? $clog2(COLS) : 1;
  localparam int IW = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam logic [2:0] Act = 3'd1, Pre = 3'd2, Sasel = 3'd3, Rd = 3'd4, Wr = 3'd5, Ref = 3'd6,
      Prea = 3'd7;

  // ---- times: fields of cfg_times_i, in the order of csim/dram/bankctl_times.def
  localparam int TW = 12;
  localparam int AtRcd = 0, AtCcd = 1, AtRtp = 2, AtRp = 3, AtRas = 4, AtRfc = 5, AtScd = 6,
      AtRtw = 7, AtWtrd = 8;
  localparam int AtWtp = 9, AtWa = 10, AtRa = 11, AtRrd = 12, AtFaw = 13, AtRead = 14, AtWrite = 15,
      AtStay = 16;
  localparam int Times = 17;
  localparam int SW = $clog2(MAX_SHORT), LW = $clog2(MAX_LONG), FW = $clog2(MAX_RFC);
  localparam int PW = $clog2(MAX_RFC + PATIENCE);
  localparam int YW = $clog2(MAX_RFC > MAX_LONG ? MAX_RFC + 1 : MAX_LONG + 1);  // of stay
  localparam int RW = $clog2(MAX_READ + 1), WW = $clog2(MAX_WRITE + 1);
  // less one: what a timer is set to
  logic [SW-1:0] rcd, ccd, rp, scd, rtw, wtrd, wa, ra, rrd, faw;
  logic [LW-1:0] rtp, ras, wtp;
  logic [FW-1:0] rfc;
  logic [PW-1:0] rfc_patience;
  assign rcd = SW'(cfg_times_i[TW*AtRcd +: TW] - 1'b1);
  assign ccd = SW'(cfg_times_i[TW*AtCcd +: TW] - 1'b1);
  assign rtp = LW'(cfg_times_i[TW*AtRtp +: TW] - 1'b1);
  assign rp = SW'(cfg_times_i[TW*AtRp +: TW] - 1'b1);
  assign ras = LW'(cfg_times_i[TW*AtRas +: TW] - 1'b1);
  assign rfc = FW'(cfg_times_i[TW*AtRfc +: TW] - 1'b1);
  assign rfc_patience = PW'(rfc) + PW'(PATIENCE);
  assign scd = SW'(cfg_times_i[TW*AtScd +: TW] - 1'b1);
  assign rtw = SW'(cfg_times_i[TW*AtRtw +: TW] - 1'b1);
  assign wtrd = SW'(cfg_times_i[TW*AtWtrd +: TW] - 1'b1);
  assign wtp = LW'(cfg_times_i[TW*AtWtp +: TW] - 1'b1);
  assign wa = SW'(cfg_times_i[TW*AtWa +: TW] - 1'b1);
  assign ra = SW'(cfg_times_i[TW*AtRa +: TW] - 1'b1);
  assign rrd = SW'(cfg_times_i[TW*AtRrd +: TW] - 1'b1);
  assign faw = SW'(cfg_times_i[TW*AtFaw +: TW] - 1'b1);
  // the others as they are
  logic [YW-1:0] t_rfc, t_stay;
  logic [RW-1:0] t_read;
  logic [WW-1:0] t_write, t_sent;  // t_sent: of data that leave the queue, where t_write is not 2
  assign t_rfc = YW'(cfg_times_i[TW*AtRfc +: TW]);
  assign t_stay = YW'(cfg_times_i[TW*AtStay +: TW]);
  assign t_read = RW'(cfg_times_i[TW*AtRead +: TW]);
  assign t_write = WW'(cfg_times_i[TW*AtWrite +: TW]);
  assign t_sent = t_write - WW'(3);

  `RANGE(depth_from_1_to_16_and_a_power_of_two,
         DEPTH >= 1 && DEPTH <= 16 && (DEPTH & (DEPTH - 1)) == 0)
  `RANGE(rows_a_power_of_two_from_subarrays_to_16384,
         ROWS >= SUBARRAYS && ROWS <= 16384 && (ROWS & (ROWS - 1)) == 0)
  `RANGE(cols_a_power_of_two_from_1_to_32, COLS >= 1 && COLS <= 32 && (COLS & (COLS - 1)) == 0)
  `RANGE(subarrays_a_power_of_two_from_2_to_32,
         SUBARRAYS >= 2 && SUBARRAYS <= 32 && (SUBARRAYS & (SUBARRAYS - 1)) == 0)
  `RANGE(times_from_3_on, MAX_SHORT >= 3 && MAX_SHORT <= 255 && MAX_LONG >= 3 && MAX_LONG <= 511 &&
                          MAX_RFC >= 4 && MAX_RFC <= 4000 && PATIENCE >= 2)
  `RANGE(read_from_3_to_40_and_write_from_3_to_24,
         MAX_READ >= 3 && MAX_READ <= 40 && MAX_WRITE >= 3 && MAX_WRITE <= 24)

  // ---- the queue: entries stay where they are; older_q[i] are those before entry i, dep_q[i]
  // those of them that it must not pass
  logic [N-1:0] valid_q, we_q, hit_q;  // hit: the row is open
  logic [4*N-1:0] bank_q, slot_q;      // bit N*k + i: entry i is for bank k, and its row in slot k
  logic [N*N-1:0] alike_q;             // bit N*i + j: entries i and j are for one row
  logic [N*N-1:0] near_q;              // the same for bank and subarray
  // bit N*s + i: entry i has the subarray of slot s; that closed last there
  logic [4*N-1:0] same_q, shut_q;
  logic [RB*N-1:0] row_q;
  logic [CB*N-1:0] col_q;
  logic [8*N-1:0] id_q;
  logic [N*N-1:0] older_q, dep_q;
  logic [IW:0] count_q;
  logic [287:0] data[0:N-1];

  logic [N-1:0] sends_q;  // places whose request was served, and whose data have still to leave

  logic [RB-1:0] req_row;
  logic [CB-1:0] req_col;
  assign req_row = RB'(req_row_i);
  assign req_col = CB'(req_col_i);

  logic active, take, serve;  // serve: a request leaves for the pins
  assign take = req_valid_i && req_ready_o;
  assign active = busy_o || take || ref_tick_i != '0;

  logic [N-1:0] held;  // a request before it must be served first
  for (genvar i = 0; i < N; i++) begin : g_held
    assign held[i] = dep_q[N*i +: N] != '0;
  end

  // ---- what is carried out. Each kind of command has a winner. Which kind has the turn is known
  // last: it only selects
  logic go_ref, go_close, go_entry, go_policy;  // who has the turn, one hot or none
  logic go_prea;                                // the same, after a warm reset only
  logic go_col, go_sasel, go_act, go_pre;       // for go_entry: what it wants
  logic closes;                                 // some rule's PRE
  logic [3:0] pick_bank;                        // the bank, one hot
  // slot of the command, one hot or none, 4 a bank: of ACT, of RD and WR, of SASEL, of PRE
  logic [15:0] act_at, col_at, sasel_at, close_at;
  // of the winners: the row of ACT; the rest of RD or WR
  logic [RB-1:0] act_row;
  logic col_we;
  logic [CB-1:0] col_col;
  logic [7:0] col_id;
  logic [IW-1:0] col_index;

  // the straps as the choice sees them: nothing else there depends on an input
  logic one_row_q, closed_page_q;
  logic select_next_q;   // SASEL, and the column access right after it
  logic select_turns_q;  // SASEL between two RD
  logic act_turns_q;     // ACT between two RD
  always_ff @(posedge clk_i) begin
    one_row_q <= cfg_rows_i == 3'd1;
    closed_page_q <= cfg_closed_i;
    select_next_q <= scd == '0;
    act_turns_q <= ra == '0;
    select_turns_q <= scd == '0 && ra == '0 && ccd <= SW'(1);
  end

  // ---- sets
  function automatic [3:0] lowest(input [3:0] set);
    lowest = set & (~set + 1'b1);
  endfunction
  function automatic [15:0] of_banks(input [3:0] set);  // all their slots
    of_banks = {{4{set[3]}}, {4{set[2]}}, {4{set[1]}}, {4{set[0]}}};
  endfunction

  // ---- the banks
  logic [15:0] open, pre_ok, hits, selected;  // four slots a bank
  logic [4*N-1:0] head_q;           // the oldest entry of each bank, one hot
  logic [16*RB-1:0] rows;
  logic [16*SB-1:0] closed;  // subarrays that closed last
  logic [3:0] refreshing, owed, closed_long, queued, impatient;
  logic [4*N-1:0] column, sasel, turn, act, after_pre, close;
  logic [16*N-1:0] close_slot;  // bit 4*N*k + N*s + i: entry i wants slot s of bank k closed
  logic act_ok;
  logic [SW-1:0] rrd_left;
  logic rrd_ok, rrd_soon;
  logic [4*SW-1:0] faw_q;  // a timer for each of the last four ACT, the oldest highest
  assign act_ok = rrd_ok && faw_q[3*SW +: SW] <= SW'(1);

  // one of the banks that waited too long is urgent: others get columns only, every second choice
  logic [3:0] urgent_q, wants, next;
  logic turn_q;
  assign wants = queued & impatient & ~refreshing;
  rr_arb #(.N(4)) i_urgent (
    .clk_i, .rst_ni, .req_i(wants), .next_i(active && (urgent_q & wants) == '0), .gnt_o(next)
`ifdef FORMAL
    , .f_after_o(f_after)
`endif
  );
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      urgent_q <= '0;
      turn_q <= 1'b0;
    end else if (active) begin
      if ((urgent_q & wants) == '0) urgent_q <= next;
      turn_q <= wants != '0 && !turn_q;
    end

  for (genvar k = 0; k < 4; k++) begin : g_bank
    logic [3:0] col_ok, col1_ok, waits;
    logic room;
    logic [3:0] lru, free;
    logic rd_ok, wr_ok, rd1_ok, wr1_ok, sib_ok, rp_ok, ref_ok, first;
    logic [N-1:0] mine, head;

    assign mine = valid_q & bank_q[N*k +: N];
    assign queued[k] = mine != '0;
    // the oldest entry is known, and so is who follows it
    logic [N-1:0] others, second;
    logic served, comes, alone;  // the head leaves, a request comes, to a bank that has no other
    assign head = head_q[N*k +: N];
    assign others = mine & ~head;
    bankctl_oldest #(.N(N)) i_second (.set_i(others), .older_i(older_q), .oldest_o(second));
    assign served = go_col && (to_column & head) != '0;
    assign comes = take && req_bank_i == 2'(k);
    assign alone = !queued[k] || others == '0 && served;
    assign first = comes && alone;
    always_ff @(posedge clk_i)
      if (!rst_ni) head_q[N*k +: N] <= '0;
      else if (active) head_q[N*k +: N] <= first ? place : served ? second : head;

    // slots that entries hit: with one that leaves, those that two of them hit
    logic [3:0] two;
    for (genvar s = 0; s < 4; s++) begin : g_hits
      logic [N-1:0] here;
      assign here = mine & hit_q & slot_q[N*s +: N];
      assign two[s] = (here & (here - 1'b1)) != '0;
    end
    always_ff @(posedge clk_i)
      if (!rst_ni) hits[4*k +: 4] <= '0;
      else if (active)
        for (int s = 0; s < 4; s++)
          hits[4*k + s] <= comes && come_slot[s] || act_at[4*k + s] ||
                           !close_at[4*k + s] && (col_at[4*k + s] ? two[s] : hits[4*k + s]);
    bankctl_bank #(
      .MAX_SHORT(MAX_SHORT), .MAX_LONG(MAX_LONG), .MAX_RFC(MAX_RFC), .RB(RB), .SB(SB),
      .PATIENCE(PATIENCE)
    ) i_bank (
      .clk_i, .rst_ni, .active_i(active), .cfg_warm_i,
      .rcd_i(rcd), .ccd_i(ccd), .rtp_i(rtp), .rp_i(rp), .ras_i(ras), .rfc_i(rfc), .scd_i(scd),
      .rtw_i(rtw), .wtrd_i(wtrd), .wtp_i(wtp), .wa_i(wa), .ra_i(ra),
      .rfc_patience_i(rfc_patience),
      .act_i(act_at[4*k +: 4] != '0), .pre_i(close_at[4*k +: 4]), .sasel_i(sasel_at[4*k +: 4]),
      .col_i(col_at[4*k +: 4]), .ref_i(go_ref && refresh[k]), .we_i(col_we), .row_i(act_row),
      .head_i(served), .first_i(first), .tick_i(ref_tick_i[k]), .queued_i(queued[k]),
      .hits_i(hits[4*k +: 4]), .open_o(open[4*k +: 4]), .rows_o(rows[4*RB*k +: 4*RB]),
      .free_o(free), .room_o(room), .cfg_rows_i, .sel_o(selected[4*k +: 4]), .col_o(col_ok),
      .col1_o(col1_ok),
      .pre_o(pre_ok[4*k +: 4]), .wait_o(waits), .closed_o(closed[4*SB*k +: 4*SB]),
      .lru_o(lru), .rd_o(rd_ok), .wr_o(wr_ok), .rd1_o(rd1_ok), .wr1_o(wr1_ok), .sib_o(sib_ok),
      .rp_o(rp_ok), .ref_o(ref_ok), .impatient_o(impatient[k]), .owed_o(owed[k]),
      .refreshing_o(refreshing[k])
`ifdef FORMAL
      , .f_col_o(f_col[4*FSW*k +: 4*FSW]), .f_act_o(f_act[4*FSW*k +: 4*FSW]),
          .f_pre_o(f_pre[4*FLW*k +: 4*FLW])
      , .f_rd_o(f_rd[FSW*k +: FSW]), .f_wr_o(f_wr[FSW*k +: FSW]), .f_sib_o(f_sib[FSW*k +: FSW])
      , .f_rp_o(f_rp[FSW*k +: FSW]), .f_ref_o(f_ref[FRW*k +: FRW]), .f_pat_o(f_pat[FPW*k +: FPW])
      , .f_owed_o(f_owed[4*k +: 4]), .f_newer_o(f_newer[16*k +: 16])
`endif
    );
`ifdef FORMAL
    assign f_sel[4*k +: 4] = selected[4*k +: 4];
`endif
    assign closed_long[k] = open[4*k +: 4] == '0 && rp_ok && ref_ok;
    assign act_slot[4*k +: 4] = free;

    bankctl_want #(.N(N)) i_want (
      .mine_i(mine), .head_i(head), .we_i(we_q), .held_i(held), .hit_i(hit_q), .slot_i(slot_q),
      .same_i(same_q), .shut_i(shut_q), .one_row_i(one_row_q), .act_ok_i(act_ok),
      .open_i(open[4*k +: 4]), .room_i(room), .sel_i(selected[4*k +: 4]),
      .col_i(col_ok), .col1_i(col1_ok), .pre_i(pre_ok[4*k +: 4]), .wait_i(waits),
      .lru_i(lru), .rd_i(rd_ok), .wr_i(wr_ok),
      .rd1_i(rd1_ok), .wr1_i(wr1_ok), .sib_i(sib_ok), .rp_i(rp_ok), .ref_i(ref_ok),
      .impatient_i(impatient[k]), .refreshing_i(refreshing[k]), .hits_i(hits[4*k +: 4]),
      .two_i(two), .hold_i(urgent_q != '0 && !urgent_q[k]), .skip_i(turn_q && !urgent_q[k]),
      .column_o(column[N*k +: N]), .sasel_o(sasel[N*k +: N]), .turn_o(turn[N*k +: N]),
      .act_o(act[N*k +: N]),
      .next_o(after_pre[N*k +: N]), .pre_o(close[N*k +: N]), .close_o(close_slot[4*N*k +: 4*N])
    );
  end
  logic [15:0] act_slot;  // the slot that ACT would take, one hot, four bits a bank

  // ---- choosing: the oldest of each set, of banks that nothing is carried out for. But the column
  // that SASEL is carried out for may come next, ACT where PRE is to make room, and SASEL, ACT and
  // PRE of other rows after RD.
  logic [N-1:0] to_column, to_sasel, to_act, to_close;  // the winners, one hot or none
  logic [4*N-1:0] to_slot;  // bit N*s + i: slot that entry i wants closed
  logic any_col, any_sasel, any_act, any_pre;
  logic [N-1:0] make_room;
  assign make_room = go_pre && !one_row_q ?
    to_close & (after_pre[0 +: N] | after_pre[N +: N] | after_pre[2*N +: N] | after_pre[3*N +: N]) :
    '0;
  logic after_read;
  logic [3:0] no_act, no_pre;  // banks without ACT, without PRE
  assign after_read = go_col && !col_we;
  assign no_act = after_read && act_turns_q ? pick_bank & impatient : pick_bank;
  assign no_pre = after_read ? pick_bank & impatient : pick_bank;
  bankctl_pick #(.N(N)) i_column (
    .clk_i, .rst_ni, .active_i(active),
    .set_i(column[0 +: N] | column[N +: N] | column[2*N +: N] | column[3*N +: N]),
    .also_i(go_sasel && select_next_q ? to_sasel : {N{1'b0}}), .turn_i({N{1'b0}}), .bank_i(bank_q),
    .except_i(pick_bank), .after_i(1'b0),
    .older_i(older_q), .oldest_o(to_column), .any_o(any_col)
  );
  bankctl_pick #(.N(N), .TURN(1'b1)) i_sasel (
    .clk_i, .rst_ni, .active_i(active),
    .set_i(sasel[0 +: N] | sasel[N +: N] | sasel[2*N +: N] | sasel[3*N +: N]),
    .also_i({N{1'b0}}), .turn_i(turn[0 +: N] | turn[N +: N] | turn[2*N +: N] | turn[3*N +: N]),
    .bank_i(bank_q), .except_i(pick_bank), .after_i(after_read && select_turns_q),
    .older_i(older_q), .oldest_o(to_sasel), .any_o(any_sasel)
  );
  bankctl_pick #(.N(N)) i_act (
    .clk_i, .rst_ni, .active_i(active),
    .set_i(go_act ? '0 : act[0 +: N] | act[N +: N] | act[2*N +: N] | act[3*N +: N]),
    .also_i(make_room), .turn_i({N{1'b0}}), .bank_i(bank_q), .except_i(no_act), .after_i(1'b0),
    .older_i(older_q), .oldest_o(to_act), .any_o(any_act)
  );
  bankctl_pick #(.N(N)) i_close (
    .clk_i, .rst_ni, .active_i(active),
    .set_i(close[0 +: N] | close[N +: N] | close[2*N +: N] | close[3*N +: N]),
    .also_i({N{1'b0}}), .turn_i({N{1'b0}}), .bank_i(bank_q), .except_i(no_pre), .after_i(1'b0),
    .older_i(older_q), .oldest_o(to_close), .any_o(any_pre)
  );

  // the bank to refresh, and slots to close for a refresh, and under the closed page policy: the
  // lowest, one hot or none
  logic [15:0] for_refresh, for_policy;
  logic [3:0] refresh;
  logic any_refresh, any_close, any_policy;
  logic [3:0] can_refresh, can_close, can_idle;  // banks that have such a slot, or can be refreshed
  logic [15:0] to_refresh, to_idle;              // their lowest
  for (genvar k = 0; k < 4; k++) begin : g_other
    logic [3:0] can;
    assign can = open[4*k +: 4] & pre_ok[4*k +: 4];
    assign to_refresh[4*k +: 4] = lowest(can);
    assign to_idle[4*k +: 4] = lowest(can & ~hits[4*k +: 4]);
    assign can_refresh[k] = start_q == Done && refreshing[k] && owed[k] && closed_long[k] &&
                            !pick_bank[k];
    assign can_close[k] = refreshing[k] && can != '0 && !pick_bank[k];
    assign can_idle[k] = closed_page_q && (can & ~hits[4*k +: 4]) != '0 && !pick_bank[k];
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      refresh <= '0;
      for_refresh <= '0;
      for_policy <= '0;
      {any_refresh, any_close, any_policy} <= '0;
    end else if (active) begin
      refresh <= lowest(can_refresh);
      for_refresh <= to_refresh & of_banks(lowest(can_close));
      for_policy <= to_idle & of_banks(lowest(can_idle));
      any_refresh <= can_refresh != '0;
      any_close <= can_close != '0;
      any_policy <= can_idle != '0;
    end
  always_ff @(posedge clk_i)
    if (active)
      to_slot <= close_slot[0 +: 4*N] | close_slot[4*N +: 4*N] | close_slot[8*N +: 4*N] |
                 close_slot[12*N +: 4*N];

  // ---- carrying out: the first rule with something to do has the turn
  logic requests;
  assign go_prea = start_q == Closes;
  assign go_ref = any_refresh;
  assign go_close = !any_refresh && any_close;
  assign requests = !any_refresh && !any_close;
  assign go_col = requests && any_col;
  assign go_sasel = requests && !any_col && any_sasel;
  assign go_act = requests && !any_col && !any_sasel && any_act;
  assign go_pre = requests && !any_col && !any_sasel && !any_act && any_pre;
  assign go_entry = go_col || go_sasel || go_act || go_pre;
  assign go_policy = requests && !go_entry && any_policy;
  assign serve = go_col;

  logic [3:0] sasel_slot, pre_slot;  // of the winners: the slot, the bank
  logic [3:0] col_bank, sasel_bank, act_bank, pre_bank;
  for (genvar s = 0; s < 4; s++) begin : g_pick_slot
    assign sasel_slot[s] = (to_sasel & slot_q[N*s +: N]) != '0;
    assign pre_slot[s] = (to_close & to_slot[N*s +: N]) != '0;
  end
  for (genvar k = 0; k < 4; k++) begin : g_pick_bank
    logic [N-1:0] mine;
    assign mine = bank_q[N*k +: N];
    assign col_bank[k] = (to_column & mine) != '0;
    assign sasel_bank[k] = (to_sasel & mine) != '0;
    assign act_bank[k] = (to_act & mine) != '0;
    assign pre_bank[k] = (to_close & mine) != '0;
    assign pick_bank[k] = go_col && col_bank[k] || go_sasel && sasel_bank[k] ||
      go_act && act_bank[k] || go_pre && pre_bank[k] || go_ref && refresh[k] ||
      go_prea && prea_q == 2'(k) || go_close && for_refresh[4*k +: 4] != '0 ||
      go_policy && for_policy[4*k +: 4] != '0;
  end
  assign act_at = {16{go_act}} & of_banks(act_bank) & act_slot;
  assign col_at = {16{go_col}} & of_banks(col_bank) & selected;  // RD and WR: of the selected slot
  assign sasel_at = {16{go_sasel}} & of_banks(sasel_bank) & {4{sasel_slot}};
  assign close_at = {16{go_pre}} & of_banks(pre_bank) & {4{pre_slot}} |
                    {16{go_close}} & for_refresh | {16{go_policy}} & for_policy;
  assign closes = go_close || go_policy || go_pre;

  assign col_we = (to_column & we_q) != '0;
  always_comb begin
    act_row = '0;
    if (any_act)
      for (int i = 0; i < N; i++) if (to_act[i]) act_row = act_row | row_q[RB*i +: RB];
  end
  always_comb begin
    col_col = '0;
    col_id = '0;
    col_index = '0;
    if (any_col)
      for (int i = 0; i < N; i++)
        if (to_column[i]) begin
          col_col = col_col | col_q[CB*i +: CB];
          col_id = col_id | id_q[8*i +: 8];
          col_index = col_index | IW'(i);
        end
  end

  // ---- the queue: who leaves, who comes
  logic [N-1:0] free, place, gone, alike, near, same, after, opened, acts;
  logic leaves, keeps, sent;  // a place becomes free: of a request that is served; not yet; later
  assign keeps = serve && col_we && t_write != WW'(2);
  assign leaves = serve && !keeps;
  assign free = ~valid_q & ~sends_q;
  assign place = free & (~free + 1'b1) & {N{take}};
  assign gone = serve ? to_column : '0;
  assign after = valid_q & ~gone;  // entries before the one that comes
  always_comb begin
    alike = '0;
    near = '0;
    same = '0;
    if (take)
      for (int i = 0; i < N; i++) begin
        near[i] = bank_q[N*req_bank_i + i] && row_q[RB*i +: SB] == req_row[SB-1:0];
        alike[i] = near[i] && (row_q[RB*i +: RB] ^ req_row) >> SB == '0;
        same[i] = alike[i] && after[i] && col_q[CB*i +: CB] == req_col && (we_q[i] || req_we_i);
      end
  end
  always_comb begin
    opened = '0;
    acts = '0;
    if (go_act)
      for (int i = 0; i < N; i++) begin
        opened[i] = to_act[i] || (alike_q[N*i +: N] & to_act) != '0;
        acts[i] = to_act[i] || (near_q[N*i +: N] & to_act) != '0;  // its subarray is that of ACT
      end
  end

  // the row of the request that comes is open after this edge
  logic [3:0] come_slot, come_open, come_same, come_shut, act_come, pre_come;
  logic come_act, come_near;
  always_comb begin
    come_open = '0;
    come_same = '0;
    come_shut = '0;
    if (take)
      for (int s = 0; s < 4; s++) begin
        come_same[s] = rows[(32'(req_bank_i) * 4 + s) * RB +: SB] == req_row[SB-1:0];
        come_open[s] = open[{req_bank_i, 2'(s)}] && come_same[s] &&
                       (rows[(32'(req_bank_i) * 4 + s) * RB +: RB] ^ req_row) >> SB == '0;
        come_shut[s] = closed[(32'(req_bank_i) * 4 + s) * SB +: SB] == req_row[SB-1:0];
      end
  end
  // (in the block above, Icarus would run it and that of alike in a circle)
  assign come_act = go_act && (alike & to_act) != '0;
  assign come_near = (near & to_act) != '0;
  assign act_come = act_at[4*req_bank_i +: 4];
  assign pre_come = close_at[4*req_bank_i +: 4];
  assign come_slot = come_act ? act_come : come_open & ~pre_come;

  logic [IW:0] count_next;
  assign count_next = count_q + (IW+1)'(take) - (IW+1)'(leaves) - (IW+1)'(sent);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_q <= '0;
      count_q <= '0;
      req_ready_o <= !cfg_warm_i;
      sends_q <= '0;
      older_q <= '0;
      dep_q <= '0;
    end else if (active) begin
      valid_q <= after | place;
      count_q <= count_next;
      req_ready_o <= count_next != (IW+1)'(N) && start_q == Done;
      if (keeps || sent) sends_q <= (sends_q | to_column & {N{keeps}}) & ~(N'(sent) << sent_at);
      if (gone != '0) begin
        older_q <= older_q & ~{N{gone}};
        dep_q <= dep_q & ~{N{gone}};
      end
      if (take)
        for (int i = 0; i < N; i++)
          if (place[i]) begin
            older_q[N*i +: N] <= after;
            dep_q[N*i +: N] <= same;
          end
    end

  logic [3:0] act_here;  // the slot that ACT opens
  assign act_here = act_at[0 +: 4] | act_at[4 +: 4] | act_at[8 +: 4] | act_at[12 +: 4];

  // slots that are opened or closed, for the entries of their banks: bit N*k + i as in slot_q
  logic [4*N-1:0] opens, shuts;
  logic [N-1:0] lost;  // the row is closed
  always_comb begin
    opens = '0;
    shuts = '0;
    lost = '0;
    if (go_act || closes)
      for (int k = 0; k < 4; k++) begin
        for (int b = 0; b < 4; b++) begin
          opens[N*k +: N] = opens[N*k +: N] | bank_q[N*b +: N] & {N{act_at[4*b + k]}};
          shuts[N*k +: N] = shuts[N*k +: N] | bank_q[N*b +: N] & {N{close_at[4*b + k]}};
        end
        lost = lost | slot_q[N*k +: N] & shuts[N*k +: N];
      end
  end

  always_ff @(posedge clk_i)
    if (active && (take || go_act || closes)) begin
      hit_q <= place & {N{come_slot != '0}} | ~place & (opened | hit_q & ~lost);
      for (int k = 0; k < 4; k++) begin
        slot_q[N*k +: N] <= place & {N{come_slot[k]}} |
          ~place & (opened & {N{act_here[k]}} | ~opened & slot_q[N*k +: N]);
        same_q[N*k +: N] <= place & {N{act_come[k] ? come_near : come_same[k]}} |
          ~place & (opens[N*k +: N] & acts | ~opens[N*k +: N] & same_q[N*k +: N]);
        shut_q[N*k +: N] <= place & {N{pre_come[k] ? come_same[k] : come_shut[k]}} |
          ~place & (shuts[N*k +: N] & same_q[N*k +: N] | ~shuts[N*k +: N] & shut_q[N*k +: N]);
      end
    end

  always_ff @(posedge clk_i)
    if (take) begin
      we_q <= place & {N{req_we_i}} | ~place & we_q;
      for (int k = 0; k < 4; k++)
        bank_q[N*k +: N] <= place & {N{req_bank_i == 2'(k)}} | ~place & bank_q[N*k +: N];
      for (int i = 0; i < N; i++) begin
        alike_q[N*i +: N] <= place[i] ? alike : alike_q[N*i +: N] & ~place | place & {N{alike[i]}};
        near_q[N*i +: N] <= place[i] ? near : near_q[N*i +: N] & ~place | place & {N{near[i]}};
        if (place[i]) begin
          row_q[RB*i +: RB] <= req_row;
          col_q[CB*i +: CB] <= req_col;
          id_q[8*i +: 8] <= req_id_i;
        end
      end
    end

  logic [IW-1:0] place_index;
  always_comb begin
    place_index = '0;
    for (int i = 0; i < N; i++) if (place[i]) place_index = place_index | IW'(i);
  end
  always_ff @(posedge clk_i)
    if (take && req_we_i) data[place_index] <= {req_wmask_i, req_wdata_i};

  // ---- the controller's times, and how long the clock is needed: to the last time that a command
  // sets
  logic [YW-1:0] stay_q, stay_next;
  logic filled_q, stays_q;  // count_q, stay_q are not 0: told beside them, for the clock gate
  bankctl_timer #(.MAX(MAX_SHORT), .SEVERAL(1'b0)) i_rrd (
    .clk_i, .rst_ni, .active_i(active), .set_i(go_act), .less_i(rrd),
    .left_o(rrd_left), .now_o(rrd_ok), .soon_o(rrd_soon)
  );
  logic unused_rrd;
  assign unused_rrd = ^{rrd_left, rrd_soon};
  function automatic [SW-1:0] down(input [SW-1:0] t);
    down = t == '0 ? '0 : t - 1'b1;
  endfunction
  always_ff @(posedge clk_i)
    if (!rst_ni) faw_q <= '0;
    else if (active) begin
      for (int i = 0; i < 4; i++) faw_q[SW*i +: SW] <= down(faw_q[SW*i +: SW]);
      if (go_act)
        faw_q <= {down(faw_q[2*SW +: SW]), down(faw_q[SW +: SW]), down(faw_q[0 +: SW]), faw};
    end
  assign stay_next = stay_q == '0 ? '0 : stay_q - 1'b1;
  always_ff @(posedge clk_i)
    if (!rst_ni) stay_q <= !cfg_warm_i ? '0 : t_rfc > t_stay ? t_rfc : t_stay;
    else if (active) stay_q <= go_ref && t_rfc >= stay_q ? t_rfc :
                               go_any && !go_ref && t_stay >= stay_q ? t_stay : stay_next;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      filled_q <= 1'b0;
      stays_q <= cfg_warm_i;
    end else if (active) begin
      filled_q <= count_next != '0;
      stays_q <= go_any || stay_q > YW'(1);
    end
  assign busy_o = filled_q || owed != '0 || stays_q || start_q != Done;

  // ---- after a warm reset: when all that may be under way has passed, all rows are closed, bank
  // by bank
  localparam logic [1:0] Done = 2'd0, Waits = 2'd1, Closes = 2'd2, Settles = 2'd3;
  logic [1:0] start_q, prea_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      start_q <= cfg_warm_i ? Waits : Done;
      prea_q <= '0;
    end else if (active)
      case (start_q)
        Waits: if (stay_q == '0) start_q <= Closes;
        Closes: begin
          prea_q <= prea_q + 1'b1;
          if (prea_q == 2'd3) start_q <= Settles;
        end
        Settles: if (stay_q == '0) start_q <= Done;
        default: start_q <= Done;
      endcase

  // ---- pins and data
  logic go_any;
  logic [15:0] pick_slot;   // slot of RD, WR, SASEL, PRE
  logic [RB-1:0] slot_row;  // its row
  assign pick_slot = col_at | sasel_at | close_at;
  assign go_any = go_ref || go_close || go_entry || go_policy || go_prea;
  always_comb begin
    slot_row = '0;
    if (go_any)
      for (int s = 0; s < 16; s++) if (pick_slot[s]) slot_row = slot_row | rows[RB*s +: RB];
  end
  // RD, WR on the pins in this cycle, in the one before, ...; the latter with the place of its data
  logic [MAX_READ:0] rd_q;
  logic [MAX_WRITE-1:0] wr_q;
  logic [IW*MAX_WRITE-1:0] at_q;
  // data of RD are sampled; of WR: leave the queue, are on the pins next
  logic read_now, load_q, write_q;
  logic [IW-1:0] load_at_q, sent_at;
  logic [287:0] wr1_q;
  always_comb begin
    read_now = rd_q[t_read];
    sent = t_write != WW'(2) && wr_q[t_sent];
    sent_at = at_q[IW * 32'(t_sent) +: IW];
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      cmd_o <= '0;
      rd_q <= '0;
      wr_q <= '0;
      load_q <= 1'b0;
      write_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      wmask_o <= '0;  // a WR whose data are lost writes nothing
    end else if (active) begin
      cmd_o <= {3{go_ref}} & Ref | {3{closes}} & Pre | {3{go_sasel}} & Sasel | {3{go_act}} & Act |
               {3{go_col && !col_we}} & Rd | {3{go_col && col_we}} & Wr | {3{go_prea}} & Prea;
      rd_q <= {rd_q[MAX_READ-1:0], go_col && !col_we};
      wr_q <= {wr_q[MAX_WRITE-2:0], go_col && col_we};
      load_q <= t_write == WW'(2) ? go_col && col_we : sent;
      write_q <= load_q;
      rsp_valid_o <= read_now;
      if (write_q) wmask_o <= wr1_q[287:256];
    end

  always_ff @(posedge clk_i)
    if (active && rst_ni) begin
      if (go_any) cmd_bank_o <= {pick_bank[3] | pick_bank[2], pick_bank[3] | pick_bank[1]};
      if (go_act) cmd_row_o <= 14'(act_row);
      else if (go_any && !go_ref && !go_prea) cmd_row_o <= 14'(slot_row);
      if (serve) cmd_col_o <= 5'(col_col);
      at_q <= {at_q[IW*(MAX_WRITE-1)-1:0], col_index};
      load_at_q <= t_write == WW'(2) ? col_index : sent_at;
      if (load_q) wr1_q <= data[load_at_q];
      if (write_q) wdata_o <= wr1_q[255:0];
      if (read_now) rsp_data_o <= rdata_i;
    end

  // ids of reads whose data are to come: a ring
  logic [7:0] ids[0:MAX_READ];
  logic [RW-1:0] id_in_q, id_out_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      id_in_q <= '0;
      id_out_q <= '0;
    end else if (active) begin
      if (go_col && !col_we) id_in_q <= id_in_q == RW'(MAX_READ) ? '0 : id_in_q + 1'b1;
      if (read_now) id_out_q <= id_out_q == RW'(MAX_READ) ? '0 : id_out_q + 1'b1;
    end
  always_ff @(posedge clk_i)
    if (active && rst_ni) begin
      if (go_col && !col_we) ids[id_in_q] <= col_id;
      if (read_now) rsp_id_o <= ids[id_out_q];
    end

  // ---- ranges of the times
`ifndef SYNTHESIS
  function automatic logic in_range(logic [TW*Times-1:0] times);
    in_range = 1'b1;
    for (int t = 0; t < Times; t++)
      in_range = in_range && 32'(times[TW*t +: TW]) >= (t == AtRfc ? 4 : t == AtWrite ? 2 : 1) &&
                 32'(times[TW*t +: TW]) <=
                 (t == AtRfc ? MAX_RFC :
                  t == AtRtp || t == AtRas || t == AtWtp || t == AtStay ? MAX_LONG :
                  t == AtRead ? MAX_READ : t == AtWrite ? MAX_WRITE : MAX_SHORT);
  endfunction
  function automatic logic within_stay(logic [TW*Times-1:0] times);
    within_stay = 1'b1;
    for (int t = 0; t < Times; t++)
      within_stay = within_stay &&
                    (t == AtRfc || 32'(times[TW*t +: TW]) + (t == AtRead ? 2 : 0) <=
                                   32'(times[TW*AtStay +: TW]));
  endfunction
  // The straps at the last edge, and that they had to stand still from there on. In simulation they
  // are looked at where they may be new; a proof may begin in any state.
  logic [TW*Times+3:0] f_straps;
  logic f_holds, f_new;
  always @(posedge clk_i) begin
    f_straps <= {cfg_rows_i, cfg_closed_i, cfg_times_i};
    f_holds <= rst_ni || cfg_warm_i;
  end
`ifdef FORMAL
  assign f_new = 1'b1;
`else
  assign f_new = !f_holds;
`endif
`endif

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
`ifndef SYNTHESIS
    `ASM(straps_stand_still, !f_holds || f_straps == {cfg_rows_i, cfg_closed_i, cfg_times_i})
    if (f_new) begin
      `ASM(rows_strap, cfg_rows_i == 3'd1 || cfg_rows_i == 3'd2 || cfg_rows_i == 3'd4)
      `ASM(times_in_range, in_range(cfg_times_i))
      // a slot remembers the subarray that it closed last until the row after it closes
      `ASM(open_no_shorter_than_closed, cfg_times_i[TW*AtRas +: TW] >= cfg_times_i[TW*AtRp +: TW])
      `ASM(stays_for_the_longest_time, within_stay(cfg_times_i))
    end
`endif
    `ASM(row_and_column_in_range, !req_valid_i || 32'(req_row_i) < ROWS && 32'(req_col_i) < COLS)
    `CHK(busy_is_told, filled_q == (count_q != '0) && stays_q == (stay_q != '0))
    `CHK(takes_with_room, !take || free != '0)
    `CHK(serves_a_hit, (gone & ~hit_q) == '0)
    `CHK(never_passes, (gone & held) == '0)
    `CHK(one_entry, (to_column & (to_column - 1'b1)) == '0 &&
         (to_sasel & (to_sasel - 1'b1)) == '0 && (to_act & (to_act - 1'b1)) == '0 &&
         (to_close & (to_close - 1'b1)) == '0)
    `CHK(other_winners_are_told, any_refresh == (refresh != '0) &&
         any_close == (for_refresh != '0) && any_policy == (for_policy != '0))
    `CHK(one_other_winner, (refresh & (refresh - 1'b1)) == '0 &&
         (for_refresh & (for_refresh - 1'b1)) == '0 && (for_policy & (for_policy - 1'b1)) == '0)
  end

`ifdef FORMAL_SCORE
  `include "bankctl_score.svh"
`elsif FORMAL
  always @(posedge clk_i) if (rst_ni)
    `CHK(knows_the_times, select_next_q == (scd == '0) && act_turns_q == (ra == '0) &&
         select_turns_q == (scd == '0 && ra == '0 && ccd <= SW'(1)))
  localparam int FLongest = T_RFC > T_FAW ? T_RFC : T_FAW;
  localparam int FCW = $clog2(FLongest + 1);
  logic [1:0] f_b;  // the bank and the subarray that are watched
  logic [SB-1:0] f_sub;
  logic [4:0] f_rules;
  logic [13*FCW-1:0] f_since;
  bankctl_rules #(
    .T_RCD(T_RCD), .T_CCD(T_CCD), .T_RTP(T_RTP), .T_RP(T_RP), .T_RAS(T_RAS), .T_RFC(T_RFC),
    .T_SCD(T_SCD), .T_RTW(T_RTW), .T_WTRD(T_WTRD), .T_WTP(T_WTP), .T_WA(T_WA), .T_RA(T_RA),
    .T_RRD(T_RRD), .T_FAW(T_FAW), .SB(SB), .LONGEST(FLongest)
  ) i_rules (
    .clk_i, .rst_ni, .cfg_rows_i, .cmd_i(cmd_o), .bank_i(cmd_bank_o), .sub_i(cmd_row_o[SB-1:0]),
    .bank_o(f_b), .sub_o(f_sub), .state_o(f_rules), .since_o(f_since)
  );
  `include "bankctl_proof.svh"
`endif
endmodule
