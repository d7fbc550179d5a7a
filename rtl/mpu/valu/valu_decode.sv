// SPDX-License-Identifier: Apache-2.0
// valu_decode: what a beat asks of the lanes, once for all of them. Combinational.
`default_nettype none

module valu_decode (
  input  wire logic [6:0] op_i,  /// opcode (isa_pkg OP_*)
  input  wire logic [4:0] typ_i,  /// type
  input  wire logic [4:0] typ2_i,  /// source type of conversions and of set
  input  wire logic       sat_i,  /// saturate
  input  wire logic [7:0] lut_i,  /// table of lop3
  input  wire logic       beat_i,  /// second beat of a 64-bit operation
  output logic            fp_o,      /// for fpu, else for the integer unit
  output logic [3:0]      fp_op_o,   /// op of fpu
  /// 0 table, 1 shift, 2 sum, 3 choice, 4 relation, 5 conversion, 6 product
  output logic [2:0]      kind_o,
  output logic [7:0]      lut_o,     /// table: result for each {a, b, c}
  output logic            pick_o,    /// table: c is the predicate
  output logic            left_o,    /// shift
  output logic            sgn_o,  /// signed: shift, choice, relation, product, absolute difference
  output logic            wide_o,    /// an operation of two beats
  output logic            neg_o,     /// sum: of 0 and a, not of a and b
  output logic            inv_o,     /// sum: subtract the second one
  output logic            abs_o,     /// sum: a when its number is not negative
  /// sum: to the range of s32; conversion: to the range of its type
  output logic            clamp_o,
  output logic            sad_o,     /// sum: its absolute value, plus c
  output logic            max_o,     /// choice of the larger
  output logic            one_o,     /// relation: true is 1.0
  output logic [3:0]      from_o,    /// conversion: source type and type, isa_pkg TYPE_*
  output logic [3:0]      to_o,  /// conversion: type, isa_pkg TYPE_*
  output logic            plus_o     /// product: plus c
);
  localparam [2:0] TABLE = 3'd0, SHIFT = 3'd1, SUM = 3'd2, CHOICE = 3'd3, RELATION = 3'd4;
  localparam [2:0] CONVERSION = 3'd5, PRODUCT = 3'd6;

  logic [7:0] op;
  logic typ_s, u64, s64;
  assign op = {1'b0, op_i};
  assign u64 = typ_i == isa_pkg::TYPE_U64;
  assign s64 = typ_i == isa_pkg::TYPE_S64;
  assign typ_s = typ_i == isa_pkg::TYPE_S32 || s64;
  assign wide_o = u64 || s64 || typ_i == isa_pkg::TYPE_B64 || op == isa_pkg::OP_MULW ||
                  op == isa_pkg::OP_MADW;

  assign fp_o = typ_i == isa_pkg::TYPE_F32 && (op != isa_pkg::OP_SET || typ2_i == isa_pkg::TYPE_F32)
                || typ2_i == isa_pkg::TYPE_F32;
  always_comb
    case (op)
      isa_pkg::OP_ADD: fp_op_o = 4'd0;
      isa_pkg::OP_SUB: fp_op_o = 4'd1;
      isa_pkg::OP_MUL: fp_op_o = 4'd2;
      isa_pkg::OP_FMA: fp_op_o = 4'd3;
      isa_pkg::OP_MIN: fp_op_o = 4'd4;
      isa_pkg::OP_MAX: fp_op_o = 4'd5;
      isa_pkg::OP_ABS: fp_op_o = 4'd6;
      isa_pkg::OP_NEG: fp_op_o = 4'd7;
      isa_pkg::OP_COPYSIGN: fp_op_o = 4'd8;
      isa_pkg::OP_SET: fp_op_o = typ_i == isa_pkg::TYPE_F32 ? 4'd10 : 4'd9;
      isa_pkg::OP_I2F: fp_op_o = typ2_i == isa_pkg::TYPE_S32 ? 4'd12 : 4'd11;
      isa_pkg::OP_F2I: fp_op_o = typ_i == isa_pkg::TYPE_S32 ? 4'd14 : 4'd13;
      default: fp_op_o = 4'd15;
    endcase

  always_comb begin
    kind_o = TABLE;
    lut_o = lut_i;
    case (op)
      isa_pkg::OP_MOV: lut_o = 8'hf0;
      isa_pkg::OP_AND: lut_o = 8'hc0;
      isa_pkg::OP_OR: lut_o = 8'hfc;
      isa_pkg::OP_XOR: lut_o = 8'h3c;
      isa_pkg::OP_NOT: lut_o = 8'h0f;
      isa_pkg::OP_SELP: lut_o = 8'he4;
      isa_pkg::OP_SHL, isa_pkg::OP_SHR: kind_o = SHIFT;
      isa_pkg::OP_ADD, isa_pkg::OP_SUB, isa_pkg::OP_NEG, isa_pkg::OP_ABS, isa_pkg::OP_SAD:
        kind_o = SUM;
      isa_pkg::OP_MIN, isa_pkg::OP_MAX: kind_o = CHOICE;
      isa_pkg::OP_SET: kind_o = RELATION;
      isa_pkg::OP_I2I: kind_o = CONVERSION;
      isa_pkg::OP_MUL, isa_pkg::OP_MULW, isa_pkg::OP_MAD, isa_pkg::OP_MADW: kind_o = PRODUCT;
      default: ;
    endcase
  end

  assign pick_o = op == isa_pkg::OP_SELP;
  assign left_o = op == isa_pkg::OP_SHL;
  assign sgn_o = op == isa_pkg::OP_SET ? typ2_i == isa_pkg::TYPE_S32 :
                 kind_o == CHOICE ? typ_s && !beat_i : typ_s;
  assign neg_o = op == isa_pkg::OP_NEG || op == isa_pkg::OP_ABS;
  assign inv_o = op != isa_pkg::OP_ADD;
  assign abs_o = op == isa_pkg::OP_ABS;
  assign clamp_o = sat_i;
  assign sad_o = op == isa_pkg::OP_SAD;
  assign max_o = op == isa_pkg::OP_MAX;
  assign one_o = typ_i == isa_pkg::TYPE_F32;
  assign from_o = typ2_i[3:0];
  assign to_o = typ_i[3:0];
  assign plus_o = op == isa_pkg::OP_MAD || op == isa_pkg::OP_MADW;
endmodule
