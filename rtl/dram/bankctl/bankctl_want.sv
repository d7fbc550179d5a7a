// SPDX-License-Identifier: Apache-2.0
// bankctl_want: what the sectors of one bank want to do in this cycle, and may: the sets of them
// for a column access, SASEL and ACT, and the slot to close for a row that misses. Combinational;
// rules 4 to 8 of docs/blocks/bankctl.md, and what of them is left while a command is carried out
// for the bank (rule 9).
`default_nettype none
`include "check.svh"

module bankctl_want #(
  parameter int N = 16  /// entries of the queue
) (
  // sectors of the bank, bit i of entry i
  input  wire logic [N-1:0]    waits_i,  /// there is one
  input  wire logic [N-1:0]    we_i,  /// it writes
  input  wire logic [N-1:0]    held_i,  /// must not pass an older one
  input  wire logic [N-1:0]    hit_i,  /// the row is open
  input  wire logic [4*N-1:0]  at_i,  /// bit N*s + i: in slot s; without hit, it clashes with it
  input  wire logic [4*N-1:0]  shut_i,  /// as at_i: the slot closed its subarray last
  // straps and the controller
  input  wire logic            one_row_i,  /// a bank may have one row open only
  input  wire logic            select_next_i,  /// a column access may follow SASEL at once,
  input  wire logic            act_turns_i,  /// ACT may follow RD,
  input  wire logic            select_turns_i,  /// SASEL may come between two RD
  input  wire logic            act_ok_i,  /// the controller's times for ACT have passed
  input  wire logic            hold_i,  /// another bank is urgent: columns only,
  input  wire logic            skip_i,  /// or nothing
  // the bank
  input  wire logic [3:0]      open_i,  /// slots with a row
  input  wire logic            room_i,  /// fewer rows than allowed are open
  input  wire logic [3:0]      sel_i,  /// the selected slot, one hot, or none
  input  wire logic [3:0]      given_i,  /// the slot that is given up, one hot, or none
  input  wire logic [15:0]     newer_i,  /// bit 4i + j: slot i was used after slot j
  input  wire logic [3:0]      col_i,  /// slots whose columns can be accessed now
  input  wire logic [3:0]      col1_i,  /// now or a cycle later
  input  wire logic [3:0]      pre_i,  /// slots that can be closed now
  input  wire logic [3:0]      soon_i,  /// now or up to three cycles later
  input  wire logic [3:0]      wait_i,  /// slots whose last closed subarray can't be opened yet
  input  wire logic            rd_i,  /// the bank's data path is free for RD
  input  wire logic            wr_i,  /// for WR
  input  wire logic            rd1_i,  /// for RD now or a cycle later
  input  wire logic            wr1_i,  /// for WR now or a cycle later
  input  wire logic            sib_i,  /// the time after WR and RD to other rows has passed
  input  wire logic            rp_i,  /// that after PRE
  input  wire logic            ref_i,  /// that after REF
  input  wire logic            impatient_i,  /// the bank's oldest sector has waited too long
  input  wire logic            refreshing_i,  /// only PRE and REF from now on
  // what is carried out for the bank: one command at most
  input  wire logic            idle_i,  /// nothing
  input  wire logic            did_rd_i,  /// RD, of the selected slot
  input  wire logic            did_wr_i,  /// WR
  input  wire logic            did_act_i,  /// ACT
  input  wire logic            did_sasel_i,  /// SASEL
  input  wire logic [3:0]      closing_i,  /// PRE: the slot, one hot, or none
  input  wire logic [N-1:0]    served_i,  /// entry of RD, one hot; also without it
  input  wire logic [N-1:0]    selects_i,  /// entry of SASEL, one hot; also without it
  output logic [N-1:0]         column_o,  /// RD or WR
  output logic [N-1:0]         sasel_o,  /// SASEL
  output logic [N-1:0]         act_o,  /// ACT
  output logic                 free_o,  /// ACT and PRE go before columns
  output logic [3:0]           pre_o,  /// PRE: the slot, one hot, or none
  output logic [3:0]           hits_o,  /// slots that sectors hit; not the one that RD serves
  output logic                 misses_o,  /// a sector that takes part misses
  output logic [3:0]           choice_o  /// the slot to give up from now on, one hot, or none
);
  // ---- who takes part; slots that are hit
  logic [N-1:0] head, part, left;
  logic [3:0] hit_all;  // with what RD serves: known early, the same without RD
  logic select_ok, open_ok;  // SASEL after RD; ACT
  always_comb begin
    {head, part, left} = '0;
    hits_o = '0;
    hit_all = '0;
    if (waits_i != '0) begin
      head = waits_i & (~waits_i + 1'b1);
      part = refreshing_i ? '0 : impatient_i ? head : waits_i;
      left = waits_i & hit_i & ~(served_i & {N{did_rd_i}});
      for (int s = 0; s < 4; s++) begin
        hits_o[s] = (left & at_i[N*s +: N]) != '0;
        hit_all[s] = (waits_i & hit_i & at_i[N*s +: N]) != '0;
      end
    end
  end
  logic turns;  // RD of a bank that is not impatient
  logic [3:0] kept;  // slots that neither close nor are given up
  logic serviceable;
  assign turns = did_rd_i && !impatient_i;
  assign kept = ~closing_i & ~given_i;
  assign serviceable = (hit_all & sel_i & kept & col1_i) != '0;
  assign free_o = idle_i && (hit_all & sel_i) == '0;

  // ---- SASEL, ACT: whether the bank allows them
  assign select_ok = sib_i && !hold_i &&
    ((idle_i || closing_i != '0) && (impatient_i || !serviceable) || did_act_i ||
     turns && select_turns_i && (hits_o & sel_i) == '0);
  assign open_ok = act_ok_i && sib_i && ref_i && (!one_row_i || rp_i) && !hold_i &&
    ((idle_i || turns && act_turns_i) && room_i || closing_i != '0 && !one_row_i);

  // ---- columns, SASEL, ACT
  logic [N-1:0] hits, misses, clash, there, other, waits;
  logic [3:0] col_slots, select_slots;
  assign col_slots = (idle_i || closing_i != '0) && !skip_i ? sel_i & kept & col_i : '0;
  assign select_slots = kept & col1_i & (did_act_i ? 4'd15 : ~sel_i);
  always_comb begin
    {hits, misses, clash, there, other, waits} = '0;
    column_o = did_sasel_i && select_next_i ? selects_i : '0;
    sasel_o = '0;
    act_o = '0;
    if (part != '0) begin
      hits = part & hit_i & ~held_i;
      misses = part & ~hit_i;
      for (int s = 0; s < 4; s++) begin
        there = there | at_i[N*s +: N] & {N{col_slots[s]}};
        other = other | at_i[N*s +: N] & {N{select_slots[s]}};
        clash = clash | at_i[N*s +: N];
        waits = waits | shut_i[N*s +: N] & {N{wait_i[s]}};
      end
      column_o = column_o | hits & there & (we_i & {N{wr_i}} | ~we_i & {N{rd_i}});
      if (select_ok)
        sasel_o = hits & other & (we_i & {N{wr1_i && !did_rd_i}} | ~we_i & {N{rd1_i}});
      if (open_ok) act_o = misses & ~clash & ~waits;
    end
  end

  // ---- the slot to give up. Sectors that miss are of five kinds: those that clash with slot 0 to
  // 3, and, kind 4, with none. Which kind has the oldest one is known before which slots can go
  logic [3:0] can, lru;  // slots that can go, the least recently used one
  logic [4:0] goes;  // kinds for which a slot goes soon
  // kinds that take part; that of the head; that with the oldest that asks
  logic [4:0] some, leads, picks;
  logic [5*N-1:0] kinds, after;  // their sectors; from the oldest one on
  logic [24:0] ahead;   // bit 5*a + b: a has a sector before those of b
  always_comb begin
    can = open_i & ~(hits_o & ~{4{impatient_i}});
    for (int s = 0; s < 4; s++) lru[s] = can[s] && (newer_i[4*s +: 4] & can) == '0;
    goes = {!room_i && (lru & soon_i) != '0, can & soon_i};
    {some, leads, picks, kinds, after, ahead} = '0;
    if ((waits_i & ~hit_i) != '0 && !refreshing_i) begin
      kinds[4*N +: N] = waits_i & ~hit_i;
      for (int s = 0; s < 4; s++) begin
        kinds[N*s +: N] = waits_i & ~hit_i & at_i[N*s +: N];
        kinds[4*N +: N] = kinds[4*N +: N] & ~at_i[N*s +: N];
      end
      for (int a = 0; a < 5; a++) begin
        after[N*a +: N] = kinds[N*a +: N] | (~kinds[N*a +: N] + 1'b1);
        leads[a] = (kinds[N*a +: N] & head) != '0;
        some[a] = impatient_i ? leads[a] : kinds[N*a +: N] != '0;
      end
      for (int a = 0; a < 5; a++)
        for (int b = 1; b < 5; b++) if (b > a) begin
          ahead[5*a + b] = (kinds[N*a +: N] & ~after[N*b +: N]) != '0;
          ahead[5*b + a] = !ahead[5*a + b];
        end
      for (int a = 0; a < 5; a++) begin
        picks[a] = some[a] && goes[a];
        for (int b = 0; b < 5; b++)
          if (a != b && some[b] && goes[b] && !ahead[5*a + b]) picks[a] = 1'b0;
      end
    end
    choice_o = '0;
    if (given_i == '0 && !did_act_i && closing_i == '0)
      choice_o = picks[3:0] | lru & {4{picks[4]}};
    pre_o = '0;
    if ((idle_i || turns || did_wr_i && !impatient_i) && !hold_i && some != '0)
      pre_o = (given_i | choice_o) & pre_i & ~(sel_i & {4{did_rd_i || did_wr_i}});
  end
  assign misses_o = some != '0;

`ifdef FORMAL_TOP
  // The rules of the page, for any one sector. What is assumed is
  // asserted of bankctl's state, in its proof: knows_its_subarray, one_row_a_subarray,
  // one_is_selected, gives_up_an_open_slot, one_command.
  (* anyconst *) logic [$clog2(N):0] f_i;
  logic [3:0] f_at, f_shut, f_can, f_lru, f_mine;  // f_mine: what rule 8 has for it
  logic f_head, f_part, f_hits, f_near, f_ready, f_first, f_miss, f_idle;
  function automatic [3:0] f_slots(input [4*N-1:0] set, input int i);
    for (int s = 0; s < 4; s++) f_slots[s] = set[N*s + i];
  endfunction
  logic [3:0] f_other;
  always_comb begin
    f_at = f_slots(at_i, 32'(f_i));
    f_shut = f_slots(shut_i, 32'(f_i));
    f_head = 1'b1;  // no older one waits
    for (int i = 0; i < N; i++) if (i < 32'(f_i) && waits_i[i]) f_head = 1'b0;
    f_part = waits_i[f_i] && !refreshing_i && (!impatient_i || f_head);
    f_hits = f_part && hit_i[f_i] && !held_i[f_i];
    f_miss = f_part && !hit_i[f_i];
    f_near = f_at != '0;
    f_idle = idle_i || closing_i != '0;
    f_can = impatient_i ? open_i : open_i & ~hits_o;
    for (int s = 0; s < 4; s++) f_lru[s] = f_can[s] && (newer_i[4*s +: 4] & f_can) == '0;
    f_mine = (f_near ? f_at & f_can : room_i ? '0 : f_lru) & soon_i;
    f_first = 1'b1;
    for (int i = 0; i < N; i++) begin
      f_other = f_slots(at_i, i);
      if (i < 32'(f_i) && !impatient_i && waits_i[i] && !hit_i[i] &&
          ((f_other != '0 ? f_other & f_can : room_i ? 4'd0 : f_lru) & soon_i) != '0)
        f_first = 1'b0;
      `ASM(one_slot, (f_other & (f_other - 1'b1)) == '0 && (f_other & ~open_i) == '0)
    end
    assume (32'(f_i) < N);
    `ASM(a_hit_is_in_a_slot, !hit_i[f_i] || f_near)
    for (int s = 0; s < 4; s++) for (int t = 0; t < 4; t++)
      if (s != t && open_i[s] && open_i[t])
        `ASM(one_used_later, newer_i[4*s + t] == !newer_i[4*t + s] && !newer_i[4*s + s])
    `ASM(use_is_transitive, (f_lru & (f_lru - 1'b1)) == '0)
    `ASM(one_is_selected, (sel_i & (sel_i - 1'b1)) == '0 && (given_i & (given_i - 1'b1)) == '0)
    `ASM(one_command, {2'd0, idle_i} + {2'd0, did_rd_i} + {2'd0, did_wr_i} + {2'd0, did_act_i} +
         {2'd0, did_sasel_i} + {2'd0, closing_i != '0} <= 3'd1)
    `CHK(rule_5, column_o[f_i] == (did_sasel_i && select_next_i && selects_i[f_i] ||
                 f_hits && f_idle && !skip_i && f_at == sel_i &&
                 (f_at & col_i & ~given_i & ~closing_i) != '0 && (we_i[f_i] ? wr_i : rd_i)))
    `CHK(rule_6, !sasel_o[f_i] || f_hits && !hold_i && sib_i && (did_act_i || f_at != sel_i) &&
                 (f_at & col1_i & ~given_i & ~closing_i) != '0 && (we_i[f_i] ? wr1_i : rd1_i) &&
                 (f_idle || did_act_i || did_rd_i && !we_i[f_i] && !impatient_i))
    `CHK(rule_7, !act_o[f_i] || f_miss && !f_near && (f_shut & wait_i) == '0 && act_ok_i && sib_i &&
                 ref_i && !hold_i && (!one_row_i || rp_i) && (room_i || closing_i != '0))
    `CHK(rule_8, choice_o == '0 || (choice_o & ~f_can) == '0 && (choice_o & ~soon_i) == '0)
    if (f_miss && f_mine != '0 && given_i == '0 && !did_act_i && closing_i == '0)
      `CHK(some_slot_goes, choice_o != '0)
    // nobody older asks: it decides
    if (f_first && f_miss && f_mine != '0 && given_i == '0 && !did_act_i && closing_i == '0)
      `CHK(the_oldest_decides, choice_o == f_mine)
    `CHK(closes_in_time, (pre_o & ~pre_i) == '0 && (pre_o & ~(given_i | choice_o)) == '0)
  end
`endif
endmodule
