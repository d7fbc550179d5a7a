// Proofs of fma64, inside of its module: latency; NaNs and infinities; a minimum, on its whole way.

  // ---- what entered, beside the stages
  logic [5:0] f_in, f_nan, f_inf, f_min;
  logic [63:0] f_least [0:5];
  logic [63:0] f_d;
  logic f_live;
  logic f_nan_a, f_nan_b, f_nan_c, f_inf_a, f_inf_b, f_inf_c, f_three, f_two, f_smaller;

  function automatic f_is_nan(input [63:0] x);
    f_is_nan = x[62:0] > {11'h7ff, 52'd0};
  endfunction
  function automatic f_is_inf(input [63:0] x);
    f_is_inf = x[62:0] == {11'h7ff, 52'd0};
  endfunction
  // in the order of the numbers, -0 below +0: negative ones count downwards
  function automatic [63:0] f_rank(input [63:0] x);
    f_rank = x[63] ? ~x : {1'b1, x[62:0]};
  endfunction
  always_comb begin
    f_three = op_i == fma64_pkg::FMA;
    f_two = op_i == fma64_pkg::FMA || op_i == fma64_pkg::MUL;
    f_nan_a = f_is_nan(a_i);
    f_nan_b = f_is_nan(b_i);
    f_nan_c = f_three && f_is_nan(c_i);
    f_inf_a = f_is_inf(a_i);
    f_inf_b = f_is_inf(b_i);
    f_inf_c = f_three && f_is_inf(c_i);
    f_smaller = f_rank(a_i) < f_rank(b_i);
  end
  always @(posedge clk_i) begin
    f_in <= rst_ni ? {f_in[4:0], valid_i} : 6'd0;
    f_live <= rst_ni;
    f_d <= d_o;
    f_min <= {f_min[4:0], op_i == fma64_pkg::MIN};
    f_nan <= {f_nan[4:0], op_i == fma64_pkg::MIN ? f_nan_a && f_nan_b :
              f_nan_a || f_nan_b || f_nan_c};
    f_inf <= {f_inf[4:0], op_i != fma64_pkg::MIN && (f_inf_a || f_inf_b || f_inf_c)};
    f_least[0] <= f_nan_a ? b_i : f_nan_b || f_smaller ? a_i : b_i;
    for (int k = 1; k < 6; k++) f_least[k] <= f_least[k-1];
  end

  // ---- a minimum in each stage: an addend of a product of zero
  logic [52:0] f_mc [0:5];
  logic [11:0] f_e [0:5];
  logic [105:0] f_p;
  logic [4:0] f_unused;
  always_comb begin
    for (int k = 0; k < 6; k++) begin
      f_mc[k] = {f_least[k][62:52] != '0, f_least[k][51:0]};
      f_e[k] = f_least[k][62:52] == '0 ? 12'd1 : {1'b0, f_least[k][62:52]};
    end
    {f_unused[4:2], f_p, f_unused[1:0]} =
        {36'd0, s0} + {36'd0, c0} + {18'd0, s1, 18'd0} + {18'd0, c1, 18'd0} + {s2, 36'd0} +
        {c2, 36'd0};
  end
  always @(posedge clk_i) if (rst_ni && f_live) begin
    if (f_in[0] && f_min[0] && !f_nan[0]) begin
      `CHK(min_has_no_product, f_p == '0)
      `CHK(min_is_the_addend, mc == f_mc[0] && away == '0 && top == f_e[0] && !sub_1 && !nan_1)
    end
    if (f_in[1] && f_min[1] && !f_nan[1])
      `CHK(min_stands_at_the_top, p_2 == '0 && x_2 == {f_mc[1], 111'd0} &&
           lim_2 == f_e[1] - 12'd1 && !sub_2)
    if (f_in[2] && f_min[2] && !f_nan[2])
      `CHK(min_plus_zero, x_3 == {f_mc[2], 111'd0} && lim_3 == f_e[2] - 12'd1 && !sub_3)
    if (f_in[3] && f_min[3] && !f_nan[3])
      `CHK(min_in_the_first_group, x_4 == {f_mc[3], 16'd0} && !rest_4 && group_4 == '0 &&
           lim_4 == f_e[3] - 12'd1 && limit_4 == (lim_4[11:4] == '0) && !sub_4)
    if (f_in[4] && f_min[4] && !f_nan[4])
      `CHK(min_is_not_moved, x_5 == {f_mc[4], 1'b0} && !rest_5 &&
           (e_5 == f_e[4] || !f_mc[4][52]))
  end
  logic [5:1] f_neg, f_isnan, f_isinf;  // of stage k, from the registers behind it
  always_comb begin
    f_neg = {neg_5, neg_4, neg_3, neg_2, neg_1};
    f_isnan = {nan_5, nan_4, nan_3, nan_2, nan_1};
    f_isinf = {inf_5, inf_4, inf_3, inf_2, inf_1};
  end
  always @(posedge clk_i) if (rst_ni && f_live) begin
    for (int k = 0; k < 5; k++) if (f_in[k]) begin
      `CHK(nan_travels, !f_nan[k] || f_isnan[k+1])
      `CHK(infinity_travels, !f_inf[k] || f_isnan[k+1] || f_isinf[k+1])
      `CHK(min_is_a_number, !f_min[k] || f_nan[k] || !f_is_nan(f_least[k]))
      `CHK(min_has_its_sign, !f_min[k] || f_nan[k] ||
           f_neg[k+1] == f_least[k][63] && !f_isnan[k+1] &&
           f_isinf[k+1] == f_is_inf(f_least[k]))
    end
  end

  // ---- results
  always @(posedge clk_i) if (rst_ni && f_live) begin
    `CHK(result_after_six_edges, valid_o == f_in[5])
    `CHK(inside_is_what_entered, valid_q == f_in)
    `CHK(result_holds, valid_o || d_o == f_d)
    `CHK(nan_gives_the_one_nan, !valid_o || !f_nan[5] || d_o == 64'h7ff8000000000000)
    `CHK(no_other_nan, !valid_o || d_o[62:52] != '1 || d_o[51:0] == '0 ||
         d_o == 64'h7ff8000000000000)
    `CHK(infinity_gives_no_number, !valid_o || !f_inf[5] || d_o[62:52] == '1)
    `CHK(min_is_the_smaller, !valid_o || !f_min[5] || f_nan[5] || d_o == f_least[5])
    `COV(back_to_back, valid_q == 6'h3f && d_o == 64'h3ff0000000000000)
    `COV(minimum, valid_o && f_min[5] && d_o == 64'h8000000000000000)
    `COV(subnormal, valid_o && !f_min[5] && d_o[62:52] == '0 && d_o[51:0] != '0)
    `COV(overflow, valid_o && !f_min[5] && !f_inf[5] && d_o == 64'hfff0000000000000)
  end
