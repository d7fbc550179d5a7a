// SPDX-License-Identifier: Apache-2.0
// atom_alu: the new word of an integer atomic operation. Combinational: one adder and a comparison,
// both in bytes whose carries meet at the end. What the operation does not need stays still: exch
// computes nothing.
`default_nettype none

module atom_alu (
  input  wire logic [3:0]  op_i,  /// isa_pkg ATOM_*, without its top bit
  input  wire logic        sgn_i,  /// min and max are signed
  input  wire logic [31:0] old_i,  /// the word before
  input  wire logic [31:0] b_i,  /// operand
  input  wire logic [31:0] c_i,  /// cas: the new value
  output logic [31:0]      new_o  /// the word after
);
  // x + y: each byte without and with a carry into it
  function automatic logic [31:0] plus(input logic [31:0] x, input logic [31:0] y);
    logic [8:0] without;
    logic [9:0] with_it;
    logic carry;
    carry = 1'b0;
    for (int k = 0; k < 32; k = k + 8) begin
      without = {1'b0, x[k +: 8]} + {1'b0, y[k +: 8]};
      with_it = {1'b0, x[k +: 8], 1'b1} + {1'b0, y[k +: 8], 1'b1};  // twice x + y + 1
      plus[k +: 8] = carry ? 8'(with_it >> 1) : without[7:0];
      carry = carry ? with_it[9] : without[8];
    end
  endfunction

  // x < y, not signed
  function automatic logic below(input logic [31:0] x, input logic [31:0] y);
    below = 1'b0;
    for (int k = 0; k < 32; k = k + 8)
      if (x[k +: 8] != y[k +: 8]) below = x[k +: 8] < y[k +: 8];
  endfunction

  logic sums, compares, flip, less, same;
  logic [31:0] y, sum;
  always_comb begin
    sums = 1'b0;
    compares = 1'b0;
    flip = 1'b0;
    y = b_i;
    case ({1'b0, op_i})
      isa_pkg::ATOM_ADD: sums = 1'b1;
      isa_pkg::ATOM_MIN, isa_pkg::ATOM_MAX: begin
        compares = 1'b1;
        flip = sgn_i;
      end
      isa_pkg::ATOM_INC: begin
        sums = 1'b1;
        compares = 1'b1;
        y = 32'd1;
      end
      isa_pkg::ATOM_DEC: begin
        sums = 1'b1;
        compares = 1'b1;
        y = '1;
      end
      isa_pkg::ATOM_CAS: compares = 1'b1;
      default: ;
    endcase
  end

  // (in the block below, Icarus would run in a circle: functions wake it)
  assign sum = sums ? plus(old_i, y) : 32'd0;
  assign less = compares ? below({old_i[31] ^ flip, old_i[30:0]}, {b_i[31] ^ flip, b_i[30:0]}) :
                1'b0;
  assign same = compares ? old_i == b_i : 1'b0;

  always_comb begin
    case ({1'b0, op_i})
      isa_pkg::ATOM_ADD: new_o = sum;
      isa_pkg::ATOM_MIN: new_o = less ? old_i : b_i;
      isa_pkg::ATOM_MAX: new_o = less ? b_i : old_i;
      isa_pkg::ATOM_INC: new_o = less ? sum : 32'd0;
      isa_pkg::ATOM_DEC: new_o = old_i == '0 || !less && !same ? b_i : sum;
      isa_pkg::ATOM_AND: new_o = old_i & b_i;
      isa_pkg::ATOM_OR: new_o = old_i | b_i;
      isa_pkg::ATOM_XOR: new_o = old_i ^ b_i;
      isa_pkg::ATOM_CAS: new_o = same ? c_i : old_i;
      default: new_o = b_i;  // exch
    endcase
  end
endmodule
