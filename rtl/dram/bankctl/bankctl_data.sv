// SPDX-License-Identifier: Apache-2.0
// bankctl_data: data of writes in their places until they are on the pins, ids of reads until their
// data come.
//
//   wdata -> [ N places ] -> wr1_q -> wdata_o   CWL cycles behind WR
//   id    -> [ ring ] ---------------> rsp_o    CL + burst cycles behind RD, with rdata
//
// A place is kept from the cycle after the request until CWL - 2 cycles after its WR was carried
// out. Relies on: take_i only with a place that is free.
`default_nettype none
`include "check.svh"

module bankctl_data #(
  parameter int N = 16,  /// places
  parameter int IW = 4,  /// bits of a place
  parameter int MAX_READ = 40,  /// the longest time from RD to its data
  parameter int MAX_WRITE = 24  /// the longest CWL
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic         active_i,  /// something may change
  input  wire logic [$clog2(MAX_READ+1)-1:0]  t_read_i,  /// RD to its data
  input  wire logic [$clog2(MAX_WRITE+1)-1:0] t_write_i,  /// WR to its data
  input  wire logic         take_i,  /// a write is taken
  input  wire logic [287:0] data_i,  /// its data, its mask above them
  output logic [IW-1:0]     place_o,  /// the place that they get
  input  wire logic         rd_i,  /// RD is carried out,
  input  wire logic [7:0]   id_i,  /// with this id
  input  wire logic         wr_i,  /// WR is carried out,
  input  wire logic [IW-1:0] at_i,  /// its data are in this place
  output logic              full_next_o,  /// after this edge no place is free
  output logic              used_next_o,  /// after this edge data keep a place
  output logic              rsp_valid_o,  /// data of a read
  output logic [7:0]        rsp_id_o,  /// its id
  output logic [255:0]      rsp_data_o,  /// its data
  output logic [255:0]      wdata_o,  /// data pins
  output logic [31:0]       wmask_o,  /// bytes of it
  input  wire logic [255:0] rdata_i  /// data pins, of a read
