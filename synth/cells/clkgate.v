// SPDX-License-Identifier: Apache-2.0
// clkgate: how the clock gates of the exported blocks behave; to be replaced by the kit's clock gating cell (latch and
// AND gate): .CK(clk_i), .E(en_i), .TE(test_en_i), .ECK(clk_o).
module clkgate (clk_i, en_i, test_en_i, clk_o);
  input clk_i;
  input en_i;
  input test_en_i;
  output clk_o;

  reg en_q;
  always @(negedge clk_i) en_q <= en_i | test_en_i;
  assign clk_o = clk_i & en_q;
endmodule
