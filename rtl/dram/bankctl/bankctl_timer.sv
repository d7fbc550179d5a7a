// SPDX-License-Identifier: Apache-2.0
// bankctl_timer: one time of the arrays as a down counter. It is set when a command is carried out,
// to the cycles from that command on the pins to the one that waits, less one; it is zero when the
// latter may be carried out. A command is chosen a cycle before it is carried out: it may be chosen
// at 1.
//
//   less_i ----+--> later of the two --> mux -> left_o    set_i may come late: behind it is a
//              |                          ^ ^             multiplexer, no arithmetic
//   left_o - 1 +--------------------------+ set_i
//
// Costs W flip-flops, a decrementer, and with several times a comparison. Promises: a time that is
// under way is never made shorter.
`default_nettype none

module bankctl_timer #(
  parameter int MAX = 255,       /// the longest time, at least 3
  parameter bit SEVERAL = 1'b1,  /// times of different length are set: the later end counts
  parameter int W = $clog2(MAX)  /// follows from MAX
) (
  input  wire logic         clk_i,     /// clock
  input  wire logic         rst_ni,    /// synchronous reset, low: no time is under way
  input  wire logic         active_i,  /// something may change
  input  wire logic         set_i,     /// a command that begins a time is carried out
  input  wire logic [W-1:0] less_i,    /// that time less one
  output logic [W-1:0]      left_o,    /// cycles until a command that waits may be carried out
  output logic              now_o,     /// it may be chosen now
  output logic              soon_o     /// or in the next cycle
);
  // A function, so that less_i is read in one place: simulators work it out there, when a time is
  // set, and not in every cycle.
  function automatic [W-1:0] later(input [W-1:0] less, input [W-1:0] left, input [W-1:0] next);
    later = !SEVERAL || less >= left ? less : next;
  endfunction
  logic [W-1:0] next;

  assign next = left_o == '0 ? '0 : left_o - 1'b1;
  assign now_o = left_o <= W'(1);
  assign soon_o = left_o <= W'(2);
  always_ff @(posedge clk_i)
    if (!rst_ni) left_o <= '0;
    else if (active_i) left_o <= set_i ? later(less_i, left_o, next) : next;
endmodule
