// SPDX-License-Identifier: Apache-2.0
// fpu_ctrl: what all lanes of an operation share: which stages are busy, and the controls of stages
// 2 to 5. Controls of a stage change only when an operation moves into it.
`default_nettype none

module fpu_ctrl (
  input  wire logic       clk_i,  /// clock
  input  wire logic       rst_ni,  /// synchronous reset, low
  input  wire logic       valid_i,  /// an operation enters
  input  wire logic [3:0] op_i,  /// operation, fpu_pkg
  input  wire logic [4:0] fn_i,  /// isa_pkg RND_* or CMP_*
  input  wire logic       ftz_i,  /// subnormals become zeros
  input  wire logic       sat_i,  /// the result is clamped to [0, 1]
  /// bit k: the registers at the end of stage k + 1 hold an operation
  output logic [4:0]      valid_o,
  output logic [fpu_pkg::CONTROLS-1:0] ctl_o  /// controls of stages 2 to 5, fpu_pkg
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
      int_1_q <= fpu_pkg::to_integer(op_i);
      f2i_1_q <= op_i == fpu_pkg::F2I_U || op_i == fpu_pkg::F2I_S;
      rnd_1_q <= rnd;
      ftz_1_q <= ftz_i && (fpu_pkg::arithmetic(op_i) || op_i == fpu_pkg::F2F);
      sat_1_q <= sat_i && (fpu_pkg::arithmetic(op_i) || op_i == fpu_pkg::I2F_U ||
                           op_i == fpu_pkg::I2F_S || op_i == fpu_pkg::F2F);
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
  always_comb begin
    ctl_o[fpu_pkg::INT_2] = int_1_q;
    ctl_o[fpu_pkg::RND_2 +: 2] = rnd_1_q;
    ctl_o[fpu_pkg::F2I_2] = f2i_1_q;
    ctl_o[fpu_pkg::F2I_4] = f2i_3_q;
    ctl_o[fpu_pkg::SAT_4] = sat_3_q;
    ctl_o[fpu_pkg::RND_5 +: 2] = rnd_4_q;
    ctl_o[fpu_pkg::FTZ_5] = ftz_4_q;
    ctl_o[fpu_pkg::SAT_5] = sat_4_q;
  end
endmodule
