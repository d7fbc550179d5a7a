// Proofs of regmove_wr, inside of its module: what is written to any one lane is what the packet
// says of it.
  (* anyconst *) logic [LW-1:0] f_lane;
  logic f_mine, f_linear, f_bits;  // the lane is in the mask of the packet that is under way
  logic [31:0] f_word0, f_step, f_word;  // words 0 and 1 of its body, and that of the lane
  logic [LW:0] f_rank;  // lanes of the mask below the lane
  always_comb begin
    f_rank = '0;
    for (int l = 0; l < LANES; l++)
      if (l < int'(f_lane)) f_rank = f_rank + (LW+1)'(mask[l]);
  end
  always @(posedge clk_i) if (take) begin
    f_mine <= mask[f_lane];
    f_linear <= linear;
    f_bits <= bits;
    f_word0 <= wr_body_i[31:0];
    f_step <= PATTERNS != 0 ? wr_body_i[63:32] : '0;
    f_word <= wr_body_i[{f_rank[LW-1:0], 5'd0} +: 32];
  end

  logic [31:0] f_data, f_sum;
  assign f_data = w_data_o[{f_lane, 5'd0} +: 32];
  always_comb begin
    f_sum = f_word0;
    for (int k = 0; k < LW; k++) if (f_lane[k]) f_sum = f_sum + (f_step << k);
  end
