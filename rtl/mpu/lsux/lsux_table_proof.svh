// Proofs of lsux_table, inside of its module: any one access, from its entry to its end.

  localparam int FLW = $clog2(LANES);
  localparam logic [1:0] FBanks = 2'd0, FShared = 2'd1, FGive = 2'd2;
  (* anyseq *) logic f_watch;  // the access that enters is the one
  (* anyseq *) logic [1:0] f_by;  // who answers it: sectors, shared memory, the end of a request
  (* anyseq *) logic [3:0] f_which;  // the sectors that will come
  (* anyconst *) logic [FLW-1:0] f_lane;  // any lane
  (* anyconst *) logic [4:0] f_i;  // any bit of its word
  (* anyconst *) logic [7:0] f_bit;  // any bit of a sector

  function automatic [2:0] f_ones(input [3:0] set);
    f_ones = {2'd0, set[0]} + {2'd0, set[1]} + {2'd0, set[2]} + {2'd0, set[3]};
  endfunction
  // bit i of what a lane gets of a sector: byte `at` and those behind it, extended
  function automatic f_loaded(input [255:0] data, input [4:0] at, input [3:0] mtype, input [4:0] i);
    logic [4:0] top;  // the highest bit that is loaded
    logic sgn;
    top = mtype == tsv_pkg::MTYPE_U8 || mtype == tsv_pkg::MTYPE_S8 ? 5'd7 :
          mtype == tsv_pkg::MTYPE_U16 || mtype == tsv_pkg::MTYPE_S16 ? 5'd15 : 5'd31;
    sgn = mtype == tsv_pkg::MTYPE_S8 || mtype == tsv_pkg::MTYPE_S16;
    f_loaded = i <= top ? data[{at, 3'd0} + 8'(i)] : sgn && data[{at, 3'd0} + 8'(top)];
  endfunction

  function automatic f_aligned(input [1:0] at, input [3:0] mtype);
    f_aligned = mtype == tsv_pkg::MTYPE_U8 || mtype == tsv_pkg::MTYPE_S8 ||
                !at[0] && (mtype == tsv_pkg::MTYPE_U16 || mtype == tsv_pkg::MTYPE_S16 || !at[1]);
  endfunction

  // ---- the access: it is in the table, on w, its completion waits, is on done, or it is on up
  logic f_on, f_in, f_w, f_wait, f_done, f_up;
  logic [EW-1:0] f_entry;
  logic [EW:0] f_ahead;  // accesses that entered before it and have not left
  logic [2:0] f_type, f_word, f_missing;
  logic f_last;
  logic [7:0] f_tag;
  logic [6:0] f_reg, f_pos;
  logic [LANES-1:0] f_mask;
  logic [3:0] f_mtype, f_chunks, f_left;  // left: sectors that have not come
  logic [1:0] f_source;
  logic f_got, f_value;  // the lane has got its word; the bit of it
  logic f_kept, f_sector;  // a sector, old value or fault has come; the bit of it

  logic f_take, f_leaves, f_rsp, f_fill, f_give, f_old, f_mine, f_done_free;
  assign f_take = alloc_i && f_watch && !f_on;
  assign f_leaves = f_in && f_ahead == '0 && retire;
  assign f_rsp = f_in && rsp_valid_i && rsp_entry_i == f_entry;
  assign f_fill = f_in && fill_valid_i && fill_entry_i == f_entry;
  assign f_give = f_in && give_valid_i && give_entry_i == f_entry;
  assign f_old = f_in && old_valid_i && old_entry_i == f_entry;
  assign f_mine = f_mask[f_lane];
  assign f_done_free = !done_valid_o || done_ready_i;

  logic [6:0] f_alloc_pos;
  assign f_alloc_pos = alloc_pos_i[32'(f_lane) * 7 +: 7];

  always @(posedge clk_i)
    if (!rst_ni) {f_on, f_in, f_w, f_wait, f_done, f_up} <= '0;
    else begin
      if (f_take) begin
        f_on <= 1'b1;
        f_in <= 1'b1;
        f_entry <= alloc_entry_o;
        f_ahead <= f_used - (EW+1)'(retire);
        f_type <= alloc_type_i;
        f_last <= alloc_last_i;
        f_tag <= alloc_tag_i;
        f_reg <= alloc_reg_i;
        f_mask <= alloc_mask_i;
        f_mtype <= alloc_mtype_i;
        f_chunks <= alloc_chunks_i;
        f_word <= alloc_word_i;
        f_pos <= f_alloc_pos;
        f_missing <= alloc_pend_i;
        f_left <= f_which;
        f_source <= f_by;
        f_got <= 1'b0;
        f_kept <= 1'b0;
      end
      if (f_in) begin
        f_missing <= f_missing - 3'(f_rsp) - 3'(f_fill) - 3'(f_give);
        if (retire) f_ahead <= f_ahead - 1'b1;
        if (f_rsp) begin
          f_left[rsp_sector_i] <= 1'b0;
          if (f_type != lsux_pkg::TO_REG) begin
            f_kept <= 1'b1;
            f_sector <= rsp_data_i[f_bit];
          end else if (f_mine && f_pos[6:5] == rsp_sector_i) begin
            f_got <= 1'b1;
            f_value <= f_loaded(rsp_data_i, f_pos[4:0], f_mtype, f_i);
          end
        end
        if (f_fill && fill_fault_i) begin
          f_type <= lsux_pkg::TO_FAULT;
          f_kept <= 1'b1;
          f_sector <= f_bit < 8'd64 && fill_data_i[f_bit[5:0]];
        end else if (f_fill && f_mine) begin
          f_got <= 1'b1;
          f_value <= fill_data_i[{f_lane, f_i}];
        end
        if (f_old) begin
          f_kept <= 1'b1;
          f_sector <= f_bit < 8'd32 && old_data_i[f_bit[4:0]];
          if (old_lane_i == f_lane) begin
            f_got <= 1'b1;
            f_value <= old_data_i[f_i];
          end
        end
      end
      if (f_leaves) begin
        f_in <= 1'b0;
        f_w <= f_type == lsux_pkg::TO_REG;
        f_done <= f_type == lsux_pkg::TO_NONE && f_last;
        f_up <= f_type == lsux_pkg::TO_DATA || f_type == lsux_pkg::TO_WORD ||
                f_type == lsux_pkg::TO_FAULT && f_last;
      end
      if (f_w && w_done_i) begin
        f_w <= 1'b0;
        f_wait <= f_last && !f_done_free;
        f_done <= f_last && f_done_free;
      end
      if (f_wait && f_done_free) begin
        f_wait <= 1'b0;
        f_done <= 1'b1;
      end
      if (f_done && done_ready_i) f_done <= 1'b0;
      if (f_up && up_ready_i) f_up <= 1'b0;
    end

  // ---- what lsux promises of each access: how many sectors come, and that each comes once
  always @(posedge clk_i) if (rst_ni) begin
    if (f_take) begin
      `ASM(types, alloc_type_i <= lsux_pkg::TO_WORD)
      `ASM(answers, f_by == FBanks && alloc_pend_i == f_ones(f_which) && f_which != '0 &&
             alloc_type_i != lsux_pkg::TO_NONE &&
             (alloc_type_i == lsux_pkg::TO_REG || alloc_pend_i == 3'd1) ||
           f_by == FShared && alloc_pend_i == 3'd1 && alloc_type_i <= lsux_pkg::TO_NONE ||
           f_by == FGive && alloc_pend_i == 3'd1 && alloc_type_i != lsux_pkg::TO_DATA)
      if (f_by == FBanks && alloc_type_i == lsux_pkg::TO_REG && alloc_mask_i[f_lane]) begin
        `ASM(sectors_of_the_lanes_come, f_which[f_alloc_pos[6:5]])
        `ASM(places_are_aligned, f_aligned(f_alloc_pos[1:0], alloc_mtype_i))
      end
    end
    if (f_rsp) `ASM(each_sector_comes_once, f_source == FBanks && f_left[rsp_sector_i])
    if (f_fill) `ASM(shared_memory_answers_its_own, f_source == FShared)
    if (f_give) `ASM(ends_when_all_old_values_have_come, f_source == FGive &&
                     (f_type != lsux_pkg::TO_REG || !f_mine || f_got) &&
                     (f_type != lsux_pkg::TO_WORD || f_kept))
    if (f_old) `ASM(old_values_of_atomics, f_source == FGive && f_type != lsux_pkg::TO_NONE)
  end

  // ---- in the table
  logic f_full;  // nothing that it needs stands in its way (rule 10)
  always_comb
    case (f_type)
      lsux_pkg::TO_REG: f_full = w_valid_o || f_waits;
      lsux_pkg::TO_NONE: f_full = w_valid_o || f_waits || f_last && !f_done_free;
      lsux_pkg::TO_FAULT: f_full = f_last && up_valid_o && !up_ready_i;
      default: f_full = up_valid_o && !up_ready_i;
    endcase
  always @(posedge clk_i) if (rst_ni && f_in) begin
    `CHK(has_its_place, f_ahead < used_q && f_entry == EW'(head_q + f_ahead))
    `CHK(is_as_it_came, type_q[f_entry] == f_type && last_q[f_entry] == f_last &&
         tag_q[f_entry] == f_tag && reg_q[f_entry] == f_reg && mask_q[f_entry] == f_mask &&
         mtype_q[f_entry] == f_mtype && chunks_q[f_entry] == f_chunks &&
         word_q[f_entry] == f_word && pos_q[f_entry][32'(f_lane) * 7 +: 7] == f_pos)
    `CHK(misses_what_has_not_come, pend_q[32'(f_entry) * 3 +: 3] == f_missing)
    `CHK(leaves_with_all_answers, !f_leaves || f_missing == '0)
    `CHK(leaves_as_soon_as_it_may, f_ahead != '0 || retire == (f_missing == '0 && !f_full))
    `CHK(keeps_the_word, !f_got || f_words[{f_entry, f_lane, f_i}] == f_value)
    `CHK(keeps_the_sector, !f_kept || sector_q[f_entry][f_bit] == f_sector)
    // what the answers are, so far
    `CHK(sectors_are_missing, f_source != FBanks || f_missing == f_ones(f_left))
    `CHK(one_is_missing, f_source == FBanks || f_missing <= 3'd1)
    `CHK(types_of_answers, f_source == FBanks ?
           f_type != lsux_pkg::TO_NONE && f_type <= lsux_pkg::TO_WORD : f_source == FShared ?
           f_type <= lsux_pkg::TO_NONE || f_type == lsux_pkg::TO_FAULT && f_missing == '0 :
           f_source == FGive && f_type <= lsux_pkg::TO_WORD && f_type != lsux_pkg::TO_DATA)
    `CHK(has_or_misses_the_word, f_type != lsux_pkg::TO_REG || !f_mine || f_got ||
         (f_source == FBanks ? f_left[f_pos[6:5]] : f_missing != '0))
    `CHK(its_place_is_aligned, f_source != FBanks || f_type != lsux_pkg::TO_REG || !f_mine ||
                               f_aligned(f_pos[1:0], f_mtype))
    `CHK(has_or_misses_the_sector, f_type <= lsux_pkg::TO_NONE || f_kept || f_missing != '0)
  end

  // ---- on its way out
  logic [2:0] f_place;  // pieces below the one of the bit
  logic [7:0] f_above;
  assign f_place = f_ones(f_chunks & ~(4'd15 << f_bit[7:6]));
  assign f_above = {f_bit[7:6], f_bit[5:0]};
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(is_in_one_place, ({f_in, f_w, f_wait, f_done, f_up} &
                           ({f_in, f_w, f_wait, f_done, f_up} - 5'd1)) == '0 &&
                          (f_on || {f_in, f_w, f_wait, f_done, f_up} == '0))
    if (f_w) begin
      `CHK(writes_its_register, w_valid_o && w_reg_o == f_reg && w_mask_o == f_mask)
      `CHK(writes_the_word_of_a_lane, !f_mine || w_data_o[{f_lane, f_i}] == f_value)
      `CHK(will_tell_its_tag, w_last_q == f_last && w_tag_q == f_tag)
      `CHK(is_not_done_before_it_was_written, !f_wait && !f_done)
    end
    if (f_wait) `CHK(waits_for_another_one, wait_q && w_tag_q == f_tag && done_valid_o && f_last)
    if (f_done) `CHK(is_done_with_its_tag, done_valid_o && done_tag_o == f_tag && f_last)
    if (f_w || f_wait) `CHK(no_completion_passes, !to_w && !to_done)
    if (f_up) begin
      `CHK(goes_up_with_its_tag, up_valid_o && up_head_o[tsv_pkg::UP_ANY_TAG_LSB +: 8] == f_tag)
      case (f_type)
        lsux_pkg::TO_DATA: begin
          `CHK(data_have_a_head, up_head_o == {43'd0, f_chunks, 2'd0, up_len_o, f_tag,
               tsv_pkg::UP_DATA} && up_len_o == f_ones(f_chunks))
          `CHK(pieces_of_the_sector_go_up, !f_chunks[f_bit[7:6]] ||
               up_body_o[{f_place[1:0], f_bit[5:0]}] == f_sector)
          `CHK(zeros_behind_them, {1'b0, f_above[7:6]} < up_len_o || !up_body_o[f_above])
        end
        lsux_pkg::TO_WORD: begin
          `CHK(a_word_has_a_head, up_head_o[31:0] == {20'd0, f_tag, tsv_pkg::UP_WORD} &&
               up_len_o == '0)
          `CHK(the_word_goes_up, f_bit[7:5] != f_word ||
               up_head_o[{1'b1, f_bit[4:0]}] == f_sector)
        end
        default: begin
          `CHK(a_fault_has_a_head, f_type == lsux_pkg::TO_FAULT && f_last && up_len_o == '0 &&
               up_head_o[16:0] == {5'd0, f_tag, tsv_pkg::UP_FAULT} && up_head_o[31:23] == '0)
          `CHK(the_address_goes_up, f_bit >= 8'd32 ||
               up_head_o[{1'b1, f_bit[4:0]}] == f_sector)
          `CHK(the_lane_goes_up, f_bit < 8'd32 || f_bit >= 8'd38 ||
               up_head_o[6'd17 + {1'b0, f_bit[4:0]}] == f_sector)
        end
      endcase
    end
  end

  // ---- all accesses: those that entered and have not left, and what they owe
  logic [EW:0] f_used;
  logic [2:0] f_writes, f_dones, f_ups;
  logic f_waits;  // a completion waits
  logic f_reg_leaves, f_done_leaves, f_up_leaves;
  assign f_reg_leaves = retire && kind == lsux_pkg::TO_REG;
  assign f_done_leaves = retire && last_q[head_q] &&
                         (kind == lsux_pkg::TO_REG || kind == lsux_pkg::TO_NONE);
  assign f_up_leaves = retire && (kind == lsux_pkg::TO_DATA || kind == lsux_pkg::TO_WORD ||
                                  kind == lsux_pkg::TO_FAULT && last_q[head_q]);
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_used <= '0;
      f_writes <= '0;
      f_dones <= '0;
      f_ups <= '0;
      f_waits <= 1'b0;
    end else begin
      f_used <= f_used + (EW+1)'(alloc_i) - (EW+1)'(retire);
      f_writes <= f_writes + 3'(f_reg_leaves) - 3'(w_valid_o && w_done_i);
      f_dones <= f_dones + 3'(f_done_leaves) - 3'(done_valid_o && done_ready_i);
      f_ups <= f_ups + 3'(f_up_leaves) - 3'(up_valid_o && up_ready_i);
      f_waits <= !f_done_free && (f_waits || w_valid_o && w_done_i && w_last_q);
      `CHK(as_many_are_in_use, f_used == used_q && used_q <= (EW+1)'(N) &&
                               tail_q == EW'(head_q + used_q))
      `CHK(a_full_table_has_no_room, alloc_ready_o == (f_used < (EW+1)'(N)))
      `CHK(one_write_each, f_writes == 3'(w_valid_o))
      `CHK(one_completion_each,
           f_dones == 3'(w_valid_o && w_last_q) + 3'(wait_q) + 3'(done_valid_o))
      `CHK(one_packet_up_each, f_ups == 3'(up_valid_o))
      `CHK(one_waits_for_another, wait_q == f_waits && !(wait_q && (w_valid_o || !done_valid_o)))
      `CHK(is_busy_with_them, busy_o == (f_used != '0 || f_writes != '0 || f_dones != '0 ||
                                         f_ups != '0))
      `CHK(leaves_one_way, 3'(to_w) + 3'(to_done) + 3'(to_up) == 3'(retire) &&
                           (!retire || used_q != '0))
    end

  // ---- what is not taken is held
  logic f_w_stays, f_done_stays, f_up_stays, f_lane_off;
  logic f_was;  // the bit on w
  logic f_was_body;
  logic [6:0] f_was_reg;
  logic [LANES-1:0] f_was_mask;
  logic [7:0] f_was_tag;
  logic [63:0] f_was_head;
  logic [2:0] f_was_len;
  always @(posedge clk_i) begin
    f_w_stays <= rst_ni && w_valid_o && !w_done_i;
    f_done_stays <= rst_ni && done_valid_o && !done_ready_i;
    f_up_stays <= rst_ni && up_valid_o && !up_ready_i;
    f_lane_off <= rst_ni && !(to_w && mask[f_lane]);
    f_was <= w_data_o[{f_lane, f_i}];
    f_was_body <= up_body_o[f_bit];
    f_was_reg <= w_reg_o;
    f_was_mask <= w_mask_o;
    f_was_tag <= done_tag_o;
    f_was_head <= up_head_o;
    f_was_len <= up_len_o;
    if (rst_ni) begin
      `CHK(w_is_held, !f_w_stays || w_valid_o && w_reg_o == f_was_reg && w_mask_o == f_was_mask)
      `CHK(other_lanes_hold, !f_lane_off || w_data_o[{f_lane, f_i}] == f_was)
      `CHK(done_is_held, !f_done_stays || done_valid_o && done_tag_o == f_was_tag)
      `CHK(up_is_held, !f_up_stays || up_valid_o && up_head_o == f_was_head &&
                       up_len_o == f_was_len && up_body_o[f_bit] == f_was_body)
    end
  end

  // ---- it can do these
  logic f_waited, f_was_full;
  always @(posedge clk_i)
    if (!rst_ni) {f_waited, f_was_full} <= '0;
    else begin
      f_waited <= f_waited || f_wait;
      f_was_full <= f_was_full || f_in && f_used == (EW+1)'(N);
      `COV(the_table_is_full, f_used == (EW+1)'(N) && alloc_ready_o == 1'b0)
      `COV(leaves_a_full_table, f_leaves && f_was_full && f_ahead == '0)
      `COV(a_completion_waits, f_done && f_waited && done_ready_i)
      `COV(a_fault_goes_up, f_up && f_type == lsux_pkg::TO_FAULT && f_word != '0 && up_ready_i)
      `COV(a_fault_of_a_first_beat, f_leaves && f_type == lsux_pkg::TO_FAULT && !f_last)
      `COV(enters_while_one_leaves, f_take && retire)
      `COV(leaves_while_one_enters, f_leaves && alloc_i && alloc_entry_o != f_entry)
      `COV(four_sectors_in_one_register,
           f_w && f_source == FBanks && f_pos[6:5] == 2'd3 && f_was_four && f_mine && f_value)
      `COV(an_old_value_goes_up, f_up && f_source == FGive && up_ready_i && f_sector)
      `COV(data_go_up, f_up && f_chunks == 4'b1010 && f_sector && f_bit[7] && up_ready_i)
    end
  logic f_was_four;
  always @(posedge clk_i) if (f_take) f_was_four <= f_which == 4'd15;
