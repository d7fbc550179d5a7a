// SPDX-License-Identifier: Apache-2.0
// bgroup: a bank group of the matrix of SpaceA: two banks with a PE each, which share the lines of
// X that are here and those that are under way.
//
//   rx -> [ age ] -> fill -> [ xcam ] <- look - [ spe 0 ] <- beats - [ rowctl ] -> cmd
//            '--> leave, put <-> [ ldq ] <- ask - [ spe 1 ] - rows --> [      ] <- rdata
//   tx <- WANT, SUM, DONE <- [ fifo ] <-'              '--> sums
//
// docs/blocks/bgroup.md has the rules. A turn, a line, and a packet up a cycle at most. Relies on:
// LINE once for each WANT, START only when no run is going on. Promises: a line is wanted once
// until it comes; each sum of a run is sent before DONE.
`default_nettype none
`include "check.svh"

module bgroup #(
  parameter int SETS = 32,     /// sets of xcam, a power of two, 2 to 8192
  parameter int WAYS = 4,      /// ways of a set, a power of two, 1 to 16
  parameter int ENTRIES = 512  /// lines under way, a power of two, 2 to 8192
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  /// strap: cycles from a turn of a PE to its next one, at least 1
  input  wire logic [4:0]   cfg_turn_i,
  /// strap: the smallest A + X is wanted, not the sum of A * X
  input  wire logic         cfg_min_i,
  /// straps: times of the arrays, 12 bits each: csim/dram/bankctl_times.def
  input  wire logic [203:0] cfg_times_i,
  input  wire logic         rx_valid_i,  /// a packet has come; taken when rx_ready was high
  input  wire logic [63:0]  rx_head_i,  /// its first flit; holds until the next packet
  /// the flits that follow, the first one low; hold until rx_release
  input  wire logic [255:0] rx_body_i,
  output logic              rx_ready_o,  /// can take a packet
  output logic              rx_release_o,  /// the body of the last packet is not needed any more
  /// a packet to send; may become another one until it is taken
  output logic              tx_valid_o,
  output logic [63:0]       tx_head_o,  /// its first flit; zero while tx_valid is low
  output logic [63:0]       tx_body_o,  /// the flit that follows; zero where none does
  output logic [4:0]        tx_len_o,  /// how many follow: 0 or 1
  input  wire logic         tx_ready_i,  /// the packet is taken at this edge
  input  wire logic [1:0]   ref_tick_i,  /// a bank's refresh has become due (a pulse every tREFI)
  output logic [2:0]        cmd_o,  /// DRAM command: 0 none, 1 ACT, 2 PRE, 4 RD, 6 REF
  output logic              cmd_bank_o,  /// bank of the last command
  /// row of the last command but REF: that which is open, or is opened
  output logic [15:0]       cmd_row_o,
  output logic [2:0]        cmd_col_o,  /// column of the last RD
  input  wire logic [255:0] rdata_i,  /// data pins: CL + burst - 1 cycles after RD
  output logic              look_o,  /// a look was answered, to be counted
  output logic              look_hit_o,  /// it has hit; 0 while look is low
  output logic              look_again_o,  /// its element was asked for before; 0 while look is low
  output logic              ask_full_o,  /// a line could not be asked for, to be counted
  output logic              busy_o  /// a stream, a packet or a command is under way
);
  localparam logic [3:0] LINE = 4'd1, START = 4'd2;            // kinds of packets down
  localparam logic [3:0] WANT = 4'd1, SUM = 4'd2, DONE = 4'd3;  // and up
  localparam logic [1:0] ENTERED = 2'd1, FULL = 2'd2;           // states of an ask
  localparam int WANTED = 4;                                    // lines that wait to be sent for
  localparam int CW = $clog2(WANTED + 1);

  // ---- packets that come; a line is filled in at once, and leaves ldq after 3 edges: age
  logic [2:0] age_q;
  logic taken, start, fill;
  logic [29:0] rx_key;
  assign rx_ready_o = age_q == '0;
  assign rx_release_o = age_q == 3'd4;
  assign taken = rst_ni && rx_valid_i && rx_ready_o;
  assign fill = taken && rx_head_i[3:0] == LINE;
  assign start = taken && rx_head_i[3:0] == START;
  assign rx_key = rx_head_i[46:17];
  always_ff @(posedge clk_i)
    if (!rst_ni) age_q <= '0;
    else if (fill) age_q <= 3'd1;
    else if (age_q != '0) age_q <= rx_release_o ? '0 : age_q + 1'b1;

  // ---- the PEs
  logic [1:0] pe_busy, row_valid, row_ready, beat, turn, turn_go, look_valid, again, ask_valid, put;
  logic [1:0] sum_valid, sum_ready;
  logic [31:0] row;
  logic [59:0] look_key, ask_key;
  logic [19:0] ask_who;
  logic [63:0] sum_row, put_value;
  logic [127:0] sum_value;
  logic [255:0] line_data, beat_data;
  logic [10:0] left_who;
  logic [1:0] ask_state;
  logic line_hit;
  for (genvar k = 0; k < 2; k++) begin : g_pe
    spe i_spe (
      .clk_i, .rst_ni, .cfg_turn_i, .cfg_min_i, .start_valid_i(start && rx_head_i[49 + k]),
      .start_row_i(rx_head_i[17 + 16*k +: 16]), .busy_o(pe_busy[k]), .row_valid_o(row_valid[k]),
      .row_row_o(row[16*k +: 16]), .row_ready_i(row_ready[k]), .beat_valid_i(beat[k]),
      .beat_data_i(beat_data), .turn_valid_o(turn[k]), .turn_ready_i(turn_go[k]),
      .look_valid_o(look_valid[k]), .look_key_o(look_key[30*k +: 30]), .look_again_o(again[k]),
      .line_hit_i(line_hit), .line_data_i(line_data), .ask_valid_o(ask_valid[k]),
      .ask_key_o(ask_key[30*k +: 30]), .ask_who_o(ask_who[10*k +: 10]), .ask_state_i(ask_state),
      .put_valid_i(put[k]), .put_slot_i(left_who[9:2]), .put_value_i(put_value),
      .y_valid_o(sum_valid[k]), .y_row_o(sum_row[32*k +: 32]), .y_value_o(sum_value[64*k +: 64]),
      .y_ready_i(sum_ready[k])
    );
  end

  // ---- turns: one at a time, so that looks and asks do not meet
  logic prefer_q;
  assign turn_go = turn & (turn == 2'b11 ? 2'b01 << prefer_q : 2'b11);
  always_ff @(posedge clk_i)
    if (!rst_ni) prefer_q <= 1'b0;
    else if (turn_go != '0) prefer_q <= turn_go[0];

  // ---- lines that are here
  logic looked, again_q;
  logic [7:0] unused_who;
  logic unused_bits;
  xcam #(.SETS(SETS), .WAYS(WAYS)) i_xcam (
    .clk_i, .rst_ni, .look_valid_i(look_valid != '0),
    .look_key_i(look_valid[1] ? look_key[59:30] : look_key[29:0]), .look_who_i(8'd0),
    .fill_valid_i(fill), .fill_key_i(rx_key), .fill_data_i(rx_body_i), .clear_i(start),
    .ans_valid_o(looked), .ans_hit_o(line_hit), .ans_who_o(unused_who), .ans_data_o(line_data)
  );
  always_ff @(posedge clk_i) if (look_valid != '0) again_q <= (look_valid & again) != '0;
  assign look_o = looked;
  assign look_hit_o = looked && line_hit;
  assign look_again_o = looked && again_q;

  // ---- lines that are under way
  logic asked, left, left_there, unused_valid, unused_busy;
  logic [10:0] unused_asked;
  logic [7:0] unused_layers;
  logic [29:0] key, key_q, want_key;
  logic [CW-1:0] wanted_q;
  logic room, enters, want, want_go;
`ifdef FORMAL
  logic [41:0] f_ldq;
  logic [30*WANTED-1:0] f_words;
  logic [CW-1:0] f_count;
`endif
  assign key = ask_valid[1] ? ask_key[59:30] : ask_key[29:0];
  assign room = wanted_q + CW'(asked) < CW'(WANTED);
  ldq #(.ENTRIES(ENTRIES)) i_ldq (
    .clk_i, .rst_ni, .ask_valid_i(ask_valid != '0), .ask_key_i(key),
    .ask_who_i({ask_valid[1], ask_valid[1] ? ask_who[19:10] : ask_who[9:0]}), .ask_layer_i(3'd0),
    .ask_enter_i(room), .leave_valid_i(age_q == 3'd3), .leave_key_i(rx_key), .ans_valid_o(asked),
    .ans_state_o(ask_state), .ans_who_o(unused_asked), .left_valid_o(left),
    .left_there_o(left_there), .left_who_o(left_who), .left_layers_o(unused_layers),
    .busy_o(unused_busy)
`ifdef FORMAL
    , .f_watch_o(f_ldq)
`endif
  );
  always_ff @(posedge clk_i) if (ask_valid != '0) key_q <= key;
  assign ask_full_o = asked && ask_state == FULL;
  assign enters = asked && ask_state == ENTERED;
  fifo #(.WIDTH(30), .DEPTH(WANTED)) i_wanted (
    .clk_i, .rst_ni, .valid_i(enters), .data_i(key_q), .ready_o(unused_valid), .valid_o(want),
    .data_o(want_key), .ready_i(want_go)
`ifdef FORMAL
    , .f_words_o(f_words), .f_count_o(f_count)
`endif
  );
  always_ff @(posedge clk_i)
    if (!rst_ni) wanted_q <= '0;
    else wanted_q <= wanted_q + CW'(enters) - CW'(want_go);
  assign put = {2{left && left_there}} & (2'b01 << left_who[10]);
  assign put_value = rx_body_i[64*left_who[1:0] +: 64];

  // ---- rows of the banks: PE 0 first
  logic [1:0] can;
  logic bank, rows_busy, beat_valid, beat_bank;
  assign bank = !(row_valid[0] && can[0]);
  assign row_ready = row_valid & can & (2'b01 << bank);
  assign beat = {2{beat_valid}} & (2'b01 << beat_bank);
  logic [255:0] unused_wdata;
  logic [31:0] unused_wmask;
  logic [3:0] unused_id;
  rowctl i_rowctl (
    .clk_i, .rst_ni, .cfg_times_i, .req_valid_i(row_ready != '0), .req_bank_i(bank),
    .req_row_i(bank ? row[31:16] : row[15:0]), .req_col_i(3'd0), .req_more_i(3'd7), .req_we_i(1'b0),
    .req_id_i(4'd0), .req_wdata_i(256'd0), .req_wmask_i(32'd0), .req_ready_o(can),
    .rsp_valid_o(beat_valid), .rsp_bank_o(beat_bank), .rsp_id_o(unused_id),
    .rsp_data_o(beat_data), .ref_tick_i, .cmd_o, .cmd_bank_o, .cmd_row_o, .cmd_col_o,
    .wdata_o(unused_wdata), .wmask_o(unused_wmask), .rdata_i, .busy_o(rows_busy)
  );

  // ---- packets that go
  logic runs_q, done, tx_sum;
  logic [31:0] tx_row;
  assign done = runs_q && pe_busy == '0;
  assign tx_valid_o = want || sum_valid != '0 || done;
  assign tx_sum = !want && sum_valid != '0;
  assign tx_row = sum_valid[0] ? sum_row[31:0] : sum_row[63:32];
  assign tx_head_o = want ? {17'd0, want_key, 13'd0, WANT} :
                     tx_sum ? {15'd0, tx_row, 5'd1, 8'd0, SUM} : done ? 64'(DONE) : '0;
  assign tx_body_o = tx_sum ? sum_valid[0] ? sum_value[63:0] : sum_value[127:64] : '0;
  assign tx_len_o = 5'(tx_sum);
  assign want_go = want && tx_ready_i;
  assign sum_ready = {2{!want && tx_ready_i}} & {sum_valid == 2'b10, sum_valid[0]};
  always_ff @(posedge clk_i)
    if (!rst_ni) runs_q <= 1'b0;
    else if (start) runs_q <= 1'b1;
    else if (done && !want && tx_ready_i) runs_q <= 1'b0;
  assign busy_o = runs_q || age_q != '0 || rows_busy;

  assign unused_bits = ^{rx_head_i[63:51], rx_head_i[16:4], unused_who, unused_asked, unused_layers,
                         unused_valid, unused_busy, unused_wdata, unused_wmask, unused_id};

  always @(posedge clk_i) if (rst_ni) begin
    `ASM(start_while_no_run_goes_on, !start || !runs_q)
    `CHK(one_look, look_valid != 2'b11)
    `CHK(one_ask, ask_valid != 2'b11)
    `CHK(room_for_what_is_wanted, !enters || wanted_q < CW'(WANTED))
    `CHK(no_sum_when_done, !done || sum_valid == '0)
  end
  `RESET_FIRST
`ifdef FORMAL
  `include "bgroup_proof.svh"
`else
  always @(posedge clk_i) if (rst_ni) `CHK(nothing_is_wanted_when_done, !done || !want)
`endif
endmodule
