// SPDX-License-Identifier: Apache-2.0
// opc: four operand collectors over the four banks of the register file.
//
//   valid/ready -> [ collectors: control ] -> one grant a bank -> r_en/r_row ..2 edges.. r_data
//                  [ slots a, b, c      ] <-----------------------------------------------'
//                          '-> round robin -> [ x: the beat that goes to its unit ]
//
// docs/blocks/opc.md has the rules. Four edges from valid to x without bank conflicts; one beat a
// cycle. Relies on: units take what is offered sooner or later. Promises: every operand is read
// once a beat, instructions for lsux leave in order, nobody starves.
`default_nettype none
`include "check.svh"

module opc #(
  parameter int LANES = 32  /// lanes of a register
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,
  input  wire logic [1:0]          unit_i,
  input  wire logic [6:0]          op_i,
  input  wire logic [4:0]          typ_i,
  input  wire logic [4:0]          typ2_i,
  input  wire logic [4:0]          fn_i,
  input  wire logic                ftz_i,
  input  wire logic                sat_i,
  input  wire logic [6:0]          d_i,
  input  wire logic [6:0]          a_i,
  input  wire logic [6:0]          b_i,
  input  wire logic [6:0]          c_i,
  input  wire logic [2:0]          use_i,
  input  wire logic [1:0]          imm_at_i,
  input  wire logic [31:0]         imm_i,
  input  wire logic [1:0]          beats_i,
  input  wire logic                hi_first_i,
  input  wire logic [1:0]          a_mode_i,
  input  wire logic [1:0]          b_mode_i,
  input  wire logic [1:0]          c_mode_i,
  input  wire logic [LANES-1:0]    mask_i,
  input  wire logic [LANES-1:0]    pred_i,
  input  wire logic [7:0]          tag_i,
  output logic                     ready_o,
  output logic                     r0_en_o,
  output logic [4:0]               r0_row_o,
  output logic                     r1_en_o,
  output logic [4:0]               r1_row_o,
  output logic                     r2_en_o,
  output logic [4:0]               r2_row_o,
  output logic                     r3_en_o,
  output logic [4:0]               r3_row_o,
  input  wire logic [LANES*32-1:0] r0_data_i,
  input  wire logic [LANES*32-1:0] r1_data_i,
  input  wire logic [LANES*32-1:0] r2_data_i,
  input  wire logic [LANES*32-1:0] r3_data_i,
  output logic [2:0]               x_valid_o,
  input  wire logic [2:0]          x_ready_i,
  output logic [6:0]               x_op_o,
  output logic [4:0]               x_typ_o,
  output logic [4:0]               x_typ2_o,
  output logic [4:0]               x_fn_o,
  output logic                     x_ftz_o,
  output logic                     x_sat_o,
  output logic [7:0]               x_lut_o,
  output logic [1:0]               x_beat_o,
  output logic                     x_last_o,
  output logic [6:0]               x_dst_o,
  output logic [7:0]               x_tag_o,
  output logic [LANES-1:0]         x_mask_o,
  output logic [LANES-1:0]         x_pred_o,
  output logic [LANES*32-1:0]      x_a_o,
  output logic [LANES*32-1:0]      x_b_o,
  output logic [LANES*32-1:0]      x_c_o,
  output logic                     busy_o
);
  localparam int N = 4;  // collectors, and banks
  localparam logic [1:0] UnitLsux = 2'd1;

