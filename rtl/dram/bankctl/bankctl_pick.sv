// SPDX-License-Identifier: Apache-2.0
// bankctl_pick: the oldest entry of a set, one hot, a cycle later; entries of one bank are left
// out, or are others, and which bank that is comes late: the oldest of each case is found beside
// it.
`default_nettype none

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
  for (genvar i = 0; i < N; i++) begin : g_entry
    logic [Cases-1:0] here;
    for (genvar k = 0; k < Cases; k++) begin : g_case
      assign here[k] = oldest[N*k + i];
    end
    assign selected[i] = (select & here) != '0;
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      oldest_o <= '0;
      any_o <= 1'b0;
    end else if (active_i) begin
      oldest_o <= selected;
      any_o <= (select & any) != '0;
    end
endmodule
