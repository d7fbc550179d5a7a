// SPDX-License-Identifier: Apache-2.0
// bankctl_queue, what its entries know: of the newest one, which a request may join, and of the
// slots. Makes the proof with a scoreboard (bankctl_score.svh) inductive. Part of bankctl_queue.sv.
  for (genvar i = 0; i < N; i++) begin : f_knows
    always @(posedge clk_i) if (rst_ni && joins_q && newest[i])
      `CHK(knows_the_newest, row_q[RB*i +: RB] == last_row_q && col_q[CB*i +: CB] == last_col_q &&
           we_o[i] == last_we_q && id_q[6*i +: 6] == last_id_q && skew_q[2*i +: 2] == '0)
    for (genvar k = 0; k < 4; k++) begin : g_bank
      logic hits;
      logic [3:0] slots;  // those with its subarray
      always_comb begin
        hits = 1'b0;
        for (int s = 0; s < 4; s++) begin
          slots[s] = open_i[4*k+s] && rows_i[RB*(4*k+s) +: SB] == row_q[RB*i +: SB];
          if (open_i[4*k+s] && rows_i[RB*(4*k+s) +: RB] == row_q[RB*i +: RB]) hits = 1'b1;
        end
      end
      always @(posedge clk_i) if (rst_ni && waits_o[N*k+i]) begin
        `CHK(knows_a_hit, hit_o[N*k+i] == hits)
        for (int s = 0; s < 4; s++) begin
          `CHK(knows_its_subarray, at_o[N*(4*k+s)+i] == slots[s])
          `CHK(knows_where_it_closed, shut_o[N*(4*k+s)+i] ==
                                      (closed_i[SB*(4*k+s) +: SB] == row_q[RB*i +: SB]))
        end
      end
    end
  end
  always @(posedge clk_i) if (rst_ni && joins_q)
    `CHK(knows_the_banks_of_the_newest, valid_o != '0 && (banks_of_newest & ~banks_q) == '0)
