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
  input  wire logic [3:0]  fp_op_i,  /// op of fpu
  input  wire logic [4:0]  fn_i,  /// rounding or comparison of fpu
  input  wire logic        ftz_i,  /// fpu: subnormals become zeros
  input  wire logic        int_2_i,  /// controls of fpu, of fpu_ctrl
  input  wire logic [1:0]  rnd_2_i,  /// of fpu_ctrl
  input  wire logic        f2i_2_i,  /// of fpu_ctrl
  input  wire logic        f2i_4_i,  /// of fpu_ctrl
  input  wire logic        sat_4_i,  /// of fpu_ctrl
  input  wire logic [1:0]  rnd_5_i,  /// of fpu_ctrl
  input  wire logic        ftz_5_i,  /// of fpu_ctrl
  input  wire logic        sat_5_i,  /// of fpu_ctrl
  input  wire logic        pred_i,  /// predicate of selp
  input  wire logic        beat_i,  /// second beat of a 64-bit operation
  /// 0 table, 1 shift, 2 sum, 3 choice, 4 relation, 5 conversion, 6 product
  input  wire logic [2:0]  kind_i,
  input  wire logic [7:0]  lut_i,  /// table: result for each {a, b, c}
  input  wire logic        pick_i,  /// table: c is the predicate
  input  wire logic        left_i,  /// shift to the left
  input  wire logic        sgn_i,  /// signed: shift, choice, relation, product, absolute difference
  input  wire logic        wide_i,  /// an operation of two beats
  input  wire logic        neg_i,  /// sum: of 0 and a, not of a and b
  input  wire logic        inv_i,  /// sum: subtract the second one
  input  wire logic        abs_i,  /// sum: a when its number is not negative
  /// sum: to the range of s32; conversion: to the range of its type
  input  wire logic        clamp_i,
  input  wire logic        sad_i,  /// sum: its absolute value, plus c
  input  wire logic [2:0]  rel_i,  /// relation: which one, isa_pkg CMP_*
  input  wire logic        one_i,  /// relation: true is 1.0
  input  wire logic [3:0]  from_i,  /// conversion: source type
  input  wire logic [3:0]  to_i,  /// conversion: type
  input  wire logic        plus_i,  /// product: plus c
  input  wire logic [2:0]  kind_2_i,  /// kind in stage 2
  input  wire logic        beat_2_i,  /// second beat
  input  wire logic [3:0]  to_2_i,  /// conversion: type
  /// a sum of two beats, in its second one, that needs the carry
  input  wire logic        chain_2_i,
  input  wire logic        max_2_i,  /// choice of the larger
  input  wire logic        sad_2_i,  /// sum: its absolute value, plus c
  input  wire logic        plus_2_i,  /// product: plus c
  input  wire logic        plus_3_i,  /// product in stage 3: plus c
  input  wire logic        plus_4_i,  /// product in stage 4: plus c
  input  wire logic        beat_4_i,  /// second beat in stage 4
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
    .int_2_i, .rnd_2_i, .f2i_2_i, .f2i_4_i, .sat_4_i, .rnd_5_i, .ftz_5_i, .sat_5_i,
    .other_i(en_int_i[4]), .other_d_i(int_d), .d_o
  );
  valu_ialu i_ialu (
    .clk_i, .en_i(en_int_i[3:0]), .on_i(on_i[3:0]), .a_i(a_q), .b_i(b_q), .c_i(c_q), .pred_i,
    .beat_i, .kind_i, .lut_i, .pick_i, .left_i, .sgn_i, .wide_i, .neg_i, .inv_i, .abs_i, .clamp_i,
    .sad_i, .rel_i, .one_i, .from_i, .to_i, .plus_i, .kind_2_i, .beat_2_i, .to_2_i, .chain_2_i,
    .max_2_i, .sad_2_i, .plus_2_i, .plus_3_i, .plus_4_i, .beat_4_i, .d_o(int_d)
  );
endmodule
