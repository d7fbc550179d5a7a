// SPDX-License-Identifier: Apache-2.0
// bankctl, what a state that can be reached looks like: makes the assertions of bankctl, bankctl_bank and
// bankctl_rules inductive. Part of bankctl.sv.

  // The strap stands still.
  logic [2:0] f_rows;
  always @(posedge clk_i) begin
    f_rows <= cfg_rows_i;
    assume (!rst_ni || cfg_rows_i == f_rows);
  end

  // ---- the queue
  logic [N-1:0] f_sum;
  logic [IW:0] f_count;
  always_comb begin
    f_count = '0;
    for (int i = 0; i < N; i++) f_count = f_count + (IW+1)'(valid_q[i]);
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(counts_its_entries, count_q == f_count && req_ready_o == (count_q != (IW+1)'(N)))
    `CHK(stays_for_what_is_on_the_pins, cmd_o == '0 || stay_q != '0)
    `CHK(a_command, cmd_o != 3'd7)
    `CHK(knows_the_strap, one_row_q == (cfg_rows_i == 3'd1))
  end
  for (genvar i = 0; i < N; i++) begin : f_entry
    logic [3:0] at;  // its bank
    logic [13:0] row;
    logic [1:0] b;
    assign at = {bank_q[3*N+i], bank_q[2*N+i], bank_q[N+i], bank_q[i]};
    assign b = {at[3] | at[2], at[3] | at[1]};
    assign row = row_q[14*i +: 14];
    logic [3:0] of_row, of_sub, of_closed, slot, sub, shut;
    for (genvar s = 0; s < 4; s++) begin : g_s
      assign slot[s] = slot_q[N*s + i];
      assign sub[s] = same_q[N*s + i];
      assign shut[s] = shut_q[N*s + i];
      assign of_row[s] = open[4*b + s] && rows[56*b + 14*s +: 14] == row;
      assign of_sub[s] = rows[56*b + 14*s +: 5] == row[4:0];
      assign of_closed[s] = closed[20*b + 5*s +: 5] == row[4:0];
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
                    row[4:0] == row_q[14*j +: 5];
      assign alike = near && row[13:5] == row_q[14*j + 5 +: 9];
      assign both = valid_q[i] && valid_q[j];
      always @(posedge clk_i) if (rst_ni) begin
        if (both) begin
          `CHK(knows_the_others, alike_q[N*i + j] == alike && near_q[N*i + j] == near)
          `CHK(one_is_older, older_q[N*i + j] == !older_q[N*j + i])
          `CHK(knows_whom_not_to_pass, dep_q[N*i + j] == (older_q[N*i + j] && alike && (we_q[i] || we_q[j]) &&
                                                          col_q[5*i +: 5] == col_q[5*j +: 5]))
        end
        if (valid_q[i] && !valid_q[j]) `CHK(none_older_that_left, !older_q[N*i + j] && !dep_q[N*i + j])
        for (int k = 0; k < N; k++)
          if (valid_q[i] && older_q[N*i + j] && older_q[N*j + k]) `CHK(order_is_transitive, older_q[N*i + k])
      end
    end
    // the winners, chosen in the cycle before
    logic [113:0] bank;
    logic [3:0] sel, closing;
    logic [3:0] col_0, col_1, pre_0, act_0;  // times of the slots: passed now, in the next cycle
    assign bank = f_bank[114*b +: 114];
    assign sel = bank[113:110];
    for (genvar s = 0; s < 4; s++) begin : g_times
      assign col_0[s] = bank[4*s +: 4] == '0;
      assign col_1[s] = bank[4*s +: 4] <= 4'd1;
      assign act_0[s] = bank[16 + 4*s +: 4] == '0;
      assign pre_0[s] = bank[32 + 6*s +: 6] == '0;
      assign closing[s] = to_slot[N*s + i];
    end
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(who_is_there, valid_q[i] || !to_column[i] && !to_sasel[i] && !to_act[i] && !to_close[i])
      if (to_column[i])
        `CHK(column_in_time, hit_q[i] && !held[i] && slot == sel && (col_0 & slot) != '0 &&
                             (we_q[i] ? bank[63:60] : bank[59:56]) == '0)
      if (to_sasel[i])
        `CHK(sasel_in_time, hit_q[i] && !held[i] && slot != sel && (col_1 & slot) != '0 &&
                            (we_q[i] ? bank[63:60] : bank[59:56]) <= 4'd1 && bank[67:64] == '0)
      if (to_act[i])
        `CHK(act_in_time, !hit_q[i] && (open[4*b +: 4] & sub) == '0 && (~act_0 & shut) == '0 && bank[67:64] == '0 &&
             bank[80:72] == '0 && (cfg_rows_i != 3'd1 || bank[71:68] == '0) && rrd_q == '0 && faw_q[19:15] == '0 &&
             f_n_open[3*b +: 3] < cfg_rows_i)
      if (to_close[i])
        `CHK(pre_in_time, !hit_q[i] && closing != '0 && (closing & (closing - 1'b1)) == '0 &&
                          (closing & ~(open[4*b +: 4] & pre_0)) == '0 &&
                          ((open[4*b +: 4] & sub) != '0 ? closing == (open[4*b +: 4] & sub) :
                                                          f_n_open[3*b +: 3] == cfg_rows_i))
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_winner, (to_column & (to_column - 1'b1)) == '0 && (to_sasel & (to_sasel - 1'b1)) == '0 &&
                     (to_act & (to_act - 1'b1)) == '0 && (to_close & (to_close - 1'b1)) == '0)
    `CHK(some_winner, any_col == (to_column != '0) && any_sasel == (to_sasel != '0) && any_act == (to_act != '0) &&
                      any_pre == (to_close != '0))
  end

  // ---- the banks
  logic [11:0] f_n_open;
  for (genvar k = 0; k < 4; k++) begin : f_of_bank
    logic [113:0] bank;
    logic [N-1:0] mine, head;
    assign bank = f_bank[114*k +: 114];
    assign mine = valid_q & bank_q[N*k +: N];
    assign head = head_q[N*k +: N];
    assign f_n_open[3*k +: 3] = {2'd0, open[4*k]} + {2'd0, open[4*k+1]} + {2'd0, open[4*k+2]} + {2'd0, open[4*k+3]};
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(refresh_is_short, 32'(bank[80:72]) < T_RFC && 32'(bank[93:85]) < T_RFC + PATIENCE)
      `CHK(rows_within_the_limit, f_n_open[3*k +: 3] <= cfg_rows_i)
      `CHK(one_is_selected, (bank[113:110] & (bank[113:110] - 1'b1)) == '0 && (bank[113:110] & ~open[4*k +: 4]) == '0)
      `CHK(one_head, (head & (head - 1'b1)) == '0 && (head & ~mine) == '0 && (head == '0) == (mine == '0))
      for (int i = 0; i < N; i++) if (head[i]) `CHK(head_is_the_oldest, (older_q[N*i +: N] & mine) == '0)
      for (int s = 0; s < 4; s++) begin
        `CHK(close_is_short, 32'(bank[16 + 4*s +: 4]) < T_RP)
        `CHK(knows_what_is_hit, hits[4*k + s] == ((mine & hit_q & slot_q[N*s +: N]) != '0))
        if (open[4*k + s]) begin
          `CHK(last_close_passed, bank[16 + 4*s +: 4] <= bank[32 + 6*s +: 6])
          `CHK(not_used_after_itself, !bank[94 + 4*s + s])
          for (int t = 0; t < 4; t++) if (t != s && open[4*k + t]) begin
            `CHK(one_row_a_subarray, rows[56*k + 14*s +: 5] != rows[56*k + 14*t +: 5])
            `CHK(one_used_later, bank[94 + 4*s + t] == !bank[94 + 4*t + s])
            for (int u = 0; u < 4; u++)
              if (open[4*k + u] && bank[94 + 4*s + t] && bank[94 + 4*t + u]) `CHK(use_is_transitive, bank[94 + 4*s + u])
          end
        end
        if (for_refresh[4*k + s] || for_policy[4*k + s])
          `CHK(other_pre_in_time, open[4*k + s] && bank[32 + 6*s +: 6] == '0)
      end
      if (refresh[k]) `CHK(ref_in_time, open[4*k +: 4] == '0 && bank[71:68] == '0 && bank[80:72] == '0 && owed[k])
    end
  end

  // ---- the urgent bank
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_is_urgent, (urgent_q & (urgent_q - 1'b1)) == '0 && (urgent_q != '0 || !turn_q))
    if (urgent_q != '0) `CHK(others_after_the_urgent_one, busy_o && f_after == ~(urgent_q | (urgent_q - 1'b1)))
    for (int k = 0; k < 4; k++) if (open[4*k +: 4] != '0) `CHK(no_row_after_refresh, f_bank[114*k + 72 +: 9] == '0)
    for (int k = 0; k < 4; k++) `CHK(patient_after_refresh, f_bank[114*k + 85 +: 9] >= f_bank[114*k + 72 +: 9])
  end

  // ---- times of the controller and cycles that passed on the pins
  logic [113:0] f_bk;
  logic [3:0] f_has;  // open slot with the watched subarray
  logic f_closed_long;
  assign f_bk = f_bank[114*f_b +: 114];
  always_comb begin
    f_has = '0;
    f_closed_long = 32'(f_since[FW*1 +: FW]) >= T_RP;
    for (int s = 0; s < 4; s++) begin
      f_has[s] = open[4*f_b + s] && rows[56*f_b + 14*s +: 5] == f_sub;
      if (closed[20*f_b + 5*s +: 5] == f_sub && 32'(f_bk[16 + 4*s +: 4]) + 32'(f_since[FW*1 +: FW]) >= T_RP) f_closed_long = 1'b1;
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(the_same_is_open, f_rules == {f_has != '0, (f_has & f_bk[113:110]) != '0, f_n_open[3*f_b +: 3]})
    for (int s = 0; s < 4; s++) if (f_has[s]) begin
      `CHK(waits_trcd, 32'(f_bk[4*s +: 4]) + 32'(f_since[FW*0 +: FW]) >= T_RCD)
      `CHK(waits_tscd, 32'(f_bk[4*s +: 4]) + 32'(f_since[FW*4 +: FW]) >= T_SCD)
      `CHK(waits_tras, 32'(f_bk[32 + 6*s +: 6]) + 32'(f_since[FW*0 +: FW]) >= T_RAS)
      `CHK(waits_trtp, 32'(f_bk[32 + 6*s +: 6]) + 32'(f_since[FW*2 +: FW]) >= T_RTP)
      `CHK(waits_twr, 32'(f_bk[32 + 6*s +: 6]) + 32'(f_since[FW*3 +: FW]) >= T_WTP)
    end
    `CHK(waits_trp, f_closed_long)
    `CHK(waits_tccd, 32'(f_bk[59:56]) + 32'(f_since[FW*5 +: FW]) >= T_CCD && 32'(f_bk[63:60]) + 32'(f_since[FW*6 +: FW]) >= T_CCD)
    `CHK(waits_twtr, 32'(f_bk[59:56]) + 32'(f_since[FW*6 +: FW]) >= T_WTRD)
    `CHK(waits_turn, 32'(f_bk[63:60]) + 32'(f_since[FW*5 +: FW]) >= T_RTW)
    `CHK(waits_twa, 32'(f_bk[67:64]) + 32'(f_since[FW*6 +: FW]) >= T_WA)
    `CHK(waits_trp_of_bank, 32'(f_bk[71:68]) + 32'(f_since[FW*7 +: FW]) >= T_RP)
    `CHK(waits_trfc, 32'(f_bk[80:72]) + 32'(f_since[FW*8 +: FW]) >= T_RFC)
    `CHK(waits_trrd, 32'(rrd_q) + 32'(f_since[FW*9 +: FW]) >= T_RRD)
    for (int i = 0; i < 4; i++) `CHK(waits_tfaw, 32'(faw_q[5*i +: 5]) + 32'(f_since[FW*(9+i) +: FW]) >= T_FAW)
  end

`ifdef FORMAL_WAITS
  `include "bankctl_waits.svh"
`endif
