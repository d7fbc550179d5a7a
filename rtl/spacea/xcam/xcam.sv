// SPDX-License-Identifier: Apache-2.0
// xcam: a set-associative memory of lines of 32 bytes. The way of a set that was used least
// recently gives place.
//
//   look_key -> [ xcam_way, WAYS times: valid, tag ] -> way -> [ ram_1r1w ] -> ans
//   fill_key -> [                                  ] -> way -> [          ]
//               [ order of the ways of each set    ]
//
// docs/blocks/xcam.md has the rules. One look and one fill a cycle; the answer to a look is there
// after its edge. Relies on: nothing. Promises: a look that hits gives what was filled last.
`default_nettype none
`include "check.svh"

module xcam #(
  parameter int SETS = 32,  /// sets, a power of two, 2 to 8192
  parameter int WAYS = 4    /// ways of a set, a power of two, 1 to 16
) (
  input  wire logic         clk_i,  /// clock
  input  wire logic         rst_ni,  /// synchronous reset, low
  input  wire logic         look_valid_i,  /// a look; its answer is there after the edge
  input  wire logic [29:0]  look_key_i,  /// line that is looked for
  input  wire logic [7:0]   look_who_i,  /// comes back with the answer
  input  wire logic         fill_valid_i,  /// a line comes in
  input  wire logic [29:0]  fill_key_i,  /// which line
  input  wire logic [255:0] fill_data_i,  /// its bytes
  input  wire logic         clear_i,  /// all lines are dropped
  output logic              ans_valid_o,  /// answer to the look of the last edge
  /// the line was there; holds its value while ans_valid is low
  output logic              ans_hit_o,
  /// look_who of that look; holds its value while ans_valid is low
  output logic [7:0]        ans_who_o,
  output logic [255:0]      ans_data_o  /// bytes of the line that the last hit found
);
  localparam int KEY = 30;
  localparam int SW = $clog2(SETS);                // bits of a set's number
  localparam int WW = WAYS > 1 ? $clog2(WAYS) : 1;  // of a way's
  localparam int TW = KEY - SW;                    // of a tag
  localparam int RW = $clog2(SETS * WAYS);         // of a row of the data
  localparam int PAIRS = WAYS > 1 ? WAYS * (WAYS - 1) / 2 : 1;

  `RANGE(SETS_is_not_a_power_of_two_from_2_to_8192,
         SETS >= 2 && SETS <= 8192 && (SETS & (SETS - 1)) == 0)
  `RANGE(WAYS_is_not_a_power_of_two_from_1_to_16,
         WAYS >= 1 && WAYS <= 16 && (WAYS & (WAYS - 1)) == 0)

  function automatic [WW-1:0] number(input [WAYS-1:0] one);  // of the bit that is set
    number = '0;
    for (int i = 0; i < WAYS; i++) if (one[i]) number = number | WW'(i);
  endfunction

  // ---- an order of ways: bit j (j - 1) / 2 + i, for i below j, is set when i was used after j
  function automatic [PAIRS-1:0] after(input [PAIRS-1:0] order, input [WAYS-1:0] way);
    after = order;
    for (int j = 1; j < WAYS; j++)
      for (int i = 0; i < j; i++)
        after[j * (j - 1) / 2 + i] = way[i] || order[j * (j - 1) / 2 + i] && !way[j];
  endfunction
  function automatic [WAYS-1:0] oldest(input [PAIRS-1:0] order);
    oldest = '1;
    for (int j = 1; j < WAYS; j++)
      for (int i = 0; i < j; i++)
        if (order[j * (j - 1) / 2 + i]) oldest[i] = 1'b0;
        else oldest[j] = 1'b0;
  endfunction

  // ---- which way
  logic [SW-1:0] look_set, fill_set;
  logic [WAYS-1:0] look_hit, fill_hit, place, write;
  logic hit, fill;
  assign look_set = look_key_i[SW-1:0];
  assign fill_set = fill_key_i[SW-1:0];
`ifdef FORMAL
  logic [SW-1:0] f_set;
  logic [WAYS-1:0] f_valid;
  logic [WAYS*TW-1:0] f_tags;
  logic [256*SETS*WAYS-1:0] f_words;
`endif
  for (genvar w = 0; w < WAYS; w++) begin : g_way
    xcam_way #(.SETS(SETS), .SW(SW), .TW(TW)) i_way (
      .clk_i, .rst_ni, .clear_i, .look_set_i(look_set), .look_tag_i(look_key_i[KEY-1 -: TW]),
      .look_hit_o(look_hit[w]), .fill_set_i(fill_set), .fill_tag_i(fill_key_i[KEY-1 -: TW]),
      .fill_hit_o(fill_hit[w]), .write_i(write[w])
`ifdef FORMAL
      , .f_set_i(f_set), .f_valid_o(f_valid[w]), .f_tag_o(f_tags[w*TW +: TW])
`endif
    );
  end
  assign hit = rst_ni && look_valid_i && look_hit != '0;
  assign fill = rst_ni && fill_valid_i && !clear_i;

  // ---- orders: ways that are not valid were used before all that are
  logic [PAIRS-1:0] look_order, fill_order, looked, filled, used;
  assign looked = after(look_order, look_hit);
  assign filled = hit && look_set == fill_set ? looked : fill_order;
  assign place = fill_hit != '0 ? fill_hit : oldest(filled);
  assign write = place & {WAYS{fill}};
  assign used = after(filled, place);
  for (genvar p = 0; p < PAIRS; p++) begin : g_order
    logic [SETS-1:0] after_q;
    assign look_order[p] = after_q[look_set];
    assign fill_order[p] = after_q[fill_set];
    always_ff @(posedge clk_i)
      if (!rst_ni) after_q <= '0;
      else begin
        if (hit) after_q[look_set] <= looked[p];
        if (fill) after_q[fill_set] <= used[p];
      end
  end

  // ---- data, and the answer
  logic [RW-1:0] look_row, fill_row;
  assign look_row = RW'(WAYS) * RW'(look_set) + RW'(number(look_hit));
  assign fill_row = RW'(WAYS) * RW'(fill_set) + RW'(number(place));
  ram_1r1w #(.LANES(1), .BITS(256), .DEPTH(SETS * WAYS)) i_lines (
    .clk_i, .r_en_i(hit), .r_row_i(look_row), .r_data_o(ans_data_o), .w_en_i(fill),
    .w_row_i(fill_row), .w_mask_i(1'b1), .w_data_i(fill_data_i)
`ifdef FORMAL
    , .f_words_o(f_words)
`endif
  );

  always_ff @(posedge clk_i)
    if (!rst_ni) ans_valid_o <= 1'b0;
    else ans_valid_o <= look_valid_i;
  always_ff @(posedge clk_i) if (rst_ni && look_valid_i) begin
    ans_hit_o <= look_hit != '0;
    ans_who_o <= look_who_i;
  end

  `RESET_FIRST
`ifdef FORMAL
  `include "xcam_proof.svh"
`else
  always @(posedge clk_i) if (rst_ni) begin
    `CHK(one_way_has_a_tag, !look_valid_i || (look_hit & (look_hit - 1'b1)) == '0)
    `CHK(one_way_gives_place, !fill || place != '0 && (place & (place - 1'b1)) == '0)
  end
`endif
endmodule
