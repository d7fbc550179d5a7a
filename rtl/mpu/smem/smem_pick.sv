// SPDX-License-Identifier: Apache-2.0
// smem_pick: which lanes the next pass serves. What lanes have in common is found when a request
// starts, so that the pass itself has only masks to combine:
//
//   addresses -> [ before, member, same ] -+
//   pending lanes -------------------------+-> lead: the lowest lane of each bank -> its number
//                                                 '-> lanes with the word of a lead
`default_nettype none
`include "check.svh"

module smem_pick #(
  parameter int LANES = 32,  /// a power of two, at least 2
  parameter int BANKS = 32,  /// a power of two, at least 2
  parameter int AW = 14      /// bits of a word address; the low ones name the bank
) (
  input  wire logic                       clk_i,  /// clock
  input  wire logic                       start_i,  /// addr_i is looked at
  input  wire logic [AW*LANES-1:0]        addr_i,  /// word address of each lane
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
    assign lead_o[l] = go_i ? cand_i[l] && (cand_i & before_q) == '0 : 1'b0;
    assign words_o[l] = go_i ? cand_i[l] && (lead_o & same_q) != '0 : 1'b0;
  end

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic [LANES-1:0] member_q, here;  // lanes with an address in this bank, the one that leads
    always_ff @(posedge clk_i)
      if (start_i)
        for (int l = 0; l < LANES; l++) member_q[l] <= addr_i[AW*l +: BW] == BW'(b);
    assign here = go_i ? lead_o & member_q : '0;
    assign hit_o[b] = go_i ? here != '0 : 1'b0;
    for (genvar k = 0; k < LW; k++) begin : g_bit
      // lanes whose number has bit k
      localparam logic [LANES-1:0] With = {(LANES >> (k + 1)){{(1 << k){1'b1}}, {(1 << k){1'b0}}}};
      assign lane_o[LW*b + k] = go_i ? (here & With) != '0 : 1'b0;
    end
  end

`ifdef FORMAL
  // Of any two lanes of the request, what was found at its start is so.
  (* anyconst *) logic [LW-1:0] f_lo, f_hi;
  logic [AW*LANES-1:0] f_addr;
  logic [AW-1:0] f_a_lo, f_a_hi;
  logic f_known, f_begun;
  logic [LANES*LANES-1:0] f_before, f_same;
  logic [BANKS*LANES-1:0] f_member;
  for (genvar l = 0; l < LANES; l++) begin : g_f_lane
    assign f_before[LANES*l +: LANES] = g_lane[l].before_q;
    assign f_same[LANES*l +: LANES] = g_lane[l].same_q;
  end
  for (genvar b = 0; b < BANKS; b++) begin : g_f_bank
    assign f_member[LANES*b +: LANES] = g_bank[b].member_q;
  end
  assign f_a_lo = f_addr[AW*f_lo +: AW];
  assign f_a_hi = f_addr[AW*f_hi +: AW];
  initial {f_known, f_begun} = '0;
  always @(posedge clk_i) begin
    assume (f_lo < f_hi);
    if (start_i) begin
      f_known <= 1'b1;
      f_addr <= addr_i;
    end
    f_begun <= 1'b1;
    if (f_begun) `ASM(starts_before_it_goes, !go_i || f_known)  // before, nothing was reset
    if (f_known) begin
      `CHK(before_is_bank, f_before[LANES*f_hi + f_lo] == (f_a_lo[BW-1:0] == f_a_hi[BW-1:0]))
      `CHK(before_is_lower, !f_before[LANES*f_lo + f_hi] && !f_before[LANES*f_lo + f_lo])
      `CHK(same_is_word, f_same[LANES*f_lo + f_hi] == (f_a_lo == f_a_hi) &&
                         f_same[LANES*f_hi + f_lo] == (f_a_lo == f_a_hi))
      `CHK(same_has_itself, f_same[LANES*f_lo + f_lo] && f_same[LANES*f_hi + f_hi])
      `CHK(member_is_bank, f_member[LANES*f_a_lo[BW-1:0] + f_lo] &&
                           f_member[LANES*f_a_hi[BW-1:0] + f_hi])
      for (int b = 0; b < BANKS; b++)
        `CHK(member_of_one_bank, f_member[LANES*b + 32'(f_lo)] == (f_a_lo[BW-1:0] == BW'(b)) &&
                                 f_member[LANES*b + 32'(f_hi)] == (f_a_hi[BW-1:0] == BW'(b)))
    end
    if (go_i && f_known) begin
      `CHK(one_lead_a_bank, !(lead_o[f_lo] && lead_o[f_hi] && f_a_lo[BW-1:0] == f_a_hi[BW-1:0]))
      `CHK(lowest_leads, !(lead_o[f_hi] && cand_i[f_lo] && f_a_lo[BW-1:0] == f_a_hi[BW-1:0]))
      `CHK(leads_compete, (lead_o & ~cand_i) == '0 && (words_o & ~cand_i) == '0)
      `CHK(leads_have_their_word, (lead_o & ~words_o) == '0)
      `CHK(some_lane_is_served, cand_i == '0 || lead_o != '0)
      // the lane that a bank is told is the one that leads there, and its word is what others share
      if (lead_o[f_hi]) `CHK(bank_of_a_lead, hit_o[f_a_hi[BW-1:0]] &&
                             lane_o[LW*f_a_hi[BW-1:0] +: LW] == f_hi)
      if (lead_o[f_lo]) `CHK(bank_of_a_low_lead, hit_o[f_a_lo[BW-1:0]] &&
                             lane_o[LW*f_a_lo[BW-1:0] +: LW] == f_lo)
      if (words_o[f_hi] && lead_o[f_lo] && f_a_lo[BW-1:0] == f_a_hi[BW-1:0])
        `CHK(same_bank_same_word, f_a_lo == f_a_hi)
    end
    `COV(two_words_in_a_bank, lead_o[f_lo] && cand_i[f_hi] && !words_o[f_hi] && !lead_o[f_hi])
    `COV(broadcast, go_i && lead_o[f_lo] && words_o[f_hi] && !lead_o[f_hi])
  end
`endif
endmodule
