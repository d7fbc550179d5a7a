// SPDX-License-Identifier: Apache-2.0
// bankctl_execute: the command that was chosen in the cycle before: what of the banks it changes,
// and the pins, a cycle later.
//
//   winners -> slots, banks -> [ cmd pins ]
//
// Slots are sets with bit 4*k + s for slot s of bank k.
`default_nettype none
`include "check.svh"

module bankctl_execute #(
  parameter int N = 16,  /// entries of the queue
  parameter int RB = 14,  /// bits of a row
  parameter int CB = 5  /// bits of a column
) (
  input  wire logic             clk_i,  /// clock
  input  wire logic             rst_ni,  /// synchronous reset, low
  input  wire logic             active_i,  /// something may change
  // the choice, as bankctl_choose has it
  input  wire logic [6:0]       kind_i,  /// which kind counts
  input  wire logic [3:0]       ref_i,  /// bank of REF
  input  wire logic [15:0]      close_i,  /// slot of PRE for a refresh,
  input  wire logic [15:0]      pre_i,  /// for a miss,
  input  wire logic [15:0]      policy_i,  /// of the policy
  input  wire logic [3:0]       col_bank_i,  /// bank of RD, WR
  input  wire logic             col_we_i,  /// WR
  input  wire logic [CB-1:0]    col_col_i,  /// their column
  input  wire logic [N-1:0]     sasel_entry_i,  /// entry of SASEL,
  input  wire logic [3:0]       sasel_bank_i,  /// its bank
  input  wire logic [3:0]       act_bank_i,  /// bank of ACT
  input  wire logic [RB-1:0]    act_row_i,  /// its row
  input  wire logic             prea_i,  /// PREA, of this bank; nothing is chosen then
  input  wire logic [1:0]       prea_bank_i,  /// bank of PREA
  // the slots
  input  wire logic [16*N-1:0]  at_i,  /// bit N*(4*k+s) + i: entry i is in slot s of bank k
  input  wire logic [15:0]      closed_i,  /// the lowest slot of each bank without a row, one hot
  input  wire logic [15:0]      sel_i,  /// the selected one
  input  wire logic [16*RB-1:0] rows_i,  /// rows of the slots
  output logic                  any_o,  /// a command is carried out,
  output logic [3:0]            bank_o,  /// for this bank, one hot
  output logic [15:0]           act_at_o,  /// slot of ACT, one hot, or none
  output logic [15:0]           col_at_o,  /// of RD, WR
  output logic [15:0]           sasel_at_o,  /// of SASEL
  output logic [15:0]           close_at_o,  /// of PRE
  output logic [3:0]            ref_o,  /// bank of REF
  /// pins; 0 none, 1 ACT, 2 PRE, 3 SASEL, 4 RD, 5 WR, 6 REF, 7 PREA
  output logic [2:0]            cmd_o,
  output logic [1:0]            cmd_bank_o,  /// bank
  output logic [13:0]           cmd_row_o,  /// row
  output logic [4:0]            cmd_col_o  /// column
);
  localparam logic [2:0] Act = 3'd1, Pre = 3'd2, Sasel = 3'd3, Rd = 3'd4, Wr = 3'd5, Ref = 3'd6,
      Prea = 3'd7;
  logic go_ref, go_close, go_pre, go_policy, go_col, go_sasel, go_act, closes;
  assign {go_act, go_sasel, go_col, go_policy, go_pre, go_close, go_ref} = kind_i;
  assign closes = go_close || go_pre || go_policy;

  function automatic [15:0] of_banks(input [3:0] set);  // all their slots
    of_banks = {{4{set[3]}}, {4{set[2]}}, {4{set[1]}}, {4{set[0]}}};
  endfunction
  function automatic [3:0] banks(input [15:0] slots);
    banks = {slots[15:12] != '0, slots[11:8] != '0, slots[7:4] != '0, slots[3:0] != '0};
  endfunction

  // ---- slots
  logic [15:0] selects;  // slots of the entry of SASEL, of all banks
  always_comb begin
    selects = '0;
    if (go_sasel)
      for (int s = 0; s < 16; s++) selects[s] = (sasel_entry_i & at_i[N*s +: N]) != '0;
  end
  assign ref_o = ref_i & {4{go_ref}};
  assign act_at_o = {16{go_act}} & of_banks(act_bank_i) & closed_i;
  assign col_at_o = {16{go_col}} & of_banks(col_bank_i) & sel_i;
  assign sasel_at_o = {16{go_sasel}} & of_banks(sasel_bank_i) & selects;
  assign close_at_o = {16{go_close}} & close_i | {16{go_pre}} & pre_i | {16{go_policy}} & policy_i;
  assign any_o = kind_i != '0 || prea_i;
  assign bank_o = ref_o | banks(close_at_o) | {4{go_act}} & act_bank_i |
                  {4{go_col}} & col_bank_i | {4{go_sasel}} & sasel_bank_i |
                  (prea_i ? 4'd1 << prea_bank_i : 4'd0);

  // ---- pins
  logic [15:0] slot;        // of PRE, SASEL, RD, WR
  logic [RB-1:0] slot_row;  // its row
  assign slot = col_at_o | sasel_at_o | close_at_o;
  always_comb begin
    slot_row = '0;
    if (kind_i != '0)
      for (int s = 0; s < 16; s++) if (slot[s]) slot_row = slot_row | rows_i[RB*s +: RB];
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) cmd_o <= '0;
    else if (active_i)
      cmd_o <= {3{go_ref}} & Ref | {3{closes}} & Pre | {3{go_sasel}} & Sasel | {3{go_act}} & Act |
               {3{go_col && !col_we_i}} & Rd | {3{go_col && col_we_i}} & Wr | {3{prea_i}} & Prea;
  always_ff @(posedge clk_i)
    if (active_i && rst_ni) begin
      if (any_o) cmd_bank_o <= {bank_o[3] | bank_o[2], bank_o[3] | bank_o[1]};
      if (go_act) cmd_row_o <= 14'(act_row_i);
      else if (closes || go_sasel || go_col) cmd_row_o <= 14'(slot_row);
      if (go_col) cmd_col_o <= 5'(col_col_i);
    end
endmodule
