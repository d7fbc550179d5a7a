// SPDX-License-Identifier: Apache-2.0
// bankctl, how long a request waits: a proof of its own, to which what bankctl_proof.svh says is
// given. Part of bankctl.sv. In three steps: an impatient bank does what its oldest request needs;
// once it is urgent that is served in a bounded time; others are urgent before it three times at
// most.

  // ---- waiting. A command of an impatient bank is for its oldest request (or ends what SASEL or
  // a slot that was given up began before); nobody comes before a request later.
  function automatic [N-1:0] f_moved(input [N-1:0] set);
    f_moved = set & ~shift | (set & shift) >> 1;
  endfunction
  // in the choice of what is carried out, in the one before
  logic [3:0] f_was, f_was2;
  logic [4*N-1:0] f_heads, f_head;  // oldest sectors: now; in the choice of what is carried out
  logic [N-1:0] f_began;  // entry of SASEL before, of its bank
  logic [3:0] f_began_in;
  logic [15:0] f_lru;  // of all open slots
  for (genvar k = 0; k < 4; k++) begin : f_of_patience
    assign f_heads[N*k +: N] = waits[N*k +: N] & (~waits[N*k +: N] + 1'b1);
    for (genvar s = 0; s < 4; s++) begin : g_s
      assign f_lru[4*k + s] = open[4*k + s] && (f_newer[16*k + 4*s +: 4] & open[4*k +: 4]) == '0;
    end
  end
  // any one sector: its bank, its entry
  (* anyseq *) logic f_watch;
  (* anyconst *) logic [1:0] f_k;
  logic f_on;
  logic [N-1:0] f_entry, f_older;
  logic [IW:0] f_before, f_before_q;
  always_comb begin
    f_older = waits[N*f_k +: N] & (f_entry - 1'b1);
    f_before = '0;
    for (int j = 0; j < N; j++) f_before = f_before + (IW+1)'(f_older[j]);
  end
  always @(posedge clk_i)
    if (!rst_ni) begin
      {f_was, f_was2, f_began_in} <= '0;
      {f_began, f_head} <= '0;
      f_on <= 1'b0;
    end else begin
      if (!f_on) begin
        f_on <= f_watch && take && come_bank[f_k];
        f_entry <= f_where;
        f_before_q <= '1;
      end else begin
        f_on <= !(serve[f_k] && col_entry == f_entry);
        f_entry <= f_moved(f_entry);
        f_before_q <= f_before;
        `CHK(waits_in_one_entry, f_entry != '0 && (f_entry & (f_entry - 1'b1)) == '0 &&
             (f_entry & ~waits[N*f_k +: N]) == '0)
        `CHK(nobody_comes_before_it, f_before <= f_before_q)
      end
      if (active) begin
        f_was <= wants;
        f_was2 <= f_was & wants;
        for (int k = 0; k < 4; k++) f_head[N*k +: N] <= f_moved(f_heads[N*k +: N]);
        f_began <= go_sasel ? f_moved(sasel_entry) : '0;
        f_began_in <= go_sasel ? sasel_bank : '0;
      end
      for (int k = 0; k < 4; k++) begin
        if (f_was2[k]) `CHK(was_before, f_was[k])
        if (f_was[k]) `CHK(no_refresh_then, !refresh[k] && (!kind[1] || close_pick[4*k +: 4] == '0))
        if (f_was[k] && impatient[k]) `CHK(same_head, f_head[N*k +: N] == f_heads[N*k +: N])
        if (f_was[k]) begin
          if (go_sasel && sasel_bank[k])
            `CHK(impatient_selects_for_its_head, sasel_entry == f_head[N*k +: N])
          if (go_act && act_bank[k])
            `CHK(impatient_opens_for_its_head, act_entry == f_head[N*k +: N])
          if (go_col && col_bank[k])
            `CHK(impatient_but_for_what_began, col_entry == f_head[N*k +: N] ||
                 f_began_in[k] && col_entry == f_began)
        end
        if (f_was2[k] && f_began_in[k])
          `CHK(began_for_its_head, (f_began & ~f_head[N*k +: N]) == '0)
        for (int s = 0; s < 4; s++) if (f_was2[k]) begin
          if ((f_head[N*k +: N] & at[N*(4*k+s) +: N] & hit[N*k +: N]) != '0)
            `CHK(its_row_stays, !close_at[4*k + s] && !f_given[4*k + s])
        end
      end
      if (go_col) `COV(a_head_of_an_impatient_bank, (f_was2 & col_bank) != '0)
    end

  // Any one bank, from two cycles after it became urgent until its oldest request is served or it
  // begins to refresh: FWait cycles at most, and 2 for each REF and PRE for a refresh of another
  // bank. Of these there are 15 at most, where no bank refreshes twice in that time.
  function automatic int f_max(input int a, input int b);
    f_max = a > b ? a : b;
  endfunction
  localparam int FColumn = f_max(f_max(T_RCD, T_WTRD), f_max(T_RTW, f_max(T_CCD, T_SCD)));
  localparam int FOpen = f_max(f_max(T_RP, T_WA), f_max(T_RRD, T_FAW));
  localparam int FPre = f_max(T_RAS, f_max(T_WTP, T_RTP));
  // a time takes its count; then comes one choice or, as the first may go to a column of another
  // bank, two
  localparam int FAfterAct = FColumn + 1, FAfterPre = FOpen + 1 + FAfterAct,
      FWait = FPre + 1 + FAfterPre + 7;
  localparam int FRefreshes = 3 * (4 + 1);
  logic [N-1:0] f_mine;  // its head
  logic [3:0] f_k_slot, f_k_shut, f_k_open, f_k_lru, f_k_given;
  logic f_k_hit, f_k_we, f_k_column, f_k_sasel, f_k_act, f_k_close;
  logic [1:0] f_urgents;  // in the choice of what is carried out, and the one before
  logic f_turn, f_refreshes, f_served;
  int f_rest, f_net, f_steps, f_spare, t, u;
  assign f_k_open = open[4*f_k +: 4];
  assign f_k_lru = f_lru[4*f_k +: 4];
  assign f_k_given = f_given[4*f_k +: 4];
  assign f_mine = f_heads[N*f_k +: N];
  assign f_turn = f_urgents[1] && urgent_q[f_k] && wants[f_k];
  assign f_refreshes = kind[0] || kind[1];
  // what is carried out for it now
  assign f_k_column = go_col && col_bank[f_k] && col_entry == f_mine;
  assign f_k_sasel = go_sasel && sasel_bank[f_k];
  assign f_k_act = go_act && act_bank[f_k];
  assign f_k_close = kind[2] && pre_pick[4*f_k +: 4] != '0;
  assign f_served = f_k_column;
  // cycles to the end of the one in which what is chosen after t cycles is carried out
  function automatic int f_done(input int t, input turn);
    f_done = t + 1 + (turn == ((t & 1) == 0) ? 1 : 0);
  endfunction
  function automatic int f_left(input [3:0] slots, input [4*FLW-1:0] pre);
    f_left = 1;
    for (int s = 0; s < 4; s++) if (slots[s]) f_left = f_max(f_left, 32'(pre[FLW*s +: FLW]));
  endfunction
  always_comb begin
    {f_k_slot, f_k_shut} = '0;
    for (int s = 0; s < 4; s++) begin
      f_k_slot[s] = (at[N*(4*f_k+s) +: N] & f_mine) != '0;
      f_k_shut[s] = (shut[N*(4*f_k+s) +: N] & f_mine) != '0;
    end
    f_k_hit = (hit[N*f_k +: N] & f_mine) != '0;
    f_k_we = (we & f_mine) != '0;
    // what it waits for next, and what comes after that at most; rows that the closed page policy
    // may close meanwhile
    t = 1;
    u = 0;
    f_steps = 0;
    f_spare = 32'(f_n_open[3*f_k +: 3]);
    if (f_k_hit) begin
      for (int s = 0; s < 4; s++)
        if (f_k_slot[s]) t = f_max(t, 32'(f_col[FSW*(4*f_k+s) +: FSW]));
      t = f_max(t, f_k_we ? 32'(f_wr[FSW*f_k +: FSW]) : 32'(f_rd[FSW*f_k +: FSW]));
      f_spare = f_spare - 1;
      if (f_k_slot == selected[4*f_k +: 4]) t = f_k_column ? 1 : f_done(t, turn_q);
      else begin
        t = f_k_sasel ? 1 : f_done(f_max(t, 32'(f_sib[FSW*f_k +: FSW])), turn_q);
        f_steps = T_SCD + 2;
      end
    end else if (f_k_slot == '0 && f_n_open[3*f_k +: 3] < cfg_rows_i) begin
      for (int s = 0; s < 4; s++)
        if (f_k_shut[s]) t = f_max(t, 32'(f_act[FSW*(4*f_k+s) +: FSW]));
      t = f_max(f_max(t, 32'(f_sib[FSW*f_k +: FSW])),
                f_max(32'(rrd_left), 32'(faw_q[3*SW +: SW])));
      if (cfg_rows_i == 3'd1) t = f_max(t, 32'(f_rp[FSW*f_k +: FSW]));
      t = f_k_act ? 1 : f_done(t, turn_q);
      f_steps = FAfterAct;
    end else begin
      f_steps = FAfterPre;
      f_spare = f_spare - 1;
      if (f_k_given != '0 && f_k_slot != '0 && f_k_given != f_k_slot) begin
        // first another slot, which was given up before; then its own
        f_spare = f_spare - 1;
        u = f_k_close ? 1 : f_done(f_left(f_k_given, f_pre[4*FLW*f_k +: 4*FLW]), turn_q);
        t = f_max(u + 3, f_left(f_k_slot, f_pre[4*FLW*f_k +: 4*FLW]) + 2);
      end else
        t = f_k_close ? 1 :
            f_done(f_left(f_k_given != '0 ? f_k_given : f_k_slot != '0 ? f_k_slot : f_k_lru,
                          f_pre[4*FLW*f_k +: 4*FLW]), turn_q);
    end
    f_rest = t + f_steps + 2 * f_spare;
  end
  always @(posedge clk_i) begin
    f_urgents <= {f_urgents[0] && urgent_q[f_k] && wants[f_k], urgent_q[f_k] && wants[f_k]} &
                 {2{rst_ni}};
    if (!rst_ni || !f_turn || f_served) f_net <= 0;
    else f_net <= f_refreshes ? f_max(f_net - 1, 0) : f_net + 1;
    if (rst_ni) begin
      `CHK(turn_comes, f_net >= 0 && f_net <= FWait)
      `CHK(urgent_was_chosen_before, !f_turn || f_was2[f_k] && impatient[f_k] && f_mine != '0)
      if (f_turn) begin
        `CHK(turn_comes_nearer, f_net + f_rest <= FWait + (f_refreshes ? 2 : 0))
        `CHK(others_only_column, !go_sasel || f_k_sasel)
        `CHK(others_open_no_row, !go_act || f_k_act)
        `CHK(others_close_no_row, !kind[2] || f_k_close)
        `CHK(others_every_second_time, !go_col || col_bank[f_k] || turn_q)
      end
      for (int s = 0; s < 4; s++)
        `CHK(slot_is_short, 32'(f_col[FSW*(4*f_k+s) +: FSW]) < f_max(T_RCD, T_SCD) &&
             32'(f_pre[FLW*(4*f_k+s) +: FLW]) < FPre)
      `CHK(data_is_short, 32'(f_rd[FSW*f_k +: FSW]) < FColumn &&
           32'(f_wr[FSW*f_k +: FSW]) < FColumn &&
           32'(f_sib[FSW*f_k +: FSW]) < f_max(T_WA, T_RA) &&
           32'(f_rp[FSW*f_k +: FSW]) < T_RP && 32'(rrd_left) < T_RRD)
      for (int i = 0; i < 4; i++) `CHK(four_acts_are_short, 32'(faw_q[SW*i +: SW]) < T_FAW)
    end
  end

  // The same in cycles, where no bank refreshes twice in that time.
  if (T_RFC > FWait + 2 * FRefreshes + 1) begin : f_absolute
    // since it is urgent; left: of what others' refreshes may need
    int age, refreshes, tenure, left;
    logic [3:0] refreshed;
    always_comb begin
      left = 0;
      for (int k = 0; k < 4; k++)
        if (f_k != 2'(k)) left = left + 32'(f_n_open[3*k +: 3]) + (refreshed[k] ? 0 : 1);
    end
    always @(posedge clk_i) begin
      if (!rst_ni || !f_turn || f_served) begin
        age <= 0;
        refreshes <= 0;
        refreshed <= '0;
      end else begin
        age <= age + 1;
        refreshes <= refreshes + (f_refreshes ? 1 : 0);
        refreshed <= refreshed | refresh;
      end
      tenure <= rst_ni && urgent_q[f_k] ? tenure + 1 : 0;
      if (rst_ni) begin
        if (f_turn) begin
          `CHK(others_refresh_once, refreshes >= 0 && refreshes <= FRefreshes && left >= 0 &&
               refreshes + left <= FRefreshes)
          `CHK(age_in_cycles, age >= 0 && age <= f_net + 2 * refreshes)
          for (int k = 0; k < 4; k++) if (refreshed[k])
            `CHK(refreshed_lately, 32'(f_ref[FRW*k +: FRW]) + age >= T_RFC - 1)
          `CHK(turn_comes_in_time, age + f_rest <= FWait + 2 * FRefreshes)
          `CHK(urgent_for_as_long, tenure == age + 2)
        end else if (urgent_q[f_k]) `CHK(urgent_for_no_longer, !wants[f_k] || tenure <= 1)
        if (urgent_q[f_k]) `CHK(turn_ends, tenure >= 0 && tenure <= FWait + 2 * FRefreshes + 2)
      end
    end
  end

  // While it wants to be urgent, others are so three times at most, what goes on when it begins to
  // included.
  logic [1:0] f_order, f_turns;  // f_order: how many may be so before it
  logic f_asks, f_asked;
  assign f_asks = wants[f_k] && !urgent_q[f_k];
  always_comb begin
    f_order = f_k;
    for (int k = 0; k < 4; k++) f_order = f_order - {1'b0, !f_after[k]};
  end
  logic [2:0] f_turns_next;
  assign f_turns_next = {1'b0, f_turns} + {2'd0, (urgent_q & wants) == '0 ? !next[f_k] : !f_asked};
  always @(posedge clk_i) begin
    f_asked <= rst_ni && f_asks;
    f_turns <= rst_ni && f_asks ? f_turns_next[1:0] : '0;
    if (rst_ni && f_asks) begin
      `CHK(three_others_at_most, f_turns_next <= 3'd3)
      `CHK(others_bring_it_nearer,
           32'(f_turns) + 32'(f_order) + (!f_asked && (urgent_q & wants) != '0 ? 1 : 0) <= 3)
    end
    if (rst_ni) `CHK(counts_turns_while_it_asks, f_asked || f_turns == '0)
  end
