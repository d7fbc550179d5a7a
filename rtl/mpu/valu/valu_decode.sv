// SPDX-License-Identifier: Apache-2.0
// valu_decode: what a beat asks of the lanes, once for all of them. Combinational.
`default_nettype none

module valu_decode (
  input  wire logic [6:0] op_i,  /// opcode (isa_pkg OP_*)
  input  wire logic [4:0] typ_i,  /// type
  input  wire logic [4:0] typ2_i,  /// source type of conversions and of set
  input  wire logic       sat_i,  /// saturate
  input  wire logic [7:0] lut_i,  /// table of lop3
  input  wire logic [2:0] rel_i,  /// comparison, low bits (isa_pkg CMP_*)
  input  wire logic       beat_i,  /// second beat of a 64-bit operation
  output logic            fp_o,      /// for fpu, else for the integer unit
  output logic [3:0]      fp_op_o,   /// operation of fpu, fpu_pkg
  output logic            clamp_o,   /// the result is clamped, in either unit
  output logic [valu_pkg::CONTROLS_1-1:0] ctl_o  /// controls of the integer unit, valu_pkg
);
  logic [7:0] op;
  logic typ_s, u64, s64;
  assign op = {1'b0, op_i};
  assign u64 = typ_i == isa_pkg::TYPE_U64;
  assign s64 = typ_i == isa_pkg::TYPE_S64;
  assign typ_s = typ_i == isa_pkg::TYPE_S32 || s64;

  assign fp_o = typ_i == isa_pkg::TYPE_F32 && (op != isa_pkg::OP_SET || typ2_i == isa_pkg::TYPE_F32)
                || typ2_i == isa_pkg::TYPE_F32;
  always_comb
    case (op)
      isa_pkg::OP_ADD: fp_op_o = fpu_pkg::ADD;
      isa_pkg::OP_SUB: fp_op_o = fpu_pkg::SUB;
      isa_pkg::OP_MUL: fp_op_o = fpu_pkg::MUL;
      isa_pkg::OP_FMA: fp_op_o = fpu_pkg::FMA;
      isa_pkg::OP_MIN: fp_op_o = fpu_pkg::MIN;
      isa_pkg::OP_MAX: fp_op_o = fpu_pkg::MAX;
      isa_pkg::OP_ABS: fp_op_o = fpu_pkg::ABS;
      isa_pkg::OP_NEG: fp_op_o = fpu_pkg::NEG;
      isa_pkg::OP_COPYSIGN: fp_op_o = fpu_pkg::COPYSIGN;
      isa_pkg::OP_SET: fp_op_o = typ_i == isa_pkg::TYPE_F32 ? fpu_pkg::SETF : fpu_pkg::SETB;
      isa_pkg::OP_I2F: fp_op_o = typ2_i == isa_pkg::TYPE_S32 ? fpu_pkg::I2F_S : fpu_pkg::I2F_U;
      isa_pkg::OP_F2I: fp_op_o = typ_i == isa_pkg::TYPE_S32 ? fpu_pkg::F2I_S : fpu_pkg::F2I_U;
      default: fp_op_o = fpu_pkg::F2F;
    endcase

  logic [2:0] kind;
  logic [7:0] lut;
  always_comb begin
    kind = valu_pkg::TABLE;
    lut = lut_i;
    case (op)
      isa_pkg::OP_MOV: lut = 8'hf0;
      isa_pkg::OP_AND: lut = 8'hc0;
      isa_pkg::OP_OR: lut = 8'hfc;
      isa_pkg::OP_XOR: lut = 8'h3c;
      isa_pkg::OP_NOT: lut = 8'h0f;
      isa_pkg::OP_SELP: lut = 8'he4;
      isa_pkg::OP_SHL, isa_pkg::OP_SHR: kind = valu_pkg::SHIFT;
      isa_pkg::OP_ADD, isa_pkg::OP_SUB, isa_pkg::OP_NEG, isa_pkg::OP_ABS, isa_pkg::OP_SAD:
        kind = valu_pkg::SUM;
      isa_pkg::OP_MIN, isa_pkg::OP_MAX: kind = valu_pkg::CHOICE;
      isa_pkg::OP_SET: kind = valu_pkg::RELATION;
      isa_pkg::OP_I2I: kind = valu_pkg::CONVERSION;
      isa_pkg::OP_MUL, isa_pkg::OP_MULW, isa_pkg::OP_MAD, isa_pkg::OP_MADW:
        kind = valu_pkg::PRODUCT;
      default: ;
    endcase
  end

  always_comb begin
    ctl_o[valu_pkg::KIND +: 3] = kind;
    ctl_o[valu_pkg::LUT +: 8] = lut;
    ctl_o[valu_pkg::REL +: 3] = rel_i;
    ctl_o[valu_pkg::FROM +: 4] = typ2_i[3:0];
    ctl_o[valu_pkg::TO +: 4] = typ_i[3:0];
    ctl_o[valu_pkg::BEAT] = beat_i;
    ctl_o[valu_pkg::WIDE] = u64 || s64 || typ_i == isa_pkg::TYPE_B64 || op == isa_pkg::OP_MULW ||
                            op == isa_pkg::OP_MADW;
    ctl_o[valu_pkg::PICK] = op == isa_pkg::OP_SELP;
    ctl_o[valu_pkg::LEFT] = op == isa_pkg::OP_SHL;
    ctl_o[valu_pkg::SGN] = op == isa_pkg::OP_SET ? typ2_i == isa_pkg::TYPE_S32 :
                           kind == valu_pkg::CHOICE ? typ_s && !beat_i : typ_s;
    ctl_o[valu_pkg::NEG] = op == isa_pkg::OP_NEG || op == isa_pkg::OP_ABS;
    ctl_o[valu_pkg::INV] = op != isa_pkg::OP_ADD;
    ctl_o[valu_pkg::ABS] = op == isa_pkg::OP_ABS;
    ctl_o[valu_pkg::SAD] = op == isa_pkg::OP_SAD;
    ctl_o[valu_pkg::CHAIN] = kind == valu_pkg::SUM && beat_i && op != isa_pkg::OP_ABS;
    ctl_o[valu_pkg::MAX] = op == isa_pkg::OP_MAX;
    ctl_o[valu_pkg::ONE] = typ_i == isa_pkg::TYPE_F32;
    ctl_o[valu_pkg::PLUS] = op == isa_pkg::OP_MAD || op == isa_pkg::OP_MADW;
  end
  assign clamp_o = sat_i;
endmodule
