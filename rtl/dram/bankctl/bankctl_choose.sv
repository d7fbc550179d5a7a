// SPDX-License-Identifier: Apache-2.0
// bankctl_choose: of what the banks want, the command that is carried out in the next cycle: the
// first kind of rule 9 of docs/blocks/bankctl.md that some bank wants, of it the oldest sector or
// the lowest bank. Each kind has a winner of its own, kept in registers; kind_o says which of them
// counts.
//
// Latency 1 cycle, a choice each cycle. An entry that moves up while it is chosen is told by
// shift_i.
`default_nettype none
`include "check.svh"

module bankctl_choose #(
  parameter int N = 16  /// entries of the queue
) (
  input  wire logic           clk_i,  /// clock
  input  wire logic           rst_ni,  /// synchronous reset, low
  input  wire logic           active_i,  /// the registers take the choice
  // what the banks want: sectors have bit N*k + i for bank k, slots bit 4*k + s
  input  wire logic [4*N-1:0] column_i,  /// RD or WR
  input  wire logic [4*N-1:0] sasel_i,  /// SASEL
  input  wire logic [4*N-1:0] act_i,  /// ACT
  input  wire logic [3:0]     free_i,  /// banks whose ACT and PRE go before columns
  input  wire logic [15:0]    pre_i,  /// PRE for a row that misses, one slot a bank or none
  input  wire logic [3:0]     ref_i,  /// REF
  input  wire logic [15:0]    close_i,  /// PRE of a bank that is refreshing
  input  wire logic [15:0]    policy_i,  /// PRE of the closed page policy
  input  wire logic [N-1:0]   we_i,  /// entries that write
  input  wire logic [N-1:0]   shift_i,  /// entries that are another one's after this edge
  /// REF, PRE of a refresh, PRE of a miss, PRE of the policy, column, SASEL, ACT: one hot or none,
  /// REF lowest
  output logic [6:0]          kind_o,
  output logic [3:0]          ref_o,  /// the bank of REF, one hot
  output logic [15:0]         close_o,  /// the slot of PRE for a refresh, one hot,
  output logic [15:0]         pre_o,  /// for a miss,
  output logic [15:0]         policy_o,  /// of the policy
  output logic [N-1:0]        col_entry_o,  /// RD or WR: the entry, one hot
  output logic [3:0]          col_bank_o,  /// and bank, one hot
  output logic                col_we_o,  /// it is WR
  output logic [N-1:0]        sasel_entry_o,  /// SASEL
  output logic [3:0]          sasel_bank_o,  /// and bank
  output logic [N-1:0]        act_entry_o,  /// ACT
  output logic [3:0]          act_bank_o  /// and bank
);
  function automatic [3:0] lowest(input [3:0] set);
    lowest = set & (~set + 1'b1);
  endfunction
  function automatic [15:0] lowest_slot(input [15:0] set);  // of the lowest bank the lowest slot
    lowest_slot = set & (~set + 1'b1);
  endfunction
  function automatic [3:0] banks(input [15:0] slots);
    banks = {slots[15:12] != '0, slots[11:8] != '0, slots[7:4] != '0, slots[3:0] != '0};
  endfunction
  function automatic [15:0] slots_of(input [3:0] set);
    slots_of = {{4{set[3]}}, {4{set[2]}}, {4{set[1]}}, {4{set[0]}}};
  endfunction
  function automatic [N-1:0] entries(input [4*N-1:0] set);
    entries = set[0 +: N] | set[N +: N] | set[2*N +: N] | set[3*N +: N];
  endfunction
  function automatic [N-1:0] oldest(input [N-1:0] set);
    oldest = set & (~set + 1'b1);
  endfunction
  function automatic [3:0] bank_of(input [4*N-1:0] set, input [N-1:0] entry);
    bank_of = lowest({(set[3*N +: N] & entry) != '0, (set[2*N +: N] & entry) != '0,
                      (set[N +: N] & entry) != '0, (set[0 +: N] & entry) != '0});
  endfunction
  function automatic [N-1:0] moved(input [N-1:0] set, input [N-1:0] shift);
    moved = set & ~shift | (set & shift) >> 1;
  endfunction

  // ---- ACT: of free banks first
  logic [4*N-1:0] act_free;
  logic [3:0] acts;  // banks that want it
  logic any_act_free;
  for (genvar k = 0; k < 4; k++) begin : g_act
    assign acts[k] = act_i[N*k +: N] != '0;
    assign act_free[N*k +: N] = act_i[N*k +: N] & {N{free_i[k]}};
  end
  assign any_act_free = (acts & free_i) != '0;

  // ---- the kinds, and which is the first
  logic [3:0] pres, pre_bank;
  logic any_ref, any_close, any_pre_free, any_pre, any_col, any_sasel, any_act, any_policy;
  logic requests, others;
  logic [6:0] kind;
  assign pres = banks(pre_i);
  assign any_pre_free = (pres & free_i) != '0;
  assign pre_bank = lowest(any_pre_free ? pres & free_i : pres);
  assign any_ref = ref_i != '0;
  assign any_close = close_i != '0;
  assign any_col = column_i != '0;
  assign any_sasel = sasel_i != '0;
  assign any_act = acts != '0;
  assign any_pre = pres != '0;
  assign any_policy = policy_i != '0;
  assign requests = !any_ref && !any_close;
  assign others = requests && !any_act_free && !any_pre_free;
  always_comb begin
    kind = '0;
    kind[0] = any_ref;
    kind[1] = any_close && !any_ref;
    kind[4] = others && any_col;
    kind[5] = others && !any_col && any_sasel;
    kind[6] = requests && (any_act_free || !any_pre_free && !any_col && !any_sasel && any_act);
    kind[2] = requests && !any_act_free &&
              (any_pre_free || !any_col && !any_sasel && !any_act && any_pre);
    kind[3] = others && !any_col && !any_sasel && !any_act && !any_pre && any_policy;
  end

  logic [N-1:0] column, sasel, opens;  // the oldest of each
  assign column = oldest(entries(column_i));
  assign sasel = oldest(entries(sasel_i));
  // in front of which the choice between the two would come late
  assign opens = any_act_free ? oldest(entries(act_free)) : oldest(entries(act_i));
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      kind_o <= '0;
      {ref_o, close_o, pre_o, policy_o} <= '0;
      {col_entry_o, col_bank_o, col_we_o} <= '0;
      {sasel_entry_o, sasel_bank_o, act_entry_o, act_bank_o} <= '0;
    end else if (active_i) begin
      kind_o <= kind;
      ref_o <= lowest(ref_i);
      close_o <= lowest_slot(close_i);
      pre_o <= pre_i & slots_of(pre_bank);
      policy_o <= lowest_slot(policy_i);
      col_entry_o <= moved(column, shift_i);
      col_bank_o <= bank_of(column_i, column);
      col_we_o <= (column & we_i) != '0;
      sasel_entry_o <= moved(sasel, shift_i);
      sasel_bank_o <= bank_of(sasel_i, sasel);
      act_entry_o <= moved(opens, shift_i);
      act_bank_o <= any_act_free ? bank_of(act_free, opens) : bank_of(act_i, opens);
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_kind, (kind_o & (kind_o - 1'b1)) == '0)
    `CHK(one_entry, (col_entry_o & (col_entry_o - 1'b1)) == '0 &&
         (sasel_entry_o & (sasel_entry_o - 1'b1)) == '0 &&
         (act_entry_o & (act_entry_o - 1'b1)) == '0)
    `CHK(one_bank, (col_bank_o & (col_bank_o - 1'b1)) == '0 &&
         (sasel_bank_o & (sasel_bank_o - 1'b1)) == '0 &&
         (act_bank_o & (act_bank_o - 1'b1)) == '0 && (ref_o & (ref_o - 1'b1)) == '0)
    `CHK(one_slot, (close_o & (close_o - 1'b1)) == '0 && (pre_o & (pre_o - 1'b1)) == '0 &&
         (policy_o & (policy_o - 1'b1)) == '0)
    `CHK(a_kind_has_a_winner,
         (!kind_o[0] || ref_o != '0) && (!kind_o[1] || close_o != '0) &&
         (!kind_o[2] || pre_o != '0) && (!kind_o[3] || policy_o != '0) &&
         (!kind_o[4] || col_entry_o != '0 && col_bank_o != '0) &&
         (!kind_o[5] || sasel_entry_o != '0 && sasel_bank_o != '0) &&
         (!kind_o[6] || act_entry_o != '0 && act_bank_o != '0))
  end

`ifdef FORMAL_TOP
  // Any one sector that wants a kind: if that kind is chosen, its winner is no younger, of a line
  // no higher bank; so it is the oldest. What is assumed is asserted in the proof of bankctl.
  (* anyconst *) logic [$clog2(N)-1:0] f_i;
  (* anyconst *) logic [1:0] f_k;
  logic f_wants_col, f_wants_sasel, f_wants_act, f_free_act;
  logic [N-1:0] f_older;
  assign f_older = (N'(1) << f_i) - 1'b1 | N'(1) << f_i;
  always @(posedge clk_i)
    if (!rst_ni) {f_wants_col, f_wants_sasel, f_wants_act, f_free_act} <= '0;
    else begin
      `ASM(nothing_moves, shift_i == '0 && active_i)
      for (int k = 0; k < 4; k++)
        `ASM(one_slot_a_bank, (pre_i[4*k +: 4] & (pre_i[4*k +: 4] - 1'b1)) == '0)
      f_wants_col <= column_i[N*f_k + f_i];
      f_wants_sasel <= sasel_i[N*f_k + f_i];
      f_wants_act <= act_i[N*f_k + f_i];
      f_free_act <= act_i[N*f_k + f_i] && free_i[f_k];
      if (f_wants_col) `CHK(no_younger_column, (col_entry_o & f_older) != '0 &&
           (col_entry_o != N'(1) << f_i || col_bank_o <= 4'd1 << f_k))
      if (f_wants_sasel) `CHK(no_younger_sasel, (sasel_entry_o & f_older) != '0 &&
           (sasel_entry_o != N'(1) << f_i || sasel_bank_o <= 4'd1 << f_k))
      if (f_free_act) `CHK(no_younger_act_of_a_free_bank, (act_entry_o & f_older) != '0 &&
           (act_entry_o != N'(1) << f_i || act_bank_o <= 4'd1 << f_k) &&
           (kind_o[6] || kind_o[0] || kind_o[1]))
      if (f_wants_act) `CHK(some_act, act_entry_o != '0)
      if (f_wants_col || f_wants_sasel || f_wants_act) `CHK(something_is_chosen, kind_o != '0)
      if (kind_o[3]) `CHK(policy_comes_last, !f_wants_col && !f_wants_sasel && !f_wants_act)
      if (kind_o[5]) `CHK(columns_before_sasel, !f_wants_col)
    end
`endif
endmodule
