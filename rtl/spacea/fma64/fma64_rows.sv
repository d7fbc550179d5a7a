// SPDX-License-Identifier: Apache-2.0
// fma64_rows: a third of the multiplier of fma64, stage 1. Nine Booth digits of b, each -2 to 2,
// select multiples of a; the nine rows are added up to a sum and a carry.
//
// Row k has the weight 4^k. A multiple is negative as ~m + 1: the one stands below the next row,
// two places lower, and so do the outputs, whose bit 2 has the weight of bit 0 of row 0. Instead of
// being extended by its sign, a row ends with 1 and the inverted sign; all those ones are -1 times
// the weight of the sign of the row 0 of all, which has FIRST and adds it.
`default_nettype none

module fma64_rows #(
  parameter bit FIRST = 1'b0  /// has the lowest row of all
) (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation
  input  wire logic [52:0] a_i,  /// multiplicand
  input  wire logic [18:0] b_i,  /// bits of the multiplier, with the one below them
  output logic [fma64_pkg::ROWS-1:0] s_o,  /// sum,
  output logic [fma64_pkg::ROWS-1:0] c_o   /// and carry to be added to it
);
  localparam int W = fma64_pkg::ROWS;

  function automatic [W-1:0] row(input [52:0] a, input [18:0] b, input int k);
    logic [2:0] d;  // digit: d[1] + d[0] - 2 d[2]
    logic [53:0] m;
    logic low;
    d = b[2*k +: 3];
    m = ({1'b0, a} & {54{d[1] ^ d[0]}}) | ({a, 1'b0} & {54{d == 3'b011 || d == 3'b100}});
    low = b[2*k];
    if (FIRST && k == 0) row = W'({!d[2], d[2], d[2], m ^ {54{d[2]}}, 2'b00});
    else row = W'({1'b1, !d[2], m ^ {54{d[2]}}, 1'b0, low}) << 2 * k;
  endfunction
  function automatic [W-1:0] sum(input [W-1:0] x, input [W-1:0] y, input [W-1:0] z);
    sum = x ^ y ^ z;
  endfunction
  function automatic [W-1:0] carry(input [W-1:0] x, input [W-1:0] y, input [W-1:0] z);
    carry = ((x & y) | (x & z) | (y & z)) << 1;
  endfunction

  // nine rows, six, four, three, two
  task automatic multiply;
    logic [W-1:0] s1, s2, s3, s4, s5, s6, c1, c2, c3, c4, c5, c6;
    s1 = sum(row(a_i, b_i, 0), row(a_i, b_i, 1), row(a_i, b_i, 2));
    c1 = carry(row(a_i, b_i, 0), row(a_i, b_i, 1), row(a_i, b_i, 2));
    s2 = sum(row(a_i, b_i, 3), row(a_i, b_i, 4), row(a_i, b_i, 5));
    c2 = carry(row(a_i, b_i, 3), row(a_i, b_i, 4), row(a_i, b_i, 5));
    s3 = sum(row(a_i, b_i, 6), row(a_i, b_i, 7), row(a_i, b_i, 8));
    c3 = carry(row(a_i, b_i, 6), row(a_i, b_i, 7), row(a_i, b_i, 8));
    s4 = sum(s1, c1, s2);
    c4 = carry(s1, c1, s2);
    s5 = sum(c2, s3, c3);
    c5 = carry(c2, s3, c3);
    s6 = sum(s4, c4, s5);
    c6 = carry(s4, c4, s5);
    s_o <= sum(s6, c6, c5);
    c_o <= carry(s6, c6, c5);
  endtask
  always_ff @(posedge clk_i) if (en_i) multiply;
endmodule
