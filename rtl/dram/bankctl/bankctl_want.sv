// SPDX-License-Identifier: Apache-2.0
// bankctl_want: what the requests for one bank want to do in this cycle, and may: the sets of
// entries for a column access, SASEL, ACT and PRE. Combinational; rules 4 to 9 of
// docs/blocks/bankctl.md.
`default_nettype none
`include "check.svh"

module bankctl_want #(
  parameter int N = 16  /// entries of the queue
) (
  input  wire logic [N-1:0]    mine_i,  /// entries for this bank
  input  wire logic [N-1:0]    head_i,  /// the oldest of them, one hot
  input  wire logic [N-1:0]    we_i,  /// entries that write
  input  wire logic [N-1:0]    held_i,  /// must not pass an older request
  input  wire logic [N-1:0]    hit_i,  /// the row is open
  input  wire logic [4*N-1:0]  slot_i,  /// where: bit N*s + i for slot s and entry i
  input  wire logic [4*N-1:0]  same_i,  /// as slot_i: the slot has the entry's subarray,
  input  wire logic [4*N-1:0]  shut_i,  /// or closed it last
  input  wire logic            one_row_i,  /// a bank may have one row open only
  input  wire logic            act_ok_i,  /// the controller's times for ACT have passed
  // the bank
  input  wire logic [3:0]      open_i,  /// slots with a row
  input  wire logic            room_i,  /// fewer rows than allowed are open
  input  wire logic [3:0]      sel_i,  /// the selected slot, one hot, or none
  input  wire logic [3:0]      col_i,  /// slots whose columns can be accessed now
  input  wire logic [3:0]      col1_i,  /// now or a cycle later
  input  wire logic [3:0]      pre_i,  /// slots that can be closed
  input  wire logic [3:0]      wait_i,  /// slots whose last closed subarray can't be opened yet
  input  wire logic [3:0]      lru_i,  /// one hot, or none
  input  wire logic            rd_i,  /// the bank's data path is free for RD
  input  wire logic            wr_i,  /// for WR
  input  wire logic            rd1_i,  /// for RD now or a cycle later
  input  wire logic            wr1_i,  /// for WR now or a cycle later
  input  wire logic            sib_i,  /// the time after WR and RD to other rows has passed
  input  wire logic            rp_i,  /// that after PRE
  input  wire logic            ref_i,  /// that after REF
  input  wire logic            impatient_i,  /// the bank's oldest request has waited too long
  input  wire logic            refreshing_i,  /// only PRE and REF from now on
  input  wire logic            hold_i,  /// another bank is urgent: columns only,
  input  wire logic            skip_i,  /// or nothing
  input  wire logic [3:0]      hits_i,  /// slots that entries hit,
  input  wire logic [3:0]      two_i,  /// more than one
  output logic [N-1:0]         column_o,  /// RD or WR
  output logic [N-1:0]         sasel_o,  /// SASEL
  /// SASEL after the RD of an entry that hits the selected slot
  output logic [N-1:0]         turn_o,
  output logic [N-1:0]         act_o,  /// ACT
  output logic [N-1:0]         next_o,  /// ACT, were another row closed: without regard to room
  output logic [N-1:0]         pre_o,  /// PRE
  output logic [4*N-1:0]       close_o  /// the slot that PRE closes, as slot_i
);
  // a hit of the selected slot can be served, or another bank is urgent: nobody selects another
  logic busy;

  assign busy = hold_i || !impatient_i && (hits_i & sel_i & col1_i) != '0;

  logic [N-1:0] may;
  assign may = refreshing_i || skip_i ? '0 : impatient_i ? head_i : mine_i;

  logic [N-1:0] hits, misses, there, near;  // in the selected slot, in the subarray of an open one,
  logic [N-1:0] col, col1, can, kept, waits;  // and what the slot, or that subarray, allows
  logic next, full;
  assign next = act_ok_i && sib_i && ref_i && (!one_row_i || rp_i) && !hold_i;
  assign full = !room_i;
  always_comb begin
    {hits, misses, there, near, col, col1, can, kept, waits} = '0;
    column_o = '0;
    sasel_o = '0;
    turn_o = '0;
    act_o = '0;
    next_o = '0;
    pre_o = '0;
    close_o = '0;
    if (may != '0) begin
      hits = may & hit_i & ~held_i;
      misses = may & ~hit_i;
      for (int k = 0; k < 4; k++) begin
        there = there | slot_i[N*k +: N] & {N{sel_i[k]}};
        col = col | slot_i[N*k +: N] & {N{col_i[k]}};
        col1 = col1 | slot_i[N*k +: N] & {N{col1_i[k]}};
        near = near | same_i[N*k +: N] & {N{open_i[k]}};
        can = can | same_i[N*k +: N] & {N{open_i[k] && pre_i[k]}};
        kept = kept | same_i[N*k +: N] & {N{open_i[k] && hits_i[k] && !impatient_i}};
        waits = waits | shut_i[N*k +: N] & {N{wait_i[k]}};
      end
      column_o = hits & there & col & (we_i & {N{wr_i}} | ~we_i & {N{rd_i}});
      if (sib_i && !busy) sasel_o = hits & ~there & col1 & (we_i & {N{wr1_i}} | ~we_i & {N{rd1_i}});
      if (sib_i && !hold_i && !impatient_i && (two_i & sel_i) == '0)
        turn_o = hits & ~there & col1 & ~we_i;
      if (next) next_o = misses & ~near & ~waits;
      if (room_i) act_o = next_o;
      if (!hold_i)
        pre_o = misses & (near & can & ~kept | ~near & {N{full && (pre_i & lru_i) != '0}});
      for (int k = 0; k < 4; k++)
        close_o[N*k +: N] = misses & (same_i[N*k +: N] & {N{open_i[k]}} |
                                      ~near & {N{full && lru_i[k]}});
    end
  end

`ifdef FORMAL_TOP
  // The rules of the page, for any one entry. What is assumed is asserted of bankctl's state, in
  // its proof: knows_its_slot, one_row_a_subarray, one_is_selected, one_head.
  (* anyconst *) logic [$clog2(N):0] f_i;
  logic [3:0] f_slot, f_same, f_shut, f_close;
  logic f_may, f_serves, f_ready, f_act;
  always_comb begin
    for (int s = 0; s < 4; s++) begin
      f_slot[s] = slot_i[N*s + 32'(f_i)];
      f_same[s] = same_i[N*s + 32'(f_i)] && open_i[s];
      f_shut[s] = shut_i[N*s + 32'(f_i)];
      f_close[s] = close_o[N*s + 32'(f_i)];
    end
    f_may = mine_i[f_i] && !refreshing_i && !skip_i && (!impatient_i || head_i[f_i]);
    f_serves = f_may && hit_i[f_i] && !held_i[f_i];
    f_ready = we_i[f_i] ? wr1_i : rd1_i;
    f_act = f_may && !hit_i[f_i] && f_same == '0 && (f_shut & wait_i) == '0 && act_ok_i && sib_i &&
            ref_i && (!one_row_i || rp_i) && !hold_i;  // but for room
    assume (32'(f_i) < N);
    `ASM(one_slot, !(mine_i[f_i] && hit_i[f_i]) ||
                   f_slot != '0 && (f_slot & (f_slot - 1'b1)) == '0)
    `ASM(one_of_a_subarray, !mine_i[f_i] || (f_same & (f_same - 1'b1)) == '0)
    `ASM(one_is_selected, (sel_i & (sel_i - 1'b1)) == '0 && (lru_i & (lru_i - 1'b1)) == '0)
    `ASM(heads_are_entries, (head_i & ~mine_i) == '0)
    `CHK(rule_5, column_o[f_i] == (f_serves && f_slot == sel_i && (f_slot & col_i) != '0 &&
                                   (we_i[f_i] ? wr_i : rd_i)))
    `CHK(rule_6, sasel_o[f_i] == (f_serves && f_slot != sel_i && (f_slot & col1_i) != '0 &&
                                  sib_i && f_ready && !hold_i &&
                                  (impatient_i || (hits_i & sel_i & col1_i) == '0)))
    `CHK(rule_9_turn, !turn_o[f_i] || f_serves && f_slot != sel_i && (f_slot & col1_i) != '0 &&
                      sib_i && !we_i[f_i] && !hold_i && !impatient_i)
    `CHK(rule_7, next_o[f_i] == f_act && act_o[f_i] == (f_act && room_i))
    `CHK(rule_8, pre_o[f_i] == (f_may && !hit_i[f_i] && !hold_i && f_close != '0 &&
                                (f_close & ~pre_i) == '0 &&
                                (f_same == '0 || impatient_i || (f_same & hits_i) == '0)))
    if (f_may && !hit_i[f_i])
      `CHK(closes_one, f_close == (f_same != '0 ? f_same : room_i ? 4'd0 : lru_i))
  end
`endif
endmodule
