// SPDX-License-Identifier: Apache-2.0
// lsux_words: the lanes' words of the accesses under way, and the register through which those of
// one leave.
`default_nettype none

module lsux_words #(
  parameter int LANES = 32,  /// lanes
  parameter int N = 8        /// entries
) (
  input  wire logic                     clk_i,  /// clock
  // a sector of an access to registers has come
  input  wire logic                     rsp_i,  /// a sector has come
  input  wire logic [$clog2(N)-1:0]     rsp_entry_i,  /// entry that it is for
  input  wire logic [1:0]               rsp_sector_i,  /// which sector of the line
  input  wire logic [255:0]             rsp_data_i,  /// its data
  input  wire logic [LANES-1:0]         mask_i,  /// lanes that take part in that access
  input  wire logic [7*LANES-1:0]       pos_i,  /// their sectors and bytes
  input  wire logic [3:0]               mtype_i,  /// tsv_pkg MTYPE_* of that access
  // the answer of shared memory
  input  wire logic                     fill_i,  /// shared memory has answered
  input  wire logic [$clog2(N)-1:0]     fill_entry_i,  /// entry that it is for
  input  wire logic [LANES-1:0]         fill_mask_i,  /// lanes that take data
  input  wire logic [LANES*32-1:0]      fill_data_i,  /// data
  // the old value of an atomic operation
  input  wire logic                     old_i,  /// an old value has come
  input  wire logic [$clog2(N)-1:0]     old_entry_i,  /// entry that it is for
  input  wire logic [$clog2(LANES)-1:0] old_lane_i,  /// the lane
  input  wire logic [31:0]              old_data_i,  /// what its word held
  // an entry leaves
  input  wire logic                     read_i,  /// its words go to data_o
  input  wire logic [$clog2(N)-1:0]     entry_i,  /// which entry
  input  wire logic [LANES-1:0]         read_mask_i,  /// lanes whose words are looked at
  output logic [LANES*32-1:0]           data_o  /// the words, after the edge with read_i
`ifdef FORMAL
  , output logic [LANES*32*N-1:0]       f_words_o  /// proof: those of all entries, entry 0 lowest
`endif
);
  // ---- a sector: each lane whose word lies in it takes its bytes
  logic [LANES-1:0] sector_mask, old_mask;
  logic [LANES*32-1:0] sector_words;
  always_comb begin
    sector_mask = '0;
    sector_words = '0;
    if (rsp_i)
      for (int l = 0; l < LANES; l++) begin
        sector_mask[l] = mask_i[l] && pos_i[7*l + 5 +: 2] == rsp_sector_i;
        sector_words[32*l +: 32] =
          lsux_pkg::extend(rsp_data_i[{pos_i[7*l + 2 +: 3], 5'd0} +: 32], pos_i[7*l +: 2], mtype_i);
      end
  end

  assign old_mask = LANES'(1) << old_lane_i;

  ram_1r3w #(.LANES(LANES), .BITS(32), .DEPTH(N)) i_ram (
    .clk_i, .r_en_i(read_i), .r_row_i(entry_i), .r_mask_i(read_mask_i), .r_data_o(data_o),
    .w0_en_i(rsp_i), .w0_row_i(rsp_entry_i), .w0_mask_i(sector_mask), .w0_data_i(sector_words),
    .w1_en_i(fill_i), .w1_row_i(fill_entry_i), .w1_mask_i(fill_mask_i), .w1_data_i(fill_data_i),
    .w2_en_i(old_i), .w2_row_i(old_entry_i), .w2_mask_i(old_mask), .w2_data_i({LANES{old_data_i}})
`ifdef FORMAL
    , .f_words_o
`endif
  );
endmodule
