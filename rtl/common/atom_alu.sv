// SPDX-License-Identifier: Apache-2.0
// atom_alu: the new word of an integer atomic operation. Combinational: one adder and a comparison.
`default_nettype none

module atom_alu (
  input  wire logic [3:0]  op_i,  /// isa_pkg ATOM_*, without its top bit
  input  wire logic        sgn_i,  /// min and max are signed
  input  wire logic [31:0] old_i,
  input  wire logic [31:0] b_i,
  input  wire logic [31:0] c_i,  /// cas: the new value
  output logic [31:0]      new_o
);
  logic less, same, flip;
  assign flip = sgn_i && ({1'b0, op_i} == isa_pkg::ATOM_MIN || {1'b0, op_i} == isa_pkg::ATOM_MAX);
  assign less = {old_i[31] ^ flip, old_i[30:0]} < {b_i[31] ^ flip, b_i[30:0]};
  assign same = old_i == b_i;

  always_comb
    case ({1'b0, op_i})
      isa_pkg::ATOM_ADD: new_o = old_i + b_i;
      isa_pkg::ATOM_MIN: new_o = less ? old_i : b_i;
      isa_pkg::ATOM_MAX: new_o = less ? b_i : old_i;
      isa_pkg::ATOM_INC: new_o = less ? old_i + 32'd1 : 32'd0;
      isa_pkg::ATOM_DEC: new_o = old_i == '0 || !less && !same ? b_i : old_i - 32'd1;
      isa_pkg::ATOM_AND: new_o = old_i & b_i;
      isa_pkg::ATOM_OR: new_o = old_i | b_i;
      isa_pkg::ATOM_XOR: new_o = old_i ^ b_i;
      isa_pkg::ATOM_CAS: new_o = same ? c_i : old_i;
      default: new_o = b_i;  // exch
    endcase
endmodule
