// SPDX-License-Identifier: Apache-2.0
// opc: operand collectors over the four banks of the register file.
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
  parameter int LANES = 32,     /// lanes of a register, 1 to 32
  parameter int COLLECTORS = 4  /// operand collectors, 1 to 16
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset
  input  wire logic                valid_i,  /// an instruction; taken when ready was high
  input  wire logic [1:0]          unit_i,  /// who executes it: 0 valu, 1 lsux, 2 regmove
  input  wire logic [6:0]          op_i,  /// opcode
  input  wire logic [4:0]          typ_i,  /// type
  input  wire logic [4:0]          typ2_i,  /// source type
  input  wire logic [4:0]          fn_i,  /// rounding or comparison
  input  wire logic                ftz_i,  /// subnormals become zeros
  input  wire logic                sat_i,  /// saturate
  input  wire logic [6:0]          d_i,  /// near register of the result
  input  wire logic [6:0]          a_i,  /// near register of operand a
  input  wire logic [6:0]          b_i,  /// near register of operand b
  input  wire logic [6:0]          c_i,  /// near register of operand c
  input  wire logic [2:0]          use_i,  /// operands that are registers: bit 0 a, 1 b, 2 c
  /// operand that is the immediate: 0 none, 1 a, 2 b, 3 c
  input  wire logic [1:0]          imm_at_i,
  input  wire logic [31:0]         imm_i,  /// immediate; its low byte is the table of lop3
  input  wire logic [1:0]          beats_i,  /// number of beats less one: 0, 1 or 3
  input  wire logic                hi_first_i,  /// the high word's beat comes first
  /// word of a in a beat: 0 the same in all, 1 this one, 2 the other one
  input  wire logic [1:0]          a_mode_i,
  input  wire logic [1:0]          b_mode_i,  /// word of b
  input  wire logic [1:0]          c_mode_i,  /// word of c
  input  wire logic [LANES-1:0]    mask_i,  /// lanes
  input  wire logic [LANES-1:0]    pred_i,  /// predicate of selp
  input  wire logic [7:0]          tag_i,  /// completion tag
  output logic                     ready_o,  /// can take an instruction
  /// read bank 0 of the register file; data two edges later
  output logic                     r0_en_o,
  output logic [4:0]               r0_row_o,  /// row
  output logic                     r1_en_o,  /// read bank 1
  output logic [4:0]               r1_row_o,  /// row
  output logic                     r2_en_o,  /// read bank 2
  output logic [4:0]               r2_row_o,  /// row
  output logic                     r3_en_o,  /// read bank 3
  output logic [4:0]               r3_row_o,  /// row
  input  wire logic [LANES*32-1:0] r0_data_i,  /// what bank 0 read
  input  wire logic [LANES*32-1:0] r1_data_i,  /// bank 1
  input  wire logic [LANES*32-1:0] r2_data_i,  /// bank 2
  input  wire logic [LANES*32-1:0] r3_data_i,  /// bank 3
  /// a beat for unit i (one hot); held until that unit was ready
  output logic [2:0]               x_valid_o,
  input  wire logic [2:0]          x_ready_i,  /// unit i takes a beat
  output logic [6:0]               x_op_o,  /// opcode
  output logic [4:0]               x_typ_o,  /// type
  output logic [4:0]               x_typ2_o,  /// source type
  output logic [4:0]               x_fn_o,  /// rounding or comparison
  output logic                     x_ftz_o,  /// subnormals become zeros
  output logic                     x_sat_o,  /// saturate
  output logic [7:0]               x_lut_o,  /// table of lop3
  output logic [1:0]               x_beat_o,  /// number of the beat
  output logic                     x_last_o,  /// last beat
  output logic [6:0]               x_dst_o,  /// register of this beat's result
  output logic [7:0]               x_tag_o,  /// completion tag
  output logic [LANES-1:0]         x_mask_o,  /// lanes
  output logic [LANES-1:0]         x_pred_o,  /// predicate of selp
  output logic [LANES*32-1:0]      x_a_o,  /// operand a
  output logic [LANES*32-1:0]      x_b_o,  /// operand b
  output logic [LANES*32-1:0]      x_c_o,  /// operand c
  output logic                     busy_o  /// a collector or the output holds something
);
  localparam int N = COLLECTORS;
  localparam int BANKS = 4;  // of the register file
  localparam int OPERANDS = 3;
  localparam int CW = N > 1 ? $clog2(N) : 1;  // bits of a collector's number
  localparam int WHO = CW + 2;  // of a read: collector, operand
  localparam logic [1:0] UnitLsux = 2'd1;

  `RANGE(LANES_is_not_from_1_to_32, LANES >= 1 && LANES <= 32)
  `RANGE(COLLECTORS_is_not_from_1_to_16, COLLECTORS >= 1 && COLLECTORS <= 16)

