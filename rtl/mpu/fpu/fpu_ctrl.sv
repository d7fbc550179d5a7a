// SPDX-License-Identifier: Apache-2.0
// fpu_ctrl: what all lanes of an operation share: which stages are busy, and the controls of stages
// 2 to 5. Controls of a stage change only when an operation moves into it.
`default_nettype none

module fpu_ctrl (
  input  wire logic       clk_i,  /// clock
  input  wire logic       rst_ni,  /// synchronous reset, low
  input  wire logic       valid_i,  /// an operation enters
  input  wire logic [3:0] op_i,  /// what: FPU_ADD and so on
  input  wire logic [4:0] fn_i,  /// isa_pkg RND_* or CMP_*
  input  wire logic       ftz_i,  /// subnormals become zeros
  input  wire logic       sat_i,  /// the result is clamped to [0, 1]
  /// bit k: the registers at the end of stage k + 1 hold an operation
  output logic [4:0]      valid_o,
  output logic            int_2_o,  /// stage 2 rounds to an integer (f2i, f2f)
  output logic [1:0]      rnd_2_o,  /// rounding of stage 2: 0 RN, 1 RZ, 2 RM, 3 RP
  output logic            f2i_2_o,  /// the result is an integer
  output logic            f2i_4_o,  /// the same in stage 4
  output logic            sat_4_o,  /// the result is clamped
  output logic [1:0]      rnd_5_o,  /// rounding of stage 5
  output logic            ftz_5_o,  /// a subnormal result becomes zero
  output logic            sat_5_o  /// the result is clamped
);
  logic int_1_q, f2i_1_q, ftz_1_q, sat_1_q;
  logic f2i_2_q, ftz_2_q, sat_2_q;
  logic f2i_3_q, ftz_3_q, sat_3_q, ftz_4_q, sat_4_q;
  logic [1:0] rnd_1_q, rnd_2_q, rnd_3_q, rnd_4_q, rnd;

  always_comb
    case (fn_i)
      isa_pkg::RND_RZ, isa_pkg::RND_RZI: rnd = 2'd1;
      isa_pkg::RND_RM, isa_pkg::RND_RMI: rnd = 2'd2;
      isa_pkg::RND_RP, isa_pkg::RND_RPI: rnd = 2'd3;
      default: rnd = 2'd0;
    endcase

  always_ff @(posedge clk_i)
    if (!rst_ni) valid_o <= '0;
    else valid_o <= {valid_o[3:0], valid_i};

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      int_1_q <= op_i >= 4'd13;
      f2i_1_q <= op_i == 4'd13 || op_i == 4'd14;
      rnd_1_q <= rnd;
      ftz_1_q <= ftz_i && (op_i < 4'd4 || op_i == 4'd15);
      sat_1_q <= sat_i && (op_i < 4'd4 || op_i == 4'd11 || op_i == 4'd12 || op_i == 4'd15);
    end
    if (valid_o[0]) begin
      f2i_2_q <= f2i_1_q;
      rnd_2_q <= rnd_1_q;
      ftz_2_q <= ftz_1_q;
      sat_2_q <= sat_1_q;
    end
    if (valid_o[1]) begin
      f2i_3_q <= f2i_2_q;
      rnd_3_q <= rnd_2_q;
      ftz_3_q <= ftz_2_q;
      sat_3_q <= sat_2_q;
    end
    if (valid_o[2]) begin
      rnd_4_q <= rnd_3_q;
      ftz_4_q <= ftz_3_q;
      sat_4_q <= sat_3_q;
    end
  end
  assign int_2_o = int_1_q;
  assign rnd_2_o = rnd_1_q;
  assign f2i_2_o = f2i_1_q;
  assign f2i_4_o = f2i_3_q;
  assign sat_4_o = sat_3_q;
  assign rnd_5_o = rnd_4_q;
  assign ftz_5_o = ftz_4_q;
  assign sat_5_o = sat_4_q;
endmodule
