// SPDX-License-Identifier: Apache-2.0
// The flip-flops of the OSU cells, in a form that takes a value before the first clock edge; the
// vendor's are primitives, which begin unknown.
module DFFPOSX1 (input CLK, input D, output reg Q);
  always @(posedge CLK) Q <= D;
endmodule
module DFFNEGX1 (input CLK, input D, output reg Q);
  always @(negedge CLK) Q <= D;
endmodule
