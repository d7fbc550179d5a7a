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
endmodule
