// SPDX-License-Identifier: Apache-2.0
// valu_pkg: what valu_decode says to the lanes, as one vector of controls.
`default_nettype none

package valu_pkg;
  /* verilator lint_off UNUSEDPARAM */
  // kinds of operations of the integer unit
  localparam [2:0] TABLE = 3'd0;
  localparam [2:0] SHIFT = 3'd1;
  localparam [2:0] SUM = 3'd2;
  localparam [2:0] CHOICE = 3'd3;
  localparam [2:0] RELATION = 3'd4;
  localparam [2:0] CONVERSION = 3'd5;
  localparam [2:0] PRODUCT = 3'd6;

  // Controls of a beat: the lowest bit of each. Those that are needed longest come first, so each
  // stage has the low bits of what the stage before it has.
  localparam int PLUS = 0;       // product: plus c
  localparam int BEAT = 1;       // second beat of a 64-bit operation
  localparam int CONTROLS_3 = 2;  // of stages 3 and 4
  localparam int MAX = 2;        // choice: of the larger
  localparam int SAD = 3;        // sum: its absolute value, plus c
  localparam int CHAIN = 4;      // sum: the second beat, which needs the carry of the first one
  localparam int TO = 5;         // conversion: type, 4 bits
  localparam int KIND = 9;       // 3 bits, see above
  localparam int CONTROLS_2 = 12;  // of stage 2
  localparam int PICK = 12;      // table: c is the predicate
  localparam int LEFT = 13;      // shift to the left
  localparam int SGN = 14;       // signed: shift, choice, relation, product, absolute difference
  localparam int WIDE = 15;      // an operation of two beats
  localparam int NEG = 16;       // sum: of 0 and a, not of a and b
  localparam int INV = 17;       // sum: subtract the second one
  localparam int ABS = 18;       // sum: a when its number is not negative
  localparam int ONE = 19;       // relation: true is 1.0
  localparam int FROM = 20;      // conversion: source type, 4 bits
  localparam int REL = 24;       // relation: which one, 3 bits, isa_pkg CMP_*
  localparam int LUT = 27;       // table: result for each {a, b, c}, 8 bits
  localparam int CONTROLS_1 = 35;  // of stage 1
  /* verilator lint_on UNUSEDPARAM */
endpackage
