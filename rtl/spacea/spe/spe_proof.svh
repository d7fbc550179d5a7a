// Proofs of spe, inside of its module: any one element of any one place, and any one bit of
// numbers, watched at the pins and at the inputs of fma64. Results of fma64 may be anything, and
// what is read of other elements: of fma64 there are the ports only, and tb/formal/spe has such a
// memory.

  // ---- what is watched
  (* anyconst *) logic [2:0] f_p;  // place
  (* anyconst *) logic [4:0] f_e;  // element
  (* anyconst *) logic [5:0] f_bit;  // bit of a number
  (* anyconst *) logic [4:0] f_cfg_turn;
  (* anyconst *) logic f_min;
  logic [7:0] f_slot;
  assign f_slot = {f_e, f_p};
  always @(posedge clk_i) begin
    `ASM(straps_stand_still, cfg_turn_i == f_cfg_turn && cfg_min_i == f_min)
    `ASM(turns_at_least_1_apart, f_cfg_turn != '0)
    `ASM(an_element_of_a_row, f_e < 5'd21)
  end

  // ---- rows, at the pins: how many were taken, came, got a place and left it
  logic f_start, f_beat, f_take, f_came_now, f_fill, f_leave, f_over, f_full;
  logic [15:0] f_first, f_taken, f_came;
  logic [3:0] f_fills, f_pops;
  logic [2:0] f_beats;
  logic [31:0] f_row;  // of the place
  assign f_start = rst_ni && start_valid_i && !busy_o;
  assign f_take = rst_ni && row_valid_o && row_ready_i;
  assign f_beat = rst_ni && beat_valid_i;
  assign f_came_now = f_beat && f_beats == 3'd7;
  assign f_fill = f_came_now && !f_over;
  assign f_leave = rst_ni && leaves;
  assign f_full = {1'b0, f_p - f_pops[2:0]} < f_fills - f_pops;
  always @(posedge clk_i)
    if (!rst_ni || f_start) begin
      {f_taken, f_came, f_fills, f_pops, f_beats, f_over} <= '0;
      if (f_start) f_first <= start_row_i;
    end else begin
      f_taken <= f_taken + 16'(f_take);
      f_came <= f_came + 16'(f_came_now);
      f_beats <= f_beats + 3'(f_beat);
      f_fills <= f_fills + 4'(f_fill);
      f_pops <= f_pops + 4'(f_leave);
      f_over <= f_over || f_beat && f_beats == '0 && beat_data_i[31:0] == '1;
    end
  always @(posedge clk_i)
    if (f_beat && f_beats == '0 && f_fills[2:0] == f_p) f_row <= beat_data_i[31:0];
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(rows_under_way, f_taken - f_came == 16'(coming_q) && coming_q <= 2'd2)
    `CHK(eight_places, f_fills - f_pops <= 4'd8)
    `CHK(rows_in_order, !busy_o || row_row_o == f_first + f_taken)
    `CHK(places_as_filled_and_left, full_q == f_fills - f_pops && tail_q == f_fills[2:0] &&
                                    head_q == f_pops[2:0])
    `CHK(beats_as_they_came, beat_q == f_beats && (f_beats == '0 || coming_q != '0))
    `CHK(end_as_it_came, ended_q == f_over)
    `CHK(no_beat_to_a_full_place, !f_beat || f_fills[2:0] != f_p || !f_full)
    `CHK(leaves_what_is_full, !f_leave || f_fills != f_pops)
    `CHK(keeps_its_row, !f_full || rows[32*f_p +: 32] == f_row)
    `CHK(gets_its_row, f_beats == '0 || f_fills[2:0] != f_p || f_full ||
                       rows[32*f_p +: 32] == f_row)
  end

  // ---- turns: when; those of any slot and of the place, by edges since
  logic f_turn, f_turn_p;
  logic [7:0] f_turns;
  logic [13:0] f_turns_p;
  logic [4:0] f_since, f_el;  // cycles since the last one; element of the last one of the place
  assign f_turn = rst_ni && turn_valid_o && turn_ready_i;
  assign f_turn_p = f_turn && at_q[2:0] == f_p;
  always @(posedge clk_i)
    if (!rst_ni) begin
      {f_turns, f_turns_p} <= '0;
      f_since <= '1;
    end else begin
      f_turns <= {f_turns[6:0], f_turn};
      f_turns_p <= {f_turns_p[12:0], f_turn_p};
      f_since <= f_start ? '1 : f_turn ? 5'd1 : f_since + 5'(f_since != '1);
      if (f_turn_p) f_el <= at_q[7:3];
    end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(turns_are_apart, !turn_valid_o || f_since >= f_cfg_turn)
    `CHK(waits_for_no_more, wait_q == (f_since < f_cfg_turn ? f_cfg_turn - f_since : '0))
    `CHK(a_slot, at_q <= 8'd167)
  end

  // ---- operations, at the inputs of fma64: those of the place and of Y, by edges since
  logic f_in, f_multiply, f_again, f_of_y;
  logic [5:0] f_sums, f_terms, f_ys, f_valids;
  logic f_sum, f_infinity;
  assign f_in = again || uses || adds;
  assign f_multiply = f_in && op == (f_min ? ADD : FMA) && f_turns_p[1];
  assign f_again = f_terms[5];
  assign f_of_y = f_in && op == (f_min ? MIN : ADD) && !again;
  assign f_infinity = INFINITY[f_bit];
  always @(posedge clk_i)
    if (!rst_ni) {f_sums, f_terms, f_ys, f_valids} <= '0;
    else begin
      f_terms <= {f_terms[4:0], f_multiply && f_min};
      f_sums <= {f_sums[4:0], f_multiply && !f_min || f_again};
      f_ys <= {f_ys[4:0], f_of_y};
      f_valids <= {f_valids[4:0], f_in};
      if (f_fill && f_fills[2:0] == f_p) f_sum <= f_min && f_infinity;
      else if (f_sums[5]) f_sum <= d[f_bit];
    end
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(results_after_six_edges, d_valid == f_valids[5])
    if (f_multiply && !f_min)
      `CHK(adds_to_the_sum_of_its_place, f_sums == '0 && sum[f_bit] == f_sum)
    if (f_again)
      `CHK(smallest_of_sum_and_term, f_in && op == MIN && f_sums == '0 && a[f_bit] == d[f_bit] &&
                                     b[f_bit] == f_sum)
    `CHK(place_has_its_sum, !f_full || sums[64*f_p + 32'(f_bit) +: 1] == f_sum)
    `CHK(nothing_for_an_empty_place, f_full || f_sums == '0 && f_terms == '0)
    if (f_leave && f_pops[2:0] == f_p)
      `CHK(leaves_with_all_results, f_sums == '0 && f_terms == '0)
  end

  // ---- the element: 0 new, 1 asked, 2 ready, 3 done
  localparam logic [1:0] F_NEW = 2'd0, F_ASKED = 2'd1, F_READY = 2'd2, F_DONE = 2'd3;
  logic [1:0] f_state, f_was, f_muls;  // f_was: when its turn began
  logic [3:0] f_mine;  // its turns, by edges since
  logic f_pad, f_column, f_live, f_put, f_used, f_asked, f_answer, f_missed, f_is_pad;
  logic [6:0] f_word, f_half;  // of the row: its column, the half of its value with the bit
  logic [31:0] f_its_column;
  logic f_value, f_x, f_x_then, f_has_x_then;  // f_x_then: when its turn began
  logic f_has_x = 1'b0;
  assign f_word = 7'd1 + 7'(f_e) + {1'b0, f_e, 1'b0};
  assign f_half = f_word + (f_bit[5] ? 7'd2 : 7'd1);
  assign f_column = f_beat && f_fills[2:0] == f_p && f_beats == f_word[5:3];
  assign f_is_pad = beat_data_i[32*f_word[2:0] +: 32] == '1;
  assign f_live = f_full || f_fills[2:0] == f_p && f_beats > f_word[5:3];
  assign f_put = rst_ni && put_valid_i && put_slot_i == f_slot;
  assign f_used = f_multiply && f_mine[1];
  assign f_asked = ask_valid_o && ask_who_o[9:2] == f_slot;
  always @(posedge clk_i) begin
    if (!rst_ni) {f_mine, f_answer, f_missed} <= '0;
    else begin
      f_mine <= {f_mine[2:0], f_turn && at_q == f_slot};
      f_missed <= f_mine[1] && !f_used && f_state != F_READY;
      f_answer <= f_asked;
    end
    if (f_turn && at_q == f_slot) {f_was, f_x_then, f_has_x_then} <= {f_state, f_x, f_has_x};
    if (f_column) f_its_column <= beat_data_i[32*f_word[2:0] +: 32];
    if (f_beat && f_fills[2:0] == f_p && f_beats == f_half[5:3])
      f_value <= beat_data_i[{f_half[2:0], f_bit[4:0]}];
    if (f_put) f_x <= put_value_i[f_bit];
    if (f_put) f_has_x <= 1'b1;
    if (f_column) begin
      f_state <= f_is_pad ? F_DONE : F_NEW;
      f_pad <= f_is_pad;
      f_muls <= '0;
    end else if (f_used) begin
      f_state <= F_DONE;
      f_muls <= f_muls + 2'(f_muls != '1);
    end else if (f_put && f_state != F_DONE) f_state <= F_READY;
    else if (f_answer && f_state != F_READY) f_state <= ask_state_i == 2'd2 ? F_NEW : F_ASKED;
  end

  logic [20:0] f_dones, f_readys, f_askeds;  // of the place
  logic [3*8*21-1:0] f_states;
  for (genvar p = 0; p < 8; p++) begin : g_f_states
    assign f_states[63*p +: 63] = {g_place[p].asked, g_place[p].ready, g_place[p].done};
  end
  always_comb begin
    {f_askeds, f_readys, f_dones} = '0;
    for (int p = 0; p < 8; p++)
      if (f_p == 3'(p)) {f_askeds, f_readys, f_dones} = f_states[63*p +: 63];
  end
  logic f_stood, f_went;  // the scan was at the element and stayed, or went on
  always @(posedge clk_i) begin
    f_stood <= rst_ni && busy_o && at_q == f_slot && f_full && f_state != F_DONE && !f_turn;
    f_went <= rst_ni && busy_o && at_q == f_slot && (!f_full || f_state == F_DONE || f_turn);
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (f_live) begin
      `CHK(state_by_the_rules, {f_askeds[f_e], f_readys[f_e], f_dones[f_e]} ==
                               {f_state == F_ASKED, f_state == F_READY, f_state == F_DONE})
      `CHK(done_if_multiplied_once, f_muls == 2'(f_state == F_DONE && !f_pad) &&
                                    (!f_pad || f_state == F_DONE))
    end
    if (f_leave && f_pops[2:0] == f_p)
      `CHK(multiplied_once_before_it_leaves, f_muls == 2'(!f_pad))
    if (f_used) `CHK(not_multiplied_before, f_full && !f_pad && f_muls == '0)
    if (at_q == f_slot)
      `CHK(turn_at_once, turn_valid_o == (busy_o && f_full && f_state != F_DONE &&
                                          f_since >= f_cfg_turn && !(f_min && f_turns[5])))
    `CHK(scan_goes_on, (!f_stood || at_q == f_slot) &&
                       (!f_went || at_q == (f_slot == 8'd167 ? 8'd0 : f_slot + 8'd1)))
    if (f_mine[0])
      `CHK(looks_unless_ready, look_valid_o == (f_was != F_READY) &&
                               look_again_o == (f_was == F_ASKED) &&
                               look_key_o == f_its_column[31:2])
    if (f_mine[1])
      `CHK(used_if_ready_or_there, f_used == (f_was == F_READY || line_hit_i))
    if (f_mine[2])
      `CHK(asks_if_missed, ask_valid_o == f_missed && (!f_missed || f_asked))
    if (f_asked)
      `CHK(asks_for_its_column, f_mine[2] && {ask_key_o, ask_who_o[1:0]} == f_its_column)
    if (f_used)
      `CHK(multiplies_its_value_and_x, a[f_bit] == f_value && b[f_bit] == (f_was == F_READY ?
             f_x_then : line_data_i[{f_its_column[1:0], f_bit}]))
  end

  // ---- Y
  logic f_opened, f_y, f_waits, f_y_out;
  logic [32:0] f_out;
  logic [31:0] f_y_row;
  assign f_y_out = y_value_o[f_bit];
  always @(posedge clk_i) begin
    f_waits <= rst_ni && y_valid_o && !y_ready_i;
    f_out <= {y_row_o, f_y_out};
    if (f_ys[5]) f_y <= d[f_bit];
    else if (f_leave && !open_q) begin
      f_y <= f_pops[2:0] == f_p ? f_sum : sums[64*f_pops[2:0] + 32'(f_bit) +: 1];
      f_y_row <= f_pops[2:0] == f_p ? f_row : front;
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    if (f_leave && f_pops[2:0] == f_p)
      `CHK(into_y, !open_q || f_of_y && a[f_bit] == f_y && b[f_bit] == f_sum && f_row == f_y_row)
    `CHK(into_y_only_what_leaves, f_of_y == (f_leave && open_q))
    `CHK(y_is_there, !open_q || y_q == f_y_row && of_y_q[f_bit] == f_y)
    if (sends) `CHK(y_goes_complete, f_ys == '0 && open_q && !f_leave)
    if (sends && f_full && f_pops[2:0] == f_p) `CHK(y_goes_before_another_row, f_row != f_y_row)
    `CHK(y_stays, !f_waits || y_valid_o && f_out == {y_row_o, f_y_out})
  end

  // ---- the end
  logic f_busy, f_begins;
  always @(posedge clk_i) {f_busy, f_begins} <= {rst_ni && busy_o, f_start};
  always @(posedge clk_i) if (rst_ni) begin
    if (!busy_o) begin
      `CHK(not_busy_when_all_is_done, f_taken == f_came && f_fills == f_pops && !f_live &&
                                      (f_sums | f_terms | f_ys) == '0 && !open_q && !y_valid_o)
      `CHK(quiet_when_not_busy, !row_valid_o && !turn_valid_o && f_turns_p[3:0] == '0)
    end
    `CHK(begins_with_a_start, !busy_o || f_busy || f_begins)
    if (f_busy && !busy_o) `CHK(falls_at_the_end, f_over)
  end
  always @(posedge clk_i) if (rst_ni) begin
    `COV(leaves_after_a_hit, f_leave && f_pops[2:0] == f_p && f_muls == 2'd1 && !f_min)
    `COV(leaves_with_the_smallest, f_leave && f_pops[2:0] == f_p && f_muls == 2'd1 && f_min)
    `COV(put_after_it_was_asked, f_put && f_full && f_state == F_ASKED)
    `COV(asked_in_vain, f_answer && f_state == F_NEW && ask_state_i == 2'd2)
    `COV(two_places_of_one_row, f_of_y && f_pops[2:0] == f_p && f_muls == 2'd1)
    `COV(ends_after_it, f_busy && !busy_o && f_muls == 2'd1)
  end

  // ---- what makes it inductive
  logic [325:0] f_queue;  // of spe_queue
  logic [159:0] f_q_want;
  logic [95:0] f_q_came;
  logic [63:0] f_q_x;
  logic [2:0] f_q_known;
  logic f_q_has_x, f_q_read, f_q_read_x;
  assign {f_q_want, f_q_came, f_q_x, f_q_known, f_q_has_x, f_q_read, f_q_read_x} = f_queue;
  logic [2:0] f_far;  // slots from the place to the scan
  logic f_ask_p, f_answer_p;
  logic [3:0] f_same;
  assign f_far = at_q[2:0] - f_p;
  assign f_ask_p = ask_valid_o && ask_who_o[4:2] == f_p;
  assign f_answer_p = s4_valid_q && s4_slot_q[2:0] == f_p;
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(first_stage, s1_valid_q == f_turns[0] &&
                      (s1_valid_q && s1_slot_q[2:0] == f_p) == f_turns_p[0] &&
                      (!f_turns_p[0] || s1_slot_q[7:3] == f_el))
    `CHK(second_stage, s2_valid_q == f_turns[1] &&
                       (s2_valid_q && s2_slot_q[2:0] == f_p) == f_turns_p[1] &&
                       (!f_turns_p[1] || s2_slot_q[7:3] == f_el))
    `CHK(ask_of_a_turn, !f_ask_p || f_turns_p[2] && ask_who_o[9:5] == f_el)
    `CHK(answer_of_a_turn, !f_answer_p || f_turns_p[3] && s4_slot_q[7:3] == f_el)
    if (f_turns_p[1:0] != '0 || f_ask_p || f_answer_p)
      `CHK(not_done_in_its_turn, f_full && !f_dones[f_el])
    for (int k = 0; k < 6; k++) begin
      `CHK(turns_leave_work, !f_turns_p[2+k] ||
                             f_full && (f_sums[k] || f_terms[k] || !f_dones[f_el]))
      `CHK(tags, (tag_q[5*k +: 5] == {SUM, f_p}) == f_sums[k] &&
                 (tag_q[5*k +: 5] == {TERM, f_p}) == f_terms[k] &&
                 (tag_q[5*k+3 +: 2] == OF_Y) == f_ys[k] &&
                 (tag_q[5*k+3 +: 2] != '0) == f_valids[k])
      `CHK(operations_of_turns, (!f_terms[k] || f_min && f_turns_p[2+k]) &&
                                (!f_sums[k] || f_turns_p[f_min ? 8+k : 2+k]))
      `CHK(terms_of_turns, tag_q[5*k+3 +: 2] != TERM || f_min && f_turns[2+k])
    end
    for (int k = 0; k < 7; k++)
      `CHK(scan_is_past_it, !f_turns_p[k] || f_far != '0 && f_far <= 3'(k+1))
    for (int j = 0; j < 14; j++)
      for (int k = j + 1; k < j + 8 && k < 14; k++)
        `CHK(turns_of_a_place_are_apart, !f_turns_p[j] || !f_turns_p[k])
    for (int k = 0; k < 8; k++) `CHK(turns_of_the_place, !f_turns_p[k] || f_turns[k])
    `CHK(turn_of_an_element, f_turns_p == '0 || f_el < 5'd21)
    `CHK(turns_of_the_element, f_mine[3:0] == (f_turns_p[3:0] & {4{f_el == f_e}}))
    `CHK(no_turn_meets_another, !f_min || (f_turns[1:0] & f_turns[7:6]) == '0)
    `CHK(kept, kept_q == {1'b0, {8{f_min}} & {f_turns[0], f_turns[1], f_turns[2], f_turns[3],
                          f_turns[4], f_turns[5], f_turns[6], f_turns[7]} |
                          {6'd0, f_turns[0], f_turns[1]}})
    if (f_mine[0]) `CHK(ready_of_first, s1_ready_q == (f_was == F_READY))
    if (f_mine[1]) `CHK(ready_of_second, s2_ready_q == (f_was == F_READY))
    `CHK(queue_has_its_column, !f_live || f_q_came[31:0] == f_its_column)
    `CHK(queue_has_its_value, !f_full && (f_fills[2:0] != f_p || f_beats <= f_half[5:3]) ||
           f_q_came[7'd32 + 7'(f_bit) +: 1] == f_value)
    for (int w = 0; w < 3; w++)
      `CHK(queue_has_its_words, !f_full && (f_fills[2:0] != f_p ||
             f_beats <= 3'((f_word + 7'(w)) >> 3)) || f_q_known[w])
    if (f_mine[0])
      `CHK(queue_has_read_it, f_q_read && f_q_want[31:0] == f_its_column &&
             f_q_want[8'd32 + 8'(f_bit) +: 1] == f_value && f_q_read_x == f_has_x_then &&
             (!f_has_x_then || f_q_want[8'd96 + 8'(f_bit) +: 1] == f_x_then))
    if (f_mine[1])
      `CHK(data_of_second, s2_column_q == f_its_column && s2_value_q[f_bit] == f_value &&
                           (!f_has_x_then || s2_x_q[f_bit] == f_x_then))
    `CHK(ready_has_x, (!f_live || f_state != F_READY || f_has_x) &&
                      (f_mine[1:0] == '0 || f_was != F_READY || f_has_x_then))
    `CHK(answer_of_the_element, f_answer == (s4_valid_q && s4_slot_q == f_slot))
    f_same = '0;
    for (int k = 0; k < 6; k++) f_same = f_same + 4'(f_ys[k]);
    `CHK(one_for_y, f_same == 4'(adding_q) && (!adding_q || open_q))
  end
  always @(posedge clk_i)  // in reset too
    `CHK(queue_has_its_x, f_q_has_x == f_has_x && (!f_has_x || f_q_x[f_bit] == f_x))
