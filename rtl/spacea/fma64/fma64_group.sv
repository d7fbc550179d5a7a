// SPDX-License-Identifier: Apache-2.0
// fma64_group: stage 4 of fma64. Moves the first group of 16 bits that is not zero to the top, or
// the one with the limit: the bit that has the smallest exponent counts as a first bit.
`default_nettype none

module fma64_group (
  input  wire logic         clk_i,  /// clock
  input  wire logic         en_i,  /// the stage takes an operation
  input  wire logic [163:0] x_i,  /// sum
  input  wire logic [11:0]  lim_i,  /// how far it may be normalised
  input  wire logic         sub_i,  /// product and addend have different signs
  input  wire logic         neg_i,  /// sign of the result, if it is not zero
  input  wire logic         nan_i,  /// the result is a NaN
  input  wire logic         inf_i,  /// or an infinity
  output logic [68:0]       x_o,  /// the group, and what follows it
  output logic              rest_o,  /// something was left below
  output logic [3:0]        group_o,  /// which one it is, from the top
  output logic [11:0]       lim_o,  /// as lim_i
  output logic              limit_o,  /// the limit is in this group
  output logic              sub_o,  /// as sub_i
  output logic              neg_o,  /// as neg_i
  output logic              nan_o,  /// as nan_i
  output logic              inf_o   /// as inf_i
);
  localparam int GROUPS = 11;  // the last one has four bits
  localparam int RESTS = 6;    // behind the window of the others nothing is left

  task automatic find;
    logic [228:0] x;
    logic [GROUPS-1:0] limit, first;  // bit k: the group k from the top
    logic [RESTS-1:0] below;
    logic [68:0] w;
    logic [3:0] group;
    logic found, some;

    x = {x_i, 65'd0};
    w = '0;
    group = '0;
    found = 1'b0;
    for (int k = 0; k < GROUPS; k++) begin
      limit[k] = lim_i[11:4] == 8'(k);
      some = x[228-16*k -: 16] != '0 || limit[k];
      first[k] = some && !found;
      found = found || some;
      w = w | (x[228-16*k -: 69] & {69{first[k]}});
      group = group | (4'(k) & {4{first[k]}});
    end
    for (int k = 0; k < RESTS; k++) below[k] = (x_i[94:0] << 16 * k) != '0;
    x_o <= w;
    rest_o <= (first[RESTS-1:0] & below) != '0;
    group_o <= group;
    lim_o <= lim_i;
    limit_o <= (first & limit) != '0;
    sub_o <= sub_i;
    neg_o <= neg_i;
    nan_o <= nan_i;
    inf_o <= inf_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) find;
endmodule