`ifdef FORMAL
  , output logic [N-1:0] f_used_o  /// proof: places in use,
  , output logic [N-1:0] f_sends_o  /// those of them that no write of the queue has any more
`endif
);
  localparam int RW = $clog2(MAX_READ + 1), WW = $clog2(MAX_WRITE + 1);

  // RD, WR on the pins in this cycle, in the one before, ...; the latter with the place of its data
  logic [MAX_READ:0] rd_q;
  logic [MAX_WRITE-1:0] wr_q;
  logic [IW*MAX_WRITE-1:0] at_q;
  // data of RD are sampled; of WR: leave their place, are on the pins next
  logic read_now, short_write, sent, load_q, write_q;
  logic [IW-1:0] load_at_q, sent_at;
  logic [WW-1:0] t_sent;
  logic [287:0] wr1_q;
  assign short_write = t_write_i == WW'(2);
  assign t_sent = t_write_i - WW'(3);  // where it is not short
  always_comb begin
    read_now = rd_q[t_read_i];
    sent = !short_write && wr_q[t_sent];
    sent_at = at_q[IW * 32'(t_sent) +: IW];
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      rd_q <= '0;
      wr_q <= '0;
      load_q <= 1'b0;
      write_q <= 1'b0;
      rsp_valid_o <= 1'b0;
      wmask_o <= '0;  // a WR whose data are lost writes nothing
    end else if (active_i) begin
      rd_q <= {rd_q[MAX_READ-1:0], rd_i};
      wr_q <= {wr_q[MAX_WRITE-2:0], wr_i};
      load_q <= short_write ? wr_i : sent;
      write_q <= load_q;
      rsp_valid_o <= read_now;
      if (write_q) wmask_o <= wr1_q[287:256];
    end

  // ---- places
  logic [287:0] data[0:N-1];
  logic [N-1:0] used_q, used_next, free, place;
  logic gives;  // a place becomes free
  logic [IW-1:0] given;
  assign free = ~used_q;
  assign place = free & (~free + 1'b1);
  assign gives = short_write ? wr_i : sent;
  assign given = short_write ? at_i : sent_at;
  assign used_next = used_q & ~(N'(gives) << given) | place & {N{take_i}};
  assign full_next_o = used_next == '1;
  assign used_next_o = used_next != '0;
  always_comb begin
    place_o = '0;
    for (int i = 0; i < N; i++) if (place[i]) place_o = place_o | IW'(i);
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) used_q <= '0;
    else if (active_i) used_q <= used_next;
  always_ff @(posedge clk_i)
    if (take_i) data[place_o] <= data_i;
  always_ff @(posedge clk_i)
    if (active_i && rst_ni) begin
      at_q <= {at_q[IW*(MAX_WRITE-1)-1:0], at_i};
      load_at_q <= given;
      if (load_q) wr1_q <= data[load_at_q];
      if (write_q) wdata_o <= wr1_q[255:0];
    end

  // ---- ids: a ring
  logic [7:0] ids[0:MAX_READ];
  logic [RW-1:0] id_in_q, id_out_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      id_in_q <= '0;
      id_out_q <= '0;
    end else if (active_i) begin
      if (rd_i) id_in_q <= id_in_q == RW'(MAX_READ) ? '0 : id_in_q + 1'b1;
      if (read_now) id_out_q <= id_out_q == RW'(MAX_READ) ? '0 : id_out_q + 1'b1;
    end
  always_ff @(posedge clk_i)
    if (active_i && rst_ni) begin
      if (rd_i) ids[id_in_q] <= id_i;
      if (read_now) begin
        rsp_id_o <= ids[id_out_q];
        rsp_data_o <= rdata_i;
      end
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(takes_a_free_place, !take_i || free != '0)
    `CHK(gives_a_place_that_is_used, !gives || used_q[given])
  end

`ifdef FORMAL
  // A place that no write of the queue has is kept for one WR on its way.
  assign f_used_o = used_q;
  always_comb begin
    f_sends_o = '0;
    for (int k = 0; k < MAX_WRITE; k++)
      if (k + 3 <= 32'(t_write_i) && wr_q[k]) f_sends_o[at_q[IW*k +: IW]] = 1'b1;
  end
  for (genvar k = 0; k < MAX_WRITE; k++) begin : f_of_write
    logic known;  // the same place is not that of a later WR
    always_comb begin
      known = used_q[at_q[IW*k +: IW]];
      for (int j = 0; j < k; j++)
        if (wr_q[j] && at_q[IW*j +: IW] == at_q[IW*k +: IW]) known = 1'b0;
    end
    always @(posedge clk_i) if (rst_ni && k + 3 <= 32'(t_write_i) && wr_q[k])
      `CHK(keeps_what_it_sends, known)
  end
`ifdef FORMAL_TOP
  // Any one write that is taken: one bit of its data, and one of its mask, follow its WR after
  // CWL. Any one read: a bit of its data comes back with its id. The other bits are alike. Assumed
  // is what the proof of bankctl asserts: a WR has the place of a write that waits, a place is in
  // use once.
  (* anyseq *) logic f_watch;
  logic f_waits, f_flies, f_reads;
  logic [1:0] f_my_bits;
  logic [IW-1:0] f_at;
  logic [7:0] f_my_id;
  logic [5:0] f_age, f_read_age;  // cycles since the command was carried out
  logic f_rdata;
  logic [N-1:0] f_waiting;  // places of writes that wait
  logic [$clog2(MAX_READ+1)-1:0] f_t_read;
  logic [$clog2(MAX_WRITE+1)-1:0] f_t_write;
  logic f_new;
  logic [1:0] f_there;
  logic [287:0] f_all;
  logic [RW-1:0] f_ring;  // where its id waits
  int f_before, f_since, f_n_reads;  // reads before the watched one; it, and those after it; all
  assign f_all = data[f_at];
  assign f_there = {f_all[287], f_all[0]};
  always_comb begin
    f_before = 0;
    f_since = 0;
    for (int i = 0; i <= MAX_READ; i++) if (rd_q[i] && i <= 32'(t_read_i)) begin
      if (i > 32'(f_read_age)) f_before = f_before + 1;
      else f_since = f_since + 1;
    end
    f_n_reads = f_before + f_since;
  end
  function automatic int f_wraps(input int place);
    f_wraps = place > MAX_READ ? place - (MAX_READ + 1) : place;
  endfunction
  always @(posedge clk_i) begin
    f_new <= !rst_ni;
    {f_t_read, f_t_write} <= {t_read_i, t_write_i};
    f_rdata <= rdata_i[7];
    assume (active_i);
    assume (32'(t_read_i) >= 1 && 32'(t_read_i) <= MAX_READ);
    assume (32'(t_write_i) >= 2 && 32'(t_write_i) <= MAX_WRITE);
    assume (f_new || !rst_ni || {f_t_read, f_t_write} == {t_read_i, t_write_i});
    assume (!take_i || used_q != '1);
    assume (!wr_i || f_waiting[at_i]);
    assume (!wr_i || !rd_i);
    if (!rst_ni) begin
      {f_waits, f_flies, f_reads} <= '0;
      f_waiting <= '0;
    end else begin
      f_waiting <= f_waiting & ~(N'(wr_i) << at_i) | place & {N{take_i}};
      if (!f_waits && !f_flies && take_i && f_watch) begin
        f_waits <= 1'b1;
        f_at <= place_o;
        f_my_bits <= {data_i[287], data_i[0]};
      end else if (f_waits && wr_i && at_i == f_at) begin
        f_waits <= 1'b0;
        f_flies <= 1'b1;
        f_age <= '0;
      end else if (f_flies) begin
        f_age <= f_age + 1'b1;
        f_flies <= f_age != 6'(t_write_i);
      end
      if (!f_reads && rd_i && f_watch) begin
        f_reads <= 1'b1;
        f_my_id <= id_i;
        f_ring <= id_in_q;
        f_read_age <= '0;
      end else if (f_reads) begin
        f_read_age <= f_read_age + 1'b1;
        f_reads <= f_read_age != 6'(t_read_i) + 6'd1;
      end
      if (f_flies && f_age == 6'(t_write_i))
        `CHK(its_data_are_on_the_pins, {wmask_o[31], wdata_o[0]} == f_my_bits)
      if (f_reads && f_read_age == 6'(t_read_i) + 6'd1)
        `CHK(its_data_come_back, rsp_valid_o && rsp_id_o == f_my_id && rsp_data_o[7] == f_rdata)
      // what makes it inductive
      if (f_waits) `CHK(data_wait, f_waiting[f_at] && f_there == f_my_bits)
      if (f_flies) begin
        `CHK(on_its_way, f_age <= 6'(t_write_i))
        if (f_age != 6'(t_write_i)) `CHK(write_is_known, wr_q[f_age[WW-1:0]])
        if (32'(f_age) + 2 <= 32'(t_write_i)) `CHK(data_still_there, f_there == f_my_bits)
        if (32'(f_age) + 2 < 32'(t_write_i))
          `CHK(place_is_known, at_q[IW*f_age[WW-1:0] +: IW] == f_at && f_sends_o[f_at])
        if (32'(f_age) + 2 == 32'(t_write_i)) `CHK(data_are_loaded, load_q && load_at_q == f_at)
        if (32'(f_age) + 1 == 32'(t_write_i))
          `CHK(data_leave, write_q && {wr1_q[287], wr1_q[0]} == f_my_bits)
      end
      if (f_reads) `CHK(read_on_its_way, f_read_age <= 6'(t_read_i) + 6'd1)
      if (f_reads && f_read_age != 6'(t_read_i) + 6'd1)
        `CHK(id_waits, rd_q[f_read_age[RW-1:0]] && 32'(f_ring) <= MAX_READ &&
             ids[f_ring] == f_my_id && f_wraps(32'(id_out_q) + f_before) == 32'(f_ring) &&
             f_wraps(32'(f_ring) + f_since) == 32'(id_in_q))
      `CHK(ids_of_reads_to_come, 32'(id_in_q) <= MAX_READ && 32'(id_out_q) <= MAX_READ &&
           f_wraps(32'(id_out_q) + f_n_reads) == 32'(id_in_q))
      `CHK(keeps_data_that_wait, (f_waiting & ~(used_q & ~f_sends_o)) == '0)
    end
  end
`endif
`endif
endmodule
