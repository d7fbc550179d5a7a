// SPDX-License-Identifier: Apache-2.0
// nbu_completions: tells order and the base die what is complete, and shares the way up.
//
//   lsux, SYNC of order -> [ queue of tags ] -> DONE of up to seven --\
//                               lsux up, regmove up -------------------> tx
//
// Inside the unit a packet goes by the number of its entry in order; its tag is looked up here.
`default_nettype none
`include "check.svh"

module nbu_completions #(
  parameter int LANES = 32  /// lanes, an even number, 4 to 32
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic [255:0]        tags_i,  /// tags of the entries of order, 8 bits each
  input  wire logic [31:0]         answers_i,  /// entries whose end the base die is told
  input  wire logic                begin_valid_i,  /// decode hands on a packet at this edge
  input  wire logic [4:0]          begin_n_i,  /// its entry
  input  wire logic                valu_valid_i,  /// valu completed an instruction
  input  wire logic [4:0]          valu_n_i,  /// its entry
  input  wire logic                lsux_valid_i,  /// lsux completed a packet; held until lsux_ready
  input  wire logic [4:0]          lsux_n_i,  /// its entry
  output logic                     lsux_ready_o,  /// taken at this edge
  input  wire logic                regm_valid_i,  /// regmove completed a packet; always taken
  input  wire logic [4:0]          regm_n_i,  /// its entry
  input  wire logic                sync_valid_i,  /// all before a SYNC is complete; held
  input  wire logic [4:0]          sync_n_i,  /// its entry
  output logic                     sync_ready_o,  /// taken at this edge
  output logic                     up_done_o,  /// an answer of lsux or regmove goes up at this edge
  output logic [4:0]               up_n_o,  /// entry of the packet that it answers
  /// record: packets that were completed at the last edge: by valu, lsux, regmove
  output logic [2:0]               ret_valid_o,
  output logic [23:0]              ret_tag_o,  /// record: their tags, 8 bits each
  output logic                     begin_valid_o,  /// record: a packet began at the last edge
  output logic [7:0]               begin_tag_o,  /// record: its tag
  input  wire logic                lsux_up_valid_i,  /// a packet of lsux; held until lsux_up_ready
  input  wire logic [63:0]         lsux_up_head_i,  /// its head
  input  wire logic [255:0]        lsux_up_body_i,  /// its data flits
  input  wire logic [2:0]          lsux_up_len_i,  /// how many: 0 to 4
  output logic                     lsux_up_ready_o,  /// taken at this edge
  /// a packet of regmove; held until regm_up_ready
  input  wire logic                regm_up_valid_i,
  input  wire logic [63:0]         regm_up_head_i,  /// its head
  input  wire logic [LANES*32-1:0] regm_up_body_i,  /// its data flits
  input  wire logic [$clog2(LANES)-1:0] regm_up_len_i,  /// how many: 0 to 16
  output logic                     regm_up_ready_o,  /// taken at this edge
  output logic                     tx_valid_o,  /// a packet for the TSVs; only when tx_ready
  output logic [63:0]              tx_head_o,  /// its head
  output logic [1023:0]            tx_body_o,  /// its flits
  output logic [4:0]               tx_len_o,  /// how many: 0 to 16
  input  wire logic                tx_ready_i,  /// can take a packet
  output logic                     busy_o  /// tags wait, or a record is shown
);
  localparam int DEPTH = 8;
  localparam int TAG = tsv_pkg::UP_ANY_TAG_LSB;

  `RANGE(LANES_is_not_an_even_number_from_4_to_32, LANES >= 4 && LANES <= 32 && LANES % 2 == 0)

  // ---- tags that come
  logic [3:0] count_q;
  logic room, from_lsux, push;
  logic [7:0] lsux_tag, tag;

  assign room = count_q != 4'(DEPTH);
  assign lsux_ready_o = room || !answers_i[lsux_n_i];
  assign from_lsux = room && lsux_valid_i && answers_i[lsux_n_i];
  assign sync_ready_o = room && !from_lsux;
  assign push = from_lsux || sync_ready_o && sync_valid_i;
  assign lsux_tag = tags_i[{lsux_n_i, 3'd0} +: 8];
  assign tag = from_lsux ? lsux_tag : tags_i[{sync_n_i, 3'd0} +: 8];

  // ---- tags that go, seven at most
  logic [8*DEPTH-1:0] tags_q;  // the oldest lowest
  logic [2:0] go, some;        // completions, lsux, regmove
  logic [3:0] batch, kept;
  logic [7:0] up_number;
  assign some = {regm_up_valid_i, lsux_up_valid_i, count_q != '0};
  rr_arb #(.N(3)) i_out (
    .clk_i, .rst_ni, .req_i(some & {3{tx_ready_i}}), .next_i(1'b1), .gnt_o(go)
  );
  assign batch = !go[0] ? 4'd0 : count_q[3] ? 4'd7 : count_q;
  assign kept = count_q - batch;
  assign lsux_up_ready_o = go[1];
  assign regm_up_ready_o = go[2];
  assign up_done_o = go[1] || go[2];
  assign up_number = go[1] ? lsux_up_head_i[TAG +: 8] : regm_up_head_i[TAG +: 8];
  assign up_n_o = up_number[4:0];

  always_ff @(posedge clk_i)
    if (!rst_ni) count_q <= '0;
    else count_q <= kept + {3'd0, push};

  always_ff @(posedge clk_i)
    if (push || go[0]) begin
      tags_q <= tags_q >> {batch, 3'd0};
      if (push) tags_q[{kept[2:0], 3'd0} +: 8] <= tag;
    end

  // ---- records
  logic [2:0] ret;
  logic [23:0] ret_tag;
  assign ret = {regm_valid_i, lsux_valid_i && lsux_ready_o, valu_valid_i};
  assign ret_tag = {tags_i[{regm_n_i, 3'd0} +: 8], lsux_tag, tags_i[{valu_n_i, 3'd0} +: 8]};
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      ret_valid_o <= '0;
      begin_valid_o <= 1'b0;
    end else begin
      ret_valid_o <= ret;
      begin_valid_o <= begin_valid_i;
    end
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 3; i++) if (ret[i]) ret_tag_o[8*i +: 8] <= ret_tag[8*i +: 8];
    if (begin_valid_i) begin_tag_o <= tags_i[{begin_n_i, 3'd0} +: 8];
  end

  logic [63:0] done_head, up_head;
  always_comb begin
    done_head = '0;
    done_head[tsv_pkg::UP_ANY_KIND_LSB +: 4] = tsv_pkg::UP_DONE;
    done_head[tsv_pkg::UP_DONE_COUNT_LSB +: 4] = batch;
    for (int i = 0; i < 7; i++)
      if (4'(i) < count_q) done_head[tsv_pkg::UP_DONE_TAGS_LSB + 8*i +: 8] = tags_q[8*i +: 8];
    up_head = go[1] ? lsux_up_head_i : regm_up_head_i;
    up_head[TAG +: 8] = tags_i[{up_n_o, 3'd0} +: 8];
  end

  assign tx_valid_o = go != '0;
  assign tx_head_o = go[0] ? done_head : up_head;
  always_comb begin
    tx_body_o = '0;
    if (go[2]) tx_body_o = 1024'(regm_up_body_i);
    else if (go[1]) tx_body_o[255:0] = lsux_up_body_i;
  end
  assign tx_len_o = go[0] ? 5'd0 : go[1] ? {2'd0, lsux_up_len_i} : 5'(regm_up_len_i);
  assign busy_o = count_q != '0 || ret_valid_o != '0 || begin_valid_o;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(up_heads_have_numbers, !up_done_o || up_number < 8'd32)
    `CHK(count_in_range, count_q <= 4'(DEPTH))
    `CHK(room_for_every_tag, !push || kept < 4'(DEPTH))
    `CHK(one_tag_at_an_edge, !(from_lsux && sync_valid_i && sync_ready_o))
    `COV(seven_at_once, go[0] && batch == 4'd7)
    `COV(lsux_waits_for_the_queue, lsux_valid_i && !lsux_ready_o)
  end
endmodule
