// SPDX-License-Identifier: Apache-2.0
// bankctl_pick: the oldest entry of a set, one hot, a cycle later; entries of one bank are left
// out, or are others, and which bank that is comes late: the oldest of each case is found beside
// it.
`default_nettype none
`include "check.svh"

module bankctl_pick #(
  parameter int N = 16,  /// entries
  parameter bit TURN = 1'b0  /// turn_i and after_i matter: four more cases
) (
  input  wire logic           clk_i,  /// clock
  input  wire logic           rst_ni,  /// synchronous reset, low
  input  wire logic           active_i,  /// the registers take the choice
  input  wire logic [N-1:0]   set_i,  /// the set
  /// an entry of the bank to leave out that is not left out; or none
  input  wire logic [N-1:0]   also_i,
  input  wire logic [N-1:0]   turn_i,  /// with after_i, those of that bank that are not left out
  input  wire logic [4*N-1:0] bank_i,  /// bit N*k + i: entry i is for bank k
  input  wire logic [3:0]     except_i,  /// the bank to leave out, one hot, or none
  input  wire logic           after_i,  /// turn_i stands for the entries of that bank
  input  wire logic [N*N-1:0] older_i,  /// bits N*i to N*i+N-1: the entries before entry i
  output logic [N-1:0]        oldest_o,  /// the oldest entry that is left, one hot, or none
  output logic                any_o  /// there is one
);
  localparam int Cases = TURN ? 9 : 5;
  logic [Cases*N-1:0] set, oldest;  // 0: all; 1 to 4: without that bank; 5 to 8: with its turns
  logic [Cases-1:0] any;
  for (genvar k = 0; k < Cases; k++) begin : g_case
    if (k == 0) assign set[N*k +: N] = set_i;
    else if (k <= 4) assign set[N*k +: N] = set_i & ~bank_i[N*(k-1) +: N] | also_i;
    else assign set[N*k +: N] = set_i & ~bank_i[N*(k-5) +: N] | turn_i & bank_i[N*(k-5) +: N];
    assign any[k] = set[N*k +: N] != '0;
    bankctl_oldest #(.N(N)) i_oldest (.set_i(set[N*k +: N]), .older_i, .oldest_o(oldest[N*k +: N]));
  end

  logic [Cases-1:0] select;
  if (TURN) begin : g_select
    assign select = {except_i & {4{after_i}}, except_i & {4{!after_i}}, except_i == '0};
  end else begin : g_select
    logic unused;
    assign unused = ^{turn_i, after_i};
    assign select = {except_i, except_i == '0};
  end
  logic [N-1:0] selected;
  always_comb begin
    selected = '0;
    for (int k = 0; k < Cases; k++) selected = selected | oldest[N*k +: N] & {N{select[k]}};
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      oldest_o <= '0;
      any_o <= 1'b0;
    end else if (active_i) begin
      oldest_o <= selected;
      any_o <= (select & any) != '0;
    end

`ifdef FORMAL_TOP
  // Any one entry is chosen when it is left of the set and none that is left is older; no other one
  // is, then. What is assumed is asserted of bankctl's state, in its proof: one_winner,
  // one_other_winner and in_one_bank (one bank to leave out), one_is_older.
  `RESET_FIRST
  (* anyconst *) logic [$clog2(N):0] f_i, f_j;
  logic [N-1:0] f_out, f_left;  // entries of the bank to leave out; what is left
  logic f_chosen, f_any;
  always_comb begin
    f_out = '0;
    for (int k = 0; k < 4; k++) if (except_i[k]) f_out = f_out | bank_i[N*k +: N];
    f_left = set_i & ~f_out;
    if (except_i != '0) f_left = f_left | (TURN && after_i ? turn_i & f_out : also_i);
    assume (32'(f_i) < N && 32'(f_j) < N && f_i != f_j);
  end
  always @(posedge clk_i)
    if (!rst_ni) {f_chosen, f_any} <= '0;
    else begin
      `ASM(one_bank, (except_i & (except_i - 1'b1)) == '0)
      `ASM(one_is_older, !f_left[f_i] || !f_left[f_j] ||
                         older_i[N*f_i + f_j] == !older_i[N*f_j + f_i])
      if (active_i) begin
        f_chosen <= f_left[f_i] && (older_i[N*f_i +: N] & f_left) == '0;
        f_any <= f_left != '0;
      end
      `CHK(the_oldest_that_is_left, oldest_o[f_i] == f_chosen)
      `CHK(no_other_one, !oldest_o[f_i] || !oldest_o[f_j])
      `CHK(some_are_left, any_o == f_any)
    end
`endif
endmodule
