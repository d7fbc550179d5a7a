// SPDX-License-Identifier: Apache-2.0
// rr_arb: round robin. The first requester after the last one that was served, wrapping around.
// Combinational but for the pointer. No requester that keeps asking waits for more than N-1 others.
//
// Relies on: next_i only with a request. Promises: gnt_o is one hot when req_i is not zero, and
// only where req_i is set.
`default_nettype none
`include "check.svh"

module rr_arb #(
  parameter int N = 4  /// requesters, at least 1
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic [N-1:0] req_i,  /// who asks
  input  wire logic         next_i,  /// the one that has the grant was served: others go first now
  output logic      [N-1:0] gnt_o  /// who is served, one hot; zero when nobody asks
`ifdef FORMAL
  , output logic [N-1:0] f_after_o  /// proof: those after the last one that was served
`endif
);
  `RANGE(N_is_not_at_least_1, N >= 1)

  // after_q: bit i is set when i is after the last one served; those come first
  logic [N-1:0] after_q, high;

  assign high = req_i & after_q;
  assign gnt_o = high != '0 ? high & (~high + 1'b1) : req_i & (~req_i + 1'b1);

  always_ff @(posedge clk_i)
    if (!rst_ni) after_q <= '1;
    else if (next_i && req_i != '0) after_q <= ~(gnt_o | (gnt_o - 1'b1));

  `RESET_FIRST
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(grant_is_a_request, (gnt_o & ~req_i) == '0)
    `CHK(grant_one_hot, (gnt_o & (gnt_o - 1'b1)) == '0)
    `CHK(grant_when_asked, (req_i == '0) == (gnt_o == '0))
    `COV(the_last_one_served, gnt_o[N-1] && next_i && req_i == '1)
  end

`ifdef FORMAL
  // Any one requester: while it asks, at most N - 1 others are served before it.
  (* anyconst *) logic [$clog2(N):0] f_who;
  logic [$clog2(N):0] f_waits;
  int f_turn;  // requesters that may go first
  assign f_after_o = after_q;
  always_comb begin
    f_turn = 32'(f_who);
    for (int i = 0; i < N; i++)
      if (!after_q[i] && after_q != '0) f_turn = f_turn == 0 ? N - 1 : f_turn - 1;
  end
  always @(posedge clk_i) begin
    assume (f_who < ($clog2(N)+1)'(N));
    if (!rst_ni || !req_i[f_who] || gnt_o[f_who]) f_waits <= '0;
    else if (next_i) f_waits <= f_waits + 1'b1;
    if (rst_ni) `CHK(waits_for_the_others_at_most, f_waits < ($clog2(N)+1)'(N))
    // what makes it inductive: each that is served instead brings its turn nearer
    if (rst_ni) begin
      `CHK(all_from_one_on, (~after_q & (~after_q + 1'b1)) == '0)
      `CHK(turn_comes_nearer, 32'(f_waits) + f_turn < N)
    end
  end
`endif
endmodule
