// SPDX-License-Identifier: Apache-2.0
// regmove_wr: REGWR packets into the register file.
//
// The words of a partial register lie packed at the low end; EXPAND moves them up to their lanes in
// place, from the top, two a cycle: the word of a lane never lies above the lane, so nothing is
// overwritten before it was moved.
//
// STEP makes a register whose words grow by a step (with PATTERNS), from word 0 in every lane:
//
//   edge 0   lane 1      <= lane 0      + step    lane 0 has its word from the beginning; lane l is
//        1   lanes 2, 3  <= lanes 0, 1  + 2 step  made once, from lane l - 2^k. The adder of lane j
//        2   lanes 4..7  <= lanes 0..3  + 4 step  serves all j + 2^k: the lower half has them
`default_nettype none
`include "check.svh"

module regmove_wr #(
  parameter int LANES = 32,   /// lanes, even
  parameter int PATTERNS = 0  /// 1: with LINEAR that has a step, and BITS, 0 to 1
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  input  wire logic                wr_valid_i,  /// a REGWR packet; taken when wr_ready was high
  input  wire logic [63:0]         wr_head_i,  /// its head, see docs/tsv.md
  input  wire logic [LANES*32-1:0] wr_body_i,  /// its data flits
  output logic                     wr_ready_o,  /// can take a packet
  output logic                     w_valid_o,  /// write to the register file; held until w_done
  output logic [6:0]               w_reg_o,  /// register
  output logic [LANES-1:0]         w_mask_o,  /// lanes
  output logic [LANES*32-1:0]      w_data_o,  /// value
  input  wire logic                w_done_i,  /// it was written
  output logic                     done_valid_o,  /// a REGWR is complete; held until done_ready
  output logic [7:0]               done_tag_o,  /// its tag
  input  wire logic                done_ready_i,  /// taken at this edge
  output logic                     busy_o  /// something is under way
);
  localparam int LW = $clog2(LANES);
  localparam int SW = PATTERNS != 0 ? 3 : 2;
  localparam logic [SW-1:0] Idle = SW'(0), Expand = SW'(1), Write = SW'(2), Done = SW'(3);
  localparam logic [SW-1:0] Step = SW'(4);  // with PATTERNS

  logic [SW-1:0] state_q;
  logic [LANES-1:0] todo_q;  // lanes without their word, but for the next two, the highest lowest
  logic [LW:0] left_q;       // how many
  logic take, linear, bits, steps;
  logic [LANES-1:0] mask;

  assign take = wr_valid_i && wr_ready_o;
  assign linear = wr_head_i[tsv_pkg::DN_REGWR_LINEAR_LSB];
  assign bits = PATTERNS != 0 && wr_head_i[tsv_pkg::DN_REGWR_BITS_LSB];
  assign mask = wr_head_i[tsv_pkg::DN_REGWR_MASK_LSB +: LANES];

  // population of the mask; the two highest lanes that have not got their word are known an edge
  // before (the mask is turned round, so that they are the lowest)
  logic [LW:0] count;
  logic [LANES-1:0] from, rest;
  logic [LW-1:0] pair, pair2, lane_q, lane2_q;
  logic two, two_q;
  always_comb begin
    count = '0;
    for (int l = 0; l < LANES; l++) count = count + {{LW{1'b0}}, mask[l]};
  end
  for (genvar l = 0; l < LANES; l++) begin : g_turn
    assign from[l] = take ? mask[LANES-1-l] : todo_q[l];
  end
  regmove_pair #(.LANES(LANES)) i_pair (
    .set_i(from), .lane_o(pair), .lane2_o(pair2), .two_o(two), .rest_o(rest)
  );

  // what the data register takes; the step: 2^k times it, and bit k of turn, at edge k of STEP
  logic [LANES*32-1:0] first;
  logic grows;
  logic [31:0] stride;
  logic [LW-1:0] turn;
  if (PATTERNS != 0) begin : g_patterns
    assign grows = linear && wr_body_i[63:32] != '0;
    assign steps = state_q == Step;
    for (genvar l = 0; l < LANES; l++) begin : g_first
      assign first[l*32 +: 32] = {32{bits && wr_body_i[l]}} | {32{linear}} & wr_body_i[31:0] |
                                 {32{!linear && !bits}} & wr_body_i[l*32 +: 32];
    end
    always_ff @(posedge clk_i)
      if (take) begin
        stride <= wr_body_i[63:32];
        turn <= LW'(1);
      end else if (steps) begin
        stride <= stride << 1;
        turn <= turn << 1;
      end
  end else begin : g_no_patterns
    assign grows = 1'b0;
    assign steps = 1'b0;
    assign first = linear ? {LANES{wr_body_i[31:0]}} : wr_body_i;
    assign stride = '0;
    assign turn = '0;
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) state_q <= Idle;
    else
      case (state_q)
        Idle: if (wr_valid_i)
          state_q <= grows ? Step : linear || bits || mask == '1 ? Write : Expand;
        Expand: if (left_q <= (LW+1)'(2)) state_q <= Write;
        Write: if (w_done_i) state_q <= Done;
        default:
          if (steps) begin
            if (turn[LW-1]) state_q <= Write;
          end else if (done_ready_i) state_q <= Idle;
      endcase

  always_ff @(posedge clk_i)
    if (take) begin
      done_tag_o <= wr_head_i[tsv_pkg::DN_ANY_TAG_LSB +: 8];
      w_reg_o <= wr_head_i[tsv_pkg::DN_REGWR_REG_LSB +: 7];
      w_mask_o <= mask;
      left_q <= count;
    end else if (state_q == Expand) left_q <= left_q - (LW+1)'(two_q ? 2 : 1);

  always_ff @(posedge clk_i)
    if (take || state_q == Expand) begin
      todo_q <= rest;
      lane_q <= LW'(LANES - 1) - pair;
      lane2_q <= LW'(LANES - 1) - pair2;
      two_q <= two;
    end

  always_ff @(posedge clk_i)
    if (take) w_data_o <= first;
    else if (state_q == Expand) begin
      w_data_o[{lane_q, 5'd0} +: 32] <= w_data_o[{left_q[LW-1:0] - LW'(1), 5'd0} +: 32];
      if (two_q)
        w_data_o[{lane2_q, 5'd0} +: 32] <= w_data_o[{left_q[LW-1:0] - LW'(2), 5'd0} +: 32];
    end else if (steps)
      for (int k = 0; k < LW; k++)
        for (int l = 0; l < LANES; l++)
          if (turn[k] && l >= 1 << k && l < 2 << k)
            w_data_o[l*32 +: 32] <= w_data_o[(l < 1 << k ? 0 : l - (1 << k))*32 +: 32] + stride;

  assign wr_ready_o = state_q == Idle;
  assign w_valid_o = state_q == Write;
  assign done_valid_o = state_q == Done;
  assign busy_o = state_q != Idle;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(mask_not_empty, !take || mask != '0)
    `ASM(not_linear_and_bits, !take || !linear || !bits)
    `CHK(expand_has_words, state_q != Expand || left_q != '0)
    `CHK(words_move_up, state_q != Expand || {1'b0, lane_q} + 1'b1 >= left_q)
    `CHK(a_round_at_a_time, !steps || turn != '0 && (turn & (turn - 1'b1)) == '0)
    `COV(expands, state_q == Done && w_mask_o != '1 && w_mask_o[0])
  end
  if (PATTERNS != 0) begin : g_cover
    always @(posedge clk_i) if (rst_ni) begin
      `COV(grows_from_lane_to_lane, w_valid_o && w_mask_o == '1 && w_data_o[31:0] == '1 &&
                                    w_data_o[63:32] == 32'd2 && w_data_o[127:96] == 32'd8)
      `COV(makes_a_mask, w_valid_o && w_mask_o == '1 && w_data_o[127:0] == {~96'd0, 32'd0})
    end
  end

`ifdef FORMAL
  `include "regmove_wr_proof.svh"
`endif
endmodule
