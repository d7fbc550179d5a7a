// SPDX-License-Identifier: Apache-2.0
// bankctl: the memory controller of a near-bank unit, over four banks with several open rows each.
//
//   req -> [ queue of 16 lines ] -> wants of bank 0..3 -> choice -> [ winners ] -> execution -> cmd
//                 ^                  ^                                                |
//                 +------ [ bank 0..3: slots, times, refreshes ] <--------------------+
//
// wdata is on the pins CWL cycles behind WR, rsp comes CL + burst cycles behind RD.
//
// docs/blocks/bankctl.md has the rules: row hits first, of equals the oldest; a bank whose oldest
// sector waited too long serves that one. One command a cycle, chosen in one cycle and carried out
// in the next: while it is, its bank is left out of most of the choice. Relies on: refresh ticks
// that leave at most 8 owed; straps that stand still between resets, with times in their ranges.
// Promises: no command before its time, requests to one address in order.
`default_nettype none
`include "check.svh"

module bankctl #(
  /// lines of the queue, and places for data of writes; a power of two, 1 to 16
  parameter int DEPTH = 16,
  parameter int MAX_SHORT = 255,  /// the longest of the times that are not named next, 3 to 255
  parameter int MAX_LONG = 511,   /// the longest tRAS, tRTP, WR to PRE, and stay, 3 to 511
  parameter int MAX_RFC = 4000,   /// the longest tRFC, 4 to 4000
  /// the longest time from RD to its data, 3 to 40: ids of reads wait for so long
  parameter int MAX_READ = 40,
  /// the longest CWL, 3 to 24: data of writes keep their place until then
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
  logic [15:0] f_owed;
  logic [63:0] f_newer;
  logic [3:0] f_after, f_room;
  logic [15:0] f_given;
  // of bankctl_queue and bankctl_data
  localparam int FIW = DEPTH > 1 ? $clog2(DEPTH) : 1, FCB = COLS > 1 ? $clog2(COLS) : 1;
  logic [4*FIW*DEPTH-1:0] f_place;
  logic [FCB*DEPTH-1:0] f_col_of;
  logic [6*DEPTH-1:0] f_id_of;
  logic [2*DEPTH-1:0] f_skew_of;
  logic [DEPTH-1:0] f_used, f_sends, f_where;
`endif
  localparam int N = DEPTH;
  // bits of a row, of the subarray in it, of a column; at least one
  localparam int RB = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam int SB = SUBARRAYS > 1 ? $clog2(SUBARRAYS) : 1;
  localparam int CB = COLS > 1 ? $clog2(COLS) : 1;
  localparam int IW = DEPTH > 1 ? $clog2(DEPTH) : 1;

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
  logic [WW-1:0] t_write;
  assign t_rfc = YW'(cfg_times_i[TW*AtRfc +: TW]);
  assign t_stay = YW'(cfg_times_i[TW*AtStay +: TW]);
  assign t_read = RW'(cfg_times_i[TW*AtRead +: TW]);
  assign t_write = WW'(cfg_times_i[TW*AtWrite +: TW]);

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

  // ---- what is carried out
  logic take, active;
  logic [6:0] kind;
  logic go_col, go_sasel, go_act, go_prea, go_any;
  logic [3:0] refresh, pick_bank;  // banks, one hot or none: of REF, of any command
  logic [15:0] act_at, col_at, sasel_at, close_at;  // slots, one hot or none, 4 a bank
  logic [3:0] serve;                                // bank of RD and WR
  // the winners of the choice; of RD and WR and ACT with what the queue has of them
  logic [3:0] ref_pick, col_bank, sasel_bank, act_bank;
  logic [15:0] close_pick, pre_pick, policy_pick;
  logic [N-1:0] col_entry, sasel_entry, act_entry;
  logic [RB-1:0] act_row;
  logic [CB-1:0] col_col;
  logic [7:0] col_id;
  logic [IW-1:0] col_place;
  logic col_we;
  assign take = req_valid_i && req_ready_o;
  assign active = busy_o || take || ref_tick_i != '0;
  assign {go_act, go_sasel, go_col} = kind[6:4];
  assign serve = col_bank & {4{go_col}};

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

  // ---- the queue
  logic [4*N-1:0] waits, hit, held;
  logic [16*N-1:0] at, shut;
  logic [N-1:0] we, valid, valid_next, shift;
  logic [15:0] open, selected, closed_slot;  // four slots a bank
  logic [16*RB-1:0] rows;
  logic [16*SB-1:0] closed;  // subarrays that closed last
  logic [3:0] come_bank;
  logic [IW-1:0] place;
  assign come_bank = 4'd1 << req_bank_i;
  bankctl_queue #(.N(N), .RB(RB), .SB(SB), .CB(CB), .IW(IW)) i_queue (
    .clk_i, .rst_ni, .active_i(active), .take_i(take), .bank_i(come_bank), .row_i(RB'(req_row_i)),
    .col_i(CB'(req_col_i)), .we_i(req_we_i), .id_i(req_id_i), .place_i(place), .open_i(open),
    .rows_i(rows), .closed_i(closed), .act_at_i(act_at), .act_entry_i(act_entry),
    .close_at_i(close_at), .serve_i(serve), .col_entry_i(col_entry), .col_bank_i(col_bank),
    .waits_o(waits), .hit_o(hit), .at_o(at), .shut_o(shut), .held_o(held), .we_o(we),
    .valid_o(valid), .valid_next_o(valid_next), .shift_o(shift), .act_row_o(act_row),
    .col_col_o(col_col), .col_id_o(col_id), .col_place_o(col_place)
`ifdef FORMAL
    , .f_where_o(f_where), .f_place_o(f_place), .f_col_o(f_col_of), .f_id_o(f_id_of),
    .f_skew_o(f_skew_of)
