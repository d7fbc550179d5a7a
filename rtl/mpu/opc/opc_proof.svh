// SPDX-License-Identifier: Apache-2.0
// opc, what is proved of it for all time, part of opc.sv.
//
// 1. Nothing is dropped or duplicated: any one instruction (f_on) leaves beat by beat, in order,
//    each once, with what it brought, the registers that it asked for and the immediates that it
//    names, and stays in x until taken.
// 2. Order: an instruction for lsux leaves after those that were taken before it.
// 3. Nobody starves: any one collector (f_w) leaves within a bound of cycles in which x is free.
// The rest makes them inductive: it says what a state that can be reached looks like.

  // ---- 1. The register file holds its own numbers, and gives one in the cycle after a read.
  (* anyseq *) logic f_watch;
  logic f_on, f_done, f_hi_first, f_out;
  logic [1:0] f_slot, f_beat, f_beats, f_word, f_unit, f_imm_at;
  logic [2:0] f_use;
  logic [20:0] f_regs, f_want;
  logic [5:0] f_modes;
  logic [31:0] f_imm;
  logic [1:0] f_flags;
  logic [6:0] f_op, f_d;
  logic [4:0] f_typ, f_typ2, f_fn;
  logic [7:0] f_tag;
  logic [LANES-1:0] f_mask, f_pred;
  logic [19:0] f_row;  // rows that are read now
  logic f_had_three;  // of those before it
  logic [3:0] f_before;  // collectors for lsux that go before it
  logic [38:0] f_st;
  logic f_free;  // x is empty or taken
  assign f_free = x_valid_o == '0 || (x_valid_o & x_ready_i) != '0;
  assign f_st = f_state[39*f_slot +: 39];

  // an operand of the beat as it shall be: {known, value}
  function automatic [32:0] f_operand(input [1:0] x, input [1:0] mode, input is_read,
                                      input [6:0] register);
    logic named, low;
    named = f_imm_at == x + 2'd1 || x == 2'd2 && mode == 2'd2 && f_imm_at == 2'd1;
    low = mode == 2'd1 ? !f_word[0] : f_word[0];
    if (is_read) f_operand = {1'b1, 25'd0, register};
    else if (!named) f_operand = {1'b1, 32'd0};
    else f_operand = {mode == 2'd0 || mode != 2'd3 && f_beats != 2'd3,
                      mode == 2'd0 || low ? f_imm : {32{f_imm[31]}}};
  endfunction

  assign f_word = f_beat ^ {1'b0, f_hi_first};
  logic [98:0] f_opds, f_gives;
  for (genvar x = 0; x < 3; x++) begin : g_want
    assign f_want[7*x +: 7] = f_regs[7*x +: 7] | {5'd0,
      f_modes[2*x +: 2] == 2'd0 ? 2'd0 : f_modes[2*x +: 2] == 2'd1 ? f_word : f_word ^ 2'd1};
    assign f_opds[33*x +: 33] = f_operand(2'(x), f_modes[2*x +: 2], f_use[x], f_want[7*x +: 7]);
  end
  logic [2:0] f_x_unit;
  logic [1:0] f_x_beat;
  logic f_x_last;
  logic [6:0] f_x_dst;

  always @(posedge clk_i) begin
    for (int b = 0; b < 4; b++) if (en_q[b]) f_row[5*b +: 5] <= row_q[5*b +: 5];
    if (there_q[0]) assume (r0_data_i == (LANES*32)'({f_row[4:0], 2'd0}));
    if (there_q[1]) assume (r1_data_i == (LANES*32)'({f_row[9:5], 2'd1}));
    if (there_q[2]) assume (r2_data_i == (LANES*32)'({f_row[14:10], 2'd2}));
    if (there_q[3]) assume (r3_data_i == (LANES*32)'({f_row[19:15], 2'd3}));
    if (!rst_ni) begin
      f_on <= 1'b0;
      f_done <= 1'b0;
      f_out <= 1'b0;
    end else begin
      f_done <= 1'b0;
      if (f_free) f_out <= 1'b0;
      if (!f_on && !f_out && take != '0 && f_watch) begin
        f_on <= 1'b1;
        f_slot <= slot;
        f_beat <= '0;
        f_beats <= beats_i;
        f_hi_first <= hi_first_i;
        f_use <= use_i;
        f_regs <= {c_i, b_i, a_i};
        f_modes <= {c_mode_i, b_mode_i, a_mode_i};
        {f_unit, f_op, f_typ, f_typ2, f_fn, f_flags, f_d, f_tag, f_mask, f_pred} <=
          {unit_i, op_i, typ_i, typ2_i, fn_i, sat_i, ftz_i, d_i, tag_i, mask_i, pred_i};
        {f_imm, f_imm_at} <= {imm_i, imm_at_i};
        f_before <= valid & lsux & ~(go & last);
        f_had_three <= order_there && f_count == 3'd3 && !order_pop;
      end else if (f_on) begin
        if (go[f_slot]) begin
          f_out <= 1'b1;
          f_beat <= f_beat + 1'b1;
          f_on <= f_beat != f_beats;
          f_done <= f_beat == f_beats;
          f_gives <= f_opds;
          f_x_unit <= 3'd1 << f_unit;
          f_x_beat <= f_beat;
          f_x_last <= f_beat == f_beats;
          f_x_dst <= f_beats == 2'd0 ? f_d : f_d | {5'd0, f_word};
        end
        f_before <= f_before & ~(go & last);
      end

      if (f_on) begin
        `CHK(still_there, valid[f_slot])
        `CHK(knows_its_operands, f_st[38:6] == {f_hi_first, f_beats, f_use, f_modes, f_regs})
        `CHK(beats_in_order, beat[{f_slot, 1'b0} +: 2] == f_beat && f_beat <= f_beats)
        `CHK(carries_its_fields, {unit_q[f_slot], op_q[f_slot], typ_q[f_slot], typ2_q[f_slot],
          fn_q[f_slot], flags_q[f_slot], d_q[f_slot], tag_q[f_slot], mask_q[f_slot],
          pred_q[f_slot], modes_q[f_slot], imm_q[f_slot], imm_at_q[f_slot]} ==
          {f_unit, f_op, f_typ, f_typ2, f_fn, f_flags, f_d, f_tag, f_mask, f_pred, f_modes,
           f_imm, f_imm_at})
        for (int x = 0; x < 3; x++) begin
          if (f_st[3 + x] && f_use[x])
            `CHK(stored_as_asked, slot_q[4*x + 32'(f_slot)] == (LANES*32)'(f_want[7*x +: 7]))
          for (int b = 0; b < 4; b++) begin
            if (en_q[b] && who1_q[4*b +: 4] == {f_slot, 2'(x)})
              `CHK(asks_for_its_register, {row_q[5*b +: 5], 2'(b)} == f_want[7*x +: 7])
            if (there_q[b] && who2_q[4*b +: 4] == {f_slot, 2'(x)})
              `CHK(reads_its_register, {f_row[5*b +: 5], 2'(b)} == f_want[7*x +: 7])
          end
        end
        if (go[f_slot]) `CHK(only_one_goes, go == 4'd1 << f_slot)
      end
      if (f_out) begin
        `CHK(in_x_for_its_unit, x_valid_o == f_x_unit)
        `CHK(in_x_as_it_came, {x_op_o, x_typ_o, x_typ2_o, x_fn_o, x_sat_o, x_ftz_o, x_tag_o,
                               x_mask_o, x_pred_o} ==
          {f_op, f_typ, f_typ2, f_fn, f_flags, f_tag, f_mask, f_pred} && x_lut_o == f_imm[7:0])
        `CHK(in_x_its_beat, {x_beat_o, x_last_o, x_dst_o} == {f_x_beat, f_x_last, f_x_dst})
        `CHK(in_x_its_operands, (!f_gives[32] || x_a_o == {LANES{f_gives[31:0]}}) &&
          (!f_gives[65] || x_b_o == {LANES{f_gives[64:33]}}) &&
          (!f_gives[98] || x_c_o == {LANES{f_gives[97:66]}}))
      end
    end
  end

  // ---- what is in flight: reads of collector i for operand x
  for (genvar i = 0; i < N; i++) begin : g_flight
    logic [38:0] st;
    assign st = f_state[39*i +: 39];
    for (genvar x = 0; x < 3; x++) begin : g_x
      logic [3:0] n;
      always_comb begin
        n = '0;
        for (int b = 0; b < 4; b++)
          n = n + {3'd0, en_q[b] && who1_q[4*b +: 4] == {2'(i), 2'(x)}} +
              {3'd0, there_q[b] && who2_q[4*b +: 4] == {2'(i), 2'(x)}};
      end
      always @(posedge clk_i) if (rst_ni) begin
        `CHK(one_read_for_each_asked, n == {3'd0, valid[i] && st[x] && !st[3 + x]})
        `CHK(asked_if_used, !valid[i] || (!st[x] || st[33 + x]) && (!st[3 + x] || st[x]))
      end
    end
    always @(posedge clk_i) if (rst_ni)
      `CHK(beats_that_are_there, !valid[i] || st[37:36] != 2'd2 && beat[2*i +: 2] <= st[37:36])
  end
  for (genvar b = 0; b < 4; b++) begin : g_who
    always @(posedge clk_i) if (rst_ni)
      `CHK(reads_are_for_operands, (!en_q[b] || who1_q[4*b +: 2] != 2'd3) &&
           (!there_q[b] || who2_q[4*b +: 2] != 2'd3))
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(locked_between_beats, lock_q == {valid[3] && beat[7:6] != 2'd0,
                                          valid[2] && beat[5:4] != 2'd0,
                                          valid[1] && beat[3:2] != 2'd0,
                                          valid[0] && beat[1:0] != 2'd0})
    `CHK(one_lock, (lock_q & (lock_q - 1'b1)) == '0)
  end

  // ---- 2. The queue holds the collectors for lsux, each once, oldest first
  logic [3:0] f_queued;
  logic f_twice, f_placed;  // somebody is in it twice; the watched one is behind those before it
  always_comb begin
    f_queued = '0;
    f_twice = 1'b0;
    f_placed = 1'b0;
    for (int k = 0; k < 4; k++)
      if (3'(k) < f_count) begin
        if (f_words[2*k +: 2] == f_slot && f_queued == f_before) f_placed = 1'b1;
        f_twice = f_twice || f_queued[f_words[2*k +: 2]];
        f_queued[f_words[2*k +: 2]] = 1'b1;
      end
  end
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(queued_once, f_count <= 3'd4 && !f_twice && f_queued == (valid & lsux))
    for (int i = 0; i < 4; i++) if (lock_q[i] && lsux[i]) `CHK(lock_of_the_oldest, oldest == 2'(i))
    if (f_on && f_unit == UnitLsux) begin
      `CHK(after_those_before, f_placed)
      if (go[f_slot]) `CHK(memory_order, f_before == '0)
    end
  end

  // ---- 3. Nobody starves. f_age counts the cycles with x free since collector f_w took its
  // instruction. What it still has to wait for at most (f_rest) falls with each of them. A beat
  // gathers for 14 cycles at most: three operands in one bank, four collectors, two cycles of
  // reading. A turn at x takes 46 at most: a beat that is complete, three more of 15 each. One that
  // need not wait for lsux: 14 to gather, 45 for the rest of who has x, 3 turns of others, 46 for
  // its own.
  localparam int FGather = 14, FBeat = FGather + 1, FTurn = 1 + 3 * FBeat,
      FOne = FGather + FTurn - 1 + 4 * FTurn;
  (* anyconst *) logic [1:0] f_w;
  logic [10:0] f_age, f_rest, f_limit;
  logic [4:0] f_gathers;  // cycles since the beat began

  function automatic [1:0] f_turn(input [1:0] who, input [3:0] after);
    f_turn = who - (after[0] ? 2'd0 : after[1] ? 2'd1 : after[2] ? 2'd2 : after[3] ? 2'd3 : 2'd0);
  endfunction
  // cycles until the beat of a collector is complete
  logic [4*4-1:0] f_wait;
  for (genvar i = 0; i < N; i++) begin : g_waits
    logic [3:0] waits, t;
    logic [2:0] here;
    always_comb begin
      waits = '0;
      here = '0;
      t = '0;
      for (int b = 0; b < 4; b++) begin
        here = f_here[12*i + 3*b +: 3];
        t = here != '0 ? 4'({2'd0, here[0]} + {2'd0, here[1]} + {2'd0, here[2]} - 3'd1) * 4'd4 +
                         {2'd0, f_turn(2'(i), f_after[4*b +: 4])} + 4'd3 :
            en_q[b] && who1_q[4*b + 2 +: 2] == 2'(i) ? 4'd2 :
            there_q[b] && who2_q[4*b + 2 +: 2] == 2'(i) ? 4'd1 : 4'd0;
        // a bank may have all three in sequence
        if (en_q[b] && who1_q[4*b + 2 +: 2] == 2'(i) && t < 4'd2) t = 4'd2;
        if (t > waits) waits = t;
      end
    end
    assign f_wait[4*i +: 4] = waits;
  end
  // once x is its own: cycles with x free waits it leaves
  function automatic [10:0] f_own(input [1:0] i);
    f_own = 11'(FBeat) * {9'd0, f_state[39*i + 36 +: 2] - beat[{i, 1'b0} +: 2]} + 11'd1 +
            {7'd0, f_wait[4*i +: 4]};
  endfunction

  logic [1:0] f_e, f_place;  // whom it has to wait for first: itself, or the oldest for lsux
  logic [10:0] f_lock;
  always_comb begin
    f_place = '0;
    for (int k = 1; k < 4; k++) if (3'(k) < f_count && f_words[2*k +: 2] == f_w) f_place = 2'(k);
    if (!lsux[f_w]) f_place = '0;
    f_e = f_place != '0 ? oldest : f_w;
    f_lock = lock_q[0] ? f_own(2'd0) : lock_q[1] ? f_own(2'd1) : lock_q[2] ? f_own(2'd2) :
             lock_q[3] ? f_own(2'd3) : '0;
    f_rest = lock_q[f_e] ? f_own(f_e) :
             !complete[f_e] ? f_own(f_e) + 11'(FTurn - 1 + 3 * FTurn) :
                              f_own(f_e) + f_lock + 11'(FTurn) * {9'd0, f_turn(f_e, f_turns)};
    f_rest = f_rest + 11'(FOne) * {9'd0, f_place};
    f_limit = lsux[f_w] ? 11'(4 * FOne) : 11'(FOne);
  end
  always @(posedge clk_i) begin
    if (!rst_ni || !valid[f_w]) begin
      f_age <= '0;
      f_gathers <= '0;
    end else begin
      f_age <= go[f_w] && last[f_w] ? '0 : f_age + {10'd0, f_free};
      f_gathers <= go[f_w] ? '0 : complete[f_w] ? f_gathers : f_gathers + 1'b1;
    end
    if (rst_ni && valid[f_w]) begin
      `CHK(gathers_in_time, f_gathers <= 5'(FGather))
      `CHK(leaves_in_time, f_age < f_limit)
      `CHK(gathering_goes_on, f_gathers + {1'b0, f_wait[4*f_w +: 4]} <= 5'(FGather))
      `CHK(it_is_known_when_complete, complete[f_w] == (f_wait[4*f_w +: 4] == '0))
      `CHK(turns_come, f_age + f_rest <= f_limit)
    end
    if (rst_ni) for (int i = 0; i < 4; i++)
      if (lock_q[i]) `CHK(turn_of_the_others_next, f_turn(2'(i), f_turns) == 2'd3)
  end
  always @(posedge clk_i) if (rst_ni) begin
    `COV(the_last_of_four_for_lsux, f_done && f_unit == UnitLsux && f_had_three)
    `COV(stands_in_x, f_out && !f_free && valid == '1)
    `COV(other_word_first, f_done && f_hi_first && f_beats == 2'd1 && f_modes == 6'b100110 &&
         f_use == 3'd5)
  end
