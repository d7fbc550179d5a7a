// SPDX-License-Identifier: Apache-2.0
// fpu_round: stage 5 of fpu. The last 0 to 3 places of normalisation, rounding, overflow, .ftz,
// .sat. A carry out of the significand runs into the exponent, as it should: also from the largest
// subnormal number to the smallest normal one.
`default_nettype none

module fpu_round (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation,
  input  wire logic        on_i,  /// and this lane takes part
  input  wire logic [1:0]  rnd_i,  /// 0 RN, 1 RZ, 2 RM, 3 RP
  input  wire logic        ftz_i,  /// a subnormal result becomes zero
  input  wire logic        sat_i,  /// the result is clamped to [0, 1]
  input  wire logic [39:0] x_i,  /// the result but for the last shift, of fpu_norm
  input  wire logic        rest_i,  /// something was left below
  input  wire logic [3:0]  n_i,  /// shift within the group
  input  wire logic [9:0]  e_i,  /// exponent before that
  input  wire logic        raw_i,  /// the result is settled: x_i has it
  input  wire logic        sub_i,  /// product and addend have different signs
  input  wire logic        neg_i,  /// sign of the result, if it is not zero
  input  wire logic        other_i,  /// take other_d_i
  input  wire logic [31:0] other_d_i,  /// a neighbour's result
  output logic [31:0]      d_o  /// the result; holds its value until the next one
);
  localparam [31:0] ONE = 32'h3f800000;

  task automatic finish;
    logic [24:0] y;  // significand, and the first place below
    logic [2:0] unused;
    logic [22:0] above;  // the next fraction: made beside the decision to take it
    logic [22:0] m;      // fraction
    logic [9:0] e0, e1;  // exponent of a normal number without and with the carry of the fraction
    logic [7:0] e;       // exponent
    logic [31:0] r;
    logic neg, sticky, up, carry, zero, one, over;

    {y, unused} = x_i[39:12] << n_i[1:0];
    // beside the shift, not behind it: anything below y
    sticky = x_i[11:0] != '0 || rest_i || x_i[12] && n_i[1:0] != 2'd3 || x_i[13] && !n_i[1] ||
             x_i[14] && n_i[1:0] == 2'd0;
    // a difference of zero is +0, but -0 when rounding down; only zeros are shifted out
    neg = sub_i && x_i == '0 && !rest_i ? rnd_i == 2'd2 : neg_i;
    case (rnd_i)
      2'd0: up = y[0] && (sticky || y[1]);
      2'd1: up = 1'b0;
      2'd2: up = neg && (y[0] || sticky);
      default: up = !neg && (y[0] || sticky);
    endcase
    above = y[23:1] + 23'd1;
    m = up ? above : y[23:1];
    carry = up && y[23:1] == '1;
    e0 = e_i - {6'd0, n_i};
    e1 = e0 + 10'd1;
    e = y[24] ? carry ? e1[7:0] : e0[7:0] : {7'd0, carry};
    // e is that of 0, of 1.0 or more, too large: both exponents are looked at beside the rounding
    zero = y[24] ? carry ? e1 == '0 : e0 == '0 : !carry;
    one = y[24] && (carry ? e1 >= 10'd127 : e0 >= 10'd127);
    over = y[24] && (carry ? e1 >= 10'd255 : e0 >= 10'd255);

    if (raw_i) r = x_i[39:8];
    else if (sat_i) r = neg || zero && (ftz_i || m == '0) ? 32'd0 :
                        one ? ONE : {1'b0, e, m};
    else if (over)
      r = {neg, rnd_i == 2'd0 || rnd_i == 2'd2 && neg || rnd_i == 2'd3 && !neg ?
           31'h7f800000 : 31'h7f7fffff};
    else r = {neg, e, m & {23{!ftz_i || !zero}}};
    d_o <= r;
  endtask
  always_ff @(posedge clk_i)
    if (other_i) begin
      if (on_i) d_o <= other_d_i;
    end else if (en_i) begin
      if (on_i) finish;
    end
endmodule
