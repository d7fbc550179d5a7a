// SPDX-License-Identifier: Apache-2.0
// The OSU cells that are primitives in the vendor's file, in a form that Verilator takes and that begins
// as zero.
module DFFPOSX1 (input CLK, input D, output reg Q);
  always @(posedge CLK) Q <= D;
endmodule
module DFFNEGX1 (input CLK, input D, output reg Q);
  always @(negedge CLK) Q <= D;
endmodule
module LATCH (input CLK, input D, output reg Q);
  always_latch if (CLK) Q = D;
endmodule
module MUX2X1 (input A, input B, input S, output Y);
  assign Y = !(S ? A : B);
endmodule
