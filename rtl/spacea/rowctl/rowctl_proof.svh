// Proofs of rowctl, inside of its module: any one bank, watched at the pins. What is counted here
// shares nothing with the controller.

  // ---- straps: any times in their ranges, which stand still
  localparam int F_MOST = MAX_SHORT > MAX_LONG ? (MAX_SHORT > MAX_RFC ? MAX_SHORT : MAX_RFC) :
                                                 (MAX_LONG > MAX_RFC ? MAX_LONG : MAX_RFC);
  localparam int F_W = $clog2(F_MOST + 1), F_S = F_W + 4;
  (* anyconst *) logic [203:0] f_times;
  logic [F_W-1:0] f_rcd, f_ccd, f_rtp, f_rp, f_ras, f_rfc, f_rtw, f_wtrd, f_wtp, f_rrd;
  assign f_rcd = f_times[TW*AtRcd +: F_W];
  assign f_ccd = f_times[TW*AtCcd +: F_W];
  assign f_rtp = f_times[TW*AtRtp +: F_W];
  assign f_rp = f_times[TW*AtRp +: F_W];
  assign f_ras = f_times[TW*AtRas +: F_W];
  assign f_rfc = f_times[TW*AtRfc +: F_W];
  assign f_rtw = f_times[TW*AtRtw +: F_W];
  assign f_wtrd = f_times[TW*AtWtrd +: F_W];
  assign f_wtp = f_times[TW*AtWtp +: F_W];
  assign f_rrd = f_times[TW*AtRrd +: F_W];
  function automatic f_fits(input [TW-1:0] t, input int most);
    f_fits = t != '0 && 32'(t) <= most;
  endfunction
  logic f_in_range;
  assign f_in_range =
    f_fits(f_times[TW*AtRcd +: TW], MAX_SHORT) && f_fits(f_times[TW*AtCcd +: TW], MAX_SHORT) &&
    f_fits(f_times[TW*AtRp +: TW], MAX_SHORT) && f_fits(f_times[TW*AtRtw +: TW], MAX_SHORT) &&
    f_fits(f_times[TW*AtWtrd +: TW], MAX_SHORT) && f_fits(f_times[TW*AtRrd +: TW], MAX_SHORT) &&
    f_fits(f_times[TW*AtRtp +: TW], MAX_LONG) && f_fits(f_times[TW*AtRas +: TW], MAX_LONG) &&
    f_fits(f_times[TW*AtWtp +: TW], MAX_LONG) && f_fits(f_times[TW*AtRfc +: TW], MAX_RFC) &&
    f_fits(f_times[TW*AtRead +: TW], MAX_READ) && f_fits(f_times[TW*AtWrite +: TW], MAX_WRITE);
  always @(posedge clk_i) begin
    `ASM(straps_stand_still, cfg_times_i == f_times)
    `ASM(times_in_range, f_in_range)
  end

  // ---- what is on the pins for the bank; cycles since, f_n: with the command of this cycle
  localparam logic [2:0] F_PRE = 3'd2;
  (* anyconst *) logic f_bank;
  logic f_act, f_pre, f_rd, f_wr, f_ref, f_here;
  assign f_here = cmd_bank_o == f_bank;
  assign f_act = cmd_o == ACT && f_here;
  assign f_pre = cmd_o == F_PRE && f_here;
  assign f_rd = cmd_o == RD && f_here;
  assign f_wr = cmd_o == WR && f_here;
  assign f_ref = cmd_o == REF && f_here;
  function automatic [F_W-1:0] f_since(input now, input [F_W-1:0] t);
    f_since = now ? F_W'(1) : t >= F_W'(F_MOST) ? t : t + 1'b1;
  endfunction
  logic [F_W-1:0] f_s_act, f_s_pre, f_s_rd, f_s_wr, f_s_ref, f_s_any;
  logic [F_W-1:0] f_n_act, f_n_pre, f_n_rd, f_n_wr, f_n_ref, f_n_any;
  assign f_n_act = f_since(f_act, f_s_act);
  assign f_n_pre = f_since(f_pre, f_s_pre);
  assign f_n_rd = f_since(f_rd, f_s_rd);
  assign f_n_wr = f_since(f_wr, f_s_wr);
  assign f_n_ref = f_since(f_ref, f_s_ref);
  assign f_n_any = f_since(cmd_o == ACT, f_s_any);
  logic f_open, f_open_n;
  logic [15:0] f_row, f_row_n;
  assign f_open_n = f_act || f_open && !f_pre;
  assign f_row_n = f_act ? cmd_row_o : f_row;
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_open <= 1'b0;
      {f_s_act, f_s_pre, f_s_rd, f_s_wr, f_s_ref, f_s_any} <= {6{F_W'(F_MOST)}};
    end else begin
      f_open <= f_open_n;
      {f_s_act, f_s_pre, f_s_rd, f_s_wr, f_s_ref, f_s_any} <=
        {f_n_act, f_n_pre, f_n_rd, f_n_wr, f_n_ref, f_n_any};
    end
  always @(posedge clk_i) f_row <= f_row_n;
  always @(posedge clk_i) if (rst_ni) begin
    if (f_act) begin
      `CHK(act_of_a_closed_bank, !f_open)
      `CHK(act_trp, f_s_pre >= f_rp)
      `CHK(act_trfc, f_s_ref >= f_rfc)
    end
    `CHK(act_trrd, cmd_o != ACT || f_s_any >= f_rrd)
    if (f_pre) begin
      `CHK(pre_of_the_open_row, f_open && cmd_row_o == f_row)
      `CHK(pre_tras, f_s_act >= f_ras)
      `CHK(pre_trtp, f_s_rd >= f_rtp)
      `CHK(pre_twtp, f_s_wr >= f_wtp)
    end
    if (f_rd || f_wr) begin
      `CHK(column_of_the_open_row, f_open && cmd_row_o == f_row)
      `CHK(column_trcd, f_s_act >= f_rcd)
      `CHK(rd_tccd, !f_rd || f_s_rd >= f_ccd)
      `CHK(rd_twtrd, !f_rd || f_s_wr >= f_wtrd)
      `CHK(wr_tccd, !f_wr || f_s_wr >= f_ccd)
      `CHK(wr_trtw, !f_wr || f_s_rd >= f_rtw)
    end
    if (f_ref) begin
      `CHK(ref_of_a_closed_bank, !f_open)
      `CHK(ref_trp, f_s_pre >= f_rp)
      `CHK(ref_trfc, f_s_ref >= f_rfc)
    end
    `CHK(no_other_command, cmd_o != 3'd3 && cmd_o != 3'd7)
  end

  // ---- the request of the bank: its columns in order, each once; a bit of the data of a write
  (* anyconst *) logic [8:0] f_bit;
  logic f_has, f_has_n, f_take, f_we, f_data;
  logic [15:0] f_req_row;
  logic [2:0] f_col, f_more;
  logic [3:0] f_id;
  logic [WW-1:0] f_sent, f_sent_n;  // cycles until data are on the pins
  logic [287:0] f_pins, f_req_data;
  assign f_pins = {wmask_o, wdata_o};
  assign f_req_data = {req_wmask_i, req_wdata_i};
  assign f_take = req_valid_i && req_bank_i == f_bank && req_ready_o[f_bank];
  assign f_has_n = f_has && !(f_rd && f_more == '0) && f_sent != WW'(1);
  assign f_sent_n = f_wr ? t_write : f_sent == '0 ? '0 : f_sent - 1'b1;
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_has <= 1'b0;
      f_sent <= '0;
    end else begin
      f_has <= f_has_n || f_take;
      f_sent <= f_sent_n;
    end
  always @(posedge clk_i)
    if (f_take) begin
      {f_req_row, f_col, f_more} <= {req_row_i, req_col_i, req_more_i};
      {f_we, f_id, f_data} <= {req_we_i, req_id_i, f_req_data[f_bit]};
    end else if (f_rd) begin
      f_col <= f_col + 1'b1;
      f_more <= f_more - 1'b1;
    end
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(a_bit_of_the_data, 32'(f_bit) < 288)
    `CHK(a_request_when_there_is_none_any_more, !f_take || !f_has_n)
    if (f_rd || f_wr) begin
      `CHK(of_the_row_and_column_of_its_request,
           f_has && f_sent == '0 && f_we == f_wr && cmd_row_o == f_req_row && cmd_col_o == f_col)
    end
    `CHK(act_for_a_request, !f_act || f_has && cmd_row_o == f_req_row)
    `CHK(data_of_a_write_in_their_cycle, f_sent != WW'(1) || f_pins[f_bit] == f_data)
  end

  // ---- reads under way: by cycles since their RD; one answer to each, with id and a bit of data
  logic [MAX_READ:0] f_rds, f_rds_n;
  logic [4*MAX_READ+3:0] f_ids, f_ids_n;
  logic f_sampled, f_got;
  logic [3:0] f_got_id;
  assign f_rds_n = {f_rds[MAX_READ-1:0], f_rd};
  assign f_ids_n = {f_ids[4*MAX_READ-1:0], f_id};
  always @(posedge clk_i) begin
    if (!rst_ni) {f_rds, f_sampled} <= '0;
    else {f_rds, f_sampled} <= {f_rds_n, f_rds_n[t_read]};
    f_ids <= f_ids_n;
    f_got <= rdata_i[f_bit[7:0]];
    f_got_id <= f_ids_n[4*32'(t_read) +: 4];
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(an_answer_to_each_read, f_sampled == (rsp_valid_o && rsp_bank_o == f_bank))
    `CHK(an_answer_with_its_id_and_data,
         !f_sampled || rsp_id_o == f_got_id && rsp_data_o[f_bit[7:0]] == f_got)
  end

  // ---- refreshes: those that are owed are done in time, and no others
  logic [3:0] f_owed, f_owed_n;
  assign f_owed_n = f_owed - 4'(f_ref);
  always @(posedge clk_i) f_owed <= !rst_ni ? '0 : f_owed_n + 4'(ref_tick_i[f_bank]);
  always @(posedge clk_i) begin
    // of either bank
    `ASM(at_most_eight_are_owed_at_once,
         f_owed_both[0] + 4'(ref_tick_i[0]) <= 4'd8 && f_owed_both[1] + 4'(ref_tick_i[1]) <= 4'd8)
    if (rst_ni) `CHK(ref_that_is_owed, !f_ref || f_owed != '0)
  end

  // ---- what of the controller is known of the bank
  logic [SW-1:0] f_read, f_write;
  logic [LW-1:0] f_close;
  logic [FW-1:0] f_act_left;
  logic [15:0] f_open_row, f_req_row_q;
  logic [2:0] f_q_more;
  logic [WW-1:0] f_q_sent;
  logic [3:0] f_q_owed;
  logic f_q_we, f_q_open;
  logic [3:0] f_owed_both[0:1];
  assign {f_act_left, f_close, f_write, f_read} = f_lefts[F_LEFT*f_bank +: F_LEFT];
  assign {f_req_row_q, f_open_row, f_q_more, f_q_sent, f_q_owed, f_q_we, f_q_open} =
    f_states[F_STATE*f_bank +: F_STATE];
  assign f_owed_both[0] = f_states[2 +: 4];
  assign f_owed_both[1] = f_states[F_STATE+2 +: 4];

  // ---- how long a refresh and a request may take: what is left of it at most, at each point
  function automatic [F_S-1:0] f_max(input [F_S-1:0] a, input [F_S-1:0] b);
    f_max = a > b ? a : b;
  endfunction
  logic [F_S-1:0] f_most_close, f_most_col, f_most_act, f_turn, f_ref_left, f_req_left;
  logic [F_S-1:0] f_ref_most, f_req_most, f_ref_wait, f_req_wait;
  logic f_due, f_waits, f_last;
  logic [2:0] f_picked;
  assign f_last = last_q == f_bank;
  assign f_picked = pick[f_bank] ? go : '0;
  assign f_turn = F_S'(f_last);  // the other bank may come first once
  assign f_most_close = f_max(f_max(F_S'(f_ras), F_S'(f_rtp)), F_S'(f_wtp));
  assign f_most_col = f_max(f_max(F_S'(f_rcd), F_S'(f_ccd)), f_max(F_S'(f_rtw), F_S'(f_wtrd)));
  assign f_most_act = f_max(F_S'(f_rp), F_S'(f_rfc));
  assign f_due = f_q_owed >= 4'd4 || f_q_owed != '0 && !has[f_bank];
  assign f_ref_left = f_q_open ? F_S'(f_close) + f_turn + F_S'(f_rp) + F_S'(2) :
                                 F_S'(f_act_left) + f_turn + F_S'(1);
  assign f_ref_most = f_max(f_most_close + F_S'(f_rp) + F_S'(2), f_most_act + F_S'(1));
  assign f_waits = has[f_bank] && f_q_sent == '0 && f_q_owed < 4'd4;
  assign f_req_left =
    f_q_open && f_open_row == f_req_row ? F_S'(f_q_we ? f_write : f_read) + f_turn + F_S'(1) :
    f_q_open ? F_S'(f_close) + f_turn + F_S'(f_rp) + F_S'(2) * F_S'(f_rrd) + f_most_col + F_S'(1) :
    (f_act_left == '0 ? F_S'(rrd_left) + F_S'(1) : F_S'(f_act_left) + F_S'(f_rrd)) +
    (f_last ? F_S'(f_rrd) : '0) + f_most_col + F_S'(1);
  assign f_req_most = f_max(f_most_close + F_S'(f_rp), f_most_act) + F_S'(2) * F_S'(f_rrd) +
                      f_most_col + F_S'(1);
  always @(posedge clk_i)
    if (!rst_ni) {f_ref_wait, f_req_wait} <= '0;
    else begin
      f_ref_wait <= f_due && f_picked != REF ? f_ref_wait + 1'b1 : '0;
      f_req_wait <= f_waits && f_picked != RD && f_picked != WR ? f_req_wait + 1'b1 : '0;
    end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(a_refresh_in_time, !f_due || f_ref_wait < f_ref_most)
    `CHK(a_request_is_served, !f_waits || f_req_wait < f_req_most)
    `CHK(a_refresh_needs_this_at_most, !f_due || f_ref_wait + f_ref_left <= f_ref_most)
    `CHK(a_request_needs_this_at_most, !f_waits || f_req_wait + f_req_left <= f_req_most)
  end

  // ---- what makes it inductive
  logic [MAX_READ:0] f_mine, f_right;
  always_comb
    for (int k = 0; k <= MAX_READ; k++) begin
      f_mine[k] = k > 32'(t_read) || (rd_q[k] && id_q[5*k+4] == f_bank) == f_rds_n[k];
      f_right[k] = k > 32'(t_read) || !f_rds_n[k] || id_q[5*k +: 4] == f_ids_n[4*k +: 4];
    end
  logic [287:0] f_words;
  logic [WW-1:0] f_sent_0, f_sent_1;
  assign f_sent_0 = f_states[6 +: WW];
  assign f_sent_1 = f_states[F_STATE+6 +: WW];
  assign f_words = wdata[288*f_bank +: 288];
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(times_of_act, F_S'(f_read) + F_S'(f_n_act) >= F_S'(f_rcd) &&
                       F_S'(f_write) + F_S'(f_n_act) >= F_S'(f_rcd) &&
                       F_S'(f_close) + F_S'(f_n_act) >= F_S'(f_ras))
    `CHK(times_of_rd, F_S'(f_read) + F_S'(f_n_rd) >= F_S'(f_ccd) &&
                      F_S'(f_write) + F_S'(f_n_rd) >= F_S'(f_rtw) &&
                      F_S'(f_close) + F_S'(f_n_rd) >= F_S'(f_rtp))
    `CHK(times_of_wr, F_S'(f_write) + F_S'(f_n_wr) >= F_S'(f_ccd) &&
                      F_S'(f_read) + F_S'(f_n_wr) >= F_S'(f_wtrd) &&
                      F_S'(f_close) + F_S'(f_n_wr) >= F_S'(f_wtp))
    `CHK(times_of_pre_and_ref, F_S'(f_act_left) + F_S'(f_n_pre) >= F_S'(f_rp) &&
                               F_S'(f_act_left) + F_S'(f_n_ref) >= F_S'(f_rfc))
    `CHK(time_of_any_act, F_S'(rrd_left) + F_S'(f_n_any) >= F_S'(f_rrd))
    `CHK(times_at_most, F_S'(f_read) < f_most_col && F_S'(f_write) < f_most_col &&
                        F_S'(f_close) < f_most_close && F_S'(f_act_left) < f_most_act &&
                        F_S'(rrd_left) < F_S'(f_rrd))
    `CHK(no_act_left_while_open, !f_q_open || f_act_left == '0)
    `CHK(open_as_on_the_pins, f_q_open == f_open_n && (!f_open_n || f_open_row == f_row_n))
    `CHK(its_request_is_there, has[f_bank] == f_has_n && f_q_sent == f_sent_n)
    `CHK(sent_only_by_a_write, f_sent_n == '0 || f_has_n && f_we)
    `CHK(a_write_has_no_more, !f_has_n || !f_we || f_q_more == '0)
    if (f_has_n) begin
      `CHK(its_request_as_it_was, row[16*f_bank +: 16] == (f_q_open ? f_open_row : f_req_row) &&
             f_req_row_q == f_req_row && f_q_we == f_we && id[4*f_bank +: 4] == f_id)
      `CHK(its_columns_to_go, col[3*f_bank +: 3] == f_col + 3'(f_rd) &&
                              f_q_more == f_more - 3'(f_rd))
      `CHK(its_data_as_they_were, !f_we || f_words[f_bit] == f_data)
    end
    `CHK(writes_of_both_are_apart, (f_sent_0 == '0 || f_sent_0 != f_sent_1) &&
                                   f_sent_0 <= t_write && f_sent_1 <= t_write)
    `CHK(owed_as_counted, f_q_owed == f_owed_n)
    `CHK(reads_as_on_the_pins, f_mine == '1 && f_right == '1)
    `COV(a_read_after_a_write, f_rd && f_s_wr < F_W'(F_MOST))
    `COV(another_row, f_act && f_s_rd < F_W'(F_MOST) && f_more == 3'd7)
    `COV(a_refresh_goes_before_a_request, f_ref && f_has_n && f_owed == 4'd4)
    `COV(eight_are_owed, f_owed_n == 4'd8)
    `COV(answers_of_both_one_after_the_other, f_sampled && f_was_other)
  end
  logic f_was_other;
  always @(posedge clk_i) f_was_other <= rst_ni && rsp_valid_o && rsp_bank_o != f_bank;
