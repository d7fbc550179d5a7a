// SPDX-License-Identifier: Apache-2.0
// fpu_unpack: stage 1 of fpu. Takes the operands apart, multiplies the significands a quarter at a
// time, finds how far the addend is to be shifted, and settles all that needs no arithmetic: NaNs,
// infinities, comparisons, minima, conversions that clamp.
//
// The sum is made in 77 bits: bits 50:3 are the product, or an integer; above them are 26 bits, and
// below two, and one for all that the addend has lost. away is the distance of the addend from the
// top.
`default_nettype none

module fpu_unpack (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation,
  input  wire logic        on_i,  /// and this lane takes part
  input  wire logic [3:0]  op_i,  /// operation, fpu_pkg
  input  wire logic [4:0]  fn_i,  /// isa_pkg RND_* or CMP_*
  input  wire logic        ftz_i,  /// subnormal operands become zeros
  input  wire logic [31:0] a_i,  /// first operand
  input  wire logic [31:0] b_i,  /// second operand
  input  wire logic [31:0] c_i,  /// third operand
  output logic [29:0]      pp0_o,  /// significand of a times bits 5:0 of that of b, and so on
  output logic [29:0]      pp1_o,  /// times bits 11:6
  output logic [29:0]      pp2_o,  /// times bits 17:12
  output logic [29:0]      pp3_o,  /// times bits 23:18
  /// the result (raw_o), an integer, or the significand of a in an addition
  output logic [31:0]      alt_o,
  output logic [23:0]      mc_o,   /// significand of the addend
  output logic [6:0]       away_o,  /// 127: that far or further
  output logic [9:0]       top_o,  /// exponent of the top bit of the 77
  output logic             raw_o,      /// alt_o is the result, whatever the others say
  output logic             no_alt_o,   /// the product is zero,
  output logic             use_mul_o,  /// else the product,
  output logic             use_add_o,  /// or a times one; else alt_o, as an integer
  output logic             sub_o,  /// product and addend have different signs
  output logic             neg_o   /// sign of the product
);
  localparam [31:0] NAN = 32'h7fffffff;
  localparam [31:0] ONE = 32'h3f800000;

  logic flush;
  assign flush = ftz_i && op_i != fpu_pkg::COPYSIGN && op_i != fpu_pkg::I2F_U &&
                 op_i != fpu_pkg::I2F_S;

  function automatic [22:0] fraction(input [30:0] x, input ftz);
    fraction = x[22:0] & {23{x[30:23] != 8'd0 || !ftz}};
  endfunction
  function automatic [31:0] flushed(input [31:0] x, input ftz);
    flushed = {x[31:23], fraction(x[30:0], ftz)};
  endfunction
  // subnormals have that of the smallest normal number
  function automatic [9:0] exponent(input [7:0] e);
    exponent = {2'd0, e[7:1], e[0] || e == 8'd0};
  endfunction
  function automatic relation(input [4:0] fn, input less, input equal, input nan);
    case (fn)
      isa_pkg::CMP_EQ: relation = !nan && equal;
      isa_pkg::CMP_NE: relation = !nan && !equal;
      isa_pkg::CMP_LT: relation = !nan && less;
      isa_pkg::CMP_LE: relation = !nan && (less || equal);
      isa_pkg::CMP_GT: relation = !nan && !less && !equal;
      isa_pkg::CMP_GE: relation = !nan && !less;
      isa_pkg::CMP_EQU: relation = nan || equal;
      isa_pkg::CMP_NEU: relation = nan || !equal;
      isa_pkg::CMP_LTU: relation = nan || less;
      isa_pkg::CMP_LEU: relation = nan || less || equal;
      isa_pkg::CMP_GTU: relation = nan || !less && !equal;
      isa_pkg::CMP_GEU: relation = nan || !less;
      isa_pkg::CMP_NUM: relation = !nan;
      default: relation = nan;
    endcase
  endfunction

  // mul, fma; a subnormal number that counts as zero makes no_alt_o
  task automatic multiply;
    logic [29:0] ma;
    logic [23:0] mb;
    ma = {6'd0, a_i[30:23] != 8'd0, a_i[22:0]};
    mb = {b_i[30:23] != 8'd0, b_i[22:0]};
    pp0_o <= ma * {24'd0, mb[5:0]};
    pp1_o <= ma * {24'd0, mb[11:6]};
    pp2_o <= ma * {24'd0, mb[17:12]};
    pp3_o <= ma * {24'd0, mb[23:18]};
  endtask
  always_ff @(posedge clk_i)
    if (en_i) if (on_i && (op_i == fpu_pkg::MUL || op_i == fpu_pkg::FMA)) multiply;

  task automatic unpack;
    logic [31:0] a, b, c, alt;
    logic [9:0] ec, top, away;
    logic mul, nan_a, nan_b, nan_c, inf_p, inf_c, nan, zero_p, above, raw, sp, sc, less, equal;

    a = flushed(a_i, flush);
    b = flushed(b_i, flush);
    nan_a = a[30:23] == 8'hff && a[22:0] != '0;
    nan_b = b[30:23] == 8'hff && b[22:0] != '0;

    if (fpu_pkg::arithmetic(op_i)) begin : arithmetic
      mul = op_i[1];  // MUL, FMA; bit 0 of the others: SUB
      sp = a[31] ^ (mul && b[31]);
      // the addend: b, c, or a zero that does not change the sign of a product of zero
      c = flushed(c_i, flush);
      if (op_i == fpu_pkg::MUL) c = {sp, 31'd0};
      else if (!mul) c = {b[31] ^ op_i[0], b[30:0]};
      sc = c[31];
      ec = exponent(c[30:23]);
      nan_c = c[30:23] == 8'hff && c[22:0] != '0;
      inf_p = a[30:23] == 8'hff || mul && b[30:23] == 8'hff;
      inf_c = c[30:23] == 8'hff;
      zero_p = a[30:0] == '0 || mul && b[30:0] == '0;
      nan = nan_a || nan_c || mul && nan_b || inf_p && (zero_p || inf_c && sp != sc);
      raw = nan || inf_p || inf_c;
      alt = nan ? NAN : inf_p ? {sp, 8'hff, 23'd0} : inf_c ? {sc, 8'hff, 23'd0} :
            {8'd0, a[30:23] != 8'd0, a[22:0]};
      // 27 places between the exponent of the product and the top
      top = exponent(a[30:23]) + (mul ? exponent(b[30:23]) : 10'd127) - 10'd100;
      away = top - ec;
      above = away[9] || zero_p;
      use_mul_o <= mul;
      use_add_o <= !mul;
      no_alt_o <= zero_p;
      sub_o <= sp != sc;
      neg_o <= sp;
      mc_o <= {c[30:23] != 8'd0, c[22:0]};
      top_o <= above ? ec : top;
      away_o <= above ? 7'd0 : away[8:7] != '0 ? 7'd127 : away[6:0];
    end else begin : others
      // bit 3 is the place of one: 73 below the top
      away = 10'd200 - {2'd0, a[30:23]};
      // .ftz makes a difference only where it makes two zeros
      zero_p = a_i[30:23] == '0 && b_i[30:23] == '0 &&
               (ftz_i || a_i[22:0] == '0 && b_i[22:0] == '0);
      equal = a_i == b_i || zero_p;
      less = !zero_p && (a_i[31] != b_i[31] ? a_i[31] :
                         (a_i[30:0] < b_i[30:0]) != a_i[31] && a_i[30:0] != b_i[30:0]);
      nan = nan_a || nan_b;
      raw = 1'b1;
      case (op_i)
        fpu_pkg::MIN: alt = nan_a ? (nan_b ? NAN : b) : nan_b ? a : equal ? a | b : less ? a : b;
        fpu_pkg::MAX: alt = nan_a ? (nan_b ? NAN : b) : nan_b ? a : equal ? a & b : less ? b : a;
        fpu_pkg::ABS: alt = {1'b0, a[30:0]};
        fpu_pkg::NEG: alt = {!a[31], a[30:0]};
        fpu_pkg::COPYSIGN: alt = {a[31], b[30:0]};
        fpu_pkg::SETB: alt = {32{relation(fn_i, less, equal, nan)}};
        fpu_pkg::SETF: alt = relation(fn_i, less, equal, nan) ? ONE : 32'd0;
        fpu_pkg::I2F_U: begin
          alt = a;
          raw = 1'b0;
        end
        fpu_pkg::I2F_S: begin  // the one that is missing in -a = ~a + 1 is the addend
          alt = a ^ {32{a[31]}};
          raw = 1'b0;
        end
        fpu_pkg::F2I_U: begin
          alt = nan_a || a[31] ? 32'd0 : 32'hffffffff;
          raw = nan_a || a[31] || a[30:23] >= 8'd159;
        end
        fpu_pkg::F2I_S: begin
          alt = nan_a ? 32'd0 : a[31] ? 32'h80000000 : 32'h7fffffff;
          raw = a[30:23] >= 8'd158;
        end
        default: begin
          alt = nan_a ? NAN : a;
          raw = fn_i < isa_pkg::RND_RNI || fn_i > isa_pkg::RND_RPI || a[30:23] >= 8'd150;
        end
      endcase
      use_mul_o <= 1'b0;
      use_add_o <= 1'b0;
      no_alt_o <= fpu_pkg::to_integer(op_i);
      sub_o <= 1'b0;
      neg_o <= a[31] && op_i != fpu_pkg::I2F_U;
      top_o <= 10'd200;
      if (fpu_pkg::to_integer(op_i)) begin
        mc_o <= {a[30:23] != 8'd0, a[22:0]};
        away_o <= away[8:7] != '0 ? 7'd127 : away[6:0];
      end else begin
        mc_o <= {op_i == fpu_pkg::I2F_S && a[31], 23'd0};
        away_o <= 7'd73;
      end
    end
    raw_o <= raw;
    alt_o <= alt;
  endtask
  always_ff @(posedge clk_i) if (en_i) if (on_i) unpack;
endmodule
