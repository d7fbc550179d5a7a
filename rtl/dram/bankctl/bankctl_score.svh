// SPDX-License-Identifier: Apache-2.0
// bankctl, a scoreboard: a proof of its own, part of bankctl.sv. Any one request that is taken
// stays in the queue until it is on the pins, once, as the command that it asks for, with its bank,
// column, id and place of data; what becomes of these is the proof of bankctl_data. For all times
// that are in range, and after a cold or a warm reset. What it says of the controller itself makes
// that inductive.

  // ---- the request that is watched: in the queue, then on the pins
  (* anyseq *) logic f_watch;
  logic f_on, f_serves, f_gone;
  logic [N-1:0] f_entry, f_entry_next;  // its entry, one hot
  logic [1:0] f_my_bank;
  logic [CB-1:0] f_my_col;
  logic [7:0] f_my_id;
  logic [IW-1:0] f_my_place;
  logic f_my_we;
  assign f_serves = f_on && serve[f_my_bank] && (col_entry & f_entry) != '0;
  assign f_entry_next = f_entry & ~shift | (f_entry & shift) >> 1;
  always @(posedge clk_i)
    if (!rst_ni) {f_on, f_gone} <= '0;
    else begin
      f_gone <= f_serves;
      if (!f_on && take && f_watch) begin
        f_on <= 1'b1;
        f_entry <= f_where;
        {f_my_bank, f_my_col, f_my_id, f_my_we, f_my_place} <=
          {req_bank_i, CB'(req_col_i), req_id_i, req_we_i, place};
      end else if (f_serves) f_on <= 1'b0;
      else f_entry <= f_entry_next;
      if (f_serves)
        `CHK(carried_out_as_it_came, col_we == f_my_we && col_col == f_my_col &&
             col_id == f_my_id && (!f_my_we || col_place == f_my_place))
      if (f_gone)
        `CHK(on_the_pins_as_it_came, cmd_o == (f_my_we ? 3'd5 : 3'd4) && cmd_bank_o == f_my_bank &&
                                     cmd_col_o == 5'(f_my_col))
    end
  always @(posedge clk_i) if (rst_ni && f_on)
    for (int i = 0; i < N; i++) if (f_entry[i])
      for (int k = 0; k < 4; k++) if (f_my_bank == 2'(k))
        `CHK(stays_as_it_came, waits[N*k + i] && we[i] == f_my_we &&
             f_col_of[CB*i +: CB] == f_my_col && f_id_of[6*i +: 6] == f_my_id[7:2] &&
             (f_skew_of[2*i +: 2] ^ 2'(k)) == f_my_id[1:0] &&
             (!f_my_we || f_place[IW*(N*k+i) +: IW] == f_my_place))
  always @(posedge clk_i) if (rst_ni && f_on)
    `CHK(is_in_one_entry, f_entry != '0 && (f_entry & (f_entry - 1'b1)) == '0)

  // ---- each RD and WR takes one sector out
  logic [IW+3:0] f_sectors, f_owes;
  always_comb begin
    f_sectors = '0;
    for (int i = 0; i < 4*N; i++) f_sectors = f_sectors + (IW+4)'(waits[i]);
  end
  always @(posedge clk_i)
    if (!rst_ni) f_owes <= '0;
    else begin
      f_owes <= f_owes + (IW+4)'(take) - (IW+4)'(go_col);
      `CHK(one_sector_a_column, f_owes == f_sectors)
      `CHK(none_before_it_is_done, start_q == Done || valid == '0 && !req_ready_o && open == '0)
      `CHK(the_clock_runs, (filled_q || valid == '0) && stays_q == (stay_q != '0))
      if (go_col) `CHK(serves_a_sector, (waits & {col_entry & {N{col_bank[3]}},
        col_entry & {N{col_bank[2]}}, col_entry & {N{col_bank[1]}},
        col_entry & {N{col_bank[0]}}}) != '0 && col_we == ((we & col_entry) != '0))
      if (go_sasel) `CHK(selects_for_a_sector, (waits & {sasel_entry & {N{sasel_bank[3]}},
        sasel_entry & {N{sasel_bank[2]}}, sasel_entry & {N{sasel_bank[1]}},
        sasel_entry & {N{sasel_bank[0]}}}) != '0)
      `CHK(one_winner, (kind & (kind - 1'b1)) == '0 && (col_entry & (col_entry - 1'b1)) == '0 &&
           (col_bank & (col_bank - 1'b1)) == '0 && (sasel_entry & (sasel_entry - 1'b1)) == '0 &&
           (sasel_bank & (sasel_bank - 1'b1)) == '0 && (act_entry & (act_entry - 1'b1)) == '0 &&
           (act_bank & (act_bank - 1'b1)) == '0 && (close_at & (close_at - 1'b1)) == '0)
      if (go_act) `CHK(opens_for_an_entry, act_entry != '0 && act_bank != '0)
      `CHK(entries_from_the_oldest_on, (valid & (valid + 1'b1)) == '0 &&
           valid == (waits[0 +: N] | waits[N +: N] | waits[2*N +: N] | waits[3*N +: N]) &&
           (!req_ready_o || !valid[N-1]))
      `COV(a_line_of_two, f_gone && f_my_we && f_sectors == (IW+4)'(2 * N))
    end

  // ---- what makes it inductive: slots have different subarrays, each sector knows where it is,
  // and a winner still wants what it was chosen for
  for (genvar k = 0; k < 4; k++) begin : f_of_bank
    logic [3:0] sel;
    logic [2:0] n_open;
    assign sel = selected[4*k +: 4];
    assign n_open = {2'd0, open[4*k]} + {2'd0, open[4*k+1]} + {2'd0, open[4*k+2]} +
                    {2'd0, open[4*k+3]};
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(rows_within_the_limit, n_open <= cfg_rows_i && f_room[k] == (n_open < cfg_rows_i))
      `CHK(selects_what_is_open, (sel & (sel - 1'b1)) == '0 && (sel & ~open[4*k +: 4]) == '0)
      `CHK(closes_what_is_open, ((close_at[4*k +: 4] | f_given[4*k +: 4]) & ~open[4*k +: 4]) == '0)
      `CHK(gives_up_one, (f_given[4*k +: 4] & (f_given[4*k +: 4] - 1'b1)) == '0)
      for (int s = 0; s < 4; s++) if (open[4*k + s])
        `CHK(not_used_after_itself, !f_newer[16*k + 4*s + s])
      for (int s = 0; s < 4; s++) for (int t = 0; t < 4; t++)
        if (t != s && open[4*k + s] && open[4*k + t]) begin
          `CHK(one_row_a_subarray, rows[RB*(4*k+s) +: SB] != rows[RB*(4*k+t) +: SB])
          `CHK(one_used_later, f_newer[16*k + 4*s + t] == !f_newer[16*k + 4*t + s])
          for (int u = 0; u < 4; u++)
            if (open[4*k + u] && f_newer[16*k + 4*s + t] && f_newer[16*k + 4*t + u])
              `CHK(use_is_transitive, f_newer[16*k + 4*s + u])
        end
    end
    for (genvar i = 0; i < N; i++) begin : g_entry
      logic [3:0] in;  // slots of the sector
      for (genvar s = 0; s < 4; s++) begin : g_slot
        assign in[s] = at[N*(4*k+s) + i];
      end
      always @(posedge clk_i) if (rst_ni) begin
        if (go_col && col_bank[k] && col_entry[i])
          `CHK(serves_what_is_selected, waits[N*k+i] && hit[N*k+i] && in == sel && in != '0)
        if (go_sasel && sasel_bank[k] && sasel_entry[i])
          `CHK(selects_another_row, waits[N*k+i] && hit[N*k+i] && in != sel && in != '0)
        if (go_act && act_bank[k] && act_entry[i])
          `CHK(opens_what_is_closed, waits[N*k+i] && !hit[N*k+i] && in == '0 &&
               n_open < cfg_rows_i)
      end
    end
  end
