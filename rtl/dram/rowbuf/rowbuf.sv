// SPDX-License-Identifier: Apache-2.0
// rowbuf: what the arrays behind a memory controller have besides their usual decoders, so that
// several rows of a bank can be open (MASA): for each subarray a latch with its row, whether it is
// open, and whether it is the selected one.
//
//   cmd, bank, row -> [ bank 0: subarray 0 .. N-1 ] -> row, open: to the subarray's row decoder
//     (pins)          [ ...                       ] -> select: to the gates between its row buffer
//                     [ bank BANKS-1              ]            and the bank's bitlines
//
// docs/blocks/rowbuf.md has the rules. A command on the pins in a cycle takes effect at the edge
// that ends it, one command a cycle. Relies on: a controller that keeps to the states of subarrays.
// Promises: of a bank at most one subarray is selected, and that one is open.
`default_nettype none
`include "check.svh"

module rowbuf #(
  parameter int ROWS = 16384,    /// rows of a bank, a power of two, 64 to 16384
  parameter int SUBARRAYS = 32,  /// subarrays of a bank, a power of two, 2 to 32
  parameter int BANKS = 4,       /// banks behind the pins, 1 to 4
  parameter int BUFFERS = 4      /// subarrays of a bank that may be open, 1 to 4
) (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  /// command on the pins: 1 ACT, 2 PRE, 3 SASEL, 4 RD, 5 WR, 6 REF, 7 PREA, 0 none
  input  wire logic [2:0]  cmd_i,
  input  wire logic [1:0]  cmd_bank_i,  /// its bank
  input  wire logic [13:0] cmd_row_i,  /// its row (ACT); the low bits are the subarray
  output logic [BANKS*SUBARRAYS-1:0] open_o,  /// subarrays that are open, those of bank 0 lowest
  output logic [BANKS*SUBARRAYS-1:0] select_o,  /// subarrays that drive the bitlines of their bank
  /// row of each subarray, within it: it stays when the subarray is closed
  output logic [BANKS*SUBARRAYS*$clog2(ROWS/SUBARRAYS)-1:0] row_o
);
  localparam int SW = $clog2(SUBARRAYS);
  localparam int RW = $clog2(ROWS / SUBARRAYS);  // bits of a row within a subarray
  localparam logic [2:0] Act = 3'd1, Pre = 3'd2, Sasel = 3'd3, PreAll = 3'd7;

  `RANGE(ROWS_is_not_a_power_of_two_from_64_to_16384,
         ROWS >= 64 && ROWS <= 16384 && (ROWS & (ROWS - 1)) == 0)
  `RANGE(SUBARRAYS_is_not_a_power_of_two_from_2_to_32,
         SUBARRAYS >= 2 && SUBARRAYS <= 32 && (SUBARRAYS & (SUBARRAYS - 1)) == 0)
  `RANGE(BANKS_is_not_1_to_4, BANKS >= 1 && BANKS <= 4)
  `RANGE(BUFFERS_is_not_1_to_4, BUFFERS >= 1 && BUFFERS <= 4)

  // ---- which subarray a command is for
  logic [SUBARRAYS-1:0] target;
  assign target = SUBARRAYS'(1) << cmd_row_i[SW-1:0];
  logic unused;
  assign unused = ^cmd_row_i;  // with fewer rows its upper bits

  for (genvar b = 0; b < BANKS; b++) begin : g_bank
    logic mine;
    logic [SUBARRAYS-1:0] open_q, select_q;
    assign mine = cmd_bank_i == 2'(b);
    assign open_o[SUBARRAYS*b +: SUBARRAYS] = open_q;
    assign select_o[SUBARRAYS*b +: SUBARRAYS] = select_q;

    always_ff @(posedge clk_i)
      if (!rst_ni) begin
        open_q <= '0;
        select_q <= '0;
      end else if (mine) begin
        if (cmd_i == Act) open_q <= open_q | target;
        else if (cmd_i == Pre) open_q <= open_q & ~target;
        else if (cmd_i == PreAll) open_q <= '0;
        if (cmd_i == Act || cmd_i == Sasel) select_q <= target;
        else if (cmd_i == Pre) select_q <= select_q & ~target;
        else if (cmd_i == PreAll) select_q <= '0;
      end

    for (genvar s = 0; s < SUBARRAYS; s++) begin : g_row
      logic [RW-1:0] row_q;
      always_ff @(posedge clk_i)
        if (mine && cmd_i == Act && target[s]) row_q <= cmd_row_i[SW +: RW];
      assign row_o[(SUBARRAYS*b + s)*RW +: RW] = row_q;
    end

    `ifndef SYNTHESIS
    localparam logic [2:0] Read = 3'd4, Write = 3'd5, Refresh = 3'd6;
    logic [5:0] n_open;
    always_comb begin
      n_open = '0;
      for (int s = 0; s < SUBARRAYS; s++) n_open = n_open + 6'(open_q[s]);
    end
    always @(posedge clk_i) if (rst_ni) begin
      `ASM(opens_what_is_closed,
           !(mine && cmd_i == Act) || (open_q & target) == '0 && n_open < 6'(BUFFERS))
      `ASM(selects_what_is_open, !(mine && cmd_i == Sasel) || (open_q & target) != '0)
      `ASM(accesses_what_is_selected,
           !(mine && (cmd_i == Read || cmd_i == Write)) || select_q == target)
      `ASM(refreshes_what_is_closed, !(mine && cmd_i == Refresh) || open_q == '0)
      `CHK(selects_one_that_is_open,
           (select_q & ~open_q) == '0 && (select_q & (select_q - 1'b1)) == '0)
      `CHK(no_more_than_there_are, n_open <= 6'(BUFFERS))
      `COV(two_are_open, n_open == 6'd2)
    end
    `endif
  end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(banks_that_there_are, cmd_i == '0 || {1'b0, cmd_bank_i} < 3'(BANKS))
  end
endmodule
