// SPDX-License-Identifier: Apache-2.0
// rowctl_timer: one time of a bank, as a down counter: zero when a command that waits for it may be
// chosen. Promises: a time that is under way is never made shorter.
`default_nettype none

module rowctl_timer #(
  parameter int W = 8  /// bits
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low: no time is under way
  input  wire logic         set_i,  /// a command that begins a time is chosen
  input  wire logic [W-1:0] less_i,  /// that time less one
  output logic [W-1:0]      left_o  /// cycles until a command may be chosen
);
  always_ff @(posedge clk_i)
    if (!rst_ni) left_o <= '0;
    else if (set_i && less_i >= left_o) left_o <= less_i;
    else if (left_o != '0) left_o <= left_o - 1'b1;
endmodule
