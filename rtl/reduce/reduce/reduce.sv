// SPDX-License-Identifier: Apache-2.0
// reduce: adds up the words of a range of accesses of a bank channel.
//
//   start -> [ next access, accesses to ask for ] -> req to the bank channel
//   sum   <- [ sum, accesses to come ]            <- rsp from the bank channel
//
// docs/blocks/reduce.md has the rules. One request at a time; one read and one answer a cycle.
// Relies on: answers are to reads of this request. Promises: as many reads as the request asks for,
// and the sum of all words of their answers.
`default_nettype none
`include "check.svh"

module reduce (
  input  wire logic         clk_i,         /// clock
  input  wire logic         rst_ni,        /// synchronous reset, low
  input  wire logic         start_valid_i,  /// a request; taken when start_ready was high
  /// its first access: row, column and bank, the bank lowest
  input  wire logic [20:0]  start_first_i,
  input  wire logic [15:0]  start_count_i,  /// number of its accesses
  output logic              start_ready_o,  /// can take a request
  /// a read of the bank channel; taken when req_ready was high
  output logic              req_valid_o,
  output logic [1:0]        req_bank_o,     /// bank
  output logic [13:0]       req_row_o,      /// row
  output logic [4:0]        req_col_o,      /// column
  input  wire logic         req_ready_i,    /// the bank channel can take a read
  input  wire logic         rsp_valid_i,    /// data of a read
  input  wire logic [255:0] rsp_data_i,     /// its eight words
  output logic              sum_valid_o,  /// the sum of a request; it leaves when sum_ready is high
  output logic [31:0]       sum_o,          /// the sum of all words, modulo 2^32
  input  wire logic         sum_ready_i,    /// it leaves at this edge
  output logic              busy_o          /// a request is under way
);
  logic run_q;                // a request is under way
  logic [20:0] at_q;          // the next access
  logic [15:0] ask_q, due_q;  // accesses to ask for, answers to come
  logic [31:0] sum_q;

  assign start_ready_o = !run_q;
  assign req_valid_o = ask_q != '0;
  assign {req_row_o, req_col_o, req_bank_o} = at_q;
  assign sum_valid_o = run_q && due_q == '0;
  assign sum_o = sum_q;
  assign busy_o = run_q;

  function automatic logic [31:0] words_sum(input logic [255:0] data);
    words_sum = '0;
    for (int w = 0; w < 8; w++) words_sum = words_sum + data[32*w +: 32];
  endfunction

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      run_q <= 1'b0;
      ask_q <= '0;
      due_q <= '0;
    end else if (!run_q) begin
      run_q <= start_valid_i;
      ask_q <= start_valid_i ? start_count_i : '0;
      due_q <= start_valid_i ? start_count_i : '0;
    end else begin
      run_q <= !(sum_valid_o && sum_ready_i);
      ask_q <= ask_q - 16'(req_valid_o && req_ready_i);
      due_q <= due_q - 16'(rsp_valid_i);
    end

  always_ff @(posedge clk_i)
    if (!run_q && start_valid_i) begin
      at_q <= start_first_i;
      sum_q <= '0;
    end else begin
      if (req_valid_o && req_ready_i) at_q <= at_q + 1'b1;
      if (rsp_valid_i) sum_q <= sum_q + words_sum(rsp_data_i);
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `ASM(answers_are_to_reads_of_this_request, !rsp_valid_i || due_q > ask_q)
    `CHK(no_more_reads_than_answers_to_come, ask_q <= due_q)
    `CHK(idle_is_empty, run_q || due_q == '0)
    `COV(a_sum, sum_valid_o && sum_ready_i)
  end
endmodule
