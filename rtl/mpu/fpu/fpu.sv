// SPDX-License-Identifier: Apache-2.0
// fpu: binary32 arithmetic of one lane: fma and what it can do, comparison, conversion. The numbers
// of op, and what each gives, are in docs/blocks/fpu.md.
//
//   a, b, c -> [1 unpack, multiply] -> [2 sum, align] -> [3 add] -> [4 normalise] -> [5 round] -> d
//   op, fn  -> [ fpu_ctrl: a valid bit and the controls of each stage                  ]
//
// Latency 5, one operation a cycle. fpu_lane is the data path; valu has 32 of them and one
// fpu_ctrl.
`default_nettype none
`include "check.svh"

module fpu (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  input  wire logic        valid_i,  /// an operation enters
  input  wire logic [3:0]  op_i,     /// what: FPU_ADD and so on, see docs/blocks/fpu.md
  input  wire logic [4:0]  fn_i,     /// rounding (isa_pkg RND_*) or comparison (CMP_*)
  input  wire logic        ftz_i,    /// subnormal inputs and results become zeros of their sign
  input  wire logic        sat_i,    /// clamp the result to [0, 1], NaN to 0
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  output logic             valid_o,  /// a result leaves
  output logic [31:0]      d_o       /// the result; holds its value while valid is low
);
  logic [4:0] valid;
  logic [fpu_pkg::CONTROLS-1:0] ctl;

  fpu_ctrl i_ctrl (
    .clk_i, .rst_ni, .valid_i, .op_i, .fn_i, .ftz_i, .sat_i, .valid_o(valid), .ctl_o(ctl)
  );
  fpu_lane i_lane (
    .clk_i, .en_i({valid[3:0], valid_i}), .on_i(5'h1f), .op_i, .fn_i, .ftz_i, .a_i, .b_i, .c_i,
    .ctl_i(ctl), .other_i(1'b0), .other_d_i(32'd0), .d_o
  );
  assign valid_o = valid[4];

  `RESET_FIRST
`ifdef FORMAL
  logic [4:0] f_in;
  logic [31:0] f_d;
  logic f_live;
  always @(posedge clk_i) begin
    f_in <= rst_ni ? {f_in[3:0], valid_i} : 5'd0;
    f_live <= rst_ni;
    f_d <= d_o;
  end
  always @(posedge clk_i) if (rst_ni && f_live) begin
    `CHK(result_after_five_edges, valid_o == f_in[4])
    `CHK(inside_is_what_entered, valid == f_in)
    `CHK(result_holds, valid_o || d_o == f_d)
    `COV(back_to_back, valid == 5'h1f && d_o == 32'h3f800000)
  end
`endif
endmodule