`ifdef FORMAL
  logic [39*N-1:0] f_state;  // of the collectors: hi_first, beats, use, modes, regs, have, asked
  logic [12*N-1:0] f_here;
  logic [4*N-1:0] f_after;   // turns of the banks, and of x
  logic [N-1:0] f_turns;
  logic [2*N-1:0] f_words;   // order of lsux
  logic [2:0] f_count;
`endif

  // ---- taking: the free collector with the lowest number
  logic [N-1:0] valid, complete, last, single, take, go;
  logic [N-1:0] free;
  logic [4*N-1:0] ask;
  logic [20*N-1:0] ask_row;
  logic [8*N-1:0] ask_opd;
  logic [4*N-1:0] gnt;
  logic [3*N-1:0] store, uses;
  logic [2*N-1:0] beat, word;

  assign free = ~valid;
  assign ready_o = free != '0;
  assign take = free & (~free + 1'b1) & {N{valid_i}};

  for (genvar i = 0; i < N; i++) begin : g_collector
    opc_collector i_collector (
      .clk_i, .rst_ni, .take_i(take[i]), .regs_i({c_i, b_i, a_i}),
      .modes_i({c_mode_i, b_mode_i, a_mode_i}), .use_i, .beats_i, .hi_first_i,
      .ask_o(ask[4*i +: 4]), .ask_row_o(ask_row[20*i +: 20]), .ask_opd_o(ask_opd[8*i +: 8]),
      .gnt_i(gnt[4*i +: 4]), .store_i(store[3*i +: 3]), .go_i(go[i]),
      .valid_o(valid[i]), .complete_o(complete[i]), .use_o(uses[3*i +: 3]),
      .beat_o(beat[2*i +: 2]), .word_o(word[2*i +: 2]), .last_o(last[i]), .single_o(single[i])
`ifdef FORMAL
      , .f_state_o(f_state[39*i +: 39]), .f_here_o(f_here[12*i +: 12])
`endif
    );
  end

  // what a collector carries along; read at dispatch
  logic [6:0] op_q[0:N-1], d_q[0:N-1];
  logic [4:0] typ_q[0:N-1], typ2_q[0:N-1], fn_q[0:N-1];
  logic [7:0] tag_q[0:N-1];
  logic [LANES-1:0] mask_q[0:N-1], pred_q[0:N-1];
  logic [31:0] imm_q[0:N-1];
  logic [1:0] unit_q[0:N-1], imm_at_q[0:N-1], flags_q[0:N-1];
  logic [5:0] modes_q[0:N-1];
  logic [1:0] slot;  // number of the collector that takes
  assign slot = {take[3] | take[2], take[3] | take[1]};
  always_ff @(posedge clk_i)
    if (take != '0) begin
      op_q[slot] <= op_i;
      d_q[slot] <= d_i;
      typ_q[slot] <= typ_i;
      typ2_q[slot] <= typ2_i;
      fn_q[slot] <= fn_i;
      tag_q[slot] <= tag_i;
      mask_q[slot] <= mask_i;
      pred_q[slot] <= pred_i;
      imm_q[slot] <= imm_i;
      unit_q[slot] <= unit_i;
      imm_at_q[slot] <= imm_at_i;
      flags_q[slot] <= {sat_i, ftz_i};
      modes_q[slot] <= {c_mode_i, b_mode_i, a_mode_i};
    end

  // ---- collecting: one grant a bank; who asked travels beside the read
  logic [3:0] en_q;
  logic [19:0] row_q;
  logic [15:0] who1_q, who2_q;  // four bits a bank: collector 3:2, operand 1:0
  logic [3:0] there_q;
  for (genvar b = 0; b < 4; b++) begin : g_bank
    logic [N-1:0] req, grant;
    logic [1:0] from, opd;
    logic [4:0] row;
    assign req = {ask[12+b], ask[8+b], ask[4+b], ask[b]};
    rr_arb #(.N(N)) i_arb (.clk_i, .rst_ni, .req_i(req), .next_i(1'b1), .gnt_o(grant)
`ifdef FORMAL
      , .f_after_o(f_after[4*b +: 4])
`endif
    );
    assign {gnt[12+b], gnt[8+b], gnt[4+b], gnt[b]} = grant;
    assign from = {grant[3] | grant[2], grant[3] | grant[1]};
    assign row = {5{grant[0]}} & ask_row[5*b +: 5] | {5{grant[1]}} & ask_row[20+5*b +: 5] |
                 {5{grant[2]}} & ask_row[40+5*b +: 5] | {5{grant[3]}} & ask_row[60+5*b +: 5];
    assign opd = {2{grant[0]}} & ask_opd[2*b +: 2] | {2{grant[1]}} & ask_opd[8+2*b +: 2] |
                 {2{grant[2]}} & ask_opd[16+2*b +: 2] | {2{grant[3]}} & ask_opd[24+2*b +: 2];

    always_ff @(posedge clk_i)
      if (!rst_ni) begin
        en_q[b] <= 1'b0;
        there_q[b] <= 1'b0;
      end else begin
        en_q[b] <= req != '0;
        there_q[b] <= en_q[b];
      end
    always_ff @(posedge clk_i) begin
      if (req != '0) begin
        row_q[5*b +: 5] <= row;
        who1_q[4*b +: 4] <= {from, opd};
      end
      if (en_q[b]) who2_q[4*b +: 4] <= who1_q[4*b +: 4];
    end
  end
  for (genvar i = 0; i < N; i++) begin : g_store
    for (genvar x = 0; x < 3; x++) begin : g_operand
      assign store[3*i + x] = there_q[0] && who2_q[3:0] == {2'(i), 2'(x)} ||
                              there_q[1] && who2_q[7:4] == {2'(i), 2'(x)} ||
                              there_q[2] && who2_q[11:8] == {2'(i), 2'(x)} ||
                              there_q[3] && who2_q[15:12] == {2'(i), 2'(x)};
    end
  end
  assign {r3_en_o, r2_en_o, r1_en_o, r0_en_o} = en_q;
  assign {r3_row_o, r2_row_o, r1_row_o, r0_row_o} = row_q;

  // slots: number 4 * operand + collector
  logic [LANES*32-1:0] slot_q[0:11];
  always_ff @(posedge clk_i) begin
    if (there_q[0]) slot_q[{who2_q[1:0], who2_q[3:2]}] <= r0_data_i;
    if (there_q[1]) slot_q[{who2_q[5:4], who2_q[7:6]}] <= r1_data_i;
    if (there_q[2]) slot_q[{who2_q[9:8], who2_q[11:10]}] <= r2_data_i;
    if (there_q[3]) slot_q[{who2_q[13:12], who2_q[15:14]}] <= r3_data_i;
  end

  // ---- dispatching
  // lock_q: an instruction is between its beats; order: the collectors of lsux, oldest first
  logic [N-1:0] may, lsux, lock_q;
  logic x_free, dispatch;
  logic [1:0] pick, oldest;
  logic order_push, order_pop, order_there, order_room;

  for (genvar i = 0; i < N; i++) begin : g_may
    assign lsux[i] = unit_q[i] == UnitLsux;
    assign may[i] = complete[i] && (!lsux[i] || order_there && oldest == 2'(i)) &&
                    (lock_q == '0 || lock_q[i]);
  end
  assign x_free = x_valid_o == '0 || (x_valid_o & x_ready_i) != '0;
  assign dispatch = x_free && may != '0;
  logic [N-1:0] chosen;
  rr_arb #(.N(N)) i_pick (.clk_i, .rst_ni, .req_i(may), .next_i(dispatch), .gnt_o(chosen)
`ifdef FORMAL
    , .f_after_o(f_turns)
`endif
  );
  assign go = dispatch ? chosen : '0;
  assign pick = {chosen[3] | chosen[2], chosen[3] | chosen[1]};

  assign order_push = take != '0 && unit_i == UnitLsux;
  assign order_pop = (go & last & lsux) != '0;
  fifo #(.WIDTH(2), .DEPTH(N)) i_order (
    .clk_i, .rst_ni, .valid_i(order_push), .data_i(slot), .ready_o(order_room),
    .valid_o(order_there), .data_o(oldest), .ready_i(order_pop)
`ifdef FORMAL
    , .f_words_o(f_words), .f_count_o(f_count)
`endif
  );

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      x_valid_o <= '0;
      lock_q <= '0;
    end else if (x_free) begin
      x_valid_o <= dispatch ? 3'd1 << unit_q[pick] : 3'd0;
      if (dispatch) lock_q <= go & ~last;
    end

  // an operand of the chosen collector that was not read: its immediate or zero, as one word
  logic [95:0] lit;
  logic [1:0] w;  // word of the beat
  assign w = word[{pick, 1'b0} +: 2];
  for (genvar x = 0; x < 3; x++) begin : g_literal
    logic [1:0] mode;
    assign mode = modes_q[pick][2*x +: 2];
    assign lit[32*x +: 32] =
                    imm_at_q[pick] != 2'(x + 1) &&
                    !(x == 2 && mode == 2'd2 && imm_at_q[pick] == 2'd1) ? 32'd0 :
                    mode == 2'd0 || mode == w + 2'd1 && !w[1] ? imm_q[pick] : {32{imm_q[pick][31]}};
  end
  logic [2:0] used;
  assign used = {3{chosen[0]}} & uses[2:0] | {3{chosen[1]}} & uses[5:3] |
                {3{chosen[2]}} & uses[8:6] | {3{chosen[3]}} & uses[11:9];

  always_ff @(posedge clk_i)
    if (dispatch) begin
      x_op_o <= op_q[pick];
      x_typ_o <= typ_q[pick];
      x_typ2_o <= typ2_q[pick];
      x_fn_o <= fn_q[pick];
      {x_sat_o, x_ftz_o} <= flags_q[pick];
      x_lut_o <= imm_q[pick][7:0];
      x_beat_o <= beat[{pick, 1'b0} +: 2];
      x_last_o <= last[pick];
      x_dst_o <= d_q[pick] | (single[pick] ? 7'd0 : {5'd0, word[{pick, 1'b0} +: 2]});
      x_tag_o <= tag_q[pick];
      x_mask_o <= mask_q[pick];
      x_pred_o <= pred_q[pick];
      x_a_o <= used[0] ? slot_q[{2'd0, pick}] : {LANES{lit[31:0]}};
      x_b_o <= used[1] ? slot_q[{2'd1, pick}] : {LANES{lit[63:32]}};
      x_c_o <= used[2] ? slot_q[{2'd2, pick}] : {LANES{lit[95:64]}};
    end

  assign busy_o = valid != '0 || x_valid_o != '0;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(units, !valid_i || unit_i != 2'd3)
    `ASM(beats, !valid_i || beats_i != 2'd2)
    `CHK(order_has_room, !order_push || order_room)
    `CHK(one_unit, (x_valid_o & (x_valid_o - 1'b1)) == '0)
    `CHK(reads_are_for_somebody, there_q == '0 || valid != '0)
    `COV(two_beats_of_three_operands, f_done && f_use == 3'd7 && f_beats == 2'd1)
  end

`ifdef FORMAL
  `include "opc_proof.svh"
`endif
endmodule
