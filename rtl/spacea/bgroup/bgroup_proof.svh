// Proofs of bgroup, inside of its module: an element whose ask made its line come is answered, with
// that line and in time, and nobody else is. spe, xcam and rowctl may do anything here but what
// their own proofs exclude, which is assumed below of any one element and any one line.

  // ---- any one line, and any one element of either PE
  logic [29:0] f_key;
  logic [10:0] f_who;
  logic f_in;  // the line is in ldq; the first one who asked
  assign {f_in, f_who, f_key} = f_ldq;
  (* anyconst *) logic f_pe;
  (* anyconst *) logic [7:0] f_slot;
  logic f_rx_key;  // the packet that came last is of the line
  assign f_rx_key = rx_key == f_key;

  // ---- the base die: packets hold; a line comes once for each time it is wanted, soon
  localparam int TAKES = 4, COMES = 16;  // cycles until a packet is taken, until the line comes
  logic f_out;  // WANT was taken and LINE has not come
  logic f_sent, f_line;  // they are at this edge
  logic [1:0] f_held;  // cycles for which a packet has waited
  logic [3:0] f_since;  // cycles since WANT
  logic [63:0] f_head;
  logic [255:0] f_body;
  assign f_sent = want_go && want_key == f_key;
  assign f_line = fill && f_rx_key;
  always @(posedge clk_i) begin
    {f_head, f_body} <= {rx_head_i, rx_body_i};
    f_since <= f_out ? f_since + 1'b1 : '0;
    if (!rst_ni) {f_out, f_held} <= '0;
    else begin
      f_out <= (f_out || f_sent) && !f_line;
      f_held <= tx_valid_o && !tx_ready_i ? f_held + 1'b1 : '0;
    end
    if (rst_ni) begin
      `ASM(packets_hold, age_q == '0 || f_head == rx_head_i && f_body == rx_body_i)
      `ASM(a_line_comes_for_what_was_wanted, !f_line || f_out)
      `ASM(packets_are_taken, f_held != 2'(TAKES - 1) || tx_ready_i)
      `ASM(lines_come, !f_out || f_since != 4'(COMES - 1) || f_line)
    end
  end

  // ---- xcam, by its proof: the line stays until another one is filled, and is found while it is
  // there. Turns and looks of both PEs by the stage they are in, as 3 after the third edge; in
  // f_miss_of3 and f_miss3 those that have not hit
  (* anyseq *) logic f_gives_place;
  logic f_there, f_found, f_look2, f_miss3;
  logic [1:0] f_turn1, f_turn2, f_turn3, f_look_of2, f_miss_of3;
  logic [29:0] f_key2, f_key3;
  assign f_look2 = f_look_of2 != '0 && f_key2 == f_key;
  assign f_miss3 = f_miss_of3 != '0 && f_key3 == f_key;
  always @(posedge clk_i) begin
    {f_key3, f_key2} <= {f_key2, look_valid[1] ? look_key[59:30] : look_key[29:0]};
    if (!rst_ni) {f_there, f_found, f_turn1, f_turn2, f_turn3, f_look_of2, f_miss_of3} <= '0;
    else begin
      f_there <= f_line || f_there && !start && !(fill && f_gives_place);
      f_found <= f_there;
      {f_turn3, f_turn2, f_turn1} <= {f_turn2, f_turn1, turn_go};
      f_look_of2 <= look_valid;
      f_miss_of3 <= f_look_of2 & {2{!line_hit}};
    end
    if (rst_ni) `ASM(found_while_it_is_there, !f_look2 || line_hit == f_found)
  end

  // ---- spe, by its proof: a look after a turn, an ask after a look that has not hit. The element:
  // 0 new, 1 asked, 2 ready, 3 done, from its column's coming until its place is free
  localparam logic [1:0] F_NEW = 2'd0, F_ASKED = 2'd1, F_READY = 2'd2, F_DONE = 2'd3;
  (* anyseq *) logic f_comes, f_goes, f_at_it;
  (* anyseq *) logic [31:0] f_new_column;
  logic f_live, f_turn, f_put, f_used, f_missed, f_answer, f_entered, f_busy, f_begins;
  logic [1:0] f_state, f_was;  // f_was: when its turn began
  logic [6:0] f_mine;  // its turns, by edges since
  logic [5:0] f_uses;  // likewise: fma64 has it
  logic [31:0] f_column;
  assign f_turn = turn_go[f_pe] && f_at_it;
  assign f_put = put[f_pe] && left_who[9:2] == f_slot;
  assign f_used = f_mine[1] && (f_was == F_READY || line_hit);
  always @(posedge clk_i) begin
    f_busy <= rst_ni && pe_busy[f_pe];
    f_begins <= start && rx_head_i[f_pe ? 50 : 49];
    if (f_turn) f_was <= f_state;
    if (!rst_ni) {f_live, f_mine, f_uses, f_missed, f_answer} <= '0;
    else begin
      f_mine <= {f_mine[5:0], f_turn};
      f_uses <= {f_uses[4:0], f_used};
      f_missed <= f_mine[1] && !f_used && f_state != F_READY;
      f_answer <= f_missed;
      f_live <= f_comes || f_live && !f_goes;
      if (f_comes) {f_state, f_column} <= {F_NEW, f_new_column};
      else if (f_used) f_state <= F_DONE;
      else if (f_put && f_state != F_DONE) f_state <= F_READY;
      else if (f_answer && f_state != F_READY) f_state <= ask_state == FULL ? F_NEW : F_ASKED;
    end
    if (rst_ni) begin
      for (int k = 0; k < 2; k++) begin
        `ASM(looks_after_a_turn, !look_valid[k] || f_turn1[k])
        `ASM(asks_after_a_miss, !ask_valid[k] ||
                                f_turn3[k] && f_miss_of3[k] && ask_key[30*k +: 30] == f_key3)
        `ASM(no_sum_while_not_busy, pe_busy[k] || !sum_valid[k])
      end
      `ASM(busy_while_there_are_elements, pe_busy[f_pe] || !f_live && f_mine[3:0] == '0)
      `ASM(busy_after_a_start, !pe_busy[f_pe] || f_busy || f_begins)
      `ASM(comes_to_a_free_place, !f_comes || !f_live)
      `ASM(goes_with_all_results, !f_goes || f_live && f_state == F_DONE && f_uses == '0)
      `ASM(turns_while_not_done, !f_turn || f_live && f_state != F_DONE && f_mine == '0)
      if (f_mine[0])
        `ASM(looks_unless_ready, look_valid[f_pe] == (f_was != F_READY) &&
                                 look_key[(f_pe ? 30 : 0) +: 30] == f_column[31:2])
      if (f_mine[2]) `ASM(asks_if_missed, ask_valid[f_pe] == f_missed)
      if (ask_valid[f_pe] && f_mine[2])
        `ASM(asks_for_its_column, ask_who[(f_pe ? 10 : 0) +: 10] == {f_slot, f_column[1:0]})
      if (ask_valid[f_pe] && !f_mine[2])
        `ASM(nobody_else_asks_for_it, ask_who[(f_pe ? 12 : 2) +: 8] != f_slot)
    end
  end

  // ---- the line is owed to the element: its ask was the first for it, and it was not put
  logic f_owed, f_its_key, f_strange;
  logic [5:0] f_age;  // cycles for which it has waited
  assign f_its_key = f_column[31:2] == f_key;
  assign f_entered = f_answer && f_its_key && ask_state == ENTERED;
  always @(posedge clk_i) begin
    f_owed <= rst_ni && (f_owed || f_entered) && !f_put;
    f_age <= f_owed ? f_age + 6'(f_age != '1) : 6'd1;
    // A put of another line: the same proof, with that line watched, says that it was right at the
    // last edge.
    f_strange <= rst_ni && f_put && !f_rx_key && (!f_live || rx_key != f_column[31:2]);
    if (rst_ni) `ASM(puts_of_other_lines_are_right, !f_strange)
  end

  // ---- where the line is on its way, and how long it may take from there
  logic f_enters, f_comes_now;
  logic [3:0] f_waits;  // places in the queue of those wanted
  logic [1:0] f_before;
  logic [5:0] f_left;
  assign f_enters = enters && key_q == f_key;
  assign f_comes_now = f_rx_key && age_q >= 3'd1 && age_q <= 3'd3;
  for (genvar i = 0; i < WANTED; i++) begin : g_f_waits
    assign f_waits[i] = CW'(i) < f_count && f_words[30*i +: 30] == f_key;
  end
  assign f_before = {f_waits[3] || f_waits[2], f_waits[3] || f_waits[1]};
  always_comb begin
    f_left = 6'd4 - 6'(age_q);
    if (f_out) f_left = 6'(COMES + 3) - 6'(f_since);
    else if (f_waits != '0)
      f_left = 6'(TAKES) * 6'(f_before) + 6'(TAKES + COMES + 3) - 6'(f_held);
    else if (f_enters)
      f_left = want ? 6'(TAKES) * 6'(wanted_q) + 6'(TAKES + COMES + 3) - 6'(f_held) :
                      6'(TAKES + COMES + 4);
  end
  localparam int LONGEST = WANTED * TAKES + COMES + 3;

  always @(posedge clk_i) if (rst_ni) begin
    // nobody else, and in time
    if (f_put && f_rx_key) begin
      `CHK(put_to_whom_it_is_owed, f_owed)
      `CHK(put_with_its_word, put_value == f_body[{f_column[1:0], 6'd0} +: 64])
    end
    if (f_owed) begin
      `CHK(owed_while_it_is_on_its_way, f_live && f_its_key && (f_in || f_put))
      `CHK(answered_in_time, 7'(f_age) + 7'(f_left) <= 7'(LONGEST))
    end
    if (f_answer && f_its_key)
      `CHK(under_way_as_said, ask_state == FULL || f_in)
    `CHK(done_when_nothing_is_owed, !done || !f_in || f_who[10:2] != {f_pe, f_slot})
    if (f_sent) `CHK(wanted_once, !f_out)
    `CHK(goes_first, !want || tx_head_o[3:0] == WANT && tx_head_o[46:17] == want_key)
    // nothing stands still
    `CHK(lines_are_taken, age_q <= 3'd4)
    `CHK(turns_are_taken, (f_turn_waits & turn & ~turn_go) == '0)
  end
  logic [1:0] f_turn_waits;
  always @(posedge clk_i) f_turn_waits <= {2{rst_ni}} & turn & ~turn_go;

  // ---- what makes it inductive
  logic [6:0] f_where;
  assign f_where = {f_enters, f_waits, f_out, f_comes_now};
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(on_its_way_once, (f_where != '0) == f_in && (f_where & (f_where - 1'b1)) == '0)
    `CHK(all_that_wait_are_counted, wanted_q == f_count)
    `CHK(came_is_there, age_q == '0 || !f_rx_key || f_there)
    `CHK(not_there_before_it_comes, !f_in || !f_there || f_comes_now)
    `CHK(looked_too_early, !f_look2 || f_found || !f_there || f_rx_key && age_q == 3'd1)
    `CHK(asks_in_time, !f_miss3 || !f_there || f_rx_key && (age_q == 3'd1 || age_q == 3'd2))
    `CHK(one_turn_in_a_stage, f_turn1 != 2'b11 && f_turn2 != 2'b11 && f_turn3 != 2'b11)
    `CHK(looks_are_of_turns, (f_look_of2 & ~f_turn2) == '0 && (f_miss_of3 & ~f_turn3) == '0)
    if (age_q == 3'd4 && f_rx_key) `CHK(found_when_it_leaves, left && left_there)
    `CHK(leaves_after_three, left == (age_q == 3'd4))
    `CHK(runs_while_it_lives, runs_q || !pe_busy[f_pe])
    // the element
    `CHK(one_turn_of_it, (f_mine & (f_mine - 1'b1)) == '0)
    if (f_mine[1:0] != '0)
      `CHK(works_in_its_turn, f_live && f_state != F_DONE &&
                              (f_was != F_READY || f_state == F_READY))
    if (f_missed || f_answer) `CHK(lives_while_it_asks, f_live && f_state != F_DONE)
    `CHK(asks_in_its_turn, (!f_missed || f_mine[2]) && (!f_answer || f_mine[3]))
    if (f_mine[0]) `CHK(turn_1, f_turn1[f_pe])
    if (f_mine[1])
      `CHK(turn_2, f_turn2[f_pe] && f_look_of2[f_pe] == (f_was != F_READY) &&
                   (f_was == F_READY || f_key2 == f_column[31:2]))
    if (f_mine[2]) `CHK(turn_3, f_turn3[f_pe] && (!f_missed || f_key3 == f_column[31:2]))
    if (f_answer) `CHK(answer_follows, asked && key_q == f_column[31:2])
    if (f_entered)
      `CHK(its_line_is_in, f_in && f_who == {f_pe, f_slot, f_column[1:0]})
    if (f_its_key && f_state == F_READY)  // it was put in this turn
      `CHK(put_is_found, (!f_mine[0] || f_was == F_READY || f_there) &&
                         (!f_mine[1] || f_was == F_READY || f_found) && !f_missed && !f_answer)
    `CHK(owed_is_not_ready, !f_owed || f_state != F_READY && f_state != F_NEW)
    if (f_in && f_who[10:2] == {f_pe, f_slot})
      `CHK(in_because_it_asked, f_its_key && f_who[1:0] == f_column[1:0] && (f_owed || f_entered))
    if (f_owed) begin
      `CHK(its_line_knows_it, !f_in || f_who == {f_pe, f_slot, f_column[1:0]})
      `CHK(used_late, f_state != F_DONE || f_rx_key && age_q >= 3'd3 && f_uses[1:0] != '0)
      `CHK(used_soon, !f_mine[1] || f_was == F_READY || !f_found || f_rx_key && age_q >= 3'd2)
    end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `COV(used_before_it_is_put, f_put && f_owed && f_state == F_DONE)
    `COV(asks_again_while_it_is_owed, f_answer && f_owed && ask_state == 2'd0)
    `COV(asks_after_another_one, f_answer && !f_owed && ask_state == 2'd0)
    `COV(finds_no_room, f_answer && ask_state == FULL)
    `COV(four_wait, f_waits[3])
  end
