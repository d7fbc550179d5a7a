// SPDX-License-Identifier: Apache-2.0
// bankctl, a scoreboard: a proof of its own, part of bankctl.sv. Any one request that is taken
// stays in the queue until it is on the pins, once, as the command that it asks for, with its bank
// and column. The data of a write, any bit of them, follow after CWL; those of a read come back
// with its id. Each command RD and WR takes one request out of the queue. For all times that are in
// range, and after a cold or a warm reset. What it says of the controller itself makes that
// inductive.

  // ---- the request that is watched: in the queue, then on its way
  (* anyseq *) logic f_watch;
  (* anyconst *) logic [8:0] f_bit;  // any bit of data and mask
  logic f_on, f_flies;
  logic [IW-1:0] f_at;    // its place
  logic [5:0] f_age;      // cycles since its command is on the pins
  logic [RW-1:0] f_ring;  // where its id waits
  logic [1:0] f_my_bank;
  logic [CB-1:0] f_my_col;
  logic [7:0] f_my_id;
  logic f_my_we, f_my_bit;
  logic [255:0] f_rdata;  // what the arrays gave in the cycle before
  logic f_lasts;          // the last cycle of its way
  logic [287:0] f_enters, f_waits;
  assign f_enters = {req_wmask_i, req_wdata_i};
  assign f_waits = data[f_at];
  assign f_lasts = f_age == (f_my_we ? 6'(t_write) : 6'(t_read) + 6'd1);
  always @(posedge clk_i) begin
    assume (f_bit < 9'd288);
    f_rdata <= rdata_i;
    if (!rst_ni) begin
      f_on <= 1'b0;
      f_flies <= 1'b0;
    end else begin
      if (!f_on && !f_flies && take && f_watch) begin
        f_on <= 1'b1;
        f_at <= place_index;
        {f_my_bank, f_my_col, f_my_id, f_my_we} <= {req_bank_i, req_col, req_id_i, req_we_i};
        f_my_bit <= f_enters[f_bit];
      end else if (f_on && gone[f_at]) begin
        f_on <= 1'b0;
        f_flies <= 1'b1;
        f_age <= '0;
        f_ring <= id_in_q;
      end else if (f_flies) begin
        f_age <= f_age + 1'b1;
        f_flies <= !f_lasts;
      end
    end
  end

  logic [MAX_READ:0] f_reads;  // RD whose data are to come
  logic [3:0] f_at_bank;
  int f_before, f_since;  // reads before the watched one; it, and those after it
  assign f_at_bank = {bank_q[3*N + 32'(f_at)], bank_q[2*N + 32'(f_at)], bank_q[N + 32'(f_at)],
                      bank_q[f_at]};
  always_comb begin
    f_before = 0;
    f_since = 0;
    for (int i = 0; i <= MAX_READ; i++) begin
      f_reads[i] = rd_q[i] && i <= 32'(t_read);
      if (i > 32'(f_age)) f_before = f_before + (f_reads[i] ? 1 : 0);
      else f_since = f_since + (f_reads[i] ? 1 : 0);
    end
  end
  function automatic int f_wraps(input int place);
    f_wraps = place > MAX_READ ? place - (MAX_READ + 1) : place;
  endfunction

  always @(posedge clk_i) if (rst_ni) begin
    if (f_on) begin
      `CHK(stays_until_served, valid_q[f_at])
      `CHK(stays_as_it_came, f_at_bank == 4'd1 << f_my_bank && we_q[f_at] == f_my_we &&
           col_q[CB*f_at +: CB] == f_my_col && id_q[8*f_at +: 8] == f_my_id &&
           (!f_my_we || f_waits[f_bit] == f_my_bit))
    end
    if (f_flies) begin
      if (f_age == '0)
        `CHK(on_the_pins_as_it_came, cmd_o == (f_my_we ? Wr : Rd) && cmd_bank_o == f_my_bank &&
                                     cmd_col_o == 5'(f_my_col))
      if (f_my_we && f_lasts)
        `CHK(its_data_are_on_the_pins,
             f_bit < 9'd256 ? wdata_o[f_bit[7:0]] == f_my_bit : wmask_o[f_bit[4:0]] == f_my_bit)
      if (!f_my_we && f_lasts)
        `CHK(its_data_come_back, rsp_valid_o && rsp_id_o == f_my_id && rsp_data_o == f_rdata)
      // on its way
      `CHK(on_its_way, f_age <= (f_my_we ? 6'(t_write) : 6'(t_read) + 6'd1))
      `CHK(clock_runs, f_lasts || active && 32'(stay_q) + 32'(f_age) >= 32'(t_stay))
      if (f_my_we) begin
        if (!f_lasts) `CHK(write_is_known, wr_q[f_age[WW-1:0]])
        if (32'(f_age) + 2 <= 32'(t_write)) `CHK(data_still_there, f_waits[f_bit] == f_my_bit)
        if (32'(f_age) + 2 < 32'(t_write))
          `CHK(place_is_known, at_q[IW*f_age[WW-1:0] +: IW] == f_at)
        if (32'(f_age) + 2 == 32'(t_write)) `CHK(data_are_loaded, load_q && load_at_q == f_at)
        if (32'(f_age) + 3 <= 32'(t_write)) `CHK(place_is_kept, sends_q[f_at])
        if (32'(f_age) + 1 == 32'(t_write)) `CHK(data_leave, write_q && wr1_q[f_bit] == f_my_bit)
      end else if (!f_lasts)
        `CHK(id_waits, rd_q[f_age[RW-1:0]] && 32'(f_ring) <= MAX_READ && ids[f_ring] == f_my_id &&
             f_wraps(32'(id_out_q) + f_before) == 32'(f_ring) &&
             f_wraps(32'(f_ring) + f_since) == 32'(id_in_q))
    end
  end

  // ---- as many requests leave the queue as RD and WR are on the pins
  logic [IW+1:0] f_owes, f_there;
  logic f_column;
  assign f_column = cmd_o == Rd || cmd_o == Wr;
  int f_n_reads, f_n_places;
  always_comb begin
    f_there = '0;
    f_n_reads = 0;
    f_n_places = 0;
    for (int i = 0; i < N; i++) begin
      f_there = f_there + (IW+2)'(valid_q[i]);
      f_n_places = f_n_places + (valid_q[i] || sends_q[i] ? 1 : 0);
    end
    for (int i = 0; i <= MAX_READ; i++) f_n_reads = f_n_reads + (f_reads[i] ? 1 : 0);
  end
  always @(posedge clk_i)
    if (!rst_ni) f_owes <= '0;
    else begin
      f_owes <= f_owes + (IW+2)'(take) - (IW+2)'(f_column);
      `CHK(one_request_a_column, f_owes == f_there + (IW+2)'(f_column))
      `CHK(counts_its_places, 32'(count_q) == f_n_places && (!req_ready_o || count_q != (IW+1)'(N)))
      `CHK(none_before_it_is_done, start_q == Done || valid_q == '0 && !req_ready_o)
      `CHK(ids_of_reads_to_come, 32'(id_in_q) <= MAX_READ && 32'(id_out_q) <= MAX_READ &&
           f_wraps(32'(id_out_q) + f_n_reads) == 32'(id_in_q))
      `CHK(sends_what_has_left, (sends_q & valid_q) == '0)
    end

  // ---- the winners are entries, one each; what hits is told from what misses
  for (genvar k = 0; k < 4; k++) begin : f_of_bank
    logic [N-1:0] head, mine;
    assign head = head_q[N*k +: N];
    assign mine = valid_q & bank_q[N*k +: N];
    always @(posedge clk_i) if (rst_ni)
      `CHK(one_head, (head & (head - 1'b1)) == '0 && (head & ~mine) == '0)
  end
  for (genvar i = 0; i < N; i++) begin : f_entry
    logic [3:0] at, slot, sel;
    logic [MAX_WRITE-1:0] sends;  // WR whose data it has still to give
    assign at = {bank_q[3*N+i], bank_q[2*N+i], bank_q[N+i], bank_q[i]};
    assign slot = {slot_q[3*N+i], slot_q[2*N+i], slot_q[N+i], slot_q[i]};
    assign sel = at[3] ? f_sel[15:12] : at[2] ? f_sel[11:8] : at[1] ? f_sel[7:4] : f_sel[3:0];
    for (genvar k = 0; k < MAX_WRITE; k++) begin : g_sends
      assign sends[k] = k + 3 <= 32'(t_write) && wr_q[k] && at_q[IW*k +: IW] == IW'(i);
    end
    always @(posedge clk_i) if (rst_ni) begin
      `CHK(keeps_data_for_one_write, sends_q[i] == (sends != '0) && (sends & (sends - 1'b1)) == '0)
      `CHK(who_is_there, valid_q[i] || !to_column[i] && !to_sasel[i] && !to_act[i] && !to_close[i])
      `CHK(column_of_the_selected, !to_column[i] || hit_q[i] && (slot & sel) != '0)
      `CHK(sasel_of_a_slot, !to_sasel[i] || hit_q[i] && slot != '0)
      `CHK(act_and_pre_for_a_miss, !hit_q[i] || !to_act[i] && !to_close[i])
      if (valid_q[i])
        `CHK(in_one_bank, (at & (at - 1'b1)) == '0 && at != '0 && !older_q[N*i + i])
    end
    for (genvar j = 0; j < N; j++) if (j != i) begin : g_pair
      logic same_bank;
      assign same_bank = bank_q[i] && bank_q[j] || bank_q[N+i] && bank_q[N+j] ||
                         bank_q[2*N+i] && bank_q[2*N+j] || bank_q[3*N+i] && bank_q[3*N+j];
      always @(posedge clk_i) if (rst_ni && valid_q[i]) begin
        if (valid_q[j])
          `CHK(one_is_older, older_q[N*i + j] == !older_q[N*j + i] &&
                             (!alike_q[N*i + j] || same_bank))
        else `CHK(none_older_that_left, !older_q[N*i + j])
        for (int k = 0; k < N; k++)
          if (older_q[N*i + j] && older_q[N*j + k])
            `CHK(order_is_transitive, older_q[N*i + k])
      end
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_winner, (to_column & (to_column - 1'b1)) == '0 &&
         (to_sasel & (to_sasel - 1'b1)) == '0 &&
         (to_act & (to_act - 1'b1)) == '0 && (to_close & (to_close - 1'b1)) == '0)
    `CHK(other_winners_are_told, any_refresh == (refresh != '0) &&
         any_close == (for_refresh != '0) && any_policy == (for_policy != '0))
    `CHK(one_other_winner, (refresh & (refresh - 1'b1)) == '0 &&
         (for_refresh & (for_refresh - 1'b1)) == '0 && (for_policy & (for_policy - 1'b1)) == '0)
    `CHK(some_winner, any_col == (to_column != '0) && any_sasel == (to_sasel != '0) &&
         any_act == (to_act != '0) && any_pre == (to_close != '0))
    // three candidates at a time, of which the youngest is watched
    `COV(the_last_of_three, f_flies && f_age == '0 && f_my_we && f_there == (IW+2)'(N - 1))
    `COV(read_behind_a_read, f_flies && !f_my_we && f_lasts && f_reads[0])
  end
