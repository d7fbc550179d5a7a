// SPDX-License-Identifier: Apache-2.0
// regmove_rd: registers that were read for REGRD, packed and sent up.
//
// A register whose lanes hold one word goes up as that word, with PATTERNS one whose words grow by
// a step as word and step, and a mask as a bit a lane: all in the edge of COMPARE. Else COMPRESS
// moves the words of the lanes down to the front in place, two a cycle: the word of a lane never
// moves up.
`default_nettype none
`include "check.svh"

module regmove_rd #(
  parameter int LANES = 32,   /// lanes, even
  parameter int PATTERNS = 0  /// 1: with LINEAR that has a step, and BITS, 0 to 1
) (
  input  wire logic                clk_i,  /// clock
  input  wire logic                rst_ni,  /// synchronous reset, low
  /// a register that was read for a REGRD packet; taken when rd_ready was high
  input  wire logic                rd_valid_i,
  input  wire logic [7:0]          rd_tag_i,  /// its tag
  input  wire logic [LANES-1:0]    rd_mask_i,  /// lanes that are asked for
  input  wire logic [LANES*32-1:0] rd_data_i,  /// its value
  output logic                     rd_ready_o,  /// can take a register
  output logic                     up_valid_o,  /// a REGD packet; held until up_ready
  output logic [63:0]              up_head_o,  /// its head
  output logic [LANES*32-1:0]      up_body_o,  /// its data flits
  output logic [$clog2(LANES)-1:0] up_len_o,  /// how many: 0 to 16
  input  wire logic                up_ready_i,  /// taken at this edge
  output logic                     busy_o  /// something is under way
);
  localparam int LW = $clog2(LANES);
  localparam logic [2:0] Idle = 3'd0, Pick = 3'd1, Compare = 3'd2, Compress = 3'd3, Up = 3'd4;

  logic [2:0] state_q;
  logic [LANES-1:0] todo_q, differs;  // todo_q: lanes that have not moved, but for the next two
  logic [LW-1:0] at_q;  // words that were moved
  logic [7:0] tag_q;
  logic [31:0] word_q;  // of the lowest lane
  logic full_q, uniform;

  // the two lowest lanes that have not moved are known an edge before
  logic [LANES-1:0] mask_q, from, rest;
  logic [LW-1:0] pair, pair2, lane_q, lane2_q;
  logic two, two_q, moves, last;
  assign moves = state_q == Compress;
  assign last = todo_q == '0;
  assign from = state_q != Idle ? todo_q : rd_valid_i ? rd_mask_i : '0;
  regmove_pair #(.LANES(LANES)) i_pair (
    .set_i(from), .lane_o(pair), .lane2_o(pair2), .two_o(two), .rest_o(rest)
  );
  always_ff @(posedge clk_i)
    if (state_q == Idle && rd_valid_i || moves) begin
      todo_q <= rest;
      lane_q <= pair;
      lane2_q <= pair2;
      two_q <= two;
    end
  always_comb begin
    differs = '0;
    if (state_q == Compare)
      for (int l = 0; l < LANES; l++)
        differs[l] = mask_q[l] && up_body_o[l*32 +: 32] != word_q;
  end
  assign uniform = differs == '0;

  // COMPARE: it goes up in one flit, of these words; as BITS
  logic one, bits;
  logic [31:0] word0, word1;
  if (PATTERNS != 0) begin : g_patterns
    logic linear;  // by a step, which is zero if it is uniform
    logic [31:0] stride, bit_word;
    logic [LANES-1:0] breaks, mixed;  // lanes that do not go on as the one before, with other words
    always_ff @(posedge clk_i) if (state_q == Pick) stride <= up_body_o[63:32] - up_body_o[31:0];
    always_comb begin
      breaks = '0;
      mixed = '0;
      bit_word = '0;
      if (state_q == Compare)
        for (int l = 0; l < LANES; l++) begin
          if (l > 0)
            breaks[l] = !is_sum(up_body_o[(l-1)*32 +: 32], stride, up_body_o[l*32 +: 32]);
          mixed[l] = mask_q[l] && !(&up_body_o[l*32 +: 32]) && |up_body_o[l*32 +: 32];
          bit_word[l] = mask_q[l] && up_body_o[l*32];
        end
    end
    assign linear = full_q && breaks == '0;
    assign bits = mixed == '0 && !uniform;  // then it is not linear
    assign one = uniform || linear || bits;
    assign word0 = bits ? bit_word : word_q;
    assign word1 = linear ? stride : '0;
  end else begin : g_no_patterns
    assign bits = 1'b0;
    assign one = uniform;
    assign word0 = word_q;
    assign word1 = '0;
  end

  // a + b == c without a carry chain: bit i of a ^ b ^ c is the carry into it, which is then the
  // majority of a, b, ~c in bit i - 1: a where a and b are the same, else ~c
  function automatic is_sum(input [31:0] a, input [31:0] b, input [31:0] c);
    is_sum = (a ^ b ^ c) == {((a & b) | ((a ^ b) & ~c)) << 1};
  endfunction

  always_ff @(posedge clk_i)
    if (!rst_ni) state_q <= Idle;
    else
      case (state_q)
        Idle: if (rd_valid_i) state_q <= Pick;
        Pick: state_q <= Compare;
        Compare: state_q <= one || full_q ? Up : Compress;
        Compress: if (last) state_q <= Up;
        default: if (up_ready_i) state_q <= Idle;
      endcase

  always_ff @(posedge clk_i)
    case (state_q)
      Idle: if (rd_valid_i) begin
        tag_q <= rd_tag_i;
        mask_q <= rd_mask_i;
        full_q <= rd_mask_i == '1;
        up_body_o <= rd_data_i;
      end
      Pick: begin
        word_q <= up_body_o[{lane_q, 5'd0} +: 32];
        at_q <= '0;
      end
      Compare: if (one) begin
        up_body_o[31:0] <= word0;
        up_body_o[63:32] <= word1;
        up_head_o <= head(tag_q, LW'(1), !bits, bits);
        up_len_o <= LW'(1);
      end else if (full_q) begin
        up_head_o <= head(tag_q, LW'(LANES / 2), 1'b0, 1'b0);
        up_len_o <= LW'(LANES / 2);
      end
      Compress: begin
        at_q <= at_q + LW'(2);
        up_body_o[{at_q, 5'd0} +: 32] <= up_body_o[{lane_q, 5'd0} +: 32];
        up_body_o[{at_q | LW'(1), 5'd0} +: 32] <= two_q ? up_body_o[{lane2_q, 5'd0} +: 32] : 32'd0;
        if (last) begin
          up_head_o <= head(tag_q, (at_q >> 1) + LW'(1), 1'b0, 1'b0);
          up_len_o <= (at_q >> 1) + LW'(1);
        end
      end
      default: ;
    endcase

  function automatic [63:0] head(input [7:0] tag, input [LW-1:0] len, input lin, input bit_mask);
    head = '0;
    head[tsv_pkg::UP_ANY_KIND_LSB +: 4] = tsv_pkg::UP_REGD;
    head[tsv_pkg::UP_ANY_TAG_LSB +: 8] = tag;
    head[tsv_pkg::UP_ANY_LEN_LSB +: 5] = 5'(len);
    head[tsv_pkg::UP_REGD_LINEAR_LSB] = lin;
    head[tsv_pkg::UP_REGD_BITS_LSB] = bit_mask;
  endfunction

  assign rd_ready_o = state_q == Idle;
  assign up_valid_o = state_q == Up;
  assign busy_o = state_q != Idle;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(mask_not_empty, !(rd_valid_i && rd_ready_o) || rd_mask_i != '0)
    `CHK(words_move_down, state_q != Compress || at_q <= lane_q)
    `COV(compresses, state_q == Up && !full_q && up_len_o == LW'(LANES / 2))
  end
  if (PATTERNS != 0) begin : g_cover
    always @(posedge clk_i) if (rst_ni) begin
      `COV(sends_a_step, state_q == Up && up_head_o[tsv_pkg::UP_REGD_LINEAR_LSB] &&
                         up_body_o[31:0] == '1 && up_body_o[63:32] == 32'd3)
      `COV(sends_a_mask, state_q == Up && up_head_o[tsv_pkg::UP_REGD_BITS_LSB] && !full_q)
    end
  end

`ifdef FORMAL
  `include "regmove_rd_proof.svh"
`endif
endmodule
