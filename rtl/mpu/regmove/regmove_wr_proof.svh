// Proofs of regmove_wr, inside of its module: what is written to any one lane is what the packet
// says of it. By induction: the checks of EXPAND and STEP say what a reachable state looks like.

  (* anyconst *) logic [LW-1:0] f_lane;
  logic f_linear, f_bits;  // of the packet that is under way
  logic [31:0] f_word0, f_step, f_word;  // words 0 and 1 of its body, and that of the lane
  logic [LW-1:0] f_place;  // lanes of the mask below the lane, of the packet that comes
  function automatic [LW:0] f_count(input [LANES-1:0] set);
    f_count = '0;
    for (int l = 0; l < LANES; l++) f_count = f_count + (LW+1)'(set[l]);
  endfunction
  function automatic [LANES-1:0] f_below(input [LW-1:0] lane);
    f_below = ~({LANES{1'b1}} << lane);
  endfunction
  assign f_place = LW'(f_count(mask & f_below(f_lane)));
  always @(posedge clk_i) if (take) begin
    f_linear <= linear;
    f_bits <= bits;
    f_word0 <= wr_body_i[31:0];
    f_step <= PATTERNS != 0 ? wr_body_i[63:32] : '0;
    f_word <= wr_body_i[{f_place, 5'd0} +: 32];
  end

  // EXPAND: lanes without their word, but for the next two, and with them
  logic [LANES-1:0] f_todo, f_left;
  logic [LW-1:0] f_rank;
  for (genvar l = 0; l < LANES; l++) begin : g_turned
    assign f_todo[l] = todo_q[LANES-1-l];
  end
  assign f_left = f_todo | LANES'(1) << lane_q | LANES'(two_q) << lane2_q;
  assign f_rank = LW'(f_count(w_mask_o & f_below(f_lane)));

  // STEP: what lane l shows: its word, from edge floor(log2 l) on
  logic [31:0] f_data, f_line;
  logic f_made;
  assign f_data = w_data_o[{f_lane, 5'd0} +: 32];
  always_comb begin
    f_made = 1'b1;
    f_line = f_word0;
    for (int l = 0; l < LANES; l++) begin
      if (w_data_o[l*32 +: 32] != ((LW+1)'(l) < {1'b0, turn} ? f_word0 + 32'(l) * f_step : f_word0))
        f_made = 1'b0;
      if (f_lane == LW'(l)) f_line = f_word0 + 32'(l) * f_step;
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (state_q == Expand) begin
      `CHK(expand_is_of_plain_words, !f_linear && !f_bits)
      `CHK(the_next_lane_is_of_the_mask, w_mask_o[lane_q])
      `CHK(lanes_below_it_have_no_word,
           f_left == (w_mask_o & (f_below(lane_q) | LANES'(1) << lane_q)))
      `CHK(the_second_one_comes_next, two_q ? lane2_q < lane_q && w_mask_o[lane2_q] &&
           f_todo == (w_mask_o & f_below(lane2_q)) : f_todo == '0)
      `CHK(counts_those_without_their_word, left_q == f_count(f_left))
      `CHK(its_word_comes_or_came, !w_mask_o[f_lane] ||
           (f_left[f_lane] ? w_data_o[{f_rank, 5'd0} +: 32] : f_data) == f_word)
    end
    if (steps) begin
      `CHK(step_is_of_lines, f_linear && !f_bits)
      `CHK(step_doubles, stride == f_step * 32'(turn))
      `CHK(lanes_have_their_word_or_the_first, f_made)
    end
    if (state_q == Write) begin
      `CHK(linear_is_a_line, !f_linear || f_data == f_line)
      `CHK(bits_are_ones_or_zero, !f_bits || f_data == {32{f_word0[f_lane]}})
      `CHK(plain_is_its_word, f_linear || f_bits || !w_mask_o[f_lane] || f_data == f_word)
    end
  end
