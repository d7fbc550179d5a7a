// SPDX-License-Identifier: Apache-2.0
// fpu_norm: stage 4 of fpu. Moves the first bit of the sum to the top, or as far as the exponent
// allows: the limit counts as a first bit. Of the way, 16 times the group and a multiple of four
// are done here, the last 0 to 3 in stage 5.
`default_nettype none

module fpu_norm (
  input  wire logic        clk_i,  /// clock
  input  wire logic        en_i,  /// the stage takes an operation,
  input  wire logic        on_i,  /// and this lane takes part
  input  wire logic        f2i_i,  /// the result is an integer
  input  wire logic        sat_i,  /// clamp a raw result to [0, 1]
  input  wire logic [25:0] hi_i,  /// sum, upper bits
  input  wire logic [50:0] lo_i,  /// sum, lower bits
  input  wire logic [4:0]  some_i,  /// groups that may hold the first bit, of fpu_add
  input  wire logic [9:0]  lim_i,  /// how far the sum may be normalised
  input  wire logic        raw_i,  /// the result is settled: lo_i has it
  input  wire logic        sub_i,  /// product and addend have different signs
  input  wire logic        neg_i,  /// sign of the result, if it is not zero
  output logic [39:0]      x_o,  /// the result but for the last shift; raw: the result in bits 39:8
  output logic             rest_o,  /// something was left below
  /// shift within the group: bits 1:0 to be done, exponent to be lowered by it
  output logic [3:0]       n_o,
  output logic [9:0]       e_o,  /// exponent before that
  output logic             raw_o,  /// the result is settled, or an integer
  output logic             sub_o,  /// as sub_i
  output logic             neg_o  /// as neg_i
);
  localparam [31:0] ONE = 32'h3f800000;

  function automatic [3:0] leading(input [15:1] v);  // zeros at the top of {v, 1}
    logic [7:1] v8;
    logic [3:1] v4;
    leading[3] = v[15:8] == '0;
    v8 = leading[3] ? v[7:1] : v[15:9];
    leading[2] = v8[7:4] == '0;
    v4 = leading[2] ? v8[3:1] : v8[7:5];
    leading[1] = v4[3:2] == '0;
    leading[0] = leading[1] ? !v4[1] : !v4[3];
  endfunction

  task automatic normalise;
    logic [39:0] w;
    logic [2:0] k;
    logic [3:0] n;
    logic rest;
    if (raw_i || f2i_i) begin
      x_o <= {!sat_i ? lo_i[34:3] : lo_i[34] || lo_i[33:3] > 31'h7f800000 ? 32'd0 :
              lo_i[33:26] >= 8'd127 ? ONE : lo_i[34:3], 8'd0};
    end else begin
      casez (some_i)
        5'b????1: begin
          k = 3'd0;
          w = {hi_i, lo_i[50:37]};
          rest = lo_i[36:0] != '0;
        end
        5'b???10: begin
          k = 3'd1;
          w = {hi_i[9:0], lo_i[50:21]};
          rest = lo_i[20:0] != '0;
        end
        5'b??100: begin
          k = 3'd2;
          w = lo_i[44:5];
          rest = lo_i[4:0] != '0;
        end
        5'b?1000: begin
          k = 3'd3;
          w = {lo_i[28:0], 11'd0};
          rest = 1'b0;
        end
        default: begin
          k = 3'd4;
          w = {lo_i[12:0], 27'd0};
          rest = 1'b0;
        end
      endcase
      n = leading(w[39:25] | (lim_i[9:4] == {3'd0, k} ? 15'h4000 >> lim_i[3:0] : 15'd0));
      x_o <= w << {n[3:2], 2'b00};
      rest_o <= rest;
      n_o <= n;
      e_o <= lim_i + 10'd1 - {3'd0, k, 4'd0};
    end
    raw_o <= raw_i || f2i_i;
    sub_o <= sub_i;
    neg_o <= neg_i;
  endtask
  always_ff @(posedge clk_i) if (en_i) if (on_i) normalise;
endmodule
