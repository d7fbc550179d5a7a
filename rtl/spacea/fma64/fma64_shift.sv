// SPDX-License-Identifier: Apache-2.0
// fma64_shift: stage 5 of fma64. Moves the first bit of the group to the top, or that with the
// limit, and finds its exponent.
`default_nettype none

module fma64_shift (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation
  input  wire logic [68:0] x_i,  /// the group, and what follows it
  input  wire logic        rest_i,  /// something was left below
  input  wire logic [3:0]  group_i,  /// which group it is, from the top
  input  wire logic [11:0] lim_i,  /// how far the sum may be normalised,
  input  wire logic        limit_i,  /// which is within this group
  input  wire logic        sub_i,  /// product and addend have different signs
  input  wire logic        neg_i,  /// sign of the result, if it is not zero
  input  wire logic        nan_i,  /// the result is a NaN
  input  wire logic        inf_i,  /// or an infinity
  output logic [53:0]      x_o,  /// significand, and the first place below
  output logic             rest_o,  /// something was left below
  output logic [11:0]      e_o,  /// exponent, if the top bit is one
  output logic             neg_o,  /// sign of the result
  output logic             nan_o,  /// as nan_i
  output logic             inf_o   /// as inf_i
);
  function automatic [3:0] leading(input [15:1] v);  // zeros at the top of {v, 1}
    logic [7:1] v8;
    logic [3:1] v4;
    leading[3] = v[15:8] == '0;
    v8 = leading[3] ? v[7:1] : v[15:9];
    leading[2] = v8[7:4] == '0;
    v4 = leading[2] ? v8[3:1] : v8[7:5];
    leading[1] = v4[3:2] == '0;
    leading[0] = leading[1] ? !v4[1] : !v4[3];
  endfunction

  task automatic shift;
    logic [3:0] n;
    logic [53:0] x;
    logic [14:0] low;
    n = leading(x_i[68:54] | (limit_i ? 15'h4000 >> lim_i[3:0] : 15'd0));
    {x, low} = x_i << n;
    x_o <= x;
    rest_o <= low != '0 || rest_i;
    e_o <= {lim_i[11:4] - {4'd0, group_i}, lim_i[3:0]} + 12'd1 - {8'd0, n};
    neg_o <= neg_i && !(sub_i && x_i == '0 && !rest_i);  // a difference of zero is +0
    nan_o <= nan_i;
    inf_o <= inf_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) shift;
endmodule
