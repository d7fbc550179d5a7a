// SPDX-License-Identifier: Apache-2.0
// fifo: a queue of DEPTH words. Outputs depend on registers only: a word that enters an empty queue
// is at the output in the next cycle, and a full queue takes a word again the cycle after one left.
//
//   valid_i/data_i/ready_o -> [ memory, head and count ] -> valid_o/data_o/ready_i
//
// Relies on: nothing; a push without ready_o is ignored. Promises: words leave in the order in
// which they entered, each once; data_o holds while valid_o and not ready_i.
`default_nettype none
`include "check.svh"

module fifo #(
  parameter int WIDTH = 32,  /// bits of a word, at least 1
  parameter int DEPTH = 4    /// words, at least 1
) (
  input  wire logic             clk_i,  /// clock
  input  wire logic             rst_ni,  /// synchronous reset, low
  input  wire logic             valid_i,  /// a word enters when ready was high
  input  wire logic [WIDTH-1:0] data_i,  /// the word
  output logic                  ready_o,  /// not full
  output logic                  valid_o,  /// not empty
  output logic [WIDTH-1:0]      data_o,   /// the oldest word
  input  wire logic             ready_i   /// it leaves at this edge
`ifdef FORMAL
  , output logic [DEPTH*WIDTH-1:0] f_words_o,  /// the oldest lowest
  output logic [$clog2(DEPTH+1)-1:0] f_count_o  /// proof: how many there are
`endif
);
  localparam int AW = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int CW = $clog2(DEPTH + 1);

  `RANGE(WIDTH_is_not_at_least_1, WIDTH >= 1)
  `RANGE(DEPTH_is_not_at_least_1, DEPTH >= 1)

  logic [WIDTH-1:0] mem[0:DEPTH-1];
  logic [AW-1:0] head_q, tail_q;
  logic [CW-1:0] count_q;
  logic push, pop;

  assign ready_o = count_q != CW'(DEPTH);
  assign valid_o = count_q != '0;
  assign data_o = mem[head_q];
  assign push = valid_i && ready_o;
  assign pop = valid_o && ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
    end else if (push || pop) begin
      if (push) tail_q <= tail_q == AW'(DEPTH - 1) ? '0 : tail_q + 1'b1;
      if (pop) head_q <= head_q == AW'(DEPTH - 1) ? '0 : head_q + 1'b1;
      count_q <= count_q + CW'(push) - CW'(pop);
    end
  end

  always_ff @(posedge clk_i) if (push) mem[tail_q] <= data_i;

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(count_in_range, count_q < CW'(DEPTH) || count_q == CW'(DEPTH))
    `CHK(pointers_and_count_agree,
         {1'b0, tail_q} == ({1'b0, head_q} + (AW+1)'(count_q) >= (AW+1)'(DEPTH) ?
           {1'b0, head_q} + (AW+1)'(count_q) - (AW+1)'(DEPTH) : {1'b0, head_q} + (AW+1)'(count_q)))
    `COV(full_and_empty_again, f_was_full && count_q == '0)
  end

`ifdef FORMAL
  // Any one word: it leaves behind just those that were there before it, as it entered.
  (* anyseq *) logic f_watch;
  logic f_on, f_was_full;
  logic [WIDTH-1:0] f_word;
  logic [CW-1:0] f_ahead;
  assign f_count_o = count_q;
  for (genvar i = 0; i < DEPTH; i++) begin : g_words
    assign f_words_o[WIDTH*i +: WIDTH] =
      mem[AW'((AW+1)'(head_q) + (AW+1)'(i) >= (AW+1)'(DEPTH) ?
              (AW+1)'(head_q) + (AW+1)'(i) - (AW+1)'(DEPTH) :
                                                               (AW+1)'(head_q) + (AW+1)'(i))];
  end
  always @(posedge clk_i)
    if (!rst_ni) begin
      f_on <= 1'b0;
      f_was_full <= 1'b0;
    end else begin
      f_was_full <= f_was_full || count_q == CW'(DEPTH);
      if (!f_on && push && f_watch) begin
        f_on <= 1'b1;
        f_word <= data_i;
        f_ahead <= count_q - CW'(pop);
      end else if (f_on && pop) begin
        f_on <= f_ahead != '0;
        f_ahead <= f_ahead - 1'b1;
        if (f_ahead == '0) `CHK(leaves_as_it_entered, data_o == f_word)
      end
      // what makes it inductive: the word lies where the count says
      if (f_on) begin
        `CHK(still_there, f_ahead < count_q)
        `CHK(in_its_place, mem[AW'({1'b0, head_q} + (AW+1)'(f_ahead) >= (AW+1)'(DEPTH) ?
                        {1'b0, head_q} + (AW+1)'(f_ahead) - (AW+1)'(DEPTH) :
                        {1'b0, head_q} + (AW+1)'(f_ahead))] == f_word)
      end
    end
`endif
endmodule
