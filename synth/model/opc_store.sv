// SPDX-License-Identifier: Apache-2.0
// opc_store: what of opc there is more of with more collectors, for mpu area --sweep: the operands and what a
// collector carries along, written from four banks, read at dispatch. As in opc, but for N collectors.
`default_nettype none

module opc_store #(
  parameter int LANES = 32,
  parameter int N = 4,        /// collectors, a power of two
  parameter int CARRIED = 85  /// bits that an instruction brings, without its masks
) (
  input  wire logic                     clk_i,
  input  wire logic                     take_i,
  input  wire logic [$clog2(N)-1:0]     slot_i,
  input  wire logic [CARRIED-1:0]       brings_i,
  input  wire logic [2*LANES-1:0]       masks_i,
  input  wire logic [3:0]               there_i,
  input  wire logic [4*$clog2(N)+7:0]   who_i,    /// a bank: collector, operand
  input  wire logic [4*LANES*32-1:0]    data_i,
  input  wire logic                     dispatch_i,
  input  wire logic [$clog2(N)-1:0]     pick_i,
  output logic [CARRIED-1:0]            brings_o,
  output logic [2*LANES-1:0]            masks_o,
  output logic [3*LANES*32-1:0]         data_o
);
  localparam int NW = $clog2(N);
  logic [CARRIED-1:0] brings_q[0:N-1];
  logic [2*LANES-1:0] masks_q[0:N-1];
  logic [LANES*32-1:0] slot_q[0:4*N-1];
  always_ff @(posedge clk_i)
    if (take_i) begin
      brings_q[slot_i] <= brings_i;
      masks_q[slot_i] <= masks_i;
    end
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < 4; b++)
      if (there_i[b]) slot_q[{who_i[(NW+2)*b +: 2], who_i[(NW+2)*b+2 +: NW]}] <= data_i[b*LANES*32 +: LANES*32];
  end
  always_ff @(posedge clk_i)
    if (dispatch_i) begin
      brings_o <= brings_q[pick_i];
      masks_o <= masks_q[pick_i];
      data_o <= {slot_q[{2'd2, pick_i}], slot_q[{2'd1, pick_i}], slot_q[{2'd0, pick_i}]};
    end
endmodule
