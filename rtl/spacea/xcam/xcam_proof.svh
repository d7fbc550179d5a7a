// Proofs of xcam, inside of its module.

  // ---- any one line: what was filled last, since nothing was valid
  (* anyconst *) logic [KEY-1:0] f_key;
  logic f_look, f_fill, f_on;
  logic [255:0] f_data;
  logic [WAYS-1:0] f_there;  // ways that have it
  logic [RW-1:0] f_row;
  assign f_look = look_valid_i && look_key_i == f_key;
  assign f_fill = fill && fill_key_i == f_key;
  assign f_set = f_key[SW-1:0];
  always_comb
    for (int w = 0; w < WAYS; w++)
      f_there[w] = f_valid[w] && f_tags[w*TW +: TW] == f_key[KEY-1 -: TW];
  assign f_row = RW'(WAYS) * RW'(f_set) + RW'(number(f_there));
  logic [255:0] f_line;
  always_comb begin
    f_line = '0;
    for (int r = 0; r < SETS * WAYS; r++) if (f_row == RW'(r)) f_line = f_words[256*r +: 256];
  end
  always @(posedge clk_i)
    if (!rst_ni || clear_i) f_on <= 1'b0;
    else if (f_fill) f_on <= 1'b1;
  always @(posedge clk_i) if (f_fill) f_data <= fill_data_i;

  // ---- its look: the answer of the last edge
  logic f_asked, f_found, f_could, f_must;
  logic [255:0] f_want;
  always @(posedge clk_i) begin
    f_asked <= rst_ni && f_look;
    f_could <= f_on;
    f_must <= f_on && f_others < OW'(WAYS);
    f_want <= f_data;
    f_found <= f_there != '0;
    if (rst_ni && f_asked) begin
      `CHK(hits_if_it_is_there, ans_hit_o == f_found)
      `CHK(a_hit_was_filled, !ans_hit_o || f_could)
      `CHK(a_hit_gives_what_was_filled_last, !ans_hit_o || ans_data_o == f_want)
      `CHK(it_stays_until_as_many_others_were_used, !f_must || ans_hit_o)
    end
    `CHK(a_look_is_answered, !f_asked || !rst_ni || ans_valid_o)
  end

  // ---- how often other lines of its set were used since it was, up to WAYS
  localparam int OW = $clog2(WAYS + 1);
  logic [OW-1:0] f_others, f_more;
  logic f_other_look, f_other_fill;
  assign f_other_look = hit && look_set == f_set && look_key_i != f_key;
  assign f_other_fill = fill && fill_set == f_set && fill_key_i != f_key;
  // a look of it comes before a fill of the same edge
  assign f_more = f_fill ? '0 : OW'(f_other_fill) +
                  (hit && f_look ? '0 : OW'(f_other_look));
  always @(posedge clk_i)
    if (!rst_ni || f_fill) f_others <= '0;
    else if (hit && f_look) f_others <= f_more;
    else f_others <= f_others >= OW'(WAYS) - f_more ? OW'(WAYS) : f_others + f_more;

  // ---- what makes it inductive
  logic [PAIRS-1:0] f_order;
  for (genvar p = 0; p < PAIRS; p++) begin : g_f_order
    assign f_order[p] = g_order[p].after_q[f_set];
  end
  function automatic f_after(input [PAIRS-1:0] order, input int i, input int j);
    if (i < j) f_after = order[j * (j - 1) / 2 + i];
    else f_after = i != j && !order[i * (i - 1) / 2 + j];
  endfunction
  logic f_total, f_old, f_few, f_differ;
  logic [OW-1:0] f_newer;  // ways that were used after the one that has the line
  always_comb begin
    f_total = 1'b1;
    f_old = 1'b1;
    f_differ = 1'b1;
    f_newer = '0;
    for (int i = 0; i < WAYS; i++)
      for (int j = 0; j < WAYS; j++) begin
        if (f_after(f_order, i, j) && f_valid[j] && !f_valid[i]) f_old = 1'b0;
        if (i < j && f_valid[i] && f_valid[j] && f_tags[i*TW +: TW] == f_tags[j*TW +: TW])
          f_differ = 1'b0;
        if (f_there[j] && f_after(f_order, i, j)) f_newer = f_newer + 1'b1;
        for (int k = 0; k < WAYS; k++)
          if (f_after(f_order, i, j) && f_after(f_order, j, k) && !f_after(f_order, i, k))
            f_total = 1'b0;
      end
    f_few = f_newer <= f_others;
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(no_two_ways_of_a_set_have_the_same_tag, f_differ)
    `CHK(one_way_gives_place, !fill || fill_set != f_set ||
                              place != '0 && (place & (place - 1'b1)) == '0)
    `CHK(one_way_at_most, (f_there & (f_there - 1'b1)) == '0)
    `CHK(only_if_filled, f_there == '0 || f_on)
    `CHK(there_until_others_were_used, !f_on || f_others == OW'(WAYS) || f_there != '0)
    `CHK(gives_place_to_another_only, !f_stays || f_there != '0)
    `CHK(its_way_has_its_data, f_there == '0 || f_line == f_data)
    `CHK(an_order, f_total)
    `CHK(ways_that_are_not_valid_come_first, f_old)
    `CHK(newer_ones_were_used, f_there == '0 || f_few)
    `CHK(others_in_range, f_others <= OW'(WAYS))
    `COV(filled_again_and_hit_at_the_last_moment, f_asked && ans_hit_o && f_again && f_last)
    `COV(gives_place, f_on && f_there == '0)
    `COV(all_ways_valid_after_a_clear, f_cleared && f_valid == '1)
  end
  logic f_again, f_cleared, f_last, f_stays;
  always @(posedge clk_i)
    f_stays <= rst_ni && !clear_i && (f_fill || f_there != '0 && !fill);
  always @(posedge clk_i) f_last <= f_others == OW'(WAYS - 1);
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_again <= 1'b0;
      f_cleared <= 1'b0;
    end else begin
      f_again <= f_again || f_on && f_fill && fill_data_i != f_data;
      f_cleared <= f_cleared || clear_i && f_valid == '1;
    end
