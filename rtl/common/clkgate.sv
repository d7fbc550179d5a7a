// SPDX-License-Identifier: Apache-2.0
// clkgate: a clock that runs only in cycles in which an enable was high before the rising edge. The
// enable is taken at the falling edge, so that the gated clock has no spikes: it has half a cycle.
`default_nettype none

module clkgate (
  input  wire logic clk_i,  /// clock
  input  wire logic en_i,  /// the clock runs in the next cycle
  input  wire logic test_en_i,  /// the clock runs, whatever en_i says: for scan
  output logic      clk_o  /// the gated clock
);
  logic en_q;
  always_ff @(negedge clk_i) en_q <= en_i || test_en_i;
  assign clk_o = clk_i & en_q;
endmodule
