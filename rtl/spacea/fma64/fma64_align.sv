// SPDX-License-Identifier: Apache-2.0
// fma64_align: stage 2 of fma64. Adds up the product, and shifts the addend to its place in the 164
// bits: first by 0 to 15, then by multiples of 16. What falls out at the end stays as bit 0.
`default_nettype none

module fma64_align (
  input  wire logic         clk_i,  /// clock
  input  wire logic         en_i,  /// the stage takes an operation
  input  wire logic [fma64_pkg::ROWS-1:0] s0_i,  /// sum of rows 0 to 8, see fma64_rows
  input  wire logic [fma64_pkg::ROWS-1:0] c0_i,  /// their carry
  input  wire logic [fma64_pkg::ROWS-1:0] s1_i,  /// sum of rows 9 to 17
  input  wire logic [fma64_pkg::ROWS-1:0] c1_i,  /// their carry
  input  wire logic [fma64_pkg::ROWS-1:0] s2_i,  /// sum of rows 18 to 26
  input  wire logic [fma64_pkg::ROWS-1:0] c2_i,  /// their carry
  input  wire logic [52:0]  mc_i,  /// significand of the addend
  input  wire logic [7:0]   away_i,  /// its distance from the top
  input  wire logic [11:0]  top_i,  /// exponent of the top bit of the 164
  input  wire logic         sub_i,  /// product and addend have different signs
  input  wire logic         neg_i,  /// sign of the product
  input  wire logic         nan_i,  /// the result is a NaN
  input  wire logic         inf_i,  /// or an infinity
  output logic [105:0]      p_o,  /// product: bits 108:3; inverted with sub_i
  output logic [163:0]      x_o,  /// addend
  output logic [11:0]       lim_o,  /// how far the sum may be normalised
  output logic              sub_o,  /// as sub_i
  output logic              neg_o,  /// as neg_i
  output logic              nan_o,  /// as nan_i
  output logic              inf_o   /// as inf_i
);
  localparam int W = fma64_pkg::ROWS + 36;
  function automatic [W-1:0] sum(input [W-1:0] x, input [W-1:0] y, input [W-1:0] z);
    sum = x ^ y ^ z;
  endfunction
  function automatic [W-1:0] carry(input [W-1:0] x, input [W-1:0] y, input [W-1:0] z);
    carry = ((x & y) | (x & z) | (y & z)) << 1;
  endfunction

  task automatic align;
    logic [W-1:0] s1, s2, s3, c1, c2, c3;
    logic [2:0] unused_hi;
    logic [1:0] unused_lo;
    logic [105:0] p;
    logic [67:0] f;

    // rows 9 and 18 have the weights 2^18 and 2^36; six addends, four, three, two
    s1 = sum({36'd0, s0_i}, {36'd0, c0_i}, {18'd0, s1_i, 18'd0});
    c1 = carry({36'd0, s0_i}, {36'd0, c0_i}, {18'd0, s1_i, 18'd0});
    s2 = sum({18'd0, c1_i, 18'd0}, {s2_i, 36'd0}, {c2_i, 36'd0});
    c2 = carry({18'd0, c1_i, 18'd0}, {s2_i, 36'd0}, {c2_i, 36'd0});
    s3 = sum(s1, c1, s2);
    c3 = carry(s1, c1, s2);
    // bit 2 has the weight of row 0
    {unused_hi, p, unused_lo} = sum(s3, c3, c2) + carry(s3, c3, c2);
    p_o <= p ^ {106{sub_i}};

    f = {mc_i, 15'd0} >> away_i[3:0];
    case (away_i[7:4])
      4'd0: x_o <= {f, 96'd0};
      4'd1: x_o <= {16'd0, f, 80'd0};
      4'd2: x_o <= {32'd0, f, 64'd0};
      4'd3: x_o <= {48'd0, f, 48'd0};
      4'd4: x_o <= {64'd0, f, 32'd0};
      4'd5: x_o <= {80'd0, f, 16'd0};
      4'd6: x_o <= {96'd0, f};
      4'd7: x_o <= {112'd0, f[67:17], f[16:0] != '0};
      4'd8: x_o <= {128'd0, f[67:33], f[32:0] != '0};
      4'd9: x_o <= {144'd0, f[67:49], f[48:0] != '0};
      4'd10: x_o <= {160'd0, f[67:65], f[64:0] != '0};
      default: x_o <= {163'd0, f != '0};
    endcase

    lim_o <= top_i - 12'd1;
    sub_o <= sub_i;
    neg_o <= neg_i;
    nan_o <= nan_i;
    inf_o <= inf_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) align;
endmodule
