// SPDX-License-Identifier: Apache-2.0
// nbu_completions: collects the tags of completed packets and shares the way up.
//
//   valu, lsux, regmove -> [ queue of tags ] -> DONE of up to seven --\
//                                  lsux up, regmove up ----------------> tx
//
// valu can't wait: the others, and new work for valu, stop while half the queue is full.
`default_nettype none
`include "check.svh"

module nbu_completions #(
  parameter int LANES = 32  /// lanes, an even number, 4 to 32
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                valu_valid_i,  /// valu completed an instruction; always taken
  input  wire logic [7:0]          valu_tag_i,  /// its tag
  output logic                     valu_room_o,  /// new work may enter valu
  input  wire logic                lsux_valid_i,  /// lsux completed a packet; held until lsux_ready
  input  wire logic [7:0]          lsux_tag_i,  /// its tag
  output logic                     lsux_ready_o,  /// taken at this edge
  /// regmove completed a packet; held until regm_ready
  input  wire logic                regm_valid_i,
  input  wire logic [7:0]          regm_tag_i,  /// its tag
  output logic                     regm_ready_o,  /// taken at this edge
  output logic                     ret_valid_o,  /// record of the last tag
  output logic [7:0]               ret_tag_o,  /// record: the tag
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
  output logic                     busy_o  /// tags wait, or ret_valid_o is high
);
  localparam int DEPTH = 16;

  `RANGE(LANES_is_not_an_even_number_from_4_to_32, LANES >= 4 && LANES <= 32 && LANES % 2 == 0)

  // ---- tags that come
  logic [4:0] count_q;
  logic room, push;
  logic [1:0] turn;
  logic [7:0] tag;

  assign room = count_q <= 5'd8;
  assign valu_room_o = room;
  rr_arb #(.N(2)) i_in (
    .clk_i, .rst_ni, .req_i({regm_valid_i, lsux_valid_i} & {2{room && !valu_valid_i}}),
    .next_i(1'b1), .gnt_o(turn)
  );
  assign lsux_ready_o = turn[0];
  assign regm_ready_o = turn[1];
  assign push = valu_valid_i || turn != '0;
  assign tag = valu_valid_i ? valu_tag_i : turn[0] ? lsux_tag_i : regm_tag_i;

  // ---- tags that go, seven at most
  logic [8*DEPTH-1:0] tags_q;  // the oldest lowest
  logic [2:0] go, some;        // completions, lsux, regmove
  logic [3:0] batch;
  logic [4:0] kept;
  assign some = {regm_up_valid_i, lsux_up_valid_i, count_q != '0};
  rr_arb #(.N(3)) i_out (
    .clk_i, .rst_ni, .req_i(some & {3{tx_ready_i}}), .next_i(1'b1), .gnt_o(go)
  );
  assign batch = !go[0] ? 4'd0 : count_q > 5'd7 ? 4'd7 : count_q[3:0];
  assign kept = count_q - {1'b0, batch};
  assign lsux_up_ready_o = go[1];
  assign regm_up_ready_o = go[2];

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      count_q <= '0;
      ret_valid_o <= 1'b0;
    end else begin
      count_q <= kept + {4'd0, push};
      ret_valid_o <= push;
    end

  always_ff @(posedge clk_i)
    if (push || go[0]) begin
      tags_q <= tags_q >> {batch, 3'd0};
      if (push) begin
        tags_q[{kept[3:0], 3'd0} +: 8] <= tag;
        ret_tag_o <= tag;
      end
    end

  logic [63:0] done_head;
  always_comb begin
    done_head = '0;
    done_head[tsv_pkg::UP_ANY_KIND_LSB +: 4] = tsv_pkg::UP_DONE;
    done_head[tsv_pkg::UP_DONE_COUNT_LSB +: 4] = batch;
    for (int i = 0; i < 7; i++)
      if (5'(i) < count_q) done_head[tsv_pkg::UP_DONE_TAGS_LSB + 8*i +: 8] = tags_q[8*i +: 8];
  end

  assign tx_valid_o = go != '0;
  assign tx_head_o = go[0] ? done_head : go[1] ? lsux_up_head_i : regm_up_head_i;
  always_comb begin
    tx_body_o = '0;
    if (go[2]) tx_body_o = 1024'(regm_up_body_i);
    else if (go[1]) tx_body_o[255:0] = lsux_up_body_i;
  end
  assign tx_len_o = go[0] ? 5'd0 : go[1] ? {2'd0, lsux_up_len_i} : 5'(regm_up_len_i);
  assign busy_o = count_q != '0 || ret_valid_o;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(room_for_every_tag, !push || kept < 5'(DEPTH))
    `COV(seven_at_once, go[0] && batch == 4'd7)
  end

`ifdef FORMAL
  // valu brings a tag six edges after it was let in.
  logic [5:0] f_inside;
  (* anyseq *) logic f_enter;
  always @(posedge clk_i)
    if (!rst_ni) f_inside <= '0;
    else begin
      f_inside <= {f_inside[4:0], f_enter && valu_room_o};
      assume (valu_valid_i == f_inside[5]);
    end
`endif
endmodule
