// SPDX-License-Identifier: Apache-2.0
// fma64_add: stage 3 of fma64. Adds product and addend, or subtracts the smaller from the larger.
//
// Only the lower bits need an adder: the product does not reach into the upper ones, which take the
// carry or the borrow.
`default_nettype none

module fma64_add (
  input  wire logic         clk_i,  /// clock
  input  wire logic         en_i,  /// the stage takes an operation
  input  wire logic [105:0] p_i,  /// product: bits 108:3; inverted with sub_i
  input  wire logic [163:0] x_i,  /// addend
  input  wire logic [11:0]  lim_i,  /// how far the sum may be normalised
  input  wire logic         sub_i,  /// product and addend have different signs
  input  wire logic         neg_i,  /// sign of the product
  input  wire logic         nan_i,  /// the result is a NaN
  input  wire logic         inf_i,  /// or an infinity
  output logic [163:0]      x_o,  /// sum
  output logic [11:0]       lim_o,  /// as lim_i
  output logic              sub_o,  /// as sub_i
  output logic              neg_o,  /// sign of the result, if it is not zero
  output logic              nan_o,  /// as nan_i
  output logic              inf_o   /// as inf_i
);
  task automatic add;
    logic swap, step, carry;
    logic [108:0] p, lo, sum, other;
    logic [54:0] hi, next;

    {hi, lo} = x_i;
    p = {p_i, {3{sub_i}}};
    // lo - p = lo + ~p + 1, and p - lo = ~(lo + ~p)
    {carry, sum} = {1'b0, lo} + {1'b0, p} + {109'd0, sub_i};
    other = lo + p;
    next = hi + {{54{sub_i}}, 1'b1};  // less one, or and one
    swap = sub_i && hi == '0 && !carry;
    step = carry ? !sub_i : sub_i && hi != '0;
    x_o <= {step ? next : hi, swap ? ~other : sum};
    neg_o <= neg_i ^ (sub_i && !swap);
    lim_o <= lim_i;
    sub_o <= sub_i;
    nan_o <= nan_i;
    inf_o <= inf_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) add;
endmodule
