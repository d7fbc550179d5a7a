// SPDX-License-Identifier: Apache-2.0
// regfile: the near register file, 16 KB in four banks.
//
//   w0, w1, w2 -> one write a bank -> [ bank 0..3 ] -> r0_data..r3_data
//
// docs/blocks/regfile.md has the rules. One read and one write a bank and cycle. Write port 0 never
// waits; 1 and 2 hold until done. Relies on: clients hold. Promises: ports 1 and 2 wait for port 0 only,
// and at most one contest for each other.
`default_nettype none
`include "check.svh"

module regfile #(
  parameter int LANES = 32,  /// lanes of a register
  parameter int ROWS = 32    /// registers of a bank
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                r0_en_i,
  input  wire logic [$clog2(ROWS)-1:0] r0_row_i,
  input  wire logic                r1_en_i,
  input  wire logic [$clog2(ROWS)-1:0] r1_row_i,
  input  wire logic                r2_en_i,
  input  wire logic [$clog2(ROWS)-1:0] r2_row_i,
  input  wire logic                r3_en_i,
  input  wire logic [$clog2(ROWS)-1:0] r3_row_i,
  output logic [LANES*32-1:0]      r0_data_o,
  output logic [LANES*32-1:0]      r1_data_o,
  output logic [LANES*32-1:0]      r2_data_o,
  output logic [LANES*32-1:0]      r3_data_o,
  input  wire logic                w0_valid_i,
  input  wire logic [$clog2(ROWS)+1:0] w0_reg_i,
  input  wire logic [LANES-1:0]    w0_mask_i,
  input  wire logic [LANES*32-1:0] w0_data_i,
  input  wire logic                w1_valid_i,
  input  wire logic [$clog2(ROWS)+1:0] w1_reg_i,
  input  wire logic [LANES-1:0]    w1_mask_i,
  input  wire logic [LANES*32-1:0] w1_data_i,
  output logic                     w1_done_o,
  input  wire logic                w2_valid_i,
  input  wire logic [$clog2(ROWS)+1:0] w2_reg_i,
  input  wire logic [LANES-1:0]    w2_mask_i,
  input  wire logic [LANES*32-1:0] w2_data_i,
  output logic                     w2_done_o
);
  localparam int RW = $clog2(ROWS);

  // ---- who writes
  logic ask1, ask2, contest, second_q, go1, go2;
  assign ask1 = w1_valid_i && !w1_done_o && !(w0_valid_i && w0_reg_i[1:0] == w1_reg_i[1:0]);
  assign ask2 = w2_valid_i && !w2_done_o && !(w0_valid_i && w0_reg_i[1:0] == w2_reg_i[1:0]);
  assign contest = ask1 && ask2 && w1_reg_i[1:0] == w2_reg_i[1:0];
  assign go1 = ask1 && !(contest && second_q);
  assign go2 = ask2 && !(contest && !second_q);

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      w1_done_o <= 1'b0;
      w2_done_o <= 1'b0;
      second_q <= 1'b0;
    end else begin
      w1_done_o <= go1;
      w2_done_o <= go2;
      if (contest) second_q <= !second_q;
    end

  // ---- the banks
  logic [3:0] r_en;
  logic [4*RW-1:0] r_row;
  logic [4*LANES*32-1:0] r_data;
  assign r_en = {r3_en_i, r2_en_i, r1_en_i, r0_en_i};
  assign r_row = {r3_row_i, r2_row_i, r1_row_i, r0_row_i};
  assign {r3_data_o, r2_data_o, r1_data_o, r0_data_o} = r_data;

  for (genvar b = 0; b < 4; b++) begin : g_bank
    logic from0, from1, from2;
    assign from0 = w0_valid_i && w0_reg_i[1:0] == 2'(b);
    assign from1 = go1 && w1_reg_i[1:0] == 2'(b);
    assign from2 = go2 && w2_reg_i[1:0] == 2'(b);
    ram_1r1w #(.LANES(LANES), .BITS(32), .DEPTH(ROWS)) i_ram (
      .clk_i, .r_en_i(r_en[b]), .r_row_i(r_row[RW*b +: RW]),
      .r_data_o(r_data[LANES*32*b +: LANES*32]), .w_en_i(from0 || from1 || from2),
      .w_row_i(from0 ? w0_reg_i[RW+1:2] : from1 ? w1_reg_i[RW+1:2] : w2_reg_i[RW+1:2]),
      .w_mask_i(from0 ? w0_mask_i : from1 ? w1_mask_i : w2_mask_i),
      .w_data_i(from0 ? w0_data_i : from1 ? w1_data_i : w2_data_i)
    );
  end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_write_a_bank, !(go1 && go2 && w1_reg_i[1:0] == w2_reg_i[1:0]))
    `CHK(port_0_goes_first, !(w0_valid_i && go1 && w0_reg_i[1:0] == w1_reg_i[1:0]))
  end
endmodule
