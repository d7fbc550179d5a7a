// SPDX-License-Identifier: Apache-2.0
// fpu_lane: the data path of fpu, stages 1 to 5. Each stage is clocked by its own enable: an idle
// lane neither toggles nor costs simulation time.
//
//   alt, pp[0..3] -> product ----------\
//   mc, away ------> hi, lo (77 bits) --+--> hi, lo -> x -> d
//
// The last register also takes the results of a neighbour (other_i), so that a lane with more than
// one unit has one result register.
`default_nettype none

module fpu_lane (
  input  wire logic        clk_i,  /// clock
  input  wire logic [4:0]  en_i,  /// bit k: stage k + 1 takes an operation,
  input  wire logic [4:0]  on_i,  /// and this lane takes part
  input  wire logic [3:0]  op_i,  /// operation, fpu_pkg
  input  wire logic [4:0]  fn_i,  /// isa_pkg RND_* or CMP_*
  input  wire logic        ftz_i,  /// subnormals become zeros
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  input  wire logic [fpu_pkg::CONTROLS-1:0] ctl_i,  /// of fpu_ctrl
  input  wire logic        other_i,    /// the result register takes other_d_i; not with en_i[4]
  input  wire logic [31:0] other_d_i,  /// the neighbour's result
  output logic [31:0]      d_o  /// the result; holds its value until the next one
);
  // after stage 1
  logic [29:0] pp0, pp1, pp2, pp3;
  logic [31:0] alt;
  logic [23:0] mc;
  logic [6:0] away;
  logic [9:0] top_1, lim_2, lim_3;
  logic use_mul, use_add, no_alt, raw_1, sub_1, neg_1;
  // after stages 2, 3, 4
  logic [47:0] p_2;
  logic [25:0] hi_2, hi_3;
  logic [50:0] lo_2, lo_3;
  logic raw_2, sub_2, neg_2, raw_3, sub_3, neg_3, raw_4, sub_4, neg_4, rest_4;
  logic [4:0] some_3;
  logic [39:0] x_4;
  logic [3:0] n_4;
  logic [9:0] e_4;

  fpu_unpack i_unpack (
    .clk_i, .en_i(en_i[0]), .on_i(on_i[0]), .op_i, .fn_i, .ftz_i, .a_i, .b_i, .c_i, .pp0_o(pp0),
    .pp1_o(pp1), .pp2_o(pp2), .pp3_o(pp3), .alt_o(alt), .mc_o(mc), .away_o(away), .top_o(top_1),
    .use_mul_o(use_mul), .use_add_o(use_add), .no_alt_o(no_alt), .raw_o(raw_1), .sub_o(sub_1),
    .neg_o(neg_1)
  );
  fpu_align i_align (
    .clk_i, .en_i(en_i[1]), .on_i(on_i[1]), .int_i(ctl_i[fpu_pkg::INT_2]),
    .f2i_i(ctl_i[fpu_pkg::F2I_2]), .rnd_i(ctl_i[fpu_pkg::RND_2 +: 2]),
    .pp0_i(pp0), .pp1_i(pp1), .pp2_i(pp2), .pp3_i(pp3), .alt_i(alt),
    .mc_i(mc), .away_i(away), .top_i(top_1), .use_mul_i(use_mul), .use_add_i(use_add),
    .no_alt_i(no_alt), .raw_i(raw_1), .sub_i(sub_1), .neg_i(neg_1), .p_o(p_2), .hi_o(hi_2),
    .lo_o(lo_2), .lim_o(lim_2), .raw_o(raw_2), .sub_o(sub_2), .neg_o(neg_2)
  );
  fpu_add i_add (
    .clk_i, .en_i(en_i[2]), .on_i(on_i[2]), .p_i(p_2), .hi_i(hi_2), .lo_i(lo_2),
    .lim_i(lim_2), .raw_i(raw_2), .sub_i(sub_2), .neg_i(neg_2), .hi_o(hi_3), .lo_o(lo_3),
    .some_o(some_3), .lim_o(lim_3), .raw_o(raw_3), .sub_o(sub_3), .neg_o(neg_3)
  );
  fpu_norm i_norm (
    .clk_i, .en_i(en_i[3]), .on_i(on_i[3]), .f2i_i(ctl_i[fpu_pkg::F2I_4]),
    .sat_i(ctl_i[fpu_pkg::SAT_4]), .hi_i(hi_3),
    .lo_i(lo_3), .some_i(some_3), .lim_i(lim_3), .raw_i(raw_3), .sub_i(sub_3), .neg_i(neg_3),
    .x_o(x_4), .rest_o(rest_4), .n_o(n_4), .e_o(e_4), .raw_o(raw_4), .sub_o(sub_4), .neg_o(neg_4)
  );
  fpu_round i_round (
    .clk_i, .en_i(en_i[4]), .on_i(on_i[4]), .rnd_i(ctl_i[fpu_pkg::RND_5 +: 2]),
    .ftz_i(ctl_i[fpu_pkg::FTZ_5]), .sat_i(ctl_i[fpu_pkg::SAT_5]),
    .x_i(x_4), .rest_i(rest_4), .n_i(n_4), .e_i(e_4), .raw_i(raw_4), .sub_i(sub_4), .neg_i(neg_4),
    .other_i, .other_d_i, .d_o
  );
endmodule
