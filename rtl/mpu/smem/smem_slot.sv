// SPDX-License-Identifier: Apache-2.0
// smem_slot: the request of one port, from the edge that takes it to the one at which it starts.
`default_nettype none

module smem_slot #(
  parameter int LANES = 32,  /// lanes of a request
  parameter int AW = 14      /// bits of a word address
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                valid_i,  /// taken when ready_o
  input  wire logic [3:0]          op_i,  /// operation
  input  wire logic                sgn_i,  /// min and max are signed
  input  wire logic                f32_i,  /// add is binary32
  input  wire logic [LANES-1:0]    mask_i,  /// lanes that take part
  input  wire logic [AW*LANES-1:0] addr_i,  /// word address of each lane
  input  wire logic [4*LANES-1:0]  be_i,  /// bytes of the word that a store writes, 4 bits a lane
  input  wire logic [32*LANES-1:0] b_i,  /// store data or atomic operand
  input  wire logic [32*LANES-1:0] c_i,  /// new value of cas
  output logic                     ready_o,  /// can take a request
  input  wire logic                start_i,  /// the request leaves; only when full_o
  output logic                     full_o,  /// a request waits
  output logic [3:0]               op_o,  /// its operation
  output logic                     sgn_o,  /// as it entered
  output logic                     f32_o,  /// as it entered
  output logic [LANES-1:0]         mask_o,  /// as it entered
  output logic [AW*LANES-1:0]      addr_o,  /// as it entered
  output logic [4*LANES-1:0]       be_o,  /// as it entered
  output logic [32*LANES-1:0]      b_o,  /// as it entered
  output logic [32*LANES-1:0]      c_o  /// as it entered
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
