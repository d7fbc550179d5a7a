// SPDX-License-Identifier: Apache-2.0
// fpu_add: stage 3 of fpu. Adds product and addend, or subtracts the smaller from the larger; and
// finds which of five groups of 16 bits, from the top, may hold the first bit of the result.
//
// Only lo needs an adder: the product does not reach into hi, which takes the carry or the borrow.
`default_nettype none

module fpu_add (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation,
  input  wire logic        on_i,  /// and this lane takes part
  input  wire logic [47:0] p_i,  /// product, of fpu_align
  input  wire logic [25:0] hi_i,  /// addend, upper bits
  input  wire logic [50:0] lo_i,  /// addend, lower bits
  input  wire logic [9:0]  lim_i,  /// how far the sum may be normalised
  input  wire logic        raw_i,  /// the result is settled, and goes through as it is
  input  wire logic        sub_i,  /// product and addend have different signs
  input  wire logic        neg_i,  /// sign of the product
  output logic [25:0]      hi_o,  /// sum, upper bits
  output logic [50:0]      lo_o,  /// sum, lower bits
  /// bit k: the group k from the top is not zero, or holds the limit
  output logic [4:0]       some_o,
  output logic [9:0]       lim_o,  /// as lim_i
  output logic             raw_o,  /// as raw_i
  output logic             sub_o,  /// as sub_i
  output logic             neg_o    /// sign of the result, if it is not zero
);
  // groups of lo that are not zero, 4 to 1; 1 is the lower part of that group
  function automatic [4:1] groups(input [50:0] x);
    groups = {x[12:0] != '0, x[28:13] != '0, x[44:29] != '0, x[50:45] != '0};
  endfunction

  // The groups are looked at in both candidates of lo and of hi, so that the choice comes last.
  task automatic add;
    logic swap, carry, unused;
    logic [50:0] p, diff;
    logic [51:0] sum;
    logic [25:0] next;
    logic [4:1] some;

    p = {p_i, 3'd0};
    {sum, unused} = {1'b0, lo_i, 1'b1} + {sub_i, p ^ {51{sub_i}}, sub_i};  // lo - p = lo + ~p + 1
    diff = p - lo_i;
    next = hi_i + {{25{sub_i}}, 1'b1};  // less one, or and one
    swap = sub_i && sum[51] && hi_i == '0;
    carry = sum[51] && !swap;
    hi_o <= carry ? next : hi_i;
    lo_o <= swap ? diff : sum[50:0];
    some = swap ? groups(diff) : groups(sum[50:0]);
    some_o <= {some[4] || lim_i[9:4] == 6'd4, some[3] || lim_i[9:4] == 6'd3,
               some[2] || lim_i[9:4] == 6'd2,
               some[1] || (carry ? next[9:0] != '0 : hi_i[9:0] != '0) || lim_i[9:4] == 6'd1,
               (carry ? next[25:10] != '0 : hi_i[25:10] != '0) || lim_i[9:4] == 6'd0};
    neg_o <= neg_i ^ (sub_i && !swap);
    lim_o <= lim_i;
    raw_o <= raw_i;
    sub_o <= sub_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) if (on_i) add;
endmodule
