// SPDX-License-Identifier: Apache-2.0
// regfile: the near register file, 16 KB in four banks.
//
//   w0, w1, w2 -> one write a bank -> [ regfile_bank 0..3 ] -> r0_data..r3_data
//
// docs/blocks/regfile.md has the rules. One read and one write a bank and cycle. Write port 0 never
// waits; 1 and 2 hold until done. Relies on: clients hold. Promises: ports 1 and 2 wait for port 0
// only, and one contest for each other at most.
`default_nettype none
`include "check.svh"

module regfile #(
  parameter int LANES = 32,  /// lanes of a register, 1 to 32
  parameter int ROWS = 32    /// registers of a bank, 2 to 32
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                r0_en_i,  /// read bank 0
  input  wire logic [$clog2(ROWS)-1:0] r0_row_i,  /// row
  input  wire logic                r1_en_i,  /// read bank 1
  input  wire logic [$clog2(ROWS)-1:0] r1_row_i,  /// row
  input  wire logic                r2_en_i,  /// read bank 2
  input  wire logic [$clog2(ROWS)-1:0] r2_row_i,  /// row
  input  wire logic                r3_en_i,  /// read bank 3
  input  wire logic [$clog2(ROWS)-1:0] r3_row_i,  /// row
  /// what bank 0 held at the last edge with r0_en; keeps it
  output logic [LANES*32-1:0]      r0_data_o,
  output logic [LANES*32-1:0]      r1_data_o,  /// bank 1
  output logic [LANES*32-1:0]      r2_data_o,  /// bank 2
  output logic [LANES*32-1:0]      r3_data_o,  /// bank 3
  input  wire logic                w0_valid_i,  /// write port 0 (arithmetic): always done at once
  input  wire logic [$clog2(ROWS)+1:0] w0_reg_i,  /// register
  input  wire logic [LANES-1:0]    w0_mask_i,  /// lanes to write
  input  wire logic [LANES*32-1:0] w0_data_i,  /// value
  input  wire logic                w1_valid_i,  /// write port 1 (loads): hold until done
  input  wire logic [$clog2(ROWS)+1:0] w1_reg_i,  /// register
  input  wire logic [LANES-1:0]    w1_mask_i,  /// lanes to write
  input  wire logic [LANES*32-1:0] w1_data_i,  /// value
  output logic                     w1_done_o,  /// port 1 was written at the last edge
  input  wire logic                w2_valid_i,  /// write port 2 (register moves): hold until done
  input  wire logic [$clog2(ROWS)+1:0] w2_reg_i,  /// register
  input  wire logic [LANES-1:0]    w2_mask_i,  /// lanes to write
  input  wire logic [LANES*32-1:0] w2_data_i,  /// value
  output logic                     w2_done_o  /// port 2 was written at the last edge
);
  localparam int RW = $clog2(ROWS);

  `RANGE(LANES_is_not_from_1_to_32, LANES >= 1 && LANES <= 32)
  `RANGE(ROWS_is_not_from_2_to_32, ROWS >= 2 && ROWS <= 32)

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
    regfile_bank #(.LANES(LANES), .ROWS(ROWS)) i_bank (
      .clk_i, .r_en_i(r_en[b]), .r_row_i(r_row[RW*b +: RW]),
      .r_data_o(r_data[LANES*32*b +: LANES*32]),
      .from_i({go2 && w2_reg_i[1:0] == 2'(b), go1 && w1_reg_i[1:0] == 2'(b),
               w0_valid_i && w0_reg_i[1:0] == 2'(b)}),
      .w0_row_i(w0_reg_i[RW+1:2]), .w1_row_i(w1_reg_i[RW+1:2]), .w2_row_i(w2_reg_i[RW+1:2]),
      .w0_mask_i, .w1_mask_i, .w2_mask_i, .w0_data_i, .w1_data_i, .w2_data_i
    );
  end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_write_a_bank, !(go1 && go2 && w1_reg_i[1:0] == w2_reg_i[1:0]))
    `CHK(port_0_goes_first, !(w0_valid_i && (go1 && w0_reg_i[1:0] == w1_reg_i[1:0] ||
                                            go2 && w0_reg_i[1:0] == w2_reg_i[1:0])))
    `CHK(a_bank_is_used, !(ask1 || ask2) || go1 || go2)
    `COV(both_at_once, go1 && go2)
    `COV(second_goes_first, contest && second_q)
  end

`ifndef SYNTHESIS
  // Clients hold until done.
  logic f_wait1, f_wait2;
  logic [RW+1:0] f_reg1, f_reg2;
  always @(posedge clk_i) begin
    f_wait1 <= rst_ni && w1_valid_i && !w1_done_o && !go1;
    f_wait2 <= rst_ni && w2_valid_i && !w2_done_o && !go2;
    f_reg1 <= w1_reg_i;
    f_reg2 <= w2_reg_i;
    if (rst_ni && f_wait1) `ASM(port_1_holds, w1_valid_i && w1_reg_i == f_reg1)
    if (rst_ni && f_wait2) `ASM(port_2_holds, w2_valid_i && w2_reg_i == f_reg2)
  end
`endif

`ifdef FORMAL
  // A port that has lost a contest wins the next one.
  logic f_lost1, f_lost2;
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      f_lost1 <= 1'b0;
      f_lost2 <= 1'b0;
    end else begin
      if (go1 || contest) f_lost1 <= contest && !go1;
      if (go2 || contest) f_lost2 <= contest && !go2;
      `CHK(one_lost_contest_at_most, !(contest && (f_lost1 && !go1 || f_lost2 && !go2)))
    end
  end

  // Any one lane of a register reads as it was written last.
  (* anyconst *) logic [RW+1:0] f_reg;
  (* anyconst *) logic [$clog2(LANES):0] f_lane;
  logic f_known, f_read;
  logic [31:0] f_word, f_got, f_out;
  assign f_out = r_data[{f_reg[1:0], {$clog2(LANES * 32){1'b0}}} + 32 * f_lane +: 32];
  always @(posedge clk_i) begin
    assume (f_lane < ($clog2(LANES)+1)'(LANES));
    if (!rst_ni) begin
      f_known <= 1'b0;
      f_read <= 1'b0;
    end else begin
      f_read <= f_known && r_en[f_reg[1:0]] && r_row[RW*f_reg[1:0] +: RW] == f_reg[RW+1:2];
      f_got <= f_word;
      if (f_read) `CHK(reads_what_was_written, f_out == f_got)
      if (w0_valid_i && w0_reg_i == f_reg && w0_mask_i[f_lane]) begin
        f_known <= 1'b1;
        f_word <= w0_data_i[32*f_lane +: 32];
      end else if (go1 && w1_reg_i == f_reg && w1_mask_i[f_lane]) begin
        f_known <= 1'b1;
        f_word <= w1_data_i[32*f_lane +: 32];
      end else if (go2 && w2_reg_i == f_reg && w2_mask_i[f_lane]) begin
        f_known <= 1'b1;
        f_word <= w2_data_i[32*f_lane +: 32];
      end
    end
  end
`endif
endmodule
