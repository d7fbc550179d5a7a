// Proofs of forms, inside of its module.

  // ---- any one form and any one slot: what KEEP and SLOT have made them, reset or not
  (* anyconst *) logic [FW-1:0] f_row;
  (* anyconst *) logic [3:0] f_place;
  logic f_kept, f_set;  // since power-up
  logic [63:0] f_body;  // head of the form
  logic [31:0] f_imm;
  logic [3:0] f_relative, f_win;
  logic [6:0] f_base;
  initial {f_kept, f_set} = '0;
  always @(posedge clk_i) begin
    if (in_valid_i && in_ready_o && in_head_i[3:0] == tsv_pkg::DN_KEEP &&
        in_head_i[17 +: FW] == f_row) begin
      f_kept <= 1'b1;
      f_body <= in_body_i;
      f_imm <= in_head_i[63:32];
      f_relative <= in_head_i[26:23];
    end
    if (in_valid_i && in_ready_o && in_head_i[3:0] == tsv_pkg::DN_SLOT &&
        in_head_i[20:17] == f_place) begin
      f_set <= 1'b1;
      f_base <= in_head_i[27:21];
      f_win <= in_head_i[31:28];
    end
  end
  logic [FORM-1:0] f_form;
  logic [SLOT-1:0] f_slot;
  always_comb begin
    f_form = '0;
    for (int i = 0; i < FORMS; i++) if (f_row == FW'(i)) f_form = f_forms[FORM*i +: FORM];
    f_slot = '0;
    for (int i = 0; i < 16; i++) if (f_place == 4'(i)) f_slot = f_slots[SLOT*i +: SLOT];
  end
  always @(posedge clk_i) begin
    `CHK(a_form_is_what_was_kept,
         !f_kept || f_form == {f_imm, f_relative, f_body[63:12], f_body[3:0]})
    `CHK(a_slot_is_what_was_set, !f_set || f_slot == {f_win, f_base})
  end

  // ---- the packet that an entry stands for, field by field
  function automatic [6:0] f_add(input [6:0] register, input relative, input [6:0] base);
    f_add = relative ? register + base : register;
  endfunction
  function automatic [63:0] f_packet(input [63:0] head, input [3:0] relative, input [6:0] base,
                                     input [3:0] win, input [7:0] tag);
    f_packet = head;
    f_packet[11:4] = tag;
    if (head[3:0] == tsv_pkg::DN_EXEC) begin
      f_packet[36:30] = f_add(head[36:30], relative[0], base);
      f_packet[43:37] = f_add(head[43:37], relative[1], base);
      f_packet[50:44] = f_add(head[50:44], relative[2], base);
      f_packet[57:51] = f_add(head[57:51], relative[3], base);
    end else begin
      f_packet[32:26] = f_add(head[32:26], relative[0], base);
      f_packet[39:33] = f_add(head[39:33], relative[1], base);
      f_packet[46:40] = f_add(head[46:40], relative[2], base);
      f_packet[53:47] = f_add(head[53:47], relative[3], base);
    end
    if (head[3:0] == tsv_pkg::DN_SHM) f_packet[57:54] = win;
  endfunction

  // ---- how many entries wait: those of the RUNs that came, without those that went
  logic f_run, f_went;
  logic [1:0] f_entries;  // of the RUN that comes
  logic [2:0] f_count;
  assign f_run = in_valid_i && in_ready_o && in_head_i[3:0] == tsv_pkg::DN_RUN;
  assign f_went = out_valid_o && out_ready_i;
  assign f_entries = in_head_i[34:27] == 8'd255 ? 2'd1 : in_head_i[52:45] == 8'd255 ? 2'd2 : 2'd3;
  always @(posedge clk_i)
    if (!rst_ni) f_count <= '0;
    else begin
      f_count <= f_count - 3'(f_went) + (f_run ? 3'(f_entries) : 3'd0);
      `CHK(four_wait_at_most, f_count <= 3'd4)
      `CHK(out_valid_while_one_waits, out_valid_o == (f_count != '0))
      `CHK(takes_more_while_at_most_one_waits, in_ready_o == (f_count <= 3'd1))
      `CHK(count_fits_the_rest, f_count == 3'(rest_q) + 3'(out_valid_o))
    end

  // ---- any one entry of any RUN, of that form and that slot: it goes at its place, as what was
  // kept when its RUN came
  (* anyseq *) logic f_watch;
  (* anyseq *) logic [1:0] f_which;
  logic f_on;
  logic [2:0] f_ahead;  // entries that go before it
  logic [17:0] f_entry;
  logic [63:0] f_head;
  logic [31:0] f_low;
  logic [17:0] f_mine;  // of the RUN that comes: slot, form, tag
  logic [17:0] f_there;  // where it is stored
  assign f_mine = f_which == 2'd0 ? {in_head_i[26:17], in_head_i[11:4]} :
                  f_which == 2'd1 ? in_head_i[44:27] : in_head_i[62:45];
  assign f_there = f_ahead == 3'd1 ? r0_q : f_ahead == 3'd2 ? r1_q : r2_q;
  always @(posedge clk_i)
    if (!rst_ni) f_on <= 1'b0;
    else begin
      if (!f_on && f_run && f_watch && f_which < f_entries && f_kept && f_set &&
          f_mine[8 +: FW] == f_row && f_mine[17:14] == f_place) begin
        f_on <= 1'b1;
        f_ahead <= f_count - 3'(f_went) + 3'(f_which);
        f_entry <= f_mine;
        f_head <= f_packet(f_body, f_relative, f_base, f_win, f_mine[7:0]);
        f_low <= f_imm;
      end else if (f_on && f_went) begin
        f_on <= f_ahead != '0;
        f_ahead <= f_ahead - 1'b1;
      end
      if (f_on) begin
        `CHK(still_waits, f_ahead < f_count)
        if (f_ahead == '0) begin
          `CHK(goes_as_its_packet, out_valid_o && out_head_o == f_head &&
                                   out_body_o == {32'd0, f_low})
        end else begin
          `CHK(is_stored, f_there == f_entry && f_entry[8 +: FW] == f_row &&
                          f_entry[17:14] == f_place && f_kept && f_set)
          `CHK(form_and_slot_stay, f_low == f_imm && f_head ==
               f_packet(f_body, f_relative, f_base, f_win, f_entry[7:0]))
        end
      end
      `COV(watched_third_goes, f_on && f_went && f_ahead == '0 && f_third)
      `COV(shared_memory_goes_with_its_window, f_on && f_went && f_ahead == '0 &&
           out_head_o[3:0] == tsv_pkg::DN_SHM && f_base != '0 && f_relative == 4'b0011 &&
           f_win == 4'd5)
    end
  logic f_third;
  always @(posedge clk_i) if (f_run && !f_on) f_third <= f_which == 2'd2;

  // ---- what goes is held; nothing is shown while nothing goes
  logic f_stays;  // a packet was not taken
  logic [63:0] f_last_head, f_last_body;
  always @(posedge clk_i) begin
    f_stays <= rst_ni && out_valid_o && !out_ready_i;
    f_last_head <= out_head_o;
    f_last_body <= out_body_o;
    if (rst_ni) begin
      `CHK(is_held, !f_stays ||
           out_valid_o && out_head_o == f_last_head && out_body_o == f_last_body)
      `CHK(nothing_is_zero, out_valid_o || out_head_o == '0 && out_body_o == '0)
    end
  end

  // ---- an entry an edge: how many went one right behind the other
  logic [2:0] f_row_of;
  logic f_full, f_just;
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_row_of <= '0;
      f_full <= 1'b0;
      f_just <= 1'b0;
    end else begin
      f_row_of <= !f_went ? '0 : f_row_of == '1 ? f_row_of : f_row_of + 1'b1;
      f_full <= f_full || f_count == 3'd4;
      f_just <= in_valid_i && in_ready_o && in_head_i[3:0] == tsv_pkg::DN_KEEP;
      `COV(six_go_without_a_gap, f_row_of == 3'd6)
      `COV(four_wait, f_full && f_count == '0)
      `COV(a_run_right_behind_a_keep, f_just && f_run && f_kept && in_head_i[17 +: FW] == f_row)
    end
