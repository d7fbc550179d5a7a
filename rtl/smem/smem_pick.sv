// SPDX-License-Identifier: Apache-2.0
// smem_pick: which lanes the next pass serves. What lanes have in common is found when a request
// starts, so that the pass itself has only masks to combine:
//
//   addresses -> [ before, member, same ] -+
//   pending lanes -------------------------+-> lead: the lowest lane of each bank -> its number a bank
//                                                 '-> lanes with the word of a lead
`default_nettype none
`include "check.svh"

module smem_pick #(
  parameter int LANES = 32,  /// a power of two, at least 2
  parameter int BANKS = 32,  /// a power of two, at least 2
  parameter int AW = 14      /// bits of a word address; the low ones name the bank
) (
  input  wire logic                       clk_i,
  input  wire logic                       start_i,  /// addr_i is looked at
  input  wire logic [AW*LANES-1:0]        addr_i,
  input  wire logic                       go_i,     /// else no lane leads
  input  wire logic [LANES-1:0]           cand_i,   /// lanes that compete
  output logic [LANES-1:0]                lead_o,   /// the lowest of each bank
  output logic [LANES-1:0]                words_o,  /// those that compete and have a lead's word
  output logic [BANKS-1:0]                hit_o,    /// the bank has a lead
  output logic [BANKS*$clog2(LANES)-1:0]  lane_o    /// its number; 0 without
);
  localparam int BW = $clog2(BANKS);
  localparam int LW = $clog2(LANES);

  for (genvar l = 0; l < LANES; l++) begin : g_lane
    logic [LANES-1:0] before_q;  // lower lanes in the same bank
    logic [LANES-1:0] same_q;    // lanes with the same word, itself too
    always_ff @(posedge clk_i)
      if (start_i)
        for (int m = 0; m < LANES; m++) begin
          before_q[m] <= m < l && addr_i[AW*m +: BW] == addr_i[AW*l +: BW];
          same_q[m] <= addr_i[AW*(m < l ? m : l) +: AW] == addr_i[AW*(m < l ? l : m) +: AW];
        end
    assign lead_o[l] = go_i && cand_i[l] && (cand_i & before_q) == '0;
    assign words_o[l] = cand_i[l] && (lead_o & same_q) != '0;
  end

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [LANES-1:0] member_q, here;  // lanes with an address in this bank, the one that leads
    always_ff @(posedge clk_i)
      if (start_i)
        for (int l = 0; l < LANES; l++) member_q[l] <= addr_i[AW*l +: BW] == BW'(b);
    assign here = lead_o & member_q;
    assign hit_o[b] = here != '0;
    for (genvar k = 0; k < LW; k++) begin : g_bit
      // lanes whose number has bit k
      localparam logic [LANES-1:0] With = {(LANES >> (k + 1)){{(1 << k){1'b1}}, {(1 << k){1'b0}}}};
      assign lane_o[LW*b + k] = (here & With) != '0;
    end
  end
endmodule
