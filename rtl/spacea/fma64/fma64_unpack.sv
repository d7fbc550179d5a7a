// SPDX-License-Identifier: Apache-2.0
// fma64_unpack: stage 1 of fma64. Takes the operands apart, finds how far the addend is to be
// shifted, and settles NaNs and infinities.
//
// The sum is made in 164 bits: bits 108:3 are the product; above them are 55 bits, and below two,
// and one for all that the addend has lost. away is the distance of the addend from the top. The
// minimum is an addend of a product of zero.
`default_nettype none

module fma64_unpack (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation
  input  wire logic [1:0]  op_i,  /// operation, fma64_pkg
  input  wire logic [63:0] a_i,  /// first operand
  input  wire logic [63:0] b_i,  /// second operand
  input  wire logic [63:0] c_i,  /// third operand
  output logic [52:0]      mc_o,  /// significand of the addend
  output logic [7:0]       away_o,  /// 255: that far or further
  output logic [11:0]      top_o,  /// exponent of the top bit of the 164
  output logic             sub_o,  /// product and addend have different signs
  output logic             neg_o,  /// sign of the product, or of an infinity
  output logic             nan_o,  /// the result is a NaN,
  output logic             inf_o   /// or an infinity
);
  function automatic is_nan(input [62:0] x);
    is_nan = x[62:52] == '1 && x[51:0] != '0;
  endfunction
  function automatic is_inf(input [62:0] x);
    is_inf = x[62:52] == '1 && x[51:0] == '0;
  endfunction
  // subnormals have that of the smallest normal number
  function automatic [12:0] exponent(input [10:0] e);
    exponent = {2'd0, e[10:1], e[0] || e == '0};
  endfunction

  task automatic unpack;
    logic [63:0] c, least;
    logic [12:0] ec, top, away;
    logic mul, min, sp, sc, inf_p, inf_c, zero_p, take_a, above;

    min = op_i == fma64_pkg::MIN;
    mul = op_i == fma64_pkg::FMA || op_i == fma64_pkg::MUL;
    take_a = is_nan(b_i[62:0]) || !is_nan(a_i[62:0]) &&
             (a_i[63] != b_i[63] ? a_i[63] : (a_i[62:0] < b_i[62:0]) != a_i[63]);
    least = take_a ? a_i : b_i;

    // the addend: c, b, or a zero that does not change the sign of a product of zero
    sp = a_i[63] ^ (mul && b_i[63]);
    c = op_i == fma64_pkg::FMA ? c_i : op_i == fma64_pkg::MUL ? {sp, 63'd0} : b_i;
    sc = c[63];
    ec = exponent(c[62:52]);
    inf_p = is_inf(a_i[62:0]) || mul && is_inf(b_i[62:0]);
    inf_c = is_inf(c[62:0]);
    zero_p = a_i[62:0] == '0 || mul && b_i[62:0] == '0;
    // 56 places between the exponent of the product and the top
    top = exponent(a_i[62:52]) + (mul ? exponent(b_i[62:52]) : 13'd1023) - 13'd967;
    away = top - ec;
    above = away[12] || zero_p;

    if (min) begin
      nan_o <= is_nan(a_i[62:0]) && is_nan(b_i[62:0]);
      inf_o <= is_inf(least[62:0]);
      sub_o <= 1'b0;
      neg_o <= least[63];
      mc_o <= {least[62:52] != '0, least[51:0]};
      top_o <= 12'(exponent(least[62:52]));
      away_o <= '0;
    end else begin
      nan_o <= is_nan(a_i[62:0]) || is_nan(c[62:0]) || mul && is_nan(b_i[62:0]) ||
               inf_p && (zero_p || inf_c && sp != sc);
      inf_o <= inf_p || inf_c;
      sub_o <= sp != sc && !inf_p && !inf_c;
      neg_o <= inf_c ? sc : sp;
      mc_o <= {c[62:52] != '0, c[51:0]};
      top_o <= above ? ec[11:0] : top[11:0];
      away_o <= above ? '0 : away[11:8] != '0 ? '1 : away[7:0];
    end
  endtask
  always_ff @(posedge clk_i) if (en_i) unpack;
endmodule
