// SPDX-License-Identifier: Apache-2.0
// valu_lane: one lane: operand registers, an fpu_lane, a valu_ialu; the results of both leave through the
// last register of fpu_lane. Nothing here is clocked but by an enable of this lane.
`default_nettype none

module valu_lane (
  input  wire logic        clk_i,
  input  wire logic        en_0_i,    /// the operand registers take a_i, b_i, c_i,
  input  wire logic        on_0_i,    /// if this lane takes part
  input  wire logic [4:0]  en_fp_i,   /// bit k: stage k + 1 takes a beat for fpu
  input  wire logic [4:0]  en_int_i,  /// or for valu_ialu,
  input  wire logic [4:0]  on_i,      /// and this lane takes part
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  input  wire logic [31:0] c_i,
  input  wire logic [3:0]  fp_op_i,
  input  wire logic [4:0]  fn_i,
  input  wire logic        ftz_i,
  input  wire logic        int_2_i,
  input  wire logic [1:0]  rnd_2_i,
  input  wire logic        f2i_2_i,
  input  wire logic        f2i_4_i,
  input  wire logic        sat_4_i,
  input  wire logic [1:0]  rnd_5_i,
  input  wire logic        ftz_5_i,
  input  wire logic        sat_5_i,
  input  wire logic        pred_i,
  input  wire logic        beat_i,
  input  wire logic [2:0]  kind_i,
  input  wire logic [7:0]  lut_i,
  input  wire logic        pick_i,
  input  wire logic        left_i,
  input  wire logic        sgn_i,
  input  wire logic        wide_i,
  input  wire logic        neg_i,
  input  wire logic        inv_i,
  input  wire logic        abs_i,
  input  wire logic        clamp_i,
  input  wire logic        sad_i,
  input  wire logic [2:0]  rel_i,
  input  wire logic        one_i,
  input  wire logic [3:0]  from_i,
  input  wire logic [3:0]  to_i,
  input  wire logic        plus_i,
  input  wire logic [2:0]  kind_2_i,
  input  wire logic        beat_2_i,
  input  wire logic [3:0]  to_2_i,
  input  wire logic        chain_2_i,
  input  wire logic        max_2_i,
  input  wire logic        sad_2_i,
  input  wire logic        plus_2_i,
  input  wire logic        plus_3_i,
  input  wire logic        plus_4_i,
  input  wire logic        beat_4_i,
  output logic [31:0]      d_o
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
    .clk_i, .en_i(en_int_i[3:0]), .on_i(on_i[3:0]), .a_i(a_q), .b_i(b_q), .c_i(c_q), .pred_i, .beat_i, .kind_i, .lut_i,
    .pick_i, .left_i, .sgn_i, .wide_i, .neg_i, .inv_i, .abs_i, .clamp_i, .sad_i, .rel_i,
    .one_i, .from_i, .to_i, .plus_i, .kind_2_i, .beat_2_i, .to_2_i, .chain_2_i, .max_2_i,
    .sad_2_i, .plus_2_i, .plus_3_i, .plus_4_i, .beat_4_i, .d_o(int_d)
  );
endmodule