`ifdef FORMAL
  logic [39*N-1:0] f_state;  // of the collectors: hi_first, beats, use, modes, regs, have, asked
  logic [12*N-1:0] f_here;
  logic [BANKS*N-1:0] f_after;  // turns of the banks, and of x
  logic [N-1:0] f_turns;
  logic [CW*N-1:0] f_words;  // order of lsux
  logic [$clog2(N+1)-1:0] f_count;
`endif

  function automatic [CW-1:0] number(input [N-1:0] one);  // of the bit that is set
    number = '0;
    for (int i = 0; i < N; i++) if (one[i]) number = number | CW'(i);
  endfunction

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
  logic [CW-1:0] slot;  // number of the collector that takes
  assign slot = number(take);
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
  logic [BANKS-1:0] en_q;
  logic [5*BANKS-1:0] row_q;
  logic [WHO*BANKS-1:0] who1_q, who2_q;  // collector, and below it operand
  logic [BANKS-1:0] there_q;
  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [N-1:0] req, grant;
    logic [1:0] opd;
    logic [4:0] row;
    for (genvar i = 0; i < N; i++) begin : g_ask
      assign req[i] = ask[BANKS*i + b];
      assign gnt[BANKS*i + b] = grant[i];
    end
    rr_arb #(.N(N)) i_arb (.clk_i, .rst_ni, .req_i(req), .next_i(1'b1), .gnt_o(grant)
`ifdef FORMAL
      , .f_after_o(f_after[N*b +: N])
`endif
    );
    always_comb begin
      row = '0;
      opd = '0;
      for (int i = 0; i < N; i++) begin
        row = row | {5{grant[i]}} & ask_row[5*(BANKS*i + b) +: 5];
        opd = opd | {2{grant[i]}} & ask_opd[2*(BANKS*i + b) +: 2];
      end
    end

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
        who1_q[WHO*b +: WHO] <= {number(grant), opd};
      end
      if (en_q[b]) who2_q[WHO*b +: WHO] <= who1_q[WHO*b +: WHO];
    end
  end
  for (genvar i = 0; i < N; i++) begin : g_store
    for (genvar x = 0; x < OPERANDS; x++) begin : g_operand
      logic [BANKS-1:0] from;
      for (genvar b = 0; b < BANKS; b++) begin : g_from
        assign from[b] = there_q[b] && who2_q[WHO*b +: WHO] == {CW'(i), 2'(x)};
      end
      assign store[OPERANDS*i + x] = from != '0;
    end
  end
  assign {r3_en_o, r2_en_o, r1_en_o, r0_en_o} = en_q;
  assign {r3_row_o, r2_row_o, r1_row_o, r0_row_o} = row_q;

  // slots: number operand, collector
  logic [LANES*32-1:0] slot_q[0:OPERANDS*(1<<CW)-1];
  always_ff @(posedge clk_i) begin
    if (there_q[0]) slot_q[{who2_q[0 +: 2], who2_q[2 +: CW]}] <= r0_data_i;
    if (there_q[1]) slot_q[{who2_q[WHO +: 2], who2_q[WHO+2 +: CW]}] <= r1_data_i;
    if (there_q[2]) slot_q[{who2_q[2*WHO +: 2], who2_q[2*WHO+2 +: CW]}] <= r2_data_i;
    if (there_q[3]) slot_q[{who2_q[3*WHO +: 2], who2_q[3*WHO+2 +: CW]}] <= r3_data_i;
  end

  // ---- dispatching
  // lock_q: an instruction is between its beats; order: the collectors of lsux, oldest first
  logic [N-1:0] may, lsux, lock_q;
  logic x_free, dispatch;
  logic [CW-1:0] pick, oldest;
  logic order_push, order_pop, order_there, order_room;

  for (genvar i = 0; i < N; i++) begin : g_may
    assign lsux[i] = unit_q[i] == UnitLsux;
    assign may[i] = complete[i] && (!lsux[i] || order_there && oldest == CW'(i)) &&
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
  assign pick = number(chosen);

  assign order_push = take != '0 && unit_i == UnitLsux;
  assign order_pop = (go & last & lsux) != '0;
  fifo #(.WIDTH(CW), .DEPTH(N)) i_order (
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
  assign w = word[2*pick +: 2];
  for (genvar x = 0; x < OPERANDS; x++) begin : g_literal
    logic [1:0] mode;
    assign mode = modes_q[pick][2*x +: 2];
    assign lit[32*x +: 32] =
                    imm_at_q[pick] != 2'(x + 1) &&
                    !(x == 2 && mode == 2'd2 && imm_at_q[pick] == 2'd1) ? 32'd0 :
                    mode == 2'd0 || mode == w + 2'd1 && !w[1] ? imm_q[pick] : {32{imm_q[pick][31]}};
  end
  logic [OPERANDS-1:0] used;
  always_comb begin
    used = '0;
    for (int i = 0; i < N; i++) used = used | {OPERANDS{chosen[i]}} & uses[OPERANDS*i +: OPERANDS];
  end

  always_ff @(posedge clk_i)
    if (dispatch) begin
      x_op_o <= op_q[pick];
      x_typ_o <= typ_q[pick];
      x_typ2_o <= typ2_q[pick];
      x_fn_o <= fn_q[pick];
      {x_sat_o, x_ftz_o} <= flags_q[pick];
      x_lut_o <= imm_q[pick][7:0];
      x_beat_o <= beat[2*pick +: 2];
      x_last_o <= last[pick];
      x_dst_o <= d_q[pick] | (single[pick] ? 7'd0 : {5'd0, w});
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
