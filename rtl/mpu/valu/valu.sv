// SPDX-License-Identifier: Apache-2.0
// valu: LANES lanes of binary32 and integer arithmetic, a beat of a warp instruction a cycle.
//
//   a, b, c -> [0 operands] -> lanes: [ fpu 1 | 2 | 3 | 4 ] -> [5] -> d
//                                     [ int 1 | 2 | 3 | 4 ] --^
//   op, ... -> [0 decoded ] -> controls, mask, dst, tag: a register a stage, for all lanes
//
// Latency 6, no back-pressure. Relies on: opcodes and types that docs/blocks/valu.md has; the beats
// of an instruction follow one another. A lane outside the mask is not clocked, and its word of d_o
// holds.
`default_nettype none
`include "check.svh"

module valu #(
  parameter int LANES = 32  /// lanes, 1 to 32
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                valid_i,  /// a beat enters
  input  wire logic [6:0]          op_i,  /// opcode (isa_pkg OP_*)
  input  wire logic [4:0]          typ_i,  /// type
  input  wire logic [4:0]          typ2_i,  /// source type of conversions and of set
  input  wire logic [4:0]          fn_i,  /// rounding or comparison
  input  wire logic                ftz_i,  /// subnormals become zeros
  input  wire logic                sat_i,  /// saturate
  input  wire logic [7:0]          lut_i,  /// table of lop3
  input  wire logic                beat_i,   /// second beat of a 64-bit operation
  input  wire logic                last_i,  /// last beat of the instruction
  input  wire logic [6:0]          dst_i,  /// near register that takes the result
  input  wire logic [7:0]          tag_i,  /// completion tag
  input  wire logic [LANES-1:0]    mask_i,   /// lanes that write
  input  wire logic [LANES-1:0]    pred_i,   /// predicate of selp, a bit a lane
  input  wire logic [32*LANES-1:0] a_i,  /// first operand, lane l in bits 32l+31:32l
  input  wire logic [32*LANES-1:0] b_i,  /// second operand
  input  wire logic [32*LANES-1:0] c_i,  /// third operand
  output logic                     valid_o,  /// a result leaves, 6 cycles after its beat entered
  output logic                     last_o,  /// as it entered
  output logic [6:0]               dst_o,  /// as it entered
  output logic [7:0]               tag_o,  /// as it entered
  output logic [LANES-1:0]         mask_o,  /// as it entered
  output logic [32*LANES-1:0]      d_o  /// the result; a lane outside the mask holds its last value
);
  `RANGE(LANES_is_not_from_1_to_32, LANES >= 1 && LANES <= 32)

  // ---- stage 0: decode
  logic fp, clamp;
  logic [3:0] fp_op;
  logic [valu_pkg::CONTROLS_1-1:0] ctl;
  valu_decode i_decode (
    .op_i, .typ_i, .typ2_i, .sat_i, .lut_i, .rel_i(fn_i[2:0]), .beat_i, .fp_o(fp),
    .fp_op_o(fp_op), .clamp_o(clamp), .ctl_o(ctl)
  );

  logic ftz_q, clamp_q;
  logic [3:0] fp_op_q;
  logic [4:0] fn_q;
  logic [valu_pkg::CONTROLS_1-1:0] ctl_0_q;
  logic [LANES-1:0] pred_q;
  always_ff @(posedge clk_i)
    if (valid_i && fp) begin
      fp_op_q <= fp_op;
      fn_q <= fn_i;
      ftz_q <= ftz_i;
    end
  always_ff @(posedge clk_i)
    if (valid_i) begin
      clamp_q <= clamp;  // .sat of both units
      if (!fp) begin
        ctl_0_q <= ctl;
        pred_q <= pred_i;
      end
    end

  // ---- what travels beside the lanes; bit k of a vector: after stage k
  logic fp_0_q;
  logic [5:0] int_q, fp_at;
  logic [fpu_pkg::CONTROLS-1:0] fp_ctl;
  logic [valu_pkg::CONTROLS_2-1:0] ctl_1_q;
  logic [valu_pkg::CONTROLS_3-1:0] ctl_2_q, ctl_3_q;
  logic [LANES-1:0] mask_0_q, mask_1_q, mask_2_q, mask_3_q, mask_4_q;
  logic [15:0] id_0_q, id_1_q, id_2_q, id_3_q, id_4_q;  // last, dst, tag

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      fp_0_q <= 1'b0;
      int_q <= '0;
    end else begin
      fp_0_q <= valid_i && fp;
      int_q <= {int_q[4:0], valid_i && !fp};
    end

  fpu_ctrl i_fpu_ctrl (
    .clk_i, .rst_ni, .valid_i(fp_0_q), .op_i(fp_op_q), .fn_i(fn_q), .ftz_i(ftz_q), .sat_i(clamp_q),
    .valid_o(fp_at[5:1]), .ctl_o(fp_ctl)
  );
  assign fp_at[0] = fp_0_q;
  assign valid_o = int_q[5] || fp_at[5];

  always_ff @(posedge clk_i) begin
    if (int_q[0]) ctl_1_q <= ctl_0_q[valu_pkg::CONTROLS_2-1:0];
    if (int_q[1]) ctl_2_q <= ctl_1_q[valu_pkg::CONTROLS_3-1:0];
    if (int_q[2]) ctl_3_q <= ctl_2_q;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) {mask_0_q, id_0_q} <= {mask_i, last_i, dst_i, tag_i};
    if (int_q[0] || fp_at[0]) {mask_1_q, id_1_q} <= {mask_0_q, id_0_q};
    if (int_q[1] || fp_at[1]) {mask_2_q, id_2_q} <= {mask_1_q, id_1_q};
    if (int_q[2] || fp_at[2]) {mask_3_q, id_3_q} <= {mask_2_q, id_2_q};
    if (int_q[3] || fp_at[3]) {mask_4_q, id_4_q} <= {mask_3_q, id_3_q};
    if (int_q[4] || fp_at[4]) {mask_o, last_o, dst_o, tag_o} <= {mask_4_q, id_4_q};
  end

  // ---- the lanes
  for (genvar l = 0; l < LANES; l++) begin : g_lane
    valu_lane i_lane (
      .clk_i, .en_0_i(valid_i), .on_0_i(mask_i[l]), .en_fp_i(fp_at[4:0]), .en_int_i(int_q[4:0]),
      .on_i({mask_4_q[l], mask_3_q[l], mask_2_q[l], mask_1_q[l], mask_0_q[l]}),
      .a_i(a_i[32*l +: 32]), .b_i(b_i[32*l +: 32]), .c_i(c_i[32*l +: 32]), .fp_op_i(fp_op_q),
      .fn_i(fn_q), .ftz_i(ftz_q), .fp_ctl_i(fp_ctl), .pred_i(pred_q[l]), .clamp_i(clamp_q),
      .ctl_1_i(ctl_0_q), .ctl_2_i(ctl_1_q), .ctl_3_i(ctl_2_q), .ctl_4_i(ctl_3_q),
      .d_o(d_o[32*l +: 32])
    );
  end

  `RESET_FIRST
endmodule
