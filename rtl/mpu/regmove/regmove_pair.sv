// SPDX-License-Identifier: Apache-2.0
// regmove_pair: the two lowest lanes of a set, and the set without them. Combinational.
`default_nettype none

module regmove_pair #(
  parameter int LANES = 32  /// lanes
) (
  input  wire logic [LANES-1:0]     set_i,  /// the set
  output logic [$clog2(LANES)-1:0]  lane_o,  /// the lowest lane, 0 when there is none
  output logic [$clog2(LANES)-1:0]  lane2_o,  /// the next one
  output logic                      two_o,  /// there is a next one
  output logic [LANES-1:0]          rest_o  /// the set without these two
);
  localparam int LW = $clog2(LANES);
  // some, many: at least one, at least two lanes of the set up to each lane; doubling the reach
  logic [LANES-1:0] some, many, low, low2;
  always_comb begin
    some = set_i;
    many = '0;
    if (set_i != '0) for (int k = 0; k < LW; k++) begin
      many = many | (many << (1 << k)) | (some & (some << (1 << k)));
      some = some | (some << (1 << k));
    end
  end
  assign low = set_i & ~(some << 1);
  assign low2 = set_i & (some << 1) & ~(many << 1);
  assign rest_o = set_i & (many << 1);
  assign two_o = many[LANES-1];
  always_comb begin
    lane_o = '0;
    lane2_o = '0;
    if (set_i != '0) for (int l = 0; l < LANES; l++) begin
      if (low[l]) lane_o = lane_o | LW'(l);
      if (low2[l]) lane2_o = lane2_o | LW'(l);
    end
  end
endmodule
