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
    if (f_first) `CHK(begins_empty, valid == '0 && open == '0 && f_rules == '0)
    `CHK(holds_from_then_on, f_holds == !f_first)
  end

  // ---- the queue; bankctl_queue and bankctl_data say more of it
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(stays_for_what_is_on_the_pins, cmd_o == '0 || stay_q != '0)
    `CHK(a_command, cmd_o != 3'd7 && start_q == Done)
    `CHK(knows_the_strap, f_first || one_row_q == (cfg_rows_i == 3'd1))
  end

  // ---- the winners, chosen in the cycle before
  for (genvar k = 0; k < 4; k++) begin : f_winner
    logic [3:0] sel, slot;
    logic [3:0] col_0, col_1, pre_0, act_0;  // times of the slots: passed now, in the next cycle
    logic [N-1:0] mine;
    logic column, sasel, act;  // of this bank
    assign sel = selected[4*k +: 4];
    assign mine = waits[N*k +: N];
    assign column = go_col && col_bank[k];
    assign sasel = go_sasel && sasel_bank[k];
    assign act = go_act && act_bank[k];
    for (genvar s = 0; s < 4; s++) begin : g_times
      assign col_0[s] = f_col[FSW*(4*k+s) +: FSW] == '0;
      assign col_1[s] = f_col[FSW*(4*k+s) +: FSW] <= 4'd1;
      assign act_0[s] = f_act[FSW*(4*k+s) +: FSW] == '0;
      assign pre_0[s] = f_pre[FLW*(4*k+s) +: FLW] == '0;
    end
    for (genvar i = 0; i < N; i++) begin : g_entry
      logic [3:0] in, was;  // slots of the sector
      for (genvar s = 0; s < 4; s++) begin : g_s
        assign in[s] = at[N*(4*k+s) + i];
        assign was[s] = shut[N*(4*k+s) + i];
      end
      always @(posedge clk_i) if (rst_ni) begin
        if (column && col_entry[i])
          `CHK(column_in_time, mine[i] && hit[N*k+i] && !held[N*k+i] && in == sel && in != '0 &&
               (col_0 & in) != '0 &&
               (we[i] ? f_wr[FSW*k +: FSW] : f_rd[FSW*k +: FSW]) == '0)
        if (sasel && sasel_entry[i])
          `CHK(sasel_in_time, mine[i] && hit[N*k+i] && !held[N*k+i] && in != sel && in != '0 &&
               (col_1 & in) != '0 &&
               (we[i] ? f_wr[FSW*k +: FSW] : f_rd[FSW*k +: FSW]) <= 4'd1 &&
               f_sib[FSW*k +: FSW] == '0)
        if (act && act_entry[i])
          `CHK(act_in_time, mine[i] && !hit[N*k+i] && in == '0 && (~act_0 & was) == '0 &&
               f_sib[FSW*k +: FSW] == '0 && f_ref[FRW*k +: FRW] == '0 &&
               (cfg_rows_i != 3'd1 || f_rp[FSW*k +: FSW] == '0) &&
               rrd_left == '0 && faw_q[3*SW +: SW] == '0 && f_n_open[3*k +: 3] < cfg_rows_i)
      end
    end
    for (genvar s = 0; s < 4; s++) begin : g_close
      always @(posedge clk_i) if (rst_ni && close_at[4*k+s])
        `CHK(pre_in_time, open[4*k+s] && pre_0[s])
    end
  end

  // ---- the banks
  logic [11:0] f_n_open;
  for (genvar k = 0; k < 4; k++) begin : f_of_bank
    assign f_n_open[3*k +: 3] = {2'd0, open[4*k]} + {2'd0, open[4*k+1]} +
                                {2'd0, open[4*k+2]} + {2'd0, open[4*k+3]};
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(refresh_is_short, 32'(f_ref[FRW*k +: FRW]) < T_RFC &&
           32'(f_pat[FPW*k +: FPW]) < T_RFC + PATIENCE)
      `CHK(rows_within_the_limit, f_n_open[3*k +: 3] <= cfg_rows_i)
      `CHK(one_is_selected, (selected[4*k +: 4] & (selected[4*k +: 4] - 1'b1)) == '0 &&
           (selected[4*k +: 4] & ~open[4*k +: 4]) == '0)
      for (int s = 0; s < 4; s++) begin
        `CHK(close_is_short, 32'(f_act[FSW*(4*k+s) +: FSW]) < T_RP)
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
    `CHK(the_same_is_open, f_rules == {f_has != '0, (f_has & selected[4*f_b +: 4]) != '0,
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
