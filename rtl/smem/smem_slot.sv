// SPDX-License-Identifier: Apache-2.0
// smem_slot: the request of one port, from the edge that takes it to the one at which it starts.
`default_nettype none

module smem_slot #(
  parameter int LANES = 32,  /// lanes of a request
  parameter int AW = 14      /// bits of a word address
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,  /// taken when ready_o
  input  wire logic [3:0]          op_i,
  input  wire logic                sgn_i,
  input  wire logic                f32_i,
  input  wire logic [LANES-1:0]    mask_i,
  input  wire logic [AW*LANES-1:0] addr_i,
  input  wire logic [4*LANES-1:0]  be_i,
  input  wire logic [32*LANES-1:0] b_i,
  input  wire logic [32*LANES-1:0] c_i,
  output logic                     ready_o,
  input  wire logic                start_i,  /// the request leaves; only when full_o
  output logic                     full_o,
  output logic [3:0]               op_o,
  output logic                     sgn_o,
  output logic                     f32_o,
  output logic [LANES-1:0]         mask_o,
  output logic [AW*LANES-1:0]      addr_o,
  output logic [4*LANES-1:0]       be_o,
  output logic [32*LANES-1:0]      b_o,
  output logic [32*LANES-1:0]      c_o
);
  assign ready_o = !full_o;

  always_ff @(posedge clk_i)
    if (!rst_ni) full_o <= 1'b0;
    else if (valid_i && ready_o) full_o <= 1'b1;
    else if (start_i) full_o <= 1'b0;

  always_ff @(posedge clk_i)
    if (valid_i && ready_o) begin
      op_o <= op_i;
      sgn_o <= sgn_i;
      f32_o <= f32_i;
      mask_o <= mask_i;
      addr_o <= addr_i;
      if (op_i == tsv_pkg::MOP_ST) be_o <= be_i;
      if (op_i >= tsv_pkg::MOP_ST) b_o <= b_i;
      if (op_i == tsv_pkg::MOP_ATOM + isa_pkg::ATOM_CAS[3:0]) c_o <= c_i;
    end
endmodule
