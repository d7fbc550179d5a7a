// SPDX-License-Identifier: Apache-2.0
// nbu: a near-bank unit: what one subcore has next to its four banks.
//
//   dn -> [ tsv ] -> [ order ] -> [ decode ] -> [ opc ] -> [ valu    ] - w0 -.
//           '-[ forms ]-^            |            |-----> [ lsux    ] - w1 -+-> [ regfile ] -> opc
//                                     |            '-----> [ regmove ] - w2 -'
//                                     '--> lsux, regmove     lsux <-> [ bankctl ] <-> pins, sm
//   up <- [ tsv ] <- [ completions ] <- order, lsux, regmove
//
// docs/blocks/nbu.md has the rules of what is only here: decoding of packets, and completions. A
// packet is taken from order when all blocks that it is for are ready, one a cycle at most; from
// there on the number of its entry is its tag. Relies on: packets that docs/tsv.md has; straps that
// stand still. Promises: packets execute as if one after the other, and those that are answered are
// answered once.
`default_nettype none
`include "check.svh"

module nbu #(
  parameter int QUEUE = 16,       /// requests of the bank controller, a power of two, 1 to 16
  parameter int ENTRIES = 8,      /// accesses under way in lsux, a power of two, 2 to 32
  parameter int HELD = 16,        /// packets that wait or are under way, 2 to 32
  parameter int FORMS = 0,        /// packets that it keeps, 0 or a power of two, 2 to 64
  parameter int PATTERNS = 0,     /// 1: register moves know values with a pattern, 0 to 1
  parameter int SKEW = 0,         /// 1: windows of shared memory can have a skew, 0 to 1
  parameter int COLLECTORS = 4,   /// operand collectors, 1 to 16
  parameter int RF_ROWS = 32,     /// registers of a bank of the register file, 2 to 32
  parameter int FLITS = 2,        /// flits a cycle on the TSVs, 1 to 2
  parameter int RX_DEPTH = 16,    /// flits of receive queue, a power of two, 4 to 64
  parameter int UP_CREDITS = 32,  /// flits of room at the base die, 2 to 64
  parameter int ROWS = 16384,     /// rows of a bank of the arrays, a power of two, 64 to 16384
  parameter int SUBARRAYS = 32,   /// subarrays of a bank, a power of two, 2 to 32
  parameter int COLS = 32         /// columns of a row of the arrays, a power of two, 8 to 32
) (
  input  wire logic          clk_i,  /// clock
  input  wire logic          rst_ni,  /// synchronous reset, low
  input  wire logic [1:0]    dn_count_i,  /// flits that arrive from the base die: 0, 1 or 2
  input  wire logic [64*FLITS-1:0] dn_data_i,  /// the flits, the first one low
  output logic [1:0]         dn_credit_o,  /// room for as many more flits
  output logic [1:0]         up_count_o,  /// flits on offer for the base die: 0, 1 or 2
  output logic [64*FLITS-1:0] up_data_o,  /// the flits, the first one low
  input  wire logic [1:0]    up_take_i,  /// flits that the bus takes at this edge
  input  wire logic [1:0]    up_credit_i,  /// room for as many more flits at the base die
  input  wire logic [2:0]    cfg_rows_i,  /// strap: row buffers a bank may have open: 1, 2 or 4
  input  wire logic          cfg_closed_i,  /// strap: closed page policy
  /// strap: the arrays may be in any state when the reset ends
  input  wire logic          cfg_warm_i,
  /// straps: times of the arrays, 12 bits each: csim/dram/bankctl_times.def
  input  wire logic [203:0]  cfg_times_i,
  input  wire logic          test_en_i,  /// test: gated clocks run always
  input  wire logic [3:0]    ref_tick_i,  /// a bank's refresh has become due
  /// DRAM command: 0 none, 1 ACT, 2 PRE, 3 SASEL, 4 RD, 5 WR, 6 REF, 7 PREA: PRE of all subarrays
  output logic [2:0]         cmd_o,
  output logic [1:0]         cmd_bank_o,  /// bank
  /// row (ACT); its low bits are the subarray of ACT, PRE, SASEL, RD and WR
  output logic [13:0]        cmd_row_o,
  output logic [4:0]         cmd_col_o,  /// column (RD, WR)
  output logic [255:0]       wdata_o,  /// data pins: CWL cycles after WR
  output logic [31:0]        wmask_o,  /// bytes of it
  input  wire logic [255:0]  rdata_i,  /// data pins: CL + burst - 1 cycles after RD
  output logic               sm_valid_o,  /// a request to shared memory; held until sm_ready
  output logic [3:0]         sm_op_o,  /// as q0_op of smem
  output logic               sm_sgn_o,  /// min and max are signed
  output logic               sm_f32_o,  /// add is binary32
  output logic [31:0]        sm_mask_o,  /// lanes
  output logic [447:0]       sm_addr_o,  /// word address, 14 bits a lane
  output logic [127:0]       sm_be_o,  /// bytes of the word, 4 bits a lane
  output logic [1023:0]      sm_b_o,  /// data
  output logic [1023:0]      sm_c_o,  /// new value of cas
  input  wire logic          sm_ready_i,  /// taken at this edge
  input  wire logic          sm_rvalid_i,  /// the request is done
  input  wire logic [1023:0] sm_rdata_i,  /// what the words held
  /// record: packets that were completed at the last edge: by valu, lsux, regmove
  output logic [2:0]         ret_valid_o,
  output logic [23:0]        ret_tag_o,  /// record: their tags, 8 bits each
  output logic               begin_valid_o,  /// record: a packet began at the last edge
  output logic [7:0]         begin_tag_o,  /// record: its tag
  output logic               busy_o  /// the clock is needed
);
  localparam int RFW = $clog2(RF_ROWS);

  `RANGE(QUEUE_is_not_a_power_of_two_from_1_to_16,
         QUEUE >= 1 && QUEUE <= 16 && (QUEUE & (QUEUE - 1)) == 0)
  `RANGE(FORMS_is_not_0_or_a_power_of_two_from_2_to_64,
         FORMS == 0 || FORMS >= 2 && FORMS <= 64 && (FORMS & (FORMS - 1)) == 0)
  `RANGE(COLS_is_not_at_least_8, COLS >= 8)
  `RANGE(ROWS_is_not_at_least_64, ROWS >= 64)

  logic tsv_busy, forms_busy, order_busy, opc_busy, lsux_busy, regm_busy, bank_busy, comp_busy;

  // ---- the clock runs while the unit is busy or something arrives for it
  logic clk;
  clkgate i_gate (
    .clk_i, .test_en_i, .clk_o(clk),
    .en_i(busy_o || dn_count_i != '0 || up_credit_i != '0 || ref_tick_i != '0 || !rst_ni)
  );

  // ---- TSV endpoint
  logic rx_valid, rx_ready, rx_release, tx_valid, tx_ready;
  logic [63:0] rx_head, tx_head;
  logic [1023:0] rx_body, tx_body;
  logic [4:0] tx_len;
  tsv #(.FLITS(FLITS), .RX_DEPTH(RX_DEPTH), .UP_CREDITS(UP_CREDITS)) i_tsv (
    .clk_i(clk), .rst_ni, .dn_count_i, .dn_data_i, .dn_credit_o, .up_count_o, .up_data_o,
    .up_take_i, .up_credit_i, .rx_release_i(rx_release), .rx_valid_o(rx_valid),
    .rx_head_o(rx_head), .rx_body_o(rx_body), .rx_ready_i(rx_ready), .tx_valid_i(tx_valid),
    .tx_head_i(tx_head), .tx_body_i(tx_body), .tx_len_i(tx_len), .tx_ready_o(tx_ready),
    .busy_o(tsv_busy)
  );

  // ---- packets that are kept (with FORMS): one that came whole waits while one of them does
  logic in_valid, in_ready, to_forms;  // to_forms: KEEP, RUN or SLOT
  logic [3:0] rx_kind;
  logic [63:0] in_head, in_body;
  assign rx_kind = rx_head[tsv_pkg::DN_ANY_KIND_LSB +: 4];
  assign to_forms = rx_kind == tsv_pkg::DN_KEEP || rx_kind == tsv_pkg::DN_RUN ||
                    rx_kind == tsv_pkg::DN_SLOT;
  if (FORMS != 0) begin : g_forms
    logic form_valid, form_ready;
    logic [63:0] form_head, form_body;
    forms #(.FORMS(FORMS)) i_forms (
      .clk_i(clk), .rst_ni, .in_valid_i(rx_valid && to_forms), .in_head_i(rx_head),
      .in_body_i(rx_body[63:0]), .in_ready_o(form_ready), .out_valid_o(form_valid),
      .out_head_o(form_head), .out_body_o(form_body), .out_ready_i(in_ready),
      .busy_o(forms_busy)
    );
    assign rx_ready = to_forms ? form_ready : in_ready && !form_valid;
    assign in_valid = form_valid || rx_valid && !to_forms;
    assign in_head = form_valid ? form_head : rx_head;
    assign in_body = form_valid ? form_body : rx_body[63:0];
  end else begin : g_no_forms
    assign rx_ready = in_ready;
    assign in_valid = rx_valid;
    assign in_head = rx_head;
    assign in_body = rx_body[63:0];
    assign forms_busy = 1'b0;
  end

  // ---- packets until they may begin
  logic out_valid, out_ready, out_long, is_win, opc_ready, lsux_ready, regm_ready;
  logic [63:0] head, out_body;  // head: the number of the entry is its tag
  logic [1023:0] body;
  logic [4:0] n;
  logic read_last, v_done, l_done, l_done_ready, m_done, up_done, sync_valid, sync_ready;
  logic [4:0] up_n, sync_n;
  logic [7:0] l_done_tag, m_done_tag, v_tag, x_tag;
  logic [2:0] x_valid, x_ready;
  logic x_last, v_valid, v_last;
  logic [255:0] tags;
  logic [31:0] answers;
  order #(.HELD(HELD)) i_order (
    .clk_i(clk), .rst_ni, .in_valid_i(in_valid), .in_head_i(in_head), .in_body_i(in_body),
    .in_ready_o(in_ready), .out_valid_o(out_valid), .out_head_o(head), .out_body_o(out_body),
    .out_long_o(out_long), .out_ready_i(out_ready), .opc_room_i(opc_ready),
    .lsux_room_i(lsux_ready), .regm_room_i(regm_ready), .read_valid_i(read_last),
    .read_n_i(x_tag[4:0]), .read_exec_i(x_valid[0]), .valu_done_i(v_done), .valu_n_i(v_tag[4:0]),
    .lsux_done_i(l_done && l_done_ready), .lsux_n_i(l_done_tag[4:0]), .regm_done_i(m_done),
    .regm_n_i(m_done_tag[4:0]), .up_done_i(up_done), .up_n_i(up_n), .sync_valid_o(sync_valid),
    .sync_n_o(sync_n), .sync_ready_i(sync_ready), .tags_o(tags), .answers_o(answers),
    .busy_o(order_busy)
  );
  assign n = head[tsv_pkg::DN_ANY_TAG_LSB +: 5];
  assign is_win = head[tsv_pkg::DN_ANY_KIND_LSB +: 4] == tsv_pkg::DN_WIN;  // its entry is free
  assign body = out_long ? rx_body : {960'd0, out_body};
  assign read_last = (x_valid & x_ready) != '0 && x_last;
  assign v_done = v_valid && v_last;

  // ---- decoding
  logic to_opc, to_lsux, to_regm, begins;
  logic [1:0] unit, imm_at, beats, a_mode, b_mode, c_mode;
  logic [6:0] op, d, a, b, c;
  logic [4:0] typ, typ2, fn;
  logic ftz, sat, hi_first;
  logic [2:0] uses;
  logic [31:0] imm, mask, pred;
  nbu_decode i_decode (
    .head_i(head), .body_i(body[95:0]), .to_opc_o(to_opc), .to_lsux_o(to_lsux),
    .to_regmove_o(to_regm), .unit_o(unit), .op_o(op), .typ_o(typ), .typ2_o(typ2), .fn_o(fn),
    .ftz_o(ftz), .sat_o(sat), .d_o(d), .a_o(a), .b_o(b), .c_o(c), .use_o(uses), .imm_at_o(imm_at),
    .imm_o(imm), .beats_o(beats), .hi_first_o(hi_first), .a_mode_o(a_mode), .b_mode_o(b_mode),
    .c_mode_o(c_mode), .mask_o(mask), .pred_o(pred)
  );
  assign out_ready = (!to_opc || opc_ready) && (!to_lsux || lsux_ready) && (!to_regm || regm_ready);
  assign begins = out_valid && out_ready;
  assign rx_release = begins && out_long;

  // ---- operands
  logic r0_en, r1_en, r2_en, r3_en;
  logic [4:0] r0_row, r1_row, r2_row, r3_row;
  logic [1023:0] r0_data, r1_data, r2_data, r3_data;
  logic [6:0] x_op, x_dst;
  logic [4:0] x_typ, x_typ2, x_fn;
  logic x_ftz, x_sat;
  logic [7:0] x_lut;
  logic [1:0] x_beat;
  logic [31:0] x_mask, x_pred;
  logic [1023:0] x_a, x_b, x_c;
  opc #(.COLLECTORS(COLLECTORS)) i_opc (
    .clk_i(clk), .rst_ni, .valid_i(begins && to_opc), .unit_i(unit), .op_i(op),
    .typ_i(typ), .typ2_i(typ2), .fn_i(fn), .ftz_i(ftz), .sat_i(sat), .d_i(d), .a_i(a), .b_i(b),
    .c_i(c), .use_i(uses), .imm_at_i(imm_at), .imm_i(imm), .beats_i(beats), .hi_first_i(hi_first),
    .a_mode_i(a_mode), .b_mode_i(b_mode), .c_mode_i(c_mode), .mask_i(mask), .pred_i(pred),
    .tag_i({3'd0, n}), .ready_o(opc_ready),
    .r0_en_o(r0_en), .r0_row_o(r0_row), .r1_en_o(r1_en), .r1_row_o(r1_row),
    .r2_en_o(r2_en), .r2_row_o(r2_row), .r3_en_o(r3_en), .r3_row_o(r3_row),
    .r0_data_i(r0_data), .r1_data_i(r1_data), .r2_data_i(r2_data), .r3_data_i(r3_data),
    .x_valid_o(x_valid), .x_ready_i(x_ready), .x_op_o(x_op), .x_typ_o(x_typ), .x_typ2_o(x_typ2),
    .x_fn_o(x_fn), .x_ftz_o(x_ftz), .x_sat_o(x_sat), .x_lut_o(x_lut), .x_beat_o(x_beat),
    .x_last_o(x_last), .x_dst_o(x_dst), .x_tag_o(x_tag), .x_mask_o(x_mask), .x_pred_o(x_pred),
    .x_a_o(x_a), .x_b_o(x_b), .x_c_o(x_c), .busy_o(opc_busy)
  );

  logic w1_valid, w1_done, w2_valid, w2_done;
  logic [6:0] w1_reg, w2_reg;
  logic [31:0] w1_mask, w2_mask;
  logic [1023:0] w1_data, w2_data;
  logic [6:0] v_dst;
  logic [31:0] v_mask;
  logic [1023:0] v_d;
  regfile #(.ROWS(RF_ROWS)) i_regfile (
    .clk_i(clk), .rst_ni, .r0_en_i(r0_en), .r0_row_i(r0_row[RFW-1:0]), .r1_en_i(r1_en),
    .r1_row_i(r1_row[RFW-1:0]), .r2_en_i(r2_en), .r2_row_i(r2_row[RFW-1:0]), .r3_en_i(r3_en),
    .r3_row_i(r3_row[RFW-1:0]), .r0_data_o(r0_data), .r1_data_o(r1_data), .r2_data_o(r2_data),
    .r3_data_o(r3_data), .w0_valid_i(v_valid), .w0_reg_i(v_dst[RFW+1:0]), .w0_mask_i(v_mask),
    .w0_data_i(v_d), .w1_valid_i(w1_valid), .w1_reg_i(w1_reg[RFW+1:0]), .w1_mask_i(w1_mask),
    .w1_data_i(w1_data), .w1_done_o(w1_done), .w2_valid_i(w2_valid), .w2_reg_i(w2_reg[RFW+1:0]),
    .w2_mask_i(w2_mask), .w2_data_i(w2_data), .w2_done_o(w2_done)
  );

  // ---- arithmetic
  logic [5:0] inside_q;  // beats in the pipeline
  logic v_enter, opd_ready, rd_ready;
  assign x_ready = {rd_ready, opd_ready, 1'b1};  // valu never waits
  assign v_enter = x_valid[0];
  always_ff @(posedge clk)
    if (!rst_ni) inside_q <= '0;
    else inside_q <= {inside_q[4:0], v_enter};
  valu i_valu (
    .clk_i(clk), .rst_ni, .valid_i(v_enter), .op_i(x_op), .typ_i(x_typ), .typ2_i(x_typ2),
    .fn_i(x_fn), .ftz_i(x_ftz), .sat_i(x_sat), .lut_i(x_lut), .beat_i(x_beat[0]), .last_i(x_last),
    .dst_i(x_dst), .tag_i(x_tag), .mask_i(x_mask), .pred_i(x_pred), .a_i(x_a), .b_i(x_b), .c_i(x_c),
    .valid_o(v_valid), .last_o(v_last), .dst_o(v_dst), .tag_o(v_tag), .mask_o(v_mask), .d_o(v_d)
  );

  // ---- memory
  logic req_valid, req_we, req_ready, rsp_valid;
  logic [1:0] req_bank;
  logic [13:0] req_row;
  logic [4:0] req_col;
  logic [7:0] req_id, rsp_id;
  logic [255:0] req_wdata, rsp_data;
  logic [31:0] req_wmask;
  logic l_up, l_up_ready;
  logic [63:0] l_up_head;
  logic [255:0] l_up_body;
  logic [2:0] l_up_len;
  lsux #(.ENTRIES(ENTRIES), .SKEW(SKEW), .COLS(COLS)) i_lsux (
    .clk_i(clk), .rst_ni, .cmd_valid_i(begins && to_lsux), .cmd_head_i(head),
    .cmd_body_i(body[383:0]), .cmd_ready_o(lsux_ready), .opd_valid_i(x_valid[1]), .opd_a_i(x_a),
    .opd_b_i(x_b), .opd_c_i(x_c), .opd_ready_o(opd_ready),
    .req_valid_o(req_valid), .req_bank_o(req_bank), .req_row_o(req_row), .req_col_o(req_col),
    .req_we_o(req_we), .req_id_o(req_id), .req_wdata_o(req_wdata), .req_wmask_o(req_wmask),
    .req_ready_i(req_ready), .rsp_valid_i(rsp_valid), .rsp_id_i(rsp_id), .rsp_data_i(rsp_data),
    .sm_valid_o, .sm_op_o, .sm_sgn_o, .sm_f32_o, .sm_mask_o, .sm_addr_o, .sm_be_o, .sm_b_o, .sm_c_o,
    .sm_ready_i, .sm_rvalid_i, .sm_rdata_i,
    .w_valid_o(w1_valid), .w_reg_o(w1_reg), .w_mask_o(w1_mask), .w_data_o(w1_data),
    .w_done_i(w1_done), .done_valid_o(l_done), .done_tag_o(l_done_tag), .done_ready_i(l_done_ready),
    .up_valid_o(l_up), .up_head_o(l_up_head), .up_body_o(l_up_body), .up_len_o(l_up_len),
    .up_ready_i(l_up_ready), .busy_o(lsux_busy)
  );
  bankctl #(.DEPTH(QUEUE), .ROWS(ROWS), .COLS(COLS), .SUBARRAYS(SUBARRAYS)) i_bankctl (
    .clk_i(clk), .rst_ni, .cfg_rows_i, .cfg_closed_i, .cfg_warm_i, .cfg_times_i,
    .req_valid_i(req_valid), .req_bank_i(req_bank),
    .req_row_i(req_row), .req_col_i(req_col), .req_we_i(req_we), .req_id_i(req_id),
    .req_wdata_i(req_wdata), .req_wmask_i(req_wmask), .req_ready_o(req_ready),
    .rsp_valid_o(rsp_valid), .rsp_id_o(rsp_id), .rsp_data_o(rsp_data), .ref_tick_i,
    .cmd_o, .cmd_bank_o, .cmd_row_o, .cmd_col_o, .wdata_o, .wmask_o, .rdata_i, .busy_o(bank_busy)
  );

  // ---- register moves
  logic m_up, m_up_ready;
  logic [63:0] m_up_head;
  logic [1023:0] m_up_body;
  logic [4:0] m_up_len;
  regmove #(.PATTERNS(PATTERNS)) i_regmove (
    .clk_i(clk), .rst_ni, .wr_valid_i(begins && to_regm), .wr_head_i(head),
    .wr_body_i(body), .wr_ready_o(regm_ready), .rd_valid_i(x_valid[2]), .rd_tag_i(x_tag),
    .rd_mask_i(x_mask), .rd_data_i(x_a), .rd_ready_o(rd_ready), .w_valid_o(w2_valid),
    .w_reg_o(w2_reg), .w_mask_o(w2_mask), .w_data_o(w2_data), .w_done_i(w2_done),
    .done_valid_o(m_done), .done_tag_o(m_done_tag), .done_ready_i(1'b1),
    .up_valid_o(m_up), .up_head_o(m_up_head), .up_body_o(m_up_body), .up_len_o(m_up_len),
    .up_ready_i(m_up_ready), .busy_o(regm_busy)
  );

  // ---- completions, and the way up
  nbu_completions i_completions (
    .clk_i(clk), .rst_ni, .tags_i(tags), .answers_i(answers),
    .begin_valid_i(begins && !is_win), .begin_n_i(n), .valu_valid_i(v_done),
    .valu_n_i(v_tag[4:0]), .lsux_valid_i(l_done), .lsux_n_i(l_done_tag[4:0]),
    .lsux_ready_o(l_done_ready), .regm_valid_i(m_done), .regm_n_i(m_done_tag[4:0]),
    .sync_valid_i(sync_valid), .sync_n_i(sync_n),
    .sync_ready_o(sync_ready), .up_done_o(up_done), .up_n_o(up_n), .ret_valid_o, .ret_tag_o,
    .begin_valid_o, .begin_tag_o, .lsux_up_valid_i(l_up), .lsux_up_head_i(l_up_head),
    .lsux_up_body_i(l_up_body), .lsux_up_len_i(l_up_len), .lsux_up_ready_o(l_up_ready),
    .regm_up_valid_i(m_up), .regm_up_head_i(m_up_head), .regm_up_body_i(m_up_body),
    .regm_up_len_i(m_up_len), .regm_up_ready_o(m_up_ready), .tx_valid_o(tx_valid),
    .tx_head_o(tx_head), .tx_body_o(tx_body), .tx_len_o(tx_len), .tx_ready_i(tx_ready),
    .busy_o(comp_busy)
  );

  assign busy_o = tsv_busy || forms_busy || order_busy || opc_busy || lsux_busy || regm_busy ||
                  bank_busy || comp_busy || inside_q != '0;

  `RESET_FIRST
  always @(posedge clk) if (rst_ni) begin
    `CHK(two_beats_for_valu_at_most, !x_valid[0] || !x_beat[1])
    `ASM(valu_takes_six_edges, v_valid == inside_q[5])
    `CHK(numbers_are_small, ({x_tag, v_tag, l_done_tag, m_done_tag} & {4{8'he0}}) == '0)
    `ASM(keep_run_and_slot_only_with_forms, FORMS != 0 || !rx_valid || !to_forms)
    `CHK(a_long_body_is_there, !out_valid || !out_long || !rx_valid)
    `ASM(registers_that_there_are,
         !(r0_en && {1'b0, r0_row} >= 6'(RF_ROWS)) && !(r1_en && {1'b0, r1_row} >= 6'(RF_ROWS)) &&
         !(r2_en && {1'b0, r2_row} >= 6'(RF_ROWS)) && !(r3_en && {1'b0, r3_row} >= 6'(RF_ROWS)) &&
         !(v_valid && {1'b0, v_dst[6:2]} >= 6'(RF_ROWS)) &&
         !(w1_valid && {1'b0, w1_reg[6:2]} >= 6'(RF_ROWS)) &&
         !(w2_valid && {1'b0, w2_reg[6:2]} >= 6'(RF_ROWS)))
  end
endmodule
