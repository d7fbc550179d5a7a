// SPDX-License-Identifier: Apache-2.0
// bankctl_pick: the oldest entry of a set, one hot, a cycle later; entries of one bank are left out, and
// which bank that is comes late: the oldest of each case is found beside it.
`default_nettype none

module bankctl_pick #(
  parameter int N = 16
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  input  wire logic           active_i,
  input  wire logic [N-1:0]   set_i,
  input  wire logic [N-1:0]   also_i,  /// an entry of the bank to leave out that is not left out; or none
  input  wire logic [4*N-1:0] bank_i,  /// bit N*k + i: entry i is for bank k
  input  wire logic [3:0]     except_i,  /// the bank to leave out, one hot, or none
  input  wire logic [N*N-1:0] older_i,  /// bits N*i to N*i+N-1: the entries before entry i
  output logic [N-1:0]        oldest_o,
  output logic                any_o
);
  logic [5*N-1:0] set, oldest;  // 0 to 3: without that bank; 4: all
  logic [4:0] any;
  for (genvar k = 0; k < 5; k++) begin : g_case
    if (k == 4) assign set[N*k +: N] = set_i;
    else assign set[N*k +: N] = set_i & ~bank_i[N*k +: N] | also_i;
    assign any[k] = set[N*k +: N] != '0;
    bankctl_oldest #(.N(N)) i_oldest (.set_i(set[N*k +: N]), .older_i, .oldest_o(oldest[N*k +: N]));
  end

  logic [4:0] select;
  assign select = {except_i == '0, except_i};
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      oldest_o <= '0;
      any_o <= 1'b0;
    end else if (active_i) begin
      oldest_o <= {N{select[0]}} & oldest[0 +: N] | {N{select[1]}} & oldest[N +: N] |
                  {N{select[2]}} & oldest[2*N +: N] | {N{select[3]}} & oldest[3*N +: N] |
                  {N{select[4]}} & oldest[4*N +: N];
      any_o <= (select & any) != '0;
    end
endmodule
