// SPDX-License-Identifier: Apache-2.0
// fma64_round: stage 6 of fma64. Rounding to nearest even, overflow, NaN and infinity. A carry out
// of the fraction runs into the exponent, as it should: also from the largest subnormal number to
// the smallest normal one.
`default_nettype none

module fma64_round (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation
  input  wire logic [53:0] x_i,  /// significand, and the first place below
  input  wire logic        rest_i,  /// something was left below
  input  wire logic [11:0] e_i,  /// exponent, if the top bit is one
  input  wire logic        neg_i,  /// sign of the result
  input  wire logic        nan_i,  /// the result is a NaN
  input  wire logic        inf_i,  /// or an infinity
  output logic [63:0]      d_o  /// the result; holds its value until the next one
);
  localparam [63:0] NAN = 64'h7ff8000000000000;

  task automatic finish;
    logic [51:0] above, m;  // the next fraction: made beside the decision to take it
    logic [11:0] e1;        // exponent of a normal number with the carry of the fraction
    logic [10:0] e;
    logic up, carry, over;

    up = x_i[0] && (rest_i || x_i[1]);
    above = x_i[52:1] + 52'd1;
    carry = up && x_i[52:1] == '1;
    m = up ? above : x_i[52:1];
    e1 = e_i + 12'd1;
    e = !x_i[53] ? {10'd0, carry} : carry ? e1[10:0] : e_i[10:0];
    over = x_i[53] && (carry ? e1 >= 12'd2047 : e_i >= 12'd2047);
    d_o <= nan_i ? NAN : inf_i || over ? {neg_i, 11'h7ff, 52'd0} : {neg_i, e, m};
  endtask
  always_ff @(posedge clk_i) if (en_i) finish;
endmodule
