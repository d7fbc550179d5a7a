// SPDX-License-Identifier: Apache-2.0
// fma64: binary64 fused multiply-add, sum, product and minimum. The numbers of op, and what each
// gives, are in docs/blocks/fma64.md.
//
//   a, b -> [1 rows] -> [2 product] -\
//   a, b, c -> [1 unpack] -> [2 align] -> [3 add] -> [4 group] -> [5 shift] -> [6 round] -> d
//
// Latency 6, one operation a cycle. Each stage is clocked by its own valid bit: an idle unit
// neither toggles nor costs simulation time.
`default_nettype none
`include "check.svh"

module fma64 (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  input  wire logic        valid_i,  /// an operation enters
  input  wire logic [1:0]  op_i,     /// what: FMA64_FMA and so on, see docs/blocks/fma64.md
  input  wire logic [63:0] a_i,  /// first operand
  input  wire logic [63:0] b_i,  /// second operand
  input  wire logic [63:0] c_i,  /// third operand, of FMA only
  output logic             valid_o,  /// a result leaves
  output logic [63:0]      d_o  /// the result; holds its value while valid is low
);
  localparam int R = fma64_pkg::ROWS;
  logic [5:0] valid_q;  // bit k: the registers at the end of stage k + 1 hold an operation
  // after stage 1
  logic [R-1:0] s0, s1, s2, c0, c1, c2;
  logic [52:0] mc;
  logic [7:0] away;
  logic [11:0] top, lim_2, lim_3, lim_4;
  logic sub_1, neg_1, nan_1, inf_1;
  // after stages 2, 3, 4, 5
  logic [105:0] p_2;
  logic [163:0] x_2, x_3;
  logic [68:0] x_4;
  logic [53:0] x_5;
  logic [11:0] e_5;
  logic [3:0] group_4;
  logic sub_2, neg_2, nan_2, inf_2, sub_3, neg_3, nan_3, inf_3, rest_4, sub_4, neg_4, nan_4, inf_4;
  logic limit_4, rest_5, neg_5, nan_5, inf_5;

  always_ff @(posedge clk_i)
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[4:0], valid_i};
  assign valid_o = valid_q[5];

  // the multiplier: b, 1 for ADD, 0 for MIN
  logic [52:0] ma, mb;
  always_comb begin
    ma = {a_i[62:52] != '0, a_i[51:0]};
    mb = op_i == fma64_pkg::ADD ? {1'b1, 52'd0} :
         {b_i[62:52] != '0, b_i[51:0]} & {53{op_i != fma64_pkg::MIN}};
  end
  fma64_rows #(.FIRST(1)) i_rows0 (
    .clk_i, .en_i(valid_i), .a_i(ma), .b_i({mb[17:0], 1'b0}), .s_o(s0), .c_o(c0)
  );
  fma64_rows #(.FIRST(0)) i_rows1 (
    .clk_i, .en_i(valid_i), .a_i(ma), .b_i(mb[35:17]), .s_o(s1), .c_o(c1)
  );
  fma64_rows #(.FIRST(0)) i_rows2 (
    .clk_i, .en_i(valid_i), .a_i(ma), .b_i({1'b0, mb[52:35]}), .s_o(s2), .c_o(c2)
  );
  fma64_unpack i_unpack (
    .clk_i, .en_i(valid_i), .op_i, .a_i, .b_i, .c_i, .mc_o(mc), .away_o(away), .top_o(top),
    .sub_o(sub_1), .neg_o(neg_1), .nan_o(nan_1), .inf_o(inf_1)
  );
  fma64_align i_align (
    .clk_i, .en_i(valid_q[0]), .s0_i(s0), .c0_i(c0), .s1_i(s1), .c1_i(c1), .s2_i(s2), .c2_i(c2),
    .mc_i(mc), .away_i(away), .top_i(top), .sub_i(sub_1), .neg_i(neg_1), .nan_i(nan_1),
    .inf_i(inf_1), .p_o(p_2), .x_o(x_2), .lim_o(lim_2), .sub_o(sub_2), .neg_o(neg_2),
    .nan_o(nan_2), .inf_o(inf_2)
  );
  fma64_add i_add (
    .clk_i, .en_i(valid_q[1]), .p_i(p_2), .x_i(x_2), .lim_i(lim_2), .sub_i(sub_2), .neg_i(neg_2),
    .nan_i(nan_2), .inf_i(inf_2), .x_o(x_3), .lim_o(lim_3), .sub_o(sub_3), .neg_o(neg_3),
    .nan_o(nan_3), .inf_o(inf_3)
  );
  fma64_group i_group (
    .clk_i, .en_i(valid_q[2]), .x_i(x_3), .lim_i(lim_3), .sub_i(sub_3), .neg_i(neg_3),
    .nan_i(nan_3), .inf_i(inf_3), .x_o(x_4), .rest_o(rest_4), .group_o(group_4), .lim_o(lim_4),
    .limit_o(limit_4), .sub_o(sub_4), .neg_o(neg_4), .nan_o(nan_4), .inf_o(inf_4)
  );
  fma64_shift i_shift (
    .clk_i, .en_i(valid_q[3]), .x_i(x_4), .rest_i(rest_4), .group_i(group_4), .lim_i(lim_4),
    .limit_i(limit_4), .sub_i(sub_4), .neg_i(neg_4), .nan_i(nan_4), .inf_i(inf_4), .x_o(x_5),
    .rest_o(rest_5), .e_o(e_5), .neg_o(neg_5), .nan_o(nan_5), .inf_o(inf_5)
  );
  fma64_round i_round (
    .clk_i, .en_i(valid_q[4]), .x_i(x_5), .rest_i(rest_5), .e_i(e_5), .neg_i(neg_5), .nan_i(nan_5),
    .inf_i(inf_5), .d_o
  );

  `RESET_FIRST
`ifdef FORMAL
  `include "fma64_proof.svh"
`endif
endmodule
