// Proofs of regmove_rd, inside of its module: from what goes up, any one lane of the mask gets the
// word that it had; it goes up in the shortest way that the rules know. By induction: the checks
// of states before UP say what a reachable state looks like.

  (* anyconst *) logic [LW-1:0] f_lane;
  logic [LANES*32-1:0] f_data;  // the register that is under way
  logic [LANES-1:0] f_mask;
  logic [7:0] f_tag;
  always @(posedge clk_i) if (rd_valid_i && rd_ready_o) begin
    f_data <= rd_data_i;
    f_mask <= rd_mask_i;
    f_tag <= rd_tag_i;
  end
  function automatic [LW:0] f_count(input [LANES-1:0] set);
    f_count = '0;
    for (int l = 0; l < LANES; l++) f_count = f_count + (LW+1)'(set[l]);
  endfunction
  function automatic [LANES-1:0] f_below(input [LW-1:0] lane);
    f_below = ~({LANES{1'b1}} << lane);
  endfunction

  logic [31:0] f_word, f_first, f_line;  // of the lane; of the lowest; what LINEAR gives the lane
  logic f_same, f_grows, f_set;  // one word in all; a full mask and a step; all ones or zero
  logic [LW-1:0] f_rank;  // lanes of the mask below the lane
  assign f_word = f_data[{f_lane, 5'd0} +: 32];
  assign f_rank = LW'(f_count(f_mask & f_below(f_lane)));
  always_comb begin
    f_first = '0;
    for (int l = LANES - 1; l >= 0; l--) if (f_mask[l]) f_first = f_data[l*32 +: 32];
    {f_same, f_grows, f_set} = {1'b1, f_mask == '1 && PATTERNS != 0, PATTERNS != 0};
    f_line = '0;
    for (int l = 0; l < LANES; l++) begin
      if (f_mask[l] && f_data[l*32 +: 32] != f_first) f_same = 1'b0;
      if (f_mask[l] && f_data[l*32 +: 32] != '0 && f_data[l*32 +: 32] != '1) f_set = 1'b0;
      if (l > 0 && f_data[l*32 +: 32] - f_data[l*32-32 +: 32] != f_data[63:32] - f_data[31:0])
        f_grows = 1'b0;
      if (f_lane == LW'(l)) f_line = up_body_o[31:0] + 32'(l) * up_body_o[63:32];
    end
  end

  // COMPRESS: lanes that have not moved
  logic [LANES-1:0] f_left;
  assign f_left = todo_q | LANES'(1) << lane_q | LANES'(two_q) << lane2_q;

  logic f_linear, f_bits;
  logic [4:0] f_len;
  assign f_linear = up_head_o[tsv_pkg::UP_REGD_LINEAR_LSB];
  assign f_bits = up_head_o[tsv_pkg::UP_REGD_BITS_LSB];
  assign f_len = up_head_o[tsv_pkg::UP_ANY_LEN_LSB +: 5];
  always @(posedge clk_i) if (rst_ni) begin
    if (state_q == Pick || state_q == Compare || state_q == Compress) begin
      `CHK(mask_and_tag, mask_q == f_mask && full_q == (f_mask == '1) && tag_q == f_tag &&
                         f_mask != '0)
      `CHK(the_next_lane_is_of_the_mask, f_mask[lane_q])
      `CHK(those_from_it_on_have_not_moved, f_left == (f_mask & ~f_below(lane_q)))
      `CHK(the_second_one_comes_next, two_q ? lane2_q > lane_q && f_mask[lane2_q] &&
           todo_q == (f_mask & ~f_below(lane2_q) & ~(LANES'(1) << lane2_q)) : todo_q == '0)
    end
    if (state_q == Pick || state_q == Compare) begin
      `CHK(the_register_as_it_came, up_body_o == f_data && f_left == f_mask)
    end
    if (state_q == Compare) begin
      `CHK(word_of_the_lowest_lane, word_q == f_first && at_q == '0)
    end
    if (state_q == Compress) begin
      `CHK(nothing_shorter, !f_same && !f_grows && !f_set)
      `CHK(counts_those_that_moved, !at_q[0] && {1'b0, at_q} + f_count(f_left) == f_count(f_mask))
      `CHK(its_word_goes_or_went, !f_mask[f_lane] ||
           up_body_o[{f_left[f_lane] ? f_lane : f_rank, 5'd0} +: 32] == f_word)
    end
    if (state_q == Up) begin
      `CHK(kind_and_tag, up_head_o[tsv_pkg::UP_ANY_KIND_LSB +: 4] == tsv_pkg::UP_REGD &&
                         up_head_o[tsv_pkg::UP_ANY_TAG_LSB +: 8] == f_tag)
      `CHK(linear_if_uniform_or_a_line, f_linear == (f_same || f_grows))
      `CHK(bits_if_a_mask, f_bits == (f_set && !f_same && !f_grows))
      `CHK(length, f_len == 5'(up_len_o) && f_len ==
                   (f_linear || f_bits ? 5'd1 : 5'((f_count(f_mask) + 1'b1) >> 1)))
      if (f_mask[f_lane]) begin
        `CHK(linear_gives_its_word, !f_linear || f_line == f_word)
        `CHK(bits_give_its_word, !f_bits || {32{up_body_o[f_lane]}} == f_word)
        `CHK(words_have_its_word, f_linear || f_bits ||
                                  up_body_o[{f_rank, 5'd0} +: 32] == f_word)
      end
      `CHK(bits_of_others_are_zero, !f_bits || (up_body_o[LANES-1:0] & ~f_mask) == '0)
    end
  end
  if (PATTERNS != 0) begin : g_proof
    always @(posedge clk_i) if (rst_ni && state_q == Compare) begin
      `CHK(step_of_the_first_lanes, g_patterns.stride == f_data[63:32] - f_data[31:0])
    end
  end
