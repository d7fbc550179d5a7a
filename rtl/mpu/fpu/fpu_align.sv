// SPDX-License-Identifier: Apache-2.0
// fpu_align: stage 2 of fpu. Sums the four quarters of the product, and shifts the addend to its
// place in the 77 bits {hi, lo}: first by 0 to 15, then by multiples of 16. What falls out at the
// end stays as bit 0 of lo. An operation that rounds to an integer has no product: its rounding
// takes that place.
`default_nettype none

module fpu_align (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation,
  input  wire logic        on_i,  /// and this lane takes part
  input  wire logic        int_i,  /// round to an integer: bits 2:0 become zero
  input  wire logic        f2i_i,  /// and make it negative with neg_i: -(x + up) = ~x + !up
  input  wire logic [1:0]  rnd_i,  /// how: 0 RN, 1 RZ, 2 RM, 3 RP
  input  wire logic [29:0] pp0_i,  /// see fpu_unpack
  input  wire logic [29:0] pp1_i,  /// quarter 1 of the product
  input  wire logic [29:0] pp2_i,  /// quarter 2
  input  wire logic [29:0] pp3_i,  /// quarter 3
  input  wire logic [31:0] alt_i,  /// result, integer or significand, as fpu_unpack says
  input  wire logic [23:0] mc_i,  /// significand of the addend
  input  wire logic [6:0]  away_i,  /// its distance from the top
  input  wire logic [9:0]  top_i,  /// exponent of the top bit of the 77
  input  wire logic        use_mul_i,  /// the product counts,
  input  wire logic        use_add_i,  /// or a times one; else alt_i, as an integer
  input  wire logic        no_alt_i,  /// the product is zero
  input  wire logic        raw_i,  /// alt_i is the result
  input  wire logic        sub_i,  /// product and addend have different signs
  input  wire logic        neg_i,  /// sign of the product
  output logic [47:0]      p_o,    /// bits 50:3 of the product, or what stands for it
  output logic [25:0]      hi_o,   /// bits 76:51 of the addend
  output logic [50:0]      lo_o,   /// bits 50:0
  /// how far the sum may be normalised: exponent of the top, less one
  output logic [9:0]       lim_o,
  output logic             raw_o,  /// as raw_i
  output logic             sub_o,  /// as sub_i
  output logic             neg_o  /// as neg_i
);
  task automatic align;
    logic [38:0] f;
    logic [25:0] hi;
    logic [50:0] lo;
    logic up, flip;

    f = raw_i ? 39'd0 : {mc_i, 15'd0} >> away_i[3:0];
    case (away_i[6:4])
      3'd0: {hi, lo} = {f, 38'd0};
      3'd1: {hi, lo} = {16'd0, f, 22'd0};
      3'd2: {hi, lo} = {32'd0, f, 6'd0};
      3'd3: {hi, lo} = {48'd0, f[38:11], f[10:0] != '0};
      3'd4: {hi, lo} = {64'd0, f[38:27], f[26:0] != '0};
      default: {hi, lo} = {76'd0, f != '0};
    endcase
    hi_o <= hi;
    flip = f2i_i && neg_i && !raw_i;
    lo_o <= int_i ? {lo[50:3] ^ {48{flip}}, 3'd0} : lo;

    case (rnd_i)
      2'd0: up = lo[2] && (lo[1:0] != '0 || lo[3]);
      2'd1: up = 1'b0;
      2'd2: up = neg_i && lo[2:0] != '0;
      default: up = !neg_i && lo[2:0] != '0;
    endcase
    if (raw_i) p_o <= {16'd0, alt_i};
    else if (no_alt_i) p_o <= {47'd0, int_i && up != flip};
    else if (use_mul_i)
      p_o <= {18'd0, pp0_i} + {12'd0, pp1_i, 6'd0} + {6'd0, pp2_i, 12'd0} + {pp3_i, 18'd0};
    else if (use_add_i) p_o <= {1'b0, alt_i[23:0], 23'd0};
    else p_o <= {16'd0, alt_i};

    lim_o <= top_i - 10'd1;
    raw_o <= raw_i;
    sub_o <= sub_i && !raw_i;
    neg_o <= neg_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) if (on_i) align;
endmodule
