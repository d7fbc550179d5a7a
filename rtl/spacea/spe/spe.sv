// SPDX-License-Identifier: Apache-2.0
// spe: a processing element of SpaceA at a bank of the matrix. Rows of the bank come into a queue;
// turn by turn their elements are multiplied with elements of X, or ask for them.
//
//   rows -> [ spe_queue: words, X ] -> turn -> look -> line -> use -> [ fma64 ] -> sums, y
//           [ spe_place, 8 times  ] <- put             `-> ask
//                 edge               1       2      3       3, 5        8
//
// docs/blocks/spe.md has the rules, and what it relies on. Promises: each element of a row is used
// once before the row leaves its place.
`default_nettype none
`include "check.svh"

module spe (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic [4:0]   cfg_turn_i,  /// strap: cycles from a turn to the next one, at least 1
  /// strap: the smallest A + X is wanted, not the sum of A * X
  input  wire logic         cfg_min_i,
  input  wire logic         start_valid_i,  /// a stream begins; only while busy is low
  input  wire logic [15:0]  start_row_i,  /// its first row in the bank
  output logic              busy_o,  /// a stream is being worked on
  output logic              row_valid_o,  /// a row is wanted; may fall before it is taken
  output logic [15:0]       row_row_o,  /// which one
  input  wire logic         row_ready_i,  /// it is taken at this edge
  /// 32 bytes of the oldest row that was taken and is not complete
  input  wire logic         beat_valid_i,
  input  wire logic [255:0] beat_data_i,  /// these bytes, the lowest address lowest
  /// the next element can have a turn; may fall before it is taken
  output logic              turn_valid_o,
  input  wire logic         turn_ready_i,  /// the turn begins at this edge
  output logic              look_valid_o,  /// a look for the line of an element
  /// which line: the column of the element of the last turn, without its two lowest bits
  output logic [29:0]       look_key_o,
  output logic              look_again_o,  /// the element of the last turn was asked for before
  input  wire logic         line_hit_i,  /// the line of the look before the last edge was there
  input  wire logic [255:0] line_data_i,  /// its four elements, the first one lowest
  output logic              ask_valid_o,  /// an element needs a line that was not there
  output logic [29:0]       ask_key_o,  /// which line; holds its value while ask_valid is low
  /// word of the line 1:0, slot of the element 9:2; holds its value while ask_valid is low
  output logic [9:0]        ask_who_o,
  /// of the ask before the last edge: 0 the line is under way, 1 it is now, 2 it is not
  input  wire logic [1:0]   ask_state_i,
  /// the element of X that the first one who asked for a line waits for
  input  wire logic         put_valid_i,
  input  wire logic [7:0]   put_slot_i,  /// slot of that one
  input  wire logic [63:0]  put_value_i,  /// the element of X
  output logic              y_valid_o,  /// the sum of a matrix row
  output logic [31:0]       y_row_o,  /// which row; holds its value while y_valid is low
  output logic [63:0]       y_value_o,  /// the sum; holds its value while y_valid is low
  input  wire logic         y_ready_i  /// it is taken at this edge
);
  localparam int LAST = 167;  // slot
  localparam logic [1:0] SUM = 2'd1, TERM = 2'd2, OF_Y = 2'd3;  // what a result is
  localparam logic [63:0] INFINITY = 64'h7ff0_0000_0000_0000;
  localparam logic [1:0] FMA = 2'd0, ADD = 2'd1, MIN = 2'd3;

  function automatic [20:0] element(input valid, input [4:0] n);  // as one bit
    for (int k = 0; k < 21; k++) element[k] = valid && n == 5'(k);
  endfunction

  // ---- rows and beats
  logic ended_q;
  logic [15:0] next_q;
  logic [2:0] head_q, tail_q, beat_q;
  logic [3:0] full_q;
  logic [1:0] coming_q;
  logic start, beat, taken, complete, fills, leaves, ends;
  assign start = rst_ni && start_valid_i && !busy_o;
  assign beat = rst_ni && beat_valid_i;
  assign row_valid_o = busy_o && !ended_q && !coming_q[1] && full_q + 4'(coming_q) < 4'd8;
  assign row_row_o = next_q;
  assign taken = row_valid_o && row_ready_i;
  assign complete = beat && beat_q == 3'd7;
  assign fills = complete && !ended_q;
  assign ends = ended_q && coming_q == '0 && full_q == '0;
  always_ff @(posedge clk_i)
    if (!rst_ni || start) begin
      busy_o <= start;
      ended_q <= 1'b0;
      head_q <= '0;
      tail_q <= '0;
      beat_q <= '0;
      full_q <= '0;
      coming_q <= '0;
    end else if (busy_o) begin
      if (ends && !open_q && !y_valid_o) busy_o <= 1'b0;
      if (beat && beat_q == '0 && beat_data_i[31:0] == '1) ended_q <= 1'b1;
      beat_q <= beat_q + 3'(beat);
      coming_q <= coming_q + 2'(taken) - 2'(complete);
      full_q <= full_q + 4'(fills) - 4'(leaves);
      head_q <= head_q + 3'(leaves);
      tail_q <= tail_q + 3'(fills);
    end
  always_ff @(posedge clk_i)
    if (start) next_q <= start_row_i;
    else if (rst_ni && taken) next_q <= next_q + 1'b1;

  // ---- the scan: a slot is an element 7:3 of a place 2:0
  logic [7:0] at_q;
  logic [4:0] wait_q;
  logic [8:0] kept_q, keeps;
  logic has_work, turn;
  logic [2:0] ahead;  // places in front of that of the slot
  logic [7:0] at_asked, at_ready, at_done;  // in each place
  assign ahead = at_q[2:0] - head_q;
  assign has_work = busy_o && {1'b0, ahead} < full_q && !at_done[at_q[2:0]];
  assign turn_valid_o = has_work && wait_q == '0 && !kept_q[2];
  assign turn = rst_ni && turn_valid_o && turn_ready_i;
  assign keeps = kept_q | {turn && cfg_min_i, 5'd0, turn, 2'd0};
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      at_q <= '0;
      wait_q <= '0;
      kept_q <= '0;
    end else begin
      kept_q <= keeps >> 1;
      if (start) begin
        at_q <= '0;
        wait_q <= '0;
      end else begin
        if (busy_o && (turn || !has_work)) at_q <= at_q == 8'(LAST) ? '0 : at_q + 1'b1;
        if (turn) wait_q <= cfg_turn_i - 1'b1;
        else if (wait_q != '0) wait_q <= wait_q - 1'b1;
      end
    end

  // ---- a turn: look, then use or ask
  logic s1_valid_q, s1_ready_q, s2_valid_q, s2_ready_q, s4_valid_q;
  logic [7:0] s1_slot_q, s2_slot_q, s4_slot_q;
  logic [31:0] column, s2_column_q;
  logic [63:0] value, s2_value_q, x, s2_x_q, line;
  logic uses, asks;
  logic [7:0] now_ready;  // the element of the second stage, in each place
  spe_queue i_queue (
    .clk_i, .beat_valid_i(beat), .beat_row_i({tail_q, beat_q}), .beat_data_i,
    .put_valid_i(rst_ni && put_valid_i), .put_slot_i, .put_value_i, .read_i(turn), .slot_i(at_q),
    .column_o(column), .value_o(value), .x_o(x)
`ifdef FORMAL
    , .f_slot_i(f_slot), .f_state_o(f_queue)
`endif
  );
  assign look_valid_o = s1_valid_q && !s1_ready_q;
  assign look_key_o = column[31:2];
  assign line = line_data_i[64*s2_column_q[1:0] +: 64];
  assign uses = rst_ni && s2_valid_q && (s2_ready_q || line_hit_i);
  assign asks = rst_ni && s2_valid_q && !s2_ready_q && !line_hit_i && !now_ready[s2_slot_q[2:0]];
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
      ask_valid_o <= 1'b0;
      s4_valid_q <= 1'b0;
    end else begin
      s1_valid_q <= turn;
      s2_valid_q <= s1_valid_q;
      ask_valid_o <= asks;
      s4_valid_q <= ask_valid_o;
    end
  always_ff @(posedge clk_i) begin
    if (turn) begin
      s1_slot_q <= at_q;
      s1_ready_q <= at_ready[at_q[2:0]];
      look_again_o <= at_asked[at_q[2:0]];
    end
    if (s1_valid_q) begin
      s2_slot_q <= s1_slot_q;
      s2_ready_q <= s1_ready_q;
      s2_column_q <= column;
      s2_value_q <= value;
      s2_x_q <= x;
    end
    if (asks) begin
      ask_key_o <= s2_column_q[31:2];
      ask_who_o <= {s2_slot_q, s2_column_q[1:0]};
    end
    if (ask_valid_o) s4_slot_q <= ask_who_o[9:2];
  end

  // ---- places
  logic [20:0] beat_of, pad_of, put_of, use_of, answer_of, at_of;
  logic [7:0] is_done;
  logic [8*32-1:0] rows;
  logic [8*64-1:0] sums;
  logic [63:0] sum;
  for (genvar k = 0; k < 21; k++) begin : g_element
    assign beat_of[k] = beat && beat_q == 3'((1 + 3 * k) / 8);
    assign pad_of[k] = beat_data_i[32*((1 + 3 * k) % 8) +: 32] == '1;
  end
  assign put_of = element(rst_ni && put_valid_i, put_slot_i[7:3]);
  assign use_of = element(s2_valid_q, s2_slot_q[7:3]);
  assign answer_of = element(rst_ni && s4_valid_q, s4_slot_q[7:3]);
  assign at_of = element(1'b1, at_q[7:3]);
  for (genvar p = 0; p < 8; p++) begin : g_place
    logic [20:0] asked, ready, done;
    logic full_now, has_d;
    assign full_now = fills && tail_q == 3'(p);
    assign has_d = tag_q[29:25] == {SUM, 3'(p)};
    spe_place i_place (
      .clk_i, .beat_i({21{tail_q == 3'(p)}} & beat_of), .pad_i(pad_of),
      .row_valid_i(beat && beat_q == '0 && tail_q == 3'(p)), .row_i(beat_data_i[31:0]),
      .row_o(rows[32*p +: 32]), .put_i({21{put_slot_i[2:0] == 3'(p)}} & put_of),
      .use_i({21{uses && s2_slot_q[2:0] == 3'(p)}} & use_of),
      .answer_i({21{s4_slot_q[2:0] == 3'(p)}} & answer_of), .asked_i(ask_state_i != 2'd2),
      .sum_valid_i(full_now || has_d), .sum_i(has_d ? d : {64{cfg_min_i}} & INFINITY),
      .sum_o(sums[64*p +: 64]), .asked_o(asked), .ready_o(ready), .done_o(done)
    );
    assign at_asked[p] = (asked & at_of) != '0;
    assign at_ready[p] = (ready & at_of) != '0;
    assign at_done[p] = (done & at_of) != '0;
    assign now_ready[p] = (ready & use_of) != '0;
    assign is_done[p] = done == '1;
  end

  // ---- fma64, and what its results are: tags of six operations, kind and place
  logic [29:0] tag_q;
  logic [4:0] tag;
  logic [63:0] d, a, b;
  logic [1:0] op;
  logic [2:0] sum_of;
  logic again, adds, d_valid;
  assign again = tag_q[29:28] == TERM;
  assign sum_of = again ? tag_q[27:25] : uses ? s2_slot_q[2:0] : head_q;
  assign sum = sums[64*sum_of +: 64];
  assign a = again ? d : uses ? s2_value_q : of_y_q;
  assign b = again || !uses ? sum : s2_ready_q ? s2_x_q : line;
  assign op = again ? MIN : uses ? (cfg_min_i ? ADD : FMA) : cfg_min_i ? MIN : ADD;
  assign tag = again ? {SUM, tag_q[27:25]} :
               uses  ? {cfg_min_i ? TERM : SUM, s2_slot_q[2:0]} : {{2{adds}} & OF_Y, head_q};
  fma64 i_fma (
    .clk_i, .rst_ni, .valid_i(again || uses || adds), .op_i(op), .a_i(a), .b_i(b), .c_i(sum),
    .valid_o(d_valid), .d_o(d)
  );
  always_ff @(posedge clk_i)
    if (!rst_ni) tag_q <= '0;
    else tag_q <= {tag_q[24:0], tag};

  // ---- Y: sums of places of the same row
  logic open_q, adding_q, in_fma, finished, opens, same, sends;
  logic [31:0] front, y_q;
  logic [63:0] of_y_q;
  always_comb begin
    in_fma = 1'b0;
    for (int i = 0; i < 6; i++)
      if ((tag_q[5*i+3 +: 2] == SUM || tag_q[5*i+3 +: 2] == TERM) && tag_q[5*i +: 3] == head_q)
        in_fma = 1'b1;
  end
  assign front = rows[32*head_q +: 32];
  assign finished = full_q != '0 && is_done[head_q] && !in_fma;
  assign same = front == y_q;
  assign opens = finished && !open_q;
  assign adds = finished && open_q && !adding_q && same && !kept_q[0];
  assign leaves = opens || adds;
  assign sends = open_q && !adding_q && (full_q != '0 ? !same : ends) && (!y_valid_o || y_ready_i);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      open_q <= 1'b0;
      adding_q <= 1'b0;
      y_valid_o <= 1'b0;
    end else begin
      open_q <= open_q && !sends && !start || opens;
      adding_q <= adds || adding_q && tag_q[29:28] != OF_Y;
      y_valid_o <= sends || y_valid_o && !y_ready_i;
    end
  always_ff @(posedge clk_i) begin
    if (opens) y_q <= front;
    if (opens) of_y_q <= sums[64*head_q +: 64];
    else if (tag_q[29:28] == OF_Y) of_y_q <= d;
    if (rst_ni && sends) begin
      y_row_o <= y_q;
      y_value_o <= of_y_q;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    `CHK(fma64_has_what_its_tags_say, d_valid == (tag_q[29:28] != '0))
    `CHK(one_operation_an_edge, 2'(again) + 2'(uses) + 2'(adds) <= 2'd1)
    `CHK(places_in_range, 5'(full_q) + 5'(coming_q) <= 5'd8)
    `ASM(beats_of_rows_that_were_taken, !beat_valid_i || coming_q != '0)
  end

  `RESET_FIRST
`ifdef FORMAL
  `include "spe_proof.svh"
`endif
endmodule
