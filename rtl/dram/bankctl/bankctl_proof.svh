// SPDX-License-Identifier: Apache-2.0
// bankctl, what a state that can be reached looks like: makes the assertions of bankctl,
// bankctl_bank and bankctl_rules inductive. Part of bankctl.sv.

  // A power-up, and these times. In the first cycle after it the strap may be another one.
  logic f_first;
  always @(posedge clk_i) begin
    f_first <= !rst_ni;
    assume (!cfg_warm_i);
    assume (cfg_times_i == {TW'(T_STAY), TW'(T_WRITE), TW'(T_READ), TW'(T_FAW), TW'(T_RRD),
                            TW'(T_RA), TW'(T_WA), TW'(T_WTP), TW'(T_WTRD), TW'(T_RTW), TW'(T_SCD),
                            TW'(T_RFC), TW'(T_RAS), TW'(T_RP), TW'(T_RTP), TW'(T_CCD), TW'(T_RCD)});
  end
  always @(posedge clk_i) if (rst_ni) begin
    if (f_first) `CHK(begins_empty, count_q == '0 && open == '0 && f_rules == '0)
    `CHK(holds_from_then_on, f_holds == !f_first)
  end

  // ---- the queue
  logic [N-1:0] f_sum;
  logic [IW:0] f_count;
  always_comb begin
    f_count = '0;
    for (int i = 0; i < N; i++) f_count = f_count + (IW+1)'(valid_q[i]) + (IW+1)'(sends_q[i]);
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(counts_its_entries, count_q == f_count && req_ready_o == (count_q != (IW+1)'(N)))
    `CHK(stays_for_what_is_on_the_pins, cmd_o == '0 || stay_q != '0)
    `CHK(a_command, cmd_o != Prea && start_q == Done)
    `CHK(sends_what_has_left, (sends_q & valid_q) == '0)
    `CHK(knows_the_strap, f_first || one_row_q == (cfg_rows_i == 3'd1))
  end
  for (genvar i = 0; i < N; i++) begin : f_entry
    // WR whose data it has still to give
    logic [MAX_WRITE-1:0] sends;
    for (genvar k = 0; k < MAX_WRITE; k++) begin : g_sends
      assign sends[k] = k + 3 <= T_WRITE && wr_q[k] && at_q[IW*k +: IW] == IW'(i);
    end
    always @(posedge clk_i) if (rst_ni)
      `CHK(keeps_data_for_one_write, sends_q[i] == (sends != '0) && (sends & (sends - 1'b1)) == '0)
    logic [3:0] at;  // its bank
    logic [RB-1:0] row;
    logic [1:0] b;
    assign at = {bank_q[3*N+i], bank_q[2*N+i], bank_q[N+i], bank_q[i]};
    assign b = {at[3] | at[2], at[3] | at[1]};
    assign row = row_q[RB*i +: RB];
    logic [3:0] of_row, of_sub, of_closed, slot, sub, shut;
    for (genvar s = 0; s < 4; s++) begin : g_s
      assign slot[s] = slot_q[N*s + i];
      assign sub[s] = same_q[N*s + i];
      assign shut[s] = shut_q[N*s + i];
      assign of_row[s] = open[4*b + s] && rows[RB*(4*b+s) +: RB] == row;
      assign of_sub[s] = rows[RB*(4*b+s) +: SB] == row[SB-1:0];
      assign of_closed[s] = closed[SB*(4*b+s) +: SB] == row[SB-1:0];
    end
    always @(posedge clk_i) if (rst_ni && valid_q[i]) begin
      `CHK(in_one_bank, at == 4'd1 << b)
      `CHK(knows_its_slot, hit_q[i] ? slot == of_row && of_row != '0 : of_row == '0)
      `CHK(knows_its_subarray, sub == of_sub && shut == of_closed)
      `CHK(no_older_than_itself, !older_q[N*i + i] && !dep_q[N*i + i])
    end
    for (genvar j = 0; j < N; j++) if (j != i) begin : g_pair
      logic alike, near, both;
      assign near = (bank_q[N*0 + i] && bank_q[N*0 + j] || bank_q[N*1 + i] && bank_q[N*1 + j] ||
                     bank_q[N*2 + i] && bank_q[N*2 + j] || bank_q[N*3 + i] && bank_q[N*3 + j]) &&
                    row[SB-1:0] == row_q[RB*j +: SB];
      assign alike = near && row == row_q[RB*j +: RB];
      assign both = valid_q[i] && valid_q[j];
      always @(posedge clk_i) if (rst_ni) begin
        if (both) begin
          `CHK(knows_the_others, alike_q[N*i + j] == alike && near_q[N*i + j] == near)
          `CHK(one_is_older, older_q[N*i + j] == !older_q[N*j + i])
          `CHK(knows_whom_not_to_pass,
               dep_q[N*i + j] == (older_q[N*i + j] && alike && (we_q[i] || we_q[j]) &&
                                                          col_q[CB*i +: CB] == col_q[CB*j +: CB]))
        end
        if (valid_q[i] && !valid_q[j])
          `CHK(none_older_that_left, !older_q[N*i + j] && !dep_q[N*i + j])
        for (int k = 0; k < N; k++)
          if (valid_q[i] && older_q[N*i + j] && older_q[N*j + k])
            `CHK(order_is_transitive, older_q[N*i + k])
      end
    end
    // the winners, chosen in the cycle before
    logic [3:0] sel, closing;
    logic [3:0] col_0, col_1, pre_0, act_0;  // times of the slots: passed now, in the next cycle
    assign sel = f_sel[4*b +: 4];
    for (genvar s = 0; s < 4; s++) begin : g_times
      assign col_0[s] = f_col[FSW*(4*b+s) +: FSW] == '0;
      assign col_1[s] = f_col[FSW*(4*b+s) +: FSW] <= 4'd1;
      assign act_0[s] = f_act[FSW*(4*b+s) +: FSW] == '0;
      assign pre_0[s] = f_pre[FLW*(4*b+s) +: FLW] == '0;
      assign closing[s] = to_slot[N*s + i];
    end
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(who_is_there, valid_q[i] || !to_column[i] && !to_sasel[i] && !to_act[i] && !to_close[i])
      if (to_column[i])
        `CHK(column_in_time, hit_q[i] && !held[i] && slot == sel && (col_0 & slot) != '0 &&
                             (we_q[i] ? f_wr[FSW*b +: FSW] : f_rd[FSW*b +: FSW]) == '0)
      if (to_sasel[i])
        `CHK(sasel_in_time, hit_q[i] && !held[i] && slot != sel && (col_1 & slot) != '0 &&
                            (we_q[i] ? f_wr[FSW*b +: FSW] : f_rd[FSW*b +: FSW]) <= 4'd1 &&
                            f_sib[FSW*b +: FSW] == '0)
      if (to_act[i])
        `CHK(act_in_time, !hit_q[i] && (open[4*b +: 4] & sub) == '0 && (~act_0 & shut) == '0 &&
             f_sib[FSW*b +: FSW] == '0 &&
             f_ref[FRW*b +: FRW] == '0 && (cfg_rows_i != 3'd1 || f_rp[FSW*b +: FSW] == '0) &&
             rrd_left == '0 && faw_q[3*SW +: SW] == '0 &&
             f_n_open[3*b +: 3] < cfg_rows_i)
      if (to_close[i])
        `CHK(pre_in_time, !hit_q[i] && closing != '0 && (closing & (closing - 1'b1)) == '0 &&
                          (closing & ~(open[4*b +: 4] & pre_0)) == '0 &&
                          ((open[4*b +: 4] & sub) != '0 ? closing == (open[4*b +: 4] & sub) :
                                                          f_n_open[3*b +: 3] == cfg_rows_i))
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_winner, (to_column & (to_column - 1'b1)) == '0 &&
         (to_sasel & (to_sasel - 1'b1)) == '0 &&
                     (to_act & (to_act - 1'b1)) == '0 && (to_close & (to_close - 1'b1)) == '0)
    `CHK(some_winner, any_col == (to_column != '0) && any_sasel == (to_sasel != '0) &&
         any_act == (to_act != '0) &&
                      any_pre == (to_close != '0))
  end

  // ---- the banks
  logic [11:0] f_n_open;
  for (genvar k = 0; k < 4; k++) begin : f_of_bank
    logic [N-1:0] mine, head;
    assign mine = valid_q & bank_q[N*k +: N];
    assign head = head_q[N*k +: N];
    assign f_n_open[3*k +: 3] = {2'd0, open[4*k]} + {2'd0, open[4*k+1]} +
                                {2'd0, open[4*k+2]} + {2'd0, open[4*k+3]};
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(refresh_is_short, 32'(f_ref[FRW*k +: FRW]) < T_RFC &&
           32'(f_pat[FPW*k +: FPW]) < T_RFC + PATIENCE)
      `CHK(rows_within_the_limit, f_n_open[3*k +: 3] <= cfg_rows_i)
      `CHK(one_is_selected, (f_sel[4*k +: 4] & (f_sel[4*k +: 4] - 1'b1)) == '0 &&
           (f_sel[4*k +: 4] & ~open[4*k +: 4]) == '0)
      `CHK(one_head, (head & (head - 1'b1)) == '0 && (head & ~mine) == '0 &&
           (head == '0) == (mine == '0))
      for (int i = 0; i < N; i++) if (head[i])
        `CHK(head_is_the_oldest, (older_q[N*i +: N] & mine) == '0)
      for (int s = 0; s < 4; s++) begin
        `CHK(close_is_short, 32'(f_act[FSW*(4*k+s) +: FSW]) < T_RP)
        `CHK(knows_what_is_hit, hits[4*k + s] == ((mine & hit_q & slot_q[N*s +: N]) != '0))
        if (open[4*k + s]) begin
          `CHK(last_close_passed, f_act[FSW*(4*k+s) +: FSW] <= f_pre[FLW*(4*k+s) +: FLW])
          `CHK(not_used_after_itself, !f_newer[16*k + 4*s + s])
          for (int t = 0; t < 4; t++) if (t != s && open[4*k + t]) begin
            `CHK(one_row_a_subarray, rows[RB*(4*k+s) +: SB] != rows[RB*(4*k+t) +: SB])
            `CHK(one_used_later, f_newer[16*k + 4*s + t] == !f_newer[16*k + 4*t + s])
            for (int u = 0; u < 4; u++)
              if (open[4*k + u] && f_newer[16*k + 4*s + t] && f_newer[16*k + 4*t + u])
                `CHK(use_is_transitive, f_newer[16*k + 4*s + u])
          end
        end
        if (for_refresh[4*k + s] || for_policy[4*k + s])
          `CHK(other_pre_in_time, open[4*k + s] && f_pre[FLW*(4*k+s) +: FLW] == '0)
      end
      if (refresh[k])
        `CHK(ref_in_time, open[4*k +: 4] == '0 && f_rp[FSW*k +: FSW] == '0 &&
             f_ref[FRW*k +: FRW] == '0 && owed[k])
    end
  end

  // ---- the urgent bank
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_is_urgent, (urgent_q & (urgent_q - 1'b1)) == '0 && (urgent_q != '0 || !turn_q))
    if (urgent_q != '0)
      `CHK(others_after_the_urgent_one, busy_o && f_after == ~(urgent_q | (urgent_q - 1'b1)))
    for (int k = 0; k < 4; k++) if (open[4*k +: 4] != '0)
      `CHK(no_row_after_refresh, f_ref[FRW*k +: FRW] == '0)
    for (int k = 0; k < 4; k++)
      `CHK(patient_after_refresh, f_pat[FPW*k +: FPW] >= f_ref[FRW*k +: FRW])
  end

  // ---- times of the controller and cycles that passed on the pins since a command of the watched
  // subarray (f_s), of its bank (f_b), and since the last four ACT, the latest lowest
  logic [FCW-1:0] f_s_act, f_s_pre, f_s_rd, f_s_wr, f_s_sel, f_b_rd, f_b_wr, f_b_pre, f_b_ref;
  logic [4*FCW-1:0] f_a_act;
  assign {f_a_act, f_b_ref, f_b_pre, f_b_wr, f_b_rd, f_s_sel, f_s_wr, f_s_rd, f_s_pre, f_s_act} =
    f_since;
  logic [3:0] f_has;  // open slot with the watched subarray
  logic f_closed_long;
  always_comb begin
    f_has = '0;
    f_closed_long = 32'(f_s_pre) >= T_RP;
    for (int s = 0; s < 4; s++) begin
      f_has[s] = open[4*f_b + s] && rows[RB*(4*f_b+s) +: SB] == f_sub;
      if (closed[SB*(4*f_b+s) +: SB] == f_sub &&
          32'(f_act[FSW*(4*f_b+s) +: FSW]) + 32'(f_s_pre) >= T_RP)
        f_closed_long = 1'b1;
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(the_same_is_open, f_rules == {f_has != '0, (f_has & f_sel[4*f_b +: 4]) != '0,
                                       f_n_open[3*f_b +: 3]})
    for (int s = 0; s < 4; s++) if (f_has[s]) begin
      `CHK(waits_trcd, 32'(f_col[FSW*(4*f_b+s) +: FSW]) + 32'(f_s_act) >= T_RCD)
      `CHK(waits_tscd, 32'(f_col[FSW*(4*f_b+s) +: FSW]) + 32'(f_s_sel) >= T_SCD)
      `CHK(waits_tras, 32'(f_pre[FLW*(4*f_b+s) +: FLW]) + 32'(f_s_act) >= T_RAS)
      `CHK(waits_trtp, 32'(f_pre[FLW*(4*f_b+s) +: FLW]) + 32'(f_s_rd) >= T_RTP)
      `CHK(waits_twr, 32'(f_pre[FLW*(4*f_b+s) +: FLW]) + 32'(f_s_wr) >= T_WTP)
    end
    `CHK(waits_trp, f_closed_long)
    `CHK(waits_tccd, 32'(f_rd[FSW*f_b +: FSW]) + 32'(f_b_rd) >= T_CCD &&
         32'(f_wr[FSW*f_b +: FSW]) + 32'(f_b_wr) >= T_CCD)
    `CHK(waits_twtr, 32'(f_rd[FSW*f_b +: FSW]) + 32'(f_b_wr) >= T_WTRD)
    `CHK(waits_turn, 32'(f_wr[FSW*f_b +: FSW]) + 32'(f_b_rd) >= T_RTW)
    `CHK(waits_twa, 32'(f_sib[FSW*f_b +: FSW]) + 32'(f_b_wr) >= T_WA)
    `CHK(waits_tra, 32'(f_sib[FSW*f_b +: FSW]) + 32'(f_b_rd) >= T_RA)
    `CHK(waits_trp_of_bank, 32'(f_rp[FSW*f_b +: FSW]) + 32'(f_b_pre) >= T_RP)
    `CHK(waits_trfc, 32'(f_ref[FRW*f_b +: FRW]) + 32'(f_b_ref) >= T_RFC)
    `CHK(waits_trrd, 32'(rrd_left) + 32'(f_a_act[0 +: FCW]) >= T_RRD)
    for (int i = 0; i < 4; i++)
      `CHK(waits_tfaw, 32'(faw_q[SW*i +: SW]) + 32'(f_a_act[FCW*i +: FCW]) >= T_FAW)
  end

`ifdef FORMAL_WAITS
  `include "bankctl_waits.svh"
`endif
