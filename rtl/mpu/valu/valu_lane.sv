// SPDX-License-Identifier: Apache-2.0
// valu_lane: one lane: operand registers, an fpu_lane, a valu_ialu; the results of both leave
// through the last register of fpu_lane. Nothing here is clocked but by an enable of this lane.
`default_nettype none

module valu_lane (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_0_i,    /// the operand registers take a_i, b_i, c_i,
  input  wire logic        on_0_i,    /// if this lane takes part
  input  wire logic [4:0]  en_fp_i,   /// bit k: stage k + 1 takes a beat for fpu
  input  wire logic [4:0]  en_int_i,  /// or for valu_ialu,
  input  wire logic [4:0]  on_i,      /// and this lane takes part
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  input  wire logic [3:0]  fp_op_i,  /// operation of fpu, fpu_pkg
  input  wire logic [4:0]  fn_i,  /// rounding or comparison of fpu
  input  wire logic        ftz_i,  /// fpu: subnormals become zeros
  input  wire logic [fpu_pkg::CONTROLS-1:0] fp_ctl_i,  /// of fpu_ctrl
  input  wire logic        pred_i,  /// predicate of selp
  /// sum: to the range of s32; conversion: to the range of its type
  input  wire logic        clamp_i,
  input  wire logic [valu_pkg::CONTROLS_1-1:0] ctl_1_i,  /// controls of stage 1, valu_pkg
  input  wire logic [valu_pkg::CONTROLS_2-1:0] ctl_2_i,  /// of the beat in stage 2
  input  wire logic [valu_pkg::CONTROLS_3-1:0] ctl_3_i,  /// in stage 3
  input  wire logic [valu_pkg::CONTROLS_3-1:0] ctl_4_i,  /// in stage 4
  output logic [31:0]      d_o  /// the result; holds its value until the next one
);
  logic [31:0] a_q, b_q, c_q, int_d;

  always_ff @(posedge clk_i)
    if (en_0_i) if (on_0_i) begin
      a_q <= a_i;
      b_q <= b_i;
      c_q <= c_i;
    end

  fpu_lane i_fpu (
    .clk_i, .en_i(en_fp_i), .on_i, .op_i(fp_op_i), .fn_i, .ftz_i, .a_i(a_q), .b_i(b_q), .c_i(c_q),
    .ctl_i(fp_ctl_i), .other_i(en_int_i[4]), .other_d_i(int_d), .d_o
  );
  valu_ialu i_ialu (
    .clk_i, .en_i(en_int_i[3:0]), .on_i(on_i[3:0]), .a_i(a_q), .b_i(b_q), .c_i(c_q), .pred_i,
    .clamp_i, .ctl_1_i, .ctl_2_i, .ctl_3_i, .ctl_4_i, .d_o(int_d)
  );
endmodule