`endif
  );

  logic places_full_next, places_used_next;
  bankctl_data #(.N(N), .IW(IW), .MAX_READ(MAX_READ), .MAX_WRITE(MAX_WRITE)) i_data (
    .clk_i, .rst_ni, .active_i(active), .t_read_i(t_read), .t_write_i(t_write),
    .take_i(take && req_we_i), .data_i({req_wmask_i, req_wdata_i}), .place_o(place),
    .rd_i(go_col && !col_we), .id_i(col_id), .wr_i(go_col && col_we), .at_i(col_place),
    .full_next_o(places_full_next), .used_next_o(places_used_next), .rsp_valid_o, .rsp_id_o,
    .rsp_data_o, .wdata_o, .wmask_o, .rdata_i
`ifdef FORMAL
    , .f_used_o(f_used), .f_sends_o(f_sends)
`endif
  );
  always_ff @(posedge clk_i)
    if (!rst_ni) req_ready_o <= !cfg_warm_i;
    else if (active) req_ready_o <= !valid_next[N-1] && !places_full_next && start_q == Done;

  // ---- the banks
  logic [15:0] pre_ok, hits;
  logic [3:0] refreshing, owed, queued, impatient;
  logic [4*N-1:0] column, sasel, act;
  logic [3:0] free_bank, can_refresh;
  logic [15:0] want_pre, want_close, want_policy;
  logic act_ok;
  logic [SW-1:0] rrd_left;
  logic rrd_ok, rrd_soon;
  logic [4*SW-1:0] faw_q;  // a timer for each of the last four ACT, the oldest highest
  assign act_ok = rrd_ok && faw_q[3*SW +: SW] <= SW'(1) && !go_act;

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
    logic [3:0] sel, given, choice, col_ok, col1_ok, soon, block;
    logic [15:0] newer;
    logic [N-1:0] mine;
    logic room, misses, idle, rd_ok, wr_ok, rd1_ok, wr1_ok, sib_ok, rp_ok, ref_ok;
    logic served, first;  // the head leaves; a request comes to a bank that has no other
    assign mine = waits[N*k +: N];
    assign sel = selected[4*k +: 4];
    assign queued[k] = mine != '0;
    assign idle = !pick_bank[k];
    assign served = serve[k] && (col_entry & mine & (~mine + 1'b1)) != '0;
    assign first = take && come_bank[k] && (mine & ~(col_entry & {N{serve[k]}})) == '0;
    bankctl_bank #(
      .MAX_SHORT(MAX_SHORT), .MAX_LONG(MAX_LONG), .MAX_RFC(MAX_RFC), .RB(RB), .SB(SB),
      .PATIENCE(PATIENCE)
    ) i_bank (
      .clk_i, .rst_ni, .active_i(active), .cfg_rows_i, .cfg_warm_i,
      .rcd_i(rcd), .ccd_i(ccd), .rtp_i(rtp), .rp_i(rp), .ras_i(ras), .rfc_i(rfc), .scd_i(scd),
      .rtw_i(rtw), .wtrd_i(wtrd), .wtp_i(wtp), .wa_i(wa), .ra_i(ra),
      .rfc_patience_i(rfc_patience),
      .act_i(act_at[4*k +: 4] != '0), .pre_i(close_at[4*k +: 4]), .sasel_i(sasel_at[4*k +: 4]),
      .col_i(col_at[4*k +: 4]), .ref_i(refresh[k]), .we_i(col_we), .row_i(act_row),
      .head_i(served), .first_i(first), .tick_i(ref_tick_i[k]), .queued_i(queued[k]),
      .misses_i(misses), .choice_i(choice), .open_o(open[4*k +: 4]),
      .rows_o(rows[4*RB*k +: 4*RB]), .free_o(closed_slot[4*k +: 4]), .room_o(room),
      .sel_o(selected[4*k +: 4]), .col_o(col_ok), .col1_o(col1_ok), .pre_o(pre_ok[4*k +: 4]),
      .soon_o(soon), .given_o(given), .newer_o(newer), .wait_o(block),
      .closed_o(closed[4*SB*k +: 4*SB]), .rd_o(rd_ok), .wr_o(wr_ok), .rd1_o(rd1_ok),
      .wr1_o(wr1_ok), .sib_o(sib_ok), .rp_o(rp_ok), .ref_o(ref_ok), .impatient_o(impatient[k]),
      .owed_o(owed[k]), .refreshing_o(refreshing[k])
`ifdef FORMAL
      , .f_col_o(f_col[4*FSW*k +: 4*FSW]), .f_act_o(f_act[4*FSW*k +: 4*FSW]),
          .f_pre_o(f_pre[4*FLW*k +: 4*FLW])
      , .f_rd_o(f_rd[FSW*k +: FSW]), .f_wr_o(f_wr[FSW*k +: FSW]), .f_sib_o(f_sib[FSW*k +: FSW])
      , .f_rp_o(f_rp[FSW*k +: FSW]), .f_ref_o(f_ref[FRW*k +: FRW]), .f_pat_o(f_pat[FPW*k +: FPW])
      , .f_owed_o(f_owed[4*k +: 4])
