// Proofs of spe_queue, part of that of spe: the element that is watched there. A read gives the
// words and the X that came last for it, before the edge of the read. The memories keep any one
// row each (tb/formal/spe): those of the element.

  logic [7:0] f_slot;
  assign f_slot = f_slot_i;
  logic [6:0] f_first;  // its first word
  logic [2:0] f_known = '0;  // its words came
  logic [31:0] f_came[0:2], f_holds[0:2];  // its words: as they came, as the memories have them
  logic f_right[0:2];  // the memory keeps that word
  logic f_x_known = 1'b0, f_read = 1'b0, f_read_x = 1'b0;
  logic [63:0] f_x;
  logic [159:0] f_want;
  assign f_first = 7'd1 + 7'(f_slot[7:3]) + {1'b0, f_slot[7:3], 1'b0};
  for (genvar w = 0; w < 3; w++) begin : g_f_word
    logic [6:0] word;
    assign word = f_first + 7'(w);
    always_comb begin
      f_holds[w] = '0;
      f_right[w] = 1'b0;
      for (int m = 0; m < 8; m++)
        if (word[2:0] == 3'(m)) begin
          f_holds[w] = f_words[2048*m +: 32];
          f_right[w] = f_words[2048*m+32 +: 6] == {f_slot[2:0], word[5:3]};
        end
    end
    always @(posedge clk_i)
      if (beat_valid_i && beat_row_i == {f_slot[2:0], word[5:3]}) begin
        f_known[w] <= 1'b1;
        f_came[w] <= beat_data_i[32*word[2:0] +: 32];
      end
  end
  always @(posedge clk_i) begin
    if (put_valid_i && put_slot_i == f_slot) begin
      f_x_known <= 1'b1;
      f_x <= put_value_i;
    end
    if (read_i) begin
      f_read <= slot_i == f_slot && f_known == '1;
      f_read_x <= slot_i == f_slot && f_x_known;
      f_want <= {f_x, f_came[2], f_came[1], f_came[0]};
    end
  end
  assign f_state_o = {f_want, f_came[2], f_came[1], f_came[0], f_x, f_known, f_x_known, f_read,
                      f_read_x};
  always @(posedge clk_i) begin
    assume (f_right[0] && f_right[1] && f_right[2] && f_of_x[64 +: 8] == f_slot);
    `CHK(words_as_they_came, !f_read || {value_o, column_o} == f_want[95:0])
    `CHK(x_as_it_was_put, !f_read_x || x_o == f_want[159:96])
    for (int w = 0; w < 3; w++) `CHK(holds_its_words, !f_known[w] || f_holds[w] == f_came[w])
    `CHK(holds_its_x, !f_x_known || f_of_x[63:0] == f_x)
    `CHK(knows_where_they_are, !f_read || first_q == f_first[2:0])
  end
