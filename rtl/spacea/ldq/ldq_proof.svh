// Proofs of ldq, inside of its module.

  // ---- any one key: is it there, who asked first, and which layers
  (* anyconst *) logic [KEY-1:0] f_key;
  logic f_in, f_stays, f_ask, f_leave, f_enter;
  logic [10:0] f_who;
  logic [7:0] f_layers;
  assign f_watch_o = {f_in, f_who, f_key};
  assign f_ask = ask_valid_i && ask_key_i == f_key;
  assign f_leave = leave_valid_i && leave_key_i == f_key;
  assign f_stays = f_in && !f_leave;
  assign f_enter = f_ask && !f_stays && ask_enter_i && f_room;
  always @(posedge clk_i)
    if (!rst_ni) f_in <= 1'b0;
    else f_in <= f_stays || f_enter;
  always @(posedge clk_i)
    if (f_enter) begin
      f_who <= ask_who_i;
      f_layers <= 8'd1 << ask_layer_i;
    end else if (f_ask && f_stays) f_layers <= f_layers | 8'd1 << ask_layer_i;

  // ---- how many keys there are
  localparam int CW = $clog2(N + 1);
  logic [CW-1:0] f_count;
  logic f_room;
  assign f_room = f_count - CW'(left) < CW'(N);
  always @(posedge clk_i)
    if (!rst_ni) f_count <= '0;
    else f_count <= f_count - CW'(left) + CW'(enter);

  // ---- answers to it
  logic f_asked, f_left, f_was_in;
  logic [1:0] f_state;
  logic [18:0] f_was;
  always @(posedge clk_i) begin
    f_asked <= rst_ni && f_ask;
    f_left <= rst_ni && f_leave;
    f_was_in <= f_in;
    f_state <= f_stays ? THERE : f_enter ? ENTERED : FULL;
    f_was <= {f_who, f_layers};
    if (rst_ni) begin
      `CHK(an_ask_is_answered, !f_asked || ans_valid_o && ans_state_o == f_state)
      `CHK(a_leave_is_answered, !f_left || left_valid_o && left_there_o == f_was_in)
      `CHK(leaves_as_it_was_asked_for,
           !f_left || !f_was_in || {left_who_o, left_layers_o} == f_was)
      `CHK(busy_while_it_is_there, !f_in || busy_o)
    end
  end

  // ---- what makes it inductive
  logic [N-1:0] f_has;  // entries with the key
  logic [CW-1:0] f_taken;
  logic f_right;  // its entry has what it should have
  always_comb begin
    f_taken = '0;
    f_right = 1'b1;
    for (int i = 0; i < N; i++) begin
      f_has[i] = taken_q[i] && f_keys[KEY*i +: KEY] == f_key;
      f_taken = f_taken + CW'(taken_q[i]);
      if (f_has[i] && f_words[19*i +: 19] != {f_who, f_layers}) f_right = 1'b0;
    end
  end
  // no two entries have the same key, whatever it is
  logic f_differ;
  always_comb begin
    f_differ = 1'b1;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < i; j++)
        if (taken_q[i] && taken_q[j] && f_keys[KEY*i +: KEY] == f_keys[KEY*j +: KEY])
          f_differ = 1'b0;
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(never_two_of_a_key, f_differ)
    `CHK(one_entry_when_it_is_there, (f_has != '0) == f_in && (f_has & (f_has - 1'b1)) == '0)
    `CHK(its_entry_has_its_data, f_right)
    `CHK(all_are_counted, f_count == f_taken)
    `COV(all_taken_leaves_with_two_layers, f_left && f_was_in && f_full && left_layers_o == 8'h81)
    `COV(enters_where_another_one_leaves, f_asked && ans_state_o == ENTERED && f_moved)
    `COV(leaves_and_enters_at_an_edge, f_asked && f_left && f_was_in && ans_state_o == ENTERED)
  end
  logic f_full, f_moved;
  always @(posedge clk_i) begin
    f_full <= rst_ni && taken_q == '1;
    f_moved <= rst_ni && taken_q == '1 && leave_key_i != f_key;
  end
