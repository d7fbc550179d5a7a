// SPDX-License-Identifier: Apache-2.0
// bankctl, how long a request waits: a proof of its own, to which what bankctl_proof.svh says is given. Part of
// bankctl.sv. Not bounded: the commands for other banks that come before one of an impatient bank.

  // ---- waiting. A command of an impatient bank is for its oldest request (or ends what SASEL or PRE began before);
  // nobody comes before a request later.
  logic [3:0] f_impatient, f_was, f_was2;  // now, in the choice of what is carried out, in the one before
  logic [4*N-1:0] f_head;
  logic [N-1:0] f_began;
  logic [15:0] f_lru;  // of all open slots
  for (genvar k = 0; k < 4; k++) begin : f_of_patience
    assign f_impatient[k] = f_bank[114*k + 85 +: 9] <= 9'd1;
    for (genvar s = 0; s < 4; s++) begin : g_s
      assign f_lru[4*k + s] = open[4*k + s] && (f_bank[114*k + 94 + 4*s +: 4] & open[4*k +: 4]) == '0;
    end
  end
  (* anyconst *) logic [IW-1:0] f_i;
  logic [IW:0] f_before, f_before_q;
  logic f_there;
  always_comb begin
    f_before = '0;
    for (int j = 0; j < N; j++) f_before = f_before + (IW+1)'(older_q[N*f_i + j]);
  end
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_was <= '0;
      f_was2 <= '0;
      f_there <= 1'b0;
      f_began <= '0;
    end else begin
      f_there <= valid_q[f_i] && !gone[f_i];
      f_before_q <= f_before;
      if (f_there) `CHK(nobody_comes_before_it, valid_q[f_i] && f_before <= f_before_q)
      if (active) begin
        f_was <= f_impatient & ~refreshing;
        f_was2 <= f_was & f_impatient & ~refreshing;
        f_head <= head_q;
        f_began <= go_sasel ? to_sasel : go_pre ? to_close : '0;
      end
      for (int k = 0; k < 4; k++) begin
        if (f_was2[k]) `CHK(was_before, f_was[k])
        if (f_was[k]) `CHK(no_refresh_then, !refresh[k] && for_refresh[4*k +: 4] == '0)
        if (f_was[k] && f_impatient[k]) `CHK(same_head, f_head[N*k +: N] == head_q[N*k +: N])
        if (f_was2[k]) `CHK(began_for_its_head, (f_began & bank_q[N*k +: N] & ~f_head[N*k +: N]) == '0)
      end
      for (int k = 0; k < 4; k++) for (int i = 0; i < N; i++)
        if (f_was[k] && bank_q[N*k + i]) begin
          if (to_sasel[i] || to_close[i]) `CHK(impatient_for_its_head, f_head[N*k + i])
          for (int s = 0; s < 4; s++)
            if (f_impatient[k] && head_q[N*k + i] && hit_q[i] && slot_q[N*s + i])
              `CHK(its_row_stays, !for_policy[4*k + s])
          for (int s = 0; s < 4; s++)
            if (to_close[i] && to_slot[N*s + i]) `CHK(closes_its_subarray_or_the_oldest, same_q[N*s + i] || f_lru[4*k + s])
          if (to_column[i] || to_act[i]) `CHK(impatient_but_for_what_began, f_head[N*k + i] || f_began[i])
        end
      if (go_col) `COV(a_head_of_an_impatient_bank, f_was2 != '0)
    end

  // Any one bank, from two cycles after it became impatient until its oldest request is served or a refresh begins:
  // FWait cycles at most, but for 2 for each command for another bank, and FAct for each ACT of those.
  function automatic int f_max(input int a, input int b);
    f_max = a > b ? a : b;
  endfunction
  localparam int FAct = T_FAW > T_RRD ? T_FAW + 1 : T_RRD + 1;
  localparam int FColumn = f_max(f_max(T_RCD, T_WTRD), f_max(T_RTW, f_max(T_CCD, T_SCD)));
  localparam int FOpen = f_max(f_max(T_RP, T_WA), f_max(T_RFC, FAct));
  localparam int FPre = f_max(T_RAS, f_max(T_WTP, T_RTP));
  localparam int FAfterAct = FColumn + 2, FAfterPre = FOpen + 1 + FAfterAct, FWait = 4 + FPre + 1 + FAfterPre;
  (* anyconst *) logic [1:0] f_k;
  logic [113:0] f_kb;
  logic [3:0] f_k_slot, f_k_sub, f_k_shut, f_k_open, f_k_lru;
  logic f_k_hit, f_k_we, f_k_column, f_k_sasel, f_k_act, f_k_close, f_other;
  int f_rest, f_age, t;
  assign f_kb = f_bank[114*f_k +: 114];
  assign f_k_open = open[4*f_k +: 4];
  assign f_other = go_any && !pick_bank[f_k];
  always_comb begin
    {f_k_slot, f_k_sub, f_k_shut} = '0;
    {f_k_hit, f_k_we, f_k_column, f_k_sasel, f_k_act, f_k_close} = '0;
    for (int i = 0; i < N; i++) if (head_q[N*f_k + i]) begin
      for (int s = 0; s < 4; s++) begin
        f_k_slot[s] = slot_q[N*s + i];
        f_k_sub[s] = same_q[N*s + i] && f_k_open[s];
        f_k_shut[s] = shut_q[N*s + i];
      end
      f_k_hit = hit_q[i];
      f_k_we = we_q[i];
      {f_k_column, f_k_sasel, f_k_act, f_k_close} = {to_column[i], to_sasel[i], to_act[i], to_close[i]};
    end
    f_k_lru = f_lru[4*f_k +: 4];
    // what it waits for next, and what comes after that at most
    t = 1;
    if (f_k_hit) begin
      for (int s = 0; s < 4; s++) if (f_k_slot[s]) t = f_max(t, 32'(f_kb[4*s +: 4]));
      t = f_max(t, f_k_we ? 32'(f_kb[63:60]) : 32'(f_kb[59:56]));
      if (f_k_slot == f_kb[113:110]) t = f_k_column ? 1 : t + 1;
      else t = (f_k_sasel ? 1 : f_max(t, 32'(f_kb[67:64])) + 1) + 3 + T_SCD;
    end else if (f_k_sub == '0 && f_n_open[3*f_k +: 3] < cfg_rows_i) begin
      for (int s = 0; s < 4; s++) if (f_k_shut[s]) t = f_max(t, 32'(f_kb[16 + 4*s +: 4]));
      t = f_max(f_max(t, 32'(f_kb[67:64])), f_max(32'(f_kb[80:72]), f_max(32'(rrd_q), 32'(faw_q[19:15]))));
      if (cfg_rows_i == 3'd1) t = f_max(t, 32'(f_kb[71:68]));
      t = (f_k_act ? 1 : t + 1) + FAfterAct;
    end else begin
      for (int s = 0; s < 4; s++)
        if (f_k_sub != '0 ? f_k_sub[s] : f_k_lru[s]) t = f_max(t, 32'(f_kb[32 + 6*s +: 6]));
      t = (f_k_close ? 1 : t + 1) + FAfterPre;
    end
    f_rest = t + 32'(f_n_open[3*f_k +: 3]);
  end
  always @(posedge clk_i) begin
    if (!rst_ni || !f_was2[f_k] || !f_impatient[f_k] || refreshing[f_k] || head_q[N*f_k +: N] == '0 || gone != '0 && pick_bank[f_k]) f_age <= 0;
    else if (!f_other) f_age <= f_age + 1;
    else if (go_act) f_age <= f_max(f_age - FAct, 0);
    else f_age <= f_max(f_age - 1, 0);
    if (rst_ni) begin
      `CHK(turn_comes, f_age >= 0 && f_age <= FWait)
      if (f_was2[f_k] && f_impatient[f_k] && head_q[N*f_k +: N] != '0 && !refreshing[f_k])
        `CHK(turn_comes_nearer, f_age + f_rest <= FWait + 32'(f_other))
      for (int s = 0; s < 4; s++)
        `CHK(slot_is_short, 32'(f_kb[4*s +: 4]) < f_max(T_RCD, T_SCD) && 32'(f_kb[32 + 6*s +: 6]) < FPre)
      `CHK(data_is_short, 32'(f_kb[59:56]) < FColumn && 32'(f_kb[63:60]) < FColumn && 32'(f_kb[67:64]) < T_WA &&
                          32'(f_kb[71:68]) < T_RP && 32'(rrd_q) < T_RRD)
      for (int i = 0; i < 4; i++) `CHK(four_acts_are_short, 32'(faw_q[5*i +: 5]) < T_FAW)
    end
  end
