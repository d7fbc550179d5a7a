// SPDX-License-Identifier: Apache-2.0
// opc_collector: the control of one operand collector: which registers the current beat still has
// to ask for and to wait for. The operands themselves lie in opc.
//
//   free --take--> asking and waiting --complete, go--> next beat, or free
`default_nettype none
`include "check.svh"

module opc_collector (
  input  wire logic        clk_i,  /// clock
  input  wire logic        rst_ni,  /// synchronous reset, low
  input  wire logic        take_i,  /// an instruction enters
  input  wire logic [20:0] regs_i,  /// its registers: a 6:0, b 13:7, c 20:14
  input  wire logic [5:0]  modes_i,  /// modes of a, b, c, two bits each
  input  wire logic [2:0]  use_i,  /// operands that are registers
  input  wire logic [1:0]  beats_i,  /// number of beats less one
  input  wire logic        hi_first_i,  /// the high word's beat comes first
  output logic [3:0]       ask_o,  /// an operand is asked for in bank i
  output logic [19:0]      ask_row_o,  /// its row, 5 bits a bank
  output logic [7:0]       ask_opd_o,  /// which operand, 2 bits a bank
  input  wire logic [3:0]  gnt_i,  /// bank i reads for this collector
  input  wire logic [2:0]  store_i,  /// operand i has arrived
  input  wire logic        go_i,  /// the beat is dispatched
  output logic             valid_o,  /// not free
  output logic             complete_o,  /// the beat can be dispatched
  output logic [2:0]       use_o,  /// operands of the instruction that are registers
  output logic [1:0]       beat_o,  /// number of the beat
  output logic [1:0]       word_o,  /// word of the beat
  output logic             last_o,  /// last beat
  output logic             single_o  /// the instruction has one beat
`ifdef FORMAL
  , output logic [38:0]    f_state_o,  /// proof: the registers of the instruction
  output logic [11:0]      f_here_o  /// three bits a bank: operands still to be asked for there
`endif
);
  logic valid_q, hi_first_q;
  logic [20:0] regs_q, regs;
  logic [5:0] modes_q;
  logic [2:0] use_q, asked_q, have_q, grant;
  logic [1:0] beats_q, beat_q;

  assign word_o = beat_q ^ {1'b0, hi_first_q};
  assign last_o = beat_q == beats_q;
  assign single_o = beats_q == 2'd0;
  assign valid_o = valid_q;
  assign use_o = use_q;
  assign beat_o = beat_q;
  assign complete_o = valid_q && (use_q & ~have_q) == '0;

  // registers of this beat
  for (genvar x = 0; x < 3; x++) begin : g_reg
    logic [1:0] low;
    assign low = modes_q[2*x +: 2] == 2'd0 ? 2'd0 :
                 modes_q[2*x +: 2] == 2'd1 ? word_o : word_o ^ 2'd1;
    assign regs[7*x +: 7] = regs_q[7*x +: 7] | {5'd0, low};
  end

  // the first operand in each bank that was not asked for; three bits a bank
  logic [2:0] open;
  logic [11:0] here, first;
  assign open = use_q & ~asked_q & {3{valid_q}};
  always_comb begin
    here = '0;
    first = '0;
    ask_o = '0;
    ask_row_o = '0;
    ask_opd_o = '0;
    if (open != '0)
      for (int b = 0; b < 4; b++) begin
        here[3*b +: 3] = open & {regs[15:14] == 2'(b), regs[8:7] == 2'(b), regs[1:0] == 2'(b)};
        first[3*b +: 3] = here[3*b +: 3] & (~here[3*b +: 3] + 3'd1);
        ask_o[b] = here[3*b +: 3] != '0;
        ask_row_o[5*b +: 5] = {5{first[3*b]}} & regs[6:2] | {5{first[3*b + 1]}} & regs[13:9] |
                              {5{first[3*b + 2]}} & regs[20:16];
        ask_opd_o[2*b +: 2] = first[3*b + 1 +: 2];
      end
  end
  assign grant = first[2:0] & {3{gnt_i[0]}} | first[5:3] & {3{gnt_i[1]}} |
                 first[8:6] & {3{gnt_i[2]}} | first[11:9] & {3{gnt_i[3]}};

  always_ff @(posedge clk_i)
    if (!rst_ni) valid_q <= 1'b0;
    else if (take_i) valid_q <= 1'b1;
    else if (go_i && last_o) valid_q <= 1'b0;

  always_ff @(posedge clk_i)
    if (take_i) begin
      regs_q <= regs_i;
      modes_q <= modes_i;
      use_q <= use_i;
      beats_q <= beats_i;
      hi_first_q <= hi_first_i;
      beat_q <= '0;
      asked_q <= '0;
      have_q <= '0;
    end else if (go_i) begin
      beat_q <= beat_q + 1'b1;
      asked_q <= '0;
      have_q <= '0;
    end else if (valid_q) begin
      asked_q <= asked_q | grant;
      have_q <= have_q | store_i;
    end

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(takes_when_free, !(take_i && valid_q))
    `CHK(goes_when_complete, !go_i || complete_o)
    `CHK(stores_what_was_asked, (store_i & ~asked_q) == '0)
    `CHK(stores_once, (store_i & have_q) == '0)
    `CHK(no_store_when_free, store_i == '0 || valid_q)
  end

`ifdef FORMAL
  assign f_state_o = {hi_first_q, beats_q, use_q, modes_q, regs_q, have_q, asked_q};
  assign f_here_o = here;
`endif
endmodule
