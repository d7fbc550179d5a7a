// SPDX-License-Identifier: Apache-2.0
// lsux_lane: one lane's words of the accesses under way.
`default_nettype none

module lsux_lane #(
  parameter int N = 8  /// entries
) (
  input  wire logic                 clk_i,
  input  wire logic                 rsp_i,  /// a sector of an access to registers has come
  input  wire logic [$clog2(N)-1:0] rsp_entry_i,
  input  wire logic [1:0]           rsp_sector_i,
  input  wire logic [255:0]         rsp_data_i,
  input  wire logic                 mask_i,  /// the lane takes part in that access
  input  wire logic [6:0]           pos_i,  /// and this is its sector and byte
  input  wire logic [3:0]           mtype_i,
  input  wire logic                 fill_i,
  input  wire logic [$clog2(N)-1:0] fill_entry_i,
  input  wire logic [31:0]          fill_data_i,
  input  wire logic                 old_i,
  input  wire logic [$clog2(N)-1:0] old_entry_i,
  input  wire logic [31:0]          old_data_i,
  input  wire logic [$clog2(N)-1:0] entry_i,
  output logic [31:0]               data_o  /// the word of entry_i
);
  logic [31:0] mem[0:N-1];

  always_ff @(posedge clk_i) begin
    if (rsp_i && mask_i && pos_i[6:5] == rsp_sector_i)
      mem[rsp_entry_i] <=
        lsux_pkg::extend(rsp_data_i[{pos_i[4:2], 5'd0} +: 32], pos_i[1:0], mtype_i);
    if (fill_i) mem[fill_entry_i] <= fill_data_i;
    if (old_i) mem[old_entry_i] <= old_data_i;
  end
  assign data_o = mem[entry_i];
endmodule
