// SPDX-License-Identifier: Apache-2.0
// bankctl_oldest: the oldest entry of a set, one hot. Combinational.
`default_nettype none

module bankctl_oldest #(
  parameter int N = 16  /// entries
) (
  input  wire logic [N-1:0]   set_i,  /// the set
  input  wire logic [N*N-1:0] older_i,  /// bits N*i to N*i+N-1: the entries before entry i
  output logic [N-1:0]        oldest_o  /// its oldest entry, one hot; zero for an empty set
);
  always_comb begin
    oldest_o = '0;
    if (set_i != '0)
      for (int i = 0; i < N; i++) oldest_o[i] = set_i[i] && (older_i[N*i +: N] & set_i) == '0;
  end
endmodule
