// SPDX-License-Identifier: Apache-2.0
// lsux_table: accesses under way, in order. Answers fill the entries in any order; the oldest
// complete one retires into the register file, a completion, or a packet for the base die.
//
//   alloc -> [ entry 0 .. N-1, circular ] -> retire -> w_* -> done_*
//              ^ rsp   ^ fill   ^ old               \-> up_*
`default_nettype none
`include "check.svh"

module lsux_table #(
  parameter int LANES = 32,  /// lanes, at least 4
  parameter int N = 8        /// entries, a power of two
) (
  input  wire logic                 clk_i,  /// clock
  input  wire logic                 rst_ni,  /// synchronous reset, low
  // a new entry
  input  wire logic                 alloc_i,  /// an access enters; only when alloc_ready_o
  input  wire logic [2:0]           alloc_type_i,  /// lsux_pkg TO_REG, TO_NONE, TO_DATA, TO_WORD
  input  wire logic                 alloc_last_i,  /// last beat of its packet
  input  wire logic [7:0]           alloc_tag_i,  /// completion tag
  input  wire logic [6:0]           alloc_reg_i,  /// TO_REG: near register that takes the data
  input  wire logic [LANES-1:0]     alloc_mask_i,  /// lanes that take part
  input  wire logic [2:0]           alloc_pend_i,  /// answers that are missing
  input  wire logic [3:0]           alloc_mtype_i,  /// tsv_pkg MTYPE_*
  input  wire logic [3:0]           alloc_chunks_i,  /// TO_DATA: quarters of the sector that go up
  input  wire logic [2:0]           alloc_word_i,  /// TO_WORD: which word of the sector goes up
  input  wire logic [7*LANES-1:0]   alloc_pos_i,  /// sector and byte of each lane
  output logic [$clog2(N)-1:0]      alloc_entry_o,  /// the number that it gets
  output logic                      alloc_ready_o,  /// there is room
  // data of a sector
  input  wire logic                 rsp_valid_i,  /// a sector has come
  input  wire logic [$clog2(N)-1:0] rsp_entry_i,  /// entry that it is for
  input  wire logic [1:0]           rsp_sector_i,  /// which sector of the line
  input  wire logic [255:0]         rsp_data_i,  /// its data
  // the answer of shared memory
  input  wire logic                 fill_valid_i,  /// shared memory has answered
  input  wire logic [$clog2(N)-1:0] fill_entry_i,  /// entry that it is for
  /// the entry becomes a fault, described by word 0, 1
  input  wire logic                 fill_fault_i,
  input  wire logic [LANES*32-1:0]  fill_data_i,  /// data
  // a bank request or atomic operation is finished
  input  wire logic                 give_valid_i,  /// a request or operation is finished
  input  wire logic [$clog2(N)-1:0] give_entry_i,  /// its entry
  // the old value of an atomic operation's lane
  input  wire logic                 old_valid_i,  /// an old value has come
  input  wire logic [$clog2(N)-1:0] old_entry_i,  /// entry that it is for
  input  wire logic [$clog2(LANES)-1:0] old_lane_i,  /// the lane
  input  wire logic [31:0]          old_data_i,  /// what its word held
  // retirement
  output logic                      w_valid_o,  /// write to the register file; held until w_done
  output logic [6:0]                w_reg_o,  /// register
  output logic [LANES-1:0]          w_mask_o,  /// lanes
  output logic [LANES*32-1:0]       w_data_o,  /// value
  input  wire logic                 w_done_i,  /// it was written
  output logic                      done_valid_o,  /// a packet is complete; held until done_ready
  output logic [7:0]                done_tag_o,  /// its tag
  input  wire logic                 done_ready_i,  /// taken at this edge
  output logic                      up_valid_o,  /// a packet for the base die; held until up_ready
  output logic [63:0]               up_head_o,  /// its head
  output logic [255:0]              up_body_o,  /// its data flits
  output logic [2:0]                up_len_o,  /// how many: 0 to 4
  input  wire logic                 up_ready_i,  /// taken at this edge
  output logic                      busy_o  /// an access is under way
);
  localparam int EW = $clog2(N);

  logic [2:0] type_q[0:N-1], word_q[0:N-1];
  logic [3*N-1:0] pend_q;  // answers that are missing, 3 bits an entry
  logic [N-1:0] last_q;
  logic [7:0] tag_q[0:N-1];
  logic [6:0] reg_q[0:N-1];
  logic [LANES-1:0] mask_q[0:N-1];
  logic [3:0] mtype_q[0:N-1], chunks_q[0:N-1];
  logic [7*LANES-1:0] pos_q[0:N-1];
  logic [255:0] sector_q[0:N-1];  // of TO_DATA, TO_WORD; a fault in words 0 and 1
  logic [EW-1:0] head_q, tail_q;
  logic [EW:0] used_q;
  logic retire;
  logic [255:0] sector;  // of the oldest entry
  assign sector = sector_q[head_q];

  // ---- entries
  assign alloc_entry_o = tail_q;
  assign alloc_ready_o = used_q != (EW+1)'(N);

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      used_q <= '0;
    end else if (alloc_i || retire) begin
      if (alloc_i) tail_q <= tail_q + 1'b1;
      if (retire) head_q <= head_q + 1'b1;
      used_q <= used_q + (EW+1)'(alloc_i) - (EW+1)'(retire);
    end

  always_ff @(posedge clk_i) begin
    if (alloc_i) begin
      type_q[tail_q] <= alloc_type_i;
      last_q[tail_q] <= alloc_last_i;
      tag_q[tail_q] <= alloc_tag_i;
      reg_q[tail_q] <= alloc_reg_i;
      mask_q[tail_q] <= alloc_mask_i;
      mtype_q[tail_q] <= alloc_mtype_i;
      chunks_q[tail_q] <= alloc_chunks_i;
      word_q[tail_q] <= alloc_word_i;
      pos_q[tail_q] <= alloc_pos_i;
    end
    if (fill_valid_i && fill_fault_i) type_q[fill_entry_i] <= lsux_pkg::TO_FAULT;
  end

  for (genvar e = 0; e < N; e++) begin : g_pend
    always_ff @(posedge clk_i)
      if (alloc_i && tail_q == EW'(e)) pend_q[3*e +: 3] <= alloc_pend_i;
      else if (rsp_valid_i && rsp_entry_i == EW'(e) || fill_valid_i && fill_entry_i == EW'(e) ||
               give_valid_i && give_entry_i == EW'(e)) pend_q[3*e +: 3] <= pend_q[3*e +: 3] - 3'd1;
  end

  // ---- answers
  logic raw;  // the sector is kept as it is
  logic [LANES-1:0] rsp_mask, fill_mask;
  logic [3:0] rsp_mtype;
  logic [7*LANES-1:0] rsp_pos;
`ifdef FORMAL
  logic [LANES*32*N-1:0] f_words;
`endif
  assign raw = type_q[rsp_entry_i] != lsux_pkg::TO_REG;
  assign rsp_mask = mask_q[rsp_entry_i];
  assign fill_mask = mask_q[fill_entry_i];
  assign rsp_mtype = mtype_q[rsp_entry_i];
  assign rsp_pos = pos_q[rsp_entry_i];

  lsux_words #(.LANES(LANES), .N(N)) i_words (
    .clk_i, .rsp_i(rsp_valid_i && !raw), .rsp_entry_i, .rsp_sector_i, .rsp_data_i,
    .mask_i(rsp_mask), .pos_i(rsp_pos), .mtype_i(rsp_mtype), .fill_i(fill_valid_i && !fill_fault_i),
    .fill_entry_i, .fill_mask_i(fill_mask), .fill_data_i, .old_i(old_valid_i), .old_entry_i,
    .old_lane_i, .old_data_i, .read_i(to_w), .entry_i(head_q), .read_mask_i(mask), .data_o(w_data_o)
`ifdef FORMAL
    , .f_words_o(f_words)
`endif
  );
  always_ff @(posedge clk_i) begin
    if (rsp_valid_i && raw) sector_q[rsp_entry_i] <= rsp_data_i;
    if (fill_valid_i && fill_fault_i) sector_q[fill_entry_i] <= 256'(fill_data_i[63:0]);
    if (old_valid_i) sector_q[old_entry_i] <= 256'(old_data_i);
  end

  // ---- retirement
  logic complete, done_free, up_free, wait_q, w_last_q, to_w, to_done, to_up, is_up;
  logic [7:0] w_tag_q;
  logic [2:0] kind;
  logic [LANES-1:0] mask;

  assign kind = type_q[head_q];
  assign mask = mask_q[head_q];
  assign complete = used_q != '0 && pend_q[32'(head_q) * 3 +: 3] == '0;
  assign done_free = !done_valid_o || done_ready_i;
  assign up_free = !up_valid_o || up_ready_i;
  assign is_up = kind == lsux_pkg::TO_DATA || kind == lsux_pkg::TO_WORD ||
                 kind == lsux_pkg::TO_FAULT && last_q[head_q];
  assign to_w = complete && kind == lsux_pkg::TO_REG && !w_valid_o && !wait_q;
  assign to_done = complete && kind == lsux_pkg::TO_NONE && !w_valid_o && !wait_q &&
                   (!last_q[head_q] || done_free);
  assign to_up = complete && (kind == lsux_pkg::TO_DATA || kind == lsux_pkg::TO_WORD ||
                              kind == lsux_pkg::TO_FAULT) && (up_free || !is_up);
  assign retire = to_w || to_done || to_up;

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      w_valid_o <= 1'b0;
      wait_q <= 1'b0;
      done_valid_o <= 1'b0;
      up_valid_o <= 1'b0;
    end else begin
      if (to_w) w_valid_o <= 1'b1;
      else if (w_done_i) w_valid_o <= 1'b0;
      if (w_valid_o && w_done_i && w_last_q && !done_free) wait_q <= 1'b1;
      else if (done_free) wait_q <= 1'b0;
      if (w_valid_o && w_done_i && w_last_q && done_free || wait_q && done_free ||
          to_done && last_q[head_q]) done_valid_o <= 1'b1;
      else if (done_ready_i) done_valid_o <= 1'b0;
      if (to_up && is_up) up_valid_o <= 1'b1;
      else if (up_ready_i) up_valid_o <= 1'b0;
    end

  always_ff @(posedge clk_i) begin
    if (to_w) begin
      w_reg_o <= reg_q[head_q];
      w_mask_o <= mask;
      w_last_q <= last_q[head_q];
      w_tag_q <= tag_q[head_q];
    end
    if (done_free)
      if (wait_q || w_valid_o && w_done_i && w_last_q) done_tag_o <= w_tag_q;
      else if (to_done && last_q[head_q]) done_tag_o <= tag_q[head_q];
  end

  // pieces of a sector, packed
  logic [3:0] chunks;
  logic [2:0] pieces;
  assign chunks = chunks_q[head_q];
  assign pieces = {2'd0, chunks[0]} + {2'd0, chunks[1]} + {2'd0, chunks[2]} + {2'd0, chunks[3]};

  always_ff @(posedge clk_i)
    if (to_up && is_up) begin
      up_head_o <= '0;
      up_head_o[tsv_pkg::UP_ANY_TAG_LSB +: 8] <= tag_q[head_q];
      up_len_o <= '0;
      if (kind == lsux_pkg::TO_DATA) begin
        up_head_o[tsv_pkg::UP_ANY_KIND_LSB +: 4] <= tsv_pkg::UP_DATA;
        up_head_o[tsv_pkg::UP_ANY_LEN_LSB +: 5] <= {2'd0, pieces};
        up_head_o[tsv_pkg::UP_DATA_CHUNKS_LSB +: 4] <= chunks;
        up_len_o <= pieces;
        up_body_o <= pack(sector, chunks);
      end else if (kind == lsux_pkg::TO_WORD) begin
        up_head_o[tsv_pkg::UP_ANY_KIND_LSB +: 4] <= tsv_pkg::UP_WORD;
        up_head_o[tsv_pkg::UP_WORD_DATA_LSB +: 32] <= sector[{word_q[head_q], 5'd0} +: 32];
      end else begin
        up_head_o[tsv_pkg::UP_ANY_KIND_LSB +: 4] <= tsv_pkg::UP_FAULT;
        up_head_o[tsv_pkg::UP_FAULT_LANE_LSB +: 6] <= sector[37:32];
        up_head_o[tsv_pkg::UP_FAULT_ADDR_LSB +: 32] <= sector[31:0];
      end
    end

  function automatic [255:0] pack(input [255:0] data, input [3:0] which);
    logic [2:0] at;
    pack = '0;
    at = 3'd0;
    for (int i = 0; i < 4; i++)
      if (which[i]) begin
        pack[{at[1:0], 6'd0} +: 64] = data[64*i +: 64];
        at = at + 3'd1;
      end
  endfunction

  assign busy_o = used_q != '0 || w_valid_o || wait_q || done_valid_o || up_valid_o;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(takes_when_there_is_room, !alloc_i || alloc_ready_o)
    // answers are for entries in use that miss some
    `ASM(answers_were_missing, !rsp_valid_i || pend_q[32'(rsp_entry_i) * 3 +: 3] != '0 &&
                               {1'b0, rsp_entry_i - head_q} < used_q)
    `ASM(fills_were_missing, !fill_valid_i || pend_q[32'(fill_entry_i) * 3 +: 3] != '0 &&
                             {1'b0, fill_entry_i - head_q} < used_q)
    `ASM(gives_were_missing, !give_valid_i || pend_q[32'(give_entry_i) * 3 +: 3] != '0 &&
                             {1'b0, give_entry_i - head_q} < used_q)
    `ASM(old_ones_were_missing, !old_valid_i || pend_q[32'(old_entry_i) * 3 +: 3] != '0 &&
                                {1'b0, old_entry_i - head_q} < used_q)
    `ASM(one_answer_for_an_entry,
         !(rsp_valid_i && fill_valid_i && rsp_entry_i == fill_entry_i) &&
         !(rsp_valid_i && give_valid_i && rsp_entry_i == give_entry_i) &&
         !(rsp_valid_i && old_valid_i && rsp_entry_i == old_entry_i) &&
         !(fill_valid_i && give_valid_i && fill_entry_i == give_entry_i) &&
         !(fill_valid_i && old_valid_i && fill_entry_i == old_entry_i))
    `CHK(entries_in_range, used_q <= (EW+1)'(N))
  end

`ifdef FORMAL
  `include "lsux_table_proof.svh"
`endif
endmodule