`endif
    );

`ifdef FORMAL
    assign f_newer[16*k +: 16] = newer;
    assign f_given[4*k +: 4] = given;
    assign f_room[k] = room;
`endif

    bankctl_want #(.N(N)) i_want (
      .waits_i(mine), .we_i(we), .held_i(held[N*k +: N]), .hit_i(hit[N*k +: N]),
      .at_i(at[4*N*k +: 4*N]), .shut_i(shut[4*N*k +: 4*N]), .one_row_i(one_row_q),
      .select_next_i(select_next_q), .act_turns_i(act_turns_q), .select_turns_i(select_turns_q),
      .act_ok_i(act_ok), .hold_i(urgent_q != '0 && !urgent_q[k]),
      .skip_i(urgent_q != '0 && !urgent_q[k] && turn_q), .open_i(open[4*k +: 4]), .room_i(room),
      .sel_i(sel), .given_i(given), .newer_i(newer), .col_i(col_ok), .col1_i(col1_ok),
      .pre_i(pre_ok[4*k +: 4]), .soon_i(soon), .wait_i(block), .rd_i(rd_ok), .wr_i(wr_ok),
      .rd1_i(rd1_ok), .wr1_i(wr1_ok), .sib_i(sib_ok), .rp_i(rp_ok), .ref_i(ref_ok),
      .impatient_i(impatient[k]), .refreshing_i(refreshing[k]), .idle_i(idle),
      .did_rd_i(serve[k] && !col_we), .did_wr_i(serve[k] && col_we),
      .did_act_i(go_act && act_bank[k]), .did_sasel_i(go_sasel && sasel_bank[k]),
      .closing_i(close_at[4*k +: 4]), .served_i(col_entry), .selects_i(sasel_entry),
      .column_o(column[N*k +: N]), .sasel_o(sasel[N*k +: N]), .act_o(act[N*k +: N]),
      .free_o(free_bank[k]), .pre_o(want_pre[4*k +: 4]), .hits_o(hits[4*k +: 4]),
      .misses_o(misses), .choice_o(choice)
    );

    // REF, PRE for it, PRE of the closed page policy
    logic [3:0] can;
    assign can = open[4*k +: 4] & pre_ok[4*k +: 4] & {4{idle}};
    assign can_refresh[k] = start_q == Done && refreshing[k] && owed[k] && open[4*k +: 4] == '0 &&
                            rp_ok && ref_ok && idle;
    assign want_close[4*k +: 4] = can & {4{refreshing[k]}};
    assign want_policy[4*k +: 4] = can & ~hits[4*k +: 4] & {4{closed_page_q}};
  end

  bankctl_choose #(.N(N)) i_choose (
    .clk_i, .rst_ni, .active_i(active), .column_i(column), .sasel_i(sasel), .act_i(act),
    .free_i(free_bank), .pre_i(want_pre), .ref_i(can_refresh), .close_i(want_close),
    .policy_i(want_policy), .we_i(we), .shift_i(shift), .kind_o(kind), .ref_o(ref_pick),
    .close_o(close_pick), .pre_o(pre_pick), .policy_o(policy_pick), .col_entry_o(col_entry),
    .col_bank_o(col_bank), .col_we_o(col_we), .sasel_entry_o(sasel_entry),
    .sasel_bank_o(sasel_bank), .act_entry_o(act_entry), .act_bank_o(act_bank)
  );

  bankctl_execute #(.N(N), .RB(RB), .CB(CB)) i_execute (
    .clk_i, .rst_ni, .active_i(active), .kind_i(kind), .ref_i(ref_pick), .close_i(close_pick),
    .pre_i(pre_pick), .policy_i(policy_pick), .col_bank_i(col_bank), .col_we_i(col_we),
    .col_col_i(col_col), .sasel_entry_i(sasel_entry), .sasel_bank_i(sasel_bank),
    .act_bank_i(act_bank), .act_row_i(act_row), .prea_i(go_prea), .prea_bank_i(prea_q), .at_i(at),
    .closed_i(closed_slot), .sel_i(selected), .rows_i(rows), .any_o(go_any), .bank_o(pick_bank),
    .act_at_o(act_at), .col_at_o(col_at), .sasel_at_o(sasel_at), .close_at_o(close_at),
    .ref_o(refresh), .cmd_o, .cmd_bank_o, .cmd_row_o, .cmd_col_o
  );

  // ---- the controller's times, and how long the clock is needed: to the last time that a command
  // sets
  logic [YW-1:0] stay_q, stay_next;
  // the queue has an entry or data a place; stay_q is not 0: told beside them, for the clock gate
  logic filled_q, stays_q;
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
    else if (active) stay_q <= refresh != '0 && t_rfc >= stay_q ? t_rfc :
                               go_any && refresh == '0 && t_stay >= stay_q ? t_stay : stay_next;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      filled_q <= 1'b0;
      stays_q <= cfg_warm_i;
    end else if (active) begin
      filled_q <= valid_next[0] || places_used_next;
      stays_q <= go_any || stay_q > YW'(1);
    end
  assign busy_o = filled_q || owed != '0 || stays_q || start_q != Done;

  // ---- after a warm reset: when all that may be under way has passed, all rows are closed, bank
  // by bank
  localparam logic [1:0] Done = 2'd0, Waits = 2'd1, Closes = 2'd2, Settles = 2'd3;
  logic [1:0] start_q, prea_q;
  assign go_prea = start_q == Closes;
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
    `CHK(busy_is_told, stays_q == (stay_q != '0) && (filled_q || valid == '0))
    `CHK(serves_what_waits, (serve & ~queued) == '0)
  end

`ifdef FORMAL
  always @(posedge clk_i) if (rst_ni)
    `CHK(ready_with_room, !req_ready_o || !valid[N-1] && f_used != '1)
  // Each write of the queue has a place of its own.
  for (genvar i = 0; i < 4*N; i++) begin : f_write
    logic writes, alone;
    assign writes = waits[i] && we[i % N];
    always_comb begin
      alone = 1'b1;
      for (int j = 0; j < i; j++)
        if (waits[j] && we[j % N] && f_place[IW*j +: IW] == f_place[IW*i +: IW]) alone = 1'b0;
    end
    always @(posedge clk_i) if (rst_ni && writes)
      `CHK(a_place_of_its_own, alone && f_used[f_place[IW*i +: IW]] &&
           !f_sends[f_place[IW*i +: IW]])
  end
`endif
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
