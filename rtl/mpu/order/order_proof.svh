// Proofs of order, inside of its module.

  function automatic f_overlap(input [8:0] x, input [8:0] y);
    f_overlap = x[8:4] == y[8:4] && (x[3:0] & y[3:0]) != '0;
  endfunction
  function automatic f_reads(input [26:0] r, input [8:0] x);  // one of the operands r overlaps x
    f_reads = f_overlap(r[8:0], x) || f_overlap(r[17:9], x) || f_overlap(r[26:18], x);
  endfunction

  // ---- of each packet, by its head: the window that it accesses, and the one that a SYNC asks for
  logic [N-1:0] f_access, f_shared;
  logic [4*N-1:0] f_win;
  always @(posedge clk_i)
    for (int i = 0; i < N; i++)
      if (take[i]) begin
        f_access[i] <= in_head_i[3:0] == tsv_pkg::DN_SHM || in_head_i[3:0] == tsv_pkg::DN_WIN;
        f_shared[i] <= in_head_i[3:0] == tsv_pkg::DN_SYNC && in_head_i[tsv_pkg::DN_SYNC_SHARED_LSB];
        f_win[4*i +: 4] <= in_head_i[3:0] == tsv_pkg::DN_SHM ?
                           in_head_i[tsv_pkg::DN_SHM_WIN_LSB +: 4] :
                           in_head_i[3:0] == tsv_pkg::DN_WIN ?
                           in_head_i[tsv_pkg::DN_WIN_WIN_LSB +: 4] :
                           in_head_i[tsv_pkg::DN_SYNC_WIN_LSB +: 4];
      end

  // ---- entries, two by two: i is before j
  for (genvar j = 0; j < N; j++) begin : g_f_entry
    logic [59:0] f_mine;
    logic [N-1:0] f_gone, f_read, f_awake, f_before;  // what it waits for, and what is older
    logic [N-1:0] f_asked;  // what it asks for as a SYNC
    assign f_mine = f_look[60*j +: 60];
    assign {f_awake, f_read, f_gone} = f_waits[3*N*j +: 3*N];
    assign f_before = used_q & older[N*j +: N];
    always_comb
      for (int i = 0; i < N; i++)
        f_asked[i] = !f_shared[j] || f_access[i] && f_win[4*i +: 4] == f_win[4*j +: 4];
    always @(posedge clk_i) if (rst_ni && used_q[j]) begin
      `CHK(waits_for_older_ones_in_use, ((f_awake | f_read | f_gone) & ~f_before) == '0)
      `CHK(waits_for_what_has_not_happened,
           (f_awake & awake_q) == '0 && (f_read & read_q) == '0 && (f_gone & gone_q) == '0)
      `CHK(gone_waits_for_nothing, !gone_q[j] || !waits[j])
      `CHK(windows_are_known, f_access[j] == (f_mine[56:55] == 2'b11) &&
                              (!f_access[j] || f_mine[54:36] == 19'(f_win[4*j +: 4])))
      `CHK(sync_waits_for_what_it_asks_for,
           !sync_q[j] || (f_before & f_asked & ~awake_q & ~f_awake) == '0)
      `CHK(sync_waits_for_no_others,
           !sync_q[j] || ((f_awake & ~f_asked) | f_read | f_gone) == '0)
      `CHK(sync_leaves_when_what_it_asks_for_is_awake,
           !(sync_q[j] && gone_q[j]) || (f_before & f_asked & ~awake_q) == '0)
      `CHK(sync_may_leave_when_what_it_asks_for_is_awake,
           !sync_q[j] || gone_q[j] || (f_before & f_asked & ~awake_q) != '0 || ends[j])
    end
    for (genvar i = 0; i < N; i++) begin : g_pair
      if (i != j) begin : g_two
        logic [59:0] f_other;
        logic f_raw, f_war, f_waw, f_same, f_both;  // f_both: write the same, one after the other
        assign f_other = f_look[60*i +: 60];
        assign f_raw = f_reads(f_mine[26:0], f_other[35:27]);
        assign f_war = f_reads(f_other[26:0], f_mine[35:27]);
        assign f_waw = f_overlap(f_mine[35:27], f_other[35:27]) && !f_both;
        assign f_both = f_overlap(f_mine[35:27], f_other[35:27]) && f_mine[56] && f_other[56];
        assign f_same = f_mine[56] && f_mine[56:36] == f_other[56:36] || f_both;
        always @(posedge clk_i) if (rst_ni && used_q[j] && f_before[i]) begin
          `CHK(waits_for_results, !(f_raw || f_waw) || f_awake[i] || awake_q[i])
          `CHK(waits_for_readers, !f_war || f_read[i] || read_q[i])
          `CHK(waits_for_memory, !f_same || f_gone[i] || gone_q[i])
          // what all is for
          `CHK(results_are_there, !gone_q[j] || !(f_raw || f_waw) || awake_q[i])
          `CHK(operands_were_read, !gone_q[j] || !f_war || read_q[i])
          `CHK(memory_in_order, !gone_q[j] || !f_same || gone_q[i])
          `CHK(two_under_way_have_no_conflict,
               !(gone_q[i] && gone_q[j] && !awake_q[i] && !awake_q[j]) ||
               !f_waw && !f_raw && (!f_war || read_q[i]))
        end
        for (genvar k = 0; k < N; k++) begin : g_three
          if (k != i && k != j) begin : g_all
            always @(posedge clk_i) if (rst_ni && used_q[i] && used_q[j] && used_q[k])
              `CHK(before_is_an_order, !(older[N*k + j] && older[N*j + i]) || older[N*k + i])
          end
        end
      end
    end
  end

  // ---- how many are in use
  logic [5:0] f_count;
  function automatic [5:0] f_ones(input [N-1:0] set);
    f_ones = '0;
    for (int i = 0; i < N; i++) f_ones = f_ones + 6'(set[i]);
  endfunction
  always @(posedge clk_i)
    if (!rst_ni) f_count <= '0;
    else begin
      f_count <= f_count + 6'(in_valid_i && in_ready_o) - f_ones(done);
      `CHK(in_ready_fits_the_count, in_ready_o == (f_count < 6'(N)))
      `CHK(count_fits_the_entries, f_count == f_ones(used_q))
      `CHK(somebody_goes, !out_free || may == '0 || go != '0)
      `CHK(a_sync_that_left_is_on_its_way,
           (used_q & sync_q & gone_q & ~entry(sync_valid_o, sync_n_o)) == '0)
      `CHK(a_sync_leaves, sync_valid_o && !sync_ready_i || ends == '0 || leave != '0)
      `COV(all_are_in_use, used_q == '1)
      `COV(overtakes, (go & ~used_q) == '0 && go != '0 &&
                      (f_first & used_q & ~gone_q & ~go) != '0)
      `COV(sync_leaves, sync_valid_o && sync_ready_i && f_waited)
      `COV(sync_leaves_before_an_access, (leave & f_shared) != '0 && (f_passed & f_access) != '0)
      `COV(sync_leaves_before_a_packet_without_window,
           (leave & f_shared) != '0 && (f_passed & ~f_access & ~sync_q) != '0)
      `COV(sync_leaves_before_another_of_its_kind,
           (leave & f_shared) != '0 && (f_passed & f_shared) != '0)
      `COV(sync_waits_for_its_window, (leave & f_shared & f_held) != '0)
    end
  logic [N-1:0] f_first;  // older than the one that goes
  always_comb begin
    f_first = '0;
    for (int i = 0; i < N; i++) if (go[i]) f_first = f_first | older[N*i +: N];
  end
  logic [N-1:0] f_passed;  // older than the SYNC that leaves, and not awake
  always_comb begin
    f_passed = '0;
    for (int i = 0; i < N; i++)
      if (leave[i]) f_passed = f_passed | (older[N*i +: N] & used_q & ~awake_q);
  end
  logic [N-1:0] f_held;  // a packet that waited since it came
  always @(posedge clk_i) f_held <= (f_held | used_q & waits) & ~take;
  logic f_waited;  // a SYNC did
  always @(posedge clk_i)
    if (!rst_ni) f_waited <= 1'b0;
    else f_waited <= f_waited || (used_q & sync_q & waits) != '0;

  // ---- any one packet: it goes as it came
  (* anyseq *) logic f_watch;
  logic f_on, f_went;
  logic [N-1:0] f_where;
  logic [WORD-1:0] f_word;
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_on <= 1'b0;
      f_went <= 1'b0;
    end else begin
      f_went <= f_on && (go & f_where) != '0;
      if (!f_on && take != '0 && f_watch) begin
        f_on <= 1'b1;
        f_where <= take;
        f_word <= {is_long, in_body_i, in_head_i[63:12], in_head_i[3:0]};
      end else if (f_on && ((go | leave) & f_where) != '0) f_on <= 1'b0;
      if (f_on) begin
        `CHK(is_held, f_where != '0 && (f_where & (f_where - 1'b1)) == '0 &&
                      (f_where & ~(used_q & ~gone_q)) == '0)
        for (int i = 0; i < N; i++)
          if (f_where[i]) `CHK(still_there, f_words[WORD*i +: WORD] == f_word)
      end
      if (f_went) `CHK(goes_as_it_came,
                       out_valid_o && out == f_word && entry(1'b1, n_q) == f_last)
    end
  logic [N-1:0] f_last;
  always @(posedge clk_i) f_last <= f_where;
